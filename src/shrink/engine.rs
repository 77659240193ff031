//! Turns a search into a shrinker: cache, asking ahead, merging, the one-by-one pass and the best so far.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::arena::{Arena, ContentHash, EventIx};
use super::cache::{Cache, LONGEST_REMEMBERED};
use super::certify::{Belief, Certificate, Chance, Next};
use super::early::{EARLY_RUNS, Early};
use super::film::{Film, Screens};
use super::noise::MOST_ORIGINAL;
use super::prophet::{Foretell, Prophet};
use super::search::{AnySearch, Effect, Outcome, Proposals, Search};
use super::walk::{Walk, look_ahead};
use super::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::ids::CandidateId;
use crate::trace::event_tree::{Labels, StateLabel};
use crate::trace::{Trace, TraceEvent};

/// A search that is asked and told.
///
/// The search itself only moves when its own question is answered; what other candidates showed waits in the cache until
/// the search asks for it. Where several lists are 1-minimal it depends on the order of the answers which of them is the
/// result: a shorter one that was asked for ahead is gone on with. That the result is the list that the last one-by-one pass
/// ended with does not depend on it.
pub struct Engine {
    arena: Arc<Arena>,
    labels: Labels,
    fails: bool,
    foretell: Foretell,
    build: Build,
    stage: Stage,
    /// The search as it was built and the list it started from, for a device that leaves something to chance.
    fresh: Option<(AnySearch, Vec<EventIx>)>,
    /// What is known about chance, if the device leaves something to it.
    chance: Option<Chance>,
    /// The replays of the original that failed before its end.
    early: Early,
    /// The trace that all began with, if the original comes from it and chance has a part.
    first: Option<Arc<[EventIx]>>,
    cache: Cache,
    under_way: BTreeMap<CandidateId, Arc<[EventIx]>>,
    next_id: CandidateId,
    best: Arc<Hit>,
    /// The lists that reproduce and are as short as the best, it among them.
    as_short: Vec<Arc<Hit>>,
    /// Candidates whose answers have come to mean nothing; they are still to be called off.
    called_off: Vec<CandidateId>,
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

enum Stage {
    /// The original is not yet replayed.
    Replay,
    /// Its replay did not reproduce.
    Refused,
    /// The search goes on.
    Walk(Walk<AnySearch>),
}

/// A list and what its run showed.
#[derive(Debug)]
pub struct Hit {
    /// The events.
    pub events: Vec<EventIx>,
    /// What they showed; none before the original's replay.
    pub seen: Option<Arc<Outcome>>,
    /// The screens and rules, of which the trace is made when somebody asks; none before the original's replay, where what was
    /// recorded stands for them.
    film: Option<Film>,
    trace: OnceLock<Trace>,
}

/// Makes the search, once the original's replay is known; again if the search goes back to the whole original.
type Build = Box<dyn Fn(&Original<'_>) -> AnySearch + Send>;

impl Engine {
    /// A shrinker for a setup. Candidates may also use events from elsewhere. The search is built when the original's
    /// replay is known.
    pub fn new<S: Search + 'static>(
        setup: Setup,
        elsewhere: &[Arc<TraceEvent>],
        build: impl Fn(&Original<'_>) -> S + Send + 'static,
    ) -> Self {
        Self::with(setup, elsewhere, Box::new(move |original| AnySearch::new(build(original))))
    }

    fn with(setup: Setup, elsewhere: &[Arc<TraceEvent>], build: Build) -> Self {
        let mut arena = Arena::new(setup.original);
        for event in elsewhere {
            arena.add_new(event);
        }
        let events: Vec<EventIx> = (0..arena.originals() as EventIx).collect();
        let mut chance = Chance::new(setup.noise, ContentHash::of(&arena, &events));
        let first = setup.first.filter(|_| chance.is_some()).map(|first| -> Arc<[EventIx]> {
            first.events.iter().map(|event| arena.add_new(&Arc::new(event.clone()))).collect()
        });
        if let (Some(chance), Some(first)) = (&mut chance, &first) {
            chance.hold_to(ContentHash::of(&arena, first));
        }
        let arena = Arc::new(arena);
        let mut engine = Self {
            arena,
            labels: setup.labels,
            fails: setup.fails,
            foretell: setup.foretell,
            build,
            stage: Stage::Replay,
            fresh: None,
            chance,
            early: Early::default(),
            first,
            cache: Cache::default(),
            under_way: BTreeMap::new(),
            next_id: CandidateId(1),
            best: Arc::new(Hit { events, seen: None, film: None, trace: OnceLock::new() }),
            as_short: Vec::new(),
            called_off: Vec::new(),
            screens: Screens::default(),
            counts: Counts::default(),
        };
        if let Some(replay) = &setup.replay {
            let all = engine.all();
            engine.hear(&all, replay);
        }
        engine
    }

    fn all(&self) -> Arc<[EventIx]> {
        (0..self.arena.originals() as EventIx).collect()
    }

    /// Hears what a run of a list showed. What is known to reproduce is run again only to learn how often it does, and
    /// whether the failure may come before its end.
    fn hear(&mut self, list: &Arc<[EventIx]>, record: &RunRecord) {
        let reproduced = record.verdict == Verdict::Reproduced;
        let ran = record.events.min(list.len());
        let mut events = Arc::clone(list);
        let mut hash = ContentHash::of(&self.arena, &events);
        self.cache.pass(&self.arena, &events, ran, reproduced);
        let mut belief = Belief::AsSeen;
        if let Some(chance) = &mut self.chance {
            if chance.first_ran(hash, reproduced) {
                self.mind_chance();
                return;
            }
            if matches!(self.stage, Stage::Replay) {
                chance.original_ran(reproduced);
                let at_its_end = reproduced && ran == events.len();
                if !at_its_end && self.early.heard(record, ran < events.len()) {
                    if let Some(longest) = self.early.settled() {
                        chance.fall_back_on(&self.best);
                        self.take(&events, hash, &longest);
                        self.mind_chance();
                    }
                    return;
                }
            }
            if chance.ran_again(hash, reproduced) {
                belief = Belief::Open;
                if reproduced && ran < events.len() {
                    events = events[..ran].into();
                    hash = ContentHash::of(&self.arena, &events);
                    if !chance.is_proven(hash) {
                        belief = chance.belief(hash, reproduced);
                    }
                }
            } else {
                belief = chance.belief(hash, reproduced);
            }
        }
        if belief != Belief::Open {
            self.take(&events, hash, record);
        }
        if belief == Belief::Never {
            self.cache.settle(hash);
            self.advance();
        }
        self.mind_chance();
    }

    /// Takes in what a list of events showed.
    fn take(&mut self, events: &Arc<[EventIx]>, hash: ContentHash, record: &RunRecord) {
        let end = self.end_of(events, record);
        let mut outcome = self.outcome(record, end);
        let kept = &events[..outcome.ran];
        let kept_hash = ContentHash::of(&self.arena, kept);
        outcome.reproduced &= !self.cache.is_disowned(kept_hash);
        let outcome = Arc::new(outcome);
        self.check_prophecy(events, &outcome);
        if outcome.reproduced {
            let shorter = self.best.seen.is_none() || kept.len() < self.best.events.len();
            // What was proven 1-minimal is not given up for what is only made of simpler events.
            let searches = !matches!(&self.stage, Stage::Walk(walk) if walk.is_done());
            let better = shorter || searches && self.arena.is_better(kept, &self.best.events);
            let as_short = shorter || kept.len() == self.best.events.len();
            if as_short || self.chance.is_some() {
                let (events, seen) = (kept.to_vec(), Some(Arc::clone(&outcome)));
                let film = Some(self.screens.film(record));
                let hit = Arc::new(Hit { events, seen, film, trace: OnceLock::new() });
                if let Some(chance) = &mut self.chance {
                    chance.proven(kept_hash, self.cache.silent(hash), &hit);
                }
                if shorter {
                    self.as_short.clear();
                }
                if better {
                    self.best = Arc::clone(&hit);
                }
                if as_short {
                    self.as_short.push(hit);
                }
            }
            self.cache.hits.push(kept.into());
        }
        self.cache.insert(&self.arena, events, &outcome);
        if matches!(self.stage, Stage::Replay) {
            let tries = if self.chance.is_some() { MOST_ORIGINAL } else { 1 };
            if outcome.reproduced {
                self.begin(&outcome, record);
            } else if self.cache.silent(hash) >= tries {
                self.stage = Stage::Refused;
            } else {
                return;
            }
        }
        self.advance();
    }

    /// Builds the search over the best list, of which this is known.
    fn begin(&mut self, seen: &Arc<Outcome>, record: &RunRecord) {
        let events = self.best.events.clone();
        let original = Original {
            arena: Arc::clone(&self.arena),
            events: events.clone(),
            seen: Arc::clone(seen),
            record,
            ends_in_failure: self.fails,
        };
        self.cache.hits.clear();
        self.cache.prophet = match self.foretell {
            Foretell::Nothing => None,
            Foretell::Certain => Some(Prophet::new(&original)),
        };
        let search = (self.build)(&original);
        self.fresh = self.chance.is_some().then(|| (search.clone(), events.clone()));
        self.stage = Stage::Walk(Walk::new(search, events));
    }

    /// Begins again with the whole original, after the beginning of it that the search began with was dropped. No run of it
    /// need have got to its end: what was recorded stands for its replay, as far as it is known.
    fn begin_with_whole(&mut self, whole: &Hit) {
        let len = whole.events.len();
        let recorded = Some(self.trace_of(whole)).filter(|_| whole.film.is_none());
        let recorded = recorded
            .filter(|trace| trace.first.is_some() && trace.events.iter().all(|event| event.after.is_some()));
        let blind = || RunRecord { verdict: Verdict::Reproduced, events: len, ..RunRecord::lost() };
        let record = recorded.as_ref().map_or_else(blind, RunRecord::seen_in);
        self.stage = Stage::Replay;
        let seen = Arc::new(self.outcome(&record, len));
        self.cache.insert(&self.arena, &whole.events, &seen);
        self.begin(&seen, &record);
    }

    /// Moves the search on as far as answers allow. When it ends, of equally short lists the one that it ended with is best:
    /// it alone is known to be 1-minimal.
    fn advance(&mut self) {
        let Stage::Walk(walk) = &mut self.stage else { return };
        if let Some(seen) = &self.best.seen {
            walk.note_best(&self.best.events, seen);
        }
        if walk.is_done() {
            return;
        }
        loop {
            walk.advance(&self.arena, &mut self.cache, &mut self.counts);
            if !walk.is_done() {
                return;
            }
            // A search that went through again may end with another list than before. What its certificate has been begun
            // for stays, if nothing better is known and a pass has gone over it.
            let hash = ContentHash::of(&self.arena, &self.best.events);
            let begun = self.chance.as_ref().is_some_and(|chance| chance.certificate(hash).result.runs() > 0);
            let as_good = self.best.events.len() == walk.best().len()
                && !self.arena.is_better(walk.best(), &self.best.events);
            if !begun || !as_good || !walk.prefer(&self.arena, &self.best.events, self.best.seen.as_ref()) {
                break;
            }
        }
        let ended = ContentHash::of(&self.arena, walk.best());
        // After a result was dropped the search may end with another that was known before.
        let known = self.chance.iter().flat_map(Chance::hits);
        let ended =
            self.as_short.iter().chain(known).find(|hit| ContentHash::of(&self.arena, &hit.events) == ended);
        debug_assert!(ended.is_some(), "the search ends with a list that was seen to reproduce");
        if let Some(hit) = ended {
            self.best = Arc::clone(hit);
        }
    }

    /// Asks for more silence where what is known to reproduce has been silent, and goes through the search again.
    fn mind_chance(&mut self) {
        let Some(chance) = &self.chance else { return };
        let before = std::mem::replace(&mut self.cache.silence_needed, chance.silence_needed());
        if self.cache.silence_needed > before {
            self.restart();
        } else if self.cache.silence_needed < before {
            self.advance();
        }
    }

    /// Goes through the search again with all that is known by now.
    fn restart(&mut self) {
        if let (Stage::Walk(walk), Some((search, events))) = (&mut self.stage, &self.fresh) {
            *walk = Walk::new(search.clone(), events.clone());
            self.cache.hits.clear();
            self.advance();
        }
    }

    /// The list to run next for the certificate, and how often; none if there is nothing to certify or it is done. A result
    /// that fails it is dropped: then the search goes on, and `Err` says so.
    fn certify(&mut self) -> Result<Option<Wanted>, Dropped> {
        let whole = self.all();
        let (Some(chance), Some(_)) = (&mut self.chance, &self.fresh) else { return Ok(None) };
        let hash = ContentHash::of(&self.arena, &self.best.events);
        let is_original = *self.best.events == *whole;
        match chance.next(hash, is_original) {
            Next::Done if chance.is_handed_on(is_original) => Ok(None),
            Next::Done => Ok(self.without_last()),
            // Nothing is left to go back to: it stays, and its rate is told.
            Next::Failed if chance.has_no_other() => Ok(None),
            Next::RunResult(times) => Ok(Some((self.best.events.as_slice().into(), times))),
            Next::RunOriginal => Ok(Some((self.first.clone().unwrap_or(whole), 1))),
            Next::Failed => {
                let better = |left: &Hit, right: &Hit| self.arena.is_better(&left.events, &right.events);
                let dropped = chance.drop_best(&self.best, hash, better);
                for events in dropped.disowned {
                    self.cache.disown(ContentHash::of(&self.arena, &events));
                }
                for events in dropped.unproven {
                    self.cache.forget(ContentHash::of(&self.arena, &events));
                }
                let best = &self.best.events;
                let of_dropped = self.under_way.iter().filter(|(_, events)| ***events == **best);
                let of_dropped: Vec<CandidateId> = of_dropped.map(|(&id, _)| id).collect();
                self.under_way.retain(|id, _| !of_dropped.contains(id));
                self.called_off.extend(of_dropped);
                let searches_on = chance.searches_on();
                if let Some(next) = dropped.next {
                    self.as_short = vec![Arc::clone(&next)];
                    self.best = next;
                }
                if searches_on && dropped.to_whole {
                    let whole = Arc::clone(&self.best);
                    self.begin_with_whole(&whole);
                }
                Err(Dropped)
            }
        }
    }

    /// The result without its last event, if it is not yet known to be silent. Where nothing is left to chance the run that
    /// proved the result has shown it; a late failure may need that event only now and then. Runs of the result are runs of
    /// its beginning too, so that the certificate has mostly shown it.
    fn without_last(&self) -> Option<Wanted> {
        let (_, beginning) = self.best.events.split_last()?;
        let passed = self.cache.passed(ContentHash::of(&self.arena, beginning));
        let missing = self.cache.silence_needed.saturating_sub(passed);
        (missing > 0 && !beginning.is_empty()).then(|| (beginning.into(), missing))
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

    /// Where a list ends that was run: with the event after which it failed, unless that may have been luck.
    fn end_of(&mut self, events: &[EventIx], record: &RunRecord) -> usize {
        let ran = record.events.min(events.len());
        if record.verdict != Verdict::Reproduced || ran == events.len() {
            return ran;
        }
        let beginning = ContentHash::of(&self.arena, &events[..ran]);
        let luck = self.cache.is_disowned(beginning)
            || self.chance.as_mut().is_some_and(|chance| chance.doubts(beginning));
        if luck { events.len() } else { ran }
    }

    fn outcome(&self, record: &RunRecord, ran: usize) -> Outcome {
        let reproduced = record.verdict == Verdict::Reproduced;
        if ran > LONGEST_REMEMBERED && matches!(self.stage, Stage::Walk(_)) {
            let end = record.screens.get(ran).map(|screen| self.labels.of(screen));
            let labels = end.into_iter().collect();
            return Outcome { reproduced, ran, labels, effects: Vec::new(), trees: Vec::new() };
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
        let trees = record.screens.iter().take(ran + 1).map(|screen| StateLabel(screen.tree.0)).collect();
        Outcome { reproduced, ran, labels, effects, trees }
    }

    /// The trace of a list with what was seen in the run that proved it.
    fn trace_of(&self, hit: &Hit) -> Trace {
        let event = |ix: EventIx| TraceEvent::clone(self.arena.event(ix));
        let Some(film) = &hit.film else {
            let events = hit.events.iter().map(|&ix| event(ix)).collect();
            return Trace { events, ..Trace::clone(self.arena.head()) };
        };
        let screen = |at: usize| self.screens.screen(film, at);
        let events = hit.events.iter().enumerate().map(|(at, &ix)| {
            // Of what comes behind the end of the run nothing was seen, neither before nor after.
            let after = screen(at + 1);
            let before = after.as_ref().and_then(|_| screen(at));
            TraceEvent { before, after, rules: film.rules(at), ..event(ix) }
        });
        Trace { events: events.collect(), first: screen(0), ..Trace::clone(self.arena.head()) }
    }

    fn candidate(&mut self, events: Arc<[EventIx]>) -> Candidate {
        let id = self.next_id;
        self.next_id = id.next();
        let candidate =
            Candidate { id, head: Arc::clone(self.arena.head()), events: self.arena.events(&events) };
        self.under_way.insert(id, events);
        candidate
    }
}

impl Shrinker for Engine {
    fn ask(&mut self, free: usize) -> Ask {
        let wanted = match &mut self.stage {
            Stage::Refused => return Ask::Done,
            // Where it has failed before its end, it is to be seen how far it gets.
            Stage::Replay if self.early.hits > 0 => {
                let more = EARLY_RUNS.saturating_sub(self.early.runs).max(1) as usize;
                vec![self.all(); more.saturating_sub(self.under_way.len())]
            }
            Stage::Replay if self.under_way.is_empty() => vec![self.all()],
            Stage::Replay => Vec::new(),
            Stage::Walk(walk) if walk.is_done() => match self.certify() {
                Err(Dropped) => {
                    if self.chance.as_ref().is_some_and(Chance::searches_on) {
                        self.restart();
                    }
                    return self.ask(free);
                }
                Ok(None) => return Ask::Done,
                Ok(Some((list, times))) => {
                    let under_way = self.under_way.values().filter(|events| **events == list).count();
                    vec![list; (times as usize).saturating_sub(under_way)]
                }
            },
            Stage::Walk(walk) => {
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
        match &self.stage {
            Stage::Walk(walk) if walk.is_done() && self.chance.is_some() => self.counts.certificate += 1,
            _ => {
                self.counts.runs += 1;
                self.counts.events += record.events as u64;
            }
        }
        self.hear(&events, record);
    }

    fn stale(&mut self) -> Vec<CandidateId> {
        let mut called_off = std::mem::take(&mut self.called_off);
        let Stage::Walk(walk) = &mut self.stage else { return called_off };
        let mut wanted = BTreeSet::new();
        if walk.is_done() && self.chance.is_some() {
            wanted.insert(ContentHash::of(&self.arena, &self.best.events));
            let beginning = self.best.events.split_last().map(|(_, beginning)| beginning);
            wanted.extend(beginning.map(|events| ContentHash::of(&self.arena, events)));
            wanted.insert(ContentHash::of(&self.arena, &self.all()));
            wanted.extend(self.first.iter().map(|first| ContentHash::of(&self.arena, first)));
        } else if !walk.is_done() {
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
        called_off.extend(stale);
        called_off
    }

    fn best(&self) -> &Trace {
        self.best.trace.get_or_init(|| self.trace_of(&self.best))
    }

    fn confirmed(&self) -> bool {
        // A replay that failed before its end is one that failed, however little is known yet of where.
        self.best.seen.is_some() || self.early.hits > 0
    }

    fn counts(&self) -> Counts {
        let proposals = match &self.stage {
            Stage::Walk(walk) => walk.proposals(),
            Stage::Replay | Stage::Refused => Proposals::default(),
        };
        Counts { proposed: proposals.made, refuted: proposals.refuted, ..self.counts }
    }

    fn certificate(&self) -> Option<Certificate> {
        let hash = ContentHash::of(&self.arena, &self.best.events);
        self.chance.as_ref().map(|chance| chance.certificate(hash))
    }
}

/// A list, and how often it is to be run.
type Wanted = (Arc<[EventIx]>, u32);

/// The result failed its certificate.
struct Dropped;
