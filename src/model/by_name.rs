//! What is known of a name in all states of an activity together.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::{Model, ModelAction, State};
use crate::abstraction::NameId;
use crate::action::ActionKind;
use crate::ids::StateId;

/// Visits and targets of names, by activity: model actions of different states are matched by their attribute paths
/// (APE III-D).
#[derive(Debug, Default)]
pub(super) struct ByName {
    known: FxHashMap<(u64, NameId, ActionKind), Known>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    visits: u32,
    target: Target,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Target {
    #[default]
    None,
    One(StateId),
    Many,
}

/// Actions of a name that was done this often in an activity are no reason to travel.
const WORN: u32 = 6;

/// The name that counts: BACK is one, whatever lies below.
fn counted(name: NameId, kind: ActionKind) -> NameId {
    if kind.needs_widget() { name } else { NameId::NONE }
}

impl ByName {
    pub(super) fn visit(&mut self, activity: &str, name: NameId, kind: ActionKind, times: u32) {
        let known = self.known.entry((xxh3_64(activity.as_bytes()), counted(name, kind), kind)).or_default();
        known.visits = known.visits.saturating_add(times);
    }

    /// Visits that are counted anew elsewhere.
    pub(super) fn unvisit(&mut self, activity: &str, name: NameId, kind: ActionKind, times: u32) {
        if let Some(known) = self.known.get_mut(&(xxh3_64(activity.as_bytes()), counted(name, kind), kind)) {
            known.visits = known.visits.saturating_sub(times);
        }
    }

    /// An action of a name led to a state. A state that is no more does not count as another one.
    pub(super) fn lead(
        &mut self,
        activity: &str,
        name: NameId,
        kind: ActionKind,
        to: StateId,
        is_alive: impl Fn(StateId) -> bool,
    ) {
        let known = self.known.entry((xxh3_64(activity.as_bytes()), counted(name, kind), kind)).or_default();
        known.target = match known.target {
            Target::None => Target::One(to),
            Target::One(before) if before == to || !is_alive(before) => Target::One(to),
            _ => Target::Many,
        };
    }

    fn get(&self, activity: &str, name: NameId, kind: ActionKind) -> Known {
        self.known
            .get(&(xxh3_64(activity.as_bytes()), counted(name, kind), kind))
            .copied()
            .unwrap_or_default()
    }
}

impl Model {
    /// How often a name was acted on, in all states of an activity together.
    pub fn name_visits(&self, activity: &str, name: NameId, kind: ActionKind) -> u32 {
        self.by_name.get(activity, name, kind).visits
    }

    /// The action's name was done so often in the activity that another state is no news.
    pub fn is_worn(&self, state: &State, action: &ModelAction) -> bool {
        self.name_visits(&state.activity, action.name, action.kind) >= WORN
    }

    /// A state has actions of widgets that are worth going there for.
    pub fn has_work(&self, state: &State) -> bool {
        if state.open == 0 || state.exhausted.get() || state.outside {
            return false;
        }
        let is_work = |action: &ModelAction| {
            action.kind.needs_widget()
                && !action.disabled
                && !action.is_saturated()
                && !state.is_gone(action)
                && !self.is_worn(state, action)
        };
        let found = state.actions.values().any(|&id| self.action(id).is_some_and(is_work));
        state.exhausted.set(!found);
        found
    }

    /// The state to which a name led, if it always led to the same, in all states of an activity together.
    pub fn only_target(&self, activity: &str, name: NameId, kind: ActionKind) -> Option<StateId> {
        match self.by_name.get(activity, name, kind).target {
            Target::One(state) => Some(state),
            Target::None | Target::Many => None,
        }
    }
}
