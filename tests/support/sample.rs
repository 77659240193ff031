//! Shrinking a sample of failing traces, for the tests and the benchmark.

use std::ops::Range;

use siamang::shrink::registry::Algorithm;
use siamang::shrink::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker};
use siamang::trace::Trace;

use crate::toy_app::{Family, ToyApp};

/// One failing trace and what runs it.
pub struct Case {
    pub trace: Trace,
    /// The length of the shortest way to the failure.
    pub optimum: usize,
    pub run: Box<dyn FnMut(&Trace) -> RunRecord>,
}

/// Makes the case of a family and a seed.
pub type Make = fn(&str, u64) -> Case;

/// A toy app whose screens form a tree.
pub fn toy(family: &str, seed: u64) -> Case {
    toy_case(ToyApp::with_trace, family, seed)
}

/// A toy app whose screens lead anywhere.
pub fn tangled(family: &str, seed: u64) -> Case {
    toy_case(ToyApp::tangled, family, seed)
}

fn toy_case(make: fn(Family, u64) -> (ToyApp, Trace), family: &str, seed: u64) -> Case {
    let family = Family::ALL.into_iter().find(|known| known.name() == family).expect("a family");
    let (app, trace) = make(family, seed);
    let run = Box::new(move |trace: &Trace| {
        let events: Vec<_> = trace.events.iter().cloned().map(std::sync::Arc::new).collect();
        app.run(&events)
    });
    Case { trace, optimum: family.optimum(), run }
}

/// Means over a sample. The replay of the original is counted for all alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    pub runs: f64,
    /// Nine of ten needed at most so many runs.
    pub runs_p90: f64,
    pub events: f64,
    pub rounds: f64,
    pub length: f64,
    /// The share that ended with the length of the shortest way.
    pub optimal: f64,
}

/// Shrinks with so many workers that all answer together; also tells the number of rounds.
pub fn in_rounds(
    algorithm: &Algorithm,
    run: impl FnMut(&Candidate) -> RunRecord,
    setup: Setup,
    workers: usize,
) -> (Trace, Counts, u64) {
    drive((algorithm.make)(setup), run, workers)
}

/// The same for a shrinker that is already made.
pub fn drive(
    mut shrinker: Box<dyn Shrinker>,
    mut run: impl FnMut(&Candidate) -> RunRecord,
    workers: usize,
) -> (Trace, Counts, u64) {
    let mut rounds = 0;
    while let Ask::Run(candidates) = shrinker.ask(workers) {
        assert!(candidates.len() <= workers);
        rounds += 1;
        for candidate in candidates {
            shrinker.tell(candidate.id, &run(&candidate));
        }
    }
    (shrinker.best().clone(), shrinker.counts(), rounds)
}

/// Shrinks the same cases with each of some algorithms, with so many workers each. `missed` hears of each result of a
/// seed that is longer than the shortest way.
pub fn means(
    contestants: &[(&Algorithm, usize)],
    family: &str,
    seeds: Range<u64>,
    make: Make,
    missed: &mut dyn FnMut(u64, &Algorithm, &Trace),
) -> Vec<Means> {
    let share = 1.0 / (seeds.end - seeds.start) as f64;
    let mut means = vec![Means::default(); contestants.len()];
    let mut runs = vec![Vec::new(); contestants.len()];
    for seed in seeds {
        let Case { trace, optimum, mut run } = make(family, seed);
        for (at, &(algorithm, workers)) in contestants.iter().enumerate() {
            let setup = Setup::new(trace.clone());
            let (best, counts, rounds) =
                in_rounds(algorithm, |candidate| run(&candidate.trace()), setup, workers);
            let means = &mut means[at];
            runs[at].push(counts.runs as f64);
            means.runs += share * counts.runs as f64;
            means.events += share * counts.events as f64;
            means.rounds += share * rounds as f64;
            means.length += share * best.cost() as f64;
            if best.cost() == optimum {
                means.optimal += share;
            } else {
                missed(seed, algorithm, &best);
            }
        }
    }
    for (means, mut runs) in means.iter_mut().zip(runs) {
        runs.sort_unstable_by(f64::total_cmp);
        means.runs_p90 = runs[(runs.len() * 9).div_ceil(10) - 1];
    }
    means
}
