//! `ape-released`: one fact for each way in which the released APE differs from its paper, beside what the evolving
//! abstraction makes of the same, so that the rival is APE as it is and no straw man.

mod support;

use std::sync::Arc;

use siamang::abstraction::evolve::{Order, Ranking};
use siamang::abstraction::history;
use siamang::abstraction::registry::{self, AnyAbstraction};
use siamang::abstraction::{
    Abstraction, Decision, DecisionTree, Evidence, EvolveConfig, Evolving, Fork, GuiAction, NameId, Reducer,
    Way,
};
use siamang::action::ActionKind;
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, Bounds, Flags, GuiStore, GuiTree, NodeIx, TreeBuilder, Widget};
use siamang::model::{Acted, Model};
use support::toy::list_tree;

fn released() -> Evolving {
    Evolving::new(registry::released())
}

fn list(rows: &[&str]) -> Arc<GuiTree> {
    Arc::new(list_tree(&mut WidgetPool::default(), "Drive", rows))
}

fn viewer(activity: &str) -> Arc<GuiTree> {
    Arc::new(list_tree(&mut WidgetPool::default(), activity, &["Share"]))
}

/// An abstraction and the trees it was shown.
struct Shown {
    abstraction: Evolving,
    store: GuiStore,
}

impl Shown {
    fn to(config: EvolveConfig) -> Self {
        Self { abstraction: Evolving::new(config), store: GuiStore::with_capacity(1000) }
    }

    fn arrive(&mut self, tree: &Arc<GuiTree>) -> Vec<Decision> {
        self.store.insert(tree);
        self.abstraction.evolve(&Evidence::Arrived(tree), &self.store).decisions
    }

    /// The same action on two widgets led to different states.
    fn fork(&mut self, one: (&Arc<GuiTree>, u32), other: (&Arc<GuiTree>, u32)) -> Vec<Decision> {
        let named = self.abstraction.name_tree(one.0);
        let action = |(tree, node): (&Arc<GuiTree>, u32)| GuiAction { tree: tree.hash(), node: NodeIx(node) };
        let fork = Fork {
            source: named.key,
            name: named.names[one.1 as usize],
            kind: ActionKind::Tap,
            outcomes: vec![vec![action(one)], vec![action(other)]],
            targets: Vec::new(),
            is_new: true,
        };
        self.abstraction.evolve(&Evidence::Fork(fork), &self.store).decisions
    }

    fn names(&mut self, tree: &GuiTree) -> Vec<NameId> {
        self.abstraction.name_tree(tree).names.to_vec()
    }
}

/// A column of widgets below a root.
fn column(activity: &str, widgets: &[(&str, &str, bool)]) -> Arc<GuiTree> {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, activity);
    let bounds = Bounds::new(0, 0, 1000, 2000);
    builder.open(Widget {
        class: "android.widget.FrameLayout".into(),
        bounds,
        flags: Flags::ENABLED,
        ..Widget::default()
    });
    for (ix, &(class, text, acts)) in widgets.iter().enumerate() {
        let top = ix as i32 * 100;
        builder.leaf(Widget {
            class: class.into(),
            text: text.into(),
            index: ix as u32,
            bounds: Bounds::new(0, top, 1000, top + 100),
            flags: if acts { Flags::ENABLED | Flags::CLICKABLE } else { Flags::ENABLED },
            actions: if acts { ActionSet::TAP } else { ActionSet::empty() },
            ..Widget::default()
        });
    }
    Arc::new(builder.finish())
}

#[test]
fn its_base_naming_is_the_action_type_and_the_class_of_what_can_be_acted_on() {
    let tree = column(
        "A",
        &[("Button", "a", true), ("ImageButton", "b", true), ("TextView", "c", false), ("Chip", "d", false)],
    );
    let names = Shown::to(registry::released()).names(&tree);
    assert_ne!(names[1], names[2], "buttons of two classes");
    assert_eq!(names[3], names[4], "what cannot be acted on is all alike, whatever its class");
    let names = Shown::to(EvolveConfig::default()).names(&tree);
    assert_ne!(names[3], names[4], "the paper: Rc for every widget");
}

#[test]
fn it_has_five_primitives_and_the_paper_four() {
    assert_eq!(Reducer::lattice(released().config().primitives).len(), 32);
    assert_eq!(Reducer::lattice(EvolveConfig::default().primitives).len(), 16);
    // Two buttons that only a grandparent tells apart: the ancestors are needed.
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "A");
    let layout = |id: &str| Widget {
        class: "LinearLayout".into(),
        resource_id: id.into(),
        bounds: Bounds::new(0, 0, 100, 100),
        flags: Flags::ENABLED,
        ..Widget::default()
    };
    let button = || Widget {
        class: "Button".into(),
        bounds: Bounds::new(0, 0, 100, 100),
        flags: Flags::ENABLED | Flags::CLICKABLE,
        actions: ActionSet::TAP,
        ..Widget::default()
    };
    builder.open(layout("root"));
    for id in ["left", "right"] {
        builder.open(layout(id));
        builder.open(layout("inner"));
        builder.leaf(button());
        builder.close();
        builder.close();
    }
    let tree = Arc::new(builder.finish());
    let split = |config: EvolveConfig| {
        let mut shown = Shown::to(EvolveConfig { alpha: 1, ..config });
        let decisions = shown.arrive(&tree);
        let names = shown.names(&tree);
        (names[3] != names[6], decisions)
    };
    let (apart, decisions) = split(registry::released());
    assert!(apart, "{decisions:?}");
    let [Decision::ActionRefined { change, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(change.reducer, Reducer::CLASS | Reducer::ANCESTOR);
}

#[test]
fn it_cuts_texts_after_eight_characters() {
    let by_text = |mut config: EvolveConfig| {
        config.initial = DecisionTree::uniform(Reducer::TEXT);
        let mut shown = Shown::to(config);
        let names = shown.names(&column(
            "A",
            &[("B", "Account of Ada", true), ("B", "Account of Bob", true), ("B", "Accounts", true)],
        ));
        (names[1] == names[2], names[1] == names[3])
    };
    assert_eq!(by_text(registry::released()), (true, false), "`Account ` twice, `Accounts` once");
    assert_eq!(by_text(EvolveConfig::default()), (false, false));
}

#[test]
fn it_coarsens_before_and_after_it_refines_actions() {
    assert_eq!(released().config().order, Order::CoarsenFirst);
    assert_eq!(EvolveConfig::default().order, Order::Paper);
    // A state of one screen that a further order splits beyond β, while the new screen also needs an action refinement:
    // the released order first reverts, then refines; the paper's refines first.
    let order = |order: Order| {
        let config = EvolveConfig {
            initial: DecisionTree::uniform(Reducer::CLASS),
            ranking: Ranking::Scripted(vec![Reducer::CLASS | Reducer::TEXT, Reducer::CLASS | Reducer::INDEX]),
            beta: Some(1),
            alpha: 3,
            order,
            ..EvolveConfig::default()
        };
        let mut shown = Shown::to(config);
        shown.arrive(&list(&["a", "b", "c", "d"]));
        let decisions = shown.arrive(&list(&["e", "f", "g", "h"]));
        let kind = |decision: &Decision| match decision {
            Decision::Coarsened { .. } => 'c',
            Decision::ActionRefined { .. } => 'a',
            _ => '?',
        };
        decisions.iter().map(kind).collect::<String>()
    };
    assert_eq!(order(Order::CoarsenFirst), "ca", "reverted, and the screen refined again at once");
    assert_eq!(order(Order::Paper), "c", "reverted after action refinement had its turn");
}

#[test]
fn it_tells_the_names_of_what_was_tapped_apart_before_it_looks_at_the_states() {
    assert_eq!(released().config().ranking, Ranking::FirstFit);
    // Both lists have rows of one name. Their indices tell the screens apart and not the first rows; the texts tell the rows
    // apart, and it is they that are looked at, though the index comes first.
    let (one, other) = (list(&["a", "b"]), list(&["b", "a", "a"]));
    let mut shown = Shown::to(unrefined(registry::released()));
    shown.arrive(&one);
    shown.arrive(&other);
    let decisions = shown.fork((&one, 1), (&other, 1));
    let [Decision::StateRefined { change, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(change.reducer, Reducer::CLASS | Reducer::TEXT);
}

/// With an initial function, so that a fork is the first that refines anything.
fn unrefined(config: EvolveConfig) -> EvolveConfig {
    EvolveConfig { alpha: 100, ..config }
}

/// A label, an icon at some place, and a button that is alone of its class.
fn signs(label: &str, place: u32) -> Arc<GuiTree> {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "A");
    let widget = |class: &str, text: &str, index: u32| Widget {
        class: class.into(),
        text: text.into(),
        index,
        bounds: Bounds::new(0, 0, 100, 100),
        flags: Flags::ENABLED | Flags::CLICKABLE,
        actions: ActionSet::TAP,
        ..Widget::default()
    };
    builder.open(Widget { actions: ActionSet::empty(), flags: Flags::ENABLED, ..widget("Root", "", 0) });
    builder.leaf(widget("Label", label, 0));
    builder.leaf(widget("Icon", "", place));
    builder.leaf(widget("Button", "Go", 9));
    Arc::new(builder.finish())
}

#[test]
fn it_tells_states_apart_by_the_coarsest_that_fits_and_the_paper_by_the_one_with_the_fewest_states() {
    // The label decides where the button leads; the icon is somewhere else every time, and its place is the coarser reducer.
    let trees = [("x", 1), ("y", 2), ("x", 3), ("y", 4)].map(|(label, place)| signs(label, place));
    let chosen = |config: EvolveConfig| {
        let mut shown = Shown::to(unrefined(config));
        for tree in &trees {
            shown.arrive(tree);
        }
        let named = shown.abstraction.name_tree(&trees[0]);
        let tap = |tree: &Arc<GuiTree>| GuiAction { tree: tree.hash(), node: NodeIx(3) };
        let fork = Fork {
            source: named.key,
            name: named.names[3],
            kind: ActionKind::Tap,
            outcomes: vec![vec![tap(&trees[0]), tap(&trees[2])], vec![tap(&trees[1]), tap(&trees[3])]],
            targets: Vec::new(),
            is_new: true,
        };
        let decisions = shown.abstraction.evolve(&Evidence::Fork(fork), &shown.store).decisions;
        let [Decision::StateRefined { change, states, .. }] = &decisions[..] else { panic!("{decisions:?}") };
        (change.selector.to_string(), change.reducer, *states)
    };
    let (selector, reducer, states) = chosen(registry::released());
    assert!(selector.contains("Icon"), "{selector}");
    assert_eq!((reducer, states), (Reducer::CLASS | Reducer::INDEX, 4));
    let (selector, reducer, states) = chosen(registry::paper());
    assert!(selector.contains("Label"), "{selector}");
    assert_eq!((reducer, states), (Reducer::CLASS | Reducer::TEXT, 2));
    // Four states are more than β: the icon is passed by, with all that is finer.
    let (selector, reducer, states) = chosen(EvolveConfig { beta: Some(3), ..registry::released() });
    assert!(selector.contains("Label"), "{selector}");
    assert_eq!((reducer, states), (Reducer::CLASS | Reducer::TEXT, 2));
}

#[test]
fn it_gives_an_action_up_when_a_third_outcome_cannot_be_told_apart_and_asks_only_at_new_ones() {
    let tree = column("A", &[("Button", "Go", true)]);
    let mut shown = Shown::to(registry::released());
    shown.arrive(&tree);
    let mut fork = |outcomes: usize, is_new: bool| {
        let named = shown.abstraction.name_tree(&tree);
        let action = GuiAction { tree: tree.hash(), node: NodeIx(1) };
        let fork = Fork {
            source: named.key,
            name: named.names[1],
            kind: ActionKind::Tap,
            outcomes: vec![vec![action]; outcomes],
            targets: Vec::new(),
            is_new,
        };
        shown.abstraction.evolve(&Evidence::Fork(fork), &shown.store).decisions.len()
    };
    assert_eq!(fork(2, false), 0, "nothing new");
    assert_eq!(fork(2, true), 1, "tried, and not separable");
    assert_eq!(fork(3, true), 1, "tried again, and given up");
    assert_eq!(fork(6, true), 0, "never again");
}

/// A screen with a button and a clock.
fn clock(time: &str) -> Arc<GuiTree> {
    column("Clock", &[("Button", "Go", true), ("TextView", time, false)])
}

#[test]
fn what_differs_on_every_visit_refines_nothing_until_it_comes_again() {
    let mut shown = Shown::to(EvolveConfig::default());
    let (one, other) = (clock("12:00"), clock("12:01"));
    shown.arrive(&one);
    shown.arrive(&other);
    // Staying on a screen is no further visit.
    shown.arrive(&other);
    let decisions = shown.fork((&one, 1), (&other, 1));
    let [Decision::NotSeparable { outcomes: 2, action, trees, .. }] = &decisions[..] else {
        panic!("{decisions:?}");
    };
    assert!(action.starts_with("tap ") && trees[..] == [one.hash(), other.hash()], "{decisions:?}");
    for time in ["12:02", "12:03", "12:04", "12:05"] {
        shown.arrive(&clock(time));
    }
    let decisions = shown.fork((&one, 1), (&other, 1));
    assert!(matches!(decisions[..], [Decision::NotSeparable { .. }]), "{decisions:?}");
    // The released APE takes it at once.
    let mut released = Shown::to(EvolveConfig { visits_per_state: 0, ..EvolveConfig::default() });
    released.arrive(&one);
    released.arrive(&other);
    let decisions = released.fork((&one, 1), (&other, 1));
    assert!(matches!(decisions[..], [Decision::StateRefined { states: 2, .. }]), "{decisions:?}");
    // A mode of two values comes again and again: that it decides is a sound guess.
    let mut modes = Shown::to(EvolveConfig::default());
    let (on, off) = (clock("on"), clock("off"));
    for tree in [&on, &off].into_iter().cycle().take(10) {
        modes.arrive(tree);
    }
    let decisions = modes.fork((&on, 1), (&off, 1));
    assert!(matches!(decisions[..], [Decision::StateRefined { states: 2, .. }]), "{decisions:?}");
}

#[test]
fn its_divergence_constraints_are_empty_and_the_papers_hold() {
    assert!(!released().config().keep_apart);
    assert!(EvolveConfig::default().keep_apart);
    // Rows told apart by their index, since their texts are equal. Then two rows with the same index lead to different
    // screens: replacing the index by the text would merge the first pair again.
    let (one, two) = (list(&["x", "x", "y"]), list(&["y", "x", "x"]));
    let merged = |keep_apart: bool| {
        let config = EvolveConfig {
            initial: DecisionTree::uniform(Reducer::CLASS),
            ranking: Ranking::Scripted(vec![
                Reducer::CLASS | Reducer::INDEX,
                Reducer::CLASS | Reducer::TEXT,
                Reducer::CLASS | Reducer::INDEX | Reducer::TEXT,
            ]),
            keep_apart,
            ..EvolveConfig::default()
        };
        let mut shown = Shown::to(config);
        shown.arrive(&one);
        shown.arrive(&two);
        shown.fork((&one, 1), (&one, 2));
        shown.fork((&one, 1), (&two, 1));
        let names = shown.names(&one);
        let together = names[1] == names[2];
        assert_ne!(shown.names(&two)[1], names[1], "the second fork is resolved");
        together
    };
    assert!(merged(false), "without the constraint the first fork is back");
    assert!(!merged(true), "with it, index and text together are taken");
}

#[test]
fn it_only_appends_and_the_paper_replaces_leaves() {
    assert!(!released().config().replace_leaves);
    let ways = |config: EvolveConfig| {
        let abstraction = AnyAbstraction::Evolving(Box::new(Evolving::new(config)));
        let mut model = Model::new(abstraction, vec![ActionKind::Back]);
        let mut rows = vec!["a", "b", "c", "d", "e", "f"];
        let mut ways = Vec::new();
        for step in 0..60 {
            let tree = list(&rows);
            let row = step * 7 % 5;
            let target = viewer(rows[row]);
            let mut decisions = model.arrive(&tree).1;
            decisions.extend(model.arrive(&target).1);
            let acted = Acted { node: Some(NodeIx(row as u32 + 1)), kind: ActionKind::Tap };
            decisions.extend(model.record(&tree, acted, &target));
            for decision in decisions {
                if let Decision::ActionRefined { change, .. } | Decision::StateRefined { change, .. } =
                    decision
                {
                    ways.push(change.way);
                }
            }
            let file = rows.remove(row);
            rows.insert(0, file);
        }
        ways
    };
    let released = ways(registry::released());
    assert!(!released.is_empty() && released.iter().all(|way| *way == Way::Insert), "{released:?}");
    // Rows that have moved are named by what they say before anything has to be replaced.
    let paper = ways(EvolveConfig { trust_moves: false, ..EvolveConfig::default() });
    assert!(paper.contains(&Way::Replace), "{paper:?}");
}

#[test]
fn it_keeps_every_tree_of_a_state_and_the_paper_at_most_twenty() {
    assert_eq!(released().config().max_trees, None);
    let dropped = |config: EvolveConfig| {
        let mut abstraction = Evolving::new(config);
        let mut store = GuiStore::with_capacity(1000);
        let mut dropped = 0;
        for number in 0..50 {
            // Texts that no function looks at yet: all are one state.
            let tree = column("A", &[("B", &format!("text {number}"), true)]);
            store.insert(&tree);
            dropped += abstraction.evolve(&Evidence::Arrived(&tree), &store).dropped.len();
        }
        dropped
    };
    assert_eq!(dropped(registry::released()), 0);
    assert_eq!(dropped(EvolveConfig::default()), 50 - 20);
}

#[test]
fn it_does_not_refine_crowded_activities_nor_beyond_twenty_names() {
    let config = released().config().clone();
    assert_eq!((config.max_names, config.max_states_of_activity), (Some(20), Some(10)));
    let rows: Vec<String> = (0..25).map(|row| format!("row {row}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let (mut shown, rows_of) = (Shown::to(config), list(&rows));
    let decisions = shown.arrive(&rows_of);
    let [Decision::NotSplit { widgets: 25, alpha: 3, tree, name, .. }] = &decisions[..] else {
        panic!("25 rows would be 25 names: {decisions:?}");
    };
    assert!(*tree == rows_of.hash() && !name.is_empty(), "{decisions:?}");
    assert!(shown.arrive(&rows_of).is_empty(), "it is told once");
    assert!(!Shown::to(EvolveConfig::default()).arrive(&list(&rows)).is_empty());
}

#[test]
fn what_only_the_bound_on_names_forbids_to_tell_apart_is_told_so() {
    let rows: Vec<String> = (0..25).map(|row| format!("row {row}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let said = |decisions: &[Decision]| {
        let [decision @ Decision::NotSplit { .. }] = decisions else { panic!("{decisions:?}") };
        history::words(decision)
    };
    let told = said(&Shown::to(released().config().clone()).arrive(&list(&rows)));
    assert!(
        told.ends_with("more than 3, and what tells them apart would give a screen more than 20 names"),
        "{told}"
    );
    // Here it is no bound: the only reducer was reverted on these screens.
    let mut shown = Shown::to(texts_are_reverted());
    shown.arrive(&list(&["a", "b", "c", "d"]));
    shown.arrive(&list(&["e", "f", "g", "h"]));
    let told = said(&shown.arrive(&list(&["i", "j", "k", "l"])));
    assert!(told.ends_with("and nothing that may be used tells them apart"), "{told}");
}

/// β = 1: whatever tells the rows of one list apart by their text is reverted, and nothing else is tried.
fn texts_are_reverted() -> EvolveConfig {
    EvolveConfig {
        ranking: Ranking::Scripted(vec![Reducer::CLASS | Reducer::TEXT]),
        beta: Some(1),
        ..EvolveConfig::default()
    }
}

#[test]
fn the_blacklist_belongs_to_the_trees_it_was_made_for() {
    // Another activity's rows are named by the same reducer afterwards: they have a blacklist of their own.
    let mut shown = Shown::to(texts_are_reverted());
    shown.arrive(&list(&["a", "b", "c", "d"]));
    let decisions = shown.arrive(&list(&["e", "f", "g", "h"]));
    assert!(matches!(decisions[..], [Decision::Coarsened { .. }]), "{decisions:?}");
    let again = shown.arrive(&list(&["i", "j", "k", "l"]));
    let is_left = matches!(again[..], [Decision::NotSplit { .. }]);
    assert!(is_left, "on these trees it is never tried again: {again:?}");
    let other = Arc::new(list_tree(&mut WidgetPool::default(), "Other", &["a", "b", "c", "d"]));
    let decisions = shown.arrive(&other);
    assert!(matches!(decisions[..], [Decision::ActionRefined { .. }]), "{decisions:?}");
}
