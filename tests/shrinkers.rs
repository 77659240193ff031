//! Every shrinker against the toy apps.

#[path = "support/toy_app.rs"]
mod toy_app;

use std::fmt::Write as _;
use std::sync::Arc;

use rand::RngExt;
use siamang::seed::Seed;
use siamang::shrink::prophet::Foretell;
use siamang::shrink::registry::{ALGORITHMS, Algorithm, find};
use siamang::shrink::{Ask, Candidate, Counts, RunRecord, Setup, Verdict};
use siamang::trace::Trace;
use toy_app::{Family, ToyApp};

/// The sample that the limits hold for; benchmarks use more.
const SEEDS: u64 = 20;

type Make = fn(Family, u64) -> (ToyApp, Trace);

/// Means over a sample. The replay of the original is the same for all and not counted.
#[derive(Clone, Copy, Debug, Default)]
struct Means {
    runs: f64,
    rounds: f64,
    length: f64,
    optimal: f64,
}

fn setup(app: &ToyApp, trace: &Trace) -> Setup {
    let events: Vec<_> = trace.events.iter().cloned().map(Arc::new).collect();
    Setup { replay: Some(app.run(&events)), ..Setup::new(trace.clone()) }
}

/// Shrinks with so many workers that all answer together; also tells the number of rounds.
fn in_rounds(algorithm: &Algorithm, app: &ToyApp, setup: Setup, workers: usize) -> (Trace, Counts, u64) {
    let mut shrinker = (algorithm.make)(setup);
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

fn means(name: &str, workers: usize, family: Family, seeds: std::ops::Range<u64>, make: Make) -> Means {
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

fn sample(name: &str, workers: usize, family: Family) -> Means {
    means(name, workers, family, 1..SEEDS + 1, ToyApp::with_trace)
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
    let seen: Vec<_> = trace.events.iter().map(|event| event.after.clone().expect("what was seen")).collect();
    assert_eq!(seen, record.screens[1..], "{what}: it tells what was seen in its own run");
}

/// Shrinks with so many workers whose answers come in any order, and a tenth of which is lost.
fn in_disorder(algorithm: &Algorithm, app: &ToyApp, setup: Setup, workers: usize, seed: u64) -> Trace {
    let mut rng = Seed(seed).named("disorder").rng();
    let mut shrinker = (algorithm.make)(setup);
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
            for make in [ToyApp::with_trace, ToyApp::tangled] {
                let (app, trace) = make(family, 1);
                for (workers, foretell) in [(1, Foretell::Nothing), (15, Foretell::Certain)] {
                    let what = format!("{} {}, {workers} workers", algorithm.name, family.name());
                    let setup = Setup { foretell, ..Setup::new(trace.clone()) };
                    let best = in_disorder(algorithm, &app, setup, workers, 1);
                    assert_1_minimal(&app, &best, &what);
                    assert!(best.events.len() < 30, "{what}: not reduced");
                }
            }
        }
    }
}

#[test]
fn a_trace_that_does_not_reproduce_is_refused_after_one_run() {
    let (app, mut trace) = ToyApp::with_trace(Family::Plain, 1);
    trace.events.pop();
    for algorithm in ALGORITHMS {
        let mut shrinker = (algorithm.make)(Setup::new(trace.clone()));
        let Ask::Run(candidates) = shrinker.ask(15) else { panic!("{} asks nothing", algorithm.name) };
        assert_eq!(candidates.len(), 1);
        assert_eq!(candidates[0].trace(), trace);
        shrinker.tell(candidates[0].id, &app.run(&candidates[0].events));
        assert_eq!(shrinker.ask(15), Ask::Done);
        assert!(!shrinker.confirmed());
        assert_eq!(shrinker.best(), &trace);
    }
}

#[test]
fn events_after_the_crash_are_cut_off() {
    let (app, mut trace) = ToyApp::with_trace(Family::Control, 1);
    let more = trace.events[..50].to_vec();
    trace.events.extend(more);
    for algorithm in ALGORITHMS {
        let (best, ..) = in_rounds(algorithm, &app, Setup::new(trace.clone()), 1);
        assert_1_minimal(&app, &best, algorithm.name);
    }
}

#[test]
fn pathfirst_on_plain_needs_a_third_of_the_runs_of_hdd_and_finds_the_optimum() {
    let (path, hdd) = (sample("pathfirst", 1, Family::Plain), sample("hdd", 1, Family::Plain));
    assert!(path.runs <= 12.0, "{path:?}");
    assert!(path.runs <= 0.36 * hdd.runs, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
}

#[test]
fn pathfirst_on_control_needs_at_most_six_runs() {
    let (path, hdd) = (sample("pathfirst", 1, Family::Control), sample("hdd", 1, Family::Control));
    assert!(path.runs <= 6.0, "{path:?}");
    assert!(path.runs <= 0.4 * hdd.runs, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
}

#[test]
fn pathfirst_on_counter_needs_at_most_25_runs() {
    let (path, hdd) = (sample("pathfirst", 1, Family::Counter), sample("hdd", 1, Family::Counter));
    assert!(path.runs <= 25.0, "{path:?}");
    assert!(path.runs <= 0.4 * hdd.runs, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
}

#[test]
fn pathfirst_on_excursion_beats_hprobdd() {
    let path = sample("pathfirst", 1, Family::Excursion);
    let hprobdd = sample("hprobdd", 1, Family::Excursion);
    assert!(path.runs < 35.0, "{path:?}");
    assert!(path.runs < hprobdd.runs, "{path:?} against {hprobdd:?}");
}

#[test]
fn fifteen_workers_need_at_most_six_rounds_and_twice_the_runs_on_plain() {
    let (one, many) = (sample("pathfirst", 1, Family::Plain), sample("pathfirst", 15, Family::Plain));
    assert!(many.rounds <= 6.0, "{many:?}");
    assert!(many.runs <= 2.0 * one.runs, "{many:?} against {one:?}");
    assert!(many.optimal >= 0.95, "{many:?}");
}

#[test]
fn hits_that_arrive_together_are_tried_as_one() {
    let mut merged = 0;
    for seed in 1..=SEEDS {
        let (app, trace) = ToyApp::with_trace(Family::Plain, seed);
        let ddmin = find("ddmin").expect("the algorithm is there");
        let (best, counts, _) = in_rounds(ddmin, &app, setup(&app, &trace), 15);
        assert_1_minimal(&app, &best, "ddmin");
        merged += counts.merged;
    }
    assert!(merged >= SEEDS, "{merged}");
}

#[test]
fn foretelling_saves_runs_and_is_seldom_wrong() {
    let (mut plain, mut told) = (Counts::default(), Counts::default());
    for family in Family::ALL {
        for seed in 1..=SEEDS {
            let (app, trace) = ToyApp::with_trace(family, seed);
            let hdd = find("hdd").unwrap();
            let (_, counts, _) = in_rounds(hdd, &app, setup(&app, &trace), 1);
            plain.runs += counts.runs;
            let certain = Setup { foretell: Foretell::Certain, ..setup(&app, &trace) };
            let (best, counts, _) = in_rounds(hdd, &app, certain, 1);
            assert_1_minimal(&app, &best, family.name());
            told.runs += counts.runs;
            told.skipped += counts.skipped;
            told.rechecked += counts.rechecked;
            told.wrong += counts.wrong;
        }
    }
    assert!(told.skipped > 0 && told.runs < plain.runs, "{told:?} against {plain:?}");
    assert!(told.wrong * 100 <= told.rechecked, "{told:?}");
}

/// Not a check: prints means and shares at the optimum. `SEEDS` and `FIRST` choose the sample.
#[test]
#[ignore = "a table to look at"]
#[expect(clippy::print_stdout, reason = "the table is for people")]
fn table() {
    let number =
        |name, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seeds, first): (u64, u64) = (number("SEEDS", 20), number("FIRST", 1));
    let only = std::env::var("ONLY").unwrap_or_default();
    let shapes: [(&str, Make); 2] = [("tree", ToyApp::with_trace), ("tangle", ToyApp::tangled)];
    for (shape, make) in shapes {
        for workers in [1, 15] {
            for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.name.contains(&only)) {
                let mut line = format!("{shape:6} {:14} {workers:2} |", algorithm.name);
                for family in Family::ALL {
                    let means = means(algorithm.name, workers, family, first..first + seeds, make);
                    let Means { runs, rounds, length, optimal } = means;
                    write!(line, " {runs:6.1} / {rounds:5.1} / {length:5.2} / {optimal:4.2} |").unwrap();
                }
                println!("{line}");
            }
        }
    }
}

/// Not a check: the algorithms' own time for a candidate of a trace of 10,000 events.
#[test]
#[ignore = "a measurement, for an optimised build"]
#[expect(clippy::print_stdout, reason = "the table is for people")]
fn own_time_at_10_000_events() {
    let (app, trace) = ToyApp::with_long_trace(Family::Plain, 1, 10_000);
    println!("{} events", trace.events.len());
    for algorithm in ALGORITHMS {
        let mut shrinker = (algorithm.make)(setup(&app, &trace));
        let (mut own, mut runs, mut slowest) = (0.0, 0.0, 0.0_f64);
        loop {
            let start = std::time::Instant::now();
            let Ask::Run(candidates) = shrinker.ask(1) else { break };
            let mut took = start.elapsed().as_secs_f64();
            for candidate in candidates {
                let record = app.run(&candidate.events);
                let start = std::time::Instant::now();
                shrinker.tell(candidate.id, &record);
                took += start.elapsed().as_secs_f64();
                own += took;
                slowest = slowest.max(took);
                runs += 1.0;
            }
        }
        let left = shrinker.best().events.len();
        println!(
            "{:14} {runs:6} runs, {:7.3} ms a candidate, at most {:7.3} ms, {left} left",
            algorithm.name,
            own / runs * 1e3,
            slowest * 1e3
        );
    }
}
