//! From a failing trace to the shortest one that is known to fail, on real devices.

mod lab;

use std::sync::Arc;

use self::lab::{Attempt, Lab};
use super::runner::{Picture, Runner};
use crate::device::AnyDevice;
use crate::oracle::Failure;
use crate::report::ShrinkNote;
use crate::shrink::Counts;
use crate::shrink::driver::Driven;
use crate::shrink::goal::Goal;
use crate::shrink::nd3min::schedule::Tally;
use crate::shrink::nd3min::{Findings, Settings as Nd3Settings};
use crate::shrink::noise::Rate;
use crate::shrink::path_model::PathModel;
use crate::shrink::registry::Algorithm;
use crate::trace::event_tree::Label;
use crate::trace::key_events::ChardConfig;
use crate::trace::{Crash, Trace};

pub use crate::trace::ShrinkReport;

/// Makes the devices that candidates run on; the number tells equal devices apart.
pub type MakeDevice<'a> = &'a (dyn Fn(u64) -> AnyDevice + Sync);

/// How to shrink.
#[derive(Clone, Debug)]
pub struct ShrinkConfig {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// It begins with the whole trace, also where the part after its last restart fails by itself.
    pub whole: bool,
    /// CHARD's rules go first: what they call ineffective is deleted as far as runs confirm it.
    pub rules_first: bool,
    /// Those rules.
    pub chard: ChardConfig,
    /// What counts as a state.
    pub label: Label,
    /// Devices at once.
    pub jobs: usize,
    /// Runs at the most, the certificate apart.
    pub max_runs: u64,
    /// The numbers of ND3MIN. Without them it takes the paper's, or one run for all where the device is deterministic.
    pub nd3min: Option<Nd3Settings>,
    /// Pictures are taken of the screens of the result.
    pub pictures: bool,
}

/// What a shrink came to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// What it must still do.
    pub goal: Goal,
    /// The trace as it was recorded.
    pub original: Trace,
    /// The shortest known one; the original if it never reproduced.
    pub minimal: Trace,
    /// The failure as it looks after the shortest trace.
    pub failure: Option<Failure>,
    /// How it went.
    pub report: ShrinkReport,
    /// What ND3MIN's runs showed of each candidate, for learning a prior.
    pub tallies: Vec<Tally>,
    /// The screens before the last events of the shortest trace, where they were asked for.
    pub pictures: Vec<Picture>,
}

impl Shrunk {
    /// The shortest trace with what is kept beside it: the failure, which may be known from before, and how it was shrunk.
    pub fn crash(&self, known: Option<Failure>) -> Crash {
        let evidence = self.failure.clone().or(known);
        Crash { trace: self.minimal.clone(), evidence, shrunk: Some(self.report.clone()) }
    }
}

/// One trace that is to be shortened.
pub struct Task<'a> {
    /// Makes the devices that candidates run on.
    pub make_device: MakeDevice<'a>,
    /// The trace.
    pub original: &'a Trace,
    /// What it must still do.
    pub goal: &'a Goal,
    /// What exploration has learnt about the app, with states by the label of the configuration.
    pub model: Option<Arc<PathModel>>,
    /// How to shrink.
    pub config: &'a ShrinkConfig,
    /// Somebody wants it to end.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// Shrinks one trace. `note` hears of every answer.
pub fn shrink(task: Task<'_>, note: &mut dyn FnMut(ShrinkNote)) -> Shrunk {
    let Task { make_device, original, goal, model, config, interrupted } = task;
    let runners: Vec<Runner> =
        (0..config.jobs.max(1) as u64).map(|number| Runner::new(make_device(number), goal.clone())).collect();
    let original_cost = original.cost();
    let news = |best: usize, runs: u64, done: bool| {
        note(ShrinkNote { goal: goal.to_string(), original: original_cost, best, runs, done });
    };
    let spent = Counts::default();
    let (rounds, renews) = (0, false);
    let mut lab = Lab { runners, original, goal, model, config, interrupted, spent, rounds, renews, news };
    let mut found = lab.attempt();
    if found.reproduced && !found.is_lost() && lab.runners[0].wears() {
        if interrupted() {
            found.then(Driven::Interrupted);
        } else {
            found = lab.as_new(found);
        }
    }
    let wanted = config.pictures && found.reproduced && !found.is_lost() && !interrupted();
    let pictures = if wanted { lab.pictures(&found.minimal) } else { Vec::new() };
    let certain = lab.runners[0].is_deterministic();
    let Attempt { minimal, failure, reproduced, certificate, rate, used, driven, instead, nd3min, .. } =
        found;
    let by_nd3min = || nd3min.as_ref().filter(|_| !certain).map(Findings::of_original).unwrap_or_default();
    let whole = certificate.map_or_else(by_nd3min, |certificate| certificate.original);
    let report = ShrinkReport {
        format: ShrinkReport::FORMAT,
        goal: goal.to_string(),
        algorithm: config.algorithm.name.to_owned(),
        original: original_cost,
        minimal: minimal.cost(),
        began_with: found.began_with,
        runs: lab.spent.runs,
        events: lab.spent.events,
        rounds: lab.rounds,
        skipped: lab.spent.skipped,
        rechecked: lab.spent.rechecked,
        wrong: lab.spent.wrong,
        proposed: found.proposed,
        refuted: found.refuted,
        ended: driven.word().to_owned(),
        reproduced,
        certain,
        certificate_runs: rate.runs(),
        certificate_hits: rate.hits,
        original_runs: whole.runs(),
        original_hits: whole.hits,
        new_runs: used.map_or(0, |_| rate.runs()),
        used_runs: used.map_or(0, Rate::runs),
        used_hits: used.map_or(0, |used| used.hits),
        instead,
        nd3min: nd3min.as_ref().map(Findings::report),
    };
    (lab.news)(report.minimal, report.runs, true);
    let tallies = nd3min.map(|findings| findings.tallies).unwrap_or_default();
    Shrunk { goal: goal.clone(), original: original.clone(), minimal, failure, report, tallies, pictures }
}
