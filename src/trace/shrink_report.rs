//! How a shrink went, as it is kept beside the short trace.

use serde::{Deserialize, Serialize};

/// How a shrink went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShrinkReport {
    /// The version of this format.
    pub format: u32,
    /// What the trace must still do: the failure's signature, or another goal in words.
    pub goal: String,
    /// The algorithm.
    pub algorithm: String,
    /// Events before; waits do not count.
    pub original: usize,
    /// Events after.
    pub minimal: usize,
    /// Runs of candidates, the certificate apart.
    pub runs: u64,
    /// Events done in them.
    pub events: u64,
    /// Sets of events that CHARD's rules proposed to delete.
    #[serde(default)]
    pub proposed: u64,
    /// Those of them that could not be deleted.
    #[serde(default)]
    pub refuted: u64,
    /// How it ended, in a word or two.
    pub ended: String,
    /// The failure was seen again at least once.
    pub reproduced: bool,
    /// How often the result was run in the end.
    pub certificate_runs: u32,
    /// How often it failed as it should.
    pub certificate_hits: u32,
    /// How often the original was run, where chance has a part in it.
    #[serde(default)]
    pub original_runs: u32,
    /// How often it failed as it should.
    #[serde(default)]
    pub original_hits: u32,
    /// What happened instead, if it never failed as it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

impl ShrinkReport {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;
    /// [`ShrinkReport::ended`] of a shrink that had nothing more to try.
    pub const DONE: &'static str = "done";

    /// It had nothing more to try.
    pub fn is_done(&self) -> bool {
        self.ended == Self::DONE
    }
}
