//! Ways through the model.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Model, ModelAction, State, Transition};
use crate::ids::{ActionId, StateId, TransitionId};

/// One step of a plan: the action and the state it should lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The state it is done in.
    pub source: StateId,
    /// The action.
    pub action: ActionId,
    /// The state that should come.
    pub target: StateId,
}

/// What searches reuse.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    reached: Vec<Reached>,
    epoch: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    epoch: u32,
    cost: u32,
    by: Option<TransitionId>,
}

/// The cost of a step that never failed; doubt makes it dearer.
const STEP: u32 = 16;
/// A search looks at this many states at most.
const MAX_LOOKED_AT: usize = 4000;

impl Model {
    /// The cheapest way from a state to another for which `goal` holds, over transitions for which `way` holds.
    /// Detached states are neither goals nor on the way.
    pub fn find_way(
        &self,
        from: StateId,
        way: impl Fn(&Transition, &ModelAction) -> bool,
        goal: impl Fn(&State) -> bool,
    ) -> Option<Vec<Planned>> {
        self.search(&mut self.scratch.borrow_mut(), from, way, goal)
    }

    fn search(
        &self,
        scratch: &mut Scratch,
        from: StateId,
        way: impl Fn(&Transition, &ModelAction) -> bool,
        goal: impl Fn(&State) -> bool,
    ) -> Option<Vec<Planned>> {
        scratch.epoch += 1;
        let epoch = scratch.epoch;
        scratch.reached.resize(self.states.len(), Reached::default());
        let reached = &mut scratch.reached;
        reached[from.index()] = Reached { epoch, cost: 0, by: None };
        // The id breaks ties, so that equal ways are always chosen alike.
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        let mut looked_at = 0;
        while let Some(Reverse((cost, at))) = open.pop() {
            let Some(state) = self.state(at) else { continue };
            if reached[at.index()].cost < cost {
                continue;
            }
            if at != from && goal(state) {
                return Some(self.unwind(reached, at, from));
            }
            looked_at += 1;
            if looked_at > MAX_LOOKED_AT {
                return None;
            }
            for edge in self.graph.edges(state.node) {
                let Some(transition) = self.transition(*edge.weight()) else { continue };
                let Some(action) = self.action(transition.action) else { continue };
                let Some(target) = self.state(transition.target) else { continue };
                if target.detached
                    || target.outside
                    || action.disabled
                    || target.id == at
                    || !way(transition, action)
                {
                    continue;
                }
                let cost = cost + self.cost(transition, action);
                let known = &mut reached[target.id.index()];
                let better = (cost, Some(transition.id)) < (known.cost, known.by);
                if known.epoch != epoch || better {
                    let dearer = known.epoch != epoch || cost < known.cost;
                    *known = Reached { epoch, cost, by: Some(transition.id) };
                    if dearer {
                        open.push(Reverse((cost, target.id)));
                    }
                }
            }
        }
        None
    }

    /// A step that often led elsewhere costs up to four times as much.
    fn cost(&self, transition: &Transition, action: &ModelAction) -> u32 {
        let all: u32 = action.out.iter().filter_map(|&id| self.transition(id)).map(|way| way.hits).sum();
        let tries = all + transition.misses;
        let failed = tries - transition.hits.min(tries);
        STEP + 3 * STEP * failed / tries.max(1)
    }

    fn unwind(&self, reached: &[Reached], goal: StateId, from: StateId) -> Vec<Planned> {
        let mut way = Vec::new();
        let mut at = goal;
        while at != from {
            let Some(transition) = reached[at.index()].by.and_then(|id| self.transition(id)) else { break };
            way.push(Planned { source: transition.source, action: transition.action, target: at });
            at = transition.source;
        }
        way.reverse();
        way
    }
}
