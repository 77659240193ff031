//! How often what is found on the deterministic models ends with the optimum's length.

use std::collections::BTreeMap;

use siamang::trace::replay::describe;

use crate::hunting::{app, hunt};
use crate::measure::Measured;

const STEPS: u64 = 20_000;

/// Explores every deterministic model with seeds 1 to `seeds` and prints the failures that did not end at the optimum.
pub fn table(seeds: u64, only: &str) -> Vec<Measured> {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/models")).expect("the models");
    let mut names: Vec<String> = folder
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.contains(only))
        .collect();
    names.sort();
    let (mut found, mut optimal, mut runs) = (0_u32, 0_u32, 0);
    for name in names {
        let app = app(&format!("models/{name}"));
        if app.random {
            println!("{name}: left to chance, not counted");
            continue;
        }
        let mut missed: BTreeMap<(String, usize, Option<u32>), Vec<u64>> = BTreeMap::new();
        let (mut here, mut good) = (0, 0);
        for seed in 1..=seeds {
            for shrunk in hunt(&app, seed, STEPS) {
                let report = shrunk.report;
                let optimum = app.shortest(&report.goal);
                here += 1;
                runs += report.runs;
                if optimum == Some(report.minimal as u32) && report.reproduced {
                    good += 1;
                } else {
                    if std::env::var("TELL").is_ok() {
                        let steps: Vec<String> = shrunk.minimal.events.iter().map(describe).collect();
                        println!("  seed {seed}: {}", steps.join("; "));
                    }
                    missed.entry((report.goal, report.minimal, optimum)).or_default().push(seed);
                }
            }
        }
        println!("{name}: {good} of {here} failures end at the optimum");
        for ((goal, minimal, optimum), seeds) in missed {
            let optimum = optimum.map_or_else(|| "unknown".to_owned(), |optimum| optimum.to_string());
            println!("  {minimal} events, optimum {optimum}, seeds {seeds:?}: {goal}");
        }
        found += here;
        optimal += good;
    }
    let share = f64::from(optimal) / f64::from(found.max(1));
    println!(
        "{optimal} of {found} failures end at the optimum ({:.1} %), {:.1} runs each",
        100.0 * share,
        runs as f64 / f64::from(found.max(1))
    );
    vec![Measured::at_least("failures of deterministic models that end at the optimum", "share", 0.95, share)]
}
