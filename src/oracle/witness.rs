//! One failure, several witnesses.

use serde::{Deserialize, Serialize};

use super::{Failure, FailureKind, Report, Reporter, Signature};
use crate::ids::StepId;

/// Finds out which reports speak of the same failure.
///
/// Crash, ANR and error screen of one process life are one failure, told several times, perhaps late. A failure belongs to
/// the step it interrupted: the one under way when it happened, not the one under way when the report arrived.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    cases: Vec<Case>,
    /// When each step began, on the clock of the reports, where it is known.
    steps: Vec<(StepId, Option<i64>)>,
    life: u64,
}

/// One failure and everybody who saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The failure as the best witness told it.
    pub failure: Failure,
    /// Its key.
    pub signature: Signature,
    /// The step it interrupted; the step before the first is 0.
    pub step: StepId,
    /// Who saw it, in the order in which they told.
    pub witnesses: Vec<Witness>,
    life: u64,
}

/// One who saw a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// Who.
    pub reporter: Reporter,
    /// What sort of failure it saw.
    pub kind: FailureKind,
    /// In which process.
    pub process: String,
    /// With which id.
    pub pid: Option<u32>,
    /// When, on the witness's clock.
    pub time_ms: Option<i64>,
}

/// What a report told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A failure that nobody had told of; the index of its case.
    New(usize),
    /// A known failure, seen by one more.
    Again(usize),
    /// A known failure, now better known: its signature changed from this one.
    Better(usize, Signature),
}

impl Witnesses {
    /// Two reports of one process this far apart are two failures if no process id says otherwise, or if the app was
    /// launched in between, for ids are used again: an ANR takes seconds to be dumped, and no app is launched and fails
    /// again as fast. In milliseconds.
    const SAME_LIFE_MS: u64 = 30_000;

    /// A step begins; its time on the clock of the reports, where it is known.
    pub fn begin_step(&mut self, step: StepId, time_ms: Option<i64>) {
        self.steps.push((step, time_ms));
    }

    /// The app was launched anew. Reports without a process id now speak of the new process.
    pub fn begin_life(&mut self) {
        self.life += 1;
    }

    /// What is known so far.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Takes a report.
    pub fn tell(&mut self, report: Report) -> Told {
        let signature = Signature::of(&report.failure);
        let Report { failure, reporter, process, pid, time_ms, .. } = report;
        let witness = Witness { reporter, kind: failure.kind, process, pid, time_ms };
        let same = self.cases.iter().rposition(|case| case.is_of(&witness, &failure, &signature, self.life));
        let Some(index) = same else {
            let step = self.step_at(time_ms);
            self.cases.push(Case { failure, signature, step, witnesses: vec![witness], life: self.life });
            return Told::New(self.cases.len() - 1);
        };
        let step = time_ms.map(|_| self.step_at(time_ms));
        let case = &mut self.cases[index];
        case.witnesses.push(witness);
        case.step = step.map_or(case.step, |step| step.min(case.step));
        if worth(&failure) <= worth(&case.failure) {
            return Told::Again(index);
        }
        case.failure = failure;
        let before = std::mem::replace(&mut case.signature, signature);
        if before == case.signature { Told::Again(index) } else { Told::Better(index, before) }
    }

    /// The step under way at a time, or the last one.
    fn step_at(&self, time_ms: Option<i64>) -> StepId {
        let began = |&&(_, began): &&(StepId, Option<i64>)| {
            time_ms.is_none_or(|time| began.is_none_or(|began| began <= time))
        };
        self.steps.iter().rev().find(began).map_or(StepId(0), |&(step, _)| step)
    }
}

impl Case {
    /// The witness saw this very failure.
    fn is_of(&self, witness: &Witness, failure: &Failure, signature: &Signature, life: u64) -> bool {
        self.witnesses.iter().any(|known| known.same_life(witness, self.life == life))
            && !self.is_another(witness, failure, signature)
    }

    /// One reporter that tells two different failures of a process that lives on saw two failures.
    fn is_another(&self, witness: &Witness, failure: &Failure, signature: &Signature) -> bool {
        let survived = |kind| matches!(kind, FailureKind::Swallowed | FailureKind::Anr);
        survived(failure.kind)
            && *signature != self.signature
            && !failure.chain.is_empty()
            && self.witnesses.iter().any(|known| {
                known.reporter == witness.reporter
                    && known.kind == witness.kind
                    && known.kind == self.failure.kind
                    && !self.failure.chain.is_empty()
            })
    }
}

impl Witness {
    fn same_life(&self, other: &Self, launched_once: bool) -> bool {
        let named = !self.process.is_empty() && !other.process.is_empty();
        if named && self.process != other.process {
            return false;
        }
        let near = match (self.time_ms, other.time_ms) {
            (Some(time), Some(other)) => time.abs_diff(other) <= Witnesses::SAME_LIFE_MS,
            _ => true,
        };
        if let (Some(pid), Some(other)) = (self.pid, other.pid) {
            return pid == other && (launched_once || near);
        }
        launched_once && near
    }
}

/// Which of two reports of one failure tells more: what ended the process before what only held it up, then the longer
/// stack.
fn worth(failure: &Failure) -> (u8, usize) {
    let kind = match failure.kind {
        FailureKind::Java => 4,
        FailureKind::Native => 3,
        FailureKind::Anr => 2,
        FailureKind::Swallowed => 1,
        FailureKind::Exit => 0,
    };
    (kind, failure.chain.iter().map(|link| 1 + link.frames.len()).sum())
}
