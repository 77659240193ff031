//! What a trace leads to that does not say so, such as another tool's script: runs of it tell.

use std::path::Path;

use crate::campaign::Control;
use crate::device::{AnyDevice, Device as _};
use crate::error::{CommandError, Exit};
use crate::letters::plain;
use crate::numbers::counted;
use crate::oracle::Signature;
use crate::shrink::noise::MOST_ORIGINAL;
use crate::trace::Trace;
use crate::trace::replay::{Judged, replay};

/// The failure that a trace leads to, and how many runs it took to see it.
#[derive(Clone, Debug)]
pub struct LeadsTo {
    pub failure: Signature,
    pub runs: u64,
}

impl LeadsTo {
    /// Runs a trace of which only a part of its failure was recorded, until a failure comes that may be it: from then on that one
    /// is looked for, and no other that would fit. None if there is none.
    pub fn like(
        recorded: &Signature,
        trace: &Trace,
        mut device: AnyDevice,
        budget: u64,
        control: &Control,
    ) -> Option<Self> {
        let most = if device.capabilities().deterministic { 1 } else { u64::from(MOST_ORIGINAL).min(budget) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let found = runtime.block_on(async {
            for runs in 1..=most {
                if control.is_interrupted() {
                    break;
                }
                let run = replay(&mut device, trace, |_| Judged::Open).await.ok()?;
                if let Some(failure) = run.failures.iter().find(|failure| recorded.fits(failure)) {
                    return Some(Self { failure: Signature::of(failure), runs });
                }
            }
            None
        });
        if let Err(error) = runtime.block_on(device.close()) {
            tracing::warn!("{error}");
        }
        found
    }

    /// Runs a trace until it fails: once where the device always does the same, else as often as an original is tried.
    pub fn find(
        trace: &Trace,
        mut device: AnyDevice,
        budget: u64,
        control: &Control,
        file: &Path,
    ) -> anyhow::Result<Self> {
        let most = if device.capabilities().deterministic { 1 } else { u64::from(MOST_ORIGINAL).min(budget) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let found = runtime.block_on(async {
            let mut story = String::new();
            for runs in 1..=most {
                if control.is_interrupted() {
                    break;
                }
                let run = replay(&mut device, trace, |_| Judged::Open).await?;
                if let Some(failure) = run.worst_failure().map(Signature::of) {
                    return Ok(Ok(Self { failure, runs }));
                }
                story = run.story(trace, "nothing failed");
            }
            Ok(Err(story))
        });
        if let Err(error) = runtime.block_on(device.close()) {
            tracing::warn!("{error}");
        }
        found.map_err(|error| crate::cli::lost(&error))?.map_err(|story| {
            let place = file.display();
            if control.is_interrupted() {
                let message = format!("{place}: interrupted before it failed");
                return CommandError { exit: Exit::Interrupted, message }.into();
            }
            let message = format!(
                "{place}: it led to no failure in {}; {}\n  a goal such as --goal activity:NAME shortens it all the same",
                counted(most, "run"),
                plain(&story)
            );
            CommandError { exit: Exit::NotReproduced, message }.into()
        })
    }
}
