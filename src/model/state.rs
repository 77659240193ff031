//! States, model actions and transitions.

use std::cell::Cell;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;

use crate::abstraction::{GuiAction, NameId, StateKey};
use crate::action::ActionKind;
use crate::ids::{ActionId, StateId, TransitionId, TreeHash};

/// One state of the model: the screens that the abstraction takes for one.
#[derive(Clone, Debug)]
pub struct State {
    /// Which state it is.
    pub id: StateId,
    /// How the abstraction calls it.
    pub key: StateKey,
    /// The activity.
    pub activity: SmolStr,
    /// How often it was reached.
    pub visits: u32,
    /// Its actions, in the order in which they were first seen.
    pub actions: IndexMap<(NameId, ActionKind), ActionId, FxBuildHasher>,
    /// A way that should have led here did not, and it was not seen since: it is no goal (APE III-D).
    pub detached: bool,
    /// It is not the app: a foreign one is in front, or the app is not running. It is never a goal.
    pub outside: bool,
    /// Which page it is; see [`super::Sight::outline`].
    pub outline: u64,
    /// A dialog or a menu lies over the activity.
    pub is_covered: bool,
    /// How many of its widgets' actions are not saturated.
    pub open: u32,
    /// Nothing in it is worth going there for. It stays so until it gets another action.
    pub(super) exhausted: Cell<bool>,
    /// How many of its actions were ever done, or are known.
    pub(super) done: u32,
}

/// One action of a state: a name and what is done to it.
#[derive(Clone, Debug)]
pub struct ModelAction {
    /// Which action it is.
    pub id: ActionId,
    /// The state it belongs to.
    pub source: StateId,
    /// The name of its widgets; [`NameId::NONE`] for an action of the phone but BACK.
    pub name: NameId,
    /// What is done.
    pub kind: ActionKind,
    /// What a person takes its first widget for; see [`super::sight::Offer::mark`].
    pub mark: u64,
    /// How often it was done.
    pub visits: u32,
    /// The largest number of widgets of one screen that it stands for.
    pub widgets: u32,
    /// So many visits are worth it, whatever else is said: what scrolls goes on as long as that shows something untried.
    pub granted: u32,
    /// The step in which it was done last.
    pub last: u64,
    /// It leads into a trap and is not chosen any more.
    pub disabled: bool,
    /// It leads to what lies below the activity: that is known before it is done.
    pub returns: bool,
    /// It is BACK, which was done in its state over another activity: what it does is known, but for where it leads.
    pub is_known: bool,
    /// How often the state had been reached when a screen of it last offered the action.
    pub offered: u32,
    /// Where it led, oldest first.
    pub out: Vec<TransitionId>,
}

/// One way from a state to a state by an action.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Which transition it is.
    pub id: TransitionId,
    /// The action.
    pub action: ActionId,
    /// Where it begins.
    pub source: StateId,
    /// Where it ends.
    pub target: StateId,
    /// How often it was seen.
    pub hits: u32,
    /// How often it was planned and another state was reached.
    pub misses: u32,
    /// How often it was planned and its widget was gone.
    pub gone: u32,
    /// The step in which it was seen last.
    pub last: u64,
    pub(super) samples: Vec<Sample>,
}

/// One GUI transition (APE III-A): a concrete tree, what was done to it, and the tree that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) from: GuiAction,
    pub(super) to: TreeHash,
    pub(super) times: u32,
    pub(super) last: u64,
}

/// An action that so many screens of its state in a row did not offer is gone.
const GONE: u32 = 3;
/// A state with more actions forgets those that are gone.
pub(super) const MAX_ACTIONS: usize = 512;
/// An aliased action is saturated after this many visits at the latest.
const ALIAS_VISITS: u32 = 3;
/// A field is saturated after this many texts.
const TEXT_VISITS: u32 = 2;
/// So many GUI transitions of a transition are remembered.
const MAX_SAMPLES: usize = 8;
/// A transition that was missed is trusted again when it was hit this much more often.
const STRONG_MARGIN: u32 = 2;

impl State {
    /// How many of its actions were ever done, or are known.
    pub fn done(&self) -> u32 {
        self.done
    }

    /// All of its actions were done at least once.
    pub fn is_done(&self) -> bool {
        self.done as usize >= self.actions.len()
    }
}

impl ModelAction {
    /// Nobody knows what it does.
    pub fn is_untried(&self) -> bool {
        self.visits == 0 && !self.is_known
    }

    /// It was done often enough: once, or for a name of several widgets a few times.
    pub fn is_saturated(&self) -> bool {
        let wanted = match self.kind {
            ActionKind::Text => TEXT_VISITS,
            _ => self.widgets.clamp(1, ALIAS_VISITS),
        };
        self.returns || self.visits >= wanted.max(self.granted)
    }

    /// It counts towards the work that a state still has.
    pub(super) fn is_work(&self) -> bool {
        !self.disabled && !self.is_saturated() && (self.kind.needs_widget() || self.kind == ActionKind::Menu)
    }
}

impl State {
    /// The last screens of the state did not offer an action, such as a row that has left its list.
    pub fn is_gone(&self, action: &ModelAction) -> bool {
        self.visits >= action.offered + GONE
    }
}

impl Transition {
    /// It can be planned with: it never failed, or was seen clearly more often than it failed (explorers.md 1.7).
    pub fn is_strong(&self) -> bool {
        (self.misses == 0 && self.hits >= 1) || self.hits >= self.misses + STRONG_MARGIN
    }

    /// Another screen came, even if the abstraction takes both for one state.
    pub fn changes_the_screen(&self) -> bool {
        self.samples.iter().any(|sample| sample.from.tree != sample.to)
    }

    pub(super) fn remember(&mut self, sample: Sample) {
        if let Some(known) =
            self.samples.iter_mut().find(|known| known.from == sample.from && known.to == sample.to)
        {
            known.times += sample.times;
            known.last = known.last.max(sample.last);
            return;
        }
        let mut sample = sample;
        if self.samples.len() >= MAX_SAMPLES {
            // The first half stays; what leaves is counted with what comes.
            sample.times += self.samples.remove(MAX_SAMPLES / 2).times;
        }
        // Most transitions have one for ever: room for more would be most of their memory.
        self.samples.reserve_exact(1);
        self.samples.push(sample);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::abstraction::registry;
    use crate::action::ActionKind;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, TreeBuilder, Widget, Window};
    use crate::model::{Acted, Model};

    /// A list that scrolls, with one row of this class on the screen.
    fn list(row: &str) -> Arc<GuiTree> {
        let bounds = Bounds::new(0, 0, 100, 100);
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "Main");
        builder.window(Window::application(bounds));
        builder.open(Widget {
            class: "android.widget.ListView".into(),
            bounds,
            flags: Flags::ENABLED | Flags::SCROLLABLE,
            actions: ActionSet::SCROLL_DOWN,
            ..Widget::default()
        });
        builder.leaf(Widget {
            class: row.into(),
            bounds,
            flags: Flags::ENABLED | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        });
        builder.close();
        Arc::new(builder.finish())
    }

    #[test]
    fn scrolling_on_is_worth_it_as_long_as_it_shows_something_untried() {
        const DOWN: Acted = Acted { node: Some(NodeIx(0)), kind: ActionKind::ScrollDown };
        let entry = registry::find("activity").expect("it is registered");
        let mut model = Model::new(entry.build(), vec![ActionKind::Back]);
        let [top, middle, end] =
            ["android.widget.TextView", "android.widget.Button", "android.widget.CheckBox"].map(list);
        let state = model.arrive(&top).0.state;
        let is_saturated = |model: &Model| {
            let actions = &model.state(state).expect("it is there").actions;
            let mut down = actions.values().filter_map(|&id| model.action(id));
            down.find(|action| action.kind == ActionKind::ScrollDown).expect("it scrolls").is_saturated()
        };
        for (from, to, done) in [(&top, &middle, false), (&middle, &end, false), (&end, &end, true)] {
            model.arrive(from);
            model.record(from, DOWN, to);
            assert_eq!(is_saturated(&model), done);
        }
        assert_eq!(model.arrive(&end).0.state, state, "all of it is one state");
    }
}
