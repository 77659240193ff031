//! Raw events in the proportions of Android's Monkey.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{Choice, Chosen, ModelView, Session, Strategy};
use crate::action::{ActionKind, Event, Input, Key, Wait};
use crate::gui::{Bounds, GuiTree, Point};
use crate::seed::Rng;

/// Knows nothing of widgets: events fall on random points, as Monkey's do.
#[derive(Clone, Debug)]
pub struct Monkey {
    config: MonkeyConfig,
}

/// The shares of Monkey's event sorts, in percent. They need not add up to 100; only their proportions count.
///
/// Monkey's permission events are left out: they speak to the package manager, not to the screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MonkeyConfig {
    /// Taps at a random point.
    pub touch: f64,
    /// Swipes between two random points.
    pub motion: f64,
    /// Moves and clicks of a trackball: on a phone of today, steps of the direction pad.
    pub trackball: f64,
    /// Direction keys.
    pub nav: f64,
    /// The direction pad's middle and the menu key.
    pub major_nav: f64,
    /// Home, back, call, volume.
    pub sys_keys: f64,
    /// Leaving the app and coming back to it.
    pub app_switch: f64,
    /// Opening a hardware keyboard: a key that no app knows.
    pub flip: f64,
    /// Any key.
    pub any_key: f64,
    /// Two fingers at a random point.
    pub pinch_zoom: f64,
    /// Turning the screen.
    pub rotation: f64,
    /// Milliseconds of device time between two events; without it the app may settle.
    pub throttle: Option<u32>,
}

impl Default for MonkeyConfig {
    fn default() -> Self {
        Self {
            touch: 15.0,
            motion: 10.0,
            trackball: 15.0,
            nav: 25.0,
            major_nav: 15.0,
            sys_keys: 2.0,
            app_switch: 2.0,
            flip: 1.0,
            any_key: 13.0,
            pinch_zoom: 2.0,
            rotation: 0.0,
            throttle: None,
        }
    }
}

#[derive(Clone, Copy)]
enum Sort {
    Touch,
    Motion,
    Trackball,
    Nav,
    MajorNav,
    SysKeys,
    AppSwitch,
    Flip,
    AnyKey,
    PinchZoom,
    Rotation,
}

/// What may be done to the phone.
#[derive(Clone, Copy)]
pub(crate) struct Freedom {
    /// The app may be left.
    pub leaves: bool,
    /// The screen may be turned.
    pub turns: bool,
}

impl Freedom {
    pub fn of(view: &ModelView<'_>) -> Self {
        Self {
            leaves: view.model.does(ActionKind::HomeAndReturn),
            turns: view.model.does(ActionKind::Rotate),
        }
    }

    fn allows(self, sort: Sort) -> bool {
        match sort {
            Sort::AppSwitch => self.leaves,
            Sort::Rotation => self.turns,
            _ => true,
        }
    }
}

const DIRECTIONS: [Key; 4] = [Key::DpadUp, Key::DpadDown, Key::DpadLeft, Key::DpadRight];
const SYSTEM_KEYS: [Key; 5] = [Key::Home, Key::Back, Key::Call, Key::VolumeUp, Key::VolumeDown];
/// The last key code that Android defines.
const LAST_KEY_CODE: i32 = 318;
const DIGITS: std::ops::RangeInclusive<i32> = 7..=16;
const LETTERS: std::ops::RangeInclusive<i32> = 29..=54;
/// End of a call, power, sleep, soft sleep.
const ENDING_KEYS: [i32; 4] = [6, 26, 223, 276];
const UNKNOWN_KEY: Key = Key::Code(0);
/// How many of a hundred trackball events are clicks.
const TRACKBALL_CLICKS: u32 = 10;

impl MonkeyConfig {
    fn shares(&self) -> [(Sort, f64, &'static str); 11] {
        [
            (Sort::Touch, self.touch, "monkey: touch"),
            (Sort::Motion, self.motion, "monkey: motion"),
            (Sort::Trackball, self.trackball, "monkey: trackball"),
            (Sort::Nav, self.nav, "monkey: nav"),
            (Sort::MajorNav, self.major_nav, "monkey: major nav"),
            (Sort::SysKeys, self.sys_keys, "monkey: sys keys"),
            (Sort::AppSwitch, self.app_switch, "monkey: app switch"),
            (Sort::Flip, self.flip, "monkey: flip"),
            (Sort::AnyKey, self.any_key, "monkey: any key"),
            (Sort::PinchZoom, self.pinch_zoom, "monkey: pinch zoom"),
            (Sort::Rotation, self.rotation, "monkey: rotation"),
        ]
    }
}

impl Monkey {
    /// A monkey with these shares.
    pub fn new(config: MonkeyConfig) -> Self {
        Self { config }
    }
}

impl Strategy for Monkey {
    fn choose(&self, view: &ModelView<'_>, session: &mut Session) -> Choice {
        let freedom = Freedom::of(view);
        let shares = self.config.shares().map(|(sort, share, name)| {
            let share = if freedom.allows(sort) { share.max(0.0) } else { 0.0 };
            (sort, share, name)
        });
        let total: f64 = shares.iter().map(|(_, share, _)| share).sum();
        let mut left = session.choice.random_range(0.0..1.0) * total;
        let (mut sort, mut reason) = (Sort::Touch, "monkey: touch");
        for (candidate, share, name) in shares {
            if share > 0.0 {
                (sort, reason) = (candidate, name);
                left -= share;
                if left < 0.0 {
                    break;
                }
            }
        }
        let input = raw_input(sort, freedom, screen(view.tree), &mut session.choice);
        let wait = self.config.throttle.map_or(Wait::Settle, Wait::Millis);
        Choice::new(Chosen::Raw(Event { input, wait }), reason)
    }
}

/// Where the app must not be left, nothing is pressed that the phone itself does something with.
fn raw_input(sort: Sort, freedom: Freedom, screen: Bounds, rng: &mut Rng) -> Input {
    match sort {
        Sort::Touch => Input::Tap(point(screen, rng)),
        Sort::Motion => Input::Swipe { from: point(screen, rng), to: point(screen, rng) },
        Sort::Trackball => {
            if rng.random_range(0..100) < TRACKBALL_CLICKS {
                Input::Key(Key::DpadCenter)
            } else {
                Input::Key(one_of(&DIRECTIONS, rng))
            }
        }
        Sort::Nav => Input::Key(one_of(&DIRECTIONS, rng)),
        Sort::MajorNav => Input::Key(one_of(&[Key::Menu, Key::DpadCenter], rng)),
        Sort::SysKeys if !freedom.leaves => Input::Key(Key::Back),
        Sort::SysKeys => Input::Key(one_of(&SYSTEM_KEYS, rng)),
        Sort::AppSwitch => Input::HomeAndReturn,
        Sort::Flip => Input::Key(UNKNOWN_KEY),
        Sort::AnyKey => Input::Key(some_key(freedom, rng)),
        Sort::PinchZoom => Input::Pinch { center: point(screen, rng), open: rng.random_bool(0.5) },
        Sort::Rotation => Input::Rotate,
    }
}

/// The area that all windows together cover; a phone's usual one where nothing is shown.
pub(crate) fn screen(tree: &GuiTree) -> Bounds {
    const USUAL: Bounds = Bounds::new(0, 0, 1080, 1920);
    let windows = tree.windows().iter().map(|window| window.bounds).filter(|bounds| !bounds.is_empty());
    windows
        .reduce(|one, other| Bounds {
            left: one.left.min(other.left),
            top: one.top.min(other.top),
            right: one.right.max(other.right),
            bottom: one.bottom.max(other.bottom),
        })
        .unwrap_or(USUAL)
}

pub(crate) fn point(screen: Bounds, rng: &mut Rng) -> Point {
    Point { x: rng.random_range(screen.left..screen.right), y: rng.random_range(screen.top..screen.bottom) }
}

/// Any key; where the app must not be left, one that types.
pub(crate) fn some_key(freedom: Freedom, rng: &mut Rng) -> Key {
    if freedom.leaves { any_key(rng) } else { typing_key(rng) }
}

/// A digit or a letter: a key that the app gets and the phone itself does nothing with.
fn typing_key(rng: &mut Rng) -> Key {
    Key::of(if rng.random_bool(0.25) { rng.random_range(DIGITS) } else { rng.random_range(LETTERS) })
}

/// Any key that the system defines, but not one that hangs up or puts the phone to sleep: what comes after it would meet a
/// dark screen.
fn any_key(rng: &mut Rng) -> Key {
    loop {
        let code = rng.random_range(1..=LAST_KEY_CODE);
        if !ENDING_KEYS.contains(&code) {
            return Key::of(code);
        }
    }
}

fn one_of(keys: &[Key], rng: &mut Rng) -> Key {
    keys[rng.random_range(0..keys.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    const ALL: Freedom = Freedom { leaves: true, turns: true };

    #[test]
    fn no_key_leaves_a_dark_screen() {
        use Sort::{AnyKey, Flip, MajorNav, Nav, SysKeys, Trackball};
        let mut rng = Seed(1).rng();
        let mut drawn = std::collections::BTreeSet::new();
        for sort in [SysKeys, AnyKey, Nav, MajorNav, Trackball, Flip] {
            for _ in 0..20_000 {
                if let Input::Key(key) = raw_input(sort, ALL, Bounds::new(0, 0, 100, 100), &mut rng) {
                    drawn.insert(key.code());
                }
            }
        }
        assert!(ENDING_KEYS.iter().all(|code| !drawn.contains(code)), "{drawn:?}");
        // All others are drawn, and the one that is none.
        assert_eq!(drawn.len(), LAST_KEY_CODE as usize - ENDING_KEYS.len() + 1);
    }

    #[test]
    fn a_key_that_types_is_a_digit_or_a_letter() {
        let mut rng = Seed(1).rng();
        let drawn: std::collections::BTreeSet<i32> =
            (0..5_000).map(|_| typing_key(&mut rng).code()).collect();
        assert_eq!(drawn, DIGITS.chain(LETTERS).collect());
    }
}
