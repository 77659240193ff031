//! Small changes that make a suite cheaper, if what comes of them replays: a detour on the way of a trace goes, or what is needed
//! of one trace, or of its end, is done in another one, so that the way to it need not be gone twice.
//!
//! A change is made of fragments, as in [`splice`](super::splice), but of all traces that are known to replay, and it is looked
//! for by what it saves: the greatest gain, which the paper goes by, says nothing of what it costs to get there.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::coverage::{ItemIx, ItemSet};
use super::path::{Path, Step};
use crate::abstraction::StateKey;

/// So many different ways from one state to another are known, the shortest ones.
const WAYS: usize = 4;
/// So many steps a way has at the most that does not begin with the launch.
const LONGEST_WAY: usize = 8;
/// A detour is looked for so far from the steps that it lies between.
const REACH: usize = 32;
/// So many steps a way from the launch has at the most.
const LONGEST_FIRST_WAY: usize = 64;
/// Traces with more steps are not changed.
const MAX_STEPS: usize = 2_000;
/// So many of the best changes of one trace, or of one pair, are kept.
const KEPT: usize = 8;

/// Fragments of known traces by the states that they lead from and to.
#[derive(Debug, Default)]
pub struct Ways {
    between: BTreeMap<(StateKey, StateKey), Vec<Vec<Step>>>,
    /// From the launch, by the state of the launch.
    first: BTreeMap<(StateKey, StateKey), Vec<Vec<Step>>>,
}

impl Ways {
    /// The shortest ways that known traces go.
    pub fn new(known: &[Path]) -> Self {
        let mut ways = Self::default();
        let longest = known.iter().map(|path| path.steps.len()).max().unwrap_or_default();
        for len in 1..=longest.min(LONGEST_FIRST_WAY) {
            for path in known.iter().filter(|path| path.steps.len() >= len) {
                note(&mut ways.first, path, 0, len);
                if len <= LONGEST_WAY {
                    for from in 0..=path.steps.len() - len {
                        note(&mut ways.between, path, from, len);
                    }
                }
            }
        }
        ways
    }

    fn between(&self, from: StateKey, to: StateKey) -> &[Vec<Step>] {
        self.between.get(&(from, to)).map_or(&[], Vec::as_slice)
    }

    fn first(&self, start: StateKey, to: StateKey) -> &[Vec<Step>] {
        self.first.get(&(start, to)).map_or(&[], Vec::as_slice)
    }
}

fn note(ways: &mut BTreeMap<(StateKey, StateKey), Vec<Vec<Step>>>, path: &Path, from: usize, len: usize) {
    let ends = (path.state(from), path.state(from + len));
    if ends.0 == ends.1 {
        return;
    }
    let known = ways.entry(ends).or_default();
    let steps = &path.steps[from..from + len];
    let same = |way: &Vec<Step>| way.iter().map(Step::edge).eq(steps.iter().map(Step::edge));
    if known.len() < WAYS && !known.iter().any(same) {
        known.push(steps.to_vec());
    }
}

/// One trace instead of another one, or of two.
#[derive(Clone, Debug)]
pub struct Change {
    /// The steps that it saves.
    pub saved: usize,
    /// The number of the trace that it stands for.
    pub gone: usize,
    /// The trace a part of which it takes over, and how many steps of that one stay.
    pub cut: Option<(usize, usize)>,
    /// What comes instead.
    pub path: Path,
}

/// The changes of a suite that save the most, the best first. A trace is made of at most so many fragments.
pub fn changes(
    suite: &[Path],
    all: &ItemSet,
    ways: &Ways,
    fragments: usize,
    over: &mut dyn FnMut() -> bool,
) -> Vec<Change> {
    let short = suite.iter().enumerate().filter(|(_, path)| path.steps.len() <= MAX_STEPS);
    let views: Vec<(usize, View<'_>)> = short.map(|(ix, path)| (ix, View::new(path))).collect();
    let mut times: BTreeMap<ItemIx, usize> = BTreeMap::new();
    for item in suite.iter().flat_map(|path| path.coverage().iter().collect::<Vec<_>>()) {
        *times.entry(item).or_default() += usize::from(all.contains(item));
    }
    let mut found = Vec::new();
    for (ix, view) in &views {
        if over() {
            return Vec::new();
        }
        let needed = view.coverage.iter().filter(|item| times.get(item) == Some(&1)).collect();
        let mut own = Vec::new();
        view.without_detours(&needed, ways, fragments, &mut own);
        found.extend(own.into_iter().map(|(saved, _, path)| Change { saved, gone: *ix, cut: None, path }));
        for (other, part) in views.iter().filter(|(other, _)| other != ix) {
            let mut needed: ItemSet = ItemSet::default();
            for item in view.coverage.iter().chain(part.coverage.iter()) {
                let own =
                    usize::from(view.coverage.contains(item)) + usize::from(part.coverage.contains(item));
                if times.get(&item) == Some(&own) {
                    needed.insert(item);
                }
            }
            let mut both = Vec::new();
            view.with(part, &needed, ways, fragments, &mut both);
            let change = |(saved, stay, path)| Change { saved, gone: *ix, cut: Some((*other, stay)), path };
            found.extend(both.into_iter().map(change));
        }
    }
    found.sort_by_key(|change| (Reverse(change.saved), change.path.steps.len()));
    found
}

/// What a change saves, how many steps of another trace stay, and what comes of it.
type Saving = (usize, usize, Path);

/// What saves so much would be kept.
fn is_among_best(found: &[Saving], saved: usize) -> bool {
    found.len() < KEPT || found.last().is_some_and(|worst| worst.0 < saved)
}

/// Keeps a change among the best, which save the most and are in this order; of those that save the same the first.
fn keep(found: &mut Vec<Saving>, new: Saving) {
    let at = found.partition_point(|known| known.0 >= new.0);
    found.insert(at, new);
    found.truncate(KEPT);
}

/// A trace with what is asked of it again and again.
struct View<'a> {
    path: &'a Path,
    coverage: ItemSet,
    /// What is covered before each place, the launch among it.
    before: Vec<ItemSet>,
    /// What is covered from each place on.
    after: Vec<ItemSet>,
    /// The places with each state, in ascending order.
    places: BTreeMap<StateKey, Vec<usize>>,
}

impl<'a> View<'a> {
    fn new(path: &'a Path) -> Self {
        let len = path.steps.len();
        let mut before: Vec<ItemSet> = vec![path.launch.iter().copied().collect()];
        let mut after = vec![ItemSet::default(); len + 1];
        for (at, step) in path.steps.iter().enumerate() {
            let mut covered = before[at].clone();
            put(&mut covered, &step.items);
            before.push(covered);
        }
        for (at, step) in path.steps.iter().enumerate().rev() {
            let mut covered = after[at + 1].clone();
            put(&mut covered, &step.items);
            after[at] = covered;
        }
        let mut places: BTreeMap<StateKey, Vec<usize>> = BTreeMap::new();
        for at in 0..=len {
            places.entry(path.state(at)).or_default().push(at);
        }
        Self { path, coverage: before[len].clone(), before, after, places }
    }

    /// The steps that alone cover something of what is needed.
    fn only(&self, needed: &ItemSet) -> Vec<usize> {
        let is_only = |&at: &usize| {
            let mut missing = self.path.steps[at].items.iter().copied().filter(|&item| needed.contains(item));
            missing.any(|item| !self.before[at].contains(item) && !self.after[at + 1].contains(item))
        };
        (0..self.path.steps.len()).filter(is_only).collect()
    }

    /// The last place with a state, up to a place.
    fn last_place(&self, state: StateKey, most: usize) -> Option<usize> {
        let places = self.places.get(&state)?;
        places.partition_point(|&place| place <= most).checked_sub(1).map(|ix| places[ix])
    }

    /// A shorter way between two places that nothing needed lies between.
    fn without_detours(&self, needed: &ItemSet, ways: &Ways, fragments: usize, found: &mut Vec<Saving>) {
        let only = self.only(needed);
        let mut from = 0;
        for to in only.into_iter().chain([self.path.steps.len()]) {
            for a in from..to.min(from + REACH) {
                for b in (a + 1..=to).rev().take(REACH) {
                    let (start, end) = (self.path.state(a), self.path.state(b));
                    let known: &[Vec<Step>] = match a {
                        0 if fragments >= 2 => ways.first(start, end),
                        _ if fragments >= 3 => ways.between(start, end),
                        _ => &[],
                    };
                    let none = (start == end).then_some(Vec::new());
                    for way in none.iter().chain(known).filter(|way| way.len() < b - a) {
                        let saved = b - a - way.len();
                        if is_among_best(found, saved) && covers(&self.before[a], way, &self.after[b], needed)
                        {
                            let steps = [&self.path.steps[..a], way, &self.path.steps[b..]].concat();
                            keep(found, (saved, 0, self.path.with(steps)));
                        }
                    }
                }
            }
            from = to + 1;
        }
    }

    /// This trace with what is needed of the end of another one, or of all of it.
    fn with(
        &self,
        part: &View<'_>,
        needed: &ItemSet,
        ways: &Ways,
        fragments: usize,
        found: &mut Vec<Saving>,
    ) {
        if fragments < 2 || self.path.start != part.path.start {
            return;
        }
        let own = self.only(&needed.without(&part.coverage));
        let theirs = part.only(&needed.without(&self.coverage));
        let Some(&last) = theirs.last() else { return };
        for (ix, &first) in theirs.iter().enumerate().rev().take(REACH) {
            let stay = ix.checked_sub(1).map_or(0, |before| theirs[before] + 1);
            let needed = if stay == 0 { needed.clone() } else { needed.without(&part.before[stay]) };
            self.with_end(part, (stay, first..last + 1), (&needed, &own), ways, fragments, found);
        }
    }

    /// This trace with some steps of another one, behind it or as a loop within it. Of the other one so many steps stay.
    fn with_end(
        &self,
        part: &View<'_>,
        (stay, end): (usize, Range<usize>),
        (needed, own): (&ItemSet, &[usize]),
        ways: &Ways,
        fragments: usize,
        found: &mut Vec<Saving>,
    ) {
        let len = self.path.steps.len();
        let both = len + part.path.steps.len();
        let mut put_in = |middle: &[&[Step]], a: usize, d: usize| {
            let new = stay + a + middle.iter().map(|steps| steps.len()).sum::<usize>() + len - d;
            if new >= both {
                return;
            }
            let saved = both - new;
            if !is_among_best(found, saved) {
                return;
            }
            let middle = middle.concat();
            if covers(&self.before[a], &middle, &self.after[d], needed) {
                let steps = [&self.path.steps[..a], &middle, &self.path.steps[d..]].concat();
                keep(found, (saved, stay, self.path.with(steps)));
            }
        };
        // Behind it.
        let from = own.last().map_or(0, |last| last + 1);
        for a in (from..=len).take(REACH) {
            for b in (0..=end.start).rev().take(REACH) {
                let (from, to) = (self.path.state(a), part.path.state(b));
                let rest = &part.path.steps[b..end.end];
                if from == to {
                    put_in(&[rest], a, len);
                } else if fragments >= 3 {
                    for way in ways.between(from, to) {
                        put_in(&[way, rest], a, len);
                    }
                }
            }
        }
        if fragments < 3 {
            return;
        }
        // Within it.
        for a in 0..=len {
            let Some(b) = part.last_place(self.path.state(a), end.start) else { continue };
            let next = own[own.partition_point(|&step| step < a)..].first().copied().unwrap_or(len);
            for c in (end.end..=part.path.steps.len()).take(REACH) {
                if let Some(d) = self.last_place(part.path.state(c), next) {
                    put_in(&[&part.path.steps[b..c]], a, d);
                }
            }
        }
    }
}

fn put(covered: &mut ItemSet, items: &[ItemIx]) {
    for &item in items {
        covered.insert(item);
    }
}

/// What is needed is covered before, on a way, or after it.
fn covers(before: &ItemSet, way: &[Step], after: &ItemSet, needed: &ItemSet) -> bool {
    let mut missing = needed.without(before).without(after);
    for item in way.iter().flat_map(|step| step.items.iter()) {
        missing.remove(*item);
    }
    missing.is_empty()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::suite::path;

    /// A trace through states; what a step covers is told by its two ends.
    fn through(states: &[u32]) -> Path {
        let step = |ends: &[u32]| Step {
            event: ends[0],
            to: StateKey(ends[1].into()),
            screen: 0,
            items: Arc::from([ends[1], 100 + ends[0] * 10 + ends[1]]),
        };
        let steps = states.windows(2).map(step).collect();
        Path { start: StateKey(states[0].into()), screen: 0, launch: Arc::from([states[0]]), steps }
    }

    fn all_changes(suite: &[Path], wanted: &ItemSet, known: &[Path], fragments: usize) -> Vec<Change> {
        changes(suite, wanted, &Ways::new(known), fragments, &mut || false)
    }

    fn states(change: &Change) -> Vec<u64> {
        change.path.steps.iter().map(|step| step.to.0).collect()
    }

    #[test]
    fn a_shorter_way_that_another_trace_went_is_taken() {
        let suite = [through(&[0, 1, 2, 3, 4, 5])];
        let known = [through(&[0, 1, 4, 6])];
        let found = all_changes(&suite, &[5].into_iter().collect(), &known, 3);
        assert_eq!((found[0].saved, states(&found[0])), (2, vec![1, 4, 5]));
        let found = all_changes(&suite, &[2, 5].into_iter().collect(), &known, 3);
        assert!(found.is_empty(), "2 is needed");
    }

    #[test]
    fn what_is_needed_of_one_trace_is_done_behind_another_by_a_way_back() {
        let suite = [through(&[0, 1, 2, 3]), through(&[0, 1, 2, 4])];
        let known = [through(&[0, 1, 2, 3, 2])];
        let wanted = [3, 4].into_iter().collect();
        let found = all_changes(&suite, &wanted, &known, 3);
        assert_eq!((found[0].saved, states(&found[0])), (1, vec![1, 2, 3, 2, 4]));
        assert!(all_changes(&suite, &wanted, &known, 2).is_empty(), "these are three fragments");
    }

    #[test]
    fn what_is_needed_of_one_trace_is_done_as_a_loop_within_another() {
        let suite = [through(&[0, 1, 2, 3]), through(&[0, 1, 2, 4, 2])];
        let found = all_changes(&suite, &[3, 4].into_iter().collect(), &[], 3);
        assert_eq!((found[0].saved, states(&found[0])), (2, vec![1, 2, 4, 2, 3]));
    }

    #[test]
    fn the_end_of_one_trace_is_done_behind_another_and_the_rest_stays() {
        let suite = [through(&[0, 1, 2, 3, 4]), through(&[0, 5, 6, 7, 3, 8])];
        let wanted = [4, 5, 8].into_iter().collect();
        let found = all_changes(&suite, &wanted, &[through(&[0, 1, 2, 3, 4, 3])], 3);
        assert_eq!(
            (found[0].saved, states(&found[0]), found[0].cut),
            (2, vec![1, 2, 3, 4, 3, 8], Some((1, 1)))
        );
    }

    proptest::proptest! {
        #[test]
        fn a_change_is_a_trace_that_covers_what_is_needed_and_saves_what_it_says(
            walks in proptest::collection::vec(proptest::collection::vec(0_u32..5, 1..10), 1..6),
            wanted in proptest::collection::vec(0_u32..200, 0..40),
        ) {
            let suite: Vec<Path> = walks.iter().map(|walk| through(&[&[0], &walk[..]].concat())).collect();
            let wanted: ItemSet = wanted.into_iter().chain(0..5).collect();
            for change in all_changes(&suite, &wanted, &suite, 3) {
                let mut at = change.path.start.0;
                for step in &change.path.steps {
                    proptest::prop_assert_eq!(u64::from(step.event), at);
                    at = step.to.0;
                }
                let mut changed = suite.clone();
                changed[change.gone] = change.path;
                if let Some((other, stay)) = change.cut {
                    changed[other].steps.truncate(stay);
                }
                proptest::prop_assert_eq!(path::cost(&suite).0 - change.saved, path::cost(&changed).0);
                let lost = path::coverage(&suite).without(&path::coverage(&changed));
                proptest::prop_assert!(lost.iter().all(|item| !wanted.contains(item)));
            }
        }
    }
}
