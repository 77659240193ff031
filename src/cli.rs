//! The command line: what can be typed. Each command has a file of its own, which wires and prints and decides nothing.

mod chard;
mod compare;
mod coverage;
#[cfg(feature = "adb")]
mod devices;
#[cfg(any(feature = "adb", feature = "jvm"))]
mod doctor;
mod explain;
mod explore;
mod initial_tree;
mod inspect;
mod interrupt;
mod model;
mod names;
#[cfg(feature = "adb")]
mod phone;
mod replay;
mod report;
mod shrink;
mod stage;
mod suite;
mod without_device;

use std::io::{IsTerminal, Write};
#[cfg(feature = "jvm")]
use std::path::PathBuf;
#[cfg(feature = "jvm")]
use std::sync::Arc;

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::device::DeviceError;
#[cfg(feature = "jvm")]
use crate::device::jvm::fence::Reach;
#[cfg(feature = "jvm")]
use crate::device::jvm::host::{Habits, Unseen};
#[cfg(feature = "jvm")]
use crate::device::jvm::stand_ins::StandIns;
use crate::error::{CommandError, Exit};
use crate::report::bar::{Bar, Shape};
use crate::report::table::harmless;
#[cfg(feature = "jvm")]
use crate::target::TargetError;
use crate::target::{Access, Subject, Target};
use crate::trace::RunFolder;
use crate::trace::framed::FrameKind;
use crate::trace::suite_folder::SuiteFolder;

/// Explores an Android app unattended, finds its crashes and hands back the shortest sequence of taps that reproduces each.
#[derive(Debug, Parser)]
#[command(name = "siamang", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Examples:
  siamang explore models/notes.toml --seed 1     explore an app on the embedded device
  siamang report runs/latest                     the summary of the newest run
  siamang replay runs/latest --times 10          do its failures come again?
  siamang model check my_app.toml                is my app model all right?

Exit codes:
  0    nothing found
  1    failures found or reproduced
  2    wrong usage or input
  3    no device, or it was lost
  4    not reproduced
  70   a fault of siamang
  130  interrupted; what was found is kept")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say more on stderr; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Explore an app and find its failures.
    Explore(Box<explore::Args>),
    /// Shorten a failing trace, or all failing traces of a run.
    Shrink(shrink::Args),
    /// Say in words what a trace does and which of its events lead to the failure.
    Explain(explain::Args),
    /// Run a trace again and say how often it fails.
    Replay(replay::Args),
    /// Make a small regression suite from a run.
    Suite(suite::Args),
    /// Show the summary of a run, rebuilt from its log.
    Report(report::Args),
    /// Compare abstractions and strategies on the same apps.
    Compare(compare::Args),
    /// Show a screen, how it is named, and why two screens are one state or two.
    Inspect(inspect::Args),
    /// Check and show app models.
    #[command(subcommand)]
    Model(model::Command),
    /// List the phones and emulators.
    #[cfg(feature = "adb")]
    Devices(devices::Args),
    /// Check adb, phones and the agent, or what an APK needs here, and say what to do.
    #[cfg(any(feature = "adb", feature = "jvm"))]
    Doctor(doctor::Args),
    /// Print a completion script for a shell.
    #[command(
        after_help = "Example:\n  siamang completions bash > ~/.local/share/bash-completion/completions/siamang"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How an APK is run.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With an APK")]
struct ApkArgs {
    /// Fetch nothing: use what an earlier run has kept.
    #[arg(long)]
    offline: bool,
    /// How intents to other apps are answered: a TOML file. What it does not name is answered as ever. A trace that was
    /// found with it is replayed and shrunk with it.
    #[cfg(feature = "jvm")]
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// The app may use the network; without this it reaches nobody. Runs are not the same again then.
    #[cfg(feature = "jvm")]
    #[arg(long)]
    network: bool,
    /// Activities that nobody sees are taken away at once, as with a phone's "Don't keep activities".
    #[cfg(feature = "jvm")]
    #[arg(long)]
    drop_activities: bool,
}

impl ApkArgs {
    /// What a run says of itself, so that its traces can be run in the same way.
    #[cfg(not(feature = "jvm"))]
    #[expect(clippy::unused_self, reason = "without the device there is nothing to tell")]
    fn told(&self) -> Option<serde_json::Value> {
        None
    }
}

#[cfg(feature = "jvm")]
impl ApkArgs {
    /// What a run says of itself, so that its traces can be run in the same way.
    fn told(&self) -> Option<serde_json::Value> {
        let Self { answers, network, drop_activities, .. } = self;
        (answers.is_some() || *network || *drop_activities).then(|| {
            serde_json::json!({ "answers": answers, "network": network, "drop_activities": drop_activities })
        })
    }

    fn habits(&self, target: &Target) -> anyhow::Result<Habits> {
        let stand_ins = match &self.answers {
            Some(file) => StandIns::load(file).map_err(|error| CommandError::usage(error.to_string()))?,
            None => StandIns::default(),
        };
        let unseen = if self.drop_activities { Unseen::Dropped } else { Unseen::Kept };
        let reach = if self.network { Reach::Everybody } else { Reach::Nobody };
        let habits = Habits { unseen, reach, stand_ins: Arc::new(stand_ins), ..Habits::default() };
        if habits != Habits::default() && !matches!(target, Target::Apk(_)) {
            return Err(CommandError::usage("--answers, --network and --drop-activities are for APKs").into());
        }
        Ok(habits)
    }
}

/// The app, ready to run; what takes long is said on stderr.
fn open(target: &Target, args: &ApkArgs) -> anyhow::Result<Subject> {
    #[cfg(feature = "jvm")]
    let habits = args.habits(target)?;
    let access = if args.offline { Access::Offline } else { Access::Online };
    let opened = target.open(access, &|news| {
        let _ = writeln!(anstream::stderr(), "{news} …");
    });
    #[cfg(feature = "jvm")]
    if let Err(TargetError::SetUp(error)) = &opened
        && !error.is_the_apps()
    {
        let message = format!("{error}\n  `siamang doctor --jvm` says what is there and what is missing");
        return Err(CommandError { exit: Exit::Device, message }.into());
    }
    #[cfg(feature = "jvm")]
    let opened = opened.map(|subject| subject.with(habits));
    Ok(opened?)
}

/// A device that did not do its part ends a command with exit code 3: one line what, one line what to do.
fn lost(error: &DeviceError) -> CommandError {
    let remedy = match error {
        DeviceError::App(why) if why.ends_with("is locked") => {
            "unlock it, and turn the lock off while testing"
        }
        DeviceError::App(_) => "see whether it starts by hand; name its package or its APK",
        _ => ASK_THE_DOCTOR,
    };
    CommandError { exit: Exit::Device, message: format!("{error}\n  {remedy}") }
}

/// What to do when it is not clear what to do.
const ASK_THE_DOCTOR: &str = "run `siamang doctor`, which says what to do";

/// Parses, sets up logging, runs, and says what went wrong.
pub fn main() -> Exit {
    // Whoever changes their mind at once is heard, too.
    interrupt::listen();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Clean };
        }
    };
    set_up_logging(cli.verbose);
    let outcome = match cli.command {
        Command::Explore(args) => explore::run(&args),
        Command::Shrink(args) => shrink::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Model(command) => model::run(&command),
        #[cfg(feature = "adb")]
        Command::Devices(args) => devices::run(&args),
        #[cfg(any(feature = "adb", feature = "jvm"))]
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "siamang", &mut script);
            print_bytes(&script).map(|()| Exit::Clean)
        }
    };
    outcome.unwrap_or_else(|error| {
        let exit = error.downcast_ref::<CommandError>().map_or(Exit::Usage, |known| known.exit);
        // There may be nothing to do, which is no error.
        let bad = if exit == Exit::Clean { String::new() } else { format!("{0}error:{0:#} ", style_bad()) };
        let _ = writeln!(anstream::stderr(), "{bad}{}", harmless(&told(&error)));
        exit
    })
}

/// There was nothing to do, which is no error.
fn is_nothing_to_do(error: &anyhow::Error) -> bool {
    error.downcast_ref::<CommandError>().is_some_and(|known| known.exit == Exit::Clean)
}

/// The error and its causes, each said once.
fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&cause);
        }
    }
    text
}

fn style_bad() -> anstyle::Style {
    anstyle::AnsiColor::Red.on_default().bold()
}

fn set_up_logging(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "siamang=info,warn",
        _ => "siamang=trace,info",
    };
    let asked = std::env::var("SIAMANG_LOG").ok().and_then(|asked| asked.parse::<Targets>().ok());
    let filter = asked.or_else(|| level.parse().ok()).unwrap_or_default();
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .with_target(false);
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter)).try_init();
}

/// Results go to stdout; colours vanish where it is no terminal, and whatever else a terminal would obey everywhere.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    printed(out.write_all(harmless(text).as_bytes()).and_then(|()| out.flush()))
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    printed(out.write_all(bytes).and_then(|()| out.flush()))
}

/// A reader that has seen enough, such as `head`, is no error and does not change the exit code.
fn printed(written: std::io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to stdout")
        }
        _ => Ok(()),
    }
}

fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    print_bytes(&text)
}

/// Something can be written there: tried before the work begins whose result it is for. What is there stays as it is.
fn try_place(path: &std::path::Path) -> anyhow::Result<()> {
    if is_record(path) {
        let message =
            format!("`{}` belongs to a run or a suite, which needs it; name another file", path.display());
        return Err(CommandError::usage(message).into());
    }
    let tried = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(there) if there.is_file() => std::fs::OpenOptions::new().append(true).open(path).map(drop),
        // To open a pipe is to wait for its reader.
        Ok(_) => Ok(()),
        Err(_) => std::fs::File::create_new(path).and_then(|_| std::fs::remove_file(path)),
    };
    tried.map_err(|error| CommandError::usage(format!("cannot write `{}`: {error}", path.display())).into())
}

/// A file that a run or a suite is lost without.
fn is_record(path: &std::path::Path) -> bool {
    let files = [RunFolder::INFO, SuiteFolder::MANIFEST, FrameKind::Events.file(), FrameKind::Trees.file()];
    path.exists() && path.file_name().is_some_and(|name| files.iter().any(|own| name == *own))
}

/// A line of progress on a terminal, nothing elsewhere.
fn progress_line() -> Bar {
    Bar::new(Shape::Spinner)
}

/// How wide the terminal is; a file or a pipe is as wide as people like to read. `COLUMNS` overrides both.
fn width() -> usize {
    const READABLE: usize = 100;
    const NARROWEST: usize = 40;
    let wished = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.into());
    wished.or_else(terminal).unwrap_or(READABLE).max(NARROWEST)
}
