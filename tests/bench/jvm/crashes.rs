//! The published crashes of real apps: the step at which each seed meets them, and how short their traces become.
//!
//! SimplyDroid's authors recorded three of them on phones (Jiang et al., ASE 2017); the others are in the apps of npm's
//! `sample-apps`. One is the published one if its class and the app's own frame, with the line, are.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use siamang::device::Device;
use siamang::device::jvm::JvmDevice;
use siamang::oracle::Failure;
use siamang::trace::{RunEvent, RunFolder};

use super::{Seen, Trouble, number, ready, walk};

struct Published {
    package: &'static str,
    class: &'static str,
    /// Where in the app's own code.
    class_and_method: (&'static str, &'static str),
    line: u32,
    /// Events that it takes at the most, the launch not counted.
    events: usize,
}

const PUBLISHED: [Published; 6] = [
    Published {
        package: "net.mandaria.tippytipper",
        class: "java.lang.ArithmeticException",
        class_and_method: ("net.mandaria.tippytipper.activities.SplitBill", "AddPerson"),
        line: 101,
        events: 3,
    },
    Published {
        package: "com.tum.yahtzee",
        class: "java.lang.ArithmeticException",
        class_and_method: ("com.tum.yahtzee.GameActivity$3", "onClick"),
        line: 79,
        events: usize::MAX,
    },
    Published {
        package: "de.freewarepoint.whohasmystuff",
        class: "java.lang.NullPointerException",
        class_and_method: ("de.freewarepoint.whohasmystuff.database.OpenLendDbAdapter", "updateLentObject"),
        line: 205,
        events: 6,
    },
    Published {
        package: "com.example.android.contactmanager",
        class: "java.lang.NullPointerException",
        class_and_method: ("com.example.android.contactmanager.ContactAdder", "createContactEntry"),
        line: 187,
        events: usize::MAX,
    },
    Published {
        package: "io.selendroid.testapp",
        class: "java.lang.RuntimeException",
        class_and_method: ("io.selendroid.testapp.HomeScreenActivity$3", "onClick"),
        line: 285,
        events: 1,
    },
    Published {
        package: "io.selendroid.testapp",
        class: "java.lang.RuntimeException",
        class_and_method: ("io.selendroid.testapp.HomeScreenActivity$4", "afterTextChanged"),
        line: 302,
        events: 1,
    },
];

impl Published {
    fn is(&self, failure: &Failure) -> bool {
        let (class, method) = self.class_and_method;
        failure.chain.iter().any(|thrown| {
            let in_frame = |frame: &siamang::oracle::Frame| {
                frame.class == class && frame.method == method && frame.line == Some(self.line)
            };
            thrown.class == self.class && thrown.frames.iter().any(in_frame)
        })
    }

    fn name(&self) -> String {
        let (class, method) = self.class_and_method;
        format!("{}.{method}:{}", class.rsplit('.').next().unwrap_or(class), self.line)
    }
}

/// Seeds 1 to SEEDS (10), each until it has met all published crashes of the app or made STEPS (2,000) steps. The first
/// SHRINK (3) of them are then run again by the program itself, which shrinks what it finds.
pub async fn measure(path: &Path, out: &mut dyn Write) -> Result<usize, Trouble> {
    let (seeds, steps, shrunk) = (number("SEEDS", 10), number("STEPS", 2_000), number("SHRINK", 3));
    let first = number("SEED", 1);
    let (workshop, apk) = ready(path)?;
    let wanted: Vec<&Published> = PUBLISHED.iter().filter(|one| one.package == apk.package).collect();
    if wanted.is_empty() {
        return Err(format!("no crash of {} was published", apk.package).into());
    }
    let mut met: Vec<Vec<Option<u64>>> = vec![Vec::new(); wanted.len()];
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    let mut device = JvmDevice::new(workshop, apk);
    for seed in first..first + seeds {
        let mut at: Vec<Option<u64>> = vec![None; wanted.len()];
        walk(&mut device, seed, steps, &mut |seen| {
            let Seen::Step(made, _, events) = seen else { return true };
            for event in events {
                let RunEvent::Failure { failure: Some(failure), .. } = event else { continue };
                match wanted.iter().position(|one| one.is(failure)) {
                    Some(which) => at[which] = at[which].or(Some(made)),
                    None => *others.entry(failure.headline()).or_default() += 1,
                }
            }
            at.iter().any(Option::is_none)
        })
        .await?;
        for (steps, at) in met.iter_mut().zip(at) {
            steps.push(at);
        }
    }
    device.close().await?;
    let mut missed = 0;
    for (which, one) in wanted.iter().enumerate() {
        let places: Vec<String> =
            met[which].iter().map(|at| at.map_or("-".to_owned(), |step| step.to_string())).collect();
        let found = met[which].iter().flatten().count();
        let holds = found as u64 * 10 >= seeds * 9;
        missed += usize::from(!holds);
        let verdict = if holds { "holds" } else { "MISSED" };
        writeln!(
            out,
            "{:<45} found by {found} of {seeds} seeds, at step {} (asked: 9 of 10) {verdict}",
            one.name(),
            places.join(" ")
        )?;
        out.flush()?;
        for (index, at) in met[which].iter().enumerate().take(shrunk as usize) {
            let Some(step) = at else { continue };
            let seed = first + index as u64;
            let length = shortest(path, seed, steps, one)?;
            let holds = length.is_some_and(|length| length <= one.events);
            missed += usize::from(!holds);
            let verdict = if holds { "holds" } else { "MISSED" };
            let asked =
                if one.events == usize::MAX { String::new() } else { format!(" (asked: {})", one.events) };
            let length = length.map_or("not found again".to_owned(), |length| format!("{length} events"));
            writeln!(out, "  seed {seed}: met at step {step}, shrunk to {length}{asked} {verdict}")?;
            out.flush()?;
        }
    }
    for (headline, count) in others {
        writeln!(out, "  another failure, in {count} seeds: {headline}")?;
    }
    Ok(missed)
}

/// How short the program makes it. It is given all the steps, as what it chooses depends on how many it has.
fn shortest(path: &Path, seed: u64, steps: u64, wanted: &Published) -> Result<Option<usize>, Trouble> {
    let folder = tempfile::tempdir()?;
    let run = folder.path().join("run");
    let status = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .arg("explore")
        .arg(path)
        .args(["--seed", &seed.to_string(), "--steps", &steps.to_string(), "--shrink", "after"])
        .arg("--out")
        .arg(&run)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.code() != Some(1) {
        return Ok(None);
    }
    let crashes = RunFolder::open(&run)?.kept_crashes();
    let ours = crashes.iter().filter(|crash| crash.evidence.as_ref().is_some_and(|seen| wanted.is(seen)));
    let best = ours.filter(|crash| crash.shrunk.is_some()).map(|crash| crash.trace.cost()).min();
    Ok(best)
}
