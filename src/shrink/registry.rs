//! The algorithms by name.

use std::sync::Arc;

use super::arena::EventIx;
use super::ddmin::Ddmin;
use super::engine::{Engine, Original};
use super::hdd::Hdd;
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

/// All algorithms.
pub const ALGORITHMS: &[Algorithm] = &[
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
        make: |setup| on_tree(setup, Hdd::new),
    },
];

/// The algorithm with this name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
}

fn flat<S: Search + 'static>(setup: Setup, new: fn(Vec<EventIx>) -> S) -> Box<dyn Shrinker> {
    Box::new(Engine::new(setup, [], move |original: &Original| new(original.events.clone())))
}

fn on_tree<S: Search + 'static>(setup: Setup, new: fn(Arc<EventTree>) -> S) -> Box<dyn Shrinker> {
    Box::new(Engine::new(setup, [], move |original: &Original| new(Arc::new(tree(original)))))
}

/// The event tree of the original, from the states seen in its replay.
fn tree(original: &Original) -> EventTree {
    let labels: Vec<StateLabel> = (0..original.events.len())
        .map(|event| original.seen.labels.get(event).copied().unwrap_or_default())
        .collect();
    EventTree::new(&labels)
}
