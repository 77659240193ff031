//! Finding a recorded widget again on a screen that may have changed.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Bounds, Flags, GuiTree, NodeIx, WindowKind};

/// What is remembered of a widget so that a replay can find it again: its id, its text, its path and its bounds,
/// in that order of trust.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Selector {
    /// The class, which must be equal.
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    pub class: SmolStr,
    /// The resource id, or empty.
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    pub id: SmolStr,
    /// The text, or the content description of a widget without text, or the first text in a row, or empty.
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    pub text: SmolStr,
    /// The sort of window it was in.
    pub window: WindowKind,
    /// The positions among siblings from the window's root down to the widget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
    /// Where it was.
    pub bounds: Bounds,
}

/// Which part of a selector found the widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Id and text both agree.
    IdAndText,
    /// The id agrees, the text does not.
    Id,
    /// The text agrees; there is no id, or it is nowhere and no other widget has the text.
    Text,
    /// Only class and path agree; of a widget with an id that is nowhere also the bounds, and there is no text.
    Path,
    /// Only class and bounds agree.
    Bounds,
}

impl Selector {
    /// Paths of deeper widgets are not recorded: they would cost more than they help.
    const MAX_PATH: usize = 64;

    /// Remembers a widget of a tree.
    pub fn of(tree: &GuiTree, ix: NodeIx) -> Self {
        let widget = tree.widget(ix);
        let mut path: Vec<u32> = tree
            .ancestors(ix)
            .take(Self::MAX_PATH + 1)
            .filter(|&node| tree.node(node).parent.is_some())
            .map(|node| tree.widget(node).index)
            .collect();
        path.reverse();
        Self {
            class: widget.class.clone(),
            id: widget.resource_id.clone(),
            text: label(tree, ix).clone(),
            window: tree.windows()[tree.node(ix).window as usize].kind,
            path: if path.len() > Self::MAX_PATH { Vec::new() } else { path },
            bounds: widget.bounds,
        }
    }

    /// The class without its package: `Button`.
    pub fn short_class(&self) -> &str {
        self.class.rsplit('.').next().unwrap_or(&self.class)
    }

    /// The resource id without its package: `save` for `org.example:id/save`.
    pub fn short_id(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// Finds the widget again, if the screen has it. Among several that agree equally, the one with the recorded
    /// path wins, then the one with the recorded bounds, then the first. An id that is nowhere may have been renamed,
    /// and a widget without one may have got one: then what else is known must leave no doubt.
    pub fn find(&self, tree: &GuiTree) -> Option<(NodeIx, Trust)> {
        self.find_named(tree).or_else(|| self.find_renamed(tree))
    }

    fn of_my_sort(&self, tree: &GuiTree, ix: NodeIx) -> bool {
        tree.widget(ix).class == self.class
            && tree.windows()[tree.node(ix).window as usize].kind == self.window
    }

    fn find_renamed(&self, tree: &GuiTree) -> Option<(NodeIx, Trust)> {
        let has_id = |ix| tree.widget(ix).resource_id == self.id;
        if !self.id.is_empty() && tree.indices().any(has_id) {
            return None;
        }
        let mut alike = tree.indices().filter(|&ix| {
            let same_place = || self.has_path(tree, ix) && tree.widget(ix).bounds == self.bounds;
            self.of_my_sort(tree, ix)
                && *label(tree, ix) == self.text
                && (!self.text.is_empty() || !self.path.is_empty() && same_place())
        });
        let trust = if self.text.is_empty() { Trust::Path } else { Trust::Text };
        let found = alike.next()?;
        alike.next().is_none().then_some((found, trust))
    }

    fn find_named(&self, tree: &GuiTree) -> Option<(NodeIx, Trust)> {
        let mut best: Option<(Trust, bool, bool, NodeIx)> = None;
        for ix in tree.indices() {
            let widget = tree.widget(ix);
            if !self.of_my_sort(tree, ix) {
                continue;
            }
            let same_path = !self.path.is_empty() && self.has_path(tree, ix);
            let same_bounds = widget.bounds == self.bounds;
            let same_text = *label(tree, ix) == self.text;
            let trust = if !self.id.is_empty() {
                match (widget.resource_id == self.id, same_text) {
                    (true, true) => Trust::IdAndText,
                    (true, false) => Trust::Id,
                    (false, _) => continue,
                }
            } else if !widget.resource_id.is_empty() {
                continue;
            } else if !self.text.is_empty() && same_text {
                Trust::Text
            } else if same_path {
                Trust::Path
            } else if same_bounds {
                Trust::Bounds
            } else {
                continue;
            };
            let candidate = (trust, !same_path, !same_bounds, ix);
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        best.map(|(trust, _, _, ix)| (ix, trust))
    }

    fn has_path(&self, tree: &GuiTree, ix: NodeIx) -> bool {
        tree.node(ix).depth as usize == self.path.len()
            && tree
                .ancestors(ix)
                .zip(self.path.iter().rev())
                .all(|(node, &index)| tree.widget(node).index == index)
    }
}

/// What a person would call a widget: its text, its description or, for a row that is tapped as a whole, the first text in
/// it. What scrolls is not called by its content, which changes.
pub(super) fn label(tree: &GuiTree, ix: NodeIx) -> &SmolStr {
    const LOOKED_AT: usize = 16;
    let own = |ix: NodeIx| {
        let widget = tree.widget(ix);
        if widget.text.is_empty() { &widget.content_desc } else { &widget.text }
    };
    let flags = tree.widget(ix).flags;
    let is_row =
        flags.intersects(Flags::CLICKABLE | Flags::LONG_CLICKABLE) && !flags.contains(Flags::SCROLLABLE);
    if !own(ix).is_empty() || !is_row {
        return own(ix);
    }
    let inside = (ix.0..tree.node(ix).end.0).map(NodeIx).take(LOOKED_AT);
    inside.map(own).find(|text| !text.is_empty()).unwrap_or_else(|| own(ix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{TreeBuilder, Widget, Window};

    /// A page of buttons with these ids and texts, one below the other.
    fn page(buttons: &[(&str, &str)]) -> GuiTree {
        let screen = Bounds { left: 0, top: 0, right: 100, bottom: 1000 };
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "Main");
        builder.window(Window::application(screen));
        builder.open(Widget { class: "android.widget.ListView".into(), bounds: screen, ..Widget::default() });
        for (row, (id, text)) in buttons.iter().enumerate() {
            let top = row as i32 * 50;
            builder.leaf(Widget {
                class: "android.widget.Button".into(),
                resource_id: (*id).into(),
                text: (*text).into(),
                index: row as u32,
                bounds: Bounds { left: 0, top, right: 100, bottom: top + 50 },
                ..Widget::default()
            });
        }
        builder.close();
        builder.finish()
    }

    /// Which button is found for the second of three, and by what.
    fn found(recorded: &[(&str, &str)], now: &[(&str, &str)]) -> Option<(u32, Trust)> {
        let before = page(recorded);
        let (ix, trust) = Selector::of(&before, NodeIx(2)).find(&page(now))?;
        Some((ix.0 - 1, trust))
    }

    #[test]
    fn a_widget_is_found_by_id_then_text_then_path_and_bounds() {
        let named = [("a", "One"), ("b", "Two"), ("c", "Three")];
        assert_eq!(found(&named, &named), Some((1, Trust::IdAndText)));
        assert_eq!(found(&named, &[("b", "Two"), ("a", "One")]), Some((0, Trust::IdAndText)), "it moved");
        assert_eq!(
            found(&named, &[("a", "Two"), ("x", "One"), ("b", "2")]),
            Some((2, Trust::Id)),
            "the id counts more"
        );
        // An id that is nowhere was renamed, if the text leaves no doubt.
        assert_eq!(found(&named, &[("a", "One"), ("new", "Two")]), Some((1, Trust::Text)));
        assert_eq!(found(&named, &[("x", "Two"), ("y", "Two")]), None, "two have the text");
        assert_eq!(found(&named, &[("a", "One"), ("x", "Other")]), None, "nothing but the place agrees");
        // Without a text, only what is at the same place.
        let pictures = [("a", ""), ("b", ""), ("c", "")];
        assert_eq!(found(&pictures, &[("a", ""), ("new", ""), ("c", "")]), Some((1, Trust::Path)));
        assert_eq!(found(&pictures, &[("a", "")]), None);
        // Without an id.
        let texts = [("", "One"), ("", "Two"), ("", "Three")];
        assert_eq!(found(&texts, &[("", "Two"), ("", "One")]), Some((0, Trust::Text)));
        assert_eq!(found(&texts, &[("", "One"), ("", "2")]), Some((1, Trust::Path)));
        assert_eq!(found(&texts, &[("", "One"), ("b", "Two")]), Some((1, Trust::Text)), "it got an id");
    }
}
