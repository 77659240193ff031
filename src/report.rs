//! What people see of a run.

pub mod axis;
pub mod bar;
pub mod curve;
pub mod junit;
pub mod page;
pub mod run_page;
pub mod table;
pub mod terminal;
pub mod wireframe;

use crate::trace::RunEvent;

/// News of a shrink, for those who follow a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShrinkNote {
    /// What the trace must still do.
    pub goal: String,
    /// How many events the trace had.
    pub original: usize,
    /// How many the shortest known one has.
    pub best: usize,
    /// How many candidates were run.
    pub runs: u64,
    /// It is finished.
    pub done: bool,
}

/// Follows a run as it happens. Reporters see everything that the log sees, and nothing else.
pub trait Reporter {
    /// One more event of the spine.
    fn on_event(&mut self, event: &RunEvent);

    /// News of a shrink.
    fn on_shrink(&mut self, note: &ShrinkNote);

    /// The run is over.
    fn finish(&mut self);
}

/// A reporter that says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn on_event(&mut self, _event: &RunEvent) {}

    fn on_shrink(&mut self, _note: &ShrinkNote) {}

    fn finish(&mut self) {}
}
