//! Real APKs on a plain JVM: the framework of Android 14 by Robolectric, behind the agent's protocol, inside a fence.
//!
//! [`workshop`] holds what must be there first ([`pins`]; [`survey`] tells what is), [`jdk`] finds Java, [`fence`] keeps
//! foreign code in ([`yard`] is its place there, [`bounded`] waits for it, [`watch`] looks at what it takes), [`facts`] says
//! what an APK is, [`apk`] makes it ready, [`host`] is one JVM, [`stand_ins`] answer for other apps and [`coverage`] writes
//! what was covered. `agent/jvm` has the Java side. A crash here is the app's own code failing, but the
//! device is a substitute: what only it does wrong is told as an issue and not as a failure.

pub mod apk;
pub mod bounded;
pub mod coverage;
pub mod facts;
pub mod fence;
pub mod host;
pub mod jdk;
pub mod pins;
pub mod stand_ins;
pub mod survey;
pub mod watch;
pub mod workshop;
pub mod yard;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use smol_str::SmolStr;

use self::apk::Apk;
use self::host::{Habits, Host, Process};
use self::watch::Passed;
use self::workshop::Workshop;
use self::yard::Yard;
use super::agent::answer::{Answer, code};
use super::agent::request::{Look, Pace, Verb, want};
use super::agent::session::AgentError;
use super::agent::touch::{Plan, look, plan, reacting};
use super::agent::{Fate, Notice, Primitive, Request, ResetMode, Sight, StepAnswer};
use super::{Asked, Capabilities, Device, DeviceError, HOST_FAULT, Observation, Reset, Snapshot};
use crate::action::{Event, Input};
use crate::gui::tree::{Hit, WidgetPool};
use crate::ids::BranchId;
use crate::oracle::{Failure, FailureKind};

/// Part of the name of a prepared app; grows when preparing changes.
const VERSION: u32 = 4;

/// Why an APK cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// Java is missing.
    #[error(
        "a JDK of version 17 or later is needed, but {0}\n  {get}", get = Self::GET_JDK
    )]
    NoJdk(String),
    /// Maven is missing, and something must be fetched.
    #[error(
        "Maven is needed once to fetch Android from Maven Central, but there is no `mvn` on the path (Debian: apt install maven)"
    )]
    NoMaven,
    /// There is no place for the cache.
    #[error("there is no place to keep what is fetched; set SIAMANG_CACHE to a folder")]
    NoCache,
    /// Something must be fetched, but was forbidden.
    #[error("Android has not been fetched yet; run once without --offline")]
    Offline,
    /// Foreign code cannot be kept in.
    #[error("an APK is foreign code, and no fence can be built around it here: {0}")]
    NoFence(String),
    /// Fetching failed.
    #[error("could not fetch from Maven Central: {0}")]
    Fetch(String),
    /// The host's sources do not compile.
    #[error("could not build the host: {0}")]
    Compile(String),
    /// What was covered cannot be written.
    #[error("what was covered could not be written: {0}")]
    Coverage(String),
    /// The APK is not for us.
    #[error("`{0}` cannot run on the JVM: {1}")]
    Refused(String, String),
    /// The folder for what lives as long as a run is somebody else's.
    #[error(
        "`{}` is not a folder of yours: remove it, or name another place for such folders with TMPDIR", .0.display()
    )]
    NotOurs(PathBuf),
    /// The cache cannot be written.
    #[error(
        "what is fetched and converted cannot be kept in `{}`: {}; name another folder with SIAMANG_CACHE", .0.display(), .1
    )]
    BadCache(PathBuf, std::io::Error),
    /// A file cannot be read or written.
    #[error("`{}`: {}", .0.display(), .1)]
    Io(PathBuf, std::io::Error),
}

impl SetUpError {
    /// What to do where there is no Java.
    pub const GET_JDK: &'static str = "install a JDK of version 17 to 19 (Debian: apt install openjdk-17-jdk-headless; \
                                       others: https://adoptium.net), or name one with JAVA_HOME";

    /// It is the app that was named, and not what this computer has.
    pub fn is_the_apps(&self) -> bool {
        matches!(self, Self::Refused(..) | Self::Io(..))
    }
}

/// A device that runs one APK. The JVM is started with the first reset, and again whenever it was lost.
#[derive(Debug)]
pub struct JvmDevice {
    workshop: Arc<Workshop>,
    apk: Arc<Apk>,
    capabilities: Capabilities,
    live: Option<Live>,
    pool: WidgetPool,
    /// Device time of the JVMs before this one.
    earlier_ms: u64,
    /// How often the JVM at hand was used.
    resets: u32,
    /// The next reset is to begin on a new JVM.
    renewing: bool,
    /// The app has left threads behind that its JVM could not stop, and will again.
    clings: bool,
    /// A JVM that starts meanwhile, for the next time that a new one is wanted.
    spare: Option<Process>,
    /// The folder of a JVM that has ended, for the next one to go on with the app's data or the snapshots in it.
    left: Option<Yard>,
    /// How many snapshots were taken.
    snapshots: u32,
    habits: Habits,
}

/// What the parts of a step took, on the wall clock.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The event itself.
    pub act: Duration,
    /// Until the app had settled.
    pub settle: Duration,
    /// Reading and encoding the tree.
    pub tree: Duration,
}

/// With which data the app begins.
#[derive(Clone, Debug)]
enum Start {
    At(Reset),
    Kept(Snapshot),
    /// With none, and in this activity.
    As(SmolStr),
}

impl Snapshot {
    fn name(self) -> SmolStr {
        format!("s{}", self.0).into()
    }
}

#[derive(Debug)]
struct Live {
    host: Host,
    fate: Fate,
    sight: Option<Sight>,
}

impl JvmDevice {
    /// A process that was used this often is replaced: what restarts leave behind adds up.
    const MAX_RESETS: u32 = 1_000;
    /// How long the app stays in the background.
    const AWAY_MS: u32 = 300;

    /// A device for an app. Nothing is started yet.
    pub fn new(workshop: Arc<Workshop>, apk: Arc<Apk>) -> Self {
        let capabilities = Capabilities {
            kind: "jvm",
            package: apk.package.clone(),
            // Time and chance are the device's own; threads of the app are not.
            deterministic: false,
            branches: Vec::new(),
            activities: apk.activities.clone(),
            deep_links: Vec::new(),
            clears: true,
            wears: true,
            snapshots: true,
        };
        Self {
            workshop,
            apk,
            capabilities,
            live: None,
            pool: WidgetPool::default(),
            earlier_ms: 0,
            resets: 0,
            renewing: false,
            clings: false,
            spare: None,
            left: None,
            snapshots: 0,
            habits: Habits::default(),
        }
    }

    /// The same device set up in another way, before it is first used.
    #[must_use]
    pub fn with(self, habits: Habits) -> Self {
        let capabilities = Capabilities { deep_links: habits.deep_links.clone(), ..self.capabilities };
        Self { capabilities, habits, ..self }
    }

    async fn live(&mut self) -> Result<&mut Live, DeviceError> {
        if self.live.is_none() {
            let begun = std::time::Instant::now();
            let process = match (self.left.take(), self.spare.take()) {
                (None, Some(spare)) => spare,
                (left, spare) => {
                    self.spare = spare;
                    Process::start(&self.workshop, &self.apk, &self.habits, left)?
                }
            };
            let host = Host::take(process, &self.apk, &self.habits).await?;
            tracing::info!("a JVM was ready after {} ms", begun.elapsed().as_millis());
            if (self.renewing || self.clings) && self.spare.is_none() {
                // Who wants a new one will want another: it starts while this one works.
                self.spare = Process::warm(&self.workshop, &self.apk, &self.habits).ok();
            }
            (self.resets, self.renewing) = (0, false);
            self.live = Some(Live { host, fate: Fate::new(&self.apk.package), sight: None });
        }
        self.live.as_mut().ok_or_else(|| DeviceError::Gone("the JVM did not start".into()))
    }

    /// Starts the app as new with one of its activities in place of the launcher's, whether another app may or not.
    pub async fn start_at(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.start(Start::As(activity.into())).await
    }

    /// What the parts of the last step took.
    pub async fn times(&mut self) -> Result<Times, DeviceError> {
        let session = &mut self.live().await?.host.session;
        match session.call(&Request::Stat, host::TIMING.deadline).await? {
            Answer::Stat(stat) => {
                let [.., act, settle, tree] = stat.counts.map(Duration::from_micros);
                Ok(Times { act, settle, tree })
            }
            _ => Err(DeviceError::Protocol("the host does not tell its times".into())),
        }
    }

    /// Ends the JVM, however it is. The app's data are lost; what was kept of them is not.
    fn lose(&mut self) {
        if let Some(yard) = self.end() {
            self.left = (self.snapshots > 0).then(|| self.with_snapshots(&yard)).flatten();
        }
    }

    /// The limit for which the JVM was ended, if it was.
    fn passed(&self) -> Option<Passed> {
        self.live.as_ref()?.host.passed()
    }

    /// Memory and files without end are the app's doing, as an error of its heap is.
    fn ended_for(&self, passed: Passed) -> Failure {
        Failure {
            kind: FailureKind::Exit,
            package: self.apk.package.to_string(),
            chain: Vec::new(),
            message: passed.to_string(),
        }
    }

    fn end(&mut self) -> Option<Yard> {
        let live = self.live.take()?;
        self.earlier_ms += live.host.session.uptime_ms();
        Some(live.host.end())
    }

    /// A new folder with the snapshots of another.
    fn with_snapshots(&self, of: &Yard) -> Option<Yard> {
        const FOLDER: &str = "snapshots";
        let yard = Yard::new(&self.workshop.yards).ok()?;
        // Whoever asks for one that could not be carried over hears that it is not there.
        if let Err(error) = std::fs::rename(of.data.join(FOLDER), yard.data.join(FOLDER)) {
            tracing::warn!("the snapshots of the app's data are lost: {error}");
        }
        Some(yard)
    }

    /// What earlier lives of the app have left in the JVM may be too much for the next one.
    fn is_worn(&self) -> bool {
        self.resets >= Self::MAX_RESETS || (self.resets > 0 && self.renewing)
    }

    /// Stops the app in order: what it has written is kept. False if threads of it go on, which a later Java cannot stop.
    async fn stop(&mut self) -> Result<bool, AgentError> {
        let package = self.apk.package.clone();
        let stop = Request::App { verb: Verb::Stop, package, name: SmolStr::default() };
        let Some(live) = &mut self.live else { return Ok(true) };
        match live.host.session.call(&stop, host::TIMING.deadline).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_refusal(code::UNSUPPORTED) => {
                tracing::info!("the JVM is replaced: {error}");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Ends the JVM in order if it is not fit for the next life. What the app has written is there for the next one, unless
    /// that begins with nothing.
    async fn make_room(&mut self, mode: ResetMode) {
        let worn = self.is_worn();
        if self.live.is_none() || self.resets == 0 || (!worn && self.workshop.jdk.stops_threads()) {
            return;
        }
        let goes_on = mode == ResetMode::Warm;
        // Nobody needs to hear of its end if nothing of it stays.
        let stopped = if worn && !goes_on { Ok(true) } else { self.stop().await };
        match stopped {
            Ok(true) if !worn => {}
            Ok(clean) => {
                self.clings |= !clean;
                if goes_on {
                    self.left = self.end();
                } else {
                    self.lose();
                }
            }
            Err(error) => {
                tracing::info!("the JVM is replaced: {error}");
                self.lose();
            }
        }
    }

    /// A reset on the JVM that is there, or on a new one.
    async fn try_reset(&mut self, to: Start) -> Result<Observation, DeviceError> {
        let (mode, component, snapshot) = match to {
            Start::At(Reset::Warm) => (ResetMode::Warm, SmolStr::default(), SmolStr::default()),
            Start::At(Reset::Clean) => (ResetMode::Clean, SmolStr::default(), SmolStr::default()),
            Start::As(activity) => (ResetMode::Clean, activity, SmolStr::default()),
            Start::Kept(snapshot) => (ResetMode::Snapshot, SmolStr::default(), snapshot.name()),
        };
        self.make_room(mode).await;
        let begun = std::time::Instant::now();
        let package = self.apk.package.clone();
        let live = self.live().await?;
        let step = live.host.session.next_step();
        let look = Look { pace: Pace::SETTLE, want: want::TREE, known: 0 };
        let request = Request::Reset { step, mode, package, component, snapshot, look };
        live.fate.begin_life();
        let answer = live.host.session.step(&request, host::TIMING.deadline).await?;
        self.resets += 1;
        tracing::info!("the first screen after {} ms", begun.elapsed().as_millis());
        self.observe(answer, None, Vec::new())
    }

    async fn start(&mut self, to: Start) -> Result<Observation, DeviceError> {
        match self.try_reset(to.clone()).await {
            Ok(observation) => Ok(observation),
            Err(first) => {
                tracing::info!("the JVM is replaced: {first}");
                self.lose();
                let second = self.try_reset(to).await;
                let passed = self.passed().filter(|_| second.is_err());
                passed.map_or(second, |passed| Err(DeviceError::App(passed.to_string())))
            }
        }
    }

    async fn ask(&mut self, event: &Event) -> Result<(StepAnswer, Vec<String>), AgentError> {
        let package = self.apk.package.clone();
        let Some(live) = self.live.as_mut() else {
            return Err(AgentError::Cut("the app was not started".into()));
        };
        let mut issues = Vec::new();
        let mut done = Vec::new();
        let session = &mut live.host.session;
        match plan(event, live.sight.as_ref()) {
            Plan::Step(primitives) => done = primitives,
            Plan::HomeAndReturn => {
                let leave =
                    vec![Primitive::Key { code: HOME, meta: 0 }, Primitive::Wait { ms: Self::AWAY_MS }];
                let step = session.next_step();
                session
                    .step(
                        &Request::Step { step, primitives: leave, look: Look::default() },
                        host::TIMING.deadline,
                    )
                    .await?;
                let start = Request::App { verb: Verb::Start, package, name: SmolStr::default() };
                session.call(&start, host::TIMING.deadline).await?;
            }
            Plan::ProcessDeath => {
                let recall = Request::App { verb: Verb::Recall, package, name: SmolStr::default() };
                session.call(&recall, host::TIMING.deadline).await?;
            }
            Plan::Restart => {
                for verb in [Verb::Stop, Verb::Start] {
                    let request = Request::App { verb, package: package.clone(), name: SmolStr::default() };
                    session.call(&request, host::TIMING.deadline).await?;
                }
                live.fate.begin_life();
            }
            Plan::Open(address) => done = vec![Primitive::Open { package, address }],
            Plan::Unable(why) => issues.push(why.to_string()),
        }
        let look = look(event, live.sight.as_ref());
        let step = session.next_step();
        let answer =
            session.step(&Request::Step { step, primitives: done, look }, host::TIMING.deadline).await;
        match answer {
            Ok(answer) => Ok((answer, issues)),
            Err(error) if error.is_refusal(code::STALE) || error.is_refusal(code::APP_NOT_FOUND) => {
                // The widget is gone or does not take the text, or the app does not know the address: nothing was done,
                // and that is an answer, too.
                issues.push(error.to_string());
                let step = session.next_step();
                let answer = session
                    .step(&Request::Step { step, primitives: Vec::new(), look }, host::TIMING.deadline)
                    .await?;
                Ok((answer, issues))
            }
            Err(error) => Err(error),
        }
    }

    fn observe(
        &mut self,
        answer: StepAnswer,
        hit: Option<Hit>,
        mut issues: Vec<String>,
    ) -> Result<Observation, DeviceError> {
        let Some(live) = self.live.as_mut() else {
            return Err(DeviceError::AgentDied("the JVM is gone".into()));
        };
        if let Some(bytes) = &answer.tree {
            let sight = Sight::read(bytes, answer.hash, &mut self.pool)
                .map_err(|error| DeviceError::Protocol(error.to_string()))?;
            live.sight = Some(sight);
        }
        let Some(sight) = &live.sight else {
            return Err(DeviceError::Protocol("the host sent no tree".into()));
        };
        let notices = live.host.session.take_notices();
        let turn = live.fate.hear(&notices);
        issues.extend(turn.issues);
        issues.extend(sight.cuts.iter().map(ToString::to_string));
        let hosts_fault = notices.iter().any(
            |noticed| matches!(&noticed.notice, Notice::Warn { what, .. } if what.starts_with(HOST_FAULT)),
        );
        let coverage: Option<Vec<BranchId>> = answer
            .coverage
            .map(|covered| covered.fresh.iter().map(|&branch| BranchId(branch as u32)).collect());
        let asked = answer.intents.unwrap_or_default().into_iter();
        let asked = asked.map(|[action, data, component, answer]| Asked { action, data, component, answer });
        Ok(Observation {
            tree: Arc::clone(&sight.tree),
            failures: turn.failures,
            running: live.fate.is_running() && !hosts_fault,
            hit,
            rules: answer.callbacks.map(|entered| callbacks(&entered, coverage.as_deref())),
            coverage,
            time_ms: self.earlier_ms + live.host.session.uptime_ms(),
            issues,
            asked: asked.collect(),
        })
    }
}

/// Callbacks by the hash of their names, which is the same in every run. Code that ran without one is told, too: an event
/// without callbacks has done nothing in the app.
fn callbacks(entered: &[SmolStr], covered: Option<&[BranchId]>) -> Vec<BranchId> {
    const NAMELESS: &str = "code outside of callbacks";
    let id = |name: &str| BranchId(fnv(name.as_bytes()));
    let silent = entered.is_empty() && covered.is_none_or(|covered| !covered.is_empty());
    let names = entered.iter().map(SmolStr::as_str).chain(silent.then_some(NAMELESS));
    names.map(id).collect()
}

/// FNV-1a, 32 bits.
fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Android's code of the home key.
const HOME: u32 = 3;

impl Device for JvmDevice {
    async fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        let before = self.live.as_ref().and_then(|live| live.sight.clone());
        let hit = before
            .as_ref()
            .and_then(|seen| Some(seen.tree.hit(event.input.point()?, reacting(&event.input)?)));
        // Where threads cannot be stopped it may take a new JVM.
        if plan(event, before.as_ref()) == Plan::Restart && !self.workshop.jdk.stops_threads() {
            return self.reset(Reset::Warm).await;
        }
        match self.ask(event).await {
            Ok((answer, issues)) => self.observe(answer, hit, issues),
            Err(error) if event.input == Input::ProcessDeath && error.is_refusal(code::UNSUPPORTED) => {
                self.clings = true;
                self.left = self.end();
                let mut seen = self.reset(Reset::Warm).await?;
                seen.issues.push(format!("the app began anew and not from what it had saved: {error}"));
                Ok(seen)
            }
            Err(error) => {
                // A JVM that ended is a process that ended: the run goes on with the next reset, on a new one.
                let time_ms =
                    self.earlier_ms + self.live.as_ref().map_or(0, |live| live.host.session.uptime_ms());
                let told = self.live.as_mut().map(|live| live.fate.hear(&live.host.session.take_notices()));
                let passed = self.passed();
                self.lose();
                let Some(before) = before else { return Err(error.into()) };
                let (mut failures, mut issues) =
                    told.map_or_else(Default::default, |turn| (turn.failures, turn.issues));
                failures.extend(passed.map(|passed| self.ended_for(passed)));
                // Where the app's end was told, the JVM went with it.
                if failures.is_empty() {
                    issues.push(format!("{HOST_FAULT}: the JVM was lost and is replaced: {error}"));
                }
                Ok(Observation {
                    tree: before.tree,
                    failures,
                    running: false,
                    hit,
                    rules: None,
                    coverage: None,
                    time_ms,
                    issues,
                    asked: Vec::new(),
                })
            }
        }
    }

    async fn reset(&mut self, reset: Reset) -> Result<Observation, DeviceError> {
        self.start(Start::At(reset)).await
    }

    async fn keep(&mut self) -> Result<Snapshot, DeviceError> {
        let snapshot = Snapshot(self.snapshots);
        let package = self.apk.package.clone();
        let keep = Request::App { verb: Verb::Keep, package, name: snapshot.name() };
        self.live().await?.host.session.call(&keep, host::TIMING.deadline).await?;
        self.snapshots += 1;
        Ok(snapshot)
    }

    async fn restore(&mut self, kept: Snapshot) -> Result<Observation, DeviceError> {
        self.start(Start::Kept(kept)).await
    }

    fn renew(&mut self) {
        self.renewing = true;
    }

    async fn screenshot(&mut self) -> Result<Option<Vec<u8>>, DeviceError> {
        const PNG: u8 = 1;
        const WHOLE: u32 = 100;
        let Some(live) = self.live.as_mut() else { return Ok(None) };
        let request = Request::Shot { format: PNG, percent: WHOLE };
        match live.host.session.call(&request, host::TIMING.deadline).await? {
            Answer::Shot(shot) => Ok(Some(shot.image)),
            _ => Ok(None),
        }
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn close(mut self) -> Result<(), DeviceError> {
        self.lose();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_no_callbacks_only_if_no_code_of_the_app_ran() {
        let click = SmolStr::new("a.Main.onClick");
        let once = callbacks(std::slice::from_ref(&click), Some(&[BranchId(7)]));
        assert_eq!(once, callbacks(&[click], None));
        assert_eq!(once.len(), 1);
        assert_eq!(callbacks(&[], Some(&[])), []);
        assert_eq!(callbacks(&[], Some(&[BranchId(7)])).len(), 1);
        assert_ne!(callbacks(&[], Some(&[BranchId(7)])), once);
    }
}
