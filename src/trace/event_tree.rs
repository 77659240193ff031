//! SimplyDroid's hierarchy tree of events, and what counts as a state in it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::Screen;
use crate::ids::TreeHash;

/// SimplyDroid's hierarchy tree (SimplyDroid III-B): one node an event, labelled with the state before the event, under
/// an empty root.
///
/// Going up from the node before it, the first node with its own label makes an event that node's right-hand sibling;
/// if none is met before the root, which is never compared, the event becomes a child of the node before it. So a
/// subtree is a contiguous range of the trace, and every ancestor of the last node is the last node of its level.
///
/// The released code takes the launch as the root instead of an empty node and never compares its label either. A
/// [`Trace`](super::Trace) has no launch event, so that both give the same tree here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTree {
    parent: Vec<Option<u32>>,
    level: Vec<u32>,
    end: Vec<u32>,
}

impl EventTree {
    /// Builds the tree of a trace from the label before each event.
    pub fn new(labels: &[StateLabel]) -> Self {
        let mut tree = Self {
            parent: Vec::with_capacity(labels.len()),
            level: Vec::with_capacity(labels.len()),
            end: vec![0; labels.len()],
        };
        // The nodes from the first level down to the newest; their labels are all different.
        let mut path: Vec<u32> = Vec::new();
        let mut depth_of: FxHashMap<StateLabel, usize> = FxHashMap::default();
        for (ix, &label) in labels.iter().enumerate() {
            let depth = depth_of.get(&label).copied().unwrap_or(path.len());
            while path.len() > depth {
                if let Some(closed) = path.pop() {
                    depth_of.remove(&labels[closed as usize]);
                    tree.end[closed as usize] = ix as u32;
                }
            }
            tree.parent.push(path.last().copied());
            tree.level.push(depth as u32 + 1);
            depth_of.insert(label, depth);
            path.push(ix as u32);
        }
        for open in path {
            tree.end[open as usize] = labels.len() as u32;
        }
        tree
    }

    /// How many events it holds.
    pub fn len(&self) -> usize {
        self.level.len()
    }

    /// It holds no event.
    pub fn is_empty(&self) -> bool {
        self.level.is_empty()
    }

    /// The event above, unless the root is.
    pub fn parent(&self, event: usize) -> Option<usize> {
        self.parent[event].map(|parent| parent as usize)
    }

    /// The level of an event; the root alone is on level 0.
    pub fn level(&self, event: usize) -> usize {
        self.level[event] as usize
    }

    /// The event and everything below it, which is contiguous in the trace.
    pub fn subtree(&self, event: usize) -> Range<usize> {
        event..self.end[event] as usize
    }

    /// How many events the event and everything below it are.
    pub fn size(&self, event: usize) -> usize {
        self.end[event] as usize - event
    }

    /// The deepest level.
    pub fn depth(&self) -> usize {
        self.level.iter().copied().max().unwrap_or(0) as usize
    }

    /// The events of one level, in the order of the trace.
    pub fn at_level(&self, level: usize) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |&event| self.level(event) == level)
    }

    /// The tree as indented lines, one an event, each with what `describe` says about it.
    pub fn print(&self, describe: impl Fn(usize) -> String) -> String {
        let mut out = String::from("(start)\n");
        for event in 0..self.len() {
            let indent = 2 * self.level(event);
            let line = format!("{:indent$}{} {}\n", "", event + 1, describe(event));
            out.push_str(&line);
        }
        out
    }
}

/// What two screens must share to be one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Label {
    /// The resumed activity, as in SimplyDroid.
    Activity,
    /// The activity and the sorts of windows on the screen: a dialog is a state of its own.
    #[default]
    Window,
    /// The whole GUI tree.
    State,
    /// The structure of the GUI tree where it is known, else as [`Label::Window`].
    Structure,
}

impl Label {
    /// All labels, coarsest first.
    pub const ALL: [Self; 4] = [Self::Activity, Self::Window, Self::Structure, Self::State];

    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Window => "window",
            Self::State => "state",
            Self::Structure => "structure",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Label {
    type Err = UnknownLabel;

    fn from_str(word: &str) -> Result<Self, UnknownLabel> {
        Self::ALL
            .into_iter()
            .find(|label| label.word() == word)
            .ok_or_else(|| UnknownLabel { word: word.to_owned() })
    }
}

/// A word that is no label.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{word}` is no label; use activity, window, structure or state")]
pub struct UnknownLabel {
    word: String,
}

/// A state of an event tree or of a path model: screens with an equal label are one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StateLabel(pub u64);

/// Gives screens their labels.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    label: Label,
    structures: BTreeMap<TreeHash, u64>,
}

impl Labels {
    /// Labels of one sort.
    pub fn new(label: Label) -> Self {
        Self { label, structures: BTreeMap::new() }
    }

    /// Tells the structure hashes of trees, for [`Label::Structure`].
    #[must_use]
    pub fn with_structures(mut self, structures: BTreeMap<TreeHash, u64>) -> Self {
        self.structures = structures;
        self
    }

    /// The label of a screen. An app that is not in front is in another state than one that is.
    pub fn of(&self, screen: &Screen) -> StateLabel {
        let mut key = Vec::with_capacity(64);
        key.extend_from_slice(screen.foreign.as_deref().unwrap_or_default().as_bytes());
        key.push(0);
        let hash = match self.label {
            Label::State => Some(screen.tree.0),
            Label::Structure => screen.structure.or_else(|| self.structures.get(&screen.tree).copied()),
            Label::Activity | Label::Window => None,
        };
        if let Some(hash) = hash {
            key.extend_from_slice(&hash.to_le_bytes());
            return StateLabel(xxh3_64(&key));
        }
        key.extend_from_slice(screen.activity.as_bytes());
        if self.label != Label::Activity {
            key.push(0);
            key.extend(screen.windows.iter().map(|&kind| kind as u8));
        }
        StateLabel(xxh3_64(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::WindowKind;

    fn tree(labels: &str) -> EventTree {
        EventTree::new(&labels.bytes().map(|label| StateLabel(u64::from(label))).collect::<Vec<_>>())
    }

    fn levels(labels: &str) -> Vec<usize> {
        let tree = tree(labels);
        (0..tree.len()).map(|event| tree.level(event)).collect()
    }

    #[test]
    fn the_nearest_node_with_the_same_state_gets_a_sibling_and_a_new_state_a_child() {
        // a, a: siblings. b under the second a, c under b; b again closes c; a again closes both.
        assert_eq!(levels("aabcbac"), [1, 1, 2, 3, 2, 1, 2]);
        let tree = tree("aabcbac");
        assert_eq!(tree.parent(2), Some(1));
        assert_eq!(tree.parent(4), Some(1));
        assert_eq!(tree.parent(6), Some(5));
        assert_eq!(tree.subtree(1), 1..5);
        assert_eq!(tree.size(2), 2);
    }

    #[test]
    fn the_root_is_never_compared() {
        assert_eq!(levels("ab"), [1, 2]);
        assert_eq!(tree("a").parent(0), None);
        assert_eq!(tree("").depth(), 0);
    }

    #[test]
    fn every_ancestor_of_the_last_event_is_the_last_of_its_level() {
        for labels in ["aabcbac", "abcabcabd", "abacadae", "zyxwvzyx"] {
            let tree = tree(labels);
            let mut event = Some(tree.len() - 1);
            while let Some(at) = event {
                assert_eq!(tree.at_level(tree.level(at)).last(), Some(at), "{labels}");
                event = tree.parent(at);
            }
        }
    }

    #[test]
    fn a_tree_prints_one_line_an_event() {
        let text = tree("aba").print(|event| format!("tap {event}"));
        assert_eq!(text, "(start)\n  1 tap 0\n    2 tap 1\n  3 tap 2\n");
    }

    #[test]
    fn a_label_says_which_screens_are_one_state() {
        let screen = Screen {
            activity: "Main".into(),
            windows: vec![WindowKind::Application],
            tree: TreeHash(1),
            foreign: None,
            structure: None,
        };
        let dialog = Screen { windows: vec![WindowKind::Application, WindowKind::Dialog], ..screen.clone() };
        let changed = Screen { tree: TreeHash(2), ..screen.clone() };
        let same = |label, a, b| Labels::new(label).of(a) == Labels::new(label).of(b);
        assert!(same(Label::Activity, &screen, &dialog));
        assert!(!same(Label::Window, &screen, &dialog));
        assert!(same(Label::Window, &screen, &changed));
        assert!(!same(Label::State, &screen, &changed));
        let known = BTreeMap::from([(TreeHash(1), 7), (TreeHash(2), 7)]);
        let structure = Labels::new(Label::Structure).with_structures(known);
        assert_eq!(structure.of(&screen), structure.of(&changed));
        let looked_at = Screen { structure: Some(7), tree: TreeHash(3), ..screen.clone() };
        assert_eq!(structure.of(&screen), structure.of(&looked_at));
        assert_eq!("state".parse(), Ok(Label::State));
        assert!("tree".parse::<Label>().is_err());
    }
}
