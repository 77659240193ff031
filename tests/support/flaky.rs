//! Apps whose crash shows only now and then.

use std::ops::Range;

use rand::RngExt;
use siamang::seed::Seed;
use siamang::shrink::nd3min::Settings;
use siamang::shrink::noise::{KEPT_SHARE, Known, Noise, Rate};
use siamang::shrink::registry::Algorithm;
use siamang::shrink::{Ask, RunRecord, Setup, Shrinker, Verdict};
use siamang::trace::Trace;

use crate::sample::{Case, Make};

/// What came of a sample of flaky apps, as means and shares.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flaky {
    /// Runs without the certificate.
    pub runs: f64,
    /// Runs for the certificate.
    pub certificate: f64,
    /// All runs; nine of ten needed at most so many.
    pub total_p90: f64,
    pub length: f64,
    /// The share that ended with the length of the shortest way.
    pub optimal: f64,
    /// The share whose certificate reads high enough against the true rate, which is the same for all lists here. Where
    /// lists differ in their rate a test of its own looks at the true one.
    pub certified: f64,
    /// The share that reproduced at all.
    pub reproduced: f64,
    /// The most runs that one case needed more than without handling of noise, the certificate apart.
    pub most_extra: f64,
}

/// Shrinks cases whose crash shows with a probability, on devices that do not claim to be deterministic.
pub fn flaky(algorithm: &Algorithm, rate: f64, family: &str, seeds: Range<u64>, make: Make) -> Flaky {
    let share = 1.0 / (seeds.end - seeds.start) as f64;
    let mut all = Flaky::default();
    let mut totals = Vec::new();
    for seed in seeds {
        let Case { trace, optimum, mut run } = make(family, seed);
        let mut chance = Seed(seed).named("flaky").rng();
        let steady = shrunk(algorithm, Setup::new(trace.clone()), &mut run);
        let mut by_chance = |trace: &Trace| {
            let record = run(trace);
            let silent = record.verdict == Verdict::Reproduced && chance.random::<f64>() >= rate;
            if silent { RunRecord { verdict: Verdict::NotReproduced, ..record } } else { record }
        };
        let noise = Noise::Chance(Known::default());
        let setup = Setup { noise, nd3min: Settings::default(), ..Setup::new(trace) };
        let shrinker = shrunk(algorithm, setup, &mut by_chance);
        let counts = shrinker.counts();
        let (certified, certificate) = certificate(shrinker.as_ref());
        let runs = (counts.runs + counts.certificate - certificate) as f64;
        totals.push(runs + certificate as f64);
        all.runs += share * runs;
        all.certificate += share * certificate as f64;
        all.length += share * shrinker.best().cost() as f64;
        all.optimal += share * f64::from(u8::from(shrinker.best().cost() == optimum));
        let enough = certified.runs() > 0 && certified.share() >= KEPT_SHARE * rate;
        all.certified += share * f64::from(u8::from(enough));
        all.reproduced += share * f64::from(u8::from(shrinker.confirmed()));
        all.most_extra = all.most_extra.max(runs - steady.counts().runs as f64);
    }
    totals.sort_unstable_by(f64::total_cmp);
    all.total_p90 = totals[(totals.len() * 9).div_ceil(10) - 1];
    all
}

/// How often the result reproduced in its certificate, and how many runs went into it. ND3MIN has its final check, and a
/// result that it refused to shorten has none.
fn certificate(shrinker: &dyn Shrinker) -> (Rate, u64) {
    if let Some(findings) = shrinker.nd3min() {
        let tally = findings.check.map(|check| check.tally).unwrap_or_default();
        let rate = Rate { hits: tally.successes as u32, silent: tally.failures as u32 };
        return (rate, u64::from(rate.runs()));
    }
    let certificate = shrinker.certificate().expect("chance has a part");
    (certificate.result, shrinker.counts().certificate)
}

fn shrunk(
    algorithm: &Algorithm,
    setup: Setup,
    run: &mut dyn FnMut(&Trace) -> RunRecord,
) -> Box<dyn Shrinker> {
    let mut shrinker = (algorithm.make)(setup);
    while let Ask::Run(candidates) = shrinker.ask(1) {
        for candidate in candidates {
            shrinker.tell(candidate.id, &run(&candidate.trace()));
        }
    }
    shrinker
}
