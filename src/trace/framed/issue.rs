//! What is wrong with a file of frames, and what it costs.

use std::fmt;
use std::ops::Range;

const EVENTS_VERSION: u32 = 1;
const TREES_VERSION: u32 = 1;

/// Which file of frames it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The spine of a run.
    Events,
    /// The pack of GUI trees.
    Trees,
}

/// Something that could not be read back. It never ends the reading: everything else is given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct LogIssue {
    /// In which file of frames.
    pub kind: FrameKind,
    /// It is in the tail beside the closed frames.
    pub in_tail: bool,
    /// The frame, where its number is known.
    pub frame: Option<u32>,
    /// The bytes of the file that could not be used.
    pub bytes: Range<u64>,
    /// How many steps or trees are lost with it, where that is known.
    pub lost: Option<u64>,
    /// What is wrong.
    pub trouble: Trouble,
}

/// What is wrong with a piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The file ends in the middle of it.
    CutOff,
    /// Its bytes are not those that were written.
    Damaged,
    /// It is no frame at all, and no frame follows.
    Garbage,
    /// It is not there, though what follows is.
    Absent,
    /// Its bytes are those that were written, but they make no sense.
    Senseless(String),
    /// A later version wrote it.
    TooNew(u32),
    /// The system could not read it.
    Unreadable(String),
}

impl FrameKind {
    /// The name of the file in a run folder.
    pub fn file(self) -> &'static str {
        match self {
            Self::Events => "events.jsonl.zst",
            Self::Trees => "trees.pack",
        }
    }

    /// The name of the file with the lines of the frame under way.
    pub fn tail_file(self) -> &'static str {
        match self {
            Self::Events => "events.tail",
            Self::Trees => "trees.tail",
        }
    }

    /// The version of the format of the lines.
    pub(super) fn version(self) -> u32 {
        match self {
            Self::Events => EVENTS_VERSION,
            Self::Trees => TREES_VERSION,
        }
    }

    pub(super) fn letter(self) -> u8 {
        match self {
            Self::Events => b'e',
            Self::Trees => b't',
        }
    }

    /// How a line starts that counts.
    pub(super) fn counted_prefix(self) -> &'static [u8] {
        match self {
            Self::Events => b"{\"s\":",
            Self::Trees => b"{\"t\":",
        }
    }

    fn counted(self, count: u64) -> &'static str {
        match (self, count) {
            (Self::Events, 1) => "step",
            (Self::Events, _) => "steps",
            (Self::Trees, 1) => "GUI tree",
            (Self::Trees, _) => "GUI trees",
        }
    }
}

impl fmt::Display for LogIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.in_tail { self.kind.tail_file() } else { self.kind.file() })?;
        if let Some(frame) = self.frame {
            write!(f, ", frame {frame}")?;
        }
        write!(f, ", bytes {} to {}: ", self.bytes.start, self.bytes.end)?;
        match &self.trouble {
            Trouble::CutOff => f.write_str("the file ends in the middle of it"),
            Trouble::Damaged => f.write_str("damaged"),
            Trouble::Garbage => f.write_str("not written by siamang"),
            Trouble::Absent => f.write_str("missing before this place"),
            Trouble::Senseless(why) => write!(f, "makes no sense ({why})"),
            Trouble::TooNew(version) => {
                write!(f, "written in format {version} by a newer siamang; read it with that")
            }
            Trouble::Unreadable(why) => write!(f, "cannot be read ({why})"),
        }?;
        match self.lost {
            Some(0) => f.write_str("; nothing is lost"),
            Some(lost) => write!(f, "; {lost} {} lost", self.kind.counted(lost)),
            None => Ok(()),
        }
    }
}
