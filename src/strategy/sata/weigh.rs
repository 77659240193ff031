//! Which of several actions: the released APE's priorities (explorers.md 1.7).

use rand::RngExt;

use super::super::{ModelView, Session};
use crate::action::ActionKind;
use crate::ids::ActionId;
use crate::model::ModelAction;

const UNIT: i64 = 8;
const UNVISITED: i64 = 20;
const UNVISITED_BACK: i64 = 5;
const ONWARD: i64 = 10;
const MOST_WIDGETS: u32 = 5;

/// Draws an action by its weight.
pub(super) fn draw(
    view: &ModelView<'_>,
    actions: &[&ModelAction],
    session: &mut Session,
) -> Option<ActionId> {
    let weights: Vec<i64> = actions.iter().map(|action| weight(view, action)).collect();
    let total: i64 = weights.iter().sum();
    if total == 0 {
        return None;
    }
    let mut left = session.choice.random_range(0..total);
    for (action, weight) in actions.iter().zip(weights) {
        left -= weight;
        if left < 0 {
            return Some(action.id);
        }
    }
    None
}

/// Draws one of several by their weights; none if all weigh nothing.
pub(super) fn by_weight<T>(
    weights: impl Iterator<Item = (T, u64)> + Clone,
    session: &mut Session,
) -> Option<T> {
    let total: u64 = weights.clone().map(|(_, weight)| weight).sum();
    if total == 0 {
        return None;
    }
    let mut left = session.choice.random_range(0..total);
    for (one, weight) in weights {
        if left < weight {
            return Some(one);
        }
        left -= weight;
    }
    None
}

/// How much an action weighs by its kind alone.
pub(super) fn base(kind: ActionKind) -> i64 {
    match kind {
        // A form is filled before it is sent.
        ActionKind::Text => 6,
        ActionKind::Tap => 4,
        ActionKind::ScrollDown | ActionKind::ScrollRight => 3,
        ActionKind::LongTap | ActionKind::ScrollUp | ActionKind::ScrollLeft | ActionKind::Menu => 2,
        _ => 1,
    }
}

fn weight(view: &ModelView<'_>, action: &ModelAction) -> i64 {
    let base = base(action.kind) * UNIT;
    let mut weight = base;
    if action.is_untried() {
        weight += if action.kind == ActionKind::Back { UNVISITED_BACK } else { UNVISITED };
    }
    if !action.is_saturated() && action.widgets > 1 {
        weight += i64::from(action.widgets.min(MOST_WIDGETS)) * base;
    }
    let activity = view.model.state(action.source).map(|state| &state.activity);
    for way in action.out.iter().filter_map(|&id| view.model.transition(id)) {
        let Some(target) = view.model.state(way.target) else { continue };
        if !way.is_strong() {
            weight += if action.out.len() > 1 { ONWARD } else { 0 };
        } else if target.open == 0 {
            weight -= ONWARD;
        } else if Some(&target.activity) == activity {
            weight += ONWARD;
        }
    }
    weight.max(1)
}
