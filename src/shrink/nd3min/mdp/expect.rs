//! How many steps a schedule is expected to take, computed exactly on the same process.

use rustc_hash::FxHashMap;

use super::super::prior::Prior;
use super::super::schedule::{Naive, Rule, Tally, promising};
use super::chances::Chances;

/// The expected number of steps of a schedule for so many candidates. Dropped candidates are left out; the others keep
/// their order where the schedule looks at it.
pub fn expected_steps(schedule: Naive, candidates: usize, rule: Rule, prior: &Prior) -> f64 {
    let chances = Chances::new(rule, prior);
    let mut expect = Expect { schedule, chances, rule, known: FxHashMap::default() };
    expect.from(vec![Tally::default(); candidates])
}

struct Expect {
    schedule: Naive,
    chances: Chances,
    rule: Rule,
    known: FxHashMap<Vec<Tally>, f64>,
}

impl Expect {
    fn from(&mut self, mut open: Vec<Tally>) -> f64 {
        if open.is_empty() {
            return 0.0;
        }
        if matches!(self.schedule, Naive::Heuristic { .. }) {
            open.sort_by(|&one, &other| promising(one, other));
        }
        if let Some(&known) = self.known.get(&open) {
            return known;
        }
        let given = self.schedule.plan(&open, self.rule);
        debug_assert!(given.iter().any(|&runs| runs > 0), "a schedule makes progress");
        let mut next = Vec::with_capacity(open.len());
        let steps = 1.0 + self.outcomes(&open, &given, 1.0, &mut next);
        self.known.insert(open, steps);
        steps
    }

    /// The rest of the steps, weighed over what the candidates from here on may show.
    fn outcomes(&mut self, open: &[Tally], given: &[usize], chance: f64, next: &mut Vec<Tally>) -> f64 {
        let (Some((&tally, open)), Some((&more, given))) = (open.split_first(), given.split_first()) else {
            return chance * self.from(next.clone());
        };
        let row = self.chances.row(tally, more);
        let mut steps = 0.0;
        for (failures, &factor) in row.iter().enumerate().filter(|(_, factor)| **factor > 0.0) {
            if failures < self.chances.faces() {
                next.push(Tally { successes: tally.runs() + more - failures, failures });
                debug_assert!(next.last().is_some_and(|tally| tally.is_open(self.rule)));
                steps += self.outcomes(open, given, chance * factor, next);
                next.pop();
            } else {
                steps += self.outcomes(open, given, chance * factor, next);
            }
        }
        steps
    }
}
