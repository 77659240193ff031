//! Turns a search into a shrinker: cache, asking ahead, merging, the one-by-one pass and the best so far.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::arena::{Arena, ContentHash, EventIx};
use super::film::{Film, Screens};
use super::prophet::{Foretell, Prophet};
use super::search::{Effect, Outcome, Proposals, Search};
use super::walk::{Lookup, Walk, look_ahead};
use super::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::ids::CandidateId;
use crate::trace::event_tree::{Labels, StateLabel};
use crate::trace::{Trace, TraceEvent};

/// A search that is asked and told.
///
/// The search itself only moves when its own question is answered; what other candidates showed waits in the cache until
/// the search asks for it. So the result does not depend on the order in which answers arrive, as long as no two hits are
/// merged.
pub struct Engine<S, B> {
    arena: Arc<Arena>,
    labels: Labels,
    runs: u32,
    fails: bool,
    foretell: Foretell,
    stage: Stage<S, B>,
    cache: Cache,
    under_way: BTreeMap<CandidateId, Arc<[EventIx]>>,
    next_id: CandidateId,
    best: Best,
    screens: Screens,
    counts: Counts,
}

/// What a search is built from, once the original has been replayed.
#[derive(Clone, Debug)]
pub struct Original<'a> {
    /// The events; the original's come first.
    pub arena: Arc<Arena>,
    /// The original's events up to its failure.
    pub events: Vec<EventIx>,
    /// What its replay showed.
    pub seen: Arc<Outcome>,
    /// The screens and rules of that replay.
    pub record: &'a RunRecord,
    /// Its last event is the failure.
    pub ends_in_failure: bool,
}

impl Original<'_> {
    /// The state before each event, for the event tree; all one state where the device cannot tell.
    pub fn labels_before(&self) -> Vec<StateLabel> {
        (0..self.events.len()).map(|event| self.seen.labels.get(event).copied().unwrap_or_default()).collect()
    }
}

enum Stage<S, B> {
    /// The original is not yet replayed.
    Replay(Option<B>),
    /// Its replay did not reproduce.
    Refused,
    /// The search goes on.
    Walk(Walk<S>),
}

struct Best {
    events: Vec<EventIx>,
    seen: Option<Arc<Outcome>>,
    /// What its run showed; the trace is made of it when somebody asks.
    film: Option<Film>,
    trace: OnceLock<Trace>,
}

/// What earlier answers settled.
#[derive(Default)]
struct Cache {
    outcomes: FxHashMap<ContentHash, Arc<Outcome>>,
    /// Beginnings of lists that ran without reproducing.
    barren: FxHashSet<ContentHash>,
    /// Hits that the search has not asked for.
    hits: Vec<Arc<[EventIx]>>,
    prophet: Option<Prophet>,
}

/// Of longer runs only the end is remembered: nobody asks for their beginnings, and they are many.
const LONGEST_REMEMBERED: usize = 512;

impl<S: Search, B: FnOnce(&Original) -> S + Send> Engine<S, B> {
    /// A shrinker for a setup. Candidates may also use events from elsewhere. The search is built when the original's
    /// replay is known.
    pub fn new<'a>(setup: Setup, elsewhere: impl IntoIterator<Item = &'a Arc<TraceEvent>>, build: B) -> Self {
        let trace = setup.original.clone();
        let mut arena = Arena::new(setup.original);
        for event in elsewhere {
            arena.add_new(event);
        }
        let arena = Arc::new(arena);
        let events: Vec<EventIx> = (0..arena.originals() as EventIx).collect();
        let mut engine = Self {
            arena,
            labels: setup.labels,
            runs: setup.runs.max(1),
            fails: setup.fails,
            foretell: setup.foretell,
            stage: Stage::Replay(Some(build)),
            cache: Cache::default(),
            under_way: BTreeMap::new(),
            next_id: CandidateId(1),
            best: Best { events, seen: None, film: None, trace: OnceLock::from(trace) },
            screens: Screens::default(),
            counts: Counts::default(),
        };
        if let Some(replay) = &setup.replay {
            let all = engine.all();
            engine.take(&all, replay);
        }
        engine
    }

    fn all(&self) -> Arc<[EventIx]> {
        (0..self.arena.originals() as EventIx).collect()
    }

    /// Takes in what a list of events showed.
    fn take(&mut self, events: &Arc<[EventIx]>, record: &RunRecord) {
        let outcome = Arc::new(self.outcome(events, record));
        self.check_prophecy(events, &outcome);
        if outcome.reproduced {
            let kept = &events[..outcome.ran];
            if self.best.seen.is_none() || self.better(kept) {
                self.best = Best {
                    events: kept.to_vec(),
                    seen: Some(Arc::clone(&outcome)),
                    film: Some(self.screens.film(record)),
                    trace: OnceLock::new(),
                };
            }
            self.cache.hits.push(kept.into());
        }
        self.cache.insert(&self.arena, events, &outcome);
        if let Stage::Replay(build) = &mut self.stage {
            self.stage = match build.take() {
                Some(build) if outcome.reproduced => {
                    let events = self.best.events.clone();
                    let original = Original {
                        arena: Arc::clone(&self.arena),
                        events: events.clone(),
                        seen: outcome,
                        record,
                        ends_in_failure: self.fails,
                    };
                    self.cache.hits.clear();
                    self.cache.prophet = match self.foretell {
                        Foretell::Nothing => None,
                        Foretell::Certain => Some(Prophet::new(&original)),
                    };
                    Stage::Walk(Walk::new(build(&original), events))
                }
                _ => Stage::Refused,
            };
        }
        if let Stage::Walk(walk) = &mut self.stage {
            if let Some(seen) = &self.best.seen {
                walk.note_best(&self.best.events, seen);
            }
            walk.advance(&self.arena, &mut self.cache, &mut self.counts);
        }
    }

    /// Compares what a run showed with what was foretold, and learns from it.
    fn check_prophecy(&mut self, events: &[EventIx], outcome: &Outcome) {
        if let Some(prophet) = &mut self.cache.prophet {
            if prophet.foretells_no(events) {
                self.counts.rechecked += 1;
                if outcome.reproduced {
                    self.counts.wrong += 1;
                    prophet.distrust();
                }
            }
            prophet.learn(events, outcome);
        }
    }

    /// A list is better if it is shorter, or as long and made of simpler events.
    fn better(&self, events: &[EventIx]) -> bool {
        let weight =
            |list: &[EventIx]| -> u64 { list.iter().map(|&ix| self.arena.event(ix).complexity()).sum() };
        match events.len().cmp(&self.best.events.len()) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => weight(events) < weight(&self.best.events),
            std::cmp::Ordering::Greater => false,
        }
    }

    fn outcome(&self, events: &[EventIx], record: &RunRecord) -> Outcome {
        let ran = record.events.min(events.len());
        let reproduced = record.verdict == Verdict::Reproduced;
        if ran > LONGEST_REMEMBERED && matches!(self.stage, Stage::Walk(_)) {
            let end = record.screens.get(ran).map(|screen| self.labels.of(screen));
            return Outcome { reproduced, ran, labels: end.into_iter().collect(), effects: Vec::new() };
        }
        let labels: Vec<StateLabel> =
            record.screens.iter().take(ran + 1).map(|screen| self.labels.of(screen)).collect();
        let effects = (0..ran)
            .map(|ix| {
                let rules = record.rules.as_ref().and_then(|rules| rules.get(ix));
                let changed = match (record.screens.get(ix), record.screens.get(ix + 1)) {
                    (Some(before), Some(after)) => before != after,
                    _ => false,
                };
                match rules {
                    _ if changed => Effect::Some,
                    Some(rules) if rules.is_empty() => Effect::None,
                    Some(_) => Effect::Some,
                    None => Effect::Unknown,
                }
            })
            .collect();
        Outcome { reproduced, ran, labels, effects }
    }

    /// The best trace with what was seen in the run that proved it.
    fn seen_trace(&self) -> Trace {
        let screen = |at: usize| self.screens.screen(self.best.film.as_ref()?, at);
        let rules = |at: usize| self.best.film.as_ref()?.rules(at);
        let events = self.best.events.iter().enumerate().map(|(at, &ix)| TraceEvent {
            before: screen(at),
            after: screen(at + 1),
            rules: rules(at),
            ..TraceEvent::clone(self.arena.event(ix))
        });
        Trace { events: events.collect(), first: screen(0), ..Trace::clone(self.arena.head()) }
    }

    fn candidate(&mut self, events: Arc<[EventIx]>) -> Candidate {
        let id = self.next_id;
        self.next_id = id.next();
        let candidate = Candidate {
            id,
            head: Arc::clone(self.arena.head()),
            events: self.arena.events(&events),
            runs: self.runs,
        };
        self.under_way.insert(id, events);
        candidate
    }
}

impl<S: Search, B: FnOnce(&Original) -> S + Send> Shrinker for Engine<S, B> {
    fn ask(&mut self, free: usize) -> Ask {
        let wanted = match &mut self.stage {
            Stage::Refused => return Ask::Done,
            Stage::Replay(_) if self.under_way.is_empty() => vec![self.all()],
            Stage::Replay(_) => Vec::new(),
            Stage::Walk(walk) => {
                if walk.is_done() {
                    return Ask::Done;
                }
                let busy: BTreeSet<_> =
                    self.under_way.values().map(|events| ContentHash::of(&self.arena, events)).collect();
                look_ahead(walk, &self.arena, &self.cache, &busy, free)
            }
        };
        if wanted.is_empty() {
            return Ask::Wait;
        }
        Ask::Run(wanted.into_iter().take(free.max(1)).map(|events| self.candidate(events)).collect())
    }

    fn tell(&mut self, id: CandidateId, record: &RunRecord) {
        let Some(events) = self.under_way.remove(&id) else { return };
        if record.verdict == Verdict::DeviceLost {
            self.counts.lost += 1;
            return;
        }
        self.counts.runs += 1;
        self.counts.events += record.events as u64;
        self.take(&events, record);
    }

    fn stale(&mut self) -> Vec<CandidateId> {
        let Stage::Walk(walk) = &mut self.stage else { return Vec::new() };
        let mut wanted = BTreeSet::new();
        if !walk.is_done() {
            let reach = self.under_way.len() * 2 + 16;
            for events in look_ahead(walk, &self.arena, &self.cache, &BTreeSet::new(), reach) {
                wanted.insert(ContentHash::of(&self.arena, &events));
            }
        }
        let stale: Vec<_> = self
            .under_way
            .iter()
            .filter(|(_, events)| !wanted.contains(&ContentHash::of(&self.arena, events)))
            .map(|(&id, _)| id)
            .collect();
        for id in &stale {
            self.under_way.remove(id);
        }
        stale
    }

    fn best(&self) -> &Trace {
        self.best.trace.get_or_init(|| self.seen_trace())
    }

    fn confirmed(&self) -> bool {
        self.best.seen.is_some()
    }

    fn counts(&self) -> Counts {
        let proposals = match &self.stage {
            Stage::Walk(walk) => walk.proposals(),
            Stage::Replay(_) | Stage::Refused => Proposals::default(),
        };
        Counts { proposed: proposals.made, refuted: proposals.refuted, ..self.counts }
    }
}

impl Cache {
    fn insert(&mut self, arena: &Arena, events: &[EventIx], outcome: &Arc<Outcome>) {
        let mut hash = ContentHash::EMPTY;
        let remember = events.len() <= LONGEST_REMEMBERED;
        // A run that reproduces after its last event has shown that no beginning of it reproduces.
        let barren = if outcome.reproduced { outcome.ran } else { outcome.ran + 1 };
        for (ran, &ix) in events.iter().enumerate() {
            if remember && ran < barren {
                self.barren.insert(hash);
            }
            hash = hash.push(arena.content(ix));
            if outcome.reproduced && ran + 1 == outcome.ran {
                self.outcomes.insert(hash, Arc::clone(outcome));
            }
        }
        self.outcomes.insert(hash, Arc::clone(outcome));
    }
}

impl Lookup for Cache {
    fn outcome(&self, hash: ContentHash) -> Option<&Arc<Outcome>> {
        self.outcomes.get(&hash)
    }

    fn is_barren(&self, hash: ContentHash) -> bool {
        self.barren.contains(&hash)
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
