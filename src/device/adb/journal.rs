//! What this program has put on a device and not yet taken away, on the host's disk: written before the device is
//! touched, gone after a clean end, worked off by a later start after a `kill -9`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::names::{Package, RemotePath, Serial};

/// The variable that names the folder of the journals.
pub const VARIABLE: &str = "SIAMANG_STATE";

/// How the file of an entry ends that could not be read when its device was taken.
const UNREADABLE: &str = "unreadable";

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
    /// Apps that were installed by this program and were not there before.
    pub installed: Vec<String>,
    /// An agent was started and has not said yet that everything is as it was.
    pub agent: bool,
    /// The process that wrote this.
    pub pid: u32,
    /// When that process began, in ticks of the system's clock: numbers of processes are used again.
    pub began: Option<u64>,
}

impl Entry {
    const FORMAT: u32 = 2;

    /// Nothing yet.
    pub fn new(server: &str, serial: &Serial) -> Self {
        let pid = std::process::id();
        Self {
            format: Self::FORMAT,
            server: server.to_owned(),
            serial: serial.to_string(),
            files: Vec::new(),
            installed: Vec::new(),
            agent: false,
            pid,
            began: began(pid),
        }
    }

    /// The files, as far as their names are ours.
    pub fn paths(&self) -> Vec<RemotePath> {
        self.files.iter().filter_map(|name| RemotePath::new(name).ok()).collect()
    }

    /// The apps that were installed, as far as their names are names.
    pub fn packages(&self) -> Vec<Package> {
        self.installed.iter().filter_map(|name| Package::new(name).ok()).collect()
    }

    /// An app was being sent or installed; whether it is there now, and by which name, is not known.
    pub fn was_installing(&self) -> bool {
        self.files.iter().any(|name| is_app(name))
    }

    /// The files of agents are gone. An app whose installation broke off may still be there: that stays written down.
    pub fn forget_agents(&mut self) {
        self.files.retain(|name| is_app(name));
    }

    /// Who is at work, in words.
    pub fn at_work(&self) -> String {
        format!("siamang is at work on {} (process {})", self.serial, self.pid)
    }

    /// This process wrote it.
    pub fn is_ours(&self) -> bool {
        self.pid == std::process::id()
    }

    /// The process that wrote it is still at work: not this one, and alive.
    pub fn is_busy(&self) -> bool {
        let same = |now| self.began.is_none_or(|then| then == now);
        !self.is_ours() && began(self.pid).is_some_and(same)
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.installed.is_empty() && !self.agent
    }
}

fn is_app(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|kind| kind == "apk")
}

/// When a process began, in ticks since the system did; `None` if there is none of this number.
fn began(pid: u32) -> Option<u64> {
    /// Behind the name of the program, which may hold anything.
    const START: usize = 19;
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(START)?.parse().ok()
}

/// What is put on phones cannot be written down.
#[derive(Debug, thiserror::Error)]
#[error("cannot write down what is put on phones, in {}: {source}", folder.display())]
pub struct Unwritable {
    folder: PathBuf,
    source: std::io::Error,
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
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        Self::at(named.map_or_else(usual, PathBuf::from))
    }

    /// Whether anything can be written down here, before a phone is touched.
    pub fn check(&self) -> Result<(), Unwritable> {
        let probe = self.folder.join(format!("{}.probe", std::process::id()));
        let tried = std::fs::create_dir_all(&self.folder).and_then(|()| std::fs::write(&probe, b""));
        let _ = std::fs::remove_file(&probe);
        tried.map_err(|source| Unwritable { folder: self.folder.clone(), source })
    }

    /// In this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into().join("devices") }
    }

    fn file(&self, server: &str, serial: &str) -> PathBuf {
        let key = xxh3_64(format!("{server} {serial}").as_bytes());
        self.folder.join(format!("{key:016x}.json"))
    }

    /// Takes a device for this process: an entry of its own, with what an earlier process has left there. Where another
    /// one is at work, its entry is the error.
    pub fn claim(&self, server: &str, serial: &Serial) -> std::io::Result<Result<Entry, Box<Entry>>> {
        let mine = Entry::new(server, serial);
        let new = self.draft(&mine)?;
        // Of several that come at the same moment one makes the file.
        let made = std::fs::hard_link(&new, self.file(server, serial.as_str()));
        let _ = std::fs::remove_file(new);
        if made.is_ok() {
            return Ok(Ok(mine));
        }
        let entry = match self.read(server, serial) {
            Some(busy) if busy.is_busy() => return Ok(Err(Box::new(busy))),
            Some(old) => Entry { pid: mine.pid, began: mine.began, ..old },
            None => {
                // Nobody knows what it says, so that nobody may write over it.
                let file = self.file(server, serial.as_str());
                if file.exists() {
                    std::fs::rename(&file, file.with_extension(format!("{}.{UNREADABLE}", mine.pid)))?;
                }
                mine
            }
        };
        self.write(&entry)?;
        Ok(Ok(entry))
    }

    /// Writes an entry, whole or not at all.
    pub fn write(&self, entry: &Entry) -> std::io::Result<()> {
        std::fs::rename(self.draft(entry)?, self.file(&entry.server, &entry.serial))
    }

    /// Writes what is still to be undone, or that nothing is.
    pub fn keep(&self, entry: &Entry) -> std::io::Result<()> {
        if entry.is_empty() {
            self.remove(entry);
            return Ok(());
        }
        self.write(entry)
    }

    /// The entry in a file of this process.
    fn draft(&self, entry: &Entry) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&self.folder)?;
        let file =
            self.file(&entry.server, &entry.serial).with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&file, serde_json::to_vec_pretty(entry)?)?;
        Ok(file)
    }

    /// The entry of a device, if there is a readable one.
    pub fn read(&self, server: &str, serial: &Serial) -> Option<Entry> {
        Self::entry(&self.file(server, serial.as_str()))
    }

    /// All entries.
    pub fn all(&self) -> Vec<Entry> {
        self.files("json").iter().filter_map(|path| Self::entry(path)).collect()
    }

    /// The files of entries that cannot be read: damaged ones, and those of another version of this program.
    pub fn unreadable(&self) -> Vec<PathBuf> {
        let damaged = self.files("json").into_iter().filter(|path| Self::entry(path).is_none());
        damaged.chain(self.files(UNREADABLE)).collect()
    }

    fn entry(path: &Path) -> Option<Entry> {
        let entry: Entry = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        (entry.format == Entry::FORMAT).then_some(entry)
    }

    fn files(&self, kind: &str) -> Vec<PathBuf> {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == kind));
        paths.sort();
        paths
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
        entry.installed = vec!["a.b; reboot".into(), "a.b".into()];
        journals.write(&entry).unwrap();
        assert_eq!(journals.read("127.0.0.1:5037", &serial), Some(entry.clone()));
        assert_eq!(journals.read("127.0.0.1:5038", &serial), None);
        assert_eq!(journals.all(), [entry.clone()]);
        // A journal that somebody has changed names nothing that is not ours.
        assert_eq!(entry.paths().len(), 1);
        assert_eq!(entry.packages().len(), 1);
        journals.remove(&entry);
        assert!(journals.all().is_empty());
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_told_and_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::at(folder.path());
        let serial = Serial::new("emulator-5554").unwrap();
        let mut old = Entry::new("127.0.0.1:5037", &serial);
        old.format = Entry::FORMAT - 1;
        journals.write(&old).unwrap();
        assert!(journals.all().is_empty() && journals.read("127.0.0.1:5037", &serial).is_none());
        let kept = std::fs::read(&journals.unreadable()[0]).unwrap();
        let mine = journals.claim("127.0.0.1:5037", &serial).unwrap().unwrap();
        assert_eq!(journals.all(), [mine]);
        assert_eq!(std::fs::read(&journals.unreadable()[0]).unwrap(), kept);
        assert_eq!(journals.unreadable().len(), 1);
    }

    #[test]
    fn a_device_is_taken_by_one_process_at_a_time_with_what_is_left_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::at(folder.path());
        let serial = Serial::new("emulator-5554").unwrap();
        let claim = || journals.claim("127.0.0.1:5037", &serial).unwrap();
        let mut entry = claim().unwrap();
        assert!(entry.is_ours() && !entry.is_busy());
        entry.installed = vec!["a.b".into()];
        // Of another process, which lives.
        (entry.pid, entry.began) = (1, began(1));
        journals.write(&entry).unwrap();
        assert_eq!(claim(), Err(Box::new(entry.clone())));
        // Of one that had the same number before.
        entry.began = Some(0);
        journals.write(&entry).unwrap();
        let mut taken = claim().unwrap();
        assert!(taken.is_ours() && taken.installed == ["a.b"]);
        taken.installed.clear();
        journals.keep(&taken).unwrap();
        assert_eq!(std::fs::read_dir(folder.path().join("devices")).unwrap().count(), 0);
    }
}
