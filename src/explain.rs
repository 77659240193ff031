//! CHARD's readable report of a trace (CHARD 6): what each event did, how much it matters, and which events lead to the
//! failure. It needs no device, only what was recorded, and says what was not.

pub mod crash;
pub mod fold;
pub mod markdown;
pub mod script;
pub mod sentence;
pub mod svg;
pub mod terminal;
pub mod tree;

use serde::Serialize;
use smol_str::SmolStr;

use self::sentence::{Sentences, launch};
use crate::trace::ineffective::{Finding, Lack, Rule};
use crate::trace::key_events::{ChardConfig, KeyEvents};
use crate::trace::user_event::{Object, Operation, UserEvent, UserSequence};
use crate::trace::{ShrinkReport, Trace};

/// How much an event matters (CHARD Table 2). If several apply, the highest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Level {
    /// It does none of these.
    Trivial,
    /// It hits a widget.
    Minor,
    /// It changes the app's internal status.
    Major,
    /// It starts the app, changes the window or crashes the app.
    Essential,
}

impl Level {
    /// All levels, highest first.
    pub const ALL: [Self; 4] = [Self::Essential, Self::Major, Self::Minor, Self::Trivial];

    /// The level of an event.
    pub fn of(event: &UserEvent) -> Self {
        if event.changes_window() == Some(true) || event.operation == Operation::Restart {
            Self::Essential
        } else if event.changes_status() == Some(true) {
            Self::Major
        } else if matches!(event.object, Some(Object::Widget(_) | Object::Key(_))) {
            Self::Minor
        } else {
            Self::Trivial
        }
    }

    /// The word of the report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Trivial => "Trivial",
            Self::Minor => "Minor",
            Self::Major => "Major",
            Self::Essential => "Essential",
        }
    }
}

/// How the events were chosen that are shown as the way to the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Runs have shown that each is needed, as far as [`Needed`] says.
    Proven,
    /// By the strategy Duplicate.
    Duplicate,
    /// By the nine rules alone: windows were not recorded.
    Ineffective,
}

/// Which events of a trace are needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Needed {
    /// Each was tried to be left out, and without it the app does not fail: the device always does the same.
    Each,
    /// Each was tried to be left out, and the app did not fail then, or not as often; that may have been chance.
    AsTried,
    /// Nobody knows: nobody has tried, or shrinking ended before.
    #[default]
    Unknown,
}

impl Needed {
    /// What a shrink has shown of the events that it left.
    pub fn of(report: &ShrinkReport) -> Self {
        // Nothing is needed for what never happens.
        if !report.is_minimal() || report.certificate_hits == 0 {
            Self::Unknown
        } else if report.certain {
            Self::Each
        } else {
            Self::AsTried
        }
    }
}

/// What is known about a trace besides its events.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// How the report calls it.
    pub name: String,
    /// The failure in a few words.
    pub failure: Option<String>,
    /// The activity that the launch names, where it is known.
    pub launch: Option<SmolStr>,
    /// If the trace is the shortest known and was seen to reproduce, all its events are key events.
    pub needed: Needed,
    /// What the record lacks or could not be read, as sentences.
    pub notes: Vec<String>,
}

/// Why a trace cannot be explained.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ExplainError {
    /// There is nothing to explain.
    #[error("{name}: the trace has no events; record one with `siamang explore` or `monkey -v -v`")]
    Empty {
        /// What was read.
        name: String,
    },
}

/// A trace explained.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The version of this format.
    pub format: u32,
    /// How it is called.
    pub name: String,
    /// The app's package.
    pub package: SmolStr,
    /// The failure that it ends in.
    pub failure: Option<String>,
    /// The line of the launch.
    pub launch: String,
    /// One line an event, in the order of the trace.
    pub lines: Vec<Line>,
    /// What CHARD's rules delete: indices of the lines.
    pub ineffective: Vec<Finding>,
    /// Short: the shortest path through the windows; absent where windows were not recorded.
    pub short: Option<Vec<usize>>,
    /// Duplicate: one of each kind of event; absent where windows were not recorded.
    pub duplicate: Option<Vec<usize>>,
    /// Runs have shown that every event is needed, as far as `needed` says.
    pub proven: bool,
    /// The windows in the order in which they were first seen.
    pub windows: Vec<Window>,
    /// What the record lacks, as sentences.
    pub notes: Vec<String>,
    /// As [`Subject::needed`].
    pub needed: Needed,
    #[serde(skip)]
    key_events: KeyEvents,
    #[serde(skip)]
    sequence: UserSequence,
}

/// One event of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its number, or the numbers of the events that it stands for.
    pub ids: String,
    /// Its position in the trace.
    pub position: usize,
    /// What it is, in CHARD's form.
    pub text: String,
    /// What it does, in a few words.
    pub short: String,
    /// How much it matters.
    pub level: Level,
    /// The window it is made in.
    pub window: String,
    /// The rule that deletes it.
    pub deleted: Option<Rule>,
}

/// One window of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Its name.
    pub name: String,
    /// Its level in the window tree.
    pub level: usize,
    /// How many events were made there.
    pub events: usize,
}

impl Explanation {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;

    /// Explains a trace.
    pub fn of(trace: &Trace, subject: Subject, config: &ChardConfig) -> Result<Self, ExplainError> {
        Self::of_sequence(UserSequence::of(trace), subject, config)
    }

    /// Explains a sequence of user events.
    pub fn of_sequence(
        sequence: UserSequence,
        subject: Subject,
        config: &ChardConfig,
    ) -> Result<Self, ExplainError> {
        // What fails at its launch needs no events.
        if sequence.events.is_empty() && subject.failure.is_none() {
            return Err(ExplainError::Empty { name: subject.name });
        }
        let found = KeyEvents::of(&sequence, &config.rules, config.similarity);
        let deleted = found.ineffective.rule_of(sequence.events.len());
        let mut sentences = Sentences::new(&sequence);
        let lines = sequence.events.iter().zip(deleted).map(|(event, deleted)| {
            let (text, short) = sentences.next(event);
            let window = event.source.window.as_ref().map(|window| sentence::window_name(&sequence, window));
            Line {
                ids: event.ids.to_string(),
                position: event.position,
                text,
                short,
                level: Level::of(event),
                window: window.unwrap_or_default(),
                deleted,
            }
        });
        let lines: Vec<Line> = lines.collect();
        let windows = found.tree.iter().flat_map(|tree| &tree.nodes).map(|node| Window {
            name: sentence::window_name(&sequence, &node.status),
            level: node.level,
            events: node.events.len(),
        });
        let windows = windows.collect();
        let main = subject.launch.as_ref().or(sequence.main.as_ref());
        let mut notes = subject.notes;
        notes.extend(
            found
                .ineffective
                .lacks
                .iter()
                .flat_map(|lack: &Lack| [lack.sentence().to_owned(), lack.remedy().to_owned()]),
        );
        Ok(Self {
            format: Self::FORMAT,
            name: subject.name,
            package: sequence.package.clone(),
            failure: subject.failure,
            launch: launch(&sequence, main),
            lines,
            ineffective: found.ineffective.findings.clone(),
            short: found.short.clone(),
            duplicate: found.duplicate.clone(),
            proven: subject.needed != Needed::Unknown,
            needed: subject.needed,
            windows,
            notes,
            key_events: found,
            sequence,
        })
    }

    /// The events that are shown as the way to the failure, and how they were chosen.
    pub fn key(&self) -> (Vec<usize>, Chosen) {
        if self.proven {
            ((0..self.lines.len()).collect(), Chosen::Proven)
        } else if let Some(duplicate) = &self.duplicate {
            (duplicate.clone(), Chosen::Duplicate)
        } else {
            (self.key_events.ineffective.kept.clone(), Chosen::Ineffective)
        }
    }

    /// How many events have each level, highest first.
    pub fn levels(&self) -> [(Level, usize); 4] {
        Level::ALL.map(|level| (level, self.lines.iter().filter(|line| line.level == level).count()))
    }

    /// How many events each rule deletes.
    pub fn by_rule(&self) -> Vec<(Rule, usize)> {
        self.key_events.ineffective.by_rule()
    }

    /// How many events the rules delete.
    pub fn deleted(&self) -> usize {
        self.lines.len() - self.key_events.ineffective.kept.len()
    }

    /// What the strategies found.
    pub fn key_events(&self) -> &KeyEvents {
        &self.key_events
    }

    /// The events as CHARD sees them.
    pub fn sequence(&self) -> &UserSequence {
        &self.sequence
    }
}

#[cfg(test)]
mod tests;
