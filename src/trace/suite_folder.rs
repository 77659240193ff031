//! A suite on disk: a folder of traces and `suite.json`, which says what each must lead to.
//!
//! ```text
//! suite/
//!     suite.json              the app, the abstraction, the states that each trace visits, what those screens show
//!     001.trace.json …        the traces, each of which can also be run alone
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::run_folder::json;
use super::{RunFolder, StoreError, Trace};
use crate::abstraction::StateKey;
use crate::oracle::Signature;

/// `suite.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteManifest {
    /// The version of this format.
    pub format: u32,
    /// The app's package.
    pub app: String,
    /// The hash of the app: another one means another version.
    pub app_hash: String,
    /// The target as the user named it.
    pub target: String,
    /// The sort of device it was made on.
    pub device: String,
    /// The abstraction that names the states.
    pub abstraction: String,
    /// What was kept: `branches`, or `states and actions` where the device tells no branches.
    pub coverage: String,
    /// So many executions of each trace went the same way.
    pub repeats: u32,
    /// It came to its end; what ended early is larger than it need be.
    #[serde(default = "complete")]
    pub complete: bool,
    /// Phases, in the order in which they were gone through.
    pub phases: Vec<SuitePhase>,
    /// The traces.
    pub traces: Vec<SuiteTrace>,
    /// What the screens of each state show.
    pub screens: BTreeMap<SmolStr, SuiteScreen>,
}

/// Suites of before it was said had mostly come to their end.
fn complete() -> bool {
    true
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuitePhase {
    /// What was done.
    pub phase: String,
    /// Branches covered.
    pub branches: usize,
    /// Abstract states reached.
    pub screens: usize,
    /// Failures shown.
    pub failures: usize,
    /// Transitions.
    pub actions: usize,
    /// Traces.
    pub traces: usize,
    /// Executions up to here.
    pub executions: u64,
}

/// One trace of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteTrace {
    /// Its file in the folder.
    pub file: String,
    /// The state after the launch, then after each event.
    pub states: Vec<StateKey>,
    /// The failures that it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Signature>,
}

/// What a screen shows, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteScreen {
    /// The activity.
    pub activity: SmolStr,
    /// Texts of the widgets that can be acted on, or their ids.
    pub shows: Vec<String>,
}

/// The folder of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFolder {
    path: PathBuf,
}

impl SuiteManifest {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;
}

impl SuiteFolder {
    /// The file that says what is in the folder.
    pub const MANIFEST: &'static str = "suite.json";

    /// Makes a new folder. An empty one may be there already, nothing else.
    pub fn create_at(path: &Path) -> Result<Self, StoreError> {
        RunFolder::create_at(path).map(|folder| Self { path: folder.path().to_owned() })
    }

    /// Takes a folder away again in which nothing was written.
    pub fn discard(self) {
        // One that is not empty, or that somebody else has removed, is not ours to care about.
        let _ = std::fs::remove_dir(&self.path);
    }

    /// The folder, if it is one of a suite.
    pub fn open(path: &Path) -> Option<Self> {
        path.join(Self::MANIFEST).is_file().then(|| Self { path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the n-th trace, counted from 1.
    pub fn file(number: usize) -> String {
        format!("{number:03}.trace.json")
    }

    /// Writes a trace.
    pub fn write_trace(&self, file: &str, trace: &Trace) -> Result<(), StoreError> {
        trace.write(&self.path.join(file))
    }

    /// Writes the manifest; a suite without it is none, so that it comes last.
    pub fn write_manifest(&self, manifest: &SuiteManifest) -> Result<(), StoreError> {
        json::write(&self.path.join(Self::MANIFEST), manifest)
    }

    /// Reads the manifest.
    pub fn manifest(&self) -> Result<SuiteManifest, StoreError> {
        let path = self.path.join(Self::MANIFEST);
        let manifest: SuiteManifest =
            json::read(&path, "the manifest of a suite", "format", SuiteManifest::FORMAT)?;
        let malformed = |found| StoreError::Malformed { path, expected: "the manifest of a suite", found };
        if manifest.traces.is_empty() {
            return Err(malformed("it names no traces".into()));
        }
        for (ix, trace) in manifest.traces.iter().enumerate() {
            // What a file says is never a path.
            if trace.file != Self::file(ix + 1) {
                return Err(malformed(format!("`{}` is no trace of a suite", trace.file)));
            }
            if trace.states.is_empty() {
                return Err(malformed(format!("it has no states for {}", trace.file)));
            }
        }
        Ok(manifest)
    }

    /// Reads a trace that the manifest names.
    pub fn trace(&self, of: &SuiteTrace) -> Result<Trace, StoreError> {
        let path = self.path.join(&of.file);
        let trace = Trace::read(&path)?;
        if trace.events.len() + 1 != of.states.len() {
            let found = format!(
                "it has {} events, but suite.json has states for {}",
                trace.events.len(),
                of.states.len().saturating_sub(1)
            );
            return Err(StoreError::Malformed { path, expected: "a trace of the suite", found });
        }
        Ok(trace)
    }
}
