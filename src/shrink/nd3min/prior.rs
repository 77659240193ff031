//! How likely it is that a trace, of which nothing is known, meets the goal with probability p (section 5.1, Figure 4).

use super::schedule::{Rule, Tally};
use crate::letters::plain;

/// A discrete distribution over the probability with which a trace meets the goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// Probabilities and their weights, which sum to 1.
    points: Vec<(f64, f64)>,
}

/// Why numbers are no prior.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PriorError {
    /// There is nothing.
    #[error("a prior needs at least one weight")]
    Empty,
    /// A weight is no probability.
    #[error("the weight {0} of a prior is no number from 0 to 1")]
    Weight(f64),
    /// The weights do not sum to 1.
    #[error("the weights of a prior must sum to 1, not to {0}; divide each by their sum")]
    Sum(f64),
    /// It is no list of numbers.
    #[error(
        "a prior is its weights for p = 0, …, 1 with commas, such as 0.6,0.2,0.2, and `{0}` is no number"
    )]
    Word(String),
}

/// Steps of p in a prior that is learnt: 0, 0.05, …, 1, as in Figure 4.
const STEPS: usize = 20;
/// The rate that the check of a result speaks of (section 5.2).
const GOOD: f64 = 0.85;
/// How far the weights of a prior may be from 1 in sum.
const TOLERANCE: f64 = 1e-6;

impl Prior {
    /// A prior from the weights of p = 0, …, 1 in equal steps.
    pub fn new(weights: &[f64]) -> Result<Self, PriorError> {
        if weights.is_empty() {
            return Err(PriorError::Empty);
        }
        if let Some(&wrong) = weights.iter().find(|weight| !(0.0..=1.0).contains(*weight)) {
            return Err(PriorError::Weight(wrong));
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(PriorError::Sum(sum));
        }
        let last = (weights.len() - 1).max(1) as f64;
        Ok(Self { points: weights.iter().enumerate().map(|(ix, &w)| (ix as f64 / last, w)).collect() })
    }

    /// A prior as people write it: weights with commas between them.
    pub fn parse(words: &str) -> Result<Self, PriorError> {
        let number = |word: &str| word.trim().parse().map_err(|_| PriorError::Word(beginning(word.trim())));
        Self::new(&words.split(',').map(number).collect::<Result<Vec<f64>, _>>()?)
    }

    /// The prior that runs of candidates suggest (section 5.1): each candidate counts as one, at its own rate, and every
    /// point keeps a little weight, since what was not seen is not impossible.
    pub fn learn(tallies: impl IntoIterator<Item = Tally>) -> Option<Self> {
        const UNSEEN: f64 = 0.1;
        let mut weights = [UNSEEN / (STEPS + 1) as f64; STEPS + 1];
        let mut seen = 0;
        for tally in tallies.into_iter().filter(|tally| tally.runs() > 0) {
            let rate = tally.successes as f64 / tally.runs() as f64;
            weights[(rate * STEPS as f64).round() as usize] += 1.0;
            seen += 1;
        }
        let sum: f64 = weights.iter().sum();
        (seen > 0).then(|| Self::new(&weights.map(|weight| weight / sum)).ok()).flatten()
    }

    /// The points and their weights.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// What is known after some runs: likelihood × prior, normalised. (The paper prints it without its normalisation.)
    pub fn after(&self, tally: Tally) -> Vec<(f64, f64)> {
        let weigh = |points: &mut dyn Iterator<Item = (f64, f64)>| -> Vec<(f64, f64)> {
            points.map(|(p, weight)| (p, weight * likelihood(p, tally))).collect()
        };
        let mut known = weigh(&mut self.points.iter().copied());
        let mut sum: f64 = known.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 {
            // The prior calls impossible what was seen; then any probability may be behind it.
            known = weigh(&mut (0..=STEPS).map(|step| (step as f64 / STEPS as f64, 1.0)));
            sum = known.iter().map(|(_, weight)| weight).sum();
        }
        for (_, weight) in &mut known {
            *weight /= sum;
        }
        known
    }

    /// `p1` (section 5.2): the probability that a trace with these runs meets the goal in 85 of 100 runs or more.
    pub fn is_good(&self, tally: Tally) -> f64 {
        self.after(tally).iter().filter(|(p, _)| *p >= GOOD - 1e-9).map(|(_, weight)| weight).sum()
    }

    /// `p2` (Lemma 1): the probability that no trace with one of `events` events less passes with `st / nr` or more.
    pub fn is_minimal(&self, rule: Rule, events: usize) -> f64 {
        let bound = rule.successes as f64 / rule.runs as f64;
        let (mut missed, mut all) = (0.0, 0.0);
        for &(p, weight) in &self.points {
            let fails = weight * (1.0 - passes(p, rule));
            all += fails;
            missed += if p >= bound - 1e-9 { fails } else { 0.0 };
        }
        let wrong = if all > 0.0 { missed / all } else { 0.0 };
        (1.0 - wrong).powi(i32::try_from(events).unwrap_or(i32::MAX))
    }
}

/// Enough of a word to know it by: it may be a whole file.
fn beginning(word: &str) -> String {
    const ENOUGH: usize = 40;
    let more = if word.chars().nth(ENOUGH).is_some() { "…" } else { "" };
    plain(&word.chars().take(ENOUGH).collect::<String>()) + more
}

/// Equation 6: a trace that meets the goal with probability p passes.
fn passes(p: f64, rule: Rule) -> f64 {
    (rule.successes..=rule.runs)
        .map(|successes| {
            let tally = Tally { successes, failures: rule.runs - successes };
            choose(rule.runs, successes) * likelihood(p, tally)
        })
        .sum()
}

fn likelihood(p: f64, tally: Tally) -> f64 {
    power(p, tally.successes) * power(1.0 - p, tally.failures)
}

fn power(base: f64, exponent: usize) -> f64 {
    base.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}

/// `n` over `k`.
pub(super) fn choose(n: usize, k: usize) -> f64 {
    (0..k.min(n)).fold(1.0, |product, ix| product * (n - ix) as f64 / (ix + 1) as f64)
}

/// The probability of so many failures in so many runs of a trace with these probabilities.
pub(super) fn failures(known: &[(f64, f64)], runs: usize, failures: usize) -> f64 {
    let tally = Tally { successes: runs - failures, failures };
    let binomial = choose(runs, failures);
    known.iter().map(|&(p, weight)| weight * binomial * likelihood(p, tally)).sum()
}

impl Default for Prior {
    /// Figure 4 prints no numbers. These weights have its shape, and with them the check columns of the paper's tables
    /// come out to within 0.03.
    fn default() -> Self {
        let mut weights = [0.006; STEPS + 1];
        weights[0] = 0.540;
        let rest = [0.008, 0.010, 0.015, 0.030, 0.067, 0.040, 0.028, 0.019, 0.083, 0.100];
        weights[STEPS + 1 - rest.len()..].copy_from_slice(&rest);
        let points = weights.iter().enumerate().map(|(ix, &weight)| (ix as f64 / STEPS as f64, weight));
        Self { points: points.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables 1 to 3, the triplets c (p1 / p2).
    #[test]
    fn the_check_columns_are_those_of_the_paper() {
        let prior = Prior::default();
        let sum: f64 = prior.points.iter().map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        for (successes, printed) in
            [(20, 0.99), (19, 0.94), (18, 0.69), (17, 0.43), (16, 0.23), (15, 0.11), (14, 0.04), (12, 0.0)]
        {
            let p1 = prior.is_good(Tally { successes, failures: 20 - successes });
            assert!((p1 - printed).abs() < 0.03, "{successes}: {p1}, in the paper {printed}");
        }
        for (events, printed) in
            [(0, 1.0), (1, 0.98), (2, 0.96), (5, 0.91), (10, 0.84), (25, 0.65), (30, 0.59)]
        {
            let p2 = prior.is_minimal(Rule::PAPER, events);
            assert!((p2 - printed).abs() < 0.03, "{events} events: {p2}, in the paper {printed}");
        }
    }

    #[test]
    fn numbers_that_are_no_prior_are_refused() {
        assert_eq!(Prior::parse("0.5,0.2"), Err(PriorError::Sum(0.7)));
        assert_eq!(Prior::parse("1.5,-0.5"), Err(PriorError::Weight(1.5)));
        assert_eq!(Prior::parse("a"), Err(PriorError::Word("a".into())));
        let told = Prior::parse(&format!("0.5,# Read\nme{}", " more".repeat(9_000))).unwrap_err().to_string();
        assert!(told.ends_with("`# Read me more more more more more more …` is no number"), "{told}");
        assert!(matches!(Prior::parse("NaN,1"), Err(PriorError::Weight(_))));
        assert_eq!(Prior::new(&[]), Err(PriorError::Empty));
        assert!(Prior::parse("0.25, 0.5, 0.25").is_ok());
    }

    #[test]
    fn a_prior_is_learnt_from_the_rates_that_were_seen() {
        let seen = [(0, 3), (0, 3), (0, 3), (18, 0)];
        let learnt = Prior::learn(seen.map(|(successes, failures)| Tally { successes, failures })).unwrap();
        let weights: Vec<f64> = learnt.points().iter().map(|(_, weight)| *weight).collect();
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(weights[0] > 0.7 && weights[20] > 0.2 && weights[10] > 0.0);
        assert_eq!(Prior::learn([]), None);
    }

    #[test]
    fn what_the_prior_calls_impossible_can_still_be_seen() {
        let sure = Prior::new(&[0.0, 1.0]).unwrap();
        let after = sure.after(Tally { successes: 1, failures: 1 });
        assert!((after.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
