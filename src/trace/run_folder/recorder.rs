//! Records a run into its folder. Trouble with the disk never ends the run.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{RunFolder, RunInfo, Timing};
use crate::device::Reset;
use crate::gui::GuiTree;
use crate::ids::{SessionId, StepId};
use crate::oracle::Signature;
use crate::trace::cut::{CutError, Way};
use crate::trace::log::SpinePlace;
use crate::trace::pack::PackWriter;
use crate::trace::{RunEvent, SpineReader, SpineWriter, StoreError, Trace};

/// Writes spine, pack and times of a run. When something cannot be written, the recording stops, the run goes on, and
/// [`Recorder::trouble`] tells: once as a warning, and in the end through the exit code.
#[derive(Debug)]
pub struct Recorder {
    folder: RunFolder,
    info: RunInfo,
    /// Absent when recording has stopped.
    files: Option<Files>,
    trouble: Option<StoreError>,
    started: Instant,
    last_step: StepId,
    /// Where each session's last clean start is.
    clean_starts: BTreeMap<SessionId, SpinePlace>,
}

#[derive(Debug)]
struct Files {
    spine: SpineWriter,
    pack: PackWriter,
    timing: Timing,
}

impl Recorder {
    /// Starts recording into a new folder.
    pub fn start(folder: RunFolder, info: RunInfo) -> Result<Self, StoreError> {
        folder.write_info(&info)?;
        let files = Files {
            spine: SpineWriter::create(folder.path())?,
            pack: PackWriter::create(folder.path())?,
            timing: Timing::create(folder.path())?,
        };
        Ok(Self {
            folder,
            info,
            files: Some(files),
            trouble: None,
            started: Instant::now(),
            last_step: StepId(0),
            clean_starts: BTreeMap::new(),
        })
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// What was said about the run.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Keeps a tree. It must be kept before the event that names it is recorded.
    pub fn tree(&mut self, tree: &GuiTree) {
        if let Some(files) = &mut self.files {
            let written = files.pack.write(tree);
            self.check(written);
        }
    }

    /// Records one event. It is in the file when this returns.
    pub fn record(&mut self, event: &RunEvent) {
        let Some(files) = &mut self.files else { return };
        if let RunEvent::Reset { session, to: Reset::Clean, .. } = event {
            self.clean_starts.insert(*session, files.spine.place());
        }
        let mut written = files.spine.write(event);
        if let RunEvent::Step(step) = event {
            self.last_step = step.step;
            written = written.and_then(|()| files.timing.note(step.step, self.started.elapsed()));
        }
        self.check(written);
    }

    /// The trace that leads to the latest occurrence of a failure in a session, read back from the spine.
    pub fn trace_of(&self, session: SessionId, signature: &Signature) -> Result<Trace, CutError> {
        let place = self.clean_starts.get(&session).copied().unwrap_or_default();
        let events = SpineReader::open_at(self.folder.path(), place)?;
        Way::last(events, session, signature).map(|way| way.into_trace(&self.info, signature))
    }

    /// Why recording stopped, or what had to be left out.
    pub fn trouble(&self) -> Option<&StoreError> {
        self.trouble.as_ref()
    }

    /// Something that belongs into the folder could not be written by another hand: it is remembered as well.
    pub fn note_trouble(&mut self, error: StoreError) {
        self.trouble.get_or_insert(error);
    }

    /// Closes all files; the tails vanish. What went wrong, here or earlier, is given back.
    pub fn finish(mut self) -> Result<(), StoreError> {
        if let Some(files) = self.files.take() {
            let timed = files.timing.finish(self.last_step, self.started.elapsed());
            let closed = files.pack.finish().and(files.spine.finish()).and(timed);
            self.check(closed);
        }
        self.trouble.map_or(Ok(()), Err)
    }

    /// Lets the spine meet a full disk with its next line.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn fail_from_now_on(&mut self) {
        if let Some(files) = &mut self.files {
            files.spine.fill_disk();
        }
    }

    fn check(&mut self, written: Result<(), StoreError>) {
        let Err(error) = written else { return };
        if !matches!(error, StoreError::TooLarge { .. }) {
            self.files = None;
        }
        if self.trouble.is_none() {
            tracing::warn!("{error}; the run goes on, this part of it is not recorded");
            self.trouble = Some(error);
        }
    }
}
