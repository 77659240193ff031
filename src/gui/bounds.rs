//! Pixels on the screen.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A point on the screen, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Point {
    /// Pixels from the left edge.
    pub x: i32,
    /// Pixels from the top edge.
    pub y: i32,
}

impl Point {
    /// Moved by so much, as far as there are numbers for it.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { x: self.x.saturating_add(other.x), y: self.y.saturating_add(other.y) }
    }

    /// How far it is from another, as far as there are numbers for it.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { x: self.x.saturating_sub(other.x), y: self.y.saturating_sub(other.y) }
    }
}

/// A rectangle on the screen, in pixels: left and top belong to it, right and bottom do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bounds {
    /// The left edge.
    pub left: i32,
    /// The top edge.
    pub top: i32,
    /// The first column that is outside.
    pub right: i32,
    /// The first row that is outside.
    pub bottom: i32,
}

impl Bounds {
    /// A rectangle from its four edges, in uiautomator's order.
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    /// The width, at least 0.
    pub fn width(self) -> i32 {
        self.right.saturating_sub(self.left).max(0)
    }

    /// The height, at least 0.
    pub fn height(self) -> i32 {
        self.bottom.saturating_sub(self.top).max(0)
    }

    /// No pixel lies inside.
    pub fn is_empty(self) -> bool {
        self.width() == 0 || self.height() == 0
    }

    /// The point in the middle, where a tap goes.
    pub fn center(self) -> Point {
        Point { x: self.left.midpoint(self.right), y: self.top.midpoint(self.bottom) }
    }

    /// The point lies inside.
    pub fn contains(self, point: Point) -> bool {
        self.left <= point.x && point.x < self.right && self.top <= point.y && point.y < self.bottom
    }

    /// The part that lies in both.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}][{},{}]", self.left, self.top, self.right, self.bottom)
    }
}

impl Serialize for Bounds {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.left, self.top, self.right, self.bottom].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [left, top, right, bottom] = <[i32; 4]>::deserialize(deserializer)?;
        Ok(Self { left, top, right, bottom })
    }
}
