//! The fence around a foreign program: a file system, a network and process numbers of its own, limits, and no rights.
//!
//! It needs Linux and the programs of util-linux (`unshare`, `setpriv`, `prlimit`, `mount`). Root takes on a user that
//! nobody else is; anyone else becomes the root of a namespace that can do nothing outside.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::SetUpError;
use super::bounded::Bounded;
use super::jdk::on_path;
use super::yard::Yard;

/// What a fenced program may see and change.
#[derive(Clone, Debug)]
pub struct Fence {
    script: PathBuf,
    root: bool,
}

/// Whom a fenced program can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Nobody: a network of its own, with nothing in it.
    #[default]
    Nobody,
    /// Whom this computer can reach.
    Everybody,
}

/// The commands that the fence is made of.
const TOOLS: [&str; 5] = ["unshare", "setpriv", "prlimit", "mount", "chroot"];
/// Users that no system gives to anybody: those of fenced programs begin here.
const FIRST_USER: u32 = 1_900_000_000;
const USERS: u32 = 50_000_000;

impl Fence {
    /// For a program that does nothing, on a busy computer.
    const DEADLINE: Duration = Duration::from_secs(60);

    /// A fence that is known to hold here, made by the script of that name.
    pub fn new(script: &Path) -> Result<Self, SetUpError> {
        if !cfg!(target_os = "linux") {
            return Err(SetUpError::NoFence("fences need Linux".into()));
        }
        let missing: Vec<&str> = TOOLS.into_iter().filter(|tool| on_path(tool).is_none()).collect();
        if !missing.is_empty() {
            return Err(SetUpError::NoFence(format!("{} not on the path", missing.join(", "))));
        }
        let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        Ok(Self { script: script.to_owned(), root })
    }

    /// Tries it out on a program that does nothing, in a folder that may be written to.
    pub fn try_out(&self, folder: &Path) -> Result<(), SetUpError> {
        let yard = Yard::new(folder)?;
        let words = self.words(&yard, &[], Path::new("/bin/true"));
        let ended = Bounded::run(&mut command(&words), Self::DEADLINE)
            .map_err(|error| SetUpError::NoFence(error.to_string()))?;
        if ended.status.success() {
            return Ok(());
        }
        Err(SetUpError::NoFence(ended.stderr.lines().next().unwrap_or("it does not hold").to_owned()))
    }

    /// The words of a command that runs a program inside the fence, where it reaches nobody; its own arguments follow.
    pub fn words(&self, yard: &Yard, readable: &[&Path], program: &Path) -> Vec<OsString> {
        self.words_reaching(Reach::Nobody, yard, readable, program)
    }

    /// The same for a program that may reach somebody. Nothing else is open to it.
    pub fn words_reaching(
        &self,
        reach: Reach,
        yard: &Yard,
        readable: &[&Path],
        program: &Path,
    ) -> Vec<OsString> {
        // Where names are looked up, and whom to trust.
        const NAMES: [&str; 5] = [
            "/etc/resolv.conf",
            "/etc/hosts",
            "/etc/nsswitch.conf",
            "/etc/ssl/certs",
            "/etc/ca-certificates",
        ];
        let mut words: Vec<OsString> = vec!["unshare".into()];
        if !self.root {
            words.extend(["--user".into(), "--map-root-user".into()]);
        }
        if reach == Reach::Nobody {
            words.push("--net".into());
        }
        for namespace in ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"] {
            words.push(namespace.into());
        }
        words.extend(["sh".into(), self.script.clone().into()]);
        words.push(if self.root { fresh_user().to_string() } else { "0".to_owned() }.into());
        words.extend([&yard.root, &yard.data, &yard.given].map(|folder| folder.clone().into()));
        words.extend(readable.iter().map(|path| path.as_os_str().to_owned()));
        if reach == Reach::Everybody {
            words.extend(NAMES.map(OsString::from));
        }
        words.extend(["--".into(), program.as_os_str().to_owned()]);
        words
    }
}

impl std::fmt::Display for Fence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let who = if self.root { "a user id of its own" } else { "a user namespace without rights" };
        write!(f, "{who}, no network, no file but its own, limits on memory, files, threads and processes")
    }
}

/// A command of these words, with an empty environment: what is in ours is nobody else's business.
pub fn command(words: &[OsString]) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("LC_ALL", "C.UTF-8");
    command
}

fn fresh_user() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    FIRST_USER + (std::process::id().wrapping_mul(1_000).wrapping_add(number)) % USERS
}
