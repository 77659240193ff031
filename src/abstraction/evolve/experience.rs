//! What refinements have proved right elsewhere. Trees are refined state by state, so without it every dialog and every list
//! of an app would have to be learnt from its own mistakes.

use std::collections::BTreeMap;

use super::super::path::AttributePath;
use super::super::reducer::Reducer;

/// How refinements did, by what they select and what they keep.
#[derive(Debug, Default)]
pub(super) struct Experience(BTreeMap<AttributePath, BTreeMap<Reducer, Tally>>);

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: usize,
    wrong: usize,
}

/// A refinement that was right so many times more than wrong is tried where nothing asks for it yet.
const PROVED: usize = 2;

impl Experience {
    /// It told apart what had to be told apart.
    pub(super) fn right(&mut self, selector: &AttributePath, reducer: Reducer) {
        self.tally(selector, reducer).right += 1;
    }

    /// It made too many states, or did not tell apart what had to be told apart.
    pub(super) fn wrong(&mut self, selector: &AttributePath, reducer: Reducer) {
        self.tally(selector, reducer).wrong += 1;
    }

    fn tally(&mut self, selector: &AttributePath, reducer: Reducer) -> &mut Tally {
        self.0.entry(selector.clone()).or_default().entry(reducer).or_default()
    }

    /// How often it was right more than wrong, wrong counting twice; 0 where that is no reason to prefer it.
    pub(super) fn proved(&self, selector: &AttributePath, reducer: Reducer) -> usize {
        let tally = self.0.get(selector).and_then(|by_reducer| by_reducer.get(&reducer)).copied();
        let Tally { right, wrong } = tally.unwrap_or_default();
        let more = right.saturating_sub(2 * wrong);
        if more >= PROVED { more } else { 0 }
    }

    /// Some refinement of what is selected has proved right.
    pub(super) fn knows(&self, selector: &AttributePath) -> bool {
        let reducers = self.0.get(selector).into_iter().flat_map(BTreeMap::keys);
        reducers.into_iter().any(|&reducer| self.proved(selector, reducer) > 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
