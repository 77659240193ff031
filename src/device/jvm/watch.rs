//! What no limit of the system holds: how much memory all of a fenced program takes, and how much it writes in all.
//!
//! A JVM reserves far more addresses than it uses, so that a limit on these says little of its memory; a limit on a file says
//! nothing of a thousand files. So somebody looks at both now and then, also while the app is busy, and ends what is beyond.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::bounded::end;
use crate::numbers::thousands;

/// How much an app may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of all its processes, the JVM's own included.
    pub memory_mb: u64,
    /// What it has written and not removed.
    pub disk_mb: u64,
}

/// Which limit an app has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Memory of more MB than these.
    Memory(u64),
    /// Files of more MB than these.
    Disk(u64),
}

/// Somebody who looks at a fenced program as long as this value is there.
#[derive(Debug)]
pub struct Watch {
    passed: Arc<OnceLock<Passed>>,
    /// The watcher goes when nobody can write into this any more.
    _going: Sender<()>,
}

/// How often is looked.
const EVERY: Duration = Duration::from_millis(500);
const MB: u64 = 1 << 20;

impl Default for Limits {
    /// The heap of an app has 1 GB and ends with the error that a phone's has; what is beyond all this is outside of the heap.
    fn default() -> Self {
        Self { memory_mb: 2_048, disk_mb: 2_048 }
    }
}

impl std::fmt::Display for Passed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory(mb) => {
                write!(f, "the app took more than {} MB of memory and was ended", thousands(*mb))
            }
            Self::Disk(mb) => write!(f, "the app wrote more than {} MB and was ended", thousands(*mb)),
        }
    }
}

impl Watch {
    /// Begins to look at a program that writes into a folder.
    pub fn begin(child: Arc<Mutex<Child>>, folder: PathBuf, limits: Limits) -> Self {
        let passed = Arc::new(OnceLock::new());
        let (going, gone) = channel::<()>();
        let verdict = Arc::clone(&passed);
        std::thread::spawn(move || {
            let first = child.lock().unwrap_or_else(PoisonError::into_inner).id();
            while gone.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let Some(beyond) = limits.passed(first, &folder) else { continue };
                // Said before it is done: whoever misses the program asks why.
                let _ = verdict.set(beyond);
                end(&mut child.lock().unwrap_or_else(PoisonError::into_inner));
                return;
            }
        });
        Self { passed, _going: going }
    }

    /// The limit that was passed, if one was; then the program was ended for it.
    pub fn passed(&self) -> Option<Passed> {
        self.passed.get().copied()
    }
}

impl Limits {
    fn passed(self, process: u32, folder: &Path) -> Option<Passed> {
        if memory(process) > self.memory_mb * MB {
            Some(Passed::Memory(self.memory_mb))
        } else if written(folder, self.disk_mb * MB) > self.disk_mb * MB {
            Some(Passed::Disk(self.disk_mb))
        } else {
            None
        }
    }
}

/// The memory of a process and of all that it has started, without the files that are read as memory.
fn memory(process: u32) -> u64 {
    let of_it = fs::read_to_string(format!("/proc/{process}/status")).map_or(0, |status| anonymous(&status));
    let of_others: u64 = started_by(process).into_iter().map(memory).sum();
    of_it + of_others
}

/// The processes that a process has started, by any of its threads.
pub(super) fn started_by(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().filter_map(Result::ok);
    let started = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    started
        .flat_map(|children| {
            children.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

/// The bytes of a process's memory that are no file's, in what the system says of it.
fn anonymous(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1_024
}

/// What the files below a folder take on the disk; counted no further than beyond `enough`.
fn written(folder: &Path, enough: u64) -> u64 {
    const BLOCK: u64 = 512;
    let mut sum = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        // Of a link its own size: where it leads is nobody's business.
        let Ok(about) = entry.metadata() else { continue };
        sum += about.blocks() * BLOCK;
        if about.is_dir() && sum <= enough {
            sum += written(&entry.path(), enough - sum);
        }
        if sum > enough {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::*;

    /// The limit that a program passes, which then ends without having said anything.
    fn ended(script: &str, limits: Limits) -> Option<Passed> {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", script])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        let child = Arc::new(Mutex::new(child));
        let watch = Watch::begin(Arc::clone(&child), folder.path().to_owned(), limits);
        let mut said = String::new();
        out.read_to_string(&mut said).unwrap();
        child.lock().unwrap().wait().unwrap();
        assert_eq!(said, "");
        watch.passed()
    }

    #[test]
    fn whoever_takes_more_memory_than_it_may_is_ended() {
        // The shell doubles a text until it has 64 MB, and would then stay for ever.
        let script = "x=0123456789abcdef; while [ ${#x} -lt 67108864 ]; do x=$x$x; done; while :; do :; done";
        let limits = Limits { memory_mb: 40, disk_mb: 1_000 };
        assert_eq!(ended(script, limits), Some(Passed::Memory(40)));
    }

    #[test]
    fn whoever_writes_more_than_it_may_is_ended() {
        let script =
            "mkdir a; for i in 1 2 3 4; do head -c 3000000 /dev/urandom > a/$i; done; while :; do :; done";
        let limits = Limits { memory_mb: 1_000, disk_mb: 10 };
        assert_eq!(ended(script, limits), Some(Passed::Disk(10)));
        assert_eq!(Passed::Disk(2_048).to_string(), "the app wrote more than 2,048 MB and was ended");
    }

    #[test]
    fn memory_is_that_of_a_process_and_of_those_that_it_has_started() {
        let status = "VmRSS:\t  300 kB\nRssAnon:\t     100 kB\nRssFile:\t     200 kB\n";
        assert_eq!((anonymous(status), anonymous("Name:\tx\n")), (102_400, 0));
        assert!(memory(std::process::id()) > 0);
    }
}
