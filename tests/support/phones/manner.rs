//! How a scripted agent behaves, and what goes wrong with it.

use std::time::Duration;

/// What goes wrong, once, at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection is cut within the frame of the answer.
    CutMidFrame,
    /// The connection is cut before the step is done.
    CutBefore,
    /// Nothing is answered; the connection stays.
    Silent,
    /// The agent's process dies: nothing is kept.
    Die,
    /// Bytes that are no frame.
    Garbage,
    /// The header of a frame of 100 MB.
    HugeHeader,
    /// The agent refuses.
    Refuse(u64, String),
    /// The step is done only after this time.
    Stall(Duration),
    /// What the step brings is told, and then the process dies before the answer.
    TellAndDie,
    /// The app hangs after the step: it is not seen again before a key has waited for it in vain. Then the system says so
    /// and kills it, or it was only slow.
    Hang { is_killed: bool },
}

/// How an agent behaves.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
pub struct Manner {
    /// What a settled step takes of real time.
    pub settle: Duration,
    pub version: (u64, u64),
    /// It knows another token than it was given.
    pub forgets_token: bool,
    /// The system does not start the app.
    pub cannot_start: bool,
    /// It answers no step and no reset.
    pub mute: bool,
    /// The screen is locked.
    pub locked: bool,
    /// So many times it refuses its configuration.
    pub refuses_config: u32,
    /// No window takes any input.
    pub takes_no_input: bool,
    /// What it cannot put back at the end.
    pub leaves: Option<String>,
    /// So often the system does not kill the app in the background.
    pub clings: u32,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            settle: Duration::ZERO,
            version: (1, 0),
            forgets_token: false,
            cannot_start: false,
            mute: false,
            locked: false,
            refuses_config: 0,
            takes_no_input: false,
            leaves: None,
            clings: 0,
        }
    }
}

/// What happens instead of an answer.
pub enum Before {
    Nothing,
    End,
    Kill,
    Silence,
    Send(Vec<u8>),
}

pub fn stream_of(fault: Option<&Fault>) -> Before {
    match fault {
        Some(Fault::CutBefore) => Before::End,
        Some(Fault::Die) => Before::Kill,
        Some(Fault::Silent) => Before::Silence,
        Some(Fault::Garbage) => Before::Send((0..64).map(|at| 0xA5 ^ (at as u8).wrapping_mul(37)).collect()),
        Some(Fault::HugeHeader) => {
            let mut bytes = 100_000_000_u32.to_be_bytes().to_vec();
            bytes.extend([2, 8, 0, 0, 0, 0, 0, 1]);
            Before::Send(bytes)
        }
        _ => Before::Nothing,
    }
}
