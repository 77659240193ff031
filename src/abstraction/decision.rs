//! What an abstraction decided, and on which evidence.

use serde::{Deserialize, Serialize};

use super::tree::{Change, Place};
use super::{NamingId, StateKey};
use crate::ids::TreeHash;

/// One step of an abstraction's evolution. With these, `inspect` can say why two screens are one state or two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum Decision {
    /// One name stood for more than α widgets of one screen.
    ActionRefined {
        /// The state that is no more.
        state: StateKey,
        /// The name in words.
        name: String,
        /// How many widgets had it.
        widgets: usize,
        /// The threshold: α, or 1 where the same refinement has proved right on other states, one of the widgets is chosen, or they
        /// have moved.
        alpha: usize,
        /// The screen.
        tree: TreeHash,
        /// What was done.
        change: Change,
        /// Where it was done; a log of an older siamang does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// How many states the state's screens have now.
        states: usize,
        /// The new abstraction function.
        naming: NamingId,
    },
    /// One action led to different states.
    StateRefined {
        /// The state that is no more.
        state: StateKey,
        /// The refined name in words.
        name: String,
        /// Two screens on which the same action led to different states.
        trees: (TreeHash, TreeHash),
        /// What was done.
        change: Change,
        /// Where it was done; a log of an older siamang does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// How many states the state's screens have now.
        states: usize,
        /// The new abstraction function.
        naming: NamingId,
    },
    /// A refinement made too many states out of one, or it named widgets by what does not tell where they lead, and better
    /// names were found; it was reverted and is never tried again on these screens.
    Coarsened {
        /// The state that is back.
        state: StateKey,
        /// How many states it had become.
        states: usize,
        /// The threshold.
        beta: usize,
        /// The reverted abstraction function.
        reverted: NamingId,
        /// The change that is barred from now on.
        barred: Change,
        /// How many demands for distinction had to be given up.
        given_up: usize,
    },
    /// Nothing tells the screens apart on which the same action led to different states.
    NotSeparable {
        /// The state.
        state: StateKey,
        /// To how many states the action leads.
        outcomes: usize,
        /// The action in words; empty in a log of an older siamang.
        action: String,
        /// The screens on which it was done, one for each outcome as far as they are kept; one if they are all the same.
        trees: Vec<TreeHash>,
    },
    /// One name stands for more than α widgets of one screen, and nothing that is not barred, or too much, tells them apart.
    /// It is not tried again.
    NotSplit {
        /// The state.
        state: StateKey,
        /// The name in words.
        name: String,
        /// How many widgets have it.
        widgets: usize,
        /// The threshold.
        alpha: usize,
        /// The screen.
        tree: TreeHash,
        /// The bound on a screen's names, if something tells them apart and only this bound forbids it; a log of an older
        /// siamang does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_names: Option<usize>,
    },
}
