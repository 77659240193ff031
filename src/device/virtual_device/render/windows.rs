//! Windows over an activity: dialogs, menus, choices, questions for permissions, the keyboard, messages.

use smol_str::{SmolStr, format_smolstr};

use super::{
    DIALOG_WIDTH, ITEM_HEIGHT, KEYBOARD, KEYBOARD_PACKAGE, Look, MENU_WIDTH, Origin, PERMISSIONS, PLAIN,
    Painter, Part, STATUS_BAR,
};
use crate::device::virtual_device::app::{Dialog, WidgetIx};
use crate::device::virtual_device::expr::text_of;
use crate::device::virtual_device::state::Layer;
use crate::gui::{ActionSet, Bounds, Flags, Point, WindowKind};

impl Painter<'_, '_> {
    pub(super) fn layer(&mut self, layer: Layer, number: i32, focused: bool, screen: Bounds) {
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

    fn dialog(&mut self, dialog: &Dialog, number: i32, focused: bool, screen: Bounds) {
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

    pub(super) fn keyboard(&mut self, number: i32, screen: Bounds) {
        let bounds = keyboard_bounds(screen);
        let own = std::mem::replace(&mut self.package, SmolStr::new_static(KEYBOARD_PACKAGE));
        self.window(WindowKind::InputMethod, number, false, "Keyboard".into(), bounds, false);
        self.leaf(Look::plain("android.inputmethodservice.KeyboardView", bounds));
        self.package = own;
    }

    pub(super) fn toast(&mut self, text: &SmolStr, number: i32, screen: Bounds) {
        let bounds =
            Bounds::new(screen.width() / 6, screen.bottom - 300, screen.width() * 5 / 6, screen.bottom - 200);
        self.window(WindowKind::Toast, number, false, "Toast".into(), bounds, false);
        self.leaf(Look { text: text.clone(), ..Look::plain("android.widget.TextView", bounds) });
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
