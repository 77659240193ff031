//! An APK, made ready for the JVM: converted once and kept by the hash of its bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smol_str::SmolStr;

use super::bounded::Bounded;
use super::fence::command;
use super::workshop::{Workshop, hash_of};
use super::yard::Yard;
use super::{SetUpError, VERSION};

/// The copy of an APK that is read inside the fence.
pub(super) const ORIGINAL: &str = "original.apk";
/// Where what is made of it is put there.
const OUT: &str = "out";

/// An app that can be run.
#[derive(Clone, Debug)]
pub struct Apk {
    /// The folder with its resources and classes.
    pub prepared: PathBuf,
    /// The start of the hash of its bytes.
    pub hash: String,
    /// Its package.
    pub package: SmolStr,
    /// The activities that it declares.
    pub activities: Vec<SmolStr>,
    /// The addresses that it is registered for.
    pub deep_links: Vec<SmolStr>,
    /// The level of Android that it was made for.
    pub target_sdk: u32,
    /// What will not work, in words.
    pub notes: Vec<String>,
}

impl Apk {
    /// Memory for the conversion.
    const HEAP: &str = "-Xmx1500m";
    /// The exit code of a refusal.
    const REFUSED: i32 = 2;
    /// The largest apps take a minute or two; a busy computer takes longer.
    const DEADLINE: Duration = Duration::from_secs(15 * 60);

    /// Prepares an APK, or finds it prepared. Foreign bytes are read inside the fence only.
    pub fn prepare(path: &Path, workshop: &Workshop, progress: &dyn Fn(&str)) -> Result<Self, SetUpError> {
        is_a_file(path)?;
        let hash = hash_of(path)?[..16].to_owned();
        let kept = workshop.apps.join(format!("{hash}-{VERSION}"));
        if !kept.join("facts.txt").is_file() {
            progress("converting the app");
            Self::convert(path, &kept, workshop)?;
        }
        let file = kept.join("facts.txt");
        let facts = fs::read_to_string(&file).map_err(|error| SetUpError::Io(file, error))?;
        Ok(Self::read(&facts, kept, hash))
    }

    fn convert(path: &Path, kept: &Path, workshop: &Workshop) -> Result<(), SetUpError> {
        let yard = Yard::new(&workshop.yards)?;
        let copy = yard.data.join(ORIGINAL);
        fs::copy(path, &copy).map_err(|error| SetUpError::Io(path.to_owned(), error))?;
        let readable = [workshop.jdk.home.as_path(), &workshop.classes, &workshop.parts];
        let words = workshop.fence.words(&yard, &readable, &workshop.jdk.tool("java"));
        let out = yard.data.join(OUT);
        fs::create_dir(&out).map_err(|error| SetUpError::Io(out.clone(), error))?;
        let mut convert = command(&words);
        convert
            .args([Self::HEAP, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"])
            .arg(&workshop.classes)
            .arg("siamang.agent.jvm.apk.Prepare")
            .args([&Yard::inside(ORIGINAL), &Yard::inside(OUT), &workshop.parts.join("convert")]);
        let refused = |why: String| SetUpError::Refused(path.display().to_string(), why);
        let ended = Bounded::run(&mut convert, Self::DEADLINE)
            .map_err(|error| refused(format!("it could not be converted: {error}")))?;
        if ended.status.code() == Some(Self::REFUSED) {
            return Err(refused(ended.stdout.trim().to_owned()));
        }
        if !ended.status.success() {
            return Err(refused(format!("the conversion died: {}", ended.last_words())));
        }
        // Copied file by file: what else a foreign APK may have put there stays behind.
        let part = kept.with_extension("part");
        let _ = fs::remove_dir_all(&part);
        fs::create_dir_all(&part).map_err(|error| SetUpError::Io(part.clone(), error))?;
        for name in ["app.apk", "app.jar", "sources.txt", "facts.txt"] {
            let from = out.join(name);
            fs::copy(&from, part.join(name)).map_err(|error| SetUpError::Io(from, error))?;
        }
        let _ = fs::remove_dir_all(kept);
        fs::rename(&part, kept).map_err(|error| SetUpError::Io(kept.to_owned(), error))
    }

    fn read(facts: &str, prepared: PathBuf, hash: String) -> Self {
        let all = |wanted: &str| {
            facts
                .lines()
                .filter_map(|line| line.split_once('\t'))
                .filter(|(key, _)| *key == wanted)
                .map(|(_, value)| value)
                .map(SmolStr::new)
                .collect::<Vec<_>>()
        };
        Self {
            prepared,
            hash,
            package: all("package").into_iter().next().unwrap_or_default(),
            activities: all("activity"),
            deep_links: all("deep_link"),
            target_sdk: all("target_sdk").first().and_then(|level| level.parse().ok()).unwrap_or(0),
            notes: all("note").iter().map(ToString::to_string).collect(),
        }
    }
}

/// A folder by the name of an APK is a slip that deserves more than what the system says of it.
pub(super) fn is_a_file(path: &Path) -> Result<(), SetUpError> {
    if path.is_dir() {
        let why = "it is a folder; name the APK in it".to_owned();
        return Err(SetUpError::Refused(path.display().to_string(), why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_by_their_keys() {
        let facts = "package\ta.b\nlauncher\ta.b.Main\ntarget_sdk\t19\nactivity\ta.b.Main\nactivity\ta.b.Two\nnote\tnative code\nodd line\n";
        let apk = Apk::read(facts, PathBuf::from("/p"), "0123".into());
        assert_eq!((apk.package.as_str(), apk.target_sdk, apk.activities.len()), ("a.b", 19, 2));
        assert_eq!(apk.notes, ["native code"]);
    }
}
