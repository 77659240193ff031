//! The progress line on a terminal.

use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::bar::{Bar, Shape};
use super::table::clean;
use super::{Reporter, ShrinkNote};
use crate::numbers::{counted, thousands};
use crate::trace::RunEvent;

/// One line that moves while a run goes on, and one line for each thing that is found.
pub struct Progress {
    bar: Bar,
    started: Instant,
    /// When the last step was made: while the last failures are shrunk, the rate stays what it was.
    stepped: Instant,
    drawn: Instant,
    steps: u64,
    activities: FxHashSet<SmolStr>,
    failures: u64,
    shrinking: Option<String>,
}

impl Progress {
    /// The line is drawn again after this time.
    const EVERY: Duration = Duration::from_millis(100);

    /// A line for a run of this many steps; without a number the end is the clock's.
    pub fn new(steps: Option<u64>) -> Self {
        let bar = Bar::new(steps.map_or(Shape::Spinner, Shape::Length));
        let now = Instant::now();
        Self {
            bar,
            started: now,
            stepped: now,
            drawn: now,
            steps: 0,
            activities: FxHashSet::default(),
            failures: 0,
            shrinking: None,
        }
    }

    fn draw(&mut self) {
        if self.drawn.elapsed() < Self::EVERY {
            return;
        }
        self.drawn = Instant::now();
        self.bar.set_position(self.steps);
        self.bar.set_message(self.message());
    }

    /// What is shrunk comes first: on a narrow terminal the rest is cut.
    fn message(&self) -> String {
        let rate = self.steps as f64 / (self.stepped - self.started).as_secs_f64().max(0.001);
        let shrinking =
            self.shrinking.as_ref().map(|so_far| format!("shrinking {so_far}; ")).unwrap_or_default();
        let activities = self.activities.len();
        format!(
            "{shrinking}{}, {activities} activit{}, {}, {} steps/s",
            counted(self.steps, "step"),
            if activities == 1 { "y" } else { "ies" },
            counted(self.failures, "failure"),
            thousands(rate as u64)
        )
    }
}

impl Reporter for Progress {
    fn on_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Step(step) => {
                self.steps += 1;
                self.stepped = Instant::now();
                if step.after.foreign.is_none() && !self.activities.contains(&step.after.activity) {
                    self.activities.insert(step.after.activity.clone());
                }
            }
            RunEvent::Failure { failure: Some(failure), step, .. } => {
                self.failures += 1;
                self.bar.println(&format!(
                    "found at step {}: {} ({})",
                    thousands(step.0),
                    clean(&failure.headline()),
                    failure.kind.word()
                ));
            }
            _ => {}
        }
        self.draw();
    }

    fn on_shrink(&mut self, note: &ShrinkNote) {
        let line = so_far(note);
        if note.done {
            // Of one that was interrupted before its first run there is nothing to tell.
            if note.runs > 0 {
                self.bar.println(&format!("shrunk {line}: {}", clean(&note.goal)));
            }
            self.shrinking = None;
        } else {
            self.shrinking = Some(line);
        }
        self.draw();
    }

    fn finish(&mut self) {
        self.bar.finish();
    }
}

/// One line that moves while a trace is shrunk.
pub struct ShrinkProgress {
    bar: Bar,
    drawn: Option<Instant>,
}

impl ShrinkProgress {
    /// A line for a shrink with this algorithm; nothing is drawn where stderr is no terminal.
    pub fn new(algorithm: &'static str) -> Self {
        let bar = Bar::new(Shape::Named(algorithm));
        Self { bar, drawn: None }
    }

    /// Tells what is new.
    pub fn on_shrink(&mut self, note: &ShrinkNote) {
        if note.done {
            self.bar.finish();
        } else if self.drawn.is_none_or(|drawn| drawn.elapsed() >= Progress::EVERY) {
            self.drawn = Some(Instant::now());
            self.bar.set_message(format!("{}  {}", so_far(note), clean(&note.goal)));
        }
    }
}

/// How far a shrink is.
fn so_far(note: &ShrinkNote) -> String {
    let ShrinkNote { original, best, runs, .. } = note;
    format!("{} → {}, {}", thousands(*original as u64), counted(*best as u64, "event"), counted(*runs, "run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_run_says_first_what_is_shrunk_and_counts_as_people_do() {
        let mut progress = Progress::new(Some(150));
        assert!(
            progress.message().starts_with("0 steps, 0 activities, 0 failures, "),
            "{}",
            progress.message()
        );
        (progress.steps, progress.failures) = (1, 1);
        progress.activities.insert("Main".into());
        assert!(progress.message().starts_with("1 step, 1 activity, 1 failure, "), "{}", progress.message());
        let note = ShrinkNote { goal: String::new(), original: 43, best: 1, runs: 5, done: false };
        progress.on_shrink(&note);
        let shown = progress.message();
        assert!(shown.starts_with("shrinking 43 → 1 event, 5 runs; 1 step, "), "{shown}");
    }

    #[test]
    fn a_shrink_tells_its_lengths_and_runs() {
        let note = ShrinkNote { goal: String::new(), original: 341, best: 12, runs: 27, done: false };
        assert_eq!(so_far(&note), "341 → 12 events, 27 runs");
        let note = ShrinkNote { original: 19_340, best: 1, runs: 2_700, ..note };
        assert_eq!(so_far(&note), "19,340 → 1 event, 2,700 runs");
    }
}
