//! Foretelling runs: a candidate whose known steps cannot lead to the failing state needs no device.

use std::collections::BTreeSet;

use super::arena::EventIx;
use super::engine::Original;
use super::path_model::{KeyIx, PathModel};
use super::search::{Effect, Outcome};
use crate::trace::event_tree::StateLabel;

/// Whether candidates are skipped whose failing to reproduce is foretold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Foretell {
    /// Every candidate is run.
    #[default]
    Nothing,
    /// Skips what is certain by all steps seen so far, but for a sample. The one-by-one pass is always run.
    Certain,
}

/// Foretells by the steps seen so far that a list of events never does the failing event in the failing state.
///
/// A wrong prophecy can only cost length, never soundness: the result is run, and so is its one-by-one pass. One wrong
/// prophecy in the sample ends all foretelling.
#[derive(Clone, Debug)]
pub struct Prophet {
    model: PathModel,
    key_of: Vec<KeyIx>,
    start: StateLabel,
    /// What was done when it failed, and in which state: another window over the page is another state.
    failing: BTreeSet<(StateLabel, KeyIx)>,
    trusted: bool,
}

/// A step seen less often is not certain.
const LEAST_SEEN: u32 = 2;
/// Of so many skips one is run all the same.
const SAMPLE: u64 = 8;
/// Longer lists are not foretold: it would take longer than the gain is worth.
const LONGEST: usize = 512;

impl Prophet {
    /// Knows the original's steps.
    pub fn new(original: &Original) -> Self {
        let mut model = PathModel::new();
        let arena = &original.arena;
        let key_of: Vec<KeyIx> =
            (0..arena.len() as EventIx).map(|event| model.key(arena.event(event))).collect();
        let start = original.seen.labels.first().copied().unwrap_or_default();
        let mut prophet = Self { model, key_of, start, failing: BTreeSet::new(), trusted: true };
        prophet.learn(&original.events, &original.seen);
        prophet
    }

    /// Learns what a run showed.
    pub fn learn(&mut self, events: &[EventIx], seen: &Outcome) {
        let steps = if seen.reproduced { seen.ran.saturating_sub(1) } else { seen.ran };
        if let (true, Some(&event), Some(&state)) =
            (seen.reproduced, events.get(steps), seen.labels.get(steps))
        {
            self.failing.insert((state, self.key_of[event as usize]));
        }
        for (at, &event) in events.iter().enumerate().take(steps) {
            if let (Some(&from), Some(&to)) = (seen.labels.get(at), seen.labels.get(at + 1)) {
                let effect = seen.effects.get(at).copied().unwrap_or(Effect::Unknown);
                self.model.learn(from, self.key_of[event as usize], to, effect);
            }
        }
    }

    /// It is certain that these events do not reproduce.
    pub fn foretells_no(&self, events: &[EventIx]) -> bool {
        if !self.trusted || events.len() > LONGEST {
            return false;
        }
        let mut state = self.start;
        for &event in events {
            let key = self.key_of[event as usize];
            if self.failing.contains(&(state, key)) {
                return false;
            }
            match self.model.certain(state, key, LEAST_SEEN) {
                Some(next) => state = next,
                None => return false,
            }
        }
        true
    }

    /// A list that would be skipped is run all the same.
    pub fn samples(content: u64) -> bool {
        content.is_multiple_of(SAMPLE)
    }

    /// A prophecy was wrong.
    pub fn distrust(&mut self) {
        self.trusted = false;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::action::{Input, Wait};
    use crate::gui::Point;
    use crate::trace::TraceEvent;

    #[test]
    fn where_a_run_has_failed_nothing_is_foretold_although_it_did_not_fail_there_before() {
        let mut model = PathModel::new();
        let tap = |x| {
            let input = Input::Tap(Point { x, y: 0 });
            Arc::new(TraceEvent {
                input,
                wait: Wait::Settle,
                target: None,
                before: None,
                after: None,
                rules: None,
            })
        };
        let key_of = vec![model.key(&tap(1)), model.key(&tap(2))];
        // The original failed with a message over the page.
        let (page, with_message) = (StateLabel(1), StateLabel(2));
        let failing = BTreeSet::from([(with_message, key_of[1])]);
        let mut prophet = Prophet { model, key_of, start: StateLabel(0), failing, trusted: true };
        let run = |reproduced, labels: &[u64]| Outcome {
            reproduced,
            ran: 2,
            labels: labels.iter().copied().map(StateLabel).collect(),
            effects: vec![Effect::Some; 2],
            trees: Vec::new(),
        };
        for _ in 0..LEAST_SEEN {
            prophet.learn(&[0, 1], &run(false, &[0, page.0, page.0]));
        }
        assert!(prophet.foretells_no(&[0, 1]));
        prophet.learn(&[0, 0, 1], &Outcome { ran: 3, ..run(true, &[0, page.0, page.0, 7]) });
        assert!(!prophet.foretells_no(&[0, 1]));
    }
}
