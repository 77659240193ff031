//! `ape-paper` is Algorithm 2 and nothing beyond it: each decision of free runs is one that the paper's rules make.

use siamang::abstraction::{Decision, Reducer, registry};
use siamang::device::{Device, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::target::Target;
use siamang::trace::RunEvent;

const STEPS: u64 = 2_000;
/// The paper's thresholds: α, and the most that its formula gives for β.
const ALPHA: usize = 3;
const MOST_BETA: usize = 8;

/// The decisions of a run.
fn decisions(target: &str, abstraction: &str, seed: u64) -> Vec<Decision> {
    let named = target
        .strip_prefix("models/")
        .map_or_else(|| target.to_owned(), |name| format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR")));
    let app = Target::parse(&named).and_then(|target| target.load()).expect("it is an app");
    let mut device = VirtualDevice::new(app, Seed(seed).named("device"));
    let config = ExploreConfig {
        budget: Budget { steps: STEPS },
        abstraction: registry::find(abstraction).expect("it is registered"),
        ..ExploreConfig::default()
    };
    let mut explorer = Explorer::new(config, device.capabilities().clone(), Seed(seed).named("explore"));
    let mut made = Vec::new();
    loop {
        let observation = match explorer.ask(SessionId(0)) {
            Command::Reset(to, _) => device.do_reset(to),
            Command::Step { event, .. } => device.do_step(&event),
            Command::Stop(_) => return made,
        };
        let decided = |event| match event {
            RunEvent::Decision { decision, .. } => Some(*decision),
            _ => None,
        };
        made.extend(explorer.tell(SessionId(0), observation).into_iter().filter_map(decided));
    }
}

/// What the paper does not do, in words.
fn beyond(decision: &Decision) -> Option<String> {
    let outside = |reducer: Reducer| (!Reducer::PAPER.contains(reducer)).then(|| format!("{decision:?}"));
    match decision {
        Decision::ActionRefined { widgets, change, .. } if *widgets > ALPHA => outside(change.reducer),
        Decision::StateRefined { change, .. } => outside(change.reducer),
        Decision::Coarsened { states, beta, .. } if states > beta && *beta <= MOST_BETA => None,
        Decision::NotSeparable { .. } | Decision::NotSplit { .. } => None,
        other => Some(format!("{other:?}")),
    }
}

const APPS: [&str; 5] = [
    "models/drive_list.toml",
    "models/notes.toml",
    "generated:reorder?screens=12&crashes=2&seed=1",
    "generated:ticking?screens=12&crashes=2&seed=2",
    "generated:tabs?screens=12&crashes=2&seed=3",
];

#[test]
fn names_are_refined_by_alpha_states_by_forks_and_coarsened_by_beta_and_by_nothing_else() {
    let mut sorts = [0; 3];
    for app in APPS {
        for seed in 1..=2 {
            for decision in decisions(app, "ape-paper", seed) {
                assert_eq!(beyond(&decision), None, "{app}, seed {seed}");
                match decision {
                    Decision::ActionRefined { .. } => sorts[0] += 1,
                    Decision::StateRefined { .. } => sorts[1] += 1,
                    Decision::Coarsened { .. } => sorts[2] += 1,
                    _ => {}
                }
            }
        }
    }
    assert!(sorts.iter().all(|&count| count > 0), "each sort of decision was made: {sorts:?}");
}

#[test]
fn the_default_goes_beyond_the_paper_and_is_called_otherwise() {
    let all = decisions("models/drive_list.toml", "evolving", 4);
    assert!(all.iter().any(|decision| beyond(decision).is_some()), "{all:?}");
}
