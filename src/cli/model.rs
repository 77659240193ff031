//! `siamang model`: check and show app models.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::json;

use crate::campaign::Control;
use crate::device::virtual_device::app::App;
use crate::device::virtual_device::check::{check, schema};
use crate::device::virtual_device::solve::{Answer, SolveLimits, Truth, Watch, render, solve_watched};
use crate::error::{CommandError, Exit};
use crate::numbers::thousands;
use crate::target::Target;

/// Check and show app models.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Say what is wrong with a model, with line and column.
    #[command(after_help = "Example:\n  siamang model check my_app.toml")]
    Check {
        #[arg(help = super::names::model())]
        target: String,
    },
    /// Find the shortest event sequence to every planted failure.
    #[command(
        after_help = "Examples:\n  siamang model solve models/notes.toml\n  siamang model solve 'generated:counter?seed=3' --json"
    )]
    Solve {
        #[arg(help = super::names::model())]
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
        #[arg(help = super::names::model())]
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
            let target = Target::parse(target)?;
            let app = target.load()?;
            if *memory == 0 {
                return Err(
                    CommandError::usage("--memory 0 leaves no room for anything; use 1 or more").into()
                );
            }
            let memory_bytes = memory.saturating_mul(1 << 20);
            let limits = SolveLimits { time: *time, memory_bytes, ..SolveLimits::default() };
            let control = Control::new(None);
            super::interrupt::watch(&control);
            let answers = solve_and_show(&app, &limits, &control)?;
            if *json {
                super::print_json(&answers.iter().map(answer_json).collect::<Vec<_>>())?;
            } else {
                if answers.is_empty() {
                    super::print("the model declares no failure\n")?;
                }
                super::print(&render(&answers))?;
            }
            if control.is_interrupted() {
                return Ok(Exit::Interrupted);
            }
            let wrong: Vec<String> =
                answers.iter().filter_map(|answer| contradiction(&app, answer)).collect();
            if !wrong.is_empty() {
                return Err(CommandError::usage(format!("{}: {}", target.name(), wrong.join("; "))).into());
            }
        }
    }
    Ok(Exit::Clean)
}

/// Solves on a thread of its own, with a line of progress on a terminal, until it is done or Ctrl-C is pressed.
fn solve_and_show(
    app: &Arc<App>,
    limits: &SolveLimits,
    control: &Control,
) -> Result<Vec<Answer>, CommandError> {
    const LOOK_EVERY: Duration = Duration::from_millis(50);
    let watch = Watch::default();
    let line = super::progress_line();
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        let watch = &watch;
        let solver = scope.spawn(move || {
            let answers = solve_watched(app, limits, watch);
            let _ = done.send(());
            answers
        });
        while is_done.recv_timeout(LOOK_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
            if control.is_interrupted() {
                watch.stop.store(true, Ordering::Relaxed);
            }
            line.set_message(format!(
                "{} states, all ways with fewer than {} events",
                thousands(watch.states.load(Ordering::Relaxed)),
                watch.events.load(Ordering::Relaxed)
            ));
        }
        line.finish();
        whole(solver.join())
    })
}

/// The answers, unless the solver panicked: then nothing is known, and that is a fault of ours.
fn whole(joined: std::thread::Result<Vec<Answer>>) -> Result<Vec<Answer>, CommandError> {
    joined.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        let message =
            format!("the solver broke down, so nothing is known: {text}; please report it with the model");
        CommandError { exit: Exit::Internal, message }
    })
}

/// What the model says about a failure and the answer refutes.
fn contradiction(app: &App, answer: &Answer) -> Option<String> {
    let stated = answer.wrongly_stated(app)?;
    let found = match &answer.truth {
        Truth::Optimal(way) => format!("the shortest way has {}", way.cost),
        Truth::BestKnown { way: Some(way), .. } if way.cost < stated => {
            format!("there is a way with {}", way.cost)
        }
        Truth::BestKnown { bound, .. } => format!("every way has at least {bound}"),
        Truth::Unreachable => "no way leads to it".to_owned(),
    };
    Some(format!("the failure `{}` states `shortest = {stated}`, but {found}", answer.name))
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
        "why": match &answer.truth {
            Truth::BestKnown { gap, .. } => Some(gap.words()),
            Truth::Optimal(_) | Truth::Unreachable => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_that_panics_is_a_fault_and_no_empty_answer() {
        let joined = std::thread::spawn(|| -> Vec<Answer> { panic!("out of cheese") }).join();
        let error = whole(joined).expect_err("nothing is known");
        assert_eq!(error.exit, Exit::Internal);
        assert!(error.message.contains("out of cheese"), "{error}");
    }
}
