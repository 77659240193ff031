//! `siamang shrink --static`: what a trace could lose, without a device.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::chard::{Loaded, Which, load};
use crate::error::{CommandError, Exit};
use crate::explain::Explanation;
use crate::explain::terminal::headline;
use crate::trace::event_tree::{EventTree, Label, Labels, StateLabel};
use crate::trace::key_events::ChardConfig;
use crate::trace::user_event::UserSequence;

/// What a trace could lose.
#[derive(Debug, Serialize)]
struct Report {
    name: String,
    failure: Option<String>,
    events: usize,
    depth: usize,
    /// The events without which the event tree does not lead to the last one.
    ancestors: Vec<String>,
    ineffective: Vec<(String, usize)>,
    after_rules: usize,
    short: Option<Vec<String>>,
    duplicate: Option<Vec<String>>,
    notes: Vec<String>,
    #[serde(skip)]
    tree: String,
    #[serde(skip)]
    headline: String,
}

/// Prints each trace's event tree and what could be dropped.
pub fn run(paths: &[PathBuf], label: Label, config: &ChardConfig, json: bool) -> anyhow::Result<Exit> {
    let mut reports = Vec::new();
    let mut ended = Ok(Exit::Clean);
    for loaded in load(paths, Which::Recorded)? {
        match report(loaded, label, config) {
            Ok(report) => reports.push(report),
            // The other traces can be looked at all the same.
            Err(error) => ended = Err(error),
        }
    }
    if reports.is_empty() {
        return ended;
    }
    if json {
        super::print_json(&reports)?;
        return ended;
    }
    // What is true of all traces is said once.
    let shared: Vec<&String> = match reports.as_slice() {
        [first, others @ ..] => {
            let all = |note: &&String| others.iter().all(|report| report.notes.contains(note));
            first.notes.iter().filter(all).collect()
        }
        [] => Vec::new(),
    };
    for report in &reports {
        super::print(&format!("{}\n", text(report, &shared)))?;
    }
    super::print("Nothing was run: these are guesses until `siamang shrink` tries them on a device.\n")?;
    for note in shared {
        super::print(&format!("note: {note}\n"))?;
    }
    ended
}

fn report(Loaded { trace, subject }: Loaded, label: Label, config: &ChardConfig) -> anyhow::Result<Report> {
    let subject = crate::explain::Subject { needed: crate::explain::Needed::Unknown, ..subject };
    let explained =
        Explanation::of(&trace, subject, config).map_err(|error| CommandError::usage(error.to_string()))?;
    let labels = Labels::new(label);
    let states: Vec<StateLabel> = explained
        .sequence()
        .events
        .iter()
        .map(|event| {
            trace.events[event.position].before.as_ref().map(|screen| labels.of(screen)).unwrap_or_default()
        })
        .collect();
    let tree = EventTree::new(&states);
    let mut ancestors = Vec::new();
    let mut event = tree.len().checked_sub(1);
    while let Some(at) = event {
        ancestors.push(explained.lines[at].ids.clone());
        event = tree.parent(at);
    }
    ancestors.reverse();
    let ids = |events: &Vec<usize>| events.iter().map(|&event| explained.lines[event].ids.clone()).collect();
    Ok(Report {
        headline: headline(&explained),
        name: explained.name.clone(),
        failure: explained.failure.clone(),
        events: explained.lines.len(),
        depth: tree.depth(),
        ancestors,
        ineffective: explained.by_rule().iter().map(|(rule, count)| (rule.to_string(), *count)).collect(),
        after_rules: explained.lines.len() - explained.deleted(),
        short: explained.short.as_ref().map(ids),
        duplicate: explained.duplicate.as_ref().map(ids),
        notes: explained.notes.clone(),
        tree: folded(&tree, explained.sequence(), &explained),
    })
}

/// The event tree with neighbours on one level in one line.
fn folded(tree: &EventTree, sequence: &UserSequence, explained: &Explanation) -> String {
    let mut out = String::from("(start)\n");
    let mut at = 0;
    while at < tree.len() {
        let level = tree.level(at);
        let end = (at + 1..tree.len()).find(|&next| tree.level(next) != level).unwrap_or(tree.len());
        let (first, last) = (&explained.lines[at].ids, &explained.lines[end - 1].ids);
        let deleted = explained.lines[at..end].iter().filter(|line| line.deleted.is_some()).count();
        let window = &explained.lines[at].window;
        let count = end - at;
        let _ = write!(out, "{:indent$}", "", indent = 2 * level);
        let _ = match count {
            1 => write!(out, "{first} {window}: {}", explained.lines[at].short),
            _ => write!(out, "{first}-{last} {window}: {count} events"),
        };
        if deleted > 0 {
            let _ = write!(out, ", {deleted} ineffective");
        }
        let fails = sequence.events[end - 1].fails;
        let _ = writeln!(out, "{}", if fails { ", the last one fails" } else { "" });
        at = end;
    }
    out
}

fn text(report: &Report, shared: &[&String]) -> String {
    let events = report.events;
    let mut out = format!("{}\n{}", report.headline, report.tree);
    let mut row = |what: &str, left: usize, how: &str| {
        let dropped = events.saturating_sub(left);
        let _ = writeln!(out, "  {what:<18} {left:>5} left, {dropped:>5} dropped   {how}");
    };
    let rules: Vec<String> =
        report.ineffective.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
    let rules =
        if rules.is_empty() { "the rules that apply find nothing".to_owned() } else { rules.join(", ") };
    row("ineffective", report.after_rules, &rules);
    if let Some(duplicate) = &report.duplicate {
        row("duplicate", duplicate.len(), "one of each kind of event in each window");
    }
    if let Some(short) = &report.short {
        row("short", short.len(), &format!("the path through the windows: {}", named(short)));
    }
    row("ancestors", report.ancestors.len(), &format!("in the event tree: {}", named(&report.ancestors)));
    for note in report.notes.iter().filter(|note| !shared.contains(note)) {
        let _ = writeln!(out, "  note: {note}");
    }
    out
}

fn named(ids: &[String]) -> String {
    const MOST: usize = 12;
    let mut text = ids.iter().take(MOST).map(|id| format!("#{id}")).collect::<Vec<_>>().join(" ");
    if ids.len() > MOST {
        text.push_str(" …");
    }
    text
}
