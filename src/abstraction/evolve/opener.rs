//! Telling screens apart by what opened that which lies over them. It is one more attribute of state refinement, for
//! questions that are always asked in the same words: nothing on such a screen tells where an answer leads.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::decision::Decision;
use super::super::digest::Digest;
use super::super::tree::{Change, Trial, Way};
use super::super::{Abstraction, Changes, Named, hash_names, hash_numbers};
use super::Evolving;
use super::refine::{Found, Member};
use crate::gui::{GuiStore, GuiTree, Opener};

impl Evolving {
    /// A refinement by opener, if it separates the two outcomes of an action and its screens came again for each opener.
    pub(super) fn by_opener(
        &self,
        named: &Named,
        members: &[Member],
        one: &[(usize, usize)],
        other: &[(usize, usize)],
    ) -> Option<Found> {
        let visits_per_opener = self.config.visits_per_opener?;
        let openers = |side: &[(usize, usize)]| -> BTreeSet<Opener> {
            side.iter().map(|&(member, _)| members[member].opener).collect()
        };
        let (left, right) = (openers(one), openers(other));
        let is_no_deed = |opener: &Opener| *opener == Opener::UNKNOWN || opener.is_below();
        let is_unknown = |side: &BTreeSet<Opener>| side.iter().any(is_no_deed);
        if is_unknown(&left) || is_unknown(&right) || !left.is_disjoint(&right) {
            return None;
        }
        let of_these = |member: &&Member| left.contains(&member.opener) || right.contains(&member.opener);
        let visits: usize = members.iter().filter(of_these).map(|member| member.visits).sum();
        if visits < visits_per_opener * (left.len() + right.len()) {
            return None;
        }
        let (member, _) = *one.first()?;
        self.split_by_opener(named, members, look(&members[member].digest))
    }

    /// Such screens have been told apart by what opened them on other states: a new one need not be learnt from its own
    /// mistakes.
    pub(super) fn split_as_elsewhere(
        &mut self,
        tree: &Arc<GuiTree>,
        store: &GuiStore,
        changes: &mut Changes,
    ) {
        if tree.opener() == Opener::UNKNOWN
            || tree.opener().is_below()
            || !self.config.learn_from_others
            || self.config.visits_per_opener.is_none()
        {
            return;
        }
        let named = self.name_tree(tree);
        let is_split = self.chain(named.key).skip(1).any(|key| {
            let edge = self.keys.get(&key).and_then(|key| key.refined.as_ref());
            edge.is_some_and(|edge| edge.change.way == Way::Opener)
        });
        let look = look(&self.digest(tree));
        if is_split || !self.experience.opener_proved(look) || self.is_crowded(&named) {
            return;
        }
        let members = self.members(&named, Some(tree), store);
        let Some(found) = self.split_by_opener(&named, &members, look) else { return };
        let (change, states) = (found.trial.change.clone(), found.states);
        let place = Some(found.place(&named));
        let naming = self.apply(&named, found, store, changes);
        changes.decisions.push(Decision::StateRefined {
            state: named.key,
            name: change.selector.to_string(),
            trees: (tree.hash(), tree.hash()),
            change,
            place,
            states,
            naming,
        });
    }

    fn split_by_opener(&self, named: &Named, members: &[Member], look: u64) -> Option<Found> {
        let change = Change::by_opener();
        let openers: BTreeSet<Opener> = members.iter().map(|member| member.opener).collect();
        let states = openers.len();
        if self.is_barred(named.key, &change) || states > self.beta(self.naming(named.naming)) {
            return None;
        }
        Some(Found { trial: Trial::new(0, change), states, actions: 0, look, is_fork: true })
    }
}

/// What a screen says, whatever its activity.
fn look(digest: &Digest) -> u64 {
    let counting = digest.locals.iter().filter(|local| local.counts);
    let mut parts: Vec<u64> = counting
        .map(|local| hash_numbers(&[local.class, local.id, local.text, u64::from(local.patch)]))
        .collect();
    hash_names(0, 0, &mut parts).0
}
