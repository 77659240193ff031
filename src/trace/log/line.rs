//! The lines of the spine on disk, format 1: short keys, nothing that the reader can restore.
//!
//! | line | holds |
//! |---|---|
//! | `f` | opens every frame: all that its lines need of earlier frames |
//! | `s` | a step |
//! | `r` | a reset |
//! | `x` | a failure |
//! | `q` | a question to another app, and its answer |
//! | `d` | a decision of the abstraction |
//! | `w` | a warning |
//! | `e` | the end |
//!
//! Screens, touched widgets, reasons and signatures are written out once a frame; after that, a number says which
//! one it was, counted from 0 for each of the four.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use super::decision::DecisionLine;
use crate::oracle::Failure;

#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "nearly every line is a step, and one is held at a time")]
pub(super) enum Line {
    #[serde(rename = "f")]
    Frame(FrameLine),
    #[serde(rename = "s")]
    Step(StepLine),
    #[serde(rename = "r")]
    Reset(ResetLine),
    #[serde(rename = "x")]
    Failure(FailureLine),
    #[serde(rename = "q")]
    Asked(AskedLine),
    #[serde(rename = "d")]
    Decision(u32, Box<DecisionLine>),
    #[serde(rename = "w")]
    Warning(WarningLine),
    #[serde(rename = "e")]
    End(EndLine),
}

/// What the lines of a frame need of earlier frames.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FrameLine {
    /// The last step before it.
    #[serde(rename = "n")]
    pub(super) step: u64,
    /// Each session with its device time and its screen.
    #[serde(rename = "u")]
    pub(super) sessions: Vec<(u32, u64, Ref<ScreenLine>)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StepLine {
    /// Only if it is not the last step's successor.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<u64>,
    #[serde(rename = "u", default, skip_serializing_if = "is_zero")]
    pub(super) session: u32,
    #[serde(rename = "i")]
    pub(super) input: InputLine,
    /// Milliseconds, unless the app settles.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<u32>,
    #[serde(rename = "y")]
    pub(super) reason: Ref<SmolStr>,
    #[serde(rename = "p", default, skip_serializing_if = "is_zero")]
    pub(super) pause: u64,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub(super) touched: Option<Ref<TouchedLine>>,
    /// Only if it is not what the session saw last.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Ref<ScreenLine>>,
    /// Only if it is not `before`.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<Ref<ScreenLine>>,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub(super) rules: Option<Vec<u32>>,
    #[serde(rename = "b", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) new_branches: Vec<u32>,
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) failures: Vec<Ref<SmolStr>>,
    /// Device time since the session's last line.
    #[serde(rename = "d", default, skip_serializing_if = "is_zero")]
    pub(super) elapsed: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ResetLine {
    #[serde(rename = "u", default, skip_serializing_if = "is_zero")]
    pub(super) session: u32,
    #[serde(rename = "k")]
    pub(super) to: ResetWord,
    #[serde(rename = "y")]
    pub(super) reason: Ref<SmolStr>,
    #[serde(rename = "a")]
    pub(super) screen: Ref<ScreenLine>,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub(super) rules: Option<Vec<u32>>,
    #[serde(rename = "b", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) new_branches: Vec<u32>,
    #[serde(rename = "d", default, skip_serializing_if = "is_zero")]
    pub(super) elapsed: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FailureLine {
    #[serde(rename = "u", default, skip_serializing_if = "is_zero")]
    pub(super) session: u32,
    #[serde(rename = "n")]
    pub(super) step: u64,
    #[serde(rename = "g")]
    pub(super) signature: Ref<SmolStr>,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<Box<Failure>>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AskedLine {
    #[serde(rename = "u", default, skip_serializing_if = "is_zero")]
    pub(super) session: u32,
    #[serde(rename = "n")]
    pub(super) step: u64,
    #[serde(rename = "i", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) action: SmolStr,
    #[serde(rename = "t", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) data: SmolStr,
    #[serde(rename = "c", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) component: SmolStr,
    #[serde(rename = "a")]
    pub(super) answer: SmolStr,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WarningLine {
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<u32>,
    #[serde(rename = "t")]
    pub(super) text: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EndLine {
    #[serde(rename = "y")]
    pub(super) reason: SmolStr,
    #[serde(rename = "n")]
    pub(super) steps: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScreenLine {
    #[serde(rename = "a", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) activity: SmolStr,
    /// One letter a window.
    #[serde(rename = "w", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) windows: SmolStr,
    #[serde(rename = "t")]
    pub(super) tree: crate::ids::TreeHash,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(super) foreign: Option<SmolStr>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum TouchedLine {
    #[serde(rename = "-")]
    Nothing,
    #[serde(rename = "w")]
    Window(WindowLetter),
    #[serde(rename = "s")]
    Widget(SelectorLine),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SelectorLine {
    #[serde(rename = "c", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) class: SmolStr,
    #[serde(rename = "i", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) id: SmolStr,
    #[serde(rename = "t", default, skip_serializing_if = "SmolStr::is_empty")]
    pub(super) text: SmolStr,
    #[serde(rename = "w")]
    pub(super) window: WindowLetter,
    #[serde(rename = "p", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) path: Vec<u32>,
    #[serde(rename = "b")]
    pub(super) bounds: [i32; 4],
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum WindowLetter {
    A,
    D,
    P,
    I,
    T,
    S,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResetWord {
    Warm,
    Clean,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum InputLine {
    #[serde(rename = "t")]
    Tap(i32, i32),
    #[serde(rename = "l")]
    LongTap(i32, i32),
    #[serde(rename = "s")]
    Swipe(i32, i32, i32, i32),
    #[serde(rename = "open")]
    PinchOpen(i32, i32),
    #[serde(rename = "shut")]
    PinchShut(i32, i32),
    #[serde(rename = "x")]
    Text(i32, i32, String),
    #[serde(rename = "k")]
    Key(KeyWord),
    #[serde(rename = "code")]
    KeyCode(i32),
    #[serde(rename = "rotate")]
    Rotate,
    #[serde(rename = "home")]
    HomeAndReturn,
    #[serde(rename = "death")]
    ProcessDeath,
    #[serde(rename = "restart")]
    Restart,
    #[serde(rename = "link")]
    DeepLink(String),
    #[serde(rename = "wait")]
    Wait(u32),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeyWord {
    Back,
    Home,
    Menu,
    Enter,
    AppSwitch,
    VolumeUp,
    VolumeDown,
    Call,
    EndCall,
    DpadUp,
    DpadDown,
    DpadLeft,
    DpadRight,
    DpadCenter,
}

/// A value written out, or the number of one written out earlier in the frame.
#[derive(Debug)]
pub(super) enum Ref<T> {
    Known(u32),
    New(T),
}

impl<T: Serialize> Serialize for Ref<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(number) => serializer.serialize_u32(*number),
            Self::New(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ref<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RefVisitor(PhantomData))
    }
}

struct RefVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for RefVisitor<T> {
    type Value = Ref<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or the number of an earlier one")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Ref<T>, E> {
        u32::try_from(number).map(Ref::Known).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Ref<T>, E> {
        T::deserialize(StrDeserializer::new(text)).map(Ref::New)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Ref<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Ref::New)
    }
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
