//! What silence is worth when an app does not always fail.
//!
//! A crash with the right signature is proof; a silent run is not. Nothing is repeated as long as nothing speaks for chance:
//! the search goes on as if the app were deterministic, and the certificate of its result shows whether it was. As soon as a
//! list that is known to reproduce falls silent, every silence has to be repeated as often as the rate of such lists asks
//! for, and the search starts again with all it knows. The certificate is a sequential test against the original's own
//! rate; a result that does not pass it is dropped, and the search goes back.

use serde::{Deserialize, Serialize};

use crate::numbers::wilson;
use crate::trace::ShrinkReport;

/// Whether chance has a part in what a device shows.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Noise {
    /// The device states that equal events give equal observations: no silent run is repeated.
    #[default]
    None,
    /// It does not, and this is known from before.
    Chance(Known),
}

/// What is known about chance before a shrink begins.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Known {
    /// Runs of lists that are known to reproduce.
    pub pool: Rate,
    /// The rate that the result is held to, as far as it is known; the original's own where there is none.
    pub reference: Option<Rate>,
    /// How often the original itself was seen to reproduce, if it is the certified result of a shrink before.
    pub start: Rate,
}

/// How often something failed as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rate {
    /// Runs that did.
    pub hits: u32,
    /// Runs that stayed silent.
    pub silent: u32,
}

impl std::ops::AddAssign for Rate {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.silent += other.silent;
    }
}

/// Before anything is known a list that can reproduce is taken to do so this often out of [`PRIOR_RUNS`].
const PRIOR_HITS: f64 = 17.0;
const PRIOR_RUNS: f64 = 19.0;
/// Runs that would show so few hits at that rate with less than this probability speak against it: then they alone count.
const SPEAKS_AGAINST: f64 = 0.001;
/// How often a list that does reproduce may be taken for one that does not: at rates from 0.25 on once 40 runs tell the rate, from
/// 0.15 on once 100 do; at 0.1 it is 0.0204 then.
const WRONG_NO: f64 = 0.02;
/// A list that is as good as the original is given up for its silence in fewer cases than the others.
const MOST_CASES: f64 = 0.85;
/// However seldom an app fails, no silence is repeated more often.
const MOST_SILENCE: u32 = 60;
/// Silence is repeated so often at least, and of few runs little is learnt: at the most so often and half as often as there were
/// runs to learn from.
const LEAST_REPEATED: u32 = 2;

impl Rate {
    /// One more run.
    pub fn add(&mut self, reproduced: bool) {
        if reproduced { self.hits += 1 } else { self.silent += 1 }
    }

    /// How many runs there were.
    pub fn runs(self) -> u32 {
        self.hits + self.silent
    }

    /// The share of hits; 1 if nothing was run.
    pub fn share(self) -> f64 {
        if self.runs() == 0 { 1.0 } else { f64::from(self.hits) / f64::from(self.runs()) }
    }

    /// The rate to reckon with.
    pub fn expected(self) -> f64 {
        (f64::from(self.hits) + PRIOR_HITS) / (f64::from(self.runs()) + PRIOR_RUNS)
    }

    /// The 95 % interval by Wilson's score; everything if nothing was run.
    pub fn interval(self) -> (f64, f64) {
        wilson(self.hits, self.runs())
    }

    /// How many silent runs of a list tell that it does not reproduce, if these runs of lists that do are typical: 1 while
    /// none of them was silent; then so many that a list that does reproduce is silent in all of them with a probability of
    /// [`WRONG_NO`] at the most.
    pub fn silence_needed(self) -> u32 {
        if self.silent == 0 {
            return 1;
        }
        if !self.speaks_against(PRIOR_HITS / PRIOR_RUNS) {
            let needed = WRONG_NO.ln() / (1.0 - self.expected()).ln();
            return (needed.ceil() as u32).clamp(LEAST_REPEATED, MOST_SILENCE);
        }
        // Over all rates that these runs leave possible, each as likely before them as every other.
        let most = MOST_SILENCE.min(LEAST_REPEATED + self.runs() / 2);
        let (mut all_silent, mut needed) = (1.0, 0);
        while all_silent > WRONG_NO && needed < most {
            let silent = f64::from(self.silent + 1 + needed);
            all_silent *= silent / (f64::from(self.hits + 1) + silent);
            needed += 1;
        }
        needed.max(LEAST_REPEATED)
    }

    /// How many silent runs come before so many hits, in most cases, if these runs are typical.
    pub fn silence_before(self, hits: u32) -> u32 {
        let rate = if self.speaks_against(PRIOR_HITS / PRIOR_RUNS) { self.share() } else { self.expected() };
        let mut exactly = rate.powi(hits as i32);
        let (mut so_many, mut silent) = (exactly, 0);
        while so_many < MOST_CASES && silent < MOST_SILENCE {
            silent += 1;
            exactly *= (1.0 - rate) * f64::from(hits + silent - 1) / f64::from(silent);
            so_many += exactly;
        }
        silent
    }

    /// At this rate so few hits would be seen hardly ever.
    fn speaks_against(self, rate: f64) -> bool {
        let runs = f64::from(self.runs());
        let mut likely = runs * (1.0 - rate).ln();
        let mut so_few = likely.exp();
        for hits in 0..self.hits {
            let hits = f64::from(hits);
            likely += ((runs - hits) / (hits + 1.0) * rate / (1.0 - rate)).ln();
            so_few += likely.exp();
        }
        so_few < SPEAKS_AGAINST
    }
}

/// What the certificate needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// One more run of the result.
    RunResult,
    /// One more run of the original, whose rate is not known well enough.
    RunOriginal,
    /// The result fails often enough.
    Passed,
    /// It does not.
    Failed,
}

/// How often a result is run for its certificate, and at the most if that leaves it open.
pub const CERTIFICATE: u32 = 20;
/// How often it is run again on a device that states that it is deterministic.
pub const CERTAIN_CERTIFICATE: u32 = 3;
const MOST_CERTIFICATE: u32 = 60;
/// How often the original is run at the most to know its rate, and before it counts as one that never reproduces.
pub const MOST_ORIGINAL: u32 = 20;
/// The share of the original's rate that a result must keep.
pub const KEPT_SHARE: f64 = ShrinkReport::KEPT_SHARE;
/// A result whose runs so far are this many times likelier at half the rate than at the full rate is given up at once.
const GIVEN_UP: f64 = 100.0;

impl Trial {
    /// What is next, after these runs of the result and of the original, of which so many more may be made, for lists that
    /// reproduce at the pool's rate.
    pub fn next(result: Rate, original: Rate, left: u32, pool: Rate) -> Self {
        if result.lost_to_half(pool.expected().min(original.expected())) {
            return Self::Failed;
        }
        if result.runs() < CERTIFICATE {
            return Self::RunResult;
        }
        if result.share() >= KEPT_SHARE {
            return Self::Passed;
        }
        let at_best = Rate { hits: original.hits + left, ..original }.share();
        let at_worst = Rate { silent: original.silent + left, ..original }.share();
        if result.share() >= KEPT_SHARE * at_best {
            Self::Passed
        } else if result.interval().1 < KEPT_SHARE * at_worst {
            Self::Failed
        } else if left > 0 {
            Self::RunOriginal
        } else if result.runs() < MOST_CERTIFICATE {
            Self::RunResult
        } else {
            Self::Failed
        }
    }
}

impl Rate {
    /// Half of a rate explains these runs so much better than the rate itself that more of them need not be made.
    fn lost_to_half(self, rate: f64) -> bool {
        let (hits, silent) = (f64::from(self.hits), f64::from(self.silent));
        let half = rate / 2.0;
        let advantage = hits * (half / rate).ln() + silent * ((1.0 - half) / (1.0 - rate)).ln();
        advantage > GIVEN_UP.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // Newcombe 1998, Table I: 81 of 263 gives 0.2553 to 0.3662.
        let (low, high) = Rate { hits: 81, silent: 182 }.interval();
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5, "{low} {high}");
        assert!(Rate { hits: 0, silent: 10 }.interval().0 < 1e-9);
    }

    #[test]
    fn silence_is_repeated_only_where_known_hits_were_silent_and_more_often_the_lower_the_rate() {
        let needed = |hits, silent| Rate { hits, silent }.silence_needed();
        assert_eq!(needed(0, 0), 1);
        assert_eq!(needed(500, 0), 1);
        assert_eq!(needed(18, 2), 2);
        assert_eq!(needed(50, 50), 6);
        assert_eq!(needed(20, 80), 19);
        assert_eq!(needed(0, 200), MOST_SILENCE);
        // Nobody repeats a silence dozens of times because of the first silent runs.
        assert_eq!((needed(0, 1), needed(0, 4)), (3, 4));
    }

    #[test]
    fn a_list_that_reproduces_is_seldom_taken_for_one_that_does_not_whatever_its_rate() {
        for (runs, least) in [(40, 25), (100, 15)] {
            for percent in (least..=95).step_by(5) {
                let rate = f64::from(percent) / 100.0;
                let mut error = 0.0;
                let mut likely = (1.0 - rate).powi(runs as i32);
                // What so many runs of lists that reproduce may have shown.
                for hits in 0..runs {
                    let needed = Rate { hits, silent: runs - hits }.silence_needed();
                    error += likely * (1.0 - rate).powi(needed as i32);
                    likely *= f64::from(runs - hits) / f64::from(hits + 1) * rate / (1.0 - rate);
                }
                assert!(error <= WRONG_NO, "{rate} by {runs} runs: {error}");
            }
        }
    }

    #[test]
    fn a_result_passes_against_its_originals_rate_and_a_bad_one_is_given_up_early() {
        let rate = |hits, silent| Rate { hits, silent };
        let next = |result, original: Rate, pool| Trial::next(result, original, 20 - original.runs(), pool);
        let sure = rate(5, 0);
        assert_eq!(next(rate(19, 0), sure, sure), Trial::RunResult);
        assert_eq!(next(rate(20, 0), sure, sure), Trial::Passed);
        assert_eq!(next(rate(17, 3), sure, rate(17, 3)), Trial::Passed);
        // Half of the runs: good for an original that fails as often, not for one that always does.
        let half = rate(10, 10);
        assert_eq!(next(half, rate(0, 0), half), Trial::RunOriginal);
        assert_eq!(next(half, rate(11, 9), half), Trial::Passed);
        assert_eq!(next(half, rate(20, 0), half), Trial::Failed);
        let silent = (1..9).find(|&silent| next(rate(0, silent), sure, sure) == Trial::Failed);
        assert_eq!(silent, Some(3));
    }
}
