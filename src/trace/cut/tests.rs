#![expect(clippy::unnecessary_wraps, reason = "a spine is a sequence of results")]

use super::*;
use crate::gui::{Bounds, Point, Selector, WindowKind};
use crate::ids::TreeHash;
use crate::trace::framed::{FrameKind, Trouble};

const BOOM: &str = "java Boom 00000000";

fn screen(number: u64) -> Screen {
    Screen {
        activity: "Main".into(),
        windows: vec![WindowKind::Application],
        tree: TreeHash(number),
        foreign: None,
        structure: None,
    }
}

fn reset(session: u32, to: Reset, seen: u64) -> Result<RunEvent, LogIssue> {
    Ok(RunEvent::Reset {
        session: SessionId(session),
        to,
        reason: "test".into(),
        screen: screen(seen),
        rules: Some(vec![BranchId(1)]),
        new_branches: Vec::new(),
        time_ms: 0,
    })
}

/// A tap at `x`; the screen after step n is n.
fn step(session: u32, step: u64, failures: &[&str]) -> Result<RunEvent, LogIssue> {
    let at = Point { x: step as i32, y: 0 };
    let bounds = Bounds::new(0, 0, 9, 9);
    let selector = Selector {
        class: "Button".into(),
        id: format!("b{step}").into(),
        text: "".into(),
        window: WindowKind::Application,
        path: Vec::new(),
        bounds,
    };
    Ok(RunEvent::Step(Box::new(StepRecord {
        step: StepId(step),
        session: SessionId(session),
        input: Input::Tap(at),
        wait: Wait::Settle,
        reason: "test".into(),
        pause_ms: 0,
        touched: Some(Touched::Widget(selector)),
        before: screen(step - 1),
        after: screen(step),
        rules: Some(vec![BranchId(step as u32)]),
        new_branches: Vec::new(),
        failures: failures.iter().map(|&failure| Signature(failure.into())).collect(),
        time_ms: 300 * step,
    })))
}

fn seen(session: u32, step: u64) -> Result<RunEvent, LogIssue> {
    let signature = Signature(BOOM.into());
    Ok(RunEvent::Failure { session: SessionId(session), step: StepId(step), signature, failure: None })
}

fn gap() -> Result<RunEvent, LogIssue> {
    Err(LogIssue {
        kind: FrameKind::Events,
        in_tail: false,
        frame: Some(1),
        bytes: 10..20,
        lost: Some(1000),
        trouble: Trouble::Damaged,
    })
}

fn cut(events: Vec<Result<RunEvent, LogIssue>>) -> Result<Trace, CutError> {
    Trace::from_spine(events, &RunInfo::new("org.example", "virtual", 1), &Signature(BOOM.into()))
}

/// The taps of a trace by their place, `R` for a restart.
fn taps(trace: &Trace) -> String {
    let word = |event: &TraceEvent| match event.input {
        Input::Tap(at) => at.x.to_string(),
        Input::Restart => "R".into(),
        _ => "?".into(),
    };
    trace.events.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_trace_starts_at_the_last_clean_reset_of_its_session_and_ends_with_the_failure() {
    let trace = cut(vec![
        reset(0, Reset::Clean, 0),
        reset(1, Reset::Clean, 0),
        step(0, 1, &[]),
        step(1, 2, &[]),
        reset(0, Reset::Clean, 0),
        step(0, 3, &[]),
        step(1, 4, &[]),
        step(0, 5, &[BOOM]),
        seen(0, 5),
        step(0, 6, &[]),
    ])
    .unwrap();
    assert_eq!((taps(&trace).as_str(), trace.start), ("3 5", Reset::Clean));
    assert_eq!(trace.first, Some(screen(0)));
    assert_eq!(trace.failure, Some(Signature(BOOM.into())));
    let last = trace.events.last().unwrap();
    assert_eq!(last.target.as_ref().unwrap().id, "b5");
    assert_eq!((last.before.clone(), last.after.clone()), (Some(screen(4)), Some(screen(5))));
    assert_eq!(last.rules, Some(vec![BranchId(5)]));
}

#[test]
fn a_trace_reaches_back_over_warm_resets_with_a_restart_for_each() {
    let trace = cut(vec![
        reset(0, Reset::Clean, 0),
        step(0, 1, &[]),
        reset(0, Reset::Warm, 50),
        step(0, 2, &[]),
        reset(0, Reset::Warm, 51),
        step(0, 3, &[BOOM]),
    ])
    .unwrap();
    assert_eq!((taps(&trace).as_str(), trace.start, trace.cost()), ("1 R 2 R 3", Reset::Clean, 5));
    assert_eq!(trace.events[1].before, Some(screen(1)));
    assert_eq!(trace.events[1].after, Some(screen(50)));
    assert_eq!(trace.events[1].rules, Some(vec![BranchId(1)]));
}

#[test]
fn without_a_clean_reset_a_trace_says_that_it_starts_warm() {
    let trace = cut(vec![reset(0, Reset::Warm, 0), step(0, 1, &[BOOM])]).unwrap();
    assert_eq!((taps(&trace).as_str(), trace.start), ("1", Reset::Warm));
}

#[test]
fn a_failure_seen_late_belongs_to_the_step_that_it_interrupted() {
    let events = vec![
        reset(0, Reset::Clean, 0),
        step(0, 1, &[]),
        step(0, 2, &[]),
        step(0, 3, &[]),
        seen(0, 2),
        step(0, 4, &[]),
    ];
    assert_eq!(taps(&cut(events).unwrap()), "1 2");
}

#[test]
fn a_failure_of_the_launch_needs_no_step() {
    let trace = cut(vec![reset(0, Reset::Clean, 0), seen(0, 0)]).unwrap();
    assert_eq!(taps(&trace), "");
    let trace =
        cut(vec![reset(0, Reset::Clean, 0), step(0, 1, &[]), reset(0, Reset::Warm, 9), seen(0, 1)]).unwrap();
    assert_eq!(taps(&trace), "1 R");
}

#[test]
fn a_way_with_a_gap_is_refused_unless_a_reset_comes_after_it() {
    let broken = vec![reset(0, Reset::Clean, 0), step(0, 1, &[]), gap(), step(0, 1002, &[BOOM])];
    let error = cut(broken).unwrap_err();
    insta::assert_snapshot!(error, @"the way to `java Boom 00000000` is not whole: events.jsonl.zst, frame 1, bytes 10 to 20: damaged; 1000 steps lost");
    let healed = vec![reset(0, Reset::Clean, 0), gap(), reset(0, Reset::Clean, 1001), step(0, 1002, &[BOOM])];
    assert_eq!(taps(&cut(healed).unwrap()), "1002");
}

#[test]
fn what_the_log_does_not_have_cannot_be_cut_out_of_it() {
    assert!(matches!(cut(vec![reset(0, Reset::Clean, 0)]), Err(CutError::Unknown(_))));
    assert!(matches!(cut(vec![step(0, 1, &[BOOM])]), Err(CutError::NoStart(_))));
}

#[test]
fn the_last_occurrence_can_be_asked_for() {
    let signature = Signature(BOOM.into());
    let events = vec![
        reset(0, Reset::Clean, 0),
        step(0, 1, &[BOOM]),
        seen(0, 1),
        reset(0, Reset::Warm, 0),
        step(0, 2, &[]),
        step(0, 3, &[BOOM]),
        seen(0, 3),
        step(0, 4, &[]),
    ];
    let way = Way::last(events, SessionId(0), &signature).unwrap();
    let trace = way.into_trace(&RunInfo::new("org.example", "virtual", 1), &signature);
    assert_eq!(taps(&trace), "1 R 2 3");
}
