//! Real APKs on a plain JVM: the framework of Android 14 by Robolectric, behind the agent's protocol, inside a fence.
//!
//! [`workshop`] holds what must be there first, [`jdk`] finds Java, [`fence`] keeps foreign code in, [`apk`] makes an app
//! ready and [`host`] is one JVM. `agent/jvm` has the Java side. A crash here is the app's own code failing, but the
//! device is a substitute: what only it does wrong is told as an issue and not as a failure.

pub mod apk;
pub mod fence;
pub mod host;
pub mod jdk;
pub mod workshop;

use std::path::PathBuf;
use std::sync::Arc;

use smol_str::SmolStr;

use self::apk::Apk;
use self::host::Host;
use self::workshop::Workshop;
use super::agent::answer::code;
use super::agent::request::{Look, Pace, Verb, want};
use super::agent::session::AgentError;
use super::agent::touch::{Plan, look, plan, reacting};
use super::agent::{Fate, Notice, Primitive, Request, ResetMode, Sight, StepAnswer};
use super::{Capabilities, Device, DeviceError, Observation, Reset};
use crate::action::Event;
use crate::gui::tree::{Hit, WidgetPool};
use crate::ids::BranchId;

/// Part of the name of a prepared app; grows when preparing changes.
const VERSION: u32 = 1;

/// Why an APK cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// Java is missing.
    #[error(
        "a JDK of version 17 or later is needed, but {0}; install one (Debian: apt install openjdk-17-jdk-headless) or set JAVA_HOME"
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
    /// The APK is not for us.
    #[error("`{0}` cannot run on the JVM: {1}")]
    Refused(String, String),
    /// A file cannot be read or written.
    #[error("`{}`: {}", .0.display(), .1)]
    Io(PathBuf, std::io::Error),
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
    resets: u32,
}

#[derive(Debug)]
struct Live {
    host: Host,
    fate: Fate,
    sight: Option<Sight>,
}

impl JvmDevice {
    /// A process that was used this often is replaced: what restarts leave behind adds up.
    const MAX_RESETS: u32 = 200;
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
        };
        Self {
            workshop,
            apk,
            capabilities,
            live: None,
            pool: WidgetPool::default(),
            earlier_ms: 0,
            resets: 0,
        }
    }

    async fn live(&mut self) -> Result<&mut Live, DeviceError> {
        if self.resets >= Self::MAX_RESETS {
            self.lose().await;
        }
        if self.live.is_none() {
            let host = Host::start(&self.workshop, &self.apk).await?;
            self.resets = 0;
            self.live = Some(Live { host, fate: Fate::new(&self.apk.package), sight: None });
        }
        self.live.as_mut().ok_or_else(|| DeviceError::Gone("the JVM did not start".into()))
    }

    async fn lose(&mut self) {
        if let Some(live) = self.live.take() {
            self.earlier_ms += live.host.session.uptime_ms();
            live.host.end().await;
        }
    }

    /// A reset on the JVM that is there, or on a new one.
    async fn try_reset(&mut self, mode: ResetMode) -> Result<Observation, DeviceError> {
        let package = self.apk.package.clone();
        let live = self.live().await?;
        let step = live.host.session.next_step();
        let (component, snapshot) = Default::default();
        let look = Look { pace: Pace::SETTLE, want: want::TREE, known: 0 };
        let request = Request::Reset { step, mode, package, component, snapshot, look };
        live.fate.begin_life();
        let answer = live.host.session.step(&request, host::TIMING.deadline).await?;
        self.resets += 1;
        self.observe(answer, None, Vec::new())
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
            Plan::Open(_) => issues.push("an address cannot be opened on a JVM; nothing was done".into()),
            Plan::Unable(why) => issues.push(why.to_string()),
        }
        let look = look(event, live.sight.as_ref());
        let step = session.next_step();
        let answer =
            session.step(&Request::Step { step, primitives: done, look }, host::TIMING.deadline).await;
        match answer {
            Ok(answer) => Ok((answer, issues)),
            Err(error) if error.is_refusal(code::STALE) => {
                // The widget is gone or does not take the text: nothing was done, and that is an answer, too.
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
        Ok(Observation {
            tree: Arc::clone(&sight.tree),
            failures: turn.failures,
            running: live.fate.is_running() && !hosts_fault,
            hit,
            rules: None,
            coverage: answer
                .coverage
                .map(|covered| covered.fresh.iter().map(|&branch| BranchId(branch as u32)).collect()),
            time_ms: self.earlier_ms + live.host.session.uptime_ms(),
            issues,
        })
    }
}

/// Android's code of the home key.
const HOME: u32 = 3;
/// How warnings of failures that are the host's begin.
const HOST_FAULT: &str = "host fault";

impl Device for JvmDevice {
    async fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        let before = self.live.as_ref().and_then(|live| live.sight.clone());
        let hit = before
            .as_ref()
            .and_then(|seen| Some(seen.tree.hit(event.input.point()?, reacting(&event.input)?)));
        match self.ask(event).await {
            Ok((answer, issues)) => self.observe(answer, hit, issues),
            Err(error) => {
                // A JVM that ended is a process that ended: the run goes on with the next reset, on a new one.
                let time_ms =
                    self.earlier_ms + self.live.as_ref().map_or(0, |live| live.host.session.uptime_ms());
                self.lose().await;
                let Some(before) = before else { return Err(error.into()) };
                Ok(Observation {
                    tree: before.tree,
                    failures: Vec::new(),
                    running: false,
                    hit,
                    rules: None,
                    coverage: None,
                    time_ms,
                    issues: vec![format!("{HOST_FAULT}: the JVM was lost and is replaced: {error}")],
                })
            }
        }
    }

    async fn reset(&mut self, reset: Reset) -> Result<Observation, DeviceError> {
        let mode = match reset {
            Reset::Warm => ResetMode::Warm,
            Reset::Clean => ResetMode::Clean,
        };
        match self.try_reset(mode).await {
            Ok(observation) => Ok(observation),
            Err(first) => {
                tracing::info!("the JVM is replaced: {first}");
                self.lose().await;
                self.try_reset(mode).await
            }
        }
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn close(mut self) -> Result<(), DeviceError> {
        self.lose().await;
        Ok(())
    }
}
