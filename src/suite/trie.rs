//! What is known of beginnings of traces: which do not replay, and which do.
//!
//! A trace that does not replay fails at its shortest prefix that does not. Every candidate with that prefix is dropped
//! without being run, in all phases; a candidate that is the beginning of a trace that replays needs no run either.

use std::collections::BTreeMap;

use super::EventIx;
use crate::abstraction::StateKey;

/// A place in the trie.
pub type NodeIx = usize;

/// Prefixes of traces, by event and by the state that the event should lead to.
#[derive(Clone, Debug)]
pub struct Trie {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    next: BTreeMap<(EventIx, StateKey), NodeIx>,
    fails: bool,
    replays: bool,
}

impl Default for Trie {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
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

    /// The whole of this trace is known to replay.
    pub fn replays(&self, steps: impl IntoIterator<Item = (EventIx, StateKey)>) -> bool {
        let mut node = Self::ROOT;
        for (event, to) in steps {
            match self.child(node, event, to) {
                Some(next) if self.nodes[next].replays => node = next,
                _ => return false,
            }
        }
        true
    }

    /// The last step of this prefix did not lead where it should.
    pub fn note_failing(&mut self, steps: impl IntoIterator<Item = (EventIx, StateKey)>) {
        let node = self.walk(steps, |_| {});
        self.nodes[node].fails = true;
    }

    /// This trace has replayed as often as it must.
    pub fn note_replaying(&mut self, steps: impl IntoIterator<Item = (EventIx, StateKey)>) {
        self.walk(steps, |node| node.replays = true);
    }

    fn walk(
        &mut self,
        steps: impl IntoIterator<Item = (EventIx, StateKey)>,
        mark: impl Fn(&mut Node),
    ) -> NodeIx {
        let mut node = Self::ROOT;
        for step in steps {
            let fresh = self.nodes.len();
            let next = *self.nodes[node].next.entry(step).or_insert(fresh);
            if next == fresh {
                self.nodes.push(Node::default());
            }
            mark(&mut self.nodes[next]);
            node = next;
        }
        node
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
        trie.note_replaying([step(1, 1), step(2, 2), step(3, 3)]);
        assert_eq!(trie.failing([step(1, 1), step(2, 5), step(9, 9)]), Some(1));
        assert_eq!(trie.failing([step(1, 1), step(2, 2), step(2, 5)]), None);
        assert!(trie.replays([step(1, 1), step(2, 2)]) && trie.replays([]));
        assert!(!trie.replays([step(1, 1), step(2, 5)]) && !trie.replays([step(4, 4)]));
    }
}
