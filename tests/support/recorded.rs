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
    pub fn new(model: &str) -> Self {
        let hand = Hand::file(model);
        let package = hand.device.capabilities().package.clone();
        let app = siamang::device::virtual_device::compile::load(&super::hand::source(model))
            .expect("the model loads");
        let trace = Trace {
            format: Trace::FORMAT,
            package: package.to_string(),
            app_hash: format!("{:016x}", app.hash),
            target: format!("models/{model}.toml"),
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
        self.trace.failure = seen.failures.first().map(Signature::of);
        self
    }
}
