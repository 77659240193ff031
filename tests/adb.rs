//! Phones: a real adb server, an adbd double and a scripted agent on the virtual device.
#![cfg(feature = "adb")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "adb/again.rs"]
mod again;
#[path = "adb/commands.rs"]
mod commands;
#[path = "adb/doctor.rs"]
mod doctor;
#[path = "adb/faults.rs"]
mod faults;
#[path = "support/phones/mod.rs"]
mod phones;
#[path = "adb/runs.rs"]
mod runs;
mod support;
#[path = "adb/traces.rs"]
mod traces;
#[path = "adb/undo.rs"]
mod undo;

use std::sync::Arc;
use std::time::Duration;

use phones::adb_server::AdbServer;
use phones::adbd::Phone;
use siamang::device::Device;
use siamang::device::adb::jar::Jar;
use siamang::device::adb::journal::Journals;
use siamang::device::adb::names::{Package, Serial, ShellLine};
use siamang::device::adb::wire::{AdbError, Deadlines, Server};
use siamang::device::adb::{AdbConfig, AdbDevice};
use siamang::device::agent::Timing;
use siamang::seed::Seed;
use support::phone::model;
use tempfile::TempDir;

/// A phone behind a real adb server.
struct Bench {
    server: AdbServer,
    phone: Arc<Phone>,
    state: TempDir,
}

impl Bench {
    fn new(app: &str) -> Option<Self> {
        Self::with(app, |_| {})
    }

    /// With a phone that is made so before it is connected.
    fn with(app: &str, make: impl Fn(&Phone)) -> Option<Self> {
        let server = AdbServer::start()?;
        let phone = Phone::start(&model(app), Seed(1).named("device"));
        make(&phone);
        server.connect(&phone.serial(), "device");
        Some(Self { server, phone, state: tempfile::tempdir().unwrap() })
    }

    fn wire(&self) -> Server {
        Server::new(&self.server.address(), Deadlines::default())
    }

    fn serial(&self) -> Serial {
        Serial::new(&self.phone.serial()).unwrap()
    }

    /// Clears data, and is quick to find out that an agent is silent.
    fn config(&self) -> AdbConfig {
        let jar = Jar { bytes: vec![1, 2, 3].into(), origin: "a test".into() };
        AdbConfig {
            clear: true,
            timing: Timing {
                deadline: Duration::from_millis(700),
                margin: Duration::from_millis(300),
                undo: Duration::from_millis(2_100),
                ..Timing::default()
            },
            journals: Journals::at(self.state.path()),
            patience: Duration::from_secs(10),
            ..AdbConfig::new(Package::new(&self.phone.app.package).unwrap(), jar)
        }
    }

    fn device(&self) -> AdbDevice {
        AdbDevice::new(self.wire(), self.serial(), self.config())
    }
}

fn now<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run)
}

#[test]
fn a_shell_command_has_its_output_and_its_exit_code() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    shell_answers(&bench);
}

#[test]
fn so_it_has_on_a_phone_before_android_7_whose_shell_knows_no_packets() {
    let old = |phone: &Phone| phone.is_old.store(true, std::sync::atomic::Ordering::SeqCst);
    let Some(bench) = Bench::with("counter_crash", old) else { return };
    shell_answers(&bench);
    now(async {
        let mut device = bench.device();
        let seen = device.reset(siamang::device::Reset::Clean).await.unwrap();
        assert!(seen.running && !seen.tree.nodes().is_empty());
        device.close().await.unwrap();
    });
    assert!(bench.phone.agent().is_none(), "the agent is gone");
    assert!(bench.phone.files.lock().unwrap().is_empty(), "no file is left");
}

fn shell_answers(bench: &Bench) {
    let (wire, serial) = (bench.wire(), bench.serial());
    now(async {
        assert!(wire.version().await.unwrap() >= 36);
        let sdk = wire.must(&serial, &ShellLine::new("getprop ro.build.version.sdk")).await.unwrap();
        assert_eq!(sdk, "34\n");
        let output = wire.run(&serial, &ShellLine::new("no-such-command")).await.unwrap();
        assert_eq!(output.code, Some(127));
        let error = wire.must(&serial, &ShellLine::new("no-such-command")).await.unwrap_err();
        let told = "`no-such-command` ended with 127: no-such-command: inaccessible or not found";
        assert_eq!(error.to_string(), told);
        let bytes = wire.exec(&serial, &ShellLine::new("getprop ro.build.version.sdk")).await.unwrap();
        assert_eq!(bytes, b"34\n");
    });
}

#[test]
fn devices_are_seen_coming_and_going_and_the_unknown_are_called_so() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let (wire, serial) = (bench.wire(), bench.serial());
    now(async {
        let listed = wire.devices().await.unwrap();
        assert_eq!(listed[0].serial, serial.as_str());
        assert_eq!(listed[0].model, "Virtual Phone");
        let mut tracker = wire.track().await.unwrap();
        assert_eq!(tracker.next().await.unwrap().len(), 1);
        bench.server.disconnect(serial.as_str());
        while !tracker.next().await.unwrap().is_empty() {}
        bench.server.connect(serial.as_str(), "device");
        assert!(tracker.wait_for(&serial, Duration::from_secs(10)).await.unwrap());
        let nobody = Serial::new("nobody").unwrap();
        let error = wire.open(&nobody, "localabstract:x").await.unwrap_err();
        assert!(matches!(error, AdbError::NoDevice(_)), "{error}");
        let error = wire.open(&serial, "localabstract:nobody-listens").await.unwrap_err();
        assert!(matches!(error, AdbError::Refused { .. }), "{error}");
        let nowhere = Server::new("127.0.0.1:1", Deadlines::default());
        assert!(matches!(nowhere.version().await, Err(AdbError::NoServer { .. })));
    });
}

#[test]
fn a_run_leaves_the_phone_as_it_found_it_and_no_app_string_reaches_a_shell() {
    let Some(bench) = Bench::new("notes") else { return };
    let packages = bench.phone.packages.lock().unwrap().clone();
    now(async {
        let mut device = bench.device();
        let seen = device.reset(siamang::device::Reset::Clean).await.unwrap();
        assert!(seen.running && !seen.tree.nodes().is_empty());
        assert_eq!(Journals::at(bench.state.path()).all().len(), 1);
        device.close().await.unwrap();
    });
    // Texts are typed and read, and the app is restarted.
    let out = bench.state.path().join("run");
    let arguments = ["explore", "--steps", "1000", "--reset", "clear", "--shrink", "no", "--out"];
    let rest = [out.to_str().unwrap(), &bench.phone.app.package];
    let output = commands::siamang(&bench, &[&arguments[..], &rest].concat());
    assert!(commands::code(&output) <= 1, "{}", commands::told(&output));
    assert!(bench.phone.agent().is_none(), "the agent is gone");
    assert!(bench.phone.files.lock().unwrap().is_empty(), "no file is left");
    assert_eq!(*bench.phone.packages.lock().unwrap(), packages);
    assert!(Journals::at(bench.state.path()).all().is_empty(), "the journal is empty");
    let lines: Vec<String> = bench.phone.lines.lock().unwrap().clone();
    let plain = |line: &String| {
        let word = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-=".contains(c));
        line.split(' ').all(word)
    };
    assert!(!lines.is_empty() && lines.iter().all(plain), "{lines:?}");
}
