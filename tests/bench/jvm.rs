//! Real APKs on the JVM device. `scripts/bench jvm APK...` tells what they cost, `scripts/bench jvm crashes APK...` how soon the
//! published crashes are met and how short they become, `scripts/bench jvm same APK...` whether a seed is a run,
//! `scripts/bench jvm doors APK...` which activities do not open, `scripts/bench jvm table APK...` the README's table. STEPS, RESETS, SEED, SEEDS and RUNS choose the size.
//!
//! Rates are of wall-clock time, as a user has it; beside them is the processor's time, which other work on the machine does
//! not change.

#[path = "jvm/cost.rs"]
mod cost;
#[path = "jvm/crashes.rs"]
mod crashes;
#[path = "jvm/doors.rs"]
mod doors;
#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;
#[path = "jvm/process.rs"]
mod process;
#[path = "jvm/same.rs"]
mod same;
#[path = "jvm/table.rs"]
mod table;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use siamang::device::jvm::JvmDevice;
use siamang::device::jvm::apk::Apk;
use siamang::device::jvm::workshop::Workshop;
use siamang::device::{Device, Observation};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::trace::RunEvent;

/// Why nothing could be measured.
type Trouble = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let known = ["cost", "crashes", "doors", "same", "table"];
    let what = match words.first().filter(|word| known.contains(&word.as_str())) {
        Some(_) => words.remove(0),
        None => "cost".to_owned(),
    };
    let mut out = std::io::stdout().lock();
    if words.is_empty() {
        let _ = writeln!(out, "usage: scripts/bench jvm [{}] APK...", known.join("|"));
        return ExitCode::from(2);
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let _ = writeln!(out, "load of the machine before: {}", load.trim());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime without threads can always be built");
    if what == "table" {
        let _ = writeln!(out, "{}", table::HEAD);
    }
    let mut missed = 0;
    for word in &words {
        let apk = Path::new(word);
        let measured = match what.as_str() {
            "crashes" => runtime.block_on(crashes::measure(apk, &mut out)),
            "doors" => runtime.block_on(doors::measure(apk, &mut out)),
            "same" => runtime.block_on(same::measure(apk, &mut out)),
            "table" => runtime.block_on(table::measure(apk, &mut out)),
            _ => runtime.block_on(cost::measure(apk, &mut out)),
        };
        match measured {
            Ok(more) => missed += more,
            Err(error) => {
                let _ = writeln!(out, "{word}: {error}");
                missed += 1;
            }
        }
        let _ = out.flush();
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A number from the environment.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Everything that a device needs, as a command finds it.
fn ready(path: &Path) -> Result<(Arc<Workshop>, Arc<Apk>), Trouble> {
    let quiet = |_: &str| {};
    let workshop = Workshop::open(false, &quiet)?;
    let apk = Apk::prepare(path, &workshop, &quiet)?;
    Ok((Arc::new(workshop), Arc::new(apk)))
}

/// What a walk tells whoever looks on.
enum Seen<'a> {
    /// The app is about to be put back to a start.
    Leaving,
    /// It was.
    Started,
    /// Steps made so far, what the last one showed, and the spine's lines for it.
    Step(u64, &'a Observation, &'a [RunEvent]),
}

/// Explores with the engine's default configuration. `watch` ends it early by answering false.
async fn walk(
    device: &mut JvmDevice,
    seed: u64,
    steps: u64,
    watch: &mut dyn FnMut(Seen<'_>) -> bool,
) -> Result<Explorer, Trouble> {
    const SESSION: SessionId = SessionId(0);
    let config = ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() };
    let mut explorer = Explorer::new(config, device.capabilities().clone(), Seed(seed));
    let mut made = 0;
    loop {
        let observation = match explorer.ask(SESSION) {
            Command::Reset(reset, _) => {
                watch(Seen::Leaving);
                let first = device.reset(reset).await?;
                watch(Seen::Started);
                first
            }
            Command::Step { event, .. } => {
                made += 1;
                device.step(&event).await?
            }
            Command::Stop(_) => return Ok(explorer),
        };
        let events = explorer.tell(SESSION, observation.clone());
        if !watch(Seen::Step(made, &observation, &events)) {
            return Ok(explorer);
        }
    }
}
