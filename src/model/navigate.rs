//! Ways through the model.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashSet;

use super::{Model, Road, State};
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

/// What searches reuse, and what they cost.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) ahead: Vec<Reached>,
    pub(super) behind: Vec<Reached>,
    pub(super) epoch: u32,
    pub(super) looked_at: u64,
    /// How many states were asked in turn whether they are a goal.
    pub(super) asked: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reached {
    pub(super) epoch: u32,
    pub(super) cost: u32,
    pub(super) by: Option<TransitionId>,
}

impl Scratch {
    /// Another search begins.
    pub(super) fn begin(&mut self, states: usize) -> u32 {
        self.epoch += 1;
        self.ahead.resize(states, Reached::default());
        self.behind.resize(states, Reached::default());
        self.epoch
    }
}

/// In a large model a search looks at this many states around where it begins.
pub(super) const NEAR: usize = 600;

impl Model {
    /// The cheapest way from a state to another for which `goal` holds, over roads for which `way` holds. Detached
    /// states are neither goals nor on the way. In a large model, if there is no goal near, it is a way to one of those
    /// whose turn it is: `turn` remembers.
    pub fn find_way(
        &self,
        from: StateId,
        way: impl Fn(&Road) -> bool,
        goal: impl Fn(&State) -> bool,
        turn: &mut usize,
    ) -> Option<Vec<Planned>> {
        let scratch = &mut self.scratch.borrow_mut();
        if self.is_large() {
            let near = self.search(scratch, from, &way, &goal, NEAR);
            return near.or_else(|| self.find_far(scratch, from, way, goal, turn));
        }
        self.search(scratch, from, way, goal, usize::MAX)
    }

    /// How many states all searches together have looked at so far: what they cost.
    pub fn looked_at(&self) -> u64 {
        self.scratch.borrow().looked_at
    }

    /// How many states were looked at or asked whether they are a goal: all that searches cost.
    pub fn searched(&self) -> u64 {
        let scratch = self.scratch.borrow();
        scratch.looked_at + scratch.asked
    }

    pub(super) fn search(
        &self,
        scratch: &mut Scratch,
        from: StateId,
        way: impl Fn(&Road) -> bool,
        goal: impl Fn(&State) -> bool,
        max_looked_at: usize,
    ) -> Option<Vec<Planned>> {
        let epoch = scratch.begin(self.states.len());
        let reached = &mut scratch.ahead;
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
            scratch.looked_at += 1;
            if looked_at > max_looked_at {
                return None;
            }
            for road in self.roads.from(at) {
                let cost = cost + u32::from(road.cost);
                let known = reached[road.target.index()];
                let is_new = known.epoch != epoch;
                let better = (cost, Some(road.by)) < (known.cost, known.by);
                if !(is_new || better) || road.is_closed || road.target == at || !way(road) {
                    continue;
                }
                if !self.roads.is_open(road.target) {
                    continue;
                }
                reached[road.target.index()] = Reached { epoch, cost, by: Some(road.by) };
                if is_new || cost < known.cost {
                    open.push(Reverse((cost, road.target)));
                }
            }
        }
        None
    }

    /// The states from which a state can be come to over roads for which `way` holds: with those that can be come to from it,
    /// the connected sub-graph that it lies in (APE III-D). In a large model those that are near.
    pub fn ways_back(&self, to: StateId, way: impl Fn(&Road) -> bool) -> FxHashSet<StateId> {
        let most = if self.is_large() { NEAR } else { usize::MAX };
        let mut found = FxHashSet::from_iter([to]);
        let mut open = VecDeque::from([to]);
        while let Some(at) = open.pop_front().filter(|_| found.len() < most) {
            for (source, road) in self.roads.to(at) {
                if !road.is_closed && way(road) && self.roads.is_open(source) && found.insert(source) {
                    open.push_back(source);
                }
            }
        }
        self.scratch.borrow_mut().looked_at += found.len() as u64;
        found
    }

    pub(super) fn unwind(&self, reached: &[Reached], goal: StateId, from: StateId) -> Vec<Planned> {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::abstraction::Changes;
    use crate::abstraction::registry;
    use crate::action::ActionKind;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, TreeBuilder, Widget, Window};
    use crate::model::Acted;

    /// An activity with one button.
    fn screen(activity: &str) -> Arc<GuiTree> {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        builder.window(Window::application(Bounds::new(0, 0, 100, 100)));
        builder.leaf(Widget {
            bounds: Bounds::new(0, 0, 100, 100),
            flags: Flags::ENABLED | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        });
        Arc::new(builder.finish())
    }

    const TAP: Acted = Acted { node: Some(NodeIx(0)), kind: ActionKind::Tap };

    /// A leads to B and B to C, each by its button.
    fn chain() -> (Model, [Arc<GuiTree>; 3], [StateId; 3]) {
        let entry = registry::find("activity").expect("it is registered");
        let mut model = Model::new(entry.build(), vec![ActionKind::Back]);
        let trees = ["A", "B", "C"].map(screen);
        let states = trees.each_ref().map(|tree| model.arrive(tree).0.state);
        model.record(&trees[0], TAP, &trees[1]);
        model.record(&trees[1], TAP, &trees[2]);
        (model, trees, states)
    }

    fn way(model: &Model, from: StateId, to: StateId) -> Option<Vec<StateId>> {
        let found = model.find_way(from, Road::is_strong, |state| state.id == to, &mut 0)?;
        Some(found.iter().map(|step| step.target).collect())
    }

    #[test]
    fn a_state_that_a_plan_missed_is_neither_a_goal_nor_on_a_way_until_it_is_seen_again() {
        let (mut model, trees, [a, b, c]) = chain();
        assert_eq!(way(&model, a, c), Some(vec![b, c]));
        let planned = model.find_way(a, |_| true, |state| state.id == b, &mut 0).expect("a way")[0];
        // Enough hits, so that one miss does not make the way weak: only the detaching counts.
        for _ in 0..3 {
            model.record(&trees[0], TAP, &trees[1]);
        }
        model.miss(planned.action, b);
        assert!(model.state(b).expect("it is there").detached);
        assert_eq!(way(&model, a, b), None, "a detached state is no goal");
        assert_eq!(way(&model, a, c), None, "and not on the way to another");
        model.arrive(&trees[1]);
        assert!(!model.state(b).expect("it is there").detached);
        assert_eq!(way(&model, a, c), Some(vec![b, c]), "seen again, it is attached");
    }

    #[test]
    fn a_state_that_is_built_again_is_trusted_again() {
        let (mut model, trees, [a, b, _]) = chain();
        let planned = model.find_way(a, |_| true, |state| state.id == b, &mut 0).expect("a way")[0];
        model.miss(planned.action, b);
        let key = model.state(b).expect("it is there").key;
        model.follow(Changes { retired: vec![key], ..Changes::default() });
        assert!(model.state(b).is_none());
        let again = model.states().find(|state| state.key == key).expect("it was built again").id;
        assert_eq!(way(&model, a, again), Some(vec![again]), "what was missed is not there any more");
        assert_eq!(model.see(&trees[1]).state, again);
    }

    #[test]
    fn a_way_that_was_missed_is_weak_until_it_is_hit_clearly_more_often() {
        let (mut model, trees, [a, b, _]) = chain();
        let planned = model.find_way(a, |_| true, |state| state.id == b, &mut 0).expect("a way")[0];
        model.miss(planned.action, b);
        model.arrive(&trees[1]);
        assert_eq!(way(&model, a, b), None, "hit once and missed once");
        model.record(&trees[0], TAP, &trees[1]);
        assert_eq!(way(&model, a, b), None, "hit twice and missed once");
        model.record(&trees[0], TAP, &trees[1]);
        assert_eq!(way(&model, a, b), Some(vec![b]), "hit three times and missed once");
    }

    #[test]
    fn a_missed_state_that_is_no_more_is_no_error() {
        let (mut model, _, [a, _, _]) = chain();
        model.miss(ActionId(1000), StateId(1000));
        assert!(model.state(a).is_some());
    }
}
