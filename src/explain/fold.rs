//! Runs of events that a reader needs not see one by one.

use std::fmt::Write as _;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Explanation, Level};
use crate::numbers::{counted, thousands};

/// What a reader is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// One event: the index of its line.
    Line(usize),
    /// Several events in one line: the indices of their lines.
    Run(Vec<usize>),
}

/// So many unimportant events in a row are folded.
const SHORTEST_RUN: usize = 3;
/// So many events are told apart in a run.
const MOST_NAMED: usize = 4;

/// Folds runs of events that change no window. Where all lines together are few, or the last event, nothing is folded.
pub fn fold(explanation: &Explanation, events: &[usize], most: usize) -> Vec<Shown> {
    if events.len() <= most {
        return events.iter().map(|&event| Shown::Line(event)).collect();
    }
    let mut shown = Vec::new();
    let mut run: Vec<usize> = Vec::new();
    let is_plain = |event: usize| explanation.lines[event].level < Level::Essential;
    for &event in events {
        let other_window = run.last().is_some_and(|&last| {
            let (a, b) = (&explanation.lines[last], &explanation.lines[event]);
            a.window != b.window || a.deleted.is_some() != b.deleted.is_some()
        });
        if other_window || !is_plain(event) {
            close(&mut shown, &mut run);
        }
        if is_plain(event) {
            run.push(event);
        } else {
            shown.push(Shown::Line(event));
        }
    }
    close(&mut shown, &mut run);
    shown
}

fn close(shown: &mut Vec<Shown>, run: &mut Vec<usize>) {
    let run = std::mem::take(run);
    if run.len() < SHORTEST_RUN {
        shown.extend(run.into_iter().map(Shown::Line));
    } else {
        shown.push(Shown::Run(run));
    }
}

/// A folded run as a sentence: how many, where, and what the first few of them do.
pub fn sentence(explanation: &Explanation, run: &[usize]) -> String {
    let line = |event: &usize| &explanation.lines[*event];
    let (Some(first), Some(last)) = (run.first().map(line), run.last().map(line)) else {
        return String::new();
    };
    let window = if first.window.is_empty() { String::new() } else { format!(" on {}", first.window) };
    let events = counted(run.len() as u64, "event");
    let mut text = format!("#{} to #{} are {events}{window}", first.ids, last.ids);
    if first.deleted.is_some() {
        let mut rules: Vec<(&str, usize)> = Vec::new();
        for rule in run.iter().filter_map(|event| line(event).deleted) {
            match rules.iter_mut().find(|(word, _)| *word == rule.word()) {
                Some((_, count)) => *count += 1,
                None => rules.push((rule.word(), 1)),
            }
        }
        let words: Vec<String> =
            rules.iter().map(|(word, count)| format!("{word} {}", thousands(*count as u64))).collect();
        return format!("{text} without effect ({}).", words.join(", "));
    }
    let _ = write!(text, ": {}.", named(explanation, run));
    text
}

/// What the first few of some events do, each kind once.
pub fn named(explanation: &Explanation, events: &[usize]) -> String {
    let mut kinds: IndexMap<&str, usize, FxBuildHasher> = IndexMap::default();
    for &event in events {
        *kinds.entry(explanation.lines[event].short.as_str()).or_default() += 1;
    }
    let more = kinds.len().saturating_sub(MOST_NAMED);
    let shown = kinds.iter().take(MOST_NAMED).map(|(words, count)| match count {
        1 => (*words).to_owned(),
        count => format!("{words} ({count} times)"),
    });
    let mut text = shown.collect::<Vec<_>>().join("; ");
    match more {
        0 => {}
        1 => text.push_str("; and 1 other"),
        more => {
            let _ = write!(text, "; and {more} others");
        }
    }
    text
}
