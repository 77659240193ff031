//! `chard`: the key events of a crash in the order of CHARD's Algorithm 2 (CHARD 5.2).
//!
//! Assumes that the data events, if there are any, are each needed once and in any order; if that is wrong, `ineffective`
//! takes over. It costs one run if the crash needs no data, two if each data event is needed once. What the paper leaves is
//! not minimal: `pathfirst` goes on from there.

use std::sync::Arc;

use super::arena::EventIx;
use super::engine::Original;
use super::ineffective::{Ineffective, positions_of, sequence_of};
use super::search::{Answer, Proposals, Question, Search};
use crate::trace::ineffective::Finding;
use crate::trace::key_events::{ChardConfig, KeyEvents};

/// Short, then Duplicate, then Ineffective.
#[derive(Clone, Debug)]
pub struct Chard {
    phase: Phase,
    duplicate: Option<Vec<EventIx>>,
    /// What the rules propose; made into a search only if the other two fail.
    proposed: Arc<Proposed>,
}

#[derive(Debug)]
struct Proposed {
    events: Vec<EventIx>,
    /// Where the events of the findings are in the arena.
    positions: Vec<EventIx>,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
enum Phase {
    Short(Vec<EventIx>),
    Duplicate(Vec<EventIx>),
    Ineffective(Ineffective),
    Done,
}

/// How often the paper's strategies reproduce (CHARD 7.4).
const ODDS_SHORT: f64 = 0.75;
const ODDS_DUPLICATE: f64 = 0.725;

impl Chard {
    /// Works the three strategies out of the original's replay.
    pub fn new(original: &Original, config: &ChardConfig) -> Self {
        let sequence = sequence_of(original);
        let found = KeyEvents::of(&sequence, &config.rules, config.similarity);
        let positions = positions_of(&sequence);
        let events =
            |list: Vec<usize>| -> Vec<EventIx> { list.into_iter().map(|at| positions[at]).collect() };
        // A list that drops nothing needs no run.
        let fewer = |list: &Vec<EventIx>| list.len() < original.events.len();
        let duplicate = found.duplicate.map(events).filter(fewer);
        let short = found.short.map(events).filter(fewer);
        let findings = found.ineffective.findings;
        let proposed = Arc::new(Proposed { events: original.events.clone(), positions, findings });
        let mut chard = Self { phase: Phase::Done, duplicate, proposed };
        match short {
            Some(short) => chard.phase = Phase::Short(short),
            None => chard.next(),
        }
        chard
    }

    fn next(&mut self) {
        self.phase = if let Some(duplicate) = self.duplicate.take() {
            Phase::Duplicate(duplicate)
        } else {
            let Proposed { events, positions, findings } = &*self.proposed;
            Phase::Ineffective(Ineffective::with(events.clone(), positions, findings))
        };
    }
}

impl Search for Chard {
    fn question(&mut self) -> Option<Question> {
        match &mut self.phase {
            Phase::Short(events) => Some(Question::goal(events.clone(), ODDS_SHORT)),
            Phase::Duplicate(events) => Some(Question::goal(events.clone(), ODDS_DUPLICATE)),
            Phase::Ineffective(rules) => rules.question(),
            Phase::Done => None,
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        match &mut self.phase {
            Phase::Ineffective(rules) => rules.answer(question, answer),
            Phase::Short(_) | Phase::Duplicate(_) if answer.hit(question).is_some() => {
                self.phase = Phase::Done;
            }
            Phase::Short(_) | Phase::Duplicate(_) => self.next(),
            Phase::Done => {}
        }
    }

    fn needs_one_by_one(&self) -> bool {
        false
    }

    fn proposals(&self) -> Proposals {
        match &self.phase {
            Phase::Ineffective(rules) => rules.proposals(),
            _ => Proposals::default(),
        }
    }
}
