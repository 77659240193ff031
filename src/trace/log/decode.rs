//! From the lines of one frame back to events.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::Seen;
use super::convert::branches;
use super::line::{
    AskedLine, FailureLine, FrameLine, Line, Ref, ResetLine, ScreenLine, StepLine, TouchedLine,
};
use crate::action::Wait;
use crate::device::Asked;
use crate::ids::{SessionId, StepId};
use crate::oracle::Signature;
use crate::trace::{RunEvent, Screen, StepRecord, Touched};

/// What the lines read so far have said, within one frame.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    step: u64,
    sessions: BTreeMap<u32, Seen>,
    screens: Vec<Screen>,
    touched: Vec<Touched>,
    words: Vec<SmolStr>,
    signatures: Vec<SmolStr>,
}

impl Decoder {
    /// The event of a line; the line that opens a frame has none.
    pub(super) fn decode(&mut self, line: &[u8]) -> Result<Option<RunEvent>, String> {
        let line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        Ok(Some(match line {
            Line::Frame(frame) => {
                self.open(frame)?;
                return Ok(None);
            }
            Line::Step(step) => RunEvent::Step(Box::new(self.step(step)?)),
            Line::Reset(reset) => self.reset(reset)?,
            Line::Failure(failure) => self.failure(failure)?,
            Line::Asked(AskedLine { session, step, action, data, component, answer }) => {
                let asked = Asked { action, data, component, answer };
                RunEvent::Asked { session: SessionId(session), step: StepId(step), asked }
            }
            Line::Decision(session, decision) => {
                let decision = Box::new((*decision).try_into()?);
                RunEvent::Decision { session: SessionId(session), decision }
            }
            Line::Warning(warning) => {
                RunEvent::Warning { session: warning.session.map(SessionId), text: warning.text }
            }
            Line::End(end) => RunEvent::End { reason: end.reason, steps: end.steps },
        }))
    }

    fn open(&mut self, frame: FrameLine) -> Result<(), String> {
        *self = Self { step: frame.step, ..Self::default() };
        for (session, time_ms, screen) in frame.sessions {
            let screen = self.screen(screen)?;
            self.sessions.insert(session, Seen { screen, time_ms });
        }
        Ok(())
    }

    fn step(&mut self, line: StepLine) -> Result<StepRecord, String> {
        self.step = line.step.unwrap_or(self.step.wrapping_add(1));
        let session = SessionId(line.session);
        let reason = resolve(&mut self.words, line.reason, Ok)?;
        let touched = match line.touched {
            Some(touched) => Some(self.touched(touched)?),
            None => None,
        };
        let before = match line.before {
            Some(before) => self.screen(before)?,
            None => self
                .sessions
                .get(&session.0)
                .map(|seen| seen.screen.clone())
                .ok_or_else(|| format!("a step of {session}, which has seen nothing yet"))?,
        };
        let after = match line.after {
            Some(after) => self.screen(after)?,
            None => before.clone(),
        };
        let mut failures = Vec::with_capacity(line.failures.len());
        for signature in line.failures {
            failures.push(self.signature(signature)?);
        }
        let time_ms = self.see(session, &after, line.elapsed);
        Ok(StepRecord {
            step: StepId(self.step),
            session,
            input: line.input.into(),
            wait: line.wait.map_or(Wait::Settle, Wait::Millis),
            reason,
            pause_ms: line.pause,
            touched,
            before,
            after,
            rules: line.rules.map(branches),
            new_branches: branches(line.new_branches),
            failures,
            time_ms,
        })
    }

    fn reset(&mut self, line: ResetLine) -> Result<RunEvent, String> {
        let session = SessionId(line.session);
        let reason = resolve(&mut self.words, line.reason, Ok)?;
        let screen = self.screen(line.screen)?;
        let time_ms = self.see(session, &screen, line.elapsed);
        Ok(RunEvent::Reset {
            session,
            to: line.to.into(),
            reason,
            screen,
            rules: line.rules.map(branches),
            new_branches: branches(line.new_branches),
            time_ms,
        })
    }

    fn failure(&mut self, line: FailureLine) -> Result<RunEvent, String> {
        Ok(RunEvent::Failure {
            session: SessionId(line.session),
            step: StepId(line.step),
            signature: self.signature(line.signature)?,
            failure: line.failure,
        })
    }

    /// Remembers what a session sees and tells the device time.
    fn see(&mut self, session: SessionId, screen: &Screen, elapsed: i64) -> u64 {
        let before = self.sessions.get(&session.0).map_or(0, |seen| seen.time_ms);
        let time_ms = before.wrapping_add(elapsed as u64);
        self.sessions.insert(session.0, Seen { screen: screen.clone(), time_ms });
        time_ms
    }

    fn screen(&mut self, screen: Ref<ScreenLine>) -> Result<Screen, String> {
        resolve(&mut self.screens, screen, Screen::try_from)
    }

    fn touched(&mut self, touched: Ref<TouchedLine>) -> Result<Touched, String> {
        resolve(&mut self.touched, touched, Touched::try_from)
    }

    fn signature(&mut self, signature: Ref<SmolStr>) -> Result<Signature, String> {
        resolve(&mut self.signatures, signature, Ok).map(|signature| Signature(signature.into()))
    }
}

fn resolve<T: Clone, L>(
    known: &mut Vec<T>,
    value: Ref<L>,
    from_line: impl FnOnce(L) -> Result<T, String>,
) -> Result<T, String> {
    match value {
        Ref::Known(number) => known
            .get(number as usize)
            .cloned()
            .ok_or_else(|| format!("a reference to number {number} of {}", known.len())),
        Ref::New(line) => {
            let value = from_line(line)?;
            known.push(value.clone());
            Ok(value)
        }
    }
}
