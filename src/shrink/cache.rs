//! What earlier answers settled.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::arena::{Arena, ContentHash, EventIx};
use super::prophet::Prophet;
use super::search::Outcome;
use super::walk::Lookup;

/// What earlier answers settled.
pub struct Cache {
    outcomes: FxHashMap<ContentHash, Told>,
    /// Beginnings of lists that ran without reproducing, and how often they did.
    barren: FxHashMap<ContentHash, u32>,
    /// Hits that the search has not asked for.
    pub hits: Vec<Arc<[EventIx]>>,
    /// Who foretells answers.
    pub prophet: Option<Prophet>,
    /// So many silent runs of a list tell that it does not reproduce.
    pub silence_needed: u32,
    /// Lists that reproduce too seldom.
    disowned: FxHashSet<ContentHash>,
}

/// What runs of a list told.
#[derive(Debug)]
struct Told {
    outcome: Arc<Outcome>,
    /// How many silent runs of it there were.
    silent: u32,
    /// The part that reproduced.
    kept: ContentHash,
}

/// Of longer runs only the end is remembered: nobody asks for their beginnings, and they are many.
pub const LONGEST_REMEMBERED: usize = 512;

impl Default for Cache {
    fn default() -> Self {
        Self {
            outcomes: FxHashMap::default(),
            barren: FxHashMap::default(),
            hits: Vec::new(),
            prophet: None,
            silence_needed: 1,
            disowned: FxHashSet::default(),
        }
    }
}

impl Cache {
    /// A list was run so far: each beginning of it has been run too, and was silent. A run that reproduces has shown so of
    /// all that is shorter.
    pub fn pass(&mut self, arena: &Arena, events: &[EventIx], ran: usize, reproduced: bool) {
        if events.len() > LONGEST_REMEMBERED {
            return;
        }
        let mut hash = ContentHash::EMPTY;
        let barren = if reproduced { ran } else { ran + 1 };
        for &ix in events.iter().take(barren) {
            *self.barren.entry(hash).or_default() += 1;
            hash = hash.push(arena.content(ix));
        }
    }

    /// How often a list was silent, run alone or as the beginning of another.
    pub fn passed(&self, hash: ContentHash) -> u32 {
        let passed = self.barren.get(&hash).copied().unwrap_or_default();
        passed.saturating_add(self.silent(hash))
    }

    /// Takes in one run.
    pub fn insert(&mut self, arena: &Arena, events: &[EventIx], outcome: &Arc<Outcome>) {
        let mut hash = ContentHash::EMPTY;
        let mut kept = hash;
        for (ran, &ix) in events.iter().enumerate() {
            hash = hash.push(arena.content(ix));
            if outcome.reproduced && ran + 1 == outcome.ran {
                kept = hash;
                self.outcomes.insert(hash, Told { outcome: Arc::clone(outcome), silent: 0, kept });
            }
        }
        let silent = if outcome.reproduced { 0 } else { self.silent(hash).saturating_add(1) };
        self.outcomes.insert(hash, Told { outcome: Arc::clone(outcome), silent, kept });
    }

    /// How many runs of a list were silent, if none reproduced.
    pub fn silent(&self, hash: ContentHash) -> u32 {
        self.outcomes.get(&hash).map_or(0, |told| told.silent)
    }

    /// No further run of a list can change that it does not reproduce.
    pub fn settle(&mut self, hash: ContentHash) {
        if let Some(told) = self.outcomes.get_mut(&hash) {
            told.silent = u32::MAX;
        }
    }

    /// What was told of a list that reproduced is not enough any more: it is asked for again.
    pub fn forget(&mut self, list: ContentHash) {
        self.outcomes.retain(|_, told| !(told.outcome.reproduced && told.kept == list));
    }

    /// A list has been seen to reproduce too seldom.
    pub fn is_disowned(&self, list: ContentHash) -> bool {
        self.disowned.contains(&list)
    }

    /// A list reproduces too seldom: from now on it counts as one that does not. Of a longer list that failed as early as this
    /// one nothing is known then: its end may make up for what its beginning lacks.
    pub fn disown(&mut self, list: ContentHash) {
        self.disowned.insert(list);
        let fell_with = |told: &Told| told.outcome.reproduced && told.kept == list;
        self.outcomes.retain(|hash, told| *hash == list || !fell_with(told));
        if let Some(told) = self.outcomes.get_mut(&list).filter(|told| fell_with(told)) {
            told.outcome = Arc::new(Outcome { reproduced: false, ..Outcome::clone(&told.outcome) });
            told.silent = u32::MAX;
        }
    }
}

impl Lookup for Cache {
    fn outcome(&self, hash: ContentHash) -> Option<&Arc<Outcome>> {
        let told = self.outcomes.get(&hash)?;
        (told.outcome.reproduced || told.silent >= self.silence_needed).then_some(&told.outcome)
    }

    fn is_barren(&self, hash: ContentHash) -> bool {
        self.silence_needed == 1 && self.barren.contains_key(&hash)
    }

    fn skips(&self, events: &[EventIx], hash: ContentHash) -> bool {
        let foretold = || self.prophet.as_ref().is_some_and(|prophet| prophet.foretells_no(events));
        !Prophet::samples(hash.number()) && foretold()
    }

    fn hits(&self) -> &[Arc<[EventIx]>] {
        &self.hits
    }

    fn forget_hits(&mut self) {
        self.hits.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Input, Wait};
    use crate::device::Reset;
    use crate::trace::{Trace, TraceEvent};

    fn arena() -> Arena {
        let (package, app_hash, target, device) = Default::default();
        let event = |ms| TraceEvent {
            input: Input::Wait(ms),
            wait: Wait::Settle,
            target: None,
            before: None,
            after: None,
            rules: None,
        };
        let (format, start, events) = (Trace::FORMAT, Reset::Clean, (0..2).map(event).collect());
        Arena::new(Trace {
            format,
            package,
            app_hash,
            target,
            device,
            start,
            first: None,
            failure: None,
            events,
        })
    }

    #[test]
    fn a_list_that_failed_early_by_luck_is_asked_for_again_when_its_beginning_is_given_up() {
        let arena = arena();
        let mut cache = Cache::default();
        let (labels, effects, trees) = Default::default();
        let early = Arc::new(Outcome { reproduced: true, ran: 1, labels, effects, trees });
        cache.insert(&arena, &[0, 1], &early);
        let [beginning, whole] = [&[0][..], &[0, 1]].map(|events| ContentHash::of(&arena, events));
        cache.disown(beginning);
        assert!(cache.outcome(beginning).is_some_and(|told| !told.reproduced));
        assert!(cache.outcome(whole).is_none(), "it has not been seen to do without its end");
    }
}
