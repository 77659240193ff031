//! The first sweep over an app: wide before deep.
//!
//! An app is seen as a person sees it, as pages with things to tap, not as the abstraction's states: rows with different
//! texts are different things even where one name stands for all of them, and a page stays the same page when the
//! abstraction changes. Where a page holds nothing that promises more than what lies a few steps away, the sweep goes there:
//! first by BACK, which leads to the pages that one came by, then by what is known to lead on.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::promise::{ALL, Permille, Promises, menu};
use crate::action::ActionKind;
use crate::gui::GuiTree;
use crate::gui::opener::is_covered;
use crate::model::Sight;

/// What a session knows of pages, and where it is.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    chart: Chart,
    /// The page that is shown.
    at: Option<u64>,
    /// The pages to which BACK leads, the nearest last.
    trail: Vec<u64>,
    /// Where the last step of a sweep should have led.
    expected: Option<u64>,
    /// Steps of the sweep in a row on the way to something.
    pub(super) travelled: u32,
    /// So many steps pass before the next sweep.
    rest: u32,
    /// A search found nothing.
    fruitless: Option<Fruitless>,
    /// The last choice was the sweep's.
    pub under_way: bool,
}

/// A search found nothing, and is not repeated for so many steps.
#[derive(Clone, Copy, Debug)]
struct Fruitless {
    /// How much was known then.
    news: usize,
    /// Unless more is known.
    soft: u32,
    /// Whatever is known.
    firm: u32,
}

/// What all sessions know together.
#[derive(Clone, Debug, Default)]
struct Chart {
    promises: Promises,
    pages: FxHashMap<u64, Page>,
    activities: FxHashSet<u64>,
    /// The page of an activity that was seen last, with and without something over it.
    newest: FxHashMap<(u64, bool), u64>,
    /// Activities whose pages are not left by BACK one by one.
    flat: FxHashSet<u64>,
    /// How often in a row BACK left the app from an activity although a page was thought to lie below.
    exits: FxHashMap<u64, u32>,
    /// The page that comes after a launch.
    launch: Option<u64>,
    /// It grows with every page that promises something.
    news: usize,
    /// The addresses that were opened.
    opened: FxHashSet<u16>,
    /// Counts the searches.
    searches: u32,
}

#[derive(Clone, Debug)]
struct Page {
    activity: u64,
    is_covered: bool,
    /// What can be done on it.
    all: Box<[u64]>,
    /// What was not tried yet when it was last looked at.
    open: Vec<u64>,
    /// Where the things that were tried led.
    ways: Vec<Way>,
    /// The search that last came here.
    searched: u32,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    item: u64,
    to: u64,
    misses: u32,
}

/// What a sweep is for, and what it may do.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What promises less is not worth it.
    pub least: Permille,
    /// The app may be started again for it.
    pub may_restart: bool,
    /// The app is large: something is new all the time, and searches pause nevertheless.
    pub is_large: bool,
}

/// What to do next in a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Try this, or something on the page that promises as much.
    Try(u64),
    /// Go on by what is known to lead on.
    Go(u64),
    /// Go back.
    Back,
    /// Start the app again.
    Restart,
}

/// What promises less is not worth a sweep.
pub const LEAST: Permille = 100;
/// Trying something and coming back from it takes so many steps.
const THERE_AND_BACK: u32 = 2;
/// A restart counts as so many steps.
const RESTART_COST: u32 = 5;
/// After a search that found nothing, so many steps pass before the next, unless there is something new.
const SEARCH_PAUSE: u32 = 20;
/// A search looks at so many pages.
const MAX_LOOKED_AT: u32 = 300;
/// In a large app a search that found nothing is not repeated for a step for each so many pages that it looked at,
/// whatever is new.
const LOOKED_AT_A_STEP: u32 = 32;
/// So many steps on the way to something are too many, and the sweep rests for a while.
const MAX_TRAVEL: u32 = 12;
const REST: u32 = 60;
/// So many pages are remembered.
const MAX_PAGES: usize = 1 << 14;
/// The pages to which BACK leads are remembered so far.
const MAX_TRAIL: usize = 16;
/// A way that led elsewhere so often is none.
const MAX_MISSES: u32 = 2;

/// A page that a search has reached: in so many steps, and with which step first, to which page.
type Reached = (u32, u64, Option<(Next, u64)>);

impl Sweep {
    /// Exchanges what is known of the pages, and keeps the place.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.chart, &mut other.chart);
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self) {
        self.at = None;
        self.trail.clear();
        self.expected = None;
        self.travelled = 0;
        self.fruitless = None;
    }

    /// A screen of the app is shown after a launch.
    pub fn on_launch(&mut self, tree: &GuiTree, sight: &Sight) {
        self.chart.meet(tree, sight);
        self.chart.launch = Some(sight.page);
        self.at = Some(sight.page);
    }

    /// Something was done and another screen of the app came, or the app was left. `item` is what was done, if it is known
    /// and the app had settled.
    pub fn on_step(&mut self, item: Option<(u64, ActionKind)>, from: u64, to: Option<(&GuiTree, &Sight)>) {
        let expected = self.expected.take();
        self.rest = self.rest.saturating_sub(1);
        if let Some(Fruitless { soft, firm, .. }) = &mut self.fruitless {
            (*soft, *firm) = (soft.saturating_sub(1), firm.saturating_sub(1));
        }
        let Some((tree, sight)) = to else {
            if let Some((item, kind)) = item {
                self.chart.promises.on_gift(item, false, 0);
                let page =
                    self.chart.pages.get(&from).filter(|page| kind == ActionKind::Back && !page.is_covered);
                if let Some(page) = page.filter(|_| !self.trail.is_empty()) {
                    *self.chart.exits.entry(page.activity).or_default() += 1;
                }
            }
            return;
        };
        let (is_new_activity, new_on_page) = self.chart.meet(tree, sight);
        if let Some((item, kind)) = item {
            self.chart.promises.on_gift(item, is_new_activity, new_on_page);
            // Where BACK leads hangs on the trail, and turning the phone or leaving the app is no way to go.
            if kind.needs_widget() || kind == ActionKind::Menu {
                self.chart.connect(from, item, sight.page);
            }
            // What came may have changed since it was last seen, unless it looks like what one wanted to leave.
            let chart = &self.chart;
            let is_it = |expected: u64| {
                expected == sight.page
                    || chart.are_alike(expected, sight.page) && !chart.are_alike(expected, from)
            };
            if expected.is_some_and(|expected| !is_it(expected)) {
                self.chart.miss(from, item);
            }
        }
        self.come_to(item.map(|(_, kind)| kind), from, sight.page);
    }

    /// Keeps the trail: what lies below a page.
    fn come_to(&mut self, kind: Option<ActionKind>, from: u64, to: u64) {
        self.at = Some(to);
        if from == to {
            return;
        }
        let pages = &self.chart.pages;
        let (Some(before), Some(after)) = (pages.get(&from), pages.get(&to)) else {
            self.trail.clear();
            return;
        };
        if kind == Some(ActionKind::Back) && before.activity != after.activity {
            self.chart.exits.remove(&before.activity);
        }
        let activity_of = |page: &u64| pages.get(page).map(|page| page.activity);
        // A page of the same activity should have come and did not: BACK does not go from page to page there.
        let predicted = self.trail.last().filter(|_| kind == Some(ActionKind::Back) && !before.is_covered);
        if predicted.is_some_and(|page| activity_of(page) == Some(before.activity))
            && before.activity != after.activity
        {
            self.chart.flat.insert(before.activity);
        }
        let is_below = |page: &u64| activity_of(page) == Some(after.activity);
        let is_page_by_page = || {
            kind.is_some_and(|kind| !kind.scrolls() && kind != ActionKind::Text)
                && !self.chart.flat.contains(&before.activity)
                && !before.is_like(after)
        };
        if let Some(known) = self.trail.iter().rposition(|&page| page == to) {
            self.trail.truncate(known);
        } else if kind == Some(ActionKind::Back) || before.activity != after.activity {
            match self.trail.iter().rposition(is_below) {
                Some(known) => self.trail.truncate(known),
                None if kind == Some(ActionKind::Back) => drop(self.trail.pop()),
                None => self.trail.push(from),
            }
        } else if before.is_covered && !after.is_covered {
            self.trail.pop();
        } else if after.is_covered || is_page_by_page() {
            self.trail.push(from);
        }
        if self.trail.len() > MAX_TRAIL {
            self.trail.remove(0);
        }
        let exits = self.chart.exits.get(&after.activity).copied().unwrap_or_default();
        if !after.is_covered && exits >= MAX_MISSES {
            self.trail.clear();
        }
    }

    /// What to do next: what promises most for the steps that it takes. Nothing, if nothing promises enough.
    pub fn next(&mut self, terms: Terms) -> Option<Next> {
        let at = self.at?;
        let news = self.chart.news;
        let pauses = |pause: Fruitless| pause.firm > 0 || (pause.news == news && pause.soft > 0);
        if self.rest > 0 || self.fruitless.is_some_and(pauses) {
            return None;
        }
        if self.travelled > MAX_TRAVEL {
            (self.travelled, self.rest) = (0, REST);
            return None;
        }
        let (found, looked_at) = self.chart.search(at, &self.trail, terms);
        let Some((next, expected)) = found else {
            let firm = if terms.is_large { looked_at / LOOKED_AT_A_STEP } else { 0 };
            self.fruitless = Some(Fruitless { news, soft: SEARCH_PAUSE, firm });
            return None;
        };
        self.expected = expected;
        self.travelled = if let Next::Try(_) = next { 0 } else { self.travelled + 1 };
        Some(next)
    }

    /// The items of the page that is shown that promise as much as the best.
    pub fn best_here(&self) -> Vec<u64> {
        let Some(page) = self.at.and_then(|at| self.chart.pages.get(&at)) else { return Vec::new() };
        let promise = |item: &u64| self.chart.promises.of(*item);
        let best = page.open.iter().map(promise).max().unwrap_or_default();
        page.open.iter().copied().filter(|item| promise(item) == best).collect()
    }

    /// Nobody expects anything of an item; see [`Promises::is_dull`].
    pub fn is_dull(&self, item: u64) -> bool {
        self.chart.promises.is_dull(item)
    }

    /// An address may be opened now: it is the first time.
    pub fn opens(&mut self, address: u16) -> bool {
        self.chart.opened.insert(address)
    }

    /// What should lead on from the page that is shown cannot be done.
    pub fn give_up(&mut self, item: u64) {
        if let Some(at) = self.at {
            self.chart.miss(at, item);
        }
    }

    /// An item is tried now, or cannot be.
    pub fn take(&mut self, item: u64) {
        self.chart.promises.take(item);
    }
}

impl Chart {
    /// A screen is seen: whether its activity is new, and the largest promise of what is new on it.
    fn meet(&mut self, tree: &GuiTree, sight: &Sight) -> (bool, Permille) {
        let activity = xxh3_64(tree.activity().as_bytes());
        let is_new_activity = self.activities.insert(activity);
        let covered = is_covered(tree);
        let before = self.newest.insert((activity, covered), sight.page);
        if self.pages.contains_key(&sight.page) {
            return (is_new_activity, 0);
        }
        if self.pages.len() >= MAX_PAGES {
            self.pages.clear();
        }
        let new_on_page = self.promises.on_sight(tree, sight);
        let mut all = sight.items.to_vec();
        let has_menu = !covered && sight.phone.iter().any(|&(kind, _)| kind == ActionKind::Menu);
        all.extend(has_menu.then(|| menu(tree.activity())));
        let open: Vec<u64> = all.iter().copied().filter(|&item| self.promises.is_open(item)).collect();
        self.news += usize::from(open.iter().any(|&item| self.promises.of(item) >= LEAST));
        let mut page =
            Page { activity, is_covered: covered, all: all.into(), open, ways: Vec::new(), searched: 0 };
        // A list that has changed since leads on as it did before.
        if let Some(before) =
            before.and_then(|before| self.pages.get(&before)).filter(|old| old.is_like(&page))
        {
            page.ways = before.ways.iter().copied().filter(|way| page.all.contains(&way.item)).collect();
        }
        self.pages.insert(sight.page, page);
        (is_new_activity, new_on_page)
    }

    /// Two pages are one, or one that has changed.
    fn are_alike(&self, one: u64, other: u64) -> bool {
        let pages = self.pages.get(&one).zip(self.pages.get(&other));
        one == other || pages.is_some_and(|(one, other)| one.activity == other.activity && one.is_like(other))
    }

    fn connect(&mut self, from: u64, item: u64, to: u64) {
        if from == to {
            return;
        }
        let Some(page) = self.pages.get_mut(&from) else { return };
        match page.ways.iter_mut().find(|way| way.item == item) {
            Some(way) => way.to = to,
            None => page.ways.push(Way { item, to, misses: 0 }),
        }
    }

    fn miss(&mut self, from: u64, item: u64) {
        let ways = self.pages.get_mut(&from).map(|page| &mut page.ways);
        if let Some(way) = ways.and_then(|ways| ways.iter_mut().find(|way| way.item == item)) {
            way.misses += 1;
        }
    }

    /// The first step to what promises most for the steps that it takes, and where it should lead; and how many pages were
    /// looked at for it.
    fn search(&mut self, at: u64, trail: &[u64], terms: Terms) -> (Option<(Next, Option<u64>)>, u32) {
        self.searches += 1;
        let mut open: VecDeque<Reached> = VecDeque::from([(0, at, None)]);
        // The pages of the trail and the launch wait for their turn: all ways are as long as they have steps.
        let mut starts: Vec<Reached> = Vec::new();
        if terms.may_restart
            && let Some(launch) = self.launch
        {
            starts.push((RESTART_COST, launch, Some((Next::Restart, launch))));
        }
        let back = trail.last().map(|&page| (Next::Back, page));
        starts.extend(trail.iter().rev().zip(1..).map(|(&page, cost)| (cost, page, back)));
        starts.sort_by_key(|&(cost, ..)| std::cmp::Reverse(cost));
        let (mut best, mut looked_at) = (None, 0);
        loop {
            let from_starts = match (open.front(), starts.last()) {
                (None, None) => break,
                (Some(way), Some(start)) => start.0 < way.0,
                (way, _) => way.is_none(),
            };
            let next = if from_starts { starts.pop() } else { open.pop_front() };
            let Some((cost, page, first)) = next else { break };
            let bar = best.map_or(0, |(value, _)| value);
            looked_at += 1;
            if ALL / (cost + THERE_AND_BACK) <= bar || looked_at > MAX_LOOKED_AT {
                break;
            }
            let Some(known) = self.pages.get_mut(&page) else { continue };
            if std::mem::replace(&mut known.searched, self.searches) == self.searches {
                continue;
            }
            if let Some((promise, item)) = self.promises.best(&mut known.open)
                && promise >= terms.least
                && promise / (cost + THERE_AND_BACK) > bar
            {
                let first = first.map_or((Next::Try(item), None), |(next, to)| (next, Some(to)));
                best = Some((promise / (cost + THERE_AND_BACK), first));
            }
            for way in known.ways.iter().filter(|way| way.misses < MAX_MISSES) {
                open.push_back((cost + 1, way.to, first.or(Some((Next::Go(way.item), way.to)))));
            }
        }
        (best.map(|(_, first)| first), looked_at)
    }
}

impl Page {
    /// Most of what can be done on two pages is the same.
    fn is_like(&self, other: &Self) -> bool {
        let shared = self.all.iter().filter(|item| other.all.contains(item)).count();
        shared * 2 >= self.all.len().max(other.all.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::abstraction::registry::REGISTRY;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{ActionSet, Bounds, Flags, TreeBuilder, Widget, Window};
    use crate::model::Model;

    const LIST: u64 = 1;
    const LEAF: u64 = 2;

    /// A sweep that knows these pages: key, activity, whether something lies over it, and what can be done there.
    fn knowing(pages: &[(u64, u64, bool, &[u64])]) -> Sweep {
        let mut sweep = Sweep::default();
        for &(key, activity, is_covered, items) in pages {
            let (all, open) = (items.into(), items.to_vec());
            let page = Page { activity, is_covered, all, open, ways: Vec::new(), searched: 0 };
            sweep.chart.pages.insert(key, page);
        }
        sweep
    }

    #[test]
    fn back_leads_along_the_pages_that_one_came_by() {
        let mut sweep = knowing(&[
            (10, LIST, false, &[1, 2]),
            (11, LIST, false, &[3, 4]),
            (12, LEAF, false, &[5]),
            (13, LEAF, true, &[6]),
        ]);
        let tap = Some(ActionKind::Tap);
        sweep.come_to(tap, 10, 11);
        sweep.come_to(tap, 11, 12);
        sweep.come_to(tap, 12, 13);
        assert_eq!(sweep.trail, [10, 11, 12]);
        sweep.come_to(Some(ActionKind::Back), 13, 12);
        sweep.come_to(Some(ActionKind::Back), 12, 11);
        assert_eq!(sweep.trail, [10]);
    }

    /// A screen of an activity with buttons, and how it is seen.
    fn screen(model: &mut Model, activity: &str, texts: &[&str]) -> (GuiTree, Arc<Sight>) {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        let bounds = Bounds::new(0, 0, 100, 100);
        builder.window(Window::application(bounds));
        builder.open(Widget { bounds, ..Widget::default() });
        for (text, top) in texts.iter().zip((0..).step_by(10)) {
            builder.leaf(Widget {
                text: (*text).into(),
                flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE,
                actions: ActionSet::TAP,
                bounds: Bounds::new(0, top, 100, top + 10),
                ..Widget::default()
            });
        }
        builder.close();
        let tree = builder.finish();
        let sight = model.see(&tree);
        (tree, sight)
    }

    #[test]
    fn a_list_that_has_changed_leads_on_as_before_and_only_by_what_can_be_planned() {
        let mut model = Model::new(REGISTRY[0].build_from(None), vec![ActionKind::Back, ActionKind::Rotate]);
        let (list, seen) = screen(&mut model, "List", &["Bread", "Milk", "Figs"]);
        let (leaf, inside) = screen(&mut model, "Leaf", &["Eat"]);
        let (longer, changed) = screen(&mut model, "List", &["Tea", "Bread", "Milk", "Figs"]);
        let mut sweep = Sweep::default();
        sweep.on_launch(&list, &seen);
        let turn = Sight::phone_item("List", ActionKind::Rotate);
        sweep.on_step(Some((turn, ActionKind::Rotate)), seen.page, Some((&leaf, &inside)));
        assert!(sweep.chart.pages[&seen.page].ways.is_empty(), "nobody turns the phone to get somewhere");
        sweep.on_step(Some((seen.items[1], ActionKind::Tap)), seen.page, Some((&leaf, &inside)));
        sweep.on_step(None, inside.page, Some((&longer, &changed)));
        assert_ne!(changed.page, seen.page);
        let ways: Vec<(u64, u64)> =
            sweep.chart.pages[&changed.page].ways.iter().map(|way| (way.item, way.to)).collect();
        assert_eq!(ways, [(seen.items[1], inside.page)]);
        // The list was expected as it was: what came is no miss.
        sweep.expected = Some(seen.page);
        sweep.on_step(Some((inside.items[0], ActionKind::Tap)), inside.page, Some((&longer, &changed)));
        assert_eq!(sweep.chart.pages[&inside.page].ways[0].misses, 0);
        // A step that should have led away and changed little is one.
        sweep.expected = Some(seen.page);
        sweep.on_step(Some((changed.items[0], ActionKind::Tap)), changed.page, Some((&list, &seen)));
        sweep.expected = Some(changed.page);
        sweep.on_step(Some((changed.items[0], ActionKind::Tap)), changed.page, Some((&list, &seen)));
        let tea = sweep.chart.pages[&changed.page].ways.iter().find(|way| way.item == changed.items[0]);
        assert_eq!(tea.map(|way| way.misses), Some(1));
    }

    #[test]
    fn where_back_leaves_the_app_twice_nothing_is_thought_to_lie_below_until_it_leads_back_again() {
        let mut sweep = knowing(&[(10, LIST, false, &[1]), (12, LEAF, false, &[5])]);
        let back = Some((3, ActionKind::Back));
        for left in 0..2 {
            sweep.come_to(Some(ActionKind::Tap), 10, 12);
            assert_eq!(sweep.trail, [10], "left {left} times");
            sweep.on_step(back, 12, None);
            sweep.on_reset();
        }
        sweep.come_to(Some(ActionKind::Tap), 10, 12);
        assert!(sweep.trail.is_empty());
        sweep.come_to(Some(ActionKind::Back), 12, 10);
        sweep.come_to(Some(ActionKind::Tap), 10, 12);
        assert_eq!(sweep.trail, [10]);
    }

    #[test]
    fn a_list_that_was_scrolled_is_left_by_one_back() {
        let mut sweep =
            knowing(&[(9, LEAF, false, &[7]), (10, LIST, false, &[1, 2]), (11, LIST, false, &[3, 4])]);
        sweep.come_to(Some(ActionKind::Tap), 9, 10);
        sweep.come_to(Some(ActionKind::ScrollDown), 10, 11);
        assert_eq!(sweep.trail, [9]);
    }

    #[test]
    fn where_back_does_not_go_from_page_to_page_it_is_not_expected_to_again() {
        let mut sweep = knowing(&[
            (9, LEAF, false, &[7]),
            (10, LIST, false, &[1, 2]),
            (11, LIST, false, &[3, 4]),
            (12, LIST, false, &[5, 6]),
        ]);
        let tap = Some(ActionKind::Tap);
        sweep.come_to(tap, 9, 10);
        sweep.come_to(tap, 10, 11);
        assert_eq!(sweep.trail, [9, 10]);
        sweep.come_to(Some(ActionKind::Back), 11, 9);
        assert!(sweep.trail.is_empty());
        sweep.come_to(tap, 9, 10);
        sweep.come_to(tap, 10, 12);
        assert_eq!(sweep.trail, [9], "tabs are no pages below each other");
    }
}
