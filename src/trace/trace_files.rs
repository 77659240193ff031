//! Traces of siamang that somebody has put into a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::suite_folder::SuiteFolder;
use super::{RunFolder, StoreError, Trace};

/// Folders are looked into so deep.
const MAX_DEPTH: usize = 6;
/// What is called so is a trace, also if it cannot be read.
const SURE: &str = ".trace.json";

/// The trace files below a folder, in the order in which people count: all that are called `*.trace.json`, and those of the
/// other `*.json` that are traces. Runs and suites have traces of their own and are not looked into.
pub fn find(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        if RunFolder::open(&folder).is_ok() || SuiteFolder::open(&folder).is_some() {
            continue;
        }
        let unreadable = |error| StoreError::reading(&folder, error);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Links are not followed: they may lead in circles.
            let kind = entry.file_type().map_err(unreadable)?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if kind.is_dir() && depth < MAX_DEPTH {
                waiting.push((path, depth + 1));
            } else if kind.is_file() && name.ends_with(SURE) {
                found.push(path);
            } else if kind.is_file() && name.ends_with(".json") {
                match Trace::read(&path) {
                    Ok(_) => found.push(path),
                    Err(error) => left_out.push(error),
                }
            }
        }
    }
    if !found.is_empty() {
        for error in left_out {
            tracing::warn!("{error}; it is left out");
        }
    }
    found.sort_by_cached_key(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let number = name.split('.').next().and_then(|stem| stem.parse::<u64>().ok());
        (path.parent().map(Path::to_owned), number.unwrap_or(u64::MAX), name)
    });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str =
        r#"{"format":1,"package":"a.b","app_hash":"","device":"virtual","start":"clean","events":[]}"#;

    #[test]
    fn traces_are_found_as_people_count_and_what_is_none_runs_and_suites_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for name in ["10.json", "9.trace.json", "deep/er/1.json", "run/crashes/x/minimal.trace.json"] {
            write(name, TRACE);
        }
        write("broken.trace.json", "{");
        write("package.json", "{\"name\": \"other\"}");
        write("notes.txt", TRACE);
        write("run/run.json", "{}");
        let found = find(dir.path()).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(dir.path()).unwrap()).collect();
        let wanted = ["9.trace.json", "10.json", "broken.trace.json", "deep/er/1.json"];
        assert_eq!(names, wanted.map(Path::new));
        assert_eq!(find(&dir.path().join("run")).unwrap(), Vec::<PathBuf>::new());
    }
}
