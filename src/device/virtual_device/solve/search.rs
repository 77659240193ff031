//! The search: layer by layer, all states that need the same number of events, the most probable way to each.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Memory};
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::super::app::FailureIx;
use super::super::state::State;
use super::Watch;
use super::key::Key;
use super::walker::{Landing, Step, Terrain, Walker};

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
    /// There is no further state: what was not met cannot be.
    pub(super) exhausted: bool,
    /// States that were looked at.
    pub(super) states: u64,
}

const NO_PARENT: u32 = u32::MAX;
/// States that one worker expands before it looks at the clock.
const BETWEEN_LOOKS: usize = 64;

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
        met: BTreeMap::new(),
        outcome: Outcome::default(),
        cut: false,
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
    /// The best step so far that meets each failure.
    met: BTreeMap<FailureIx, Node>,
    outcome: Outcome,
    cut: bool,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut walker = Walker::new(self.terrain);
        let (mut found, mut meetings) = (Vec::new(), Vec::new());
        walker.launch(|landing, state| collect(&landing, state, NO_PARENT, 1.0, &mut found, &mut meetings));
        self.note_meetings(&meetings);
        self.next_layer(found);
        for cost in 0.. {
            let in_time = self.wait_in_layer(&mut walker);
            self.cut |= walker.cut;
            self.settle_meetings();
            if !in_time {
                return;
            }
            if !self.cut {
                self.outcome.bound = cost + 1;
                self.limit.watch.events.store(cost + 1, Memory::Relaxed);
            }
            if self.layer.is_empty() {
                self.outcome.exhausted = !self.cut;
                return;
            }
            tracing::debug!(cost, layer = self.layer.len(), states = self.outcome.states, "solved a layer");
            if self.goals.iter().all(|goal| self.outcome.paths.contains_key(goal)) {
                return;
            }
            if cost >= self.limit.events {
                return;
            }
            let (found, meetings, in_time) = self.expand_layer();
            self.note_meetings(&meetings);
            if !in_time {
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
                self.layer_bytes += bytes_of(&candidate.state);
                self.layer.push(candidate.state);
                self.outcome.states += 1;
                self.limit.watch.states.store(self.outcome.states, Memory::Relaxed);
                Some(self.layer.len() - 1)
            }
        }
    }

    /// Follows the free waits, the most probable state first. Whether there was time for all.
    fn wait_in_layer(&mut self, walker: &mut Walker<'_>) -> bool {
        if !self.terrain.slice.timed {
            return true;
        }
        let mut open: BinaryHeap<Waiting> =
            (0..self.layer.len()).map(|position| self.waiting(position)).collect();
        let mut looks = 0;
        while let Some(Waiting { probability, position }) = open.pop() {
            looks += 1;
            if looks % BETWEEN_LOOKS == 0 && self.over(self.layer_bytes) {
                return false;
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
        true
    }

    fn waiting(&self, position: usize) -> Waiting {
        Waiting { probability: self.nodes[self.layer_start + position].probability, position }
    }

    fn over(&self, bytes: usize) -> bool {
        const BYTES_PER_NODE: usize = size_of::<Node>() + (size_of::<(Key, u32)>() + 1) * 2;
        self.limit.watch.stop.load(Memory::Relaxed)
            || self.limit.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.nodes.len() * BYTES_PER_NODE + bytes > self.limit.bytes
    }

    /// All states one event away, worked out by several workers. The answer does not depend on how many.
    /// What was met is told even if time ran out.
    fn expand_layer(&mut self) -> (Vec<Candidate>, Vec<Meeting>, bool) {
        const CHUNK: usize = 256;
        let chunks: Vec<&[State]> = self.layer.chunks(CHUNK).collect();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
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
                handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
            })
        };
        let mut all: Vec<(usize, Expanded)> = Vec::new();
        for (done, cut) in results {
            all.extend(done);
            self.cut |= cut;
        }
        all.sort_by_key(|(number, _)| *number);
        let (mut found, mut meetings) = (Vec::new(), Vec::new());
        for (_, (some_found, some_meetings)) in all {
            found.extend(some_found);
            meetings.extend(some_meetings);
        }
        (found, meetings, !stop.load(Memory::Relaxed))
    }

    fn expand_chunk(
        &self,
        walker: &mut Walker<'_>,
        first: usize,
        states: &[State],
        stop: &AtomicBool,
        bytes: &AtomicUsize,
    ) -> Expanded {
        let (mut found, mut meetings): (Vec<Candidate>, Vec<Meeting>) = (Vec::new(), Vec::new());
        let mut here: FxHashMap<Key, usize> = FxHashMap::default();
        for (offset, state) in states.iter().enumerate() {
            if offset % BETWEEN_LOOKS == 0
                && (stop.load(Memory::Relaxed) || self.over(bytes.load(Memory::Relaxed)))
            {
                stop.store(true, Memory::Relaxed);
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
                        bytes.fetch_add(bytes_of(state), Memory::Relaxed);
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

/// About how much memory a state takes.
fn bytes_of(state: &State) -> usize {
    const VALUE: usize = size_of::<rhai::Dynamic>();
    fn deep(value: &rhai::Dynamic) -> usize {
        if let Ok(items) = value.as_array_ref() {
            items.iter().map(deep).sum::<usize>() + 64
        } else if let Ok(fields) = value.as_map_ref() {
            fields.values().map(deep).sum::<usize>() + 600
        } else {
            VALUE
        }
    }
    let values = state.globals.iter().chain(state.stack.iter().flat_map(|instance| &instance.locals));
    size_of::<State>() + state.stack.len() * 192 + state.pending.len() * 96 + values.map(deep).sum::<usize>()
}
