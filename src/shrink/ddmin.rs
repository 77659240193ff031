//! `ddmin`: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", TSE 2002.
//!
//! Assumes nothing about the trace. The result is 1-minimal. It costs O(n²) runs at worst and about 2 log₂ n for each
//! needed event if deleting were monotone; GUI traces are not, so that it comes near to half the events in practice.

use super::list::{Flat, List, Pinned, Try, equal_parts, intersection};

/// `ddmin` over all events.
pub type Ddmin = Flat<DdminList>;

/// `ddmin` over a list: each part alone, then each complement, then finer parts.
#[derive(Clone, Debug)]
pub struct DdminList {
    items: Vec<u32>,
    parts: usize,
    at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Part(usize),
    Complement(usize),
    End,
}

/// Single parts seldom reproduce, complements more often; both are only used for asking ahead.
const ODDS_PART: f64 = 0.05;
const ODDS_COMPLEMENT: f64 = 0.15;

impl List for DdminList {
    fn start(items: Vec<u32>, _weights: Vec<u32>, _pinned: Pinned) -> Self {
        let at = if items.len() < 2 { At::End } else { At::Part(0) };
        Self { items, parts: 2, at }
    }

    fn next(&mut self) -> Option<Try> {
        let bounds = equal_parts(self.items.len(), self.parts);
        match self.at {
            At::Part(part) => {
                Some(Try { keep: self.items[bounds[part]..bounds[part + 1]].to_vec(), odds: ODDS_PART })
            }
            At::Complement(part) => {
                let mut keep = self.items[..bounds[part]].to_vec();
                keep.extend_from_slice(&self.items[bounds[part + 1]..]);
                Some(Try { keep, odds: ODDS_COMPLEMENT })
            }
            At::End => None,
        }
    }

    fn no(&mut self) {
        self.at = match self.at {
            At::Part(part) if part + 1 < self.parts => At::Part(part + 1),
            // Of two parts each is the other's complement.
            At::Part(_) if self.parts > 2 => At::Complement(0),
            At::Complement(part) if part + 1 < self.parts => At::Complement(part + 1),
            At::Part(_) | At::Complement(_) if self.parts < self.items.len() => {
                self.parts = (2 * self.parts).min(self.items.len());
                At::Part(0)
            }
            _ => At::End,
        };
    }

    fn yes(&mut self, left: &[u32]) {
        self.parts = if matches!(self.at, At::Complement(_)) { self.parts - 1 } else { 2 };
        self.retain(left);
    }

    fn retain(&mut self, left: &[u32]) {
        self.items = intersection(&self.items, left);
        self.parts = self.parts.clamp(2, self.items.len().max(2));
        self.at = if self.items.len() < 2 { At::End } else { At::Part(0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;

    #[test]
    fn ddmin_asks_as_in_its_paper() {
        // Needed are 1 and 3 of 0..4: parts of two, then of one, then the complements.
        let asked =
            questions(Ddmin::new((0..4).collect()), |events| events.contains(&1) && events.contains(&3));
        let expected: [&[u32]; 12] =
            [&[0, 1], &[2, 3], &[0], &[1], &[2], &[3], &[1, 2, 3], &[1], &[2], &[3], &[2, 3], &[1, 3]];
        assert_eq!(asked[..12], expected);
        assert_eq!(asked[12..], [vec![1], vec![3]]);
    }
}
