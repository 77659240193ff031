//! What the engine wants done, in the words of the agent: events become requests.

use smol_str::SmolStr;

use super::request::{Look, MAX_PRIMITIVE_MS, Pace, Primitive, want};
use super::sight::Sight;
use crate::action::{Event, Input, Key, Wait};
use crate::gui::tree::Hit;
use crate::gui::{Flags, Point};

/// How long a swipe or a pinch takes.
const GESTURE_MS: u32 = 200;
/// How near to each other the fingers of a pinch come, and how far apart, in pixels.
const PINCH: (u32, u32) = (60, 300);

/// What is to be asked of an agent for one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// One STEP.
    Step(Vec<Primitive>),
    /// Home, then the app again.
    HomeAndReturn,
    /// Home, the process killed, then the app again.
    ProcessDeath,
    /// Stop, start.
    Restart,
    /// An address is opened, where that is allowed.
    Open(String),
    /// The device has no way to do it.
    Unable(SmolStr),
}

/// The way from an event to requests, on the screen that the agent showed last.
pub fn plan(event: &Event, seen: Option<&Sight>) -> Plan {
    let mut primitives = Vec::with_capacity(2);
    match &event.input {
        &Input::Tap(Point { x, y }) => primitives.push(Primitive::Tap { x, y }),
        &Input::LongTap(Point { x, y }) => primitives.push(Primitive::LongTap { x, y, hold_ms: 0 }),
        Input::Swipe { from, to } => {
            primitives
                .push(Primitive::Swipe { points: vec![(from.x, from.y), (to.x, to.y)], ms: GESTURE_MS });
        }
        &Input::Pinch { center: Point { x, y }, open } => {
            let (near, far) = PINCH;
            let (from, to) = if open { (near, far) } else { (far, near) };
            primitives.push(Primitive::Pinch { x, y, from, to, ms: GESTURE_MS });
        }
        Input::Text { at, text } => text_for(*at, text, seen, &mut primitives),
        Input::Key(key) => primitives.push(Primitive::Key { code: key_code(*key), meta: 0 }),
        Input::Rotate => {
            let turned = seen.is_some_and(|seen| seen.rotation % 2 == 1);
            primitives.push(Primitive::Rotate { rotation: u8::from(!turned) });
        }
        Input::Wait(ms) => primitives.push(Primitive::Wait { ms: (*ms).min(MAX_PRIMITIVE_MS) }),
        Input::HomeAndReturn => return Plan::HomeAndReturn,
        Input::ProcessDeath => return Plan::ProcessDeath,
        Input::Restart => return Plan::Restart,
        Input::DeepLink(address) => return Plan::Open(address.clone()),
    }
    if let (Wait::Millis(ms), false) = (event.wait, matches!(event.input, Input::Wait(_))) {
        primitives.push(Primitive::Wait { ms: ms.min(MAX_PRIMITIVE_MS) });
    }
    Plan::Step(primitives)
}

/// The field is named by its place in the tree; where the tree does not know it, it is tapped first and then has the
/// focus.
fn text_for(at: Point, text: &str, seen: Option<&Sight>, primitives: &mut Vec<Primitive>) {
    let field = seen.and_then(|seen| match seen.tree.hit(at, Flags::EDITABLE) {
        Hit::Widget(_, node) => seen.wire_node(node).map(|node| (seen.id, node)),
        Hit::Window(_) | Hit::Nothing => None,
    });
    let (tree, node) = if let Some((tree, node)) = field {
        (tree, node + 1)
    } else {
        primitives.push(Primitive::Tap { x: at.x, y: at.y });
        (0, 0)
    };
    primitives.push(Primitive::Text { tree, node, text: text.to_owned(), mode: 0, enter: false });
}

/// How the agent waits and what it sends: the whole tree unless it is the one that is known.
pub fn look(event: &Event, seen: Option<&Sight>) -> Look {
    let settle = event.wait.is_settle() && !matches!(event.input, Input::Wait(_));
    Look {
        pace: if settle { Pace::SETTLE } else { Pace::BURST },
        want: want::TREE_IF_CHANGED,
        known: seen.map_or(0, |seen| seen.hash),
    }
}

/// The flag of a widget that a touch looks for.
pub fn reacting(input: &Input) -> Option<Flags> {
    Some(match input {
        Input::Tap(_) => Flags::CLICKABLE,
        Input::LongTap(_) => Flags::LONG_CLICKABLE,
        Input::Swipe { .. } => Flags::SCROLLABLE,
        Input::Pinch { .. } => Flags::VISIBLE,
        Input::Text { .. } => Flags::EDITABLE,
        _ => return None,
    })
}

/// Android's code of a key.
pub fn key_code(key: Key) -> u32 {
    key.code().max(0) as u32
}
