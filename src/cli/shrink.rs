//! `siamang shrink`: the shortest trace to a failure.

mod algorithm;
mod leads_to;
pub mod sources;
mod told;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::algorithm::AlgorithmArgs;
use self::leads_to::LeadsTo;
use self::sources::{Source, sources};
use self::told::{how_far, in_json, in_short, nothing_written, remarks, steps, table};
use super::stage::{Stage, Stages};
use crate::campaign::Control;
use crate::campaign::hunt::MAX_LEARNED;
use crate::campaign::keep::keep_shrunk;
use crate::campaign::shrinking::{ShrinkConfig, ShrinkReport, Shrunk, Task, shrink};
use crate::error::{CommandError, Exit};
use crate::oracle::Signature;
use crate::report::ShrinkNote;
use crate::report::terminal::ShrinkProgress;
use crate::seed::Seed;
use crate::shrink::driver::Driven;
use crate::shrink::goal::{Goal, Names};
use crate::shrink::nd3min::prior::Prior;
use crate::shrink::nd3min::schedule::Tally;
use crate::shrink::path_model::PathModel;
use crate::shrink::registry::{ALGORITHMS, Algorithm, PASSES};
use crate::trace::event_tree::{Label, Labels};
use crate::trace::run_folder::TraceKind;
use crate::trace::{PackReader, RunEvent, SpineReader, Trace};

/// Shorten a failing trace, or all failing traces of a run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang shrink runs/latest
  siamang shrink runs/latest/crashes/anr-* --algorithm ddmin
  siamang shrink trace.json --all-algorithms
  siamang shrink trace.json --algorithm nd3min --nd3min n=5,nr=20,st=18 --jobs 15
  siamang shrink runs/latest --learn-prior prior.txt    then: --algorithm nd3min --prior prior.txt")]
pub struct Args {
    /// Traces, run folders or folders of failures.
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    /// Run every algorithm and compare them.
    #[arg(long, conflicts_with_all = ["algorithm", "strategy"])]
    all_algorithms: bool,
    /// Write the shortest trace here; only with a single trace.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The seed of the devices that candidates run on. With several at once their answers come in another order each time,
    /// which on an app that does not always do the same may change how many runs it takes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Look only at what was recorded: each trace's event tree and what could be dropped, without a device. Also for
    /// traces of other tools.
    #[arg(long = "static", conflicts_with_all = NEED_A_DEVICE)]
    without_device: bool,
    /// The algorithm, as with --algorithm; `ineffective` deletes only what contributes nothing to the test, also in a
    /// trace without a failure, whose path through the states is kept.
    #[arg(long, value_name = "NAME", conflicts_with = "algorithm")]
    strategy: Option<String>,
    /// What the short trace must still do: failure, activity:NAME, screen:HASH, branch:ID or path:LABEL. With path, each
    /// event that is left leads where it led; LABEL is as with --label, and `state` unless it is given.
    #[arg(long, value_name = "GOAL", default_value = "failure")]
    goal: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Minimise with nd3min and the schedule round-robin, and write what its runs say of traces in general here.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_algorithms", "strategy"])]
    learn_prior: Option<PathBuf>,
    #[command(flatten)]
    algorithm: AlgorithmArgs,
    #[command(flatten)]
    stage: super::stage::StageArgs,
}

/// What means nothing where nothing is run; saying so is better than not heeding it.
const NEED_A_DEVICE: &[&str] = &[
    "all_algorithms",
    "out",
    "strategy",
    "seed",
    "goal",
    "learn_prior",
    "algorithm",
    "jobs",
    "max_runs",
    "screenshots",
    "whole",
    "rules_first",
    "nd3min",
    "prior",
    "target",
    #[cfg(feature = "adb")]
    "devices",
];

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let control = Control::new(None);
    let base = args.base(&control)?;
    if args.without_device {
        return super::without_device::run(&args.traces, base.label, &base.chard, args.json);
    }
    let mut files = Vec::new();
    for source in sources(&args.traces)? {
        let trace = source.trace()?;
        files.push((source, trace));
    }
    if args.out.is_some() && files.len() != 1 {
        return Err(
            CommandError::usage(format!("--out takes one trace, but there are {}", files.len())).into()
        );
    }
    for place in args.out.iter().chain(&args.learn_prior) {
        super::try_place(place)?;
    }
    let algorithms: Vec<&'static Algorithm> =
        if args.all_algorithms { ALGORITHMS.iter().collect() } else { vec![base.algorithm] };
    let configs: Vec<ShrinkConfig> =
        algorithms.iter().map(|algorithm| ShrinkConfig { algorithm, ..base.clone() }).collect();
    super::interrupt::watch(&control);
    let mut done = Done { traces: files.len(), ..Done::default() };
    let mut ended = done.shrink(&files, &configs, args, &control);
    // Whoever ends it before a candidate was run knows that there is nothing to learn from.
    let learns = !done.tallies.is_empty() || !control.is_interrupted();
    if let (Some(file), Ok(()), true) = (&args.learn_prior, &ended, learns) {
        ended = write_prior(file, &done.tallies);
    }
    // What was found is told, whatever went wrong behind it.
    if !done.reports.is_empty() || ended.is_ok() {
        done.print(args, control.is_interrupted().then_some(files.len() * configs.len()))?;
    }
    // Each is told, and the last one ends the command, unless something worse does.
    let last = if ended.is_ok() { done.unwritten.pop() } else { None };
    for error in &done.unwritten {
        tracing::warn!("{error:#}");
    }
    ended?;
    if let Some(error) = last {
        return Err(error.context("not everything was written"));
    }
    let reports = &done.reports;
    Ok(if control.is_interrupted() {
        Exit::Interrupted
    } else if reports.iter().any(is_lost) {
        let message = format!("{}\n  {}", why_lost(reports), super::ASK_THE_DOCTOR);
        return Err(CommandError { exit: Exit::Device, message }.into());
    } else if reports.iter().all(|report| report.reproduced && report.goal.starts_with("path:")) {
        Exit::Clean
    } else if reports.iter().all(|report| report.reproduced) {
        Exit::Found
    } else {
        Exit::NotReproduced
    })
}

/// No device was left.
fn is_lost(report: &ShrinkReport) -> bool {
    report.ended == Driven::DeviceLost.word()
}

/// What the device said when it was lost; what other traces did instead of failing is another story.
fn why_lost(reports: &[ShrinkReport]) -> &str {
    let mut lost = reports.iter().filter(|report| is_lost(report));
    lost.find_map(|report| report.instead.as_deref()).unwrap_or("the phone is gone")
}

impl Args {
    /// How to shrink, but for the algorithm if all are asked for.
    fn base(&self, control: &Control) -> anyhow::Result<ShrinkConfig> {
        if self.learn_prior.is_none() {
            let name = self.strategy.as_deref().unwrap_or(self.algorithm.name());
            return self.algorithm.config_for(name, control);
        }
        if let Some(other) = self.algorithm.algorithm.as_ref().filter(|name| *name != LEARNS) {
            let message =
                format!("--learn-prior minimises with {LEARNS}, and not with {other}; leave --algorithm out");
            return Err(CommandError::usage(message).into());
        }
        // A prior is learnt from runs that no schedule has chosen; the last word counts.
        let mut algorithm = self.algorithm.clone();
        let asked = algorithm.nd3min.take().unwrap_or_default();
        algorithm.nd3min = Some(format!("{asked},schedule=round-robin"));
        algorithm.config_for(LEARNS, control)
    }
}

/// The algorithm that learns priors.
const LEARNS: &str = "nd3min";

/// What was shrunk, and what there is to say of it.
#[derive(Default)]
struct Done {
    reports: Vec<ShrinkReport>,
    /// Where each trace was that a report is of.
    read: Vec<PathBuf>,
    /// So many traces were named.
    traces: usize,
    /// The fewest events that a failure is known to need.
    shortest: BTreeMap<String, u32>,
    /// Folders of failures that hold a new shortest trace.
    kept: Vec<Kept>,
    tallies: Vec<Tally>,
    start: Option<&'static str>,
    /// What is left of traces that no folder keeps, as steps that a person follows.
    steps: Vec<String>,
    /// A folder of a failure has a trace that is as good.
    as_good: bool,
    /// The traces came with a run, and with what it has learnt of the app.
    knows_run: bool,
    /// What `--out` holds.
    written: Option<ShrinkReport>,
    /// What could not be written, and why.
    unwritten: Vec<anyhow::Error>,
}

impl Done {
    fn shrink(
        &mut self,
        files: &[(Source, Trace)],
        configs: &[ShrinkConfig],
        args: &Args,
        control: &Control,
    ) -> anyhow::Result<()> {
        let mut stages = Stages::new(&args.stage);
        for (file, trace) in files {
            let mut leads_to = None;
            for config in configs {
                if control.is_interrupted() {
                    return Ok(());
                }
                let (stage, shrunk) =
                    shrink_file(file, trace, &mut leads_to, config, args, &mut stages, control)?;
                self.start = self.start.or(stage.remark());
                self.knows_run |= file.run.is_some();
                if let Some(known) = stage.shortest(&shrunk.report.goal) {
                    self.shortest.insert(shrunk.report.goal.clone(), known);
                }
                let now = &shrunk.report;
                let best = self.written.as_ref().is_none_or(|written| now.is_better_than(written));
                self.reports.push(shrunk.report.clone());
                self.read.push(file.path.clone());
                self.tallies.extend_from_slice(&shrunk.tallies);
                let is_kept = file.run.is_some() && matches!(shrunk.goal, Goal::Failure(_));
                match keep(file, &shrunk) {
                    Ok(Some(kept)) => match self.kept.last_mut().filter(|last| last.folder == kept.folder) {
                        Some(last) => last.now = kept.now,
                        None => self.kept.push(kept),
                    },
                    Ok(None) if is_kept => self.as_good = true,
                    kept => {
                        if shrunk.report.reproduced && configs.len() == 1 {
                            self.steps.push(steps(&shrunk.minimal));
                        }
                        // What cannot be written keeps nobody from shrinking the others.
                        self.unwritten.extend(kept.err());
                    }
                }
                if let Some(out) = &args.out
                    && shrunk.report.reproduced
                    && best
                {
                    self.unwritten.extend(shrunk.crash(None).write(out).err().map(anyhow::Error::from));
                    self.written = Some(shrunk.report);
                }
            }
        }
        Ok(())
    }

    /// Prints it; after an interruption also how many of the shrinks that were wanted ran to their end.
    fn print(&self, args: &Args, interrupted: Option<usize>) -> anyhow::Result<()> {
        let reports = &self.reports;
        if args.json {
            let shortest = |report: &ShrinkReport| self.shortest.get(&report.goal).copied();
            let told = self.read.iter().zip(reports);
            let told: Vec<_> = told.map(|(file, report)| in_json(file, report, shortest(report))).collect();
            return super::print_json(&told);
        }
        super::print(&table(reports.iter(), |goal| self.shortest.get(goal).copied()))?;
        super::print(&remarks(reports))?;
        if args.all_algorithms && self.knows_run {
            super::print(
                "\npathfirst also knew what the run had learnt of the app; a trace that is copied elsewhere is shrunk \
                 without that",
            )?;
        }
        if interrupted.is_some() && reports.is_empty() {
            super::print("interrupted before anything was run")?;
        } else if let Some(wanted) = interrupted {
            super::print(&how_far(reports, wanted))?;
        }
        for found in reports.iter().filter_map(ShrinkReport::nd3min_line) {
            super::print(&format!("\n{found}"))?;
        }
        if let Some(start) = self.start {
            super::print(&format!("\n{start}"))?;
        }
        for Kept { folder, gone, before, now } in &self.kept {
            super::print(&format!("\nshortest trace and steps: {}", folder.display()))?;
            if let Some(before) = before {
                super::print(&format!("\n  {} in place of {}", in_short(now), in_short(before)))?;
            }
            if let Some(gone) = gone {
                super::print(&format!(
                    "\n{} went for {} there; `siamang explain {} --original` still has it",
                    gone.display(),
                    TraceKind::Minimal.file(),
                    folder.display()
                ))?;
            }
        }
        match &args.out {
            Some(out)
                if out.exists()
                    && self.unwritten.is_empty()
                    && reports.iter().any(|report| report.reproduced) =>
            {
                super::print(&format!("\nshortest trace: {}", out.display()))?;
            }
            _ if (self.kept.is_empty() || !self.unwritten.is_empty())
                && reports.iter().any(|report| report.reproduced) =>
            {
                for steps in &self.steps {
                    super::print(&format!("\n{steps}"))?;
                }
                if self.kept.is_empty() {
                    super::print(&nothing_written(self.traces, self.as_good))?;
                }
            }
            _ => {}
        }
        super::print("\n")
    }
}

/// A folder of a failure that holds a new shortest trace.
struct Kept {
    folder: PathBuf,
    /// The file that went for it if it was the one that was named.
    gone: Option<PathBuf>,
    /// The shortest trace that was there before, and the one that is there now.
    before: Option<ShrinkReport>,
    now: ShrinkReport,
}

/// Writes the prior that runs of candidates suggest, as `--prior` reads it.
fn write_prior(file: &Path, tallies: &[Tally]) -> anyhow::Result<()> {
    let Some(learnt) = Prior::learn(tallies.iter().copied()) else {
        // What was asked of the traces is done all the same, and tells how the command ends.
        tracing::warn!(
            "no part of a trace was run, so that there is nothing to learn a prior from; none was written"
        );
        return Ok(());
    };
    let weights: Vec<String> = learnt.points().iter().map(|(_, weight)| weight.to_string()).collect();
    std::fs::write(file, weights.join(",") + "\n")
        .map_err(|error| CommandError::usage(format!("cannot write `{}`: {error}", file.display())).into())
}

fn shrink_file(
    source: &Source,
    trace: &Trace,
    leads_to: &mut Option<LeadsTo>,
    config: &ShrinkConfig,
    args: &Args,
    stages: &mut Stages<'_>,
    control: &Control,
) -> anyhow::Result<(Arc<Stage>, Shrunk)> {
    let file = source.path.as_path();
    let stage = stages.open(trace.into(), file)?;
    let mut trace = stage.adapt(trace);
    let mut labels = Labels::new(config.label);
    if config.label == Label::Structure
        && let Some((_, run)) = &source.run
        && let Ok(mut pack) = PackReader::open(run.path())
    {
        // What was recorded is told apart as what will be seen.
        let structures = pack.structures();
        trace.know_structures(&structures);
        labels = labels.with_structures(structures);
    }
    let seed = Seed(args.seed).named("shrink");
    let make = |number| stage.device(number, seed.nth(number));
    if trace.failure.is_none() && args.goal == "failure" && !config.algorithm.is_pass() {
        // A script of another tool does not say what it leads to; runs of it do, and all algorithms profit.
        if leads_to.is_none() {
            *leads_to = Some(LeadsTo::find(&trace, make(0), config.max_runs, control, file)?);
        }
        trace.failure = leads_to.as_ref().map(|leads_to| leads_to.failure.clone());
    } else if let Some(bare) = trace.failure.clone().filter(Signature::lacks_stack)
        && args.goal == "failure"
    {
        if leads_to.is_none() {
            *leads_to = LeadsTo::like(&bare, &trace, make(0), config.max_runs, control);
            if let Some(found) = leads_to.as_ref().filter(|found| found.failure != bare) {
                tracing::warn!(
                    "{}: no stack was recorded of {bare}; it is taken for {}, which the trace led to",
                    file.display(),
                    found.failure
                );
            }
        }
        trace.failure = leads_to.as_ref().map(|leads_to| leads_to.failure.clone()).or(trace.failure.take());
    }
    let looked = leads_to.as_ref().map_or(0, |leads_to| leads_to.runs);
    let trace = &trace;
    let screens = trace.events.iter().filter_map(|event| event.after.as_ref()).chain(&trace.first);
    let activities = stage.activities().into_iter().chain(screens.map(|screen| screen.activity.clone()));
    let activities = activities.filter(|activity| !activity.is_empty()).collect();
    let names = Names { branches: stage.branches(), activities };
    let phones = stage.serials().len();
    #[cfg(feature = "adb")]
    if phones > 0 {
        args.algorithm.refuse_jobs()?;
    }
    let config = &ShrinkConfig {
        jobs: if phones > 0 { phones } else { config.jobs },
        // What is left is at least one run, without which nothing could be said.
        max_runs: config.max_runs.saturating_sub(looked).max(1),
        ..config.clone()
    };
    let goal = match args.goal.as_str() {
        "failure" if trace.failure.is_none() && config.algorithm.is_pass() => "path",
        goal => goal,
    };
    let goal = Goal::parse(goal, trace.failure.as_ref(), &names)
        .map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))?;
    check_record(trace, &goal, file)?;
    check_algorithm(config, &goal)?;
    let interrupted = || control.is_interrupted();
    let mut progress = ShrinkProgress::new(config.algorithm.name);
    let mut note = |note: ShrinkNote| progress.on_shrink(&note);
    let task = Task {
        make_device: &make,
        original: trace,
        goal: &goal,
        model: learnt(source, &labels).map(Arc::new),
        config,
        interrupted: &interrupted,
    };
    let mut shrunk = shrink(task, &mut note);
    shrunk.report.runs += looked;
    shrunk.report.rounds += looked;
    Ok((stage, shrunk))
}

/// What the exploration has learnt that a trace was cut from, if it is there.
fn learnt(source: &Source, labels: &Labels) -> Option<PathModel> {
    let (_, run) = source.run.as_ref()?;
    let spine = SpineReader::open(run.path()).ok()?;
    let mut model = PathModel::new();
    for event in spine {
        if let Ok(RunEvent::Step(step)) = event
            && model.len() < MAX_LEARNED
        {
            model.learn_step(&step, labels);
        }
    }
    Some(model)
}

/// A trace in the folder of a failure gets its short trace beside it, as after `explore`, unless a better one is there.
fn keep(file: &Source, shrunk: &Shrunk) -> anyhow::Result<Option<Kept>> {
    let (Some((crash, run)), Goal::Failure(signature)) = (&file.run, &shrunk.goal) else {
        return Ok(None);
    };
    let known = run.kept_crash(signature)?.filter(|crash| crash.kind() == TraceKind::Minimal);
    // What is as long is kept for its pictures, if there are none yet.
    let pictures = !shrunk.pictures.is_empty() && !run.has_pictures(signature);
    let known_report = known.as_ref().and_then(|known| known.shrunk.as_ref());
    let found_after = known_report.map_or(0, |known| known.original);
    let better = known.as_ref().is_none_or(|known| {
        let (now, before) = (shrunk.report.minimal, known.trace.cost());
        let as_long = now == before && pictures;
        known.shrunk.as_ref().map_or(now < before || as_long, |known| {
            shrunk.report.is_better_than(known) || as_long && !shrunk.report.holds_less_than(known)
        })
    });
    if !shrunk.report.reproduced || !better {
        return Ok(None);
    }
    // It was found when it was found, wherever this shrink began.
    let report = ShrinkReport { original: shrunk.report.original.max(found_after), ..shrunk.report.clone() };
    let now = report.clone();
    keep_shrunk(run, signature, &Shrunk { report, ..shrunk.clone() }, run.elsewhere(signature))?;
    let gone = Some(file.path.clone()).filter(|path| !path.exists());
    Ok(Some(Kept { folder: crash.clone(), gone, before: known.and_then(|known| known.shrunk), now }))
}

/// Shrinkers of failures rely on it that what has not failed by the end of a run has not failed before, and so need no run of
/// the beginnings of a trace: a beginning may well keep a path that the whole does not.
fn check_algorithm(config: &ShrinkConfig, goal: &Goal) -> anyhow::Result<()> {
    let keeps = config.algorithm.is_pass() && !config.rules_first;
    if keeps || !matches!(goal, Goal::Path(_)) {
        return Ok(());
    }
    let names: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
    Err(CommandError::usage(format!(
        "--goal path is kept by --algorithm {} alone, without --rules-first: {} looks for the shortest trace that fails or \
         reaches something, and nothing is shorter than the path of no event",
        names.join(" or "),
        config.algorithm.name
    ))
    .into())
}

/// A path can only be kept where it was recorded.
fn check_record(trace: &Trace, goal: &Goal, file: &Path) -> anyhow::Result<()> {
    if !matches!(goal, Goal::Path(_)) {
        return Ok(());
    }
    if trace.events.is_empty() {
        return Err(CommandError::usage(format!("{}: the trace has no events", file.display())).into());
    }
    if trace.failure.is_some() {
        let message = format!(
            "{}: the trace ends in a failure, which --goal failure keeps; a path is kept of traces that end in none",
            file.display()
        );
        return Err(CommandError::usage(message).into());
    }
    let missing = trace.events.iter().position(|event| event.after.is_none());
    match missing {
        None => Ok(()),
        Some(event) => {
            let message = format!(
                "{}: event {} has no screen after it, so that its path cannot be kept; record the trace with `siamang \
                 explore`, which writes the screens down, or give another --goal",
                file.display(),
                event + 1
            );
            Err(CommandError::usage(message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_device_was_lost_is_told_by_the_shrink_that_lost_it() {
        let report = |ended: Driven, instead: Option<&str>| -> ShrinkReport {
            let told = serde_json::json!({
                "format": ShrinkReport::FORMAT, "goal": "java E", "algorithm": "pathfirst", "original": 2,
                "minimal": 2, "runs": 1, "events": 2, "ended": ended.word(), "reproduced": false,
                "certificate_runs": 0, "certificate_hits": 0, "instead": instead,
            });
            serde_json::from_value(told).expect("a report")
        };
        let silent = report(Driven::Done, Some("all events were done, and nothing failed"));
        let lost = report(Driven::DeviceLost, Some("adb: device offline"));
        assert_eq!(why_lost(&[silent.clone(), lost]), "adb: device offline");
        assert_eq!(why_lost(&[silent, report(Driven::DeviceLost, None)]), "the phone is gone");
    }
}
