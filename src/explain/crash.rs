//! What the folder of a failure says about its events: what each one did, and what the way looked like when it was found.

use std::fmt::Write as _;

use super::markdown::{escaped, inner};
use super::terminal::{Detail, headline, summary};
use super::{Explanation, Needed, Subject};
use crate::trace::Trace;
use crate::trace::key_events::ChardConfig;

/// The parts of a report in Markdown. Without a shortest trace they tell what the record of the original allows, and without
/// that only the shortest. Empty if there are no events: the app failed at its launch.
pub fn sections(minimal: Option<&Trace>, needed: Needed, original: Option<&Trace>) -> String {
    let config = ChardConfig::default();
    let explain = |trace: &Trace, needed| {
        let failure = original.unwrap_or(trace).failure.as_ref().map(ToString::to_string);
        let subject = Subject { name: trace.package.clone(), failure, needed, ..Subject::default() };
        Explanation::of(trace, subject, &config)
    };
    let mut out = String::new();
    if original.or(minimal).is_none_or(|trace| trace.events.is_empty()) {
        return out;
    }
    let (title, detail) = ("## What the events did", Detail::Key);
    if let Some(Ok(short)) = minimal.map(|minimal| explain(minimal, needed)) {
        let _ = write!(out, "\n{title}\n\n{}", inner(&short, detail));
    }
    let Some(Ok(found)) = original.map(|original| explain(original, Needed::Unknown)) else { return out };
    if minimal.is_none() {
        let _ = write!(out, "\n{title}\n\n{}", inner(&found, detail));
        return out;
    }
    let _ = write!(out, "\n## As it was found\n\n- {}\n", escaped(&headline(&found)));
    for line in summary(&found) {
        let _ = writeln!(out, "- {}", escaped(&line));
    }
    out
}
