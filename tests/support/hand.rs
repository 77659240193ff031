//! A phone in a test's hand: finds widgets by what a person reads.

use std::sync::Arc;

use siamang::action::{Event, Input, Key, Wait};
use siamang::device::virtual_device::compile;
use siamang::device::{Observation, Reset, VirtualDevice};
use siamang::gui::{GuiTree, NodeIx, Point};
use siamang::seed::Seed;

/// Less than any app model needs to settle: the second event of a burst comes while the first is still at work.
pub const BURST_MS: u32 = 50;

/// A phone with one app, and what it shows.
pub struct Hand {
    pub device: VirtualDevice,
    pub seen: Observation,
}

impl Hand {
    /// A phone on which the app has just been installed and launched.
    pub fn new(model: &str) -> Self {
        let app = match compile::load(model) {
            Ok(app) => Arc::new(app),
            Err(errors) => panic!("{errors:?}"),
        };
        let mut device = VirtualDevice::new(app, Seed(1));
        let seen = device.do_reset(Reset::Clean);
        Self { device, seen }
    }

    /// A phone with one of the models in `models/`.
    pub fn file(name: &str) -> Self {
        Self::new(&source(name))
    }

    /// The widget that is labelled so, in the topmost window that has one.
    pub fn node(&self, label: &str) -> NodeIx {
        find(&self.seen.tree, label)
            .unwrap_or_else(|| panic!("no `{label}` on the screen:\n{}", self.texts().join("\n")))
    }

    pub fn shows(&self, label: &str) -> bool {
        find(&self.seen.tree, label).is_some()
    }

    pub fn center(&self, label: &str) -> Point {
        self.seen.tree.widget(self.node(label)).bounds.center()
    }

    pub fn tap(&mut self, label: &str) -> &mut Self {
        let point = self.center(label);
        self.step(Input::Tap(point))
    }

    /// A tap that does not wait for the app to settle.
    pub fn quick_tap(&mut self, label: &str) -> &mut Self {
        let point = self.center(label);
        self.event(&Event { input: Input::Tap(point), wait: Wait::Millis(BURST_MS) })
    }

    pub fn long_tap(&mut self, label: &str) -> &mut Self {
        let point = self.center(label);
        self.step(Input::LongTap(point))
    }

    pub fn enter(&mut self, label: &str, text: &str) -> &mut Self {
        let at = self.center(label);
        self.step(Input::Text { at, text: text.to_owned() })
    }

    /// Brings what is below into view.
    pub fn scroll_down(&mut self, label: &str) -> &mut Self {
        let from = self.center(label);
        self.step(Input::Swipe { from, to: Point { x: from.x, y: from.y - 400 } })
    }

    pub fn key(&mut self, key: Key) -> &mut Self {
        self.step(Input::Key(key))
    }

    pub fn back(&mut self) -> &mut Self {
        self.key(Key::Back)
    }

    pub fn rotate(&mut self) -> &mut Self {
        self.step(Input::Rotate)
    }

    pub fn step(&mut self, input: Input) -> &mut Self {
        self.event(&Event::settled(input))
    }

    pub fn event(&mut self, event: &Event) -> &mut Self {
        self.seen = self.device.do_step(event);
        assert!(self.seen.issues.is_empty(), "{:?}", self.seen.issues);
        self
    }

    pub fn reset(&mut self, reset: Reset) -> &mut Self {
        self.seen = self.device.do_reset(reset);
        assert!(self.seen.issues.is_empty(), "{:?}", self.seen.issues);
        self
    }

    pub fn texts(&self) -> Vec<String> {
        let texts = self.seen.tree.nodes().iter().map(|node| node.widget.text.to_string());
        texts.filter(|text| !text.is_empty()).collect()
    }

    pub fn activity(&self) -> &str {
        self.seen.tree.activity().rsplit('.').next().unwrap_or_default()
    }

    /// The headlines of the failures that the last event caused.
    pub fn failures(&self) -> Vec<String> {
        self.seen.failures.iter().map(siamang::oracle::Failure::headline).collect()
    }
}

/// The text of a model in `models/`.
pub fn source(name: &str) -> String {
    let path = format!("{}/models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the model is in models/")
}

fn find(tree: &GuiTree, label: &str) -> Option<NodeIx> {
    let labelled = |ix: &NodeIx| {
        let widget = tree.widget(*ix);
        widget.text == label || widget.content_desc == label || widget.short_id() == label
    };
    let found: Vec<NodeIx> = tree.indices().filter(labelled).collect();
    let top = found.iter().map(|&ix| tree.node(ix).window).max()?;
    found.into_iter().find(|&ix| tree.node(ix).window == top)
}
