//! What a comparison comes to: medians, failures, and who beat whom.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;

use super::measure::{Known, METRICS, Measured, POINTS};
use super::{Job, Plan, RunResult};
use crate::abstraction::registry;
use crate::oracle::Signature;
use crate::stats::{a12, holm, mann_whitney, mean, median, quartiles};
use crate::strategy::StrategyChoice;

/// The results of a plan, a function of its runs.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The plan.
    pub plan: Plan,
    /// The abstractions, each once.
    pub abstractions: Vec<Compared>,
    /// The strategies, each once.
    pub strategies: Vec<Compared>,
    /// Each app.
    pub targets: Vec<TargetOutcome>,
    /// Each pair of combinations over all apps.
    pub duels: Vec<Duel>,
}

/// An abstraction or a strategy that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// What happened on one app.
#[derive(Clone, Debug, Serialize)]
pub struct TargetOutcome {
    /// The target as the user named it.
    pub target: String,
    /// The app's name.
    pub app: String,
    /// How many branches it has.
    pub branches: u64,
    /// One row for each combination.
    pub rows: Vec<Row>,
    /// All failures that any run found.
    pub failures: Vec<FailureRow>,
    /// Each pair of combinations.
    pub pairs: Vec<Pair>,
}

/// What one combination did on one app.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What it is called.
    pub label: String,
    /// How many runs there are.
    pub runs: usize,
    /// How often it beat, equalled and was beaten by another.
    pub score: Score,
    /// What was measured, by the keys of [`METRICS`].
    pub measures: IndexMap<&'static str, Spread>,
    /// Branches covered after each hundredth of the steps.
    pub curve: Vec<Spread>,
}

/// The middle of some runs, and how far apart they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The lower quartile.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub high: f64,
}

/// A failure and who found it.
#[derive(Clone, Debug, Serialize)]
pub struct FailureRow {
    /// Its key.
    pub signature: Signature,
    /// By combination, in the plan's order.
    pub found: Vec<Finding>,
}

/// How often and when a combination found a failure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Finding {
    /// In how many runs.
    pub runs: usize,
    /// The median of the steps to it, of the runs that found it.
    pub median_step: Option<f64>,
}

/// Two combinations on one app, by their areas under the coverage curve.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The position of the one.
    pub left: usize,
    /// The position of the other.
    pub right: usize,
    /// How probably a run of the one is better than a run of the other.
    pub a12: f64,
    /// The Mann-Whitney test's p-value.
    pub p: f64,
    /// The same after Holm's correction for all pairs on all apps.
    pub p_holm: f64,
    /// Who is better.
    pub verdict: Verdict,
}

/// Who is better, from the left one's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The left one.
    Won,
    /// The runs do not tell.
    Tied,
    /// The right one.
    Lost,
}

/// Counts of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Better than the other.
    pub won: usize,
    /// Not told apart.
    pub tied: usize,
    /// Worse than the other.
    pub lost: usize,
}

/// Two combinations over all apps.
#[derive(Clone, Debug, Serialize)]
pub struct Duel {
    /// What the one is called.
    pub left: String,
    /// What the other is called.
    pub right: String,
    /// The median of the apps' A12.
    pub median_a12: f64,
    /// On how many apps the one was better, equal or worse.
    pub score: Score,
}

/// A corrected p-value below this decides.
pub const SIGNIFICANT: f64 = 0.05;

impl Outcome {
    /// What these runs come to.
    pub fn of(plan: &Plan, runs: &BTreeMap<Job, RunResult>) -> Self {
        let of_target = |target| {
            let combinations = 0..plan.combinations.len();
            let samples: Vec<Vec<&Measured>> = combinations
                .map(|combination| {
                    let jobs = (0..plan.runs).map(|run| Job { target, combination, run });
                    jobs.filter_map(|job| runs.get(&job)).map(|result| &result.measured).collect()
                })
                .collect();
            TargetOutcome::of(plan, target, &samples)
        };
        let mut targets: Vec<TargetOutcome> = (0..plan.targets.len()).map(of_target).collect();
        decide(&mut targets);
        let duels = duels(plan, &targets);
        Self {
            plan: plan.clone(),
            abstractions: Compared::abstractions(plan),
            strategies: Compared::strategies(plan),
            targets,
            duels,
        }
    }
}

impl Compared {
    fn abstractions(plan: &Plan) -> Vec<Self> {
        Self::each_once(plan.combinations.iter().filter_map(|combination| {
            let entry = registry::find(&combination.abstraction)?;
            Some(Self { name: entry.name, about: entry.about, source: entry.source })
        }))
    }

    fn strategies(plan: &Plan) -> Vec<Self> {
        Self::each_once(plan.combinations.iter().filter_map(|combination| {
            let strategy = StrategyChoice::named(&combination.strategy)?;
            Some(Self { name: strategy.name(), about: strategy.about(), source: strategy.source() })
        }))
    }

    /// In the order of the plan.
    fn each_once(all: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut known: Vec<Self> = Vec::new();
        for one in all {
            if !known.contains(&one) {
                known.push(one);
            }
        }
        known
    }
}

impl TargetOutcome {
    fn of(plan: &Plan, target: usize, samples: &[Vec<&Measured>]) -> Self {
        let pairs = pairs(samples);
        let known = Known::of(samples.iter().flatten().copied());
        let row = |(combination, sample): (usize, &Vec<&Measured>)| {
            let spread = |of: fn(&Measured, Known) -> Option<f64>| {
                Spread::of(&sample.iter().filter_map(|run| of(run, known)).collect::<Vec<f64>>())
            };
            let measures = METRICS.iter().filter_map(|metric| Some((metric.key, spread(metric.of)?)));
            let point = |point: usize| sample.iter().map(|run| run.curve[point] as f64).collect::<Vec<f64>>();
            Row {
                label: plan.label(combination),
                runs: sample.len(),
                score: Score::default(),
                measures: measures.collect(),
                curve: (0..POINTS).filter_map(|at| Spread::of(&point(at))).collect(),
            }
        };
        let planned = &plan.targets[target];
        Self {
            target: planned.target.clone(),
            app: planned.app.clone(),
            branches: planned.branches,
            rows: samples.iter().enumerate().map(row).collect(),
            failures: failures(samples),
            pairs,
        }
    }
}

impl TargetOutcome {
    /// What is counted as covered: of an APK, whose branches nobody knows beforehand, what JaCoCo calls probes.
    pub fn branches_word(&self) -> &'static str {
        if self.branches > 0 { "branches" } else { "probes" }
    }
}

impl Spread {
    /// The spread of a sample; none of nothing.
    pub fn of(sample: &[f64]) -> Option<Self> {
        let middle = quartiles(sample)?;
        Some(Self { mean: mean(sample)?, low: middle.low, median: middle.median, high: middle.high })
    }
}

impl Score {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Won => self.won += 1,
            Verdict::Tied => self.tied += 1,
            Verdict::Lost => self.lost += 1,
        }
    }
}

impl Verdict {
    /// The verdict in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Tied => "tied",
            Self::Lost => "lost",
        }
    }

    fn turned(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::Tied => Self::Tied,
            Self::Lost => Self::Won,
        }
    }
}

fn pairs(samples: &[Vec<&Measured>]) -> Vec<Pair> {
    let areas: Vec<Vec<f64>> =
        samples.iter().map(|sample| sample.iter().map(|run| run.area).collect()).collect();
    let mut pairs = Vec::new();
    for left in 0..areas.len() {
        for right in left + 1..areas.len() {
            let known = a12(&areas[left], &areas[right]).zip(mann_whitney(&areas[left], &areas[right]));
            let Some((a12, p)) = known else { continue };
            pairs.push(Pair { left, right, a12, p, p_holm: p, verdict: Verdict::Tied });
        }
    }
    pairs
}

/// Who won, tied and lost. All pairs on all apps are one family of comparisons: the more apps, the more false alarms there
/// would be.
fn decide(targets: &mut [TargetOutcome]) {
    let all: Vec<f64> = targets.iter().flat_map(|target| &target.pairs).map(|pair| pair.p).collect();
    let pairs = targets.iter_mut().flat_map(|target| &mut target.pairs);
    for (pair, p_holm) in pairs.zip(holm(&all)) {
        pair.p_holm = p_holm;
        pair.verdict = match (p_holm < SIGNIFICANT, pair.a12 > 0.5) {
            (false, _) => Verdict::Tied,
            (true, true) => Verdict::Won,
            (true, false) => Verdict::Lost,
        };
    }
    for TargetOutcome { rows, pairs, .. } in targets {
        for (combination, row) in rows.iter_mut().enumerate() {
            row.score = score(pairs, combination);
        }
    }
}

fn score(pairs: &[Pair], combination: usize) -> Score {
    let mut score = Score::default();
    for pair in pairs {
        if pair.left == combination {
            score.add(pair.verdict);
        } else if pair.right == combination {
            score.add(pair.verdict.turned());
        }
    }
    score
}

/// In the order of how early they were found by anyone, then by name.
fn failures(samples: &[Vec<&Measured>]) -> Vec<FailureRow> {
    let mut steps: BTreeMap<&Signature, Vec<Vec<f64>>> = BTreeMap::new();
    for (combination, sample) in samples.iter().enumerate() {
        for found in sample.iter().flat_map(|run| &run.failures) {
            let of_all = steps.entry(&found.signature).or_insert_with(|| vec![Vec::new(); samples.len()]);
            of_all[combination].push(found.step as f64);
        }
    }
    let first = |of_all: &[Vec<f64>]| of_all.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let mut rows: Vec<_> = steps.into_iter().collect();
    rows.sort_by(|(_, one), (_, other)| first(one).total_cmp(&first(other)));
    let row = |(signature, of_all): (&Signature, Vec<Vec<f64>>)| FailureRow {
        signature: signature.clone(),
        found: of_all.iter().map(|steps| Finding { runs: steps.len(), median_step: median(steps) }).collect(),
    };
    rows.into_iter().map(row).collect()
}

fn duels(plan: &Plan, targets: &[TargetOutcome]) -> Vec<Duel> {
    let mut duels = Vec::new();
    for left in 0..plan.combinations.len() {
        for right in left + 1..plan.combinations.len() {
            let of_target = |target: &TargetOutcome| {
                let pair = target.pairs.iter().find(|pair| (pair.left, pair.right) == (left, right))?;
                Some((pair.a12, pair.verdict))
            };
            let known: Vec<(f64, Verdict)> = targets.iter().filter_map(of_target).collect();
            let a12s: Vec<f64> = known.iter().map(|(a12, _)| *a12).collect();
            let Some(median_a12) = median(&a12s) else { continue };
            let mut score = Score::default();
            for (_, verdict) in &known {
                score.add(*verdict);
            }
            duels.push(Duel { left: plan.label(left), right: plan.label(right), median_a12, score });
        }
    }
    duels
}
