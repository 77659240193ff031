//! Shrinking a sample of toy apps, for the tests and the benchmark.

use std::sync::Arc;

use siamang::shrink::registry::{Algorithm, find};
use siamang::shrink::{Ask, Counts, Setup, Shrinker};
use siamang::trace::Trace;

use crate::toy_app::{Family, ToyApp};

/// Makes the app of a seed and a trace that ends in its crash.
pub type Make = fn(Family, u64) -> (ToyApp, Trace);

/// Means over a sample. The replay of the original is the same for all and not counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    pub runs: f64,
    pub rounds: f64,
    pub length: f64,
    pub optimal: f64,
}

pub fn setup(app: &ToyApp, trace: &Trace) -> Setup {
    let events: Vec<_> = trace.events.iter().cloned().map(Arc::new).collect();
    Setup { replay: Some(app.run(&events)), ..Setup::new(trace.clone()) }
}

/// Shrinks with so many workers that all answer together; also tells the number of rounds.
pub fn in_rounds(algorithm: &Algorithm, app: &ToyApp, setup: Setup, workers: usize) -> (Trace, Counts, u64) {
    drive((algorithm.make)(setup), app, workers)
}

/// The same for a shrinker that is already made.
pub fn drive(mut shrinker: Box<dyn Shrinker>, app: &ToyApp, workers: usize) -> (Trace, Counts, u64) {
    let mut rounds = 0;
    while let Ask::Run(candidates) = shrinker.ask(workers) {
        assert!(candidates.len() <= workers);
        rounds += 1;
        for candidate in candidates {
            shrinker.tell(candidate.id, &app.run(&candidate.events));
        }
    }
    (shrinker.best().clone(), shrinker.counts(), rounds)
}

pub fn means(name: &str, workers: usize, family: Family, seeds: std::ops::Range<u64>, make: Make) -> Means {
    let algorithm = find(name).expect("the algorithm is there");
    let share = 1.0 / (seeds.end - seeds.start) as f64;
    let mut means = Means::default();
    for seed in seeds {
        let (app, trace) = make(family, seed);
        let (best, counts, rounds) = in_rounds(algorithm, &app, setup(&app, &trace), workers);
        means.runs += share * counts.runs as f64;
        means.rounds += share * rounds as f64;
        means.length += share * best.events.len() as f64;
        means.optimal += if best.events.len() == family.optimum() { share } else { 0.0 };
    }
    means
}
