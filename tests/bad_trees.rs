//! GUI trees as no app should have them, and an app that changes under the hand: the whole explorer lives through them.

mod support;

use std::sync::Arc;

use rand::RngExt;
use siamang::abstraction::registry::{self, REGISTRY};
use siamang::action::{ActionKind, Event, Input};
use siamang::device::{Observation, Reset};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer, StopReason};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, TreeBuilder, Widget, Window, WindowKind};
use siamang::ids::SessionId;
use siamang::seed::{Rng, Seed};
use siamang::strategy::StrategyChoice;
use siamang::trace::RunEvent;
use support::toy::{Goes, PACKAGE, Toy, capabilities, page};

const ID: SessionId = SessionId(0);
const SCREEN: Bounds = Bounds { left: 0, top: 0, right: 1080, bottom: 1920 };

fn config(strategy: &str, abstraction: &str, steps: u64) -> ExploreConfig {
    ExploreConfig {
        budget: Budget { steps },
        strategy: StrategyChoice::named(strategy).expect("a strategy"),
        abstraction: registry::find(abstraction).expect("an abstraction"),
        ..ExploreConfig::default()
    }
}

/// How the ids of a tree's widgets are given.
#[derive(Clone, Copy, Debug)]
enum Ids {
    None,
    Equal,
    Own,
}

/// A flat page with so many rows, some of which take texts and scroll.
fn flat(pool: &mut WidgetPool, activity: &str, rows: u32, ids: Ids) -> GuiTree {
    let mut builder = TreeBuilder::new(pool, activity);
    builder.window(Window::application(SCREEN));
    builder.open(Widget {
        class: "android.widget.ListView".into(),
        package: PACKAGE.into(),
        bounds: SCREEN,
        flags: Flags::ENABLED | Flags::VISIBLE | Flags::SCROLLABLE,
        actions: ActionSet::SCROLL_DOWN,
        ..Widget::default()
    });
    for ix in 0..rows {
        let top = (ix % 190) as i32 * 10;
        let is_field = ix % 7 == 3;
        builder.leaf(Widget {
            class: if is_field { "android.widget.EditText" } else { "android.view.View" }.into(),
            package: PACKAGE.into(),
            resource_id: match ids {
                Ids::None => "".into(),
                Ids::Equal => "a:id/same".into(),
                Ids::Own => format!("a:id/row{ix}").into(),
            },
            text: if ix % 3 == 0 { "".into() } else { format!("row {}", ix % 40).into() },
            index: ix,
            bounds: Bounds {
                left: (ix % 5) as i32 * 200,
                top,
                right: (ix % 5) as i32 * 200 + 190,
                bottom: top + 10,
            },
            flags: Flags::ENABLED
                | Flags::VISIBLE
                | Flags::CLICKABLE
                | if is_field { Flags::EDITABLE } else { Flags::empty() },
            actions: if is_field { ActionSet::TAP | ActionSet::TEXT } else { ActionSet::TAP },
            ..Widget::default()
        });
    }
    builder.finish()
}

/// So many widgets, each inside the one before.
fn deep(pool: &mut WidgetPool, levels: u32) -> GuiTree {
    let mut builder = TreeBuilder::new(pool, "Deep");
    builder.window(Window::application(SCREEN));
    for ix in 0..levels {
        builder.open(Widget {
            class: "android.view.View".into(),
            package: PACKAGE.into(),
            index: ix % 3,
            bounds: SCREEN,
            flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        });
    }
    builder.finish()
}

/// No windows, or one without widgets, or a dialog of no size.
fn nearly_nothing(pool: &mut WidgetPool, which: u32) -> GuiTree {
    if which == 0 {
        return GuiTree::empty();
    }
    let mut builder = TreeBuilder::new(pool, "Empty");
    builder.window(Window::application(SCREEN));
    if which == 2 {
        builder.leaf(Widget { package: PACKAGE.into(), bounds: SCREEN, ..Widget::default() });
        let nowhere = Bounds { left: 5, top: 5, right: 5, bottom: 5 };
        builder.window(Window { kind: WindowKind::Dialog, ..Window::application(nowhere) });
        builder.leaf(Widget {
            package: PACKAGE.into(),
            bounds: nowhere,
            flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        });
    }
    builder.finish()
}

/// A device that shows anything after anything, whatever is done to it.
struct Changing {
    rng: Rng,
    trees: Vec<Arc<GuiTree>>,
    time_ms: u64,
}

impl Changing {
    fn new(seed: u64, largest: u32) -> Self {
        let mut pool = WidgetPool::default();
        let mut trees: Vec<GuiTree> = (0..3).map(|which| nearly_nothing(&mut pool, which)).collect();
        trees.push(deep(&mut pool, largest));
        for ids in [Ids::None, Ids::Equal, Ids::Own] {
            trees.push(flat(&mut pool, "Main", 9, ids));
            trees.push(flat(&mut pool, "Other", 12, ids));
            trees.push(flat(&mut pool, "Huge", largest, ids));
        }
        Self {
            rng: Seed(seed).named("changing").rng(),
            trees: trees.into_iter().map(Arc::new).collect(),
            time_ms: 0,
        }
    }

    fn show(&mut self) -> Observation {
        self.time_ms += 300;
        let tree = Arc::clone(&self.trees[self.rng.random_range(0..self.trees.len())]);
        Observation {
            tree,
            failures: Vec::new(),
            running: true,
            hit: None,
            coverage: None,
            rules: None,
            time_ms: self.time_ms,
            issues: Vec::new(),
            asked: Vec::new(),
        }
    }
}

#[test]
fn whatever_is_shown_after_whatever_was_done_no_strategy_and_no_abstraction_breaks() {
    let combinations = REGISTRY
        .iter()
        .map(|entry| ("sata", entry.name))
        .chain([("random", registry::DEFAULT), ("monkey", registry::DEFAULT)]);
    for (strategy, abstraction) in combinations {
        let mut device = Changing::new(1, 600);
        let mut explorer = Explorer::new(config(strategy, abstraction, 300), capabilities(), Seed(1));
        let mut told = 0;
        let stop = loop {
            match explorer.ask(ID) {
                Command::Stop(reason) => break reason,
                Command::Reset(..) | Command::Step { .. } => {
                    told += explorer.tell(ID, device.show()).len();
                }
            }
        };
        assert_eq!(stop, StopReason::Steps, "{strategy}, {abstraction}");
        assert!(told >= 300, "{strategy}, {abstraction}");
    }
}

/// The CPU seconds of this thread: other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// What an exploration of one page costs that changes with every step: so many rows, each visit with other texts.
fn cost(rows: u32, ids: Ids) -> f64 {
    const STEPS: u64 = 12;
    let mut pool = WidgetPool::default();
    let trees: Vec<Arc<GuiTree>> =
        (0..3).map(|more| Arc::new(flat(&mut pool, "Main", rows + more, ids))).collect();
    let mut explorer = Explorer::new(config("sata", registry::DEFAULT, STEPS), capabilities(), Seed(3));
    let mut shown = Changing::new(3, 1);
    shown.trees = trees;
    let start = cpu_seconds();
    while !matches!(explorer.ask(ID), Command::Stop(_)) {
        explorer.tell(ID, shown.show());
    }
    cpu_seconds() - start
}

#[test]
fn ten_times_as_many_widgets_cost_far_less_than_a_hundred_times_as_much() {
    for ids in [Ids::None, Ids::Equal, Ids::Own] {
        let (small, huge) = (cost(500, ids), cost(5_000, ids));
        assert!(huge < 40.0 * small, "{ids:?}: {small} s with 500 widgets, {huge} s with 5,000");
    }
}

/// An app with a row that is there only after every second launch.
struct Vanishing {
    toy: [Toy; 2],
    launches: usize,
}

impl Vanishing {
    fn new() -> Self {
        let pages = |has_row: bool| {
            let mut rows = vec![("Settings", Goes::To(1)), ("About", Goes::Stay)];
            if has_row {
                rows.push(("Offer", Goes::To(2)));
            }
            vec![
                page("Main", &rows),
                page("Settings", &[("Sound", Goes::Stay), ("More", Goes::To(3))]),
                page("Offer", &[("Buy", Goes::Stay), ("Later", Goes::Stay), ("Never", Goes::Stay)]),
                page("More", &[("Up", Goes::Stay)]),
            ]
        };
        Self { toy: [Toy::new(pages(true)), Toy::new(pages(false))], launches: 0 }
    }

    fn now(&mut self) -> &mut Toy {
        &mut self.toy[self.launches % 2]
    }

    fn reset(&mut self, to: Reset) -> Observation {
        self.launches += 1;
        self.now().reset(to)
    }

    fn step(&mut self, event: &Event) -> Observation {
        self.now().step(event)
    }
}

#[test]
fn a_model_action_whose_widget_is_gone_is_a_recorded_miss() {
    // One state for each activity: the screen without the row is the same state as the one with it.
    let config = ExploreConfig { phone_actions: Vec::new(), ..config("sata", "activity", 2_000) };
    let mut app = Vanishing::new();
    let mut explorer = Explorer::new(config, capabilities(), Seed(5));
    let mut steps = 0;
    loop {
        let observation = match explorer.ask(ID) {
            Command::Stop(reason) => break assert_eq!(reason, StopReason::Steps),
            Command::Reset(to, _) => app.reset(to),
            Command::Step { event, .. } => app.step(&event),
        };
        let events = explorer.tell(ID, observation);
        steps += events.iter().filter(|event| matches!(event, RunEvent::Step(_))).count();
    }
    assert_eq!(steps, 2_000);
    let model = explorer.model();
    let to_offer = model.transitions().find(|way| {
        let is = |id, activity: &str| model.state(id).is_some_and(|state| state.activity == activity);
        is(way.source, "Main") && is(way.target, "Offer")
    });
    let to_offer = to_offer.expect("the row was tapped while it was there");
    assert!(to_offer.hits > 0 && to_offer.gone + to_offer.misses > 0, "{to_offer:?}");
}

#[test]
fn a_widget_that_goes_while_the_finger_comes_is_a_step_like_others() {
    // Whatever is tapped, the app is elsewhere by then: the second page is shown, where nothing is hit.
    let mut app = Toy::small();
    let mut explorer = Explorer::new(config("sata", registry::DEFAULT, 500), capabilities(), Seed(2));
    let mut rng = Seed(2).named("elsewhere").rng();
    let stop = loop {
        let observation = match explorer.ask(ID) {
            Command::Stop(reason) => break reason,
            Command::Reset(to, _) => app.reset(to),
            Command::Step { event, .. } => {
                let is_late = matches!(event.input, Input::Tap(_)) && rng.random_bool(0.3);
                if is_late {
                    app.step(&Event::settled(Input::of_phone(ActionKind::Back)));
                }
                app.step(&event)
            }
        };
        explorer.tell(ID, observation);
    };
    assert_eq!(stop, StopReason::Steps);
    let missed: u32 = explorer.model().transitions().map(|way| way.misses).sum();
    assert!(missed > 0, "plans that came too late are misses");
}
