//! The activities as places with routes between them, and the search for the best way.
//!
//! In a small app a search begins at one end, and names decide between ways that cost the same. In a large one it begins
//! at both ends: two small circles meet where one would have to grow over the whole app.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;

use super::Route;

/// The activities and the routes between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    known: IndexMap<SmolStr, Place, FxBuildHasher>,
    /// How many of them a route ever began in.
    left: usize,
    scratch: RefCell<Scratch>,
}

/// Which place it is.
type PlaceIx = u32;

#[derive(Clone, Debug)]
struct Place {
    name: SmolStr,
    /// The routes that begin here, in the order of the names of where they lead.
    exits: Vec<Exit>,
    /// Where the routes begin that lead here.
    entries: Vec<PlaceIx>,
    /// A route ever began here.
    was_left: bool,
}

#[derive(Clone, Debug)]
struct Exit {
    to: PlaceIx,
    is_return: bool,
    route: Route,
}

/// What searches reuse, and what they cost.
#[derive(Clone, Debug, Default)]
struct Scratch {
    marks: Vec<Mark>,
    epoch: u32,
    looked_at: u64,
}

/// What a search has found out about a place.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// One can go back to it.
    stacked: u32,
    done: u32,
    from_start: Reached,
    from_goal: Reached,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    epoch: u32,
    cost: u32,
    /// The place next to it, on the way to the end that this side began at.
    next: PlaceIx,
    is_done: bool,
}

/// With so many activities an app is small.
const SMALL: usize = 500;
/// In a large app a search looks at this many activities at most.
const MAX_LOOKED_AT: usize = 1000;

impl Places {
    /// In how many activities a route ever began.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// How many activities all searches together have looked at.
    pub(super) fn looked_at(&self) -> u64 {
        self.scratch.borrow().looked_at
    }

    /// The routes that begin in an activity and do not go back, and where they lead, in the order of the names.
    pub(super) fn onward(&self, from: &SmolStr) -> impl Iterator<Item = (&SmolStr, &Route)> {
        let exits = self.known.get(from).map_or(&[][..], |place| &place.exits);
        let onward = exits.iter().filter(|exit| !exit.is_return);
        onward.map(|exit| (self.name(exit.to), &exit.route))
    }

    /// The route from one activity to the next.
    pub(super) fn route_mut(&mut self, from: &SmolStr, to: &SmolStr) -> Option<&mut Route> {
        let to = self.known.get_index_of(to)? as PlaceIx;
        let exits = &mut self.known.get_mut(from)?.exits;
        exits.iter_mut().find(|exit| exit.to == to).map(|exit| &mut exit.route)
    }

    /// Puts a route in its place, where there may be another.
    pub(super) fn put(&mut self, from: &SmolStr, route: Route, to: &SmolStr) {
        let (start, end) = (self.enter(from), self.enter(to));
        let exit = Exit { to: end, is_return: route.is_return(), route };
        let exits = &self.known[start as usize].exits;
        let found = exits.binary_search_by(|known| self.name(known.to).cmp(to));
        let place = &mut self.known[start as usize];
        self.left += usize::from(!std::mem::replace(&mut place.was_left, true));
        match found {
            Ok(at) => place.exits[at] = exit,
            Err(at) => {
                place.exits.reserve_exact(1);
                place.exits.insert(at, exit);
                self.known[end as usize].entries.push(start);
            }
        }
    }

    /// There is no route any more.
    pub(super) fn remove(&mut self, from: &SmolStr, to: &SmolStr) {
        let (Some(start), Some(end)) = (self.known.get_index_of(from), self.known.get_index_of(to)) else {
            return;
        };
        self.known[start].exits.retain(|exit| exit.to as usize != end);
        self.known[end].entries.retain(|&entry| entry as usize != start);
    }

    /// The route from one activity to the next, unless it goes back to where one cannot go back to.
    pub(super) fn route(&self, from: &SmolStr, to: &SmolStr, stack: &[SmolStr]) -> Option<&Route> {
        let end = self.known.get_index_of(to)? as PlaceIx;
        let exit = self.known.get(from)?.exits.iter().find(|exit| exit.to == end)?;
        (!exit.is_return || stack.contains(to)).then_some(&exit.route)
    }

    /// The activities on the best way from one activity to another, the last first; in a small app only the next one.
    /// `stack` holds the activities that one can go back to.
    pub(super) fn way(&self, from: &SmolStr, to: &SmolStr, stack: &[SmolStr]) -> Option<Vec<SmolStr>> {
        let (start, goal) = (self.known.get_index_of(from)?, self.known.get_index_of(to)?);
        let (start, goal) = (start as PlaceIx, goal as PlaceIx);
        if start == goal {
            return None;
        }
        let mut scratch = self.scratch.borrow_mut();
        scratch.begin(self.known.len());
        for place in stack.iter().filter_map(|name| self.known.get_index_of(name)) {
            scratch.marks[place].stacked = scratch.epoch;
        }
        let way = if self.known.len() <= SMALL {
            vec![self.one_sided(&mut scratch, start, goal)?]
        } else {
            self.two_sided(&mut scratch, start, goal)?
        };
        Some(way.into_iter().map(|place| self.name(place).clone()).collect())
    }

    fn one_sided(&self, scratch: &mut Scratch, start: PlaceIx, goal: PlaceIx) -> Option<PlaceIx> {
        // Names decide where costs are equal, so that the order in which places were found does not.
        let mut open = BinaryHeap::from([Reverse((0, self.name(start), None, start))]);
        while let Some(Reverse((cost, _, first, at))) = open.pop() {
            let epoch = scratch.epoch;
            if std::mem::replace(&mut scratch.marks[at as usize].done, epoch) == epoch {
                continue;
            }
            scratch.looked_at += 1;
            if at == goal {
                return first.map(|(_, first)| first);
            }
            for exit in &self.known[at as usize].exits {
                let mark = &scratch.marks[exit.to as usize];
                if (!exit.is_return || mark.stacked == epoch) && mark.done != epoch {
                    let name = self.name(exit.to);
                    let first = first.or(Some((name, exit.to)));
                    open.push(Reverse((cost + exit.route.cost(), name, first, exit.to)));
                }
            }
        }
        None
    }

    /// Dijkstra's search from both ends, one step at a time on the side with less to look at; the last place first.
    fn two_sided(&self, scratch: &mut Scratch, start: PlaceIx, goal: PlaceIx) -> Option<Vec<PlaceIx>> {
        let epoch = scratch.epoch;
        let at_end = |next| Reached { epoch, cost: 0, next, is_done: false };
        scratch.marks[start as usize].from_start = at_end(start);
        scratch.marks[goal as usize].from_goal = at_end(goal);
        let mut ahead = BinaryHeap::from([Reverse((0, start))]);
        let mut behind = BinaryHeap::from([Reverse((0, goal))]);
        let mut best: Option<(u32, PlaceIx)> = None;
        for _ in 0..MAX_LOOKED_AT {
            let (Some(Reverse((near, _))), Some(Reverse((far, _)))) = (ahead.peek(), behind.peek()) else {
                break;
            };
            if best.is_some_and(|(cost, _)| cost <= near + far) {
                break;
            }
            scratch.looked_at += 1;
            let found = if ahead.len() <= behind.len() {
                self.go_on(scratch, &mut ahead)
            } else {
                self.go_back(scratch, &mut behind)
            };
            best = best.into_iter().chain(found).min();
        }
        let (_, meeting) = best?;
        let mut way = vec![];
        let mut at = meeting;
        while at != goal {
            at = scratch.marks[at as usize].from_goal.next;
            way.push(at);
        }
        way.reverse();
        at = meeting;
        while at != start {
            way.push(at);
            at = scratch.marks[at as usize].from_start.next;
        }
        Some(way)
    }

    /// One more place from the start; if that joins the two sides, the cost of the way and where they meet.
    fn go_on(&self, scratch: &mut Scratch, open: &mut Open) -> Option<(u32, PlaceIx)> {
        let epoch = scratch.epoch;
        let Reverse((_, at)) = open.pop()?;
        let here = &mut scratch.marks[at as usize].from_start;
        if std::mem::replace(&mut here.is_done, true) {
            return None;
        }
        let here = *here;
        let mut best = None;
        for exit in &self.known[at as usize].exits {
            let mark = &mut scratch.marks[exit.to as usize];
            if exit.is_return && mark.stacked != epoch {
                continue;
            }
            let cost = here.cost + exit.route.cost();
            if mark.from_start.epoch == epoch && mark.from_start.cost <= cost {
                continue;
            }
            mark.from_start = Reached { epoch, cost, next: at, is_done: false };
            open.push(Reverse((cost, exit.to)));
            if mark.from_goal.epoch == epoch {
                let way = (cost + mark.from_goal.cost, exit.to);
                best = best.into_iter().chain([way]).min();
            }
        }
        best
    }

    /// The same from the goal.
    fn go_back(&self, scratch: &mut Scratch, open: &mut Open) -> Option<(u32, PlaceIx)> {
        let epoch = scratch.epoch;
        let Reverse((_, at)) = open.pop()?;
        let mark = &mut scratch.marks[at as usize];
        let (is_stacked, here) = (mark.stacked == epoch, &mut mark.from_goal);
        if std::mem::replace(&mut here.is_done, true) {
            return None;
        }
        let here = *here;
        let mut best = None;
        for &from in &self.known[at as usize].entries {
            let Some(exit) = self.known[from as usize].exits.iter().find(|exit| exit.to == at) else {
                continue;
            };
            let mark = &mut scratch.marks[from as usize];
            let cost = here.cost + exit.route.cost();
            if (exit.is_return && !is_stacked)
                || (mark.from_goal.epoch == epoch && mark.from_goal.cost <= cost)
            {
                continue;
            }
            mark.from_goal = Reached { epoch, cost, next: at, is_done: false };
            open.push(Reverse((cost, from)));
            if mark.from_start.epoch == epoch {
                let way = (cost + mark.from_start.cost, from);
                best = best.into_iter().chain([way]).min();
            }
        }
        best
    }

    fn name(&self, place: PlaceIx) -> &SmolStr {
        &self.known[place as usize].name
    }

    fn enter(&mut self, name: &SmolStr) -> PlaceIx {
        if let Some(known) = self.known.get_index_of(name) {
            return known as PlaceIx;
        }
        let place = Place { name: name.clone(), exits: Vec::new(), entries: Vec::new(), was_left: false };
        self.known.insert_full(name.clone(), place).0 as PlaceIx
    }
}

type Open = BinaryHeap<Reverse<(u32, PlaceIx)>>;

impl Scratch {
    fn begin(&mut self, places: usize) {
        self.epoch += 1;
        self.marks.resize(places, Mark::default());
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::action::ActionKind;
    use crate::model::sight::phone_mark;
    use crate::seed::Seed;

    fn name(place: u32) -> SmolStr {
        format!("Activity{place}").into()
    }

    /// Places with routes of several lengths between them, some of which go back.
    fn some_places(seed: u64) -> Places {
        let mut rng = Seed(seed).rng();
        let mut places = Places::default();
        for from in 0..40 {
            for _ in 0..rng.random_range(0..4_u32) {
                let to = rng.random_range(0..40_u32);
                let mut legs: Vec<u64> = (0..rng.random_range(1..4_u64)).collect();
                if rng.random_bool(0.2) {
                    legs.push(phone_mark(ActionKind::Back));
                }
                let misses = rng.random_range(0..3_u32);
                places.put(&name(from), Route { texts: Vec::new(), legs, hits: 1, misses }, &name(to));
            }
        }
        places
    }

    /// What a way costs if each next place is looked for again, as a session does it.
    fn cost(
        places: &Places,
        (start, goal): (PlaceIx, PlaceIx),
        search: impl Fn(&mut Scratch, PlaceIx) -> Option<PlaceIx>,
        stack: &[PlaceIx],
    ) -> Option<u32> {
        let (mut at, mut cost) = (start, 0);
        while at != goal {
            let mut scratch = Scratch::default();
            scratch.begin(places.known.len());
            for &place in stack {
                scratch.marks[place as usize].stacked = scratch.epoch;
            }
            let next = search(&mut scratch, at)?;
            let exit = places.known[at as usize].exits.iter().find(|exit| exit.to == next).expect("an exit");
            cost += exit.route.cost();
            at = next;
        }
        Some(cost)
    }

    #[test]
    fn a_search_from_both_ends_finds_a_way_exactly_where_one_from_the_start_does_and_it_costs_the_same() {
        let mut found = 0;
        for seed in 0..20 {
            let places = some_places(seed);
            let count = places.known.len() as PlaceIx;
            let stack = [1, 5, 9];
            for (start, goal) in (0..count).flat_map(|start| (0..count).map(move |goal| (start, goal))) {
                let one = |scratch: &mut Scratch, at| places.one_sided(scratch, at, goal);
                let both = |scratch: &mut Scratch, at| places.two_sided(scratch, at, goal)?.pop();
                let known = cost(&places, (start, goal), one, &stack);
                assert_eq!(cost(&places, (start, goal), both, &stack), known, "{seed}: {start} to {goal}");
                found += u32::from(known.is_some() && start != goal);
            }
        }
        assert!(found > 1_000, "{found} ways are too few to tell");
    }

    #[test]
    fn a_route_that_is_taken_away_is_found_from_neither_end() {
        let route = || Route { texts: Vec::new(), legs: vec![1], hits: 1, misses: 0 };
        let mut places = Places::default();
        places.put(&name(0), route(), &name(1));
        places.put(&name(1), route(), &name(2));
        assert_eq!(places.two_sided(&mut begun(&places), 0, 2), Some(vec![2, 1]));
        places.remove(&name(1), &name(2));
        assert_eq!(places.two_sided(&mut begun(&places), 0, 2), None);
        assert_eq!(places.one_sided(&mut begun(&places), 0, 2), None);
    }

    fn begun(places: &Places) -> Scratch {
        let mut scratch = Scratch::default();
        scratch.begin(places.known.len());
        scratch
    }
}
