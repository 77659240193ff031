//! How a shrink went, as it is kept beside the short trace.

use serde::{Deserialize, Serialize};

use crate::numbers::{counted, thousands, wilson};

/// How a shrink went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShrinkReport {
    /// The version of this format.
    pub format: u32,
    /// What the trace must still do: the failure's signature, or another goal in words.
    pub goal: String,
    /// The algorithm.
    pub algorithm: String,
    /// Events before; waits do not count.
    pub original: usize,
    /// Events after.
    pub minimal: usize,
    /// The algorithm began with the last so many events, those after the last restart, since they failed by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_with: Option<usize>,
    /// Runs of candidates, the certificate apart.
    pub runs: u64,
    /// Events done in them.
    pub events: u64,
    /// The longest chain of runs that had to wait for each other; as many as the runs where there is one device.
    #[serde(default)]
    pub rounds: u64,
    /// Candidates that were not run, since known steps foretold that they do not reproduce.
    #[serde(default)]
    pub skipped: u64,
    /// Candidates of which that was foretold too, and which were run all the same, as a sample.
    #[serde(default)]
    pub rechecked: u64,
    /// Those of the sample that did reproduce: they were foretold wrongly.
    #[serde(default)]
    pub wrong: u64,
    /// Sets of events that CHARD's rules proposed to delete.
    #[serde(default)]
    pub proposed: u64,
    /// Those of them that could not be deleted.
    #[serde(default)]
    pub refuted: u64,
    /// How it ended, in a word or two.
    pub ended: String,
    /// The failure was seen again at least once.
    pub reproduced: bool,
    /// The device states that it always does the same, so that one silent run is proof.
    #[serde(default)]
    pub certain: bool,
    /// How often the result was run in the end.
    pub certificate_runs: u32,
    /// How often it failed as it should.
    pub certificate_hits: u32,
    /// How often the original was run, where chance has a part in it.
    #[serde(default)]
    pub original_runs: u32,
    /// How often it failed as it should.
    #[serde(default)]
    pub original_hits: u32,
    /// How often the result was run on a device as new, where devices wear; the certificate is of these runs then.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub new_runs: u32,
    /// How often it was run on a device that other runs have used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub used_runs: u32,
    /// How often it failed as it should there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub used_hits: u32,
    /// What happened instead, if it never failed as it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// What ND3MIN found out, where it was the algorithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nd3min: Option<Nd3MinReport>,
}

/// The columns of ND3MIN's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nd3MinReport {
    /// Runs of the original in its check.
    pub original_runs: usize,
    /// Those of them that met the goal.
    pub original_hits: usize,
    /// The original did too badly to be minimised.
    pub refused: bool,
    /// Schedules that were run.
    pub steps: u64,
    /// Runs of the result in its check.
    pub check_runs: usize,
    /// c: those of them that met the goal.
    pub check_hits: usize,
    /// p1, truncated: the probability in percent that the result meets the goal in 85 of 100 runs.
    pub good_percent: u8,
    /// p2, truncated: the probability in percent that no event can be left out.
    pub minimal_percent: u8,
}

impl Nd3MinReport {
    /// The report in one line, with the paper's `c (p1/p2)`.
    fn line(&self, cut: bool) -> String {
        let Self { original_runs, original_hits, steps, .. } = self;
        if *original_runs == 0 {
            return "nd3min: it ended before the original was checked".to_owned();
        }
        let start = format!(
            "nd3min: the original does it in {original_hits} of {}",
            counted(*original_runs as u64, "run")
        );
        if self.refused {
            let but = if cut { " but what came after it in all of them" } else { "" };
            return format!(
                "{start}, which is too seldom for it to delete anything{but}; --algorithm pathfirst also shrinks what \
                 fails seldom, and --nd3min least=N asks for less"
            );
        }
        let percent = |percent: u8| f64::from(percent) / 100.0;
        let (good, minimal) = (percent(self.good_percent), percent(self.minimal_percent));
        let (hits, runs) = (self.check_hits, self.check_runs);
        let runs_of_it = counted(*steps, "step");
        match runs {
            // One run tells everything on a device that always does the same, and a shrink may end before its check.
            0 => format!("{start}; {runs_of_it}; the result was not checked again"),
            _ => format!("{start}; {runs_of_it}; check {hits} of {runs} ({good:.2}/{minimal:.2})"),
        }
    }
}

impl ShrinkReport {
    /// What ND3MIN found out, in one line.
    pub fn nd3min_line(&self) -> Option<String> {
        Some(self.nd3min.as_ref()?.line(self.minimal < self.original))
    }

    /// How the result came about, in a sentence.
    pub fn how(&self) -> String {
        let runs = counted(self.runs, "run");
        let early = if self.is_done() { String::new() } else { format!(" ({})", self.ended) };
        if self.minimal == self.original && !self.is_done() {
            return format!(
                "Not shrunk from its {} with {} in {runs}{early}.",
                counted(self.original as u64, "event"),
                self.algorithm
            );
        }
        format!(
            "Shrunk from {} events to {} with {} in {runs}{early}.",
            thousands(self.original as u64),
            thousands(self.minimal as u64),
            self.algorithm
        )
    }

    /// Of two results for one failure the other is rather to be relied on, however long it is: it fails more often, and not
    /// only by chance; or chance has a part, and only the other shrink has come to its end, or this result was hardly tried.
    pub fn holds_less_than(&self, other: &Self) -> bool {
        let ((_, most), (least, _)) = (self.interval(), other.interval());
        let by_chance = self.has_chance() || other.has_chance();
        let hardly_tried = self.tried() * 2 < other.tried().min(Self::WELL_TRIED);
        most < least || by_chance && (!self.is_done() && other.is_done() || hardly_tried)
    }

    /// Of two results for one failure this is the one to keep: it is shorter and keeps as much of the other's rate as a result
    /// must keep of its original's; or it is as long, and nobody knew of the other whether it can be shorter; or it is
    /// rather to be relied on.
    pub fn is_better_than(&self, other: &Self) -> bool {
        let shorter = self.minimal < other.minimal && self.share() >= Self::KEPT_SHARE * other.share();
        let finishes = self.minimal == other.minimal && self.is_done() && !other.is_done();
        !self.holds_less_than(other) && (shorter || finishes || other.holds_less_than(self))
    }

    /// The 95 % interval of how often the result fails.
    fn interval(&self) -> (f64, f64) {
        wilson(self.certificate_hits, self.certificate_runs)
    }

    /// How often the result was run, on devices as new and on used ones.
    fn tried(&self) -> u32 {
        self.certificate_runs + self.used_runs
    }

    /// In which share of its runs the result failed.
    fn share(&self) -> f64 {
        f64::from(self.certificate_hits) / f64::from(self.certificate_runs.max(1))
    }

    /// Chance has a part in it.
    fn has_chance(&self) -> bool {
        self.original_runs > 0 || self.certificate_hits < self.certificate_runs
    }

    /// So many runs without a failure tell that it is gone: if it still failed as often as its certificate says, that many
    /// would be silent in one case of twenty at the most.
    pub fn runs_to_tell(&self) -> u32 {
        const CHANCE: f64 = 0.05;
        const MOST: u32 = 1_000;
        if self.certain || self.certificate_runs == 0 {
            return 1;
        }
        let silent = 1.0 - f64::from(self.certificate_hits) / f64::from(self.certificate_runs.max(1));
        let mut runs = 1;
        while runs < MOST && silent.powf(f64::from(runs)) > CHANCE {
            runs += 1;
        }
        runs
    }

    /// More runs than these do not make another result one that was hardly tried.
    const WELL_TRIED: u32 = 20;
    /// The share of another trace's rate that a shorter one must keep to stand for it.
    pub const KEPT_SHARE: f64 = 0.85;
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;
    /// [`ShrinkReport::ended`] of a shrink that had nothing more to try.
    pub const DONE: &'static str = "done";

    /// Silence on new devices is taken for evidence only if a failure of the app, as frequent as it was on the used ones,
    /// would be silent so often with at most this probability.
    const CHANCE_OF_SILENCE: f64 = 0.01;

    /// Why it is the device's fault and not the app's, if it is: it shows only on a device that other runs have used.
    pub fn hosts_fault(&self) -> Option<String> {
        let silent_on_used = 1.0 - f64::from(self.used_hits) / f64::from(self.used_runs.max(1));
        let by_chance = silent_on_used.powf(f64::from(self.new_runs));
        // A shrink that ended early has not tried the whole original on new devices.
        let only_used = self.is_done()
            && self.new_runs > 0
            && self.certificate_hits == 0
            && self.used_hits > 0
            && by_chance < Self::CHANCE_OF_SILENCE;
        only_used.then(|| {
            format!(
                "it shows only on a device that other runs have used: in {} of {} there, in none of {} on a new one",
                self.used_hits, counted(self.used_runs.into(), "run"), self.new_runs
            )
        })
    }

    /// Every event of the result was tried to be left out and is needed: it came to its end, and not with a pass that only
    /// deletes what rules name.
    pub fn is_minimal(&self) -> bool {
        const ONLY_RULES: &str = "ineffective";
        let refused = self.nd3min.is_some_and(|found| found.refused);
        self.reproduced && self.is_done() && !refused && self.algorithm != ONLY_RULES
    }

    /// It had nothing more to try.
    pub fn is_done(&self) -> bool {
        self.ended == Self::DONE
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nd3min_tells_a_check_only_if_there_was_one() {
        let report = Nd3MinReport {
            original_runs: 20,
            original_hits: 19,
            refused: false,
            steps: 31,
            check_runs: 20,
            check_hits: 20,
            good_percent: 99,
            minimal_percent: 91,
        };
        let whole = "nd3min: the original does it in 19 of 20 runs; 31 steps; check 20 of 20 (0.99/0.91)";
        assert_eq!(report.line(false), whole);
        // One run tells everything where the device always does the same.
        let once =
            Nd3MinReport { original_runs: 1, original_hits: 1, check_runs: 0, check_hits: 0, ..report };
        let told = "nd3min: the original does it in 1 of 1 run; 31 steps; the result was not checked again";
        assert_eq!(once.line(false), told);
        let interrupted = Nd3MinReport { original_runs: 0, original_hits: 0, ..once };
        assert_eq!(interrupted.line(false), "nd3min: it ended before the original was checked");
        let refused = Nd3MinReport { original_hits: 12, refused: true, ..report };
        assert!(refused.line(false).contains("too seldom for it to delete anything;"));
        // What comes after the failure in every run is left out by the table, too.
        assert!(refused.line(true).contains("delete anything but what came after it in all of them;"));
    }
    fn result(minimal: usize, hits: u32, runs: u32, ended: &str) -> ShrinkReport {
        let report = serde_json::json!({
            "format": 1, "goal": "g", "algorithm": "ddmin", "original": 6, "minimal": minimal, "runs": 1, "events": 1,
            "ended": ended, "reproduced": true, "certificate_runs": runs, "certificate_hits": hits
        });
        serde_json::from_value(report).expect("a report")
    }

    #[test]
    fn what_fails_clearly_less_often_or_was_not_finished_by_chance_holds_less() {
        let certified = result(4, 20, 20, ShrinkReport::DONE);
        let lucky = result(2, 2, 3, "out of runs");
        assert!(lucky.holds_less_than(&certified) && !certified.holds_less_than(&lucky));
        // On a device that always does the same a shorter trace is better, however its shrink ended.
        let short = result(2, 3, 3, "out of runs");
        assert!(!short.holds_less_than(&certified) && !certified.holds_less_than(&short));
        let flaky = ShrinkReport { original_runs: 20, original_hits: 18, ..certified };
        assert!(short.holds_less_than(&flaky) && !flaky.holds_less_than(&short));
        // What chance may have done decides nothing: the shorter one stays.
        let (two, five) = (result(2, 13, 23, ShrinkReport::DONE), result(5, 16, 20, ShrinkReport::DONE));
        assert!(!two.holds_less_than(&five) && !five.holds_less_than(&two));
        let seldom = result(2, 4, 20, ShrinkReport::DONE);
        assert!(seldom.holds_less_than(&five) && !five.holds_less_than(&seldom));
        // One lucky run is no reason to give up twenty, whether they came to an end or not.
        let (lucky, begun) = (result(6, 1, 1, "interrupted"), result(4, 15, 20, "out of runs"));
        assert!(lucky.holds_less_than(&begun) && !begun.holds_less_than(&lucky));
    }

    #[test]
    fn neither_a_shorter_one_that_seems_to_fail_less_nor_a_longer_one_that_was_luckier_takes_the_place_of_another()
     {
        let (four, five) = (result(4, 20, 46, ShrinkReport::DONE), result(5, 14, 20, ShrinkReport::DONE));
        assert!(!four.is_better_than(&five) && !five.is_better_than(&four));
        let almost = result(4, 13, 20, ShrinkReport::DONE);
        assert!(almost.is_better_than(&five) && !five.is_better_than(&almost));
    }

    #[test]
    fn of_two_that_are_as_long_the_finished_one_is_kept() {
        let (begun, done) = (result(14, 1, 1, "interrupted"), result(14, 3, 3, ShrinkReport::DONE));
        assert!(done.is_better_than(&begun) && !begun.is_better_than(&done));
        assert!(!done.is_better_than(&done), "nothing is written again for nothing");
        let shorter = result(13, 1, 1, "interrupted");
        assert!(shorter.is_better_than(&done) && !done.is_better_than(&shorter));
        // On a JVM few runs are on a device as new, and those on used ones count, too.
        let begun = ShrinkReport { original_runs: 3, original_hits: 3, ..result(1, 11, 11, "interrupted") };
        let done = ShrinkReport { original_runs: 3, original_hits: 3, ..result(1, 3, 3, ShrinkReport::DONE) };
        assert!(!done.is_better_than(&begun), "three runs are few");
        let done = ShrinkReport { new_runs: 3, used_runs: 20, used_hits: 20, ..done };
        assert!(done.is_better_than(&begun) && !begun.is_better_than(&done));
    }

    #[test]
    fn so_many_silent_runs_tell_that_a_failure_is_gone() {
        assert_eq!(result(2, 3, 3, ShrinkReport::DONE).runs_to_tell(), 1);
        assert_eq!(result(2, 10, 20, ShrinkReport::DONE).runs_to_tell(), 5);
        assert_eq!(result(2, 2, 20, ShrinkReport::DONE).runs_to_tell(), 29);
        assert_eq!(result(2, 0, 20, ShrinkReport::DONE).runs_to_tell(), 1_000);
        assert_eq!(result(2, 0, 0, "interrupted").runs_to_tell(), 1, "nobody knows how often it fails");
    }

    #[test]
    fn a_shrink_that_left_everything_is_not_called_one() {
        let left = result(6, 1, 1, "out of runs");
        assert_eq!(left.how(), "Not shrunk from its 6 events with ddmin in 1 run (out of runs).");
        let shrunk = result(2, 3, 3, ShrinkReport::DONE);
        assert_eq!(shrunk.how(), "Shrunk from 6 events to 2 with ddmin in 1 run.");
        let long = ShrinkReport { original: 20_000, minimal: 1_198, ..shrunk };
        assert_eq!(long.how(), "Shrunk from 20,000 events to 1,198 with ddmin in 1 run.");
    }
}
