//! Every shrinker on apps whose crash shows only now and then, with its certificate.

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
    for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.name.contains(only)) {
        for family in FAMILIES {
            for rate in [1.0, 0.97, 0.9, 0.7, 0.5] {
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
