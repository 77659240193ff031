//! `loops`: leaves out ways that lead back to where they began, as a last pass over a short trace.
//!
//! Assumes that events which lead back to the state they began in may not matter together, though each of them alone does: a
//! page that is opened and left cannot lose one of the two. Longest first; it costs a run for each loop of two events or more,
//! few in a trace that is short already, and the one-by-one pass follows.

use super::arena::EventIx;
use super::engine::Original;
use super::search::{Answer, Question, Search};
use crate::trace::event_tree::StateLabel;

/// The loops of a list, longest first.
#[derive(Clone, Debug)]
pub struct Loops {
    events: Vec<EventIx>,
    /// The state before each event.
    labels: Vec<StateLabel>,
    /// Those that are still to be tried, the longest last: where they begin and end.
    waiting: Vec<(usize, usize)>,
}

/// A 1-minimal trace has mostly no loop that can go.
const ODDS: f64 = 0.2;
/// So many loops are tried at the most.
const MOST: usize = 64;

impl Loops {
    /// Starts with the original and the states of its replay.
    pub fn new(original: &Original) -> Self {
        Self::over(original.events.clone(), original.labels_before())
    }

    /// Starts with a list and the state before each of its events.
    pub fn over(events: Vec<EventIx>, labels: Vec<StateLabel>) -> Self {
        let mut waiting = Vec::new();
        for start in 0..events.len() {
            for end in start + 2..events.len() {
                if labels[start] == labels[end] {
                    waiting.push((start, end));
                }
            }
        }
        waiting.sort_by_key(|(start, end)| end - start);
        let surplus = waiting.len().saturating_sub(MOST);
        waiting.drain(..surplus);
        Self { events, labels, waiting }
    }
}

impl Search for Loops {
    fn question(&mut self) -> Option<Question> {
        let &(start, end) = self.waiting.last()?;
        Some(Question::goal([&self.events[..start], &self.events[end..]].concat(), ODDS))
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let Some((start, end)) = self.waiting.pop() else { return };
        if let Some(ran) = answer.hit(question) {
            let mut labels = [&self.labels[..start], &self.labels[end..]].concat();
            labels.truncate(ran);
            *self = Self::over(question.events[..ran].to_vec(), labels);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;

    fn loops(labels: &str) -> Loops {
        let labels: Vec<_> = labels.bytes().map(|label| StateLabel(u64::from(label))).collect();
        Loops::over((0..labels.len() as EventIx).collect(), labels)
    }

    #[test]
    fn a_page_that_is_opened_and_left_goes_as_a_whole() {
        // 1 opens a page, 2 leaves it, 3 opens another one: 1 and 2 are needed by each other and by nothing else.
        let asked = questions(loops("abcbc"), |events| events == [0, 3, 4]);
        assert_eq!(asked, [vec![0, 1, 4], vec![0, 3, 4]]);
    }

    #[test]
    fn single_events_are_left_to_the_one_by_one_pass() {
        assert!(questions(loops("aaab"), |_| false).iter().all(|events| events.len() <= 2));
        assert_eq!(questions(loops("abcd"), |_| true), Vec::<Vec<EventIx>>::new());
    }
}
