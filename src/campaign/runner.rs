//! Runs traces on one device and tells whether they do what they should.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::action::Input;
use crate::device::{AnyDevice, Device, DeviceError, Observation};
use crate::gui::tree::Hit;
use crate::gui::{Flags, GuiTree, NodeIx, Selector};
use crate::oracle::{Failure, Signature};
use crate::shrink::goal::Goal;
use crate::shrink::{RunRecord, Verdict};
use crate::trace::event_tree::{Label, Labels};
use crate::trace::replay::{Done, Ended, Judged, Replayed, replay, resolve, watched};
use crate::trace::{Trace, TraceEvent};

/// A run of a trace that did what it should, written down.
pub struct Recorded {
    /// The trace up to where it did so, with the widgets as they looked in this run. What could not be done is
    /// [left out](TraceEvent::is_left_out).
    pub trace: Trace,
    /// The widget that each event reached, where the device tells.
    pub touched: Vec<Option<Selector>>,
    /// The failure in which it ended.
    pub failure: Option<Failure>,
}

/// An event as it was done.
struct Sent {
    input: Input,
    target: Option<Selector>,
    touched: Option<Selector>,
}

impl Recorded {
    fn of(run: Replayed, trace: &Trace, mut sent: BTreeMap<usize, Sent>) -> Self {
        let end = run.done.last().map_or(0, |last| last + 1);
        let mut screens = run.screens.into_iter();
        let mut rules = run.rules.into_iter().skip(1);
        let mut screen = screens.next();
        let mut recorded = Self {
            trace: Trace { first: screen.clone(), events: Vec::with_capacity(end), ..trace.clone() },
            touched: Vec::with_capacity(end),
            failure: None,
        };
        let mut seen = run.done.iter().peekable();
        for (position, event) in trace.events.iter().enumerate().take(end) {
            // An event whose widget was waited for in vain counts as done, if only the wait made the app fail.
            let counts = seen.next_if(|done| **done == position).is_some();
            let (shown, ran) = if counts { (screens.next(), rules.next().flatten()) } else { (None, None) };
            let before = screen.clone();
            screen = shown.clone().or(screen);
            let (written, touched) = match sent.remove(&position) {
                Some(Sent { input, target, touched }) => {
                    let wait = event.wait;
                    (TraceEvent { input, wait, target, before, after: shown, rules: ran }, touched)
                }
                None => (TraceEvent { before, after: None, rules: ran, ..event.clone() }, None),
            };
            recorded.trace.events.push(written);
            recorded.touched.push(touched);
        }
        recorded
    }

    /// Every event of the trace was done, and the last one did it.
    pub fn is_whole(&self, trace: &Trace) -> bool {
        self.trace.events.len() == trace.events.len() && self.left_out() == 0
    }

    /// So many events could not be done.
    pub fn left_out(&self) -> usize {
        // An event without a target can always be done, unless the app was gone.
        self.trace.events.iter().filter(|event| event.after.is_none()).count()
    }
}

/// The picture of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The event that it was taken before.
    pub before: usize,
    /// The picture, as PNG.
    pub png: Vec<u8>,
}

/// Runs traces on one device and tells whether they meet one goal.
pub struct Runner {
    device: AnyDevice,
    goal: Goal,
    runtime: Option<tokio::runtime::Runtime>,
    silence: Option<String>,
    /// How often in a row the device failed.
    strikes: u32,
    gone: Arc<AtomicBool>,
}

/// A device that failed this often in a row is taken for gone.
const MAX_STRIKES: u32 = 4;
/// More pictures of a trace than these are not taken; the last ones matter most, and reports show no more.
pub const MOST_PICTURES: usize = 25;
/// Pictures of more bytes than these are not kept in memory all at once.
const MOST_PICTURE_BYTES: usize = 32 << 20;
/// More activities than these are only counted where they are listed.
const MOST_SEEN: usize = 8;
/// How long a device that failed is left alone, at first; each further time in a row twice as long.
const FIRST_REST: Duration = Duration::from_millis(200);

impl Runner {
    /// Runs on this device.
    pub fn new(device: AnyDevice, goal: Goal) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok();
        Self { device, goal, runtime, silence: None, strikes: 0, gone: Arc::default() }
    }

    /// The device states that equal events give equal observations.
    pub fn is_deterministic(&self) -> bool {
        self.device.capabilities().deterministic
    }

    /// Earlier runs may leave something in the device that shows in later ones.
    pub fn wears(&self) -> bool {
        self.device.capabilities().wears
    }

    /// The next run is on a device as new.
    pub fn renew(&mut self) {
        self.device.renew();
    }

    /// Whether the device is gone, also for those who do not hold the runner.
    pub fn gone(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.gone)
    }

    /// The device failed: it is left alone for a while, and given up after a few times in a row.
    fn strike(&mut self, error: &DeviceError) {
        tracing::warn!("{error}");
        self.silence = Some(error.to_string());
        self.strikes = (self.strikes + 1).min(MAX_STRIKES);
        if self.strikes == MAX_STRIKES {
            self.gone.store(true, Ordering::Relaxed);
        }
        if self.device.is_remote() {
            std::thread::sleep(FIRST_REST * 2_u32.pow(self.strikes - 1));
        }
    }

    /// The device has answered: what it failed at before counts no more.
    fn answered(&mut self) {
        self.strikes = 0;
        self.gone.store(false, Ordering::Relaxed);
    }

    /// The device is taken for gone.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// What happened in the last run that did not meet the goal, in words.
    pub fn silence(&self) -> Option<&str> {
        self.silence.as_deref()
    }

    /// Runs a trace and writes down what was done and seen on the way: the widgets are called as they look in this run, not in
    /// the one that the trace was cut from. `None` if it does not do what it should.
    pub fn recorded(&mut self, trace: &Trace) -> Option<Recorded> {
        let runtime = self.runtime.as_ref()?;
        let goal = &self.goal;
        let (mut done, mut failure) = (BTreeMap::new(), None);
        let run = watched(
            &mut self.device,
            trace,
            |seen| {
                let judged = judge(seen, goal);
                if judged == Judged::Met {
                    failure = the_failure(&seen.failures, goal).cloned();
                }
                judged
            },
            |Done { position, before, sent, hit }| {
                let meant = trace.events[position].target.as_ref().and_then(|target| target.find(before));
                let touched = match hit {
                    Some(Hit::Widget(_, node)) => Some(named(before, node, &sent.input)),
                    _ => None,
                };
                let target = meant.map(|(node, _)| Selector::of(before, node));
                done.insert(position, Sent { input: sent.input.clone(), target, touched });
            },
        );
        let run = match runtime.block_on(run) {
            Ok(run) => run,
            Err(error) => {
                self.strike(&error);
                return None;
            }
        };
        self.answered();
        (run.ended == Ended::Met).then(|| Recorded { failure, ..Recorded::of(run, trace, done) })
    }

    /// Runs a trace and takes a picture of the screen before each of its last events, where the device draws.
    pub fn pictures(&mut self, trace: &Trace) -> Vec<Picture> {
        let Some(runtime) = &self.runtime else { return Vec::new() };
        let device = &mut self.device;
        runtime.block_on(async {
            let mut pictures = Vec::new();
            let Ok(mut seen) = device.reset(trace.start).await else { return pictures };
            let first = trace.events.len().saturating_sub(MOST_PICTURES);
            let mut room = MOST_PICTURE_BYTES;
            for (before, event) in trace.events.iter().enumerate() {
                let Some(event) = resolve(event, &seen.tree) else { break };
                if before >= first {
                    let Ok(Some(png)) = device.screenshot().await else { break };
                    let Some(left) = room.checked_sub(png.len()) else { break };
                    room = left;
                    pictures.push(Picture { before, png });
                }
                match device.step(&event).await {
                    Ok(next) => seen = next,
                    Err(_) => break,
                }
            }
            pictures
        })
    }

    /// Runs a trace once. What is called off is no evidence.
    pub fn run(&mut self, trace: &Trace, called_off: &dyn Fn() -> bool) -> RunRecord {
        let Some(runtime) = &self.runtime else { return RunRecord::lost() };
        let goal = &self.goal;
        let run = replay(&mut self.device, trace, |seen| match judge(seen, goal) {
            Judged::Open if called_off() => Judged::Stop,
            judged => judged,
        });
        match runtime.block_on(run) {
            Ok(replayed) if replayed.ended == Ended::Stopped => RunRecord::lost(),
            Ok(replayed) => {
                if replayed.ended != Ended::Met {
                    self.silence = Some(replayed.story(trace, &missed(goal, &replayed)));
                }
                let label = match goal {
                    Goal::Path(label) => Some(*label),
                    _ => None,
                };
                self.answered();
                let kept = label.is_some_and(|label| keeps_path(&replayed, trace, label));
                let record = record_of(replayed, trace.events.len());
                match record.verdict {
                    Verdict::NotReproduced if kept => RunRecord { verdict: Verdict::Reproduced, ..record },
                    _ => record,
                }
            }
            Err(error) => {
                self.strike(&error);
                RunRecord::lost()
            }
        }
    }
}

/// What did not happen in a run that missed its goal.
fn missed(goal: &Goal, run: &Replayed) -> String {
    match goal {
        Goal::Failure(_) => "nothing failed".to_owned(),
        Goal::Activity(_) => {
            let mut seen: Vec<&str> = run
                .screens
                .iter()
                .map(|screen| screen.activity.rsplit('.').next().unwrap_or_default())
                .collect();
            seen.sort_unstable();
            seen.dedup();
            let more = seen.len().saturating_sub(MOST_SEEN);
            seen.truncate(MOST_SEEN);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("nothing but {}{more} was seen", seen.join(", "))
        }
        Goal::Screen(_) => "this screen was not seen".to_owned(),
        Goal::Branch(_) => "this branch was not covered".to_owned(),
        Goal::Path(_) => "it did not lead where it was recorded to lead".to_owned(),
    }
}

/// Of failures that came together the one that is looked for; else the first.
fn the_failure<'a>(failures: &'a [Failure], goal: &Goal) -> Option<&'a Failure> {
    let meant =
        |failure: &Failure| matches!(goal, Goal::Failure(wanted) if *wanted == Signature::of(failure));
    failures.iter().find(|failure| meant(failure)).or(failures.first())
}

/// A run that kept the path of its trace has reached its goal: each event was made and led to the state that was recorded.
fn keeps_path(run: &Replayed, trace: &Trace, label: Label) -> bool {
    let labels = Labels::new(label);
    run.done.len() == trace.events.len()
        && trace.events.iter().zip(run.screens.iter().skip(1)).all(|(event, seen)| {
            event.after.as_ref().is_some_and(|recorded| labels.of(recorded) == labels.of(seen))
        })
}

/// The best name for a widget that was touched: for a tap that a list or another container takes, the text that only the
/// row under the finger has.
fn named(tree: &GuiTree, touched: NodeIx, input: &Input) -> Selector {
    let own = Selector::of(tree, touched);
    let &(Input::Tap(point) | Input::LongTap(point)) = input else { return own };
    let labels: Vec<(NodeIx, Selector)> = tree.indices().map(|ix| (ix, Selector::of(tree, ix))).collect();
    let unique = |selector: &Selector| {
        !selector.text.is_empty()
            && labels.iter().filter(|(_, other)| other.text == selector.text).count() == 1
    };
    if unique(&own) {
        return own;
    }
    // From the widget under the finger up to the row that was touched: the first that holds a text of its own. What scrolls
    // holds the texts of all rows.
    let under = tree.indices().filter(|&ix| {
        let inside = ix == touched || tree.ancestors(ix).any(|above| above == touched);
        inside && tree.widget(ix).bounds.contains(point)
    });
    let deepest = under.max_by_key(|&ix| tree.ancestors(ix).count()).unwrap_or(touched);
    let upwards = std::iter::once(deepest).chain(tree.ancestors(deepest));
    let outside = tree.ancestors(touched).next();
    let scrolls = |above: NodeIx| tree.widget(above).flags.contains(Flags::SCROLLABLE);
    for above in upwards.take_while(|&above| Some(above) != outside && (above == deepest || !scrolls(above)))
    {
        let within = |ix: NodeIx| ix == above || tree.ancestors(ix).any(|other| other == above);
        if let Some((_, name)) = labels.iter().find(|(ix, selector)| within(*ix) && unique(selector)) {
            return name.clone();
        }
    }
    own
}

/// Whether an observation ends the run: with what is looked for, or with a failure that is not.
pub fn judge(seen: &Observation, goal: &Goal) -> Judged {
    match goal.judge(seen) {
        Some(Verdict::Reproduced) => Judged::Met,
        Some(Verdict::OtherFailure(signature)) => Judged::Ended(signature),
        _ => Judged::Open,
    }
}

/// What a shrinker hears of a run. An event that was left out shows the screen before it and no rules, so that screens
/// and events stay side by side.
fn record_of(run: Replayed, events: usize) -> RunRecord {
    let verdict = match &run.ended {
        Ended::Met => Verdict::Reproduced,
        Ended::OtherFailure(signature) => Verdict::OtherFailure(signature.clone()),
        Ended::Through => Verdict::NotReproduced,
        Ended::Stopped => Verdict::DeviceLost,
    };
    let end = match verdict {
        Verdict::NotReproduced => events,
        _ => run.done.last().map_or(0, |last| last + 1),
    };
    let mut screens = Vec::with_capacity(end + 1);
    let mut rules = Vec::with_capacity(end);
    screens.extend(run.screens.first().cloned());
    let told = run.rules.iter().skip(1).all(Option::is_some);
    let mut done = run.done.iter().zip(run.screens.iter().zip(&run.rules).skip(1)).peekable();
    for position in 0..end {
        if let Some((_, (screen, ran))) = done.next_if(|(done, _)| **done == position) {
            screens.push(screen.clone());
            rules.push(ran.clone().unwrap_or_default());
        } else {
            screens.extend(screens.last().cloned());
            rules.push(Vec::new());
        }
    }
    RunRecord { verdict, screens, rules: told.then_some(rules), events: end, skipped: run.skipped }
}
