//! The ways between states as a search sees them: a few bytes each, side by side.
//!
//! A search looks at thousands of transitions, which lie anywhere in memory, and asks of each whether it can be planned
//! with and what it costs. The answers are kept here and made anew when a transition or its action changes.

use super::{Model, Transition};
use crate::action::ActionKind;
use crate::ids::{ActionId, StateId, TransitionId};

/// The roads of a model.
#[derive(Debug, Default)]
pub(super) struct Roads {
    /// Those that begin in a state, by its id.
    from: Vec<Vec<Road>>,
    /// Where those begin that end in a state, by its id.
    to: Vec<Vec<(StateId, TransitionId)>>,
    /// The states that are no goal and on no way, by their ids: those that are detached or not the app.
    shut: Vec<bool>,
}

/// One transition as a search sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Road {
    /// The transition.
    pub by: TransitionId,
    /// Its action.
    pub action: ActionId,
    /// Where it ends.
    pub target: StateId,
    /// What is done.
    pub kind: ActionKind,
    pub(super) cost: u16,
    is_strong: bool,
    /// The action is not chosen any more.
    pub(super) is_closed: bool,
}

/// The cost of a step that never failed; doubt makes it dearer.
const STEP: u32 = 16;

impl Road {
    /// The road of a new transition; [`Model::pave`] says the rest.
    pub(super) fn new(by: TransitionId, action: ActionId, kind: ActionKind, target: StateId) -> Self {
        Self { by, action, target, kind, cost: STEP as u16, is_strong: false, is_closed: false }
    }

    /// It can be planned with; see [`Transition::is_strong`].
    pub fn is_strong(&self) -> bool {
        self.is_strong
    }
}

impl Roads {
    /// The roads that begin in a state.
    pub(super) fn from(&self, state: StateId) -> &[Road] {
        self.from.get(state.index()).map_or(&[], Vec::as_slice)
    }

    /// The roads that end in a state, and where they begin.
    pub(super) fn to(&self, state: StateId) -> impl Iterator<Item = (StateId, &Road)> {
        let to = self.to.get(state.index()).map_or(&[][..], Vec::as_slice);
        to.iter()
            .filter_map(|&(source, by)| Some((source, self.from(source).iter().find(|road| road.by == by)?)))
    }

    /// A state is neither detached nor outside the app.
    pub(super) fn is_open(&self, state: StateId) -> bool {
        !self.shut.get(state.index()).copied().unwrap_or_default()
    }

    pub(super) fn build(&mut self, source: StateId, road: Road) {
        let most = source.index().max(road.target.index()) + 1;
        if self.from.len() < most {
            self.from.resize_with(most, Vec::new);
            self.to.resize_with(most, Vec::new);
        }
        self.from[source.index()].push(road);
        self.to[road.target.index()].push((source, road.by));
    }

    pub(super) fn remove(&mut self, transition: &Transition) {
        let Transition { id, source, target, .. } = *transition;
        if let Some(roads) = self.from.get_mut(source.index()) {
            roads.retain(|road| road.by != id);
        }
        if let Some(roads) = self.to.get_mut(target.index()) {
            roads.retain(|&(_, road)| road != id);
        }
    }

    /// A state is no more: the transitions that begin or end in it, which are to be removed.
    pub(super) fn close(&mut self, state: StateId) -> Vec<TransitionId> {
        let from = self.from.get_mut(state.index()).map(std::mem::take).unwrap_or_default();
        let to = self.to.get_mut(state.index()).map(std::mem::take).unwrap_or_default();
        from.iter().map(|road| road.by).chain(to.into_iter().map(|(_, by)| by)).collect()
    }
}

impl Model {
    /// A state was detached or attached, or is not the app.
    pub(super) fn open_or_shut(&mut self, id: StateId) {
        let is_shut = self.state(id).is_some_and(|state| state.detached || state.outside);
        let shut = &mut self.roads.shut;
        if shut.len() <= id.index() {
            shut.resize(id.index() + 1, false);
        }
        shut[id.index()] = is_shut;
    }

    /// An action or one of its transitions has changed, and so have its roads. A step that often led elsewhere costs up to
    /// four times as much.
    pub(super) fn pave(&mut self, action: ActionId) {
        let Some(action) = self.actions.get(action.index()).and_then(Option::as_deref) else { return };
        let ways = |id: TransitionId| self.transitions.get(id.index()).and_then(Option::as_deref);
        let all: u32 = action.out.iter().filter_map(|&id| ways(id)).map(|way| way.hits).sum();
        let Some(roads) = self.roads.from.get_mut(action.source.index()) else { return };
        for road in roads.iter_mut().filter(|road| road.action == action.id) {
            road.is_closed = action.disabled;
            let Some(way) = ways(road.by) else { continue };
            let tries = all + way.misses;
            let failed = tries - way.hits.min(tries);
            road.cost = (STEP + 3 * STEP * failed / tries.max(1)) as u16;
            road.is_strong = way.is_strong();
        }
    }
}
