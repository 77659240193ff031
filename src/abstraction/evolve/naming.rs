//! Naming a screen: from the initial function along the refinements of the states that it falls into.

use std::sync::Arc;

use super::super::digest::Digest;
use super::super::fixed::widest;
use super::super::tree::Way;
use super::super::{NameId, Named, NamingId, StateKey, hash_numbers, opener_key};
use super::Evolving;
use crate::gui::GuiTree;

impl Evolving {
    /// The names of a tree: what lies below it changes the names of a few widgets at the most.
    pub(super) fn name(&mut self, tree: &GuiTree) -> Arc<Named> {
        if !tree.opener().is_below() {
            return Arc::new(self.name_wherever(tree).0);
        }
        let known = self.wherever.get(&tree.hash()).filter(|known| self.is_final(known.key)).cloned();
        let screen = known.unwrap_or_else(|| {
            let (screen, is_everywhere) = self.name_wherever(tree);
            let screen = Arc::new(screen);
            if is_everywhere {
                self.wherever.insert(tree.hash(), Arc::clone(&screen));
            }
            screen
        });
        self.mark_returns(tree, &screen)
    }

    /// The names of a tree but for what lies below it, and whether what opened it does not matter.
    fn name_wherever(&mut self, tree: &GuiTree) -> (Named, bool) {
        let digest = self.digest(tree);
        let mut names = Vec::with_capacity(digest.locals.len());
        let mut scratch = Vec::with_capacity(digest.locals.len());
        let mut naming = NamingId(0);
        let mut parent = None;
        let mut way = None;
        let mut apart = TellingApart::default();
        let mut is_everywhere = true;
        loop {
            let function = &self.namings[naming.0 as usize];
            let key = match parent {
                Some(parent) if way == Some(Way::Opener) => {
                    is_everywhere = false;
                    opener_key(parent, tree.opener())
                }
                _ => Self::key_under(function, &digest, parent, &mut names, &mut scratch),
            };
            apart.arrive(key, &names, &digest);
            self.enter(key, parent, tree.activity());
            let Some(edge) = self.keys.get(&key).and_then(|key| key.refined.as_ref()) else {
                let widest = widest(&digest, &names);
                apart.mark(&mut names);
                let names = names.into();
                return (Named { key, names, naming, widest, ..Named::default() }, is_everywhere);
            };
            (naming, way) = (edge.naming, Some(edge.change.way));
            if edge.is_fork && self.config.own_names && edge.has_own_names() {
                apart.leave(&names);
            }
            parent = Some(key);
        }
    }
}

/// Which widgets of a screen have names of their state's own, while the screen is named.
#[derive(Default)]
struct TellingApart {
    /// The names before the refinement that is being followed, if it told states apart.
    before: Option<Vec<NameId>>,
    /// For each widget the state that it is told apart with, or 0.
    with: Vec<u64>,
}

impl TellingApart {
    fn leave(&mut self, names: &[NameId]) {
        self.before = Some(names.to_vec());
    }

    /// The refinement led to a state: the widgets that it did not rename are told apart by the state.
    fn arrive(&mut self, key: StateKey, names: &[NameId], digest: &Digest) {
        let Some(before) = self.before.take() else { return };
        self.with.resize(names.len(), 0);
        for (ix, with) in self.with.iter_mut().enumerate() {
            if digest.locals[ix].actionable && names[ix] == before[ix] && names[ix] != NameId::NONE {
                *with = key.0;
            }
        }
    }

    fn mark(self, names: &mut [NameId]) {
        for (name, with) in names.iter_mut().zip(self.with) {
            if with != 0 {
                *name = NameId(hash_numbers(&[name.0, with]));
            }
        }
    }
}
