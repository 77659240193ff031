//! The abstraction that refines and coarsens itself (APE III-C, Algorithm 2).
//!
//! A tree is named step by step: the initial function gives it a key; if that state was refined, the refined function
//! gives it a further key below the first, and so on. So a refinement touches exactly the trees that shared one
//! state (the paper's copy-on-write), two states once told apart never merge by a further refinement, and coarsening
//! is the removal of one step.

mod chosen;
mod experience;
mod moved;
mod naming;
mod opener;
mod refine;
mod released;
mod rename;
mod returns;
mod sides;

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smol_str::SmolStr;

use experience::Experience;

use super::decision::Decision;
use super::digest::{Appearance, Digest};
use super::fixed::CACHED_TREES;
use super::reducer::Reducer;
use super::tree::{Change, DecisionTree, Way, WithActions};
use super::{
    Abstraction, Changes, Evidence, GuiAction, NameId, Named, NamingId, StateKey, hash_names, hash_numbers,
};
use crate::action::ActionKind;
use crate::gui::{GuiStore, GuiTree, NodeIx};
use crate::ids::TreeHash;

/// Refines and coarsens itself while it is used.
#[derive(Debug)]
pub struct Evolving {
    config: EvolveConfig,
    /// All functions ever used; the index is the id.
    namings: Vec<DecisionTree>,
    keys: FxHashMap<StateKey, Key>,
    cache: FxHashMap<TreeHash, Arc<Named>>,
    /// The names of screens, by their content, as far as it does not matter what lies below them.
    wherever: FxHashMap<TreeHash, Arc<Named>>,
    /// The trees of the last screens and decisions as numbers: each is named again and again.
    digests: RefCell<FxHashMap<TreeHash, Arc<Digest>>>,
    /// Changes that were reverted, at the state they were made from.
    barred: FxHashMap<StateKey, Vec<Change>>,
    /// GUI actions that must keep different names or states, by the initial key of their trees.
    apart: FxHashMap<StateKey, Vec<(GuiAction, GuiAction)>>,
    /// Names of more than α widgets that nothing splits.
    unsplittable: FxHashSet<(StateKey, NameId)>,
    /// Forks that nothing separates, with what was known when that was found.
    inseparable: FxHashMap<(StateKey, NameId, ActionKind), Known>,
    /// The tree that was seen last: staying on it is no further visit.
    last: Option<TreeHash>,
    experience: Experience,
    /// Widgets that lead back to what lies below their activity.
    returning: FxHashSet<u64>,
    /// How many states each activity has now.
    states_of: FxHashMap<SmolStr, usize>,
}

/// How an abstraction evolves.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own, by which abstractions are compared"
)]
pub struct EvolveConfig {
    /// The initial function. Its nodes are never replaced.
    pub initial: DecisionTree,
    /// The primitives that refinements may use.
    pub primitives: Reducer,
    /// What counts as a widget's appearance.
    pub appearance: Appearance,
    /// A name that stands for more widgets of one screen is refined.
    pub alpha: usize,
    /// A state that was refined into more states is coarsened; without it the released formula.
    pub beta: Option<usize>,
    /// Which of several possible refinements is taken.
    pub ranking: Ranking,
    /// In which order the parts of Algorithm 2 come.
    pub order: Order,
    /// A leaf may get another reducer that is not finer.
    pub replace_leaves: bool,
    /// A state is refined into several only if its screens were come to at least so often for each of them: what differs on
    /// every visit, such as a clock, would tell any two screens apart and explain nothing.
    pub visits_per_state: usize,
    /// Two outcomes of an action are told apart by new states only if the screens that they began on were come to more often
    /// than this for each of the new places: a counter or a clock shows the same for a while, too.
    pub visits_per_place: usize,
    /// What proved right on some states is preferred on others, where nothing else decides, and tried there on names of
    /// fewer than α widgets.
    pub learn_from_others: bool,
    /// Where no refinement tells two outcomes of an action apart, its widgets may get names of which the state takes no
    /// notice, as the rows of a list that is never the same twice; if screens with each of the names were come to so often.
    pub visits_per_name: Option<usize>,
    /// Outcomes are told apart by what is checked or selected as soon as it works: unlike a text, that has few values.
    pub trust_marks: bool,
    /// Screens on which one of several things is chosen, as of tabs, are told apart by which one it is.
    pub trust_choices: bool,
    /// Widgets that were named by their places and have moved are named by what they say.
    pub trust_moves: bool,
    /// Widgets that look the same in two states have different names if the states were told apart by what opened them:
    /// what was done to one of them was not done to the other. Where something on the screens tells them apart, most of
    /// their widgets do the same in both.
    pub own_names: bool,
    /// Where no name tells two outcomes of an action apart, what opened the dialog or the menu may, once its screens were
    /// come to so often for each opener; without it nothing but the screen counts.
    pub visits_per_opener: Option<usize>,
    /// A widget that leads to what lies below its activity, wherever that is, is named by what lies below.
    pub name_returns: bool,
    /// What was told apart stays apart, unless coarsening gives it up.
    pub keep_apart: bool,
    /// How many trees of a state are remembered; without it all.
    pub max_trees: Option<usize>,
    /// A refinement must not give a screen more names.
    pub max_names: Option<usize>,
    /// States of activities with more states are not refined.
    pub max_states_of_activity: Option<usize>,
}

/// Which of several possible refinements is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// The one with the fewest states, then the fewest names; ties by the reducer (APE III-C, Algorithm Decisions).
    FewestStates,
    /// The first that works, coarse reducers first, and outcomes of an action are told apart as the released APE does it.
    FirstFit,
    /// The first that works, in this order of reducers and no others: for scripted examples.
    Scripted(Vec<Reducer>),
}

/// In which order the parts of Algorithm 2 come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Action refinement, coarsening, state refinement: the paper.
    Paper,
    /// Coarsening, action refinement, coarsening, state refinement: the released APE.
    CoarsenFirst,
}

impl Default for EvolveConfig {
    fn default() -> Self {
        Self {
            initial: DecisionTree::uniform(Reducer::CLASS),
            primitives: Reducer::PAPER,
            appearance: Appearance { borrowed: true, ..Appearance::default() },
            alpha: 3,
            beta: None,
            ranking: Ranking::FewestStates,
            order: Order::Paper,
            replace_leaves: true,
            visits_per_state: 3,
            visits_per_place: 4,
            learn_from_others: true,
            visits_per_name: Some(2),
            trust_marks: true,
            trust_choices: true,
            trust_moves: true,
            own_names: true,
            visits_per_opener: Some(2),
            name_returns: true,
            keep_apart: true,
            max_trees: Some(20),
            max_names: Some(128),
            max_states_of_activity: None,
        }
    }
}

/// One step of naming: a state of some function, final or refined further.
#[derive(Debug)]
struct Key {
    parent: Option<StateKey>,
    refined: Option<Edge>,
    /// The states below it, if it is refined.
    children: Vec<StateKey>,
    /// The trees in it, if it is final, and how often each was come to: a sample of bounded size.
    members: IndexMap<TreeHash, usize, FxBuildHasher>,
    activity: SmolStr,
}

/// How much was known about a fork.
#[derive(Clone, Copy, Debug)]
struct Known {
    outcomes: usize,
    visits: usize,
}

impl Known {
    /// There is so much more that it is worth another try.
    fn is_outgrown_by(self, now: Self) -> bool {
        now.outcomes >= 2 * self.outcomes || now.visits >= 2 * self.visits
    }
}

#[derive(Clone, Debug)]
struct Edge {
    naming: NamingId,
    change: Change,
    /// What the screens look like, if they are told apart by what opened them.
    look: u64,
    /// It makes several states since an action led to different ones.
    is_fork: bool,
}

impl Edge {
    /// What was done to a widget of one of the states that it makes was not done to the like of it in another.
    fn has_own_names(&self) -> bool {
        let Change { way, reducer, .. } = &self.change;
        // What is chosen is told with the words; nothing else that makes states is.
        *way == Way::Opener || (*way == Way::Insert && reducer.contains(Reducer::WORDS))
    }
}

/// So many trees are kept as numbers; then the memory starts afresh.
const DIGESTS: usize = 1 << 11;
/// Action refinement ends after this many rounds on one screen, whatever happens.
const MAX_ROUNDS: usize = 32;
/// So many pairs of GUI actions are kept apart in the states of one initial key; the oldest are given up first.
const MAX_APART: usize = 64;

impl Evolving {
    /// An abstraction that has seen nothing.
    pub fn new(config: EvolveConfig) -> Self {
        Self {
            namings: vec![config.initial.clone()],
            config,
            keys: FxHashMap::default(),
            cache: FxHashMap::default(),
            wherever: FxHashMap::default(),
            digests: RefCell::default(),
            barred: FxHashMap::default(),
            apart: FxHashMap::default(),
            unsplittable: FxHashSet::default(),
            inseparable: FxHashMap::default(),
            last: None,
            experience: Experience::default(),
            returning: FxHashSet::default(),
            states_of: FxHashMap::default(),
        }
    }

    /// One of the functions that were ever used.
    pub fn naming(&self, id: NamingId) -> &DecisionTree {
        &self.namings[id.0 as usize]
    }

    /// How it evolves.
    pub fn config(&self) -> &EvolveConfig {
        &self.config
    }

    /// The largest number of states into which one state may be refined by a function: min(8, max(1, 2 << (5 − n))),
    /// n the primitives of its finest reducer.
    pub fn beta(&self, naming: &DecisionTree) -> usize {
        self.beta_of(naming.fineness())
    }

    fn beta_of(&self, fineness: u32) -> usize {
        const MOST: usize = 8;
        self.config.beta.unwrap_or_else(|| (2usize << 5u32.saturating_sub(fineness)).clamp(1, MOST))
    }

    fn digest(&self, tree: &GuiTree) -> Arc<Digest> {
        let mut digests = self.digests.borrow_mut();
        if digests.len() >= DIGESTS && !digests.contains_key(&tree.hash()) {
            digests.clear();
        }
        let digest =
            digests.entry(tree.hash()).or_insert_with(|| Arc::new(Digest::of(tree, self.config.appearance)));
        Arc::clone(digest)
    }

    /// Names a tree by one function and gives the key below another key, or the initial one.
    fn key_under(
        naming: &DecisionTree,
        digest: &Digest,
        parent: Option<StateKey>,
        names: &mut Vec<NameId>,
        scratch: &mut Vec<u64>,
    ) -> StateKey {
        naming.names(digest, names);
        let counted = naming.counted(digest);
        scratch.clear();
        scratch.extend(
            counted.as_ref().unwrap_or(names).iter().filter(|name| **name != NameId::NONE).map(|name| name.0),
        );
        let context = parent.map_or(digest.context, |parent| parent.0);
        hash_names(context, naming.content_hash(), scratch)
    }

    fn enter(&mut self, key: StateKey, parent: Option<StateKey>, activity: &SmolStr) {
        if self.keys.contains_key(&key) {
            return;
        }
        if let Some(parent) = parent.and_then(|parent| self.keys.get_mut(&parent)) {
            parent.children.push(key);
        }
        *self.states_of.entry(activity.clone()).or_default() += 1;
        let fresh = Key {
            parent,
            refined: None,
            children: Vec::new(),
            members: IndexMap::default(),
            activity: activity.clone(),
        };
        self.keys.insert(key, fresh);
    }

    fn is_final(&self, key: StateKey) -> bool {
        self.keys.get(&key).is_some_and(|key| key.refined.is_none())
    }

    /// The keys from a key up to the initial one, the key itself first.
    fn chain(&self, key: StateKey) -> impl Iterator<Item = StateKey> + '_ {
        std::iter::successors(Some(key), |key| self.keys.get(key).and_then(|key| key.parent))
    }

    fn root_of(&self, key: StateKey) -> StateKey {
        self.chain(key).last().unwrap_or(key)
    }

    /// Remembers that a tree is in a state. Beyond the bound, the newest tree takes the place of an older one.
    fn join(&mut self, key: StateKey, tree: TreeHash, visits: usize, dropped: &mut Vec<TreeHash>) {
        let Some(key) = self.keys.get_mut(&key) else { return };
        if let Some(known) = key.members.get_mut(&tree) {
            *known += visits;
            return;
        }
        key.members.insert(tree, visits);
        if let Some(max) = self.config.max_trees
            && key.members.len() > max
        {
            // The first half stays: it holds the evidence of past decisions.
            dropped.extend(key.members.shift_remove_index(max / 2).map(|(tree, _)| tree));
        }
    }

    /// Coarsening: the first refinement above the tree's state that made too many states is reverted.
    fn coarsen(&mut self, tree: &Arc<GuiTree>, store: &GuiStore, changes: &mut Changes) -> bool {
        let key = self.name_tree(tree).key;
        let above: Vec<StateKey> = self.chain(key).skip(1).collect();
        for parent in above {
            let Some(edge) = self.keys.get(&parent).and_then(|key| key.refined.clone()) else { continue };
            let beta = self.beta(self.naming(edge.naming));
            let below = self.below(parent);
            let states = below.iter().filter(|&&key| self.is_final(key)).count();
            if states > beta {
                self.revert(parent, edge, &below, states, beta, store, changes);
                return true;
            }
        }
        false
    }

    /// All keys below a key, in the order in which they were first seen.
    fn below(&self, key: StateKey) -> Vec<StateKey> {
        let mut found = Vec::new();
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            if let Some(key) = self.keys.get(&key) {
                open.extend(key.children.iter().rev().copied());
                found.extend(key.children.iter().copied());
            }
        }
        found
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the evidence of one decision, from the one place that makes it"
    )]
    fn revert(
        &mut self,
        parent: StateKey,
        edge: Edge,
        below: &[StateKey],
        states: usize,
        beta: usize,
        store: &GuiStore,
        changes: &mut Changes,
    ) {
        self.dissolve(parent, below, changes);
        match edge.change.way {
            Way::Opener => self.experience.opener_wrong(edge.look),
            Way::Names | Way::Below => {}
            Way::Replace | Way::Insert => {
                self.experience.wrong(&edge.change.selector, edge.change.reducer);
            }
        }
        self.barred.entry(parent).or_default().push(edge.change.clone());
        let given_up = self.give_up(parent, store);
        changes.decisions.push(Decision::Coarsened {
            state: parent,
            states,
            beta,
            reverted: edge.naming,
            barred: edge.change,
            given_up,
        });
    }

    /// What a key was refined into is no more: its trees are in the key itself again.
    fn dissolve(&mut self, parent: StateKey, below: &[StateKey], changes: &mut Changes) {
        let mut members = Vec::new();
        for key in below {
            if let Some(old) = self.keys.remove(key)
                && old.refined.is_none()
            {
                if let Some(count) = self.states_of.get_mut(&old.activity) {
                    *count = count.saturating_sub(1);
                }
                changes.retired.push(*key);
                members.extend(old.members);
            }
        }
        if let Some(key) = self.keys.get_mut(&parent) {
            key.refined = None;
            key.children.clear();
            *self.states_of.entry(key.activity.clone()).or_default() += 1;
        }
        for (tree, visits) in members {
            self.join(parent, tree, visits, &mut changes.dropped);
        }
    }

    /// Coarsening wins over what was to stay apart: pairs that are together again are given up.
    fn give_up(&mut self, key: StateKey, store: &GuiStore) -> usize {
        let root = self.root_of(key);
        let Some(pairs) = self.apart.remove(&root) else { return 0 };
        let before = pairs.len();
        let kept: Vec<_> = pairs
            .into_iter()
            .filter(|(one, other)| match (self.place(one, store), self.place(other, store)) {
                (Some(one), Some(other)) => one != other,
                _ => false,
            })
            .collect();
        let given_up = before - kept.len();
        self.apart.insert(root, kept);
        given_up
    }

    /// The state and the name of a GUI action.
    fn place(&mut self, action: &GuiAction, store: &GuiStore) -> Option<(StateKey, NameId)> {
        let tree = Arc::clone(store.get(action.tree)?);
        let named = self.name_tree(&tree);
        Some((named.key, *named.names.get(action.node.0 as usize)?))
    }

    fn arrive(&mut self, tree: &Arc<GuiTree>, store: &GuiStore) -> Changes {
        let mut changes = Changes::default();
        let hash = tree.identity();
        let stayed = self.last.replace(hash) == Some(hash);
        let named = self.name_tree(tree);
        let is_new = self.keys.get(&named.key).is_some_and(|key| !key.members.contains_key(&hash));
        if is_new || !stayed {
            self.join(named.key, hash, 1, &mut changes.dropped);
        }
        if !is_new {
            return changes;
        }
        if self.config.order == Order::CoarsenFirst {
            while self.coarsen(tree, store, &mut changes) {}
        }
        self.split_by_choice(tree, store, &mut changes);
        for _ in 0..MAX_ROUNDS {
            if !self.refine_actions(tree, store, &mut changes) {
                break;
            }
        }
        self.rename_as_elsewhere(tree, store, &mut changes);
        self.rename_moved(tree, store, &mut changes);
        self.split_as_elsewhere(tree, store, &mut changes);
        while self.coarsen(tree, store, &mut changes) {}
        changes
    }

    /// The hash that keeps two functions with equal trees one.
    fn intern(&mut self, naming: DecisionTree) -> NamingId {
        let hash = naming.content_hash();
        let known = self.namings.iter().position(|known| known.content_hash() == hash);
        NamingId(known.unwrap_or_else(|| {
            self.namings.push(naming);
            self.namings.len() - 1
        }) as u32)
    }

    /// How many states there are now.
    pub fn states(&self) -> usize {
        self.states_of.values().sum()
    }
}

impl Abstraction for Evolving {
    fn name_tree(&mut self, tree: &GuiTree) -> Arc<Named> {
        if let Some(named) = self.cache.get(&tree.identity())
            && self.is_final(named.key)
        {
            return Arc::clone(named);
        }
        if self.cache.len() >= CACHED_TREES {
            self.cache.clear();
            self.wherever.clear();
        }
        let named = self.name(tree);
        self.cache.insert(tree.identity(), Arc::clone(&named));
        named
    }

    fn evolve(&mut self, evidence: &Evidence<'_>, store: &GuiStore) -> Changes {
        match evidence {
            Evidence::Arrived(tree) => self.arrive(tree, store),
            Evidence::Fork(fork) => self.refine_state(fork, store),
        }
    }

    fn describe(&mut self, tree: &GuiTree, nodes: &[NodeIx]) -> Vec<String> {
        let named = self.name_tree(tree);
        let function = self.naming(named.naming);
        function.words(tree, nodes.iter().copied(), self.config.appearance, WithActions::No)
    }
}

/// A pair of GUI actions as one number, for telling pairs apart.
fn place_hash(key: StateKey, name: NameId) -> u64 {
    hash_numbers(&[key.0, name.0])
}
