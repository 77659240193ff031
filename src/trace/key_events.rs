//! CHARD's key events: what of a crash-triggering sequence leads to the crash (CHARD 5.2).
//!
//! The three strategies only look at the record. Which of them is right depends on the data that the crash needs, and that
//! is seen only by replaying: [`shrink::chard`](crate::shrink::chard) does so in the order of Algorithm 2.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::ineffective::{Ineffective, Rules, analyse};
use super::user_event::{Object, ObjectKey, Operation, UserEvent, UserSequence};
use super::window_tree::WindowTree;
use crate::ids::BranchId;

/// How two transition events are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// θ: two transition events between the same windows are the same if the similarity of their method sequences
    /// exceeds this. The paper prints no value; 0.8 is ours.
    pub theta: f64,
}

impl Default for Similarity {
    fn default() -> Self {
        Self { theta: 0.8 }
    }
}

/// How CHARD looks at a sequence.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ChardConfig {
    /// Which events are ineffective.
    pub rules: Rules,
    /// Which transition events are equal.
    pub similarity: Similarity,
}

/// The candidates of the three strategies: indices of the sequence, in the order in which they are to be replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyEvents {
    /// What the nine rules delete.
    pub ineffective: Ineffective,
    /// The window tree of the whole sequence; absent where windows were not recorded, and then so are the two strategies.
    pub tree: Option<WindowTree>,
    /// Short: the shortest path through the windows to the last event.
    pub short: Option<Vec<usize>>,
    /// Duplicate: of what the nine rules leave, one of each kind of event.
    pub duplicate: Option<Vec<usize>>,
}

impl KeyEvents {
    /// Works out all three.
    pub fn of(sequence: &UserSequence, rules: &Rules, similarity: Similarity) -> Self {
        let ineffective = analyse(sequence, rules);
        let all: Vec<usize> = (0..sequence.events.len()).collect();
        let tree = WindowTree::build(sequence, &all).filter(|tree| !tree.nodes.is_empty());
        let short = tree.as_ref().zip(all.last()).map(|(tree, &last)| tree.shortest_path(last));
        let duplicate = duplicate(sequence, &ineffective.kept, similarity);
        Self { ineffective, tree, short, duplicate }
    }

    /// The shortest list that is likely to hold all data events: Duplicate, or else what the rules leave.
    pub fn likely(&self) -> &[usize] {
        self.duplicate.as_deref().unwrap_or(&self.ineffective.kept)
    }
}

/// CHARD's Duplicate (Algorithm 3): sorts the events of each window so that normal events come first, keeps one of
/// equivalent events, and takes along what led to a transition that goes. None if windows were not recorded.
///
/// The paper deletes the event before a removed transition whatever it is. Here the windows that are left always form a way:
/// a transition goes only together with the loop that it closes, which in the paper's example is the event before it.
pub fn duplicate(sequence: &UserSequence, kept: &[usize], similarity: Similarity) -> Option<Vec<usize>> {
    let tree = WindowTree::build(sequence, kept)?;
    let &last = kept.last()?;
    let steps = one_of_each_transition(sequence, &tree, similarity);
    // Normal events go to the front of their window: they are made when it is first seen.
    let mut normal: Vec<Vec<usize>> = tree.nodes.iter().map(|_| Vec::new()).collect();
    let mut leads = vec![false; sequence.events.len()];
    for transition in &tree.transitions {
        leads[transition.source] = true;
    }
    for (node, events) in tree.nodes.iter().zip(&mut normal) {
        let mut seen: FxHashSet<Kind<'_>> = FxHashSet::default();
        for &event in &node.events {
            let own = &sequence.events[event];
            if event != last && !leads[event] && (own.fails || seen.insert(Kind::of(own))) {
                events.push(event);
            }
        }
    }
    let mut order = Vec::new();
    let mut visit = |node: usize, order: &mut Vec<usize>| order.append(&mut normal[node]);
    visit(0, &mut order);
    for step in steps {
        order.push(step.event);
        visit(step.to, &mut order);
    }
    order.push(last);
    Some(order)
}

/// A transition of the walk through the windows.
#[derive(Clone, Copy, Debug)]
struct Step {
    event: usize,
    from: usize,
    to: usize,
    /// Equivalent transitions have an equal kind.
    kind: usize,
}

/// The walk through the windows without the loops that only repeat transitions.
fn one_of_each_transition(sequence: &UserSequence, tree: &WindowTree, similarity: Similarity) -> Vec<Step> {
    let mut kinds: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    let mut count = 0;
    let mut walk: Vec<Step> = Vec::with_capacity(tree.transitions.len());
    for &transition in &tree.transitions {
        let (from, to) = tree.ends(transition);
        let event = transition.source;
        let known = kinds.entry((from, to)).or_default();
        let same = known
            .iter()
            .find(|&&(_, other)| similarity.holds(&sequence.events[other], &sequence.events[event]));
        let kind = same.map_or(count, |&(kind, _)| kind);
        if kind == count {
            known.push((kind, event));
            count += 1;
        }
        walk.push(Step { event, from, to, kind });
    }
    let mut levels: Vec<usize> = (0..tree.nodes.len()).collect();
    levels.sort_by_key(|&node| tree.nodes[node].level);
    let mut left = vec![0_usize; count];
    for step in &walk {
        left[step.kind] += 1;
    }
    for node in levels {
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while at < walk.len() {
            let step = walk[at];
            if step.from == node
                && !seen.insert(step.kind)
                && let Some(start) = loop_to(&walk, at, &left)
            {
                for gone in walk.drain(start..=at) {
                    left[gone.kind] -= 1;
                }
                at = start;
            } else {
                at += 1;
            }
        }
    }
    walk
}

/// Longer loops are left alone.
const LONGEST_LOOP: usize = 32;

/// Where the loop begins that a repeated transition closes, if it can go: either it is the transition and the one that led to
/// it, or all its transitions are made elsewhere too.
fn loop_to(walk: &[Step], at: usize, left: &[usize]) -> Option<usize> {
    let first = at.saturating_sub(LONGEST_LOOP);
    let start = (first..at).rev().find(|&start| walk[start].from == walk[at].to)?;
    if start + 1 == at {
        return Some(start);
    }
    let mut inside: BTreeMap<usize, usize> = BTreeMap::new();
    for step in &walk[start..=at] {
        *inside.entry(step.kind).or_default() += 1;
    }
    inside.iter().all(|(&kind, &count)| left[kind] > count).then_some(start)
}

impl Similarity {
    /// Two transition events between the same windows are the same.
    fn holds(self, a: &UserEvent, b: &UserEvent) -> bool {
        if a.fails || b.fails {
            return false;
        }
        match (&a.methods, &b.methods) {
            // Nothing is more alike than what is the same.
            (Some(a), Some(b)) if a == b => self.theta < 1.0,
            (Some(a), Some(b)) => similarity(a, b) > self.theta,
            _ => true,
        }
    }
}

/// The share of methods that two method sequences have in common, 1 for two empty ones.
pub fn similarity(a: &[BranchId], b: &[BranchId]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let mut counts: BTreeMap<BranchId, i64> = BTreeMap::new();
    for &method in a {
        *counts.entry(method).or_default() += 1;
    }
    let mut common = 0;
    for method in b {
        if let Some(count) = counts.get_mut(method).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (a.len() + b.len()) as f64
}

/// Two normal events of one window are the same: type and object are equal, and so is the text that is put in. One that fails
/// is like no other.
#[derive(PartialEq, Eq, Hash)]
struct Kind<'a> {
    operation: Operation,
    object: Option<ObjectKey<'a>>,
    text: Option<&'a str>,
}

impl<'a> Kind<'a> {
    fn of(event: &'a UserEvent) -> Self {
        let object = event.object.as_ref().map(Object::key);
        Self { operation: event.operation, object, text: event.text.as_deref() }
    }
}

#[cfg(test)]
mod tests;
