//! An app in memory: ten screens on an activity stack, sixteen places to tap on each, and one planted crash.
//!
//! A tap on a place goes to another screen, changes data of the app, does nothing or crashes it. The four families differ
//! in what the crash needs. The shortest way to it is known by breadth-first search.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rand::RngExt;
use siamang::action::{Input, Key, Wait};
use siamang::device::Reset;
use siamang::gui::{Point, WindowKind};
use siamang::ids::{BranchId, TreeHash};
use siamang::oracle::Signature;
use siamang::seed::{Rng, Seed};
use siamang::shrink::{RunRecord, Verdict};
use siamang::trace::{Screen, Trace, TraceEvent};

const SCREENS: usize = 10;
const CELLS: usize = 16;
const DATA: usize = 2;
const BACK_PERCENT: u32 = 6;
const LENGTHS: RangeInclusive<usize> = 195..=205;

/// What the crash needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Two data events on two screens of the way, which is two taps long.
    Plain,
    /// Only the way, four taps long.
    Control,
    /// One data event three times, on a way of three taps.
    Counter,
    /// One data event on a screen off the way, which is three taps long.
    Excursion,
}

impl Family {
    pub const ALL: [Self; 4] = [Self::Plain, Self::Control, Self::Counter, Self::Excursion];

    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Control => "control",
            Self::Counter => "counter",
            Self::Excursion => "excursion",
        }
    }

    /// The length of the shortest way to the crash.
    pub fn optimum(self) -> usize {
        match self {
            Self::Plain | Self::Control => 5,
            Self::Counter | Self::Excursion => 7,
        }
    }
}

/// How the screens lead to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Tree,
    Tangle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Nothing,
    Go(usize),
    Data,
    Crash,
}

/// One app with a planted crash.
#[derive(Clone, Debug)]
pub struct ToyApp {
    cells: [[Cell; CELLS]; SCREENS],
    /// The data events that the crash needs, and how often.
    needs: Vec<((usize, usize), u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Tap(usize),
    Back,
}

#[derive(Clone, Debug)]
struct State {
    stack: Vec<usize>,
    data: [[u32; CELLS]; SCREENS],
}

impl State {
    fn new() -> Self {
        Self { stack: vec![0], data: [[0; CELLS]; SCREENS] }
    }

    fn screen(&self) -> usize {
        *self.stack.last().expect("the first screen is never left")
    }
}

enum Did {
    Nothing,
    Something,
    Crashed,
}

impl ToyApp {
    /// The app of a seed and a random trace of about 200 events that ends in its crash. The screens form a tree: what
    /// leads to a screen is a tap on the screen above it, and back leads up again.
    pub fn with_trace(family: Family, seed: u64) -> (Self, Trace) {
        Self::with_lengths(family, Shape::Tree, seed, LENGTHS)
    }

    /// The same with screens that lead anywhere, so that the tree and the path of the trace say less.
    pub fn tangled(family: Family, seed: u64) -> (Self, Trace) {
        Self::with_lengths(family, Shape::Tangle, seed, LENGTHS)
    }

    /// The same as a tree with a trace of about so many events.
    pub fn with_long_trace(family: Family, seed: u64, length: usize) -> (Self, Trace) {
        Self::with_lengths(family, Shape::Tree, seed, length..=2 * length)
    }

    fn with_lengths(
        family: Family,
        shape: Shape,
        seed: u64,
        lengths: RangeInclusive<usize>,
    ) -> (Self, Trace) {
        let seed = Seed(seed).named(family.name());
        for attempt in 0.. {
            let mut rng = seed.nth(attempt).rng();
            let Some(app) = Self::plant(family, shape, &mut rng) else { continue };
            for _ in 0..400 {
                if let Some(acts) = app.walk(&lengths, &mut rng)
                    && lengths.contains(&acts.len())
                {
                    return (app, trace(&acts));
                }
            }
        }
        unreachable!("some app has a trace")
    }

    fn plant(family: Family, shape: Shape, rng: &mut Rng) -> Option<Self> {
        let mut ways: Vec<Vec<usize>> = vec![Vec::new(); SCREENS];
        match shape {
            Shape::Tree => {
                let parents: Vec<usize> =
                    (0..SCREENS).map(|screen| rng.random_range(0..screen.max(1))).collect();
                for (screen, &parent) in parents.iter().enumerate().skip(1) {
                    ways[parent].push(screen);
                }
            }
            Shape::Tangle => {
                for (screen, ways) in ways.iter_mut().enumerate() {
                    ways.extend((0..2).map(|_| (screen + rng.random_range(1..SCREENS)) % SCREENS));
                }
            }
        }
        let mut cells = [[Cell::Nothing; CELLS]; SCREENS];
        for (row, ways) in cells.iter_mut().zip(&ways) {
            let mut free: Vec<usize> = (0..CELLS).collect();
            let mut take = |rng: &mut Rng| free.swap_remove(rng.random_range(0..free.len()));
            for &to in ways {
                row[take(rng)] = Cell::Go(to);
            }
            for _ in 0..DATA {
                row[take(rng)] = Cell::Data;
            }
        }
        let mut app = Self { cells, needs: Vec::new() };
        let distance = match family {
            Family::Plain => 2,
            Family::Control => 4,
            Family::Counter | Family::Excursion => 3,
        };
        let way = app.some_way(distance, rng)?;
        let target = way[distance];
        let free: Vec<usize> = (0..CELLS).filter(|&cell| cells[target][cell] == Cell::Nothing).collect();
        app.cells[target][free[rng.random_range(0..free.len())]] = Cell::Crash;
        match family {
            Family::Control => {}
            Family::Plain => {
                let skip = rng.random_range(0..way.len());
                for (at, &screen) in way.iter().enumerate() {
                    if at != skip {
                        app.need(screen, 1, rng);
                    }
                }
            }
            Family::Counter => app.need(way[rng.random_range(0..way.len())], 3, rng),
            Family::Excursion => {
                let off: Vec<usize> = (0..SCREENS).filter(|screen| !way.contains(screen)).collect();
                app.need(off[rng.random_range(0..off.len())], 1, rng);
            }
        }
        (app.solve(family.optimum())? == family.optimum()).then_some(app)
    }

    fn need(&mut self, screen: usize, times: u32, rng: &mut Rng) {
        let data: Vec<usize> = (0..CELLS).filter(|&cell| self.cells[screen][cell] == Cell::Data).collect();
        self.needs.push(((screen, data[rng.random_range(0..data.len())]), times));
    }

    /// A shortest way to a screen that is so many taps away.
    fn some_way(&self, distance: usize, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut ways = vec![vec![0]];
        let mut known = BTreeSet::from([0]);
        for _ in 0..distance {
            let mut next = Vec::new();
            let mut reached = BTreeSet::new();
            for way in &ways {
                for cell in self.cells[way[way.len() - 1]] {
                    if let Cell::Go(to) = cell
                        && !known.contains(&to)
                    {
                        reached.insert(to);
                        next.push(way.iter().copied().chain([to]).collect::<Vec<_>>());
                    }
                }
            }
            known.extend(reached);
            ways = next;
        }
        if ways.is_empty() { None } else { Some(ways.swap_remove(rng.random_range(0..ways.len()))) }
    }

    /// The length of the shortest way to the crash, if it is at most `limit`.
    pub fn solve(&self, limit: usize) -> Option<usize> {
        let mut layer = vec![State::new()];
        let mut seen = BTreeSet::new();
        for length in 1..=limit {
            let mut next = Vec::new();
            for state in &layer {
                for act in (0..CELLS).map(Act::Tap).chain([Act::Back]) {
                    let mut after = state.clone();
                    match self.act(&mut after, act) {
                        Did::Crashed => return Some(length),
                        Did::Nothing => {}
                        Did::Something => {
                            let had =
                                self.needs.iter().map(|&((s, c), _)| after.data[s][c]).collect::<Vec<_>>();
                            if seen.insert((after.stack.clone(), had)) {
                                next.push(after);
                            }
                        }
                    }
                }
            }
            layer = next;
        }
        None
    }

    fn act(&self, state: &mut State, act: Act) -> Did {
        let screen = state.screen();
        match act {
            Act::Back if state.stack.len() > 1 => _ = state.stack.pop(),
            Act::Back => return Did::Nothing,
            Act::Tap(cell) => match self.cells[screen][cell] {
                Cell::Nothing => return Did::Nothing,
                Cell::Go(to) => state.stack.push(to),
                Cell::Data => state.data[screen][cell] += 1,
                Cell::Crash => {
                    let ready = self.needs.iter().all(|&((s, c), times)| state.data[s][c] >= times);
                    return if ready { Did::Crashed } else { Did::Nothing };
                }
            },
        }
        Did::Something
    }

    /// A random walk to the crash. In a long one, taps that would crash too soon are not made.
    fn walk(&self, lengths: &RangeInclusive<usize>, rng: &mut Rng) -> Option<Vec<Act>> {
        let long = *lengths.start() > *LENGTHS.end();
        let mut state = State::new();
        let mut acts = Vec::new();
        while acts.len() < *lengths.end() {
            let back = rng.random_range(0..100) < BACK_PERCENT;
            let act = if back { Act::Back } else { Act::Tap(rng.random_range(0..CELLS)) };
            let crashed = matches!(self.act(&mut state, act), Did::Crashed);
            if crashed && long && acts.len() < *lengths.start() {
                continue;
            }
            acts.push(act);
            if crashed {
                return Some(acts);
            }
        }
        None
    }

    /// Runs events as a device would.
    pub fn run(&self, events: &[Arc<TraceEvent>]) -> RunRecord {
        let mut state = State::new();
        let mut screens = vec![seen(&state)];
        let mut rules = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let did = self.act(&mut state, act_of(&event.input));
            rules.push(match did {
                Did::Nothing => Vec::new(),
                Did::Something | Did::Crashed => vec![BranchId(0)],
            });
            if matches!(did, Did::Crashed) {
                screens.push(gone());
                return RunRecord {
                    verdict: Verdict::Reproduced,
                    screens,
                    rules: Some(rules),
                    events: at + 1,
                    skipped: Vec::new(),
                };
            }
            screens.push(seen(&state));
        }
        RunRecord {
            verdict: Verdict::NotReproduced,
            screens,
            rules: Some(rules),
            events: events.len(),
            skipped: Vec::new(),
        }
    }
}

/// What is seen: the activity, and in the tree also which data of this screen was touched.
fn seen(state: &State) -> Screen {
    let screen = state.screen();
    let touched = (0..CELLS).filter(|&cell| state.data[screen][cell] > 0);
    let hash = touched.fold(screen as u64 + 1, |hash, cell| hash * 31 + cell as u64 + 1);
    Screen {
        activity: format!("Screen{screen}").into(),
        windows: vec![WindowKind::Application],
        tree: TreeHash(hash),
        foreign: None,
        structure: None,
    }
}

/// After a crash nothing of the app is seen.
fn gone() -> Screen {
    Screen { activity: "".into(), windows: Vec::new(), tree: TreeHash(0), foreign: None, structure: None }
}

fn act_of(input: &Input) -> Act {
    match input {
        Input::Tap(point) => Act::Tap(point.x as usize),
        _ => Act::Back,
    }
}

fn trace(acts: &[Act]) -> Trace {
    let events = acts.iter().map(|act| TraceEvent {
        input: match *act {
            Act::Tap(cell) => Input::Tap(Point { x: cell as i32, y: 0 }),
            Act::Back => Input::Key(Key::Back),
        },
        wait: Wait::Settle,
        target: None,
        before: None,
        after: None,
        rules: None,
    });
    Trace {
        format: Trace::FORMAT,
        package: "toy".into(),
        app_hash: String::new(),
        target: String::new(),
        device: "toy".into(),
        start: Reset::Clean,
        first: None,
        failure: Some(Signature("toy crash".into())),
        events: events.collect(),
    }
}
