//! Several devices at work at once, each for a session of its own. One that fails is put into quarantine and returns; one
//! that fails again and again is retired.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::task::JoinSet;

use super::{AnyDevice, Device, DeviceError, Observation, Reset};
use crate::action::Event;
use crate::ids::SessionId;

/// A device that failed this often in a row is retired.
const MAX_STRIKES: u32 = 5;
/// How long the first quarantine lasts; each further one in a row is twice as long.
const FIRST_QUARANTINE: Duration = Duration::from_millis(200);
/// A device that does not come to its end within this time is left behind.
pub const CLOSE: Duration = Duration::from_secs(15);
/// How long is waited for one that has not answered for a while.
pub const HURRY: Duration = Duration::from_millis(100);

/// What a device is to do.
#[derive(Clone, Debug)]
pub enum Job {
    /// One event.
    Step(Event),
    /// Back to a start.
    Reset(Reset),
}

/// What a device came to.
#[derive(Debug)]
pub enum News {
    /// It saw this.
    Seen(SessionId, Observation),
    /// It failed and is in quarantine.
    Quarantined(SessionId, DeviceError),
    /// It failed too often and will not return.
    Retired(SessionId, DeviceError),
    /// It is back from quarantine.
    Back(SessionId),
}

/// A device that is free again, and what it saw; nothing, if it comes from quarantine.
type Done = (SessionId, AnyDevice, Option<Result<Observation, DeviceError>>);

/// The devices.
#[derive(Debug, Default)]
pub struct Pool {
    idle: BTreeMap<SessionId, AnyDevice>,
    working: JoinSet<Done>,
    strikes: BTreeMap<SessionId, u32>,
    count: usize,
}

impl Pool {
    /// A pool of these devices; the first has session 0.
    pub fn new(devices: Vec<AnyDevice>) -> Self {
        let count = devices.len();
        let idle = (0..).map(SessionId).zip(devices).collect();
        Self { idle, count, ..Self::default() }
    }

    /// The sessions whose devices have nothing to do.
    pub fn idle(&self) -> Vec<SessionId> {
        self.idle.keys().copied().collect()
    }

    /// Gives work to an idle device.
    pub fn give(&mut self, session: SessionId, job: Job) {
        let Some(mut device) = self.idle.remove(&session) else { return };
        self.working.spawn(async move {
            let seen = match job {
                Job::Step(event) => device.step(&event).await,
                Job::Reset(to) => device.reset(to).await,
            };
            (session, device, Some(seen))
        });
    }

    /// Waits for the next device. `None` when there is none at work and none in quarantine.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            // A task that panicked has taken its device with it.
            let Ok((session, device, seen)) = self.working.join_next().await? else { continue };
            match seen {
                None => {
                    self.idle.insert(session, device);
                    return Some(News::Back(session));
                }
                Some(Ok(seen)) => {
                    self.strikes.remove(&session);
                    self.idle.insert(session, device);
                    return Some(News::Seen(session, seen));
                }
                Some(Err(error)) => return Some(self.strike(session, device, error)),
            }
        }
    }

    fn strike(&mut self, session: SessionId, device: AnyDevice, error: DeviceError) -> News {
        let strikes = self.strikes.entry(session).or_default();
        *strikes += 1;
        if *strikes >= MAX_STRIKES {
            return News::Retired(session, error);
        }
        let quarantine = FIRST_QUARANTINE * 2_u32.pow(*strikes - 1);
        self.working.spawn(async move {
            tokio::time::sleep(quarantine).await;
            (session, device, None)
        });
        News::Quarantined(session, error)
    }

    /// The last thing that each device did was to fail.
    pub fn is_away(&self) -> bool {
        self.count > 0 && self.strikes.len() == self.count
    }

    /// Ends all devices; what is under way is let finish, if it does so in time.
    pub async fn close(mut self, wait: Duration) -> Vec<DeviceError> {
        let mut troubles = Vec::new();
        let end = async {
            while let Some(done) = self.working.join_next().await {
                if let Ok((session, device, _)) = done {
                    self.idle.insert(session, device);
                }
            }
        };
        let _ = tokio::time::timeout(wait, end).await;
        self.working.shutdown().await;
        let mut closing = JoinSet::new();
        for device in self.idle.into_values() {
            closing.spawn(device.close());
        }
        while let Some(closed) = closing.join_next().await {
            troubles.extend(closed.ok().and_then(Result::err));
        }
        troubles
    }
}
