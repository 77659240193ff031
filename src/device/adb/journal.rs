//! What this program has put on a device and not yet taken away, on the host's disk: written before the device is
//! touched, gone after a clean end, worked off by a later start after a `kill -9`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::names::{Package, RemotePath, Serial};

/// The variable that names the folder of the journals.
pub const VARIABLE: &str = "SIAMANG_STATE";

/// What is on one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The version of this format.
    pub format: u32,
    /// The adb server.
    pub server: String,
    /// The device.
    pub serial: String,
    /// Names of files of ours in `/data/local/tmp`.
    pub files: Vec<String>,
    /// An app that was installed by this program and was not there before.
    pub installed: Option<String>,
    /// The process that wrote this.
    pub pid: u32,
}

impl Entry {
    const FORMAT: u32 = 1;

    /// Nothing yet.
    pub fn new(server: &str, serial: &Serial) -> Self {
        Self {
            format: Self::FORMAT,
            server: server.to_owned(),
            serial: serial.to_string(),
            files: Vec::new(),
            installed: None,
            pid: std::process::id(),
        }
    }

    /// The files, as far as their names are ours.
    pub fn paths(&self) -> Vec<RemotePath> {
        self.files.iter().filter_map(|name| RemotePath::new(name).ok()).collect()
    }

    /// The app that was installed, if its name is one.
    pub fn package(&self) -> Option<Package> {
        self.installed.as_deref().and_then(|name| Package::new(name).ok())
    }

    /// Who is at work, in words.
    pub fn at_work(&self) -> String {
        format!("siamang is at work on {} (process {})", self.serial, self.pid)
    }

    /// The process that wrote it is still at work: not this one, and alive.
    pub fn is_busy(&self) -> bool {
        self.pid != std::process::id() && Path::new("/proc").join(self.pid.to_string()).exists()
    }
}

/// The folder of the journals.
#[derive(Clone, Debug)]
pub struct Journals {
    folder: PathBuf,
}

impl Journals {
    /// Where the user's programs keep their state.
    pub fn usual() -> Self {
        let below_home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).or_else(below_home);
        let state = state.or_else(|| std::env::var_os("LOCALAPPDATA").map(PathBuf::from));
        let usual = || state.unwrap_or_else(std::env::temp_dir).join("siamang");
        Self::at(std::env::var_os(VARIABLE).map_or_else(usual, PathBuf::from))
    }

    /// In this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into().join("devices") }
    }

    fn file(&self, server: &str, serial: &str) -> PathBuf {
        let key = xxh3_64(format!("{server} {serial}").as_bytes());
        self.folder.join(format!("{key:016x}.json"))
    }

    /// Writes an entry, whole or not at all.
    pub fn write(&self, entry: &Entry) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let file = self.file(&entry.server, &entry.serial);
        let new = file.with_extension("new");
        std::fs::write(&new, serde_json::to_vec_pretty(entry)?)?;
        std::fs::rename(new, file)
    }

    /// The entry of a device, if there is a readable one.
    pub fn read(&self, server: &str, serial: &Serial) -> Option<Entry> {
        let bytes = std::fs::read(self.file(server, serial.as_str())).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// All entries.
    pub fn all(&self) -> Vec<Entry> {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let read = |path: &PathBuf| serde_json::from_slice(&std::fs::read(path).ok()?).ok();
        paths.iter().filter_map(read).collect()
    }

    /// Everything is undone.
    pub fn remove(&self, entry: &Entry) {
        let _ = std::fs::remove_file(self.file(&entry.server, &entry.serial));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_again_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::at(folder.path());
        let serial = Serial::new("emulator-5554").unwrap();
        let mut entry = Entry::new("127.0.0.1:5037", &serial);
        entry.files = vec!["siamang-1.jar".into(), "../../etc/passwd".into()];
        entry.installed = Some("a.b; reboot".into());
        journals.write(&entry).unwrap();
        assert_eq!(journals.read("127.0.0.1:5037", &serial), Some(entry.clone()));
        assert_eq!(journals.read("127.0.0.1:5038", &serial), None);
        assert_eq!(journals.all(), [entry.clone()]);
        // A journal that somebody has changed names nothing that is not ours.
        assert_eq!(entry.paths().len(), 1);
        assert_eq!(entry.package(), None);
        journals.remove(&entry);
        assert!(journals.all().is_empty());
    }
}
