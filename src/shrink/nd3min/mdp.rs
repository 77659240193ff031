//! The schedule with the fewest expected steps: trace selection as a Markov decision process, solved exactly (section 4.3).
//!
//! A candidate that is neither accepted nor dropped is `(t runs, f failures)`. Giving it `v` more runs moves `t` to
//! `t + v` for certain; only `f` is a matter of chance. A dropped candidate is left out and an accepted one ends the
//! process, so that a state is a multiset of open candidates; every step that is not the last uses exactly `m` runs.
//!
//! The value of a state, the expected number of steps, is found in one pass: by the number of candidates upwards, by the
//! sum of their runs downwards. For one vector `t'` of runs the values over all outcomes are a small tensor, and the
//! chances of a step `t → t'` are a product, one factor for each candidate. So the tensor is pushed to all the vectors
//! that can lead to it, one axis at a time ([`push`]), which gives the values for all failure counts at once and shares
//! the first axes between many sources. The table holds values only; the schedule of a state is one look ahead.

mod chances;
pub mod expect;
mod push;
mod vectors;

use ndarray::{Array2, Axis, Slice};

use self::chances::Chances;
use self::push::{Job, Sources};
use self::vectors::{MAX_CANDIDATES, RunVector, Vectors};
use super::prior::Prior;
use super::schedule::{Rule, Tally};

/// The value table of a rule and a prior, for up to [`Mdp::candidates`] candidates.
#[derive(Clone, Debug)]
pub struct Mdp {
    rule: Rule,
    chances: Chances,
    /// By the number of candidates, from 1: the vectors of runs, and the values by vector and by failure counts.
    tables: Vec<Table>,
}

#[derive(Clone, Debug)]
struct Table {
    vectors: Vectors,
    values: Array2<f32>,
}

/// Why a process cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MdpError {
    /// The numbers make no sense.
    #[error(
        "m = {0}, nr = {1}, st = {2} cannot be scheduled: use m of 1 or more, and st from 1 to nr, at most 250"
    )]
    Rule(usize, usize, usize),
    /// More candidates than the exact solution is for.
    #[error("{0} candidates are too many for the exact schedule; it is for 1 to 5, the heuristic for more")]
    Candidates(usize),
    /// The table does not fit.
    #[error(
        "n = {candidates} needs a value table of {needed} MB for this nr and st, and {given} MB are given; \
         use fewer candidates, a smaller nr − st, the schedule heuristic, or more memory"
    )]
    Memory {
        /// Candidates.
        candidates: usize,
        /// Megabytes that the table takes.
        needed: u64,
        /// Megabytes that it may take.
        given: u64,
    },
}

impl Mdp {
    /// The exact schedule is for so many candidates at the most; from one more on the heuristic is used.
    pub const MAX_CANDIDATES: usize = MAX_CANDIDATES;

    /// Solves the process for up to `candidates` candidates on this many threads. The table is refused before it is made
    /// if it would take more than `memory` bytes. The result does not depend on the number of threads.
    pub fn solve(
        candidates: usize,
        rule: Rule,
        prior: &Prior,
        memory: u64,
        threads: usize,
    ) -> Result<Self, MdpError> {
        Self::solve_telling(candidates, rule, prior, memory, threads, &mut |_| {})
    }

    /// As [`Self::solve`], telling now and then which share of the values is known.
    pub fn solve_telling(
        candidates: usize,
        rule: Rule,
        prior: &Prior,
        memory: u64,
        threads: usize,
        told: &mut dyn FnMut(f64),
    ) -> Result<Self, MdpError> {
        let needed = Self::bytes(candidates, rule)?;
        if needed > memory {
            let (needed, given) = (needed.div_ceil(1 << 20), memory >> 20);
            return Err(MdpError::Memory { candidates, needed, given });
        }
        let chances = Chances::new(rule, prior);
        let mut tables: Vec<Table> = Vec::with_capacity(candidates);
        let all: u64 = (1..=candidates).map(|count| values(count, candidates, rule)).sum();
        let mut known = 0;
        for count in 1..=candidates {
            let vectors = Vectors::new(count, rule.runs, step(count, candidates, rule));
            let table = solve_table(vectors, rule, &chances, &tables, threads, &mut |more| {
                known += more;
                told(known as f64 / all as f64);
            });
            tables.push(table);
        }
        Ok(Self { rule, chances, tables })
    }

    /// How many bytes solving takes: the value table, its rows, and the vectors while they are made.
    pub fn bytes(candidates: usize, rule: Rule) -> Result<u64, MdpError> {
        let Rule { parallel, runs, successes } = rule;
        if parallel == 0 || successes == 0 || successes > runs || runs > usize::from(u8::MAX) - 5 {
            return Err(MdpError::Rule(parallel, runs, successes));
        }
        if !(1..=Self::MAX_CANDIDATES).contains(&candidates) {
            return Err(MdpError::Candidates(candidates));
        }
        let bytes = (1..=candidates).map(|count| {
            let values = values(count, candidates, rule).saturating_mul(size_of::<f32>() as u64);
            values.saturating_add(Vectors::bytes(count, runs))
        });
        Ok(bytes.fold(0, u64::saturating_add))
    }

    /// The most candidates that the table is for.
    pub fn candidates(&self) -> usize {
        self.tables.len()
    }

    /// The rule that it was solved for.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// How many states a table tells apart, with the two ends, without making it.
    pub fn states(candidates: usize, rule: Rule) -> u64 {
        let open = |runs: usize| {
            let failures = 0..=rule.spare_failures().min(runs);
            failures.filter(|&failures| Tally { successes: runs - failures, failures }.is_open(rule)).count()
        };
        let open: Vec<u64> = (0..rule.runs).map(|runs| open(runs) as u64).collect();
        let multisets = |runs: &[u8]| -> u64 {
            let group = |group: &[u8]| {
                let kinds = open[usize::from(group[0])];
                (0..group.len() as u64).fold(1, |product, ix| product * (kinds + ix) / (ix + 1))
            };
            runs.chunk_by(|one, other| one == other).map(group).product()
        };
        let ends = 2;
        let vectors =
            (1..=candidates).map(|count| Vectors::new(count, rule.runs, step(count, candidates, rule)));
        let states =
            vectors.map(|vectors| vectors.iter().map(|vector| multisets(vector.runs())).sum::<u64>());
        states.sum::<u64>() + ends
    }

    /// `V0`: the expected number of steps for so many candidates without any run; none if the table is smaller.
    pub fn expected_steps(&self, candidates: usize) -> Option<f64> {
        self.value(&vec![Tally::default(); candidates])
    }

    /// The expected number of steps from a state on; none if the table does not hold it.
    pub fn value(&self, tallies: &[Tally]) -> Option<f64> {
        if tallies.iter().any(|tally| tally.is_accepted(self.rule)) {
            return Some(0.0);
        }
        let open = self.open(tallies);
        if open.is_empty() {
            return Some(0.0);
        }
        let runs = RunVector::new(open.iter().map(|tally| tally.runs() as u8));
        let table = self.tables.get(open.len() - 1)?;
        let row = table.vectors.row(runs.runs())?;
        let faces = self.rule.spare_failures() + 1;
        let column = open.iter().fold(0, |column, tally| column * faces + tally.failures);
        Some(f64::from(table.values[[row, column]]))
    }

    /// The schedule with the fewest expected steps; none if the table does not hold the state.
    pub fn schedule(&self, tallies: &[Tally]) -> Option<Vec<usize>> {
        self.value(tallies)?;
        let open = self.open(tallies);
        let best = self.look_ahead(&open);
        // Equal candidates are interchangeable: each takes the next share of its kind.
        let mut taken = vec![false; open.len()];
        let mut share = |tally: &Tally| {
            let at = (0..open.len()).find(|&at| !taken[at] && open[at] == *tally)?;
            taken[at] = true;
            Some(best[at])
        };
        Some(tallies.iter().map(|tally| share(tally).unwrap_or(0)).collect())
    }

    /// The open candidates in the order of the table: by runs, then by failures.
    fn open(&self, tallies: &[Tally]) -> Vec<Tally> {
        let mut open: Vec<Tally> = tallies.iter().copied().filter(|tally| tally.is_open(self.rule)).collect();
        open.sort_by_key(|tally| (tally.runs(), tally.failures));
        open
    }

    fn look_ahead(&self, open: &[Tally]) -> Vec<usize> {
        let room: Vec<usize> = open.iter().map(|tally| self.rule.runs - tally.runs()).collect();
        if room.iter().sum::<usize>() <= self.rule.parallel {
            return room;
        }
        let mut best = (f64::INFINITY, Vec::new());
        let mut given = vec![0; open.len()];
        self.try_schedules(open, &room, 0, self.rule.parallel, &mut given, &mut best);
        best.1
    }

    fn try_schedules(
        &self,
        open: &[Tally],
        room: &[usize],
        at: usize,
        left: usize,
        given: &mut Vec<usize>,
        best: &mut (f64, Vec<usize>),
    ) {
        // A value in single precision is known to seven digits; a schedule is better only beyond that.
        const NOISE: f64 = 1e-6;
        if at == open.len() {
            let value = self.after(open, given);
            if value < best.0 - NOISE {
                *best = (value, given.clone());
            }
            return;
        }
        let later: usize = room[at + 1..].iter().sum();
        let mut most = room[at].min(left);
        if at > 0 && open[at] == open[at - 1] {
            most = most.min(given[at - 1]);
        }
        for runs in (left.saturating_sub(later)..=most).rev() {
            given[at] = runs;
            self.try_schedules(open, room, at + 1, left - runs, given, best);
        }
        given[at] = 0;
    }

    /// The expected number of steps after a schedule.
    fn after(&self, open: &[Tally], given: &[usize]) -> f64 {
        let mut order: Vec<usize> = (0..open.len()).collect();
        order.sort_by_key(|&ix| open[ix].runs() + given[ix]);
        let target = RunVector::new(order.iter().map(|&ix| (open[ix].runs() + given[ix]) as u8));
        let faces = self.rule.spare_failures() + 2;
        let mut tensor: Vec<f64> =
            outcomes(&target, &self.chances, &self.tables, None).into_iter().map(f64::from).collect();
        for &ix in order.iter().rev() {
            let chances = self.chances.row(open[ix], given[ix]);
            let contracted = tensor
                .chunks_exact(faces)
                .map(|values| values.iter().zip(&chances).map(|(v, c)| v * c).sum());
            tensor = contracted.collect();
        }
        tensor[0]
    }
}

/// The sums of runs that a table of so many candidates holds are the multiples of this: with all candidates left every step so
/// far had `m` runs, with fewer left any sum is possible.
fn step(count: usize, candidates: usize, rule: Rule) -> usize {
    if count == candidates { rule.parallel } else { 1 }
}

/// How many values the table of so many candidates holds.
fn values(count: usize, candidates: usize, rule: Rule) -> u64 {
    let faces = rule.spare_failures() as u64 + 1;
    let vectors = Vectors::count(count, rule.runs, step(count, candidates, rule));
    vectors.saturating_mul(faces.saturating_pow(count as u32))
}

/// Solves one number of candidates, with the tables of all smaller numbers given; tells how many values each sum of runs had.
fn solve_table(
    vectors: Vectors,
    rule: Rule,
    chances: &Chances,
    smaller: &[Table],
    threads: usize,
    told: &mut dyn FnMut(u64),
) -> Table {
    let faces = rule.spare_failures() + 1;
    let count = vectors.candidates();
    let width = faces.pow(count as u32);
    let all = count * rule.runs;
    let mut values = Array2::from_elem((vectors.len(), width), f32::INFINITY);
    for sum in (0..=all).rev() {
        let level = vectors.with_sum(sum);
        for row in level.clone() {
            let mut values = values.row_mut(row);
            if all - sum <= rule.parallel {
                // One more step gives each candidate all its runs.
                values.fill(1.0);
            } else {
                let values = values.as_slice_mut().unwrap_or_default();
                finish(values, vectors.get(row).runs(), faces);
            }
        }
        told((level.len() * width) as u64);
        let Some(before) = sum.checked_sub(rule.parallel) else { continue };
        let sources = vectors.with_sum(before);
        if sum >= all || sources.is_empty() {
            continue;
        }
        let tensors: Vec<(RunVector, Vec<f32>)> = Vectors::targets(count, rule.runs, sum)
            .into_iter()
            .map(|target| {
                let tensor = outcomes(&target, chances, smaller, Some((&vectors, &values)));
                (target, tensor)
            })
            .collect();
        let mut level = values.slice_axis_mut(Axis(0), Slice::from(sources.clone()));
        if let Some(best) = level.as_slice_mut() {
            let job = Job { rule, chances, sources: Sources { vectors: &vectors, first: sources.start } };
            job.push_all(&tensors, best, threads);
        }
    }
    Table { vectors, values }
}

/// The values over all outcomes of a step that ends in these runs. Each axis has a place for every number of failures and
/// a last one for a candidate that was dropped. What cannot be has the value 0, and the chance 0.
fn outcomes(
    target: &RunVector,
    chances: &Chances,
    smaller: &[Table],
    own: Option<(&Vectors, &Array2<f32>)>,
) -> Vec<f32> {
    let runs = target.runs();
    let count = runs.len();
    let faces = chances.faces();
    let rows: Vec<Option<(&Array2<f32>, usize)>> = (0..1_usize << count)
        .map(|open| {
            let left = RunVector::new((0..count).filter(|ix| open >> ix & 1 == 1).map(|ix| runs[ix]));
            let (vectors, values) = match own {
                Some(own) if left.runs().len() == count => own,
                _ => {
                    let table = smaller.get(left.runs().len().checked_sub(1)?)?;
                    (&table.vectors, &table.values)
                }
            };
            vectors.row(left.runs()).map(|row| (values, row))
        })
        .collect();
    let mut digits = vec![0; count];
    let mut tensor = Vec::with_capacity((faces + 1).pow(count as u32));
    loop {
        let mut open = 0;
        let mut column = 0;
        let mut possible = true;
        for (ix, &failures) in digits.iter().enumerate() {
            if failures < faces {
                open |= 1 << ix;
                column = column * faces + failures;
                possible &= chances.is_open(usize::from(runs[ix]), failures);
            }
        }
        let value = rows[open].filter(|_| possible).map_or(0.0, |(values, row)| values[[row, column]]);
        tensor.push(value);
        let Some(at) = digits.iter().rposition(|&digit| digit < faces) else { return tensor };
        digits[at] += 1;
        digits[at + 1..].fill(0);
    }
}

/// Adds the step itself, and gives candidates with equal runs the same value in whatever order they stand.
fn finish(values: &mut [f32], runs: &[u8], faces: usize) {
    let count = runs.len();
    let sorted = |mut column: usize| {
        let mut digits = [0; MAX_CANDIDATES];
        for digit in digits[..count].iter_mut().rev() {
            *digit = column % faces;
            column /= faces;
        }
        let mut start = 0;
        for group in runs.chunk_by(|one, other| one == other) {
            digits[start..start + group.len()].sort_unstable();
            start += group.len();
        }
        digits[..count].iter().fold(0, |column, digit| column * faces + digit)
    };
    for column in 0..values.len() {
        let first = sorted(column);
        values[first] = values[first].min(values[column]);
    }
    for column in (0..values.len()).rev() {
        // The sorted one comes first in a group, so that it is raised last.
        values[column] = values[sorted(column)] + 1.0;
    }
}
