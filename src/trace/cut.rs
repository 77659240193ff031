//! Cutting the trace of a failure out of the spine.

use std::collections::BTreeMap;

use super::{LogIssue, RunEvent, RunInfo, Screen, StepRecord, StoreError, Touched, Trace, TraceEvent};
use crate::action::{Input, Wait};
use crate::device::Reset;
use crate::ids::{BranchId, SessionId, StepId};
use crate::oracle::Signature;

/// Why a trace could not be cut out of a spine.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// The failure is not in the part of the spine that could be read.
    #[error("the log, as far as it can be read, has no failure `{0}`")]
    Unknown(Signature),
    /// Events between the start and the failure are lost.
    #[error("the way to `{signature}` is not whole: {issue}")]
    Gap {
        /// The failure.
        signature: Signature,
        /// What was lost.
        issue: LogIssue,
    },
    /// The session of the failure was never put to a start.
    #[error("the way to `{0}` has no start: the log begins in the middle")]
    NoStart(Signature),
    /// The spine could not be read at all.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Trace {
    /// Cuts the way to the first occurrence of a failure out of a spine: everything its session did since it was last
    /// put back to a clean start, with the warm restarts in between as events. Where the log has no clean start, the trace
    /// starts with the first warm one and says so.
    pub fn from_spine(
        events: impl IntoIterator<Item = Result<RunEvent, LogIssue>>,
        info: &RunInfo,
        signature: &Signature,
    ) -> Result<Self, CutError> {
        let mut ways = Ways::new(signature);
        for event in events {
            if let Some(session) = ways.add(event) {
                return ways.take(session).map(|way| way.into_trace(info, signature));
            }
        }
        Err(CutError::Unknown(signature.clone()))
    }
}

/// What one session did since its last clean start.
#[derive(Debug)]
pub(crate) struct Way {
    /// Absent when the log has no start of it.
    start: Option<(Reset, Screen)>,
    events: Vec<TraceEvent>,
    /// The step of each event; a restart has the one before it.
    steps: Vec<StepId>,
    /// How many of the events the failure needs, and the step that it interrupted.
    hit: Option<(usize, StepId)>,
    lost: Option<LogIssue>,
}

impl Way {
    /// The way to the latest occurrence of a failure in one session.
    pub(crate) fn last(
        events: impl IntoIterator<Item = Result<RunEvent, LogIssue>>,
        session: SessionId,
        signature: &Signature,
    ) -> Result<Self, CutError> {
        let mut ways = Ways::new(signature);
        for event in events {
            ways.add(event);
        }
        ways.take(session)
    }

    pub(crate) fn into_trace(self, info: &RunInfo, signature: &Signature) -> Trace {
        let (start, first) = self.start.map_or((Reset::Clean, None), |(reset, first)| (reset, Some(first)));
        let mut events = self.events;
        events.truncate(self.hit.map_or(usize::MAX, |(events, _)| events));
        Trace {
            format: Trace::FORMAT,
            package: info.app.clone(),
            app_hash: info.app_hash.clone(),
            target: info.target.clone(),
            device: info.device.clone(),
            start,
            first,
            failure: Some(signature.clone()),
            events,
        }
    }

    fn new(start: Option<(Reset, Screen)>) -> Self {
        Self { start, events: Vec::new(), steps: Vec::new(), hit: None, lost: None }
    }

    fn screen(&self) -> Option<&Screen> {
        let seen = self.events.last().and_then(|event| event.after.as_ref());
        seen.or(self.start.as_ref().map(|(_, first)| first))
    }

    fn push(&mut self, step: StepId, event: TraceEvent) {
        self.events.push(event);
        self.steps.push(step);
    }

    /// A warm restart within the way.
    fn restart(&mut self, screen: Screen, rules: Option<Vec<BranchId>>) {
        let step = self.steps.last().copied().unwrap_or_default();
        let before = self.screen().cloned();
        let event = TraceEvent {
            input: Input::Restart,
            wait: Wait::Settle,
            target: None,
            before,
            after: Some(screen),
            rules,
        };
        self.push(step, event);
    }

    /// A failure interrupted a step. Seen twice it is one; it may be seen late, after other steps.
    fn hit(&mut self, step: StepId) -> bool {
        if self.hit.is_some_and(|(_, known)| known >= step) {
            return false;
        }
        self.hit = Some((self.steps.partition_point(|&known| known <= step), step));
        true
    }
}

/// What every session did since its last clean start, while a spine is read.
struct Ways<'a> {
    signature: &'a Signature,
    ways: BTreeMap<SessionId, Way>,
}

impl<'a> Ways<'a> {
    fn new(signature: &'a Signature) -> Self {
        Self { signature, ways: BTreeMap::new() }
    }

    /// Follows one event and tells in which session the failure has just been seen, if it has.
    fn add(&mut self, event: Result<RunEvent, LogIssue>) -> Option<SessionId> {
        match event {
            Ok(RunEvent::Reset { session, to, screen, rules, .. }) => {
                self.reset(session, to, screen, rules);
                None
            }
            Ok(RunEvent::Step(step)) => self.step(*step),
            Ok(RunEvent::Failure { session, step, signature, .. }) if signature == *self.signature => {
                self.way(session).hit(step).then_some(session)
            }
            Ok(_) => None,
            Err(issue) => {
                for way in self.ways.values_mut() {
                    way.lost.get_or_insert_with(|| issue.clone());
                }
                None
            }
        }
    }

    fn way(&mut self, session: SessionId) -> &mut Way {
        self.ways.entry(session).or_insert_with(|| Way::new(None))
    }

    fn reset(&mut self, session: SessionId, to: Reset, screen: Screen, rules: Option<Vec<BranchId>>) {
        match self.ways.get_mut(&session) {
            Some(way) if to == Reset::Warm && way.lost.is_none() && way.start.is_some() => {
                way.restart(screen, rules);
            }
            _ => {
                self.ways.insert(session, Way::new(Some((to, screen))));
            }
        }
    }

    fn step(&mut self, step: StepRecord) -> Option<SessionId> {
        let fails = step.failures.contains(self.signature);
        let way = self.way(step.session);
        let target = match step.touched {
            Some(Touched::Widget(selector)) => Some(selector),
            _ => None,
        };
        let event = TraceEvent {
            input: step.input,
            wait: step.wait,
            target,
            before: Some(step.before),
            after: Some(step.after),
            rules: step.rules,
        };
        way.push(step.step, event);
        (fails && way.hit(step.step)).then_some(step.session)
    }

    fn take(mut self, session: SessionId) -> Result<Way, CutError> {
        let unknown = || CutError::Unknown(self.signature.clone());
        let way = self.ways.remove(&session).filter(|way| way.hit.is_some()).ok_or_else(unknown)?;
        if let Some(issue) = way.lost {
            return Err(CutError::Gap { signature: self.signature.clone(), issue });
        }
        if way.start.is_none() {
            return Err(CutError::NoStart(self.signature.clone()));
        }
        Ok(way)
    }
}

#[cfg(test)]
mod tests;
