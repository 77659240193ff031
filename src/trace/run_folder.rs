//! The folder of a run: what is in it, how it is made, and how its files are written so that none is ever half there.
//!
//! ```text
//! runs/<app>-<seed>-<n>/      runs/latest points to the newest
//!     run.json                what was run
//!     events.jsonl.zst        the spine, with events.tail beside it while the run lasts
//!     trees.pack              GUI trees, with trees.tail beside it while the run lasts
//!     timing.jsonl            wall-clock times
//!     summary.json            derived
//!     crashes/<signature>/    failure.json  original.trace.json  minimal.trace.json
//! ```

mod info;
mod json;
mod recorder;
mod timing;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{StoreError, Summary, Trace, folder_name};
use crate::oracle::{Failure, Signature};

pub use info::RunInfo;
pub use recorder::Recorder;
pub use timing::{Timing, TimingLine};

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

/// Which trace of a failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// As it was recorded.
    Original,
    /// As short as a shrinker could make it.
    Minimal,
}

impl RunFolder {
    /// The link to the newest run.
    pub const LATEST: &'static str = "latest";
    const INFO: &'static str = "run.json";
    const SUMMARY: &'static str = "summary.json";
    const CRASHES: &'static str = "crashes";
    const FAILURE: &'static str = "failure.json";

    /// Makes a new folder for a run of an app below `runs`, which is made too if it is not there, and lets `latest` point
    /// to it. The name counts up from 1 until it is free.
    pub fn create(runs: &Path, app: &str, seed: u64) -> Result<Self, StoreError> {
        fs::create_dir_all(runs).map_err(|error| StoreError::writing(runs, error))?;
        let stem = format!("{}-{seed}-", folder_name(app));
        let taken = fs::read_dir(runs)
            .map_err(|error| StoreError::reading(runs, error))?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_prefix(&stem)?.parse::<u64>().ok())
            .max();
        let mut number = taken.unwrap_or(0) + 1;
        loop {
            let name = format!("{stem}{number}");
            let path = runs.join(&name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    point_latest(runs, &name);
                    return Ok(Self { path });
                }
                // Another run was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(StoreError::writing(&path, error)),
            }
        }
    }

    /// Makes a new folder at a place that the user names. An empty folder may be there already, nothing else.
    pub fn create_at(path: &Path) -> Result<Self, StoreError> {
        let exists = || StoreError::Exists { path: path.to_owned() };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .map_err(|source| StoreError::Unwritable { path: parent.to_owned(), source })?;
        }
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut entries = fs::read_dir(path).map_err(|_| exists())?;
                if entries.next().is_some() {
                    return Err(exists());
                }
            }
            Err(error) => return Err(StoreError::writing(path, error)),
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Opens the folder of a run, finished or cut off.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let metadata = fs::metadata(path).map_err(|error| StoreError::reading(path, error))?;
        let folder = Self { path: path.to_owned() };
        let found = if !metadata.is_dir() {
            "it is a file; name the folder that it is in"
        } else if !folder.path.join(Self::INFO).exists() {
            "it has no run.json; name a folder below `runs`, such as runs/latest"
        } else {
            return Ok(folder);
        };
        let expected = "the folder of a run";
        Err(StoreError::Malformed { path: path.to_owned(), expected, found: found.into() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what was run.
    pub fn write_info(&self, info: &RunInfo) -> Result<(), StoreError> {
        json::write(&self.path.join(Self::INFO), info)
    }

    /// Reads what was run.
    pub fn info(&self) -> Result<RunInfo, StoreError> {
        json::read(&self.path.join(Self::INFO), "what siamang writes about a run", "format", RunInfo::FORMAT)
    }

    /// Writes the summary, which can be rebuilt from the spine at any time.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), StoreError> {
        json::write(&self.path.join(Self::SUMMARY), summary)
    }

    /// The folder with everything about one failure. Its name is made from the signature and cannot lead elsewhere.
    pub fn crash(&self, signature: &Signature) -> PathBuf {
        self.path.join(Self::CRASHES).join(signature.folder())
    }

    /// Writes a failure; its true signature is inside the file.
    pub fn write_failure(&self, signature: &Signature, failure: &Failure) -> Result<(), StoreError> {
        let folder = self.make_crash(signature)?;
        let file = info::FailureFile { signature: signature.clone(), failure: failure.clone() };
        json::write(&folder.join(Self::FAILURE), &file)
    }

    /// Reads a failure.
    pub fn failure(&self, signature: &Signature) -> Result<Failure, StoreError> {
        let path = self.crash(signature).join(Self::FAILURE);
        let file: info::FailureFile = json::read_any(&path, "a failure")?;
        Ok(file.failure)
    }

    /// Writes a trace that leads to a failure.
    pub fn write_trace(
        &self,
        signature: &Signature,
        kind: TraceKind,
        trace: &Trace,
    ) -> Result<PathBuf, StoreError> {
        let path = self.make_crash(signature)?.join(kind.file());
        trace.write(&path)?;
        Ok(path)
    }

    /// Reads a trace that leads to a failure; `None` if there is none yet.
    pub fn trace(&self, signature: &Signature, kind: TraceKind) -> Result<Option<Trace>, StoreError> {
        match Trace::read(&self.crash(signature).join(kind.file())) {
            Ok(trace) => Ok(Some(trace)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes any file of the folder, such as a report: it is there as a whole or not at all.
    pub fn write_file(&self, name: &str, content: &[u8]) -> Result<PathBuf, StoreError> {
        let path = self.path.join(name);
        write_atomically(&path, content)?;
        Ok(path)
    }

    /// Writes another file about a failure as JSON.
    pub fn write_crash_json(
        &self,
        signature: &Signature,
        name: &str,
        content: &impl serde::Serialize,
    ) -> Result<(), StoreError> {
        json::write(&self.make_crash(signature)?.join(name), content)
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

impl TraceKind {
    /// The name of the file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Original => "original.trace.json",
            Self::Minimal => "minimal.trace.json",
        }
    }
}

impl Trace {
    /// Writes it to a file, as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        json::write(path, self)
    }

    /// Reads it from a file.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        json::read(path, "a trace of siamang", "format", Self::FORMAT)
    }
}

/// Writes a file beside its place and moves it there, so that a reader sees the old one or the new one.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(content))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // What is left of the attempt may be impossible to remove; the error that counts is the first.
        let _ = fs::remove_file(&temporary);
        StoreError::writing(path, error)
    })
}

/// Lets `latest` point to a run. It is a convenience: where there are no links, there is none.
fn point_latest(runs: &Path, name: &str) {
    #[cfg(unix)]
    {
        let temporary = runs.join(format!(".{}-{name}", RunFolder::LATEST));
        let _ = fs::remove_file(&temporary);
        let pointed = std::os::unix::fs::symlink(name, &temporary)
            .and_then(|()| fs::rename(&temporary, runs.join(RunFolder::LATEST)));
        if let Err(error) = pointed {
            let _ = fs::remove_file(&temporary);
            tracing::debug!(%error, "`latest` does not point to the new run");
        }
    }
    #[cfg(not(unix))]
    let _ = (runs, name);
}

#[cfg(test)]
mod tests;
