//! Building the affected states again after the abstraction has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::state::Sample;
use super::{Acted, Model, NO_NODE};
use crate::abstraction::{Changes, Decision, StateKey};
use crate::action::ActionKind;
use crate::ids::{ActionId, StateId, TransitionId};

/// A GUI transition that lost its place.
struct Loose {
    kind: ActionKind,
    sample: Sample,
    /// Its action was lost too, and its visits with it.
    action_lost: bool,
}

impl Model {
    /// Follows the changes of the abstraction: retired states are removed, and their GUI transitions find new places. What was
    /// missed is not carried over, nor is a state detached that was: a plan missed since what were two states was called
    /// one, and that has just been mended.
    pub(super) fn follow(&mut self, changes: Changes) -> Vec<Decision> {
        let first_new = StateId(self.states.len() as u32);
        let mut loose = BTreeMap::new();
        for key in changes.retired {
            self.retire(key, &mut loose);
        }
        let mut loose: Vec<Loose> = loose.into_values().flatten().collect();
        loose.sort_by_key(|loose| (loose.sample.last, loose.sample.from, loose.sample.to));
        for Loose { kind, sample, action_lost } in loose {
            let (Some(from), Some(to)) = (self.store.get(sample.from.tree), self.store.get(sample.to)) else {
                continue;
            };
            let (from, to) = (Arc::clone(from), Arc::clone(to));
            let source = self.see(&from);
            let target = self.see(&to).state;
            let node = (sample.from.node != NO_NODE).then_some(sample.from.node);
            let Some(action) = self.action_of(&source, Acted { node, kind }) else { continue };
            if action_lost {
                self.visit(action, sample.times);
            }
            self.connect(source.state, action, target, sample);
            if target >= first_new
                && let Some(state) = self.state_mut(target)
            {
                state.visits += sample.times;
            }
        }
        for id in first_new.index()..self.states.len() {
            let Some(state) = self.states[id].as_deref() else { continue };
            for action in state.actions.values() {
                if let Some(action) = self.actions.get_mut(action.index()).and_then(Option::as_deref_mut) {
                    action.offered = state.visits;
                }
            }
        }
        for tree in changes.dropped {
            self.store.remove(tree);
        }
        changes.decisions
    }

    /// Forgets the actions of a state that its last screens did not offer, with where they led: the rows of a list that is
    /// never the same twice would grow without end.
    pub(super) fn forget_gone(&mut self, id: StateId) {
        let Some(state) = self.state(id) else { return };
        let is_gone = |action: &ActionId| {
            self.action(*action).is_some_and(|action| action.kind.needs_widget() && state.is_gone(action))
        };
        let gone: Vec<ActionId> = state.actions.values().copied().filter(is_gone).collect();
        let mut forgotten = BTreeMap::new();
        for action in &gone {
            let ways = self.action(*action).map(|action| action.out.clone()).unwrap_or_default();
            for way in ways {
                self.loosen(way, id, &mut forgotten);
            }
        }
        for action in gone {
            let Some(action) = self.actions.get_mut(action.index()).and_then(Option::take) else { continue };
            self.alive.actions -= 1;
            if let Some(state) = self.state_mut(id) {
                state.actions.shift_remove(&(action.name, action.kind));
                state.open = state.open.saturating_sub(u32::from(action.is_work()));
                state.done = state.done.saturating_sub(u32::from(!action.is_untried()));
            }
        }
        // A screen that is remembered would still offer them.
        self.sights.retain(|_, sight| sight.state != id);
    }

    fn retire(&mut self, key: StateKey, loose: &mut BTreeMap<TransitionId, Vec<Loose>>) {
        let Some(id) = self.by_key.remove(&key) else { return };
        let Some(state) = self.states.get_mut(id.index()).and_then(Option::take) else { return };
        self.alive.states -= 1;
        for transition in self.roads.around(id) {
            self.loosen(transition, id, loose);
        }
        for action in state.actions.values() {
            if let Some(action) = self.actions.get_mut(action.index()).and_then(Option::take) {
                self.alive.actions -= 1;
                self.by_name.unvisit(&state.activity, action.name, action.kind, action.visits);
                self.alive.disconnected(action.out.len(), 0);
            }
        }
    }

    fn loosen(&mut self, id: TransitionId, retired: StateId, loose: &mut BTreeMap<TransitionId, Vec<Loose>>) {
        let Some(transition) = self.transitions.get_mut(id.index()).and_then(Option::take) else { return };
        self.roads.remove(&transition);
        let Some(action) = self.actions.get_mut(transition.action.index()).and_then(Option::as_deref_mut)
        else {
            return;
        };
        let before = action.out.len();
        action.out.retain(|&out| out != id);
        self.alive.disconnected(before, action.out.len());
        let action_lost = transition.source == retired;
        let kind = action.kind;
        let lost = transition.samples.iter().map(|&sample| Loose { kind, sample, action_lost });
        loose.insert(id, lost.collect());
        self.pave(transition.action);
    }
}
