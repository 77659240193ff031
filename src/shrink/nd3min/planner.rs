//! Which candidates get the next runs: the exact schedule where the table holds the state, else the heuristic.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::mdp::Mdp;
use super::schedule::{Naive, Rule, Tally};
use super::settings::{Schedule, Settings};

/// Plans one step after the other.
#[derive(Debug)]
pub struct Planner {
    rule: Rule,
    naive: Naive,
    mdp: Option<Arc<Mdp>>,
    /// Schedules that were looked up before, by the open candidates in their order.
    known: BTreeMap<Vec<Tally>, Vec<usize>>,
}

impl Planner {
    /// A planner for the rule and the schedule of the settings.
    pub fn new(settings: &Settings) -> Self {
        let (naive, mdp) = match &settings.schedule {
            Schedule::Naive(naive) => (*naive, None),
            Schedule::Exact { mdp, likely } => {
                let fits = mdp.rule() == settings.rule;
                (Naive::Heuristic { likely: *likely }, fits.then(|| Arc::clone(mdp)))
            }
        };
        Self { rule: settings.rule, naive, mdp, known: BTreeMap::new() }
    }

    /// How many runs each candidate gets.
    pub fn plan(&mut self, tallies: &[Tally]) -> Vec<usize> {
        if let Some(mdp) = &self.mdp {
            if let Some(known) = self.known.get(tallies) {
                return known.clone();
            }
            if let Some(schedule) = mdp.schedule(tallies) {
                self.known.insert(tallies.to_vec(), schedule.clone());
                return schedule;
            }
        }
        self.naive.plan(tallies, self.rule)
    }
}
