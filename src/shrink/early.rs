//! Where a flaky original fails, if it does so before its end.

use super::noise::MOST_ORIGINAL;
use super::{RunRecord, Verdict};

/// Replays of an original that failed before its end, where chance has a part. Where it failed first is where it fails now and
/// then: the search begins with as much of it as the longest of them needed.
#[derive(Debug, Default)]
pub struct Early {
    longest: Option<RunRecord>,
    /// How many.
    pub hits: u32,
    /// All replays since the first of them.
    pub runs: u32,
    /// They failed at different events.
    differ: bool,
}

/// So many early failures at one event are taken for its place.
const SAME_HITS: u32 = 4;
/// So many replays show how far it gets: of as many failures the longest beginning fails in nearly all cases in which the whole
/// does.
pub const EARLY_RUNS: u32 = MOST_ORIGINAL;

impl Early {
    /// Hears of a replay that did not fail at the end; true if this or an earlier one has failed before it.
    pub fn heard(&mut self, record: &RunRecord, before_end: bool) -> bool {
        if record.verdict == Verdict::Reproduced && before_end {
            self.hits += 1;
            let longest = self.longest.as_ref().map(|longest| longest.events);
            self.differ |= longest.is_some_and(|longest| longest != record.events);
            if longest.is_none_or(|longest| longest < record.events) {
                self.longest = Some(record.clone());
            }
        }
        self.runs += u32::from(self.hits > 0);
        self.hits > 0
    }

    /// The longest, once enough is known.
    pub fn settled(&mut self) -> Option<RunRecord> {
        let same = !self.differ && self.hits >= SAME_HITS;
        (same || self.runs >= EARLY_RUNS).then(|| self.longest.take()).flatten()
    }
}
