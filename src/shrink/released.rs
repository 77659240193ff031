//! `dd-released`, `hdd-released` and `bhdd-released`: what SimplyDroid's published code asks, where it differs from the paper.
//!
//! Assumes what `ddmin`, `hdd` and `bhdd` assume and costs about the same. The differences: parts have ⌊(n+1)/p⌋ items, so that a tail may be
//! in no part; a hit is not cut where it reproduces; a failed list is not asked again; the greedy balance of `bhdd`.
//! The lists are the released ones; 1-minimality comes from the one-by-one pass after them.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::arena::EventIx;
use super::hdd::{sizes, without};
use super::search::{Answer, Question, Search};
use crate::trace::event_tree::EventTree;

/// The released `DeltaDebugging`: parts from the first on, then complements, as in `ddmin`.
#[derive(Clone, Debug)]
pub struct DdReleased {
    items: Vec<EventIx>,
    parts: usize,
    at: At,
    failed: Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Part(usize),
    Complement(usize),
    End,
}

/// The lists that failed; the released code keeps their MD5.
#[derive(Clone, Debug, Default)]
pub struct Failed(FxHashSet<u64>);

impl Failed {
    fn key(events: &[EventIx]) -> u64 {
        let bytes: Vec<u8> = events.iter().flat_map(|event| event.to_le_bytes()).collect();
        xxh3_64(&bytes)
    }

    /// The list failed before.
    pub fn contains(&self, events: &[EventIx]) -> bool {
        self.0.contains(&Self::key(events))
    }

    /// The list failed.
    pub fn insert(&mut self, events: &[EventIx]) {
        self.0.insert(Self::key(events));
    }
}

const ODDS: f64 = 0.2;

impl DdReleased {
    /// Starts with these events.
    pub fn new(items: Vec<EventIx>) -> Self {
        let at = if items.len() == 1 { At::End } else { At::Part(0) };
        Self { items, parts: 2, at, failed: Failed::default() }
    }

    fn next(&mut self) {
        self.at = match self.at {
            At::Part(part) if part + 1 < self.parts => At::Part(part + 1),
            At::Part(_) => At::Complement(0),
            At::Complement(part) if part + 1 < self.parts => At::Complement(part + 1),
            At::Complement(_) if self.parts < self.items.len() => {
                self.parts = self.items.len().min(2 * self.parts);
                At::Part(0)
            }
            At::Complement(_) | At::End => At::End,
        };
    }

    fn list(&self) -> Option<Vec<EventIx>> {
        let bounds = |part| Split::Numbers.bounds(&self.items, &[], self.parts, part);
        match self.at {
            At::Part(part) => Some(self.items[bounds(part)].to_vec()),
            At::Complement(part) => Some(complement(&self.items, bounds(part))),
            At::End => None,
        }
    }
}

impl Search for DdReleased {
    fn question(&mut self) -> Option<Question> {
        loop {
            let events = self.list()?;
            if !self.failed.contains(&events) {
                return Some(Question::goal(events, ODDS));
            }
            self.next();
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        if answer.hit(question).is_some() {
            let parts = if matches!(self.at, At::Complement(_)) { (self.parts - 1).max(2) } else { 2 };
            let failed = std::mem::take(&mut self.failed);
            *self = Self { parts, failed, ..Self::new(question.events.clone()) };
        } else {
            self.failed.insert(&question.events);
            self.next();
        }
    }
}

/// How a level is cut into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// By numbers of nodes; the last ones may be in no part.
    Numbers,
    /// Filled up to the average weight, the nodes that are left over one a part.
    Weights,
}

impl Split {
    /// Where a part is in the list of items.
    pub fn bounds<T>(
        self,
        items: &[T],
        weights: &[u32],
        parts: usize,
        part: usize,
    ) -> std::ops::Range<usize> {
        if self == Self::Numbers {
            let size = (items.len() + 1) / parts;
            return (part * size).min(items.len())..((part + 1) * size).min(items.len());
        }
        let average = weights.iter().sum::<u32>() as f32 / parts as f32;
        let mut ends = Vec::with_capacity(parts);
        let mut joins = items.len() - parts;
        let mut sum = 0;
        for (at, &weight) in weights.iter().enumerate() {
            if joins == 0 {
                ends.push(at + 1);
                continue;
            }
            sum += weight;
            if sum as f32 >= average {
                sum = 0;
                ends.push(at + 1);
            } else {
                joins -= 1;
            }
        }
        let start = if part == 0 { 0 } else { ends.get(part - 1).copied().unwrap_or(items.len()) };
        start..ends.get(part).copied().unwrap_or(items.len())
    }
}

fn complement<T: Copy>(items: &[T], part: std::ops::Range<usize>) -> Vec<T> {
    let mut rest = items[..part.start].to_vec();
    rest.extend_from_slice(&items[part.end..]);
    rest
}

/// The released in-level procedure: the last part, then the complements from the last but one to the first.
#[derive(Clone, Debug)]
pub struct InLevelReleased {
    nodes: Vec<EventIx>,
    weights: Vec<u32>,
    split: Split,
    parts: usize,
    /// The part whose complement is next; the last part itself comes before them all.
    at: At,
}

impl InLevelReleased {
    /// Starts with these nodes and the numbers of events they bring.
    pub fn new(nodes: Vec<EventIx>, weights: Vec<u32>, split: Split) -> Self {
        Self::with_parts(nodes, weights, split, 2)
    }

    fn with_parts(nodes: Vec<EventIx>, weights: Vec<u32>, split: Split, parts: usize) -> Self {
        let parts = parts.min(nodes.len());
        let at = if nodes.len() < 2 { At::End } else { At::Part(parts - 1) };
        Self { nodes, weights, split, parts, at }
    }

    /// The nodes to keep next.
    pub fn keep(&self) -> Option<Vec<EventIx>> {
        let bounds = |part| self.split.bounds(&self.nodes, &self.weights, self.parts, part);
        match self.at {
            At::Part(part) => Some(self.nodes[bounds(part)].to_vec()),
            At::Complement(part) => Some(complement(&self.nodes, bounds(part))),
            At::End => None,
        }
    }

    /// Keeping them failed, now or before.
    pub fn no(&mut self) {
        self.at = match self.at {
            At::Part(part) => At::Complement(part - 1),
            At::Complement(part) if part > 0 => At::Complement(part - 1),
            At::Complement(_) if self.parts < self.nodes.len() => {
                self.parts = self.nodes.len().min(2 * self.parts);
                At::Part(self.parts - 1)
            }
            At::Complement(_) | At::End => At::End,
        };
    }

    /// Keeping them worked.
    pub fn yes(&mut self, keep: &[EventIx]) {
        let parts = if matches!(self.at, At::Complement(_)) { (self.parts - 1).max(2) } else { 2 };
        let weights = self
            .nodes
            .iter()
            .zip(&self.weights)
            .filter(|(node, _)| keep.binary_search(node).is_ok())
            .map(|(_, &weight)| weight)
            .collect();
        *self = Self::with_parts(keep.to_vec(), weights, self.split, parts);
    }
}

/// The released `HierarchicalDeltaDebugging` and `BalancedHierarchicalDeltaDebugging`: one pass over the levels.
#[derive(Clone, Debug)]
pub struct HddReleased {
    tree: Arc<EventTree>,
    current: Vec<EventIx>,
    level: usize,
    split: Split,
    list: Option<InLevelReleased>,
    failed: Failed,
}

impl HddReleased {
    /// Starts with the whole tree.
    pub fn new(tree: Arc<EventTree>, split: Split) -> Self {
        let current = (0..tree.len() as EventIx).collect();
        Self { tree, current, level: 1, split, list: None, failed: Failed::default() }
    }
}

/// The current nodes of a level.
pub fn nodes_at(tree: &EventTree, current: &[EventIx], level: usize) -> Vec<EventIx> {
    current.iter().copied().filter(|&event| tree.level(event as usize) == level).collect()
}

impl Search for HddReleased {
    fn question(&mut self) -> Option<Question> {
        loop {
            let nodes = nodes_at(&self.tree, &self.current, self.level);
            if nodes.is_empty() {
                return None;
            }
            let list = self.list.get_or_insert_with(|| {
                let weights = sizes(&self.tree, &self.current, &nodes);
                InLevelReleased::new(nodes.clone(), weights, self.split)
            });
            while let Some(keep) = list.keep() {
                let events = without(&self.tree, &self.current, &nodes, &keep);
                if !self.failed.contains(&events) {
                    return Some(Question::goal(events, ODDS));
                }
                list.no();
            }
            self.list = None;
            self.level += 1;
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let Some(list) = self.list.as_mut() else { return };
        if answer.hit(question).is_some() {
            if let Some(keep) = list.keep() {
                list.yes(&keep);
            }
            self.current.clone_from(&question.events);
        } else {
            self.failed.insert(&question.events);
            list.no();
        }
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

    fn needs(needed: &[u32]) -> impl Fn(&[u32]) -> bool {
        move |events| needed.iter().all(|need| events.contains(need))
    }

    #[test]
    fn released_parts_leave_the_tail_in_no_part() {
        // Five items in four parts: ⌊6/4⌋ = 1, so that the fifth is in none.
        let parts: Vec<_> = (0..4).map(|part| Split::Numbers.bounds(&[0; 5], &[], 4, part)).collect();
        assert_eq!(parts, [0..1, 1..2, 2..3, 3..4]);
        // Three in two: ⌊4/2⌋ = 2.
        assert_eq!(Split::Numbers.bounds(&[0; 3], &[], 2, 1), 2..3);
    }

    #[test]
    fn released_weights_fill_up_to_the_average() {
        let bounds = |weights: &[u32], parts| -> Vec<_> {
            (0..parts).map(|part| Split::Weights.bounds(weights, weights, parts, part)).collect()
        };
        // The average is 6.5: the first node alone is above it; of the rest two are joined until parts are left.
        assert_eq!(bounds(&[10, 1, 1, 1], 2), [0..1, 1..4]);
        assert_eq!(bounds(&[1, 1, 1, 5], 2), [0..3, 3..4]);
    }

    #[test]
    fn dd_released_asks_the_released_list() {
        // By hand: p=2 parts 01 23, complements 23 01 failed before; p=4 parts 0 1 2 3, complements 123 hit; p=3.
        let asked = questions(DdReleased::new((0..4).collect()), needs(&[1, 3]));
        let expected: [&[u32]; 8] = [&[0, 1], &[2, 3], &[0], &[1], &[2], &[3], &[1, 2, 3], &[1, 3]];
        assert_eq!(asked, expected);
    }

    #[test]
    fn hdd_released_asks_the_released_list() {
        // One level of five nodes. p=2: size 3, last part 34. p=4: size 1, last part 3 without the crash node 4; the
        // complements of 2, 1 and 0 follow. Dropping 2 works: p=3 over 0134, size 1: last part 3 failed, complement of 1
        // works: 0 3 4 with p=2: size 2: last part 4, its complement the same list; p=3: last part 4, complements 0 4, 34.
        let asked = questions(HddReleased::new(tree("aaaaa"), Split::Numbers), needs(&[0, 3, 4]));
        let expected: [&[u32]; 6] = [&[3, 4], &[3], &[0, 1, 3, 4], &[0, 3, 4], &[4], &[0, 4]];
        assert_eq!(asked, expected);
    }

    #[test]
    fn bhdd_released_asks_the_released_list() {
        // Level 1: 0, 1 (with 2 to 5 below) and 6; weights 1 5 1. p=2: average 3.5: parts 01 and 6. p=3: last part 6
        // failed before; without 1; without 0 fails. Level 2 is empty then.
        let asked = questions(HddReleased::new(tree("aabbbba"), Split::Weights), needs(&[0, 6]));
        let expected: [&[u32]; 2] = [&[6], &[0, 6]];
        assert_eq!(asked, expected);
    }
}
