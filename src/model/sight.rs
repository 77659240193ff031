//! A screen as the model sees it.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Acted, Model, ModelAction, State};
use crate::abstraction::digest::{has_numbers, without_numbers};
use crate::abstraction::{Abstraction, Appearance, NameId, Named};
use crate::action::ActionKind;
use crate::gui::opener::is_covered;
use crate::gui::{Flags, GuiTree, NodeIx, Reach};
use crate::ids::{ActionId, StateId};

/// A screen as the model sees it: its state, and for everything that can be done the model action. A screen seen
/// before costs a lookup.
#[derive(Debug)]
pub struct Sight {
    /// The state.
    pub state: StateId,
    /// The names of the widgets.
    pub named: Arc<Named>,
    /// What can be done to the widgets.
    pub reach: Box<[Reach]>,
    /// The model action of each of these.
    pub actions: Box<[ActionId]>,
    /// The mark of each of these; see [`Offer::mark`].
    pub marks: Box<[u64]>,
    /// The sort of each of these: equal for the rows of one list, whatever they show, and on all screens.
    pub sorts: Box<[u64]>,
    /// What can be done to the phone, and its model actions.
    pub phone: Box<[(ActionKind, ActionId)]>,
    /// The model actions, each once: the widgets' first, then the phone's.
    pub offers: Box<[Offer]>,
    /// Tells what a person takes for one page: equal for two screens on which the same things can be done.
    pub outline: u64,
    /// The item of each thing that can be done to the widgets; see [`Items`].
    pub items: Box<[u64]>,
    /// Tells pages apart by all that can be done on them, with the texts of rows and buttons: finer than the outline.
    pub page: u64,
}

impl Sight {
    /// The item of what was done to the screen.
    pub fn item_of(&self, tree: &GuiTree, acted: Acted) -> Option<u64> {
        let Some(node) = acted.node else { return Some(Self::phone_item(tree.activity(), acted.kind)) };
        let place = self.reach.iter().position(|reach| reach.node == node && reach.kind == acted.kind)?;
        Some(self.items[place])
    }

    /// The item of what can be done to the phone in an activity.
    pub fn phone_item(activity: &str, kind: ActionKind) -> u64 {
        xxh3_64_with_seed(activity.as_bytes(), phone_mark(kind))
    }
}

/// What a person takes for one entry of a list, one button or one switch of an activity: unlike a mark it has the text in
/// any case, so that the only row that is shown is another item than the next one in its place. What scrolls is an item
/// of its page, since it shows something else on the next. What has an id of its own outside of a list is one item
/// whatever it counts: "Refreshed 3 s ago" is "Refreshed 4 s ago".
struct Items {
    items: Box<[u64]>,
    page: u64,
}

impl Items {
    fn of(tree: &GuiTree, reach: &[Reach], looks: &[Cow<'_, str>], shared: &FxHashSet<&str>) -> Self {
        let activity = xxh3_64(tree.activity().as_bytes());
        let item = |(one, look): (&Reach, &Cow<'_, str>)| {
            let widget = tree.widget(one.node);
            let mut hash = xxh3_64_with_seed(one.kind.word().as_bytes(), activity);
            hash = xxh3_64_with_seed(widget.class.as_bytes(), hash);
            hash = xxh3_64_with_seed(widget.resource_id.as_bytes(), hash);
            let id = widget.resource_id.as_str();
            let is_one = || !id.is_empty() && !shared.contains(id) && !is_in_list(tree, one.node);
            if has_numbers(look) && is_one() {
                return xxh3_64_with_seed(without_numbers(look).as_bytes(), hash);
            }
            xxh3_64_with_seed(look.as_bytes(), hash)
        };
        let mut items: Box<[u64]> = reach.iter().zip(looks).map(item).collect();
        let page = hash_set(items.to_vec(), activity);
        for (item, one) in items.iter_mut().zip(reach) {
            if one.kind.scrolls() {
                *item = xxh3_64_with_seed(&item.to_le_bytes(), page);
            }
        }
        Self { items, page }
    }
}

impl Sight {
    /// The sort of what has this mark; an action of the phone is a sort of its own.
    pub fn sort_of(&self, mark: u64) -> u64 {
        let place = self.marks.iter().position(|&known| known == mark);
        place.map_or(mark, |place| self.sorts[place])
    }

    /// The widget that has this mark; the phone's actions have none.
    pub fn node_of(&self, mark: u64) -> Option<NodeIx> {
        let place = self.marks.iter().position(|&known| known == mark)?;
        Some(self.reach[place].node)
    }
}

/// A model action that a screen offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The model action.
    pub action: ActionId,
    /// What is done.
    pub kind: ActionKind,
    /// Tells what a person takes for one thing: equal for the same widget on two screens, whatever the abstraction
    /// makes of it.
    pub mark: u64,
}

/// What a screen offers under one name.
#[derive(Clone, Copy)]
struct Offered {
    kind: ActionKind,
    mark: u64,
    widgets: u32,
    returns: bool,
}

/// So many screens are remembered; then the memory starts afresh.
const REMEMBERED: usize = 1 << 14;

/// What everything that can be done to a tree's widgets says to its reader.
fn looks<'a>(tree: &'a GuiTree, reach: &[Reach]) -> Vec<Cow<'a, str>> {
    let look = Appearance { marks: false, borrowed: true, ..Appearance::default() };
    reach.iter().map(|one| look.of_node(tree, one.node)).collect()
}

/// The ids that several widgets have which something can be done to.
fn shared_ids<'a>(tree: &'a GuiTree, reach: &[Reach]) -> FxHashSet<&'a str> {
    let mut first: FxHashMap<&str, NodeIx> = FxHashMap::default();
    let mut shared: FxHashSet<&str> = FxHashSet::default();
    for one in reach {
        let id = tree.widget(one.node).resource_id.as_str();
        if *first.entry(id).or_insert(one.node) != one.node {
            shared.insert(id);
        }
    }
    shared
}

/// A widget lies in something that scrolls, other than a page that is too long for the screen.
fn is_in_list(tree: &GuiTree, node: NodeIx) -> bool {
    let above = std::iter::successors(tree.node(node).parent, |&above| tree.node(above).parent);
    above.map(|above| tree.widget(above)).any(|widget| {
        widget.flags.contains(Flags::SCROLLABLE) && !widget.short_class().ends_with("ScrollView")
    })
}

/// The mark of everything that can be done to a tree's widgets. An id that is the widget's own says enough; a shared one
/// does not.
fn marks(tree: &GuiTree, reach: &[Reach], looks: &[Cow<'_, str>], shared: &FxHashSet<&str>) -> Box<[u64]> {
    let mut words = String::new();
    let mark = |(one, look): (&Reach, &Cow<'_, str>)| {
        let widget = tree.widget(one.node);
        let id = widget.resource_id.as_str();
        let is_own = !id.is_empty() && !shared.contains(id);
        let text = if is_own { "" } else { look };
        words.clear();
        for word in [widget.class.as_str(), "\n", id, "\n", text, "\n", one.kind.word()] {
            words.push_str(word);
        }
        xxh3_64(words.as_bytes())
    };
    reach.iter().zip(looks).map(mark).collect()
}

/// The sort of everything that can be done to a tree's widgets: what the widget is, and what it lies in.
fn sorts(tree: &GuiTree, reach: &[Reach]) -> Box<[u64]> {
    let sort = |one: &Reach| {
        let mut hash = xxh3_64(one.kind.word().as_bytes());
        let parent = tree.node(one.node).parent;
        for node in std::iter::once(one.node).chain(parent) {
            let widget = tree.widget(node);
            hash = xxh3_64_with_seed(widget.class.as_bytes(), hash);
            hash = xxh3_64_with_seed(widget.resource_id.as_bytes(), hash);
        }
        hash
    };
    reach.iter().map(sort).collect()
}

fn outline(offers: &[Offer]) -> u64 {
    hash_set(offers.iter().map(|offer| offer.mark).collect(), 0)
}

/// Several numbers as one, whatever their order and however often each is there.
fn hash_set(mut numbers: Vec<u64>, seed: u64) -> u64 {
    numbers.sort_unstable();
    numbers.dedup();
    let bytes: Vec<[u8; 8]> = numbers.into_iter().map(u64::to_le_bytes).collect();
    xxh3_64_with_seed(bytes.as_flattened(), seed)
}

/// The mark of an action of the phone: the same on all screens.
pub(crate) fn phone_mark(kind: ActionKind) -> u64 {
    let number = if let ActionKind::DeepLink(number) = kind { number } else { 0 };
    xxh3_64_with_seed(kind.word().as_bytes(), u64::from(number))
}

impl Model {
    /// A tree as the model sees it now. Its state and its actions are made if they are new.
    pub fn see(&mut self, tree: &GuiTree) -> Arc<Sight> {
        let named = self.abstraction.name_tree(tree);
        if let Some(sight) = self.sights.get(&tree.identity())
            && Arc::ptr_eq(&sight.named, &named)
            && self.state(sight.state).is_some()
        {
            return Arc::clone(sight);
        }
        let known = self.sights.remove(&tree.identity());
        let reach = match known.map(Arc::try_unwrap) {
            Some(Ok(sight)) => sight.reach,
            Some(Err(sight)) => sight.reach.clone(),
            None => Reach::all(tree).into(),
        };
        let state = self.state_for(&named, tree);
        let mut actions = Vec::with_capacity(reach.len());
        let mut counts: FxHashMap<(NameId, ActionKind), u32> = FxHashMap::default();
        for one in &reach {
            *counts.entry((named.names[one.node.0 as usize], one.kind)).or_default() += 1;
        }
        let looks = looks(tree, &reach);
        let shared = shared_ids(tree, &reach);
        let marks = marks(tree, &reach, &looks, &shared);
        let sorts = sorts(tree, &reach);
        let mut seen = FxHashSet::default();
        let mut offers = Vec::with_capacity(reach.len() + self.phone.len());
        for (one, &mark) in reach.iter().zip(&marks) {
            let name = named.names[one.node.0 as usize];
            let widgets = counts.get(&(name, one.kind)).copied().unwrap_or(1);
            let returns = named.returns.contains(&name);
            let id = self.action_for(state, name, Offered { kind: one.kind, mark, widgets, returns });
            if seen.insert(id) {
                offers.push(Offer { action: id, kind: one.kind, mark });
            }
            if self.is_banned(tree, one.node, one.kind) {
                self.set_disabled(id, true);
            }
            actions.push(id);
        }
        let phone: Vec<ActionKind> =
            self.phone.iter().copied().filter(|&kind| Reach::is_offered(tree, kind)).collect();
        let phone = phone.into_iter().map(|kind| {
            let mark = phone_mark(kind);
            let name = named.phone_name(kind);
            let returns = name != NameId::NONE;
            let action = self.action_for(state, name, Offered { kind, mark, widgets: 1, returns });
            offers.push(Offer { action, kind, mark });
            (kind, action)
        });
        let phone = phone.collect();
        let outline = outline(&offers);
        let is_covered = is_covered(tree);
        if let Some(state) = self.state_mut(state) {
            (state.outline, state.is_covered) = (outline, is_covered);
        }
        let (actions, offers) = (actions.into(), offers.into());
        let Items { items, page } = Items::of(tree, &reach, &looks, &shared);
        let sight = Arc::new(Sight {
            state,
            named,
            reach,
            actions,
            marks,
            sorts,
            phone,
            offers,
            outline,
            items,
            page,
        });
        if self.sights.len() >= REMEMBERED {
            self.sights.clear();
        }
        self.sights.insert(tree.identity(), Arc::clone(&sight));
        sight
    }

    fn state_for(&mut self, named: &Named, tree: &GuiTree) -> StateId {
        if let Some(&id) = self.by_key.get(&named.key) {
            return id;
        }
        let id = StateId(self.states.len() as u32);
        self.states.push(Some(Box::new(State {
            id,
            key: named.key,
            activity: tree.activity().clone(),
            visits: 0,
            actions: indexmap::IndexMap::default(),
            detached: false,
            outside: false,
            outline: 0,
            is_covered: false,
            open: 0,
            exhausted: std::cell::Cell::new(false),
            done: 0,
        })));
        self.by_key.insert(named.key, id);
        self.alive.states += 1;
        id
    }

    fn action_for(&mut self, state: StateId, name: NameId, offered: Offered) -> ActionId {
        let Offered { kind, mark, widgets, returns } = offered;
        let next = ActionId(self.actions.len() as u32);
        let Some(owner) = self.states.get_mut(state.index()).and_then(Option::as_deref_mut) else {
            return next;
        };
        let id = *owner.actions.entry((name, kind)).or_insert(next);
        if id == next {
            self.alive.actions += 1;
            owner.exhausted.set(false);
            let action = ModelAction {
                id,
                source: state,
                name,
                kind,
                mark,
                visits: 0,
                widgets,
                granted: 0,
                last: 0,
                disabled: false,
                returns,
                is_known: false,
                offered: owner.visits,
                out: Vec::new(),
            };
            owner.open += u32::from(action.is_work());
            self.actions.push(Some(Box::new(action)));
            if kind == ActionKind::Back {
                self.share_back(state);
            }
        } else if let Some(action) = self.actions.get_mut(id.index()).and_then(Option::as_deref_mut)
            && action.widgets < widgets
        {
            let before = action.is_work();
            action.widgets = widgets;
            owner.exhausted.set(false);
            owner.open += u32::from(action.is_work() && !before);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstraction::registry::REGISTRY;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{ActionSet, Bounds, Flags, TreeBuilder, Widget, Window};

    fn list_of_one(row: &str) -> GuiTree {
        shown(row, None)
    }

    /// A button with an id of its own, within something that scrolls or not.
    fn shown(text: &str, within: Option<&str>) -> GuiTree {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "List");
        let bounds = Bounds::new(0, 0, 100, 100);
        builder.window(Window::application(bounds));
        if let Some(class) = within {
            let flags = Flags::ENABLED | Flags::VISIBLE | Flags::SCROLLABLE;
            builder.open(Widget { class: class.into(), flags, bounds, ..Widget::default() });
        }
        builder.leaf(Widget {
            resource_id: "a:id/row".into(),
            text: text.into(),
            flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            bounds,
            ..Widget::default()
        });
        if within.is_some() {
            builder.close();
        }
        builder.finish()
    }

    #[test]
    fn two_rows_in_the_same_place_have_one_mark_and_are_two_items_on_two_pages() {
        let mut model = Model::new(REGISTRY[0].build_from(None), vec![ActionKind::Back]);
        let [bread, milk] = ["Bread", "Milk"].map(|row| model.see(&list_of_one(row)));
        assert_eq!((bread.reach.len(), bread.marks[0]), (1, milk.marks[0]));
        assert_ne!(bread.items[0], milk.items[0]);
        assert_ne!(bread.page, milk.page);
    }

    #[test]
    fn what_counts_is_one_item_outside_of_a_list_and_one_for_each_number_inside() {
        let mut model = Model::new(REGISTRY[0].build_from(None), vec![ActionKind::Back]);
        let mut items =
            |texts: [&str; 2], list: Option<&str>| texts.map(|text| model.see(&shown(text, list)).items[0]);
        let [three, four] = items(["Refreshed 3 s ago", "Refreshed 4 s ago"], None);
        assert_eq!(three, four);
        let [next, done] = items(["Next", "Done"], None);
        assert_ne!(next, done);
        let [one, two] = items(["Message 1", "Message 2"], Some("android.widget.ListView"));
        assert_ne!(one, two);
        let [one, two] = items(["Page 1", "Page 2"], Some("android.widget.ScrollView"));
        assert_eq!(one, two, "a long page is no list");
    }
}
