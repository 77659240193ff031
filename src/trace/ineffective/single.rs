//! Rules 1 to 4: single events without effect.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::Rule;
use super::machine::{Efsm, Step, Tape};
use crate::action::Key;
use crate::trace::user_event::{Operation, UserEvent};

/// The machine of the four rules for single events: one state, one condition, and what meets it is deleted.
pub(super) struct Single<'a> {
    pub(super) rule: Rule,
    pub(super) main: Option<&'a SmolStr>,
    pub(super) keys: &'a BTreeSet<Key>,
}

impl Efsm for Single<'_> {
    fn step(&mut self, tape: &Tape<'_>, cursor: usize) -> Step {
        if self.meets(tape.read(cursor)) { Step::Delete(vec![cursor]) } else { Step::Move }
    }
}

impl Single<'_> {
    fn meets(&self, event: &UserEvent) -> bool {
        if event.fails {
            return false;
        }
        match self.rule {
            Rule::Home => match event.operation {
                // The way home and back again, which is not rejected, goes if it was without effect.
                Operation::Background => event.methods.is_some() && without_effect(event),
                _ => event.key() == Some(Key::Home) && event.changes_window() != Some(true),
            },
            Rule::BackOnMain => {
                let window = event.source.window.as_ref();
                event.key() == Some(Key::Back)
                    && window
                        .is_some_and(|window| Some(&window.activity) == self.main && window.name.is_empty())
                    && event.changes_window() == Some(false)
                    && event.changes_status() != Some(true)
            }
            Rule::OptionalKey => {
                event.key().is_some_and(|key| self.keys.contains(&key))
                    && event.changes_window() != Some(true)
                    && event.changes_status() != Some(true)
            }
            _ => self.is_no_op(event),
        }
    }

    /// `obj = null, chg_w = False, chg_i = False`; or an event that the object does not take, which shows when it runs no
    /// method.
    fn is_no_op(&self, event: &UserEvent) -> bool {
        let key = event.key();
        let has_own_rule =
            key.is_some_and(|key| matches!(key, Key::Home | Key::Back) || self.keys.contains(&key));
        let not_taken = event.object.is_none() || event.methods.is_some();
        event.operation.is_gesture_or_key() && !has_own_rule && not_taken && without_effect(event)
    }
}

fn without_effect(event: &UserEvent) -> bool {
    event.changes_window() == Some(false) && event.changes_status() == Some(false)
}
