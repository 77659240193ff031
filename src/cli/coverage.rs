//! `--coverage DIR`: what a run has covered of an APK's code, for JaCoCo and for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::error::CommandError;
use crate::ids::BranchId;
#[cfg(feature = "jvm")]
use crate::numbers::thousands;
use crate::target::Subject;
use crate::trace::{RunEvent, RunFolder, SpineReader};

/// Coverage on request.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With an APK")]
pub struct CoverageArgs {
    /// Write what the run covered of the app's code here: `jacoco.exec` with the `classes` it belongs to, `jacoco.xml`, and
    /// pages in `html`.
    #[arg(long, value_name = "DIR")]
    coverage: Option<PathBuf>,
    /// The app's sources, so that the pages show them.
    #[arg(long, value_name = "DIR", requires = "coverage")]
    sources: Option<PathBuf>,
}

impl CoverageArgs {
    /// Somebody wants it.
    pub fn is_wanted(&self) -> bool {
        self.coverage.is_some()
    }

    /// Refuses what has no code, before anything is run.
    pub fn check(&self, subject: &Subject) -> anyhow::Result<()> {
        if self.is_wanted() && matches!(subject, Subject::Model(_)) {
            return Err(CommandError::usage(
                "--coverage is for APKs; an app model has no code, and its rules are counted as branches",
            )
            .into());
        }
        Ok(())
    }

    /// Writes what a run has covered; what was counted, in one line.
    pub fn write(&self, folder: &RunFolder, subject: &Subject) -> anyhow::Result<Option<String>> {
        self.check(subject)?;
        let Some(out) = &self.coverage else { return Ok(None) };
        let mut branches = BTreeSet::<BranchId>::new();
        for event in SpineReader::open(folder.path())?.flatten() {
            match event {
                RunEvent::Step(step) => branches.extend(&step.new_branches),
                RunEvent::Reset { new_branches, .. } => branches.extend(&new_branches),
                _ => {}
            }
        }
        let mut line = String::from("coverage:");
        #[cfg(feature = "jvm")]
        if let Subject::Apk(workshop, apk, _) = subject {
            use crate::device::jvm::coverage::Covered;
            let covered = Covered::write(workshop, apk, &branches, out, self.sources.as_deref())
                .map_err(|error| CommandError::usage(error.to_string()))?;
            for (number, (name, hit, all)) in covered.counters.iter().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                let _ = write!(line, "{comma} {} of {} {name}", thousands(*hit), thousands(*all));
            }
        }
        let _ = writeln!(line, "\n  {}", out.join("html").join("index.html").display());
        Ok(Some(line))
    }
}
