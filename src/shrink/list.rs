//! Algorithms that shorten a list of items, whatever an item is: an event of a flat trace or a node of a tree's level.

use super::arena::EventIx;
use super::search::{Answer, Question, Search};

/// An algorithm over a list of items.
pub trait List: Clone + Send {
    /// Starts with these items, each with its weight in events. `pinned` says that the last item is surely needed.
    fn start(items: Vec<u32>, weights: Vec<u32>, pinned: Pinned) -> Self;

    /// The next items to keep, or `None` when the algorithm is through.
    fn next(&mut self) -> Option<Try>;

    /// Keeping only those did not work.
    fn no(&mut self);

    /// It worked, and these items are left: those that were kept, or fewer.
    fn yes(&mut self, left: &[u32]);

    /// Only these items are left, for a reason the list does not know.
    fn retain(&mut self, left: &[u32]);
}

/// Whether the last item of a list is surely needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// It leads to the failure and is never tried alone.
    Last,
    /// It is an item as all others.
    None,
}

/// One attempt over a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// The items to keep, in order.
    pub keep: Vec<u32>,
    /// How likely it works.
    pub odds: f64,
}

/// A list algorithm over all events of a trace, without any hierarchy.
#[derive(Clone, Debug)]
pub struct Flat<L> {
    list: L,
    current: Vec<EventIx>,
}

impl<L: List> Flat<L> {
    /// Starts with these events.
    pub fn new(events: Vec<EventIx>) -> Self {
        let weights = vec![1; events.len()];
        Self { current: events.clone(), list: L::start(events, weights, Pinned::None) }
    }
}

impl<L: List> Search for Flat<L> {
    fn question(&mut self) -> Option<Question> {
        self.list.next().map(|attempt| Question::goal(attempt.keep, attempt.odds))
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        match answer.hit(question) {
            Some(ran) => {
                self.current = question.events[..ran].to_vec();
                self.list.yes(&self.current);
            }
            None => self.list.no(),
        }
    }

    fn current(&self) -> Option<&[EventIx]> {
        Some(&self.current)
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        self.current = kept.to_vec();
        self.list.retain(kept);
    }
}

/// The bounds of `parts` parts of a list, as equal in number as possible.
pub fn equal_parts(len: usize, parts: usize) -> Vec<usize> {
    (0..=parts).map(|part| part * len / parts.max(1)).collect()
}

/// The bounds of `parts` non-empty parts of a list, as equal in weight as possible: each bound is where the weight is
/// nearest to its share, as far as the parts after it leave room.
pub fn balanced_parts(weights: &[u32], parts: usize) -> Vec<usize> {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let mut bounds = vec![0];
    let mut sum = 0;
    let mut at = 0;
    for part in 1..parts {
        let share = total * part as u64 / parts as u64;
        let latest = weights.len() - (parts - part);
        sum += u64::from(weights[at]);
        at += 1;
        while at < latest {
            let with = sum + u64::from(weights[at]);
            if with.abs_diff(share) > sum.abs_diff(share) {
                break;
            }
            sum = with;
            at += 1;
        }
        bounds.push(at);
    }
    bounds.push(weights.len());
    bounds
}

/// The items of `of` that are also in `left`; both are in ascending order.
pub fn intersection(of: &[u32], left: &[u32]) -> Vec<u32> {
    let mut left = Left::new(left);
    of.iter().copied().filter(|&item| left.has(item)).collect()
}

/// Looks up ascending items in an ascending list, one after the other.
pub struct Left<'a> {
    rest: &'a [u32],
}

impl<'a> Left<'a> {
    /// Starts at the beginning of the list.
    pub fn new(list: &'a [u32]) -> Self {
        Self { rest: list }
    }

    /// The item is in the list; the next one asked for must be greater.
    pub fn has(&mut self, item: u32) -> bool {
        while let [first, rest @ ..] = self.rest
            && *first < item
        {
            self.rest = rest;
        }
        self.rest.first() == Some(&item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_cover_the_list_and_differ_by_at_most_one() {
        assert_eq!(equal_parts(7, 3), [0, 2, 4, 7]);
        assert_eq!(equal_parts(2, 2), [0, 1, 2]);
    }

    #[test]
    fn balanced_parts_are_cut_where_the_subtrees_weigh_the_same() {
        assert_eq!(balanced_parts(&[1, 1, 1, 1, 1, 5], 2), [0, 5, 6]);
        assert_eq!(balanced_parts(&[9, 1, 1, 1], 2), [0, 1, 4]);
        assert_eq!(balanced_parts(&[1, 1, 8], 3), [0, 1, 2, 3]);
        assert_eq!(balanced_parts(&[3, 3, 3, 3], 4), [0, 1, 2, 3, 4]);
    }
}
