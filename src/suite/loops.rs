//! `L(τ)`: a trace without some of its loops, from the shortest on (DetReduce 3.1).
//!
//! A loop is a part that begins and ends in the same state. Going through a trace, at each state one may go on or leap to
//! a later place with the same state; the ways through are found in the order of their length, each once, and a way that
//! can no longer cover what is needed, or that begins as a trace that does not replay, is not followed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;

use super::coverage::{ItemIx, ItemSet};
use super::path::{Path, Step};
use super::trie::{NodeIx, Trie};

/// So many unfinished ways are looked at for one trace before the rest is left alone.
const MAX_WAYS: usize = 20_000;
/// So many of them may stand at one place with the same coverage: they differ only in how they came there.
const MAX_ALIKE: u32 = 64;

/// Finds the ways through a trace without some of its loops, from the shortest on.
#[derive(Debug)]
pub struct Shortenings<'a> {
    path: &'a Path,
    needed: &'a ItemSet,
    /// The later places with the same state, for each place.
    leaps: Vec<Vec<usize>>,
    /// The fewest steps from each place to the end.
    least: Vec<usize>,
    /// What can still be covered from each place on, of what is needed.
    ahead: Vec<ItemSet>,
    open: BinaryHeap<Reverse<(usize, usize)>>,
    ways: Vec<Option<Way>>,
    alike: BTreeMap<(usize, bool, ItemSet), u32>,
}

/// A way that is not at its end, or that is.
#[derive(Debug)]
struct Way {
    at: usize,
    taken: Vec<usize>,
    covered: ItemSet,
    /// It has just leapt: two leaps in a row are one.
    leapt: bool,
}

impl<'a> Shortenings<'a> {
    /// The ways through a trace that cover what is needed of it.
    pub fn new(path: &'a Path, needed: &'a ItemSet) -> Self {
        let len = path.steps.len();
        let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for at in 0..=len {
            places.entry(path.state(at)).or_default().push(at);
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
        let later = |at: usize| {
            let all = &places[&path.state(at)];
            let end = only.range(at..).next().copied().unwrap_or(len);
            let (from, to) =
                (all.partition_point(|&place| place <= at), all.partition_point(|&place| place <= end));
            all[from..to.max(from)].to_vec()
        };
        let leaps: Vec<Vec<usize>> = (0..=len).map(later).collect();
        let mut least = vec![0; len + 1];
        let mut ahead = vec![ItemSet::default(); len + 1];
        for at in (0..len).rev() {
            let leap = leaps[at].iter().map(|&place| least[place]).min().unwrap_or(usize::MAX);
            least[at] = leap.min(1 + least[at + 1]);
            ahead[at] = ahead[at + 1].clone();
            for &item in path.steps[at].items.iter().filter(|&&item| needed.contains(item)) {
                ahead[at].insert(item);
            }
        }
        let covered = path.launch.iter().copied().filter(|&item| needed.contains(item)).collect();
        let mut found = Self {
            path,
            needed,
            leaps,
            least,
            ahead,
            open: BinaryHeap::new(),
            ways: Vec::new(),
            alike: BTreeMap::new(),
        };
        found.push(Way { at: 0, taken: Vec::new(), covered, leapt: false });
        found
    }

    fn push(&mut self, way: Way) {
        let mut reachable = way.covered.clone();
        reachable.add(&self.ahead[way.at]);
        if !reachable.covers(self.needed) || self.ways.len() >= MAX_WAYS {
            return;
        }
        let alike = self.alike.entry((way.at, way.leapt, way.covered.clone())).or_default();
        *alike += 1;
        if *alike <= MAX_ALIKE {
            // Of equally long ways the newest is the furthest.
            let newest_first = usize::MAX - self.ways.len();
            self.open.push(Reverse((way.taken.len() + self.least[way.at], newest_first)));
            self.ways.push(Some(way));
        }
    }

    /// There were more ways than were looked at.
    pub fn is_cut_short(&self) -> bool {
        self.ways.len() >= MAX_WAYS
    }

    /// The next shortest way that does not begin as a trace that is known not to replay.
    pub fn next(&mut self, trie: &Trie) -> Option<Path> {
        while let Some(Reverse((_, ix))) = self.open.pop() {
            let Some(Way { at, taken, covered, leapt }) = self.ways[usize::MAX - ix].take() else { continue };
            if fails(trie, &taken, &self.path.steps) {
                continue;
            }
            if at == self.path.steps.len() {
                let steps = taken.iter().map(|&step| self.path.steps[step].clone()).collect();
                return Some(self.path.with(steps));
            }
            if !leapt {
                for place in self.leaps[at].clone() {
                    let (taken, covered) = (taken.clone(), covered.clone());
                    self.push(Way { at: place, taken, covered, leapt: true });
                }
            }
            let mut covered = covered;
            for &item in self.path.steps[at].items.iter().filter(|&&item| self.needed.contains(item)) {
                covered.insert(item);
            }
            let taken = taken.into_iter().chain([at]).collect();
            self.push(Way { at: at + 1, taken, covered, leapt: false });
        }
        None
    }
}

fn fails(trie: &Trie, taken: &[usize], steps: &[Step]) -> bool {
    let mut node: NodeIx = Trie::ROOT;
    for &step in taken {
        let (event, to) = steps[step].edge();
        match trie.child(node, event, to) {
            Some(next) if trie.fails(next) => return true,
            Some(next) => node = next,
            None => return false,
        }
    }
    false
}

/// The loops of a trace that cover nothing needed which the rest of it does not, the longest first: for traces that are too
/// long to look at all the ways through them.
pub fn redundant_loops(path: &Path, needed: &ItemSet) -> Vec<Range<usize>> {
    let mut left: BTreeMap<ItemIx, usize> = BTreeMap::new();
    let all = path.launch.iter().chain(path.steps.iter().flat_map(|step| step.items.iter()));
    for &item in all.filter(|&&item| needed.contains(item)) {
        *left.entry(item).or_default() += 1;
    }
    let mut loops = Vec::new();
    for from in 0..path.steps.len() {
        let mut left = left.clone();
        'longer: for to in from + 1..=path.steps.len() {
            for item in path.steps[to - 1].items.iter() {
                if let Some(left) = left.get_mut(item) {
                    *left -= 1;
                    if *left == 0 {
                        break 'longer;
                    }
                }
            }
            if path.state(from) == path.state(to) {
                loops.push(from..to);
            }
        }
    }
    loops.sort_by_key(|range| Reverse(range.len()));
    loops
}
