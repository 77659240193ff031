//! The state machine over abstract states (APE III-A).
//!
//! The model is shared by all sessions and has no cursor. It holds ids and tree hashes, never trees: those are in a
//! [`GuiStore`] of bounded size. When the abstraction changes, only the states it names are built again, from the
//! remembered GUI transitions, and get ids that were never used before.

pub mod bans;
pub mod by_name;
mod far;
pub mod navigate;
pub mod rebuild;
pub mod roads;
pub mod sight;
pub mod state;
pub mod stats;

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::abstraction::registry::AnyAbstraction;
use crate::abstraction::{Abstraction, Decision, Evidence, Fork, GuiAction, StateKey};
use crate::action::ActionKind;
use crate::gui::{GuiStore, GuiTree, NodeIx};
use crate::ids::{ActionId, StateId, TransitionId, TreeHash};

pub use roads::Road;
pub use sight::Sight;
pub use state::{ModelAction, State, Transition};
pub use stats::Stats;

use state::Sample;

/// States, model actions and transitions, and the abstraction that makes them.
#[derive(Debug)]
pub struct Model {
    abstraction: AnyAbstraction,
    store: GuiStore,
    states: Vec<Option<Box<State>>>,
    actions: Vec<Option<Box<ModelAction>>>,
    transitions: Vec<Option<Box<Transition>>>,
    by_key: FxHashMap<StateKey, StateId>,
    roads: roads::Roads,
    sights: FxHashMap<TreeHash, Arc<Sight>>,
    /// What can be done to the phone in every state, BACK first.
    phone: Vec<ActionKind>,
    /// The number of the newest step.
    step: u64,
    alive: stats::Alive,
    scratch: RefCell<navigate::Scratch>,
    by_name: by_name::ByName,
    bans: bans::Bans,
    activities: IndexSet<SmolStr>,
}

/// What was done to a screen: an action of a widget, or of the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acted {
    /// The widget, unless the phone was acted on.
    pub node: Option<NodeIx>,
    /// What was done.
    pub kind: ActionKind,
}

/// The place of an action of the phone in a GUI transition.
const NO_NODE: NodeIx = NodeIx(u32::MAX);
/// So many distinct trees are kept.
const STORED_TREES: usize = 1 << 14;

impl Model {
    /// An empty model. `phone` is what can be done to the phone in every state, BACK first.
    pub fn new(abstraction: AnyAbstraction, phone: Vec<ActionKind>) -> Self {
        Self {
            abstraction,
            store: GuiStore::with_capacity(STORED_TREES),
            states: Vec::new(),
            actions: Vec::new(),
            transitions: Vec::new(),
            by_key: FxHashMap::default(),
            roads: roads::Roads::default(),
            sights: FxHashMap::default(),
            phone,
            step: 0,
            alive: stats::Alive::default(),
            scratch: RefCell::default(),
            by_name: by_name::ByName::default(),
            bans: bans::Bans::default(),
            activities: IndexSet::new(),
        }
    }

    /// This may be done to the phone.
    pub fn does(&self, kind: ActionKind) -> bool {
        self.phone.contains(&kind)
    }

    /// The abstraction.
    pub fn abstraction(&self) -> &AnyAbstraction {
        &self.abstraction
    }

    /// The abstraction, for naming a tree that is not part of the run.
    pub fn abstraction_mut(&mut self) -> &mut AnyAbstraction {
        &mut self.abstraction
    }

    /// A screen, if it is still kept.
    pub fn tree(&self, identity: TreeHash) -> Option<&Arc<GuiTree>> {
        self.store.get(identity)
    }

    /// A state, unless it is no more.
    pub fn state(&self, id: StateId) -> Option<&State> {
        self.states.get(id.index())?.as_deref()
    }

    /// An action, unless it is no more.
    pub fn action(&self, id: ActionId) -> Option<&ModelAction> {
        self.actions.get(id.index())?.as_deref()
    }

    /// A transition, unless it is no more.
    pub fn transition(&self, id: TransitionId) -> Option<&Transition> {
        self.transitions.get(id.index())?.as_deref()
    }

    /// All states, oldest first.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.states.iter().filter_map(Option::as_deref)
    }

    /// All actions, oldest first.
    pub fn actions(&self) -> impl Iterator<Item = &ModelAction> {
        self.actions.iter().filter_map(Option::as_deref)
    }

    /// All transitions, oldest first.
    pub fn transitions(&self) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter_map(Option::as_deref)
    }

    /// A tree was reached: the abstraction learns from it, and its state has one visit more.
    pub fn arrive(&mut self, tree: &Arc<GuiTree>) -> (Arc<Sight>, Vec<Decision>) {
        self.step += 1;
        self.lift_bans();
        self.store.insert(tree);
        let changes = self.abstraction.evolve(&Evidence::Arrived(tree), &self.store);
        let decisions = self.follow(changes);
        if !self.activities.contains(tree.activity()) {
            self.activities.insert(tree.activity().clone());
        }
        (self.count(tree), decisions)
    }

    /// A tree was reached that is not the app's: its state is never a goal, and nothing is learnt from it.
    pub fn arrive_outside(&mut self, tree: &Arc<GuiTree>) -> Arc<Sight> {
        self.step += 1;
        let sight = self.count(tree);
        if let Some(state) = self.state_mut(sight.state) {
            state.outside = true;
        }
        self.open_or_shut(sight.state);
        sight
    }

    fn count(&mut self, tree: &Arc<GuiTree>) -> Arc<Sight> {
        let sight = self.see(tree);
        let Some(state) = self.states.get_mut(sight.state.index()).and_then(Option::as_deref_mut) else {
            return sight;
        };
        state.visits += 1;
        state.detached = false;
        for offer in &sight.offers {
            let known = self.actions.get_mut(offer.action.index()).and_then(Option::as_deref_mut);
            let Some(action) = known else { continue };
            if state.is_gone(action) && action.is_work() {
                state.exhausted.set(false);
            }
            action.offered = state.visits;
        }
        if state.actions.len() > state::MAX_ACTIONS {
            self.forget_gone(sight.state);
        }
        self.open_or_shut(sight.state);
        sight
    }

    /// An action led from one tree to another. If it leads to several states now, the abstraction learns from that.
    pub fn record(&mut self, from: &Arc<GuiTree>, acted: Acted, to: &Arc<GuiTree>) -> Vec<Decision> {
        let source = self.see(from);
        let Some(action) = self.action_of(&source, acted) else { return Vec::new() };
        let arrived = self.see(to);
        let target = arrived.state;
        let sample = Sample {
            from: GuiAction { tree: from.identity(), node: acted.node.unwrap_or(NO_NODE) },
            to: to.identity(),
            times: 1,
            last: self.step,
        };
        self.visit(action, 1);
        let goes_on = matches!(acted.kind, ActionKind::ScrollDown | ActionKind::ScrollRight);
        if goes_on && target == source.state && self.shows_untried(&source, &arrived) {
            self.grant(action);
        }
        self.connect(source.state, action, target, sample);
        self.resolve(source.state, action)
    }

    /// The model action that an action on a screen is one of.
    pub fn action_of(&self, sight: &Sight, acted: Acted) -> Option<ActionId> {
        let name = match acted.node {
            Some(node) => *sight.named.names.get(node.0 as usize)?,
            None => sight.named.phone_name(acted.kind),
        };
        self.state(sight.state)?.actions.get(&(name, acted.kind)).copied()
    }

    /// A planned action was done and did not lead where it should have: its transition is weaker, and the state is no
    /// goal until it is seen again (APE III-D).
    pub fn miss(&mut self, action: ActionId, expected: StateId) {
        if self.action(action).is_none() {
            return;
        }
        if let Some(transition) = self.way_to(action, expected).and_then(|id| self.transition_mut(id)) {
            transition.misses += 1;
            let action = transition.action;
            self.pave(action);
        }
        if let Some(state) = self.state_mut(expected) {
            state.detached = true;
        }
        self.open_or_shut(expected);
    }

    /// A planned action could not be done: its state is on the screen, its widget is gone. That says nothing of where it
    /// leads once the widget is there again, so that it is recorded and no more.
    pub fn miss_widget(&mut self, action: ActionId, expected: StateId) {
        if let Some(transition) = self.way_to(action, expected).and_then(|id| self.transition_mut(id)) {
            transition.gone += 1;
        }
    }

    fn way_to(&self, action: ActionId, target: StateId) -> Option<TransitionId> {
        let leads = |id: &TransitionId| self.transition(*id).is_some_and(|way| way.target == target);
        self.action(action)?.out.iter().copied().find(leads)
    }

    /// How many ids of states and transitions were ever given: it grows with everything new.
    pub fn ids_given(&self) -> usize {
        self.states.len() + self.transitions.len()
    }

    fn state_mut(&mut self, id: StateId) -> Option<&mut State> {
        self.states.get_mut(id.index())?.as_deref_mut()
    }

    fn transition_mut(&mut self, id: TransitionId) -> Option<&mut Transition> {
        self.transitions.get_mut(id.index())?.as_deref_mut()
    }

    /// Counts visits of an action and keeps its state's open work right.
    fn visit(&mut self, id: ActionId, times: u32) {
        let step = self.step;
        let Some(action) = self.actions.get_mut(id.index()).and_then(Option::as_deref_mut) else { return };
        let (before, is_first) = (action.is_work(), action.is_untried() && times > 0);
        action.visits += times;
        action.last = step;
        let (after, source) = (action.is_work(), action.source);
        let (name, kind) = (action.name, action.kind);
        if let Some(state) = self.states.get(source.index()).and_then(Option::as_deref) {
            self.by_name.visit(&state.activity, name, kind, times);
        }
        if let Some(state) = self.state_mut(source) {
            state.done += u32::from(is_first);
            state.open = state.open.saturating_sub(u32::from(before && !after));
        }
        if is_first && kind == ActionKind::Back {
            self.share_back(source);
        }
    }

    /// What BACK does in a state is known, whatever lies below, as soon as it was done once.
    fn share_back(&mut self, source: StateId) {
        let Some(state) = self.states.get_mut(source.index()).and_then(Option::as_deref_mut) else { return };
        let backs = state.actions.iter().filter(|((_, kind), _)| *kind == ActionKind::Back);
        let backs: Vec<ActionId> = backs.map(|(_, &id)| id).collect();
        let actions = &mut self.actions;
        let done = |id: &ActionId| {
            actions.get(id.index()).and_then(Option::as_deref).is_some_and(|action| action.visits > 0)
        };
        if backs.len() < 2 || !backs.iter().any(done) {
            return;
        }
        for id in backs {
            let action = actions.get_mut(id.index()).and_then(Option::as_deref_mut);
            if let Some(action) = action.filter(|action| action.is_untried()) {
                action.is_known = true;
                state.done += 1;
            }
        }
    }

    /// A screen of the same state offers something to a widget that was never done and that the one before did not offer.
    fn shows_untried(&self, before: &Sight, after: &Sight) -> bool {
        let is_untried = |id: ActionId| self.action(id).is_some_and(|action| action.visits == 0);
        after.actions.iter().any(|&id| !before.actions.contains(&id) && is_untried(id))
    }

    /// An action is worth another visit.
    fn grant(&mut self, id: ActionId) {
        let Some(action) = self.actions.get_mut(id.index()).and_then(Option::as_deref_mut) else { return };
        let before = action.is_work();
        action.granted = action.visits + 1;
        let (source, opens) = (action.source, action.is_work() && !before);
        if let Some(state) = self.state_mut(source).filter(|_| opens) {
            state.open += 1;
            state.exhausted.set(false);
        }
    }

    fn connect(&mut self, source: StateId, action: ActionId, target: StateId, sample: Sample) {
        let Some(known) = self.action(action) else { return };
        let found = known
            .out
            .iter()
            .copied()
            .find(|&id| self.transition(id).is_some_and(|transition| transition.target == target));
        let id = if let Some(id) = found {
            id
        } else {
            if self.state(source).is_none() || self.state(target).is_none() {
                return;
            }
            let id = TransitionId(self.transitions.len() as u32);
            self.roads.build(source, Road::new(id, action, known.kind, target));
            self.transitions.push(Some(Box::new(Transition {
                id,
                action,
                source,
                target,
                hits: 0,
                misses: 0,
                gone: 0,
                last: 0,
                samples: Vec::new(),
            })));
            if let Some(action) = self.actions.get_mut(action.index()).and_then(Option::as_deref_mut) {
                action.out.push(id);
                self.alive.connected(action.out.len());
            }
            id
        };
        if let (Some(known), Some(state)) = (
            self.actions.get(action.index()).and_then(Option::as_deref),
            self.states.get(source.index()).and_then(Option::as_deref),
        ) {
            let is_alive = |id: StateId| self.states.get(id.index()).is_some_and(Option::is_some);
            self.by_name.lead(&state.activity, known.name, known.kind, target, is_alive);
        }
        if let Some(transition) = self.transition_mut(id) {
            transition.hits += sample.times;
            transition.last = transition.last.max(sample.last);
            transition.remember(sample);
        }
        self.pave(action);
    }

    /// State refinement, if the action leads to several states and the reason can lie in the screen.
    fn resolve(&mut self, source: StateId, action: ActionId) -> Vec<Decision> {
        let Some(action) = self.action(action) else { return Vec::new() };
        let by_screen = action.kind.needs_widget() && action.kind != ActionKind::Text;
        if action.out.len() < 2 || !by_screen {
            return Vec::new();
        }
        let Some(state) = self.state(source) else { return Vec::new() };
        let mut ways: Vec<&Transition> = action.out.iter().filter_map(|&id| self.transition(id)).collect();
        ways.sort_by_key(|transition| std::cmp::Reverse((transition.last, transition.id)));
        let outcomes = ways
            .iter()
            .map(|transition| {
                let mut samples: Vec<&Sample> = transition.samples.iter().collect();
                samples.sort_by_key(|sample| sample.last);
                samples.into_iter().map(|sample| sample.from).collect()
            })
            .collect();
        let target = |transition: &&Transition| self.state(transition.target).map(|state| state.key);
        let targets = ways.iter().filter_map(target).collect();
        let is_new = ways.first().is_some_and(|newest| newest.hits == 1);
        let fork =
            Fork { source: state.key, name: action.name, kind: action.kind, outcomes, targets, is_new };
        let changes = self.abstraction.evolve(&Evidence::Fork(fork), &self.store);
        self.follow(changes)
    }
}
