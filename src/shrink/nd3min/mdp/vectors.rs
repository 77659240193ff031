//! Sorted vectors of runs, and their rows in a table.

use std::ops::Range;

/// The exact schedule is for so many candidates at the most.
pub(super) const MAX_CANDIDATES: usize = 5;

/// How many runs each of a few candidates has, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunVector {
    runs: [u8; MAX_CANDIDATES],
    count: usize,
}

impl RunVector {
    /// A vector from at most [`MAX_CANDIDATES`] numbers in ascending order.
    pub(super) fn new(sorted: impl IntoIterator<Item = u8>) -> Self {
        let mut vector = Self { runs: [0; MAX_CANDIDATES], count: 0 };
        for (place, runs) in vector.runs.iter_mut().zip(sorted) {
            *place = runs;
            vector.count += 1;
        }
        vector
    }

    pub(super) fn runs(&self) -> &[u8] {
        &self.runs[..self.count]
    }

    fn sum(&self) -> usize {
        self.runs().iter().map(|&runs| usize::from(runs)).sum()
    }
}

/// The vectors of one number of candidates, each below `limit`, whose sum is a multiple of `step`; ordered by sum.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    candidates: usize,
    all: Vec<RunVector>,
    /// The row of each vector by its rank, or [`Self::ABSENT`].
    rows: Vec<u32>,
    /// Where the vectors of each sum start.
    starts: Vec<usize>,
    /// `choose[n][k]`.
    choose: Vec<[usize; MAX_CANDIDATES + 1]>,
}

impl Vectors {
    const ABSENT: u32 = u32::MAX;

    pub(super) fn new(candidates: usize, limit: usize, step: usize) -> Self {
        let mut choose = vec![[0; MAX_CANDIDATES + 1]; limit + candidates];
        for n in 0..choose.len() {
            choose[n][0] = 1;
            for k in 1..=MAX_CANDIDATES.min(n) {
                choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
            }
        }
        let mut all = ascending(candidates, limit - 1);
        all.retain(|vector| vector.sum() % step == 0);
        all.sort_by_key(RunVector::sum);
        let mut starts = Vec::with_capacity(candidates * limit + 2);
        for (row, vector) in all.iter().enumerate() {
            while starts.len() <= vector.sum() {
                starts.push(row);
            }
        }
        starts.resize(candidates * limit + 2, all.len());
        let mut vectors = Self { candidates, rows: Vec::new(), all, starts, choose };
        vectors.rows = vec![Self::ABSENT; vectors.choose[limit + candidates - 1][candidates]];
        for row in 0..vectors.all.len() {
            let rank = vectors.rank(vectors.all[row].runs());
            vectors.rows[rank] = row as u32;
        }
        vectors
    }

    /// How many there would be, without making them.
    pub(super) fn count(candidates: usize, limit: usize, step: usize) -> u64 {
        let most = candidates * limit;
        let mut ways = vec![vec![0_u64; most + 1]; candidates + 1];
        ways[0][0] = 1;
        for runs in 0..limit {
            for count in 1..=candidates {
                for sum in runs..=most {
                    ways[count][sum] = ways[count][sum].saturating_add(ways[count - 1][sum - runs]);
                }
            }
        }
        ways[candidates].iter().step_by(step).copied().fold(0, u64::saturating_add)
    }

    /// How many bytes making them takes at the most, whatever the step: all vectors are made before those with another sum
    /// are dropped, a list grows to twice its length, and each has a row.
    pub(super) fn bytes(candidates: usize, limit: usize) -> u64 {
        let vector = 2 * size_of::<RunVector>() as u64 + size_of::<u32>() as u64;
        Self::count(candidates, limit + 1, 1).saturating_mul(vector)
    }

    /// The vectors that a step can end in: a candidate may have all its runs.
    pub(super) fn targets(candidates: usize, limit: usize, sum: usize) -> Vec<RunVector> {
        let mut all = ascending(candidates, limit);
        all.retain(|vector| vector.sum() == sum);
        all
    }

    pub(super) fn candidates(&self) -> usize {
        self.candidates
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &RunVector> {
        self.all.iter()
    }

    pub(super) fn get(&self, row: usize) -> &RunVector {
        &self.all[row]
    }

    /// The rows of the vectors with this sum.
    pub(super) fn with_sum(&self, sum: usize) -> Range<usize> {
        self.starts[sum]..self.starts[sum + 1]
    }

    /// The row of a vector in ascending order; none if it is not among them.
    pub(super) fn row(&self, runs: &[u8]) -> Option<usize> {
        let inside = usize::from(*runs.last()?) + runs.len() < self.choose.len() + 1;
        let row = *self.rows.get(if inside { self.rank(runs) } else { return None })?;
        (row != Self::ABSENT).then_some(row as usize)
    }

    /// The combinatorial number system: each multiset has a number of its own.
    fn rank(&self, runs: &[u8]) -> usize {
        runs.iter().enumerate().map(|(ix, &runs)| self.choose[usize::from(runs) + ix][ix + 1]).sum()
    }
}

/// All vectors in ascending order, with entries up to `most`.
fn ascending(candidates: usize, most: usize) -> Vec<RunVector> {
    let mut all = vec![RunVector::new([])];
    for _ in 0..candidates {
        all = all
            .iter()
            .flat_map(|vector| {
                let least = vector.runs().last().map_or(0, |&runs| usize::from(runs));
                (least..=most).map(|runs| RunVector::new(vector.runs().iter().copied().chain([runs as u8])))
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vector_has_a_row_of_its_own() {
        for (candidates, limit, step) in [(1, 1, 1), (2, 6, 1), (3, 7, 4), (5, 8, 15)] {
            let vectors = Vectors::new(candidates, limit, step);
            assert_eq!(vectors.len() as u64, Vectors::count(candidates, limit, step));
            for row in 0..vectors.len() {
                let vector = vectors.get(row);
                assert_eq!(vectors.row(vector.runs()), Some(row));
                assert!(vectors.with_sum(vector.sum()).contains(&row));
            }
            let beyond = vec![limit as u8; candidates];
            assert_eq!(vectors.row(&beyond), None);
        }
    }
}
