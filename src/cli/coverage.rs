//! `--coverage DIR`: what a run has covered of an APK's code, for JaCoCo and for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

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

    /// Refuses places that cannot be used, before anything is run: nobody wants to hear of them in the end.
    pub fn check_places(&self) -> anyhow::Result<()> {
        if let Some(out) = &self.coverage {
            try_folder(out).map_err(|error| {
                CommandError::usage(format!("--coverage cannot be written to `{}`: {error}", out.display()))
            })?;
        }
        if let Some(sources) = &self.sources {
            std::fs::read_dir(sources).map_err(|error| {
                let told =
                    format!("--sources `{}` cannot be read: {error}; name the folder", sources.display());
                CommandError::usage(told)
            })?;
        }
        Ok(())
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

/// A file can be made in a folder, or in one that can be made. What was not there before is gone again.
fn try_folder(folder: &Path) -> std::io::Result<()> {
    let missing = folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists());
    let missing: Vec<&Path> = missing.collect();
    std::fs::create_dir_all(folder)?;
    let tried = folder.join(format!(".siamang-{}", std::process::id()));
    let outcome = std::fs::File::create_new(&tried).and_then(|_| std::fs::remove_file(&tried));
    for made in missing {
        // Whoever has put something there meanwhile keeps it.
        let _ = std::fs::remove_dir(made);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_tried_and_left_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a/b/c");
        try_folder(&deep).unwrap();
        assert!(!place.path().join("a").exists());
        std::fs::create_dir_all(&deep).unwrap();
        try_folder(&deep).unwrap();
        assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 0);
        std::fs::write(place.path().join("file"), "kept").unwrap();
        assert!(try_folder(&place.path().join("file")).is_err());
        assert!(try_folder(&place.path().join("file/below")).is_err());
    }
}
