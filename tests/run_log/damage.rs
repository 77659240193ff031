//! Files that were cut, flipped, mixed up or left behind by a killed process.

use std::fs;
use std::ops::Range;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use siamang::gui::tree::WidgetPool;
use siamang::trace::framed::Trouble;
use siamang::trace::{PackReader, PackWriter, RunEvent};

use super::{read, some_events, stream, write_small_frames};

const EVENTS: &str = "events.jsonl.zst";
const TAIL: &str = "events.tail";

/// Where the frames of a file are, found by the mark in each head.
fn frames(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = bytes
        .windows(7)
        .enumerate()
        .filter(|(_, window)| *window == b"siamang")
        .map(|(at, _)| at - 8)
        .collect();
    starts.push(bytes.len());
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte == b'\n').count() - 1
}

/// A finished log of 3 frames with 4 steps each, and the events of each frame.
fn small_log(folder: &Path) -> (Vec<u8>, Vec<Vec<RunEvent>>) {
    let events = some_events(12);
    write_small_frames(folder, &events, 4).finish().unwrap();
    let bytes = fs::read(folder.join(EVENTS)).unwrap();
    let mut by_frame = vec![Vec::new()];
    let mut steps = 0;
    for event in events {
        steps += usize::from(matches!(event, RunEvent::Step(_)));
        by_frame.last_mut().unwrap().push(event);
        if steps == 4 {
            steps = 0;
            by_frame.push(Vec::new());
        }
    }
    by_frame.retain(|events| !events.is_empty());
    assert_eq!(by_frame.len(), 3);
    assert_eq!(frames(&bytes).len(), 3);
    (bytes, by_frame)
}

#[test]
fn a_log_cut_at_any_byte_gives_everything_before_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, events) = small_log(folder.path());
    let frames = frames(&bytes);
    for cut in 0..=bytes.len() {
        fs::write(folder.path().join(EVENTS), &bytes[..cut]).unwrap();
        let whole = frames.iter().filter(|frame| frame.end <= cut).count();
        let (found, issues) = read(folder.path());
        assert_eq!(found, events[..whole].concat(), "cut at {cut}");
        let is_clean = cut == 0 || frames.iter().any(|frame| frame.end == cut);
        assert_eq!(issues.len(), usize::from(!is_clean), "cut at {cut}: {issues:?}");
        for issue in issues {
            assert_eq!(issue.trouble, Trouble::CutOff, "cut at {cut}");
            assert_eq!(issue.bytes, frames[whole].start as u64..cut as u64);
        }
    }
}

#[test]
fn a_flipped_byte_costs_its_frame_and_no_more_and_the_frame_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, events) = small_log(folder.path());
    for (number, frame) in frames(&bytes).into_iter().enumerate() {
        for at in frame.clone() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(folder.path().join(EVENTS), &flipped).unwrap();
            let (found, issues) = read(folder.path());
            let mut rest = events.clone();
            rest.remove(number);
            assert_eq!(found, rest.concat(), "flipped at {at}");
            let [issue] = issues.as_slice() else { panic!("flipped at {at}: {issues:?}") };
            assert_eq!(issue.bytes, frame.start as u64..frame.end as u64);
            // Only behind a broken head at the very end nobody knows what was there.
            if number < 2 || issue.lost.is_some() {
                assert_eq!((issue.frame, issue.lost), (Some(number as u32), Some(4)), "flipped at {at}");
                assert_eq!(issue.trouble, Trouble::Damaged, "flipped at {at}");
            }
        }
    }
}

#[test]
fn every_frame_can_be_read_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, events) = small_log(folder.path());
    for (number, frame) in frames(&bytes).into_iter().enumerate() {
        fs::write(folder.path().join(EVENTS), &bytes[frame]).unwrap();
        let (found, issues) = read(folder.path());
        assert_eq!(found, events[number]);
        let lost: Vec<_> = issues.iter().map(|issue| (&issue.trouble, issue.lost)).collect();
        let absent = (&Trouble::Absent, Some(4 * number as u64));
        assert_eq!(lost, if number == 0 { vec![] } else { vec![absent] });
    }
}

#[test]
fn garbage_after_the_end_is_told_and_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut bytes, events) = small_log(folder.path());
    let end = bytes.len() as u64;
    bytes.extend_from_slice(&[7; 300]);
    fs::write(folder.path().join(EVENTS), &bytes).unwrap();
    let (found, issues) = read(folder.path());
    assert_eq!(found, events.concat());
    assert_eq!(issues.len(), 1);
    assert_eq!((&issues[0].trouble, issues[0].bytes.clone()), (&Trouble::Garbage, end..end + 300));
    insta::assert_snapshot!(issues[0].to_string().replace(char::is_numeric, "#"), @"events.jsonl.zst, bytes #### to ####: not written by siamang");
}

#[test]
fn bytes_that_vanish_or_appear_in_the_middle_cost_one_frame() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, events) = small_log(folder.path());
    let middle = frames(&bytes)[1].clone();
    for at in middle.clone() {
        let mut shorter = bytes.clone();
        shorter.drain(at..(at + 5).min(middle.end));
        let mut longer = bytes.clone();
        longer.splice(at..at, [1, 2, 3]);
        for changed in [shorter, longer] {
            fs::write(folder.path().join(EVENTS), changed).unwrap();
            let (found, _) = read(folder.path());
            // Between two frames, additional bytes hurt nobody.
            let all = events.concat();
            let rest = [events[0].clone(), events[2].clone()].concat();
            assert!(found == rest || (at == middle.start && found == all), "changed at {at}");
        }
    }
}

#[test]
fn a_process_killed_after_any_event_has_lost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let events = some_events(30);
    let steps = std::num::NonZeroU32::new(7).unwrap();
    let mut writer = siamang::trace::SpineWriter::create_with_frames_of(folder.path(), steps).unwrap();
    for (written, event) in events.iter().enumerate() {
        let copy = tempfile::tempdir().unwrap();
        for file in [EVENTS, TAIL] {
            fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
        }
        assert_eq!(read(copy.path()), (events[..written].to_vec(), vec![]));
        writer.write(event).unwrap();
    }
}

#[test]
fn a_process_killed_while_it_closes_a_frame_has_lost_nothing_and_told_nothing_twice() {
    let closed = tempfile::tempdir().unwrap();
    let open = tempfile::tempdir().unwrap();
    let events = some_events(5);
    let _writer = write_small_frames(closed.path(), &events, 5);
    let _other = write_small_frames(open.path(), &events, 100);
    let frame = fs::read(closed.path().join(EVENTS)).unwrap();
    assert_eq!(fs::read(closed.path().join(TAIL)).unwrap(), b"");
    for cut in 0..=frame.len() {
        fs::write(open.path().join(EVENTS), &frame[..cut]).unwrap();
        assert_eq!(read(open.path()), (events.clone(), vec![]), "killed after {cut} bytes of the frame");
    }
}

#[test]
fn a_process_killed_inside_a_write_has_lost_its_last_event() {
    let folder = tempfile::tempdir().unwrap();
    let events = some_events(6);
    let _writer = write_small_frames(folder.path(), &events, 100);
    let tail = fs::read(folder.path().join(TAIL)).unwrap();
    // The tail has two lines more than events: its own head and the frame's.
    for cut in 0..=tail.len() {
        fs::write(folder.path().join(TAIL), &tail[..cut]).unwrap();
        let lines = newlines(&tail[..cut]);
        let (found, issues) = read(folder.path());
        assert_eq!(found, events[..lines.saturating_sub(2)], "cut at {cut}");
        let is_clean = cut == 0 || tail[cut - 1] == b'\n';
        assert_eq!(issues.len(), usize::from(!is_clean), "cut at {cut}: {issues:?}");
    }
}

#[test]
fn a_flipped_byte_in_the_tail_leaves_everything_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let events = some_events(6);
    let _writer = write_small_frames(folder.path(), &events, 100);
    let tail = fs::read(folder.path().join(TAIL)).unwrap();
    for at in 0..tail.len() {
        let mut flipped = tail.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(folder.path().join(TAIL), &flipped).unwrap();
        let lines = newlines(&tail[..at]);
        let (found, issues) = read(folder.path());
        assert_eq!(found, events[..lines.saturating_sub(2)], "flipped at {at}");
        let [issue] = issues.as_slice() else { panic!("flipped at {at}: {issues:?}") };
        assert!(issue.in_tail && issue.lost.is_some());
    }
}

#[test]
fn a_pack_gives_the_right_tree_or_none_whatever_byte_was_flipped_or_cut() {
    let folder = tempfile::tempdir().unwrap();
    let mut pool = WidgetPool::default();
    let trees: Vec<_> = (0..4).map(|screen| stream::tree(&mut pool, screen * 10, None)).collect();
    let mut writer = PackWriter::create(folder.path()).unwrap();
    for tree in &trees {
        writer.write(tree).unwrap();
    }
    let tail = fs::read(folder.path().join("trees.tail")).unwrap();
    writer.finish().unwrap();
    let pack = fs::read(folder.path().join("trees.pack")).unwrap();
    let check = || {
        let mut reader = PackReader::open(folder.path()).unwrap();
        let mut found = 0;
        for tree in &trees {
            if let Ok(Some(again)) = reader.get(tree.hash()) {
                assert_eq!(again, *tree);
                found += 1;
            }
        }
        (found, reader.issues().len())
    };
    assert_eq!(check(), (4, 0));
    for at in 0..pack.len() {
        let mut flipped = pack.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(folder.path().join("trees.pack"), flipped).unwrap();
        assert_eq!(check(), (0, 1), "flipped at {at}");
        fs::write(folder.path().join("trees.pack"), &pack[..at]).unwrap();
        assert_eq!(check(), (0, usize::from(at > 0)), "cut at {at}");
    }
    fs::write(folder.path().join("trees.pack"), b"").unwrap();
    for at in (0..tail.len()).step_by(7) {
        fs::write(folder.path().join("trees.tail"), &tail[..at]).unwrap();
        let (found, _) = check();
        let whole = tail[..at].split_inclusive(|&byte| byte == b'\n');
        let whole = whole.filter(|line| line.ends_with(b"\n") && line[9..].starts_with(b"{\"t\":"));
        assert_eq!(found, whole.count(), "cut at {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_a_reader_panic(
        frames in vec(any::<u8>(), 0..200), tail in vec(any::<u8>(), 0..200),
        flips in vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for (events, name) in [(EVENTS, TAIL), ("trees.pack", "trees.tail")] {
            fs::write(folder.path().join(events), &frames).unwrap();
            fs::write(folder.path().join(name), &tail).unwrap();
        }
        prop_assert_eq!(read(folder.path()).0, vec![]);
        prop_assert_eq!(PackReader::open(folder.path()).unwrap().hashes().count(), 0);

        let other = tempfile::tempdir().unwrap();
        let (mut bytes, events) = small_log(other.path());
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        fs::write(other.path().join(EVENTS), bytes).unwrap();
        let (found, _) = read(other.path());
        let events = events.concat();
        prop_assert!(found.iter().all(|event| events.contains(event)));
    }
}
