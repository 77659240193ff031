//! From a failing trace to the shortest one that is known to fail, on real devices.

use std::sync::Arc;

use crate::action::Input;
use crate::device::{AnyDevice, Device, Observation};
use crate::gui::Selector;
use crate::gui::tree::Hit;
use crate::oracle::Failure;
use crate::report::ShrinkNote;
use crate::shrink::driver::{Driven, Limits, Worker, drive};
use crate::shrink::goal::Goal;
use crate::shrink::nd3min::schedule::Tally;
use crate::shrink::nd3min::{Findings, Settings as Nd3Settings};
use crate::shrink::path_model::PathModel;
use crate::shrink::registry::Algorithm;
use crate::shrink::simplify::simplify;
use crate::shrink::{Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::trace::event_tree::{Label, Labels};
use crate::trace::key_events::ChardConfig;
use crate::trace::replay::{Ended, Judged, Missing, Replayed, replay, resolve};
use crate::trace::{Screen, Trace, TraceEvent};

pub use crate::trace::ShrinkReport;

/// Makes the devices that candidates run on; the number tells equal devices apart.
pub type MakeDevice<'a> = &'a (dyn Fn(u64) -> AnyDevice + Sync);

/// How to shrink.
#[derive(Clone, Debug)]
pub struct ShrinkConfig {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
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
}

/// How often a candidate is tried on an app with chance in it before its silence counts.
const FLAKY_TRIES: u32 = 3;
/// How often the result is run again: on a deterministic device, and on another.
const CERTIFICATE_RUNS: u32 = 3;
const FLAKY_CERTIFICATE_RUNS: u32 = 20;

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
    pub model: Option<PathModel>,
    /// How to shrink.
    pub config: &'a ShrinkConfig,
    /// Somebody wants it to end.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Shrinks one trace. `note` hears of every answer.
pub fn shrink(task: Task<'_>, note: &mut dyn FnMut(ShrinkNote)) -> Shrunk {
    let Task { make_device, original, goal, model, config, interrupted } = task;
    let mut runners: Vec<Runner> =
        (0..config.jobs.max(1) as u64).map(|number| Runner::new(make_device(number), goal.clone())).collect();
    let deterministic = runners[0].device.capabilities().deterministic;
    let runs = if deterministic { 1 } else { FLAKY_TRIES };
    let original_cost = original.cost();
    let mut spent = Counts::default();
    let mut news = |best: usize, runs: u64, done: bool| {
        note(ShrinkNote { goal: goal.to_string(), original: original_cost, best, runs, done });
    };
    let mut start = original.clone();
    let keeps_path = matches!(goal, Goal::Path(_));
    if let Some(short) = since_restart(original).filter(|_| !keeps_path) {
        let record = runners[0].run(&short, 1);
        spent.runs += 1;
        spent.events += record.events as u64;
        if record.verdict == Verdict::Reproduced {
            start = short;
        }
    }
    let limits = Limits { runs: config.max_runs, interrupted };
    let setup = Setup {
        runs,
        labels: Labels::new(config.label),
        model,
        chard: config.chard.clone(),
        fails: matches!(goal, Goal::Failure(_)),
        nd3min: config.nd3min.clone().unwrap_or_default().on(deterministic),
        ..Setup::new(start)
    };
    let mut shrinker =
        if config.rules_first { config.algorithm.after_rules(setup) } else { (config.algorithm.make)(setup) };
    let driven = run_all(shrinker.as_mut(), &mut runners, &limits, &mut spent, &mut news);
    let reproduced = shrinker.confirmed();
    let mut minimal = if reproduced { shrinker.best().clone() } else { original.clone() };
    let Counts { proposed, refuted, .. } = shrinker.counts();
    // What ND3MIN holds to a rate must not be changed on the word of a single run.
    let nd3min = shrinker.nd3min().cloned();
    let may_simplify = !keeps_path && (deterministic || nd3min.is_none());
    if reproduced && driven == Driven::Done && may_simplify {
        let touched = runners[0].recorded(&minimal).map(|recorded| recorded.touched).unwrap_or_default();
        let setup = Setup { runs, labels: Labels::new(config.label), ..Setup::new(minimal.clone()) };
        let mut simpler = simplify(setup, &touched);
        let limits = Limits { runs: config.max_runs.saturating_sub(spent.runs), interrupted };
        run_all(simpler.as_mut(), &mut runners, &limits, &mut spent, &mut news);
        if simpler.confirmed() {
            minimal = simpler.best().clone();
        }
    }
    let mut failure = None;
    if reproduced && let Some(recorded) = runners[0].recorded(&minimal) {
        failure = recorded.failure;
        if !deterministic || runners[0].run(&recorded.trace, 1).verdict == Verdict::Reproduced {
            minimal = recorded.trace;
        }
    }
    let tries = match (reproduced, deterministic) {
        (false, _) => 0,
        (true, true) => CERTIFICATE_RUNS,
        (true, false) => FLAKY_CERTIFICATE_RUNS,
    };
    let (mut certified, mut hits) = (0, 0);
    // Once is said to be seen only if it is seen, however little time is left.
    while certified < tries && (certified == 0 || !interrupted()) {
        certified += 1;
        hits += u32::from(runners[0].run(&minimal, 1).verdict == Verdict::Reproduced);
    }
    let report = ShrinkReport {
        format: ShrinkReport::FORMAT,
        goal: goal.to_string(),
        algorithm: config.algorithm.name.to_owned(),
        original: original_cost,
        minimal: minimal.cost(),
        runs: spent.runs,
        events: spent.events,
        proposed,
        refuted,
        ended: driven.word().to_owned(),
        reproduced,
        certificate_runs: certified,
        certificate_hits: hits,
        nd3min: nd3min.as_ref().map(Findings::report),
    };
    news(report.minimal, report.runs, true);
    let tallies = nd3min.map(|findings| findings.tallies).unwrap_or_default();
    Shrunk { goal: goal.clone(), original: original.clone(), minimal, failure, report, tallies }
}

/// Drives a shrinker on all devices and adds what it took.
fn run_all(
    shrinker: &mut dyn Shrinker,
    runners: &mut [Runner],
    limits: &Limits<'_>,
    spent: &mut Counts,
    news: &mut dyn FnMut(usize, u64, bool),
) -> Driven {
    let before = spent.runs;
    let mut workers: Vec<Worker<'_>> = runners
        .iter_mut()
        .map(|runner| Box::new(|candidate: &Candidate| runner.candidate(candidate)) as Worker<'_>)
        .collect();
    let mut progress =
        |shrinker: &dyn Shrinker| news(shrinker.best().cost(), shrinker.counts().runs + before, false);
    let driven = drive(shrinker, &mut workers, limits, &mut progress);
    let counts = shrinker.counts();
    spent.runs += counts.runs;
    spent.events += counts.events;
    driven
}

/// The part after the last restart, from the same start: most failures need nothing from before.
fn since_restart(original: &Trace) -> Option<Trace> {
    let last = original.events.iter().rposition(|event| event.input == Input::Restart)?;
    let events = original.events[last + 1..].to_vec();
    Some(Trace { events, ..original.clone() })
}

/// A run of a trace, written down.
struct Recorded {
    trace: Trace,
    touched: Vec<Option<Selector>>,
    failure: Option<Failure>,
}

/// Runs traces on one device and tells whether they end in one failure.
struct Runner {
    device: AnyDevice,
    goal: Goal,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Runner {
    fn new(device: AnyDevice, goal: Goal) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok();
        Self { device, goal, runtime }
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

    /// Runs a trace as a person would and writes down what was done and seen on the way: the widgets are called as they
    /// look in this run, not in the one that the trace was cut from. `None` if it does not go through.
    fn recorded(&mut self, trace: &Trace) -> Option<Recorded> {
        let runtime = self.runtime.as_ref()?;
        let (device, goal) = (&mut self.device, &self.goal);
        runtime.block_on(async {
            let package = device.capabilities().package.clone();
            let mut seen = device.reset(trace.start).await.ok()?;
            let mut screen = Screen::of(&seen.tree, &package);
            let mut found = Recorded {
                trace: Trace { first: Some(screen.clone()), events: Vec::new(), ..trace.clone() },
                touched: Vec::new(),
                failure: None,
            };
            for event in &trace.events {
                let resolved = resolve(event, &seen.tree)?;
                let meant =
                    event.target.as_ref().and_then(|target| target.find(&seen.tree)).map(|(node, _)| node);
                let before = Arc::clone(&seen.tree);
                seen = device.step(&resolved).await.ok()?;
                let after = Screen::of(&seen.tree, &package);
                found.touched.push(match seen.hit {
                    Some(Hit::Widget(_, node)) => Some(Selector::of(&before, node)),
                    _ => None,
                });
                found.trace.events.push(TraceEvent {
                    input: resolved.input,
                    wait: event.wait,
                    target: meant.map(|node| Selector::of(&before, node)),
                    before: Some(std::mem::replace(&mut screen, after.clone())),
                    after: Some(after),
                    rules: seen.rules.take(),
                });
                if judge(&seen, goal) == Judged::Met {
                    found.failure = seen.failures.into_iter().next();
                    return Some(found);
                }
            }
            None
        })
    }

    fn once(&mut self, trace: &Trace) -> RunRecord {
        let Some(runtime) = &self.runtime else { return RunRecord::lost() };
        let goal = &self.goal;
        let run = replay(&mut self.device, trace, Missing::Skip, |seen| judge(seen, goal));
        match runtime.block_on(run) {
            Ok(replayed) => {
                let record = record_of(&replayed, trace.events.len());
                match goal {
                    Goal::Path(label) => kept_path(record, &replayed, trace, *label),
                    _ => record,
                }
            }
            Err(error) => {
                tracing::warn!("{error}");
                RunRecord::lost()
            }
        }
    }
}

/// Whether an observation ends the run: with what is looked for, or with a failure that is not.
pub fn judge(seen: &Observation, goal: &Goal) -> Judged {
    match goal.judge(seen) {
        Some(Verdict::Reproduced) => Judged::Met,
        Some(Verdict::OtherFailure(signature)) => Judged::Ended(signature),
        _ => Judged::Open,
    }
}

/// A run that kept the path of its trace has reached its goal: each event was made and led to the state that was recorded.
fn kept_path(record: RunRecord, run: &Replayed, trace: &Trace, label: Label) -> RunRecord {
    let labels = Labels::new(label);
    let kept = run.done.len() == trace.events.len()
        && trace.events.iter().zip(run.screens.iter().skip(1)).all(|(event, seen)| {
            event.after.as_ref().is_some_and(|recorded| labels.of(recorded) == labels.of(seen))
        });
    match record.verdict {
        Verdict::NotReproduced if kept => RunRecord { verdict: Verdict::Reproduced, ..record },
        _ => record,
    }
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
