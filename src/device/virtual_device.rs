//! The embedded default device: interprets an app model.
//!
//! [`app_model`] is the format of the file, [`compile`] turns it into an [`app::App`], [`phone`] runs it on a clock of its
//! own, [`input`] says what events do, and [`render`] shows the GUI tree.

pub mod app;
pub mod app_model;
pub mod check;
pub mod compile;
pub mod expr;
pub mod generator;
mod input;
pub mod phone;
mod place;
pub mod render;
pub mod solve;
pub mod state;

use std::sync::Arc;

use self::app::App;
use self::phone::{Chance, Phone};
use super::{Capabilities, Device, DeviceError, Observation, Reset};
use crate::action::{Event, Input};
use crate::gui::tree::Hit;
use crate::seed::Seed;

/// A phone that runs one app model. It answers at once: its time is its own.
#[derive(Debug)]
pub struct VirtualDevice {
    phone: Phone,
    capabilities: Capabilities,
    /// The next reset is that of a new device, if it wears.
    renewing: bool,
}

impl VirtualDevice {
    /// A phone with the app freshly installed. The seed decides the outcomes that the model leaves to chance.
    pub fn new(app: Arc<App>, seed: Seed) -> Self {
        let capabilities = Capabilities {
            kind: "virtual",
            package: app.package.clone(),
            deterministic: !app.random,
            branches: app.rules.iter().map(|rule| rule.name.clone()).collect(),
            activities: app
                .activities
                .iter()
                .filter(|activity| !activity.foreign)
                .map(|activity| activity.class.clone())
                .collect(),
            deep_links: app.links().cloned().collect(),
            clears: true,
            wears: false,
            snapshots: false,
        };
        Self { phone: Phone::new(app, Chance::Drawn(seed.rng())), capabilities, renewing: false }
    }

    /// A phone that wears: what the app has written outlives also a clean reset, until it is renewed. On it is seen what comes
    /// of runs that are not as apart as they should be.
    pub fn wearing(app: Arc<App>, seed: Seed) -> Self {
        let mut device = Self::new(app, seed);
        device.capabilities.wears = true;
        // Equal starts are not equal any more.
        device.capabilities.deterministic = false;
        device
    }

    /// Does one event and tells what is seen; what [`Device::step`] does, for callers that do not wait.
    pub fn do_step(&mut self, event: &Event) -> Observation {
        let hit = self.phone.inject(&event.input);
        if !matches!(event.input, Input::Wait(_)) {
            self.phone.wait(event.wait);
        }
        self.observe(hit)
    }

    /// Puts the app back to a start; what [`Device::reset`] does, for callers that do not wait.
    pub fn do_reset(&mut self, reset: Reset) -> Observation {
        let renewed = std::mem::take(&mut self.renewing);
        let keeps = self.capabilities.wears && !renewed;
        self.phone.reset(if keeps { Reset::Warm } else { reset });
        self.phone.wait(crate::action::Wait::Settle);
        self.observe(None)
    }

    fn observe(&mut self, hit: Option<Hit>) -> Observation {
        let tree = Arc::clone(&self.phone.screen().tree);
        let happened = self.phone.take_happened();
        let mut coverage = happened.rules.clone();
        coverage.sort_unstable();
        coverage.dedup();
        Observation {
            tree,
            failures: happened.failures.into_iter().map(|(_, failure)| failure).collect(),
            running: self.phone.state().running,
            hit,
            rules: Some(happened.rules),
            coverage: Some(coverage),
            time_ms: self.phone.state().now,
            issues: happened.issues,
            asked: Vec::new(),
        }
    }
}

impl Device for VirtualDevice {
    async fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        Ok(self.do_step(event))
    }

    async fn reset(&mut self, reset: Reset) -> Result<Observation, DeviceError> {
        Ok(self.do_reset(reset))
    }

    fn renew(&mut self) {
        self.renewing = true;
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn close(self) -> Result<(), DeviceError> {
        Ok(())
    }
}
