//! The thinking half of the loop: it is asked what to do and told what was seen.
//!
//! The [`Explorer`] does no IO. The same observations and the same seed give the same commands, byte for byte, so that
//! a recorded run can be thought again; several devices feed one explorer through a [`Session`] each.

pub mod ledger;
pub mod pace;
pub mod stack;
pub mod typed;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand::RngExt;
use smol_str::SmolStr;

use crate::abstraction::registry::{Entry, REGISTRY};
use crate::abstraction::{Decision, DecisionTree};
use crate::action::{ActionKind, Event, Input, Key, Risk, Wait};
use crate::device::{Capabilities, Observation, Reset};
use crate::gui::opener::{is_covered, opened};
use crate::gui::{Flags, GuiTree, NodeIx, Opener, Reach, Selector, WindowKind};
use crate::ids::SessionId;
use crate::model::{Acted, Model};
use crate::seed::Seed;
use crate::strategy::lore::Lore;
use crate::strategy::session::Learnt;
use crate::strategy::tarpit::Stuck;
use crate::strategy::{
    AnyStrategy, Choice, Chosen, ModelView, SataConfig, Session, Strategy, StrategyChoice, phone_input,
};
use crate::trace::summary::{TRAP, WIDGET_GONE};
use crate::trace::{RunEvent, Summary};
use ledger::{Ledger, Seen};
use pace::Pace;
use stack::ActivityStack;
use typed::Reread;

/// How long a run may be. Time is the loop's business: here is no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How many steps all sessions make together.
    pub steps: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 20_000 }
    }
}

/// Why an explorer has nothing more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The budget of steps is used up.
    Steps,
    /// The app did not come up, however often it was launched.
    CannotStart,
}

impl StopReason {
    /// The reason as the log and the summary say it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Steps => "all steps made",
            Self::CannotStart => Summary::CANNOT_START,
        }
    }
}

/// How to explore.
#[derive(Clone, Debug)]
pub struct ExploreConfig {
    /// How long.
    pub budget: Budget,
    /// How the next action is chosen.
    pub strategy: StrategyChoice,
    /// Which screens are one state, by a name of the registry.
    pub abstraction: &'static Entry,
    /// The tree from which an abstraction that evolves starts, instead of its own.
    pub initial_tree: Option<DecisionTree>,
    /// When to look at an app that has not settled.
    pub pace: Pace,
    /// What is done to the phone beside BACK; see [`Risk`]. Bursts of raw events keep to it, too.
    pub phone_actions: Vec<ActionKind>,
}

impl Default for ExploreConfig {
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            strategy: StrategyChoice::Sata(SataConfig::default()),
            abstraction: &REGISTRY[0],
            initial_tree: None,
            pace: Pace::default(),
            phone_actions: ActionKind::of_the_phone(Risk::Kill),
        }
    }
}

/// What a session shall do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Put the app back to a start, and why.
    Reset(Reset, SmolStr),
    /// Do one event.
    Step {
        /// The event.
        event: Event,
        /// Why.
        reason: SmolStr,
        /// The widget it is meant for.
        target: Option<Selector>,
    },
    /// Nothing more.
    Stop(StopReason),
}

/// Chooses what to do and learns from what was seen.
#[derive(Debug)]
pub struct Explorer {
    config: ExploreConfig,
    capabilities: Capabilities,
    strategy: AnyStrategy,
    seed: Seed,
    tracks: BTreeMap<SessionId, Track>,
    ledger: Ledger,
    model: Model,
    lore: Lore,
    /// The fields that did not take a text as it was typed: each is told once.
    unread: BTreeSet<u64>,
}

/// One session and what it waits for.
#[derive(Debug)]
struct Track {
    session: Session,
    last: Option<Seen>,
    stack: ActivityStack,
    pending: Option<Pending>,
    /// Steps made outside the app since it was left.
    outside: u32,
    /// Launches since the app was last seen running.
    launches: u32,
    /// Waits in a row.
    waits: u32,
}

#[derive(Clone, Debug)]
struct Pending {
    command: Command,
    is_wait: bool,
    /// What the model learns from it, if it does.
    acted: Option<Acted>,
    /// The mark of the widget it is done to.
    mark: Option<u64>,
}

/// In a foreign app so many steps may be made, each with this chance; then BACK is tried this often.
const STEPS_OUTSIDE: u32 = 3;
const STEP_OUTSIDE_PERCENT: u32 = 70;
const BACKS_OUTSIDE: u32 = 2;
/// After this many launches without a running app the data is wiped, after [`MAX_LAUNCHES`] the run ends.
const WARM_LAUNCHES: u32 = 3;
const MAX_LAUNCHES: u32 = 10;
/// How many of a hundred restarts wipe the app's data (APE, explorers.md 1.8).
const CLEAN_PERCENT: u32 = 20;
/// So many times later the regular restarts come behind a login.
const RESTART_PATIENCE: u32 = 2;
/// A loading screen is waited for this often in a row.
const MAX_WAITS: u32 = 3;
const LOADING_MS: u32 = 1000;
/// The share of events of a burst that are done twice in a row: an impatient finger.
const DOUBLE: f64 = 0.5;

impl Explorer {
    /// An explorer of one app that has seen nothing yet.
    pub fn new(config: ExploreConfig, capabilities: Capabilities, seed: Seed) -> Self {
        let phone = std::iter::once(ActionKind::Back).chain(config.phone_actions.iter().copied()).collect();
        Self {
            strategy: config.strategy.build(),
            model: Model::new(config.abstraction.build_from(config.initial_tree.as_ref()), phone),
            ledger: Ledger::new(capabilities.package.clone()),
            config,
            capabilities,
            seed,
            tracks: BTreeMap::new(),
            lore: Lore::default(),
            unread: BTreeSet::new(),
        }
    }

    /// What a session shall do next. Asked again before it was told, it says the same again.
    pub fn ask(&mut self, id: SessionId) -> Command {
        let seed = self.seed;
        let track = self.tracks.entry(id).or_insert_with(|| Track::new(id, seed));
        if let Some(pending) = &track.pending {
            return pending.command.clone();
        }
        if self.ledger.steps() >= self.config.budget.steps {
            return Command::Stop(StopReason::Steps);
        }
        if track.launches >= MAX_LAUNCHES {
            return Command::Stop(StopReason::CannotStart);
        }
        self.lore.exchange(&mut track.session);
        let mut pending = track.decide(&self.config, &self.capabilities, &self.strategy, &mut self.model);
        track.session.claim();
        self.lore.exchange(&mut track.session);
        // Where nobody allowed it, no data is cleared: every start is as the app was found, and is called so.
        if let Command::Reset(to @ Reset::Clean, _) = &mut pending.command
            && !self.capabilities.clears
        {
            *to = Reset::Warm;
        }
        track.pending = Some(pending.clone());
        pending.command
    }

    /// What the device saw after the command that [`Explorer::ask`] gave. The events are the spine's next lines.
    pub fn tell(&mut self, id: SessionId, observation: Observation) -> Vec<RunEvent> {
        let Some(track) = self.tracks.get_mut(&id) else { return Vec::new() };
        let Some(Pending { command, is_wait, acted, mark }) = track.pending.take() else { return Vec::new() };
        let mut seen = self.ledger.see(&observation);
        let mut events = Vec::with_capacity(2);
        self.lore.exchange(&mut track.session);
        let ever = self.model.ids_given();
        match command {
            Command::Reset(to, reason) => {
                track.session.on_reset(to);
                track.outside = 0;
                let came_up = seen.running && seen.screen.foreign.is_none();
                track.launches = if came_up { 0 } else { track.launches + 1 };
                self.ledger.reset(id, to, reason, &seen, observation, &mut events);
                track.session.known_run = 0;
                if seen.is_inside() {
                    track.session.come_to(seen.tree.activity());
                    track.stack.on_launch(seen.tree.activity());
                    let (sight, decisions) = self.model.arrive(&seen.tree);
                    track.session.sweep.on_launch(&seen.tree, &sight);
                    decided(id, decisions, &mut events);
                }
            }
            Command::Step { event, reason, .. } => {
                let Some(before) = track.last.take() else {
                    self.lore.exchange(&mut track.session);
                    return events;
                };
                seen.event_ms = before.time_ms;
                seen.tree = opened(&before.tree, &event.input, &seen.tree);
                if seen.is_inside() {
                    track.stack.on_step(&event.input, seen.tree.activity());
                    seen.tree = over(&self.model, &seen.tree, &track.stack);
                }
                track.session.since_reset += 1;
                track.waits = if is_wait { track.waits + 1 } else { 0 };
                track.outside = if seen.screen.foreign.is_some() { track.outside + 1 } else { 0 };
                let covered = self.ledger.covered();
                let typed = matches!(event.input, Input::Text { .. }).then(|| event.input.clone());
                let text = match &typed {
                    Some(Input::Text { text, .. }) => Some(text.clone()),
                    _ => None,
                };
                self.ledger.step(id, event, reason, &before, &seen, observation, &mut events);
                let covered = self.ledger.covered() > covered;
                let learnt =
                    Learnt { acted, mark, text: text.as_deref(), covered, inside: seen.is_inside(), ever };
                if let (Some(input), Some(Acted { node: Some(node), .. })) = (typed, acted) {
                    let reread = Reread::of(&input, &before.tree, node, &seen.tree);
                    if let Some(text) = reread.warning(&input)
                        && mark.is_some_and(|mark| self.unread.insert(mark))
                    {
                        events.push(RunEvent::Warning { session: Some(id), text });
                    }
                }
                let decisions = track.session.learn(&mut self.model, &before.tree, &seen.tree, learnt);
                decided(id, decisions, &mut events);
            }
            Command::Stop(_) => {}
        }
        self.lore.exchange(&mut track.session);
        if self.model.ids_given() != ever {
            track.session.text.see(&seen.tree);
        }
        track.last = Some(seen);
        events
    }

    /// The session's device was lost: its next command is a launch. Nothing is learnt from what was under way.
    pub fn lost(&mut self, id: SessionId) {
        if let Some(track) = self.tracks.get_mut(&id) {
            track.pending = None;
            track.last = None;
        }
    }

    /// The last line of the spine.
    pub fn end(&self, reason: &str) -> RunEvent {
        RunEvent::End { reason: reason.into(), steps: self.ledger.steps() }
    }

    /// The model as it is now.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many states and activities all searches for ways have looked at so far: what they cost.
    pub fn looked_at(&self) -> u64 {
        self.model.looked_at() + self.lore.looked_at()
    }

    /// What the run has found so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How the run explores.
    pub fn config(&self) -> &ExploreConfig {
        &self.config
    }
}

impl Track {
    fn new(id: SessionId, seed: Seed) -> Self {
        Self {
            session: Session::new(id, seed),
            last: None,
            stack: ActivityStack::default(),
            pending: None,
            outside: 0,
            launches: 0,
            waits: 0,
        }
    }

    fn decide(
        &mut self,
        config: &ExploreConfig,
        capabilities: &Capabilities,
        strategy: &AnyStrategy,
        model: &mut Model,
    ) -> Pending {
        let Some(seen) = &self.last else { return reset(Reset::Clean, "start") };
        if !seen.running {
            let to = if self.launches >= WARM_LAUNCHES { Reset::Clean } else { Reset::Warm };
            return reset(to, "the app is not running");
        }
        let tree = Arc::clone(&seen.tree);
        if let Some(foreign) = seen.screen.foreign.clone() {
            return self.abroad(&foreign, &tree, model);
        }
        // Behind a login each restart costs a login.
        let patience = if self.session.gate().is_some() { RESTART_PATIENCE } else { 1 };
        if self.session.since_reset >= self.session.restart_after * patience {
            let drawn = self.session.restart.random_range(0..100) < CLEAN_PERCENT;
            let refuses = matches!(strategy, AnyStrategy::Sata(_));
            let clean = drawn || (refuses && self.session.refusals.wants_a_clean_start());
            return reset(if clean { Reset::Clean } else { Reset::Warm }, "regular restart");
        }
        if matches!(strategy, AnyStrategy::Sata(_))
            && let Some(stuck) = self.session.tarpit.check(model)
        {
            let banned = stuck.entry.and_then(|entry| model.ban(entry));
            let banned = banned.map_or(String::new(), |what| format!("; no {what} for a while"));
            let to = if stuck.again { Reset::Clean } else { Reset::Warm };
            let Stuck { states, steps, .. } = stuck;
            return reset(to, format!("{TRAP}{states} states for {steps} steps{banned}"));
        }
        let sight = model.see(&tree);
        if self.waits < MAX_WAITS && is_loading(&tree, &sight.reach) {
            let mut pending = step(Event::settled(Input::Wait(LOADING_MS)), "the screen is loading", None);
            pending.is_wait = true;
            return pending;
        }
        let view = ModelView { tree: &tree, sight: &sight, model, capabilities };
        let again = self.session.repeat.take().filter(|reach| sight.reach.contains(reach));
        let Choice { action, mut reason } = match again {
            Some(reach) => Choice::new(Chosen::Widget(reach), "burst: once more"),
            None => strategy.choose(&view, &mut self.session),
        };
        if let Some(missed) = self.session.missed.take() {
            model.miss_widget(missed.action, missed.target);
            reason = format!("{reason}{WIDGET_GONE}").into();
        }
        // A planned step is worth nothing before the app has settled.
        let is_planned =
            self.session.expected.is_some() || self.session.route.is_some() || self.session.sweep.under_way;
        let wait = if is_planned { Wait::Settle } else { config.pace.draw(&mut self.session) };
        match action {
            Chosen::Restart(to) => reset(to, reason),
            Chosen::Raw(event) => step(event, reason, None),
            Chosen::Phone(kind) => {
                let mut pending = step(Event { input: phone_input(kind, capabilities), wait }, reason, None);
                pending.acted = wait.is_settle().then_some(Acted { node: None, kind });
                pending.mark = sight.offers.iter().find(|offer| offer.kind == kind).map(|offer| offer.mark);
                pending
            }
            Chosen::Widget(reach) => {
                let text = match reach.kind {
                    ActionKind::Text => self.session.text.draw(&tree, reach.node),
                    _ => String::new(),
                };
                let event = Event { input: reach.input(&tree, text), wait };
                if again.is_none() && !wait.is_settle() && matches!(strategy, AnyStrategy::Sata(_)) {
                    self.session.repeat = self.session.pace.random_bool(DOUBLE).then_some(reach);
                }
                let mut pending = step(event, reason, Some((&tree, reach.node)));
                let place = sight.reach.iter().position(|one| *one == reach);
                pending.mark = place.map(|place| sight.marks[place]);
                pending.acted =
                    wait.is_settle().then_some(Acted { node: Some(reach.node), kind: reach.kind });
                pending
            }
        }
    }
}

impl Track {
    /// A foreign app is in front. A picker or a chooser that the app has opened gets a few steps, since what is chosen
    /// there comes back to the app; then BACK, then a restart.
    fn abroad(&mut self, foreign: &str, tree: &GuiTree, model: &mut Model) -> Pending {
        if foreign.contains("launcher") {
            return reset(Reset::Warm, "the app was left");
        }
        if self.outside > STEPS_OUTSIDE + BACKS_OUTSIDE {
            return reset(Reset::Warm, "a foreign app stays in front");
        }
        let sight = model.see(tree);
        if self.outside <= STEPS_OUTSIDE
            && self.session.choice.random_range(0..100) < STEP_OUTSIDE_PERCENT
            && let Some(&reach) = self.session.pick(&sight.reach)
        {
            let text = match reach.kind {
                ActionKind::Text => self.session.text.draw(tree, reach.node),
                _ => String::new(),
            };
            let event = Event::settled(reach.input(tree, text));
            return step(event, "a step in a foreign app", Some((tree, reach.node)));
        }
        step(Event::settled(Input::Key(Key::Back)), "back from a foreign app", None)
    }
}

/// A screen together with what lies below it, where the abstraction makes something of it.
fn over(model: &Model, tree: &Arc<GuiTree>, stack: &ActivityStack) -> Arc<GuiTree> {
    let evolving = model.abstraction().evolving().filter(|evolving| evolving.config().name_returns);
    let Some(below) = evolving.and_then(|_| stack.below()).filter(|_| !is_covered(tree)) else {
        return Arc::clone(tree);
    };
    let opener = Opener::below(below);
    let known = model.tree(tree.identity_if(opener)).map(Arc::clone);
    known.unwrap_or_else(|| Arc::new(tree.opened_by(opener)))
}

fn decided(session: SessionId, decisions: Vec<Decision>, events: &mut Vec<RunEvent>) {
    let event = |decision| RunEvent::Decision { session, decision: Box::new(decision) };
    events.extend(decisions.into_iter().map(event));
}

fn reset(to: Reset, reason: impl Into<SmolStr>) -> Pending {
    Pending { command: Command::Reset(to, reason.into()), is_wait: false, acted: None, mark: None }
}

fn step(event: Event, reason: impl Into<SmolStr>, target: Option<(&GuiTree, NodeIx)>) -> Pending {
    let target = target.map(|(tree, node)| Selector::of(tree, node));
    Pending {
        command: Command::Step { event, reason: reason.into(), target },
        is_wait: false,
        acted: None,
        mark: None,
    }
}

/// Nothing can be done, or a progress bar turns beside nothing but a way to leave.
fn is_loading(tree: &GuiTree, reach: &[Reach]) -> bool {
    let spins = |node: &crate::gui::tree::Node| {
        node.widget.short_class().ends_with("ProgressBar") && node.widget.flags.contains(Flags::VISIBLE)
    };
    reach.is_empty()
        && tree.windows().iter().all(|window| window.kind != WindowKind::System)
        && (tree.nodes().iter().any(spins) || tree.nodes().len() <= 1)
}
