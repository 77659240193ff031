//! What a reader of logs hands back: reports of failures, what it refused, and what it could not read.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Failure;

/// One failure as one reporter told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The failure.
    pub failure: Failure,
    /// Who told it.
    pub reporter: Reporter,
    /// The process, such as `org.example.notes:sync`; empty where the reporter does not say.
    pub process: String,
    /// The process id, where the reporter says it.
    pub pid: Option<u32>,
    /// When, in milliseconds of the reporter's own clock: since 1970 where the log has the year or the epoch, else since
    /// the start of the year. Comparable within one log only, unless it is the epoch.
    pub time_ms: Option<i64>,
    /// The line where the report begins, counted from 1; 0 where there are no lines.
    pub line: usize,
}

/// Who told of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reporter {
    /// Android's activity controller, through the agent: the most trusted.
    Controller,
    /// The device's log.
    Logcat,
    /// The stacks that the system writes at an ANR.
    AnrTraces,
    /// The dump of a native crash.
    Tombstone,
    /// The output of Monkey or of a tool made from it.
    Monkey,
    /// The app's own error screen.
    Screen,
    /// A device that knows its app from the inside: virtual or JVM.
    Device,
}

/// Everything that one reading of a log gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The failures of the app, in the order of the log.
    pub reports: Vec<Report>,
    /// What looks like a failure but is not the app's.
    pub refused: Vec<Refused>,
    /// What could not be read.
    pub issues: Vec<Issue>,
}

/// Something that looks like a failure but is not one of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why it is refused.
    pub reason: Refusal,
    /// What was refused, in a few words.
    pub what: String,
    /// The line where it begins, counted from 1.
    pub line: usize,
}

/// Why something is not a failure of the app.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// Another app failed.
    OtherPackage(String),
    /// The system failed: `system_server`, a daemon or its watchdog.
    System,
    /// Logged as a terrible failure, which does not end the process.
    Wtf,
    /// Printed under a tag that no crash has: an app can print what it likes.
    ForeignTag(String),
    /// The log does not say whose process failed, and no frame is the app's.
    UnknownProcess,
}

/// A part of a log that could not be read; the rest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The line, counted from 1; 0 when it is about the whole.
    pub line: usize,
    /// What is wrong and what was done about it.
    pub text: String,
}

/// The app whose failures are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct App<'a> {
    package: Option<&'a str>,
}

impl<'a> App<'a> {
    /// The app with this package, and all its processes.
    pub const fn named(package: &'a str) -> Self {
        Self { package: if package.is_empty() { None } else { Some(package) } }
    }

    /// Any app, but not the system.
    pub const fn any() -> Self {
        Self { package: None }
    }

    /// The package, where one is wanted.
    pub fn package(self) -> Option<&'a str> {
        self.package
    }

    /// Whether a process belongs to the app, and if not, why.
    pub fn judge(self, process: &str) -> Result<(), Refusal> {
        let package = package_of(process);
        match self.package {
            _ if package.is_empty() => Err(Refusal::UnknownProcess),
            _ if matches!(package, "system_server" | "system" | "android" | "zygote" | "zygote64")
                || package.starts_with('/') =>
            {
                Err(Refusal::System)
            }
            Some(wanted) if wanted != package => Err(Refusal::OtherPackage(package.to_owned())),
            _ => Ok(()),
        }
    }
}

/// The package of a process: processes of an app are named `package` or `package:name`.
pub fn package_of(process: &str) -> &str {
    process.split(':').next().unwrap_or_default().trim()
}

impl Parsed {
    /// Adds a report if its process is the app's, else the refusal. A report that does not name its process is
    /// accepted when a frame of its stack is the app's.
    pub(crate) fn judge(&mut self, mut report: Report, app: App<'_>) {
        let mut judged = app.judge(&report.process);
        if judged == Err(Refusal::UnknownProcess)
            && let Some(package) = app.package()
            && report.failure.chain.iter().flat_map(|link| &link.frames).any(|frame| frame.is_of(package))
        {
            package.clone_into(&mut report.process);
            self.issues.push(Issue {
                line: report.line,
                text: format!("the process is not named; taken for `{package}` because of its frames"),
            });
            judged = Ok(());
        }
        match judged {
            Ok(()) => {
                package_of(&report.process).clone_into(&mut report.failure.package);
                self.reports.push(report);
            }
            Err(reason) => {
                self.refused.push(Refused { reason, what: report.failure.headline(), line: report.line });
            }
        }
    }

    pub(crate) fn issue(&mut self, line: usize, text: impl Into<String>) {
        self.issues.push(Issue { line, text: text.into() });
    }

    /// Reports, refusals and issues in the order of the log.
    pub(crate) fn sorted(mut self) -> Self {
        self.reports.sort_by_key(|report| report.line);
        self.refused.sort_by_key(|refused| refused.line);
        self.issues.sort_by_key(|issue| issue.line);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherPackage(package) => write!(f, "`{package}` failed, which is another app"),
            Self::System => f.write_str("the system failed, not the app"),
            Self::Wtf => f.write_str("a terrible failure was logged, but the process went on"),
            Self::ForeignTag(tag) => {
                write!(f, "it was printed under the tag `{tag}`, where no crash is reported")
            }
            Self::UnknownProcess => f.write_str("the log does not say whose process failed"),
        }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "line {line}: {}", self.text),
        }
    }
}

/// The lines of a log, whatever its bytes: what is no UTF-8 becomes replacement characters.
pub(crate) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // What a PowerShell wrote with `>` has two bytes a character; other tools write them the other way around.
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    if let Some(little) = bytes.strip_prefix(b"\xff\xfe") {
        return wide(little, u16::from_le_bytes);
    }
    if let Some(big) = bytes.strip_prefix(b"\xfe\xff") {
        return wide(big, u16::from_be_bytes);
    }
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// Numbered lines, counted from 1, without their ends.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').enumerate().map(|(index, line)| (index + 1, line.strip_suffix('\r').unwrap_or(line)))
}

/// At most `max` bytes of a text, cut at a character.
pub(crate) fn clipped(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_two_bytes_a_character_are_read_whichever_byte_comes_first() {
        let said = "// CRASH: é 🐒";
        let bytes = |mark: [u8; 2], split: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(said.encode_utf16().flat_map(split)).collect()
        };
        assert_eq!(text_of(&bytes([0xff, 0xfe], u16::to_le_bytes)), said);
        assert_eq!(text_of(&bytes([0xfe, 0xff], u16::to_be_bytes)), said);
        assert_eq!(text_of(said.as_bytes()), said);
    }
}
