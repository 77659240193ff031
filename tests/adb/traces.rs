//! Through adb and the agent the same is seen, done and found as on the virtual device itself.

use siamang::device::virtual_device::app::App;
use siamang::device::{Device, Observation, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, GuiTree, TreeBuilder};
use siamang::ids::SessionId;
use siamang::oracle::{FailureKind, Signature};
use siamang::seed::Seed;
use std::sync::Arc;

use super::{Bench, now};

const SESSION: SessionId = SessionId(0);

/// What a phone cannot say: which rules ran, and what two fingers do. An ANR has its reason and no stack.
fn as_a_phone_says(mut seen: Observation) -> Observation {
    seen.rules = None;
    seen.coverage = None;
    seen.tree = Arc::new(without_pinch(&seen.tree));
    for failure in &mut seen.failures {
        if failure.kind == FailureKind::Anr {
            failure.chain.clear();
        }
    }
    seen
}

fn without_pinch(tree: &GuiTree) -> GuiTree {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, tree.activity().clone());
    let mut depth = 0;
    for node in tree.nodes() {
        if node.parent.is_none() {
            builder.window(tree.windows()[node.window as usize].clone());
            depth = 0;
        }
        while depth > node.depth {
            builder.close();
            depth -= 1;
        }
        let mut widget = (*node.widget).clone();
        widget.actions -= ActionSet::PINCH;
        builder.open(widget);
        depth += 1;
    }
    builder.finish()
}

/// What is done without being at home meanwhile: on a phone that takes time.
fn config(steps: u64) -> ExploreConfig {
    use siamang::action::ActionKind;
    let mut config = ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() };
    config.phone_actions.retain(|kind| !matches!(kind, ActionKind::HomeAndReturn | ActionKind::ProcessDeath));
    config
}

fn reference(app: &Arc<App>, steps: u64) -> Vec<(Command, Observation)> {
    let mut device = VirtualDevice::new(Arc::clone(app), Seed(1).named("device"));
    let capabilities = siamang::device::Capabilities {
        branches: Vec::new(),
        activities: Vec::new(),
        deep_links: Vec::new(),
        ..device.capabilities().clone()
    };
    let mut explorer = Explorer::new(config(steps), capabilities, Seed(1).named("explore"));
    let mut done = Vec::new();
    loop {
        let command = explorer.ask(SESSION);
        let seen = match &command {
            Command::Stop(_) => return done,
            Command::Reset(to, _) => device.do_reset(*to),
            Command::Step { event, .. } => device.do_step(event),
        };
        let seen = as_a_phone_says(seen);
        explorer.tell(SESSION, seen.clone());
        done.push((command, seen));
    }
}

#[test]
fn the_same_seed_does_and_sees_the_same_as_on_the_virtual_device() {
    const STEPS: u64 = 1_500;
    let Some(bench) = Bench::new("notes") else { return };
    let expected = reference(&bench.phone.app, STEPS);
    let mut device = bench.device();
    let capabilities = device.capabilities().clone();
    let mut explorer = Explorer::new(config(STEPS), capabilities, Seed(1).named("explore"));
    let mut found = std::collections::BTreeSet::new();
    now(async {
        for (number, (command, wanted)) in expected.into_iter().enumerate() {
            assert_eq!(explorer.ask(SESSION), command, "command {number}");
            let seen = match &command {
                Command::Reset(to, _) => device.reset(*to).await.unwrap(),
                Command::Step { event, .. } => device.step(event).await.unwrap(),
                Command::Stop(_) => break,
            };
            let told = |seen: &Observation| {
                (
                    seen.tree.hash(),
                    seen.failures.clone(),
                    seen.running,
                    seen.hit,
                    seen.time_ms,
                    seen.issues.clone(),
                )
            };
            assert_eq!(told(&seen), told(&wanted), "after command {number}: {command:?}");
            found.extend(seen.failures.iter().map(Signature::of));
            explorer.tell(SESSION, seen);
        }
        device.close().await.unwrap();
    });
    assert!(found.len() >= 3, "{found:?}");
}
