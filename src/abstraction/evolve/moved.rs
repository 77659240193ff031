//! Widgets that were named by their places and have moved. Where the texts of a list are at other places than they were,
//! its rows are not their places: they get names by what they say before anybody is led astray by them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::decision::Decision;
use super::super::digest::{Digest, Local};
use super::super::reducer::Reducer;
use super::super::tree::{Change, Trial, Way, WithActions};
use super::super::{Abstraction, Changes, Named, StateKey};
use super::refine::Found;
use super::{Evolving, Ranking};
use crate::gui::{GuiStore, GuiTree, NodeIx};

/// A screen is compared with so many others.
const MAX_COMPARED: usize = 6;
/// So many rows must have moved, and more than stayed.
const LEAST_MOVED: usize = 2;

impl Evolving {
    /// Names by their places are taken back where the widgets have moved, and what they say names them; the state takes no
    /// notice of it.
    pub(super) fn rename_moved(&mut self, tree: &Arc<GuiTree>, store: &GuiStore, changes: &mut Changes) {
        if !self.config.trust_moves
            || self.config.visits_per_name.is_none()
            || matches!(self.config.ranking, Ranking::Scripted(_))
        {
            return;
        }
        let named = self.name_tree(tree);
        let at = self.before_naming(named.key);
        if at == named.key {
            return;
        }
        let digest = self.digest(tree);
        let function = self.naming(named.naming);
        let is_by_place = |&ix: &usize| {
            let local = &digest.locals[ix];
            local.counts && local.actionable && {
                let reducer = function.reducer(function.output(&digest, ix));
                reducer.contains(Reducer::INDEX) && !reducer.intersects(Reducer::TEXT | Reducer::WORDS)
            }
        };
        let mut by_kind: Vec<(Kind, Vec<usize>)> = Vec::new();
        for ix in (0..digest.locals.len()).filter(is_by_place) {
            let kind = kind(&digest.locals[ix]);
            match by_kind.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, nodes)) => nodes.push(ix),
                None => by_kind.push((kind, vec![ix])),
            }
        }
        by_kind.retain(|(_, nodes)| nodes.len() > LEAST_MOVED);
        if by_kind.is_empty() {
            return;
        }
        let others = self.last_below(at, tree, store);
        let moved = by_kind.iter().find(|(kind, nodes)| {
            let here = places(&digest, nodes.iter().copied());
            others.iter().any(|other| have_moved(&here, &places(other, of_kind(other, *kind))))
        });
        let Some((kind, nodes)) = moved else { return };
        let naming = self.naming_at(at);
        let (function, node) = (self.naming(naming), NodeIx(nodes[0] as u32));
        let output = function.output(&digest, nodes[0]);
        let current = function.reducer(output);
        let elsewhere = others.iter().flat_map(|other| of_kind(other, *kind).map(|ix| &other.locals[ix]));
        let here: Vec<&Local> = nodes.iter().map(|&ix| &digest.locals[ix]).collect();
        let said = if is_said_without_numbers(&here, elsewhere, self.config.alpha) {
            Reducer::WORDS
        } else {
            Reducer::TEXT
        };
        let selector = function.selector(tree, &digest, node, self.config.appearance);
        let change = Change { selector, reducer: current | said, way: Way::Names };
        let state = Named { key: at, names: Box::default(), naming, widest: 0, ..Named::default() };
        if !change.reducer.is_finer_than(current) || self.is_barred(at, &change) || self.is_crowded(&state) {
            return;
        }
        let name = function.words(tree, [node], self.config.appearance, WithActions::No).concat();
        let trial = Trial::new(output, change.clone());
        let found = Found { trial, states: 1, actions: 0, look: 0, is_fork: false };
        let place = Some(found.place(&state));
        let widgets = nodes.len();
        self.experience.names_right(&change.selector, change.reducer);
        let naming = self.apply_to_all(&state, found, store, changes);
        changes.decisions.push(Decision::ActionRefined {
            state: at,
            name,
            widgets,
            alpha: 1,
            tree: tree.hash(),
            change,
            place,
            states: 1,
            naming,
        });
    }

    /// The newest other screens of a key and of all keys below it.
    fn last_below(&self, key: StateKey, but: &GuiTree, store: &GuiStore) -> Vec<Arc<Digest>> {
        let below = self.below(key);
        let keys = below.iter().rev().chain(std::iter::once(&key)).filter_map(|key| self.keys.get(key));
        let newest = keys.flat_map(|key| key.members.keys().rev().take(2));
        let others = newest.filter(|&&hash| hash != but.identity()).filter_map(|&hash| store.get(hash));
        others.take(MAX_COMPARED).map(|tree| self.digest(tree)).collect()
    }
}

/// Numbers make texts differ that say the same otherwise, and without them no more widgets of the screen say the same than
/// one name may stand for.
fn is_said_without_numbers<'a>(
    here: &[&'a Local],
    elsewhere: impl Iterator<Item = &'a Local>,
    alpha: usize,
) -> bool {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for local in here {
        *counts.entry(local.words).or_default() += 1;
    }
    let (mut texts, mut words) = (FxHashSet::default(), FxHashSet::default());
    for local in here.iter().copied().chain(elsewhere) {
        texts.insert(local.text);
        words.insert(local.words);
    }
    words.len() < texts.len() && counts.into_values().all(|count| count <= alpha)
}

/// What a widget is, wherever it is and whatever it says.
type Kind = (u64, u64, u16);

fn kind(local: &Local) -> Kind {
    (local.class, local.id, local.patch)
}

/// Where each text is; nowhere, if several widgets say it.
fn places(digest: &Digest, nodes: impl Iterator<Item = usize>) -> BTreeMap<u64, Option<u32>> {
    let mut places = BTreeMap::new();
    for local in nodes.map(|ix| &digest.locals[ix]) {
        places.entry(local.bare).and_modify(|place| *place = None).or_insert(Some(local.index));
    }
    places
}

fn of_kind(digest: &Digest, wanted: Kind) -> impl Iterator<Item = usize> {
    let is_of_kind = move |&ix: &usize| digest.locals[ix].counts && kind(&digest.locals[ix]) == wanted;
    (0..digest.locals.len()).filter(is_of_kind)
}

/// More of what both say is elsewhere than where it was.
fn have_moved(here: &BTreeMap<u64, Option<u32>>, there: &BTreeMap<u64, Option<u32>>) -> bool {
    let (mut moved, mut stayed) = (0, 0);
    for (text, place) in here {
        if let (Some(here), Some(Some(there))) = (place, there.get(text)) {
            if here == there {
                stayed += 1;
            } else {
                moved += 1;
            }
        }
    }
    moved >= LEAST_MOVED && moved > stayed
}
