//! Whether a trace fits the app and the screen that it is run on: the first activity that was another one than recorded, and
//! touches that no screen of this size can have had.

use smol_str::SmolStr;

use super::{Replayed, describe};
use crate::gui::{GuiTree, Point};
use crate::numbers::thousands;
use crate::trace::record::{Screen, Trace};

/// The first time that the app was in another activity than recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parted {
    /// The event after which it was; `None` if it was so from the launch on.
    pub after: Option<usize>,
    /// The activity that was recorded.
    pub recorded: SmolStr,
    /// The activity that was seen; empty where there was none.
    pub seen: SmolStr,
}

impl Parted {
    /// Compares the launch.
    pub(super) fn at_launch(trace: &Trace, seen: &SmolStr) -> Option<Self> {
        let recorded = trace.first.as_ref()?;
        let soon = trace.events.first().and_then(|event| event.after.as_ref());
        let is_late = recorded.tree.is_absent() && soon.is_some_and(|soon| soon.activity == *seen);
        let differs = !recorded.activity.is_empty() && recorded.activity != *seen && !is_late;
        differs.then(|| Self { after: None, recorded: recorded.activity.clone(), seen: seen.clone() })
    }

    /// Compares what was seen after an event, and what had been seen before it.
    pub(super) fn at(trace: &Trace, position: usize, before: &SmolStr, seen: &SmolStr) -> Option<Self> {
        let recorded = after(trace, position)?;
        if recorded.activity.is_empty() || recorded.activity == *seen {
            return None;
        }
        let differs = !recorded.tree.is_absent() || {
            // A log of another tool tells which activity was started last, not which one was returned to, and it may tell
            // of a slow start one event late. So a start must be seen, and what is seen must have been started.
            let earlier = match position.checked_sub(1) {
                Some(earlier) => after(trace, earlier),
                None => trace.first.as_ref(),
            };
            match earlier {
                Some(earlier) if earlier.activity != recorded.activity => *before != recorded.activity,
                _ => !(0..=position + 1)
                    .filter_map(|position| after(trace, position))
                    .chain(&trace.first)
                    .any(|started| started.activity == *seen),
            }
        };
        let (recorded, seen) = (recorded.activity.clone(), seen.clone());
        differs.then_some(Self { after: Some(position), recorded, seen })
    }

    /// When and where it was, in words.
    pub fn words(&self, trace: &Trace) -> String {
        let after = self.after.map_or_else(|| "the launch".to_owned(), |position| place(trace, position));
        let seen = if self.seen.is_empty() { "no activity" } else { &self.seen };
        format!("after {after} the app was in {seen}, and {} was recorded", self.recorded)
    }
}

/// An event by its number and in words.
pub fn place(trace: &Trace, position: usize) -> String {
    format!("event {} ({})", position + 1, trace.events.get(position).map(describe).unwrap_or_default())
}

fn after(trace: &Trace, position: usize) -> Option<&Screen> {
    trace.events.get(position)?.after.as_ref()
}

/// How far a screen goes, as far as its windows tell.
pub(super) fn extent(tree: &GuiTree, known: Point) -> Point {
    tree.windows().iter().fold(known, |far, window| farthest(far, window.bounds.right, window.bounds.bottom))
}

fn farthest(far: Point, x: i32, y: i32) -> Point {
    Point { x: far.x.max(x), y: far.y.max(y) }
}

/// With fewer touches than these it is chance where none is.
const TELLING_TOUCHES: usize = 20;

/// Why the touches of a trace, which name places and no widgets, do not fit the screen that they were made on.
pub fn misfit(run: &Replayed, trace: &Trace) -> Option<String> {
    let bare = trace.events.iter().filter(|event| event.target.is_none());
    let touches: Vec<Point> = bare.filter_map(|event| event.input.point()).collect();
    let screen = run.screen;
    if touches.is_empty() || screen.x <= 0 || screen.y <= 0 {
        return None;
    }
    let far = touches.iter().fold(Point { x: 0, y: 0 }, |far, touch| farthest(far, touch.x, touch.y));
    let size = |point: Point| format!("{}x{}", point.x, point.y);
    // Monkey taps on the very edge, too.
    let outside = touches.iter().filter(|touch| touch.x > screen.x || touch.y > screen.y).count();
    if outside > 0 {
        return Some(format!(
            "{} of {} touches lie outside the screen: the trace goes to {}, and the screen is {}",
            thousands(outside as u64),
            thousands(touches.len() as u64),
            size(far),
            size(screen)
        ));
    }
    let is_smaller = far.x < screen.x / 3 * 2 && far.y < screen.y / 3 * 2;
    (is_smaller && touches.len() >= TELLING_TOUCHES).then(|| {
        format!(
            "no touch lies beyond {}, and the screen is {}: it was recorded on a smaller one, perhaps",
            size(far),
            size(screen)
        )
    })
}
