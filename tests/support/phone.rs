//! Whole explorations on the virtual device, without files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::compile;
use siamang::device::{Device, VirtualDevice};
use siamang::explore::{Command, ExploreConfig, Explorer, StopReason};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::trace::RunEvent;

/// A finished exploration.
pub struct Run {
    pub explorer: Explorer,
    pub events: Vec<RunEvent>,
    pub stop: StopReason,
    /// What thinking took, step by step.
    pub think: Vec<Duration>,
}

pub fn model(name: &str) -> Arc<App> {
    let path = format!("{}/models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    match compile::load(&text) {
        Ok(app) => Arc::new(app),
        Err(errors) => panic!("{errors:?}"),
    }
}

pub fn explore(app: &Arc<App>, config: ExploreConfig, seed: u64) -> Run {
    let seed = Seed(seed);
    let mut device = VirtualDevice::new(Arc::clone(app), seed.named("device"));
    let mut explorer = Explorer::new(config, device.capabilities().clone(), seed.named("explore"));
    let id = SessionId(0);
    let (mut events, mut think) = (Vec::new(), Vec::new());
    let stop = loop {
        let asked = Instant::now();
        let command = explorer.ask(id);
        let mut thought = asked.elapsed();
        let observation = match &command {
            Command::Reset(reset, _) => device.do_reset(*reset),
            Command::Step { event, .. } => device.do_step(event),
            Command::Stop(reason) => break *reason,
        };
        let told = Instant::now();
        events.extend(explorer.tell(id, observation));
        thought += told.elapsed();
        think.push(thought);
    };
    Run { explorer, events, stop, think }
}

impl Run {
    pub fn failures(&self) -> usize {
        self.explorer.ledger().failures().len()
    }

    /// Mean and 99th percentile of the thinking time, in microseconds.
    pub fn think_us(&self) -> (f64, f64) {
        let mut all: Vec<f64> = self.think.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        all.sort_by(f64::total_cmp);
        (all.iter().sum::<f64>() / all.len() as f64, all[all.len() * 99 / 100])
    }
}
