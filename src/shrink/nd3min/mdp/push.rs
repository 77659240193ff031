//! From the values after a step to the values before it: the part that the time goes into.

use super::super::schedule::Rule;
use super::chances::Chances;
use super::vectors::{MAX_CANDIDATES, RunVector, Vectors};

/// All steps that end at one sum of runs.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) rule: Rule,
    pub(super) chances: &'a Chances,
    pub(super) sources: Sources<'a>,
}

/// The vectors that the steps start from: the rows from `first` on.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) vectors: &'a Vectors,
    pub(super) first: usize,
}

/// Fewer steps than this are not worth a thread.
const WORTH_A_THREAD: usize = 64;

impl Job<'_> {
    /// Pushes each tensor to all its sources and keeps the least value for each. The least of several numbers does not
    /// depend on their order, so neither does the result on the number of threads.
    pub(super) fn push_all(self, tensors: &[(RunVector, Vec<f32>)], best: &mut [f32], threads: usize) {
        let orders = Orders::new(self.sources.vectors.candidates(), self.chances.faces());
        let threads = threads.clamp(1, (tensors.len() / WORTH_A_THREAD).max(1));
        let part = |best: &mut [f32], number: usize| {
            let mut push = Push::new(self, &orders, best);
            // Targets that lie together cost about the same; dealing them out keeps all threads busy to the end.
            for (target, tensor) in tensors.iter().skip(number).step_by(threads) {
                push.target(target, tensor);
            }
        };
        if threads == 1 {
            return part(best, 0);
        }
        let part = &part;
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|number| {
                    let mut own = vec![f32::INFINITY; best.len()];
                    scope.spawn(move || {
                        part(&mut own, number);
                        own
                    })
                })
                .collect();
            part(best, 0);
            for other in others {
                match other.join() {
                    Ok(own) => keep_least(best, &own),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }
}

fn keep_least(best: &mut [f32], values: &[f32]) {
    for (best, &value) in best.iter_mut().zip(values) {
        *best = if value < *best { value } else { *best };
    }
}

/// Where each value goes when the axes are put in ascending order of runs.
struct Orders {
    /// By the places of the axes, read as a number in base [`MAX_CANDIDATES`].
    columns: Vec<Vec<u16>>,
}

impl Orders {
    fn new(count: usize, faces: usize) -> Self {
        let width = faces.pow(count as u32);
        let mut columns = vec![Vec::new(); MAX_CANDIDATES.pow(count as u32)];
        // A table so wide is only ever computed place by place.
        if u16::try_from(width).is_ok() {
            for (key, columns) in columns.iter_mut().enumerate() {
                let places = places_of(key, count);
                let mut sorted = places.clone();
                sorted.sort_unstable();
                if sorted.iter().copied().eq(0..count) {
                    *columns = (0..width).map(|column| moved(column, &places, faces) as u16).collect();
                }
            }
        }
        Self { columns }
    }
}

fn places_of(mut key: usize, count: usize) -> Vec<usize> {
    let mut places = vec![0; count];
    for place in places.iter_mut().rev() {
        *place = key % MAX_CANDIDATES;
        key /= MAX_CANDIDATES;
    }
    places
}

/// The column after axis `ix` has moved to `places[ix]`.
fn moved(mut column: usize, places: &[usize], faces: usize) -> usize {
    let mut to = 0;
    for &place in places.iter().rev() {
        to += column % faces * faces.pow((places.len() - 1 - place) as u32);
        column /= faces;
    }
    to
}

/// One thread's work.
struct Push<'a> {
    job: Job<'a>,
    orders: &'a Orders,
    best: &'a mut [f32],
    /// One tensor for each axis that is done.
    scratch: Vec<Vec<f32>>,
    target: RunVector,
    given: [usize; MAX_CANDIDATES],
    faces: usize,
}

impl<'a> Push<'a> {
    fn new(job: Job<'a>, orders: &'a Orders, best: &'a mut [f32]) -> Self {
        let (count, faces) = (job.sources.vectors.candidates(), job.chances.faces());
        let size = |axis: usize| (faces + 1).pow(axis as u32) * faces.pow((count - axis) as u32);
        let scratch = (0..count).map(|axis| vec![0.0; size(axis)]).collect();
        let target = RunVector::new([]);
        Self { job, orders, best, scratch, target, given: [0; MAX_CANDIDATES], faces }
    }

    fn target(&mut self, target: &RunVector, tensor: &[f32]) {
        self.target = *target;
        let mut scratch = std::mem::take(&mut self.scratch);
        let axes = target.runs().len();
        self.axis(axes - 1, self.job.rule.parallel, tensor, &mut scratch);
        self.scratch = scratch;
    }

    /// Chooses how many runs the candidate of an axis has got, turns its axis from after to before the step, and goes on
    /// with the axis before it. Axes that are done are the inner ones, so that the longest rows are computed most often.
    fn axis(&mut self, axis: usize, left: usize, input: &[f32], scratch: &mut [Vec<f32>]) {
        let runs = self.target.runs();
        let after = usize::from(runs[axis]);
        let below: usize = runs[..axis].iter().map(|&runs| usize::from(runs)).sum();
        // A candidate with all its runs has got the last of them in this step.
        let least = left.saturating_sub(below).max(usize::from(after == self.job.rule.runs));
        let mut most = after.min(left);
        if runs.get(axis + 1) == Some(&runs[axis]) {
            most = most.min(self.given[axis + 1]);
        }
        let inner = self.faces.pow((runs.len() - 1 - axis) as u32);
        for given in least..=most {
            self.given[axis] = given;
            let (before, this) = scratch.split_at_mut(axis);
            let chances = self.job.chances.single(after - given, after);
            contract(chances, self.faces, inner, input, &mut this[0]);
            if axis == 0 {
                self.keep(&this[0]);
            } else {
                self.axis(axis - 1, left - given, &this[0], before);
            }
        }
    }

    /// Keeps the least value of each state of the source, whose runs may be out of order.
    fn keep(&mut self, values: &[f32]) {
        let runs = self.target.runs();
        let count = runs.len();
        let mut sorted = [0_u8; MAX_CANDIDATES];
        let mut key = 0;
        let source = |ix: usize| runs[ix] - self.given[ix] as u8;
        for ix in 0..count {
            let own = source(ix);
            let place = (0..count)
                .filter(|&other| source(other) < own || (source(other) == own && other < ix))
                .count();
            sorted[place] = own;
            key = key * MAX_CANDIDATES + place;
        }
        let Sources { vectors, first } = self.job.sources;
        let Some(row) = vectors.row(&sorted[..count]) else { return };
        let best = &mut self.best[(row - first) * values.len()..][..values.len()];
        let columns = &self.orders.columns[key];
        let ascending = (1..count).all(|ix| source(ix - 1) <= source(ix));
        if ascending {
            keep_least(best, values);
        } else if columns.is_empty() {
            let places = places_of(key, count);
            for (column, &value) in values.iter().enumerate() {
                let best = &mut best[moved(column, &places, self.faces)];
                *best = best.min(value);
            }
        } else {
            for (&column, &value) in columns.iter().zip(values) {
                let best = &mut best[usize::from(column)];
                *best = if value < *best { value } else { *best };
            }
        }
    }
}

/// Multiplies the innermost axis that is not done, `faces + 1` rows of `inner` numbers, by the chances: `faces` rows.
/// A failure is never undone, so that only the columns from the diagonal on count.
fn contract(chances: &[f32], faces: usize, inner: usize, input: &[f32], output: &mut [f32]) {
    let width = faces + 1;
    let blocks = input.chunks_exact(width * inner).zip(output.chunks_exact_mut(faces * inner));
    if let (3, &[a0, a1, a2, a3, _, b1, b2, b3, _, _, c2, c3]) = (faces, chances) {
        for (input, output) in blocks {
            let (x0, rest) = input.split_at(inner);
            let (x1, rest) = rest.split_at(inner);
            let (x2, x3) = rest.split_at(inner);
            let (y0, rest) = output.split_at_mut(inner);
            let (y1, y2) = rest.split_at_mut(inner);
            let (x3, y2) = (&x3[..inner], &mut y2[..inner]);
            for ix in 0..inner {
                let (x0, x1, x2, x3) = (x0[ix], x1[ix], x2[ix], x3[ix]);
                y0[ix] = a0 * x0 + a1 * x1 + (a2 * x2 + a3 * x3);
                y1[ix] = b1 * x1 + (b2 * x2 + b3 * x3);
                y2[ix] = c2 * x2 + c3 * x3;
            }
        }
        return;
    }
    for (input, output) in blocks {
        for (row, output) in output.chunks_exact_mut(inner).enumerate() {
            output.fill(0.0);
            for column in row..width {
                let chance = chances[row * width + column];
                for (output, input) in output.iter_mut().zip(&input[column * inner..]) {
                    *output += chance * input;
                }
            }
        }
    }
}
