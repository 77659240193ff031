//! SATA on the evolving model, on the app models.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use siamang::abstraction::registry;
use siamang::explore::{Budget, ExploreConfig};
use siamang::strategy::{SataConfig, StrategyChoice};
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

/// The share of steps that begin in one of these activities.
fn share_in(run: &support::phone::Run, activities: &[&str]) -> f64 {
    let (mut inside, mut all) = (0u32, 0u32);
    for event in &run.events {
        if let RunEvent::Step(step) = event {
            all += 1;
            inside += u32::from(activities.iter().any(|activity| step.before.activity.ends_with(activity)));
        }
    }
    f64::from(inside) / f64::from(all)
}

#[test]
fn free_running_on_the_reordered_list_ends_with_rows_named_by_their_text() {
    let app = model("drive_list");
    for seed in 0..10 {
        // Without rotation: a turned phone shows only some of the rows.
        let strategy = StrategyChoice::Sata(SataConfig { fuzz_permille: 0, ..SataConfig::default() });
        let config =
            ExploreConfig { phone_actions: Vec::new(), strategy, ..config("sata", "evolving", 1500) };
        let run = explore(&app, config, seed);
        let model = run.explorer.model();
        let forked: Vec<String> = model
            .states()
            .filter(|state| state.activity.ends_with("DriveActivity"))
            .flat_map(|state| state.actions.values())
            .filter_map(|&id| model.action(id))
            .filter(|action| action.kind == siamang::action::ActionKind::Tap && action.out.len() > 1)
            .map(|action| {
                format!(
                    "{} widgets {} visits {} out {}",
                    action.source,
                    action.widgets,
                    action.visits,
                    action.out.len()
                )
            })
            .collect();
        let decisions: Vec<String> = run
            .events
            .iter()
            .filter_map(|event| match event {
                RunEvent::Decision { decision, .. } => Some(format!("{decision:?}")),
                _ => None,
            })
            .collect();
        assert!(forked.is_empty(), "seed {seed}: {forked:#?} {}", decisions.join("\n"));
        assert_eq!(model.stats().ambiguous, 0, "seed {seed}");
    }
}

#[test]
fn a_page_that_nothing_leaves_takes_at_most_a_twentieth_of_the_steps() {
    let app = model("trap_page");
    for seed in 0..3 {
        let run = explore(&app, config("sata", "evolving", 4000), seed);
        let share = share_in(&run, &["GameActivity"]);
        let mut reasons = std::collections::BTreeMap::new();
        for event in &run.events {
            if let RunEvent::Step(step) = event
                && step.before.activity.ends_with("GameActivity")
            {
                *reasons.entry(step.reason.clone()).or_insert(0) += 1;
            }
        }
        assert!(share <= 0.05, "seed {seed}: {share} {reasons:#?}");
    }
}

#[test]
fn several_sessions_on_one_model_think_the_same_again() {
    use siamang::device::{Device, VirtualDevice};
    use siamang::explore::{Command, Explorer};
    use siamang::ids::SessionId;
    use siamang::seed::Seed;
    let app = model("crash_behind_dialog");
    let steps = 2000;
    let mut devices: Vec<VirtualDevice> =
        (0..4).map(|n| VirtualDevice::new(app.clone(), Seed(n).named("device"))).collect();
    let capabilities = devices[0].capabilities().clone();
    let mut explorer = Explorer::new(config("sata", "evolving", steps), capabilities.clone(), Seed(5));
    let mut told = Vec::new();
    'run: loop {
        for (n, device) in devices.iter_mut().enumerate() {
            let id = SessionId(n as u32);
            let command = explorer.ask(id);
            let observation = match &command {
                Command::Reset(reset, _) => device.do_reset(*reset),
                Command::Step { event, .. } => device.do_step(event),
                Command::Stop(_) => break 'run,
            };
            explorer.tell(id, observation.clone());
            told.push((id, command, observation));
        }
    }
    let mut again = Explorer::new(config("sata", "evolving", steps), capabilities, Seed(5));
    for (id, command, observation) in told {
        assert_eq!(again.ask(id), command);
        again.tell(id, observation);
    }
    assert_eq!(again.model().stats(), explorer.model().stats());
}
