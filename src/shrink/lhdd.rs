//! `lhdd` and `lhdd-nopre`: SimplyDroid III-E, local hierarchical delta debugging.
//!
//! Assumes that a level matters only for the step to the next level: above the failure's level a run ends at the level's
//! last node and need only reach the next state. Pre-selection first tries the last 1, 2, 4, … nodes. With pure
//! navigation it costs one or two runs a level. With data it throws away what is needed further down: so one run checks
//! the failure when the local levels are through, and `bhdd` starts afresh when it is gone.

use std::sync::Arc;

use super::arena::EventIx;
use super::bhdd::{BalancedParts, Bhdd};
use super::hdd::{Levels, sizes, without};
use super::list::{List, Pinned};
use super::search::{Aim, Answer, Question, Search};
use crate::trace::event_tree::{EventTree, StateLabel};

/// `lhdd` over the event tree.
#[derive(Clone, Debug)]
pub struct Lhdd {
    tree: Arc<EventTree>,
    /// The state before each event.
    labels: Arc<[StateLabel]>,
    start: Start,
    phase: Phase,
}

/// How a level starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the shortest of the last 1, 2, 4, … nodes that still reaches the next state.
    Preselect,
    /// With all its nodes.
    Whole,
}

#[derive(Clone, Debug)]
enum Phase {
    /// Above the failure's level, where reaching the next state is enough.
    Local { current: Vec<EventIx>, level: usize, step: Step },
    /// Everything the local levels left is run once.
    Check { current: Vec<EventIx> },
    /// The failure itself is checked from here on.
    Global(Bhdd),
}

#[derive(Clone, Debug)]
enum Step {
    Enter,
    Preselect(usize),
    Reduce(BalancedParts),
}

const ODDS_PRESELECT: f64 = 0.5;
const ODDS_CHECK: f64 = 0.5;

impl Lhdd {
    /// Starts with the whole tree.
    pub fn new(tree: Arc<EventTree>, labels: Arc<[StateLabel]>, start: Start) -> Self {
        let current = (0..tree.len() as EventIx).collect();
        let phase = Phase::Local { current, level: 1, step: Step::Enter };
        Self { tree, labels, start, phase }
    }

    fn failure_level(&self) -> usize {
        self.tree.len().checked_sub(1).map_or(0, |last| self.tree.level(last))
    }
}

/// The nodes of one level among the current events.
fn nodes_at(tree: &EventTree, current: &[EventIx], level: usize) -> Vec<EventIx> {
    current.iter().copied().filter(|&event| tree.level(event as usize) == level).collect()
}

/// The question whether these nodes of a level still reach the next level; what is below its last node is not run.
fn local(
    tree: &EventTree,
    labels: &[StateLabel],
    current: &[EventIx],
    nodes: &[EventIx],
    keep: &[EventIx],
    odds: f64,
) -> Option<Question> {
    let last = *nodes.last()?;
    let mut events = without(tree, current, nodes, keep);
    events.truncate(events.partition_point(|&event| event <= last));
    let next = *labels.get(last as usize + 1)?;
    Some(Question { events, odds, aim: Aim::Reach(next) })
}

impl Search for Lhdd {
    fn question(&mut self) -> Option<Question> {
        loop {
            let failure_level = self.failure_level();
            match &mut self.phase {
                Phase::Local { current, level, .. } if *level >= failure_level => {
                    self.phase = if current.len() == self.tree.len() {
                        Phase::Global(Levels::from_level(
                            Arc::clone(&self.tree),
                            std::mem::take(current),
                            *level,
                        ))
                    } else {
                        Phase::Check { current: std::mem::take(current) }
                    };
                }
                Phase::Local { current, level, step } => {
                    let nodes = nodes_at(&self.tree, current, *level);
                    match step {
                        Step::Enter if self.start == Start::Preselect && nodes.len() > 1 => {
                            *step = Step::Preselect(1);
                        }
                        Step::Enter => *step = Step::Reduce(in_level(&self.tree, current, &nodes)),
                        Step::Preselect(length) => {
                            let keep = &nodes[nodes.len() - *length..];
                            return local(&self.tree, &self.labels, current, &nodes, keep, ODDS_PRESELECT);
                        }
                        Step::Reduce(list) => {
                            if let Some(attempt) = list.next() {
                                let keep = &attempt.keep;
                                return local(&self.tree, &self.labels, current, &nodes, keep, attempt.odds);
                            }
                            *level += 1;
                            *step = Step::Enter;
                        }
                    }
                }
                Phase::Check { current } => return Some(Question::goal(current.clone(), ODDS_CHECK)),
                Phase::Global(levels) => return levels.question(),
            }
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let hit = answer.hit(question);
        match &mut self.phase {
            Phase::Local { current, level, step } => {
                if let Some(ran) = hit
                    && let Answer::Seen(outcome) = answer
                    && outcome.reproduced
                {
                    // The failure came before the next level: a shorter trace than the algorithm hoped for.
                    let kept = question.events[..ran].to_vec();
                    self.phase = Phase::Global(Levels::from_level(Arc::clone(&self.tree), kept, 1));
                    return;
                }
                let nodes = nodes_at(&self.tree, current, *level);
                match step {
                    Step::Enter => {}
                    Step::Preselect(length) => {
                        let wider = (2 * *length).min(nodes.len());
                        let keep = &nodes[nodes.len() - if hit.is_some() { *length } else { wider }..];
                        if hit.is_some() || wider == nodes.len() {
                            *current = without(&self.tree, current, &nodes, keep);
                            *step = Step::Reduce(in_level(&self.tree, current, keep));
                        } else {
                            *step = Step::Preselect(wider);
                        }
                    }
                    Step::Reduce(list) => {
                        if hit.is_some() {
                            let keep: Vec<_> = nodes
                                .iter()
                                .copied()
                                .filter(|node| question.events.binary_search(node).is_ok())
                                .collect();
                            *current = without(&self.tree, current, &nodes, &keep);
                            list.yes(&keep);
                        } else {
                            list.no();
                        }
                    }
                }
            }
            Phase::Check { current } => {
                let level = self.tree.len().checked_sub(1).map_or(0, |last| self.tree.level(last));
                self.phase = Phase::Global(match hit {
                    Some(ran) if ran == current.len() => {
                        Levels::from_level(Arc::clone(&self.tree), std::mem::take(current), level)
                    }
                    Some(ran) => {
                        current.truncate(ran);
                        Levels::from_level(Arc::clone(&self.tree), std::mem::take(current), 1)
                    }
                    None => Levels::new(Arc::clone(&self.tree)),
                });
            }
            Phase::Global(levels) => levels.answer(question, answer),
        }
    }

    fn current(&self) -> Option<&[EventIx]> {
        match &self.phase {
            Phase::Global(levels) => levels.current(),
            Phase::Local { .. } | Phase::Check { .. } => None,
        }
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        if let Phase::Global(levels) = &mut self.phase {
            levels.rebase(kept);
        }
    }
}

/// The in-level procedure with the last node counted as one event.
fn in_level(tree: &EventTree, current: &[EventIx], nodes: &[EventIx]) -> BalancedParts {
    let mut weights = sizes(tree, current, nodes);
    if let Some(last) = weights.last_mut() {
        *last = 1;
    }
    BalancedParts::start(nodes.to_vec(), weights, Pinned::Last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::Outcome;

    fn lhdd(labels: &str, start: Start) -> Lhdd {
        let labels: Vec<_> = labels.bytes().map(|label| StateLabel(u64::from(label))).collect();
        Lhdd::new(Arc::new(EventTree::new(&labels)), labels.into(), start)
    }

    /// Drives the search; `run` says whether the list reproduces and which state it ends in.
    fn drive(mut search: Lhdd, run: impl Fn(&[u32]) -> (bool, char)) -> Vec<Vec<u32>> {
        let mut asked = Vec::new();
        while let Some(question) = search.question() {
            let (reproduced, state) = run(&question.events);
            let ran = question.events.len();
            let labels = vec![StateLabel(u64::from(state)); ran + 1];
            let outcome = Outcome { reproduced, ran, labels, effects: Vec::new(), trees: Vec::new() };
            search.answer(&question, &Answer::Seen(Arc::new(outcome)));
            asked.push(question.events);
        }
        asked
    }

    #[test]
    fn preselection_tries_one_two_and_four_nodes_and_stops_at_the_next_state() {
        // Level 1: 0 to 5 on a, the failure's level: 6 on b. The way to b needs 3 and 5.
        let run = |events: &[u32]| {
            let b = events.contains(&3) && events.contains(&5);
            (b && events.contains(&6), if b { 'b' } else { 'a' })
        };
        let asked = drive(lhdd("aaaaaab", Start::Preselect), run);
        let expected: [&[u32]; 7] = [&[5], &[4, 5], &[2, 3, 4, 5], &[4, 5], &[5], &[2, 3, 5], &[5]];
        assert_eq!(asked[..7], expected);
        assert_eq!(asked.last().unwrap(), &[3, 5, 6]);
    }

    #[test]
    fn without_preselection_a_level_begins_with_its_last_half() {
        let run = |events: &[u32]| {
            let b = events.contains(&3) && events.contains(&5);
            (b && events.contains(&6), if b { 'b' } else { 'a' })
        };
        let asked = drive(lhdd("aaaaaab", Start::Whole), run);
        assert_eq!(asked[0], [3, 4, 5], "the last half, without the failure below it");
        assert!(!asked.contains(&vec![0, 1, 2]), "the other half does not end where the level must");
        assert_eq!(asked.last().unwrap(), &[3, 5, 6]);
    }

    #[test]
    fn a_data_event_thrown_away_is_noticed_by_one_run_and_bhdd_starts_afresh() {
        // The failure needs 0, which the way to b does not.
        let run = |events: &[u32]| {
            let b = events.contains(&3);
            (b && events.contains(&0) && events.contains(&4), if b { 'b' } else { 'a' })
        };
        let asked = drive(lhdd("aaaab", Start::Preselect), run);
        assert_eq!(asked[0], [3]);
        assert_eq!(asked[1], [3, 4], "the check");
        assert_eq!(asked[2], [2, 3, 4], "bhdd on the whole tree");
        assert!(asked.contains(&vec![0, 3, 4]));
    }
}
