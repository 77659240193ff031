//! The virtual device does to app models what a phone does to apps.

use std::sync::Arc;

use siamang::action::{Event, Input, Key};
use siamang::device::virtual_device::compile;
use siamang::device::{Observation, Reset, VirtualDevice};
use siamang::gui::{GuiTree, NodeIx};
use siamang::seed::Seed;

/// A phone in a test's hand: finds widgets by what a person reads.
struct Hand {
    device: VirtualDevice,
    seen: Observation,
}

impl Hand {
    fn new(model: &str) -> Self {
        let app = match compile::load(model) {
            Ok(app) => Arc::new(app),
            Err(errors) => panic!("{errors:?}"),
        };
        let mut device = VirtualDevice::new(app, Seed(1));
        let seen = device.do_reset(Reset::Clean);
        Self { device, seen }
    }

    fn file(name: &str) -> Self {
        let path = format!("{}/models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Self::new(&std::fs::read_to_string(path).unwrap())
    }

    fn node(&self, label: &str) -> NodeIx {
        find(&self.seen.tree, label)
            .unwrap_or_else(|| panic!("no `{label}` on the screen:\n{}", self.texts().join("\n")))
    }

    fn tap(&mut self, label: &str) -> &mut Self {
        let point = self.seen.tree.widget(self.node(label)).bounds.center();
        self.step(Input::Tap(point))
    }

    fn key(&mut self, key: Key) -> &mut Self {
        self.step(Input::Key(key))
    }

    fn step(&mut self, input: Input) -> &mut Self {
        self.seen = self.device.do_step(&Event::settled(input));
        assert!(self.seen.issues.is_empty(), "{:?}", self.seen.issues);
        self
    }

    fn texts(&self) -> Vec<String> {
        let texts = self.seen.tree.nodes().iter().map(|node| node.widget.text.to_string());
        texts.filter(|text| !text.is_empty()).collect()
    }

    fn activity(&self) -> &str {
        self.seen.tree.activity().rsplit('.').next().unwrap()
    }
}

fn find(tree: &GuiTree, label: &str) -> Option<NodeIx> {
    tree.indices().find(|&ix| {
        let widget = tree.widget(ix);
        widget.text == label || widget.content_desc == label || widget.short_id() == label
    })
}

#[test]
fn a_counter_crashes_at_the_third_press_with_its_stack() {
    let mut hand = Hand::file("counter_crash");
    hand.tap("double").tap("plus").tap("plus");
    assert!(hand.texts().contains(&"Count: 2".to_owned()));
    hand.tap("plus");
    let failure = &hand.seen.failures[0];
    assert_eq!(failure.headline(), "java.lang.ArithmeticException: integer overflow");
    assert_eq!(failure.chain[0].frames[0].class, "org.siamang.counter.Counter");
    assert!(!hand.seen.running);
}

#[test]
fn rotation_loses_what_was_not_saved_and_back_closes_the_activity() {
    let mut hand = Hand::file("counter_crash");
    hand.tap("plus").step(Input::Rotate);
    assert!(hand.texts().contains(&"Count: 0".to_owned()));
    hand.tap("About");
    assert_eq!(hand.activity(), "AboutActivity");
    hand.key(Key::Back);
    assert_eq!(hand.activity(), "MainActivity");
    hand.key(Key::Back);
    assert_eq!(hand.seen.tree.foreground_package().unwrap(), "com.android.launcher3");
    hand.tap("Counter");
    assert_eq!(hand.activity(), "MainActivity");
}
