//! A device with the conformance app on it, and what a person would do and look for.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use siamang::action::{Event, Input, Key};
use siamang::device::agent::sight::scroll;
use siamang::device::jvm::apk::Apk;
use siamang::device::jvm::host::{Habits, Sees};
use siamang::device::jvm::jdk::on_path;
use siamang::device::jvm::workshop::{Places, Workshop};
use siamang::device::jvm::{JvmDevice, SetUpError};
use siamang::device::{Device, Observation, Reset, Snapshot};
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, NodeIx, Point, WindowKind};
use siamang::ids::BranchId;
use siamang::oracle::Failure;
use tempfile::TempDir;

use crate::skipped::skipped;

/// One JVM at a time: each takes half a gigabyte and both processors.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The exit code of a build for which something cannot be fetched.
const LACKS_PARTS: i32 = 3;

/// A device and what it shows.
pub struct Stage {
    device: JvmDevice,
    seen: Observation,
}

/// Runs a play on a device of its own; says why if there can be none.
pub fn on_stage(play: impl AsyncFnOnce(&mut Stage)) {
    on_stage_with(Habits::default(), play);
}

/// The same on a device that is set up in another way.
pub fn on_stage_with(habits: Habits, play: impl AsyncFnOnce(&mut Stage)) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(workshop) = workshop() else { return };
    perform(workshop, &build(), habits, play);
}

/// The same with the modern app; says why where its parts cannot be had.
pub fn on_modern_stage(play: impl AsyncFnOnce(&mut Stage)) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(workshop) = workshop() else { return };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(here.join("scripts/build-modern")).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(LACKS_PARTS) {
        skipped(told.lines().last().unwrap_or_default());
        return;
    }
    assert!(output.status.success(), "{told}");
    perform(workshop, &here.join("target/modern/modern.apk"), Habits::default(), play);
}

fn perform(workshop: Workshop, apk: &Path, habits: Habits, play: impl AsyncFnOnce(&mut Stage)) {
    let apk = Apk::prepare(apk, &workshop, &|_| {}).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut device = JvmDevice::new(Arc::new(workshop), Arc::new(apk)).with(habits);
        let seen = device.reset(Reset::Clean).await.unwrap();
        let mut stage = Stage { device, seen };
        play(&mut stage).await;
        stage.device.close().await.unwrap();
    });
}

/// What devices are made with, or none where that cannot be; then it is said why.
fn workshop() -> Option<Workshop> {
    let missing: Vec<&str> = ["javac", "mvn"].into_iter().filter(|tool| on_path(tool).is_none()).collect();
    if !missing.is_empty() {
        skipped(format!("no {}", missing.join(", no ")));
        return None;
    }
    match Places::below(&cache()).and_then(|places| Workshop::open_in(places, false, &|_| {})) {
        Ok(workshop) => Some(workshop),
        // What does not compile is a defect and no obstacle.
        Err(error @ (SetUpError::NoJdk(_) | SetUpError::NoFence(_))) => {
            skipped(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Beside the tests of real APKs, and not below a home, of which the fence would have to show the name.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/jvm-tests/cache")
}

/// Why files made of the app, or built beside it, cannot run; nothing where no app can.
pub fn refusals(spoil: impl Fn(&str, Vec<u8>) -> Vec<(String, Vec<u8>)>) -> Vec<(String, String)> {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(workshop) = workshop() else { return Vec::new() };
    let built = build();
    let folder = built.parent().unwrap();
    let mut files = Vec::new();
    for name in ["conformance", "no-launcher", "split"] {
        files.extend(spoil(name, std::fs::read(folder.join(name).with_extension("apk")).unwrap()));
    }
    let tried = tempfile::tempdir().unwrap();
    let refused = files.into_iter().map(|(name, bytes)| {
        let file = tried.path().join(&name).with_extension("apk");
        std::fs::write(&file, bytes).unwrap();
        let error = Apk::prepare(&file, &workshop, &|_| {}).unwrap_err();
        assert!(error.is_the_apps(), "{name}: {error}");
        (name, error.to_string())
    });
    refused.collect()
}

/// What is said of an app that was built beside the conformance app: why it is refused or what will not work, and what the
/// doctor prints. None where no app can be looked at.
pub fn told_of(name: &str) -> Option<(Result<Vec<String>, String>, String)> {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let workshop = workshop()?;
    let file = build().with_file_name(name).with_extension("apk");
    let prepared = Apk::prepare(&file, &workshop, &|_| {});
    let told = prepared.map(|apk| apk.notes).map_err(|error| {
        assert!(error.is_the_apps(), "{name}: {error}");
        error.to_string()
    });
    let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["doctor", "--jvm"])
        .arg(&file)
        .env("SIAMANG_CACHE", cache())
        .output()
        .unwrap();
    Some((told, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// What `explore` prints of an app that was built beside the conformance app, and its exit code. None where no app can run.
pub fn explored(name: &str, steps: u32) -> Option<(Option<i32>, String)> {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    workshop()?;
    let folder = tempfile::tempdir().unwrap();
    Some(said(&mut explore(&folder, name, steps)))
}

/// What `explore` prints of an app with another Java, and then what `replay` does of the failures that it found, each with its
/// exit code. None where no app can run.
pub fn explored_with(java: &Path, name: &str, steps: u32) -> Option<Vec<(Option<i32>, String)>> {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    workshop()?;
    let folder = tempfile::tempdir().unwrap();
    let mut told =
        vec![said(explore(&folder, name, steps).args(["--out", "run", "-v"]).env("JAVA_HOME", java))];
    for crash in std::fs::read_dir(folder.path().join("run/crashes")).unwrap() {
        let trace = crash.unwrap().path();
        let mut replay = siamang(&folder);
        told.push(said(replay.arg("replay").arg(trace).args(["--times", "3"]).env("JAVA_HOME", java)));
    }
    Some(told)
}

fn explore(folder: &TempDir, name: &str, steps: u32) -> Command {
    let mut command = siamang(folder);
    command.arg("explore").arg(beside(name)).args(["--seed", "1", "--steps", &steps.to_string()]);
    command
}

fn siamang(folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.env("SIAMANG_CACHE", cache()).current_dir(folder);
    command
}

fn beside(name: &str) -> PathBuf {
    build().with_file_name(name).with_extension("apk")
}

fn said(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code(), format!("{out}{err}"))
}

/// What `explore` prints of an app if Ctrl-C is pressed in the middle of the run, which a terminal tells to all that were
/// started from it; and its exit code. None where no app can run.
pub fn interrupted(name: &str) -> Option<(Option<i32>, String)> {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    workshop()?;
    let file = build().with_file_name(name).with_extension("apk");
    let folder = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .arg("explore")
        .arg(&file)
        .args(["--seed", "1", "--steps", "1000000", "--shrink", "no", "--out", "run"])
        .env("SIAMANG_CACHE", cache())
        .current_dir(&folder)
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let run = folder.path().join("run");
    let size = |name: &str| std::fs::metadata(run.join(name)).map_or(0, |file| file.len());
    let deadline = Instant::now() + Duration::from_secs(300);
    while size("events.jsonl.zst") + size("events.tail") < 10_000 {
        assert!(Instant::now() < deadline, "the run does not write");
        std::thread::yield_now();
    }
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Some((output.status.code(), format!("{out}{err}")))
}

fn build() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(here.join("scripts/build-conformance")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    here.join("target/conformance/conformance.apk")
}

fn texts(tree: &GuiTree) -> Vec<String> {
    let texts = tree.indices().map(|ix| tree.widget(ix).text.to_string());
    texts.filter(|text| !text.is_empty()).collect()
}

/// The flags in the order in which the app's own reading tells them.
const FLAGS: [Flags; 14] = [
    Flags::CHECKABLE,
    Flags::CHECKED,
    Flags::CLICKABLE,
    Flags::LONG_CLICKABLE,
    Flags::FOCUSABLE,
    Flags::FOCUSED,
    Flags::ENABLED,
    Flags::SCROLLABLE,
    Flags::PASSWORD,
    Flags::SELECTED,
    Flags::EDITABLE,
    Flags::VISIBLE,
    Flags::DISMISSABLE,
    Flags::CONTENT_INVALID,
];

/// Every widget of the app with what the app's own reading tells of it, too, lowest window first. The keyboard and the
/// system's windows are not the app's to read.
fn lines(tree: &GuiTree) -> Vec<String> {
    let of_the_app = |ix: &NodeIx| {
        let kind = tree.windows()[tree.node(*ix).window as usize].kind;
        !matches!(kind, WindowKind::InputMethod | WindowKind::System)
    };
    let line = |ix: NodeIx| {
        let widget = tree.widget(ix);
        let flags: String =
            FLAGS.iter().map(|&flag| if widget.flags.contains(flag) { '1' } else { '0' }).collect();
        let at = widget.bounds;
        let fields = [
            (tree.ancestors(ix).count() - 1).to_string(),
            widget.class.to_string(),
            widget.package.to_string(),
            widget.resource_id.to_string(),
            widget.text.replace('\n', " "),
            widget.content_desc.replace('\n', " "),
            widget.hint.replace('\n', " "),
            widget.state_desc.replace('\n', " "),
            flags,
            format!("{},{},{},{}", at.left, at.top, at.right, at.bottom),
            widget.input_type.to_string(),
            widget.drawing_order.to_string(),
            format!("{:?}", widget.actions),
        ];
        fields.join("|") + "|"
    };
    tree.indices().filter(of_the_app).map(line).collect()
}

/// A line of the app's own reading, with Android's actions in the engine's words.
fn in_our_words(line: &str) -> String {
    const CLASS: usize = 1;
    const FLAG: usize = 8;
    const ACTIONS: usize = 12;
    const FORWARD_OR_BACKWARD: [u32; 2] = [1 << 12, 1 << 13];
    const SET_TEXT: u32 = 1 << 21;
    let fields: Vec<&str> = line.split('|').collect();
    let told = FLAGS.iter().zip(fields[FLAG].chars());
    let flags: Flags = told.filter(|(_, set)| *set == '1').map(|(&flag, _)| flag).collect();
    let ids: Vec<u32> = fields[ACTIONS]
        .trim_matches(['[', ']'])
        .split(", ")
        .filter(|id| !id.is_empty())
        .map(|id| id.parse().unwrap())
        .collect();
    let has = |id: u32| ids.contains(&id);
    let mut actions = ActionSet::derived(fields[CLASS], flags);
    actions.set(ActionSet::TEXT, actions.contains(ActionSet::TEXT) || has(SET_TEXT));
    let both_ways = FORWARD_OR_BACKWARD.into_iter().any(has);
    let named = |id: u32, contrary: u32| has(id) || both_ways && has(contrary);
    let directions = [
        (named(scroll::UP, scroll::DOWN), ActionSet::SCROLL_UP),
        (named(scroll::DOWN, scroll::UP), ActionSet::SCROLL_DOWN),
        (named(scroll::LEFT, scroll::RIGHT), ActionSet::SCROLL_LEFT),
        (named(scroll::RIGHT, scroll::LEFT), ActionSet::SCROLL_RIGHT),
    ];
    if flags.contains(Flags::SCROLLABLE) && directions.iter().any(|(named, _)| *named) {
        for (named, direction) in directions {
            actions.set(direction, named);
        }
    }
    if !flags.contains(Flags::ENABLED) {
        actions = ActionSet::empty();
    }
    format!("{}|{actions:?}|", fields[..ACTIONS].join("|"))
}

impl Stage {
    /// Starts the app anew, without data.
    pub async fn start(&mut self) {
        self.seen = self.device.reset(Reset::Clean).await.unwrap();
    }

    /// The same, and opens one of its pages.
    pub async fn open(&mut self, page: &str) {
        self.start().await;
        self.sees_page("MainPage");
        self.tap(page).await;
    }

    /// Keeps the app's data as they are now.
    pub async fn keep(&mut self) -> Snapshot {
        assert!(self.device.capabilities().snapshots);
        self.device.keep().await.unwrap()
    }

    /// Starts the app with data that were kept, and opens one of its pages.
    pub async fn open_kept(&mut self, kept: Snapshot, page: &str) {
        self.seen = self.device.restore(kept).await.unwrap();
        self.sees_page("MainPage");
        self.tap(page).await;
    }

    /// The next start is on a JVM that nobody has used.
    pub fn renew(&mut self) {
        self.device.renew();
    }

    /// Everything that can be read.
    pub fn texts(&self) -> Vec<String> {
        texts(&self.seen.tree)
    }

    /// What the screen shows as it was read, and as the app itself reads its windows through the framework's accessibility: a
    /// line a widget. The key says which views are to be read.
    pub async fn readings(&mut self, sees: Sees) -> (Vec<String>, Vec<String>) {
        const F11: i32 = 141;
        const F12: i32 = 142;
        let read = lines(&self.seen.tree);
        let key = match sees {
            Sees::Important => F11,
            Sees::All => F12,
        };
        self.act(Input::Key(Key::Code(key))).await;
        self.sees_page("ReadingPage");
        let shown = self.texts().into_iter().filter(|text| text.contains('|'));
        let told = shown.map(|line| in_our_words(&line)).collect();
        self.back().await;
        (read, told)
    }

    /// What the app has just asked of other apps, in words.
    pub fn asked(&self) -> Vec<String> {
        self.seen.asked.iter().map(ToString::to_string).collect()
    }

    /// The branches of the app that the last step or start has covered.
    pub fn covered(&self) -> Vec<BranchId> {
        self.seen.coverage.clone().unwrap()
    }

    /// The callbacks of the app that were entered in the last step or start.
    pub fn entered(&self) -> Vec<BranchId> {
        self.seen.rules.clone().unwrap()
    }

    /// How many windows there are.
    pub fn windows(&self) -> usize {
        self.seen.tree.windows().len()
    }

    /// What was said of trouble of the device.
    pub fn issues(&self) -> &[String] {
        &self.seen.issues
    }

    /// The texts in windows of toasts.
    pub fn toasts(&self) -> Vec<String> {
        let tree = &self.seen.tree;
        let toasted = |ix: &NodeIx| {
            tree.windows()[tree.node(*ix).window as usize].kind == WindowKind::Toast
                && !tree.widget(*ix).text.is_empty()
        };
        tree.indices().filter(toasted).map(|ix| tree.widget(ix).text.to_string()).collect()
    }

    /// What is shown.
    pub fn tree(&self) -> &GuiTree {
        &self.seen.tree
    }

    /// What the screen looks like, as PNG, with its width and height.
    pub async fn picture(&mut self) -> (u32, u32, Vec<u8>) {
        let png = self.device.screenshot().await.unwrap().unwrap();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        // The first chunk is the head, which begins with both.
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (number(16), number(20), png)
    }

    /// Where the soft keyboard is, if it is shown.
    pub fn keyboard(&self) -> Option<Bounds> {
        let windows = self.seen.tree.windows();
        let keyboard = windows.iter().find(|window| window.kind == WindowKind::InputMethod)?;
        assert!(!keyboard.focused, "keys go to the window below");
        Some(keyboard.bounds)
    }

    /// The middle of the topmost widget that shows this text or hints at it.
    pub fn place(&self, text: &str) -> Point {
        let tree = &self.seen.tree;
        let shows = |ix: &NodeIx| tree.widget(*ix).text == text || tree.widget(*ix).hint == text;
        let found = tree.indices().filter(shows).max_by_key(|&ix| {
            let window = &tree.windows()[tree.node(ix).window as usize];
            (window.layer, std::cmp::Reverse(ix))
        });
        let ix = found.unwrap_or_else(|| panic!("no `{text}` among {:?}", self.texts()));
        tree.widget(ix).bounds.center()
    }

    /// Does something; the app must survive it.
    pub async fn act(&mut self, input: Input) {
        self.seen = self.device.step(&Event::settled(input.clone())).await.unwrap();
        assert!(self.seen.failures.is_empty(), "{input:?}: {:?}", self.seen.failures);
    }

    /// Does something; the app must fail of it, once.
    pub async fn act_and_fail(&mut self, input: Input) -> Failure {
        self.seen = self.device.step(&Event::settled(input.clone())).await.unwrap();
        assert_eq!(self.seen.failures.len(), 1, "{input:?}: {:?} {:?}", self.seen.failures, self.seen.issues);
        assert!(!self.seen.running, "{input:?}");
        self.seen.failures.remove(0)
    }

    pub async fn tap(&mut self, text: &str) {
        let at = self.place(text);
        self.act(Input::Tap(at)).await;
    }

    pub async fn tap_and_fail(&mut self, text: &str) -> Failure {
        let at = self.place(text);
        self.act_and_fail(Input::Tap(at)).await
    }

    /// The app ends, and it is told as trouble of the device.
    pub async fn tap_and_stop(&mut self, text: &str, issue: &str) {
        self.tap(text).await;
        assert!(!self.seen.running, "{text}");
        self.told(issue);
    }

    /// It is said as trouble of the device.
    pub fn told(&self, issue: &str) {
        assert!(self.seen.issues.iter().any(|told| told.contains(issue)), "{:?}", self.seen.issues);
    }

    pub async fn text(&mut self, field: &str, text: &str) {
        let at = self.place(field);
        self.act(Input::Text { at, text: text.into() }).await;
    }

    pub async fn back(&mut self) {
        self.act(Input::Key(Key::Back)).await;
    }

    /// A widget's text holds this.
    pub fn sees(&self, text: &str) {
        let texts = self.texts();
        assert!(texts.iter().any(|shown| shown.contains(text)), "no `{text}` in {texts:?}");
    }

    pub fn sees_not(&self, text: &str) {
        let texts = self.texts();
        assert!(!texts.iter().any(|shown| shown == text), "`{text}` is still in {texts:?}");
    }

    pub fn sees_page(&self, page: &str) {
        let activity = self.seen.tree.activity();
        assert!(activity.ends_with(page), "{activity} instead of {page}: {:?}", self.seen.issues);
    }

    /// The home screen is in front.
    pub fn has_left(&self) {
        let front = self.seen.tree.foreground_package();
        assert!(front.is_some_and(|package| package == "siamang.home"), "{front:?}");
    }
}
