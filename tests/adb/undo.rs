//! What is put on a phone is written down until it is gone again, whoever dies meanwhile.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::Duration;

use siamang::action::{Event, Input};
use siamang::device::adb::install;
use siamang::device::adb::names::{Package, Serial, ShellLine};
use siamang::device::adb::wire::AdbError;
use siamang::device::adb::{AdbConfig, AdbDevice};
use siamang::device::{Device, Reset};
use siamang::gui::Point;

use super::commands::{code, command, siamang, told};
use super::phones::adb_server::wait_until;
use super::phones::agent::{AT_BYE, Fault};
use super::{Bench, Journals, now};

/// A file that the virtual phone takes for an app: its own, or the one that is named.
fn apk(bench: &Bench, name: Option<&str>) -> PathBuf {
    let path = bench.state.path().join(format!("{}.apk", name.unwrap_or("app")));
    let content = name.map_or_else(|| "PK\x03\x04 an app".to_owned(), |name| format!("PK\x03\x04 as {name}"));
    std::fs::write(&path, content).unwrap();
    path
}

fn journals(bench: &Bench) -> Journals {
    Journals::at(bench.state.path())
}

/// What is written down, as it is on the disk.
fn written(bench: &Bench) -> String {
    let files = std::fs::read_dir(bench.state.path().join("devices")).unwrap();
    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

/// Writes something else there.
fn write(bench: &Bench, change: impl Fn(&mut serde_json::Value)) {
    for file in std::fs::read_dir(bench.state.path().join("devices")).unwrap() {
        let path = file.unwrap().path();
        let mut entry = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        change(&mut entry);
        std::fs::write(path, entry.to_string()).unwrap();
    }
}

/// Explores an APK on the bench's phone for a few steps.
fn explore(bench: &Bench, apk: &std::path::Path, steps: &str) -> std::process::Command {
    let out = bench.state.path().join("run");
    let serial = bench.phone.serial();
    let arguments = ["explore", apk.to_str().unwrap(), "--device", &serial, "--steps", steps];
    let out = ["--shrink", "no", "--out", out.to_str().unwrap()];
    command(bench.state.path(), &bench.server.address(), &[&arguments[..], &out].concat())
}

#[test]
fn what_could_not_be_put_back_stays_written_down_also_if_the_app_goes_with_the_run() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.packages.lock().unwrap().clear();
    bench.phone.manner.lock().unwrap().leaves = Some("global window_animation_scale".into());
    let output = explore(&bench, &apk(&bench, None), "20").output().unwrap();
    assert!(told(&output).contains("not everything is as it was"), "{}", told(&output));
    assert!(bench.phone.packages.lock().unwrap().is_empty(), "it is uninstalled");
    assert_eq!(journals(&bench).all().len(), 1);
    bench.phone.manner.lock().unwrap().leaves = None;
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert_eq!(code(&output), 0, "{}", told(&output));
    assert!(journals(&bench).all().is_empty());
}

#[test]
fn what_never_came_onto_the_phone_is_not_written_down() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let path = apk(&bench, None);
    std::fs::write(&path, b"PK\x03\x04 broken").unwrap();
    let output = explore(&bench, &path, "20").output().unwrap();
    assert_eq!(code(&output), 2, "{}", told(&output));
    assert_eq!(journals(&bench).all(), [], "a refused app");

    bench.phone.storage_full.store(true, Ordering::SeqCst);
    let output = explore(&bench, &apk(&bench, None), "20").output().unwrap();
    assert_eq!(code(&output), 3, "{}", told(&output));
    assert_eq!(journals(&bench).all(), [], "an app for which there was no room");
    assert!(now(bench.device().reset(Reset::Clean)).is_err());
    assert_eq!(journals(&bench).all(), [], "an agent for which there was no room");
    let output = siamang(&bench, &["doctor"]);
    let text = told(&output);
    assert!(text.contains("No space left on device\n      → make room on the phone"), "{text}");
}

#[test]
fn an_app_that_its_user_took_away_meanwhile_does_not_keep_undo_from_ending() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = Duration::from_millis(100);
    bench.phone.packages.lock().unwrap().clear();
    let mut run = explore(&bench, &apk(&bench, None), "1000000").stderr(Stdio::null()).spawn().unwrap();
    wait_until("the agent is at work", || {
        bench.phone.agent().is_some_and(|agent| agent.with(|inner| inner.done.len() > 5))
    });
    run.kill().unwrap();
    run.wait().unwrap();
    bench.phone.packages.lock().unwrap().clear();
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert_eq!(code(&output), 0, "{}", told(&output));
    assert!(journals(&bench).all().is_empty());
}

#[test]
fn the_app_of_a_killed_run_is_not_forgotten_over_the_next_one() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    now(async {
        for name in ["org.example.first", "org.example.second"] {
            let file = apk(&bench, Some(name));
            let installed =
                install::install(&bench.wire(), &bench.serial(), &file, &journals(&bench)).await.unwrap();
            assert_eq!((installed.package.as_str(), installed.fresh), (name, true));
        }
    });
    let text = written(&bench);
    assert!(text.contains("org.example.first") && text.contains("org.example.second"), "{text}");
    // As if the process that installed them were gone.
    write(&bench, |entry| entry["pid"] = u32::MAX.into());
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert_eq!(code(&output), 0, "{}", told(&output));
    let left: Vec<String> = bench.phone.packages.lock().unwrap().keys().cloned().collect();
    assert_eq!(left, [bench.phone.app.package.to_string()]);
}

#[test]
fn a_number_that_another_program_has_by_now_does_not_make_a_phone_busy() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = Duration::from_millis(100);
    let mut device = bench.device();
    now(device.reset(Reset::Clean)).unwrap();
    let agent = bench.phone.agent().unwrap();
    std::mem::forget(device);
    agent.kill();
    // The first process of the system is always there, and is none of ours.
    write(&bench, |entry| entry["pid"] = 1.into());
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert_eq!(code(&output), 0, "{}", told(&output));
    assert!(told(&output).contains("everything is as it was"), "{}", told(&output));
    assert!(journals(&bench).all().is_empty());
}

#[test]
fn an_installation_that_was_under_way_at_a_kill_is_spoken_of() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let file = apk(&bench, Some("org.example.first"));
    now(install::install(&bench.wire(), &bench.serial(), &file, &journals(&bench))).unwrap();
    // As the record is before the phone says that it is done.
    write(&bench, |entry| {
        entry["pid"] = u32::MAX.into();
        entry["installed"] = serde_json::json!([]);
        entry["files"] = serde_json::json!(["siamang-1.apk"]);
    });
    let output = siamang(&bench, &["doctor", "--undo"]);
    let text = told(&output).replace(&bench.phone.serial(), "SERIAL");
    assert_eq!(code(&output), 0, "{text}");
    assert!(text.contains("note  SERIAL: an app was just being installed"), "{text}");
}

#[test]
fn an_agent_that_was_lost_before_it_put_things_back_is_said_at_the_end() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = bench.device();
    now(device.reset(Reset::Clean)).unwrap();
    bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((2, Fault::Die)));
    let tap = Event::settled(Input::Tap(Point { x: 500, y: 900 }));
    assert!(now(device.step(&tap)).is_err());
    let error = now(device.close()).unwrap_err().to_string().replace(&bench.phone.serial(), "SERIAL");
    insta::assert_snapshot!(error, @"not everything is as it was: SERIAL: its agent was lost before it could put things back");
    assert_eq!(journals(&bench).all().len(), 1);
    // One that never touched a phone has nothing to say.
    let config = AdbConfig { package: Package::new("org.example.absent").unwrap(), ..bench.config() };
    let other = AdbDevice::new(bench.wire(), Serial::new("nobody").unwrap(), config);
    now(other.close()).unwrap();
}

#[test]
fn an_agent_whose_connection_is_cut_at_the_end_is_told_again_to_put_things_back() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = bench.device();
    now(device.reset(Reset::Clean)).unwrap();
    let agent = bench.phone.agent().unwrap();
    agent.with(|inner| inner.faults.push_back((AT_BYE, Fault::CutBefore)));
    now(device.close()).unwrap();
    assert!(agent.with(|inner| inner.said_bye && inner.faults.is_empty()));
    assert!(journals(&bench).all().is_empty());
}

#[test]
fn an_agent_that_is_lost_at_the_end_is_said_to_have_left_things_and_stays_written_down() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = Duration::from_millis(100);
    let mut device = bench.device();
    now(device.reset(Reset::Clean)).unwrap();
    bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((AT_BYE, Fault::Die)));
    let error = now(device.close()).unwrap_err().to_string();
    assert!(error.contains("not everything is as it was"), "{error}");
    assert_eq!(journals(&bench).all().len(), 1);
}

#[test]
fn an_agent_that_refused_its_configuration_and_ended_well_has_left_nothing() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.manner.lock().unwrap().refuses_config = 1;
    let mut device = bench.device();
    assert!(now(device.reset(Reset::Clean)).is_err());
    assert!(journals(&bench).all().is_empty());
    now(device.close()).unwrap();
}

#[test]
fn an_installation_that_broke_off_is_still_spoken_of_after_another_run() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = bench.device();
    now(device.reset(Reset::Clean)).unwrap();
    now(device.close()).unwrap();
    let entry = siamang::device::adb::journal::Entry::new(bench.wire().address(), &bench.serial());
    let broken =
        siamang::device::adb::journal::Entry { files: vec!["siamang-1.apk".into()], pid: u32::MAX, ..entry };
    journals(&bench).write(&broken).unwrap();
    let output = explore(&bench, &apk(&bench, None), "20").output().unwrap();
    assert!(told(&output).contains("an earlier run broke off while it installed"), "{}", told(&output));
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert!(told(&output).contains("an app was just being installed"), "{}", told(&output));
    assert!(journals(&bench).all().is_empty());
}

#[test]
fn a_folder_of_records_that_cannot_be_written_is_called_so_and_nothing_is_touched() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    std::fs::write(bench.state.path().join("devices"), b"a file where the folder would be").unwrap();
    let package = bench.phone.app.package.to_string();
    let (file, serial) = (apk(&bench, None), bench.phone.serial());
    let arguments = [
        &["explore", file.to_str().unwrap(), "--device", &serial][..],
        &["explore", &package, "--steps", "5"],
        &["inspect", "--device", &serial],
        &["doctor"],
        &["doctor", "--undo"],
    ];
    for arguments in arguments {
        let output = siamang(&bench, arguments);
        let text = told(&output);
        assert_eq!(code(&output), 3, "{arguments:?}: {text}");
        assert!(text.contains("cannot write down what is put on phones, in /"), "{text}");
        assert!(text.contains("SIAMANG_STATE"), "{text}");
    }
    assert!(bench.phone.files.lock().unwrap().is_empty() && bench.phone.agent().is_none());
}

#[test]
fn an_app_that_was_there_is_said_to_be_replaced_and_keeps_its_data() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let output = explore(&bench, &apk(&bench, None), "20").output().unwrap();
    let text = told(&output);
    assert!(code(&output) <= 1, "{text}");
    assert!(text.contains("was there before and is the one of the file now, which stays"), "{text}");
    assert!(text.contains("its data stays"), "{text}");
    assert_eq!(bench.phone.clears.load(Ordering::SeqCst), 0);
    assert_eq!(bench.phone.packages.lock().unwrap().len(), 1);
    assert!(journals(&bench).all().is_empty());
}

#[test]
fn an_unknown_phone_is_called_so_by_its_shell_too() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let nobody = Serial::new("nobody").unwrap();
    let error = now(bench.wire().run(&nobody, &ShellLine::new("getprop"))).unwrap_err();
    assert!(matches!(error, AdbError::NoDevice(_)), "{error}");
}
