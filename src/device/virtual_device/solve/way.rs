//! A way to a failure: its events, how likely they lead there, and its replay on a fresh phone.

use std::sync::Arc;

use super::super::app::{App, FailureIx};
use super::super::phone::{Chance, Phone};
use crate::action::{Event, Input, Key, Wait};
use crate::device::Reset;
use crate::gui::tree::Hit;
use crate::gui::{Flags, GuiTree, NodeIx};

/// A sequence of events from a clean start to a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The events, waits included.
    pub events: Vec<Event>,
    /// The events as a person reads them, one line each.
    pub lines: Vec<String>,
    /// How many events there are, waits apart.
    pub cost: u32,
    /// How likely all that is left to chance goes this way.
    pub probability: f64,
    /// What chance must answer, in the order in which it is asked.
    pub answers: Vec<bool>,
}

impl Way {
    /// Walks the events on a fresh phone. `None` if the failure is not met with the last of them.
    pub(super) fn replay(
        app: &Arc<App>,
        goal: FailureIx,
        events: Vec<Event>,
        answers: Vec<bool>,
    ) -> Option<Self> {
        let chance = Chance::Scripted { answers: answers.clone(), asked: Vec::new() };
        let mut phone = Phone::new(Arc::clone(app), chance);
        phone.reset(Reset::Clean);
        phone.wait(Wait::Settle);
        let mut lines = Vec::with_capacity(events.len());
        let mut failed = met(&mut phone, goal);
        for event in &events {
            let before = Arc::clone(&phone.screen().tree);
            let hit = phone.inject(&event.input);
            if !matches!(event.input, Input::Wait(_)) {
                phone.wait(event.wait);
            }
            lines.push(line(event, &before, hit));
            failed = met(&mut phone, goal);
        }
        let asked = phone.asked();
        let probability = asked
            .iter()
            .enumerate()
            .map(|(ix, yes)| if answers.get(ix).copied().unwrap_or(false) { *yes } else { 1.0 - yes })
            .product();
        let cost = events.iter().map(Event::cost).sum();
        failed.then_some(Self { events, lines, cost, probability, answers })
    }
}

fn met(phone: &mut Phone, goal: FailureIx) -> bool {
    phone.take_happened().failures.iter().any(|(ix, _)| *ix == goal)
}

fn line(event: &Event, before: &GuiTree, hit: Option<Hit>) -> String {
    let at = |reacts| {
        let touched = event.input.point().map(|point| before.hit(point, reacts)).or(hit);
        match touched {
            Some(Hit::Widget(_, node)) => name(before, node),
            _ => "the empty screen".to_owned(),
        }
    };
    let what = match &event.input {
        Input::Tap(_) => format!("tap {}", at(Flags::CLICKABLE)),
        Input::LongTap(_) => format!("hold {}", at(Flags::LONG_CLICKABLE)),
        Input::Swipe { from, to } => {
            let (dx, dy) = (to.x - from.x, to.y - from.y);
            let direction = match (dx.abs() > dy.abs(), dx > 0, dy > 0) {
                (true, true, _) => "right",
                (true, false, _) => "left",
                (false, _, true) => "down",
                (false, _, false) => "up",
            };
            format!("swipe {direction} on {}", at(Flags::SCROLLABLE))
        }
        Input::Pinch { .. } => format!("pinch {}", at(Flags::VISIBLE)),
        Input::Text { text, .. } => format!("enter {} into {}", shortened(text), at(Flags::EDITABLE)),
        Input::Key(Key::Back) => "press BACK".to_owned(),
        Input::Key(Key::Menu) => "press MENU".to_owned(),
        Input::Key(Key::Enter) => "press ENTER".to_owned(),
        Input::Key(key) => format!("press {key:?}"),
        Input::Rotate => "rotate the screen".to_owned(),
        Input::HomeAndReturn => "press HOME and come back".to_owned(),
        Input::ProcessDeath => "leave, let the system kill the process, and come back".to_owned(),
        Input::Restart => "stop the app and start it again".to_owned(),
        Input::DeepLink(address) => format!("open {address}"),
        Input::Wait(ms) => format!("wait {ms} ms"),
    };
    match event.wait {
        Wait::Millis(ms) if event.cost() > 0 => format!("{what}, then only {ms} ms"),
        _ => what,
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let count = text.chars().count();
    if count <= SHOWN {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(8).collect();
    format!("{start:?}… ({count} characters)")
}

/// What a person calls a widget: what it shows or, where it shows nothing, what is in it.
fn name(tree: &GuiTree, node: NodeIx) -> String {
    let widget = tree.widget(node);
    let inside = (node.0..tree.node(node).end.0).map(|ix| tree.widget(NodeIx(ix)));
    let shown = inside.flat_map(|widget| [&widget.text, &widget.content_desc]).find(|text| !text.is_empty());
    let class = widget.short_class();
    match (shown, widget.short_id()) {
        (Some(text), "") => format!("{:?} ({class})", text.as_str()),
        (Some(text), id) => format!("{:?} ({class} {id})", text.as_str()),
        (None, "") => class.to_owned(),
        (None, id) => format!("{id} ({class})"),
    }
}
