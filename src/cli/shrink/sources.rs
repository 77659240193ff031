//! The traces that people mean by a file, a run or the folder of a failure.

use std::path::{Path, PathBuf};

use crate::error::CommandError;
use crate::trace::run_folder::TraceKind;
use crate::trace::{RunFolder, Trace};

/// A trace that the user means: a file, or the folder of a failure.
pub struct Source {
    pub path: PathBuf,
    /// The folder of the failure, and the run whose failure it is.
    pub run: Option<(PathBuf, RunFolder)>,
}

impl Source {
    fn new(path: &Path) -> Self {
        let crash = if path.is_dir() { Some(path) } else { path.parent() };
        let run = crash.and_then(|crash| {
            let run = RunFolder::open(&crash.join("../..")).ok()?;
            Some((crash.to_owned(), run))
        });
        Self { path: path.to_owned(), run }
    }

    /// The trace of a file, or the recorded trace of a failure.
    pub fn trace(&self) -> anyhow::Result<Trace> {
        let Some(file) = trace_in(&self.path) else { return Ok(Trace::read(&self.path)?) };
        let known = Trace::read(&file)?;
        match (&self.run, &known.failure) {
            (Some((_, run)), Some(failure)) => Ok(run.original(failure)?),
            _ => Ok(known),
        }
    }
}

/// The trace file in the folder of a failure.
fn trace_in(folder: &Path) -> Option<PathBuf> {
    [TraceKind::Original, TraceKind::Minimal]
        .into_iter()
        .map(|kind| folder.join(kind.file()))
        .find(|file| file.is_file())
}

/// The traces that the user means: a file itself, a failure's folder, or all failures of a run.
pub fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        if !path.is_dir() || trace_in(path).is_some() {
            sources.push(Source::new(path));
            continue;
        }
        let before = sources.len();
        for place in [path.clone(), path.join("crashes")] {
            let Ok(entries) = std::fs::read_dir(&place) else { continue };
            let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            found.retain(|folder| trace_in(folder).is_some());
            found.sort();
            sources.extend(found.iter().map(|folder| Source::new(folder)));
        }
        if sources.len() == before {
            let message = format!(
                "there is no trace in `{}`; name a trace, a run or a failure's folder",
                path.display()
            );
            return Err(CommandError::usage(message).into());
        }
    }
    Ok(sources)
}

/// The trace files that the user means: for a folder the shortest of each failure.
pub fn shortest_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let kinds = [TraceKind::Minimal, TraceKind::Original];
    let of_folder =
        |folder: &Path| kinds.iter().map(|kind| folder.join(kind.file())).find(|file| file.is_file());
    let sources = sources(&[path.to_owned()])?;
    Ok(sources.into_iter().map(|source| of_folder(&source.path).unwrap_or(source.path)).collect())
}
