//! What is fetched from Maven Central, each file with its place, its hash and its size.

use std::path::{Path, PathBuf};

/// The list, one file a line.
pub const PINS: &str = include_str!("../../../agent/jvm/pins.txt");

/// One line of the list.
#[derive(Clone, Copy, Debug)]
pub struct Pin {
    /// The folder that it goes to.
    pub folder: &'static str,
    /// Its coordinates.
    pub group: &'static str,
    /// Its coordinates.
    pub artifact: &'static str,
    /// Its coordinates.
    pub version: &'static str,
    /// The hash of its bytes.
    pub sha256: &'static str,
    /// How many they are.
    pub bytes: u64,
}

impl Pin {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        PINS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let mut words = line.split(' ');
            let (folder, coordinates, sha256) = (words.next()?, words.next()?, words.next()?);
            let bytes = words.next()?.parse().ok()?;
            let mut names = coordinates.split(':');
            let (group, artifact, version) = (names.next()?, names.next()?, names.next()?);
            Some(Self { folder, group, artifact, version, sha256, bytes })
        })
    }

    /// So many bytes as people are told them: no more than so many MB.
    pub fn megabytes(bytes: u64) -> u64 {
        bytes.div_ceil(1_000_000)
    }

    /// The file, below the folder that all are in.
    pub fn file(&self, parts: &Path) -> PathBuf {
        parts.join(self.folder).join(format!("{}-{}.jar", self.artifact, self.version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pin_names_a_place_a_version_a_hash_and_a_size() {
        let pins: Vec<Pin> = Pin::all().collect();
        assert_eq!(pins.len(), PINS.lines().filter(|line| !line.starts_with('#')).count());
        for pin in &pins {
            assert!(["host", "sdk", "convert", "added", "report"].contains(&pin.folder), "{}", pin.artifact);
            assert_eq!(pin.sha256.len(), 64, "{}", pin.artifact);
            assert!(pin.bytes > 0, "{}", pin.artifact);
        }
        assert_eq!(pins.iter().filter(|pin| pin.folder == "sdk").count(), 1);
    }
}
