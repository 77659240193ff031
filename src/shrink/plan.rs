//! A trace made from a path: the way to the failing state, and what is done on the way or beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::arena::{Arena, EventIx};
use super::path_model::{Grain, KeyIx, PathModel, PathStep};
use super::search::{Effect, Outcome};
use crate::trace::event_tree::StateLabel;

/// A trace with what is expected to be seen, and the units that may turn out not to be needed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    slots: Vec<Slot>,
    units: Vec<Unit>,
    /// When the failing trace had first done all that each unit does; units that it never did count as done at the end.
    done_at: Vec<usize>,
}

/// One event of a plan.
#[derive(Clone, Copy, Debug)]
struct Slot {
    event: EventIx,
    /// The state it should lead to; none for the last event, which fails.
    after: Option<StateLabel>,
    unit: Option<u32>,
    step: Option<PathStep>,
}

/// What may be left out of a plan as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// One data event in a state.
    Data(StateLabel, KeyIx),
    /// A way off the path to a state, the data events there, and the way back.
    Excursion(StateLabel),
    /// One data event of an excursion that is itself needed.
    Inside(EventIx),
}

/// A data event of the failing trace: it ran in a state and did not leave it.
#[derive(Clone, Debug)]
pub struct Data {
    /// The state.
    pub state: StateLabel,
    /// What was done.
    pub key: KeyIx,
    /// Where the failing trace did it, ascending.
    pub at: Vec<usize>,
    /// What it did.
    pub effect: Effect,
    /// Whether it was done to a widget.
    pub whose: Whose,
}

/// Everything that plans are made from.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The events.
    pub arena: Arc<Arena>,
    /// The event for each key: the last one of the failing trace, or one from elsewhere.
    pub event_of: BTreeMap<KeyIx, EventIx>,
    /// The state after the launch.
    pub start: StateLabel,
    /// The state in which it fails.
    pub failing: StateLabel,
    /// The event that fails.
    pub crash: EventIx,
    /// The data events of the failing trace, by state and in the order of their last time.
    pub data: Vec<Data>,
    /// Where the failing trace last did what fails in the state in which it fails, and it did not fail: what it had done by
    /// then was not enough.
    pub last_miss: Option<usize>,
    /// The back key, which undoes a step forward.
    pub back: Option<EventIx>,
    /// What the failing trace did last to come from one state to another: what it needed to be right when it failed.
    pub last_step: BTreeMap<(StateLabel, StateLabel), KeyIx>,
}

/// How much is put into a plan beside its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Whether states off the way are visited.
    pub off_way: OffWay,
    /// How often each data event is done.
    pub times: Times,
    /// The least effect a data event must have had.
    pub least: Effect,
    /// Whose events are taken.
    pub whose: Whose,
}

impl Fill {
    /// How often a data event is done at the most.
    fn most(self) -> usize {
        if self.times == Times::Once { 1 } else { MOST_TIMES }
    }
}

/// Whose events are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// Those on a widget. What is done to the phone, such as the death of the process, undoes as much as it does.
    Widgets,
    /// Those on the phone too.
    All,
}

/// Whether states off the way are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffWay {
    /// They are not.
    Left,
    /// Each that has data events, from the nearest state of the way and back.
    Visited,
}

/// How often each data event is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Once.
    Once,
    /// As often as in the failing trace.
    AsSeen,
}

/// A counter above this is found by the fallback, not by a plan.
const MOST_TIMES: usize = 32;

/// What runs have refuted.
#[derive(Clone, Debug, Default)]
pub struct Refuted {
    /// Steps that led elsewhere.
    pub steps: BTreeSet<PathStep>,
    /// Units that did not stay or come back where they should; for an excursion, how many ways back have failed.
    pub units: BTreeMap<Unit, u32>,
}

impl Ground {
    /// The plan for a way, filled as far as asked.
    pub fn plan(&self, model: &PathModel, refuted: &Refuted, fill: Option<Fill>) -> Option<Plan> {
        let starts = [self.start];
        let way = self.way(model, refuted)?;
        let mut plan = Plan::default();
        let states: Vec<StateLabel> = starts.into_iter().chain(way.iter().map(|step| step.to)).collect();
        let excursions = match fill {
            Some(fill) if fill.off_way == OffWay::Visited => self.excursions(model, refuted, fill, &states),
            _ => BTreeMap::new(),
        };
        for (at, &state) in states.iter().enumerate() {
            for data in fill.iter().flat_map(|&fill| self.data_at(state, fill, refuted)) {
                let unit = Unit::Data(state, data.key);
                for &at in data.at.iter().take(fill.map_or(0, Fill::most)) {
                    let unit = plan.open(unit, at);
                    plan.push(self.event_of[&data.key], state, Some(unit), None);
                }
            }
            for slots in excursions.get(&state).into_iter().flatten() {
                let unit = plan.open(slots.unit, slots.done_at);
                for &(event, after) in &slots.events {
                    plan.push(event, after, Some(unit), None);
                }
            }
            if let Some(&step) = way.get(at) {
                plan.push(*self.event_of.get(&step.key)?, step.to, None, Some(step));
            }
        }
        plan.slots.push(Slot { event: self.crash, after: None, unit: None, step: None });
        Some(plan)
    }

    /// The shortest known way to the failing state. Where several events always lead from one state to the next, the one that
    /// the failing trace did last: the others may lead to another page that looks the same.
    pub fn way(&self, model: &PathModel, refuted: &Refuted) -> Option<Vec<PathStep>> {
        let starts = [self.start];
        let mut way = model.ways(Grain::Label, &starts, &refuted.steps).to(self.failing, &starts)?;
        for step in &mut way {
            let own = self.last_step.get(&(step.from, step.to)).map(|&key| PathStep { key, ..*step });
            let sure = |own: &PathStep| {
                model.certain(own.from, own.key, 1) == Some(own.to) && !model.returns(own.key)
            };
            if let Some(own) = own.filter(|own| sure(own) && !refuted.steps.contains(own)) {
                *step = own;
            }
        }
        Some(way)
    }

    fn data_at<'a>(
        &'a self,
        state: StateLabel,
        fill: Fill,
        refuted: &'a Refuted,
    ) -> impl Iterator<Item = &'a Data> + use<'a> {
        self.data.iter().filter(move |data| {
            let unit = Unit::Data(state, data.key);
            let taken = data.effect >= fill.least && data.whose <= fill.whose;
            data.state == state && taken && !refuted.units.contains_key(&unit)
        })
    }

    /// For each state of the way, the excursions that start there.
    fn excursions(
        &self,
        model: &PathModel,
        refuted: &Refuted,
        fill: Fill,
        way: &[StateLabel],
    ) -> BTreeMap<StateLabel, Vec<Excursion>> {
        let ways = model.ways(Grain::Label, way, &refuted.steps);
        let mut off: Vec<(usize, StateLabel)> = Vec::new();
        for data in self.data.iter().filter(|data| !way.contains(&data.state)) {
            match off.iter_mut().find(|(_, state)| *state == data.state) {
                Some((last, _)) => *last = data.last().max(*last),
                None => off.push((data.last(), data.state)),
            }
        }
        off.sort_unstable();
        let mut excursions: BTreeMap<StateLabel, Vec<Excursion>> = BTreeMap::new();
        for (_, state) in off {
            let Some(forth) = ways.to(state, way).filter(|forth| !forth.is_empty()) else { continue };
            let home = forth[0].from;
            let unit = Unit::Excursion(state);
            let failed = refuted.units.get(&unit).copied().unwrap_or(0);
            let Some(back) = self.way_back(model, refuted, &forth, failed) else { continue };
            let mut events = Vec::new();
            let mut done_at = 0;
            for step in &forth {
                let Some(&event) = self.event_of.get(&step.key) else { continue };
                events.push((event, step.to));
            }
            for data in self.data_at(state, fill, refuted) {
                for &at in data.at.iter().take(fill.most()) {
                    events.push((self.event_of[&data.key], state));
                    done_at = done_at.max(at);
                }
            }
            if events.len() == forth.len() {
                continue;
            }
            events.extend(back);
            excursions.entry(home).or_default().push(Excursion { unit, events, done_at });
        }
        excursions
    }

    /// How to come back from an excursion: by the back key, a step for each step forth; if that failed, by a known way.
    fn way_back(
        &self,
        model: &PathModel,
        refuted: &Refuted,
        forth: &[PathStep],
        failed: u32,
    ) -> Option<Vec<(EventIx, StateLabel)>> {
        let (first, last) = (forth.first()?, forth.last()?);
        if let Some(back) = self.back.filter(|_| failed == 0) {
            return Some(forth.iter().rev().map(|step| (back, step.from)).collect());
        }
        if failed > 1 {
            return None;
        }
        let starts = [last.to];
        let steps = model.ways(Grain::Label, &starts, &refuted.steps).to(first.from, &starts)?;
        steps.iter().map(|step| Some((*self.event_of.get(&step.key)?, step.to))).collect()
    }
}

struct Excursion {
    unit: Unit,
    events: Vec<(EventIx, StateLabel)>,
    done_at: usize,
}

impl Data {
    /// Where the failing trace did it last.
    pub fn last(&self) -> usize {
        self.at.last().copied().unwrap_or_default()
    }
}

impl Plan {
    fn open(&mut self, unit: Unit, done_at: usize) -> u32 {
        self.units.push(unit);
        self.done_at.push(done_at);
        self.units.len() as u32 - 1
    }

    fn push(&mut self, event: EventIx, after: StateLabel, unit: Option<u32>, step: Option<PathStep>) {
        self.slots.push(Slot { event, after: Some(after), unit, step });
    }

    /// Its events.
    pub fn events(&self) -> Vec<EventIx> {
        self.slots.iter().map(|slot| slot.event).collect()
    }

    /// Its events with only some of its units, which are in ascending order.
    pub fn events_with(&self, units: &[u32]) -> Vec<EventIx> {
        let kept = |slot: &&Slot| slot.unit.is_none_or(|unit| units.binary_search(&unit).is_ok());
        self.slots.iter().filter(kept).map(|slot| slot.event).collect()
    }

    /// The units whose events all lie among the first so many events of the plan with these units.
    pub fn units_within(&self, units: &[u32], ran: usize) -> Vec<u32> {
        let kept =
            self.slots.iter().filter(|slot| slot.unit.is_none_or(|unit| units.binary_search(&unit).is_ok()));
        let mut within: Vec<u32> = kept.take(ran).filter_map(|slot| slot.unit).collect();
        within.dedup();
        within
    }

    /// These units in the order in which the failing trace had first done all of each.
    pub fn by_time(&self, units: &[u32]) -> Vec<u32> {
        let mut units = units.to_vec();
        units.sort_by_key(|&unit| self.done_at[unit as usize]);
        units
    }

    /// How many of these units the failing trace had done by then.
    pub fn done_before(&self, units: &[u32], then: usize) -> usize {
        units.iter().filter(|&&unit| self.done_at[unit as usize] < then).count()
    }

    /// A number for each unit; equal units have an equal one.
    pub fn kinds(&self) -> Vec<u32> {
        let mut known: Vec<Unit> = Vec::new();
        self.units
            .iter()
            .map(|unit| {
                let kind = known.iter().position(|other| other == unit).unwrap_or(known.len());
                if kind == known.len() {
                    known.push(*unit);
                }
                kind as u32
            })
            .collect()
    }

    /// The same plan with only these units, opened up: the data events of its excursions are units now, and everything
    /// else is fixed. None if it has no excursion that is not yet opened.
    pub fn opened(&self, units: &[u32]) -> Option<Self> {
        let mut opened = Self::default();
        let kept =
            self.slots.iter().filter(|slot| slot.unit.is_none_or(|unit| units.binary_search(&unit).is_ok()));
        let mut before = None;
        for slot in kept {
            let mut slot = *slot;
            let within = slot.unit.map(|unit| self.units[unit as usize]);
            slot.unit = match (within, slot.after) {
                (Some(Unit::Excursion(state)), after) if after == Some(state) && before == after => {
                    Some(opened.open(Unit::Inside(slot.event), usize::MAX))
                }
                _ => None,
            };
            before = slot.after;
            opened.slots.push(slot);
        }
        (!opened.units.is_empty()).then_some(opened)
    }

    /// It has units.
    pub fn has_units(&self) -> bool {
        !self.units.is_empty()
    }

    /// Where a run first saw another state than planned, and what is to blame: the unit that the event belongs to or that
    /// came before it, or a step of the way, if the way has not been gone before.
    pub fn deviation(&self, seen: &Outcome, way_known: bool) -> Option<Blame> {
        let ahead = self.slots.len().saturating_sub(1);
        let at = (0..ahead).find(|&at| {
            at >= seen.ran
                || seen.labels.get(at + 1).is_some_and(|label| self.slots[at].after != Some(*label))
        })?;
        let unit = self.slots[..=at].iter().rev().find_map(|slot| slot.unit);
        match unit {
            Some(_) if !way_known && self.slots[at].step.is_some() => self.slots[at].step.map(Blame::Step),
            Some(unit) => Some(Blame::Unit(self.units[unit as usize])),
            None => self.slots[at].step.map(Blame::Step),
        }
    }
}

/// What is to blame for a run that went elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// A step of the way.
    Step(PathStep),
    /// A unit.
    Unit(Unit),
}
