//! The last word of a shrink is a new device's, where runs leave something behind that later runs stumble over.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/hand.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod hand;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "shared with other tests, which use the rest of it")]
mod recorded;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hand::Hand;
use recorded::Recorded;
use siamang::campaign::shrinking::{ShrinkConfig, Shrunk, Task, shrink};
use siamang::device::virtual_device::compile;
use siamang::device::{AnyDevice, Reset, VirtualDevice};
use siamang::seed::Seed;
use siamang::shrink::goal::Goal;
use siamang::shrink::registry::{DEFAULT, find};
use siamang::trace::Trace;
use siamang::trace::event_tree::Label;
use siamang::trace::key_events::ChardConfig;
use smol_str::SmolStr;

/// "Bad" fails once something was prepared; what was prepared is written down.
const PREPARED: &str = r#"
name = "Prepared"
package = "org.siamang.prepared"
start = "MainActivity"

[data.disk]
prepared = false

[[activity]]
name = "MainActivity"
title = "Main"
widget = [
  { type = "button", id = "plain", text = "Plain", tap = { toast = "Nothing" } },
  { type = "button", id = "prepare", text = "Prepare", tap = { do = "prepared = true" } },
  { type = "button", id = "bad", text = "Bad", tap = [{ if = "prepared", fail = "bad" }, { toast = "Not yet" }] },
]

[failure.bad]
exception = "java.lang.IllegalStateException"
message = "bad"
stack = ["Main.bad:2"]
"#;

/// "Bad" fails unless the app was started before; "Clean" makes up for that. CHANCE is when it fails.
const FIRST_START: &str = r#"
name = "First"
package = "org.siamang.first"
start = "MainActivity"

[data.disk]
starts = 0
dirty = false

[[activity]]
name = "MainActivity"
title = "Main"
create = { do = "starts += 1; dirty = starts > 1" }
widget = [
  { type = "button", id = "clean", text = "Clean", tap = { do = "dirty = false" } },
  { type = "button", id = "bad", text = "Bad", tap = [{ if = "!dirty", CHANCE fail = "bad" }, { toast = "Not now" }] },
]

[failure.bad]
exception = "java.lang.IllegalStateException"
message = "start {starts}"
stack = ["Main.bad:2"]
"#;

/// "Bad" fails only in an app that was started before.
const SECOND_START: &str = r#"
name = "Second"
package = "org.siamang.second"
start = "MainActivity"

[data.disk]
starts = 0

[[activity]]
name = "MainActivity"
title = "Main"
create = { do = "starts += 1" }
widget = [
  { type = "button", id = "plain", text = "Plain", tap = { toast = "Nothing" } },
  { type = "button", id = "bad", text = "Bad", tap = [{ if = "starts > 1", fail = "bad" }, { toast = "Not now" }] },
]

[failure.bad]
exception = "java.lang.IllegalStateException"
message = "bad"
stack = ["Main.bad:2"]
"#;

/// The trace of taps on what is labelled so, on a device on which the app was started before.
fn tapped(model: &str, labels: &[&str]) -> Trace {
    let app = Arc::new(compile::load(model).unwrap());
    let mut device = VirtualDevice::wearing(app, Seed(7));
    device.do_reset(Reset::Clean);
    let seen = device.do_reset(Reset::Clean);
    Recorded::of(Hand { device, seen }, model, "").taps(labels)
}

fn shrunk(model: &str, trace: &Trace, max_runs: u64, interrupted: &(dyn Fn() -> bool + Sync)) -> Shrunk {
    shrunk_with(model, trace, max_runs, Seed(1), interrupted)
}

fn shrunk_with(
    model: &str,
    trace: &Trace,
    max_runs: u64,
    seed: Seed,
    interrupted: &(dyn Fn() -> bool + Sync),
) -> Shrunk {
    let app = Arc::new(compile::load(model).unwrap());
    let make_device =
        |number| AnyDevice::Virtual(Box::new(VirtualDevice::wearing(Arc::clone(&app), seed.nth(number))));
    let config = ShrinkConfig {
        algorithm: find(DEFAULT).unwrap(),
        whole: false,
        rules_first: false,
        chard: ChardConfig::default(),
        label: Label::default(),
        jobs: 1,
        max_runs,
        nd3min: None,
        pictures: false,
    };
    let goal = Goal::Failure(trace.failure.clone().unwrap());
    let task = Task {
        make_device: &make_device,
        original: trace,
        goal: &goal,
        model: None,
        config: &config,
        interrupted,
    };
    shrink(task, &mut |_| {})
}

fn taps(trace: &Trace) -> Vec<SmolStr> {
    trace.events.iter().map(|event| event.target.clone().unwrap().text).collect()
}

const MANY: u64 = 5_000;

#[test]
fn what_earlier_runs_left_behind_does_not_stand_in_for_an_event_that_is_needed() {
    let trace = tapped(PREPARED, &["Plain", "Prepare", "Plain", "Bad"]);
    let Shrunk { minimal, report, failure, .. } = shrunk(PREPARED, &trace, MANY, &|| false);
    assert_eq!(taps(&minimal), ["Prepare", "Bad"], "{report:?}");
    assert_eq!((report.minimal, report.ended.as_str(), report.hosts_fault()), (2, "done", None));
    assert!(report.new_runs > 0 && report.certificate_hits == report.new_runs, "{report:?}");
    assert!(failure.is_some());
}

#[test]
fn what_never_fails_on_a_new_device_is_the_devices_fault() {
    let trace = tapped(SECOND_START, &["Plain", "Bad"]);
    let report = shrunk(SECOND_START, &trace, MANY, &|| false).report;
    assert!(report.reproduced && report.certificate_hits == 0, "{report:?}");
    assert!(report.hosts_fault().is_some(), "{report:?}");
    // Without runs for the whole original nobody knows whose fault it is.
    let report = shrunk(SECOND_START, &trace, 3, &|| false).report;
    assert_eq!((report.ended.as_str(), report.hosts_fault()), ("out of runs", None), "{report:?}");
}

#[test]
fn what_a_new_device_does_not_need_goes_and_the_result_is_written_down_as_it_looks_there() {
    let model = FIRST_START.replace("CHANCE", "");
    let trace = tapped(&model, &["Clean", "Bad"]);
    let Shrunk { minimal, report, failure, .. } = shrunk(&model, &trace, MANY, &|| false);
    assert_eq!(taps(&minimal), ["Bad"], "{report:?}");
    assert_eq!((report.minimal, report.ended.as_str()), (1, "done"));
    assert!(
        report.used_runs > 0 && report.used_hits == 0,
        "what is left never fails on a used one: {report:?}"
    );
    assert_eq!(failure.unwrap().chain[0].message, "start 1", "the evidence is the new device's");
    let counted = report.runs;
    let early = shrunk(&model, &trace, counted - 1, &|| false).report;
    assert_eq!(early.ended, "out of runs", "the last pass ended early: {early:?}");
}

#[test]
fn a_flaky_failure_is_shortened_on_new_devices_only_if_it_fails_as_often() {
    let model = FIRST_START.replace("CHANCE", "chance = 0.7,");
    let lengths = 2..8;
    let tossed =
        lengths.map(|length| tapped(&model, &["Clean", "Bad", "Bad", "Bad", "Bad", "Bad", "Bad"][..length]));
    let trace = tossed.into_iter().find(|trace| trace.failure.is_some()).unwrap();
    for seed in 1..=8 {
        let Shrunk { minimal, report, .. } = shrunk_with(&model, &trace, MANY, Seed(seed), &|| false);
        assert_eq!(taps(&minimal).last().map(SmolStr::as_str), Some("Bad"), "{report:?}");
        assert!(report.certificate_runs >= 20, "a rate that is left to chance needs its runs: {report:?}");
        assert!(f64::from(report.certificate_hits) >= 0.5 * f64::from(report.certificate_runs), "{report:?}");
    }
}

#[test]
fn a_shrink_that_is_interrupted_in_its_last_pass_says_so() {
    let model = FIRST_START.replace("CHANCE", "");
    let trace = tapped(&model, &["Clean", "Bad"]);
    let asked = AtomicU32::new(0);
    shrunk(&model, &trace, MANY, &|| asked.fetch_add(1, Ordering::Relaxed) == u32::MAX);
    let all = asked.load(Ordering::Relaxed);
    let mut early = 0;
    for after in 0..all {
        let asked = AtomicU32::new(0);
        let interrupted = || asked.fetch_add(1, Ordering::Relaxed) >= after;
        let report = shrunk(&model, &trace, MANY, &interrupted).report;
        let is_whole = report.ended == "done";
        early += u32::from(!is_whole);
        assert!(!is_whole || report.minimal == 1, "after {after} of {all}: {report:?}");
    }
    assert!(early > all / 4, "{early} of {all}");
}
