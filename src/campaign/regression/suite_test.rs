//! A suite as a regression test: each trace is run, and must visit the states that it was recorded with.

use serde::Serialize;

use super::{Sight, States, run, shows};
use crate::abstraction::StateKey;
use crate::abstraction::registry::Entry;
use crate::device::{AnyDevice, DeviceError};
use crate::oracle::Signature;
use crate::trace::Trace;
use crate::trace::replay::describe;
use crate::trace::suite_folder::{SuiteManifest, SuiteScreen, SuiteTrace};

/// How a trace of a suite did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its file.
    pub trace: String,
    /// How many events it has.
    pub events: usize,
    /// Where and how it went another way; none if it did not.
    pub difference: Option<Difference>,
}

/// Where a trace went another way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The event, counted from 1; 0 is the launch.
    pub step: usize,
    /// What was done.
    pub event: String,
    /// What was recorded.
    pub expected: String,
    /// What was seen.
    pub seen: String,
}

impl Difference {
    /// The difference in one line.
    pub fn line(&self) -> String {
        let Self { step, event, expected, seen } = self;
        format!("at step {step} ({event}): expected {expected}; seen {seen}")
    }
}

/// Runs the traces of one suite.
pub struct SuiteTest<'a> {
    device: AnyDevice,
    runtime: tokio::runtime::Runtime,
    states: States,
    manifest: &'a SuiteManifest,
}

impl<'a> SuiteTest<'a> {
    /// A test on a device, with the abstraction that the manifest names.
    pub fn new(device: AnyDevice, abstraction: &Entry, manifest: &'a SuiteManifest) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { device, runtime, states: States::new(abstraction), manifest })
    }

    /// Runs a trace once.
    pub fn run(&mut self, of: &SuiteTrace, trace: &Trace) -> Result<Outcome, DeviceError> {
        let Self { device, runtime, states, .. } = self;
        let sights = runtime.block_on(run(device, states, &trace.events, Some(&of.states), &|| false))?;
        let difference = self.difference(of, trace, &sights);
        Ok(Outcome { trace: of.file.clone(), events: trace.events.len(), difference })
    }

    fn difference(&self, of: &SuiteTrace, trace: &Trace, sights: &[Sight]) -> Option<Difference> {
        let event = |step: usize| {
            let event = step.checked_sub(1).and_then(|event| trace.events.get(event));
            event.map_or_else(|| "launch".to_owned(), describe)
        };
        let failures: Vec<&Signature> = sights.iter().flat_map(|sight| &sight.failures).collect();
        let missing = of.failures.iter().find(|failure| !failures.contains(failure));
        let expected = |step: usize| match missing.filter(|_| step + 1 == of.states.len()) {
            Some(failure) => format!("the failure {failure}"),
            None => self.shown(of.states[step]),
        };
        for (step, sight) in sights.iter().enumerate() {
            let unexpected = sight.failures.iter().find(|failure| !of.failures.contains(failure));
            if let Some(failure) = unexpected {
                let seen = format!("the failure {failure}");
                return Some(Difference { step, event: event(step), expected: expected(step), seen });
            }
            if sight.state != of.states[step] {
                let expected = expected(step);
                let mut seen = told(&shows(&sight.tree));
                if seen == expected {
                    seen.push_str(", where nothing that is listed is another");
                }
                return Some(Difference { step, event: event(step), expected, seen });
            }
        }
        if sights.len() < of.states.len() {
            let step = sights.len();
            let last = sights.last().map(|sight| told(&shows(&sight.tree))).unwrap_or_default();
            let seen = format!("nothing to do that to on {last}");
            return Some(Difference {
                step,
                event: event(step),
                expected: self.shown(of.states[step]),
                seen,
            });
        }
        let step = sights.len() - 1;
        let expected = format!("the failure {}", missing?);
        Some(Difference { step, event: event(step), expected, seen: "no failure".to_owned() })
    }

    fn shown(&self, state: StateKey) -> String {
        let screen = self.manifest.screens.get(format!("{state}").as_str());
        screen.map_or_else(|| format!("state {state}"), told)
    }
}

/// A screen in a line: the activity and what it shows.
fn told(screen: &SuiteScreen) -> String {
    let activity = screen.activity.rsplit('.').next().unwrap_or_default();
    let activity = if activity.is_empty() { "no activity" } else { activity };
    if screen.shows.is_empty() {
        activity.to_owned()
    } else {
        format!("{activity} with {}", screen.shows.join(", "))
    }
}
