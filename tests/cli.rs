//! The binary as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use siamang::abstraction::registry::REGISTRY;
use siamang::action::Input;
use siamang::strategy::StrategyChoice;
use siamang::trace::{RunEvent, SpineReader};

fn siamang(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn explore(out: &Path, more: &[&str]) -> Output {
    let out = out.to_str().unwrap();
    let mut arguments = vec!["explore", "models/counter_crash.toml", "--out", out];
    arguments.extend(more);
    if !more.contains(&"--steps") {
        arguments.extend(["--steps", "2000"]);
    }
    siamang(&arguments)
}

fn spine(run: &Path) -> Vec<u8> {
    std::fs::read(run.join("events.jsonl.zst")).unwrap()
}

fn events(run: &Path) -> Vec<RunEvent> {
    SpineReader::open(run).unwrap().filter_map(Result::ok).collect()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// What the user is told: one line on stderr, nothing on stdout, exit code 2.
fn refused(arguments: &[&str]) -> String {
    let output = siamang(arguments);
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(code(&output), 2, "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn one_seed_gives_one_spine_byte_for_byte_whether_and_when_failures_are_shrunk() {
    let folder = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = ["during", "after", "no", "during"]
        .into_iter()
        .enumerate()
        .map(|(number, when)| {
            let run = folder.path().join(number.to_string());
            assert_eq!(code(&explore(&run, &["--shrink", when])), 1);
            run
        })
        .collect();
    for run in &runs[1..] {
        assert_eq!(spine(&runs[0]), spine(run));
    }
    let other = folder.path().join("other");
    explore(&other, &["--seed", "2"]);
    assert_ne!(spine(&runs[0]), spine(&other));
}

#[test]
fn an_address_of_a_model_is_opened_if_it_is_named_and_another_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let model = "models/permission_denied.toml";
    let opened = |name: &str, more: &[&str]| {
        let run = folder.path().join(name);
        let mut words =
            vec!["explore", model, "--steps", "300", "--shrink", "no", "--out", run.to_str().unwrap()];
        words.extend(more);
        assert!(code(&siamang(&words)) <= 1);
        let is_opened = |event: &RunEvent| {
            matches!(event, RunEvent::Step(step)
                if step.input == Input::DeepLink("scanner://codes".into()))
        };
        events(&run).iter().filter(|event| is_opened(event)).count()
    };
    assert_eq!(opened("usual", &[]), 0);
    assert!(opened("named", &["--deep-link", "scanner://codes"]) > 0);
    let said = refused(&["explore", model, "--deep-link", "scanner://code"]);
    assert!(said.contains("did you mean `scanner://codes`"), "{said}");
    assert!(said.contains("the app's addresses are scanner://scan, scanner://codes"), "{said}");
    let said = refused(&["explore", "models/notes.toml", "--deep-link", "notes://new"]);
    assert!(said.contains("this app opens no addresses"), "{said}");
}

#[test]
fn a_crash_is_found_shrunk_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let output = explore(&run, &["--json"]);
    assert_eq!(code(&output), 1);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["failures"][0]["minimal"], 4);
    let crash = std::fs::read_dir(run.join("crashes")).unwrap().next().unwrap().unwrap().path();
    let steps = std::fs::read_to_string(crash.join("explanation.md")).unwrap();
    assert!(steps.contains("Tap \"+\"."), "{steps}");
    assert!(steps.contains("\n\nFound on a virtual device (an app model).\n\n1. "), "{steps}");
    let minimal = crash.join("minimal.trace.json");
    let output = siamang(&["replay", minimal.to_str().unwrap(), "--times", "5"]);
    assert_eq!(code(&output), 1);
    assert!(String::from_utf8(output.stdout).unwrap().contains("in 5 of 5 runs"));
}

#[test]
fn a_report_tells_what_the_run_told_and_a_run_is_a_few_files() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let path = run.to_str().unwrap();
    let told = explore(&run, &[]);
    let table = String::from_utf8(told.stdout).unwrap();
    let (table, _) = table.split_once("\nrun folder: ").unwrap();
    assert!(table.contains("failure") && table.contains("  4        4 "), "{table}");
    assert_eq!(String::from_utf8(siamang(&["report", path]).stdout).unwrap(), table);
    let json: serde_json::Value =
        serde_json::from_slice(&siamang(&["report", path, "--json"]).stdout).unwrap();
    let written: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run.join("run.json")).unwrap()).unwrap();
    assert_eq!(json, written["summary"]);
    let failure = &json["failures"][0];
    assert_eq!((&failure["minimal"], &failure["optimum"]), (&4.into(), &4.into()));
    assert_eq!(failure["shrunk"]["certificate_hits"], 3);
    let narrow = command(&["report", path]).env("COLUMNS", "76").output().unwrap();
    let narrow = String::from_utf8(narrow.stdout).unwrap();
    assert!(narrow.lines().all(|line| line.chars().count() <= 76), "{narrow}");
    let crash = run.join("crashes").join(failure["folder"].as_str().unwrap());
    let count = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    assert_eq!((count(&run), count(&crash)), (5, 2), "four files, the crashes, and two files a crash");
    // The recorded trace is not kept twice: it comes back from the spine.
    for place in [&run, &crash] {
        let shrunk = siamang(&["shrink", place.to_str().unwrap(), "--json", "--algorithm", "ddmin"]);
        assert_eq!(code(&shrunk), 1, "{}", String::from_utf8_lossy(&shrunk.stderr));
        let shrunk: serde_json::Value = serde_json::from_slice(&shrunk.stdout).unwrap();
        assert_eq!(shrunk[0]["original"], failure["original"]);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_does_not_change_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments =
        ["explore", "models/counter_crash.toml", "--strategy", "random", "--steps", "2000", "--out"];
    let mut child =
        command(&arguments).arg(out).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_model_without_failures_ends_with_exit_code_0() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let target = "generated:plain?crashes=0";
    let output = siamang(&["explore", target, "--steps", "300", "--out", run.to_str().unwrap()]);
    assert_eq!(code(&output), 0);
    assert!(String::from_utf8(output.stdout).unwrap().contains("no failure found"));
}

#[test]
fn bad_input_is_refused_with_place_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    assert!(refused(&["explore", "models/note.toml"]).contains("there is no `models/note.toml`"));
    assert!(refused(&["explore", &file("a.toml", b"name = \"A\"\nnope = 1\n")]).contains("a.toml:2:1"));
    assert!(refused(&["explore", &file("b.toml", b"name = ")]).contains("b.toml:1:"));
    assert!(refused(&["explore", &file("c.toml", &[0xff, 0xfe, 0])]).contains("not UTF-8"));
    assert!(refused(&["explore", folder.path().to_str().unwrap()]).contains("cannot read"));
    assert!(refused(&["explore", "generated:plan"]).contains("did you mean `plain`"));
    let model = "models/counter_crash.toml";
    assert!(refused(&["explore", model, "--steps", "0"]).contains("use 1 or more"));
    assert!(refused(&["explore", model, "--time", "soon"]).contains("write 90s, 30m, 8h"));
    assert!(refused(&["explore", model, "--strategy", "satan"]).contains("did you mean `sata`"));
    assert!(refused(&["explore", model, "--abstraction", "stoad"]).contains("did you mean `stoat`"));
    assert!(refused(&["explore", model, "--abstraction", "STOAT"]).contains("did you mean `stoat`"));
    assert!(refused(&["explore", model, "--strategy", "SATA"]).contains("did you mean `sata`"));
    for name in ["all", "text", "none"] {
        let said = refused(&["explore", model, "--abstraction", name]);
        assert!(said.contains("the abstractions are evolving") && !said.contains("did you mean"), "{said}");
    }
    assert!(refused(&["explore", model, "--algorithm", "hd"]).contains("did you mean `hdd`"));
    assert!(refused(&["explore", model, "--throttle", "5"]).contains("--strategy monkey"));
    let monkey = ["explore", model, "--strategy", "monkey", "--pct-touch", "90", "--pct-nav", "20"];
    assert!(refused(&monkey).contains("add up to 110"));
    let full = file("taken.txt", b"x");
    assert!(
        refused(&["explore", model, "--out", folder.path().to_str().unwrap()]).contains("exists already")
    );
    assert!(refused(&["explore", model, "--out", &format!("{full}/run")]).contains("cannot be written"));
    assert!(refused(&["report", "nowhere"]).contains("there is no nowhere"));
    let here = folder.path().to_str().unwrap();
    assert!(refused(&["report", "--html", here]).contains(&format!("siamang report {here} --html")));
    assert!(refused(&["report", folder.path().to_str().unwrap()]).contains("run.json"));
    assert!(refused(&["replay", &file("t.json", b"{\"format\":1")]).contains("t.json"));
    assert!(refused(&["shrink", folder.path().to_str().unwrap()]).contains("there is no trace"));
}

#[test]
fn an_apps_name_never_becomes_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let original =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/models/counter_crash.toml")).unwrap();
    for name in ["../../x".to_owned(), "\u{200f}".repeat(1_400)] {
        let model = folder.path().join("model.toml");
        std::fs::write(&model, original.replace("name = \"Counter\"", &format!("name = \"{name}\"")))
            .unwrap();
        let mut command = command(&["explore", model.to_str().unwrap(), "--steps", "50"]);
        let output = command.current_dir(folder.path()).output().unwrap();
        assert!(code(&output) <= 1, "{}", String::from_utf8_lossy(&output.stderr));
    }
    let outside: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside.len(), 2, "only the model and `runs`: {outside:?}");
}

/// Starts a long run and waits until its log has grown to so many bytes.
fn started(run: &Path, bytes: u64) -> std::process::Child {
    let out = run.to_str().unwrap();
    let arguments =
        ["explore", "models/counter_crash.toml", "--steps", "100000000", "--shrink", "no", "--out", out];
    let child = command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let size = |name: &str| std::fs::metadata(run.join(name)).map_or(0, |metadata| metadata.len());
    while size("events.jsonl.zst") + size("events.tail") < bytes {
        assert!(Instant::now() < deadline, "the run does not write");
        std::thread::yield_now();
    }
    child
}

#[test]
fn a_killed_run_loses_at_most_its_last_step() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let out = whole.to_str().unwrap();
    siamang(&["explore", "models/counter_crash.toml", "--steps", "40000", "--shrink", "no", "--out", out]);
    let whole = events(&whole);
    for number in 0..50_u64 {
        let run = folder.path().join(format!("killed{number}"));
        let mut child = started(&run, 1 + number * 1_777);
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = events(&run);
        let common = kept.len().min(whole.len());
        assert!(!kept.is_empty());
        assert_eq!(kept[..common], whole[..common], "run {number}");
        let output = siamang(&["report", run.to_str().unwrap()]);
        assert_eq!(code(&output), 0);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("cut off after"), "{text}");
    }
}

#[test]
fn ctrl_c_once_finishes_the_step_and_writes_everything() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let child = started(&run, 20_000);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130);
    assert!(String::from_utf8_lossy(&output.stderr).contains("press Ctrl-C again"));
    let events = events(&run);
    assert!(matches!(events.last(), Some(RunEvent::End { reason, .. }) if reason == "interrupted"));
    assert!(!run.join("events.tail").exists());
    let written = std::fs::read_to_string(run.join("run.json")).unwrap();
    assert!(written.contains("\"stopped\": \"interrupted\""), "{written}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_before_anything_was_run_is_heard_and_told() {
    let folder = tempfile::tempdir().unwrap();
    // What is written by nobody is waited for: nothing has begun yet.
    let pipe = folder.path().join("app.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut started = Command::new(env!("CARGO_BIN_EXE_siamang"));
    started.args(["explore", pipe.to_str().unwrap()]);
    let child = started.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !listens() {
        assert!(Instant::now() < deadline, "it does not listen");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(code(&output), 130, "{err}");
    assert!(err.contains("interrupted before anything was run"), "{err}");
}

#[test]
fn a_damaged_log_gives_the_rest_of_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    explore(&run, &["--steps", "5000"]);
    let log = run.join("events.jsonl.zst");
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&log, &bytes).unwrap();
    let output = siamang(&["report", run.to_str().unwrap()]);
    assert_eq!(code(&output), 0);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("lost:"), "{told}");
    // How much that is of the run is known from its end, which stands in another file.
    assert!(told.contains("the run made 5000 steps, and the log can be read for "), "{told}");
}

#[test]
fn damaged_screens_are_told_and_cost_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    explore(&run, &["--steps", "5000"]);
    let report = || {
        let output = siamang(&["report", run.to_str().unwrap()]);
        assert_eq!(code(&output), 0);
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = report();
    assert!(!whole.contains("trees.pack"), "{whole}");
    let pack = run.join("trees.pack");
    let mut bytes = std::fs::read(&pack).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&pack, &bytes).unwrap();
    let told = report();
    assert!(told.contains("trees.pack, frame "), "{told}");
    assert!(told.contains("5000 steps") || told.contains("5,000 steps"), "{told}");
}

#[test]
fn completions_schema_and_help_are_there() {
    for arguments in [&["completions", "bash"][..], &["model", "schema"], &["--help"], &["explore", "--help"]]
    {
        let output = siamang(arguments);
        assert_eq!(code(&output), 0);
        assert!(output.stdout.len() > 500);
    }
    assert_eq!(code(&siamang(&["expolre"])), 2);
    // What the names stand for.
    for command in ["explore", "compare", "inspect"] {
        let said = String::from_utf8(siamang(&[command, "--help"]).stdout).unwrap();
        let said = said.split_whitespace().collect::<Vec<&str>>().join(" ");
        for entry in REGISTRY {
            assert!(
                said.contains(&format!("- {}: {}", entry.name, entry.about)),
                "{command}: {}",
                entry.name
            );
        }
        let tells = |about: &str| said.contains(about);
        assert_eq!(
            StrategyChoice::all().iter().all(|one| tells(one.about())),
            command != "inspect",
            "{command}"
        );
    }
}
