//! APE's `action-history.log`: one action a line, a time and a JSON object.

use serde::Deserialize;
use smol_str::SmolStr;

use super::gesture::{At, pinch};
use super::{
    Absent, Foreign, ForeignError, ForeignTrace, Format, Issues, Launch, LogFile, event, trace_of, xpath,
};
use crate::action::{Input, Key, Wait};
use crate::device::Reset;
use crate::gui::{Bounds, Point};
use crate::oracle::report::{clipped, numbered, package_of, text_of};
use crate::oracle::stack::parse_stack;
use crate::oracle::{App, Failure, FailureKind};
use crate::trace::record::TraceEvent;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Action {
    #[serde(rename = "actionType")]
    kind: String,
    #[serde(default)]
    throttle: i64,
    full: Option<String>,
    target: Option<String>,
    bounds: Option<String>,
    input_text: Option<String>,
    package_name: Option<String>,
    class_name: Option<String>,
    crash: Option<Crash>,
    #[serde(default)]
    events: Vec<Fuzz>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Crash {
    #[serde(default)]
    process_name: String,
    #[serde(default)]
    short_msg: String,
    #[serde(default)]
    long_msg: String,
    #[serde(default)]
    stack_trace: String,
}

/// One event of a fuzzing action. Numbers may be written as texts.
#[derive(Deserialize)]
struct Fuzz {
    #[serde(rename = "type")]
    class: String,
    x: Option<serde_json::Value>,
    y: Option<serde_json::Value>,
    #[serde(rename = "longClick")]
    long_click: Option<serde_json::Value>,
    key: Option<i32>,
    home: Option<bool>,
    values: Option<serde_json::Value>,
}

/// The line is an action: a number, a space, a JSON object.
pub(super) fn is_action(line: &str) -> bool {
    line.contains("\"actionType\"")
        && line.split_once(' ').is_some_and(|(time, rest)| {
            time.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with('{')
        })
}

pub(super) fn read(file: &LogFile<'_>) -> Result<Foreign, ForeignError> {
    let text = text_of(&file.bytes);
    let mut issues = Issues::of(&file.name);
    let mut reader =
        Reader { number: 0, traces: Vec::new(), part: Part::default(), package: SmolStr::default() };
    for (number, line) in numbered(&text) {
        reader.number = number;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let Some((_, json)) = line.split_once(' ').filter(|_| is_action(line)) else {
            issues.add(number, format!("`{}` is no action: cut off or garbled; left out", clipped(line, 60)));
            continue;
        };
        match serde_json::from_str::<Action>(json) {
            Ok(action) => {
                if let Err(problem) = reader.action(action) {
                    issues.add(number, problem);
                }
            }
            Err(error) => issues.add(number, format!("the action is no valid JSON ({error}); left out")),
        }
    }
    reader.end(None);
    if reader.traces.is_empty() {
        return Err(ForeignError::Unusable {
            path: file.path.to_owned(),
            line: reader.number,
            problem: "the history has no actions".into(),
            remedy: "APE writes it when it ends; let it end by itself",
        });
    }
    let absent = &[Absent::Activity, Absent::GuiTree, Absent::WindowOfWidget, Absent::AppVersion];
    Ok(Foreign { format: Format::Ape, traces: reader.traces, absent, issues: issues.finish() })
}

struct Reader {
    number: usize,
    traces: Vec<ForeignTrace>,
    part: Part,
    /// The app: the first that was started.
    package: SmolStr,
}

struct Part {
    line: usize,
    launch: Option<Launch>,
    start: Reset,
    events: Vec<TraceEvent>,
}

impl Default for Part {
    fn default() -> Self {
        Self { line: 0, launch: None, start: Reset::Warm, events: Vec::new() }
    }
}

impl Reader {
    fn action(&mut self, action: Action) -> Result<(), String> {
        let wait = match u32::try_from(action.throttle) {
            Ok(ms) if ms > 0 => Wait::Millis(ms),
            _ => Wait::Settle,
        };
        match action.kind.as_str() {
            "EVENT_START" | "EVENT_RESTART" | "EVENT_CLEAN_RESTART" => self.start(&action),
            "EVENT_NOP" => {
                self.push(event(Input::Wait(u32::try_from(action.throttle).unwrap_or(0)), Wait::Settle));
            }
            "EVENT_ACTIVATE" => self.push(event(Input::HomeAndReturn, wait)),
            "MODEL_BACK" => self.push(event(Input::Key(Key::Back), wait)),
            "PHANTOM_CRASH" => {
                let crash = action.crash.ok_or("a crash without its details; left out")?;
                let failure = failure(&crash);
                if let Err(refusal) = App::named(&self.package).judge(&crash.process_name) {
                    return Err(format!("{}: {refusal}", failure.headline()));
                }
                self.end(Some(failure));
            }
            "FUZZ" => {
                let mut lost = 0;
                for fuzz in &action.events {
                    match fuzz.input() {
                        Some(input) => self.push(event(input, Wait::Millis(0))),
                        None => lost += 1,
                    }
                }
                if lost > 0 {
                    return Err(format!(
                        "{lost} fuzzing events without coordinates or counterpart; left out"
                    ));
                }
            }
            _ => self.model_action(action, wait)?,
        }
        Ok(())
    }

    fn model_action(&mut self, action: Action, wait: Wait) -> Result<(), String> {
        let kind = action.kind.as_str();
        if !kind.starts_with("MODEL_") {
            return Err(format!("`{}` is no action of APE; left out", clipped(kind, 40)));
        }
        let bounds =
            action.bounds.as_deref().and_then(parse_bounds).ok_or_else(|| {
                format!("`{}` without the place of its widget; left out", clipped(kind, 40))
            })?;
        let at = bounds.center();
        let input = match (kind, action.input_text) {
            ("MODEL_CLICK", Some(text)) => Input::Text { at, text },
            ("MODEL_CLICK", None) => Input::Tap(at),
            ("MODEL_LONG_CLICK", _) => Input::LongTap(at),
            // The finger goes from the middle to the edge of the screen; of the screen, only the widget is known.
            ("MODEL_SCROLL_TOP_DOWN", _) => swipe(at, Point { y: bounds.bottom - 1, ..at }),
            ("MODEL_SCROLL_BOTTOM_UP", _) => swipe(at, Point { y: bounds.top, ..at }),
            ("MODEL_SCROLL_LEFT_RIGHT", _) => swipe(at, Point { x: bounds.right - 1, ..at }),
            ("MODEL_SCROLL_RIGHT_LEFT", _) => swipe(at, Point { x: bounds.left, ..at }),
            _ => return Err(format!("`{}` is no action of APE; left out", clipped(kind, 40))),
        };
        let xpath = action.full.or(action.target).unwrap_or_default();
        self.push(TraceEvent { target: xpath::selector(&xpath, bounds), ..event(input, wait) });
        Ok(())
    }

    fn start(&mut self, action: &Action) {
        self.end(None);
        let package = SmolStr::new(action.package_name.as_deref().unwrap_or_default());
        if self.package.is_empty() {
            self.package = package.clone();
        }
        let activity = SmolStr::new(action.class_name.as_deref().unwrap_or_default());
        self.part.line = self.number;
        self.part.launch = Some(Launch { package, activity });
        if action.kind == "EVENT_CLEAN_RESTART" {
            self.part.start = Reset::Clean;
        }
    }

    fn push(&mut self, event: TraceEvent) {
        if self.part.line == 0 {
            self.part.line = self.number;
        }
        self.part.events.push(event);
    }

    /// The trace ends: with a failure, a restart or the log. A launch that nothing follows is no trace.
    fn end(&mut self, failure: Option<Failure>) {
        let part = std::mem::take(&mut self.part);
        if part.events.is_empty() && failure.is_none() {
            return;
        }
        let trace = trace_of(&self.package, part.start, part.events, failure.as_ref());
        self.traces.push(ForeignTrace { trace, launch: part.launch, failure, line: part.line });
    }
}

impl Fuzz {
    fn input(&self) -> Option<Input> {
        let values =
            || -> Option<Vec<f64>> { self.values.as_ref()?.as_array()?.iter().map(number).collect() };
        Some(match self.class.as_str() {
            "ApeClickEvent" => {
                let at = At::new(number(self.x.as_ref()?)?, number(self.y.as_ref()?)?)?.point();
                let long = self.long_click.as_ref().is_some_and(|long| long == "true" || *long == true);
                if long { Input::LongTap(at) } else { Input::Tap(at) }
            }
            "ApeKeyEvent" => Input::Key(Key::of(self.key?)),
            "ApeRotationEvent" => Input::Rotate,
            "ApeAppSwitchEvent" if self.home == Some(true) => Input::HomeAndReturn,
            "ApeAppSwitchEvent" => Input::Key(Key::AppSwitch),
            "ApeDragEvent" => {
                let values = values()?;
                let [x, y, .., to_x, to_y] = values[..] else { return None };
                swipe(At::new(x, y)?.point(), At::new(to_x, to_y)?.point())
            }
            "ApePinchOrZoomEvent" => {
                let values = values()?;
                // The first point is the first finger alone, coming down; the last one the same, leaving.
                let [_, _, x, y, second_x, second_y, .., to_x, to_y, second_to_x, second_to_y, _, _] =
                    values[..]
                else {
                    return None;
                };
                pinch(
                    At::new(x, y)?,
                    At::new(to_x, to_y)?,
                    At::new(second_x, second_y)?,
                    At::new(second_to_x, second_to_y)?,
                )
            }
            _ => return None,
        })
    }
}

fn number(value: &serde_json::Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn swipe(from: Point, to: Point) -> Input {
    if from == to { Input::Tap(from) } else { Input::Swipe { from, to } }
}

/// `left,top,right,bottom`.
fn parse_bounds(text: &str) -> Option<Bounds> {
    const MAX: i32 = 100_000;
    let mut edges =
        text.split(',').map(|edge| edge.trim().parse::<i32>().ok().filter(|edge| edge.abs() <= MAX));
    let bounds = Bounds::new(edges.next()??, edges.next()??, edges.next()??, edges.next()??);
    edges.next().is_none().then_some(bounds)
}

fn failure(crash: &Crash) -> Failure {
    let native = crash.short_msg.starts_with("Native crash");
    let (chain, _) = parse_stack(if native { "" } else { &crash.stack_trace });
    Failure {
        kind: if native { FailureKind::Native } else { FailureKind::Java },
        package: package_of(&crash.process_name).to_owned(),
        chain,
        message: if crash.long_msg.is_empty() { crash.short_msg.clone() } else { crash.long_msg.clone() },
    }
}
