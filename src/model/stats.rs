//! What a model amounts to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Model;

/// The size of a model and how well its actions can be told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// States.
    pub states: usize,
    /// Model actions.
    pub actions: usize,
    /// Transitions.
    pub transitions: usize,
    /// Actions that stand for several widgets and led to several states.
    pub ambiguous: usize,
    /// Transitions of actions that led to several states.
    pub nondeterministic: usize,
    /// Activities seen.
    pub activities: usize,
    /// Ids of states ever given.
    pub states_ever: usize,
}

/// Counts that are kept while the model changes.
#[derive(Debug, Default)]
pub(super) struct Alive {
    pub(super) states: usize,
    pub(super) actions: usize,
    transitions: usize,
    nondeterministic: usize,
}

impl Alive {
    /// An action has one transition more.
    pub(super) fn connected(&mut self, out: usize) {
        self.transitions += 1;
        self.nondeterministic += counted(out);
        self.nondeterministic -= counted(out - 1);
    }

    /// An action has fewer transitions.
    pub(super) fn disconnected(&mut self, before: usize, after: usize) {
        self.transitions -= before - after;
        self.nondeterministic += counted(after);
        self.nondeterministic -= counted(before);
    }
}

fn counted(out: usize) -> usize {
    if out > 1 { out } else { 0 }
}

impl Model {
    /// Its size now. Counts states, actions and transitions without looking at them, the rest by looking.
    pub fn stats(&self) -> Stats {
        let activities: BTreeSet<&str> = self.states().map(|state| state.activity.as_str()).collect();
        Stats {
            states: self.alive.states,
            actions: self.alive.actions,
            transitions: self.alive.transitions,
            ambiguous: self.actions().filter(|action| action.widgets > 1 && action.out.len() > 1).count(),
            nondeterministic: self.alive.nondeterministic,
            activities: activities.len(),
            states_ever: self.states.len(),
        }
    }
}
