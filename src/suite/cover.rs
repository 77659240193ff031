//! The cheapest way found to cover everything with beginnings of traces that are known to replay: nothing need be run for it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::coverage::{ItemIx, ItemSet};
use super::path::{self, Path};

/// Beginnings of known traces that together cover what all of them do: greedily the most new items a step, then without what
/// the others make superfluous.
pub fn cheapest(known: &[Path], all: &ItemSet, over: &mut dyn FnMut() -> bool) -> Vec<Path> {
    let mut suite = Vec::new();
    fill(&mut suite, known, all);
    let mut suite = trimmed(suite, all);
    // Where another choice for one trace would have been better, it is made again without it.
    let mut ix = 0;
    while ix < suite.len() && !over() {
        let mut other = suite.clone();
        other.remove(ix);
        fill(&mut other, known, all);
        let other = trimmed(other, all);
        if path::cost(&other) < path::cost(&suite) {
            suite = other;
            ix = 0;
        } else {
            ix += 1;
        }
    }
    suite
}

/// Adds beginnings of known traces until everything is covered that they can cover.
fn fill(suite: &mut Vec<Path>, known: &[Path], all: &ItemSet) {
    let mut covered = path::coverage(suite);
    while !covered.covers(all) {
        let best = known.iter().enumerate().filter_map(|(ix, path)| {
            let (gain, len) = best_beginning(path, all, &covered)?;
            Some((gain, len, ix))
        });
        // More a step, compared without dividing.
        let best = best.max_by(|one, other| {
            let rate = (one.0 * other.1).cmp(&(other.0 * one.1));
            rate.then(one.0.cmp(&other.0)).then(other.2.cmp(&one.2))
        });
        let Some((_, len, ix)) = best else { return };
        let chosen = beginning(&known[ix], len);
        covered.add(&chosen.coverage());
        suite.push(chosen);
    }
}

/// Gain and length of the beginning that gains the most a step; none if none gains anything.
fn best_beginning(path: &Path, all: &ItemSet, covered: &ItemSet) -> Option<(usize, usize)> {
    let mut own = ItemSet::default();
    let mut new = |items: &[ItemIx]| {
        let new = |&&item: &&ItemIx| all.contains(item) && !covered.contains(item) && own.insert(item);
        items.iter().filter(new).count()
    };
    let mut gain = new(&path.launch);
    let mut best = (gain > 0).then_some((gain, 0));
    for (at, step) in path.steps.iter().enumerate() {
        let more = new(&step.items);
        gain += more;
        if more > 0 && best.is_none_or(|(most, len)| gain * len >= most * (at + 1)) {
            best = Some((gain, at + 1));
        }
    }
    best
}

/// The first steps of a trace.
fn beginning(path: &Path, len: usize) -> Path {
    path.with(path.steps[..len].to_vec())
}

/// The same without traces and ends of traces that cover nothing wanted that the others do not, the longest first.
pub fn trimmed(mut suite: Vec<Path>, all: &ItemSet) -> Vec<Path> {
    let wanted = |path: &Path| path.coverage().iter().filter(|&item| all.contains(item)).collect();
    let coverage: Vec<ItemSet> = suite.iter().map(wanted).collect();
    let mut times: BTreeMap<ItemIx, usize> = BTreeMap::new();
    for item in coverage.iter().flat_map(ItemSet::iter) {
        *times.entry(item).or_default() += 1;
    }
    let mut order: Vec<usize> = (0..suite.len()).collect();
    order.sort_by_key(|&ix| Reverse(suite[ix].steps.len()));
    let mut left = vec![true; suite.len()];
    for ix in order {
        let needed: ItemSet = coverage[ix].iter().filter(|item| times.get(item) == Some(&1)).collect();
        left[ix] = !needed.is_empty();
        let end = shortest_beginning(&suite[ix], &needed);
        suite[ix].steps.truncate(end);
        let now = if left[ix] { wanted(&suite[ix]) } else { ItemSet::default() };
        for item in coverage[ix].without(&now).iter() {
            times.entry(item).and_modify(|times| *times -= 1);
        }
    }
    let mut left = left.into_iter();
    suite.retain(|_| left.next() == Some(true));
    suite
}

/// The length of the shortest beginning that covers what is needed of a trace.
pub fn shortest_beginning(path: &Path, needed: &ItemSet) -> usize {
    let mut covered: ItemSet = path.launch.iter().copied().collect();
    if covered.covers(needed) {
        return 0;
    }
    for (at, step) in path.steps.iter().enumerate() {
        for &item in step.items.iter() {
            covered.insert(item);
        }
        if covered.covers(needed) {
            return at + 1;
        }
    }
    path.steps.len()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::path::Step;
    use super::*;
    use crate::abstraction::StateKey;

    fn path(items: &[&[ItemIx]]) -> Path {
        let step =
            |items: &&[ItemIx]| Step { event: 0, to: StateKey(0), screen: 0, items: Arc::from(*items) };
        let steps = items.iter().map(step).collect();
        Path { start: StateKey(0), screen: 0, launch: Arc::default(), steps }
    }

    #[test]
    fn a_long_trace_that_covers_the_most_gives_way_to_two_short_ones() {
        let known = [path(&[&[1], &[], &[], &[2, 3], &[4]]), path(&[&[2, 3], &[4]])];
        let all = (1..5).collect();
        let suite = cheapest(&known, &all, &mut || false);
        assert_eq!(path::cost(&suite), (3, 2));
        assert!(path::coverage(&suite).covers(&all));
    }

    #[test]
    fn an_end_goes_if_what_it_covers_is_covered_elsewhere_or_not_wanted() {
        let suite = vec![path(&[&[1], &[2], &[9]]), path(&[&[3], &[2]]), path(&[&[2]])];
        let suite = trimmed(suite, &(1..4).collect());
        assert_eq!(suite, [path(&[&[1]]), path(&[&[3]]), path(&[&[2]])]);
    }

    proptest::proptest! {
        #[test]
        fn beginnings_of_known_traces_cover_all_that_these_do_for_no_more_steps(
            traces in proptest::collection::vec(
                proptest::collection::vec(proptest::collection::vec(0_u32..20, 0..3), 0..8), 1..10),
        ) {
            let path = |steps: &Vec<Vec<u32>>| path(&steps.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let known: Vec<Path> = traces.iter().map(path).collect();
            let all = path::coverage(&known);
            let suite = cheapest(&known, &all, &mut || false);
            proptest::prop_assert!(path::coverage(&suite).covers(&all));
            proptest::prop_assert!(path::cost(&suite) <= path::cost(&known));
            for path in &suite {
                let begins = |known: &Path| known.steps.starts_with(&path.steps);
                proptest::prop_assert!(known.iter().any(begins));
            }
            proptest::prop_assert_eq!(trimmed(suite.clone(), &all), suite);
        }
    }
}
