//! The phone: does what an event does to an app, rule by rule, on its own clock.

mod activities;

use std::sync::Arc;

use rand::RngExt;
use rhai::Dynamic;
use smol_str::SmolStr;

use super::app::{App, FailureIx, RuleIx, RuleList};
use super::expr::{Env, Temp, Temps};
use super::render::{self, Rendered};
use super::state::{Layer, Pending, State, Toast};
use crate::action::Wait;
use crate::device::Reset;
use crate::gui::Point;
use crate::gui::tree::WidgetPool;
use crate::ids::BranchId;
use crate::oracle::{Failure, FailureKind};
use crate::seed::Rng;

/// A settled step takes at least this long: tap, idle wait and tree walk on a phone.
pub const SETTLE_MIN_MS: u64 = 300;
/// The app has settled when nothing is due within this time.
pub const SETTLE_QUIET_MS: u64 = 100;
/// It is not waited longer than this for an app to settle.
pub const SETTLE_MAX_MS: u64 = 1_000;
/// How long a short message is shown.
const TOAST_MS: u64 = 2_000;
/// An event that runs more rules than this goes round in a circle: what else is due at once is dropped.
const MAX_RULES: usize = 1_000;
/// While one wait passes, so many periodic rules are looked at; the rest of them are left out.
const MAX_TICKS: u32 = 100_000;
/// Rules that start rules deeper than this go round in a circle.
const MAX_CHAIN: u32 = 64;

/// Where the outcome of a `chance` comes from.
#[derive(Clone, Debug)]
pub enum Chance {
    /// Drawn from the device's own seed.
    Drawn(Rng),
    /// Given beforehand, in order; once they are used up, every answer is no. What was asked is noted.
    Scripted {
        /// The answers.
        answers: Vec<bool>,
        /// The probabilities asked for so far.
        asked: Vec<f64>,
    },
}

impl Chance {
    fn draw(&mut self, probability: f64) -> bool {
        match self {
            Self::Drawn(rng) => rng.random_bool(probability.clamp(0.0, 1.0)),
            Self::Scripted { answers, asked } => {
                let answer = answers.get(asked.len()).copied().unwrap_or(false);
                asked.push(probability);
                answer
            }
        }
    }
}

/// What happened since it was last taken.
#[derive(Clone, Debug, Default)]
pub struct Happened {
    /// The rules run, in order.
    pub rules: Vec<BranchId>,
    /// The failures raised, each with its position in the model.
    pub failures: Vec<(FailureIx, Failure)>,
    /// Scripts that failed and circles that were cut.
    pub issues: Vec<String>,
}

/// A phone with one app on it.
#[derive(Debug)]
pub struct Phone {
    pub(super) app: Arc<App>,
    pub(super) state: State,
    pub(super) temps: Temps,
    chance: Chance,
    pool: WidgetPool,
    pub(super) happened: Happened,
    screen: Option<Rendered>,
    chain: u32,
    /// It was already told that rules go round in a circle.
    told: bool,
}

impl Phone {
    /// A phone on which the app has just been installed.
    pub fn new(app: Arc<App>, chance: Chance) -> Self {
        let state = State::installed(&app);
        let mut temps = Temps::default();
        temps.set(Temp::Restored, false);
        temps.set(Temp::Landscape, false);
        temps.set(Temp::Permissions, rhai::Array::new());
        Self {
            app,
            state,
            temps,
            chance,
            pool: WidgetPool::default(),
            happened: Happened::default(),
            screen: None,
            chain: 0,
            told: false,
        }
    }

    /// The app on it.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// What it remembers.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Puts the phone into a state, with its answers to `chance` given beforehand.
    pub fn set_state(&mut self, state: State, chance: Chance) {
        self.state = state;
        self.chance = chance;
        self.screen = None;
        self.happened = Happened::default();
        self.temps.set(Temp::Landscape, self.state.landscape);
        self.share_permissions();
    }

    /// Puts the phone into a state whose screen is already known, with its answers to `chance` given beforehand.
    pub(super) fn resume_from(&mut self, state: State, chance: Chance, screen: Option<Rendered>) {
        self.set_state(state, chance);
        self.screen = screen;
    }

    /// The screen, if it was looked at since it changed last.
    pub(super) fn shown(&self) -> Option<Rendered> {
        self.screen.clone()
    }

    /// The probabilities that were asked for, where the answers were given beforehand.
    pub fn asked(&self) -> &[f64] {
        if let Chance::Scripted { asked, .. } = &self.chance { asked } else { &[] }
    }

    /// What it shows now.
    pub fn screen(&mut self) -> &Rendered {
        if self.screen.is_none() {
            let rendered = render::render(
                &self.app,
                &mut self.state,
                &mut self.temps,
                &mut self.pool,
                &mut self.happened.issues,
            );
            self.screen = Some(rendered);
        }
        self.screen.get_or_insert_with(unreachable_screen)
    }

    /// What happened since the last call.
    pub fn take_happened(&mut self) -> Happened {
        self.told = false;
        std::mem::take(&mut self.happened)
    }

    /// Puts the app back to a start and launches it.
    pub fn reset(&mut self, reset: Reset) {
        let app = Arc::clone(&self.app);
        let now = self.state.now;
        if reset == Reset::Clean {
            self.state = State { now, ..State::installed(&app) };
        } else {
            self.state.lose_process(&app);
            self.state.stack.clear();
            self.state.landscape = false;
            self.state.running = false;
            self.state.at_home = true;
        }
        self.temps.set(Temp::Landscape, false);
        self.share_permissions();
        self.changed();
        self.launch();
    }

    /// What a tap on the app's icon does: the app comes to the front, started if need be.
    pub fn launch(&mut self) {
        self.state.at_home = false;
        self.state.running = true;
        self.changed();
        if self.state.stack.is_empty() {
            let start = self.app.start;
            self.push_activity(start, Vec::new());
        } else {
            self.came_to_front(None);
        }
    }

    /// The screen may look different from now on.
    pub(super) fn changed(&mut self) {
        self.screen = None;
    }

    /// Lets time pass after an event.
    pub fn wait(&mut self, wait: Wait) {
        match wait {
            Wait::Millis(ms) => self.pass(u64::from(ms)),
            Wait::Settle => {
                let start = self.state.now;
                self.pass(SETTLE_MIN_MS);
                while let Some(due) = self.state.pending.first().map(|pending| pending.due) {
                    if due > self.state.now + SETTLE_QUIET_MS || due > start + SETTLE_MAX_MS {
                        break;
                    }
                    self.pass(due - self.state.now);
                }
            }
        }
    }

    /// Lets this many milliseconds pass: what is due then runs in order.
    pub fn pass(&mut self, ms: u64) {
        let end = self.state.now + ms;
        let mut ticks = 0;
        loop {
            let pending = self.state.pending.first().map(|pending| pending.due);
            let tick = self.next_tick();
            let next = match (pending, tick) {
                (Some(pending), Some((tick, _))) if tick < pending => tick,
                (Some(pending), _) => pending,
                (None, Some((tick, _))) => tick,
                (None, None) => break,
            };
            if next > end {
                break;
            }
            if self.goes_round() || ticks == MAX_TICKS {
                self.state.pending.retain(|pending| pending.due > end);
                if let Some(front) = self.state.stack.last_mut() {
                    front.ticks.iter_mut().for_each(|due| *due = (*due).max(end + 1));
                }
                break;
            }
            self.state.now = self.state.now.max(next);
            if pending == Some(next) {
                let pending = self.state.pending.remove(0);
                self.run_pending(pending);
            } else if let Some((due, number)) = tick {
                ticks += 1;
                self.run_tick(due, number);
            }
        }
        self.state.now = end;
        if self.state.toast.as_ref().is_some_and(|toast| toast.until <= end) {
            self.state.toast = None;
            self.changed();
        }
    }

    /// The periodic rule of the activity in front that is due next.
    fn next_tick(&self) -> Option<(u64, usize)> {
        let front = self.state.front()?;
        front.ticks.iter().copied().enumerate().map(|(number, due)| (due, number)).min()
    }

    fn run_tick(&mut self, due: u64, number: usize) {
        let app = Arc::clone(&self.app);
        let Some(front) = self.state.stack.last_mut() else { return };
        let (period, rules) = &app.activity(front.activity).every[number];
        front.ticks[number] = due + u64::from(*period);
        let id = front.id;
        self.run(rules, id);
    }

    fn run_pending(&mut self, pending: Pending) {
        if self.state.position(pending.instance).is_none() {
            return;
        }
        self.temps.set(Temp::Row, pending.row);
        self.temps.set(Temp::Index, pending.index);
        self.temps.set(Temp::Value, pending.value);
        self.effects(pending.rule, pending.instance);
    }

    /// More rules were run than any event needs. It is told once.
    fn goes_round(&mut self) -> bool {
        let over = self.happened.rules.len() >= MAX_RULES;
        if over && !std::mem::replace(&mut self.told, over) {
            self.happened.issues.push(format!("rules go round in a circle; cut after {MAX_RULES}"));
        }
        over
    }

    /// Runs the first rule of a list that applies. Whether there was one.
    pub(super) fn run(&mut self, rules: &RuleList, instance: u32) -> bool {
        if rules.is_empty() || self.state.position(instance).is_none() || self.goes_round() {
            return false;
        }
        let app = Arc::clone(&self.app);
        for &ix in rules {
            let rule = app.rule(ix);
            if let Some(guard) = &rule.guard {
                let Some(position) = self.state.position(instance) else { return false };
                let mut env = Env {
                    globals: &mut self.state.globals,
                    locals: &mut self.state.stack[position].locals,
                    temps: &mut self.temps,
                };
                match guard.holds(&app.engine, &mut env) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(error) => {
                        self.happened.issues.push(format!("{}: {error}", rule.name));
                        continue;
                    }
                }
            }
            if let Some(probability) = rule.chance
                && !self.chance.draw(probability)
            {
                continue;
            }
            self.apply(ix, instance);
            return true;
        }
        false
    }

    /// A rule that applies: now or later.
    fn apply(&mut self, ix: RuleIx, instance: u32) {
        let Some(after) = self.app.rule(ix).after else {
            self.effects(ix, instance);
            return;
        };
        let pending = Pending {
            due: self.state.now + u64::from(after),
            instance,
            rule: ix,
            row: self.temps.get(Temp::Row).clone(),
            index: self.temps.get(Temp::Index).clone(),
            value: self.temps.get(Temp::Value).clone(),
        };
        let at = self.state.pending.partition_point(|known| known.due <= pending.due);
        self.state.pending.insert(at, pending);
    }

    /// What a rule does, part by part.
    fn effects(&mut self, ix: RuleIx, instance: u32) {
        let app = Arc::clone(&self.app);
        let rule = app.rule(ix);
        if self.chain >= MAX_CHAIN {
            self.happened
                .issues
                .push(format!("{}: rules go round in a circle; cut after {MAX_CHAIN}", rule.name));
            return;
        }
        self.chain += 1;
        self.happened.rules.push(ix.into());
        self.changed();
        if let Some(script) = &rule.script {
            let outcome = self.with_env(instance, |engine, env| script.eval(engine, env));
            if let Some(Err(error)) = outcome {
                self.happened.issues.push(format!("{}: {error}", rule.name));
                self.chain -= 1;
                return;
            }
        }
        if let Some(toast) = &rule.toast {
            let mut issues = std::mem::take(&mut self.happened.issues);
            let text = self
                .with_env(instance, |engine, env| toast.show(engine, env, &mut issues))
                .unwrap_or_default();
            self.happened.issues = issues;
            self.state.toast = Some(Toast { text, until: self.state.now + TOAST_MS });
        }
        if rule.dismiss
            && let Some(position) = self.state.position(instance)
        {
            self.state.stack[position].layers.pop();
        }
        let life = self.state.life;
        self.navigate(rule, instance);
        if self.state.life != life {
            self.chain -= 1;
            return;
        }
        self.open_layers(rule, instance);
        if self.state.life != life {
            self.chain -= 1;
            return;
        }
        if let Some(failure) = rule.fail {
            self.fail(failure);
        } else if !rule.then.is_empty() {
            self.run(&rule.then, instance);
        }
        self.chain -= 1;
    }

    fn open_layers(&mut self, rule: &super::app::Rule, instance: u32) {
        let Some(position) = self.state.position(instance) else { return };
        let screen = render::screen_bounds(self.state.landscape);
        let asked = rule.ask.map(|ix| {
            let activity = self.app.activity(self.state.stack[position].activity);
            (ix, self.state.permissions.contains(&activity.permissions[ix as usize].name))
        });
        let app = Arc::clone(&self.app);
        let front = &mut self.state.stack[position];
        if rule.dialog.is_some() || rule.popup.is_some() || asked.is_some() {
            front.keyboard = false;
        }
        if let Some(dialog) = rule.dialog {
            front.layers.retain(|layer| *layer != Layer::Dialog(dialog));
            front.layers.push(Layer::Dialog(dialog));
            if let Some(field) = app.activity(front.activity).dialogs[dialog as usize].keyboard {
                front.focus = Some(field);
                front.keyboard = true;
            }
        }
        if let Some(popup) = rule.popup {
            let center = Point { x: screen.right / 2, y: screen.bottom / 3 };
            front.layers.retain(|layer| !matches!(layer, Layer::Popup(..)));
            front.layers.push(Layer::Popup(popup, center));
        }
        match asked {
            Some((ix, false)) => front.layers.push(Layer::Permission(ix)),
            Some((ix, true)) => self.answer_permission(ix, true, instance),
            None => {}
        }
    }

    fn value(&mut self, expr: &super::expr::Expr, instance: u32, place: &SmolStr) -> Option<Dynamic> {
        match self.with_env(instance, |engine, env| expr.eval(engine, env))? {
            Ok(value) => Some(value),
            Err(error) => {
                self.happened.issues.push(format!("{place}: {error}"));
                None
            }
        }
    }

    pub(super) fn with_env<T>(
        &mut self,
        instance: u32,
        body: impl FnOnce(&rhai::Engine, &mut Env<'_>) -> T,
    ) -> Option<T> {
        let position = self.state.position(instance)?;
        let mut env = Env {
            globals: &mut self.state.globals,
            locals: &mut self.state.stack[position].locals,
            temps: &mut self.temps,
        };
        Some(body(&self.app.engine, &mut env))
    }

    pub(super) fn answer_permission(&mut self, ix: u32, granted: bool, instance: u32) {
        let app = Arc::clone(&self.app);
        let Some(position) = self.state.position(instance) else { return };
        let permission = &app.activity(self.state.stack[position].activity).permissions[ix as usize];
        if granted && !self.state.permissions.contains(&permission.name) {
            self.state.permissions.push(permission.name.clone());
            self.state.permissions.sort();
            self.share_permissions();
        }
        self.changed();
        self.run(if granted { &permission.granted } else { &permission.denied }, instance);
    }

    fn share_permissions(&mut self) {
        let names: rhai::Array = self.state.permissions.iter().map(|name| name.as_str().into()).collect();
        self.temps.set(Temp::Permissions, names);
    }

    /// The app fails: unless its own handler swallows it, the process is gone.
    fn fail(&mut self, ix: FailureIx) {
        let app = Arc::clone(&self.app);
        let plan = &app.failures[ix.0 as usize];
        let failure = app.failure(ix, &mut self.state.globals, &mut self.temps, &mut self.happened.issues);
        self.happened.failures.push((ix, failure));
        self.changed();
        if let (FailureKind::Swallowed, Some(screen)) = (plan.kind, plan.screen) {
            self.state.life += 1;
            self.state.stack.clear();
            self.state.pending.clear();
            self.push_activity(screen, Vec::new());
        } else {
            self.state.lose_process(&app);
            self.state.stack.clear();
            self.state.running = false;
            self.state.at_home = true;
        }
    }
}

/// The screen was rendered just before; this is only for the compiler.
fn unreachable_screen() -> Rendered {
    Rendered { tree: Arc::new(crate::gui::GuiTree::empty()), origins: Vec::new() }
}
