//! What an exploration finds: a table of failures by app and seed. `cargo bench --bench hunt -- notes race`; `SEEDS`
//! (`1..11`), `STEPS`, `DEVICES` (which make the steps together), `STRATEGY`, `SATA` (its numbers, as TOML),
//! `ABSTRACTION` and `JOBS` choose the sample, `COVERAGE=0` is a device that does not measure it, as a phone, `SHOW=1` counts the steps of each reason and activity and what was covered first by them, `WHY=1` tells each decision.
#![expect(clippy::print_stdout, reason = "the tables are for people")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use siamang::abstraction::{history, registry};
use siamang::device::virtual_device::app::App;
use siamang::device::{Device, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::strategy::StrategyChoice;
use siamang::target::Target;
use siamang::trace::RunEvent;

struct Sample {
    seeds: Range<u64>,
    steps: u64,
    devices: u32,
    strategy: StrategyChoice,
    jobs: usize,
    show: bool,
    measures: bool,
}

/// What one run found.
#[derive(Default)]
struct Found {
    /// The first step of each failure, by its name in the model.
    failures: BTreeMap<String, u64>,
    reasons: BTreeMap<String, u64>,
    activities: BTreeMap<String, u64>,
    /// Branches that were covered for the first time by the steps of each reason.
    gains: BTreeMap<String, u64>,
    covered: usize,
    branches: usize,
    think_us: f64,
}

fn env<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() {
    let seeds: String = env("SEEDS", "1..11".to_owned());
    let (first, end) = seeds.split_once("..").expect("SEEDS is like 1..11");
    let strategy: String = env("STRATEGY", "sata".to_owned());
    let sample = Sample {
        seeds: first.parse().expect("a number")..end.parse().expect("a number"),
        steps: env("STEPS", 20_000),
        devices: env("DEVICES", 1),
        strategy: match std::env::var("SATA") {
            Ok(text) => StrategyChoice::Sata(toml::from_str(&text).expect("numbers of the strategy")),
            Err(_) => StrategyChoice::named(&strategy).expect("a strategy"),
        },
        jobs: env("JOBS", 2),
        show: env("SHOW", 0) == 1,
        measures: env("COVERAGE", 1) == 1,
    };
    let named: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    let targets = if named.is_empty() { all_models() } else { named };
    let (mut found, mut all) = (0, 0);
    for target in targets {
        let (of_app, in_app) = table(&target, &sample);
        found += of_app;
        all += in_app;
    }
    println!("{found} of {all} found");
}

fn all_models() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the models")
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn table(name: &str, sample: &Sample) -> (usize, usize) {
    let path = format!("{}/models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let target = Target::parse(if name.contains(':') { name } else { &path }).expect("an app");
    let app = target.load().expect("the app loads");
    let seeds: Vec<u64> = sample.seeds.clone().collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..sample.jobs {
            scope.spawn(|| {
                while let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = explore(&app, sample, seed);
                    results.lock().expect("no thread died").insert(seed, found);
                }
            });
        }
    });
    let results = results.into_inner().expect("no thread died");
    let names: Vec<&str> = app.failures.iter().map(|failure| failure.name.as_str()).collect();
    let mut total = 0;
    for failure in &names {
        let steps: Vec<String> = results
            .values()
            .map(|found| found.failures.get(*failure).map_or("-".to_owned(), u64::to_string))
            .collect();
        let hits = steps.iter().filter(|step| *step != "-").count();
        total += hits;
        println!("{name:20} {failure:18} {hits:3} of {:3}: {}", steps.len(), steps.join(" "));
    }
    let mean = |value: fn(&Found) -> f64| results.values().map(value).sum::<f64>() / results.len() as f64;
    let covered = mean(|found| 100.0 * found.covered as f64 / found.branches.max(1) as f64);
    println!("{name:20} covered {covered:.1} %, think {:.1} µs", mean(|found| found.think_us));
    if sample.show {
        let gains = sum(&results, |found| &found.gains);
        for (what, counts) in [
            ("reason", sum(&results, |found| &found.reasons)),
            ("in", sum(&results, |found| &found.activities)),
        ] {
            for (key, count) in counts {
                let percent = 100.0 * count as f64 / (sample.steps as f64 * results.len() as f64);
                let gain = gains.get(&key).map(|&gain| gain as f64 / results.len() as f64);
                let gain = gain.map(|gain| format!(", {gain:.1} new branches")).unwrap_or_default();
                println!("  {what} {key:40} {percent:6.2} %{gain}");
            }
        }
    }
    (total, names.len() * results.len())
}

fn sum(results: &BTreeMap<u64, Found>, of: fn(&Found) -> &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (key, count) in results.values().flat_map(of) {
        *all.entry(key.clone()).or_default() += count;
    }
    all
}

/// The CPU time of this thread: other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

fn explore(app: &Arc<App>, sample: &Sample, seed: u64) -> Found {
    let own = |number: u32| match number {
        0 => Seed(seed).named("device"),
        _ => Seed(seed).named("device").nth(u64::from(number)),
    };
    let mut devices: Vec<VirtualDevice> =
        (0..sample.devices).map(|number| VirtualDevice::new(Arc::clone(app), own(number))).collect();
    let capabilities = devices[0].capabilities().clone();
    let config = ExploreConfig {
        budget: Budget { steps: sample.steps },
        strategy: sample.strategy.clone(),
        abstraction: registry::find(&env("ABSTRACTION", registry::DEFAULT.to_owned()))
            .expect("an abstraction"),
        ..ExploreConfig::default()
    };
    let mut explorer = Explorer::new(config, capabilities.clone(), Seed(seed).named("explore"));
    let mut found = Found { branches: capabilities.branches.len(), ..Found::default() };
    let mut think = 0.0;
    for number in (0..sample.devices).cycle() {
        let (id, device) = (SessionId(number), &mut devices[number as usize]);
        let start = cpu_seconds();
        let command = explorer.ask(id);
        think += cpu_seconds() - start;
        let mut observation = match &command {
            Command::Reset(reset, _) => device.do_reset(*reset),
            Command::Step { event, .. } => device.do_step(event),
            Command::Stop(_) => break,
        };
        if !sample.measures {
            observation.coverage = None;
        }
        let before = explorer.ledger().covered();
        let start = cpu_seconds();
        let events = explorer.tell(id, observation);
        think += cpu_seconds() - start;
        let fresh = (explorer.ledger().covered() - before) as u64;
        for event in events {
            if let RunEvent::Step(step) = &event {
                *found.gains.entry(step.reason.to_string()).or_default() += fresh;
            }
            note(&mut found, app, event, sample.show);
        }
    }
    found.covered = explorer.ledger().covered();
    found.think_us = think * 1e6 / sample.steps as f64;
    found
}

fn note(found: &mut Found, app: &App, event: RunEvent, show: bool) {
    match event {
        RunEvent::Failure { step, signature, failure: Some(_), .. } => {
            let planned = app.failure_of(&signature.0);
            let name = planned.map_or_else(|| signature.to_string(), |plan| plan.name.to_string());
            found.failures.entry(name).or_insert(step.0);
        }
        RunEvent::Step(step) if show => {
            if let Ok(activity) = std::env::var("TRACE")
                && step.before.activity.ends_with(&activity)
            {
                println!(
                    "{} {:?} {:?} [{}] to {}",
                    step.step.0, step.input, step.touched, step.reason, step.after.activity
                );
            }
            *found.reasons.entry(step.reason.to_string()).or_default() += 1;
            *found.activities.entry(step.before.activity.to_string()).or_default() += 1;
        }
        RunEvent::Decision { decision, .. } if env("WHY", 0) == 1 => {
            println!("{}", history::words(&decision));
        }
        RunEvent::Reset { reason, .. } if show => {
            *found.reasons.entry(format!("reset: {reason}")).or_default() += 1;
        }
        _ => {}
    }
}
