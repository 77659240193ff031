//! Following a route of the [`Atlas`](super::super::atlas::Atlas) to an activity.

use std::collections::VecDeque;

use rand::RngExt;
use smol_str::SmolStr;

use super::super::atlas::Atlas;
use super::super::recipe::Typed;
use super::super::{Choice, Chosen, ModelView, Session};
use crate::action::ActionKind;
use crate::gui::WindowKind;
use crate::model::{Road, State};

/// A route that is under way.
#[derive(Clone, Debug)]
pub struct Under {
    goal: SmolStr,
    from: SmolStr,
    to: SmolStr,
    /// The activities after that, the last first, as far as they are known.
    then: Vec<SmolStr>,
    texts: VecDeque<Typed>,
    legs: VecDeque<u64>,
    /// How often something that lay over the activity was taken away.
    cleared: u32,
    reason: &'static str,
}

impl Under {
    /// It did not lead where it should have.
    pub(in super::super) fn fail(self, atlas: &mut Atlas) {
        atlas.on_failure(&self.from, &self.to);
    }
}

/// So many dialogs and menus are taken away before a route is given up.
const MAX_CLEARED: u32 = 2;

/// The first step to an activity: by a route, else by the model's ways.
pub(super) fn head_for(
    view: &ModelView<'_>,
    session: &mut Session,
    activity: &SmolStr,
    reason: &'static str,
) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?.activity.clone();
    if set_out(session, &here, activity, Vec::new(), reason)
        && let Some(choice) = follow(view, session)
    {
        return Some(choice);
    }
    // In a large model the atlas alone tells the way: it knows activities, of which there are fewer.
    if view.model.is_large() {
        return None;
    }
    let goal = |state: &State| state.activity == *activity;
    super::plan(view, session, Road::is_strong, goal, reason)
}

/// A login that was passed is passed again, by what was typed then: the more often it was passed, the seldomer anything
/// else is tried there. A camp that has its place there stays.
pub(super) fn pass_gate(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?.activity.clone();
    let gate = session.stack.first()?;
    if *gate != here || session.camps.holds(&here) {
        return None;
    }
    let (behind, passed) = session.atlas.behind(&here)?;
    let behind = behind.clone();
    if session.choice.random_range(0..=passed) == 0
        || !set_out(session, &here, &behind, Vec::new(), "sata: log in again")
    {
        return None;
    }
    follow(view, session)
}

/// Begins a route to the next activity on the way to a goal: one that is known from before, or the best.
fn set_out(
    session: &mut Session,
    here: &SmolStr,
    goal: &SmolStr,
    known: Vec<SmolStr>,
    reason: &'static str,
) -> bool {
    session.route = under(session, here, goal, known, reason).or_else(|| {
        let way = session.atlas.way(here, goal, &session.stack)?;
        under(session, here, goal, way, reason)
    });
    session.route.is_some()
}

fn under(
    session: &Session,
    here: &SmolStr,
    goal: &SmolStr,
    mut way: Vec<SmolStr>,
    reason: &'static str,
) -> Option<Under> {
    let to = way.pop()?;
    let route = session.atlas.route(here, &to, &session.stack)?;
    Some(Under {
        goal: goal.clone(),
        from: here.clone(),
        texts: route.texts.iter().cloned().collect(),
        legs: route.legs.iter().copied().collect(),
        to,
        then: way,
        cleared: 0,
        reason,
    })
}

/// The next step of the route that is under way.
pub(super) fn follow(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.model.state(view.sight.state)?.activity.clone();
    let is_there = session.route.as_ref()?.to == here;
    if is_there {
        let Under { goal, then, reason, .. } = session.route.take()?;
        if here == goal || !set_out(session, &here, &goal, then, reason) {
            return None;
        }
    } else if session.route.as_ref()?.from != here {
        return give_up(session);
    }
    let under = session.route.as_mut()?;
    let reason = under.reason;
    while let Some(typed) = under.texts.pop_front() {
        if let Some((reach, text)) = typed.to_do(view.tree, view.sight) {
            if let Some(text) = text {
                session.text.say(text.to_owned());
            }
            return Some(Choice::new(Chosen::Widget(reach), reason));
        }
    }
    let Some(&leg) = under.legs.front() else { return give_up(session) };
    let is_leg = |offer: &&crate::model::sight::Offer| offer.mark == leg && view.can_do(offer.action);
    if let Some(offer) = view.sight.offers.iter().find(is_leg) {
        under.legs.pop_front();
        let choice = view.act(offer.action, session, reason);
        session.form.clear();
        session.again = None;
        return Some(choice);
    }
    let covers = [WindowKind::Dialog, WindowKind::Popup];
    if under.cleared < MAX_CLEARED && view.tree.windows().iter().any(|window| covers.contains(&window.kind)) {
        under.cleared += 1;
        return Some(Choice::new(Chosen::Phone(ActionKind::Back), reason));
    }
    give_up(session)
}

fn give_up(session: &mut Session) -> Option<Choice> {
    if let Some(under) = session.route.take() {
        under.fail(&mut session.atlas);
    }
    None
}
