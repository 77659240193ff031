//! `bhdd`: SimplyDroid III-D, balanced hierarchical delta debugging.
//!
//! Assumes what `hdd` assumes, and that trees are lopsided: a level is cut where the events below its nodes weigh the
//! same, so that each run may drop as much as possible. It costs what `hdd` costs, less where one node holds most events.

use super::hdd::{InLevel, Levels};

/// `bhdd` over the event tree.
pub type Bhdd = Levels<BalancedParts>;

/// SimplyDroid's in-level procedure with parts of equal weight in events.
pub type BalancedParts = InLevel<true>;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::shrink::search::test_support::questions;
    use crate::trace::event_tree::{EventTree, StateLabel};

    #[test]
    fn a_heavy_node_is_a_part_of_its_own() {
        // Level 1 holds 0, 1, 2 and 7; below 2 hang four events.
        let labels: Vec<_> = b"aaabbbba".iter().map(|&label| StateLabel(u64::from(label))).collect();
        let tree = Arc::new(EventTree::new(&labels));
        let asked = questions(Bhdd::new(tree), |events| events.contains(&0) && events.contains(&7));
        // Weights 1 1 5 1: the half of 8 is nearest after the second node.
        assert_eq!(asked[0], [2, 3, 4, 5, 6, 7]);
        // Four parts of one node each: the last alone, then without the heavy one.
        assert_eq!(asked[1], [7]);
        assert_eq!(asked[2], [0, 1, 7]);
    }
}
