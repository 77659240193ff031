//! A small set of replayable traces that keeps the coverage of a large one: Choi, Necula, Sen and Wang, "DetReduce:
//! Minimizing Android GUI test suites for regression testing", ICSE 2018.
//!
//! Like the shrinkers this does no IO: an [`Executor`] runs traces. It assumes that a trace whose states were the same in a
//! number of executions stays that way. Phase 0 cuts each trace to its longest replayable prefix, phase 1 leaves out
//! redundant traces and then loops, phase 2 joins fragments of different traces and changes what comes of it as long as that
//! saves something. A check stops at the first execution that goes another way, so that only what is kept pays for all of
//! them.
//!
//! Beyond the paper: what no longer replays is never tried again in any phase ([`trie`]); a failure of the app is part of the
//! coverage; what a trace covers is what all its executions covered; ends that cover nothing go with the loops; a suite that
//! joining makes no cheaper is gone on with as it was; and then it is made cheaper by what a change saves ([`tighten`]).

mod cover;
pub mod coverage;
pub mod loops;
mod moves;
pub mod path;
mod shortest;
pub mod splice;
mod tighten;
pub mod trie;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::coverage::{Item, ItemIx, ItemSet, Items};
use self::path::{Path, Step};
use self::trie::Trie;
use crate::abstraction::StateKey;
use crate::oracle::Signature;

/// The number of an event in the caller's list; equal events have equal numbers.
pub type EventIx = u32;

/// Runs traces.
pub trait Executor {
    /// Runs events from a clean start as long as they lead to the expected states: the first is that of the launch, and
    /// each event has one more. The answer begins with the launch and ends early with the first state that was another
    /// one, or where an event could not be done.
    fn run(&mut self, events: &[EventIx], expected: &[StateKey]) -> Result<Vec<Did>, Stopped>;

    /// It shall end: asked by searches that run nothing for a while.
    fn is_over(&self) -> bool {
        false
    }
}

/// What the launch or one event did.
#[derive(Clone, Debug, PartialEq)]
pub struct Did {
    /// The state it led to.
    pub state: StateKey,
    /// What was seen there: of two equal states, the screens with equal numbers are the same in every detail.
    pub screen: u64,
    /// What it covered, the state not among it.
    pub items: Vec<Item>,
}

/// No more traces can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody wants it to end, or the budget is used up; what is there is kept.
    Ended,
    /// The device was lost.
    Lost(String),
}

/// A trace as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The events.
    pub events: Vec<EventIx>,
    /// The state of the launch, then one for each event.
    pub states: Vec<StateKey>,
    /// What was covered, as far as the record tells.
    pub items: Vec<Item>,
    /// It began with the data of what came before it: everything since the last clean start, this trace in it. It is
    /// tried if the trace alone does not replay as a whole, or does not fail as it did.
    pub whole: Option<Arc<Recorded>>,
}

/// How to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// So many executions must visit the same states.
    pub repeats: u32,
    /// k: a trace is made of so many fragments at the most; 1 leaves joining out.
    pub fragments: usize,
    /// So many shorter versions of one trace are tried.
    pub tries: u32,
}

impl Default for Config {
    /// The paper's numbers; it has no limit on tries.
    fn default() -> Self {
        Self { repeats: 10, fragments: 3, tries: 100 }
    }
}

/// What a reduction took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Executions of traces.
    pub executions: u64,
    /// Events done in them.
    pub events: u64,
    /// Candidates that replayed as often as they must.
    pub kept: u64,
    /// Candidates that did not replay, or did not cover what they should.
    pub rejected: u64,
    /// Those of them that failed in their first execution.
    pub rejected_at_once: u64,
    /// Candidates that were dropped without a run, because their beginning is known not to replay.
    pub pruned: u64,
    /// Candidates that needed no run, because they are the beginning of a trace that replays.
    pub known: u64,
}

/// One row of the table: a suite after a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What was done.
    pub name: &'static str,
    /// Branches covered.
    pub branches: usize,
    /// Abstract states reached.
    pub screens: usize,
    /// Failures shown.
    pub failures: usize,
    /// Transitions.
    pub actions: usize,
    /// Traces, each of which needs a clean restart.
    pub traces: usize,
    /// What it took so far.
    pub counts: Counts,
}

/// What phase 0 could not keep.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Loss {
    /// Traces of which nothing replays.
    pub traces: usize,
    /// Traces that were cut.
    pub cut: usize,
    /// Events in both.
    pub events: usize,
    /// Branches, states and actions that the record has and no trace that replays.
    pub items: usize,
    /// Failures that the record has and no trace that replays.
    pub failures: BTreeSet<Signature>,
}

impl Loss {
    fn add(&mut self, other: &Self) {
        self.traces += other.traces;
        self.cut += other.cut;
        self.events += other.events;
    }
}

/// The outcome.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The suite.
    pub suite: Vec<Path>,
    /// The traces as far as they replay, before anything was left out.
    pub replayable: Vec<Path>,
    /// The suite before joining.
    pub without_splicing: Vec<Path>,
    /// The table.
    pub phases: Vec<Phase>,
    /// What was lost at the start.
    pub loss: Loss,
    /// All items, by number.
    pub items: Items,
    /// What it took.
    pub counts: Counts,
    /// Why it ended before it was through.
    pub stopped: Option<Stopped>,
}

/// Reduces recorded traces to a suite. `progress` hears after each candidate in which phase it was.
pub fn reduce(
    executor: &mut dyn Executor,
    recorded: &[Recorded],
    config: &Config,
    progress: &mut dyn FnMut(&'static str, Counts),
) -> Reduction {
    let mut reducer = Reducer {
        executor,
        config: *config,
        trie: Trie::default(),
        kept: Vec::new(),
        items: Items::default(),
        counts: Counts::default(),
        progress,
        phase: PREFIXES,
        stopped: None,
    };
    reducer.reduce(recorded)
}

const RECORDED: &str = "recorded";
const PREFIXES: &str = "replayable";
const TRACES: &str = "no redundant traces";
const LOOPS: &str = "no redundant loops";
const SPLICED: &str = "spliced";

struct Reducer<'a> {
    executor: &'a mut dyn Executor,
    config: Config,
    trie: Trie,
    /// Every trace that replayed.
    kept: Vec<Path>,
    items: Items,
    counts: Counts,
    progress: &'a mut dyn FnMut(&'static str, Counts),
    phase: &'static str,
    stopped: Option<Stopped>,
}

/// What a check of a candidate said.
enum Checked {
    /// It replays.
    Replays(Path),
    /// So many steps went as they should; without a number not even the launch did.
    Fails(Option<usize>),
    /// It goes as it should, but does not cover what it was made for.
    Lacks,
}

/// Whether what a candidate covers is enough.
type Enough<'a> = &'a dyn Fn(&ItemSet) -> bool;

impl Reducer<'_> {
    fn reduce(&mut self, recorded: &[Recorded]) -> Reduction {
        let mut known = ItemSet::default();
        for trace in recorded {
            for item in trace.items.iter().cloned().chain(trace.states.iter().copied().map(Item::Screen)) {
                known.insert(self.items.number(item));
            }
        }
        let actions = recorded.iter().map(|trace| trace.events.len()).sum();
        let mut phases = vec![self.row(RECORDED, &known, (actions, recorded.len()))];
        let (replayable, mut loss) = self.prefixes(recorded);
        phases.push(self.phase_row(PREFIXES, &replayable));
        let missing = known.without(&path::coverage(&replayable));
        for item in missing.iter().filter_map(|item| self.items.get(item)) {
            match item {
                Item::Failure(signature) => _ = loss.failures.insert(signature.clone()),
                _ => loss.items += 1,
            }
        }
        let mut suite = without_redundant_traces(&replayable);
        phases.push(self.phase_row(TRACES, &suite));
        self.phase = LOOPS;
        suite = self.without_loops(suite);
        phases.push(self.phase_row(LOOPS, &suite));
        let without_splicing = suite.clone();
        if self.config.fragments > 1 {
            self.phase = SPLICED;
            suite = self.spliced(suite);
            phases.push(self.phase_row(SPLICED, &suite));
        }
        let (items, stopped) = (std::mem::take(&mut self.items), self.stopped.take());
        Reduction { suite, replayable, without_splicing, phases, loss, items, counts: self.counts, stopped }
    }

    /// Phase 0: the longest prefix of each trace that replays.
    fn prefixes(&mut self, recorded: &[Recorded]) -> (Vec<Path>, Loss) {
        let mut loss = Loss::default();
        let mut kept = Vec::new();
        let mut wholes: Vec<(Arc<Recorded>, Loss)> = Vec::new();
        for trace in recorded {
            // What is not tried any more is lost, too.
            let path = self.longest_prefix(trace).unwrap_or_default();
            let len = path.as_ref().map_or(0, |path| path.steps.len());
            let mut own = Loss { events: trace.events.len() - len, ..Loss::default() };
            own.cut = usize::from(len > 0 && own.events > 0);
            own.traces = usize::from(path.is_none());
            let covered = path.as_ref().map(Path::coverage).unwrap_or_default();
            let mut failures = trace.items.iter().filter(|item| matches!(item, Item::Failure(_)));
            let as_recorded = own == Loss::default()
                && failures.all(|failure| covered.contains(self.items.number(failure.clone())));
            kept.extend(path);
            match &trace.whole {
                Some(whole) if !as_recorded => match wholes.last_mut() {
                    Some((last, sum)) if Arc::ptr_eq(last, whole) => sum.add(&own),
                    _ => wholes.push((Arc::clone(whole), own)),
                },
                _ => loss.add(&own),
            }
        }
        let mut covered = path::coverage(&kept);
        for (whole, alone) in wholes {
            let path = self.longest_prefix(&whole).unwrap_or_default();
            if path.as_ref().is_none_or(|path| path.steps.len() < whole.events.len()) {
                loss.add(&alone);
            }
            if let Some(mut path) = path {
                // Only as far as it covers what the traces alone do not.
                let new = |step: &Step| step.items.iter().any(|&item| !covered.contains(item));
                let end = path.steps.iter().rposition(new).map_or(0, |last| last + 1);
                path.steps.truncate(end);
                covered.add(&path.coverage());
                kept.extend((end > 0).then_some(path));
            }
        }
        (kept, loss)
    }

    fn longest_prefix(&mut self, trace: &Recorded) -> Result<Option<Path>, ()> {
        let mut len = trace.events.len();
        // A trace without events shows what the launch does; one of whose events none replays shows nothing.
        while len > 0 || trace.events.is_empty() {
            if self.is_over() {
                return Err(());
            }
            match self.check(&trace.events[..len], &trace.states[..=len], &|_| true)? {
                Checked::Replays(path) => return Ok(Some(path)),
                Checked::Fails(good) if len > 0 => len = good.unwrap_or(0),
                Checked::Fails(_) | Checked::Lacks => break,
            }
        }
        Ok(None)
    }

    /// Phase 1, part 2: the shortest version of each trace that keeps what the traces before it do not cover
    /// (Algorithm 1, lines 6 to 18).
    fn without_loops(&mut self, traces: Vec<Path>) -> Vec<Path> {
        let mut covered = ItemSet::default();
        let mut kept: Vec<Path> = Vec::new();
        for mut path in traces {
            let needed = path.coverage().without(&covered);
            if needed.is_empty() {
                continue;
            }
            // An end that covers nothing more is no loop, but goes, too: the rest is known to replay.
            path.steps.truncate(cover::shortest_beginning(&path, &needed));
            let path = if self.is_over() { path } else { self.shortest(&path, &needed) };
            covered.add(&path.coverage());
            kept.push(path);
        }
        kept
    }

    /// It shall end: the device said so, or somebody does.
    fn is_over(&mut self) -> bool {
        if self.stopped.is_none() && self.executor.is_over() {
            self.stopped = Some(Stopped::Ended);
        }
        self.stopped.is_some()
    }

    /// Phase 2: greedily the trace of at most k fragments that gains the most (Algorithm 2).
    fn spliced(&mut self, traces: Vec<Path>) -> Vec<Path> {
        let all = path::coverage(&traces);
        let mut covered = ItemSet::default();
        let mut suite: Vec<Path> = Vec::new();
        let mut refused: BTreeSet<Vec<(EventIx, StateKey)>> = BTreeSet::new();
        let gain = |path: &Path, covered: &ItemSet| path.coverage().without(covered).len();
        'suite: while !covered.covers(&all) {
            if self.is_over() {
                break;
            }
            let over = &mut || self.executor.is_over();
            let mut found = splice::search(&traces, &covered, self.config.fragments, &self.trie, over);
            if self.is_over() {
                break;
            }
            found.candidates.retain(|path| !refused.contains(&path.edges().collect::<Vec<_>>()));
            let (mut grew, mut checked) = (false, false);
            loop {
                // The best last: the greatest gain, then the fewest steps.
                found
                    .candidates
                    .sort_by_cached_key(|path| (gain(path, &covered), std::cmp::Reverse(path.steps.len())));
                let Some(candidate) = found.candidates.pop() else { break };
                let gains = gain(&candidate, &covered);
                if gains == 0 || (grew && gains < found.others) {
                    break;
                }
                checked = true;
                match self.check_path(&candidate, &|own| !covered.covers(own)) {
                    Ok(Checked::Replays(path)) => {
                        covered.add(&path.coverage());
                        suite.push(path);
                        grew = true;
                    }
                    // The search knows of what fails behind the launch, and of nothing else that was tried.
                    Ok(Checked::Lacks | Checked::Fails(None)) => {
                        refused.insert(candidate.edges().collect());
                    }
                    Ok(Checked::Fails(Some(_))) => {}
                    Err(()) => break 'suite,
                }
            }
            // Where nothing was left to check, the next search finds the same.
            if !checked || !grew && found.candidates.is_empty() && found.others == 0 {
                break;
            }
        }
        // What joining could not cover, the traces that it started from do.
        for path in &traces {
            let own = path.coverage();
            if !covered.covers(&own) {
                covered.add(&own);
                suite.push(path.clone());
            }
        }
        if path::cost(&suite) >= path::cost(&traces) {
            suite = traces;
        }
        self.tightened(suite, &all)
    }

    fn check_path(&mut self, path: &Path, enough: Enough<'_>) -> Result<Checked, ()> {
        if let Some(known) = self.trie.replayed(path.edges()) {
            // What it covers is what it covered when it was run: the same steps may do more behind another beginning.
            self.counts.known += 1;
            let known = path.covering(known);
            return Ok(if enough(&known.coverage()) { Checked::Replays(known) } else { Checked::Lacks });
        }
        let events: Vec<EventIx> = path.steps.iter().map(|step| step.event).collect();
        let states: Vec<StateKey> = (0..=path.steps.len()).map(|at| path.state(at)).collect();
        self.check(&events, &states, enough)
    }

    /// Executes a candidate until it goes another way, covers too little or has gone the same way often enough.
    fn check(&mut self, events: &[EventIx], states: &[StateKey], enough: Enough<'_>) -> Result<Checked, ()> {
        let edges = || events.iter().copied().zip(states[1..].iter().copied());
        if let Some(good) = self.trie.failing(edges()) {
            self.counts.pruned += 1;
            return Ok(Checked::Fails(Some(good)));
        }
        let mut stable: Option<Vec<BTreeSet<ItemIx>>> = None;
        let mut screens = Vec::new();
        for execution in 0..self.config.repeats.max(1) {
            let did = self.executor.run(events, states).map_err(|stopped| self.stopped = Some(stopped))?;
            self.counts.executions += 1;
            self.counts.events += did.len().saturating_sub(1) as u64;
            (self.progress)(self.phase, self.counts);
            let good = did.iter().zip(states).take_while(|(did, state)| did.state == **state).count();
            if good < states.len() {
                self.reject(execution);
                let Some(steps) = good.checked_sub(1) else { return Ok(Checked::Fails(None)) };
                self.trie.note_failing(edges().take(steps + 1));
                return Ok(Checked::Fails(Some(steps)));
            }
            screens = did.iter().map(|did| did.screen).collect();
            let seen = did.into_iter().map(|did| {
                let items = did.items.into_iter().chain([Item::Screen(did.state)]);
                items.map(|item| self.items.number(item)).collect::<BTreeSet<_>>()
            });
            let seen: Vec<BTreeSet<ItemIx>> = seen.collect();
            let sure = match stable {
                None => seen,
                Some(before) => before.iter().zip(&seen).map(|(before, seen)| before & seen).collect(),
            };
            // More executions can only take away from what all of them cover.
            if !enough(&sure.iter().flatten().copied().collect()) {
                self.reject(execution);
                return Ok(Checked::Lacks);
            }
            stable = Some(sure);
        }
        self.counts.kept += 1;
        let items =
            stable.unwrap_or_default().into_iter().map(|items| items.into_iter().collect::<Arc<[_]>>());
        let items: Vec<Arc<[ItemIx]>> = items.collect();
        self.trie.note_replaying(edges(), &items);
        let nothing: Arc<[ItemIx]> = Arc::default();
        let steps = edges().zip(&screens[1..]);
        let steps =
            steps.map(|((event, to), &screen)| Step { event, to, screen, items: Arc::clone(&nothing) });
        let path =
            Path { start: states[0], screen: screens[0], launch: Arc::default(), steps: steps.collect() };
        let path = path.covering(items);
        self.kept.push(path.clone());
        Ok(Checked::Replays(path))
    }

    /// A candidate is not taken, after so many executions that spoke for it.
    fn reject(&mut self, before: u32) {
        self.counts.rejected += 1;
        self.counts.rejected_at_once += u64::from(before == 0);
    }

    fn phase_row(&self, name: &'static str, suite: &[Path]) -> Phase {
        self.row(name, &path::coverage(suite), path::cost(suite))
    }

    fn row(&self, name: &'static str, covered: &ItemSet, (actions, traces): (usize, usize)) -> Phase {
        let mut phase =
            Phase { name, branches: 0, screens: 0, failures: 0, actions, traces, counts: self.counts };
        for item in covered.iter().filter_map(|item| self.items.get(item)) {
            match item {
                Item::Branch(_) => phase.branches += 1,
                Item::Screen(_) => phase.screens += 1,
                Item::Failure(_) => phase.failures += 1,
                Item::Action(..) => {}
            }
        }
        phase
    }
}

/// Phase 1, part 1: a trace stays if it covers something that those before it do not (Algorithm 1, lines 2 to 5).
fn without_redundant_traces(traces: &[Path]) -> Vec<Path> {
    let mut covered = ItemSet::default();
    let mut kept = Vec::new();
    for path in traces {
        let own = path.coverage();
        if !covered.covers(&own) {
            covered.add(&own);
            kept.push(path.clone());
        }
    }
    kept
}
