//! The words that reader and writer share: window types and actions.

use crate::gui::{ActionSet, WindowKind};

/// The package whose windows a page source lists beside the app's own.
pub(super) const SYSTEM_UI: &str = "com.android.systemui";

/// Android's name of a window's type, and ours where Android has none.
pub(super) fn window_words(kind: WindowKind) -> (&'static str, Option<&'static str>) {
    match kind {
        WindowKind::Application => ("TYPE_APPLICATION", None),
        WindowKind::Dialog => ("TYPE_APPLICATION", Some("dialog")),
        WindowKind::Popup => ("TYPE_APPLICATION", Some("popup")),
        WindowKind::Toast => ("TYPE_SYSTEM", Some("toast")),
        WindowKind::InputMethod => ("TYPE_INPUT_METHOD", None),
        WindowKind::System => ("TYPE_SYSTEM", None),
    }
}

/// The window kind behind one of Android's types, in words or as the number of `AccessibilityWindowInfo`.
pub(super) fn window_type(word: &str) -> Option<WindowKind> {
    Some(match word {
        "TYPE_APPLICATION" | "1" => WindowKind::Application,
        "TYPE_INPUT_METHOD" | "2" => WindowKind::InputMethod,
        "TYPE_SYSTEM"
        | "TYPE_ACCESSIBILITY_OVERLAY"
        | "TYPE_SPLIT_SCREEN_DIVIDER"
        | "TYPE_MAGNIFICATION_OVERLAY"
        | "TYPE_WINDOW_CONTROL"
        | "3"
        | "4"
        | "5"
        | "6"
        | "7" => WindowKind::System,
        _ => return None,
    })
}

/// The window kind behind one of our own words.
pub(super) fn window_kind(word: &str) -> Option<WindowKind> {
    Some(match word {
        "dialog" => WindowKind::Dialog,
        "popup" => WindowKind::Popup,
        "toast" => WindowKind::Toast,
        _ => return None,
    })
}

/// Our word for each action, in the order in which they are written.
pub(super) const ACTIONS: [(ActionSet, &str); 8] = [
    (ActionSet::TAP, "tap"),
    (ActionSet::LONG_TAP, "long-tap"),
    (ActionSet::SCROLL_DOWN, "scroll-down"),
    (ActionSet::SCROLL_UP, "scroll-up"),
    (ActionSet::SCROLL_RIGHT, "scroll-right"),
    (ActionSet::SCROLL_LEFT, "scroll-left"),
    (ActionSet::TEXT, "text"),
    (ActionSet::PINCH, "pinch"),
];

/// The action behind a word of ours. An unknown word has none.
pub(super) fn action(word: &str) -> Option<ActionSet> {
    ACTIONS.iter().find(|(_, known)| *known == word).map(|&(action, _)| action)
}
