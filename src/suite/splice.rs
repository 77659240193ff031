//! `T_k`: traces made of at most k fragments of other traces (DetReduce 3.2).
//!
//! A fragment is a contiguous part of a trace; two can be joined where one ends in the state that the other begins in.
//! The paper enumerates all of `T_k`. Here only the candidates with the greatest gain are looked for, by depth-first search
//! with a bound on what can still be gained: those that are not found gain no more than the least of those that are, and
//! since a gain never grows while the suite does, the list serves until its best falls below that.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::coverage::ItemSet;
use super::path::{Path, Step};
use super::trie::{NodeIx, Trie};
use crate::abstraction::StateKey;

/// So many of the best candidates are kept from one search.
const KEPT: usize = 256;
/// So many steps are made in one search; then what was found must do.
const MAX_STEPS: usize = 2_000_000;

/// The best candidates of `T_k`, and what the others gain at the most.
#[derive(Debug, Default)]
pub struct Found {
    /// The candidates, the best last.
    pub candidates: Vec<Path>,
    /// No candidate that is not among them gains more.
    pub others: usize,
}

/// Looks for the candidates that gain the most.
pub fn search(traces: &[Path], covered: &ItemSet, fragments: usize, trie: &Trie) -> Found {
    let Some(first) = traces.first() else { return Found::default() };
    let mut search = Search::new(traces, covered, fragments, trie);
    search.since.push(first.start);
    let starts: Vec<Place> = search.places.get(&first.start).cloned().unwrap_or_default();
    for place in starts.into_iter().filter(|place| place.at == 0) {
        search.follow(place, fragments - 1, Trie::ROOT.into());
    }
    let others = if search.best.len() < KEPT { 0 } else { search.best.peek().map_or(0, |least| least.0.0) };
    let mut best = search.best.into_vec();
    best.sort_unstable_by(|one, other| other.cmp(one));
    let path = |steps: &[Place]| {
        first.with(steps.iter().map(|place| traces[place.path].steps[place.at].clone()).collect())
    };
    Found { candidates: best.iter().map(|Reverse((_, _, steps))| path(steps)).collect(), others }
}

/// The place before a step of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    path: usize,
    at: usize,
}

/// Gain, length and steps: more gain is better, then fewer steps.
type Candidate = (usize, Reverse<usize>, Vec<Place>);

struct Search<'a> {
    traces: &'a [Path],
    trie: &'a Trie,
    /// Where each state stands before a step; of places with the same steps to come, one.
    places: BTreeMap<StateKey, Vec<Place>>,
    /// What each step gains over the suite, by trace and place.
    gains: Vec<Vec<Vec<u32>>>,
    /// At most so much is gained from a place on, by switches left, trace and place.
    bound: Vec<Vec<Vec<usize>>>,
    steps: Vec<Place>,
    gained: ItemSet,
    gain: usize,
    /// The states since the last gain: coming back to one of them is a loop for nothing.
    since: Vec<StateKey>,
    /// The least of the best on top.
    best: BinaryHeap<Reverse<Candidate>>,
    made: usize,
}

impl<'a> Search<'a> {
    fn new(traces: &'a [Path], covered: &ItemSet, fragments: usize, trie: &'a Trie) -> Self {
        let new = |step: &Step| step.items.iter().copied().filter(|&item| !covered.contains(item)).collect();
        let gains: Vec<Vec<Vec<u32>>> =
            traces.iter().map(|path| path.steps.iter().map(new).collect()).collect();
        let mut places: BTreeMap<StateKey, Vec<Place>> = BTreeMap::new();
        let mut seen: BTreeMap<StateKey, Vec<&[Step]>> = BTreeMap::new();
        for (path, trace) in traces.iter().enumerate() {
            for at in 0..trace.steps.len() {
                let (state, rest) = (trace.state(at), &trace.steps[at..]);
                let known = seen.entry(state).or_default();
                let same = |other: &&[Step]| {
                    other.len() >= rest.len()
                        && other.iter().map(Step::edge).zip(rest).all(|(o, r)| o == r.edge())
                };
                if at == 0 || !known.iter().any(same) {
                    known.push(rest);
                    places.entry(state).or_default().push(Place { path, at });
                }
            }
        }
        let mut bound: Vec<Vec<Vec<usize>>> = Vec::with_capacity(fragments);
        for switches in 0..fragments {
            let mut elsewhere: BTreeMap<StateKey, usize> = BTreeMap::new();
            if let Some(fewer) = switches.checked_sub(1).map(|fewer| &bound[fewer]) {
                for (&state, places) in &places {
                    let most = places.iter().map(|place| fewer[place.path][place.at]).max();
                    elsewhere.insert(state, most.unwrap_or_default());
                }
            }
            let of_trace = |(path, trace): (usize, &Path)| {
                let mut most = vec![0; trace.steps.len() + 1];
                for at in (0..=trace.steps.len()).rev() {
                    let on = gains[path].get(at).map_or(0, |gain: &Vec<u32>| gain.len() + most[at + 1]);
                    most[at] = on.max(elsewhere.get(&trace.state(at)).copied().unwrap_or_default());
                }
                most
            };
            bound.push(traces.iter().enumerate().map(of_trace).collect());
        }
        let mut search = Self {
            traces,
            trie,
            places,
            gains,
            bound,
            steps: Vec::new(),
            gained: ItemSet::default(),
            gain: 0,
            since: Vec::new(),
            best: BinaryHeap::new(),
            made: 0,
        };
        // Where the most can be gained is looked first, so that the bound bites early.
        let last = &search.bound[fragments - 1];
        for places in search.places.values_mut() {
            places.sort_by_key(|place| (Reverse(last[place.path][place.at]), *place));
        }
        search
    }

    /// A candidate must gain at least so much to be kept.
    fn least(&self) -> usize {
        if self.best.len() < KEPT { 1 } else { self.best.peek().map_or(1, |least| least.0.0 + 1) }
    }

    /// Makes the step at a place and everything that can come after it.
    fn follow(&mut self, place: Place, switches: usize, node: Option<NodeIx>) {
        if self.gain + self.bound[switches][place.path][place.at] < self.least() || self.made >= MAX_STEPS {
            return;
        }
        let step = &self.traces[place.path].steps[place.at];
        let node = node.and_then(|node| self.trie.child(node, step.event, step.to));
        if node.is_some_and(|node| self.trie.fails(node)) {
            return;
        }
        self.made += 1;
        let new: Vec<u32> = self.gains[place.path][place.at]
            .iter()
            .copied()
            .filter(|&item| self.gained.insert(item))
            .collect();
        if new.is_empty()
            && (self.since.contains(&step.to) || self.traces[place.path].state(place.at) == step.to)
        {
            return;
        }
        let before = (self.gain, self.since.len());
        let saved = if new.is_empty() { Vec::new() } else { std::mem::take(&mut self.since) };
        self.gain += new.len();
        self.since.push(step.to);
        self.steps.push(place);
        if !new.is_empty() {
            self.keep();
        }
        let after = Place { at: place.at + 1, ..place };
        if after.at < self.traces[place.path].steps.len() {
            self.follow(after, switches, node);
        }
        if let Some(fewer) = switches.checked_sub(1) {
            for other in self.places.get(&step.to).cloned().unwrap_or_default() {
                if other != after {
                    self.follow(other, fewer, node);
                }
            }
        }
        self.steps.pop();
        self.since.pop();
        if !new.is_empty() {
            self.since = saved;
        }
        debug_assert_eq!(self.since.len(), before.1);
        self.gain = before.0;
        for item in new {
            self.gained.remove(item);
        }
    }

    fn keep(&mut self) {
        if self.gain < self.least() {
            return;
        }
        self.best.push(Reverse((self.gain, Reverse(self.steps.len()), self.steps.clone())));
        if self.best.len() > KEPT {
            self.best.pop();
        }
    }
}
