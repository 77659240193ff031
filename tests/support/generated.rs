//! Generated apps and failing traces of theirs, recorded by random exploration.

use std::ops::RangeInclusive;
use std::sync::Arc;

use siamang::campaign::runner::Runner;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::solve::{Answer, SolveLimits, solve};
use siamang::device::{AnyDevice, VirtualDevice};
use siamang::explore::pace::Pace;
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::oracle::Signature;
use siamang::seed::Seed;
use siamang::shrink::goal::Goal;
use siamang::strategy::StrategyChoice;
use siamang::target::Target;
use siamang::trace::run_folder::RunInfo;
use siamang::trace::{RunEvent, Trace};

use crate::sample::Case;

const SCREENS: u32 = 10;
const LENGTHS: RangeInclusive<usize> = 195..=205;

/// Where a trace was found: the number of the app and of the walk.
pub type Place = (u64, u64);

/// The generated app of a family and a seed, with a random trace of about 200 events that ends in its crash. Most walks are
/// too short or too long, so that the search takes seconds; where it ended is kept among what was built.
pub fn generated(family: &str, seed: u64) -> Case {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/target/cases");
    let file = format!("{kept}/{family}-{seed}");
    let known = std::fs::read_to_string(&file).ok().and_then(|text| {
        let (attempt, walk) = text.split_once(' ')?;
        Some((attempt.parse().ok()?, walk.parse().ok()?))
    });
    let (case, place) = searched(family, seed, known);
    if known != Some(place) {
        let _ = std::fs::create_dir_all(kept);
        let _ = std::fs::write(&file, format!("{} {}", place.0, place.1));
    }
    case
}

/// The same with a place that is looked at first.
pub fn searched(family: &str, seed: u64, known: Option<Place>) -> (Case, Place) {
    let all = (0..).flat_map(|attempt| (0..100).map(move |walk| (attempt, walk)));
    let mut open: Option<(u64, String, Arc<App>)> = None;
    for (attempt, walk) in known.into_iter().chain(all) {
        if open.as_ref().is_none_or(|(number, ..)| *number != attempt) {
            let number = Seed(seed).named(family).nth(attempt).0 % 1_000_000;
            let target = format!("generated:{family}?screens={SCREENS}&crashes=1&seed={number}");
            let parsed = Target::parse(&target).expect("a family");
            open = Some((attempt, target, parsed.load().expect("a generated app loads")));
        }
        let Some((_, target, app)) = &open else { continue };
        if let Some(trace) = recorded(app, target, Seed(seed).named("walk").nth(walk)) {
            let optimum = solved(app);
            let device = VirtualDevice::new(Arc::clone(app), Seed(seed).named("device"));
            let goal = Goal::Failure(trace.failure.clone().expect("the trace ends in a failure"));
            let mut runner = Runner::new(AnyDevice::Virtual(Box::new(device)), goal);
            let run = Box::new(move |trace: &Trace| runner.run(trace, &|| false));
            return (Case { trace, optimum, run }, (attempt, walk));
        }
    }
    unreachable!("some app has a trace")
}

/// A random walk that fails after about 200 events, if this one does.
fn recorded(app: &Arc<App>, target: &str, seed: Seed) -> Option<Trace> {
    const SESSION: SessionId = SessionId(0);
    let mut device = VirtualDevice::new(Arc::clone(app), seed.named("device"));
    let config = ExploreConfig {
        budget: Budget { steps: *LENGTHS.end() as u64 },
        strategy: StrategyChoice::named("random").expect("a strategy"),
        pace: Pace::SETTLE,
        ..ExploreConfig::default()
    };
    let capabilities = siamang::device::Device::capabilities(&device).clone();
    let mut explorer = Explorer::new(config, capabilities, seed.named("explore"));
    let mut spine: Vec<RunEvent> = Vec::new();
    let mut failed: Option<Signature> = None;
    while failed.is_none() {
        let answer = match explorer.ask(SESSION) {
            Command::Stop(_) => return None,
            Command::Reset(to, _) => device.do_reset(to),
            Command::Step { event, .. } => device.do_step(&event),
        };
        spine.extend(explorer.tell(SESSION, answer));
        failed = spine.iter().rev().find_map(|event| match event {
            RunEvent::Failure { signature, .. } => Some(signature.clone()),
            _ => None,
        });
    }
    let info = RunInfo { target: target.to_owned(), ..RunInfo::new(app.package.as_str(), "virtual", seed.0) };
    let trace = Trace::from_spine(spine.into_iter().map(Ok), &info, &failed?).ok()?;
    LENGTHS.contains(&trace.events.len()).then_some(trace)
}

fn solved(app: &Arc<App>) -> usize {
    let answers = solve(app, &SolveLimits { workers: 1, ..SolveLimits::default() });
    assert!(answers.iter().all(Answer::is_optimal), "the optimum is known");
    answers[0].way().expect("it can be reached").cost as usize
}
