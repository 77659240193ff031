//! Failures: crashes, ANRs, exits, and the signature under which two of them are the same bug.
//!
//! What a device says of a failure is text: [`logcat`], [`anr`], [`tombstone`] and [`monkey`] read it into [`Report`]s, and
//! [`Witnesses`] finds out which reports speak of the same failure.

pub mod anr;
pub mod logcat;
pub mod monkey;
pub mod report;
pub mod signature;
pub mod stack;
pub mod tombstone;
pub mod witness;

use serde::{Deserialize, Serialize};

pub use report::{App, Issue, Parsed, Refusal, Refused, Report, Reporter};
pub use signature::{Lines, Signature};
pub use witness::{Case, Told, Witness, Witnesses};

/// Something that must not happen, as the device saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// The package whose process failed.
    pub package: String,
    /// The exceptions, outermost first and then each cause; empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<Throwable>,
    /// What a person is told in one line: a message, a signal, a reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// An uncaught exception.
    Java,
    /// A signal in native code.
    Native,
    /// The app did not respond in time.
    Anr,
    /// The process ended itself.
    Exit,
    /// The app's own handler caught the exception and shows an error screen.
    Swallowed,
}

/// One exception of a chain of causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throwable {
    /// The class, such as `java.lang.IllegalStateException`.
    pub class: String,
    /// The message: data of the user and the device, so it is never part of a signature.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The frames, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
}

/// One line of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The class, or the library of a native frame.
    pub class: String,
    /// The method, or the native symbol.
    pub method: String,
    /// The source file, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl FailureKind {
    /// The word used in tables and signatures.
    pub fn word(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Native => "native",
            Self::Anr => "anr",
            Self::Exit => "exit",
            Self::Swallowed => "swallowed",
        }
    }
}

impl Failure {
    /// Where the app's code failed, as short as people say it: `HomeScreenActivity$3:285`.
    pub fn place(&self) -> Option<String> {
        let frame = signature::innermost(self)?;
        let class = frame.class.rsplit('.').next().unwrap_or(&frame.class);
        Some(match frame.line {
            Some(line) => format!("{class}:{line}"),
            None => format!("{class}.{}", frame.method),
        })
    }

    /// The failure in one line, for tables and logs.
    pub fn headline(&self) -> String {
        match self.chain.last() {
            Some(cause) if cause.message.is_empty() => cause.class.clone(),
            Some(cause) => format!("{}: {}", cause.class, cause.message),
            None if self.message.is_empty() => self.kind.word().to_owned(),
            None => self.message.clone(),
        }
    }
}
