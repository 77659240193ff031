//! Low-level touches put together to what a finger did.

use crate::action::Input;
use crate::gui::Point;

/// A finger held this long makes a long tap, in milliseconds: Android's default.
pub(super) const LONG_TAP_MS: i64 = 500;

/// A point as logs have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct At {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// What happens to one touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Down,
    Move,
    Up,
    Cancel,
    SecondDown,
    SecondUp,
}

/// One gesture under way: from the first finger down to the last finger up.
#[derive(Clone, Debug)]
pub(super) struct Gesture {
    from: At,
    to: At,
    second: Option<(At, At)>,
    moves: usize,
    pub(super) began_ms: i64,
    held_ms: i64,
}

/// Monkey's tap wanders a little between down and up, without a move between, in pixels.
const WANDER: f64 = 60.0;
/// With moves, a finger that stays this near did not drag, in pixels.
const SLOP: f64 = 24.0;
/// Further out than any screen.
const MAX_PIXEL: f64 = 100_000.0;

impl At {
    pub(super) fn new(x: f64, y: f64) -> Option<Self> {
        (x.abs() <= MAX_PIXEL && y.abs() <= MAX_PIXEL).then_some(Self { x, y })
    }

    /// The pixel that the point lies in.
    pub(super) fn point(self) -> Point {
        Point { x: self.x.floor() as i32, y: self.y.floor() as i32 }
    }

    fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

impl Gesture {
    pub(super) fn down(at: At, time_ms: i64) -> Self {
        Self { from: at, to: at, second: None, moves: 0, began_ms: time_ms, held_ms: 0 }
    }

    pub(super) fn go_on(&mut self, phase: Phase, first: At, second: Option<At>, time_ms: i64) {
        self.to = first;
        self.moves += usize::from(phase == Phase::Move);
        self.held_ms = time_ms.saturating_sub(self.began_ms).max(self.held_ms);
        if let Some(at) = second {
            self.second = Some(self.second.map_or((at, at), |(from, _)| (from, at)));
        }
    }

    /// The finger was held for a time that the log tells apart.
    pub(super) fn hold(&mut self, ms: i64) {
        self.held_ms = self.held_ms.saturating_add(ms);
    }

    pub(super) fn input(&self) -> Input {
        if let Some((from, to)) = self.second {
            return pinch(self.from, self.to, from, to);
        }
        let distance = self.from.distance(self.to);
        let stays = if self.moves == 0 { distance <= WANDER } else { distance <= SLOP };
        if !stays {
            Input::Swipe { from: self.from.point(), to: self.to.point() }
        } else if self.held_ms >= LONG_TAP_MS {
            Input::LongTap(self.from.point())
        } else {
            Input::Tap(self.from.point())
        }
    }
}

/// Two fingers, each with where it came down and where it left.
pub(super) fn pinch(first_from: At, first_to: At, second_from: At, second_to: At) -> Input {
    let center =
        At { x: f64::midpoint(first_from.x, second_from.x), y: f64::midpoint(first_from.y, second_from.y) };
    let open = first_to.distance(second_to) >= first_from.distance(second_from);
    Input::Pinch { center: center.point(), open }
}
