//! `siamang suite`: a small regression suite from a run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::explore::parse_time;
use super::lost;
use super::shrink::sources::shortest_in;
use super::stage::Stage;
use crate::abstraction::StateKey;
use crate::abstraction::registry::{self, Entry};
use crate::campaign::Control;
use crate::campaign::regression::Traces;
use crate::device::{DeviceError, Reset};
use crate::error::{CommandError, Exit};
use crate::nearest::unknown;
use crate::numbers::{counted, thousands};
use crate::report::bar::Bar;
use crate::report::table::{Align, Table};
use crate::seed::Seed;
use crate::suite::coverage::Item;
use crate::suite::path::Path as SuitePath;
use crate::suite::{Config, Counts, Loss, Recorded, Reduction, Stopped, reduce};
use crate::trace::segments::segments;
use crate::trace::suite_folder::{SuiteFolder, SuiteManifest, SuitePhase, SuiteTrace};
use crate::trace::{PackReader, RunFolder, RunInfo, SpineReader, Trace};

/// Make a small regression suite from a run: replayable traces with the run's coverage and failures.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang suite runs/latest                      the suite is in runs/latest/suite
  siamang replay runs/latest/suite --junit suite.xml
  siamang suite runs/latest --fragments 1 --out my-suite")]
pub struct Args {
    /// The run's folder.
    #[arg(default_value = "runs/latest")]
    run: PathBuf,
    /// Write the suite to this folder; `suite` in the run's folder otherwise.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The seed of the device that traces run on.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How states are named.
    #[arg(long, value_name = "NAME", default_value = "swifthand", help = super::names::abstraction("How states are named"))]
    abstraction: String,
    /// How often a trace must go the same way.
    #[arg(long, value_name = "N", default_value_t = 10)]
    repeats: u32,
    /// A trace is joined from at most so many fragments; 1 for no joining.
    #[arg(long, value_name = "K", default_value_t = 3)]
    fragments: usize,
    /// Executions of traces at the most.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_runs: u64,
    /// Stop after this time: 90s, 30m, 8h. What is there is kept.
    #[arg(long, value_name = "T", value_parser = parse_time)]
    time: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    stage: super::stage::StageArgs,
}

/// More fragments make fewer traces that replay (the paper's RQ6), and the search slow.
const MAX_FRAGMENTS: usize = 6;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let abstraction = args.check()?;
    let folder = RunFolder::open(&args.run)?;
    let info = folder.info()?;
    let stage = args.stage.open((&info).into(), &args.run)?;
    let control = Control::new(args.time);
    super::interrupt::watch(&control);
    let over = || control.is_over();
    let device = stage.only_device(Seed(args.seed).named("suite"))?;
    let mut traces = Traces::new(device, abstraction, args.max_runs, &over)?;
    let recorded = read_run(&folder, &mut traces)?;
    if recorded.is_empty() {
        let message = format!(
            "`{}` has no events that a suite could be made of; explore first, with --steps 1000 for instance",
            args.run.display()
        );
        return Err(CommandError::usage(message).into());
    }
    let by_branches = traces.tells_branches().map_err(|error| lost(&error))?;
    let out = SuiteFolder::create_at(&args.out.clone().unwrap_or_else(|| args.run.join("suite")))?;
    let config = Config { repeats: args.repeats, fragments: args.fragments, ..Config::default() };
    let bar = super::progress_line();
    let reduction = reduce(&mut traces, &recorded, &config, &mut |phase, counts| draw(&bar, phase, counts));
    bar.finish();
    if reduction.suite.is_empty() {
        out.discard();
        return Err(no_suite(&reduction, &control).into());
    }
    let head = head(&info, &stage, &traces);
    let (manifest, gone) = write(&out, &mut traces, &reduction, &head, args, by_branches)?;
    if args.json {
        super::print_json(&Report::new(&reduction, &manifest, out.path()))?;
    } else {
        super::print(&text(&reduction, by_branches, out.path()))?;
        if let Some(remark) = stage.remark() {
            super::print(&format!("{remark}\n"))?;
        }
    }
    if let Some(error) = gone {
        return Err(lost(&error).into());
    }
    match &reduction.stopped {
        Some(Stopped::Lost(why)) => {
            Err(CommandError { exit: Exit::Device, message: format!("{why}; what was there is kept") }.into())
        }
        _ if control.is_interrupted() => Ok(Exit::Interrupted),
        _ => Ok(Exit::Clean),
    }
}

/// Why there is nothing to write.
fn no_suite(reduction: &Reduction, control: &Control) -> CommandError {
    let nothing = "and nothing is written";
    let (exit, message) = match &reduction.stopped {
        Some(Stopped::Lost(why)) => (Exit::Device, format!("{why}; no trace was kept by then, {nothing}")),
        Some(Stopped::Ended) if control.is_interrupted() => {
            (Exit::Interrupted, format!("interrupted before a trace was checked, {nothing}"))
        }
        Some(Stopped::Ended) => (
            Exit::NotReproduced,
            format!(
                "the budget ended before a trace was checked, {nothing}; give a larger --max-runs or --time"
            ),
        ),
        None => (
            Exit::NotReproduced,
            format!(
                "no trace went the same way in all of its executions, {nothing}; with fewer --repeats, or with a coarser \
                 --abstraction such as activity, some may"
            ),
        ),
    };
    CommandError { exit, message }
}

impl Args {
    fn check(&self) -> anyhow::Result<&'static Entry> {
        let entry = registry::find(&self.abstraction).ok_or_else(|| {
            let names = registry::REGISTRY.map(|entry| entry.name);
            let message = unknown("abstraction", &self.abstraction, names.into_iter());
            CommandError::usage(format!("{message}; the abstractions are {}", names.join(", ")))
        })?;
        let wrong = |message: String| Err(CommandError::usage(message).into());
        if entry.build().evolving().is_some() {
            return wrong(format!(
                "{} changes while it explores, and a suite needs states that stay; use swifthand",
                entry.name
            ));
        }
        if self.repeats == 0 || self.max_runs == 0 {
            return wrong("--repeats 0 and --max-runs 0 would do nothing; use 1 or more".to_owned());
        }
        if !(1..=MAX_FRAGMENTS).contains(&self.fragments) {
            return wrong(format!(
                "--fragments {} is out of range; use 1 to {MAX_FRAGMENTS}",
                self.fragments
            ));
        }
        Ok(entry)
    }
}

/// The run's failing traces first, which are short, then everything between two restarts.
fn read_run(folder: &RunFolder, traces: &mut Traces<'_>) -> anyhow::Result<Vec<Recorded>> {
    let mut recorded = Vec::new();
    for file in failing(folder) {
        match Trace::read(&file) {
            Ok(trace) => {
                let visited = traces.visited(&trace).map_err(|error| lost(&error))?;
                if visited.is_none() {
                    tracing::warn!(
                        "{} cannot be run to its end as it is, and is left out; its failure is kept only if the log leads to \
                         it",
                        file.display()
                    );
                }
                recorded.extend(visited);
            }
            Err(error) => tracing::warn!("{error}"),
        }
    }
    let mut pack = PackReader::open(folder.path())?;
    let (segments, issues) = segments(SpineReader::open(folder.path())?);
    for issue in issues {
        tracing::warn!("{issue}; the traces end there");
    }
    let cleared = segments.iter().any(|segment| segment.start == Reset::Clean);
    if cleared && traces.start() == Reset::Warm {
        tracing::warn!(
            "the run began with the app's data cleared, and this suite begins with the data as found: traces that need \
             cleared data are cut\n  give --reset clear again, which clears the app's data"
        );
    }
    let (mut whole, left_out) = traces.recorded_run(&segments, &mut pack);
    if left_out > 0 {
        tracing::warn!("{left_out} events are left out: the run does not have what was on the screen");
    }
    recorded.append(&mut whole);
    Ok(recorded)
}

/// The shortest trace of each failure of a run.
fn failing(folder: &RunFolder) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.crashes()) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.filter_map(Result::ok).filter_map(|entry| shortest_in(&entry.path())).collect();
    files.sort();
    files
}

fn head(info: &RunInfo, stage: &Stage, traces: &Traces<'_>) -> Trace {
    Trace {
        format: Trace::FORMAT,
        package: info.app.clone(),
        app_hash: stage.app_hash(),
        target: stage.target(),
        device: traces.device_kind().to_owned(),
        start: traces.start(),
        first: None,
        failure: None,
        events: Vec::new(),
    }
}

fn write(
    out: &SuiteFolder,
    traces: &mut Traces<'_>,
    reduction: &Reduction,
    head: &Trace,
    args: &Args,
    by_branches: bool,
) -> anyhow::Result<(SuiteManifest, Option<DeviceError>)> {
    let mut listed = Vec::new();
    // What a lost device cannot show any more is no reason to throw away what was found.
    let mut gone = None;
    let mut states: BTreeSet<StateKey> = BTreeSet::new();
    for (ix, path) in reduction.suite.iter().enumerate() {
        let file = SuiteFolder::file(ix + 1);
        let events: Vec<u32> = path.steps.iter().map(|step| step.event).collect();
        let visited: Vec<StateKey> = (0..=path.steps.len()).map(|at| path.state(at)).collect();
        let shown = if gone.is_some() { None } else { Some(traces.trace(head, &events, &visited)) };
        let trace = match shown {
            Some(Ok(trace)) => trace,
            unseen => {
                gone = gone.or(unseen.and_then(Result::err));
                traces.unseen(head, &events)
            }
        };
        if trace.first.is_none() {
            tracing::warn!(
                "{file} replayed before and could not be run as it was when it was written down: its screens are not in it"
            );
        }
        out.write_trace(&file, &trace)?;
        states.extend(&visited);
        listed.push(SuiteTrace { file, states: visited, failures: failures(path, reduction) });
    }
    let manifest = SuiteManifest {
        format: SuiteManifest::FORMAT,
        app: head.package.clone(),
        app_hash: head.app_hash.clone(),
        target: head.target.clone(),
        device: head.device.clone(),
        abstraction: args.abstraction.clone(),
        coverage: coverage_word(by_branches).to_owned(),
        repeats: args.repeats,
        complete: reduction.stopped.is_none(),
        phases: rows(reduction),
        traces: listed,
        screens: traces.screens(states),
    };
    out.write_manifest(&manifest)?;
    Ok((manifest, gone))
}

fn failures(path: &SuitePath, reduction: &Reduction) -> Vec<crate::oracle::Signature> {
    let covered = path.coverage();
    let failure = |item| match reduction.items.get(item) {
        Some(Item::Failure(signature)) => Some(signature.clone()),
        _ => None,
    };
    covered.iter().filter_map(failure).collect()
}

fn rows(reduction: &Reduction) -> Vec<SuitePhase> {
    let row = |phase: &crate::suite::Phase| SuitePhase {
        phase: phase.name.to_owned(),
        branches: phase.branches,
        screens: phase.screens,
        failures: phase.failures,
        actions: phase.actions,
        traces: phase.traces,
        executions: phase.counts.executions,
    };
    reduction.phases.iter().map(row).collect()
}

fn coverage_word(by_branches: bool) -> &'static str {
    if by_branches { "branches" } else { "states and actions" }
}

fn draw(bar: &Bar, phase: &str, counts: Counts) {
    const EVERY: u64 = 16;
    if counts.executions.is_multiple_of(EVERY) {
        bar.set_message(format!(
            "{phase}: {} executions, {} kept, {} rejected",
            thousands(counts.executions),
            thousands(counts.kept),
            thousands(counts.rejected)
        ));
    }
}

fn text(reduction: &Reduction, by_branches: bool, out: &Path) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("suite", Align::Left),
        ("branches", right),
        ("screens", right),
        ("failures", right),
        ("actions", right),
        ("traces", right),
        ("executions", right),
    ]);
    for phase in &reduction.phases {
        let numbers = [phase.branches, phase.screens, phase.failures, phase.actions, phase.traces];
        let cells = numbers.map(|number| thousands(number as u64)).into_iter();
        let branches = |(ix, cell): (usize, String)| if ix == 0 && !by_branches { "-".into() } else { cell };
        let cells = cells.enumerate().map(branches).chain([thousands(phase.counts.executions)]);
        table.row([phase.name.to_owned()].into_iter().chain(cells));
    }
    let mut text = table.render_within(super::width());
    if !by_branches {
        text.push_str("\nThe device tells no branches: abstract states and actions stand in for them.\n");
    }
    let Loss { traces, cut, events, items, failures } = &reduction.loss;
    let lost = if reduction.stopped.is_some() { "not replayable, or not tried" } else { "not replayable" };
    if *events > 0 || *traces > 0 {
        let _ = writeln!(
            text,
            "\n{lost}: {} ({}, {} cut), with {} {}",
            counted(*events as u64, "event"),
            counted(*traces as u64, "whole trace"),
            thousands(*cut as u64),
            thousands(*items as u64),
            if *items == 1 { "branch or screen" } else { "branches and screens" }
        );
    }
    for failure in failures {
        let _ = writeln!(text, "{lost}: the failure {failure}");
    }
    if reduction.stopped.is_some() {
        text.push_str("\nIt ended early; the suite is what was there by then.\n");
    }
    let _ = writeln!(text, "\nsuite: {}", out.display());
    text
}

#[derive(Serialize)]
struct Report<'a> {
    suite: String,
    coverage: &'a str,
    phases: &'a [SuitePhase],
    lost_traces: usize,
    lost_events: usize,
    lost_items: usize,
    lost_failures: Vec<String>,
    executions: u64,
    kept: u64,
    rejected: u64,
    pruned: u64,
    complete: bool,
}

impl<'a> Report<'a> {
    fn new(reduction: &'a Reduction, manifest: &'a SuiteManifest, out: &Path) -> Self {
        let Loss { traces, events, items, failures, .. } = &reduction.loss;
        Self {
            suite: out.display().to_string(),
            coverage: &manifest.coverage,
            phases: &manifest.phases,
            lost_traces: *traces,
            lost_events: *events,
            lost_items: *items,
            lost_failures: failures.iter().map(ToString::to_string).collect(),
            executions: reduction.counts.executions,
            kept: reduction.counts.kept,
            rejected: reduction.counts.rejected,
            pruned: reduction.counts.pruned,
            complete: reduction.stopped.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_device_tells_no_branches_it_is_said_what_stands_in_for_them() {
        let phase = crate::suite::Phase {
            name: "recorded",
            branches: 0,
            screens: 7,
            failures: 1,
            actions: 40,
            traces: 3,
            counts: Counts::default(),
        };
        let reduction = Reduction {
            suite: Vec::new(),
            replayable: Vec::new(),
            without_splicing: Vec::new(),
            phases: vec![phase],
            loss: Loss::default(),
            items: crate::suite::coverage::Items::default(),
            counts: Counts::default(),
            stopped: None,
        };
        let sentence = "The device tells no branches: abstract states and actions stand in for them.";
        let cells = |text: &str| -> Vec<String> {
            let row = text.lines().find(|line| line.trim_start().starts_with("recorded"));
            row.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let without = text(&reduction, false, Path::new("suite"));
        assert!(without.contains(sentence), "{without}");
        assert_eq!(cells(&without)[..4], ["recorded", "-", "7", "1"], "{without}");
        let with = text(&reduction, true, Path::new("suite"));
        assert!(!with.contains(sentence), "{with}");
        assert_eq!(cells(&with)[..4], ["recorded", "0", "7", "1"], "{with}");
    }
}
