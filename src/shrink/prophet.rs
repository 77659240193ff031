//! Foretelling runs: a candidate whose known steps cannot lead to the failing state needs no device.

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
    failing: (StateLabel, KeyIx),
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
        let before_last = original.labels_before().last().copied().unwrap_or_default();
        let last = original.events.last().map_or(KeyIx::default(), |&event| key_of[event as usize]);
        let start = original.seen.labels.first().copied().unwrap_or_default();
        let mut prophet = Self { model, key_of, start, failing: (before_last, last), trusted: true };
        prophet.learn(&original.events, &original.seen);
        prophet
    }

    /// Learns what a run showed.
    pub fn learn(&mut self, events: &[EventIx], seen: &Outcome) {
        let steps = if seen.reproduced { seen.ran.saturating_sub(1) } else { seen.ran };
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
            if (state, key) == self.failing {
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
