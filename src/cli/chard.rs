//! The options of CHARD's rules, and the traces that commands without a device read.

use std::path::{Path, PathBuf};

use crate::action::Key;
use crate::error::{CommandError, Exit};
use crate::explain::{Needed, Subject};
use crate::letters::plain;
use crate::numbers::counted;
use crate::oracle::Failure;
use crate::trace::foreign::{self, Absent, Foreign};
use crate::trace::ineffective::Rules;
use crate::trace::key_events::{ChardConfig, Similarity};
use crate::trace::run_folder::{Crash, RunFolder, TraceKind};
use crate::trace::suite_folder::SuiteFolder;
use crate::trace::{ShrinkReport, StoreError, Summary, Trace, trace_files};

/// CHARD's rules.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Ineffective and key events")]
pub struct RuleArgs {
    /// Keys that are of no interest to the app, by name or number; `none` for no key.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = parse_key,
          default_value = "call,volume_up,volume_down")]
    optional_keys: Vec<OptionalKey>,
    /// Two transitions between the same windows are one if their methods are more alike than this, from 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = Similarity::default().theta, value_parser = parse_theta)]
    theta: f64,
}

/// One word of `--optional-keys`.
#[derive(Clone, Copy, Debug)]
struct OptionalKey(Option<Key>);

impl RuleArgs {
    /// What it means.
    pub fn config(&self) -> ChardConfig {
        let optional_keys = self.optional_keys.iter().filter_map(|key| key.0).collect();
        let rules = Rules { optional_keys, ..Rules::default() };
        ChardConfig { rules, similarity: Similarity { theta: self.theta } }
    }
}

fn parse_key(word: &str) -> Result<OptionalKey, String> {
    if word == "none" {
        return Ok(OptionalKey(None));
    }
    let name = word.to_ascii_uppercase().replace('-', "_");
    foreign::key_named(&name).map(|key| OptionalKey(Some(key))).ok_or_else(|| {
        "no key is called so; give Android's name, such as volume_up, or its number".to_owned()
    })
}

fn parse_theta(word: &str) -> Result<f64, String> {
    let theta = word.parse().ok().filter(|theta| (0.0..=1.0).contains(theta));
    theta.ok_or_else(|| "give a share from 0 to 1".to_owned())
}

/// A trace that is looked at without a device.
pub struct Loaded {
    /// The trace.
    pub trace: Trace,
    /// What is known about it.
    pub subject: Subject,
}

/// Which trace of a failure's folder is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The shortest that is known.
    Shortest,
    /// As it was recorded.
    Recorded,
}

/// The traces that the user means: of siamang or of another tool, a file, a run, a failure's folder or a folder of logs.
pub fn load(paths: &[PathBuf], which: Which) -> anyhow::Result<Vec<Loaded>> {
    let mut found = Vec::new();
    for path in paths {
        let (before, mut here) = (found.len(), Vec::new());
        if path.is_dir() {
            load_folder(path, which, &mut here)?;
        } else if is_json(path)? {
            // A trace that is named is meant.
            here.push(own(path, Which::Shortest)?);
        } else {
            foreign_traces(path, &mut here)?;
        }
        found.append(&mut here);
        if found.len() == before {
            let error = no_trace(path).into();
            if paths.len() == 1 || !super::is_nothing_to_do(&error) {
                return Err(error);
            }
            tracing::warn!("{error}");
        }
    }
    Ok(found)
}

/// There is nothing in a folder that can be shrunk or explained.
pub fn no_trace(folder: &Path) -> CommandError {
    let folder_is = folder.display();
    let run = RunFolder::open(folder).ok().and_then(|run| Summary::of_run(&run).ok());
    if run.is_some_and(|run| run.failures.is_empty() && run.stopped.is_some() && !run.lost_its_device()) {
        let message = format!("`{folder_is}` is a run that met no failure: there is no trace to look at");
        return CommandError { exit: Exit::Clean, message };
    }
    CommandError::usage(match SuiteFolder::open(folder) {
        Some(_) => format!(
            "`{folder_is}` is a suite; name one of its traces, such as {}, or run it with `siamang replay`",
            folder.join(SuiteFolder::file(1)).display()
        ),
        None => format!(
            "there is no trace in `{folder_is}`; name a trace, a run, a failure's folder or a folder of traces or Monkey logs"
        ),
    })
}

fn load_folder(path: &Path, which: Which, found: &mut Vec<Loaded>) -> anyhow::Result<()> {
    let mut crashes = vec![path.to_owned()];
    for place in [path.to_owned(), path.join("crashes")] {
        if let Ok(entries) = std::fs::read_dir(&place) {
            let mut folders: Vec<PathBuf> =
                entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
            folders.sort();
            crashes.extend(folders);
        }
    }
    let mut told: Vec<PathBuf> = Vec::new();
    for crash in crashes {
        let kinds = [TraceKind::Minimal, TraceKind::Original];
        if let Some(file) = kinds.iter().map(|kind| crash.join(kind.file())).find(|file| file.is_file()) {
            found.push(own(&file, which)?);
            told.push(crash);
        }
    }
    // A run has the traces of its failures, and a failure its own; nothing beside them is meant.
    let is_whole = told.iter().any(|folder| folder == path) || RunFolder::open(path).is_ok();
    if !is_whole {
        for file in trace_files::find(path)? {
            if !told.iter().any(|folder| file.starts_with(folder)) {
                found.push(own(&file, which)?);
            }
        }
        for path in foreign::find(path)? {
            foreign_traces(&path, found)?;
        }
    }
    Ok(())
}

/// It begins like a JSON object, which no foreign log does. What is no file is refused: what was read of it is gone, and it may
/// have no end.
pub fn is_json(path: &Path) -> anyhow::Result<bool> {
    use std::io::Read as _;
    const LOOKED_AT: usize = 256;
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let message = format!(
            "`{}` is no file but a pipe or a device, and a trace is looked at more than once; write it to a file first",
            path.display()
        );
        return Err(CommandError::usage(message).into());
    }
    if path.file_name().is_some_and(|name| name == RunFolder::INFO)
        && let Some(folder) = path.parent()
        && RunFolder::open(folder).is_ok()
    {
        let message = format!(
            "`{}` is about a run and has no trace; name its folder, `{}`",
            path.display(),
            folder.display()
        );
        return Err(CommandError::usage(message).into());
    }
    let mut start = Vec::with_capacity(LOOKED_AT);
    let file = std::fs::File::open(path).map_err(|error| StoreError::reading(path, error))?;
    file.take(LOOKED_AT as u64).read_to_end(&mut start).map_err(|error| StoreError::reading(path, error))?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    Ok(start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{'))
}

/// A trace of siamang. If it is in the folder of a failure, that tells more about it.
fn own(path: &Path, which: Which) -> anyhow::Result<Loaded> {
    let crash = Crash::read(path)?;
    let is_minimal = crash.kind() == TraceKind::Minimal
        || path.file_name().is_some_and(|name| name == TraceKind::Minimal.file());
    let Crash { mut trace, shrunk, evidence } = crash;
    // What was said of other events says nothing of these.
    let of_these = shrunk.as_ref().filter(|report| report.minimal == trace.cost());
    let mut needed = of_these.map_or(Needed::Unknown, Needed::of);
    let run = path.parent().and_then(RunFolder::of_crash);
    if which == Which::Recorded && is_minimal && run.is_none() {
        return Err(only_in_run(path, shrunk.as_ref()).into());
    }
    let mut failure = trace.failure.as_ref().map(ToString::to_string);
    if let (Some(run), Some(signature)) = (run, trace.failure.clone()) {
        let known = || run.kept_crash(&signature).ok().flatten().and_then(|crash| crash.evidence);
        failure = evidence.or_else(known).as_ref().map(Failure::headline).or(failure);
        if which == Which::Recorded && is_minimal {
            trace = run.original(&signature)?;
            needed = Needed::Unknown;
        }
    } else {
        failure = evidence.as_ref().map(Failure::headline).or(failure);
    }
    let failure = failure.as_deref().map(plain);
    let subject = Subject { name: trace.package.clone(), failure, launch: None, needed, notes: Vec::new() };
    Ok(Loaded { trace, subject })
}

/// A failure's folder that is in no run any more has not its recorded trace.
fn only_in_run(path: &Path, shrunk: Option<&ShrinkReport>) -> CommandError {
    let of = shrunk.map(|report| format!(" of {}", counted(report.original as u64, "event")));
    CommandError::usage(format!(
        "`{}` is the shortest trace, and the recorded one{} is only in the log of the run that found it: name the failure's \
         folder in that run, or leave --original out",
        path.display(),
        of.unwrap_or_default()
    ))
}

/// The traces of another tool's log.
pub fn foreign_traces(path: &Path, found: &mut Vec<Loaded>) -> anyhow::Result<()> {
    let Foreign { format, traces, absent, issues } = foreign::load(path)?;
    for issue in issues {
        tracing::warn!("{}: {issue}", path.display());
    }
    let several = traces.len() > 1;
    for one in traces {
        let name = if several {
            format!("{}, line {}", path.display(), one.line)
        } else {
            path.display().to_string()
        };
        let missing: Vec<&str> = absent.iter().filter_map(|absent| absent_words(*absent)).collect();
        let notes = if missing.is_empty() {
            Vec::new()
        } else {
            vec![format!("A {} log does not tell {}.", format.word(), missing.join(", "))]
        };
        let failure = one.failure.as_ref().map(|failure| plain(&failure.headline()));
        let launch = one.launch.map(|launch| launch.activity);
        let subject = Subject { name, failure, launch, needed: Needed::Unknown, notes };
        found.push(Loaded { trace: one.trace, subject });
    }
    Ok(())
}

fn absent_words(absent: Absent) -> Option<&'static str> {
    Some(match absent {
        Absent::ResumedActivity => "when an activity is returned to",
        Absent::Activity => "the activity",
        Absent::GuiTree => "what is on the screen",
        Absent::Widget => "which widget is hit",
        Absent::Pauses => "the pauses",
        Absent::WindowOfWidget | Absent::AppVersion | Absent::FractionsOfPixels => return None,
    })
}
