//! The traces that people mean by a file, a run or the folder of a failure.

use std::path::{Path, PathBuf};

use crate::cli::chard::{Loaded, foreign_traces, is_json, no_trace};
use crate::device::Reset;
use crate::trace::foreign;
use crate::trace::run_folder::TraceKind;
use crate::trace::{RunFolder, Trace, trace_files};

/// A trace that the user means: a file, the folder of a failure, or part of another tool's log.
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// What another tool recorded.
    foreign: Option<Trace>,
    /// The folder of the failure, and the run whose failure it is.
    pub run: Option<(PathBuf, RunFolder)>,
}

impl Source {
    fn new(path: &Path) -> Self {
        let crash = if path.is_dir() { Some(path) } else { path.parent() };
        let run = crash.and_then(|crash| {
            let run = RunFolder::of_crash(crash)?;
            Some((crash.to_owned(), run))
        });
        Self { path: path.to_owned(), foreign: None, run }
    }

    /// The traces of another tool's log. What the app's data was then is not told: they begin with none.
    fn foreign(path: &Path, sources: &mut Vec<Self>) -> anyhow::Result<()> {
        let mut found = Vec::new();
        foreign_traces(path, &mut found)?;
        sources.extend(found.into_iter().map(|Loaded { trace, .. }| Self {
            path: path.to_owned(),
            foreign: Some(Trace { start: Reset::Clean, ..trace }),
            run: None,
        }));
        Ok(())
    }

    /// The trace of a file, or the recorded trace of a failure.
    pub fn trace(&self) -> anyhow::Result<Trace> {
        if let Some(trace) = &self.foreign {
            return Ok(trace.clone());
        }
        let Some(file) = trace_in(&self.path) else { return Ok(Trace::read(&self.path)?) };
        let known = Trace::read(&file)?;
        match (&self.run, &known.failure) {
            (Some((_, run)), Some(failure)) => Ok(run.original(failure).unwrap_or_else(|error| {
                tracing::warn!("{error}; it is shrunk from {} on", file.display());
                known
            })),
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

/// The traces that the user means: a file itself, a failure's folder, all failures of a run, or a folder of traces and of other
/// tools' logs.
pub fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        if trace_in(path).is_some() || !path.is_dir() && is_json(path)? {
            sources.push(Source::new(path));
            continue;
        }
        if !path.is_dir() {
            Source::foreign(path, &mut sources)?;
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
        // A run has the traces of its failures, and nothing beside them is meant.
        if RunFolder::open(path).is_err() {
            let known: Vec<PathBuf> = sources[before..].iter().map(|source| source.path.clone()).collect();
            for file in trace_files::find(path)? {
                if !known.iter().any(|folder| file.starts_with(folder)) {
                    sources.push(Source::new(&file));
                }
            }
            for log in foreign::find(path)? {
                Source::foreign(&log, &mut sources)?;
            }
        }
        if sources.len() == before {
            let error = no_trace(path).into();
            if paths.len() == 1 || !crate::cli::is_nothing_to_do(&error) {
                return Err(error);
            }
            tracing::warn!("{error}");
        }
    }
    Ok(sources)
}

/// The shortest trace in the folder of a failure.
pub fn shortest_in(folder: &Path) -> Option<PathBuf> {
    let kinds = [TraceKind::Minimal, TraceKind::Original];
    kinds.iter().map(|kind| folder.join(kind.file())).find(|file| file.is_file())
}

/// The traces that the user means, and where they are: for a folder the shortest of each failure.
pub fn shortest(path: &Path) -> anyhow::Result<Vec<(PathBuf, Trace)>> {
    let mut found = Vec::new();
    for Source { path, foreign, .. } in sources(&[path.to_owned()])? {
        let file = shortest_in(&path).unwrap_or(path);
        let trace = match foreign {
            Some(trace) => trace,
            None => Trace::read(&file)?,
        };
        found.push((file, trace));
    }
    Ok(found)
}
