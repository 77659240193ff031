//! What can be done in a state: exactly the events that `explore` uses by default.

use super::super::phone::Phone;
use super::super::state::State;
use super::slice::Slice;
use super::texts::Texts;
use crate::action::{Input, Key};
use crate::gui::tree::Hit;
use crate::gui::{ActionSet, Flags, GuiTree, NodeIx, Point, Widget};

/// How far a finger moves at least when it scrolls.
const MIN_SCROLL: i32 = 150;

/// Everything that can be done to the phone as it is now, always in the same order.
pub(super) fn moves(phone: &mut Phone, texts: &Texts, slice: &Slice) -> Vec<Input> {
    let screen = phone.screen().clone();
    let tree = &screen.tree;
    let mut found = Vec::new();
    for node in tree.indices() {
        let widget = tree.widget(node);
        if !widget.is_actionable() {
            continue;
        }
        let center = widget.bounds.center();
        let mut add = |input| found.push(input);
        for action in widget.actions.iter() {
            if !reaches(tree, node, center, action) {
                continue;
            }
            if action == ActionSet::TEXT {
                let field = screen.origins[node.0 as usize].widget;
                for text in field.map(|field| texts.of(field, phone, slice)).unwrap_or_default() {
                    add(Input::Text { at: center, text });
                }
            } else if let Some(input) = touch(widget, center, action) {
                add(input);
            }
        }
    }
    let focused = phone.state().front().is_some_and(|front| front.focus.is_some());
    let keys = [Some(Key::Back), Some(Key::Menu), focused.then_some(Key::Enter)];
    let keys = keys.into_iter().flatten().map(Input::Key);
    let system = [Input::Rotate, Input::HomeAndReturn, Input::ProcessDeath];
    found.extend(keys.chain(system));
    found
}

/// A touch in the middle of the widget reaches it and no other.
fn reaches(tree: &GuiTree, node: NodeIx, center: Point, action: ActionSet) -> bool {
    let reacts = match action {
        ActionSet::TAP => Flags::CLICKABLE,
        ActionSet::LONG_TAP => Flags::LONG_CLICKABLE,
        ActionSet::TEXT => Flags::EDITABLE,
        ActionSet::PINCH => Flags::VISIBLE,
        _ => Flags::SCROLLABLE,
    };
    matches!(tree.hit(center, reacts), Hit::Widget(_, hit) if hit == node)
}

fn touch(widget: &Widget, center: Point, action: ActionSet) -> Option<Input> {
    let across = (widget.bounds.width() / 3).max(MIN_SCROLL);
    let along = (widget.bounds.height() / 3).max(MIN_SCROLL);
    let swipe = |dx, dy| Input::Swipe { from: center, to: Point { x: center.x + dx, y: center.y + dy } };
    Some(match action {
        ActionSet::TAP => Input::Tap(center),
        ActionSet::LONG_TAP => Input::LongTap(center),
        ActionSet::SCROLL_DOWN => swipe(0, -along),
        ActionSet::SCROLL_UP => swipe(0, along),
        ActionSet::SCROLL_RIGHT => swipe(-across, 0),
        ActionSet::SCROLL_LEFT => swipe(across, 0),
        ActionSet::PINCH => Input::Pinch { center, open: true },
        _ => return None,
    })
}

/// How long it takes until the next effect is due, late or periodic: to wait for it is free.
pub(super) fn until_next(state: &State) -> Option<u32> {
    let late = state.pending.first().map(|pending| pending.due);
    let ticks = state.front().map(|front| front.ticks.iter().copied()).into_iter().flatten();
    let next = ticks.chain(late).min()?;
    Some(next.saturating_sub(state.now).max(1) as u32)
}
