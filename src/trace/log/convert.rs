//! Between the values of the program and the lines on disk.

use smol_str::SmolStr;

use super::line::{
    InputLine, KeyWord, ResetWord, ScreenLine, SelectorLine, TouchedLine, WindowLetter as Letter,
};
use crate::action::{Input, Key};
use crate::device::Reset;
use crate::gui::{Bounds, Point, Selector, WindowKind};
use crate::ids::BranchId;
use crate::trace::{Screen, Touched};

impl From<WindowKind> for Letter {
    fn from(kind: WindowKind) -> Self {
        match kind {
            WindowKind::Application => Self::A,
            WindowKind::Dialog => Self::D,
            WindowKind::Popup => Self::P,
            WindowKind::InputMethod => Self::I,
            WindowKind::Toast => Self::T,
            WindowKind::System => Self::S,
        }
    }
}

impl From<Letter> for WindowKind {
    fn from(letter: Letter) -> Self {
        match letter {
            Letter::A => Self::Application,
            Letter::D => Self::Dialog,
            Letter::P => Self::Popup,
            Letter::I => Self::InputMethod,
            Letter::T => Self::Toast,
            Letter::S => Self::System,
        }
    }
}

impl Letter {
    fn to_char(self) -> char {
        match self {
            Self::A => 'A',
            Self::D => 'D',
            Self::P => 'P',
            Self::I => 'I',
            Self::T => 'T',
            Self::S => 'S',
        }
    }

    fn from_char(letter: char) -> Option<Self> {
        Some(match letter {
            'A' => Self::A,
            'D' => Self::D,
            'P' => Self::P,
            'I' => Self::I,
            'T' => Self::T,
            'S' => Self::S,
            _ => return None,
        })
    }
}

impl From<Reset> for ResetWord {
    fn from(reset: Reset) -> Self {
        match reset {
            Reset::Warm => Self::Warm,
            Reset::Clean => Self::Clean,
        }
    }
}

impl From<ResetWord> for Reset {
    fn from(word: ResetWord) -> Self {
        match word {
            ResetWord::Warm => Self::Warm,
            ResetWord::Clean => Self::Clean,
        }
    }
}

impl From<&Screen> for ScreenLine {
    fn from(screen: &Screen) -> Self {
        Self {
            activity: screen.activity.clone(),
            windows: screen.windows.iter().map(|&kind| Letter::from(kind).to_char()).collect(),
            tree: screen.tree,
            foreign: screen.foreign.clone(),
        }
    }
}

impl TryFrom<ScreenLine> for Screen {
    type Error = String;

    fn try_from(line: ScreenLine) -> Result<Self, String> {
        let window = |letter| {
            Letter::from_char(letter)
                .map(WindowKind::from)
                .ok_or_else(|| format!("`{letter}` is no sort of window"))
        };
        Ok(Self {
            windows: line.windows.chars().map(window).collect::<Result<_, _>>()?,
            activity: line.activity,
            tree: line.tree,
            foreign: line.foreign,
            structure: None,
        })
    }
}

impl From<&Touched> for TouchedLine {
    fn from(touched: &Touched) -> Self {
        match touched {
            Touched::Nothing => Self::Nothing,
            &Touched::Window(kind) => Self::Window(kind.into()),
            Touched::Widget(selector) => Self::Widget(selector.into()),
        }
    }
}

impl TryFrom<TouchedLine> for Touched {
    type Error = String;

    fn try_from(line: TouchedLine) -> Result<Self, String> {
        Ok(match line {
            TouchedLine::Nothing => Self::Nothing,
            TouchedLine::Window(letter) => Self::Window(letter.into()),
            TouchedLine::Widget(selector) => Self::Widget(selector.into()),
        })
    }
}

impl From<&Selector> for SelectorLine {
    fn from(selector: &Selector) -> Self {
        let Bounds { left, top, right, bottom } = selector.bounds;
        Self {
            class: selector.class.clone(),
            id: selector.id.clone(),
            text: selector.text.clone(),
            window: selector.window.into(),
            path: selector.path.clone(),
            bounds: [left, top, right, bottom],
        }
    }
}

impl From<SelectorLine> for Selector {
    fn from(line: SelectorLine) -> Self {
        let [left, top, right, bottom] = line.bounds;
        Self {
            class: line.class,
            id: line.id,
            text: line.text,
            window: line.window.into(),
            path: line.path,
            bounds: Bounds { left, top, right, bottom },
        }
    }
}

impl From<&Input> for InputLine {
    fn from(input: &Input) -> Self {
        match input {
            &Input::Tap(Point { x, y }) => Self::Tap(x, y),
            &Input::LongTap(Point { x, y }) => Self::LongTap(x, y),
            &Input::Swipe { from, to } => Self::Swipe(from.x, from.y, to.x, to.y),
            &Input::Pinch { center, open: true } => Self::PinchOpen(center.x, center.y),
            &Input::Pinch { center, open: false } => Self::PinchShut(center.x, center.y),
            Input::Text { at, text } => Self::Text(at.x, at.y, text.clone()),
            &Input::Key(key) => key_line(key),
            Input::Rotate => Self::Rotate,
            Input::HomeAndReturn => Self::HomeAndReturn,
            Input::ProcessDeath => Self::ProcessDeath,
            Input::Restart => Self::Restart,
            Input::DeepLink(address) => Self::DeepLink(address.clone()),
            &Input::Wait(millis) => Self::Wait(millis),
        }
    }
}

impl From<InputLine> for Input {
    fn from(line: InputLine) -> Self {
        match line {
            InputLine::Tap(x, y) => Self::Tap(Point { x, y }),
            InputLine::LongTap(x, y) => Self::LongTap(Point { x, y }),
            InputLine::Swipe(x, y, to_x, to_y) => {
                Self::Swipe { from: Point { x, y }, to: Point { x: to_x, y: to_y } }
            }
            InputLine::PinchOpen(x, y) => Self::Pinch { center: Point { x, y }, open: true },
            InputLine::PinchShut(x, y) => Self::Pinch { center: Point { x, y }, open: false },
            InputLine::Text(x, y, text) => Self::Text { at: Point { x, y }, text },
            InputLine::Key(word) => Self::Key(key(word)),
            InputLine::KeyCode(code) => Self::Key(Key::of(code)),
            InputLine::Rotate => Self::Rotate,
            InputLine::HomeAndReturn => Self::HomeAndReturn,
            InputLine::ProcessDeath => Self::ProcessDeath,
            InputLine::Restart => Self::Restart,
            InputLine::DeepLink(address) => Self::DeepLink(address),
            InputLine::Wait(millis) => Self::Wait(millis),
        }
    }
}

fn key_line(key: Key) -> InputLine {
    InputLine::Key(match key {
        Key::Back => KeyWord::Back,
        Key::Home => KeyWord::Home,
        Key::Menu => KeyWord::Menu,
        Key::Enter => KeyWord::Enter,
        Key::AppSwitch => KeyWord::AppSwitch,
        Key::VolumeUp => KeyWord::VolumeUp,
        Key::VolumeDown => KeyWord::VolumeDown,
        Key::Call => KeyWord::Call,
        Key::EndCall => KeyWord::EndCall,
        Key::DpadUp => KeyWord::DpadUp,
        Key::DpadDown => KeyWord::DpadDown,
        Key::DpadLeft => KeyWord::DpadLeft,
        Key::DpadRight => KeyWord::DpadRight,
        Key::DpadCenter => KeyWord::DpadCenter,
        Key::Code(code) => return InputLine::KeyCode(code),
    })
}

fn key(word: KeyWord) -> Key {
    match word {
        KeyWord::Back => Key::Back,
        KeyWord::Home => Key::Home,
        KeyWord::Menu => Key::Menu,
        KeyWord::Enter => Key::Enter,
        KeyWord::AppSwitch => Key::AppSwitch,
        KeyWord::VolumeUp => Key::VolumeUp,
        KeyWord::VolumeDown => Key::VolumeDown,
        KeyWord::Call => Key::Call,
        KeyWord::EndCall => Key::EndCall,
        KeyWord::DpadUp => Key::DpadUp,
        KeyWord::DpadDown => Key::DpadDown,
        KeyWord::DpadLeft => Key::DpadLeft,
        KeyWord::DpadRight => Key::DpadRight,
        KeyWord::DpadCenter => Key::DpadCenter,
    }
}

pub(super) fn numbers(branches: &[BranchId]) -> Vec<u32> {
    branches.iter().map(|branch| branch.0).collect()
}

pub(super) fn branches(numbers: Vec<u32>) -> Vec<BranchId> {
    numbers.into_iter().map(BranchId).collect()
}

/// Words are written as they are.
pub(super) fn word(word: &SmolStr) -> SmolStr {
    word.clone()
}
