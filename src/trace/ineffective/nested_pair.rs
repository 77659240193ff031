//! Rule 6, CHARD Figure 6: contrary pairs around contrary pairs, found with a stack.

use super::contrary_pair::{begins, pairs};
use super::machine::{Efsm, Step, Tape};

/// The pushdown machine of Figure 6: an event that pairs with the top of the stack pops it, any other is pushed. What is
/// left on the stack stays.
#[derive(Default)]
pub(super) struct NestedContraryPair {
    stack: Vec<usize>,
}

impl Efsm for NestedContraryPair {
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step {
        let event = tape.read(cursor);
        match self.stack.pop() {
            Some(top) if begins(tape.read(top)) && pairs(tape.read(top), event) => {
                Step::Delete(vec![top, cursor])
            }
            top => {
                self.stack.extend(top);
                self.stack.push(cursor);
                Step::Move
            }
        }
    }
}
