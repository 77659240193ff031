//! The Java that is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::SetUpError;

/// A Java development kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, with every link followed.
    pub home: PathBuf,
    /// Its major version.
    pub version: u32,
}

impl Jdk {
    /// The first version that Android 14 runs on.
    const FIRST: u32 = 17;
    /// The last one that can stop a thread that does not want to end. With a later one a restart of an app that leaves
    /// such threads behind takes a new JVM.
    pub const LAST_STOPPING: u32 = 19;

    /// Oracle's own builds take ciphers only from jars that are signed; no other does.
    pub fn wants_signatures(&self) -> bool {
        let notes = std::fs::read_to_string(self.home.join("release")).unwrap_or_default();
        notes.lines().any(|line| line == "IMPLEMENTOR=\"Oracle Corporation\"")
    }

    /// The one that the user named with `JAVA_HOME`, or the one whose `javac` is on the path.
    pub fn find() -> Result<Self, SetUpError> {
        let named =
            std::env::var_os("JAVA_HOME").map(PathBuf::from).filter(|home| !home.as_os_str().is_empty());
        let home = match named {
            Some(home) => home,
            None => on_path("javac")
                .and_then(|javac| javac.canonicalize().ok())
                .and_then(|javac| Some(javac.parent()?.parent()?.to_owned()))
                .ok_or_else(|| SetUpError::NoJdk("there is no `javac` on the path".into()))?,
        };
        let home = home
            .canonicalize()
            .map_err(|error| SetUpError::NoJdk(format!("`{}`: {error}", home.display())))?;
        if !home.join("bin/javac").is_file() {
            return Err(SetUpError::NoJdk(format!("`{}` has no bin/javac", home.display())));
        }
        let version = version(&home)?;
        if version < Self::FIRST {
            return Err(SetUpError::NoJdk(format!("`{}` is version {version}", home.display())));
        }
        Ok(Self { home, version })
    }

    /// An app's threads can be stopped, so that its process can end while the JVM goes on.
    pub fn stops_threads(&self) -> bool {
        self.version <= Self::LAST_STOPPING
    }

    /// One of its programs.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }
}

/// A program that is on the path.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What its own notes say; a Java without them, or with others, is asked, which takes a JVM.
fn version(home: &Path) -> Result<u32, SetUpError> {
    let noted = std::fs::read_to_string(home.join("release")).ok().and_then(|notes| noted_version(&notes));
    noted.map_or_else(|| asked_version(home), Ok)
}

/// The major version in the line `JAVA_VERSION="17.0.15"` among others.
fn noted_version(notes: &str) -> Option<u32> {
    notes.lines().find(|line| line.starts_with("JAVA_VERSION=")).and_then(parse_version)
}

fn asked_version(home: &Path) -> Result<u32, SetUpError> {
    let output = Command::new(home.join("bin/java"))
        .arg("-version")
        .output()
        .map_err(|error| SetUpError::NoJdk(format!("`{}`: {error}", home.display())))?;
    let text = String::from_utf8_lossy(&output.stderr);
    parse_version(&text)
        .ok_or_else(|| SetUpError::NoJdk(format!("`{}` does not say its version", home.display())))
}

/// The major version of `openjdk version "17.0.15" 2025-04-15`; that of `"1.8.0_392"` is 8.
fn parse_version(text: &str) -> Option<u32> {
    let quoted = text.split('"').nth(1)?;
    let mut parts = quoted.split(|character: char| !character.is_ascii_digit());
    let first: u32 = parts.next()?.parse().ok()?;
    if first == 1 { parts.next()?.parse().ok() } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_java_prints_them() {
        assert_eq!(parse_version("openjdk version \"17.0.15\" 2025-04-15\n"), Some(17));
        assert_eq!(parse_version("openjdk version \"21-ea\" 2023-09-19"), Some(21));
        assert_eq!(parse_version("java version \"1.8.0_392\""), Some(8));
        assert_eq!(parse_version("command not found"), None);
    }

    #[test]
    fn versions_are_read_as_a_jdk_notes_them() {
        let notes = "IMPLEMENTOR=\"Debian\"\nJAVA_RUNTIME_VERSION=\"17.0.15+6\"\nJAVA_VERSION=\"17.0.15\"\n";
        assert_eq!(noted_version(notes), Some(17));
        assert_eq!(noted_version("JAVA_VERSION=\"1.8.0_392\""), Some(8));
        assert_eq!(noted_version("JAVA_VERSION=\"\""), None);
        assert_eq!(noted_version("JAVA_VERSION_DATE=\"2025-04-15\""), None);
    }
}
