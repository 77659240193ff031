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
    /// The text agrees; there is no id.
    Text,
    /// Only class and path agree.
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
    /// path wins, then the one with the recorded bounds, then the first.
    pub fn find(&self, tree: &GuiTree) -> Option<(NodeIx, Trust)> {
        let mut best: Option<(Trust, bool, bool, NodeIx)> = None;
        for ix in tree.indices() {
            let widget = tree.widget(ix);
            if widget.class != self.class || tree.windows()[tree.node(ix).window as usize].kind != self.window
            {
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
