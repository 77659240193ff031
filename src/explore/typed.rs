//! Whether a text arrived in its field: keyboards, masks and length limits change what is typed.

use crate::action::Input;
use crate::gui::tree::Hit;
use crate::gui::{Flags, GuiTree, NodeIx, Point, Widget};

/// What a field holds after a text was typed into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reread {
    /// The text.
    Arrived,
    /// Something else.
    Other {
        /// What the field is called.
        field: String,
        /// What it holds.
        holds: String,
    },
    /// The field is gone, or does not show what it holds.
    Unknown,
}

/// Longer texts are cut where they are told.
const TOLD_CHARS: usize = 40;

impl Reread {
    /// Looks at the field that an input typed into again. `node` is the field in the tree before.
    pub fn of(input: &Input, before: &GuiTree, node: NodeIx, after: &GuiTree) -> Self {
        let Input::Text { at, text } = input else { return Self::Unknown };
        let field = before.widget(node);
        if before.activity() != after.activity() || field.flags.contains(Flags::PASSWORD) {
            return Self::Unknown;
        }
        let Some(found) = find(after, field, *at) else { return Self::Unknown };
        let holds = &after.widget(found).text;
        if holds == text {
            return Self::Arrived;
        }
        let names = [field.hint.as_str(), field.content_desc.as_str(), field.short_id(), "a field"];
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        Self::Other { field: name.to_owned(), holds: holds.to_string() }
    }

    /// The warning that a text did not arrive.
    pub fn warning(&self, input: &Input) -> Option<String> {
        let (Self::Other { field, holds }, Input::Text { text, .. }) = (self, input) else { return None };
        let cut = |text: &str| {
            let more = if text.chars().nth(TOLD_CHARS).is_some() { "…" } else { "" };
            text.chars().take(TOLD_CHARS).collect::<String>() + more
        };
        Some(format!("`{}` holds {:?} after {:?} was typed", cut(field), cut(holds), cut(text)))
    }
}

/// The field in another tree: the only one that is called so, else the one at the same place.
fn find(tree: &GuiTree, field: &Widget, at: Point) -> Option<NodeIx> {
    let is_same = |&ix: &NodeIx| {
        let widget = tree.widget(ix);
        widget.flags.contains(Flags::EDITABLE)
            && widget.resource_id == field.resource_id
            && widget.class == field.class
            && widget.hint == field.hint
    };
    let mut same = tree.indices().filter(is_same);
    match (same.next(), same.next()) {
        (Some(only), None) => Some(only),
        (None, _) => None,
        _ => match tree.hit(at, Flags::EDITABLE) {
            Hit::Widget(_, node) => Some(node).filter(is_same),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{Bounds, TreeBuilder, Window};

    const BOUNDS: Bounds = Bounds::new(0, 0, 100, 100);

    /// A screen with a field that holds a text.
    fn screen(activity: &str, holds: &str, flags: Flags) -> GuiTree {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        builder.window(Window::application(BOUNDS));
        builder.leaf(Widget {
            bounds: BOUNDS,
            hint: "Title".into(),
            text: holds.into(),
            flags: flags | Flags::EDITABLE | Flags::ENABLED | Flags::VISIBLE,
            ..Widget::default()
        });
        builder.finish()
    }

    fn reread(after: &GuiTree, flags: Flags) -> (Reread, Input) {
        let input = Input::Text { at: Point { x: 50, y: 50 }, text: "hello".to_owned() };
        let before = screen("Edit", "", flags);
        (Reread::of(&input, &before, NodeIx(0), after), input)
    }

    #[test]
    fn a_text_that_arrived_is_no_news_and_one_that_did_not_is_a_warning() {
        let none = Flags::empty();
        let (arrived, input) = reread(&screen("Edit", "hello", none), none);
        assert_eq!((arrived.warning(&input), arrived), (None, Reread::Arrived));
        let (cut, input) = reread(&screen("Edit", "hel", none), none);
        let told = cut.warning(&input);
        assert_eq!(told.as_deref(), Some("`Title` holds \"hel\" after \"hello\" was typed"));
    }

    #[test]
    fn what_a_field_holds_is_not_told_where_it_cannot_be_seen() {
        let none = Flags::empty();
        assert_eq!(reread(&screen("Other", "hel", none), none).0, Reread::Unknown);
        assert_eq!(reread(&GuiTree::empty(), none).0, Reread::Unknown);
        assert_eq!(reread(&screen("Edit", "•••••", Flags::PASSWORD), Flags::PASSWORD).0, Reread::Unknown);
    }
}
