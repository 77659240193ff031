//! An app whose every state is known.

use std::cell::Cell;
use std::collections::BTreeMap;

use siamang::abstraction::StateKey;
use siamang::ids::BranchId;
use siamang::oracle::Signature;
use siamang::suite::coverage::Item;
use siamang::suite::{Config, Did, EventIx, Executor, Recorded, Reduction, Stopped, reduce};

/// An app as a table: from a hidden state and an event to the next hidden state. What is seen of a state may be less.
#[derive(Default)]
pub struct Table {
    pub next: BTreeMap<(u64, EventIx), u64>,
    /// What is seen of a hidden state, where it is not the state itself.
    pub seen: BTreeMap<u64, u64>,
    /// Branches by hidden state and event.
    pub branches: BTreeMap<(u64, EventIx), u32>,
    /// Failures by hidden state and event.
    pub failures: BTreeMap<(u64, EventIx), Signature>,
    pub executions: u64,
    pub left: Option<u64>,
    /// How often it is asked whether it is over until it is.
    pub asks: Option<u64>,
    pub asked: Cell<u64>,
}

impl Table {
    fn seen(&self, state: u64) -> StateKey {
        StateKey(self.seen.get(&state).copied().unwrap_or(state))
    }

    pub fn record(&self, events: &[EventIx]) -> Recorded {
        let mut state = 0;
        let mut recorded =
            Recorded { events: Vec::new(), states: vec![self.seen(0)], items: Vec::new(), whole: None };
        for &event in events {
            let Some(&next) = self.next.get(&(state, event)) else { break };
            recorded.items.extend(self.branches.get(&(state, event)).map(|&b| Item::Branch(BranchId(b))));
            recorded.events.push(event);
            state = next;
            recorded.states.push(self.seen(state));
        }
        recorded
    }
}

impl Executor for Table {
    fn run(&mut self, events: &[EventIx], expected: &[StateKey]) -> Result<Vec<Did>, Stopped> {
        if self.left == Some(self.executions) {
            return Err(Stopped::Ended);
        }
        self.executions += 1;
        let mut state = 0;
        let mut did = vec![Did { state: self.seen(0), screen: 0, items: Vec::new() }];
        for (&event, expected) in events.iter().zip(expected) {
            let Some(&next) = self.next.get(&(state, event)) else { break };
            if did.last().is_some_and(|did| did.state != *expected) {
                break;
            }
            let branch = self.branches.get(&(state, event));
            let failure = self.failures.get(&(state, event)).cloned().map(Item::Failure);
            let items =
                branch.map(|&branch| Item::Branch(BranchId(branch))).into_iter().chain(failure).collect();
            state = next;
            did.push(Did { state: self.seen(state), screen: state, items });
        }
        Ok(did)
    }

    fn is_over(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asks.is_some_and(|asks| self.asked.get() > asks)
    }
}

pub fn reduced(executor: &mut dyn Executor, recorded: &[Recorded]) -> Reduction {
    reduce(executor, recorded, &Config::default(), &mut |_, _| {})
}

pub fn events(reduction: &Reduction) -> Vec<Vec<EventIx>> {
    reduction.suite.iter().map(|path| path.steps.iter().map(|step| step.event).collect()).collect()
}
