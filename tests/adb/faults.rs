//! What goes wrong on the way to a phone, and that no step is lost or done twice.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use siamang::action::{Event, Input};
use siamang::device::adb::journal::Journals;
use siamang::device::adb::names::{Package, Serial};
use siamang::device::adb::wire::{AdbError, Deadlines, Server};
use siamang::device::adb::{AdbConfig, AdbDevice};
use siamang::device::agent::answer::code;
use siamang::device::{Device, DeviceError, Reset};
use siamang::gui::Point;
use siamang::oracle::FailureKind;

use super::phones::adb_server::wait_until;
use super::phones::agent::{Fault, Manner};
use super::{Bench, now};

fn tap() -> Event {
    Event::settled(Input::Tap(Point { x: 500, y: 900 }))
}

/// A device after its first reset, which is step 1.
fn started(bench: &Bench) -> AdbDevice {
    let mut device = bench.device();
    now(device.reset(Reset::Clean)).unwrap();
    device
}

/// Makes a step while something happens to the way to the phone; the step is done all the same, and once.
fn step_while(bench: &Bench, mut device: AdbDevice, happens: impl FnOnce()) {
    let step = std::thread::spawn(move || {
        let seen = now(device.step(&tap()));
        (device, seen)
    });
    happens();
    let (device, seen) = step.join().unwrap();
    seen.unwrap();
    assert_eq!(done(bench), [1, 2]);
    now(device.close()).unwrap();
}

fn done(bench: &Bench) -> Vec<u64> {
    bench.phone.agent().unwrap().with(|inner| inner.done.clone())
}

#[test]
fn after_whatever_cuts_the_connection_the_step_is_answered_once_and_soon() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = started(&bench);
    let faults = [Fault::CutMidFrame, Fault::CutBefore, Fault::Garbage, Fault::HugeHeader, Fault::Silent];
    for (number, fault) in faults.into_iter().enumerate() {
        let step = number as u64 + 2;
        bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((step, fault.clone())));
        let asked = Instant::now();
        now(device.step(&tap())).unwrap();
        // A silent agent is found out only after deadline and margin: one second here.
        let patience = if fault == Fault::Silent { 3 } else { 2 };
        assert!(asked.elapsed() < Duration::from_secs(patience), "{fault:?} took {:?}", asked.elapsed());
        assert_eq!(done(&bench), (1..=step).collect::<Vec<_>>(), "{fault:?}");
    }
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 1, "it is the same agent all the time");
    now(device.close()).unwrap();
}

#[test]
fn an_agent_that_dies_is_started_again_by_the_next_reset() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = started(&bench);
    bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((2, Fault::Die)));
    let error = now(device.step(&tap())).unwrap_err();
    assert!(matches!(error, DeviceError::AgentDied(_)), "{error}");
    assert!(matches!(now(device.step(&tap())), Err(DeviceError::AgentDied(_))));
    assert!(now(device.reset(Reset::Warm)).unwrap().running);
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 2);
    now(device.close()).unwrap();
}

#[test]
fn an_adb_server_that_is_killed_and_started_again_costs_no_step() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let device = started(&bench);
    bench.server.kill();
    // Siamang starts a server of its own, which knows no phone until somebody connects it; or ours is first.
    step_while(&bench, device, || bench.server.connect(&bench.phone.serial(), "device"));
}

#[test]
fn a_phone_that_goes_offline_and_comes_back_costs_no_step() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let device = started(&bench);
    let (wire, serial) = (bench.wire(), bench.serial());
    bench.phone.unplug();
    wait_until("the cable is seen to be out", || {
        let listed = now(wire.devices()).unwrap();
        !listed.iter().any(|listed| {
            listed.serial == serial.as_str() && listed.state == siamang::device::adb::wire::State::Device
        })
    });
    step_while(&bench, device, || {
        bench.phone.plug_in();
        bench.server.disconnect(&bench.phone.serial());
        bench.server.connect(&bench.phone.serial(), "device");
    });
}

#[test]
fn a_phone_that_stays_away_is_gone_and_returns_later() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let config = AdbConfig {
        patience: Duration::from_millis(300),
        resume: Duration::from_millis(500),
        ..bench.config()
    };
    let mut device = AdbDevice::new(bench.wire(), bench.serial(), config);
    now(device.reset(Reset::Clean)).unwrap();
    bench.server.disconnect(&bench.phone.serial());
    assert!(now(device.step(&tap())).is_err());
    let error = now(device.reset(Reset::Warm)).unwrap_err();
    assert!(matches!(error, DeviceError::Gone(_)), "{error}");
    // The agent of before gives up meanwhile.
    bench.phone.agent().unwrap().kill();
    bench.server.connect(&bench.phone.serial(), "device");
    now(device.reset(Reset::Warm)).unwrap();
    now(device.close()).unwrap();
}

#[test]
fn the_agent_of_a_killed_run_is_waited_for_and_what_it_left_is_taken_away() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = Duration::from_millis(800);
    let killed = started(&bench);
    // As after a kill -9: the agent lives, a file of ours lies there, the journal names it.
    let journals = Journals::at(bench.state.path());
    let mut entry = journals.all().remove(0);
    entry.files = vec!["siamang-left.jar".into()];
    journals.write(&entry).unwrap();
    let left = "/data/local/tmp/siamang-left.jar".to_owned();
    bench.phone.files.lock().unwrap().insert(left.clone(), vec![1]);
    let old = bench.phone.agent().unwrap();
    std::mem::forget(killed);
    old.cut();
    let mut device = started(&bench);
    assert!(old.is_dead());
    assert!(!bench.phone.files.lock().unwrap().contains_key(&left));
    assert!(now(device.step(&tap())).is_ok());
    now(device.close()).unwrap();
    assert!(journals.all().is_empty());
}

#[test]
fn another_tool_that_holds_the_phone_is_named_as_the_reason() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let said = "failed 4 UiAutomationService already registered!";
    *bench.phone.start_fails.lock().unwrap() = Some(said.into());
    let mut device = bench.device();
    let error = now(device.reset(Reset::Clean)).unwrap_err();
    insta::assert_snapshot!(error, @"the device cannot be used: the agent does not start: UiAutomationService already registered!; another tool uses this phone: end Appium, uiautomator or Maestro");
}

#[test]
fn an_agent_with_another_token_or_version_is_not_talked_to() {
    for (manner, word) in [
        (Manner { forgets_token: true, ..Manner::default() }, "AUTH"),
        (Manner { version: (9, 0), ..Manner::default() }, "VERSION"),
    ] {
        let Some(bench) = Bench::new("counter_crash") else { return };
        *bench.phone.manner.lock().unwrap() = manner;
        let mut device = bench.device();
        let error = now(device.reset(Reset::Clean)).unwrap_err();
        assert!(matches!(error, DeviceError::Protocol(_)) && error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_full_phone_a_missing_app_and_a_refused_permission_are_told_as_what_they_are() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.storage_full.store(true, Ordering::SeqCst);
    let error = now(bench.device().reset(Reset::Clean)).unwrap_err();
    assert!(error.to_string().contains("No space left on device"), "{error}");
    bench.phone.storage_full.store(false, Ordering::SeqCst);

    let config = AdbConfig { package: Package::new("org.example.absent").unwrap(), ..bench.config() };
    let mut device = AdbDevice::new(bench.wire(), bench.serial(), config);
    let error = now(device.reset(Reset::Clean)).unwrap_err();
    assert!(matches!(&error, DeviceError::App(why) if why.contains("there is no package")), "{error}");
    drop(device);

    let mut device = started(&bench);
    let refusal = Fault::Refuse(code::INJECT_DENIED, "turn on USB debugging (Security settings)".into());
    bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((2, refusal)));
    let error = now(device.step(&tap())).unwrap_err();
    insta::assert_snapshot!(error, @"the device broke the protocol: the agent says INJECT_DENIED: turn on USB debugging (Security settings)");
    // The agent lives on.
    now(device.step(&tap())).unwrap();
    now(device.close()).unwrap();
}

#[test]
fn a_stall_beyond_the_deadline_is_waited_out_and_the_step_done_once() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = started(&bench);
    let stall = Fault::Stall(Duration::from_millis(1_500));
    bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((2, stall)));
    now(device.step(&tap())).unwrap();
    assert_eq!(done(&bench), [1, 2]);
    now(device.close()).unwrap();
}

#[test]
fn an_app_that_hangs_after_a_tap_that_it_took_is_told_as_an_anr_and_a_slow_one_is_not() {
    for is_killed in [true, false] {
        let Some(bench) = Bench::new("counter_crash") else { return };
        let mut device = started(&bench);
        bench.phone.agent().unwrap().with(|inner| inner.faults.push_back((2, Fault::Hang { is_killed })));
        let seen = now(device.step(&tap())).unwrap();
        let kinds: Vec<FailureKind> = seen.failures.iter().map(|failure| failure.kind).collect();
        assert_eq!(kinds, if is_killed { vec![FailureKind::Anr] } else { vec![] });
        assert_eq!(seen.running, !is_killed);
        assert_eq!(done(&bench), [1, 2, 3], "the tap, and the key for which the system waits");
        now(device.close()).unwrap();
    }
}

#[test]
fn an_app_that_hangs_for_good_is_given_up_and_the_agent_lives_on() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let config = AdbConfig { hang: Duration::from_millis(100), ..bench.config() };
    let mut device = AdbDevice::new(bench.wire(), bench.serial(), config);
    now(device.reset(Reset::Clean)).unwrap();
    let agent = bench.phone.agent().unwrap();
    agent.with(|inner| inner.faults.push_back((2, Fault::Hang { is_killed: true })));
    // The key is lost, too.
    agent.with(|inner| inner.faults.push_back((3, Fault::Refuse(code::INJECT_DENIED, "no".into()))));
    let error = now(device.step(&tap())).unwrap_err();
    insta::assert_snapshot!(error, @"the device did not answer: the agent says HUNG: the app does not answer");
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 1);
    drop(device);
    assert!(agent.is_dead());
}

#[test]
fn a_failure_that_was_told_before_the_link_was_lost_is_what_the_step_came_to() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let mut device = started(&bench);
    let anr = Fault::Hang { is_killed: true };
    bench.phone.agent().unwrap().with(|inner| {
        inner.faults.push_back((2, anr));
        inner.faults.push_back((3, Fault::TellAndDie));
    });
    let seen = now(device.step(&tap())).unwrap();
    assert_eq!((seen.failures.len(), seen.running), (1, false));
    assert!(
        seen.issues.iter().any(|issue| issue.contains("the agent on the device died")),
        "{:?}",
        seen.issues
    );
    assert!(now(device.reset(Reset::Warm)).unwrap().failures.is_empty(), "it is told once");
    now(device.close()).unwrap();
}

#[test]
fn an_agent_that_does_not_take_its_configuration_is_not_used_and_the_next_reset_starts_another() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.manner.lock().unwrap().refuses_config = 1;
    let mut device = bench.device();
    let error = now(device.reset(Reset::Clean)).unwrap_err();
    assert!(error.to_string().contains("no settings today"), "{error}");
    bench.phone.manner.lock().unwrap().refuses_config = 0;
    // Clearing data is allowed by the configuration only.
    now(device.reset(Reset::Clean)).unwrap();
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 2);
    assert_eq!(bench.phone.clears.load(Ordering::SeqCst), 1);
    now(device.close()).unwrap();
}

#[test]
fn a_phone_that_is_started_anew_is_waited_for_until_its_system_is_there() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.is_booting.store(true, Ordering::SeqCst);
    let mut device = bench.device();
    let reset = std::thread::spawn(move || {
        let seen = now(device.reset(Reset::Clean));
        (device, seen)
    });
    let asked = || {
        let lines = bench.phone.lines.lock().unwrap();
        lines.iter().filter(|line| line.as_str() == "getprop sys.boot_completed").count()
    };
    wait_until("it was asked twice whether it is up", || asked() >= 2);
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 0, "nothing is started too early");
    bench.phone.is_booting.store(false, Ordering::SeqCst);
    let (device, seen) = reset.join().unwrap();
    assert!(seen.unwrap().running);
    now(device.close()).unwrap();

    bench.phone.is_booting.store(true, Ordering::SeqCst);
    let config = AdbConfig { boot: Duration::ZERO, ..bench.config() };
    let error = now(AdbDevice::new(bench.wire(), bench.serial(), config).reset(Reset::Clean)).unwrap_err();
    assert!(error.to_string().contains("has not finished booting"), "{error}");
}

#[test]
fn what_could_not_be_put_back_is_said_and_stays_written_down() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.manner.lock().unwrap().leaves = Some("global window_animation_scale".into());
    let device = started(&bench);
    let error = now(device.close()).unwrap_err().to_string().replace(&bench.phone.serial(), "SERIAL");
    insta::assert_snapshot!(error, @"not everything is as it was: SERIAL: global window_animation_scale");
    assert_eq!(Journals::at(bench.state.path()).all().len(), 1);
    // The next agent works it off.
    bench.phone.manner.lock().unwrap().leaves = None;
    now(started(&bench).close()).unwrap();
    assert!(Journals::at(bench.state.path()).all().is_empty());
}

#[test]
fn a_phone_that_does_not_come_to_its_end_holds_nobody_up() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let config =
        AdbConfig { patience: Duration::from_secs(60), leave: Duration::from_millis(200), ..bench.config() };
    bench.server.disconnect(&bench.phone.serial());
    let mut device = AdbDevice::new(bench.wire(), bench.serial(), config);
    let begun = Instant::now();
    let given_up = now(async {
        tokio::time::timeout(Duration::from_millis(100), device.reset(Reset::Clean)).await.is_err()
    });
    assert!(given_up, "the phone is away and waited for");
    drop(device);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    // Nobody waits for the phone any more: it is not touched when it returns.
    bench.server.connect(&bench.phone.serial(), "device");
    assert!(bench.phone.agent().is_none() && Journals::at(bench.state.path()).all().is_empty());
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 0);
}

#[test]
fn an_app_that_clings_to_life_in_the_background_is_killed_again_and_one_that_stays_is_told() {
    for (clings, issue) in [(2, None), (u32::MAX, Some("the system did not kill the app in the background"))]
    {
        let Some(bench) = Bench::new("counter_crash") else { return };
        bench.phone.manner.lock().unwrap().clings = clings;
        let mut device = started(&bench);
        let seen = now(device.step(&Event::settled(Input::ProcessDeath))).unwrap();
        assert_eq!(seen.issues.first().map(String::as_str), issue);
        let lines = bench.phone.lines.lock().unwrap();
        let kills = lines.iter().filter(|line| line.starts_with("am kill")).count();
        assert!(kills == if issue.is_none() { 3 } else { 10 }, "{kills}");
        drop(lines);
        now(device.close()).unwrap();
    }
}

#[test]
fn a_phone_s_features_are_asked_for_once() {
    use std::io::{Read, Write};
    // Between the program and the real server, to hear what is asked.
    let Some(bench) = Bench::new("counter_crash") else { return };
    let ear = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let wire = Server::new(&ear.local_addr().unwrap().to_string(), Deadlines::default());
    let (heard, real) = (std::sync::Arc::new(std::sync::Mutex::new(Vec::new())), bench.server.address());
    let said = std::sync::Arc::clone(&heard);
    std::thread::spawn(move || {
        for mut near in ear.incoming().flatten() {
            let mut request = vec![0; 4];
            near.read_exact(&mut request).unwrap();
            let length = usize::from_str_radix(std::str::from_utf8(&request).unwrap(), 16).unwrap();
            request.resize(4 + length, 0);
            near.read_exact(&mut request[4..]).unwrap();
            said.lock().unwrap().push(String::from_utf8_lossy(&request[4..]).into_owned());
            let mut far = std::net::TcpStream::connect(&real).unwrap();
            far.write_all(&request).unwrap();
            let (mut back, mut forth) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut back, &mut forth);
                let _ = forth.shutdown(std::net::Shutdown::Both);
            });
            std::thread::spawn(move || std::io::copy(&mut near, &mut far));
        }
    });
    let line = siamang::device::adb::names::ShellLine::new("getprop ro.build.version.sdk");
    now(async {
        for _ in 0..3 {
            assert_eq!(wire.must(&bench.serial(), &line).await.unwrap(), "34\n");
            assert_eq!(wire.clone().must(&bench.serial(), &line).await.unwrap(), "34\n");
        }
    });
    let heard = heard.lock().unwrap();
    assert_eq!(heard.iter().filter(|asked| asked.ends_with(":features")).count(), 1, "{heard:?}");
}

#[test]
fn an_unauthorized_phone_is_called_so() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.server.disconnect(&bench.phone.serial());
    bench.phone.unauthorized.store(true, Ordering::SeqCst);
    bench.server.connect(&bench.phone.serial(), "unauthorized");
    let config = AdbConfig { patience: Duration::from_millis(100), ..bench.config() };
    let mut device = AdbDevice::new(bench.wire(), bench.serial(), config);
    let error = now(device.reset(Reset::Clean)).unwrap_err();
    assert!(error.to_string().contains("does not allow debugging"), "{error}");
}

#[test]
fn an_adb_server_that_never_answers_is_given_up_at_the_deadline() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let deadlines = Deadlines { server: Duration::from_millis(200), ..Deadlines::default() };
    let server = Server::new(&address, deadlines);
    let serial = Serial::new("emulator-5554").unwrap();
    now(async {
        assert!(matches!(server.version().await, Err(AdbError::Late(..))));
        assert!(matches!(server.open(&serial, "localabstract:x").await, Err(AdbError::Late(..))));
        assert!(matches!(server.track().await, Err(AdbError::Late(..))));
    });
}
