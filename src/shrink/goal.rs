//! What a shrunk trace must still do.

use std::fmt;

use smol_str::SmolStr;

use super::Verdict;
use crate::device::Observation;
use crate::ids::{BranchId, TreeHash};
use crate::oracle::Signature;
use crate::trace::event_tree::Label;

/// What a shrunk trace must still do: fail in the same way, or reach something. The shortest way to an activity is what
/// ND3MIN minimises, and what a tester wants who writes a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The failure with this signature.
    Failure(Signature),
    /// This activity is resumed.
    Activity(SmolStr),
    /// The screen with this content is shown.
    Screen(TreeHash),
    /// This branch is covered.
    Branch(BranchId),
    /// Each event that is left leads to the state that was recorded, by this label.
    Path(Label),
}

/// Why a word is no goal.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum GoalError {
    /// The trace ends in no failure.
    #[error("the trace ends in no failure; give a goal such as activity:NAME")]
    NoFailure,
    /// The hash is none.
    #[error("`{0}` is no screen: give the 16 hex digits of its tree")]
    Screen(String),
    /// No activity is called so.
    #[error("there is no activity `{name}`; known are {known}")]
    Activity {
        /// What was asked for.
        name: String,
        /// The known ones, the nearest first.
        known: String,
    },
    /// The branch is none.
    #[error("`{name}` is no branch of this app: give its number or its name; known are {known}")]
    Branch {
        /// What was asked for.
        name: String,
        /// The known ones, the nearest first.
        known: String,
    },
    /// It is something else.
    #[error("`{0}` is no goal; use failure, activity:NAME, screen:HASH, branch:ID or path:LABEL")]
    Unknown(String),
}

/// What a goal can name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The branches, by their number; empty where they are not known beforehand.
    pub branches: Vec<SmolStr>,
    /// The activities that the app declares or the trace has seen, by their full name; empty where none is known.
    pub activities: Vec<SmolStr>,
}

/// More known names than these are only counted.
const MOST_NAMES: usize = 12;

/// Known names, those that are most like the given one first.
fn nearest_first<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let wanted = name.to_lowercase();
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    let likeness = |name: &str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
    known.sort_by(|left, right| likeness(right).total_cmp(&likeness(left)));
    let more = known.len().saturating_sub(MOST_NAMES);
    let mut words = known[..known.len() - more].join(", ");
    if more > 0 {
        words = format!("{words} and {more} more");
    }
    words
}

/// The last part of an activity's name.
fn short(activity: &str) -> &str {
    activity.rsplit('.').next().unwrap_or(activity)
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(signature) => write!(f, "{signature}"),
            Self::Activity(name) => write!(f, "activity:{name}"),
            Self::Screen(hash) => write!(f, "screen:{hash}"),
            Self::Branch(branch) => write!(f, "branch:{}", branch.0),
            Self::Path(label) => write!(f, "path:{label}"),
        }
    }
}

impl Goal {
    /// Reads `failure`, `activity:NAME`, `screen:HASH`, `branch:ID` or `path:LABEL`, for a trace that ends in this failure and an
    /// app in which these names are known.
    pub fn parse(word: &str, failure: Option<&Signature>, known: &Names) -> Result<Self, GoalError> {
        let Names { branches, activities } = known;
        if word == "failure" {
            return failure.cloned().map(Self::Failure).ok_or(GoalError::NoFailure);
        }
        match word.split_once(':') {
            Some(("activity", name)) if !name.is_empty() => {
                if activities.is_empty() || activities.iter().any(|known| is_named(known, name)) {
                    return Ok(Self::Activity(name.into()));
                }
                let known = nearest_first(short(name), activities.iter().map(|known| short(known)));
                Err(GoalError::Activity { name: name.to_owned(), known })
            }
            Some(("screen", hash)) => u64::from_str_radix(hash, 16)
                .map(|hash| Self::Screen(TreeHash(hash)))
                .map_err(|_| GoalError::Screen(hash.to_owned())),
            Some(("branch", id)) => {
                let named = branches.iter().position(|branch| branch == id).map(|ix| ix as u32);
                let known = |&ix: &u32| branches.is_empty() || (ix as usize) < branches.len();
                named
                    .or_else(|| id.parse().ok().filter(known))
                    .map(|ix| Self::Branch(BranchId(ix)))
                    .ok_or_else(|| GoalError::Branch {
                        name: id.to_owned(),
                        known: nearest_first(id, branches.iter().map(SmolStr::as_str)),
                    })
            }
            Some(("path", label)) => {
                label.parse().map(Self::Path).map_err(|_| GoalError::Unknown(word.to_owned()))
            }
            None if word == "path" => Ok(Self::Path(Label::State)),
            _ => Err(GoalError::Unknown(word.to_owned())),
        }
    }

    /// What an observation says about the run so far; none if the run goes on.
    pub fn judge(&self, seen: &Observation) -> Option<Verdict> {
        let met = match self {
            Self::Failure(signature) => {
                seen.failures.iter().any(|failure| Signature::of(failure) == *signature)
            }
            Self::Activity(name) => is_named(seen.tree.activity(), name),
            Self::Screen(hash) => seen.tree.hash() == *hash,
            Self::Branch(branch) => {
                seen.coverage.iter().chain(&seen.rules).any(|branches| branches.contains(branch))
            }
            // That takes the whole run to tell.
            Self::Path(_) => false,
        };
        if met {
            return Some(Verdict::Reproduced);
        }
        seen.failures.first().map(Signature::of).map(Verdict::OtherFailure)
    }
}

/// An activity may be named in full, or by the end of its name after a dot.
fn is_named(activity: &str, name: &str) -> bool {
    let short = name.trim_start_matches('.');
    activity == name || activity.strip_suffix(short).is_some_and(|package| package.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::GuiTree;
    use crate::oracle::{Failure, FailureKind};

    fn observation() -> Observation {
        Observation {
            tree: Arc::new(GuiTree::empty()),
            failures: Vec::new(),
            running: true,
            hit: None,
            rules: None,
            coverage: None,
            time_ms: 0,
            issues: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn failure(message: &str) -> Failure {
        let (package, message) = ("app".to_owned(), message.to_owned());
        Failure { kind: FailureKind::Exit, package, chain: Vec::new(), message }
    }

    #[test]
    fn the_same_failure_meets_the_goal_and_another_ends_the_run() {
        let goal = Goal::Failure(Signature::of(&failure("a")));
        let mut seen = observation();
        assert_eq!(goal.judge(&seen), None);
        seen.failures = vec![failure("b")];
        assert_eq!(goal.judge(&seen), Some(Verdict::OtherFailure(Signature::of(&failure("b")))));
        seen.failures.push(failure("a"));
        assert_eq!(goal.judge(&seen), Some(Verdict::Reproduced));
    }

    #[test]
    fn a_branch_is_met_by_coverage_or_by_a_rule() {
        let names = Names { branches: vec!["open".into(), "save".into()], ..Names::default() };
        let goal = Goal::parse("branch:save", None, &names).unwrap();
        assert_eq!(goal, Goal::Branch(BranchId(1)));
        let covered = Observation { coverage: Some(vec![BranchId(1)]), ..observation() };
        let ran = Observation { rules: Some(vec![BranchId(0), BranchId(1)]), ..observation() };
        assert_eq!(goal.judge(&covered), Some(Verdict::Reproduced));
        assert_eq!(goal.judge(&ran), Some(Verdict::Reproduced));
        assert_eq!(goal.judge(&observation()), None);
    }

    #[test]
    fn goals_are_read_from_words_and_wrong_words_say_what_to_write() {
        let signature = Signature("java X".into());
        let none = Names::default();
        let branch = Names { branches: vec!["a".into()], ..Names::default() };
        assert_eq!(Goal::parse("failure", Some(&signature), &none), Ok(Goal::Failure(signature)));
        assert_eq!(Goal::parse("failure", None, &none), Err(GoalError::NoFailure));
        assert_eq!(Goal::parse("screen:00000000000000ff", None, &none), Ok(Goal::Screen(TreeHash(255))));
        assert!(matches!(Goal::parse("screen:xyz", None, &none), Err(GoalError::Screen(_))));
        assert!(matches!(Goal::parse("branch:7", None, &branch), Err(GoalError::Branch { .. })));
        assert!(matches!(Goal::parse("activity:", None, &none), Err(GoalError::Unknown(_))));
        assert_eq!(Goal::parse("path", None, &none), Ok(Goal::Path(Label::State)));
        assert_eq!(Goal::parse("path:window", None, &none), Ok(Goal::Path(Label::Window)));
        assert!(matches!(Goal::parse("path:x", None, &none), Err(GoalError::Unknown(_))));
        assert!(is_named("com.example.Edit", "Edit"));
        assert!(is_named("com.example.Edit", ".Edit"));
        assert!(!is_named("com.example.NoteEdit", "Edit"));
    }
    #[test]
    fn a_misspelt_activity_is_told_the_known_ones_the_nearest_first() {
        let activities =
            ["org.a.MainActivity", "org.a.EditActivity", "org.b.EditActivity", "org.a.SettingsActivity"];
        let names = Names { activities: activities.map(SmolStr::from).to_vec(), ..Names::default() };
        let goal = |word| Goal::parse(word, None, &names);
        for word in ["activity:EditActivity", "activity:.EditActivity", "activity:org.b.EditActivity"] {
            assert!(goal(word).is_ok(), "{word}");
        }
        let error = goal("activity:SetingsActivity").unwrap_err().to_string();
        let known = "there is no activity `SetingsActivity`; known are SettingsActivity, ";
        assert!(error.starts_with(known) && error.contains("MainActivity"), "{error}");
        assert!(
            goal("activity:settingsactivity").unwrap_err().to_string().contains("known are SettingsActivity")
        );
        let many = (0..40).map(|number| format!("org.a.Page{number}").into()).collect();
        let names = Names { activities: many, ..Names::default() };
        let error = Goal::parse("activity:Pag7", None, &names).unwrap_err().to_string();
        assert!(error.contains("known are Page7, ") && error.ends_with("and 28 more"), "{error}");
    }
}
