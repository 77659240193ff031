//! Widgets that lead back to what lies below the activity, as "up" does. Where such a widget leads is not on its screen, so
//! that nothing there explains it; its name gets what lies below. Since that says where it leads, nobody has to try it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::decision::Decision;
use super::super::digest::Local;
use super::super::reducer::Reducer;
use super::super::tree::{Change, Place, Way};
use super::super::{Abstraction, Changes, Fork, NameId, Named, StateKey, hash_numbers};
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
        if !self.returning.insert(digest.locals[node].kind) {
            return false;
        }
        let named = self.name_tree(&tree);
        let function = self.naming(named.naming);
        let selector = function.selector(&tree, &digest, action.node, self.config.appearance);
        let place = Some(Place { naming: named.naming, node: function.output(&digest, node) as u32 });
        self.cache.clear();
        self.wherever.clear();
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
                digest.locals.iter().any(|local| self.returning.contains(&local.kind))
            })
        };
        let mut keys: Vec<StateKey> = self.keys.keys().filter(has_some).copied().collect();
        keys.sort_unstable();
        keys
    }

    /// The names of a screen with those of widgets that lead back by what lies below.
    pub(super) fn mark_returns(&self, tree: &GuiTree, screen: &Named) -> Arc<Named> {
        let back = NameId::of_back(tree.opener());
        let mut marked = Named { back, ..screen.clone() };
        if self.returning.is_empty() {
            return Arc::new(marked);
        }
        let digest = self.digest(tree);
        let leads_back =
            |local: &Local| local.actionable && local.counts && self.returning.contains(&local.kind);
        let mut returns = Vec::new();
        for (local, name) in digest.locals.iter().zip(&mut marked.names) {
            if leads_back(local) {
                *name = NameId(hash_numbers(&[name.0, tree.opener().number()]));
                returns.push(*name);
            }
        }
        Arc::new(Named { returns: returns.into(), ..marked })
    }
}
