//! A run as one HTML page: what it did, and each failure with its steps, its screens and its stack.

use std::fmt::Write as _;

use super::curve::curve;
use super::page::{escape, shell, table};
use super::wireframe::{draw, photo};
use crate::device::{Reset, place};
use crate::gui::GuiTree;
use crate::ids::TreeHash;
use crate::numbers::{counted, thousands};
use crate::oracle::Failure;
use crate::trace::replay::step;
use crate::trace::summary::FailureSummary;
use crate::trace::{Crash, Screen, Summary, Trace};

/// More steps of a trace than these are only counted: the first and the last are shown.
const MOST_STEPS: usize = 60;
/// More pictures of a trace than these are not drawn; the last ones matter most.
const MOST_PICTURES: usize = 25;

/// What a page is made of.
pub struct RunPage<'a> {
    /// The summary.
    pub summary: &'a Summary,
    /// How many branches, or where there are none how many screens, were known after which step.
    pub growth: &'a [(u64, u64)],
    /// What is kept of a failure.
    pub crash: &'a dyn Fn(&FailureSummary) -> Option<Crash>,
    /// A screen that was seen.
    pub tree: &'a mut dyn FnMut(TreeHash) -> Option<GuiTree>,
    /// The picture of a failure's screen before its event of this number, as PNG.
    pub picture: &'a dyn Fn(&FailureSummary, usize) -> Option<Vec<u8>>,
}

impl RunPage<'_> {
    /// The page.
    pub fn render(mut self) -> String {
        let summary = self.summary;
        let mut body = head(summary);
        let what = if summary.branches > Some(0) {
            format!("{} covered", summary.branches_word())
        } else {
            "different screens seen".to_owned()
        };
        body.push_str(&curve(&what, self.growth));
        body.push_str(&overview(summary));
        for failure in &summary.failures {
            self.failure(&mut body, failure);
        }
        hosts(&mut body, summary);
        notes(&mut body, summary);
        shell(&format!("{} – siamang", summary.app), &body)
    }

    fn failure(&mut self, body: &mut String, failure: &FailureSummary) {
        let _ = writeln!(
            body,
            "<h2 id=\"{}\">{}</h2>\n<p class=\"faint\">{}<br>found on {}</p>",
            escape(&failure.folder),
            escape(&failure.headline),
            escape(&failure.signature.0),
            escape(place(&self.summary.device))
        );
        let Some(crash) = (self.crash)(failure) else {
            body.push_str("<p>Its trace was not kept.</p>\n");
            return;
        };
        if let Some(shrunk) = &crash.shrunk {
            let told = if shrunk.reproduced {
                let new = if shrunk.new_runs > 0 { " on a device as new" } else { "" };
                format!(
                    "It fails in {} of {}{new}. {}",
                    shrunk.certificate_hits,
                    counted(shrunk.certificate_runs.into(), "run"),
                    shrunk.how()
                )
            } else {
                format!(
                    "It was met after {} and not seen again while shrinking.",
                    counted(shrunk.original as u64, "event")
                )
            };
            let _ = writeln!(body, "<p>{}</p>", escape(&told));
        } else {
            let _ = writeln!(
                body,
                "<p>It was met after {} and is not shrunk.</p>",
                counted(crash.trace.cost() as u64, "event")
            );
        }
        steps(body, &crash.trace);
        self.strip(body, failure, &crash.trace);
        if let Some(evidence) = &crash.evidence {
            stack(body, evidence);
        }
    }

    /// The screens on the way, each with what is done there.
    fn strip(&mut self, body: &mut String, failure: &FailureSummary, trace: &Trace) {
        let count = trace.events.len();
        let from = count.saturating_sub(MOST_PICTURES);
        if from > 0 {
            let _ = writeln!(body, "<p class=\"faint\">The screens of the last {MOST_PICTURES} events:</p>");
        }
        body.push_str("<div class=\"strip\">\n");
        for (at, event) in trace.events.iter().enumerate().skip(from) {
            let number = at + 1;
            let seen = match (&event.before, at) {
                (None, 0) => trace.first.as_ref(),
                (seen, _) => seen.as_ref(),
            };
            let _ = writeln!(body, "<figure>{}", self.image(failure, at, seen, Some(event)));
            let _ = writeln!(body, "<figcaption>{number}. {}</figcaption></figure>", escape(&step(event)));
        }
        body.push_str("</div>\n");
    }

    fn image(
        &mut self,
        failure: &FailureSummary,
        at: usize,
        seen: Option<&Screen>,
        event: Option<&crate::trace::TraceEvent>,
    ) -> String {
        let target = event.and_then(|event| event.target.as_ref()).map(|target| target.bounds);
        let input = event.map(|event| &event.input);
        let bytes = (self.picture)(failure, at);
        if let Some(photo) = bytes.and_then(|bytes| photo(&bytes, input, target)) {
            return photo;
        }
        let Some(tree) = seen.and_then(|seen| (self.tree)(seen.tree)) else {
            let place = seen.map_or("", |seen| seen.activity.rsplit('.').next().unwrap_or_default());
            return format!("<div class=\"none\">{}<br>seen only while shrinking</div>", escape(place));
        };
        draw(&tree, input, target)
    }
}

fn head(summary: &Summary) -> String {
    let of = |count: u64, all: Option<u64>| match all {
        Some(all) => format!("{} of {}", thousands(count), thousands(all)),
        None => thousands(count),
    };
    let mut body = format!(
        "<h1>{}</h1>\n<p>{} on {}, seed {}. {}.</p>\n",
        escape(&summary.app),
        escape(&summary.target),
        escape(&summary.device_in_words()),
        summary.seed,
        escape(&match &summary.stopped {
            Some(reason) => format!("Stopped after {} steps: {reason}", thousands(summary.steps)),
            None => format!("Cut off after {} steps", thousands(summary.steps)),
        })
    );
    let rows = [
        vec!["activities".to_owned(), of(summary.activities.len() as u64, summary.activities_declared)],
        vec![summary.branches_word().to_owned(), summary.branches_text()],
        vec!["screens".to_owned(), thousands(summary.screens)],
        vec!["resets".to_owned(), summary.resets_text()],
    ];
    body.push_str(&table(&["what", "seen"], &rows));
    body
}

fn overview(summary: &Summary) -> String {
    if summary.failures.is_empty() {
        return "<h2>Failures</h2>\n<p class=\"good\">No failure found.</p>\n".to_owned();
    }
    let number = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), thousands);
    let mut text = format!(
        "<h2>Failures</h2>\n<div class=\"wide\"><table>\n<tr>{}</tr>\n",
        ["failure", "kind", "seen", "first at step", "original", "minimal", "optimum", "rate"]
            .map(|head| format!("<th>{head}</th>"))
            .concat()
    );
    for (failure, name) in summary.failures.iter().zip(summary.names(str::to_owned)) {
        let rate = match &failure.shrunk {
            Some(shrunk) if shrunk.reproduced => {
                format!("{}/{}", shrunk.certificate_hits, shrunk.certificate_runs)
            }
            Some(_) => "not reproduced".to_owned(),
            None => "–".to_owned(),
        };
        let cells = [
            failure.kind.map_or("unknown", crate::oracle::FailureKind::word).to_owned(),
            thousands(failure.count),
            thousands(failure.first_step.0),
            number(failure.original),
            number(failure.minimal),
            number(failure.optimum.map(u64::from)),
            rate,
        ];
        let _ = write!(text, "<tr><td><a href=\"#{}\">{}</a></td>", escape(&failure.folder), escape(&name));
        for cell in &cells {
            let _ = write!(text, "<td>{}</td>", escape(cell));
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</table></div>\n");
    text
}

/// The steps as a person follows them.
fn steps(body: &mut String, trace: &Trace) {
    let start = match trace.start {
        Reset::Clean => "Clear the app's data and start it.",
        Reset::Warm => "Start the app with the data it has.",
    };
    let _ = writeln!(body, "<ol start=\"0\">\n<li>{start}</li>");
    let left_out = trace.events.len().saturating_sub(MOST_STEPS);
    for (at, event) in trace.events.iter().enumerate() {
        let hidden = left_out > 0 && (MOST_STEPS / 2..MOST_STEPS / 2 + left_out).contains(&at);
        if !hidden {
            let _ = writeln!(body, "<li value=\"{}\">{}</li>", at + 1, escape(&step(event)));
        } else if at == MOST_STEPS / 2 {
            let _ = writeln!(body, "<li value=\"{}\" class=\"faint\">… {left_out} more</li>", at + 1);
        }
    }
    body.push_str("</ol>\n");
}

fn stack(body: &mut String, failure: &Failure) {
    if failure.chain.is_empty() {
        return;
    }
    body.push_str("<pre>");
    for (number, thrown) in failure.chain.iter().enumerate() {
        let lead = if number == 0 { "" } else { "Caused by: " };
        let colon = if thrown.message.is_empty() { "" } else { ": " };
        let _ = writeln!(body, "{}", escape(&format!("{lead}{}{colon}{}", thrown.class, thrown.message)));
        for frame in &thrown.frames {
            let place = match (frame.file.as_str(), frame.line) {
                ("", _) => String::new(),
                (file, Some(line)) => format!("({file}:{line})"),
                (file, None) => format!("({file})"),
            };
            let _ = writeln!(body, "    at {}", escape(&format!("{}.{}{place}", frame.class, frame.method)));
        }
    }
    body.push_str("</pre>\n");
}

/// What is the device's fault, apart from what the app has to answer for.
fn hosts(body: &mut String, summary: &Summary) {
    if summary.hosts_failures.is_empty() && summary.hosts_faults.is_empty() {
        return;
    }
    body.push_str("<h2>Faults of the device, not of the app</h2>\n<ul>\n");
    for failure in &summary.hosts_failures {
        let why = failure.hosts_fault().unwrap_or_default();
        let _ = writeln!(body, "<li>{}: {}</li>", escape(&failure.headline), escape(&why));
    }
    for (fault, count) in &summary.hosts_faults {
        let _ = writeln!(body, "<li>{} ({})</li>", escape(fault), thousands(*count));
    }
    body.push_str("</ul>\n");
}

fn notes(body: &mut String, summary: &Summary) {
    if summary.warning_texts.is_empty() && summary.issues.is_empty() {
        return;
    }
    body.push_str("<h2>Warnings</h2>\n<ul>\n");
    for (warning, count) in &summary.warning_texts {
        let _ = writeln!(body, "<li>{} ({})</li>", escape(warning), thousands(*count));
    }
    for issue in &summary.issues {
        let _ = writeln!(body, "<li>lost: {}</li>", escape(issue));
    }
    body.push_str("</ul>\n");
}
