//! How often the result of a shrink reproduces, and the way back when that is too seldom.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::arena::{ContentHash, EventIx};
use super::engine::Hit;
use super::noise::{CERTIFICATE, Known, MOST_ORIGINAL, Noise, Rate, Trial};

/// What is known about chance while a shrink goes on.
#[derive(Debug)]
pub struct Chance {
    /// Runs of lists that are known to reproduce.
    pool: Rate,
    /// The rate that the result is held to: the original's, or that of the trace that all began with.
    reference: Rate,
    /// The list whose runs tell that rate; none if no more of them can be made.
    reference_list: Option<ContentHash>,
    /// The whole original.
    whole: ContentHash,
    /// Whose rate it is.
    held_to: HeldTo,
    /// How often the original was seen to reproduce before this shrink.
    start: Rate,
    /// The original, or the beginning of it that the search began with because it fails there.
    start_list: Option<ContentHash>,
    /// Runs of each list since it was seen to reproduce.
    proven: BTreeMap<ContentHash, Rate>,
    /// The lists that were seen to reproduce and have not been dropped.
    hits: Vec<Arc<Hit>>,
    /// The whole original, where the search began with a beginning of it: the last to go back to.
    fallback: Option<Arc<Hit>>,
    /// How often lists have failed that are not yet believed.
    doubted: BTreeMap<ContentHash, Rate>,
    dropped: u32,
}

/// Whose rate a result is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeldTo {
    /// The original's.
    Original,
    /// That of another trace, from which the original comes.
    First,
}

/// How often the result of a shrink reproduces, and the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Certificate {
    /// The result, since it was seen to reproduce.
    pub result: Rate,
    /// The trace that all began with.
    pub original: Rate,
    /// All lists that are known to reproduce.
    pub pool: Rate,
}

/// What the certificate needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// So many more runs of the result.
    RunResult(u32),
    /// A run of the original.
    RunOriginal,
    /// Nothing: the result has its certificate.
    Done,
    /// The result fails too seldom.
    Failed,
}

/// What a run of a list may be taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// What it showed.
    AsSeen,
    /// Nothing yet: it is run again.
    Open,
    /// The list reproduces too seldom, however often it still may.
    Never,
}

/// What a dropped result takes along.
#[derive(Debug)]
pub struct Drop {
    /// Lists that count as not reproducing from now on.
    pub disowned: Vec<Vec<EventIx>>,
    /// Lists that have to be proven again.
    pub unproven: Vec<Vec<EventIx>>,
    /// The best that is left.
    pub next: Option<Arc<Hit>>,
    /// It is the whole original, of which only a beginning was searched.
    pub to_whole: bool,
}

/// After so many dropped results the search does not go on; what it found is tried from the shortest up.
const MOST_DROPPED: u32 = 6;
/// So many hits are asked for before a list is believed to reproduce, by the number of results that had to be dropped. Where
/// rates fall little by little, as the events do, only many hits tell one list from the next.
const PROOFS: [u32; MOST_DROPPED as usize + 1] = [1, 2, 3, 4, 6, 10, 16];

impl Chance {
    /// What is known at the start about an original; none if nothing is left to chance.
    pub fn new(noise: Noise, whole: ContentHash) -> Option<Self> {
        let Noise::Chance(Known { pool, reference, start }) = noise else { return None };
        Some(Self {
            pool,
            reference: reference.unwrap_or_default(),
            reference_list: reference.is_none().then_some(whole),
            whole,
            held_to: if reference.is_some() { HeldTo::First } else { HeldTo::Original },
            start,
            start_list: None,
            proven: BTreeMap::new(),
            hits: Vec::new(),
            fallback: None,
            doubted: BTreeMap::new(),
            dropped: 0,
        })
    }

    /// This is the list of the trace that all began with.
    pub fn hold_to(&mut self, first: ContentHash) {
        if self.held_to == HeldTo::First {
            self.reference_list = Some(first);
        }
    }

    /// The original was replayed.
    pub fn original_ran(&mut self, reproduced: bool) {
        if self.held_to == HeldTo::Original {
            self.reference.add(reproduced);
        }
    }

    /// A list was run; true if it is the one that the result is held to and no more is to be learnt from it than its rate.
    pub fn first_ran(&mut self, list: ContentHash, reproduced: bool) -> bool {
        let first = self.reference_list == Some(list);
        if !first || self.start_list.is_none() || self.proven.contains_key(&list) {
            return false;
        }
        self.reference.add(reproduced);
        self.pool.add(reproduced);
        true
    }

    /// A list was run; true if it was known to reproduce, so that the run only tells how often it does.
    pub fn ran_again(&mut self, list: ContentHash, reproduced: bool) -> bool {
        let Some(rate) = self.proven.get_mut(&list) else { return false };
        rate.add(reproduced);
        self.pool.add(reproduced);
        if self.reference_list == Some(list) {
            self.reference.add(reproduced);
        }
        true
    }

    /// A list was seen to reproduce, so that its runs only tell how often it does.
    pub fn is_proven(&self, list: ContentHash) -> bool {
        self.proven.contains_key(&list)
    }

    /// How many hits a list needs before it is believed: one, until a result had to be dropped that was believed too soon.
    fn proofs_needed(&self) -> u32 {
        PROOFS[(self.dropped.min(MOST_DROPPED)) as usize]
    }

    /// A list that is not known to reproduce was run: whether its run can be taken for what it showed.
    pub fn belief(&mut self, list: ContentHash, reproduced: bool) -> Belief {
        let proofs = self.proofs_needed();
        let rate = self.doubted.entry(list).or_default();
        if proofs == 1 || (!reproduced && rate.hits == 0) {
            return Belief::AsSeen;
        }
        rate.add(reproduced);
        // As often as the original, a list that is as good may be silent, too.
        let allowed = self.reference.silence_before(proofs);
        match reproduced {
            true if rate.hits < proofs => Belief::Open,
            true => Belief::AsSeen,
            false if rate.silent <= allowed => Belief::Open,
            false => Belief::Never,
        }
    }

    /// The beginning of a list has failed, which is not believed as soon as results had to be dropped: it may have been luck that
    /// the rest was not needed.
    pub fn doubts(&mut self, beginning: ContentHash) -> bool {
        self.dropped > 0 && !self.is_proven(beginning) && self.belief(beginning, true) != Belief::AsSeen
    }

    /// A list was seen to reproduce, after so many silent runs.
    pub fn proven(&mut self, list: ContentHash, silent: u32, hit: &Arc<Hit>) {
        if silent > 0 && self.dropped == 0 {
            self.pool.hits += 1;
            self.pool.silent += silent;
        }
        if self.held_to == HeldTo::First && self.start_list == Some(list) {
            // What was found out before this shrink stays.
            return;
        }
        let is_start = self.hits.is_empty();
        // What is known of the original is not known of a beginning that happened to fail.
        let known = if is_start && list == self.whole { self.start } else { Rate::default() };
        if let Entry::Vacant(place) = self.proven.entry(list) {
            place.insert(known);
            self.hits.push(Arc::clone(hit));
        }
        if is_start {
            self.start_list = Some(list);
        }
    }

    /// The lists that were seen to reproduce and were not dropped since.
    pub fn hits(&self) -> &[Arc<Hit>] {
        &self.hits
    }

    /// The search begins with a beginning of the original, because it fails there: this is the whole.
    pub fn fall_back_on(&mut self, whole: &Arc<Hit>) {
        self.fallback = Some(Arc::clone(whole));
    }

    /// No other list is known to reproduce.
    pub fn has_no_other(&self) -> bool {
        self.hits.len() <= 1 && self.fallback.is_none()
    }

    /// How many silent runs tell that a list does not reproduce.
    pub fn silence_needed(&self) -> u32 {
        self.pool.silence_needed()
    }

    /// The result is the original, and what is known about it was found out before this shrink.
    pub fn is_handed_on(&self, is_original: bool) -> bool {
        is_original && self.held_to == HeldTo::First
    }

    /// What the certificate of a list needs next.
    pub fn next(&self, list: ContentHash, is_original: bool) -> Next {
        let result = self.proven.get(&list).copied().unwrap_or_default();
        if is_original {
            let known = self.is_handed_on(is_original) || result.runs() >= CERTIFICATE;
            return if known { Next::Done } else { Next::RunResult(CERTIFICATE - result.runs()) };
        }
        let left = match self.reference_list {
            Some(_) => MOST_ORIGINAL.saturating_sub(self.reference.runs()),
            None => 0,
        };
        match Trial::next(result, self.reference, left, self.pool) {
            Trial::RunResult => Next::RunResult(CERTIFICATE.saturating_sub(result.runs()).max(1)),
            Trial::RunOriginal => Next::RunOriginal,
            Trial::Passed => Next::Done,
            Trial::Failed => Next::Failed,
        }
    }

    /// Drops the best list, and more than it if many have been dropped. What fell too soon under the same belief is to be
    /// proven again. The original is the last to stay.
    pub fn drop_best(
        &mut self,
        best: &Arc<Hit>,
        list: ContentHash,
        better: impl Fn(&Hit, &Hit) -> bool,
    ) -> Drop {
        self.dropped += 1;
        // What fails seldom by itself says nothing about how often the others do.
        let rate = self.proven.get(&list).copied().unwrap_or_default();
        self.pool.hits -= rate.hits.min(self.pool.hits);
        self.pool.silent -= rate.silent.min(self.pool.silent);
        let is_last = self.hits.len() <= 1 || self.searches_on() && self.start_list == Some(list);
        if let Some(whole) = self.fallback.take_if(|_| is_last) {
            return self.go_back_to(whole, best);
        }
        let mut disowned = Vec::new();
        let mut next = Some(Arc::clone(best));
        let beyond = self.dropped.saturating_sub(MOST_DROPPED).min(16);
        for _ in 0..1_u32 << beyond {
            let Some(drop) = next.as_ref().filter(|_| self.hits.len() > 1) else { break };
            let at = self.hits.iter().position(|hit| Arc::ptr_eq(hit, drop)).unwrap_or(self.hits.len() - 1);
            disowned.push(self.hits.remove(at).events.clone());
            let left = self.hits.iter();
            next = left.reduce(|best, hit| if better(hit, best) { hit } else { best }).cloned();
        }
        let mut unproven = Vec::new();
        if self.searches_on() {
            unproven = self.hits.drain(1..).map(|hit| hit.events.clone()).collect();
            next = self.hits.first().cloned();
            let start = self.start_list;
            self.proven.retain(|list, _| Some(*list) == start);
        }
        Drop { disowned, unproven, next, to_whole: false }
    }

    /// Drops the beginning that the search began with, and all that was found in it.
    fn go_back_to(&mut self, whole: Arc<Hit>, best: &Arc<Hit>) -> Drop {
        let others = self.hits.drain(..).filter(|hit| !Arc::ptr_eq(hit, best));
        let unproven = others.map(|hit| hit.events.clone()).collect();
        let known = match self.held_to {
            HeldTo::Original => self.reference,
            HeldTo::First => self.start,
        };
        self.proven = BTreeMap::from([(self.whole, known)]);
        self.start_list = Some(self.whole);
        self.hits.push(Arc::clone(&whole));
        Drop { disowned: vec![best.events.clone()], unproven, next: Some(whole), to_whole: true }
    }

    /// The search is worth going on after a result was dropped.
    pub fn searches_on(&self) -> bool {
        self.dropped <= MOST_DROPPED
    }

    /// What is known about a list that reproduces.
    pub fn certificate(&self, list: ContentHash) -> Certificate {
        let result = self.proven.get(&list).copied().unwrap_or_default();
        Certificate { result, original: self.reference, pool: self.pool }
    }
}
