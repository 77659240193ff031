//! Phase 2, part 2: a spliced suite made cheaper, step by step.
//!
//! Beyond the paper. Joining by the greatest gain leaves traces that go to the same place twice, and ends that later traces made
//! superfluous. Here everything that is known to replay is chosen from again by what it covers a step, and then changed as
//! long as a change saves something and its trace replays.

use std::collections::BTreeSet;

use super::coverage::ItemSet;
use super::moves::{self, Ways};
use super::path::{self, Path};
use super::{Checked, EventIx, Reducer, cover};
use crate::abstraction::StateKey;

impl Reducer<'_> {
    /// The cheapest suite found that covers all of this.
    pub(super) fn tightened(&mut self, suite: Vec<Path>, all: &ItemSet) -> Vec<Path> {
        let mut refused = BTreeSet::new();
        let mut best = self.changed(cover::trimmed(suite, all), all, &mut refused);
        // What replays now is more than there was to choose from before.
        while !self.is_over() {
            let known = self.known_paths();
            let chosen = cover::cheapest(&known, all, &mut || self.executor.is_over());
            if !path::coverage(&chosen).covers(all) {
                break;
            }
            let chosen = self.changed(chosen, all, &mut refused);
            if path::cost(&chosen) >= path::cost(&best) {
                break;
            }
            best = chosen;
        }
        best
    }

    /// All that replayed, with what is sure of its coverage.
    fn known_paths(&self) -> Vec<Path> {
        let known = |path: &Path| self.trie.replayed(path.edges()).map(|items| path.covering(items));
        self.kept.iter().filter_map(known).collect()
    }

    /// Makes changes until none is left that saves something, as far as tries go.
    fn changed(
        &mut self,
        mut suite: Vec<Path>,
        all: &ItemSet,
        refused: &mut BTreeSet<Vec<(EventIx, StateKey)>>,
    ) -> Vec<Path> {
        let mut tries = self.config.tries as usize * suite.len();
        loop {
            let ways = Ways::new(&self.known_paths());
            let over = &mut || self.executor.is_over();
            let changes = moves::changes(&suite, all, &ways, self.config.fragments, over);
            // Asked again: it may have ended while changes were looked for, and that is to be told.
            if self.is_over() {
                return suite;
            }
            let mut now: Vec<Option<Path>> = suite.into_iter().map(Some).collect();
            let mut new: Vec<Path> = Vec::new();
            for change in changes {
                if tries == 0 || self.is_over() {
                    break;
                }
                let edges: Vec<_> = change.path.edges().collect();
                let (other, stay) = change.cut.unzip();
                let is_there = |&ix: &usize| now[ix].is_some();
                if ![change.gone].iter().chain(&other).all(is_there) || refused.contains(&edges) {
                    continue;
                }
                let rest = other.zip(stay).filter(|&(_, stay)| stay > 0);
                let rest = rest.and_then(|(other, stay)| {
                    now[other].as_ref().map(|path| path.with(path.steps[..stay].to_vec()))
                });
                let mut others = path::coverage(&new);
                let untouched = |ix: usize| ix != change.gone && Some(ix) != other;
                let untouched = now.iter().enumerate().filter(|&(ix, _)| untouched(ix));
                for path in untouched.filter_map(|(_, path)| path.as_ref()).chain(&rest) {
                    others.add(&path.coverage());
                }
                let needed = all.without(&others);
                // Another change may have taken away what this one counts on.
                if !change.path.coverage().covers(&needed) {
                    continue;
                }
                if self.trie.failing(edges.iter().copied()).is_some() {
                    self.counts.pruned += 1;
                    refused.insert(edges);
                    continue;
                }
                match self.check_path(&change.path, &|own| own.covers(&needed)) {
                    Ok(Checked::Replays(path)) => {
                        for ix in [change.gone].into_iter().chain(other) {
                            now[ix] = None;
                        }
                        new.extend([path].into_iter().chain(rest));
                    }
                    Ok(Checked::Lacks | Checked::Fails(_)) => {
                        refused.insert(edges);
                        tries -= 1;
                    }
                    Err(()) => break,
                }
            }
            let is_changed = !new.is_empty();
            suite = cover::trimmed(now.into_iter().flatten().chain(new).collect(), all);
            if !is_changed || tries == 0 || self.is_over() {
                return suite;
            }
        }
    }
}
