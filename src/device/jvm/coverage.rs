//! What a run has covered, written as JaCoCo's tools know it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::SetUpError;
use super::apk::Apk;
use super::bounded::Bounded;
use super::fence::command;
use super::workshop::{Workshop, make, write};
use super::yard::Yard;
use crate::ids::BranchId;

/// The branches that were covered, for the program that makes the report.
const LIST: &str = "branches.txt";
/// Where it puts what it makes.
const MADE: &str = "out";

/// How much of the app was covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// What is counted, how many of them were covered, and how many there are.
    pub counters: Vec<(String, u64, u64)>,
}

impl Covered {
    /// Pages for ten thousand classes take a minute or two; a busy computer takes longer.
    const DEADLINE: Duration = Duration::from_secs(15 * 60);

    /// Writes `jacoco.exec`, the `classes` that it belongs to, `jacoco.xml` and pages in `html` into a folder. The app's
    /// code is read inside the fence only.
    pub fn write(
        workshop: &Workshop,
        apk: &Apk,
        branches: &BTreeSet<BranchId>,
        out: &Path,
        sources: Option<&Path>,
    ) -> Result<Self, SetUpError> {
        let yard = Yard::new(&workshop.yards)?;
        let (list, made) = (yard.data.join(LIST), yard.data.join(MADE));
        let text = branches.iter().fold(String::new(), |mut text, branch| {
            let _ = writeln!(text, "{}", branch.0);
            text
        });
        write(&list, text.as_bytes())?;
        make(&made)?;
        let sources = match sources {
            Some(folder) => {
                Some(folder.canonicalize().map_err(|error| SetUpError::Io(folder.to_owned(), error))?)
            }
            None => None,
        };
        let mut readable = vec![
            workshop.jdk.home.as_path(),
            workshop.classes.as_path(),
            workshop.parts.as_path(),
            apk.prepared.as_path(),
        ];
        readable.extend(sources.as_deref());
        let words = workshop.fence.words(&yard, &readable, &workshop.jdk.tool("java"));
        let path = format!(
            "{}:{}/*:{}/*",
            workshop.classes.display(),
            workshop.parts.join("host").display(),
            workshop.parts.join("report").display()
        );
        let mut report = command(&words);
        report
            .args(["-Xmx1500m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true"])
            .args(["-cp", &path, "siamang.agent.jvm.robo.CoverageReport"])
            .args([&apk.prepared, &workshop.sdk()?, &Yard::inside(LIST)])
            .arg(apk.package.as_str())
            .arg(Yard::inside(MADE))
            .args(&sources);
        let ended = Bounded::run(&mut report, Self::DEADLINE)
            .map_err(|error| SetUpError::Coverage(error.to_string()))?;
        if !ended.status.success() {
            let why =
                ended.stderr.lines().find(|line| !line.starts_with('\t')).unwrap_or("no reason was given");
            return Err(SetUpError::Coverage(why.to_owned()));
        }
        copy(&made, out)?;
        Ok(Self::read(&ended.stdout))
    }

    fn read(text: &str) -> Self {
        let counter = |line: &str| {
            let mut cells = line.split('\t');
            let name = cells.next()?.to_owned();
            Some((name, cells.next()?.parse().ok()?, cells.next()?.parse().ok()?))
        };
        Self { counters: text.lines().filter_map(counter).collect() }
    }
}

/// Folders and plain files; whatever else may be there stays behind.
fn copy(from: &Path, to: &Path) -> Result<(), SetUpError> {
    make(to)?;
    let failed = |error| SetUpError::Io(from.to_owned(), error);
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target).map_err(|error| SetUpError::Io(target.clone(), error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_and_odd_lines_are_nothing() {
        let covered = Covered::read("branches\t12\t40\nodd\nlines\tx\t3\nclasses\t1\t2\n");
        assert_eq!(covered.counters, [("branches".to_owned(), 12, 40), ("classes".to_owned(), 1, 2)]);
    }
}
