//! What can be done to an app: abstract actions of the model and concrete events for a device.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::gui::Point;

/// A concrete, replayable input for a device, and how long to wait after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// What is done.
    pub input: Input,
    /// How long the device waits before it looks at the screen.
    pub wait: Wait,
}

/// What the finger, a key or the system does. Each counts as one user event; [`Input::Wait`] counts as none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A tap at a point.
    Tap(Point),
    /// A long tap at a point.
    LongTap(Point),
    /// A finger moving from one point to another.
    Swipe {
        /// Where the finger comes down.
        from: Point,
        /// Where it leaves the screen.
        to: Point,
    },
    /// Two fingers around a point, moving apart (`true`) or together.
    Pinch {
        /// The point between the fingers.
        center: Point,
        /// They move apart.
        open: bool,
    },
    /// The field at a point gets the focus and this text instead of its own.
    Text {
        /// A point of the field.
        at: Point,
        /// The new text.
        text: String,
    },
    /// A key.
    Key(Key),
    /// The screen is turned by a quarter.
    Rotate,
    /// The home key, then back to the app from the list of recent apps.
    HomeAndReturn,
    /// The app goes to the background, the system kills its process, and the user comes back to it.
    ProcessDeath,
    /// A warm restart: the process is stopped and the app launched again; its data stays. What [`Reset::Warm`] does
    /// between two walks, as an event, so that a trace can reach back over it to the last clean start. It costs 1.
    ///
    /// [`Reset::Warm`]: crate::device::Reset::Warm
    Restart,
    /// An address that the app is registered for is opened.
    DeepLink(String),
    /// Nothing, for this many milliseconds of device time.
    Wait(u32),
}

/// A key of the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", remote = "Self")]
pub enum Key {
    /// Back.
    Back,
    /// Home, without coming back.
    Home,
    /// The menu key.
    Menu,
    /// Enter, or the keyboard's action key.
    Enter,
    /// The list of recent apps.
    AppSwitch,
    /// Volume up.
    VolumeUp,
    /// Volume down.
    VolumeDown,
    /// Call.
    Call,
    /// End call.
    EndCall,
    /// The direction pad.
    DpadUp,
    /// The direction pad.
    DpadDown,
    /// The direction pad.
    DpadLeft,
    /// The direction pad.
    DpadRight,
    /// The direction pad's middle.
    DpadCenter,
    /// Any other key, by Android's key code.
    Code(i32),
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Key {
    /// A key that was written by its number is the key that has it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer).map(|key| Self::of(key.code()))
    }
}

impl Key {
    /// All but those that have only a number.
    const NAMED: [Self; 14] = [
        Self::Back,
        Self::Home,
        Self::Menu,
        Self::Enter,
        Self::AppSwitch,
        Self::VolumeUp,
        Self::VolumeDown,
        Self::Call,
        Self::EndCall,
        Self::DpadUp,
        Self::DpadDown,
        Self::DpadLeft,
        Self::DpadRight,
        Self::DpadCenter,
    ];

    /// Android's name of the key, or its number in words.
    pub fn name(self) -> String {
        match self {
            Self::Code(code) => format!("the key {code}"),
            Self::AppSwitch => "APP_SWITCH".to_owned(),
            Self::VolumeUp => "VOLUME_UP".to_owned(),
            Self::VolumeDown => "VOLUME_DOWN".to_owned(),
            Self::DpadUp => "DPAD_UP".to_owned(),
            Self::DpadDown => "DPAD_DOWN".to_owned(),
            Self::DpadLeft => "DPAD_LEFT".to_owned(),
            Self::DpadRight => "DPAD_RIGHT".to_owned(),
            Self::DpadCenter => "DPAD_CENTER".to_owned(),
            other => format!("{other:?}").to_uppercase(),
        }
    }

    /// The key with Android's code: a known one by its name, so that one key is not two.
    pub fn of(code: i32) -> Self {
        Self::NAMED.into_iter().find(|key| key.code() == code).unwrap_or(Self::Code(code))
    }

    /// Android's code of the key.
    pub fn code(self) -> i32 {
        match self {
            Self::Home => 3,
            Self::Back => 4,
            Self::Call => 5,
            Self::EndCall => 6,
            Self::DpadUp => 19,
            Self::DpadDown => 20,
            Self::DpadLeft => 21,
            Self::DpadRight => 22,
            Self::DpadCenter => 23,
            Self::VolumeUp => 24,
            Self::VolumeDown => 25,
            Self::Enter => 66,
            Self::Menu => 82,
            Self::AppSwitch => 187,
            Self::Code(code) => code,
        }
    }
}

/// How long a device waits after an event before it looks at the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// Until the app has settled.
    #[default]
    Settle,
    /// This many milliseconds of device time, settled or not: the way to find races.
    Millis(u32),
}

impl Wait {
    /// It waits until the app has settled.
    pub fn is_settle(&self) -> bool {
        *self == Self::Settle
    }
}

impl Event {
    /// An event after which the device lets the app settle.
    pub fn settled(input: Input) -> Self {
        Self { input, wait: Wait::Settle }
    }

    /// What the event costs when sequences are compared: a wait is free, everything else costs 1.
    pub fn cost(&self) -> u32 {
        u32::from(!matches!(self.input, Input::Wait(_)))
    }
}

impl Input {
    /// The input for an action of the phone that needs nothing more; BACK for all others.
    pub fn of_phone(kind: ActionKind) -> Self {
        match kind {
            ActionKind::Enter => Self::Key(Key::Enter),
            ActionKind::Menu => Self::Key(Key::Menu),
            ActionKind::Rotate => Self::Rotate,
            ActionKind::HomeAndReturn => Self::HomeAndReturn,
            ActionKind::ProcessDeath => Self::ProcessDeath,
            _ => Self::Key(Key::Back),
        }
    }

    /// The point that is touched, if it is one.
    pub fn point(&self) -> Option<Point> {
        match *self {
            Self::Tap(point) | Self::LongTap(point) | Self::Text { at: point, .. } => Some(point),
            Self::Swipe { from, .. } => Some(from),
            Self::Pinch { center, .. } => Some(center),
            _ => None,
        }
    }

    /// The same input at another place.
    #[must_use]
    pub fn moved_to(&self, point: Point) -> Self {
        match self {
            Self::Tap(_) => Self::Tap(point),
            Self::LongTap(_) => Self::LongTap(point),
            Self::Text { text, .. } => Self::Text { at: point, text: text.clone() },
            &Self::Swipe { from, to } => Self::Swipe { from: point, to: point.plus(to.minus(from)) },
            &Self::Pinch { open, .. } => Self::Pinch { center: point, open },
            other => other.clone(),
        }
    }
}

/// What a model action does, apart from the widget it is done to (APE II-B, the action type τ).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A tap on a widget.
    Tap,
    /// A long tap on a widget.
    LongTap,
    /// The content below comes into view.
    ScrollDown,
    /// The content above comes into view.
    ScrollUp,
    /// The content on the right comes into view.
    ScrollRight,
    /// The content on the left comes into view.
    ScrollLeft,
    /// A field gets a text.
    Text,
    /// Two fingers move apart over a widget.
    PinchOpen,
    /// Two fingers move together over a widget.
    PinchClose,
    /// The back key.
    Back,
    /// The enter key, or the keyboard's action key.
    Enter,
    /// The menu key.
    Menu,
    /// The screen is turned.
    Rotate,
    /// Home, then back to the app.
    HomeAndReturn,
    /// The process is killed in the background and the user comes back.
    ProcessDeath,
    /// The address with this number in the device's capabilities is opened.
    DeepLink(u16),
}

/// How far something reaches that is done to the phone: an unattended run must not do everything to a phone that somebody
/// uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// A key that the app gets: BACK, ENTER, MENU.
    Stay,
    /// The phone is turned, or the app is left and comes back.
    Leave,
    /// The app's process is killed.
    Kill,
    /// An address is opened, which leads wherever the app goes with it: only those that the user names.
    Open,
}

impl ActionKind {
    /// What is done to the phone, BACK first: exploring does these by default, and `model solve` counts with these.
    pub const OF_THE_PHONE: [Self; 6] =
        [Self::Back, Self::Enter, Self::Menu, Self::Rotate, Self::HomeAndReturn, Self::ProcessDeath];

    /// How far it reaches. What is done to a widget stays in the app, as far as anybody can tell.
    pub fn risk(self) -> Risk {
        match self {
            Self::Rotate | Self::HomeAndReturn => Risk::Leave,
            Self::ProcessDeath => Risk::Kill,
            Self::DeepLink(_) => Risk::Open,
            _ => Risk::Stay,
        }
    }

    /// What is done to the phone beside BACK where so much may be risked.
    pub fn of_the_phone(most: Risk) -> Vec<Self> {
        Self::OF_THE_PHONE[1..].iter().copied().filter(|kind| kind.risk() <= most).collect()
    }

    /// The action is done to a widget; the others are done to the phone.
    pub fn needs_widget(self) -> bool {
        self <= Self::PinchClose
    }

    /// Something else comes into view.
    pub fn scrolls(self) -> bool {
        matches!(self, Self::ScrollDown | Self::ScrollUp | Self::ScrollRight | Self::ScrollLeft)
    }

    /// The word for it in reasons and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tap => "tap",
            Self::LongTap => "long tap",
            Self::ScrollDown => "scroll down",
            Self::ScrollUp => "scroll up",
            Self::ScrollRight => "scroll right",
            Self::ScrollLeft => "scroll left",
            Self::Text => "text",
            Self::PinchOpen => "pinch open",
            Self::PinchClose => "pinch close",
            Self::Back => "back",
            Self::Enter => "enter",
            Self::Menu => "menu",
            Self::Rotate => "rotate",
            Self::HomeAndReturn => "home and return",
            Self::ProcessDeath => "process death",
            Self::DeepLink(_) => "deep link",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_has_a_name_is_never_another_one_by_its_number() {
        for code in 0..400 {
            let key = Key::of(code);
            assert_eq!(key.code(), code);
            assert_eq!(matches!(key, Key::Code(_)), !Key::NAMED.contains(&key), "{code}");
        }
        let read = |text: &str| serde_json::from_str::<Key>(text).expect("a key");
        assert_eq!((read("{\"code\":4}"), read("\"back\"")), (Key::Back, Key::Back));
        assert_eq!(serde_json::to_string(&Key::Code(7)).expect("it is written"), "{\"code\":7}");
        assert_eq!((Key::of(3), Key::of(82), Key::of(7)), (Key::Home, Key::Menu, Key::Code(7)));
        let names = ["volume_up", "volume_down", "call", "end_call", "app_switch", "dpad_center", "enter"];
        assert!(names.iter().all(|name| !matches!(read(&format!("\"{name}\"")), Key::Code(_))));
    }

    #[test]
    fn what_reaches_further_is_done_only_where_it_may_be() {
        use ActionKind::{Enter, HomeAndReturn, Menu, ProcessDeath, Rotate};
        assert_eq!(ActionKind::of_the_phone(Risk::Stay), [Enter, Menu]);
        assert_eq!(ActionKind::of_the_phone(Risk::Leave), [Enter, Menu, Rotate, HomeAndReturn]);
        assert_eq!(ActionKind::of_the_phone(Risk::Kill), [Enter, Menu, Rotate, HomeAndReturn, ProcessDeath]);
        assert!(ActionKind::DeepLink(0).risk() > Risk::Kill, "addresses are named one by one");
    }
}
