//! `T_k`: traces made of at most k fragments of other traces (DetReduce 3.2).
//!
//! A fragment is a contiguous part of a trace; two can be joined where one ends in the state that the other begins in.
//! The paper enumerates all of `T_k`. Here only the candidates with the greatest gain are looked for, by depth-first search
//! with a bound on what can still be gained: those that are not found gain no more than the least of those that are, and
//! since a gain never grows while the suite does, the list serves until its best falls below that.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use super::coverage::ItemSet;
use super::path::{Path, Step};
use super::trie::{NodeIx, Trie};
use crate::abstraction::StateKey;

/// So many of the best candidates are kept from one search.
const KEPT: usize = 256;
/// So many steps are made in one search; then what was found must do.
const MAX_STEPS: usize = 2_000_000;
/// So many places are looked at until it is asked again whether it is over.
const ASKED_EVERY: usize = 1_024;

/// The best candidates of `T_k`, and what the others gain at the most.
#[derive(Debug, Default)]
pub struct Found {
    /// The candidates, the best last.
    pub candidates: Vec<Path>,
    /// No candidate that is not among them gains more.
    pub others: usize,
}

/// Looks for the candidates that gain the most; if it is over before, what was found is told.
pub fn search(
    traces: &[Path],
    covered: &ItemSet,
    fragments: usize,
    trie: &Trie,
    over: &mut dyn FnMut() -> bool,
) -> Found {
    let Some(first) = traces.first() else { return Found::default() };
    let mut search = Search::new(traces, covered, fragments, trie, over);
    search.since.push(first.start);
    for place in search.places_of(first.start).iter().copied().filter(|place| place.at == 0) {
        search.follow(place, fragments - 1);
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
    places: BTreeMap<StateKey, Arc<[Place]>>,
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
    looked_at: usize,
    over: &'a mut dyn FnMut() -> bool,
    is_over: bool,
}

/// A step that was made, and what is still to be tried behind it.
struct Made {
    place: Place,
    switches: usize,
    node: Option<NodeIx>,
    /// What it gained.
    new: Vec<u32>,
    /// The states since the last gain before it, if it gained something.
    saved: Vec<StateKey>,
    /// Going on in the same trace was tried.
    went_on: bool,
    /// The places in other traces, and how many of them were tried.
    others: Arc<[Place]>,
    tried: usize,
}

impl<'a> Search<'a> {
    fn new(
        traces: &'a [Path],
        covered: &ItemSet,
        fragments: usize,
        trie: &'a Trie,
        over: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        let new = |step: &Step| step.items.iter().copied().filter(|&item| !covered.contains(item)).collect();
        let gains: Vec<Vec<Vec<u32>>> =
            traces.iter().map(|path| path.steps.iter().map(new).collect()).collect();
        let mut places: BTreeMap<StateKey, Vec<Place>> = BTreeMap::new();
        let mut seen: BTreeMap<StateKey, Vec<&[Step]>> = BTreeMap::new();
        let mut is_over = false;
        for (path, trace) in traces.iter().enumerate() {
            for at in 0..trace.steps.len() {
                is_over = is_over || over();
                if is_over {
                    break;
                }
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
        // Where the most can be gained is looked first, so that the bound bites early.
        let last = &bound[fragments - 1];
        let sorted = |(state, mut places): (StateKey, Vec<Place>)| {
            places.sort_by_key(|place| (Reverse(last[place.path][place.at]), *place));
            (state, Arc::from(places))
        };
        let places = places.into_iter().map(sorted).collect();
        Self {
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
            looked_at: 0,
            over,
            is_over,
        }
    }

    fn places_of(&self, state: StateKey) -> Arc<[Place]> {
        self.places.get(&state).cloned().unwrap_or_default()
    }

    /// A candidate must gain at least so much to be kept.
    fn least(&self) -> usize {
        if self.best.len() < KEPT { 1 } else { self.best.peek().map_or(1, |least| least.0.0 + 1) }
    }

    /// Makes the step at a place and everything that can come after it. A trace may be longer than a stack is deep.
    fn follow(&mut self, place: Place, switches: usize) {
        let mut made: Vec<Made> = Vec::new();
        made.extend(self.make(place, switches, Trie::ROOT.into()));
        while let Some(last) = made.last_mut() {
            let after = Place { at: last.place.at + 1, ..last.place };
            let (node, switches) = (last.node, last.switches);
            let next = if !last.went_on && after.at < self.traces[after.path].steps.len() {
                last.went_on = true;
                Some((after, switches))
            } else if let (Some(fewer), Some(&other)) = (switches.checked_sub(1), last.others.get(last.tried))
            {
                last.tried += 1;
                Some((other, fewer)).filter(|_| other != after)
            } else {
                if let Some(last) = made.pop() {
                    self.undo(last);
                }
                continue;
            };
            let next = next.and_then(|(place, switches)| self.make(place, switches, node));
            made.extend(next);
        }
    }

    /// Makes a step, if something can be gained by it.
    fn make(&mut self, place: Place, switches: usize, node: Option<NodeIx>) -> Option<Made> {
        self.looked_at += 1;
        self.is_over = self.is_over || self.looked_at.is_multiple_of(ASKED_EVERY) && (self.over)();
        let most = self.gain + self.bound[switches][place.path][place.at];
        if self.is_over || most < self.least() || self.made >= MAX_STEPS {
            return None;
        }
        let step = &self.traces[place.path].steps[place.at];
        let node = node.and_then(|node| self.trie.child(node, step.event, step.to));
        if node.is_some_and(|node| self.trie.fails(node)) {
            return None;
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
            return None;
        }
        let saved = if new.is_empty() { Vec::new() } else { std::mem::take(&mut self.since) };
        self.gain += new.len();
        self.since.push(step.to);
        self.steps.push(place);
        if !new.is_empty() {
            self.keep();
        }
        let others = if switches > 0 { self.places_of(step.to) } else { Arc::default() };
        Some(Made { place, switches, node, new, saved, went_on: false, others, tried: 0 })
    }

    fn undo(&mut self, made: Made) {
        self.steps.pop();
        self.since.pop();
        if !made.new.is_empty() {
            self.since = made.saved;
        }
        self.gain -= made.new.len();
        for item in made.new {
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
