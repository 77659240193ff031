//! What a trace covers (DetReduce 2.1): branches, screens, failures, and actions where there are no branches.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::EventIx;
use crate::abstraction::StateKey;
use crate::ids::BranchId;
use crate::oracle::Signature;

/// One thing that a suite must keep.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A branch of the app was executed.
    Branch(BranchId),
    /// An abstract state was reached.
    Screen(StateKey),
    /// An event was done in a state: stands in for branches where the device cannot tell them.
    Action(StateKey, EventIx),
    /// The app failed.
    Failure(Signature),
}

/// The number of an [`Item`].
pub type ItemIx = u32;

/// All items ever seen, each with its number.
#[derive(Clone, Debug, Default)]
pub struct Items {
    known: IndexSet<Item, FxBuildHasher>,
}

impl Items {
    /// The number of an item.
    pub fn number(&mut self, item: Item) -> ItemIx {
        self.known.insert_full(item).0 as ItemIx
    }

    /// The item with a number.
    pub fn get(&self, number: ItemIx) -> Option<&Item> {
        self.known.get_index(number as usize)
    }
}

/// A set of items.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ItemSet {
    words: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl ItemSet {
    /// Puts an item in; true if it is new.
    pub fn insert(&mut self, item: ItemIx) -> bool {
        let (word, bit) = (item as usize / BITS, 1 << (item as usize % BITS));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes an item out.
    pub fn remove(&mut self, item: ItemIx) {
        if let Some(word) = self.words.get_mut(item as usize / BITS) {
            *word &= !(1 << (item as usize % BITS));
        }
    }

    /// An item is in it.
    pub fn contains(&self, item: ItemIx) -> bool {
        self.words.get(item as usize / BITS).is_some_and(|word| word >> (item as usize % BITS) & 1 == 1)
    }

    /// Everything of the other is in it.
    pub fn covers(&self, other: &Self) -> bool {
        let own = self.words.iter().copied().chain(std::iter::repeat(0));
        other.words.iter().zip(own).all(|(other, own)| other & !own == 0)
    }

    /// Everything of the last is in it or in the other.
    pub fn covers_with(&self, other: &Self, all: &Self) -> bool {
        let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or_default();
        let missing = |(at, all): (usize, &u64)| all & !(word(&self.words, at) | word(&other.words, at));
        all.words.iter().enumerate().map(missing).all(|missing| missing == 0)
    }

    /// Puts everything of the other in.
    pub fn add(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (own, other) in self.words.iter_mut().zip(&other.words) {
            *own |= other;
        }
    }

    /// What is in it and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let other = other.words.iter().copied().chain(std::iter::repeat(0));
        Self { words: self.words.iter().zip(other).map(|(own, other)| own & !other).collect() }
    }

    /// How many items are in it.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The items in it, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = ItemIx> + '_ {
        let bits = |(at, &word): (usize, &u64)| {
            (0..BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (at * BITS + bit) as ItemIx)
        };
        self.words.iter().enumerate().flat_map(bits)
    }
}

impl FromIterator<ItemIx> for ItemSet {
    fn from_iter<I: IntoIterator<Item = ItemIx>>(items: I) -> Self {
        let mut set = Self::default();
        for item in items {
            set.insert(item);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_sizes_compare_by_what_is_in_them() {
        let small: ItemSet = [1, 3].into_iter().collect();
        let large: ItemSet = [1, 3, 200].into_iter().collect();
        assert!(large.covers(&small) && !small.covers(&large) && small.covers(&ItemSet::default()));
        assert_eq!(large.without(&small).iter().collect::<Vec<_>>(), [200]);
        let mut all = small.clone();
        all.add(&large);
        assert!(all.len() == 3 && all.contains(200) && !all.contains(2));
        assert!(!all.insert(3) && all.insert(64));
        all.remove(64);
        assert!(!all.contains(64));
    }
}
