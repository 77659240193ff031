//! What happened to the app, in the words of the oracle: notices become failures.

use super::notice::{Notice, Noticed};
use crate::ids::StepId;
use crate::oracle::anr;
use crate::oracle::report::package_of;
use crate::oracle::stack::parse_stack;
use crate::oracle::tombstone;
use crate::oracle::{Failure, FailureKind, Report, Reporter, Told, Witnesses};

const CONTROLLER: u8 = 1;
const LOGCAT: u8 = 2;

/// Follows one app through its lives and says of each failure once, however many saw it.
#[derive(Clone, Debug)]
pub struct Fate {
    package: String,
    witnesses: Witnesses,
    step: StepId,
    running: bool,
}

/// What the notices of one step come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// New failures of the app, best told.
    pub failures: Vec<Failure>,
    /// Trouble that is not the app's.
    pub issues: Vec<String>,
}

impl Fate {
    /// Nothing has happened yet.
    pub fn new(package: &str) -> Self {
        Self { package: package.to_owned(), witnesses: Witnesses::default(), step: StepId(0), running: false }
    }

    /// The app's process is running, as far as the notices tell.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// The app is launched.
    pub fn begin_life(&mut self) {
        self.witnesses.begin_life();
        self.running = true;
    }

    /// Takes the notices of one step.
    pub fn hear(&mut self, notices: &[Noticed]) -> Turn {
        self.step = self.step.next();
        self.witnesses.begin_step(self.step, None);
        let mut turn = Turn::default();
        let mut cases = Vec::new();
        for Noticed { notice, uptime_ms, .. } in notices {
            match notice {
                Notice::Warn { what, why } => turn.issues.push(format!("{what}: {why}")),
                notice => {
                    let Some(report) = self.report(notice, *uptime_ms) else { continue };
                    match self.witnesses.tell(report) {
                        Told::New(case) => {
                            cases.push(case);
                            self.running = false;
                        }
                        // It stands in the log by its poorer name; telling it again would make two failures of one.
                        Told::Better(case, before) if !cases.contains(&case) => {
                            let known = &self.witnesses.cases()[case].signature;
                            turn.issues.push(format!("`{before}` is better known now: it is `{known}`"));
                        }
                        // Who tells late of what is known may speak of a process that has long been followed by another.
                        Told::Again(_) | Told::Better(..) => {}
                    }
                }
            }
        }
        let told = self.witnesses.cases();
        turn.failures = cases.into_iter().map(|case| told[case].failure.clone()).collect();
        turn
    }

    /// The report of a failure of this app. Process ids are used again, so where there is one it is told when that was,
    /// by the clock that all witnesses have in common.
    fn report(&self, notice: &Notice, uptime_ms: u64) -> Option<Report> {
        let (process, pid, failure, source, wall_ms) = match notice {
            Notice::Crash { process, pid, native, short, long, stack, source, wall_ms } => {
                (process, *pid, self.crash(*native, short, long, stack), *source, *wall_ms)
            }
            Notice::Anr { process, pid, reason, source } => {
                let (message, chain) = anr::told(reason);
                let failure = Failure { chain, ..self.failure(FailureKind::Anr, &message) };
                (process, *pid, failure, *source, 0)
            }
            Notice::Exit { process, pid, reason } => {
                (process, *pid, self.failure(FailureKind::Exit, first_line(reason)), CONTROLLER, 0)
            }
            _ => return None,
        };
        if package_of(process) != self.package {
            return None;
        }
        let reporter = match source {
            CONTROLLER => Reporter::Controller,
            LOGCAT => Reporter::Logcat,
            _ => Reporter::Device,
        };
        Some(Report {
            failure,
            reporter,
            process: process.to_string(),
            pid: (pid != 0).then_some(pid),
            time_ms: match (pid, wall_ms) {
                (0, 0) => None,
                (0, wall_ms) => Some(wall_ms as i64),
                _ => Some(uptime_ms as i64),
            },
            line: 0,
        })
    }

    fn crash(&self, native: bool, short: &str, long: &str, stack: &str) -> Failure {
        let kind = if native { FailureKind::Native } else { FailureKind::Java };
        // Of a native crash a dump is told, which is no stack of Java.
        if let Some(dump) = native.then(|| tombstone::failure(stack)).flatten() {
            return Failure { package: self.package.clone(), ..dump };
        }
        let (chain, _) = parse_stack(stack);
        let message = if long.is_empty() { short } else { long };
        let message = match chain.first() {
            Some(first) => first.message.clone(),
            None => first_line(message).to_owned(),
        };
        Failure { chain, ..self.failure(kind, &message) }
    }

    fn failure(&self, kind: FailureKind, message: &str) -> Failure {
        Failure { kind, package: self.package.clone(), chain: Vec::new(), message: message.to_owned() }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Signature;

    const DEVICE: u8 = 0;

    fn crash(pid: u32, source: u8, stack: &str, wall_ms: u64) -> Noticed {
        let notice = Notice::Crash {
            process: "org.app".into(),
            pid,
            native: false,
            short: "java.lang.IllegalStateException".into(),
            long: "java.lang.IllegalStateException: no".into(),
            stack: stack.into(),
            source,
            wall_ms,
        };
        Noticed { seq: 1, uptime_ms: 0, notice }
    }

    const STACK: &str = "java.lang.IllegalStateException: no\n\tat org.app.Main.go(Main.java:7)\n";

    #[test]
    fn what_two_reporters_tell_is_one_failure_even_when_one_of_them_is_late() {
        let mut fate = Fate::new("org.app");
        fate.begin_life();
        let turn = fate.hear(&[crash(70, CONTROLLER, STACK, 1_000), crash(70, LOGCAT, STACK, 1_002)]);
        assert_eq!(turn.failures.len(), 1);
        assert!(!fate.is_running());
        // The log comes again after the app has been started anew: nothing new failed, and the app runs.
        fate.begin_life();
        let turn = fate.hear(&[crash(70, LOGCAT, STACK, 1_002)]);
        assert_eq!(turn.failures, []);
        assert!(fate.is_running());
        // The new process fails in the same way: that is another failure.
        let turn = fate.hear(&[crash(71, DEVICE, STACK, 9_000)]);
        assert_eq!(turn.failures.len(), 1);
        assert!(!fate.is_running());
    }

    #[test]
    fn a_native_crash_is_known_by_signal_and_frames_whoever_tells_it() {
        // What the system tells its controller begins with the build; logcat's lines may lack that.
        let dump = |build: &str, library: &str| {
            format!(
                "*** *** *** *** *** *** *** ***\n{build}pid: 70, tid: 70, name: org.app  >>> org.app <<<\n\
                 uid: 10100\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\nCause: null pointer dereference\n    \
                 x0  0000000000000000\nbacktrace:\n      #00 pc 0000000000023a4c  /data/app/x/lib/arm64/{library} (go+12) (BuildId: ab)\n      \
                 #01 pc 0000000000001000  /system/lib64/libart.so (art_quick+8)\n\nmemory near x0:\n"
            )
        };
        let build =
            "Build fingerprint: 'a/b/c'\nRevision: '0'\nABI: 'arm64'\nTimestamp: 2026-11-17 02:00:00\n";
        let hear = |source, stack: &str| {
            let mut fate = Fate::new("org.app");
            fate.begin_life();
            let mut told = crash(70, source, stack, 0);
            if let Notice::Crash { native, short, long, .. } = &mut told.notice {
                (*native, *short) = (true, "Native crash".into());
                *long = "Native crash: Segmentation fault".into();
            }
            fate.hear(&[told]).failures.remove(0)
        };
        let failure = hear(CONTROLLER, &dump(build, "libn.so"));
        assert_eq!((failure.kind, &*failure.chain[0].class), (FailureKind::Native, "SIGSEGV"));
        assert_eq!(failure.chain[0].frames[0].class, "libn.so");
        assert_eq!(Signature::of(&failure), Signature::of(&hear(LOGCAT, &dump("", "libn.so"))));
        assert_ne!(Signature::of(&failure), Signature::of(&hear(CONTROLLER, &dump(build, "libother.so"))));
    }

    #[test]
    fn a_number_of_a_process_that_comes_again_in_the_night_is_another_process() {
        let mut fate = Fate::new("org.app");
        let mut at = |life: bool, uptime_ms| {
            if life {
                fate.begin_life();
            }
            let told = Noticed { uptime_ms, ..crash(70, CONTROLLER, STACK, 1_000) };
            fate.hear(&[told]).failures.len()
        };
        assert_eq!((at(true, 5_000), at(false, 5_100), at(true, 6_000)), (1, 0, 0), "told late");
        assert_eq!(at(true, 9_000_000), 1);
        // The phone was started anew: its clock and its numbers begin again.
        assert_eq!(at(true, 40_000), 1);
    }

    #[test]
    fn a_hang_that_ends_in_a_crash_of_the_same_process_is_one_failure() {
        let anr = || {
            let reason = "Input dispatching timed out".into();
            let notice = Notice::Anr { process: "org.app".into(), pid: 70, reason, source: CONTROLLER };
            Noticed { seq: 1, uptime_ms: 0, notice }
        };
        let mut fate = Fate::new("org.app");
        fate.begin_life();
        assert_eq!(fate.hear(&[anr()]).failures.len(), 1);
        let late = fate.hear(&[crash(70, LOGCAT, STACK, 1_000)]);
        assert_eq!(late.failures, []);
        // What is known better now is not lost, either.
        assert!(late.issues[0].contains("is better known now: it is `java "), "{late:?}");
        assert_eq!(fate.hear(&[crash(70, CONTROLLER, STACK, 1_000)]), Turn::default(), "nothing new");
        // Told at once, the better name is the failure's.
        let mut fate = Fate::new("org.app");
        fate.begin_life();
        let turn = fate.hear(&[anr(), crash(70, LOGCAT, STACK, 1_000)]);
        assert_eq!((turn.failures.len(), turn.failures[0].kind), (1, FailureKind::Java));
        assert!(turn.issues.is_empty());
    }

    #[test]
    fn a_hang_has_its_reason_and_the_stack_of_the_main_thread_where_it_is_told() {
        let report =
            "ANR in org.app (org.app/.Main)\nPID: 70\nReason: Input dispatching timed out\nLoad: 1 / 2 / 3\n";
        let traces = "----- pid 70 at 2026-11-16 09:40:04 -----\nCmd line: org.app\n\"main\" prio=5 tid=1 Blocked\n  \
                      at org.app.Store.find(Store.java:8)\n  at org.app.Main.onClick(Main.java:7)\n  \
                      at android.os.Looper.loop(Looper.java:223)\n\n\"other\" tid=2\n  at org.app.Other.run(Other.java:1)\n";
        let alone = "the main thread does not answer\n\tat org.app.Store.sort(Store.java:9)\n\tat org.app.Main.onClick(Main.java:7)\n";
        let hear = |reason: String| {
            let mut fate = Fate::new("org.app");
            fate.begin_life();
            let anr = Notice::Anr { process: "org.app".into(), pid: 70, reason, source: CONTROLLER };
            fate.hear(&[Noticed { seq: 1, uptime_ms: 0, notice: anr }]).failures.remove(0)
        };
        let bare = hear(report.into());
        assert_eq!((bare.message.as_str(), bare.chain.len()), ("Input dispatching timed out", 0));
        let full = hear(format!("{report}{traces}"));
        assert_eq!((full.message.as_str(), full.chain[0].frames.len()), ("Input dispatching timed out", 3));
        let other = hear(alone.into());
        assert_eq!(
            (other.message.as_str(), other.chain[0].frames.len()),
            ("the main thread does not answer", 2)
        );
        // Taken at another moment the stack is another, the hang the same.
        assert_eq!(Signature::of(&full), Signature::of(&other));
        assert!(Signature::of(&full).0.starts_with("anr Main.onClick "));
    }
}
