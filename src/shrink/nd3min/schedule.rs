//! Which candidates the next runs go to (ND3MIN 4): greedy, round-robin, and exploration followed by greedy.
//!
//! A schedule is a number of runs for each candidate, at most `m` in all. A candidate is accepted at `st` successes,
//! dropped at `nr − st + 1` failures and never run more than `nr` times.

/// The numbers of ND3MIN's oracle (section 3): how often, and how well, a trace must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// `m`: runs at once.
    pub parallel: usize,
    /// `nr`: runs of one candidate at the most.
    pub runs: usize,
    /// `st`: successes that accept a candidate.
    pub successes: usize,
}

impl Rule {
    /// The rule of the paper's evaluation (section 5).
    pub const PAPER: Self = Self { parallel: 15, runs: 20, successes: 18 };

    /// The most failures that a candidate survives.
    pub fn spare_failures(self) -> usize {
        self.runs.saturating_sub(self.successes)
    }
}

/// What a candidate's runs have shown so far: `(s, f)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tally {
    /// Runs that met the goal.
    pub successes: usize,
    /// Runs that did not.
    pub failures: usize,
}

impl Tally {
    /// All runs.
    pub fn runs(self) -> usize {
        self.successes + self.failures
    }

    /// It has passed.
    pub fn is_accepted(self, rule: Rule) -> bool {
        self.successes >= rule.successes
    }

    /// It cannot pass any more.
    pub fn is_dropped(self, rule: Rule) -> bool {
        self.failures > rule.spare_failures()
    }

    /// More runs can still change what is known.
    pub fn is_open(self, rule: Rule) -> bool {
        !self.is_accepted(rule) && !self.is_dropped(rule)
    }

    /// How many more runs are allowed.
    fn room(self, rule: Rule) -> usize {
        if self.is_dropped(rule) { 0 } else { rule.runs.saturating_sub(self.runs()) }
    }

    fn rate(self) -> f64 {
        if self.runs() == 0 { 0.0 } else { self.successes as f64 / self.runs() as f64 }
    }
}

/// The schedules that need no table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Naive {
    /// [`greedy`].
    Greedy,
    /// [`round_robin`].
    RoundRobin,
    /// [`heuristic`].
    Heuristic {
        /// `c`: the rate from which on a candidate is expected to pass.
        likely: f64,
    },
}

impl Naive {
    /// The heuristic with the paper's `c`.
    pub const HEURISTIC: Self = Self::Heuristic { likely: 0.8 };

    /// How many runs each candidate gets.
    pub fn plan(self, tallies: &[Tally], rule: Rule) -> Vec<usize> {
        match self {
            Self::Greedy => greedy(tallies, rule),
            Self::RoundRobin => round_robin(tallies, rule),
            Self::Heuristic { likely } => heuristic(tallies, rule, likely),
        }
    }
}

/// All runs of one candidate after the other (section 4.1).
pub fn greedy(tallies: &[Tally], rule: Rule) -> Vec<usize> {
    let mut left = rule.parallel;
    tallies
        .iter()
        .map(|tally| {
            let given = tally.room(rule).min(left);
            left -= given;
            given
        })
        .collect()
}

/// One run for each candidate, again and again (section 4.1).
pub fn round_robin(tallies: &[Tally], rule: Rule) -> Vec<usize> {
    let mut given = vec![0; tallies.len()];
    deal(&mut given, tallies, 0..tallies.len(), rule);
    given
}

/// Exploration followed by greedy (section 4.2, Figure 3): first what seems to pass, then what seems not to.
///
/// As long as a candidate has no run at all, it comes first: with more candidates than runs at once, the paper's first
/// round cannot reach all of them.
pub fn heuristic(tallies: &[Tally], rule: Rule, likely: f64) -> Vec<usize> {
    let mut given = vec![0; tallies.len()];
    let unknown: Vec<usize> = (0..tallies.len()).filter(|&ix| tallies[ix].runs() == 0).collect();
    if unknown.len() == tallies.len() {
        return round_robin(tallies, rule);
    }
    for &ix in unknown.iter().take(rule.parallel) {
        given[ix] = 1;
    }
    let mut order: Vec<usize> =
        (0..tallies.len()).filter(|&ix| tallies[ix].runs() > 0 && tallies[ix].room(rule) > 0).collect();
    order.sort_by(|&one, &other| promising(tallies[one], tallies[other]));
    let (likely_ones, others): (Vec<usize>, Vec<usize>) =
        order.iter().partition(|&&ix| tallies[ix].rate() >= likely);
    let mut deferred = Vec::new();
    for ix in likely_ones {
        let left = rule.parallel - given.iter().sum::<usize>();
        let tally = tallies[ix];
        let missing = rule.successes.saturating_sub(tally.successes) as f64;
        let wanted = tally.room(rule).min(ceil(missing / tally.rate()));
        if wanted <= left {
            given[ix] = wanted;
        } else if wanted <= rule.parallel {
            deferred.push(ix);
        } else {
            given[ix] = left;
        }
    }
    deal(&mut given, tallies, deferred, rule);
    for ix in others {
        let left = rule.parallel - given.iter().sum::<usize>();
        let tally = tallies[ix];
        let missing = (rule.spare_failures() + 1).saturating_sub(tally.failures) as f64;
        let wanted = tally.room(rule).min(ceil(missing / (1.0 - tally.rate())));
        given[ix] = wanted.min(left);
    }
    order.extend(unknown);
    deal(&mut given, tallies, order, rule);
    given
}

/// Figure 3's order: by rate, then by successes, the best first. Without a success both are zero, and the one with fewer
/// failures comes first, so that the order never depends on where a candidate stands.
pub(super) fn promising(one: Tally, other: Tally) -> std::cmp::Ordering {
    let rates = other.rate().total_cmp(&one.rate());
    rates.then(other.successes.cmp(&one.successes)).then(one.failures.cmp(&other.failures))
}

fn ceil(runs: f64) -> usize {
    // The quotient of two small numbers: what is a rounding error above a whole number is that number.
    (runs - 1e-9).ceil().max(0.0) as usize
}

/// Deals what is left of a schedule in turns, as far as each candidate has room.
fn deal(
    given: &mut [usize],
    tallies: &[Tally],
    order: impl IntoIterator<Item = usize, IntoIter: Clone>,
    rule: Rule,
) {
    let order = order.into_iter();
    let mut left = rule.parallel.saturating_sub(given.iter().sum());
    loop {
        let before = left;
        for ix in order.clone() {
            if left > 0 && given[ix] < tallies[ix].room(rule) {
                given[ix] += 1;
                left -= 1;
            }
        }
        if left == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallies<const N: usize>(pairs: [(usize, usize); N]) -> [Tally; N] {
        pairs.map(|(successes, failures)| Tally { successes, failures })
    }

    /// The worked table: section 4's example with three candidates and m = 15.
    #[test]
    fn greedy_runs_one_candidate_after_the_other() {
        let rule = Rule::PAPER;
        assert_eq!(greedy(&tallies([(0, 0), (0, 0), (0, 0)]), rule), [15, 0, 0]);
        assert_eq!(greedy(&tallies([(13, 2), (0, 0), (0, 0)]), rule), [5, 10, 0]);
        assert_eq!(greedy(&tallies([(17, 3), (3, 7), (0, 0)]), rule), [0, 0, 15]);
        assert_eq!(greedy(&tallies([(17, 3), (3, 7), (15, 0)]), rule), [0, 0, 5]);
    }

    #[test]
    fn round_robin_deals_in_turns() {
        let rule = Rule::PAPER;
        assert_eq!(round_robin(&tallies([(0, 0), (0, 0), (0, 0)]), rule), [5, 5, 5]);
        assert_eq!(round_robin(&tallies([(4, 1), (2, 3), (5, 0)]), rule), [8, 0, 7]);
        assert_eq!(round_robin(&tallies([(11, 2), (2, 3), (12, 0)]), rule), [7, 0, 8]);
    }

    #[test]
    fn the_heuristic_confirms_the_most_promising_first() {
        let rule = Rule::PAPER;
        assert_eq!(heuristic(&tallies([(0, 0), (0, 0), (0, 0)]), rule, 0.8), [5, 5, 5]);
        assert_eq!(heuristic(&tallies([(4, 1), (2, 3), (5, 0)]), rule, 0.8), [2, 0, 13]);
        let accepted = tallies([(6, 1), (2, 3), (18, 0)]);
        assert!(accepted[2].is_accepted(rule));
    }

    #[test]
    fn with_more_candidates_than_runs_at_once_each_gets_its_first_run_before_any_gets_a_third() {
        let rule = Rule { parallel: 4, ..Rule::PAPER };
        let mut all = vec![Tally::default(); 6];
        let first = heuristic(&all, rule, 0.8);
        assert_eq!(first, [1, 1, 1, 1, 0, 0]);
        for tally in &mut all[..4] {
            tally.successes = 1;
        }
        let second = heuristic(&all, rule, 0.8);
        assert_eq!(second[4..], [1, 1]);
        assert_eq!(second.iter().sum::<usize>(), 4);
    }

    proptest::proptest! {
        #[test]
        fn no_schedule_wastes_or_exceeds_runs(
            pairs in proptest::collection::vec((0_usize..=20, 0_usize..=20), 1..8),
            parallel in 1_usize..20, runs in 1_usize..=20, short in 0_usize..6,
        ) {
            let rule = Rule { parallel, runs, successes: runs.saturating_sub(short).max(1) };
            let open: Vec<Tally> = pairs
                .into_iter()
                .map(|(successes, failures)| Tally { successes, failures })
                .filter(|tally| tally.is_open(rule) && tally.runs() <= runs)
                .collect();
            let room: usize = open.iter().map(|tally| tally.room(rule)).sum();
            for given in [greedy(&open, rule), round_robin(&open, rule), heuristic(&open, rule, 0.8)] {
                proptest::prop_assert_eq!(given.iter().sum::<usize>(), room.min(parallel));
                for (given, tally) in given.iter().zip(&open) {
                    proptest::prop_assert!(*given <= tally.room(rule));
                }
            }
        }
    }
}
