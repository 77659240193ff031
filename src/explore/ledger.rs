//! What a run has done and found: steps, covered branches, failures.

use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use crate::action::Event;
use crate::device::{Observation, Reset};
use crate::gui::tree::Hit;
use crate::gui::{GuiTree, Selector};
use crate::ids::{BranchId, SessionId, StepId};
use crate::oracle::{Failure, Signature};
use crate::trace::{RunEvent, Screen, StepRecord, Touched};

/// Counts and names everything that reaches the spine.
#[derive(Debug)]
pub struct Ledger {
    package: SmolStr,
    step: StepId,
    covered: Vec<bool>,
    covered_count: usize,
    failures: IndexMap<Signature, Found>,
}

/// How often and when a failure was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The first step it interrupted.
    pub first: StepId,
    /// How often it was seen.
    pub times: u64,
}

/// A screen as a session saw it last.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The tree.
    pub tree: Arc<GuiTree>,
    /// The tree by reference.
    pub screen: Screen,
    /// The app's process is running.
    pub running: bool,
    /// Device time.
    pub time_ms: u64,
    /// Device time before the event that led here.
    pub event_ms: u64,
}

impl Seen {
    /// The app is running and in front.
    pub fn is_inside(&self) -> bool {
        self.running && self.screen.foreign.is_none()
    }
}

impl Ledger {
    /// An empty ledger for an app.
    pub fn new(package: SmolStr) -> Self {
        Self { package, step: StepId(0), covered: Vec::new(), covered_count: 0, failures: IndexMap::new() }
    }

    /// How many steps were made.
    pub fn steps(&self) -> u64 {
        self.step.0
    }

    /// How many branches were covered.
    pub fn covered(&self) -> usize {
        self.covered_count
    }

    /// The failures found, oldest first.
    pub fn failures(&self) -> &IndexMap<Signature, Found> {
        &self.failures
    }

    /// What an observation shows.
    pub fn see(&self, observation: &Observation) -> Seen {
        Seen {
            screen: Screen::of(&observation.tree, &self.package),
            tree: Arc::clone(&observation.tree),
            running: observation.running,
            time_ms: observation.time_ms,
            event_ms: observation.time_ms,
        }
    }

    /// Writes down a launch.
    pub fn reset(
        &mut self,
        session: SessionId,
        to: Reset,
        reason: SmolStr,
        seen: &Seen,
        observation: Observation,
        events: &mut Vec<RunEvent>,
    ) {
        let new_branches = self.cover(observation.coverage.as_deref());
        events.push(RunEvent::Reset {
            session,
            to,
            reason,
            screen: seen.screen.clone(),
            rules: observation.rules,
            new_branches,
            time_ms: observation.time_ms,
        });
        self.failed(session, observation.failures, events);
        let step = self.step;
        events.extend(observation.asked.into_iter().map(|asked| RunEvent::Asked { session, step, asked }));
        warn(session, observation.issues, events);
    }

    /// Writes down a step.
    #[expect(
        clippy::too_many_arguments,
        reason = "a step is all of these at once, and only one place calls it"
    )]
    pub fn step(
        &mut self,
        session: SessionId,
        event: Event,
        reason: SmolStr,
        before: &Seen,
        after: &Seen,
        observation: Observation,
        events: &mut Vec<RunEvent>,
    ) {
        self.step = self.step.next();
        let new_branches = self.cover(observation.coverage.as_deref());
        events.push(RunEvent::Step(Box::new(StepRecord {
            step: self.step,
            session,
            input: event.input,
            wait: event.wait,
            reason,
            pause_ms: before.time_ms - before.event_ms.min(before.time_ms),
            touched: observation.hit.map(|hit| touched(&before.tree, hit)),
            before: before.screen.clone(),
            after: after.screen.clone(),
            rules: observation.rules,
            new_branches,
            failures: observation.failures.iter().map(Signature::of).collect(),
            time_ms: observation.time_ms,
        })));
        self.failed(session, observation.failures, events);
        let step = self.step;
        events.extend(observation.asked.into_iter().map(|asked| RunEvent::Asked { session, step, asked }));
        warn(session, observation.issues, events);
    }

    fn cover(&mut self, branches: Option<&[BranchId]>) -> Vec<BranchId> {
        let mut new = Vec::new();
        for &branch in branches.unwrap_or_default() {
            if self.covered.len() <= branch.index() {
                self.covered.resize(branch.index() + 1, false);
            }
            if !std::mem::replace(&mut self.covered[branch.index()], true) {
                new.push(branch);
            }
        }
        self.covered_count += new.len();
        new
    }

    fn failed(&mut self, session: SessionId, failures: Vec<Failure>, events: &mut Vec<RunEvent>) {
        for failure in failures {
            let signature = Signature::of(&failure);
            let found =
                self.failures.entry(signature.clone()).or_insert(Found { first: self.step, times: 0 });
            found.times += 1;
            let failure = (found.times == 1).then(|| Box::new(failure));
            events.push(RunEvent::Failure { session, step: self.step, signature, failure });
        }
    }
}

fn warn(session: SessionId, issues: Vec<String>, events: &mut Vec<RunEvent>) {
    events.extend(issues.into_iter().map(|text| RunEvent::Warning { session: Some(session), text }));
}

/// The hit's positions are those of the tree before the event.
fn touched(before: &GuiTree, hit: Hit) -> Touched {
    match hit {
        Hit::Window(window) => match before.windows().get(window as usize) {
            Some(window) => Touched::Window(window.kind),
            None => Touched::Nothing,
        },
        Hit::Widget(_, node) if (node.0 as usize) < before.nodes().len() => {
            Touched::Widget(Selector::of(before, node))
        }
        Hit::Nothing | Hit::Widget(..) => Touched::Nothing,
    }
}
