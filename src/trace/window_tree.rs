//! CHARD's hierarchy tree of windows.

use std::collections::{BTreeMap, VecDeque};

use super::user_event::{UserSequence, WindowStatus};

/// CHARD's GUI state hierarchy-tree (CHARD 5.1, Definition 5.2): one node a window status with the events that were made
/// there, and the transitions between them. SimplyDroid's [`EventTree`](super::event_tree::EventTree) has one node an event;
/// neither can stand for the other.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WindowTree {
    /// The nodes, in the order in which their windows were first seen; the first is the root.
    pub nodes: Vec<WindowNode>,
    /// The transitions, in the order of the sequence.
    pub transitions: Vec<Transition>,
    /// The node of each event of the sequence that is in the tree.
    node_of: Vec<Option<usize>>,
}

/// One window status and the events made there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowNode {
    /// The shortest distance to the root, in transitions.
    pub level: usize,
    /// The window status.
    pub status: WindowStatus,
    /// The events, by their index in the sequence.
    pub events: Vec<usize>,
    /// The node and the event that lead here on the shortest way; none for the root.
    pub way: Option<(usize, usize)>,
}

/// An event that leads to another window, and the next event, which is made there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The event that leads there.
    pub source: usize,
    /// The next event.
    pub destination: usize,
}

impl WindowTree {
    /// Builds the tree of some events of a sequence, in this order (CHARD Algorithm 1). None if the windows were not recorded.
    pub fn build(sequence: &UserSequence, events: &[usize]) -> Option<Self> {
        let mut tree = Self::default();
        let mut known: BTreeMap<&WindowStatus, usize> = BTreeMap::new();
        let mut last: Option<(&WindowStatus, usize)> = None;
        for &event in events {
            let status = sequence.events[event].source.window.as_ref()?;
            // Most events are made where the one before was made.
            let node = match last {
                Some((same, node)) if same == status => node,
                _ => *known.entry(status).or_insert_with(|| {
                    let status = status.clone();
                    tree.nodes.push(WindowNode { level: 0, status, events: Vec::new(), way: None });
                    tree.nodes.len() - 1
                }),
            };
            last = Some((status, node));
            tree.nodes[node].events.push(event);
            if tree.node_of.len() <= event {
                tree.node_of.resize(event + 1, None);
            }
            tree.node_of[event] = Some(node);
        }
        // An event is a transition event if the next one is made in another window: then that window was reached, whatever
        // was seen directly after the event.
        for pair in events.windows(2) {
            if tree.node_of[pair[0]] != tree.node_of[pair[1]] {
                tree.transitions.push(Transition { source: pair[0], destination: pair[1] });
            }
        }
        tree.measure();
        Some(tree)
    }

    /// The distances to the root, by the first transition between each two windows.
    fn measure(&mut self) {
        let mut next: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); self.nodes.len()];
        for transition in &self.transitions {
            let (from, to) = self.ends(*transition);
            next[from].entry(to).or_insert(transition.source);
        }
        let mut reached = vec![false; self.nodes.len()];
        let mut queue: VecDeque<usize> = VecDeque::new();
        if let Some(root) = reached.first_mut() {
            *root = true;
            queue.push_back(0);
        }
        while let Some(node) = queue.pop_front() {
            for (&to, &event) in &next[node] {
                if !std::mem::replace(&mut reached[to], true) {
                    self.nodes[to].level = self.nodes[node].level + 1;
                    self.nodes[to].way = Some((node, event));
                    queue.push_back(to);
                }
            }
        }
    }

    /// The node of an event.
    pub fn node_of(&self, event: usize) -> Option<usize> {
        self.node_of.get(event).copied().flatten()
    }

    /// Where a transition leads from and to.
    pub fn ends(&self, transition: Transition) -> (usize, usize) {
        let node = |event: usize| self.node_of(event).unwrap_or_default();
        (node(transition.source), node(transition.destination))
    }

    /// The deepest level.
    pub fn depth(&self) -> usize {
        self.nodes.iter().map(|node| node.level).max().unwrap_or(0)
    }

    /// CHARD's `getShortestPath`: the transition events from the root to the window of an event, and the event itself.
    pub fn shortest_path(&self, event: usize) -> Vec<usize> {
        let mut path = vec![event];
        let mut node = self.node_of(event);
        while let Some((from, by)) = node.and_then(|node| self.nodes[node].way) {
            path.push(by);
            node = Some(from);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests;
