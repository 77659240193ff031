//! What the phone shows: layout and GUI tree of a state.

use std::sync::Arc;

use rhai::Dynamic;
use smol_str::{SmolStr, format_smolstr};

use super::app::{App, Widget as WidgetDef, WidgetIx};
use super::app_model::{InputKind, WidgetKind};
use super::expr::{Env, Temp, Temps, text_of};
use super::state::{Layer, State};
use crate::gui::tree::WidgetPool;
use crate::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, Point, TreeBuilder, Widget, Window, WindowKind};

/// The short side of the screen in pixels.
pub const SHORT_SIDE: i32 = 1080;
/// The long side of the screen in pixels.
pub const LONG_SIDE: i32 = 1920;
const STATUS_BAR: i32 = 60;
const TOOLBAR: i32 = 150;
const KEYBOARD: i32 = 700;
const DIALOG_WIDTH: i32 = 900;
const MENU_WIDTH: i32 = 560;
const ITEM_HEIGHT: i32 = 120;
const ICON_WIDTH: i32 = 140;
/// What a list or page takes inside a scroll, where there is no height to share.
const FLEXIBLE_IN_SCROLL: i32 = 600;
/// The launcher's package.
pub const LAUNCHER: &str = "com.android.launcher3";
/// The package that asks for permissions.
pub const PERMISSIONS: &str = "com.android.permissioncontroller";
const KEYBOARD_PACKAGE: &str = "com.android.inputmethod.latin";

/// A GUI tree and, for each of its nodes, what it stands for.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// What a device sees.
    pub tree: Arc<GuiTree>,
    /// What each node stands for.
    pub origins: Vec<Origin>,
}

/// What a node of the tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The widget of the model, if it is one's.
    pub widget: Option<WidgetIx>,
    /// The row of the list that it is in.
    pub row: Option<u32>,
    /// Which part of it.
    pub part: Part,
}

/// Which part of a widget or window a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Nothing that reacts by itself.
    Plain,
    /// The widget.
    Whole,
    /// A row of a list.
    Row,
    /// A choice of a spinner or a tab.
    Option(u32),
    /// The arrow in the bar.
    Up,
    /// The three dots in the bar.
    Overflow,
    /// The yes to a permission.
    Allow,
    /// The no to a permission.
    Deny,
    /// The app's icon in the launcher.
    Icon,
}

const PLAIN: Origin = Origin { widget: None, row: None, part: Part::Plain };

/// The screen's bounds.
pub fn screen_bounds(landscape: bool) -> Bounds {
    if landscape {
        Bounds::new(0, 0, LONG_SIDE, SHORT_SIDE)
    } else {
        Bounds::new(0, 0, SHORT_SIDE, LONG_SIDE)
    }
}

/// Shows a state.
pub fn render(
    app: &App,
    state: &mut State,
    temps: &mut Temps,
    pool: &mut WidgetPool,
    issues: &mut Vec<String>,
) -> Rendered {
    let screen = screen_bounds(state.landscape);
    let Some(front) = state.front() else { return launcher(app, pool, screen) };
    let activity = app.activity(front.activity);
    let instance = state.stack.len() - 1;
    let layers = front.layers.clone();
    let keyboard = front.keyboard;
    let focus = front.focus;
    let toast = state.toast.as_ref().filter(|toast| toast.until > state.now).map(|toast| toast.text.clone());
    let mut painter = Painter {
        app,
        state,
        instance,
        temps,
        issues,
        builder: TreeBuilder::new(pool, activity.class.clone()),
        origins: Vec::with_capacity(64),
        package: activity.package.clone(),
        focus,
        row: None,
        index: 0,
        clip: screen,
    };
    painter.window(WindowKind::Application, 0, layers.is_empty(), activity.name.clone(), screen, false);
    painter.activity(screen);
    let mut layer_number = 1;
    for (position, &layer) in layers.iter().enumerate() {
        painter.layer(layer, layer_number, position + 1 == layers.len(), screen);
        layer_number += 1;
    }
    if keyboard {
        painter.keyboard(layer_number, screen);
        layer_number += 1;
    }
    if let Some(text) = toast {
        painter.toast(&text, layer_number, screen);
    }
    let Painter { builder, origins, .. } = painter;
    Rendered { tree: Arc::new(builder.finish()), origins }
}

/// The height of the content of a scroll that belongs to the activity in front.
pub fn content_height(app: &App, state: &mut State, temps: &mut Temps, widgets: &[WidgetIx]) -> i32 {
    let Some(instance) = state.stack.len().checked_sub(1) else { return 0 };
    let mut pool = WidgetPool::default();
    let mut issues = Vec::new();
    let mut painter = Painter {
        app,
        state,
        instance,
        temps,
        issues: &mut issues,
        builder: TreeBuilder::new(&mut pool, ""),
        origins: Vec::new(),
        package: SmolStr::default(),
        focus: None,
        row: None,
        index: 0,
        clip: Bounds::default(),
    };
    painter.measured(widgets).iter().map(|(_, height)| height.unwrap_or(FLEXIBLE_IN_SCROLL)).sum()
}

fn launcher(app: &App, pool: &mut WidgetPool, screen: Bounds) -> Rendered {
    let mut builder = TreeBuilder::new(pool, "com.android.launcher3.Launcher");
    let mut origins = Vec::new();
    builder.window(Window { title: "Launcher".into(), ..Window::application(screen) });
    let root = Widget {
        class: SmolStr::new_static("android.widget.FrameLayout"),
        package: SmolStr::new_static(LAUNCHER),
        bounds: screen,
        flags: Flags::ENABLED | Flags::VISIBLE,
        ..Widget::default()
    };
    let icon = Widget {
        class: SmolStr::new_static("android.widget.TextView"),
        text: app.name.clone(),
        bounds: Bounds::new(60, 200, 300, 460),
        flags: root.flags | Flags::CLICKABLE,
        actions: ActionSet::TAP,
        ..root.clone()
    };
    builder.open(root);
    origins.push(PLAIN);
    builder.leaf(icon);
    origins.push(Origin { part: Part::Icon, ..PLAIN });
    Rendered { tree: Arc::new(builder.finish()), origins }
}

struct Painter<'a, 'pool> {
    app: &'a App,
    state: &'a mut State,
    instance: usize,
    temps: &'a mut Temps,
    issues: &'a mut Vec<String>,
    builder: TreeBuilder<'pool>,
    origins: Vec<Origin>,
    package: SmolStr,
    focus: Option<WidgetIx>,
    row: Option<u32>,
    /// The position of the next node among its siblings.
    index: u32,
    /// What lies outside is not in the tree.
    clip: Bounds,
}

/// What a node looks like, apart from what all nodes have.
struct Look<'a> {
    class: &'static str,
    id: SmolStr,
    text: SmolStr,
    desc: SmolStr,
    bounds: Bounds,
    flags: Flags,
    actions: ActionSet,
    origin: Origin,
    field: Option<&'a WidgetDef>,
}

impl Look<'_> {
    fn plain(class: &'static str, bounds: Bounds) -> Self {
        Look {
            class,
            id: SmolStr::default(),
            text: SmolStr::default(),
            desc: SmolStr::default(),
            bounds,
            flags: Flags::ENABLED,
            actions: ActionSet::empty(),
            origin: PLAIN,
            field: None,
        }
    }
}

impl Painter<'_, '_> {
    fn window(
        &mut self,
        kind: WindowKind,
        layer: i32,
        focused: bool,
        title: SmolStr,
        bounds: Bounds,
        modal: bool,
    ) {
        self.index = 0;
        self.builder.window(Window { kind, layer, focused, title, bounds, modal, root: None });
    }

    fn open(&mut self, look: Look<'_>) -> NodeIx {
        let index = self.index;
        self.index = 0;
        let (hint, input_type) = match look.field {
            Some(def) => (def.hint.clone(), input_type(def.input)),
            None => (SmolStr::default(), 0),
        };
        let state_desc = if look.flags.contains(Flags::CHECKABLE) {
            SmolStr::new_static(if look.flags.contains(Flags::CHECKED) { "on" } else { "off" })
        } else {
            SmolStr::default()
        };
        self.origins.push(look.origin);
        self.builder.open(Widget {
            class: SmolStr::new_static(look.class),
            package: self.package.clone(),
            resource_id: look.id,
            text: look.text,
            content_desc: look.desc,
            hint,
            state_desc,
            index,
            bounds: look.bounds.intersect(self.clip),
            flags: look.flags | Flags::VISIBLE,
            actions: look.actions,
            drawing_order: index as i32 + 1,
            input_type,
        })
    }

    /// Closes a node; the next one is the sibling after it.
    fn close(&mut self, index: u32) {
        self.builder.close();
        self.index = index + 1;
    }

    fn leaf(&mut self, look: Look<'_>) {
        let index = self.index;
        self.open(look);
        self.close(index);
    }

    fn env(&mut self) -> (&rhai::Engine, Env<'_>, &mut Vec<String>) {
        let env = Env {
            globals: &mut self.state.globals,
            locals: &mut self.state.stack[self.instance].locals,
            temps: self.temps,
        };
        (&self.app.engine, env, self.issues)
    }

    fn show(&mut self, template: &super::expr::Template) -> SmolStr {
        let (engine, mut env, issues) = self.env();
        template.show(engine, &mut env, issues)
    }

    fn holds(&mut self, guard: Option<&super::expr::Expr>) -> bool {
        let Some(guard) = guard else { return true };
        let (engine, mut env, issues) = self.env();
        guard.holds(engine, &mut env).unwrap_or_else(|error| {
            issues.push(error.to_string());
            false
        })
    }

    fn bound(&mut self, def: &WidgetDef) -> Dynamic {
        use super::expr::Slot;
        match def.bind {
            Some(Slot::Global(ix)) => self.state.globals[ix as usize].clone(),
            Some(Slot::Local(ix)) => self.state.stack[self.instance].locals[ix as usize].clone(),
            _ => Dynamic::UNIT,
        }
    }

    fn activity(&mut self, screen: Bounds) {
        let app = self.app;
        let activity = app.activity(self.state.stack[self.instance].activity);
        self.open(Look::plain("android.widget.FrameLayout", screen));
        let column = Bounds { top: STATUS_BAR, ..screen };
        self.open(Look {
            id: "android:id/action_bar_root".into(),
            ..Look::plain("android.widget.LinearLayout", column)
        });
        let mut content = column;
        if activity.resize && self.state.stack[self.instance].keyboard {
            content.bottom = keyboard_bounds(screen).top;
        }
        if let Some(title) = &activity.title {
            let bar = Bounds { bottom: column.top + TOOLBAR, ..column };
            content.top = bar.bottom;
            self.toolbar(bar, title, activity.up, !activity.menu.is_empty());
        }
        self.open(Look {
            id: "android:id/content".into(),
            ..Look::plain("android.widget.FrameLayout", content)
        });
        self.open(Look::plain("android.widget.LinearLayout", content));
        self.clip = content;
        self.column(&activity.widgets, content);
        self.clip = screen;
    }

    fn toolbar(&mut self, bar: Bounds, title: &super::expr::Template, up: bool, overflow: bool) {
        let index = self.index;
        self.open(Look { id: "action_bar".into(), ..Look::plain("android.view.ViewGroup", bar) });
        let mut left = bar.left + 30;
        if up {
            let bounds = Bounds { right: bar.left + 150, ..bar };
            left = bounds.right;
            self.button("android.widget.ImageButton", "Navigate up", bounds, Part::Up);
        }
        let text = self.show(title);
        let right = if overflow { bar.right - 150 } else { bar.right };
        self.leaf(Look { text, ..Look::plain("android.widget.TextView", Bounds { left, right, ..bar }) });
        if overflow {
            self.button(
                "android.widget.ImageView",
                "More options",
                Bounds { left: right, ..bar },
                Part::Overflow,
            );
        }
        self.close(index);
    }

    fn button(&mut self, class: &'static str, desc: &'static str, bounds: Bounds, part: Part) {
        self.leaf(Look {
            desc: SmolStr::new_static(desc),
            flags: Flags::ENABLED | Flags::CLICKABLE | Flags::FOCUSABLE,
            actions: ActionSet::TAP,
            origin: Origin { part, ..PLAIN },
            ..Look::plain(class, bounds)
        });
    }

    /// The widgets that are there, with the heights they want; `None` shares what is left.
    fn measured(&mut self, widgets: &[WidgetIx]) -> Vec<(WidgetIx, Option<i32>)> {
        let app = self.app;
        let mut there = Vec::with_capacity(widgets.len());
        for &ix in widgets {
            let def = app.widget(ix);
            if self.holds(def.visible.as_ref()) {
                there.push((ix, self.height(def)));
            }
        }
        there
    }

    fn height(&mut self, def: &WidgetDef) -> Option<i32> {
        if def.height.is_some() {
            return def.height;
        }
        match def.kind {
            WidgetKind::Label => Some(80),
            WidgetKind::Image => Some(240),
            WidgetKind::Field => Some(130),
            WidgetKind::Check | WidgetKind::Switch => Some(110),
            WidgetKind::Button
            | WidgetKind::ImageButton
            | WidgetKind::Spinner
            | WidgetKind::Tabs
            | WidgetKind::Progress => Some(120),
            WidgetKind::List | WidgetKind::Scroll | WidgetKind::Web => None,
            WidgetKind::Row => Some(
                self.measured(&def.children)
                    .iter()
                    .map(|(_, height)| height.unwrap_or(120))
                    .max()
                    .unwrap_or(0),
            ),
            WidgetKind::Column => {
                Some(self.measured(&def.children).iter().map(|(_, height)| height.unwrap_or(120)).sum())
            }
        }
    }

    /// Widgets below each other; lists, scrolls and pages share the height that the others leave.
    fn column(&mut self, widgets: &[WidgetIx], area: Bounds) {
        let there = self.measured(widgets);
        let fixed: i32 = there.iter().filter_map(|(_, height)| *height).sum();
        let flexible = there.iter().filter(|(_, height)| height.is_none()).count() as i32;
        let share = if flexible == 0 { 0 } else { (area.height() - fixed).max(0) / flexible };
        let mut top = area.top;
        for (ix, height) in there {
            let bounds = Bounds { top, bottom: top + height.unwrap_or(share), ..area };
            top = bounds.bottom;
            if !bounds.intersect(self.clip).is_empty() {
                self.widget(ix, bounds);
            }
        }
    }

    /// Widgets beside each other: buttons without text and boxes are narrow, the others share the width.
    fn row(&mut self, widgets: &[WidgetIx], area: Bounds) {
        let app = self.app;
        let there: Vec<WidgetIx> =
            widgets.iter().copied().filter(|&ix| self.holds(app.widget(ix).visible.as_ref())).collect();
        let narrow = |ix: WidgetIx| {
            let def = app.widget(ix);
            matches!(def.kind, WidgetKind::ImageButton | WidgetKind::Image)
                || (matches!(def.kind, WidgetKind::Check | WidgetKind::Switch) && def.text.is_empty())
        };
        let narrow_count = there.iter().filter(|&&ix| narrow(ix)).count() as i32;
        let wide_count = there.len() as i32 - narrow_count;
        let share =
            if wide_count == 0 { 0 } else { (area.width() - narrow_count * ICON_WIDTH).max(0) / wide_count };
        let mut left = area.left;
        for ix in there {
            let right = left + if narrow(ix) { ICON_WIDTH } else { share };
            self.widget(ix, Bounds { left, right, ..area });
            left = right;
        }
    }

    fn widget(&mut self, ix: WidgetIx, bounds: Bounds) {
        let app = self.app;
        let def = app.widget(ix);
        let mut look = self.look(ix, def, bounds);
        match def.kind {
            WidgetKind::Row | WidgetKind::Column => {
                let index = self.index;
                self.open(look);
                if def.kind == WidgetKind::Row {
                    self.row(&def.children, bounds);
                } else {
                    self.column(&def.children, bounds);
                }
                self.close(index);
            }
            WidgetKind::List => self.list(ix, def, look),
            WidgetKind::Scroll => self.scroll(ix, def, look),
            WidgetKind::Tabs => self.tabs(ix, def, look),
            WidgetKind::Web => self.web(def, look),
            WidgetKind::Spinner => {
                let chosen = text_of(&self.bound(def));
                let index = self.index;
                self.open(look);
                self.leaf(Look { text: chosen, ..Look::plain("android.widget.TextView", bounds) });
                self.close(index);
            }
            WidgetKind::Check | WidgetKind::Switch => {
                let checked = match &def.checked {
                    Some(checked) => self.holds(Some(checked)),
                    None => self.bound(def).as_bool().unwrap_or(false),
                };
                look.flags.set(Flags::CHECKED, checked);
                self.leaf(look);
            }
            WidgetKind::Field => {
                look.text = text_of(&self.bound(def));
                look.flags.set(Flags::FOCUSED, self.focus == Some(ix));
                self.leaf(look);
            }
            _ => self.leaf(look),
        }
    }

    fn look<'d>(&mut self, ix: WidgetIx, def: &'d WidgetDef, bounds: Bounds) -> Look<'d> {
        let enabled = self.holds(def.enabled.as_ref());
        let mut flags = if enabled { Flags::ENABLED } else { Flags::empty() };
        let mut actions = ActionSet::empty();
        let taps = match def.kind {
            WidgetKind::Button
            | WidgetKind::ImageButton
            | WidgetKind::Check
            | WidgetKind::Switch
            | WidgetKind::Spinner
            | WidgetKind::Field => true,
            WidgetKind::List => false,
            _ => !def.tap.is_empty(),
        };
        if taps {
            flags |= Flags::CLICKABLE | Flags::FOCUSABLE;
            actions |= ActionSet::TAP;
        }
        if !def.long_tap.is_empty() && def.kind != WidgetKind::List {
            flags |= Flags::LONG_CLICKABLE;
            actions |= ActionSet::LONG_TAP;
        }
        if matches!(def.kind, WidgetKind::Check | WidgetKind::Switch) {
            flags |= Flags::CHECKABLE;
        }
        if def.kind == WidgetKind::Field {
            flags |= Flags::EDITABLE;
            flags.set(Flags::PASSWORD, def.input == InputKind::Password);
            actions |= ActionSet::TEXT;
        }
        if !def.swipe_left.is_empty() {
            flags |= Flags::SCROLLABLE;
            actions |= ActionSet::SCROLL_RIGHT;
        }
        if !def.swipe_right.is_empty() {
            flags |= Flags::SCROLLABLE;
            actions |= ActionSet::SCROLL_LEFT;
        }
        if !def.pinch.is_empty() {
            actions |= ActionSet::PINCH;
        }
        Look {
            class: class_of(def.kind),
            id: def.id.clone(),
            text: if def.text.is_empty() { SmolStr::default() } else { self.show(&def.text) },
            desc: if def.desc.is_empty() { SmolStr::default() } else { self.show(&def.desc) },
            bounds,
            flags,
            actions: if enabled { actions } else { ActionSet::empty() },
            origin: Origin { widget: Some(ix), row: self.row, part: Part::Whole },
            field: (def.kind == WidgetKind::Field).then_some(def),
        }
    }

    fn list(&mut self, ix: WidgetIx, def: &WidgetDef, mut look: Look<'_>) {
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

    fn scroll(&mut self, ix: WidgetIx, def: &WidgetDef, mut look: Look<'_>) {
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

    fn tabs(&mut self, ix: WidgetIx, def: &WidgetDef, look: Look<'_>) {
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

    fn web(&mut self, def: &WidgetDef, look: Look<'_>) {
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

    fn layer(&mut self, layer: Layer, number: i32, focused: bool, screen: Bounds) {
        let app = self.app;
        let activity = app.activity(self.state.stack[self.instance].activity);
        match layer {
            Layer::Dialog(ix) => self.dialog(&activity.dialogs[ix as usize], number, focused, screen),
            Layer::Menu => {
                let corner = Point { x: screen.right, y: STATUS_BAR };
                self.items(&activity.menu, "Menu", corner, number, focused, screen);
            }
            Layer::Popup(ix, point) => {
                let (name, items) = &activity.popups[ix as usize];
                self.items(items, name, point, number, focused, screen);
            }
            Layer::Choices(ix, point) => self.choices(ix, point, number, focused, screen),
            Layer::Permission(ix) => {
                let name = &activity.permissions[ix as usize].name;
                self.permission(name, number, focused, screen);
            }
        }
    }

    fn dialog(&mut self, dialog: &super::app::Dialog, number: i32, focused: bool, screen: Bounds) {
        let title = self.show(&dialog.title);
        let text = self.show(&dialog.text);
        let there = self.measured(&dialog.widgets);
        let content: i32 = there.iter().map(|(_, height)| height.unwrap_or(400)).sum();
        let title_height = if title.is_empty() { 0 } else { 130 };
        let text_height = if text.is_empty() { 0 } else { 160 };
        let buttons_height = if dialog.buttons.is_empty() { 0 } else { 140 };
        let height =
            (title_height + text_height + content + buttons_height).clamp(100, screen.height() - 200);
        let left = (screen.width() - DIALOG_WIDTH) / 2;
        let top = (screen.height() - height) / 2;
        let bounds = Bounds::new(left, top, left + DIALOG_WIDTH, top + height);
        self.window(WindowKind::Dialog, number, focused, dialog.name.clone(), bounds, true);
        self.clip = bounds;
        self.open(Look::plain("android.widget.FrameLayout", bounds));
        self.open(Look {
            id: "android:id/parentPanel".into(),
            ..Look::plain("android.widget.LinearLayout", bounds)
        });
        let mut top = bounds.top;
        if title_height > 0 {
            let area = Bounds { bottom: top + title_height, ..bounds };
            top = area.bottom;
            self.leaf(Look {
                id: "android:id/alertTitle".into(),
                text: title,
                ..Look::plain("android.widget.TextView", area)
            });
        }
        if text_height > 0 {
            let area = Bounds { top, bottom: top + text_height, ..bounds };
            top = area.bottom;
            self.leaf(Look {
                id: "android:id/message".into(),
                text,
                ..Look::plain("android.widget.TextView", area)
            });
        }
        for (ix, height) in there {
            let area = Bounds { top, bottom: top + height.unwrap_or(400), ..bounds };
            top = area.bottom;
            self.widget(ix, area);
        }
        if buttons_height > 0 {
            let area = Bounds { top: bounds.bottom - buttons_height, ..bounds };
            let index = self.index;
            self.open(Look {
                id: "android:id/buttonPanel".into(),
                ..Look::plain("android.widget.LinearLayout", area)
            });
            self.row(&dialog.buttons, area);
            self.close(index);
        }
        self.clip = screen;
    }

    fn items(
        &mut self,
        items: &[WidgetIx],
        title: &str,
        at: Point,
        number: i32,
        focused: bool,
        screen: Bounds,
    ) {
        let app = self.app;
        let there: Vec<WidgetIx> =
            items.iter().copied().filter(|&ix| self.holds(app.widget(ix).visible.as_ref())).collect();
        let bounds = popup_bounds(at, there.len(), screen);
        self.window(WindowKind::Popup, number, focused, title.into(), bounds, true);
        self.open(Look::plain("android.widget.ListView", bounds));
        for (position, ix) in there.into_iter().enumerate() {
            let area = item_bounds(bounds, position);
            let def = app.widget(ix);
            let mut look = self.look(ix, def, area);
            look.class = "android.widget.LinearLayout";
            let text = std::mem::take(&mut look.text);
            let index = self.index;
            self.open(look);
            self.leaf(Look { text, ..Look::plain("android.widget.TextView", area) });
            self.close(index);
        }
    }

    fn choices(&mut self, ix: WidgetIx, at: Point, number: i32, focused: bool, screen: Bounds) {
        let def = self.app.widget(ix);
        let chosen = text_of(&self.bound(def));
        let bounds = popup_bounds(at, def.options.len(), screen);
        self.window(WindowKind::Popup, number, focused, SmolStr::default(), bounds, true);
        self.open(Look::plain("android.widget.ListView", bounds));
        for (position, option) in def.options.iter().enumerate() {
            let mut flags = Flags::ENABLED | Flags::CLICKABLE | Flags::CHECKABLE;
            flags.set(Flags::CHECKED, *option == chosen);
            self.leaf(Look {
                text: option.clone(),
                flags,
                actions: ActionSet::TAP,
                origin: Origin { widget: Some(ix), row: None, part: Part::Option(position as u32) },
                ..Look::plain("android.widget.CheckedTextView", item_bounds(bounds, position))
            });
        }
    }

    fn permission(&mut self, name: &SmolStr, number: i32, focused: bool, screen: Bounds) {
        let left = (screen.width() - DIALOG_WIDTH) / 2;
        let top = (screen.height() - 500) / 2;
        let bounds = Bounds::new(left, top, left + DIALOG_WIDTH, top + 500);
        let own = std::mem::replace(&mut self.package, SmolStr::new_static(PERMISSIONS));
        self.window(WindowKind::System, number, focused, "Permission".into(), bounds, true);
        self.open(Look::plain("android.widget.LinearLayout", bounds));
        let short = name.rsplit('.').next().unwrap_or(name);
        let question = format_smolstr!("Allow {} to use {short}?", self.app.name);
        self.leaf(Look {
            text: question,
            ..Look::plain("android.widget.TextView", Bounds { bottom: top + 220, ..bounds })
        });
        let middle = top + 360;
        for (text, id, part, area) in [
            (
                "Allow",
                "permission_allow_button",
                Part::Allow,
                Bounds { top: top + 220, bottom: middle, ..bounds },
            ),
            ("Don't allow", "permission_deny_button", Part::Deny, Bounds { top: middle, ..bounds }),
        ] {
            self.leaf(Look {
                id: format_smolstr!("{PERMISSIONS}:id/{id}"),
                text: SmolStr::new_static(text),
                flags: Flags::ENABLED | Flags::CLICKABLE | Flags::FOCUSABLE,
                actions: ActionSet::TAP,
                origin: Origin { part, ..PLAIN },
                ..Look::plain("android.widget.Button", area)
            });
        }
        self.package = own;
    }

    fn keyboard(&mut self, number: i32, screen: Bounds) {
        let bounds = keyboard_bounds(screen);
        let own = std::mem::replace(&mut self.package, SmolStr::new_static(KEYBOARD_PACKAGE));
        self.window(WindowKind::InputMethod, number, false, "Keyboard".into(), bounds, false);
        self.leaf(Look::plain("android.inputmethodservice.KeyboardView", bounds));
        self.package = own;
    }

    fn toast(&mut self, text: &SmolStr, number: i32, screen: Bounds) {
        let bounds =
            Bounds::new(screen.width() / 6, screen.bottom - 300, screen.width() * 5 / 6, screen.bottom - 200);
        self.window(WindowKind::Toast, number, false, "Toast".into(), bounds, false);
        self.leaf(Look { text: text.clone(), ..Look::plain("android.widget.TextView", bounds) });
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

/// Where the keyboard is.
pub fn keyboard_bounds(screen: Bounds) -> Bounds {
    Bounds { top: screen.bottom - KEYBOARD.min(screen.height() / 2), ..screen }
}

fn popup_bounds(at: Point, items: usize, screen: Bounds) -> Bounds {
    let height = (items as i32 * ITEM_HEIGHT).clamp(ITEM_HEIGHT, screen.height() - STATUS_BAR);
    let left = at.x.clamp(0, screen.right - MENU_WIDTH);
    let top = at.y.clamp(STATUS_BAR, screen.bottom - height);
    Bounds::new(left, top, left + MENU_WIDTH, top + height)
}

fn item_bounds(bounds: Bounds, position: usize) -> Bounds {
    let top = bounds.top + position as i32 * ITEM_HEIGHT;
    Bounds { top, bottom: top + ITEM_HEIGHT, ..bounds }
}

fn class_of(kind: WidgetKind) -> &'static str {
    match kind {
        WidgetKind::Label => "android.widget.TextView",
        WidgetKind::Button => "android.widget.Button",
        WidgetKind::ImageButton => "android.widget.ImageButton",
        WidgetKind::Image => "android.widget.ImageView",
        WidgetKind::Field => "android.widget.EditText",
        WidgetKind::Check => "android.widget.CheckBox",
        WidgetKind::Switch => "android.widget.Switch",
        WidgetKind::Spinner => "android.widget.Spinner",
        WidgetKind::Tabs => "android.widget.TabWidget",
        WidgetKind::List => "android.widget.ListView",
        WidgetKind::Row | WidgetKind::Column => "android.widget.LinearLayout",
        WidgetKind::Scroll => "android.widget.ScrollView",
        WidgetKind::Web => "android.webkit.WebView",
        WidgetKind::Progress => "android.widget.ProgressBar",
    }
}

/// Android's `InputType` constants.
fn input_type(kind: InputKind) -> i32 {
    match kind {
        InputKind::Text => 0x1,
        InputKind::Number => 0x2,
        InputKind::Phone => 0x3,
        InputKind::Date => 0x14,
        InputKind::Uri => 0x11,
        InputKind::Email => 0x21,
        InputKind::Password => 0x81,
    }
}
