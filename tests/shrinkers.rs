//! Every shrinker against the toy apps.

#[path = "support/toy_app.rs"]
mod toy_app;

use std::sync::Arc;

use rand::RngExt;
use siamang::seed::Seed;
use siamang::shrink::registry::{ALGORITHMS, Algorithm};
use siamang::shrink::{Ask, Candidate, RunRecord, Setup, Verdict};
use siamang::trace::Trace;
use toy_app::{Family, ToyApp};

/// What it took to shrink one trace; the replay of the original is not counted.
#[derive(Clone, Copy, Debug, Default)]
struct Took {
    runs: f64,
    rounds: f64,
    length: f64,
    optimal: f64,
}

/// Shrinks with so many workers that all answer together.
fn in_rounds(algorithm: &Algorithm, app: &ToyApp, trace: &Trace, workers: usize) -> (Trace, Took) {
    let events: Vec<_> = trace.events.iter().cloned().map(Arc::new).collect();
    let setup = Setup { replay: Some(app.run(&events)), ..Setup::new(trace.clone()) };
    let mut shrinker = (algorithm.make)(setup);
    let mut took = Took::default();
    while let Ask::Run(candidates) = shrinker.ask(workers) {
        assert!(candidates.len() <= workers);
        took.rounds += 1.0;
        for candidate in candidates {
            took.runs += 1.0;
            shrinker.tell(candidate.id, &app.run(&candidate.events));
        }
    }
    took.length = shrinker.best().events.len() as f64;
    (shrinker.best().clone(), took)
}

fn means(algorithm: &Algorithm, family: Family, seeds: u64, workers: usize) -> Took {
    let mut sum = Took::default();
    for seed in 1..=seeds {
        let (app, trace) = ToyApp::with_trace(family, seed);
        let (_, took) = in_rounds(algorithm, &app, &trace, workers);
        sum.runs += took.runs;
        sum.rounds += took.rounds;
        sum.length += took.length;
        sum.optimal += f64::from(u8::from(took.length as usize == family.optimum()));
    }
    let n = seeds as f64;
    Took { runs: sum.runs / n, rounds: sum.rounds / n, length: sum.length / n, optimal: sum.optimal / n }
}

fn assert_1_minimal(app: &ToyApp, trace: &Trace, what: &str) {
    let events: Vec<_> = trace.events.iter().cloned().map(Arc::new).collect();
    let record = app.run(&events);
    assert_eq!(record.verdict, Verdict::Reproduced, "{what}");
    assert_eq!(record.events, events.len(), "{what}: it has events after the crash");
    for at in 0..events.len() {
        let mut fewer = events.clone();
        fewer.remove(at);
        assert_eq!(app.run(&fewer).verdict, Verdict::NotReproduced, "{what}: event {at} is not needed");
    }
}

/// Shrinks with so many workers whose answers come in any order, and a tenth of which is lost.
fn in_disorder(algorithm: &Algorithm, app: &ToyApp, trace: &Trace, workers: usize, seed: u64) -> Trace {
    let mut rng = Seed(seed).named("disorder").rng();
    let mut shrinker = (algorithm.make)(Setup::new(trace.clone()));
    let mut under_way: Vec<Candidate> = Vec::new();
    loop {
        let free = workers - under_way.len();
        if free > 0 {
            match shrinker.ask(free) {
                Ask::Run(candidates) => {
                    assert!(candidates.len() <= free);
                    under_way.extend(candidates);
                }
                Ask::Wait => assert!(!under_way.is_empty(), "{} waits for nothing", algorithm.name),
                Ask::Done => break,
            }
        }
        let candidate = under_way.swap_remove(rng.random_range(0..under_way.len()));
        let record = app.run(&candidate.events);
        let lost = rng.random_range(0..10) == 0;
        let record = if lost { RunRecord { verdict: Verdict::DeviceLost, ..record } } else { record };
        shrinker.tell(candidate.id, &record);
        let stale = shrinker.stale();
        under_way.retain(|candidate| !stale.contains(&candidate.id));
    }
    assert!(shrinker.confirmed());
    shrinker.best().clone()
}

#[test]
fn every_shrinker_ends_reproducing_and_1_minimal_with_shuffled_and_lost_answers() {
    for algorithm in ALGORITHMS {
        for family in Family::ALL {
            for seed in 1..=2 {
                let (app, trace) = ToyApp::with_trace(family, seed);
                for workers in [1, 15] {
                    let what = format!("{} {} seed {seed}, {workers} workers", algorithm.name, family.name());
                    let best = in_disorder(algorithm, &app, &trace, workers, seed);
                    assert_1_minimal(&app, &best, &what);
                }
            }
        }
    }
}

/// Not a check: prints the table of runs, lengths and shares at the optimum.
#[test]
#[ignore = "a table to look at"]
fn table() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    let only = std::env::var("ONLY").unwrap_or_default();
    for workers in [1, 15] {
        for algorithm in ALGORITHMS.iter().filter(|algorithm| {
            only.is_empty() || only.split(',').any(|o| o == format!("{}/{workers}", algorithm.name))
        }) {
            let mut line = format!("{:14} {workers:2} |", algorithm.name);
            for family in Family::ALL {
                let took = means(algorithm, family, seeds, workers);
                line += &format!(
                    " {:6.1} runs {:5.1} rounds {:5.2} long {:4.2} opt |",
                    took.runs, took.rounds, took.length, took.optimal
                );
            }
            println!("{line}");
        }
    }
}
