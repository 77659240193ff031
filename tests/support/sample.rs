//! Shrinking a sample of failing traces, for the tests and the benchmark.

use std::ops::Range;

use siamang::shrink::noise::CERTAIN_CERTIFICATE;
use siamang::shrink::registry::Algorithm;
use siamang::shrink::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
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
    pub runs: Spread,
    pub events: Spread,
    pub rounds: Spread,
    pub length: Spread,
    /// Further runs, which only show how often the result fails.
    pub certificate: Spread,
    /// The share that ended with the length of the shortest way.
    pub optimal: f64,
}

/// The mean of some numbers, and what nine of ten of them are at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    pub mean: f64,
    pub p90: f64,
}

impl Spread {
    fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        Self { mean, p90: numbers[(numbers.len() * 9).div_ceil(10) - 1] }
    }
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
    let mut optimal = vec![0.0; contestants.len()];
    let mut seen: Vec<[Vec<f64>; 5]> = vec![<[Vec<f64>; 5]>::default(); contestants.len()];
    for seed in seeds {
        let Case { trace, optimum, mut run } = make(family, seed);
        for (at, &(algorithm, workers)) in contestants.iter().enumerate() {
            let setup = Setup::new(trace.clone());
            let (best, counts, rounds) =
                in_rounds(algorithm, |candidate| run(&candidate.trace()), setup, workers);
            // The shrinkers leave the certificate of a result to whoever drives them, where nothing is left to chance.
            let certificate = (0..CERTAIN_CERTIFICATE).map(|_| run(&best).verdict);
            let certified = certificate.filter(|verdict| *verdict == Verdict::Reproduced).count();
            assert_eq!(certified, CERTAIN_CERTIFICATE as usize, "{} {family} {seed}", algorithm.name);
            let certificate = counts.certificate + certified as u64;
            let numbers = [counts.runs, counts.events, rounds, best.cost() as u64, certificate];
            for (all, number) in seen[at].iter_mut().zip(numbers) {
                all.push(number as f64);
            }
            if best.cost() == optimum {
                optimal[at] += share;
            } else {
                missed(seed, algorithm, &best);
            }
        }
    }
    let means = seen.into_iter().zip(optimal).map(|(seen, optimal)| {
        let [runs, events, rounds, length, certificate] = seen.map(Spread::of);
        Means { runs, events, rounds, length, certificate, optimal }
    });
    means.collect()
}
