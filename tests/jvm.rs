//! Real APKs on the JVM device. The apps come from npm, Android from Maven Central; where those or a fence are missing the
//! tests say so and end.

#![cfg(all(feature = "jvm", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "support/skipped.rs"]
#[expect(dead_code, reason = "a part of it is used")]
mod skipped;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use siamang::device::jvm::bounded::Bounded;
use siamang::device::jvm::fence::{Fence, Reach, command};
use siamang::device::jvm::jdk::on_path;
use siamang::device::jvm::yard::Yard;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Where downloads stay between runs of the tests.
fn kept() -> PathBuf {
    let folder = here("target/jvm-tests");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Why APKs cannot be run here, if they cannot.
fn obstacle() -> Option<String> {
    let missing: Vec<&str> =
        ["javac", "mvn", "npm"].into_iter().filter(|tool| on_path(tool).is_none()).collect();
    if !missing.is_empty() {
        return Some(format!("no {}", missing.join(", no ")));
    }
    let fence = Fence::new(&here("agent/jvm/fence.sh")).and_then(|fence| fence.try_out(&kept()));
    fence.err().map(|error| error.to_string())
}

/// An APK of a package of the npm registry.
fn from_npm(package: &str, file: &str) -> PathBuf {
    static ONE_AT_A_TIME: OnceLock<std::sync::Mutex<()>> = OnceLock::new();
    let _guard = ONE_AT_A_TIME.get_or_init(Default::default).lock().unwrap();
    let folder = kept().join(package.replace('@', "-"));
    let apk = folder.join("package").join(file);
    if !apk.is_file() {
        std::fs::create_dir_all(&folder).unwrap();
        let packed =
            Command::new("npm").args(["pack", "--silent", package]).current_dir(&folder).output().unwrap();
        let name = String::from_utf8(packed.stdout).unwrap();
        let done = Command::new("tar").args(["xzf", name.trim()]).current_dir(&folder).status().unwrap();
        assert!(done.success(), "{package}: {}", String::from_utf8_lossy(&packed.stderr));
    }
    apk
}

fn siamang(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(arguments)
        .current_dir(folder)
        .env("SIAMANG_CACHE", kept().join("cache"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn fresh(name: &str) -> PathBuf {
    let folder = kept().join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_fenced_program_sees_and_changes_nothing_outside() {
    if let Err(error) = Fence::new(&here("agent/jvm/fence.sh")).and_then(|fence| fence.try_out(&kept())) {
        skipped::skipped(error);
        return;
    }
    let fence = Fence::new(&here("agent/jvm/fence.sh")).unwrap();
    let yard = Yard::new(&kept()).unwrap();
    let secret = kept().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let words = fence.words(&yard, &[], Path::new("/bin/sh"));
    let script = r#"
        cat "$1" 2>/dev/null && echo "read a file of the user"
        (: >/usr/written) 2>/dev/null && echo "wrote into the system"
        (: >/written) 2>/dev/null && echo "wrote beside the system"
        mount -t tmpfs none /tmp 2>/dev/null && echo "mounted something"
        [ "$(cat /proc/net/dev | grep -cv -e lo: -e '|')" = 0 ] || echo "has a network"
        [ "$(ls -d /proc/[0-9]* | wc -l)" -lt 20 ] || echo "sees other processes"
        [ -e /root ] || [ -e /home ] && echo "sees homes"
        [ "$(ulimit -c)" = 0 ] || echo "may dump core"
        grep -q yard /proc/mounts && echo "sees how this run is called"
        grep -q OLDPWD /proc/$$/environ && echo "sees where we were called"
        (: >/data/written) 2>/dev/null && echo "wrote beside its folder"
        (: >/data/given/written) 2>/dev/null && echo "wrote into what it was given"
        cat /data/given/gift && : >/data/user/own && echo done
    "#;
    std::fs::write(yard.given.join("gift"), "given, ").unwrap();
    let output = command(&words).args(["-c", script, "sh"]).arg(&secret).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "given, done\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(yard.data.join("own").is_file());
}

#[test]
fn a_link_of_a_fenced_program_leads_nobody_out() {
    if let Err(error) = Fence::new(&here("agent/jvm/fence.sh")).and_then(|fence| fence.try_out(&kept())) {
        skipped::skipped(error);
        return;
    }
    let fence = Fence::new(&here("agent/jvm/fence.sh")).unwrap();
    let yard = Yard::new(&kept()).unwrap();
    let outside = kept().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, yard.data.join("tools")).unwrap();
    for asked in ["/data/user/tools/jdk", "/data/user", "/data/given/tools", "/data", "/"] {
        let words = fence.words(&yard, &[Path::new(asked)], Path::new("/bin/true"));
        let output = command(&words).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && told.contains("cannot be read inside the fence"),
            "{asked}: {told}"
        );
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_fenced_program_reaches_somebody_only_if_it_may() {
    if let Err(error) = Fence::new(&here("agent/jvm/fence.sh")).and_then(|fence| fence.try_out(&kept())) {
        skipped::skipped(error);
        return;
    }
    let fence = Fence::new(&here("agent/jvm/fence.sh")).unwrap();
    let own = std::fs::read_link("/proc/self/ns/net").unwrap();
    for (reach, shared) in [(Reach::Nobody, false), (Reach::Everybody, true)] {
        let yard = Yard::new(&kept()).unwrap();
        let words = fence.words_reaching(reach, &yard, &[], Path::new("/bin/sh"));
        let script = "readlink /proc/self/ns/net; [ -e /root ] || [ -e /etc/passwd ] || (: >/usr/x) 2>/dev/null || echo kept in";
        let output = command(&words).args(["-c", script]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.ends_with("kept in\n"), "{told}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(told.starts_with(own.to_str().unwrap()), shared, "{told}");
    }
}

#[test]
fn real_crashes_of_a_real_app_are_found_shrunk_and_replayed() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let folder = fresh("selendroid");
    std::fs::copy(from_npm("sample-apps@2.0.4", "pre-built/selendroid-test-app.apk"), folder.join("app.apk"))
        .unwrap();
    let apk = "app.apk";
    let (exit, out, err) =
        siamang(&["explore", apk, "--steps", "60", "--seed", "1", "--out", "run"], &folder);
    assert_eq!(exit, 1, "{out}{err}");
    assert!(out.contains("on a jvm device"), "{out}");
    let crashes: Vec<PathBuf> =
        std::fs::read_dir(folder.join("run/crashes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let stories: String =
        crashes.iter().map(|crash| std::fs::read_to_string(crash.join("explanation.md")).unwrap()).collect();
    // The frame and the line are the app's own, as a phone would print them.
    assert!(
        stories.contains("io.selendroid.testapp.HomeScreenActivity$3.onClick(HomeScreenActivity.java:285)"),
        "{stories}"
    );
    let click = crashes
        .iter()
        .find(|crash| std::fs::read_to_string(crash.join("explanation.md")).unwrap().contains("$3.onClick"))
        .unwrap();
    // What is certified is certified on devices that no other run has used.
    assert!(
        stories.contains("in 3 of 3 runs on a device as new, and in 20 of 20 on a used one"),
        "{stories}"
    );
    assert!(stories.contains("\n\nFound on a JVM device (Robolectric, API 34).\n\n1. "), "{stories}");
    // What is counted is told by its name, and failures of the same name by their places.
    assert!(out.contains("\n  probes ") && !out.contains("\n  branches "), "{out}");
    assert!(out.contains("  RuntimeException at HomeScreenActivity$3:285: Unhan"), "{out}");
    let trace = click.join("minimal.trace.json");
    let (exit, out, err) = siamang(&["replay", trace.to_str().unwrap(), "--offline"], &folder);
    assert_eq!(exit, 1, "{out}{err}");
    assert!(out.contains("in 1 of 1 run "), "{out}");
    // What ran in each event was recorded: a tap on the button enters its listener.
    let recorded = std::fs::read_to_string(&trace).unwrap();
    assert!(recorded.contains("\"rules\""), "{recorded}");
    let (exit, out, err) =
        siamang(&["report", "run", "--html", "--junit", "--coverage", "coverage", "--offline"], &folder);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.contains("coverage: ") && out.contains(" of 2,588 branches"), "{out}");
    let page = std::fs::read_to_string(folder.join("run/report.html")).unwrap();
    assert!(page.contains("HomeScreenActivity.java:285") && page.contains("<svg"), "{page}");
    assert!(page.contains("found on a JVM device (Robolectric") && page.contains("probes covered"), "{page}");
    let junit = std::fs::read_to_string(folder.join("run/junit.xml")).unwrap();
    assert!(
        junit.contains("<failure message=\"java.lang.RuntimeException: Unhandled Exception Test!\""),
        "{junit}"
    );
    assert!(junit.contains("found on a JVM device (Robolectric, API 34)"), "{junit}");
    let made = ["jacoco.exec", "jacoco.xml", "html/index.html"];
    for made in made {
        assert!(folder.join("coverage").join(made).is_file(), "{made}");
    }
    // The app may have been moved since.
    std::fs::rename(folder.join("app.apk"), folder.join("moved.apk")).unwrap();
    let again = ["report", "run", "--coverage", "again", "--offline"];
    let (exit, out, err) = siamang(&again, &folder);
    assert!(exit == 2 && err.contains("name the app with --target"), "{out}{err}");
    let (exit, out, err) = siamang(&[&again[..], &["--target", "moved.apk"]].concat(), &folder);
    assert!(exit == 0 && folder.join("again/jacoco.xml").is_file(), "{out}{err}");
}

#[test]
fn what_cannot_be_written_or_read_for_the_coverage_is_said_before_the_run() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let apk = from_npm("sample-apps@2.0.4", "pre-built/ContactManager.apk");
    let folder = fresh("coverage");
    std::fs::write(folder.join("file"), "kept").unwrap();
    let run = ["explore", apk.to_str().unwrap(), "--steps", "5", "--out", "run"];
    for (more, said) in [
        (&["--coverage", "file"][..], "--coverage cannot be written to `file`"),
        (&["--coverage", "/proc/covered"], "--coverage cannot be written to `/proc/covered`"),
        (&["--coverage", "covered", "--sources", "nowhere"], "--sources `nowhere` cannot be read"),
        (&["--coverage", "covered", "--sources", "file"], "--sources `file` cannot be read"),
    ] {
        let (exit, out, err) = siamang(&[&run[..], more].concat(), &folder);
        assert!(exit == 2 && err.contains(said), "{more:?}: {exit} {out}{err}");
        assert!(!folder.join("run").exists() && !folder.join("covered").exists(), "{more:?}");
    }
}

#[test]
fn what_cannot_be_named_is_told_with_what_to_name_in_its_place() {
    let folder = fresh("names");
    std::fs::create_dir_all(folder.join("folder.apk")).unwrap();
    let (exit, _, err) = siamang(&["explore", "folder.apk"], &folder);
    assert!(
        exit == 2
            && err.contains("cannot read `folder.apk`: it is a folder; name the APK or the app model in it"),
        "{err}"
    );
    std::fs::write(folder.join("text.apk"), "this is no archive").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["explore", "text.apk"])
        .current_dir(&folder)
        .env("SIAMANG_CACHE", "/proc/nowhere")
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("`/proc/nowhere/jvm`: ") && err.contains("name another folder with SIAMANG_CACHE"),
        "{err}"
    );
    assert_eq!(output.status.code(), Some(3), "{err}");
}

#[test]
fn ctrl_c_while_an_app_is_converted_leaves_nothing_behind() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let folder = fresh("interrupted");
    // An app that no run has converted: the same with a word at the end of its archive.
    let mut bytes =
        std::fs::read(from_npm("sample-apps@2.0.4", "pre-built/selendroid-test-app.apk")).unwrap();
    let word = format!("{}", std::process::id());
    let length = bytes.len() - 2;
    assert_eq!(bytes[length..], [0, 0], "it has a word of its own");
    bytes[length] = word.len() as u8;
    bytes.extend(word.bytes());
    std::fs::write(folder.join("app.apk"), bytes).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["explore", "app.apk"])
        .current_dir(&folder)
        .env("SIAMANG_CACHE", kept().join("cache"))
        .env("TMPDIR", &folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its first yard is for trying out the fence, the one with an app in it for converting.
    let yards = || {
        let own = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let own = own.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("siamang-"));
        let below = own.flat_map(|own| std::fs::read_dir(own).unwrap().map(|entry| entry.unwrap().path()));
        below.filter(|path| path.is_dir()).collect::<Vec<PathBuf>>()
    };
    let deadline = Instant::now() + Duration::from_secs(300);
    while !yards().iter().any(|yard| yard.join("data/out").is_dir()) {
        assert!(Instant::now() < deadline, "nothing is converted");
        std::thread::yield_now();
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.ends_with("interrupted before anything was run\n"), "{err}");
    assert_eq!(yards(), Vec::<PathBuf>::new());
    let first = 1_900_000_000 + id.parse::<u32>().unwrap().wrapping_mul(1_000) % 50_000_000;
    assert!(are_gone(first..first + 1_000), "the app is still being converted");
}

/// No process of these users is left. Who was killed takes a moment to go.
fn are_gone(users: std::ops::Range<u32>) -> bool {
    let is_theirs = |entry: std::fs::DirEntry| {
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let user = status
            .lines()
            .find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().next()?.parse().ok());
        user.is_some_and(|user: u32| users.contains(&user))
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::read_dir("/proc").unwrap().any(|entry| is_theirs(entry.unwrap())) {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

#[test]
fn a_fenced_program_that_takes_too_long_is_ended_with_all_that_it_has_started() {
    let fence =
        Fence::new(&here("agent/jvm/fence.sh")).and_then(|fence| fence.try_out(&kept()).map(|()| fence));
    let fence = match fence {
        Ok(fence) => fence,
        Err(error) => return skipped::skipped(error),
    };
    let yard = Yard::new(&kept()).unwrap();
    let words = fence.words(&yard, &[], Path::new("/bin/sh"));
    let user =
        words.iter().find_map(|word| word.to_str()?.parse().ok().filter(|&user: &u32| user >= 1_900_000_000));
    let mut endless = command(&words);
    endless.args(["-c", "sleep 100000 & sleep 100000"]);
    let late = Bounded::run(&mut endless, Duration::from_secs(2)).unwrap_err();
    assert_eq!(late.to_string(), "it was not done after 2 s");
    assert!(user.is_none_or(|user| are_gone(user..user + 1)));
}

#[test]
fn a_file_of_mavens_that_is_not_the_pinned_one_is_fetched_anew_and_then_refused() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let folder = fresh("maven");
    // It writes down how it is called, and every file that is asked for has three bytes.
    let maven = folder.join("mvn");
    let script = r#"#!/bin/sh
        echo "$@" >> "${0%/*}/calls"
        for word; do case "$word" in */pom.xml) pom=$word ;; esac; done
        grep -o '<artifactId>[^<]*</artifactId><version>[^<]*</version><outputDirectory>[^<]*' "$pom" |
            sed 's/<[^>]*>/ /g; s|\${project.basedir}/||' | while read -r artifact version place; do
                mkdir -p "${pom%/*}/$place" && printf bad > "${pom%/*}/$place/$artifact-$version.jar"
            done
    "#;
    std::fs::write(&maven, script).unwrap();
    std::fs::set_permissions(&maven, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(folder.join("text.apk"), "this is no archive").unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["explore", "text.apk"])
        .current_dir(&folder)
        .env("SIAMANG_CACHE", folder.join("cache"))
        .env("PATH", path)
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("(353 MB, once)"), "{err}");
    assert!(err.contains("in Maven's repository is not the file that was pinned: fetching it anew"), "{err}");
    assert!(err.contains("and neither is it when it is fetched anew"), "{err}");
    let calls = std::fs::read_to_string(folder.join("calls")).unwrap();
    let calls: Vec<bool> = calls.lines().map(|call| call.contains("-Dmaven.repo.local=")).collect();
    assert_eq!(calls, [false, true]);
}

#[test]
fn abstractions_are_compared_on_a_real_app() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let apk = from_npm("sample-apps@2.0.4", "pre-built/ContactManager.apk");
    let folder = fresh("compare");
    let arguments = ["--abstraction", "stoat", "--runs", "1", "--steps", "5", "--out", "compared"];
    let (exit, out, err) = siamang(&[&["compare", apk.to_str().unwrap()], &arguments[..]].concat(), &folder);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.contains("(contactmanager): 1 run of 5 steps"), "{out}");
    assert!(folder.join("compared/compare.html").is_file());
}

#[test]
fn the_doctor_says_what_an_apk_is_and_what_will_not_work() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let folder = fresh("doctor");
    let apk = from_npm("sample-apps@2.0.4", "pre-built/selendroid-test-app.apk");
    // With an empty cache: nothing is fetched, and yet all is known that the APK says of itself.
    let run = |file: &str, variables: &[(&str, &str)]| {
        let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
            .args(["doctor", "--jvm", file])
            .current_dir(&folder)
            .env("SIAMANG_CACHE", folder.join("cache"))
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (exit, text) = run(apk.to_str().unwrap(), &[]);
    assert_eq!(exit, 0, "{text}");
    for line in [
        "ok    Java ",
        "ok    the fence holds",
        "0 files, 0 MB are there; 55 files, 353 MB will be fetched from Maven Central, once",
        "io.selendroid.testapp 0.12.0-SNAPSHOT (1)",
        "7 activities declared, starts with io.selendroid.testapp.HomeScreenActivity; made for API ",
        "note  it can show web pages",
        "note  the app was not started",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    std::fs::write(folder.join("text.apk"), "this is no archive").unwrap();
    let (exit, text) = run("text.apk", &[]);
    assert_eq!(exit, 2, "{text}");
    assert!(text.contains("bad   text.apk cannot run here: not an APK"), "{text}");
    assert!(text.contains("name an APK that is whole") && !text.contains("on a phone:"), "{text}");
    // What a run that was killed has left goes, what a run uses stays.
    let yards = folder.join("yards");
    std::fs::create_dir_all(&yards).unwrap();
    let places = [("TMPDIR", yards.to_str().unwrap())];
    run("text.apk", &places);
    let own = std::fs::read_dir(&yards).unwrap().next().unwrap().unwrap().path();
    let used = Yard::new(&own).unwrap();
    std::fs::create_dir_all(own.join("yard-1-0/data/left")).unwrap();
    let (_, text) = run("text.apk", &places);
    assert!(text.contains("ok    removed what runs that were killed had left: 1 folder\n"), "{text}");
    assert!(used.data.is_dir() && !own.join("yard-1-0").exists());
    // Without Java nothing can be said of an APK, but what to install.
    let (exit, text) = run("text.apk", &[("JAVA_HOME", "/nowhere")]);
    assert_eq!(exit, 3, "{text}");
    assert!(text.contains("install a JDK of version 17 to 19"), "{text}");
}

#[test]
fn what_is_no_apk_is_refused_with_the_reason() {
    if let Some(obstacle) = obstacle() {
        skipped::skipped(obstacle);
        return;
    }
    let folder = fresh("refused");
    std::fs::write(folder.join("text.apk"), "this is no archive").unwrap();
    // An empty archive: only its end record.
    std::fs::write(folder.join("empty.apk"), b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").unwrap();
    // Without its table of resources, to which the manifest refers.
    let whole = std::fs::read(from_npm("sample-apps@2.0.4", "pre-built/ContactManager.apk")).unwrap();
    std::fs::write(folder.join("bare.apk"), renamed(&whole, b"resources.arsc", b"resources.none")).unwrap();
    for (file, reason) in [
        ("text.apk", "not an APK"),
        ("empty.apk", "AndroidManifest.xml"),
        ("bare.apk", "there is no resources.arsc"),
    ] {
        let (exit, out, err) = siamang(&["explore", file], &folder);
        assert_eq!(exit, 2, "{file}: {out}{err}");
        assert!(err.contains(reason), "{file}: {err}");
        assert!(!folder.join("runs").exists(), "{file}");
    }
}

/// An archive in which an entry has another name of the same length.
fn renamed(archive: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = archive.to_vec();
    let found: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(found.len() >= 2, "before the entry and in the directory");
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}
