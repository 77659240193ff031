//! What the papers say about abstractions, by number.

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use siamang::abstraction::evolve::Ranking;
use siamang::abstraction::history;
use siamang::abstraction::registry::{self, AnyAbstraction, REGISTRY};
use siamang::abstraction::tree::children_of;
use siamang::abstraction::{
    Abstraction, Appearance, AttributePath, Change, Decision, DecisionTree, Evidence, EvolveConfig, Evolving,
    Fork, GuiAction, History, NameId, NamingId, Reducer, StateKey, Way,
};
use siamang::action::ActionKind;
use siamang::gui::tree::WidgetPool;
use siamang::gui::{
    ActionSet, Bounds, Flags, GuiStore, GuiTree, NodeIx, TreeBuilder, Widget, Window, WindowKind,
};
use siamang::ids::TreeHash;
use siamang::model::{Acted, Model};
use support::toy::list_tree;

const I: Reducer = Reducer::INDEX;
const T: Reducer = Reducer::TEXT;
const P: Reducer = Reducer::PARENT;

fn list(rows: &[&str]) -> Arc<GuiTree> {
    Arc::new(list_tree(&mut WidgetPool::default(), "Drive", rows))
}

fn viewer(activity: &str) -> Arc<GuiTree> {
    Arc::new(list_tree(&mut WidgetPool::default(), activity, &["Share"]))
}

fn ti() -> Arc<GuiTree> {
    list(&["XLSX", "PPTX", "DOCX"])
}

fn tj() -> Arc<GuiTree> {
    list(&["DOCX", "XLSX", "PPTX"])
}

fn names(abstraction: &mut AnyAbstraction, tree: &GuiTree) -> Vec<String> {
    abstraction.describe(tree, &tree.indices().collect::<Vec<_>>())
}

fn stoat() -> DecisionTree {
    DecisionTree::uniform(I | P).with_branch(children_of("android.widget.ListView"), P)
}

#[test]
fn table_one_names_the_widgets_as_the_paper_does() {
    let same_state = |abstraction: &mut AnyAbstraction| {
        abstraction.name_tree(&ti()).key == abstraction.name_tree(&tj()).key
    };
    let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len();

    let mut stoat = registry::find("stoat").unwrap().build();
    assert_eq!(names(&mut stoat, &ti()), ["<{i=0}>", "<{i=0},{}>", "<{i=0},{}>", "<{i=0},{}>"]);
    assert_eq!(distinct(&names(&mut stoat, &tj())), 2);
    assert!(same_state(&mut stoat));

    let mut four = registry::find("amola-c-lv4").unwrap().build();
    assert_eq!(names(&mut four, &ti()), ["<{i=0}>", "<{i=0},{i=0}>", "<{i=0},{i=1}>", "<{i=0},{i=2}>"]);
    assert_eq!(distinct(&names(&mut four, &tj())), 4);
    assert!(same_state(&mut four));

    let mut five = registry::find("amola-c-lv5").unwrap().build();
    assert_eq!(names(&mut five, &ti())[..2], ["<{i=0,t=}>", "<{i=0,t=},{i=0,t=XLSX}>"]);
    assert!(!same_state(&mut five));

    let text_only = DecisionTree::uniform(I | P).with_branch(children_of("android.widget.ListView"), T | P);
    let config = EvolveConfig { initial: text_only, ..EvolveConfig::default() };
    let mut text_only = AnyAbstraction::Evolving(Box::new(Evolving::new(config)));
    assert_eq!(
        names(&mut text_only, &ti()),
        ["<{i=0}>", "<{i=0},{t=XLSX}>", "<{i=0},{t=PPTX}>", "<{i=0},{t=DOCX}>"]
    );
    assert_eq!(distinct(&names(&mut text_only, &tj())), 4);
    assert!(same_state(&mut text_only));
}

/// A model that is told what was tapped and what came.
struct Script {
    model: Model,
    decisions: Vec<Decision>,
}

impl Script {
    fn new(config: EvolveConfig) -> Self {
        let abstraction = AnyAbstraction::Evolving(Box::new(Evolving::new(config)));
        Self { model: Model::new(abstraction, vec![ActionKind::Back]), decisions: Vec::new() }
    }

    /// Taps the row with a text and sees the viewer of that file.
    fn tap(&mut self, tree: &Arc<GuiTree>, text: &str) -> Vec<Decision> {
        let mut decisions = self.model.arrive(tree).1;
        let node = tree.indices().find(|&ix| tree.widget(ix).text == text).expect("the row is on the screen");
        let target = viewer(text);
        decisions.extend(self.model.arrive(&target).1);
        let acted = Acted { node: Some(node), kind: ActionKind::Tap };
        decisions.extend(self.model.record(tree, acted, &target));
        self.decisions.extend(decisions.clone());
        decisions
    }

    fn names(&mut self, tree: &GuiTree) -> Vec<String> {
        names(self.model.abstraction_mut(), tree)
    }
}

#[test]
fn figure_five_goes_from_stoat_by_l1_and_l2_to_the_text_only_tree() {
    let mut script = Script::new(EvolveConfig {
        initial: stoat(),
        alpha: 3,
        beta: Some(2),
        ranking: Ranking::Scripted(vec![I | P, I | T | P, T | P]),
        ..EvolveConfig::default()
    });
    let (ti, tj) = (ti(), tj());
    // PPTX in Ti and DOCX in Tj lead to two viewers: L1 tells rows apart by their index.
    assert!(script.tap(&ti, "PPTX").is_empty());
    let decisions = script.tap(&tj, "DOCX");
    let [Decision::StateRefined { change, states: 1, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(change.reducer, I | P);
    assert_eq!(script.names(&ti)[1], "<{i=0},{i=0}>");
    let l1 = script.model.see(&ti).named.naming;
    // The first row of Ti is another file than the first row of Tj: L2 adds the text.
    let decisions = script.tap(&ti, "XLSX");
    let [Decision::StateRefined { change, states: 2, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(change.reducer, I | T | P);
    assert_ne!(script.model.see(&ti).state, script.model.see(&tj).state);
    let l2 = script.model.see(&ti).named.naming;
    // A third order makes three states out of one: L2 is reverted to L1 and barred.
    let tk = list(&["PPTX", "DOCX", "XLSX"]);
    let decisions = script.model.arrive(&tk).1;
    let [Decision::Coarsened { states: 3, beta: 2, reverted, .. }] = &decisions[..] else {
        panic!("{decisions:?}")
    };
    assert_eq!(*reverted, l2);
    assert_eq!(script.model.see(&tk).named.naming, l1);
    // The next refinement is the text alone, and it is stable.
    let decisions = script.tap(&tk, "PPTX");
    let [Decision::StateRefined { change, states: 1, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(change.reducer, T | P);
    assert_eq!(script.names(&ti)[1..], ["<{i=0},{t=XLSX}>", "<{i=0},{t=PPTX}>", "<{i=0},{t=DOCX}>"]);
    for tree in [&ti, &tj, &tk] {
        for text in ["XLSX", "PPTX", "DOCX"] {
            assert!(script.tap(tree, text).is_empty());
        }
    }
    assert_eq!(script.model.see(&ti).state, script.model.see(&tk).state);
    assert_eq!(script.model.stats().nondeterministic, 0);
}

#[test]
fn a_coarsened_naming_is_never_tried_again_on_the_same_trees() {
    let mut script = Script::new(EvolveConfig {
        initial: stoat(),
        beta: Some(2),
        // Only reducers that cannot bear another order.
        ranking: Ranking::Scripted(vec![I | T | P, Reducer::PAPER]),
        ..EvolveConfig::default()
    });
    let orders = [["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"], ["b", "c", "a"]].map(|rows| list(&rows));
    for round in 0..20 {
        script.tap(&orders[round % 4], ["a", "b", "c"][round % 3]);
    }
    let coarsened = script.decisions.iter().filter(|one| matches!(one, Decision::Coarsened { .. })).count();
    let refined = script.decisions.iter().filter(|one| matches!(one, Decision::StateRefined { .. })).count();
    assert_eq!((refined, coarsened), (1, 1), "{:?}", script.decisions);
}

#[test]
fn a_name_of_more_than_three_widgets_is_refined_by_the_index_first() {
    let mut script = Script::new(EvolveConfig::default());
    let tree = list(&["a", "b", "c", "d"]);
    let decisions = script.model.arrive(&tree).1;
    let [Decision::ActionRefined { widgets: 4, alpha: 3, change, .. }] = &decisions[..] else {
        panic!("{decisions:?}")
    };
    assert_eq!(change.reducer, Reducer::CLASS | I);
    let mut few = Script::new(EvolveConfig::default());
    assert!(few.model.arrive(&list(&["a", "b", "c"])).1.is_empty());
}

#[test]
fn initial_nodes_are_branched_from_and_never_replaced() {
    let mut script = Script::new(EvolveConfig { initial: stoat(), ..EvolveConfig::default() });
    for (tree, text) in [(ti(), "PPTX"), (tj(), "DOCX"), (ti(), "XLSX"), (tj(), "XLSX"), (tj(), "PPTX")] {
        script.tap(&tree, text);
    }
    let naming = script.model.see(&ti()).named.naming;
    let evolving = script.model.abstraction().evolving().unwrap();
    let written = evolving.naming(naming).to_toml();
    assert!(written.contains("reducer = \"i+p\"") && written.contains("reducer = \"p\""), "{written}");
}

#[test]
fn a_decision_tree_reads_what_it_writes() {
    for tree in [stoat(), registry::stoat_tree(), registry::released().initial] {
        let written = tree.to_toml();
        let read = DecisionTree::from_toml(&written).unwrap();
        assert_eq!(read, tree, "{written}");
        assert_eq!(read.content_hash(), tree.content_hash());
    }
    let by_hand = r#"
        reducer = "c"
        [[branch]]
        select = [{ class = "android.widget.ListView" }, {}]
        reducer = "t+p"
    "#;
    let tree = DecisionTree::from_toml(by_hand).unwrap();
    assert_eq!(
        tree.path(&ti(), NodeIx(1), Appearance::default()).0.last().unwrap().text.as_deref(),
        Some("XLSX")
    );
    let error = DecisionTree::from_toml("reducer = \"q\"").unwrap_err().to_string();
    assert!(error.contains("`q` is no reducer"), "{error}");
}

#[test]
fn what_was_told_apart_stays_apart() {
    // Rows with equal texts in two lists: only their index tells them apart. A later wish for the text alone is refused.
    let mut abstraction = Evolving::new(EvolveConfig { initial: stoat(), ..EvolveConfig::default() });
    let mut store = GuiStore::with_capacity(100);
    let one = list(&["x", "x", "y"]);
    store.insert(&one);
    abstraction.evolve(&Evidence::Arrived(&one), &store);
    let named = abstraction.name_tree(&one);
    let action = |node: u32| GuiAction { tree: one.hash(), node: NodeIx(node) };
    let fork = |name: NameId, a: u32, b: u32, source| {
        Evidence::Fork(Fork {
            source,
            name,
            kind: ActionKind::Tap,
            outcomes: vec![vec![action(a)], vec![action(b)]],
            targets: Vec::new(),
            is_new: true,
        })
    };
    let changes = abstraction.evolve(&fork(named.names[1], 1, 2, named.key), &store);
    assert!(matches!(changes.decisions[..], [Decision::StateRefined { .. }]), "{changes:?}");
    let two = list(&["y", "x", "x"]);
    store.insert(&two);
    abstraction.evolve(&Evidence::Arrived(&two), &store);
    let named = abstraction.name_tree(&one);
    let other = GuiAction { tree: two.hash(), node: NodeIx(1) };
    let changes = abstraction.evolve(
        &Evidence::Fork(Fork {
            source: named.key,
            name: named.names[1],
            kind: ActionKind::Tap,
            outcomes: vec![vec![action(1)], vec![other]],
            targets: Vec::new(),
            is_new: true,
        }),
        &store,
    );
    let named = abstraction.name_tree(&one);
    assert_ne!(named.names[1], named.names[2], "{changes:?}");
}

#[test]
fn every_abstraction_survives_trees_without_ids_with_equal_ids_empty_and_huge() {
    let mut pool = WidgetPool::default();
    let widget = |id: &str, ix: u32| Widget {
        class: "android.view.View".into(),
        resource_id: id.into(),
        index: ix,
        bounds: Bounds::new(0, ix as i32, 100, ix as i32 + 1),
        flags: Flags::ENABLED | Flags::CLICKABLE,
        actions: ActionSet::TAP,
        ..Widget::default()
    };
    let mut trees = |size: u32| {
        let mut flat = TreeBuilder::new(&mut pool, "Flat");
        flat.open(widget("root", 0));
        for ix in 0..size {
            flat.leaf(widget("same", ix));
        }
        let flat = flat.finish();
        let mut deep = TreeBuilder::new(&mut pool, "Deep");
        for ix in 0..size {
            deep.open(widget("", ix % 3));
        }
        [GuiTree::empty(), flat, deep.finish(), GuiTree::empty()]
    };
    let huge = trees(5_000);
    for entry in REGISTRY {
        let mut model = Model::new(entry.build(), vec![ActionKind::Back]);
        for tree in &huge {
            model.arrive(&Arc::new(tree.clone()));
        }
        assert!(model.stats().states <= 3, "{}", entry.name);
    }
}

#[test]
fn the_registry_names_each_abstraction_once_with_a_sentence_and_a_source() {
    let names: BTreeSet<_> = REGISTRY.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), REGISTRY.len());
    assert!(REGISTRY.iter().all(|entry| entry.about.ends_with('.') && !entry.source.is_empty()));
    assert_eq!(REGISTRY[0].name, registry::DEFAULT);
}

/// What a function keeps of the initial tree: everything that was not learnt.
fn without_learnt(tree: &DecisionTree) -> toml::Table {
    fn strip(node: &mut toml::Table) {
        let Some(toml::Value::Array(branches)) = node.get_mut("branch") else { return };
        branches.retain(|branch| branch.get("learnt").is_none());
        for branch in branches.iter_mut().filter_map(toml::Value::as_table_mut) {
            strip(branch);
        }
        if branches.is_empty() {
            node.remove("branch");
        }
    }
    let mut written: toml::Table = toml::from_str(&tree.to_toml()).expect("its own TOML");
    strip(&mut written);
    written
}

fn any_rows() -> impl proptest::strategy::Strategy<Value = Vec<String>> {
    proptest::collection::vec("[a-d]", 0..6)
}

/// Ids that are there, and those that were.
struct Comings<Id> {
    here: BTreeSet<Id>,
    gone: BTreeSet<Id>,
}

impl<Id> Default for Comings<Id> {
    fn default() -> Self {
        Self { here: BTreeSet::new(), gone: BTreeSet::new() }
    }
}

impl<Id: Ord + Copy> Comings<Id> {
    /// These are there now, and none of them was gone before.
    fn never_return(&mut self, now: impl Iterator<Item = Id>) -> bool {
        let now: BTreeSet<Id> = now.collect();
        self.gone.extend(self.here.difference(&now).copied());
        self.here = now;
        self.here.is_disjoint(&self.gone)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_decisions_alone_tell_every_state_and_initial_nodes_are_never_replaced(
        screens in proptest::collection::vec(any_rows(), 2..20),
        taps in proptest::collection::vec((0usize..20, 0usize..6, 0usize..20), 0..60),
    ) {
        let trees: Vec<Arc<GuiTree>> = screens
            .iter()
            .map(|rows| list(&rows.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        let config = EvolveConfig { initial: stoat(), beta: Some(3), ..EvolveConfig::default() };
        let mut history = History::new(&config);
        let mut script = Script::new(config);
        for (from, row, to) in taps {
            let (from, to) = (&trees[from % trees.len()], &trees[to % trees.len()]);
            if from.nodes().len() < 2 {
                continue;
            }
            let node = NodeIx((row % (from.nodes().len() - 1)) as u32 + 1);
            let mut decisions = script.model.arrive(from).1;
            decisions.extend(script.model.arrive(to).1);
            let acted = Acted { node: Some(node), kind: ActionKind::Tap };
            decisions.extend(script.model.record(from, acted, to));
            for decision in decisions {
                history.add(decision).unwrap();
            }
            for tree in &trees {
                let levels = history.levels(tree);
                prop_assert_eq!(levels.last().unwrap().key, script.model.see(tree).named.key);
            }
        }
        for (_, tree) in history.namings() {
            prop_assert_eq!(without_learnt(tree), without_learnt(&stoat()));
            let again = DecisionTree::from_toml(&tree.to_toml()).unwrap();
            prop_assert_eq!(again.content_hash(), tree.content_hash());
        }
        for (one, other) in trees.iter().zip(trees.iter().rev()) {
            let why = history.why(one, other);
            let same = script.model.see(one).named.key == script.model.see(other).named.key;
            prop_assert_eq!(why.is_one(), same, "{}", why);
            prop_assert!(same || !why.differences.is_empty(), "{}", why);
        }
    }

    #[test]
    fn refinement_never_merges_and_ids_never_return(
        screens in proptest::collection::vec(any_rows(), 2..20),
        taps in proptest::collection::vec((0usize..20, 0usize..6, 0usize..20), 0..60),
    ) {
        let trees: Vec<Arc<GuiTree>> = screens
            .iter()
            .map(|rows| list(&rows.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        let abstraction = registry::find("evolving").unwrap().build();
        let mut model = Model::new(abstraction, vec![ActionKind::Back]);
        let mut retired = BTreeSet::new();
        let (mut actions, mut transitions) = (Comings::default(), Comings::default());
        for (from, row, to) in taps {
            let (from, to) = (&trees[from % trees.len()], &trees[to % trees.len()]);
            if from.nodes().len() < 2 {
                continue;
            }
            let node = NodeIx((row % (from.nodes().len() - 1)) as u32 + 1);
            let before: Vec<_> = trees.iter().map(|tree| (model.see(tree).state, model.see(tree).named.key)).collect();
            let known: Vec<_> = model.states().map(|state| (state.id, state.key, state.visits)).collect();
            let mut decisions = model.arrive(from).1;
            decisions.extend(model.arrive(to).1);
            decisions.extend(model.record(from, Acted { node: Some(node), kind: ActionKind::Tap }, to));
            prop_assert!(actions.never_return(model.actions().map(|action| action.id)));
            prop_assert!(transitions.never_return(model.transitions().map(|way| way.id)));
            for (id, key, visits) in known {
                // Only what the abstraction has changed is built again: the others are what they were.
                let state = model.state(id);
                prop_assert!(state.is_none_or(|state| state.key == key && state.visits >= visits));
                prop_assert!(state.is_some() || !decisions.is_empty(), "{id} went for no reason");
            }
            let coarsened = decisions.iter().any(|one| matches!(one, Decision::Coarsened { .. }));
            let after: Vec<_> = trees.iter().map(|tree| (model.see(tree).state, model.see(tree).named.key)).collect();
            for (ix, one) in after.iter().enumerate() {
                for (other_ix, other) in after.iter().enumerate() {
                    // What was two states stays two, unless something was coarsened.
                    prop_assert!(coarsened || one.1 != other.1 || before[ix].1 == before[other_ix].1);
                }
                if one.0 != before[ix].0 {
                    retired.insert(before[ix].0);
                }
                prop_assert!(!retired.contains(&one.0), "{} came back", one.0);
            }
        }
    }
}

/// A page with a title, a button, a tick and a list, and one thing in which it may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum But {
    Nothing,
    OtherTitle,
    OtherButtonText,
    Ticked,
    OneLabelMore,
    OneRowMore,
    OtherActivity,
    ButtonAndTickSwapped,
    OneContainerMore,
}

fn settings(but: But) -> Arc<GuiTree> {
    let bounds = Bounds::new(0, 0, 100, 100);
    let plain = |class: &str, text: &str| Widget {
        class: format!("android.widget.{class}").into(),
        text: text.into(),
        bounds,
        flags: Flags::ENABLED | Flags::VISIBLE,
        ..Widget::default()
    };
    let alive = |class: &str, text: &str, flags: Flags| {
        let widget = plain(class, text);
        Widget { flags: widget.flags | Flags::CLICKABLE | flags, actions: ActionSet::TAP, ..widget }
    };
    let mut pool = WidgetPool::default();
    let activity = if but == But::OtherActivity { "Other" } else { "Main" };
    let mut builder = TreeBuilder::new(&mut pool, activity);
    builder.window(Window::application(bounds));
    builder.open(plain("LinearLayout", ""));
    let mut leaves = vec![
        plain("TextView", if but == But::OtherTitle { "Others" } else { "Settings" }),
        Widget {
            resource_id: "ok".into(),
            ..alive("Button", if but == But::OtherButtonText { "Yes" } else { "OK" }, Flags::empty())
        },
        alive(
            "CheckBox",
            "Sync",
            Flags::CHECKABLE | if but == But::Ticked { Flags::CHECKED } else { Flags::empty() },
        ),
    ];
    if but == But::ButtonAndTickSwapped {
        leaves.swap(1, 2);
    }
    let mut index = 0;
    for leaf in leaves {
        builder.leaf(Widget { index, ..leaf });
        index += 1;
    }
    builder.open(Widget { index, ..plain("ListView", "") });
    for (row, text) in
        ["a", "b", "c"].into_iter().take(if but == But::OneRowMore { 3 } else { 2 }).enumerate()
    {
        builder.leaf(Widget { index: row as u32, ..alive("TextView", text, Flags::empty()) });
    }
    builder.close();
    index += 1;
    if but == But::OneLabelMore {
        builder.leaf(Widget { index, ..plain("TextView", "Version 2") });
    }
    if but == But::OneContainerMore {
        builder.open(Widget { index, ..plain("FrameLayout", "") });
        builder.leaf(plain("TextView", "Version 2"));
        builder.close();
    }
    builder.close();
    Arc::new(builder.finish())
}

#[test]
fn each_fixed_abstraction_tells_states_apart_by_what_its_paper_says_and_by_nothing_else() {
    use But::{
        ButtonAndTickSwapped, OneContainerMore, OneLabelMore, OneRowMore, OtherActivity, OtherButtonText,
        OtherTitle, Ticked,
    };
    let all = [
        OtherTitle,
        OtherButtonText,
        Ticked,
        OneLabelMore,
        OneRowMore,
        OtherActivity,
        ButtonAndTickSwapped,
        OneContainerMore,
    ];
    let wanted: [(&str, &[But]); 12] = [
        ("activity", &[OtherActivity]),
        ("amola-c-lv1", &[]),
        ("amola-c-lv2", &[OtherActivity]),
        ("amola-c-lv3", &[OtherActivity, OneContainerMore]),
        ("amola-c-lv4", &[OneRowMore, OtherActivity, OneContainerMore]),
        (
            "amola-c-lv5",
            &[
                OtherTitle,
                OtherButtonText,
                OneLabelMore,
                OneRowMore,
                OtherActivity,
                ButtonAndTickSwapped,
                OneContainerMore,
            ],
        ),
        ("stoat", &[OneLabelMore, OtherActivity, OneContainerMore]),
        (
            "droidbot-content",
            &[OtherTitle, OtherButtonText, Ticked, OneLabelMore, OneRowMore, OtherActivity, OneContainerMore],
        ),
        ("droidbot-structure", &[OtherActivity, OneContainerMore]),
        ("fastbot", &[OtherActivity]),
        ("swifthand", &[Ticked, OneRowMore, OtherActivity, ButtonAndTickSwapped]),
        ("finest", &all),
    ];
    let fixed = REGISTRY.iter().filter(|entry| entry.evolves().is_none()).count();
    assert_eq!(wanted.len(), fixed, "each of the registry is here");
    for (name, apart) in wanted {
        let mut abstraction = registry::find(name).expect("it is registered").build();
        let plain = abstraction.name_tree(&settings(But::Nothing)).key;
        let told: Vec<But> =
            all.into_iter().filter(|&but| abstraction.name_tree(&settings(but)).key != plain).collect();
        assert_eq!(told, apart, "{name}");
    }
    let levels: Vec<&[But]> =
        wanted.iter().filter(|(name, _)| name.starts_with("amola")).map(|(_, apart)| *apart).collect();
    assert_eq!(levels.len(), 5);
    for level in levels.windows(2) {
        assert!(level[0].iter().all(|but| level[1].contains(but)), "each level tells more: {level:?}");
    }
}

#[test]
fn each_fixed_abstraction_gives_a_reason_and_says_what_does_not_count() {
    let ways = [
        But::OtherTitle,
        But::OtherButtonText,
        But::Ticked,
        But::OneLabelMore,
        But::OneRowMore,
        But::OtherActivity,
        But::ButtonAndTickSwapped,
        But::OneContainerMore,
    ];
    for entry in REGISTRY {
        let AnyAbstraction::Fixed(mut fixed) = entry.build() else { continue };
        for but in ways {
            let (plain, changed) = (settings(But::Nothing), settings(but));
            let why = fixed.why(&plain, &changed);
            let said = format!("{}, {but:?}: {why}", entry.name);
            assert_eq!(why.is_one(), fixed.name_tree(&plain).key == fixed.name_tree(&changed).key, "{said}");
            assert!(!why.differences.is_empty(), "{said}");
            let of_no_account = |difference: &String| difference.starts_with("does not count: ");
            assert!(why.differences.iter().all(|one| of_no_account(one) == why.is_one()), "{said}");
            assert!(said.ends_with("this abstraction never changes; no decision was made\n"), "{said}");
        }
        let same = fixed.why(&settings(But::Nothing), &settings(But::Nothing));
        assert_eq!(same.differences, ["the screens are the same"]);
    }
}

#[test]
fn stoat_says_that_the_order_of_the_files_does_not_count() {
    let AnyAbstraction::Fixed(mut stoat) = registry::find("stoat").expect("it is registered").build() else {
        panic!("it never changes");
    };
    let why = stoat.why(&ti(), &tj()).to_string();
    assert!(why.starts_with("one state: "), "{why}");
    assert!(why.contains("does not count: the first has 1 × <{i=0,c=TextView,t=XLSX}> more"), "{why}");
}

/// Tabs of which one is selected, and perhaps a toast.
fn tabs(selected: usize, toast: Option<&str>) -> Arc<GuiTree> {
    let bounds = Bounds::new(0, 0, 100, 100);
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "Main");
    builder.window(Window::application(bounds));
    for (index, text) in ["All", "Unread"].into_iter().enumerate() {
        let chosen = if index == selected { Flags::SELECTED } else { Flags::empty() };
        builder.leaf(Widget {
            class: "android.widget.TextView".into(),
            text: text.into(),
            index: index as u32,
            flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE | chosen,
            actions: ActionSet::TAP,
            bounds,
            ..Widget::default()
        });
    }
    if let Some(text) = toast {
        builder.window(Window { kind: WindowKind::Toast, layer: 1, ..Window::application(bounds) });
        builder.leaf(Widget { text: text.into(), bounds, ..Widget::default() });
    }
    Arc::new(builder.finish())
}

#[test]
fn a_toast_is_no_reason_for_two_states() {
    let initial = DecisionTree::uniform(Reducer::CLASS | Reducer::TEXT);
    let evolving = History::new(&EvolveConfig { initial, ..EvolveConfig::default() });
    let AnyAbstraction::Fixed(mut fixed) =
        registry::find("droidbot-content").expect("it is registered").build()
    else {
        panic!("it never changes");
    };
    let (one, other) = (tabs(0, None), tabs(1, Some("Saved")));
    for why in [evolving.why(&one, &other), fixed.why(&one, &other)] {
        let said = why.to_string();
        assert!(said.starts_with("two states: ") && said.contains("All | selected"), "{said}");
        assert!(!said.contains("windows") && !said.contains("Toast") && !said.contains("Saved"), "{said}");
    }
    // Where nothing else differs, it is said that the toast does not count.
    let other = tabs(0, Some("Saved"));
    for why in [evolving.why(&one, &other), fixed.why(&one, &other)] {
        let said = why.to_string();
        assert!(said.starts_with("one state: ") && said.contains("does not count: the windows of"), "{said}");
    }
}

#[test]
fn a_name_of_which_the_state_takes_no_notice_is_no_reason_for_two_states() {
    let initial = DecisionTree::from_toml(
        "reducer = \"c\"\n[[branch]]\nselect = [{ class = \"android.widget.TextView\" }]\nreducer = \"c+t\"\ncounts_as = \"c\"\n",
    )
    .expect("it is a decision tree");
    let history = History::new(&EvolveConfig { initial, ..EvolveConfig::default() });
    let rows = ["XLSX", "PPTX"].map(|row| list(&[row]));
    assert!(history.why(&rows[0], &rows[1]).is_one());
    let why = history.why(&settings(But::Nothing), &settings(But::OneRowMore));
    assert!(why.is_one(), "a text that does not count: {why}");
    let why = history.why(&settings(But::OtherTitle), &settings(But::OneContainerMore));
    let [reason] = &why.differences[..] else { panic!("{why}") };
    assert!(reason.contains("FrameLayout"), "{why}");
}

#[test]
fn what_nothing_separates_again_on_the_same_screens_is_told_once_with_how_often() {
    let mut history = History::new(&EvolveConfig::default());
    let tree = ti();
    let state = history.levels(&tree).last().expect("there is the first").key;
    for outcomes in [2, 4, 8] {
        let action = "tap <{c=TextView}>".to_owned();
        let found = Decision::NotSeparable { state, outcomes, action, trees: vec![tree.hash()] };
        history.add(found).expect("no gap");
    }
    let other = Decision::NotSeparable {
        state,
        outcomes: 2,
        action: "long tap <{c=TextView}>".to_owned(),
        trees: vec![tree.hash()],
    };
    history.add(other).expect("no gap");
    let decisions = history.why(&tree, &tree).decisions.expect("it evolves");
    let [thrice, once] = &decisions[..] else { panic!("{decisions:?}") };
    assert!(thrice.starts_with("tap ") && thrice.contains("to 8 states from the same screen"), "{thrice}");
    assert!(thrice.ends_with(" (found 3 times)"), "{thrice}");
    assert!(once.starts_with("long tap ") && !once.contains("times"), "{once}");
}

#[test]
fn a_decision_names_a_screen_once_and_makes_no_state_of_one() {
    let (state, tree, naming) = (StateKey(7), TreeHash(9), NamingId(3));
    let change = Change { selector: AttributePath::default(), reducer: Reducer::CLASS, way: Way::Insert };
    let name = "<{}>".to_owned();
    let refined = |change: Change, states: usize| {
        let name = name.clone();
        let trees = (tree, tree);
        history::words(&Decision::StateRefined { state, name, trees, change, place: None, states, naming })
    };
    for said in [refined(change.clone(), 1), refined(change.clone(), 2), refined(Change::by_opener(), 2)] {
        assert_eq!(said.matches(&tree.to_string()).count(), 1, "{said}");
    }
    assert!(refined(change.clone(), 1).ends_with("(tree 3; the state stays one)"));
    assert!(refined(change.clone(), 2).ends_with("(tree 3 makes 2 states of one)"));
    let reverted = |states: usize| {
        let barred = change.clone();
        history::words(&Decision::Coarsened { state, states, beta: 8, reverted: naming, barred, given_up: 0 })
    };
    assert!(!reverted(1).contains("together") && !reverted(1).contains("1 state"), "{}", reverted(1));
    assert!(reverted(2).contains("2 states come together again"), "{}", reverted(2));
    assert!(reverted(9).contains("9 states of one, more than 8"), "{}", reverted(9));
}

#[test]
fn in_every_abstraction_widgets_with_different_actions_have_different_names() {
    let bounds = Bounds::new(0, 0, 100, 100);
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "Main");
    builder.window(Window::application(bounds));
    builder.open(Widget { class: "android.widget.ListView".into(), bounds, ..Widget::default() });
    let kinds =
        [ActionSet::TAP, ActionSet::TAP | ActionSet::LONG_TAP, ActionSet::SCROLL_DOWN, ActionSet::PINCH];
    for actions in kinds {
        // But for what can be done to it, each is like the others.
        let flags = Flags::ENABLED | Flags::VISIBLE;
        builder.leaf(Widget {
            class: "android.view.View".into(),
            bounds,
            flags,
            actions,
            ..Widget::default()
        });
    }
    builder.close();
    let tree = Arc::new(builder.finish());
    for entry in REGISTRY {
        let named = entry.build().name_tree(&tree);
        let distinct: BTreeSet<NameId> =
            tree.indices().skip(1).map(|node| named.names[node.0 as usize]).collect();
        assert_eq!(distinct.len(), kinds.len(), "{}", entry.name);
    }
}
