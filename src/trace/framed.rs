//! A file of lines in independent, compressed, checksummed frames that loses at most its last line when the process is
//! killed. The spine and the pack of GUI trees are both such a file.
//!
//! # On disk
//!
//! `events.jsonl.zst` holds closed frames: a head (`framed/head.rs`), then one zstd frame. Beside it, `events.tail` holds the lines of
//! the frame under way, uncompressed, each with 8 hex digits of its hash: flushing a zstd encoder after every line would
//! cost more bytes than the line. The tail's first line says which frame it will become.
//!
//! # What happens when, and what a kill at any point leaves
//!
//! 1. A line goes to the tail in one write. Killed inside it: the tail ends in the middle of a line, which is dropped.
//! 2. A full frame is compressed and goes to the frames in one write. Killed inside it: the frames end in the middle of frame
//!    *n*, and the tail, still whole, says that it is frame *n*: the reader takes the tail.
//! 3. The tail is emptied. Killed before it: frame *n* is whole, and the tail says that it is frame *n*: the reader skips it.
//!    Killed after it: the tail is empty.
//! 4. At the end the last frame is closed as above, and the tail is removed.
//!
//! Nothing is synced: this is about killed processes, not about lost power.

mod head;
mod issue;
mod reader;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::StoreError;
use head::Head;

pub use issue::{FrameKind, LogIssue, Trouble};
pub(crate) use reader::{Frame, FramedReader, Piece};

/// A frame is closed when its lines have this many bytes, before compression.
pub(crate) const FULL_FRAME_BYTES: usize = 1 << 20;
/// No line is longer, and none is read that is.
pub(crate) const MAX_LINE_BYTES: usize = 16 << 20;
/// zstd's own default: a frame takes a millisecond or two.
const LEVEL: i32 = 3;
/// The length of what stands before a line in a tail.
const LINE_PREFIX: usize = 9;

/// The first line of a tail.
#[derive(Debug, Serialize, Deserialize)]
struct TailHead {
    /// The version of the format of the lines.
    tail: u32,
    /// The frame it will become.
    frame: u32,
    /// The number of the first thing counted in it.
    first: u64,
}

/// Writes lines; see the module.
pub(crate) struct FramedWriter {
    kind: FrameKind,
    frames: File,
    frames_path: PathBuf,
    frames_bytes: u64,
    tail: File,
    tail_path: PathBuf,
    /// The lines of the frame under way.
    raw: Vec<u8>,
    scratch: Vec<u8>,
    compressor: Compressor<'static>,
    number: u32,
    first: u64,
    count: u32,
}

impl FramedWriter {
    /// Creates the two files; neither may be there.
    pub(crate) fn create(folder: &Path, kind: FrameKind) -> Result<Self, StoreError> {
        let frames_path = folder.join(kind.file());
        let tail_path = folder.join(kind.tail_file());
        let create = |path: &Path| {
            OpenOptions::new()
                .append(true)
                .create_new(true)
                .open(path)
                .map_err(|error| StoreError::writing(path, error))
        };
        let compressor = compressor().map_err(|error| StoreError::writing(&frames_path, error))?;
        Ok(Self {
            kind,
            frames: create(&frames_path)?,
            tail: create(&tail_path)?,
            frames_path,
            tail_path,
            frames_bytes: 0,
            raw: Vec::new(),
            scratch: Vec::new(),
            compressor,
            number: 0,
            first: 1,
            count: 0,
        })
    }

    /// No line was written since the last frame was closed: whoever refers to earlier lines starts anew.
    pub(crate) fn is_at_frame_start(&self) -> bool {
        self.raw.is_empty()
    }

    /// The number of the frame under way.
    pub(crate) fn frame(&self) -> u32 {
        self.number
    }

    /// Where the frame under way will start.
    pub(crate) fn frame_offset(&self) -> u64 {
        self.frames_bytes
    }

    /// How many things are counted in the frame under way.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// How long the frame under way is, before compression.
    pub(crate) fn raw_bytes(&self) -> usize {
        self.raw.len()
    }

    /// Writes whole lines, each with its newline, in which `counted` things are counted. They are in the file when this
    /// returns. After an error the writer must not be used again.
    pub(crate) fn append(&mut self, lines: &[u8], counted: u32) -> Result<(), StoreError> {
        if lines.len() > MAX_LINE_BYTES {
            return Err(StoreError::TooLarge { path: self.frames_path.clone(), bytes: lines.len() });
        }
        self.scratch.clear();
        if self.raw.is_empty() {
            let head = TailHead { tail: self.kind.version(), frame: self.number, first: self.first };
            let head = serde_json::to_vec(&head)
                .map_err(|error| StoreError::writing(&self.tail_path, error.into()))?;
            push_tail_line(&mut self.scratch, &head);
        }
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            push_tail_line(&mut self.scratch, line.strip_suffix(b"\n").unwrap_or(line));
        }
        self.tail.write_all(&self.scratch).map_err(|error| StoreError::writing(&self.tail_path, error))?;
        self.raw.extend_from_slice(lines);
        self.count += counted;
        Ok(())
    }

    /// Closes the frame under way, if it has a line.
    pub(crate) fn close_frame(&mut self) -> Result<(), StoreError> {
        if self.raw.is_empty() {
            return Ok(());
        }
        let wrong = |error| StoreError::writing(&self.frames_path, error);
        let packed = self.compressor.compress(&self.raw).map_err(wrong)?;
        let head = Head {
            kind: self.kind,
            version: self.kind.version(),
            number: self.number,
            first: self.first,
            count: self.count,
            packed: packed.len() as u32,
            raw: self.raw.len() as u32,
            hash: xxh3_64(&packed),
        };
        self.scratch.clear();
        self.scratch.extend_from_slice(&head.to_bytes());
        self.scratch.extend_from_slice(&packed);
        if let Err(error) = self.frames.write_all(&self.scratch) {
            // What a full disk left of the frame is in the tail as well; the attempt to remove it may fail too.
            let _ = self.frames.set_len(self.frames_bytes);
            return Err(wrong(error));
        }
        self.frames_bytes += self.scratch.len() as u64;
        self.tail.set_len(0).map_err(|error| StoreError::writing(&self.tail_path, error))?;
        self.raw.clear();
        self.number += 1;
        self.first += u64::from(self.count);
        self.count = 0;
        Ok(())
    }

    /// Lets the next line meet a full disk.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn fill_disk(&mut self) {
        if let Ok(full) = OpenOptions::new().write(true).open("/dev/full") {
            self.tail = full;
        }
    }

    /// Closes the last frame and removes the tail.
    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        self.close_frame()?;
        std::fs::remove_file(&self.tail_path).map_err(|error| StoreError::writing(&self.tail_path, error))
    }
}

impl std::fmt::Debug for FramedWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FramedWriter")
            .field("frames", &self.frames_path)
            .field("number", &self.number)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}

fn push_tail_line(tail: &mut Vec<u8>, line: &[u8]) {
    tail.extend_from_slice(&line_prefix(line));
    tail.extend_from_slice(line);
    tail.push(b'\n');
}

/// The content of a line of a tail, if it is whole.
fn tail_line(line: &[u8]) -> Option<&[u8]> {
    let (prefix, content) = line.split_at_checked(LINE_PREFIX)?;
    (prefix == line_prefix(content)).then_some(content)
}

/// What stands before a line in a tail: 8 hex digits of its hash, and a space.
fn line_prefix(line: &[u8]) -> [u8; LINE_PREFIX] {
    let mut prefix = [b' '; LINE_PREFIX];
    let mut hash = xxh3_64(line) as u32;
    for digit in &mut prefix[..8] {
        *digit = b"0123456789abcdef"[(hash >> 28) as usize];
        hash <<= 4;
    }
    prefix
}
