//! The agent's process on a phone: sent, started, given its token, followed until it ends.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::jar::Jar;
use super::journal::{Entry, Journals};
use super::names::{RemotePath, Serial, ShellLine};
use super::setup;
use super::shell::{Piece, ShellStream};
use super::wire::{AdbError, Server};
use crate::device::agent::Token;
use crate::device::agent::answer::code;
use crate::device::agent::session::{hex, random};

/// How long `app_process` may take to start a virtual machine on a slow phone.
const START: Duration = Duration::from_secs(20);
/// An agent whose host vanished waits 20 s for a RESUME, or 30 s for a first word, then puts things back for at most 15 s.
const OLD_AGENT: Duration = Duration::from_secs(50);
/// A system that crashed and starts anew takes about so long, while the rest of the phone goes on.
const SYSTEM: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_millis(300);
/// What the agent on the phone has to put back; the same from run to run.
pub const REMOTE_JOURNAL: &str = "siamang.journal";
/// Lines of the agent that are kept for an error message.
const MAX_LINE: usize = 400;

/// Why no agent runs.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Adb did not do its part.
    #[error(transparent)]
    Adb(#[from] AdbError),
    /// The agent said why.
    #[error("the agent does not start: {message}")]
    Failed {
        /// A code of the protocol.
        code: u64,
        /// In its words.
        message: String,
    },
    /// It ended without a word that we know.
    #[error("the agent does not start: {0}")]
    Ended(String),
    /// Another run of this program is at work there.
    #[error("{}; wait for its end or choose another phone", .0.at_work())]
    Busy(Box<Entry>),
    /// This computer cannot write down what it puts on the phone.
    #[error("cannot write the journal of what is on the phone: {0}")]
    Journal(std::io::Error),
}

impl StartError {
    /// The system is not up yet, or it is just being started anew.
    fn is_booting(&self) -> bool {
        matches!(self, Self::Failed { code: code::UNSUPPORTED, message } if message.contains("has no service"))
    }

    /// Another program holds the connection for accessibility, of which a phone has one.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Failed { code, message }
            if *code == code::NOT_CONNECTED || *code == code::BUSY || message.contains("already registered"))
    }
}

/// An agent that runs.
#[derive(Debug)]
pub struct Process {
    /// The abstract socket on which it listens.
    pub socket: String,
    ended: watch::Receiver<Option<String>>,
}

impl Process {
    /// Sends the jar, starts it and waits until it listens. What is put on the phone is in the journal first.
    pub async fn start(
        server: &Server,
        serial: &Serial,
        jar: &Jar,
        token: &Token,
        journals: &Journals,
    ) -> Result<Self, StartError> {
        // Its record is what a later start undoes by; it must not be written over.
        let claimed = journals.claim(server.address(), serial).map_err(StartError::Journal)?;
        let mut entry = claimed.map_err(StartError::Busy)?;
        let until = Instant::now() + if entry.agent { OLD_AGENT } else { Duration::from_secs(2) };
        let booted = Instant::now() + SYSTEM;
        for path in entry.paths() {
            server.run(serial, &ShellLine::new("rm -f").program(&path)).await?;
        }
        loop {
            match Self::start_once(server, serial, jar, token, journals, &mut entry).await {
                Err(error)
                    if error.is_held() && Instant::now() < until
                        || error.is_booting() && Instant::now() < booted =>
                {
                    tokio::time::sleep(RETRY).await;
                }
                started => return started,
            }
        }
    }

    async fn start_once(
        server: &Server,
        serial: &Serial,
        jar: &Jar,
        token: &Token,
        journals: &Journals,
        entry: &mut Entry,
    ) -> Result<Self, StartError> {
        let number = hex(&random::<8>().map_err(StartError::Journal)?);
        let file = format!("siamang-{number}.jar");
        let path = RemotePath::new(&file).map_err(|error| StartError::Ended(error.to_string()))?;
        let journal =
            RemotePath::new(REMOTE_JOURNAL).map_err(|error| StartError::Ended(error.to_string()))?;
        let before = entry.agent;
        entry.forget_agents();
        entry.files.push(file);
        journals.write(entry).map_err(StartError::Journal)?;
        let sent = setup::push(server, serial, jar.bytes.clone(), &path).await;
        let started = match sent {
            Ok(()) => {
                entry.agent = true;
                journals.write(entry).map_err(StartError::Journal)?;
                listen(server, serial, &path, &journal, &number, token).await
            }
            Err(error) => Err(error.into()),
        };
        // The virtual machine has the file open by now; nothing of ours stays behind.
        server.run(serial, &ShellLine::new("rm -f").program(&path)).await?;
        entry.forget_agents();
        // One that says why it does not start has changed nothing; of one that is not heard of nobody knows.
        if matches!(started, Err(StartError::Failed { .. } | StartError::Ended(_))) {
            entry.agent = before;
        }
        journals.keep(entry).map_err(StartError::Journal)?;
        started
    }

    /// Why it ended, if it did.
    pub fn ended(&self) -> Option<String> {
        self.ended.borrow().clone()
    }

    /// Waits for its end, at most so long. Whether it ended.
    pub async fn wait(&mut self, patience: Duration) -> bool {
        timeout(patience, self.ended.wait_for(Option::is_some)).await.is_ok()
    }
}

async fn listen(
    server: &Server,
    serial: &Serial,
    jar: &RemotePath,
    journal: &RemotePath,
    number: &str,
    token: &Token,
) -> Result<Process, StartError> {
    server.must(serial, &ShellLine::new("chmod 0444").path(jar)).await?;
    let socket = format!("siamang_{number}");
    let line = ShellLine::agent(jar, number, journal);
    let mut shell = server.shell(serial, &line).await?;
    shell.write(token.line().as_bytes()).await?;
    let wait = server.within(START, "app_process", first_line(&mut shell));
    match wait.await? {
        Some(said) if said == format!("listening {socket}") => {}
        Some(said) => return Err(refused(&said)),
        None => return Err(StartError::Ended("it ended at once".into())),
    }
    let (tell, ended) = watch::channel(None);
    tokio::spawn(async move {
        let reason = follow(shell).await;
        tracing::debug!("the agent ended: {reason}");
        let _ = tell.send(Some(reason));
    });
    Ok(Process { socket, ended })
}

fn refused(said: &str) -> StartError {
    let failed = said.strip_prefix("failed ").and_then(|rest| rest.split_once(' '));
    match failed.and_then(|(code, message)| Some((code.parse().ok()?, message))) {
        Some((code, message)) => StartError::Failed { code, message: message.to_owned() },
        None => StartError::Ended(said.to_owned()),
    }
}

/// The first line on standard output; what else it says first is for the error, should it say nothing there.
async fn first_line(shell: &mut ShellStream) -> Result<Option<String>, AdbError> {
    let (mut said, mut noise) = (Vec::new(), Vec::new());
    while let Some(piece) = shell.next().await? {
        match piece {
            Piece::Stdout(bytes) => said.extend(bytes),
            Piece::Stderr(bytes) => noise.extend(bytes),
            Piece::Exit(_) => break,
        }
        while let Some(end) = said.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = said.drain(..=end).collect();
            // Old phones have one stream for everything, and their linkers like to warn.
            if !line.starts_with(b"WARNING: linker") {
                return Ok(Some(printable(&line)));
            }
            noise.extend(line);
        }
    }
    let rest = if said.is_empty() { noise } else { said };
    Ok((!rest.is_empty()).then(|| printable(&rest)))
}

fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_LINE)]).into_owned();
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Reads what the agent says until it ends. Its notes are for people who want to see more.
async fn follow(mut shell: ShellStream) -> String {
    loop {
        match shell.next().await {
            Ok(Some(Piece::Stdout(bytes) | Piece::Stderr(bytes))) => {
                tracing::debug!("agent: {}", printable(&bytes));
            }
            Ok(Some(Piece::Exit(code))) => return exit_text(code),
            // The adb server or the cable is gone: the agent may well live.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

/// What the agent's exit codes mean (section 8 of the protocol).
fn exit_text(code: u8) -> String {
    let text = match code {
        0 => "it was told to",
        2 => "it could not start",
        3 => "nobody resumed its session",
        4 => "nobody connected to it",
        5 => "five wrong tokens",
        6 => "the device hung",
        7 => "its socket failed",
        _ => return format!("exit code {code}"),
    };
    format!("{text} (exit code {code})")
}
