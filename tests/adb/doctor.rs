//! The doctor and the list of devices, as a user runs them: what is wrong, and what helps.

use std::process::Output;
use std::sync::atomic::Ordering;

use super::commands::{code, command, siamang, told};
use super::phones::adb_server::{AdbServer, wait_until};
use super::phones::agent::{Fault, Manner};
use super::{Bench, Journals};

#[test]
fn without_adb_the_doctor_says_how_to_get_it() {
    let state = tempfile::tempdir().unwrap();
    let output =
        command(state.path(), "127.0.0.1:1", &["doctor"]).env("PATH", state.path()).output().unwrap();
    assert_eq!(code(&output), 3);
    let jar = state.path().join("agent.jar").display().to_string();
    insta::assert_snapshot!(told(&output).replace(&jar, "JAR"), @r#"
    ok    agent: 5 bytes, JAR
    bad   adb is not installed
          → install it (Debian: apt install adb; others: Android's platform tools) and put it on the PATH
    "#);
    let output = command(state.path(), "127.0.0.1:1", &["doctor", "--json"])
        .env("PATH", state.path())
        .output()
        .unwrap();
    assert_eq!(code(&output), 3);
    let lines: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&lines[0]["state"], &lines[1]["state"]), (&"ok".into(), &"bad".into()));
    assert!(
        lines[0].get("remedy").is_none() && lines[1]["remedy"].as_str().unwrap().contains("apt install adb")
    );
}

#[test]
fn the_doctor_and_the_list_of_devices_with_and_without_a_phone() {
    let Some(server) = AdbServer::start() else { return };
    let state = tempfile::tempdir().unwrap();
    let output = command(state.path(), &server.address(), &["devices"]).output().unwrap();
    assert_eq!((code(&output), told(&output).contains("no phone is connected")), (3, true));
    let output = command(state.path(), &server.address(), &["doctor"]).output().unwrap();
    assert_eq!((code(&output), told(&output).contains("bad   no phone is connected")), (3, true));

    let Some(bench) = Bench::new("counter_crash") else { return };
    let plain = |output: &Output| {
        let jar = bench.state.path().join("agent.jar").display().to_string();
        let text = told(output).replace(&bench.phone.serial(), "SERIAL").replace(&jar, "JAR");
        text.replace(&bench.server.address(), "SERVER")
    };
    let output = siamang(&bench, &["devices", "--json"]);
    assert!(plain(&output).contains("\"api\": 34"), "{}", plain(&output));
    let output = siamang(&bench, &["doctor"]);
    assert_eq!(code(&output), 0, "{}", plain(&output));
    insta::assert_snapshot!(plain(&output), @r#"
    ok    agent: 5 bytes, JAR
    ok    adb server at SERVER, version 1.0.41
    ok    SERIAL is ready: Virtual Phone
    ok    SERIAL: Android API 34
    ok    SERIAL: animations are on; siamang turns them off for a run and on again
    ok    SERIAL: the agent runs, build scripted, screen 1080x1920
    note  SERIAL: no screenshot: a double has no screen
          → the run goes on without it
    ok    SERIAL: input is allowed
    ok    SERIAL: the screen is not locked
    ok    SERIAL: everything is as it was
    "#);
    let output = siamang(&bench, &["inspect", "--device", &bench.phone.serial()]);
    assert_eq!(code(&output), 0, "{}", plain(&output));
    assert!(plain(&output).contains("window"), "{}", plain(&output));
}

#[test]
fn the_doctor_names_what_is_wrong_with_a_phone_and_its_remedy() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let serial = bench.phone.serial();
    let doctor = || {
        let output = siamang(&bench, &["doctor"]);
        let text = told(&output).replace(&serial, "SERIAL");
        assert_eq!(code(&output), 3, "{text}");
        assert!(!text.contains("a killed run"), "{text}");
        let bad = text.lines().skip_while(|line| !line.starts_with("bad")).take(2);
        bad.collect::<Vec<_>>().join("\n")
    };
    *bench.phone.start_fails.lock().unwrap() =
        Some("failed 4 UiAutomationService already registered!".into());
    let held = doctor();
    assert!(held.contains("already registered") && held.contains("end Appium, uiautomator"), "{held}");
    *bench.phone.start_fails.lock().unwrap() = None;
    bench.phone.manner.lock().unwrap().locked = true;
    insta::assert_snapshot!(doctor(), @r"
    bad   SERIAL: the screen is locked
          → unlock it, or turn the lock off while testing
    ");
    bench.phone.manner.lock().unwrap().locked = false;
    let refusal = Fault::Refuse(siamang::device::agent::answer::code::INJECT_DENIED, "no".into());
    *bench.phone.faults.lock().unwrap() = vec![(1, refusal)];
    insta::assert_snapshot!(doctor(), @r#"
    bad   SERIAL: input is refused
          → look in the developer options for a switch: Xiaomi calls it "USB debugging (Security settings)", and wants a restart; other makers may have one, too
    "#);
    bench.phone.manner.lock().unwrap().leaves =
        Some("global window_animation_scale: it is 0 and was 1".into());
    insta::assert_snapshot!(doctor(), @r"
    bad   SERIAL: not everything is as it was: SERIAL: global window_animation_scale: it is 0 and was 1
          → run `siamang doctor --undo`
    ");
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert!(code(&output) == 3 && !told(&output).contains("everything is as it was\n"), "{}", told(&output));
    *bench.phone.manner.lock().unwrap() = Manner { takes_no_input: true, ..Manner::default() };
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert_eq!(code(&output), 0, "{}", told(&output));
    let text = told(&siamang(&bench, &["doctor"]));
    assert!(text.contains("input is allowed, but no window took it\n      → unlock the phone"), "{text}");
    bench.phone.manner.lock().unwrap().takes_no_input = false;
    bench.server.disconnect(&serial);
    bench.phone.unauthorized.store(true, Ordering::SeqCst);
    bench.server.connect(&serial, "unauthorized");
    insta::assert_snapshot!(doctor(), @r"
    bad   SERIAL is unauthorized
          → unlock the phone and allow USB debugging in the dialog that it shows
    ");
}

#[test]
fn what_a_killed_run_left_behind_is_undone_by_the_doctor() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = std::time::Duration::from_millis(300);
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = bench.phone.app.package.to_string();
    let arguments = ["explore", &package, "--steps", "1000000", "--out", out.to_str().unwrap()];
    let mut run = command(bench.state.path(), &bench.server.address(), &arguments)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the agent is at work", || {
        bench.phone.agent().is_some_and(|agent| agent.with(|inner| inner.done.len() > 5))
    });
    let output = siamang(&bench, &["devices"]);
    assert!(told(&output).contains("yes"), "it is busy: {}", told(&output));
    // Nobody else gets at the phone, and the record of what is to be undone stays that of the run.
    let at_work = format!("siamang is at work on {} (process {})", bench.phone.serial(), run.id());
    for others in
        [&["explore", &package, "--steps", "5"][..], &["inspect", "--device", &bench.phone.serial()]]
    {
        let output = siamang(&bench, others);
        assert_eq!(code(&output), 3, "{}", told(&output));
        assert!(told(&output).contains(&at_work), "{}", told(&output));
    }
    let output = siamang(&bench, &["doctor"]);
    let text = told(&output);
    assert!(text.contains(&at_work) && !text.contains("pull the cable"), "{text}");
    assert_eq!(code(&output), 0, "a phone at work is not ill: {text}");
    assert_eq!(Journals::at(bench.state.path()).all()[0].pid, run.id());
    run.kill().unwrap();
    run.wait().unwrap();
    let journals = Journals::at(bench.state.path());
    assert_eq!(journals.all().len(), 1);
    let output = siamang(&bench, &["doctor", "--undo"]);
    assert_eq!(code(&output), 0, "{}", told(&output));
    assert!(told(&output).contains("everything is as it was"), "{}", told(&output));
    assert!(journals.all().is_empty());
    assert!(bench.phone.agent().is_none() && bench.phone.files.lock().unwrap().is_empty());
}
