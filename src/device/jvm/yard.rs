//! The folders of fenced programs: made freshly, locked by whoever uses them, swept away when nobody does any more.
//!
//! They are below a folder that belongs to one user and that nobody else can enter. Whoever is killed leaves a yard behind,
//! but no lock: the system lets go of that. So the next one knows which yards nobody uses.

use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::SetUpError;

/// The folders of one fenced program; they vanish with this value.
#[derive(Debug)]
pub struct Yard {
    folder: PathBuf,
    /// Where its file system is built.
    pub(super) root: PathBuf,
    /// The one place where it may write.
    pub data: PathBuf,
    /// What it is given to read, and nobody but us has written.
    pub given: PathBuf,
    /// Locked as long as somebody uses it.
    _lock: File,
}

/// The yards that this process uses.
static MINE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// How yards are called.
const PREFIX: &str = "yard-";
/// The file in a yard that its user locks.
const LOCK: &str = "lock";
/// The file beside the yards that is locked by whoever makes one or sweeps them.
const MAKING: &str = "making.lock";
/// Only its owner may enter.
const PRIVATE: u32 = 0o700;

impl Yard {
    /// What `data` is called inside the fence: the same in every run, as on a phone.
    pub const DATA: &str = "/data/user";
    /// What `given` is called there.
    pub const GIVEN: &str = "/data/given";
    /// More leftovers of the same name than these are nobody's accident.
    const MOST_TRIES: u32 = 100_000;

    /// A new yard below a folder. What is there already is never taken for it: it may be somebody else's, or planted.
    pub fn new(below: &Path) -> Result<Self, SetUpError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let _making = making(below)?;
        for _ in 0..Self::MOST_TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = below.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(PRIVATE).create(&folder) {
                Ok(()) => return Self::furnish(folder),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(SetUpError::Io(folder, error)),
            }
        }
        Err(SetUpError::Io(below.to_owned(), ErrorKind::AlreadyExists.into()))
    }

    fn furnish(folder: PathBuf) -> Result<Self, SetUpError> {
        let failed = |error| SetUpError::Io(folder.clone(), error);
        let lock = File::create_new(folder.join(LOCK)).map_err(failed)?;
        lock.lock().map_err(failed)?;
        mine().push(folder.clone());
        let [root, data, given] = ["root", "data", "given"].map(|name| folder.join(name));
        let yard = Self { folder, root, data, given, _lock: lock };
        for made in [&yard.root, &yard.data, &yard.given] {
            fs::create_dir(made).map_err(|error| SetUpError::Io(made.clone(), error))?;
        }
        Ok(yard)
    }

    /// Where something that is in `data` is for the program.
    pub fn inside(name: &str) -> PathBuf {
        Path::new(Self::DATA).join(name)
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        remove(&self.folder);
        mine().retain(|folder| *folder != self.folder);
    }
}

/// Removes the yards below a folder that nobody uses any more; how many there were.
pub fn sweep(below: &Path) -> Result<usize, SetUpError> {
    let _making = making(below)?;
    let failed = |error| SetUpError::Io(below.to_owned(), error);
    let mut swept = 0;
    for entry in fs::read_dir(below).map_err(failed)?.filter_map(Result::ok) {
        let is_yard = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_yard && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_left(&entry.path()) {
            remove(&entry.path());
            swept += usize::from(!entry.path().exists());
        }
    }
    Ok(swept)
}

/// Nobody uses this yard. One without a lock was left while it was made or removed: nobody makes one just now.
fn is_left(yard: &Path) -> bool {
    match File::open(yard.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

/// Removes all yards of this process, which is about to end.
pub fn clear() {
    let folders = std::mem::take(&mut *mine());
    for folder in &folders {
        remove(folder);
    }
}

/// A folder for yards that is this user's alone, below one that all users share.
pub fn own_folder(below: &Path) -> Result<PathBuf, SetUpError> {
    let user = fs::metadata("/proc/self").map(|process| process.uid()).ok();
    let name = user.map_or_else(|| "siamang".to_owned(), |user| format!("siamang-{user}"));
    let folder = below.join(name);
    let failed = |error| SetUpError::Io(folder.clone(), error);
    fs::create_dir_all(below).map_err(failed)?;
    match DirBuilder::new().mode(PRIVATE).create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    let there = fs::symlink_metadata(&folder).map_err(failed)?;
    if !there.is_dir() || user.is_some_and(|user| there.uid() != user) {
        return Err(SetUpError::NotOurs(folder));
    }
    if there.mode() & 0o777 != PRIVATE {
        fs::set_permissions(&folder, fs::Permissions::from_mode(PRIVATE)).map_err(failed)?;
    }
    Ok(folder)
}

/// Held while a yard is made, or while it is found out which are used.
fn making(below: &Path) -> Result<File, SetUpError> {
    let path = below.join(MAKING);
    let failed = |error| SetUpError::Io(path.clone(), error);
    let lock = File::options().create(true).append(true).open(&path).map_err(failed)?;
    lock.lock().map_err(failed)?;
    Ok(lock)
}

fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    // A program may have closed its own folders; where it has our user id, they are ours to open.
    open_up(folder);
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::debug!("{}: {error}", folder.display());
    }
}

fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(PRIVATE));
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

fn mine() -> MutexGuard<'static, Vec<PathBuf>> {
    MINE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yard_is_never_what_was_there_before() {
        let below = tempfile::tempdir().unwrap();
        let first = Yard::new(below.path()).unwrap();
        let number: u32 = first.folder.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
        // What the next ones would be called is there already: a leftover, and links that lead elsewhere.
        let elsewhere = tempfile::tempdir().unwrap();
        let name = |number: u32| below.path().join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir_all(name(number + 1).join("data/old")).unwrap();
        for further in 2..2_000 {
            std::os::unix::fs::symlink(elsewhere.path(), name(number + further)).unwrap();
        }
        let next = Yard::new(below.path()).unwrap();
        assert_eq!(fs::read_dir(&next.data).unwrap().count(), 0);
        assert!(!fs::symlink_metadata(&next.folder).unwrap().is_symlink());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn yards_are_swept_when_nobody_uses_them_any_more() {
        let below = tempfile::tempdir().unwrap();
        let used = Yard::new(below.path()).unwrap();
        let killed = below.path().join("yard-1-0");
        fs::create_dir_all(killed.join("data/closed/inner")).unwrap();
        File::create_new(killed.join(LOCK)).unwrap();
        fs::set_permissions(killed.join("data/closed"), fs::Permissions::from_mode(0o000)).unwrap();
        fs::create_dir_all(below.path().join("yard-2-0")).unwrap();
        fs::create_dir_all(below.path().join("other")).unwrap();
        assert_eq!(sweep(below.path()).unwrap(), 2);
        assert!(used.data.is_dir() && below.path().join("other").is_dir() && !killed.exists());
        drop(used);
        assert_eq!(sweep(below.path()).unwrap(), 0);
    }

    #[test]
    fn the_folder_for_yards_is_the_users_own_and_nothing_else_is_taken_for_it() {
        let shared = tempfile::tempdir().unwrap();
        let own = own_folder(shared.path()).unwrap();
        let me = fs::metadata("/proc/self").unwrap().uid();
        assert!(own.ends_with(format!("siamang-{me}")));
        assert_eq!(fs::metadata(&own).unwrap().mode() & 0o777, PRIVATE);
        // It is found again, and closed if it was open.
        fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(own_folder(shared.path()).unwrap(), own);
        assert_eq!(fs::metadata(&own).unwrap().mode() & 0o777, PRIVATE);
        fs::remove_dir(&own).unwrap();
        let planted = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(planted.path(), &own).unwrap();
        let told = own_folder(shared.path()).unwrap_err().to_string();
        assert!(told.contains("is not a folder of yours") && told.contains("TMPDIR"), "{told}");
    }
}
