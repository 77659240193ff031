//! The abstractions against each other: the same strategy, the same apps, paired seeds. Run by `scripts/bench abstractions`.
//!
//! The apps are generated ones of the changing families and the app models; all runs are on the virtual device, so every
//! figure is one of siamang's own simulator. For each family and each rival the table shows the median over the apps of
//! A12: how probably a run with the evolving abstraction has a larger area under its coverage curve than a run with the
//! rival. Without `--full` it is a quick look: fewer apps, seeds and steps.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use siamang::abstraction::registry::{self, REGISTRY};
use siamang::campaign::Control;
use siamang::compare::outcome::Outcome;
use siamang::compare::{Plan, PlannedTarget, RunResult};
use siamang::stats::median;
use siamang::target::{Subject, Target};

/// The families whose lists and texts change, and what the evolving abstraction must reach on them.
const CHANGING: [&str; 5] = ["reorder", "rows", "ticking", "tabs", "dialogs"];
const AIM: f64 = 0.6;
/// What it must reach anywhere.
const FLOOR: f64 = 0.5;
/// The rival whose model forks more.
const RELEASED: &str = "ape-released";
/// What the evolving abstraction adds to the paper is told by this one; nothing is asked of it.
const PAPER: &str = "ape-paper";
/// The family of the app models.
const MODELS: &str = "models";
/// The sizes of the generated apps, in turn.
const SCREENS: [u32; 4] = [12, 20, 30, 40];

struct Size {
    apps: usize,
    /// The seed of the first generated app.
    first: usize,
    models: usize,
    seeds: u64,
    /// The seed of the first run.
    seed: u64,
    steps: u64,
    /// Every run is shown.
    show: bool,
    families: Vec<String>,
    rivals: Vec<String>,
    ours: String,
    jobs: usize,
}

fn main() -> ExitCode {
    let size = Size::from_arguments();
    let started = Instant::now();
    let mut out = std::io::stdout().lock();
    let mut verdicts = Vec::new();
    let mut rows: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    let mut forks = BTreeMap::new();
    let mut json = Vec::new();
    for family in &size.families {
        let (outcome, per_state) = run(&size, family);
        for duel in &outcome.duels {
            if duel.left != size.ours {
                continue;
            }
            rows.entry(duel.right.clone()).or_default().push((family.clone(), duel.median_a12));
            let aim = if CHANGING.contains(&family.as_str()) { AIM } else { FLOOR };
            if duel.right != PAPER {
                verdicts.push((family.clone(), duel.right.clone(), duel.median_a12, aim));
            }
            json.push(serde_json::json!({
                "family": family, "rival": duel.right, "median_a12": duel.median_a12, "aim": aim,
                "won": duel.score.won, "tied": duel.score.tied, "lost": duel.score.lost,
                "apps": outcome.targets.len(),
            }));
        }
        for (label, share) in per_state {
            forks.entry(label).or_insert_with(Vec::new).push((family.clone(), share));
        }
    }
    let heads: Vec<&str> = size.families.iter().map(String::as_str).collect();
    let _ = writeln!(
        out,
        "Median A12 of the area under the coverage curve, {} : rival; {} apps a family, {} models, {} paired seeds, {} steps, \
         sata, own simulator",
        size.ours, size.apps, size.models, size.seeds, size.steps
    );
    let _ = writeln!(out, "| rival | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(heads.len()));
    for rival in &size.rivals {
        let cells = rows.get(rival).into_iter().flatten().map(|(_, a12)| format!("{a12:.2}"));
        let _ = writeln!(out, "| `{rival}` | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    let _ = writeln!(out, "\nNon-deterministic transitions a state (median of the apps)");
    let _ = writeln!(out, "| abstraction | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(heads.len()));
    for (label, shares) in &forks {
        let cells: Vec<String> = shares.iter().map(|(_, share)| format!("{share:.2}")).collect();
        let _ = writeln!(out, "| `{label}` | {} |", cells.join(" | "));
    }
    let mut missed: Vec<String> = verdicts
        .iter()
        .filter(|(_, _, a12, aim)| a12 < aim)
        .map(|(family, rival, a12, aim)| format!("{family} : {rival}  {a12:.3} < {aim}"))
        .collect();
    // Fewer non-deterministic transitions than the released APE, in every family.
    let of = |label: &str| forks.get(label).into_iter().flatten();
    let pairs: Vec<_> = of(&size.ours).zip(of(RELEASED)).collect();
    missed.extend(pairs.iter().filter(|((_, ours), (_, theirs))| ours >= theirs).map(
        |((family, ours), (_, theirs))| {
            format!("{family} : non-deterministic transitions a state {ours:.2} against {theirs:.2}")
        },
    ));
    let all = verdicts.len() + pairs.len();
    let _ = writeln!(out, "\n{} of {all} targets hold", all - missed.len());
    for missed in &missed {
        let _ = writeln!(out, "MISSED {missed}");
    }
    let seconds = started.elapsed().as_secs();
    let _ = writeln!(out, "{seconds} s on {} threads", size.jobs);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/bench-abstractions.json");
    let all = serde_json::json!({ "rows": json, "nondeterministic_per_state": forks, "seconds": seconds });
    if std::fs::write(path, format!("{all:#}\n")).is_ok() {
        let _ = writeln!(out, "written to target/bench-abstractions.json");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All runs on the apps of a family, and for each abstraction the non-deterministic transitions a state.
fn run(size: &Size, family: &str) -> (Outcome, Vec<(String, f64)>) {
    let targets = targets(size, family);
    let apps: Vec<Subject> =
        targets.iter().map(|target| Subject::Model(target.load().expect("the app loads"))).collect();
    let planned =
        targets.iter().zip(&apps).map(|(target, app)| PlannedTarget::of(target.name(), app)).collect();
    let names: Vec<String> =
        std::iter::once(&size.ours).chain(&size.rivals).map(ToString::to_string).collect();
    let plan =
        Plan::new(planned, &names, &["sata".to_owned()], size.seeds, size.steps, size.seed).expect("a plan");
    let mut done: BTreeMap<_, RunResult> = BTreeMap::new();
    plan.execute(&apps, &plan.jobs(), size.jobs, &Control::default(), |result| {
        done.insert(result.job, result);
        Ok(())
    })
    .expect("the runs are made");
    if size.show {
        show(&plan, &names, &done);
    }
    let per_state = |combination: usize| {
        let of_app = |target: usize| {
            let runs =
                done.values().filter(|run| run.job.target == target && run.job.combination == combination);
            let shares: Vec<f64> = runs
                .map(|run| {
                    run.measured.model.nondeterministic as f64 / run.measured.model.states.max(1) as f64
                })
                .collect();
            median(&shares).unwrap_or_default()
        };
        median(&(0..plan.targets.len()).map(of_app).collect::<Vec<_>>()).unwrap_or_default()
    };
    let per_state = (0..names.len()).map(|ix| (names[ix].clone(), per_state(ix))).collect();
    (Outcome::of(&plan, &done), per_state)
}

/// What came of every run, for finding out where one abstraction loses.
fn show(plan: &Plan, names: &[String], done: &BTreeMap<siamang::compare::Job, RunResult>) {
    let mut out = std::io::stdout().lock();
    for result in done.values() {
        let RunResult { job, seed, measured } = result;
        let failures: Vec<u64> = measured.failures.iter().map(|failure| failure.step).collect();
        let quarters: Vec<u64> =
            [9, 24, 49, 74, 99].iter().filter_map(|&at| measured.curve.get(at)).copied().collect();
        let model = &measured.model;
        let _ = writeln!(
            out,
            "{:52} {:18} seed {seed:3} area {:.4} after 10, 25, 50, 75, 100 % {quarters:?} of {}, failures {failures:?}, states {} \
             (ever {}), actions {}, transitions {}, non-deterministic {}",
            plan.targets[job.target].target,
            names[job.combination],
            measured.area,
            plan.targets[job.target].branches,
            model.states,
            model.states_ever,
            model.actions,
            model.transitions,
            model.nondeterministic
        );
    }
}

fn targets(size: &Size, family: &str) -> Vec<Target> {
    let parse = |name: String| Target::parse(&name).expect("a target");
    if family != MODELS {
        let target = |number: usize| {
            let screens = SCREENS[number % SCREENS.len()];
            parse(format!("generated:{family}?screens={screens}&crashes=3&seed={}", number + size.first))
        };
        return (0..size.apps).map(target).collect();
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let mut models: Vec<String> = std::fs::read_dir(folder)
        .expect("the models")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.display().to_string())
        .collect();
    models.sort();
    models.into_iter().take(size.models).map(parse).collect()
}

impl Size {
    /// `--full`, or `--apps N --first N --models N --seeds N --seed N --steps N --families a,b --rivals a,b --ours a --jobs N`
    /// one by one; `--show` shows every run.
    fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let number = |name: &str, full: u64, quick: u64| {
            let default = if arguments.iter().any(|argument| argument == "--full") { full } else { quick };
            value(name).and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let list =
            |name: &str| value(name).map(|text| text.split(',').map(str::to_owned).collect::<Vec<_>>());
        let ours = value("--ours").unwrap_or_else(|| registry::DEFAULT.to_owned());
        let all =
            || REGISTRY.iter().map(|entry| entry.name.to_owned()).filter(|name| *name != ours).collect();
        let families = || CHANGING.iter().chain(&[MODELS]).map(ToString::to_string).collect();
        Self {
            apps: number("--apps", 12, 2) as usize,
            first: number("--first", 1, 1) as usize,
            models: number("--models", 100, 4) as usize,
            seeds: number("--seeds", 10, 3),
            seed: number("--seed", 1, 1),
            steps: number("--steps", 2_000, 800),
            show: arguments.iter().any(|argument| argument == "--show"),
            families: list("--families").unwrap_or_else(families),
            rivals: list("--rivals").unwrap_or_else(all),
            ours: ours.clone(),
            jobs: number("--jobs", 2, 2) as usize,
        }
    }
}
