//! `pathfirst`, the default: the shortest known path to the failing state before any deletion.
//!
//! Assumes that states tell where one is, and that what else is needed was done somewhere in the failing trace. It asks
//! for the bare path; then with the data events of its states, once and as often as in the trace; then with excursions to
//! the other states as units; and bisects what worked. Candidates are traces of known steps, not parts of the original. A
//! path costs 1 run, data about 1 + log₂ of their number for each needed one; a path refuted six times or data that do
//! not suffice leave the rest to `hprobdd`. At the end known steps may still shorten what deletion alone left,
//! and where the result is no straight way all this is done once more with the result in place of the original: most of
//! its questions are answered by then.
//!
//! Where the trace did the failing event in the failing state before and nothing failed, that is evidence for which no run
//! is needed: the bare path is not enough, and neither is what had been done by then, so that something that was first done
//! later is needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{Arena, EventIx};
use super::bisect::Bisect;
use super::engine::Original;
use super::hprobdd::HProbDd;
use super::path_model::{KeyIx, PathModel, Trail};
use super::plan::{Blame, Data, Fill, Ground, OffWay, Plan, Refuted, Times, Unit, Whose};
use super::search::{Answer, Effect, Outcome, Question, Search};
use super::shortcut;
use crate::action::{Input, Key, Wait};
use crate::trace::TraceEvent;
use crate::trace::event_tree::EventTree;

/// `pathfirst` over a model of the app.
#[derive(Clone, Debug)]
pub struct PathFirst {
    ground: Arc<Ground>,
    /// The key of each event of the arena.
    key_of: Arc<[KeyIx]>,
    model: Arc<PathModel>,
    tree: Arc<EventTree>,
    refuted: Refuted,
    /// The bare way was gone and led where it should.
    way_known: bool,
    /// So many more plans may go elsewhere.
    patience: u32,
    phase: Phase,
    polished: Vec<EventIx>,
    /// The result that it last started again from.
    looked_at: Vec<EventIx>,
}

#[derive(Clone, Debug)]
enum Phase {
    /// The bare way.
    Way(Plan),
    /// The way with everything that the n-th filling adds.
    Filled(usize, Plan),
    /// Which of the units are needed.
    Bisect(Plan, Bisect),
    /// Deletion from the original.
    Fallback(Box<HProbDd>),
    /// Known ways that would shorten the result, the next one last.
    Shortcuts(Vec<Vec<EventIx>>),
    End,
}

/// What is tried when the bare way does not fail, in order.
const FILLS: [Fill; 7] = [
    Fill { off_way: OffWay::Left, times: Times::Once, least: Effect::Some, whose: Whose::Widgets },
    Fill { off_way: OffWay::Left, times: Times::AsSeen, least: Effect::Some, whose: Whose::Widgets },
    Fill { off_way: OffWay::Visited, times: Times::Once, least: Effect::Some, whose: Whose::Widgets },
    Fill { off_way: OffWay::Visited, times: Times::AsSeen, least: Effect::Some, whose: Whose::Widgets },
    Fill { off_way: OffWay::Left, times: Times::Once, least: Effect::Some, whose: Whose::All },
    Fill { off_way: OffWay::Left, times: Times::AsSeen, least: Effect::Unknown, whose: Whose::All },
    Fill { off_way: OffWay::Visited, times: Times::AsSeen, least: Effect::Unknown, whose: Whose::All },
];

const PATIENCE: u32 = 6;
const ODDS_WAY: f64 = 0.3;
const ODDS_FILLED: f64 = 0.6;
const ODDS_SHORTCUT: f64 = 0.3;
/// Longer runs do not teach the model: they would cost more time than the device does.
const LONGEST_LESSON: usize = 512;

impl PathFirst {
    /// The back key as an event, which excursions come back with.
    pub fn back() -> Arc<TraceEvent> {
        let input = Input::Key(Key::Back);
        Arc::new(TraceEvent {
            input,
            wait: Wait::Settle,
            target: None,
            before: None,
            after: None,
            rules: None,
        })
    }

    /// Starts with what exploration has learnt, and with the replay of the original.
    pub fn new(original: &Original, mut model: PathModel) -> Self {
        let arena = Arc::clone(&original.arena);
        let key_of: Arc<[KeyIx]> = (0..arena.len() as EventIx).map(|ix| model.key(arena.event(ix))).collect();
        learn(&mut model, &original.events, &key_of, &original.seen);
        let labels = original.labels_before();
        let ground = ground(&arena, &key_of, &original.events, &original.seen);
        let mut search = Self {
            ground: Arc::new(ground),
            key_of,
            model: Arc::new(model),
            tree: Arc::new(EventTree::new(&labels)),
            refuted: Refuted::default(),
            way_known: false,
            patience: PATIENCE,
            phase: Phase::End,
            polished: Vec::new(),
            looked_at: Vec::new(),
        };
        // Without states there is no path.
        let blind = original.seen.labels.len() <= original.events.len().saturating_sub(1);
        search.phase = if blind { search.fallback() } else { search.first() };
        search
    }

    /// The bare way, unless what failed to fail in the trace itself tells that more is needed.
    fn first(&self) -> Phase {
        let bare = self.ground.last_miss.is_none() || self.ground.data.is_empty();
        if bare { self.way() } else { self.filled(0) }
    }

    /// Starts again with a result in place of the original, which it is shorter than, and with all that was learnt. There
    /// is nothing to look for where the shortest known way leads through the same states: what it lacks are data, and the
    /// result is what is left of all data.
    fn look_again(&mut self, minimal: &[EventIx], seen: &Outcome) -> bool {
        if seen.labels.len() < minimal.len() || minimal.len() > LONGEST_LESSON {
            return false;
        }
        let ground = ground(&self.ground.arena, &self.key_of, minimal, seen);
        let mut through = seen.labels[..minimal.len()].to_vec();
        through.dedup();
        let known = ground.way(&self.model, &self.refuted);
        let shorter = known.is_some_and(|way| way.len() + 1 < through.len());
        if !shorter {
            return false;
        }
        self.ground = Arc::new(ground);
        (self.patience, self.way_known) = (PATIENCE, false);
        self.phase = self.first();
        !matches!(self.phase, Phase::End)
    }

    /// Deletion, which has nothing more to say about a result.
    fn fallback(&self) -> Phase {
        if self.looked_at.is_empty() {
            Phase::Fallback(Box::new(HProbDd::new(Arc::clone(&self.tree))))
        } else {
            Phase::End
        }
    }

    fn way(&self) -> Phase {
        self.ground.plan(&self.model, &self.refuted, None).map_or_else(|| self.fallback(), Phase::Way)
    }

    fn filled(&self, fill: usize) -> Phase {
        let Some(&with) = FILLS.get(fill) else { return self.fallback() };
        match self.ground.plan(&self.model, &self.refuted, Some(with)) {
            Some(plan) if plan.has_units() => Phase::Filled(fill, plan),
            Some(_) => self.filled(fill + 1),
            None => self.fallback(),
        }
    }

    /// Looks for the needed units of a plan that worked. What the trace had done when it did not fail yet was too little.
    fn bisect(&self, plan: Plan, ran: usize) -> Phase {
        let kinds = plan.kinds();
        let all: Vec<u32> = (0..kinds.len() as u32).collect();
        let units = plan.by_time(&plan.units_within(&all, ran));
        let done = self.ground.last_miss.map_or(0, |miss| plan.done_before(&units, miss));
        // What comes back from elsewhere may undo what it did: then that says nothing.
        let too_few = if done < units.len() { done } else { 0 };
        Phase::Bisect(plan, Bisect::new(kinds, units, Some(too_few)))
    }

    /// The plan went elsewhere or did not fail.
    fn no(&mut self, seen: Option<&Outcome>) {
        let phase = std::mem::replace(&mut self.phase, Phase::End);
        self.phase = match phase {
            Phase::Way(plan) => match seen.and_then(|seen| plan.deviation(seen, false)) {
                Some(blame) if self.refute(blame) => self.way(),
                Some(_) => self.fallback(),
                None => {
                    self.way_known = true;
                    self.filled(0)
                }
            },
            Phase::Filled(fill, plan) => match seen.and_then(|seen| plan.deviation(seen, self.way_known)) {
                Some(blame) if self.refute(blame) => self.filled(fill),
                Some(_) => self.fallback(),
                None => self.filled(fill + 1),
            },
            other => other,
        };
    }

    /// Remembers what went elsewhere. False if the patience is over.
    fn refute(&mut self, blame: Blame) -> bool {
        match blame {
            Blame::Step(step) => _ = self.refuted.steps.insert(step),
            Blame::Unit(unit @ (Unit::Data(..) | Unit::Inside(_))) => _ = self.refuted.units.insert(unit, 1),
            Blame::Unit(unit @ Unit::Excursion(_)) => *self.refuted.units.entry(unit).or_default() += 1,
        }
        self.patience = self.patience.saturating_sub(1);
        self.patience > 0
    }
}

/// Learns the steps of a run.
fn learn(model: &mut PathModel, events: &[EventIx], key_of: &[KeyIx], seen: &Outcome) {
    let steps = if seen.reproduced { seen.ran.saturating_sub(1) } else { seen.ran };
    let mut trail = Trail::default();
    for (at, &event) in events.iter().enumerate().take(steps) {
        if let (Some(&from), Some(&to)) = (seen.labels.get(at), seen.labels.get(at + 1)) {
            let effect = seen.effects.get(at).copied().unwrap_or(Effect::Unknown);
            model.learn(from, key_of[event as usize], to, effect);
            model.learn_return(from, key_of[event as usize], to, &mut trail);
        }
        if let (Some(&from), Some(&to)) = (seen.trees.get(at), seen.trees.get(at + 1)) {
            model.learn_tree(from, key_of[event as usize], to);
        }
    }
}

/// What plans are made from, by a failing list of events and what its run showed.
fn ground(arena: &Arc<Arena>, key_of: &[KeyIx], events: &[EventIx], seen: &Outcome) -> Ground {
    let mut event_of = BTreeMap::new();
    for (ix, &key) in key_of.iter().enumerate() {
        event_of.entry(key).or_insert(ix as EventIx);
    }
    // The last event of the failing trace with a key was made as it has to be made for the failure.
    event_of.extend(events.iter().map(|&event| (key_of[event as usize], event)));
    let label = |at: usize| seen.labels.get(at).copied().unwrap_or_default();
    let last = events.len().saturating_sub(1);
    let (failing, crash) = (label(last), events.last().copied().unwrap_or_default());
    let fails = |at: usize| label(at) == failing && key_of[events[at] as usize] == key_of[crash as usize];
    let steps = (0..last).filter(|&at| at + 1 < seen.labels.len() && label(at) != label(at + 1));
    Ground {
        back: arena.find(&PathFirst::back()),
        arena: Arc::clone(arena),
        event_of,
        start: label(0),
        failing,
        crash,
        data: data_events(arena, key_of, events, seen),
        last_miss: (0..last).rev().find(|&at| fails(at)),
        last_step: steps.map(|at| ((label(at), label(at + 1)), key_of[events[at] as usize])).collect(),
    }
}

/// The data events of a failing list.
fn data_events(arena: &Arena, key_of: &[KeyIx], events: &[EventIx], seen: &Outcome) -> Vec<Data> {
    let mut found: BTreeMap<_, Data> = BTreeMap::new();
    for (at, &event) in events.iter().enumerate().take(events.len().saturating_sub(1)) {
        let (Some(&state), Some(&after)) = (seen.labels.get(at), seen.labels.get(at + 1)) else { continue };
        let effect = seen.effects.get(at).copied().unwrap_or(Effect::Unknown);
        if state != after || effect == Effect::None {
            continue;
        }
        let key = key_of[event as usize];
        let on_widget = arena.event(event).input.point().is_some();
        let whose = if on_widget { Whose::Widgets } else { Whose::All };
        let new = || Data { state, key, at: Vec::new(), effect, whose };
        let data = found.entry((state, key)).or_insert_with(new);
        data.at.push(at);
        data.effect = data.effect.max(effect);
    }
    let mut data: Vec<Data> = found.into_values().collect();
    data.sort_by_key(|data| (data.state, data.last()));
    data
}

impl Search for PathFirst {
    fn question(&mut self) -> Option<Question> {
        loop {
            match &mut self.phase {
                Phase::Way(plan) => return Some(Question::goal(plan.events(), ODDS_WAY)),
                Phase::Filled(_, plan) => return Some(Question::goal(plan.events(), ODDS_FILLED)),
                Phase::Bisect(plan, bisect) => {
                    if let Some((units, odds)) = bisect.next() {
                        return Some(Question::goal(plan.events_with(&units), odds));
                    }
                    let kept = bisect.kept();
                    self.phase = match plan.opened(&kept) {
                        Some(opened) => {
                            let kinds = opened.kinds();
                            let all = (0..kinds.len() as u32).collect();
                            Phase::Bisect(opened, Bisect::new(kinds, all, None))
                        }
                        None => Phase::End,
                    };
                }
                Phase::Fallback(levels) => return levels.question(),
                Phase::Shortcuts(ways) => {
                    return ways.last().map(|events| Question::goal(events.clone(), ODDS_SHORTCUT));
                }
                Phase::End => return None,
            }
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let seen = match answer {
            Answer::Seen(outcome) => Some(Arc::clone(outcome)),
            Answer::Guess(_) => None,
        };
        if let Some(seen) = seen.as_ref().filter(|seen| seen.ran <= LONGEST_LESSON) {
            learn(Arc::make_mut(&mut self.model), &question.events, &self.key_of, seen);
        }
        let hit = answer.hit(question);
        match &mut self.phase {
            Phase::Way(_) | Phase::Shortcuts(_) if hit.is_some() => self.phase = Phase::End,
            Phase::Filled(_, plan) if hit.is_some() => {
                let ran = hit.unwrap_or(question.events.len());
                let plan = std::mem::take(plan);
                self.phase = self.bisect(plan, ran);
            }
            Phase::Way(_) | Phase::Filled(..) => self.no(seen.as_deref()),
            Phase::Bisect(plan, bisect) => match (hit, bisect.next()) {
                (Some(ran), Some((units, _))) => bisect.yes(&plan.units_within(&units, ran)),
                _ => bisect.no(),
            },
            Phase::Fallback(levels) => levels.answer(question, answer),
            Phase::Shortcuts(ways) => _ = ways.pop(),
            Phase::End => {}
        }
    }

    fn current(&self) -> Option<&[EventIx]> {
        match &self.phase {
            Phase::Fallback(levels) => levels.current(),
            _ => None,
        }
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        if let Phase::Fallback(levels) = &mut self.phase {
            levels.rebase(kept);
        }
    }

    fn polish(&mut self, minimal: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool {
        let Some(seen) = seen else { return false };
        if self.polished != minimal {
            self.polished = minimal.to_vec();
            let ground = &self.ground;
            let refuted = &self.refuted.steps;
            let ways = shortcut::ways(&ground.arena, &self.model, &ground.event_of, refuted, minimal, seen);
            if !ways.is_empty() {
                self.phase = Phase::Shortcuts(ways);
                return true;
            }
        }
        if self.looked_at != minimal {
            self.looked_at = minimal.to_vec();
            return self.look_again(minimal, seen);
        }
        false
    }
}
