//! What is kept of one failure, in a folder of its own: one file to read and one to run.
//!
//! A failure has `explanation.md` and one trace, `original.trace.json` until it is shrunk and `minimal.trace.json` from then
//! on. The trace file also holds the evidence and how it was shrunk. The original is in the spine all the time and is cut out
//! of it again when somebody wants it: a run with many failures stays a folder of a few files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{RunFolder, json, named, write_atomically};
use crate::oracle::{Failure, Signature};
use crate::trace::{CutError, ShrinkReport, SpineReader, StoreError, Trace};

/// The trace file of a failure: it reads as a [`Trace`], with more beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crash {
    /// The shortest trace that is known; the recorded one until there is a shorter.
    #[serde(flatten)]
    pub trace: Trace,
    /// The failure as the device told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Failure>,
    /// How the trace was shrunk, if it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<ShrinkReport>,
}

/// Where the recorded trace of a failure is, besides in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// In the spine, out of which it can be cut again.
    InSpine,
    /// Nowhere: the spine is damaged.
    Nowhere,
}

/// Which trace of a failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// As it was recorded.
    Original,
    /// As short as a shrinker could make it.
    Minimal,
}

impl TraceKind {
    /// The name of the file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Original => "original.trace.json",
            Self::Minimal => "minimal.trace.json",
        }
    }
}

impl Crash {
    /// A failure that nobody has tried to shrink yet.
    pub fn found(trace: Trace, evidence: Failure) -> Self {
        Self { trace, evidence: Some(evidence), shrunk: None }
    }

    /// Reads a trace file with what is beside the trace.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        json::read(path, Trace::WHAT, "format", Trace::FORMAT)
    }

    /// Writes a trace file with what is beside the trace.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        json::write(path, self)
    }

    /// Which trace it holds.
    pub fn kind(&self) -> TraceKind {
        if self.shrunk.as_ref().is_some_and(|shrunk| shrunk.reproduced) {
            TraceKind::Minimal
        } else {
            TraceKind::Original
        }
    }
}

impl RunFolder {
    const CRASHES: &'static str = "crashes";
    const EXPLANATION: &'static str = "explanation.md";

    /// The run that a failure's folder is in.
    pub fn of_crash(crash: &Path) -> Option<Self> {
        let crashes =
            crash.parent().filter(|above| above.file_name().is_some_and(|name| name == Self::CRASHES));
        let above = crashes.and_then(Path::parent).and_then(|run| Self::open(named(run)).ok());
        // It may be named from inside, or by a link.
        above.or_else(|| Self::open(fs::canonicalize(named(crash)).ok()?.parent()?.parent()?).ok())
    }

    /// The folder with everything about one failure. Its name is made from the signature and cannot lead elsewhere.
    pub fn crash(&self, signature: &Signature) -> PathBuf {
        self.path().join(Self::CRASHES).join(signature.folder())
    }

    /// Keeps the picture of the screen before an event of a failure's trace.
    pub fn keep_picture(&self, signature: &Signature, at: usize, png: &[u8]) -> Result<(), StoreError> {
        self.write_crash_file(signature, &Self::picture_file(at), png)
    }

    /// The picture of the screen before an event of a failure's trace, if one was taken.
    pub fn picture(&self, signature: &Signature, at: usize) -> Option<Vec<u8>> {
        fs::read(self.crash(signature).join(Self::picture_file(at))).ok()
    }

    /// Removes the pictures of a failure's trace. One that cannot be removed shows an older trace, and nothing else is wrong.
    pub fn forget_pictures(&self, signature: &Signature) {
        let files = fs::read_dir(self.crash(signature)).into_iter().flatten().filter_map(Result::ok);
        for file in files {
            let name = file.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("screen-")?.strip_suffix(".png"));
            if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
                let _ = fs::remove_file(file.path());
            }
        }
    }

    /// There are pictures of a failure's trace.
    pub fn has_pictures(&self, signature: &Signature) -> bool {
        let last = self.kept_crash(signature).ok().flatten().map_or(0, |crash| crash.trace.events.len());
        (0..last).rev().any(|at| self.crash(signature).join(Self::picture_file(at)).is_file())
    }

    fn picture_file(at: usize) -> String {
        format!("screen-{:03}.png", at + 1)
    }

    /// The folder of all failures.
    pub fn crashes(&self) -> PathBuf {
        self.path().join(Self::CRASHES)
    }

    /// There is something to read about a failure.
    pub fn has_explanations(&self) -> bool {
        let folders = fs::read_dir(self.crashes()).into_iter().flatten().filter_map(Result::ok);
        folders.map(|folder| folder.path().join(Self::EXPLANATION)).any(|file| file.is_file())
    }

    /// All failures whose traces are kept, by the name of their folder.
    pub fn kept_crashes(&self) -> Vec<Crash> {
        let folders = fs::read_dir(self.crashes()).into_iter().flatten().filter_map(Result::ok);
        let mut folders: Vec<PathBuf> = folders.map(|folder| folder.path()).collect();
        folders.sort();
        let kinds = [TraceKind::Minimal, TraceKind::Original];
        let crash =
            |folder: &PathBuf| kinds.iter().find_map(|kind| Crash::read(&folder.join(kind.file())).ok());
        folders.iter().filter_map(crash).collect()
    }

    /// Keeps the trace of a failure. A short one takes the place of the recorded one if that is in the spine.
    pub fn keep_crash(
        &self,
        signature: &Signature,
        crash: &Crash,
        recorded: Elsewhere,
    ) -> Result<PathBuf, StoreError> {
        let folder = self.make_crash(signature)?;
        let path = folder.join(crash.kind().file());
        json::write(&path, crash)?;
        if crash.kind() == TraceKind::Minimal && recorded == Elsewhere::InSpine {
            // It is there twice at the worst.
            let _ = fs::remove_file(folder.join(TraceKind::Original.file()));
        }
        Ok(path)
    }

    /// What is kept of a failure; `None` if there is nothing.
    pub fn kept_crash(&self, signature: &Signature) -> Result<Option<Crash>, StoreError> {
        for kind in [TraceKind::Minimal, TraceKind::Original] {
            let path = self.crash(signature).join(kind.file());
            match Crash::read(&path) {
                Ok(crash) => return Ok(Some(crash)),
                Err(StoreError::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The trace of a failure as it was recorded: from its file, or cut out of the spine.
    pub fn original(&self, signature: &Signature) -> Result<Trace, CutError> {
        match Trace::read(&self.crash(signature).join(TraceKind::Original.file())) {
            Err(StoreError::Missing { .. }) => self.cut_out(signature),
            read => Ok(read?),
        }
    }

    /// Where the recorded trace of a failure is, if its file goes.
    pub fn elsewhere(&self, signature: &Signature) -> Elsewhere {
        if self.cut_out(signature).is_ok() { Elsewhere::InSpine } else { Elsewhere::Nowhere }
    }

    fn cut_out(&self, signature: &Signature) -> Result<Trace, CutError> {
        Trace::from_spine(SpineReader::open(self.path())?, &self.info()?, signature)
    }

    /// Writes what a person reads about a failure.
    pub fn write_explanation(&self, signature: &Signature, text: &str) -> Result<(), StoreError> {
        self.write_crash_file(signature, Self::EXPLANATION, text.as_bytes())
    }

    /// Writes another file about a failure.
    pub fn write_crash_file(
        &self,
        signature: &Signature,
        name: &str,
        content: &[u8],
    ) -> Result<(), StoreError> {
        write_atomically(&self.make_crash(signature)?.join(name), content)
    }

    fn make_crash(&self, signature: &Signature) -> Result<PathBuf, StoreError> {
        let folder = self.crash(signature);
        fs::create_dir_all(&folder).map_err(|error| StoreError::writing(&folder, error))?;
        Ok(folder)
    }
}
