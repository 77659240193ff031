//! Where a finger lands, as the wire counts windows and nodes.

use siamang::device::agent::request::Primitive;
use siamang::gui::tree::Hit;
use siamang::gui::{Flags, GuiTree, NodeIx, Point};

pub fn touched(primitive: &Primitive) -> Option<Point> {
    match primitive {
        Primitive::Tap { x, y } | Primitive::LongTap { x, y, .. } | Primitive::Pinch { x, y, .. } => {
            Some(Point { x: *x, y: *y })
        }
        Primitive::Swipe { points, .. } => points.first().map(|&(x, y)| Point { x, y }),
        _ => None,
    }
}

/// The deepest visible node at a point: primitive, window, node + 1, as they stand on the wire.
pub fn deepest(tree: &GuiTree, primitive: u32, point: Point) -> (u32, i32, u32) {
    let (Hit::Window(window) | Hit::Widget(window, _)) = tree.hit(point, Flags::empty()) else {
        return (primitive, -1, 0);
    };
    let root = tree.windows()[window as usize].root;
    let Some(mut at) = root.filter(|&root| tree.widget(root).bounds.contains(point)) else {
        return (primitive, window as i32, 0);
    };
    while let Some(child) = tree
        .children(at)
        .filter(|&child| tree.widget(child).bounds.contains(point))
        .max_by_key(|&child| (tree.widget(child).drawing_order, child))
    {
        at = child;
    }
    (primitive, window as i32, wire_index(tree, at).0 + 1)
}

/// The wire has the windows topmost first.
pub fn wire_index(tree: &GuiTree, node: NodeIx) -> NodeIx {
    let window = tree.node(node).window;
    let above: u32 = count_above(tree, window);
    let first = tree.windows()[window as usize].root.map_or(0, |root| root.0);
    NodeIx(above + node.0 - first)
}

pub fn count_above(tree: &GuiTree, window: u32) -> u32 {
    tree.nodes().iter().filter(|node| node.window > window).count() as u32
}

pub fn here(tree: &GuiTree, wire: NodeIx) -> Option<NodeIx> {
    tree.indices().find(|&node| wire_index(tree, node) == wire)
}

/// A point where a text reaches the field.
pub fn point_of(tree: &GuiTree, field: NodeIx) -> Option<Point> {
    let bounds = tree.widget(field).bounds;
    let center = bounds.center();
    let corner = |x: i32, y: i32| Point { x: x.midpoint(center.x), y: y.midpoint(center.y) };
    [
        center,
        corner(bounds.left, bounds.top),
        corner(bounds.right, bounds.bottom),
        corner(bounds.left, bounds.bottom),
    ]
    .into_iter()
    .find(|&at| matches!(tree.hit(at, Flags::EDITABLE), Hit::Widget(_, hit) if hit == field))
}
