//! `siamang report`: the summary of a run, rebuilt from its log.

use std::path::PathBuf;

use crate::error::Exit;
use crate::trace::RunFolder;
use crate::trace::summary::{Paint, Summary};

/// Show the summary of a run, rebuilt from its log.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  siamang report runs/latest\n  siamang report runs/latest --json | jq .failures"
)]
pub struct Args {
    /// The run's folder.
    #[arg(default_value = "runs/latest")]
    run: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder = RunFolder::open(&args.run)?;
    let summary = Summary::of_run(&folder)?;
    if args.json {
        super::print_json(&summary)?;
    } else {
        super::print(&summary.render(super::width(), Paint::Colored))?;
    }
    Ok(Exit::Clean)
}
