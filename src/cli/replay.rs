//! `siamang replay`: run a trace again and say how often it fails, or a suite and say where it differs.

mod suites;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use self::suites::Suite;
use crate::campaign::Control;
use crate::campaign::regression::suite_test::Outcome;
use crate::campaign::runner::judge;
use crate::device::{AnyDevice, Device};
use crate::error::{CommandError, Exit};
use crate::letters::plain;
use crate::numbers::{of_runs, thousands};
use crate::oracle::{Failure, FailureKind, Signature};
use crate::report::junit::Case;
use crate::seed::Seed;
use crate::shrink::goal::Goal;
use crate::shrink::noise::Rate;
use crate::trace::replay::{Ended, Judged, fit, replay};
use crate::trace::suite_folder::SuiteFolder;
use crate::trace::{Crash, Trace, TraceEvent};

/// Run a trace again and say how often it fails; or a suite, and say where it differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang replay runs/latest --times 20                  the shortest trace of each failure
  siamang replay trace.json
  siamang replay trace.json --device all --reset clear   on every phone, each time from a clean start
  siamang replay runs/latest/suite --junit suite.xml     exit code 1 if a trace differs")]
pub struct Args {
    /// Traces, runs, folders of failures, or suites.
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    /// How often each is run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    times: u32,
    /// The seed of the device.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write the outcome to this file, as CI servers read it. The exit code is then that of a test: a trace of a failure
    /// passes, with 0, once the failure is gone, all events can be done and nothing else fails (where an app does not always
    /// do the same: in as many runs as it takes to tell); a trace without one passes if every run went as recorded.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    stage: super::stage::StageArgs,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Any {
    Trace(Box<Report>),
    Suite { suite: String, traces: Vec<Outcome> },
}

#[derive(Debug, Serialize)]
struct Report {
    trace: String,
    /// The phone, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    failure: Option<String>,
    runs: u32,
    reproduced: u32,
    /// The 95 % interval of the rate (Wilson).
    interval: (f64, f64),
    /// What happened in the first run that did not reproduce.
    instead: Option<String>,
    /// The first event after which the screen, or all that was recorded of it, was another one.
    diverged_after: Option<String>,
    /// When the app was in another activity than recorded for the first time, and in which.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_activity: Option<String>,
    /// Why the trace does not fit the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    misfit: Option<String>,
    /// The app failed otherwise than it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    /// In so many runs.
    failed_runs: u32,
    /// So many runs were wanted.
    wanted: u32,
    /// So many runs without the failure would tell that it is gone, as often as it is known to happen.
    runs_to_tell: u32,
    /// In each run all events were done.
    all_done: bool,
    /// In so many runs all events were done, or all but those that were not there when it was recorded either.
    done_runs: u32,
    /// Why the first of the others does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<String>,
    /// Nothing was recorded that a run could be compared with.
    #[serde(skip)]
    is_bare: bool,
    /// What is to be known of the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'static str>,
}

impl Report {
    /// A test that fails where [`exit`](Self::exit) is not 0 for a test: the app fails as recorded, or a trace without a
    /// failure goes another way. A failure that is gone is no fault.
    fn case(&self) -> Case {
        let wrong = match (&self.failure, self.reproduced) {
            (Some(failure), 1..) => {
                Some((failure.clone(), format!("in {}", of_runs(self.reproduced, self.runs))))
            }
            _ if self.failed.is_some() => {
                let failed = self.failed.clone().unwrap_or_default();
                Some((failed, format!("in {}", of_runs(self.failed_runs, self.runs))))
            }
            (failure, reproduced) => {
                let passes = if failure.is_some() { self.done_runs > 0 } else { reproduced == self.runs };
                let why = self.undone.as_ref().filter(|_| failure.is_some()).or(self.instead.as_ref());
                (!passes).then(|| ("it went another way".to_owned(), why.cloned().unwrap_or_default()))
            }
        };
        let name = case_name(&self.trace, self.device.as_deref());
        // What was not run as often as was asked, or as would tell, has passed nothing yet.
        if wrong.is_none() && self.runs < self.wanted {
            return Case::not_run(name, format!("interrupted after {}", of_runs(self.runs, self.wanted)));
        }
        if wrong.is_none() && !self.is_telling() {
            return Case::not_run(name, self.needs_more());
        }
        Case { name, kind: "replayed", wrong }
    }

    /// What would tell whether a failure that does not always come is gone.
    fn needs_more(&self) -> String {
        let undone = match &self.undone {
            Some(why) if self.runs >= self.runs_to_tell => {
                format!("; all events were done in {} only: {why}", of_runs(self.done_runs, self.runs))
            }
            _ => String::new(),
        };
        // As many more as it takes for as many that count.
        let times =
            (u64::from(self.runs_to_tell) * u64::from(self.runs)).div_ceil(self.done_runs.max(1).into());
        let times = times.max(self.runs_to_tell.into());
        format!("it does not always fail: --times {times} or more would tell whether it is gone{undone}")
    }

    /// The failure came, or would have come: a run in which not all events could be done does not tell that it is gone.
    fn is_telling(&self) -> bool {
        self.failure.is_none()
            || self.reproduced > 0
            || self.done_runs >= self.runs_to_tell
            || self.done_runs == 0 && self.runs >= self.runs_to_tell
    }

    /// Whoever asks for a failure wants to know that it did not reproduce; whoever tests the app is glad of it.
    fn exit(&self, asked: Asked) -> Exit {
        match (&self.failure, self.reproduced, asked) {
            (Some(_), 1.., _) => Exit::Found,
            (failure, _, asked) if self.failed.is_some() && (failure.is_none() || asked == Asked::Test) => {
                Exit::Found
            }
            (Some(_), 0, Asked::Test) if self.done_runs > 0 && self.is_telling() => Exit::Clean,
            (None, reproduced, _) if reproduced == self.runs => Exit::Clean,
            _ => Exit::NotReproduced,
        }
    }
}

/// Why a test was not run.
const INTERRUPTED: &str = "interrupted before it was run";

/// How a test is called.
fn case_name(trace: &str, phone: Option<&str>) -> String {
    phone.map_or_else(|| trace.to_owned(), |phone| format!("{trace} on {phone}"))
}

/// What a replay is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Whether a trace does as it was recorded.
    Trace,
    /// Whether the app is as it should be, for a CI server.
    Test,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.times == 0 {
        return Err(CommandError::usage("--times 0 would do nothing; use 1 or more").into());
    }
    if let Some(file) = &args.junit {
        super::try_place(file)?;
    }
    let control = Control::new(None);
    super::interrupt::watch(&control);
    let mut done = Done { exit: Exit::Clean, begun: 0, reports: Vec::new(), tested: Vec::new() };
    let mut wanted = 0;
    let ended = read(&args.traces).and_then(|(suites, traces)| {
        wanted = suites.len() + traces.len();
        done.run(&suites, traces, args, &control)
    });
    if let Err(error) = &ended
        && !super::is_nothing_to_do(error)
    {
        // A server that finds no report, or an old one, takes the test for passed.
        let wrong = Some((plain(&error.to_string()), String::new()));
        done.tested
            .push(("siamang".to_owned(), vec![Case { name: "replay".to_owned(), kind: "error", wrong }]));
    }
    // What was seen is told, whatever went wrong behind it.
    if args.json && (ended.is_ok() || !done.reports.is_empty()) {
        super::print_json(&done.reports)?;
    }
    if let Some(file) = &args.junit {
        suites::junit(file, &done.tested)?;
    }
    ended?;
    if control.is_interrupted() && wanted > 1 && !args.json {
        super::print(&format!("interrupted: {} of {wanted} were begun\n", done.begun))?;
    }
    Ok(if control.is_interrupted() { Exit::Interrupted } else { done.exit })
}

/// A trace, and where it is.
type Placed = (PathBuf, Trace);

/// The suites and traces that are meant: nothing is run before all of them are known to be there.
fn read(paths: &[PathBuf]) -> anyhow::Result<(Vec<Suite>, Vec<Placed>)> {
    let (mut suites, mut traces) = (Vec::new(), Vec::new());
    for file in paths {
        match SuiteFolder::open(file) {
            Some(folder) => suites.push(Suite::read(folder)?),
            // A run without failures keeps nobody from looking at the others.
            None => match super::shrink::sources::shortest(file) {
                Err(error) if paths.len() > 1 && super::is_nothing_to_do(&error) => tracing::warn!("{error}"),
                found => traces.extend(found?),
            },
        }
    }
    Ok((suites, traces))
}

/// What was run, and how it went.
struct Done {
    exit: Exit,
    /// So many of the suites and traces.
    begun: usize,
    reports: Vec<Any>,
    tested: Vec<(String, Vec<Case>)>,
}

impl Done {
    fn run(
        &mut self,
        suites: &[Suite],
        traces: Vec<(PathBuf, Trace)>,
        args: &Args,
        control: &Control,
    ) -> anyhow::Result<()> {
        for suite in suites {
            if control.is_interrupted() {
                self.tested.push((suite.manifest.app.clone(), suite.not_run(0)));
                continue;
            }
            self.begun += 1;
            let (outcome, outcomes) = suite.run(args, control)?;
            self.exit = self.exit.max(outcome);
            if !args.json {
                super::print(&suites::text(&suite.folder, &outcomes, suite.manifest.traces.len()))?;
            }
            let not_run = suite.not_run(outcomes.len());
            let cases = outcomes.iter().map(suites::case).chain(not_run).collect();
            self.tested.push((suite.manifest.app.clone(), cases));
            self.reports
                .push(Any::Suite { suite: suite.folder.path().display().to_string(), traces: outcomes });
        }
        let mut stages = super::stage::Stages::new(&args.stage);
        for (file, trace) in traces {
            if control.is_interrupted() {
                let case = Case::not_run(file.display().to_string(), INTERRUPTED);
                self.tested.push((trace.package.clone(), vec![case]));
                continue;
            }
            self.begun += 1;
            let app = trace.package.clone();
            let stage = stages.open((&trace).into(), &file)?;
            let trace = Trace { start: stage.start(trace.start), ..trace };
            let phones = stage.serials();
            for number in 0..phones.len().max(1) {
                if control.is_interrupted() {
                    let name = case_name(&file.display().to_string(), phones.get(number).map(String::as_str));
                    self.tested.push((app.clone(), vec![Case::not_run(name, INTERRUPTED)]));
                    continue;
                }
                let device = stage.device(number as u64, Seed(args.seed).named("replay"));
                let report = Report {
                    runs_to_tell: runs_to_tell(&file, &trace),
                    trace: file.display().to_string(),
                    device: phones.get(number).cloned(),
                    remark: stage.remark().or(no_stack(&trace)),
                    ..replay_many(&trace, device, args.times, control)?
                };
                let asked = if args.junit.is_some() { Asked::Test } else { Asked::Trace };
                self.exit = self.exit.max(report.exit(asked));
                if !args.json {
                    super::print(&line(&report))?;
                }
                self.tested.push((app.clone(), vec![report.case()]));
                self.reports.push(Any::Trace(Box::new(report)));
            }
        }
        Ok(())
    }
}

/// What is to be known of a failure of which a log has told little.
fn no_stack(trace: &Trace) -> Option<&'static str> {
    let bare = trace.failure.as_ref().is_some_and(Signature::lacks_stack);
    bare.then_some(
        "no stack was recorded: every crash counts that has the same exception, as far as that was",
    )
}

/// How many silent runs tell that a trace's failure is gone: what its shrink has seen says so, if it was shrunk.
fn runs_to_tell(file: &Path, trace: &Trace) -> u32 {
    let shrunk = Crash::read(file).ok().and_then(|crash| crash.shrunk);
    shrunk.filter(|report| report.minimal == trace.cost()).map_or(1, |report| report.runs_to_tell())
}

/// Runs a trace so many times, or until Ctrl-C is pressed; the run under way is finished.
fn replay_many(
    trace: &Trace,
    mut device: AnyDevice,
    times: u32,
    control: &Control,
) -> anyhow::Result<Report> {
    let progress = super::progress_line();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut reproduced = 0;
    let mut instead = None;
    let mut diverged_after = None;
    let (mut other_activity, mut misfit) = (None, None);
    let mut failed: Option<String> = None;
    let mut failed_runs = 0;
    let (mut all_done, mut done_runs, mut undone) = (true, 0, None);
    let mut runs = 0;
    while runs < times && (runs == 0 || !control.is_interrupted()) {
        runs += 1;
        progress.set_message(format!(
            "run {} of {}, {} as recorded",
            thousands(runs.into()),
            thousands(times.into()),
            thousands(reproduced.into())
        ));
        let wanted = trace.failure.as_ref();
        let run = replay(&mut device, trace, |seen| match wanted {
            Some(wanted) if seen.failures.iter().any(|failure| wanted.fits(failure)) => Judged::Met,
            Some(wanted) => judge(seen, &Goal::Failure(wanted.clone())),
            None => Judged::Open,
        });
        let run = runtime.block_on(run).map_err(|error| super::lost(&error))?;
        let met = run.ended == Ended::Met
            || (wanted.is_none()
                && run.ended == Ended::Through
                && run.diverged.is_none()
                && run.parted.is_none()
                && run.failures.is_empty()
                && run.skipped.is_empty());
        // Where another failure is wanted, what the app swallows on the way is no news.
        let swallowed = |failure: &&Failure| failure.kind == FailureKind::Swallowed;
        let unrecorded = run.worst_failure().filter(|failure| wanted.is_none() || !swallowed(failure));
        all_done &= met || run.skipped.is_empty();
        let is_left_out = |&at: &usize| trace.events.get(at).is_some_and(TraceEvent::is_left_out);
        if met || run.skipped.iter().all(is_left_out) {
            done_runs += 1;
        } else {
            undone.get_or_insert_with(|| run.outcome(trace, "nothing failed"));
        }
        match unrecorded.map(|failure| Signature::of(failure).to_string()) {
            _ if met => reproduced += 1,
            Some(failure) => {
                instead.get_or_insert_with(|| match wanted {
                    None => format!("the app failed: {failure}"),
                    Some(_) => run.outcome(trace, "nothing failed"),
                });
                failed.get_or_insert(failure);
                failed_runs += 1;
            }
            None => {
                instead.get_or_insert_with(|| run.outcome(trace, "nothing failed"));
            }
        }
        let parted = run.parted.as_ref();
        if let Some(position) = run.diverged.or(parted.and_then(|parted| parted.after)) {
            diverged_after.get_or_insert_with(|| fit::place(trace, position));
        }
        if !met {
            other_activity = other_activity.or_else(|| Some(parted?.words(trace)));
            misfit = misfit.or_else(|| fit::misfit(&run, trace));
        }
    }
    progress.finish();
    let closed = runtime.block_on(device.close());
    if let Err(error) = closed {
        tracing::warn!("{error}");
    }
    Ok(Report {
        trace: String::new(),
        device: None,
        remark: None,
        failure: trace.failure.as_ref().map(ToString::to_string),
        runs,
        reproduced,
        interval: Rate { hits: reproduced, silent: runs.saturating_sub(reproduced) }.interval(),
        instead,
        diverged_after,
        other_activity,
        misfit,
        failed,
        failed_runs,
        wanted: times,
        runs_to_tell: 1,
        all_done,
        done_runs,
        undone,
        is_bare: trace.failure.is_none() && trace.events.iter().all(|event| event.after.is_none()),
    })
}

fn line(report: &Report) -> String {
    // What is not certain is not rounded to certainty.
    let percent = |rate: f64| match (rate * 100.0).round() {
        100.0 if rate < 1.0 => (rate * 1000.0).floor() / 10.0,
        whole => whole,
    };
    let place = report.device.as_ref().map_or_else(String::new, |serial| format!(" on {serial}"));
    let mut text = format!(
        "{}{place}: {} in {} (95 % interval {} to {} %)\n",
        report.trace,
        plain(report.failure.as_deref().unwrap_or(if report.is_bare {
            "done without a failure"
        } else {
            "as recorded"
        })),
        of_runs(report.reproduced, report.runs),
        percent(report.interval.0),
        percent(report.interval.1)
    );
    if !report.is_telling() {
        let _ = writeln!(text, "  {}", report.needs_more());
    }
    if let Some(instead) = &report.instead {
        let others = report.runs - report.reproduced;
        let which = if others > 1 {
            format!(", in the first of {} runs", thousands(others.into()))
        } else {
            String::new()
        };
        let _ = writeln!(text, "  instead{which}: {}", plain(instead));
    }
    // Where the activity was another one, the screen was so, too.
    let told = |diverged: &str| {
        report.other_activity.as_ref().is_some_and(|other| other.starts_with(&format!("after {diverged} ")))
    };
    if let (Some(diverged), true) = (&report.diverged_after, report.instead.is_some())
        && !told(diverged)
    {
        let _ = writeln!(text, "  the screen was another one after {diverged}");
    }
    for told in [&report.other_activity, &report.misfit].into_iter().flatten() {
        let _ = writeln!(text, "  {}", plain(told));
    }
    if let Some(remark) = report.remark {
        let _ = writeln!(text, "  {remark}");
    }
    text
}
