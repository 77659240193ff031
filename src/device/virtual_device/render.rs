//! What the phone shows: layout and GUI tree of a state.

mod lists;
mod look;
mod windows;

use std::sync::Arc;

use rhai::Dynamic;
use smol_str::SmolStr;

use super::app::{App, Widget as WidgetDef, WidgetIx};
use super::app_model::{InputKind, WidgetKind};
use super::expr::{Env, Temps, text_of};
use super::state::State;
use crate::gui::tree::WidgetPool;
use crate::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, TreeBuilder, Widget, Window, WindowKind};
use look::{class_of, sideways};

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

pub use windows::keyboard_bounds;

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

/// The height of an activity's content on an upright screen.
pub fn content_room(toolbar: bool) -> i32 {
    LONG_SIDE - STATUS_BAR - if toolbar { TOOLBAR } else { 0 }
}

/// The items of a menu that an upright screen holds.
pub const MENU_ITEMS: usize = ((LONG_SIDE - STATUS_BAR) / ITEM_HEIGHT) as usize;

/// The height that a sort of widget has by itself; `None` shares what is left, or depends on what is in it.
pub fn own_height(kind: WidgetKind) -> Option<i32> {
    match kind {
        WidgetKind::Label => Some(80),
        WidgetKind::Image => Some(240),
        WidgetKind::Field => Some(130),
        WidgetKind::Check | WidgetKind::Switch => Some(110),
        WidgetKind::Button
        | WidgetKind::ImageButton
        | WidgetKind::Spinner
        | WidgetKind::Tabs
        | WidgetKind::Progress => Some(120),
        WidgetKind::List | WidgetKind::Scroll | WidgetKind::Web | WidgetKind::Row | WidgetKind::Column => {
            None
        }
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
    pub(super) fn window(
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
        let mut column = Look::plain("android.widget.LinearLayout", content);
        column.actions = sideways(&activity.swipe_left, &activity.swipe_right);
        column.flags.set(Flags::SCROLLABLE, !column.actions.is_empty());
        self.open(column);
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
            kind => own_height(kind),
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
        let sideways = sideways(&def.swipe_left, &def.swipe_right);
        flags.set(Flags::SCROLLABLE, !sideways.is_empty());
        actions |= sideways;
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
