//! Event simplification, after deletion: each event is replaced by the simplest variant of it that still reproduces.
//!
//! Assumes nothing; every replacement is run. It costs one run for each variant tried: none for a tap on a known widget or
//! a key, one or two for a drag, a long tap or a pause, about log₂ of its length for a text. Then the one-by-one pass again,
//! if anything was replaced, and the ways that lead back to where they began: what is tapped by its name may be there
//! without them.

use std::sync::Arc;

use super::arena::{Arena, EventIx};
use super::engine::{Engine, Original};
use super::loops::Loops;
use super::search::{Answer, Outcome, Question, Search};
use super::{Setup, Shrinker};
use crate::action::{Input, Wait};
use crate::gui::Selector;
use crate::trace::TraceEvent;

/// A shrinker that simplifies the events of a 1-minimal trace; none if all are as simple as can be. `touched` tells the
/// widget that each event reached, where that is known, so that coordinates can become widgets.
pub fn simplify(setup: Setup, touched: &[Option<Selector>]) -> Option<Box<dyn Shrinker>> {
    let variants: Vec<Vec<Arc<TraceEvent>>> = setup
        .original
        .events
        .iter()
        .enumerate()
        .map(|(at, event)| variants(event, touched.get(at).and_then(Option::as_ref)))
        .collect();
    let all: Vec<_> = variants.iter().flatten().cloned().collect();
    if all.is_empty() {
        return None;
    }
    Some(Box::new(Engine::new(setup, &all, move |original: &Original| Simplify::new(original, &variants))))
}

/// Tries the variants of each event, the simplest first.
#[derive(Clone, Debug)]
pub struct Simplify {
    arena: Arc<Arena>,
    original: Vec<EventIx>,
    events: Vec<EventIx>,
    /// What is still to try for each event, the simplest last.
    variants: Vec<Vec<EventIx>>,
    at: usize,
    changed: bool,
    /// The last pass, once the one-by-one pass is through.
    loops: Option<Loops>,
}

const ODDS: f64 = 0.4;

impl Simplify {
    fn new(original: &Original, variants: &[Vec<Arc<TraceEvent>>]) -> Self {
        let find = |arena: &Arena, list: &Vec<Arc<TraceEvent>>| -> Vec<EventIx> {
            list.iter().rev().filter_map(|event| arena.find(event)).collect()
        };
        let events = original.events.clone();
        let variants = variants.iter().take(events.len()).map(|list| find(&original.arena, list)).collect();
        let (arena, original) = (Arc::clone(&original.arena), events.clone());
        Self { arena, original, events, variants, at: 0, changed: false, loops: None }
    }
}

impl Search for Simplify {
    fn question(&mut self) -> Option<Question> {
        if let Some(loops) = &mut self.loops {
            return loops.question();
        }
        while self.at < self.events.len() {
            if let Some(&variant) = self.variants[self.at].last() {
                let mut events = self.events.clone();
                events[self.at] = variant;
                return Some(Question::goal(events, ODDS));
            }
            self.at += 1;
        }
        None
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        if let Some(loops) = &mut self.loops {
            loops.answer(question, answer);
        } else if let Some(ran) = answer.hit(question) {
            self.events = question.events[..ran].to_vec();
            self.variants.truncate(ran);
            self.changed = true;
            self.at += 1;
        } else if let Some(variants) = self.variants.get_mut(self.at) {
            variants.pop();
        }
    }

    fn needs_one_by_one(&self) -> bool {
        self.changed
    }

    fn proven_before(&self) -> Option<&[EventIx]> {
        Some(&self.original)
    }

    fn polish(&mut self, minimal: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool {
        let labels = seen.and_then(|seen| seen.labels.get(..minimal.len()));
        let Some(labels) = labels.filter(|_| self.loops.is_none()) else { return false };
        self.loops = Some(Loops::over(&self.arena, minimal.to_vec(), labels.to_vec()));
        true
    }
}

/// Variants of an event that are simpler than it, the simplest first.
fn variants(event: &TraceEvent, touched: Option<&Selector>) -> Vec<Arc<TraceEvent>> {
    let mut found = changed(event);
    let aimed = touched.filter(|_| event.input.point().is_some()).map(|selector| {
        let input = event.input.moved_to(selector.bounds.center());
        TraceEvent { input, target: Some(selector.clone()), ..event.clone() }
    });
    // An event gets one variant: what aims at a widget may be simpler in other ways, too.
    if let Some(aimed) = aimed.clone().filter(|_| event.target.is_none()) {
        found.extend(changed(&aimed));
        found.push(aimed);
    }
    found.retain(|variant| variant.complexity() < event.complexity());
    found.sort_by_key(TraceEvent::complexity);
    found.dedup();
    // A better name for what is tapped makes nothing simpler by itself, but it may save the events that led to its place.
    let renamed = aimed.filter(|aimed| event.target.is_some() && aimed.target != event.target);
    found.extend(renamed.filter(|_| matches!(event.input, Input::Tap(_) | Input::LongTap(_))));
    found.into_iter().map(Arc::new).collect()
}

/// An event with another input or another wait.
fn changed(event: &TraceEvent) -> Vec<TraceEvent> {
    let mut found: Vec<TraceEvent> = Vec::new();
    let mut add = |input: Input| found.push(TraceEvent { input, ..event.clone() });
    match &event.input {
        &Input::LongTap(point) | &Input::Pinch { center: point, .. } => add(Input::Tap(point)),
        &Input::Swipe { from, to } => {
            add(Input::Tap(from));
            add(Input::Tap(to));
        }
        Input::Text { at, text } => {
            for text in shorter_texts(text) {
                add(Input::Text { at: *at, text });
            }
        }
        Input::DeepLink(address) => {
            for end in ['?', '#'] {
                if let Some((short, _)) = address.split_once(end) {
                    add(Input::DeepLink(short.to_owned()));
                }
            }
        }
        &Input::Wait(millis) => [8, 4, 2].into_iter().for_each(|part| add(Input::Wait(millis / part))),
        Input::Tap(_)
        | Input::Key(_)
        | Input::Rotate
        | Input::HomeAndReturn
        | Input::ProcessDeath
        | Input::Restart => {}
    }
    if let Wait::Millis(millis) = event.wait {
        for wait in [Wait::Settle, Wait::Millis(millis / 4), Wait::Millis(millis / 2)] {
            found.push(TraceEvent { wait, ..event.clone() });
        }
    }
    found
}

/// Numbers toward 0, other texts toward none.
fn shorter_texts(text: &str) -> Vec<String> {
    if let Ok(number) = text.parse::<i64>() {
        let steps = [0, 1, number.signum(), number / 1000, number / 100, number / 10, number / 2];
        return steps.into_iter().map(|step| step.to_string()).filter(|step| step != text).collect();
    }
    let letters: Vec<char> = text.chars().collect();
    let doubling = std::iter::successors(Some(1), |length| Some(length * 2));
    std::iter::once(0)
        .chain(doubling)
        .take_while(|&length| length < letters.len())
        .map(|length| letters[..length].iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::device::Reset;
    use crate::gui::{Bounds, Point, WindowKind};
    use crate::seed::Seed;
    use crate::shrink::noise::{Known, Noise, Rate};
    use crate::shrink::{Ask, RunRecord, Verdict};
    use crate::trace::Trace;

    fn event(input: Input) -> TraceEvent {
        TraceEvent { input, wait: Wait::Settle, target: None, before: None, after: None, rules: None }
    }

    fn trace(events: Vec<TraceEvent>) -> Trace {
        Trace {
            format: Trace::FORMAT,
            package: "app".into(),
            app_hash: String::new(),
            target: String::new(),
            device: "toy".into(),
            start: Reset::Clean,
            first: None,
            failure: None,
            events,
        }
    }

    /// Simplifies a trace that reproduces while `works` holds for all its events.
    fn simplified(
        events: Vec<TraceEvent>,
        touched: &[Option<Selector>],
        works: impl Fn(&[Arc<TraceEvent>]) -> bool,
    ) -> Trace {
        let mut shrinker = simplify(Setup::new(trace(events)), touched).expect("something can be simpler");
        while let Ask::Run(candidates) = shrinker.ask(1) {
            for candidate in candidates {
                let verdict =
                    if works(&candidate.events) { Verdict::Reproduced } else { Verdict::NotReproduced };
                let events = candidate.events.len();
                let record =
                    RunRecord { verdict, screens: Vec::new(), rules: None, events, skipped: Vec::new() };
                shrinker.tell(candidate.id, &record);
            }
        }
        shrinker.best().clone()
    }

    #[test]
    fn a_drag_becomes_a_tap_and_a_burst_settles_when_that_still_fails() {
        let (from, to) = (Point { x: 1, y: 1 }, Point { x: 9, y: 1 });
        let burst = TraceEvent { wait: Wait::Millis(400), ..event(Input::Tap(to)) };
        let best = simplified(vec![event(Input::Swipe { from, to }), burst], &[], |events| events.len() == 2);
        assert_eq!(best.events[0].input, Input::Tap(from));
        assert_eq!(best.events[1].wait, Wait::Settle);
    }

    #[test]
    fn a_long_text_becomes_the_shortest_that_still_fails() {
        let text = |text: &str| event(Input::Text { at: Point::default(), text: text.into() });
        let long = simplified(vec![text("what a long text")], &[], |events| {
            events.len() == 1 && matches!(&events[0].input, Input::Text { text, .. } if text.len() > 3)
        });
        assert_eq!(long.events[0], text("what"));
        let number = simplified(
            vec![text("8731")],
            &[],
            |events| matches!(events.first().map(|event| &event.input), Some(Input::Text { text, .. }) if text.parse::<i64>().is_ok_and(|n| n > 50)),
        );
        assert_eq!(number.events[0], text("87"));
    }

    #[test]
    fn on_a_flaky_app_what_is_simpler_must_fail_as_often_and_one_hit_is_not_enough() {
        let text = |text: &str| event(Input::Text { at: Point::default(), text: text.into() });
        let sure = Rate { hits: 20, silent: 0 };
        let mut hits_of_simpler = 0;
        for seed in 1..=20 {
            let mut chance = Seed(seed).rng();
            let noise = Noise::Chance(Known { pool: sure, reference: Some(sure), start: sure });
            let setup = Setup { noise, ..Setup::new(trace(vec![text("what a long text")])) };
            let mut shrinker = simplify(setup, &[]).expect("something can be simpler");
            while let Ask::Run(candidates) = shrinker.ask(1) {
                for candidate in candidates {
                    // The whole text always fails, a shorter one three times in ten.
                    let whole =
                        candidate.events.len() == 1 && *candidate.events[0] == text("what a long text");
                    let hit = whole || (!candidate.events.is_empty() && chance.random_bool(0.3));
                    hits_of_simpler += u32::from(hit && !whole);
                    let verdict = if hit { Verdict::Reproduced } else { Verdict::NotReproduced };
                    let events = candidate.events.len();
                    let record =
                        RunRecord { verdict, screens: Vec::new(), rules: None, events, skipped: Vec::new() };
                    shrinker.tell(candidate.id, &record);
                }
            }
            assert_eq!(shrinker.best().events, [text("what a long text")], "seed {seed}");
        }
        assert!(hits_of_simpler >= 20, "something simpler was seen to fail {hits_of_simpler} times");
    }

    #[test]
    fn coordinates_become_the_widget_they_reached() {
        let selector = Selector {
            class: "Button".into(),
            id: "save".into(),
            text: "".into(),
            window: WindowKind::Application,
            path: vec![0],
            bounds: Bounds::new(0, 0, 10, 10),
        };
        let tap = event(Input::Tap(Point { x: 9, y: 9 }));
        let best = simplified(vec![tap], &[Some(selector.clone())], |events| events.len() == 1);
        assert_eq!(best.events[0].target, Some(selector.clone()));
        assert_eq!(best.events[0].input, Input::Tap(Point { x: 5, y: 5 }));
        // One that comes with a pause, as Monkey's do, loses the pause with it.
        let paused = TraceEvent { wait: Wait::Millis(500), ..event(Input::Tap(Point { x: 9, y: 9 })) };
        let best = simplified(vec![paused], &[Some(selector.clone())], |events| events.len() == 1);
        assert_eq!((&best.events[0].target, best.events[0].wait), (&Some(selector), Wait::Settle));
    }

    #[test]
    fn a_pause_becomes_as_short_as_still_fails() {
        let long = vec![event(Input::Wait(8_000)), event(Input::Rotate)];
        let best = simplified(long, &[], |events| {
            events.len() == 2 && matches!(events[0].input, Input::Wait(millis) if millis >= 1_500)
        });
        assert_eq!(best.events[0].input, Input::Wait(2_000));
    }
}
