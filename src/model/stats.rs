//! What a model amounts to.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use smol_str::SmolStr;

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

/// The activities that were visited less than others and have much left to do, as last counted.
#[derive(Clone, Debug, Default)]
pub struct RareActivities {
    names: Arc<FxHashSet<SmolStr>>,
    counted_at: Option<u64>,
}

#[derive(Clone, Copy, Default)]
struct ActivityCount {
    visits: u32,
    states: u32,
    actions: u32,
    done: u32,
}

/// Counting looks at all states, so it is done only every so many steps, and seldomer in a large model: a step's share of
/// it does not grow.
const RECOUNT: u64 = 50;
const STATES_PER_STEP: u64 = 16;
/// With so few activities none is rare.
const FEW_ACTIVITIES: usize = 3;
/// In an activity with fewer states, most actions must have been done.
const SMALL_ACTIVITY: u32 = 5;

impl ActivityCount {
    /// Not much of it was done, or it was visited less than a quarter as often as it has states.
    fn is_unexplored(&self) -> bool {
        let enough = if self.states < SMALL_ACTIVITY { 80 } else { 50 };
        self.done * 100 <= self.actions * enough || self.visits < self.states / 4
    }
}

impl Model {
    /// The activities that were visited at most as often as the others on average or in the middle, and have much left to
    /// do; none where there are few activities. `last` remembers the count for a while.
    pub fn rare_activities<'a>(&self, last: &'a mut RareActivities) -> Option<&'a Arc<FxHashSet<SmolStr>>> {
        let pause = if self.is_large() { self.alive.states as u64 / STATES_PER_STEP } else { RECOUNT };
        if last.counted_at.is_none_or(|at| self.step >= at + pause) {
            last.counted_at = Some(self.step);
            last.names = Arc::new(self.count_activities());
        }
        (!last.names.is_empty()).then_some(&last.names)
    }

    fn count_activities(&self) -> FxHashSet<SmolStr> {
        let mut counts: FxHashMap<&SmolStr, ActivityCount> = FxHashMap::default();
        for state in self.states() {
            let count = counts.entry(&state.activity).or_default();
            count.visits += state.visits;
            count.states += 1;
            count.actions += state.actions.len() as u32;
            count.done += state.done;
        }
        if counts.len() <= FEW_ACTIVITIES {
            return FxHashSet::default();
        }
        let mut visits: Vec<u32> = counts.values().map(|count| count.visits).collect();
        visits.sort_unstable();
        let mean = visits.iter().sum::<u32>() / visits.len() as u32;
        let limit = mean.max(visits[visits.len() / 2]);
        let is_rare = |count: &ActivityCount| count.visits <= limit && count.is_unexplored();
        counts.into_iter().filter(|(_, count)| is_rare(count)).map(|(name, _)| name.clone()).collect()
    }

    /// The activities of the app that were ever seen, in the order of the first sight.
    pub fn activities(&self) -> impl ExactSizeIterator<Item = &SmolStr> {
        self.activities.iter()
    }

    /// How many states there are now.
    pub fn stats_states(&self) -> usize {
        self.alive.states
    }

    /// Its size now. Counts states, actions and transitions without looking at them, the rest by looking.
    pub fn stats(&self) -> Stats {
        let activities: FxHashSet<&str> = self.states().map(|state| state.activity.as_str()).collect();
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
