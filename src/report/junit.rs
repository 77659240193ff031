//! Outcomes as CI servers read them.

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::device::place;
use crate::letters::plain;
use crate::numbers::counted;
use crate::trace::Summary;

/// One test of a report for CI servers.
pub struct Case {
    /// What was run.
    pub name: String,
    /// The sort of difference, for servers that group by it.
    pub kind: &'static str,
    /// What was wrong in a line, and more about it; of what was not run, why.
    pub wrong: Option<(String, String)>,
}

impl Case {
    /// What was not run is passed by nobody: servers show it as skipped.
    pub const NOT_RUN: &'static str = "not run";

    /// One that was not run, and why.
    pub fn not_run(name: String, why: impl Into<String>) -> Self {
        Self { name, kind: Self::NOT_RUN, wrong: Some((why.into(), String::new())) }
    }
}

/// The report of a command: a suite for each app.
pub fn render(command: &str, suites: &[(String, Vec<Case>)]) -> Result<String, SerializeError> {
    let mut report = Report::new(command);
    for (app, cases) in suites {
        let mut suite = TestSuite::new(app.as_str());
        for case in cases {
            let status = match &case.wrong {
                None => TestCaseStatus::success(),
                Some((why, _)) if case.kind == Case::NOT_RUN => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message(plain(why));
                    status
                }
                Some((message, more)) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status.set_message(plain(message));
                    status.set_type(case.kind);
                    status.set_description(more.lines().map(plain).collect::<Vec<_>>().join("\n"));
                    status
                }
            };
            let mut test = TestCase::new(plain(&case.name), status);
            test.set_classname(app.as_str());
            suite.add_test_case(test);
        }
        report.add_test_suite(suite);
    }
    report.to_string()
}

/// A run as tests: one that it went through, and one that fails for each failure of the app. What is the device's fault is
/// none of the app's.
pub fn of_run(summary: &Summary) -> (String, Vec<Case>) {
    let ended = summary.stopped.as_deref().unwrap_or("the log was cut off");
    // A run that did not come to what it was for has tested nothing, or nobody knows what.
    let wrong = (summary.stopped.is_none() || summary.cannot_start() || summary.lost_its_device())
        .then(|| (ended.to_owned(), format!("after {}", counted(summary.steps, "step"))));
    let name = format!("{}: {ended}", counted(summary.steps, "step"));
    let mut cases = vec![Case { name, kind: "run", wrong }];
    for failure in &summary.failures {
        let steps = failure.minimal.or(failure.original);
        let more = format!(
            "{}\nfound on {}\nmet {}, first at step {}; {} to it; see crashes/{}/explanation.md",
            failure.signature,
            place(&summary.device),
            counted(failure.count, "time"),
            failure.first_step.0,
            match steps {
                None => "an unknown number of events leads".to_owned(),
                Some(1) => "1 event leads".to_owned(),
                Some(steps) => format!("{} lead", counted(steps, "event")),
            },
            failure.folder
        );
        let kind = failure.kind.map_or("failure", crate::oracle::FailureKind::word);
        cases.push(Case {
            name: failure.folder.clone(),
            kind,
            wrong: Some((failure.headline.clone(), more)),
        });
    }
    (summary.app.clone(), cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::is_harmless;

    #[test]
    fn what_an_app_says_cannot_turn_a_line_of_the_report_around() {
        let wrong = Some(("No such \u{202e}row".to_owned(), "at step 1\nseen: \u{2066}x".to_owned()));
        let cases = vec![Case { name: "first\u{200f}".into(), kind: "crash", wrong }];
        let text = render("siamang replay", &[("org.example".into(), cases)]).expect("a report");
        assert!(text.chars().all(|character| character == '\n' || is_harmless(character)), "{text}");
        assert!(text.contains("at step 1\nseen:"), "{text}");
    }

    #[test]
    fn what_was_not_run_is_neither_passed_nor_failed() {
        let cases = vec![Case::not_run("second".into(), "interrupted before it was run")];
        let text = render("siamang replay", &[("org.example".into(), cases)]).expect("a report");
        let told = "<skipped message=\"interrupted before it was run\"/>";
        assert!(text.contains(told) && text.contains("failures=\"0\""), "{text}");
    }
}
