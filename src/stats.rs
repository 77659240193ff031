//! Statistics of samples: how far apart two sets of runs are, and how sure that is.
//!
//! Everything here is a function of its arguments; nothing is drawn, so no band needs a seed.

use std::cmp::Ordering;

/// Quartiles of a sample, by linear interpolation between its values (R's type 7, numpy's default).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// A quarter of the sample is below.
    pub low: f64,
    /// Half of it.
    pub median: f64,
    /// Three quarters.
    pub high: f64,
}

/// A sample of both sides is counted exactly up to this size; beyond, the normal approximation is good enough.
const EXACT_MAX: usize = 20;

/// The mean; none of nothing.
pub fn mean(sample: &[f64]) -> Option<f64> {
    (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / sample.len() as f64)
}

/// The median; none of nothing.
pub fn median(sample: &[f64]) -> Option<f64> {
    quartiles(sample).map(|quartiles| quartiles.median)
}

/// The quartiles; none of nothing.
pub fn quartiles(sample: &[f64]) -> Option<Quartiles> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let below = place.floor() as usize;
        let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
        low + (place - below as f64) * (high - low)
    };
    Some(Quartiles { low: at(0.25), median: at(0.5), high: at(0.75) })
}

/// Vargha and Delaney's A12: how probable it is that a value of `left` is greater than one of `right`, a tie counting
/// half. 0.5 is no difference, 0.56 a small, 0.64 a medium and 0.71 a large one. None if a side is empty.
pub fn a12(left: &[f64], right: &[f64]) -> Option<f64> {
    let pairs = left.len() * right.len();
    (pairs > 0).then(|| wins(left, right) / pairs as f64)
}

/// Mann and Whitney's U of `left`: in how many pairs it is greater, a tie counting half.
fn wins(left: &[f64], right: &[f64]) -> f64 {
    let score = |one: f64, other: f64| match one.total_cmp(&other) {
        Ordering::Greater => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Less => 0.0,
    };
    left.iter().flat_map(|&one| right.iter().map(move |&other| score(one, other))).sum()
}

/// The two-sided p-value of the Mann-Whitney U test: exact for small samples without ties, else by the normal
/// approximation with corrections for ties and continuity. None if a side is empty.
pub fn mann_whitney(left: &[f64], right: &[f64]) -> Option<f64> {
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let ties = ties(left, right);
    let u = wins(left, right);
    let small = left.len() <= EXACT_MAX && right.len() <= EXACT_MAX;
    Some(if small && ties == 0.0 {
        exact(u, left.len(), right.len())
    } else {
        normal(u, left.len(), right.len(), ties)
    })
}

/// The least p-value that so many runs on either side can give: all of one side are better than all of the other.
pub fn least_p(runs: usize) -> f64 {
    let most = runs * runs;
    if runs == 0 {
        1.0
    } else if runs <= EXACT_MAX {
        exact(most as f64, runs, runs)
    } else {
        normal(most as f64, runs, runs, 0.0)
    }
}

/// The sum of t³ − t over the groups of equal values.
fn ties(left: &[f64], right: &[f64]) -> f64 {
    let mut all = [left, right].concat();
    all.sort_by(f64::total_cmp);
    let groups = all.chunk_by(|one, other| one.total_cmp(other).is_eq());
    groups.map(|group| group.len() as f64).map(|size| size.powi(3) - size).sum()
}

/// The distribution of U without ties has the Gaussian binomial coefficient as its generating function.
fn exact(u: f64, left: usize, right: usize) -> f64 {
    let most = left * right;
    let mut ways = vec![0.0_f64; most + 1];
    ways[0] = 1.0;
    for factor in 1..=left {
        for place in (right + factor..=most).rev() {
            ways[place] -= ways[place - right - factor];
        }
        for place in factor..=most {
            ways[place] += ways[place - factor];
        }
    }
    let tail = u.min(most as f64 - u) as usize;
    let all: f64 = ways.iter().sum();
    (2.0 * ways[..=tail].iter().sum::<f64>() / all).min(1.0)
}

fn normal(u: f64, left: usize, right: usize, ties: f64) -> f64 {
    const CONTINUITY: f64 = 0.5;
    let (left, right) = (left as f64, right as f64);
    let (all, pairs) = (left + right, left * right);
    let variance = pairs / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - pairs / 2.0).abs() - CONTINUITY).max(0.0);
    erfc(distance / variance.sqrt() / std::f64::consts::SQRT_2).min(1.0)
}

/// The complementary error function for arguments from 0 on, to 1.2e-7 of its value (Press et al., Numerical Recipes,
/// 6.2).
fn erfc(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let sum = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * t + coefficient);
    t * (sum - x * x).exp()
}

/// Holm's correction: p-values of one family of comparisons, each raised so that one false alarm among all of them is as
/// improbable as in a single test.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut corrected = vec![0.0; values.len()];
    let mut least = 0.0_f64;
    for (rank, place) in order.into_iter().enumerate() {
        least = least.max(values[place] * (values.len() - rank) as f64).min(1.0);
        corrected[place] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    const MALES: [f64; 5] = [19.0, 22.0, 16.0, 29.0, 24.0];
    const FEMALES: [f64; 4] = [20.0, 11.0, 17.0, 12.0];

    #[test]
    fn the_exact_test_gives_what_scipys_manual_gives() {
        assert!(near(wins(&MALES, &FEMALES), 17.0));
        assert!(near(mann_whitney(&MALES, &FEMALES).unwrap(), 0.111_111_111));
        assert!(near(mann_whitney(&FEMALES, &MALES).unwrap(), 0.111_111_111));
    }

    #[test]
    fn the_normal_approximation_gives_what_scipys_manual_gives() {
        assert!(near(normal(17.0, 5, 4, 0.0), 0.111_346_886));
    }

    #[test]
    fn three_against_three_apart_have_two_of_twenty_orders() {
        assert!(near(mann_whitney(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).unwrap(), 0.1));
    }

    #[test]
    fn ties_make_the_variance_smaller() {
        let (left, right) = ([1.0, 2.0, 2.0, 3.0], [2.0, 3.0, 4.0, 4.0]);
        assert!(near(ties(&left, &right), 36.0));
        // U = 2.5, variance = 16/12 · (9 − 36/56).
        assert!(near(mann_whitney(&left, &right).unwrap(), 0.134_168_9));
    }

    #[test]
    fn samples_that_are_all_equal_do_not_differ() {
        assert_eq!(mann_whitney(&[1.0; 30], &[1.0; 30]), Some(1.0));
        assert_eq!(a12(&[1.0; 3], &[1.0; 5]), Some(0.5));
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(a12(&[1.0], &[]), None);
    }

    #[test]
    fn a12_is_the_share_of_pairs_won() {
        assert_eq!(a12(&[4.0, 5.0], &[1.0, 2.0]), Some(1.0));
        assert_eq!(a12(&[1.0, 2.0], &[4.0, 5.0]), Some(0.0));
        assert!(near(a12(&MALES, &FEMALES).unwrap(), 17.0 / 20.0));
    }

    #[test]
    fn holm_gives_what_rs_p_adjust_gives() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (value, expected) in corrected.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!(near(value, expected), "{value} {expected}");
        }
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn quartiles_are_those_of_r() {
        let expected = Quartiles { low: 1.75, median: 2.5, high: 3.25 };
        assert_eq!(quartiles(&[4.0, 1.0, 3.0, 2.0]), Some(expected));
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(quartiles(&[]), None);
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
    }
}
