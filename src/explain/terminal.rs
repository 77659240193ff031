//! The report for a terminal.

use std::fmt::Write as _;

use super::Explanation;
use super::fold::{Shown, fold, sentence};
use crate::oracle::report::clipped;
use crate::report::table::thousands;

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The summary and the key events, runs of events that change no window folded.
    Key,
    /// The summary and every event.
    All,
}

/// So many lines are read before they are folded.
const MOST_LINES: usize = 25;
/// So many windows are listed.
const MOST_WINDOWS: usize = 12;

/// Longer messages are cut off.
const LONGEST_FAILURE: usize = 120;

/// The whole report.
pub fn render(explanation: &Explanation, detail: Detail) -> String {
    let mut out = format!("{}\n", headline(explanation));
    for line in summary(explanation) {
        let _ = writeln!(out, "  {line}");
    }
    let _ = writeln!(out, "\n{}", title(explanation, detail));
    let _ = writeln!(out, "{}", explanation.launch);
    for line in body(explanation, detail) {
        let _ = writeln!(out, "{line}");
    }
    for note in &explanation.notes {
        let _ = writeln!(out, "\nnote: {note}");
    }
    out
}

/// What the trace is, in one sentence.
pub fn headline(explanation: &Explanation) -> String {
    let events = explanation.lines.len();
    let windows = match explanation.windows.len() {
        0 => String::new(),
        1 => " in 1 window".to_owned(),
        windows => format!(" in {windows} windows"),
    };
    let s = if events == 1 { "" } else { "s" };
    let end = match &explanation.failure {
        Some(failure) => format!(", ending in {}", clipped(failure, LONGEST_FAILURE)),
        None => ", ending in no failure".to_owned(),
    };
    let name = if explanation.name.is_empty() { explanation.package.as_str() } else { &explanation.name };
    format!("{name}: {} event{s}{windows}{end}", thousands(events as u64))
}

/// The summary, a line each.
pub fn summary(explanation: &Explanation) -> Vec<String> {
    let events = explanation.lines.len();
    let mut out = Vec::new();
    let levels = explanation.levels().map(|(level, count)| format!("{count} {}", level.word()));
    out.push(format!("levels: {}", levels.join(", ")));
    if !explanation.proven {
        let rules: Vec<String> =
            explanation.by_rule().iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let share = explanation.deleted() * 100 / events.max(1);
        let rules = if rules.is_empty() { String::new() } else { format!(": {}", rules.join(", ")) };
        out.push(format!("ineffective: {} of {events} ({share} %){rules}", explanation.deleted()));
        if let (Some(short), Some(duplicate)) = (&explanation.short, &explanation.duplicate) {
            out.push(format!(
                "key events, not replayed: Short {}, Duplicate {}, Ineffective {}",
                short.len(),
                duplicate.len(),
                events - explanation.deleted()
            ));
        }
    }
    if explanation.windows.len() > 1 {
        let mut windows: Vec<String> = explanation
            .windows
            .iter()
            .take(MOST_WINDOWS)
            .map(|window| format!("{} ({})", window.name, window.events))
            .collect();
        let more = explanation.windows.len().saturating_sub(MOST_WINDOWS);
        if more > 0 {
            windows.push(format!("{more} more"));
        }
        out.push(format!("windows, with their events: {}", windows.join(", ")));
    }
    out
}

/// What the list of events is.
pub fn title(explanation: &Explanation, detail: Detail) -> String {
    let events = explanation.lines.len();
    let (key, strategy) = explanation.key();
    match (detail, strategy) {
        (Detail::All, _) => "All events:".to_owned(),
        (Detail::Key, "proven") => "The events, each of which is needed:".to_owned(),
        (Detail::Key, "Duplicate") => {
            format!(
                "One of each kind of event (Duplicate, {} of {events}, in the order of a replay):",
                key.len()
            )
        }
        (Detail::Key, _) => format!("What the rules leave ({} of {events}):", key.len()),
    }
}

/// The list of events.
pub fn body(explanation: &Explanation, detail: Detail) -> Vec<String> {
    let shown = match detail {
        Detail::All => (0..explanation.lines.len()).map(Shown::Line).collect(),
        Detail::Key => fold(explanation, &explanation.key().0, MOST_LINES),
    };
    shown
        .into_iter()
        .map(|shown| match shown {
            Shown::Line(event) => {
                let line = &explanation.lines[event];
                match line.deleted {
                    Some(rule) if detail == Detail::All => format!("{} [ineffective: {rule}]", line.text),
                    _ => line.text.clone(),
                }
            }
            Shown::Run(run) => sentence(explanation, &run),
        })
        .collect()
}
