//! Shortening a failing trace.
//!
//! A shrinker does no IO. It is asked for candidates and told what running them showed, so that the same algorithm runs
//! against a closure in a unit test, on one virtual device or speculatively on many phones.

use crate::ids::CandidateId;
use crate::oracle::Signature;
use crate::trace::{Screen, Trace};

/// An algorithm that shortens a failing trace by asking and being told.
///
/// One device asks with `free = 1` and gets one candidate at a time; fifteen devices ask with `free = 15` and may get
/// speculative candidates, some of which turn out to be [`stale`](Shrinker::stale). Answers arrive in any order.
pub trait Shrinker {
    /// What to run next, with this many devices free. Candidates already given out and not yet told are under way.
    fn ask(&mut self, free: usize) -> Ask;

    /// What a candidate showed. [`Verdict::DeviceLost`] is no evidence: the candidate will be asked for again.
    fn tell(&mut self, id: CandidateId, record: &RunRecord);

    /// Candidates under way whose answer no longer matters; the driver may cancel them.
    fn stale(&mut self) -> Vec<CandidateId>;

    /// The shortest trace known to reproduce.
    fn best(&self) -> &Trace;
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

/// One attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its id, never used twice by one shrinker.
    pub id: CandidateId,
    /// The trace to run.
    pub trace: Trace,
    /// How often to run it; the driver stops early when the outcome is decided.
    pub runs: u32,
}

/// What running a candidate showed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The outcome.
    pub verdict: Verdict,
    /// The screens seen: first the one after the launch, then one after each event that was run.
    pub screens: Vec<Screen>,
    /// How many events were run.
    pub events: usize,
}

/// The outcome of running a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The goal was met: the same failure, or the wanted screen. With the number of events that were needed.
    Reproduced,
    /// Another failure came first.
    OtherFailure(Signature),
    /// It ran to its end without the failure.
    NotReproduced,
    /// The event with this index could not be done: its widget was not there.
    Diverged(usize),
    /// The device was lost; this says nothing about the candidate.
    DeviceLost,
}
