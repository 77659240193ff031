//! What the evolving abstraction takes for a reason, beside the names of widgets, and what it asks for first.

mod support;

use std::sync::Arc;

use siamang::abstraction::fixed::Identity;
use siamang::abstraction::registry::{self, AnyAbstraction};
use siamang::abstraction::{
    Abstraction, Appearance, Decision, DecisionTree, Evolving, Fixed, History, NameId, Reducer, StateKey, Way,
};
use siamang::action::{ActionKind, Input};
use siamang::gui::opener::opened;
use siamang::gui::tree::WidgetPool;
use siamang::gui::{
    ActionSet, Bounds, Flags, GuiTree, NodeIx, Opener, Point, TreeBuilder, Widget, Window, WindowKind,
};
use siamang::model::{Acted, Model};
use support::toy::list_tree;

const SCREEN: Bounds = Bounds { left: 0, top: 0, right: 100, bottom: 100 };

fn button(id: &str, text: &str, left: i32) -> Widget {
    Widget {
        class: "android.widget.Button".into(),
        resource_id: id.into(),
        text: text.into(),
        bounds: Bounds::new(left, 0, left + 10, 100),
        flags: Flags::ENABLED | Flags::CLICKABLE,
        actions: ActionSet::TAP,
        ..Widget::default()
    }
}

/// Two buttons, and perhaps a question over them that is always asked in the same words.
fn page(activity: &str, is_asked: bool) -> Arc<GuiTree> {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, activity);
    builder.window(Window::application(SCREEN));
    builder.open(Widget { bounds: SCREEN, ..Widget::default() });
    builder.leaf(button("one", "One", 0));
    builder.leaf(button("two", "Two", 50));
    builder.close();
    if is_asked {
        builder.window(Window { kind: WindowKind::Dialog, modal: true, ..Window::application(SCREEN) });
        builder.leaf(button("yes", "Yes", 0));
    }
    Arc::new(builder.finish())
}

/// A model of the evolving abstraction, and what it decided.
struct Told {
    model: Model,
    decisions: Vec<Decision>,
}

impl Told {
    fn new() -> Self {
        let abstraction = registry::find("evolving").expect("it is registered").build();
        Self { model: Model::new(abstraction, vec![ActionKind::Back]), decisions: Vec::new() }
    }

    fn arrive(&mut self, tree: &Arc<GuiTree>) {
        self.decisions.extend(self.model.arrive(tree).1);
    }

    fn tap(&mut self, from: &Arc<GuiTree>, node: NodeIx, to: &Arc<GuiTree>) {
        self.act(from, Acted { node: Some(node), kind: ActionKind::Tap }, to);
    }

    fn back(&mut self, from: &Arc<GuiTree>, to: &Arc<GuiTree>) {
        self.act(from, Acted { node: None, kind: ActionKind::Back }, to);
    }

    fn act(&mut self, from: &Arc<GuiTree>, acted: Acted, to: &Arc<GuiTree>) {
        self.arrive(to);
        self.decisions.extend(self.model.record(from, acted, to));
    }

    fn name(&mut self, tree: &GuiTree, node: NodeIx) -> (StateKey, NameId) {
        let named = self.model.abstraction_mut().name_tree(tree);
        (named.key, named.names[node.0 as usize])
    }

    fn ways(&self) -> Vec<Way> {
        let way = |decision: &Decision| match decision {
            Decision::ActionRefined { change, .. } | Decision::StateRefined { change, .. } => {
                Some(change.way)
            }
            _ => None,
        };
        self.decisions.iter().filter_map(way).collect()
    }
}

const YES: NodeIx = NodeIx(3);
const UP: NodeIx = NodeIx(1);

/// Asks by each of the two buttons in turn and answers yes; `goes` says where the answers lead.
fn ask(told: &mut Told, activity: &str, times: usize, goes: [&Arc<GuiTree>; 2]) -> [Arc<GuiTree>; 2] {
    let (open, question) = (page(activity, false), page(activity, true));
    let asked = [5, 55].map(|x| opened(&open, &Input::Tap(Point { x, y: 5 }), &question));
    for turn in 0..times {
        let by = turn % 2;
        told.arrive(&open);
        told.tap(&open, NodeIx(by as u32 + 1), &asked[by]);
        told.tap(&asked[by], YES, goes[by]);
    }
    asked
}

#[test]
fn a_question_that_leads_elsewhere_is_told_apart_by_what_asks_it() {
    let mut told = Told::new();
    let goals = ["A", "B"].map(|activity| page(activity, false));
    let asked = ask(&mut told, "Main", 8, [&goals[0], &goals[1]]);
    assert_eq!(told.ways(), [Way::Opener], "{:?}", told.decisions);
    let [one, two] = asked.each_ref().map(|tree| told.name(tree, YES));
    assert_ne!(one.0, two.0, "two states");
    assert_ne!(one.1, two.1, "and what was answered in one was not answered in the other");
    assert_eq!(told.model.stats().nondeterministic, 0);
    let mut history = History::new(told.model.abstraction().evolving().expect("it evolves").config());
    for decision in &told.decisions {
        history.add(decision.clone()).expect("no gap");
    }
    assert_eq!(history.levels(&asked[0]).last().map(|level| level.key), Some(one.0));
    let why = history.why(&asked[0], &asked[1]).to_string();
    assert!(why.contains("two states") && why.contains("opened by something else"), "{why}");
}

#[test]
fn a_question_whose_answer_does_not_depend_on_who_asks_is_one_state() {
    let mut told = Told::new();
    let goal = page("A", false);
    let asked = ask(&mut told, "Main", 12, [&goal, &goal]);
    assert_eq!(told.ways(), []);
    assert_eq!(told.name(&asked[0], YES), told.name(&asked[1], YES));
}

#[test]
fn what_told_questions_apart_on_two_states_is_not_learnt_again_on_a_third() {
    let mut told = Told::new();
    let goals = ["A", "B"].map(|activity| page(activity, false));
    for activity in ["First", "Second"] {
        ask(&mut told, activity, 8, [&goals[0], &goals[1]]);
    }
    let asked = ask(&mut told, "Third", 1, [&goals[0], &goals[1]]);
    assert_eq!(told.ways().len(), 3);
    assert_ne!(told.name(&asked[0], YES).0, told.name(&asked[1], YES).0);
}

/// A list whose newest row is on top.
fn inbox(messages: u32) -> Arc<GuiTree> {
    let news: Vec<String> = (0..messages).rev().map(|number| format!("Message {number}")).collect();
    let rows: Vec<&str> =
        news.iter().map(String::as_str).chain(["Settings", "Help", "About", "Terms"]).collect();
    Arc::new(list_tree(&mut WidgetPool::default(), "Inbox", &rows))
}

fn row(tree: &GuiTree, text: &str) -> NodeIx {
    tree.indices().find(|&ix| tree.widget(ix).text == text).expect("the row is there")
}

#[test]
fn the_rows_of_a_list_that_grows_get_their_names_and_the_list_stays_one_state() {
    let mut told = Told::new();
    let goals = ["Settings", "Help"].map(|activity| page(activity, false));
    for visit in 1..=12_u32 {
        let list = inbox(visit);
        let which = (visit % 2) as usize;
        told.arrive(&list);
        told.tap(&list, row(&list, ["Settings", "Help"][which]), &goals[which]);
    }
    assert!(told.ways().contains(&Way::Names), "{:?}", told.ways());
    let (short, long) = (inbox(3), inbox(12));
    let [a, b] = [&short, &long].map(|list| told.name(list, row(list, "Settings")));
    assert_eq!(a, b, "one state, and one name for one row");
    assert_ne!(b, told.name(&long, row(&long, "Help")));
    // The tree that says so is read as it was written, and names as it did.
    let evolving = told.model.abstraction().evolving().expect("it evolves");
    let named = evolving_naming(evolving, &told.decisions);
    assert!(named.to_toml().contains("counts_as"), "{}", named.to_toml());
    assert_eq!(DecisionTree::from_toml(&named.to_toml()).expect("it is read"), named);
}

/// The function of the last refinement.
fn evolving_naming(evolving: &Evolving, decisions: &[Decision]) -> DecisionTree {
    let last = decisions.iter().rev().find_map(|decision| match decision {
        Decision::StateRefined { naming, .. } | Decision::ActionRefined { naming, .. } => Some(*naming),
        _ => None,
    });
    evolving.naming(last.expect("a refinement")).clone()
}

/// A page with tabs of which one is chosen, and a text that may differ.
fn tabs(chosen: usize, clock: &str) -> Arc<GuiTree> {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "Tabs");
    builder.window(Window::application(SCREEN));
    builder.open(Widget { bounds: SCREEN, ..Widget::default() });
    for (ix, text) in ["First", "Second"].into_iter().enumerate() {
        let mut tab = button("tab", text, 20 * ix as i32);
        if ix == chosen {
            tab.flags |= Flags::SELECTED;
        }
        builder.leaf(tab);
    }
    builder.leaf(button("go", "Go", 60));
    builder.leaf(Widget { resource_id: "clock".into(), text: clock.into(), ..button("", "", 80) });
    Arc::new(builder.finish())
}

const GO: NodeIx = NodeIx(3);

#[test]
fn what_is_chosen_tells_states_apart_at_once_and_a_text_only_when_it_came_again() {
    let goals = ["A", "B"].map(|activity| page(activity, false));
    let mut told = Told::new();
    for chosen in [0, 1] {
        let tree = tabs(chosen, "");
        told.arrive(&tree);
        told.tap(&tree, GO, &goals[chosen]);
    }
    let [one, two] = [0, 1].map(|chosen| told.name(&tabs(chosen, ""), GO));
    assert_ne!(one.0, two.0, "{:?}", told.decisions);
    let mut told = Told::new();
    for (turn, clock) in ["10:01", "10:02"].into_iter().enumerate() {
        let tree = tabs(0, clock);
        told.arrive(&tree);
        told.tap(&tree, GO, &goals[turn]);
    }
    let [one, two] = ["10:01", "10:02"].map(|clock| told.name(&tabs(0, clock), GO));
    assert_eq!(one, two, "two readings of a clock explain nothing: {:?}", told.decisions);
}

#[test]
fn which_of_several_things_is_chosen_is_a_state_before_anything_leads_elsewhere() {
    let mut told = Told::new();
    for chosen in [0, 1] {
        told.arrive(&tabs(chosen, ""));
    }
    let [one, two] = [0, 1].map(|chosen| told.name(&tabs(chosen, ""), GO));
    assert_ne!(one, two, "{:?}", told.decisions);
    assert_eq!(told.name(&tabs(0, "10:02"), GO), one, "a clock is no choice");
    assert_eq!(told.name(&tabs(2, ""), GO).0, told.name(&tabs(2, "10:02"), GO).0, "nothing is chosen");
}

#[test]
fn rows_that_have_moved_are_named_by_what_they_say_before_anybody_taps_one() {
    let list = |rows: &[&str]| Arc::new(list_tree(&mut WidgetPool::default(), "Drive", rows));
    let (one, other) = (list(&["Bread", "Milk", "Figs", "Salt"]), list(&["Salt", "Bread", "Milk", "Figs"]));
    let mut told = Told::new();
    told.arrive(&one);
    assert_ne!(
        told.name(&one, row(&one, "Milk")).1,
        told.name(&other, row(&other, "Milk")).1,
        "by their places"
    );
    told.arrive(&other);
    assert_eq!(
        told.name(&one, row(&one, "Milk")),
        told.name(&other, row(&other, "Milk")),
        "{:?}",
        told.decisions
    );
    assert_ne!(told.name(&one, row(&one, "Milk")).1, told.name(&one, row(&one, "Figs")).1);
    // One row more is the same state still.
    let longer = list(&["Tea", "Salt", "Bread", "Milk", "Figs"]);
    told.arrive(&longer);
    assert_eq!(told.name(&longer, row(&longer, "Milk")), told.name(&one, row(&one, "Milk")));
}

#[test]
fn what_leads_to_what_lies_below_is_named_by_it_and_is_no_work() {
    let below = |activity: &str| Arc::new(page("Details", false).opened_by(Opener::below(activity)));
    let (from_list, from_search) = (below("List"), below("Search"));
    let goals = ["List", "Search"].map(|activity| page(activity, false));
    let mut told = Told::new();
    for (tree, goal) in [&from_list, &from_search].into_iter().zip(&goals) {
        told.arrive(tree);
        told.arrive(goal);
        told.tap(tree, UP, goal);
    }
    let [one, two] = [&from_list, &from_search].map(|tree| told.name(tree, UP));
    assert_eq!(one.0, two.0, "one state: {:?}", told.decisions);
    assert_ne!(one.1, two.1, "two names");
    assert_eq!(told.ways(), [Way::Below]);
    assert_eq!(told.model.stats().nondeterministic, 0);
    // Another activity's need not be tried.
    let elsewhere = Arc::new(page("Other", false).opened_by(Opener::below("Details")));
    let sight = told.model.see(&elsewhere);
    let place = sight.reach.iter().position(|reach| reach.node == UP).expect("it can be tapped");
    assert!(told.model.action(sight.actions[place]).expect("it is there").is_saturated());
}

#[test]
fn back_is_named_by_what_lies_below_and_known_as_soon_as_it_was_done_once() {
    let below = |activity: &str| Arc::new(page("Details", false).opened_by(Opener::below(activity)));
    let mut told = Told::new();
    for activity in ["List", "Search", "List"] {
        let (tree, goal) = (below(activity), page(activity, false));
        told.arrive(&tree);
        told.arrive(&goal);
        told.back(&tree, &goal);
    }
    let sight = told.model.see(&below("Archive"));
    assert_eq!(sight.state, told.model.see(&below("List")).state, "one state");
    let back = |told: &mut Told, activity| {
        let sight = told.model.see(&below(activity));
        let (_, id) = *sight.phone.first().expect("BACK can always be pressed");
        told.model.action(id).expect("it is there").clone()
    };
    let [list, search, archive] = ["List", "Search", "Archive"].map(|activity| back(&mut told, activity));
    assert_eq!([list.visits, search.visits, archive.visits], [2, 1, 0]);
    assert_eq!([list.out.len(), search.out.len()], [1, 1], "no fork");
    assert_eq!(told.model.stats().nondeterministic, 0);
    assert!(!archive.is_untried(), "what BACK does here is known");
    // Without something known below it is an action of the phone like others.
    let plain = told.model.see(&page("Details", false));
    let (_, id) = plain.phone[0];
    assert_eq!(told.model.action(id).expect("it is there").name, NameId::NONE);
}

#[test]
fn what_leads_elsewhere_whatever_lies_below_is_no_return() {
    let below = |activity: &str| Arc::new(page("Details", false).opened_by(Opener::below(activity)));
    let mut told = Told::new();
    for (over, to) in [("List", "Help"), ("Search", "About"), ("List", "About")] {
        let (tree, goal) = (below(over), page(to, false));
        told.arrive(&tree);
        told.arrive(&goal);
        told.tap(&tree, UP, &goal);
    }
    assert!(!told.ways().contains(&Way::Below), "{:?}", told.decisions);
}

#[test]
fn what_the_last_screens_of_a_state_did_not_offer_is_no_work_and_is_forgotten_in_the_end() {
    let by_text = DecisionTree::uniform(Reducer::TEXT);
    let fixed = Fixed::new(by_text, Appearance::default(), Identity::Activity);
    let mut model = Model::new(AnyAbstraction::Fixed(Box::new(fixed)), vec![ActionKind::Back]);
    let screen = |number: u32| {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "Feed");
        builder.leaf(button("row", &format!("Row {number}"), 0));
        Arc::new(builder.finish())
    };
    let first = screen(0);
    let state = model.arrive(&first).0.state;
    let done = Acted { node: Some(NodeIx(0)), kind: ActionKind::Tap };
    assert!(model.has_work(model.state(state).expect("it is there")));
    for number in 1..=5 {
        let next = screen(number);
        model.arrive(&next);
        model.record(&next, done, &next);
    }
    assert!(!model.has_work(model.state(state).expect("it is there")), "row 0 is gone, the others are done");
    model.arrive(&first);
    assert!(model.has_work(model.state(state).expect("it is there")), "row 0 is back");
    for number in 6..3_000 {
        model.arrive(&screen(number));
    }
    let kept = model.state(state).expect("it is there").actions.len();
    assert!(kept <= 513, "{kept} actions");
    assert_eq!(model.stats().actions, kept);
}
