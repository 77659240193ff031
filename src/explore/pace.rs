//! When to look at an app that has not settled: the way to find races.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::action::Wait;
use crate::strategy::Session;

/// How many events come in bursts, before the app has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pace {
    /// How many events in a thousand begin a burst.
    pub burst_permille: u32,
    /// How many events of a burst come before the app has settled, at most.
    pub burst_len: u32,
    /// The longest pause inside a burst, in milliseconds of device time.
    pub burst_ms: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { burst_permille: 30, burst_len: 3, burst_ms: 200 }
    }
}

impl Pace {
    /// Every event waits until the app has settled.
    pub const SETTLE: Self = Self { burst_permille: 0, burst_len: 0, burst_ms: 0 };
    /// No event waits.
    pub const BURST: Self = Self { burst_permille: 1000, burst_len: 1, burst_ms: 200 };

    /// How long to wait after the next event.
    pub fn draw(self, session: &mut Session) -> Wait {
        if self.burst_permille == 0 {
            return Wait::Settle;
        }
        if session.burst_left == 0 && session.pace.random_range(0..1000) < self.burst_permille {
            session.burst_left = session.pace.random_range(1..=self.burst_len.max(1));
        }
        if session.burst_left == 0 {
            return Wait::Settle;
        }
        session.burst_left -= 1;
        Wait::Millis(session.pace.random_range(20..=self.burst_ms.max(20)))
    }
}
