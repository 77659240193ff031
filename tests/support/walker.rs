//! A tester who does anything: uniformly random events, and what came of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::RngExt;
use rand::seq::IndexedRandom;
use siamang::action::{Event, Input, Key};
use siamang::device::virtual_device::compile;
use siamang::device::{Observation, Reset, VirtualDevice};
use siamang::gui::{ActionSet, GuiTree, Point, Widget};
use siamang::oracle::Signature;
use siamang::seed::{Rng, Seed};

/// The app starts afresh after this many events.
const EPISODE: u32 = 200;
/// The share of events that come from the system and not from a finger.
const SYSTEM_SHARE: f64 = 0.1;
const TEXTS: [&str; 6] = ["", "a", "hello", "0", "-1", "12345678901234567890"];

/// What a walk saw.
#[derive(Debug, Default)]
pub struct Walk {
    pub steps: u32,
    pub nodes: u64,
    pub changed: u32,
    pub failures: BTreeSet<String>,
    pub issues: BTreeSet<String>,
    pub activities: BTreeSet<String>,
}

impl Walk {
    pub fn nodes_per_screen(&self) -> f64 {
        self.nodes as f64 / f64::from(self.steps)
    }

    pub fn changing_share(&self) -> f64 {
        f64::from(self.changed) / f64::from(self.steps)
    }
}

/// Walks at random through an app.
pub fn walk(model: &str, from: Seed, steps: u32) -> Walk {
    let app = Arc::new(compile::load(model).expect("the model loads"));
    let package = app.package.clone();
    let mut device = VirtualDevice::new(app, from.named("device"));
    let mut rng = from.named("walk").rng();
    let mut walk = Walk::default();
    let mut seen = device.do_reset(Reset::Clean);
    let mut since_reset = 0;
    while walk.steps < steps {
        let before = seen.tree.hash();
        let input = choose(&seen.tree, &mut rng);
        seen = device.do_step(&Event::settled(input));
        walk.note(&seen);
        walk.changed += u32::from(seen.tree.hash() != before);
        since_reset += 1;
        let left = seen.tree.foreground_package().is_none_or(|front| front == "com.android.launcher3");
        if left || !seen.running || since_reset >= EPISODE {
            seen = device.do_reset(Reset::Clean);
            since_reset = 0;
        }
    }
    assert!(walk.activities.iter().any(|activity| activity.starts_with(package.as_str())));
    walk
}

impl Walk {
    fn note(&mut self, seen: &Observation) {
        self.steps += 1;
        self.nodes += seen.tree.nodes().len() as u64;
        self.failures.extend(seen.failures.iter().map(|failure| Signature::of(failure).folder()));
        self.issues.extend(seen.issues.iter().cloned());
        self.activities.insert(seen.tree.activity().to_string());
    }
}

fn choose(tree: &GuiTree, rng: &mut Rng) -> Input {
    if rng.random_bool(SYSTEM_SHARE) {
        let system = [Input::Key(Key::Menu), Input::Rotate, Input::HomeAndReturn, Input::ProcessDeath];
        return system.choose(rng).expect("there are four").clone();
    }
    let mut actions: Vec<(Option<&Widget>, ActionSet)> = vec![(None, ActionSet::empty())];
    for node in top_windows(tree) {
        let widget: &Widget = tree.widget(node);
        if widget.is_actionable() {
            actions.extend(widget.actions.iter().map(|action| (Some(widget), action)));
        }
    }
    let &(widget, action) = actions.choose(rng).expect("there is always BACK");
    let Some(widget) = widget else { return Input::Key(Key::Back) };
    let center = widget.bounds.center();
    let swipe = |dx, dy| Input::Swipe { from: center, to: Point { x: center.x + dx, y: center.y + dy } };
    match action {
        ActionSet::LONG_TAP => Input::LongTap(center),
        ActionSet::SCROLL_DOWN => swipe(0, -300),
        ActionSet::SCROLL_UP => swipe(0, 300),
        ActionSet::SCROLL_LEFT => swipe(300, 0),
        ActionSet::SCROLL_RIGHT => swipe(-300, 0),
        ActionSet::PINCH => Input::Pinch { center, open: rng.random_bool(0.5) },
        ActionSet::TEXT => Input::Text { at: center, text: text(tree, rng) },
        _ => Input::Tap(center),
    }
}

/// The nodes that a finger can reach: those of the topmost modal window and of what lies over it.
fn top_windows(tree: &GuiTree) -> impl Iterator<Item = siamang::gui::NodeIx> + '_ {
    let lowest = tree.windows().iter().rposition(|window| window.modal).unwrap_or(0) as u32;
    tree.indices().filter(move |&ix| tree.node(ix).window >= lowest)
}

fn text(tree: &GuiTree, rng: &mut Rng) -> String {
    let number = rng.random_range(0..=TEXTS.len());
    if let Some(text) = TEXTS.get(number) {
        return (*text).to_owned();
    }
    let shown: Vec<&str> =
        tree.nodes().iter().map(|node| node.widget.text.as_str()).filter(|text| !text.is_empty()).collect();
    shown.choose(rng).copied().unwrap_or_default().to_owned()
}
