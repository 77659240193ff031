//! Records a run into its folder. Trouble with the disk never ends the run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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

/// Writes spine, pack and times of a run. When one of them cannot be written, that one stops, the run goes on, and
/// [`Recorder::trouble`] tells: once as a warning, and in the end through the exit code. Failures keep their traces: what is
/// not in the spine stays in memory, and a reserve on the disk is given free for them.
#[derive(Debug)]
pub struct Recorder {
    folder: RunFolder,
    info: RunInfo,
    /// Absent when it has stopped, as each of the three.
    spine: Option<SpineWriter>,
    pack: Option<PackWriter>,
    timing: Option<Timing>,
    reserve: Reserve,
    trouble: Option<StoreError>,
    started: Instant,
    last_step: StepId,
    /// Where in the spine each session's last clean start is; none if the spine has stopped before it.
    clean_starts: BTreeMap<SessionId, Option<SpinePlace>>,
    /// What happened since the spine stopped, each session's since its last clean start.
    unwritten: Vec<RunEvent>,
}

impl Recorder {
    /// Starts recording into a new folder.
    pub fn start(folder: RunFolder, info: RunInfo) -> Result<Self, StoreError> {
        folder.write_info(&info)?;
        Ok(Self {
            spine: Some(SpineWriter::create(folder.path())?),
            pack: Some(PackWriter::create(folder.path())?),
            timing: Some(Timing::create(folder.path())?),
            reserve: Reserve::create(folder.path()),
            folder,
            info,
            trouble: None,
            started: Instant::now(),
            last_step: StepId(0),
            clean_starts: BTreeMap::new(),
            unwritten: Vec::new(),
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
        let written = self.pack.as_mut().map_or(Ok(()), |pack| pack.write(tree));
        if self.check(written) {
            self.pack = None;
        }
    }

    /// Records one event. It is in the file when this returns.
    pub fn record(&mut self, event: &RunEvent) {
        let is_clean = matches!(event, RunEvent::Reset { to: Reset::Clean, .. });
        if let (Some(session), true) = (event.session(), is_clean) {
            self.clean_starts.insert(session, self.spine.as_ref().map(SpineWriter::place));
            self.unwritten.retain(|old| old.session() != Some(session));
        }
        match &mut self.spine {
            Some(spine) => {
                let written = spine.write(event);
                if self.check(written) {
                    self.spine = None;
                    self.unwritten.push(event.clone());
                }
            }
            None => self.unwritten.push(event.clone()),
        }
        if let RunEvent::Step(step) = event {
            self.last_step = step.step;
            let elapsed = self.started.elapsed();
            let written = self.timing.as_mut().map_or(Ok(()), |timing| timing.note(step.step, elapsed));
            if self.check(written) {
                self.timing = None;
            }
        }
    }

    /// The trace that leads to the latest occurrence of a failure in a session, read back from the spine and, where that has
    /// stopped, from memory.
    pub fn trace_of(&self, session: SessionId, signature: &Signature) -> Result<Trace, CutError> {
        let place = self.clean_starts.get(&session).copied().unwrap_or(Some(SpinePlace::default()));
        let written = place.map(|place| SpineReader::open_at(self.folder.path(), place)).transpose()?;
        // A spine that has stopped ends in the middle of what is the first event in memory.
        let stopped = self.spine.is_none();
        let written = written.into_iter().flatten().filter(|event| !stopped || event.is_ok());
        let events = written.chain(self.unwritten.iter().cloned().map(Ok));
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
        self.reserve.free();
        let elapsed = self.started.elapsed();
        let packed = self.pack.take().map_or(Ok(()), PackWriter::finish);
        self.check(packed);
        let spun = self.spine.take().map_or(Ok(()), SpineWriter::finish);
        self.check(spun);
        let timed = self.timing.take().map_or(Ok(()), |timing| timing.finish(self.last_step, elapsed));
        self.check(timed);
        self.trouble.map_or(Ok(()), Err)
    }

    /// Lets the spine meet a full disk with its next line.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn fail_from_now_on(&mut self) {
        if let Some(spine) = &mut self.spine {
            spine.fill_disk();
        }
    }

    /// Remembers what went wrong. True if nothing more can be written to the file.
    fn check(&mut self, written: Result<(), StoreError>) -> bool {
        let Err(error) = written else { return false };
        let is_over = !matches!(error, StoreError::TooLarge { .. });
        if matches!(error, StoreError::DiskFull { .. }) {
            // What is left of the disk is for the failures.
            (self.spine, self.pack, self.timing) = (None, None, None);
            self.reserve.free();
        }
        if self.trouble.is_none() {
            tracing::warn!("{error}; the run goes on, this part of it is not recorded");
            self.trouble = Some(error);
        }
        is_over
    }
}

/// Some space on the disk that is given free when it is full: what is found then can still be written down.
#[derive(Debug)]
struct Reserve(Option<PathBuf>);

impl Reserve {
    const FILE: &'static str = "reserve";
    const BYTES: usize = 256 * 1024;

    fn create(folder: &Path) -> Self {
        let path = folder.join(Self::FILE);
        // Where even this finds no room, the run says so with its first line.
        let written = std::fs::write(&path, vec![b'-'; Self::BYTES]);
        let mut reserve = Self(Some(path));
        if written.is_err() {
            reserve.free();
        }
        reserve
    }

    fn free(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = std::fs::remove_file(path);
        }
    }
}
