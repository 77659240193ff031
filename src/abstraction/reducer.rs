//! Reducers: which attributes of an attribute path are kept.

use std::fmt;
use std::str::FromStr;

use bitflags::bitflags;

bitflags! {
    /// Drops attributes from an attribute path (APE III-B): a set of primitive reducers. The empty set keeps nothing;
    /// two reducers are joined by uniting their sets, and the finer of two is the larger set.
    ///
    /// The primitives stand in the order in which ties between refinements are broken.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Reducer: u8 {
        /// `Rc`: the widget's type, which is its class and its resource id.
        const CLASS = 1 << 0;
        /// `Ri`: the widget's index among its siblings.
        const INDEX = 1 << 1;
        /// `Rp`: the parent's whole name comes before the widget's own part.
        const PARENT = 1 << 2;
        /// `Rt`: the widget's appearance, which is its text and its description.
        const TEXT = 1 << 3;
        /// The own parts of all ancestors up to the root. Not in the paper; the released APE has it.
        const ANCESTOR = 1 << 4;
        /// The widget's appearance without its numbers, so that a counter or a date makes no other widget. Not in the paper;
        /// the text itself is finer.
        const WORDS = 1 << 5;
    }
}

const LETTERS: [(Reducer, char); 6] = [
    (Reducer::CLASS, 'c'),
    (Reducer::INDEX, 'i'),
    (Reducer::PARENT, 'p'),
    (Reducer::TEXT, 't'),
    (Reducer::ANCESTOR, 'a'),
    (Reducer::WORDS, 'w'),
];

impl Reducer {
    /// The paper's four primitives: their sets are the lattice of 16.
    pub const PAPER: Self = Self::CLASS.union(Self::INDEX).union(Self::PARENT).union(Self::TEXT);

    /// `R ⋈ R'`: the element-wise union of what both keep, aligned at the end of the path.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self | other
    }

    /// It keeps everything that the other keeps, and more.
    pub fn is_finer_than(self, other: Self) -> bool {
        self != other && self.spelled_out().contains(other)
    }

    /// It keeps nothing that the other drops.
    pub fn is_at_most(self, other: Self) -> bool {
        other.spelled_out().contains(self)
    }

    /// With what it keeps by keeping something finer.
    fn spelled_out(self) -> Self {
        if self.contains(Self::TEXT) { self | Self::WORDS } else { self }
    }

    /// How many primitives it has.
    pub fn size(self) -> u32 {
        self.bits().count_ones()
    }

    /// All reducers over some primitives, coarsest first, in the order in which ties are broken.
    pub fn lattice(primitives: Self) -> Vec<Self> {
        let mut all: Vec<Self> =
            (0..64).map(Self::from_bits_retain).filter(|reducer| primitives.contains(*reducer)).collect();
        all.sort_by_key(|reducer| reducer.rank());
        all
    }

    /// The order of reducers where nothing else decides.
    pub fn rank(self) -> (u32, u8) {
        (self.size(), self.bits())
    }

    /// The order that the released APE has: by size, then by the sum of the places of class, index, parent, text and ancestors.
    /// What is equal by that it leaves to chance; here it is as in [`Reducer::rank`].
    pub fn released_rank(self) -> (u32, u32, u8) {
        const PLACES: [Reducer; 5] =
            [Reducer::CLASS, Reducer::INDEX, Reducer::PARENT, Reducer::TEXT, Reducer::ANCESTOR];
        let places = PLACES.into_iter().zip(0..);
        let sum = places.filter(|(primitive, _)| self.contains(*primitive)).map(|(_, place)| place).sum();
        (self.size(), sum, self.bits())
    }
}

impl fmt::Display for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        let mut join = "";
        for (primitive, letter) in LETTERS {
            if self.contains(primitive) {
                write!(f, "{join}{letter}")?;
                join = "+";
            }
        }
        Ok(())
    }
}

impl FromStr for Reducer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self::empty());
        }
        let mut reducer = Self::empty();
        for part in text.split('+').map(str::trim) {
            let known = LETTERS.iter().find(|(_, letter)| part.len() == 1 && part.starts_with(*letter));
            let Some((primitive, _)) = known else {
                return Err(format!(
                    "`{part}` is no reducer; join `c` (class), `i` (index), `p` (parent), `t` (text), `w` (text without \
                     numbers) and `a` (ancestors) by `+`, or write `none`"
                ));
            };
            reducer |= *primitive;
        }
        Ok(reducer)
    }
}

impl serde::Serialize for Reducer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Reducer {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_reducer() -> impl proptest::strategy::Strategy<Value = Reducer> {
        (0..32u8).prop_map(Reducer::from_bits_retain)
    }

    #[test]
    fn the_papers_primitives_make_a_lattice_of_sixteen() {
        let all = Reducer::lattice(Reducer::PAPER);
        assert_eq!(all.len(), 16);
        let words: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(words[..6], ["none", "c", "i", "p", "t", "c+i"]);
        assert_eq!(Reducer::lattice(Reducer::PAPER | Reducer::ANCESTOR).len(), 32);
    }

    #[test]
    fn the_release_puts_the_ancestors_of_a_class_before_the_text_of_a_parent() {
        let [one, other] = [Reducer::CLASS | Reducer::ANCESTOR, Reducer::PARENT | Reducer::TEXT];
        assert!(one.released_rank() < other.released_rank() && other.rank() < one.rank());
        let released = Reducer::CLASS | Reducer::INDEX | Reducer::ANCESTOR;
        assert!(
            released.released_rank() < (Reducer::INDEX | Reducer::PARENT | Reducer::TEXT).released_rank()
        );
    }

    proptest! {
        #[test]
        fn join_is_commutative_associative_and_idempotent(
            a in any_reducer(), b in any_reducer(), c in any_reducer()
        ) {
            prop_assert_eq!(a.join(b), b.join(a));
            prop_assert_eq!(a.join(b).join(c), a.join(b.join(c)));
            prop_assert_eq!(a.join(a), a);
            prop_assert_eq!(a.join(Reducer::empty()), a);
            prop_assert!(a.is_at_most(a.join(b)));
        }

        #[test]
        fn a_reducer_reads_what_it_writes(a in any_reducer()) {
            prop_assert_eq!(a.to_string().parse::<Reducer>(), Ok(a));
        }
    }
}
