//! Rule 9, CHARD Figure 9: a hidden menu is opened, an option opens a window, and that is closed.

use super::machine::{Efsm, Step, Tape};
use crate::trace::user_event::UserEvent;

/// The machine of Figure 9.
#[derive(Default)]
pub(super) struct HiddenMenu {
    state: State,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// S0: looks for an event that opens a menu.
    #[default]
    Hidden,
    /// S1: a menu was opened by the event in this cell.
    Menu { start: usize },
    /// S2: an option of it opened a window.
    Window { start: usize },
}

impl Efsm for HiddenMenu {
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step {
        let event = tape.read(cursor);
        match self.state {
            State::Hidden => {
                if opens_menu(event) {
                    self.state = State::Menu { start: cursor };
                }
                Step::Move
            }
            State::Menu { start } if opens_window(event, tape.read(start)) => {
                self.state = State::Window { start };
                Step::Move
            }
            State::Window { start } if closes(event, tape.read(start)) => {
                self.state = State::Hidden;
                Step::Delete(vec![start, cursor - 1, cursor])
            }
            State::Menu { .. } | State::Window { .. } => {
                self.state = State::Hidden;
                Step::Again
            }
        }
    }
}

fn opens_menu(event: &UserEvent) -> bool {
    let (before, after) = (&event.source.window, &event.destination.window);
    !event.fails
        && before.as_ref().is_some_and(|before| !before.popup)
        && after.as_ref().is_some_and(|after| after.popup)
}

/// The option leads to a window that is neither the menu nor what the menu was opened over.
fn opens_window(event: &UserEvent, menu: &UserEvent) -> bool {
    !event.fails
        && event.changes_window() == Some(true)
        && event.source.window == menu.destination.window
        && event.destination.window != menu.source.window
}

fn closes(event: &UserEvent, menu: &UserEvent) -> bool {
    !event.fails && event.changes_window() == Some(true) && event.destination.equals(&menu.source)
}
