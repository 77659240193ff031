//! A screen as the model sees it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Model, ModelAction, State};
use crate::abstraction::{Abstraction, NameId, Named};
use crate::action::ActionKind;
use crate::gui::{GuiTree, Reach};
use crate::ids::{ActionId, StateId};

/// A screen as the model sees it: its state, and for everything that can be done the model action. A screen seen
/// before costs a lookup.
#[derive(Debug)]
pub struct Sight {
    /// The state.
    pub state: StateId,
    /// The names of the widgets.
    pub named: Arc<Named>,
    /// What can be done to the widgets.
    pub reach: Box<[Reach]>,
    /// The model action of each of these.
    pub actions: Box<[ActionId]>,
    /// What can be done to the phone, and its model actions.
    pub phone: Box<[(ActionKind, ActionId)]>,
}

/// So many screens are remembered; then the memory starts afresh.
const REMEMBERED: usize = 1 << 14;

impl Model {
    /// A tree as the model sees it now. Its state and its actions are made if they are new.
    pub fn see(&mut self, tree: &GuiTree) -> Arc<Sight> {
        let named = self.abstraction.name_tree(tree);
        if let Some(sight) = self.sights.get(&tree.hash())
            && Arc::ptr_eq(&sight.named, &named)
            && self.state(sight.state).is_some()
        {
            return Arc::clone(sight);
        }
        let known = self.sights.remove(&tree.hash());
        let reach = match known.map(Arc::try_unwrap) {
            Some(Ok(sight)) => sight.reach,
            Some(Err(sight)) => sight.reach.clone(),
            None => Reach::all(tree).into(),
        };
        let state = self.state_for(&named, tree);
        let mut actions = Vec::with_capacity(reach.len());
        let mut counts: FxHashMap<(NameId, ActionKind), u32> = FxHashMap::default();
        for one in &reach {
            *counts.entry((named.names[one.node.0 as usize], one.kind)).or_default() += 1;
        }
        for one in &reach {
            let name = named.names[one.node.0 as usize];
            let widgets = counts.get(&(name, one.kind)).copied().unwrap_or(1);
            let id = self.action_for(state, name, one.kind, widgets);
            if self.is_banned(tree, one.node, one.kind) {
                self.set_disabled(id, true);
            }
            actions.push(id);
        }
        let phone = self.phone.clone();
        let phone =
            phone.into_iter().map(|kind| (kind, self.action_for(state, NameId::NONE, kind, 1))).collect();
        let sight = Arc::new(Sight { state, named, reach, actions: actions.into(), phone });
        if self.sights.len() >= REMEMBERED {
            self.sights.clear();
        }
        self.sights.insert(tree.hash(), Arc::clone(&sight));
        sight
    }

    fn state_for(&mut self, named: &Named, tree: &GuiTree) -> StateId {
        if let Some(&id) = self.by_key.get(&named.key) {
            return id;
        }
        let id = StateId(self.states.len() as u32);
        let node = self.graph.add_node(id);
        self.states.push(Some(Box::new(State {
            id,
            key: named.key,
            activity: tree.activity().clone(),
            visits: 0,
            actions: indexmap::IndexMap::default(),
            detached: false,
            outside: false,
            open: 0,
            exhausted: std::cell::Cell::new(false),
            node,
        })));
        self.by_key.insert(named.key, id);
        self.alive.states += 1;
        id
    }

    fn action_for(&mut self, state: StateId, name: NameId, kind: ActionKind, widgets: u32) -> ActionId {
        let next = ActionId(self.actions.len() as u32);
        let Some(owner) = self.states.get_mut(state.index()).and_then(Option::as_deref_mut) else {
            return next;
        };
        let id = *owner.actions.entry((name, kind)).or_insert(next);
        if id == next {
            self.alive.actions += 1;
            owner.exhausted.set(false);
            let action = ModelAction {
                id,
                source: state,
                name,
                kind,
                visits: 0,
                widgets,
                last: 0,
                disabled: false,
                out: Vec::new(),
            };
            owner.open += u32::from(action.is_work());
            self.actions.push(Some(Box::new(action)));
        } else if let Some(action) = self.actions.get_mut(id.index()).and_then(Option::as_deref_mut)
            && action.widgets < widgets
        {
            let before = action.is_work();
            action.widgets = widgets;
            owner.exhausted.set(false);
            owner.open += u32::from(action.is_work() && !before);
        }
        id
    }
}
