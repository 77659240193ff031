//! The limits of the default on generated apps, on a sample; `scripts/bench shrinkers generated` measures 200 seeds.

use siamang::shrink::Verdict;
use siamang::trace::Trace;

use crate::find;
use crate::generated::{Place, searched};
use crate::sample::{Case, Means, means};

const SEEDS: u64 = 12;

/// Where the traces of the sample are found, app and walk for each seed: looking for them takes a minute. Where one is not
/// there any more it is searched for.
const PLACES: [(&str, [Place; SEEDS as usize]); 4] = [
    (
        "plain",
        [
            (3, 25),
            (4, 16),
            (2, 44),
            (0, 72),
            (2, 87),
            (2, 14),
            (0, 41),
            (3, 75),
            (5, 84),
            (1, 78),
            (0, 3),
            (6, 55),
        ],
    ),
    (
        "control",
        [
            (0, 27),
            (0, 12),
            (0, 8),
            (0, 98),
            (1, 13),
            (0, 0),
            (0, 50),
            (1, 28),
            (0, 85),
            (1, 73),
            (1, 62),
            (1, 0),
        ],
    ),
    (
        "counter",
        [
            (4, 85),
            (11, 37),
            (0, 53),
            (11, 16),
            (21, 68),
            (9, 52),
            (8, 78),
            (120, 65),
            (37, 23),
            (0, 99),
            (29, 59),
            (39, 39),
        ],
    ),
    (
        "excursion",
        [
            (0, 37),
            (12, 85),
            (5, 82),
            (2, 78),
            (14, 1),
            (9, 52),
            (0, 54),
            (10, 9),
            (1, 85),
            (27, 82),
            (5, 16),
            (5, 6),
        ],
    ),
];

fn case(family: &str, seed: u64) -> Case {
    let places = PLACES.iter().find(|(name, _)| *name == family).map(|(_, places)| places);
    let known = places.and_then(|places| places.get(seed as usize - 1).copied());
    searched(family, seed, known).0
}

/// The means of each algorithm with so many workers on the same traces.
fn sample<const N: usize>(family: &str, contestants: [(&str, usize); N]) -> [Means; N] {
    let contestants =
        contestants.map(|(name, workers)| (find(name).expect("the algorithm is there"), workers));
    let found = means(&contestants, family, 1..SEEDS + 1, case, &mut |_, _, _| {});
    std::array::from_fn(|at| found[at])
}

#[test]
fn on_generated_plain_at_most_12_runs_a_third_of_hdd_and_six_rounds_on_15_devices() {
    let [path, many, hdd] = sample("plain", [("pathfirst", 1), ("pathfirst", 15), ("hdd", 1)]);
    assert!(path.runs.mean <= 12.0, "{path:?}");
    assert!(path.runs.mean <= 0.36 * hdd.runs.mean, "{path:?} against {hdd:?}");
    assert!(path.optimal >= 0.95, "{path:?}");
    assert!(many.rounds.mean <= 6.0, "{many:?}");
    assert!(many.runs.mean <= 2.0 * path.runs.mean, "{many:?} against {path:?}");
}

#[test]
fn on_generated_control_at_most_6_runs() {
    let [path, hdd] = sample("control", [("pathfirst", 1), ("hdd", 1)]);
    assert!(path.runs.mean <= 6.0, "{path:?}");
    assert!(path.runs.mean <= 0.4 * hdd.runs.mean, "{path:?} against {hdd:?}");
}

#[test]
fn on_generated_counter_at_most_25_runs() {
    let [path, hdd] = sample("counter", [("pathfirst", 1), ("hdd", 1)]);
    assert!(path.runs.mean <= 25.0, "{path:?}");
    assert!(path.runs.mean <= 0.4 * hdd.runs.mean, "{path:?} against {hdd:?}");
}

#[test]
fn on_generated_excursion_below_35_runs_and_below_hprobdd() {
    let [path, hprobdd] = sample("excursion", [("pathfirst", 1), ("hprobdd", 1)]);
    assert!(path.runs.mean < 35.0, "{path:?}");
    assert!(path.runs.mean < hprobdd.runs.mean, "{path:?} against {hprobdd:?}");
}

#[test]
fn what_is_left_of_generated_traces_is_1_minimal() {
    for (family, _) in PLACES {
        let Case { trace, mut run, .. } = case(family, 1);
        let setup = crate::Setup::new(trace);
        let pathfirst = find("pathfirst").expect("the default");
        let (best, ..) = crate::in_rounds(pathfirst, |candidate| run(&candidate.trace()), setup, 1);
        assert_eq!(run(&best).verdict, Verdict::Reproduced, "{family}");
        for at in 0..best.events.len() {
            let mut events = best.events.clone();
            events.remove(at);
            let fewer = Trace { events, ..best.clone() };
            assert_ne!(run(&fewer).verdict, Verdict::Reproduced, "{family}: event {at} is not needed");
        }
    }
}
