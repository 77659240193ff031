//! ANRs: what the activity manager logs, and the stacks that the system writes beside it.

use super::report::{App, Parsed, Report, Reporter, clipped, numbered, text_of};
use super::stack::{StackReader, parse_frame};
use super::tombstone::parse_native_frame;
use super::{Failure, FailureKind, Frame, Throwable};

/// Reads a traces file (`/data/anr/…`, or the ANR entries of a dropbox). The process that does not respond comes first;
/// the others are there for comparison and are not read.
pub fn parse(bytes: &[u8], app: App<'_>) -> Parsed {
    let text = text_of(bytes);
    let mut parsed = Parsed::default();
    let mut traces = TracesReader::default();
    for (number, line) in numbered(&text) {
        traces.feed(number, line);
    }
    traces.finish(&mut parsed, app, Reporter::AnrTraces);
    parsed
}

/// Reads what a device tells of an ANR of the app: the reason or the system's report, which begins with `ANR in`; then,
/// where it is known, the stack of the main thread, alone or among the traces of all threads.
pub fn told(text: &str) -> (String, Vec<Throwable>) {
    let mut traces = TracesReader::default();
    let mut alone = Vec::new();
    let first = text.lines().next().unwrap_or_default();
    for (number, line) in numbered(text).skip(1) {
        if traces.is_empty()
            && let Some(frame) = line.trim().strip_prefix("at ").and_then(parse_frame)
            && alone.len() < TracesReader::MAX_FRAMES
        {
            alone.push(frame);
        }
        traces.feed(number, line);
    }
    let frames = [traces.java, traces.native, alone].into_iter().find(|frames| !frames.is_empty());
    let is_report = first.starts_with("ANR in ") && !traces.reason.is_empty();
    let message = if is_report { traces.reason } else { clipped(first, StackReader::MAX_MESSAGE).to_owned() };
    let link = |frames| Throwable { class: CLASS.to_owned(), message: message.clone(), frames };
    let chain = frames.map(link).into_iter().collect();
    (message, chain)
}

/// The name under which the stack of the main thread stands in the chain of an ANR.
pub const CLASS: &str = "ANR";

/// The block that begins with `ANR in`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnrReader {
    line: usize,
    process: String,
    pid: Option<u32>,
    reason: String,
}

impl AnrReader {
    /// Begins a block with what follows `ANR in `: a process and, in brackets, its component.
    pub(crate) fn at(line: usize, rest: &str) -> Self {
        let process = rest.split([' ', '(']).next().unwrap_or_default().to_owned();
        Self { line, process, ..Self::default() }
    }

    pub(crate) fn with_pid(mut self, pid: Option<u32>) -> Self {
        self.pid = pid;
        self
    }

    /// Takes one line; `false` when the part that matters is over.
    pub(crate) fn feed(&mut self, line: &str) -> bool {
        let text = line.trim();
        if let Some(pid) = text.strip_prefix("PID: ") {
            self.pid = pid.trim().parse().ok().or(self.pid);
        } else if let Some(reason) = text.strip_prefix("Reason: ") {
            clipped(reason, StackReader::MAX_MESSAGE).clone_into(&mut self.reason);
        } else {
            return !text.starts_with("Load: ") && !text.starts_with("CPU usage");
        }
        true
    }

    pub(crate) fn finish(self, parsed: &mut Parsed, app: App<'_>, reporter: Reporter, time_ms: Option<i64>) {
        if self.reason.is_empty() {
            parsed.issue(self.line, "an ANR without its reason: the log was cut off; kept without it");
        }
        parsed.judge(
            Report {
                failure: Failure {
                    kind: FailureKind::Anr,
                    package: String::new(),
                    chain: Vec::new(),
                    message: self.reason,
                },
                reporter,
                process: self.process,
                pid: self.pid,
                time_ms,
                line: self.line,
            },
            app,
        );
    }
}

/// Reads the stacks of all threads and keeps the main thread's.
#[derive(Clone, Debug, Default)]
pub(crate) struct TracesReader {
    line: usize,
    processes: usize,
    process: String,
    pid: Option<u32>,
    reason: String,
    waits: String,
    in_main: bool,
    seen_main: bool,
    java: Vec<Frame>,
    native: Vec<Frame>,
}

impl TracesReader {
    const MAX_FRAMES: usize = 1024;

    /// Nothing of a traces file was seen.
    pub(crate) fn is_empty(&self) -> bool {
        self.processes == 0 && !self.seen_main
    }

    pub(crate) fn feed(&mut self, number: usize, line: &str) {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("----- pid ") {
            self.processes += 1;
            if self.processes == 1 {
                self.line = number;
                self.pid = rest.split(' ').next().and_then(|pid| pid.parse().ok()).or(self.pid);
            }
            self.in_main = false;
            return;
        }
        if self.processes > 1 {
            return;
        }
        if let Some(rest) = text.strip_prefix("Cmd line: ").or_else(|| text.strip_prefix("Process: ")) {
            if self.process.is_empty() {
                rest.split(' ').next().unwrap_or_default().clone_into(&mut self.process);
            }
        } else if let Some(reason) = text
            .strip_prefix("Subject: ")
            .or_else(|| text.strip_prefix("Reason: "))
            .filter(|_| !self.seen_main)
        {
            clipped(reason, StackReader::MAX_MESSAGE).clone_into(&mut self.reason);
        } else if text.starts_with('"') {
            self.in_main = text.starts_with("\"main\"") && !self.seen_main;
            self.seen_main |= self.in_main;
            if self.in_main && self.line == 0 {
                self.line = number;
            }
        } else if self.in_main {
            self.main_line(text);
        }
    }

    fn main_line(&mut self, text: &str) {
        if text.is_empty() {
            self.in_main = false;
        } else if let Some(frame) = text.strip_prefix("at ").and_then(parse_frame) {
            if self.java.len() < Self::MAX_FRAMES {
                self.java.push(frame);
            }
        } else if let Some(frame) =
            text.trim_start_matches("native: ").strip_prefix('#').and_then(parse_native_frame)
        {
            if self.native.len() < Self::MAX_FRAMES {
                self.native.push(frame);
            }
        } else if let Some(lock) = text.strip_prefix("- waiting to lock ")
            && let Some((_, holder)) = lock.split_once("held by ")
        {
            self.waits = format!("waits for a lock held by {}", clipped(holder, 80));
        }
    }

    pub(crate) fn finish(self, parsed: &mut Parsed, app: App<'_>, reporter: Reporter) {
        if self.is_empty() {
            return;
        }
        if !self.seen_main {
            parsed
                .issue(self.line, "no main thread in the traces: the file was cut off; kept without a stack");
        }
        let frames = if self.java.is_empty() { self.native } else { self.java };
        let message = match (self.reason.is_empty(), self.waits.is_empty()) {
            (true, _) => self.waits,
            (false, true) => self.reason,
            (false, false) => format!("{}; {}", self.reason, self.waits),
        };
        let chain = if frames.is_empty() {
            Vec::new()
        } else {
            vec![Throwable { class: CLASS.to_owned(), message: message.clone(), frames }]
        };
        let report = Report {
            failure: Failure { kind: FailureKind::Anr, package: String::new(), chain, message },
            reporter,
            process: self.process,
            pid: self.pid,
            time_ms: None,
            line: self.line,
        };
        parsed.judge(report, app);
    }
}
