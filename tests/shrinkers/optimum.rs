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
fn what_chance_spoils_on_a_long_way_is_reproduced_on_the_shortest_known_one() {
    let app = app("models/ad_overlay.toml");
    assert!(app.random, "an advertisement comes by chance");
    let mut found = 0;
    for seed in [8, 12] {
        for shrunk in hunt(&app, seed, 1_500) {
            let report = shrunk.report;
            assert!(report.reproduced && report.certificate_hits > 0, "{seed}: {report:?}");
            assert_eq!(app.shortest(&report.goal), Some(report.minimal as u32), "{seed}: {report:?}");
            found += 1;
        }
    }
    assert!(found > 0);
}

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
