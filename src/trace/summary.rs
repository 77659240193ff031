//! The summary of a run, made from its events alone, so that it can be rebuilt from any log, also from one that was cut
//! off.

mod render;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::pack::PackReader;
use super::run_folder::{Crash, TraceKind};
use super::{LogIssue, RunEvent, RunFolder, RunInfo, Screen, ShrinkReport, SpineReader, StoreError};
use crate::action::Input;
use crate::device::{HOST_FAULT, Reset};
use crate::ids::{BranchId, SessionId, StepId, TreeHash};
use crate::oracle::{Failure, FailureKind, Signature};

pub use render::Paint;

/// What a JVM is called as a device.
const JVM: &str = "jvm";
/// What a phone is called as a device: it shows nothing of an app's inside.
const PHONE: &str = "adb";
/// What a run's device is called if the run does not tell.
const UNKNOWN: &str = "unknown";

/// With this the reason of a restart begins if it is made to get out of a trap.
pub const TRAP: &str = "stuck in ";

/// With this the reason of a step or a restart ends if the widget of the step that was planned was gone.
pub const WIDGET_GONE: &str = ", as the planned widget was gone";

/// What a run did and found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The version of this format.
    pub format: u32,
    /// The app's package.
    pub app: String,
    /// The target as the user named it.
    pub target: String,
    /// The sort of device.
    pub device: String,
    /// The seed.
    pub seed: u64,
    /// How many steps were made.
    pub steps: u64,
    /// How often the app was put back to a clean start.
    pub clean_resets: u64,
    /// How often the app was stopped and launched again.
    pub warm_resets: u64,
    /// How many of both were made since nothing but a trap was seen for long.
    #[serde(default)]
    pub traps: u64,
    /// How often the widget of a planned step was gone.
    #[serde(default)]
    pub missed_widgets: u64,
    /// The app's activities that were seen, in the order of first sight.
    pub activities: Vec<SmolStr>,
    /// How many activities the app declares, where that is known.
    pub activities_declared: Option<u64>,
    /// How many branches were covered, on a JVM how many of JaCoCo's probes; absent where the device cannot tell, as a phone
    /// cannot.
    #[serde(default)]
    pub branches: Option<u64>,
    /// How many branches there are, where that is known.
    pub branches_declared: Option<u64>,
    /// How many different GUI trees were seen.
    pub screens: u64,
    /// The failures, in the order of first sight.
    pub failures: Vec<FailureSummary>,
    /// Failures that are the device's and not the app's: they show only on a device that other runs have used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts_failures: Vec<FailureSummary>,
    /// What else failed because of the device and not of the app, and how often; only the first different ones.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub hosts_faults: IndexMap<String, u64>,
    /// What the app asked of other apps and how that was answered, and how often; only the first different ones.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub asked: IndexMap<String, u64>,
    /// How often trouble was told that did not end the run.
    pub warnings: u64,
    /// What was told, and how often; only the first few different ones.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub warning_texts: IndexMap<String, u64>,
    /// Why the run ended; absent if its log was cut off.
    pub stopped: Option<SmolStr>,
    /// What could not be read back from the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
}

/// One failure of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSummary {
    /// Its key.
    pub signature: Signature,
    /// The name of its folder below `crashes`.
    pub folder: String,
    /// What sort it is; absent if the log has lost that.
    pub kind: Option<FailureKind>,
    /// What a person is told in one line.
    pub headline: String,
    /// Where the app's code failed, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The step that it first interrupted.
    pub first_step: StepId,
    /// How often it was seen.
    pub count: u64,
    /// How many events lead to it as recorded, since the last clean start.
    pub original: Option<u64>,
    /// How many events lead to it at the least, if it was shrunk.
    pub minimal: Option<u64>,
    /// How many events the shortest way to it has, where the app model states it.
    #[serde(default)]
    pub optimum: Option<u32>,
    /// How it was shrunk, if that was tried.
    #[serde(default)]
    pub shrunk: Option<ShrinkReport>,
}

impl FailureSummary {
    /// Why it is the device's and not the app's, if it is.
    pub fn hosts_fault(&self) -> Option<String> {
        self.shrunk.as_ref().and_then(ShrinkReport::hosts_fault)
    }
}

/// Gathers a [`Summary`] event by event. Memory grows with the distinct screens, not with the steps.
#[derive(Clone, Debug)]
pub struct SummaryFold {
    summary: Summary,
    activities: IndexSet<SmolStr, FxBuildHasher>,
    branches: BTreeSet<BranchId>,
    screens: FxHashSet<TreeHash>,
    failures: IndexMap<Signature, Seen>,
    /// How many events each session has done since its last clean start; waits do not count.
    events: BTreeMap<SessionId, u64>,
    optima: BTreeMap<Signature, u32>,
}

/// How often a failure was seen, in steps and as an event of its own: a log that was cut off may have only one.
#[derive(Clone, Debug)]
struct Seen {
    failure: Option<Failure>,
    first_step: StepId,
    in_steps: u64,
    alone: u64,
    /// How many events had led to it when it was first seen.
    events: u64,
}

impl Summary {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;
    /// Why a run ended whose app did not come up, however often it was launched.
    pub const CANNOT_START: &'static str = "the app cannot be started";

    /// The app did not come up.
    pub fn cannot_start(&self) -> bool {
        self.stopped.as_deref() == Some(Self::CANNOT_START)
    }

    /// What is said of an app that shows nothing of its own on a JVM.
    pub const NOTHING_SHOWN: &'static str = "the app shows nothing of its own: its activity ends at once, and all that was \
                                             explored is the home screen; the run says nothing of the app";

    /// No screen of the app was seen on a JVM, where its activities are known, and it did not fail.
    fn shows_nothing(&self) -> bool {
        self.device == JVM
            && self.stopped.is_some()
            && self.steps > 0
            && !self.cannot_start()
            && self.activities.is_empty()
            && self.failures.is_empty()
            && self.hosts_faults.is_empty()
    }

    /// How a run is called that ended because its device was lost.
    pub const LOST: &'static str = "the device was lost";

    /// Nobody knows what it would have met.
    pub fn lost_its_device(&self) -> bool {
        self.stopped.as_deref() == Some(Self::LOST)
    }

    /// Rebuilds the summary of a run from its folder, as far as its log can be read.
    pub fn of_run(folder: &RunFolder) -> Result<Self, StoreError> {
        let (info, unread) = match folder.info() {
            Ok(info) => (info, None),
            // The log does not need it.
            Err(error) => (RunInfo::new("unknown app", UNKNOWN, 0), Some(error)),
        };
        let mut fold = SummaryFold::new(&info);
        fold.summary.issues.extend(unread.map(|error| error.to_string()));
        for event in SpineReader::open(folder.path())? {
            match event {
                Ok(event) => fold.add(&event),
                Err(issue) => fold.add_issue(&issue),
            }
        }
        for crash in folder.kept_crashes() {
            fold.keep(&crash);
        }
        let mut summary = fold.summary();
        summary.measure(folder);
        summary.issues.extend(folder.recorded_steps().filter(|recorded| *recorded > summary.steps).map(
            |recorded| {
                format!(
                    "the run made {recorded} steps, and the log can be read for {} of them",
                    summary.steps
                )
            },
        ));
        if let Ok(pack) = PackReader::open(folder.path()) {
            summary.issues.extend(pack.issues().iter().map(ToString::to_string));
        }
        Ok(summary)
    }

    /// Fills in what the folder knows of shrinking. A file that cannot be read is an issue.
    pub fn measure(&mut self, folder: &RunFolder) {
        for failure in &mut self.failures {
            match folder.kept_crash(&failure.signature) {
                Ok(Some(crash)) => {
                    let cost = crash.trace.cost() as u64;
                    match (crash.kind(), &crash.shrunk) {
                        (TraceKind::Original, _) => failure.original = Some(cost),
                        (TraceKind::Minimal, shrunk) => {
                            failure.minimal = Some(cost);
                            failure.original = shrunk.as_ref().map(|shrunk| shrunk.original as u64);
                        }
                    }
                    // What whoever follows the shortest trace sees is what all reports call it.
                    if let Some(evidence) = &crash.evidence {
                        failure.headline = evidence.headline();
                        failure.place = evidence.place();
                    }
                    failure.shrunk = crash.shrunk;
                }
                Ok(None) => {}
                Err(error) => self.issues.push(error.to_string()),
            }
        }
        let is_hosts = |failure: &mut FailureSummary| failure.hosts_fault().is_some();
        self.hosts_failures.extend(self.failures.extract_if(.., is_hosts));
    }
}

impl SummaryFold {
    /// More issues than these are not told one by one.
    const MAX_ISSUES: usize = 100;
    /// More different warnings than these are only counted.
    const MAX_WARNINGS: usize = 10;
    /// More different faults of the device than these are not told.
    const MAX_FAULTS: usize = 50;
    /// More different questions to other apps than these are not told.
    const MAX_ASKED: usize = 50;

    /// Starts the summary of a run.
    pub fn new(info: &RunInfo) -> Self {
        let declared = info.activities.len() as u64;
        let summary = Summary {
            format: Summary::FORMAT,
            app: info.app.clone(),
            target: info.target.clone(),
            device: info.device.clone(),
            seed: info.seed,
            steps: 0,
            clean_resets: 0,
            warm_resets: 0,
            traps: 0,
            missed_widgets: 0,
            activities: Vec::new(),
            activities_declared: (declared > 0).then_some(declared),
            branches: (info.device != PHONE).then_some(0),
            branches_declared: info.branches,
            screens: 0,
            failures: Vec::new(),
            hosts_failures: Vec::new(),
            hosts_faults: IndexMap::new(),
            asked: IndexMap::new(),
            warnings: 0,
            warning_texts: IndexMap::new(),
            stopped: None,
            issues: Vec::new(),
        };
        Self {
            summary,
            activities: IndexSet::default(),
            branches: BTreeSet::new(),
            screens: FxHashSet::default(),
            failures: IndexMap::new(),
            events: BTreeMap::new(),
            optima: info.optima.clone(),
        }
    }

    /// Takes in one event.
    pub fn add(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Reset { session, to, screen, new_branches, reason, .. } => {
                self.summary.traps += u64::from(reason.starts_with(TRAP));
                self.summary.missed_widgets += u64::from(reason.ends_with(WIDGET_GONE));
                let events = self.events.entry(*session).or_default();
                match to {
                    Reset::Clean => {
                        self.summary.clean_resets += 1;
                        *events = 0;
                    }
                    Reset::Warm => {
                        self.summary.warm_resets += 1;
                        *events += 1;
                    }
                }
                self.see(screen);
                self.branches.extend(new_branches);
            }
            RunEvent::Step(step) => {
                self.summary.steps += 1;
                self.summary.missed_widgets += u64::from(step.reason.ends_with(WIDGET_GONE));
                self.see(&step.after);
                self.branches.extend(&step.new_branches);
                let events = self.events.entry(step.session).or_default();
                *events += u64::from(!matches!(step.input, Input::Wait(_)));
                for signature in &step.failures {
                    self.failure(signature, step.session, step.step).in_steps += 1;
                }
            }
            RunEvent::Failure { session, step, signature, failure } => {
                let seen = self.failure(signature, *session, *step);
                seen.alone += 1;
                if seen.failure.is_none() {
                    seen.failure = failure.as_deref().cloned();
                }
            }
            RunEvent::Asked { asked, .. } => {
                let (known, asked) = (&mut self.summary.asked, asked.to_string());
                if known.len() < Self::MAX_ASKED || known.contains_key(&asked) {
                    *known.entry(asked).or_default() += 1;
                }
            }
            RunEvent::Decision { .. } => {}
            RunEvent::Warning { text, .. } if text.starts_with(HOST_FAULT) => {
                let faults = &mut self.summary.hosts_faults;
                if faults.len() < Self::MAX_FAULTS || faults.contains_key(text) {
                    *faults.entry(text.clone()).or_default() += 1;
                }
            }
            RunEvent::Warning { text, .. } => {
                self.summary.warnings += 1;
                let known = self.summary.warning_texts.len();
                if known < Self::MAX_WARNINGS || self.summary.warning_texts.contains_key(text) {
                    *self.summary.warning_texts.entry(text.clone()).or_default() += 1;
                }
            }
            RunEvent::End { reason, .. } => self.summary.stopped = Some(reason.clone()),
        }
    }

    /// Takes in a failure that has a folder, even if the log was full or lost before it was met.
    fn keep(&mut self, crash: &Crash) {
        let Some(signature) =
            crash.trace.failure.as_ref().filter(|known| !self.failures.contains_key(*known))
        else {
            return;
        };
        let seen = Seen {
            failure: crash.evidence.clone(),
            first_step: StepId(0),
            in_steps: 0,
            alone: 1,
            events: crash.trace.cost() as u64,
        };
        self.failures.insert(signature.clone(), seen);
    }

    /// Takes in what could not be read.
    pub fn add_issue(&mut self, issue: &LogIssue) {
        if self.summary.issues.len() < Self::MAX_ISSUES {
            self.summary.issues.push(issue.to_string());
        }
    }

    /// How many steps were made so far.
    pub fn steps(&self) -> u64 {
        self.summary.steps
    }

    /// How many different failures were seen so far.
    pub fn failures(&self) -> usize {
        self.failures.len()
    }

    /// How many activities of the app were seen so far.
    pub fn activities(&self) -> usize {
        self.activities.len()
    }

    /// How many different GUI trees were seen so far.
    pub fn screens(&self) -> usize {
        self.screens.len()
    }

    /// How many branches were covered so far.
    pub fn branches(&self) -> usize {
        self.branches.len()
    }

    /// The summary of everything taken in so far.
    pub fn summary(&self) -> Summary {
        let mut summary = self.as_told();
        // A run of which nothing is known but this would look like one that has found the app to be all right.
        if summary.shows_nothing() {
            summary.warnings += 1;
            summary.warning_texts.insert(Summary::NOTHING_SHOWN.to_owned(), 1);
        }
        summary
    }

    fn as_told(&self) -> Summary {
        Summary {
            activities: self.activities.iter().cloned().collect(),
            branches: self.summary.branches.map(|_| self.branches.len() as u64),
            screens: self.screens.len() as u64,
            failures: self
                .failures
                .iter()
                .map(|(signature, seen)| seen.summary(signature, self.optima.get(signature).copied()))
                .collect(),
            ..self.summary.clone()
        }
    }

    fn see(&mut self, screen: &Screen) {
        self.screens.insert(screen.tree);
        if screen.foreign.is_none()
            && !screen.activity.is_empty()
            && !self.activities.contains(&screen.activity)
        {
            self.activities.insert(screen.activity.clone());
        }
    }

    fn failure(&mut self, signature: &Signature, session: SessionId, step: StepId) -> &mut Seen {
        let events = self.events.get(&session).copied().unwrap_or(0);
        self.failures.entry(signature.clone()).or_insert_with(|| Seen {
            events,
            failure: None,
            first_step: step,
            in_steps: 0,
            alone: 0,
        })
    }
}

impl Seen {
    fn summary(&self, signature: &Signature, optimum: Option<u32>) -> FailureSummary {
        FailureSummary {
            signature: signature.clone(),
            folder: signature.folder(),
            kind: self.failure.as_ref().map(|failure| failure.kind),
            headline: self.failure.as_ref().map_or_else(|| signature.0.clone(), Failure::headline),
            place: self.failure.as_ref().and_then(Failure::place),
            first_step: self.first_step,
            count: self.in_steps.max(self.alone),
            original: Some(self.events),
            minimal: None,
            optimum,
            shrunk: None,
        }
    }
}

#[cfg(test)]
mod tests;
