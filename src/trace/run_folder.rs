//! The folder of a run: what is in it, how it is made, and how its files are written so that none is ever half there.
//!
//! ```text
//! runs/<app>-<seed>-<n>/      runs/latest points to the newest
//!     run.json                what was run
//!     events.jsonl.zst        the spine, with events.tail beside it while the run lasts
//!     trees.pack              GUI trees, with trees.tail beside it while the run lasts
//!     timing.jsonl            wall-clock times
//!     crashes/<signature>/    explanation.md and minimal.trace.json, or original.trace.json until there is a shorter one
//! ```
//!
//! `run.json` says what was run and, once the run has ended, what came of it.

pub mod crash;
mod info;
pub(super) mod json;
mod recorder;
mod timing;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{StoreError, Summary, Trace, folder_name};

pub use crash::{Crash, Elsewhere, TraceKind};
pub use info::RunInfo;
pub use recorder::Recorder;
pub use timing::{Timing, TimingLine};

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The link to the newest run.
    pub const LATEST: &'static str = "latest";
    /// What was run.
    pub const INFO: &'static str = "run.json";
    const WHAT: &'static str = "what siamang writes about a run";
    /// No file of a run is deeper below its folder.
    const DEPTH: usize = 3;

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
            let holds = |above: &&Path| above.join(Self::INFO).is_file();
            match path.ancestors().skip(1).take(Self::DEPTH).find(holds) {
                Some(run) => format!("it is a file of one; name that run, {}", named(run).display()),
                None => "it is a file; name a folder below `runs`, such as runs/latest".to_owned(),
            }
        } else if !folder.path.join(Self::INFO).exists() {
            "it has no run.json; name a folder below `runs`, such as runs/latest".to_owned()
        } else {
            return Ok(folder);
        };
        let expected = "the folder of a run";
        Err(StoreError::Malformed { path: path.to_owned(), expected, found })
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
        json::read(&self.path.join(Self::INFO), Self::WHAT, "format", RunInfo::FORMAT)
    }

    /// How many steps the run had made when it ended, as `run.json` has it; a run that was killed has said nothing.
    pub fn recorded_steps(&self) -> Option<u64> {
        let ended: serde_json::Value =
            serde_json::from_slice(&fs::read(self.path.join(Self::INFO)).ok()?).ok()?;
        ended.get("summary")?.get("steps")?.as_u64()
    }

    /// Writes beside it what came of the run, which can be rebuilt from the spine at any time.
    pub fn write_summary(&self, info: &RunInfo, summary: &Summary) -> Result<(), StoreError> {
        json::write(&self.path.join(Self::INFO), &info::Ended { info, summary })
    }
}

impl Trace {
    const WHAT: &'static str = "a trace of siamang";

    /// Writes it to a file, as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        json::write(path, self)
    }

    /// Reads it from a file.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        json::read(path, Self::WHAT, "format", Self::FORMAT)
    }
}

/// Writes a file beside its place and moves it there, so that a reader sees the old one or the new one. A link stays one: what
/// it points to is replaced. A pipe or a device is written to as it is.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let place = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            let written =
                fs::OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(content));
            return written.map_err(|error| StoreError::writing(path, error));
        }
        Ok(_) => fs::canonicalize(path).map_err(|error| StoreError::writing(path, error))?,
        Err(_) => path.to_owned(),
    };
    let path = place.as_path();
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

/// The folder of a file that is named without one is here.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
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
