//! What the nine machines have in common: a tape of events, a cursor and a list of what is deleted.

use crate::trace::user_event::{UserEvent, UserSequence};

/// The events that are still there, in order. A machine addresses them by their cell.
pub(super) struct Tape<'a> {
    sequence: &'a UserSequence,
    kept: &'a [usize],
}

impl<'a> Tape<'a> {
    pub(super) fn new(sequence: &'a UserSequence, kept: &'a [usize]) -> Self {
        Self { sequence, kept }
    }

    /// CHARD's `read`: the event in a cell.
    pub(super) fn read(&self, cell: usize) -> &'a UserEvent {
        &self.sequence.events[self.kept[cell]]
    }
}

/// What a machine does after it has read an event.
pub(super) enum Step {
    /// The cursor moves on.
    Move,
    /// The same event is read again, in another state.
    Again,
    /// These cells are deleted and the cursor moves on.
    Delete(Vec<usize>),
    /// These cells are deleted and the event is read again, in another state.
    DeleteAgain(Vec<usize>),
}

/// An extended finite state machine over events (CHARD Definition 4.2).
pub(super) trait Efsm: Sized {
    /// Reads the event under the cursor and takes a transition.
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step;

    /// The tape has ended: what is deleted now.
    fn end(&mut self, end: usize) -> Option<Vec<usize>> {
        let _ = end;
        None
    }

    /// Reads the whole tape. Each entry of the result is deleted together.
    fn run(mut self, tape: &Tape<'_>) -> Vec<Vec<usize>> {
        let mut deleted = Vec::new();
        let mut cursor = 0;
        while cursor < tape.kept.len() {
            match self.step(tape, cursor) {
                Step::Move => cursor += 1,
                Step::Again => {}
                Step::Delete(cells) => {
                    deleted.push(cells);
                    cursor += 1;
                }
                Step::DeleteAgain(cells) => deleted.push(cells),
            }
        }
        deleted.extend(self.end(cursor));
        deleted
    }
}
