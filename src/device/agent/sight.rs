//! What an agent shows, in the words of the engine: a wire tree becomes a GUI tree.

use std::sync::Arc;

use smol_str::SmolStr;

use super::tree::{WireNode, WireTree, WireWindow};
use super::values::Malformed;
use crate::gui::tree::WidgetPool;
use crate::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, TreeBuilder, Widget, Window, WindowKind};

/// Flags of a node on the wire and what they are here; the rest has no counterpart.
pub const FLAGS: [(u64, Flags); 14] = [
    (1, Flags::CHECKABLE),
    (1 << 1, Flags::CHECKED),
    (1 << 2, Flags::CLICKABLE),
    (1 << 3, Flags::LONG_CLICKABLE),
    (1 << 4, Flags::FOCUSABLE),
    (1 << 5, Flags::FOCUSED),
    (1 << 6, Flags::ENABLED),
    (1 << 7, Flags::SCROLLABLE),
    (1 << 8, Flags::PASSWORD),
    (1 << 9, Flags::SELECTED),
    (1 << 10, Flags::EDITABLE),
    (1 << 11, Flags::VISIBLE),
    (1 << 13, Flags::DISMISSABLE),
    (1 << 19, Flags::CONTENT_INVALID),
];

/// Android's ids of the actions that name a direction.
pub mod scroll {
    /// `ACTION_SCROLL_UP`.
    pub const UP: u32 = 0x0102_0038;
    /// `ACTION_SCROLL_LEFT`.
    pub const LEFT: u32 = 0x0102_0039;
    /// `ACTION_SCROLL_DOWN`.
    pub const DOWN: u32 = 0x0102_003a;
    /// `ACTION_SCROLL_RIGHT`.
    pub const RIGHT: u32 = 0x0102_003b;
}

/// `ACTION_SET_TEXT`.
const SET_TEXT: u64 = 1 << 21;
const SCROLL_FORWARD: u64 = 1 << 12;
const SCROLL_BACKWARD: u64 = 1 << 13;
const APPLICATION: u8 = 1;
const INPUT_METHOD: u8 = 2;
const FOCUSED: u64 = 2;
/// The title that Android gives to the window of a toast.
const TOAST: &str = "Toast";
/// Apps of the system that ask for permissions stand over the app in a window of their own.
const ASKS_FOR_PERMISSION: [&str; 3] = [
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
];

/// A screen as the agent last showed it, and how its numbers and ours belong together.
#[derive(Clone, Debug)]
pub struct Sight {
    /// What is on the screen.
    pub tree: Arc<GuiTree>,
    /// The agent's number of the tree.
    pub id: u64,
    /// The agent's hash of it.
    pub hash: u64,
    /// How the screen is turned.
    pub rotation: u8,
    /// What the agent had to leave out, in words.
    pub cuts: Vec<&'static str>,
    /// For each window from the lowest: its id, its first node on the wire, its first node here, how many there are.
    spans: Vec<(i32, u32, u32, u32)>,
}

impl Sight {
    /// Reads a tree from the wire.
    pub fn read(bytes: &[u8], hash: u64, pool: &mut WidgetPool) -> Result<Self, Malformed> {
        let wire = WireTree::read(bytes)?;
        Ok(Self::of(&wire, hash, pool))
    }

    fn of(wire: &WireTree, hash: u64, pool: &mut WidgetPool) -> Self {
        let mut starts = Vec::with_capacity(wire.windows.len());
        let mut next = 0;
        for window in &wire.windows {
            starts.push(next);
            next += window.nodes;
        }
        let activity = owned(wire, wire.activity);
        let mut builder = TreeBuilder::new(pool, activity);
        let mut spans = Vec::with_capacity(wire.windows.len());
        let mut here = 0;
        for (number, (window, &start)) in wire.windows.iter().zip(&starts).enumerate().rev() {
            let nodes = &wire.nodes[start as usize..(start + window.nodes) as usize];
            builder.window(shown(wire, number, window, nodes.first()));
            put(wire, nodes, &mut builder);
            spans.push((window.id, start, here, window.nodes));
            here += window.nodes;
        }
        let cuts = CUTS.iter().filter(|(bit, _)| wire.flags & bit != 0).map(|&(_, text)| text).collect();
        let tree = Arc::new(builder.finish());
        Self { tree, id: wire.id, hash, rotation: wire.rotation, cuts, spans }
    }

    /// Our index of a node of the wire.
    pub fn node(&self, wire: u32) -> Option<NodeIx> {
        self.spans
            .iter()
            .find(|&&(_, start, _, count)| wire >= start && wire - start < count)
            .map(|&(_, start, here, _)| NodeIx(wire - start + here))
    }

    /// The wire's index of a node of ours.
    pub fn wire_node(&self, node: NodeIx) -> Option<u32> {
        self.spans
            .iter()
            .find(|&&(_, _, here, count)| node.0 >= here && node.0 - here < count)
            .map(|&(_, start, here, _)| node.0 - here + start)
    }

    /// The position of a window, by its id on the wire.
    pub fn window(&self, id: i32) -> Option<u32> {
        self.spans.iter().position(|&(known, ..)| known == id).map(|at| at as u32)
    }
}

const CUTS: [(u64, &str); 6] = [
    (1, "the screen has more nodes than were read"),
    (2, "the screen is nested deeper than was read"),
    (4, "strings of the screen were cut"),
    (8, "a window could not be read"),
    (16, "only the active window could be read"),
    (32, "widgets vanished while they were read"),
];

fn owned(wire: &WireTree, reference: u32) -> SmolStr {
    match reference.checked_sub(1).and_then(|at| wire.strings.get(at as usize)) {
        Some(text) => text.clone(),
        None => SmolStr::default(),
    }
}

fn shown(wire: &WireTree, number: usize, window: &WireWindow, root: Option<&WireNode>) -> Window {
    let kind = kind(wire, number, window, root);
    let asks = kind == WindowKind::System && window.kind == APPLICATION;
    Window {
        kind,
        layer: window.layer,
        focused: window.flags & FOCUSED != 0,
        title: owned(wire, window.title),
        bounds: window.bounds,
        modal: asks || matches!(kind, WindowKind::Dialog | WindowKind::Popup),
        root: None,
    }
}

/// Android calls an activity, its dialogs and its menus all "application". The lowest is the activity; what does not
/// fill the screen above it is a dialog, or a popup if its root is a list or a popup's frame.
fn kind(wire: &WireTree, number: usize, window: &WireWindow, root: Option<&WireNode>) -> WindowKind {
    match window.kind {
        APPLICATION => {}
        INPUT_METHOD => return WindowKind::InputMethod,
        _ => return WindowKind::System,
    }
    if wire.string(window.title) == TOAST {
        return WindowKind::Toast;
    }
    if root.is_some_and(|root| ASKS_FOR_PERMISSION.contains(&wire.string(root.package))) {
        return WindowKind::System;
    }
    let lowest = wire.windows[number + 1..].iter().all(|below| below.kind != APPLICATION);
    let whole = Bounds::new(0, 0, wire.width as i32, wire.height as i32);
    let fills = window.bounds.left <= whole.left
        && window.bounds.top <= whole.top
        && window.bounds.right >= whole.right
        && window.bounds.bottom >= whole.bottom;
    if lowest || fills {
        return WindowKind::Application;
    }
    let class = root.map_or("", |root| wire.string(root.class));
    let popup = class.ends_with("ListView")
        || class.contains("Popup")
        || class.contains("DropDown")
        || wire.string(window.title).contains("Popup");
    if popup { WindowKind::Popup } else { WindowKind::Dialog }
}

fn put(wire: &WireTree, nodes: &[WireNode], builder: &mut TreeBuilder<'_>) {
    // For each open node: children still to come, children so far, its package.
    let mut open: Vec<(u32, u32, SmolStr)> = Vec::with_capacity(16);
    for node in nodes {
        while let Some((0, ..)) = open.last() {
            open.pop();
            builder.close();
        }
        let (index, package) = match open.last_mut() {
            Some((left, so_far, package)) => {
                *left -= 1;
                *so_far += 1;
                (*so_far - 1, package.clone())
            }
            None => (0, SmolStr::default()),
        };
        let package =
            if node.has & super::tree::has::PACKAGE == 0 { package } else { owned(wire, node.package) };
        if node.children == 0 {
            builder.leaf(widget(wire, node, index, package));
        } else {
            builder.open(widget(wire, node, index, package.clone()));
            open.push((node.children, 0, package));
        }
    }
}

fn widget(wire: &WireTree, node: &WireNode, index: u32, package: SmolStr) -> Widget {
    let [id, text, description, hint, state, ..] = node.refs;
    let class = owned(wire, node.class);
    let flags: Flags = FLAGS
        .iter()
        .filter(|(bit, _)| node.flags & bit != 0)
        .fold(Flags::empty(), |all, &(_, flag)| all | flag);
    Widget {
        actions: actions(node, &class, flags),
        class,
        package,
        resource_id: owned(wire, id),
        text: owned(wire, text),
        content_desc: owned(wire, description),
        hint: owned(wire, hint),
        state_desc: owned(wire, state),
        index,
        bounds: node.bounds,
        flags,
        drawing_order: node.drawing_order,
        input_type: node.input_type as i32,
    }
}

/// What can be done to a widget. A list at its top names only the way down, beside the general way forward; both ways are
/// taken then, so that scrolling does not change the widget's name. Like Android, nothing can be done to a disabled widget.
fn actions(node: &WireNode, class: &str, flags: Flags) -> ActionSet {
    if !flags.contains(Flags::ENABLED) {
        return ActionSet::empty();
    }
    let mut actions = ActionSet::derived(class, flags);
    if node.actions & SET_TEXT != 0 {
        actions |= ActionSet::TEXT;
    }
    let scrolls = node.actions & (SCROLL_FORWARD | SCROLL_BACKWARD) != 0;
    let named = node.more.iter().fold(ActionSet::empty(), |all, &(action, _)| {
        all | match action {
            scroll::UP | scroll::DOWN if scrolls => ActionSet::SCROLL_VERTICAL,
            scroll::LEFT | scroll::RIGHT if scrolls => ActionSet::SCROLL_HORIZONTAL,
            scroll::UP => ActionSet::SCROLL_UP,
            scroll::DOWN => ActionSet::SCROLL_DOWN,
            scroll::LEFT => ActionSet::SCROLL_LEFT,
            scroll::RIGHT => ActionSet::SCROLL_RIGHT,
            _ => ActionSet::empty(),
        }
    });
    if flags.contains(Flags::SCROLLABLE) && !named.is_empty() {
        actions -= ActionSet::SCROLL_VERTICAL | ActionSet::SCROLL_HORIZONTAL;
        actions |= named;
    }
    actions
}
