//! `loops`: leaves out ways that lead back to where they began, as a last pass over a short trace.
//!
//! Assumes that events which lead back to the state they began in may not matter together, though each of them alone does: a
//! page that is opened and left cannot lose one of the two. Nor may two equal events that lead nowhere and undo each other,
//! as two turns of the screen do, whatever is done between them. Longest first, then the pairs; it costs a run for each loop
//! of two events or more and for each pair, few in a trace that is short already, and the one-by-one pass follows.

use std::ops::Range;

use super::arena::{Arena, EventIx};
use super::engine::Original;
use super::search::{Answer, Question, Search};
use crate::trace::event_tree::StateLabel;

/// The loops and pairs of a list, longest first.
#[derive(Clone, Debug)]
pub struct Loops {
    events: Vec<EventIx>,
    /// The state before each event.
    labels: Vec<StateLabel>,
    /// What a device cannot tell apart has the same number.
    contents: Vec<u32>,
    /// Those that are still to be tried, the longest last.
    waiting: Vec<Gap>,
}

/// What is left out together: two stretches, the second of which is empty in a loop.
#[derive(Clone, Debug)]
struct Gap(Range<usize>, Range<usize>);

impl Gap {
    fn len(&self) -> usize {
        self.0.len() + self.1.len()
    }

    /// A list without what is left out.
    fn without<T: Copy>(&self, list: &[T]) -> Vec<T> {
        [&list[..self.0.start], &list[self.0.end..self.1.start], &list[self.1.end..]].concat()
    }
}

/// A 1-minimal trace has mostly no loop that can go.
const ODDS: f64 = 0.2;
/// So many loops are tried at the most.
const MOST: usize = 64;

impl Loops {
    /// Starts with the original and the states of its replay.
    pub fn new(original: &Original) -> Self {
        Self::over(&original.arena, original.events.clone(), original.labels_before())
    }

    /// Starts with a list and the state before each of its events.
    pub fn over(arena: &Arena, events: Vec<EventIx>, labels: Vec<StateLabel>) -> Self {
        let contents = events.iter().map(|&ix| arena.content(ix)).collect();
        Self::of(events, labels, contents)
    }

    fn of(events: Vec<EventIx>, labels: Vec<StateLabel>, contents: Vec<u32>) -> Self {
        let stays = |at: usize| labels[at] == labels[at + 1];
        let mut waiting = Vec::new();
        for start in 0..events.len() {
            for end in start + 2..events.len() {
                if labels[start] == labels[end] {
                    waiting.push(Gap(start..end, end..end));
                }
                // Two neighbours are a loop.
                let pair = end + 1 < events.len() && contents[start] == contents[end];
                if pair && stays(start) && stays(end) {
                    waiting.push(Gap(start..start + 1, end..end + 1));
                }
            }
        }
        waiting.sort_by_key(|gap| (gap.1.is_empty(), gap.len()));
        let surplus = waiting.len().saturating_sub(MOST);
        waiting.drain(..surplus);
        Self { events, labels, contents, waiting }
    }
}

impl Search for Loops {
    fn question(&mut self) -> Option<Question> {
        let gap = self.waiting.last()?;
        Some(Question::goal(gap.without(&self.events), ODDS))
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let Some(gap) = self.waiting.pop() else { return };
        if let Some(ran) = answer.hit(question) {
            let (mut labels, mut contents) = (gap.without(&self.labels), gap.without(&self.contents));
            labels.truncate(ran);
            contents.truncate(ran);
            *self = Self::of(question.events[..ran].to_vec(), labels, contents);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;

    fn loops(labels: &str) -> Loops {
        let labels: Vec<_> = labels.bytes().map(|label| StateLabel(u64::from(label))).collect();
        let events: Vec<EventIx> = (0..labels.len() as EventIx).collect();
        Loops::of(events.clone(), labels, events)
    }

    #[test]
    fn two_equal_events_that_lead_nowhere_go_together_whatever_is_between_them() {
        // A turn of the screen, a swipe, and the turn back.
        let labels = vec![StateLabel(1); 5];
        let turned = Loops::of(vec![0, 1, 2, 3, 4], labels, vec![7, 8, 7, 9, 6]);
        let asked = questions(turned, |events| events == [1, 3, 4]);
        assert!(asked.contains(&vec![1, 3, 4]), "{asked:?}");
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
