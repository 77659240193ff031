//! `lhdd-released`: what SimplyDroid's published `LocalHierarchicalDeltaDebugging` asks.
//!
//! Assumes what `lhdd` assumes and costs about the same where that holds. The differences: parts of equal numbers, a pre-selection that doubles past the level
//! falls back to balanced parts with the failure checked, one that meets its size exactly takes the whole level unrun,
//! and the failure's own level is pre-selected too. Where its list never reproduces, the released tool leaves no result;
//! here `bhdd` follows.

use std::sync::Arc;

use super::arena::EventIx;
use super::bhdd::Bhdd;
use super::hdd::{Levels, sizes, without};
use super::released::{Failed, InLevelReleased, Split, nodes_at};
use super::search::{Aim, Answer, Question, Search};
use crate::trace::event_tree::{EventTree, StateLabel};

/// The released `lhdd`.
#[derive(Clone, Debug)]
pub struct LhddReleased {
    tree: Arc<EventTree>,
    /// The state before each event.
    labels: Arc<[StateLabel]>,
    current: Vec<EventIx>,
    level: usize,
    step: Step,
    failed: Failed,
    /// Some list reproduced.
    reproduced: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Enter,
    /// The last so many nodes of the level, the last one without what is below it.
    Preselect(usize),
    /// Parts of equal numbers and, above the failure's level, only the next state checked.
    Local(InLevelReleased),
    /// Balanced parts with the failure checked.
    Balanced(InLevelReleased),
    /// The released list ended without a result.
    After(Bhdd),
    End,
}

const ODDS: f64 = 0.4;

impl LhddReleased {
    /// Starts with the whole tree.
    pub fn new(tree: Arc<EventTree>, labels: Arc<[StateLabel]>) -> Self {
        let current = (0..tree.len() as EventIx).collect();
        let failed = Failed::default();
        Self { tree, labels, current, level: 1, step: Step::Enter, failed, reproduced: false }
    }

    fn failure_level(&self) -> usize {
        self.tree.len().checked_sub(1).map_or(0, |last| self.tree.level(last))
    }

    /// The question for these nodes of the level, without what is below the level's last node.
    fn local(&self, nodes: &[EventIx], keep: &[EventIx]) -> Question {
        let mut events = without(&self.tree, &self.current, nodes, keep);
        let mut aim = Aim::Goal;
        if let Some(&last) = nodes.last() {
            let below = self.tree.subtree(last as usize);
            events.retain(|&event| event == last || !below.contains(&(event as usize)));
            if self.level < self.failure_level()
                && let Some(&next) = self.labels.get(last as usize + 1)
            {
                aim = Aim::Reach(next);
            }
        }
        Question { events, odds: ODDS, aim }
    }

    fn balanced(&self, nodes: &[EventIx]) -> Step {
        let weights = sizes(&self.tree, &self.current, nodes);
        Step::Balanced(InLevelReleased::new(nodes.to_vec(), weights, Split::Weights))
    }

    fn keep(&mut self, nodes: &[EventIx], keep: &[EventIx]) {
        self.current = without(&self.tree, &self.current, nodes, keep);
    }

    fn end(&self) -> Step {
        if self.reproduced { Step::End } else { Step::After(Levels::new(Arc::clone(&self.tree))) }
    }
}

impl Search for LhddReleased {
    fn question(&mut self) -> Option<Question> {
        loop {
            let nodes = nodes_at(&self.tree, &self.current, self.level);
            let failure_level = self.failure_level();
            match &mut self.step {
                Step::End => return None,
                Step::After(bhdd) => return bhdd.question(),
                Step::Enter if nodes.is_empty() => self.step = self.end(),
                Step::Enter if self.level > failure_level => self.step = self.balanced(&nodes),
                Step::Enter => self.step = Step::Preselect(1),
                &mut Step::Preselect(length) => {
                    return Some(self.local(&nodes, &nodes[nodes.len() - length..]));
                }
                Step::Local(list) => {
                    let Some(keep) = list.keep() else {
                        self.level += 1;
                        self.step = Step::Enter;
                        continue;
                    };
                    let question = self.local(&nodes, &keep);
                    if !self.failed.contains(&question.events) {
                        return Some(question);
                    }
                    if let Step::Local(list) = &mut self.step {
                        list.no();
                    }
                }
                Step::Balanced(list) => {
                    let Some(keep) = list.keep() else {
                        self.level += 1;
                        self.step = Step::Enter;
                        continue;
                    };
                    let events = without(&self.tree, &self.current, &nodes, &keep);
                    if !self.failed.contains(&events) {
                        return Some(Question::goal(events, ODDS));
                    }
                    list.no();
                }
            }
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        if let Step::After(bhdd) = &mut self.step {
            bhdd.answer(question, answer);
            return;
        }
        let hit = answer.hit(question).is_some();
        self.reproduced |= hit && question.aim == Aim::Goal;
        if !hit {
            self.failed.insert(&question.events);
        }
        let nodes = nodes_at(&self.tree, &self.current, self.level);
        let local =
            |nodes: Vec<EventIx>| Step::Local(InLevelReleased::new(nodes, Vec::new(), Split::Numbers));
        match &mut self.step {
            &mut Step::Preselect(length) => {
                let wider = 2 * length;
                self.step = if hit {
                    let kept = nodes[nodes.len() - length..].to_vec();
                    self.keep(&nodes, &kept);
                    local(kept)
                } else if wider > nodes.len() {
                    self.balanced(&nodes)
                } else if wider == nodes.len() {
                    local(nodes)
                } else {
                    Step::Preselect(wider)
                };
            }
            Step::Local(list) | Step::Balanced(list) => {
                if let Some(keep) = list.keep().filter(|_| hit) {
                    list.yes(&keep);
                    self.keep(&nodes, &keep);
                } else {
                    list.no();
                }
            }
            Step::Enter | Step::After(_) | Step::End => {}
        }
    }

    fn current(&self) -> Option<&[EventIx]> {
        match &self.step {
            Step::After(bhdd) => bhdd.current(),
            _ => None,
        }
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        if let Step::After(bhdd) = &mut self.step {
            bhdd.rebase(kept);
        }
    }
}
