//! What Monkey prints about failures, and the tools made from it: SimplyDroid's one-line form and APE's prefix.

use super::anr::{AnrReader, TracesReader};
use super::report::{App, Issue, Parsed, Refusal, Refused, Report, Reporter, clipped, numbered, text_of};
use super::stack::{StackReader, parse_stack};
use super::tombstone::{DumpReader, is_start};
use super::{Failure, FailureKind};

/// SimplyDroid writes a crash in one line, with this for each line break.
const LINE_BREAK: &str = "$$ ";

/// Reads Monkey's output.
pub fn parse(bytes: &[u8], app: App<'_>) -> Parsed {
    let text = text_of(bytes);
    let mut reader = MonkeyReader::new(app);
    for (number, line) in numbered(&text) {
        reader.feed(number, line);
    }
    reader.finish()
}

/// Reads Monkey's output line by line.
#[derive(Debug)]
pub struct MonkeyReader<'a> {
    app: App<'a>,
    open: Open,
    parsed: Parsed,
}

#[derive(Debug)]
enum Open {
    Nothing,
    Crash(Box<Crash>),
    Anr(AnrReader),
    Traces(Box<TracesReader>),
}

#[derive(Debug)]
struct Crash {
    line: usize,
    process: String,
    pid: Option<u32>,
    short: String,
    long: String,
    stack: StackReader,
    dump: DumpReader,
    headers: bool,
}

impl<'a> MonkeyReader<'a> {
    /// A reader that keeps the failures of one app.
    pub fn new(app: App<'a>) -> Self {
        Self { app, open: Open::Nothing, parsed: Parsed::default() }
    }

    /// Takes one line; `false` when it says nothing of failures.
    pub fn feed(&mut self, number: usize, line: &str) -> bool {
        let line = unprefixed(line);
        if let Some(rest) = line.strip_prefix("// CRASH: ") {
            self.close();
            if let Some(stack) = rest.strip_prefix("// ") {
                self.one_line_crash(number, stack);
            } else {
                self.open = Open::Crash(Box::new(Crash::at(number, rest)));
            }
            return true;
        }
        if let Some(rest) = line.strip_prefix("// NOT RESPONDING: ") {
            self.close();
            let (process, pid) = process_and_pid(rest);
            let mut anr = AnrReader::at(number, process).with_pid(pid);
            for part in rest.split(LINE_BREAK).skip(1) {
                anr.feed(part);
            }
            self.open = Open::Anr(anr);
            return true;
        }
        if let Some(rest) = line.strip_prefix("// WATCHDOG: ") {
            self.close();
            self.refuse(Refusal::System, number, rest);
            return true;
        }
        if line.starts_with("** System appears to have crashed") {
            self.close();
            self.refuse(Refusal::System, number, line);
            return true;
        }
        if line.starts_with("** New native crash detected") {
            self.close();
            self.refuse(Refusal::UnknownProcess, number, line);
            return true;
        }
        if line.starts_with("----- pid ") && !matches!(self.open, Open::Traces(_)) {
            self.close();
            self.open = Open::Traces(Box::default());
        }
        self.continue_block(number, line)
    }

    /// Everything that was read.
    pub fn finish(mut self) -> Parsed {
        self.close();
        self.parsed.sorted()
    }

    fn continue_block(&mut self, number: usize, line: &str) -> bool {
        let taken = match &mut self.open {
            Open::Nothing => return false,
            Open::Crash(crash) => match line.strip_prefix("//") {
                Some(rest) => {
                    crash.feed(number, rest.strip_prefix(' ').unwrap_or(rest));
                    true
                }
                None => false,
            },
            Open::Anr(anr) => !line.starts_with([':', ' ']) && !line.starts_with("//") && anr.feed(line),
            Open::Traces(traces) => {
                traces.feed(number, line);
                !line.starts_with("// ")
            }
        };
        if !taken {
            self.close();
        }
        taken
    }

    fn refuse(&mut self, reason: Refusal, line: usize, what: &str) {
        self.parsed.refused.push(Refused { reason, what: clipped(what.trim(), 200).to_owned(), line });
    }

    /// SimplyDroid's Monkey ran one app only and does not name the process: it is the app's.
    fn one_line_crash(&mut self, line: usize, stack: &str) {
        let text = stack.replace(LINE_BREAK, "\n");
        let (chain, issues) = parse_stack(&text);
        self.parsed.issues.extend(issues.into_iter().map(|issue| Issue { line, text: issue.text }));
        if chain.is_empty() {
            self.parsed.issue(line, "a crash without an exception: the line was cut off; left out");
            return;
        }
        let process = self.app.package().unwrap_or_default().to_owned();
        let message = chain[0].message.clone();
        let failure = Failure { kind: FailureKind::Java, package: process.clone(), chain, message };
        let report = Report { failure, reporter: Reporter::Monkey, process, pid: None, time_ms: None, line };
        if self.app.package().is_some() {
            self.parsed.judge(report, self.app);
        } else {
            self.parsed.reports.push(report);
        }
    }

    fn close(&mut self) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Crash(crash) => crash.finish(&mut self.parsed, self.app),
            Open::Anr(anr) => anr.finish(&mut self.parsed, self.app, Reporter::Monkey, None),
            Open::Traces(traces) => traces.finish(&mut self.parsed, self.app, Reporter::AnrTraces),
        }
    }
}

impl Crash {
    fn at(line: usize, rest: &str) -> Self {
        let (process, pid) = process_and_pid(rest);
        Self {
            line,
            process: process.to_owned(),
            pid,
            short: String::new(),
            long: String::new(),
            stack: StackReader::default(),
            dump: DumpReader::at(line),
            headers: true,
        }
    }

    fn feed(&mut self, number: usize, text: &str) {
        if let Some(short) = text.strip_prefix("Short Msg: ").filter(|_| self.headers) {
            clipped(short, StackReader::MAX_MESSAGE).clone_into(&mut self.short);
        } else if let Some(long) = text.strip_prefix("Long Msg: ").filter(|_| self.headers) {
            clipped(long, StackReader::MAX_MESSAGE).clone_into(&mut self.long);
        } else if self.headers && text.starts_with("Build ") {
            // Fingerprint, change list and time of the device's system.
        } else {
            self.headers &= text.trim().is_empty();
            if self.is_native() {
                if !is_start(text.trim()) {
                    self.dump.feed(text);
                }
            } else {
                self.stack.feed(number, text);
            }
        }
    }

    fn is_native(&self) -> bool {
        self.short.starts_with("Native crash")
    }

    fn finish(self, parsed: &mut Parsed, app: App<'_>) {
        let kind = if self.is_native() { FailureKind::Native } else { FailureKind::Java };
        if kind == FailureKind::Native {
            let mut dump = Parsed::default();
            self.dump.finish(&mut dump, App::any(), Reporter::Monkey, None);
            if let Some(mut report) = dump.reports.pop() {
                report.process = self.process;
                report.pid = self.pid;
                parsed.judge(report, app);
                return;
            }
        }
        let (mut chain, issues) = self.stack.finish();
        parsed.issues.extend(issues);
        if chain.is_empty() && kind == FailureKind::Java {
            parsed.issue(
                self.line,
                "a crash without its stack: the log was cut off; only the exception is known",
            );
            let (short, _) = super::stack::parse_stack(&self.short);
            chain = short;
        }
        let message = if self.long.is_empty() { self.short } else { self.long };
        let report = Report {
            failure: Failure { kind, package: String::new(), chain, message },
            reporter: Reporter::Monkey,
            process: self.process,
            pid: self.pid,
            time_ms: None,
            line: self.line,
        };
        parsed.judge(report, app);
    }
}

/// APE writes its own prefix before every line.
fn unprefixed(line: &str) -> &str {
    line.strip_prefix("[APE] ").unwrap_or(line)
}

/// `org.example.notes (pid 1234)`, perhaps with more behind it.
fn process_and_pid(text: &str) -> (&str, Option<u32>) {
    match text.split_once(" (pid ") {
        Some((process, rest)) => {
            (process.trim(), rest.split(')').next().and_then(|pid| pid.trim().parse().ok()))
        }
        None => (text.split(' ').next().unwrap_or_default(), None),
    }
}
