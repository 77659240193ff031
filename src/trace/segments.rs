//! A run as a set of traces: what each session did between two restarts. DetReduce starts from these.

use std::collections::BTreeMap;

use super::{LogIssue, RunEvent, Screen, StepRecord, Touched, TraceEvent};
use crate::device::Reset;
use crate::ids::{BranchId, SessionId};
use crate::oracle::Signature;

/// What a session did between two restarts.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Whose it is.
    pub session: SessionId,
    /// The start it was put to; a warm one has the data of what came before.
    pub start: Reset,
    /// The screen after the launch.
    pub first: Screen,
    /// The events, each with the screens around it.
    pub events: Vec<TraceEvent>,
    /// Branches that no earlier part of the run had covered.
    pub new_branches: Vec<BranchId>,
    /// Failures that came in it.
    pub failures: Vec<Signature>,
}

/// Cuts a spine into segments, without those in which nothing was done and nothing failed. Where events are lost, a segment ends; what follows
/// until the next restart has no start and is left out, and the issue is told.
pub fn segments(
    events: impl IntoIterator<Item = Result<RunEvent, LogIssue>>,
) -> (Vec<Segment>, Vec<LogIssue>) {
    let mut open: BTreeMap<SessionId, Segment> = BTreeMap::new();
    let mut done = Vec::new();
    let mut issues = Vec::new();
    for event in events {
        match event {
            Ok(RunEvent::Reset { session, to, screen, new_branches, .. }) => {
                let fresh = Segment {
                    session,
                    start: to,
                    first: screen,
                    events: Vec::new(),
                    new_branches,
                    failures: Vec::new(),
                };
                done.extend(open.insert(session, fresh));
            }
            Ok(RunEvent::Step(step)) => {
                if let Some(segment) = open.get_mut(&step.session) {
                    segment.push(*step);
                }
            }
            Ok(RunEvent::Failure { session, signature, .. }) => {
                if let Some(segment) = open.get_mut(&session)
                    && !segment.failures.contains(&signature)
                {
                    segment.failures.push(signature);
                }
            }
            Ok(_) => {}
            Err(issue) => {
                done.extend(std::mem::take(&mut open).into_values());
                issues.push(issue);
            }
        }
    }
    done.extend(open.into_values());
    done.retain(|segment| !segment.events.is_empty() || !segment.failures.is_empty());
    (done, issues)
}

impl Segment {
    fn push(&mut self, step: StepRecord) {
        let target = match step.touched {
            Some(Touched::Widget(selector)) => Some(selector),
            _ => None,
        };
        self.new_branches.extend(step.new_branches);
        self.failures.extend(step.failures);
        self.events.push(TraceEvent {
            input: step.input,
            wait: step.wait,
            target,
            before: Some(step.before),
            after: Some(step.after),
            rules: step.rules,
        });
    }
}
