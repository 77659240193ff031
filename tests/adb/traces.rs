//! Through adb and the agent the same is seen, done and found as on the virtual device itself.

use siamang::action::{Event, Input, Key, Wait};
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::phone::{Chance, Phone};
use siamang::device::{Capabilities, Device, Observation, Reset};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::gui::tree::{Hit, WidgetPool};
use siamang::gui::{ActionSet, GuiTree, TreeBuilder};
use siamang::ids::SessionId;
use siamang::oracle::{FailureKind, Signature};
use siamang::seed::Seed;
use std::sync::Arc;

use super::{Bench, now};

const SESSION: SessionId = SessionId(0);

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

fn is_short(input: &Input) -> bool {
    matches!(input, Input::Swipe { from, to } if (from.x - to.x).abs().max((from.y - to.y).abs()) < 100)
}

/// The virtual device as a phone does it: going home and coming back takes the time of two steps.
struct Reference {
    phone: Phone,
}

impl Reference {
    fn reset(&mut self, to: Reset) -> Observation {
        self.phone.reset(to);
        self.phone.wait(Wait::Settle);
        self.seen(None)
    }

    fn step(&mut self, event: &Event) -> Observation {
        let hit = match &event.input {
            Input::HomeAndReturn | Input::ProcessDeath => {
                self.phone.inject(&Input::Key(Key::Home));
                self.phone.wait(Wait::Settle);
                match &event.input {
                    Input::ProcessDeath => drop(self.phone.inject(&event.input)),
                    _ => self.phone.launch(),
                }
                self.phone.wait(Wait::Settle);
                None
            }
            Input::Wait(_) => self.phone.inject(&event.input),
            input => {
                let hit = self.phone.inject(input);
                self.phone.wait(event.wait);
                hit
            }
        };
        self.seen(hit)
    }

    /// What a phone cannot say: which rules ran, and what two fingers do. An exception that the
    /// app's own handler swallows is never told.
    fn seen(&mut self, hit: Option<Hit>) -> Observation {
        let tree = Arc::new(without_pinch(&self.phone.screen().tree));
        let happened = self.phone.take_happened();
        let mut failures: Vec<_> = happened.failures.into_iter().map(|(_, failure)| failure).collect();
        failures.retain(|failure| failure.kind != FailureKind::Swallowed);
        let (running, time_ms) = (self.phone.state().running, self.phone.state().now);
        Observation {
            tree,
            failures,
            running,
            hit,
            rules: None,
            coverage: None,
            time_ms,
            issues: happened.issues,
            asked: Vec::new(),
        }
    }
}

fn config(steps: u64) -> ExploreConfig {
    ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() }
}

/// At least so many commands are compared, and so many different failures among them.
const LEAST: usize = 3_000;
const FAILURES: usize = 3;
/// A run that has not found them by then never does.
const MOST: u64 = 20_000;

fn reference(app: &Arc<App>, capabilities: &Capabilities) -> Vec<(Command, Observation)> {
    let chance = Chance::Drawn(Seed(1).named("device").rng());
    let mut device = Reference { phone: Phone::new(Arc::clone(app), chance) };
    let mut explorer = Explorer::new(config(MOST), capabilities.clone(), Seed(1).named("explore"));
    let mut done = Vec::new();
    let mut found = std::collections::BTreeSet::new();
    while done.len() < LEAST || found.len() < FAILURES {
        let command = explorer.ask(SESSION);
        let seen = match &command {
            Command::Stop(_) => break,
            Command::Reset(to, _) => device.reset(*to),
            Command::Step { event, .. } => device.step(event),
        };
        found.extend(seen.failures.iter().map(Signature::of));
        explorer.tell(SESSION, seen.clone());
        done.push((command, seen));
    }
    done
}

#[test]
fn the_same_seed_does_and_sees_the_same_as_on_the_virtual_device() {
    let Some(bench) = Bench::new("notes") else { return };
    let mut device = bench.device();
    let capabilities = device.capabilities().clone();
    let expected = reference(&bench.phone.app, &capabilities);
    let mut explorer = Explorer::new(config(MOST), capabilities, Seed(1).named("explore"));
    let mut found = std::collections::BTreeSet::new();
    now(async {
        for (number, (command, wanted)) in expected.into_iter().enumerate() {
            assert_eq!(explorer.ask(SESSION), command, "command {number}");
            let seen = match &command {
                Command::Reset(to, _) => device.reset(*to).await.unwrap(),
                Command::Step { event, .. } => device.step(event).await.unwrap(),
                Command::Stop(_) => break,
            };
            // The virtual device takes a short swipe for a tap and says what that hit.
            let short = matches!(&command, Command::Step { event, .. } if is_short(&event.input));
            let hit = |seen: &Observation| if short { None } else { seen.hit };
            let told = |seen: &Observation| {
                (
                    seen.tree.hash(),
                    seen.failures.clone(),
                    seen.running,
                    hit(seen),
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
    assert!(found.len() >= FAILURES, "{found:?}");
}
