//! What an untried row, button or menu entry promises, learnt from what others of its kind gave.
//!
//! Whether a tap leads to a part of the app that nobody has seen can only be told from others like it: rows of the same
//! list, widgets of the same class in the same activity, and widgets of the class anywhere; and what says the same but for
//! its numbers, as "Message 7" and "Message 8" do, mostly does the same. Each of these tells its
//! own story, and the closer one corrects the more distant one.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::abstraction::Appearance;
use crate::abstraction::digest::without_numbers;
use crate::action::ActionKind;
use crate::gui::opener::is_covered;
use crate::gui::{Flags, GuiTree};
use crate::model::Sight;

/// Thousandths: 1000 is a new activity for certain.
pub type Permille = u32;

/// What is known of all items: which were tried, and what their kinds gave.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    items: FxHashMap<u64, Item>,
    lucks: FxHashMap<u64, Luck>,
}

/// One row, button or menu entry; see [`Sight::items`].
#[derive(Clone, Copy, Debug)]
struct Item {
    /// What it promises as long as nothing is known of its kind.
    first: Permille,
    /// Its class anywhere, its class in the activity, its sort in the activity, what it says there but for the numbers.
    alike: [u64; 4],
    /// Somebody tries it or has tried it.
    taken: bool,
    /// It is known what it gave.
    tried: bool,
}

/// What things of a kind gave when they were first tried.
#[derive(Clone, Copy, Debug, Default)]
struct Luck {
    tried: u32,
    gave: Permille,
}

/// What a new activity gives.
pub const ALL: Permille = 1000;
/// What is known of the more distant kind counts as much as so many tries of the closer one.
const TRUST: u32 = 2;
/// What leads to a page with untried things gives so many hundredths of what the best of them promises.
const PASSED_ON: u32 = 80;
/// Of one activity, so many first tries tell what a class gives elsewhere: a list of hundreds of rows of one kind says
/// little about the rows of other lists.
const VOICES: u32 = 2;
/// So many tries without a gift are enough.
const DULL: u32 = 3;
/// More items are a sign that texts never come back.
const MAX_ITEMS: usize = 1 << 17;

/// What something promises of which nothing is known but what is done to what; nothing for what a sweep does not do. A
/// tap on a field leads into the field and nowhere else, and a tick is seldom more than a tick.
fn at_first(kind: ActionKind, flags: Flags) -> Option<Permille> {
    match kind {
        ActionKind::Tap | ActionKind::LongTap if flags.contains(Flags::EDITABLE) => None,
        ActionKind::Tap if flags.contains(Flags::CHECKABLE) => Some(200),
        ActionKind::Tap => Some(500),
        ActionKind::ScrollDown | ActionKind::ScrollRight => Some(400),
        ActionKind::Menu => Some(300),
        ActionKind::LongTap => Some(150),
        _ => None,
    }
}

impl Promises {
    /// The items of a screen become known. It answers with the largest promise of those that are new.
    pub fn on_sight(&mut self, tree: &GuiTree, sight: &Sight) -> Permille {
        let activity = xxh3_64(tree.activity().as_bytes());
        let mut best = 0;
        for (ix, reach) in sight.reach.iter().enumerate() {
            let class = xxh3_64_with_seed(
                reach.kind.word().as_bytes(),
                xxh3_64(tree.widget(reach.node).class.as_bytes()),
            );
            let first = at_first(reach.kind, tree.widget(reach.node).flags);
            let look = Appearance { marks: false, borrowed: true, ..Appearance::default() };
            let look = look.of_node(tree, reach.node);
            // What has no text says nothing; but a list is another item on each page, and scrolling it does the same.
            let says = if look.is_empty() {
                let is_list =
                    reach.kind.scrolls() && !tree.widget(reach.node).short_class().ends_with("ScrollView");
                if is_list { sight.sorts[ix] } else { sight.items[ix] }
            } else {
                xxh3_64_with_seed(without_numbers(&look).as_bytes(), class)
            };
            best = best.max(self.meet(activity, sight.items[ix], first, [class, sight.sorts[ix], says]));
        }
        // The menu key does nothing under a dialog.
        if !is_covered(tree) && sight.phone.iter().any(|&(kind, _)| kind == ActionKind::Menu) {
            let (item, class) = (menu(tree.activity()), xxh3_64(ActionKind::Menu.word().as_bytes()));
            let first = at_first(ActionKind::Menu, Flags::empty());
            best = best.max(self.meet(activity, item, first, [class; 3]));
        }
        best
    }

    fn meet(&mut self, activity: u64, item: u64, first: Option<Permille>, kind: [u64; 3]) -> Permille {
        let [class, sort, says] = kind;
        let Some(first) = first else { return 0 };
        if self.items.len() >= MAX_ITEMS || self.items.contains_key(&item) {
            return 0;
        }
        let within = |what: u64, seed: u64| xxh3_64_with_seed(&what.to_le_bytes(), seed);
        let alike =
            [class, within(class, activity), within(sort, !activity), within(says, activity.rotate_left(1))];
        self.items.insert(item, Item { first, alike, taken: false, tried: false });
        self.of(item)
    }

    /// What an item promises; nothing if it was tried.
    pub fn of(&self, item: u64) -> Permille {
        let item = self.items.get(&item).filter(|item| !item.taken);
        item.map_or(0, |item| self.expected(item))
    }

    fn expected(&self, item: &Item) -> Permille {
        item.alike.iter().fold(item.first, |expected, alike| {
            let Luck { tried, gave } = self.lucks.get(alike).copied().unwrap_or_default();
            (TRUST * expected + gave) / (TRUST + tried)
        })
    }

    /// The item of a list that promises most, and what it promises; those that were tried leave the list. What lies side
    /// by side is mostly of one kind and promises the same.
    pub fn best(&self, open: &mut Vec<u64>) -> Option<(Permille, u64)> {
        let (mut best, mut last) = (None, None);
        open.retain(|&id| {
            let Some(item) = self.items.get(&id).filter(|item| !item.taken) else { return false };
            let kind = (item.first, item.alike);
            let promise = match last {
                Some((known, promise)) if known == kind => promise,
                _ => self.expected(item),
            };
            last = Some((kind, promise));
            best = best.max(Some((promise, id)));
            true
        });
        best
    }

    /// What says the same but for its numbers was tried a few times, and never gave anything.
    pub fn is_dull(&self, item: u64) -> bool {
        let says = self.items.get(&item).map(|item| item.alike[3]);
        says.and_then(|says| self.lucks.get(&says)).is_some_and(|luck| luck.tried >= DULL && luck.gave == 0)
    }

    /// It was not tried yet.
    pub fn is_open(&self, item: u64) -> bool {
        self.items.get(&item).is_some_and(|item| !item.taken)
    }

    /// Somebody is about to try an item: nobody else shall.
    pub fn take(&mut self, item: u64) {
        if let Some(item) = self.items.get_mut(&item) {
            item.taken = true;
        }
    }

    /// An item was tried: if for the first time, it is learnt what it gave, a new activity or what is new on the page.
    pub fn on_gift(&mut self, item: u64, is_new_activity: bool, new_on_page: Permille) {
        let Some(item) = self.items.get_mut(&item).filter(|item| !item.tried) else { return };
        (item.taken, item.tried) = (true, true);
        let gift = if is_new_activity { ALL } else { new_on_page * PASSED_ON / 100 };
        let [class, in_activity, sort, says] = item.alike;
        let heard = self.lucks.get(&in_activity).map_or(0, |luck| luck.tried);
        let anywhere = (heard < VOICES).then_some(class);
        for alike in anywhere.into_iter().chain([in_activity, sort, says]) {
            let luck = self.lucks.entry(alike).or_default();
            luck.tried += 1;
            luck.gave += gift;
        }
    }
}

/// The item that the menu key of an activity is.
pub fn menu(activity: &SmolStr) -> u64 {
    Sight::phone_item(activity, ActionKind::Menu)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: u64 = 1;
    const BUTTON: u64 = 2;

    fn known(promises: &mut Promises, item: u64, class: u64) {
        promises.meet(7, item, at_first(ActionKind::Tap, Flags::empty()), [class, class, item]);
    }

    #[test]
    fn a_row_promises_what_other_rows_gave() {
        let mut promises = Promises::default();
        for item in 0..10 {
            known(&mut promises, item, ROW);
            known(&mut promises, 100 + item, BUTTON);
        }
        let first = promises.of(9);
        assert_eq!(first, promises.of(109));
        for item in 0..5 {
            promises.on_gift(item, true, 0);
            promises.on_gift(100 + item, false, 0);
        }
        assert!(promises.of(9) > first && promises.of(109) < first / 4);
        // Elsewhere, what is known of the class is only half of the story.
        promises.meet(8, 200, at_first(ActionKind::Tap, Flags::empty()), [BUTTON, 3, 200]);
        assert!(promises.of(200) > promises.of(109));
    }

    #[test]
    fn a_long_dull_list_says_little_about_other_lists() {
        let mut promises = Promises::default();
        let tap = || at_first(ActionKind::Tap, Flags::empty());
        for item in 0..100 {
            promises.meet(7, item, tap(), [ROW, ROW, item]);
        }
        promises.meet(8, 200, tap(), [ROW, ROW, 200]);
        let first = promises.of(200);
        promises.on_gift(0, true, 0);
        promises.on_gift(1, false, 0);
        let after_two = promises.of(200);
        for item in 2..90 {
            promises.on_gift(item, false, 0);
        }
        assert_eq!(promises.of(200), after_two);
        assert!(after_two >= first && promises.of(95) < first / 10, "{after_two} {}", promises.of(95));
    }

    #[test]
    fn what_says_the_same_but_for_its_numbers_promises_the_same() {
        const MESSAGE: u64 = 70;
        let mut promises = Promises::default();
        let tap = || at_first(ActionKind::Tap, Flags::empty());
        for item in 0..10 {
            promises.meet(7, item, tap(), [ROW, ROW, MESSAGE]);
            promises.meet(7, 100 + item, tap(), [ROW, ROW, 100 + item]);
        }
        for item in 0..5 {
            promises.on_gift(item, false, 0);
            promises.on_gift(100 + item, true, 0);
        }
        assert!(promises.of(9) * 2 < promises.of(109), "{} {}", promises.of(9), promises.of(109));
    }

    #[test]
    fn a_field_is_not_swept_and_a_tick_promises_less_than_a_button() {
        let tap = |flags| at_first(ActionKind::Tap, flags);
        assert_eq!(tap(Flags::EDITABLE), None);
        assert!(tap(Flags::CHECKABLE) < tap(Flags::empty()));
    }

    #[test]
    fn what_leads_to_something_promising_promises_a_little_less() {
        let mut promises = Promises::default();
        known(&mut promises, 1, ROW);
        known(&mut promises, 2, ROW);
        promises.on_gift(1, false, 800);
        let passed_on = promises.of(2);
        assert!((501..800).contains(&passed_on), "{passed_on}");
    }

    #[test]
    fn what_somebody_tries_promises_nothing_to_others_and_is_learnt_from_once() {
        let mut promises = Promises::default();
        known(&mut promises, 1, ROW);
        known(&mut promises, 2, ROW);
        promises.take(1);
        assert!(!promises.is_open(1) && promises.of(1) == 0);
        promises.on_gift(1, true, 0);
        let once = promises.of(2);
        promises.on_gift(1, false, 0);
        assert_eq!(promises.of(2), once);
    }
}
