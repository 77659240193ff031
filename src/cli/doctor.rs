//! `siamang doctor`: is everything there that a phone or an APK needs? Each line has its remedy.

#[cfg(feature = "jvm")]
mod apk;
#[cfg(feature = "adb")]
mod phones;

use std::fmt::Write as _;
#[cfg(feature = "jvm")]
use std::path::Path;

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
}

/// What was found out, line by line.
#[derive(Debug)]
struct Chart {
    text: String,
    exit: Exit,
}

impl Chart {
    fn good(&mut self, what: impl std::fmt::Display) {
        let _ = writeln!(self.text, "ok    {what}");
    }

    fn bad(&mut self, what: impl std::fmt::Display, remedy: impl std::fmt::Display) {
        let _ = writeln!(self.text, "bad   {what}\n      → {remedy}");
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
        let _ = writeln!(self.text, "note  {what}\n      → {remedy}");
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut chart = Chart { text: String::new(), exit: Exit::Clean };
    look(args, &mut chart)?;
    super::print(&chart.text)?;
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
