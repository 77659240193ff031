//! `sata-paper`: APE's strategy as its paper and release have it, and nothing beyond, to compare with.

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
fn all_work_of_a_connected_sub_graph_comes_before_any_elsewhere() {
    let (node, reason) = first_step(true);
    assert_eq!((node, reason.as_str()), (NodeIx(2), "sata: way to new work from where one can come back"));
    let (node, reason) = first_step(false);
    assert_eq!((node, reason.as_str()), (NodeIx(1), "sata: way to new work"), "the nearest, wherever it is");
}

#[test]
fn it_does_what_the_release_does_and_nothing_beyond() {
    let app = model("notes");
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..3 {
        for event in explore(&app, config("sata-paper", 6_000), seed).events {
            let reason = match event {
                RunEvent::Step(step) => step.reason.to_string(),
                RunEvent::Reset { reason, .. } => reason.to_string(),
                _ => continue,
            };
            *reasons.entry(reason).or_default() += 1;
        }
    }
    // explorers.md 1.8, in its order; then restarts and bursts.
    for wanted in [
        "sata: relocated",
        "sata: back to a colder state",
        "sata: new here",
        "sata: leads on elsewhere",
        "sata: way to new work from where one can come back",
        "sata: way to new work",
        "sata: back, not tried yet",
        "sata: least visited",
        "sata: random",
        "regular restart",
        "sata: fuzz",
    ] {
        assert!(reasons.contains_key(wanted), "{wanted}: {reasons:#?}");
    }
    for beyond in ["sweep", "camp", "drill", "stroll", "log in", "refuse"] {
        assert!(!reasons.keys().any(|reason| reason.contains(beyond)), "{beyond}: {reasons:#?}");
    }
}

#[test]
fn a_planned_widget_that_is_gone_is_counted_in_the_summary() {
    let run = explore(&model("form_validation"), config("sata-paper", 3_000), 1);
    let gone = |event: &&RunEvent| matches!(event, RunEvent::Step(step) if step.reason.ends_with(", as the planned widget was gone"));
    let mut summary = SummaryFold::new(&RunInfo::new("notes", "notes", 1));
    run.events.iter().for_each(|event| summary.add(event));
    let count = run.events.iter().filter(gone).count() as u64;
    assert!(count > 0);
    assert_eq!(summary.summary().missed_widgets, count);
}
