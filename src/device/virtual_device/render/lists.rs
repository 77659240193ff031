//! Widgets with many parts: lists, scrolls, tabs, pages.

use rhai::Dynamic;
use smol_str::format_smolstr;

use super::{FLEXIBLE_IN_SCROLL, Look, Origin, Painter, Part};
use crate::device::virtual_device::app::{Widget as WidgetDef, WidgetIx};
use crate::device::virtual_device::expr::Temp;
use crate::gui::{ActionSet, Bounds, Flags};

impl Painter<'_, '_> {
    pub(super) fn list(&mut self, ix: WidgetIx, def: &WidgetDef, mut look: Look<'_>) {
        let bounds = look.bounds;
        let page = i64::from((bounds.height() / def.row_height).max(1));
        let scrolled = i64::from(self.state.stack[self.instance].scroll(ix));
        let rows = self.rows_of(def, page, scrolled);
        if rows.count > page {
            look.flags |= Flags::SCROLLABLE;
            look.actions |= ActionSet::SCROLL_DOWN | ActionSet::SCROLL_UP;
        }
        let enabled = look.flags.contains(Flags::ENABLED);
        let index = self.index;
        self.open(look);
        let outer = (self.row, self.temps.get(Temp::Row).clone(), self.temps.get(Temp::Index).clone());
        for (position, row) in rows.visible.into_iter().enumerate() {
            let number = rows.first + position as i64;
            let top = bounds.top + position as i32 * def.row_height;
            let area = Bounds { top, bottom: top + def.row_height, ..bounds };
            self.row = Some(number as u32);
            self.temps.set(Temp::Row, row);
            self.temps.set(Temp::Index, number);
            let mut flags = Flags::empty();
            let mut actions = ActionSet::empty();
            flags.set(Flags::ENABLED, enabled);
            if !def.tap.is_empty() {
                flags |= Flags::CLICKABLE | Flags::FOCUSABLE;
                actions |= ActionSet::TAP;
            }
            if !def.long_tap.is_empty() {
                flags |= Flags::LONG_CLICKABLE;
                actions |= ActionSet::LONG_TAP;
            }
            let row_index = self.index;
            self.open(Look {
                flags,
                actions,
                origin: Origin { widget: Some(ix), row: self.row, part: Part::Row },
                ..Look::plain("android.widget.LinearLayout", area)
            });
            self.row(&def.children, area);
            self.close(row_index);
        }
        self.row = outer.0;
        self.temps.set(Temp::Row, outer.1);
        self.temps.set(Temp::Index, outer.2);
        self.close(index);
    }

    /// How many rows a list has, and those that are visible. Only these are copied: a list may be long.
    fn rows_of(&mut self, def: &WidgetDef, page: i64, scrolled: i64) -> Rows {
        let Some(expr) = &def.rows else { return Rows::default() };
        let (engine, mut env, issues) = self.env();
        if let Some(rows) = expr
            .borrowed(&env)
            .and_then(|value| value.as_array_ref().ok().map(|items| Rows::of(&items, page, scrolled)))
        {
            return rows;
        }
        match expr.eval(engine, &mut env) {
            Ok(value) => {
                if let Ok(count) = value.as_int() {
                    return Rows::numbered(count.max(0), page, scrolled);
                }
                match value.as_array_ref() {
                    Ok(items) => Rows::of(&items, page, scrolled),
                    Err(kind) => {
                        issues.push(format!(
                            "`{}` gives a value of type {kind}, not a list or a number",
                            expr.source()
                        ));
                        Rows::default()
                    }
                }
            }
            Err(error) => {
                issues.push(error.to_string());
                Rows::default()
            }
        }
    }

    pub(super) fn scroll(&mut self, ix: WidgetIx, def: &WidgetDef, mut look: Look<'_>) {
        let bounds = look.bounds;
        let there = self.measured(&def.children);
        let total: i32 = there.iter().map(|(_, height)| height.unwrap_or(FLEXIBLE_IN_SCROLL)).sum();
        let room = bounds.height();
        if total > room {
            look.flags |= Flags::SCROLLABLE;
            look.actions |= ActionSet::SCROLL_DOWN | ActionSet::SCROLL_UP;
        }
        let offset = self.state.stack[self.instance].scroll(ix).clamp(0, (total - room).max(0));
        let index = self.index;
        self.open(look);
        self.open(Look::plain("android.widget.LinearLayout", bounds));
        let outer = self.clip;
        self.clip = bounds.intersect(outer);
        let mut top = bounds.top - offset;
        for (child, height) in there {
            let area = Bounds { top, bottom: top + height.unwrap_or(FLEXIBLE_IN_SCROLL), ..bounds };
            top = area.bottom;
            if area.intersect(self.clip).is_empty() {
                self.index += 1;
            } else {
                self.widget(child, area);
            }
        }
        self.clip = outer;
        self.builder.close();
        self.close(index);
    }

    pub(super) fn tabs(&mut self, ix: WidgetIx, def: &WidgetDef, look: Look<'_>) {
        let bounds = look.bounds;
        let chosen = self.bound(def).as_int().unwrap_or(0);
        let enabled = look.flags & Flags::ENABLED;
        let count = def.options.len() as i32;
        let index = self.index;
        self.open(look);
        for (number, title) in def.options.iter().enumerate() {
            let left = bounds.left + bounds.width() * number as i32 / count;
            let right = bounds.left + bounds.width() * (number as i32 + 1) / count;
            let mut flags = enabled | Flags::CLICKABLE | Flags::FOCUSABLE;
            flags.set(Flags::SELECTED, number as i64 == chosen);
            self.leaf(Look {
                text: title.clone(),
                flags,
                actions: ActionSet::TAP,
                origin: Origin { widget: Some(ix), row: self.row, part: Part::Option(number as u32) },
                ..Look::plain("android.widget.TextView", Bounds { left, right, ..bounds })
            });
        }
        self.close(index);
    }

    pub(super) fn web(&mut self, def: &WidgetDef, look: Look<'_>) {
        const PER_BLOCK: u32 = 10;
        let bounds = look.bounds;
        let index = self.index;
        self.open(look);
        let mut number = 0;
        while number < def.nodes {
            let block = self.index;
            self.open(Look::plain("android.view.View", bounds));
            for _ in 1..PER_BLOCK.min(def.nodes - number) {
                number += 1;
                self.leaf(Look {
                    text: format_smolstr!("Paragraph {number}"),
                    ..Look::plain("android.view.View", bounds)
                });
            }
            number += 1;
            self.close(block);
        }
        self.close(index);
    }
}

/// The rows of a list that are visible.
#[derive(Default)]
struct Rows {
    count: i64,
    first: i64,
    visible: Vec<Dynamic>,
}

impl Rows {
    fn range(count: i64, page: i64, scrolled: i64) -> std::ops::Range<i64> {
        let first = scrolled.clamp(0, (count - page).max(0));
        first..(first + page).min(count)
    }

    fn of(items: &[Dynamic], page: i64, scrolled: i64) -> Self {
        let range = Self::range(items.len() as i64, page, scrolled);
        let visible = items[range.start as usize..range.end as usize].to_vec();
        Self { count: items.len() as i64, first: range.start, visible }
    }

    fn numbered(count: i64, page: i64, scrolled: i64) -> Self {
        let range = Self::range(count, page, scrolled);
        Self { count, first: range.start, visible: range.map(Dynamic::from).collect() }
    }
}
