//! Names of which the state takes no notice. The rows of a list that grows, or is never the same twice, need names by
//! their texts, else nobody can tell where each leads; with these names every visit would be a state of its own, which
//! coarsening forbids. So the rows are named, and the state counts them as it did before.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::decision::Decision;
use super::super::reducer::Reducer;
use super::super::tree::{Change, Trial, Way, WithActions};
use super::super::{Abstraction, Changes, GuiAction, NameId, Named, NamingId, StateKey};
use super::refine::{Found, MAX_SAMPLES, Member, Spot, located};
use super::sides::wide_names;
use super::{Evolving, Ranking};
use crate::gui::{GuiStore, GuiTree, NodeIx};

/// So many trees are looked at.
const MAX_MEMBERS: usize = 40;

/// Two outcomes of an action, what must stay apart, and how often screens with each name must have come.
struct Sides<'a> {
    left: &'a [Spot],
    right: &'a [Spot],
    apart: &'a [(Spot, Spot)],
    visits_per_name: usize,
}

impl Evolving {
    /// Gives the widgets of a non-deterministic action names that separate its newest outcome from one of the others. It is done as far up as
    /// no refinement above the state was made because an action led elsewhere: what only named widgets is taken back, and
    /// the states that it made come together.
    pub(super) fn rename(
        &mut self,
        source: StateKey,
        newest: &[GuiAction],
        others: &[Vec<GuiAction>],
        store: &GuiStore,
        changes: &mut Changes,
    ) -> bool {
        // A script names all reducers that may be used, and for which states.
        let Some(visits_per_name) = self.config.visits_per_name else { return false };
        if matches!(self.config.ranking, Ranking::Scripted(_)) {
            return false;
        }
        let at = self.before_naming(source);
        let naming = self.naming_at(at);
        let named = Named { key: at, names: Box::default(), naming, widest: 0, ..Named::default() };
        if self.is_crowded(&named) {
            return false;
        }
        let members = self.members_below(at, naming, store);
        let locate = |actions| -> Vec<Spot> { located(&members, actions).take(MAX_SAMPLES).collect() };
        let left = locate(newest);
        let Some(&(member, node)) = left.first() else { return false };
        let Some(tree) = store.get(members[member].hash).map(Arc::clone) else { return false };
        let apart = self.demands(at, &members, store);
        let found = others.iter().find_map(|other| {
            let right = locate(other);
            if right.is_empty() || left.iter().any(|action| right.contains(action)) {
                return None;
            }
            let sides = Sides { left: &left, right: &right, apart: &apart, visits_per_name };
            let found = self.best_names(&named, &tree, node, &members, &sides)?;
            Some((right[0], found))
        });
        let Some((right, found)) = found else { return false };
        let gui = |(member, node): (usize, usize)| GuiAction {
            tree: members[member].hash,
            node: NodeIx(node as u32),
        };
        let content = |member: usize| {
            let hash = members[member].hash;
            store.get(hash).map_or(hash, |tree| tree.hash())
        };
        let pairs = vec![(gui(left[0]), gui(right))];
        let trees = (content(left[0].0), content(right.0));
        let (change, states) = (found.trial.change.clone(), found.states);
        let place = Some(found.place(&named));
        self.experience.names_right(&change.selector, change.reducer);
        let naming = self.apply_to_all(&named, found, store, changes);
        self.keep_apart(at, pairs);
        changes.decisions.push(Decision::StateRefined {
            state: at,
            name: change.selector.to_string(),
            trees,
            change,
            place,
            states,
            naming,
        });
        true
    }

    /// Makes a refinement of a key that may be refined already: what named its widgets so far is taken back for good.
    pub(super) fn apply_to_all(
        &mut self,
        named: &Named,
        found: Found,
        store: &GuiStore,
        changes: &mut Changes,
    ) -> NamingId {
        let key = named.key;
        let Some(edge) = self.keys.get(&key).and_then(|key| key.refined.clone()) else {
            return self.apply(named, found, store, changes);
        };
        let below = self.below(key);
        let states = below.iter().filter(|&&key| self.is_final(key)).count();
        let beta = self.beta(self.naming(edge.naming));
        self.dissolve(key, &below, changes);
        self.barred.entry(key).or_default().push(edge.change.clone());
        let decision = changes.decisions.len();
        let (reverted, barred) = (edge.naming, edge.change);
        changes.decisions.push(Decision::Coarsened {
            state: key,
            states,
            beta,
            reverted,
            barred,
            given_up: 0,
        });
        let naming = self.apply(named, found, store, changes);
        let now_one = self.give_up(key, store);
        if let Some(Decision::Coarsened { given_up, .. }) = changes.decisions.get_mut(decision) {
            *given_up = now_one;
        }
        naming
    }

    /// Of the reducers that tell two sides apart by names that came again, the one with the fewest names.
    fn best_names(
        &self,
        named: &Named,
        tree: &GuiTree,
        node: usize,
        members: &[Member],
        sides: &Sides<'_>,
    ) -> Option<Found> {
        let Sides { left, right, apart, visits_per_name } = *sides;
        let naming = self.naming(named.naming);
        let digest = self.digest(tree);
        let output = naming.output(&digest, node);
        let current = naming.reducer(output);
        let selector = naming.selector(tree, &digest, NodeIx(node as u32), self.config.appearance);
        let mut best: Option<(_, Found)> = None;
        for reducer in Reducer::lattice(self.config.primitives | Reducer::WORDS) {
            let change = Change { selector: selector.clone(), reducer, way: Way::Names };
            let says_it_twice = reducer.contains(Reducer::TEXT | Reducer::WORDS);
            if says_it_twice || !reducer.is_finer_than(current) || self.is_barred(named.key, &change) {
                continue;
            }
            let trial = Trial::new(output, change);
            let mut all: Vec<Vec<NameId>> = Vec::with_capacity(members.len());
            for member in members {
                let mut after = Vec::with_capacity(member.digest.locals.len());
                naming.names_after(&trial, &member.digest, &member.now, &mut after);
                all.push(after);
            }
            let names_of = |side: &[(usize, usize)]| -> BTreeSet<NameId> {
                side.iter().map(|&(member, node)| all[member][node]).collect()
            };
            let (one, other) = (names_of(left), names_of(right));
            if !one.is_disjoint(&other) {
                continue;
            }
            let name = |(member, node): Spot| all[member][node];
            if apart.iter().any(|&(one, other)| name(one) == name(other)) {
                continue;
            }
            let came_again = |name: &NameId| -> usize {
                let with = all.iter().zip(members).filter(|(names, _)| names.contains(name));
                with.map(|(_, member)| member.visits).sum()
            };
            let visits: usize = one.iter().chain(&other).map(came_again).sum();
            if visits < visits_per_name * (one.len() + other.len()) {
                continue;
            }
            let distinct: BTreeSet<NameId> = all.iter().flatten().copied().collect();
            let rank = (distinct.len(), reducer.rank());
            if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                let actions = distinct.len();
                best = Some((rank, Found { trial, states: 1, actions, look: 0, is_fork: false }));
            }
        }
        best.map(|(_, found)| found)
    }

    /// Names that have proved right on other states, if they split a name here.
    pub(super) fn renamed_as_elsewhere(
        &self,
        named: &Named,
        tree: &GuiTree,
        nodes: &[usize],
        member: &Member,
        store: &GuiStore,
    ) -> Option<Found> {
        self.config.visits_per_name?;
        if !self.config.learn_from_others {
            return None;
        }
        let naming = self.naming(named.naming);
        let node = *nodes.first()?;
        let selector = naming.selector(tree, &member.digest, NodeIx(node as u32), self.config.appearance);
        let reducer = self.experience.proved_names(&selector)?;
        let output = naming.output(&member.digest, node);
        let change = Change { selector, reducer, way: Way::Names };
        if !reducer.is_finer_than(naming.reducer(output)) || self.is_barred(named.key, &change) {
            return None;
        }
        let trial = Trial::new(output, change);
        let mut after = Vec::with_capacity(member.digest.locals.len());
        naming.names_after(&trial, &member.digest, &member.now, &mut after);
        let splits = nodes.iter().any(|&other| after[other] != after[node]);
        let apart = self.demands(named.key, std::slice::from_ref(member), store);
        let holds = apart.iter().all(|&((_, one), (_, other))| after[one] != after[other]);
        (splits && holds).then_some(Found { trial, states: 1, actions: 0, look: 0, is_fork: false })
    }

    /// A state whose widgets were named in vain before it was known better gets the names that have proved right on
    /// other states.
    pub(super) fn rename_as_elsewhere(
        &mut self,
        tree: &Arc<GuiTree>,
        store: &GuiStore,
        changes: &mut Changes,
    ) {
        if self.config.visits_per_name.is_none() || !self.experience.knows_names() {
            return;
        }
        let key = self.name_tree(tree).key;
        let at = self.before_naming(key);
        if at == key {
            return;
        }
        let naming = self.naming_at(at);
        let member = self.member(self.naming(naming), tree, 1);
        let named =
            Named { key: at, names: member.now.names.clone().into(), naming, widest: 0, ..Named::default() };
        let groups = wide_names(tree, &named, 1);
        let found = groups.iter().find_map(|(_, nodes)| {
            Some((nodes, self.renamed_as_elsewhere(&named, tree, nodes, &member, store)?))
        });
        let Some((nodes, found)) = found else { return };
        let node = NodeIx(nodes[0] as u32);
        let name = self.naming(naming).words(tree, [node], self.config.appearance, WithActions::No).concat();
        let (change, place) = (found.trial.change.clone(), Some(found.place(&named)));
        let naming = self.apply_to_all(&named, found, store, changes);
        changes.decisions.push(Decision::ActionRefined {
            state: at,
            name,
            widgets: nodes.len(),
            alpha: 1,
            tree: tree.hash(),
            change,
            place,
            states: 1,
            naming,
        });
    }

    /// The highest key above a state from which only refinements lead down that named widgets.
    pub(super) fn before_naming(&self, source: StateKey) -> StateKey {
        let is_naming = |key: &StateKey| {
            let edge = self.keys.get(key).and_then(|key| key.refined.as_ref());
            edge.is_some_and(|edge| !edge.is_fork && matches!(edge.change.way, Way::Replace | Way::Insert))
        };
        self.chain(source).skip(1).take_while(is_naming).last().unwrap_or(source)
    }

    /// The function that gave a key.
    pub(super) fn naming_at(&self, key: StateKey) -> NamingId {
        let parent = self.keys.get(&key).and_then(|key| key.parent);
        let edge = parent.and_then(|parent| self.keys.get(&parent)?.refined.as_ref());
        edge.map_or(NamingId(0), |edge| edge.naming)
    }

    /// The trees of a key and of all keys below it.
    fn members_below(&self, key: StateKey, naming: NamingId, store: &GuiStore) -> Vec<Member> {
        let function = self.naming(naming);
        let keys = std::iter::once(key).chain(self.below(key));
        let trees = keys.filter_map(|key| self.keys.get(&key)).flat_map(|key| key.members.iter());
        let member = |(&hash, &visits)| Some(self.member(function, store.get(hash)?, visits));
        trees.filter_map(member).take(MAX_MEMBERS).collect()
    }
}
