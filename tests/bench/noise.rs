//! Shrinkers on apps whose crash shows only now and then, with their certificates. ND3MIN has the paper's numbers and the
//! heuristic schedule; the schedule changes its steps, not what it asks for.

use siamang::shrink::registry::ALGORITHMS;

use crate::FAMILIES;
use crate::flaky::{Flaky, flaky};
use crate::sample::Make;

/// Prints what noise costs, for several rates of the crash.
pub fn table(seeds: u64, first: u64, only: &str, make: Make) {
    println!(
        "noise, {seeds} seeds from {first}: runs + certificate = all, p90 / length / at the optimum / certified at 0.85 / \
         reproduced / most runs more than without noise handling"
    );
    let wanted: Vec<&str> = only.split(',').collect();
    for algorithm in ALGORITHMS.iter().filter(|algorithm| wanted.contains(&algorithm.name)) {
        for family in FAMILIES {
            for rate in rates() {
                let Flaky {
                    runs,
                    certificate,
                    total_p90,
                    length,
                    optimal,
                    certified,
                    reproduced,
                    most_extra,
                } = flaky(algorithm, rate, family, first..first + seeds, make);
                println!(
                    "{:10} {family:9} q {rate:4.2} | {runs:6.1} + {certificate:5.1} = {:6.1} {total_p90:5.0} / \
                     {length:5.2} / {optimal:5.3} / {certified:5.3} / {reproduced:5.3} / {most_extra:3.0}",
                    algorithm.name,
                    runs + certificate
                );
            }
        }
    }
}

/// The rates of the crash, or those of `RATES=0.9,0.5`.
fn rates() -> Vec<f64> {
    let given = std::env::var("RATES").unwrap_or_default();
    let given: Vec<f64> = given.split(',').filter_map(|rate| rate.parse().ok()).collect();
    if given.is_empty() { vec![1.0, 0.97, 0.9, 0.7, 0.5] } else { given }
}
