//! Traces of other tools that do not fit the app or the screen on which they are replayed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/hand.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod hand;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use hand::Hand;

const APP: &str = r#"
name = "Ways"
package = "org.siamang.ways"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", id = "plain", text = "Plain", tap = { toast = "Nothing" } },
  { type = "button", id = "next", text = "Next", tap = { start = "NextActivity" } },
]

[[activity]]
name = "NextActivity"
title = "Next"
widget = [
  { type = "button", id = "back", text = "Return", tap = { finish = true } },
  { type = "button", id = "bad", text = "Bad", tap = { fail = "bad" } },
]

[failure.bad]
exception = "java.lang.IllegalStateException"
message = "bad"
stack = ["Next.bad:2"]
"#;

const CRASH: &str =
    "// CRASH: // java.lang.IllegalStateException: bad$$ \tat org.siamang.ways.Next.bad(Next.java:2)$$ \n";

/// SimplyDroid's two logs of taps, each with the activity that was started last when it was done.
fn pair(folder: &Path, taps: &[(&str, (i32, i32))]) {
    let mut script =
        String::from("start data >>\nLaunchActivity(org.siamang.ways, org.siamang.ways.MainActivity)\n");
    let mut execute = String::new();
    let mut number = 0;
    let mut line = |kind: &str, activity: &str| {
        number += 1;
        writeln!(execute, "{number};Monkey{kind}Event;org.siamang.ways;org.siamang.ways.{activity};1")
            .unwrap();
    };
    line("Activity", "MainActivity");
    line("Throttle", "MainActivity");
    let mut here = "MainActivity";
    for (activity, (x, y)) in taps {
        writeln!(script, "Tap({x}.0, {y}.0, 0)").unwrap();
        line("Touch", here);
        line("Touch", here);
        line("Throttle", activity);
        here = activity;
    }
    execute.push_str(CRASH);
    std::fs::write(folder.join("script.log"), script).unwrap();
    std::fs::write(folder.join("execute.log"), execute).unwrap();
    std::fs::write(folder.join("app.toml"), APP).unwrap();
}

/// Replays what is in a folder: exit code and stdout.
fn replayed(folder: &Path, more: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.arg("replay").arg(folder).arg("--target").arg(folder.join("app.toml")).args(more);
    let output = command.env("NO_COLOR", "1").output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// Where a widget of the app's first screen is.
fn place(label: &str) -> (i32, i32) {
    let point = Hand::new(APP).center(label);
    (point.x, point.y)
}

/// Where a widget of the second screen is.
fn second(label: &str) -> (i32, i32) {
    let mut hand = Hand::new(APP);
    hand.tap("Next");
    let point = hand.center(label);
    (point.x, point.y)
}

#[test]
fn a_foreign_trace_that_starts_no_activity_where_one_was_recorded_says_after_which_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let nowhere = (5, 5);
    pair(path, &[("MainActivity", place("Plain")), ("NextActivity", nowhere), ("NextActivity", nowhere)]);
    let (code, out) = replayed(path, &[]);
    assert_eq!(code, 4, "{out}");
    let told = "after event 2 (tap the point 5,5) the app was in org.siamang.ways.MainActivity, and \
                org.siamang.ways.NextActivity was recorded";
    assert!(out.contains(told), "{out}");
    let (_, json) = replayed(path, &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report[0]["diverged_after"], "event 2 (tap the point 5,5)", "{json}");
    assert_eq!(report[0]["other_activity"], told, "{json}");
}

#[test]
fn a_foreign_trace_that_starts_an_activity_that_was_not_recorded_says_after_which_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (plain, next) = (place("Plain"), place("Next"));
    pair(path, &[("MainActivity", plain), ("MainActivity", next), ("MainActivity", (5, 5))]);
    let (code, out) = replayed(path, &[]);
    assert_eq!(code, 4, "{out}");
    assert!(out.contains("after event 2 (tap the point "), "{out}");
    assert!(
        out.contains("the app was in org.siamang.ways.NextActivity, and org.siamang.ways.MainActivity"),
        "{out}"
    );
}

/// These logs tell the activity that was started last, and of a slow start one event late.
#[test]
fn a_foreign_trace_that_fits_has_gone_no_other_way_where_its_log_is_silent_or_late() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (next, back) = (place("Next"), second("Return"));
    let there_and_back = [("MainActivity", next), ("NextActivity", (5, 5)), ("NextActivity", back)];
    pair(path, &there_and_back);
    let (code, out) = replayed(path, &[]);
    assert_eq!(code, 4, "{out}");
    assert!(!out.contains("was recorded"), "{out}");
    pair(path, &[&there_and_back[..], &[("NextActivity", next), ("NextActivity", second("Bad"))]].concat());
    let (code, json) = replayed(path, &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &report[0]["diverged_after"]), (1, &serde_json::Value::Null), "{json}");
}

#[test]
fn touches_that_do_not_fit_the_screen_are_told_with_both_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    pair(path, &[("MainActivity", (5, 5)), ("MainActivity", (2160, 3840))]);
    let (_, out) = replayed(path, &[]);
    let screen = "1080x1920";
    let told = format!(
        "1 of 2 touches lie outside the screen: the trace goes to 2160x3840, and the screen is {screen}"
    );
    assert!(out.contains(&told), "{out}");
    let small: Vec<(&str, (i32, i32))> = (0..20).map(|step| ("MainActivity", (step, step))).collect();
    pair(path, &small);
    let (_, out) = replayed(path, &[]);
    assert!(out.contains(&format!("no touch lies beyond 19x19, and the screen is {screen}")), "{out}");
    pair(path, &small[1..]);
    let (_, out) = replayed(path, &[]);
    assert!(!out.contains("screen is"), "{out}");
}
