//! A made-up run that looks like a real one: some 15 activities, 300 screens of about 50 widgets, selectors with ids and
//! texts, and a share of steps that show a text never seen before.

use std::sync::Arc;

use rand::RngExt;
use siamang::action::{Input, Key, Wait};
use siamang::device::Reset;
use siamang::gui::tree::WidgetPool;
use siamang::gui::{
    ActionSet, Bounds, Flags, GuiTree, NodeIx, Selector, TreeBuilder, Widget, Window, WindowKind,
};
use siamang::ids::{BranchId, SessionId, StepId};
use siamang::oracle::{Failure, FailureKind, Frame, Signature, Throwable};
use siamang::seed::{Rng, Seed};
use siamang::trace::{RunEvent, Screen, StepRecord, Touched};

pub const SCREENS: u32 = 300;
const SCREENS_AN_ACTIVITY: u32 = 20;
const PACKAGE: &str = "org.example.notes";

/// Draws steps one by one.
pub struct Stream {
    rng: Rng,
    pool: WidgetPool,
    screens: Vec<Arc<GuiTree>>,
    at: usize,
    tree: Arc<GuiTree>,
    step: StepId,
    time_ms: u64,
    /// One step in so many shows a text never seen before; 0 for none.
    fresh_every: u64,
    covered: u32,
    failed: bool,
}

impl Stream {
    pub fn new(seed: u64, fresh_every: u64) -> Self {
        let mut pool = WidgetPool::default();
        let screens: Vec<_> = (0..SCREENS).map(|screen| Arc::new(tree(&mut pool, screen, None))).collect();
        let tree = Arc::clone(&screens[0]);
        Self {
            rng: Seed(seed).named("stream").rng(),
            pool,
            screens,
            at: 0,
            tree,
            step: StepId(0),
            time_ms: 0,
            fresh_every,
            covered: 0,
            failed: false,
        }
    }

    /// The events of the next step, each with the tree that it is the first to name.
    pub fn next_events(&mut self) -> Vec<(Option<Arc<GuiTree>>, RunEvent)> {
        let mut events = Vec::new();
        if self.step.0.is_multiple_of(200) || self.failed {
            events.push(self.reset());
        }
        let before = screen(&self.tree);
        let (input, touched) = self.input();
        self.step = self.step.next();
        self.go();
        self.time_ms += 300 + u64::from(self.rng.random_ratio(1, 10)) * 137;
        self.failed = self.rng.random_ratio(1, 400);
        let new_branches = if self.covered < 400 && self.rng.random_ratio(1, 5) {
            self.covered += 1;
            vec![BranchId(self.covered)]
        } else {
            Vec::new()
        };
        let rules = (0..self.rng.random_range(0..3))
            .map(|at| BranchId(self.at as u32 * 2 % 400 + at + self.rng.random_range(0..4)))
            .collect();
        let failure = failure(self.rng.random_range(0..8));
        let signature = Signature::of(&failure);
        let step = StepRecord {
            step: self.step,
            session: SessionId(0),
            input,
            wait: if self.rng.random_ratio(1, 50) { Wait::Millis(50) } else { Wait::Settle },
            reason: if self.rng.random_ratio(1, 9) { "key".into() } else { "uniform over the screen".into() },
            pause_ms: 0,
            touched,
            before,
            after: screen(&self.tree),
            rules: Some(rules),
            new_branches,
            failures: if self.failed { vec![signature.clone()] } else { Vec::new() },
            time_ms: self.time_ms,
        };
        events.push((Some(Arc::clone(&self.tree)), RunEvent::Step(Box::new(step))));
        if self.failed {
            let failure = self.rng.random_ratio(1, 4).then(|| Box::new(failure));
            let event = RunEvent::Failure { session: SessionId(0), step: self.step, signature, failure };
            events.push((None, event));
        }
        events
    }

    fn reset(&mut self) -> (Option<Arc<GuiTree>>, RunEvent) {
        let to = if self.step.0.is_multiple_of(1000) { Reset::Clean } else { Reset::Warm };
        self.at = 0;
        self.tree = Arc::clone(&self.screens[0]);
        self.time_ms += 1200;
        let event = RunEvent::Reset {
            session: SessionId(0),
            to,
            reason: "the walk is over".into(),
            screen: screen(&self.tree),
            rules: Some(vec![BranchId(0), BranchId(1)]),
            new_branches: Vec::new(),
            time_ms: self.time_ms,
        };
        (Some(Arc::clone(&self.tree)), event)
    }

    fn input(&mut self) -> (Input, Option<Touched>) {
        if self.rng.random_ratio(1, 9) {
            let keys = [
                Input::Key(Key::Back),
                Input::Key(Key::Menu),
                Input::Rotate,
                Input::HomeAndReturn,
                Input::ProcessDeath,
            ];
            return (keys[self.rng.random_range(0..keys.len())].clone(), None);
        }
        let candidates: Vec<NodeIx> =
            self.tree.indices().filter(|&ix| self.tree.widget(ix).is_actionable()).collect();
        let ix = candidates[self.rng.random_range(0..candidates.len())];
        let at = self.tree.widget(ix).bounds.center();
        let input = match self.rng.random_range(0..10) {
            0 => Input::LongTap(at),
            1 => Input::Text { at, text: format!("text {}", self.rng.random_range(0..30)) },
            _ => Input::Tap(at),
        };
        (input, Some(Touched::Widget(Selector::of(&self.tree, ix))))
    }

    /// Three steps in four go to a screen nearby, as taps in an app do.
    fn go(&mut self) {
        if self.rng.random_ratio(3, 4) {
            self.at = (self.at + self.rng.random_range(1..25)) % self.screens.len();
            self.tree = Arc::clone(&self.screens[self.at]);
        }
        if self.fresh_every > 0 && self.step.0.is_multiple_of(self.fresh_every) {
            self.tree = Arc::new(tree(&mut self.pool, self.at as u32, Some(self.step.0)));
        }
    }
}

pub fn screen(tree: &GuiTree) -> Screen {
    Screen {
        activity: tree.activity().clone(),
        windows: tree.windows().iter().map(|window| window.kind).collect(),
        tree: tree.hash(),
        foreign: None,
        structure: None,
    }
}

/// A screen of an activity: a title bar, a list of rows and a bar of buttons; `fresh` is a text of its first row.
pub fn tree(pool: &mut WidgetPool, screen: u32, fresh: Option<u64>) -> GuiTree {
    let activity = screen / SCREENS_AN_ACTIVITY;
    let page = Bounds::new(0, 0, 1080, 1920);
    let mut builder = TreeBuilder::new(pool, format!("{PACKAGE}.ui.Activity{activity}"));
    builder.window(Window { title: format!("Activity {activity}").into(), ..Window::application(page) });
    builder.open(widget("android.widget.FrameLayout", "content", "", page, 0));
    let bar = Bounds::new(0, 63, 1080, 210);
    builder.open(widget("android.view.ViewGroup", "toolbar", "", bar, 0));
    builder.leaf(widget("android.widget.TextView", "title", &format!("Page {screen}"), bar, 0));
    for button in 0..3 {
        let bounds = Bounds::new(700 + 120 * button, 63, 820 + 120 * button, 210);
        let id = format!("menu_{activity}_{button}");
        builder.leaf(button_widget("android.widget.ImageButton", &id, "", bounds, button as u32 + 1));
    }
    builder.close();
    let list = Bounds::new(0, 210, 1080, 1760);
    builder.open(widget("androidx.recyclerview.widget.RecyclerView", "list", "", list, 1));
    for row in 0..8 {
        let top = 210 + 190 * row;
        let bounds = Bounds::new(0, top, 1080, top + 190);
        builder.open(button_widget("android.widget.LinearLayout", "row", "", bounds, row as u32));
        builder.leaf(widget("android.widget.ImageView", "icon", "", bounds, 0));
        let title = format!("Note {} of folder {activity}", screen % 7 + row as u32);
        builder.leaf(widget("android.widget.TextView", "name", &title, bounds, 1));
        let text = match fresh {
            Some(number) if row == 0 => format!("edited {number} times"),
            _ => format!("{} words", (screen * 31 + row as u32 * 17) % 90),
        };
        builder.leaf(widget("android.widget.TextView", "words", &text, bounds, 2));
        builder.leaf(button_widget("android.widget.CheckBox", "done", "", bounds, 3));
        builder.close();
    }
    builder.close();
    if screen.is_multiple_of(10) {
        let dialog = Bounds::new(100, 600, 980, 1200);
        builder.window(Window {
            kind: WindowKind::Dialog,
            layer: 1,
            modal: true,
            ..Window::application(dialog)
        });
        builder.open(widget("android.widget.FrameLayout", "dialog", "", dialog, 0));
        builder.leaf(button_widget("android.widget.Button", "button1", "OK", dialog, 0));
    }
    builder.finish()
}

fn widget(class: &str, id: &str, text: &str, bounds: Bounds, index: u32) -> Widget {
    Widget {
        class: class.into(),
        package: PACKAGE.into(),
        resource_id: format!("{PACKAGE}:id/{id}").into(),
        text: text.into(),
        index,
        bounds,
        flags: Flags::ENABLED | Flags::VISIBLE,
        drawing_order: index as i32,
        ..Widget::default()
    }
}

fn button_widget(class: &str, id: &str, text: &str, bounds: Bounds, index: u32) -> Widget {
    let widget = widget(class, id, text, bounds, index);
    let flags = widget.flags | Flags::CLICKABLE | Flags::FOCUSABLE;
    Widget { flags, actions: ActionSet::TAP | ActionSet::LONG_TAP, ..widget }
}

fn failure(number: u32) -> Failure {
    let frames = (0..20)
        .map(|depth| Frame {
            class: format!("{PACKAGE}.ui.Activity{number}"),
            method: format!("method{depth}"),
            file: format!("Activity{number}.java"),
            line: Some(100 + depth),
        })
        .collect();
    Failure {
        kind: FailureKind::Java,
        package: PACKAGE.into(),
        chain: vec![Throwable {
            class: "java.lang.IllegalStateException".into(),
            message: format!("note {number} is gone"),
            frames,
        }],
        message: String::new(),
    }
}
