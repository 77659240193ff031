//! Shrinking on devices that leave something to chance.

use rand::RngExt;
use siamang::action::Input;
use siamang::gui::Point;
use siamang::seed::Seed;
use siamang::shrink::noise::{Known, Noise};
use siamang::shrink::registry::{ALGORITHMS, DEFAULT, find};
use siamang::shrink::{Ask, Candidate, RunRecord, Setup, Shrinker, Verdict};
use siamang::trace::{Trace, TraceEvent};

use crate::flaky::{Flaky, flaky};
use crate::sample::toy;
use crate::toy_app::{Family, ToyApp};

/// The sample that the limits hold for; the benchmark uses 200.
const SEEDS: u64 = 40;

fn sample(rate: f64, family: Family) -> Flaky {
    flaky(find(DEFAULT).expect("the default is there"), rate, family.name(), 1..SEEDS + 1, toy)
}

#[test]
fn nine_crashes_in_ten_are_enough_for_the_optimum_and_its_certificate() {
    for family in Family::ALL {
        let flaky = sample(0.9, family);
        assert!(flaky.runs + flaky.certificate <= 60.0, "{} {flaky:?}", family.name());
        assert!(flaky.certified >= 0.95, "{} {flaky:?}", family.name());
        assert!(flaky.optimal >= 0.95, "{} {flaky:?}", family.name());
        assert!(flaky.reproduced >= 1.0, "{} {flaky:?}", family.name());
    }
}

#[test]
fn an_app_that_never_is_flaky_costs_at_most_four_runs_more_on_a_device_that_might_be() {
    for family in Family::ALL {
        let steady = sample(1.0, family);
        assert!(steady.most_extra <= 4.0, "{} {steady:?}", family.name());
        assert!(steady.certified >= 1.0, "{} {steady:?}", family.name());
    }
}

/// Shrinks alone, with answers by chance.
fn shrunk(
    mut shrinker: Box<dyn Shrinker>,
    mut run: impl FnMut(&Candidate) -> RunRecord,
) -> Box<dyn Shrinker> {
    while let Ask::Run(candidates) = shrinker.ask(3) {
        for candidate in candidates {
            shrinker.tell(candidate.id, &run(&candidate));
        }
    }
    shrinker
}

#[test]
fn a_device_that_states_to_be_deterministic_has_no_silent_run_repeated() {
    let (app, trace) = ToyApp::with_trace(Family::Excursion, 1);
    // ND3MIN's own schedule says how often it runs what.
    for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.name != "nd3min") {
        let mut asked = Vec::new();
        let shrinker = shrunk((algorithm.make)(Setup::new(trace.clone())), |candidate| {
            assert!(!asked.contains(&candidate.events), "{} repeats a silent run", algorithm.name);
            let record = app.run(&candidate.events);
            if record.verdict != Verdict::Reproduced {
                asked.push(candidate.events.clone());
            }
            record
        });
        assert_eq!((shrinker.counts().certificate, shrinker.certificate()), (0, None));
    }
}

#[test]
fn a_result_that_fails_too_seldom_is_given_up_for_one_that_fails_as_often_as_the_original() {
    // Taps 4, 17 and 29 are needed; without tap 11 the crash shows only in one run of eight.
    let tap = |number| Input::Tap(Point { x: number, y: 0 });
    let (_, toy) = ToyApp::with_trace(Family::Control, 1);
    let events = (0..30).map(|number| TraceEvent { input: tap(number), ..toy.events[0].clone() });
    let trace = Trace { events: events.collect(), ..toy };
    let mut kept = 0;
    for seed in 1..=SEEDS {
        for name in ["ddmin", "probdd"] {
            let mut chance = Seed(seed).named("seldom").rng();
            let noise = Noise::Chance(Known::default());
            let setup = Setup { noise, ..Setup::new(trace.clone()) };
            let shrinker = shrunk((find(name).unwrap().make)(setup), |candidate| {
                let has = |number| candidate.events.iter().any(|event| event.input == tap(number));
                let crash = [4, 17, 29].into_iter().all(has);
                let shown = crash && (has(11) || chance.random_range(0..8) == 0);
                let verdict = if shown { Verdict::Reproduced } else { Verdict::NotReproduced };
                let (events, screens) = (candidate.events.len(), Vec::new());
                RunRecord { verdict, screens, rules: None, events, skipped: Vec::new() }
            });
            let certificate = shrinker.certificate().expect("it has one");
            assert!(certificate.result.share() >= 0.85, "{name} {seed}: {certificate:?}");
            let left: Vec<_> = shrinker.best().events.iter().map(|event| event.input.clone()).collect();
            kept += u64::from(left == [4, 11, 17, 29].map(tap));
        }
    }
    assert!(kept * 20 >= SEEDS * 2 * 19, "{kept} of {}", SEEDS * 2);
}

#[test]
fn a_trace_that_is_silent_at_first_is_replayed_before_it_is_refused() {
    let (app, trace) = ToyApp::with_trace(Family::Plain, 1);
    let noise = Noise::Chance(Known::default());
    let mut runs = 0;
    let make = find(DEFAULT).unwrap().make;
    let shrinker = shrunk(make(Setup { noise, ..Setup::new(trace.clone()) }), |candidate| {
        runs += 1;
        let record = app.run(&candidate.events);
        if runs <= 3 { RunRecord { verdict: Verdict::NotReproduced, ..record } } else { record }
    });
    assert!(shrinker.confirmed());
    assert_eq!(shrinker.best().events.len(), Family::Plain.optimum());
    let never = shrunk(make(Setup { noise, ..Setup::new(trace) }), |candidate| RunRecord {
        verdict: Verdict::NotReproduced,
        ..app.run(&candidate.events)
    });
    assert!(!never.confirmed());
    assert_eq!(never.counts().runs, 20);
}
