//! The devices of one shrink, what is left of its budget, and what is done with them.

mod written;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ShrinkConfig;
use crate::action::Input;
use crate::campaign::runner::{Picture, Runner};
use crate::oracle::Failure;
use crate::shrink::certify::Certificate;
use crate::shrink::driver::{Cancel, Driven, Drove, Limits, Worker, drive};
use crate::shrink::goal::Goal;
use crate::shrink::nd3min::Findings;
use crate::shrink::noise::{CERTAIN_CERTIFICATE, CERTIFICATE, Known, Noise, Rate};
use crate::shrink::one_by_one::one_by_one;
use crate::shrink::path_model::PathModel;
use crate::shrink::registry::{DEFAULT, find};
use crate::shrink::simplify::simplify;
use crate::shrink::{Candidate, Counts, RunRecord, Setup, Shrinker, Verdict};
use crate::trace::Trace;
use crate::trace::event_tree::Labels;

/// How often the result is run on devices as new, if it never fails to reproduce.
const NEW_RUNS: u32 = 3;

/// A trace that fails seldom may be silent for so many certificates.
const SELDOM: u32 = 3;

/// How many runs are spent at the most on looking for a shorter trace after the original did not reproduce.
const MOST_RESCUE: u64 = 200;

/// The devices, and what is left of the budget.
pub(super) struct Lab<'a, N> {
    pub runners: Vec<Runner>,
    pub original: &'a Trace,
    pub goal: &'a Goal,
    pub model: Option<Arc<PathModel>>,
    pub config: &'a ShrinkConfig,
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    pub spent: Counts,
    /// The longest chain of runs that had to wait for each other.
    pub rounds: u64,
    /// Every run is on a device as new.
    pub renews: bool,
    pub news: N,
}

/// What going through a trace once came to, from its replay to the rate of what is left of it.
pub(super) struct Attempt {
    /// The shortest known trace; the original if it never reproduced.
    pub minimal: Trace,
    pub reproduced: bool,
    /// It began with the last so many events.
    pub began_with: Option<usize>,
    /// What was shortened, where chance has a part: everything that is left of it is held to its rate.
    first: Option<Arc<Trace>>,
    /// The failure as it looks after the shortest trace.
    pub failure: Option<Failure>,
    pub certificate: Option<Certificate>,
    /// How often the shortest trace reproduces; on devices as new where a device wears.
    pub rate: Rate,
    /// How often it does on used devices, if the rate is that on new ones.
    pub used: Option<Rate>,
    pub driven: Driven,
    pub proposed: u64,
    pub refuted: u64,
    pub nd3min: Option<Findings>,
    /// What happened instead, if it never reproduced.
    pub instead: Option<String>,
    /// Its events may be replaced and left out on the word of a few runs.
    may_shorten: bool,
}

impl Attempt {
    /// No device is left.
    pub fn is_lost(&self) -> bool {
        self.driven == Driven::DeviceLost
    }

    /// So often its result fails.
    fn is_now_rated(&mut self, rate: Rate) {
        self.rate = rate;
        if let Some(certificate) = &mut self.certificate {
            certificate.result = rate;
        }
    }

    /// What came after it ended so: the first early end counts.
    pub fn then(&mut self, driven: Driven) {
        if self.driven == Driven::Done {
            self.driven = driven;
        }
    }
}

impl<N: FnMut(usize, u64, bool)> Lab<'_, N> {
    /// Goes through the original once: shortens it, makes its events simpler, writes the result down and tells how often
    /// it reproduces.
    pub fn attempt(&mut self) -> Attempt {
        let (config, goal) = (self.config, self.goal);
        let keeps_path = matches!(goal, Goal::Path(_));
        // What rules would delete is told of the trace that was named.
        let whole = config.whole || keeps_path || config.algorithm.is_pass();
        let (start, replay) = if whole { (self.original.clone(), None) } else { self.start() };
        let began_with = replay.as_ref().map(|_| start.cost());
        let deterministic = self.runners[0].is_deterministic();
        let mut instead = None;
        let noise = if deterministic { Noise::None } else { Noise::Chance(Known::default()) };
        let setup = Setup {
            noise,
            replay,
            labels: Labels::new(config.label),
            model: self.model.clone(),
            chard: config.chard.clone(),
            fails: matches!(goal, Goal::Failure(_)),
            nd3min: config.nd3min.clone().unwrap_or_default().on(deterministic),
            ..Setup::new(start)
        };
        let make = |setup| {
            if config.rules_first {
                config.algorithm.after_rules(setup)
            } else {
                (config.algorithm.make)(setup)
            }
        };
        let mut first = (!deterministic).then(|| Arc::new(setup.original.clone()));
        let mut shrinker = make(setup.clone());
        let mut driven = self.drive(shrinker.as_mut());
        let fails = setup.fails;
        // ND3MIN refuses what seldom does it.
        let may_rescue = fails && !deterministic && shrinker.nd3min().is_none();
        if may_rescue && driven == Driven::Done && !shrinker.confirmed() {
            let tried = self.runners[0].silence().map(str::to_owned);
            match self.rescue(&setup) {
                (Some(short), _) => {
                    let replay = Some(RunRecord::seen_in(&short));
                    first = Some(Arc::new(short.clone()));
                    shrinker = make(Setup { replay, original: short, ..setup });
                    driven = self.drive(shrinker.as_mut());
                }
                (None, ended) => {
                    driven = ended;
                    instead = tried;
                }
            }
        }
        let reproduced = shrinker.confirmed();
        let Counts { proposed, refuted, .. } = shrinker.counts();
        // What ND3MIN holds to a rate must not be changed on the word of a single run.
        let nd3min = shrinker.nd3min().cloned();
        let mut found = Attempt {
            minimal: if reproduced { shrinker.best().clone() } else { self.original.clone() },
            reproduced,
            began_with,
            first,
            failure: None,
            certificate: shrinker.certificate(),
            rate: Rate::default(),
            used: None,
            driven,
            proposed,
            refuted,
            may_shorten: !keeps_path && !config.algorithm.is_pass() && (deterministic || nd3min.is_none()),
            nd3min,
            instead: instead.or_else(|| self.runners[0].silence().filter(|_| !reproduced).map(str::to_owned)),
        };
        if !reproduced {
            return found;
        }
        if driven == Driven::Done && found.may_shorten {
            found.driven = self.simplify(&mut found);
        }
        let lost = found.is_lost();
        // Whoever wants it to end does not want to wait for a long trace to be written down again.
        if !lost && !(self.interrupted)() {
            self.record(&mut found);
        } else if !fails {
            // The short way to a screen need not fail as the long one did.
            found.minimal.failure = None;
        }
        // Where ND3MIN has told how often its result does it, one rate is enough.
        let told = found.nd3min.as_ref().map(Findings::of_result).filter(|told| told.runs() > 1);
        found.rate = match found.certificate {
            Some(certificate) if certificate.result.runs() > 0 || lost => {
                self.rate_afresh(&found, certificate.result)
            }
            None if lost => Rate::default(),
            None if told.is_some() => told.unwrap_or_default(),
            _ => self.rate(&found.minimal, if deterministic { CERTAIN_CERTIFICATE } else { CERTIFICATE }),
        };
        let whole = found.certificate.map(|certificate| certificate.original).unwrap_or_default();
        if found.driven != Driven::Done && found.rate.hits == 0 && found.rate.runs() > 0 && whole.hits > 0 {
            // It ended before what was left out too much could be taken back.
            found.minimal = self.original.clone();
            found.rate = whole;
        }
        found
    }

    /// How often the result fails in runs that had no part in choosing it: of several that fail seldom, the one was taken that
    /// was lucky in its own runs.
    fn rate_afresh(&mut self, found: &Attempt, certified: Rate) -> Rate {
        if found.driven != Driven::Done || certified.silent == 0 {
            return certified;
        }
        let afresh = self.rate_until_hit(&found.minimal);
        let tells = afresh.hits > 0 && afresh.runs() >= CERTIFICATE / 2;
        if tells { afresh } else { certified }
    }

    /// What to start from: most failures need nothing from before the last restart. Its run is then the replay.
    fn start(&mut self) -> (Trace, Option<RunRecord>) {
        let original = self.original;
        let Some(short) = since_restart(original).filter(|_| self.config.max_runs > 1) else {
            return (original.clone(), None);
        };
        let record = self.run(&short, self.interrupted);
        if record.verdict != Verdict::DeviceLost {
            self.spent.runs += 1;
            self.spent.events += record.events as u64;
            self.rounds += 1;
        }
        match record.verdict {
            Verdict::Reproduced => (short, Some(record)),
            _ => (original.clone(), None),
        }
    }

    /// A shorter trace that reproduces, after the original did not. The longer a trace is, the more chance has a part in
    /// it: the shortest known way to where it failed may do it far more often. What was recorded stands for its replay.
    fn rescue(&mut self, setup: &Setup) -> (Option<Trace>, Driven) {
        let original = self.original;
        let whole = original.first.is_some() && original.events.iter().all(|event| event.after.is_some());
        let Some(pathfirst) = find(DEFAULT).filter(|_| whole) else { return (None, Driven::Done) };
        // What does reproduce is expected to do so every other time, and may do so as seldom as the original.
        let pool = Rate { hits: 1, silent: 1 };
        let reference = Some(Rate { hits: 1, silent: CERTIFICATE });
        let mut search = (pathfirst.make)(Setup {
            noise: Noise::Chance(Known { pool, reference, ..Known::default() }),
            replay: Some(RunRecord::seen_in(original)),
            original: original.clone(),
            ..setup.clone()
        });
        let found = |search: &dyn Shrinker| search.best().cost() < original.cost();
        let driven = self.drive_until(search.as_mut(), MOST_RESCUE, &found);
        if found(search.as_ref()) {
            return (Some(search.best().clone()), Driven::Done);
        }
        let in_vain = driven == Driven::OutOfRuns && self.spent.runs + self.spent.lost < self.config.max_runs;
        (None, if in_vain { Driven::Done } else { driven })
    }

    /// Drives a shrinker on all devices, within what is left of the budget.
    fn drive(&mut self, shrinker: &mut dyn Shrinker) -> Driven {
        self.drive_until(shrinker, u64::MAX, &|_| false)
    }

    /// Drives a shrinker until it has found enough, has made so many runs, or the budget is spent.
    fn drive_until(
        &mut self,
        shrinker: &mut dyn Shrinker,
        runs: u64,
        enough: &dyn Fn(&dyn Shrinker) -> bool,
    ) -> Driven {
        let before = self.spent.runs + self.spent.lost;
        let has_enough = AtomicBool::new(false);
        let gone: Vec<Arc<AtomicBool>> = self.runners.iter().map(Runner::gone).collect();
        let all_gone = || gone.iter().all(|gone| gone.load(Ordering::Relaxed));
        let (stop, renews) = (self.interrupted, self.renews);
        let interrupted = || stop() || all_gone() || has_enough.load(Ordering::Relaxed);
        let left = self.config.max_runs.saturating_sub(before).min(runs);
        let limits = Limits { runs: left, interrupted: &interrupted };
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
        let mut progress = |shrinker: &dyn Shrinker| {
            news(shrinker.best().cost(), shrinker.counts().runs + runs, false);
            has_enough.fetch_or(enough(shrinker), Ordering::Relaxed);
        };
        let Drove { ended, rounds } = drive(shrinker, &mut workers, &limits, &mut progress);
        self.spent = self.spent + shrinker.counts();
        self.rounds += rounds;
        match ended {
            Driven::Interrupted if stop() => ended,
            Driven::Interrupted if has_enough.load(Ordering::Relaxed) => Driven::Done,
            Driven::Interrupted => Driven::DeviceLost,
            ended => ended,
        }
    }

    /// Simplifies the events of a minimal trace, if any of them can be simpler. What is simpler must fail as often as what
    /// all began with.
    fn simplify(&mut self, found: &mut Attempt) -> Driven {
        let touched = self.recorded(&found.minimal, 1).map(|recorded| recorded.touched).unwrap_or_default();
        let noise = match found.certificate {
            None => Noise::None,
            Some(Certificate { result, original, pool }) => {
                Noise::Chance(Known { pool, reference: Some(original), start: result })
            }
        };
        let setup = Setup {
            noise,
            first: found.first.clone(),
            labels: Labels::new(self.config.label),
            ..Setup::new(found.minimal.clone())
        };
        let Some(mut simpler) = simplify(setup, &touched) else { return Driven::Done };
        let driven = self.drive(simpler.as_mut());
        if simpler.confirmed() && !does_the_same(simpler.best(), &found.minimal) {
            found.minimal = simpler.best().clone();
            if found.certificate.is_some() {
                found.certificate = simpler.certificate();
            }
        }
        driven
    }

    /// The last word is a new device's: whether the result reproduces there, and whether it still does with an event less.
    ///
    /// What earlier runs have left behind can stand in for events that the failure needs, so that a result that never
    /// reproduces on a new device is not yet the device's fault: the original is shortened again, each run on a new one. If
    /// it does not reproduce there either, it has only shown what was left behind.
    pub fn as_new(&mut self, mut found: Attempt) -> Attempt {
        self.renews = true;
        let used = found.rate;
        let mut rate = self.rate(&found.minimal, NEW_RUNS);
        // Where chance has a part in it, a few runs say little about how often, and less about never.
        if rate.runs() > 0 && (used.silent > 0 || rate.hits > 0 && rate.silent > 0) {
            rate += self.rate(&found.minimal, CERTIFICATE - NEW_RUNS);
        }
        if rate.runs() == 0 {
            // There is no new device to be had: the rate is that of used ones.
            found.then(if (self.interrupted)() { Driven::Interrupted } else { Driven::DeviceLost });
        } else if (self.interrupted)() {
            (found.rate, found.used) = (rate, Some(used));
            found.then(Driven::Interrupted);
        } else if rate.hits == 0 {
            found = self.again(found, rate);
        } else {
            (found.rate, found.used) = (rate, Some(used));
            if found.may_shorten && found.minimal.events.len() > 1 {
                self.shorten(&mut found, used);
            }
        }
        self.renews = false;
        found
    }

    /// Goes through the original again on devices as new, after what was left of it never reproduced there.
    fn again(&mut self, mut found: Attempt, rate: Rate) -> Attempt {
        let mut again = self.attempt();
        if again.reproduced && again.rate.hits > 0 {
            again.used = Some(self.used_rate(&again.minimal));
            again.proposed += found.proposed;
            again.refuted += found.refuted;
            return again;
        }
        found.used = Some(std::mem::replace(&mut found.rate, rate));
        found.then(again.driven);
        found
    }

    /// How often a trace reproduces on a used device; from here on nothing is renewed.
    fn used_rate(&mut self, trace: &Trace) -> Rate {
        self.renews = false;
        self.rate(trace, NEW_RUNS)
    }

    /// Leaves out each event alone on devices as new. What is shorter must fail as often as what all began with.
    fn shorten(&mut self, found: &mut Attempt, used: Rate) {
        let mut known = found.rate;
        known += used;
        let noise = if self.runners[0].is_deterministic() {
            Noise::None
        } else {
            let reference = found.certificate.map_or(known, |certificate| certificate.original);
            Noise::Chance(Known { pool: known, reference: Some(reference), start: found.rate })
        };
        let setup = Setup {
            noise,
            first: found.first.clone(),
            labels: Labels::new(self.config.label),
            ..Setup::new(found.minimal.clone())
        };
        let mut pass = one_by_one(setup);
        let driven = self.drive(pass.as_mut());
        found.then(driven);
        if !pass.confirmed() || pass.best().cost() >= found.minimal.cost() {
            return;
        }
        let certified = pass.certificate().map(|certificate| certificate.result);
        let certified = certified.filter(|_| driven == Driven::Done);
        let now = certified.unwrap_or_else(|| self.rate(pass.best(), NEW_RUNS));
        if certified.is_some() || now.hits > 0 && now.silent <= found.rate.silent {
            found.rate = now;
            found.minimal = pass.best().clone();
            self.record(found);
            // What used devices did was found out for a longer trace.
            found.used = Some(self.used_rate(&found.minimal));
            self.renews = true;
        }
    }

    /// Runs a trace on the first device.
    fn run(&mut self, trace: &Trace, called_off: &dyn Fn() -> bool) -> RunRecord {
        self.runner().run(trace, called_off)
    }

    /// The first device, as new if it is to be.
    fn runner(&mut self) -> &mut Runner {
        if self.renews {
            self.runners[0].renew();
        }
        &mut self.runners[0]
    }

    /// The screens before the last events of a trace; on a new device where a used one may show others.
    pub fn pictures(&mut self, trace: &Trace) -> Vec<Picture> {
        self.renews = self.runners[0].wears();
        let pictures = self.runner().pictures(trace);
        self.renews = false;
        pictures
    }

    /// How often a trace reproduces that does: if it is silent for as many runs as a certificate has, in more of them.
    fn rate_until_hit(&mut self, trace: &Trace) -> Rate {
        let mut rate = Rate::default();
        for _ in 0..SELDOM {
            if rate.hits > 0 || (self.interrupted)() || self.runners[0].is_gone() {
                break;
            }
            rate += self.rate(trace, CERTIFICATE);
        }
        rate
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
            match self.run(trace, called_off).verdict {
                // A run that was called off or whose device failed is no evidence.
                Verdict::DeviceLost => {}
                verdict => rate.add(verdict == Verdict::Reproduced),
            }
        }
        rate
    }
}

/// Two traces do the same, whatever was seen when they were run.
fn does_the_same(one: &Trace, other: &Trace) -> bool {
    let done = |trace: &Trace| -> Vec<_> {
        trace.events.iter().map(|event| (event.input.clone(), event.wait, event.target.clone())).collect()
    };
    done(one) == done(other)
}

/// The part after the last restart, from the same start: most failures need nothing from before.
fn since_restart(original: &Trace) -> Option<Trace> {
    let last = original.events.iter().rposition(|event| event.input == Input::Restart)?;
    let events = original.events[last + 1..].to_vec();
    Some(Trace { events, ..original.clone() })
}
