//! Which widgets a finger can reach, and where it has to come down.

mod topmost;

use topmost::{Top, topmost};

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

/// In a tree of so few widgets each point is looked up by itself: the sweep pays off for larger ones.
const FEW: usize = 64;

impl Reach {
    /// Everything that can be done to the widgets of a tree, in arena order: widgets behind another window, behind
    /// another widget or on the keyboard are left out.
    pub fn all(tree: &GuiTree) -> Vec<Self> {
        if tree.nodes().len() <= FEW { all_one_by_one(tree) } else { all_at_once(tree) }
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

/// What could be done to the widgets of a tree if nothing lay above them: a widget, an action, and where it is shown.
fn wishes(tree: &GuiTree) -> impl Iterator<Item = (NodeIx, ActionKind, Bounds)> + '_ {
    let shown = |node: NodeIx| {
        let window = &tree.windows()[tree.node(node).window as usize];
        let touched = !matches!(window.kind, WindowKind::InputMethod | WindowKind::Toast);
        let shown = tree.widget(node).bounds.intersect(window.bounds);
        (touched && tree.widget(node).is_actionable() && !shown.is_empty()).then_some((node, shown))
    };
    tree.indices().filter_map(shown).flat_map(|(node, shown)| {
        let actions = tree.widget(node).actions;
        let kinds = KINDS.into_iter().filter(move |(flag, _)| actions.contains(*flag));
        kinds.map(move |(_, kind)| (node, kind, shown))
    })
}

fn all_one_by_one(tree: &GuiTree) -> Vec<Reach> {
    let reach = |(node, kind, shown)| {
        let mut points = touch_points(kind, shown).into_iter();
        let at = points.find(|&point| arrives(tree, node, kind, tree.hit(point, reacting(kind))))?;
        Some(Reach { node, kind, at })
    };
    wishes(tree).filter_map(reach).collect()
}

/// The same, in time that is nearly linear in the number of widgets.
fn all_at_once(tree: &GuiTree) -> Vec<Reach> {
    let wishes: Vec<_> = wishes(tree).collect();
    let reacting_above = ReactingAbove::of(tree);
    let mut found: Vec<Option<Reach>> = vec![None; wishes.len()];
    // Where the first point of a widget is covered, the next is tried.
    for round in 0..TRIES {
        let open: Vec<usize> = (0..wishes.len()).filter(|&ix| found[ix].is_none()).collect();
        if open.is_empty() {
            break;
        }
        let point = |&ix: &usize| touch_points(wishes[ix].1, wishes[ix].2)[round];
        let points: Vec<Point> = open.iter().map(point).collect();
        for ((ix, at), top) in open.into_iter().zip(&points).zip(topmost(tree, &points)) {
            let (node, kind, _) = wishes[ix];
            let hit = reacting_above.hit(tree, top, reacting(kind));
            found[ix] = arrives(tree, node, kind, hit).then_some(Reach { node, kind, at: *at });
        }
    }
    found.into_iter().flatten().collect()
}

/// For each widget the nearest one, itself or above it, that reacts, by the flag that a touch looks for.
struct ReactingAbove(Vec<[Option<NodeIx>; REACTIONS.len()]>);

const REACTIONS: [Flags; 4] = [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::EDITABLE, Flags::SCROLLABLE];

impl ReactingAbove {
    fn of(tree: &GuiTree) -> Self {
        let mut above: Vec<[Option<NodeIx>; REACTIONS.len()]> = Vec::with_capacity(tree.nodes().len());
        for (ix, node) in tree.indices().zip(tree.nodes()) {
            let mut nearest = node.parent.map_or([None; REACTIONS.len()], |parent| above[parent.0 as usize]);
            for (nearest, flag) in nearest.iter_mut().zip(REACTIONS) {
                if node.widget.flags.intersects(flag) {
                    *nearest = Some(ix);
                }
            }
            above.push(nearest);
        }
        Self(above)
    }

    /// What [`GuiTree::hit`] says of a point whose topmost widget is known.
    fn hit(&self, tree: &GuiTree, top: Option<Top>, reacts: Flags) -> Hit {
        let Some(Top { window, node }) = top else { return Hit::Nothing };
        let reaction = REACTIONS.iter().position(|&flag| flag == reacts);
        let nearest = node.zip(reaction).and_then(|(node, reaction)| self.0[node.0 as usize][reaction]);
        match nearest {
            Some(node) if tree.widget(node).flags.contains(Flags::ENABLED) => Hit::Widget(window, node),
            Some(_) | None => Hit::Window(window),
        }
    }
}

/// How many points of a widget are tried.
const TRIES: usize = 4;

fn touch_points(kind: ActionKind, shown: Bounds) -> [Point; TRIES] {
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
    points.map(|(x, y)| Point { x, y })
}

/// A touch that reached this arrives at the widget it was meant for.
fn arrives(tree: &GuiTree, node: NodeIx, kind: ActionKind, hit: Hit) -> bool {
    match hit {
        Hit::Widget(_, hit) => hit == node,
        // A device that reports an action without its flag cannot be asked more closely.
        Hit::Window(window) => {
            window == tree.node(node).window && !tree.widget(node).flags.intersects(reacting(kind))
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
    use proptest::prelude::*;

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

    /// Bounds on a small screen, so that many widgets overlap; some are empty or reach beyond it.
    fn any_bounds() -> impl proptest::strategy::Strategy<Value = Bounds> {
        (-2..14i32, -2..14i32, -1..12i32, -1..12i32)
            .prop_map(|(left, top, width, height)| Bounds::new(left, top, left + width, top + height))
    }

    fn any_widget() -> impl proptest::strategy::Strategy<Value = Widget> {
        (any_bounds(), any::<u16>(), any::<u16>(), 0..3i32).prop_map(
            |(bounds, flags, actions, drawing_order)| Widget {
                bounds,
                flags: Flags::from_bits_truncate(flags),
                actions: ActionSet::from_bits_truncate(actions),
                drawing_order,
                ..Widget::default()
            },
        )
    }

    /// What is built next: a window, or a widget after so many closings.
    #[derive(Clone, Debug)]
    enum Part {
        Window(WindowKind, bool, Bounds),
        Widget(usize, Widget),
    }

    fn any_part() -> impl proptest::strategy::Strategy<Value = Part> {
        let kinds = [
            WindowKind::Application,
            WindowKind::Dialog,
            WindowKind::Popup,
            WindowKind::InputMethod,
            WindowKind::Toast,
            WindowKind::System,
        ];
        prop_oneof![
            1 => (0..kinds.len(), any::<bool>(), any_bounds())
                .prop_map(move |(kind, modal, bounds)| Part::Window(kinds[kind], modal, bounds)),
            9 => (0..3usize, any_widget()).prop_map(|(closings, widget)| Part::Widget(closings, widget)),
        ]
    }

    fn build(parts: Vec<Part>) -> GuiTree {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        for part in parts {
            match part {
                Part::Window(kind, modal, bounds) => {
                    builder.window(Window { kind, modal, ..Window::application(bounds) });
                }
                Part::Widget(closings, widget) => {
                    for _ in 0..closings {
                        builder.close();
                    }
                    builder.open(widget);
                }
            }
        }
        builder.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_sweep_finds_what_a_finger_finds(parts in proptest::collection::vec(any_part(), 0..60)) {
            let tree = build(parts);
            prop_assert_eq!(all_at_once(&tree), all_one_by_one(&tree));
            let everywhere: Vec<Point> =
                (-3..27).flat_map(|x| (-3..27).map(move |y| Point { x, y })).collect();
            let above = ReactingAbove::of(&tree);
            for (point, top) in everywhere.iter().zip(topmost(&tree, &everywhere)) {
                for reacts in REACTIONS {
                    prop_assert_eq!(above.hit(&tree, top, reacts), tree.hit(*point, reacts));
                }
            }
        }
    }
}
