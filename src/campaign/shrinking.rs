//! From a failing trace to the shortest one that is known to fail, on real devices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::runner::{Recorded, Runner};
use crate::action::Input;
use crate::device::AnyDevice;
use crate::oracle::{Failure, Signature};
use crate::report::ShrinkNote;
use crate::shrink::certify::Certificate;
use crate::shrink::driver::{Cancel, Driven, Limits, Worker, drive};
use crate::shrink::goal::Goal;
use crate::shrink::nd3min::schedule::Tally;
use crate::shrink::nd3min::{Findings, Settings as Nd3Settings};
use crate::shrink::noise::{CERTIFICATE, Known, Noise, Rate};
use crate::shrink::one_by_one::one_by_one;
use crate::shrink::path_model::PathModel;
use crate::shrink::registry::Algorithm;
use crate::shrink::simplify::simplify;
use crate::shrink::{Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::trace::Trace;
use crate::trace::event_tree::{Label, Labels};
use crate::trace::key_events::ChardConfig;

pub use crate::trace::ShrinkReport;

/// Makes the devices that candidates run on; the number tells equal devices apart.
pub type MakeDevice<'a> = &'a (dyn Fn(u64) -> AnyDevice + Sync);

/// How to shrink.
#[derive(Clone, Debug)]
pub struct ShrinkConfig {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// CHARD's rules go first: what they call ineffective is deleted as far as runs confirm it.
    pub rules_first: bool,
    /// Those rules.
    pub chard: ChardConfig,
    /// What counts as a state.
    pub label: Label,
    /// Devices at once.
    pub jobs: usize,
    /// Runs at the most, the certificate apart.
    pub max_runs: u64,
    /// The numbers of ND3MIN. Without them it takes the paper's, or one run for all where the device is deterministic.
    pub nd3min: Option<Nd3Settings>,
    /// Pictures are taken of the screens of the result.
    pub pictures: bool,
}

/// How often the result is run again on a device that states that it is deterministic.
const CERTIFICATE_RUNS: u32 = 3;

/// How often the result is run on devices as new, if it never fails to reproduce.
const NEW_RUNS: u32 = 3;

/// What a shrink came to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// What it must still do.
    pub goal: Goal,
    /// The trace as it was recorded.
    pub original: Trace,
    /// The shortest known one; the original if it never reproduced.
    pub minimal: Trace,
    /// The failure as it looks after the shortest trace.
    pub failure: Option<Failure>,
    /// How it went.
    pub report: ShrinkReport,
    /// What ND3MIN's runs showed of each candidate, for learning a prior.
    pub tallies: Vec<Tally>,
    /// The screens before the events of the shortest trace, as PNG, where they were asked for.
    pub pictures: Vec<Vec<u8>>,
}

/// One trace that is to be shortened.
pub struct Task<'a> {
    /// Makes the devices that candidates run on.
    pub make_device: MakeDevice<'a>,
    /// The trace.
    pub original: &'a Trace,
    /// What it must still do.
    pub goal: &'a Goal,
    /// What exploration has learnt about the app, with states by the label of the configuration.
    pub model: Option<PathModel>,
    /// How to shrink.
    pub config: &'a ShrinkConfig,
    /// Somebody wants it to end.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// Shrinks one trace. `note` hears of every answer.
pub fn shrink(task: Task<'_>, note: &mut dyn FnMut(ShrinkNote)) -> Shrunk {
    let Task { make_device, original, goal, model, config, interrupted } = task;
    let runners: Vec<Runner> =
        (0..config.jobs.max(1) as u64).map(|number| Runner::new(make_device(number), goal.clone())).collect();
    let original_cost = original.cost();
    let news = |best: usize, runs: u64, done: bool| {
        note(ShrinkNote { goal: goal.to_string(), original: original_cost, best, runs, done });
    };
    let mut lab = Lab { runners, config, interrupted, spent: Counts::default(), renews: false, news };
    let keeps_path = matches!(goal, Goal::Path(_));
    let (start, replay) = if keeps_path { (original.clone(), None) } else { lab.start(original) };
    let deterministic = lab.runners[0].is_deterministic();
    let noise = if deterministic { Noise::None } else { Noise::Chance(Known::default()) };
    let setup = Setup {
        noise,
        replay,
        labels: Labels::new(config.label),
        model,
        chard: config.chard.clone(),
        fails: matches!(goal, Goal::Failure(_)),
        nd3min: config.nd3min.clone().unwrap_or_default().on(deterministic),
        ..Setup::new(start)
    };
    let mut shrinker =
        if config.rules_first { config.algorithm.after_rules(setup) } else { (config.algorithm.make)(setup) };
    let mut driven = lab.drive(shrinker.as_mut());
    let reproduced = shrinker.confirmed();
    let instead = lab.runners[0].silence().filter(|_| !reproduced).map(str::to_owned);
    let mut minimal = if reproduced { shrinker.best().clone() } else { original.clone() };
    let mut certificate = shrinker.certificate();
    let Counts { proposed, refuted, .. } = shrinker.counts();
    // What ND3MIN holds to a rate must not be changed on the word of a single run.
    let nd3min = shrinker.nd3min().cloned();
    let may_simplify = !keeps_path && (deterministic || nd3min.is_none());
    if reproduced && driven == Driven::Done && may_simplify {
        driven = lab.simplify(&mut minimal, &mut certificate);
    }
    let lost = driven == Driven::DeviceLost;
    let failure = if reproduced && !lost { lab.record(&mut minimal) } else { None };
    if reproduced && !matches!(goal, Goal::Failure(_)) {
        // The short way to a screen need not fail as the long one did.
        minimal.failure = failure.as_ref().map(Signature::of);
    }
    let mut rate = match certificate {
        _ if !reproduced => Rate::default(),
        Some(certificate) if certificate.result.runs() > 0 || lost => certificate.result,
        None if lost => Rate::default(),
        _ => lab.rate(&minimal, if deterministic { CERTIFICATE_RUNS } else { CERTIFICATE }),
    };
    let used = rate;
    let mut as_new = None;
    if reproduced && !lost && lab.runners[0].wears() {
        as_new = lab.as_new(&mut minimal, used, may_simplify);
        rate = as_new.unwrap_or(used);
    }
    let wanted = config.pictures && reproduced && !lost;
    let pictures = if wanted { lab.runners[0].pictures(&minimal) } else { Vec::new() };
    let report = ShrinkReport {
        format: ShrinkReport::FORMAT,
        goal: goal.to_string(),
        algorithm: config.algorithm.name.to_owned(),
        original: original_cost,
        minimal: minimal.cost(),
        runs: lab.spent.runs,
        events: lab.spent.events,
        proposed,
        refuted,
        ended: driven.word().to_owned(),
        reproduced,
        certificate_runs: rate.runs(),
        certificate_hits: rate.hits,
        original_runs: certificate.map_or(0, |certificate| certificate.original.runs()),
        original_hits: certificate.map_or(0, |certificate| certificate.original.hits),
        new_runs: as_new.map_or(0, Rate::runs),
        used_runs: as_new.map_or(0, |_| used.runs()),
        used_hits: as_new.map_or(0, |_| used.hits),
        instead,
        nd3min: nd3min.as_ref().map(Findings::report),
    };
    (lab.news)(report.minimal, report.runs, true);
    let tallies = nd3min.map(|findings| findings.tallies).unwrap_or_default();
    Shrunk { goal: goal.clone(), original: original.clone(), minimal, failure, report, tallies, pictures }
}

/// The devices, and what is left of the budget.
struct Lab<'a, N> {
    runners: Vec<Runner>,
    config: &'a ShrinkConfig,
    interrupted: &'a (dyn Fn() -> bool + Sync),
    spent: Counts,
    /// Every run is on a device as new.
    renews: bool,
    news: N,
}

impl<N: FnMut(usize, u64, bool)> Lab<'_, N> {
    /// What to start from: most failures need nothing from before the last restart. Its run is then the replay.
    fn start(&mut self, original: &Trace) -> (Trace, Option<RunRecord>) {
        let Some(short) = since_restart(original).filter(|_| self.config.max_runs > 1) else {
            return (original.clone(), None);
        };
        let record = self.runners[0].run(&short, self.interrupted);
        self.spent.runs += 1;
        self.spent.events += record.events as u64;
        match record.verdict {
            Verdict::Reproduced => (short, Some(record)),
            _ => (original.clone(), None),
        }
    }

    /// Drives a shrinker on all devices, within what is left of the budget.
    fn drive(&mut self, shrinker: &mut dyn Shrinker) -> Driven {
        let before = self.spent.runs + self.spent.lost;
        let gone: Vec<Arc<AtomicBool>> = self.runners.iter().map(Runner::gone).collect();
        let all_gone = || gone.iter().all(|gone| gone.load(Ordering::Relaxed));
        let (stop, renews) = (self.interrupted, self.renews);
        let interrupted = || stop() || all_gone();
        let limits = Limits { runs: self.config.max_runs.saturating_sub(before), interrupted: &interrupted };
        let mut workers: Vec<Worker<'_>> = self
            .runners
            .iter_mut()
            .map(|runner| {
                Box::new(move |candidate: &Candidate, cancel: &Cancel| {
                    if renews {
                        runner.renew();
                    }
                    runner.run(&candidate.trace(), &|| cancel.is_cancelled() || stop())
                }) as Worker<'_>
            })
            .collect();
        let (news, runs) = (&mut self.news, self.spent.runs);
        let mut progress =
            |shrinker: &dyn Shrinker| news(shrinker.best().cost(), shrinker.counts().runs + runs, false);
        let driven = drive(shrinker, &mut workers, &limits, &mut progress);
        let counts = shrinker.counts();
        self.spent.runs += counts.runs;
        self.spent.lost += counts.lost;
        self.spent.events += counts.events;
        if driven == Driven::Interrupted && !stop() { Driven::DeviceLost } else { driven }
    }

    /// Simplifies the events of a minimal trace, if any of them can be simpler. What is simpler must fail as often.
    fn simplify(&mut self, minimal: &mut Trace, certificate: &mut Option<Certificate>) -> Driven {
        let touched = self.recorded(minimal).map(|recorded| recorded.touched).unwrap_or_default();
        let noise = match *certificate {
            None => Noise::None,
            Some(Certificate { result, original, pool }) => {
                let reference = if original.runs() > result.runs() { original } else { result };
                Noise::Chance(Known { pool, reference: Some(reference) })
            }
        };
        let setup = Setup { noise, labels: Labels::new(self.config.label), ..Setup::new(minimal.clone()) };
        let Some(mut simpler) = simplify(setup, &touched) else { return Driven::Done };
        let driven = self.drive(simpler.as_mut());
        if simpler.confirmed() && simpler.best().events != minimal.events {
            *minimal = simpler.best().clone();
            if let (Some(certificate), Some(now)) = (certificate, simpler.certificate()) {
                certificate.result = now.result;
            }
        }
        driven
    }

    /// The last word is a new device's: whether the result reproduces there, and whether it still does with an event less.
    /// A result that never does has only shown what earlier runs had left behind. `None` if no new device was to be had.
    fn as_new(&mut self, minimal: &mut Trace, used: Rate, may_shorten: bool) -> Option<Rate> {
        self.renews = true;
        let mut rate = self.rate(minimal, NEW_RUNS);
        if rate.hits > 0 && may_shorten && minimal.events.len() > 1 && !(self.interrupted)() {
            let setup = Setup { labels: Labels::new(self.config.label), ..Setup::new(minimal.clone()) };
            let mut pass = one_by_one(setup);
            self.drive(pass.as_mut());
            if pass.confirmed() && pass.best().cost() < minimal.cost() {
                let now = self.rate(pass.best(), NEW_RUNS);
                if now.hits > 0 && now.silent <= rate.silent {
                    rate = now;
                    *minimal = pass.best().clone();
                    self.record(minimal);
                }
            }
        }
        // Where chance has a part in it, a few runs say little about how often, and less about never.
        let by_chance = used.silent > 0 || rate.hits > 0 && rate.silent > 0;
        if rate.runs() > 0 && by_chance {
            let more = self.rate(minimal, CERTIFICATE - NEW_RUNS);
            rate = Rate { hits: rate.hits + more.hits, silent: rate.silent + more.silent };
        }
        self.renews = false;
        (rate.runs() > 0).then_some(rate)
    }

    /// Writes the minimal trace down as it looks when it is run; the failure in which it ends.
    fn record(&mut self, minimal: &mut Trace) -> Option<Failure> {
        let recorded = self.recorded(minimal)?;
        let runner = &mut self.runners[0];
        if !runner.is_deterministic()
            || runner.run(&recorded.trace, self.interrupted).verdict == Verdict::Reproduced
        {
            *minimal = recorded.trace;
        }
        recorded.failure
    }

    /// Runs a trace that reproduces until it does.
    fn recorded(&mut self, trace: &Trace) -> Option<Recorded> {
        let runner = &mut self.runners[0];
        let tries = if runner.is_deterministic() { 1 } else { CERTIFICATE };
        (0..tries).find_map(|_| runner.recorded(trace))
    }

    /// How often a trace reproduces.
    fn rate(&mut self, trace: &Trace, runs: u32) -> Rate {
        let mut rate = Rate::default();
        let mut tries = 0;
        // Once is said to be seen only if it is seen, however little time is left.
        while tries < runs && (tries == 0 || !(self.interrupted)()) {
            let called_off: &(dyn Fn() -> bool + Sync) =
                if tries == 0 { &|| false } else { self.interrupted };
            tries += 1;
            if self.renews {
                self.runners[0].renew();
            }
            match self.runners[0].run(trace, called_off).verdict {
                // A run that was called off or whose device failed is no evidence.
                Verdict::DeviceLost => {}
                verdict => rate.add(verdict == Verdict::Reproduced),
            }
        }
        rate
    }
}

/// The part after the last restart, from the same start: most failures need nothing from before.
fn since_restart(original: &Trace) -> Option<Trace> {
    let last = original.events.iter().rposition(|event| event.input == Input::Restart)?;
    let events = original.events[last + 1..].to_vec();
    Some(Trace { events, ..original.clone() })
}
