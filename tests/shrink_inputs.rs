//! What people hand to `siamang shrink` and `siamang replay`: traces of other apps, flaky ones, broken ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/hand.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod hand;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod recorded;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use hand::Hand;
use recorded::Recorded;
use siamang::campaign::runner::Runner;
use siamang::device::virtual_device::compile;
use siamang::device::{AnyDevice, VirtualDevice};
use siamang::seed::Seed;
use siamang::shrink::Verdict;
use siamang::shrink::goal::Goal;
use siamang::shrink::registry::ALGORITHMS;
use siamang::trace::Trace;

/// "Odd" fails in a way that the app swallows, and its screen leads back; "Bad" fails for good, but only after "Odd" has.
const SWALLOWS: &str = r#"
name = "Swallows"
package = "org.siamang.swallows"
start = "MainActivity"

[data.process]
odd = false

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", id = "plain", text = "Plain", tap = { toast = "Nothing" } },
  { type = "button", id = "odd", text = "Odd", tap = { do = "odd = true", fail = "odd" } },
  { type = "button", id = "bad", text = "Bad", tap = [{ if = "odd", fail = "bad" }, { toast = "Not yet" }] },
]

[[activity]]
name = "SorryActivity"
title = "Sorry"
widget = [{ type = "button", id = "again", text = "Again", tap = { finish = true, start = "MainActivity" } }]

[failure.odd]
kind = "swallowed"
exception = "java.text.ParseException"
message = "odd"
stack = ["Main.odd:1"]
screen = "SorryActivity"

[failure.bad]
exception = "java.lang.IllegalStateException"
message = "bad"
stack = ["Main.bad:2"]
"#;

/// Tapping "Toss" opens another activity every other time.
const FICKLE: &str = r#"
name = "Fickle"
package = "org.siamang.fickle"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", id = "toss", text = "Toss", tap = [{ chance = 0.5, start = "OtherActivity" }, { toast = "Heads" }] },
]

[[activity]]
name = "OtherActivity"
title = "Other"
"#;

/// Tapping "Toss" fails four times in five.
const FLAKY: &str = r#"
name = "Flaky"
package = "org.siamang.flaky"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", id = "plain", text = "Plain", tap = { toast = "Nothing" } },
  { type = "button", id = "toss", text = "Toss", tap = [{ chance = 0.8, fail = "tails" }, { toast = "Heads" }] },
]

[failure.tails]
exception = "java.lang.IllegalStateException"
message = "tails"
stack = ["Main.toss:1"]
"#;

/// A hand at an app whose model is in a folder.
fn recorded(folder: &Path, model: &str) -> Recorded {
    let target = folder.join("app.toml");
    std::fs::write(&target, model).unwrap();
    Recorded::of(Hand::new(model), model, target.to_str().unwrap())
}

/// A trace of taps on what is labelled so.
fn tapped(folder: &Path, model: &str, labels: &[&str]) -> Trace {
    recorded(folder, model).taps(labels)
}

fn written(trace: &Trace, folder: &Path) -> String {
    let path = folder.join("trace.json");
    trace.write(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

fn siamang(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1");
    command.output().unwrap()
}

/// Exit code, stdout and stderr.
fn said(arguments: &[&str]) -> (i32, String, String) {
    let output = siamang(arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!err.contains("panicked"), "{err}");
    (output.status.code().unwrap(), out, err)
}

#[test]
fn a_replay_goes_on_after_a_failure_that_the_app_swallowed() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Plain", "Bad"]);
    let failure = trace.failure.clone().unwrap();
    assert!(failure.to_string().contains("IllegalState"), "the last failure counts: {failure}");
    let app = Arc::new(compile::load(SWALLOWS).unwrap());
    let device = AnyDevice::Virtual(Box::new(VirtualDevice::new(app, Seed(1))));
    let mut runner = Runner::new(device, Goal::Failure(failure));
    let record = runner.run(&trace, &|| false);
    assert_eq!((record.verdict, record.events), (Verdict::Reproduced, 5));
    // Without the real one at its end, it says what happened instead.
    let cut = Trace { events: trace.events[..4].to_vec(), ..trace.clone() };
    let record = runner.run(&cut, &|| false);
    assert!(matches!(record.verdict, Verdict::OtherFailure(_)), "{:?}", record.verdict);
    assert_eq!(record.events, 4);
    // And so it can be shrunk: what was swallowed is needed and stays.
    let out = folder.path().join("short.json");
    let (code, table, _) = said(&["shrink", &written(&trace, folder.path()), "--out", out.to_str().unwrap()]);
    assert_eq!(code, 1, "{table}");
    let short = Trace::read(&out).unwrap();
    let names: Vec<_> = short.events.iter().map(|event| event.target.clone().unwrap().text).collect();
    assert_eq!(names, ["Odd", "Again", "Bad"]);
}

#[test]
fn a_trace_of_another_app_is_refused_and_one_of_another_version_is_run_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Odd", "Again", "Bad"]);
    let file = written(&trace, folder.path());
    let (code, out, err) = said(&["shrink", &file, "--target", "models/notes.toml"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("was recorded on org.siamang.swallows") && err.contains("--target"), "{err}");
    std::fs::write(folder.path().join("app.toml"), SWALLOWS.replace("Nothing", "Nothing at all")).unwrap();
    let (code, out, err) = said(&["shrink", &file]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("another version of org.siamang.swallows"), "{err}");
}

#[test]
fn a_trace_that_never_reproduces_ends_with_exit_code_4_and_says_what_happened_instead() {
    let folder = tempfile::tempdir().unwrap();
    let full = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Bad"]);
    let nothing = Trace { events: full.events[..1].to_vec(), ..full.clone() };
    let (code, out, _) = said(&["shrink", &written(&nothing, folder.path())]);
    assert_eq!(code, 4, "{out}");
    assert!(out.contains("not reproduced in 1 run; all events were done, and nothing failed"), "{out}");
    let other = Trace { events: full.events[..2].to_vec(), ..full.clone() };
    let (code, out, _) = said(&["shrink", &written(&other, folder.path())]);
    assert_eq!(code, 4, "{out}");
    assert!(out.contains("another failure came first") && out.contains("ParseException"), "{out}");
}

#[test]
fn a_flaky_trace_says_how_often_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    // The hand's device tosses too: until it fails once.
    let taps = ["Plain", "Toss", "Toss", "Toss", "Toss", "Toss", "Toss", "Toss"];
    let lengths = 2..=taps.len();
    let trace =
        lengths.map(|length| tapped(folder.path(), FLAKY, &taps[..length])).find(|t| t.failure.is_some());
    let (code, out, _) = said(&["shrink", &written(&trace.unwrap(), folder.path())]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("flaky, what pathfirst left fails in") && out.contains("95 % interval"), "{out}");
}

/// A flaky trace may fail before its end, and where it fails is looked at for some runs: whoever has no more of them has seen
/// that it reproduces.
#[test]
fn a_flaky_trace_that_failed_before_its_end_has_reproduced_however_soon_the_runs_are_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut hand = recorded(folder.path(), FLAKY);
    hand.tap("Plain");
    while hand.trace.failure.is_none() {
        hand.tap("Toss");
    }
    let mut trace = hand.trace;
    let toss = trace.events[1].clone();
    trace.events.extend(std::iter::repeat_n(toss, 12));
    let events = trace.events.len() as u64;
    let file = written(&trace, folder.path());
    for runs in ["1", "2", "3"] {
        let (code, out, _) = said(&["shrink", &file, "--max-runs", runs]);
        assert_eq!(code, 1, "{out}");
        assert!(out.contains("out of runs") && !out.contains("not reproduced"), "{out}");
        let (_, out, _) = said(&["shrink", &file, "--max-runs", runs, "--json"]);
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let count = |what: &str| report[0][what].as_u64().unwrap();
        assert_eq!((count("original"), count("minimal")), (events, events), "{report}");
        assert!(count("certificate_hits") >= 15 && count("certificate_runs") == 20, "{report}");
    }
}

#[test]
fn truncated_and_garbage_traces_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&tapped(folder.path(), SWALLOWS, &["Odd", "Again", "Bad"]), folder.path());
    let whole = std::fs::read(&file).unwrap();
    let lies = String::from_utf8(whole.clone()).unwrap().replacen("\"format\"", "\"form\"", 1).into_bytes();
    let half = whole[..whole.len() / 2].to_vec();
    for broken in [half, Vec::new(), b"\xff\xfe\0garbage".to_vec(), b"[1, 2, 3]".to_vec(), lies] {
        std::fs::write(&file, &broken).unwrap();
        for command in ["shrink", "replay"] {
            let (code, out, err) = said(&[command, &file]);
            assert_eq!((code, out.as_str()), (2, ""), "{command} {broken:?}: {err}");
            assert!(err.contains("trace.json") && err.trim().lines().count() == 1, "{err}");
        }
    }
}

#[test]
fn a_budget_of_one_run_keeps_the_best_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Plain", "Bad"]);
    let out = folder.path().join("short.json");
    let (code, table, _) =
        said(&["shrink", &written(&trace, folder.path()), "--max-runs", "1", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 1, "{table}");
    assert!(table.contains("out of runs"), "{table}");
    assert_eq!(Trace::read(&out).unwrap().events.len(), 5);
}

#[test]
fn a_trace_without_events_does_not_keep_the_others_from_being_looked_at_without_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Bad"]);
    let empty = folder.path().join("empty.json");
    Trace { events: Vec::new(), failure: None, ..trace.clone() }.write(&empty).unwrap();
    let (empty, file) = (empty.to_str().unwrap(), written(&trace, folder.path()));
    for (more, word) in [(None, "ancestors"), (Some("--json"), "\"ancestors\"")] {
        let arguments: Vec<&str> = ["shrink", "--static", empty, &file].into_iter().chain(more).collect();
        let (code, out, err) = said(&arguments);
        assert_eq!(code, 2, "{out}{err}");
        assert!(out.contains(word) && err.contains("the trace has no events"), "{out}{err}");
    }
}

#[test]
fn what_needs_a_device_is_refused_where_nothing_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Bad"]), folder.path());
    for options in [
        &["--algorithm", "ddmin"][..],
        &["--jobs", "4"],
        &["--goal", "activity:Main"],
        &["--max-runs", "3"],
        &["--rules-first"],
        &["--whole"],
        &["--seed", "7"],
        &["--target", "models/notes.toml"],
    ] {
        let (code, out, err) = said(&[&["shrink", &file, "--static"], options].concat());
        assert_eq!(code, 2, "{options:?}: {out}{err}");
        assert!(err.contains("cannot be used with") && err.contains(options[0]), "{err}");
    }
    let (code, out, err) = said(&["shrink", &file, "--static", "--label", "activity", "--theta", "0.5"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn the_app_of_a_trace_is_found_from_another_folder() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Plain", "Bad"]);
    let runs = folder.path().join("runs/first");
    std::fs::create_dir_all(&runs).unwrap();
    let file = written(&Trace { target: "app.toml".to_owned(), ..trace.clone() }, &runs);
    let (code, out, err) = said(&["replay", &file]);
    assert_eq!(code, 1, "the app lies two folders above the trace: {out}{err}");
    let file = written(&Trace { target: "gone/app.toml".to_owned(), ..trace }, &runs);
    let (code, _, err) = said(&["replay", &file]);
    assert_eq!(code, 2);
    assert!(
        err.contains("recorded on `gone/app.toml`, which is not here") && err.contains("--target"),
        "{err}"
    );
}

#[test]
fn a_goal_that_nothing_is_called_by_is_refused_with_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Bad"]);
    let file = written(&trace, folder.path());
    let (code, out, err) = said(&["shrink", &file, "--goal", "activity:SoryActivity"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(
        err.contains("there is no activity `SoryActivity`; known are SorryActivity, MainActivity"),
        "{err}"
    );
    let (code, _, err) = said(&["shrink", &file, "--goal", "branch:nothing"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no branch of this app") && err.contains("known are"), "{err}");
    let (code, out, _) = said(&["shrink", &file, "--goal", "activity:SorryActivity"]);
    assert_eq!(code, 1, "{out}");
    // It is there, but this trace does not lead to it.
    let plain = Trace { events: trace.events[..1].to_vec(), ..trace };
    let (code, out, _) =
        said(&["shrink", &written(&plain, folder.path()), "--goal", "activity:SorryActivity"]);
    assert_eq!(code, 4, "{out}");
    assert!(out.contains("all events were done, and nothing but MainActivity was seen"), "{out}");
}

#[test]
fn every_algorithm_reaches_every_sort_of_goal_and_one_table_compares_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut hand = recorded(folder.path(), SWALLOWS);
    hand.tap_at(5, 5).tap_at(5, 5).tap("Odd").tap("Again").tap_at(5, 5).tap("Plain").tap("Bad");
    let trace = hand.trace;
    let file = written(&trace, folder.path());
    let sorry = &trace.events[2];
    let branch = sorry.rules.as_ref().and_then(|rules| rules.first()).unwrap().0;
    let screen = sorry.after.as_ref().unwrap().tree;
    let reaching = [format!("screen:{screen}"), format!("branch:{branch}"), "activity:SorryActivity".into()];
    let goals = reaching.iter().map(|goal| (goal.as_str(), 1)).chain([("failure", 3)]);
    for (goal, shortest) in goals {
        let (code, out, err) = said(&["shrink", &file, "--all-algorithms", "--json", "--goal", goal]);
        assert_eq!(code, 1, "{goal}: {out}{err}");
        let reports: serde_json::Value = serde_json::from_str(&out).unwrap();
        let reports = reports.as_array().unwrap();
        assert_eq!(reports.len(), ALGORITHMS.len());
        for (report, algorithm) in reports.iter().zip(ALGORITHMS) {
            assert_eq!((&report["algorithm"], &report["reproduced"]), (&algorithm.name.into(), &true.into()));
            assert_eq!(report["minimal"], shortest, "{goal}: {report}");
            assert_eq!(report["rounds"], report["runs"], "one device: {report}");
        }
    }
    let (_, table, _) = said(&["shrink", &file, "--all-algorithms"]);
    for algorithm in ALGORITHMS {
        let row = table.lines().find(|line| line.contains(&format!(" {} ", algorithm.name)));
        assert!(row.is_some_and(|row| row.ends_with("3/3")), "{table}");
    }
    assert!(!table.contains("rounds"), "{table}");
}

#[test]
fn many_devices_have_their_rounds_counted() {
    let folder = tempfile::tempdir().unwrap();
    let taps = ["Plain", "Plain", "Plain", "Odd", "Again", "Plain", "Plain", "Plain", "Bad"];
    let file = written(&tapped(folder.path(), SWALLOWS, &taps), folder.path());
    let arguments = ["shrink", &file, "--algorithm", "ddmin", "--jobs", "4"];
    let (_, out, _) = said(&[&arguments[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let count = |what: &str| report[0][what].as_u64().unwrap();
    assert!(0 < count("rounds") && count("rounds") < count("runs"), "{report}");
    let (_, table, _) = said(&arguments);
    assert!(table.contains("runs  rounds"), "{table}");
}

/// Three walks on which the failure needs what is off the way to it: many candidates that cannot fail are foretold.
#[test]
fn what_was_foretold_and_not_run_is_told_with_its_errors() {
    let folder = tempfile::tempdir().unwrap();
    let mut saved = 0;
    for seed in ["1", "2", "3"] {
        let run = folder.path().join(seed);
        let run = run.to_str().unwrap();
        let walk =
            ["--strategy", "random", "--steps", "1500", "--shrink", "no", "--seed", seed, "--out", run];
        assert_eq!(said(&[&["explore", "models/data_off_path.toml"], &walk[..]].concat()).0, 1);
        let shrink = ["shrink", &format!("{run}/crashes"), "--algorithm", "pathfirst"];
        let (_, out, _) = said(&[&shrink[..], &["--json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let count = |what: &str| report[0][what].as_u64().unwrap();
        let (skipped, rechecked, wrong) = (count("skipped"), count("rechecked"), count("wrong"));
        assert!(wrong <= rechecked, "{report}");
        saved += skipped;
        let (_, table, _) = said(&shrink);
        assert_eq!(table.contains("foretold that they do not reproduce"), skipped > 0, "{table}\n{report}");
        let given_up = skipped == 0 && wrong > 0;
        assert_eq!(table.contains("foretelling was given up"), given_up, "{table}\n{report}");
    }
    assert!(saved > 0, "no run was saved");
}

#[test]
fn a_replay_on_a_changed_app_names_the_event_after_which_the_screen_was_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Bad"]);
    let file = written(&trace, folder.path());
    let changed = SWALLOWS.replace("IllegalState", "IllegalArgument");
    std::fs::write(folder.path().join("app.toml"), changed.replace("title = \"Sorry\"", "title = \"Oh\""))
        .unwrap();
    let (code, out, _) = said(&["replay", &file]);
    assert_eq!(code, 4, "{out}");
    assert!(out.contains("another failure came first: java IllegalArgument"), "{out}");
    assert!(out.contains("the screen was another one after event 2 (tap \"Odd\""), "{out}");
    let (_, out, _) = said(&["replay", &file, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(report[0]["diverged_after"].as_str().unwrap().starts_with("event 2 (tap \"Odd\""), "{out}");
    // Where the screens are the recorded ones, no event is named.
    std::fs::write(folder.path().join("app.toml"), changed).unwrap();
    let (_, out, _) = said(&["replay", &file]);
    assert!(out.contains("another failure came first") && !out.contains("another one after"), "{out}");
}

/// A test of a CI server fails exactly where `replay --junit` does not end with 0.
#[test]
fn the_exit_code_of_a_replay_as_a_test_is_that_of_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("replay.xml");
    let junit = junit.to_str().unwrap();
    let tested = |file: &str, times: &str| {
        let (code, out, _) = said(&["replay", file, "--times", times, "--junit", junit]);
        let report = std::fs::read_to_string(junit).unwrap();
        assert_eq!(code != 0, report.contains("<failure"), "exit code {code}: {out}{report}");
        (code, out)
    };
    let failing = tapped(folder.path(), SWALLOWS, &["Plain", "Odd", "Again", "Bad"]);
    let file = written(&failing, folder.path());
    assert_eq!(tested(&file, "1").0, 1);
    // A failure that is gone passes as a test; whoever only asks for it hears that it did not reproduce.
    let fixed = Trace { events: failing.events[..1].to_vec(), ..failing };
    let file = written(&fixed, folder.path());
    assert_eq!(tested(&file, "1").0, 0);
    assert_eq!(said(&["replay", &file]).0, 4);
    // A trace without a failure that goes as recorded now and then does not go as recorded.
    let file = written(&tapped(folder.path(), FICKLE, &["Toss"]), folder.path());
    let (code, out) = tested(&file, "20");
    assert!(!out.contains("in 0 of 20") && !out.contains("in 20 of 20"), "now and then: {out}");
    assert_eq!(code, 4, "{out}");
    // If the app fails in it, that is a failure, whoever recorded none.
    let heads = |length: usize| tapped(folder.path(), FLAKY, &["Toss"].repeat(length));
    let file = written(&Trace { failure: None, ..heads(1) }, folder.path());
    let (code, out) = tested(&file, "20");
    assert!(code == 1 && out.contains(": the app failed: "), "{code}: {out}");
    let plain = Trace { failure: None, ..tapped(folder.path(), FLAKY, &["Plain"]) };
    assert_eq!(tested(&written(&plain, folder.path()), "3").0, 0);
}

#[test]
fn a_script_that_crashes_the_app_is_not_called_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let failing = tapped(folder.path(), SWALLOWS, &["Odd", "Again", "Bad"]);
    let bare =
        |event: &siamang::trace::TraceEvent| siamang::trace::TraceEvent { after: None, ..event.clone() };
    let events = failing.events.iter().map(bare).collect();
    let mut script = Trace { failure: None, events, ..failing };
    let (code, out, err) = said(&["replay", &written(&script, folder.path())]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("done without a failure in 0 of 1 run "), "{out}");
    assert!(out.contains("instead: the app failed: java IllegalStateException"), "{out}");
    // A script of which nothing is known but its events, and in which nothing fails.
    script.events = tapped(folder.path(), SWALLOWS, &["Plain"]).events.iter().map(bare).collect();
    let (code, out, err) = said(&["replay", &written(&script, folder.path())]);
    assert_eq!((code, out.contains("done without a failure in 1 of 1 run ")), (0, true), "{out}{err}");
}

#[test]
fn a_log_of_monkey_is_replayed_and_shrunk_on_the_app_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut hand = recorded(folder.path(), SWALLOWS);
    hand.tap("Plain").tap("Odd").tap("Again").tap_at(5, 5).tap("Bad");
    let app = hand.trace.target.clone();
    let mut log = String::from(":Monkey: seed=1 count=5\n:AllowPackage: org.siamang.swallows\n");
    log.push_str(":Switch: #Intent;action=android.intent.action.MAIN;component=org.siamang.swallows/.MainActivity;end\n");
    for event in &hand.trace.events {
        let point = event.input.point().unwrap();
        for action in ["ACTION_DOWN", "ACTION_UP"] {
            writeln!(log, ":Sending Touch ({action}): 0:({}.0,{}.0)", point.x, point.y).unwrap();
        }
        log.push_str("Sleeping for 500 milliseconds\n");
    }
    log.push_str(
        "// CRASH: org.siamang.swallows (pid 9)\n// Short Msg: java.lang.IllegalStateException\n// Long Msg: \
         java.lang.IllegalStateException: bad\n// java.lang.IllegalStateException: bad\n// \tat org.siamang.swallows.Main.bad(Main.java:2)\n//\n",
    );
    let file = folder.path().join("monkey.txt");
    std::fs::write(&file, log).unwrap();
    let file = file.to_str().unwrap();
    let (code, out, err) = said(&["replay", file, "--target", &app, "--times", "2"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("in 2 of 2 runs"), "{out}");
    let short = folder.path().join("short.json");
    let (code, out, err) = said(&["shrink", file, "--target", &app, "--out", short.to_str().unwrap()]);
    assert_eq!(code, 1, "{out}{err}");
    // What is left names its widgets and its app, and runs by itself.
    let left = Trace::read(&short).unwrap();
    let names: Vec<_> = left.events.iter().map(|event| event.target.clone().unwrap().text).collect();
    assert_eq!(names, ["Odd", "Again", "Bad"]);
    assert_eq!((left.target, left.device.as_str()), (app, "virtual"));
    let (code, out, err) = said(&["replay", short.to_str().unwrap()]);
    assert_eq!(code, 1, "{out}{err}");
}

#[test]
fn a_folder_of_traces_stands_for_each_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tapped(folder.path(), SWALLOWS, &["Odd", "Again", "Bad"]);
    let traces = folder.path().join("traces");
    std::fs::create_dir_all(traces.join("more")).unwrap();
    for name in ["10.trace.json", "9.json", "more/1.json"] {
        trace.write(&traces.join(name)).unwrap();
    }
    std::fs::write(traces.join("package.json"), "{\"name\": \"none of ours\"}").unwrap();
    std::fs::write(traces.join("cut.json"), "{\"format\":1,\"package\":\"a.b\",").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(traces.join("9.json"), traces.join("link.trace.json")).unwrap();
    #[cfg(not(unix))]
    trace.write(&traces.join("link.trace.json")).unwrap();
    let place = traces.to_str().unwrap();
    let (code, out, err) = said(&["replay", place]);
    assert_eq!(code, 1, "{out}{err}");
    let files: Vec<&str> =
        out.lines().filter_map(|line| line.strip_prefix(place)?.split(':').next()).collect();
    assert_eq!(files, ["/9.json", "/10.trace.json", "/link.trace.json", "/more/1.json"], "{out}");
    assert!(err.contains("cut.json") && err.contains("left out") && !err.contains("package.json"), "{err}");
    let (code, out, err) = said(&["shrink", place, "--json"]);
    assert_eq!(code, 1, "{out}{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report.as_array().unwrap().len(), 4, "{out}");
    // A failure's folder that was copied beside them is one more, and keeps nothing else from being looked at.
    std::fs::create_dir(traces.join("copied")).unwrap();
    trace.write(&traces.join("copied/minimal.trace.json")).unwrap();
    let (code, out, err) = said(&["explain", place, "--json"]);
    assert_eq!(code, 0, "{out}{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report.as_array().unwrap().len(), 5, "{out}");
    let (_, out, err) = said(&["replay", place]);
    assert_eq!(out.matches(" in 1 of 1 run ").count(), 5, "{out}{err}");
}
