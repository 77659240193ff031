//! What lies on top at many points at once.
//!
//! A touch belongs to the widget painted last among all that consume touches and whose bounds, cut off at their ancestors'
//! bounds, hold the point. So one sweep over the screen from top to bottom answers all points: time grows with widgets and
//! points, not with their product.

use std::collections::BinaryHeap;

use crate::gui::{Bounds, Flags, GuiTree, NodeIx, Point, WindowKind};

/// What lies on top at a point: a window, and in it the widget that a touch belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Top {
    pub(super) window: u32,
    pub(super) node: Option<NodeIx>,
}

/// The topmost widget that consumes touches at each point, in the order of the points.
pub(super) fn topmost(tree: &GuiTree, points: &[Point]) -> Vec<Option<Top>> {
    let painted = paint(tree);
    let mut columns: Vec<i32> = points.iter().map(|point| point.x).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut by_top: Vec<u32> = (0..painted.len() as u32).collect();
    by_top.sort_by_key(|&ix| painted[ix as usize].0.top);
    let mut by_y: Vec<usize> = (0..points.len()).collect();
    by_y.sort_by_key(|&ix| points[ix].y);
    let mut sweep = Sweep::new(columns.len());
    let mut found = vec![None; points.len()];
    let mut due = by_top.into_iter().peekable();
    for ix in by_y {
        let point = points[ix];
        while let Some(order) = due.next_if(|&order| painted[order as usize].0.top <= point.y) {
            let bounds = painted[order as usize].0;
            let from = columns.partition_point(|&x| x < bounds.left);
            let to = columns.partition_point(|&x| x < bounds.right);
            sweep.insert(from, to, order, bounds.bottom);
        }
        let column = columns.partition_point(|&x| x < point.x);
        found[ix] = sweep.last_painted(column, point.y).map(|order| painted[order as usize].1);
    }
    found
}

/// All windows and consuming widgets that a finger could reach, in the order in which they are painted, with the part of the screen
/// that each can take.
fn paint(tree: &GuiTree) -> Vec<(Bounds, Top)> {
    let windows = tree.windows();
    let is_touched = |kind| kind != WindowKind::Toast;
    let lowest =
        windows.iter().rposition(|window| window.modal && is_touched(window.kind)).unwrap_or_default();
    let mut painted = Vec::with_capacity(tree.nodes().len() + windows.len());
    let mut open: Vec<(NodeIx, Bounds)> = Vec::new();
    let mut children = Vec::new();
    for (ix, window) in windows.iter().enumerate().skip(lowest) {
        if !is_touched(window.kind) {
            continue;
        }
        let top = Top { window: ix as u32, node: None };
        painted.push((window.bounds, top));
        open.extend(window.root.map(|root| (root, window.bounds)));
        while let Some((node, cut)) = open.pop() {
            let bounds = tree.widget(node).bounds.intersect(cut);
            if bounds.is_empty() {
                continue;
            }
            if tree.widget(node).flags.intersects(Flags::CONSUMING) {
                painted.push((bounds, Top { node: Some(node), ..top }));
            }
            children.clear();
            children.extend(tree.children(node));
            children.sort_by_key(|&child| (tree.widget(child).drawing_order, child));
            open.extend(children.iter().rev().map(|&child| (child, bounds)));
        }
    }
    painted
}

/// The rectangles that the sweep has met, by the columns they span: a segment tree of heaps. What has ended is thrown away
/// when it is met on top.
struct Sweep {
    leaves: usize,
    heaps: Vec<BinaryHeap<(u32, i32)>>,
}

impl Sweep {
    fn new(columns: usize) -> Self {
        let leaves = columns.max(1);
        Self { leaves, heaps: vec![BinaryHeap::new(); 2 * leaves] }
    }

    fn insert(&mut self, from: usize, to: usize, order: u32, bottom: i32) {
        let (mut from, mut to) = (from + self.leaves, to + self.leaves);
        while from < to {
            if from % 2 == 1 {
                self.heaps[from].push((order, bottom));
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                self.heaps[to].push((order, bottom));
            }
            from /= 2;
            to /= 2;
        }
    }

    fn last_painted(&mut self, column: usize, y: i32) -> Option<u32> {
        let mut at = column + self.leaves;
        let mut last = None;
        while at > 0 {
            let heap = &mut self.heaps[at];
            while heap.peek().is_some_and(|&(_, bottom)| bottom <= y) {
                heap.pop();
            }
            last = last.max(heap.peek().map(|&(order, _)| order));
            at /= 2;
        }
        last
    }
}
