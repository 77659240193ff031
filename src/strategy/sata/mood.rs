//! Swarm testing (Groce et al., ISSTA 2012): leaving some things out, and doing some far more often than others, finds
//! what an even choice of everything does not.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::sight::Offer;
use crate::seed::Rng;

/// How much more or less than usual each thing is done for a while. It is a pure function of the thing, so that a mood
/// costs nothing to remember and holds for screens that are seen later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mood(u64);

/// The numbers of moods: how many of a hundred things are done how often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MoodConfig {
    /// How many of a hundred widgets' actions are left out.
    pub out: u32,
    /// How many are done more often.
    pub often: u32,
    /// How many are done far more often.
    pub most: u32,
    /// How many of a hundred of the phone's actions are left out.
    pub phone_out: u32,
    /// What is usual weighs this much.
    pub usual_weight: u32,
    /// What is done more often weighs this much.
    pub often_weight: u32,
    /// What is done far more often weighs this much.
    pub most_weight: u32,
    /// What is done far more often is done at most so many times in one pass.
    pub most_times: u32,
}

impl Default for MoodConfig {
    fn default() -> Self {
        Self {
            out: 12,
            often: 18,
            most: 6,
            phone_out: 70,
            usual_weight: 2,
            often_weight: 6,
            most_weight: 16,
            most_times: 4,
        }
    }
}

impl Mood {
    /// Draws a mood.
    pub fn draw(rng: &mut Rng) -> Self {
        Self(rng.random())
    }

    /// How often an action is chosen in this mood; 0 leaves it out.
    pub fn weight(self, config: &MoodConfig, offer: &Offer) -> u32 {
        match self.liking(config, offer) {
            Liking::Out => 0,
            Liking::Usual => config.usual_weight,
            Liking::Often => config.often_weight,
            Liking::Most => config.most_weight,
        }
    }

    /// How often an action is done in one pass over a page.
    pub fn times(self, config: &MoodConfig, offer: &Offer) -> u32 {
        match self.liking(config, offer) {
            Liking::Most if offer.kind.needs_widget() => config.most_times,
            _ => 1,
        }
    }

    fn liking(self, config: &MoodConfig, offer: &Offer) -> Liking {
        let drawn = (xxh3_64_with_seed(&offer.mark.to_le_bytes(), self.0) % 100) as u32;
        let out = if offer.kind.needs_widget() { config.out } else { config.phone_out };
        let from_top = 100 - drawn;
        if drawn < out {
            Liking::Out
        } else if from_top <= config.most {
            Liking::Most
        } else if from_top <= config.most + config.often {
            Liking::Often
        } else {
            Liking::Usual
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Liking {
    Out,
    Usual,
    Often,
    Most,
}
