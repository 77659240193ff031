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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
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
        let found = model.find_way(from, |way, _| way.is_strong(), |state| state.id == to)?;
        Some(found.iter().map(|step| step.target).collect())
    }

    #[test]
    fn a_state_that_a_plan_missed_is_neither_a_goal_nor_on_a_way_until_it_is_seen_again() {
        let (mut model, trees, [a, b, c]) = chain();
        assert_eq!(way(&model, a, c), Some(vec![b, c]));
        let planned = model.find_way(a, |_, _| true, |state| state.id == b).expect("a way")[0];
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
    fn a_way_that_was_missed_is_weak_until_it_is_hit_clearly_more_often() {
        let (mut model, trees, [a, b, _]) = chain();
        let planned = model.find_way(a, |_, _| true, |state| state.id == b).expect("a way")[0];
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
