//! `siamang suite` and the suite as a regression test, as a person meets them.

use std::path::Path;
use std::process::Output;

use crate::support::hand::source;

fn siamang(arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8(text.clone()).unwrap()).concat()
}

/// A run of a model in its own file, and the suite of it.
fn suite_of(folder: &Path, model: &str, steps: &str) -> (String, String, String) {
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (file, run) = (place("app.toml"), place("run"));
    std::fs::write(&file, source(model)).unwrap();
    let explored = siamang(&["explore", &file, "--strategy", "random", "--steps", steps, "--out", &run]);
    assert_eq!(explored.status.code(), Some(1), "{}", said(&explored));
    let made = siamang(&["suite", &run]);
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    (file, run.clone(), format!("{run}/suite"))
}

#[test]
fn a_suite_is_a_regression_test_that_names_where_a_changed_app_differs() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run, suite) = suite_of(folder.path(), "menu_loop", "800");
    let junit = folder.path().join("suite.xml");
    let junit = junit.to_str().unwrap();
    let same = siamang(&["replay", &suite, "--times", "10", "--junit", junit]);
    assert_eq!(same.status.code(), Some(0), "{}", said(&same));
    assert!(said(&same).contains("traces as recorded"), "{}", said(&same));
    assert!(std::fs::read_to_string(junit).unwrap().contains("failures=\"0\""));

    let again = siamang(&["suite", &run]);
    assert_eq!(again.status.code(), Some(2), "a suite is never overwritten: {}", said(&again));

    let changed = source("menu_loop").replace("toast = \"All is fresh\"", "start = \"AboutActivity\"");
    std::fs::write(&file, changed).unwrap();
    let different = siamang(&["replay", &suite, "--junit", junit]);
    let text = said(&different);
    assert_eq!(different.status.code(), Some(1), "{text}");
    assert!(text.contains(".trace.json differs at step"), "{text}");
    for words in ["(tap \"Refresh\"", "expected ListActivity", "seen AboutActivity"] {
        assert!(text.contains(words), "{text}");
    }
    assert!(text.contains("another version"), "{text}");
    let report = std::fs::read_to_string(junit).unwrap();
    assert!(report.contains("<failure") && report.contains("expected: ListActivity"), "{report}");

    let fixed = source("menu_loop").replace("fail = \"forgotten\"", "toast = \"Forgotten\"");
    let fixed = fixed.split("[failure.forgotten]").next().unwrap().to_owned();
    std::fs::write(&file, fixed).unwrap();
    let text = said(&siamang(&["replay", &suite]));
    assert!(text.contains("expected the failure java") && text.contains("IllegalState"), "{text}");
}

#[test]
fn bad_input_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (_, run, suite) = suite_of(folder.path(), "menu_loop", "300");
    let refused = |arguments: &[&str], word: &str| {
        let output = siamang(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(word), "{arguments:?}: {}", said(&output));
    };
    refused(&["suite", &run, "--abstraction", "evolving"], "use swifthand");
    refused(&["suite", &run, "--abstraction", "swifthound"], "swifthand");
    refused(&["suite", &run, "--fragments", "7"], "1 to 6");
    refused(&["suite", &run, "--repeats", "0"], "1 or more");
    refused(&["suite", &run, "--target", "models/notes.toml"], "--target");
    refused(&["suite", "no-such-run"], "no-such-run");
    refused(&["replay", &suite, "--target", "models/notes.toml"], "--target");
    // A budget that no trace survives writes no suite that would pass as one.
    let nothing = folder.path().join("nothing");
    let starved = siamang(&["suite", &run, "--max-runs", "1", "--out", nothing.to_str().unwrap()]);
    assert_eq!(starved.status.code(), Some(4), "{}", said(&starved));
    assert!(said(&starved).contains("--max-runs") && !nothing.exists(), "{}", said(&starved));
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    refused(&["replay", empty.to_str().unwrap()], "there is no trace in");

    // A run stands for its failures, and each is a test that fails as long as the app does.
    let junit = folder.path().join("run.xml");
    let replayed = siamang(&["replay", &run, "--junit", junit.to_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1), "{}", said(&replayed));
    let report = std::fs::read_to_string(junit).unwrap();
    assert!(report.contains("tests=\"1\"") && report.contains("in 1 of 1 run"), "{report}");

    let trace = Path::new(&suite).join("001.trace.json");
    let whole = std::fs::read_to_string(&trace).unwrap();
    std::fs::write(&trace, &whole[..whole.len() / 2]).unwrap();
    refused(&["replay", &suite], "001.trace.json");

    // A run that was cut off gives the suite of what is left of it.
    let spine = Path::new(&run).join("events.jsonl.zst");
    let bytes = std::fs::read(&spine).unwrap();
    std::fs::write(&spine, &bytes[..bytes.len() / 2]).unwrap();
    let out = folder.path().join("cut");
    let cut = siamang(&["suite", &run, "--out", out.to_str().unwrap(), "--max-runs", "200"]);
    assert_eq!(cut.status.code(), Some(0), "{}", said(&cut));
    std::fs::write(&spine, b"").unwrap();
    std::fs::remove_dir_all(Path::new(&run).join("crashes")).unwrap();
    let out = folder.path().join("empty");
    refused(&["suite", &run, "--out", out.to_str().unwrap()], "no events");
}
