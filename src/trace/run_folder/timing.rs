//! Wall-clock times, beside the spine so that equal seeds give equal spines.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ids::StepId;
use crate::trace::StoreError;

/// Writes `timing.jsonl`: a line a second or every 1,000 steps, whatever comes first, so that it stays tiny.
#[derive(Debug)]
pub struct Timing {
    file: File,
    path: PathBuf,
    last: TimingLine,
}

/// How long the run had lasted when a step was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimingLine {
    /// The step.
    pub step: StepId,
    /// Milliseconds since the run started.
    pub ms: u64,
}

impl Timing {
    const EVERY_MS: u64 = 1_000;
    const EVERY_STEPS: u64 = 1_000;

    /// Creates the file of a new run folder.
    pub fn create(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("timing.jsonl");
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(|error| StoreError::writing(&path, error))?;
        Ok(Self { file, path, last: TimingLine::default() })
    }

    /// Notes that a step was made so long after the start.
    pub fn note(&mut self, step: StepId, since_start: Duration) -> Result<(), StoreError> {
        let line = TimingLine { step, ms: u64::try_from(since_start.as_millis()).unwrap_or(u64::MAX) };
        let is_due = line.ms.saturating_sub(self.last.ms) >= Self::EVERY_MS
            || step.0.saturating_sub(self.last.step.0) >= Self::EVERY_STEPS;
        if is_due { self.write(line) } else { Ok(()) }
    }

    /// Notes the last step.
    pub fn finish(mut self, step: StepId, since_start: Duration) -> Result<(), StoreError> {
        let ms = u64::try_from(since_start.as_millis()).unwrap_or(u64::MAX);
        self.write(TimingLine { step, ms })
    }

    fn write(&mut self, line: TimingLine) -> Result<(), StoreError> {
        self.last = line;
        let wrong = |error| StoreError::writing(&self.path, error);
        let mut text = serde_json::to_vec(&line).map_err(|error| wrong(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(wrong)
    }
}
