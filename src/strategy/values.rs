//! What a page shows apart from what can be done on it: what its labels say, which of its boxes are ticked.
//!
//! What the system does to an app, turning the screen, going home, killing it in the background, goes wrong in one state of
//! a page and not in another. Which state that is can be seen more often than not: a label says "In hand: true". So each
//! value that a label takes is met with each of these events once (each-choice coverage, Ammann and Offutt), and what
//! can be done on the page is done after it.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::action::ActionKind;
use crate::gui::{Flags, GuiTree, NodeIx};

/// The values that were seen, and what was done while they were shown.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The values that each label or box took.
    seen: FxHashMap<u64, Vec<u64>>,
    /// What was done while a value was shown.
    met: FxHashSet<u64>,
}

/// A label with more values counts or tells the time: none of them means anything.
const MOST_VALUES: usize = 8;

impl Values {
    /// Exchanges what is known.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(self, other);
    }

    /// What the labels and boxes of a page show now: those that change and have few values.
    pub fn of(&mut self, tree: &GuiTree) -> Vec<u64> {
        let activity = xxh3_64(tree.activity().as_bytes());
        let mut shown: Vec<(u64, u64)> =
            tree.indices().filter_map(|node| value(tree, node, activity)).collect();
        shown.sort_unstable();
        // The rows of a list share their place, and there is nothing to tell them apart by.
        let is_alone = |ix: usize| {
            (ix == 0 || shown[ix - 1].0 != shown[ix].0)
                && shown.get(ix + 1).is_none_or(|next| next.0 != shown[ix].0)
        };
        let mut now = Vec::new();
        for ix in (0..shown.len()).filter(|&ix| is_alone(ix)) {
            let (place, value) = shown[ix];
            let values = self.seen.entry(place).or_default();
            if values.len() <= MOST_VALUES && !values.contains(&value) {
                values.push(value);
            }
            if (2..=MOST_VALUES).contains(&values.len()) {
                now.push(xxh3_64_with_seed(&value.to_le_bytes(), place));
            }
        }
        now
    }

    /// How many of the values have not been met by this.
    pub fn unmet(&self, values: &[u64], what: u64) -> usize {
        values.iter().filter(|&&value| !self.met.contains(&(value ^ what))).count()
    }

    /// All of the values are met by this.
    pub fn meet(&mut self, values: &[u64], what: u64) {
        self.met.extend(values.iter().map(|&value| value ^ what));
    }
}

/// What something done to a page is called here.
pub fn deed(event: ActionKind, then: u64) -> u64 {
    xxh3_64_with_seed(event.word().as_bytes(), then)
}

/// The place of a label or box in its activity, and what it shows.
fn value(tree: &GuiTree, node: NodeIx, activity: u64) -> Option<(u64, u64)> {
    let widget = tree.widget(node);
    let is_box = widget.flags.contains(Flags::CHECKABLE);
    if widget.flags.contains(Flags::EDITABLE)
        || !is_box && (widget.text.is_empty() || !widget.actions.is_empty())
    {
        return None;
    }
    let place = xxh3_64_with_seed(
        widget.resource_id.as_bytes(),
        xxh3_64_with_seed(widget.class.as_bytes(), activity),
    );
    // A box is called by what is written on it; a label by its id, or by what it lies in.
    let place = if is_box {
        xxh3_64_with_seed(widget.text.as_bytes(), place)
    } else if widget.resource_id.is_empty() {
        let parent = tree.node(node).parent.map(|parent| tree.widget(parent));
        parent.map_or(place, |parent| xxh3_64_with_seed(parent.resource_id.as_bytes(), place))
    } else {
        place
    };
    let value = if is_box {
        u64::from(widget.flags.contains(Flags::CHECKED))
    } else {
        xxh3_64(widget.text.as_bytes())
    };
    Some((place, value))
}
