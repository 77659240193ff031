//! Which engine made the runs of a comparison: results of different engines are never mixed.

use std::fmt::Write as _;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{Combination, CompareError};
use crate::abstraction::DecisionTree;
use crate::device::virtual_device::app::App;
use crate::device::{Device, VirtualDevice};
use crate::explore::{Command, Explorer};
use crate::ids::SessionId;
use crate::seed::Seed;
use crate::target::{Target, TargetError};

/// The app on which an engine shows how it thinks, and for how many steps.
const PROBE: &str = "generated:reorder?screens=8&crashes=1&seed=1";
const PROBE_STEPS: u64 = 150;

/// A hash of the configuration of all combinations, and of what each really does on a small app: it changes with the
/// version, with every default, and with nearly every change of the code that reaches a choice.
pub(super) fn fingerprint(
    combinations: &[Combination],
    initial: Option<&DecisionTree>,
) -> Result<String, CompareError> {
    let probe = |error: TargetError| CompareError::Unknown(error.to_string());
    let app = Target::parse(PROBE).map_err(probe)?.load().map_err(probe)?;
    let mut hash = Xxh3::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    for combination in combinations {
        hash.update(behaviour(combination, initial, &app)?.as_bytes());
    }
    Ok(format!("{:016x}", hash.digest()))
}

fn behaviour(
    combination: &Combination,
    initial: Option<&DecisionTree>,
    app: &Arc<App>,
) -> Result<String, CompareError> {
    const SESSION: SessionId = SessionId(0);
    let config = combination.config(PROBE_STEPS, initial)?;
    let mut said = format!(
        "{combination:?} {:?} {:?} {:?} {:?}",
        config.strategy,
        config.pace,
        config.phone_actions,
        config.abstraction.evolves()
    );
    let mut device = VirtualDevice::new(Arc::clone(app), Seed(1).named("device"));
    let mut explorer = Explorer::new(config, device.capabilities().clone(), Seed(1).named("explore"));
    loop {
        let observation = match explorer.ask(SESSION) {
            Command::Stop(_) => break,
            Command::Reset(to, _) => device.do_reset(to),
            Command::Step { event, .. } => device.do_step(&event),
        };
        let _ = write!(said, "{:?}", explorer.tell(SESSION, observation));
    }
    let _ = write!(said, "{:?}", explorer.model().stats());
    Ok(said)
}
