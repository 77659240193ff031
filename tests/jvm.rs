//! Real APKs on the JVM device. The apps come from npm, Android from Maven Central; where those or a fence are missing the
//! tests say so and end.

#![cfg(all(feature = "jvm", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use siamang::device::jvm::fence::{Fence, Reach, Yard, command};
use siamang::device::jvm::jdk::on_path;

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
        eprintln!("skipped, {error}");
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
        eprintln!("skipped, {error}");
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
        eprintln!("skipped, {error}");
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
        eprintln!("skipped, {obstacle}");
        return;
    }
    let apk = from_npm("sample-apps@2.0.4", "pre-built/selendroid-test-app.apk");
    let folder = fresh("selendroid");
    let apk = apk.to_str().unwrap();
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
    let junit = std::fs::read_to_string(folder.join("run/junit.xml")).unwrap();
    assert!(
        junit.contains("<failure message=\"java.lang.RuntimeException: Unhandled Exception Test!\""),
        "{junit}"
    );
    for made in ["jacoco.exec", "jacoco.xml", "html/index.html"] {
        assert!(folder.join("coverage").join(made).is_file(), "{made}");
    }
}

#[test]
fn abstractions_are_compared_on_a_real_app() {
    if let Some(obstacle) = obstacle() {
        eprintln!("skipped, {obstacle}");
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
        eprintln!("skipped, {obstacle}");
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
    // Without Java nothing can be said of an APK, but what to install.
    let (exit, text) = run("text.apk", &[("JAVA_HOME", "/nowhere")]);
    assert_eq!(exit, 3, "{text}");
    assert!(text.contains("install a JDK of version 17 to 19"), "{text}");
}

#[test]
fn what_is_no_apk_is_refused_with_the_reason() {
    if let Some(obstacle) = obstacle() {
        eprintln!("skipped, {obstacle}");
        return;
    }
    let folder = fresh("refused");
    std::fs::write(folder.join("text.apk"), "this is no archive").unwrap();
    // An empty archive: only its end record.
    std::fs::write(folder.join("empty.apk"), b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").unwrap();
    for (file, reason) in [("text.apk", "not an APK"), ("empty.apk", "AndroidManifest.xml")] {
        let (exit, out, err) = siamang(&["explore", file], &folder);
        assert_eq!(exit, 2, "{file}: {out}{err}");
        assert!(err.contains(reason), "{file}: {err}");
        assert!(!folder.join("runs").exists(), "{file}");
    }
}
