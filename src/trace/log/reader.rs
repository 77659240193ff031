//! Reads the spine back, event by event.

use std::path::Path;

use super::SpinePlace;
use super::decode::Decoder;
use crate::trace::framed::{Frame, FrameKind, FramedReader, LogIssue, Piece, Trouble};
use crate::trace::{RunEvent, StoreError};

/// Streams the events of a spine. An `Err` is a gap: what follows it is still given.
///
/// A spine that was cut off gives everything before the cut, a flipped byte costs its frame, and memory is bounded by the
/// largest frame.
#[derive(Debug)]
pub struct SpineReader {
    file: FramedReader,
    frame: Option<Frame>,
    /// Where the next line of the frame starts.
    at: usize,
    decoder: Decoder,
}

impl SpineReader {
    /// Opens the spine of a run folder, finished or not, or still being written.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_at(folder, SpinePlace::default())
    }

    /// Opens it at a place, to read what was written from there on.
    pub fn open_at(folder: &Path, place: SpinePlace) -> Result<Self, StoreError> {
        let file = FramedReader::open_at(folder, FrameKind::Events, place.frame, place.offset)?;
        Ok(Self { file, frame: None, at: 0, decoder: Decoder::default() })
    }

    /// The next line of the frame under way.
    fn next_in_frame(&mut self) -> Option<Result<RunEvent, LogIssue>> {
        loop {
            let frame = self.frame.as_ref()?;
            let rest = &frame.lines[self.at..];
            let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
                self.frame = None;
                return None;
            };
            match self.decoder.decode(&rest[..end]) {
                Ok(event) => {
                    self.at += end + 1;
                    if let Some(event) = event {
                        return Some(Ok(event));
                    }
                }
                Err(why) => {
                    let lost = rest.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{\"s\":"));
                    let issue = LogIssue {
                        kind: FrameKind::Events,
                        in_tail: frame.in_tail,
                        frame: Some(frame.number),
                        bytes: frame.bytes.clone(),
                        lost: Some(lost.count() as u64),
                        trouble: Trouble::Senseless(why),
                    };
                    self.frame = None;
                    return Some(Err(issue));
                }
            }
        }
    }
}

impl Iterator for SpineReader {
    type Item = Result<RunEvent, LogIssue>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.next_in_frame() {
                return Some(item);
            }
            match self.file.next_piece()? {
                Piece::Issue(issue) => return Some(Err(issue)),
                Piece::Frame(frame) => {
                    self.frame = Some(frame);
                    self.at = 0;
                    self.decoder = Decoder::default();
                }
            }
        }
    }
}
