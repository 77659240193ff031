//! Traces that other tools recorded.
//!
//! Which tool it was is found out from the content. What the tool did not record stays absent: [`Foreign::absent`] lists
//! it. A log that is cut off or damaged gives what could be read, and an [`Issue`] for the rest.

mod ape;
mod gesture;
mod keys;
mod output;
mod script;
mod simplydroid;
mod xpath;

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use smol_str::SmolStr;
use thiserror::Error;

use super::record::{Screen, Trace, TraceEvent};
use super::trace_files::as_people_count;
use crate::action::{Input, Key, Wait};
use crate::device::Reset;
use crate::ids::TreeHash;
use crate::oracle::report::text_of;
use crate::oracle::{Failure, Signature};

/// Everything that was read from one foreign log.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Which tool wrote it.
    pub format: Format,
    /// The traces, in the order of the log: one from each launch to the failure or restart that ended it.
    pub traces: Vec<ForeignTrace>,
    /// What this tool does not record.
    pub absent: &'static [Absent],
    /// What could not be read.
    pub issues: Vec<Issue>,
}

/// One trace of a foreign log.
#[derive(Clone, Debug)]
pub struct ForeignTrace {
    /// The trace without its launch, which [`Trace::start`] stands for.
    pub trace: Trace,
    /// What was launched, where the log says it.
    pub launch: Option<Launch>,
    /// The failure it ends in.
    pub failure: Option<Failure>,
    /// The line where it begins, counted from 1.
    pub line: usize,
}

/// The activity that a trace starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The app's package.
    pub package: SmolStr,
    /// The activity's class.
    pub activity: SmolStr,
}

/// The tools whose traces can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SimplyDroid's `script.log` and `execute.log`.
    SimplyDroid,
    /// A script for `monkey -f`.
    MonkeyScript,
    /// What `monkey -v -v` prints.
    MonkeyOutput,
    /// APE's `action-history.log`.
    Ape,
}

/// What a tool does not record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absent {
    /// The activity that was resumed; the trace knows at best the last one that was started.
    ResumedActivity,
    /// Any activity.
    Activity,
    /// The windows and the GUI tree.
    GuiTree,
    /// The widget that was meant.
    Widget,
    /// The sort of window of the widget that was meant; [`Application`](crate::gui::WindowKind::Application) stands there.
    WindowOfWidget,
    /// How long the tool waited between events.
    Pauses,
    /// The version of the app.
    AppVersion,
    /// Fractions of pixels were cut off.
    FractionsOfPixels,
}

/// A part of a log that could not be read; the rest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The file's name.
    pub file: String,
    /// The line, counted from 1; 0 when it is about the whole file.
    pub line: usize,
    /// What is wrong and what was done about it.
    pub text: String,
}

/// Why nothing could be read.
#[derive(Debug, Error)]
pub enum ForeignError {
    /// The file or folder cannot be opened.
    #[error("cannot read {}: {source}; check the path", path.display())]
    Read {
        /// What could not be read.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no content.
    #[error("{} is empty; record or copy it again", path.display())]
    Empty {
        /// What was read.
        path: PathBuf,
    },
    /// The content is of no known tool.
    #[error(
        "{}, line 1: no trace that siamang knows: give one of its own (*.trace.json), a Monkey script, the output of `monkey -v -v`, a folder with \
         SimplyDroid's script.log and execute.log, or one with APE's action-history.log",
        path.display()
    )]
    Unknown {
        /// What was read.
        path: PathBuf,
    },
    /// The tool is known, but there is nothing to replay.
    #[error("{}, line {line}: {problem}; {remedy}", path.display())]
    Unusable {
        /// What was read.
        path: PathBuf,
        /// Where reading ended.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// One file in memory.
struct LogFile<'a> {
    path: &'a Path,
    name: String,
    bytes: Vec<u8>,
}

/// Reads a foreign trace: a file, or a folder with the files that its tool writes.
pub fn load(path: &Path) -> Result<Foreign, ForeignError> {
    if path.is_dir() {
        for name in ["script.log", "execute.log", "action-history.log"] {
            if path.join(name).is_file() {
                return load(&path.join(name));
            }
        }
        return Err(ForeignError::Unknown { path: path.to_owned() });
    }
    let file = open(path)?;
    let name = &file.name;
    match detect(&file.bytes) {
        Some(Format::MonkeyScript) if name.starts_with("script") => {
            let beside = path.with_file_name(name.replacen("script", "execute", 1));
            if beside.is_file() {
                return simplydroid::read(&file, Some(&open(&beside)?));
            }
            script::read(&file)
        }
        Some(Format::SimplyDroid) => {
            let beside = path.with_file_name(name.replacen("execute", "script", 1));
            if beside == path || !beside.is_file() {
                return Err(ForeignError::Unusable {
                    path: path.to_owned(),
                    line: 1,
                    problem: "this log has no coordinates".into(),
                    remedy: "put the script.log of the same run beside it",
                });
            }
            simplydroid::read(&open(&beside)?, Some(&file))
        }
        Some(Format::MonkeyScript) => script::read(&file),
        Some(Format::MonkeyOutput) => output::read(&file),
        Some(Format::Ape) => ape::read(&file),
        None => Err(unknown(&file)),
    }
}

/// Reads a foreign trace that is already in memory; a Monkey script without its `execute.log`.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Foreign, ForeignError> {
    let file = LogFile { path: Path::new(name), name: name.to_owned(), bytes: bytes.to_vec() };
    match detect(bytes) {
        Some(Format::MonkeyScript) => script::read(&file),
        Some(Format::MonkeyOutput) => output::read(&file),
        Some(Format::Ape) => ape::read(&file),
        Some(Format::SimplyDroid) | None => Err(unknown(&file)),
    }
}

fn unknown(file: &LogFile<'_>) -> ForeignError {
    let path = file.path.to_owned();
    let is_empty = text_of(&file.bytes).trim().is_empty();
    if is_empty { ForeignError::Empty { path } } else { ForeignError::Unknown { path } }
}

/// Reads SimplyDroid's two logs from memory.
pub fn parse_simplydroid(script: &[u8], execute: &[u8]) -> Result<Foreign, ForeignError> {
    let file = |name: &'static str, bytes: &[u8]| LogFile {
        path: Path::new(name),
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    };
    simplydroid::read(&file("script.log", script), Some(&file("execute.log", execute)))
}

/// The key with a name such as `VOLUME_UP` or `KEYCODE_BACK`, or with its number.
pub fn key_named(name: &str) -> Option<Key> {
    keys::named(name)
}

/// The folders and files below a folder that hold foreign traces, in the order in which people count.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, ForeignError> {
    const MAX_DEPTH: usize = 6;
    let mut found = Vec::new();
    let mut waiting = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        if ["script.log", "action-history.log"].iter().any(|name| folder.join(name).is_file()) {
            found.push(folder);
            continue;
        }
        let unreadable = |source| ForeignError::Read { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Links are not followed: they may lead in circles.
            if entry.file_type().map_err(unreadable)?.is_dir() && depth < MAX_DEPTH {
                waiting.push((entry.path(), depth + 1));
            }
        }
    }
    found.sort_by_cached_key(|path| as_people_count(path));
    Ok(found)
}

/// Which tool wrote this, going by its first lines.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    const LOOKED_AT: usize = 64 * 1024;
    let text = text_of(&bytes[..bytes.len().min(LOOKED_AT)]);
    text.lines().find_map(|line| {
        let line = line.trim();
        if line.starts_with("start data >>") || script::is_event(line) {
            Some(Format::MonkeyScript)
        } else if simplydroid::is_step(line) {
            Some(Format::SimplyDroid)
        } else if ape::is_action(line) {
            Some(Format::Ape)
        } else if output::is_output(line) {
            Some(Format::MonkeyOutput)
        } else {
            None
        }
    })
}

/// No log of a test is larger; what is, is something else.
const MAX_BYTES: u64 = 1 << 30;

fn open(path: &Path) -> Result<LogFile<'_>, ForeignError> {
    let unreadable = |source| ForeignError::Read { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // A device that never ends says that it is empty.
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if read as u64 > MAX_BYTES {
        return Err(unreadable(std::io::Error::other("it is larger than a gigabyte")));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(LogFile { path, name, bytes })
}

impl ForeignTrace {
    /// How many user events it has, the launch counted as one, as the papers count.
    pub fn length(&self) -> usize {
        self.trace.cost() + usize::from(self.launch.is_some())
    }
}

impl Format {
    /// The tool's name.
    pub fn word(self) -> &'static str {
        match self {
            Self::SimplyDroid => "SimplyDroid",
            Self::MonkeyScript => "Monkey script",
            Self::MonkeyOutput => "Monkey",
            Self::Ape => "APE",
        }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.text),
            line => write!(f, "{}, line {line}: {}", self.file, self.text),
        }
    }
}

/// The issues of one file; a garbled file does not fill the memory with them.
struct Issues<'a> {
    file: &'a str,
    list: Vec<Issue>,
    more: usize,
}

impl<'a> Issues<'a> {
    const MAX: usize = 50;

    fn of(file: &'a str) -> Self {
        Self { file, list: Vec::new(), more: 0 }
    }

    fn add(&mut self, line: usize, text: impl Into<String>) {
        if self.list.len() < Self::MAX {
            self.list.push(Issue { file: self.file.to_owned(), line, text: text.into() });
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<Issue> {
        if self.more > 0 {
            let text = format!("{} more lines could not be read", self.more);
            self.list.push(Issue { file: self.file.to_owned(), line: 0, text });
        }
        self.list
    }
}

/// A trace with what is known of every foreign one.
fn trace_of(package: &str, start: Reset, events: Vec<TraceEvent>, failure: Option<&Failure>) -> Trace {
    Trace {
        format: Trace::FORMAT,
        package: package.to_owned(),
        app_hash: String::new(),
        target: String::new(),
        device: "adb".to_owned(),
        start,
        first: None,
        failure: failure.map(Signature::of),
        events,
    }
}

fn event(input: Input, wait: Wait) -> TraceEvent {
    TraceEvent { input, wait, target: None, before: None, after: None, rules: None }
}

/// A screen of which only the activity is known.
fn screen(app: &str, package: &str, activity: SmolStr) -> Screen {
    let foreign = (!package.is_empty() && package != app).then(|| SmolStr::new(package));
    Screen { activity, windows: Vec::new(), tree: TreeHash::ABSENT, foreign, structure: None }
}
