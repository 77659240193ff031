//! What can be named on the command line, told in the help of the commands.

use crate::abstraction::registry;
use crate::device::virtual_device::generator::Family;
use crate::shrink::registry::{ALGORITHMS, DEFAULT};
use crate::strategy::StrategyChoice;

/// How a target is written.
pub fn target() -> String {
    format!("An APK, the package of an app on a phone, {}", model())
}

/// How an app model is written.
pub fn model() -> String {
    let families: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
    format!(
        "an app model (.toml), or a generated app, generated:FAMILY?screens=N&crashes=N&seed=N [families: {}]",
        families.join(", ")
    )
}

/// Each name with what it stands for, below a heading.
fn told(about: &str, all: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    all.fold(format!("{about}:"), |text, (name, sentence)| format!("{text}\n- {name}: {sentence}"))
}

/// The strategies, each with what it does: for the long help.
pub fn strategies(about: &str) -> String {
    told(about, StrategyChoice::all().iter().map(|strategy| (strategy.name(), strategy.about())))
}

/// The abstractions, each with what it does: for the long help.
pub fn abstractions(about: &str) -> String {
    told(about, registry::REGISTRY.iter().map(|entry| (entry.name, entry.about)))
}

/// The strategies.
pub fn strategy(about: &str) -> String {
    format!("{about} [names: {}]", StrategyChoice::NAMES.join(", "))
}

/// The abstractions.
pub fn abstraction(about: &str) -> String {
    format!("{about} [names: {}]", registry::REGISTRY.map(|entry| entry.name).join(", "))
}

/// The shrinking algorithms.
pub fn algorithm(about: &str) -> String {
    let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
    format!("{about} [default: {DEFAULT}] [names: {}]", names.join(", "))
}
