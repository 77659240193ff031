//! All abstractions by name.

use std::sync::Arc;

use super::digest::{Appearance, TypedText};
use super::evolve::{EvolveConfig, Evolving, Order, Ranking};
use super::fixed::{Fixed, Identity};
use super::path::{AttributePath, Element};
use super::reducer::Reducer;
use super::tree::{DecisionTree, children_of};
use super::{Abstraction, Changes, Evidence, Named};
use crate::gui::{GuiStore, GuiTree, NodeIx};

/// One abstraction that a user can name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    build: fn() -> AnyAbstraction,
}

/// The abstraction that is used when none is named.
pub const DEFAULT: &str = "evolving";

/// All abstractions, the default first.
pub const REGISTRY: [Entry; 15] = [
    Entry {
        name: "evolving",
        about: "Starts from the class of every widget, refines and coarsens itself while it explores, and learns from what proved right.",
        source: "after Gu et al., Practical GUI testing of Android applications via model abstraction and refinement, ICSE 2019",
        build: || AnyAbstraction::Evolving(Box::new(Evolving::new(EvolveConfig::default()))),
    },
    Entry {
        name: "ape-paper",
        about: "Algorithm 2 and nothing beyond it: the paper's 16 reducers, α and β, its order and its ranking.",
        source: "Gu et al., ICSE 2019, sections II and III",
        build: || AnyAbstraction::Evolving(Box::new(Evolving::new(paper()))),
    },
    Entry {
        name: "ape-released",
        about: "The evolution as the released APE does it, with its first-fit ranking and its constraints without effect.",
        source: "tianxiaogu/ape, commit 8f51b99",
        build: || AnyAbstraction::Evolving(Box::new(Evolving::new(released()))),
    },
    Entry {
        name: "activity",
        about: "One state for each activity.",
        source: "Azim and Neamtiu, Targeted and depth-first exploration for systematic testing of Android apps, OOPSLA 2013",
        build: || fixed(class(), Identity::Activity),
    },
    Entry {
        name: "amola-c-lv1",
        about: "One state for each package.",
        source: AMOLA,
        build: || fixed(index_paths(), Identity::Package),
    },
    Entry {
        name: "amola-c-lv2",
        about: "One state for each activity; actions by their index paths.",
        source: AMOLA,
        build: || fixed(index_paths(), Identity::Activity),
    },
    Entry {
        name: "amola-c-lv3",
        about: "Activity and layout: the index paths of the containers.",
        source: AMOLA,
        build: || fixed(index_paths(), Identity::Containers),
    },
    Entry {
        name: "amola-c-lv4",
        about: "As level 3, together with the index paths of the widgets that can be acted on.",
        source: AMOLA,
        build: || fixed(index_paths(), Identity::ContainersAndActionable),
    },
    Entry {
        name: "amola-c-lv5",
        about: "As level 4, together with texts and list items.",
        source: AMOLA,
        build: || {
            // A tick is no text.
            let appearance = Appearance { marks: false, ..Appearance::default() };
            AnyAbstraction::Fixed(Box::new(Fixed::new(index_paths_and_texts(), appearance, Identity::All)))
        },
    },
    Entry {
        name: "stoat",
        about: "Index paths; the children of a list are all alike.",
        source: "Su et al., Guided, stochastic model-based GUI testing of Android apps, ESEC/FSE 2017",
        build: || fixed(stoat_tree(), Identity::All),
    },
    Entry {
        name: "droidbot-content",
        about: "Class, id, short text and marks of every widget, as a set.",
        source: "Li et al., DroidBot, ICSE-C 2017; honeynet/droidbot, device_state.py",
        build: || {
            let appearance = Appearance {
                max_chars: None,
                drop_longer_than: Some(DROIDBOT_MAX_TEXT),
                typed_text: TypedText::Counts,
                marks: true,
                borrowed: false,
            };
            let tree = DecisionTree::uniform(Reducer::CLASS | Reducer::TEXT);
            AnyAbstraction::Fixed(Box::new(Fixed::new(tree, appearance, Identity::All)))
        },
    },
    Entry {
        name: "droidbot-structure",
        about: "Class and id of every widget, as a set.",
        source: "honeynet/droidbot, device_state.py, the structure hash",
        build: || fixed(class(), Identity::All),
    },
    Entry {
        name: "fastbot",
        about: "Class, id and operations of the widgets that can be acted on; neither text nor index nor order.",
        source: "Lv et al., Fastbot2, ASE 2022; bytedance/Fastbot_Android, the default mask",
        build: || fixed(class(), Identity::Actionable),
    },
    Entry {
        name: "swifthand",
        about: "The actionable widgets by their paths, with whether each is enabled, checked or selected.",
        source: "Choi et al., SwiftHand, OOPSLA 2013; as used by DetReduce, ICSE 2018, section 4",
        build: || {
            let tree = DecisionTree::uniform(Reducer::CLASS | Reducer::INDEX | Reducer::PARENT);
            fixed(tree, Identity::ActionableWithMarks)
        },
    },
    Entry {
        name: "finest",
        about: "Everything that the reducers can keep of every widget.",
        source: "the bottom of APE's lattice",
        build: || {
            let appearance = Appearance { typed_text: TypedText::Counts, ..Appearance::default() };
            let tree = DecisionTree::uniform(Reducer::PAPER);
            AnyAbstraction::Fixed(Box::new(Fixed::new(tree, appearance, Identity::All)))
        },
    },
];

const AMOLA: &str = "Baek and Bae, Automated model-based Android GUI testing using multi-level GUI comparison criteria, ASE 2016";
const DROIDBOT_MAX_TEXT: usize = 50;
const LISTS: [&str; 6] = [
    "android.widget.ListView",
    "android.widget.ExpandableListView",
    "android.widget.GridView",
    "android.widget.Spinner",
    "android.support.v7.widget.RecyclerView",
    "androidx.recyclerview.widget.RecyclerView",
];

/// The entry with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.name == name)
}

impl Entry {
    /// A fresh abstraction that has seen nothing.
    pub fn build(&self) -> AnyAbstraction {
        (self.build)()
    }

    /// How it evolves, if it does.
    pub fn evolves(&self) -> Option<EvolveConfig> {
        self.build().evolving().map(|evolving| evolving.config().clone())
    }

    /// A fresh abstraction; one that evolves starts from this tree, if there is one.
    pub fn build_from(&self, initial: Option<&DecisionTree>) -> AnyAbstraction {
        match (self.build(), initial) {
            (AnyAbstraction::Evolving(evolving), Some(initial)) => {
                let config = EvolveConfig { initial: initial.clone(), ..evolving.config().clone() };
                AnyAbstraction::Evolving(Box::new(Evolving::new(config)))
            }
            (other, _) => other,
        }
    }
}

fn fixed(tree: DecisionTree, identity: Identity) -> AnyAbstraction {
    AnyAbstraction::Fixed(Box::new(Fixed::new(tree, Appearance::default(), identity)))
}

fn class() -> DecisionTree {
    DecisionTree::uniform(Reducer::CLASS)
}

fn index_paths() -> DecisionTree {
    DecisionTree::uniform(Reducer::INDEX | Reducer::PARENT)
}

fn index_paths_and_texts() -> DecisionTree {
    DecisionTree::uniform(Reducer::INDEX | Reducer::TEXT | Reducer::PARENT)
}

/// Stoat's abstraction as a decision tree (APE Fig. 4), for all list classes.
pub fn stoat_tree() -> DecisionTree {
    LISTS.iter().fold(index_paths(), |tree, list| tree.with_branch(children_of(list), Reducer::PARENT))
}

/// What APE's paper says, without what was added since: α and β alone decide when a name is refined and a state coarsened.
/// Its bounds on what a state and a screen may cost stay.
pub fn paper() -> EvolveConfig {
    EvolveConfig {
        appearance: Appearance { borrowed: false, ..Appearance::default() },
        visits_per_state: 0,
        visits_per_place: 0,
        learn_from_others: false,
        visits_per_name: None,
        trust_marks: false,
        trust_choices: false,
        trust_moves: false,
        own_names: false,
        visits_per_opener: None,
        name_returns: false,
        ..EvolveConfig::default()
    }
}

/// What the released APE does, as explorers.md 1.2 to 1.6 found it.
pub fn released() -> EvolveConfig {
    let interactive = AttributePath(vec![Element { interactive: Some(true), ..Element::default() }]);
    EvolveConfig {
        initial: DecisionTree::uniform(Reducer::empty()).with_branch(interactive, Reducer::CLASS),
        primitives: Reducer::PAPER | Reducer::ANCESTOR,
        appearance: Appearance {
            max_chars: Some(8),
            drop_longer_than: None,
            typed_text: TypedText::Counts,
            marks: false,
            borrowed: false,
        },
        ranking: Ranking::FirstFit,
        order: Order::CoarsenFirst,
        replace_leaves: false,
        visits_per_state: 0,
        learn_from_others: false,
        visits_per_opener: None,
        own_names: false,
        visits_per_name: None,
        trust_marks: false,
        trust_choices: false,
        trust_moves: false,
        name_returns: false,
        keep_apart: false,
        max_trees: None,
        max_names: Some(20),
        max_states_of_activity: Some(10),
        ..EvolveConfig::default()
    }
}

/// The closed set of abstractions.
#[derive(Debug)]
pub enum AnyAbstraction {
    /// One that never changes.
    Fixed(Box<Fixed>),
    /// One that refines and coarsens itself.
    Evolving(Box<Evolving>),
}

impl AnyAbstraction {
    /// The decision tree that it starts from, or always has.
    pub fn first_tree(&self) -> &DecisionTree {
        match self {
            Self::Fixed(fixed) => fixed.tree(),
            Self::Evolving(evolving) => &evolving.config().initial,
        }
    }

    /// The abstraction, if it is one that evolves.
    pub fn evolving(&self) -> Option<&Evolving> {
        match self {
            Self::Fixed(_) => None,
            Self::Evolving(evolving) => Some(evolving),
        }
    }
}

impl Abstraction for AnyAbstraction {
    fn name_tree(&mut self, tree: &GuiTree) -> Arc<Named> {
        match self {
            Self::Fixed(abstraction) => abstraction.name_tree(tree),
            Self::Evolving(abstraction) => abstraction.name_tree(tree),
        }
    }

    fn evolve(&mut self, evidence: &Evidence<'_>, store: &GuiStore) -> Changes {
        match self {
            Self::Fixed(abstraction) => abstraction.evolve(evidence, store),
            Self::Evolving(abstraction) => abstraction.evolve(evidence, store),
        }
    }

    fn describe(&mut self, tree: &GuiTree, nodes: &[NodeIx]) -> Vec<String> {
        match self {
            Self::Fixed(abstraction) => abstraction.describe(tree, nodes),
            Self::Evolving(abstraction) => abstraction.describe(tree, nodes),
        }
    }
}
