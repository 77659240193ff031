//! Widgets and items of menus.

use std::ops::Range;

use smol_str::{SmolStr, format_smolstr};

use super::{Compiler, Context, MAX_WEB_NODES, MAX_WIDGET_DEPTH, ROW_HEIGHT};
use crate::device::virtual_device::app::{RuleList, Widget, WidgetIx};
use crate::device::virtual_device::app_model::{InputKind, ItemDef, WidgetDef, WidgetKind};
use crate::device::virtual_device::expr::{Slot, Template};
use crate::nearest::unknown;

impl<'a> Compiler<'a> {
    pub(super) fn items(&mut self, items: &'a [ItemDef], context: Context<'a>, place: &str) -> Vec<WidgetIx> {
        items
            .iter()
            .map(|item| {
                let place = format!("{place}/{}", item.id.as_deref().unwrap_or(&item.text.value));
                let widget = Widget {
                    text: self.template(&item.text, context),
                    visible: self.guard(item.visible.as_ref(), context),
                    enabled: self.guard(item.enabled.as_ref(), context),
                    dismisses: true,
                    tap: self.rules(&item.tap, context, &format!("{place}/tap"), 0),
                    ..plain_widget(WidgetKind::Button, context, item.id.as_deref())
                };
                self.push_widget(widget)
            })
            .collect()
    }

    fn push_widget(&mut self, widget: Widget) -> WidgetIx {
        self.widgets.push(widget);
        WidgetIx(self.widgets.len() as u32 - 1)
    }

    pub(super) fn widgets(
        &mut self,
        defs: &'a [WidgetDef],
        context: Context<'a>,
        place: &str,
        depth: usize,
    ) -> Vec<WidgetIx> {
        defs.iter().enumerate().map(|(ix, def)| self.widget(def, context, place, ix, depth)).collect()
    }

    fn widget(
        &mut self,
        def: &'a WidgetDef,
        context: Context<'a>,
        place: &str,
        ix: usize,
        depth: usize,
    ) -> WidgetIx {
        let label = def.id.clone().unwrap_or_else(|| format!("{:?}{ix}", def.kind).to_lowercase());
        let place = format!("{place}/{label}");
        let near = [&def.text, &def.bind, &def.rows, &def.visible, &def.enabled, &def.desc]
            .into_iter()
            .flatten()
            .next()
            .map_or_else(|| context.def.name.span.clone(), |part| part.span.clone());
        self.check_widget(def, &place, &near);
        if depth > MAX_WIDGET_DEPTH {
            self.error(&near, format!("widgets are nested more than {MAX_WIDGET_DEPTH} deep"));
            return WidgetIx(0);
        }
        let bind = def.bind.as_ref().and_then(|bind| {
            let slot = self.slot(&bind.value, context);
            if let Some(Slot::Global(_) | Slot::Local(_)) = slot {
                return slot;
            }
            let names = self.visible_names(context);
            let message = unknown("variable", &bind.value, names.iter().map(SmolStr::as_str));
            self.error(&bind.span, message);
            None
        });
        let widget = Widget {
            text: self.optional_template(def.text.as_ref(), context),
            desc: self.optional_template(def.desc.as_ref(), context),
            hint: def.hint.as_deref().unwrap_or_default().into(),
            input: def.input,
            bind,
            checked: self.guard(def.checked.as_ref(), context),
            options: def.options.iter().map(SmolStr::from).collect(),
            rows: def.rows.as_ref().and_then(|rows| self.expression(rows, context)),
            row_height: def.row_height.unwrap_or(ROW_HEIGHT).clamp(20, 4_000),
            height: def.height.map(|height| height.clamp(0, 100_000)),
            nodes: def.nodes.unwrap_or(200).min(MAX_WEB_NODES),
            visible: self.guard(def.visible.as_ref(), context),
            enabled: self.guard(def.enabled.as_ref(), context),
            children: self.widgets(&def.widget, context, &place, depth + 1),
            tap: self.rules(&def.tap, context, &format!("{place}/tap"), 0),
            long_tap: self.rules(&def.long_tap, context, &format!("{place}/long_tap"), 0),
            change: self.rules(&def.change, context, &format!("{place}/change"), 0),
            submit: self.rules(&def.submit, context, &format!("{place}/submit"), 0),
            swipe_left: self.rules(&def.swipe_left, context, &format!("{place}/swipe_left"), 0),
            swipe_right: self.rules(&def.swipe_right, context, &format!("{place}/swipe_right"), 0),
            pinch: self.rules(&def.pinch, context, &format!("{place}/pinch"), 0),
            ..plain_widget(def.kind, context, def.id.as_deref())
        };
        self.push_widget(widget)
    }

    /// Fields that a sort of widget does not have, or cannot be without.
    fn check_widget(&mut self, def: &WidgetDef, place: &str, near: &Range<usize>) {
        use WidgetKind::{
            Button, Check, Column, Field, Image, ImageButton, Label, List, Row, Scroll, Spinner, Switch,
            Tabs, Web,
        };
        let kind = def.kind;
        let holds_widgets = matches!(kind, Row | Column | Scroll | List);
        let mut wrong = |bad: bool, message: &str| {
            if bad {
                self.errors.push((near.clone(), format!("{place}: {message}")));
            }
        };
        wrong(
            !def.widget.is_empty() && !holds_widgets,
            "only a row, column, scroll or list has widgets in it",
        );
        wrong(
            kind == List && def.rows.is_none(),
            "a list needs `rows`, an expression that gives a list or a number",
        );
        wrong(kind == List && def.widget.is_empty(), "a list needs `widget`s that say what a row looks like");
        wrong(kind != List && def.rows.is_some(), "only a list has `rows`");
        wrong(
            matches!(kind, Field | Check | Switch | Spinner | Tabs)
                && def.bind.is_none()
                && def.checked.is_none(),
            "it needs `bind`, the variable that it shows and changes",
        );
        wrong(
            !matches!(kind, Field | Check | Switch | Spinner | Tabs) && def.bind.is_some(),
            "only a field, check, switch, spinner or tabs can `bind` a variable",
        );
        wrong(
            def.checked.is_some() && (!matches!(kind, Check | Switch) || def.bind.is_some()),
            "`checked` is for a check or switch without `bind`",
        );
        wrong(matches!(kind, Spinner | Tabs) && def.options.is_empty(), "it needs `options`");
        wrong(
            !matches!(kind, Spinner | Tabs) && !def.options.is_empty(),
            "only a spinner or tabs have `options`",
        );
        wrong(kind != Web && def.nodes.is_some(), "only a web page has `nodes`");
        wrong(
            kind == ImageButton && def.text.is_some(),
            "an image button has no text; use `desc`, or a button",
        );
        wrong(
            !def.tap.0.is_empty()
                && !matches!(
                    kind,
                    Button | ImageButton | Image | Label | List | Row | Column | Check | Switch
                ),
            "this sort of widget has no `tap`; use `change`",
        );
        wrong(
            !def.change.0.is_empty() && !matches!(kind, Field | Check | Switch | Spinner | Tabs),
            "only widgets that `bind` a variable have `change`",
        );
        wrong(!def.submit.0.is_empty() && kind != Field, "only a field has `submit`");
    }
}

/// The widget that each widget is in.
pub(super) fn parents(widgets: &[Widget]) -> Vec<Option<WidgetIx>> {
    let mut parents = vec![None; widgets.len()];
    for (ix, widget) in widgets.iter().enumerate() {
        for child in &widget.children {
            parents[child.0 as usize] = Some(WidgetIx(ix as u32));
        }
    }
    parents
}

fn plain_widget(kind: WidgetKind, context: Context<'_>, id: Option<&str>) -> Widget {
    Widget {
        kind,
        activity: context.activity,
        id: id.map(|id| format_smolstr!("{}:id/{id}", context.package)).unwrap_or_default(),
        text: Template::default(),
        desc: Template::default(),
        hint: SmolStr::default(),
        input: InputKind::Text,
        bind: None,
        checked: None,
        options: Vec::new(),
        rows: None,
        row_height: ROW_HEIGHT,
        height: None,
        nodes: 0,
        visible: None,
        enabled: None,
        children: Vec::new(),
        dismisses: false,
        tap: RuleList::default(),
        long_tap: RuleList::default(),
        change: RuleList::default(),
        submit: RuleList::default(),
        swipe_left: RuleList::default(),
        swipe_right: RuleList::default(),
        pinch: RuleList::default(),
    }
}
