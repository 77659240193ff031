use std::time::Duration;

use super::*;
use crate::device::Reset;
use crate::gui::GuiTree;
use crate::ids::{SessionId, StepId, TreeHash};
use crate::oracle::{Failure, FailureKind, Signature};
use crate::trace::{RunEvent, Screen, ShrinkReport, SpineReader};

fn trace() -> Trace {
    Trace {
        format: Trace::FORMAT,
        package: "org.example".into(),
        app_hash: "0".into(),
        target: "models/x.toml".into(),
        device: "virtual".into(),
        start: Reset::Clean,
        first: None,
        failure: None,
        events: Vec::new(),
    }
}

/// What an error says, without the place of the test's own folder.
fn told<T: std::fmt::Debug>(result: Result<T, StoreError>, folder: &Path) -> String {
    result.unwrap_err().to_string().replace(&folder.display().to_string(), "DIR")
}

#[test]
fn folders_count_up_and_latest_points_to_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let runs = dir.path().join("runs");
    let first = RunFolder::create(&runs, "../../x", 7).unwrap();
    let second = RunFolder::create(&runs, "../../x", 7).unwrap();
    let name = folder_name("../../x");
    assert_eq!(first.path(), runs.join(format!("{name}-7-1")));
    assert_eq!(second.path(), runs.join(format!("{name}-7-2")));
    #[cfg(unix)]
    assert_eq!(fs::read_link(runs.join("latest")).unwrap(), Path::new(&format!("{name}-7-2")));
    // A removed run does not give its number away, as long as a later one is there.
    fs::remove_dir(first.path()).unwrap();
    assert!(RunFolder::create(&runs, "../../x", 7).unwrap().path().ends_with(format!("{name}-7-3")));
}

#[test]
fn the_longest_and_strangest_name_makes_a_folder_below_runs() {
    let dir = tempfile::tempdir().unwrap();
    for app in ["\u{200f}".repeat(1400), "/".into(), "..".into(), String::new(), "a\0b".into()] {
        let folder = RunFolder::create(dir.path(), &app, u64::MAX).unwrap();
        assert_eq!(folder.path().parent(), Some(dir.path()));
    }
}

#[test]
fn a_folder_that_is_in_use_is_never_written_into() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("out");
    RunFolder::create_at(&place).unwrap();
    RunFolder::create_at(&place).unwrap();
    fs::write(place.join("mine.txt"), "mine").unwrap();
    insta::assert_snapshot!(told(RunFolder::create_at(&place), dir.path()), @"DIR/out exists already; name another folder or remove it first");
    fs::write(dir.path().join("file"), "").unwrap();
    insta::assert_snapshot!(told(RunFolder::create_at(&dir.path().join("file")), dir.path()), @"DIR/file exists already; name another folder or remove it first");
    insta::assert_snapshot!(told(RunFolder::create(&dir.path().join("file/runs"), "x", 1), dir.path()), @"DIR/file/runs cannot be written (Not a directory (os error 20)); check its permissions or name another folder with --out");
}

#[test]
fn what_is_no_run_is_not_opened_as_one() {
    let dir = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(told(RunFolder::open(dir.path()), dir.path()), @"DIR is not the folder of a run: it has no run.json; name a folder below `runs`, such as runs/latest");
    insta::assert_snapshot!(told(RunFolder::open(&dir.path().join("none")), dir.path()), @"there is no DIR/none; check the name: runs are folders below `runs`, their traces are below `crashes`");
    fs::write(dir.path().join("run.json"), "{\"format\": 99}").unwrap();
    insta::assert_snapshot!(told(RunFolder::open(&dir.path().join("run.json")), dir.path()), @"DIR/run.json is not the folder of a run: it is a file of one; name that run, DIR");
    insta::assert_snapshot!(told(RunFolder::open(dir.path()).unwrap().info(), dir.path()), @"DIR/run.json has format 99, this siamang reads up to 1; use a newer siamang");
}

#[test]
fn a_file_that_is_taken_for_a_run_is_told_the_run_that_it_is_of() {
    let dir = tempfile::tempdir().unwrap();
    let crash = dir.path().join("run/crashes/x");
    fs::create_dir_all(&crash).unwrap();
    fs::write(crash.join("minimal.trace.json"), "{}").unwrap();
    let trace = crash.join("minimal.trace.json");
    insta::assert_snapshot!(told(RunFolder::open(&trace), dir.path()), @"DIR/run/crashes/x/minimal.trace.json is not the folder of a run: it is a file; name a folder below `runs`, such as runs/latest");
    fs::write(dir.path().join("run/run.json"), "{}").unwrap();
    insta::assert_snapshot!(told(RunFolder::open(&trace), dir.path()), @"DIR/run/crashes/x/minimal.trace.json is not the folder of a run: it is a file of one; name that run, DIR/run");
}

#[test]
fn the_run_of_a_failure_has_the_name_that_people_gave() {
    let dir = tempfile::tempdir().unwrap();
    let dir = fs::canonicalize(dir.path()).unwrap();
    let run = dir.join("run");
    let crash = run.join("crashes/x");
    fs::create_dir_all(&crash).unwrap();
    assert_eq!(RunFolder::of_crash(&crash), None);
    fs::write(run.join("run.json"), "{}").unwrap();
    let named = |path: &Path| RunFolder::of_crash(path).map(|run| run.path().to_owned());
    assert_eq!(named(&crash), Some(run.clone()));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("run", dir.join("latest")).unwrap();
        assert_eq!(named(&dir.join("latest/crashes/x")), Some(dir.join("latest")));
        std::os::unix::fs::symlink("run/crashes/x", dir.join("link")).unwrap();
        assert_eq!(named(&dir.join("link")), Some(run));
    }
}

#[test]
fn what_was_run_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create_at(&dir.path().join("run")).unwrap();
    let info = RunInfo {
        activities: vec!["Main".into()],
        branches: Some(3),
        configuration: serde_json::json!({"steps": 20_000, "strategy": "random"}),
        ..RunInfo::new("org.example", "virtual", u64::MAX)
    };
    folder.write_info(&info).unwrap();
    assert_eq!(RunFolder::open(folder.path()).unwrap().info().unwrap(), info);
}

#[test]
fn a_trace_that_is_none_says_what_it_is_instead() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trace.json");
    trace().write(&path).unwrap();
    assert_eq!(Trace::read(&path).unwrap(), trace());
    let text = fs::read_to_string(&path).unwrap();
    let told_of = |text: &str| {
        fs::write(&path, text).unwrap();
        told(Trace::read(&path), dir.path())
    };
    insta::assert_snapshot!(told_of(&text[..text.len() / 2]), @"DIR/trace.json ends in the middle of a trace of siamang; copy it again, or record it again");
    insta::assert_snapshot!(told_of(""), @"DIR/trace.json ends in the middle of a trace of siamang; copy it again, or record it again");
    insta::assert_snapshot!(told_of("<html>"), @"DIR/trace.json is not a trace of siamang: expected value at line 1 column 1");
    insta::assert_snapshot!(told_of("[1]"), @"DIR/trace.json is not a trace of siamang: it is JSON, but no object");
    insta::assert_snapshot!(told_of("{}"), @"DIR/trace.json is not a trace of siamang: it does not say its `format`");
    insta::assert_snapshot!(told_of(&text.replace("\"format\": 1", "\"format\": 2")), @"DIR/trace.json has format 2, this siamang reads up to 1; use a newer siamang");
    insta::assert_snapshot!(told_of(&text.replace("\"clean\"", "\"wet\"")), @"DIR/trace.json is not a trace of siamang: unknown variant `wet`, expected `warm` or `clean` at line 7 column 16");
    fs::write(&path, b"\xff\xfe").unwrap();
    assert!(matches!(Trace::read(&path), Err(StoreError::Malformed { .. })));
    fs::remove_file(&path).unwrap();
    insta::assert_snapshot!(told(Trace::read(&path), dir.path()), @"there is no DIR/trace.json; check the name: runs are folders below `runs`, their traces are below `crashes`");
    insta::assert_snapshot!(told(Trace::read(dir.path()), dir.path()), @"DIR is not a trace of siamang: it is a folder");
    for end in 0..text.len() - 2 {
        fs::write(&path, &text[..end]).unwrap();
        assert!(matches!(Trace::read(&path), Err(StoreError::Truncated { .. })), "cut at {end}");
    }
}

#[test]
fn a_crash_has_its_own_folder_with_whole_files() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create_at(&dir.path().join("run")).unwrap();
    let failure = Failure {
        kind: FailureKind::Exit,
        package: "org.example".into(),
        chain: Vec::new(),
        message: "../../../etc/passwd".into(),
    };
    let signature = Signature("exit ../../../etc 12345678".into());
    assert_eq!(folder.kept_crash(&signature).unwrap(), None);
    let found = Crash::found(trace(), failure);
    folder.keep_crash(&signature, &found, Elsewhere::InSpine).unwrap();
    folder.keep_crash(&signature, &found, Elsewhere::InSpine).unwrap();
    assert_eq!(folder.kept_crash(&signature).unwrap(), Some(found.clone()));
    assert_eq!(files_of(&folder.crash(&signature)), ["original.trace.json"]);
    assert_eq!(Trace::read(&folder.crash(&signature).join("original.trace.json")).unwrap(), trace());
    let report = |reproduced| ShrinkReport {
        format: ShrinkReport::FORMAT,
        goal: signature.to_string(),
        algorithm: "ddmin".into(),
        original: 70,
        minimal: 3,
        began_with: None,
        runs: 12,
        events: 99,
        rounds: 1,
        skipped: 0,
        rechecked: 0,
        wrong: 0,
        proposed: 0,
        refuted: 0,
        ended: ShrinkReport::DONE.into(),
        reproduced,
        certain: true,
        certificate_runs: 3,
        nd3min: None,
        certificate_hits: 3,
        original_runs: 0,
        new_runs: 0,
        used_runs: 0,
        used_hits: 0,
        original_hits: 0,
        instead: None,
    };
    let in_vain = Crash { shrunk: Some(report(false)), ..found.clone() };
    folder.keep_crash(&signature, &in_vain, Elsewhere::InSpine).unwrap();
    assert_eq!(files_of(&folder.crash(&signature)), ["original.trace.json"]);
    let shrunk = Crash { shrunk: Some(report(true)), ..found };
    folder.keep_crash(&signature, &shrunk, Elsewhere::InSpine).unwrap();
    folder.write_explanation(&signature, "# gone").unwrap();
    assert_eq!(folder.kept_crash(&signature).unwrap(), Some(shrunk));
    let crash = folder.crash(&signature);
    assert_eq!(crash.parent().unwrap().parent().unwrap(), folder.path());
    assert_eq!(files_of(&crash), ["explanation.md", "minimal.trace.json"]);
}

#[test]
fn the_pictures_of_an_older_trace_go_and_nothing_else_does() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create_at(&dir.path().join("run")).unwrap();
    let signature = Signature("exit 3".into());
    folder.forget_pictures(&signature);
    folder.write_explanation(&signature, "# gone").unwrap();
    for at in [0, 4, 1200] {
        folder.keep_picture(&signature, at, b"png").unwrap();
    }
    let crash = folder.crash(&signature);
    fs::write(crash.join("screen-mine.png"), b"of somebody else").unwrap();
    assert_eq!(folder.picture(&signature, 1200).as_deref(), Some(&b"png"[..]));
    folder.forget_pictures(&signature);
    assert_eq!(folder.picture(&signature, 0), None);
    assert_eq!(files_of(&crash), ["explanation.md", "screen-mine.png"]);
}

fn files_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    files
}

#[test]
fn times_are_noted_once_a_second_or_every_thousand_steps() {
    let dir = tempfile::tempdir().unwrap();
    let mut timing = Timing::create(dir.path()).unwrap();
    for step in 1..=2_500 {
        timing.note(StepId(step), Duration::from_micros(step * 10)).unwrap();
    }
    timing.note(StepId(2_501), Duration::from_millis(999)).unwrap();
    timing.note(StepId(2_502), Duration::from_millis(1_021)).unwrap();
    timing.finish(StepId(2_502), Duration::from_millis(1_030)).unwrap();
    let text = fs::read_to_string(dir.path().join("timing.jsonl")).unwrap();
    insta::assert_snapshot!(text, @r#"
    {"step":1000,"ms":10}
    {"step":2000,"ms":20}
    {"step":2502,"ms":1021}
    {"step":2502,"ms":1030}
    "#);
}

fn reset_event() -> RunEvent {
    RunEvent::Reset {
        session: SessionId(0),
        to: Reset::Clean,
        reason: "start".into(),
        screen: Screen {
            activity: "Main".into(),
            windows: vec![],
            tree: TreeHash(1),
            foreign: None,
            structure: None,
        },
        rules: None,
        new_branches: vec![],
        time_ms: 0,
    }
}

#[test]
fn an_event_too_large_to_be_read_back_is_left_out_and_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create_at(&dir.path().join("run")).unwrap();
    let mut recorder = Recorder::start(folder, RunInfo::new("org.example", "virtual", 1)).unwrap();
    recorder.record(&reset_event());
    recorder.record(&RunEvent::Warning { session: None, text: "x".repeat(17 << 20) });
    recorder.tree(&GuiTree::empty());
    recorder.record(&reset_event());
    let path = recorder.folder().path().to_owned();
    insta::assert_snapshot!(told(recorder.finish(), dir.path()), @"one record of 17825807 bytes is too large for DIR/run/events.jsonl.zst; it was left out");
    let events: Result<Vec<_>, _> = SpineReader::open(&path).unwrap().collect();
    assert_eq!(events.unwrap(), [reset_event(), reset_event()]);
}

/// `/dev/full` says that the disk is full whenever it is written to.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_recording_and_not_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let error = fs::OpenOptions::new().write(true).open("/dev/full").unwrap().write_all(b"x").unwrap_err();
    insta::assert_snapshot!(told::<()>(Err(StoreError::writing(&dir.path().join("events.tail"), error)), dir.path()), @"the disk is full at DIR/events.tail; free some space: what was recorded until now is kept");
    let folder = RunFolder::create_at(&dir.path().join("run")).unwrap();
    let mut recorder = Recorder::start(folder, RunInfo::new("org.example", "virtual", 1)).unwrap();
    recorder.record(&reset_event());
    recorder.fail_from_now_on();
    recorder.record(&reset_event());
    assert!(matches!(recorder.trouble(), Some(StoreError::DiskFull { .. })));
    recorder.tree(&GuiTree::empty());
    recorder.record(&reset_event());
    // What is found from now on still has its trace, and there is room left for it.
    let RunEvent::Reset { session, .. } = reset_event() else { panic!("a reset") };
    let (package, message) = ("org.example".to_owned(), "gone".to_owned());
    let failure = Failure { kind: FailureKind::Exit, package, chain: Vec::new(), message };
    let signature = Signature::of(&failure);
    recorder.record(&RunEvent::Failure {
        session,
        step: StepId(1),
        signature: signature.clone(),
        failure: Some(Box::new(failure.clone())),
    });
    let trace = recorder.trace_of(session, &signature).unwrap();
    assert_eq!((trace.failure.as_ref(), trace.first.is_some()), (Some(&signature), true));
    recorder.folder().keep_crash(&signature, &Crash::found(trace, failure), Elsewhere::InSpine).unwrap();
    let path = recorder.folder().path().to_owned();
    assert!(!path.join("reserve").exists());
    assert!(matches!(recorder.finish(), Err(StoreError::DiskFull { .. })));
    let events: Result<Vec<_>, _> = SpineReader::open(&path).unwrap().collect();
    assert_eq!(events.unwrap(), [reset_event()]);
    let summary = Summary::of_run(&RunFolder::open(&path).unwrap()).unwrap();
    assert_eq!(summary.failures.iter().map(|failure| &failure.signature).collect::<Vec<_>>(), [&signature]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink("file", &link).unwrap();
    write_atomically(&link, b"new").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"new");
    let null = folder.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &null).unwrap();
    write_atomically(&null, b"lost").unwrap();
    assert!(fs::symlink_metadata(&null).unwrap().is_symlink() && !fs::metadata(&null).unwrap().is_file());
}
