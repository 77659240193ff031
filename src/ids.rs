//! Newtypes for everything that is counted.
//!
//! Ids only grow and never come back: an id in a log means the same thing for ever.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// The id that follows this one.
            #[must_use]
            pub fn next(self) -> Self {
                Self(self.0 + 1)
            }

            /// The id as an index into a table that grows with it.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id! {
    /// One step of a run: one event and what it did. Counted from 1 over all sessions, in the order of the spine.
    StepId(u64), "step "
}
id! {
    /// One device's way through the shared model.
    SessionId(u32), "session "
}
id! {
    /// An abstract state of the model.
    StateId(u32), "s"
}
id! {
    /// A model action of a state.
    ActionId(u32), "a"
}
id! {
    /// A transition of the model.
    TransitionId(u32), "t"
}
id! {
    /// One attempt of a shrinker.
    CandidateId(u64), "candidate "
}
id! {
    /// A rule of an app model, or a probe of a real app: the unit of branch coverage.
    BranchId(u32), "branch "
}

/// The content hash of a GUI tree. Equal hashes stand for equal trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TreeHash(pub u64);

impl TreeHash {
    /// Stands where a foreign trace does not say what was on the screen. It equals no tree's hash.
    pub const ABSENT: Self = Self(0);

    /// What was on the screen is not known.
    pub fn is_absent(self) -> bool {
        self == Self::ABSENT
    }
}

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for TreeHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TreeHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map(Self)
            .map_err(|_| serde::de::Error::custom(format!("`{text}` is not a tree hash of 16 hex digits")))
    }
}
