//! The limits on generated apps that run on the virtual device, on a small sample; the benchmark uses 200 seeds a family.

use siamang::shrink::registry::find;

use crate::generated_apps::generated;
use crate::hunting::{app, hunt};
use crate::sample::{Means, means};

const SEEDS: u64 = 6;

fn sample<const N: usize>(contestants: [(&str, usize); N], family: &str) -> [Means; N] {
    let contestants =
        contestants.map(|(name, workers)| (find(name).expect("the algorithm is there"), workers));
    means(&contestants, family, 1..SEEDS + 1, generated, &mut |_, _, _| {}).try_into().expect("one for each")
}

#[test]
fn on_plain_pathfirst_needs_a_third_of_the_runs_of_hdd_and_fifteen_devices_six_rounds() {
    let [path, many, hdd] = sample([("pathfirst", 1), ("pathfirst", 15), ("hdd", 1)], "plain");
    assert!(path.runs <= 12.0, "{path:?}");
    assert!(path.runs <= 0.36 * hdd.runs, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
    assert!(many.rounds <= 6.0, "{many:?}");
    assert!(many.runs <= 2.0 * path.runs, "{many:?} against {path:?}");
}

#[test]
fn on_control_pathfirst_needs_at_most_six_runs() {
    let [path, hdd] = sample([("pathfirst", 1), ("hdd", 1)], "control");
    assert!(path.runs <= 6.0, "{path:?}");
    assert!(path.runs <= 0.4 * hdd.runs, "{path:?} against {hdd:?}");
}

#[test]
fn on_counter_pathfirst_needs_at_most_25_runs() {
    let [path, hdd] = sample([("pathfirst", 1), ("hdd", 1)], "counter");
    assert!(path.runs <= 25.0, "{path:?}");
    assert!(path.runs <= 0.4 * hdd.runs, "{path:?} against {hdd:?}");
}

#[test]
fn on_excursion_pathfirst_beats_hprobdd() {
    let [path, hprobdd] = sample([("pathfirst", 1), ("hprobdd", 1)], "excursion");
    assert!(path.runs < 35.0, "{path:?}");
    assert!(path.runs < hprobdd.runs, "{path:?} against {hprobdd:?}");
}

#[test]
fn what_is_found_on_deterministic_models_ends_with_the_optimums_length() {
    let (mut found, mut optimal) = (0, 0);
    for model in ["counter_crash", "crash_behind_dialog", "lend_contact", "data_off_path", "rotation_crash"] {
        let app = app(&format!("models/{model}.toml"));
        for seed in 1..=2 {
            for shrunk in hunt(&app, seed, 1_500) {
                found += 1;
                optimal += u32::from(app.shortest(&shrunk.report.goal) == Some(shrunk.report.minimal as u32));
            }
        }
    }
    assert!(found >= 6, "{found}");
    assert!(f64::from(optimal) >= 0.95 * f64::from(found), "{optimal} of {found}");
}
