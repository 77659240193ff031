//! The report for a terminal.

use std::fmt::Write as _;

use super::fold::{Shown, fold, named, sentence};
use super::{Chosen, Explanation, Needed};
use crate::numbers::thousands;
use crate::oracle::report::clipped;

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
/// Lists with more words are not read in a minute, the summary included, and something shorter is shown instead.
const MOST_WORDS: usize = 170;
/// So many windows are listed.
const MOST_WINDOWS: usize = 4;
/// A way through the windows of at most so many events is told in the summary.
const MOST_IN_SHORT: usize = 8;
/// So many events of the end are listed where not all of a kind are.
const LAST_EVENTS: usize = 4;

/// Longer messages are cut off.
const LONGEST_FAILURE: usize = 120;

/// The whole report.
pub fn render(explanation: &Explanation, detail: Detail) -> String {
    let mut out = format!("{}\n", headline(explanation));
    for line in summary(explanation) {
        let _ = writeln!(out, "  {line}");
    }
    for Part { title, lines } in parts(explanation, detail) {
        let _ = writeln!(out, "\n{title}");
        for line in lines {
            let _ = writeln!(out, "{line}");
        }
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
    if events == 0 {
        return vec![if explanation.needed == Needed::Unknown {
            "it fails when it is launched, as far as the record tells: no event is before that".to_owned()
        } else {
            "it fails when it is launched, and no event is needed".to_owned()
        }];
    }
    let all = thousands(events as u64);
    let mut out = Vec::new();
    let levels =
        explanation.levels().map(|(level, count)| format!("{} {}", thousands(count as u64), level.word()));
    out.push(format!("levels: {}", levels.join(", ")));
    if !explanation.proven {
        let rules: Vec<String> = explanation
            .by_rule()
            .iter()
            .map(|(rule, count)| format!("{rule} {}", thousands(*count as u64)))
            .collect();
        let share = (explanation.deleted() * 200 + events) / (2 * events).max(1);
        let rules = if rules.is_empty() { String::new() } else { format!(": {}", rules.join(", ")) };
        let deleted = thousands(explanation.deleted() as u64);
        out.push(format!("ineffective: {deleted} of {all} ({share} %){rules}"));
        if let (Some(short), Some(duplicate)) = (&explanation.short, &explanation.duplicate) {
            out.push(format!(
                "key events, not replayed: Short {} (the way through the windows), Duplicate {} (one of each kind), \
                 Ineffective {} (what the rules leave)",
                thousands(short.len() as u64),
                thousands(duplicate.len() as u64),
                thousands((events - explanation.deleted()) as u64)
            ));
            if is_told_in_short(explanation, short) {
                let steps = short.iter().map(|&event| {
                    let line = &explanation.lines[event];
                    format!("#{} {}", line.ids, line.short)
                });
                out.push(format!("in short: {}", steps.collect::<Vec<_>>().join("; ")));
            }
        }
    }
    if explanation.windows.len() > 1 {
        let mut windows: Vec<String> = explanation
            .windows
            .iter()
            .take(MOST_WINDOWS)
            .map(|window| format!("{} ({})", window.name, thousands(window.events as u64)))
            .collect();
        let more = explanation.windows.len().saturating_sub(MOST_WINDOWS);
        if more > 0 {
            windows.push(format!("{more} more"));
        }
        out.push(format!("windows, with their events: {}", windows.join(", ")));
    }
    out
}

/// The shortest way is told in the summary.
fn is_told_in_short(explanation: &Explanation, short: &[usize]) -> bool {
    (1..=MOST_IN_SHORT).contains(&short.len()) && short.len() < explanation.lines.len()
}

/// A list of events with its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What the list is.
    pub title: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// The lists of events. Where one of each kind would still be too many to read, they are the shortest way, or
/// the end where the summary tells that way, and what else was done in the windows on it.
pub fn parts(explanation: &Explanation, detail: Detail) -> Vec<Part> {
    let events = explanation.lines.len();
    if detail == Detail::All {
        let lines = (0..events).map(|event| marked(explanation, event)).collect();
        return vec![with_launch(explanation, "All events:".to_owned(), lines)];
    }
    if let Some(list) = key_list(explanation) {
        return vec![list];
    }
    let (key, _) = explanation.key();
    let all = thousands(events as u64);
    let mut parts = Vec::new();
    let text = |&event: &usize| explanation.lines[event].text.clone();
    let short = explanation.short.as_ref().filter(|short| short.len() <= MOST_LINES);
    if let Some(short) = short.filter(|short| !is_told_in_short(explanation, short)) {
        let title = format!("The shortest way through the windows (Short, {} of {all}):", short.len());
        parts.push(with_launch(explanation, title, short.iter().map(text).collect()));
    } else {
        let kept = &explanation.key_events().ineffective.kept;
        let end = &kept[kept.len().saturating_sub(LAST_EVENTS)..];
        let title = format!("The last {} events that are not ineffective:", end.len());
        parts.push(Part { title, lines: end.iter().map(text).collect() });
    }
    let title = format!("All kinds of events by window ({} of {all}):", thousands(key.len() as u64));
    parts.push(Part { title, lines: by_window(explanation, &key) });
    parts
}

/// The key events in one list, runs of them that change no window folded, if that is read in a minute. What runs have shown to
/// be needed is listed however long it is.
fn key_list(explanation: &Explanation) -> Option<Part> {
    let (key, chosen) = explanation.key();
    let shown = fold(explanation, &key, MOST_LINES);
    let lines: Vec<String> = shown
        .into_iter()
        .map(|shown| match shown {
            Shown::Line(event) => explanation.lines[event].text.clone(),
            Shown::Run(run) => sentence(explanation, &run),
        })
        .collect();
    let words: usize = lines.iter().map(|line| line.split_whitespace().count()).sum();
    if chosen != Chosen::Proven && words > MOST_WORDS {
        return None;
    }
    let (all, number) = (thousands(explanation.lines.len() as u64), thousands(key.len() as u64));
    let title = match chosen {
        _ if key.is_empty() => "The launch:".to_owned(),
        Chosen::Proven => match explanation.needed {
            Needed::AsTried => "The events, none of which could be left out when that was tried:",
            Needed::Each | Needed::Unknown => "The events, each of which is needed:",
        }
        .to_owned(),
        Chosen::Duplicate => {
            format!("One of each kind of event (Duplicate, {number} of {all}, in the order of a replay):")
        }
        Chosen::Ineffective => format!("What the rules leave ({number} of {all}):"),
    };
    Some(with_launch(explanation, title, lines))
}

fn with_launch(explanation: &Explanation, title: String, mut lines: Vec<String>) -> Part {
    lines.insert(0, explanation.launch.clone());
    Part { title, lines }
}

fn marked(explanation: &Explanation, event: usize) -> String {
    let line = &explanation.lines[event];
    match line.deleted {
        Some(rule) => format!("{} [ineffective: {rule}]", line.text),
        None => line.text.clone(),
    }
}

/// One line a window on the shortest way, and what the others come to; where no way is known, those with the most kinds of
/// events.
fn by_window(explanation: &Explanation, key: &[usize]) -> Vec<String> {
    let mut windows: Vec<(&str, Vec<usize>)> = Vec::new();
    for &event in key {
        let name = explanation.lines[event].window.as_str();
        match windows.iter_mut().find(|(known, _)| *known == name) {
            Some((_, events)) => events.push(event),
            None => windows.push((name, vec![event])),
        }
    }
    let short = explanation.short.as_deref().unwrap_or_default();
    let on_the_way = |name: &str| short.iter().any(|&event| explanation.lines[event].window == name);
    windows.sort_by_key(|(name, events)| (!on_the_way(name), std::cmp::Reverse(events.len())));
    let way = windows.iter().filter(|(name, _)| on_the_way(name)).count();
    let listed = if way == 0 { windows.len() } else { way }.min(MOST_WINDOWS);
    let (named_ones, others) = windows.split_at(listed);
    let mut lines: Vec<String> = named_ones
        .iter()
        .map(|(name, events)| {
            let name = if name.is_empty() { "an unknown window" } else { name };
            format!("{name}, {}: {}", events.len(), named(explanation, events))
        })
        .collect();
    if !others.is_empty() {
        let events: usize = others.iter().map(|(_, events)| events.len()).sum();
        let s = if others.len() == 1 { "" } else { "s" };
        lines.push(format!(
            "{} more window{s} with {events} kinds of events; --all lists every event",
            others.len()
        ));
    }
    lines
}
