//! What may shorten a trace that the deletion of single events cannot: known ways, and pairs that undo each other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::arena::{Arena, EventIx};
use super::path_model::{Grain, KeyIx, PathModel, PathStep};
use super::search::Outcome;

/// Longer traces have been shortened by nothing else either.
const LONGEST: usize = 64;
/// So many are tried each time.
const MOST: usize = 16;

/// How promising it is to replace a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    /// The stretch leads somewhere and does something there, which is needed, since the trace is 1-minimal.
    LosesData,
    /// It only leads from one state to another.
    OtherWay,
    /// Two equal events that lead nowhere, which often undo each other, as two turns of the screen do.
    Pair,
    /// It leads back to where it began, and nothing is done on the way.
    Loop,
}

/// The traces in which one stretch is replaced by a shorter known way between the same states, those without a stretch
/// that leads back to where it began, and those without two equal events that lead nowhere; the most promising last.
/// Traces that lack a single event are not among them, since the trace is 1-minimal.
pub fn ways(
    arena: &Arena,
    model: &PathModel,
    event_of: &BTreeMap<KeyIx, EventIx>,
    banned: &BTreeSet<PathStep>,
    minimal: &[EventIx],
    seen: &Outcome,
) -> Vec<Vec<EventIx>> {
    if minimal.len() > LONGEST || seen.labels.len() < minimal.len() || seen.trees.len() < minimal.len() {
        return Vec::new();
    }
    let stays = |at: usize| seen.labels.get(at) == seen.labels.get(at + 1);
    let mut found: BTreeMap<Vec<EventIx>, Promise> = BTreeMap::new();
    let mut add = |events: Vec<EventIx>, promise: Promise| {
        let known = found.entry(events).or_insert(promise);
        *known = promise.max(*known);
    };
    let places = (0..minimal.len()).flat_map(|from| [(Grain::Label, from), (Grain::Tree, from)]);
    for (grain, from) in places {
        let states = match grain {
            Grain::Label => &seen.labels,
            Grain::Tree => &seen.trees,
        };
        let starts = [states[from]];
        let ways = model.ways(grain, &starts, banned);
        for to in from + 2..minimal.len() {
            let Some(way) = ways.to(states[to], &starts).filter(|way| way.len() < to - from) else {
                continue;
            };
            let steps: Option<Vec<EventIx>> =
                way.iter().map(|step| event_of.get(&step.key).copied()).collect();
            let stretch = &minimal[from..to];
            let lacks_one = |steps: &[EventIx]| steps.len() + 1 == stretch.len() && is_part(steps, stretch);
            // A way through the same states lacks data only, and the trace is what is left of all data.
            let mut through = states[from..=to].to_vec();
            through.dedup();
            let lacks_data = through.iter().skip(1).eq(way.iter().map(|step| &step.to));
            // Where a step back leads is not known in advance.
            let returns = way.iter().any(|step| model.returns(step.key));
            let Some(steps) = steps.filter(|steps| !lacks_data && !returns && !lacks_one(steps)) else {
                continue;
            };
            let promise = match steps.is_empty() {
                _ if (from..to).any(stays) => Promise::LosesData,
                true => Promise::Loop,
                false => Promise::OtherWay,
            };
            add([&minimal[..from], &steps, &minimal[to..]].concat(), promise);
        }
    }
    for second in (1..minimal.len().saturating_sub(1)).filter(|&at| stays(at)) {
        for first in (0..second).filter(|&at| stays(at)) {
            if arena.content(minimal[first]) == arena.content(minimal[second]) {
                let mut events = minimal.to_vec();
                events.remove(second);
                events.remove(first);
                add(events, Promise::Pair);
            }
        }
    }
    // Of equal promise the shortest is tried first.
    let mut ways: Vec<(Vec<EventIx>, Promise)> = found.into_iter().collect();
    ways.sort_by_key(|(events, promise)| (*promise, Reverse(events.len())));
    let surplus = ways.len().saturating_sub(MOST);
    ways.drain(..surplus);
    ways.into_iter().map(|(events, _)| events).collect()
}

fn is_part(part: &[EventIx], of: &[EventIx]) -> bool {
    let mut rest = of.iter();
    part.iter().all(|event| rest.any(|other| other == event))
}
