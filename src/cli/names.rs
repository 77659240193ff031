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
