//! What a night of random exploration leaves: many short traces, each from a clean start.

use std::sync::Arc;

use rand::RngExt;
use siamang::action::Wait;
use siamang::device::{Device, Reset};
use siamang::explore::pace::Pace;
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::gui::tree::Hit;
use siamang::gui::{GuiTree, Selector};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::strategy::StrategyChoice;
use siamang::target::Subject;
use siamang::trace::{Trace, TraceEvent};

/// The mean length of a trace in the paper: 13,237 events in 780 traces. Those that end sooner, in a failure, are made up for by
/// longer ones.
const EVENTS_A_TRACE: u64 = 17;
/// No trace is meant to be longer than so many times the mean and a half.
const MOST_STRETCH: u64 = 8;

/// Random walks, each from a clean start, until the app fails or the trace is long enough.
pub fn walks(app: &Subject, seed: u64, count: u64) -> Vec<Trace> {
    const SESSION: SessionId = SessionId(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut device = app.device(Seed(seed).named("device"));
    let strategy = StrategyChoice::named("random").expect("a strategy");
    let steps = count * EVENTS_A_TRACE * 3;
    let config =
        ExploreConfig { budget: Budget { steps }, strategy, pace: Pace::SETTLE, ..ExploreConfig::default() };
    let mut explorer = Explorer::new(config, device.capabilities().clone(), Seed(seed).named("explore"));
    let (format, start) = (Trace::FORMAT, Reset::Clean);
    let (package, app_hash, target, kind) = Default::default();
    let head = Trace {
        format,
        package,
        app_hash,
        target,
        device: kind,
        start,
        first: None,
        failure: None,
        events: Vec::new(),
    };
    let mut lengths = Seed(seed).named("lengths").rng();
    let mut traces = Vec::new();
    let mut events: Vec<TraceEvent> = Vec::new();
    let (mut end, mut recorded) = (0, 0);
    let mut last = Arc::new(GuiTree::empty());
    while (traces.len() as u64) < count {
        let command = explorer.ask(SESSION);
        let observed = match &command {
            Command::Reset(..) => {
                if !events.is_empty() {
                    recorded += events.len() as u64;
                    traces.push(Trace { events: std::mem::take(&mut events), ..head.clone() });
                }
                let left = count - traces.len() as u64;
                let mean = (count * EVENTS_A_TRACE).saturating_sub(recorded) / left.max(1);
                let mean = mean.clamp(EVENTS_A_TRACE, EVENTS_A_TRACE * MOST_STRETCH);
                end = lengths.random_range(mean / 2..mean * 3 / 2);
                runtime.block_on(device.reset(Reset::Clean)).expect("the device answers")
            }
            Command::Step { event, .. } => {
                let before = Arc::clone(&last);
                let observed = runtime.block_on(device.step(event)).expect("the device answers");
                let target = match observed.hit {
                    Some(Hit::Widget(_, node)) => Some(Selector::of(&before, node)),
                    _ => None,
                };
                let input = event.input.clone();
                events.push(TraceEvent {
                    input,
                    wait: Wait::Settle,
                    target,
                    before: None,
                    after: None,
                    rules: None,
                });
                observed
            }
            Command::Stop(_) => break,
        };
        last = Arc::clone(&observed.tree);
        explorer.tell(SESSION, observed);
        if events.len() as u64 >= end {
            explorer.lost(SESSION);
        }
    }
    runtime.block_on(device.close()).expect("the device answers");
    traces
}
