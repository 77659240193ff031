//! Every shrinker against the toy apps, and the default against generated apps and the models.

#[path = "shrinkers/answers.rs"]
mod answers;
#[path = "support/flaky.rs"]
mod flaky;
#[path = "support/generated.rs"]
#[expect(dead_code, reason = "shared with the benchmark, which uses the rest of it")]
mod generated;
#[path = "shrinkers/generated.rs"]
mod generated_limits;
#[path = "support/hunting.rs"]
mod hunting;
#[path = "shrinkers/in_turn.rs"]
mod in_turn;
#[path = "shrinkers/noise.rs"]
mod noise;
#[path = "shrinkers/optimum.rs"]
mod optimum;
#[path = "support/sample.rs"]
#[expect(dead_code, reason = "shared with the benchmark, which uses the rest of it")]
mod sample;
#[expect(dead_code, reason = "shared with the benchmark, which uses the rest of it")]
#[path = "support/toy_app.rs"]
mod toy_app;

use std::sync::Arc;

use rand::RngExt;
use sample::{Means, in_rounds, means, toy};
use siamang::seed::Seed;
use siamang::shrink::driver::{Cancel, Driven, Drove, Limits, Worker, drive};
use siamang::shrink::nd3min::Settings;
use siamang::shrink::noise::{Known, Noise};
use siamang::shrink::prophet::Foretell;
use siamang::shrink::registry::{ALGORITHMS, Algorithm, find};
use siamang::shrink::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use siamang::trace::{Trace, TraceEvent};
use toy_app::{Family, ToyApp};

/// The sample that the limits hold for; benchmarks use more.
const SEEDS: u64 = 20;

fn sample(name: &str, workers: usize, family: Family) -> Means {
    let algorithm = find(name).expect("the algorithm is there");
    means(&[(algorithm, workers)], family.name(), 1..SEEDS + 1, toy, &mut |_, _, _| {})[0]
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
fn in_disorder(
    algorithm: &Algorithm,
    mut run: impl FnMut(&[Arc<TraceEvent>]) -> RunRecord,
    setup: Setup,
    workers: usize,
    seed: u64,
) -> Box<dyn Shrinker> {
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
        let record = run(&candidate.events);
        let lost = rng.random_range(0..10) == 0;
        let record = if lost { RunRecord { verdict: Verdict::DeviceLost, ..record } } else { record };
        shrinker.tell(candidate.id, &record);
        let stale = shrinker.stale();
        under_way.retain(|candidate| !stale.contains(&candidate.id));
    }
    assert!(shrinker.confirmed());
    shrinker
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
                    let shrinker = in_disorder(algorithm, |events| app.run(events), setup, workers, 1);
                    let best = shrinker.best();
                    assert_1_minimal(&app, best, &what);
                    assert!(best.events.len() < 30, "{what}: not reduced");
                }
            }
        }
    }
}

#[test]
fn lhdd_never_leaves_a_trace_unreduced_though_its_local_checks_lose_data_events() {
    for family in [Family::Plain, Family::Counter] {
        for seed in 1..=SEEDS {
            let (app, trace) = ToyApp::with_trace(family, seed);
            for name in ["lhdd", "lhdd-nopre", "lhdd-released"] {
                let setup = Setup::new(trace.clone());
                let run = |candidate: &Candidate| app.run(&candidate.events);
                let (best, ..) = in_rounds(find(name).unwrap(), run, setup, 1);
                assert!(best.events.len() < 30, "{name} {} {seed}: {}", family.name(), best.events.len());
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
fn nd3min_after_the_rules_still_tells_what_it_found() {
    let (app, trace) = ToyApp::with_trace(Family::Control, 1);
    for noise in [Noise::None, Noise::Chance(Known::default())] {
        let setup = Setup { noise, nd3min: Settings::default(), ..Setup::new(trace.clone()) };
        let mut shrinker = find("nd3min").expect("it is there").after_rules(setup);
        while let Ask::Run(candidates) = shrinker.ask(1) {
            for candidate in candidates {
                shrinker.tell(candidate.id, &app.run(&candidate.events));
            }
        }
        let findings = shrinker.nd3min().expect("what ND3MIN found");
        assert!(findings.check.is_some(), "its last check is told");
        assert!(shrinker.best().events.len() < 30);
    }
}

#[test]
fn events_after_the_crash_are_cut_off() {
    let (app, mut trace) = ToyApp::with_trace(Family::Control, 1);
    let more = trace.events[..50].to_vec();
    trace.events.extend(more);
    for algorithm in ALGORITHMS {
        let (best, ..) =
            in_rounds(algorithm, |candidate| app.run(&candidate.events), Setup::new(trace.clone()), 1);
        assert_1_minimal(&app, &best, algorithm.name);
    }
}

#[test]
fn pathfirst_on_plain_needs_a_third_of_the_runs_of_hdd_and_finds_the_optimum() {
    let (path, hdd) = (sample("pathfirst", 1, Family::Plain), sample("hdd", 1, Family::Plain));
    assert!(path.runs.mean <= 12.0, "{path:?}");
    assert!(path.runs.mean <= 0.36 * hdd.runs.mean, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
}

#[test]
fn pathfirst_on_control_needs_at_most_six_runs() {
    let (path, hdd) = (sample("pathfirst", 1, Family::Control), sample("hdd", 1, Family::Control));
    assert!(path.runs.mean <= 6.0, "{path:?}");
    assert!(path.runs.mean <= 0.4 * hdd.runs.mean, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
}

#[test]
fn pathfirst_on_counter_needs_at_most_25_runs() {
    let (path, hdd) = (sample("pathfirst", 1, Family::Counter), sample("hdd", 1, Family::Counter));
    assert!(path.runs.mean <= 25.0, "{path:?}");
    assert!(path.runs.mean <= 0.4 * hdd.runs.mean, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
}

#[test]
fn pathfirst_on_excursion_beats_hprobdd() {
    let path = sample("pathfirst", 1, Family::Excursion);
    let hprobdd = sample("hprobdd", 1, Family::Excursion);
    assert!(path.runs.mean < 35.0, "{path:?}");
    assert!(path.runs.mean < hprobdd.runs.mean, "{path:?} against {hprobdd:?}");
}

#[test]
fn fifteen_workers_need_at_most_six_rounds_and_twice_the_runs_on_plain() {
    let (one, many) = (sample("pathfirst", 1, Family::Plain), sample("pathfirst", 15, Family::Plain));
    assert!(many.rounds.mean <= 6.0, "{many:?}");
    assert!(many.runs.mean <= 2.0 * one.runs.mean, "{many:?} against {one:?}");
    assert!(many.optimal >= 0.95, "{many:?}");
}

#[test]
fn hits_that_arrive_together_are_tried_as_one() {
    let mut merged = 0;
    for seed in 1..=SEEDS {
        let (app, trace) = ToyApp::with_trace(Family::Plain, seed);
        let ddmin = find("ddmin").expect("the algorithm is there");
        let (best, counts, _) =
            in_rounds(ddmin, |candidate| app.run(&candidate.events), Setup::new(trace), 15);
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
            let run = |candidate: &Candidate| app.run(&candidate.events);
            let (_, counts, _) = in_rounds(hdd, run, Setup::new(trace.clone()), 1);
            plain.runs += counts.runs;
            let certain = Setup { foretell: Foretell::Certain, ..Setup::new(trace) };
            let (best, counts, _) = in_rounds(hdd, run, certain, 1);
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

#[test]
fn a_worker_that_panics_is_a_lost_device_and_the_others_go_on() {
    let (app, trace) = ToyApp::with_trace(Family::Plain, 1);
    for (workers, broken) in [(3, 1), (3, 3), (1, 1)] {
        let mut workers: Vec<Worker<'_>> = (0..workers)
            .map(|number| {
                let app = &app;
                Box::new(move |candidate: &Candidate, _: &Cancel| {
                    assert!(number >= broken, "this worker is broken on purpose");
                    app.run(&candidate.events)
                }) as Worker<'_>
            })
            .collect();
        let mut shrinker = (find("ddmin").expect("ddmin").make)(Setup::new(trace.clone()));
        let limits = Limits { runs: 10_000, interrupted: &|| false };
        let Drove { ended, rounds } = drive(shrinker.as_mut(), &mut workers, &limits, &mut |_| {});
        if broken == workers.len() {
            assert_eq!(ended, Driven::DeviceLost, "nobody is left");
            assert_eq!(shrinker.counts().lost, broken as u64);
        } else {
            assert_eq!(ended, Driven::Done);
            assert!(0 < rounds && rounds < shrinker.counts().runs, "two at once: {rounds}");
            assert_1_minimal(&app, shrinker.best(), "with one broken worker");
        }
    }
}
