//! Two shrinkers in turn: the second goes on with what the first leaves.
//!
//! Where chance has a part, what the second leaves is held to the rate of what the first began with, or the bar would sink
//! from one to the next. Each certifies what it has made shorter, because there is no way back behind what it is handed;
//! a second that finds nothing leaves the first's certificate as it is, at no cost.

use std::sync::Arc;

use super::certify::Certificate;
use super::noise::{Known, Noise};
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
        let mut setup = next.setup;
        let before = std::mem::replace(&mut setup.original, best);
        if let (Noise::Chance(known), Some(Certificate { result, original, pool })) =
            (&mut setup.noise, self.now.certificate())
        {
            *known = Known { pool, reference: Some(original), start: result };
            setup.first.get_or_insert_with(|| Arc::new(before));
        }
        self.now = (next.make)(Setup { replay, ..setup });
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
                // What ND3MIN holds to a rate is not changed after it, and its findings are of its own result.
                Ask::Done if !self.now.confirmed() || self.now.nd3min().is_some() => return Ask::Done,
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
