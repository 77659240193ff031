//! A search and its final pass as one line of questions, and how the engine asks ahead along it.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

use super::Counts;
use super::arena::{Arena, ContentHash, EventIx};
use super::list::intersection;
use super::one_by_one::OneByOne;
use super::search::{Aim, Answer, Outcome, Proposals, Question, Search};

/// A search, then the one-by-one pass over the best it found, then the search's own polish and the pass again.
#[derive(Clone, Debug)]
pub struct Walk<S> {
    search: S,
    phase: Phase,
    /// No shorter list is known to reproduce; of equally long ones it is the last that was asked for.
    best: Proof,
    /// The lists that one-by-one passes ended with, the last one last.
    minimal: Vec<Proof>,
    /// Hits that arrived together, tried as one before anything else.
    merge: Option<Vec<EventIx>>,
    asking: Option<Arc<Asked>>,
}

/// A question and what it is cached under.
#[derive(Debug)]
struct Asked {
    question: Question,
    hash: ContentHash,
}

/// A list that reproduces, and what its run showed, if that is known.
#[derive(Clone, Debug)]
struct Proof {
    events: Vec<EventIx>,
    seen: Option<Arc<Outcome>>,
}

#[derive(Clone, Debug)]
enum Phase {
    Search,
    /// The pass, and what the run of its list showed, if that is known.
    OneByOne(OneByOne, Option<Arc<Outcome>>),
    Done,
}

/// What earlier answers settled.
pub trait Lookup {
    /// What running a list showed.
    fn outcome(&self, hash: ContentHash) -> Option<&Arc<Outcome>>;
    /// A longer list that begins so ran past here without reproducing.
    fn is_barren(&self, hash: ContentHash) -> bool;
    /// It is foretold that a list does not reproduce, and it is not in the sample that is run all the same.
    fn skips(&self, events: &[EventIx], hash: ContentHash) -> bool;
    /// Hits that the search has not asked for.
    fn hits(&self) -> &[Arc<[EventIx]>];
    /// The hits have been looked at.
    fn forget_hits(&mut self);
}

impl<S: Search> Walk<S> {
    /// Starts a search over a list that reproduces.
    pub fn new(search: S, best: Vec<EventIx>) -> Self {
        let best = Proof { events: best, seen: None };
        Self { search, phase: Phase::Search, best, minimal: Vec::new(), merge: None, asking: None }
    }

    /// Nothing is left to ask.
    pub fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// What rules proposed to delete.
    pub fn proposals(&self) -> Proposals {
        self.search.proposals()
    }

    /// What is left: when nothing is left to ask, the list that the last pass ended with, if the search needs one.
    pub fn best(&self) -> &[EventIx] {
        &self.best.events
    }

    /// A list was seen to reproduce, perhaps by asking ahead. If it is shorter than what is known and the last question has
    /// been asked, no pass has gone over it yet.
    pub fn note_best(&mut self, best: &[EventIx], seen: &Arc<Outcome>) {
        if best.len() < self.best.events.len() {
            self.best = Proof { events: best.to_vec(), seen: Some(Arc::clone(seen)) };
            if self.is_done() && self.search.needs_one_by_one() {
                self.phase = self.pass();
            }
        }
    }

    /// When nothing is left to ask: another list that reproduces and is as good is to be the result. True if a pass has to go
    /// over it first.
    pub fn prefer(&mut self, arena: &Arena, events: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool {
        let hash = ContentHash::of(arena, events);
        let is_it = |proof: &&Proof| ContentHash::of(arena, &proof.events) == hash;
        if let Some(past) = self.minimal.iter().find(is_it) {
            self.best = past.clone();
            return false;
        }
        if is_it(&&self.best) || !self.search.needs_one_by_one() {
            return false;
        }
        self.best = Proof { events: events.to_vec(), seen: seen.cloned() };
        self.phase = self.pass();
        true
    }

    /// The one-by-one pass over the best.
    fn pass(&self) -> Phase {
        Phase::OneByOne(OneByOne::new(self.best.events.clone()), self.best.seen.clone())
    }

    /// Moves on as far as earlier answers allow.
    pub fn advance(&mut self, arena: &Arena, cache: &mut impl Lookup, counts: &mut Counts) {
        let mut first = true;
        while let Some(asked) = self.question(arena) {
            if let Some(answer) = settled(cache, &asked) {
                counts.cached += u64::from(!first);
                self.answer(&asked.question, &answer);
            } else if self.skips(cache, &asked) {
                counts.skipped += 1;
                self.answer(&asked.question, &Answer::Guess(false));
            } else {
                break;
            }
            first = false;
        }
        self.plan_merge(arena, cache, counts);
    }

    /// The search, but never the one-by-one pass, takes a prophecy for an answer.
    fn skips(&self, cache: &impl Lookup, asked: &Asked) -> bool {
        matches!(self.phase, Phase::Search)
            && asked.question.aim == Aim::Goal
            && cache.skips(&asked.question.events, asked.hash)
    }

    /// Takes the hits that the search has not used, and plans to try them all as one.
    fn plan_merge(&mut self, arena: &Arena, cache: &mut impl Lookup, counts: &mut Counts) {
        if let Some(current) = self.current() {
            let mut merged = current.to_vec();
            for hit in cache.hits() {
                if let Some(fewer) = common(&merged, hit) {
                    merged = fewer;
                }
            }
            let hash = ContentHash::of(arena, &merged);
            let new = cache.outcome(hash).is_none() && !cache.is_barren(hash);
            if merged.len() < current.len() && new {
                counts.merged += 1;
                self.merge = Some(merged);
                self.asking = None;
            }
        }
        cache.forget_hits();
    }

    /// The list that further deletions start from.
    fn current(&self) -> Option<&[EventIx]> {
        match &self.phase {
            Phase::Search => self.search.current(),
            Phase::OneByOne(pass, _) => pass.current(),
            Phase::Done => None,
        }
    }

    fn question(&mut self, arena: &Arena) -> Option<Arc<Asked>> {
        if self.asking.is_none() {
            let question = match &self.merge {
                Some(merged) => Some(Question::goal(merged.clone(), ODDS_MERGE)),
                None => self.next_question(arena),
            };
            self.asking = question.map(|question| {
                let hash = ContentHash::of(arena, &question.events);
                Arc::new(Asked { question, hash })
            });
        }
        self.asking.clone()
    }

    fn next_question(&mut self, arena: &Arena) -> Option<Question> {
        loop {
            self.phase = match &mut self.phase {
                Phase::Search => {
                    if let Some(question) = self.search.question() {
                        return Some(question);
                    }
                    match self.minimal.last().cloned() {
                        _ if !self.search.needs_one_by_one() => self.end(arena),
                        // No list is gone over twice, or equally long ones could take turns for ever.
                        Some(minimal) if self.minimal.iter().any(|past| past.events == self.best.events) => {
                            self.polish(arena, minimal)
                        }
                        _ => self.pass(),
                    }
                }
                Phase::OneByOne(pass, seen) => {
                    if let Some(question) = pass.question() {
                        return Some(question);
                    }
                    let minimal = Proof { events: pass.events().to_vec(), seen: seen.take() };
                    if self.best.events.len() < minimal.events.len() {
                        self.pass()
                    } else {
                        self.polish(arena, minimal)
                    }
                }
                Phase::Done => return None,
            };
        }
    }

    /// A pass has ended with this list, and nothing shorter is known.
    fn polish(&mut self, arena: &Arena, minimal: Proof) -> Phase {
        let more = self.search.polish(&minimal.events, minimal.seen.as_ref());
        self.best = minimal.clone();
        self.minimal.push(minimal);
        if more { Phase::Search } else { self.end(arena) }
    }

    /// Nothing is left to ask. What was proven before is not given up for what is only as good.
    fn end(&mut self, arena: &Arena) -> Phase {
        if let Some(before) = self.search.proven_before()
            && !arena.is_better(&self.best.events, before)
        {
            self.best = Proof { events: before.to_vec(), seen: None };
        }
        Phase::Done
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        self.asking = None;
        let hit = answer.hit(question).map(|ran| &question.events[..ran]);
        let (goal, seen) = match answer {
            Answer::Seen(outcome) => (outcome.reproduced, Some(outcome)),
            Answer::Guess(yes) => (*yes && question.aim == Aim::Goal, None),
        };
        if let Some(kept) = hit.filter(|kept| goal && kept.len() <= self.best.events.len()) {
            self.best = Proof { events: kept.to_vec(), seen: seen.cloned() };
        }
        if let (Phase::OneByOne(_, of_pass), true) = (&mut self.phase, hit.is_some()) {
            *of_pass = seen.cloned();
        }
        if self.merge.take().is_some() {
            if let Some(kept) = hit {
                match &mut self.phase {
                    Phase::Search => self.search.rebase(kept),
                    Phase::OneByOne(pass, _) => pass.rebase(kept),
                    Phase::Done => {}
                }
            }
            return;
        }
        match &mut self.phase {
            Phase::Search => self.search.answer(question, answer),
            Phase::OneByOne(pass, _) => pass.answer(question, answer),
            Phase::Done => {}
        }
    }
}

const ODDS_MERGE: f64 = 0.6;

/// The earlier answer to a question, if there is one.
fn settled(cache: &impl Lookup, asked: &Asked) -> Option<Answer> {
    if asked.question.events.is_empty() {
        return Some(Answer::Guess(false));
    }
    if let Some(outcome) = cache.outcome(asked.hash) {
        return Some(Answer::Seen(Arc::clone(outcome)));
    }
    (asked.question.aim == Aim::Goal && cache.is_barren(asked.hash)).then_some(Answer::Guess(false))
}

/// What is left of a list when everything that a hit lacks goes too: their longest common part.
fn common(list: &[EventIx], hit: &[EventIx]) -> Option<Vec<EventIx>> {
    let ascending = |events: &[EventIx]| events.windows(2).all(|pair| pair[0] < pair[1]);
    if ascending(list) && ascending(hit) {
        return Some(intersection(list, hit));
    }
    if list.len().saturating_mul(hit.len()) > LARGEST_TABLE {
        return None;
    }
    let width = hit.len() + 1;
    let mut longest = vec![0u32; (list.len() + 1) * width];
    for (i, from_list) in list.iter().enumerate().rev() {
        for (j, from_hit) in hit.iter().enumerate().rev() {
            longest[i * width + j] = if from_list == from_hit {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut kept = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < list.len() && j < hit.len() {
        if list[i] == hit[j] {
            kept.push(list[i]);
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    Some(kept)
}

/// Lists with repeated events are merged by a table of their lengths' product, and only while it is small.
const LARGEST_TABLE: usize = 250_000;

/// Guesses deeper than this likelihood are not worth a device.
const LEAST_LIKELY: f64 = 0.3;

/// The lists worth running now, most likely needed first: the question that is open, and those that follow from the
/// likeliest answers to what is open or under way.
pub fn look_ahead<S: Search>(
    walk: &Walk<S>,
    arena: &Arena,
    cache: &impl Lookup,
    busy: &BTreeSet<ContentHash>,
    free: usize,
) -> Vec<Arc<[EventIx]>> {
    let mut wanted: Vec<Arc<[EventIx]>> = Vec::new();
    let mut seen = busy.clone();
    let mut heap = BinaryHeap::from([Branch { odds: 1.0, age: 0, walk: walk.clone() }]);
    let mut age = 0;
    while let Some(mut branch) = heap.pop() {
        let Some(asked) = branch.walk.question(arena) else { continue };
        let question = &asked.question;
        if let Some(answer) = settled(cache, &asked) {
            branch.walk.answer(question, &answer);
            heap.push(branch);
            continue;
        }
        if branch.walk.skips(cache, &asked) {
            branch.walk.answer(question, &Answer::Guess(false));
            heap.push(branch);
            continue;
        }
        if seen.insert(asked.hash) {
            wanted.push(question.events.as_slice().into());
        }
        if wanted.len() >= free {
            break;
        }
        for (guess, odds) in [(false, 1.0 - question.odds), (true, question.odds)] {
            let odds = branch.odds * odds;
            if odds >= LEAST_LIKELY {
                age += 1;
                let mut walk = branch.walk.clone();
                walk.answer(question, &Answer::Guess(guess));
                heap.push(Branch { odds, age, walk });
            }
        }
    }
    wanted
}

/// One way the answers may go.
struct Branch<S> {
    odds: f64,
    age: u64,
    walk: Walk<S>,
}

impl<S> Ord for Branch<S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.odds.total_cmp(&other.odds).then(other.age.cmp(&self.age))
    }
}

impl<S> PartialOrd for Branch<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> PartialEq for Branch<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<S> Eq for Branch<S> {}
