//! `siamang compare`: abstractions and strategies against each other, on the same apps with the same seeds.

use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::names;
use crate::abstraction::registry;
use crate::campaign::Control;
use crate::compare::folder::Folder;
use crate::compare::outcome::Outcome;
use crate::compare::{CompareError, Job, Plan, PlannedTarget, page, svg, tables};
use crate::error::{CommandError, Exit};
use crate::numbers::thousands;
use crate::report::bar::{Bar, Shape};
use crate::target::{Subject, Target};
use crate::trace::folder_name;

/// Compare abstractions and strategies on the same apps.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang compare models/drive_list.toml --abstraction stoat,amola-c-lv4,amola-c-lv5,evolving --runs 30
  siamang compare models/notes.toml 'generated:reorder?screens=40&seed=7' --strategy sata,random,monkey

Interrupted, and started again with the same arguments, it goes on where it was.")]
pub struct Args {
    /// App models (.toml), APKs, or generated apps (generated:FAMILY?screens=N&crashes=N&seed=N).
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<String>,
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_values = [registry::DEFAULT, "ape-released"],
        help = names::abstraction("Which screens are one state: names, with commas between them"),
        long_help = names::abstractions("Which screens are one state; names, with commas between them")
    )]
    abstraction: Vec<String>,
    #[command(flatten)]
    initial_tree: super::initial_tree::InitialTree,
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "sata",
        help = names::strategy("How the next action is chosen: names, with commas between them"),
        long_help = names::strategies("How the next action is chosen; names, with commas between them")
    )]
    strategy: Vec<String>,
    /// How many runs each combination has on each app.
    #[arg(long, value_name = "N", default_value_t = 10)]
    runs: u64,
    /// How many steps a run has.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    steps: u64,
    /// The seed of the first run; each further run has the next.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many runs are made at once; by default one on each core.
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// The folder of the comparison; by default one below `runs` that is named after the arguments.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    apk: super::ApkArgs,
}

/// More runs at once are no faster.
const MAX_JOBS: usize = 256;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(jobs) = args.jobs.filter(|jobs| !(1..=MAX_JOBS).contains(jobs)) {
        let message = format!("--jobs {jobs} is out of range; use 1 to {MAX_JOBS}");
        return Err(CommandError::usage(message).into());
    }
    let mut targets: Vec<PlannedTarget> = Vec::new();
    let mut apps: Vec<Subject> = Vec::new();
    for name in &args.targets {
        let target = Target::parse(name)?;
        if targets.iter().any(|known| known.target == target.name()) {
            continue;
        }
        let app = super::open(&target, &args.apk)?;
        targets.push(PlannedTarget::of(target.name(), &app));
        apps.push(app);
    }
    let entries: Vec<&registry::Entry> =
        args.abstraction.iter().filter_map(|name| registry::find(name)).collect();
    let initial = args.initial_tree.load(&entries)?;
    let plan = Plan::starting_from(
        initial.as_ref(),
        targets,
        &args.abstraction,
        &args.strategy,
        args.runs,
        args.steps,
        args.seed,
    )
    .map_err(|error| with_exit(&error))?;
    let path = match &args.out {
        Some(path) => path.clone(),
        None => Path::new("runs").join(format!("compare-{:016x}", xxh3_64(&serde_json::to_vec(&plan)?))),
    };
    let (mut folder, mut done) = Folder::open(&path, &plan).map_err(|error| with_exit(&error))?;
    let jobs: Vec<Job> = plan.jobs().into_iter().filter(|job| !done.contains_key(job)).collect();
    if !done.is_empty() {
        let all = plan.jobs().len();
        writeln!(
            anstream::stderr(),
            "{} of {} runs are in {} already",
            thousands(done.len() as u64),
            thousands(all as u64),
            path.display()
        )?;
    }
    let control = Control::new(None);
    super::interrupt::watch(&control);
    let bar = Bar::new(Shape::TimeLeft(jobs.len() as u64));
    let threads = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let made = plan.execute(&apps, &jobs, threads, &control, |result| {
        folder.append(&result)?;
        bar.advance();
        done.insert(result.job, result);
        Ok(())
    });
    bar.finish();
    made.map_err(|error| with_exit(&error))?;
    if control.is_interrupted() {
        let left = thousands((plan.jobs().len() - done.len()) as u64);
        writeln!(anstream::stderr(), "{left} runs are left; the same command goes on with them")?;
        return Ok(Exit::Interrupted);
    }
    let outcome = Outcome::of(&plan, &done);
    folder.write_json("compare.json", &outcome)?;
    folder.write("runs.csv", tables::runs_csv(&plan, &done).as_bytes())?;
    folder.write("failures.csv", tables::failures_csv(&plan, &done).as_bytes())?;
    folder.write("curves.csv", tables::curves_csv(&outcome).as_bytes())?;
    for target in &outcome.targets {
        let name = format!("curves-{}.svg", folder_name(&target.target));
        folder.write(&name, svg::curves(target, plan.steps).as_bytes())?;
    }
    folder.write("compare.html", page::render(&outcome).as_bytes())?;
    if args.json {
        super::print_json(&outcome)?;
    } else {
        super::print(&tables::render(&outcome))?;
        super::print(&format!("page: {}\n", folder.path().join("compare.html").display()))?;
    }
    Ok(Exit::Clean)
}

fn with_exit(error: &CompareError) -> anyhow::Error {
    let exit = match error {
        CompareError::Died => Exit::Internal,
        CompareError::Lost(_) => Exit::Device,
        _ => Exit::Usage,
    };
    CommandError { exit, message: error.to_string() }.into()
}
