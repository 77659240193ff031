//! `siamang replay FOLDER`: a suite as a regression test.

use std::fmt::Write as _;
use std::path::Path;

use super::Args;
use crate::abstraction::registry::{self, Entry};
use crate::campaign::Control;
use crate::campaign::regression::suite_test::{Outcome, SuiteTest};
use crate::error::{CommandError, Exit};
use crate::numbers::thousands;
use crate::report::junit::Case;
use crate::seed::Seed;
use crate::trace::Trace;
use crate::trace::suite_folder::{SuiteFolder, SuiteManifest};

/// A suite as it was read: nothing is run before all of it is known to be there.
pub struct Suite {
    pub folder: SuiteFolder,
    pub manifest: SuiteManifest,
    abstraction: &'static Entry,
    traces: Vec<Trace>,
}

impl Suite {
    /// Reads the manifest and all traces.
    pub fn read(folder: SuiteFolder) -> anyhow::Result<Self> {
        let manifest = folder.manifest()?;
        let name = &manifest.abstraction;
        let abstraction = registry::find(name).ok_or_else(|| {
            let place = folder.path().display();
            CommandError::usage(format!(
                "`{place}` names its states by `{name}`, which this siamang does not know"
            ))
        })?;
        let traces = manifest.traces.iter().map(|of| folder.trace(of)).collect::<Result<_, _>>()?;
        Ok(Self { folder, manifest, abstraction, traces })
    }

    /// The traces from one on as tests that were not run.
    pub fn not_run(&self, from: usize) -> Vec<Case> {
        self.manifest.traces[from..]
            .iter()
            .map(|of| Case::not_run(of.file.clone(), super::INTERRUPTED))
            .collect()
    }

    /// Runs all traces, or those until Ctrl-C is pressed; each must visit the states that it was recorded with.
    pub fn run(&self, args: &Args, control: &Control) -> anyhow::Result<(Exit, Vec<Outcome>)> {
        let Self { folder, manifest, abstraction, traces } = self;
        let place = folder.path().display();
        let stage = args.stage.open(manifest.into(), folder.path())?;
        let device = stage.only_device(Seed(args.seed).named("replay"))?;
        let mut test = SuiteTest::new(device, abstraction, manifest)?;
        let mut outcomes = Vec::new();
        let mut as_found = false;
        let progress = crate::cli::progress_line();
        for (number, (of, trace)) in manifest.traces.iter().zip(traces).enumerate() {
            if control.is_interrupted() {
                break;
            }
            progress.set_message(format!(
                "trace {} of {}",
                thousands(number as u64 + 1),
                thousands(traces.len() as u64)
            ));
            if stage.start(trace.start) != trace.start && !as_found {
                as_found = true;
                tracing::warn!(
                    "`{place}` was made with the app's data cleared, and is run with the data as found: a difference may \
                     be the data's\n  give --reset clear again, which clears the app's data"
                );
            }
            let mut outcome = None;
            for _ in 0..args.times {
                let ran = test.run(of, trace).map_err(|error| crate::cli::lost(&error))?;
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
        Ok((if differs { Exit::Found } else { Exit::Clean }, outcomes))
    }
}

/// One line for each trace that differs, and one for all, of which an interruption may have kept some from being run.
pub fn text(folder: &SuiteFolder, outcomes: &[Outcome], wanted: usize) -> String {
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
    if outcomes.len() < wanted {
        let _ = writeln!(text, "  interrupted: {} of {wanted} traces were run", outcomes.len());
    }
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
