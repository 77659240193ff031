//! What is written of a failure that does not always come is one run that failed, and not put together from several.
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
use siamang::device::Reset;
use siamang::trace::Trace;

/// "Go" fails every other time; else it leads to "Bad", which always fails in the same way.
const EARLY: &str = r#"
name = "Early"
package = "org.example.early"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", text = "Idle" },
  { type = "button", text = "Go", tap = [{ chance = 0.5, fail = "bad" }, { start = "NextActivity" }] },
]

[[activity]]
name = "NextActivity"
title = "Next"
widget = [{ type = "button", text = "Bad", tap = { fail = "bad" } }]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Main.bad:13"]
"#;

/// One of two questions is asked at the start, each every other time; behind it "Bad" fails.
const ASKED: &str = r#"
name = "Asked"
package = "org.example.asked"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
data = { asked = 0 }
create = [{ chance = 0.5, do = "asked = 1" }, { do = "asked = 2" }]
widget = [
  { type = "button", id = "later", text = "Later", visible = "asked == 1", tap = { do = "asked = 0" } },
  { type = "button", id = "never", text = "Never", visible = "asked == 2", tap = { do = "asked = 0" } },
  { type = "button", id = "bad", text = "Bad", visible = "asked == 0", tap = { fail = "bad" } },
]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Main.bad:13"]
"#;

/// "Go" fails seldom, and nothing but its text tells it from "Enter", which leads to it.
const SELDOM: &str = r#"
name = "Seldom"
package = "org.example.seldom"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
widget = [{ type = "button", text = "Enter", tap = { start = "NextActivity" } }]

[[activity]]
name = "NextActivity"
title = "Next"
up = true
widget = [{ type = "button", text = "Go", tap = [{ chance = 0.1, fail = "bad" }, { toast = "ok" }] }]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Next.go:13"]
"#;

fn said(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn place(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// Two taps on a device that is reset until it shows the label of the first, and after it that of the second.
fn recorded_from(model: &str, target: &str, [first, second]: [&str; 2]) -> Trace {
    let mut hand = Hand::new(model);
    loop {
        hand.reset(Reset::Clean);
        if !hand.shows(first) {
            continue;
        }
        let mut recorded = Recorded::of(hand, model, target);
        recorded.tap(first);
        if recorded.hand.shows(second) {
            recorded.tap(second);
            return recorded.trace;
        }
        hand = recorded.hand;
    }
}

/// Each event begins where the one before it ended, and only the last one leaves the app.
fn assert_one_run(trace: &Trace, about: &str) {
    let mut screen = trace.first.clone();
    for (at, event) in trace.events.iter().enumerate() {
        assert_eq!(event.before, screen, "event {at} of {about}");
        screen = event.after.clone().or(screen);
        let leaves = screen.as_ref().is_some_and(|screen| screen.foreign.is_some());
        assert_eq!(leaves, at + 1 == trace.events.len(), "event {at} of {about}");
    }
}

#[test]
fn a_failure_that_may_come_early_is_written_as_a_run_that_went_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let (app, file, out) =
        (place(folder.path(), "app.toml"), place(folder.path(), "t.json"), place(folder.path(), "m.json"));
    std::fs::write(&app, EARLY).unwrap();
    let mut hand = Recorded::of(Hand::new(EARLY), EARLY, &app);
    hand.tap("Idle").tap("Go");
    if hand.trace.failure.is_none() {
        hand.tap("Bad");
    }
    let mut trace = hand.trace;
    // Whichever way it went when it was recorded, it is long enough for both.
    if trace.events.len() < 3 {
        trace.events.push(recorded_from(EARLY, &app, ["Go", "Bad"]).events.remove(1));
    }
    trace.write(Path::new(&file)).unwrap();
    for seed in 1..=8 {
        let seed = seed.to_string();
        let (code, said_out, err) = said(&["shrink", &file, "--seed", &seed, "--out", &out]);
        assert_eq!(code, 1, "{said_out}{err}");
        let minimal = Trace::read(Path::new(&out)).unwrap();
        assert_one_run(&minimal, &format!("seed {seed}: {:?}", minimal.events));
        let (_, words, _) = said(&["explain", &out]);
        assert!(!words.contains("Launcher"), "{words}");
    }
}

#[test]
fn what_could_not_be_done_in_the_run_that_is_written_is_said_to_be_done_if_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (app, file, out) =
        (place(folder.path(), "app.toml"), place(folder.path(), "t.json"), place(folder.path(), "m.json"));
    std::fs::write(&app, ASKED).unwrap();
    let [rate, news] = ["Later", "Never"].map(|first| recorded_from(ASKED, &app, [first, "Bad"]));
    let mut both = news;
    both.events.splice(0..0, rate.events.into_iter().take(1));
    both.write(Path::new(&file)).unwrap();
    let (code, words, err) = said(&["shrink", &file, "--out", &out]);
    assert_eq!(code, 1, "{words}{err}");
    let minimal = Trace::read(Path::new(&out)).unwrap();
    assert_eq!(minimal.events.len(), 3, "both are needed for what always comes: {words}");
    assert_one_run(&minimal, "both questions");
    assert_eq!(minimal.events.iter().filter(|event| event.is_left_out()).count(), 1);
    let (_, words, _) = said(&["explain", &out, "--all"]);
    assert!(words.contains("in this run, whose level is Trivial"), "{words}");
}

#[test]
fn the_steps_name_what_is_on_the_screen_however_seldom_they_fail() {
    let folder = tempfile::tempdir().unwrap();
    let (app, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&app, SELDOM).unwrap();
    let mut early = 0;
    for seed in 1..=5 {
        let _ = std::fs::remove_dir_all(&run);
        let seed = seed.to_string();
        let (code, out, err) = said(&["explore", &app, "--steps", "3000", "--seed", &seed, "--out", &run]);
        assert_eq!(code, 1, "{out}{err}");
        let crash =
            std::fs::read_dir(Path::new(&run).join("crashes")).unwrap().next().unwrap().unwrap().path();
        let steps = std::fs::read_to_string(crash.join("explanation.md")).unwrap();
        assert!(steps.contains("\n2. Tap \"Enter\".\n3. Tap \"Go\".\n"), "seed {seed}: {steps}");
        let file = crash.join("minimal.trace.json");
        let minimal = Trace::read(&file).unwrap();
        // What is known to fail is never said to fail in none of its runs, and a run without the failure went no other way.
        assert!(!steps.contains("It fails in 0 of"), "seed {seed}: {steps}");
        let (_, replayed, _) = said(&["replay", file.to_str().unwrap(), "--times", "30"]);
        assert!(!replayed.contains("was recorded"), "seed {seed}: {replayed}");
        let failed_at = minimal.failed_at().unwrap();
        let (_, words, _) = said(&["explain", crash.to_str().unwrap(), "--all"]);
        let told: Vec<&str> = words.lines().filter(|line| line.contains(" is a Touch event")).collect();
        assert!(told[failed_at].contains("causing the crash of app"), "seed {seed}: {words}");
        for after in &told[failed_at + 1..] {
            assert!(after.contains("in runs that have not failed by then"), "seed {seed}: {words}");
            early += 1;
        }
        assert_eq!(steps.contains("the steps after it are for runs"), failed_at + 1 < told.len(), "{steps}");
    }
    assert!(early > 0, "in some run it failed before the last event");
}

/// Nothing can be done after "Later" but wait, and then it fails.
const LATE: &str = r#"
name = "Late"
package = "org.example.late"
start = "MainActivity"

[[activity]]
name = "MainActivity"
title = "Main"
data = { busy = false }
widget = [
  { type = "button", text = "Later", visible = "!busy", tap = { do = "busy = true", then = { after = 1500, fail = "bad" } } },
  { type = "progress", id = "busy", visible = "busy" },
]

[failure.bad]
exception = "java.lang.ArithmeticException"
message = "bad"
stack = ["Main.bad:13"]
"#;

#[test]
fn waits_that_a_failure_needs_are_not_said_to_be_for_other_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (app, run) = (place(folder.path(), "app.toml"), place(folder.path(), "run"));
    std::fs::write(&app, LATE).unwrap();
    let (code, out, err) = said(&["explore", &app, "--steps", "300", "--out", &run]);
    assert_eq!(code, 1, "{out}{err}");
    let crash = std::fs::read_dir(Path::new(&run).join("crashes")).unwrap().next().unwrap().unwrap().path();
    let steps = std::fs::read_to_string(crash.join("explanation.md")).unwrap();
    assert!(steps.contains("Wait ") && !steps.contains("the steps after it"), "{steps}");
}

#[test]
fn an_event_that_was_waited_for_when_the_app_failed_is_the_last_that_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let app = place(folder.path(), "app.toml");
    let mut trace = recorded_from(ASKED, &app, ["Later", "Bad"]);
    trace.events.push(trace.events[1].clone());
    (trace.events[1].after, trace.events[2].before, trace.events[2].after) = (None, None, None);
    assert_eq!((trace.failed_at(), trace.failed_early_at()), (Some(1), Some(1)));
    trace.events[2].input = siamang::action::Input::Wait(100);
    assert_eq!((trace.failed_at(), trace.failed_early_at()), (Some(1), None));
}
