//! `nd3min`: Clapp, Bastani, Anand and Aiken, "Minimizing GUI event traces", FSE 2016.
//!
//! Delta debugging for apps that do not always do the same: a candidate counts only if it meets the goal in `st` of `nr`
//! runs. It assumes an original that meets the goal nearly always and is refused otherwise. The result is approximately
//! 1-minimal (Definition 1), and 1-minimal where the app is deterministic. It costs about `st` runs for each candidate that
//! is kept and `nr − st + 1` for each that is not; which candidates get the next runs is the [`planner`]'s choice.
//!
//! Three things differ from the paper. No event is lost when the trace is cut into parts. A trace ends where the goal was
//! met in every run that proved it, so that an activity that the launch shows needs no events. And a list of events that
//! comes again is not run again: its tally is kept.

pub mod mdp;
pub mod partitions;
pub mod planner;
pub mod prior;
pub mod schedule;
pub mod settings;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use self::planner::Planner;
use self::schedule::{Rule, Tally};
pub use self::settings::{Settings, SettingsError};
use super::arena::{Arena, ContentHash, EventIx};
use super::noise::Rate;
use super::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::ids::CandidateId;
use crate::trace::{Nd3MinReport, Trace, TraceEvent};

/// ND3MIN as a shrinker.
#[derive(Debug)]
pub struct Nd3Min {
    arena: Arena,
    settings: Settings,
    planner: Planner,
    stage: Stage,
    round: Round,
    /// Where the findings tell of every list that was run, by its content.
    tallies: BTreeMap<ContentHash, usize>,
    /// The longest run of each list that met the goal.
    proofs: BTreeMap<ContentHash, RunRecord>,
    best: Best,
    findings: Findings,
    next_id: CandidateId,
    stale: Vec<CandidateId>,
    counts: Counts,
}

/// What ND3MIN found out beside the trace: the columns of the paper's tables.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Findings {
    /// How the original did in its check.
    pub original: Tally,
    /// The original did too badly to be minimised.
    pub refused: bool,
    /// How many schedules were run, each of at most `m` runs, with the two checks.
    pub steps: u64,
    /// How the result did in its check, once it was made.
    pub check: Option<Check>,
    /// What the runs have shown so far of each list of events, for learning a prior.
    pub tallies: Vec<Tally>,
}

/// The column `check` of the paper's tables: `c (p1 / p2)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// `c`: runs of the result that met the goal, and that did not.
    pub tally: Tally,
    /// The probability that the result meets the goal in 85 of 100 runs or more.
    pub good: f64,
    /// The probability that no event can be left out.
    pub minimal: f64,
}

impl Findings {
    /// How often the original met the goal.
    pub fn of_original(&self) -> Rate {
        Rate { hits: self.original.successes as u32, silent: self.original.failures as u32 }
    }

    /// How often the result met the goal, as far as it was found out: in its check, or if it is the original that was refused,
    /// in that one's.
    pub fn of_result(&self) -> Rate {
        let tally = match self.check {
            Some(check) => check.tally,
            None if self.refused => self.original,
            None => Tally::default(),
        };
        Rate { hits: tally.successes as u32, silent: tally.failures as u32 }
    }

    /// What is kept beside the short trace.
    pub fn report(&self) -> Nd3MinReport {
        let check = self.check.unwrap_or(Check { tally: Tally::default(), good: 0.0, minimal: 0.0 });
        // As in the paper's tables a probability is truncated, not rounded.
        let percent = |probability: f64| (probability * 100.0 + 1e-9) as u8;
        Nd3MinReport {
            original_runs: self.original.runs(),
            original_hits: self.original.successes,
            refused: self.refused,
            steps: self.steps,
            check_runs: check.tally.runs(),
            check_hits: check.tally.successes,
            good_percent: percent(check.good),
            minimal_percent: percent(check.minimal),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The original is run to see whether it is fit.
    Original,
    /// `get_passing` over the parts, or over their complements.
    Parts {
        parts: usize,
    },
    Complements {
        parts: usize,
    },
    /// The result is run once more.
    Check,
    Done,
}

/// The candidates of one call of `get_passing`.
#[derive(Debug, Default)]
struct Round {
    lists: Vec<List>,
    /// The runs of this step that are not given out yet.
    queue: VecDeque<usize>,
    under_way: BTreeMap<CandidateId, usize>,
}

#[derive(Debug)]
struct List {
    events: Arc<[EventIx]>,
    tally: Tally,
    /// The longest of the runs that met the goal.
    proof: Option<RunRecord>,
}

#[derive(Debug)]
struct Best {
    events: Arc<[EventIx]>,
    trace: Trace,
    seen: bool,
}

impl Nd3Min {
    /// Starts with the check of the original.
    pub fn new(setup: Setup) -> Self {
        let trace = setup.original.clone();
        let arena = Arena::new(setup.original);
        let events: Arc<[EventIx]> = (0..arena.originals() as EventIx).collect();
        let mut nd3min = Self {
            planner: Planner::new(&setup.nd3min),
            settings: setup.nd3min,
            arena,
            stage: Stage::Original,
            round: Round::default(),
            tallies: BTreeMap::new(),
            proofs: BTreeMap::new(),
            best: Best { events: Arc::clone(&events), trace, seen: false },
            findings: Findings::default(),
            next_id: CandidateId(1),
            stale: Vec::new(),
            counts: Counts::default(),
        };
        nd3min.round.lists.push(List { events, tally: Tally::default(), proof: None });
        nd3min.fill();
        if let Some(replay) = setup.replay.filter(|replay| replay.verdict != Verdict::DeviceLost) {
            nd3min.round.queue.pop_front();
            nd3min.learn(0, &replay);
        }
        nd3min
    }

    fn rule(&self) -> Rule {
        match self.stage {
            Stage::Original => self.settings.original(),
            Stage::Check => self.settings.check(),
            _ => self.settings.rule,
        }
    }

    /// Plans the next step.
    fn fill(&mut self) {
        let rule = self.rule();
        let tallies: Vec<Tally> = self.round.lists.iter().map(|list| list.tally).collect();
        let given = match self.stage {
            // A check is no question of passing: all its runs are made.
            Stage::Original | Stage::Check => {
                vec![rule.runs.saturating_sub(tallies[0].runs()).min(rule.parallel)]
            }
            _ => self.planner.plan(&tallies),
        };
        for (ix, runs) in given.into_iter().enumerate() {
            self.round.queue.extend(std::iter::repeat_n(ix, runs));
        }
        self.findings.steps += u64::from(!self.round.queue.is_empty());
    }

    /// Takes in what one run of a list showed.
    fn learn(&mut self, ix: usize, record: &RunRecord) {
        let rule = self.rule();
        let list = &mut self.round.lists[ix];
        if record.verdict == Verdict::Reproduced {
            list.tally.successes += 1;
            let longest = list.proof.as_ref().is_none_or(|proof| proof.events < record.events);
            if longest {
                list.proof = Some(record.clone());
            }
        } else {
            list.tally.failures += 1;
        }
        let (tally, events) = (list.tally, Arc::clone(&list.events));
        if self.stage == Stage::Original {
            // Whatever ends the check, what it has shown is known.
            self.findings.original = tally;
            if record.verdict == Verdict::Reproduced {
                self.prove(ix);
            }
        }
        if matches!(self.stage, Stage::Parts { .. } | Stage::Complements { .. }) {
            let content = ContentHash::of(&self.arena, &events);
            let known = &mut self.findings.tallies;
            let at = *self.tallies.entry(content).or_insert(known.len());
            known.resize(known.len().max(at + 1), tally);
            known[at] = tally;
            if let Some(proof) = &self.round.lists[ix].proof {
                self.proofs.insert(content, proof.clone());
            }
            if tally.is_accepted(rule) {
                self.abandon(|_| true);
                return self.accept(ix);
            }
        }
        if tally.is_dropped(rule) {
            self.abandon(|other| other == ix);
        }
        self.go_on();
    }

    /// Forgets runs whose outcome no longer matters.
    fn abandon(&mut self, which: impl Fn(usize) -> bool) {
        self.round.queue.retain(|&ix| !which(ix));
        let ids: Vec<CandidateId> =
            self.round.under_way.iter().filter(|(_, ix)| which(**ix)).map(|(&id, _)| id).collect();
        for id in ids {
            self.round.under_way.remove(&id);
            self.stale.push(id);
        }
    }

    /// Plans the next step when this one is through, and the next candidates when all of these are dropped.
    fn go_on(&mut self) {
        while self.stage != Stage::Done && self.round.queue.is_empty() && self.round.under_way.is_empty() {
            let rule = self.rule();
            let open = |list: &List| match self.stage {
                Stage::Original => list.tally.runs() < rule.runs && !list.tally.is_dropped(rule),
                Stage::Check => list.tally.runs() < rule.runs,
                _ => list.tally.is_open(rule),
            };
            if self.round.lists.iter().any(open) {
                self.fill();
                if !self.round.queue.is_empty() {
                    return;
                }
            }
            self.conclude();
        }
    }

    /// No candidate of this round has passed.
    fn conclude(&mut self) {
        let rule = self.rule();
        match self.stage {
            Stage::Original => {
                self.findings.refused = self.findings.original.successes < rule.successes;
                if self.findings.refused {
                    self.stage = Stage::Done;
                } else {
                    self.accept(0);
                }
            }
            // Of two parts each is the complement of the other, and the complement of the only part is empty.
            Stage::Parts { parts } if parts == 2 => self.finer(parts),
            Stage::Parts { parts } => self.start(Stage::Complements { parts }),
            Stage::Complements { parts } => self.finer(parts),
            Stage::Check => {
                let tally = self.round.lists[0].tally;
                let prior = &self.settings.prior;
                let minimal = prior.is_minimal(self.settings.rule, self.best.events.len());
                self.findings.check = Some(Check { tally, good: prior.is_good(tally), minimal });
                self.stage = Stage::Done;
            }
            Stage::Done => {}
        }
    }

    /// Case 3 and case 4 of Figure 2.
    fn finer(&mut self, parts: usize) {
        let len = self.best.events.len();
        if parts < len {
            self.start(Stage::Parts { parts: (2 * parts).min(len) });
        } else if self.settings.check().runs > 1 {
            self.start(Stage::Check);
        } else {
            self.stage = Stage::Done;
        }
    }

    /// Case 1 and case 2 of Figure 2: a candidate has passed and is the trace from now on.
    fn accept(&mut self, ix: usize) {
        let parts = match self.stage {
            Stage::Complements { parts } => (parts - 1).max(2),
            _ => self.settings.candidates,
        };
        self.prove(ix);
        let len = self.best.events.len();
        self.start(Stage::Parts { parts: parts.clamp(1, len.max(1)) });
    }

    /// The trace ends where the goal was met in the longest of the runs that proved it.
    fn prove(&mut self, ix: usize) {
        let list = &self.round.lists[ix];
        let Some(proof) = &list.proof else { return };
        let events: Arc<[EventIx]> = list.events[..proof.events.min(list.events.len())].into();
        let screen = |at: usize| proof.screens.get(at).cloned();
        let rules = |at: usize| proof.rules.as_ref().and_then(|rules| rules.get(at)).cloned();
        let seen = events.iter().enumerate().map(|(at, &ix)| TraceEvent {
            before: screen(at),
            after: screen(at + 1),
            rules: rules(at),
            ..TraceEvent::clone(self.arena.event(ix))
        });
        let trace = Trace { events: seen.collect(), first: screen(0), ..Trace::clone(self.arena.head()) };
        self.best = Best { events, trace, seen: true };
    }

    fn start(&mut self, stage: Stage) {
        self.stage = stage;
        let trace = &self.best.events;
        let lists = match stage {
            // The only part of a single event is the trace itself; without events there is nothing to leave out.
            Stage::Parts { parts: 1 } => Vec::new(),
            Stage::Parts { parts } => partitions::parts(trace, parts),
            Stage::Complements { .. } if trace.is_empty() => Vec::new(),
            Stage::Complements { parts } => partitions::complements(trace, parts),
            Stage::Original | Stage::Check | Stage::Done => vec![trace.to_vec()],
        };
        let fresh = matches!(stage, Stage::Check);
        let rule = self.rule();
        self.round = Round::default();
        for events in lists {
            let content = ContentHash::of(&self.arena, &events);
            let known = self.tallies.get(&content).map(|&at| self.findings.tallies[at]);
            let known = known.filter(|_| !fresh);
            // A list that has passed before was replaced by its own beginning or by a shorter one.
            let known = known.filter(|tally| !tally.is_accepted(rule));
            self.counts.cached += known.map_or(0, |tally| tally.runs() as u64);
            // The goal was met as late as in the runs that are counted.
            let proof = known.and_then(|_| self.proofs.get(&content).cloned());
            let tally = known.unwrap_or_default();
            self.round.lists.push(List { events: events.into(), tally, proof });
        }
    }

    fn candidate(&mut self, ix: usize) -> Candidate {
        let id = self.next_id;
        self.next_id = id.next();
        self.round.under_way.insert(id, ix);
        let events = self.arena.events(&self.round.lists[ix].events);
        Candidate { id, head: Arc::clone(self.arena.head()), events }
    }
}

impl Shrinker for Nd3Min {
    fn ask(&mut self, free: usize) -> Ask {
        self.go_on();
        if self.stage == Stage::Done {
            return Ask::Done;
        }
        let given: Vec<usize> = self.round.queue.drain(..free.max(1).min(self.round.queue.len())).collect();
        if given.is_empty() {
            return Ask::Wait;
        }
        Ask::Run(given.into_iter().map(|ix| self.candidate(ix)).collect())
    }

    fn tell(&mut self, id: CandidateId, record: &RunRecord) {
        let Some(ix) = self.round.under_way.remove(&id) else { return };
        if record.verdict == Verdict::DeviceLost {
            self.counts.lost += 1;
            self.round.queue.push_front(ix);
            return;
        }
        self.counts.runs += 1;
        self.counts.events += record.events as u64;
        self.learn(ix, record);
    }

    fn stale(&mut self) -> Vec<CandidateId> {
        std::mem::take(&mut self.stale)
    }

    fn best(&self) -> &Trace {
        &self.best.trace
    }

    fn confirmed(&self) -> bool {
        self.best.seen
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn nd3min(&self) -> Option<&Findings> {
        Some(&self.findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Input, Wait};
    use crate::device::Reset;

    fn trace(events: u32) -> Trace {
        let (package, app_hash, target, device) = Default::default();
        let event = |ms| TraceEvent {
            input: Input::Wait(ms),
            wait: Wait::Settle,
            target: None,
            before: None,
            after: None,
            rules: None,
        };
        let (format, start) = (Trace::FORMAT, Reset::Clean);
        let events = (0..events).map(event).collect();
        Trace { format, package, app_hash, target, device, start, first: None, failure: None, events }
    }

    /// What was counted for a list when it was run before is proven as late as it was then.
    #[test]
    fn a_list_that_comes_back_has_its_longest_proof() {
        let rule = Rule { parallel: 1, runs: 4, successes: 3 };
        let settings = Settings { rule, ..Settings::deterministic() };
        let mut nd3min = Nd3Min::new(Setup { nd3min: settings, ..Setup::new(trace(8)) });
        let stage = Stage::Parts { parts: 2 };
        nd3min.start(stage);
        let seen = |events| RunRecord { verdict: Verdict::Reproduced, events, ..RunRecord::lost() };
        nd3min.learn(0, &seen(2));
        nd3min.learn(0, &seen(4));
        nd3min.start(stage);
        nd3min.learn(0, &seen(1));
        assert_eq!(nd3min.best().events.len(), 4, "a run met the goal only after its fourth event");
    }
}
