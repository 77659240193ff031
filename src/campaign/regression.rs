//! From a run to a regression suite, and the suite as a test: DetReduce on devices.

pub mod suite_test;

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smol_str::SmolStr;

use crate::abstraction::registry::{AnyAbstraction, Entry};
use crate::abstraction::{Abstraction, StateKey};
use crate::action::{Input, Wait};
use crate::device::{AnyDevice, Device, DeviceError, Observation, Reset};
use crate::gui::{Flags, GuiTree, Selector};
use crate::ids::{BranchId, SessionId, TreeHash};
use crate::oracle::Signature;
use crate::suite::coverage::Item;
use crate::suite::{Did, EventIx, Executor, Recorded, Stopped};
use crate::trace::replay::resolve;
use crate::trace::segments::Segment;
use crate::trace::suite_folder::SuiteScreen;
use crate::trace::{PackReader, Screen, Trace, TraceEvent};

/// How often a trace of the suite is run to see its screens.
const RECORDING_TRIES: u32 = 10;

/// Events that a device cannot tell apart, each once.
type Events = IndexMap<(Input, Wait, Option<Selector>), (), FxBuildHasher>;

/// Runs traces of events by number on a device and names the states.
pub struct Traces<'a> {
    device: AnyDevice,
    runtime: tokio::runtime::Runtime,
    events: Events,
    states: States,
    /// What screens of each state show, as far as they were seen.
    screens: BTreeMap<StateKey, SuiteScreen>,
    over: &'a dyn Fn() -> bool,
    left: u64,
}

/// Names GUI trees, each once.
pub struct States {
    abstraction: AnyAbstraction,
    known: FxHashMap<TreeHash, StateKey>,
}

impl States {
    /// States by an abstraction that does not change.
    pub fn new(abstraction: &Entry) -> Self {
        Self { abstraction: abstraction.build(), known: FxHashMap::default() }
    }

    /// The state of a tree.
    pub fn of(&mut self, tree: &GuiTree) -> StateKey {
        let abstraction = &mut self.abstraction;
        *self.known.entry(tree.hash()).or_insert_with(|| abstraction.name_tree(tree).key)
    }
}

/// One thing that was done and what was seen then.
pub(crate) struct Sight {
    pub(crate) state: StateKey,
    pub(crate) screen: Screen,
    pub(crate) tree: Arc<GuiTree>,
    pub(crate) branches: Option<Vec<BranchId>>,
    pub(crate) rules: Option<Vec<BranchId>>,
    pub(crate) failures: Vec<Signature>,
}

impl<'a> Traces<'a> {
    /// Traces on a device, for at most so many executions, until it is over.
    pub fn new(
        device: AnyDevice,
        abstraction: &Entry,
        executions: u64,
        over: &'a dyn Fn() -> bool,
    ) -> std::io::Result<Self> {
        Ok(Self {
            device,
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
            events: Events::default(),
            states: States::new(abstraction),
            screens: BTreeMap::new(),
            over,
            left: executions,
        })
    }

    /// The device tells which branches an event covers.
    pub fn tells_branches(&mut self) -> Result<bool, DeviceError> {
        let seen = self.runtime.block_on(self.device.reset(start(&self.device)))?;
        Ok(seen.coverage.is_some())
    }

    /// The number of an event.
    pub fn number(&mut self, event: &TraceEvent) -> EventIx {
        let key = (event.input.clone(), event.wait, event.target.clone());
        self.events.insert_full(key, ()).0 as EventIx
    }

    /// The segments of a run as the reducer takes them. Each that begins with the data of those before it knows the whole
    /// since the last clean start. Also tells how many events are left out, because the pack lacks a screen.
    pub fn recorded_run(&mut self, segments: &[Segment], pack: &mut PackReader) -> (Vec<Recorded>, usize) {
        let mut left_out = 0;
        let mut all: Vec<Recorded> = Vec::new();
        let mut groups: BTreeMap<SessionId, Vec<Recorded>> = BTreeMap::new();
        let restart = TraceEvent {
            input: Input::Restart,
            wait: Wait::Settle,
            target: None,
            before: None,
            after: None,
            rules: None,
        };
        let restart = self.number(&restart);
        for segment in segments {
            let recorded = self.recorded(segment, pack);
            let known = recorded.as_ref().map_or(0, |recorded| recorded.events.len());
            left_out += segment.events.len() - known;
            let group = groups.entry(segment.session).or_default();
            // Where data is never cleared, each segment began with what was found, and begins so again.
            if segment.start == Reset::Clean || self.start() == Reset::Warm {
                all.append(&mut joined(std::mem::take(group), restart));
            }
            group.extend(recorded);
        }
        for group in groups.into_values() {
            all.append(&mut joined(group, restart));
        }
        let fails = |item: &Item| matches!(item, Item::Failure(_));
        all.retain(|recorded| !recorded.events.is_empty() || recorded.items.iter().any(fails));
        (all, left_out)
    }

    /// A segment of a run as the reducer takes it, up to the first screen that the pack does not have.
    fn recorded(&mut self, segment: &Segment, pack: &mut PackReader) -> Option<Recorded> {
        let mut recorded =
            Recorded { events: Vec::new(), states: Vec::new(), items: Vec::new(), whole: None };
        recorded.states.push(self.packed(&segment.first, pack)?);
        for event in &segment.events {
            let after = event.after.as_ref().and_then(|screen| self.packed(screen, pack));
            let Some(after) = after else { break };
            recorded.states.push(after);
            recorded.events.push(self.number(event));
        }
        recorded.items.extend(segment.new_branches.iter().copied().map(Item::Branch));
        recorded.items.extend(segment.failures.iter().cloned().map(Item::Failure));
        Some(recorded)
    }

    fn packed(&mut self, screen: &Screen, pack: &mut PackReader) -> Option<StateKey> {
        if let Some(&known) = self.states.known.get(&screen.tree) {
            return Some(known);
        }
        let tree = pack.get(screen.tree).ok().flatten()?;
        Some(self.states.of(&tree))
    }

    /// A trace as the reducer takes it, with the states that one run of it visits; none if it cannot be run.
    pub fn visited(&mut self, trace: &Trace) -> Result<Option<Recorded>, DeviceError> {
        if trace.start != Reset::Clean && self.start() == Reset::Clean {
            return Ok(None);
        }
        let events: Vec<EventIx> = trace.events.iter().map(|event| self.number(event)).collect();
        let mut sights = self.execute(&events, None, &|| false)?;
        // An app that does not always do the same may fail before the trace is over.
        let failed =
            |sight: &Sight| trace.failure.as_ref().is_some_and(|wanted| sight.failures.contains(wanted));
        if let Some(end) = sights.iter().position(failed) {
            sights.truncate(end + 1);
        } else if sights.len() != events.len() + 1 {
            return Ok(None);
        }
        let events = events[..sights.len() - 1].to_vec();
        // What it was recorded with must stay, whether it shows in this run or not.
        let failures = sights.iter().flat_map(|sight| &sight.failures).chain(&trace.failure).cloned();
        let items = failures.map(Item::Failure).collect();
        let states = sights.iter().map(|sight| sight.state).collect();
        Ok(Some(Recorded { events, states, items, whole: None }))
    }

    /// The event with a number.
    fn event(&self, number: EventIx) -> TraceEvent {
        let (input, wait, target) = match self.events.get_index(number as usize) {
            Some(((input, wait, target), ())) => (input.clone(), *wait, target.clone()),
            None => (Input::Wait(0), Wait::Settle, None),
        };
        TraceEvent { input, wait, target, before: None, after: None, rules: None }
    }

    /// Runs events from a clean start, as long as they can be done and lead to the expected states, until it is over.
    pub(crate) fn execute(
        &mut self,
        events: &[EventIx],
        expected: Option<&[StateKey]>,
        over: &dyn Fn() -> bool,
    ) -> Result<Vec<Sight>, DeviceError> {
        let events: Vec<TraceEvent> = events.iter().map(|&event| self.event(event)).collect();
        let Self { device, runtime, states, .. } = self;
        let sights = runtime.block_on(run(device, states, &events, expected, over))?;
        for sight in &sights {
            self.screens.entry(sight.state).or_insert_with(|| shows(&sight.tree));
        }
        Ok(sights)
    }

    /// A trace of the suite with what was seen when it was run once more. On a device that goes another way now and then,
    /// it is run until it visits these states; if it does not any more, the screens are left out.
    pub fn trace(
        &mut self,
        head: &Trace,
        events: &[EventIx],
        states: &[StateKey],
    ) -> Result<Trace, DeviceError> {
        let mut sights = Vec::new();
        for _ in 0..RECORDING_TRIES {
            sights = self.execute(events, Some(states), &|| false)?;
            if sights.iter().map(|sight| sight.state).eq(states.iter().copied()) {
                break;
            }
            sights.clear();
        }
        let mut trace = self.unseen(head, events);
        trace.first = sights.first().map(|sight| sight.screen.clone());
        trace.failure = sights.iter().flat_map(|sight| &sight.failures).next_back().cloned();
        for (event, pair) in trace.events.iter_mut().zip(sights.windows(2)) {
            event.before = Some(pair[0].screen.clone());
            event.after = Some(pair[1].screen.clone());
            event.rules.clone_from(&pair[1].rules);
        }
        Ok(trace)
    }

    /// A trace of the suite without what is seen on the way.
    pub fn unseen(&self, head: &Trace, events: &[EventIx]) -> Trace {
        let events = events.iter().map(|&event| self.event(event)).collect();
        Trace { start: self.start(), events, ..head.clone() }
    }

    /// What the screens of these states show.
    pub fn screens(&self, states: impl IntoIterator<Item = StateKey>) -> BTreeMap<SmolStr, SuiteScreen> {
        let shown = |state| Some((SmolStr::from(format!("{state}")), self.screens.get(&state)?.clone()));
        states.into_iter().filter_map(shown).collect()
    }

    /// From where traces begin: from a clean start, unless the device may not clear the app's data.
    pub fn start(&self) -> Reset {
        start(&self.device)
    }

    /// The sort of device.
    pub fn device_kind(&self) -> &'static str {
        self.device.capabilities().kind
    }
}

impl Executor for Traces<'_> {
    fn run(&mut self, events: &[EventIx], expected: &[StateKey]) -> Result<Vec<Did>, Stopped> {
        if self.left == 0 || (self.over)() {
            return Err(Stopped::Ended);
        }
        self.left -= 1;
        let sights = self
            .execute(events, Some(expected), self.over)
            .map_err(|error| Stopped::Lost(error.to_string()))?;
        if sights.len() <= events.len() && (self.over)() {
            // It did not go another way: it was not run to its end.
            return Err(Stopped::Ended);
        }
        let mut before = None;
        let did = sights.into_iter().enumerate().map(|(at, sight)| {
            let mut items: Vec<Item> = sight.failures.into_iter().map(Item::Failure).collect();
            match (sight.branches, before, at.checked_sub(1)) {
                (Some(branches), ..) => items.extend(branches.into_iter().map(Item::Branch)),
                (None, Some(before), Some(event)) => items.push(Item::Action(before, events[event])),
                (None, ..) => {}
            }
            before = Some(sight.state);
            Did { state: sight.state, screen: sight.tree.hash().0, items }
        });
        Ok(did.collect())
    }

    fn is_over(&self) -> bool {
        (self.over)()
    }
}

fn start(device: &AnyDevice) -> Reset {
    if device.capabilities().clears { Reset::Clean } else { Reset::Warm }
}

/// Traces from one clean start on: all but the first know the whole, in which a restart stands between two.
fn joined(mut traces: Vec<Recorded>, restart: EventIx) -> Vec<Recorded> {
    let Some((first, later)) = traces.split_first_mut() else { return traces };
    if later.is_empty() {
        return traces;
    }
    let mut whole = first.clone();
    for trace in later.iter() {
        whole.events.push(restart);
        whole.events.extend(&trace.events);
        whole.states.extend(&trace.states);
    }
    let whole = Arc::new(whole);
    for trace in later {
        trace.whole = Some(Arc::clone(&whole));
    }
    traces
}

/// Runs events from a clean start; ends early with the first state that is another one, where an event cannot be done, or
/// when it is over.
pub(crate) async fn run(
    device: &mut AnyDevice,
    states: &mut States,
    events: &[TraceEvent],
    expected: Option<&[StateKey]>,
    over: &dyn Fn() -> bool,
) -> Result<Vec<Sight>, DeviceError> {
    let package = device.capabilities().package.clone();
    let mut sight = |seen: Observation| Sight {
        state: states.of(&seen.tree),
        screen: Screen::of(&seen.tree, &package),
        branches: seen.coverage,
        rules: seen.rules,
        failures: seen.failures.iter().map(Signature::of).collect(),
        tree: seen.tree,
    };
    let mut sights = vec![sight(device.reset(start(device)).await?)];
    for event in events {
        let Some(last) = sights.last() else { break };
        let wrong = expected.is_some_and(|expected| expected.get(sights.len() - 1) != Some(&last.state));
        if wrong || over() {
            break;
        }
        let Some(event) = resolve(event, &last.tree) else { break };
        sights.push(sight(device.step(&event).await?));
    }
    Ok(sights)
}

/// What a screen shows that can be acted on, in a few words: each as often as it is there, and with the marks that may be all
/// that tells two states apart.
pub(crate) fn shows(tree: &GuiTree) -> SuiteScreen {
    const MOST: usize = 24;
    const LONGEST: usize = 40;
    let mut words: IndexMap<String, usize> = IndexMap::new();
    for node in tree.nodes().iter().filter(|node| node.widget.is_actionable()) {
        let widget = &node.widget;
        let names = [&widget.text, &widget.content_desc].map(SmolStr::as_str);
        let word = [names[0], names[1], widget.short_id(), widget.short_class()]
            .into_iter()
            .find(|word| !word.is_empty())
            .unwrap_or_default();
        let mut word: String = word.chars().take(LONGEST).collect();
        let is = |flag| widget.flags.contains(flag);
        let marks = [
            (is(Flags::CHECKED), "checked"),
            (is(Flags::SELECTED), "selected"),
            (!is(Flags::ENABLED), "disabled"),
        ];
        let marks: Vec<&str> = marks.into_iter().filter(|(has, _)| *has).map(|(_, mark)| mark).collect();
        if !marks.is_empty() {
            word = format!("{word} ({})", marks.join(", "));
        }
        if words.len() < MOST || words.contains_key(&word) {
            *words.entry(word).or_default() += 1;
        }
    }
    let counted =
        |(word, count): (String, usize)| if count > 1 { format!("{word} × {count}") } else { word };
    SuiteScreen { activity: tree.activity().clone(), shows: words.into_iter().map(counted).collect() }
}
