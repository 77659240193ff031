//! How a step changes one candidate, by chance.

use super::super::prior::{Prior, failures};
use super::super::schedule::{Rule, Tally};

/// The chances of every step of one candidate.
#[derive(Clone, Debug)]
pub(super) struct Chances {
    rule: Rule,
    /// By runs before and runs after: a matrix, in double and in single precision.
    exact: Vec<Vec<f64>>,
    single: Vec<Vec<f32>>,
}

impl Chances {
    pub(super) fn new(rule: Rule, prior: &Prior) -> Self {
        let mut chances = Self { rule, exact: Vec::new(), single: Vec::new() };
        for before in 0..=rule.runs {
            for after in 0..=rule.runs {
                let matrix = chances.matrix(prior, before, after);
                chances.single.push(matrix.iter().map(|&chance| chance as f32).collect());
                chances.exact.push(matrix);
            }
        }
        chances
    }

    /// A row for each number of failures before, a column for each after, and a last one for being dropped. Being
    /// accepted has no column: it ends the process.
    fn matrix(&self, prior: &Prior, before: usize, after: usize) -> Vec<f64> {
        let faces = self.faces();
        let mut matrix = vec![0.0; faces * (faces + 1)];
        for had in (0..faces).filter(|&had| before <= after && self.is_open(before, had)) {
            let known = prior.after(Tally { successes: before - had, failures: had });
            let runs = after - before;
            let row = &mut matrix[had * (faces + 1)..][..=faces];
            for more in 0..=runs {
                let chance = failures(&known, runs, more);
                let has = had + more;
                if has >= faces {
                    row[faces] += chance;
                } else if self.is_open(after, has) {
                    row[has] += chance;
                }
            }
        }
        matrix
    }

    /// How many numbers of failures an open candidate can have.
    pub(super) fn faces(&self) -> usize {
        self.rule.spare_failures() + 1
    }

    /// A candidate with so many runs and failures exists and is neither accepted nor dropped.
    pub(super) fn is_open(&self, runs: usize, failures: usize) -> bool {
        failures < self.faces() && failures <= runs && runs - failures < self.rule.successes
    }

    /// The matrix of a step in single precision.
    pub(super) fn single(&self, before: usize, after: usize) -> &[f32] {
        &self.single[before * (self.rule.runs + 1) + after]
    }

    /// The chances of a candidate that gets more runs: by its failures afterwards, and of being dropped.
    pub(super) fn row(&self, tally: Tally, more: usize) -> Vec<f64> {
        let width = self.faces() + 1;
        let before = tally.runs();
        self.exact[before * (self.rule.runs + 1) + before + more][tally.failures * width..][..width].to_vec()
    }
}
