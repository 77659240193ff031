use super::*;
use crate::action::{Input, Key, Wait};
use crate::gui::WindowKind;
use crate::ids::SessionId;
use crate::oracle::{Frame, Throwable};
use crate::trace::run_folder::Elsewhere;
use crate::trace::{Crash, StepRecord, Trace};

fn screen(activity: &str, tree: u64) -> Screen {
    Screen {
        activity: activity.into(),
        windows: vec![WindowKind::Application],
        tree: TreeHash(tree),
        foreign: None,
        structure: None,
    }
}

fn failure(class: &str, message: &str) -> Failure {
    let throwable = Throwable { class: class.into(), message: message.into(), frames: Vec::new() };
    Failure {
        kind: FailureKind::Java,
        package: "org.example".into(),
        chain: vec![throwable],
        message: String::new(),
    }
}

fn step(step: u64, after: Screen, failures: &[&Failure]) -> RunEvent {
    RunEvent::Step(Box::new(StepRecord {
        step: StepId(step),
        session: SessionId(0),
        input: Input::Key(Key::Back),
        wait: Wait::Settle,
        reason: "test".into(),
        pause_ms: 0,
        touched: None,
        before: screen("Main", 0),
        after,
        rules: None,
        new_branches: vec![BranchId(step as u32 % 2)],
        failures: failures.iter().map(|failure| Signature::of(failure)).collect(),
        time_ms: 0,
    }))
}

fn reset(to: Reset) -> RunEvent {
    RunEvent::Reset {
        session: SessionId(0),
        to,
        reason: "start".into(),
        screen: screen("Main", 0),
        rules: None,
        new_branches: vec![BranchId(7)],
        time_ms: 0,
    }
}

fn seen(step: u64, failure: &Failure, first: Option<&Failure>) -> RunEvent {
    RunEvent::Failure {
        session: SessionId(0),
        step: StepId(step),
        signature: Signature::of(failure),
        failure: first.cloned().map(Box::new),
    }
}

fn info() -> RunInfo {
    RunInfo {
        activities: vec!["Main".into(), "Edit".into(), "Settings".into()],
        branches: Some(1200),
        target: "models/notes.toml".into(),
        ..RunInfo::new("org.example.notes", "virtual", 1)
    }
}

fn events() -> Vec<RunEvent> {
    let gone = failure("java.lang.IllegalStateException", "note 3 is gone and so is everything else in it");
    let evil = failure("java.lang.Error", "\u{1b}[2Jcleared\n\u{202e}turned");
    vec![
        reset(Reset::Clean),
        step(1, screen("Main", 1), &[]),
        step(2, screen("Edit", 2), &[&gone]),
        seen(2, &gone, Some(&gone)),
        reset(Reset::Warm),
        step(3, Screen { foreign: Some("com.other".into()), ..screen("Other", 3) }, &[]),
        step(4, screen("Edit", 2), &[&gone]),
        seen(4, &gone, None),
        step(5, screen("Edit", 2), &[&evil]),
        seen(5, &evil, Some(&evil)),
        RunEvent::Warning { session: None, text: "a device fell silent".into() },
        RunEvent::End { reason: "the budget of 5 steps is used up".into(), steps: 5 },
    ]
}

fn first_failure(events: &[RunEvent]) -> Failure {
    events
        .iter()
        .find_map(|event| match event {
            RunEvent::Failure { failure, .. } => failure.as_deref().cloned(),
            _ => None,
        })
        .unwrap()
}

fn report() -> ShrinkReport {
    ShrinkReport {
        format: ShrinkReport::FORMAT,
        goal: "gone".into(),
        algorithm: "pathfirst".into(),
        original: 1234,
        minimal: 3,
        began_with: None,
        runs: 5000,
        events: 60_000,
        rounds: 5000,
        skipped: 0,
        rechecked: 0,
        wrong: 0,
        proposed: 0,
        refuted: 0,
        ended: ShrinkReport::DONE.into(),
        reproduced: true,
        certain: true,
        certificate_runs: 20,
        nd3min: None,
        certificate_hits: 17,
        original_runs: 0,
        new_runs: 0,
        used_runs: 0,
        used_hits: 0,
        original_hits: 0,
        instead: None,
    }
}

fn fold(events: &[RunEvent]) -> Summary {
    let mut fold = SummaryFold::new(&info());
    for event in events {
        fold.add(event);
    }
    fold.summary()
}

#[test]
fn a_summary_is_read_as_a_table() {
    let mut summary = fold(&events());
    summary.failures[0].original = Some(1234);
    summary.failures[0].minimal = Some(3);
    summary.failures[0].optimum = Some(2);
    summary.failures[0].shrunk = Some(ShrinkReport { ended: "out of runs".into(), ..report() });
    insta::assert_snapshot!(summary.render(80, Paint::Plain), @r#"
    org.example.notes (models/notes.toml) on a virtual device, seed 1
    stopped after 5 steps: the budget of 5 steps is used up

      activities  2 of 3
      branches    3 of 1,200
      screens     4
      resets      1 clean, 1 warm
      warnings    1

    2 failures
      failure                         kind  original  minimal  optimum   runs   rate
      IllegalStateException: note 3…  java     1,234       3*        2  5,000  17/20
      Error: ·[2Jcleared··turned      java         6        -        -      -      -
      * shrinking ended early: out of runs
    warning: a device fell silent
    "#);
}

#[test]
fn a_result_below_the_stated_optimum_is_told() {
    let mut summary = fold(&events());
    let warning = |summary: &Summary| {
        let text = summary.render(200, Paint::Plain);
        text.lines().find(|line| line.contains("optimum of")).map(str::to_owned)
    };
    summary.failures[0].optimum = Some(3);
    summary.failures[0].minimal = Some(3);
    assert_eq!(warning(&summary), None);
    summary.failures[0].minimal = Some(2);
    let told = warning(&summary).unwrap();
    assert!(told.starts_with("warning: `IllegalStateException: note 3"), "{told}");
    assert!(told.contains("takes 2 events, fewer than the optimum of 3 that the model states"), "{told}");
}

#[test]
fn a_run_without_failures_says_so_and_one_cut_off_too() {
    insta::assert_snapshot!(fold(&events()[..2]).render(80, Paint::Plain), @r#"
    org.example.notes (models/notes.toml) on a virtual device, seed 1
    cut off after 1 step

      activities  1 of 3
      branches    2 of 1,200
      screens     2
      resets      1 clean, 0 warm

    no failure found
    "#);
}

#[test]
fn colours_are_only_painted_when_wanted() {
    let summary = fold(&events());
    assert!(!summary.render(80, Paint::Plain).contains('\u{1b}'));
    assert!(summary.render(80, Paint::Colored).contains("\u{1b}[31m2 failures\u{1b}[0m"));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [72, 100, 200] {
        for line in fold(&events()).render(width, Paint::Plain).lines() {
            assert!(line.chars().count() <= width, "{line}");
        }
    }
    // A terminal breaks sentences by itself, and what is below it in a table no more.
    let narrow = fold(&events()).render(40, Paint::Plain);
    let failures = narrow.lines().skip_while(|line| !line.ends_with("failures"));
    let table: Vec<&str> = failures.filter(|line| line.starts_with("  ")).collect();
    assert!(table.len() > 8 && table.iter().all(|line| line.chars().count() <= 40), "{narrow}");
}

#[test]
fn a_failure_is_counted_once_a_time_though_step_and_event_tell_it() {
    let summary = fold(&events());
    let counts: Vec<_> =
        summary.failures.iter().map(|failure| (failure.first_step.0, failure.count)).collect();
    assert_eq!(counts, [(2, 2), (5, 1)]);
    // A log cut off between the two still has the failure.
    let cut_off = fold(&events()[..3]);
    assert_eq!(cut_off.failures.len(), 1);
    assert_eq!((cut_off.failures[0].count, cut_off.failures[0].kind), (1, None));
    assert_eq!(cut_off.stopped, None);
}

#[test]
fn foreign_apps_count_neither_as_activity_nor_against_the_app() {
    assert_eq!(fold(&events()).activities, ["Main", "Edit"]);
}

#[test]
fn a_summary_comes_back_from_its_file() {
    let summary = fold(&events());
    let text = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), summary);
}

#[test]
fn the_summary_of_a_folder_has_the_lengths_of_its_traces() {
    let runs = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(runs.path(), "notes", 1).unwrap();
    let mut recorder = crate::trace::Recorder::start(folder.clone(), info()).unwrap();
    for event in events() {
        recorder.record(&event);
    }
    let live = fold(&events());
    let signature = live.failures[0].signature.clone();
    assert_eq!(recorder.trace_of(SessionId(0), &signature).unwrap().cost(), 5, "the latest");
    let original = folder.original(&signature).unwrap();
    assert_eq!(original.cost(), 2, "the first");
    let evidence = first_failure(&events());
    folder
        .keep_crash(&signature, &Crash::found(original.clone(), evidence.clone()), Elsewhere::InSpine)
        .unwrap();
    let found = Summary::of_run(&folder).unwrap();
    assert_eq!((found.failures[0].original, found.failures[0].minimal), (Some(2), None));
    let minimal = Trace { events: original.events[1..].to_vec(), ..original.clone() };
    let shrunk = ShrinkReport { original: 2, minimal: 1, ..report() };
    let crash = Crash { trace: minimal, evidence: Some(evidence), shrunk: Some(shrunk.clone()) };
    folder.keep_crash(&signature, &crash, Elsewhere::InSpine).unwrap();
    assert_eq!(folder.original(&signature).unwrap(), original, "cut out of the spine again");
    recorder.finish().unwrap();
    let rebuilt = Summary::of_run(&folder).unwrap();
    assert_eq!((rebuilt.failures[0].original, rebuilt.failures[0].minimal), (Some(2), Some(1)));
    assert_eq!(rebuilt.failures[0].shrunk, Some(shrunk));
    assert_eq!(rebuilt.issues, Vec::<String>::new());
    let mut expected = live;
    expected.measure(&folder);
    assert_eq!(rebuilt, expected);
}

#[test]
fn what_only_a_used_device_shows_is_the_devices_fault_and_told_apart() {
    let mut summary =
        fold(&[RunEvent::Warning { session: None, text: "host fault: native code: gone".into() }]);
    assert_eq!((summary.warnings, summary.hosts_faults.len()), (0, 1));
    let seldom = ShrinkReport {
        new_runs: 3,
        certificate_runs: 3,
        certificate_hits: 1,
        used_runs: 20,
        used_hits: 20,
        ..report()
    };
    assert_eq!(seldom.hosts_fault(), None);
    let never = ShrinkReport { certificate_hits: 0, ..seldom };
    let why = never.hosts_fault().unwrap();
    assert!(why.ends_with("in 20 of 20 runs there, in none of 3 on a new one"), "{why}");
    let flaky = ShrinkReport { used_hits: 10, ..never.clone() };
    assert_eq!(
        flaky.hosts_fault(),
        None,
        "a failure of the app that comes every other time may stay away thrice"
    );
    summary.hosts_failures.push(FailureSummary {
        place: None,
        signature: Signature("java BindException".into()),
        folder: "java-bind".into(),
        kind: Some(FailureKind::Java),
        headline: "java.net.BindException: in use".into(),
        first_step: StepId(4),
        count: 1,
        original: Some(4),
        minimal: Some(1),
        optimum: None,
        shrunk: Some(never),
    });
    let text = summary.render(100, Paint::Plain);
    assert!(text.contains("no failure found"), "{text}");
    assert!(
        text.contains("2 faults of the device, not of the app\n  BindException: in use: it shows only on"),
        "{text}"
    );
    assert!(text.contains("  host fault: native code: gone (1 time)"), "{text}");
}

#[test]
fn what_a_jvm_counts_is_called_what_it_is() {
    let told = |device: &str| {
        let mut fold =
            SummaryFold::new(&RunInfo { branches: None, ..RunInfo::new("org.example", device, 1) });
        for event in &events() {
            fold.add(event);
        }
        fold.summary().render(80, Paint::Plain)
    };
    assert!(
        told("jvm").contains("  probes      3\n") && !told("jvm").contains("branches"),
        "{}",
        told("jvm")
    );
    assert!(told("virtual").contains("  branches    3\n"), "{}", told("virtual"));
}

#[test]
fn failures_of_one_name_are_told_apart_by_where_the_apps_code_failed() {
    let at = |class: &str, line: u32| {
        let mut thrown = failure("java.lang.RuntimeException", "Unhandled: no");
        let frame = |class: &str| Frame {
            class: class.into(),
            method: "onClick".into(),
            file: "Home.java".into(),
            line: Some(line),
        };
        thrown.chain[0].frames = vec![frame("java.util.List"), frame(class)];
        thrown
    };
    let (first, second) = (at("org.example.Home", 3), at("org.example.Away$1", 4));
    let steps = [step(1, screen("Main", 1), &[&first]), step(2, screen("Main", 1), &[&second])];
    let told = [seen(1, &first, Some(&first)), seen(2, &second, Some(&second))];
    let both = fold(&[steps, told.clone()].concat()).render(120, Paint::Plain);
    assert!(both.contains("  RuntimeException at Home:3: Unhandled: no "), "{both}");
    assert!(both.contains("  RuntimeException at Away$1:4: Unhandled: no "), "{both}");
    let alone = fold(&told[..1]).render(120, Paint::Plain);
    assert!(alone.contains("  RuntimeException: Unhandled: no "), "{alone}");
}

#[test]
fn a_run_that_saw_nothing_of_the_app_says_so() {
    let home = Screen { foreign: Some("siamang.home".into()), ..screen("", 1) };
    let seen = |device: &str, after: Screen, reason: &str| {
        let mut fold = SummaryFold::new(&RunInfo {
            activities: info().activities,
            ..RunInfo::new("org.example", device, 1)
        });
        fold.add(&step(1, after, &[]));
        fold.add(&RunEvent::End { reason: reason.into(), steps: 1 });
        fold.summary()
    };
    let told = seen("jvm", home.clone(), "done");
    assert_eq!((told.warnings, told.activities.len()), (1, 0));
    assert!(
        told.render(80, Paint::Plain)
            .contains("warning: the app shows nothing of its own: its activity ends at once")
    );
    assert_eq!(seen("jvm", screen("Main", 1), "done").warnings, 0);
    assert_eq!(seen("jvm", home.clone(), Summary::CANNOT_START).warnings, 0);
    assert_eq!(seen("virtual", home, "done").warnings, 0);
}
