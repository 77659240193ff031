//! The report in the folder of a failure: what is needed for it, and what the way there looked like when it was found.

use super::markdown::{escaped, inner};
use super::terminal::{Detail, headline, summary};
use super::{Explanation, Subject};
use crate::trace::Trace;
use crate::trace::key_events::ChardConfig;

const AT_LAUNCH: &str = "The app fails when it is started: no event is needed.\n";

/// The report as Markdown. Without a shortest trace it tells what the record of the original allows.
pub fn render(failure: &str, minimal: Option<&Trace>, original: &Trace) -> String {
    let config = ChardConfig::default();
    let explain = |trace: &Trace, proven| {
        let subject = Subject {
            name: trace.package.clone(),
            failure: Some(super::sentence::plain(failure)),
            proven,
            ..Subject::default()
        };
        Explanation::of(trace, subject, &config)
    };
    let title = format!("# {}\n\n", escaped(failure));
    // Without events the app failed at its launch.
    let Ok(found) = explain(original, false) else { return format!("{title}{AT_LAUNCH}") };
    let Some(minimal) = minimal else { return format!("{title}{}", inner(&found, Detail::Key)) };
    let needed = match explain(minimal, true) {
        Ok(needed) => inner(&needed, Detail::Key),
        Err(_) => AT_LAUNCH.to_owned(),
    };
    let mut out = format!("{title}{needed}\n## As it was found\n\n{}.\n\n", escaped(&headline(&found)));
    for line in summary(&found) {
        out.push_str("- ");
        out.push_str(&escaped(&line));
        out.push('\n');
    }
    out
}
