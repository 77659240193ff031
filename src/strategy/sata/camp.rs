//! Staying in one activity for a while: what needs several choices at once is only found by who does not leave.

use std::collections::BTreeMap;

use rand::RngExt;
use smol_str::SmolStr;

use super::super::{Choice, ModelView, Session};
use super::weigh;
use crate::ids::ActionId;
use crate::model::{ModelAction, Transition};

/// The camps of a session.
#[derive(Clone, Debug, Default)]
pub struct Camps {
    /// Where it camps now, and for how many more steps.
    now: Option<(SmolStr, u32)>,
    /// Steps spent camping in each activity.
    spent: BTreeMap<SmolStr, u32>,
}

/// How long a camp is, for each thing that can be done there, and at least and at most.
const STEPS_AN_ACTION: u32 = 2;
const SHORTEST: u32 = 12;
const LONGEST: u32 = 80;
/// Where nothing that stays changes the state, a camp is this short, and each such thing counts as so many steps: a page
/// of buttons without effect must not draw the walk in.
const BARREN: u32 = 5;
const BARREN_CHARGE: u32 = 20;
const BARREN_PERCENT: u32 = 15;
/// So many things that stay are a wall of buttons.
const WALL: u32 = 20;
/// So many activities are tried when a camp is looked for.
const TRIES: usize = 4;
/// How many of a hundred choices in a camp go to what was done least.
const LEAST_PERCENT: u32 = 30;

impl Camps {
    /// It camps now.
    pub fn is_camping(&self) -> bool {
        self.now.is_some()
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self) {
        self.now = None;
    }
}

/// The next step of a camp, or of the way to one: to the activity that was camped in least.
pub(super) fn camp(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?.activity.clone();
    match &mut session.camps.now {
        Some((_, 0)) => {
            session.camps.now = None;
            session.working = 0;
            if let Some(choice) = leave(view, session, &here) {
                return Some(choice);
            }
        }
        // Where a flow leads to another activity, the camp moves along.
        Some((activity, left)) => {
            *left -= 1;
            *activity = here.clone();
        }
        None => {}
    }
    if session.camps.now.is_none() {
        if let Some(choice) = travel(view, session, &here) {
            return Some(choice);
        }
        let left = if let Some(count) = barren(view, &here) {
            *session.camps.spent.entry(here.clone()).or_default() += BARREN_CHARGE * count;
            BARREN
        } else {
            let longest = (view.sight.actions.len() as u32 * STEPS_AN_ACTION).clamp(SHORTEST, LONGEST);
            session.choice.random_range(SHORTEST..=longest)
        };
        session.camps.now = Some((here.clone(), left));
    }
    *session.camps.spent.entry(here.clone()).or_default() += 1;
    let staying: Vec<&ModelAction> = view.enabled().filter(|action| !leaves(view, action, &here)).collect();
    let id = if session.choice.random_range(0..100) < LEAST_PERCENT {
        least(&staying, session)
    } else {
        weigh::by_kind(&staying, session)
    };
    id.map(|id| view.act(id, session, "sata: camp"))
}

/// How many actions of widgets stay in the activity, if hardly any of them leads to another state of it.
fn barren(view: &ModelView<'_>, here: &SmolStr) -> Option<u32> {
    let (mut staying, mut moving) = (0, 0);
    for action in view.enabled().filter(|action| action.kind.needs_widget() && !leaves(view, action, here)) {
        let moves = |way: &Transition| {
            let target = view.model.state(way.target);
            way.target != way.source && target.is_some_and(|state| state.activity == *here && !state.outside)
        };
        staying += 1;
        moving += u32::from(action.out.iter().filter_map(|&id| view.model.transition(id)).any(moves));
    }
    let is_wall = staying >= WALL && moving * 100 < staying * BARREN_PERCENT;
    (is_wall || moving == 0).then_some(staying)
}

/// What was done and always led out of the activity.
fn leaves(view: &ModelView<'_>, action: &ModelAction, here: &SmolStr) -> bool {
    let stays = |way: &Transition| {
        view.model.state(way.target).is_some_and(|state| !state.outside && state.activity == *here)
    };
    !action.out.is_empty() && !action.out.iter().filter_map(|&id| view.model.transition(id)).any(stays)
}

/// A camp ends with something that leads on, to where least was camped: what was gathered is put to use.
fn leave(view: &ModelView<'_>, session: &mut Session, here: &SmolStr) -> Option<Choice> {
    let spent = |action: &ModelAction| {
        let ways = action.out.iter().filter_map(|&id| view.model.transition(id));
        let targets = ways.filter_map(|way| view.model.state(way.target));
        targets.map(|state| session.camps.spent.get(&state.activity).copied().unwrap_or_default()).max()
    };
    let leaving: Vec<(&ModelAction, Option<u32>)> = view
        .enabled()
        .filter(|action| action.kind.needs_widget() && leaves(view, action, here))
        .map(|action| (action, spent(action)))
        .collect();
    let least = leaving.iter().map(|(_, spent)| *spent).min()?;
    let best: Vec<&ModelAction> =
        leaving.into_iter().filter(|(_, spent)| *spent == least).map(|(action, _)| action).collect();
    let id = weigh::by_kind(&best, session)?;
    Some(view.act(id, session, "sata: camp ends"))
}

fn travel(view: &ModelView<'_>, session: &mut Session, here: &SmolStr) -> Option<Choice> {
    let mut activities: Vec<(u32, SmolStr)> = view
        .model
        .activities()
        .map(|activity| (session.camps.spent.get(activity).copied().unwrap_or_default(), activity.clone()))
        .collect();
    activities.sort();
    for (_, activity) in activities.into_iter().take(TRIES) {
        if activity == *here {
            return None;
        }
        let goal = |state: &crate::model::State| state.activity == activity;
        let way = |way: &Transition, _: &ModelAction| way.is_strong();
        if let Some(choice) = super::plan(view, session, way, goal, "sata: way to a camp") {
            return Some(choice);
        }
        // It cannot be reached now: the others come first next time.
        *session.camps.spent.entry(activity).or_default() += 10;
    }
    None
}

fn least(actions: &[&ModelAction], session: &mut Session) -> Option<ActionId> {
    let least = actions.iter().map(|action| action.visits).min()?;
    let rare: Vec<ActionId> =
        actions.iter().filter(|action| action.visits == least).map(|action| action.id).collect();
    session.pick(&rare).copied()
}
