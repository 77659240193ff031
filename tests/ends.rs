//! How commands end where the app, the log or the user is not as one would wish: exit codes, reports and words agree.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/hand.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod hand;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod recorded;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use hand::Hand;
use recorded::Recorded;
use siamang::trace::Trace;

/// Fails when the button is tapped for the second time.
const TWICE: &str = r#"
name = "Twice"
package = "org.siamang.twice"
start = "Main"

[[activity]]
name = "Main"
title = "Twice"
data = { taps = 0 }

[[activity.widget]]
type = "button"
id = "count"
text = "Count"
tap = [{ if = "taps == 1", fail = "second" }, { do = "taps += 1" }]

[[activity.widget]]
type = "button"
id = "idle"
text = "Idle"
tap = { toast = "Nothing" }

[failure.second]
exception = "java.lang.IllegalStateException"
message = "second"
stack = ["Main.count:1"]
"#;

/// "Go" always fails after "Arm", and in three of ten runs without it.
const FLAKY: &str = r#"
name = "Flaky"
package = "org.siamang.flaky"
start = "Main"

[[activity]]
name = "Main"
title = "Flaky"
data = { armed = false }
widget = [
  { type = "button", id = "idle", text = "Idle" },
  { type = "button", id = "arm", text = "Arm", tap = { do = "armed = true" } },
  { type = "button", id = "go", text = "Go", tap = [{ if = "armed", fail = "gone" }, { chance = 0.3, fail = "gone" }] },
]

[failure.gone]
exception = "java.lang.IllegalStateException"
message = "gone"
stack = ["Main.go:1"]
"#;

/// Exit code, stdout and stderr.
fn said(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    let output = command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// The trace of these taps on the app that fails at the second, and its file beside the app's.
fn tapped(folder: &Path, labels: &[&str]) -> (Trace, String) {
    tapped_on(TWICE, folder, labels)
}

fn tapped_on(model: &str, folder: &Path, labels: &[&str]) -> (Trace, String) {
    let app = path(folder, "app.toml");
    std::fs::write(&app, model).unwrap();
    let trace = Recorded::of(Hand::new(model), model, &app).taps(labels);
    let file = path(folder, "trace.json");
    trace.write(Path::new(&file)).unwrap();
    (trace, file)
}

#[test]
fn a_test_of_a_failure_passes_only_if_everything_could_be_done_and_nothing_else_failed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), &["Count", "Idle", "Count"]);
    let junit = path(folder.path(), "junit.xml");
    let tested = |model: &str| {
        std::fs::write(folder.path().join("app.toml"), model).unwrap();
        let (code, out, err) = said(&["replay", &file, "--junit", &junit]);
        let report = std::fs::read_to_string(&junit).unwrap();
        assert_eq!(code != 0, report.contains("<failure"), "{code}: {out}{err}{report}");
        (code, report)
    };
    let mended = TWICE.replace("fail = \"second\"", "toast = \"Mended\"");
    let without_failures = mended.split("[failure.second]").next().unwrap();
    assert_eq!(tested(without_failures).0, 0);
    let (code, report) = tested(&TWICE.replace("IllegalState", "IllegalArgument"));
    assert_eq!(code, 1, "another failure is no mend: {report}");
    assert!(report.contains("java IllegalArgumentException"), "{report}");
    let (code, report) =
        tested(&without_failures.replace("text = \"Idle\"", "text = \"Idle\"\nvisible = \"false\""));
    assert_eq!(code, 4, "what could not be done shows nothing: {report}");
    assert!(report.contains("event 2 could not be done"), "{report}");
}

#[test]
fn an_app_that_cannot_be_started_is_no_app_without_failures() {
    let folder = tempfile::tempdir().unwrap();
    let app = path(folder.path(), "gone.toml");
    std::fs::write(&app, TWICE.replace("title = \"Twice\"", "title = \"Twice\"\ncreate = { finish = true }"))
        .unwrap();
    let run = path(folder.path(), "run");
    let (code, out, err) = said(&["explore", &app, "--steps", "50", "--out", &run]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(err.contains("the app cannot be started"), "{err}");
    let (code, ..) = said(&["report", &run, "--junit"]);
    assert_eq!(code, 0, "the report is all right");
    let report = std::fs::read_to_string(folder.path().join("run/junit.xml")).unwrap();
    assert!(report.contains("<failure") && report.contains("cannot be started"), "{report}");
}

#[test]
fn the_trace_that_shrink_writes_knows_that_each_of_its_events_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), &["Idle", "Count", "Idle", "Count"]);
    let short = path(folder.path(), "short.json");
    assert_eq!(said(&["shrink", &file, "--out", &short]).0, 1);
    let (_, out, err) = said(&["explain", &short]);
    assert!(
        out.contains("each of which is needed:") && out.contains("IllegalStateException: second"),
        "{out}{err}"
    );
    let (_, script, err) = said(&["explain", &short, "--script"]);
    assert_eq!(
        (script.matches("Tap(").count(), script.contains("not replayed")),
        (2, false),
        "{script}{err}"
    );
    // What nobody has run is not called a way.
    let (_, script, err) = said(&["explain", &file, "--script"]);
    assert!(script.contains("# not replayed: ") && err.contains("not replayed"), "{script}{err}");
}

/// The taps of a trace as Monkey's script.
fn script(folder: &Path, trace: &Trace) -> String {
    let mut script = String::from("type= user\ncount= 5\nspeed= 1.0\nstart data >>\n");
    writeln!(script, "LaunchActivity({0}, {0}.Main)\nUserWait(800)", trace.package).unwrap();
    for event in &trace.events {
        let point = event.input.point().unwrap();
        writeln!(script, "Tap({}.0, {}.0, 0)\nUserWait(800)", point.x, point.y).unwrap();
    }
    let file = path(folder, "taps.script");
    std::fs::write(&file, script).unwrap();
    file
}

#[test]
fn a_script_is_run_until_it_fails_and_one_that_never_does_is_not_reproduced() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, _) = tapped_on(FLAKY, folder.path(), &["Idle", "Go"]);
    let file = script(folder.path(), &trace);
    let app = path(folder.path(), "app.toml");
    for seed in ["1", "2", "3"] {
        let (code, out, err) = said(&["shrink", &file, "--target", &app, "--seed", seed]);
        assert_eq!(code, 1, "{out}{err}");
        assert!(out.contains("flaky, what pathfirst left fails in"), "{out}");
    }
    std::fs::write(&app, FLAKY.replace("chance = 0.3, fail = \"gone\"", "toast = \"Nothing\"")).unwrap();
    let (code, out, err) = said(&["shrink", &file, "--target", &app]);
    assert_eq!(code, 4, "{out}{err}");
    assert!(err.contains("no failure in 1 run; all events were done, and nothing failed"), "{err}");
}

#[test]
fn an_app_that_did_not_fail_once_without_an_event_is_not_said_to_need_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped_on(FLAKY, folder.path(), &["Idle", "Arm", "Idle", "Go"]);
    let short = path(folder.path(), "short.json");
    for seed in ["1", "2", "3"] {
        assert_eq!(said(&["shrink", &file, "--seed", seed, "--out", &short]).0, 1);
        let (_, out, err) = said(&["explain", &short]);
        assert!(!out.contains("each of which is needed:"), "{out}{err}");
    }
    let (_, json, err) = said(&["explain", &short, "--json"]);
    assert!(json.contains("as_tried"), "{json}{err}");
}

#[test]
fn how_many_runs_failed_otherwise_is_what_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (mut trace, file) = tapped_on(FLAKY, folder.path(), &["Go"]);
    let (other, _) = tapped(&folder.path().join("."), &["Count", "Count"]);
    trace.failure.clone_from(&other.failure);
    trace.write(Path::new(&file)).unwrap();
    std::fs::write(folder.path().join("app.toml"), FLAKY).unwrap();
    let junit = path(folder.path(), "junit.xml");
    let (code, json, err) = said(&["replay", &file, "--times", "40", "--junit", &junit, "--json"]);
    assert_eq!(code, 1, "{json}{err}");
    let told: serde_json::Value = serde_json::from_str(&json).unwrap();
    let failed = told[0]["failed_runs"].as_u64().unwrap();
    assert!((1..40).contains(&failed), "{json}");
    let report = std::fs::read_to_string(&junit).unwrap();
    assert!(report.contains(&format!("in {failed} of 40 runs")), "{report}");
}

#[test]
fn a_failure_that_does_not_always_come_is_gone_only_after_enough_silent_runs() {
    let folder = tempfile::tempdir().unwrap();
    let seldom = FLAKY.replace("chance = 0.3", "chance = 0.5");
    let (_, file) = tapped_on(&seldom, folder.path(), &["Idle", "Arm", "Go"]);
    let mut trace = serde_json::to_value(Trace::read(Path::new(&file)).unwrap()).unwrap();
    trace["events"].as_array_mut().unwrap().remove(1);
    trace["shrunk"] = serde_json::json!({
        "format": 1, "goal": "java IllegalStateException", "algorithm": "pathfirst", "original": 3, "minimal": 2,
        "runs": 9, "events": 20, "ended": "done", "reproduced": true, "certificate_runs": 20, "certificate_hits": 10
    });
    std::fs::write(&file, trace.to_string()).unwrap();
    let mended = FLAKY.replace(
        "{ if = \"armed\", fail = \"gone\" }, { chance = 0.3, fail = \"gone\" }",
        "{ toast = \"Mended\" }",
    );
    std::fs::write(folder.path().join("app.toml"), mended.split("[failure.gone]").next().unwrap()).unwrap();
    let junit = path(folder.path(), "junit.xml");
    let (code, out, err) = said(&["replay", &file, "--junit", &junit]);
    let report = std::fs::read_to_string(&junit).unwrap();
    assert!(code == 4 && out.contains("--times 5 or more would tell"), "{out}{err}");
    assert!(report.contains("<skipped"), "{report}");
    let (code, out, err) = said(&["replay", &file, "--times", "5", "--junit", &junit]);
    let report = std::fs::read_to_string(&junit).unwrap();
    assert!(code == 0 && !report.contains("<skipped") && !report.contains("<failure"), "{out}{err}{report}");
}

#[test]
fn a_mended_app_passes_though_not_all_events_can_be_done_in_each_run() {
    let folder = tempfile::tempdir().unwrap();
    let [run, mended, junit] = ["run", "app.toml", "junit.xml"].map(|name| path(folder.path(), name));
    let recipes = "models/ad_overlay.toml";
    assert_eq!(said(&["explore", recipes, "--steps", "2000", "--out", &run]).0, 1);
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(recipes)).unwrap();
    let without = |text: &str, rule: &str, other: &str| {
        assert!(text.contains(rule), "{text}");
        text.replace(rule, other)
    };
    let text =
        without(&text, "{ if = \"step == 2\", fail = \"no_step\" }", "{ if = \"step == 2\", do = \"\" }");
    std::fs::write(&mended, &text).unwrap();
    let replay = |times: &str| {
        let (code, out, err) =
            said(&["replay", &run, "--target", &mended, "--times", times, "--junit", &junit]);
        (code, format!("{out}{err}"), std::fs::read_to_string(&junit).unwrap())
    };
    let (code, out, report) = replay("40");
    assert!(code == 0 && !report.contains("<failure") && !report.contains("<skipped"), "{out}{report}");
    assert!(out.contains("instead, in the first of 40 runs: "), "{out}");
    // Where an event can never be done, the app is another one, and it is said which event that is.
    std::fs::write(&mended, without(&text, "text = \"Cook\"", "enabled = \"false\", visible = \"false\""))
        .unwrap();
    let (code, out, report) = replay("40");
    assert!(code == 4 && report.contains("it went another way"), "{out}{report}");
    assert!(report.contains("could not be done"), "{report}");
}

#[test]
fn a_report_for_ci_servers_tells_what_could_not_be_run_and_a_run_without_failures_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), &["Count", "Count"]);
    let junit = path(folder.path(), "junit.xml");
    assert_eq!(said(&["replay", &file, "--junit", &junit]).0, 1);
    let app = folder.path().join("app.toml");
    std::fs::write(&app, "no model").unwrap();
    let (code, out, err) = said(&["replay", &file, "--junit", &junit]);
    let report = std::fs::read_to_string(&junit).unwrap();
    assert!(
        code == 2 && report.contains("<failure") && report.contains("type=\"error\""),
        "{out}{err}{report}"
    );
    let quiet = TWICE.replace("{ if = \"taps == 1\", fail = \"second\" }, ", "");
    std::fs::write(&app, quiet.split("[failure.second]").next().unwrap()).unwrap();
    let run = path(folder.path(), "run");
    assert_eq!(said(&["explore", app.to_str().unwrap(), "--steps", "50", "--out", &run]).0, 0);
    for command in ["replay", "shrink", "explain"] {
        let (code, out, err) = said(&[command, &run]);
        assert!(
            code == 0 && err.contains("met no failure") && !err.contains("error"),
            "{command}: {out}{err}"
        );
    }
    let (code, out, err) = said(&["explain", &run, &file]);
    assert!(code == 0 && out.contains("2 events"), "the others are looked at all the same: {out}{err}");
    assert_eq!(said(&["replay", &run, "--junit", &junit]).0, 0);
    let report = std::fs::read_to_string(&junit).unwrap();
    assert!(report.contains("tests=\"0\""), "{report}");
}

#[test]
fn where_and_why_a_replay_went_another_way_is_told_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), &["Idle", "Count", "Count"]);
    let app = folder.path().join("app.toml");
    std::fs::write(&app, TWICE.replace("text = \"Count\"", "text = \"Count\"\nvisible = \"false\"")).unwrap();
    let (code, out, err) = said(&["replay", &file]);
    assert_eq!(code, 4, "{out}{err}");
    let whole = "event 2 could not be done (tap \"Count\"), it is not on the screen of org.siamang.twice.Main; 2 of 3 events in all";
    assert!(out.contains(whole), "{out}");
}

#[test]
fn a_widget_whose_id_was_renamed_is_found_by_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), &["Count", "Idle", "Count"]);
    for id in ["id = \"counter\"\n", ""] {
        std::fs::write(folder.path().join("app.toml"), TWICE.replace("id = \"count\"\n", id)).unwrap();
        let (code, out, err) = said(&["replay", &file]);
        assert_eq!(code, 1, "{out}{err}");
    }
}

#[test]
fn a_script_of_another_tool_is_shrunk_to_the_failure_that_it_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, _) = tapped(folder.path(), &["Idle", "Count", "Idle", "Count"]);
    let file = script(folder.path(), &trace);
    let app = path(folder.path(), "app.toml");
    let (code, out, err) = said(&["shrink", &file, "--target", &app]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("java IllegalStateException"), "{out}");
    // What no folder keeps is told as steps, and how to keep it.
    assert!(
        out.contains("1. tap \"Count\"") && out.contains("2. tap \"Count\"") && !out.contains("3. "),
        "{out}"
    );
    assert!(out.contains("--out FILE keeps it") && !out.contains("as good"), "{out}");
}

#[test]
fn of_two_apps_by_one_name_the_one_is_taken_that_the_trace_was_recorded_on() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, _) = tapped(folder.path(), &["Count", "Count"]);
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).unwrap();
    let file = path(&runs, "trace.json");
    Trace { target: "app.toml".to_owned(), ..trace }.write(Path::new(&file)).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("app.toml"), TWICE.replace("taps == 1", "taps == 5")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["replay", &file])
        .current_dir(elsewhere.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn an_app_that_was_changed_here_is_not_taken_for_the_same_one_in_a_folder_above() {
    let above = tempfile::tempdir().unwrap();
    std::fs::write(above.path().join("app.toml"), TWICE).unwrap();
    let here = above.path().join("tree");
    std::fs::create_dir(&here).unwrap();
    std::fs::write(here.join("app.toml"), TWICE).unwrap();
    let said = |args: &[&str]| {
        let program = env!("CARGO_BIN_EXE_siamang");
        Command::new(program).args(args).current_dir(&here).output().unwrap().status.code()
    };
    assert_eq!(said(&["explore", "app.toml", "--steps", "60", "--out", "run"]), Some(1));
    assert_eq!(said(&["replay", "run"]), Some(1));
    std::fs::write(here.join("app.toml"), TWICE.replace("taps == 1", "taps == 50")).unwrap();
    assert_eq!(said(&["replay", "run"]), Some(4), "the failure is mended here");
}

#[test]
fn a_damaged_log_does_not_keep_its_failures_from_being_shrunk() {
    let folder = tempfile::tempdir().unwrap();
    let app = path(folder.path(), "app.toml");
    std::fs::write(&app, TWICE).unwrap();
    let run = path(folder.path(), "run");
    assert_eq!(said(&["explore", &app, "--steps", "60", "--out", &run]).0, 1);
    damage(&folder.path().join("run/events.jsonl.zst"));
    let (code, out, err) = said(&["shrink", &run]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("it is shrunk from") && err.contains("minimal.trace.json"), "{err}");
}

fn damage(log: &Path) {
    let mut bytes = std::fs::read(log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(log, bytes).unwrap();
}

/// The only folder of a failure in a run.
fn only_crash(run: &Path) -> std::path::PathBuf {
    let mut crashes = std::fs::read_dir(run.join("crashes")).unwrap();
    let crash = crashes.next().unwrap().unwrap().path();
    assert!(crashes.next().is_none());
    crash
}

#[test]
fn a_recorded_trace_that_the_log_cannot_give_back_stays_and_so_does_when_it_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let (app, run) = (path(folder.path(), "app.toml"), path(folder.path(), "run"));
    std::fs::write(&app, TWICE).unwrap();
    assert_eq!(
        said(&["explore", &app, "--steps", "60", "--seed", "2", "--shrink", "no", "--out", &run]).0,
        1
    );
    let crash = only_crash(Path::new(&run));
    let found = Trace::read(&crash.join("original.trace.json")).unwrap();
    let copy = folder.path().join("copy");
    let log = Path::new(&run).join("events.jsonl.zst");
    let whole = std::fs::read(&log).unwrap();
    damage(&log);
    let (code, out, err) = said(&["shrink", crash.to_str().unwrap()]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(!out.contains("went for"), "{out}");
    assert_eq!(Trace::read(&crash.join("original.trace.json")).unwrap(), found);
    let (code, out, err) = said(&["explain", crash.to_str().unwrap(), "--original"]);
    assert!(code == 0 && out.contains(&format!("{} event", found.events.len())), "{out}{err}");
    // What is shrunk on from a trace that is no longer the recorded one was still found when it was found.
    std::fs::rename(crash.join("original.trace.json"), &copy).unwrap();
    std::fs::write(&log, whole).unwrap();
    std::fs::remove_file(crash.join("minimal.trace.json")).unwrap();
    std::fs::rename(&copy, crash.join("original.trace.json")).unwrap();
    assert_eq!(said(&["shrink", crash.to_str().unwrap(), "--max-runs", "2"]).0, 1);
    damage(&log);
    let (code, out, err) = said(&["shrink", crash.to_str().unwrap()]);
    assert_eq!(code, 1, "{out}{err}");
    let text = std::fs::read_to_string(crash.join("explanation.md")).unwrap();
    assert!(text.contains(&format!("Shrunk from {} events to 2", found.cost())), "{text}");
    assert!(!text.contains("As it was found"), "{text}");
}

#[test]
fn a_failure_that_a_suite_cannot_keep_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (app, run) = (path(folder.path(), "app.toml"), path(folder.path(), "run"));
    std::fs::write(&app, FLAKY.replace("{ if = \"armed\", fail = \"gone\" }, ", "")).unwrap();
    assert_eq!(said(&["explore", &app, "--steps", "60", "--out", &run]).0, 1);
    damage(&Path::new(&run).join("events.jsonl.zst"));
    for seed in ["1", "2", "3"] {
        let suite = path(folder.path(), seed);
        let (_, out, err) = said(&["suite", &run, "--seed", seed, "--out", &suite]);
        let told = out.contains("not replayable: the failure java IllegalStateException");
        let not_once = err.contains("minimal.trace.json cannot be run to its end as it is");
        assert!(told || not_once || err.contains("no trace went the same way"), "{out}{err}");
    }
}

#[test]
fn a_failing_trace_without_events_is_called_no_proof() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, file) = tapped(folder.path(), &["Count", "Count"]);
    Trace { events: Vec::new(), ..trace }.write(Path::new(&file)).unwrap();
    let (code, out, err) = said(&["explain", &file]);
    assert!(code == 0 && out.contains("as far as the record tells"), "{out}{err}");
}

#[test]
fn a_difference_that_is_only_a_mark_or_a_number_is_told_apart() {
    const MARKS: &str = r#"
name = "Marks"
package = "org.siamang.marks"
start = "Main"

[[activity]]
name = "Main"
title = "Marks"
data = { sound = false, rows = 2 }

[[activity.widget]]
type = "check"
text = "Sound"
id = "sound"
bind = "sound"

[[activity.widget]]
type = "button"
text = "Silence"
tap = { do = "sound = false" }

[[activity.widget]]
type = "list"
rows = "rows"
tap = { toast = "Row" }
widget = [{ type = "label", text = "Row" }]
"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("marks.toml");
    std::fs::write(&file, MARKS).unwrap();
    let run = folder.path().join("run").to_str().unwrap().to_owned();
    let (code, out, err) = said(&["explore", file.to_str().unwrap(), "--steps", "40", "--out", &run]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = said(&["suite", &run]);
    assert_eq!(code, 0, "{out}{err}");
    let suite = format!("{run}/suite");
    std::fs::write(&file, MARKS.replace("sound = false, rows", "sound = true, rows")).unwrap();
    let (_, text, _) = said(&["replay", &suite]);
    assert!(
        text.contains("expected Main with Sound, ") && text.contains("seen Main with Sound (checked), "),
        "{text}"
    );
    std::fs::write(&file, MARKS.replace("rows = 2 }", "rows = 3 }")).unwrap();
    let (_, text, _) = said(&["replay", &suite]);
    assert!(text.contains("× 2") && text.contains("× 3"), "{text}");
}

/// A terminal obeys what an app says only if it gets there: the words of this app ring, move and rename the window.
#[test]
fn what_an_app_says_is_nothing_that_a_terminal_obeys() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = TWICE
        .replace("IllegalStateException\"", "Illegal\\u001b[31mState\\u001b]0;mine\\u0007Exception\"")
        .replace("text = \"Idle\"", "text = \"I\\u001b[2Jdle\\u0008\"");
    let app = path(folder.path(), "hostile.toml");
    std::fs::write(&app, &hostile).unwrap();
    let run = path(folder.path(), "run");
    let commands: [&[&str]; 6] = [
        &["explore", &app, "--steps", "60", "--out", &run],
        &["replay", &run],
        &["shrink", &run],
        &["explain", &run, "--original"],
        &["model", "check", &app],
        &["shrink", &run, "--goal", "branch:nope"],
    ];
    for arguments in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
            .args(arguments)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            let plain = without_colours(&text);
            assert!(
                !plain.chars().any(|c| c.is_control() && c != '\n' && c != '\t'),
                "{arguments:?} {name}: {text:?}"
            );
            assert!(!text.contains("\u{1b}[2J"), "{arguments:?} {name}: {text:?}");
        }
    }
}

/// The text without the sequences for colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((code, rest)) if code.chars().all(|c| c.is_ascii_digit() || c == ';') => out.push_str(rest),
            _ => write!(out, "\u{1b}[{part}").unwrap(),
        }
    }
    out
}
