//! CHARD's report, its key events and its static pass, on real traces.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]
#[path = "support/skipped.rs"]
#[expect(dead_code, reason = "a part of it is used")]
mod skipped;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use siamang::action::{Input, Key, Wait};
use siamang::campaign::runner::judge;
use siamang::device::VirtualDevice;
use siamang::device::virtual_device::compile;
use siamang::seed::Seed;
use siamang::shrink::goal::Goal;
use siamang::trace::Trace;
use siamang::trace::foreign;
use siamang::trace::ineffective::{Rule, Rules};
use siamang::trace::key_events::{KeyEvents, Similarity};
use siamang::trace::replay::{Ended, replay};
use siamang::trace::user_event::UserSequence;
use support::hand::source;
use support::recorded::Recorded;

fn siamang(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn written(trace: &Trace, folder: &tempfile::TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    trace.write(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

/// WhoHasMyStuff's crash with detours: a blank area, the volume, a dialog, the form opened twice, a contact chosen once.
fn lent() -> Trace {
    let mut recorded = Recorded::new("lend_contact");
    recorded.tap_at(5, 5).key(Key::VolumeUp).tap("More options").tap("About").tap("OK");
    recorded.tap("Bicycle").tap("Remind me").key(Key::Back);
    recorded.tap("Dictionary").tap("Other day").tap("Set").tap("Remind me");
    recorded.tap("Choose a person").tap("Ada").tap("Choose a person").key(Key::Back);
    assert!(recorded.trace.failure.is_some(), "{:?}", recorded.hand.texts());
    recorded.trace.clone()
}

/// Where some of its events are.
const BICYCLE: usize = 5;
const REMIND: usize = 6;
const OUT: usize = 7;
const DICTIONARY: usize = 8;
const CHOOSE: usize = 12;
const CRASH: usize = 15;

fn key_events(trace: &Trace) -> (UserSequence, KeyEvents) {
    let sequence = UserSequence::of(trace);
    let found = KeyEvents::of(&sequence, &Rules::default(), Similarity::default());
    (sequence, found)
}

/// How a run of these events of a trace ends.
fn run(trace: &Trace, events: &[usize]) -> Ended {
    let app = compile::load(&source("lend_contact")).unwrap();
    let mut device = VirtualDevice::new(std::sync::Arc::new(app), Seed(1));
    let events = events.iter().map(|&event| trace.events[event].clone()).collect();
    let some = Trace { events, ..trace.clone() };
    let goal = Goal::Failure(trace.failure.clone().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(replay(&mut device, &some, |seen| judge(seen, &goal))).unwrap().ended
}

fn said(trace: &Trace, events: &[usize]) -> Vec<String> {
    events.iter().map(|&event| siamang::trace::replay::describe(&trace.events[event])).collect()
}

#[test]
fn short_drops_the_data_event_of_lend_contact_and_its_replay_fails() {
    let trace = lent();
    let (_, found) = key_events(&trace);
    let short = found.short.unwrap();
    assert_eq!(short, [BICYCLE, CHOOSE, CRASH], "{:?}", said(&trace, &short));
    assert_eq!(run(&trace, &short), Ended::Through);
}

#[test]
fn duplicate_keeps_the_data_event_of_lend_contact_and_reproduces() {
    let trace = lent();
    let (_, found) = key_events(&trace);
    let duplicate = found.duplicate.unwrap();
    let words = said(&trace, &duplicate);
    assert_eq!(words.iter().filter(|words| *words == "tap \"Remind me\"").count(), 1, "{words:?}");
    assert_eq!(run(&trace, &duplicate), Ended::Met);
    assert!(duplicate.len() <= 6, "{words:?}");
}

#[test]
fn the_second_way_into_the_form_goes_together_with_the_way_out_that_led_to_it() {
    let trace = lent();
    let (_, found) = key_events(&trace);
    let kept = found.duplicate.unwrap();
    assert_eq!(kept, [BICYCLE, REMIND, CHOOSE, CRASH], "{:?}", said(&trace, &kept));
    assert!(found.ineffective.kept.contains(&OUT) && found.ineffective.kept.contains(&DICTIONARY));
}

#[test]
fn the_rules_find_the_detours_of_lend_contact_and_what_they_leave_reproduces() {
    let trace = lent();
    let (_, found) = key_events(&trace);
    let rules: Vec<Rule> = found.ineffective.by_rule().iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, [Rule::NoOps, Rule::OptionalKey, Rule::ContraryPair, Rule::HiddenMenu]);
    assert_eq!(run(&trace, &found.ineffective.kept), Ended::Met);
}

#[test]
fn chard_as_a_shrinker_leaves_at_most_six_events_of_lend_contact() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&lent(), &folder, "lent.trace.json");
    let out = siamang(&["shrink", &file, "--algorithm", "chard", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report[0]["reproduced"], true);
    assert!(report[0]["minimal"].as_u64().unwrap() <= 6, "{report}");
}

#[test]
fn the_static_pass_before_a_shrinker_is_verified_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&lent(), &folder, "lent.trace.json");
    for algorithm in ["hdd", "pathfirst"] {
        let out = siamang(&["shrink", &file, "--algorithm", algorithm, "--rules-first", "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(report[0]["minimal"], 4, "{report}");
        assert!(report[0]["proposed"].as_u64().unwrap() > 0, "{report}");
        assert_eq!(report[0]["refuted"], 0, "{report}");
    }
}

#[test]
fn a_crash_that_needs_data_from_another_screen_ends_at_its_optimum() {
    let mut recorded = Recorded::new("data_off_path");
    recorded
        .tap_at(5, 5)
        .tap("More options")
        .tap("Settings")
        .tap("Reminders")
        .tap("Round amounts")
        .key(Key::Back);
    recorded.tap("Rent").key(Key::Back).key(Key::VolumeDown);
    recorded.tap("Reports").tap("August").tap("Export").key(Key::Back).tap("October").tap("Export");
    assert!(recorded.trace.failure.is_some(), "{:?}", recorded.hand.texts());
    let folder = tempfile::tempdir().unwrap();
    let file = written(&recorded.trace, &folder, "off.trace.json");
    for arguments in [&["chard"][..], &["hdd", "--rules-first"], &["pathfirst", "--rules-first"]] {
        let mut all = vec!["shrink", &file, "--json", "--algorithm"];
        all.extend(arguments);
        let out = siamang(&all);
        let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(report[0]["minimal"], 7, "{arguments:?}: {report}");
    }
}

#[test]
fn ineffective_serves_a_trace_without_a_failure_and_keeps_its_path() {
    let mut trace = lent();
    trace.events.pop();
    trace.failure = None;
    let folder = tempfile::tempdir().unwrap();
    let file = written(&trace, &folder, "quiet.trace.json");
    let kept = folder.path().join("kept.trace.json");
    let out =
        siamang(&["shrink", &file, "--strategy", "ineffective", "--out", kept.to_str().unwrap(), "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report[0]["goal"], "path:state");
    let kept = Trace::read(&kept).unwrap();
    assert!(kept.events.len() < trace.events.len());
    // What is left leads to the recorded screens.
    let mut left = trace.events.iter();
    for event in &kept.events {
        let recorded = left.find(|other| other.input == event.input && other.after == event.after);
        assert!(recorded.is_some(), "{event:?}");
    }
    assert_eq!(kept.events.last().unwrap().after, trace.events.last().unwrap().after);
}

#[test]
fn a_path_is_kept_by_no_algorithm_that_looks_for_a_failure() {
    let mut trace = lent();
    trace.events.pop();
    trace.failure = None;
    let folder = tempfile::tempdir().unwrap();
    let file = written(&trace, &folder, "quiet.trace.json");
    for algorithm in [&["pathfirst"][..], &["ddmin"], &["ineffective", "--rules-first"]] {
        let out = siamang(&[&["shrink", &file, "--goal", "path", "--strategy"], algorithm].concat());
        assert_eq!(out.status.code(), Some(2), "{algorithm:?}: {}", stderr(&out));
        assert!(stderr(&out).contains("--algorithm ineffective"), "{}", stderr(&out));
    }
}

#[test]
fn a_path_without_a_record_is_refused_and_it_is_said_how_to_record_it() {
    let mut trace = lent();
    trace.failure = None;
    trace.events[3].after = None;
    let folder = tempfile::tempdir().unwrap();
    let out = siamang(&["shrink", &written(&trace, &folder, "x.json"), "--strategy", "ineffective"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("event 4 has no screen after it"), "{}", stderr(&out));
    assert!(stderr(&out).contains("siamang explore"), "{}", stderr(&out));
}

#[test]
fn a_trace_is_explained_with_a_summary_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&lent(), &folder, "lent.trace.json");
    let out = siamang(&["explain", &file]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    insta::assert_snapshot!(stdout(&out), @r#"
    org.siamang.lend: 16 events in 6 windows, ending in java NullPointerException AddObject.onActivityResult 87ab23c5
      levels: 12 Essential, 2 Major, 1 Minor, 1 Trivial
      ineffective: 9 of 16 (56 %): no-ops 1, optional key 1, contrary pair 4, hidden menu 3
      key events, not replayed: Short 3 (the way through the windows), Duplicate 4 (one of each kind), Ineffective 7 (what the rules leave)
      in short: #6 clicks on LinearLayout with text "Object"; #13 clicks on Button with the id "choose" and text "Choose a person"; #16 presses BACK
      windows, with their events: /.ListLentObjects (5), /.ListLentObjects + popup (1), /.ListLentObjects + dialog (1), /.AddObject (6), 2 more

    One of each kind of event (Duplicate, 4 of 16, in the order of a replay):
    #0 is a Appswitch event that opens the entry page of "org.siamang.lend", causing the launch of activity "/.ListLentObjects", whose level is Essential.
    #6 is a Touch event that clicks on LinearLayout with text "Object", causing the launch of activity "/.AddObject", whose level is Essential.
    #7 is a Touch event that clicks on CheckBox with the id "remind" and text "Remind me", whose level is Major.
    #13 is a Touch event that clicks on Button with the id "choose" and text "Choose a person", causing the launch of activity "com.android.contacts.ContactPicker" of "com.android.contacts", whose level is Essential.
    #16 is a SysOp event that presses BACK, causing the crash of app, whose level is Essential.
    "#);
    let markdown = stdout(&siamang(&["explain", &file, "--format", "md"]));
    assert!(markdown.starts_with("# org.siamang.lend: 16 events"), "{markdown}");
    let all = stdout(&siamang(&["explain", &file, "--all"]));
    assert!(
        all.contains(
            "#1 is a Touch event that hits no widget, whose level is Trivial. [ineffective: no-ops]"
        ),
        "{all}"
    );
}

#[test]
fn the_script_of_the_key_events_reads_back_as_the_same_events() {
    let trace = lent();
    let folder = tempfile::tempdir().unwrap();
    let out = siamang(&["explain", &written(&trace, &folder, "lent.trace.json"), "--script"]);
    let text = stdout(&out);
    assert!(
        text.contains("LaunchActivity(org.siamang.lend, org.siamang.lend.ListLentObjects)\nUserWait(800)\n"),
        "{text}"
    );
    let read = foreign::parse("short.script", text.as_bytes()).unwrap();
    assert!(read.issues.is_empty(), "{:?}", read.issues);
    let inputs: Vec<&Input> = read.traces[0]
        .trace
        .events
        .iter()
        .map(|event| &event.input)
        .filter(|input| !matches!(input, Input::Wait(_)))
        .collect();
    let (_, found) = key_events(&trace);
    let wanted: Vec<&Input> =
        found.duplicate.as_ref().unwrap().iter().map(|&event| &trace.events[event].input).collect();
    assert_eq!(inputs, wanted);
}

#[test]
fn the_script_of_all_events_has_all_of_them_and_no_remark() {
    let trace = lent();
    let folder = tempfile::tempdir().unwrap();
    let out = siamang(&["explain", &written(&trace, &folder, "lent.trace.json"), "--script", "--all"]);
    let read = foreign::parse("all.script", &out.stdout).unwrap();
    assert_eq!(read.traces[0].trace.cost(), trace.cost(), "{}", stdout(&out));
    assert!(!stdout(&out).contains("not replayed"), "{}", stdout(&out));
}

#[test]
fn a_script_keeps_bursts_and_says_what_it_cannot_do() {
    let mut trace = lent();
    trace.failure = None;
    trace.events.truncate(3);
    trace.events[0].wait = Wait::Millis(50);
    trace.events[1].input =
        Input::Text { at: siamang::gui::Point { x: 1, y: 2 }, text: "a; rm -rf (x)\nTap(1,2,0)".into() };
    trace.events[2].input = Input::Restart;
    let text = siamang::explain::script::render(&trace, None, &[0, 1, 2], None);
    assert!(text.contains("UserWait(50)"), "{text}");
    assert!(text.contains("# type by hand: a; rm -rf xTap1,2,0"), "{text}");
    assert!(text.contains("# by hand: close the app and start it again"), "{text}");
    let events = foreign::parse("x", text.as_bytes()).unwrap().traces[0].trace.cost();
    assert_eq!(events, 2, "nothing of the text became an event: {text}");
}

#[test]
fn the_tree_is_drawn_as_dot_and_as_svg() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&lent(), &folder, "lent.trace.json");
    let dot = stdout(&siamang(&["explain", &file, "--tree", "dot"]));
    assert!(dot.contains("style=dashed") && dot.contains("/.AddObject"), "{dot}");
    let svg = stdout(&siamang(&["explain", &file, "--tree", "svg"]));
    assert!(svg.starts_with("<svg") && svg.contains("stroke-dasharray"), "{svg}");
}

#[test]
fn json_has_every_line_with_its_level() {
    let folder = tempfile::tempdir().unwrap();
    let out = siamang(&["explain", &written(&lent(), &folder, "x.json"), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json[0]["lines"].as_array().unwrap().len(), 16);
    assert_eq!(json[0]["lines"][15]["level"], "Essential");
    assert_eq!(json[0]["ineffective"][0]["rule"], "no-ops");
}

#[test]
fn an_empty_trace_and_garbage_are_refused_in_clear_words() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Trace { events: Vec::new(), failure: None, ..lent() };
    let out = siamang(&["explain", &written(&empty, &folder, "empty.json")]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("the trace has no events"), "{}", stderr(&out));
    for (name, content) in [
        ("noise", &b"\x00\xff\xfe noise"[..]),
        ("half.json", b"{\"format\": 1, \"pack"),
        ("nothing", b""),
        ("other.json", b"{\"a\": 1}"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        for command in [&["explain"][..], &["shrink", "--static"]] {
            let mut arguments = command.to_vec();
            arguments.push(path.to_str().unwrap());
            let out = siamang(&arguments);
            assert_eq!(out.status.code(), Some(2), "{name}: {}", stderr(&out));
            assert!(stderr(&out).starts_with("error: "), "{name}: {}", stderr(&out));
        }
    }
    let nothing = siamang(&["explain", folder.path().join("nothing").to_str().unwrap()]);
    assert!(stderr(&nothing).contains("nothing is empty"), "{}", stderr(&nothing));
    let nowhere = siamang(&["explain", "no/such/file"]);
    assert_eq!(nowhere.status.code(), Some(2));
    let bare = folder.path().join("bare");
    std::fs::create_dir(&bare).unwrap();
    assert!(stderr(&siamang(&["explain", bare.to_str().unwrap()])).contains("there is no trace in"));
}

#[test]
fn a_monkey_script_without_activities_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("monkey.script");
    let script = "start data >>\nLaunchActivity(a.b, a.b.One)\nTap(10.0, 20.0, 0)\nDispatchPress(3)\nDispatchPress(24)\n";
    std::fs::write(&path, script).unwrap();
    let path = path.to_str().unwrap();
    let text = stdout(&siamang(&["explain", path]));
    assert!(text.contains("names no activity"), "{text}");
    assert!(text.contains("ineffective: 2 of 3 (67 %): home key 1, optional key 1"), "{text}");
    let turning = stdout(&siamang(&["explain", path, "--optional-keys", "call"]));
    assert!(turning.contains("ineffective: 1 of 3"), "{turning}");
    let tree = siamang(&["explain", path, "--tree", "svg"]);
    assert_eq!(tree.status.code(), Some(2));
    assert!(stderr(&tree).contains("there is no window tree"), "{}", stderr(&tree));
}

#[test]
fn wrong_keys_and_shares_are_refused() {
    for (flag, value, words) in [
        ("--optional-keys", "volume_sideways", "no key is called so"),
        ("--theta", "1.5", "give a share from 0 to 1"),
        ("--theta", "NaN", "give a share from 0 to 1"),
    ] {
        let out = siamang(&["explain", "x", flag, value]);
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(words), "{}", stderr(&out));
    }
}

/// The recorded trace of a failure that was shrunk is in the log of its run alone.
#[test]
fn the_original_of_a_copied_failure_is_refused_with_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let explore = ["explore", "models/counter_crash.toml", "--strategy", "random", "--steps", "2000"];
    siamang(&[&explore[..], &["--out", run.to_str().unwrap()]].concat());
    let crash = std::fs::read_dir(run.join("crashes")).unwrap().next().unwrap().unwrap().path();
    let minimal = std::fs::read(crash.join("minimal.trace.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&minimal).unwrap();
    let length = report["shrunk"]["original"].as_u64().unwrap();
    for name in ["copy/minimal.trace.json", "traces/mine.json"] {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &minimal).unwrap();
        let copy = file.parent().unwrap().to_str().unwrap();
        let out = siamang(&["explain", copy, "--original"]);
        assert_eq!(out.status.code(), Some(2), "{}", stdout(&out));
        let told =
            format!("the recorded one of {} is only in the log", siamang::numbers::counted(length, "event"));
        assert!(stderr(&out).contains(&told), "{}", stderr(&out));
        assert_eq!(siamang(&["explain", copy]).status.code(), Some(0));
    }
}

#[test]
fn every_crash_folder_has_its_explanation() {
    let folder = tempfile::tempdir().unwrap();
    for shrink in ["no", "after"] {
        let run = folder.path().join(shrink);
        let out = siamang(&[
            "explore",
            "models/counter_crash.toml",
            "--strategy",
            "random",
            "--steps",
            "2000",
            "--shrink",
            shrink,
            "--out",
            run.to_str().unwrap(),
        ]);
        assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
        for crash in std::fs::read_dir(run.join("crashes")).unwrap() {
            let text = std::fs::read_to_string(crash.unwrap().path().join("explanation.md")).unwrap();
            assert!(text.contains("causing the crash of app, whose level is Essential."), "{text}");
            assert_eq!(text.contains("## As it was found"), shrink == "after", "{text}");
        }
        let explained = siamang(&["explain", run.to_str().unwrap()]);
        assert_eq!(explained.status.code(), Some(0), "{}", stderr(&explained));
        assert_eq!(stdout(&explained).contains("each of which is needed"), shrink == "after");
        let original = stdout(&siamang(&["explain", run.to_str().unwrap(), "--original"]));
        assert!(original.contains("key events, not replayed"), "{original}");
        if shrink == "no" {
            // A shrink that had no time to try each event does not say that each is needed.
            let budget = siamang(&["shrink", run.to_str().unwrap(), "--max-runs", "2"]);
            assert_eq!(budget.status.code(), Some(1), "{}", stderr(&budget));
            for crash in std::fs::read_dir(run.join("crashes")).unwrap() {
                let text = std::fs::read_to_string(crash.unwrap().path().join("explanation.md")).unwrap();
                assert!(text.contains("## As it was found"), "{text}");
                assert!(!text.contains("each of which is needed"), "{text}");
            }
            let replayed = siamang(&["replay", run.to_str().unwrap(), "--times", "3"]);
            assert!(stdout(&replayed).contains("in 3 of 3 runs"), "{}", stdout(&replayed));
            let explained = stdout(&siamang(&["explain", run.to_str().unwrap()]));
            assert!(!explained.contains("each of which is needed"), "{explained}");
        }
    }
}

fn shared() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces/simplydroid");
    if path.is_dir() {
        return Some(path);
    }
    skipped::without_shared();
    None
}

#[test]
fn without_a_device_each_trace_of_simplydroid_shows_its_tree_and_what_could_be_dropped() {
    let Some(shared) = shared() else { return };
    let out = siamang(&["shrink", shared.join("WhoHasMyStuff").to_str().unwrap(), "--static"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    assert_eq!(text.matches("(start)\n").count(), 10, "{text}");
    assert_eq!(text.matches("the path through the windows").count(), 10, "{text}");
    assert_eq!(text.matches("these are guesses until").count(), 1, "what holds for all is said once: {text}");
    assert_eq!(text.matches(", the last one fails").count(), 10, "{text}");
    for app in ["Dalvik", "Tippy", "Yahtzee"] {
        let json = siamang(&["shrink", shared.join(app).to_str().unwrap(), "--static", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        for report in json.as_array().unwrap() {
            assert!(report["short"].as_array().unwrap().len() <= 8, "{report}");
        }
    }
}

#[test]
fn a_long_trace_of_simplydroid_is_explained_in_few_lines() {
    let Some(shared) = shared() else { return };
    for number in 1..=10 {
        let folder = shared.join("WhoHasMyStuff").join(number.to_string());
        let text = stdout(&siamang(&["explain", folder.to_str().unwrap()]));
        assert!(text.lines().count() <= 40, "{number}: {} lines", text.lines().count());
    }
    let folders = ["1", "2"].map(|number| shared.join("Tippy").join(number).to_str().unwrap().to_owned());
    let both = siamang(&["explain", &folders[0], &folders[1]]);
    assert_eq!(both.status.code(), Some(0), "any of several folders may hold logs: {}", stderr(&both));
}
