//! Drives one phone: keeps an agent alive there, asks it, and climbs back after a cut.

mod ladder;
mod screen;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::Instant;

use super::AdbConfig;
use super::journal::{Entry, Journals};
use super::names::{Activity, Serial, ShellLine};
use super::process::{Process, StartError};
use super::wire::{AdbError, Server};
use crate::action::{Event, Input, Key};
use crate::device::agent::answer::{StepAnswer, code};
use crate::device::agent::request::{Look, Pace, Primitive, Request, ResetMode, Verb, want};
use crate::device::agent::touch::{self, Plan};
use crate::device::agent::{AgentError, Answer, Fate, Hello, Noticed, Session, Sight};
use crate::device::{DeviceError, Observation, Reset};
use crate::gui::tree::{Hit, WidgetPool};

/// A step is asked again after a cut at most this often.
const MAX_RESUMES: u32 = 4;
/// Stopping, clearing and starting an app may take so many times what a step may.
const RESET_DEADLINES: u32 = 4;
/// How often an app in the background is killed again: for a moment after it was left it is not in the background yet.
const KILL_TRIES: u32 = 10;
const KILL_PAUSE: Duration = Duration::from_millis(300);
/// A bit of the state of an app: it is running.
const RUNNING: u64 = 4;
/// Where the agent listens on the phone, before its name.
const AGENT_SOCKET: &str = "localabstract:";

/// One phone.
pub(super) struct Worker {
    server: Server,
    serial: Serial,
    config: AdbConfig,
    journals: Journals,
    link: Option<Link>,
    /// What is kept of a session while there is no link.
    sight: Option<Sight>,
    fate: Fate,
    pool: WidgetPool,
    /// Why there is no link any more.
    lost: String,
    /// What a link that is lost had told.
    told: Vec<Noticed>,
    /// The phone's clock, as of the last answer.
    time_ms: u64,
    leaving: Arc<AtomicBool>,
}

struct Link {
    session: Session<TcpStream>,
    process: Process,
}

impl Worker {
    pub(super) fn new(server: Server, serial: Serial, config: AdbConfig, leaving: Arc<AtomicBool>) -> Self {
        let fate = Fate::new(config.package.as_str());
        let journals = config.journals.clone();
        Self {
            server,
            serial,
            config,
            journals,
            link: None,
            sight: None,
            fate,
            pool: WidgetPool::default(),
            lost: String::new(),
            told: Vec::new(),
            time_ms: 0,
            leaving,
        }
    }

    /// Nobody waits for the phone any more.
    fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    pub(super) fn ping_due(&self) -> Option<Instant> {
        self.link.as_ref().map(|link| link.session.ping_due())
    }

    /// Says that the host is there; a cut is found out by the next request.
    pub(super) async fn ping(&mut self) {
        if let Some(link) = &mut self.link
            && link.session.ping().await.is_err_and(|error| error.is_cut())
            && let Err(error) = self.resume().await
        {
            self.lost = error.to_string();
        }
    }

    pub(super) async fn reset(&mut self, to: Reset) -> Result<Observation, DeviceError> {
        self.connect().await?;
        self.wake().await?;
        self.fate.begin_life();
        let mode = if to == Reset::Clean && self.config.clear { ResetMode::Clean } else { ResetMode::Warm };
        let look = Look { pace: Pace::SETTLE, want: want::TREE_IF_CHANGED, known: self.known() };
        let answer = self.launch(mode, look).await;
        self.observe(answer, None).await
    }

    async fn launch(&mut self, mode: ResetMode, look: Look) -> Result<StepAnswer, DeviceError> {
        let (package, component) =
            (self.config.package.as_str().into(), self.config.activity.as_ref().map_or("", Activity::as_str));
        let component = component.into();
        let step = self.number()?;
        let snapshot = "".into();
        self.ask(&Request::Reset { step, mode, package, component, snapshot, look }).await
    }

    pub(super) async fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        if self.link.is_none() {
            return Err(DeviceError::AgentDied(format!("it was not started again yet; {}", self.lost)));
        }
        let look = touch::look(event, self.sight.as_ref());
        let mut issue = None;
        let answer = match touch::plan(event, self.sight.as_ref()) {
            Plan::Step(primitives) => self.act(event, primitives, look).await,
            Plan::Restart => {
                self.fate.begin_life();
                self.launch(ResetMode::Warm, look).await
            }
            Plan::HomeAndReturn => self.away_and_back(look).await,
            Plan::ProcessDeath => match self.away_and_killed().await {
                Ok(killed) => {
                    issue = (!killed).then(|| "the system did not kill the app in the background".to_owned());
                    self.come_back(look).await
                }
                Err(error) => Err(error),
            },
            Plan::Open(address) if self.config.deep_links.iter().any(|known| known.as_str() == address) => {
                let package = self.config.package.as_str().into();
                match self.act(event, vec![Primitive::Open { package, address }], look).await {
                    // An app that does not know its address is no reason to give up the phone.
                    Err(DeviceError::Protocol(why)) => {
                        issue = Some(format!("the address was not opened: {why}"));
                        self.primitives(Vec::new(), Look { pace: Pace::BURST, ..look }).await
                    }
                    other => other,
                }
            }
            Plan::Open(address) => {
                issue = Some(format!("{address} was not opened: --deep-link was not given for it"));
                self.primitives(Vec::new(), Look { pace: Pace::BURST, ..look }).await
            }
            Plan::Unable(why) => {
                issue = Some(why.to_string());
                self.primitives(Vec::new(), Look { pace: Pace::BURST, ..look }).await
            }
        };
        let mut seen = match self.observe(answer, Some(event)).await {
            Ok(seen) => seen,
            Err(error) => self.last_words(error)?,
        };
        seen.issues.extend(issue);
        Ok(seen)
    }

    /// A step that ended in trouble may have been told of a failure of the app before: then that is what it came to.
    fn last_words(&mut self, error: DeviceError) -> Result<Observation, DeviceError> {
        let notices = self.notices();
        let turn = self.fate.hear(&notices);
        match &self.sight {
            Some(sight) if !turn.failures.is_empty() => {
                let mut issues = turn.issues;
                issues.push(error.to_string());
                Ok(Observation {
                    tree: Arc::clone(&sight.tree),
                    failures: turn.failures,
                    running: false,
                    hit: None,
                    rules: None,
                    coverage: None,
                    time_ms: self.time_ms,
                    issues,
                    asked: Vec::new(),
                })
            }
            _ => Err(error),
        }
    }

    /// Takes what was told since the last call, also by a link that is lost.
    fn notices(&mut self) -> Vec<Noticed> {
        let mut notices = std::mem::take(&mut self.told);
        if let Some(link) = &mut self.link {
            notices.extend(link.session.take_notices());
        }
        notices
    }

    /// What the screen looks like now, as PNG; nothing where the phone gives no picture.
    pub(super) async fn shot(&mut self) -> Result<Option<Vec<u8>>, DeviceError> {
        const PNG: u8 = 1;
        const WHOLE: u32 = 100;
        if self.link.is_none() {
            return Ok(None);
        }
        match self.called(&Request::Shot { format: PNG, percent: WHOLE }, self.config.timing.deadline).await?
        {
            Ok(Answer::Shot(shot)) => Ok(Some(shot.image)),
            Ok(_) => Ok(None),
            Err(error) if error.is_refusal(code::UNSUPPORTED) => Ok(None),
            Err(error) => Err(self.agent_error(error)),
        }
    }

    /// The tree now, without doing anything.
    pub(super) async fn look(&mut self) -> Result<Sight, DeviceError> {
        self.connect().await?;
        self.read_tree().await?;
        self.sight.clone().ok_or_else(|| DeviceError::Transient("no screen was read".into()))
    }

    /// How the agent introduced itself, and why capabilities are missing.
    pub(super) async fn introduce(&mut self) -> Result<(Hello, Vec<(u64, String)>), DeviceError> {
        self.connect().await?;
        let missing = match self.call(&Request::Stat).await? {
            Answer::Stat(stat) => stat.missing.into_iter().map(|(bit, why)| (bit, why.to_string())).collect(),
            _ => Vec::new(),
        };
        let link = self.link()?;
        Ok((link.session.hello().clone(), missing))
    }

    /// What the screen is: 1 on, 2 locked.
    pub(super) async fn screen(&mut self) -> Result<u64, DeviceError> {
        self.connect().await?;
        match self.call(&Request::Screen(0)).await? {
            Answer::Screen { is, .. } => Ok(is),
            _ => Ok(1),
        }
    }

    /// Lets the agent undo everything, and forgets it. Whatever is not certain then is told, and the entry remains, so that
    /// `doctor` knows of it.
    pub(super) async fn close(&mut self) -> Result<(), DeviceError> {
        let left = |serial: &Serial, why: &str| Err(DeviceError::Left(format!("{serial}: {why}")));
        if self.link.is_none() {
            let lost = self.entry().is_some_and(|entry| entry.agent && entry.is_ours());
            let why = "its agent was lost before it could put things back";
            return if lost { left(&self.serial, why) } else { Ok(()) };
        }
        let said = match self.link()?.session.bye().await {
            // It may not have heard that: it is told again where it can be found again.
            Err(error) if error.is_cut() => match self.resume().await {
                Ok(()) => self.link()?.session.bye().await.map_err(DeviceError::from),
                Err(error) => Err(error),
            },
            said => said.map_err(DeviceError::from),
        };
        if let Some(mut link) = self.link.take() {
            link.process.wait(self.config.timing.margin).await;
        }
        match said {
            Ok(stays) if stays.is_empty() => {}
            Ok(stays) => return left(&self.serial, &stays.join("; ")),
            Err(error) => {
                let why = format!("its agent did not say that it has put things back ({error})");
                return left(&self.serial, &why);
            }
        }
        if let Some(mut entry) = self.entry() {
            entry.agent = false;
            // An app that was installed for the run is still to go.
            let kept = self.journals.keep(&entry);
            kept.map_err(|error| DeviceError::Left(format!("{}: {error}", self.serial)))?;
        }
        Ok(())
    }

    fn entry(&self) -> Option<Entry> {
        self.journals.read(self.server.address(), &self.serial)
    }

    fn link(&mut self) -> Result<&mut Link, DeviceError> {
        self.link.as_mut().ok_or_else(|| DeviceError::AgentDied("it is not running".into()))
    }

    fn number(&mut self) -> Result<u64, DeviceError> {
        Ok(self.link()?.session.next_step())
    }

    fn known(&self) -> u64 {
        self.sight.as_ref().map_or(0, |sight| sight.hash)
    }

    async fn primitives(
        &mut self,
        primitives: Vec<Primitive>,
        look: Look,
    ) -> Result<StepAnswer, DeviceError> {
        let step = self.number()?;
        self.ask(&Request::Step { step, primitives, look }).await
    }

    /// A step. A text names a node of a tree; if the agent has read the same screen anew since, the tree has another
    /// number by now: it is read and the text sent again. Nothing was done the first time.
    async fn act(
        &mut self,
        event: &Event,
        primitives: Vec<Primitive>,
        look: Look,
    ) -> Result<StepAnswer, DeviceError> {
        let step = self.number()?;
        let by_node = primitives.iter().any(|one| matches!(one, Primitive::Text { node: 1.., .. }));
        let request = Request::Step { step, primitives, look };
        match self.asked(&request).await? {
            Err(error) if by_node && error.is_refusal(code::STALE) => {
                self.read_tree().await?;
                let Plan::Step(primitives) = touch::plan(event, self.sight.as_ref()) else {
                    return Err(error.into());
                };
                self.primitives(primitives, touch::look(event, self.sight.as_ref())).await
            }
            other => self.or_looked(other, &request).await,
        }
    }

    /// Home, and the app again.
    async fn away_and_back(&mut self, look: Look) -> Result<StepAnswer, DeviceError> {
        self.go_away().await?;
        self.come_back(look).await
    }

    async fn go_away(&mut self) -> Result<(), DeviceError> {
        let home = Primitive::Key { code: touch::key_code(Key::Home), meta: 0 };
        let away = Look { pace: Pace::SETTLE, want: 0, known: 0 };
        self.primitives(vec![home], away).await.map(|_| ())
    }

    /// Home, and the process is killed as the system does it when it needs room. Whether it died: one that plays music in
    /// the foreground does not.
    async fn away_and_killed(&mut self) -> Result<bool, DeviceError> {
        self.go_away().await?;
        let line = ShellLine::new("am kill").package(&self.config.package);
        for _ in 0..KILL_TRIES {
            self.server.must(&self.serial, &line).await.map_err(|error| self.device_error(&error))?;
            let package = self.config.package.as_str().into();
            match self.call(&Request::App { verb: Verb::State, package, name: "".into() }).await? {
                Answer::App { value, .. } if value & RUNNING != 0 => tokio::time::sleep(KILL_PAUSE).await,
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    async fn come_back(&mut self, look: Look) -> Result<StepAnswer, DeviceError> {
        let package = self.config.package.as_str().into();
        self.call(&Request::App { verb: Verb::Start, package, name: "".into() }).await?;
        self.primitives(Vec::new(), Look { pace: Pace::SETTLE, ..look }).await
    }

    /// A STEP or RESET with its answer, whatever happens to the connection meanwhile.
    async fn ask(&mut self, request: &Request) -> Result<StepAnswer, DeviceError> {
        let answer = self.asked(request).await?;
        self.or_looked(answer, request).await
    }

    async fn asked(&mut self, request: &Request) -> Result<Result<StepAnswer, AgentError>, DeviceError> {
        let mut deadline = self.config.timing.deadline;
        match request {
            Request::Reset { .. } => deadline *= RESET_DEADLINES,
            // What an event asks to wait is not the phone's delay.
            Request::Step { primitives, .. } => {
                deadline += primitives.iter().map(Primitive::waits).sum::<Duration>();
            }
            _ => {}
        }
        for _ in 0..MAX_RESUMES {
            match self.link()?.session.step(request, deadline).await {
                Err(error) if error.is_cut() => {
                    tracing::debug!("{}: {error}", self.serial);
                    self.resume().await?;
                }
                other => return Ok(other),
            }
        }
        self.lose();
        Err(DeviceError::AgentDied("its answers break off again and again".into()))
    }

    /// After a step that was done without a screen to show, the screen is read by itself.
    async fn or_looked(
        &mut self,
        answer: Result<StepAnswer, AgentError>,
        request: &Request,
    ) -> Result<StepAnswer, DeviceError> {
        let (Request::Step { step, .. } | Request::Reset { step, .. }) = *request else {
            return answer.map_err(DeviceError::from);
        };
        match answer {
            // Whether the app was stopped, cleared and started is not known, and no trace may begin like that.
            Err(error) if error.is_refusal(code::TIMEOUT) && matches!(request, Request::Reset { .. }) => {
                Err(DeviceError::Transient(format!("the app was not started anew: {error}")))
            }
            Err(error)
                if [code::NO_ROOT, code::TIMEOUT, code::HUNG].iter().any(|&code| error.is_refusal(code)) =>
            {
                self.read_tree_after(Some(&error)).await?;
                Ok(StepAnswer { step, hash: self.known(), ..StepAnswer::default() })
            }
            Err(error) => Err(self.agent_error(error)),
            Ok(answer) => Ok(answer),
        }
    }

    async fn call(&mut self, request: &Request) -> Result<Answer, DeviceError> {
        let answer = self.called(request, self.config.timing.deadline).await?;
        answer.map_err(|error| self.agent_error(error))
    }

    /// Any request that may be asked twice, whatever happens to the connection meanwhile.
    async fn called(
        &mut self,
        request: &Request,
        deadline: Duration,
    ) -> Result<Result<Answer, AgentError>, DeviceError> {
        for _ in 0..MAX_RESUMES {
            match self.link()?.session.call(request, deadline).await {
                Err(error) if error.is_cut() => self.resume().await?,
                other => return Ok(other),
            }
        }
        self.lose();
        Err(DeviceError::AgentDied("its answers break off again and again".into()))
    }

    async fn observe(
        &mut self,
        answer: Result<StepAnswer, DeviceError>,
        event: Option<&Event>,
    ) -> Result<Observation, DeviceError> {
        let answer = answer?;
        let before = self.sight.clone();
        match &answer.tree {
            Some(bytes) => {
                let sight = Sight::read(bytes, answer.hash, &mut self.pool).map_err(AgentError::from)?;
                self.sight = Some(sight);
            }
            None if self.known() == answer.hash => {}
            None => self.read_tree().await?,
        }
        self.time_ms = self.link()?.session.uptime_ms();
        let notices = self.notices();
        let turn = self.fate.hear(&notices);
        let sight = self.sight.as_ref().ok_or_else(|| DeviceError::Protocol("no screen was sent".into()))?;
        let fresh = before.as_ref().is_none_or(|before| before.hash != sight.hash);
        let mut issues = turn.issues;
        if fresh {
            issues.extend(sight.cuts.iter().map(ToString::to_string));
        }
        let hit = before.as_ref().zip(event).and_then(|(before, event)| hit(before, event, &answer));
        Ok(Observation {
            tree: Arc::clone(&sight.tree),
            failures: turn.failures,
            running: self.fate.is_running(),
            hit,
            rules: None,
            coverage: None,
            time_ms: self.time_ms,
            issues,
            asked: Vec::new(),
        })
    }

    fn agent_error(&mut self, error: AgentError) -> DeviceError {
        let error = DeviceError::from(error);
        if matches!(error, DeviceError::AgentDied(_)) {
            self.lose();
        }
        error
    }

    fn device_error(&self, error: &AdbError) -> DeviceError {
        told_of(&self.serial, error)
    }

    fn start_error(&self, error: StartError) -> DeviceError {
        match error {
            StartError::Adb(error) => self.device_error(&error),
            held if held.is_held() => DeviceError::Unusable(format!(
                "{held}; another tool uses this phone: end Appium, uiautomator or Maestro"
            )),
            busy @ StartError::Busy(_) => DeviceError::Gone(busy.to_string()),
            unwritten @ StartError::Journal(_) => DeviceError::Unusable(unwritten.to_string()),
            other => DeviceError::Protocol(other.to_string()),
        }
    }
}

/// What adb's error says of a phone. Only the agent's own socket can be refused while the phone is there: a command is refused by
/// a phone that goes in that moment.
fn told_of(serial: &Serial, error: &AdbError) -> DeviceError {
    let text = format!("{serial}: {error}");
    match error {
        AdbError::Late(..) | AdbError::Broken(_) | AdbError::Failed { .. } => DeviceError::Transient(text),
        AdbError::Refused { service, .. } if service.starts_with(AGENT_SOCKET) => {
            DeviceError::AgentDied(text)
        }
        _ => DeviceError::Gone(text),
    }
}

/// What a touch hit, as the agent saw it: from the deepest node upwards to the first that reacts.
fn hit(before: &Sight, event: &Event, answer: &StepAnswer) -> Option<Hit> {
    let reacts = touch::reacting(&event.input)?;
    if let Input::Text { at, .. } = event.input {
        return Some(before.tree.hit(at, reacts));
    }
    let hits = answer.hits.as_ref().filter(|hits| hits.tree == before.id || before.hash != 0)?;
    let &(_, window, node) = hits.hits.iter().find(|(primitive, ..)| *primitive == 0)?;
    let Some(window) = before.window(window) else { return Some(Hit::Nothing) };
    let Some(node) = node.checked_sub(1).and_then(|node| before.node(node)) else {
        return Some(Hit::Window(window));
    };
    let tree = &before.tree;
    Some(match tree.ancestors(node).find(|&node| tree.widget(node).flags.intersects(reacts)) {
        Some(node) if tree.widget(node).flags.contains(crate::gui::Flags::ENABLED) => {
            Hit::Widget(window, node)
        }
        Some(_) | None => Hit::Window(window),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_refused_tells_of_a_lost_phone_and_the_agents_socket_of_a_dead_agent() {
        let serial = Serial::new("phone").expect("a serial");
        let refused =
            |service: &str| AdbError::Refused { service: service.to_owned(), reason: "closed".to_owned() };
        let told = |error: &AdbError| told_of(&serial, error);
        assert!(matches!(told(&refused("shell,v2:am kill org.example")), DeviceError::Gone(_)));
        assert!(matches!(told(&refused("localabstract:siamang-1")), DeviceError::AgentDied(_)));
        assert!(matches!(told(&AdbError::Broken("reset".to_owned())), DeviceError::Transient(_)));
    }
}
