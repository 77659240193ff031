//! Finding the refinement: candidates, what each would do, and which is taken.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::Abstraction;
use super::super::decision::Decision;
use super::super::digest::Digest;
use super::super::reducer::Reducer;
use super::super::tree::{Change, DecisionTree, Now, Place, Trial, Way};
use super::super::{Changes, Fork, GuiAction, NameId, Named, NamingId, StateKey, hash_names};
use super::sides::{differ_by_marks, promising, wide_names};
use super::{Edge, EvolveConfig, Evolving, Known, MAX_APART, Ranking, place_hash};
use crate::gui::{GuiStore, GuiTree, NodeIx, Opener};
use crate::ids::TreeHash;

/// A refinement that works.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) trial: Trial,
    pub(super) states: usize,
    pub(super) actions: usize,
    /// What the screens look like, if they are told apart by what opened them.
    pub(super) look: u64,
    /// An action led to different states.
    pub(super) is_fork: bool,
}

impl Found {
    pub(super) fn place(&self, state: &Named) -> Place {
        Place { naming: state.naming, node: self.trial.output as u32 }
    }
}

/// One tree of the state that is to be refined.
pub(super) struct Member {
    /// The identity of the screen.
    pub(super) hash: TreeHash,
    pub(super) visits: usize,
    pub(super) digest: Arc<Digest>,
    pub(super) opener: Opener,
    pub(super) now: Now,
}

/// The members of a state as a change would name them, each named once, when it is asked for.
pub(super) struct Renamed<'a> {
    naming: &'a DecisionTree,
    trial: &'a Trial,
    members: &'a [Member],
    names: Vec<OnceCell<(StateKey, Vec<NameId>)>>,
}

impl<'a> Renamed<'a> {
    pub(super) fn new(naming: &'a DecisionTree, trial: &'a Trial, members: &'a [Member]) -> Self {
        Self { naming, trial, members, names: vec![OnceCell::new(); members.len()] }
    }

    /// What stands for the state of a member, and the names of its widgets.
    pub(super) fn of(&self, at: usize) -> &(StateKey, Vec<NameId>) {
        self.names[at].get_or_init(|| {
            let Member { digest, now, .. } = &self.members[at];
            let mut names = Vec::with_capacity(digest.locals.len());
            self.naming.names_after(self.trial, digest, now, &mut names);
            let counted = self.naming.counted_after(self.trial, digest, now);
            let counted = counted.as_ref().unwrap_or(&names).iter();
            let mut counted: Vec<u64> =
                counted.filter(|name| **name != NameId::NONE).map(|name| name.0).collect();
            (hash_names(0, 0, &mut counted), names)
        })
    }
}

/// A widget of a member: the positions of both.
pub(super) type Spot = (usize, usize);

/// Two outcomes of a non-deterministic action.
#[derive(Clone, Copy)]
struct Pair<'a> {
    newest: &'a [GuiAction],
    other: &'a [GuiAction],
    /// They are parts of one state that was refined.
    is_weak: bool,
}

/// What a refinement must achieve.
enum Goal<'a> {
    /// These widgets of a member get more than one name.
    Split {
        /// The member.
        member: usize,
        /// The widgets.
        nodes: &'a [usize],
        /// Only by what has proved right on other states.
        proved: bool,
    },
    /// No GUI action of one side shares state and name with one of the other: positions of member and widget.
    Separate {
        /// One side.
        one: &'a [(usize, usize)],
        /// The other side.
        other: &'a [(usize, usize)],
        /// New states must bring GUI actions of one outcome together.
        is_weak: bool,
    },
}

/// So many GUI actions of an outcome are looked at.
pub(super) const MAX_SAMPLES: usize = 4;
/// Where the reason is weak, so many GUI actions must share a place.
const TOGETHER: usize = 2;

/// Where GUI actions are among the screens of a state, the newest first.
pub(super) fn located<'a>(
    members: &'a [Member],
    actions: &'a [GuiAction],
) -> impl Iterator<Item = Spot> + 'a {
    actions.iter().rev().filter_map(|action| {
        let at = members.iter().position(|member| member.hash == action.tree)?;
        Some((at, action.node.0 as usize))
    })
}

impl Evolving {
    /// Action refinement (Algorithm 2, lines 7 to 16): one name of more than α widgets is refined, if one can be.
    pub(super) fn refine_actions(
        &mut self,
        tree: &Arc<GuiTree>,
        store: &GuiStore,
        changes: &mut Changes,
    ) -> bool {
        let named = self.name_tree(tree);
        let alpha = self.config.alpha;
        let experienced = self.config.learn_from_others && !self.experience.is_empty();
        let least = if experienced { alpha.min(1) } else { alpha };
        if named.widest as usize <= least || self.is_crowded(&named) {
            return false;
        }
        let mut groups = wide_names(tree, &named, least);
        groups.retain(|(_, nodes)| nodes.len() > alpha || self.is_known(&named, tree, nodes[0]));
        groups.retain(|(name, _)| !self.unsplittable.contains(&(named.key, *name)));
        // What was named by what it says, since that tells where it leads, is not split by anything less.
        let (naming, digest) = (self.naming(named.naming), self.digest(tree));
        groups.retain(|(_, nodes)| !naming.counts_as_less(naming.output(&digest, nodes[0])));
        if groups.is_empty() {
            return false;
        }
        let members = self.members(&named, Some(tree), store);
        let at = members.iter().position(|member| member.hash == tree.identity()).unwrap_or_default();
        for (name, nodes) in groups {
            let is_wide = nodes.len() > alpha;
            let goal = Goal::Split { member: at, nodes: &nodes, proved: !is_wide };
            let node = NodeIx(nodes[0] as u32);
            let found = self
                .renamed_as_elsewhere(&named, tree, &nodes, &members[at], store)
                .or_else(|| self.best(&named, &[(tree, node)], &members, &goal, store));
            if let Some(found) = found {
                let pairs = self.split_pairs(&named, &found, &members[at], &nodes);
                let words = self.describe(tree, &[node]).concat();
                let (change, states) = (found.trial.change.clone(), found.states);
                let place = Some(found.place(&named));
                let naming = self.apply(&named, found, store, changes);
                self.keep_apart(named.key, pairs);
                changes.decisions.push(Decision::ActionRefined {
                    state: named.key,
                    name: words,
                    widgets: nodes.len(),
                    alpha: if is_wide { alpha } else { least },
                    tree: tree.hash(),
                    change,
                    place,
                    states,
                    naming,
                });
                return true;
            }
            // What experience cannot do today it may do tomorrow.
            if is_wide && self.unsplittable.insert((named.key, name)) {
                let max_names = self.stopped_by_names(&named, (tree, node), &members, &goal, store);
                changes.decisions.push(Decision::NotSplit {
                    state: named.key,
                    name: self.describe(tree, &[node]).concat(),
                    widgets: nodes.len(),
                    alpha,
                    tree: tree.hash(),
                    max_names,
                });
            }
        }
        false
    }

    /// The bound on a screen's names, if nothing else forbids a refinement that reaches the goal.
    fn stopped_by_names(
        &self,
        named: &Named,
        (tree, node): (&Arc<GuiTree>, NodeIx),
        members: &[Member],
        goal: &Goal<'_>,
        store: &GuiStore,
    ) -> Option<usize> {
        let max = self.config.max_names?;
        let apart = self.demands(named.key, members, store);
        let naming = self.naming(named.naming);
        let works = |trial: &Trial| self.judge(naming, trial, members, goal, &apart, None).is_some();
        self.candidates(named, tree, node).iter().any(works).then_some(max)
    }

    /// Some refinement of a widget's name has proved right on other states.
    fn is_known(&self, named: &Named, tree: &GuiTree, node: usize) -> bool {
        let (naming, digest) = (self.naming(named.naming), self.digest(tree));
        let selector = naming.selector(tree, &digest, NodeIx(node as u32), self.config.appearance);
        self.experience.knows(&selector)
    }

    /// State refinement (Algorithm 2, lines 21 to 31), with the variant for actions that the paper leaves out: either
    /// the states or the names of the GUI actions that led elsewhere become different.
    pub(super) fn refine_state(&mut self, fork: &Fork, store: &GuiStore) -> Changes {
        if self.config.ranking == Ranking::FirstFit {
            return self.refine_as_released(fork, store);
        }
        let mut changes = Changes::default();
        let key = (fork.source, fork.name, fork.kind);
        let visits = self.keys.get(&fork.source).map_or(0, |key| key.members.values().sum());
        let now = Known { outcomes: fork.outcomes.len(), visits };
        if self.inseparable.get(&key).is_some_and(|tried| !tried.is_outgrown_by(now)) {
            return changes;
        }
        if self.name_return(fork, store, &mut changes) {
            return changes;
        }
        let Some((newest, others)) = fork.outcomes.split_first() else { return changes };
        let screens = self.screens(fork.source, newest, store);
        for (ix, other) in others.iter().enumerate() {
            let led_to = fork.targets.first().zip(fork.targets.get(ix + 1));
            // Two parts of one refined state: where any cause will do, the refinement spreads to all states that lead there.
            let is_weak = led_to.is_some_and(|(one, other)| self.root_of(*one) == self.root_of(*other));
            let pair = Pair { newest, other, is_weak: is_weak && self.config.visits_per_state > 0 };
            if let Some(screens) = &screens
                && self.separate(screens, &pair, store, &mut changes)
            {
                return changes;
            }
        }
        if self.rename(fork.source, newest, others, store, &mut changes) {
            return changes;
        }
        self.inseparable.insert(key, now);
        changes.decisions.push(self.not_separable(fork, store));
        changes
    }

    /// Which action it is, and the screens that it was done on, one of each outcome as far as they are kept.
    pub(super) fn not_separable(&mut self, fork: &Fork, store: &GuiStore) -> Decision {
        let kept = |outcome: &Vec<GuiAction>| {
            outcome.iter().rev().find_map(|action| Some((Arc::clone(store.get(action.tree)?), action.node)))
        };
        let done: Vec<(Arc<GuiTree>, NodeIx)> = fork.outcomes.iter().filter_map(kept).collect();
        let name = done.first().map(|(tree, node)| self.describe(tree, &[*node]).concat());
        let mut trees: Vec<TreeHash> = done.iter().map(|(tree, _)| tree.hash()).collect();
        trees.sort_unstable();
        trees.dedup();
        Decision::NotSeparable {
            state: fork.source,
            outcomes: fork.outcomes.len(),
            action: name.map(|name| format!("{} {name}", fork.kind.word())).unwrap_or_default(),
            trees,
        }
    }

    /// A state and its screens, if some of these GUI actions are still in it and it may be refined.
    pub(super) fn screens(
        &mut self,
        source: StateKey,
        newest: &[GuiAction],
        store: &GuiStore,
    ) -> Option<(Arc<Named>, Vec<Member>)> {
        let named = newest.iter().rev().find_map(|action| {
            let tree = Arc::clone(store.get(action.tree)?);
            Some(self.name_tree(&tree)).filter(|named| named.key == source)
        })?;
        let members = (!self.is_crowded(&named)).then(|| self.members(&named, None, store))?;
        Some((named, members))
    }

    fn separate(
        &mut self,
        (named, members): &(Arc<Named>, Vec<Member>),
        pair: &Pair<'_>,
        store: &GuiStore,
        changes: &mut Changes,
    ) -> bool {
        let Pair { newest, other, is_weak } = *pair;
        let locate = |actions| -> Vec<Spot> { located(members, actions).take(MAX_SAMPLES).collect() };
        let (one, two) = (locate(newest), locate(other));
        if one.is_empty() || two.is_empty() || one.iter().any(|action| two.contains(action)) {
            return false;
        }
        let first = members[one[0].0].hash;
        let Some(tree) = store.get(first) else { return false };
        let targets: Vec<(&Arc<GuiTree>, NodeIx)> =
            promising(members, &one, &two).into_iter().map(|node| (tree, NodeIx(node as u32))).collect();
        let goal = Goal::Separate { one: &one, other: &two, is_weak };
        let found = self
            .best(named, &targets, members, &goal, store)
            .or_else(|| self.by_opener(named, members, &one, &two));
        let Some(found) = found else { return false };
        self.tell_apart(named, members, found, (one[0], two[0]), store, changes);
        true
    }

    /// Makes a refinement that tells two outcomes apart.
    pub(super) fn tell_apart(
        &mut self,
        named: &Named,
        members: &[Member],
        found: Found,
        (one, other): (Spot, Spot),
        store: &GuiStore,
        changes: &mut Changes,
    ) {
        let gui = |(member, node): (usize, usize)| GuiAction {
            tree: members[member].hash,
            node: NodeIx(node as u32),
        };
        let pairs = vec![(gui(one), gui(other))];
        let content = |member: usize| {
            let hash = members[member].hash;
            store.get(hash).map_or(hash, |tree| tree.hash())
        };
        let trees = (content(one.0), content(other.0));
        let (change, states) = (found.trial.change.clone(), found.states);
        let place = Some(found.place(named));
        self.learn(named, &found);
        let naming = self.apply(named, found, store, changes);
        self.keep_apart(named.key, pairs);
        changes.decisions.push(Decision::StateRefined {
            state: named.key,
            name: change.selector.to_string(),
            trees,
            change,
            place,
            states,
            naming,
        });
    }

    /// A fork was separated: the refinement was right, and what it replaces was not enough.
    fn learn(&mut self, named: &Named, found: &Found) {
        let Trial { output, change, .. } = &found.trial;
        if change.way == Way::Opener {
            self.experience.opener_right(found.look);
            return;
        }
        if change.way == Way::Replace {
            let replaced = self.naming(named.naming).reducer(*output);
            self.experience.wrong(&change.selector, replaced);
        }
        self.experience.right(&change.selector, change.reducer, found.states);
    }

    /// The activity has so many states already that its states are not refined.
    pub(super) fn is_crowded(&self, named: &Named) -> bool {
        let limit = self.config.max_states_of_activity;
        limit.is_some_and(|limit| {
            let activity = self.keys.get(&named.key).map(|key| &key.activity);
            activity.and_then(|activity| self.states_of.get(activity)).is_some_and(|&count| count > limit)
        })
    }

    pub(super) fn members(
        &self,
        state: &Named,
        also: Option<&Arc<GuiTree>>,
        store: &GuiStore,
    ) -> Vec<Member> {
        let function = self.naming(state.naming);
        let member = |tree: &GuiTree, visits: usize| self.member(function, tree, visits);
        let hashes = self.keys.get(&state.key).into_iter().flat_map(|key| key.members.iter());
        let mut members: Vec<Member> =
            hashes.filter_map(|(&hash, &visits)| Some(member(store.get(hash)?, visits))).collect();
        if let Some(tree) = also
            && !members.iter().any(|member| member.hash == tree.identity())
        {
            members.push(member(tree, 1));
        }
        members
    }

    pub(super) fn member(&self, function: &DecisionTree, tree: &GuiTree, visits: usize) -> Member {
        let digest = self.digest(tree);
        let mut names = Vec::with_capacity(digest.locals.len());
        function.names(&digest, &mut names);
        let now = Now { names, outputs: function.outputs(&digest), counted: function.counted(&digest) };
        Member { hash: tree.identity(), visits, digest, opener: tree.opener(), now }
    }

    /// The refinement to take: of the names of these widgets, one that reaches the goal.
    fn best(
        &self,
        named: &Named,
        targets: &[(&Arc<GuiTree>, NodeIx)],
        members: &[Member],
        goal: &Goal<'_>,
        store: &GuiStore,
    ) -> Option<Found> {
        let apart = self.demands(named.key, members, store);
        let naming = self.naming(named.naming);
        let mut best: Option<(_, Found)> = None;
        for (order, &(tree, node)) in targets.iter().enumerate() {
            for trial in self.candidates(named, tree, node) {
                let proved = self.proved(&trial.change);
                if proved == 0 && matches!(goal, Goal::Split { proved: true, .. }) {
                    continue;
                }
                let max_names = self.config.max_names;
                let Some((states, actions)) = self.judge(naming, &trial, members, goal, &apart, max_names)
                else {
                    continue;
                };
                let is_fork = match goal {
                    Goal::Separate { .. } => states > 1,
                    Goal::Split { .. } => {
                        proved > 0
                            && self.experience.tells_apart(&trial.change.selector, trial.change.reducer)
                    }
                };
                let found = Found { trial, states, actions, look: 0, is_fork };
                if self.config.ranking != Ranking::FewestStates {
                    return Some(found);
                }
                let change = &found.trial.change;
                let size = (found.states, found.actions, std::cmp::Reverse(proved));
                let rank = (size, change.reducer.rank(), order, change.way);
                if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                    best = Some((rank, found));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    fn proved(&self, change: &Change) -> usize {
        if !self.config.learn_from_others {
            return 0;
        }
        self.experience.proved(&change.selector, change.reducer)
    }

    /// All changes that could refine the name of a widget, in the order in which they are tried.
    pub(super) fn candidates(&self, named: &Named, tree: &GuiTree, node: NodeIx) -> Vec<Trial> {
        let naming = self.naming(named.naming);
        let digest = self.digest(tree);
        let output = naming.output(&digest, node.0 as usize);
        let current = naming.reducer(output);
        let selector = naming.selector(tree, &digest, node, self.config.appearance);
        let replaceable = self.config.replace_leaves && naming.is_replaceable(output);
        let mut reducers = match &self.config.ranking {
            Ranking::Scripted(order) => order.clone(),
            _ => Reducer::lattice(self.config.primitives),
        };
        if self.config.ranking == Ranking::FirstFit {
            reducers.sort_by_key(|reducer| reducer.released_rank());
        }
        let mut all = Vec::new();
        for reducer in reducers {
            if replaceable && !reducer.is_at_most(current) {
                let selector = naming.selector_of(output).clone();
                all.push(Trial::new(output, Change { selector, reducer, way: Way::Replace }));
            }
            if reducer.is_finer_than(current) {
                let selector = selector.clone();
                all.push(Trial::new(output, Change { selector, reducer, way: Way::Insert }));
            }
        }
        all.retain(|trial| !self.is_barred(named.key, &trial.change));
        all
    }

    /// A change was reverted on these trees, or is finer than one that was.
    pub(super) fn is_barred(&self, key: StateKey, change: &Change) -> bool {
        self.chain(key)
            .filter_map(|key| self.barred.get(&key))
            .flatten()
            .filter(|barred| {
                [Way::Opener, Way::Names].iter().all(|way| (barred.way == *way) == (change.way == *way))
            })
            .any(|barred| barred.selector == change.selector && barred.reducer.is_at_most(change.reducer))
    }

    /// The number of states and of names that a function would give the members, if it reaches the goal and breaks nothing.
    fn judge(
        &self,
        naming: &DecisionTree,
        trial: &Trial,
        members: &[Member],
        goal: &Goal<'_>,
        apart: &[(Spot, Spot)],
        max_names: Option<usize>,
    ) -> Option<(usize, usize)> {
        let renamed = Renamed::new(naming, trial, members);
        // The goal first: it needs few trees, and most candidates miss it.
        let (mut is_supported, mut by_marks) = (true, false);
        match goal {
            Goal::Split { member, nodes, .. } => {
                let (_, names) = renamed.of(*member);
                if nodes.iter().all(|&node| names[node] == names[nodes[0]]) {
                    return None;
                }
            }
            Goal::Separate { one, other, is_weak } => {
                let place = |&(member, node): &(usize, usize)| {
                    let (key, names) = renamed.of(member);
                    place_hash(*key, names[node])
                };
                // The newest of both first: most candidates do not even tell these apart.
                if place(&one[0]) == place(&other[0]) {
                    return None;
                }
                let left: BTreeSet<u64> = one.iter().map(place).collect();
                let right: BTreeSet<u64> = other.iter().map(place).collect();
                if !left.is_disjoint(&right) {
                    return None;
                }
                let (places, actions) = (left.len() + right.len(), one.len() + other.len());
                let trees: BTreeSet<usize> = one.iter().chain(*other).map(|&(member, _)| member).collect();
                let visits: usize = trees.iter().map(|&tree| members[tree].visits).sum();
                // The screens of the two sides came again and again; and where the reason is weak, GUI actions come together.
                let EvolveConfig { visits_per_state: least, visits_per_place, .. } = self.config;
                let came_again = visits > visits_per_place * places;
                by_marks = self.config.trust_marks && !is_weak && differ_by_marks(naming, trial, members);
                is_supported =
                    least == 0 || by_marks || (came_again && (!is_weak || actions >= TOGETHER * places));
            }
        }
        let beta = self.beta_of(naming.fineness_after(trial));
        let mut keys = BTreeSet::new();
        let mut actions = Vec::new();
        let mut distinct = Vec::new();
        for at in 0..members.len() {
            let (key, names) = renamed.of(at);
            keys.insert(*key);
            if keys.len() > beta {
                return None;
            }
            distinct.clone_from(names);
            distinct.sort_unstable();
            distinct.dedup();
            if max_names.is_some_and(|max| distinct.len() > max) {
                return None;
            }
            actions.extend(distinct.iter().map(|name| (*key, *name)));
        }
        actions.sort_unstable();
        actions.dedup();
        let separates = matches!(goal, Goal::Separate { .. });
        // A script knows what it does.
        let scripted = matches!(self.config.ranking, Ranking::Scripted(_));
        let is_explained = || self.is_explained(keys.len(), members) || by_marks;
        if keys.len() > 1 && separates && !scripted && !(is_supported && is_explained()) {
            return None;
        }
        let place = |(member, node): (usize, usize)| (renamed.of(member).0, renamed.of(member).1[node]);
        let holds = apart.iter().all(|&(one, other)| place(one) != place(other));
        holds.then_some((keys.len(), actions.len()))
    }

    /// So many states for so few visits would tell each visit apart from the next and explain nothing.
    fn is_explained(&self, states: usize, members: &[Member]) -> bool {
        let visits: usize = members.iter().map(|member| member.visits).sum();
        visits >= states * self.config.visits_per_state
    }

    /// The pairs that must stay apart and lie within the members of one state.
    pub(super) fn demands(&self, key: StateKey, members: &[Member], store: &GuiStore) -> Vec<(Spot, Spot)> {
        if !self.config.keep_apart {
            return Vec::new();
        }
        let root = self.root_of(key);
        let pairs = self.apart.get(&root).cloned().unwrap_or_default();
        let locate = |action: &GuiAction| {
            let at = members.iter().position(|member| member.hash == action.tree)?;
            store.get(action.tree).map(|_| (at, action.node.0 as usize))
        };
        pairs.iter().filter_map(|(one, other)| Some((locate(one)?, locate(other)?))).collect()
    }

    pub(super) fn keep_apart(&mut self, key: StateKey, pairs: Vec<(GuiAction, GuiAction)>) {
        if !self.config.keep_apart {
            return;
        }
        let root = self.root_of(key);
        let all = self.apart.entry(root).or_default();
        all.extend(pairs);
        all.dedup();
        let over = all.len().saturating_sub(MAX_APART);
        all.drain(..over);
    }

    /// What an action refinement told apart: neighbours that have different names now.
    fn split_pairs(
        &self,
        state: &Named,
        found: &Found,
        member: &Member,
        nodes: &[usize],
    ) -> Vec<(GuiAction, GuiAction)> {
        let mut names = Vec::new();
        let function = self.naming(state.naming);
        function.names_after(&found.trial, &member.digest, &member.now, &mut names);
        let gui = |node: usize| GuiAction { tree: member.hash, node: NodeIx(node as u32) };
        let differ = |pair: &&[usize]| names[pair[0]] != names[pair[1]];
        nodes.windows(2).find(differ).map(|pair| (gui(pair[0]), gui(pair[1]))).into_iter().collect()
    }

    /// Makes a refinement: the state is no more, and its trees are named anew.
    pub(super) fn apply(
        &mut self,
        named: &Named,
        found: Found,
        store: &GuiStore,
        changes: &mut Changes,
    ) -> NamingId {
        let Found { trial: Trial { output, change, .. }, look, is_fork, .. } = found;
        let key = named.key;
        let refined = self.naming(named.naming).changed(output, &change).hashed();
        let naming = self.intern(refined);
        let mut members = Vec::new();
        if let Some(key) = self.keys.get_mut(&key) {
            key.refined = Some(Edge { naming, change, look, is_fork });
            members.extend(std::mem::take(&mut key.members));
            if let Some(count) = self.states_of.get_mut(&key.activity) {
                *count = count.saturating_sub(1);
            }
        }
        changes.retired.push(key);
        for (hash, visits) in members {
            if let Some(tree) = store.get(hash).map(Arc::clone) {
                let named = self.name_tree(&tree);
                self.join(named.key, hash, visits, &mut changes.dropped);
            }
        }
        naming
    }
}
