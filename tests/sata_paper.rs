//! `sata-paper`: the steps of APE's release in their order and the locality of its paper, without what was added, to compare with.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use siamang::abstraction::registry;
use siamang::action::ActionKind;
use siamang::device::{Device, VirtualDevice};
use siamang::explore::{Budget, ExploreConfig};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, TreeBuilder, Widget, Window};
use siamang::ids::SessionId;
use siamang::model::{Acted, Model};
use siamang::seed::Seed;
use siamang::strategy::{Chosen, ModelView, Sata, SataConfig, Session, Strategy, StrategyChoice};
use siamang::trace::summary::SummaryFold;
use siamang::trace::{RunEvent, RunInfo};
use support::phone::{explore, model};

fn config(strategy: &str, steps: u64) -> ExploreConfig {
    ExploreConfig {
        budget: Budget { steps },
        strategy: StrategyChoice::named(strategy).unwrap(),
        abstraction: registry::find("ape-paper").unwrap(),
        ..ExploreConfig::default()
    }
}

/// A page with some buttons.
fn page(name: &str, buttons: usize) -> Arc<GuiTree> {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, name);
    builder.window(Window::application(Bounds::new(0, 0, 100, 100)));
    builder.open(Widget { bounds: Bounds::new(0, 0, 100, 100), ..Widget::default() });
    for button in 0..buttons {
        builder.leaf(Widget {
            bounds: Bounds::new(0, 10 * button as i32, 100, 10 * button as i32 + 10),
            resource_id: format!("a:id/{button}").into(),
            flags: Flags::ENABLED | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        });
    }
    builder.close();
    Arc::new(builder.finish())
}

/// Home leads to a page at once, from which nothing leads back, and over another page to one from which something does. Both
/// have a button that nobody has tapped.
fn first_step(local: bool) -> (NodeIx, String) {
    let mut model = Model::new(registry::find("finest").unwrap().build(), vec![ActionKind::Back]);
    let [home, street, yard, room] = [page("Home", 2), page("Street", 1), page("Yard", 1), page("Room", 2)];
    let tap = |button: u32| Acted { node: Some(NodeIx(button + 1)), kind: ActionKind::Tap };
    for (from, button, to) in
        [(&home, 0, &street), (&home, 1, &yard), (&yard, 0, &room), (&room, 0, &home), (&home, 1, &yard)]
    {
        model.arrive(from);
        model.record(from, tap(button), to);
        model.arrive(to);
    }
    // BACK is done everywhere, so that it is no work.
    for tree in [&home, &street, &yard, &room] {
        model.record(tree, Acted { node: None, kind: ActionKind::Back }, tree);
    }
    let device = VirtualDevice::new(support::phone::model("notes"), Seed(1));
    let sight = model.see(&home);
    let view = ModelView { tree: &home, sight: &sight, model: &model, capabilities: device.capabilities() };
    let strategy = Sata::new(SataConfig { local, fuzz_permille: 0, ..SataConfig::paper() });
    let choice = strategy.choose(&view, &mut Session::new(SessionId(0), Seed(1)));
    let Chosen::Widget(reach) = choice.action else { panic!("{choice:?}") };
    (reach.node, choice.reason.to_string())
}

#[test]
fn of_the_ways_to_new_work_one_within_the_connected_sub_graph_comes_first() {
    let (node, reason) = first_step(true);
    assert_eq!((node, reason.as_str()), (NodeIx(2), "sata: way to new work from where one can come back"));
    let (node, reason) = first_step(false);
    assert_eq!((node, reason.as_str()), (NodeIx(1), "sata: way to new work"), "the nearest, wherever it is");
}

/// How often each reason was given in some runs of an app.
fn reasons(app: &str, strategy: &str, steps: u64) -> BTreeMap<String, u32> {
    let mut reasons = BTreeMap::new();
    for seed in 0..3 {
        for event in explore(&model(app), config(strategy, steps), seed).events {
            let reason = match event {
                RunEvent::Step(step) => step.reason.to_string(),
                RunEvent::Reset { reason, .. } => reason.to_string(),
                _ => continue,
            };
            let reason = reason.split(", as the planned widget").next().unwrap_or_default();
            let reason = reason.split(" in ").next().unwrap_or_default();
            *reasons.entry(reason.to_owned()).or_default() += 1;
        }
    }
    reasons
}

/// The steps of APE's `SataAgent` in their order, then restarts and bursts.
const RELEASED: [&str; 18] = [
    "sata: relocated",
    "sata: back to a colder state",
    "sata: new here",
    "sata: leads on elsewhere",
    "sata: way to new work from where one can come back",
    "sata: way to new work",
    "sata: way to a hardly visited activity",
    "sata: back, not tried yet",
    "sata: back to new work",
    "sata: any way to new work",
    "sata: least visited",
    "sata: random",
    "sata: nothing can be done",
    "sata: fuzz",
    "sata: restart, the model is stable",
    "sata: restart, the state is stable",
    "regular restart",
    "start",
];
/// What the driver does whatever the strategy, and what every strategy of this name does with forms and lists.
const ALSO: [&str; 14] = [
    "the app is not running",
    "the app was left",
    "a foreign app stays",
    "a foreign app stays in front",
    "a step",
    "back from a foreign app",
    "the screen is loading",
    "burst: once more",
    "stuck",
    "sata: fill the form",
    "sata: send the form",
    "sata: send the form again",
    "sata: scroll on",
    "sata: back, not tried over this",
];

#[test]
fn its_steps_are_those_of_the_release_and_none_of_what_was_added() {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    // A login, a permission and much else: what was added shows in them.
    for (app, steps) in [("notes", 6_000), ("login_wall", 2_000), ("permission_denied", 2_000)] {
        for (reason, times) in reasons(app, "sata-paper", steps) {
            let is_known = RELEASED.contains(&reason.as_str()) || ALSO.contains(&reason.as_str());
            assert!(is_known || reason == "sata: what led on before", "{app}: {reason}, {times} times");
            *found.entry(reason).or_default() += times;
        }
    }
    // In none of these apps does a screen stay for long, nor is there one on which nothing can be done.
    let rare = ["sata: nothing can be done", "sata: restart, the state is stable"];
    for wanted in RELEASED.iter().filter(|reason| !rare.contains(reason)) {
        assert!(found.contains_key(*wanted), "{wanted}: {found:#?}");
    }
    for (app, steps, added) in [
        ("notes", 6_000, "sata: sweep"),
        ("notes", 6_000, "sata: camp"),
        ("notes", 6_000, "sata: drill"),
        ("login_wall", 2_000, "sata: log"),
    ] {
        let all = reasons(app, "sata", steps);
        assert!(all.keys().any(|reason| reason.starts_with(added)), "{added}: {all:#?}");
    }
}

#[test]
fn a_planned_widget_that_is_gone_is_counted_in_the_summary() {
    let run = explore(&model("form_validation"), config("sata-paper", 3_000), 1);
    let gone = |event: &&RunEvent| matches!(event, RunEvent::Step(step) if step.reason.ends_with(", as the planned widget was gone"));
    let mut summary = SummaryFold::new(&RunInfo::new("form_validation", "form_validation", 1));
    run.events.iter().for_each(|event| summary.add(event));
    let count = run.events.iter().filter(gone).count() as u64;
    assert!(count > 0);
    assert_eq!(summary.summary().missed_widgets, count);
}
