//! One run without files, and what is measured of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::abstraction::fixed::{Fixed, Identity};
use crate::abstraction::{Abstraction, Appearance, DecisionTree, Reducer, StateKey};
use crate::action::Event;
use crate::campaign::Control;
use crate::device::{AnyDevice, Device, DeviceError, Observation, Reset};
use crate::explore::{Command, ExploreConfig, Explorer};
use crate::ids::SessionId;
use crate::model::stats::Stats;
use crate::oracle::Signature;
use crate::seed::Seed;
use crate::target::Subject;
use crate::trace::{RunEvent, Screen};

/// How many points a coverage curve has.
pub const POINTS: usize = 100;

/// A run is stuck in a stretch of so many steps that sees at most [`STUCK_SCREENS`] screens and covers nothing new. The
/// screens are told apart by activity, windows and classes, so that all abstractions and strategies have one measure; it counts
/// while there is more to cover, as far as the runs on the same app know.
pub const STUCK_WINDOW: usize = 100;
/// How many screens a stretch has in which a run is stuck.
pub const STUCK_SCREENS: usize = 3;

/// What a run did and found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// How many steps were made; fewer than planned only if the app could not be started.
    pub steps: u64,
    /// The model in the end.
    pub model: Stats,
    /// Activities of the app that were seen.
    pub activities: u64,
    /// Branches that were covered.
    pub branches: u64,
    /// The failures, in the order of first sight.
    pub failures: Vec<FoundFailure>,
    /// Steps in stretches in which few screens were seen and nothing new was covered, by how many branches were covered
    /// then: see [`STUCK_WINDOW`]. In JSON a list of pairs: the keys of a map are texts there, which a flattened structure does
    /// not take for numbers.
    #[serde(with = "pairs")]
    pub stuck: BTreeMap<u64, u64>,
    /// The area under the coverage curve: the share of the app's branches that was covered, averaged over the steps.
    pub area: f64,
    /// Branches covered after each hundredth of the steps.
    pub curve: Vec<u64>,
}

mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(map: &BTreeMap<u64, u64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<u64, u64>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

/// A failure and the step that it first interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFailure {
    /// Its key.
    pub signature: Signature,
    /// The step; 0 is the launch.
    pub step: u64,
}

/// A number that is measured of each run.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name in files.
    pub key: &'static str,
    /// Its name in tables.
    pub head: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Digits after the point where people read it.
    pub digits: usize,
    /// Its value, where there is one.
    pub of: fn(&Measured, Known) -> Option<f64>,
}

/// What all runs on an app together know of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// The most branches that one of them has covered.
    pub branches: u64,
}

impl Known {
    /// What these runs know.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a Measured>) -> Self {
        Self { branches: runs.into_iter().map(|run| run.branches).max().unwrap_or_default() }
    }
}

impl Measured {
    /// Steps in which the run was stuck although there was more to cover: where nothing is left, staying is no trap.
    pub fn stuck_steps(&self, known: Known) -> u64 {
        self.stuck.range(..known.branches).map(|(_, steps)| steps).sum()
    }
}

/// Everything that is measured, in the order of the tables.
pub const METRICS: [Metric; 10] = [
    Metric {
        key: "states",
        head: "states",
        about: "states of the model in the end",
        digits: 0,
        of: |run, _| Some(run.model.states as f64),
    },
    Metric {
        key: "actions",
        head: "actions",
        about: "model actions in the end",
        digits: 0,
        of: |run, _| Some(run.model.actions as f64),
    },
    Metric {
        key: "transitions",
        head: "trans.",
        about: "transitions in the end",
        digits: 0,
        of: |run, _| Some(run.model.transitions as f64),
    },
    Metric {
        key: "ambiguous",
        head: "ambig.",
        about: "actions that stand for several widgets and led to several states",
        digits: 0,
        of: |run, _| Some(run.model.ambiguous as f64),
    },
    Metric {
        key: "nondeterministic",
        head: "non-det.",
        about: "transitions of actions that led to several states",
        digits: 0,
        of: |run, _| Some(run.model.nondeterministic as f64),
    },
    Metric {
        key: "activities",
        head: "activities",
        about: "activities of the app that were seen",
        digits: 0,
        of: |run, _| Some(run.activities as f64),
    },
    Metric {
        key: "branches",
        head: "branches",
        about: "branches of the app that were covered; of an APK on a JVM JaCoCo's probes, and headed so",
        digits: 0,
        of: |run, _| Some(run.branches as f64),
    },
    Metric {
        key: "failures",
        head: "failures",
        about: "different failures found",
        digits: 0,
        of: |run, _| Some(run.failures.len() as f64),
    },
    Metric {
        key: "stuck_share",
        head: "stuck",
        about: "share of the steps in stretches of 100 that saw at most 3 screens (by activity, windows and classes, \
                whatever the abstraction and the strategy are) and covered nothing new, while there were branches left that \
                some run of the comparison has covered",
        digits: 3,
        of: |run, known| Some(run.stuck_steps(known) as f64 / run.steps.max(1) as f64),
    },
    Metric {
        key: "area",
        head: "area",
        about: "area under the coverage curve: the covered share of the branches (the number of probes, as an APK's are not \
                counted beforehand), averaged over the steps",
        digits: 4,
        of: |run, _| Some(run.area),
    },
];

/// Gathers what is counted while a run goes on.
#[derive(Debug)]
struct Tally {
    budget: u64,
    activities: BTreeSet<SmolStr>,
    stuck: StuckWatch,
    /// The sum of the covered branches over all steps.
    covered: u64,
    curve: Vec<u64>,
}

/// Counts the steps in which a run is stuck.
#[derive(Debug, Default)]
struct StuckWatch {
    /// The screens of the last steps, oldest first.
    window: VecDeque<StateKey>,
    times: BTreeMap<StateKey, usize>,
    covered: u64,
    /// Steps at the end of the window that are counted already.
    counted: usize,
    /// Steps that count, by how many branches were covered then.
    stuck: BTreeMap<u64, u64>,
}

impl StuckWatch {
    fn step(&mut self, screen: StateKey, covered: u64) {
        if covered > self.covered {
            *self = Self { covered, stuck: std::mem::take(&mut self.stuck), ..Self::default() };
            return;
        }
        self.window.push_back(screen);
        *self.times.entry(screen).or_default() += 1;
        if self.window.len() > STUCK_WINDOW
            && let Some(old) = self.window.pop_front()
            && let Some(times) = self.times.get_mut(&old)
        {
            *times -= 1;
            if *times == 0 {
                self.times.remove(&old);
            }
        }
        if self.window.len() == STUCK_WINDOW && self.times.len() <= STUCK_SCREENS {
            *self.stuck.entry(covered).or_default() += (STUCK_WINDOW - self.counted) as u64;
            self.counted = STUCK_WINDOW;
        }
        self.counted = self.counted.saturating_sub(1);
    }
}

/// A device, driven to the end of each step.
struct Driver {
    device: AnyDevice,
    /// For devices that are waited for.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Driver {
    fn new(device: AnyDevice) -> Result<Self, DeviceError> {
        let runtime = match device {
            AnyDevice::Virtual(_) => None,
            #[cfg(any(feature = "adb", feature = "jvm"))]
            _ => Some(
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(|error| DeviceError::Gone(error.to_string()))?,
            ),
        };
        Ok(Self { device, runtime })
    }

    fn reset(&mut self, to: Reset) -> Result<Observation, DeviceError> {
        match (&mut self.device, &self.runtime) {
            (AnyDevice::Virtual(device), _) => Ok(device.do_reset(to)),
            #[cfg(any(feature = "adb", feature = "jvm"))]
            (device, Some(runtime)) => runtime.block_on(device.reset(to)),
            #[cfg(any(feature = "adb", feature = "jvm"))]
            (_, None) => Err(DeviceError::Gone("nobody drives it".into())),
        }
    }

    fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        match (&mut self.device, &self.runtime) {
            (AnyDevice::Virtual(device), _) => Ok(device.do_step(event)),
            #[cfg(any(feature = "adb", feature = "jvm"))]
            (device, Some(runtime)) => runtime.block_on(device.step(event)),
            #[cfg(any(feature = "adb", feature = "jvm"))]
            (_, None) => Err(DeviceError::Gone("nobody drives it".into())),
        }
    }

    fn close(self) {
        if let Some(Err(error)) = self.runtime.as_ref().map(|runtime| runtime.block_on(self.device.close())) {
            tracing::warn!("{error}");
        }
    }
}

/// The step after which a point of a curve is drawn: the first that completes another hundredth of them all.
pub fn step_of(point: usize, steps: u64) -> u64 {
    (u128::from(steps) * (point as u128 + 1)).div_ceil(POINTS as u128) as u64
}

/// Makes a run of an app; none if it was interrupted.
pub fn measure(
    app: &Subject,
    config: ExploreConfig,
    seed: u64,
    control: &Control,
) -> Result<Option<Measured>, DeviceError> {
    const SESSION: SessionId = SessionId(0);
    let seed = Seed(seed);
    let mut tally = Tally::new(config.budget.steps);
    let mut screens = Fixed::new(DecisionTree::uniform(Reducer::CLASS), Appearance::default(), Identity::All);
    let mut driver = Driver::new(app.device(seed.named("device")))?;
    let capabilities = driver.device.capabilities().clone();
    let branches = capabilities.branches.len();
    let mut explorer = Explorer::new(config, capabilities, seed.named("explore"));
    loop {
        if control.is_interrupted() {
            driver.close();
            return Ok(None);
        }
        let observation = match explorer.ask(SESSION) {
            Command::Stop(_) => break,
            Command::Reset(to, _) => driver.reset(to)?,
            Command::Step { event, .. } => driver.step(&event)?,
        };
        let screen = screens.name_tree(&observation.tree).key;
        for event in explorer.tell(SESSION, observation) {
            let covered = explorer.ledger().covered() as u64;
            tally.add(&event, covered);
            if matches!(event, RunEvent::Step(_)) {
                tally.stuck.step(screen, covered);
            }
        }
    }
    driver.close();
    let ledger = explorer.ledger();
    let covered = ledger.covered() as u64;
    tally.finish(ledger.steps(), covered);
    let failures = ledger.failures().iter();
    Ok(Some(Measured {
        steps: ledger.steps(),
        model: explorer.model().stats(),
        activities: tally.activities.len() as u64,
        branches: covered,
        failures: failures
            .map(|(signature, found)| FoundFailure { signature: signature.clone(), step: found.first.0 })
            .collect(),
        stuck: tally.stuck.stuck,
        area: tally.covered as f64 / (tally.budget as f64 * branches.max(1) as f64),
        curve: tally.curve,
    }))
}

impl Tally {
    fn new(budget: u64) -> Self {
        Self {
            budget,
            activities: BTreeSet::new(),
            stuck: StuckWatch::default(),
            covered: 0,
            curve: Vec::with_capacity(POINTS),
        }
    }

    fn add(&mut self, event: &RunEvent, covered: u64) {
        match event {
            RunEvent::Reset { screen, .. } => self.see(screen),
            RunEvent::Step(step) => {
                self.see(&step.after);
                self.covered += covered;
                self.draw(step.step.0, covered);
            }
            _ => {}
        }
    }

    fn see(&mut self, screen: &Screen) {
        if screen.foreign.is_none()
            && !screen.activity.is_empty()
            && !self.activities.contains(&screen.activity)
        {
            self.activities.insert(screen.activity.clone());
        }
    }

    fn draw(&mut self, step: u64, covered: u64) {
        while self.curve.len() < POINTS && step >= step_of(self.curve.len(), self.budget) {
            self.curve.push(covered);
        }
    }

    /// A run that ended early stays where it was.
    fn finish(&mut self, steps: u64, covered: u64) {
        self.covered += covered * self.budget.saturating_sub(steps);
        self.curve.resize(POINTS, covered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_a_hundred_points_however_many_steps_there_are() {
        for budget in [1, 7, 100, 250] {
            let mut tally = Tally::new(budget);
            for step in 1..=budget {
                tally.draw(step, step);
            }
            assert_eq!(tally.curve.len(), POINTS, "{budget}");
            assert_eq!(tally.curve.last(), Some(&budget));
            assert!(tally.curve.is_sorted());
        }
    }

    #[test]
    fn few_screens_for_long_are_stuck_whatever_the_strategy_says() {
        let steps = |screens: &dyn Fn(u64) -> u64, covered: &dyn Fn(u64) -> u64| {
            let mut watch = StuckWatch::default();
            for step in 0..500 {
                watch.step(StateKey(screens(step)), covered(step));
            }
            watch.stuck.values().sum::<u64>()
        };
        assert_eq!(steps(&|step| step % 3, &|_| 0), 500);
        assert_eq!(steps(&|step| step % 4, &|_| 0), 0);
        // New branches come until step 300, every 50 steps: stuck only afterwards, from the step after the last.
        assert_eq!(steps(&|_| 1, &|step| step.min(300) / 50), 199);
        // Each step is counted once, also where a stretch ends and another one begins.
        assert_eq!(steps(&|step| if (150..300).contains(&step) { step } else { 1 }, &|_| 0), 350 + 2 + 2);
    }

    #[test]
    fn who_has_covered_what_anybody_covers_is_not_stuck() {
        let run = |branches| Measured {
            steps: 500,
            model: Stats::default(),
            activities: 1,
            branches,
            failures: Vec::new(),
            stuck: BTreeMap::from([(3, 100), (branches, 200)]),
            area: 0.0,
            curve: vec![branches; POINTS],
        };
        let (less, more) = (run(4), run(5));
        let known = Known::of([&less, &more]);
        assert_eq!((less.stuck_steps(known), more.stuck_steps(known)), (300, 100));
        assert_eq!(less.stuck_steps(Known::of([&less])), 100, "alone it knows of nothing more");
    }

    #[test]
    fn a_run_that_ended_early_stays_where_it_was() {
        let mut tally = Tally::new(10);
        tally.covered = 4;
        tally.finish(2, 3);
        assert_eq!(tally.covered, 4 + 8 * 3);
        assert_eq!(tally.curve, vec![3; POINTS]);
    }
}
