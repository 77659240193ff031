//! Whose turn it is to be camped in: the activity that had least of its share.
//!
//! A large app has more activities than can be looked at for every camp, so their order is kept, and only those are put in
//! their new place in which something has happened.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::super::habit::Habits;
use crate::model::Model;

/// The order in which activities are camped in.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    /// Steps spent camping in each activity.
    spent: BTreeMap<SmolStr, u32>,
    /// How much of its share each activity has had.
    had: BTreeMap<SmolStr, u32>,
    /// The same in order, and then by name.
    order: BTreeSet<(u32, SmolStr)>,
    /// Activities whose place in the order may be wrong.
    changed: BTreeSet<SmolStr>,
}

/// An activity's share of camps grows with the number of things that do something there, within these limits, and
/// faster than that number: their combinations are more.
const LEAST_LIVELY: u32 = 4;
const MOST_LIVELY: u32 = 36;
/// A login that was passed has so much smaller a share.
const PASSED: u32 = 20;
/// Keeps the shares whole numbers.
const SHARE: u32 = 1 << 8;

impl Turns {
    /// So many more steps were spent in an activity.
    pub(super) fn spend(&mut self, activity: &SmolStr, steps: u32) {
        *self.spent.entry(activity.clone()).or_default() += steps;
        self.changed.insert(activity.clone());
    }

    /// Puts the activities in order that are new or in which something has happened.
    pub(super) fn recount(&mut self, model: &Model, habits: &mut Habits) {
        let new = model.activities().skip(self.had.len()).cloned();
        let mut changed: BTreeSet<SmolStr> = new.collect();
        for activity in &changed {
            self.had.insert(activity.clone(), 0);
        }
        changed.append(&mut self.changed);
        changed.append(&mut habits.take_changed());
        for activity in changed {
            let Some(known) = self.had.get_mut(&activity) else { continue };
            let spent = self.spent.get(&activity).copied().unwrap_or_default();
            let had = had(spent, habits.lively(&activity));
            self.order.remove(&(std::mem::replace(known, had), activity.clone()));
            self.order.insert((had, activity));
        }
    }

    /// The activities whose turn comes next, of those that are free, if any are. A login that was passed has nothing more
    /// to find and waits longer.
    pub(super) fn next(
        &self,
        count: usize,
        gate: Option<&SmolStr>,
        is_free: impl Fn(&SmolStr) -> bool,
    ) -> Vec<SmolStr> {
        let others = || self.order.iter().filter(|(_, activity)| Some(activity) != gate);
        let free = others().filter(|(_, activity)| is_free(activity));
        let mut next: Vec<(u32, &SmolStr)> =
            free.take(count).map(|(had, activity)| (*had, activity)).collect();
        if next.is_empty() {
            next.extend(others().take(count).map(|(had, activity)| (*had, activity)));
        }
        if let Some((gate, had)) = gate.and_then(|gate| self.had.get_key_value(gate)) {
            next.push((had.saturating_add(1).saturating_mul(PASSED), gate));
            next.sort_unstable();
        }
        next.into_iter().take(count).map(|(_, activity)| activity.clone()).collect()
    }
}

/// How much of its share an activity has had: the more was seen to do something there, the larger its share.
fn had(spent: u32, lively: u32) -> u32 {
    let lively = lively.clamp(LEAST_LIVELY, MOST_LIVELY);
    spent * SHARE / (lively * lively.isqrt())
}
