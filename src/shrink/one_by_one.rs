//! The last pass of every shrinker: each event is left out alone, until none can be.
//!
//! Assumes nothing. The result is 1-minimal by definition. It costs one run for each event but the last, whose omission
//! needs no run because the trace is cut where it reproduces; each success costs at most one more round. Where chance has a
//! part, one run does not show that the failure needs the last event: the certificate's runs do.

use super::arena::EventIx;
use super::engine::{Engine, Original};
use super::search::{Answer, Question, Search};
use super::{Setup, Shrinker};

/// A shrinker that does nothing but this pass.
pub fn one_by_one(setup: Setup) -> Box<dyn Shrinker> {
    Box::new(Engine::new(setup, &[], |original: &Original<'_>| OneByOne::new(original.events.clone())))
}

/// Leaves out each event alone, from the last but one to the first and around, until none can be left out.
#[derive(Clone, Debug)]
pub struct OneByOne {
    events: Vec<EventIx>,
    at: usize,
    /// So many events in a row, going down from the one after `at`, could not be left out.
    kept: usize,
}

/// The algorithm before has mostly left nothing to drop.
const ODDS: f64 = 0.05;

impl OneByOne {
    /// Starts with a list that reproduces with its last event and not before.
    pub fn new(events: Vec<EventIx>) -> Self {
        let at = events.len().saturating_sub(2);
        Self { events, at, kept: 0 }
    }

    /// What is left.
    pub fn events(&self) -> &[EventIx] {
        &self.events
    }
}

impl Search for OneByOne {
    fn question(&mut self) -> Option<Question> {
        if self.events.len() < 2 || self.kept + 1 >= self.events.len() {
            return None;
        }
        let mut events = Vec::with_capacity(self.events.len() - 1);
        events.extend_from_slice(&self.events[..self.at]);
        events.extend_from_slice(&self.events[self.at + 1..]);
        Some(Question::goal(events, ODDS))
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        if let Some(ran) = answer.hit(question) {
            self.events = question.events[..ran].to_vec();
            self.kept = 0;
        } else {
            self.kept += 1;
        }
        let last_but_one = self.events.len().saturating_sub(2);
        self.at = if self.at == 0 { last_but_one } else { (self.at - 1).min(last_but_one) };
    }

    fn current(&self) -> Option<&[EventIx]> {
        Some(&self.events)
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        *self = Self::new(kept.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;

    #[test]
    fn after_a_success_every_event_is_tried_again() {
        // 0 can go only when 2 is gone, and 3 is the end.
        let asked = questions(OneByOne::new(vec![0, 1, 2, 3]), |events| {
            events.contains(&3) && events.contains(&1) && (events.contains(&0) || !events.contains(&2))
        });
        assert_eq!(asked, [vec![0, 1, 3], vec![0, 3], vec![1, 3], vec![3]]);
    }
}
