//! What `siamang shrink` prints of its shrinks.

use std::path::Path;

use crate::campaign::shrinking::ShrinkReport;
use crate::letters::plain;
use crate::numbers::{counted, of_runs, thousands};
use crate::report::table::{Align, Table, clean};
use crate::shrink::driver::Driven;
use crate::shrink::noise::Rate;
use crate::trace::Trace;
use crate::trace::replay::step;

/// How often the result failed as it should in the end.
fn rate_of(report: &ShrinkReport) -> Rate {
    let (runs, hits) = (report.certificate_runs, report.certificate_hits);
    Rate { hits, silent: runs.saturating_sub(hits) }
}

/// What the table has no room for: why a trace was not reproduced, how sure a rate is that is not 1, and what was not run.
pub fn remarks(reports: &[ShrinkReport]) -> String {
    let percent = |rate: f64| (rate * 100.0).round();
    let mut lines: Vec<String> = vec![String::new()];
    for report in reports {
        let goal = plain(&report.goal);
        let tries = counted(report.runs, "run");
        let line = if !report.reproduced && report.runs == 0 {
            format!("{goal}: {} before the first run of {} was over", report.ended, report.algorithm)
        } else if !report.reproduced {
            let instead = report.instead.as_deref().unwrap_or("it was not run to its end");
            let early = if report.is_done() { String::new() } else { format!("{} and ", report.ended) };
            format!("{goal}: {early}not reproduced in {tries}; {}", plain(instead))
        } else if rate_of(report).silent > 0 {
            let (rate, (low, high)) = (rate_of(report), rate_of(report).interval());
            let original = match report.original_runs {
                0 | 1 => String::new(),
                runs => format!("; the original failed in {} of {runs}", report.original_hits),
            };
            format!(
                "{goal}: flaky, what {} left fails in {} (95 % interval {} to {} %){original}",
                report.algorithm,
                of_runs(rate.hits, rate.runs()),
                percent(low),
                percent(high)
            )
        } else {
            continue;
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    format!("{}{}{}{}", lines.join("\n"), beginnings(reports), proposed(reports), foretold(reports))
}

/// What shrinking came to, one line a failure; empty if there is nothing to tell.
pub fn table<'a>(
    reports: impl Iterator<Item = &'a ShrinkReport>,
    shortest: impl Fn(&str) -> Option<u32>,
) -> String {
    let reports: Vec<&ShrinkReport> = reports.collect();
    let other = ["activity:", "screen:", "branch:", "path:"];
    let is_failure = |report: &&ShrinkReport| !other.iter().any(|goal| report.goal.starts_with(goal));
    // With one device every run is a round.
    let at_once = reports.iter().any(|report| report.rounds != report.runs);
    let mut columns = vec![
        (if reports.iter().all(is_failure) { "failure" } else { "goal" }, Align::Left),
        ("algorithm", Align::Left),
        ("original", Align::Right),
        ("minimal", Align::Right),
        ("optimum", Align::Right),
        ("runs", Align::Right),
        ("events", Align::Right),
        ("rate", Align::Right),
    ];
    if at_once {
        columns.insert(6, ("rounds", Align::Right));
    }
    let mut table = Table::new(&columns);
    for report in reports {
        let (minimal, rate) = if report.reproduced {
            let early = if report.ended == "done" { String::new() } else { format!(" ({})", report.ended) };
            (
                thousands(report.minimal as u64),
                format!("{}/{}{early}", report.certificate_hits, report.certificate_runs),
            )
        } else {
            let why = if report.ended == "done" { "not reproduced" } else { report.ended.as_str() };
            ("-".to_owned(), why.to_owned())
        };
        let mut cells = vec![
            report.goal.clone(),
            report.algorithm.clone(),
            thousands(report.original as u64),
            minimal,
            shortest(&report.goal).map_or_else(|| "-".to_owned(), |shortest| thousands(shortest.into())),
            thousands(report.runs),
            thousands(report.events),
            rate,
        ];
        if at_once {
            cells.insert(6, thousands(report.rounds));
        }
        table.row(cells);
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.render_within(crate::cli::width())) }
}

/// Of which traces only the end was shortened, since it does by itself what all of it did.
fn beginnings(reports: &[ShrinkReport]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for report in reports {
        let Some(began_with) = report.began_with else { continue };
        let line = format!(
            "\n{}: begun with what comes after the last restart, {} of {}, since that is enough; --whole begins with all",
            clean(&report.goal),
            thousands(began_with as u64),
            counted(report.original as u64, "event")
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.concat()
}

/// What CHARD's rules proposed to delete, and how often runs were against it.
fn proposed(reports: &[ShrinkReport]) -> String {
    let line = |report: &ShrinkReport| {
        format!(
            "\n{}: the rules proposed {} to {}, {} of which runs refuted",
            clean(&report.goal),
            counted(report.proposed, "deletion"),
            report.algorithm,
            thousands(report.refuted)
        )
    };
    reports.iter().filter(|report| report.proposed > 0).map(line).collect()
}

/// How many candidates needed no run, and how far that can be trusted.
fn foretold(reports: &[ShrinkReport]) -> String {
    let sum = |count: fn(&ShrinkReport) -> u64| reports.iter().map(count).sum::<u64>();
    let (skipped, rechecked, wrong) =
        (sum(|report| report.skipped), sum(|report| report.rechecked), sum(|report| report.wrong));
    if skipped == 0 && wrong == 0 {
        return String::new();
    }
    if skipped == 0 {
        return format!("\nforetelling was given up: {wrong} of {} foretold wrongly", thousands(rechecked));
    }
    format!(
        "\n{} of candidates saved, since known steps foretold that they do not reproduce; {}",
        counted(skipped, "run"),
        match rechecked {
            0 => "none of them was run all the same to see whether that is true".to_owned(),
            _ =>
                format!("of {} that were run all the same, {wrong} did", counted(rechecked, "such candidate")),
        }
    )
}

/// A result in a few words.
pub fn in_short(report: &ShrinkReport) -> String {
    let early = if report.is_done() { String::new() } else { format!(" ({})", report.ended) };
    format!(
        "{} with {}, {}{early}",
        counted(report.minimal as u64, "event"),
        report.algorithm,
        of_runs(report.certificate_hits, report.certificate_runs)
    )
}

/// Why no file holds what was found in so many traces, and how to get one.
pub fn nothing_written(traces: usize, as_good: bool) -> String {
    let several = traces > 1;
    let why = match (as_good, several) {
        (true, true) => ": the folders have traces that are as good or better",
        (true, false) => ": the run's folder has one that is as good or better",
        (false, _) => "",
    };
    let how = if several {
        "--out FILE keeps the one of a single trace, if only that is named"
    } else if as_good {
        "--out FILE keeps this one"
    } else {
        "--out FILE keeps it"
    };
    format!("\nno trace was written{why}; {how}")
}

/// A trace as steps that a person follows.
pub fn steps(trace: &Trace) -> String {
    const MOST: usize = 40;
    let numbered = |(number, event)| format!("  {}. {}\n", number + 1, plain(&step(event)));
    let mut text: String = trace.events.iter().take(MOST).enumerate().map(numbered).collect();
    if trace.events.len() > MOST {
        text.push_str("  …\n");
    }
    text
}

/// A report as programs read it, with the trace that it is of and the fewest events that its failure is known to need: what was
/// never seen to fail has no shortest trace.
pub fn in_json(file: &Path, report: &ShrinkReport, optimum: Option<u32>) -> serde_json::Value {
    let mut told = serde_json::json!(report);
    told["trace"] = file.display().to_string().into();
    told["optimum"] = optimum.into();
    if !report.reproduced {
        told["minimal"] = serde_json::Value::Null;
    }
    told
}

/// How many of several shrinks an interruption let run to their end.
pub fn how_far(reports: &[ShrinkReport], wanted: usize) -> String {
    if wanted < 2 {
        return String::new();
    }
    let whole = reports.iter().filter(|report| report.ended != Driven::Interrupted.word()).count();
    format!("\ninterrupted: {whole} of {wanted} shrinks ran to their end")
}
