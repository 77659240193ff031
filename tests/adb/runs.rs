//! Whole runs on a phone, as a user sees them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::Duration;

use siamang::action::{Input, Key};
use siamang::trace::{RunEvent, SpineReader};

use super::Bench;
use super::commands::{code, command, siamang, told};
use super::phones::adb_server::wait_until;
use super::phones::agent::Fault;

fn package(bench: &Bench) -> String {
    bench.phone.app.package.to_string()
}

fn is_at_work(bench: &Bench) -> bool {
    bench.phone.agent().is_some_and(|agent| agent.with(|inner| inner.done.len() > 5))
}

#[test]
fn a_phone_that_boots_in_mid_run_is_waited_for_and_goes_on() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    *bench.phone.linger.lock().unwrap() = Duration::from_millis(100);
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = package(&bench);
    let arguments = ["explore", &package, "--steps", "200", "--shrink", "no", "--wait-for-phone", "2s"];
    let arguments = [&arguments[..], &["--out", out.to_str().unwrap()]].concat();
    let run = command(bench.state.path(), &bench.server.address(), &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the agent is at work", || is_at_work(&bench));
    bench.phone.unplug();
    wait_until("the agent is gone", || bench.phone.agent().is_none());
    bench.phone.is_booting.store(true, Ordering::SeqCst);
    bench.phone.lines.lock().unwrap().clear();
    bench.phone.plug_in();
    bench.server.disconnect(&bench.phone.serial());
    bench.server.connect(&bench.phone.serial(), "device");
    // Adb answers long before the system is up.
    wait_until("the phone was asked again and again", || {
        let lines = bench.phone.lines.lock().unwrap();
        lines.iter().filter(|line| line.ends_with("sys.boot_completed")).count() >= 4
    });
    bench.phone.is_booting.store(false, Ordering::SeqCst);
    let output = run.wait_with_output().unwrap();
    assert!(code(&output) <= 1, "{}", told(&output));
    let events = SpineReader::open(&out).unwrap().filter_map(Result::ok);
    assert_eq!(events.filter(|event| matches!(event, RunEvent::Step(_))).count(), 200);
    assert_eq!(
        bench.phone.starts.load(Ordering::SeqCst),
        2,
        "the second start was the first that could work"
    );
}

#[test]
fn a_locked_phone_is_called_so_with_what_to_do() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    bench.phone.manner.lock().unwrap().locked = true;
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = package(&bench);
    let output = siamang(&bench, &["explore", &package, "--steps", "5", "--out", out.to_str().unwrap()]);
    let text = told(&output).replace(&bench.phone.serial(), "SERIAL");
    assert_eq!(code(&output), 3, "{text}");
    insta::assert_snapshot!(text.split_once("error: ").unwrap().1, @r"
    the app does not start: the screen of SERIAL is locked
      unlock it, and turn the lock off while testing
    ");
}

#[test]
fn a_phone_s_branches_are_not_measured_its_screens_are_pictured_and_its_jobs_are_its_number() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = package(&bench);
    let there = out.to_str().unwrap();
    let explore =
        ["explore", &package, "--reset", "clear", "--steps", "2000", "--screenshots", "--out", there];
    let output = siamang(&bench, &explore);
    let text = told(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("  branches    not measured on a phone\n"), "{text}");
    let output = siamang(&bench, &["report", there, "--json"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(summary["branches"].is_null() && summary["steps"] == 2000, "{summary}");
    let mut pictures = 0;
    for crash in std::fs::read_dir(out.join("crashes")).unwrap() {
        let files = std::fs::read_dir(crash.unwrap().path()).unwrap();
        pictures += files.filter(|file| is_png(&file.as_ref().unwrap().path())).count();
    }
    assert!(pictures > 0);
    let crash = std::fs::read_dir(out.join("crashes")).unwrap().next().unwrap().unwrap().path();
    for refused in [
        &["explore", package.as_str(), "--jobs", "2"][..],
        &["shrink", crash.to_str().unwrap(), "--jobs", "2"],
    ] {
        let output = siamang(&bench, refused);
        assert_eq!(code(&output), 2, "{}", told(&output));
        let text = told(&output);
        assert!(text.contains("counts devices of this computer, not phones\n  leave it out"), "{text}");
    }
    // Two traces of one app: what will be touched is said once.
    let trace = crash.join("minimal.trace.json");
    let trace = trace.to_str().unwrap();
    let output = siamang(&bench, &["replay", trace, trace, "--reset", "clear"]);
    let text = told(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert_eq!(text.matches("in 1 of 1 run ").count(), 2, "{text}");
    assert_eq!(text.matches("its data is CLEARED").count(), 1, "{text}");
}

/// How many of the run's events turn the phone, leave the app or kill its process.
fn that_reach_further(run: &Path) -> usize {
    let reaches = |input: &Input| match input {
        Input::Rotate | Input::HomeAndReturn | Input::ProcessDeath => true,
        Input::Key(key) => {
            !matches!(key, Key::Back | Key::Enter | Key::Menu | Key::Code(0 | 7..=16 | 29..=54))
                && !is_pad(*key)
        }
        _ => false,
    };
    let events = SpineReader::open(run).unwrap().filter_map(Result::ok);
    events.filter(|event| matches!(event, RunEvent::Step(step) if reaches(&step.input))).count()
}

fn is_pad(key: Key) -> bool {
    matches!(key, Key::DpadUp | Key::DpadDown | Key::DpadLeft | Key::DpadRight | Key::DpadCenter)
}

#[test]
fn a_phone_is_turned_and_its_app_left_only_where_the_user_asks_for_it() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let runs = tempfile::tempdir().unwrap();
    let package = package(&bench);
    let explored = |name: &str, more: &[&str]| {
        let out = runs.path().join(name);
        let mut words = vec!["explore", package.as_str(), "--shrink", "no", "--steps", "3000", "--out"];
        words.push(out.to_str().unwrap());
        words.extend(more);
        let output = siamang(&bench, &words);
        // Monkey may find nothing.
        assert!(code(&output) <= 1, "{}", told(&output));
        that_reach_further(&out)
    };
    assert_eq!(explored("usual", &[]), 0);
    assert!(explored("asked", &["--risk", "kill"]) > 50);
    // Key 0 is Monkey's keyboard that is opened: no app and no phone knows it.
    assert_eq!(explored("monkey", &["--strategy", "monkey"]), 0);
    assert!(explored("monkey asked", &["--strategy", "monkey", "--risk", "leave"]) > 50);
    let refused = siamang(&bench, &["explore", &package, "--strategy", "monkey", "--pct-rotation", "5"]);
    assert_eq!(code(&refused), 2);
    assert!(told(&refused).contains("add --risk leave"), "{}", told(&refused));
}

fn is_png(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG"))
}

#[test]
fn whoever_stops_a_run_at_once_reads_where_it_is() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    // A step that takes so long that nobody waits for it.
    *bench.phone.faults.lock().unwrap() = vec![(8, Fault::Stall(Duration::from_secs(120)))];
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = package(&bench);
    let arguments =
        ["explore", &package, "--steps", "5000", "--answer-within", "120s", "--out", out.to_str().unwrap()];
    let mut run = command(bench.state.path(), &bench.server.address(), &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the step that stalls has begun", || {
        is_at_work(&bench)
            && bench.phone.agent().is_some_and(|agent| agent.with(|inner| inner.faults.is_empty()))
    });
    let id = run.id().to_string();
    let interrupt = || {
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    };
    interrupt();
    let mut said = Vec::new();
    for line in BufReader::new(run.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.contains("press Ctrl-C again") {
            interrupt();
        }
        said.push(line);
    }
    assert_eq!(run.wait().unwrap().code(), Some(130), "{said:?}");
    let folder = format!("run folder: {} (as far as it came)", out.display());
    assert!(said.contains(&folder) && said.last().unwrap().contains("siamang doctor --undo"), "{said:?}");
    assert!(code(&siamang(&bench, &["report", out.to_str().unwrap()])) <= 1);
}

#[test]
fn a_run_whose_phone_is_away_ends_when_its_time_is_up_and_says_meanwhile_what_it_waits_for() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let runs = tempfile::tempdir().unwrap();
    let out = runs.path().join("run");
    let package = package(&bench);
    let arguments = ["explore", &package, "--steps", "1000000", "--time", "4s", "--shrink", "no"];
    // Longer than anybody waits here: only the time ends it.
    let patience = ["--wait-for-phone", "10m", "--out", out.to_str().unwrap()];
    let mut run = command(bench.state.path(), &bench.server.address(), &[&arguments[..], &patience].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the agent is at work", || is_at_work(&bench));
    bench.phone.unplug();
    wait_until("the run has ended", || run.try_wait().unwrap().is_some());
    let output = run.wait_with_output().unwrap();
    let text = told(&output);
    assert!(text.contains("it is waited for") && text.contains("time is up"), "{text}");
    // What the agent did not put back before the phone's eyes is written down.
    assert_eq!(super::Journals::at(bench.state.path()).all().len(), 1);
}

#[test]
fn one_adb_server_that_is_named_twice_is_one() {
    let Some(bench) = Bench::new("counter_crash") else { return };
    let address = bench.server.address();
    let other = address.replace("127.0.0.1", "localhost");
    let named = ["--adb-server", &address, "--adb-server", &other, "--adb-server", &address];
    let output = siamang(&bench, &[&["devices", "--json"][..], &named].concat());
    let devices: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(devices.as_array().map(Vec::len), Some(1), "{}", told(&output));
}
