//! `siamang explain`: a trace in words.

use std::path::PathBuf;

use super::chard::{Loaded, RuleArgs, Which, load};
use crate::error::{CommandError, Exit};
use crate::explain::terminal::Detail;
use crate::explain::tree::Picture;
use crate::explain::{Chosen, Explanation, markdown, script, svg, terminal};

/// Say in words what a trace does and which of its events lead to the failure.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang explain runs/latest
  siamang explain runs/latest --original --all
  siamang explain monkey.log --tree svg > windows.svg
  siamang explain traces/1 --script > short.script

It needs no device: it looks at what was recorded. `siamang shrink` proves by running which events are needed.")]
pub struct Args {
    /// Traces, runs, folders of failures, Monkey scripts, outputs of `monkey -v -v` or folders of other tools' logs.
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    /// Every event, not only those of the way to the failure.
    #[arg(long)]
    all: bool,
    /// Of a failure that was shrunk, the trace as it was recorded.
    #[arg(long)]
    original: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The tree of windows with its reduced branches, in place of the report.
    #[arg(long, value_enum, value_name = "AS", conflicts_with_all = ["script", "json"])]
    tree: Option<TreeFormat>,
    /// The way to the failure as a script for `monkey -f`, in place of the report; with --all every event. Of a trace that was
    /// not shrunk the way is a guess, which a comment in it says.
    #[arg(long, conflicts_with = "json")]
    script: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// Markdown, for a bug tracker.
    Md,
}

/// How a tree is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TreeFormat {
    /// For Graphviz.
    Dot,
    /// A picture.
    Svg,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let config = args.rules.config();
    let loaded = load(&args.traces, if args.original { Which::Recorded } else { Which::Shortest })?;
    if (args.tree.is_some() || args.script) && loaded.len() != 1 {
        let flag = if args.script { "--script" } else { "--tree" };
        return Err(
            CommandError::usage(format!("{flag} takes one trace, but there are {}", loaded.len())).into()
        );
    }
    let mut explained = Vec::new();
    let mut ended = Ok(Exit::Clean);
    for Loaded { trace, subject } in loaded {
        match Explanation::of(&trace, subject.clone(), &config) {
            Ok(explanation) => explained.push((trace, subject.launch, explanation)),
            // The other traces can be explained all the same.
            Err(error) => ended = Err(CommandError::usage(error.to_string()).into()),
        }
    }
    if explained.is_empty() {
        return ended;
    }
    let detail = if args.all { Detail::All } else { Detail::Key };
    if args.json {
        let all: Vec<&Explanation> = explained.iter().map(|(_, _, explanation)| explanation).collect();
        super::print_json(&all)?;
        return ended;
    }
    for (number, (trace, launch, explanation)) in explained.iter().enumerate() {
        if number > 0 {
            super::print("\n")?;
        }
        let text = match (args.tree, args.format) {
            (Some(format), _) => picture(explanation, format)?,
            (None, _) if args.script => {
                let main = launch.as_ref().or(explanation.sequence().main.as_ref());
                let (remark, events) = match detail {
                    Detail::All => (None, (0..trace.events.len()).collect()),
                    Detail::Key => (unproven(explanation), positions(explanation)),
                };
                if let Some(remark) = remark {
                    tracing::warn!("{remark}");
                }
                script::render(trace, main, &events, remark)
            }
            (None, Format::Text) => terminal::render(explanation, detail),
            (None, Format::Md) => markdown::render(explanation, detail),
        };
        super::print(&text)?;
    }
    ended
}

/// What is to be known of a script that nobody has run.
fn unproven(explanation: &Explanation) -> Option<&'static str> {
    match explanation.key().1 {
        Chosen::Proven => None,
        Chosen::Duplicate => {
            Some("not replayed: one of each kind of event by window; `siamang shrink` proves a way")
        }
        Chosen::Ineffective => Some("not replayed: what the rules leave; `siamang shrink` proves a way"),
    }
}

fn positions(explanation: &Explanation) -> Vec<usize> {
    explanation.key().0.iter().map(|&event| explanation.lines[event].position).collect()
}

fn picture(explanation: &Explanation, format: TreeFormat) -> anyhow::Result<String> {
    let picture = Picture::of(explanation).ok_or_else(|| {
        CommandError::usage(format!(
            "{}: there is no window tree: the record names no activities; replay it with siamang to have them",
            explanation.name
        ))
    })?;
    Ok(match format {
        TreeFormat::Dot => picture.dot(),
        TreeFormat::Svg => svg::render(&picture),
    })
}
