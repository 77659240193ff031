//! What opened the dialog or the menu that lies over an activity. The screen itself does not tell: a question that is
//! always asked in the same words looks the same, whatever asked it.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::selector::label;
use super::tree::Hit;
use super::{Flags, GuiTree, NodeIx, WindowKind};
use crate::action::Input;

/// What a person would call the thing that was done when something came over an activity, as a number that is equal on
/// every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opener(u64);

impl Opener {
    /// Nothing lies over the activity, or nobody saw how it came there.
    pub const UNKNOWN: Self = Self(0);
    /// The bit that tells an activity that lies below from something that was done.
    const BELOW: u64 = 1;

    /// Its number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// What an input does to a screen.
    pub fn of(before: &GuiTree, input: &Input) -> Self {
        let reacts = match input {
            Input::Tap(_) => Flags::CLICKABLE,
            Input::LongTap(_) => Flags::LONG_CLICKABLE,
            Input::Text { .. } => Flags::EDITABLE,
            Input::Swipe { .. } => Flags::SCROLLABLE,
            _ => Flags::empty(),
        };
        let what = match input {
            Input::Tap(_) => "tap".to_owned(),
            Input::LongTap(_) => "long tap".to_owned(),
            Input::Swipe { .. } => "swipe".to_owned(),
            Input::Pinch { .. } => "pinch".to_owned(),
            Input::Text { .. } => "text".to_owned(),
            Input::Wait(_) => "wait".to_owned(),
            other => format!("{other:?}"),
        };
        let hit = input.point().map(|point| before.hit(point, reacts));
        let on = match hit {
            Some(Hit::Widget(_, node)) => described(before, node),
            _ => String::new(),
        };
        Self((xxh3_64(format!("{what}\n{on}").as_bytes()) & !Self::BELOW).max(2))
    }

    /// What lies below an activity with nothing over it.
    pub fn below(activity: &str) -> Self {
        Self(xxh3_64(activity.as_bytes()) | Self::BELOW)
    }

    /// It tells what lies below.
    pub fn is_below(self) -> bool {
        self.0 & Self::BELOW != 0
    }

    /// What opened that which lies over a screen: what was done when the activity was last seen with nothing over it.
    pub fn after(before: &GuiTree, input: &Input, after: &GuiTree) -> Self {
        match (is_covered(before), is_covered(after)) {
            (_, false) => Self::UNKNOWN,
            (true, true) if before.activity() == after.activity() => before.opener(),
            _ => Self::of(before, input),
        }
    }
}

/// A screen that came after an input, together with what opened that which lies over it.
pub fn opened(before: &GuiTree, input: &Input, after: &Arc<GuiTree>) -> Arc<GuiTree> {
    let opener = Opener::after(before, input, after);
    if opener == after.opener() { Arc::clone(after) } else { Arc::new(after.opened_by(opener)) }
}

/// A dialog, a menu or a question of the system lies over the activity.
pub fn is_covered(tree: &GuiTree) -> bool {
    tree.windows().iter().any(|window| is_over(window.kind))
}

/// Among these windows is one that lies over an activity.
pub fn covers(windows: &[WindowKind]) -> bool {
    windows.iter().copied().any(is_over)
}

fn is_over(kind: WindowKind) -> bool {
    matches!(kind, WindowKind::Dialog | WindowKind::Popup | WindowKind::System)
}

/// A widget by its class and its id; by its text only where others share the id.
fn described(tree: &GuiTree, node: NodeIx) -> String {
    let widget = tree.widget(node);
    let id = &widget.resource_id;
    let is_own =
        !id.is_empty() && tree.nodes().iter().filter(|one| one.widget.resource_id == *id).count() == 1;
    let text = if is_own { "" } else { label(tree, node).as_str() };
    format!("{}\n{id}\n{text}", widget.class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{Bounds, Point, TreeBuilder, Widget, Window};

    const SCREEN: Bounds = Bounds { left: 0, top: 0, right: 100, bottom: 100 };

    /// Two buttons of one id, and perhaps a question over them.
    fn screen(activity: &str, over: Option<&str>) -> Arc<GuiTree> {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        let button = |text: &str, bounds: Bounds| Widget {
            text: text.into(),
            resource_id: "row".into(),
            flags: Flags::ENABLED | Flags::CLICKABLE,
            bounds,
            ..Widget::default()
        };
        builder.window(Window::application(SCREEN));
        builder.leaf(button("left", Bounds::new(0, 0, 50, 100)));
        builder.leaf(button("right", Bounds::new(50, 0, 100, 100)));
        if let Some(text) = over {
            builder.window(Window { kind: WindowKind::Dialog, modal: true, ..Window::application(SCREEN) });
            builder.leaf(button(text, SCREEN));
        }
        Arc::new(builder.finish())
    }

    #[test]
    fn a_question_is_told_apart_by_the_widget_that_asks_it() {
        let (page, question) = (screen("Main", None), screen("Main", Some("sure?")));
        let left = opened(&page, &Input::Tap(Point { x: 10, y: 10 }), &question);
        let left_again = opened(&page, &Input::Tap(Point { x: 20, y: 50 }), &question);
        let right = opened(&page, &Input::Tap(Point { x: 90, y: 10 }), &question);
        assert_eq!(left.hash(), right.hash(), "the screens look the same");
        assert_eq!(left.identity(), left_again.identity());
        assert_ne!(left.identity(), right.identity());
        assert_ne!(left.identity(), left.hash());
    }

    #[test]
    fn what_opened_the_first_of_several_questions_is_remembered_until_all_are_gone() {
        let (page, question, sure) =
            (screen("Main", None), screen("Main", Some("one?")), screen("Main", Some("two?")));
        let tap = Input::Tap(Point { x: 10, y: 10 });
        let first = opened(&page, &tap, &question);
        let second = opened(&first, &tap, &sure);
        assert_eq!(second.opener(), first.opener());
        assert_eq!(opened(&second, &tap, &page).opener(), Opener::UNKNOWN);
        let elsewhere = opened(&first, &tap, &screen("Other", Some("one?")));
        assert_ne!(
            elsewhere.opener(),
            first.opener(),
            "another activity was opened by the question's button"
        );
    }
}
