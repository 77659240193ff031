//! The way to an agent and back to it: the device, its start, the agent's process, the session.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::Instant;

use super::super::names::ShellLine;
use super::super::process::Process;
use super::super::server;
use super::super::wire::AdbError;
use super::{AGENT_SOCKET, Link, Worker};
use crate::device::DeviceError;
use crate::device::agent::request::{Config, config};
use crate::device::agent::{Session, Token};

const RETRY: Duration = Duration::from_millis(50);
/// How often a phone that boots is asked whether it is done.
const BOOT_RETRY: Duration = Duration::from_millis(500);
/// A phone that is away for longer than this is spoken of.
const SILENCE: Duration = Duration::from_secs(2);
/// A socket that refuses while the process seems alive is tried again this long: the server may have lost it.
const CLOSED_PATIENCE: Duration = Duration::from_secs(2);

impl Worker {
    /// Starts an agent, unless one runs.
    pub(super) async fn connect(&mut self) -> Result<(), DeviceError> {
        if self.link.is_some() {
            return Ok(());
        }
        self.sight = None;
        self.there(self.config.patience).await?;
        self.booted().await?;
        let token = Token::fresh().map_err(|error| DeviceError::Protocol(error.to_string()))?;
        let start = Process::start(&self.server, &self.serial, &self.config.jar, &token, &self.journals);
        let process = start.await.map_err(|error| self.start_error(error))?;
        let stream = self.socket(&process).await.map_err(|error| self.device_error(&error))?;
        let session = Session::open(stream, &token, self.config.timing).await?;
        self.link = Some(Link { session, process });
        let mut flags = config::ANIMATIONS_OFF | config::STAY_AWAKE;
        if self.config.clear {
            flags |= config::ALLOW_CLEAR;
        }
        let package = self.config.package.as_str().into();
        let config = Config { flags, package, ..Config::default() };
        if let Err(error) = self.link()?.session.configure(config).await {
            // An agent that does not know the app or what is allowed is of no use, and the next one needs its place. What
            // it leaves is in the journal.
            let _ = self.close().await;
            return Err(error.into());
        }
        Ok(())
    }

    /// Waits until the system of a phone that is started anew is there: adb answers long before.
    async fn booted(&self) -> Result<(), DeviceError> {
        let line = ShellLine::new("getprop sys.boot_completed");
        let until = Instant::now() + self.config.boot;
        loop {
            match self.server.must(&self.serial, &line).await {
                Ok(said) if said.trim() == "1" => return Ok(()),
                Ok(_) if Instant::now() >= until => {
                    let why = format!("{} has not finished booting", self.serial);
                    return Err(DeviceError::Gone(why));
                }
                Ok(_) => tokio::time::sleep(BOOT_RETRY).await,
                Err(error) => return Err(self.device_error(&error)),
            }
        }
    }

    async fn socket(&self, process: &Process) -> Result<TcpStream, AdbError> {
        self.server.open(&self.serial, &format!("{AGENT_SOCKET}{}", process.socket)).await
    }

    /// Goes on with the session on a new stream. The ladder: the socket again; the adb server again; the device again;
    /// then the agent is given up, and the next reset starts another.
    pub(super) async fn resume(&mut self) -> Result<(), DeviceError> {
        let Link { session, process } = self
            .link
            .take()
            .ok_or_else(|| DeviceError::AgentDied("there is no session to go on with".into()))?;
        let mut thread = session.into_thread();
        // Should nobody be found again, what was told is kept all the same.
        self.told.extend(thread.take_notices());
        let until = Instant::now() + self.config.resume;
        let mut closed_since = None;
        let mut last = String::from("time is up");
        while Instant::now() < until && !self.is_leaving() {
            if let Some(why) = process.ended() {
                return Err(DeviceError::AgentDied(why));
            }
            match self.socket(&process).await {
                Ok(stream) => match Session::resume(stream, thread.clone(), self.config.timing).await {
                    Ok(session) => {
                        self.link = Some(Link { session, process });
                        return Ok(());
                    }
                    Err(error) if error.is_cut() => last = error.to_string(),
                    Err(error) => return Err(error.into()),
                },
                Err(AdbError::Refused { reason, .. }) => {
                    let since = *closed_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > CLOSED_PATIENCE {
                        return Err(DeviceError::AgentDied(format!("nobody listens any more ({reason})")));
                    }
                }
                Err(_) => {
                    closed_since = None;
                    let left = until.saturating_duration_since(Instant::now());
                    self.there(left).await?;
                }
            }
            tokio::time::sleep(RETRY).await;
        }
        Err(DeviceError::AgentDied(last))
    }

    /// Waits until the device is ready: starts the server, asks for devices that are offline, and follows the list.
    async fn there(&self, patience: Duration) -> Result<(), DeviceError> {
        let (until, speaks) = (Instant::now() + patience, Instant::now() + SILENCE);
        let mut last = DeviceError::Gone(format!("{} is not there", self.serial));
        let mut is_told = false;
        loop {
            match self.ready().await {
                Ok(()) => return Ok(()),
                Err(AdbError::NoServer { .. }) => {
                    if let Err(error) = server::start(self.server.address()).await {
                        last = DeviceError::Gone(error.to_string());
                    }
                }
                Err(error) => {
                    if matches!(error, AdbError::Offline(_)) {
                        let _ = self.server.reconnect_offline().await;
                    }
                    last = self.device_error(&error);
                    let left = until.saturating_duration_since(Instant::now()).min(Duration::from_secs(1));
                    if let Ok(mut tracker) = self.server.track().await {
                        let _ = tracker.wait_for(&self.serial, left).await;
                    }
                }
            }
            if Instant::now() >= until || self.is_leaving() {
                return Err(last);
            }
            if Instant::now() >= speaks && !is_told {
                is_told = true;
                tracing::warn!("{last}; it is waited for, up to {} s", patience.as_secs());
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn ready(&self) -> Result<(), AdbError> {
        use super::super::wire::State;
        let devices = self.server.devices().await?;
        match devices.iter().find(|listed| listed.serial == self.serial.as_str()).map(|listed| &listed.state)
        {
            Some(State::Device) => Ok(()),
            Some(State::Unauthorized) => Err(AdbError::Unauthorized(self.serial.to_string())),
            Some(state) => Err(AdbError::Offline(format!("{} is {state}", self.serial))),
            None => Err(AdbError::NoDevice(self.serial.clone())),
        }
    }

    /// The agent is of no use any more; its end is its own business.
    pub(super) fn lose(&mut self) {
        if let Some(mut link) = self.link.take() {
            self.told.extend(link.session.take_notices());
        }
    }
}
