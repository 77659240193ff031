//! Shrinkers on apps whose crash shows only now and then, with their certificates. ND3MIN has the paper's numbers and the
//! heuristic schedule; the schedule changes its steps, not what it asks for.

use siamang::shrink::registry::ALGORITHMS;

use crate::FAMILIES;
use crate::flaky::{Flaky, flaky};
use crate::measure::Measured;
use crate::sample::Make;

/// The rate of the crash that the targets are for.
const ASKED_RATE: f64 = 0.9;

/// Prints what noise costs, for several rates of the crash.
pub fn table(seeds: u64, first: u64, only: &str, make: Make) -> Vec<Measured> {
    println!(
        "{seeds} seeds from {first}. rate: how often the crash shows; all = runs + certificate; optimum, certified (at 0.85 of the \
         original's rate) and reproduced are shares;\nextra: the most runs more than without noise handling"
    );
    println!(
        "{:10} {:9} {:>5} {:>7} {:>5} {:>7} {:>5} {:>7} {:>8} {:>10} {:>11} {:>6}",
        "algorithm",
        "family",
        "rate",
        "runs",
        "cert",
        "all",
        "p90",
        "length",
        "optimum",
        "certified",
        "reproduced",
        "extra"
    );
    let mut targets = Vec::new();
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
                    "{:10} {family:9} {rate:>5.2} {runs:>7.1} {certificate:>5.1} {:>7.1} {total_p90:>5.0} {length:>7.2} \
                     {optimal:>8.3} {certified:>10.3} {reproduced:>11.3} {most_extra:>6.0}",
                    algorithm.name,
                    runs + certificate
                );
                let name = |what: &str| format!("{family}, pathfirst, rate {rate}: {what}");
                if algorithm.name == "pathfirst" && (rate - ASKED_RATE).abs() < 1e-9 {
                    targets.push(Measured::at_most(
                        name("runs with certificate"),
                        "runs",
                        60.0,
                        runs + certificate,
                    ));
                    targets.push(Measured::at_least(name("certified"), "share", 0.95, certified));
                    targets.push(Measured::at_least(name("at the optimum"), "share", 0.95, optimal));
                }
                if algorithm.name == "pathfirst" && rate >= 1.0 {
                    targets.push(Measured::at_most(
                        name("most runs more than without noise"),
                        "runs",
                        4.0,
                        most_extra,
                    ));
                }
            }
        }
    }
    targets
}

/// The rates of the crash, or those of `RATES=0.9,0.5`.
fn rates() -> Vec<f64> {
    let given = std::env::var("RATES").unwrap_or_default();
    let given: Vec<f64> = given.split(',').filter_map(|rate| rate.parse().ok()).collect();
    if given.is_empty() { vec![1.0, 0.97, 0.9, 0.7, 0.5] } else { given }
}
