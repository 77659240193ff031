//! A trace that a hand made, with everything that a run would have recorded.

use std::sync::Arc;

use siamang::action::{Event, Input, Key};
use siamang::device::{Device, Reset};
use siamang::gui::tree::Hit;
use siamang::gui::{Point, Selector};
use siamang::oracle::Signature;
use siamang::trace::{Screen, Trace, TraceEvent};

use super::hand::Hand;

/// A hand whose every event is written down.
pub struct Recorded {
    pub hand: Hand,
    pub trace: Trace,
}

impl Recorded {
    /// With one of the models in `models/`.
    pub fn new(model: &str) -> Self {
        Self::of(Hand::file(model), &super::hand::source(model), &format!("models/{model}.toml"))
    }

    /// With a phone that shows the app's first screen, the text of its model and the name by which it is found again.
    pub fn of(hand: Hand, model: &str, target: &str) -> Self {
        let package = hand.device.capabilities().package.clone();
        let app = siamang::device::virtual_device::compile::load(model).expect("the model loads");
        let trace = Trace {
            format: Trace::FORMAT,
            package: package.to_string(),
            app_hash: format!("{:016x}", app.hash),
            target: target.to_owned(),
            device: "virtual".to_owned(),
            start: Reset::Clean,
            first: Some(Screen::of(&hand.seen.tree, &package)),
            failure: None,
            events: Vec::new(),
        };
        Self { hand, trace }
    }

    pub fn tap(&mut self, label: &str) -> &mut Self {
        let point = self.hand.center(label);
        self.step(Input::Tap(point))
    }

    /// The trace of taps on what is labelled so, one after the other.
    pub fn taps(mut self, labels: &[&str]) -> Trace {
        for label in labels {
            self.tap(label);
        }
        self.trace
    }

    pub fn tap_at(&mut self, x: i32, y: i32) -> &mut Self {
        self.step(Input::Tap(Point { x, y }))
    }

    pub fn key(&mut self, key: Key) -> &mut Self {
        self.step(Input::Key(key))
    }

    pub fn step(&mut self, input: Input) -> &mut Self {
        let package = self.hand.device.capabilities().package.clone();
        let before = Arc::clone(&self.hand.seen.tree);
        self.hand.event(&Event::settled(input.clone()));
        let seen = &self.hand.seen;
        let target = match seen.hit {
            Some(Hit::Widget(_, node)) => Some(Selector::of(&before, node)),
            _ => None,
        };
        self.trace.events.push(TraceEvent {
            input,
            wait: siamang::action::Wait::Settle,
            target,
            before: Some(Screen::of(&before, &package)),
            after: Some(Screen::of(&seen.tree, &package)),
            rules: seen.rules.clone(),
        });
        // The last failure counts.
        self.trace.failure = seen.failures.first().map(Signature::of).or(self.trace.failure.take());
        self
    }
}
