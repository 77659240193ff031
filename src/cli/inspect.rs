//! `siamang inspect`: a uiautomator dump as people like to see it.

use std::io::Read;
use std::path::PathBuf;

use anyhow::Context;

use crate::error::{CommandError, Exit};
use crate::gui::print::{PrintStyle, inspect_dump};

/// Print a uiautomator dump as a tree.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  siamang inspect window_dump.xml\n  adb exec-out uiautomator dump /dev/tty | siamang inspect -"
)]
pub struct Args {
    /// The dump, or - for standard input.
    dump: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let bytes = if args.dump.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        bytes
    } else {
        std::fs::read(&args.dump).with_context(|| format!("cannot read `{}`", args.dump.display()))?
    };
    let (text, issues) = inspect_dump(&bytes, PrintStyle::coloured());
    super::print(&text)?;
    for issue in &issues {
        tracing::warn!("{issue}");
    }
    if text.starts_with("no window") {
        return Err(CommandError::usage(format!(
            "`{}` has no window of a uiautomator dump",
            args.dump.display()
        ))
        .into());
    }
    Ok(Exit::Clean)
}
