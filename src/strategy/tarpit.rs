//! Noticing that a session is stuck: few states for a long time, with the way in behind it.

use std::collections::{BTreeSet, VecDeque};

use crate::ids::{ActionId, StateId};
use crate::model::Model;

/// Watches one session for traps: pages that nothing leaves, endless BACK, a logout.
#[derive(Debug, Default)]
pub struct Tarpit {
    /// The transitions of late, oldest first.
    trail: VecDeque<Move>,
    /// Steps since something was new.
    stale: usize,
    /// How often it was stuck since something was new.
    times: u32,
}

#[derive(Clone, Copy, Debug)]
struct Move {
    from: StateId,
    action: Option<ActionId>,
    to: StateId,
}

/// Stuck: what was seen, and the action that led into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// How many states were seen.
    pub states: usize,
    /// Over how many steps.
    pub steps: usize,
    /// The action that led in, if the way in is still known.
    pub entry: Option<ActionId>,
    /// It was stuck before, and a restart did not help.
    pub again: bool,
}

/// So many steps in few states are a trap.
const WINDOW: usize = 40;
/// So many states are few.
const FEW: usize = 3;
/// The trail reaches back this far beyond the window, so that the way in is still known.
const TRAIL: usize = 4 * WINDOW;
/// In a model with so few states nothing is a trap.
const SMALL_MODEL: usize = 8;

impl Tarpit {
    /// The app's data was wiped: the trail begins anew. After a mere restart it goes on, since a logout outlives one.
    pub fn on_wipe(&mut self) {
        *self = Self::default();
    }

    /// One step. `news` says that it covered or showed something for the first time.
    pub fn on_step(&mut self, from: StateId, action: Option<ActionId>, to: StateId, news: bool) {
        self.stale = if news { 0 } else { self.stale + 1 };
        self.times = if news { 0 } else { self.times };
        if self.trail.len() >= TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(Move { from, action, to });
    }

    /// Whether the session is stuck now. Asked again at once, it says no: the window begins anew.
    pub fn check(&mut self, model: &Model) -> Option<Stuck> {
        if self.stale < WINDOW || self.trail.len() < WINDOW || model.stats_states() < SMALL_MODEL {
            return None;
        }
        let recent = self.trail.iter().rev().take(WINDOW);
        let inside: BTreeSet<StateId> = recent.map(|step| step.to).collect();
        if inside.len() > FEW || !is_closed(model, &inside) {
            return None;
        }
        let entry = self
            .trail
            .iter()
            .rev()
            .find(|step| inside.contains(&step.to) && !inside.contains(&step.from))
            .and_then(|step| step.action);
        self.stale = 0;
        self.times += 1;
        Some(Stuck { states: inside.len(), steps: WINDOW, entry, again: self.times > 1 })
    }
}

/// No known way leads out of these states, but out of the app.
fn is_closed(model: &Model, inside: &BTreeSet<StateId>) -> bool {
    let is_out = |target: StateId| {
        !inside.contains(&target) && model.state(target).is_some_and(|state| !state.outside)
    };
    let leads_out = |id: ActionId| {
        let ways = model.action(id).into_iter().flat_map(|action| &action.out);
        ways.filter_map(|&way| model.transition(way)).any(|way| is_out(way.target))
    };
    inside
        .iter()
        .filter_map(|&id| model.state(id))
        .filter(|state| !state.outside)
        .all(|state| !state.actions.values().any(|&id| leads_out(id)))
}
