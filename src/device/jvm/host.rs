//! One JVM with the app in it, inside its fence, and the conversation with it.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use smol_str::SmolStr;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Join, join};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::apk::Apk;
use super::bounded::end;
use super::fence::Reach;
use super::stand_ins::StandIns;
use super::watch::{Limits, Passed, Watch};
use super::workshop::Workshop;
use super::yard::Yard;
use crate::device::DeviceError;
use crate::device::agent::request::{Config, config};
use crate::device::agent::{Session, Timing, Token};

/// Packages of the JDK that Robolectric looks into.
const OPENED: [&str; 10] = [
    "java.lang",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.security",
    "java.text",
    "java.util",
    "java.util.concurrent",
    "jdk.internal.access",
];

/// A quick compiler only: start-up and short runs gain more than long runs lose. Verification is off because a phone
/// verifies lazily, too, and runs an app with a broken class as long as nobody uses it. The names in ten thousand classes are
/// more than the table of names is made for: it grows while they are looked up in long chains, which is a tenth of the start.
///
/// Ten thousand classes are no reason for a collection: without the larger mark there are three whole ones before the first
/// two hundred steps are over. Nobody may ask for one either: Robolectric does at every rotation, which takes a quarter of a
/// second each, and to Android it is but a hint. What is new has room to grow old in: an activity lives for some dozens of
/// steps, and one that outlives its generation is gone only after two collections of all, as Robolectric keeps what stands for
/// native objects until it has heard that they are unreachable. For the same reason little is kept free after a collection:
/// more is soon full of what the next one frees, and the heap only grows.
const FLAGS: [&str; 25] = [
    "--add-opens=java.desktop/java.awt.font=ALL-UNNAMED",
    "--add-exports=java.base/sun.util.locale.provider=ALL-UNNAMED",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:SymbolTableSize=262144",
    "-XX:-BytecodeVerificationRemote",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:MetaspaceSize=128m",
    "-XX:MaxMetaspaceSize=700m",
    "-Xmx1g",
    "-Xms192m",
    "-Xmn72m",
    "-XX:SurvivorRatio=4",
    "-XX:MinHeapFreeRatio=20",
    "-XX:MaxHeapFreeRatio=40",
    "-XX:+DisableExplicitGC",
    "-Djava.awt.headless=true",
    "-Drobolectric.offline=true",
    "-Drobolectric.createActivityContexts=true",
    "-Drobolectric.useRealAni=true",
    "-Drobolectric.useRealSpinnerSelection=true",
    "-Drobolectric.windowManager.useRequestedSize=true",
];

/// A running JVM.
#[derive(Debug)]
pub struct Host {
    /// The conversation.
    pub session: Session<Join<ChildStdout, ChildStdin>>,
    process: Process,
}

/// Which views the trees hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sees {
    /// Those that matter to somebody who cannot see: what a phone shows to us.
    #[default]
    Important,
    /// All of them.
    All,
}

/// What becomes of activities that nobody sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unseen {
    /// They stay, as long as there is memory.
    #[default]
    Kept,
    /// They go at once and come back from what they saved: a phone's "Don't keep activities".
    Dropped,
}

/// How a device is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// What its trees hold.
    pub sees: Sees,
    /// What it does with activities in the background.
    pub unseen: Unseen,
    /// How it answers for other apps.
    pub stand_ins: Arc<StandIns>,
    /// Whom the app reaches over the network.
    pub reach: Reach,
    /// The addresses that may be opened in the app.
    pub deep_links: Vec<SmolStr>,
    /// How much the app may take.
    pub limits: Limits,
}

impl Habits {
    fn flags(&self) -> u64 {
        let sees = match self.sees {
            Sees::Important => 0,
            Sees::All => config::NOT_IMPORTANT,
        };
        let unseen = match self.unseen {
            Unseen::Kept => 0,
            Unseen::Dropped => config::DROP_ACTIVITIES,
        };
        sees | unseen
    }
}

/// A JVM that has begun to start. It builds its Android by itself and then waits to be told whom it serves.
#[derive(Debug)]
pub struct Process {
    /// It goes before the child does.
    watch: Watch,
    child: Running,
    yard: Yard,
}

/// A child that does not outlive its owner.
#[derive(Debug)]
struct Running(Arc<Mutex<Child>>);

/// How long is waited for what: the first launch loads ten thousand classes, and the machine may be busy.
pub const TIMING: Timing = Timing {
    handshake: Duration::from_secs(60),
    deadline: Duration::from_secs(110),
    margin: Duration::from_secs(10),
    ping_every: Duration::from_secs(8),
    undo: Duration::from_secs(15),
};
const START: Duration = Duration::from_secs(120);

impl Process {
    /// Starts a JVM and does not wait for it. It goes on with the folder of an earlier one, if there is one.
    pub fn start(
        workshop: &Workshop,
        apk: &Apk,
        habits: &Habits,
        left: Option<Yard>,
    ) -> Result<Self, DeviceError> {
        let yard = match left {
            Some(yard) => yard,
            None => Yard::new(&workshop.yards).map_err(|error| gone(&error))?,
        };
        habits.stand_ins.lay_out(&yard).map_err(|error| gone(&error))?;
        let command = Self::command(workshop, apk, habits, &yard);
        Self::spawn(command, yard, habits.limits)
    }

    /// Starts a JVM that nobody needs yet: it also shows what every app needs, without the app, so that the app is there
    /// the sooner when it is taken into use.
    pub fn warm(workshop: &Workshop, apk: &Apk, habits: &Habits) -> Result<Self, DeviceError> {
        let yard = Yard::new(&workshop.yards).map_err(|error| gone(&error))?;
        habits.stand_ins.lay_out(&yard).map_err(|error| gone(&error))?;
        let mut command = Self::command(workshop, apk, habits, &yard);
        command.arg("warm");
        Self::spawn(command, yard, habits.limits)
    }

    fn spawn(mut command: std::process::Command, yard: Yard, limits: Limits) -> Result<Self, DeviceError> {
        let child = command
            // Ctrl-C is for us: the JVM has a step to finish, and ends when we do.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| gone(&error))?;
        let child = Arc::new(Mutex::new(child));
        let watch = Watch::begin(Arc::clone(&child), yard.data.clone(), limits);
        Ok(Self { watch, child: Running(child), yard })
    }

    fn command(workshop: &Workshop, apk: &Apk, habits: &Habits, yard: &Yard) -> std::process::Command {
        let parts = &workshop.parts;
        let readable = [workshop.jdk.home.as_path(), &workshop.classes, parts, &apk.prepared];
        let java = workshop.jdk.tool("java");
        let words = workshop.fence.words_reaching(habits.reach, yard, &readable, &java);
        let mut command = super::fence::command(&words);
        // Each of a JVM's threads would keep an arena of its own that nobody tidies up: for
        // ApiDemos 17 of them held 180 MB, and one holds 85.
        command.env("MALLOC_ARENA_MAX", "1");
        command
            .args(OPENED.map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")))
            .args(FLAGS);
        command
            .arg(format!("-Djava.io.tmpdir={}", Yard::DATA))
            .arg(format!("-Duser.home={}", Yard::DATA))
            .arg(format!("-Dsiamang.given={}", Yard::GIVEN))
            .arg(format!("-Dsiamang.natives={}", workshop.unpacked.join("natives").display()))
            .arg(format!("-Drobolectric.dependency.dir={}", workshop.unpacked.join("framework").display()));
        let unsigned = workshop.unpacked.join("unsigned");
        let unsigned = Some(unsigned).filter(|_| !workshop.jdk.wants_signatures());
        let path = format!(
            "{}:{}:{}{}/*",
            workshop.classes.display(),
            workshop.unpacked.join("stub").display(),
            unsigned.map_or_else(String::new, |jars| format!("{}/*:", jars.display())),
            parts.join("host").display()
        );
        command.args(["-cp", &path, "siamang.agent.jvm.Main"]);
        command.args([&apk.prepared, Path::new(Yard::DATA), &parts.join("added")]);
        command
    }
}

impl Running {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child());
    }
}

impl Host {
    /// Takes a JVM into use: waits until it answers.
    pub async fn take(process: Process, apk: &Apk, habits: &Habits) -> Result<Self, DeviceError> {
        let token = Token::fresh().map_err(|error| gone(&error))?;
        let pipes = {
            let mut child = process.child.child();
            (child.stdin.take(), child.stdout.take())
        };
        let (Some(to), Some(from)) = pipes else {
            return Err(gone(&"it has no pipes"));
        };
        let mut to = ChildStdin::from_std(to).map_err(|error| gone(&error))?;
        let mut from = ChildStdout::from_std(from).map_err(|error| gone(&error))?;
        to.write_all(token.line().as_bytes()).await.map_err(|error| gone(&error))?;
        let line = timeout(START, first_line(&mut from)).await.map_err(|_| gone(&"it does not answer"))?;
        match line {
            Ok(line) if line.starts_with("listening") => {}
            Ok(line) => return Err(gone(&line)),
            Err(error) => return Err(gone(&error)),
        }
        let mut session = Session::open(join(from, to), &token, TIMING).await?;
        session
            .configure(Config {
                flags: config::ALLOW_CLEAR | habits.flags(),
                package: apk.package.clone(),
                ..Config::default()
            })
            .await?;
        Ok(Self { session, process })
    }

    /// Ends the JVM, however it is. Its folder stays.
    pub fn end(self) -> Yard {
        drop(self.session);
        let Process { watch, child, yard } = self.process;
        drop((watch, child));
        yard
    }

    /// The limit for which the JVM was ended, if it was.
    pub fn passed(&self) -> Option<Passed> {
        self.process.watch.passed()
    }
}

fn gone(error: &dyn std::fmt::Display) -> DeviceError {
    DeviceError::Gone(format!("the JVM did not start: {error}"))
}

/// Byte by byte: what follows the line is the protocol's.
async fn first_line(from: &mut ChildStdout) -> std::io::Result<String> {
    const LONGEST: usize = 10_000;
    let mut line = Vec::new();
    while line.len() < LONGEST {
        match from.read_u8().await {
            Ok(b'\n') => break,
            Ok(byte) => line.push(byte),
            Err(error) if line.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}
