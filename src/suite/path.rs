//! A trace as DetReduce sees it: states, and between them events with what they cover.

use std::sync::Arc;

use super::EventIx;
use super::coverage::{ItemIx, ItemSet};
use crate::abstraction::StateKey;

/// `s0 -a1,C1-> s1 … -an,Cn-> sn` (DetReduce 2.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The state after the launch.
    pub start: StateKey,
    /// What was seen there, as [`Did::screen`](super::Did::screen).
    pub screen: u64,
    /// What the launch covers.
    pub launch: Arc<[ItemIx]>,
    /// The transitions.
    pub steps: Vec<Step>,
}

/// One transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The event.
    pub event: EventIx,
    /// The state it leads to.
    pub to: StateKey,
    /// What was seen there, as [`Did::screen`](super::Did::screen).
    pub screen: u64,
    /// What it covers, the state it leads to among it.
    pub items: Arc<[ItemIx]>,
}

impl Step {
    /// The event and where it leads, as the trie wants it.
    pub fn edge(&self) -> (EventIx, StateKey) {
        (self.event, self.to)
    }
}

impl Path {
    /// The state after so many steps.
    pub fn state(&self, at: usize) -> StateKey {
        at.checked_sub(1).map_or(self.start, |last| self.steps[last].to)
    }

    /// What was seen after so many steps.
    pub fn screen(&self, at: usize) -> u64 {
        at.checked_sub(1).map_or(self.screen, |last| self.steps[last].screen)
    }

    /// Events and targets in order.
    pub fn edges(&self) -> impl Iterator<Item = (EventIx, StateKey)> + '_ {
        self.steps.iter().map(Step::edge)
    }

    /// What it covers.
    pub fn coverage(&self) -> ItemSet {
        self.launch.iter().chain(self.steps.iter().flat_map(|step| step.items.iter())).copied().collect()
    }

    /// The same with what the launch and each step cover.
    #[must_use]
    pub fn covering(&self, items: impl IntoIterator<Item = Arc<[ItemIx]>>) -> Self {
        let mut items = items.into_iter();
        let launch = items.next().unwrap_or_default();
        let steps = self.steps.iter().zip(items);
        let steps = steps.map(|(step, items)| Step { items, ..step.clone() }).collect();
        Self { launch, steps, ..*self }
    }

    /// The same start with other steps.
    #[must_use]
    pub fn with(&self, steps: Vec<Step>) -> Self {
        Self { launch: Arc::clone(&self.launch), steps, ..*self }
    }
}

/// The cost of a suite (DetReduce 2.1): transitions, then traces, each of which needs a clean restart.
pub fn cost(suite: &[Path]) -> (usize, usize) {
    (suite.iter().map(|path| path.steps.len()).sum(), suite.len())
}

/// What a suite covers.
pub fn coverage(suite: &[Path]) -> ItemSet {
    let mut all = ItemSet::default();
    for path in suite {
        all.add(&path.coverage());
    }
    all
}
