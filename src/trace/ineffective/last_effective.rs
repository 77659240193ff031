//! Rule 7, CHARD Figure 7: several events that the last of them replaces.

use super::machine::{Efsm, Step, Tape};
use crate::trace::user_event::{Operation, UserEvent};

/// The machine of Figure 7: from the first event of a group on it moves as long as the next replaces the one before, then
/// deletes all but the last.
#[derive(Default)]
pub(super) struct LastEffective {
    start: Option<usize>,
}

impl Efsm for LastEffective {
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step {
        let event = tape.read(cursor);
        match self.start {
            None => {
                self.start = group(event).is_some().then_some(cursor);
                Step::Move
            }
            Some(_) if replaces(event, tape.read(cursor - 1)) => Step::Move,
            Some(start) => {
                self.start = None;
                let former: Vec<usize> = (start..cursor - 1).collect();
                if former.is_empty() { Step::Again } else { Step::DeleteAgain(former) }
            }
        }
    }

    fn end(&mut self, end: usize) -> Option<Vec<usize>> {
        let former: Vec<usize> = (self.start?..end - 1).collect();
        (!former.is_empty()).then_some(former)
    }
}

#[derive(PartialEq, Eq)]
enum Group {
    Field,
    Radios,
}

/// What an event belongs to whose effect a later one replaces: a text box, or a group of radio buttons.
fn group(event: &UserEvent) -> Option<Group> {
    let widget = event.widget()?;
    if event.fails || event.changes_window() != Some(false) {
        return None;
    }
    match (event.operation, widget.short_class()) {
        (Operation::Text, _) => Some(Group::Field),
        (Operation::Touch, class)
            if class.ends_with("EditText") || class.ends_with("AutoCompleteTextView") =>
        {
            Some(Group::Field)
        }
        (Operation::Touch, class) if class.ends_with("RadioButton") => Some(Group::Radios),
        _ => None,
    }
}

/// The event replaces the one before. A tap does not replace a text.
fn replaces(event: &UserEvent, before: &UserEvent) -> bool {
    let (Some(own), Some(of_before)) = (group(event), group(before)) else { return false };
    if own != of_before || event.source.window != before.source.window {
        return false;
    }
    match own {
        Group::Field => {
            event.same_object(before)
                && (event.operation == Operation::Text || before.operation != Operation::Text)
        }
        Group::Radios => match (event.widget(), before.widget()) {
            (Some(a), Some(b)) => parent(&a.path).is_some() && parent(&a.path) == parent(&b.path),
            _ => false,
        },
    }
}

fn parent(path: &[u32]) -> Option<&[u32]> {
    path.split_last().map(|(_, parent)| parent)
}
