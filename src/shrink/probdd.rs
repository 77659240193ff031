//! `probdd`: Wang et al., "Probabilistic delta debugging", FSE 2021.
//!
//! Assumes that each event is needed with its own probability, 0.1 at first, and leaves out the set that is expected to
//! drop the most events. It costs O(n) runs at worst. The minimum if deleting is monotone and unambiguous; else one
//! unlucky run keeps an event for good, and the final one-by-one pass is needed.

use super::list::{Flat, Left, List, Pinned, Try};

/// `probdd` over all events.
pub type ProbDd = Flat<ProbList<false>>;

/// `ProbDD` over a list. With weights, what counts is how many events are expected to go, not how many items.
#[derive(Clone, Debug)]
pub struct ProbList<const WEIGHTED: bool> {
    items: Vec<Item>,
    /// The positions of the items that are left out now.
    out: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    id: u32,
    weight: f64,
    /// How likely it is needed; 1 once that is known.
    needed: f64,
}

/// As in the authors' code.
const START: f64 = 0.1;
/// How many nodes of a level are expected to be needed, when items are weighted.
const EXPECTED_IN_A_LEVEL: f64 = 3.0;
/// Even in a small level no node starts as surely needed.
const HIGHEST_START: f64 = 0.4;

impl<const WEIGHTED: bool> ProbList<WEIGHTED> {
    /// The undecided items that are expected to drop the most when they are left out together.
    fn choose(&self) -> Vec<usize> {
        let mut open: Vec<usize> = (0..self.items.len()).filter(|&at| self.items[at].needed < 1.0).collect();
        let worth = |at: usize| {
            let item = &self.items[at];
            if WEIGHTED { (1.0 - item.needed) * item.weight } else { 1.0 - item.needed }
        };
        open.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)));
        let mut best = (0.0, 0);
        let (mut weight, mut chance) = (0.0, 1.0);
        for (count, &at) in open.iter().enumerate() {
            weight += if WEIGHTED { self.items[at].weight } else { 1.0 };
            chance *= 1.0 - self.items[at].needed;
            if weight * chance > best.0 {
                best = (weight * chance, count + 1);
            }
        }
        open.truncate(best.1);
        open.sort_unstable();
        open
    }

    fn chance(&self) -> f64 {
        self.out.iter().map(|&at| 1.0 - self.items[at].needed).product()
    }
}

impl<const WEIGHTED: bool> List for ProbList<WEIGHTED> {
    fn start(items: Vec<u32>, weights: Vec<u32>, pinned: Pinned) -> Self {
        let count = items.len() as f64;
        let needed = if WEIGHTED { (EXPECTED_IN_A_LEVEL / count).min(HIGHEST_START) } else { START };
        let mut items: Vec<Item> = items
            .into_iter()
            .zip(weights)
            .map(|(id, weight)| Item { id, weight: f64::from(weight), needed })
            .collect();
        if pinned == Pinned::Last
            && let Some(last) = items.last_mut()
        {
            last.needed = 1.0;
        }
        Self { items, out: Vec::new() }
    }

    fn next(&mut self) -> Option<Try> {
        if self.out.is_empty() {
            self.out = self.choose();
        }
        if self.out.is_empty() {
            return None;
        }
        let mut out = self.out.iter().peekable();
        let keep = (0..self.items.len())
            .filter(|at| out.next_if_eq(&at).is_none())
            .map(|at| self.items[at].id)
            .collect();
        Some(Try { keep, odds: self.chance() })
    }

    fn no(&mut self) {
        let some_needed = 1.0 - self.chance();
        let out = std::mem::take(&mut self.out);
        for &at in &out {
            let item = &mut self.items[at];
            item.needed = if out.len() == 1 { 1.0 } else { (item.needed / some_needed).min(1.0) };
        }
    }

    fn yes(&mut self, left: &[u32]) {
        self.retain(left);
    }

    fn retain(&mut self, left: &[u32]) {
        self.out.clear();
        let mut left = Left::new(left);
        self.items.retain(|item| left.has(item.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;

    #[test]
    fn the_first_set_maximises_the_expected_gain() {
        // k · 0.9^k is greatest at k = 9 and 10; the smaller wins.
        let asked = questions(ProbDd::new((0..100).collect()), |events| events.contains(&99));
        assert_eq!(asked[0].len(), 91);
        assert_eq!(asked[0][0], 9);
    }

    #[test]
    fn what_is_needed_is_found_in_a_linear_number_of_runs() {
        let asked = questions(ProbDd::new((0..200).collect()), |events| {
            [20, 70, 71, 150, 199].iter().all(|need| events.contains(need))
        });
        assert!(asked.iter().any(|events| events == &[20, 70, 71, 150, 199]));
        assert!(asked.len() < 70, "{}", asked.len());
    }
}
