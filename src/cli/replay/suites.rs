//! `siamang replay FOLDER`: a suite as a regression test.

use std::fmt::Write as _;
use std::path::Path;

use super::Args;
use crate::abstraction::registry;
use crate::campaign::Control;
use crate::campaign::regression::suite_test::{Outcome, SuiteTest};
use crate::error::{CommandError, Exit};
use crate::report::junit::Case;
use crate::seed::Seed;
use crate::trace::suite_folder::{SuiteFolder, SuiteManifest};

/// Runs all traces of a suite, or those until Ctrl-C is pressed; each must visit the states that it was recorded with.
pub fn run(
    folder: &SuiteFolder,
    args: &Args,
    control: &Control,
) -> anyhow::Result<(Exit, Vec<Outcome>, SuiteManifest)> {
    let manifest = folder.manifest()?;
    let place = folder.path().display();
    let stage = args.stage.open((&manifest).into(), folder.path())?;
    let abstraction = registry::find(&manifest.abstraction).ok_or_else(|| {
        let name = &manifest.abstraction;
        CommandError::usage(format!(
            "`{place}` names its states by `{name}`, which this siamang does not know"
        ))
    })?;
    let device = stage.only_device(Seed(args.seed).named("replay"))?;
    let mut test = SuiteTest::new(device, abstraction, &manifest)?;
    let mut outcomes = Vec::new();
    let mut as_found = false;
    let progress = crate::cli::progress_line();
    for (number, of) in manifest.traces.iter().enumerate() {
        if control.is_interrupted() {
            break;
        }
        progress.set_message(format!("trace {} of {}", number + 1, manifest.traces.len()));
        let trace = folder.trace(of)?;
        if stage.start(trace.start) != trace.start && !as_found {
            as_found = true;
            tracing::warn!(
                "`{place}` was made with the app's data cleared, and is run with the data as found: a difference may be \
                 the data's\n  give --reset clear again, which clears the app's data"
            );
        }
        let mut outcome = None;
        for _ in 0..args.times {
            let ran = test.run(of, &trace).map_err(|error| crate::cli::lost(&error))?;
            let differs = ran.difference.is_some();
            outcome = Some(ran);
            if differs || control.is_interrupted() {
                break;
            }
        }
        outcomes.extend(outcome);
    }
    progress.finish();
    let differs = outcomes.iter().any(|outcome| outcome.difference.is_some());
    Ok((if differs { Exit::Found } else { Exit::Clean }, outcomes, manifest))
}

/// One line for each trace that differs, and one for all.
pub fn text(folder: &SuiteFolder, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        if let Some(difference) = &outcome.difference {
            let _ = writeln!(text, "{} differs {}", outcome.trace, difference.line());
        }
    }
    let same = outcomes.iter().filter(|outcome| outcome.difference.is_none()).count();
    let events: usize = outcomes.iter().map(|outcome| outcome.events).sum();
    let _ = writeln!(
        text,
        "{}: {same} of {} traces as recorded, {events} events",
        folder.path().display(),
        outcomes.len()
    );
    text
}

/// A trace of a suite as a test.
pub fn case(outcome: &Outcome) -> Case {
    let wrong = outcome.difference.as_ref().map(|difference| {
        (
            format!("differs at step {}: {}", difference.step, difference.event),
            format!("expected: {}\nseen: {}", difference.expected, difference.seen),
        )
    });
    Case { name: outcome.trace.clone(), kind: "different", wrong }
}

/// Writes the outcomes as CI servers read them.
pub fn junit(file: &Path, suites: &[(String, Vec<Case>)]) -> anyhow::Result<()> {
    let text = crate::report::junit::render("siamang replay", suites)?;
    std::fs::write(file, text)
        .map_err(|error| CommandError::usage(format!("cannot write `{}`: {error}", file.display())).into())
}
