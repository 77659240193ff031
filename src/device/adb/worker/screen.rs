//! Reading the screen, also of an app that hangs, and waking it.

use std::time::Duration;

use tokio::time::Instant;

use super::Worker;
use crate::device::DeviceError;
use crate::device::agent::answer::code;
use crate::device::agent::request::{Look, Pace, Primitive, Request};
use crate::device::agent::{AgentError, Answer, Sight};

/// How often a screen without any window is asked for again.
const ROOT_TRIES: u32 = 3;
/// A key that means nothing to any app.
const NO_KEY: u32 = 0;
/// What the system gives an app before it says that it hangs, twice: for a key down and up.
const KEY_DEADLINE: Duration = Duration::from_secs(15);
/// Asked for its tree, an app that hangs has 5 s to answer.
const LOOK_DEADLINE: Duration = Duration::from_secs(8);
/// SCREEN: wake it and take an insecure lock away.
const WAKE: u64 = 1 | 2;
/// The screen is locked.
const LOCKED: u64 = 2;

impl Worker {
    /// Reads the whole tree, so that its number is known, too.
    pub(super) async fn read_tree(&mut self) -> Result<(), DeviceError> {
        self.read_tree_after(None).await
    }

    /// Reads the tree after a request that was refused like this. An app that hangs is waited for: either it answers
    /// again, or the system kills it and says why, and then there is another screen.
    pub(super) async fn read_tree_after(&mut self, refused: Option<&AgentError>) -> Result<(), DeviceError> {
        let mut until = None;
        if refused.is_some_and(is_hang) {
            until = Some(self.provoke().await?);
        }
        let mut tries = 0;
        loop {
            let deadline =
                self.config.timing.deadline.max(if until.is_some() { LOOK_DEADLINE } else { Duration::ZERO });
            let error = match self.called(&Request::Tree { known: 0 }, deadline).await? {
                Ok(Answer::Tree { hash, tree, .. }) => {
                    let sight = Sight::read(&tree, hash, &mut self.pool).map_err(AgentError::from)?;
                    self.sight = Some(sight);
                    return Ok(());
                }
                Ok(_) => return Err(DeviceError::Protocol("no tree in the answer".into())),
                Err(error) => error,
            };
            tries += 1;
            let over = match until {
                Some(until) => Instant::now() >= until,
                None if is_hang(&error) => {
                    until = Some(self.provoke().await?);
                    false
                }
                None => tries >= ROOT_TRIES,
            };
            let error = self.agent_error(error);
            if over || !matches!(error, DeviceError::Transient(_)) {
                return Err(error);
            }
        }
    }

    /// The system calls it a hang only if an event waits for an app in vain. A tap that the app took before it began to
    /// hang is none, so a key is sent that means nothing. Until when its report is to be waited for.
    async fn provoke(&mut self) -> Result<Instant, DeviceError> {
        let step = self.number()?;
        let look = Look { pace: Pace::BURST, want: 0, known: 0 };
        let primitives = vec![Primitive::Key { code: NO_KEY, meta: 0 }];
        let key = Request::Step { step, primitives, look };
        let deadline = self.config.timing.deadline.max(KEY_DEADLINE);
        // Whether anybody took it is not known before it is over.
        if let Err(error) = self.called(&key, deadline).await? {
            tracing::debug!("{}: {error}", self.serial);
        }
        Ok(Instant::now() + self.config.hang)
    }

    /// Wakes the phone. Behind a lock with a secret nothing can be tested.
    pub(super) async fn wake(&mut self) -> Result<(), DeviceError> {
        match self.call(&Request::Screen(WAKE)).await {
            Ok(Answer::Screen { is, .. }) if is & LOCKED != 0 => {
                Err(DeviceError::App(format!("the screen of {} is locked", self.serial)))
            }
            Err(error @ (DeviceError::Gone(_) | DeviceError::AgentDied(_))) => Err(error),
            // What a phone does not let the shell do, its user has done.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// The app, or whoever draws the screen, did not answer in time.
fn is_hang(error: &AgentError) -> bool {
    error.is_refusal(code::HUNG) || error.is_refusal(code::TIMEOUT)
}
