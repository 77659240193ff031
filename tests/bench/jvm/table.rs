//! The README's table of real APKs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use siamang::device::jvm::JvmDevice;
use siamang::device::jvm::coverage::Covered;
use siamang::device::{Device, HOST_FAULT};
use siamang::trace::RunEvent;

use super::process::Meter;
use super::{Seen, Trouble, number, ready, walk};

/// What the columns are. A step on the wall waits for whoever else uses the computer, and for what the JVM compiles beside it.
pub const HEAD: &str = "| app | steps | activities | branches | failures | steps a second | steps a CPU-second |\n\
                        |---|---|---|---|---|---|---|";

/// One row: what STEPS (2,000) steps with SEED (1) have shown.
pub async fn measure(path: &Path, out: &mut dyn Write) -> Result<usize, Trouble> {
    let (steps, seed) = (number("STEPS", 2_000), number("SEED", 1));
    let (workshop, apk) = ready(path)?;
    let declared: BTreeSet<_> = apk.activities.iter().cloned().collect();
    let mut device = JvmDevice::new(Arc::clone(&workshop), Arc::clone(&apk));
    let mut shown = BTreeSet::new();
    let mut failures: BTreeMap<String, u64> = BTreeMap::new();
    let mut branches = BTreeSet::new();
    let mut faults: BTreeMap<String, u64> = BTreeMap::new();
    let mut meter = Meter::new();
    walk(&mut device, seed, steps, &mut |seen| {
        match seen {
            Seen::Leaving => meter.stop(),
            Seen::Started => meter.start(),
            Seen::Step(made, observation, events) => {
                meter.steps = made;
                shown.insert(observation.tree.activity().clone());
                for fault in observation.issues.iter().filter(|text| text.starts_with(HOST_FAULT)) {
                    *faults.entry(fault.clone()).or_default() += 1;
                }
                for event in events {
                    match event {
                        RunEvent::Step(step) => branches.extend(&step.new_branches),
                        RunEvent::Reset { new_branches, .. } => branches.extend(new_branches),
                        RunEvent::Failure { failure: Some(failure), .. } => {
                            *failures.entry(failure.headline()).or_default() += 1;
                        }
                        _ => {}
                    }
                }
            }
        }
        true
    })
    .await?;
    meter.stop();
    device.close().await?;
    let folder = tempfile::tempdir()?;
    let covered = Covered::write(&workshop, &apk, &branches, folder.path(), None)?;
    let (taken, all) = covered
        .counters
        .iter()
        .find(|(name, ..)| name == "branches")
        .map_or((0, 0), |&(_, taken, all)| (taken, all));
    let own = shown.iter().filter(|name| declared.contains(name.as_str())).count();
    let found: u64 = failures.values().sum();
    writeln!(
        out,
        "| `{}` | {steps} | {own} of {} | {taken} of {all} | {found} | {:.0} | {:.0} |",
        path.file_stem().unwrap_or_default().to_string_lossy(),
        declared.len(),
        meter.steps as f64 / meter.sum.wall.max(0.001),
        meter.steps as f64 / meter.sum.path.max(0.001),
    )?;
    for (headline, _) in failures {
        writeln!(out, "    {headline}")?;
    }
    for (fault, times) in faults {
        writeln!(out, "    {times} times: {fault}")?;
    }
    Ok(0)
}
