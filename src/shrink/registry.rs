//! The algorithms by name.

use std::sync::Arc;

use super::arena::EventIx;
use super::bhdd::Bhdd;
use super::cdd::Cdd;
use super::chard::Chard;
use super::ddmin::Ddmin;
use super::engine::{Engine, Original};
use super::hdd::Hdd;
use super::hprobdd::HProbDd;
use super::in_turn::InTurn;
use super::ineffective::Ineffective;
use super::lhdd::{Lhdd, Start};
use super::lhdd_released::LhddReleased;
use super::loops::Loops;
use super::nd3min::Nd3Min;
use super::path_model::PathModel;
use super::pathfirst::PathFirst;
use super::probdd::ProbDd;
use super::prophet::Foretell;
use super::released::{DdReleased, HddReleased, Split};
use super::search::Search;
use super::{Setup, Shrinker};
use crate::trace::event_tree::{EventTree, StateLabel};

/// An algorithm as people choose it.
#[derive(Debug)]
pub struct Algorithm {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Makes a shrinker of it.
    pub make: fn(Setup) -> Box<dyn Shrinker>,
}

/// The name of the algorithm that is used unless another one is asked for.
pub const DEFAULT: &str = "pathfirst";

/// All algorithms.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: DEFAULT,
        about: "Tries the shortest known path to the failing state first, then what is missing on it; else hprobdd.",
        source: "siamang",
        make: pathfirst,
    },
    Algorithm {
        name: "ddmin",
        about: "Tries each part of the trace, then each complement, then finer parts.",
        source: "Zeller and Hildebrandt, TSE 2002",
        make: |setup| flat(setup, Ddmin::new),
    },
    Algorithm {
        name: "hdd",
        about: "Delta debugging on each level of the event tree, from the top down.",
        source: "SimplyDroid III-C, ASE 2017",
        make: |setup| on_tree(setup, |tree, _| Hdd::new(tree)),
    },
    Algorithm {
        name: "bhdd",
        about: "As hdd, with each level cut into parts that weigh the same.",
        source: "SimplyDroid III-D, ASE 2017",
        make: |setup| on_tree(setup, |tree, _| Bhdd::new(tree)),
    },
    Algorithm {
        name: "lhdd",
        about: "Above the failure's level only the step to the next state is kept; checked, and redone by bhdd if wrong.",
        source: "SimplyDroid III-E, ASE 2017",
        make: |setup| on_tree(setup, |tree, labels| Lhdd::new(tree, labels, Start::Preselect)),
    },
    Algorithm {
        name: "lhdd-nopre",
        about: "As lhdd, without trying the last 1, 2, 4, … nodes of a level first.",
        source: "SimplyDroid IV, ASE 2017",
        make: |setup| on_tree(setup, |tree, labels| Lhdd::new(tree, labels, Start::Whole)),
    },
    Algorithm {
        name: "probdd",
        about: "Leaves out the events that are expected to drop the most, and learns which are needed.",
        source: "Wang et al., FSE 2021",
        make: |setup| flat(setup, ProbDd::new),
    },
    Algorithm {
        name: "cdd",
        about: "As probdd, with a counter in place of each probability.",
        source: "Zhang et al., arXiv 2408.04735",
        make: |setup| flat(setup, Cdd::new),
    },
    Algorithm {
        name: "hprobdd",
        about: "As probdd on each level of the event tree, weighted by the events below each node.",
        source: "after ProbDD, FSE 2021, and WProbDD, ICSE 2025",
        make: |setup| on_tree(setup, |tree, _| HProbDd::new(tree)),
    },
    Algorithm {
        name: "chard",
        about: "Tries the shortest path through the windows, then one of each kind of event; pathfirst goes on from there.",
        source: "CHARD, Algorithm 2, Science of Computer Programming 2021",
        make: chard,
    },
    Algorithm {
        name: "nd3min",
        about: "Delta debugging for flaky apps: a candidate must do it in 18 of 20 runs, which are scheduled.",
        source: "Clapp et al., FSE 2016",
        make: |setup| Box::new(Nd3Min::new(setup)),
    },
    Algorithm {
        name: "dd-released",
        about: "The delta debugging of SimplyDroid's published code.",
        source: "SimplyDroid, released code",
        make: |setup| flat(setup, DdReleased::new),
    },
    Algorithm {
        name: "hdd-released",
        about: "The hdd of SimplyDroid's published code.",
        source: "SimplyDroid, released code",
        make: |setup| on_tree(setup, |tree, _| HddReleased::new(tree, Split::Numbers)),
    },
    Algorithm {
        name: "bhdd-released",
        about: "The bhdd of SimplyDroid's published code.",
        source: "SimplyDroid, released code",
        make: |setup| on_tree(setup, |tree, _| HddReleased::new(tree, Split::Weights)),
    },
    Algorithm {
        name: "lhdd-released",
        about: "The lhdd of SimplyDroid's published code; bhdd follows where that leaves no result.",
        source: "SimplyDroid, released code",
        make: |setup| on_tree(setup, LhddReleased::new),
    },
];

/// Passes that leave what contributes to a test: they do not end with a 1-minimal trace.
pub const PASSES: &[Algorithm] = &[Algorithm {
    name: "ineffective",
    about: "Deletes what CHARD's nine rules call ineffective, as far as runs confirm it; also for traces without a failure.",
    source: "CHARD 4, Science of Computer Programming 2021",
    make: ineffective,
}];

/// The algorithm or pass with this name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().chain(PASSES).find(|algorithm| algorithm.name == name)
}

impl Algorithm {
    /// It only leaves out what contributes nothing: its result is not shortened further.
    pub fn is_pass(&self) -> bool {
        PASSES.iter().any(|pass| pass.name == self.name)
    }

    /// A shrinker that first deletes what CHARD's rules call ineffective, as far as runs confirm it, and in the end the
    /// loops that are left.
    pub fn after_rules(&self, setup: Setup) -> Box<dyn Shrinker> {
        let next = setup.for_next();
        let first = Setup { model: None, ..setup };
        let make = self.make;
        Box::new(InTurn::new(ineffective(first), next, Box::new(move |setup| without_loops(setup, make))))
    }
}

fn ineffective(setup: Setup) -> Box<dyn Shrinker> {
    let rules = setup.chard.rules.clone();
    Box::new(Engine::new(setup, &[], move |original: &Original| Ineffective::new(original, &rules)))
}

fn chard(setup: Setup) -> Box<dyn Shrinker> {
    let config = setup.chard.clone();
    let next = setup.for_next();
    let first = Setup { model: None, ..setup };
    let first = Engine::new(first, &[], move |original: &Original| Chard::new(original, &config));
    Box::new(InTurn::new(Box::new(first), next, Box::new(|setup| without_loops(setup, pathfirst))))
}

/// A shrinker, and the pass that leaves out whole loops.
fn without_loops(setup: Setup, make: fn(Setup) -> Box<dyn Shrinker>) -> Box<dyn Shrinker> {
    let last = Setup { model: None, ..setup.for_next() };
    let first = make(setup);
    let loops = |setup| -> Box<dyn Shrinker> { Box::new(Engine::new(setup, &[], Loops::new)) };
    Box::new(InTurn::new(first, last, Box::new(loops)))
}

fn flat<S: Search + 'static>(setup: Setup, new: fn(Vec<EventIx>) -> S) -> Box<dyn Shrinker> {
    Box::new(Engine::new(setup, &[], move |original: &Original| new(original.events.clone())))
}

fn on_tree<S: Search + 'static>(
    setup: Setup,
    new: fn(Arc<EventTree>, Arc<[StateLabel]>) -> S,
) -> Box<dyn Shrinker> {
    Box::new(Engine::new(setup, &[], move |original: &Original| {
        let labels = original.labels_before();
        new(Arc::new(EventTree::new(&labels)), labels.into())
    }))
}

fn pathfirst(mut setup: Setup) -> Box<dyn Shrinker> {
    setup.foretell = Foretell::Certain;
    let model = setup.model.take().unwrap_or_default();
    let mut elsewhere: Vec<_> = model.examples().map(|(_, event)| Arc::clone(event)).collect();
    elsewhere.push(PathFirst::back());
    Box::new(Engine::new(setup, &elsewhere, move |original: &Original| {
        PathFirst::new(original, PathModel::clone(&model))
    }))
}
