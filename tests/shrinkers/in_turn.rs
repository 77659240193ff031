//! Two shrinkers in turn on a device that leaves something to chance.

use std::ops::Range;

use siamang::action::{Input, Wait};
use siamang::device::Reset;
use siamang::gui::Point;
use siamang::shrink::arena::EventIx;
use siamang::shrink::engine::{Engine, Original};
use siamang::shrink::in_turn::InTurn;
use siamang::shrink::noise::{Known, Noise, Rate};
use siamang::shrink::search::{Answer, Question, Search};
use siamang::shrink::{Ask, RunRecord, Setup, Shrinker, Verdict};
use siamang::trace::{Trace, TraceEvent};

/// Asks for one list and is content.
#[derive(Clone)]
struct Once(Option<Vec<EventIx>>);

impl Search for Once {
    fn question(&mut self) -> Option<Question> {
        self.0.clone().map(|events| Question::goal(events, 0.5))
    }

    fn answer(&mut self, _: &Question, _: &Answer) {
        self.0 = None;
    }

    fn needs_one_by_one(&self) -> bool {
        false
    }
}

fn once(setup: Setup, list: &[EventIx]) -> Box<dyn Shrinker> {
    let list = list.to_vec();
    Box::new(Engine::new(setup, &[], move |_: &Original<'_>| Once(Some(list.clone()))))
}

fn taps(numbers: Range<i32>) -> Trace {
    let events = numbers.map(|x| TraceEvent {
        input: Input::Tap(Point { x, y: 0 }),
        wait: Wait::Settle,
        target: None,
        before: None,
        after: None,
        rules: None,
    });
    Trace {
        format: Trace::FORMAT,
        package: "app".into(),
        app_hash: String::new(),
        target: String::new(),
        device: "toy".into(),
        start: Reset::Clean,
        first: None,
        failure: None,
        events: events.collect(),
    }
}

/// Drives to the end. Of a hundred runs of a list with so many events so many fail, evenly spread.
fn drive(shrinker: &mut dyn Shrinker, rate: impl Fn(usize) -> u32) {
    let mut owed: Vec<u32> = vec![99; 10];
    while let Ask::Run(candidates) = shrinker.ask(1) {
        for candidate in candidates {
            let events = candidate.events.len();
            owed[events] += rate(events);
            let shown = owed[events] >= 100;
            owed[events] -= if shown { 100 } else { 0 };
            let verdict = if shown { Verdict::Reproduced } else { Verdict::NotReproduced };
            let record = RunRecord { verdict, screens: Vec::new(), rules: None, events, skipped: Vec::new() };
            shrinker.tell(candidate.id, &record);
        }
    }
}

fn noisy() -> Setup {
    Setup { noise: Noise::Chance(Known::default()), ..Setup::new(taps(0..5)) }
}

#[test]
fn the_bar_is_the_rate_of_what_all_began_with_and_does_not_sink_from_stage_to_stage() {
    // All five always fail, four in nine of ten runs, three in 78 of 100: enough against the four, not against the five.
    let second = |setup| once(setup, &[1, 2, 3]);
    let mut shrinker = InTurn::new(once(noisy(), &[1, 2, 3, 4]), noisy(), Box::new(second));
    drive(&mut shrinker, |events| [0, 0, 0, 78, 90, 100][events]);
    assert_eq!(shrinker.best().events.len(), 4);
    let certificate = shrinker.certificate().expect("chance has a part");
    assert!(certificate.original.runs() > 1, "the five were run again: {certificate:?}");
    assert_eq!(certificate.original.silent, 0, "these are the runs of the five: {certificate:?}");
    assert!(certificate.result.share() >= 0.85 && certificate.result.runs() >= 20, "{certificate:?}");
}

#[test]
fn a_second_that_finds_nothing_pays_for_no_certificate_of_its_own() {
    let second = |setup| once(setup, &[1, 2, 3]);
    let mut shrinker = InTurn::new(once(noisy(), &[1, 2, 3, 4]), noisy(), Box::new(second));
    drive(&mut shrinker, |events| [0, 0, 0, 0, 100, 100][events]);
    assert_eq!(shrinker.best().events.len(), 4);
    assert_eq!(shrinker.counts().certificate, 20);
    let certificate = shrinker.certificate().expect("chance has a part");
    assert_eq!(certificate.result, Rate { hits: 20, silent: 0 });
}
