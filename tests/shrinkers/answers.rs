//! Apps whose crash has several causes, so that a shrink has several right answers, and devices that answer in any order.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rand::RngExt;
use siamang::action::{Input, Wait};
use siamang::device::Reset;
use siamang::gui::{Point, WindowKind};
use siamang::ids::TreeHash;
use siamang::seed::{Rng, Seed};
use siamang::shrink::noise::{Known, Noise};
use siamang::shrink::registry::{ALGORITHMS, Algorithm, DEFAULT, find};
use siamang::shrink::{Ask, RunRecord, Setup, Verdict};
use siamang::trace::{Screen, Trace, TraceEvent};

use crate::in_disorder;

/// The last event, which crashes the app if one of the causes was done before.
const END: i32 = 6;

/// An app that crashes in the end if all events of any of the causes were done.
struct Causes(Vec<BTreeSet<i32>>);

impl Causes {
    /// Two to four causes of one to three events, some of them equally long.
    fn of(seed: u64) -> Self {
        let mut rng = Seed(seed).named("causes").rng();
        let cause = |rng: &mut Rng| {
            let size = rng.random_range(1..4);
            let mut events = BTreeSet::new();
            while events.len() < size {
                events.insert(rng.random_range(0..END));
            }
            events
        };
        Self((0..rng.random_range(2..5)).map(|_| cause(&mut rng)).collect())
    }

    fn crashes(&self, events: &[Arc<TraceEvent>]) -> bool {
        let done: BTreeSet<i32> = events.iter().map(|event| number(event)).collect();
        done.contains(&END) && self.0.iter().any(|cause| cause.is_subset(&done))
    }

    /// Every third event leads to another screen, so that there are states to find ways between.
    fn run(&self, events: &[Arc<TraceEvent>]) -> RunRecord {
        let mut at = 0;
        let mut screens = vec![screen(at)];
        screens.extend(events.iter().map(|event| {
            at = if number(event) % 3 == 0 { number(event) } else { at };
            screen(at)
        }));
        let verdict = if self.crashes(events) { Verdict::Reproduced } else { Verdict::NotReproduced };
        RunRecord { verdict, screens, rules: None, events: events.len(), skipped: Vec::new() }
    }

    /// The events that a result could do without.
    fn surplus(&self, result: &Trace) -> Vec<i32> {
        let events: Vec<_> = result.events.iter().cloned().map(Arc::new).collect();
        let without = |at: usize| [&events[..at], &events[at + 1..]].concat();
        (0..events.len()).filter(|&at| self.crashes(&without(at))).map(|at| number(&events[at])).collect()
    }

    fn reproduces(&self, result: &Trace) -> bool {
        self.crashes(&result.events.iter().cloned().map(Arc::new).collect::<Vec<_>>())
    }
}

fn number(event: &TraceEvent) -> i32 {
    event.input.point().expect("all of them have one").x
}

fn screen(at: i32) -> Screen {
    Screen {
        activity: format!("Screen{at}").into(),
        windows: vec![WindowKind::Application],
        tree: TreeHash(at as u64 + 1),
        foreign: None,
        structure: None,
    }
}

/// All events once; every fifth is a long tap, so that lists of one length differ in their weight.
fn trace() -> Trace {
    let events = (0..=END).map(|x| {
        let point = Point { x, y: 0 };
        let input = if x % 5 == 0 { Input::LongTap(point) } else { Input::Tap(point) };
        TraceEvent { input, wait: Wait::Settle, target: None, before: None, after: None, rules: None }
    });
    Trace {
        format: Trace::FORMAT,
        package: "causes".into(),
        app_hash: String::new(),
        target: String::new(),
        device: "toy".into(),
        start: Reset::Clean,
        first: None,
        failure: None,
        events: events.collect(),
    }
}

/// Nothing but the last pass, which leaves the most to it.
const ONE_BY_ONE: Algorithm =
    Algorithm { name: "one-by-one", about: "", source: "", make: siamang::shrink::one_by_one::one_by_one };

fn assert_1_minimal(algorithm: &Algorithm, seeds: RangeInclusive<u64>) {
    for seed in seeds {
        let app = Causes::of(seed);
        for workers in [1, 2, 15] {
            let what = format!("{} {seed}, {workers} workers, {:?}", algorithm.name, app.0);
            let run = |events: &[Arc<TraceEvent>]| app.run(events);
            let shrinker = in_disorder(algorithm, run, Setup::new(trace()), workers, seed);
            assert!(app.reproduces(shrinker.best()), "{what}");
            assert_eq!(app.surplus(shrinker.best()), [0; 0], "{what}");
        }
    }
}

#[test]
fn with_several_right_answers_the_result_is_1_minimal_in_whatever_order_devices_answer() {
    assert_1_minimal(&ONE_BY_ONE, 1..=1000);
    for algorithm in ALGORITHMS {
        assert_1_minimal(algorithm, 1..=3);
    }
}

#[test]
fn of_two_equally_long_hits_that_arrive_together_the_one_is_returned_that_was_proven_1_minimal() {
    // The crash needs 4, or 2 and 3.
    let app = Causes(vec![BTreeSet::from([4]), BTreeSet::from([2, 3])]);
    let events = trace().events.into_iter().filter(|event| [2, 3, 4, END].contains(&number(event)));
    let original = Trace { events: events.collect(), ..trace() };
    let mut shrinker = (ONE_BY_ONE.make)(Setup::new(original));
    while let Ask::Run(candidates) = shrinker.ask(2) {
        // What was asked for ahead is answered first.
        for candidate in candidates.iter().rev() {
            shrinker.tell(candidate.id, &app.run(&candidate.events));
        }
    }
    assert_eq!(app.surplus(shrinker.best()), [0; 0]);
}

#[test]
fn a_search_that_goes_through_again_keeps_the_list_whose_certificate_was_begun() {
    // The crash needs 2 or 4. The first run with 2 alone is silent, and so is one run of the certificate with 4 alone: then
    // all silences count for less, and 2 alone is tried again and crashes.
    let app = Causes(vec![BTreeSet::from([2]), BTreeSet::from([4])]);
    let events = trace().events.into_iter().filter(|event| [2, 4, END].contains(&number(event)));
    let noise = Noise::Chance(Known::default());
    let original = Trace { events: events.collect(), ..trace() };
    let mut shrinker = (ONE_BY_ONE.make)(Setup { noise, ..Setup::new(original) });
    let (mut of_two, mut of_four) = (0, 0);
    while let Ask::Run(candidates) = shrinker.ask(1) {
        for candidate in candidates {
            let record = app.run(&candidate.events);
            let silent = match *candidate.events.iter().map(|event| number(event)).collect::<Vec<_>>() {
                [2, END] => {
                    of_two += 1;
                    of_two == 1
                }
                [4, END] => {
                    of_four += 1;
                    of_four == 4
                }
                _ => false,
            };
            let verdict = if silent { Verdict::NotReproduced } else { record.verdict };
            shrinker.tell(candidate.id, &RunRecord { verdict, ..record });
        }
    }
    let left: Vec<i32> = shrinker.best().events.iter().map(number).collect();
    assert_eq!((left, of_two), (vec![4, END], 2), "2 alone was tried again, and 4 alone stays");
}

#[test]
fn with_noise_and_several_right_answers_the_result_is_1_minimal_but_for_a_few_unlucky_silences() {
    let (mut all, mut surplus) = (0, 0);
    for algorithm in [find("ddmin"), find(DEFAULT)].map(|found| found.expect("the algorithm is there")) {
        for seed in 1..=20 {
            let app = Causes::of(seed);
            for workers in [1, 15] {
                let mut chance = Seed(seed).named("silence").rng();
                let run = |events: &[Arc<TraceEvent>]| {
                    let record = app.run(events);
                    let silent = chance.random_range(0..10) == 0;
                    if silent { RunRecord { verdict: Verdict::NotReproduced, ..record } } else { record }
                };
                let setup = Setup { noise: Noise::Chance(Known::default()), ..Setup::new(trace()) };
                let shrinker = in_disorder(algorithm, run, setup, workers, seed);
                let best = shrinker.best();
                assert!(app.reproduces(best), "{} {seed}, {workers} workers", algorithm.name);
                all += 1;
                surplus += usize::from(!app.surplus(best).is_empty());
            }
        }
    }
    // A silence is taken for a no by mistake once in fifty times at the most, and each result has a handful of them.
    assert!(surplus * 20 <= all, "{surplus} of {all} are not 1-minimal");
}
