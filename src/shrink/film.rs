//! What a run showed, kept cheaply: the same screens come again and again.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::RunRecord;
use crate::ids::BranchId;
use crate::trace::Screen;

/// All screens seen in any run, each once.
#[derive(Debug, Default)]
pub struct Screens {
    known: IndexSet<Screen, FxBuildHasher>,
}

/// The screens and rules of one run, by number.
#[derive(Debug)]
pub struct Film {
    screens: Vec<u32>,
    /// Where the rules of each event end, and all rules in order.
    rules: Option<(Vec<u32>, Vec<BranchId>)>,
}

impl Screens {
    /// Takes up what a run showed.
    pub fn film(&mut self, record: &RunRecord) -> Film {
        let mut screens: Vec<u32> = Vec::with_capacity(record.screens.len());
        for (at, screen) in record.screens.iter().enumerate() {
            let same = at.checked_sub(1).filter(|&before| record.screens[before] == *screen);
            screens.push(match same {
                Some(before) => screens[before],
                None => self.number(screen),
            });
        }
        let rules = record.rules.as_ref().map(|rules| {
            let mut ends = Vec::with_capacity(rules.len());
            let mut all = Vec::new();
            for rules in rules {
                all.extend_from_slice(rules);
                ends.push(all.len() as u32);
            }
            (ends, all)
        });
        Film { screens, rules }
    }

    fn number(&mut self, screen: &Screen) -> u32 {
        let known = self.known.get_index_of(screen);
        known.unwrap_or_else(|| self.known.insert_full(screen.clone()).0) as u32
    }

    /// The screen that a film shows after so many events.
    pub fn screen(&self, film: &Film, at: usize) -> Option<Screen> {
        self.known.get_index(*film.screens.get(at)? as usize).cloned()
    }
}

impl Film {
    /// The rules that the event at a place ran, where the device told.
    pub fn rules(&self, at: usize) -> Option<Vec<BranchId>> {
        let (ends, all) = self.rules.as_ref()?;
        let end = *ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| ends[before] as usize);
        Some(all[start..end].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TreeHash;
    use crate::shrink::Verdict;

    #[test]
    fn a_film_gives_back_what_the_run_showed() {
        let screen = |hash| Screen {
            activity: "Main".into(),
            windows: Vec::new(),
            tree: TreeHash(hash),
            foreign: None,
            structure: None,
        };
        let rules = vec![vec![BranchId(1), BranchId(2)], Vec::new(), vec![BranchId(3)]];
        let record = RunRecord {
            verdict: Verdict::NotReproduced,
            screens: vec![screen(1), screen(1), screen(2), screen(1)],
            rules: Some(rules.clone()),
            events: 3,
            skipped: Vec::new(),
        };
        let mut screens = Screens::default();
        let film = screens.film(&record);
        assert_eq!(screens.known.len(), 2);
        let seen: Vec<_> = (0..4).filter_map(|at| screens.screen(&film, at)).collect();
        assert_eq!(seen, record.screens);
        assert_eq!((0..3).filter_map(|at| film.rules(at)).collect::<Vec<_>>(), rules);
        assert_eq!(film.rules(3), None);
    }
}
