//! Running a trace again: each widget is found by its selector, late screens are waited out, and where the app goes
//! another way it is said where and why.

pub mod fit;

use std::fmt::Write as _;
use std::sync::Arc;

use smol_str::SmolStr;

use self::fit::Parted;
use super::record::{Screen, Trace, TraceEvent};
use crate::action::{Event, Input, Wait};
use crate::device::{Device, DeviceError, Observation};
use crate::gui::tree::Hit;
use crate::gui::{Bounds, GuiTree, NodeIx, Point, Trust};
use crate::ids::BranchId;
use crate::oracle::{Failure, FailureKind, Signature};

/// A screen that comes late is waited for this long in one go, in milliseconds of device time.
const LATE_SCREEN_MS: u32 = 500;
/// How often a late screen is waited for before the widget is called missing.
const LATE_SCREEN_WAITS: u32 = 4;

/// What a goal says of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// That is what was wanted.
    Met,
    /// The run ends here in another failure.
    Ended(Signature),
    /// Nobody wants to know any more.
    Stop,
    /// Go on.
    Open,
}

/// How a run of a trace ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The goal was met.
    Met,
    /// Another failure came first.
    OtherFailure(Signature),
    /// All events were done.
    Through,
    /// It was called off.
    Stopped,
}

/// One run of a trace.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// How it ended.
    pub ended: Ended,
    /// The positions of the events that were done, in order.
    pub done: Vec<usize>,
    /// The positions of the events that were left out because their widget was not there.
    pub skipped: Vec<usize>,
    /// The activity that was there when the first of them was left out.
    pub skipped_in: Option<SmolStr>,
    /// The screens: after the launch, then after each event that was done.
    pub screens: Vec<Screen>,
    /// The rules run by the launch and by each event that was done, where the device tells.
    pub rules: Vec<Option<Vec<BranchId>>>,
    /// The first event after which the screen was not the recorded one.
    pub diverged: Option<usize>,
    /// The first time that the app was in another activity than recorded.
    pub parted: Option<Parted>,
    /// How far the screen goes, as far as was seen.
    pub screen: Point,
    /// The failures seen.
    pub failures: Vec<Failure>,
}

/// Runs a trace from its start until the goal is met, another failure comes or it ends. An event whose widget is not there
/// is left out: a shrinker may have removed the event that it depended on, and an app that does not always do the same may
/// do without it.
pub async fn replay<D: Device>(
    device: &mut D,
    trace: &Trace,
    judge: impl FnMut(&Observation) -> Judged,
) -> Result<Replayed, DeviceError> {
    watched(device, trace, judge, |_| {}).await
}

/// An event of a trace that was done.
pub struct Done<'a> {
    /// Its place in the trace.
    pub position: usize,
    /// What was on the screen.
    pub before: &'a GuiTree,
    /// What was sent to the device.
    pub sent: &'a Event,
    /// What was touched, where the device tells.
    pub hit: Option<Hit>,
}

/// The same, and `did` hears of each event that was done, as it was done.
pub async fn watched<D: Device>(
    device: &mut D,
    trace: &Trace,
    mut judge: impl FnMut(&Observation) -> Judged,
    mut did: impl FnMut(Done<'_>),
) -> Result<Replayed, DeviceError> {
    let package = device.capabilities().package.clone();
    let mut seen = device.reset(trace.start).await?;
    let mut run = Replayed {
        ended: Ended::Through,
        done: Vec::with_capacity(trace.events.len()),
        skipped: Vec::new(),
        skipped_in: None,
        screens: vec![Screen::with_structure(&seen.tree, &package)],
        rules: vec![seen.rules.take()],
        diverged: None,
        parted: Parted::at_launch(trace, seen.tree.activity()),
        screen: fit::extent(&seen.tree, Point { x: 0, y: 0 }),
        failures: Vec::new(),
    };
    let last_restart = trace.events.iter().rposition(|event| event.input == Input::Restart);
    if run.note(&mut seen, &mut judge) {
        return Ok(run);
    }
    let mut life = Life { last_restart, dead: false, swallowed: None };
    for (position, event) in trace.events.iter().enumerate() {
        if life.dead && event.input != Input::Restart {
            continue;
        }
        life.dead = false;
        let mut resolved = resolve(event, &seen.tree);
        if resolved.is_none() {
            resolved = wait_for(device, event, &mut seen).await?;
            if run.note(&mut seen, &mut judge) {
                let over = life.is_over(&mut run, &seen, position);
                if over || life.dead {
                    // The event counts as done: without its time the failure would not have come.
                    run.did(position, trace, &mut seen, &package);
                }
                if over {
                    return Ok(run);
                }
                if life.dead {
                    continue;
                }
            }
        }
        let Some(resolved) = resolved else {
            run.skipped_in.get_or_insert_with(|| seen.tree.activity().clone());
            run.skipped.push(position);
            continue;
        };
        let before = Arc::clone(&seen.tree);
        seen = device.step(&resolved).await?;
        did(Done { position, before: &before, sent: &resolved, hit: seen.hit });
        run.did(position, trace, &mut seen, &package);
        if run.note(&mut seen, &mut judge) && life.is_over(&mut run, &seen, position) {
            return Ok(run);
        }
    }
    if let Some(other) = life.swallowed {
        run.ended = other;
    }
    Ok(run)
}

/// How far failures other than the wanted one let a run go on.
struct Life {
    last_restart: Option<usize>,
    /// The app is gone: what comes before the next restart is left out.
    dead: bool,
    /// The first failure that the app lived on after.
    swallowed: Option<Ended>,
}

impl Life {
    /// Whether a run of which a judge said that it ends here does: another failure is no end where the trace itself goes on
    /// after it. An app that swallowed the failure lives on, and so does the trace.
    fn is_over(&mut self, run: &mut Replayed, seen: &Observation, position: usize) -> bool {
        if matches!(run.ended, Ended::Met | Ended::Stopped) {
            return true;
        }
        self.dead = !seen.running;
        if self.dead && self.last_restart.is_none_or(|restart| restart <= position) {
            return true;
        }
        let other = std::mem::replace(&mut run.ended, Ended::Through);
        if !self.dead && self.swallowed.is_none() {
            self.swallowed = Some(other);
        }
        false
    }
}

impl Replayed {
    /// An event was done, and this was seen then.
    fn did(&mut self, position: usize, trace: &Trace, seen: &mut Observation, package: &SmolStr) {
        let before = self.screens.last().map(|screen| screen.activity.clone()).unwrap_or_default();
        self.done.push(position);
        self.screens.push(Screen::with_structure(&seen.tree, package));
        self.rules.push(seen.rules.take());
        self.screen = fit::extent(&seen.tree, self.screen);
        // Where an app that failed is left, tools tell in their own ways.
        if self.parted.is_none() && seen.failures.is_empty() && self.ended == Ended::Through {
            // An app that has not failed where it did is not where that led.
            let parted = Parted::at(trace, position, &before, seen.tree.activity());
            self.parted = parted.filter(|_| trace.failed_at() != Some(position));
        }
        let recorded = trace.events.get(position).and_then(|event| event.after.as_ref());
        if self.diverged.is_none()
            && let Some(recorded) = recorded.filter(|recorded| !recorded.tree.is_absent())
            && self.screens.last() != Some(recorded)
        {
            self.diverged = Some(position);
        }
    }

    /// Keeps the failures; whether the run ends here.
    fn note(&mut self, seen: &mut Observation, judge: &mut impl FnMut(&Observation) -> Judged) -> bool {
        let judged = judge(seen);
        self.failures.append(&mut seen.failures);
        match judged {
            Judged::Open => false,
            Judged::Met => {
                self.ended = Ended::Met;
                true
            }
            Judged::Ended(signature) => {
                self.ended = Ended::OtherFailure(signature);
                true
            }
            Judged::Stop => {
                self.ended = Ended::Stopped;
                true
            }
        }
    }

    /// What the run failed with; what the app has swallowed only if nothing worse came.
    pub fn worst_failure(&self) -> Option<&Failure> {
        let mut worse = self.failures.iter().filter(|failure| failure.kind != FailureKind::Swallowed);
        worse.next().or(self.failures.first())
    }

    /// What happened in this run of a trace, in words, and where it left the recorded way; `missed` says what did not happen,
    /// such as "nothing failed".
    pub fn story(&self, trace: &Trace, missed: &str) -> String {
        let mut words = self.outcome(trace, missed);
        if let Some(parted) = &self.parted {
            let _ = write!(words, "; {}", parted.words(trace));
        }
        if let Some(misfit) = fit::misfit(self, trace) {
            let _ = write!(words, "; {misfit}");
        }
        words
    }

    /// What happened in this run of a trace, in words, without the way there.
    pub fn outcome(&self, trace: &Trace, missed: &str) -> String {
        let mut words = match &self.ended {
            Ended::Met => "it happened as recorded".to_owned(),
            Ended::OtherFailure(signature) => format!("another failure came first: {signature}"),
            Ended::Through => format!("all events were done, and {missed}"),
            Ended::Stopped => "it was called off".to_owned(),
        };
        if let (Some(&first), Some(activity), Ended::Through) =
            (self.skipped.first(), &self.skipped_in, &self.ended)
        {
            let wanted = trace.events.get(first).map(describe).unwrap_or_default();
            words = format!(
                "{missed}: event {} could not be done ({wanted}), it is not on the screen of {activity}",
                first + 1,
            );
            if self.skipped.len() > 1 {
                let _ = write!(words, "; {} of {} events in all", self.skipped.len(), trace.events.len());
            }
        }
        words
    }
}

/// A screen may come late: waits until the widget is there, a few times.
async fn wait_for<D: Device>(
    device: &mut D,
    event: &TraceEvent,
    seen: &mut Observation,
) -> Result<Option<Event>, DeviceError> {
    for _ in 0..LATE_SCREEN_WAITS {
        let before = seen.tree.hash();
        let mut later = device.step(&Event::settled(Input::Wait(LATE_SCREEN_MS))).await?;
        later.failures.splice(0..0, std::mem::take(&mut seen.failures));
        *seen = later;
        if let Some(resolved) = resolve(event, &seen.tree) {
            return Ok(Some(resolved));
        }
        let nothing_moves = seen.tree.hash() == before && !is_loading(&seen.tree);
        if nothing_moves {
            break;
        }
    }
    Ok(None)
}

fn is_loading(tree: &GuiTree) -> bool {
    tree.nodes().iter().any(|node| node.widget.short_class() == "ProgressBar")
}

/// The event for this screen: moved to where its widget is now. `None` if the widget is not there.
pub fn resolve(event: &TraceEvent, tree: &GuiTree) -> Option<Event> {
    let input = match &event.target {
        None => event.input.clone(),
        Some(selector) => {
            let (node, trust) = selector.find(tree)?;
            if trust == Trust::Bounds && selector.bounds != tree.widget(node).bounds {
                return None;
            }
            aimed(&event.input, selector.bounds, tree, node)
        }
    };
    Some(Event { input, wait: event.wait })
}

/// The input aimed at a widget: at the same place in it, as long as the widget has kept its size.
fn aimed(input: &Input, recorded: Bounds, tree: &GuiTree, node: NodeIx) -> Input {
    let now = tree.widget(node).bounds;
    let Some(point) = input.point() else { return input.clone() };
    let corner = |bounds: Bounds| Point { x: bounds.left, y: bounds.top };
    let moved = point.plus(corner(now).minus(corner(recorded)));
    if now.width() == recorded.width() && now.height() == recorded.height() && now.contains(moved) {
        input.moved_to(moved)
    } else if let Input::Swipe { from, to } = *input {
        let center = now.center();
        let Point { x, y } = to.minus(from);
        let half = Point { x: x / 2, y: y / 2 };
        Input::Swipe { from: center.minus(half), to: center.plus(half) }
    } else {
        input.moved_to(now.center())
    }
}

/// An event as a step that a person follows. What was left out in the run that was written down is done if it can be.
pub fn step(event: &TraceEvent) -> String {
    let there = if event.is_left_out() { ", if it is there" } else { "" };
    format!("{}{there}", describe(event))
}

/// An event in plain words: `tap "Save"`.
pub fn describe(event: &TraceEvent) -> String {
    let target = event.target.as_ref().map(|selector| {
        let class = selector.class.rsplit('.').next().unwrap_or_default();
        let id = selector.id.rsplit('/').next().unwrap_or_default();
        match (selector.text.is_empty(), id.is_empty()) {
            (false, _) => format!("\"{}\"", selector.text),
            (true, false) => format!("the {class} {id}"),
            (true, true) => {
                let Point { x, y } = selector.bounds.center();
                format!("the {class} at {x},{y}")
            }
        }
    });
    let place = |point: Point| target.clone().unwrap_or_else(|| format!("the point {},{}", point.x, point.y));
    let words = match &event.input {
        Input::Tap(point) => format!("tap {}", place(*point)),
        Input::LongTap(point) => format!("hold {}", place(*point)),
        Input::Swipe { from, to } => {
            let Point { x: dx, y: dy } = to.minus(*from);
            let way = match (dx.unsigned_abs() > dy.unsigned_abs(), dx < 0, dy < 0) {
                (true, true, _) => "left",
                (true, false, _) => "right",
                (false, _, true) => "up",
                (false, _, false) => "down",
            };
            format!("swipe {way} on {}", place(*from))
        }
        Input::Pinch { center, open: true } => format!("spread two fingers on {}", place(*center)),
        Input::Pinch { center, open: false } => format!("pinch {}", place(*center)),
        Input::Text { at, text } => format!("type {text:?} into {}", place(*at)),
        Input::Key(key) => format!("press {}", key.name()),
        Input::Rotate => "turn the screen".to_owned(),
        Input::HomeAndReturn => "go to the home screen and come back".to_owned(),
        Input::ProcessDeath => "let the system kill the app in the background, and come back".to_owned(),
        Input::Restart => "close the app and start it again".to_owned(),
        Input::DeepLink(address) => format!("open {address}"),
        Input::Wait(ms) => format!("wait {ms} ms"),
    };
    match event.wait {
        Wait::Settle => words,
        Wait::Millis(ms) => format!("{words}, and go on within {ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Key;
    use crate::device::virtual_device::compile;
    use crate::device::{Reset, VirtualDevice};
    use crate::seed::Seed;

    /// "Later" takes "Gone" away and fails 700 ms after it was tapped, when its step is long over.
    const LATE: &str = r#"
name = "Late"
package = "org.example.late"
start = "MainActivity"

[[activity]]
name = "MainActivity"
data = { there = true }

[[activity.widget]]
type = "button"
text = "Later"
tap = { do = "there = false", then = { after = 700, fail = "late" } }

[[activity.widget]]
type = "button"
text = "Hide"
tap = { do = "there = false" }

[[activity.widget]]
type = "button"
text = "Now"
tap = { fail = "late" }

[[activity.widget]]
type = "button"
text = "Gone"
visible = "there"

[failure.late]
exception = "java.lang.IllegalStateException"
stack = ["Late.fail:1"]
"#;

    fn tap(tree: &GuiTree, text: &str) -> TraceEvent {
        let ix = tree.nodes().iter().position(|node| node.widget.text == text).unwrap();
        let node = NodeIx(ix as u32);
        let input = Input::Tap(tree.widget(node).bounds.center());
        let target = Some(crate::gui::Selector::of(tree, node));
        TraceEvent { input, wait: Wait::Settle, target, before: None, after: None, rules: None }
    }

    fn replayed(names: &[&str]) -> Replayed {
        let mut device = VirtualDevice::new(Arc::new(compile::load(LATE).unwrap()), Seed(1));
        let tree = device.do_reset(Reset::Clean).tree;
        let events = names.iter().map(|name| tap(&tree, name)).collect();
        let (package, app_hash, target, kind) = Default::default();
        let (format, start) = (Trace::FORMAT, Reset::Clean);
        let trace = Trace {
            format,
            package,
            app_hash,
            target,
            device: kind,
            start,
            first: None,
            failure: None,
            events,
        };
        let judge = |seen: &Observation| if seen.failures.is_empty() { Judged::Open } else { Judged::Met };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(replay(&mut device, &trace, judge)).unwrap()
    }

    #[test]
    fn a_failure_that_comes_while_a_late_screen_is_waited_for_is_judged() {
        let run = replayed(&["Later", "Gone"]);
        assert_eq!(run.ended, Ended::Met);
        assert_eq!((run.done, run.failures.len(), run.screens.len()), (vec![0, 1], 1, 3));
        assert_eq!(replayed(&["Later"]).ended, Ended::Through, "nobody waited for it");
    }

    #[test]
    fn a_key_has_the_name_that_reports_give_it() {
        let event = |key| TraceEvent {
            input: Input::Key(key),
            wait: Wait::Settle,
            target: None,
            before: None,
            after: None,
            rules: None,
        };
        let told = [Key::Back, Key::DpadUp, Key::Code(287)].map(|key| describe(&event(key)));
        assert_eq!(told, ["press BACK", "press DPAD_UP", "press the key 287"]);
    }

    #[test]
    fn an_event_that_cannot_be_done_is_left_out_and_told() {
        let run = replayed(&["Hide", "Gone", "Now"]);
        assert_eq!((run.ended, run.done, run.skipped), (Ended::Met, vec![0, 2], vec![1]));
        let structures: Vec<Option<u64>> = run.screens.iter().map(|screen| screen.structure).collect();
        assert!(
            structures[0].is_some() && structures[0] != structures[1],
            "a button is gone: {structures:?}"
        );
        let run = replayed(&["Hide", "Gone"]);
        assert_eq!(run.skipped_in.as_deref(), Some("org.example.late.MainActivity"));
    }
}
