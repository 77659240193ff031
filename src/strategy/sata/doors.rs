//! Doors: where one activity has opened many others, the widgets that were not tapped there yet are looked behind first.
//!
//! A greedy walk finishes the activity that it is in before it looks at the next, so that an app with hundreds of
//! activities behind its lists is never seen beyond the first few. An activity from which several others were opened is a
//! hall; as long as a hall has doors that nobody opened, a walk stays only a few steps in what lies behind one of them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::{Choice, Chosen, ModelView, Session};
use super::plan;
use crate::action::ActionKind;
use crate::device::Reset;
use crate::ids::StateId;
use crate::model::{ModelAction, Sight, State, Transition};

/// So many different activities opened from one make it a hall.
const HALL: usize = 4;
/// So many doors in a row that opened nothing new, and the rest is taken for rows of one list.
const WALLS: u32 = 12;
/// So many steps are made behind a door before the next one is looked for.
const STAY: u32 = 3;

/// So often BACK is tried in a state from which no way to a door is known.
const BACKS: u32 = 3;

/// Where BACK does not help, either, the app is restarted, but not sooner than so many steps after the last restart.
const RESTART_PAUSE: u32 = 30;

/// What a session knows of doors.
#[derive(Clone, Debug, Default)]
pub struct Doors {
    halls: BTreeMap<SmolStr, Hall>,
    /// What was tapped, by activity and mark.
    tapped: FxHashSet<u64>,
    /// Steps since the present activity was entered.
    stay: u32,
    /// The state after the last start: BACK leaves the app from there.
    entered: Option<StateId>,
}

#[derive(Clone, Debug, Default)]
struct Hall {
    opened: BTreeSet<SmolStr>,
    /// Doors tried since the last that opened an activity for the first time.
    walls: u32,
}

impl Hall {
    fn has_doors(&self) -> bool {
        self.opened.len() >= HALL && self.walls < WALLS
    }
}

fn key(activity: &SmolStr, mark: u64) -> u64 {
    xxh3_64_with_seed(activity.as_bytes(), mark)
}

impl Doors {
    /// A step was made. `tapped` is the mark of what was tapped, `inside` whether the app is in front afterwards.
    pub fn on_step(&mut self, from: (StateId, &SmolStr), tapped: Option<u64>, after: &SmolStr, inside: bool) {
        let (state, before) = from;
        self.entered.get_or_insert(state);
        let is_elsewhere = before != after;
        self.stay = if is_elsewhere { 0 } else { self.stay + 1 };
        let Some(mark) = tapped else { return };
        let is_first = self.tapped.insert(key(before, mark));
        let hall = self.halls.entry(before.clone()).or_default();
        if inside && is_elsewhere && hall.opened.insert(after.clone()) {
            hall.walls = 0;
        } else if is_first {
            hall.walls += 1;
        }
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self) {
        self.stay = 0;
        self.entered = None;
    }

    fn is_hall(&self, activity: &SmolStr) -> bool {
        self.halls.get(activity).is_some_and(Hall::has_doors)
    }

    fn is_door(&self, activity: &SmolStr, mark: u64) -> bool {
        !self.tapped.contains(&key(activity, mark))
    }

    fn has_door(&self, activity: &SmolStr, action: &ModelAction) -> bool {
        action.kind == ActionKind::Tap && !action.disabled && self.is_door(activity, action.mark)
    }
}

/// A door here, or the way to one, if the walk has stayed long enough where it is.
pub(super) fn next(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    if !session.doors.halls.values().any(Hall::has_doors) {
        return None;
    }
    let here = view.model.state(view.sight.state)?;
    let is_hall = session.doors.is_hall(&here.activity);
    if is_hall {
        let Sight { reach, marks, sorts, actions, .. } = view.sight;
        let is_open = |&ix: &usize| {
            reach[ix].kind == ActionKind::Tap
                && session.doors.is_door(&here.activity, marks[ix])
                && view.model.action(actions[ix]).is_some_and(|action| !action.disabled)
                && !session.is_setback(&here.activity, sorts[ix])
        };
        let doors: Vec<usize> = (0..reach.len()).filter(is_open).collect();
        if let Some(&ix) = session.pick(&doors) {
            return Some(Choice::new(Chosen::Widget(reach[ix]), "sata: another door"));
        }
    } else if session.doors.stay < STAY {
        return None;
    }
    let doors = std::mem::take(&mut session.doors);
    let goal = |state: &State| {
        let mut actions = state.actions.values().filter_map(|&id| view.model.action(id));
        !state.outside
            && doors.is_hall(&state.activity)
            && actions.any(|action| doors.has_door(&state.activity, action))
    };
    let any_way = |way: &Transition, _: &ModelAction| way.is_strong();
    let choice = plan(view, session, any_way, goal, "sata: way to another door");
    session.doors = doors;
    if choice.is_some() {
        return choice;
    }
    // Whoever came through a door goes back through it; a keyboard or a menu may take BACK once or twice.
    let is_below = is_hall || session.stack.iter().any(|below| session.doors.is_hall(below));
    let is_root = session.stack.len() < 2 && session.doors.entered == Some(here.id);
    let back = view.enabled().find(|action| action.kind == ActionKind::Back && action.visits < BACKS);
    if let Some(back) = back.filter(|_| is_below && !is_root) {
        return Some(view.act(back.id, session, "sata: back to another door"));
    }
    // The app may begin in a hall.
    let begins = session.stack.first().is_some_and(|first| session.doors.is_hall(first));
    (begins && !is_root && session.since_reset > RESTART_PAUSE)
        .then(|| Choice::new(Chosen::Restart(Reset::Warm), "sata: restart, to another door"))
}
