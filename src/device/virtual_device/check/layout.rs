//! Widgets that never come onto the screen.
//!
//! Only what is always there counts: widgets with a `visible` of their own take no room here, so that screens which
//! show one thing or the other raise no false alarm. The screen is upright, as it is at the start.

use std::ops::Range;

use super::super::app_model::{AppDef, WidgetDef, WidgetKind};
use super::super::render;
use super::Warnings;

pub(super) fn check(def: &AppDef, warnings: &mut Warnings<'_>) {
    for activity in &def.activity {
        let room = render::content_room(activity.title.is_some());
        check_column(&activity.widget, room, &activity.name.span, warnings);
        let items = activity.popup.iter().map(|popup| (&popup.name.span, &popup.items));
        for (span, items) in items.chain([(&activity.name.span, &activity.menu)]) {
            let always = items.iter().filter(|item| item.visible.is_none()).count();
            if always > render::MENU_ITEMS {
                let most = render::MENU_ITEMS;
                warnings.add(
                    span,
                    format!("a menu of {always} items lies partly below the screen; it holds {most}"),
                );
            }
        }
    }
}

/// A place in the file for a widget: its first part that has one.
fn place(widget: &WidgetDef, near: &Range<usize>) -> Range<usize> {
    [&widget.text, &widget.bind, &widget.rows, &widget.desc, &widget.visible, &widget.enabled]
        .into_iter()
        .flatten()
        .map(|part| part.span.clone())
        .chain(widget.tap.0.iter().map(|rule| rule.span.clone()))
        .min_by_key(|span| span.start)
        .or_else(|| widget.widget.first().map(|child| place(child, near)))
        .unwrap_or_else(|| near.clone())
}

fn check_column(widgets: &[WidgetDef], room: i32, near: &Range<usize>, warnings: &mut Warnings<'_>) {
    let fixed: i32 = widgets.iter().filter(|widget| widget.visible.is_none()).filter_map(height).sum();
    let mut top = 0;
    for widget in widgets {
        let height = height(widget);
        let shares_nothing = height.is_none() && widget.visible.is_none() && fixed >= room;
        if top >= room || shares_nothing {
            let what = widget.id.as_deref().map_or_else(String::new, |id| format!(" `{id}`"));
            let message = format!(
                "this widget{what} lies below the screen: {} pixels are above it, and there is room for {room}; \
                 put some of them into a `scroll`",
                if shares_nothing { fixed } else { top }
            );
            warnings.add(&place(widget, near), message);
            return;
        }
        if widget.visible.is_none() {
            top += height.unwrap_or(0);
        }
    }
}

/// The least height that a widget takes; `None` shares what is left.
fn height(widget: &WidgetDef) -> Option<i32> {
    if widget.height.is_some() {
        return widget.height;
    }
    let always = || widget.widget.iter().filter(|child| child.visible.is_none());
    match widget.kind {
        WidgetKind::Row => Some(always().map(|child| height(child).unwrap_or(120)).max().unwrap_or(0)),
        WidgetKind::Column => Some(always().map(|child| height(child).unwrap_or(120)).sum()),
        kind => render::own_height(kind),
    }
}
