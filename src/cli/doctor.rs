//! `siamang doctor`: is everything there that a phone or an APK needs? Each line has its remedy.

#[cfg(feature = "jvm")]
mod apk;
#[cfg(feature = "adb")]
mod phones;

use std::fmt::Write as _;
#[cfg(feature = "jvm")]
use std::path::Path;

use serde::Serialize;

use crate::error::Exit;

/// Check adb, phones and the agent, or what an APK needs here, and say what to do.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang doctor
  siamang doctor --device emulator-5554
  siamang doctor --undo          after a kill -9: settings, files and apps as they were
  siamang doctor --jvm           can APKs run here, without a phone?
  siamang doctor --jvm app.apk   and this one: what will and what will not work?")]
pub struct Args {
    #[cfg(feature = "adb")]
    #[command(flatten)]
    phone: super::phone::PhoneArgs,
    /// Put back what a run that was killed has left on phones.
    #[cfg(feature = "adb")]
    #[arg(long)]
    undo: bool,
    /// Check what APKs need on this computer, and what will and will not work of this one. Nothing is fetched.
    #[cfg(feature = "jvm")]
    #[arg(long, value_name = "APK", num_args = 0..=1, default_missing_value = "")]
    #[cfg_attr(feature = "adb", arg(conflicts_with_all = ["undo", "devices", "adb_server"]))]
    jvm: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What was found out, line by line.
#[derive(Debug)]
struct Chart {
    lines: Vec<Line>,
    exit: Exit,
}

/// One thing that was found out.
#[derive(Debug, Serialize)]
struct Line {
    /// `ok`, `bad` or `note`.
    state: &'static str,
    what: String,
    /// What to do, where it is not all right.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Chart {
    fn good(&mut self, what: impl std::fmt::Display) {
        self.lines.push(Line { state: "ok", what: what.to_string(), remedy: None });
    }

    fn bad(&mut self, what: impl std::fmt::Display, remedy: impl std::fmt::Display) {
        self.lines.push(Line { state: "bad", what: what.to_string(), remedy: Some(remedy.to_string()) });
        self.exit = Exit::Device;
    }

    /// What was named cannot be used, whatever is done here.
    #[cfg(feature = "jvm")]
    fn refused(&mut self, what: impl std::fmt::Display, remedy: impl std::fmt::Display) {
        let before = self.exit;
        self.bad(what, remedy);
        self.exit = if before == Exit::Clean { Exit::Usage } else { before };
    }

    /// Something that costs quality, not the run.
    fn note(&mut self, what: impl std::fmt::Display, remedy: impl std::fmt::Display) {
        self.lines.push(Line { state: "note", what: what.to_string(), remedy: Some(remedy.to_string()) });
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for Line { state, what, remedy } in &self.lines {
            let _ = writeln!(text, "{state:<5} {what}");
            if let Some(remedy) = remedy {
                let _ = writeln!(text, "      → {remedy}");
            }
        }
        text
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut chart = Chart { lines: Vec::new(), exit: Exit::Clean };
    look(args, &mut chart)?;
    if args.json {
        super::print_json(&chart.lines)?;
    } else {
        super::print(&chart.text())?;
    }
    Ok(chart.exit)
}

fn look(args: &Args, chart: &mut Chart) -> anyhow::Result<()> {
    #[cfg(feature = "jvm")]
    if let Some(file) = &args.jvm {
        apk::look(Some(Path::new(file)).filter(|file| !file.as_os_str().is_empty()), chart);
        return Ok(());
    }
    #[cfg(feature = "adb")]
    return if args.undo { phones::put_back(chart) } else { phones::look(&args.phone, chart) };
    #[cfg(not(feature = "adb"))]
    {
        apk::look(None, chart);
        Ok(())
    }
}
