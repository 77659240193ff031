//! The run on disk: what is written is read back, whatever happens to the files in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

#[path = "run_log/arbitrary.rs"]
mod arbitrary;
#[path = "run_log/damage.rs"]
mod damage;
#[path = "run_log/stream.rs"]
mod stream;

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use siamang::action::Input;
use siamang::device::Reset;
use siamang::gui::GuiTree;
use siamang::trace::{
    LogIssue, PackReader, PackWriter, Recorder, RunEvent, RunFolder, RunInfo, SpineReader, SpineWriter,
};
use stream::Stream;

/// All events that can be read, and all issues.
fn read(folder: &Path) -> (Vec<RunEvent>, Vec<LogIssue>) {
    let mut events = Vec::new();
    let mut issues = Vec::new();
    for item in SpineReader::open(folder).unwrap() {
        match item {
            Ok(event) => events.push(event),
            Err(issue) => issues.push(issue),
        }
    }
    (events, issues)
}

/// The events of so many steps of a run.
fn some_events(steps: usize) -> Vec<RunEvent> {
    let mut stream = Stream::new(1, 3);
    (0..steps).flat_map(|_| stream.next_events()).map(|(_, event)| event).collect()
}

/// Writes events in small frames.
fn write_small_frames(folder: &Path, events: &[RunEvent], frame_steps: u32) -> SpineWriter {
    let steps = NonZeroU32::new(frame_steps).unwrap();
    let mut writer = SpineWriter::create_with_frames_of(folder, steps).unwrap();
    for event in events {
        writer.write(event).unwrap();
    }
    writer
}

fn folder_bytes(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_events_come_back_from_a_finished_log_and_from_one_under_way(
        events in vec(arbitrary::event(), 0..40), frame_steps in 1..12_u32,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let writer = write_small_frames(folder.path(), &events, frame_steps);
        prop_assert_eq!(read(folder.path()), (events.clone(), vec![]));
        writer.finish().unwrap();
        prop_assert_eq!(read(folder.path()), (events, vec![]));
        prop_assert!(!folder.path().join("events.tail").exists());
    }

    #[test]
    fn any_trees_come_back_from_a_finished_pack_and_from_one_under_way(
        trees in vec(arbitrary::tree(), 0..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = PackWriter::create(folder.path()).unwrap();
        for tree in trees.iter().chain(&trees) {
            writer.write(tree).unwrap();
        }
        check_trees(folder.path(), &trees);
        writer.finish().unwrap();
        check_trees(folder.path(), &trees);
    }
}

fn check_trees(folder: &Path, trees: &[GuiTree]) {
    let mut pack = PackReader::open(folder).unwrap();
    assert_eq!(pack.issues(), []);
    for tree in trees {
        assert_eq!(pack.get(tree.hash()).unwrap().as_ref(), Some(tree));
    }
}

#[test]
fn a_recorded_run_has_few_files_and_at_most_150_bytes_a_step() {
    const STEPS: usize = 5_000;
    let runs = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(runs.path(), "org.example.notes", 1).unwrap();
    let mut recorder = Recorder::start(folder, RunInfo::new("org.example.notes", "virtual", 1)).unwrap();
    let mut stream = Stream::new(1, 4);
    for _ in 0..STEPS {
        for (tree, event) in stream.next_events() {
            if let Some(tree) = tree {
                recorder.tree(&tree);
            }
            recorder.record(&event);
        }
    }
    let folder = recorder.folder().clone();
    recorder.finish().unwrap();
    let bytes = folder_bytes(folder.path()) / STEPS as u64;
    assert!(bytes <= 150, "{bytes} bytes a step");
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert!(files <= 20, "{files} files");
    let (events, issues) = read(folder.path());
    assert_eq!(issues, []);
    assert_eq!(events, {
        let mut stream = Stream::new(1, 4);
        (0..STEPS).flat_map(|_| stream.next_events()).map(|(_, event)| event).collect::<Vec<_>>()
    });
    let mut pack = PackReader::open(folder.path()).unwrap();
    for event in &events {
        if let RunEvent::Step(step) = event {
            assert!(pack.get(step.after.tree).unwrap().is_some(), "{} has no tree", step.step);
        }
    }
}

#[test]
fn the_way_to_a_failure_is_read_back_from_the_last_clean_start_while_the_run_goes_on() {
    let runs = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(runs.path(), "org.example.notes", 1).unwrap();
    let info = RunInfo::new("org.example.notes", "virtual", 1);
    let mut recorder = Recorder::start(folder, info.clone()).unwrap();
    let mut inputs = Vec::new();
    let mut failures = 0;
    for event in some_events(4_500) {
        recorder.record(&event);
        match event {
            RunEvent::Reset { to: Reset::Clean, .. } => inputs.clear(),
            RunEvent::Reset { .. } => inputs.push(Input::Restart),
            RunEvent::Step(step) => inputs.push(step.input),
            RunEvent::Failure { session, signature, .. } => {
                let trace = recorder.trace_of(session, &signature).unwrap();
                let found: Vec<_> = trace.events.into_iter().map(|event| event.input).collect();
                assert_eq!((found, trace.start), (inputs.clone(), Reset::Clean));
                failures += 1;
            }
            _ => {}
        }
    }
    assert!(failures > 5);
}

#[test]
fn equal_events_give_equal_bytes() {
    let events = some_events(2_500);
    let write = || {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SpineWriter::create(folder.path()).unwrap();
        for event in &events {
            writer.write(event).unwrap();
        }
        writer.finish().unwrap();
        fs::read(folder.path().join("events.jsonl.zst")).unwrap()
    };
    assert_eq!(write(), write());
}

#[test]
fn a_log_can_be_unpacked_without_siamang() {
    let folder = tempfile::tempdir().unwrap();
    let events = some_events(20);
    write_small_frames(folder.path(), &events, 8).finish().unwrap();
    let file = fs::File::open(folder.path().join("events.jsonl.zst")).unwrap();
    let text = std::io::read_to_string(zstd::Decoder::new(file).unwrap()).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("{\"s\":")).count(), 20);
    assert_eq!(text.lines().filter(|line| line.starts_with("{\"f\":")).count(), 3);
}
