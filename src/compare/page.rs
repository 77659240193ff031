//! The comparison as one HTML page: nothing is loaded, nothing is run, and everything an app says is text.

use std::fmt::Write as _;

use super::outcome::{Compared, Outcome};
use super::svg::curves;
use super::tables::{self, Grid};
use crate::numbers::thousands;
use crate::report::page::{self, escape, shell};

/// The page.
pub fn render(outcome: &Outcome) -> String {
    let plan = &outcome.plan;
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<h1>Comparison</h1>\n<p>{}, {}, {} each of {} with paired seeds from {}; \
         siamang {}, app models on its own virtual device, APKs on a JVM.</p>",
        plural(plan.targets.len() as u64, "app"),
        plural(plan.combinations.len() as u64, "combination"),
        plural(plan.runs, "run"),
        plural(plan.steps, "step"),
        plan.seed,
        escape(&plan.siamang)
    );
    if outcome.targets.len() > 1 && !outcome.duels.is_empty() {
        body.push_str("<h2>All apps</h2>\n");
        body.push_str(&table(&tables::duels(outcome)));
    }
    for target in &outcome.targets {
        let _ = writeln!(body, "<h2>{}</h2>", escape(&tables::heading(plan, target)));
        let _ = writeln!(
            body,
            "<figure>\n{}<figcaption>{} covered over steps. Line: the median of {}; band: the middle half of them.\
             </figcaption>\n</figure>",
            curves(target, plan.steps),
            capital(target.branches_word()),
            plural(plan.runs, "run")
        );
        body.push_str(&table(&tables::medians(target)));
        if !target.failures.is_empty() {
            body.push_str(&table(&tables::failures(plan, target)));
        }
        if !target.pairs.is_empty() {
            body.push_str(&table(&tables::pairs(plan, target)));
        }
    }
    if let Some(line) = tables::undecidable(outcome) {
        let _ = writeln!(body, "<p>{}</p>", escape(&line));
    }
    body.push_str("<h2>What was compared</h2>\n");
    body.push_str(&compared("Abstractions: which screens are one state", &outcome.abstractions));
    body.push_str(&compared("Strategies: how the next action is chosen", &outcome.strategies));
    body.push_str("<h2>What the words mean</h2>\n<dl>\n");
    for (word, meaning) in tables::legend() {
        let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", escape(&word), escape(&meaning));
    }
    body.push_str("</dl>\n");
    shell("siamang compare", &body)
}

/// Each with what it does and where it comes from.
fn compared(title: &str, all: &[Compared]) -> String {
    let mut list = format!("<h3>{}</h3>\n<dl>\n", escape(title));
    for Compared { name, about, source } in all {
        let _ = writeln!(
            list,
            "<dt>{}</dt><dd>{}<br><cite>{}</cite></dd>",
            escape(name),
            escape(about),
            escape(source)
        );
    }
    list.push_str("</dl>\n");
    list
}

/// With a capital letter, as a sentence begins.
pub(super) fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

fn table(grid: &Grid) -> String {
    format!("<h3>{}</h3>\n{}", escape(grid.title), page::table(&grid.heads, &grid.rows))
}
