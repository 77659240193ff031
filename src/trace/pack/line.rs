//! The lines of the pack on disk, format 1.
//!
//! An `n` line is a subtree: a widget and the numbers of its children, which are earlier `n` lines of the frame, counted
//! from 0. A widget is written out once a frame and then referred to by its number. A `t` line is a tree: its windows, and the
//! numbers of the subtrees in each.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::gui::{ActionSet, Bounds, Flags, Widget, Window, WindowKind};
use crate::ids::TreeHash;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum PackLine {
    #[serde(rename = "n")]
    Node(NodeLine),
    #[serde(rename = "t")]
    Tree(TreeLine),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NodeLine {
    #[serde(rename = "w")]
    pub(super) widget: WidgetRef,
    #[serde(rename = "k", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum WidgetRef {
    Known(u32),
    New(WidgetLine),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WidgetLine {
    #[serde(rename = "c", default, skip_serializing_if = "SmolStr::is_empty")]
    class: SmolStr,
    #[serde(rename = "p", default, skip_serializing_if = "SmolStr::is_empty")]
    package: SmolStr,
    #[serde(rename = "i", default, skip_serializing_if = "SmolStr::is_empty")]
    id: SmolStr,
    #[serde(rename = "t", default, skip_serializing_if = "SmolStr::is_empty")]
    text: SmolStr,
    #[serde(rename = "d", default, skip_serializing_if = "SmolStr::is_empty")]
    content_desc: SmolStr,
    #[serde(rename = "h", default, skip_serializing_if = "SmolStr::is_empty")]
    hint: SmolStr,
    #[serde(rename = "s", default, skip_serializing_if = "SmolStr::is_empty")]
    state_desc: SmolStr,
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    index: u32,
    #[serde(rename = "b", default, skip_serializing_if = "is_zero")]
    bounds: [i32; 4],
    #[serde(rename = "f", default, skip_serializing_if = "is_zero")]
    flags: u16,
    #[serde(rename = "a", default, skip_serializing_if = "is_zero")]
    actions: u16,
    #[serde(rename = "o", default, skip_serializing_if = "is_zero")]
    drawing_order: i32,
    #[serde(rename = "y", default, skip_serializing_if = "is_zero")]
    input_type: i32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TreeLine {
    #[serde(rename = "h")]
    pub(super) hash: TreeHash,
    #[serde(rename = "a", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) activity: SmolStr,
    #[serde(rename = "w", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) windows: Vec<WindowLine>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WindowLine {
    #[serde(rename = "k")]
    kind: WindowWord,
    #[serde(rename = "l", default, skip_serializing_if = "is_zero")]
    layer: i32,
    #[serde(rename = "f", default, skip_serializing_if = "is_zero")]
    focused: bool,
    #[serde(rename = "m", default, skip_serializing_if = "is_zero")]
    modal: bool,
    #[serde(rename = "t", default, skip_serializing_if = "SmolStr::is_empty")]
    title: SmolStr,
    #[serde(rename = "b")]
    bounds: [i32; 4],
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) roots: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WindowWord {
    Application,
    Dialog,
    Popup,
    InputMethod,
    Toast,
    System,
}

impl From<&Widget> for WidgetLine {
    fn from(widget: &Widget) -> Self {
        Self {
            class: widget.class.clone(),
            package: widget.package.clone(),
            id: widget.resource_id.clone(),
            text: widget.text.clone(),
            content_desc: widget.content_desc.clone(),
            hint: widget.hint.clone(),
            state_desc: widget.state_desc.clone(),
            index: widget.index,
            bounds: edges(widget.bounds),
            flags: widget.flags.bits(),
            actions: widget.actions.bits(),
            drawing_order: widget.drawing_order,
            input_type: widget.input_type,
        }
    }
}

impl From<WidgetLine> for Widget {
    fn from(line: WidgetLine) -> Self {
        Self {
            class: line.class,
            package: line.package,
            resource_id: line.id,
            text: line.text,
            content_desc: line.content_desc,
            hint: line.hint,
            state_desc: line.state_desc,
            index: line.index,
            bounds: bounds(line.bounds),
            flags: Flags::from_bits_retain(line.flags),
            actions: ActionSet::from_bits_retain(line.actions),
            drawing_order: line.drawing_order,
            input_type: line.input_type,
        }
    }
}

impl From<&Window> for WindowLine {
    fn from(window: &Window) -> Self {
        Self {
            kind: match window.kind {
                WindowKind::Application => WindowWord::Application,
                WindowKind::Dialog => WindowWord::Dialog,
                WindowKind::Popup => WindowWord::Popup,
                WindowKind::InputMethod => WindowWord::InputMethod,
                WindowKind::Toast => WindowWord::Toast,
                WindowKind::System => WindowWord::System,
            },
            layer: window.layer,
            focused: window.focused,
            modal: window.modal,
            title: window.title.clone(),
            bounds: edges(window.bounds),
            roots: Vec::new(),
        }
    }
}

impl From<&WindowLine> for Window {
    fn from(line: &WindowLine) -> Self {
        Self {
            kind: match line.kind {
                WindowWord::Application => WindowKind::Application,
                WindowWord::Dialog => WindowKind::Dialog,
                WindowWord::Popup => WindowKind::Popup,
                WindowWord::InputMethod => WindowKind::InputMethod,
                WindowWord::Toast => WindowKind::Toast,
                WindowWord::System => WindowKind::System,
            },
            layer: line.layer,
            focused: line.focused,
            modal: line.modal,
            title: line.title.clone(),
            bounds: bounds(line.bounds),
            root: None,
        }
    }
}

fn edges(bounds: Bounds) -> [i32; 4] {
    [bounds.left, bounds.top, bounds.right, bounds.bottom]
}

fn bounds([left, top, right, bottom]: [i32; 4]) -> Bounds {
    Bounds { left, top, right, bottom }
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
