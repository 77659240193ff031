//! Sequences written down as people write them.

use super::*;
use crate::gui::Bounds;

/// One event a line: `Source/tree operation object => Destination/tree : methods`. A window over an activity is written
/// `Add+date`, an object `Class#id@0.1` with its path, nothing `-`, and `!` in place of the destination is the crash.
pub(crate) fn sequence(text: &str) -> UserSequence {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let events: Vec<UserEvent> = lines.enumerate().map(|(at, line)| event(at, line)).collect();
    UserSequence::new("org.example", None, events)
}

fn event(position: usize, line: &str) -> UserEvent {
    let (left, right) = line.split_once("=>").expect("an arrow");
    let (destination, methods) = right.split_once(':').unwrap_or((right, ""));
    let mut words = left.split_whitespace();
    let source = status(words.next().expect("a source"));
    let operation = match words.next().expect("an operation") {
        "touch" => Operation::Touch,
        "slide" => Operation::Motion,
        "text" => Operation::Text,
        "key" => Operation::SysOp,
        "rotate" => Operation::Rotation,
        "launch" => Operation::Appswitch,
        "restart" => Operation::Restart,
        other => panic!("no operation: {other}"),
    };
    let object = words.next().and_then(object);
    let text = words.next().map(SmolStr::new);
    let fails = destination.trim() == "!";
    let destination = if fails { AppStatus::default() } else { status(destination.trim()) };
    let methods = methods.split_whitespace().map(|id| BranchId(id.parse().expect("a number"))).collect();
    let methods = Some(methods);
    let ids = Ids::one(position as u32 + 1);
    UserEvent { ids, position, operation, object, source, destination, methods, text, fails }
}

fn status(word: &str) -> AppStatus {
    let (window, tree) = word.split_once('/').unwrap_or((word, "1"));
    let (activity, name) = window.split_once('+').unwrap_or((window, ""));
    let window = WindowStatus {
        activity: activity.into(),
        name: name.into(),
        popup: name.contains("popup"),
        foreign: None,
    };
    AppStatus { window: Some(window), tree: Some(TreeHash(tree.parse().expect("a number"))) }
}

fn object(word: &str) -> Option<Object> {
    let key = match word {
        "-" => return None,
        "home" => Key::Home,
        "back" => Key::Back,
        "call" => Key::Call,
        "volume-up" => Key::VolumeUp,
        "volume-down" => Key::VolumeDown,
        _ => return Some(Object::Widget(widget(word))),
    };
    Some(Object::Key(key))
}

pub(crate) fn widget(word: &str) -> Selector {
    let (name, path) = word.split_once('@').unwrap_or((word, ""));
    let (class, id) = name.split_once('#').unwrap_or((name, ""));
    Selector {
        class: format_smolstr!("android.widget.{class}"),
        id: id.into(),
        text: SmolStr::default(),
        window: WindowKind::Application,
        path: path.split('.').filter_map(|part| part.parse().ok()).collect(),
        bounds: Bounds::default(),
    }
}
