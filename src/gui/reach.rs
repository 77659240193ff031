//! Which widgets a finger can reach, and where it has to come down.

use super::tree::Hit;
use super::{ActionSet, Bounds, Flags, GuiTree, NodeIx, Point, WindowKind};
use crate::action::{ActionKind, Input};

/// One action that one widget of a tree accepts now, at a point where the touch really arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The widget.
    pub node: NodeIx,
    /// What can be done to it.
    pub kind: ActionKind,
    /// Where the finger comes down.
    pub at: Point,
}

const KINDS: [(ActionSet, ActionKind); 9] = [
    (ActionSet::TAP, ActionKind::Tap),
    (ActionSet::LONG_TAP, ActionKind::LongTap),
    (ActionSet::SCROLL_DOWN, ActionKind::ScrollDown),
    (ActionSet::SCROLL_UP, ActionKind::ScrollUp),
    (ActionSet::SCROLL_RIGHT, ActionKind::ScrollRight),
    (ActionSet::SCROLL_LEFT, ActionKind::ScrollLeft),
    (ActionSet::TEXT, ActionKind::Text),
    (ActionSet::PINCH, ActionKind::PinchOpen),
    (ActionSet::PINCH, ActionKind::PinchClose),
];

impl Reach {
    /// Everything that can be done to the widgets of a tree, in arena order: widgets behind another window, behind
    /// another widget or on the keyboard are left out.
    pub fn all(tree: &GuiTree) -> Vec<Self> {
        let mut found = Vec::new();
        for node in tree.indices() {
            let widget = tree.widget(node);
            if !widget.is_actionable() {
                continue;
            }
            let window = &tree.windows()[tree.node(node).window as usize];
            if matches!(window.kind, WindowKind::InputMethod | WindowKind::Toast) {
                continue;
            }
            let shown = widget.bounds.intersect(window.bounds);
            if shown.is_empty() {
                continue;
            }
            for (flag, kind) in KINDS {
                if widget.actions.contains(flag)
                    && let Some(at) = touch_point(tree, node, kind, shown)
                {
                    found.push(Self { node, kind, at });
                }
            }
        }
        found
    }

    /// An action of the phone makes sense for a tree: ENTER needs a field that has the focus.
    pub fn is_offered(tree: &GuiTree, kind: ActionKind) -> bool {
        let in_focus = Flags::EDITABLE | Flags::FOCUSED;
        kind != ActionKind::Enter || tree.nodes().iter().any(|node| node.widget.flags.contains(in_focus))
    }

    /// The concrete input. `text` is what a field gets.
    pub fn input(&self, tree: &GuiTree, text: String) -> Input {
        let at = self.at;
        match self.kind {
            ActionKind::LongTap => Input::LongTap(at),
            ActionKind::Text => Input::Text { at, text },
            ActionKind::PinchOpen => Input::Pinch { center: at, open: true },
            ActionKind::PinchClose => Input::Pinch { center: at, open: false },
            ActionKind::ScrollDown
            | ActionKind::ScrollUp
            | ActionKind::ScrollLeft
            | ActionKind::ScrollRight => {
                let node = tree.node(self.node);
                let window = &tree.windows()[node.window as usize];
                Input::Swipe {
                    from: at,
                    to: swipe_end(at, node.widget.bounds.intersect(window.bounds), self.kind),
                }
            }
            _ => Input::Tap(at),
        }
    }
}

/// The flag of a widget that an action's touch looks for; a pinch looks for none.
fn reacting(kind: ActionKind) -> Flags {
    match kind {
        ActionKind::Tap => Flags::CLICKABLE,
        ActionKind::LongTap => Flags::LONG_CLICKABLE,
        ActionKind::Text => Flags::EDITABLE,
        ActionKind::PinchOpen | ActionKind::PinchClose => Flags::empty(),
        _ => Flags::SCROLLABLE,
    }
}

fn touch_point(tree: &GuiTree, node: NodeIx, kind: ActionKind, shown: Bounds) -> Option<Point> {
    let center = shown.center();
    let (left, right) = (shown.left.midpoint(center.x), center.x.midpoint(shown.right));
    let (top, bottom) = (shown.top.midpoint(center.y), center.y.midpoint(shown.bottom));
    let points = match kind {
        ActionKind::ScrollDown => [(center.x, bottom), (left, bottom), (right, bottom), (center.x, center.y)],
        ActionKind::ScrollUp => [(center.x, top), (left, top), (right, top), (center.x, center.y)],
        ActionKind::ScrollRight => [(right, center.y), (right, top), (right, bottom), (center.x, center.y)],
        ActionKind::ScrollLeft => [(left, center.y), (left, top), (left, bottom), (center.x, center.y)],
        _ => [(center.x, center.y), (left, top), (right, bottom), (left, bottom)],
    };
    points.map(|(x, y)| Point { x, y }).into_iter().find(|&point| arrives(tree, node, kind, point))
}

fn arrives(tree: &GuiTree, node: NodeIx, kind: ActionKind, point: Point) -> bool {
    let reacts = reacting(kind);
    match tree.hit(point, reacts) {
        Hit::Widget(_, hit) => hit == node,
        // A device that reports an action without its flag cannot be asked more closely.
        Hit::Window(window) => {
            window == tree.node(node).window && !tree.widget(node).flags.intersects(reacts)
        }
        Hit::Nothing => false,
    }
}

fn swipe_end(from: Point, area: Bounds, kind: ActionKind) -> Point {
    let (dx, dy) = (area.width() / 2, area.height() / 2);
    match kind {
        ActionKind::ScrollDown => Point { x: from.x, y: (from.y - dy).max(area.top) },
        ActionKind::ScrollUp => Point { x: from.x, y: (from.y + dy).min(area.bottom - 1) },
        ActionKind::ScrollRight => Point { x: (from.x - dx).max(area.left), y: from.y },
        _ => Point { x: (from.x + dx).min(area.right - 1), y: from.y },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{TreeBuilder, Widget, Window};

    fn button(bounds: Bounds) -> Widget {
        Widget {
            bounds,
            flags: Flags::ENABLED | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        }
    }

    #[test]
    fn a_button_behind_a_modal_dialog_is_out_of_reach() {
        let screen = Bounds::new(0, 0, 100, 100);
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        builder.window(Window::application(screen));
        builder.leaf(button(Bounds::new(0, 0, 10, 10)));
        let dialog = Bounds::new(20, 20, 80, 80);
        builder.window(Window { kind: WindowKind::Dialog, modal: true, ..Window::application(dialog) });
        builder.leaf(button(dialog));
        let reach = Reach::all(&builder.finish());
        assert_eq!(reach.iter().map(|reach| reach.node).collect::<Vec<_>>(), [NodeIx(1)]);
    }

    #[test]
    fn a_parent_whose_middle_is_covered_is_touched_beside_its_child() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        builder.open(button(Bounds::new(0, 0, 100, 100)));
        builder.leaf(button(Bounds::new(40, 40, 60, 60)));
        let reach = Reach::all(&builder.finish());
        assert_eq!(reach[0].at, Point { x: 25, y: 25 });
        assert_eq!(reach[1].at, Point { x: 50, y: 50 });
    }

    #[test]
    fn scrolling_down_moves_the_finger_up() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        builder.leaf(Widget {
            bounds: Bounds::new(0, 0, 100, 100),
            flags: Flags::ENABLED | Flags::SCROLLABLE,
            actions: ActionSet::SCROLL_DOWN,
            ..Widget::default()
        });
        let tree = builder.finish();
        let reach = Reach::all(&tree);
        let Input::Swipe { from, to } = reach[0].input(&tree, String::new()) else { panic!("no swipe") };
        assert!(from.y > to.y);
    }
}
