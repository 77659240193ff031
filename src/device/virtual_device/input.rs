//! What an event does: which widget it reaches, and what that means.

use std::sync::Arc;

use rhai::Dynamic;

use super::app::{App, RuleList, WidgetIx};
use super::app_model::{InputKind, WidgetKind};
use super::expr::{Slot, Temp, text_of};
use super::phone::Phone;
use super::render::{self, Origin, Part};
use super::state::Layer;
use crate::action::{Input, Key};
use crate::device::Reset;
use crate::gui::tree::Hit;
use crate::gui::{Flags, Point, WindowKind};

/// A swipe shorter than this is a tap that trembled.
const MIN_SWIPE: i32 = 100;

impl Phone {
    /// Does one event, without waiting. What it touched, if it touches.
    pub fn inject(&mut self, input: &Input) -> Option<Hit> {
        self.clear_temps();
        match input {
            Input::Tap(point) => Some(self.tap(*point)),
            Input::LongTap(point) => Some(self.long_tap(*point)),
            Input::Swipe { from, to } => Some(self.swipe(*from, *to)),
            Input::Pinch { center, .. } => Some(self.pinch(*center)),
            Input::Text { at, text } => Some(self.enter_text(*at, text)),
            Input::Key(key) => {
                self.key(*key);
                None
            }
            Input::Rotate => {
                self.rotate();
                None
            }
            Input::HomeAndReturn => {
                if self.state.front().is_some() {
                    self.pause_front();
                    self.came_to_front(None);
                } else if self.state.running {
                    self.launch();
                }
                None
            }
            Input::ProcessDeath => {
                self.process_death();
                None
            }
            Input::Restart => {
                self.reset(Reset::Warm);
                None
            }
            Input::DeepLink(address) => {
                self.deep_link(address);
                None
            }
            Input::Wait(ms) => {
                self.pass(u64::from(*ms));
                None
            }
        }
    }

    fn clear_temps(&mut self) {
        for temp in [Temp::Row, Temp::Index, Temp::Value, Temp::Result] {
            self.temps.set(temp, ());
        }
    }

    fn origin(&mut self, hit: Hit) -> Option<Origin> {
        let Hit::Widget(_, node) = hit else { return None };
        self.screen().origins.get(node.0 as usize).copied()
    }

    fn front_id(&self) -> Option<u32> {
        self.state.front().map(|front| front.id)
    }

    fn tap(&mut self, point: Point) -> Hit {
        let tree = Arc::clone(&self.screen().tree);
        let hit = tree.hit(point, Flags::CLICKABLE);
        if let Hit::Window(window) = hit
            && tree.windows()[window as usize].kind == WindowKind::InputMethod
        {
            self.type_key(point);
            return hit;
        }
        if hit == Hit::Nothing {
            self.tap_outside();
            return hit;
        }
        if let Some(origin) = self.origin(hit) {
            self.tapped(origin, point);
        }
        hit
    }

    /// A tap beside a dialog or menu cancels it, if it can be cancelled.
    fn tap_outside(&mut self) {
        match self.state.front().and_then(|front| front.layers.last()) {
            Some(Layer::Permission(_)) | None => {}
            Some(_) => self.cancel_layer(),
        }
    }

    fn tapped(&mut self, origin: Origin, point: Point) {
        let app = Arc::clone(&self.app);
        match origin.part {
            Part::Icon => self.launch(),
            Part::Up => self.back_in_activity(),
            Part::Overflow => self.open_menu(),
            Part::Allow | Part::Deny => {
                let Some(id) = self.front_id() else { return };
                if let Some(Layer::Permission(ix)) = self.pop_layer() {
                    self.answer_permission(ix, origin.part == Part::Allow, id);
                }
            }
            Part::Plain => {}
            Part::Whole | Part::Row | Part::Option(_) => {
                let (Some(widget), Some(id)) = (origin.widget, self.front_id()) else { return };
                self.load_row(&app, origin);
                self.tapped_widget(&app, widget, origin, point, id);
            }
        }
    }

    fn tapped_widget(&mut self, app: &App, ix: WidgetIx, origin: Origin, point: Point, id: u32) {
        let def = app.widget(ix);
        match (def.kind, origin.part) {
            (WidgetKind::Spinner, Part::Option(number)) => {
                self.pop_layer();
                let choice: Dynamic = def.options[number as usize].as_str().into();
                self.set_bound(ix, choice, &def.change, id);
            }
            (WidgetKind::Tabs, Part::Option(number)) => {
                self.set_bound(ix, Dynamic::from(i64::from(number)), &def.change, id);
            }
            (WidgetKind::Spinner, _) => self.push_layer(Layer::Choices(ix, point)),
            (WidgetKind::Check | WidgetKind::Switch, _) => {
                if def.bind.is_some() {
                    let now = self.bound(ix).as_bool().unwrap_or(false);
                    self.set_bound(ix, Dynamic::from(!now), &def.change, id);
                } else {
                    self.run(&def.change, id);
                }
                if self.state.running {
                    self.run(&def.tap, id);
                }
            }
            (WidgetKind::Field, _) => self.focus(ix, true),
            _ => {
                if def.dismisses {
                    self.pop_layer();
                }
                self.run(&def.tap, id);
            }
        }
    }

    /// The row that a touch was in becomes `row` and `index`.
    fn load_row(&mut self, app: &App, origin: Origin) {
        let (Some(number), Some(mut widget)) = (origin.row, origin.widget) else { return };
        if app.widget(widget).kind != WidgetKind::List {
            let Some(list) = list_around(app, widget) else { return };
            widget = list;
        }
        let Some(id) = self.front_id() else { return };
        let number = i64::from(number);
        let row = app
            .widget(widget)
            .rows
            .as_ref()
            .and_then(|rows| self.with_env(id, |engine, env| rows.eval(engine, env)).and_then(Result::ok))
            .map(|rows| match rows.as_array_ref() {
                Ok(items) => items.get(number as usize).cloned().unwrap_or_default(),
                Err(_) => Dynamic::from(number),
            })
            .unwrap_or_default();
        self.temps.set(Temp::Row, row);
        self.temps.set(Temp::Index, number);
    }

    fn bound(&self, ix: WidgetIx) -> Dynamic {
        let Some(front) = self.state.front() else { return Dynamic::UNIT };
        match self.app.widget(ix).bind {
            Some(Slot::Global(slot)) => self.state.globals[slot as usize].clone(),
            Some(Slot::Local(slot)) => front.locals[slot as usize].clone(),
            _ => Dynamic::UNIT,
        }
    }

    fn set_bound(&mut self, ix: WidgetIx, value: Dynamic, change: &RuleList, id: u32) {
        self.temps.set(Temp::Value, value.clone());
        match self.app.widget(ix).bind {
            Some(Slot::Global(slot)) => self.state.globals[slot as usize] = value,
            Some(Slot::Local(slot)) => {
                if let Some(front) = self.state.stack.last_mut() {
                    front.locals[slot as usize] = value;
                }
            }
            _ => {}
        }
        self.changed();
        self.run(change, id);
    }

    fn focus(&mut self, ix: WidgetIx, keyboard: bool) {
        if let Some(front) = self.state.stack.last_mut() {
            front.focus = Some(ix);
            front.keyboard |= keyboard;
        }
        self.changed();
    }

    fn push_layer(&mut self, layer: Layer) {
        if let Some(front) = self.state.stack.last_mut() {
            front.keyboard = false;
            front.layers.push(layer);
        }
        self.changed();
    }

    fn pop_layer(&mut self) -> Option<Layer> {
        let popped = self.state.stack.last_mut().and_then(|front| front.layers.pop());
        self.changed();
        popped
    }

    fn long_tap(&mut self, point: Point) -> Hit {
        let tree = Arc::clone(&self.screen().tree);
        let hit = tree.hit(point, Flags::LONG_CLICKABLE);
        let app = Arc::clone(&self.app);
        if let Some(origin) = self.origin(hit)
            && let (Some(widget), Some(id)) = (origin.widget, self.front_id())
        {
            self.load_row(&app, origin);
            self.run(&app.widget(widget).long_tap, id);
        }
        hit
    }

    fn swipe(&mut self, from: Point, to: Point) -> Hit {
        let Point { x: dx, y: dy } = to.minus(from);
        if dx.saturating_abs().max(dy.saturating_abs()) < MIN_SWIPE {
            return self.tap(from);
        }
        let tree = Arc::clone(&self.screen().tree);
        let hit = tree.hit(from, Flags::SCROLLABLE);
        let app = Arc::clone(&self.app);
        let Some(id) = self.front_id() else { return hit };
        let sideways = dx.saturating_abs() > dy.saturating_abs();
        if let Some(origin) = self.origin(hit)
            && let Some(ix) = origin.widget
        {
            let def = app.widget(ix);
            if sideways {
                self.load_row(&app, origin);
                if self.run(if dx < 0 { &def.swipe_left } else { &def.swipe_right }, id) {
                    return hit;
                }
            } else if matches!(def.kind, WidgetKind::List | WidgetKind::Scroll) {
                let Hit::Widget(_, node) = hit else { return hit };
                self.scroll(&app, ix, tree.widget(node).bounds.height(), dy < 0);
                return hit;
            }
        }
        let over_window =
            !matches!(hit, Hit::Nothing) && self.state.front().is_some_and(|front| front.layers.is_empty());
        if sideways && over_window {
            let activity = app.activity(self.state.stack[self.state.stack.len() - 1].activity);
            self.run(if dx < 0 { &activity.swipe_left } else { &activity.swipe_right }, id);
        }
        hit
    }

    fn scroll(&mut self, app: &App, ix: WidgetIx, room: i32, down: bool) {
        let def = app.widget(ix);
        let Some(id) = self.front_id() else { return };
        let (step, end) = if def.kind == WidgetKind::List {
            let page = (room / def.row_height).max(1);
            let rows =
                def.rows.as_ref().and_then(|rows| self.with_env(id, |engine, env| rows.eval(engine, env)));
            let count = match rows {
                Some(Ok(value)) => value
                    .as_int()
                    .ok()
                    .or_else(|| value.as_array_ref().ok().map(|items| items.len() as i64))
                    .unwrap_or(0),
                _ => 0,
            };
            ((page - 1).max(1), i32::try_from(count - i64::from(page)).unwrap_or(i32::MAX / 2).max(0))
        } else {
            (room * 4 / 5, i32::MAX / 2)
        };
        let Some(front) = self.state.stack.last_mut() else { return };
        let now = front.scroll(ix);
        let then = if down { (now + step).min(end) } else { (now - step).max(0) };
        if then != now {
            front.set_scroll(ix, then);
            self.changed();
            if def.kind == WidgetKind::Scroll {
                self.clamp_scroll(app, ix, room);
            }
        }
    }

    /// A scroll's end is known only when its content is laid out: what is beyond it is cut off.
    fn clamp_scroll(&mut self, app: &App, ix: WidgetIx, room: i32) {
        let total = self.content_height(app, &app.widget(ix).children);
        if let Some(front) = self.state.stack.last_mut() {
            let offset = front.scroll(ix).min((total - room).max(0));
            front.set_scroll(ix, offset);
        }
    }

    fn content_height(&mut self, app: &App, widgets: &[WidgetIx]) -> i32 {
        render::content_height(app, &mut self.state, &mut self.temps, widgets)
    }

    fn pinch(&mut self, center: Point) -> Hit {
        let tree = Arc::clone(&self.screen().tree);
        let hit = tree.hit(center, Flags::VISIBLE);
        let app = Arc::clone(&self.app);
        if let Some(origin) = self.origin(hit)
            && let (Some(widget), Some(id)) = (origin.widget, self.front_id())
        {
            self.load_row(&app, origin);
            self.run(&app.widget(widget).pinch, id);
        }
        hit
    }

    fn enter_text(&mut self, at: Point, text: &str) -> Hit {
        let tree = Arc::clone(&self.screen().tree);
        let hit = tree.hit(at, Flags::EDITABLE);
        let app = Arc::clone(&self.app);
        if let Some(origin) = self.origin(hit)
            && let (Some(ix), Some(id)) = (origin.widget, self.front_id())
        {
            let def = app.widget(ix);
            self.focus(ix, false);
            let text = accepted(def.input, text);
            self.set_bound(ix, text.into(), &def.change, id);
        }
        hit
    }

    /// A finger on the keyboard types a letter, or deletes one in the lower left corner.
    fn type_key(&mut self, point: Point) {
        const KEYS: &[u8; 30] = b"qwertyuiopasdfghjkl'zxcvbnm,. ";
        let area = render::keyboard_bounds(render::screen_bounds(self.state.landscape));
        let Some((ix, id)) = self.state.front().and_then(|front| Some((front.focus?, front.id))) else {
            return;
        };
        let app = Arc::clone(&self.app);
        let column = ((point.x - area.left) * 10 / area.width().max(1)).clamp(0, 9);
        let row = ((point.y - area.top) * 4 / area.height().max(1)).clamp(0, 3);
        let mut text = text_of(&self.bound(ix)).to_string();
        match (row, column) {
            (3, 0..=1) => {
                text.pop();
            }
            (3, 8..=9) => return self.enter(),
            (3, _) => text.push(' '),
            _ => text.push(char::from(KEYS[(row * 10 + column) as usize])),
        }
        let def = app.widget(ix);
        let text = accepted(def.input, &text);
        self.set_bound(ix, text.into(), &def.change, id);
    }

    fn enter(&mut self) {
        let Some((ix, id)) = self.state.front().and_then(|front| Some((front.focus?, front.id))) else {
            return;
        };
        if let Some(front) = self.state.stack.last_mut() {
            front.keyboard = false;
        }
        self.changed();
        let app = Arc::clone(&self.app);
        self.run(&app.widget(ix).submit, id);
    }

    fn key(&mut self, key: Key) {
        match key {
            Key::Back => self.back(),
            Key::Home => self.home(),
            Key::Menu => {
                let layers_open = self.state.front().is_some_and(|front| !front.layers.is_empty());
                if layers_open {
                    if self.state.front().and_then(|front| front.layers.last()) == Some(&Layer::Menu) {
                        self.cancel_layer();
                    }
                } else {
                    self.open_menu();
                }
            }
            Key::Enter => self.enter(),
            _ => {}
        }
    }

    fn home(&mut self) {
        if self.state.front().is_some() {
            self.pause_front();
            self.state.at_home = true;
            self.changed();
        }
    }

    fn open_menu(&mut self) {
        let app = Arc::clone(&self.app);
        let Some(front) = self.state.front() else { return };
        let (id, activity) = (front.id, app.activity(front.activity));
        if !activity.menu.is_empty() {
            self.push_layer(Layer::Menu);
            self.run(&activity.menu_open, id);
        }
    }

    /// BACK closes the keyboard first, then the topmost dialog or menu, then the activity.
    fn back(&mut self) {
        let Some(front) = self.state.stack.last_mut().filter(|_| !self.state.at_home) else { return };
        if front.keyboard {
            front.keyboard = false;
            self.changed();
        } else if front.layers.is_empty() {
            self.back_in_activity();
        } else {
            self.cancel_layer();
        }
    }

    fn cancel_layer(&mut self) {
        let app = Arc::clone(&self.app);
        let Some(front) = self.state.front() else { return };
        let (id, activity) = (front.id, app.activity(front.activity));
        match front.layers.last().copied() {
            Some(Layer::Dialog(ix)) => {
                let dialog = &activity.dialogs[ix as usize];
                if dialog.cancelable {
                    self.pop_layer();
                    self.run(&dialog.cancel, id);
                }
            }
            Some(Layer::Permission(ix)) => {
                self.pop_layer();
                self.answer_permission(ix, false, id);
            }
            Some(Layer::Menu) => {
                self.pop_layer();
                self.run(&activity.menu_close, id);
            }
            Some(Layer::Popup(..) | Layer::Choices(..)) => {
                self.pop_layer();
            }
            None => {}
        }
    }

    fn back_in_activity(&mut self) {
        let app = Arc::clone(&self.app);
        let Some((id, activity)) = self.state.front().map(|front| (front.id, front.activity)) else { return };
        if !self.run(&app.activity(activity).back, id) {
            self.finish(id, None, true);
        }
    }

    fn rotate(&mut self) {
        let app = Arc::clone(&self.app);
        let Some(front) = self.state.front() else { return };
        let activity = app.activity(front.activity);
        if activity.locked {
            return;
        }
        self.state.landscape = !self.state.landscape;
        self.temps.set(Temp::Landscape, self.state.landscape);
        self.pause_front();
        self.came_to_front(None);
    }

    fn process_death(&mut self) {
        if !self.state.running || self.state.stack.is_empty() {
            return;
        }
        let app = Arc::clone(&self.app);
        if !self.state.at_home {
            self.pause_front();
        }
        self.state.lose_process(&app);
        self.state.at_home = false;
        self.came_to_front(None);
    }

    fn deep_link(&mut self, address: &str) {
        let app = Arc::clone(&self.app);
        let found = app.activities.iter().position(|activity| activity.link.as_deref() == Some(address));
        if let Some(ix) = found {
            self.state.at_home = false;
            self.state.running = true;
            self.start(super::app::ActivityIx(ix as u32), super::app_model::StartMode::Standard, Vec::new());
        }
    }
}

/// What a field takes of a text: a number field drops everything else, no field takes more than it can hold.
pub(super) fn accepted(kind: InputKind, text: &str) -> String {
    const MAX_TEXT: usize = 5_000;
    let text = text.chars().take(MAX_TEXT);
    match kind {
        InputKind::Number => {
            text.filter(|character| character.is_ascii_digit() || *character == '-').collect()
        }
        InputKind::Phone => {
            text.filter(|character| character.is_ascii_digit() || "+-*# ".contains(*character)).collect()
        }
        _ => text.filter(|character| *character != '\n').collect(),
    }
}

/// The list that a widget of a row belongs to.
fn list_around(app: &App, widget: WidgetIx) -> Option<WidgetIx> {
    let mut at = widget;
    loop {
        let parent = app.parents.get(at.0 as usize).copied().flatten()?;
        if app.widget(parent).kind == WidgetKind::List {
            return Some(parent);
        }
        at = parent;
    }
}
