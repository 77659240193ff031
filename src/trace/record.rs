//! One step of a run, and the trace that leads from a known start to a failure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::abstraction::Decision;
use crate::action::{Input, Wait};
use crate::device::{Asked, Reset};
use crate::gui::structure::structure;
use crate::gui::{GuiTree, Selector, WindowKind};
use crate::ids::{BranchId, SessionId, StepId, TreeHash};
use crate::oracle::{Failure, Signature};

/// Everything that happens in a run, in the order of the model's updates: the spine. Logs, reports and summaries are
/// made from these and from nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEvent {
    /// A session put its app back to a start.
    Reset {
        /// The session.
        session: SessionId,
        /// To which start.
        to: Reset,
        /// Why, in a few words.
        reason: SmolStr,
        /// What is seen after the launch.
        screen: Screen,
        /// The rules run by the launch, in order, where the device tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rules: Option<Vec<BranchId>>,
        /// Branches that no earlier step of the run had covered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        new_branches: Vec<BranchId>,
        /// Device time after it, in milliseconds.
        time_ms: u64,
    },
    /// One event and what it did.
    Step(Box<StepRecord>),
    /// A failure of the app.
    Failure {
        /// The session that saw it.
        session: SessionId,
        /// The step it interrupted; the step before the first is 0.
        step: StepId,
        /// Its key.
        signature: Signature,
        /// It is the first with this key in the run; only then the failure itself is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Box<Failure>>,
    },
    /// The app asked another app for something, and something stood in for that.
    Asked {
        /// The session.
        session: SessionId,
        /// The step in which it did.
        step: StepId,
        /// What, and how it was answered.
        asked: Asked,
    },
    /// The abstraction changed, or could not be changed; on which evidence.
    Decision {
        /// The session whose step was the occasion.
        session: SessionId,
        /// What was decided.
        decision: Box<Decision>,
    },
    /// Trouble that did not end the run.
    Warning {
        /// The session, if it is one's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// What happened and what was done about it.
        text: String,
    },
    /// The run ended.
    End {
        /// Why.
        reason: SmolStr,
        /// How many steps were made.
        steps: u64,
    },
}

impl RunEvent {
    /// The session that it is about.
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Reset { session, .. }
            | Self::Failure { session, .. }
            | Self::Asked { session, .. }
            | Self::Decision { session, .. } => Some(*session),
            Self::Step(step) => Some(step.session),
            Self::Warning { session, .. } => *session,
            Self::End { .. } => None,
        }
    }
}

/// One event and what it did: what CHARD, DetReduce and the shrinkers live on. What a device cannot tell is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Which step it is.
    pub step: StepId,
    /// Whose.
    pub session: SessionId,
    /// What was done.
    pub input: Input,
    /// How long the device waited afterwards.
    pub wait: Wait,
    /// Why the strategy chose it.
    pub reason: SmolStr,
    /// Device time between the event before it and this one, in milliseconds.
    pub pause_ms: u64,
    /// What it touched, where the device tells.
    pub touched: Option<Touched>,
    /// What was seen before.
    pub before: Screen,
    /// What was seen after.
    pub after: Screen,
    /// The rules run or callbacks entered, in order, where the device tells.
    pub rules: Option<Vec<BranchId>>,
    /// Branches that no earlier step of the run had covered.
    pub new_branches: Vec<BranchId>,
    /// The failures that interrupted it.
    pub failures: Vec<Signature>,
    /// Device time after it, in milliseconds.
    pub time_ms: u64,
}

/// What was on the screen, by reference: the tree itself is in the pack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Screen {
    /// The resumed activity, or empty.
    pub activity: SmolStr,
    /// The windows, lowest first; empty where a foreign trace does not tell them.
    pub windows: Vec<WindowKind>,
    /// The content hash of the GUI tree; [`TreeHash::ABSENT`] where a foreign trace does not tell it.
    pub tree: TreeHash,
    /// The package in front, where it is not the app's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<SmolStr>,
    /// The structure of the tree, where a run was looked at for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<u64>,
}

/// The tree decides on its structure: whether somebody has looked at it makes no other screen.
impl PartialEq for Screen {
    fn eq(&self, other: &Self) -> bool {
        let Self { activity, windows, tree, foreign, structure: _ } = self;
        (activity, windows, tree, foreign) == (&other.activity, &other.windows, &other.tree, &other.foreign)
    }
}

impl Eq for Screen {}

impl std::hash::Hash for Screen {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let Self { activity, windows, tree, foreign, structure: _ } = self;
        (activity, windows, tree, foreign).hash(state);
    }
}

impl Screen {
    /// What a tree shows, for an app of this package.
    pub fn of(tree: &GuiTree, package: &SmolStr) -> Self {
        // A question of the system, such as for a permission, belongs to the app that asks it.
        let asks = tree.focused_window().is_some_and(|window| window.kind != WindowKind::Application);
        let foreign = tree.foreground_package().filter(|front| *front != package && !asks).cloned();
        Self {
            activity: tree.activity().clone(),
            windows: tree.windows().iter().map(|window| window.kind).collect(),
            tree: tree.hash(),
            foreign,
            structure: None,
        }
    }

    /// The same, with the structure of the tree.
    pub fn with_structure(tree: &GuiTree, package: &SmolStr) -> Self {
        Self { structure: Some(structure(tree)), ..Self::of(tree, package) }
    }
}

/// What a touch reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touched {
    /// Nothing that reacts.
    Nothing,
    /// A window, but no widget that reacts.
    Window(WindowKind),
    /// A widget.
    Widget(Selector),
}

/// A recorded sequence of events from a known start, with what was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The version of this format.
    pub format: u32,
    /// The app's package.
    pub package: String,
    /// The hash of the app: another one means another version.
    pub app_hash: String,
    /// The target as the user named it, for the next command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// The sort of device it was recorded on.
    pub device: String,
    /// The start that the first event needs.
    pub start: Reset,
    /// The screen after the launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Screen>,
    /// What it ends in, if it ends in a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Signature>,
    /// The events.
    pub events: Vec<TraceEvent>,
}

/// One event of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// What is done.
    pub input: Input,
    /// How long the device waits afterwards.
    #[serde(default, skip_serializing_if = "Wait::is_settle")]
    pub wait: Wait,
    /// The widget it is meant for; a replay finds it again and moves the input there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Selector>,
    /// What was seen before, if it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Screen>,
    /// What was seen after, if it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Screen>,
    /// The rules run or callbacks entered, in order, if they were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<BranchId>>,
}

impl Trace {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;

    /// Everything but the events.
    #[must_use]
    pub fn head(&self) -> Self {
        Self {
            format: self.format,
            package: self.package.clone(),
            app_hash: self.app_hash.clone(),
            target: self.target.clone(),
            device: self.device.clone(),
            start: self.start,
            first: self.first.clone(),
            failure: self.failure.clone(),
            events: Vec::new(),
        }
    }

    /// Tells the structures of its screens, as far as they are known.
    pub fn know_structures(&mut self, structures: &BTreeMap<TreeHash, u64>) {
        let shown = self.events.iter_mut().flat_map(|event| [&mut event.before, &mut event.after]);
        for screen in shown.flatten().chain(&mut self.first) {
            screen.structure = screen.structure.or_else(|| structures.get(&screen.tree).copied());
        }
    }

    /// The event at which the run failed that was written down: the last one, unless nothing was seen any more of those after
    /// it. An app that does not always fail may need them in other runs.
    pub fn failed_at(&self) -> Option<usize> {
        self.failure.as_ref()?;
        let is_wait = |event: &TraceEvent| matches!(event.input, Input::Wait(_));
        let last = self.events.iter().rposition(|event| !is_wait(event))?;
        let is_seen = |event: &TraceEvent| event.before.is_some() || event.after.is_some();
        Some(self.events.iter().rposition(|event| is_seen(event) && !is_wait(event)).unwrap_or(last))
    }

    /// The same, if that was before the last event.
    pub fn failed_early_at(&self) -> Option<usize> {
        let at = self.failed_at()?;
        self.events[at + 1..].iter().any(|event| !matches!(event.input, Input::Wait(_))).then_some(at)
    }

    /// How many user events it has; waits do not count.
    pub fn cost(&self) -> usize {
        self.events.iter().filter(|event| !matches!(event.input, Input::Wait(_))).count()
    }
}

impl TraceEvent {
    /// It was not done in the run that was written down: its widget was not there. An app that does not always do the same may
    /// need it in other runs.
    pub fn is_left_out(&self) -> bool {
        self.target.is_some() && self.before.is_some() && self.after.is_none()
    }

    /// How much there is to it for a reader, so that of two events that serve the simpler one can be chosen: a tap on a
    /// known widget is the simplest.
    pub fn complexity(&self) -> u64 {
        let input = match &self.input {
            Input::Tap(_) => 1,
            Input::Key(_) => 2,
            Input::LongTap(_) | Input::Rotate | Input::HomeAndReturn | Input::Restart => 3,
            Input::Swipe { .. } | Input::Pinch { .. } | Input::ProcessDeath => 4,
            Input::Text { text, .. } => {
                let size = text
                    .trim_start_matches('-')
                    .parse::<u32>()
                    .map_or(10, |n| u64::from(n.checked_ilog2().map_or(0, |log| log + 1)));
                4 + 64 * text.chars().count() as u64 + size + u64::from(text.starts_with('-'))
            }
            Input::DeepLink(address) => 4 + address.len() as u64,
            Input::Wait(millis) => u64::from(*millis),
        };
        let wait = match self.wait {
            Wait::Settle => 0,
            Wait::Millis(millis) => 1 + u64::from(millis),
        };
        input + wait + u64::from(self.target.is_none() && self.input.point().is_some())
    }
}
