//! Reads frames back: everything that is whole, and an issue for everything that is not.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Decompressor;

use super::head::{HEAD_BYTES, Head, ZSTD_MAGIC};
use super::{FULL_FRAME_BYTES, FrameKind, LogIssue, MAX_LINE_BYTES, TailHead, Trouble, tail_line};
use crate::trace::StoreError;

/// No frame is larger than this before compression, and none is unpacked that says so.
const MAX_RAW_BYTES: usize = FULL_FRAME_BYTES + MAX_LINE_BYTES;
/// A tail has the lines of one frame, with their hashes; no more of it is read.
const MAX_TAIL_BYTES: u64 = 2 * MAX_RAW_BYTES as u64;
/// How much is looked at in one go when a head is searched for.
const SEARCH_BYTES: usize = 1 << 16;

/// What a reader comes upon, in the order of the file.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The lines of one frame.
    Frame(Frame),
    /// Something that could not be read.
    Issue(LogIssue),
}

/// The lines of one frame, closed or under way.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) number: u32,
    pub(crate) in_tail: bool,
    /// Where it is in its file.
    pub(crate) bytes: Range<u64>,
    pub(crate) lines: Vec<u8>,
}

/// Reads the closed frames and then the tail. Memory is bounded by the largest frame.
pub(crate) struct FramedReader {
    kind: FrameKind,
    file: File,
    len: u64,
    at: u64,
    tail_path: PathBuf,
    decompressor: Decompressor<'static>,
    /// The frame that should come next.
    next_number: u32,
    /// The counted thing that should come next, from 1; 0 where that is not known.
    next_first: u64,
    /// The last frame that was whole.
    last_whole: Option<u32>,
    /// An issue whose cost is not known before the next frame or the tail is seen.
    held: Option<LogIssue>,
    ready: VecDeque<Piece>,
    done: bool,
}

/// What is at one place of the file.
enum Found {
    Whole(Head, Vec<u8>, Range<u64>),
    Broken(Option<Head>, Trouble, Range<u64>),
    End,
}

impl FramedReader {
    /// Opens the frames of a folder.
    pub(crate) fn open(folder: &Path, kind: FrameKind) -> Result<Self, StoreError> {
        Self::open_at(folder, kind, 0, 0)
    }

    /// Opens the frames of a folder at a frame whose number and place are known.
    pub(crate) fn open_at(folder: &Path, kind: FrameKind, number: u32, at: u64) -> Result<Self, StoreError> {
        let path = folder.join(kind.file());
        let wrong = |error| StoreError::reading(&path, error);
        let file = File::open(&path).map_err(wrong)?;
        let len = file.metadata().map_err(wrong)?.len();
        Ok(Self {
            kind,
            file,
            len,
            at,
            tail_path: folder.join(kind.tail_file()),
            decompressor: Decompressor::new().map_err(wrong)?,
            next_number: number,
            next_first: u64::from(number == 0),
            last_whole: number.checked_sub(1),
            held: None,
            ready: VecDeque::new(),
            done: false,
        })
    }

    /// The next frame or issue. Trouble of the system is an issue as well, the last one.
    pub(crate) fn next_piece(&mut self) -> Option<Piece> {
        while self.ready.is_empty() && !self.done {
            let at = self.at;
            let advanced = match self.read() {
                Ok(Found::Whole(head, lines, bytes)) => {
                    self.whole(&head, lines, bytes);
                    Ok(())
                }
                Ok(Found::Broken(head, trouble, bytes)) => {
                    self.broken(head.as_ref(), trouble, bytes);
                    Ok(())
                }
                Ok(Found::End) => self.end(),
                Err(error) => Err(error),
            };
            if let Err(error) = advanced {
                self.done = true;
                self.give_held();
                let trouble = Trouble::Unreadable(error.to_string());
                let issue = self.issue(None, at..self.len, None, trouble);
                self.ready.push_back(Piece::Issue(issue));
            }
        }
        self.ready.pop_front()
    }

    /// Reads one piece of one frame without anything around it: its place was found by an earlier reading.
    pub(crate) fn lines_at(&mut self, at: u64) -> Option<Vec<u8>> {
        self.at = at;
        match self.read() {
            Ok(Found::Whole(_, lines, _)) => Some(lines),
            _ => None,
        }
    }

    fn issue(&self, head: Option<&Head>, bytes: Range<u64>, lost: Option<u64>, trouble: Trouble) -> LogIssue {
        let frame = head.map(|head| head.number);
        LogIssue { kind: self.kind, in_tail: false, frame, bytes, lost, trouble }
    }

    fn give_held(&mut self) {
        if let Some(held) = self.held.take() {
            self.ready.push_back(Piece::Issue(held));
        }
    }

    /// A frame is known to come next: the issue before it can say what it cost.
    fn reach(&mut self, number: u32, first: u64, at: u64) {
        let expected = std::mem::replace(&mut self.next_number, number);
        let lost = (self.next_first > 0).then(|| first.saturating_sub(self.next_first));
        match self.held.as_mut() {
            // An issue of unknown cost takes up all that is not there.
            Some(held) if held.lost.is_none() => {
                held.lost = lost;
                held.frame = held.frame.or(Some(expected));
                if held.trouble == Trouble::Garbage {
                    held.trouble = Trouble::Damaged;
                }
                self.give_held();
            }
            _ => {
                self.give_held();
                if number > expected {
                    let issue = self.issue(None, at..at, lost, Trouble::Absent);
                    self.ready.push_back(Piece::Issue(LogIssue { frame: Some(expected), ..issue }));
                }
            }
        }
    }

    fn pass(&mut self, head: &Head) {
        self.next_number = head.number.saturating_add(1);
        self.next_first = head.first.saturating_add(u64::from(head.count));
    }

    fn whole(&mut self, head: &Head, lines: Vec<u8>, bytes: Range<u64>) {
        if head.number < self.next_number {
            return;
        }
        self.reach(head.number, head.first, bytes.start);
        self.pass(head);
        self.last_whole = Some(head.number);
        self.ready.push_back(Piece::Frame(Frame { number: head.number, in_tail: false, bytes, lines }));
    }

    fn broken(&mut self, head: Option<&Head>, trouble: Trouble, bytes: Range<u64>) {
        if let Some(head) = head {
            self.reach(head.number, head.first, bytes.start);
            self.pass(head);
        } else {
            self.give_held();
        }
        let lost = head.map(|head| u64::from(head.count));
        self.held = Some(self.issue(head, bytes, lost, trouble));
    }

    /// The piece at the current place; the place moves behind it.
    fn read(&mut self) -> io::Result<Found> {
        let start = self.at;
        if start >= self.len {
            return Ok(Found::End);
        }
        self.file.seek(SeekFrom::Start(start))?;
        let mut front = Vec::with_capacity(HEAD_BYTES + ZSTD_MAGIC.len());
        Read::by_ref(&mut self.file).take((HEAD_BYTES + ZSTD_MAGIC.len()) as u64).read_to_end(&mut front)?;
        let Some(head) = Head::from_bytes(&front, self.kind) else {
            let trouble = if Head::could_start_with(&front) {
                Trouble::CutOff
            } else if front.get(HEAD_BYTES..) == Some(&ZSTD_MAGIC) {
                Trouble::Damaged
            } else {
                Trouble::Garbage
            };
            return self.skip(None, trouble, start, 1);
        };
        let end = start + (HEAD_BYTES as u64) + u64::from(head.packed);
        if head.version > self.kind.version() {
            return self.skip(Some(head), Trouble::TooNew(head.version), start, HEAD_BYTES as u64);
        }
        if end > self.len {
            return self.skip(Some(head), Trouble::CutOff, start, HEAD_BYTES as u64);
        }
        if let Some(lines) = self.unpack(&head, start)? {
            self.at = end;
            return Ok(Found::Whole(head, lines, start..end));
        }
        self.skip(Some(head), Trouble::Damaged, start, HEAD_BYTES as u64)
    }

    /// The lines of a frame, if its bytes are those that were written.
    fn unpack(&mut self, head: &Head, start: u64) -> io::Result<Option<Vec<u8>>> {
        let raw = head.raw as usize;
        if raw > MAX_RAW_BYTES || head.packed as usize > 2 * MAX_RAW_BYTES {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(start + HEAD_BYTES as u64))?;
        let mut packed = Vec::new();
        Read::by_ref(&mut self.file).take(u64::from(head.packed)).read_to_end(&mut packed)?;
        if xxh3_64(&packed) != head.hash {
            return Ok(None);
        }
        Ok(self.decompressor.decompress(&packed, raw).ok().filter(|lines| lines.len() == raw))
    }

    /// Goes to the next place with a whole head, or to the end.
    fn skip(&mut self, head: Option<Head>, trouble: Trouble, start: u64, least: u64) -> io::Result<Found> {
        let mut at = start + least;
        let mut window = Vec::with_capacity(SEARCH_BYTES);
        self.at = self.len;
        while at < self.len {
            window.clear();
            self.file.seek(SeekFrom::Start(at))?;
            Read::by_ref(&mut self.file).take(SEARCH_BYTES as u64).read_to_end(&mut window)?;
            let mut from = 0;
            while let Some(found) = Head::find_start(&window, from) {
                if Head::from_bytes(&window[found..], self.kind).is_some() {
                    self.at = at + found as u64;
                    return Ok(Found::Broken(head, trouble, start..self.at));
                }
                from = found + 1;
            }
            if window.len() < SEARCH_BYTES {
                break;
            }
            // A head across the border of two windows is whole in the second.
            at += (SEARCH_BYTES - HEAD_BYTES) as u64;
        }
        Ok(Found::Broken(head, trouble, start..self.len))
    }

    /// After the last closed frame comes the tail. If the run still goes on and has just closed the frame that the
    /// tail was, that frame comes first.
    fn end(&mut self) -> io::Result<()> {
        let mut tail = Vec::new();
        match File::open(&self.tail_path) {
            Ok(file) => file.take(MAX_TAIL_BYTES).read_to_end(&mut tail)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        let len = self.file.metadata()?.len();
        if len > self.len {
            self.len = len;
        } else {
            self.done = true;
            self.tail(&tail);
        }
        Ok(())
    }

    /// The lines of the frame under way, unless a closed frame has them.
    fn tail(&mut self, bytes: &[u8]) {
        let mut lines = Lines { bytes, at: 0 };
        let head = lines.next().and_then(|line| serde_json::from_slice::<TailHead>(line?).ok());
        let Some(head) = head else {
            self.give_held();
            if !bytes.is_empty() {
                self.tail_issue(None, 0, bytes);
            }
            return;
        };
        if self.last_whole.is_some_and(|last| head.frame <= last) {
            self.give_held();
            return;
        }
        if head.tail > self.kind.version() {
            self.give_held();
            let issue = self.issue(None, 0..bytes.len() as u64, None, Trouble::TooNew(head.tail));
            self.ready.push_back(Piece::Issue(LogIssue { in_tail: true, ..issue }));
            return;
        }
        if self.held.as_ref().is_some_and(|held| self.is_unfinished(held, head.frame)) {
            self.held = None;
            self.next_number = head.frame;
            self.next_first = head.first;
        }
        self.reach(head.frame, head.first, self.len);
        let mut content = Vec::with_capacity(bytes.len());
        let mut end = lines.at;
        let mut cut = false;
        while end < bytes.len() {
            let Some(Some(line)) = lines.next() else {
                cut = true;
                break;
            };
            content.extend_from_slice(line);
            content.push(b'\n');
            end = lines.at;
        }
        let range = 0..end as u64;
        self.ready.push_back(Piece::Frame(Frame {
            number: head.frame,
            in_tail: true,
            bytes: range,
            lines: content,
        }));
        if cut {
            self.tail_issue(Some(head.frame), end, bytes);
        }
    }

    /// The issue is the frame that the tail still holds: its writer was killed while it closed the frame.
    fn is_unfinished(&self, held: &LogIssue, tail_frame: u32) -> bool {
        match held.frame {
            Some(frame) => frame == tail_frame,
            None => held.trouble == Trouble::CutOff && self.next_number == tail_frame,
        }
    }

    /// From one line on, the tail cannot be read. Lines refer to earlier ones, so none is taken after a bad one.
    fn tail_issue(&mut self, frame: Option<u32>, from: usize, bytes: &[u8]) {
        let rest = &bytes[from..];
        let lines = rest.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let is_last = lines.clone().count() == 1 && !rest.ends_with(b"\n");
        let counted = lines
            .filter(|line| {
                line.get(super::LINE_PREFIX..)
                    .is_some_and(|content| content.starts_with(self.kind.counted_prefix()))
            })
            .count();
        let (trouble, lost) =
            if is_last { (Trouble::CutOff, 1) } else { (Trouble::Damaged, counted.max(1) as u64) };
        let range = from as u64..bytes.len() as u64;
        let issue =
            LogIssue { kind: self.kind, in_tail: true, frame, bytes: range, lost: Some(lost), trouble };
        self.ready.push_back(Piece::Issue(issue));
    }
}

impl std::fmt::Debug for FramedReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FramedReader").field("kind", &self.kind).field("at", &self.at).finish_non_exhaustive()
    }
}

/// The lines of a tail: `None` inside for one that is not whole.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
            self.at = self.bytes.len();
            return Some(None);
        };
        self.at += end + 1;
        Some(tail_line(&rest[..end]))
    }
}
