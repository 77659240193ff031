//! `hdd`: SimplyDroid III-C, after Misherghi and Su, "HDD: hierarchical delta debugging", ICSE 2006.
//!
//! Assumes that what was done below a state can go when the state's own event goes. In a level the last part is tried
//! first, then the complements from the end; an event always brings everything below it. One pass over the levels, so
//! the final one-by-one pass is needed for 1-minimality. It costs about 2 log₂ of each level's width for each needed
//! node if deleting is monotone.

use std::sync::Arc;

use super::arena::EventIx;
use super::list::{Left, List, Pinned, Try, balanced_parts, equal_parts};
use super::search::{Answer, Question, Search};
use crate::trace::event_tree::EventTree;

/// `hdd` over the event tree.
pub type Hdd = Levels<EqualParts>;

/// A list algorithm on each level of the event tree, from the top down. An event always brings everything below it.
#[derive(Clone, Debug)]
pub struct Levels<L> {
    tree: Arc<EventTree>,
    current: Vec<EventIx>,
    level: usize,
    list: Option<L>,
}

impl<L: List> Levels<L> {
    /// Starts with the whole tree.
    pub fn new(tree: Arc<EventTree>) -> Self {
        let current = (0..tree.len() as EventIx).collect();
        Self::from_level(tree, current, 1)
    }

    /// Goes on from a level with what is left; the event above each of these events must be one of them.
    pub fn from_level(tree: Arc<EventTree>, current: Vec<EventIx>, level: usize) -> Self {
        Self { tree, current, level, list: None }
    }

    fn nodes(&self) -> Vec<EventIx> {
        self.current.iter().copied().filter(|&event| self.tree.level(event as usize) == self.level).collect()
    }
}

impl<L: List> Search for Levels<L> {
    fn question(&mut self) -> Option<Question> {
        loop {
            if self.list.is_none() {
                if self.level > self.tree.depth() {
                    return None;
                }
                let nodes = self.nodes();
                let weights = sizes(&self.tree, &self.current, &nodes);
                // The last node of a level leads to the failure, unless the level is below the failure's.
                let last = self.current.last().map_or(0, |&event| self.tree.level(event as usize));
                let pinned = if self.level <= last { Pinned::Last } else { Pinned::None };
                self.list = Some(L::start(nodes, weights, pinned));
            }
            if let Some(attempt) = self.list.as_mut().and_then(List::next) {
                let nodes = self.nodes();
                let events = without(&self.tree, &self.current, &nodes, &attempt.keep);
                return Some(Question::goal(events, attempt.odds));
            }
            self.list = None;
            self.level += 1;
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let Some(list) = self.list.as_mut() else { return };
        if let Some(ran) = answer.hit(question) {
            self.current = question.events[..ran].to_vec();
            list.yes(&self.current);
        } else {
            list.no();
        }
    }

    fn current(&self) -> Option<&[EventIx]> {
        Some(&self.current)
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        self.current = kept.to_vec();
        if let Some(list) = self.list.as_mut() {
            list.retain(&self.current);
        }
    }
}

/// How many of the current events are each node and the events below it.
pub fn sizes(tree: &EventTree, current: &[EventIx], nodes: &[EventIx]) -> Vec<u32> {
    let position = |event: usize| current.partition_point(|&other| (other as usize) < event);
    nodes
        .iter()
        .map(|&node| {
            let subtree = tree.subtree(node as usize);
            (position(subtree.end) - position(subtree.start)) as u32
        })
        .collect()
}

/// The current events without those nodes of a level that are not kept, and without everything below them.
pub fn without(tree: &EventTree, current: &[EventIx], nodes: &[EventIx], keep: &[EventIx]) -> Vec<EventIx> {
    let mut events = Vec::with_capacity(current.len());
    let mut from = 0;
    let mut kept = keep.iter().peekable();
    for &node in nodes {
        if kept.next_if_eq(&&node).is_some() {
            continue;
        }
        let subtree = tree.subtree(node as usize);
        let start = from + current[from..].partition_point(|&event| (event as usize) < subtree.start);
        events.extend_from_slice(&current[from..start]);
        from = start + current[start..].partition_point(|&event| (event as usize) < subtree.end);
    }
    events.extend_from_slice(&current[from..]);
    events
}

/// SimplyDroid's in-level procedure with parts of equal numbers of nodes.
pub type EqualParts = InLevel<false>;

/// SimplyDroid's in-level procedure: the last part, then the complements of the other parts from the end, then finer.
#[derive(Clone, Debug)]
pub struct InLevel<const BALANCED: bool> {
    items: Vec<u32>,
    weights: Vec<u32>,
    parts: usize,
    at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    LastPart,
    Complement(usize),
    End,
}

const ODDS_LAST_PART: f64 = 0.35;
const ODDS_COMPLEMENT: f64 = 0.25;

impl<const BALANCED: bool> InLevel<BALANCED> {
    fn bounds(&self) -> Vec<usize> {
        if BALANCED {
            balanced_parts(&self.weights, self.parts)
        } else {
            equal_parts(self.items.len(), self.parts)
        }
    }
}

impl<const BALANCED: bool> List for InLevel<BALANCED> {
    fn start(items: Vec<u32>, weights: Vec<u32>, _pinned: Pinned) -> Self {
        let at = if items.len() < 2 { At::End } else { At::LastPart };
        Self { items, weights, parts: 2, at }
    }

    fn next(&mut self) -> Option<Try> {
        let bounds = if self.at == At::End { return None } else { self.bounds() };
        match self.at {
            At::LastPart => {
                Some(Try { keep: self.items[bounds[self.parts - 1]..].to_vec(), odds: ODDS_LAST_PART })
            }
            At::Complement(part) => {
                let mut keep = self.items[..bounds[part]].to_vec();
                keep.extend_from_slice(&self.items[bounds[part + 1]..]);
                Some(Try { keep, odds: ODDS_COMPLEMENT })
            }
            At::End => None,
        }
    }

    fn no(&mut self) {
        self.at = match self.at {
            // The complement of the first of two parts is the last part.
            At::LastPart if self.parts > 2 => At::Complement(self.parts - 2),
            At::Complement(part) if part > 0 => At::Complement(part - 1),
            At::LastPart | At::Complement(_) if self.parts < self.items.len() => {
                self.parts = (2 * self.parts).min(self.items.len());
                At::LastPart
            }
            _ => At::End,
        };
    }

    fn yes(&mut self, left: &[u32]) {
        self.parts = if matches!(self.at, At::Complement(_)) { self.parts - 1 } else { 2 };
        self.retain(left);
    }

    fn retain(&mut self, left: &[u32]) {
        let mut items = Vec::new();
        let mut weights = Vec::new();
        let mut left = Left::new(left);
        for (&item, &weight) in self.items.iter().zip(&self.weights) {
            if left.has(item) {
                items.push(item);
                weights.push(weight);
            }
        }
        self.items = items;
        self.weights = weights;
        self.parts = self.parts.clamp(2, self.items.len().max(2));
        self.at = if self.items.len() < 2 { At::End } else { At::LastPart };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;
    use crate::trace::event_tree::StateLabel;

    fn tree(labels: &str) -> Arc<EventTree> {
        let labels: Vec<_> = labels.bytes().map(|label| StateLabel(u64::from(label))).collect();
        Arc::new(EventTree::new(&labels))
    }

    #[test]
    fn hdd_goes_down_the_levels_with_the_last_part_first() {
        // Level 1: 0 1 4 5; level 2: 2 3 under 1, and 6 7 8 under 5. Needed are 5, 7 and 8.
        let tree = tree("aabbaabbb");
        let asked = questions(Hdd::new(tree), |events| [5, 7, 8].iter().all(|need| events.contains(need)));
        let expected: [&[u32]; 5] = [&[4, 5, 6, 7, 8], &[5, 6, 7, 8], &[5, 7, 8], &[5, 8], &[5, 7]];
        // Three nodes in two parts are one and two.
        assert_eq!(asked[..4], expected[..4]);
        assert_eq!(asked.len(), 4);
    }

    #[test]
    fn a_level_that_cannot_lose_a_part_is_cut_finer() {
        let asked = questions(Hdd::new(tree("aaaa")), |events| events.contains(&0) && events.contains(&3));
        let expected: [&[u32]; 6] = [&[2, 3], &[3], &[0, 1, 3], &[3], &[0, 3], &[3]];
        assert_eq!(asked, expected);
    }
}
