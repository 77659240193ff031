//! One seed, one run: the spines of RUNS (10) runs with the same seed, each in a JVM of its own, byte by byte.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use siamang::device::Device;
use siamang::device::jvm::JvmDevice;
use siamang::trace::RunEvent;

use super::{Seen, Trouble, number, ready, walk};

/// So much of so many lines before the parting is shown: what was done there.
const BEFORE: usize = 3;
const SHOWN: usize = 300;

/// How many of the runs differ from the first, and where they part.
pub async fn measure(path: &Path, out: &mut dyn Write) -> Result<usize, Trouble> {
    let (runs, steps, seed) = (number("RUNS", 10), number("STEPS", 500), number("SEED", 1));
    let (workshop, apk) = ready(path)?;
    let mut first: Vec<String> = Vec::new();
    let mut differing = 0;
    for run in 0..runs {
        let mut device = JvmDevice::new(Arc::clone(&workshop), Arc::clone(&apk));
        let mut spine = Vec::new();
        walk(&mut device, seed, steps, &mut |seen| {
            if let Seen::Step(_, _, events) = seen {
                spine.extend(events.iter().map(line));
            }
            true
        })
        .await?;
        device.close().await?;
        if run == 0 {
            first = spine;
            continue;
        }
        let parting = first.iter().zip(&spine).position(|(one, other)| one != other);
        if let Some(at) = parting {
            differing += 1;
            writeln!(out, "  run {} parts at line {at} of {}:", run + 1, first.len())?;
            for before in &spine[at.saturating_sub(BEFORE)..at] {
                writeln!(out, "    after {}", before.chars().take(SHOWN).collect::<String>())?;
            }
            writeln!(out, "    {}\n    {}", short(&first[at], &spine[at]), short(&spine[at], &first[at]))?;
        } else if first.len() != spine.len() {
            differing += 1;
            writeln!(out, "  run {} has {} lines and not {}", run + 1, spine.len(), first.len())?;
        }
        out.flush()?;
    }
    let verdict = if differing == 0 { "holds" } else { "MISSED" };
    writeln!(
        out,
        "{}: {} of {runs} runs of {steps} steps with seed {seed} are the same, byte for byte (asked: all) {verdict}",
        path.display(),
        runs - differing
    )?;
    Ok(usize::from(differing > 0))
}

fn line(event: &RunEvent) -> String {
    serde_json::to_string(event).unwrap_or_default()
}

/// Where they part, and a little of what comes before.
fn short(line: &str, other: &str) -> String {
    const BEFORE: usize = 60;
    const SHOWN: usize = 240;
    let same = line.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    line.chars().skip(same.saturating_sub(BEFORE)).take(SHOWN).collect()
}
