//! A whole life in one pass: where nothing that is done shows, what matters may be hidden, and lasts until the app dies.
//!
//! Camps and drills live on what can be seen to change. In an app where hardly anything does, they begin and end barren, and
//! most steps would be ways from one to the next. There a session walks from page to page instead, without a restart.
//! On each page it first does what ran code of its own when it was first done, although nothing was to be seen: that may
//! have set something. Then it does the rest, which may depend on it, unless somebody has strolled there already; and goes
//! on to a page that it has not seen in this life. Each session has an order of its own.

use std::collections::BTreeMap;

use rand::RngExt;
use rand::seq::SliceRandom;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::{Choice, Chosen, ModelView, Session};
use super::camp::{Lead, lead};
use crate::action::ActionKind;

/// What a session has done since the app was started, and where all of them have strolled.
#[derive(Clone, Debug, Default)]
pub struct Strolls {
    /// What was done in this life, by activity and mark.
    done: FxHashSet<u64>,
    /// The activities of this life, each with what is left to do there.
    left: BTreeMap<SmolStr, Vec<u64>>,
    /// BACKs in a row.
    backs: usize,
    /// What covered something when it was first done, by activity and mark.
    telling: FxHashSet<u64>,
    /// How often each activity was strolled through.
    times: BTreeMap<SmolStr, u32>,
    /// How many camps began.
    camps: u32,
    /// How many of them were barren.
    barren: u32,
}

/// So many barren camps are needed before it is said of an app that nothing shows.
const LEAST_CAMPS: u32 = 4;
/// So many of a hundred camps must be barren.
const BARREN_PERCENT: u32 = 90;
/// So many things are remembered.
const MOST: usize = 1 << 14;
const REASON: &str = "sata: stroll";

impl Strolls {
    /// Exchanges where was strolled, and keeps the life.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.telling, &mut other.telling);
        std::mem::swap(&mut self.times, &mut other.times);
        std::mem::swap(&mut self.camps, &mut other.camps);
        std::mem::swap(&mut self.barren, &mut other.barren);
    }

    /// The process of the app is gone, and what was hidden in it.
    pub(super) fn on_death(&mut self) {
        self.done.clear();
        self.left.clear();
        self.backs = 0;
    }

    /// Something was done in an activity; whether it covered something for the first time.
    pub(super) fn on_step(&mut self, activity: &SmolStr, mark: u64, covered: bool) {
        let thing = thing(activity, mark);
        if self.done.len() < MOST {
            self.done.insert(thing);
        }
        if covered && self.telling.len() < MOST {
            self.telling.insert(thing);
        }
    }

    /// A camp began.
    pub(super) fn on_camp(&mut self, is_barren: bool) {
        self.camps += 1;
        self.barren += u32::from(is_barren);
    }

    /// Nearly all camps were barren: nothing shows.
    fn are_worth_it(&self) -> bool {
        self.camps >= LEAST_CAMPS && self.barren * 100 >= self.camps * BARREN_PERCENT
    }

    fn times(&self, activity: &SmolStr) -> u32 {
        self.times.get(activity).copied().unwrap_or_default()
    }
}

fn thing(activity: &SmolStr, mark: u64) -> u64 {
    xxh3_64_with_seed(activity.as_bytes(), mark)
}

/// The next step of a stroll, where nothing shows; none if this life has nothing more to do.
pub(super) fn stroll(view: &ModelView<'_>, session: &mut Session, here: &SmolStr) -> Option<Choice> {
    if !session.camps.strolls.are_worth_it() {
        return None;
    }
    let (mut staying, mut onward) = (Vec::new(), Vec::new());
    for ix in 0..view.sight.marks.len() {
        let action = view.model.action(view.sight.actions[ix]).filter(|action| !action.disabled);
        let Some(action) = action.filter(|_| !session.is_setback(here, view.sight.sorts[ix])) else {
            continue;
        };
        match lead(view, session, action, here) {
            Lead::Stay => staying.push(ix),
            Lead::Onward => {
                let ways = action.out.iter().filter_map(|&id| view.model.transition(id));
                let to = ways.filter_map(|way| view.model.state(way.target)).map(|state| &state.activity);
                onward.extend(to.take(1).map(|to| (ix, to)));
            }
            Lead::Backward | Lead::Astray => {}
        }
    }
    let act = |ix: usize, reason| Some(Choice::new(Chosen::Widget(view.sight.reach[ix]), reason));
    if let Some(ix) = to_do_here(view, session, here, &staying) {
        session.camps.strolls.backs = 0;
        return act(ix, REASON);
    }
    let strolls = &mut session.camps.strolls;
    onward.retain(|(_, to)| !strolls.left.contains_key(*to));
    let least = onward.iter().map(|(_, to)| strolls.times(to)).min();
    onward.retain(|(_, to)| Some(strolls.times(to)) == least);
    if let Some(&(ix, _)) = session.pick(&onward) {
        session.camps.strolls.backs = 0;
        return act(ix, "sata: stroll, on to the next page");
    }
    let strolls = &mut session.camps.strolls;
    strolls.backs += 1;
    let may_go_back = session.stack.len() > 1 && strolls.backs <= session.stack.len();
    may_go_back.then(|| Choice::new(Chosen::Phone(ActionKind::Back), "sata: stroll, back"))
}

/// What is to be done on the page: what may have set something, and once that is done, the rest.
fn to_do_here(
    view: &ModelView<'_>,
    session: &mut Session,
    here: &SmolStr,
    staying: &[usize],
) -> Option<usize> {
    let strolls = &session.camps.strolls;
    let is_new = |&&ix: &&usize| {
        let thing = thing(here, view.sight.marks[ix]);
        strolls.telling.contains(&thing) && !strolls.done.contains(&thing)
    };
    let telling: Vec<usize> = staying.iter().filter(is_new).copied().collect();
    if let Some(&ix) = session.pick(&telling) {
        return Some(ix);
    }
    if !session.camps.strolls.left.contains_key(here) {
        let times = session.camps.strolls.times(here);
        let mut left = Vec::new();
        if session.choice.random_range(0..=times) == 0 {
            left.extend(staying.iter().map(|&ix| view.sight.marks[ix]));
            left.shuffle(&mut session.choice);
        }
        *session.camps.strolls.times.entry(here.clone()).or_default() += 1;
        session.camps.strolls.left.insert(here.clone(), left);
    }
    let strolls = &mut session.camps.strolls;
    let left = strolls.left.get_mut(here)?;
    while let Some(mark) = left.pop() {
        let is_telling = strolls.telling.contains(&thing(here, mark));
        if let Some(&ix) = staying.iter().find(|&&ix| !is_telling && view.sight.marks[ix] == mark) {
            return Some(ix);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strolls_are_for_apps_in_which_nearly_all_camps_are_barren() {
        let mut strolls = Strolls::default();
        for _ in 0..LEAST_CAMPS {
            assert!(!strolls.are_worth_it());
            strolls.on_camp(true);
        }
        assert!(strolls.are_worth_it());
        strolls.on_camp(false);
        assert!(!strolls.are_worth_it());
    }

    #[test]
    fn what_was_done_is_forgotten_when_the_process_dies_and_what_it_tells_is_not() {
        let (mut strolls, activity) = (Strolls::default(), SmolStr::from("Main"));
        strolls.on_step(&activity, 1, true);
        strolls.on_step(&activity, 2, false);
        assert_eq!((strolls.done.len(), strolls.telling.len()), (2, 1));
        strolls.on_death();
        assert!(strolls.done.is_empty() && strolls.telling.contains(&thing(&activity, 1)));
    }

    #[test]
    fn sessions_share_where_they_strolled_and_keep_their_lives() {
        let (mut one, mut other, activity) = (Strolls::default(), Strolls::default(), SmolStr::from("Main"));
        one.on_step(&activity, 1, true);
        one.times.insert(activity.clone(), 1);
        one.exchange(&mut other);
        assert!(other.telling.contains(&thing(&activity, 1)) && other.times(&activity) == 1);
        assert!(other.done.is_empty() && !one.done.is_empty());
    }
}
