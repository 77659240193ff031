//! Finding an adb server, and starting one where there is none.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::wire::{AdbError, Deadlines, Server};

/// The oldest adb whose shell tells exit codes: version 1.0.36 of Android 7's tools.
pub const OLDEST: u32 = 36;
const START: Duration = Duration::from_secs(15);

/// Why there is no usable adb server.
#[derive(Debug, thiserror::Error)]
pub enum NoServer {
    /// The program is not there.
    #[error("adb is not installed")]
    NoProgram,
    /// It does not start a server.
    #[error("adb does not start a server at {0}: {1}")]
    NotStarted(String, String),
    /// A server on another computer does not answer.
    #[error("no adb server answers at {0}: {1}")]
    Far(String, String),
    /// It is too old.
    #[error("adb at {0} has version 1.0.{1}; siamang needs 1.0.{OLDEST} or newer")]
    Old(String, u32),
    /// It says something else.
    #[error(transparent)]
    Adb(#[from] AdbError),
}

impl NoServer {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoProgram => "install it (Debian: apt install adb; others: Android's platform tools) and put it on the PATH".into(),
            Self::NotStarted(address, _) => format!("see what `adb -P {} start-server` says", port(address)),
            Self::Far(address, _) => {
                format!("on that computer run `adb -a -P {} nodaemon server`, or check --adb-server", port(address))
            }
            Self::Old(..) => "install a newer adb (Android's platform tools) and run `adb kill-server`".into(),
            Self::Adb(AdbError::Broken(_)) => {
                "something else may listen there: check --adb-server, or run `adb kill-server` and try again".into()
            }
            Self::Adb(_) => "run `adb kill-server` and try again".into(),
        }
    }
}

fn port(address: &str) -> &str {
    address.rsplit_once(':').map_or("5037", |(_, port)| port)
}

fn is_near(address: &str) -> bool {
    address.rsplit_once(':').is_some_and(|(host, _)| matches!(host, "127.0.0.1" | "localhost"))
}

/// Where the server is by default: what `ANDROID_ADB_SERVER_PORT` says, else adb's usual place.
pub fn usual_address() -> String {
    let port = std::env::var("ANDROID_ADB_SERVER_PORT").ok().and_then(|port| port.parse::<u16>().ok());
    port.map_or_else(|| super::wire::DEFAULT_SERVER.to_owned(), |port| format!("127.0.0.1:{port}"))
}

/// A server that answers and is not too old; one on this computer is started if need be.
pub async fn find(address: &str, deadlines: Deadlines) -> Result<Server, NoServer> {
    let server = Server::new(address, deadlines);
    let version = match server.version().await {
        Err(AdbError::NoServer { .. }) => {
            start(address).await?;
            if address != usual_address() {
                // Perhaps the address was mistyped; then no phone would be found, and nobody would know why.
                tracing::warn!("no adb server was running at {address}; one was started there");
            }
            server.version().await?
        }
        other => other?,
    };
    if version < OLDEST { Err(NoServer::Old(address.to_owned(), version)) } else { Ok(server) }
}

/// Starts a server on this computer.
pub async fn start(address: &str) -> Result<(), NoServer> {
    if !is_near(address) {
        return Err(NoServer::Far(address.to_owned(), "nobody listens there".into()));
    }
    let mut adb = Command::new("adb");
    adb.args(["-P", port(address), "start-server"]);
    adb.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let not_started = |reason: String| NoServer::NotStarted(address.to_owned(), reason);
    // The daemon keeps the standard error of its parent, so the end of the output is not waited for.
    let mut child = match adb.stderr(Stdio::null()).spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(NoServer::NoProgram),
        Err(error) => return Err(not_started(error.to_string())),
        Ok(child) => child,
    };
    match timeout(START, child.wait()).await {
        Err(_) => Err(not_started(format!("it took more than {START:?}"))),
        Ok(Err(error)) => Err(not_started(error.to_string())),
        Ok(Ok(status)) if !status.success() => Err(not_started(status.to_string())),
        Ok(Ok(_)) => Ok(()),
    }
}
