//! Telling screens apart by which of several things is chosen. Of tabs and the like exactly one is chosen, and what the
//! page shows and does belongs to it: nobody has to be led astray first to know that.

use std::sync::Arc;

use super::super::decision::Decision;
use super::super::digest::{Digest, element, patch_of};
use super::super::path::AttributePath;
use super::super::reducer::Reducer;
use super::super::tree::{Change, Trial, Way, WithActions};
use super::super::{Abstraction, Changes};
use super::refine::Found;
use super::{Evolving, Ranking};
use crate::gui::{Flags, GuiStore, GuiTree, NodeIx};

/// So many rows of tabs of one screen are looked at.
const MAX_CHOICES: usize = 4;
/// What tells which one is chosen: each has its place, and what it says is told without numbers, since many count what is new.
const CHOICE: Reducer = Reducer::INDEX.union(Reducer::WORDS);

impl Evolving {
    /// A screen on which one of several things is chosen is another state than one on which another of them is.
    pub(super) fn split_by_choice(&mut self, tree: &Arc<GuiTree>, store: &GuiStore, changes: &mut Changes) {
        if !self.config.trust_choices || matches!(self.config.ranking, Ranking::Scripted(_)) {
            return;
        }
        for (node, count) in choices(tree, &self.digest(tree)) {
            let named = self.name_tree(tree);
            let naming = self.naming(named.naming);
            let digest = self.digest(tree);
            let output = naming.output(&digest, node.0 as usize);
            let current = naming.reducer(output);
            let change =
                Change { selector: siblings(tree, node), reducer: current | CHOICE, way: Way::Insert };
            if CHOICE.is_at_most(current) || self.is_barred(named.key, &change) || self.is_crowded(&named) {
                continue;
            }
            let trial = Trial::new(output, change.clone());
            if count > self.beta_of(naming.fineness_after(&trial)) {
                continue;
            }
            let name = naming.words(tree, [node], self.config.appearance, WithActions::No).concat();
            let found = Found { trial, states: 1, actions: 0, look: 0, is_fork: true };
            let place = Some(found.place(&named));
            let naming = self.apply(&named, found, store, changes);
            changes.decisions.push(Decision::ActionRefined {
                state: named.key,
                name,
                widgets: count,
                alpha: 1,
                tree: tree.hash(),
                change,
                place,
                states: 1,
                naming,
            });
        }
    }
}

/// The widgets that are chosen, each from several of its kind beside each other of which no other is, and how many these are.
fn choices(tree: &GuiTree, digest: &Digest) -> Vec<(NodeIx, usize)> {
    let is_chosen = |ix: &NodeIx| {
        let local = &digest.locals[ix.0 as usize];
        local.counts && local.actionable && tree.widget(*ix).flags.contains(Flags::SELECTED)
    };
    let mut found = Vec::new();
    for node in tree.indices().filter(is_chosen) {
        let own = &digest.locals[node.0 as usize];
        let Some(parent) = tree.node(node).parent else { continue };
        let beside = tree.children(parent).filter(|other| {
            let other = &digest.locals[other.0 as usize];
            (other.class, other.id, other.patch) == (own.class, own.id, own.patch)
        });
        let (mut count, mut chosen) = (0, 0);
        for other in beside {
            count += 1;
            chosen += usize::from(tree.widget(other).flags.contains(Flags::SELECTED));
        }
        if count > 1 && chosen == 1 {
            found.push((node, count));
        }
        if found.len() >= MAX_CHOICES {
            break;
        }
    }
    found
}

/// Selects a widget and those of its kind beside it.
fn siblings(tree: &GuiTree, node: NodeIx) -> AttributePath {
    let kept = |ix: NodeIx| element(tree, ix, Reducer::CLASS, super::super::Appearance::default());
    let mut path: Vec<_> = tree.node(node).parent.map(kept).into_iter().collect();
    let mut own = kept(node);
    own.actions = Some(patch_of(tree, node));
    path.push(own);
    AttributePath(path)
}
