//! The summary as people read it on a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{FailureSummary, JVM, PHONE, Summary, UNKNOWN};
use crate::letters::is_harmless;
use crate::numbers::{counted, thousands};

/// Whether colours are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Text alone.
    Plain,
    /// Text with ANSI colours.
    Colored,
}

/// A headline is never cut shorter than this in a table: on a narrower terminal its cells stand one below the other.
const MIN_HEADLINE: usize = 24;
const STRONG: Style = Style::new().bold();
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const FAINT: Style = Style::new().dimmed();

impl Paint {
    fn with(self, style: Style, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colored => format!("{style}{text}{style:#}"),
        }
    }
}

impl Summary {
    /// What is counted as covered: a JVM counts what JaCoCo calls probes, several of which may be in a branch, or none.
    pub fn branches_word(&self) -> &'static str {
        if self.device == JVM { "probes" } else { "branches" }
    }

    /// How many branches were covered of how many, in words.
    pub fn branches_text(&self) -> String {
        match self.branches {
            Some(covered) => of(covered, self.branches_declared),
            None => "not measured on a phone".to_owned(),
        }
    }

    /// How often the app was started anew, and how often of these to get out of a trap.
    pub fn resets_text(&self) -> String {
        let all = format!("{} clean, {} warm", thousands(self.clean_resets), thousands(self.warm_resets));
        if self.traps == 0 { all } else { format!("{all}; {} to get out of a trap", thousands(self.traps)) }
    }

    /// The summary as a table, at most `width` columns wide where that is possible. Whatever an app says is shown without
    /// characters that could move the cursor or turn the line around.
    pub fn render(&self, width: usize, paint: Paint) -> String {
        let mut text = String::new();
        let app = if self.target.is_empty() || self.target == self.app {
            shown(&self.app, 60)
        } else {
            format!("{} ({})", shown(&self.app, 60), shown(&self.target, 60))
        };
        let _ =
            writeln!(text, "{} on {}, seed {}", paint.with(STRONG, &app), self.device_in_words(), self.seed);
        let steps = counted(self.steps, "step");
        let _ = match &self.stopped {
            Some(reason) => writeln!(text, "stopped after {steps}: {}", shown(reason, 80)),
            None => writeln!(text, "{} after {steps}", paint.with(BAD, "cut off")),
        };
        text.push('\n');
        let activities = self.activities.len() as u64;
        for (name, value) in [
            ("activities", of(activities, self.activities_declared)),
            (self.branches_word(), self.branches_text()),
            ("screens", thousands(self.screens)),
            ("resets", self.resets_text()),
            ("warnings", thousands(self.warnings)),
        ] {
            if name != "warnings" || self.warnings > 0 {
                let _ = writeln!(text, "  {name:<11} {value}");
            }
        }
        text.push('\n');
        if self.failures.is_empty() {
            let verdict = if self.issues.is_empty() {
                "no failure found"
            } else {
                "no failure found in what could be read"
            };
            let _ = writeln!(text, "{}", paint.with(GOOD, verdict));
        } else {
            self.render_failures(&mut text, width, paint);
        }
        self.render_hosts(&mut text, paint);
        for failure in &self.failures {
            if let (Some(minimal), Some(optimum)) = (failure.minimal, failure.optimum)
                && minimal < u64::from(optimum)
            {
                let _ = writeln!(
                    text,
                    "{} `{}` takes {minimal} events, fewer than the optimum of {optimum} that the model states; \
                     `siamang model check` proves it wrong",
                    paint.with(BAD, "warning:"),
                    shown(&short(&failure.headline), 80)
                );
            }
        }
        if !self.asked.is_empty() {
            let _ = writeln!(text, "\nasked of other apps, and what stood in for them answered");
            for (asked, &count) in &self.asked {
                let _ = writeln!(text, "  {} ({})", shown(asked, 200), counted(count, "time"));
            }
        }
        for (warning, &count) in &self.warning_texts {
            // Some trouble is told only once however often it happens, so that "1 time" would say too much.
            let often = if count > 1 { format!(" ({})", counted(count, "time")) } else { String::new() };
            let _ = writeln!(text, "{} {}{often}", paint.with(BAD, "warning:"), shown(warning, 200));
        }
        for issue in &self.issues {
            let _ = writeln!(text, "{} {}", paint.with(BAD, "lost:"), shown(issue, 400));
        }
        text
    }

    /// The device as it is told to people.
    pub(crate) fn device_in_words(&self) -> String {
        match self.device.as_str() {
            PHONE => "a phone".to_owned(),
            UNKNOWN => "an unknown device".to_owned(),
            device => format!("a {} device", shown(device, 20)),
        }
    }

    /// The failures in one line each. Several that would be called the same are told apart by where the app's code failed.
    pub(crate) fn names(&self, call: impl Fn(&str) -> String) -> Vec<String> {
        let same = |failure: &FailureSummary| {
            self.failures.iter().filter(|other| other.headline == failure.headline).count() > 1
        };
        let name = |failure: &FailureSummary| {
            let headline = call(&failure.headline);
            match (&failure.place, headline.split_once(": ")) {
                (Some(place), Some((class, message))) if same(failure) => {
                    format!("{class} at {place}: {message}")
                }
                (Some(place), None) if same(failure) => format!("{headline} at {place}"),
                _ => headline,
            }
        };
        self.failures.iter().map(name).collect()
    }

    /// What failed because of the device, apart from what the app has to answer for.
    fn render_hosts(&self, text: &mut String, paint: Paint) {
        let count = self.hosts_failures.len() + self.hosts_faults.len();
        if count == 0 {
            return;
        }
        let title = format!("{} of the device, not of the app", counted(count as u64, "fault"));
        let _ = writeln!(text, "\n{}", paint.with(STRONG, &title));
        for failure in &self.hosts_failures {
            let why = failure.hosts_fault().unwrap_or_default();
            let _ = writeln!(text, "  {}: {}", shown(&short(&failure.headline), 80), shown(&why, 200));
        }
        for (fault, count) in &self.hosts_faults {
            let _ = writeln!(text, "  {} ({})", shown(fault, 200), counted(*count, "time"));
        }
    }

    fn render_failures(&self, text: &mut String, width: usize, paint: Paint) {
        let count = counted(self.failures.len() as u64, "failure");
        let _ = writeln!(text, "{}", paint.with(BAD, &count));
        let head = ["kind", "original", "minimal", "optimum", "runs", "rate"].map(str::to_owned);
        let rows: Vec<[String; 6]> = self.failures.iter().map(row).collect();
        let widths: [usize; 6] = std::array::from_fn(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(head[column].len())
        });
        let names: Vec<String> = self.names(short);
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(MIN_HEADLINE);
        let others = 2 + widths.iter().map(|width| width + 2).sum::<usize>();
        let rest = width.saturating_sub(others).clamp(MIN_HEADLINE, longest);
        let line = |name: &str, cells: &[String; 6]| {
            let mut line = format!("  {:<rest$}", shown(name, rest));
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                let _ = if column == 0 {
                    write!(line, "  {cell:<width$}")
                } else {
                    write!(line, "  {cell:>width$}")
                };
            }
            line.truncate(line.trim_end().len());
            line
        };
        if others + MIN_HEADLINE > width {
            for (row, name) in rows.iter().zip(&names) {
                let _ = writeln!(text, "  {}", shown(name, width.saturating_sub(2)));
                for (head, cell) in head.iter().zip(row) {
                    let _ = writeln!(text, "    {}  {cell}", paint.with(FAINT, &format!("{head:<8}")));
                }
            }
        } else {
            let _ = writeln!(text, "{}", paint.with(FAINT, &line("failure", &head)));
            for (row, name) in rows.iter().zip(&names) {
                let _ = writeln!(text, "{}", line(name, row));
            }
        }
        let mut early: Vec<&str> = self.failures.iter().filter_map(ended_early).collect();
        early.sort_unstable();
        early.dedup();
        if !early.is_empty() {
            let why = shown(&early.join(", "), 80);
            let _ = writeln!(text, "  {}", paint.with(FAINT, &format!("* shrinking ended early: {why}")));
        }
    }
}

/// The failure without the packages of its class: `java.lang.Error: gone` is `Error: gone`.
fn short(headline: &str) -> String {
    let (class, rest) =
        headline.split_once(": ").map_or((headline, None), |(class, rest)| (class, Some(rest)));
    let is_class = class.contains('.') && !class.contains(char::is_whitespace);
    let name = class.rsplit('.').next().filter(|name| is_class && !name.is_empty()).unwrap_or(class);
    rest.map_or_else(|| name.to_owned(), |rest| format!("{name}: {rest}"))
}

fn ended_early(failure: &FailureSummary) -> Option<&str> {
    let shrunk = failure.shrunk.as_ref().filter(|shrunk| !shrunk.is_done())?;
    Some(shrunk.ended.as_str())
}

fn row(failure: &FailureSummary) -> [String; 6] {
    const NONE: &str = "-";
    let kind = failure.kind.map_or("unknown", crate::oracle::FailureKind::word);
    let number = |number: Option<u64>| number.map_or_else(|| NONE.to_owned(), thousands);
    let early = if ended_early(failure).is_some() { "*" } else { "" };
    let (runs, rate) = match &failure.shrunk {
        None => (NONE.to_owned(), NONE.to_owned()),
        Some(shrunk) => {
            let rate = match (shrunk.reproduced, shrunk.is_done()) {
                (true, _) => format!("{}/{}", shrunk.certificate_hits, shrunk.certificate_runs),
                (false, true) => "not reproduced".to_owned(),
                (false, false) => NONE.to_owned(),
            };
            (thousands(shrunk.runs), rate)
        }
    };
    [
        kind.to_owned(),
        number(failure.original),
        format!("{}{early}", number(failure.minimal)),
        number(failure.optimum.map(u64::from)),
        runs,
        rate,
    ]
}

fn of(count: u64, declared: Option<u64>) -> String {
    match declared {
        Some(declared) => format!("{} of {}", thousands(count), thousands(declared)),
        None => thousands(count),
    }
}

/// At most so many characters of what somebody else has said, on one line and harmless.
fn shown(text: &str, width: usize) -> String {
    let mut shown: String = text
        .chars()
        .take(width + 1)
        .map(|character| if is_harmless(character) { character } else { '·' })
        .collect();
    if shown.chars().count() > width {
        shown = shown.chars().take(width.saturating_sub(1)).collect();
        shown.push('…');
    }
    shown
}
