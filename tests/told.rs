//! What commands say and keep when something is odd: failures at launch, places that cannot be written, pipes, coordinates
//! that no screen has.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/hand.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod hand;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod recorded;

use std::path::Path;
use std::process::Command;

use hand::Hand;
use recorded::Recorded;
use siamang::action::Input;
use siamang::gui::{Bounds, Point};
use siamang::oracle::{Failure, FailureKind, Signature, Throwable};
use siamang::trace::Trace;

/// It fails when it is launched, now and then or always, and if "Bad" is tapped.
const LAUNCH: &str = r#"
name = "Launch"
package = "org.example.launch"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
create = { chance = 0.2, fail = "boom" }
widget = [{ type = "button", text = "Bad", tap = { fail = "bad" } }]

[failure.boom]
exception = "java.lang.IllegalStateException"
message = "boom"
stack = ["Main.onCreate:12"]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Main.bad:13"]
"#;

/// "Bad" fails after "Arm", always or three times in four.
const ARMED: &str = r#"
name = "Armed"
package = "org.example.armed"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
data = { armed = false, count = 0 }
widget = [
  { type = "button", text = "Arm", tap = { do = "armed = true" } },
  { type = "button", text = "Count", tap = { do = "count += 1" } },
  { type = "button", text = "Idle" },
  { type = "button", text = "Bad", tap = [{ if = "armed", fail = "bad" }, { toast = "Not yet" }] },
]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Main.bad:13"]
"#;

/// Exit code, stdout and stderr.
fn said(arguments: &[&str]) -> (i32, String, String) {
    said_in(&[], arguments)
}

fn said_in(environment: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1");
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!err.contains("panicked"), "{err}");
    (output.status.code().unwrap(), out, err)
}

fn place(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// A trace of taps in a file.
fn tapped(folder: &Path, model: &str, labels: &[&str]) -> (Trace, String) {
    let target = place(folder, "app.toml");
    std::fs::write(&target, model).unwrap();
    let trace = Recorded::of(Hand::new(model), model, &target).taps(labels);
    let file = place(folder, "trace.json");
    trace.write(Path::new(&file)).unwrap();
    (trace, file)
}

#[test]
fn a_failure_at_launch_is_explained_with_the_others_and_is_kept_in_a_suite() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&file, LAUNCH).unwrap();
    // What a shrink leaves of a failure by chance may have a restart in it, and so two launches.
    let explore = ["explore", &file, "--steps", "60", "--seed", "5", "--shrink", "no", "--out", &run];
    let (code, out, err) = said(&explore);
    assert_eq!(code, 1, "{out}{err}");
    let (code, out, err) = said(&["explain", &run]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("ArithmeticException") && out.contains("fails when it is launched"), "{out}");
    assert!(
        out.contains("opens the entry page of \"org.example.launch\", causing the crash of app"),
        "{out}"
    );

    let always = place(folder.path(), "always");
    std::fs::write(&file, LAUNCH.replace("chance = 0.2, ", "")).unwrap();
    let (_, out, err) = said(&["explore", &file, "--steps", "10", "--out", &always]);
    assert!(out.contains("IllegalState"), "{out}{err}");
    let (code, out, err) = said(&["suite", &always]);
    assert_eq!(code, 0, "{out}{err}");
    let suite = format!("{always}/suite");
    let (code, out, _) = said(&["replay", &suite]);
    assert!(code == 0 && out.contains("1 of 1 traces as recorded"), "{out}");
    std::fs::write(&file, LAUNCH.replace("create = { chance = 0.2, fail = \"boom\" }\n", "")).unwrap();
    let (code, out, _) = said(&["replay", &suite]);
    assert!(code == 1 && out.contains("at step 0 (launch): expected the failure java"), "{out}");
}

#[test]
fn no_work_is_lost_by_what_cannot_be_written_or_read_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), ARMED, &["Idle", "Arm", "Idle", "Bad"]);
    let nowhere = place(folder.path(), "nowhere/x.json");
    for arguments in [
        &["shrink", &file, "--out", &nowhere][..],
        &["shrink", &file, "--learn-prior", &nowhere],
        &["replay", &file, "--junit", &nowhere],
        &["replay", &file, "--json", "--junit", &nowhere],
    ] {
        let (code, out, err) = said(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("cannot write") && err.contains("nowhere"), "{err}");
    }
    // What is there is not touched by trying.
    let there = place(folder.path(), "there.json");
    std::fs::write(&there, "mine").unwrap();
    let (code, ..) = said(&["shrink", &file, "--out", &there, "--goal", "activity:Nobody"]);
    assert_eq!((code, std::fs::read_to_string(&there).unwrap().as_str()), (2, "mine"));
    // A broken trace is refused before the others are run.
    let broken = place(folder.path(), "broken.json");
    std::fs::write(&broken, &std::fs::read_to_string(&file).unwrap()[..200]).unwrap();
    for command in ["shrink", "replay"] {
        let (code, out, err) = said(&[command, &file, &broken]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
    }
    // What fails only later does not hide what was done before.
    let (mut other, _) = tapped(folder.path(), ARMED, &["Arm", "Bad"]);
    other.target = "models/notes.toml".to_owned();
    let strange = place(folder.path(), "strange.json");
    other.write(Path::new(&strange)).unwrap();
    let (code, out, err) = said(&["shrink", &file, &strange]);
    assert!(code == 2 && err.contains("was recorded on"), "{err}");
    assert!(out.contains("pathfirst") && out.contains("ArithmeticException"), "{out}");
    let (code, out, _) = said(&["replay", &file, &strange, "--json"]);
    assert!(code == 2 && out.contains("\"reproduced\""), "{out}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = place(folder.path(), "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [pipe.as_str(), "/dev/zero", "/dev/null"] {
        for command in ["replay", "shrink", "explain"] {
            let (code, _, err) = said(&[command, file]);
            assert!(code == 2 && err.contains("a pipe or a device"), "{command} {file}: {err}");
        }
    }
}

#[test]
fn coordinates_that_no_screen_has_end_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, file) = tapped(folder.path(), ARMED, &["Arm", "Idle", "Bad"]);
    let (low, high) = (Point { x: i32::MIN, y: i32::MIN }, Point { x: i32::MAX, y: i32::MAX });
    let inputs = [
        Input::Swipe { from: high, to: low },
        Input::Swipe { from: low, to: high },
        Input::Pinch { center: low, open: true },
        Input::Pinch { center: high, open: false },
    ];
    for input in inputs {
        for aimed in [false, true] {
            let mut hostile = trace.clone();
            hostile.events[1].input = input.clone();
            if let Some(target) = &mut hostile.events[1].target {
                target.bounds = Bounds { left: i32::MIN, top: i32::MIN, right: i32::MAX, bottom: i32::MAX };
            }
            if !aimed {
                hostile.events[1].target = None;
            }
            hostile.write(Path::new(&file)).unwrap();
            for arguments in [&["replay", &file][..], &["shrink", &file], &["explain", "--script", &file]] {
                let (code, out, err) = said(arguments);
                assert!(code <= 1, "{arguments:?}: {out}{err}");
            }
        }
    }
}

#[test]
fn the_pass_of_rules_stops_after_the_rules_and_tells_what_they_proposed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = tapped(folder.path(), ARMED, &["Idle", "Count", "Arm", "Idle", "Count", "Bad"]);
    let short = place(folder.path(), "short.json");
    let (code, out, err) = said(&["shrink", &file, "--strategy", "ineffective", "--out", &short]);
    assert_eq!(code, 1, "{out}{err}");
    let names: Vec<String> = Trace::read(Path::new(&short))
        .unwrap()
        .events
        .iter()
        .map(|event| event.target.as_ref().unwrap().text.to_string())
        .collect();
    assert!(!names.contains(&"Idle".to_owned()) && names.contains(&"Count".to_owned()), "{names:?}");
    let (_, out, _) = said(&["shrink", &file, "--rules-first"]);
    assert!(out.contains("the rules proposed ") && out.contains("of which runs refuted"), "{out}");
}

/// Two failures, of which one tells how often something was tapped.
const TWO: &str = r#"
name = "Two"
package = "org.example.two"
start = "MainActivity"

[data.process]
count = 0

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", text = "Count", tap = { do = "count += 1" } },
  { type = "button", text = "Bad", tap = { fail = "bad" } },
  { type = "button", text = "Worse", tap = { fail = "worse" } },
]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad after {count}"
stack = ["Main.bad:13"]

[failure.worse]
exception = "java.lang.IllegalStateException"
message = "worse after {count}"
stack = ["Main.worse:17"]
"#;

/// The folders of the failures of a run.
fn crashes(run: &str) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> =
        std::fs::read_dir(format!("{run}/crashes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn what_cannot_be_written_keeps_no_other_failure_from_being_shrunk() {
    let folder = tempfile::tempdir().unwrap();
    let file = place(folder.path(), "app.toml");
    std::fs::write(&file, TWO).unwrap();
    for blocked in 1..=2 {
        let run = place(folder.path(), &format!("run{blocked}"));
        let (code, out, err) = said(&["explore", &file, "--steps", "200", "--shrink", "no", "--out", &run]);
        assert_eq!(code, 1, "{out}{err}");
        let found = crashes(&run);
        assert_eq!(found.len(), 2, "{out}");
        for crash in &found[..blocked] {
            let explanation = crash.join("explanation.md");
            std::fs::remove_file(&explanation).unwrap();
            std::fs::create_dir_all(explanation.join("in the way")).unwrap();
        }
        let (code, out, err) = said(&["shrink", &run]);
        assert!(out.contains("Main.bad") && out.contains("Main.worse"), "{out}{err}");
        assert_eq!(code, 2, "{out}{err}");
        for crash in &found[..blocked] {
            assert!(err.contains(crash.join("explanation.md").to_str().unwrap()), "{err}");
        }
    }
}

#[test]
fn a_failure_has_one_headline_in_the_table_and_in_what_is_read_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&file, TWO).unwrap();
    let (code, out, err) = said(&["explore", &file, "--steps", "200", "--seed", "3", "--out", &run]);
    assert_eq!(code, 1, "{out}{err}");
    for crash in crashes(&run) {
        let explanation = std::fs::read_to_string(crash.join("explanation.md")).unwrap();
        let headline = explanation.lines().next().unwrap().trim_start_matches("# java.lang.");
        assert!(headline.ends_with("after 0"), "it is shrunk to one event: {headline}");
        assert!(out.contains(headline), "{headline} is not in\n{out}");
    }
}

#[test]
fn a_failure_whose_stack_was_not_recorded_is_looked_for_by_what_was() {
    let folder = tempfile::tempdir().unwrap();
    let (mut trace, file) = tapped(folder.path(), ARMED, &["Idle", "Arm", "Idle", "Bad"]);
    let bare = |class: Option<&str>| {
        let link =
            |class: &str| Throwable { class: class.into(), message: String::new(), frames: Vec::new() };
        let chain = class.into_iter().map(link).collect();
        let (kind, package, message) = (FailureKind::Java, "org.example.armed".to_owned(), String::new());
        Signature::of(&Failure { kind, package, chain, message })
    };
    for known in [Some("java.lang.ArithmeticException"), None] {
        trace.failure = Some(bare(known));
        trace.write(Path::new(&file)).unwrap();
        let (code, out, err) = said(&["shrink", &file]);
        assert!(code == 1 && out.contains(" 2 ") && out.contains("Main.bad"), "{out}{err}");
        assert!(err.contains("no stack was recorded"), "{err}");
        let (code, out, err) = said(&["replay", &file]);
        assert!(code == 1 && out.contains("no stack was recorded"), "{out}{err}");
    }
    trace.failure = Some(bare(Some("java.lang.IllegalStateException")));
    trace.write(Path::new(&file)).unwrap();
    let (code, out, err) = said(&["shrink", &file, "--json"]);
    assert_eq!(code, 4, "another exception is another failure: {out}{err}");
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(told[0]["minimal"].is_null(), "nothing failed, so nothing is the shortest: {out}");
}

#[test]
fn no_table_is_wider_than_a_terminal_of_forty_columns() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&file, TWO).unwrap();
    let narrow = [("COLUMNS", "40")];
    let (code, out, err) = said_in(&narrow, &["explore", &file, "--steps", "200", "--out", &run]);
    assert_eq!(code, 1, "{out}{err}");
    let (code, shrunk, err) = said_in(&narrow, &["shrink", &run]);
    assert_eq!(code, 1, "{shrunk}{err}");
    let wide = |line: &&str| line.chars().count() > 40 && !line.contains(run.as_str());
    let lines = out.lines().chain(shrunk.lines()).filter(|line| line.starts_with("  "));
    assert_eq!(lines.filter(wide).collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(
        shrunk.contains("no trace was written: the folders have traces that are as good or better"),
        "{shrunk}"
    );
}

#[test]
fn with_one_device_rounds_are_runs_on_flaky_apps_too() {
    let folder = tempfile::tempdir().unwrap();
    let flaky = ARMED.replace("{ if = \"armed\", fail", "{ if = \"armed\", chance = 0.75, fail");
    let taps = ["Idle", "Arm", "Idle", "Bad", "Bad", "Bad", "Bad", "Bad", "Bad"];
    let until =
        (4..=taps.len()).find(|&length| tapped(folder.path(), &flaky, &taps[..length]).0.failure.is_some());
    assert!(until.is_some(), "it fails once in six times");
    let (code, out, err) = said(&["shrink", &place(folder.path(), "trace.json")]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(!out.contains("rounds"), "{out}");
}

#[test]
fn what_is_not_a_trace_is_called_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&file, ARMED).unwrap();
    let (code, out, err) = said(&["explore", &file, "--steps", "60", "--shrink", "no", "--out", &run]);
    assert_eq!(code, 1, "{out}{err}");
    let (code, out, err) = said_in(&[("COLUMNS", "50")], &["suite", &run, "--repeats", "1"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.lines().take_while(|line| !line.is_empty()).all(|line| line.chars().count() <= 50), "{out}");
    let refused = |arguments: &[&str], words: &[&str]| {
        let (code, _, err) = said(arguments);
        assert!(code == 2 && words.iter().all(|word| err.contains(word)), "{arguments:?}: {err}");
    };
    let (suite, info) = (format!("{run}/suite"), format!("{run}/run.json"));
    for command in ["explain", "shrink"] {
        refused(&[command, &suite], &["is a suite", "001.trace.json", "siamang replay"]);
        refused(&[command, &info], &["is about a run", "name its folder"]);
    }
    let script = place(folder.path(), "monkey.script");
    std::fs::write(&script, "type= user\ncount= 1\nspeed= 1.0\nstart data >>\nTap(1.0, 2.0, 0)\n").unwrap();
    refused(&["shrink", &script], &["does not say where its app is", "--target", "--device"]);
    let trace = format!("{suite}/001.trace.json");
    let prior = place(folder.path(), "prior.txt");
    for other in ["hdd", "pathfirst"] {
        let learn = ["shrink", &trace, "--algorithm", other, "--learn-prior", &prior];
        refused(&learn, &["--learn-prior", other]);
    }
    let crash = std::fs::read_dir(format!("{run}/crashes")).unwrap().next().unwrap().unwrap().path();
    // A trace that goes for its short one is told.
    let original = crash.join("original.trace.json");
    let (code, out, err) = said(&["shrink", original.to_str().unwrap()]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(!original.exists() && out.contains("original.trace.json went for minimal.trace.json"), "{out}");
    let (code, out, err) = said(&["explain", crash.to_str().unwrap(), "--original"]);
    assert!(code == 0 && out.contains("ArithmeticException"), "{out}{err}");
}

#[test]
fn what_a_run_is_made_of_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/models/counter_crash.toml");
    said(&["explore", model, "--steps", "2000", "--out", run]);
    let record = format!("{run}/run.json");
    let before = std::fs::read(&record).unwrap();
    for arguments in [["shrink", run, "--out", &record], ["replay", run, "--junit", &record]] {
        let (code, out, err) = said(&arguments);
        assert_eq!((code, err.contains("belongs to a run")), (2, true), "{out}{err}");
    }
    assert_eq!(std::fs::read(&record).unwrap(), before);
    // A place of one's own beside it is as good as any.
    assert_eq!(said(&["shrink", run, "--out", &format!("{run}/mine.json")]).0, 1);
}

#[test]
fn a_widget_that_comes_late_is_waited_for_and_done() {
    const LATE: &str = r#"
name = "Late"
package = "org.example.late"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
data = { there = false }
widget = [
  { type = "button", text = "Open", tap = { after = 700, do = "there = true" } },
  { type = "button", text = "Late", visible = "there", tap = { fail = "bad" } },
]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Main.bad:13"]
"#;
    let folder = tempfile::tempdir().unwrap();
    let target = place(folder.path(), "app.toml");
    std::fs::write(&target, LATE).unwrap();
    let mut recorded = Recorded::of(Hand::new(LATE), LATE, &target);
    recorded.tap("Open").step(Input::Wait(3_000)).tap("Late");
    // Whoever recorded it had waited; whoever replays it does not know for how long.
    recorded.trace.events.remove(1);
    let file = place(folder.path(), "trace.json");
    recorded.trace.write(Path::new(&file)).unwrap();
    let (code, out, err) = said(&["replay", &file]);
    assert!(code == 1 && out.contains("in 1 of 1 run "), "{out}{err}");
}

#[test]
fn a_failure_that_is_met_again_and_again_is_shrunk_once() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&file, ARMED).unwrap();
    let (code, out, err) = said(&["explore", &file, "--steps", "600", "--out", &run, "--json"]);
    assert_eq!(code, 1, "{out}{err}");
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let failures = told["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{out}");
    assert!(failures[0]["count"].as_u64().unwrap() > 3, "{out}");
    let shrinks = err.matches("shrunk ").count();
    assert!(shrinks <= 1, "{err}");
    assert_eq!(std::fs::read_dir(format!("{run}/crashes")).unwrap().count(), 1);
}

#[test]
fn what_a_budget_ended_is_finished_by_a_later_shrink_and_replaced_by_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let run = place(folder.path(), "run");
    let notes = ["explore", "models/notes.toml", "--steps", "3000"];
    let (code, out, err) = said(&[&notes[..], &["--max-runs", "12", "--out", &run]].concat());
    assert!(code == 1 && out.contains("* shrinking ended early: out of runs"), "{out}{err}");
    let (code, out, err) = said(&["shrink", &run]);
    assert!(code == 1 && out.contains("shortest trace and steps: "), "{out}{err}");
    assert!(out.contains("runs in place of ") && out.contains("(out of runs)"), "what went is told: {out}");
    let (_, out, _) = said(&["report", &run]);
    assert!(!out.contains("ended early"), "{out}");
    for crash in std::fs::read_dir(Path::new(&run).join("crashes")).unwrap() {
        let told = std::fs::read_to_string(crash.unwrap().path().join("explanation.md")).unwrap();
        assert!(!told.contains("out of runs") && told.contains("It fails in 3 of 3 runs."), "{told}");
    }
    let (_, again, _) = said(&["shrink", &run]);
    assert!(again.contains("no trace was written: the folders have traces that are as good"), "{again}");
}

#[test]
fn a_comparison_says_what_it_began_with_and_what_only_one_algorithm_knew() {
    let folder = tempfile::tempdir().unwrap();
    let run = place(folder.path(), "run");
    let notes = ["explore", "models/notes.toml", "--steps", "3000", "--shrink", "no"];
    let (code, out, err) = said(&[&notes[..], &["--out", &run]].concat());
    assert_eq!(code, 1, "{out}{err}");
    let began = |more: &[&str]| -> Vec<bool> {
        let (code, out, err) = said(&[&["shrink", &run, "--json"], more].concat());
        assert_eq!(code, 1, "{out}{err}");
        let told: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
        let whole = |told: &serde_json::Value| told["original"].as_u64().unwrap();
        assert!(told.iter().all(|told| told["trace"].as_str().unwrap().contains("crashes")), "{out}");
        assert!(told.iter().all(|told| told["optimum"] == told["minimal"]), "{out}");
        told.iter().map(|told| told["began_with"].as_u64().is_some_and(|part| part < whole(told))).collect()
    };
    assert!(began(&[]).contains(&true) && !began(&["--whole"]).contains(&true));
    let (file, run) = (place(folder.path(), "app.toml"), place(folder.path(), "two"));
    std::fs::write(&file, TWO).unwrap();
    let (code, out, err) = said(&["explore", &file, "--steps", "200", "--out", &run]);
    assert_eq!(code, 1, "{out}{err}");
    let (_, out, _) = said(&["shrink", &run, "--all-algorithms"]);
    assert!(out.contains("pathfirst also knew"), "{out}");
}
