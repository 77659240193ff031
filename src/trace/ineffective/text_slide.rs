//! Rule 8, CHARD Figure 8: a window of long text that is opened, slid over and closed.

use super::machine::{Efsm, Step, Tape};
use crate::trace::user_event::{Operation, UserEvent};

/// The machine of Figure 8.
#[derive(Default)]
pub(super) struct TextSlide {
    state: State,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// S0: looks for an event that opens a window.
    #[default]
    Closed,
    /// S1: a window was opened by the event in this cell.
    Opened { start: usize },
    /// S2: it was slid over, and nothing else.
    Slid { start: usize },
}

impl Efsm for TextSlide {
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step {
        let event = tape.read(cursor);
        match self.state {
            State::Closed => {
                if !event.fails && event.changes_window() == Some(true) {
                    self.state = State::Opened { start: cursor };
                }
                Step::Move
            }
            State::Opened { start } | State::Slid { start } if slides(event) => {
                self.state = State::Slid { start };
                Step::Move
            }
            State::Slid { start } if closes(event, tape.read(start)) => {
                self.state = State::Closed;
                Step::Delete((start..=cursor).collect())
            }
            State::Opened { .. } | State::Slid { .. } => {
                self.state = State::Closed;
                Step::Again
            }
        }
    }
}

/// A slide without a log: no method runs and the window stays. What is shown may move.
fn slides(event: &UserEvent) -> bool {
    let silent = event.methods.as_ref().is_none_or(Vec::is_empty);
    event.operation == Operation::Motion && silent && !event.fails && event.changes_window() == Some(false)
}

fn closes(event: &UserEvent, opened: &UserEvent) -> bool {
    !event.fails && event.changes_window() == Some(true) && event.destination.equals(&opened.source)
}
