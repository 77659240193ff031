//! The attributes of a tree's widgets as numbers, so that names are made without touching a string.

use std::borrow::Cow;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::hash_numbers;
use super::path::{Actions, ENABLED_BIT, Element};
use super::reducer::Reducer;
use crate::gui::{ActionSet, Flags, GuiTree, NodeIx, Widget, WindowKind};

/// What counts as a widget's appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// Texts are cut after this many characters.
    pub max_chars: Option<usize>,
    /// Texts longer than this do not count at all.
    pub drop_longer_than: Option<usize>,
    /// What was typed into a field does not count; its hint does.
    pub typed_text: TypedText,
    /// Whether it is checked or selected counts.
    pub marks: bool,
    /// A widget that can be acted on and shows nothing itself looks like the first text inside it, as a row of a list
    /// does to its reader.
    pub borrowed: bool,
}

/// Whether the text that was typed into a field is part of its appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedText {
    /// It is.
    Counts,
    /// It is not; the field's hint is.
    IsMasked,
}

/// So many widgets inside another are looked at for a text.
const LOOK_INSIDE: usize = 8;

impl Default for Appearance {
    fn default() -> Self {
        Self {
            max_chars: None,
            drop_longer_than: None,
            typed_text: TypedText::IsMasked,
            marks: true,
            borrowed: false,
        }
    }
}

impl Appearance {
    /// The appearance of a widget in its place, in words.
    pub fn of_node(self, tree: &GuiTree, node: NodeIx) -> Cow<'_, str> {
        let own = self.of(tree.widget(node));
        let actions = tree.widget(node).actions;
        let tapped = actions.intersects(ActionSet::TAP | ActionSet::LONG_TAP);
        let scrolls = actions.intersects(ActionSet::SCROLL_VERTICAL | ActionSet::SCROLL_HORIZONTAL);
        if !self.borrowed || !own.is_empty() || !tapped || scrolls {
            return own;
        }
        let inside = (node.0 + 1..tree.node(node).end.0).take(LOOK_INSIDE).map(NodeIx);
        let shown = inside
            .map(|inside| tree.widget(inside))
            .find(|widget| widget.actions.is_empty() && !widget.text.is_empty());
        shown.map_or(own, |widget| self.of(widget))
    }

    /// The appearance of a widget in words.
    pub fn of(self, widget: &Widget) -> Cow<'_, str> {
        let masked = self.typed_text == TypedText::IsMasked && widget.flags.contains(Flags::EDITABLE);
        let mut text: &str = if masked { &widget.hint } else { &widget.text };
        if let Some(max) = self.max_chars
            && let Some((end, _)) = text.char_indices().nth(max)
        {
            text = &text[..end];
        }
        if self.drop_longer_than.is_some_and(|max| text.chars().count() > max) {
            text = "";
        }
        let marks =
            if self.marks { widget.flags & (Flags::CHECKED | Flags::SELECTED) } else { Flags::empty() };
        let state = if self.marks { widget.state_desc.as_str() } else { "" };
        if widget.content_desc.is_empty() && state.is_empty() && marks.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut words = vec![text];
        words.extend([widget.content_desc.as_str(), state].into_iter().filter(|word| !word.is_empty()));
        words.extend(marks.contains(Flags::CHECKED).then_some("checked"));
        words.extend(marks.contains(Flags::SELECTED).then_some("selected"));
        Cow::Owned(words.join(" | "))
    }
}

/// A tree's widgets as numbers.
#[derive(Debug)]
pub struct Digest {
    /// One for each node of the arena.
    pub(crate) locals: Vec<Local>,
    /// The activity and the windows that count.
    pub(crate) context: u64,
    /// The ancestors of all widgets as numbers, by what is kept of each; made when they are asked for.
    above: OnceLock<Box<Above>>,
}

/// One list for each set of primitives.
type Above = [OnceLock<Vec<u64>>; Reducer::all().bits() as usize + 1];

/// One widget's own attributes as numbers.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) class: u64,
    pub(crate) id: u64,
    pub(crate) text: u64,
    /// The appearance without its numbers.
    pub(crate) words: u64,
    /// The appearance without whether it is checked or selected.
    pub(crate) bare: u64,
    pub(crate) index: u32,
    /// The node above, or `u32::MAX`.
    above: u32,
    /// What can be done to it and whether it is enabled: always part of its name.
    pub(crate) patch: u16,
    /// It belongs to a window that counts.
    pub(crate) counts: bool,
    pub(crate) actionable: bool,
    /// What it is and what it says; where it has neither a text nor an id, also where it is.
    pub(crate) kind: u64,
}

impl Local {
    pub(crate) fn parent(&self) -> Option<usize> {
        (self.above != u32::MAX).then_some(self.above as usize)
    }
}

impl Digest {
    /// Reads a tree. Toasts, the keyboard and windows that a modal window covers do not count.
    pub fn of(tree: &GuiTree, appearance: Appearance) -> Self {
        let counting = counting_windows(tree);
        let mut context = Vec::with_capacity(tree.activity().len() + 8);
        context.extend_from_slice(tree.activity().as_bytes());
        for (window, counts) in tree.windows().iter().zip(&counting) {
            if *counts {
                context.extend_from_slice(&[0, window.kind as u8]);
            }
        }
        let activity = xxh3_64(tree.activity().as_bytes());
        let nothing = xxh3_64(b"");
        let bare = Appearance { marks: false, ..appearance };
        let is_marked = |widget: &Widget| {
            widget.flags.intersects(Flags::CHECKED | Flags::SELECTED) || !widget.state_desc.is_empty()
        };
        let locals = tree
            .nodes()
            .iter()
            .enumerate()
            .map(|(ix, node)| {
                let widget = &node.widget;
                let place = NodeIx(ix as u32);
                let shown = appearance.of_node(tree, place);
                let text = xxh3_64(shown.as_bytes());
                let words =
                    if has_numbers(&shown) { xxh3_64(without_numbers(&shown).as_bytes()) } else { text };
                // A borrowed text may be that of a marked widget inside: it counts as it is.
                let bare =
                    if is_marked(widget) { xxh3_64(bare.of_node(tree, place).as_bytes()) } else { text };
                let class = xxh3_64(widget.class.as_bytes());
                let id = xxh3_64(widget.resource_id.as_bytes());
                let patch = patch(widget);
                let is_bare = bare == nothing && id == nothing;
                let place = if is_bare { activity } else { 0 };
                Local {
                    class,
                    id,
                    text,
                    words,
                    bare,
                    index: widget.index,
                    above: node.parent.map_or(u32::MAX, |parent| parent.0),
                    patch,
                    counts: counting[node.window as usize],
                    actionable: widget.is_actionable(),
                    kind: hash_numbers(&[class, id, bare, u64::from(patch), place]),
                }
            })
            .collect();
        Self { locals, context: xxh3_64(&context), above: OnceLock::new() }
    }

    pub(crate) fn above_all(&self, kept: Reducer, make: impl FnOnce() -> Vec<u64>) -> &[u64] {
        let above = self.above.get_or_init(|| Box::new(std::array::from_fn(|_| OnceLock::new())));
        above[kept.bits() as usize].get_or_init(make)
    }
}

pub(crate) fn has_numbers(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A text without its digits.
pub(crate) fn without_numbers(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// What decides a widget's possible actions, as one number.
fn patch(widget: &Widget) -> u16 {
    let enabled = if widget.flags.contains(Flags::ENABLED) { ENABLED_BIT } else { 0 };
    widget.actions.bits() | enabled
}

/// Which windows count: no toast, no keyboard, and nothing that a modal window covers.
pub(super) fn counting_windows(tree: &GuiTree) -> Vec<bool> {
    let mut counting = vec![false; tree.windows().len()];
    for (ix, window) in tree.windows().iter().enumerate().rev() {
        if matches!(window.kind, WindowKind::Toast | WindowKind::InputMethod) {
            continue;
        }
        counting[ix] = true;
        if window.modal {
            break;
        }
    }
    counting
}

/// What a reducer keeps of a widget's own attributes, in words.
pub(crate) fn element(tree: &GuiTree, node: NodeIx, reducer: Reducer, appearance: Appearance) -> Element {
    let widget = tree.widget(node);
    let class = reducer.contains(Reducer::CLASS);
    Element {
        class: class.then(|| widget.class.clone()),
        id: class.then(|| widget.resource_id.clone()),
        index: reducer.contains(Reducer::INDEX).then_some(widget.index),
        text: reducer.contains(Reducer::TEXT).then(|| appearance.of_node(tree, node).into()),
        words: (reducer.contains(Reducer::WORDS) && !reducer.contains(Reducer::TEXT))
            .then(|| without_numbers(&appearance.of_node(tree, node)).into()),
        actions: None,
        interactive: None,
    }
}

/// A widget's possible actions as part of a selector.
pub(crate) fn patch_of(tree: &GuiTree, node: NodeIx) -> Actions {
    Actions(patch(tree.widget(node)))
}
