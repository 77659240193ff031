//! What APKs cost on the JVM device: `scripts/bench jvm APK...`. STEPS (2,000) and RESETS (50) choose the size, SEED the run.
//!
//! Rates are of processor time of the JVM, all its threads together, so that other work on the machine does not count; a
//! JVM alone on two processors is faster, as its compiler and collector run beside the app. Waiting times are wall-clock.

#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use measure::Measured;
use siamang::device::jvm::JvmDevice;
use siamang::device::jvm::apk::Apk;
use siamang::device::jvm::workshop::Workshop;
use siamang::device::{Device, DeviceError, Reset};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::seed::Seed;

/// What issue 7 asks of an app: steps a second, clean reset and first tree in seconds.
struct Asked {
    package: &'static str,
    steps: f64,
    reset: f64,
    first: f64,
    /// Activities in 500 steps.
    activities: f64,
}

const ASKED: [Asked; 3] = [
    Asked { package: "net.mandaria.tippytipper", steps: 120.0, reset: 0.2, first: 4.0, activities: 0.0 },
    Asked { package: "io.appium.android.apis", steps: 40.0, reset: 0.7, first: 6.0, activities: 60.0 },
    Asked { package: "org.jessies.dalvikexplorer", steps: 40.0, reset: 0.7, first: 6.0, activities: 16.0 },
];
const OTHERS: Asked = Asked { package: "", steps: 40.0, reset: 0.7, first: 6.0, activities: 0.0 };
/// The first steps are made with cold classes.
const COLD: u64 = 200;
const COLD_STEPS: f64 = 40.0;
const EARLY: u64 = 500;
const MEMORY_MB: f64 = 600.0;
const GROWTH_MB: f64 = 100.0;

fn main() -> ExitCode {
    let apks: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut out = std::io::stdout().lock();
    if apks.is_empty() {
        let _ = writeln!(out, "usage: scripts/bench jvm APK...");
        return ExitCode::from(2);
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let _ = writeln!(out, "load of the machine before: {}", load.trim());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime without threads can always be built");
    let mut missed = 0;
    for apk in apks {
        match runtime.block_on(measure(Path::new(&apk))) {
            Ok(results) => {
                let _ = writeln!(out, "{apk}");
                for result in &results {
                    let _ = writeln!(out, "  {result}");
                }
                missed += results.iter().filter(|result| !result.holds()).count();
            }
            Err(error) => {
                let _ = writeln!(out, "{apk}: {error}");
                missed += 1;
            }
        }
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

async fn measure(path: &Path) -> Result<Vec<Measured>, Box<dyn std::error::Error>> {
    let (steps, resets) = (number("STEPS", 2_000), number("RESETS", 50));
    let quiet = |_: &str| {};
    let workshop = Workshop::open(false, &quiet)?;
    let apk = Apk::prepare(path, &workshop, &quiet)?;
    let asked = ASKED.iter().find(|asked| asked.package == apk.package).unwrap_or(&OTHERS);
    let mut results = Vec::new();

    let start = Instant::now();
    let mut device = JvmDevice::new(Arc::new(workshop), Arc::new(apk));
    let first = device.reset(Reset::Clean).await?;
    let took = start.elapsed().as_secs_f64();
    results.push(Measured::at_most("first tree, warm cache", "s", asked.first, took));

    let config = ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() };
    let mut explorer = Explorer::new(config, device.capabilities().clone(), Seed(number("SEED", 1)));
    let (mut cold, mut warm) = (Rate::default(), Rate::default());
    let mut begun = Some(first);
    let mut activities = BTreeSet::new();
    let mut early = 0;
    loop {
        let observation = match explorer.ask(SessionId(0)) {
            Command::Reset(reset, _) => match begun.take() {
                Some(first) => first,
                None => device.reset(reset).await?,
            },
            Command::Step { event, .. } => {
                let rate = if cold.steps < COLD { &mut cold } else { &mut warm };
                rate.step(&mut device, &event).await?
            }
            Command::Stop(_) => break,
        };
        if observation.running {
            activities.insert(observation.tree.activity().clone());
        }
        if cold.steps + warm.steps == EARLY {
            early = activities.len();
        }
        explorer.tell(SessionId(0), observation);
    }
    results.push(Measured::at_least("the first 200 steps, cold, CPU", "steps/s", COLD_STEPS, cold.of_cpu()));
    results.push(Measured::at_least("steps after them, CPU", "steps/s", asked.steps, warm.of_cpu()));
    results.push(Measured::at_least("steps after them, wall clock", "steps/s", asked.steps, warm.of_wall()));
    if steps >= EARLY {
        results.push(Measured::at_least(
            "activities in 500 steps",
            "activities",
            asked.activities,
            early as f64,
        ));
    }
    let all = format!("activities in {steps} steps");
    results.push(Measured::at_least(all, "activities", 0.0, activities.len() as f64));
    let held = java().map_or(0.0, |java| java.rss_mb());
    results.push(Measured::at_most(format!("memory of the JVM after {steps} steps"), "MB", MEMORY_MB, held));

    let start = java().map_or(0.0, |java| java.cpu_s());
    let wall = Instant::now();
    let mut held = 0.0;
    for reset in 0..resets {
        device.reset(Reset::Clean).await?;
        if reset == resets / 10 {
            held = java().map_or(0.0, |java| java.rss_mb());
        }
    }
    let cpu = (java().map_or(0.0, |java| java.cpu_s()) - start) / resets as f64;
    results.push(Measured::at_most("a clean reset, CPU", "s", asked.reset, cpu));
    let wall = wall.elapsed().as_secs_f64() / resets as f64;
    results.push(Measured::at_most("a clean reset, wall clock", "s", asked.reset, wall));
    let grown = java().map_or(0.0, |java| java.rss_mb()) - held;
    results.push(Measured::at_most(format!("growth over {resets} resets"), "MB", GROWTH_MB, grown));
    device.close().await?;
    Ok(results)
}

/// Steps, and what they took.
#[derive(Default)]
struct Rate {
    steps: u64,
    cpu_s: f64,
    wall_s: f64,
}

impl Rate {
    async fn step(
        &mut self,
        device: &mut JvmDevice,
        event: &siamang::action::Event,
    ) -> Result<siamang::device::Observation, DeviceError> {
        let process = java();
        let (before, start) = (process.as_ref().map_or(0.0, Java::cpu_s), Instant::now());
        let observation = device.step(event).await?;
        self.wall_s += start.elapsed().as_secs_f64();
        // A JVM that was replaced begins at zero.
        self.cpu_s += process.map_or(0.0, |java| (java.cpu_s() - before).max(0.0));
        self.steps += 1;
        Ok(observation)
    }

    fn of_cpu(&self) -> f64 {
        self.steps as f64 / self.cpu_s.max(0.001)
    }

    fn of_wall(&self) -> f64 {
        self.steps as f64 / self.wall_s.max(0.001)
    }
}

/// The JVM below this process.
struct Java(u32);

impl Java {
    /// In ticks of a hundredth of a second; many steps together make that fine enough.
    fn cpu_s(&self) -> f64 {
        let fields = stat(self.0).unwrap_or_default();
        let ticks: f64 = fields.iter().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok()).sum();
        ticks / 100.0
    }

    fn rss_mb(&self) -> f64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.0)).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmRSS:"));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
    }
}

/// The fields of a process after its name: state, parent, and so on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn java() -> Option<Java> {
    thread_local!(static KNOWN: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    let known = KNOWN.get();
    if known != 0 && Path::new(&format!("/proc/{known}")).exists() {
        return Some(Java(known));
    }
    let pids = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let own = std::process::id();
    let is_ours = |pid: &u32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let mut at = *pid;
        while name.trim() == "java" && at > 1 {
            let parent = stat(at).and_then(|fields| fields.get(1)?.parse().ok()).unwrap_or(0);
            if parent == own {
                return true;
            }
            at = parent;
        }
        false
    };
    let found = pids.filter(is_ours).max()?;
    KNOWN.set(found);
    Some(Java(found))
}
