//! What the papers say about abstractions, by number.

mod support;

use std::sync::Arc;

use proptest::prelude::*;
use siamang::abstraction::evolve::Ranking;
use siamang::abstraction::registry::{self, AnyAbstraction, REGISTRY};
use siamang::abstraction::tree::children_of;
use siamang::abstraction::{
    Abstraction, Appearance, Decision, DecisionTree, Evidence, EvolveConfig, Evolving, Fork, GuiAction,
    History, NameId, Reducer,
};
use siamang::action::ActionKind;
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, Bounds, Flags, GuiStore, GuiTree, NodeIx, TreeBuilder, Widget};
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
    let distinct = |names: &[String]| names.iter().collect::<std::collections::BTreeSet<_>>().len();

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
    let names: std::collections::BTreeSet<_> = REGISTRY.iter().map(|entry| entry.name).collect();
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
        let mut retired = std::collections::BTreeSet::new();
        for (from, row, to) in taps {
            let (from, to) = (&trees[from % trees.len()], &trees[to % trees.len()]);
            if from.nodes().len() < 2 {
                continue;
            }
            let node = NodeIx((row % (from.nodes().len() - 1)) as u32 + 1);
            let before: Vec<_> = trees.iter().map(|tree| (model.see(tree).state, model.see(tree).named.key)).collect();
            let mut decisions = model.arrive(from).1;
            decisions.extend(model.arrive(to).1);
            decisions.extend(model.record(from, Acted { node: Some(node), kind: ActionKind::Tap }, to));
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
