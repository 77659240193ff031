//! The spine on disk: one [`RunEvent`] a line, in independent zstd frames of at most 1,000 steps, flushed every step.
//!
//! `log/line.rs` has the format, [`framed`](super::framed) what a killed process or a flipped byte costs. What a step saw
//! before is not written where it is what its session saw last; the reader restores it. Each frame opens with all that its
//! lines need of earlier ones, so that it can be read when they cannot.
//!
//! The spine holds no wall-clock time: equal seeds give equal bytes.

mod convert;
mod decision;
mod decode;
mod line;
mod reader;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::path::Path;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;

use super::framed::{FULL_FRAME_BYTES, FrameKind, FramedWriter};
use super::{RunEvent, Screen, StepRecord, StoreError, Touched};
use crate::action::Wait;
use crate::device::Asked;
use crate::ids::SessionId;
use convert::{numbers, word};
use line::{
    AskedLine, EndLine, FailureLine, FrameLine, Line, Ref, ResetLine, ScreenLine, StepLine, TouchedLine,
    WarningLine,
};

pub use reader::SpineReader;

/// A frame has at most this many steps, so that a flipped byte costs no more.
pub const MAX_FRAME_STEPS: NonZeroU32 = NonZeroU32::new(1_000).unwrap();

/// Writes the spine of a run.
#[derive(Debug)]
pub struct SpineWriter {
    file: FramedWriter,
    frame_steps: NonZeroU32,
    /// The last step written.
    step: u64,
    sessions: BTreeMap<u32, Seen>,
    written: Written,
    buffer: Vec<u8>,
}

/// What a session saw last, and when.
#[derive(Clone, Debug)]
struct Seen {
    screen: Screen,
    time_ms: u64,
}

/// A place in the spine from which it can be read: the start of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpinePlace {
    pub(super) frame: u32,
    pub(super) offset: u64,
}

impl SpineWriter {
    /// Creates the spine of a new run folder.
    pub fn create(folder: &Path) -> Result<Self, StoreError> {
        Self::create_with_frames_of(folder, MAX_FRAME_STEPS)
    }

    /// Creates it with smaller frames: less is lost with one, and more bytes are needed.
    pub fn create_with_frames_of(folder: &Path, steps: NonZeroU32) -> Result<Self, StoreError> {
        Ok(Self {
            file: FramedWriter::create(folder, FrameKind::Events)?,
            frame_steps: steps.min(MAX_FRAME_STEPS),
            step: 0,
            sessions: BTreeMap::new(),
            written: Written::default(),
            buffer: Vec::new(),
        })
    }

    /// Writes one event; it is in the file when this returns. After an error the writer must not be used again, except
    /// after [`StoreError::TooLarge`], which leaves out the one event.
    pub fn write(&mut self, event: &RunEvent) -> Result<(), StoreError> {
        self.buffer.clear();
        if self.file.is_at_frame_start() {
            self.written = Written::default();
            let sessions = self
                .sessions
                .iter()
                .map(|(&session, seen)| (session, seen.time_ms, self.written.screen(&seen.screen)))
                .collect();
            self.push(&Line::Frame(FrameLine { step: self.step, sessions }))?;
        }
        let line = self.line(event);
        self.push(&line)?;
        let steps = u32::from(matches!(event, RunEvent::Step(_)));
        let appended = self.file.append(&self.buffer, steps);
        if matches!(appended, Err(StoreError::TooLarge { .. })) {
            // Later lines would refer to what the lost one introduced.
            self.file.close_frame()?;
            self.forget(event);
        }
        appended?;
        if self.file.count() >= self.frame_steps.get() || self.file.raw_bytes() >= FULL_FRAME_BYTES {
            self.file.close_frame()?;
        }
        Ok(())
    }

    /// The start of the frame under way: everything written from now on is behind it.
    pub fn place(&self) -> SpinePlace {
        SpinePlace { frame: self.file.frame(), offset: self.file.frame_offset() }
    }

    /// Closes the last frame.
    pub fn finish(self) -> Result<(), StoreError> {
        self.file.finish()
    }

    /// Lets the next line meet a full disk.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn fill_disk(&mut self) {
        self.file.fill_disk();
    }

    fn push(&mut self, line: &Line) -> Result<(), StoreError> {
        serde_json::to_writer(&mut self.buffer, line)
            .map_err(|error| StoreError::writing(Path::new(FrameKind::Events.file()), error.into()))?;
        self.buffer.push(b'\n');
        Ok(())
    }

    fn line(&mut self, event: &RunEvent) -> Line {
        match event {
            RunEvent::Reset { session, to, reason, screen, rules, new_branches, time_ms } => {
                Line::Reset(ResetLine {
                    session: session.0,
                    to: (*to).into(),
                    reason: self.written.word(reason),
                    screen: self.written.screen(screen),
                    rules: rules.as_deref().map(numbers),
                    new_branches: numbers(new_branches),
                    elapsed: self.see(*session, screen, *time_ms),
                })
            }
            RunEvent::Step(step) => Line::Step(self.step_line(step)),
            RunEvent::Failure { session, step, signature, failure } => Line::Failure(FailureLine {
                session: session.0,
                step: step.0,
                signature: self.written.signature(&signature.0),
                failure: failure.clone(),
            }),
            RunEvent::Asked { session, step, asked } => {
                let Asked { action, data, component, answer } = asked.clone();
                Line::Asked(AskedLine { session: session.0, step: step.0, action, data, component, answer })
            }
            RunEvent::Decision { session, decision } => {
                Line::Decision(session.0, Box::new((&**decision).into()))
            }
            RunEvent::Warning { session, text } => {
                Line::Warning(WarningLine { session: session.map(|session| session.0), text: text.clone() })
            }
            RunEvent::End { reason, steps } => Line::End(EndLine { reason: reason.clone(), steps: *steps }),
        }
    }

    fn step_line(&mut self, step: &StepRecord) -> StepLine {
        let follows = step.step.0 == self.step.wrapping_add(1);
        self.step = step.step.0;
        let written = &mut self.written;
        let seen = self.sessions.get(&step.session.0);
        let before_is_seen = seen.is_some_and(|seen| seen.screen == step.before);
        StepLine {
            step: (!follows).then_some(step.step.0),
            session: step.session.0,
            input: (&step.input).into(),
            wait: match step.wait {
                Wait::Settle => None,
                Wait::Millis(millis) => Some(millis),
            },
            reason: written.word(&step.reason),
            pause: step.pause_ms,
            touched: step.touched.as_ref().map(|touched| written.touched(touched)),
            before: (!before_is_seen).then(|| written.screen(&step.before)),
            after: (step.after != step.before).then(|| written.screen(&step.after)),
            rules: step.rules.as_deref().map(numbers),
            new_branches: numbers(&step.new_branches),
            failures: step.failures.iter().map(|signature| written.signature(&signature.0)).collect(),
            elapsed: self.see(step.session, &step.after, step.time_ms),
        }
    }

    /// Remembers what a session sees and tells how much device time has passed.
    fn see(&mut self, session: SessionId, screen: &Screen, time_ms: u64) -> i64 {
        let Some(seen) = self.sessions.get_mut(&session.0) else {
            self.sessions.insert(session.0, Seen { screen: screen.clone(), time_ms });
            return time_ms as i64;
        };
        let elapsed = time_ms.wrapping_sub(seen.time_ms) as i64;
        seen.time_ms = time_ms;
        if seen.screen != *screen {
            seen.screen = screen.clone();
        }
        elapsed
    }

    /// The session of a lost event has seen nothing.
    fn forget(&mut self, event: &RunEvent) {
        let session = match event {
            RunEvent::Reset { session, .. } => Some(session.0),
            RunEvent::Step(step) => Some(step.session.0),
            _ => None,
        };
        if let Some(session) = session {
            self.sessions.remove(&session);
        }
    }
}

/// What the frame under way has written out, in order.
#[derive(Debug, Default)]
struct Written {
    screens: IndexSet<Screen, FxBuildHasher>,
    touched: IndexSet<Touched, FxBuildHasher>,
    words: IndexSet<SmolStr, FxBuildHasher>,
    signatures: IndexSet<String, FxBuildHasher>,
}

impl Written {
    fn screen(&mut self, screen: &Screen) -> Ref<ScreenLine> {
        refer(&mut self.screens, screen, |screen| screen.into())
    }

    fn touched(&mut self, touched: &Touched) -> Ref<TouchedLine> {
        refer(&mut self.touched, touched, |touched| touched.into())
    }

    fn word(&mut self, reason: &SmolStr) -> Ref<SmolStr> {
        refer(&mut self.words, reason, word)
    }

    fn signature(&mut self, signature: &String) -> Ref<SmolStr> {
        refer(&mut self.signatures, signature, |signature| signature.into())
    }
}

fn refer<T: Clone + Eq + Hash, L>(
    written: &mut IndexSet<T, FxBuildHasher>,
    value: &T,
    to_line: impl FnOnce(&T) -> L,
) -> Ref<L> {
    if let Some(number) = written.get_index_of(value) {
        return Ref::Known(number as u32);
    }
    written.insert(value.clone());
    Ref::New(to_line(value))
}
