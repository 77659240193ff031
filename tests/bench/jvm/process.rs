//! The JVM below this process: what it holds and what it has used.

use std::fs;
use std::ops::{AddAssign, Sub};
use std::time::Instant;

/// Threads of the JVM that work beside the app, and that nothing waits for.
const BESIDE: [&str; 8] = [
    "C1 CompilerThre",
    "C2 CompilerThre",
    "Sweeper thread",
    "Service Thread",
    "Monitor Deflati",
    "Signal Dispatch",
    "Finalizer",
    "Common-Cleaner",
];

/// Seconds, by three clocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// On the wall.
    pub wall: f64,
    /// Of the processor, by all threads of the JVM.
    pub cpu: f64,
    /// Of the processor, without the JVM's compiler and its other helpers: what a step waits for.
    pub path: f64,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
        self.path += other.path;
    }
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        // A JVM that was replaced meanwhile begins at zero.
        let least = |seconds: f64| seconds.max(0.0);
        Self {
            wall: self.wall - other.wall,
            cpu: least(self.cpu - other.cpu),
            path: least(self.path - other.path),
        }
    }
}

/// Adds up what is spent between its starts and stops.
#[derive(Debug)]
pub struct Meter {
    began: Instant,
    since: Option<Spent>,
    pub sum: Spent,
    pub steps: u64,
}

impl Meter {
    pub fn new() -> Self {
        Self { began: Instant::now(), since: None, sum: Spent::default(), steps: 0 }
    }

    pub fn start(&mut self) {
        self.since = Some(self.now());
    }

    pub fn stop(&mut self) {
        if let Some(since) = self.since.take() {
            self.sum += self.now() - since;
        }
    }

    fn now(&self) -> Spent {
        let (cpu, path) = newest().map_or((0.0, 0.0), cpu_of);
        Spent { wall: self.began.elapsed().as_secs_f64(), cpu, path }
    }
}

/// Seconds of all threads, also of those that have ended, and of those that are waited for. In ticks of a hundredth of a
/// second: many steps together make that fine enough.
fn cpu_of(pid: u32) -> (f64, f64) {
    let ticks = |fields: &[String]| -> f64 {
        fields.iter().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok()).sum()
    };
    let all = stat(pid).map_or(0.0, |fields| ticks(&fields) / 100.0);
    let mut path = 0.0;
    for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        let Some((name, fields)) = split(&text) else { continue };
        if !BESIDE.iter().any(|beside| name.starts_with(beside)) {
            path += ticks(&fields) / 100.0;
        }
    }
    (all, path)
}

/// The processor's time of all JVMs below this process.
pub fn cpu_s() -> f64 {
    all().into_iter().map(|pid| cpu_of(pid).0).sum()
}

/// Megabytes in memory.
pub fn rss_mb() -> f64 {
    let text =
        newest().and_then(|pid| fs::read_to_string(format!("/proc/{pid}/status")).ok()).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// The fields of a process after its name: state, parent, and so on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    split(&text).map(|(_, fields)| fields)
}

fn split(stat: &str) -> Option<(String, Vec<String>)> {
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    Some((name, rest.split_whitespace().map(str::to_owned).collect()))
}

/// The JVM at work below this process: the one that was started last, until it ends.
pub fn newest() -> Option<u32> {
    thread_local!(static KNOWN: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    let known = KNOWN.get();
    if known != 0 && is_java(known) {
        return Some(known);
    }
    let found = all().into_iter().max()?;
    KNOWN.set(found);
    Some(found)
}

/// All JVMs below this process.
pub fn all() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let own = std::process::id();
    let is_ours = |pid: &u32| {
        let mut at = *pid;
        while at > 1 && at != own {
            at = stat(at).and_then(|fields| fields.get(1)?.parse().ok()).unwrap_or(0);
        }
        at == own && is_java(*pid)
    };
    pids.filter(is_ours).collect()
}

fn is_java(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "java")
}
