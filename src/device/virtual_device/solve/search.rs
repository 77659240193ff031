//! The search: layer by layer, all states that need the same number of events, the most probable way to each.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::super::app::FailureIx;
use super::super::state::State;
use super::key::Key;
use super::walker::{Landing, Step, Terrain, Walker};
use super::weight::{Weight, weight};
use super::{Gap, Watch};

/// When a search gives up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit<'a> {
    pub(super) watch: &'a Watch,
    /// `None` is later than any clock tells.
    pub(super) deadline: Option<Instant>,
    pub(super) bytes: usize,
    pub(super) events: u32,
    pub(super) workers: usize,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The shortest path to each failure that was met.
    pub(super) paths: BTreeMap<FailureIx, Vec<Step>>,
    /// How many states had been looked at when each of them was met.
    pub(super) seen: BTreeMap<FailureIx, u64>,
    /// A failure that was not met needs at least this many events.
    pub(super) bound: u32,
    /// Why the bound is not higher. `None`: there is no further state, and what was not met cannot be.
    pub(super) gap: Option<Gap>,
    /// States that were looked at.
    pub(super) states: u64,
}

const NO_PARENT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    step: Step,
    probability: f64,
}

/// A state that a step led to.
#[derive(Debug)]
struct Candidate {
    key: Key,
    node: Node,
    state: State,
}

/// A step that met a failure.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    failure: FailureIx,
    node: Node,
}

/// What some states lead to: further states, and failures.
type Expanded = (Vec<Candidate>, Vec<Meeting>);

/// Searches for the shortest way to each of the goals.
pub(super) fn search<'a>(terrain: Terrain<'a>, goals: &'a [FailureIx], limit: Limit<'a>) -> Outcome {
    let mut search = Search {
        terrain,
        limit,
        goals,
        nodes: Vec::new(),
        known: FxHashMap::default(),
        layer: Vec::new(),
        layer_start: 0,
        layer_bytes: 0,
        layer_texts: Weight::default(),
        met: BTreeMap::new(),
        outcome: Outcome::default(),
        cut: None,
    };
    search.run();
    search.outcome
}

struct Search<'a> {
    terrain: Terrain<'a>,
    limit: Limit<'a>,
    goals: &'a [FailureIx],
    nodes: Vec<Node>,
    known: FxHashMap<Key, u32>,
    /// The states of this layer; the first is that of node `layer_start`.
    layer: Vec<State>,
    layer_start: usize,
    layer_bytes: usize,
    layer_texts: Weight,
    /// The best step so far that meets each failure.
    met: BTreeMap<FailureIx, Node>,
    outcome: Outcome,
    /// Why not everything was looked at.
    cut: Option<Gap>,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut walker = Walker::new(self.terrain);
        let (mut found, mut meetings) = (Vec::new(), Vec::new());
        walker.launch(|landing, state| collect(&landing, state, NO_PARENT, 1.0, &mut found, &mut meetings));
        self.note_meetings(&meetings);
        self.next_layer(found);
        for cost in 0.. {
            let ended = self.wait_in_layer(&mut walker);
            self.cut = self.cut.or(walker.cut);
            self.outcome.gap = self.cut.or(ended).or(Some(Gap::Events));
            self.settle_meetings();
            if ended.is_some() {
                return;
            }
            if self.cut.is_none() {
                self.outcome.bound = cost + 1;
                self.limit.watch.events.store(cost + 1, Memory::Relaxed);
            }
            if self.layer.is_empty() {
                self.outcome.gap = self.cut;
                return;
            }
            tracing::debug!(cost, layer = self.layer.len(), states = self.outcome.states, "solved a layer");
            if self.goals.iter().all(|goal| self.outcome.paths.contains_key(goal)) {
                return;
            }
            if cost >= self.limit.events {
                return;
            }
            let (found, meetings, ended) = self.expand_layer();
            self.note_meetings(&meetings);
            if ended.is_some() {
                self.outcome.gap = self.cut.or(ended);
                self.settle_meetings();
                return;
            }
            self.next_layer(found);
        }
    }

    fn note_meetings(&mut self, meetings: &[Meeting]) {
        for meeting in meetings {
            if self.outcome.paths.contains_key(&meeting.failure) {
                continue;
            }
            let better = self
                .met
                .get(&meeting.failure)
                .is_none_or(|known| meeting.node.probability > known.probability);
            if better {
                self.met.insert(meeting.failure, meeting.node);
            }
        }
    }

    /// All ways with this many events are known: the best of them are final.
    fn settle_meetings(&mut self) {
        for (failure, node) in std::mem::take(&mut self.met) {
            let mut path = vec![node.step];
            let mut at = node.parent;
            while at != NO_PARENT {
                let node = self.nodes[at as usize];
                path.push(node.step);
                at = node.parent;
            }
            path.reverse();
            self.outcome.paths.insert(failure, path);
            self.outcome.seen.insert(failure, self.outcome.states);
        }
    }

    fn next_layer(&mut self, found: Vec<Candidate>) {
        self.layer.clear();
        self.layer_texts.clear();
        self.layer_bytes = 0;
        self.layer_start = self.nodes.len();
        for candidate in found {
            self.admit(candidate);
        }
    }

    /// Adds a state to the layer, unless it is known. The position in the layer, if it is new or now more probable.
    fn admit(&mut self, candidate: Candidate) -> Option<usize> {
        match self.known.get(&candidate.key) {
            Some(&known) if (known as usize) < self.layer_start => None,
            Some(&known) => {
                let node = &mut self.nodes[known as usize];
                if candidate.node.probability <= node.probability {
                    return None;
                }
                *node = candidate.node;
                let position = known as usize - self.layer_start;
                self.layer[position] = candidate.state;
                Some(position)
            }
            None => {
                self.known.insert(candidate.key, self.nodes.len() as u32);
                self.nodes.push(candidate.node);
                self.layer_bytes += weight(&candidate.state, &mut self.layer_texts);
                self.layer.push(candidate.state);
                self.outcome.states += 1;
                self.limit.watch.states.store(self.outcome.states, Memory::Relaxed);
                Some(self.layer.len() - 1)
            }
        }
    }

    /// Follows the free waits, the most probable state first. What ended it before all were followed, if something did.
    fn wait_in_layer(&mut self, walker: &mut Walker<'_>) -> Option<Gap> {
        if !self.terrain.slice.timed {
            return None;
        }
        let mut open: BinaryHeap<Waiting> =
            (0..self.layer.len()).map(|position| self.waiting(position)).collect();
        while let Some(Waiting { probability, position }) = open.pop() {
            let over = self.over(self.layer_bytes);
            if over.is_some() {
                return over;
            }
            let id = self.layer_start + position;
            if self.nodes[id].probability > probability {
                continue;
            }
            let (mut found, mut meetings) = (Vec::new(), Vec::new());
            walker.wait(&self.layer[position], |landing, state| {
                collect(&landing, state, id as u32, probability, &mut found, &mut meetings);
            });
            self.note_meetings(&meetings);
            for candidate in found {
                if let Some(position) = self.admit(candidate) {
                    open.push(self.waiting(position));
                }
            }
        }
        None
    }

    fn waiting(&self, position: usize) -> Waiting {
        Waiting { probability: self.nodes[self.layer_start + position].probability, position }
    }

    /// Which limit is reached.
    fn over(&self, bytes: usize) -> Option<Gap> {
        // A vector and a table that grow have room for twice as much as is in them.
        const BYTES_PER_NODE: usize = (size_of::<Node>() + size_of::<(Key, u32)>() + 1) * 2;
        if self.limit.watch.stop.load(Memory::Relaxed) {
            Some(Gap::Stopped)
        } else if self.nodes.len() * BYTES_PER_NODE + bytes > self.limit.bytes {
            Some(Gap::Memory)
        } else {
            self.limit.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Gap::Time)
        }
    }

    /// All states one event away, worked out by several workers. The answer does not depend on how many.
    /// What was met is told even if time ran out.
    fn expand_layer(&mut self) -> (Vec<Candidate>, Vec<Meeting>, Option<Gap>) {
        const CHUNK: usize = 256;
        let chunks: Vec<&[State]> = self.layer.chunks(CHUNK).collect();
        let next = AtomicUsize::new(0);
        let stop = OnceLock::new();
        let bytes = AtomicUsize::new(self.layer_bytes);
        let this = &*self;
        let work = || {
            let mut walker = Walker::new(this.terrain);
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Memory::Relaxed);
                let Some(chunk) = chunks.get(number) else { break };
                done.push((number, this.expand_chunk(&mut walker, number * CHUNK, chunk, &stop, &bytes)));
            }
            (done, walker.cut)
        };
        let workers = self.limit.workers.clamp(1, chunks.len().max(1));
        let results: Vec<_> = if workers == 1 {
            vec![work()]
        } else {
            std::thread::scope(|scope| {
                let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                handles.into_iter().map(|handle| whole(handle.join())).collect()
            })
        };
        let mut all: Vec<(usize, Expanded)> = Vec::new();
        for (done, cut) in results {
            all.extend(done);
            self.cut = self.cut.or(cut);
        }
        all.sort_by_key(|(number, _)| *number);
        let (mut found, mut meetings) = (Vec::new(), Vec::new());
        for (_, (some_found, some_meetings)) in all {
            found.extend(some_found);
            meetings.extend(some_meetings);
        }
        (found, meetings, stop.into_inner())
    }

    fn expand_chunk(
        &self,
        walker: &mut Walker<'_>,
        first: usize,
        states: &[State],
        stop: &OnceLock<Gap>,
        bytes: &AtomicUsize,
    ) -> Expanded {
        let (mut found, mut meetings): (Vec<Candidate>, Vec<Meeting>) = (Vec::new(), Vec::new());
        let mut here: FxHashMap<Key, usize> = FxHashMap::default();
        let mut texts = Weight::default();
        for (offset, state) in states.iter().enumerate() {
            if let Some(gap) = self.over(bytes.load(Memory::Relaxed)) {
                // Another worker may have told first.
                let _ = stop.set(gap);
            }
            if stop.get().is_some() {
                break;
            }
            let id = self.layer_start + first + offset;
            let probability = self.nodes[id].probability;
            walker.expand(state, |landing, state| {
                let node = Node {
                    parent: id as u32,
                    step: landing.step,
                    probability: probability * landing.probability,
                };
                meetings.extend(landing.failures.iter().map(|&failure| Meeting { failure, node }));
                if self.known.contains_key(&landing.key) {
                    return;
                }
                match here.get(&landing.key) {
                    Some(&position) if found[position].node.probability >= node.probability => {}
                    Some(&position) => {
                        found[position] = Candidate { key: landing.key, node, state: state.clone() };
                    }
                    None => {
                        here.insert(landing.key, found.len());
                        let kept = size_of::<(Key, usize)>() * 2 + size_of::<Candidate>();
                        bytes.fetch_add(kept + weight(state, &mut texts), Memory::Relaxed);
                        found.push(Candidate { key: landing.key, node, state: state.clone() });
                    }
                }
            });
        }
        (found, meetings)
    }
}

fn collect(
    landing: &Landing,
    state: &State,
    parent: u32,
    probability: f64,
    found: &mut Vec<Candidate>,
    meetings: &mut Vec<Meeting>,
) {
    let node = Node { parent, step: landing.step, probability: probability * landing.probability };
    meetings.extend(landing.failures.iter().map(|&failure| Meeting { failure, node }));
    found.push(Candidate { key: landing.key, node, state: state.clone() });
}

/// A state whose free wait is still to be followed: the most probable first, among equals the oldest.
#[derive(Debug)]
struct Waiting {
    probability: f64,
    position: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.probability.total_cmp(&other.probability).then(other.position.cmp(&self.position))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// What a worker brings. What a worker that panicked would have brought is unknown, so that nothing can be told any more.
fn whole<T>(joined: std::thread::Result<T>) -> T {
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a worker is lost")]
    fn a_worker_that_panics_is_not_forgotten() {
        let joined = std::thread::spawn(|| panic!("a worker is lost")).join();
        let () = whole(joined);
    }
}
