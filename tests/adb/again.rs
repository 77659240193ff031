//! Traces run again on a phone: replay, shrink and suite, from either sort of device to the other.

use std::path::{Path, PathBuf};

use siamang::device::Reset;
use siamang::trace::Trace;

use super::Bench;
use super::commands::{code, siamang, told};

/// The crashes of a run, each with its folder.
fn crashes(run: &Path) -> Vec<PathBuf> {
    let mut crashes: Vec<PathBuf> =
        std::fs::read_dir(run.join("crashes")).unwrap().map(|crash| crash.unwrap().path()).collect();
    crashes.sort();
    crashes
}

/// A run of `counter_crash` on the virtual device, with its one failure.
fn virtual_run(bench: &Bench, folder: &Path) -> PathBuf {
    let run = folder.join("virtual");
    let model = "models/counter_crash.toml";
    let output = siamang(bench, &["explore", model, "--steps", "600", "--out", run.to_str().unwrap()]);
    assert_eq!(code(&output), 1, "{}", told(&output));
    run
}

/// Shell lines and requests that would take data away.
fn was_cleared(bench: &Bench) -> bool {
    bench.phone.clears.load(std::sync::atomic::Ordering::SeqCst) > 0
}

#[test]
fn a_trace_of_the_virtual_device_replays_on_a_phone_as_found_and_from_clean_only_with_leave() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = virtual_run(&bench, folder.path());
    let serial = bench.phone.serial();
    let trace = crashes(&run)[0].join("minimal.trace.json");
    let trace = trace.to_str().unwrap();
    let output = siamang(&bench, &["replay", trace, "--device", &serial, "--times", "2"]);
    let text = told(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("in 2 of 2 runs") && text.contains(&format!("on {serial}")), "{text}");
    assert!(text.contains("its data stays") && text.contains("from a clean start was not tried"), "{text}");
    assert!(!was_cleared(&bench), "nobody allowed it");

    let output = siamang(&bench, &["replay", trace, "--device", &serial, "--reset", "clear"]);
    let text = told(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("CLEARED") && !text.contains("was not tried"), "{text}");
    assert!(was_cleared(&bench));
    assert!(bench.phone.agent().is_none() && bench.phone.files.lock().unwrap().is_empty());
}

#[test]
fn shrinking_on_a_phone_gives_the_trace_that_the_virtual_device_gives() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = virtual_run(&bench, folder.path());
    let serial = bench.phone.serial();
    let (here, there) = (folder.path().join("here.json"), folder.path().join("there.json"));
    // The whole way to the failure, not the short one that lies beside it.
    let recorded = folder.path().join("recorded.json");
    let known = Trace::read(&crashes(&run)[0].join("minimal.trace.json")).unwrap();
    let failure = known.failure.clone().unwrap();
    let original = siamang::trace::RunFolder::open(&run).unwrap().original(&failure).unwrap();
    assert!(original.events.len() > known.events.len());
    original.write(&recorded).unwrap();
    let recorded = recorded.to_str().unwrap();
    let output = siamang(&bench, &["shrink", recorded, "--out", here.to_str().unwrap()]);
    assert_eq!(code(&output), 1, "{}", told(&output));
    let arguments = ["shrink", recorded, "--out", there.to_str().unwrap(), "--device", &serial];
    for leave in [&[][..], &["--reset", "clear"]] {
        let output = siamang(&bench, &[&arguments[..], leave].concat());
        let text = told(&output);
        assert_eq!(code(&output), 1, "{text}");
        assert_eq!(text.contains("was not tried"), leave.is_empty(), "{text}");
        assert_eq!(was_cleared(&bench), !leave.is_empty());
        let (here, there) = (Trace::read(&here).unwrap(), Trace::read(&there).unwrap());
        let did = |trace: &Trace| -> Vec<_> {
            let event = |event: &siamang::trace::TraceEvent| (event.input.clone(), event.target.clone());
            trace.events.iter().map(event).collect()
        };
        assert_eq!(did(&here), did(&there));
        assert_eq!((there.device.as_str(), there.failure.as_ref()), ("adb", Some(&failure)));
        assert_eq!(there.start, if leave.is_empty() { Reset::Warm } else { Reset::Clean });
    }
    // What was shrunk on a phone says so, and goes back to the virtual device when that is asked for.
    let output =
        siamang(&bench, &["replay", there.to_str().unwrap(), "--target", "models/counter_crash.toml"]);
    assert_eq!(code(&output), 1, "{}", told(&output));
    let output = siamang(&bench, &["replay", there.to_str().unwrap()]);
    assert!(code(&output) == 1 && told(&output).contains(&serial), "{}", told(&output));
}

#[test]
fn what_stays_changed_on_a_phone_is_said_whoever_used_it() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = virtual_run(&bench, folder.path());
    let serial = bench.phone.serial();
    let trace = crashes(&run)[0].join("minimal.trace.json");
    let (trace, out) = (trace.to_str().unwrap(), folder.path().join("shrunk.json"));
    let shrink = ["shrink", trace, "--device", &serial, "--out", out.to_str().unwrap()];
    bench.phone.manner.lock().unwrap().leaves = Some("global window_animation_scale".into());
    for arguments in [&["replay", trace, "--device", &serial][..], &shrink] {
        let output = siamang(&bench, arguments);
        assert_eq!(code(&output), 1, "{}", told(&output));
        let said = told(&output).matches("not everything is as it was").count();
        assert_eq!(said, 1, "{arguments:?}: {}", told(&output));
    }
}

#[test]
fn a_suite_is_made_on_a_phone_and_tested_there() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("phone");
    let package = bench.phone.app.package.to_string();
    let out = run.to_str().unwrap();
    let output = siamang(&bench, &["explore", &package, "--steps", "150", "--shrink", "no", "--out", out]);
    assert!(code(&output) <= 1, "{}", told(&output));
    let output = siamang(&bench, &["suite", out, "--reset", "clear", "--repeats", "2"]);
    let text = told(&output);
    assert_eq!(code(&output), 0, "{text}");
    assert!(text.contains("The device tells no branches"), "{text}");
    let suite = run.join("suite");
    let suite = suite.to_str().unwrap();
    let output = siamang(&bench, &["replay", suite, "--reset", "clear"]);
    let text = told(&output);
    assert_eq!(code(&output), 0, "{text}");
    assert!(text.contains("traces as recorded"), "{text}");
    // Without leave nothing is cleared, and the suite says that its starts are as found.
    let before = bench.phone.clears.load(std::sync::atomic::Ordering::SeqCst);
    let found = folder.path().join("found");
    let output = siamang(&bench, &["suite", out, "--repeats", "2", "--out", found.to_str().unwrap()]);
    let text = told(&output);
    assert!(code(&output) == 0 && text.contains("was not tried"), "{text}");
    assert_eq!(bench.phone.clears.load(std::sync::atomic::Ordering::SeqCst), before);
    // A suite that was made with cleared data says that it is run without.
    let output = siamang(&bench, &["replay", suite]);
    assert!(told(&output).contains("was made with the app's data cleared"), "{}", told(&output));
    // So does a run that is to be made one.
    let cleared = folder.path().join("cleared");
    let cleared = cleared.to_str().unwrap();
    let explored =
        ["explore", &package, "--steps", "60", "--shrink", "no", "--reset", "clear", "--out", cleared];
    assert!(code(&siamang(&bench, &explored)) <= 1);
    let before = bench.phone.clears.load(std::sync::atomic::Ordering::SeqCst);
    let output = siamang(&bench, &["suite", cleared, "--repeats", "2"]);
    assert!(told(&output).contains("the run began with the app's data cleared"), "{}", told(&output));
    assert_eq!(bench.phone.clears.load(std::sync::atomic::Ordering::SeqCst), before);
}

#[test]
fn replay_tries_every_phone_and_an_app_that_was_installed_for_it_goes_again() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = virtual_run(&bench, folder.path());
    let trace = crashes(&run)[0].join("minimal.trace.json");
    let trace = trace.to_str().unwrap();
    let second = super::phones::adbd::Phone::start(
        &super::support::phone::model("counter_crash"),
        siamang::seed::Seed(2),
    );
    bench.server.connect(&second.serial(), "device");
    let output = siamang(&bench, &["replay", trace, "--device", "all"]);
    let text = told(&output);
    assert_eq!(code(&output), 1, "{text}");
    for phone in [&bench.phone, &second] {
        assert!(text.contains(&format!("on {}: ", phone.serial())), "{text}");
    }
    // Two phones shrink one trace together.
    let output = siamang(&bench, &["shrink", trace, "--device", "all"]);
    assert_eq!(code(&output), 1, "{}", told(&output));
    let output = siamang(&bench, &["suite", run.to_str().unwrap(), "--device", "all"]);
    assert!(code(&output) == 2 && told(&output).contains("runs on one phone"), "{}", told(&output));

    bench.phone.packages.lock().unwrap().clear();
    let serial = bench.phone.serial();
    let output = siamang(&bench, &["replay", trace, "--device", &serial]);
    assert!(code(&output) == 2 && told(&output).contains("is not installed on"), "{}", told(&output));
    let apk = folder.path().join("app.apk");
    std::fs::write(&apk, b"PK\x03\x04 an app").unwrap();
    let apk = apk.to_str().unwrap();
    let output = siamang(&bench, &["replay", trace, "--device", &serial, "--target", apk]);
    let text = told(&output);
    assert!(code(&output) == 1 && text.contains("was installed for this run"), "{text}");
    assert!(!text.contains("was not tried"), "what siamang installed is its own to clear: {text}");
    assert!(bench.phone.packages.lock().unwrap().is_empty(), "it is uninstalled");
    // Another app than the trace's is refused, and goes, too.
    let other = Trace { package: "org.example.other".into(), ..Trace::read(Path::new(trace)).unwrap() };
    let strange = folder.path().join("other.json");
    other.write(&strange).unwrap();
    let output =
        siamang(&bench, &["replay", strange.to_str().unwrap(), "--device", &serial, "--target", apk]);
    assert!(code(&output) == 2 && told(&output).contains("was recorded on"), "{}", told(&output));
    assert!(bench.phone.packages.lock().unwrap().is_empty(), "it is uninstalled");
}

#[test]
fn a_phone_that_is_lost_while_it_shrinks_ends_the_command_with_what_was_found() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = virtual_run(&bench, folder.path());
    let serial = bench.phone.serial();
    let crash = crashes(&run)[0].clone();
    let arguments = ["shrink", crash.to_str().unwrap(), "--device", &serial, "--wait-for-phone", "200ms"];
    let mut command = super::commands::command(bench.state.path(), &bench.server.address(), &arguments);
    let child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    super::phones::adb_server::wait_until("the phone is at work", || {
        bench.phone.agent().is_some_and(|agent| agent.with(|inner| inner.done.len() > 3))
    });
    bench.phone.unplug();
    let output = child.wait_with_output().unwrap();
    let text = told(&output);
    assert_eq!(code(&output), 3, "{text}");
    assert!(text.contains("device lost") && text.contains("siamang doctor"), "{text}");
}
