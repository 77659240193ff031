//! Apps made from a seed: `generated:FAMILY?screens=10&crashes=1&seed=7`.
//!
//! Benchmarks rest on these apps, so they are frozen: an app is a function of its family's version and its numbers, and a
//! test holds hashes. A change raises [`Family::version`] and is told in the news.
//!
//! All families share one skeleton. Screens form a tree of levels, with more edges that never skip a level, so that the
//! number of navigation events to a screen is at least its level. Each crash has a screen, a few data events on the way
//! and, in `excursion`, one off the way; everything else is noise. The first four families are the simulator of the
//! shrinking experiments; the other five show the same skeleton through lists and texts that change.

mod plan;
mod write;

use std::fmt;

pub use plan::{Cell, Plan};

/// Screens at the most.
pub const MAX_SCREENS: u32 = 10_000;
/// Crashes at the most.
pub const MAX_CRASHES: u32 = 100;

/// What sort of app it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// A crash needs a data event on each of two screens and two navigation events: 5 events.
    Plain,
    /// A crash needs four navigation events and nothing else: 5 events.
    Control,
    /// A crash needs one data event three times: 7 events.
    Counter,
    /// A crash needs a data event on a screen beside the way: 7 events.
    Excursion,
    /// Lists that are in another order at each visit.
    Reorder,
    /// Lists that grow and whose texts change.
    Rows,
    /// Texts that change every second and with every event.
    Ticking,
    /// The same buttons with other meanings on each tab.
    Tabs,
    /// Navigation through dialogs that all look alike, and tips that appear by chance.
    Dialogs,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Control,
        Self::Counter,
        Self::Excursion,
        Self::Reorder,
        Self::Rows,
        Self::Ticking,
        Self::Tabs,
        Self::Dialogs,
    ];

    /// Its name in a target.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Control => "control",
            Self::Counter => "counter",
            Self::Excursion => "excursion",
            Self::Reorder => "reorder",
            Self::Rows => "rows",
            Self::Ticking => "ticking",
            Self::Tabs => "tabs",
            Self::Dialogs => "dialogs",
        }
    }

    /// Raised when the family's apps change.
    pub fn version(self) -> u32 {
        1
    }
}

/// Which app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// What sort of app.
    pub family: Family,
    /// How many screens.
    pub screens: u32,
    /// How many planted crashes.
    pub crashes: u32,
    /// The seed.
    pub seed: u64,
}

/// What is wrong with a target that should name a generated app.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(String);

impl Spec {
    /// What a target of a generated app starts with.
    pub const PREFIX: &'static str = "generated:";

    /// Reads `generated:plain?screens=10&crashes=1&seed=7`; what is not given has its default.
    pub fn parse(target: &str) -> Result<Self, SpecError> {
        let rest = target.strip_prefix(Self::PREFIX).unwrap_or(target);
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let family = Family::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| {
            let known = Family::ALL.iter().map(|family| family.name());
            let all: Vec<&str> = known.clone().collect();
            SpecError(format!(
                "{}; the families are {}",
                crate::nearest::unknown("family", name, known),
                all.join(", ")
            ))
        })?;
        let mut spec = Self { family, screens: 10, crashes: 1, seed: 1 };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| SpecError(format!("`{pair}` should be `name=number`")))?;
            let number: u64 = value
                .parse()
                .map_err(|_| SpecError(format!("`{value}` in `{pair}` is not a whole number")))?;
            match key {
                "screens" => spec.screens = in_range(key, number, plan::MIN_SCREENS, MAX_SCREENS)?,
                "crashes" => spec.crashes = in_range(key, number, 0, MAX_CRASHES)?,
                "seed" => spec.seed = number,
                _ => {
                    let message =
                        crate::nearest::unknown("number", key, ["screens", "crashes", "seed"].into_iter());
                    return Err(SpecError(message));
                }
            }
        }
        let planted = Plan::new(&spec).planted();
        if planted < spec.crashes as usize {
            let more = if spec.screens < MAX_SCREENS { ", or for more screens" } else { "" };
            return Err(SpecError(format!(
                "{} screens of `{name}` hold {planted} crashes with this seed; ask for {planted} or fewer{more}",
                spec.screens
            )));
        }
        Ok(spec)
    }

    /// The app as a TOML model.
    pub fn generate(&self) -> String {
        write::toml(&Plan::new(self))
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, screens, crashes, seed } = self;
        write!(f, "{}{}?screens={screens}&crashes={crashes}&seed={seed}", Self::PREFIX, family.name())
    }
}

fn in_range(key: &str, number: u64, least: u32, most: u32) -> Result<u32, SpecError> {
    u32::try_from(number)
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| SpecError(format!("`{key}={number}` is out of range; use {least} to {most}")))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    #[test]
    fn the_generated_apps_are_frozen() {
        let mut hashes = String::new();
        for family in Family::ALL {
            for seed in 1..=3 {
                let spec = Spec { family, screens: 12, crashes: 2, seed };
                let hash = xxh3_64(spec.generate().as_bytes());
                writeln!(hashes, "{} v{} seed {seed}: {hash:016x}", family.name(), family.version()).unwrap();
            }
        }
        insta::assert_snapshot!(hashes);
    }

    #[test]
    fn large_generated_apps_are_frozen_too() {
        let mut hashes = String::new();
        for family in Family::ALL {
            for (screens, seed) in [(60, 1), (400, 2), (MAX_SCREENS, 3)] {
                let spec = Spec { family, screens, crashes: 2, seed };
                let hash = xxh3_64(spec.generate().as_bytes());
                writeln!(hashes, "{spec} v{}: {hash:016x}", family.version()).unwrap();
            }
        }
        insta::assert_snapshot!(hashes);
    }

    #[test]
    fn every_generated_app_is_a_valid_model() {
        for family in Family::ALL {
            for (screens, crashes) in [(8, 1), (10, 1), (40, 5)] {
                for seed in 1..=3 {
                    let spec = Spec { family, screens, crashes, seed };
                    let source = spec.generate();
                    if let Err(errors) = super::super::compile::load(&source) {
                        panic!("{spec}: {}\n{source}", errors[0]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_target_names_its_numbers_and_mistakes_are_answered() {
        let spec = Spec::parse("generated:counter?screens=20&seed=9").unwrap();
        assert_eq!(spec.to_string(), "generated:counter?screens=20&crashes=1&seed=9");
        let answer = |target: &str| Spec::parse(target).unwrap_err().to_string();
        assert!(answer("generated:counters").contains("did you mean `counter`"));
        assert!(answer("generated:plain?screens=0").contains("use 8 to 10000"));
        assert!(answer("generated:plain?seeds=1").contains("did you mean `seed`"));
        assert!(answer("generated:plain?seed=x").contains("not a whole number"));
    }
}
