//! One device's way through the shared model.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use rand::RngExt;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::atlas::Atlas;
use super::claims::Claims;
use super::habit::{Habits, Seen};
use super::recipe::{Passage, Recipes, Value};
use super::sata::camp::Camps;
use super::sata::refusal::Refusals;
use super::sata::route::Under;
use super::sweep::Sweep;
use super::tarpit::Tarpit;
use super::text::TextSource;
use crate::abstraction::{Decision, NameId};
use crate::action::ActionKind;
use crate::device::Reset;
use crate::gui::{Flags, GuiTree, Reach};
use crate::ids::{SessionId, StateId};
use crate::model::navigate::Planned;
use crate::model::stats::RareActivities;
use crate::model::{Acted, Model};
use crate::seed::{Rng, Seed};

/// One device's way through the shared model: where it is, what it plans, and its own generators.
///
/// Each purpose has a generator of its own: drawing one more text must not change which widget is tapped later.
#[derive(Debug)]
pub struct Session {
    /// Which session it is.
    pub id: SessionId,
    /// For choosing among actions.
    pub choice: Rng,
    /// For deciding when to restart, and how.
    pub restart: Rng,
    /// For deciding about bursts and waits.
    pub pace: Rng,
    /// Texts for fields.
    pub text: TextSource,
    /// Steps since the app was last put back to a start.
    pub since_reset: u32,
    /// After this many steps the next restart is due.
    pub restart_after: u32,
    /// How many of the next events come before the app has settled.
    pub burst_left: u32,
    /// The state before the present one.
    pub previous: Option<StateId>,
    /// The rest of the plan that is under way.
    pub plan: VecDeque<Planned>,
    /// Why the plan was made.
    pub plan_reason: &'static str,
    /// Where the plan that was made last leads.
    pub plan_goal: Option<StateId>,
    /// The states that it set out for since something there was never done, and how much had been done there then. Also
    /// where it did not arrive: setting out again and again has no end either.
    pub gone_for: FxHashMap<StateId, u32>,
    /// The step of a plan that is being done.
    pub expected: Option<Planned>,
    /// The step of a plan that could not be done: its state is here, its widget is gone.
    pub missed: Option<Planned>,
    /// Raw events left of a burst.
    pub fuzz_left: u32,
    /// Steps in a row that told the model nothing new.
    pub known_run: u32,
    /// Steps in a row in the same state.
    pub same_state: u32,
    /// Activities that were hardly visited, as last counted.
    pub rare: RareActivities,
    /// Steps since something was covered for the first time, those of all sessions together.
    pub dry: u32,
    /// Steps of work since the last camp.
    pub working: u32,
    /// A search for work found nothing.
    pub fruitless: Option<Fruitless>,
    /// Whose turn it is among the states of a large model to be gone to.
    pub turn: usize,
    /// What is done again for a few steps.
    pub again: Option<(NameId, ActionKind, u32)>,
    /// What is left to do of a form: its fields, then the button that sends it.
    pub form: VecDeque<(NameId, ActionKind)>,
    /// The buttons that have sent a login, and where: each is pressed again the first time.
    pub sent: BTreeSet<(SmolStr, u64)>,
    /// The tap that a burst may repeat at once.
    pub repeat: Option<Reach>,
    /// Where it camps and has camped.
    pub camps: Camps,
    /// Ways between activities.
    pub atlas: Atlas,
    /// What the widgets do, as far as it was seen.
    pub habits: Habits,
    /// The route that is under way.
    pub route: Option<Under>,
    /// Texts that led on.
    pub recipes: Recipes,
    /// The activities on the way here, the launcher first, as far as they were seen.
    pub stack: Vec<SmolStr>,
    /// Pages and what they promise.
    pub sweep: Sweep,
    /// What the sessions are after.
    pub claims: Claims,
    /// Watches for traps.
    pub tarpit: Tarpit,
    /// What was granted and refused.
    pub refusals: Refusals,
}

/// A search for work found nothing, and is not repeated for a while.
#[derive(Clone, Copy, Debug)]
pub struct Fruitless {
    /// How many ids the model had given.
    pub ids: usize,
    /// Until this step since the reset, unless the model grows.
    pub soft: u32,
    /// Until this step since the reset, whatever happens.
    pub firm: u32,
}

/// What there is to learn from a step.
#[derive(Clone, Copy, Debug)]
pub struct Learnt<'a> {
    /// The action, if it is one of the model's and the app had settled.
    pub acted: Option<Acted>,
    /// The mark of what was acted on.
    pub mark: Option<u64>,
    /// The text that a field got.
    pub text: Option<&'a str>,
    /// It covered something for the first time.
    pub covered: bool,
    /// The app is running and in front.
    pub inside: bool,
    /// How many ids the model had given before.
    pub ever: usize,
}

/// A restart comes after a number of steps drawn from this range (APE, explorers.md 1.8).
const RESTART_STEPS: std::ops::RangeInclusive<u32> = 100..=300;

/// What leads back before a gate was done often enough to be done seldomer.
const DARED: u32 = 3;
/// So many logins have the same effect.
const PASSED_A_DARE: u32 = 12;
/// It never becomes seldomer than this.
const MOST_DARED: u32 = 1000;

impl Session {
    /// A session with generators of its own.
    pub fn new(id: SessionId, seed: Seed) -> Self {
        let seed = seed.named("session").nth(u64::from(id.0));
        let mut restart = seed.named("restart").rng();
        Self {
            id,
            choice: seed.named("choice").rng(),
            pace: seed.named("pace").rng(),
            text: TextSource::new(seed.named("text").rng()),
            since_reset: 0,
            restart_after: restart.random_range(RESTART_STEPS),
            restart,
            burst_left: 0,
            previous: None,
            plan: VecDeque::new(),
            plan_reason: "",
            plan_goal: None,
            gone_for: FxHashMap::default(),
            expected: None,
            missed: None,
            fuzz_left: 0,
            known_run: 0,
            same_state: 0,
            rare: RareActivities::default(),
            dry: 0,
            working: 0,
            fruitless: None,
            turn: 0,
            again: None,
            form: VecDeque::new(),
            sent: BTreeSet::new(),
            repeat: None,
            camps: Camps::default(),
            atlas: Atlas::default(),
            habits: Habits::default(),
            route: None,
            recipes: Recipes::default(),
            stack: Vec::new(),
            sweep: Sweep::default(),
            claims: Claims::default(),
            tarpit: Tarpit::default(),
            refusals: Refusals::default(),
        }
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self, to: Reset) {
        if to == Reset::Clean {
            self.tarpit.on_wipe();
        }
        self.refusals.on_reset(to);
        self.since_reset = 0;
        self.known_run = 0;
        self.same_state = 0;
        self.previous = None;
        self.plan.clear();
        self.expected = None;
        self.fuzz_left = 0;
        self.fruitless = None;
        self.again = None;
        self.form.clear();
        self.repeat = None;
        self.camps.on_reset();
        self.sweep.on_reset();
        self.stack.clear();
        self.recipes.on_leave();
        self.atlas.on_break();
        self.habits.on_break();
        // A route that left the app did not lead where it should have.
        if let Some(under) = self.route.take() {
            under.fail(&mut self.atlas);
        }
        self.restart_after = self.restart.random_range(RESTART_STEPS);
    }

    /// One step was made: the model learns from it, a plan that failed is noted, and the watch for traps goes on.
    pub fn learn(
        &mut self,
        model: &mut Model,
        before: &Arc<GuiTree>,
        after: &Arc<GuiTree>,
        learnt: Learnt<'_>,
    ) -> Vec<Decision> {
        let mut decisions = Vec::new();
        if learnt.inside {
            decisions = model.arrive(after).1;
        } else {
            model.arrive_outside(after);
        }
        if let Some(acted) = learnt.acted {
            decisions.extend(model.record(before, acted, after));
        }
        let source = model.see(before);
        let arrived = model.see(after);
        let target = arrived.state;
        match learnt.acted.zip(learnt.mark) {
            Some((acted, mark)) => {
                let step = Seen {
                    kind: acted.kind,
                    mark,
                    inside: learnt.inside,
                    is_back: self.stack.contains(after.activity()),
                };
                self.habits.on_step(step, (before, &source), (after, &arrived));
            }
            None => self.habits.on_blur(),
        }
        let item = learnt.acted.and_then(|acted| Some((source.item_of(before, acted)?, acted.kind)));
        self.sweep.on_step(item, source.page, learnt.inside.then_some((after, &arrived)));
        self.camps.on_step(before.activity(), learnt);
        let touched = learnt.mark.and_then(|mark| source.node_of(mark));
        self.refusals.on_step(before, after, touched, learnt);
        self.note_texts(before, after, learnt);
        let expected = self.expected.take();
        if let Some(planned) = expected
            && model.state(planned.target).is_some()
            && planned.target != target
        {
            if let Some(passage) = passage_of(model, planned) {
                self.recipes.on_failure(&passage);
            }
            model.miss(planned.action, planned.target);
        }
        let news = learnt.covered || model.ids_given() != learnt.ever;
        self.dry = if learnt.covered { 0 } else { self.dry + 1 };
        self.known_run = if news { 0 } else { self.known_run + 1 };
        self.same_state = if source.state == target { self.same_state + 1 } else { 0 };
        self.previous = Some(source.state);
        self.come_to(after.activity());
        let action = learnt.acted.and_then(|acted| model.action_of(&source, acted));
        self.tarpit.on_step(source.state, action, target, news);
        decisions
    }

    fn note_texts(&mut self, before: &GuiTree, after: &GuiTree, learnt: Learnt<'_>) {
        let is_elsewhere = before.activity() != after.activity();
        if learnt.inside {
            let mark = learnt.acted.and(learnt.mark);
            self.atlas.on_step(before, mark, self.recipes.typed(), after);
        } else {
            self.atlas.on_break();
        }
        let ticked = || {
            let acted = learnt.acted.filter(|acted| acted.kind == ActionKind::Tap)?;
            let flags = before.widget(acted.node?).flags;
            flags.contains(Flags::CHECKABLE).then(|| !flags.contains(Flags::CHECKED))
        };
        let value =
            learnt.text.map(|text| Value::Text(text.to_owned())).or_else(|| ticked().map(Value::Ticked));
        match (learnt.mark, value) {
            (Some(field), Some(value)) if !is_elsewhere => self.recipes.on_value(field, value),
            (Some(mark), _) if learnt.acted.is_some() && learnt.inside && is_elsewhere => {
                let (from, to) = (before.activity().clone(), after.activity().clone());
                self.recipes.on_passage(Passage { from, mark, to });
            }
            _ => {}
        }
        if is_elsewhere || !learnt.inside {
            self.recipes.on_leave();
        }
    }

    /// An activity is in front: a known one, and those above it are gone, or one more.
    pub fn come_to(&mut self, activity: &SmolStr) {
        match self.stack.iter().position(|known| known == activity) {
            Some(known) => self.stack.truncate(known + 1),
            None => self.stack.push(activity.clone()),
        }
    }

    /// The activity that the app starts with, if it is a gate: a login.
    pub fn gate(&self) -> Option<&SmolStr> {
        self.stack.first().filter(|first| self.atlas.is_gate(first))
    }

    /// What is of this sort leads back before the gate, or out of the app, and so there.
    pub fn is_setback(&self, here: &SmolStr, sort: u64) -> bool {
        let Some(gate) = self.gate().filter(|gate| *gate != here) else { return false };
        let habit = self.habits.of(here, sort).filter(|habit| habit.leaves());
        habit.is_some_and(|habit| habit.to.as_ref().is_none_or(|to| to == gate))
    }

    /// Whether what leads back before the gate is done nevertheless, in so many of a hundred cases: the more often it was
    /// done and the more logins there were, the seldomer.
    pub fn dares(&mut self, here: &SmolStr, sort: u64, percent: u32) -> bool {
        let done = self.habits.of(here, sort).map_or(0, |habit| habit.done);
        let passed =
            self.stack.first().and_then(|gate| self.atlas.behind(gate)).map_or(0, |(_, passed)| passed);
        let dared = (done / DARED).max(passed / PASSED_A_DARE).clamp(1, MOST_DARED);
        self.choice.random_range(0..100 * dared * dared) < percent
    }

    /// Tells the others what it is after.
    pub fn claim(&mut self) {
        self.claims.go_for(self.id, self.plan.back().map(|step| step.target));
        self.claims.camp_in(self.id, self.camps.place());
    }

    /// One of a list, all equally likely; none of an empty one.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        (!list.is_empty()).then(|| &list[self.choice.random_range(0..list.len())])
    }
}

/// What a planned step is, if it leads to another activity.
pub(super) fn passage_of(model: &Model, planned: Planned) -> Option<Passage> {
    let (from, to) = (model.state(planned.source)?, model.state(planned.target)?);
    let mark = model.action(planned.action)?.mark;
    (from.activity != to.activity).then(|| Passage {
        from: from.activity.clone(),
        mark,
        to: to.activity.clone(),
    })
}
