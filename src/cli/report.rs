//! `siamang report`: the summary of a run, rebuilt from its log; also as a page and for CI servers.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use crate::error::{CommandError, Exit};
use crate::gui::GuiTree;
use crate::ids::TreeHash;
use crate::report::junit;
use crate::report::run_page::RunPage;
use crate::target::Target;
use crate::trace::pack::PackReader;
use crate::trace::summary::{FailureSummary, Paint, Summary, SummaryFold};
use crate::trace::{RunFolder, SpineReader};

/// Show the summary of a run, rebuilt from its log.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang report runs/latest
  siamang report runs/latest --html                  writes runs/latest/report.html
  siamang report runs/latest --junit result.xml      failures as CI servers read them
  siamang report runs/latest --coverage coverage     of an APK: jacoco.exec and pages
  siamang report runs/latest --json | jq .failures")]
pub struct Args {
    /// The run's folder.
    #[arg(default_value = "runs/latest")]
    run: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write a page with failures, steps, screens and the growth of coverage; by default `report.html` in the run's folder.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    html: Option<String>,
    /// Write the failures as CI servers read them; by default `junit.xml` in the run's folder.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    junit: Option<String>,
    /// The APK for `--coverage`, where it is no longer where it was.
    #[arg(long, value_name = "APK", requires = "coverage", help_heading = "With an APK")]
    target: Option<String>,
    #[command(flatten)]
    coverage: super::coverage::CoverageArgs,
    #[command(flatten)]
    apk: super::ApkArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    for (option, file) in [("--html", &args.html), ("--junit", &args.junit)] {
        if let Some(folder) = file.as_deref().filter(|file| Path::new(file).is_dir()) {
            let told = format!(
                "`{folder}` is a folder, and {option} takes a file; the run comes first: siamang report {folder} {option}"
            );
            return Err(CommandError::usage(told).into());
        }
    }
    args.coverage.check_places()?;
    let folder = RunFolder::open(&args.run)?;
    let summary = Summary::of_run(&folder)?;
    if args.json {
        super::print_json(&summary)?;
    } else {
        super::print(&summary.render(super::width(), Paint::Colored))?;
    }
    let mut written = Vec::new();
    if let Some(file) = &args.html {
        let file = place(file, &folder, "report.html");
        write(&file, &page(&folder, &summary)?)?;
        written.push(file);
    }
    if let Some(file) = &args.junit {
        let file = place(file, &folder, "junit.xml");
        write(&file, &junit::render("siamang explore", &[junit::of_run(&summary)])?)?;
        written.push(file);
    }
    if args.coverage.is_wanted() {
        let info = folder.info()?;
        let target = Target::of_trace(&info.target, &info.app_hash, args.target.as_deref(), &args.run)?;
        let subject = super::open(&target, &args.apk)?;
        if subject.hash() != info.app_hash {
            let told = format!("`{}` is not the app that was run; name that with --target", target.name());
            return Err(CommandError::usage(told).into());
        }
        if let Some(line) = args.coverage.write(&folder, &subject)?.filter(|_| !args.json) {
            super::print(&line)?;
        }
    }
    if !args.json {
        for file in written {
            super::print(&format!("written: {}\n", file.display()))?;
        }
    }
    Ok(Exit::Clean)
}

/// The file that was named, or its usual place in the run's folder.
fn place(named: &str, folder: &RunFolder, usual: &str) -> PathBuf {
    if named.is_empty() { folder.path().join(usual) } else { PathBuf::from(named) }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text)
        .map_err(|error| CommandError::usage(format!("cannot write `{}`: {error}", file.display())).into())
}

/// The page of a run. What cannot be read of its trees is left blank there.
fn page(folder: &RunFolder, summary: &Summary) -> anyhow::Result<String> {
    let mut pack = PackReader::open(folder.path()).ok();
    let mut tree = |hash: TreeHash| -> Option<GuiTree> { pack.as_mut()?.get(hash).ok().flatten() };
    let crash = |failure: &FailureSummary| folder.kept_crash(&failure.signature).ok().flatten();
    let picture = |failure: &FailureSummary, at: usize| folder.picture(&failure.signature, at);
    let growth = growth(folder, summary.branches > Some(0))?;
    Ok(RunPage { summary, growth: &growth, crash: &crash, tree: &mut tree, picture: &picture }.render())
}

/// How many branches, or screens, were known after which step: only where the number changes, and at the end.
fn growth(folder: &RunFolder, branches: bool) -> anyhow::Result<Vec<(u64, u64)>> {
    let info = folder.info().unwrap_or_else(|_| crate::trace::RunInfo::new("unknown app", "unknown", 0));
    let fold = RefCell::new(SummaryFold::new(&info));
    let value = || {
        let fold = fold.borrow();
        let known = if branches { fold.branches() } else { fold.screens() };
        (fold.steps(), known as u64)
    };
    let mut points = vec![(0, 0)];
    for event in SpineReader::open(folder.path())?.flatten() {
        fold.borrow_mut().add(&event);
        let now = value();
        if points.last().is_some_and(|&(_, known)| known != now.1) {
            points.push(now);
        }
    }
    points.push(value());
    Ok(points)
}
