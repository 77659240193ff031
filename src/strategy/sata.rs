//! APE's strategy: greedy where there is new work, planned on the model, random where nothing is left (APE III-D).
//!
//! Before all that comes a sweep over what promises something new (`broad`): wide before deep.
//! The steps and their order are those of the released `SataAgent`, with each choice's reason recorded; what differs is that ABA
//! goes back over one step only, that ε chooses between a camp and chance, which draws by weight as often as the least visited,
//! and that bursts begin a tenth as often:
//! the plan that is under way, back to a colder state (ABA), new actions here, an action known to lead to new work,
//! a way to the nearest state with work, activities that were hardly visited, back, and at last ε-greedy. Where nothing
//! is left to do greedily, the walk keeps its locality (III-D): it camps in one activity after the other. What the paper itself
//! says of locality, the work of a connected sub-graph before that elsewhere, is a rule of [`SataConfig::paper`].

mod broad;
pub mod camp;
pub mod drill;
mod fuzz;
mod login;
pub mod mood;
pub mod refusal;
pub mod route;
mod stroll;
pub mod turns;
mod weigh;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use camp::CampConfig;

use super::session::{Fruitless, passage_of};
use super::sweep::LEAST;
use super::{Choice, Chosen, ModelView, Session, Strategy};
use crate::abstraction::NameId;
use crate::action::ActionKind;
use crate::device::Reset;
use crate::gui::{Flags, Opener};
use crate::ids::ActionId;
use crate::model::navigate::Planned;
use crate::model::{ModelAction, Road, State, Transition};

/// Greedy, planned and random, in this order.
#[derive(Clone, Debug)]
pub struct Sata {
    config: SataConfig,
}

/// The strategy's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SataConfig {
    /// The share of weighted random choices where nothing is left to do greedily.
    pub epsilon: f64,
    /// How many steps in a thousand begin a burst of raw events.
    pub fuzz_permille: u32,
    /// So many steps in a row without anything new to the model, and the app is restarted.
    pub stable_graph: u32,
    /// So many steps in a row in the same state, and the app is restarted.
    pub stable_state: u32,
    /// So many steps in a row without a new branch, and new work and camps take turns.
    pub dry_steps: u32,
    /// How many steps of work come between two camps then.
    pub work_steps: u32,
    /// Of the ways to new work, those within the connected sub-graph come first (III-D).
    pub local: bool,
    /// Also what goes beyond the paper: the sweep, camps and drills, logins that are passed again, refusals.
    pub beyond: bool,
    /// What promises fewer thousandths of a new activity is not worth a sweep; above 1000 there is none.
    pub least_promise: u32,
    /// The camps' numbers.
    pub camp: CampConfig,
}

impl Default for SataConfig {
    fn default() -> Self {
        Self {
            epsilon: 0.05,
            fuzz_permille: 2,
            stable_graph: 100,
            stable_state: 50,
            dry_steps: 200,
            work_steps: 15,
            local: false,
            beyond: true,
            least_promise: LEAST,
            camp: CampConfig::default(),
        }
    }
}

/// After a search that found nothing, so many steps pass before the next, unless the model grows.
const SEARCH_PAUSE: u32 = 15;
/// In a large model a search that found nothing is not repeated for a step for each so many states that it looked at,
/// whatever is new: something is new all the time.
const LOOKED_AT_A_STEP: u64 = 32;
/// The share of fields whose whole form is filled and sent.
const WHOLE_FORMS: f64 = 0.5;
/// How many screens scrolling goes on for.
const SCROLL_ON: std::ops::Range<u32> = 0..6;

/// So many states that a session set out for are remembered.
const MOST_GONE_FOR: usize = 1 << 12;
/// Why a way is taken within the connected sub-graph.
const LOCAL: &str = "sata: way to new work from where one can come back";
/// How often a login that is still there is sent again.
const SEND_AGAIN: u32 = 2;
/// So many times longer nothing may be new before a restart that costs a login.
const PATIENCE: u32 = 4;
/// So many times the dry steps are very many.
const VERY_DRY: u32 = 5;
/// How many of a hundred restarts wipe the app's data.
const CLEAN_PERCENT: u32 = 20;

impl SataConfig {
    /// The steps of the paper and its release in their order, with locality by connected sub-graphs, ε as it is there and
    /// bursts as often. Forms are filled as a whole here, too, lists scrolled on and what is worn left alone; ABA goes back over
    /// one step.
    pub fn paper() -> Self {
        Self { local: true, beyond: false, fuzz_permille: 20, ..Self::default() }
    }
}

impl Sata {
    /// The strategy with these numbers.
    pub fn new(config: SataConfig) -> Self {
        Self { config }
    }
}

impl Strategy for Sata {
    fn choose(&self, view: &ModelView<'_>, session: &mut Session) -> Choice {
        session.text.face_a_wall(view.model.activities().len() <= 1);
        let beyond = self.config.beyond;
        let first = || {
            login::try_what_it_says(view, session)
                .or_else(|| refusal::refuse(view, session))
                .or_else(|| broad::sweep(self.config.least_promise, view, session))
        };
        if let Some(choice) = beyond.then(first).flatten() {
            return choice;
        }
        if let Some(choice) = fuzz::burst(self.config.fuzz_permille, view, session) {
            return choice;
        }
        if let Some(choice) = self.restart(session) {
            return choice;
        }
        if let Some(choice) = follow_plan(view, session)
            .or_else(|| route::follow(view, session))
            .or_else(|| fill_form(view, session))
            .or_else(|| go_on(view, session))
            .or_else(|| beyond.then(|| route::pass_gate(view, session)).flatten())
        {
            return choice;
        }
        if beyond && (session.camps.is_camping() || self.camp_is_due(session)) {
            let is_drilling = session.camps.is_drilling();
            let camp = &self.config.camp;
            let percent = if is_drilling { camp.drill.greedy } else { camp.greedy_percent };
            let greedy = session.choice.random_range(0..100) < percent;
            let choice = if greedy { self.greedy_here(view, session) } else { None };
            if let Some(choice) = choice.or_else(|| self.camp(view, session)) {
                return choice;
            }
        }
        session.working += 1;
        there_and_back(view, session)
            .or_else(|| self.greedy_here(view, session))
            .or_else(|| known_to_lead_on(view, session))
            .or_else(|| self.travel(view, session))
            .or_else(|| self.camp(view, session))
            .unwrap_or_else(|| self.by_chance(view, session))
    }
}

/// A form is filled in one go and sent: one field alone is seldom worth anything.
fn fill_form(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let (name, kind) = session.form.pop_front()?;
    let here = view.model.state(view.sight.state)?;
    let Some(&id) = here.actions.get(&(name, kind)).filter(|&&id| view.can_do(id)) else {
        session.form.clear();
        return None;
    };
    if kind == ActionKind::Text {
        return Some(view.act(id, session, "sata: fill the form"));
    }
    let mark = view.model.action(id)?.mark;
    if login::asks_for_a_secret(view) && session.sent.insert((here.activity.clone(), mark)) {
        session.again = Some((name, kind, SEND_AGAIN));
    }
    Some(view.act(id, session, "sata: send the form"))
}

/// Plans the rest of a form whose first field is filled now: the other fields, then the first button after them.
fn begin_form(view: &ModelView<'_>, session: &mut Session, first: ActionId) {
    let reach = &view.sight.reach;
    let is_field = |ix: &usize| reach[*ix].kind == ActionKind::Text;
    let fields: Vec<usize> = (0..reach.len()).filter(is_field).collect();
    if !session.choice.random_bool(WHOLE_FORMS) {
        return;
    }
    session.text.begin_form(fields.len());
    plan_form(view, session, &fields, first);
}

/// The rest of a form: the fields but the first, then the first button after them.
fn plan_form(view: &ModelView<'_>, session: &mut Session, fields: &[usize], first: ActionId) {
    let (reach, here) = (&view.sight.reach, view.tree.activity());
    let others = fields.iter().copied().filter(|&ix| view.sight.actions[ix] != first);
    let last = fields.last().map(|&ix| reach[ix].node);
    let send = (0..reach.len()).find(|&ix| {
        reach[ix].kind == ActionKind::Tap
            && Some(reach[ix].node) > last
            && !view.tree.widget(reach[ix].node).flags.intersects(Flags::CHECKABLE | Flags::EDITABLE)
            && !session.is_setback(here, view.sight.sorts[ix])
    });
    let actions = others.chain(send).filter_map(|ix| view.model.action(view.sight.actions[ix]));
    session.form = actions.map(|action| (action.name, action.kind)).collect();
}

/// Scrolling goes on for a few screens: what is far down is only found by who does not turn back. And a login that was sent
/// for the first time and is still there is sent again: it may count how often.
fn go_on(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let (name, kind, left) = session.again.take()?;
    let here = view.model.state(view.sight.state)?;
    let id = *here.actions.get(&(name, kind))?;
    let before = session.previous.and_then(|before| view.model.state(before));
    // The next page of a form may have the same button.
    let is_still_there =
        kind != ActionKind::Tap || before.is_some_and(|before| before.activity == here.activity);
    if left == 0 || !is_still_there || !view.can_do(id) {
        return None;
    }
    session.again = Some((name, kind, left - 1));
    let reason = if kind == ActionKind::Tap { "sata: send the form again" } else { "sata: scroll on" };
    Some(view.act(id, session, reason))
}

impl Sata {
    fn restart(&self, session: &mut Session) -> Option<Choice> {
        // Behind a login each restart costs a login.
        let patience = if session.gate().is_some() { PATIENCE } else { 1 };
        let reason = if session.known_run > self.config.stable_graph * patience {
            "sata: restart, the model is stable"
        } else if session.same_state > self.config.stable_state {
            "sata: restart, the state is stable"
        } else {
            return None;
        };
        let drawn = session.restart.random_range(0..100) < CLEAN_PERCENT;
        let clean = drawn || session.refusals.wants_a_clean_start();
        let to = if clean { Reset::Clean } else { Reset::Warm };
        Some(Choice::new(Chosen::Restart(to), reason))
    }

    /// Nothing was covered for long, and the last camp is some steps ago: fewer, if nothing was covered for very long.
    fn camp_is_due(&self, session: &Session) -> bool {
        let SataConfig { dry_steps, work_steps, .. } = self.config;
        let work_steps = if session.dry > dry_steps * VERY_DRY { work_steps / 3 } else { work_steps };
        session.dry > dry_steps && session.working > work_steps
    }

    fn camp(&self, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
        if !self.config.beyond {
            return None;
        }
        let drawn = session.choice.random_range(0.0..1.0);
        let stays = session.camps.is_drilling() || drawn >= self.config.epsilon;
        stays.then(|| camp::camp(&self.config.camp, view, session)).flatten()
    }

    /// 3. Something here that was not done yet, and that the state before did not offer as something done. What is done to
    ///    the phone waits where it was done in the activity already, until nothing was covered for long: the finer the
    ///    states, the more often it would be done again.
    fn greedy_here(&self, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
        let here = view.model.state(view.sight.state)?;
        let before = session
            .previous
            .and_then(|id| view.model.state(id))
            .filter(|state| state.id != here.id && state.activity == here.activity);
        let waits = |action: &ModelAction| {
            session.dry <= self.config.dry_steps
                && !action.kind.needs_widget()
                && view.model.name_visits(&here.activity, action.name, action.kind) > 0
        };
        let is_new = |action: &&ModelAction| {
            let known = before.and_then(|state| state.actions.get(&(action.name, action.kind)));
            let done_before =
                known.and_then(|&id| view.model.action(id)).is_some_and(ModelAction::is_saturated);
            !action.is_saturated()
                && !done_before
                && action.kind != ActionKind::Back
                && !view.model.is_worn(here, action)
                && !session.is_setback(&here.activity, view.sight.sort_of(action.mark))
                && !waits(action)
        };
        let new: Vec<&ModelAction> = view.enabled().filter(is_new).collect();
        let id = weigh::draw(view, &new, session)?;
        Some(view.act(id, session, "sata: new here"))
    }

    /// 5 to 7, if anything is new since the last search found nothing.
    fn travel(&self, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
        let ids = view.model.ids_given();
        let made = session.since_reset;
        if session.fruitless.is_some_and(|pause| (pause.ids == ids && pause.soft > made) || pause.firm > made)
        {
            return None;
        }
        let before = view.model.searched();
        let choice = self
            .way_to_work(view, session)
            .or_else(|| hardly_visited(view, session))
            .or_else(|| backward(view, session));
        let looked_at = view.model.searched() - before;
        let firm = if view.model.is_large() { (looked_at / LOOKED_AT_A_STEP) as u32 } else { 0 };
        let pause = Fruitless { ids, soft: made + SEARCH_PAUSE, firm: made + firm };
        session.fruitless = choice.is_none().then_some(pause);
        choice
    }

    /// 5. The way to the nearest state with work, without BACK; first within the connected sub-graph, if that is wanted: to
    ///    where one can come back from without BACK, which leads back from everywhere.
    fn way_to_work(&self, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
        let work = |state: &State| view.model.has_work(state);
        let local = || {
            let there_is = |road: &Road| forward(road) && !road.is_return;
            let connected = view.model.ways_back(view.sight.state, there_is);
            let near = |state: &State| connected.contains(&state.id) && work(state);
            plan(view, session, forward, near, LOCAL)
        };
        self.config
            .local
            .then(local)
            .flatten()
            .or_else(|| plan(view, session, forward, work, "sata: way to new work"))
    }

    /// ε-greedy over everything that can be done here.
    fn by_chance(&self, view: &ModelView<'_>, session: &mut Session) -> Choice {
        let all: Vec<&ModelAction> = view.enabled().collect();
        let by_weight = if self.config.beyond { 0.5 } else { self.config.epsilon };
        if session.choice.random_bool(by_weight)
            && let Some(id) = weigh::draw(view, &all, session)
        {
            return view.act(id, session, "sata: random");
        }
        let least = all.iter().map(|action| action.visits).min().unwrap_or_default();
        let rare: Vec<ActionId> =
            all.iter().filter(|action| action.visits == least).map(|action| action.id).collect();
        match session.pick(&rare) {
            Some(&id) => view.act(id, session, "sata: least visited"),
            None => Choice::new(Chosen::Phone(ActionKind::Back), "sata: nothing can be done"),
        }
    }
}

/// 1. The plan that is under way. Where another state came than planned, the next action is looked for by its name; if
///    it is not here either, the plan is dropped.
fn follow_plan(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let next = *session.plan.front()?;
    let is_there = next.source == view.sight.state && view.can_do(next.action);
    let Some(id) = is_there.then_some(next.action).or_else(|| relocate(view, next)) else {
        let is_gone = next.source == view.sight.state
            && view.model.action(next.action).is_some_and(|action| !action.disabled);
        session.missed = is_gone.then_some(next);
        session.plan.clear();
        return None;
    };
    if let Some(choice) = recite(view, session, next) {
        return Some(choice);
    }
    session.plan.pop_front();
    if is_there {
        session.expected = Some(next);
        return Some(view.act(id, session, session.plan_reason));
    }
    session.plan.clear();
    Some(view.act(id, session, "sata: relocated"))
}

fn relocate(view: &ModelView<'_>, next: Planned) -> Option<ActionId> {
    let planned = view.model.action(next.action)?;
    let here = view.model.state(view.sight.state)?;
    let same_activity = view.model.state(next.source)?.activity == here.activity;
    let found = here.actions.get(&(planned.name, planned.kind)).copied();
    found.filter(|&id| same_activity && view.can_do(id))
}

/// Before a tap that once led on, the fields get the texts that they had then.
fn recite(view: &ModelView<'_>, session: &mut Session, next: Planned) -> Option<Choice> {
    if session.recipes.is_empty() {
        return None;
    }
    let passage = passage_of(view.model, next)?;
    let found = session.recipes.missing(&passage).find_map(|typed| typed.to_do(view.tree, view.sight));
    let (reach, text) = found?;
    if let Some(text) = text.map(str::to_owned) {
        session.text.say(text);
    }
    Some(Choice::new(Chosen::Widget(reach), "sata: what led on before"))
}

/// 2. Having come from a colder state with work left, go straight back to it.
fn there_and_back(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?;
    let before = session.previous.and_then(|id| view.model.state(id))?;
    if before.id == here.id || before.visits >= here.visits || before.detached || !view.model.has_work(before)
    {
        return None;
    }
    let back = here.actions.values().filter(|&&id| view.can_do(id)).find_map(|&id| {
        let action = view.model.action(id).filter(|action| action.kind != ActionKind::Back)?;
        let leads = |way: &Transition| way.target == before.id && way.is_strong();
        action.out.iter().filter_map(|&way| view.model.transition(way)).any(leads).then_some(id)
    });
    back.map(|id| view.act(id, session, "sata: back to a colder state"))
}

/// 4. Something not done here whose name, anywhere in the activity, always led to one state, and that state has work.
fn known_to_lead_on(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?;
    let leading: Vec<ActionId> = view
        .enabled()
        .filter(|action| action.visits == 0 && action.kind.needs_widget())
        .filter(|action| {
            let target = view.model.only_target(&here.activity, action.name, action.kind);
            target
                .and_then(|id| view.model.state(id))
                .is_some_and(|state| state.id != here.id && !state.detached && view.model.has_work(state))
        })
        .map(|action| action.id)
        .collect();
    let id = *session.pick(&leading)?;
    Some(view.act(id, session, "sata: leads on elsewhere"))
}

/// 6. The way to an activity that was visited less than others and has actions that were never done. What then is not done
///    there is no reason to go there again: there would be no end of ways from one such activity to the next.
fn hardly_visited(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let rare = view.model.rare_activities(&mut session.rare)?.clone();
    let is_worth_it = |state: &State, action: &ModelAction| {
        action.is_untried()
            && !action.is_saturated()
            && !action.disabled
            && action.kind != ActionKind::Back
            && !view.model.is_worn(state, action)
    };
    let gone_for = std::mem::take(&mut session.gone_for);
    let goal = |state: &State| {
        !state.is_done()
            && rare.contains(&state.activity)
            && gone_for.get(&state.id) != Some(&state.done())
            && state
                .actions
                .values()
                .any(|&id| view.model.action(id).is_some_and(|action| is_worth_it(state, action)))
    };
    let choice = plan(view, session, forward, goal, "sata: way to a hardly visited activity");
    session.gone_for = gone_for;
    if choice.is_some()
        && let Some(goal) = session.plan_goal.and_then(|id| view.model.state(id))
    {
        if session.gone_for.len() >= MOST_GONE_FOR {
            session.gone_for.clear();
        }
        session.gone_for.insert(goal.id, goal.done());
    }
    choice
}

/// 7. BACK where it was never tried; else back to where there is work, first by BACK alone, then by any way.
fn backward(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let is_setback = |action: &ModelAction, session: &Session| {
        let activity = view.model.state(action.source).map(|state| &state.activity);
        activity.is_some_and(|activity| session.is_setback(activity, action.mark))
    };
    let untried = |action: &ModelAction| action.kind == ActionKind::Back && action.is_untried();
    let back = view.enabled().find(|action| untried(action) && !is_setback(action, session));
    if let Some(back) = back {
        return Some(view.act(back.id, session, "sata: back, not tried yet"));
    }
    let by_back = |road: &Road| road.is_strong() && road.kind == ActionKind::Back;
    let work = |state: &State| view.model.has_work(state);
    let not_over_this = |action: &ModelAction| action.kind == ActionKind::Back && action.visits == 0;
    plan(view, session, by_back, work, "sata: back to new work")
        .or_else(|| {
            let back = view.enabled().find(|action| not_over_this(action) && !is_setback(action, session));
            back.map(|back| view.act(back.id, session, "sata: back, not tried over this"))
        })
        .or_else(|| plan(view, session, Road::is_strong, work, "sata: any way to new work"))
}

fn forward(road: &Road) -> bool {
    road.is_strong() && road.kind != ActionKind::Back
}

fn plan(
    view: &ModelView<'_>,
    session: &mut Session,
    way: impl Fn(&Road) -> bool,
    goal: impl Fn(&State) -> bool,
    reason: &'static str,
) -> Option<Choice> {
    let recipes = &session.recipes;
    let is_recited = |road: &Road| {
        !recipes.is_empty()
            && road.kind == ActionKind::Tap
            && view.model.action(road.action).is_some_and(|action| {
                let planned = Planned { source: action.source, action: action.id, target: road.target };
                passage_of(view.model, planned).is_some_and(|passage| recipes.knows(&passage))
            })
    };
    // What leads back to what lies below is there only for who came that way.
    let stack = &session.stack;
    let lies_so = |id: ActionId| {
        let Some(action) = view.model.action(id) else { return false };
        if action.source == view.sight.state {
            return view.can_do(id);
        }
        let Some(state) = view.model.state(action.source) else { return false };
        let place = stack.iter().position(|activity| *activity == state.activity);
        let below = place.and_then(|place| place.checked_sub(1)).map(|below| Opener::below(&stack[below]));
        below.is_none_or(|below| action.name == NameId::of_back(below))
    };
    let is_there = |road: &Road| match road.kind {
        _ if !road.is_return => true,
        ActionKind::Back => lies_so(road.action),
        _ => view.can_do(road.action),
    };
    // Behind a login nothing is worth logging out for.
    let gate = session.gate().filter(|gate| *gate != view.tree.activity()).cloned();
    let is_before = |state: &State| gate.as_ref() == Some(&state.activity);
    let leads_out = |road: &Road| gate.is_some() && view.model.state(road.target).is_some_and(is_before);
    let way = |road: &Road| (way(road) || is_recited(road)) && is_there(road) && !leads_out(road);
    let (claims, id, here) = (&session.claims, session.id, view.sight.state);
    let goal = |state: &State| goal(state) && !is_before(state);
    let is_free = |state: &State| goal(state) && !claims.is_taken(id, state.id);
    let mut steps = view.model.find_way(here, way, is_free, &mut session.turn);
    // Where there is nothing else to go to, several go to the same.
    if steps.is_none() && claims.has_others(id) {
        steps = view.model.find_way(here, way, goal, &mut session.turn);
    }
    let steps = steps?;
    session.plan_goal = steps.last().map(|step| step.target);
    session.plan = steps.into();
    session.plan_reason = reason;
    follow_plan(view, session)
}

impl<'a> ModelView<'a> {
    /// What can be done here and is not disabled, widgets first.
    fn enabled(&self) -> impl Iterator<Item = &'a ModelAction> + use<'a> {
        let model = self.model;
        let offers = self.sight.offers.iter();
        offers.filter_map(move |offer| model.action(offer.action)).filter(|action| !action.disabled)
    }

    fn can_do(&self, id: ActionId) -> bool {
        (self.sight.actions.contains(&id) || self.sight.phone.iter().any(|&(_, phone)| phone == id))
            && self.model.action(id).is_some_and(|action| !action.disabled)
    }

    /// The choice of a model action: of several widgets with its name, each gets its turn.
    fn act(&self, id: ActionId, session: &mut Session, reason: &'static str) -> Choice {
        if let Some(&(kind, _)) = self.sight.phone.iter().find(|&&(_, phone)| phone == id) {
            return Choice::new(Chosen::Phone(kind), reason);
        }
        let widgets: Vec<usize> =
            (0..self.sight.actions.len()).filter(|&ix| self.sight.actions[ix] == id).collect();
        let action = self.model.action(id);
        let visits = action.map_or(0, |action| action.visits) as usize;
        if session.form.is_empty()
            && reason != "sata: fill the form"
            && action.is_some_and(|action| action.kind == ActionKind::Text)
        {
            begin_form(self, session, id);
        }
        if let Some(action) = action
            && session.again.is_none()
            && matches!(action.kind, ActionKind::ScrollDown | ActionKind::ScrollRight)
        {
            session.again = Some((action.name, action.kind, session.choice.random_range(SCROLL_ON)));
        }
        let ix = match widgets.len() {
            0 => return Choice::new(Chosen::Phone(ActionKind::Back), "sata: the widget is gone"),
            // The first turns go through the widgets in order, the later ones by chance.
            count if visits < count => widgets[visits],
            count => widgets[session.choice.random_range(0..count)],
        };
        Choice::new(Chosen::Widget(self.sight.reach[ix]), reason)
    }
}
