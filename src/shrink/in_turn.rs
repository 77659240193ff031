//! Two shrinkers in turn: the second goes on with what the first leaves.

use super::certify::Certificate;
use super::{Ask, Candidate, Counts, RunRecord, Setup, Shrinker};
use crate::ids::CandidateId;
use crate::trace::Trace;

/// A shrinker, and another that goes on with what the first leaves.
pub struct InTurn {
    now: Box<dyn Shrinker>,
    /// What the second is made with, until it is.
    next: Option<Next>,
    /// What the first took.
    spent: Counts,
    /// The ids of the second come after those of the first.
    offset: u64,
    highest: u64,
    /// Candidates of the first that were under way when the second began.
    left: Vec<CandidateId>,
}

struct Next {
    setup: Setup,
    make: Make,
}

/// Makes a shrinker.
pub type Make = Box<dyn FnOnce(Setup) -> Box<dyn Shrinker> + Send>;

impl InTurn {
    /// A first shrinker and the way to make the second; its setup is that of the first but for the trace.
    pub fn new(first: Box<dyn Shrinker>, setup: Setup, make: Make) -> Self {
        let next = Some(Next { setup, make });
        Self { now: first, next, spent: Counts::default(), offset: 0, highest: 0, left: Vec::new() }
    }

    fn go_on(&mut self, next: Next) {
        self.left = self.now.stale();
        self.spent = self.now.counts();
        self.offset = self.highest;
        let best = self.now.best().clone();
        let replay = Some(RunRecord::seen_in(&best));
        self.now = (next.make)(Setup { original: best, replay, ..next.setup });
    }
}

impl Shrinker for InTurn {
    fn ask(&mut self, free: usize) -> Ask {
        loop {
            match self.now.ask(free) {
                Ask::Run(mut candidates) => {
                    for Candidate { id, .. } in &mut candidates {
                        id.0 += self.offset;
                        self.highest = self.highest.max(id.0);
                    }
                    return Ask::Run(candidates);
                }
                Ask::Wait => return Ask::Wait,
                Ask::Done if !self.now.confirmed() => return Ask::Done,
                Ask::Done => match self.next.take() {
                    Some(next) => self.go_on(next),
                    None => return Ask::Done,
                },
            }
        }
    }

    fn tell(&mut self, id: CandidateId, record: &RunRecord) {
        if let Some(number) = id.0.checked_sub(self.offset).filter(|&number| number > 0) {
            self.now.tell(CandidateId(number), record);
        }
    }

    fn stale(&mut self) -> Vec<CandidateId> {
        let mut stale = std::mem::take(&mut self.left);
        stale.extend(self.now.stale().into_iter().map(|id| CandidateId(id.0 + self.offset)));
        stale
    }

    fn best(&self) -> &Trace {
        self.now.best()
    }

    fn confirmed(&self) -> bool {
        self.now.confirmed()
    }

    fn certificate(&self) -> Option<Certificate> {
        self.now.certificate()
    }

    fn counts(&self) -> Counts {
        self.spent + self.now.counts()
    }

    fn nd3min(&self) -> Option<&super::nd3min::Findings> {
        self.now.nd3min()
    }
}
