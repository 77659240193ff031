//! What a generated app consists of, before it is written down.

use rand::RngExt;

use super::{Family, Spec};
use crate::seed::{Rng, Seed};

/// Fewer screens have no room for a crash and its noise.
pub const MIN_SCREENS: u32 = 8;
/// Places for buttons on a screen; a large app has half as many, to stay loadable.
const CELLS: usize = 16;
const CELLS_OF_LARGE: usize = 8;
const LARGE: u32 = 100;
/// Screens that one screen leads to in the tree.
const MAX_CHILDREN: usize = 3;

/// An app: its screens and its crashes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which app.
    pub spec: Spec,
    /// The screens; the first is the launcher.
    pub screens: Vec<PlannedScreen>,
}

/// One screen.
#[derive(Clone, Debug)]
pub struct PlannedScreen {
    /// The number of navigation events that lead to it, at least.
    pub level: usize,
    /// Its cells; several do nothing.
    pub cells: Vec<Cell>,
}

/// What a cell does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Nothing,
    /// It leads to a screen.
    Go(usize),
    /// It changes something that no crash depends on.
    Noise,
    /// It is the first (0) or second (1) data event of a crash.
    Data(usize, u8),
    /// It raises a crash, if its data is there.
    Crash(usize),
}

/// What a crash of a family needs.
pub struct Needs {
    /// Navigation events.
    pub level: usize,
    /// How many different data events.
    pub data: u8,
    /// How often each.
    pub times: u32,
    /// The data event is on a screen beside the way.
    pub beside: bool,
}

impl Family {
    /// What a crash of this family needs.
    pub fn needs(self) -> Needs {
        match self {
            Self::Control => Needs { level: 4, data: 0, times: 1, beside: false },
            Self::Counter => Needs { level: 3, data: 1, times: 3, beside: false },
            Self::Excursion => Needs { level: 3, data: 1, times: 1, beside: true },
            _ => Needs { level: 2, data: 2, times: 1, beside: false },
        }
    }
}

impl Plan {
    /// How many crashes found a place.
    pub fn planted(&self) -> usize {
        let cells = self.screens.iter().flat_map(|screen| &screen.cells);
        cells.filter(|cell| matches!(cell, Cell::Crash(_))).count()
    }

    /// The app of a spec.
    pub fn new(spec: &Spec) -> Self {
        let mut rng = Seed(spec.seed).named(spec.family.name()).nth(u64::from(spec.family.version())).rng();
        let (parents, levels) = tree(spec, &mut rng);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); levels.len()];
        for (screen, parent) in parents.iter().enumerate().skip(1) {
            children[*parent].push(screen);
        }
        let mut draft = Draft {
            cell_count: if spec.screens > LARGE { CELLS_OF_LARGE } else { CELLS },
            cells: children
                .iter()
                .map(|children| children.iter().map(|&child| Cell::Go(child)).collect())
                .collect(),
            parents,
            levels,
            dead_ends: Vec::new(),
        };
        for crash in 0..spec.crashes as usize {
            draft.plant(crash, &spec.family.needs(), &mut rng);
        }
        draft.add_noise(&mut rng);
        let screens = draft
            .cells
            .into_iter()
            .zip(draft.levels)
            .map(|(cells, level)| PlannedScreen {
                level,
                cells: scattered(cells, draft.cell_count, &mut rng),
            })
            .collect();
        Self { spec: *spec, screens }
    }
}

struct Draft {
    cell_count: usize,
    cells: Vec<Vec<Cell>>,
    parents: Vec<usize>,
    levels: Vec<usize>,
    dead_ends: Vec<usize>,
}

impl Draft {
    fn plant(&mut self, crash: usize, needs: &Needs, rng: &mut Rng) {
        let has_room = |draft: &Self, screen: usize| draft.cells[screen].len() + 1 < draft.cell_count;
        let fitting: Vec<usize> = (0..self.levels.len())
            .filter(|&screen| {
                self.levels[screen] == needs.level
                    && has_room(self, screen)
                    && !self.dead_ends.contains(&screen)
            })
            .collect();
        let Some(target) = pick(&fitting, rng) else { return };
        self.cells[target].push(Cell::Crash(crash));
        let way = self.way_to(target);
        if needs.beside {
            // The dead end hangs on a screen of the way and leads nowhere, so that only BACK leaves it.
            let from = way[rng.random_range(0..way.len() as u32 - 1) as usize];
            let beside = self.levels.len();
            self.levels.push(self.levels[from] + 1);
            self.parents.push(from);
            self.cells.push(vec![Cell::Data(crash, 0)]);
            self.cells[from].push(Cell::Go(beside));
            self.dead_ends.push(beside);
            return;
        }
        for number in 0..needs.data {
            let on_way: Vec<usize> = way.iter().copied().filter(|&screen| has_room(self, screen)).collect();
            let screen = match number {
                0 => pick(&on_way, rng).unwrap_or(target),
                _ => target,
            };
            self.cells[screen].push(Cell::Data(crash, number));
        }
    }

    /// The screens from the launcher to a screen.
    fn way_to(&self, screen: usize) -> Vec<usize> {
        let mut way = vec![screen];
        let mut at = screen;
        while at != 0 {
            at = self.parents[at];
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Edges that never skip a level, and data that matters to no crash.
    fn add_noise(&mut self, rng: &mut Rng) {
        let count = self.levels.len();
        for screen in 0..count {
            if self.dead_ends.contains(&screen) {
                continue;
            }
            for _ in 0..rng.random_range(1..=3_u32) {
                let other = rng.random_range(0..count as u32) as usize;
                let skips = self.levels[other] > self.levels[screen] + 1;
                if !skips
                    && other != screen
                    && !self.dead_ends.contains(&other)
                    && self.cells[screen].len() + 2 < self.cell_count
                {
                    self.cells[screen].push(Cell::Go(other));
                }
            }
            for _ in 0..rng.random_range(1..=2_u32) {
                if self.cells[screen].len() + 1 < self.cell_count {
                    self.cells[screen].push(Cell::Noise);
                }
            }
        }
    }
}

/// Each screen's parent and level. The first screens are a chain, so that every family finds its depth.
fn tree(spec: &Spec, rng: &mut Rng) -> (Vec<usize>, Vec<usize>) {
    const CHAIN: usize = 5;
    let dead_ends = if spec.family.needs().beside { spec.crashes as usize } else { 0 };
    let count = (spec.screens as usize).saturating_sub(dead_ends).max(CHAIN + 1);
    let mut parents = vec![0; count];
    let mut levels = vec![0; count];
    let mut open: Vec<usize> = vec![0];
    let mut children = vec![0_usize; count];
    for screen in 1..count {
        let at =
            if screen < CHAIN { open.len() - 1 } else { rng.random_range(0..open.len() as u32) as usize };
        let parent = open[at];
        parents[screen] = parent;
        levels[screen] = levels[parent] + 1;
        children[parent] += 1;
        if children[parent] >= MAX_CHILDREN {
            open.remove(at);
        }
        open.push(screen);
    }
    (parents, levels)
}

fn pick(from: &[usize], rng: &mut Rng) -> Option<usize> {
    if from.is_empty() { None } else { Some(from[rng.random_range(0..from.len() as u32) as usize]) }
}

/// The cells in random places, the rest filled with such that do nothing.
fn scattered(mut cells: Vec<Cell>, count: usize, rng: &mut Rng) -> Vec<Cell> {
    cells.resize(count.max(cells.len()), Cell::Nothing);
    for at in (1..cells.len()).rev() {
        let other = rng.random_range(0..=at as u32) as usize;
        cells.swap(at, other);
    }
    cells
}
