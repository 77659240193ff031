//! A conversation with an agent over any byte stream (sections 2, 3 and 7 of the protocol).

use std::fmt;
use std::time::Duration;

use hmac::{Hmac, Mac};
use rand::TryRng;
use sha2::Sha256;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use super::answer::{Answer, Granted, Refusal, Stamp, StepAnswer, code};
use super::frame::{FrameBuffer, Kind, MAX_FRAME};
use super::notice::{Hello, Notice, Noticed};
use super::request::{Auth, Config, Prefix, Request, VERSION};
use super::values::Malformed;
use crate::device::DeviceError;

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// For greeting and handshake.
    pub handshake: Duration,
    /// What a request may take on the device.
    pub deadline: Duration,
    /// How much longer than that the host waits for the answer.
    pub margin: Duration,
    /// How long the host stays silent before it says that it is there; an agent gives up after 30 s.
    pub ping_every: Duration,
    /// What an agent may take at the least to put everything back, however little a step may take.
    pub undo: Duration,
}

/// Changing settings and putting them back may take so many times what a step may.
const SETTINGS_DEADLINES: u32 = 3;
/// What an agent calls something that it could not put back.
const STAYS: &str = "not put back";

impl Default for Timing {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(5),
            deadline: Duration::from_secs(10),
            margin: Duration::from_secs(2),
            ping_every: Duration::from_secs(8),
            undo: Duration::from_secs(15),
        }
    }
}

/// The secret that host and agent share. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 16]);

impl Token {
    /// A token of these bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// A fresh token from the system's generator.
    pub fn fresh() -> std::io::Result<Self> {
        random().map(Self)
    }

    /// The line that the agent reads from its standard input.
    pub fn line(&self) -> String {
        hex(&self.0) + "\n"
    }

    /// What the host sends to prove that it knows the token.
    pub fn host_mac(&self, nonce: &[u8; 16], host_nonce: &[u8; 16]) -> [u8; 32] {
        self.mac([b"siamang host", nonce, host_nonce]).finalize().into_bytes().into()
    }

    /// What the agent sends.
    pub fn agent_mac(&self, nonce: &[u8; 16], host_nonce: &[u8; 16]) -> [u8; 32] {
        self.mac([b"siamang agent", host_nonce, nonce]).finalize().into_bytes().into()
    }

    fn mac(&self, parts: [&[u8]; 3]) -> Hmac<Sha256> {
        // A key of any length is allowed; a shorter one is padded.
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mut mac = <Hmac<Sha256> as hmac::digest::KeyInit>::new((&block).into());
        for part in parts {
            mac.update(part);
        }
        mac
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Bytes as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Why a conversation does not go on.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The stream ended or broke; the session can be resumed.
    #[error("the connection to the agent was cut: {0}")]
    Cut(String),
    /// Nothing came in time; the session can be resumed.
    #[error("the agent was silent for {0:?}")]
    Silent(Duration),
    /// The agent said no.
    #[error("the agent says {}: {}{}", name(.0.code), .0.message, in_brackets(&.0.detail))]
    Refused(Refusal),
    /// It is not an agent, or not one that we understand.
    #[error("{0}")]
    Malformed(#[from] Malformed),
    /// It does not know the token.
    #[error("what answers there does not know this session's token")]
    Impostor,
}

impl AgentError {
    /// The session lives on at the agent: a RESUME goes on where it was.
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Cut(_) | Self::Silent(_) | Self::Malformed(_))
    }

    /// The agent said no for this reason.
    pub fn is_refusal(&self, code: u64) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.code == code)
    }
}

impl From<std::io::Error> for AgentError {
    fn from(error: std::io::Error) -> Self {
        Self::Cut(error.to_string())
    }
}

impl From<AgentError> for DeviceError {
    fn from(error: AgentError) -> Self {
        let text = error.to_string();
        match error {
            AgentError::Cut(_) | AgentError::Silent(_) => Self::AgentDied(text),
            AgentError::Malformed(_) | AgentError::Impostor => Self::Protocol(text),
            AgentError::Refused(refusal) => match refusal.code {
                code::TIMEOUT | code::STALE | code::NO_ROOT | code::HUNG => Self::Transient(text),
                code::NOT_CONNECTED | code::BUSY | code::DEVICE_DEAD | code::NO_SESSION => {
                    Self::AgentDied(text)
                }
                code::APP_NOT_FOUND => Self::App(refusal.message),
                _ if refusal.retriable => Self::Transient(text),
                _ => Self::Protocol(text),
            },
        }
    }
}

fn name(code: u64) -> &'static str {
    const NAMES: [&str; 17] = [
        "TIMEOUT",
        "STALE",
        "NO_ROOT",
        "NOT_CONNECTED",
        "INJECT_DENIED",
        "APP_NOT_FOUND",
        "BUSY",
        "AUTH",
        "UNSUPPORTED",
        "INTERNAL",
        "DEVICE_DEAD",
        "VERSION",
        "MALFORMED",
        "LIMIT",
        "REFUSED",
        "NO_SESSION",
        "HUNG",
    ];
    let at = (code as usize).wrapping_sub(1);
    NAMES.get(at).copied().unwrap_or("an unknown error")
}

fn in_brackets(detail: &str) -> String {
    let first = detail.lines().next().unwrap_or_default();
    if first.is_empty() { String::new() } else { format!(" ({first})") }
}

/// What outlives a connection: with it a cut session is resumed.
#[derive(Clone, Debug)]
pub struct Thread {
    token: Token,
    session: u64,
    seen: u64,
    last_step: u64,
    next_step: u64,
    next_id: u32,
    notices: Vec<Noticed>,
    stamp: Stamp,
}

impl Thread {
    /// Takes what was told and not yet taken when the stream was cut.
    pub fn take_notices(&mut self) -> Vec<Noticed> {
        std::mem::take(&mut self.notices)
    }
}

/// A conversation. One request at a time; what the agent tells by itself is gathered until it is taken.
#[derive(Debug)]
pub struct Session<S> {
    stream: S,
    buffer: FrameBuffer,
    timing: Timing,
    hello: Hello,
    thread: Thread,
    spoke: Instant,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    /// Waits for the greeting and takes the session: both sides prove that they know the token.
    pub async fn open(stream: S, token: &Token, timing: Timing) -> Result<Self, AgentError> {
        let thread = Thread {
            token: token.clone(),
            session: 0,
            seen: 0,
            last_step: 0,
            next_step: 1,
            next_id: 1,
            notices: Vec::new(),
            stamp: Stamp::default(),
        };
        let (session, answer) = Self::greet(stream, thread, timing, Request::Auth).await?;
        match answer {
            Answer::Auth(granted) => Ok(session.granted(&granted)),
            other => Err(unexpected(&other)),
        }
    }

    /// Takes a cut session over on a new stream. The open request is then to be repeated: a step that was done is
    /// answered again and not done again.
    pub async fn resume(stream: S, thread: Thread, timing: Timing) -> Result<Self, AgentError> {
        let (number, last_step) = (thread.session, thread.last_step);
        let resume = |auth| Request::Resume { auth, session: number, last_step };
        let (session, answer) = Self::greet(stream, thread, timing, resume).await?;
        match answer {
            Answer::Resume { granted, .. } if granted.session == number => Ok(session.granted(&granted)),
            other => Err(unexpected(&other)),
        }
    }

    async fn greet(
        stream: S,
        thread: Thread,
        timing: Timing,
        make: impl FnOnce(Auth) -> Request,
    ) -> Result<(Self, Answer), AgentError> {
        let greeting = async {
            let mut stream = stream;
            let mut buffer = FrameBuffer::default();
            while buffer.waiting() == 0 {
                fill(&mut stream, &mut buffer).await?;
            }
            if buffer.take_byte() != Some(0) {
                return Err(Malformed("what answers there is no agent".into()).into());
            }
            let frame = loop {
                if let Some(frame) = buffer.take(MAX_FRAME)? {
                    break frame;
                }
                fill(&mut stream, &mut buffer).await?;
            };
            if frame.kind != Kind::Event {
                return Err(Malformed("the first frame is no greeting".into()).into());
            }
            let Notice::Hello(hello) = Noticed::read(&frame)?.notice else {
                return Err(Malformed("the first event is no greeting".into()).into());
            };
            if hello.version.0 != VERSION.0 {
                let (major, minor) = hello.version;
                let message = format!("the agent speaks version {major}.{minor}, this program {}", VERSION.0);
                let detail = "build the agent anew with scripts/build-agent".into();
                return Err(AgentError::Refused(Refusal {
                    code: code::VERSION,
                    retriable: false,
                    message,
                    detail,
                }));
            }
            let nonce = random()?;
            let mac = thread.token.host_mac(&hello.nonce, &nonce);
            let auth = Auth { version: VERSION, nonce, mac, max_frame: MAX_FRAME as u64 };
            let expected = thread.token.agent_mac(&hello.nonce, &nonce);
            let mut session = Self { stream, buffer, timing, hello, thread, spoke: Instant::now() };
            let answer = session.call(&make(auth), timing.handshake).await?;
            let (Answer::Auth(granted) | Answer::Resume { granted, .. }) = &answer else {
                return Err(unexpected(&answer));
            };
            // Compared whole: the time it takes says nothing about the token, which the other side should know anyway.
            if granted.agent_mac != expected {
                return Err(AgentError::Impostor);
            }
            Ok((session, answer))
        };
        timeout(timing.handshake + timing.margin, greeting)
            .await
            .unwrap_or(Err(AgentError::Silent(timing.handshake)))
    }

    fn granted(mut self, granted: &Granted) -> Self {
        self.thread.session = granted.session;
        self
    }

    /// How the agent introduced itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// The device's clock, as of the last answer.
    pub fn uptime_ms(&self) -> u64 {
        self.thread.stamp.uptime_ms
    }

    /// Takes what was told since the last call, in order.
    pub fn take_notices(&mut self) -> Vec<Noticed> {
        std::mem::take(&mut self.thread.notices)
    }

    /// A number for the next STEP or RESET. Repeating a request after a cut keeps its number.
    pub fn next_step(&mut self) -> u64 {
        let step = self.thread.next_step;
        self.thread.next_step += 1;
        step
    }

    /// Lets go of the stream and keeps what a RESUME needs.
    pub fn into_thread(self) -> Thread {
        self.thread
    }

    /// What a RESUME needs, should the stream be cut.
    pub fn thread(&self) -> Thread {
        self.thread.clone()
    }

    /// Asks and waits for the answer. A refusal is an error. While it waits, the agent hears now and then that the host
    /// is there.
    pub async fn call(&mut self, request: &Request, deadline: Duration) -> Result<Answer, AgentError> {
        let id = self.send(request, deadline).await?;
        let patience = deadline + self.timing.margin;
        let until = Instant::now() + patience;
        loop {
            let Some(frame) = self.buffer.take(MAX_FRAME)? else {
                let next = until.min(self.spoke + self.timing.ping_every);
                match timeout(next.duration_since(Instant::now()), fill(&mut self.stream, &mut self.buffer))
                    .await
                {
                    Ok(filled) => filled?,
                    Err(_) if Instant::now() >= until => return Err(AgentError::Silent(patience)),
                    Err(_) => {
                        self.send(&Request::Ping, self.timing.deadline).await?;
                    }
                }
                continue;
            };
            match frame.kind {
                Kind::Event => self.notice(Noticed::read(&frame)?),
                Kind::Request => return Err(Malformed("a request from the agent".into()).into()),
                Kind::Ok | Kind::Error if frame.id != id => {}
                Kind::Ok | Kind::Error => {
                    let (stamp, answer) = Answer::read(&frame)?;
                    self.thread.stamp = stamp;
                    self.thread.seen = self.thread.seen.max(stamp.last_seq);
                    return match answer {
                        Answer::Error(refusal) => Err(AgentError::Refused(refusal)),
                        answer if frame.op == request.op() => Ok(answer),
                        other => Err(unexpected(&other)),
                    };
                }
            }
        }
    }

    /// A STEP or RESET with its number from [`Session::next_step`].
    pub async fn step(&mut self, request: &Request, deadline: Duration) -> Result<StepAnswer, AgentError> {
        match self.call(request, deadline).await? {
            Answer::Step(answer) | Answer::Reset(answer) => {
                self.thread.last_step = self.thread.last_step.max(answer.step);
                Ok(*answer)
            }
            other => Err(unexpected(&other)),
        }
    }

    /// CONFIG: the flags in force. It changes settings one by one, for each of which an old phone starts a program.
    pub async fn configure(&mut self, config: Config) -> Result<u64, AgentError> {
        match self.call(&Request::Config(config), self.timing.deadline * SETTINGS_DEADLINES).await? {
            Answer::Config(flags) => Ok(flags),
            other => Err(unexpected(&other)),
        }
    }

    /// Says that the host is there. To be called when nothing else was asked for [`Timing::ping_every`].
    pub async fn ping(&mut self) -> Result<(), AgentError> {
        self.call(&Request::Ping, self.timing.margin).await.map(|_| ())
    }

    /// When the agent should hear of the host again.
    pub fn ping_due(&self) -> Instant {
        self.spoke + self.timing.ping_every
    }

    /// Lets the agent undo everything and end; what could not be undone, in its words.
    pub async fn bye(&mut self) -> Result<Vec<String>, AgentError> {
        let deadline = (self.timing.deadline * SETTINGS_DEADLINES).max(self.timing.undo);
        self.call(&Request::Bye, deadline).await?;
        let stays = |noticed: Noticed| match noticed.notice {
            Notice::Warn { what, why } if what == STAYS => Some(why),
            _ => None,
        };
        Ok(self.take_notices().into_iter().filter_map(stays).collect())
    }

    async fn send(&mut self, request: &Request, deadline: Duration) -> Result<u32, AgentError> {
        let id = self.thread.next_id;
        self.thread.next_id = self.thread.next_id.wrapping_add(1).max(1);
        let prefix = Prefix { deadline_ms: deadline.as_millis() as u64, seen: self.thread.seen };
        let bytes = request.frame(id, prefix).encode();
        let write = async {
            self.stream.write_all(&bytes).await?;
            self.stream.flush().await
        };
        match timeout(self.timing.deadline, write).await {
            Ok(written) => written?,
            Err(_) => return Err(AgentError::Silent(self.timing.deadline)),
        }
        self.spoke = Instant::now();
        Ok(id)
    }

    /// Keeps an event once: after a RESUME what was sent before may come again.
    fn notice(&mut self, noticed: Noticed) {
        if noticed.seq > self.thread.seen {
            self.thread.seen = noticed.seq;
            self.thread.notices.push(noticed);
        }
    }
}

fn unexpected(answer: &Answer) -> AgentError {
    let text = format!("{answer:?}");
    let start: String = text.chars().take(60).collect();
    Malformed(format!("an answer that was not asked for: {start}")).into()
}

/// Waits for more bytes. It can be given up at any time without losing one.
async fn fill<S: AsyncRead + Unpin>(stream: &mut S, buffer: &mut FrameBuffer) -> Result<(), AgentError> {
    match stream.read_buf(buffer.room()).await? {
        0 if buffer.waiting() > 0 => Err(AgentError::Cut("it ended within a frame".into())),
        0 => Err(AgentError::Cut("it ended".into())),
        _ => Ok(()),
    }
}
