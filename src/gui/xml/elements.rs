//! The elements of a dump and their attributes.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::attributes::{Attributes, Piece};
use super::issue::{IssueKind, Issues, excerpt};
use super::tags::Tag;
use super::unescape::unescape;
use super::{values, words};
use crate::gui::tree::Rotation;
use crate::gui::widget::is_text_field;
use crate::gui::{ActionSet, Bounds, Flags, Widget, Window, WindowKind};

/// What an element is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Displays,
    Display,
    Window,
    Hierarchy,
    /// A widget: `node`, or in a page source the widget's class.
    Node,
    Unknown,
}

impl Element {
    /// Longer names are not looked at.
    pub(super) const MAX_NAME: usize = 256;

    pub(super) fn of(name: &str) -> Self {
        match name {
            "node" => Self::Node,
            "hierarchy" => Self::Hierarchy,
            "window" => Self::Window,
            "display" => Self::Display,
            "displays" => Self::Displays,
            class if is_class(class) => Self::Node,
            _ => Self::Unknown,
        }
    }

    pub(super) fn is_name_byte(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
    }
}

fn is_class(name: &str) -> bool {
    name.contains('.')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() < Element::MAX_NAME
        && name.bytes().all(Element::is_name_byte)
}

/// The attributes of one start tag, with their values resolved and every defect reported.
struct Values<'a, 'issues> {
    pieces: Attributes<'a>,
    base: usize,
    issues: &'issues mut Issues,
}

struct Value<'a> {
    name: &'a str,
    text: Cow<'a, str>,
    at: usize,
}

impl<'a, 'issues> Values<'a, 'issues> {
    fn new(tag: &Tag<'a>, issues: &'issues mut Issues) -> Self {
        let (attributes, base) = match *tag {
            Tag::Open { name, attributes, at, .. } => (attributes, at + 1 + name.len()),
            Tag::Close { at, .. } | Tag::Text { at, .. } => ("", at),
        };
        Self { pieces: Attributes::new(attributes), base, issues }
    }

    fn next(&mut self) -> Option<Value<'a>> {
        loop {
            match self.pieces.next()? {
                Piece::Attribute { name, raw, at, broken } => {
                    let at = self.base + at;
                    if broken {
                        self.issues
                            .report(at, IssueKind::BrokenAttribute(format!("{name}={}", excerpt(raw))));
                    }
                    return Some(Value { name, text: unescape(raw, at, self.issues), at });
                }
                Piece::Junk { text, at } => {
                    self.issues.report(self.base + at, IssueKind::BrokenAttribute(excerpt(text)));
                }
            }
        }
    }

    fn boolean(&mut self, name: &'static str, value: &Value<'_>) -> bool {
        values::boolean(name, &value.text, value.at, self.issues)
    }

    fn integer(&mut self, name: &'static str, value: &Value<'_>) -> i32 {
        let limits = (i32::MIN.into(), i32::MAX.into());
        values::number(name, &value.text, limits, value.at, self.issues) as i32
    }

    fn bounds(&mut self, value: &Value<'_>) -> Bounds {
        values::bounds(&value.text, value.at, self.issues)
    }

    fn text(value: &Value<'_>) -> SmolStr {
        SmolStr::new(&value.text)
    }

    /// Keeps the first of several attributes of one name.
    fn once(&mut self, seen: &mut u32, bit: u32, value: &Value<'_>) -> bool {
        let first = *seen & bit == 0;
        if !first {
            self.issues.report(value.at, IssueKind::DuplicateAttribute(value.name.to_owned()));
        }
        *seen |= bit;
        first
    }

    fn actions(&mut self, value: &Value<'_>) -> Option<ActionSet> {
        let mut actions = ActionSet::empty();
        let mut unknown = false;
        for word in value.text.split([' ', ',']).filter(|word| !word.is_empty()) {
            if let Some(action) = words::action(word) {
                actions |= action;
            } else {
                unknown = true;
                self.issues.report(
                    value.at,
                    IssueKind::UnknownWord("actions", excerpt(word), "this action is ignored"),
                );
            }
        }
        (!unknown || !actions.is_empty()).then_some(actions)
    }
}

/// What a dump's outermost element tells: the resumed activity, which only our own dumps name, and the rotation.
#[derive(Default)]
pub(super) struct DumpTag {
    pub(super) activity: Option<SmolStr>,
    pub(super) rotation: Option<Rotation>,
}

pub(super) fn read_dump(tag: &Tag<'_>, issues: &mut Issues) -> DumpTag {
    let mut values = Values::new(tag, issues);
    let mut dump = DumpTag::default();
    while let Some(value) = values.next() {
        match value.name {
            "activity" if dump.activity.is_none() => dump.activity = Some(Values::text(&value)),
            "rotation" if dump.rotation.is_none() => {
                let quarters = values::number("rotation", &value.text, (0, 3), value.at, values.issues);
                dump.rotation = Some(Rotation::quarters(quarters as u8));
            }
            _ => {}
        }
    }
    dump
}

/// A window as far as its tag tells; the rest is found out from its widgets and its place.
pub(super) struct WindowTag {
    pub(super) window: Window,
    pub(super) has_bounds: bool,
    pub(super) has_layer: bool,
}

pub(super) fn read_window(tag: &Tag<'_>, issues: &mut Issues) -> WindowTag {
    let mut window = Window { focused: false, ..Window::application(Bounds::default()) };
    let (mut kind, mut focused, mut active) = (None, None, false);
    let mut seen = 0;
    let mut values = Values::new(tag, issues);
    while let Some(value) = values.next() {
        let bit = match value.name {
            "type" => 1,
            "kind" => 1 << 1,
            "layer" => LAYER,
            "focused" => 1 << 3,
            "active" => 1 << 4,
            "title" => 1 << 5,
            "bounds" => BOUNDS,
            "modal" => 1 << 7,
            _ => continue,
        };
        if !values.once(&mut seen, bit, &value) {
            continue;
        }
        match value.name {
            "type" => {
                window.kind = words::window_type(&value.text).unwrap_or_else(|| {
                    let read_as = "read as a window of the system";
                    let kind = IssueKind::UnknownWord("type", excerpt(&value.text), read_as);
                    values.issues.report(value.at, kind);
                    WindowKind::System
                });
            }
            "kind" => kind = words::window_kind(&value.text),
            "layer" => window.layer = values.integer("layer", &value),
            "focused" => focused = Some(values.boolean("focused", &value)),
            "active" => active = values.boolean("active", &value),
            "title" => window.title = Values::text(&value),
            "bounds" => window.bounds = values.bounds(&value),
            _ => window.modal = values.boolean("modal", &value),
        }
    }
    window.kind = kind.unwrap_or(window.kind);
    window.focused = focused.unwrap_or(active);
    WindowTag { window, has_bounds: seen & BOUNDS != 0, has_layer: seen & LAYER != 0 }
}

const LAYER: u32 = 1 << 2;
const BOUNDS: u32 = 1 << 6;

/// The yes-or-no attributes by name, in the order of a dump.
pub(super) const FLAGS: [(&str, Flags); 10] = [
    ("checkable", Flags::CHECKABLE),
    ("checked", Flags::CHECKED),
    ("clickable", Flags::CLICKABLE),
    ("enabled", Flags::ENABLED),
    ("focusable", Flags::FOCUSABLE),
    ("focused", Flags::FOCUSED),
    ("scrollable", Flags::SCROLLABLE),
    ("long-clickable", Flags::LONG_CLICKABLE),
    ("password", Flags::PASSWORD),
    ("selected", Flags::SELECTED),
];

/// Yes-or-no attributes that plain dumps do not have.
pub(super) const EXTRA_FLAGS: [(&str, Flags); 4] = [
    ("visible-to-user", Flags::VISIBLE),
    ("editable", Flags::EDITABLE),
    ("dismissable", Flags::DISMISSABLE),
    ("content-invalid", Flags::CONTENT_INVALID),
];

/// The flags of a widget whose dump does not mention them: dumps have only what is visible, and nobody would leave out
/// that a widget is disabled.
pub(super) fn unmentioned_flags(class: &str, bounds: Bounds) -> Flags {
    let mut flags = Flags::ENABLED;
    flags.set(Flags::VISIBLE, !bounds.is_empty());
    flags.set(Flags::EDITABLE, is_text_field(class));
    flags
}

/// A yes-or-no attribute by its name. A match, since it is asked for every attribute of every widget.
fn flag(name: &str) -> Option<(&'static str, Flags)> {
    Some(match name {
        "checkable" => FLAGS[0],
        "checked" => FLAGS[1],
        "clickable" => FLAGS[2],
        "enabled" => FLAGS[3],
        "focusable" => FLAGS[4],
        "focused" => FLAGS[5],
        "scrollable" => FLAGS[6],
        "long-clickable" => FLAGS[7],
        "password" => FLAGS[8],
        "selected" => FLAGS[9],
        // Page sources have their own word for what is visible.
        "visible-to-user" | "displayed" => EXTRA_FLAGS[0],
        "editable" => EXTRA_FLAGS[1],
        "dismissable" => EXTRA_FLAGS[2],
        "content-invalid" => EXTRA_FLAGS[3],
        _ => return None,
    })
}

/// A widget from its tag. `place` is its position among its siblings, for dumps that do not tell.
pub(super) fn read_widget(tag: &Tag<'_>, place: u32, issues: &mut Issues) -> Widget {
    let (name, at) = match *tag {
        Tag::Open { name, at, .. } | Tag::Close { name, at } | Tag::Text { text: name, at } => (name, at),
    };
    let mut widget = Widget { index: place, ..Widget::default() };
    let (mut seen, mut seen_flags, mut actions) = (0, Flags::empty(), None);
    let mut values = Values::new(tag, issues);
    while let Some(value) = values.next() {
        if let Some((name, flag)) = flag(value.name) {
            let mut bit = u32::from(seen_flags.contains(flag));
            if values.once(&mut bit, 1, &value) {
                seen_flags |= flag;
                widget.flags.set(flag, values.boolean(name, &value));
            }
            continue;
        }
        let bit = match value.name {
            "text" => 1,
            "resource-id" => 1 << 1,
            "class" => CLASS,
            "package" => 1 << 3,
            "content-desc" => 1 << 4,
            "index" => 1 << 5,
            "bounds" => BOUNDS,
            "hint" => 1 << 7,
            "state-description" => 1 << 8,
            "drawing-order" => 1 << 9,
            "input-type" => 1 << 10,
            "actions" => 1 << 11,
            _ => continue,
        };
        if !values.once(&mut seen, bit, &value) {
            continue;
        }
        match value.name {
            "text" => widget.text = Values::text(&value),
            "resource-id" => widget.resource_id = Values::text(&value),
            "class" => widget.class = Values::text(&value),
            "package" => widget.package = Values::text(&value),
            "content-desc" => widget.content_desc = Values::text(&value),
            "index" => {
                let limits = (0, u32::MAX.into());
                widget.index = values::number("index", &value.text, limits, value.at, values.issues) as u32;
            }
            "bounds" => widget.bounds = values.bounds(&value),
            "hint" => widget.hint = Values::text(&value),
            "state-description" => widget.state_desc = Values::text(&value),
            "drawing-order" => widget.drawing_order = values.integer("drawing-order", &value),
            "input-type" => widget.input_type = values.integer("input-type", &value),
            _ => actions = values.actions(&value),
        }
    }
    if seen & CLASS == 0 {
        if is_class(name) {
            widget.class = SmolStr::new(name);
        } else {
            issues.report(at, IssueKind::MissingAttribute("class"));
        }
    }
    if seen & BOUNDS == 0 {
        issues.report(at, IssueKind::MissingAttribute("bounds"));
    }
    widget.flags |= unmentioned_flags(&widget.class, widget.bounds) - seen_flags;
    widget.actions = actions.unwrap_or_else(|| ActionSet::derived(&widget.class, widget.flags));
    widget
}

const CLASS: u32 = 1 << 2;
