//! One device's way through the shared model.

use rand::RngExt;

use super::text::TextSource;
use crate::ids::SessionId;
use crate::seed::{Rng, Seed};

/// One device's way through the shared model: where it is, what it plans, and its own generators.
///
/// Each purpose has a generator of its own: drawing one more text must not change which widget is tapped later.
#[derive(Debug)]
pub struct Session {
    /// Which session it is.
    pub id: SessionId,
    /// For choosing among actions.
    pub choice: Rng,
    /// For deciding when to restart, and how.
    pub restart: Rng,
    /// For deciding about bursts and waits.
    pub pace: Rng,
    /// Texts for fields.
    pub text: TextSource,
    /// Steps since the app was last put back to a start.
    pub since_reset: u32,
    /// After this many steps the next restart is due.
    pub restart_after: u32,
    /// How many of the next events come before the app has settled.
    pub burst_left: u32,
}

/// A restart comes after a number of steps drawn from this range (APE, explorers.md 1.8).
const RESTART_STEPS: std::ops::RangeInclusive<u32> = 100..=300;

impl Session {
    /// A session with generators of its own.
    pub fn new(id: SessionId, seed: Seed) -> Self {
        let seed = seed.named("session").nth(u64::from(id.0));
        let mut restart = seed.named("restart").rng();
        Self {
            id,
            choice: seed.named("choice").rng(),
            pace: seed.named("pace").rng(),
            text: TextSource::new(seed.named("text").rng()),
            since_reset: 0,
            restart_after: restart.random_range(RESTART_STEPS),
            restart,
            burst_left: 0,
        }
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self) {
        self.since_reset = 0;
        self.restart_after = self.restart.random_range(RESTART_STEPS);
    }

    /// One of a list, all equally likely; none of an empty one.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        (!list.is_empty()).then(|| &list[self.choice.random_range(0..list.len())])
    }
}
