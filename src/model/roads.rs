//! The ways between states as a search sees them: a few bytes each, the edges of a graph.
//!
//! A search looks at thousands of transitions, which lie anywhere in memory, and asks of each whether it can be planned
//! with and what it costs. The answers are kept here and made anew when a transition or its action changes.

use petgraph::Direction;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::visit::EdgeRef;

use super::{Model, Transition};
use crate::action::ActionKind;
use crate::ids::{ActionId, StateId, TransitionId};

/// The roads of a model.
#[derive(Debug, Default)]
pub(super) struct Roads {
    /// A node for every id of a state, also of one that is no more: ids never come back, so that both numbers are one.
    graph: StableDiGraph<(), Road>,
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
    /// It leads back to what lies below: it is there only for who came that way.
    pub is_return: bool,
}

/// The cost of a step that never failed; doubt makes it dearer.
const STEP: u32 = 16;

impl Road {
    /// The road of a new transition; [`Model::pave`] says the rest.
    pub(super) fn new(by: TransitionId, action: ActionId, kind: ActionKind, target: StateId) -> Self {
        Self {
            by,
            action,
            target,
            kind,
            cost: STEP as u16,
            is_strong: false,
            is_closed: false,
            is_return: false,
        }
    }

    /// It can be planned with; see [`Transition::is_strong`].
    pub fn is_strong(&self) -> bool {
        self.is_strong
    }
}

fn node(state: StateId) -> NodeIndex {
    NodeIndex::new(state.index())
}

impl Roads {
    /// The roads that begin in a state.
    pub(super) fn from(&self, state: StateId) -> impl Iterator<Item = &Road> {
        self.graph.edges(node(state)).map(|edge| edge.weight())
    }

    /// The roads that end in a state, and where they begin.
    pub(super) fn to(&self, state: StateId) -> impl Iterator<Item = (StateId, &Road)> {
        let edges = self.graph.edges_directed(node(state), Direction::Incoming);
        edges.map(|edge| (StateId(edge.source().index() as u32), edge.weight()))
    }

    /// A state is neither detached nor outside the app.
    pub(super) fn is_open(&self, state: StateId) -> bool {
        !self.shut.get(state.index()).copied().unwrap_or_default()
    }

    pub(super) fn build(&mut self, source: StateId, road: Road) {
        let most = source.index().max(road.target.index());
        while self.graph.node_count() <= most {
            self.graph.add_node(());
        }
        self.graph.add_edge(node(source), node(road.target), road);
    }

    pub(super) fn remove(&mut self, transition: &Transition) {
        let mut edges = self.graph.edges(node(transition.source));
        if let Some(edge) = edges.find(|edge| edge.weight().by == transition.id).map(|edge| edge.id()) {
            self.graph.remove_edge(edge);
        }
    }

    /// The transitions that begin or end in a state.
    pub(super) fn around(&self, state: StateId) -> Vec<TransitionId> {
        self.from(state).chain(self.to(state).map(|(_, road)| road)).map(|road| road.by).collect()
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
        let graph = &mut self.roads.graph;
        let mut walk = graph.neighbors_directed(node(action.source), Direction::Outgoing).detach();
        while let Some(edge) = walk.next_edge(graph) {
            let Some(road) = graph.edge_weight_mut(edge).filter(|road| road.action == action.id) else {
                continue;
            };
            (road.is_closed, road.is_return) = (action.disabled, action.returns);
            let Some(way) = ways(road.by) else { continue };
            let tries = all + way.misses;
            let failed = tries - way.hits.min(tries);
            road.cost = (STEP + 3 * STEP * failed / tries.max(1)) as u16;
            road.is_strong = way.is_strong();
        }
    }
}
