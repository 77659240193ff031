//! Trying combinations: what needs several settings at once is only found by who turns many knobs between two taps.
//!
//! A drill is dealt in rounds. A knob is whatever was seen to set something: a field, a switch, a button that does nothing
//! when it is tapped again, a dialog or a menu to choose from. A round turns some of them, in any order and to any value, and
//! taps what is no knob in between; then it goes on to the next page rather than back. What was set stays set
//! from round to round, so that the combinations of settings are drawn again and again (combinatorial interaction testing, by
//! chance instead of by a covering array, since nobody tells which values there are).

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::super::habit::Habit;
use super::super::{Choice, Chosen, ModelView, Session};
use super::weigh;
use crate::action::ActionKind;
use crate::gui::opener::is_covered;
use crate::gui::{Flags, Reach};
use crate::model::sight::Offer;

/// A drill that is under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Drill {
    /// The page it was dealt for, counted by the session's habits.
    page: Option<u64>,
    /// What is left to do, the next last.
    deck: Vec<Card>,
    /// How many things are done before what lies over the page is closed.
    wish: Option<u32>,
    /// What was on the page when the round was dealt.
    sorts: BTreeSet<u64>,
    /// What leads back from the earlier pages of a flow: it breaks the flow off.
    breaks: BTreeSet<u64>,
    /// Rounds on this page.
    rounds: u32,
    /// The round ends before a login, and BACK is tried there.
    pub(super) recoil: bool,
    /// The round had nothing to do.
    is_empty: bool,
}

/// One thing to do: to any widget of a sort, or to the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Card {
    Sort(u64),
    Phone(ActionKind),
}

/// The numbers of drills.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrillConfig {
    /// How many of a hundred camps are drills.
    pub percent: u32,
    /// So many times as long as another camp is a drill.
    pub longer: u32,
    /// How many of a hundred steps of a drill go to what is new, if there is something.
    pub greedy: u32,
    /// How many of a hundred fields, menus and dialogs a round turns.
    pub knobs: u32,
    /// How many of a hundred switches it turns.
    pub switches: u32,
    /// How many of a hundred rounds tap one of the buttons that set something.
    pub setters: u32,
    /// After how many of a hundred knobs something else is tapped.
    pub between: u32,
    /// How many of a hundred rounds do something to the phone.
    pub phone: u32,
    /// How many of a hundred rounds tap the same thing many times.
    pub repeat: u32,
    /// How many of a hundred things that do nothing to be seen are done.
    pub idle: u32,
    /// How many of a hundred rounds turn the page, where there is a next one.
    pub turn: u32,
    /// How many of a hundred rounds go on to where something leads.
    pub onward: u32,
    /// How many of a hundred rounds end in what leads back.
    pub backward: u32,
}

impl Default for DrillConfig {
    fn default() -> Self {
        Self {
            percent: 92,
            longer: 2,
            greedy: 3,
            knobs: 75,
            switches: 50,
            setters: 40,
            between: 60,
            phone: 50,
            repeat: 8,
            idle: 8,
            turn: 75,
            onward: 60,
            backward: 20,
        }
    }
}

/// On the last of several pages a round ends the flow in so many of a hundred cases.
const FINISH_PERCENT: u32 = 90;
/// How often a thing is tapped in a round that taps the same thing many times.
const REPEATS: std::ops::Range<u32> = 2..7;
/// BACK closes what lies over the page in so many of a hundred cases, although there is a button for it.
const BACK_PERCENT: u32 = 4;
/// What leads back weighs this much where other answers weigh [`ANSWER`].
const LEAVE: u64 = 1;
const ANSWER: u64 = 12;
const LEAVING: u64 = 1 << 16;
/// After so many rounds on one page it is left by what breaks a flow off, too.
const PATIENCE: u32 = 4;
/// A page that gives nothing to do in so many rounds is none for a drill.
const DEALS: u32 = 8;
/// How many of a hundred rounds end in what leads back before a login.
const SETBACK_PERCENT: u32 = 3;
const REASON: &str = "sata: drill";

/// What a thing on a page is for, as far as its habit tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Knob,
    Switch,
    Setter,
    Idle,
    Trigger,
    Onward,
    Backward,
    /// It leads to where nothing is to be found, or only asks whether to leave.
    Astray,
    /// It leads back before a login.
    Setback,
}

/// The next step of a drill: through the round's cards, then away from the page or into the next round.
pub(super) fn drill(
    config: &DrillConfig,
    view: &ModelView<'_>,
    session: &mut Session,
    drill: &mut Drill,
    here: &SmolStr,
) -> Option<Choice> {
    if is_covered(view.tree) {
        return Some(answer(view, session, drill, here));
    }
    drill.wish = None;
    if let Some(mark) = session.habits.to_do_again(here)
        && let Some(ix) = view.sight.marks.iter().position(|&known| known == mark)
        && view.may(ix)
    {
        return Some(Choice::new(Chosen::Widget(view.sight.reach[ix]), "sata: drill, once more"));
    }
    let page = session.habits.page();
    if drill.page != Some(page) {
        drill.page = Some(page);
        drill.rounds = 0;
        if session.habits.turned() == 0 {
            drill.breaks.clear();
        }
        drill.deal(config, view, session, here);
    }
    for _ in 0..DEALS {
        while let Some(card) = drill.deck.pop() {
            if let Some(choice) = play(view, session, card) {
                return Some(choice);
            }
        }
        // What can be done only now and never was is done before the page is left.
        let is_new = |sort: &u64| !drill.sorts.contains(sort) && session.habits.of(here, *sort).is_none();
        let is_new = view.sight.sorts.iter().any(is_new);
        if (!is_new || drill.rounds >= PATIENCE)
            && let Some(choice) = drill.leave(config, view, session, here)
        {
            return Some(choice);
        }
        drill.deal(config, view, session, here);
    }
    None
}

impl ModelView<'_> {
    /// What can be done to a widget is not banned.
    pub(super) fn may(&self, ix: usize) -> bool {
        self.model.action(self.sight.actions[ix]).is_some_and(|action| !action.disabled)
    }
}

fn hundred(session: &mut Session, percent: u32) -> bool {
    session.choice.random_range(0..100) < percent
}

fn role(view: &ModelView<'_>, session: &Session, here: &SmolStr, ix: usize) -> Role {
    let reach = view.sight.reach[ix];
    if reach.kind == ActionKind::Text {
        return Role::Knob;
    }
    if view.tree.widget(reach.node).flags.contains(Flags::EDITABLE) {
        return Role::Idle;
    }
    let checkable = view.tree.widget(reach.node).flags.contains(Flags::CHECKABLE);
    match session.habits.of(here, view.sight.sorts[ix]) {
        _ if session.is_setback(here, view.sight.sorts[ix]) => Role::Setback,
        Some(habit) if habit.leaves() => lead(session, habit),
        Some(habit) if habit.turns() => Role::Onward,
        Some(habit) if habit.asks_to_leave() => Role::Astray,
        Some(habit) if habit.covers() => Role::Knob,
        _ if checkable => Role::Switch,
        Some(habit) if habit.is_idle() => Role::Idle,
        Some(habit) if habit.sets() => Role::Setter,
        _ => Role::Trigger,
    }
}

fn lead(session: &Session, habit: &Habit) -> Role {
    match &habit.to {
        Some(to) if !session.stack.contains(to) => {
            if session.camps.is_barren(to) {
                Role::Astray
            } else {
                Role::Onward
            }
        }
        _ => Role::Backward,
    }
}

impl Drill {
    /// A new round for the page on the screen.
    fn deal(&mut self, config: &DrillConfig, view: &ModelView<'_>, session: &mut Session, here: &SmolStr) {
        session.text.keep_a_manner();
        let is_field = |reach: &&Reach| reach.kind == ActionKind::Text;
        session.text.begin_form(view.sight.reach.iter().filter(is_field).count());
        self.rounds += 1;
        self.sorts = view.sight.sorts.iter().copied().collect();
        let mut seen = BTreeSet::new();
        let (mut knobs, mut triggers, mut setters) = (Vec::new(), Vec::new(), Vec::new());
        let (mut setbacks, mut is_empty) = (Vec::new(), true);
        for ix in 0..view.sight.reach.len() {
            let sort = view.sight.sorts[ix];
            if !view.may(ix) || !seen.insert(sort) {
                continue;
            }
            let weight = weigh::base(view.sight.reach[ix].kind) as u64;
            let role = role(view, session, here, ix);
            is_empty &= !matches!(role, Role::Knob | Role::Switch | Role::Setter | Role::Trigger);
            match role {
                Role::Knob if hundred(session, config.knobs) => knobs.push(Card::Sort(sort)),
                Role::Switch if hundred(session, config.switches) => knobs.push(Card::Sort(sort)),
                Role::Idle if hundred(session, config.idle) => knobs.push(Card::Sort(sort)),
                Role::Setback if session.dares(here, sort, SETBACK_PERCENT) => {
                    setbacks.push(Card::Sort(sort));
                }
                Role::Setter => setters.push(Card::Sort(sort)),
                Role::Trigger => triggers.push((Card::Sort(sort), weight)),
                _ => {}
            }
        }
        if hundred(session, config.setters)
            && let Some(&card) = session.pick(&setters)
        {
            knobs.push(card);
        }
        // Where there is nothing else to do, once is enough.
        if hundred(session, config.phone) && (self.rounds == 1 || !is_empty) {
            let phone = view.sight.offers.iter().filter(|offer| is_worth_it(session, here, offer));
            let phone: Vec<ActionKind> = phone.map(|offer| offer.kind).collect();
            knobs.extend(session.pick(&phone).map(|&kind| Card::Phone(kind)));
        }
        self.is_empty = is_empty;
        knobs.shuffle(&mut session.choice);
        let draw = |session: &mut Session| weigh::by_weight(triggers.iter().copied(), session);
        // The next card lies last.
        self.deck = Vec::new();
        if let Some(&card) = session.pick(&setbacks) {
            self.recoil = true;
            self.deck.push(card);
        }
        let last = draw(session);
        if let Some(last) = last
            && hundred(session, config.repeat)
        {
            for _ in 0..session.choice.random_range(REPEATS) {
                self.deck.push(last);
            }
        }
        self.deck.extend(last);
        for knob in knobs {
            self.deck.push(knob);
            if hundred(session, config.between) {
                self.deck.extend(draw(session));
            }
        }
    }
}

/// An action of the phone that may do something. What the system does to the app may change what cannot be seen.
fn is_worth_it(session: &Session, here: &SmolStr, offer: &Offer) -> bool {
    use ActionKind::{Back, HomeAndReturn, ProcessDeath, Rotate};
    let is_idle = || session.habits.of(here, offer.mark).is_some_and(Habit::is_idle);
    !offer.kind.needs_widget()
        && offer.kind != Back
        && !session.is_setback(here, offer.mark)
        && (matches!(offer.kind, HomeAndReturn | ProcessDeath | Rotate) || !is_idle())
}

fn play(view: &ModelView<'_>, session: &mut Session, card: Card) -> Option<Choice> {
    match card {
        Card::Phone(kind) => {
            let offered = view.sight.phone.iter().any(|&(known, _)| known == kind);
            offered.then(|| Choice::new(Chosen::Phone(kind), REASON))
        }
        Card::Sort(sort) => {
            let of_sort = |&ix: &usize| view.sight.sorts[ix] == sort && view.may(ix);
            let places: Vec<usize> = (0..view.sight.sorts.len()).filter(of_sort).collect();
            session.pick(&places).map(|&ix| Choice::new(Chosen::Widget(view.sight.reach[ix]), REASON))
        }
    }
}

impl Drill {
    /// What ends a round: on to the next page or activity, or back, or nothing, and the next round follows.
    fn leave(
        &mut self,
        config: &DrillConfig,
        view: &ModelView<'_>,
        session: &mut Session,
        here: &SmolStr,
    ) -> Option<Choice> {
        let (mut onward, mut backward, mut turns) = (Vec::new(), Vec::new(), false);
        for ix in 0..view.sight.reach.len() {
            if !view.may(ix) {
                continue;
            }
            let sort = view.sight.sorts[ix];
            let done = session.habits.of(here, sort).map_or(0, |habit| habit.done);
            match role(view, session, here, ix) {
                Role::Onward => {
                    turns |= session.habits.of(here, sort).is_some_and(Habit::turns);
                    onward.push((ix, LEAVING / u64::from(done + 1)));
                }
                Role::Backward if !self.breaks.contains(&sort) || self.rounds > PATIENCE => {
                    backward.push((ix, LEAVING / u64::from(done + 1)));
                }
                _ => {}
            }
        }
        let in_flow = session.habits.turned() > 0;
        let percent = if self.is_empty {
            100
        } else if in_flow {
            FINISH_PERCENT
        } else if turns {
            config.turn
        } else if onward.is_empty() {
            config.backward
        } else {
            config.onward
        };
        if !hundred(session, percent) {
            return None;
        }
        let goes_on = !onward.is_empty();
        let ways = if goes_on { onward } else { backward.clone() };
        let ix = weigh::by_weight(ways.into_iter(), session)?;
        if goes_on {
            self.breaks.extend(backward.iter().map(|&(ix, _)| view.sight.sorts[ix]));
        }
        Some(Choice::new(Chosen::Widget(view.sight.reach[ix]), "sata: drill, on to the next page"))
    }
}

/// Something lies over the page: one thing is done to it, seldom more, and it is closed.
fn answer(view: &ModelView<'_>, session: &mut Session, drill: &mut Drill, here: &SmolStr) -> Choice {
    let (mut options, mut closing) = (Vec::new(), Vec::new());
    let only_focus = |ix: usize| {
        let reach = view.sight.reach[ix];
        reach.kind != ActionKind::Text && view.tree.widget(reach.node).flags.contains(Flags::EDITABLE)
    };
    for ix in (0..view.sight.reach.len()).filter(|&ix| view.may(ix) && !only_focus(ix)) {
        let habit = session.habits.of(here, view.sight.sorts[ix]);
        match habit {
            Some(habit) if habit.leaves() => {
                let weight = if lead(session, habit) == Role::Onward { ANSWER / 2 } else { LEAVE };
                closing.push((ix, weight));
            }
            Some(habit) if habit.closes() => closing.push((ix, ANSWER)),
            Some(habit) if habit.is_idle() => {}
            _ => options.push(ix),
        }
    }
    let wish =
        drill.wish.unwrap_or_else(|| 1 + u32::from(hundred(session, 25)) + u32::from(hundred(session, 10)));
    drill.wish = Some(wish.saturating_sub(1));
    let drawn = if wish > 0 { session.pick(&options).copied() } else { None };
    if drawn.is_none() && hundred(session, BACK_PERCENT) {
        return Choice::new(Chosen::Phone(ActionKind::Back), REASON);
    }
    let drawn = drawn.or_else(|| weigh::by_weight(closing.into_iter(), session));
    match drawn.or_else(|| session.pick(&options).copied()) {
        Some(ix) => Choice::new(Chosen::Widget(view.sight.reach[ix]), REASON),
        None => Choice::new(Chosen::Phone(ActionKind::Back), REASON),
    }
}
