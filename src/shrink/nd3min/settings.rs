//! The numbers of ND3MIN, as the paper calls them and as people write them.

use std::sync::Arc;

use super::mdp::{Mdp, MdpError};
use super::prior::{Prior, PriorError};
use super::schedule::{Naive, Rule};

/// How to minimise.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `n`: the parts that a trace is cut into at first.
    pub candidates: usize,
    /// `m`, `nr` and `st`.
    pub rule: Rule,
    /// Which candidates get the next runs.
    pub schedule: Schedule,
    /// What is thought of a trace before it is run.
    pub prior: Prior,
    /// How often the original is run before anything else, and the result in the end.
    pub check_runs: usize,
    /// With fewer successes the original is refused.
    pub check_successes: usize,
    /// Also where the device is deterministic, and one run would tell everything.
    pub always: bool,
}

/// Which candidates get the next runs.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// A schedule without a table.
    Naive(Naive),
    /// The optimum, where the table holds the state; else the heuristic.
    Exact {
        /// The table.
        mdp: Arc<Mdp>,
        /// `c`: the rate from which on a candidate is expected to pass, for the heuristic.
        likely: f64,
    },
}

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A word is not known.
    #[error(
        "`{0}` is no setting of nd3min; write n=5,m=15,nr=20,st=18,c=0.8,checks=20,least=15,\
         schedule=exact|heuristic|round-robin|greedy,memory=1024"
    )]
    Word(String),
    /// A number makes no sense.
    #[error("`{0}` of nd3min is out of range: {1}")]
    Range(String, &'static str),
    /// The prior is none.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// The table of the exact schedule does not fit.
    #[error(
        "the exact schedule, which is for up to {} candidates whatever n is, needs a table of {needed} MB for this nr and st, \
         and {given} MB are given; use memory={needed}, schedule=heuristic or a smaller nr - st",
        Mdp::MAX_CANDIDATES
    )]
    Memory {
        /// Megabytes that the table takes.
        needed: u64,
        /// Megabytes that it may take.
        given: u64,
    },
    /// The table cannot be made.
    #[error(transparent)]
    Mdp(MdpError),
}

impl From<MdpError> for SettingsError {
    fn from(error: MdpError) -> Self {
        match error {
            MdpError::Memory { needed, given, .. } => Self::Memory { needed, given },
            error => Self::Mdp(error),
        }
    }
}

/// Megabytes that the value table may take unless another number is given.
const MEMORY_MB: u64 = 1_024;

/// Runs of a check at the most.
const MAX_CHECKS: usize = 10_000;
/// Runs at once at the most, whatever the number of devices is: each is planned before any is made.
const MAX_PARALLEL: usize = 10_000;

impl Default for Settings {
    /// The numbers of section 5, with the heuristic: the exact schedule needs a table.
    fn default() -> Self {
        Self {
            candidates: 5,
            rule: Rule::PAPER,
            schedule: Schedule::Naive(Naive::HEURISTIC),
            prior: Prior::default(),
            check_runs: 20,
            check_successes: 15,
            always: false,
        }
    }
}

impl Settings {
    /// For an app that always does the same, one run tells everything: then it is plain delta debugging (section 5.4).
    pub fn deterministic() -> Self {
        let rule = Rule { runs: 1, successes: 1, ..Rule::PAPER };
        Self { rule, check_runs: 1, check_successes: 1, ..Self::default() }
    }

    /// The settings for a device.
    #[must_use]
    pub fn on(self, deterministic: bool) -> Self {
        if deterministic && !self.always { Self::deterministic() } else { self }
    }

    /// The rule for the check of the original.
    pub(super) fn original(&self) -> Rule {
        Rule { runs: self.check_runs, successes: self.check_successes, ..self.rule }
    }

    /// The rule for the check of the result.
    pub(super) fn check(&self) -> Rule {
        Rule { runs: self.check_runs, successes: 0, ..self.rule }
    }

    /// Settings as people write them: `n=5,m=15,nr=20,st=18,c=0.8,checks=20,least=15,schedule=exact,memory=1024`, each
    /// optional. `parallel` is the number of devices, which is `m` unless another is given; the exact schedule is solved
    /// on this many threads, and tells now and then how far it is.
    pub fn parse(
        words: &str,
        parallel: usize,
        prior: Prior,
        threads: usize,
        told: &mut dyn FnMut(f64),
    ) -> Result<Self, SettingsError> {
        let mut settings = Self { prior, ..Self::default() };
        settings.rule.parallel = parallel;
        let (mut schedule, mut likely, mut memory) = ("exact".to_owned(), 0.8, MEMORY_MB);
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let wrong = || SettingsError::Word(word.to_owned());
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            let count = || value.parse::<usize>().map_err(|_| wrong());
            match name {
                "n" => settings.candidates = count()?,
                "m" => settings.rule.parallel = count()?,
                "nr" => settings.rule.runs = count()?,
                "st" => settings.rule.successes = count()?,
                "checks" => settings.check_runs = count()?,
                "least" => settings.check_successes = count()?,
                "memory" => memory = value.parse().map_err(|_| wrong())?,
                "c" => likely = value.parse().map_err(|_| wrong())?,
                "schedule" => value.clone_into(&mut schedule),
                _ => return Err(wrong()),
            }
        }
        let range = |name: &str, why| Err(SettingsError::Range(name.to_owned(), why));
        if settings.candidates < 2 {
            return range("n", "use 2 or more");
        }
        if settings.check_runs == 0 || settings.check_successes > settings.check_runs {
            return range("least", "use at most as many successes as checks, and at least one check");
        }
        if settings.check_runs > MAX_CHECKS {
            return range("checks", "use at most 10,000 checks");
        }
        if settings.rule.parallel > MAX_PARALLEL {
            return range("m", "use at most 10,000 devices at once");
        }
        if !(0.0..=1.0).contains(&likely) {
            return range("c", "use a rate from 0 to 1");
        }
        // The numbers must make sense for the schedules without a table, too.
        Mdp::bytes(1, settings.rule)?;
        settings.schedule = match schedule.as_str() {
            "greedy" => Schedule::Naive(Naive::Greedy),
            "round-robin" => Schedule::Naive(Naive::RoundRobin),
            "heuristic" => Schedule::Naive(Naive::Heuristic { likely }),
            "exact" => {
                let memory = memory.saturating_mul(1 << 20);
                let (most, rule, prior) = (Mdp::MAX_CANDIDATES, settings.rule, &settings.prior);
                let solved = Mdp::solve_telling(most, rule, prior, memory, threads, told)?;
                Schedule::Exact { mdp: Arc::new(solved), likely }
            }
            _ => return Err(SettingsError::Word(format!("schedule={schedule}"))),
        };
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Settings, SettingsError> {
        Settings::parse(words, 3, Prior::default(), 1, &mut |_| {})
    }

    #[test]
    fn settings_are_read_as_the_paper_calls_them() {
        let settings = parse("n=4,m=8,nr=10,st=9,c=0.7,schedule=heuristic").unwrap();
        assert_eq!(settings.candidates, 4);
        assert_eq!(settings.rule, Rule { parallel: 8, runs: 10, successes: 9 });
        assert!(matches!(settings.schedule, Schedule::Naive(Naive::Heuristic { likely }) if likely < 0.75));
        assert_eq!(parse("schedule=greedy").unwrap().rule.parallel, 3);
        let exact = parse("nr=4,st=4").unwrap();
        assert!(matches!(exact.schedule, Schedule::Exact { .. }));
    }

    #[test]
    fn wrong_settings_say_what_to_write() {
        for words in ["x=1", "n", "n=two", "schedule=best", "c=2", "n=1", "st=21", "checks=3", "nr=0", "m=0"]
        {
            assert!(parse(words).is_err(), "{words}");
        }
        for (words, word) in [("checks=1000000000000", "checks"), ("m=1000000000000", "m")] {
            let error = parse(&format!("{words},schedule=greedy")).unwrap_err();
            let told = error.to_string();
            assert!(told.contains(word) && told.contains("at most 10,000"), "{words}: {told}");
        }
        let error = parse("nr=200,st=150,memory=64").unwrap_err();
        assert!(matches!(error, SettingsError::Memory { given: 64, .. }), "{error}");
        assert!(error.to_string().contains("use memory="), "{error}");
    }
}
