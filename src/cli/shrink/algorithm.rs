//! How to shrink, as it is typed and as it is meant.

use std::path::PathBuf;

use crate::campaign::Control;
use crate::campaign::shrinking::ShrinkConfig;
use crate::cli::chard::RuleArgs;
use crate::error::CommandError;
use crate::nearest::unknown;
use crate::shrink::nd3min::Settings;
use crate::shrink::nd3min::prior::Prior;
use crate::shrink::registry::{ALGORITHMS, DEFAULT, PASSES, find};
use crate::trace::event_tree::Label;

/// How to shrink.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Shrinking")]
pub struct AlgorithmArgs {
    #[arg(long, value_name = "NAME", help = crate::cli::names::algorithm("The algorithm"))]
    pub(super) algorithm: Option<String>,
    /// What counts as a state: activity, window, structure or state.
    #[arg(long, value_name = "LABEL", default_value = Label::Window.word(), value_parser = parse_label)]
    label: Label,
    /// Devices at once, 1 unless it is given. With `explore APK` all but the last explore, and the last one shrinks. Not
    /// for phones, of which all that are chosen with `--device` are at work at once.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Runs of candidates at the most, for one trace. Runs that only tell how often a result fails and what it looks like
    /// come on top: 5 or 6 where a device is deterministic, else about a hundred, and some hundreds for what fails seldom.
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    max_runs: u64,
    /// Take pictures of the screens of each shortest trace, where the device draws (APKs on this computer, phones).
    #[arg(long)]
    screenshots: bool,
    /// Begin with the whole trace. Else every algorithm begins with what comes after the trace's last restart, if that fails
    /// by itself.
    #[arg(long)]
    whole: bool,
    /// First delete what CHARD's rules call ineffective, as far as runs confirm it.
    #[arg(long)]
    rules_first: bool,
    #[command(flatten)]
    rules: RuleArgs,
    /// The numbers of nd3min: n=5,m=15,nr=20,st=18,c=0.8,checks=20,least=15, schedule=exact, heuristic, round-robin or
    /// greedy, and memory=1024 MB for the exact one. m is the number of devices unless it is given.
    #[arg(long, value_name = "SETTINGS")]
    pub(super) nd3min: Option<String>,
    /// What is thought of a trace before nd3min has run it: a file with weights for p = 0, …, 1, as --learn-prior writes.
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,
}

/// More devices than this at once help nobody and cost a thread each.
const MAX_JOBS: usize = 256;

impl AlgorithmArgs {
    /// What it means; an interruption ends what takes long.
    pub fn config(&self, control: &Control) -> anyhow::Result<ShrinkConfig> {
        self.config_for(self.name(), control)
    }

    /// The algorithm's name.
    pub(super) fn name(&self) -> &str {
        self.algorithm.as_deref().unwrap_or(DEFAULT)
    }

    pub(super) fn config_for(&self, name: &str, control: &Control) -> anyhow::Result<ShrinkConfig> {
        let algorithm = find(name).ok_or_else(|| {
            let names: Vec<&str> = ALGORITHMS.iter().chain(PASSES).map(|algorithm| algorithm.name).collect();
            let message = unknown("algorithm", name, names.iter().copied());
            CommandError::usage(format!("{message}; the algorithms are {}", names.join(", ")))
        })?;
        let jobs = self.jobs.unwrap_or(1);
        if !(1..=MAX_JOBS).contains(&jobs) {
            let message = format!("--jobs {jobs} is out of range; use 1 to {MAX_JOBS}");
            return Err(CommandError::usage(message).into());
        }
        if self.max_runs == 0 {
            return Err(CommandError::usage("--max-runs 0 would do nothing; use 1 or more").into());
        }
        Ok(ShrinkConfig {
            algorithm,
            whole: self.whole,
            rules_first: self.rules_first,
            chard: self.rules.config(),
            label: self.label,
            jobs,
            max_runs: self.max_runs,
            nd3min: self.nd3min(name, control)?,
            pictures: self.screenshots,
        })
    }

    /// On phones nobody asks how many: all that are chosen are at work at once.
    #[cfg(feature = "adb")]
    pub fn refuse_jobs(&self) -> anyhow::Result<()> {
        match self.jobs {
            None => Ok(()),
            Some(jobs) => {
                let message = format!(
                    "--jobs {jobs} counts devices of this computer, not phones\n  \
                     leave it out; all phones that are chosen with --device are at work at once"
                );
                Err(CommandError::usage(message).into())
            }
        }
    }

    /// The numbers of ND3MIN, if it runs; the exact schedule is solved here, once for all traces.
    fn nd3min(&self, algorithm: &str, control: &Control) -> anyhow::Result<Option<Settings>> {
        let prior = match &self.prior {
            None => Prior::default(),
            Some(file) => {
                let words = std::fs::read_to_string(file).map_err(|error| {
                    CommandError::usage(format!("cannot read `{}`: {error}", file.display()))
                })?;
                let wrong = |error| CommandError::usage(format!("`{}`: {error}", file.display()));
                Prior::parse(words.trim()).map_err(wrong)?
            }
        };
        let asked = self.nd3min.is_some() || self.prior.is_some();
        if algorithm != "nd3min" {
            let wrong = || CommandError::usage("--nd3min and --prior are for --algorithm nd3min");
            return if asked { Err(wrong().into()) } else { Ok(None) };
        }
        let words = self.nd3min.as_deref().unwrap_or_default();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let progress = crate::cli::progress_line();
        let mut told = |share: f64| {
            if control.is_interrupted() {
                crate::cli::interrupt::leave();
            }
            progress.set_message(format!("solving the schedule, {:.0} %", share * 100.0));
        };
        let settings = Settings::parse(words, self.jobs.unwrap_or(1), prior, threads, &mut told)
            .map_err(|error| CommandError::usage(format!("--nd3min: {error}")));
        progress.finish();
        let settings = settings?;
        Ok(Some(Settings { always: asked, ..settings }))
    }
}

fn parse_label(word: &str) -> Result<Label, String> {
    Label::ALL.into_iter().find(|label| label.word() == word).ok_or_else(|| {
        let words = Label::ALL.map(Label::word);
        format!("{}; the labels are {}", unknown("label", word, words.into_iter()), words.join(", "))
    })
}
