//! The smart-socket protocol of an adb server: what `adb_client` lacks. Every call has a deadline.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::names::{Serial, ShellLine};
use super::shell::{self, Output, ShellStream};

/// Where adb servers listen unless they are told otherwise.
pub const DEFAULT_SERVER: &str = "127.0.0.1:5037";
/// A list of devices is never longer.
const MAX_TEXT: usize = 0xffff;

/// How long each sort of call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Reaching the server and being answered by it.
    pub server: Duration,
    /// A short shell command.
    pub shell: Duration,
    /// Sending a file.
    pub push: Duration,
    /// Installing an app.
    pub install: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            server: Duration::from_secs(5),
            shell: Duration::from_secs(10),
            push: Duration::from_secs(60),
            install: Duration::from_secs(180),
        }
    }
}

/// Why adb did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum AdbError {
    /// Nobody listens where the server should be.
    #[error("no adb server at {address}: {reason}")]
    NoServer {
        /// Where.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The server knows no such device.
    #[error("there is no device `{0}`")]
    NoDevice(Serial),
    /// The device is there and does not answer.
    #[error("the device is offline: {0}")]
    Offline(String),
    /// The device waits for somebody to allow debugging.
    #[error("the device does not allow debugging from this computer: {0}")]
    Unauthorized(String),
    /// The server or the device refused.
    #[error("adb refused `{service}`: {reason}")]
    Refused {
        /// What was asked.
        service: String,
        /// What it said.
        reason: String,
    },
    /// It took too long.
    #[error("adb did not answer `{0}` within {1:?}")]
    Late(String, Duration),
    /// The connection broke.
    #[error("the connection to adb broke: {0}")]
    Broken(String),
    /// A command on the device ended badly.
    #[error("`{line}` ended with {code}: {said}")]
    Failed {
        /// The command.
        line: String,
        /// Its exit code.
        code: u8,
        /// What it said, in one line.
        said: String,
    },
}

impl From<std::io::Error> for AdbError {
    fn from(error: std::io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// An adb server. Its copies share what they know of its devices.
#[derive(Clone, Debug)]
pub struct Server {
    address: String,
    deadlines: Deadlines,
    /// Which devices speak the second version of the shell protocol.
    packets: Arc<Mutex<BTreeMap<Serial, bool>>>,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

impl Server {
    /// The server at `HOST:PORT`.
    pub fn new(address: &str, deadlines: Deadlines) -> Self {
        Self { address: address.to_owned(), deadlines, packets: Arc::default() }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How long its calls may take.
    pub fn deadlines(&self) -> &Deadlines {
        &self.deadlines
    }

    /// The server's version, such as 41.
    pub async fn version(&self) -> Result<u32, AdbError> {
        let text = self.ask("host:version").await?;
        u32::from_str_radix(text.trim(), 16).map_err(|_| AdbError::Broken(format!("version `{text}`")))
    }

    /// The devices that it knows.
    pub async fn devices(&self) -> Result<Vec<Listed>, AdbError> {
        Ok(Listed::all(&self.ask("host:devices-l").await?))
    }

    /// Asks the server to connect again to devices that are offline.
    pub async fn reconnect_offline(&self) -> Result<(), AdbError> {
        self.ask("host:reconnect-offline").await.map(drop)
    }

    /// Follows the devices as they come and go.
    pub async fn track(&self) -> Result<Tracker, AdbError> {
        let stream =
            self.within(self.deadlines.server, "host:track-devices", self.open_host("host:track-devices"));
        Ok(Tracker { stream: stream.await? })
    }

    /// A stream to a service of a device, such as `localabstract:NAME`.
    pub async fn open(&self, serial: &Serial, service: &str) -> Result<TcpStream, AdbError> {
        self.within(self.deadlines.server, service, self.open_device(serial, service)).await
    }

    /// Runs a command on a device and waits for its end. The exit code is in the output.
    pub async fn run(&self, serial: &Serial, line: &ShellLine) -> Result<Output, AdbError> {
        let run = async { self.shell(serial, line).await?.wait().await };
        self.within(self.deadlines.shell, line.as_str(), run).await
    }

    /// Runs a command that must end well; what it printed.
    pub async fn must(&self, serial: &Serial, line: &ShellLine) -> Result<String, AdbError> {
        let output = self.run(serial, line).await?;
        output.into_text(line)
    }

    /// Starts a command on a device; its streams stay open.
    pub async fn shell(&self, serial: &Serial, line: &ShellLine) -> Result<ShellStream, AdbError> {
        let known = self.packets.lock().unwrap_or_else(PoisonError::into_inner).get(serial).copied();
        let packets = match known {
            Some(packets) => packets,
            None => self.features(serial).await?,
        };
        match self.open(serial, &shell::service(line, packets)).await {
            Ok(stream) => Ok(ShellStream::new(stream, packets)),
            Err(error) => {
                // Another phone may be there by the same name.
                self.packets.lock().unwrap_or_else(PoisonError::into_inner).remove(serial);
                Err(error)
            }
        }
    }

    /// Whether a device speaks the second version of the shell protocol: those from Android 7 on do.
    async fn features(&self, serial: &Serial) -> Result<bool, AdbError> {
        let asked = self.ask(&format!("host-serial:{serial}:features")).await;
        let features = asked.map_err(|error| of_device(error, serial))?;
        let packets = features.split(',').any(|feature| feature.trim() == "shell_v2");
        self.packets.lock().unwrap_or_else(PoisonError::into_inner).insert(serial.clone(), packets);
        Ok(packets)
    }

    /// Everything that a command prints, as bytes and without an exit code.
    pub async fn exec(&self, serial: &Serial, line: &ShellLine) -> Result<Vec<u8>, AdbError> {
        let run = async {
            let mut stream = self.open_device(serial, &format!("exec:{line}")).await?;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await?;
            Ok(bytes)
        };
        self.within(self.deadlines.shell, line.as_str(), run).await
    }

    /// Waits for something of this server at most so long.
    pub async fn within<T>(
        &self,
        deadline: Duration,
        what: &str,
        run: impl Future<Output = Result<T, AdbError>>,
    ) -> Result<T, AdbError> {
        let late = || AdbError::Late(what.chars().take(60).collect(), deadline);
        timeout(deadline, run).await.unwrap_or_else(|_| Err(late()))
    }

    async fn ask(&self, service: &str) -> Result<String, AdbError> {
        let run = async {
            let mut stream = self.open_host(service).await?;
            read_text(&mut stream).await
        };
        self.within(self.deadlines.server, service, run).await
    }

    async fn open_host(&self, service: &str) -> Result<TcpStream, AdbError> {
        let no_server = |error: std::io::Error| AdbError::NoServer {
            address: self.address.clone(),
            reason: error.to_string(),
        };
        let mut stream = TcpStream::connect(&self.address).await.map_err(no_server)?;
        stream.set_nodelay(true)?;
        request(&mut stream, service).await?;
        Ok(stream)
    }

    async fn open_device(&self, serial: &Serial, service: &str) -> Result<TcpStream, AdbError> {
        let transport = format!("host:transport:{serial}");
        let mut stream = self.open_host(&transport).await.map_err(|error| of_device(error, serial))?;
        request(&mut stream, service).await.map_err(|error| of_device(error, serial))?;
        Ok(stream)
    }
}

/// What the server's words about a device mean. This is the only place that reads them.
fn of_device(error: AdbError, serial: &Serial) -> AdbError {
    let AdbError::Refused { reason, service } = error else { return error };
    if reason.contains("not found") {
        AdbError::NoDevice(serial.clone())
    } else if reason.contains("unauthorized") || reason.contains("authorizing") {
        AdbError::Unauthorized(reason)
    } else if reason.contains("offline") {
        AdbError::Offline(reason)
    } else {
        AdbError::Refused { service, reason }
    }
}

async fn request(stream: &mut TcpStream, service: &str) -> Result<(), AdbError> {
    let message = format!("{:04x}{service}", service.len());
    stream.write_all(message.as_bytes()).await?;
    let mut status = [0; 4];
    stream.read_exact(&mut status).await?;
    match &status {
        b"OKAY" => Ok(()),
        b"FAIL" => {
            let reason = read_text(stream).await?.trim().to_owned();
            Err(AdbError::Refused { service: service.chars().take(60).collect(), reason })
        }
        other => Err(AdbError::Broken(format!("`{}` is no answer of adb", other.escape_ascii()))),
    }
}

async fn read_text(stream: &mut TcpStream) -> Result<String, AdbError> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).await?;
    let digits = std::str::from_utf8(&length).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
    let length = digits.filter(|&length| length <= MAX_TEXT);
    let length = length.ok_or_else(|| AdbError::Broken("a length that is none".into()))?;
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// One line of the server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The serial.
    pub serial: String,
    /// In what state it is.
    pub state: State,
    /// The model, where the server says it.
    pub model: String,
}

/// In what state a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Ready.
    Device,
    /// There, but silent.
    Offline,
    /// Somebody has to allow debugging.
    Unauthorized,
    /// Anything else, in adb's word.
    Other(String),
}

impl State {
    fn of(word: &str) -> Self {
        match word {
            "device" => Self::Device,
            "offline" => Self::Offline,
            "unauthorized" | "authorizing" => Self::Unauthorized,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "ready",
            Self::Offline => "offline",
            Self::Unauthorized => "unauthorized",
            Self::Other(word) => word,
        })
    }
}

impl Listed {
    fn all(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::of).collect()
    }

    fn of(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let serial = words.next()?.to_owned();
        let state = match words.next()? {
            // "no permissions (user … is not in the plugdev group); see […]"
            "no" => State::Other("no permissions".into()),
            word => State::of(word),
        };
        let model = words.find_map(|word| word.strip_prefix("model:")).unwrap_or_default().replace('_', " ");
        Some(Self { serial, state, model })
    }
}

/// Follows the devices of a server.
#[derive(Debug)]
pub struct Tracker {
    stream: TcpStream,
}

impl Tracker {
    /// Waits for the next change: all devices that are there then. A device that is gone is not in the list.
    pub async fn next(&mut self) -> Result<Vec<Listed>, AdbError> {
        Ok(Listed::all(&read_text(&mut self.stream).await?))
    }

    /// Waits until a device is ready, at most so long. Whether it is.
    pub async fn wait_for(&mut self, serial: &Serial, patience: Duration) -> Result<bool, AdbError> {
        let there = async {
            loop {
                let ready =
                    |listed: &Listed| listed.serial == serial.as_str() && listed.state == State::Device;
                if self.next().await?.iter().any(ready) {
                    return Ok(true);
                }
            }
        };
        timeout(patience, there).await.unwrap_or(Ok(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_list_is_read_in_all_its_states() {
        let text = "emulator-5554          device product:sdk_gphone model:sdk_gphone64 device:emu transport_id:1\n\
                    0123456789ABCDEF       unauthorized usb:1-1 transport_id:2\n\
                    192.168.0.7:5555       offline product:x model:Pixel_7 transport_id:3\n\
                    XYZ                    no permissions (user u is not in the plugdev group); see [http://x]\n\n";
        let lines: Vec<String> = Listed::all(text)
            .iter()
            .map(|listed| format!("{} {} {}", listed.serial, listed.state, listed.model))
            .collect();
        assert_eq!(
            lines,
            [
                "emulator-5554 ready sdk gphone64",
                "0123456789ABCDEF unauthorized ",
                "192.168.0.7:5555 offline Pixel 7",
                "XYZ no permissions "
            ]
        );
    }
}
