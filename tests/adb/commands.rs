//! The commands for phones, as a user runs them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::Ordering;

use siamang::seed::Seed;
use siamang::trace::{RunEvent, SpineReader};

use super::phones::adb_server::{AdbServer, wait_until};
use super::phones::adbd::Phone;
use super::phones::agent::Fault;
use super::support::phone::model;
use super::{Bench, Journals};

/// The binary with a state folder and an agent of its own, at an adb server of its own.
pub fn command(state: &Path, server: &str, arguments: &[&str]) -> Command {
    let jar = state.join("agent.jar");
    std::fs::write(&jar, b"a jar").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    let port = server.rsplit_once(':').unwrap().1;
    command.env("SIAMANG_STATE", state).env("SIAMANG_AGENT_JAR", jar).env("ANDROID_ADB_SERVER_PORT", port);
    command
}

pub fn siamang(bench: &Bench, arguments: &[&str]) -> Output {
    command(bench.state.path(), &bench.server.address(), arguments).output().unwrap()
}

pub fn told(output: &Output) -> String {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("panicked"), "{text}");
    text
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// The failures of a run with the length of their shortest traces.
fn found(output: &Output) -> BTreeMap<String, u64> {
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let failures = summary["failures"].as_array().unwrap().clone();
    failures
        .iter()
        .map(|failure| {
            (failure["signature"].as_str().unwrap().to_owned(), failure["minimal"].as_u64().unwrap_or(0))
        })
        .collect()
}

#[test]
fn explore_finds_and_shrinks_on_a_phone_what_it_finds_on_the_virtual_device() {
    const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;
    const WANTED: usize = 2;
    let Some(bench) = Bench::new("notes") else { return };
    let runs = tempfile::tempdir().unwrap();
    let package = bench.phone.app.package.to_string();
    let optima = bench.phone.app.optima();
    let mut replayed = 0;
    // A seed may find nothing in so few steps; all together do.
    for seed in SEEDS.map(|seed| seed.to_string()) {
        let there = runs.path().join(&seed);
        let arguments =
            ["explore", &package, "--reset", "clear", "--json", "--steps", "1500", "--seed", &seed];
        let output = siamang(&bench, &[&arguments[..], &["--out", there.to_str().unwrap()]].concat());
        let text = told(&output);
        assert_eq!(code(&output), i32::from(!found(&output).is_empty()), "{text}");
        assert!(text.contains("its data is CLEARED again and again"), "{text}");
        for (signature, minimal) in found(&output) {
            let optimum =
                optima.iter().find(|(known, _)| known.0 == signature).map(|(_, events)| u64::from(*events));
            assert_eq!(Some(minimal), optimum, "{signature} is as short as it can be");
        }
        let crashes: Vec<_> = std::fs::read_dir(there.join("crashes"))
            .map(|crashes| crashes.map(|crash| crash.unwrap().path()).collect())
            .unwrap_or_default();
        assert_eq!(crashes.len(), found(&output).len());
        // What was found through adb happens on the virtual device, too.
        for crash in &crashes {
            let trace = crash.join("minimal.trace.json");
            let output =
                siamang(&bench, &["replay", trace.to_str().unwrap(), "--target", "models/notes.toml"]);
            assert_eq!(code(&output), 1, "{}", told(&output));
            replayed += 1;
        }
        assert!(bench.phone.agent().is_none() && bench.phone.files.lock().unwrap().is_empty());
        assert!(Journals::at(bench.state.path()).all().is_empty());
        if replayed >= WANTED {
            return;
        }
    }
    panic!("{replayed} failures in all seeds");
}

#[test]
fn without_reset_clear_no_data_is_cleared_and_the_report_says_so() {
    let Some(bench) = Bench::new("notes") else { return };
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = bench.phone.app.package.to_string();
    let output = siamang(&bench, &["explore", &package, "--steps", "1500", "--out", out.to_str().unwrap()]);
    let text = told(&output);
    assert!(text.contains("its data stays; every start is as found"), "{text}");
    let clean = |event: &RunEvent| matches!(event, RunEvent::Reset { to: siamang::device::Reset::Clean, .. });
    let events: Vec<RunEvent> = SpineReader::open(&out).unwrap().filter_map(Result::ok).collect();
    assert!(events.len() > 1_500 && !events.iter().any(clean));
    let mut explained = 0;
    for crash in std::fs::read_dir(out.join("crashes")).unwrap() {
        let text = std::fs::read_to_string(crash.unwrap().path().join("explanation.md")).unwrap();
        assert!(!text.contains("Clear the app's data"), "{text}");
        assert!(text.contains("Reproduction from a clean start was not tried."), "{text}");
        explained += 1;
    }
    assert!(explained > 0);
    assert_eq!(bench.phone.clears.load(Ordering::SeqCst), 0);
}

#[test]
fn where_one_of_two_phones_had_the_app_before_no_start_is_called_clean_on_either() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let second = Phone::start(&model("counter_crash"), Seed(2));
    second.packages.lock().unwrap().clear();
    bench.server.connect(&second.serial(), "device");
    let apk = bench.state.path().join("app.apk");
    std::fs::write(&apk, b"PK\x03\x04 an app").unwrap();
    let out = bench.state.path().join("run");
    let (apk, out) = (apk.to_str().unwrap(), out.to_str().unwrap());
    let output = siamang(&bench, &["explore", apk, "--device", "all", "--steps", "300", "--out", out]);
    let text = told(&output);
    assert!(code(&output) <= 1, "{text}");
    assert!(text.contains("since another phone had the app before"), "{text}");
    assert!(!text.contains("is cleared between walks"), "{text}");
    let clean = |event: &RunEvent| matches!(event, RunEvent::Reset { to: siamang::device::Reset::Clean, .. });
    assert!(!SpineReader::open(Path::new(out)).unwrap().flatten().any(|event| clean(&event)));
    let clears = |phone: &Phone| phone.clears.load(Ordering::SeqCst);
    assert_eq!((clears(&bench.phone), clears(&second)), (0, 0));
    let packages = |phone: &Phone| phone.packages.lock().unwrap().len();
    assert_eq!((packages(&bench.phone), packages(&second)), (1, 0), "what was installed is gone again");
}

#[test]
fn two_phones_explore_one_app_together_and_both_are_needed_to_be_chosen() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let second = Phone::start(&model("counter_crash"), Seed(2));
    bench.server.connect(&second.serial(), "device");
    let package = bench.phone.app.package.to_string();
    let output = siamang(&bench, &["explore", &package]);
    let text = told(&output);
    assert_eq!(code(&output), 2, "{text}");
    assert!(text.contains("2 phones are connected") && text.contains("--device all"), "{text}");
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let output = siamang(
        &bench,
        &[
            "explore",
            &package,
            "--device",
            "all",
            "--steps",
            "400",
            "--shrink",
            "no",
            "--out",
            out.to_str().unwrap(),
        ],
    );
    assert!(code(&output) <= 1, "{}", told(&output));
    let mut steps: BTreeMap<u32, u64> = BTreeMap::new();
    for event in SpineReader::open(&out).unwrap().flatten() {
        if let RunEvent::Step(step) = event {
            *steps.entry(step.session.0).or_default() += 1;
        }
    }
    assert_eq!(steps.values().sum::<u64>(), 400);
    assert!(steps.len() == 2 && steps.values().all(|&steps| steps > 100), "{steps:?}");
}

#[test]
fn an_apk_is_installed_for_the_run_and_goes_with_it() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.packages.lock().unwrap().clear();
    let folder = tempfile::tempdir().unwrap();
    let apk = folder.path().join("app.apk");
    std::fs::write(&apk, b"PK\x03\x04 an app").unwrap();
    let out = folder.path().join("run");
    let serial = bench.phone.serial();
    let arguments = [
        "explore",
        apk.to_str().unwrap(),
        "--device",
        &serial,
        "--steps",
        "50",
        "--out",
        out.to_str().unwrap(),
    ];
    let output = siamang(&bench, &arguments);
    let text = told(&output);
    assert!(code(&output) <= 1, "{text}");
    assert!(text.contains("was installed for this run"), "{text}");
    assert!(bench.phone.packages.lock().unwrap().is_empty(), "it is uninstalled");
    assert!(bench.phone.files.lock().unwrap().is_empty());

    std::fs::write(&apk, b"PK\x03\x04 broken").unwrap();
    let output = siamang(&bench, &arguments);
    let text = told(&output);
    assert_eq!(code(&output), 2, "{text}");
    assert!(text.contains("INSTALL_PARSE_FAILED_NOT_APK"), "{text}");
    std::fs::write(&apk, b"no zip").unwrap();
    let output = siamang(&bench, &arguments);
    assert!(code(&output) == 2 && told(&output).contains("is not an app"), "{}", told(&output));
}

#[test]
fn whatever_is_wrong_is_said_in_one_line_with_a_remedy_in_the_next() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let package = bench.phone.app.package.to_string();
    let told_of = |arguments: &[&str], wanted: i32| {
        let output = siamang(&bench, arguments);
        let text = told(&output);
        assert_eq!(code(&output), wanted, "{arguments:?}: {text}");
        text.replace(&bench.phone.serial(), "SERIAL").replace(&bench.server.port.to_string(), "PORT")
    };
    insta::assert_snapshot!(told_of(&["explore", &package, "--device", "nobody"], 3), @r#"
    error: there is no device `nobody`
      choose one that is connected: SERIAL
    "#);
    insta::assert_snapshot!(told_of(&["explore", "org.example.absent"], 2), @r#"
    error: org.example.absent is not installed on SERIAL
      install it (`adb install app.apk`), or name the APK instead of the package
    "#);
    insta::assert_snapshot!(told_of(&["explore", "absent.apk", "--device", "all"], 2), @r#"
    error: there is no file `absent.apk`
      name an APK, or the package of an installed app
    "#);
    insta::assert_snapshot!(told_of(&["explore", "models/notes.toml", "--device", "all"], 2), @r#"
    error: `models/notes.toml` is an app model and runs on the virtual device
      leave out --device, or name an APK or a package
    "#);
    insta::assert_snapshot!(told_of(&["explore", &package, "--adb-server", "nonsense"], 2), @r#"
    error: `nonsense` is no address of an adb server
      write HOST:PORT, such as 127.0.0.1:5037
    "#);
    assert!(told_of(&["doctor", "--adb-server", "nonsense"], 2).contains("is no address of an adb server"));
    let both = ["inspect", "dump.xml", "--device", &bench.phone.serial()];
    assert!(told_of(&both, 2).contains("leave out everything else"));
    bench.server.disconnect(&bench.phone.serial());
    insta::assert_snapshot!(told_of(&["explore", &package], 3), @r#"
    error: no phone is connected
      plug one in with USB debugging on, start an emulator, or `adb connect HOST:PORT`
    "#);
    bench.phone.unauthorized.store(true, Ordering::SeqCst);
    bench.server.connect(&bench.phone.serial(), "unauthorized");
    insta::assert_snapshot!(told_of(&["explore", &package], 3), @r#"
    error: SERIAL is unauthorized
      unlock the phone and allow USB debugging in the dialog that it shows
    "#);
}

#[test]
fn an_offline_phone_is_called_so_with_what_to_do() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let (wire, serial) = (bench.wire(), bench.serial());
    bench.phone.unplug();
    wait_until("the phone is offline", || {
        let listed = super::now(wire.devices()).unwrap();
        listed.iter().any(|listed| {
            listed.serial == serial.as_str() && listed.state == siamang::device::adb::wire::State::Offline
        })
    });
    let package = bench.phone.app.package.to_string();
    for arguments in [&["explore", package.as_str()][..], &["explore", &package, "--device", serial.as_str()]]
    {
        let output = siamang(&bench, arguments);
        let text = told(&output).replace(serial.as_str(), "SERIAL");
        assert_eq!(code(&output), 3, "{text}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(text, @r#"
            error: SERIAL is offline
              pull the cable and plug it in again, or run `adb reconnect`
            "#);
        }
    }
    let output = siamang(&bench, &["doctor"]);
    assert!(code(&output) == 3 && told(&output).contains("is offline"), "{}", told(&output));
}

/// Something that listens where an adb server should be and says that it is an old one.
fn old_adb() -> String {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut length = [0; 4];
            if stream.read_exact(&mut length).is_ok() {
                let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap(), 16).unwrap();
                let mut service = vec![0; length];
                let _ = stream.read_exact(&mut service);
                assert_eq!(service, b"host:version");
                let _ = stream.write_all(b"OKAY00040020");
            }
        }
    });
    address
}

#[test]
fn an_old_adb_is_refused_with_its_version_and_what_to_do() {
    let state = tempfile::tempdir().unwrap();
    let address = old_adb();
    for arguments in [&["explore", "org.example.app"][..], &["devices"], &["doctor"]] {
        let output = command(state.path(), &address, arguments).output().unwrap();
        let text = told(&output).replace(&address, "SERVER");
        assert_eq!(code(&output), 3, "{text}");
        assert!(text.contains("adb at SERVER has version 1.0.32; siamang needs 1.0.36 or newer\n"), "{text}");
        assert!(
            text.contains("install a newer adb (Android's platform tools) and run `adb kill-server`"),
            "{text}"
        );
    }
}

#[test]
fn an_app_that_does_not_start_ends_every_command_with_what_to_do() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.manner.lock().unwrap().cannot_start = true;
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = bench.phone.app.package.to_string();
    let output = siamang(&bench, &["explore", &package, "--steps", "50", "--out", out.to_str().unwrap()]);
    let text = told(&output);
    assert_eq!(code(&output), 3, "{text}");
    insta::assert_snapshot!(text.split_once("error: ").unwrap().1, @r#"
    the app does not start: the system did not start org.example/.Main
      see whether it starts by hand; name its package or its APK
    "#);
    assert!(bench.phone.agent().is_none() && Journals::at(bench.state.path()).all().is_empty());
}

#[test]
fn an_agent_that_is_silent_beyond_its_deadline_costs_no_step_and_one_that_stays_silent_ends_the_run() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let runs = tempfile::tempdir().unwrap();
    let (first, second) = (runs.path().join("first"), runs.path().join("second"));
    let package = bench.phone.app.package.to_string();
    let explore = |out: &Path, deadline: &str| {
        let out = out.to_str().unwrap();
        let arguments = [
            "explore",
            &package,
            "--steps",
            "20",
            "--shrink",
            "no",
            "--answer-within",
            deadline,
            "--out",
            out,
        ];
        siamang(&bench, &arguments)
    };
    *bench.phone.faults.lock().unwrap() = vec![(5, Fault::Silent)];
    let output = explore(&first, "500ms");
    assert!(code(&output) <= 1, "{}", told(&output));
    let events: Vec<RunEvent> = SpineReader::open(&first).unwrap().filter_map(Result::ok).collect();
    assert_eq!(events.iter().filter(|event| matches!(event, RunEvent::Step(_))).count(), 20);
    assert!(!events.iter().any(|event| matches!(event, RunEvent::Warning { .. })), "nothing was lost");
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 1);

    bench.phone.manner.lock().unwrap().mute = true;
    *bench.phone.linger.lock().unwrap() = std::time::Duration::from_millis(100);
    let output = explore(&second, "100ms");
    let text = told(&output);
    assert_eq!(code(&output), 3, "{text}");
    assert!(text.contains("run `siamang doctor`, which says what to do"), "{text}");
}

#[test]
fn an_address_is_opened_only_if_the_user_named_it() {
    let Some(bench) = Bench::new("permission_denied") else { return };
    let runs = tempfile::tempdir().unwrap();
    let package = bench.phone.app.package.to_string();
    let link = "scanner://scan";
    let explore = |name: &str, more: &[&str]| {
        let out = runs.path().join(name);
        let arguments =
            ["explore", &package, "--reset", "clear", "--steps", "200", "--out", out.to_str().unwrap()];
        let output = siamang(&bench, &[&arguments[..], more].concat());
        assert!(code(&output) <= 1, "{}", told(&output));
        out
    };
    let opened = |run: &Path| {
        let is_link = |event: &RunEvent| {
            matches!(event, RunEvent::Step(step)
                if matches!(&step.input, siamang::action::Input::DeepLink(address) if address == link))
        };
        SpineReader::open(run).unwrap().filter_map(Result::ok).filter(is_link).count()
    };
    assert_eq!(opened(&explore("without", &["--shrink", "no"])), 0);
    let run = explore("with", &["--deep-link", link]);
    assert!(opened(&run) > 0);
    // The failure behind it needs one event, and the trace runs only where the address is allowed again.
    let crash = std::fs::read_dir(run.join("crashes")).unwrap().find_map(|crash| {
        let trace = crash.unwrap().path().join("minimal.trace.json");
        let read = siamang::trace::Trace::read(&trace).ok()?;
        read.events
            .iter()
            .any(|event| matches!(event.input, siamang::action::Input::DeepLink(_)))
            .then_some(trace)
    });
    let crash = crash.expect("the deep link leads to a failure");
    let replay = |more: &[&str]| {
        let arguments = ["replay", crash.to_str().unwrap(), "--reset", "clear"];
        code(&siamang(&bench, &[&arguments[..], more].concat()))
    };
    assert_eq!((replay(&[]), replay(&["--deep-link", link])), (4, 1));
    let output = siamang(&bench, &["explore", &package, "--deep-link", "intent:#Intent;end"]);
    assert_eq!(code(&output), 2, "{}", told(&output));
}

#[test]
fn phones_at_two_adb_servers_explore_together() {
    let (Some(bench), Some(other)) = (Bench::new("counter_crash"), AdbServer::start()) else { return };
    let second = Phone::start(&model("counter_crash"), Seed(2));
    other.connect(&second.serial(), "device");
    let (here, there) = (bench.server.address(), other.address());
    let servers = ["--adb-server", here.as_str(), "--adb-server", there.as_str()];
    let output = siamang(&bench, &[&["devices", "--json"], &servers[..]].concat());
    let text = told(&output);
    assert!(text.contains(&second.serial()) && text.contains(&bench.phone.serial()), "{text}");
    // Each phone is at one of them, which is enough.
    let output = siamang(&bench, &[&["doctor", "--device", &second.serial()], &servers[..]].concat());
    assert_eq!(code(&output), 0, "{}", told(&output));
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = bench.phone.app.package.to_string();
    let explore = ["explore", &package, "--device", "all", "--steps", "100", "--shrink", "no"];
    let output = siamang(&bench, &[&explore[..], &servers, &["--out", out.to_str().unwrap()]].concat());
    assert!(code(&output) <= 1, "{}", told(&output));
    let starts = |phone: &Phone| phone.starts.load(Ordering::SeqCst);
    assert_eq!((starts(&bench.phone), starts(&second)), (1, 2), "the doctor's, and the run's");
}

#[test]
fn a_phone_that_vanishes_in_the_run_is_quarantined_and_returns() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = std::time::Duration::from_millis(100);
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = bench.phone.app.package.to_string();
    let place = out.to_str().unwrap();
    let arguments =
        ["explore", &package, "--steps", "300", "--shrink", "no", "--wait-for-phone", "2s", "--out", place];
    let run = command(bench.state.path(), &bench.server.address(), &arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the agent is at work", || {
        bench.phone.agent().is_some_and(|agent| agent.with(|inner| inner.done.len() > 5))
    });
    bench.phone.unplug();
    wait_until("the agent has given up", || bench.phone.agent().is_none());
    bench.phone.plug_in();
    bench.server.disconnect(&bench.phone.serial());
    bench.server.connect(&bench.phone.serial(), "device");
    let output = run.wait_with_output().unwrap();
    assert!(code(&output) <= 1, "{}", told(&output));
    let events: Vec<RunEvent> = SpineReader::open(&out).unwrap().filter_map(Result::ok).collect();
    let lost =
        |event: &RunEvent| matches!(event, RunEvent::Warning { text, .. } if text.contains("tried again"));
    assert!(events.iter().any(lost), "the quarantine is in the log");
    assert_eq!(events.iter().filter(|event| matches!(event, RunEvent::Step(_))).count(), 300);
    assert_eq!(bench.phone.starts.load(Ordering::SeqCst), 2);
}
