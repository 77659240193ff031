//! Shortening a failing trace.
//!
//! A shrinker does no IO. It is asked for candidates and told what running them showed, so that the same algorithm runs
//! against a closure in a unit test, on one virtual device or speculatively on many phones.
//!
//! Each algorithm is a [`search::Search`]: it asks one question after the other, as its paper does, and can be cloned.
//! The [`engine`] turns a search into a [`Shrinker`]: it answers repeated questions from its cache, asks ahead on clones
//! of the search when several devices are free, merges hits that arrive together and ends with the pass of
//! [`one_by_one`] that makes the result 1-minimal. [`registry`] lists the algorithms by name.

pub mod arena;
pub mod bhdd;
pub mod bisect;
pub mod cache;
pub mod cdd;
pub mod certify;
pub mod chard;
pub mod ddmin;
pub mod driver;
pub mod early;
pub mod engine;
pub mod film;
pub mod goal;
pub mod hdd;
pub mod hprobdd;
pub mod in_turn;
pub mod ineffective;
pub mod lhdd;
pub mod lhdd_released;
pub mod list;
pub mod loops;
pub mod nd3min;
pub mod noise;
pub mod one_by_one;
pub mod path_model;
pub mod pathfirst;
pub mod plan;
pub mod probdd;
pub mod prophet;
pub mod registry;
pub mod released;
pub mod search;
pub mod shortcut;
pub mod simplify;
pub mod walk;

use std::sync::Arc;

use self::certify::Certificate;
use self::noise::Noise;
use self::path_model::PathModel;
use self::prophet::Foretell;
use crate::ids::{BranchId, CandidateId};
use crate::oracle::Signature;
use crate::trace::event_tree::Labels;
use crate::trace::key_events::ChardConfig;
use crate::trace::{Screen, Trace, TraceEvent};

/// An algorithm that shortens a failing trace by asking and being told.
///
/// One device asks with `free = 1` and gets one candidate at a time; fifteen devices ask with `free = 15` and may get
/// speculative candidates, some of which turn out to be [`stale`](Shrinker::stale). Answers arrive in any order.
pub trait Shrinker: Send {
    /// What to run next, with this many devices free. Candidates already given out and not yet told are under way.
    fn ask(&mut self, free: usize) -> Ask;

    /// What a candidate showed. [`Verdict::DeviceLost`] is no evidence: the candidate will be asked for again.
    fn tell(&mut self, id: CandidateId, record: &RunRecord);

    /// Candidates under way whose answer no longer matters; the driver may cancel them and needs not tell.
    fn stale(&mut self) -> Vec<CandidateId>;

    /// The shortest trace known to reproduce, with the screens seen in the run that proved it.
    fn best(&self) -> &Trace;

    /// [`best`](Shrinker::best) was seen to reproduce. It is false only before the original's replay, and for an
    /// original that did not reproduce.
    fn confirmed(&self) -> bool;

    /// What it took so far.
    fn counts(&self) -> Counts;

    /// How often the result reproduces, as far as it was found out; none where nothing is left to chance.
    fn certificate(&self) -> Option<Certificate> {
        None
    }

    /// What ND3MIN found out beside the trace; other algorithms have nothing to say here.
    fn nd3min(&self) -> Option<&nd3min::Findings> {
        None
    }
}

/// What a shrinker wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Run these.
    Run(Vec<Candidate>),
    /// Nothing to run until an answer arrives.
    Wait,
    /// Finished: [`Shrinker::best`] is the result.
    Done,
}

/// One attempt. Its events are shared with the other attempts, so that making one of 10,000 events is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its id, never used twice by one shrinker.
    pub id: CandidateId,
    /// The original's start and app; its events are left out.
    pub head: Arc<Trace>,
    /// The events to run.
    pub events: Vec<Arc<TraceEvent>>,
}

impl Candidate {
    /// The trace to run. What was recorded about its events was seen in the original, not in this order.
    pub fn trace(&self) -> Trace {
        let events = self.events.iter().map(|event| TraceEvent::clone(event)).collect();
        Trace { events, ..Trace::clone(&self.head) }
    }
}

/// What running a candidate showed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The outcome.
    pub verdict: Verdict,
    /// The screens seen: first the one after the launch, then one after each event that was run.
    pub screens: Vec<Screen>,
    /// The rules run by each event that was run, where the device tells.
    pub rules: Option<Vec<Vec<BranchId>>>,
    /// How many events were run.
    pub events: usize,
    /// Those of them that were left out, because their widget was not there.
    pub skipped: Vec<usize>,
}

impl RunRecord {
    /// The run that a trace was seen in.
    pub fn seen_in(trace: &Trace) -> Self {
        // What was left out shows the screen before it, so that screens and events stay side by side.
        let after =
            trace.events.iter().filter_map(|event| event.after.clone().or_else(|| event.before.clone()));
        Self {
            verdict: Verdict::Reproduced,
            screens: trace.first.clone().into_iter().chain(after).collect(),
            rules: trace.events.iter().map(|event| event.rules.clone()).collect(),
            events: trace.events.len(),
            skipped: Vec::new(),
        }
    }

    /// The device was lost: no evidence at all.
    pub fn lost() -> Self {
        Self {
            verdict: Verdict::DeviceLost,
            screens: Vec::new(),
            rules: None,
            events: 0,
            skipped: Vec::new(),
        }
    }
}

/// The outcome of running a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The goal was met, the same failure or the wanted screen, after [`RunRecord::events`] events.
    Reproduced,
    /// Another failure came first.
    OtherFailure(Signature),
    /// It ran to its end without the failure.
    NotReproduced,
    /// The device was lost; this says nothing about the candidate.
    DeviceLost,
}

/// What a shrinker is made from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The failing trace.
    pub original: Trace,
    /// The trace that all began with, if the failing trace is what shrinkers before have left of it: where chance has a part,
    /// the result is held to how often this one reproduces.
    pub first: Option<Arc<Trace>>,
    /// What the replay of the original showed. Without it the shrinker asks for the original first.
    pub replay: Option<RunRecord>,
    /// What counts as a state.
    pub labels: Labels,
    /// What exploration has learnt about the app, with states by the same labels.
    pub model: Option<Arc<PathModel>>,
    /// Whether candidates are skipped whose failing to reproduce is foretold.
    pub foretell: Foretell,
    /// Whether the device leaves something to chance. If so, silence is repeated as it must be, and the result ends with a
    /// certificate.
    pub noise: Noise,
    /// The rules by which events count as ineffective or as equal.
    pub chard: ChardConfig,
    /// The trace is to end in a failure, not to reach a screen or to keep its path.
    pub fails: bool,
    /// The numbers of ND3MIN.
    pub nd3min: nd3min::Settings,
}

impl Setup {
    /// The setup of a shrinker that goes on with what another leaves: the events of the original are only needed where chance has
    /// a part, and then for their rate.
    fn for_next(&self) -> Self {
        let mut original = self.original.head();
        if matches!(self.noise, Noise::Chance(_)) {
            original.events.clone_from(&self.original.events);
        }
        Self {
            original,
            first: self.first.clone(),
            replay: None,
            labels: self.labels.clone(),
            model: self.model.clone(),
            foretell: self.foretell,
            noise: self.noise,
            chard: self.chard.clone(),
            fails: self.fails,
            nd3min: self.nd3min.clone(),
        }
    }

    /// The usual setup for a trace on a deterministic device.
    pub fn new(original: Trace) -> Self {
        Self {
            original,
            first: None,
            replay: None,
            labels: Labels::default(),
            model: None,
            foretell: Foretell::default(),
            noise: Noise::None,
            chard: ChardConfig::default(),
            fails: true,
            nd3min: nd3min::Settings::deterministic(),
        }
    }
}

/// What a shrinker took so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Answers that were evidence.
    pub runs: u64,
    /// Events run in them.
    pub events: u64,
    /// Further answers, of runs that only showed how often the result and the original reproduce.
    pub certificate: u64,
    /// Answers that were no evidence, because the device was lost.
    pub lost: u64,
    /// Questions that earlier answers settled.
    pub cached: u64,
    /// Hits that arrived together and were tried as one.
    pub merged: u64,
    /// Questions that were skipped because their answer was foretold.
    pub skipped: u64,
    /// Questions that were run although their answer was foretold, as a sample.
    pub rechecked: u64,
    /// Those of the sample whose answer was foretold wrongly.
    pub wrong: u64,
    /// Sets of events that CHARD's rules proposed to delete.
    pub proposed: u64,
    /// Those of them that could not be deleted.
    pub refuted: u64,
}

impl std::ops::Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            events: self.events + other.events,
            certificate: self.certificate + other.certificate,
            lost: self.lost + other.lost,
            cached: self.cached + other.cached,
            merged: self.merged + other.merged,
            skipped: self.skipped + other.skipped,
            rechecked: self.rechecked + other.rechecked,
            wrong: self.wrong + other.wrong,
            proposed: self.proposed + other.proposed,
            refuted: self.refuted + other.refuted,
        }
    }
}
