//! Scripts for `monkey -f`: user events (`Tap`, `Drag`, `DispatchPress` …) and raw ones (`DispatchPointer` …).

use std::str::FromStr;

use smol_str::SmolStr;

use super::gesture::{At, Gesture, LONG_TAP_MS, Phase, pinch};
use super::{
    Absent, Foreign, ForeignError, ForeignTrace, Format, Issues, Launch, LogFile, event, keys, trace_of,
};
use crate::action::{Input, Key, Wait};
use crate::device::Reset;
use crate::gui::Point;
use crate::oracle::report::{clipped, numbered, text_of};
use crate::trace::record::TraceEvent;

/// What a script holds.
pub(super) struct Script {
    pub(super) launch: Option<Launch>,
    pub(super) events: Vec<TraceEvent>,
    pub(super) line: usize,
}

/// The words a script line can begin with, and what becomes of them.
const IGNORED: &[&str] = &[
    "DeviceWakeUp",
    "LaunchInstrumentation",
    "PowerLog",
    "WriteLog",
    "RunCmd",
    "StartCaptureFramerate",
    "EndCaptureFramerate",
    "StartCaptureAppFramerate",
    "EndCaptureAppFramerate",
    "DispatchFlip",
    "DispatchTrackball",
];
const USED: &[&str] = &[
    "Tap",
    "Drag",
    "DispatchPress",
    "LaunchActivity",
    "DispatchPointer",
    "DispatchKey",
    "PressAndHold",
    "PinchZoom",
    "UserWait",
    "ProfileWait",
    "LongPress",
    "RotateScreen",
    "DispatchString",
];

/// How long `ProfileWait` waits unless Monkey is told otherwise, in milliseconds.
const PROFILE_WAIT_MS: u32 = 5000;

/// The line is an event of a script.
pub(super) fn is_event(line: &str) -> bool {
    call(line).is_some_and(|(name, _)| USED.contains(&name) || IGNORED.contains(&name))
}

pub(super) fn read(file: &LogFile<'_>) -> Result<Foreign, ForeignError> {
    let mut issues = Issues::of(&file.name);
    let text = text_of(&file.bytes);
    let script = parse(&text, &mut issues);
    let absent = &[
        Absent::Activity,
        Absent::GuiTree,
        Absent::Widget,
        Absent::Pauses,
        Absent::AppVersion,
        Absent::FractionsOfPixels,
    ];
    let script = script.usable(file)?;
    let package = script.launch.as_ref().map(|launch| launch.package.clone()).unwrap_or_default();
    let trace = trace_of(&package, Reset::Warm, script.events, None);
    let traces = vec![ForeignTrace { trace, launch: script.launch, failure: None, line: script.line }];
    Ok(Foreign { format: Format::MonkeyScript, traces, absent, issues: issues.finish() })
}

impl Script {
    /// A script without any event is no trace.
    pub(super) fn usable(self, file: &LogFile<'_>) -> Result<Self, ForeignError> {
        if self.events.is_empty() && self.launch.is_none() {
            return Err(ForeignError::Unusable {
                path: file.path.to_owned(),
                line: self.line.max(1),
                problem: "the script has no events".into(),
                remedy: "record it again; user events follow the line `start data >>`",
            });
        }
        Ok(self)
    }
}

pub(super) fn parse(text: &str, issues: &mut Issues<'_>) -> Script {
    let mut reader = Reader::default();
    let mut in_header = text.contains("start data >>");
    for (number, line) in numbered(text) {
        let line = line.trim();
        if in_header {
            if let Some(speed) = line.strip_prefix("speed=") {
                reader.speed =
                    speed.trim().parse().ok().filter(|speed: &f64| speed.is_finite()).unwrap_or(1.0);
            }
            in_header = !line.starts_with("start data >>");
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        reader.number = number;
        match call(line) {
            Some((name, arguments)) => {
                if let Err(problem) = reader.call(name, arguments) {
                    issues.add(number, problem);
                }
            }
            None => issues
                .add(number, format!("`{}` is no event: cut off or garbled; left out", clipped(line, 60))),
        }
    }
    if reader.gesture.is_some() {
        issues.add(reader.number, "the last gesture has no end: the script was cut off; taken as it is");
    }
    reader.release();
    Script { launch: reader.launch, events: reader.events, line: reader.first }
}

/// `Name(arguments)`. Recorders write `captureDispatchPointer` for `DispatchPointer`.
fn call(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once('(')?;
    let (arguments, _) = rest.rsplit_once(')')?;
    let name = name.trim();
    let name = name.strip_prefix("capture").unwrap_or(name);
    name.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some((name, arguments))
}

struct Reader {
    number: usize,
    first: usize,
    launch: Option<Launch>,
    events: Vec<TraceEvent>,
    gesture: Option<Gesture>,
    /// Where the last finger was: text goes to the field that it touched.
    touched: Option<Point>,
    speed: f64,
    last_ms: Option<i64>,
    /// The screen lies on its side.
    lies: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            number: 0,
            first: 0,
            launch: None,
            events: Vec::new(),
            gesture: None,
            touched: None,
            speed: 1.0,
            last_ms: None,
            lies: false,
        }
    }
}

impl Reader {
    fn call(&mut self, name: &str, arguments: &str) -> Result<(), String> {
        if self.first == 0 {
            self.first = self.number;
        }
        let args = Args { name, list: arguments.split(',').map(str::trim).collect() };
        if !matches!(name, "DispatchPointer" | "UserWait") {
            self.release();
        }
        match name {
            "Tap" => {
                let at = args.at(0)?;
                let held = if args.list.len() > 2 { args.number::<i64>(2)? } else { 0 };
                self.tap(at, held);
            }
            "PressAndHold" => self.tap(args.at(0)?, args.number(2)?),
            "Drag" => {
                let (from, to) = (args.at(0)?.point(), args.at(2)?.point());
                self.push(if from == to { Input::Tap(from) } else { Input::Swipe { from, to } });
            }
            "PinchZoom" => self.push(pinch(args.at(0)?, args.at(2)?, args.at(4)?, args.at(6)?)),
            "DispatchPress" => {
                let name = args.text(0)?;
                let key = keys::named(name).ok_or_else(|| {
                    format!("the key `{}` is not known; give its number", clipped(name, 40))
                })?;
                self.push(Input::Key(key));
            }
            "LongPress" => {
                self.push(Input::Key(Key::DpadCenter));
                return Err("the middle key was held for 2 s; read as pressed".into());
            }
            "RotateScreen" => {
                // It names the side that is up then: a screen that lies so already is not turned.
                let lies = args.number::<i64>(0)? % 2 != 0;
                if std::mem::replace(&mut self.lies, lies) != lies {
                    self.push(Input::Rotate);
                }
            }
            "UserWait" => self.wait(args.number(0)?),
            "ProfileWait" => self.wait(PROFILE_WAIT_MS),
            "DispatchString" => {
                let Some(at) = self.touched else {
                    return Err("text, but no field was touched before it; left out".into());
                };
                self.push(Input::Text { at, text: arguments.trim().to_owned() });
            }
            "LaunchActivity" => self.start(args.text(0)?, args.text(1)?),
            "DispatchKey" => {
                const DOWN: i64 = 0;
                let code = args.number(3)?;
                if args.number::<i64>(2)? == DOWN {
                    self.pause(args.number(1)?);
                    self.push(Input::Key(Key::of(code)));
                }
                self.last_ms = Some(args.number(1)?);
            }
            "DispatchPointer" => self.pointer(&args)?,
            _ if IGNORED.contains(&name) => {
                return Err(format!("`{name}` is nothing that a user does on the screen; left out"));
            }
            _ => return Err(format!("`{}` is no event that a script can have; left out", clipped(name, 40))),
        }
        Ok(())
    }

    fn tap(&mut self, at: At, held_ms: i64) {
        let point = at.point();
        self.push(if held_ms >= LONG_TAP_MS { Input::LongTap(point) } else { Input::Tap(point) });
    }

    /// The first launch is the trace's start; a later one brings the app back to the front.
    fn start(&mut self, package: &str, activity: &str) {
        if self.launch.is_none() && self.events.is_empty() {
            let activity = full_class(package, activity);
            self.launch = Some(Launch { package: SmolStr::new(package), activity });
        } else {
            self.push(Input::DeepLink(intent(package, activity)));
        }
    }

    fn wait(&mut self, ms: u32) {
        match &mut self.gesture {
            Some(gesture) => gesture.hold(i64::from(ms)),
            None => self.push(Input::Wait(ms)),
        }
    }

    fn pointer(&mut self, args: &Args<'_>) -> Result<(), String> {
        const ACTION_MASK: i64 = 0xff;
        let time: i64 = args.number(1)?;
        let at = args.at(3)?;
        let phase = match args.number::<i64>(2)? & ACTION_MASK {
            0 => Phase::Down,
            1 => Phase::Up,
            2 => Phase::Move,
            3 => Phase::Cancel,
            5 => Phase::SecondDown,
            6 => Phase::SecondUp,
            other => return Err(format!("the pointer action {other} is not known; left out")),
        };
        match (&mut self.gesture, phase) {
            (_, Phase::Down) => {
                self.release();
                self.pause(time);
                self.gesture = Some(Gesture::down(at, time));
            }
            (Some(gesture), _) => {
                gesture.go_on(phase, at, None, time);
                if phase == Phase::Up {
                    self.release();
                } else if phase == Phase::Cancel {
                    self.gesture = None;
                }
            }
            (None, Phase::Cancel) => {}
            (None, _) => return Err("a finger moves or leaves that never came down; left out".into()),
        }
        self.last_ms = Some(time);
        Ok(())
    }

    /// The gesture under way ends here, with or without its last line.
    fn release(&mut self) {
        if let Some(gesture) = self.gesture.take() {
            self.push(gesture.input());
        }
    }

    /// The recorded time between two events is how long the device waits after the first.
    fn pause(&mut self, time: i64) {
        if let (Some(last), Some(event)) = (self.last_ms, self.events.last_mut()) {
            let pause = time.saturating_sub(last).max(0) as f64 * self.speed;
            event.wait = Wait::Millis(pause.clamp(0.0, f64::from(u32::MAX)) as u32);
        }
    }

    fn push(&mut self, input: Input) {
        if let Input::Tap(at) | Input::LongTap(at) | Input::Text { at, .. } = &input {
            self.touched = Some(*at);
        }
        self.events.push(event(input, Wait::Settle));
    }
}

struct Args<'a> {
    name: &'a str,
    list: Vec<&'a str>,
}

impl<'a> Args<'a> {
    fn text(&self, index: usize) -> Result<&'a str, String> {
        match self.list.get(index) {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(format!("`{}` needs at least {} arguments; left out", self.name, index + 1)),
        }
    }

    fn number<T: FromStr>(&self, index: usize) -> Result<T, String> {
        let text = self.text(index)?;
        text.parse().map_err(|_| {
            format!("`{}` is no number that `{}` can have; left out", clipped(text, 40), self.name)
        })
    }

    fn at(&self, index: usize) -> Result<At, String> {
        let (x, y) = (self.number(index)?, self.number(index + 1)?);
        At::new(x, y).ok_or_else(|| format!("({x}, {y}) is on no screen; left out"))
    }
}

/// `.Main` is short for a class of the package.
pub(super) fn full_class(package: &str, class: &str) -> SmolStr {
    if class.starts_with('.') { SmolStr::from(format!("{package}{class}")) } else { SmolStr::new(class) }
}

/// The address under which Android starts an activity.
pub(super) fn intent(package: &str, activity: &str) -> String {
    format!("intent:#Intent;component={package}/{activity};end")
}
