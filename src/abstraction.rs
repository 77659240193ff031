//! From GUI trees to states: which screens are one state, and which widgets one action.
//!
//! [`reducer`], [`path`] and [`tree`] are the words of APE III-B. [`evolve`] refines and coarsens (III-C); the
//! abstractions that never change are in [`fixed`]; [`registry`] knows all of them by name. Nothing here has a
//! clock, a file or a random number: the same trees in the same order give the same names.

pub mod decision;
pub mod digest;
pub mod evolve;
pub mod fixed;
pub mod history;
pub mod path;
pub mod reducer;
pub mod registry;
pub mod tree;
pub mod why;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::action::ActionKind;
use crate::gui::{GuiStore, GuiTree, NodeIx, Opener};
use crate::ids::TreeHash;

pub use decision::Decision;
pub use digest::Appearance;
pub use evolve::{EvolveConfig, Evolving};
pub use fixed::Fixed;
pub use history::History;
pub use path::{AttributePath, Element};
pub use reducer::Reducer;
pub use tree::{Change, DecisionTree, Way};
pub use why::Why;

/// Maps GUI trees to states and their widgets to model actions.
pub trait Abstraction {
    /// The state of a tree and the names of its widgets. A tree seen before costs a lookup.
    fn name_tree(&mut self, tree: &GuiTree) -> Arc<Named>;

    /// Learns from what the model saw. States whose key is among the retired ones must be built again.
    fn evolve(&mut self, evidence: &Evidence<'_>, store: &GuiStore) -> Changes;

    /// The names of widgets in words.
    fn describe(&mut self, tree: &GuiTree, nodes: &[NodeIx]) -> Vec<String>;
}

/// A tree under an abstraction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The state.
    pub key: StateKey,
    /// The name of each widget, in arena order; [`NameId::NONE`] for a widget that does not count.
    pub names: Box<[NameId]>,
    /// The abstraction function that made the names.
    pub naming: NamingId,
    /// The largest number of widgets that one actionable name stands for.
    pub widest: u32,
    /// The names of widgets that lead to what lies below the activity, which they name.
    pub returns: Box<[NameId]>,
    /// The name of BACK, if it is named by what lies below the activity, as those widgets are.
    pub back: NameId,
}

impl Named {
    /// The name of an action of the phone.
    pub fn phone_name(&self, kind: ActionKind) -> NameId {
        if kind == ActionKind::Back { self.back } else { NameId::NONE }
    }
}

/// A name of widgets: the content hash of an attribute path and of what can be done to the widget. Equal on every
/// machine, so that it needs no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NameId(pub u64);

impl NameId {
    /// The name of a widget that does not count, and of actions of the phone but BACK over something known.
    pub const NONE: Self = Self(0);

    /// The name of BACK over something.
    pub fn of_back(below: Opener) -> Self {
        Self(hash_numbers(&[below.number()]))
    }
}

/// A state as an abstraction sees it: the content hash of its context, its naming and its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StateKey(pub u64);

impl fmt::Display for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for StateKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StateKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(TreeHash::deserialize(deserializer)?.0))
    }
}

/// One abstraction function of an evolving abstraction. Ids only grow; a reverted function keeps its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamingId(pub u32);

/// What the model shows an abstraction.
#[derive(Clone, Debug)]
pub enum Evidence<'a> {
    /// A tree was reached.
    Arrived(&'a Arc<GuiTree>),
    /// A model action has led to several states.
    Fork(Fork),
}

/// A non-deterministic model action: its GUI actions, grouped by the state they led to, the newest group first.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The state.
    pub source: StateKey,
    /// The action's name.
    pub name: NameId,
    /// The action's kind.
    pub kind: ActionKind,
    /// The groups.
    pub outcomes: Vec<Vec<GuiAction>>,
    /// The states that they led to, in the same order; empty where they are not known.
    pub targets: Vec<StateKey>,
    /// It has led to the newest of them for the first time.
    pub is_new: bool,
}

/// One GUI action (APE II-B): a widget of a concrete tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuiAction {
    /// The tree.
    pub tree: TreeHash,
    /// The widget.
    pub node: NodeIx,
}

/// What an evolution did.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The decisions in order, each with its evidence.
    pub decisions: Vec<Decision>,
    /// The states that are no more; their trees have other names now.
    pub retired: Vec<StateKey>,
    /// Trees that no decision needs any more.
    pub dropped: Vec<TreeHash>,
}

impl Changes {
    /// Nothing was changed that the model would have to follow.
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty() && self.retired.is_empty() && self.dropped.is_empty()
    }
}

/// Some numbers as one, never 0. Every widget of every screen gets its name from it.
#[inline]
pub(crate) fn hash_numbers<const N: usize>(numbers: &[u64; N]) -> u64 {
    xxh3_64(numbers.map(u64::to_le_bytes).as_flattened()).max(1)
}

/// The key of the screens of a state that were opened by the same thing.
pub(crate) fn opener_key(state: StateKey, opener: Opener) -> StateKey {
    StateKey(xxh3_64_with_seed(&opener.number().to_le_bytes(), state.0))
}

/// The key of a set of names in a context.
pub(crate) fn hash_names(context: u64, naming: u64, names: &mut Vec<u64>) -> StateKey {
    names.sort_unstable();
    names.dedup();
    let numbers = [context, naming].into_iter().chain(names.iter().copied());
    let bytes: Vec<[u8; 8]> = numbers.map(u64::to_le_bytes).collect();
    StateKey(xxh3_64(bytes.as_flattened()))
}
