//! `L(τ)`: a trace without some of its loops, from the shortest on (DetReduce 3.1).
//!
//! A loop is a part that begins and ends in the same state. Going through a trace, at each state one may go on or leap to
//! a later place with the same state; the ways through are found in the order of their length, each once, and a way that
//! can no longer cover what is needed, or that begins as a trace that does not replay, is not followed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::Arc;

use super::coverage::{ItemIx, ItemSet};
use super::path::{Path, Step};
use super::trie::{NodeIx, Trie};
use crate::abstraction::StateKey;

/// So many unfinished ways are looked at for one trace before the rest is left alone.
const MAX_WAYS: usize = 20_000;
/// So many of them may stand at one place with the same coverage: they differ only in how they came there.
const MAX_ALIKE: u32 = 64;

/// What the two ends of a loop have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEnds {
    /// They are the same state, as in the paper.
    Alike,
    /// The screen is the same in every detail, too.
    Same,
}

impl LoopEnds {
    /// Equal for places between which there is a loop.
    fn key(self, path: &Path, at: usize) -> EndKey {
        (path.state(at), if self == Self::Same { path.screen(at) } else { 0 })
    }
}

type EndKey = (StateKey, u64);

/// Finds the ways through a trace without some of its loops, from the shortest on.
#[derive(Debug)]
pub struct Shortenings<'a> {
    path: &'a Path,
    needed: &'a ItemSet,
    ends: LoopEnds,
    /// The places that loops lead from and to, in ascending order.
    places: BTreeMap<EndKey, Vec<usize>>,
    /// The steps that alone cover something that is needed: no leap goes over them.
    only: BTreeSet<usize>,
    /// The fewest steps from each place to the end.
    least: Vec<usize>,
    /// What can still be covered from each place on, of what is needed.
    ahead: Vec<Arc<ItemSet>>,
    open: BinaryHeap<Reverse<(usize, usize)>>,
    ways: Vec<Option<Way>>,
    /// The steps of all ways, each with the one that was taken before it: ways share their beginnings.
    taken: Vec<(usize, Option<usize>)>,
    alike: BTreeMap<(usize, bool, ItemSet), u32>,
    cut_short: bool,
}

/// A way that is not at its end, or that is.
#[derive(Debug, Clone)]
struct Way {
    at: usize,
    /// The last step taken, and how many there are.
    last: Option<usize>,
    len: usize,
    covered: ItemSet,
    /// It has just leapt: two leaps in a row are one.
    leapt: bool,
    /// Where it stands in the trie, if it is in it, when so many failing prefixes were known.
    node: Option<NodeIx>,
    looked_up: usize,
}

impl<'a> Shortenings<'a> {
    /// The ways through a trace that cover what is needed of it.
    pub fn new(path: &'a Path, needed: &'a ItemSet, ends: LoopEnds) -> Self {
        let len = path.steps.len();
        let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for at in 0..=len {
            places.entry(ends.key(path, at)).or_default().push(at);
        }
        // Where only one step covers something that is needed, no leap goes over it.
        let mut steps_of: BTreeMap<ItemIx, Vec<usize>> = BTreeMap::new();
        for (at, step) in path.steps.iter().enumerate() {
            for &item in step.items.iter().filter(|&&item| needed.contains(item)) {
                steps_of.entry(item).or_default().push(at);
            }
        }
        let by_launch: ItemSet = path.launch.iter().copied().collect();
        let only: BTreeSet<usize> = steps_of
            .iter()
            .filter(|(item, steps)| steps.len() == 1 && !by_launch.contains(**item))
            .map(|(_, steps)| steps[0])
            .collect();
        let covered = path.launch.iter().copied().filter(|&item| needed.contains(item)).collect();
        let mut found = Self {
            path,
            needed,
            ends,
            places,
            only,
            least: vec![0; len + 1],
            ahead: vec![Arc::default(); len + 1],
            open: BinaryHeap::new(),
            ways: Vec::new(),
            taken: Vec::new(),
            alike: BTreeMap::new(),
            cut_short: false,
        };
        found.look_ahead();
        found.push(Way {
            at: 0,
            last: None,
            len: 0,
            covered,
            leapt: false,
            node: Some(Trie::ROOT),
            looked_up: 0,
        });
        found
    }

    /// The furthest place that a leap from here may go to.
    fn horizon(&self, at: usize) -> usize {
        self.only.range(at..).next().copied().unwrap_or(self.path.steps.len())
    }

    /// The later places with the same state that a leap may go to.
    fn leaps(&self, at: usize) -> Range<usize> {
        let all = &self.places[&self.ends.key(self.path, at)];
        let end = self.horizon(at);
        let from = all.partition_point(|&place| place <= at);
        from..all.partition_point(|&place| place <= end).max(from)
    }

    fn look_ahead(&mut self) {
        // The places between two steps that no leap goes over have one horizon, so that the best leap from each of them is
        // the best of those with its state that were passed since the horizon.
        let mut best: BTreeMap<EndKey, (usize, usize)> = BTreeMap::new();
        for at in (0..=self.path.steps.len()).rev() {
            let (key, horizon) = (self.ends.key(self.path, at), self.horizon(at));
            let leap = best.get(&key).filter(|(end, _)| *end == horizon).map(|(_, least)| *least);
            if at < self.path.steps.len() {
                self.least[at] = (1 + self.least[at + 1]).min(leap.unwrap_or(usize::MAX));
                let here = self.path.steps[at].items.iter().copied();
                let new: Vec<ItemIx> = here
                    .filter(|&item| self.needed.contains(item) && !self.ahead[at + 1].contains(item))
                    .collect();
                self.ahead[at] = Arc::clone(&self.ahead[at + 1]);
                if !new.is_empty() {
                    let ahead = Arc::make_mut(&mut self.ahead[at]);
                    for item in new {
                        ahead.insert(item);
                    }
                }
            }
            best.insert(key, (horizon, leap.unwrap_or(usize::MAX).min(self.least[at])));
        }
    }

    fn push(&mut self, way: Way) {
        if !way.covered.covers_with(&self.ahead[way.at], self.needed) {
            return;
        }
        let alike = self.alike.entry((way.at, way.leapt, way.covered.clone())).or_default();
        *alike += 1;
        if *alike > MAX_ALIKE || self.ways.len() >= MAX_WAYS {
            self.cut_short = true;
            return;
        }
        // Of equally long ways the newest is the furthest.
        let newest_first = usize::MAX - self.ways.len();
        self.open.push(Reverse((way.len + self.least[way.at], newest_first)));
        self.ways.push(Some(way));
    }

    /// There were more ways than were looked at.
    pub fn is_cut_short(&self) -> bool {
        self.cut_short
    }

    /// The next shortest way that does not begin as a trace that is known not to replay; none if it is over before.
    pub fn next(&mut self, trie: &Trie, over: &mut dyn FnMut() -> bool) -> Option<Path> {
        while let Some(Reverse((_, ix))) = self.open.pop() {
            if over() {
                return None;
            }
            let Some(mut way) = self.ways[usize::MAX - ix].take() else { continue };
            if self.fails(trie, &mut way) {
                continue;
            }
            let at = way.at;
            if at == self.path.steps.len() {
                let steps = self.steps(&way).into_iter().map(|step| self.path.steps[step].clone()).collect();
                return Some(self.path.with(steps));
            }
            if !way.leapt {
                for place in self.leaps(at) {
                    let place = self.places[&self.ends.key(self.path, at)][place];
                    self.push(Way { at: place, leapt: true, ..way.clone() });
                }
            }
            let step = &self.path.steps[at];
            for &item in step.items.iter().filter(|&&item| self.needed.contains(item)) {
                way.covered.insert(item);
            }
            way.node = way.node.and_then(|node| trie.child(node, step.event, step.to));
            self.taken.push((at, way.last));
            let last = Some(self.taken.len() - 1);
            self.push(Way { at: at + 1, last, len: way.len + 1, leapt: false, ..way });
        }
        None
    }

    /// The steps of a way.
    fn steps(&self, way: &Way) -> Vec<usize> {
        let mut steps = Vec::with_capacity(way.len);
        let mut last = way.last;
        while let Some((step, before)) = last.map(|ix| self.taken[ix]) {
            steps.push(step);
            last = before;
        }
        steps.reverse();
        steps
    }

    /// A way begins as a trace that is known not to replay. What it was made from did not when it was looked up, so that only
    /// its last step is new unless failures came to be known since.
    fn fails(&self, trie: &Trie, way: &mut Way) -> bool {
        if way.looked_up == trie.failures() {
            return way.node.is_some_and(|node| trie.fails(node));
        }
        way.looked_up = trie.failures();
        let mut node = Trie::ROOT;
        for step in self.steps(way) {
            let (event, to) = self.path.steps[step].edge();
            match trie.child(node, event, to) {
                Some(next) if trie.fails(next) => return true,
                Some(next) => node = next,
                None => {
                    way.node = None;
                    return false;
                }
            }
        }
        way.node = Some(node);
        false
    }
}

/// The loops of a trace that cover nothing needed which the rest of it does not, the longest first: for traces that are too
/// long to look at all the ways through them.
#[derive(Debug)]
pub struct RedundantLoops {
    /// The places with each state, in ascending order.
    places: BTreeMap<StateKey, Vec<usize>>,
    /// The state of each place.
    states: Vec<StateKey>,
    /// The longest loop that is left from each start: its length, and which of its state's places it ends at.
    longest: BinaryHeap<(usize, Reverse<usize>, usize)>,
}

/// How often a trace covers each thing that is needed.
fn counts(path: &Path, needed: &ItemSet) -> BTreeMap<ItemIx, usize> {
    let mut left: BTreeMap<ItemIx, usize> = BTreeMap::new();
    let all = path.launch.iter().chain(path.steps.iter().flat_map(|step| step.items.iter()));
    for &item in all.filter(|&&item| needed.contains(item)) {
        *left.entry(item).or_default() += 1;
    }
    left
}

/// The loops of a trace from each place to the next with its state, as far as what they cover is covered elsewhere.
#[derive(Debug)]
pub struct InnerLoops {
    left: BTreeMap<ItemIx, usize>,
    /// The next place with the same state, for each place that has one.
    next: Vec<Option<usize>>,
}

impl InnerLoops {
    /// The loops of a trace.
    pub fn new(path: &Path, needed: &ItemSet) -> Self {
        let mut next = vec![None; path.steps.len() + 1];
        let mut last: BTreeMap<StateKey, usize> = BTreeMap::new();
        for at in (0..=path.steps.len()).rev() {
            next[at] = last.insert(path.state(at), at);
        }
        Self { left: counts(path, needed), next }
    }

    /// The last loop that begins before a place.
    pub fn last_before(&mut self, path: &Path, place: usize) -> Option<Range<usize>> {
        (0..place).rev().find_map(|from| {
            let range = from..self.next[from]?;
            let mut gone = 0;
            let can_all_go = path.steps[range.clone()].iter().all(|step| {
                let can = can_go(&self.left, step);
                if can {
                    count(&mut self.left, step, usize::wrapping_sub);
                    gone += 1;
                }
                can
            });
            for step in &path.steps[from..from + gone] {
                count(&mut self.left, step, usize::wrapping_add);
            }
            can_all_go.then_some(range)
        })
    }
}

impl RedundantLoops {
    /// The loops of a trace.
    pub fn new(path: &Path, needed: &ItemSet) -> Self {
        let mut left = counts(path, needed);
        let states: Vec<StateKey> = (0..=path.steps.len()).map(|at| path.state(at)).collect();
        let mut places: BTreeMap<StateKey, Vec<usize>> = BTreeMap::new();
        for (at, &state) in states.iter().enumerate() {
            places.entry(state).or_default().push(at);
        }
        let mut longest = BinaryHeap::new();
        // What can be left out from one place on ends no earlier than what can be from the place before.
        let mut to = 0;
        for from in 0..path.steps.len() {
            to = to.max(from);
            while to < path.steps.len() && can_go(&left, &path.steps[to]) {
                count(&mut left, &path.steps[to], usize::wrapping_sub);
                to += 1;
            }
            let all = &places[&states[from]];
            let end = all.partition_point(|&place| place <= to);
            if let Some(end) = end.checked_sub(1).filter(|&end| all[end] > from) {
                longest.push((all[end] - from, Reverse(from), end));
            }
            if to > from {
                count(&mut left, &path.steps[from], usize::wrapping_add);
            }
        }
        Self { places, states, longest }
    }
}

impl Iterator for RedundantLoops {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let (len, Reverse(from), end) = self.longest.pop()?;
        let all = &self.places[&self.states[from]];
        if let Some(shorter) = end.checked_sub(1).filter(|&shorter| all[shorter] > from) {
            self.longest.push((all[shorter] - from, Reverse(from), shorter));
        }
        Some(from..from + len)
    }
}

/// Something else covers what this step covers.
fn can_go(left: &BTreeMap<ItemIx, usize>, step: &Step) -> bool {
    step.items.iter().all(|item| left.get(item).is_none_or(|&left| left > 1))
}

fn count(left: &mut BTreeMap<ItemIx, usize>, step: &Step, how: fn(usize, usize) -> usize) {
    for item in step.items.iter() {
        if let Some(left) = left.get_mut(item) {
            *left = how(*left, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(states: &[u64], items: &[u32]) -> Path {
        let steps = states[1..].iter().zip(items).map(|(&to, &item)| Step {
            event: item,
            to: StateKey(to),
            screen: 0,
            items: Arc::from([item]),
        });
        Path { start: StateKey(states[0]), screen: 0, launch: Arc::default(), steps: steps.collect() }
    }

    fn all_pairs(path: &Path, needed: &ItemSet) -> Vec<Range<usize>> {
        let mut loops = Vec::new();
        for from in 0..path.steps.len() {
            for to in from + 1..=path.steps.len() {
                let rest: ItemSet = [&path.steps[..from], &path.steps[to..]]
                    .concat()
                    .iter()
                    .flat_map(|step| step.items.to_vec())
                    .chain(path.launch.iter().copied())
                    .collect();
                let own = path.coverage();
                let lost = own.iter().any(|item| needed.contains(item) && !rest.contains(item));
                if path.state(from) == path.state(to) && !lost {
                    loops.push(from..to);
                }
            }
        }
        loops.sort_by_key(|range| Reverse(range.len()));
        loops
    }

    proptest::proptest! {
        #[test]
        fn redundant_loops_are_those_that_trying_all_pairs_of_places_finds(
            steps in proptest::collection::vec((0_u64..4, 0_u32..6), 1..24),
            needed in proptest::collection::vec(0_u32..6, 0..5),
        ) {
            let (states, items): (Vec<u64>, Vec<u32>) = steps.into_iter().unzip();
            let path = path(&[&[0], &states[..]].concat(), &items);
            let needed: ItemSet = needed.into_iter().collect();
            let found: Vec<_> = RedundantLoops::new(&path, &needed).collect();
            proptest::prop_assert_eq!(found, all_pairs(&path, &needed));
        }

        #[test]
        fn inner_loops_are_the_first_that_trying_all_ends_of_each_place_finds(
            steps in proptest::collection::vec((0_u64..4, 0_u32..6), 1..24),
            needed in proptest::collection::vec(0_u32..6, 0..5),
        ) {
            let (states, items): (Vec<u64>, Vec<u32>) = steps.into_iter().unzip();
            let path = path(&[&[0], &states[..]].concat(), &items);
            let needed: ItemSet = needed.into_iter().collect();
            let mut wanted = all_pairs(&path, &needed);
            let next = |from: usize| (from + 1..=path.steps.len()).find(|&to| path.state(to) == path.state(from));
            wanted.retain(|range| next(range.start) == Some(range.end));
            wanted.sort_by_key(|range| Reverse(range.start));
            let mut loops = InnerLoops::new(&path, &needed);
            let mut found = Vec::new();
            let mut from = path.steps.len();
            while let Some(range) = loops.last_before(&path, from) {
                from = range.start;
                found.push(range);
            }
            proptest::prop_assert_eq!(found, wanted);
        }

        #[test]
        fn the_first_way_is_the_shortest_that_covers_what_is_needed(
            steps in proptest::collection::vec((0_u64..3, 0_u32..5), 1..9),
            needed in proptest::collection::vec(0_u32..5, 0..4),
        ) {
            let (states, items): (Vec<u64>, Vec<u32>) = steps.into_iter().unzip();
            let path = path(&[&[0], &states[..]].concat(), &items);
            let own = path.coverage();
            let needed: ItemSet = needed.into_iter().filter(|&item| own.contains(item)).collect();
            let found = Shortenings::new(&path, &needed, LoopEnds::Alike).next(&Trie::default(), &mut || false);
            // Every subset of the steps that is a way from the first state to the last.
            let len = path.steps.len();
            let ways = (0..1_u32 << len).filter_map(|kept| {
                let mut at = path.start;
                let mut covered = ItemSet::default();
                let mut steps = 0;
                for step in (0..len).filter(|step| kept >> step & 1 == 1) {
                    if path.state(step) != at {
                        return None;
                    }
                    at = path.steps[step].to;
                    covered.insert(path.steps[step].items[0]);
                    steps += 1;
                }
                (at == path.state(len) && covered.covers(&needed)).then_some(steps)
            });
            proptest::prop_assert_eq!(found.map(|way| way.steps.len()), ways.min());
        }
    }
}
