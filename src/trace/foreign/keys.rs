//! Android's key codes and their names.

use crate::action::Key;

/// The key with a name such as `KEYCODE_BACK`, or with its number.
pub(super) fn named(name: &str) -> Option<Key> {
    if let Ok(code) = name.parse() {
        return Some(Key::of(code));
    }
    let name = name.strip_prefix("KEYCODE_").unwrap_or(name);
    if let [letter] = name.as_bytes() {
        return match letter {
            b'0'..=b'9' => Some(Key::of(i32::from(letter - b'0') + 7)),
            b'A'..=b'Z' => Some(Key::of(i32::from(letter - b'A') + 29)),
            _ => None,
        };
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, code)| Key::of(code))
}

/// The keys that Monkey and people press; the others are given by their number.
const NAMES: &[(&str, i32)] = &[
    ("SOFT_LEFT", 1),
    ("SOFT_RIGHT", 2),
    ("HOME", 3),
    ("BACK", 4),
    ("CALL", 5),
    ("ENDCALL", 6),
    ("STAR", 17),
    ("POUND", 18),
    ("DPAD_UP", 19),
    ("DPAD_DOWN", 20),
    ("DPAD_LEFT", 21),
    ("DPAD_RIGHT", 22),
    ("DPAD_CENTER", 23),
    ("VOLUME_UP", 24),
    ("VOLUME_DOWN", 25),
    ("POWER", 26),
    ("CAMERA", 27),
    ("CLEAR", 28),
    ("COMMA", 55),
    ("PERIOD", 56),
    ("ALT_LEFT", 57),
    ("ALT_RIGHT", 58),
    ("SHIFT_LEFT", 59),
    ("SHIFT_RIGHT", 60),
    ("TAB", 61),
    ("SPACE", 62),
    ("SYM", 63),
    ("EXPLORER", 64),
    ("ENVELOPE", 65),
    ("ENTER", 66),
    ("DEL", 67),
    ("GRAVE", 68),
    ("MINUS", 69),
    ("EQUALS", 70),
    ("LEFT_BRACKET", 71),
    ("RIGHT_BRACKET", 72),
    ("BACKSLASH", 73),
    ("SEMICOLON", 74),
    ("APOSTROPHE", 75),
    ("SLASH", 76),
    ("AT", 77),
    ("NUM", 78),
    ("HEADSETHOOK", 79),
    ("FOCUS", 80),
    ("PLUS", 81),
    ("MENU", 82),
    ("NOTIFICATION", 83),
    ("SEARCH", 84),
    ("MEDIA_PLAY_PAUSE", 85),
    ("MEDIA_STOP", 86),
    ("MEDIA_NEXT", 87),
    ("MEDIA_PREVIOUS", 88),
    ("MUTE", 91),
    ("PAGE_UP", 92),
    ("PAGE_DOWN", 93),
    ("ESCAPE", 111),
    ("FORWARD_DEL", 112),
    ("MOVE_HOME", 122),
    ("MOVE_END", 123),
    ("VOLUME_MUTE", 164),
    ("APP_SWITCH", 187),
    ("LANGUAGE_SWITCH", 204),
    ("ASSIST", 219),
    ("SLEEP", 223),
    ("WAKEUP", 224),
];
