//! The arena that holds one GUI tree.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Bounds, Flags, Opener, Point, Widget};
use crate::ids::TreeHash;

/// What a device shows at one moment: windows and widgets with their attributes (APE II-B).
///
/// The widgets lie in one arena in the order in which they would be read aloud: a parent comes directly before
/// its first child, and the subtree of a node is the range from the node to its [`Node::end`]. Nothing in here is
/// recursive, so that no depth of nesting can exhaust the stack. Equal widgets are one shared value, and a tree
/// has a content hash that is equal on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuiTree {
    activity: SmolStr,
    rotation: Rotation,
    windows: Vec<Window>,
    nodes: Vec<Node>,
    hash: TreeHash,
    opener: Opener,
}

/// How the screen is turned, in quarter turns from the device's natural position, where a dump says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rotation(u8);

impl Rotation {
    /// Full turns are dropped.
    pub fn quarters(quarters: u8) -> Self {
        Self(quarters % 4)
    }

    /// 0 to 3.
    pub fn get(self) -> u8 {
        self.0
    }
}

/// A position in the arena of one tree. It means nothing in another tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeIx(pub u32);

/// One widget in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its attributes.
    pub widget: Arc<Widget>,
    /// The node above it, unless it is the root of a window.
    pub parent: Option<NodeIx>,
    /// One past the last node of its subtree.
    pub end: NodeIx,
    /// How many nodes lie above it in its window.
    pub depth: u32,
    /// The window it belongs to, as an index into [`GuiTree::windows`].
    pub window: u32,
    /// The hash of the whole subtree.
    pub subtree: u64,
}

/// What sort of window it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowKind {
    /// An activity's window.
    Application,
    /// A dialog over an activity.
    Dialog,
    /// A menu, a spinner's choices or another short-lived popup.
    Popup,
    /// The keyboard.
    InputMethod,
    /// A toast: seen, but never touched.
    Toast,
    /// A window of the system, such as a permission dialog or an ANR dialog.
    System,
}

/// One window: its place in the order of windows and the widgets in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// What sort of window it is.
    pub kind: WindowKind,
    /// Its height in the stack of windows: a higher layer is nearer to the finger.
    pub layer: i32,
    /// It receives keys.
    pub focused: bool,
    /// Its title, or empty.
    pub title: SmolStr,
    /// Where it is on the screen.
    pub bounds: Bounds,
    /// Touches outside its bounds are swallowed and do not reach the windows below it.
    pub modal: bool,
    /// Its first node, unless it has none.
    pub root: Option<NodeIx>,
}

impl GuiTree {
    /// A tree without any window: what is seen when the app is not running.
    pub fn empty() -> Self {
        TreeBuilder::new(&mut WidgetPool::default(), "").finish()
    }

    /// The resumed activity's class, or empty.
    pub fn activity(&self) -> &SmolStr {
        &self.activity
    }

    /// How the screen is turned.
    pub fn rotation(&self) -> Rotation {
        self.rotation
    }

    /// The windows, lowest layer first.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// All nodes in arena order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The content hash of the whole tree.
    pub fn hash(&self) -> TreeHash {
        self.hash
    }

    /// What opened that which lies over the activity, where it was seen. A device does not tell it, and it is no part of
    /// the content.
    pub fn opener(&self) -> Opener {
        self.opener
    }

    /// The same screen, opened by this.
    #[must_use]
    pub fn opened_by(&self, opener: Opener) -> Self {
        Self { opener, ..self.clone() }
    }

    /// What tells this screen apart for who also knows what opened it: the content hash, and the opener where there is one.
    pub fn identity(&self) -> TreeHash {
        self.identity_if(self.opener)
    }

    /// The identity that it would have with this opener.
    pub fn identity_if(&self, opener: Opener) -> TreeHash {
        match opener {
            Opener::UNKNOWN => self.hash,
            opener => TreeHash(xxh3_64_with_seed(&self.hash.0.to_le_bytes(), opener.number())),
        }
    }

    /// One node.
    pub fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.0 as usize]
    }

    /// One node's attributes.
    pub fn widget(&self, ix: NodeIx) -> &Arc<Widget> {
        &self.node(ix).widget
    }

    /// All positions in arena order.
    pub fn indices(&self) -> impl Iterator<Item = NodeIx> + use<> {
        (0..self.nodes.len() as u32).map(NodeIx)
    }

    /// The children of a node, first to last.
    pub fn children(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        let end = self.node(ix).end;
        let mut next = NodeIx(ix.0 + 1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.node(child).end;
                child
            })
        })
    }

    /// The nodes from a node up to the root of its window.
    pub fn ancestors(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        std::iter::successors(Some(ix), move |&at| self.node(at).parent)
    }

    /// The window that receives keys, or the topmost one that could.
    pub fn focused_window(&self) -> Option<&Window> {
        self.windows
            .iter()
            .rev()
            .find(|window| window.focused)
            .or_else(|| self.windows.iter().rev().find(|window| window.kind != WindowKind::Toast))
    }

    /// The package of the window that receives keys.
    pub fn foreground_package(&self) -> Option<&SmolStr> {
        self.focused_window()
            .and_then(|window| window.root)
            .map(|root| &self.widget(root).package)
            .filter(|package| !package.is_empty())
    }

    /// The widget that a touch at this point reaches, as on a phone: in the topmost window the touch belongs to the widget
    /// painted last of those that consume touches of any sort or that `react`; what does neither lets it through, to its
    /// parent or to what lies below. From there upwards it is the first that `reacts`; a disabled one swallows the touch.
    pub fn hit(&self, point: Point, reacts: Flags) -> Hit {
        let Some((window_ix, window)) = self.touched_window(point) else { return Hit::Nothing };
        let Some(root) = window.root else { return Hit::Window(window_ix) };
        let mut top = None;
        let mut at = root;
        while at < self.node(root).end {
            let widget = self.widget(at);
            if !widget.bounds.contains(point) {
                at = self.node(at).end;
                continue;
            }
            if widget.flags.intersects(Flags::CONSUMING | reacts) {
                top = Some(top.map_or(at, |below| self.painted_last(below, at)));
            }
            at = NodeIx(at.0 + 1);
        }
        match top.and_then(|top| self.ancestors(top).find(|&node| self.widget(node).flags.intersects(reacts)))
        {
            Some(node) if self.widget(node).flags.contains(Flags::ENABLED) => Hit::Widget(window_ix, node),
            Some(_) | None => Hit::Window(window_ix),
        }
    }

    /// Which of two widgets of a window lies above the other: a child above its parent, else by the drawing order of the
    /// siblings they hang from. `second` comes later in the arena.
    fn painted_last(&self, first: NodeIx, second: NodeIx) -> NodeIx {
        if second < self.node(first).end {
            return second;
        }
        let (mut left, mut right) = (first, second);
        loop {
            let (above_left, above_right) = (self.node(left).parent, self.node(right).parent);
            match self.node(left).depth.cmp(&self.node(right).depth) {
                Ordering::Equal if above_left == above_right => break,
                Ordering::Less => right = above_right.unwrap_or(right),
                Ordering::Greater => left = above_left.unwrap_or(left),
                Ordering::Equal => {
                    left = above_left.unwrap_or(left);
                    right = above_right.unwrap_or(right);
                }
            }
        }
        let order = |node| self.widget(node).drawing_order;
        if order(left) > order(right) { first } else { second }
    }

    fn touched_window(&self, point: Point) -> Option<(u32, &Window)> {
        for (ix, window) in self.windows.iter().enumerate().rev() {
            if window.kind == WindowKind::Toast {
                continue;
            }
            if window.bounds.contains(point) {
                return Some((ix as u32, window));
            }
            if window.modal {
                return None;
            }
        }
        None
    }
}

/// What a touch reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// No window, or the space outside a modal one.
    Nothing,
    /// A window, but no widget that reacts.
    Window(u32),
    /// A widget of a window.
    Widget(u32, NodeIx),
}

/// Interns widgets while trees are built: equal widgets become one shared value.
#[derive(Debug, Default)]
pub struct WidgetPool {
    widgets: FxHashMap<u64, Arc<Widget>>,
    scratch: Vec<u8>,
}

impl WidgetPool {
    /// Beyond this many widgets the pool starts afresh, so that an app whose texts never repeat cannot fill the
    /// memory. Trees already built keep what they use.
    const MAX_WIDGETS: usize = 1 << 16;

    fn intern(&mut self, widget: Widget) -> (Arc<Widget>, u64) {
        let hash = widget.content_hash(&mut self.scratch);
        if let Some(known) = self.widgets.get(&hash)
            && **known == widget
        {
            return (Arc::clone(known), hash);
        }
        if self.widgets.len() >= Self::MAX_WIDGETS {
            self.widgets.clear();
        }
        let shared = Arc::new(widget);
        self.widgets.insert(hash, Arc::clone(&shared));
        (shared, hash)
    }

    /// Interns a widget that is already shared, without copying it.
    fn intern_shared(&mut self, widget: &Arc<Widget>) -> (Arc<Widget>, u64) {
        let hash = widget.content_hash(&mut self.scratch);
        let known = self.widgets.entry(hash).or_insert_with(|| Arc::clone(widget));
        (Arc::clone(if **known == **widget { known } else { widget }), hash)
    }
}

/// Builds a tree from the outside in: a window, then its widgets, each opened before its children and closed after
/// them. What is left open is closed by [`TreeBuilder::finish`].
#[derive(Debug)]
pub struct TreeBuilder<'pool> {
    pool: &'pool mut WidgetPool,
    activity: SmolStr,
    rotation: Rotation,
    windows: Vec<Window>,
    nodes: Vec<Node>,
    open: Vec<OpenNode>,
    /// Subtree hashes of the closed children of all open nodes, innermost last.
    closed: Vec<u64>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct OpenNode {
    ix: NodeIx,
    hash: u64,
    first_closed: usize,
}

impl<'pool> TreeBuilder<'pool> {
    /// Starts a tree that shows an activity.
    pub fn new(pool: &'pool mut WidgetPool, activity: impl Into<SmolStr>) -> Self {
        Self {
            pool,
            activity: activity.into(),
            rotation: Rotation::default(),
            windows: Vec::with_capacity(4),
            nodes: Vec::with_capacity(64),
            open: Vec::with_capacity(16),
            closed: Vec::with_capacity(64),
            bytes: Vec::with_capacity(128),
        }
    }

    /// Says how the screen is turned.
    pub fn rotation(&mut self, rotation: Rotation) {
        self.rotation = rotation;
    }

    /// Opens the next window; windows come lowest layer first. Its `root` is set by the first node opened.
    pub fn window(&mut self, window: Window) {
        self.close_all();
        self.windows.push(Window { root: None, ..window });
    }

    /// Opens a widget in the current window, below the widget that is open.
    pub fn open(&mut self, widget: Widget) -> NodeIx {
        let (widget, hash) = self.pool.intern(widget);
        self.push(widget, hash)
    }

    /// Opens a widget that another tree already has.
    pub fn open_shared(&mut self, widget: &Arc<Widget>) -> NodeIx {
        let (widget, hash) = self.pool.intern_shared(widget);
        self.push(widget, hash)
    }

    fn push(&mut self, widget: Arc<Widget>, hash: u64) -> NodeIx {
        if self.windows.is_empty() {
            self.windows.push(Window::application(widget.bounds));
        }
        let ix = NodeIx(self.nodes.len() as u32);
        let window = self.windows.len() as u32 - 1;
        let parent = self.open.last().map(|open| open.ix);
        if parent.is_none() {
            let window = &mut self.windows[window as usize];
            if window.root.is_none() {
                window.root = Some(ix);
            }
        }
        let node = Node { widget, parent, end: ix, depth: self.open.len() as u32, window, subtree: 0 };
        self.nodes.push(node);
        self.open.push(OpenNode { ix, hash, first_closed: self.closed.len() });
        ix
    }

    /// Closes the widget opened last.
    pub fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let end = NodeIx(self.nodes.len() as u32);
        let subtree = if self.closed.len() == open.first_closed {
            open.hash
        } else {
            self.bytes.clear();
            self.bytes.extend_from_slice(&open.hash.to_le_bytes());
            for child in &self.closed[open.first_closed..] {
                self.bytes.extend_from_slice(&child.to_le_bytes());
            }
            xxh3_64(&self.bytes)
        };
        self.closed.truncate(open.first_closed);
        self.closed.push(subtree);
        let node = &mut self.nodes[open.ix.0 as usize];
        node.end = end;
        node.subtree = subtree;
    }

    /// Opens and closes a widget without children.
    pub fn leaf(&mut self, widget: Widget) -> NodeIx {
        let ix = self.open(widget);
        self.close();
        ix
    }

    /// How many nodes there are so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// There is no node yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn close_all(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
        self.closed.clear();
    }

    /// Closes what is open and gives the tree its hash.
    pub fn finish(mut self) -> GuiTree {
        self.close_all();
        let bytes = &mut self.bytes;
        bytes.clear();
        bytes.extend_from_slice(self.activity.as_bytes());
        for window in &self.windows {
            window.write_hash_bytes(bytes);
        }
        let mut root = 0;
        while let Some(node) = self.nodes.get(root) {
            bytes.extend_from_slice(&node.window.to_le_bytes());
            bytes.extend_from_slice(&node.subtree.to_le_bytes());
            root = node.end.0 as usize;
        }
        let hash = TreeHash(xxh3_64(bytes));
        let Self { activity, rotation, windows, nodes, .. } = self;
        GuiTree { activity, rotation, windows, nodes, hash, opener: Opener::UNKNOWN }
    }
}

impl Window {
    /// An activity's window: focused, at the bottom of the stack.
    pub fn application(bounds: Bounds) -> Self {
        Self {
            kind: WindowKind::Application,
            layer: 0,
            focused: true,
            title: SmolStr::default(),
            bounds,
            modal: false,
            root: None,
        }
    }

    fn write_hash_bytes(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.kind as u32).to_le_bytes());
        bytes.extend_from_slice(&self.layer.to_le_bytes());
        bytes.push(u8::from(self.focused) | u8::from(self.modal) << 1);
        for edge in [self.bounds.left, self.bounds.top, self.bounds.right, self.bounds.bottom] {
            bytes.extend_from_slice(&edge.to_le_bytes());
        }
        bytes.extend_from_slice(&(self.title.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.title.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widget(text: &str, bounds: Bounds, flags: Flags) -> Widget {
        Widget { text: text.into(), bounds, flags: flags | Flags::ENABLED, ..Widget::default() }
    }

    fn two_rows(second: &str) -> GuiTree {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "Main");
        builder.open(widget("", Bounds::new(0, 0, 100, 100), Flags::empty()));
        builder.leaf(widget("first", Bounds::new(0, 0, 100, 50), Flags::CLICKABLE));
        builder.leaf(widget(second, Bounds::new(0, 50, 100, 100), Flags::CLICKABLE));
        builder.finish()
    }

    #[test]
    fn equal_content_gives_equal_hashes_and_a_changed_text_does_not() {
        assert_eq!(two_rows("second").hash(), two_rows("second").hash());
        assert_ne!(two_rows("second").hash(), two_rows("third").hash());
    }

    #[test]
    fn a_tap_reaches_the_widget_below_the_finger() {
        let tree = two_rows("second");
        assert_eq!(tree.hit(Point { x: 5, y: 60 }, Flags::CLICKABLE), Hit::Widget(0, NodeIx(2)));
        assert_eq!(tree.hit(Point { x: 500, y: 60 }, Flags::CLICKABLE), Hit::Nothing);
        assert_eq!(tree.hit(Point { x: 5, y: 60 }, Flags::LONG_CLICKABLE), Hit::Window(0));
    }

    #[test]
    fn what_does_not_react_lets_a_touch_through_to_the_sibling_below_it() {
        let all = Bounds::new(0, 0, 100, 100);
        let tree = |cover: Flags, order: i32| {
            let mut pool = WidgetPool::default();
            let mut builder = TreeBuilder::new(&mut pool, "Main");
            builder.open(widget("", all, Flags::empty()));
            builder.open(widget("panel", all, Flags::empty()));
            builder.leaf(widget("button", all, Flags::CLICKABLE));
            builder.close();
            builder.leaf(Widget { drawing_order: order, ..widget("cover", all, cover) });
            builder.finish()
        };
        let tap = |tree: &GuiTree| tree.hit(Point { x: 5, y: 5 }, Flags::CLICKABLE);
        assert_eq!(tap(&tree(Flags::empty(), 1)), Hit::Widget(0, NodeIx(2)), "a label over a button");
        assert_eq!(tap(&tree(Flags::CLICKABLE, 1)), Hit::Widget(0, NodeIx(3)), "a button over a button");
        assert_eq!(tap(&tree(Flags::CLICKABLE, -1)), Hit::Widget(0, NodeIx(2)), "a button drawn earlier");
        assert_eq!(tap(&tree(Flags::SCROLLABLE, 1)), Hit::Window(0), "a list over a button takes the touch");
        assert_eq!(tap(&tree(Flags::LONG_CLICKABLE, 1)), Hit::Window(0), "whatever it does with it");
    }

    #[test]
    fn a_modal_window_swallows_touches_outside_it_and_a_toast_lets_them_through() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "Main");
        let all = Bounds::new(0, 0, 100, 100);
        builder.window(Window::application(all));
        builder.leaf(widget("below", all, Flags::CLICKABLE));
        let toast = Bounds::new(0, 0, 100, 20);
        builder.window(Window { kind: WindowKind::Toast, layer: 2, ..Window::application(toast) });
        builder.leaf(widget("saved", toast, Flags::empty()));
        let tree = builder.finish();
        assert_eq!(tree.hit(Point { x: 5, y: 5 }, Flags::CLICKABLE), Hit::Widget(0, NodeIx(0)));

        let mut builder = TreeBuilder::new(&mut pool, "Main");
        builder.window(Window::application(all));
        builder.leaf(widget("below", all, Flags::CLICKABLE));
        let dialog = Bounds::new(20, 20, 80, 80);
        builder.window(Window {
            kind: WindowKind::Dialog,
            layer: 1,
            modal: true,
            ..Window::application(dialog)
        });
        builder.leaf(widget("ok", dialog, Flags::CLICKABLE));
        let tree = builder.finish();
        assert_eq!(tree.hit(Point { x: 5, y: 5 }, Flags::CLICKABLE), Hit::Nothing);
        assert_eq!(tree.hit(Point { x: 50, y: 50 }, Flags::CLICKABLE), Hit::Widget(1, NodeIx(1)));
    }

    #[test]
    fn children_and_ancestors_follow_the_arena() {
        let tree = two_rows("second");
        assert_eq!(tree.children(NodeIx(0)).collect::<Vec<_>>(), [NodeIx(1), NodeIx(2)]);
        assert_eq!(tree.ancestors(NodeIx(2)).collect::<Vec<_>>(), [NodeIx(2), NodeIx(0)]);
        assert_eq!(tree.node(NodeIx(0)).end, NodeIx(3));
    }
}
