//! Ways through a large model.
//!
//! A search that starts at one end grows over the whole model before it finds what is far away, again and again. In a large
//! model it stays near; what is far is found by taking the states in turn and looking for a way to each from both ends:
//! two small circles meet where one would be large.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::navigate::{Planned, Reached, Scratch};
use super::{Model, Road, State};
use crate::ids::StateId;

/// A model with more states is large.
const SMALL: usize = 4000;
/// So many states in turn are asked whether they are a goal.
const MAX_ASKED: usize = 1000;
/// Of so many goals the nearest is taken.
const GOALS: usize = 2;
/// A search from both ends looks at this many states at most.
const MAX_LOOKED_AT: usize = 600;

/// A way and what it costs.
type Way = (u32, Vec<Planned>);
type Open = BinaryHeap<Reverse<(u32, StateId)>>;

/// Which side of a search from both ends goes on.
#[derive(Clone, Copy)]
enum Side {
    Ahead,
    Behind,
}

impl Model {
    /// It has so many states that a search must not look at all of them.
    pub fn is_large(&self) -> bool {
        self.alive.states > SMALL
    }

    /// A way to a goal anywhere: to the nearest of the next few in turn.
    pub(super) fn find_far(
        &self,
        scratch: &mut Scratch,
        from: StateId,
        way: impl Fn(&Road) -> bool,
        goal: impl Fn(&State) -> bool,
        turn: &mut usize,
    ) -> Option<Vec<Planned>> {
        let mut best: Option<Way> = None;
        let mut goals = 0;
        for _ in 0..MAX_ASKED.min(self.states.len()) {
            *turn = (*turn + 1) % self.states.len();
            scratch.asked += 1;
            let Some(state) = self.states[*turn].as_deref() else { continue };
            if state.id == from || state.detached || state.outside || !goal(state) {
                continue;
            }
            if let Some(found) = self.between(scratch, from, state.id, &way)
                && best.as_ref().is_none_or(|(cost, _)| found.0 < *cost)
            {
                best = Some(found);
            }
            goals += 1;
            if goals == GOALS {
                break;
            }
        }
        best.map(|(_, way)| way)
    }

    /// Dijkstra's search from both ends, one step at a time on the side with less to look at.
    fn between(
        &self,
        scratch: &mut Scratch,
        from: StateId,
        to: StateId,
        way: &impl Fn(&Road) -> bool,
    ) -> Option<Way> {
        let epoch = scratch.begin(self.states.len());
        let at_end = Reached { epoch, cost: 0, by: None };
        scratch.ahead[from.index()] = at_end;
        scratch.behind[to.index()] = at_end;
        let (mut ahead, mut behind) = (Open::from([Reverse((0, from))]), Open::from([Reverse((0, to))]));
        let mut best: Option<(u32, StateId)> = None;
        for _ in 0..MAX_LOOKED_AT {
            let (Some(Reverse((near, _))), Some(Reverse((far, _)))) = (ahead.peek(), behind.peek()) else {
                break;
            };
            if best.is_some_and(|(cost, _)| cost <= near + far) {
                break;
            }
            scratch.looked_at += 1;
            let found = if ahead.len() <= behind.len() {
                self.widen(scratch, &mut ahead, Side::Ahead, way)
            } else {
                self.widen(scratch, &mut behind, Side::Behind, way)
            };
            best = best.into_iter().chain(found).min();
        }
        let (cost, meeting) = best?;
        let mut steps = self.unwind(&scratch.ahead, meeting, from);
        let mut at = meeting;
        while at != to {
            let transition = scratch.behind[at.index()].by.and_then(|id| self.transition(id))?;
            steps.push(Planned { source: at, action: transition.action, target: transition.target });
            at = transition.target;
        }
        Some((cost, steps))
    }

    /// One more state on one side; if that joins the two, the cost of the way and where they meet.
    fn widen(
        &self,
        scratch: &mut Scratch,
        open: &mut Open,
        side: Side,
        way: &impl Fn(&Road) -> bool,
    ) -> Option<(u32, StateId)> {
        let epoch = scratch.epoch;
        let Reverse((cost, at)) = open.pop()?;
        let (own, other) = match side {
            Side::Ahead => (&mut scratch.ahead, &scratch.behind),
            Side::Behind => (&mut scratch.behind, &scratch.ahead),
        };
        if own[at.index()].cost < cost {
            return None;
        }
        let mut best: Option<(u32, StateId)> = None;
        let mut reach = |next: StateId, road: &Road| {
            let cost = cost + u32::from(road.cost);
            let known = own[next.index()];
            if next == at || (known.epoch == epoch && known.cost <= cost) || road.is_closed || !way(road) {
                return;
            }
            let met = other[next.index()];
            // Where the other side has been, it is known that one can be there.
            let is_met = met.epoch == epoch;
            if !is_met && !self.roads.is_open(next) {
                return;
            }
            own[next.index()] = Reached { epoch, cost, by: Some(road.by) };
            open.push(Reverse((cost, next)));
            if is_met {
                best = best.into_iter().chain([(cost + met.cost, next)]).min();
            }
        };
        match side {
            Side::Ahead => self.roads.from(at).for_each(|road| reach(road.target, road)),
            Side::Behind => self.roads.to(at).for_each(|(source, road)| reach(source, road)),
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::RngExt;

    use super::*;
    use crate::abstraction::registry;
    use crate::action::ActionKind;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, TreeBuilder, Widget, Window};
    use crate::model::Acted;
    use crate::seed::Seed;

    const BUTTONS: u32 = 3;

    /// An activity with some buttons.
    fn screen(number: usize) -> Arc<GuiTree> {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, format!("Activity{number}"));
        builder.window(Window::application(Bounds::new(0, 0, 100, 100)));
        builder.open(Widget { bounds: Bounds::new(0, 0, 100, 100), ..Widget::default() });
        for button in 0..BUTTONS {
            builder.leaf(Widget {
                bounds: Bounds::new(0, 10 * button as i32, 100, 10 * button as i32 + 10),
                resource_id: format!("a:id/{button}").into(),
                flags: Flags::ENABLED | Flags::CLICKABLE,
                actions: ActionSet::TAP,
                ..Widget::default()
            });
        }
        builder.close();
        Arc::new(builder.finish())
    }

    fn tap(button: u32) -> Acted {
        Acted { node: Some(NodeIx(button + 1)), kind: ActionKind::Tap }
    }

    /// Screens whose buttons lead anywhere, some of them to several places, some after a miss.
    fn some_model(seed: u64) -> Model {
        let mut rng = Seed(seed).rng();
        let entry = registry::find("finest").expect("it is registered");
        let mut model = Model::new(entry.build(), vec![ActionKind::Back]);
        let trees: Vec<Arc<GuiTree>> = (0..30).map(screen).collect();
        let states: Vec<StateId> = trees.iter().map(|tree| model.arrive(tree).0.state).collect();
        for from in &trees {
            for button in 0..BUTTONS {
                for _ in 0..rng.random_range(1..5_u32) {
                    let to = &trees[rng.random_range(0..trees.len() as u32) as usize];
                    model.record(from, tap(button), to);
                }
            }
        }
        for &state in states.iter().step_by(11) {
            let action = model.transitions().find(|way| way.target == state).map(|way| way.action);
            model.miss(action.unwrap_or_default(), state);
        }
        model
    }

    fn cost(model: &Model, way: &[Planned]) -> u32 {
        let road = |step: &Planned| {
            let mut roads = model.roads.from(step.source);
            roads.find(|road| road.action == step.action && road.target == step.target).expect("a road").cost
        };
        way.iter().map(|step| u32::from(road(step))).sum()
    }

    #[test]
    fn a_search_from_both_ends_finds_a_way_exactly_where_one_from_the_start_does_and_it_costs_the_same() {
        let mut found = 0;
        for seed in 0..10 {
            let model = some_model(seed);
            let ids: Vec<StateId> = model.states().map(|state| state.id).collect();
            for (&from, &to) in ids.iter().flat_map(|from| ids.iter().map(move |to| (from, to))) {
                if from == to || model.state(to).is_some_and(|state| state.detached) {
                    continue;
                }
                let scratch = &mut Scratch::default();
                let goal = |state: &State| state.id == to;
                let one = model.search(scratch, from, Road::is_strong, goal, usize::MAX);
                let both = model.between(scratch, from, to, &Road::is_strong);
                assert_eq!(one.as_deref().map(|way| cost(&model, way)), both.as_ref().map(|(cost, _)| *cost));
                if let Some((told, way)) = both {
                    assert_eq!(cost(&model, &way), told, "{seed}: {from} to {to}");
                    assert!(way.windows(2).all(|steps| steps[0].target == steps[1].source));
                    assert_eq!((way[0].source, way[way.len() - 1].target), (from, to));
                    found += 1;
                }
            }
        }
        assert!(found > 1_000, "{found} ways are too few to tell");
    }

    #[test]
    fn in_a_large_model_a_far_goal_is_found_by_looking_at_few_states() {
        let entry = registry::find("activity").expect("it is registered");
        let mut model = Model::new(entry.build(), vec![ActionKind::Back]);
        let trees: Vec<Arc<GuiTree>> = (0..=SMALL + BUTTONS as usize).map(screen).collect();
        let states: Vec<StateId> = trees.iter().map(|tree| model.arrive(tree).0.state).collect();
        // A tree, of which the goal is the last leaf: all other states are at most as far away.
        for (number, from) in trees.iter().enumerate() {
            for button in 0..BUTTONS {
                let next = number * BUTTONS as usize + button as usize + 1;
                if let Some(to) = trees.get(next) {
                    model.record(from, tap(button), to);
                }
            }
        }
        assert!(model.is_large());
        let (first, last) = (states[0], states[states.len() - 1]);
        let way = model.find_way(first, Road::is_strong, |state| state.id == last, &mut (last.index() - 1));
        assert!(way.is_some_and(|way| way.last().is_some_and(|step| step.target == last)));
        let most = (super::super::navigate::NEAR + MAX_LOOKED_AT) as u64;
        assert!(model.looked_at() <= most, "{} looked at", model.looked_at());
    }
}
