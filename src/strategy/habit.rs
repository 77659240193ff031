//! What a widget does, told by what it did: it opens something over the page, sets something, counts, or leads away.
//!
//! The model's actions begin in a state, and an app with many switches has more states than anybody visits twice. A habit
//! belongs to a sort of widget in an activity, so that it is known in states that were never seen before.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::action::ActionKind;
use crate::gui::GuiTree;
use crate::gui::opener::is_covered;
use crate::ids::TreeHash;
use crate::model::Sight;

/// The habits that a session knows, and which page it is on.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    known: FxHashMap<SmolStr, FxHashMap<u64, Habit>>,
    /// The activities in which another number of things does something than when it was last asked.
    changed: BTreeSet<SmolStr>,
    /// What was done last, if the app had settled.
    last: Option<Last>,
    /// How many pages were come to: it grows when another activity is in front and when a page of one gives way to
    /// the next.
    pages: u64,
    /// Pages turned since the activity was entered.
    turned: u32,
    /// What lies over the page was opened by this, over this screen.
    opener: Option<(u64, TreeHash)>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    mark: u64,
    sort: u64,
    kind: ActionKind,
    /// Another screen of the same page came.
    moved: bool,
}

/// What the widgets of a sort did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habit {
    /// How often it was done.
    pub done: u32,
    /// How often nothing changed that can be seen.
    pub still: u32,
    /// How often something came over the page, or over what lay there.
    pub covers: u32,
    /// How often another page of the activity came.
    pub turns: u32,
    /// How often the activity was left.
    pub leaves: u32,
    /// How often what lay over the page was gone.
    pub closes: u32,
    /// How often the page had changed when what it had opened was closed again.
    pub fruits: u32,
    /// How often what it had opened led back to where one came from.
    pub quits: u32,
    /// Where it led last; nothing is out of the app.
    pub to: Option<SmolStr>,
    /// Done twice in a row, how often the second time changed something more often than not.
    again: i32,
}

/// One step, as far as habits are concerned.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// What was done.
    pub kind: ActionKind,
    /// The mark of what it was done to.
    pub mark: u64,
    /// The app is still running and in front.
    pub inside: bool,
    /// The activity that is in front now is one that was there before.
    pub is_back: bool,
}

/// Two screens that share fewer of a hundred of their sorts are two pages.
const ONE_PAGE_PERCENT: usize = 65;

impl Habit {
    /// Most times the activity was left.
    pub fn leaves(&self) -> bool {
        self.leaves * 2 > self.done
    }

    /// Most times another page came.
    pub fn turns(&self) -> bool {
        self.turns * 2 > self.done
    }

    /// Most times something came over the page.
    pub fn covers(&self) -> bool {
        self.covers * 2 > self.done
    }

    /// Most times what lay over the page was gone.
    pub fn closes(&self) -> bool {
        (self.closes + self.leaves) * 2 > self.done
    }

    /// What it opens only asks whether to leave.
    pub fn asks_to_leave(&self) -> bool {
        self.quits > 0 && self.fruits == 0
    }

    /// Doing it again changes nothing: it sets something.
    pub fn sets(&self) -> bool {
        self.again < 0
    }

    /// It does something and stays in the activity.
    fn is_lively(&self) -> bool {
        self.still < self.done && !self.leaves()
    }

    /// It never changed anything that can be seen, as far as some times tell.
    pub fn is_idle(&self) -> bool {
        self.done >= IDLE && self.still == self.done
    }
}

/// What was done so often without anything to see is idle.
const IDLE: u32 = 3;

impl Habits {
    /// Something was done to a screen, and another came.
    pub fn on_step(&mut self, step: Seen, before: (&GuiTree, &Sight), after: (&GuiTree, &Sight)) {
        let ((from, source), (to, target)) = (before, after);
        let sort = source.sort_of(step.mark);
        let last = self.last.take();
        let is_still = from.hash() == to.hash();
        let leaves = !step.inside || from.activity() != to.activity();
        let (was_covered, is_covered) = (is_covered(from), is_covered(to));
        let by_widget = step.kind.needs_widget() || step.kind == ActionKind::Menu;
        let turns = !leaves
            && by_widget
            && !step.kind.scrolls()
            && !was_covered
            && !is_covered
            && !is_one_page(source, target);
        let known = self.known.entry(from.activity().clone()).or_default();
        if !was_covered {
            self.opener = (is_covered && !leaves).then(|| (sort, from.hash()));
        } else if (leaves || !is_covered)
            && let Some((opener, page)) = self.opener.take()
            && let Some(habit) = known.get_mut(&opener)
        {
            habit.quits += u32::from(leaves && step.is_back);
            habit.fruits += u32::from(!leaves && to.hash() != page);
        }
        let habit = known.entry(sort).or_default();
        let was_lively = habit.is_lively();
        habit.done += 1;
        habit.still += u32::from(is_still);
        habit.turns += u32::from(turns);
        habit.leaves += u32::from(leaves);
        habit.covers += u32::from(!leaves && is_covered && !is_still);
        habit.closes += u32::from(!leaves && was_covered && !is_covered);
        if habit.is_lively() != was_lively {
            self.changed.insert(from.activity().clone());
        }
        if leaves {
            habit.to = step.inside.then(|| to.activity().clone());
            self.turned = 0;
        }
        if leaves || turns {
            self.pages += 1;
            self.turned += u32::from(turns);
            return;
        }
        if let Some(last) = last
            && last.mark == step.mark
            && last.moved
        {
            habit.again += if is_still { -1 } else { 1 };
        }
        let moved = !is_still && !was_covered && !is_covered;
        self.last = Some(Last { mark: step.mark, sort, kind: step.kind, moved });
    }

    /// Exchanges what is known, and keeps the place.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.known, &mut other.known);
        std::mem::swap(&mut self.changed, &mut other.changed);
    }

    /// Something was done that tells nothing.
    pub fn on_blur(&mut self) {
        self.last = None;
        self.opener = None;
    }

    /// The app was launched.
    pub fn on_break(&mut self) {
        self.on_blur();
        self.pages += 1;
        self.turned = 0;
    }

    /// What is known of a sort in an activity.
    pub fn of(&self, activity: &SmolStr, sort: u64) -> Option<&Habit> {
        self.known.get(activity)?.get(&sort)
    }

    /// How many sorts of things do something in an activity and stay there.
    pub fn lively(&self, activity: &SmolStr) -> u32 {
        let habits = self.known.get(activity).into_iter().flat_map(FxHashMap::values);
        habits.filter(|habit| habit.is_lively()).count() as u32
    }

    /// The activities that may be livelier or less lively than when this was last asked.
    pub fn take_changed(&mut self) -> BTreeSet<SmolStr> {
        std::mem::take(&mut self.changed)
    }

    /// Which page it is on, counted from the start.
    pub fn page(&self) -> u64 {
        self.pages
    }

    /// How many pages were turned since the activity was entered.
    pub fn turned(&self) -> u32 {
        self.turned
    }

    /// What was tapped just now, if it changed the screen and it is not known what it does when it is done again.
    pub fn to_do_again(&self, activity: &SmolStr) -> Option<u64> {
        let last = self.last.filter(|last| last.moved && last.kind == ActionKind::Tap)?;
        let habit = self.of(activity, last.sort)?;
        (habit.again == 0 && habit.done <= IDLE).then_some(last.mark)
    }
}

/// Most of what can be done on two screens is of the same sorts.
fn is_one_page(one: &Sight, other: &Sight) -> bool {
    if one.outline == other.outline {
        return true;
    }
    let sorts = |sight: &Sight| {
        let kept = sight.reach.iter().zip(&sight.sorts).filter(|(reach, _)| !reach.kind.scrolls());
        let mut sorts: Vec<u64> = kept.map(|(_, &sort)| sort).collect();
        sorts.sort_unstable();
        sorts.dedup();
        sorts
    };
    let (one, other) = (sorts(one), sorts(other));
    let shared = one.iter().filter(|sort| other.binary_search(sort).is_ok()).count();
    let all = one.len() + other.len() - shared;
    shared * 100 >= all * ONE_PAGE_PERCENT
}
