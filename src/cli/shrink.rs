//! `siamang shrink`: the shortest trace to a failure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::campaign::Control;
use crate::campaign::hunt::{MAX_LEARNED, keep_shrunk};
use crate::campaign::shrinking::{ShrinkConfig, ShrinkReport, Shrunk, Task, shrink};
use crate::device::virtual_device::app::App;
use crate::device::virtual_device::compile::unknown;
use crate::device::{AnyDevice, VirtualDevice};
use crate::error::{CommandError, Exit};
use crate::report::ShrinkNote;
use crate::report::table::{Align, Table, clean, thousands};
use crate::report::terminal::ShrinkProgress;
use crate::seed::Seed;
use crate::shrink::goal::Goal;
use crate::shrink::path_model::PathModel;
use crate::shrink::registry::{ALGORITHMS, Algorithm, DEFAULT, find};
use crate::target::Target;
use crate::trace::event_tree::{Label, Labels};
use crate::trace::run_folder::TraceKind;
use crate::trace::{RunEvent, RunFolder, SpineReader, Trace};

/// Shorten a failing trace, or all failing traces of a run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang shrink runs/latest/crashes/*/original.trace.json
  siamang shrink runs/latest --all-algorithms")]
pub struct Args {
    /// Traces, run folders or folders of failures.
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    /// Run every algorithm and compare them.
    #[arg(long)]
    all_algorithms: bool,
    /// Write the shortest trace here; only with a single trace.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The app, where the trace does not name it.
    #[arg(long)]
    target: Option<String>,
    /// The seed of the devices that candidates run on.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What the short trace must still do: failure, activity:NAME, screen:HASH or branch:ID.
    #[arg(long, value_name = "GOAL", default_value = "failure")]
    goal: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    algorithm: AlgorithmArgs,
}

/// How to shrink.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Shrinking")]
pub struct AlgorithmArgs {
    /// The algorithm.
    #[arg(long, value_name = "NAME", default_value = DEFAULT)]
    algorithm: String,
    /// What counts as a state: activity, window, structure or state.
    #[arg(long, value_name = "LABEL", default_value = Label::Window.word(), value_parser = parse_label)]
    label: Label,
    /// Devices at once.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Runs of candidates at the most, for one trace.
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    max_runs: u64,
}

/// More devices than this at once help nobody and cost a thread each.
const MAX_JOBS: usize = 256;

impl AlgorithmArgs {
    /// What it means.
    pub fn config(&self) -> anyhow::Result<ShrinkConfig> {
        let algorithm = find(&self.algorithm).ok_or_else(|| {
            let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
            let message = unknown("algorithm", &self.algorithm, names.iter().copied());
            CommandError::usage(format!("{message}; the algorithms are {}", names.join(", ")))
        })?;
        if !(1..=MAX_JOBS).contains(&self.jobs) {
            return Err(CommandError::usage(format!(
                "--jobs {} is out of range; use 1 to {MAX_JOBS}",
                self.jobs
            ))
            .into());
        }
        if self.max_runs == 0 {
            return Err(CommandError::usage("--max-runs 0 would do nothing; use 1 or more").into());
        }
        Ok(ShrinkConfig { algorithm, label: self.label, jobs: self.jobs, max_runs: self.max_runs })
    }
}

fn parse_label(word: &str) -> Result<Label, String> {
    Label::ALL.into_iter().find(|label| label.word() == word).ok_or_else(|| {
        let words = Label::ALL.map(Label::word);
        format!("{}; the labels are {}", unknown("label", word, words.into_iter()), words.join(", "))
    })
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let base = args.algorithm.config()?;
    let files = trace_files(&args.traces)?;
    if args.out.is_some() && files.len() != 1 {
        return Err(
            CommandError::usage(format!("--out takes one trace, but there are {}", files.len())).into()
        );
    }
    let control = Control::new(None);
    super::interrupt::watch(&control);
    let algorithms: Vec<&'static Algorithm> =
        if args.all_algorithms { ALGORITHMS.iter().collect() } else { vec![base.algorithm] };
    let mut reports = Vec::new();
    let mut shortest: BTreeMap<String, u32> = BTreeMap::new();
    let mut kept = Vec::new();
    for file in &files {
        let trace = Trace::read(file)?;
        for algorithm in &algorithms {
            let config = ShrinkConfig { algorithm, ..base };
            if control.is_interrupted() {
                break;
            }
            let (app, shrunk) = shrink_file(file, &trace, &config, args, &control)?;
            if let Some(known) = app.shortest(&shrunk.report.goal) {
                shortest.insert(shrunk.report.goal.clone(), known);
            }
            if let Some(folder) = keep(file, &shrunk)? {
                kept.push(folder);
            }
            if let Some(out) = &args.out
                && shrunk.report.reproduced
                && reports
                    .iter()
                    .all(|other: &ShrinkReport| !other.reproduced || shrunk.report.minimal < other.minimal)
            {
                shrunk.minimal.write(out)?;
            }
            reports.push(shrunk.report);
        }
    }
    if args.json {
        super::print_json(&reports)?;
    } else {
        super::print(&table(reports.iter(), |goal| shortest.get(goal).copied()))?;
        super::print(&remarks(&reports))?;
        kept.dedup();
        for folder in kept {
            super::print(&format!("\nshortest trace and steps: {}", folder.display()))?;
        }
        super::print("\n")?;
    }
    Ok(if control.is_interrupted() {
        Exit::Interrupted
    } else if reports.iter().all(|report| report.reproduced) {
        Exit::Found
    } else {
        Exit::NotReproduced
    })
}

fn shrink_file(
    file: &Path,
    trace: &Trace,
    config: &ShrinkConfig,
    args: &Args,
    control: &Control,
) -> anyhow::Result<(Arc<App>, Shrunk)> {
    let target = Target::parse(args.target.as_deref().unwrap_or(&trace.target))?;
    let app = target.load()?;
    check_app(trace, &app, file)?;
    let seed = Seed(args.seed).named("shrink");
    let make = |number| AnyDevice::Virtual(Box::new(VirtualDevice::new(app.clone(), seed.nth(number))));
    let branches: Vec<_> = app.rules.iter().map(|rule| rule.name.clone()).collect();
    let goal = Goal::parse(&args.goal, trace.failure.as_ref(), &branches)
        .map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))?;
    let interrupted = || control.is_interrupted();
    let mut progress = ShrinkProgress::new(config.algorithm.name);
    let mut note = |note: ShrinkNote| progress.on_shrink(&note);
    let task = Task {
        make_device: &make,
        original: trace,
        goal: &goal,
        model: learnt(file, &Labels::new(config.label)),
        config,
        interrupted: &interrupted,
    };
    let shrunk = shrink(task, &mut note);
    Ok((app, shrunk))
}

/// The run in whose folder of failures a trace lies.
fn run_of(file: &Path) -> Option<RunFolder> {
    let crash =
        file.parent().filter(|_| file.file_name().is_some_and(|name| name == "original.trace.json"))?;
    RunFolder::open(crash.parent()?.parent()?).ok()
}

/// What the exploration has learnt that a trace was cut from, if it is there.
fn learnt(file: &Path, labels: &Labels) -> Option<PathModel> {
    let spine = SpineReader::open(run_of(file)?.path()).ok()?;
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

/// A trace in the folder of a failure gets its short trace beside it, as after `explore`, unless a shorter one is there.
fn keep(file: &Path, shrunk: &Shrunk) -> anyhow::Result<Option<PathBuf>> {
    let (Some(run), Some(crash), Goal::Failure(signature)) = (run_of(file), file.parent(), &shrunk.goal)
    else {
        return Ok(None);
    };
    let known = run.trace(signature, TraceKind::Minimal)?.map(|trace| trace.cost());
    if !shrunk.report.reproduced || known.is_some_and(|known| known <= shrunk.report.minimal) {
        return Ok(None);
    }
    keep_shrunk(&run, signature, shrunk)?;
    Ok(Some(crash.to_owned()))
}

/// A trace of another app is refused; one of another version is run, with a word of warning.
pub fn check_app(
    trace: &Trace,
    app: &crate::device::virtual_device::app::App,
    file: &Path,
) -> anyhow::Result<()> {
    if trace.package != app.package.as_str() {
        let message = format!(
            "`{}` was recorded on {}, but the target is {}; name the right app with --target",
            file.display(),
            trace.package,
            app.package
        );
        return Err(CommandError::usage(message).into());
    }
    if !trace.app_hash.is_empty() && trace.app_hash != format!("{:016x}", app.hash) {
        tracing::warn!("{} was recorded on another version of {}", file.display(), app.package);
    }
    Ok(())
}

/// The traces that the user means: a file itself, or the original traces below a folder.
pub fn trace_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for place in [path.clone(), path.join("crashes")] {
            let Ok(entries) = std::fs::read_dir(&place) else { continue };
            let mut found: Vec<PathBuf> = entries
                .filter_map(Result::ok)
                .map(|entry| entry.path().join("original.trace.json"))
                .filter(|file| file.exists())
                .collect();
            found.sort();
            files.extend(found);
        }
        let own = path.join("original.trace.json");
        if own.exists() {
            files.push(own);
        }
        if files.len() == before {
            let message = format!(
                "there is no trace in `{}`; name a trace, a run or a failure's folder",
                path.display()
            );
            return Err(CommandError::usage(message).into());
        }
    }
    Ok(files)
}

/// What the table has no room for: why a trace was not reproduced, and how sure a rate is that is not 1.
pub fn remarks(reports: &[ShrinkReport]) -> String {
    let percent = |rate: f64| (rate * 100.0).round();
    let mut lines: Vec<String> = Vec::new();
    for report in reports {
        let goal = clean(&report.goal);
        let line = if !report.reproduced {
            let tries = if report.runs == 1 { "1 run".to_owned() } else { format!("{} runs", report.runs) };
            let instead = report.instead.as_deref().unwrap_or("it was not run to its end");
            format!("{goal}: not reproduced in {tries}; {}", clean(instead))
        } else if report.rate().silent > 0 {
            let (rate, (low, high)) = (report.rate(), report.rate().interval());
            let original = report.original_rate.map_or_else(String::new, |rate| {
                format!("; the original failed in {} of {}", rate.hits, rate.runs())
            });
            format!(
                "{goal}: flaky, {} fails in {} of {} runs (95 % interval {} to {} %){original}",
                report.algorithm,
                rate.hits,
                rate.runs(),
                percent(low),
                percent(high)
            )
        } else {
            continue;
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.iter().map(|line| format!("\n{line}")).collect()
}

/// What shrinking came to, one line a failure; empty if there is nothing to tell.
pub fn table<'a>(
    reports: impl Iterator<Item = &'a ShrinkReport>,
    shortest: impl Fn(&str) -> Option<u32>,
) -> String {
    let mut table = Table::new(&[
        ("failure", Align::Left),
        ("algorithm", Align::Left),
        ("original", Align::Right),
        ("minimal", Align::Right),
        ("optimum", Align::Right),
        ("runs", Align::Right),
        ("events", Align::Right),
        ("rate", Align::Right),
    ]);
    for report in reports {
        let (minimal, rate) = if report.reproduced {
            let early = if report.ended == "done" { String::new() } else { format!(" ({})", report.ended) };
            (
                report.minimal.to_string(),
                format!("{}/{}{early}", report.certificate_hits, report.certificate_runs),
            )
        } else {
            let why = if report.ended == "done" { "not reproduced" } else { report.ended.as_str() };
            ("-".to_owned(), why.to_owned())
        };
        table.row([
            report.goal.clone(),
            report.algorithm.clone(),
            thousands(report.original as u64),
            minimal,
            shortest(&report.goal).map_or_else(|| "-".to_owned(), |shortest| shortest.to_string()),
            thousands(report.runs),
            thousands(report.events),
            rate,
        ]);
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.render()) }
}
