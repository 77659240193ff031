//! A Java that stops no thread: 20 and later. Where there is none beside those that are installed the tests say so and end.

use std::path::{Path, PathBuf};

use super::stage::explored_with;

/// Names the folder of such a JDK where it is none of those below.
const NAMED: &str = "SIAMANG_LATER_JDK";
/// Where systems put their JDKs.
const INSTALLED: &str = "/usr/lib/jvm";
/// The first that does not stop threads.
const FIRST: u32 = 20;

fn later_java() -> Option<PathBuf> {
    let named = std::env::var_os(NAMED).map(PathBuf::from);
    let installed = std::fs::read_dir(INSTALLED).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = installed.map(|entry| entry.path()).collect();
    found.sort();
    named.into_iter().chain(found).find(|home| home.join("bin/javac").is_file() && version(home) >= FIRST)
}

/// Of the line `JAVA_VERSION="25.0.1"`; 0 where nothing is noted.
fn version(home: &Path) -> u32 {
    let release = std::fs::read_to_string(home.join("release")).unwrap_or_default();
    let noted = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
    let digits = noted.and_then(|version| version.split(|digit: char| !digit.is_ascii_digit()).next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn a_failure_is_found_shrunk_and_replayed_where_no_thread_can_be_stopped() {
    let Some(java) = later_java() else {
        eprintln!("skipped: no JDK {FIRST} or later");
        return;
    };
    let Some(told) = explored_with(&java, "planted", 20) else { return };
    let (code, explored) = &told[0];
    assert_eq!(*code, Some(1), "{explored}");
    // Not the one of a life that sees a life before, and no event but the two that it takes.
    assert!(explored.contains("1 failure\n"), "{explored}");
    let failure = explored.lines().find(|line| line.contains("IllegalArgumentException: planted")).unwrap();
    assert_eq!(failure.split_whitespace().nth(4), Some("2"), "{explored}");
    let (code, replayed) = &told[1];
    assert_eq!(*code, Some(1), "{replayed}");
    // And it has met the thread that could not be stopped.
    assert!(explored.contains("a thread of the app goes on"), "{explored}");
}
