//! The tables of a comparison: text for people, CSV for R and pandas.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::measure::{Known, METRICS, step_of};
use super::outcome::{Finding, Outcome, SIGNIFICANT, Score, Spread, TargetOutcome};
use super::{Job, Plan, RunResult};
use crate::numbers::{counted, thousands};
use crate::report::table::{Align, Table};
use crate::stats::least_p;

/// With more combinations the pairs are left to the page: nobody reads them on a terminal.
const MAX_SHOWN: usize = 6;

/// A table with a heading, as text and as HTML show it.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What it is about.
    pub title: &'static str,
    /// The columns; the first holds words, the others numbers.
    pub heads: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    fn text(&self) -> String {
        let align = |column| if column == 0 { Align::Left } else { Align::Right };
        let columns: Vec<(&str, Align)> =
            self.heads.iter().enumerate().map(|(column, head)| (head.as_str(), align(column))).collect();
        let mut table = Table::new(&columns);
        for row in &self.rows {
            table.row(row.iter().cloned());
        }
        format!("\n{}\n{}", self.title, table.render())
    }
}

/// The comparison as text.
pub fn render(outcome: &Outcome) -> String {
    let plan = &outcome.plan;
    let mut text = String::new();
    for target in &outcome.targets {
        let _ = writeln!(text, "{}", heading(plan, target));
        text.push_str(&medians(target).text());
        if !target.failures.is_empty() {
            text.push_str(&failures(plan, target).text());
        }
        if plan.combinations.len() > 1 && plan.combinations.len() <= MAX_SHOWN {
            text.push_str(&pairs(plan, target).text());
        }
        text.push('\n');
    }
    if outcome.targets.len() > 1 && !outcome.duels.is_empty() {
        let _ = writeln!(text, "All {} apps", outcome.targets.len());
        text.push_str(&duels(outcome).text());
        text.push('\n');
    }
    if let Some(line) = undecidable(outcome) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Says so where no pair could have been decided, however different the two are, and how many runs it takes.
pub fn undecidable(outcome: &Outcome) -> Option<String> {
    let family: usize = outcome.targets.iter().map(|target| target.pairs.len()).sum();
    let rows = outcome.targets.iter().flat_map(|target| &target.rows);
    let runs = rows.map(|row| row.runs).max().filter(|_| family > 0)?;
    let least = |runs: usize| (least_p(runs) * family as f64).min(1.0);
    if least(runs) < SIGNIFICANT {
        return None;
    }
    let enough = (runs..=Plan::MAX_RUNS as usize).find(|&runs| least(runs) < SIGNIFICANT)?;
    Some(format!(
        "With {} each nothing can be decided: even two that never overlap have p = {} after Holm's correction for {}. \
         Take --runs {enough} or more.",
        counted(runs as u64, "run"),
        p_value(least(runs)),
        counted(family as u64, "pair"),
    ))
}

/// What a target's tables are about, in one line without control characters.
pub fn heading(plan: &Plan, target: &TargetOutcome) -> String {
    let runs = target.rows.iter().map(|row| row.runs).min().unwrap_or(0);
    // How many branches an APK has is not known beforehand.
    let branches =
        if target.branches > 0 { format!(", {} branches", target.branches) } else { String::new() };
    let line = format!(
        "{} ({}{branches}): {} of {} steps, seeds from {}",
        target.target,
        target.app,
        counted(runs as u64, "run"),
        thousands(plan.steps),
        plan.seed
    );
    line.chars().filter(|character| !character.is_control()).collect()
}

/// The medians of everything that is measured.
pub fn medians(target: &TargetOutcome) -> Grid {
    let head = |metric: &super::measure::Metric| match metric.key {
        "branches" => target.branches_word(),
        _ => metric.head,
    };
    let heads = METRICS.iter().map(|metric| head(metric).to_owned());
    let row = |row: &super::outcome::Row| {
        let cell = |metric: &super::measure::Metric| match row.measures.get(metric.key) {
            Some(spread) => number(spread.median, metric.digits),
            None => "–".to_owned(),
        };
        let cells = METRICS.iter().map(cell);
        std::iter::once(row.label.clone()).chain(cells).chain([score(row.score)]).collect()
    };
    Grid {
        title: "Medians, and won/tied/lost by area",
        heads: std::iter::once("abstraction".to_owned()).chain(heads).chain(["w/t/l".to_owned()]).collect(),
        rows: target.rows.iter().map(row).collect(),
    }
}

/// Who found which failure, how often and when.
pub fn failures(plan: &Plan, target: &TargetOutcome) -> Grid {
    let labels = (0..plan.combinations.len()).map(|combination| plan.label(combination));
    let cell = |finding: &Finding| match finding.median_step {
        Some(step) => format!("{}× {}", finding.runs, number(step, 0)),
        None => "–".to_owned(),
    };
    let row = |failure: &super::outcome::FailureRow| {
        std::iter::once(failure.signature.0.clone()).chain(failure.found.iter().map(cell)).collect()
    };
    Grid {
        title: "Failures: in how many runs, and the median step of those",
        heads: std::iter::once("failure".to_owned()).chain(labels).collect(),
        rows: target.failures.iter().map(row).collect(),
    }
}

/// Each pair of combinations by the area under the coverage curve.
pub fn pairs(plan: &Plan, target: &TargetOutcome) -> Grid {
    let row = |pair: &super::outcome::Pair| {
        vec![
            format!("{} : {}", plan.label(pair.left), plan.label(pair.right)),
            number(pair.a12, 2),
            p_value(pair.p),
            p_value(pair.p_holm),
            pair.verdict.word().to_owned(),
        ]
    };
    let heads = ["area under the curve", "A12", "p", "p (Holm)", "the first"];
    Grid {
        title: "Pairs: A12, Mann-Whitney; Holm's correction is for all pairs on all apps",
        heads: heads.map(str::to_owned).to_vec(),
        rows: target.pairs.iter().map(row).collect(),
    }
}

/// Each pair of combinations over all apps.
pub fn duels(outcome: &Outcome) -> Grid {
    let row = |duel: &super::outcome::Duel| {
        vec![format!("{} : {}", duel.left, duel.right), number(duel.median_a12, 2), score(duel.score)]
    };
    Grid {
        title: "Pairs over all apps: the median A12, and on how many apps the first won/tied/lost",
        heads: ["area under the curve", "A12", "w/t/l"].map(str::to_owned).to_vec(),
        rows: outcome.duels.iter().map(row).collect(),
    }
}

/// What the words of the tables mean.
pub fn legend() -> Vec<(String, String)> {
    let metrics = METRICS.iter().map(|metric| (metric.head.to_owned(), metric.about.to_owned()));
    let decided = format!(
        "a pair is decided where its p-value, corrected by Holm for all pairs on all apps, is below {SIGNIFICANT}"
    );
    metrics.chain([("w/t/l".to_owned(), format!("won, tied, lost: {decided}"))]).collect()
}

/// One line for each run.
pub fn runs_csv(plan: &Plan, runs: &BTreeMap<Job, RunResult>) -> String {
    let mut text = String::from("target,app,abstraction,strategy,run,seed,steps");
    for metric in &METRICS {
        let _ = write!(text, ",{}", metric.key);
    }
    text.push('\n');
    let on = |target: usize| runs.values().filter(move |result| result.job.target == target);
    let known: Vec<Known> =
        (0..plan.targets.len()).map(|target| Known::of(on(target).map(|result| &result.measured))).collect();
    for result in runs.values() {
        text.push_str(&start_of_line(plan, result));
        let _ = write!(text, ",{}", result.measured.steps);
        for metric in &METRICS {
            text.push(',');
            if let Some(value) = (metric.of)(&result.measured, known[result.job.target]) {
                let _ = write!(text, "{value}");
            }
        }
        text.push('\n');
    }
    text
}

/// One line for each failure of each run that found it.
pub fn failures_csv(plan: &Plan, runs: &BTreeMap<Job, RunResult>) -> String {
    let mut text = String::from("target,app,abstraction,strategy,run,seed,failure,step\n");
    for result in runs.values() {
        for found in &result.measured.failures {
            let start = start_of_line(plan, result);
            let _ = writeln!(text, "{start},{},{}", quoted(&found.signature.0), found.step);
        }
    }
    text
}

/// One line for each point of each curve: the middle of a combination's runs on an app, and how far apart they are.
pub fn curves_csv(outcome: &Outcome) -> String {
    let plan = &outcome.plan;
    let mut text = String::from("target,app,abstraction,strategy,runs,step,mean,low,median,high\n");
    for target in &outcome.targets {
        for (row, combination) in target.rows.iter().zip(&plan.combinations) {
            let start = format!(
                "{},{},{},{},{}",
                quoted(&target.target),
                quoted(&target.app),
                quoted(&combination.abstraction),
                quoted(&combination.strategy),
                row.runs
            );
            for (point, Spread { mean, low, median, high }) in row.curve.iter().enumerate() {
                let step = step_of(point, plan.steps);
                let _ = writeln!(text, "{start},{step},{mean},{low},{median},{high}");
            }
        }
    }
    text
}

fn start_of_line(plan: &Plan, result: &RunResult) -> String {
    let (target, combination) =
        (&plan.targets[result.job.target], &plan.combinations[result.job.combination]);
    format!(
        "{},{},{},{},{},{}",
        quoted(&target.target),
        quoted(&target.app),
        quoted(&combination.abstraction),
        quoted(&combination.strategy),
        result.job.run,
        result.seed
    )
}

/// A cell of RFC 4180.
fn quoted(cell: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-./:?=&".contains(character);
    if cell.chars().all(plain) { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}

fn score(score: Score) -> String {
    format!("{}/{}/{}", score.won, score.tied, score.lost)
}

/// A half, as medians have it, is shown; other counts have no point.
fn number(value: f64, digits: usize) -> String {
    let digits = if digits == 0 && value.fract().abs() > 0.0 { 1 } else { digits };
    if digits == 0 { thousands(value as u64) } else { format!("{value:.digits$}") }
}

fn p_value(p: f64) -> String {
    const LEAST: f64 = 0.001;
    if p < LEAST { format!("<{LEAST}") } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_csv_cannot_end_its_line() {
        assert_eq!(quoted("models/a.toml"), "models/a.toml");
        assert_eq!(quoted("a,\"b\"\nc"), "\"a,\"\"b\"\"\nc\"");
    }

    #[test]
    fn halves_are_shown_and_tiny_p_values_are_not_zero() {
        assert_eq!(number(1234.0, 0), "1,234");
        assert_eq!(number(2.5, 0), "2.5");
        assert_eq!(p_value(0.000_01), "<0.001");
    }
}
