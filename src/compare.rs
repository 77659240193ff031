//! Many runs against each other: every abstraction with every strategy on every app, with paired seeds.
//!
//! A run is a function of app, combination and seed, so what comes out depends neither on the number of threads nor on
//! how often the comparison was interrupted. Run `k` of every combination has the same seed, and it is the run that
//! `siamang explore --seed` makes.

mod engine;
pub mod folder;
pub mod measure;
pub mod outcome;
pub mod page;
pub mod svg;
pub mod tables;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::abstraction::{DecisionTree, registry};
use crate::campaign::Control;
use crate::device::virtual_device::app::App;
use crate::explore::{Budget, ExploreConfig};
use crate::nearest::unknown;
use crate::numbers::{counted, thousands};
use crate::strategy::StrategyChoice;
use crate::target::Subject;
use crate::trace::StoreError;
use measure::{Measured, measure};

/// What is compared. Equal plans have equal results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of this format.
    pub format: u32,
    /// The siamang that makes the runs.
    pub siamang: String,
    /// A hash of how it is configured and of what it does on a small app: runs of another engine are not mixed in.
    pub engine: String,
    /// The decision tree from which abstractions that evolve start, if it is not their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_tree: Option<String>,
    /// The apps.
    pub targets: Vec<PlannedTarget>,
    /// What is tried on each.
    pub combinations: Vec<Combination>,
    /// How many runs each combination has on each app.
    pub runs: u64,
    /// How many steps a run has.
    pub steps: u64,
    /// The seed of the first run; each further run has the next.
    pub seed: u64,
}

/// An app of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTarget {
    /// The target as the user named it.
    pub target: String,
    /// The app's name.
    pub app: String,
    /// The hash of the app: another one means another version.
    pub app_hash: String,
    /// How many branches the app has; 0 where that is not known.
    pub branches: u64,
}

/// One way to explore.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Combination {
    /// The abstraction.
    pub abstraction: String,
    /// The strategy.
    pub strategy: String,
}

/// One run of a plan, by positions in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Job {
    /// The position of the app.
    pub target: usize,
    /// The position of the combination.
    pub combination: usize,
    /// Which run it is, from 0.
    pub run: u64,
}

/// A finished run: one line of `runs.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Which run of the plan it is.
    #[serde(flatten)]
    pub job: Job,
    /// Its seed.
    pub seed: u64,
    /// What it did.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Why a comparison cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A name that is not known.
    #[error("{0}")]
    Unknown(String),
    /// Nothing to compare.
    #[error("{0}")]
    Empty(&'static str),
    /// More than can be done.
    #[error("{0}")]
    TooMany(String),
    /// A result could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder belongs to another comparison.
    #[error(
        "{folder} holds another comparison ({difference}); name another folder with --out, or repeat its arguments"
    )]
    OtherPlan {
        /// The folder.
        folder: String,
        /// What differs.
        difference: &'static str,
    },
    /// A device failed and did not come back.
    #[error("{0}; what was measured so far is kept, and the same command goes on")]
    Lost(#[from] crate::device::DeviceError),
    /// A run panicked.
    #[error("a run died; this is a fault of siamang")]
    Died,
}

impl Plan {
    /// The version that this program writes.
    pub const FORMAT: u32 = 2;

    /// So many runs are made of all combinations on all apps together: the results of all are in memory at the end.
    pub const MAX_RUNS: u64 = 100_000;

    /// So many steps a run has at the most; such a run takes hours.
    pub const MAX_STEPS: u64 = 1_000_000_000;

    /// All combinations of these names on these apps. A name that is given twice counts once.
    pub fn new(
        targets: Vec<PlannedTarget>,
        abstractions: &[String],
        strategies: &[String],
        runs: u64,
        steps: u64,
        seed: u64,
    ) -> Result<Self, CompareError> {
        Self::starting_from(None, targets, abstractions, strategies, runs, steps, seed)
    }

    /// The same, where abstractions that evolve start from a tree of the user's.
    pub fn starting_from(
        initial: Option<&DecisionTree>,
        targets: Vec<PlannedTarget>,
        abstractions: &[String],
        strategies: &[String],
        runs: u64,
        steps: u64,
        seed: u64,
    ) -> Result<Self, CompareError> {
        let mut combinations: Vec<Combination> = Vec::new();
        for abstraction in abstractions {
            for strategy in strategies {
                let combination =
                    Combination { abstraction: abstraction.clone(), strategy: strategy.clone() };
                combination.config(steps, initial)?;
                if !combinations.contains(&combination) {
                    combinations.push(combination);
                }
            }
        }
        let all = (targets.len() as u64).saturating_mul(combinations.len() as u64).saturating_mul(runs);
        let empty = [
            (targets.is_empty(), "there is no app to compare on; name a target"),
            (combinations.is_empty(), "there is nothing to compare; name an abstraction and a strategy"),
            (runs == 0, "--runs 0 would do nothing; use 1 or more"),
            (steps == 0, "--steps 0 would do nothing; use 1 or more"),
        ];
        if let Some((_, message)) = empty.into_iter().find(|(is_empty, _)| *is_empty) {
            return Err(CompareError::Empty(message));
        }
        if all > Self::MAX_RUNS {
            return Err(CompareError::TooMany(format!(
                "{} with {} on {} are {} runs, more than the {} that a comparison can hold; use fewer --runs, or compare in parts",
                counted(runs, "run"),
                counted(combinations.len() as u64, "combination"),
                counted(targets.len() as u64, "app"),
                if all == u64::MAX { "far too many".to_owned() } else { thousands(all) },
                thousands(Self::MAX_RUNS)
            )));
        }
        if steps > Self::MAX_STEPS {
            return Err(CompareError::TooMany(format!(
                "--steps {} would never end; use {} at the most",
                thousands(steps),
                thousands(Self::MAX_STEPS)
            )));
        }
        Ok(Self {
            format: Self::FORMAT,
            siamang: env!("CARGO_PKG_VERSION").to_owned(),
            engine: engine::fingerprint(&combinations, initial)?,
            initial_tree: initial.map(DecisionTree::to_toml),
            targets,
            combinations,
            runs,
            steps,
            seed,
        })
    }

    /// All runs, so ordered that what is finished is as even as can be.
    pub fn jobs(&self) -> Vec<Job> {
        let targets = 0..self.targets.len();
        let pairs = move |run| {
            let combinations = self.combinations.len();
            targets.clone().flat_map(move |target| {
                (0..combinations).map(move |combination| Job { target, combination, run })
            })
        };
        (0..self.runs).flat_map(pairs).collect()
    }

    /// A run's seed: the same for all combinations and apps.
    pub fn seed_of(&self, job: Job) -> u64 {
        self.seed.wrapping_add(job.run)
    }

    /// What a combination is called: where there is one strategy only, it goes without saying.
    pub fn label(&self, combination: usize) -> String {
        let Combination { abstraction, strategy } = &self.combinations[combination];
        let one_strategy = self.combinations.iter().all(|other| other.strategy == *strategy);
        if one_strategy { abstraction.clone() } else { format!("{abstraction}/{strategy}") }
    }

    /// What differs from another plan, if anything does.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            (self.format != other.format, "another format"),
            (self.siamang != other.siamang, "another version of siamang"),
            (self.initial_tree != other.initial_tree, "another initial tree"),
            (self.targets != other.targets, "other apps"),
            (self.combinations != other.combinations, "other abstractions or strategies"),
            (self.runs != other.runs, "another number of runs"),
            (self.steps != other.steps, "another number of steps"),
            (self.seed != other.seed, "another seed"),
            (self.engine != other.engine, "an engine that behaves otherwise, though its version is the same"),
        ];
        differences.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what)
    }

    fn run(
        &self,
        job: Job,
        apps: &[Subject],
        initial: Option<&DecisionTree>,
        control: &Control,
    ) -> Result<Option<RunResult>, CompareError> {
        let config = self.combinations[job.combination].config(self.steps, initial)?;
        let seed = self.seed_of(job);
        let measured = measure(&apps[job.target], config, seed, control)?;
        Ok(measured.map(|measured| RunResult { job, seed, measured }))
    }

    /// Makes these runs on so many threads and hands over each as it is finished, in any order. Interrupted, it drops the
    /// runs that are under way. The apps are those of the plan, in its order.
    pub fn execute(
        &self,
        apps: &[Subject],
        jobs: &[Job],
        threads: usize,
        control: &Control,
        mut finished: impl FnMut(RunResult) -> Result<(), StoreError>,
    ) -> Result<(), CompareError> {
        let initial = self.initial_tree.as_deref().map(DecisionTree::from_toml).transpose();
        let initial = initial.map_err(|error| CompareError::Unknown(error.to_string()))?;
        let next = AtomicUsize::new(0);
        let (sender, results) = std::sync::mpsc::channel();
        let work = |sender: std::sync::mpsc::Sender<RunResult>| -> Result<(), CompareError> {
            while let Some(&job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Some(result) = self.run(job, apps, initial.as_ref(), control)? else { break };
                if sender.send(result).is_err() {
                    break;
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let spawn = |_| {
                let (work, sender) = (&work, sender.clone());
                scope.spawn(move || work(sender))
            };
            let workers: Vec<_> = (0..threads.clamp(1, jobs.len().max(1))).map(spawn).collect();
            drop(sender);
            let mut stored = Ok(());
            for result in results {
                if stored.is_ok() {
                    stored = finished(result);
                }
                if stored.is_err() {
                    control.interrupt();
                }
            }
            for worker in workers {
                worker.join().map_err(|_| CompareError::Died)??;
            }
            Ok(stored?)
        })
    }
}

impl Combination {
    fn config(&self, steps: u64, initial: Option<&DecisionTree>) -> Result<ExploreConfig, CompareError> {
        let strategy = StrategyChoice::named(&self.strategy).ok_or_else(|| {
            let names = StrategyChoice::NAMES;
            let message = unknown("strategy", &self.strategy, names.into_iter());
            CompareError::Unknown(format!("{message}; the strategies are {}", names.join(", ")))
        })?;
        let abstraction = registry::find(&self.abstraction).ok_or_else(|| {
            let names: Vec<&str> = registry::REGISTRY.iter().map(|entry| entry.name).collect();
            let message = unknown("abstraction", &self.abstraction, names.iter().copied());
            CompareError::Unknown(format!("{message}; the abstractions are {}", names.join(", ")))
        })?;
        let initial_tree = initial.cloned();
        Ok(ExploreConfig {
            budget: Budget { steps },
            strategy,
            abstraction,
            initial_tree,
            ..ExploreConfig::default()
        })
    }
}

impl PlannedTarget {
    /// An app that is ready to run.
    pub fn of(target: String, subject: &Subject) -> Self {
        match subject {
            Subject::Model(app) => Self::new(target, app),
            #[cfg(feature = "jvm")]
            Subject::Apk(..) => {
                Self { target, app: subject.name().to_owned(), app_hash: subject.hash(), branches: 0 }
            }
        }
    }

    /// An app by its name and its contents.
    pub fn new(target: String, app: &App) -> Self {
        Self {
            target,
            app: app.name.to_string(),
            app_hash: format!("{:016x}", app.hash),
            branches: app.rules.len() as u64,
        }
    }
}
