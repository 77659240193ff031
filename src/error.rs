//! How a command ends.

use std::process::{ExitCode, Termination};

/// The exit codes, the same for all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Nothing was found, or all was as recorded.
    Clean = 0,
    /// Failures were found (`explore`) or reproduced (`replay`, `shrink`).
    Found = 1,
    /// The command or its input was wrong.
    Usage = 2,
    /// There is no device, or it was lost.
    Device = 3,
    /// The failure did not reproduce, or a trace without one went another way.
    NotReproduced = 4,
    /// A fault of siamang itself.
    Internal = 70,
    /// Interrupted; what was found is kept.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

/// An error that ends a command with a certain exit code.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// The exit code.
    pub exit: Exit,
    /// What was wrong, where, and what to do next.
    pub message: String,
}

impl CommandError {
    /// Wrong input.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }
}
