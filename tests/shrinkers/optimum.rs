//! What is found on deterministic models ends at the optimum's length, on a sample; `scripts/bench shrinkers optimum`
//! explores all of them with ten seeds and 20,000 steps.

use crate::hunting::{app, hunt};

/// Models whose failure is found early, and how many steps are enough for that.
const MODELS: [(&str, u64); 6] = [
    ("counter_crash", 1_000),
    ("crash_behind_dialog", 1_000),
    ("data_off_path", 1_500),
    ("lend_contact", 1_500),
    ("notes", 1_500),
    ("rotation_crash", 1_000),
];

#[test]
fn of_what_is_found_on_the_models_at_least_95_percent_end_at_the_optimum() {
    let (mut found, mut missed) = (0, Vec::new());
    for (name, steps) in MODELS {
        let app = app(&format!("models/{name}.toml"));
        assert!(!app.random, "{name} leaves something to chance");
        for seed in 1..=2 {
            for shrunk in hunt(&app, seed, steps) {
                let report = shrunk.report;
                let optimum = app.shortest(&report.goal);
                found += 1;
                if optimum != Some(report.minimal as u32) || !report.reproduced {
                    missed.push((name, seed, report.goal, report.minimal, optimum));
                }
            }
        }
    }
    assert!(found >= 10, "only {found} failures were found");
    assert!(missed.len() * 20 <= found, "{} of {found}: {missed:?}", missed.len());
}
