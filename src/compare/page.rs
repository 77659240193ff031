//! The comparison as one HTML page: nothing is loaded, nothing is run, and everything an app says is text.

use std::fmt::Write as _;

use super::outcome::Outcome;
use super::svg::{curves, escape};
use super::tables::{self, Grid};
use crate::report::table::thousands;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ddd; --faint: #666; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #161616; --line: #3a3a3a; --faint: #a0a0a0; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
figure { margin: 0; } figcaption { color: var(--faint); }
svg { max-width: min(100%, 48rem); height: auto; } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1rem; color: var(--faint); }
";

/// The page.
pub fn render(outcome: &Outcome) -> String {
    let plan = &outcome.plan;
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<h1>Comparison</h1>\n<p>{}, {}, {} each of {} with paired seeds from {}; \
         siamang {}, on its own virtual device.</p>",
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
            "<figure>\n{}<figcaption>Branches covered over steps. Line: the median of {}; band: the middle half of them.\
             </figcaption>\n</figure>",
            curves(target, plan.steps),
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
    body.push_str("<h2>What the words mean</h2>\n<dl>\n");
    for (word, meaning) in tables::legend() {
        let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", escape(&word), escape(&meaning));
    }
    body.push_str("</dl>\n");
    shell("siamang compare", &body)
}

fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A whole page around a body that is markup already.
pub fn shell(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

fn table(grid: &Grid) -> String {
    let cells = |tag: &str, cells: &[String]| {
        let cell = |cell: &String| format!("<{tag}>{}</{tag}>", escape(cell));
        format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
    };
    let rows: String = grid.rows.iter().map(|row| cells("td", row)).collect();
    format!(
        "<h3>{}</h3>\n<div class=\"wide\"><table>\n{}{rows}</table></div>\n",
        escape(grid.title),
        cells("th", &grid.heads)
    )
}
