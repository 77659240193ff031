//! `siamang model`: check and show app models.

use std::time::Duration;

use serde_json::json;

use crate::device::virtual_device::check::{check, schema};
use crate::device::virtual_device::solve::{Answer, SolveLimits, Truth, render, solve};
use crate::error::{CommandError, Exit};
use crate::target::Target;

/// Check and show app models.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Say what is wrong with a model, with line and column.
    #[command(after_help = "Example:\n  siamang model check my_app.toml")]
    Check {
        #[arg(help = super::names::target())]
        target: String,
    },
    /// Find the shortest event sequence to every planted failure.
    #[command(
        after_help = "Examples:\n  siamang model solve models/notes.toml\n  siamang model solve 'generated:counter?seed=3' --json"
    )]
    Solve {
        #[arg(help = super::names::target())]
        target: String,
        /// Stop after this time: 90s, 30m.
        #[arg(long, value_name = "T", value_parser = super::explore::parse_time, default_value = "60s")]
        time: Duration,
        /// Use at most this much memory, in megabytes.
        #[arg(long, value_name = "MB", default_value_t = 2_000)]
        memory: usize,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the text of a model, also of a generated one.
    #[command(after_help = "Example:\n  siamang model show 'generated:plain?screens=12&seed=3'")]
    Show {
        #[arg(help = super::names::target())]
        target: String,
    },
    /// Print the JSON schema of app models, for editors.
    #[command(after_help = "Example:\n  siamang model schema > siamang.json")]
    Schema,
}

/// Runs the command.
pub fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Show { target } => super::print(&Target::parse(target)?.source()?)?,
        Command::Schema => super::print_json(&schema())?,
        Command::Check { target } => {
            let target = Target::parse(target)?;
            let source = target.source()?;
            let report = check(&source);
            super::print(&report.render(&target.name(), &source))?;
            if !report.errors.is_empty() {
                return Err(CommandError::usage(format!("{} has errors", target.name())).into());
            }
            if report.is_clean() {
                super::print(&format!("{} is all right\n", target.name()))?;
            }
        }
        Command::Solve { target, time, memory, json } => {
            let app = Target::parse(target)?.load()?;
            let limits = SolveLimits { time: *time, memory_bytes: memory << 20, ..SolveLimits::default() };
            let answers = solve(&app, &limits);
            if *json {
                super::print_json(&answers.iter().map(answer_json).collect::<Vec<_>>())?;
            } else {
                if answers.is_empty() {
                    super::print("the model declares no failure\n")?;
                }
                super::print(&render(&answers))?;
            }
        }
    }
    Ok(Exit::Clean)
}

fn answer_json(answer: &Answer) -> serde_json::Value {
    let (truth, bound) = match &answer.truth {
        Truth::Optimal(way) => ("optimal", Some(way.cost)),
        Truth::BestKnown { bound, .. } => ("best known", Some(*bound)),
        Truth::Unreachable => ("unreachable", None),
    };
    json!({
        "failure": answer.name,
        "truth": truth,
        "bound": bound,
        "events": answer.way().map(|way| way.cost),
        "probability": answer.way().map(|way| way.probability),
        "steps": answer.way().map(|way| &way.lines),
        "states": answer.states,
    })
}
