//! What refinements have proved right elsewhere. Trees are refined state by state, so without it every dialog and every list
//! of an app would have to be learnt from its own mistakes.

use std::collections::BTreeMap;

use super::super::path::AttributePath;
use super::super::reducer::Reducer;

/// How refinements did, by what they select and what they keep.
#[derive(Debug, Default)]
pub(super) struct Experience {
    reducers: BTreeMap<AttributePath, BTreeMap<Reducer, Tally>>,
    /// How telling screens apart by what opened them did, by what they look like, whatever their activity.
    openers: BTreeMap<u64, Tally>,
    /// How names of which the state takes no notice did.
    names: BTreeMap<AttributePath, BTreeMap<Reducer, Tally>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    /// How often it made several states when it was right.
    apart: usize,
}

/// A refinement that was right so many times more than wrong is tried where nothing asks for it yet.
const PROVED: usize = 2;

impl Experience {
    /// It told apart what had to be told apart.
    pub(super) fn right(&mut self, selector: &AttributePath, reducer: Reducer, states: usize) {
        let tally = self.tally(selector, reducer);
        tally.right += 1;
        tally.apart += usize::from(states > 1);
    }

    /// A refinement that proved right did so by making several states.
    pub(super) fn tells_apart(&self, selector: &AttributePath, reducer: Reducer) -> bool {
        let tally = self.reducers.get(selector).and_then(|by_reducer| by_reducer.get(&reducer));
        tally.is_some_and(|tally| 2 * tally.apart > tally.right)
    }

    /// Names of which the state takes no notice told apart what had to be told apart.
    pub(super) fn names_right(&mut self, selector: &AttributePath, reducer: Reducer) {
        self.names.entry(selector.clone()).or_default().entry(reducer).or_default().right += 1;
    }

    /// Some such names were right.
    pub(super) fn knows_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The reducer that has proved right for such names.
    pub(super) fn proved_names(&self, selector: &AttributePath) -> Option<Reducer> {
        let proved = self.names.get(selector)?.iter().filter(|(_, tally)| tally.proved() > 0);
        proved.max_by_key(|(_, tally)| tally.proved()).map(|(reducer, _)| *reducer)
    }

    /// It made too many states, or did not tell apart what had to be told apart.
    pub(super) fn wrong(&mut self, selector: &AttributePath, reducer: Reducer) {
        self.tally(selector, reducer).wrong += 1;
    }

    fn tally(&mut self, selector: &AttributePath, reducer: Reducer) -> &mut Tally {
        self.reducers.entry(selector.clone()).or_default().entry(reducer).or_default()
    }

    /// How often it was right more than wrong, wrong counting twice; 0 where that is no reason to prefer it.
    pub(super) fn proved(&self, selector: &AttributePath, reducer: Reducer) -> usize {
        let tally = self.reducers.get(selector).and_then(|by_reducer| by_reducer.get(&reducer)).copied();
        tally.unwrap_or_default().proved()
    }

    /// What opened screens of this look told apart what had to be told apart.
    pub(super) fn opener_right(&mut self, look: u64) {
        self.openers.entry(look).or_default().right += 1;
    }

    /// It made too many states.
    pub(super) fn opener_wrong(&mut self, look: u64) {
        self.openers.entry(look).or_default().wrong += 1;
    }

    /// What opened screens of this look tells them apart.
    pub(super) fn opener_proved(&self, look: u64) -> bool {
        self.openers.get(&look).is_some_and(|tally| tally.proved() > 0)
    }

    /// Some refinement of what is selected has proved right.
    pub(super) fn knows(&self, selector: &AttributePath) -> bool {
        let reducers = self.reducers.get(selector).into_iter().flat_map(BTreeMap::keys);
        reducers.into_iter().any(|&reducer| self.proved(selector, reducer) > 0)
            || self.proved_names(selector).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reducers.is_empty() && self.names.is_empty()
    }
}

impl Tally {
    fn proved(self) -> usize {
        let more = self.right.saturating_sub(2 * self.wrong);
        if more >= PROVED { more } else { 0 }
    }
}
