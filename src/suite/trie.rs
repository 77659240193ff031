//! What is known of beginnings of traces: which do not replay, and which do.
//!
//! A trace that does not replay fails at its shortest prefix that does not. Every candidate with that prefix is dropped
//! without being run, in all phases; a candidate that is the beginning of a trace that replays needs no run either: what it
//! covers is known, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::EventIx;
use super::coverage::ItemIx;
use crate::abstraction::StateKey;

/// A place in the trie.
pub type NodeIx = usize;

/// Prefixes of traces, by event and by the state that the event should lead to.
#[derive(Clone, Debug)]
pub struct Trie {
    nodes: Vec<Node>,
    failures: usize,
}

#[derive(Clone, Debug, Default)]
struct Node {
    next: BTreeMap<(EventIx, StateKey), NodeIx>,
    fails: bool,
    /// What the last step of this prefix covers in every execution; nothing if it is not known to replay.
    replayed: Option<Arc<[ItemIx]>>,
}

impl Default for Trie {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], failures: 0 }
    }
}

impl Trie {
    /// The empty prefix.
    pub const ROOT: NodeIx = 0;

    /// One step further, if anything is known there.
    pub fn child(&self, node: NodeIx, event: EventIx, to: StateKey) -> Option<NodeIx> {
        self.nodes[node].next.get(&(event, to)).copied()
    }

    /// This prefix is known not to replay.
    pub fn fails(&self, node: NodeIx) -> bool {
        self.nodes[node].fails
    }

    /// How many failing prefixes were noted.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// How many steps of a trace come before the one that is known to fail; none if it is not known to fail.
    pub fn failing(&self, steps: impl IntoIterator<Item = (EventIx, StateKey)>) -> Option<usize> {
        let mut node = Self::ROOT;
        for (at, (event, to)) in steps.into_iter().enumerate() {
            node = self.child(node, event, to)?;
            if self.fails(node) {
                return Some(at);
            }
        }
        None
    }

    /// What the launch and each step of this trace cover, if the whole of it is known to replay.
    pub fn replayed(
        &self,
        steps: impl IntoIterator<Item = (EventIx, StateKey)>,
    ) -> Option<Vec<Arc<[ItemIx]>>> {
        let mut node = Self::ROOT;
        let mut items = vec![self.nodes[node].replayed.clone()?];
        for (event, to) in steps {
            node = self.child(node, event, to)?;
            items.push(self.nodes[node].replayed.clone()?);
        }
        Some(items)
    }

    /// The last step of this prefix did not lead where it should.
    pub fn note_failing(&mut self, steps: impl IntoIterator<Item = (EventIx, StateKey)>) {
        let mut node = Self::ROOT;
        for step in steps {
            node = self.grow(node, step);
        }
        self.nodes[node].fails = true;
        self.failures += 1;
    }

    /// This trace has replayed as often as it must; its launch and its steps covered these items each time.
    pub fn note_replaying(
        &mut self,
        steps: impl IntoIterator<Item = (EventIx, StateKey)>,
        items: &[Arc<[ItemIx]>],
    ) {
        let mut items = items.iter();
        let mut node = Self::ROOT;
        self.nodes[node].note(items.next());
        for (step, items) in steps.into_iter().zip(items) {
            node = self.grow(node, step);
            self.nodes[node].note(Some(items));
        }
    }

    fn grow(&mut self, node: NodeIx, step: (EventIx, StateKey)) -> NodeIx {
        let fresh = self.nodes.len();
        let next = *self.nodes[node].next.entry(step).or_insert(fresh);
        if next == fresh {
            self.nodes.push(Node::default());
        }
        next
    }
}

impl Node {
    /// Items that another trace with this beginning did not cover are not sure.
    fn note(&mut self, items: Option<&Arc<[ItemIx]>>) {
        let Some(items) = items else { return };
        self.replayed = Some(match self.replayed.take() {
            None => Arc::clone(items),
            Some(before) if before == *items => before,
            Some(before) => before.iter().copied().filter(|item| items.contains(item)).collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_with_a_failing_prefix_is_known_and_a_beginning_of_a_good_trace_too() {
        let step = |event, state| (event, StateKey(state));
        let mut trie = Trie::default();
        trie.note_failing([step(1, 1), step(2, 5)]);
        let items = |numbers: &[&[ItemIx]]| numbers.iter().map(|&items| Arc::from(items)).collect::<Vec<_>>();
        assert_eq!(trie.replayed([]), None, "nothing was launched yet");
        trie.note_replaying([step(1, 1), step(2, 2), step(3, 3)], &items(&[&[], &[1], &[2, 3], &[4]]));
        assert_eq!(trie.failing([step(1, 1), step(2, 5), step(9, 9)]), Some(1));
        assert_eq!(trie.failing([step(1, 1), step(2, 2), step(2, 5)]), None);
        assert_eq!(trie.replayed([step(1, 1), step(2, 2)]), Some(items(&[&[], &[1], &[2, 3]])));
        assert_eq!(trie.replayed([step(1, 1), step(2, 5)]), None);
        assert_eq!(trie.replayed([step(4, 4)]), None);
        trie.note_replaying([step(1, 1), step(2, 2)], &items(&[&[], &[1], &[3]]));
        assert_eq!(trie.replayed([step(1, 1), step(2, 2)]), Some(items(&[&[], &[1], &[3]])), "2 is not sure");
    }
}
