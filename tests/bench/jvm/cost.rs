//! Steps a second, trees, resets, starts and memory: what issue 7 asks of an app, and what was measured.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use siamang::device::jvm::JvmDevice;
use siamang::device::{Device, Reset};

use super::measure::Measured;
use super::process::{self, Meter};
use super::{Seen, Trouble, number, ready, walk};

/// Steps a second, seconds and activities.
struct Asked {
    package: &'static str,
    steps: f64,
    reset: f64,
    first: f64,
    warmed: f64,
    /// In 500 steps and in 5,000.
    activities: (f64, f64),
}

const ASKED: [Asked; 3] = [
    Asked {
        package: "net.mandaria.tippytipper",
        steps: 120.0,
        reset: 0.2,
        first: 4.0,
        warmed: 0.5,
        activities: (0.0, 0.0),
    },
    Asked {
        package: "io.appium.android.apis",
        steps: 40.0,
        reset: 0.7,
        first: 6.0,
        warmed: 1.5,
        activities: (60.0, 150.0),
    },
    Asked {
        package: "org.jessies.dalvikexplorer",
        steps: 40.0,
        reset: 0.7,
        first: 6.0,
        warmed: 1.5,
        activities: (16.0, 16.0),
    },
];
const OTHERS: Asked =
    Asked { package: "", steps: 40.0, reset: 0.7, first: 6.0, warmed: 1.5, activities: (0.0, 0.0) };
/// The first steps are made with cold classes.
const COLD: u64 = 200;
const COLD_STEPS: f64 = 40.0;
/// From here on the rate is the one that is promised.
const WARM: u64 = 1_000;
const EARLY: u64 = 500;
const LATE: u64 = 5_000;
const MEMORY_AT: u64 = 2_000;
const MEMORY_MB: f64 = 600.0;
const GROWTH_MB: f64 = 100.0;
const TREE_MS: f64 = 1.0;
const NODES: f64 = 50.0;
const WALKS: u64 = 31;

/// A line of the table.
enum Row {
    Asked(Measured),
    Beside(String, f64, &'static str),
}

/// All rows of one app; how many targets were missed.
pub async fn measure(path: &Path, out: &mut dyn Write) -> Result<usize, Trouble> {
    // Once without the clock: fetching, compiling and converting are done once and for all.
    let (_, apk) = ready(path)?;
    let asked = ASKED.iter().find(|asked| asked.package == apk.package).unwrap_or(&OTHERS);
    let mut rows = Vec::new();
    let start = Instant::now();
    let (workshop, apk) = ready(path)?;
    let mut device = JvmDevice::new(workshop, apk);
    device.reset(Reset::Clean).await?;
    let took = start.elapsed().as_secs_f64();
    rows.push(Row::Asked(Measured::at_most(
        "first tree after the command, warm cache",
        "s",
        asked.first,
        took,
    )));
    rows.push(Row::Beside("  of the processor".into(), process::cpu_s(), "s"));
    steps(&mut device, asked, &mut rows).await?;
    resets(&mut device, asked, &mut rows).await?;
    warmed(&mut device, asked, &mut rows).await?;
    device.close().await?;

    writeln!(out, "{}", path.display())?;
    let mut missed = 0;
    for row in &rows {
        match row {
            Row::Asked(measured) => {
                writeln!(out, "  {measured}")?;
                missed += usize::from(!measured.holds());
            }
            Row::Beside(name, value, unit) => writeln!(out, "  {name:<58} {value:>27.3} {unit}")?,
        }
    }
    Ok(missed)
}

async fn steps(device: &mut JvmDevice, asked: &Asked, rows: &mut Vec<Row>) -> Result<(), Trouble> {
    let steps = number("STEPS", LATE);
    let (mut cold, mut warm) = (Meter::new(), Meter::new());
    let mut activities = BTreeSet::new();
    let (mut early, mut held) = (0, 0.0);
    let mut resets = 0;
    let mut done = 0;
    walk(device, number("SEED", 1), steps, &mut |seen| {
        match seen {
            Seen::Leaving => {
                resets += 1;
                cold.stop();
                warm.stop();
            }
            Seen::Started if cold.steps < COLD => cold.start(),
            Seen::Started if done >= WARM => warm.start(),
            Seen::Started => {}
            Seen::Step(made, observation, _) => {
                done = made;
                if made <= COLD {
                    cold.steps = made;
                } else if made > WARM {
                    warm.steps = made - WARM;
                }
                match made {
                    COLD => cold.stop(),
                    WARM => warm.start(),
                    MEMORY_AT => held = process::rss_mb(),
                    _ => {}
                }
                if observation.running {
                    activities.insert(observation.tree.activity().clone());
                }
                if made <= EARLY {
                    early = activities.len();
                }
            }
        }
        true
    })
    .await?;
    warm.stop();
    for (name, target, meter) in [
        (format!("steps 1 to {COLD}, cold"), COLD_STEPS, &cold),
        (format!("steps {WARM} to {steps}"), asked.steps, &warm),
    ] {
        if meter.steps == 0 {
            continue;
        }
        let rate = |seconds: f64| meter.steps as f64 / seconds.max(0.001);
        rows.push(Row::Asked(Measured::at_least(name, "steps/s", target, rate(meter.sum.wall))));
        rows.push(Row::Beside(
            "  of the processor, what a step waits for".into(),
            rate(meter.sum.path),
            "steps/s",
        ));
        rows.push(Row::Beside("  of the processor, all threads".into(), rate(meter.sum.cpu), "steps/s"));
    }
    let (soon, later) = asked.activities;
    rows.push(Row::Asked(Measured::at_least("activities in 500 steps", "", soon, early as f64)));
    let later = if steps >= LATE { later } else { 0.0 };
    let name = format!("activities in {steps} steps");
    rows.push(Row::Asked(Measured::at_least(name, "", later, activities.len() as f64)));
    rows.push(Row::Beside(format!("resets in {steps} steps"), f64::from(resets), ""));
    if steps >= MEMORY_AT {
        rows.push(Row::Asked(Measured::at_most(
            "memory of the JVM after 2,000 steps",
            "MB",
            MEMORY_MB,
            held,
        )));
    }
    trees(device, rows).await
}

/// What reading a tree takes, on the screens where short walks end.
async fn trees(device: &mut JvmDevice, rows: &mut Vec<Row>) -> Result<(), Trouble> {
    let mut costs = Vec::new();
    let (mut nodes, mut sum) = (0, 0);
    for seed in 0..WALKS {
        walk(device, seed, seed + 1, &mut |seen| {
            if let Seen::Step(_, observation, _) = seen {
                nodes = observation.tree.nodes().len();
            }
            true
        })
        .await?;
        let took = device.times().await?.tree.as_secs_f64() * 1_000.0;
        costs.push(took / (nodes as f64 / NODES).max(1.0));
        sum += nodes;
    }
    costs.sort_by(f64::total_cmp);
    let name = format!("a tree, for each 50 nodes or less (mean: {}), median", sum / WALKS as usize);
    rows.push(Row::Asked(Measured::at_most(name, "ms", TREE_MS, costs[costs.len() / 2])));
    Ok(())
}

async fn resets(device: &mut JvmDevice, asked: &Asked, rows: &mut Vec<Row>) -> Result<(), Trouble> {
    let resets = number("RESETS", 500);
    let mut meter = Meter::new();
    let mut held = 0.0;
    let mut used = BTreeSet::new();
    device.reset(Reset::Clean).await?;
    meter.start();
    for reset in 0..resets {
        device.reset(Reset::Clean).await?;
        used.extend(process::newest());
        if reset == resets / 10 {
            held = process::rss_mb();
        }
    }
    meter.stop();
    let each = |seconds: f64| seconds / resets as f64;
    rows.push(Row::Asked(Measured::at_most("a clean reset", "s", asked.reset, each(meter.sum.wall))));
    rows.push(Row::Beside("  of the processor, what it waits for".into(), each(meter.sum.path), "s"));
    rows.push(Row::Beside("  of the processor, all threads".into(), each(meter.sum.cpu), "s"));
    let grown = process::rss_mb() - held;
    rows.push(Row::Asked(Measured::at_most(format!("growth over {resets} resets"), "MB", GROWTH_MB, grown)));
    let name = format!("JVMs that {resets} resets took");
    rows.push(Row::Asked(Measured::at_most(name, "", 1.0, used.len() as f64)));
    Ok(())
}

/// The first tree of a JVM that was made ready beforehand.
async fn warmed(device: &mut JvmDevice, asked: &Asked, rows: &mut Vec<Row>) -> Result<(), Trouble> {
    device.renew();
    device.reset(Reset::Clean).await?;
    // Another one starts beside it. It is ready when it has stopped working.
    let mut before = 0.0;
    loop {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let now = process::cpu_s();
        if now - before < 0.02 {
            break;
        }
        before = now;
    }
    device.renew();
    let start = Instant::now();
    device.reset(Reset::Clean).await?;
    let took = start.elapsed().as_secs_f64();
    rows.push(Row::Asked(Measured::at_most(
        "first tree from a JVM made ready before",
        "s",
        asked.warmed,
        took,
    )));
    Ok(())
}
