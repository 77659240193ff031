//! What the decisions of a run come to: the functions that it used, and why two screens are one state or two.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use rustc_hash::{FxHashMap, FxHashSet};

use super::decision::Decision;
use super::digest::{Appearance, Digest};
use super::evolve::EvolveConfig;
use super::reducer::Reducer;
use super::tree::{Change, DecisionTree, Place, Way, WithActions};
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
}

/// Why two screens are one state or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The states of the two, as the last function that they share sees them.
    pub states: (StateKey, StateKey),
    /// What tells them apart, or what does not although it differs.
    pub differences: Vec<String>,
    /// The decisions that led to the functions in question, in words, oldest first.
    pub decisions: Vec<String>,
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
            Decision::NotSeparable { state, .. } => {
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
            let key = match levels.last() {
                Some(above) if way == Some(Way::Opener) => opener_key(above.key, tree.opener()),
                above => {
                    let counting = function.counted(&digest);
                    let counting = counting.as_ref().unwrap_or(&names);
                    let mut counted: Vec<u64> =
                        counting.iter().filter(|name| **name != NameId::NONE).map(|name| name.0).collect();
                    let context = above.map_or(digest.context, |above| above.key.0);
                    hash_names(context, function.content_hash(), &mut counted)
                }
            };
            levels.push(Level { key, naming, names });
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
            Decision::Coarsened { .. } | Decision::NotSeparable { .. } => None,
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
            self.irrelevant(one, other)
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
        let decisions = numbers.into_iter().map(|number| words(&self.decisions[number])).collect();
        Why { states, differences, decisions }
    }

    /// What tells two screens apart under a function.
    fn telling(&self, one: &GuiTree, left: &Level, other: &GuiTree, right: &Level) -> Vec<String> {
        let mut found = context_differences(one, other);
        if left.names == right.names && one.opener() != other.opener() {
            found.push(
                "they look alike, but what lies over the activity was opened by something else".to_owned(),
            );
        }
        let Some(function) = self.namings.get(&left.naming) else { return found };
        let named = |tree: &GuiTree, level: &Level, without: &Level| -> BTreeMap<String, usize> {
            let without: FxHashSet<NameId> = without.names.iter().copied().collect();
            let only_here = |ix: &NodeIx| {
                let name = level.names[ix.0 as usize];
                name != NameId::NONE && !without.contains(&name)
            };
            let nodes = tree.indices().filter(only_here);
            count(function.words(tree, nodes, self.appearance, WithActions::Yes))
        };
        for (which, names) in [("first", named(one, left, right)), ("second", named(other, right, left))] {
            let line = |(name, count): (&String, &usize)| format!("only the {which} has {count} × {name}");
            found.extend(names.iter().map(line));
        }
        found
    }

    /// What differs between two screens and does not count.
    fn irrelevant(&self, one: &GuiTree, other: &GuiTree) -> Vec<String> {
        let finest = DecisionTree::uniform(Reducer::CLASS | Reducer::INDEX | Reducer::TEXT);
        let counting = |tree: &GuiTree| -> BTreeMap<String, usize> {
            let digest = Digest::of(tree, self.appearance);
            let counting = tree.indices().filter(|ix| digest.locals[ix.0 as usize].counts);
            count(finest.words(tree, counting, self.appearance, WithActions::No))
        };
        let (left, right) = (counting(one), counting(other));
        let only = |which: &str, these: &BTreeMap<String, usize>, those: &BTreeMap<String, usize>| {
            let more = these.iter().filter_map(|(name, count)| {
                let extra = count.saturating_sub(those.get(name).copied().unwrap_or_default());
                (extra > 0).then(|| format!("does not count: the {which} has {extra} × {name} more"))
            });
            more.collect::<Vec<String>>()
        };
        let mut found = only("first", &left, &right);
        found.extend(only("second", &right, &left));
        found
    }
}

/// How often each of these occurs.
fn count(words: Vec<String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for words in words {
        *counts.entry(words).or_default() += 1;
    }
    counts
}

fn context_differences(one: &GuiTree, other: &GuiTree) -> Vec<String> {
    let mut found = Vec::new();
    if one.activity() != other.activity() {
        found.push(format!(
            "the first is of the activity `{}`, the second of `{}`",
            one.activity(),
            other.activity()
        ));
    }
    let kinds =
        |tree: &GuiTree| format!("{:?}", tree.windows().iter().map(|window| window.kind).collect::<Vec<_>>());
    if kinds(one) != kinds(other) {
        found.push(format!("the windows of the first are {}, of the second {}", kinds(one), kinds(other)));
    }
    found
}

/// A decision with its evidence, in a sentence.
pub fn words(decision: &Decision) -> String {
    match decision {
        Decision::ActionRefined { name, widgets, alpha, tree, change, naming, states, .. } => format!(
            "{name} stood for {widgets} widgets of screen {tree}, more than {alpha}: {} (tree {} makes {} of one)",
            changed(change),
            naming.0,
            plural(*states, "state")
        ),
        Decision::StateRefined { trees, change, states, .. }
            if change.way == Way::Opener && trees.0 == trees.1 =>
        {
            format!(
                "what opened screens that look like {} has told them apart on other states: so it does here ({} of one)",
                trees.0,
                plural(*states, "state")
            )
        }
        Decision::StateRefined { trees, change, naming, states, .. } => format!(
            "one action led to different states from the screens {} and {}: {} (tree {} makes {} of one)",
            trees.0,
            trees.1,
            changed(change),
            naming.0,
            plural(*states, "state")
        ),
        Decision::Coarsened { states, beta, barred, reverted, given_up, .. } => {
            let given_up = match given_up {
                0 => String::new(),
                count => format!(", giving up {}", plural(*count, "distinction")),
            };
            let why = if states > beta {
                format!("it made {states} states of one, more than {beta}")
            } else {
                format!(
                    "what it named widgets by does not tell where they lead, and {} of one come together",
                    plural(*states, "state")
                )
            };
            format!(
                "tree {} was reverted: {why}; barred from now on: {}{given_up}",
                reverted.0,
                changed(barred)
            )
        }
        Decision::NotSeparable { outcomes, .. } => {
            format!(
                "one action leads to {}, and nothing on the screens tells why",
                plural(*outcomes, "state")
            )
        }
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

impl Why {
    /// The two screens are one state.
    pub fn is_one(&self) -> bool {
        self.states.0 == self.states.1
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More differences than these are not read.
        const SHOWN: usize = 12;
        if self.is_one() {
            writeln!(f, "one state: {}", self.states.0)?;
        } else {
            writeln!(f, "two states: {} and {}", self.states.0, self.states.1)?;
        }
        for difference in self.differences.iter().take(SHOWN) {
            writeln!(f, "  {difference}")?;
        }
        if self.differences.len() > SHOWN {
            writeln!(f, "  and {} more differences", self.differences.len() - SHOWN)?;
        }
        if self.decisions.is_empty() {
            return writeln!(f, "no decision was made about these screens");
        }
        writeln!(f, "decisions about these screens:")?;
        self.decisions.iter().try_for_each(|decision| writeln!(f, "  {decision}"))
    }
}
