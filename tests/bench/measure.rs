//! CPU time, memory, and the verdict on a target.

use std::fmt;

/// What is measured is the program, and this is its allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a target asks for.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// At least this much.
    AtLeast(f64),
    /// At most this much.
    AtMost(f64),
}

/// One target and what was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    pub name: String,
    pub unit: &'static str,
    pub target: Target,
    pub value: f64,
}

impl Measured {
    pub fn at_least(name: impl Into<String>, unit: &'static str, target: f64, measured: f64) -> Self {
        Self { name: name.into(), unit, target: Target::AtLeast(target), value: measured }
    }

    pub fn at_most(name: impl Into<String>, unit: &'static str, target: f64, measured: f64) -> Self {
        Self { name: name.into(), unit, target: Target::AtMost(target), value: measured }
    }

    pub fn holds(&self) -> bool {
        match self.target {
            Target::AtLeast(target) => self.value >= target,
            Target::AtMost(target) => self.value <= target,
        }
    }

    pub fn json(&self) -> serde_json::Value {
        let (relation, target) = match self.target {
            Target::AtLeast(target) => (">=", target),
            Target::AtMost(target) => ("<=", target),
        };
        serde_json::json!({
            "name": self.name, "unit": self.unit, "relation": relation, "target": target,
            "measured": self.value, "holds": self.holds(),
        })
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (relation, target) = match self.target {
            Target::AtLeast(target) => (">=", target),
            Target::AtMost(target) => ("<=", target),
        };
        let verdict = if self.holds() { "holds" } else { "MISSED" };
        write!(
            f,
            "{:<58} {relation} {:>10} {:>14} {:<14} {verdict}",
            self.name,
            short(target),
            short(self.value),
            self.unit
        )
    }
}

fn short(number: f64) -> String {
    if number.abs() >= 1_000.0 { format!("{number:.0}") } else { format!("{number:.3}") }
}

/// Prints what was measured against its targets; true if all hold.
#[expect(clippy::print_stdout, reason = "the verdicts are for people")]
pub fn told(results: &[Measured]) -> bool {
    for result in results {
        println!("{result}");
    }
    results.iter().all(Measured::holds)
}

/// CPU seconds of the measuring thread so far, user and system. The kernel's files count whole ticks of some
/// milliseconds, which is too coarse for a step.
pub fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process ever held, in megabytes.
pub fn peak_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("/proc/self/status can be read");
    let line = text.lines().find(|line| line.starts_with("VmHWM:"));
    let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kb.expect("/proc/self/status has a VmHWM in kilobytes") / 1024.0
}
