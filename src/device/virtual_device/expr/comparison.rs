//! How two values are compared, in guards and in what is asked about them.

use std::cmp::Ordering;

/// One of the six signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// The signs, the longer ones first: `<=` begins like `<`.
    pub(in super::super) const SIGNS: [(&'static str, Self); 6] = [
        ("==", Self::Eq),
        ("!=", Self::Ne),
        ("<=", Self::Le),
        (">=", Self::Ge),
        ("<", Self::Lt),
        (">", Self::Gt),
    ];

    pub(in super::super) fn of_sign(sign: &str) -> Option<Self> {
        Self::SIGNS.into_iter().find(|(known, _)| *known == sign).map(|(_, comparison)| comparison)
    }

    pub(in super::super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Eq => ordering.is_eq(),
            Self::Ne => ordering.is_ne(),
            Self::Lt => ordering.is_lt(),
            Self::Le => ordering.is_le(),
            Self::Gt => ordering.is_gt(),
            Self::Ge => ordering.is_ge(),
        }
    }
}
