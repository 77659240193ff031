//! SATA on the evolving model, on the app models.

mod support;

use siamang::abstraction::registry;
use siamang::explore::{Budget, ExploreConfig};
use siamang::strategy::StrategyChoice;
use siamang::trace::RunEvent;
use support::phone::{explore, model};

fn config(strategy: &str, abstraction: &str, steps: u64) -> ExploreConfig {
    ExploreConfig {
        budget: Budget { steps },
        strategy: StrategyChoice::named(strategy).unwrap(),
        abstraction: registry::find(abstraction).unwrap(),
        ..ExploreConfig::default()
    }
}

/// Not a fact but a look: `MODELS=notes SEEDS=3 STEPS=20000 cargo test --test sata -- --ignored --nocapture look`.
#[test]
#[ignore = "prints a table for people"]
fn look() {
    let get = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let steps: u64 = get("STEPS", "20000").parse().unwrap();
    for name in get("MODELS", "notes").split(',') {
        let app = model(name);
        for strategy in get("STRATEGIES", "sata,random").split(',') {
            for abstraction in get("ABSTRACTIONS", "evolving").split(',') {
                for seed in 0..get("SEEDS", "3").parse().unwrap() {
                    let run = explore(&app, config(strategy, abstraction, steps), seed);
                    let stats = run.explorer.model().stats();
                    let (mean, p99) = run.think_us();
                    let found: Vec<String> = run
                        .explorer
                        .ledger()
                        .failures()
                        .iter()
                        .map(|(signature, found)| {
                            format!("{}@{}", signature.0.split(' ').nth(1).unwrap_or(""), found.first.0)
                        })
                        .collect();
                    println!(
                        "{name:20} {strategy:7} {abstraction:12} {seed} fail {} cov {} st {}/{} act {} tr {} amb {} nd {} think {mean:.0}/{p99:.0}us {}",
                        run.failures(),
                        run.explorer.ledger().covered(),
                        stats.states,
                        stats.states_ever,
                        stats.actions,
                        stats.transitions,
                        stats.ambiguous,
                        stats.nondeterministic,
                        found.join(" ")
                    );
                    if std::env::var("REASONS").is_ok() {
                        let mut reasons = std::collections::BTreeMap::new();
                        for event in &run.events {
                            match event {
                                RunEvent::Step(step) => {
                                    *reasons.entry(step.reason.to_string()).or_insert(0) += 1;
                                }
                                RunEvent::Reset { reason, .. } => {
                                    *reasons.entry(format!("reset {reason}")).or_insert(0) += 1;
                                }
                                RunEvent::Decision { decision, .. } => {
                                    let word = format!("{decision:?}");
                                    let word = word.split([' ', '{']).next().unwrap().to_owned();
                                    *reasons.entry(word).or_insert(0) += 1;
                                }
                                _ => {}
                            }
                        }
                        println!("{reasons:#?}");
                    }
                }
            }
        }
    }
}
