//! What people see of a run.

pub mod table;
pub mod terminal;

use crate::campaign::ShrinkNote;
use crate::trace::RunEvent;

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
