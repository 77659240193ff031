//! Traces of siamang that somebody has put into a folder.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::suite_folder::SuiteFolder;
use super::{RunFolder, StoreError, Trace};

/// Folders are looked into so deep.
const MAX_DEPTH: usize = 6;
/// What is called so is a trace, also if it cannot be read.
const SURE: &str = ".trace.json";
/// A trace says so in its first so many bytes.
const LOOKED_AT: u64 = 1024;

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
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            // Links to folders are not followed: they may lead in circles.
            let kind = entry.file_type().map_err(unreadable)?;
            let is_file = kind.is_file() || kind.is_symlink() && path.is_file();
            if kind.is_dir() && depth < MAX_DEPTH {
                waiting.push((path, depth + 1));
            } else if is_file && name.ends_with(SURE) {
                found.push(path);
            } else if is_file && name.ends_with(".json") && looks_like_a_trace(&path) {
                match Trace::read(&path) {
                    Ok(_) => found.push(path),
                    Err(error) => left_out.push(error),
                }
            }
        }
    }
    if let (Some(first), false) = (left_out.first(), found.is_empty()) {
        let more = left_out.len() - 1;
        let others = if more == 0 { String::new() } else { format!(", and {more} more") };
        tracing::warn!("{first}; it is left out{others}");
    }
    found.sort_by_cached_key(|path| as_people_count(path));
    Ok(found)
}

/// It begins as siamang writes traces: other JSON, of any size, is not read to its end.
fn looks_like_a_trace(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    read.is_ok() && head.contains("\"format\"") && head.contains("\"package\"")
}

/// Orders paths as people do: 9 before 10, in names of folders and of files.
pub(super) fn as_people_count(path: &Path) -> Vec<(u64, String)> {
    let counted = |part: std::path::Component<'_>| {
        let name = part.as_os_str().to_string_lossy().into_owned();
        let number = name.split('.').next().and_then(|stem| stem.parse::<u64>().ok());
        (number.unwrap_or(u64::MAX), name)
    };
    path.components().map(counted).collect()
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
        for name in
            ["10.json", "9.trace.json", "deep/10/1.json", "deep/9/1.json", "run/crashes/x/minimal.trace.json"]
        {
            write(name, TRACE);
        }
        write("broken.trace.json", "{");
        write("package.json", "{\"name\": \"other\"}");
        write("notes.txt", TRACE);
        write("run/run.json", "{}");
        let found = find(dir.path()).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(dir.path()).unwrap()).collect();
        let wanted = ["9.trace.json", "10.json", "broken.trace.json", "deep/9/1.json", "deep/10/1.json"];
        assert_eq!(names, wanted.map(Path::new));
        assert_eq!(find(&dir.path().join("run")).unwrap(), Vec::<PathBuf>::new());
    }
}
