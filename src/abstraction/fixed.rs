//! Abstractions that never change: the tools and papers to compare with.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::digest::{Appearance, Digest};
use super::tree::{DecisionTree, WithActions};
use super::why::{Part, Why, activities, contexts, irrelevant, only_in_one};
use super::{Abstraction, Changes, Evidence, NameId, Named, NamingId, hash_names, hash_numbers};
use crate::gui::{Flags, GuiStore, GuiTree, NodeIx};
use crate::ids::TreeHash;
use xxhash_rust::xxh3::xxh3_64;

/// One decision tree for all screens, and what of a screen makes its state.
#[derive(Debug)]
pub struct Fixed {
    tree: DecisionTree,
    appearance: Appearance,
    identity: Identity,
    cache: FxHashMap<TreeHash, Arc<Named>>,
}

/// What of a screen makes its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The package in front.
    Package,
    /// The activity.
    Activity,
    /// The activity and the names of the widgets that have children.
    Containers,
    /// The activity and the names of the widgets that can be acted on.
    Actionable,
    /// The activity and the names of the widgets that have children or can be acted on.
    ContainersAndActionable,
    /// As [`Identity::Actionable`], together with whether each is enabled, checked or selected.
    ActionableWithMarks,
    /// The activity and the names of all widgets.
    All,
}

/// So many trees are remembered with their names; then the memory starts afresh.
pub(crate) const CACHED_TREES: usize = 1 << 14;

impl Fixed {
    /// An abstraction from its parts.
    pub fn new(tree: DecisionTree, appearance: Appearance, identity: Identity) -> Self {
        Self { tree, appearance, identity, cache: FxHashMap::default() }
    }

    /// Its decision tree.
    pub fn tree(&self) -> &DecisionTree {
        &self.tree
    }

    fn name(&self, tree: &GuiTree) -> Named {
        let digest = Digest::of(tree, self.appearance);
        let mut names = Vec::with_capacity(digest.locals.len());
        self.tree.names(&digest, &mut names);
        let context = match self.identity {
            Identity::Package => tree.foreground_package().map_or(0, |package| xxh3_64(package.as_bytes())),
            Identity::Activity => xxh3_64(tree.activity().as_bytes()),
            _ => digest.context,
        };
        let mut counted: Vec<u64> = names
            .iter()
            .enumerate()
            .filter(|&(ix, _)| digest.locals[ix].counts)
            .filter_map(|(ix, name)| self.part(tree, &digest, ix, *name))
            .collect();
        let key = hash_names(context, self.tree.content_hash(), &mut counted);
        let widest = widest(&digest, &names);
        Named { key, names: names.into(), naming: NamingId(0), widest, ..Named::default() }
    }

    fn part(&self, tree: &GuiTree, digest: &Digest, ix: usize, name: NameId) -> Option<u64> {
        let node = &tree.nodes()[ix];
        let has_children = node.end.0 as usize > ix + 1;
        let kept = match self.identity {
            Identity::Package | Identity::Activity => false,
            Identity::Containers => has_children,
            Identity::Actionable => digest.locals[ix].actionable,
            Identity::ContainersAndActionable => has_children || digest.locals[ix].actionable,
            Identity::ActionableWithMarks => {
                let marks = node.widget.flags & (Flags::ENABLED | Flags::CHECKED | Flags::SELECTED);
                return (!node.widget.actions.is_empty())
                    .then(|| hash_numbers(&[name.0, u64::from(marks.bits())]));
            }
            Identity::All => true,
        };
        kept.then_some(name.0)
    }

    /// Why two screens are one state or two.
    pub fn why(&mut self, one: &GuiTree, other: &GuiTree) -> Why {
        let states = (self.name_tree(one).key, self.name_tree(other).key);
        let differences =
            if states.0 == states.1 { irrelevant(one, other) } else { self.telling(one, other) };
        Why { states, differences, decisions: None }
    }

    /// What tells two screens apart: of all that differs only what makes the state.
    fn telling(&self, one: &GuiTree, other: &GuiTree) -> Vec<String> {
        let mut found = match self.identity {
            Identity::Package => {
                let package = |tree: &GuiTree| tree.foreground_package().cloned().unwrap_or_default();
                vec![format!(
                    "the first is of the package `{}`, the second of `{}`",
                    package(one),
                    package(other)
                )]
            }
            Identity::Activity => activities(one, other).into_iter().collect(),
            _ => contexts(one, other),
        };
        let parts = |tree: &GuiTree| -> Vec<Part> {
            let digest = Digest::of(tree, self.appearance);
            let mut names = Vec::with_capacity(digest.locals.len());
            self.tree.names(&digest, &mut names);
            let counting = tree.indices().filter(|ix| digest.locals[ix.0 as usize].counts);
            let part = |ix: NodeIx| {
                let at = ix.0 as usize;
                Some((ix, self.part(tree, &digest, at, names[at])?))
            };
            counting.filter_map(part).collect()
        };
        let words = [one, other].map(|tree| move |nodes: Vec<NodeIx>| self.words(tree, &nodes));
        found.extend(only_in_one(&parts(one), &parts(other), [&words[0], &words[1]]));
        found
    }

    /// What counts of widgets, in words.
    fn words(&self, tree: &GuiTree, nodes: &[NodeIx]) -> Vec<String> {
        let words = self.tree.words(tree, nodes.iter().copied(), self.appearance, WithActions::Yes);
        if self.identity != Identity::ActionableWithMarks {
            return words;
        }
        let marked = |(words, node): (String, &NodeIx)| {
            let flags = tree.widget(*node).flags;
            let marks = [(Flags::CHECKED, " checked"), (Flags::SELECTED, " selected")];
            let shown = marks.into_iter().filter(|(mark, _)| flags.contains(*mark));
            shown.fold(words, |words, (_, mark)| words + mark)
        };
        words.into_iter().zip(nodes).map(marked).collect()
    }
}

/// The largest number of actionable widgets that share a name.
pub(crate) fn widest(digest: &Digest, names: &[NameId]) -> u32 {
    let mut acting: Vec<NameId> = digest
        .locals
        .iter()
        .zip(names)
        .filter(|(local, _)| local.counts && local.actionable)
        .map(|(_, name)| *name)
        .collect();
    acting.sort_unstable();
    acting.chunk_by(|one, other| one == other).map(<[_]>::len).max().unwrap_or_default() as u32
}

impl Abstraction for Fixed {
    fn name_tree(&mut self, tree: &GuiTree) -> Arc<Named> {
        if let Some(named) = self.cache.get(&tree.hash()) {
            return Arc::clone(named);
        }
        if self.cache.len() >= CACHED_TREES {
            self.cache.clear();
        }
        let named = Arc::new(self.name(tree));
        self.cache.insert(tree.hash(), Arc::clone(&named));
        named
    }

    fn evolve(&mut self, _evidence: &Evidence<'_>, _store: &GuiStore) -> Changes {
        Changes::default()
    }

    fn describe(&mut self, tree: &GuiTree, nodes: &[NodeIx]) -> Vec<String> {
        self.tree.words(tree, nodes.iter().copied(), self.appearance, WithActions::No)
    }
}
