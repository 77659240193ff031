//! How the released APE tells two outcomes of an action apart (facts from its `NamingFactory`, 8f51b99): when the action has
//! led to a state for the first time, and then never again if that was the third and nothing helped. The names of its
//! widgets first, where one name stands for several; else the state, by the name whose first fitting reducer is coarsest. It looks at
//! all GUI actions of an outcome; here a transition remembers only some of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::tree::{DecisionTree, Trial};
use super::super::{Changes, Fork, NameId, Named};
use super::refine::{Found, Member, Renamed, Spot, located};
use super::{Evolving, Known};
use crate::gui::{GuiStore, NodeIx};

/// An action with so many outcomes that nothing tells apart is given up for good.
const GIVEN_UP: usize = 3;

/// What a refinement must make different.
#[derive(Clone, Copy)]
enum Difference {
    /// The names of the widgets that were acted on.
    Names,
    /// The states of the screens.
    States,
}

/// What was done on the screens of a state, and led to one of two states.
struct Sides<'a> {
    members: &'a [Member],
    older: Vec<Spot>,
    newest: Vec<Spot>,
}

impl Sides<'_> {
    fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.older.iter().chain(&self.newest)
    }

    /// On one of the screens, the name of what was acted on stands for other widgets, too.
    fn is_shared(&self) -> bool {
        self.spots().any(|&(member, node)| {
            let names = &self.members[member].now.names;
            names.iter().filter(|name| **name == names[node]).count() > 1
        })
    }
}

impl Evolving {
    pub(super) fn refine_as_released(&mut self, fork: &Fork, store: &GuiStore) -> Changes {
        let mut changes = Changes::default();
        let key = (fork.source, fork.name, fork.kind);
        if !fork.is_new || self.inseparable.contains_key(&key) {
            return changes;
        }
        let Some((newest, others)) = fork.outcomes.split_first() else { return changes };
        if let Some((named, members)) = self.screens(fork.source, newest, store) {
            for other in others {
                let sides = Sides {
                    older: located(&members, other).collect(),
                    newest: located(&members, newest).collect(),
                    members: &members,
                };
                if let Some(found) = self.first_fit(&named, &sides, store) {
                    let spots = (sides.newest[0], sides.older[0]);
                    self.tell_apart(&named, &members, found, spots, store, &mut changes);
                    return changes;
                }
            }
        }
        if fork.outcomes.len() >= GIVEN_UP {
            self.inseparable.insert(key, Known { outcomes: fork.outcomes.len(), visits: 0 });
        }
        changes.decisions.push(self.not_separable(fork, store));
        changes
    }

    fn first_fit(&self, named: &Named, sides: &Sides<'_>, store: &GuiStore) -> Option<Found> {
        let &(member, node) = sides.newest.first()?;
        sides.older.first()?;
        let by_name = || self.first_of(named, sides, (member, node), Difference::Names, store);
        if let Some(found) = sides.is_shared().then(by_name).flatten() {
            return Some(found);
        }
        // All screens of a state have the same names.
        let tree = store.get(sides.members[member].hash)?;
        let all = sides.members[member].now.names.iter().enumerate();
        let mut first_of_name: BTreeMap<NameId, usize> = BTreeMap::new();
        for (ix, &name) in all.filter(|&(ix, _)| tree.nodes()[ix].widget.is_actionable()) {
            first_of_name.entry(name).or_insert(ix);
        }
        let naming = self.naming(named.naming);
        let found = first_of_name
            .into_values()
            .filter_map(|ix| self.first_of(named, sides, (member, ix), Difference::States, store));
        found.min_by_key(|found| {
            let Trial { output, change, .. } = &found.trial;
            (
                naming.reducer(*output).released_rank(),
                change.reducer.released_rank(),
                change.selector.to_string(),
            )
        })
    }

    /// The coarsest refinement of a widget's name that makes the difference. Where one makes too many states, nothing finer
    /// is tried.
    fn first_of(
        &self,
        named: &Named,
        sides: &Sides<'_>,
        (member, node): Spot,
        difference: Difference,
        store: &GuiStore,
    ) -> Option<Found> {
        let tree = Arc::clone(store.get(sides.members[member].hash)?);
        let naming = self.naming(named.naming);
        let mut too_fine = Vec::new();
        for trial in self.candidates(named, &tree, NodeIx(node as u32)) {
            let reducer = trial.change.reducer;
            if too_fine.iter().any(|known| reducer.is_finer_than(*known)) {
                continue;
            }
            match self.fits(naming, &trial, sides, difference) {
                Fit::Works { states, actions } => {
                    return Some(Found { trial, states, actions, look: 0, is_fork: states > 1 });
                }
                Fit::TooFine => too_fine.push(reducer),
                Fit::Misses => {}
            }
        }
        None
    }

    fn fits(&self, naming: &DecisionTree, trial: &Trial, sides: &Sides<'_>, difference: Difference) -> Fit {
        let renamed = Renamed::new(naming, trial, sides.members);
        let state = |&(member, _): &Spot| renamed.of(member).0;
        let name = |&(member, node): &Spot| renamed.of(member).1[node];
        let beta = self.beta_of(naming.fineness_after(trial));
        let is_apart = match difference {
            Difference::Names => {
                let older: BTreeSet<NameId> = sides.older.iter().map(name).collect();
                !sides.newest.iter().any(|spot| older.contains(&name(spot)))
            }
            Difference::States => {
                let older: BTreeSet<_> = sides.older.iter().map(state).collect();
                if older.len() > beta {
                    return Fit::TooFine;
                }
                !sides.newest.iter().any(|spot| older.contains(&state(spot)))
            }
        };
        if !is_apart {
            return Fit::Misses;
        }
        let states: BTreeSet<_> = sides.spots().map(state).collect();
        if states.len() > beta {
            return Fit::TooFine;
        }
        let actions: BTreeSet<_> = sides.spots().map(|spot| (state(spot), name(spot))).collect();
        Fit::Works { states: states.len(), actions: actions.len() }
    }
}

enum Fit {
    Works { states: usize, actions: usize },
    TooFine,
    Misses,
}
