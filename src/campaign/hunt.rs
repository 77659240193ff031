//! Exploring and shrinking side by side.

use std::sync::{Arc, Mutex, mpsc};

use super::keep::{keep_found, keep_shrunk};
use super::shrinking::{MakeDevice, ShrinkConfig, Shrunk, Task, shrink};
use super::{Campaign, Control, Outcome};
use crate::device::AnyDevice;
use crate::explore::Explorer;
use crate::oracle::Signature;
use crate::report::{Reporter, ShrinkNote};
use crate::shrink::driver::Driven;
use crate::shrink::goal::Goal;
use crate::shrink::path_model::PathModel;
use crate::trace::event_tree::Labels;
use crate::trace::run_folder::{Elsewhere, Recorder};
use crate::trace::{RunEvent, RunFolder, StoreError, Trace};

/// The shrinkers hear of this many different events of the app, each state's for itself; an app whose texts never repeat has no end of them.
pub const MAX_LEARNED: usize = 20_000;

/// When failures are shrunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As soon as they are found, on a device of their own.
    During,
    /// After the exploration.
    After,
    /// Not at all.
    Never,
}

/// How a number of devices is divided between exploring and shrinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// So many explore.
    pub explorers: usize,
    /// The first that shrinks.
    pub first_shrinker: usize,
    /// So many shrink at once.
    pub shrinkers: usize,
    /// When.
    pub when: When,
}

impl Division {
    /// Divides devices: with several the last one shrinks while the others explore; a single one explores first.
    pub fn of(count: usize, when: When, shrinkers: usize) -> Self {
        match when {
            When::During if count > 1 => {
                Self { explorers: count - 1, first_shrinker: count - 1, shrinkers: 1, when }
            }
            When::During | When::After => Self {
                explorers: count,
                first_shrinker: 0,
                shrinkers: shrinkers.min(count),
                when: When::After,
            },
            When::Never => Self { explorers: count, first_shrinker: 0, shrinkers, when },
        }
    }
}

/// Everything a hunt needs.
pub struct Hunt<'a> {
    /// Makes the devices that candidates run on.
    pub make_device: MakeDevice<'a>,
    /// How failures are shrunk.
    pub shrink: ShrinkConfig,
    /// When.
    pub when: When,
    /// How it is stopped from outside.
    pub control: &'a Control,
}

/// What a hunt brought home.
pub struct Bag {
    /// What the exploration did.
    pub outcome: Outcome,
    /// The shrunk failures, in the order in which they were found.
    pub shrunk: Vec<Shrunk>,
    /// What could not be written beside the spine.
    pub trouble: Option<StoreError>,
}

struct Job {
    signature: Signature,
    trace: Trace,
    /// What was known when the failure was met; shared until more is learnt.
    model: Arc<PathModel>,
}

impl Hunt<'_> {
    /// Explores on devices and shrinks what is found. The exploration is the same whether and when failures are shrunk.
    pub fn run(
        &self,
        devices: Vec<AnyDevice>,
        explorer: Explorer,
        recorder: &mut Recorder,
        reporter: &mut (dyn Reporter + Send),
    ) -> std::io::Result<Bag> {
        let folder = recorder.folder().clone();
        let reporter = Mutex::new(reporter);
        let (send, jobs) = mpsc::channel::<Job>();
        std::thread::scope(|scope| {
            let shrinking = match self.when {
                When::During => Some(scope.spawn(|| self.shrink_all(jobs, &folder, &reporter))),
                When::After | When::Never => {
                    // The queue holds the jobs until the exploration is over.
                    return self.explore(devices, explorer, recorder, &reporter, &send).map(|outcome| {
                        drop(send);
                        let wanted = self.when == When::After;
                        let (shrunk, trouble) = if wanted {
                            self.shrink_all(jobs, &folder, &reporter)
                        } else {
                            (Vec::new(), None)
                        };
                        Bag { outcome, shrunk, trouble }
                    });
                }
            };
            let outcome = self.explore(devices, explorer, recorder, &reporter, &send);
            drop(send);
            let joined = shrinking.map(std::thread::ScopedJoinHandle::join).transpose();
            let (shrunk, trouble) =
                joined.map_err(|_| std::io::Error::other("the shrinking thread died"))?.unwrap_or_default();
            Ok(Bag { outcome: outcome?, shrunk, trouble })
        })
    }

    fn explore(
        &self,
        devices: Vec<AnyDevice>,
        explorer: Explorer,
        recorder: &mut Recorder,
        reporter: &Mutex<&mut (dyn Reporter + Send)>,
        send: &mpsc::Sender<Job>,
    ) -> std::io::Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let labels = Labels::new(self.shrink.label);
        let mut learned = Arc::new(PathModel::new());
        let shrinks = self.when != When::Never;
        let mut on_event = |recorder: &mut Recorder, event: &RunEvent| {
            if let RunEvent::Step(step) = event
                && shrinks
                && learned.len() < MAX_LEARNED
            {
                Arc::make_mut(&mut learned).learn_step(step, &labels);
            }
            let RunEvent::Failure { session, signature, failure: Some(failure), .. } = event else { return };
            match recorder.trace_of(*session, signature) {
                Ok(trace) => {
                    let model = Arc::clone(&learned);
                    let job = Job { signature: signature.clone(), trace, model };
                    let kept = keep_found(recorder.folder(), signature, failure, Some(&job.trace));
                    if let Err(error) = kept {
                        recorder.note_trouble(error);
                    }
                    let _ = send.send(job);
                }
                Err(error) => {
                    tracing::warn!("the way to {signature} cannot be read back: {error}");
                    if let Err(error) = keep_found(recorder.folder(), signature, failure, None) {
                        recorder.note_trouble(error);
                    }
                }
            }
        };
        let mut shared = Shared(reporter);
        let campaign =
            Campaign { devices, explorer, recorder, reporter: &mut shared, on_event: &mut on_event };
        // What comes after the exploration needs its share of the time.
        let control = if self.when == When::After { self.control.quarters(3) } else { self.control.clone() };
        Ok(runtime.block_on(campaign.run(&control)))
    }

    fn shrink_all(
        &self,
        jobs: mpsc::Receiver<Job>,
        folder: &RunFolder,
        reporter: &Mutex<&mut (dyn Reporter + Send)>,
    ) -> (Vec<Shrunk>, Option<StoreError>) {
        let mut done = Vec::new();
        let mut trouble = None;
        for job in jobs {
            if self.control.is_over() {
                continue;
            }
            let mut note = |note| {
                if let Ok(mut reporter) = reporter.lock() {
                    reporter.on_shrink(&note);
                }
            };
            let interrupted = || self.control.is_over();
            let task = Task {
                make_device: self.make_device,
                original: &job.trace,
                goal: &Goal::Failure(job.signature.clone()),
                model: Some(job.model),
                config: &self.shrink,
                interrupted: &interrupted,
            };
            let mut shrunk = shrink(task, &mut note);
            if shrunk.report.ended == Driven::Interrupted.word() && !self.control.is_interrupted() {
                Control::TIME_IS_UP.clone_into(&mut shrunk.report.ended);
            }
            trouble = trouble.or(keep_shrunk(folder, &job.signature, &shrunk, Elsewhere::InSpine).err());
            done.push(shrunk);
        }
        (done, trouble)
    }
}

/// A reporter that two threads speak to.
struct Shared<'m, 'r>(&'m Mutex<&'r mut (dyn Reporter + Send)>);

impl Reporter for Shared<'_, '_> {
    fn on_event(&mut self, event: &RunEvent) {
        if let Ok(mut reporter) = self.0.lock() {
            reporter.on_event(event);
        }
    }

    fn on_shrink(&mut self, note: &ShrinkNote) {
        if let Ok(mut reporter) = self.0.lock() {
            reporter.on_shrink(note);
        }
    }

    fn finish(&mut self) {}
}
