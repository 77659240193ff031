//! Traces that other tools recorded.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

#[path = "support/skipped.rs"]
#[expect(dead_code, reason = "a part of it is used")]
mod skipped;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use siamang::action::{Input, Key, Wait};
use siamang::device::Reset;
use siamang::gui::Point;
use siamang::oracle::{FailureKind, Signature};
use siamang::trace::Trace;
use siamang::trace::event_tree::{EventTree, Label, Labels};
use siamang::trace::foreign::{self, Absent, Foreign, ForeignError, ForeignTrace, Format};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/traces/simplydroid");

fn shared() -> Option<PathBuf> {
    let path = PathBuf::from(SHARED);
    if path.is_dir() {
        return Some(path);
    }
    skipped::without_shared();
    None
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/logs").join(name)
}

fn only(foreign: &Foreign) -> &ForeignTrace {
    assert_eq!(foreign.traces.len(), 1);
    &foreign.traces[0]
}

fn inputs(trace: &Trace) -> Vec<Input> {
    trace.events.iter().map(|event| event.input.clone()).collect()
}

fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

/// One row of the table of facts about SimplyDroid's data.
#[derive(Debug, PartialEq)]
struct Row {
    traces: usize,
    length: (usize, usize, usize),
    sum: usize,
    activities: (usize, usize, usize, usize),
    /// The deepest level of the event tree.
    depth: (usize, usize, usize),
    /// How many traces fail at each level of it.
    crash_levels: Vec<(usize, usize)>,
    /// How many traces end in each outermost exception.
    crashes: Vec<(String, usize)>,
    signatures: usize,
}

fn row(app: &str) -> Option<Row> {
    let mut lengths = Vec::new();
    let mut activities = Vec::new();
    let mut depths = Vec::new();
    let mut crash_levels = std::collections::BTreeMap::new();
    let mut union = BTreeSet::new();
    let mut crashes = std::collections::BTreeMap::new();
    let mut signatures = BTreeSet::new();
    for folder in foreign::find(&shared()?.join(app)).unwrap() {
        let foreign = foreign::load(&folder).unwrap();
        let one = only(&foreign);
        lengths.push(one.length());
        let labels: BTreeSet<_> =
            one.trace.events.iter().map(|event| event.before.as_ref().unwrap().activity.clone()).collect();
        activities.push(labels.len());
        let states = Labels::new(Label::Activity);
        let before = one.trace.events.iter().map(|event| states.of(event.before.as_ref().unwrap()));
        let tree = EventTree::new(&before.collect::<Vec<_>>());
        depths.push(tree.depth());
        *crash_levels.entry(tree.level(tree.len() - 1)).or_insert(0) += 1;
        union.extend(labels);
        let class = one.failure.as_ref().unwrap().chain[0].class.rsplit('.').next().unwrap().to_owned();
        *crashes.entry(class).or_insert(0) += 1;
        signatures.insert(one.trace.failure.clone().unwrap());
    }
    let spread = |numbers: &mut Vec<usize>| {
        numbers.sort_unstable();
        // Twice the median, so that it is whole.
        let middle = numbers[(numbers.len() - 1) / 2] + numbers[numbers.len() / 2];
        (numbers[0], middle, numbers[numbers.len() - 1])
    };
    let sum = lengths.iter().sum();
    let (min, median, max) = spread(&mut activities);
    Some(Row {
        traces: lengths.len(),
        length: spread(&mut lengths),
        sum,
        activities: (min, median, max, union.len()),
        depth: spread(&mut depths),
        crash_levels: crash_levels.into_iter().collect(),
        crashes: crashes.into_iter().collect(),
        signatures: signatures.len(),
    })
}

fn check(app: &str, expected: &Row) {
    if let Some(row) = row(app) {
        assert_eq!(row, *expected, "{app}");
    }
}

fn times(crashes: &[(&str, usize)]) -> Vec<(String, usize)> {
    crashes.iter().map(|&(class, count)| (class.to_owned(), count)).collect()
}

#[test]
fn dalvik_explorer_has_the_numbers_of_the_table() {
    check(
        "Dalvik",
        &Row {
            traces: 11,
            length: (36, 2 * 307, 1525),
            sum: 5724,
            activities: (6, 2 * 12, 15, 15),
            depth: (3, 2 * 4, 4),
            crash_levels: vec![(3, 10), (4, 1)],
            crashes: times(&[
                ("ActivityNotFoundException", 9),
                ("OutOfMemoryError", 1),
                ("RuntimeException", 1),
            ]),
            signatures: 3,
        },
    );
}

#[test]
fn tippy_tipper_has_the_numbers_of_the_table() {
    check(
        "Tippy",
        &Row {
            traces: 9,
            length: (31, 2 * 88, 162),
            sum: 803,
            activities: (3, 2 * 3, 3, 3),
            depth: (3, 2 * 3, 3),
            crash_levels: vec![(3, 9)],
            crashes: times(&[("ArithmeticException", 9)]),
            signatures: 1,
        },
    );
}

#[test]
fn who_has_my_stuff_has_the_numbers_of_the_table() {
    check(
        "WhoHasMyStuff",
        &Row {
            traces: 10,
            length: (50, 2 * 224, 679),
            sum: 2657,
            activities: (2, 5, 3, 3),
            depth: (2, 5, 3),
            crash_levels: vec![(2, 8), (3, 2)],
            crashes: times(&[("RuntimeException", 10)]),
            signatures: 1,
        },
    );
}

#[test]
fn yahtzee_has_the_numbers_of_the_table() {
    check(
        "Yahtzee",
        &Row {
            traces: 17,
            length: (100, 2 * 123, 214),
            sum: 2254,
            activities: (2, 2 * 2, 2, 2),
            depth: (2, 2 * 2, 2),
            crash_levels: vec![(2, 17)],
            crashes: times(&[("ArithmeticException", 17)]),
            signatures: 1,
        },
    );
}

#[test]
fn all_47_folders_load_without_a_complaint_but_for_refused_touches() {
    let Some(shared) = shared() else { return };
    let folders = foreign::find(&shared).unwrap();
    assert_eq!(folders.len(), 47);
    let mut foreign_events = 0;
    for folder in folders {
        let foreign = foreign::load(&folder).unwrap();
        assert_eq!(foreign.format, Format::SimplyDroid);
        assert!(foreign.absent.contains(&Absent::ResumedActivity));
        for issue in &foreign.issues {
            assert!(issue.text.contains("Android refused"), "{issue}");
        }
        let trace = &only(&foreign).trace;
        assert!(matches!(trace.events.last().unwrap().input, Input::Tap(_)));
        assert!(trace.first.is_some());
        for event in &trace.events {
            let before = event.before.as_ref().unwrap();
            assert!(before.tree.is_absent() && before.windows.is_empty());
            foreign_events += usize::from(before.foreign.is_some());
        }
        let json = serde_json::to_string(trace).unwrap();
        assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), *trace);
    }
    assert_eq!(foreign_events, 330);
}

#[test]
fn the_label_of_an_event_is_what_was_on_the_line_before_its_pause() {
    let script = b"start data >>\nLaunchActivity(a.b, a.b.One)\nTap(1.0, 2.0, 0)\nTap(3.5, 4.9, 0)\n";
    let execute = b"1;MonkeyActivityEvent;a.b;a.b.One;1\n2;MonkeyThrottleEvent;a.b;a.b.One;1\n\
        3;MonkeyTouchEvent;a.b;a.b.One;1\n4;MonkeyTouchEvent;a.b;a.b.One;1\n5;MonkeyThrottleEvent;a.b;a.b.Two;1\n\
        6;MonkeyTouchEvent;a.b;a.b.Two;1\n7;MonkeyTouchEvent;a.b;a.b.Two;1\n\
        // CRASH: // java.lang.Error: x$$ \tat a.b.Two.go(Two.java:1)$$ \n8;MonkeyThrottleEvent;c.d;c.d.Three;1\n";
    let foreign = foreign::parse_simplydroid(script, execute).unwrap();
    assert_eq!(foreign.issues, []);
    let trace = &only(&foreign).trace;
    let seen: Vec<(&str, &str)> = trace
        .events
        .iter()
        .map(|event| {
            (
                event.before.as_ref().unwrap().activity.as_str(),
                event.after.as_ref().unwrap().activity.as_str(),
            )
        })
        .collect();
    assert_eq!(seen, [("a.b.One", "a.b.Two"), ("a.b.Two", "c.d.Three")]);
    assert_eq!(trace.events[1].after.as_ref().unwrap().foreign.as_deref(), Some("c.d"));
    assert_eq!(inputs(trace), [Input::Tap(at(1, 2)), Input::Tap(at(3, 4))]);
    assert!(trace.failure.as_ref().unwrap().0.starts_with("java Error Two.go "));
}

#[test]
fn two_logs_of_different_length_give_what_both_have() {
    let script = b"start data >>\nLaunchActivity(a.b, a.b.One)\nTap(1.0, 2.0, 0)\nTap(3.0, 4.0, 0)\n";
    let execute = b"1;MonkeyActivityEvent;a.b;a.b.One;1\n2;MonkeyThrottleEvent;a.b;a.b.One;1\n3;MonkeyTou";
    let foreign = foreign::parse_simplydroid(script, execute).unwrap();
    assert_eq!(only(&foreign).length(), 1);
    assert_eq!(only(&foreign).trace.failure, None);
    let texts = |foreign: &Foreign| -> String {
        let texts: Vec<String> = foreign.issues.iter().map(ToString::to_string).collect();
        texts.join("\n")
    };
    insta::assert_snapshot!(texts(&foreign), @r"
    execute.log, line 3: no step of an execute.log: cut off or garbled; left out
    execute.log: no failure in this log: the trace is kept without one
    execute.log: 1 event here, 3 in the script: one of the two is cut off, and only the first one is used
    ");
    // Of a script that is cut off, nobody knows the events that lead to the crash.
    let step = |number: usize, kind: &str| format!("{number};Monkey{kind}Event;a.b;a.b.One;1\n");
    let crash = "// CRASH: // java.lang.Error: x$$ \tat a.b.Two.go(Two.java:1)$$ \n";
    let lines = [step(1, "Activity"), step(2, "Throttle"), step(3, "Touch"), step(4, "Throttle")].concat();
    let execute = [&lines, &step(5, "Touch"), crash, &step(6, "Throttle")].concat();
    let foreign = foreign::parse_simplydroid(&script[..script.len() - 14], execute.as_bytes()).unwrap();
    assert_eq!((only(&foreign).length(), &only(&foreign).failure), (2, &None));
    insta::assert_snapshot!(texts(&foreign), @r"
    script.log, line 4: `Tap` is no event: cut off or garbled; left out
    execute.log: 3 events here, 2 in the script: one of the two is cut off, and only the first 2 are used
    execute.log: the app failed behind these events: the trace is kept without it
    ");
    // What comes behind a crash in the script was not run, and the crash is part of what both have.
    let more = [&script[..], b"Tap(5.0, 6.0, 0)\n"].concat();
    let foreign = foreign::parse_simplydroid(&more, execute.as_bytes()).unwrap();
    assert_eq!((only(&foreign).length(), only(&foreign).trace.failure.is_some()), (3, true));
    // A log that ends at its crash has the event that led to it, and only what it led to is not known.
    let ends_there = [&lines, &step(5, "Touch"), crash].concat();
    let foreign = foreign::parse_simplydroid(script, ends_there.as_bytes()).unwrap();
    assert_eq!((only(&foreign).length(), only(&foreign).trace.failure.is_some()), (3, true));
    let last = only(&foreign).trace.events.last().unwrap();
    assert_eq!((last.before.is_some(), &last.after), (true, &None));
    assert_eq!(texts(&foreign), "");
}

#[test]
fn an_app_that_crashes_at_its_launch_is_still_the_one_that_was_launched() {
    let script = b"start data >>\nLaunchActivity(a.b, a.b.One)\n";
    let execute = b"1;MonkeyActivityEvent;a.b;a.b.One;1\n\
        // CRASH: // java.lang.Error: x$$ \tat a.b.One.go(One.java:1)$$ \n\
        2;MonkeyThrottleEvent;com.android.launcher3;com.android.launcher3.Launcher;1\n";
    let foreign = foreign::parse_simplydroid(script, execute).unwrap();
    assert!(only(&foreign).trace.failure.is_some());
}

#[test]
fn two_logs_of_different_apps_are_refused() {
    let script = b"start data >>\nLaunchActivity(a.b, a.b.One)\nTap(1.0, 2.0, 0)\n";
    let execute = b"1;MonkeyActivityEvent;c.d;c.d.Three;1\n2;MonkeyThrottleEvent;c.d;c.d.Three;1\n\
        // CRASH: // java.lang.Error: x$$ \tat c.d.Three.go(Three.java:1)$$ \n";
    let error = foreign::parse_simplydroid(script, execute).unwrap_err();
    insta::assert_snapshot!(error.to_string(), @"execute.log, line 2: this log is of c.d, and script.log launches a.b; put the two logs of one run beside each other");
    // An app may leave for another one, and come back.
    let both =
        [&execute[..], b"3;MonkeyTouchEvent;a.b;a.b.One;1\n4;MonkeyThrottleEvent;a.b;a.b.One;1\n"].concat();
    assert!(foreign::parse_simplydroid(script, &both).is_ok());
}

#[test]
fn a_monkey_script_of_user_events_is_read() {
    let foreign = foreign::load(&fixture("user.script")).unwrap();
    assert_eq!(foreign.format, Format::MonkeyScript);
    let one = only(&foreign);
    assert_eq!(one.launch.as_ref().unwrap().activity, "org.example.notes.ListActivity");
    assert_eq!(
        inputs(&one.trace),
        [
            Input::Tap(at(116, 160)),
            Input::LongTap(at(116, 160)),
            Input::LongTap(at(10, 20)),
            Input::Swipe { from: at(10, 900), to: at(10, 100) },
            Input::Pinch { center: at(300, 300), open: false },
            Input::Key(Key::Back),
            Input::Key(Key::Menu),
            Input::Wait(750),
            Input::Text { at: at(10, 20), text: "milk, eggs".into() },
            Input::Rotate,
            Input::DeepLink("intent:#Intent;component=org.example.notes/.EditActivity;end".into()),
        ]
    );
    let texts: Vec<String> = foreign.issues.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    user.script, line 17: `DispatchFlip` is nothing that a user does on the screen; left out
    user.script, line 19: `Tapp` is no event that a script can have; left out
    user.script, line 20: `nowhere` is no number that `Tap` can have; left out
    user.script, line 21: `Tap(12.0, 3` is no event: cut off or garbled; left out
    ");
}

#[test]
fn a_screen_that_lies_as_a_script_wants_it_is_not_turned() {
    let lines = [0, 1, 1, 3, 0].map(|side| format!("RotateScreen({side}, 1)\n")).concat();
    let script = format!("type= user\ncount= 5\nspeed= 1.0\nstart data >>\nTap(1.0, 2.0, 0)\n{lines}");
    let foreign = foreign::parse("user.script", script.as_bytes()).unwrap();
    assert_eq!(inputs(&only(&foreign).trace), [Input::Tap(at(1, 2)), Input::Rotate, Input::Rotate]);
}

#[test]
fn a_monkey_script_of_raw_events_is_put_together_to_gestures_with_their_pauses() {
    let foreign = foreign::load(&fixture("raw.script")).unwrap();
    assert_eq!(foreign.issues, []);
    let trace = &only(&foreign).trace;
    let read: Vec<(Input, Wait)> =
        trace.events.iter().map(|event| (event.input.clone(), event.wait)).collect();
    assert_eq!(
        read,
        [
            (Input::Tap(at(230, 458)), Wait::Millis(1000)),
            (Input::Key(Key::Back), Wait::Millis(1640)),
            (Input::Swipe { from: at(100, 900), to: at(100, 120) }, Wait::Millis(1800)),
            (Input::LongTap(at(40, 50)), Wait::Settle),
        ]
    );
}

#[test]
fn the_output_of_a_verbose_monkey_is_grouped_at_its_pauses_and_cut_at_its_failures() {
    let foreign = foreign::load(&fixture("monkey-output.log")).unwrap();
    assert_eq!(foreign.format, Format::MonkeyOutput);
    assert_eq!(foreign.traces.len(), 2);
    let (crash, anr) = (&foreign.traces[0], &foreign.traces[1]);
    assert_eq!(
        inputs(&crash.trace),
        [
            Input::Tap(at(315, 880)),
            Input::Swipe { from: at(100, 1500), to: at(120, 500) },
            Input::Key(Key::Menu),
            Input::Pinch { center: at(450, 450), open: true },
            Input::Rotate,
            Input::Tap(at(50, 60)),
            Input::Tap(at(700, 90)),
        ]
    );
    assert!(crash.trace.events.iter().all(|event| event.wait == Wait::Millis(300)));
    let activities: Vec<&str> =
        crash.trace.events.iter().map(|event| event.before.as_ref().unwrap().activity.as_str()).collect();
    assert_eq!(activities[..2], ["org.example.notes.ListActivity", "org.example.notes.EditActivity"]);
    assert!(
        crash.trace.failure.as_ref().unwrap().0.starts_with("java IllegalStateException NoteStore.find ")
    );
    assert_eq!(anr.failure.as_ref().unwrap().kind, FailureKind::Anr);
    assert!(
        anr.trace.failure.as_ref().unwrap().0.starts_with("anr NoteStore.find "),
        "{:?}",
        anr.trace.failure
    );
    assert_eq!(inputs(&anr.trace), [Input::Key(Key::Back)]);
    assert_eq!((crash.length(), anr.length()), (8, 2));
    let texts: Vec<String> = foreign.issues.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    monkey-output.log, line 36: java.lang.OutOfMemoryError: Failed to allocate: `com.android.chrome` failed, which is another app
    monkey-output.log: 2 trackball and flip events have no counterpart; left out
    ");
}

#[test]
fn in_a_log_of_monkey_without_pauses_each_event_has_the_launch_that_follows_it() {
    let paced = foreign::load(&fixture("monkey-output.log")).unwrap();
    let text = std::fs::read_to_string(fixture("monkey-output.log")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("monkey.log");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("Sleeping for ")).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let foreign = foreign::load(&file).unwrap();
    assert_eq!(foreign.traces.len(), paced.traces.len());
    for (bare, paced) in foreign.traces.iter().zip(&paced.traces) {
        assert_eq!(inputs(&bare.trace), inputs(&paced.trace));
        assert_eq!(bare.trace.failure, paced.trace.failure);
        let screens = |trace: &Trace| -> Vec<_> {
            trace.events.iter().map(|event| (event.before.clone(), event.after.clone())).collect()
        };
        assert_eq!(screens(&bare.trace), screens(&paced.trace));
    }
    assert!(foreign.issues.iter().any(|issue| issue.to_string().contains("no pauses")));
}

#[test]
fn apes_action_history_is_cut_at_restarts_and_crashes() {
    let foreign = foreign::load(&fixture("action-history.log")).unwrap();
    assert_eq!(foreign.format, Format::Ape);
    assert_eq!(foreign.traces.len(), 2);
    let (crash, rest) = (&foreign.traces[0], &foreign.traces[1]);
    assert_eq!((crash.trace.start, rest.trace.start), (Reset::Clean, Reset::Warm));
    assert_eq!(
        inputs(&crash.trace),
        [
            Input::Tap(at(100, 150)),
            Input::Text { at: at(100, 250), text: "milk".into() },
            Input::Swipe { from: at(100, 600), to: at(100, 300) },
            Input::LongTap(at(10, 20)),
            Input::Key(Key::VolumeUp),
            Input::Key(Key::Back),
        ]
    );
    let target = crash.trace.events[0].target.as_ref().unwrap();
    assert_eq!((target.id.as_str(), target.text.as_str()), ("org.example.notes:id/add", "New [note]"));
    assert_eq!((target.class.as_str(), target.path.as_slice()), ("android.widget.Button", &[2][..]));
    let monkey = foreign::load(&fixture("monkey-output.log")).unwrap();
    assert_eq!(crash.trace.failure, monkey.traces[0].trace.failure, "the same bug as Monkey found");
    assert_eq!(inputs(&rest.trace), [Input::Wait(1000), Input::LongTap(at(5, 5))]);
    let texts: Vec<String> = foreign.issues.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    action-history.log, line 5: 1 fuzzing events without coordinates or counterpart; left out
    action-history.log, line 11: the action is no valid JSON (EOF while parsing a string at line 1 column 23); left out
    ");
}

#[test]
fn what_cannot_be_used_names_the_file_the_line_and_the_remedy() {
    let error = |name: &str, bytes: &[u8]| foreign::parse(name, bytes).unwrap_err().to_string();
    insta::assert_snapshot!(error("holiday.jpg", b"\xff\xd8\xff"), @"holiday.jpg, line 1: no trace that siamang knows: give one of its own (*.trace.json), a Monkey script, the output of `monkey -v -v`, a folder with SimplyDroid's script.log and execute.log, or one with APE's action-history.log");
    insta::assert_snapshot!(error("nothing.json", b" \n"), @"nothing.json is empty; record or copy it again");
    insta::assert_snapshot!(error("empty.script", b"type= user\nstart data >>\n"), @"empty.script, line 1: the script has no events; record it again; user events follow the line `start data >>`");
    insta::assert_snapshot!(error("m.txt", b":Monkey: seed=1 count=9\n"), @"m.txt, line 2: Monkey's output has no events; run Monkey with `-v -v`, which prints each of them");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("execute.log"), b"1;MonkeyTouchEvent;a;a.B;1\n").unwrap();
    let alone = foreign::load(folder.path()).unwrap_err();
    assert!(alone.to_string().ends_with("put the script.log of the same run beside it"), "{alone}");
    assert!(matches!(foreign::load(&folder.path().join("nothing")), Err(ForeignError::Read { .. })));
}

fn parse_all(bytes: &[u8]) {
    let _ = foreign::parse("x", bytes);
    let _ = foreign::parse_simplydroid(bytes, bytes);
    let _ = foreign::parse_simplydroid(b"LaunchActivity(a.b, .C)\nTap(1, 2)", bytes);
    for prefix in ["start data >>\n", ":Monkey: seed=1\n", "1 {\"actionType\":\"EVENT_NOP\"}\n"] {
        let mut with = prefix.as_bytes().to_vec();
        with.extend(bytes);
        let _ = foreign::parse("x", &with);
    }
}

#[test]
fn a_trace_cut_off_anywhere_is_read_as_far_as_it_goes() {
    for name in ["user.script", "raw.script", "monkey-output.log", "action-history.log"] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        for end in 0..bytes.len() {
            let _ = foreign::parse(name, &bytes[..end]);
            parse_all(&bytes[end..(end + 64).min(bytes.len())]);
        }
    }
}

#[test]
fn a_signature_of_a_trace_is_that_of_its_failure() {
    let foreign = foreign::load(&fixture("action-history.log")).unwrap();
    let one = &foreign.traces[0];
    assert_eq!(one.trace.failure, one.failure.as_ref().map(Signature::of));
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        parse_all(&bytes);
    }

    #[test]
    fn no_mixture_of_trace_pieces_makes_a_reader_panic(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "Tap(", "Drag(", "1", "-1e300", "NaN", ",", ")", "\n", "DispatchPointer(", "0,0,0,1,2,0,0,0,0,0,0,0)",
            "9223372036854775807", "-9223372036854775808", "DispatchKey(", "UserWait(", "PinchZoom(", "LaunchActivity(",
            ":Sending Touch (ACTION_DOWN): 0:(1.0,2.0)", ":Sending Touch (ACTION_UP): ", "0:(3.0,4.0)", " 1:(5,6)",
            "Sleeping for ", " milliseconds", ":Switch: ", "component=a/.B;end", "1;MonkeyThrottleEvent;a;b;1",
            "// CRASH: // a.B: c$$ \tat a.b.C(D.java:1)$$ ", "1 {\"actionType\":\"MODEL_CLICK\",\"bounds\":\"", "0,0,9,9\"}",
            "1 {\"actionType\":\"FUZZ\",\"events\":[]}", "é", "speed= 1e308", "start data >>", "capture", "#", "/*[@class=\"",
            "Wait Event for ", ":Sending Key (ACTION_DOWN): ",
        ]), 0..60)) {
        parse_all(pieces.concat().as_bytes());
    }
}
