//! Widgets that lead back to what lies below the activity, as "up" does. Where such a widget leads is not on its screen, so
//! that nothing there explains it; its name gets what lies below. Since that says where it leads, nobody has to try it.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use super::super::decision::Decision;
use super::super::digest::{Digest, Local};
use super::super::reducer::Reducer;
use super::super::tree::{Change, Place, Way};
use super::super::{Abstraction, Changes, Fork, NameId, StateKey, hash_numbers};
use super::{Evolving, Ranking};
use crate::gui::{GuiStore, GuiTree, Opener};

/// So many times as many GUI actions must have led back as elsewhere.
const CLEARLY: usize = 3;

impl Evolving {
    /// The outcomes of an action are the activities that lay below: its widgets are named by what lies below from now on.
    pub(super) fn name_return(&mut self, fork: &Fork, store: &GuiStore, changes: &mut Changes) -> bool {
        if !self.config.name_returns || matches!(self.config.ranking, Ranking::Scripted(_)) {
            return false;
        }
        let (mut back, mut elsewhere, mut led_back) = (0, 0, BTreeSet::new());
        let mut shown = None;
        for (outcome, target) in fork.outcomes.iter().zip(&fork.targets) {
            let Some(activity) = self.keys.get(target).map(|key| key.activity.clone()) else { continue };
            for action in outcome {
                let Some(tree) = store.get(action.tree) else { continue };
                if !tree.opener().is_below() {
                    continue;
                }
                if tree.opener() == Opener::below(&activity) {
                    back += 1;
                    if led_back.insert(activity.clone()) {
                        shown = Some((shown.map_or(tree.hash(), |(_, last, _)| last), tree.hash(), *action));
                    }
                } else {
                    elsewhere += 1;
                }
            }
        }
        let Some((one, other, action)) = shown.filter(|_| led_back.len() > 1 && back >= CLEARLY * elsewhere)
        else {
            return false;
        };
        let Some(tree) = store.get(action.tree).cloned() else { return false };
        let digest = self.digest(&tree);
        let node = action.node.0 as usize;
        if !self.returning.insert(kind(&digest.locals[node], &tree)) {
            return false;
        }
        let named = self.name_tree(&tree);
        let function = self.naming(named.naming);
        let selector = function.selector(&tree, &digest, action.node, self.config.appearance);
        let place = Some(Place { naming: named.naming, node: function.output(&digest, node) as u32 });
        self.cache.clear();
        changes.retired.extend(self.with_returns(store));
        changes.decisions.push(Decision::StateRefined {
            state: fork.source,
            name: selector.to_string(),
            trees: (one, other),
            change: Change { selector, reducer: Reducer::empty(), way: Way::Below },
            place,
            states: 1,
            naming: named.naming,
        });
        true
    }

    /// The states whose screens have a widget that leads back, oldest key first.
    fn with_returns(&self, store: &GuiStore) -> Vec<StateKey> {
        let has_some = |key: &&StateKey| {
            let members = self.keys.get(*key).filter(|key| key.refined.is_none()).map(|key| &key.members);
            let newest = members.and_then(|members| store.get(*members.last()?.0));
            newest.is_some_and(|tree| {
                let digest = self.digest(tree);
                digest.locals.iter().any(|local| self.returning.contains(&kind(local, tree)))
            })
        };
        let mut keys: Vec<StateKey> = self.keys.keys().filter(has_some).copied().collect();
        keys.sort_unstable();
        keys
    }

    /// Gives widgets that lead back their names by what lies below, and tells these.
    pub(super) fn mark_returns(
        &self,
        tree: &GuiTree,
        digest: &Digest,
        names: &mut [NameId],
    ) -> Box<[NameId]> {
        if self.returning.is_empty() || !tree.opener().is_below() {
            return Box::default();
        }
        let mut found = Vec::new();
        for (local, name) in digest.locals.iter().zip(names) {
            if local.actionable && local.counts && self.returning.contains(&kind(local, tree)) {
                *name = NameId(hash_numbers(&[name.0, tree.opener().number()]));
                found.push(*name);
            }
        }
        found.into()
    }
}

/// What a widget is and what it says; where it has neither a text nor an id, also where it is.
fn kind(local: &Local, tree: &GuiTree) -> u64 {
    let nothing = xxh3_64(b"");
    let is_bare = local.bare == nothing && local.id == nothing;
    let activity = if is_bare { xxh3_64(tree.activity().as_bytes()) } else { 0 };
    hash_numbers(&[local.class, local.id, local.bare, u64::from(local.patch), activity])
}
