//! What an APK is, said before anything is fetched or converted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use smol_str::SmolStr;

use super::SetUpError;
use super::apk::{ORIGINAL, is_a_file};
use super::bounded::Bounded;
use super::fence::{Fence, command};
use super::jdk::Jdk;
use super::workshop::{make, short_hash, sources, write};
use super::yard::Yard;

/// What an APK says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its package; empty if it is no APK.
    pub package: SmolStr,
    /// Its version, as people and as stores count it.
    pub version: SmolStr,
    /// The first level of Android that it runs on.
    pub min_sdk: u32,
    /// The level of Android that it was made for.
    pub target_sdk: u32,
    /// The activity that is started.
    pub launcher: Option<SmolStr>,
    /// The activities that it declares.
    pub activities: Vec<SmolStr>,
    /// Its native libraries.
    pub native: Vec<SmolStr>,
    /// How many files its code is in.
    pub dex_files: usize,
    /// What its code leans on.
    pub traits: Vec<SmolStr>,
    /// Why it cannot run on a JVM, if it cannot.
    pub refused: Option<String>,
    /// What is refused here would run on a phone.
    pub needs_phone: bool,
}

impl Facts {
    /// Nothing is converted: only names are looked for.
    const DEADLINE: Duration = Duration::from_secs(3 * 60);

    /// Reads an APK. Foreign bytes are read inside the fence only; the reader is compiled once and needs nothing but Java.
    pub fn of(path: &Path, jdk: &Jdk, fence: &Fence, cache: &Path, yards: &Path) -> Result<Self, SetUpError> {
        is_a_file(path)?;
        let classes = reader(jdk, cache)?;
        let yard = Yard::new(yards)?;
        let copy = yard.data.join(ORIGINAL);
        fs::copy(path, &copy).map_err(|error| SetUpError::Io(path.to_owned(), error))?;
        let words = fence.words(&yard, &[jdk.home.as_path(), &classes], &jdk.tool("java"));
        let mut examine = command(&words);
        examine
            .args(["-Xmx1500m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"])
            .arg(&classes)
            .arg("siamang.agent.jvm.apk.Examine")
            .arg(Yard::inside(ORIGINAL));
        let refused = |why: String| SetUpError::Refused(path.display().to_string(), why);
        let ended = Bounded::run(&mut examine, Self::DEADLINE)
            .map_err(|error| refused(format!("it could not be read: {error}")))?;
        if ended.status.success() {
            return Ok(Self::read(&ended.stdout));
        }
        Err(refused(format!("reading it died: {}", ended.last_words())))
    }

    fn read(text: &str) -> Self {
        let mut facts = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            match key {
                "package" => facts.package = value.into(),
                "version" => facts.version = value.into(),
                "min_sdk" => facts.min_sdk = value.parse().unwrap_or(0),
                "target_sdk" => facts.target_sdk = value.parse().unwrap_or(0),
                "launcher" => facts.launcher = Some(value.into()),
                "activity" => facts.activities.push(value.into()),
                "native" => facts.native.push(value.into()),
                "dex" => facts.dex_files += 1,
                "trait" => facts.traits.push(value.into()),
                "refused" => facts.refused = Some(value.to_owned()),
                "needs_phone" => facts.needs_phone = true,
                _ => {}
            }
        }
        facts
    }
}

/// The classes that read APKs: those of one package, without anything that would have to be fetched.
fn reader(jdk: &Jdk, cache: &Path) -> Result<PathBuf, SetUpError> {
    const PACKAGE: &str = "siamang/agent/jvm/apk/";
    let files: Vec<_> = sources().into_iter().filter(|(path, _)| path.starts_with(PACKAGE)).collect();
    let hash =
        short_hash(&files.iter().flat_map(|(path, bytes)| [path.as_bytes(), bytes]).collect::<Vec<_>>());
    let folder = cache.join(format!("reader-{hash}-java{}", jdk.version));
    let (source, classes) = (folder.join("source"), folder.join("classes"));
    if folder.join("ready").is_file() {
        return Ok(classes);
    }
    make(&source.join(PACKAGE))?;
    let mut javac = Command::new(jdk.tool("javac"));
    javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "--release", "17", "-Xlint:-options", "-d"]);
    javac.arg(&classes);
    for (path, bytes) in &files {
        let file = source.join(path);
        write(&file, bytes)?;
        javac.arg(file);
    }
    let output = javac.output().map_err(|error| SetUpError::Compile(error.to_string()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(SetUpError::Compile(text.lines().take(10).collect::<Vec<_>>().join("\n")));
    }
    write(&folder.join("ready"), b"")?;
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_by_their_keys_and_odd_lines_are_nothing() {
        let text = "package\ta.b\nversion\t1.0 (3)\ntarget_sdk\t19\nactivity\ta.b.Main\nactivity\ta.b.Two\n\
                    native\tliba.so\ndex\tclasses.dex\ndex\tclasses2.dex\ntrait\twebview\nodd line\nnew\tthing\n";
        let facts = Facts::read(text);
        assert_eq!(
            (facts.package.as_str(), facts.version.as_str(), facts.target_sdk),
            ("a.b", "1.0 (3)", 19)
        );
        assert_eq!((facts.activities.len(), facts.dex_files), (2, 2));
        assert_eq!((facts.launcher, facts.refused), (None, None));
    }
}
