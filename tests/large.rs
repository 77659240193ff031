//! A large app: what a step costs must not grow with what is known.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use siamang::device::{Device, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::target::Target;

/// How many states and activities the searches of a step look at on average, in each third of a run.
fn looked_at(target: &str, steps: u64) -> [f64; 3] {
    let app = Target::parse(target).unwrap().load().unwrap();
    let mut device = VirtualDevice::new(Arc::clone(&app), Seed(1).named("device"));
    let config = ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() };
    let mut explorer = Explorer::new(config, device.capabilities().clone(), Seed(1).named("explore"));
    let session = SessionId(0);
    let mut thirds = [0.0; 3];
    let (mut made, mut before) = (0, 0);
    loop {
        let command = explorer.ask(session);
        let seen = match &command {
            Command::Reset(to, _) => device.do_reset(*to),
            Command::Step { event, .. } => device.do_step(event),
            Command::Stop(_) => return thirds,
        };
        explorer.tell(session, seen);
        made += u64::from(matches!(command, Command::Step { .. }));
        let now = explorer.looked_at();
        thirds[((made * 3 / steps) as usize).min(2)] += (now - before) as f64 * 3.0 / steps as f64;
        before = now;
    }
}

#[test]
fn in_an_app_of_a_thousand_screens_that_is_known_the_searches_of_a_step_look_at_a_hundred_places() {
    let thirds = looked_at("generated:plain?screens=1000", 36_000);
    assert!(thirds[2] <= 100.0, "places a step in each third of the run: {thirds:?}");
}
