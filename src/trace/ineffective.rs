//! CHARD's nine rules for events that do not contribute to a test (CHARD 4): what a trace could lose without a device.
//!
//! Each rule is an extended state machine of its own (Definition 4.2) that reads the sequence once and deletes from it. What
//! the rules delete is a proposal: they look at what was recorded, and an app may have changed what no record shows. A
//! shrinker runs the rest before it believes them.

mod contrary_pair;
mod hidden_menu;
mod last_effective;
mod machine;
mod nested_pair;
mod single;
mod text_slide;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use self::contrary_pair::ContraryPair;
use self::hidden_menu::HiddenMenu;
use self::last_effective::LastEffective;
use self::machine::{Efsm, Tape};
use self::nested_pair::NestedContraryPair;
use self::single::Single;
use self::text_slide::TextSlide;
use super::user_event::UserSequence;
use crate::action::Key;

/// The nine rules in the order in which they are applied (CHARD 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// 1: it hits no widget, runs no method and changes no window.
    NoOps,
    /// 2: HOME, which leads out of the app and is rejected.
    Home,
    /// 3: BACK on the main activity, rejected likewise.
    BackOnMain,
    /// 4: a key that is configured to be of no interest.
    OptionalKey,
    /// 5: two events of which the second undoes the first.
    ContraryPair,
    /// 6: a contrary pair around others.
    NestedContraryPair,
    /// 7: events that the last of them replaces.
    LastEffective,
    /// 8: a window that is opened, slid over and closed.
    TextSlide,
    /// 9: a menu, a window opened from it, and its close.
    HiddenMenu,
}

impl Rule {
    /// All nine.
    pub const ALL: [Self; 9] = [
        Self::NoOps,
        Self::Home,
        Self::BackOnMain,
        Self::OptionalKey,
        Self::ContraryPair,
        Self::NestedContraryPair,
        Self::LastEffective,
        Self::TextSlide,
        Self::HiddenMenu,
    ];

    /// Its number, from 1 to 9.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// Its name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoOps => "no-ops",
            Self::Home => "home key",
            Self::BackOnMain => "back on the main activity",
            Self::OptionalKey => "optional key",
            Self::ContraryPair => "contrary pair",
            Self::NestedContraryPair => "nested contrary pair",
            Self::LastEffective => "last effective",
            Self::TextSlide => "text slide",
            Self::HiddenMenu => "hidden menu",
        }
    }

    /// It deletes several events at once, and can only tell what it needs where it is seen that windows close.
    fn is_combination(self) -> bool {
        self >= Self::ContraryPair
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Which events the rules take for ineffective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The keys of the fourth rule. An app that turns pages with the volume keys wants them out of here.
    pub optional_keys: BTreeSet<Key>,
    /// The rules that are applied.
    pub enabled: BTreeSet<Rule>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            optional_keys: BTreeSet::from([Key::Call, Key::VolumeUp, Key::VolumeDown]),
            enabled: Rule::ALL.into_iter().collect(),
        }
    }
}

/// Events that one rule deletes together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// What it deletes: indices of the sequence, in order.
    pub events: Vec<usize>,
    /// The record does not show everything that the rule looks at, so that a part is assumed.
    pub assumed: bool,
}

/// What the rules found in a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ineffective {
    /// What they delete, in the order in which it was found. No event is in two of them.
    pub findings: Vec<Finding>,
    /// What is left: indices of the sequence.
    pub kept: Vec<usize>,
    /// What the record lacks, so that rules could not look.
    pub lacks: Vec<Lack>,
}

/// What a record lacks, and so which rules cannot be applied to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// No screens at all: not even the activity.
    Activities,
    /// Activities, but not what was on the screen.
    Screens,
    /// Screens, but not which methods ran.
    Methods,
}

impl Lack {
    /// What is missing and what follows from that, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Activities => {
                "The record names no activity: there is no window tree, and only the rules for HOME and the optional keys \
                 apply."
            }
            Self::Screens => {
                "The record has activities, but no screens and no widgets: the rules no-ops, contrary pair, nested \
                 contrary pair, last effective, text slide and hidden menu do not apply."
            }
            Self::Methods => {
                "The record does not tell which methods ran: an event counts as without effect if it hits no widget and \
                 leaves the screen as it was."
            }
        }
    }

    /// How to get a record that has it.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Activities | Self::Screens => {
                "Replay it with siamang on a device to have them, or record with `siamang explore`."
            }
            Self::Methods => "The virtual device and the JVM record them; a phone does not.",
        }
    }
}

/// Passes over the sequence at the most: each deletion can bring events together that pair.
const MAX_PASSES: usize = 16;

/// Applies the rules until none deletes anything more.
pub fn analyse(sequence: &UserSequence, rules: &Rules) -> Ineffective {
    let shows_returns = sequence.shows_returns();
    let mut found = Ineffective {
        findings: Vec::new(),
        kept: (0..sequence.events.len()).collect(),
        lacks: lacks(sequence),
    };
    // What was left when a rule last found nothing: it finds nothing again until another rule has deleted something.
    let mut barren: BTreeMap<Rule, usize> = BTreeMap::new();
    for _ in 0..MAX_PASSES {
        let before = found.kept.len();
        for &rule in rules.enabled.iter().filter(|rule| !rule.is_combination() || shows_returns) {
            let left = found.kept.len();
            if barren.get(&rule).is_some_and(|&before| before == left || !rule.is_combination()) {
                continue;
            }
            found.apply(rule, sequence, rules);
            // A rule for single events has judged each of them by itself.
            if found.kept.len() == left || !rule.is_combination() {
                barren.insert(rule, left);
            }
        }
        if found.kept.len() == before {
            break;
        }
    }
    found
}

fn lacks(sequence: &UserSequence) -> Vec<Lack> {
    let all = |known: fn(&super::user_event::UserEvent) -> bool| sequence.events.iter().any(known);
    if sequence.events.is_empty() {
        Vec::new()
    } else if !all(|event| event.source.window.is_some()) {
        vec![Lack::Activities]
    } else if !all(|event| event.source.tree.is_some()) {
        vec![Lack::Screens]
    } else if !all(|event| event.methods.is_some()) {
        vec![Lack::Methods]
    } else {
        Vec::new()
    }
}

impl Ineffective {
    fn apply(&mut self, rule: Rule, sequence: &UserSequence, rules: &Rules) {
        let tape = Tape::new(sequence, &self.kept);
        let deleted = match rule {
            Rule::NoOps | Rule::Home | Rule::BackOnMain | Rule::OptionalKey => {
                Single { rule, main: sequence.main.as_ref(), keys: &rules.optional_keys }.run(&tape)
            }
            Rule::ContraryPair => ContraryPair::default().run(&tape),
            Rule::NestedContraryPair => NestedContraryPair::default().run(&tape),
            Rule::LastEffective => LastEffective::default().run(&tape),
            Rule::TextSlide => TextSlide::default().run(&tape),
            Rule::HiddenMenu => HiddenMenu::default().run(&tape),
        };
        if deleted.is_empty() {
            return;
        }
        let mut gone = vec![false; sequence.events.len()];
        for cells in deleted {
            let mut events: Vec<usize> = cells.into_iter().map(|cell| self.kept[cell]).collect();
            events.sort_unstable();
            for &event in &events {
                gone[event] = true;
            }
            let assumed = events.iter().any(|&event| sequence.events[event].is_assumed());
            self.findings.push(Finding { rule, events, assumed });
        }
        self.kept.retain(|&event| !gone[event]);
    }

    /// How many events each rule deletes, in the rules' order, rules without any left out.
    pub fn by_rule(&self) -> Vec<(Rule, usize)> {
        let count = |rule| {
            let of_rule = self.findings.iter().filter(|finding| finding.rule == rule);
            of_rule.map(|finding| finding.events.len()).sum()
        };
        Rule::ALL.into_iter().map(|rule| (rule, count(rule))).filter(|&(_, count)| count > 0).collect()
    }

    /// The rule that deletes an event.
    pub fn rule_of(&self, events: usize) -> Vec<Option<Rule>> {
        let mut rules = vec![None; events];
        for finding in &self.findings {
            for &event in &finding.events {
                rules[event] = Some(finding.rule);
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests;
