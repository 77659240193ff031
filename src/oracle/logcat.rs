//! Failures in a device's log.
//!
//! Every format of `logcat -v` is read, line by line and without being told which: logs are pasted together. Lines of
//! several processes may be interleaved as long as the format tells them apart.

mod line;

use std::collections::{BTreeMap, BTreeSet};

use self::line::{Head, Line, parse_line};
use super::anr::AnrReader;
use super::report::{App, Parsed, Refusal, Refused, Report, Reporter, clipped, numbered, text_of};
use super::stack::StackReader;
use super::tombstone::{DumpReader, is_start, signal_name};
use super::{Failure, FailureKind, Throwable};

/// Reads a whole log.
pub fn parse(bytes: &[u8], app: App<'_>) -> Parsed {
    let text = text_of(bytes);
    let mut reader = LogcatReader::new(app);
    for (_, line) in numbered(&text) {
        reader.feed(line);
    }
    reader.drain()
}

/// Reads a log as it grows.
#[derive(Debug)]
pub struct LogcatReader<'a> {
    app: App<'a>,
    number: usize,
    open: Vec<Open>,
    /// The block and head that a line without a head continues.
    last: Option<Key>,
    /// The format is `long`, where an empty line ends each message: whether one is waiting for what follows it.
    long: Option<EmptyLine>,
    /// Process names by process id, from the lines that announce their start.
    names: BTreeMap<u32, String>,
    /// Processes whose end is explained: by the system, or by a report.
    ended: BTreeSet<u32>,
    /// Fatal signals that wait for their dump.
    signals: Vec<Report>,
    exits: Vec<Report>,
    parsed: Parsed,
}

/// What tells the lines of one block from others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    pid: Option<u32>,
    tid: Option<u32>,
    tag: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EmptyLine {
    Waits,
    None,
}

#[derive(Debug)]
struct Open {
    key: Key,
    time_ms: Option<i64>,
    block: Block,
}

#[derive(Debug)]
enum Block {
    Java { line: usize, process: String, pid: Option<u32>, system: bool, stack: StackReader },
    Native(DumpReader),
    Anr(AnrReader),
}

impl<'a> LogcatReader<'a> {
    /// A reader that keeps the failures of one app.
    pub fn new(app: App<'a>) -> Self {
        Self {
            app,
            number: 0,
            open: Vec::new(),
            last: None,
            long: None,
            names: BTreeMap::new(),
            ended: BTreeSet::new(),
            signals: Vec::new(),
            exits: Vec::new(),
            parsed: Parsed::default(),
        }
    }

    /// Takes one line.
    pub fn feed(&mut self, line: &str) {
        self.number += 1;
        match parse_line(line) {
            Line::Divider => self.last = None,
            Line::Long(head) => {
                self.last = Some(Key::of(&head));
                self.long = Some(EmptyLine::None);
            }
            Line::Entry(head, text) => {
                let key = Key::of(&head);
                self.entry(&head, &key, text);
                self.last = Some(key);
                self.long = None;
            }
            Line::Bare(text) => {
                let waiting = self.long == Some(EmptyLine::Waits);
                if self.long.is_some() {
                    self.long = Some(if text.is_empty() { EmptyLine::Waits } else { EmptyLine::None });
                }
                if waiting {
                    self.more("");
                }
                if self.long != Some(EmptyLine::Waits) {
                    self.more(text);
                }
            }
        }
    }

    /// A line without a head: more of the message before it, or the format `raw`.
    fn more(&mut self, text: &str) {
        let key = self.last.clone().unwrap_or(Key { pid: None, tid: None, tag: None });
        let head = Head { pid: key.pid, tid: key.tid, tag: key.tag.as_deref(), ..Head::default() };
        self.entry(&head, &key, text);
    }

    /// Ends all open blocks and hands out everything since the last time. Call it when the log is at its end, or has been
    /// quiet for a while.
    pub fn drain(&mut self) -> Parsed {
        for open in std::mem::take(&mut self.open) {
            self.close(open);
        }
        let reported = |report: &Report| report.pid.is_some_and(|pid| self.ended.contains(&pid));
        let unexplained: Vec<Report> =
            self.signals.drain(..).chain(self.exits.drain(..)).filter(|report| !reported(report)).collect();
        for report in unexplained {
            self.ended.extend(report.pid);
            self.parsed.judge(report, self.app);
        }
        std::mem::take(&mut self.parsed).sorted()
    }

    fn entry(&mut self, head: &Head<'_>, key: &Key, text: &str) {
        if let Some(block) = self.block_start(head, text) {
            if let Some(index) = self.open.iter().position(|open| open.key == *key) {
                let open = self.open.remove(index);
                self.close(open);
            }
            self.open.push(Open { key: key.clone(), time_ms: head.time_ms, block });
            return;
        }
        if let Some(index) = self.open.iter().position(|open| open.key == *key) {
            let taken = self.open[index].block.feed(self.number, text);
            if !taken {
                let open = self.open.remove(index);
                self.close(open);
            }
            if taken {
                return;
            }
        }
        self.single(head, text);
    }

    /// The line begins a block. What looks like one but is not is refused.
    fn block_start(&mut self, head: &Head<'_>, text: &str) -> Option<Block> {
        let line = self.number;
        let under = |tags: &[&str]| head.tag.is_none_or(|tag| tags.contains(&tag));
        let fatal = text.strip_prefix("*** ").unwrap_or(text).strip_prefix("FATAL EXCEPTION");
        if let Some(rest) = fatal {
            if !under(&["AndroidRuntime"]) {
                self.refuse(Refusal::ForeignTag(head.tag.unwrap_or_default().to_owned()), text);
                return None;
            }
            return Some(Block::Java {
                line,
                process: String::new(),
                pid: head.pid,
                system: rest.starts_with(" IN SYSTEM PROCESS"),
                stack: StackReader::default(),
            });
        }
        if is_start(text.trim())
            && under(&["DEBUG", "crash_dump", "crash_dump32", "crash_dump64", "debuggerd"])
        {
            return Some(Block::Native(DumpReader::at(line)));
        }
        if let Some(rest) = text.strip_prefix("ANR in ")
            && under(&["ActivityManager"])
        {
            return Some(Block::Anr(AnrReader::at(line, rest)));
        }
        None
    }

    /// Lines that say something by themselves.
    fn single(&mut self, head: &Head<'_>, text: &str) {
        let system = head.tag.is_none_or(|tag| tag == "ActivityManager");
        if text.contains("android.util.Log$TerribleFailure") {
            self.refuse(Refusal::Wtf, text);
        } else if let Some(rest) = text.strip_prefix("Fatal signal ")
            && head.tag.is_none_or(|tag| tag == "libc")
        {
            self.signal(head, text, rest);
        } else if let Some(rest) = text.strip_prefix("Start proc ")
            && system
        {
            self.started(rest);
        } else if let Some(rest) = text.strip_prefix("Killing ")
            && system
        {
            self.ended.extend(rest.split(':').next().and_then(|pid| pid.trim().parse::<u32>().ok()));
        } else if let Some(rest) = text.strip_prefix("Process ")
            && system
            && let Some((process, rest)) = rest.split_once(" (pid ")
            && let Some((pid, rest)) = rest.split_once(") has died")
            && let Ok(pid) = pid.trim().parse()
        {
            self.died(head, process, pid, rest);
        }
    }

    /// `Start proc 1234:org.example/u0a12 for …`, before Android 5.1 `Start proc org.example for …: pid=1234 …`.
    fn started(&mut self, rest: &str) {
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let named = match first.split_once(':') {
            Some((pid, name)) => {
                pid.parse().ok().map(|pid| (pid, name.split('/').next().unwrap_or_default()))
            }
            None => more
                .split_once("pid=")
                .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok())
                .map(|pid| (pid, first)),
        };
        if let Some((pid, name)) = named {
            self.ended.remove(&pid);
            self.names.insert(pid, name.to_owned());
        }
    }

    /// `Fatal signal 11 (SIGSEGV), code 1 …, fault addr 0x30 in tid 5637 (Thread-3), pid 31521 (ample.notes)`: only the
    /// end of the process's name.
    fn signal(&mut self, head: &Head<'_>, text: &str, rest: &str) {
        let (pid, end) = match rest.rsplit_once(", pid ") {
            Some((_, rest)) => {
                let (pid, name) = rest.split_once(" (").unwrap_or((rest, ""));
                (pid.trim().parse().ok(), name.trim_end().trim_end_matches(')'))
            }
            None => (head.pid, ""),
        };
        let known = pid.and_then(|pid| self.names.get(&pid)).cloned();
        let process = known.unwrap_or_else(|| match self.app.package() {
            Some(package) if !end.is_empty() && package.ends_with(end) => package.to_owned(),
            _ => end.to_owned(),
        });
        let message = clipped(text, StackReader::MAX_MESSAGE).to_owned();
        let chain =
            vec![Throwable { class: signal_name(rest), message: message.clone(), frames: Vec::new() }];
        self.signals.push(self.report(head, FailureKind::Native, process, pid, chain, message));
    }

    /// A process in front that nobody killed and that did not crash ended itself.
    fn died(&mut self, head: &Head<'_>, process: &str, pid: u32, state: &str) {
        let state = state.trim_start_matches([':', ' ']);
        if state.is_empty() || state.starts_with("fg") || state.starts_with("vis") {
            let message = "the process ended itself".to_owned();
            let report = self.report(
                head,
                FailureKind::Exit,
                process.trim().to_owned(),
                Some(pid),
                Vec::new(),
                message,
            );
            self.exits.push(report);
        }
    }

    fn report(
        &self,
        head: &Head<'_>,
        kind: FailureKind,
        process: String,
        pid: Option<u32>,
        chain: Vec<Throwable>,
        message: String,
    ) -> Report {
        Report {
            failure: Failure { kind, package: String::new(), chain, message },
            reporter: Reporter::Logcat,
            process,
            pid,
            time_ms: head.time_ms,
            line: self.number,
        }
    }

    fn refuse(&mut self, reason: Refusal, what: &str) {
        let what = clipped(what.trim(), 200).to_owned();
        self.parsed.refused.push(Refused { reason, what, line: self.number });
    }

    fn close(&mut self, open: Open) {
        let Open { time_ms, block, .. } = open;
        match block {
            Block::Native(dump) => {
                self.ended.extend(dump.pid());
                dump.finish(&mut self.parsed, self.app, Reporter::Logcat, time_ms);
            }
            Block::Anr(anr) => anr.finish(&mut self.parsed, self.app, Reporter::Logcat, time_ms),
            Block::Java { line, mut process, pid, system, stack } => {
                let (chain, issues) = stack.finish();
                self.parsed.issues.extend(issues);
                self.ended.extend(pid);
                if process.is_empty() {
                    process = pid.and_then(|pid| self.names.get(&pid)).cloned().unwrap_or_default();
                }
                if chain.is_empty() {
                    self.parsed.issue(line, "a fatal exception without its stack: the log was cut off");
                }
                let message = chain.first().map(|link| link.message.clone()).unwrap_or_default();
                let report = Report {
                    failure: Failure { kind: FailureKind::Java, package: String::new(), chain, message },
                    reporter: Reporter::Logcat,
                    process: if system { "system_server".to_owned() } else { process },
                    pid,
                    time_ms,
                    line,
                };
                self.parsed.judge(report, self.app);
            }
        }
    }
}

impl Key {
    fn of(head: &Head<'_>) -> Self {
        Self { pid: head.pid, tid: head.tid, tag: head.tag.map(str::to_owned) }
    }
}

impl Block {
    /// Takes one line; `false` when it does not belong to the block any more.
    fn feed(&mut self, number: usize, text: &str) -> bool {
        match self {
            Self::Native(dump) => {
                dump.feed(text);
                !dump.is_complete()
            }
            Self::Anr(anr) => anr.feed(text),
            Self::Java { process, pid, stack, .. } => {
                if stack.is_empty() {
                    if let Some(rest) = text.strip_prefix("Process: ") {
                        let (name, rest) = rest.split_once(", PID: ").unwrap_or((rest, ""));
                        name.trim().clone_into(process);
                        *pid = leading_number(rest).or(*pid);
                        return true;
                    }
                    if let Some(rest) = text.strip_prefix("PID: ") {
                        *pid = leading_number(rest).or(*pid);
                        return true;
                    }
                    if text.trim().is_empty() {
                        return true;
                    }
                }
                stack.feed(number, text)
            }
        }
    }
}

fn leading_number(text: &str) -> Option<u32> {
    text.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
