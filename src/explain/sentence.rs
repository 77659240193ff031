//! An event as a sentence in CHARD's semi-structured form (CHARD 6).

use smol_str::SmolStr;

use super::Level;
use crate::gui::{Point, Selector};
use crate::letters::plain;
use crate::trace::user_event::{Object, Operation, UserEvent, UserSequence, WindowStatus};

/// Longer texts of an app are cut off.
const LONGEST_TEXT: usize = 60;

/// Makes the sentences of a sequence, one after the other: whether a window is new or returned to depends on what came before.
pub struct Sentences<'a> {
    sequence: &'a UserSequence,
    /// The windows from the first to the one in front.
    open: Vec<WindowStatus>,
    /// The run that was written down has failed.
    has_failed: bool,
}

impl<'a> Sentences<'a> {
    /// Starts before the first event.
    pub fn new(sequence: &'a UserSequence) -> Self {
        let first = sequence.events.first().and_then(|event| event.source.window.clone());
        Self { sequence, open: first.into_iter().collect(), has_failed: false }
    }

    /// The next event: as a sentence, and in a few words.
    pub fn next(&mut self, event: &UserEvent) -> (String, String) {
        let result = self.result(event);
        let mut done = operates(event);
        if self.has_failed {
            done = done.map(|done| format!("{done} in runs that have not failed by then"));
        }
        self.has_failed |= event.fails;
        let ids = event.ids;
        let kind = event.operation.word();
        let level = Level::of(event).word();
        let text = match (&done, &result) {
            (Some(done), Some(result)) => {
                format!("#{ids} is a {kind} event that {done}, causing {result}, whose level is {level}.")
            }
            (Some(done), None) => format!("#{ids} is a {kind} event that {done}, whose level is {level}."),
            (None, Some(result)) => {
                format!("#{ids} is a {kind} event that causes {result}, whose level is {level}.")
            }
            (None, None) => {
                format!("#{ids} is a {kind} event that hits no widget, whose level is {level}.")
            }
        };
        (text, done.unwrap_or_else(|| "hits no widget".to_owned()))
    }

    fn result(&mut self, event: &UserEvent) -> Option<String> {
        if event.fails {
            return Some(failing(self.sequence).to_owned());
        }
        let (from, to) = (event.source.window.as_ref()?, event.destination.window.as_ref()?);
        if from == to {
            return None;
        }
        let before = self.open.iter().position(|open| open == to);
        match before {
            Some(at) => self.open.truncate(at + 1),
            None => self.open.push(to.clone()),
        }
        let activity = activity_name(self.sequence, to);
        Some(if from.activity == to.activity && from.foreign == to.foreign {
            if to.name.is_empty() {
                format!("the close of window \"{}\" of activity {activity}", from.name)
            } else {
                format!("the launch of window \"{}\" of activity {activity}", to.name)
            }
        } else {
            let over = if to.name.is_empty() { String::new() } else { format!("window \"{}\" of ", to.name) };
            let what = if before.is_some() { "the return to" } else { "the launch of" };
            format!("{what} {over}activity {activity}")
        })
    }
}

/// What the failure at the end of a sequence does.
fn failing(sequence: &UserSequence) -> &'static str {
    match sequence.end.as_deref() {
        Some("anr") => "the app to stop responding (ANR)",
        Some("exit") => "the exit of app",
        Some("swallowed") => "an exception that the app's own handler swallows",
        _ => "the crash of app",
    }
}

/// The line of the launch; where nothing was done after it, it is what fails.
pub fn launch(sequence: &UserSequence, main: Option<&SmolStr>) -> String {
    let activity = if sequence.events.is_empty() {
        Some(format!(", causing {}", failing(sequence)))
    } else {
        main.map(|main| {
            format!(", causing the launch of activity {}", quoted(&sequence.short_activity(main)))
        })
    };
    format!(
        "#0 is a Appswitch event that opens the entry page of {}{}, whose level is Essential.",
        quoted(&sequence.package),
        activity.unwrap_or_default()
    )
}

/// A window as reports call it.
pub fn window_name(sequence: &UserSequence, window: &WindowStatus) -> String {
    let activity = match &window.foreign {
        Some(package) => format!("{} of {package}", sequence.short_activity(&window.activity)),
        None => sequence.short_activity(&window.activity).to_string(),
    };
    plain(&if window.name.is_empty() { activity } else { format!("{activity} + {}", window.name) })
}

fn activity_name(sequence: &UserSequence, window: &WindowStatus) -> String {
    let name = quoted(&sequence.short_activity(&window.activity));
    match &window.foreign {
        Some(package) => format!("{name} of {}", quoted(package)),
        None => name,
    }
}

/// What is done to what; nothing if no widget is hit.
fn operates(event: &UserEvent) -> Option<String> {
    let text = event.text.as_deref().map(quoted).unwrap_or_default();
    Some(match (event.operation, &event.object) {
        (Operation::Rotation, _) => "turns the screen".to_owned(),
        (Operation::Background, _) => "leaves the app and comes back to it".to_owned(),
        (Operation::Restart, _) => "ends the app's process and starts it again".to_owned(),
        (Operation::Appswitch, _) => format!("opens {text}"),
        (_, Some(Object::Key(key))) => format!("presses {}", key.name()),
        (_, Some(Object::Missing(widget))) => format!("finds no {} in this run", widget_name(widget)),
        (operation, Some(object)) => {
            let place = match object {
                Object::Widget(widget) => widget_name(widget),
                Object::Place(Point { x, y }) => format!("the point {x},{y}"),
                Object::Key(_) | Object::Missing(_) => return None,
            };
            match operation {
                Operation::LongTouch => format!("presses and holds {place}"),
                Operation::Motion => format!("slides over {place}"),
                Operation::PinchZoom => format!("zooms {place}"),
                Operation::Text => format!("enters {text} into {place}"),
                _ => format!("clicks on {place}"),
            }
        }
        (_, None) => return None,
    })
}

/// `Button with the id "save" and text "Save changes"`.
fn widget_name(widget: &Selector) -> String {
    let class = if widget.class.is_empty() { "a widget" } else { widget.short_class() };
    match (widget.short_id(), widget.text.as_str()) {
        ("", "") => class.to_owned(),
        ("", text) => format!("{class} with text {}", quoted(text)),
        (id, "") => format!("{class} with the id {}", quoted(id)),
        (id, text) => format!("{class} with the id {} and text {}", quoted(id), quoted(text)),
    }
}

/// What an app says, in quotes, on one line and not too long.
pub fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_TEXT).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("\"{}\"", plain(&shown).replace('"', "'"))
}
