//! What the decisions of a run come to: the functions that it used, and why two screens are one state or two.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::decision::Decision;
use super::digest::{Appearance, Digest};
use super::evolve::EvolveConfig;
use super::reducer::Reducer;
use super::tree::{Change, DecisionTree, Place, Way, WithActions};
use super::why::{Part, Why, contexts, count, irrelevant, only_in_one};
use super::{NameId, NamingId, StateKey, hash_names, opener_key};
use crate::gui::{GuiTree, NodeIx};

/// An evolving abstraction, told by its decisions alone: no screen but those that are asked about is needed.
#[derive(Clone, Debug)]
pub struct History {
    appearance: Appearance,
    namings: BTreeMap<NamingId, DecisionTree>,
    /// The function that refines a state, and the decision that made it.
    refined: FxHashMap<StateKey, (NamingId, usize)>,
    /// What was decided about a state without refining it for good: reverted, or nothing to be done.
    failed: FxHashMap<StateKey, Vec<usize>>,
    decisions: Vec<Decision>,
}

/// The decisions do not tell which functions there were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The log is older than what is asked of it.
    #[error(
        "the log does not say where its decision trees were changed; it is of an older siamang: explore again"
    )]
    NoPlace,
    /// A function was changed that was never made: some decisions are lost.
    #[error(
        "decision {number} changes a decision tree that no earlier one made: the log has a gap, or the run did not start from this tree"
    )]
    Gap {
        /// Which decision it is, from 1.
        number: usize,
    },
}

/// One step of naming a screen.
#[derive(Clone, Debug)]
pub struct Level {
    /// The state by this function: final, or refined by the next level's.
    pub key: StateKey,
    /// The function.
    pub naming: NamingId,
    names: Vec<NameId>,
    /// What counts towards the state, widget by widget.
    counted: Vec<NameId>,
    /// How the state above was refined.
    way: Option<Way>,
}

impl History {
    /// Before any decision.
    pub fn new(config: &EvolveConfig) -> Self {
        Self {
            appearance: config.appearance,
            namings: BTreeMap::from([(NamingId(0), config.initial.clone())]),
            refined: FxHashMap::default(),
            failed: FxHashMap::default(),
            decisions: Vec::new(),
        }
    }

    /// The next decision.
    pub fn add(&mut self, decision: Decision) -> Result<(), HistoryError> {
        let number = self.decisions.len();
        match &decision {
            // The state stays what it is: only what can be done there has other names.
            Decision::StateRefined { state, change, .. } if change.way == Way::Below => {
                self.failed.entry(*state).or_default().push(number);
            }
            Decision::ActionRefined { state, change, place, naming, .. }
            | Decision::StateRefined { state, change, place, naming, .. } => {
                let Place { naming: from, node } = place.ok_or(HistoryError::NoPlace)?;
                let gap = HistoryError::Gap { number: number + 1 };
                let before =
                    self.namings.get(&from).filter(|tree| (node as usize) < tree.len()).ok_or(gap)?;
                let after = before.changed(node as usize, change).hashed();
                self.namings.entry(*naming).or_insert(after);
                self.refined.insert(*state, (*naming, number));
            }
            Decision::Coarsened { state, .. } => {
                // What was refined below it cannot be reached any more: the reverted function is never tried there again.
                self.refined.remove(state);
                self.failed.entry(*state).or_default().push(number);
            }
            Decision::NotSeparable { state, .. } | Decision::NotSplit { state, .. } => {
                self.failed.entry(*state).or_default().push(number);
            }
        }
        self.decisions.push(decision);
        Ok(())
    }

    /// One of the functions.
    pub fn naming(&self, id: NamingId) -> Option<&DecisionTree> {
        self.namings.get(&id)
    }

    /// All functions.
    pub fn namings(&self) -> impl Iterator<Item = (NamingId, &DecisionTree)> {
        self.namings.iter().map(|(&id, tree)| (id, tree))
    }

    /// How a screen is named: by the initial function, then by each that refines its state.
    pub fn levels(&self, tree: &GuiTree) -> Vec<Level> {
        let digest = Digest::of(tree, self.appearance);
        let mut levels: Vec<Level> = Vec::new();
        let (mut naming, mut way) = (NamingId(0), None);
        while let Some(function) = self.namings.get(&naming) {
            let mut names = Vec::with_capacity(digest.locals.len());
            function.names(&digest, &mut names);
            let counted = function.counted(&digest).unwrap_or_else(|| names.clone());
            let key = match levels.last() {
                Some(above) if way == Some(Way::Opener) => opener_key(above.key, tree.opener()),
                above => {
                    let counting = counted.iter().filter(|name| **name != NameId::NONE);
                    let mut counting: Vec<u64> = counting.map(|name| name.0).collect();
                    let context = above.map_or(digest.context, |above| above.key.0);
                    hash_names(context, function.content_hash(), &mut counting)
                }
            };
            levels.push(Level { key, naming, names, counted, way });
            match self.refined.get(&key) {
                Some((next, number)) => (naming, way) = (*next, self.way_of(*number)),
                None => break,
            }
        }
        levels
    }

    /// How a decision refined a state.
    fn way_of(&self, number: usize) -> Option<Way> {
        match &self.decisions[number] {
            Decision::ActionRefined { change, .. } | Decision::StateRefined { change, .. } => {
                Some(change.way)
            }
            Decision::Coarsened { .. } | Decision::NotSeparable { .. } | Decision::NotSplit { .. } => None,
        }
    }

    /// A screen's state and the names of its widgets in words, with how often each occurs.
    pub fn names(&self, tree: &GuiTree) -> String {
        let levels = self.levels(tree);
        let Some(level) = levels.last() else { return String::new() };
        let Some(function) = self.namings.get(&level.naming) else { return String::new() };
        let named = tree.indices().filter(|ix| level.names[ix.0 as usize] != NameId::NONE);
        let counts = count(function.words(tree, named, self.appearance, WithActions::Yes));
        let mut text = format!("state {} by tree {}\n", level.key, level.naming.0);
        for (words, count) in counts {
            let _ = writeln!(text, "{count:>4} × {words}");
        }
        text
    }

    /// Why two screens are one state or two.
    pub fn why(&self, one: &GuiTree, other: &GuiTree) -> Why {
        let (left, right) = (self.levels(one), self.levels(other));
        let shared = left.iter().zip(&right).take_while(|(left, right)| left.key == right.key).count();
        let at = shared.min(left.len() - 1).min(right.len() - 1);
        let states = (left[at].key, right[at].key);
        let differences = if states.0 == states.1 {
            irrelevant(one, other)
        } else {
            self.telling(one, &left[at], other, &right[at])
        };
        let mut numbers: Vec<usize> = Vec::new();
        for level in &left[..at] {
            numbers.extend(self.refined.get(&level.key).map(|(_, number)| *number));
        }
        for level in left[..=at].iter().chain(&right[..=at]) {
            numbers.extend(self.failed.get(&level.key).into_iter().flatten());
        }
        numbers.sort_unstable();
        numbers.dedup();
        Why { states, differences, decisions: Some(self.told(&numbers)) }
    }

    /// Decisions in words. What was found again on the same screens is told once, as it was found last.
    fn told(&self, numbers: &[usize]) -> Vec<String> {
        let mut told: Vec<(&Decision, usize)> = Vec::with_capacity(numbers.len());
        for decision in numbers.iter().map(|number| &self.decisions[*number]) {
            match told.iter_mut().find(|(known, _)| is_found_again(known, decision)) {
                Some((known, times)) => (*known, *times) = (decision, *times + 1),
                None => told.push((decision, 1)),
            }
        }
        let line = |(decision, times): (&Decision, usize)| match times {
            1 => words(decision),
            _ => format!("{} (found {times} times)", words(decision)),
        };
        told.into_iter().map(line).collect()
    }

    /// What tells two screens apart under a function.
    fn telling(&self, one: &GuiTree, left: &Level, other: &GuiTree, right: &Level) -> Vec<String> {
        if left.way == Some(Way::Opener) {
            return vec![
                "they look alike, but what lies over the activity was opened by something else".to_owned(),
            ];
        }
        let mut found = contexts(one, other);
        let Some(function) = self.namings.get(&left.naming) else { return found };
        let parts = |tree: &GuiTree, level: &Level| -> Vec<Part> {
            let counting = tree.indices().map(|ix| (ix, level.counted[ix.0 as usize].0));
            counting.filter(|(_, name)| *name != NameId::NONE.0).collect()
        };
        let words_of = |tree: &GuiTree, nodes: Vec<NodeIx>| {
            function.words(tree, nodes, self.appearance, WithActions::Yes)
        };
        found.extend(only_in_one(
            &parts(one, left),
            &parts(other, right),
            [&|nodes| words_of(one, nodes), &|nodes| words_of(other, nodes)],
        ));
        found
    }
}

/// Nothing tells the same screens apart for the same action once more: it was tried again, since more was known.
fn is_found_again(known: &Decision, decision: &Decision) -> bool {
    let found = |decision: &Decision| match decision {
        Decision::NotSeparable { state, action, trees, .. } => Some((*state, action.clone(), trees.clone())),
        _ => None,
    };
    found(known).is_some_and(|known| found(decision) == Some(known))
}

/// A decision with its evidence, in a sentence.
pub fn words(decision: &Decision) -> String {
    match decision {
        Decision::ActionRefined { name, widgets, alpha, tree, change, naming, states, .. } => format!(
            "{name} stood for {widgets} widgets of screen {tree}, more than {alpha}: {} ({})",
            changed(change),
            made(*naming, *states)
        ),
        Decision::StateRefined { trees: (one, other), change, states, .. }
            if change.way == Way::Opener && one == other =>
        {
            format!(
                "screens that look like {one} are told apart by what opened them: one action led to different states from \
                 such screens, here or elsewhere ({} of one)",
                plural(*states, "state")
            )
        }
        Decision::StateRefined { trees: (one, other), change, naming, states, .. } => {
            let screens = if one == other {
                format!("the screen {one}")
            } else {
                format!("the screens {one} and {other}")
            };
            format!(
                "one action led to different states from {screens}: {} ({})",
                changed(change),
                made(*naming, *states)
            )
        }
        Decision::Coarsened { states, beta, barred, reverted, given_up, .. } => {
            let given_up = match given_up {
                0 => String::new(),
                count => format!(", giving up {}", plural(*count, "distinction")),
            };
            let why = match states {
                states if states > beta => format!("it made {states} states of one, more than {beta}"),
                1 => "what it named widgets by does not tell where they lead".to_owned(),
                _ => format!(
                    "what it named widgets by does not tell where they lead, and {states} states come together again"
                ),
            };
            format!(
                "tree {} was reverted: {why}; barred from now on: {}{given_up}",
                reverted.0,
                changed(barred)
            )
        }
        Decision::NotSeparable { outcomes, action, trees, .. } => {
            let action = if action.is_empty() { "one action" } else { action };
            let states = plural(*outcomes, "state");
            match &trees[..] {
                [] => format!("{action} leads to {states}, and nothing on the screens tells why"),
                [one] => format!("{action} leads to {states} from the same screen {one}"),
                all => {
                    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                    format!(
                        "{action} leads to {states}, and nothing on the screens {} tells why",
                        all.join(", ")
                    )
                }
            }
        }
        Decision::NotSplit { name, widgets, alpha, tree, max_names, .. } => {
            let why = match max_names {
                Some(max) => format!("what tells them apart would give a screen more than {max} names"),
                None => "nothing that may be used tells them apart".to_owned(),
            };
            format!("{name} stands for {widgets} widgets of screen {tree}, more than {alpha}, and {why}")
        }
    }
}

/// What a refinement came to.
fn made(naming: NamingId, states: usize) -> String {
    match states {
        1 => format!("tree {}; the state stays one", naming.0),
        _ => format!("tree {} makes {states} states of one", naming.0),
    }
}

fn changed(change: &Change) -> String {
    let verb = match change.way {
        Way::Replace => "are now named by",
        Way::Insert => "are further named by",
        Way::Names => "have, whatever their state, names by",
        Way::Below => {
            return format!(
                "widgets {} lead to what lies below their activity and are named by that",
                change.selector
            );
        }
        Way::Opener => return "screens are told apart by what opened that which lies over them".to_owned(),
    };
    format!("widgets {} {verb} {}", change.selector, kept(change.reducer))
}

fn kept(reducer: Reducer) -> String {
    let all = [
        (Reducer::CLASS, "class and id"),
        (Reducer::INDEX, "index"),
        (Reducer::PARENT, "their parent's name"),
        (Reducer::TEXT, "text"),
        (Reducer::WORDS, "text without numbers"),
        (Reducer::ANCESTOR, "their ancestors"),
    ];
    let parts: Vec<&str> = all
        .into_iter()
        .filter(|(primitive, _)| reducer.contains(*primitive))
        .map(|(_, words)| words)
        .collect();
    if parts.is_empty() { "their actions alone".to_owned() } else { parts.join(", ") }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
