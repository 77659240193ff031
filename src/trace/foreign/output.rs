//! What `monkey -v -v` prints, put together to user events at the pauses.

use smol_str::SmolStr;

use super::gesture::{At, Gesture, Phase};
use super::script::full_class;
use super::{
    Absent, Foreign, ForeignError, ForeignTrace, Format, Issues, Launch, LogFile, event, screen, trace_of,
};
use crate::action::{Input, Key, Wait};
use crate::device::Reset;
use crate::oracle::report::{clipped, numbered, text_of};
use crate::oracle::{App, Case, Told, Witnesses, monkey};
use crate::trace::record::{Screen, TraceEvent};

/// The line is one that only Monkey prints.
pub(super) fn is_output(line: &str) -> bool {
    [":Monkey: seed=", ":Sending ", ":SendKey ", ":Switch: ", ":AllowPackage: "]
        .iter()
        .any(|start| line.starts_with(start))
}

pub(super) fn read(file: &LogFile<'_>) -> Result<Foreign, ForeignError> {
    let text = text_of(&file.bytes);
    let package = package_of(&text);
    let mut issues = Issues::of(&file.name);
    let (cuts, cases) = failures(&file.bytes, &package, &mut issues);
    let mut reader = Reader::new(&package, &mut issues);
    reader.paced = text.lines().any(|line| line.trim_start().starts_with(SLEEPING));
    let mut cuts = cuts.into_iter().peekable();
    let mut last = 0;
    for (number, line) in numbered(&text) {
        last = number;
        if let Some(&(_, case)) = cuts.peek().filter(|&&(cut, _)| cut <= number) {
            cuts.next();
            reader.failed = reader.failed.or(Some(case));
        }
        reader.line(number, line);
    }
    let traces = reader.finish(&cases);
    if traces.is_empty() {
        return Err(ForeignError::Unusable {
            path: file.path.to_owned(),
            line: last,
            problem: "Monkey's output has no events".into(),
            remedy: "run Monkey with `-v -v`, which prints each of them",
        });
    }
    let absent = &[
        Absent::ResumedActivity,
        Absent::GuiTree,
        Absent::Widget,
        Absent::AppVersion,
        Absent::FractionsOfPixels,
    ];
    Ok(Foreign { format: Format::MonkeyOutput, traces, absent, issues: issues.finish() })
}

/// The app under test: the first that Monkey was told of, or launched.
fn package_of(text: &str) -> SmolStr {
    let allowed = text.lines().find_map(|line| line.trim().strip_prefix(":AllowPackage: "));
    let launched =
        || text.lines().filter_map(|line| line.trim().strip_prefix(":Switch: ")).find_map(component);
    allowed
        .map(|package| SmolStr::new(package.trim()))
        .or_else(|| launched().map(|(package, _)| SmolStr::new(package)))
        .unwrap_or_default()
}

/// The failures, and the lines where each was first told.
fn failures(bytes: &[u8], package: &str, issues: &mut Issues<'_>) -> (Vec<(usize, usize)>, Vec<Case>) {
    let parsed = monkey::parse(bytes, App::named(package));
    for refused in &parsed.refused {
        issues.add(refused.line, format!("{}: {}", refused.what, refused.reason));
    }
    for issue in parsed.issues {
        issues.add(issue.line, issue.text);
    }
    let mut witnesses = Witnesses::default();
    let mut cuts = Vec::new();
    for report in parsed.reports {
        let line = report.line;
        if let Told::New(case) = witnesses.tell(report) {
            cuts.push((line, case));
        }
    }
    (cuts, witnesses.cases().to_vec())
}

const SLEEPING: &str = "Sleeping for ";

struct Reader<'a, 'b> {
    package: &'a str,
    issues: &'a mut Issues<'b>,
    number: usize,
    done: Vec<Part>,
    part: Part,
    gesture: Option<Gesture>,
    /// Key codes that are down.
    pressed: Vec<i32>,
    /// Events since the last pause.
    group: Vec<TraceEvent>,
    /// The last activity that was allowed to start.
    activity: Option<(SmolStr, SmolStr)>,
    before: Option<Screen>,
    failed: Option<usize>,
    left_out: usize,
    /// The log tells pauses. In one that tells none, each event is one of the user's.
    paced: bool,
}

#[derive(Default)]
struct Part {
    line: usize,
    launch: Option<Launch>,
    first: Option<Screen>,
    events: Vec<TraceEvent>,
    failed: Option<usize>,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(package: &'a str, issues: &'a mut Issues<'b>) -> Self {
        Self {
            package,
            issues,
            number: 0,
            done: Vec::new(),
            part: Part::default(),
            gesture: None,
            pressed: Vec::new(),
            group: Vec::new(),
            activity: None,
            before: None,
            failed: None,
            left_out: 0,
            paced: true,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        self.number = number;
        let text = line.trim();
        if let Some(ms) = text.strip_prefix(SLEEPING).and_then(|rest| rest.strip_suffix(" milliseconds")) {
            match ms.parse() {
                Ok(ms) => self.pause(ms),
                Err(_) => self.issues.add(number, "a pause without its length; left out"),
            }
        } else if let Some(rest) = text.strip_prefix(":Switch: ") {
            self.switch(rest);
        } else if let Some(rest) = text.strip_prefix(":Sending Touch (") {
            self.touch(rest);
        } else if let Some(rest) =
            text.strip_prefix(":Sending Key (").or_else(|| text.strip_prefix(":SendKey ("))
        {
            self.key(rest);
        } else if let Some(rest) = text.strip_prefix("// Allowing start of ") {
            if let Some((package, class)) = component(rest) {
                self.activity = Some((SmolStr::new(package), full_class(package, class)));
            }
        } else if text.starts_with(":Sending rotation ") {
            self.push(Input::Rotate);
        } else if text.starts_with(":Sending Trackball") || text.starts_with(":Sending Flip") {
            self.left_out += 1;
        } else if text.starts_with(":Sending ") {
            self.issues
                .add(number, format!("`{}` is no event that Monkey prints; left out", clipped(text, 60)));
        } else if let Some(ms) =
            text.strip_prefix("Wait Event for ").and_then(|rest| rest.strip_suffix(" milliseconds"))
            && let (Some(gesture), Ok(ms)) = (&mut self.gesture, ms.parse())
        {
            gesture.hold(ms);
        }
    }

    /// `(ACTION_DOWN): 0:(12.0,34.0) 1:(56.0,78.0)` after its bracket.
    fn touch(&mut self, rest: &str) {
        let Some((action, rest)) = rest.split_once("):") else {
            self.issues.add(self.number, "a touch that is cut off; left out");
            return;
        };
        let mut points = rest.split_whitespace().map(|part| {
            let (_, at) = part.split_once(":(")?;
            let (x, y) = at.strip_suffix(')')?.split_once(',')?;
            At::new(x.parse().ok()?, y.parse().ok()?)
        });
        let phase = match action.split(' ').next().unwrap_or_default() {
            "ACTION_DOWN" => Phase::Down,
            "ACTION_MOVE" => Phase::Move,
            "ACTION_UP" => Phase::Up,
            "ACTION_POINTER_DOWN" => Phase::SecondDown,
            "ACTION_POINTER_UP" => Phase::SecondUp,
            _ => Phase::Cancel,
        };
        let Some(Some(first)) = points.next() else {
            self.issues.add(self.number, "a touch without coordinates; left out");
            return;
        };
        let second = points.next().flatten();
        match (&mut self.gesture, phase) {
            (_, Phase::Down) => {
                self.release();
                self.gesture = Some(Gesture::down(first, 0));
            }
            (Some(gesture), _) => {
                gesture.go_on(phase, first, second, 0);
                if phase == Phase::Up {
                    self.release();
                } else if phase == Phase::Cancel {
                    self.gesture = None;
                }
            }
            (None, _) => {
                self.issues.add(self.number, "a finger moves or leaves that never came down; left out");
            }
        }
    }

    /// `(ACTION_DOWN): 4    // KEYCODE_BACK` after its bracket. A log that is cut off may show only one half.
    fn key(&mut self, rest: &str) {
        let code = rest.split_once("):").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
        let Some(code) = code else {
            self.issues.add(self.number, "a key without its number; left out");
            return;
        };
        let held = self.pressed.iter().position(|&pressed| pressed == code);
        match (rest.starts_with("ACTION_UP"), held) {
            (true, Some(index)) => {
                self.pressed.remove(index);
            }
            (true, None) => self.push(Input::Key(Key::of(code))),
            (false, _) => {
                self.pressed.push(code);
                self.push(Input::Key(Key::of(code)));
            }
        }
    }

    fn switch(&mut self, uri: &str) {
        let Some((package, class)) = component(uri) else {
            self.issues.add(self.number, "a launch that names no activity; left out");
            return;
        };
        let activity = full_class(package, class);
        self.begin();
        if self.part.launch.is_none() && self.part.events.is_empty() && self.group.is_empty() {
            self.part.line = self.number;
            self.part.launch = Some(Launch { package: SmolStr::new(package), activity: activity.clone() });
            self.activity = Some((SmolStr::new(package), activity));
        } else {
            self.push(Input::DeepLink(format!("intent:{uri}")));
        }
    }

    /// Without pauses, whatever begins ends the event before it.
    fn begin(&mut self) {
        if !self.paced && !self.group.is_empty() {
            self.end_event(Wait::Millis(0));
        }
    }

    fn push(&mut self, input: Input) {
        self.begin();
        if self.part.line == 0 {
            self.part.line = self.number;
        }
        if self.group.is_empty() {
            self.before = self.screen();
        }
        self.group.push(event(input, Wait::Settle));
    }

    fn release(&mut self) {
        if let Some(gesture) = self.gesture.take() {
            self.push(gesture.input());
        }
    }

    /// A pause ends the user event before it, and the trace if the app failed.
    fn pause(&mut self, ms: u32) {
        self.release();
        self.pressed.clear();
        self.end_event(Wait::Millis(ms));
    }

    fn end_event(&mut self, wait: Wait) {
        self.end_group(wait);
        if let Some(case) = self.failed.take() {
            self.end_part(Some(case));
        }
    }

    fn end_group(&mut self, wait: Wait) {
        let after = self.screen();
        if self.part.first.is_none() && self.part.events.is_empty() && self.part.launch.is_some() {
            self.part.first = self.before.clone().or_else(|| after.clone());
        }
        let before = self.before.take();
        let last = self.group.len();
        for (index, mut event) in self.group.drain(..).enumerate() {
            event.before.clone_from(&before);
            if index + 1 == last {
                event.after.clone_from(&after);
                event.wait = wait;
            } else {
                event.wait = Wait::Millis(0);
            }
            self.part.events.push(event);
        }
    }

    fn end_part(&mut self, failed: Option<usize>) {
        let part = std::mem::take(&mut self.part);
        if part.launch.is_some() || !part.events.is_empty() {
            self.done.push(Part { failed, ..part });
        }
    }

    fn screen(&self) -> Option<Screen> {
        let (package, activity) = self.activity.as_ref()?;
        Some(screen(self.package, package, activity.clone()))
    }

    fn finish(mut self, cases: &[Case]) -> Vec<ForeignTrace> {
        self.release();
        self.end_group(Wait::Settle);
        let failed = self.failed.take();
        self.end_part(failed);
        if !self.paced && !self.done.is_empty() {
            self.issues
                .add(0, "no pauses and no keys: Monkey ran with one `-v`; run it with `-v -v` to have them");
        }
        if self.left_out > 0 {
            self.issues
                .add(0, format!("{} trackball and flip events have no counterpart; left out", self.left_out));
        }
        let package = self.package;
        self.done
            .into_iter()
            .map(|part| {
                let failure = part.failed.and_then(|case| cases.get(case)).map(|case| case.failure.clone());
                let mut trace = trace_of(package, Reset::Warm, part.events, failure.as_ref());
                trace.first = part.first;
                ForeignTrace { trace, launch: part.launch, failure, line: part.line }
            })
            .collect()
    }
}

/// Package and class in `…component=org.example/.Main;end` or `Intent { … cmp=org.example/.Main … }`.
fn component(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once("component=").or_else(|| text.split_once("cmp="))?;
    let (package, class) = rest.split([';', ' ', '}']).next()?.split_once('/')?;
    (!package.is_empty() && !class.is_empty()).then_some((package, class))
}
