//! From a failing trace to the shortest one that is known to fail, on real devices.

use serde::{Deserialize, Serialize};

use super::ShrinkNote;
use crate::action::Input;
use crate::device::{AnyDevice, Device, Observation, Reset};
use crate::oracle::Signature;
use crate::shrink::driver::{Driven, Limits, Worker, drive};
use crate::shrink::registry::Algorithm;
use crate::shrink::{Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::trace::Trace;
use crate::trace::replay::{Ended, Judged, Missing, Replayed, replay};

/// Makes the devices that candidates run on; the number tells equal devices apart.
pub type MakeDevice<'a> = &'a (dyn Fn(u64) -> AnyDevice + Sync);

/// How to shrink.
#[derive(Clone, Copy, Debug)]
pub struct ShrinkConfig {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// Devices at once.
    pub jobs: usize,
    /// Runs at the most, the certificate apart.
    pub max_runs: u64,
}

/// How often a candidate is tried on an app with chance in it before its silence counts.
const FLAKY_TRIES: u32 = 3;
/// How often the result is run again: on a deterministic device, and on another.
const CERTIFICATE_RUNS: u32 = 3;
const FLAKY_CERTIFICATE_RUNS: u32 = 20;

/// What a shrink came to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// Which failure.
    pub signature: Signature,
    /// The trace as it was recorded.
    pub original: Trace,
    /// The shortest known one; the original if it never reproduced.
    pub minimal: Trace,
    /// How it went, for `shrink.json` and the table.
    pub report: ShrinkReport,
}

/// How a shrink went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShrinkReport {
    /// The version of this format.
    pub format: u32,
    /// The failure.
    pub signature: Signature,
    /// The algorithm.
    pub algorithm: String,
    /// Events before; waits do not count.
    pub original: usize,
    /// Events after.
    pub minimal: usize,
    /// Runs of candidates, the certificate apart.
    pub runs: u64,
    /// Events done in them.
    pub events: u64,
    /// How it ended, in a word or two.
    pub ended: String,
    /// The failure was seen again at least once.
    pub reproduced: bool,
    /// How often the result was run in the end.
    pub certificate_runs: u32,
    /// How often it failed as it should.
    pub certificate_hits: u32,
}

impl ShrinkReport {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;
}

/// Shrinks one trace. `note` hears of every answer.
pub fn shrink(
    make_device: MakeDevice<'_>,
    original: &Trace,
    signature: &Signature,
    config: &ShrinkConfig,
    interrupted: &dyn Fn() -> bool,
    note: &mut dyn FnMut(ShrinkNote),
) -> Shrunk {
    let mut first = Runner::new(make_device(0), signature.clone());
    let deterministic = first.device.capabilities().deterministic;
    let mut extra = Counts::default();
    let mut start = original.clone();
    if let Some(short) = since_restart(original) {
        let record = first.run(&short, 1);
        extra.runs += 1;
        extra.events += record.events as u64;
        if record.verdict == Verdict::Reproduced {
            start = short;
        }
    }
    let setup = Setup { runs: if deterministic { 1 } else { FLAKY_TRIES }, ..Setup::new(start) };
    let mut shrinker = (config.algorithm.make)(setup);
    let mut runners: Vec<Runner> = vec![first];
    runners.extend(
        (1..config.jobs.max(1) as u64).map(|number| Runner::new(make_device(number), signature.clone())),
    );
    let original_cost = original.cost();
    let driven = {
        let mut workers: Vec<Worker<'_>> = runners
            .iter_mut()
            .map(|runner| Box::new(|candidate: &Candidate| runner.candidate(candidate)) as Worker<'_>)
            .collect();
        let limits = Limits { runs: config.max_runs, interrupted };
        let mut progress = |shrinker: &dyn Shrinker| {
            let runs = shrinker.counts().runs + extra.runs;
            let best = shrinker.best().cost();
            note(ShrinkNote {
                signature: signature.clone(),
                original: original_cost,
                best,
                runs,
                done: false,
            });
        };
        drive(shrinker.as_mut(), &mut workers, &limits, &mut progress)
    };
    let counts = shrinker.counts();
    let reproduced = shrinker.confirmed();
    let minimal = if reproduced { shrinker.best().clone() } else { original.clone() };
    let tries = match (reproduced, deterministic) {
        (false, _) => 0,
        (true, true) => CERTIFICATE_RUNS,
        (true, false) => FLAKY_CERTIFICATE_RUNS,
    };
    let hits =
        (0..tries).filter(|_| runners[0].run(&minimal, 1).verdict == Verdict::Reproduced).count() as u32;
    let report = ShrinkReport {
        format: ShrinkReport::FORMAT,
        signature: signature.clone(),
        algorithm: config.algorithm.name.to_owned(),
        original: original_cost,
        minimal: minimal.cost(),
        runs: counts.runs + extra.runs,
        events: counts.events + extra.events,
        ended: match driven {
            Driven::Done => "done",
            Driven::OutOfRuns => "out of runs",
            Driven::Interrupted => "interrupted",
            Driven::Stuck => "stuck",
        }
        .to_owned(),
        reproduced,
        certificate_runs: tries,
        certificate_hits: hits,
    };
    note(ShrinkNote {
        signature: signature.clone(),
        original: original_cost,
        best: report.minimal,
        runs: report.runs,
        done: true,
    });
    Shrunk { signature: signature.clone(), original: original.clone(), minimal, report }
}

/// The part after the last restart, from a clean start: most failures need nothing from before.
fn since_restart(original: &Trace) -> Option<Trace> {
    let last = original.events.iter().rposition(|event| event.input == Input::Restart)?;
    let events = original.events[last + 1..].to_vec();
    Some(Trace { start: Reset::Clean, events, ..original.clone() })
}

/// Runs traces on one device and tells whether they end in one failure.
struct Runner {
    device: AnyDevice,
    signature: Signature,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Runner {
    fn new(device: AnyDevice, signature: Signature) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok();
        Self { device, signature, runtime }
    }

    fn candidate(&mut self, candidate: &Candidate) -> RunRecord {
        self.run(&candidate.trace(), candidate.runs)
    }

    /// Runs a trace until it reproduces, at most this often.
    fn run(&mut self, trace: &Trace, tries: u32) -> RunRecord {
        let mut record = self.once(trace);
        for _ in 1..tries {
            if matches!(record.verdict, Verdict::Reproduced | Verdict::DeviceLost) {
                break;
            }
            record = self.once(trace);
        }
        record
    }

    fn once(&mut self, trace: &Trace) -> RunRecord {
        let Some(runtime) = &self.runtime else { return lost() };
        let signature = &self.signature;
        let run = replay(&mut self.device, trace, Missing::Skip, |seen| judge(seen, signature));
        match runtime.block_on(run) {
            Ok(replayed) => record_of(&replayed, trace.events.len()),
            Err(error) => {
                tracing::warn!("{error}");
                lost()
            }
        }
    }
}

/// Whether an observation ends the run: with the failure that is looked for, or with another.
pub fn judge(seen: &Observation, wanted: &Signature) -> Judged {
    let mut other = None;
    for failure in &seen.failures {
        let signature = Signature::of(failure);
        if signature == *wanted {
            return Judged::Met;
        }
        other.get_or_insert(signature);
    }
    other.map_or(Judged::Open, Judged::Ended)
}

fn lost() -> RunRecord {
    RunRecord { verdict: Verdict::DeviceLost, screens: Vec::new(), rules: None, events: 0 }
}

/// What a shrinker hears of a run. An event that was left out shows the screen before it and no rules, so that screens
/// and events stay side by side.
fn record_of(run: &Replayed, events: usize) -> RunRecord {
    let verdict = match &run.ended {
        Ended::Met => Verdict::Reproduced,
        Ended::OtherFailure(signature) => Verdict::OtherFailure(signature.clone()),
        Ended::Through => Verdict::NotReproduced,
        Ended::Missing { event, .. } => Verdict::Diverged(*event),
    };
    let end = match verdict {
        Verdict::NotReproduced => events,
        _ => run.done.last().map_or(0, |last| last + 1),
    };
    let mut screens = Vec::with_capacity(end + 1);
    let mut rules = Vec::with_capacity(end);
    screens.extend(run.screens.first().cloned());
    let mut done = run.done.iter().zip(run.screens.iter().zip(&run.rules).skip(1)).peekable();
    for position in 0..end {
        if let Some((_, (screen, ran))) = done.next_if(|(done, _)| **done == position) {
            screens.push(screen.clone());
            rules.push(ran.clone().unwrap_or_default());
        } else {
            screens.extend(screens.last().cloned());
            rules.push(Vec::new());
        }
    }
    RunRecord { verdict, screens, rules: Some(rules), events: end }
}
