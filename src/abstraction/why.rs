//! Why two screens are one state or two: what differs between them, and whether it counts.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashSet;

use super::StateKey;
use super::digest::{Appearance, Digest, TypedText, counting_windows};
use super::reducer::Reducer;
use super::tree::{DecisionTree, WithActions};
use crate::gui::{GuiTree, NodeIx, WindowKind};

/// Why two screens are one state or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The states of the two, as the last function that they share sees them.
    pub states: (StateKey, StateKey),
    /// What tells them apart, or what does not although it differs.
    pub differences: Vec<String>,
    /// The decisions that led to the functions in question, in words, oldest first; `None` where the abstraction never
    /// changes.
    pub decisions: Option<Vec<String>>,
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
        match self.differences.len().saturating_sub(SHOWN) {
            0 => {}
            1 => writeln!(f, "  and 1 more difference")?,
            more => writeln!(f, "  and {more} more differences")?,
        }
        match self.decisions.as_deref() {
            None => writeln!(f, "this abstraction never changes; no decision was made"),
            Some([]) => writeln!(f, "no decision was made about these screens"),
            Some(decisions) => {
                writeln!(f, "decisions about these screens:")?;
                decisions.iter().try_for_each(|decision| writeln!(f, "  {decision}"))
            }
        }
    }
}

/// What of a screen counts towards its state: a widget, and the number that it counts as.
pub(super) type Part = (NodeIx, u64);

/// The parts that only one of two screens has, in the words of each.
pub(super) fn only_in_one(
    one: &[Part],
    other: &[Part],
    words: [&dyn Fn(Vec<NodeIx>) -> Vec<String>; 2],
) -> Vec<String> {
    let mut found = Vec::new();
    let [words_of_one, words_of_other] = words;
    for (which, these, those, words) in
        [("first", one, other, words_of_one), ("second", other, one, words_of_other)]
    {
        let those: FxHashSet<u64> = those.iter().map(|(_, part)| *part).collect();
        let only = these.iter().filter(|(_, part)| !those.contains(part));
        let counts = count(words(only.map(|(node, _)| *node).collect()));
        found.extend(counts.iter().map(|(name, count)| format!("only the {which} has {count} × {name}")));
    }
    found
}

/// How often each of these occurs.
pub(super) fn count(words: Vec<String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for words in words {
        *counts.entry(words).or_default() += 1;
    }
    counts
}

/// The activities, if they are two.
pub(super) fn activities(one: &GuiTree, other: &GuiTree) -> Option<String> {
    let (left, right) = (one.activity(), other.activity());
    (left != right).then(|| format!("the first is of the activity `{left}`, the second of `{right}`"))
}

/// Activities and windows, as far as they differ and count.
pub(super) fn contexts(one: &GuiTree, other: &GuiTree) -> Vec<String> {
    let counting = |tree: &GuiTree| -> Vec<WindowKind> {
        let windows = tree.windows().iter().zip(counting_windows(tree));
        windows.filter(|(_, counts)| *counts).map(|(window, _)| window.kind).collect()
    };
    activities(one, other).into_iter().chain(windows(&counting(one), &counting(other))).collect()
}

fn windows(left: &[WindowKind], right: &[WindowKind]) -> Option<String> {
    (left != right).then(|| format!("the windows of the first are {left:?}, of the second {right:?}"))
}

/// What differs between two screens of one state, which does therefore not count.
pub(super) fn irrelevant(one: &GuiTree, other: &GuiTree) -> Vec<String> {
    let kinds = |tree: &GuiTree| tree.windows().iter().map(|window| window.kind).collect::<Vec<_>>();
    let mut found: Vec<String> =
        activities(one, other).into_iter().chain(windows(&kinds(one), &kinds(other))).collect();
    let of_widgets = [WithActions::No, WithActions::Yes].map(|with| more_in_one(one, other, with));
    found.extend(of_widgets.into_iter().find(|found| !found.is_empty()).into_iter().flatten());
    if found.is_empty() && one.opener() != other.opener() {
        found.push("what opened that which lies over the activity".to_owned());
    }
    if found.is_empty() && one.hash() == other.hash() {
        return vec!["the screens are the same".to_owned()];
    }
    if found.is_empty() {
        found.push("where things are on the screen, what other things cover, and the like".to_owned());
    }
    found.iter().map(|difference| format!("does not count: {difference}")).collect()
}

/// The widgets of which either screen has more than the other.
fn more_in_one(one: &GuiTree, other: &GuiTree, with_actions: WithActions) -> Vec<String> {
    let finest = DecisionTree::uniform(Reducer::CLASS | Reducer::INDEX | Reducer::TEXT);
    let everything = Appearance { typed_text: TypedText::Counts, ..Appearance::default() };
    let counting = |tree: &GuiTree| -> BTreeMap<String, usize> {
        let digest = Digest::of(tree, everything);
        let counting = tree.indices().filter(|ix| digest.locals[ix.0 as usize].counts);
        count(finest.words(tree, counting, everything, with_actions))
    };
    let (left, right) = (counting(one), counting(other));
    let more = |which: &str, these: &BTreeMap<String, usize>, those: &BTreeMap<String, usize>| {
        let more = these.iter().filter_map(|(name, count)| {
            let extra = count.saturating_sub(those.get(name).copied().unwrap_or_default());
            (extra > 0).then(|| format!("the {which} has {extra} × {name} more"))
        });
        more.collect::<Vec<String>>()
    };
    let mut found = more("first", &left, &right);
    found.extend(more("second", &right, &left));
    found
}
