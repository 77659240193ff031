//! Staying in one part of the app for a while: what needs several choices at once is only found by who does not leave.
//!
//! Each camp has a [`Mood`] of its own. It begins in the activity that was camped in least, follows the flows that begin
//! there, and comes back when they end.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::super::habit::Habit;
use super::super::session::Learnt;
use super::super::{Choice, Chosen, ModelView, Session};
use super::drill::{Drill, DrillConfig, drill};
use super::mood::{Mood, MoodConfig};
use super::route::head_for;
use super::stroll::{Strolls, stroll};
use super::turns::Turns;
use super::weigh;
use crate::action::ActionKind;
use crate::device::Reset;
use crate::gui::Flags;
use crate::model::sight::Offer;
use crate::model::{ModelAction, Transition};

/// The camps of a session.
#[derive(Clone, Debug, Default)]
pub struct Camps {
    now: Option<Camp>,
    /// The activity to which it is on its way, to camp there.
    heading: Option<SmolStr>,
    /// Whose turn it is.
    turns: Turns,
    /// Activities that were found barren: no flow is followed there.
    barren: BTreeSet<SmolStr>,
    /// What is done instead where nothing shows.
    pub(super) strolls: Strolls,
}

#[derive(Clone, Debug)]
struct Camp {
    /// Where it began.
    base: SmolStr,
    /// How many more steps it lasts.
    left: u32,
    mood: Mood,
    /// It is on its way back to its base.
    returning: bool,
    /// How often each thing was done on each page in this pass: since the activity was entered, or since nothing was
    /// left to do in it.
    done: BTreeMap<(u64, u64), u32>,
    /// The activity of this pass.
    pass_in: SmolStr,
    /// Passes made in this mood.
    passes: u32,
    /// It is a drill.
    drill: Option<Drill>,
}

/// The numbers of camps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CampConfig {
    /// How many steps a camp has for each thing that can be done there.
    pub steps_an_action: u32,
    /// How many steps at least.
    pub shortest: u32,
    /// How many steps at most.
    pub longest: u32,
    /// How much what stays in the activity weighs.
    pub stay: u64,
    /// How much what leads to a further activity weighs.
    pub onward: u64,
    /// How many of a hundred choices lead back or out of the app although there is something else to do.
    pub leave_percent: u32,
    /// How many of a hundred choices in a camp go to what is new, if there is something.
    pub greedy_percent: u32,
    /// After so many passes the mood changes.
    pub passes: u32,
    /// How much more the phone's actions weigh in camps than elsewhere.
    pub phone: u64,
    /// What a camp leaves out and favours.
    pub mood: MoodConfig,
    /// The drills' numbers.
    pub drill: DrillConfig,
}

impl Default for CampConfig {
    fn default() -> Self {
        Self {
            steps_an_action: 3,
            shortest: 20,
            longest: 100,
            stay: 16,
            onward: 2,
            leave_percent: 2,
            greedy_percent: 10,
            passes: 8,
            phone: 2,
            mood: MoodConfig::default(),
            drill: DrillConfig::default(),
        }
    }
}

/// Where nothing changes anything, or a wall of buttons leads nowhere, a camp is this short, and each such thing counts
/// as so many steps: it must not draw the walk in.
const BARREN: u32 = 5;
const BARREN_CHARGE: u32 = 20;
const BARREN_PERCENT: u32 = 15;
/// So many things that stay are a wall of buttons.
const WALL: u32 = 20;
/// An activity that cannot be reached is restarted for, but not sooner than so many steps after the last restart.
const RESTART_PAUSE: u32 = 30;
/// If that does not help, it waits as if so many steps had been spent there.
const OUT_OF_REACH: u32 = 10;
/// What does nothing that can be seen, as far as so many visits tell, weighs so much less.
const EFFECT: u64 = 8;
const IDLE_VISITS: u32 = 3;
/// Keeps the weights of what leads back whole numbers.
const LEAVING: u64 = 1 << 16;
/// So many activities are tried when a camp is looked for.
const TRIES: usize = 4;

impl Camps {
    /// Exchanges what is known of the activities, and keeps the camp.
    pub(in super::super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.turns, &mut other.turns);
        std::mem::swap(&mut self.barren, &mut other.barren);
        self.strolls.exchange(&mut other.strolls);
    }

    /// No flow is followed to an activity.
    pub(super) fn is_barren(&self, activity: &SmolStr) -> bool {
        self.barren.contains(activity)
    }

    /// The activity that it camps in or is on its way to.
    pub fn place(&self) -> Option<&SmolStr> {
        self.now.as_ref().map(|camp| &camp.base).or(self.heading.as_ref())
    }

    /// It camps now.
    pub fn is_camping(&self) -> bool {
        self.now.is_some()
    }

    /// A camp has something to do in this activity before a login: it began or shall begin here, or wants to go back.
    pub(super) fn holds(&self, activity: &SmolStr) -> bool {
        let recoils = |camp: &Camp| camp.drill.as_ref().is_some_and(|drill| drill.recoil);
        self.now.as_ref().is_some_and(|camp| camp.base == *activity || recoils(camp))
            || self.heading.as_ref() == Some(activity)
    }

    /// It camps now, and the camp is a drill.
    pub(super) fn is_drilling(&self) -> bool {
        self.now.as_ref().is_some_and(|camp| camp.drill.is_some())
    }

    /// The app was put back to a start: the camp goes on, once its base is reached again.
    pub fn on_reset(&mut self) {
        if let Some(camp) = &mut self.now {
            camp.returning = true;
        }
        self.strolls.on_death();
    }

    /// Something was done in an activity, which outlives the screen until the process dies.
    pub fn on_step(&mut self, activity: &SmolStr, learnt: Learnt<'_>) {
        if learnt.acted.is_some_and(|acted| acted.kind == ActionKind::ProcessDeath) {
            self.strolls.on_death();
        } else if let Some(mark) = learnt.mark {
            self.strolls.on_step(activity, mark, learnt.covered);
        }
    }
}

/// Where an action of this screen leads, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// It is not known, or to the same activity.
    Stay,
    /// To an activity that is not on the way here, or to another page of the same.
    Onward,
    /// To where it came from, or out of the app.
    Backward,
    /// To where nothing is to be found.
    Astray,
}

/// The next step of a camp, or of the way to one: to the activity that was camped in least.
pub(super) fn camp(config: &CampConfig, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?.activity.clone();
    if session.camps.now.as_ref().is_some_and(|camp| camp.left == 0) {
        session.camps.now = None;
        session.working = 0;
        session.text.free_the_manner();
    }
    let is_gate = session.gate() == Some(&here);
    if let Some(camp) = &mut session.camps.now {
        camp.left -= 1;
        let recoils = camp.drill.as_mut().is_some_and(|drill| std::mem::take(&mut drill.recoil));
        if recoils && is_gate && session.choice.random_bool(0.5) {
            return Some(Choice::new(Chosen::Phone(ActionKind::Back), "sata: drill, back again"));
        }
        let is_away = camp.base != here && !session.stack.contains(&camp.base);
        if is_away || camp.returning {
            camp.returning = false;
            let base = camp.base.clone();
            if base != here {
                if let Some(choice) = head_for(view, session, &base, "sata: back to the camp") {
                    return Some(choice);
                }
                session.camps.now = None;
            }
        }
    }
    if session.camps.now.is_none() {
        if let Some(choice) = stroll(view, session, &here) {
            return Some(choice);
        }
        if let Some(choice) = travel(view, session, &here) {
            return Some(choice);
        }
        begin(config, view, session, &here);
    }
    session.camps.turns.spend(&here, 1);
    let mut camp = session.camps.now.take()?;
    if camp.pass_in != here && camp.base != here && barren(view, session, &here).is_some() {
        session.camps.barren.insert(here.clone());
        let base = camp.base.clone();
        session.camps.now = Some(camp);
        return head_for(view, session, &base, "sata: back to the camp");
    }
    if let Some(mut under_way) = camp.drill.take() {
        let choice = drill(&config.drill, view, session, &mut under_way, &here);
        camp.drill = Some(under_way);
        camp.pass_in = here.clone();
        if choice.is_some() {
            session.camps.now = Some(camp);
            return choice;
        }
    }
    if camp.pass_in != here {
        camp.next_pass(config, session, &here);
    }
    let mut drawn = draw(config, view, session, &camp, &here);
    if drawn.is_none() {
        // Everything was done, or the mood leaves nothing.
        camp.next_pass(config, session, &here);
        drawn = draw(config, view, session, &camp, &here);
    }
    let drawn = drawn.or_else(|| {
        let usual = |offer: &Offer| (*offer, weigh::base(offer.kind) as u64);
        weigh::by_weight(
            view.sight.offers.iter().filter(|offer| view.can_do(offer.action)).map(usual),
            session,
        )
    });
    if let Some(offer) = drawn {
        *camp.done.entry((view.sight.outline, offer.mark)).or_default() += 1;
    }
    session.camps.now = Some(camp);
    Some(view.act(drawn?.action, session, "sata: camp"))
}

impl Camp {
    fn next_pass(&mut self, config: &CampConfig, session: &mut Session, here: &SmolStr) {
        self.done.clear();
        self.pass_in = here.clone();
        self.passes += 1;
        if self.passes >= config.passes {
            self.passes = 0;
            self.mood = Mood::draw(&mut session.choice);
            session.text.keep_a_manner();
        }
    }
}

fn begin(config: &CampConfig, view: &ModelView<'_>, session: &mut Session, here: &SmolStr) {
    let barren = barren(view, session, here);
    session.camps.strolls.on_camp(barren.is_some());
    let left = if let Some(count) = barren {
        session.camps.turns.spend(here, BARREN_CHARGE * count);
        BARREN
    } else {
        let longest =
            (view.sight.offers.len() as u32 * config.steps_an_action).clamp(config.shortest, config.longest);
        session.choice.random_range(config.shortest..=longest)
    };
    let is_drill = session.choice.random_range(0..100) < config.drill.percent;
    let left = if is_drill && left > BARREN { left * config.drill.longer } else { left };
    // A login that was passed has little to find.
    let left = if session.gate() == Some(here) { left.min(config.shortest) } else { left };
    let mood = Mood::draw(&mut session.choice);
    session.text.keep_a_manner();
    session.camps.heading = None;
    let drill = is_drill.then(Drill::default);
    session.camps.now = Some(Camp {
        base: here.clone(),
        left,
        mood,
        returning: false,
        done: BTreeMap::new(),
        pass_in: here.clone(),
        passes: 0,
        drill,
    });
}

fn draw(
    config: &CampConfig,
    view: &ModelView<'_>,
    session: &mut Session,
    camp: &Camp,
    here: &SmolStr,
) -> Option<Offer> {
    let mut weights: Vec<(Offer, u64)> = Vec::with_capacity(view.sight.offers.len());
    let mut leaving: Vec<(Offer, u64)> = Vec::new();
    let is_covered = view.model.state(view.sight.state).is_some_and(|state| state.is_covered);
    for offer in &view.sight.offers {
        let Some(action) = view.model.action(offer.action).filter(|action| !action.disabled) else {
            continue;
        };
        let times = camp.done.get(&(view.sight.outline, offer.mark)).copied().unwrap_or_default();
        let is_setback = session.is_setback(here, view.sight.sort_of(offer.mark));
        if is_setback && !session.dares(here, view.sight.sort_of(offer.mark), config.leave_percent) {
            continue;
        }
        // A question that comes again is answered again.
        if times >= camp.mood.times(&config.mood, offer) && !is_covered {
            continue;
        }
        let mood = u64::from(camp.mood.weight(&config.mood, offer));
        let phone =
            if offer.kind.needs_widget() || offer.kind == ActionKind::Back { 1 } else { config.phone };
        let weight = weigh::base(offer.kind) as u64 * phone * EFFECT;
        match lead(view, session, action, here) {
            Lead::Stay if is_idle(view, action) => {
                weights.push((*offer, weight * config.stay * mood / EFFECT));
            }
            Lead::Stay => weights.push((*offer, weight * config.stay * mood)),
            // What leads away is never done more often than usual, and what leads back only when nothing else is left:
            // then what was done least, since what ends a flow is on its last page only, and what breaks it off on all.
            Lead::Onward => {
                weights.push((*offer, weight * config.onward * mood.min(config.mood.usual_weight.into())));
            }
            Lead::Astray => {}
            Lead::Backward => {
                let visits = view.model.name_visits(here, action.name, action.kind);
                leaving.push((*offer, weight * LEAVING / u64::from(visits + 1)));
            }
        }
    }
    let early = session.choice.random_range(0..100) < config.leave_percent;
    let stays = if early { None } else { weigh::by_weight(weights.into_iter(), session) };
    stays.or_else(|| weigh::by_weight(leaving.into_iter(), session))
}

/// It was done some times and changed nothing that can be seen. What the system does to the app may change what cannot
/// be seen.
fn is_idle(view: &ModelView<'_>, action: &ModelAction) -> bool {
    let by_system =
        matches!(action.kind, ActionKind::Rotate | ActionKind::HomeAndReturn | ActionKind::ProcessDeath);
    let mut ways = action.out.iter().filter_map(|&id| view.model.transition(id));
    action.visits >= IDLE_VISITS && !by_system && ways.all(|way| !way.changes_the_screen())
}

pub(super) fn lead(view: &ModelView<'_>, session: &Session, action: &ModelAction, here: &SmolStr) -> Lead {
    let mut lead = None;
    for way in action.out.iter().filter_map(|&id| view.model.transition(id)) {
        let Some(target) = view.model.state(way.target) else { continue };
        if target.activity != *here || target.outside {
            let is_back = target.outside || session.stack.contains(&target.activity);
            lead = lead.or(Some(if is_back {
                Lead::Backward
            } else if session.camps.barren.contains(&target.activity) {
                Lead::Astray
            } else {
                Lead::Onward
            }));
        } else if target.is_covered || target.outline == view.sight.outline {
            return Lead::Stay;
        } else {
            // Another page of the activity: the next step of a form, or what a dialog was opened over.
            let covered = view.model.state(view.sight.state).is_some_and(|state| state.is_covered);
            lead = Some(if covered { Lead::Stay } else { Lead::Onward });
        }
    }
    lead.unwrap_or(if action.kind == ActionKind::Back { Lead::Backward } else { Lead::Stay })
}

/// How many actions of widgets were done and stayed in the activity, if none of them changes the screen, or if they are
/// many, hardly any leads to another state and there is nothing to set. Nothing is said before most of them were done.
fn barren(view: &ModelView<'_>, session: &Session, here: &SmolStr) -> Option<u32> {
    let (mut staying, mut moving, mut changing, mut untried) = (0, 0, 0, 0);
    for action in view.enabled().filter(|action| action.kind.needs_widget()) {
        if action.out.is_empty() {
            // What says the same as others but for its number does the same.
            let place = view.sight.actions.iter().position(|&id| id == action.id);
            let is_dull = place.is_some_and(|place| session.sweep.is_dull(view.sight.items[place]));
            if is_dull {
                staying += 1;
            } else {
                untried += 1;
            }
            continue;
        }
        let ways = || action.out.iter().filter_map(|&id| view.model.transition(id));
        let stays = |way: &Transition| {
            view.model.state(way.target).is_some_and(|state| state.activity == *here && !state.outside)
        };
        if !ways().any(stays) {
            continue;
        }
        staying += 1;
        moving += u32::from(ways().any(|way| stays(way) && way.target != way.source));
        changing += u32::from(ways().any(|way| stays(way) && way.changes_the_screen()));
    }
    let is_wall = staying >= WALL
        && moving * 100 < staying * BARREN_PERCENT
        && !view.sight.reach.iter().zip(&view.sight.sorts).any(|(reach, &sort)| {
            view.tree.widget(reach.node).flags.intersects(Flags::CHECKABLE | Flags::EDITABLE)
                || session.habits.of(here, sort).is_some_and(Habit::covers)
        });
    let is_dead = staying > 0 && changing == 0;
    (untried < staying && (is_wall || is_dead)).then_some(staying)
}

fn travel(view: &ModelView<'_>, session: &mut Session, here: &SmolStr) -> Option<Choice> {
    let gate = session.gate().cloned();
    session.camps.turns.recount(view.model, &mut session.habits);
    let is_free = |activity: &SmolStr| !session.claims.is_camped_in(session.id, activity);
    for activity in session.camps.turns.next(TRIES, gate.as_ref(), is_free) {
        if activity == *here {
            return None;
        }
        if let Some(choice) = head_for(view, session, &activity, "sata: way to a camp") {
            session.camps.heading = Some(activity);
            return Some(choice);
        }
        if session.since_reset > RESTART_PAUSE {
            return Some(Choice::new(
                Chosen::Restart(Reset::Warm),
                "sata: restart, the camp is out of reach",
            ));
        }
        // It cannot be reached now: the others come first next time.
        session.camps.turns.spend(&activity, OUT_OF_REACH);
    }
    None
}
