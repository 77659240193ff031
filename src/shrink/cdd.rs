//! `cdd`: Zhang et al., "Deep dive into probabilistic delta debugging", arXiv 2408.04735: counter-based delta debugging.
//!
//! Assumes what `probdd` assumes, and replaces its probabilities by the number of failed attempts an event was part of.
//! It costs O(n) runs at worst, on a par with `probdd`. Not 1-minimal without the final one-by-one pass.

use super::list::{Flat, Left, List, Pinned, Try};

/// `cdd` over all events.
pub type Cdd = Flat<CountList>;

/// `cdd` over a list.
#[derive(Clone, Debug)]
pub struct CountList {
    items: Vec<Item>,
    out: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    id: u32,
    /// How many attempts without it failed; none once it is known to be needed.
    failed: Option<u32>,
}

/// The probability that the first size stands for.
const START: f64 = 0.1;

/// How many items are left out together when each has been part of so many failed attempts.
fn size(failed: u32) -> usize {
    let mut size = (-1.0 / (1.0 - START).ln()).round();
    for _ in 0..failed {
        size = (size * (1.0 - std::f64::consts::E.recip())).floor();
    }
    size.max(1.0) as usize
}

impl List for CountList {
    fn start(items: Vec<u32>, _weights: Vec<u32>, pinned: Pinned) -> Self {
        let mut items: Vec<Item> = items.into_iter().map(|id| Item { id, failed: Some(0) }).collect();
        if pinned == Pinned::Last
            && let Some(last) = items.last_mut()
        {
            last.failed = None;
        }
        Self { items, out: Vec::new() }
    }

    fn next(&mut self) -> Option<Try> {
        if self.out.is_empty() {
            let mut failed = self.items.iter().filter_map(|item| item.failed).min()?;
            let (wanted, most) = (size(failed), self.items.iter().filter_map(|item| item.failed).max()?);
            while self.out.len() < wanted && failed <= most {
                let equal = (0..self.items.len()).filter(|&at| self.items[at].failed == Some(failed));
                self.out.extend(equal.take(wanted - self.out.len()));
                failed += 1;
            }
            self.out.sort_unstable();
        }
        let mut out = self.out.iter().peekable();
        let keep = (0..self.items.len())
            .filter(|at| out.next_if_eq(&at).is_none())
            .map(|at| self.items[at].id)
            .collect();
        Some(Try { keep, odds: (1.0 - START).powi(self.out.len().min(16) as i32) })
    }

    fn no(&mut self) {
        let out = std::mem::take(&mut self.out);
        for &at in &out {
            let failed = &mut self.items[at].failed;
            *failed = if out.len() == 1 { None } else { failed.map(|failed| failed + 1) };
        }
    }

    fn yes(&mut self, left: &[u32]) {
        self.retain(left);
    }

    fn retain(&mut self, left: &[u32]) {
        self.out.clear();
        let mut left = Left::new(left);
        self.items.retain(|item| left.has(item.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_fall_by_a_factor_of_one_over_e_a_round() {
        // 9.49 rounds to 9; then 5, 3, 1.
        assert_eq!((0..5).map(size).collect::<Vec<_>>(), [9, 5, 3, 1, 1]);
    }

    #[test]
    fn the_least_suspected_are_left_out_together_from_the_front() {
        let mut list = CountList::start((0..12).collect(), vec![1; 12], Pinned::None);
        let needed = 1;
        let mut left_out = Vec::new();
        let mut all: Vec<u32> = (0..12).collect();
        while let Some(Try { keep, .. }) = list.next() {
            left_out.push(all.iter().copied().filter(|id| !keep.contains(id)).collect::<Vec<_>>());
            if keep.contains(&needed) {
                list.yes(&keep);
                all = keep;
            } else {
                list.no();
            }
        }
        let expected: [&[u32]; 9] = [
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            // Three were part of no failed attempt; those that were part of one fill them up.
            &[0, 1, 2, 3, 4, 5, 9, 10, 11],
            &[6, 7, 8, 9, 10],
            &[0, 1, 2, 3, 11],
            &[4, 5, 11],
            &[0],
            // What fails alone is needed and not tried again.
            &[1],
            &[2],
            &[3],
        ];
        assert_eq!(left_out, expected);
        assert_eq!(all, [needed]);
    }
}
