//! Runs a shrinker's candidates on one or many devices.
//!
//! A worker is anything that runs a candidate and tells what it showed. One worker runs in place; several run on threads
//! of their own, and the shrinker is asked as soon as one of them is free. A worker that panics is a device that is lost:
//! the others go on, and if there is none the shrink ends with the best so far.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use super::{Ask, Candidate, Counts, RunRecord, Shrinker};
use crate::ids::CandidateId;

/// Runs one candidate on one device, until nobody wants its answer any more.
pub type Worker<'a> = Box<dyn FnMut(&Candidate, &Cancel) -> RunRecord + Send + 'a>;

/// Tells a worker that nobody wants the answer any more. A worker may look at it between two events, and answer anything.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nobody wants the answer any more.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Nobody wants the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When a shrink ends before the shrinker is done.
pub struct Limits<'a> {
    /// Runs at the most.
    pub runs: u64,
    /// Somebody wants it to end.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// How a shrink ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// The shrinker has nothing more to ask: its best is its result.
    Done,
    /// The runs are used up; the best so far is kept.
    OutOfRuns,
    /// It was interrupted; the best so far is kept.
    Interrupted,
    /// No device is left that could run a candidate; the best so far is kept.
    DeviceLost,
    /// The shrinker waits for an answer that nobody owes it: a fault of siamang. The best so far is kept.
    Stuck,
}

impl Driven {
    /// It in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::OutOfRuns => "out of runs",
            Self::Interrupted => "interrupted",
            Self::DeviceLost => "device lost",
            Self::Stuck => "stuck",
        }
    }
}

/// How driving a shrinker went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drove {
    /// How it ended.
    pub ended: Driven,
    /// The longest chain of runs, each of which was asked for after the one before it was answered: what many devices cannot
    /// do at once. With one device it is the number of runs. As there, runs for the certificate are not among them.
    pub rounds: u64,
}

/// Drives a shrinker until it is done or a limit is reached. `progress` hears of every answer.
pub fn drive(
    shrinker: &mut dyn Shrinker,
    workers: &mut [Worker<'_>],
    limits: &Limits<'_>,
    progress: &mut dyn FnMut(&dyn Shrinker),
) -> Drove {
    match workers {
        [] => Drove { ended: Driven::Stuck, rounds: 0 },
        [worker] => drive_one(shrinker, worker, limits, progress),
        workers => drive_many(shrinker, workers, limits, progress),
    }
}

fn ended(counts: Counts, limits: &Limits<'_>) -> Option<Driven> {
    if (limits.interrupted)() {
        return Some(Driven::Interrupted);
    }
    (counts.runs + counts.lost >= limits.runs).then_some(Driven::OutOfRuns)
}

fn drive_one(
    shrinker: &mut dyn Shrinker,
    worker: &mut Worker<'_>,
    limits: &Limits<'_>,
    progress: &mut dyn FnMut(&dyn Shrinker),
) -> Drove {
    let mut rounds = 0;
    loop {
        if let Some(ended) = ended(shrinker.counts(), limits) {
            return Drove { ended, rounds };
        }
        match shrinker.ask(1) {
            Ask::Done => return Drove { ended: Driven::Done, rounds },
            Ask::Wait => return Drove { ended: Driven::Stuck, rounds },
            Ask::Run(candidates) => {
                let before = shrinker.counts().runs;
                for candidate in candidates {
                    let record =
                        catch_unwind(AssertUnwindSafe(|| worker(&candidate, &Cancel::default()))).ok();
                    let died = record.is_none();
                    shrinker.tell(candidate.id, &record.unwrap_or_else(RunRecord::lost));
                    progress(shrinker);
                    if died {
                        return Drove { ended: Driven::DeviceLost, rounds };
                    }
                }
                rounds += u64::from(shrinker.counts().runs > before);
            }
        }
    }
}

fn drive_many(
    shrinker: &mut dyn Shrinker,
    workers: &mut [Worker<'_>],
    limits: &Limits<'_>,
    progress: &mut dyn FnMut(&dyn Shrinker),
) -> Drove {
    std::thread::scope(|scope| {
        let (answer, answers) = mpsc::channel::<(usize, CandidateId, Option<RunRecord>)>();
        let mut inboxes = Vec::with_capacity(workers.len());
        for (number, worker) in workers.iter_mut().enumerate() {
            let (give, inbox) = mpsc::channel::<(Candidate, Cancel)>();
            let answer = answer.clone();
            inboxes.push(give);
            scope.spawn(move || {
                for (candidate, cancel) in inbox {
                    let record = catch_unwind(AssertUnwindSafe(|| worker(&candidate, &cancel))).ok();
                    let died = record.is_none();
                    if answer.send((number, candidate.id, record)).is_err() || died {
                        return;
                    }
                }
            });
        }
        drop(answer);
        let mut free: BTreeSet<usize> = (0..inboxes.len()).collect();
        let mut running: BTreeMap<CandidateId, (Cancel, u64)> = BTreeMap::new();
        let mut rounds = 0;
        let mut end = None;
        let mut alive = inboxes.len();
        loop {
            end = end.or_else(|| ended(shrinker.counts(), limits));
            if end.is_none() && !free.is_empty() {
                match shrinker.ask(free.len()) {
                    Ask::Done => end = Some(Driven::Done),
                    Ask::Wait => {}
                    Ask::Run(candidates) => {
                        for candidate in candidates {
                            let Some(worker) = free.pop_first() else { break };
                            let cancel = Cancel::default();
                            running.insert(candidate.id, (cancel.clone(), rounds + 1));
                            if inboxes[worker].send((candidate, cancel)).is_err() {
                                end = Some(Driven::Stuck);
                            }
                        }
                    }
                }
            }
            if free.len() == alive {
                let stuck = if alive == 0 { Driven::DeviceLost } else { Driven::Stuck };
                return Drove { ended: end.unwrap_or(stuck), rounds };
            }
            if end.is_some() {
                for (cancel, _) in running.values() {
                    cancel.cancel();
                }
            }
            let Ok((worker, id, record)) = answers.recv() else {
                return Drove { ended: Driven::Stuck, rounds };
            };
            if record.is_some() {
                free.insert(worker);
            } else {
                alive -= 1;
            }
            let record = record.unwrap_or_else(RunRecord::lost);
            let asked = running.remove(&id).filter(|(cancel, _)| !cancel.is_cancelled());
            if let Some((_, round)) = asked.filter(|_| end.is_none()) {
                let before = shrinker.counts().runs;
                shrinker.tell(id, &record);
                if shrinker.counts().runs > before {
                    rounds = rounds.max(round);
                }
                progress(shrinker);
                for stale in shrinker.stale() {
                    if let Some((cancel, _)) = running.get(&stale) {
                        cancel.cancel();
                    }
                }
            }
        }
    })
}
