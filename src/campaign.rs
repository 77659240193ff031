//! The main job: explore, keep everything, hand each new failure to the shrinkers.
//!
//! Here the pure engine meets devices, files and the clock. A run has a thread of its own, so that a device that always
//! answers at once cannot starve the signals.

mod fleet;
pub mod hunt;
pub mod keep;
pub mod regression;
pub mod runner;
pub mod shrinking;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::device::{AnyDevice, Device, DeviceError, Observation};
use crate::explore::{Command, Explorer};
use crate::ids::SessionId;
use crate::report::Reporter;
use crate::trace::RunEvent;
use crate::trace::run_folder::Recorder;
use crate::trace::summary::{Summary, SummaryFold};

/// How a run is stopped from outside.
#[derive(Clone, Debug, Default)]
pub struct Control {
    interrupted: Arc<AtomicBool>,
    /// When it began and when it must end.
    span: Option<(Instant, Instant)>,
}

/// Why a run ended that the user ended.
const INTERRUPTED: &str = "interrupted";
/// Why a run ended whose devices are gone.
const LOST: &str = Summary::LOST;

impl Control {
    /// Why something ended that ended with the clock.
    pub const TIME_IS_UP: &'static str = "time is up";

    /// A control that ends the run after a time, if one is given.
    pub fn new(time: Option<Duration>) -> Self {
        let now = Instant::now();
        let end = time.and_then(|time| now.checked_add(time));
        Self { interrupted: Arc::default(), span: end.map(|end| (now, end)) }
    }

    /// A control that hears of the same interruption and has the first quarters of the time.
    #[must_use]
    pub fn quarters(&self, quarters: u32) -> Self {
        let span = self.span.map(|(start, end)| (start, start + (end - start) / 4 * quarters));
        Self { interrupted: Arc::clone(&self.interrupted), span }
    }

    /// Ends the run after the step that is under way.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Somebody wants the run to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Somebody wants the run to end, or its time is up.
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.is_late()
    }

    /// Waits until the run has to end and the step that is under way has had its time.
    async fn overdue(&self) {
        const LOOK: Duration = Duration::from_millis(100);
        const GRACE: Duration = Duration::from_secs(5);
        while !self.is_over() {
            tokio::time::sleep(LOOK).await;
        }
        tokio::time::sleep(GRACE).await;
    }

    fn is_late(&self) -> bool {
        self.span.is_some_and(|(_, end)| Instant::now() >= end)
    }

    /// Why the run has to end now, if it has to.
    fn stop(&self) -> Option<&'static str> {
        if self.is_interrupted() {
            return Some(INTERRUPTED);
        }
        self.is_late().then_some(Self::TIME_IS_UP)
    }

    /// The same, and the clock is asked only now and then: for devices that answer at once.
    fn stop_at(&self, step: u64) -> Option<&'static str> {
        const CLOCK_EVERY: u64 = 16;
        if step.is_multiple_of(CLOCK_EVERY) {
            self.stop()
        } else {
            self.is_interrupted().then_some(INTERRUPTED)
        }
    }
}

/// What a run did.
#[derive(Debug)]
pub struct Outcome {
    /// The summary, as [`Summary::of_run`] would rebuild it.
    pub summary: Summary,
    /// The device was lost and did not come back.
    pub lost: Option<DeviceError>,
}

/// Exploring on one device or several, a session each, recorded as it goes.
pub struct Campaign<'a> {
    /// The devices; at least one.
    pub devices: Vec<AnyDevice>,
    /// What to do.
    pub explorer: Explorer,
    /// Where it is kept.
    pub recorder: &'a mut Recorder,
    /// Who follows it.
    pub reporter: &'a mut dyn Reporter,
    /// Who else hears of every event once it is recorded.
    pub on_event: &'a mut dyn FnMut(&mut Recorder, &RunEvent),
}

impl Campaign<'_> {
    /// Explores until the budget, the time or the user ends it.
    pub async fn run(mut self, control: &Control) -> Outcome {
        match self.devices.pop() {
            // A device of this computer's own is never away for a while: no task, no pool.
            Some(device) if self.devices.is_empty() && !device.is_remote() => {
                self.run_one(device, control).await
            }
            last => {
                self.devices.extend(last);
                self.run_many(control).await
            }
        }
    }

    async fn run_one(mut self, mut device: AnyDevice, control: &Control) -> Outcome {
        const SESSION: SessionId = SessionId(0);
        let mut builder = SummaryFold::new(self.recorder.info());
        let mut asked: u64 = 0;
        let mut lost = None;
        let reason = loop {
            if let Some(reason) = control.stop_at(asked) {
                break reason;
            }
            asked += 1;
            let answer = match self.explorer.ask(SESSION) {
                Command::Stop(reason) => break reason.text(),
                Command::Reset(to, _) => device.reset(to).await,
                Command::Step { event, .. } => device.step(&event).await,
            };
            match answer {
                Ok(observation) => self.tell(SESSION, observation, &mut builder),
                Err(error) => {
                    let text = format!("{error}; the session ends here");
                    self.note(&RunEvent::Warning { session: Some(SESSION), text }, &mut builder);
                    lost = Some(error);
                    break LOST;
                }
            }
        };
        let end = self.explorer.end(reason);
        self.note(&end, &mut builder);
        if let Err(error) = device.close().await {
            tracing::warn!("{error}");
        }
        self.reporter.finish();
        Outcome { summary: builder.summary(), lost }
    }

    fn tell(&mut self, session: SessionId, observation: Observation, builder: &mut SummaryFold) {
        self.recorder.tree(&observation.tree);
        for event in self.explorer.tell(session, observation) {
            self.note(&event, builder);
            (self.on_event)(self.recorder, &event);
        }
    }

    fn note(&mut self, event: &RunEvent, builder: &mut SummaryFold) {
        self.recorder.record(event);
        builder.add(event);
        self.reporter.on_event(event);
    }
}
