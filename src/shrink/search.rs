//! The seam between an algorithm and the engine that runs it.

use std::sync::Arc;

use super::arena::EventIx;
use crate::trace::event_tree::StateLabel;

/// An algorithm as its paper writes it: one question after the other, each asked when the one before is answered.
///
/// It can be cloned, so that the engine can ask ahead: it answers a clone with a guess and looks what the clone asks next.
pub trait Search: Clone + Send {
    /// The next question, or `None` when the algorithm is through. Without an answer it stays the same.
    fn question(&mut self) -> Option<Question>;

    /// The answer to the question.
    fn answer(&mut self, question: &Question, answer: &Answer);

    /// The list that the algorithm deletes from now, if it is one that reproduces.
    fn current(&self) -> Option<&[EventIx]> {
        None
    }

    /// Several hits that arrived together turned out to work as one: go on with these events, a part of
    /// [`current`](Search::current).
    fn rebase(&mut self, kept: &[EventIx]) {
        let _ = kept;
    }

    /// What it leaves has to go through the one-by-one pass.
    fn needs_one_by_one(&self) -> bool {
        true
    }

    /// The one-by-one pass ended with this 1-minimal list. True if the algorithm has further questions; when they are
    /// answered the pass is made again.
    fn polish(&mut self, minimal: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool {
        let _ = (minimal, seen);
        false
    }

    /// A list that was proven 1-minimal before the search began: it stays the result if nothing better is found.
    fn proven_before(&self) -> Option<&[EventIx]> {
        None
    }

    /// What rules proposed to delete, and what of it was wrong.
    fn proposals(&self) -> Proposals {
        Proposals::default()
    }
}

/// Any search, so that the engine is compiled once for all of them.
pub struct AnySearch(Box<dyn Erased>);

impl AnySearch {
    /// A search whose type is forgotten.
    pub fn new(search: impl Search + 'static) -> Self {
        Self(Box::new(search))
    }
}

impl Clone for AnySearch {
    fn clone(&self) -> Self {
        Self(self.0.another())
    }
}

impl Search for AnySearch {
    fn question(&mut self) -> Option<Question> {
        self.0.question()
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        self.0.answer(question, answer);
    }

    fn current(&self) -> Option<&[EventIx]> {
        self.0.current()
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        self.0.rebase(kept);
    }

    fn needs_one_by_one(&self) -> bool {
        self.0.needs_one_by_one()
    }

    fn polish(&mut self, minimal: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool {
        self.0.polish(minimal, seen)
    }

    fn proven_before(&self) -> Option<&[EventIx]> {
        self.0.proven_before()
    }

    fn proposals(&self) -> Proposals {
        self.0.proposals()
    }
}

/// [`Search`] as a trait object.
trait Erased: Send {
    fn another(&self) -> Box<dyn Erased>;
    fn question(&mut self) -> Option<Question>;
    fn answer(&mut self, question: &Question, answer: &Answer);
    fn current(&self) -> Option<&[EventIx]>;
    fn rebase(&mut self, kept: &[EventIx]);
    fn needs_one_by_one(&self) -> bool;
    fn polish(&mut self, minimal: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool;
    fn proven_before(&self) -> Option<&[EventIx]>;
    fn proposals(&self) -> Proposals;
}

impl<S: Search + 'static> Erased for S {
    fn another(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn question(&mut self) -> Option<Question> {
        Search::question(self)
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        Search::answer(self, question, answer);
    }

    fn current(&self) -> Option<&[EventIx]> {
        Search::current(self)
    }

    fn rebase(&mut self, kept: &[EventIx]) {
        Search::rebase(self, kept);
    }

    fn needs_one_by_one(&self) -> bool {
        Search::needs_one_by_one(self)
    }

    fn polish(&mut self, minimal: &[EventIx], seen: Option<&Arc<Outcome>>) -> bool {
        Search::polish(self, minimal, seen)
    }

    fn proven_before(&self) -> Option<&[EventIx]> {
        Search::proven_before(self)
    }

    fn proposals(&self) -> Proposals {
        Search::proposals(self)
    }
}

/// Sets of events that rules proposed to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Proposals {
    /// All of them.
    pub made: u64,
    /// Those that could not be deleted.
    pub refuted: u64,
}

/// What an algorithm wants to know: what happens when these events are run.
#[derive(Clone, Debug)]
pub struct Question {
    /// The events.
    pub events: Vec<EventIx>,
    /// How likely the answer is yes; only for asking ahead.
    pub odds: f64,
    /// What counts as yes.
    pub aim: Aim,
}

/// What counts as yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The goal is met.
    Goal,
    /// The run ends in this state: SimplyDroid's local check.
    Reach(StateLabel),
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// What a run showed.
    Seen(Arc<Outcome>),
    /// A guess, given to a clone.
    Guess(bool),
}

/// What a run showed, as far as algorithms look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The goal was met.
    pub reproduced: bool,
    /// How many events were run.
    pub ran: usize,
    /// The states seen: first the one after the launch, then one after each event that was run.
    pub labels: Vec<StateLabel>,
    /// What each event that was run did.
    pub effects: Vec<Effect>,
    /// As [`labels`](Self::labels), with each whole GUI tree as a state.
    pub trees: Vec<StateLabel>,
}

/// What an event did, apart from leading to another state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: no rule ran and the screen stayed the same.
    None,
    /// The screen stayed the same, and the device cannot tell more.
    Unknown,
    /// A rule ran or the screen changed.
    Some,
}

impl Answer {
    /// The answer is yes, and how many of the events were needed for it.
    pub fn hit(&self, question: &Question) -> Option<usize> {
        match self {
            Self::Guess(true) => Some(question.events.len()),
            Self::Guess(false) => None,
            Self::Seen(outcome) => match question.aim {
                _ if outcome.reproduced => Some(outcome.ran.min(question.events.len())),
                Aim::Reach(label) if outcome.ran == question.events.len() => {
                    (outcome.labels.last() == Some(&label)).then_some(outcome.ran)
                }
                Aim::Reach(_) | Aim::Goal => None,
            },
        }
    }
}

impl Question {
    /// A question for the goal.
    pub fn goal(events: Vec<EventIx>, odds: f64) -> Self {
        Self { events, odds, aim: Aim::Goal }
    }
}

#[cfg(test)]
pub(crate) mod test_support {
    use super::*;

    /// Everything a search asks, in order and with repetitions, when lists that satisfy `works` reproduce at their end.
    pub(crate) fn questions(
        mut search: impl Search,
        works: impl Fn(&[EventIx]) -> bool,
    ) -> Vec<Vec<EventIx>> {
        let mut asked = Vec::new();
        while let Some(question) = search.question() {
            let answer = Answer::Guess(works(&question.events));
            search.answer(&question, &answer);
            asked.push(question.events);
        }
        asked
    }
}
