//! Events of a trace as a script for `monkey -f`, with the pauses between them (CHARD Figure 10).

use std::fmt::Write as _;

use smol_str::SmolStr;

use crate::action::{Input, Key, Wait};
use crate::gui::Point;
use crate::letters::is_harmless;
use crate::trace::Trace;
use crate::trace::replay::{describe, step};

/// The pause after an event that was recorded as settled, in milliseconds: what CHARD and SimplyDroid wait.
const SETTLED_MS: u32 = 800;
/// How long a finger stays down for a long tap, in milliseconds.
const HOLD_MS: u32 = 1_500;
/// In how many steps a finger moves.
const DRAG_STEPS: u32 = 10;
/// How far two fingers are apart, near and far, in pixels.
const PINCH: (i32, i32) = (40, 240);

/// The script of some events of a trace, by their positions, in this order, with a remark for who reads it. What a script
/// cannot do is a comment in it.
pub fn render(trace: &Trace, launch: Option<&SmolStr>, positions: &[usize], remark: Option<&str>) -> String {
    let mut writer = Writer { out: String::new(), trace, launch, turned: false, touched: None };
    writer.out.push_str("# Start Script\n");
    if let Some(remark) = remark {
        writer.comment(remark);
    }
    writer.out.push_str("type= user\n");
    let _ = writeln!(writer.out, "count= {}\nspeed= 1.0\nstart data >>", positions.len() + 1);
    writer.launch();
    writer.wait(SETTLED_MS);
    for &position in positions {
        writer.event(position);
    }
    writer.out
}

struct Writer<'a> {
    out: String,
    trace: &'a Trace,
    launch: Option<&'a SmolStr>,
    turned: bool,
    /// Where the last event tapped, if it did.
    touched: Option<Point>,
}

impl Writer<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{line}");
    }

    fn wait(&mut self, ms: u32) {
        if ms > 0 {
            self.line(format_args!("UserWait({ms})"));
        }
    }

    fn launch(&mut self) {
        let (package, activity) = (safe_name(&self.trace.package), self.launch.map(|name| safe_name(name)));
        match activity {
            Some(activity) if !package.is_empty() && !activity.is_empty() => {
                let full = if activity.contains('.') { activity } else { format!("{package}.{activity}") };
                self.line(format_args!("LaunchActivity({package}, {full})"));
            }
            _ => self.comment("launch the app by hand: its activity is not in the trace"),
        }
    }

    /// A comment must not look like an event to Monkey's reader, which looks for brackets.
    fn comment(&mut self, text: &str) {
        let text: String =
            text.chars().filter(|c| is_harmless(*c) && !matches!(c, '(' | ')')).take(120).collect();
        self.line(format_args!("# {text}"));
    }

    fn event(&mut self, position: usize) {
        let Some(event) = self.trace.events.get(position) else { return };
        let touched = self.touched.take();
        if event.is_left_out() {
            // A script cannot look whether the widget is there, and what else is there is not meant.
            self.comment(&format!("by hand: {}", step(event)));
            return;
        }
        match &event.input {
            Input::Tap(at @ Point { x, y }) => {
                self.touched = Some(*at);
                self.line(format_args!("Tap({x}.0, {y}.0, 0)"));
            }
            Input::LongTap(Point { x, y }) => {
                self.line(format_args!("PressAndHold({x}.0, {y}.0, {HOLD_MS})"));
            }
            Input::Swipe { from, to } => self
                .line(format_args!("Drag({}.0, {}.0, {}.0, {}.0, {DRAG_STEPS})", from.x, from.y, to.x, to.y)),
            Input::Pinch { center: Point { x, y }, open } => {
                let (start, end) = if *open { PINCH } else { (PINCH.1, PINCH.0) };
                self.line(format_args!(
                    "PinchZoom({}.0, {y}.0, {}.0, {y}.0, {}.0, {y}.0, {}.0, {y}.0, {DRAG_STEPS})",
                    x.saturating_sub(start),
                    x.saturating_sub(end),
                    x.saturating_add(start),
                    x.saturating_add(end)
                ));
            }
            Input::Text { at: at @ Point { x, y }, text } => {
                // A field that was just touched has the focus already.
                if touched != Some(*at) {
                    self.line(format_args!("Tap({x}.0, {y}.0, 0)"));
                }
                // Monkey hands the text to a command: only what no command can misread goes there.
                if !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') {
                    self.line(format_args!("DispatchString({text})"));
                } else {
                    self.comment(&format!("type by hand: {text}"));
                }
            }
            Input::Key(key) => self.line(format_args!("DispatchPress({})", key.code())),
            Input::Rotate => {
                self.turned = !self.turned;
                let turned = i32::from(self.turned);
                self.line(format_args!("RotateScreen({turned}, 1)"));
            }
            Input::HomeAndReturn => {
                self.line(format_args!("DispatchPress({})", Key::Home.code()));
                self.wait(SETTLED_MS);
                self.launch();
            }
            Input::ProcessDeath | Input::Restart => {
                self.comment(&format!("by hand: {}", describe(event)));
                self.launch();
            }
            Input::DeepLink(_) => self.comment(&format!("by hand: {}", describe(event))),
            Input::Wait(_) => {}
        }
        let pause = match event.wait {
            Wait::Settle => SETTLED_MS,
            Wait::Millis(ms) => ms,
        };
        let waits = self.trace.events[position + 1..].iter().map_while(|event| match event.input {
            Input::Wait(ms) => Some(ms),
            _ => None,
        });
        let waits = waits.fold(0_u32, u32::saturating_add);
        // A script that was read has its pauses as events of their own.
        self.wait(if waits > 0 && event.wait == Wait::Settle { waits } else { pause.saturating_add(waits) });
    }
}

/// Only what a package or class can be made of.
fn safe_name(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$')).collect()
}
