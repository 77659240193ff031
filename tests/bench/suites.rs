//! DetReduce on generated apps: what each phase leaves, what it takes, and which share of joined traces replays.
//! `scripts/bench suites`; `APPS` (5) and `TRACES` (100) choose the size, the paper's is `APPS=20 TRACES=800`. With APKs,
//! `scripts/bench suites APK...`, it is these that are walked through, on the JVM.
#![expect(clippy::print_stdout, reason = "the tables are for people")]

#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;
#[path = "../support/walks.rs"]
mod walks;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use measure::{Measured, told};

use rand::RngExt;
use siamang::abstraction::StateKey;
use siamang::abstraction::registry::find;
use siamang::campaign::regression::Traces;
use siamang::seed::Seed;
use siamang::suite::coverage::Item;
use siamang::suite::path::Path;
use siamang::suite::{Config, Executor, Recorded, Reduction, reduce};
use siamang::target::{Subject, Target};
use walks::walks;

const FAMILIES: [&str; 5] = ["plain", "control", "counter", "excursion", "tabs"];
/// The family of APKs.
const REAL: &str = "real APKs";
const LONGEST: usize = 20;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() -> ExitCode {
    let (apps, traces) = (number("APPS", 5), number("TRACES", 100));
    println!(
        "{:<42} {:>14} {:>14} {:>14} {:>6} {:>6} {:>9} {:>5} {:>5} {:>6}",
        "app", "recorded", "loops", "spliced", "ratio", "kept", "rejected", "exec", "10/10", "branch"
    );
    let mut ratios: Vec<(&str, f64)> = Vec::new();
    let mut shares = vec![(0_u32, 0_u32); 6];
    let (mut most_executions, mut astray) = (0.0_f64, 0);
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let generated = (0..apps).map(|ix| {
        let family = FAMILIES[ix as usize % FAMILIES.len()];
        let name = format!("generated:{family}?screens=30&crashes=3&seed={}", ix + 1);
        let app = Target::parse(&name).expect("a target").load().expect("an app");
        (family, name, Subject::Model(app))
    });
    let subjects: Box<dyn Iterator<Item = (&str, String, Subject)>> =
        if named.is_empty() { Box::new(generated) } else { Box::new(named.iter().map(|apk| real(apk))) };
    for (ix, (family, name, app)) in (0..).zip(subjects) {
        let (row, reduction, mut executor) = row(&name, &app, ix + 1, traces);
        ratios.push((family, row.ratio));
        most_executions = most_executions.max(row.executions);
        astray += row.astray;
        for (k, share) in (1..).zip(&mut shares) {
            sample(&reduction, k, ix + 1, &mut executor, share);
        }
    }
    println!("\nevents after splicing / after loops (the paper: 0.635, asked for: 0.67)");
    for family in FAMILIES.into_iter().chain([REAL]) {
        let own = ratios.iter().filter(|(of, _)| *of == family).map(|&(_, ratio)| ratio);
        tell(family, &own.collect::<Vec<_>>());
    }
    tell("all", &ratios.iter().map(|&(_, ratio)| ratio).collect::<Vec<_>>());
    println!(
        "\nreplayable share of traces joined from k fragments, at most {LONGEST} events (the paper's RQ6)"
    );
    for (k, (good, all)) in (1..).zip(shares) {
        println!("k={k}: {good:>5} of {all:>5} = {:.2}", f64::from(good) / f64::from(all.max(1)));
    }
    println!();
    let ratio = ratios.iter().map(|&(_, ratio)| ratio).sum::<f64>() / ratios.len() as f64;
    let targets = [
        Measured::at_most("events after splicing to those after loops, mean", "ratio", 0.67, ratio),
        Measured::at_most(
            "executions to 10 x kept + 1.1 x rejected, the most of an app",
            "ratio",
            1.0,
            most_executions,
        ),
        Measured::at_most("traces of suites that do not replay 10 of 10", "traces", 0.0, astray as f64),
    ];
    if told(&targets) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// An APK on the JVM.
#[cfg(feature = "jvm")]
fn real(apk: &str) -> (&'static str, String, Subject) {
    use siamang::device::jvm::apk::Apk;
    use siamang::device::jvm::host::Habits;
    use siamang::device::jvm::workshop::Workshop;
    let workshop = Workshop::open(false, &|_| {}).expect("a JDK and Maven");
    let path = std::path::Path::new(apk);
    let made = Apk::prepare(path, &workshop, &|_| {}).expect("an APK");
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    (REAL, name, Subject::Apk(Arc::new(workshop), Arc::new(made), Habits::default()))
}

#[cfg(not(feature = "jvm"))]
fn real(apk: &str) -> (&'static str, String, Subject) {
    panic!("{apk}: this build has no JVM device");
}

/// What the targets are about.
struct Row {
    ratio: f64,
    executions: f64,
    astray: usize,
}

fn tell(name: &str, ratios: &[f64]) {
    if !ratios.is_empty() {
        println!(
            "{name:<10} {:.3} over {} apps",
            ratios.iter().sum::<f64>() / ratios.len() as f64,
            ratios.len()
        );
    }
}

fn row<'a>(name: &str, app: &Subject, seed: u64, count: u64) -> (Row, Reduction, Traces<'a>) {
    let device = app.device(Seed(seed).named("suite"));
    let mut executor =
        Traces::new(device, find("swifthand").expect("it is there"), u64::MAX, &|| false).expect("a runtime");
    let recorded: Vec<Recorded> = walks(app, seed, count)
        .iter()
        .filter_map(|trace| executor.visited(trace).expect("the device answers"))
        .collect();
    let reduction = reduce(&mut executor, &recorded, &Config::default(), &mut |_, _| {});
    let phase = |name: &str| reduction.phases.iter().find(|phase| phase.name == name).expect("a phase");
    let (replayable, loops, spliced) = (phase("replayable"), phase("no redundant loops"), phase("spliced"));
    // A shorter trace may run through other hidden states and cover more branches, never fewer.
    let same = spliced.branches >= replayable.branches
        && spliced.screens == replayable.screens
        && spliced.failures == replayable.failures;
    assert!(same, "{name}: {replayable:?} became {spliced:?}");
    let more = spliced.branches - replayable.branches;
    let counts = reduction.counts;
    let most = 10.0 * counts.kept as f64 + 1.1 * counts.rejected as f64;
    let replays = reduction.suite.iter().filter(|path| replays(path, &mut executor, 10)).count();
    // Not what the suite claims: what it covers when it is run.
    let recorded = shown(&reduction.replayable, &mut executor);
    let missing = recorded.difference(&shown(&reduction.suite, &mut executor)).count();
    assert_eq!(missing, 0, "{name}: items that the replayable traces cover and the suite does not");
    let cost = |phase: &siamang::suite::Phase| format!("{}/{}", phase.actions, phase.traces);
    let ratio = spliced.actions as f64 / loops.actions as f64;
    println!(
        "{name:<42} {:>14} {:>14} {:>14} {ratio:>6.3} {:>6} {:>9} {:>5.2} {:>5} {:>6}",
        cost(phase("recorded")),
        cost(loops),
        cost(spliced),
        counts.kept,
        counts.rejected,
        counts.executions as f64 / most,
        format!("{replays}/{}", reduction.suite.len()),
        format!("+{more}"),
    );
    let executions = counts.executions as f64 / most;
    let row = Row { ratio, executions, astray: reduction.suite.len() - replays };
    (row, reduction, executor)
}

fn replays(path: &Path, executor: &mut Traces<'_>, times: u32) -> bool {
    let (events, states): (Vec<_>, Vec<_>) = path.edges().unzip();
    let states: Vec<StateKey> = [path.start].into_iter().chain(states).collect();
    (0..times).all(|_| {
        let did = executor.run(&events, &states).expect("the device answers");
        did.iter().map(|did| did.state).eq(states.iter().copied())
    })
}

/// What traces cover in one execution each.
fn shown(paths: &[Path], executor: &mut Traces<'_>) -> BTreeSet<Item> {
    let mut all = BTreeSet::new();
    for path in paths {
        let (events, states): (Vec<_>, Vec<_>) = path.edges().unzip();
        let states: Vec<StateKey> = [path.start].into_iter().chain(states).collect();
        for did in executor.run(&events, &states).expect("the device answers") {
            all.extend(did.items.into_iter().chain([Item::Screen(did.state)]));
        }
    }
    all
}

/// Random traces of exactly k fragments of the suite before joining, as many as can be found of `SAMPLES` (200).
fn sample(reduction: &Reduction, k: u32, seed: u64, executor: &mut Traces<'_>, share: &mut (u32, u32)) {
    let traces = &reduction.without_splicing;
    let samples = number("SAMPLES", 200);
    let mut rng = Seed(seed).named("sample").nth(u64::from(k)).rng();
    let mut found = 0;
    for _ in 0..samples * 50 {
        if found == samples {
            break;
        }
        let (mut trace, mut at) = (rng.random_range(0..traces.len()), 0);
        let mut steps = Vec::new();
        let mut switches = 0;
        while steps.len() < LONGEST && at < traces[trace].steps.len() {
            let step = traces[trace].steps[at].clone();
            let state = step.to;
            steps.push(step);
            at += 1;
            if switches + 1 < k && rng.random_bool(0.3) {
                let others: Vec<(usize, usize)> = (0..traces.len())
                    .flat_map(|other| (0..traces[other].steps.len()).map(move |place| (other, place)))
                    .filter(|&(other, place)| {
                        (other, place) != (trace, at) && traces[other].state(place) == state
                    })
                    .collect();
                if !others.is_empty() {
                    (trace, at) = others[rng.random_range(0..others.len())];
                    switches += 1;
                }
            }
        }
        if switches + 1 == k {
            found += 1;
            share.1 += 1;
            share.0 += u32::from(replays(&traces[0].with(steps), executor, 1));
        }
    }
}
