//! Reading failures out of logs, and which failures are the same bug.

#[path = "support/skipped.rs"]
#[expect(dead_code, reason = "a part of it is used")]
mod skipped;

use proptest::prelude::*;
use siamang::ids::StepId;
use siamang::oracle::stack::parse_stack;
use siamang::oracle::{
    App, Failure, FailureKind, Frame, Lines, Parsed, Refusal, Report, Reporter, Signature, Throwable, Told,
    Witnesses, anr, logcat, monkey, tombstone,
};

const NOTES: App<'static> = App::named("org.example.notes");

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/logs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn only(parsed: &Parsed) -> &Report {
    assert_eq!(parsed.reports.len(), 1, "{parsed:#?}");
    &parsed.reports[0]
}

fn java(package: &str, stack: &str) -> Failure {
    let (chain, issues) = parse_stack(stack);
    assert_eq!(issues, []);
    Failure { kind: FailureKind::Java, package: package.into(), chain, message: String::new() }
}

fn signature(stack: &str) -> Signature {
    Signature::of(&java("org.example.notes", stack))
}

#[test]
fn one_crash_has_one_signature_in_every_logcat_format() {
    let formats = [
        "brief",
        "process",
        "tag",
        "thread",
        "time",
        "threadtime",
        "raw",
        "long",
        "epoch-uid",
        "year-utc-usec",
        "brief-uid",
        "color",
        "studio",
    ];
    let reference = logcat::parse(&fixture("notes.threadtime.log"), NOTES);
    let reference = only(&reference);
    assert_eq!(reference.pid, Some(4211));
    assert_eq!(reference.failure.chain.len(), 2);
    assert_eq!(reference.failure.chain[1].frames.len(), 7 + 6);
    for format in formats {
        let parsed = logcat::parse(&fixture(&format!("notes.{format}.log")), NOTES);
        assert_eq!(parsed.issues, [], "{format}");
        assert_eq!(parsed.refused, [], "{format}");
        let report = only(&parsed);
        assert_eq!(report.failure, reference.failure, "{format}");
        assert_eq!(report.process, "org.example.notes", "{format}");
        assert_eq!(report.pid, Some(4211), "{format}");
    }
    let signature = Signature::of(&reference.failure);
    assert!(signature.0.starts_with("java IllegalStateException NoteStore.find "), "{signature}");
    let monkey = monkey::parse(&fixture("monkey-output.log"), NOTES);
    assert_eq!(Signature::of(&monkey.reports[0].failure), signature, "{:#?}", monkey.reports[0]);
}

#[test]
fn a_number_in_brackets_in_a_message_is_no_process() {
    let log = "E/AndroidRuntime: FATAL EXCEPTION: main\n\
        E/AndroidRuntime: Process: org.example.notes, PID: 4211\n\
        E/AndroidRuntime: java.lang.RuntimeException: Error (12): no such note\n\
        E/AndroidRuntime: \tat org.example.notes.Notes.find(Notes.java:7)\n";
    let parsed = logcat::parse(log.as_bytes(), NOTES);
    let report = only(&parsed);
    assert_eq!(report.pid, Some(4211));
    let thrown = &report.failure.chain[0];
    assert_eq!((thrown.message.as_str(), thrown.frames.len()), ("Error (12): no such note", 1));
}

#[test]
fn the_time_of_a_report_is_the_epoch_where_the_log_has_it() {
    let time = |name: &str| only(&logcat::parse(&fixture(name), NOTES)).time_ms;
    assert_eq!(time("notes.epoch-uid.log"), Some(1_718_349_153_123));
    assert_eq!(time("notes.year-utc-usec.log"), Some(1_718_349_153_123));
    assert_eq!(time("notes.brief.log"), None);
}

#[test]
fn interleaved_crashes_of_two_processes_are_kept_apart() {
    let parsed = logcat::parse(&fixture("two-processes.log"), NOTES);
    let told: Vec<(&str, String)> =
        parsed.reports.iter().map(|report| (report.process.as_str(), report.failure.headline())).collect();
    assert_eq!(told.len(), 2, "{parsed:#?}");
    assert_eq!(told[0].0, "org.example.notes");
    assert!(told[0].1.starts_with("java.lang.NullPointerException: Attempt to read"));
    assert_eq!(
        told[1],
        ("org.example.notes:sync", "android.database.sqlite.SQLiteException: database is locked".into())
    );
    assert_eq!(parsed.reports[1].failure.package, "org.example.notes");
    let reasons: Vec<&Refusal> = parsed.refused.iter().map(|refused| &refused.reason).collect();
    assert_eq!(reasons, [&Refusal::OtherPackage("com.android.chrome".into())]);
}

#[test]
fn what_is_not_the_apps_is_refused_with_a_reason() {
    let parsed = logcat::parse(&fixture("system.log"), NOTES);
    assert_eq!(parsed.reports, []);
    let reasons: Vec<Refusal> = parsed.refused.into_iter().map(|refused| refused.reason).collect();
    assert_eq!(
        reasons,
        [Refusal::System, Refusal::ForeignTag("MyLogger".into()), Refusal::Wtf, Refusal::System]
    );
}

#[test]
fn a_native_crash_is_the_same_in_log_and_tombstone_and_in_another_build() {
    let log = logcat::parse(&fixture("native.log"), NOTES);
    let file = tombstone::parse(&fixture("tombstone_00"), NOTES);
    assert_eq!((&log.issues, &file.issues), (&vec![], &vec![]));
    let (log, file) = (only(&log), only(&file));
    assert_eq!(log.failure.kind, FailureKind::Native);
    assert_eq!(log.pid, Some(4300));
    assert_eq!(file.failure.chain[0].frames.len(), 3, "only the failing thread's frames");
    let signature = Signature::of(&log.failure);
    assert_eq!(signature, Signature::of(&file.failure));
    assert!(
        signature.0.starts_with("native SIGSEGV libink.so!ink::Stroke::add(float, float) "),
        "{signature}"
    );
}

#[test]
fn a_signal_without_a_dump_is_still_a_failure() {
    let text = fixture("native.log");
    let first = text.split(|&byte| byte == b'\n').next().unwrap();
    let parsed = logcat::parse(first, NOTES);
    let report = only(&parsed);
    assert_eq!((report.pid, report.process.as_str()), (Some(4300), "org.example.notes"));
    assert_eq!(report.failure.chain[0].class, "SIGSEGV");
}

#[test]
fn a_process_in_front_that_nobody_killed_ended_itself() {
    let died = b"06-14 09:30:12.000  1500  1533 I ActivityManager: Process org.example.notes (pid 77) has died: fg  TOP\n";
    assert_eq!(only(&logcat::parse(died, NOTES)).failure.kind, FailureKind::Exit);
    let cached = b"06-14 09:30:12.000  1500  1533 I ActivityManager: Process org.example.notes (pid 77) has died: cch CRE\n";
    assert_eq!(logcat::parse(cached, NOTES).reports, []);
    let mut killed = b"06-14 09:30:11.000  1500  1533 I ActivityManager: Killing 77:org.example.notes/u0a1 (adj 0): stop\n".to_vec();
    killed.extend(died);
    assert_eq!(logcat::parse(&killed, NOTES).reports, []);
}

#[test]
fn an_anr_is_read_from_the_log_and_its_stack_from_the_traces() {
    let log = logcat::parse(&fixture("anr.log"), NOTES);
    let traces = anr::parse(&fixture("anr-traces.txt"), NOTES);
    assert_eq!(log.refused[0].reason, Refusal::OtherPackage("com.android.chrome".into()));
    let (log, traces) = (only(&log).clone(), only(&traces).clone());
    assert_eq!((log.pid, traces.pid), (Some(4400), Some(4400)));
    assert!(log.failure.message.starts_with("Input dispatching timed out"));
    assert!(Signature::of(&log.failure).0.starts_with("anr Input dispatching timed out "));
    assert!(
        traces.failure.message.ends_with("waits for a lock held by thread 12"),
        "{}",
        traces.failure.message
    );
    assert!(Signature::of(&traces.failure).0.starts_with("anr EditActivity.onOptionsItemSelected "));
    let mut witnesses = Witnesses::default();
    let first = Signature::of(&log.failure);
    assert_eq!(witnesses.tell(log), Told::New(0));
    assert_eq!(witnesses.tell(traces), Told::Better(0, first));
    assert_eq!(witnesses.cases().len(), 1);
    assert_eq!(witnesses.cases()[0].witnesses.len(), 2);
}

#[test]
fn monkeys_crashes_and_anrs_are_read_and_other_apps_refused() {
    let parsed = monkey::parse(&fixture("monkey-output.log"), NOTES);
    assert_eq!(parsed.issues, []);
    let kinds: Vec<(FailureKind, Option<u32>)> =
        parsed.reports.iter().map(|report| (report.failure.kind, report.pid)).collect();
    assert_eq!(
        kinds,
        [(FailureKind::Java, Some(4211)), (FailureKind::Anr, Some(4400)), (FailureKind::Anr, Some(4400))]
    );
    assert_eq!(parsed.refused.len(), 1);
    let watchdog = monkey::parse(b"// WATCHDOG: Blocked in handler on main thread\n", NOTES);
    assert_eq!(watchdog.refused[0].reason, Refusal::System);
}

#[test]
fn the_message_and_the_line_numbers_are_no_part_of_a_signature() {
    let one = "java.lang.IllegalStateException: note 1\n\tat org.example.notes.A.b(A.java:1)\n";
    let two = "java.lang.IllegalStateException: Notiz 2\n\tat org.example.notes.A.b(A.java:2)\n";
    assert_eq!(signature(one), signature(two));
    let counted = |stack| Signature::with(&java("org.example.notes", stack), Lines::Counted);
    assert_ne!(counted(one), counted(two));
    assert_eq!(signature(one).folder(), signature(two).folder());
}

#[test]
fn generated_names_are_no_part_of_a_signature() {
    let stack = |frames: &[&str]| {
        frames
            .iter()
            .fold(String::from("java.lang.Error: x\n"), |text, frame| format!("{text}\tat {frame}\n"))
    };
    let phone = stack(&[
        "org.example.notes.Main.lambda$onCreate$4$org-example-notes-Main(Main.java:3)",
        "org.example.notes.Main$$ExternalSyntheticLambda1.onClick(Unknown Source:2)",
        "org.example.notes.Main$2.run(Main.java:9)",
        "org.example.notes.Main.access$300(Main.java:1)",
        "org.example.notes.Main.-$$Nest$mgo(Unknown Source:0)",
        "org.example.notes.Main.onCreate(Main.java:7)",
    ]);
    let older = stack(&[
        "org.example.notes.Main.lambda$onCreate$0(Main.java:3)",
        "org.example.notes.-$$Lambda$Main$Kx0cZ.onClick(lambda)",
        "org.example.notes.Main$11.run(Main.java:8)",
        "org.example.notes.Main.access$000(Main.java:1)",
        "org.example.notes.Main.onCreate(Main.java:6)",
    ]);
    let jvm = stack(&[
        "app//org.example.notes.Main.lambda$onCreate$2(Main.java:3)",
        "org.example.notes.Main$1.run(Main.java:9)",
        "org.example.notes.Main.onCreate(Main.java:7)",
        "java.base/java.lang.Thread.run(Thread.java:840)",
    ]);
    assert_eq!(signature(&phone), signature(&older));
    assert_eq!(signature(&phone), signature(&jvm));
    let kotlin = |name: &str| signature(&stack(&[name]));
    assert_eq!(
        kotlin("org.example.notes.MainKt.Screen$lambda$3$lambda$2(Main.kt:3)"),
        kotlin("org.example.notes.MainKt.Screen$lambda-1(Main.kt:9)")
    );
    assert_eq!(
        kotlin("org.example.notes.ComposableSingletons$MainKt$lambda-1$1.invoke(Main.kt:3)"),
        kotlin("org.example.notes.ComposableSingletons$MainKt$lambda-7$4.invoke(Main.kt:3)")
    );
    assert_ne!(
        kotlin("org.example.notes.LambdaStore.get(L.kt:1)"),
        kotlin("org.example.notes.LambdaShop.get(L.kt:1)")
    );
}

#[test]
fn obfuscated_frames_are_the_apps_and_keep_their_names() {
    let stack = |class: &str| {
        signature(&format!(
            "java.lang.Error\n\tat {class}.l(SourceFile:490)\n\tat android.os.Handler.run(Handler.java:1)\n"
        ))
    };
    assert_ne!(stack("A4.d"), stack("q2.d"));
    assert!(stack("A4.d").0.contains(" d.l "), "{}", stack("A4.d"));
}

#[test]
fn how_deep_a_recursion_was_is_no_part_of_a_signature() {
    let overflow = |start: usize, depth: usize| {
        let frames = ["a", "b", "c"].iter().cycle().skip(start).take(depth);
        let frame =
            |text: String, name: &&str| text + "\tat org.example.notes.Tree." + *name + "(Tree.java:1)\n";
        let text = frames.fold(String::new(), frame);
        signature(&format!("java.lang.StackOverflowError: stack size 8MB\n{text}"))
    };
    assert_eq!(overflow(0, 1000), overflow(2, 611));
}

#[test]
fn crash_anr_and_error_screen_of_one_process_life_are_one_failure() {
    let report = |kind, reporter, pid, frames: usize| Report {
        failure: Failure {
            kind,
            package: "org.example.notes".into(),
            chain: (0..usize::from(frames > 0))
                .map(|_| Throwable {
                    class: "java.lang.Error".into(),
                    message: String::new(),
                    frames: (0..frames)
                        .map(|line| Frame {
                            class: "org.example.notes.Main".into(),
                            method: format!("m{line}"),
                            file: String::new(),
                            line: None,
                        })
                        .collect(),
                })
                .collect(),
            message: "why".into(),
        },
        reporter,
        process: "org.example.notes".into(),
        pid,
        time_ms: None,
        line: 0,
    };
    let mut witnesses = Witnesses::default();
    witnesses.begin_step(StepId(1), Some(1000));
    witnesses.begin_step(StepId(2), Some(2000));
    assert_eq!(witnesses.tell(report(FailureKind::Swallowed, Reporter::Screen, None, 0)), Told::New(0));
    assert!(matches!(
        witnesses.tell(report(FailureKind::Java, Reporter::Controller, Some(9), 2)),
        Told::Better(0, _)
    ));
    assert_eq!(witnesses.tell(report(FailureKind::Java, Reporter::Logcat, Some(9), 2)), Told::Again(0));
    witnesses.begin_life();
    witnesses.begin_step(StepId(3), Some(3000));
    // The log is late: it still speaks of the process that is dead.
    assert_eq!(witnesses.tell(report(FailureKind::Anr, Reporter::AnrTraces, Some(9), 1)), Told::Again(0));
    // A new process fails in the same way: that is a second failure, with the same key.
    assert_eq!(witnesses.tell(report(FailureKind::Java, Reporter::Logcat, Some(10), 2)), Told::New(1));
    let mut late = report(FailureKind::Exit, Reporter::Logcat, Some(11), 0);
    late.time_ms = Some(2500);
    assert_eq!(witnesses.tell(late), Told::New(2));
    let cases = witnesses.cases();
    assert_eq!(
        (cases[0].failure.kind, cases[0].step, cases[0].witnesses.len()),
        (FailureKind::Java, StepId(2), 4)
    );
    assert_eq!((cases[1].step, cases[2].step), (StepId(3), StepId(2)));
    assert_eq!(cases[0].signature, cases[1].signature);
}

#[test]
fn the_nine_activity_not_found_crashes_of_dalvik_explorer_are_one_signature() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/traces/simplydroid/Dalvik");
    if !std::path::Path::new(root).is_dir() {
        skipped::without_shared();
        return;
    }
    let app = App::named("org.jessies.dalvikexplorer");
    let of = |number: u32| {
        let parsed = monkey::parse(&std::fs::read(format!("{root}/{number}/execute.log")).unwrap(), app);
        Signature::of(&only(&parsed).failure)
    };
    let nine: Vec<Signature> = [1, 2, 3, 4, 5, 6, 7, 8, 10].map(of).to_vec();
    assert!(nine.iter().all(|signature| *signature == nine[0]), "{nine:#?}");
    assert!(
        nine[0].0.starts_with("java ActivityNotFoundException Instrumentation.checkStartActivityResult ")
    );
    assert!(of(9).0.starts_with("java OutOfMemoryError FileViewerActivity.readFile "), "{}", of(9));
    assert!(
        of(11).0.starts_with("java MissingResourceException LocaleActivity.describeLocale "),
        "{}",
        of(11)
    );
}

fn read_all(bytes: &[u8]) {
    for app in [NOTES, App::any()] {
        for parsed in [
            logcat::parse(bytes, app),
            anr::parse(bytes, app),
            tombstone::parse(bytes, app),
            monkey::parse(bytes, app),
        ] {
            for report in parsed.reports {
                let signature = Signature::of(&report.failure);
                assert!(signature.folder().len() <= 49);
            }
        }
    }
}

#[test]
fn a_log_cut_off_anywhere_is_read_as_far_as_it_goes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/logs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for end in (0..bytes.len()).step_by(37) {
            read_all(&bytes[..end]);
            read_all(&bytes[end..]);
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        read_all(&bytes);
    }

    #[test]
    fn no_mixture_of_log_pieces_makes_a_reader_panic(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "E/AndroidRuntime( 1): ", "FATAL EXCEPTION: main", "Process: a, PID: 9", "\n", "\tat ", "a.b.C.d(E.java:1)",
            "Caused by: ", "... 7 more", "Suppressed: ", "java.lang.Error: é", "*** *** *** *** ", "pid: 1, tid: ",
            ">>> a <<<", "#00 pc 0f ", "/data/x (", "signal 11 (", "ANR in ", "PID: ", "[ 06-01 12:00:00.0 1: 2 E/T ]",
            "06-01 12:00:00.000 1 2 E T: ", "99999999999999999.999 1 2 E T: ", "// CRASH: ", "// NOT RESPONDING: ",
            "$$ ", "\"main\" ", "----- pid 1 at", "Cmd line: ", "(", ")", ":", "/", "+", "é", "-$$Lambda$", "\u{1b}[",
            "Fatal signal ", ", pid ", "Process x (pid 1) has died", "2024-13-77 99:99:99.9 +0 ", "1-2/x E/T: ", "  ",
        ]), 0..60)) {
        read_all(pieces.concat().as_bytes());
    }
}
