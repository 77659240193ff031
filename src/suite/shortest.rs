//! Phase 1, part 2, for one trace: its shortest version that replays and keeps what is needed of it.
//!
//! The paper tries the ways through a trace from the shortest on. Where too many of them fail, because loops that are left out
//! together change something that shows later, it goes on here with loops that end where they began in every detail, then
//! with the longest loops one at a time, then with the innermost ones from the end on.

use std::ops::Range;

use super::coverage::ItemSet;
use super::loops::{InnerLoops, LoopEnds, RedundantLoops, Shortenings};
use super::path::Path;
use super::{Checked, Reducer};

/// After so many of the longest loops in a row that cannot go, the short ones are tried.
const MISSES_IN_A_ROW: u32 = 8;

/// What looking for a shorter way through a trace came to.
enum Way {
    Found(Path),
    /// There is none, or it shall end.
    None,
    /// None of those that were tried replays, and there are more.
    NotAllTried,
}

/// What leaving out one loop came to.
enum Without {
    Shorter(Path),
    Needed,
    /// It is known to be needed, so that no try was spent on it.
    Known,
    Over,
}

impl Reducer<'_> {
    /// The shortest version of a trace that replays and covers what is needed, as far as tries go.
    pub(super) fn shortest(&mut self, path: &Path, needed: &ItemSet) -> Path {
        match self.first_way(path, needed, LoopEnds::Alike) {
            Way::Found(shorter) => shorter,
            Way::None => path.clone(),
            Way::NotAllTried => {
                let path = match self.first_way(path, needed, LoopEnds::Same) {
                    Way::Found(shorter) => shorter,
                    Way::None | Way::NotAllTried => path.clone(),
                };
                let path = self.without_long_loops(path, needed);
                self.without_inner_loops(path, needed)
            }
        }
    }

    /// The shortest way through a trace that replays, of as many as may be tried.
    fn first_way(&mut self, path: &Path, needed: &ItemSet, ends: LoopEnds) -> Way {
        let mut ways = Shortenings::new(path, needed, ends);
        let mut tries = self.config.tries;
        while let Some(candidate) = ways.next(&self.trie, &mut || self.executor.is_over()) {
            if tries == 0 || candidate.steps.len() == path.steps.len() {
                break;
            }
            tries -= 1;
            match self.check_path(&candidate, &|covered| covered.covers(needed)) {
                Ok(Checked::Replays(shorter)) => return Way::Found(shorter),
                Ok(Checked::Fails(_) | Checked::Lacks) => {}
                Err(()) => return Way::None,
            }
        }
        // Asked first: it may have ended among the ways, and that is to be told.
        if !self.is_over() && (tries == 0 || ways.is_cut_short()) { Way::NotAllTried } else { Way::None }
    }

    /// Leaves out the longest loop that can go, again and again.
    fn without_long_loops(&mut self, mut path: Path, needed: &ItemSet) -> Path {
        let mut tries = self.config.tries;
        'shorter: loop {
            let mut misses = 0;
            for range in RedundantLoops::new(&path, needed) {
                if tries == 0 || misses == MISSES_IN_A_ROW {
                    return path;
                }
                match self.without(&path, range, needed) {
                    Without::Shorter(shorter) => {
                        path = shorter;
                        tries -= 1;
                        continue 'shorter;
                    }
                    Without::Needed => {
                        misses += 1;
                        tries -= 1;
                    }
                    Without::Known => {}
                    Without::Over => return path,
                }
            }
            return path;
        }
    }

    /// Leaves out the innermost loops that can go, from the end on, as long as there are any: what few events follow is
    /// changed by few.
    fn without_inner_loops(&mut self, mut path: Path, needed: &ItemSet) -> Path {
        let mut tries = self.config.tries;
        loop {
            let before = path.steps.len();
            let mut loops = InnerLoops::new(&path, needed);
            let mut from = path.steps.len();
            while let Some(range) = loops.last_before(&path, from) {
                if tries == 0 {
                    return path;
                }
                from = range.start;
                match self.without(&path, range, needed) {
                    Without::Shorter(shorter) => {
                        path = shorter;
                        tries -= 1;
                        loops = InnerLoops::new(&path, needed);
                        // The next loop may begin where this one did.
                        from = (from + 1).min(path.steps.len());
                    }
                    Without::Needed => tries -= 1,
                    Without::Known => {}
                    Without::Over => return path,
                }
            }
            if path.steps.len() == before {
                return path;
            }
        }
    }

    fn without(&mut self, path: &Path, range: Range<usize>, needed: &ItemSet) -> Without {
        if self.is_over() {
            return Without::Over;
        }
        let candidate = path.with([&path.steps[..range.start], &path.steps[range.end..]].concat());
        if self.trie.failing(candidate.edges()).is_some() {
            self.counts.pruned += 1;
            return Without::Known;
        }
        match self.check_path(&candidate, &|covered| covered.covers(needed)) {
            Ok(Checked::Replays(shorter)) => Without::Shorter(shorter),
            Ok(Checked::Fails(_) | Checked::Lacks) => Without::Needed,
            Err(()) => Without::Over,
        }
    }
}
