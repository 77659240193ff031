//! The one place where the folder of a failure is filled: what a person reads, and what a machine runs.

use std::fmt::Write as _;

use super::runner::Picture;
use super::shrinking::Shrunk;
use crate::device::{Reset, place};
use crate::explain::Needed;
use crate::explain::crash::sections;
use crate::letters::plain;
use crate::numbers::{counted, of_runs};
use crate::oracle::{Failure, Signature};
use crate::trace::replay::step;
use crate::trace::run_folder::Elsewhere;
use crate::trace::{Crash, RunFolder, StoreError, Trace};

/// Keeps a failure that was just found, with its recorded trace where the spine could be read back.
pub fn keep_found(
    folder: &RunFolder,
    signature: &Signature,
    failure: &Failure,
    trace: Option<&Trace>,
) -> Result<(), StoreError> {
    let device = trace.map_or_else(
        || folder.info().map_or_else(|_| String::new(), |info| info.device),
        |trace| trace.device.clone(),
    );
    let mut text = head(signature, Some(failure), &device);
    if let Some(trace) = trace {
        let _ = writeln!(
            text,
            "It was met after {} and is not shrunk yet.",
            counted(trace.cost() as u64, "event")
        );
        folder.keep_crash(signature, &Crash::found(trace.clone(), failure.clone()), Elsewhere::InSpine)?;
    }
    stack(&mut text, Some(failure));
    text.extend(trace.map(|trace| sections(None, Needed::Unknown, Some(trace))));
    folder.write_explanation(signature, &text)
}

/// Keeps the shortest trace to a failure, how it was found, and the steps in plain words.
pub fn keep_shrunk(
    folder: &RunFolder,
    signature: &Signature,
    shrunk: &Shrunk,
    recorded: Elsewhere,
) -> Result<(), StoreError> {
    let known = folder.kept_crash(signature).ok().flatten().and_then(|crash| crash.evidence);
    let crash = shrunk.crash(known);
    let text = explanation(signature, shrunk, crash.evidence.as_ref());
    folder.keep_crash(signature, &crash, recorded)?;
    // Those of an earlier trace show other screens.
    folder.forget_pictures(signature);
    for Picture { before, png } in &shrunk.pictures {
        folder.keep_picture(signature, *before, png)?;
    }
    folder.write_explanation(signature, &text)
}

/// So many steps are listed of a trace that could not be shrunk.
const MOST_UNSHRUNK_STEPS: usize = 40;

/// The steps as a person follows them, and what is seen in the end.
fn explanation(signature: &Signature, shrunk: &Shrunk, failure: Option<&Failure>) -> String {
    let report = &shrunk.report;
    let mut text = head(signature, failure, &shrunk.minimal.device);
    if report.reproduced {
        let start = match shrunk.minimal.start {
            Reset::Clean => "Clear the app's data and start it.",
            Reset::Warm => {
                "Start the app with the data it has. Reproduction from a clean start was not tried."
            }
        };
        // Nobody follows a thousand steps that no shrink has looked at.
        let is_found = report.minimal == report.original && !report.is_done();
        if !is_found || shrunk.minimal.events.len() <= MOST_UNSHRUNK_STEPS {
            let _ = writeln!(text, "1. {start}");
            for (number, event) in shrunk.minimal.events.iter().enumerate() {
                let _ = writeln!(text, "{}. {}", number + 2, sentence(&one_line(&step(event))));
            }
            if let Some(at) = shrunk.minimal.failed_early_at() {
                let _ = writeln!(
                    text,
                    "\nIn the run that was written down the app failed at step {}; the steps after it are for runs in which it \
                     has not failed by then.",
                    at + 2
                );
            }
        }
        if let Some(why) = report.hosts_fault() {
            let _ = writeln!(text, "\nThis is a fault of the device and not of the app: {why}.");
        }
        let where_run = if report.new_runs == 0 {
            String::new()
        } else {
            format!(" on a device as new, and in {} of {} on a used one", report.used_hits, report.used_runs)
        };
        let _ = writeln!(
            text,
            "\nIt fails in {}{where_run}. {}",
            of_runs(report.certificate_hits, report.certificate_runs),
            report.how()
        );
    } else if report.is_done() {
        let _ = writeln!(
            text,
            "It was seen once, after {}, and did not happen again when they were replayed.",
            counted(report.original as u64, "event")
        );
    } else {
        let _ = writeln!(
            text,
            "It was met after {}; shrinking ended before it was seen again ({}).",
            counted(report.original as u64, "event"),
            report.ended
        );
    }
    stack(&mut text, failure);
    let minimal = Some(&shrunk.minimal).filter(|_| report.reproduced);
    // Where the log is damaged, it may have been shrunk on from a shorter trace than the recorded one.
    let found = Some(&shrunk.original).filter(|original| original.cost() == report.original);
    text.push_str(&sections(minimal, Needed::of(report), found));
    text
}

fn head(signature: &Signature, failure: Option<&Failure>, device: &str) -> String {
    let headline = failure.map_or_else(|| signature.to_string(), Failure::headline);
    format!("# {}\n\nFound on {}.\n\n", one_line(&headline), place(device))
}

/// The exceptions as a log shows them.
fn stack(text: &mut String, failure: Option<&Failure>) {
    let chain = failure.map_or(&[][..], |failure| &failure.chain);
    for (number, thrown) in chain.iter().enumerate() {
        let lead = if number == 0 { "\n" } else { "    Caused by: " };
        let colon = if thrown.message.is_empty() { "" } else { ": " };
        let indent = if number == 0 { "    " } else { "" };
        let _ = writeln!(text, "{lead}{indent}{}{colon}{}", plain(&thrown.class), plain(&thrown.message));
        for frame in &thrown.frames {
            let place = match (frame.file.as_str(), frame.line) {
                ("", _) => String::new(),
                (file, Some(line)) => format!("({}:{line})", plain(file)),
                (file, None) => format!("({})", plain(file)),
            };
            let _ = writeln!(text, "        at {}.{}{place}", plain(&frame.class), plain(&frame.method));
        }
    }
}

/// What an app says stays on its line and is no markup.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in plain(text).chars() {
        if matches!(character, '`' | '*' | '<' | '>' | '[' | ']' | '|' | '\\') {
            line.push('\\');
        }
        line.push(character);
    }
    line
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).chain(['.']).collect(),
        None => String::new(),
    }
}
