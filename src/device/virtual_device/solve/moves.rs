//! What can be done in a state: exactly the events that `explore` uses by default.

use super::super::phone::Phone;
use super::super::state::State;
use super::slice::Slice;
use super::texts::Texts;
use crate::action::{ActionKind, Input};
use crate::gui::Reach;

/// Everything that can be done to the phone as it is now, always in the same order; and whether some field would take texts
/// of more classes than are known.
pub(super) fn moves(phone: &mut Phone, texts: &Texts, slice: &Slice) -> (Vec<Input>, bool) {
    let mut open = false;
    let screen = phone.screen().clone();
    let tree = &screen.tree;
    let mut found = Vec::new();
    for reach in Reach::all(tree) {
        match reach.kind {
            ActionKind::Text => {
                let field = screen.origins[reach.node.0 as usize].widget;
                open |= field.is_some_and(|field| texts.is_open(field, slice));
                let texts = field.map(|field| texts.of(field, phone, slice)).unwrap_or_default();
                found.extend(texts.into_iter().map(|text| reach.input(tree, text)));
            }
            // An app model does not tell in which direction the fingers moved.
            ActionKind::PinchClose => {}
            _ => found.push(reach.input(tree, String::new())),
        }
    }
    let phone = ActionKind::OF_THE_PHONE.into_iter().filter(|&kind| Reach::is_offered(tree, kind));
    found.extend(phone.map(Input::of_phone));
    // A strategy may also start the app anew with what is on its disk: in a trace that is an event.
    found.push(Input::Restart);
    (found, open)
}

/// How long it takes until the next effect is due, late or periodic: to wait for it is free.
pub(super) fn until_next(state: &State) -> Option<u32> {
    let late = state.pending.first().map(|pending| pending.due);
    let ticks = state.front().map(|front| front.ticks.iter().copied()).into_iter().flatten();
    let next = ticks.chain(late).min()?;
    Some(next.saturating_sub(state.now).max(1) as u32)
}
