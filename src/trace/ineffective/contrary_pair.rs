//! Rule 5, CHARD Figure 5: two neighbouring events of which the second undoes the first.

use super::machine::{Efsm, Step, Tape};
use crate::gui::Selector;
use crate::trace::user_event::{Operation, UserEvent};

/// The machine of Figure 5.
#[derive(Default)]
pub(super) struct ContraryPair {
    state: State,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// S0: looks for the first event of a pair.
    #[default]
    First,
    /// S1: the event in this cell may be the first of a pair.
    Second { start: usize },
}

impl Efsm for ContraryPair {
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step {
        let event = tape.read(cursor);
        match self.state {
            State::First => {
                if begins(event) {
                    self.state = State::Second { start: cursor };
                }
                Step::Move
            }
            State::Second { start } => {
                self.state = State::First;
                if pairs(tape.read(start), event) { Step::Delete(vec![start, cursor]) } else { Step::Again }
            }
        }
    }
}

/// Condition c1: the event can be the first of a pair.
pub(super) fn begins(event: &UserEvent) -> bool {
    !event.fails
        && (event.changes_window() == Some(true)
            || (is_switch(event) && event.changes_status() == Some(true)))
}

/// Condition c2: the second event takes back what the first did. It ends where the first began, and either both change the
/// window, or both are taps on the same switch.
pub(super) fn pairs(first: &UserEvent, second: &UserEvent) -> bool {
    if first.fails || second.fails || !second.destination.equals(&first.source) {
        return false;
    }
    match (first.changes_window(), second.changes_window()) {
        (Some(true), Some(true)) => first.destination.window == second.source.window,
        (Some(false), Some(false)) => {
            is_switch(first) && first.operation == second.operation && first.same_object(second)
        }
        _ => false,
    }
}

/// A tap on a widget that is on or off.
fn is_switch(event: &UserEvent) -> bool {
    const SWITCHES: [&str; 6] =
        ["CheckBox", "Switch", "SwitchCompat", "ToggleButton", "CompoundButton", "CheckedTextView"];
    let class = event.widget().map(Selector::short_class);
    event.operation == Operation::Touch && class.is_some_and(|class| SWITCHES.contains(&class))
}
