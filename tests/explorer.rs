//! The explorer on a toy app: no device, no files, no clock.

mod support;

use siamang::device::Observation;
use siamang::explore::{Budget, Command, ExploreConfig, Explorer, StopReason};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::strategy::StrategyChoice;
use siamang::trace::RunEvent;
use support::toy::{self, Toy};

fn config(strategy: &str, steps: u64) -> ExploreConfig {
    ExploreConfig {
        budget: Budget { steps },
        strategy: StrategyChoice::named(strategy).expect("a strategy"),
        ..ExploreConfig::default()
    }
}

struct Run {
    commands: Vec<Command>,
    observations: Vec<Observation>,
    events: Vec<RunEvent>,
    stop: StopReason,
    explorer: Explorer,
}

fn run(mut toy: Toy, config: ExploreConfig, seed: u64) -> Run {
    let mut explorer = Explorer::new(config, toy::capabilities(), Seed(seed));
    let id = SessionId(0);
    let (mut commands, mut observations, mut events) = (Vec::new(), Vec::new(), Vec::new());
    let stop = loop {
        let command = explorer.ask(id);
        let observation = match &command {
            Command::Reset(reset, _) => toy.reset(*reset),
            Command::Step { event, .. } => toy.step(event),
            Command::Stop(reason) => break *reason,
        };
        commands.push(command);
        observations.push(observation.clone());
        events.extend(explorer.tell(id, observation));
    };
    Run { commands, observations, events, stop, explorer }
}

#[test]
fn every_strategy_thinks_the_same_again_over_the_same_observations() {
    for strategy in StrategyChoice::NAMES {
        let first = run(Toy::small(), config(strategy, 1000), 7);
        let mut again = Explorer::new(config(strategy, 1000), toy::capabilities(), Seed(7));
        let mut events = Vec::new();
        for (command, observation) in first.commands.iter().zip(&first.observations) {
            assert_eq!(again.ask(SessionId(0)), *command, "{strategy}");
            events.extend(again.tell(SessionId(0), observation.clone()));
        }
        assert_eq!(
            serde_json::to_string(&events).unwrap(),
            serde_json::to_string(&first.events).unwrap(),
            "{strategy}"
        );
        let other = run(Toy::small(), config(strategy, 1000), 8);
        assert_ne!(other.commands, first.commands, "{strategy}");
    }
}

#[test]
fn a_run_ends_when_its_steps_are_made_and_every_step_is_one_event() {
    let run = run(Toy::small(), config("random", 500), 1);
    assert_eq!(run.stop, StopReason::Steps);
    let steps = run.events.iter().filter(|event| matches!(event, RunEvent::Step(_))).count();
    assert_eq!(steps, 500);
    assert_eq!(run.explorer.ledger().steps(), 500);
}

#[test]
fn a_failure_is_told_in_full_once_and_then_only_by_its_signature() {
    let run = run(Toy::small(), config("random", 3000), 1);
    let told: Vec<bool> = run
        .events
        .iter()
        .filter_map(|event| match event {
            RunEvent::Failure { failure, .. } => Some(failure.is_some()),
            _ => None,
        })
        .collect();
    assert!(told.len() > 1);
    assert!(told[0] && told[1..].iter().all(|full| !full));
    assert_eq!(run.explorer.ledger().failures().len(), 1);
}

#[test]
fn an_app_that_never_starts_ends_the_run() {
    let mut toy = Toy::small();
    let mut explorer = Explorer::new(config("random", 100), toy::capabilities(), Seed(1));
    let mut asked = 0;
    let stop = loop {
        asked += 1;
        match explorer.ask(SessionId(0)) {
            Command::Stop(reason) => break reason,
            Command::Reset(reset, _) => {
                let observation = Observation { running: false, ..toy.reset(reset) };
                explorer.tell(SessionId(0), observation);
            }
            Command::Step { .. } => panic!("an app that does not run cannot be touched"),
        }
    };
    assert_eq!(stop, StopReason::CannotStart);
    assert!(asked < 20);
}

#[test]
fn asking_twice_gives_the_same_command_and_a_lost_device_starts_afresh() {
    let mut toy = Toy::small();
    let mut explorer = Explorer::new(config("random", 100), toy::capabilities(), Seed(1));
    let id = SessionId(3);
    explorer.ask(id);
    explorer.tell(id, toy.reset(siamang::device::Reset::Clean));
    assert_eq!(explorer.ask(id), explorer.ask(id));
    explorer.lost(id);
    assert!(matches!(explorer.ask(id), Command::Reset(..)));
}
