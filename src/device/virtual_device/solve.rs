//! Ground truth: the shortest event sequence to every failure that is planted in an app model.
//!
//! The events are exactly those that `explore` uses by default: for each widget that a finger can reach its actions; BACK,
//! MENU and, in a field, ENTER; rotation; home and return; process death. Each costs 1. The launch on a clean phone is free,
//! and so is waiting until the next effect is due; after each event the phone either settles or the next event follows at
//! once. A field gets one text for each class of texts that a guard can tell apart. What is left to chance is taken as it
//! helps, and how likely that is is part of the answer.
//!
//! [`search`] walks breadth first over states in canonical form ([`key`]), of which [`slice`](mod@slice) keeps only what can
//! matter ([`tokens`] and [`types`] read the scripts for it); [`moves`] and [`texts`] say what can be done, [`walker`] does it, and a [`Way`] is replayed on a fresh phone
//! before it is believed.

mod key;
mod moves;
mod search;
mod slice;
mod texts;
mod tokens;
mod types;
mod walker;
mod way;

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use self::key::Key;
use self::search::{Limit, Outcome};
use self::slice::Slice;
use self::texts::Texts;
use self::types::Types;
use self::walker::{Landing, Terrain, Walker};
use super::app::{ActivityIx, App, FailureIx};
use super::state::State;

pub use way::Way;

/// How much work a model is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveLimits {
    /// Time for the whole model.
    pub time: Duration,
    /// Memory at the most, in bytes.
    pub memory_bytes: usize,
    /// Ways with more events than this are not looked for.
    pub events: u32,
    /// Threads. The answers do not depend on them.
    pub workers: usize,
}

impl Default for SolveLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), memory_bytes: 2 << 30, events: u32::MAX, workers: 2 }
    }
}

/// What is known about one failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// There is no shorter way than this.
    Optimal(Way),
    /// The limits ended the search: every way has at least `bound` events.
    BestKnown {
        /// The shortest way that was found, if one was.
        way: Option<Way>,
        /// Fewer events than this are not enough.
        bound: u32,
    },
    /// No sequence of events leads to it.
    Unreachable,
}

/// The answer for one failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The failure's position in the model.
    pub failure: FailureIx,
    /// Its name in the model.
    pub name: SmolStr,
    /// What is known about it.
    pub truth: Truth,
    /// States that were looked at until it was decided.
    pub states: u64,
}

impl Answer {
    /// The shortest way that is known.
    pub fn way(&self) -> Option<&Way> {
        match &self.truth {
            Truth::Optimal(way) | Truth::BestKnown { way: Some(way), .. } => Some(way),
            Truth::BestKnown { way: None, .. } | Truth::Unreachable => None,
        }
    }

    /// What the model says about the shortest way and is proven wrong: the stated number of events.
    pub fn wrongly_stated(&self, app: &App) -> Option<u32> {
        let stated = app.failures[self.failure.0 as usize].shortest?;
        let wrong = match &self.truth {
            Truth::Optimal(way) => way.cost != stated,
            Truth::BestKnown { way, bound } => {
                stated < *bound || way.as_ref().is_some_and(|way| way.cost < stated)
            }
            Truth::Unreachable => true,
        };
        wrong.then_some(stated)
    }

    /// It is proven that no way is shorter.
    pub fn is_optimal(&self) -> bool {
        matches!(self.truth, Truth::Optimal(_))
    }
}

/// How a search that is under way is followed, and ended.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set it, and the search ends with what it knows.
    pub stop: AtomicBool,
    /// All ways with fewer events than this are known.
    pub events: AtomicU32,
    /// States that were looked at.
    pub states: AtomicU64,
}

/// Finds the shortest way to every failure of an app, in the order of the model. One walk serves all of them.
pub fn solve(app: &Arc<App>, limits: &SolveLimits) -> Vec<Answer> {
    solve_watched(app, limits, &Watch::default())
}

/// As [`solve`], while somebody watches.
pub fn solve_watched(app: &Arc<App>, limits: &SolveLimits, watch: &Watch) -> Vec<Answer> {
    let limit = Limit {
        watch,
        deadline: Instant::now().checked_add(limits.time),
        bytes: limits.memory_bytes,
        events: limits.events,
        workers: limits.workers,
    };
    let (slice, texts) = (Slice::of(app), Texts::of_app(app));
    let terrain = Terrain { app, slice: &slice, texts: &texts };
    let raised = |ix: &FailureIx| app.rules.iter().any(|rule| rule.fail == Some(*ix));
    let all = (0..app.failures.len()).map(|ix| FailureIx(ix as u32));
    let (goals, never): (Vec<FailureIx>, Vec<FailureIx>) = all.partition(raised);
    let outcome = search::search(terrain, &goals, limit);
    let mut answers: Vec<Answer> = goals
        .iter()
        .map(|&failure| (failure, truth(terrain, failure, &outcome)))
        .chain(never.into_iter().map(|failure| (failure, Truth::Unreachable)))
        .map(|(failure, truth)| {
            let name = app.failures[failure.0 as usize].name.clone();
            let states = outcome.seen.get(&failure).copied().unwrap_or(outcome.states);
            Answer { failure, name, truth, states }
        })
        .collect();
    answers.sort_by_key(|answer| answer.failure);
    answers
}

fn truth(terrain: Terrain<'_>, failure: FailureIx, outcome: &Outcome) -> Truth {
    let Some(path) = outcome.paths.get(&failure) else {
        return if outcome.exhausted {
            Truth::Unreachable
        } else {
            Truth::BestKnown { way: None, bound: outcome.bound }
        };
    };
    let (events, answers) = Walker::new(terrain).retrace(path);
    match Way::replay(terrain.app, failure, events, answers) {
        Some(way) if way.cost <= outcome.bound => Truth::Optimal(way),
        way => Truth::BestKnown { way, bound: outcome.bound },
    }
}

/// The answers as people read them.
pub fn render(answers: &[Answer]) -> String {
    let mut text = String::new();
    for answer in answers {
        let verdict = match &answer.truth {
            Truth::Optimal(way) => format!("optimal, {}", events(way.cost)),
            Truth::BestKnown { way: Some(way), bound } => {
                format!("best known, {}, bound {bound}", events(way.cost))
            }
            Truth::BestKnown { way: None, bound } => format!(
                "no way found within the limits of time and memory; every way has at least {}",
                events(*bound)
            ),
            Truth::Unreachable => "unreachable".to_owned(),
        };
        let _ = write!(text, "{}: {verdict}", answer.name);
        if let Some(way) = answer.way() {
            if way.probability < 1.0 {
                let _ = write!(text, ", with probability {:.4}", way.probability);
            }
            for (ix, line) in way.lines.iter().enumerate() {
                let _ = write!(text, "\n  {:>2}. {line}", ix + 1);
            }
        }
        text.push('\n');
    }
    text
}

pub(super) fn events(count: u32) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

/// Tells of a variable of an activity what it always holds, in words, if that is never true or false.
pub(super) fn never_flags(app: &App) -> impl Fn(&str, ActivityIx) -> Option<&'static str> {
    let types = Types::of(app);
    move |name, activity| types.never_a_flag(app, name, activity)
}

/// Walks breadth first through an app and tells the scripts that failed on the way.
pub(super) fn walk_for_issues(app: &Arc<App>, max_states: usize) -> Vec<String> {
    let (slice, texts) = (Slice::of(app), Texts::of_app(app));
    let mut walker = Walker::new(Terrain { app, slice: &slice, texts: &texts });
    let mut known: FxHashSet<Key> = FxHashSet::default();
    let mut open: VecDeque<State> = VecDeque::new();
    let mut issues = BTreeSet::new();
    let mut land = |landing: Landing, state: &State, open: &mut VecDeque<State>| {
        issues.extend(landing.issues);
        if known.len() < max_states && known.insert(landing.key) {
            open.push_back(state.clone());
        }
    };
    walker.launch(|landing, state| land(landing, state, &mut open));
    while let Some(state) = open.pop_front() {
        walker.expand(&state, |landing, state| land(landing, state, &mut open));
    }
    issues.into_iter().collect()
}
