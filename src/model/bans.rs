//! Actions that are not chosen for a while, because they lead into a trap.

use smol_str::SmolStr;

use super::Model;
use crate::abstraction::Appearance;
use crate::action::ActionKind;
use crate::gui::{GuiTree, NodeIx};
use crate::ids::ActionId;

/// What was banned, by what a person would call it: a ban outlives the rebuilding of states.
#[derive(Debug, Default)]
pub(super) struct Bans {
    bans: Vec<Ban>,
    /// Earlier bans of the same thing make the next one longer.
    times: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Ban {
    what: Banned,
    until: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Banned {
    activity: SmolStr,
    class: SmolStr,
    id: SmolStr,
    text: SmolStr,
    kind: ActionKind,
}

/// A ban lasts for this many steps.
const BAN_STEPS: u64 = 3000;
/// More bans at once would be a fault of the watcher, not of the app.
const MAX_BANS: usize = 16;

impl Banned {
    fn of(tree: &GuiTree, node: NodeIx, kind: ActionKind) -> Self {
        let widget = tree.widget(node);
        Self {
            activity: tree.activity().clone(),
            class: widget.class.clone(),
            id: widget.resource_id.clone(),
            text: Appearance::default().of(widget).into(),
            kind,
        }
    }
}

impl Model {
    /// An action is not chosen for a while. It answers with what was banned, in words, if a widget of the action is
    /// still known.
    pub fn ban(&mut self, id: ActionId) -> Option<String> {
        let action = self.action(id)?;
        if !action.kind.needs_widget() || self.bans.bans.len() >= MAX_BANS {
            return None;
        }
        let sample =
            action.out.iter().filter_map(|&way| self.transition(way)).find_map(|way| way.samples.last())?;
        let tree = self.store.get(sample.from.tree)?;
        if sample.from.node.0 as usize >= tree.nodes().len() {
            return None;
        }
        let what = Banned::of(tree, sample.from.node, action.kind);
        let words = format!(
            "{} on {} in {}",
            what.kind.word(),
            [what.text.as_str(), what.id.as_str(), what.class.as_str()]
                .into_iter()
                .find(|word| !word.is_empty())
                .unwrap_or("a widget"),
            what.activity
        );
        self.bans.times += 1;
        self.bans.bans.push(Ban { what, until: self.step + BAN_STEPS });
        self.set_disabled(id, true);
        self.sights.clear();
        Some(words)
    }

    /// Lifts the bans that are over.
    pub(super) fn lift_bans(&mut self) {
        if self.bans.bans.iter().any(|ban| ban.until <= self.step) {
            let step = self.step;
            self.bans.bans.retain(|ban| ban.until > step);
            let all: Vec<ActionId> =
                self.actions().filter(|action| action.disabled).map(|action| action.id).collect();
            for id in all {
                self.set_disabled(id, false);
            }
            self.sights.clear();
        }
    }

    pub(super) fn is_banned(&self, tree: &GuiTree, node: NodeIx, kind: ActionKind) -> bool {
        !self.bans.bans.is_empty() && {
            let what = Banned::of(tree, node, kind);
            self.bans.bans.iter().any(|ban| ban.what == what)
        }
    }

    pub(super) fn set_disabled(&mut self, id: ActionId, disabled: bool) {
        let Some(action) = self.actions.get_mut(id.index()).and_then(Option::as_deref_mut) else { return };
        let before = action.is_work();
        action.disabled = disabled;
        let (after, source) = (action.is_work(), action.source);
        if let Some(state) = self.state_mut(source) {
            state.exhausted.set(false);
            state.open = (state.open + u32::from(after)).saturating_sub(u32::from(before));
        }
        self.pave(id);
    }
}
