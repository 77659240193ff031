//! What can go wrong between a run and its folder, always with the place and a remedy.

use std::io;
use std::path::{Path, PathBuf};

/// Why something could not be stored or read back.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder is there already; nothing in it was touched.
    #[error("{} exists already; name another folder or remove it first", .path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// It may not be written.
    #[error("{} cannot be written ({source}); check its permissions or name another folder with --out", .path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is full.
    #[error("the disk is full at {}; free some space: what was recorded until now is kept", .path.display())]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// It is not there.
    #[error("there is no {}; check the name: runs are folders below `runs`, their traces are below `crashes`", .path.display())]
    Missing {
        /// The file or folder.
        path: PathBuf,
    },
    /// It is something else than it should be.
    #[error("{} is not {expected}: {found}", .path.display())]
    Malformed {
        /// The file or folder.
        path: PathBuf,
        /// What it should be, with its article.
        expected: &'static str,
        /// What was found instead, and where.
        found: String,
    },
    /// It ends too early.
    #[error("{} ends in the middle of {expected}; copy it again, or record it again", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What it should be, with its article.
        expected: &'static str,
    },
    /// A later version wrote it.
    #[error("{} has format {found}, this siamang reads up to {known}; use a newer siamang", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that this program reads.
        known: u32,
    },
    /// One record is larger than anything that is ever read back.
    #[error("one record of {bytes} bytes is too large for {}; it was left out", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size of the record.
        bytes: usize,
    },
    /// The system failed in another way.
    #[error("{} could not be {doing}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done, as a participle.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl StoreError {
    /// The error of a failed attempt to write.
    pub(crate) fn writing(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::NotFound => Self::Unwritable { path, source },
            _ => Self::Io { path, doing: "written", source },
        }
    }

    /// The error of a failed attempt to read.
    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Io { path, doing: "read", source },
        }
    }

    /// The error of a text that is not the JSON it should be.
    pub(crate) fn json(path: &Path, expected: &'static str, error: &serde_json::Error) -> Self {
        let path = path.to_owned();
        if error.is_eof() {
            Self::Truncated { path, expected }
        } else {
            Self::Malformed { path, expected, found: error.to_string() }
        }
    }
}
