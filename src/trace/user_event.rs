//! The events of a trace as CHARD sees them: what was done, to what, and what it changed.

use std::fmt;

use smol_str::{SmolStr, format_smolstr};

use super::{Screen, Trace, TraceEvent};
use crate::action::{Input, Key};
use crate::gui::{Bounds, Point, Selector, WindowKind};
use crate::ids::{BranchId, TreeHash};

/// A high-level user event (CHARD Definition 3.3): an operation on an object, and the application status before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct UserEvent {
    /// The numbers under which the report lists it.
    pub ids: Ids,
    /// Its position in the trace.
    pub position: usize,
    /// What was done.
    pub operation: Operation,
    /// What it was done to; none if nothing was hit.
    pub object: Option<Object>,
    /// The application status before.
    pub source: AppStatus,
    /// The application status after.
    pub destination: AppStatus,
    /// The methods it ran, in order, where they were recorded.
    pub methods: Option<Vec<BranchId>>,
    /// The text it put in, where it did.
    pub text: Option<SmolStr>,
    /// The app failed at it.
    pub fails: bool,
}

/// A user event sequence (CHARD Definition 3.4). Waits are no user events and left out.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct UserSequence {
    /// The app's package.
    pub package: SmolStr,
    /// The activity that the launch showed, which the papers call the main activity.
    pub main: Option<SmolStr>,
    /// The events.
    pub events: Vec<UserEvent>,
    /// The kind of the failure that it ends in, where that is known.
    pub end: Option<SmolStr>,
}

/// The numbers of the events that one user event stands for: `8,9` for a finger that goes down and up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// The types of user events, by Monkey's names where Monkey has the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// The app is launched or brought to the front.
    Appswitch,
    /// A tap.
    Touch,
    /// A finger that stays down.
    LongTouch,
    /// A finger that moves.
    Motion,
    /// Two fingers.
    PinchZoom,
    /// A field gets a text.
    Text,
    /// Home, back, call, volume.
    SysOp,
    /// The direction pad.
    Nav,
    /// Menu, the direction pad's middle, enter.
    MajorNav,
    /// Any other key.
    AnyKey,
    /// The screen is turned.
    Rotation,
    /// The app goes to the background and comes back.
    Background,
    /// The app's process ends and it starts again.
    Restart,
}

/// What a user event is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// A widget.
    Widget(Selector),
    /// A key.
    Key(Key),
    /// A widget that was not there, so that nothing was done.
    Missing(Selector),
    /// A place on the screen; which widget is there was not recorded.
    Place(Point),
}

/// What makes two objects the same. A widget is the same whatever it shows and wherever it has moved, unless only where it is
/// was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKey<'a> {
    Widget { class: &'a str, id: &'a str, window: WindowKind, path: &'a [u32], bounds: Option<Bounds> },
    Key(Key),
    Place(Point),
}

impl Object {
    /// What makes it the same as another.
    pub(crate) fn key(&self) -> ObjectKey<'_> {
        match self {
            Self::Widget(widget) | Self::Missing(widget) => ObjectKey::Widget {
                class: &widget.class,
                id: &widget.id,
                window: widget.window,
                path: &widget.path,
                bounds: widget.path.is_empty().then_some(widget.bounds),
            },
            Self::Key(key) => ObjectKey::Key(*key),
            Self::Place(point) => ObjectKey::Place(*point),
        }
    }
}

/// A window and an internal status (CHARD Definition 3.2), as far as they were recorded.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AppStatus {
    /// The window; absent where it was not recorded.
    pub window: Option<WindowStatus>,
    /// What the screen showed: the visible part of the internal status.
    pub tree: Option<TreeHash>,
}

/// What window is in front: the activity, and what lies over it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WindowStatus {
    /// The resumed activity.
    pub activity: SmolStr,
    /// The name of the window over the activity's own, or empty.
    pub name: SmolStr,
    /// That window is a menu or another popup.
    pub popup: bool,
    /// The package in front, where it is not the app's own.
    pub foreign: Option<SmolStr>,
}

impl UserSequence {
    /// The user events of a trace with what was recorded about them.
    pub fn of(trace: &Trace) -> Self {
        let failed_at = trace.failed_at();
        let mut events = Vec::with_capacity(trace.events.len());
        events.extend(trace.events.iter().enumerate().filter_map(|(position, event)| {
            let fails = Some(position) == failed_at;
            let seen = Seen {
                before: event.before.as_ref(),
                after: event.after.as_ref(),
                methods: event.rules.as_deref(),
            };
            UserEvent::new(position, event, seen, fails)
        }));
        let end = trace.failure.as_ref().map(|failure| failure.kind().into());
        Self { end, ..Self::new(&trace.package, trace.first.as_ref(), events) }
    }

    /// A sequence of events that the launch of an app precedes.
    pub fn new(package: &str, first: Option<&Screen>, events: Vec<UserEvent>) -> Self {
        // An app that fails at its launch leaves another one's screen.
        let own = |screen: &&Screen| screen.foreign.is_none();
        let shown = first.filter(own).map(|screen| screen.activity.clone());
        let main = shown.or_else(|| Some(events.first()?.source.window.as_ref()?.activity.clone()));
        Self { package: package.into(), main, events, end: None }
    }

    /// It is seen when a window closes. Logs that know only which activity was started do not show it.
    pub fn shows_returns(&self) -> bool {
        self.events.iter().any(|event| event.source.tree.is_some() && event.destination.tree.is_some())
    }

    /// The activity's name as CHARD prints it: without the app's package.
    pub fn short_activity(&self, activity: &str) -> SmolStr {
        match activity.strip_prefix(self.package.as_str()).filter(|rest| rest.starts_with('.')) {
            Some(rest) if !self.package.is_empty() => format_smolstr!("/{rest}"),
            _ if activity.contains('.') || activity.is_empty() => activity.into(),
            _ => format_smolstr!("/.{activity}"),
        }
    }
}

/// What was seen around an event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'a> {
    /// The screen before.
    pub before: Option<&'a Screen>,
    /// The screen after.
    pub after: Option<&'a Screen>,
    /// The methods it ran.
    pub methods: Option<&'a [BranchId]>,
}

impl UserEvent {
    /// The user event that an event of a trace is; none for a wait.
    pub fn new(position: usize, event: &TraceEvent, seen: Seen<'_>, fails: bool) -> Option<Self> {
        let operation = Operation::of(&event.input)?;
        let status = |screen: Option<&Screen>| screen.map(AppStatus::of).unwrap_or_default();
        let source = status(seen.before);
        // What was not done has changed nothing, and is no event whose record lacks something.
        let left_out = event.is_left_out() && seen.after.is_none();
        let (after, methods) =
            if left_out { (seen.before, Some(&[][..])) } else { (seen.after, seen.methods) };
        let object = match (&event.input, &event.target) {
            (_, Some(selector)) if left_out => Some(Object::Missing(selector.clone())),
            (Input::Key(key), _) => Some(Object::Key(*key)),
            (_, Some(selector)) => Some(Object::Widget(selector.clone())),
            (input, None) if source.tree.is_none() => input.point().map(Object::Place),
            _ => None,
        };
        let text = match &event.input {
            Input::Text { text, .. } | Input::DeepLink(text) => Some(text.into()),
            _ => None,
        };
        Some(Self {
            ids: Ids::one(position as u32 + 1),
            position,
            operation,
            object,
            source,
            destination: status(after),
            methods: methods.map(<[BranchId]>::to_vec),
            text,
            fails,
        })
    }

    /// CHARD's `chg_w`: another window is in front afterwards; absent where it was not recorded.
    pub fn changes_window(&self) -> Option<bool> {
        match (&self.source.window, &self.destination.window) {
            _ if self.fails => Some(true),
            (Some(before), Some(after)) => Some(before != after),
            _ => None,
        }
    }

    /// CHARD's `chg_i`: the internal status changed. CHARD takes the methods that ran for it; where the device does not tell
    /// them, the screen has to do.
    pub fn changes_status(&self) -> Option<bool> {
        let shown = match (self.source.tree, self.destination.tree) {
            (Some(before), Some(after)) => Some(before != after),
            _ => None,
        };
        match &self.methods {
            Some(methods) if !methods.is_empty() => Some(true),
            _ => shown,
        }
    }

    /// Something about it is assumed, because the record has no methods or no screens.
    pub fn is_assumed(&self) -> bool {
        self.methods.is_none() || self.source.tree.is_none() || self.destination.tree.is_none()
    }

    /// The widget it is done to.
    pub fn widget(&self) -> Option<&Selector> {
        match &self.object {
            Some(Object::Widget(widget)) => Some(widget),
            _ => None,
        }
    }

    /// The key it presses.
    pub fn key(&self) -> Option<Key> {
        match self.object {
            Some(Object::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// Both are done to the same object. A widget is the same whatever it shows and wherever it has moved.
    pub fn same_object(&self, other: &Self) -> bool {
        self.object.is_some()
            && self.object.as_ref().map(Object::key) == other.object.as_ref().map(Object::key)
    }
}

impl Operation {
    /// The type of an input; none for a wait.
    pub fn of(input: &Input) -> Option<Self> {
        Some(match input {
            Input::Tap(_) => Self::Touch,
            Input::LongTap(_) => Self::LongTouch,
            Input::Swipe { .. } => Self::Motion,
            Input::Pinch { .. } => Self::PinchZoom,
            Input::Text { .. } => Self::Text,
            Input::Key(key) => match key {
                Key::Back
                | Key::Home
                | Key::AppSwitch
                | Key::VolumeUp
                | Key::VolumeDown
                | Key::Call
                | Key::EndCall => Self::SysOp,
                Key::DpadUp | Key::DpadDown | Key::DpadLeft | Key::DpadRight => Self::Nav,
                Key::Menu | Key::DpadCenter | Key::Enter => Self::MajorNav,
                Key::Code(_) => Self::AnyKey,
            },
            Input::Rotate => Self::Rotation,
            Input::HomeAndReturn => Self::Background,
            Input::ProcessDeath | Input::Restart => Self::Restart,
            Input::DeepLink(_) => Self::Appswitch,
            Input::Wait(_) => return None,
        })
    }

    /// The word of the report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Appswitch => "Appswitch",
            Self::Touch => "Touch",
            Self::LongTouch => "LongTouch",
            Self::Motion => "Motion",
            Self::PinchZoom => "PinchZoom",
            Self::Text => "Text",
            Self::SysOp => "SysOp",
            Self::Nav => "Nav",
            Self::MajorNav => "MajorNav",
            Self::AnyKey => "AnyKey",
            Self::Rotation => "Rotation",
            Self::Background => "Background",
            Self::Restart => "Restart",
        }
    }

    /// A finger or a key, as opposed to what happens to the whole app.
    pub fn is_gesture_or_key(self) -> bool {
        !matches!(self, Self::Appswitch | Self::Rotation | Self::Background | Self::Restart)
    }
}

impl Ids {
    /// A single number.
    pub fn one(id: u32) -> Self {
        Self { first: id, last: id }
    }
}

impl fmt::Display for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last - self.first {
            0 => write!(f, "{}", self.first),
            1 => write!(f, "{},{}", self.first, self.last),
            _ => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

impl AppStatus {
    /// What a screen shows.
    pub fn of(screen: &Screen) -> Self {
        let tree = Some(screen.tree).filter(|tree| !tree.is_absent());
        Self { window: WindowStatus::of(screen), tree }
    }

    /// As far as they were recorded, both are the same status, and at least the windows were recorded.
    pub fn equals(&self, other: &Self) -> bool {
        let shown = match (self.tree, other.tree) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        self.window.is_some() && self.window == other.window && shown
    }
}

impl WindowStatus {
    /// The window of a screen; none where not even the activity is known. Keyboard and toasts are no windows of their own:
    /// they come and go by themselves.
    pub fn of(screen: &Screen) -> Option<Self> {
        if screen.activity.is_empty() && screen.windows.is_empty() && screen.foreign.is_none() {
            return None;
        }
        let mut name = SmolStr::default();
        for kind in &screen.windows {
            let word = match kind {
                WindowKind::Dialog => "dialog",
                WindowKind::Popup => "popup",
                WindowKind::System => "system",
                WindowKind::Application | WindowKind::InputMethod | WindowKind::Toast => continue,
            };
            name = if name.is_empty() { word.into() } else { format_smolstr!("{name}, {word}") };
        }
        let popup = screen.windows.contains(&WindowKind::Popup);
        Some(Self { activity: screen.activity.clone(), name, popup, foreign: screen.foreign.clone() })
    }
}

#[cfg(test)]
pub(crate) mod test_support;
