//! The seam behind which every phone, emulator and simulator stands.

#[cfg(feature = "adb")]
pub mod adb;
#[cfg(feature = "agent")]
pub mod agent;
#[cfg(feature = "jvm")]
pub mod jvm;
pub mod pool;
pub mod virtual_device;

use std::sync::Arc;

use smol_str::SmolStr;

use crate::action::Event;
use crate::gui::GuiTree;
use crate::gui::tree::Hit;
use crate::ids::BranchId;
use crate::oracle::Failure;

pub use virtual_device::VirtualDevice;

/// A device that runs one app.
///
/// Every call answers with everything the step changed; nothing is polled. A device is driven by one session at a
/// time, on that session's own thread.
pub trait Device {
    /// Does one event, lets the app settle and tells what is seen then.
    fn step(&mut self, event: &Event) -> impl Future<Output = Result<Observation, DeviceError>> + Send;

    /// Puts the app back to a known start, launches it and tells what is seen then.
    fn reset(&mut self, reset: Reset) -> impl Future<Output = Result<Observation, DeviceError>> + Send;

    /// Keeps a copy of the app's data as they are now, running or not, for [`Device::restore`]. Only where the device
    /// [has snapshots](Capabilities::snapshots).
    fn keep(&mut self) -> impl Future<Output = Result<Snapshot, DeviceError>> + Send {
        async { Err(Snapshot::none()) }
    }

    /// Puts the app back to data that this device has kept, launches it and tells what is seen then.
    fn restore(&mut self, kept: Snapshot) -> impl Future<Output = Result<Observation, DeviceError>> + Send {
        let _ = kept;
        async { Err(Snapshot::none()) }
    }

    /// The next reset begins as on a device that nobody has used: also what resets leave behind is gone then. It takes its
    /// time where a device [wears](Capabilities::wears), and does nothing elsewhere.
    fn renew(&mut self) {}

    /// What the screen looks like now, as PNG; nothing where the device does not draw.
    fn screenshot(&mut self) -> impl Future<Output = Result<Option<Vec<u8>>, DeviceError>> + Send {
        async { Ok(None) }
    }

    /// What this device can and cannot tell.
    fn capabilities(&self) -> &Capabilities;

    /// Undoes what was changed on the device.
    fn close(self) -> impl Future<Output = Result<(), DeviceError>> + Send;
}

/// To which start an app is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reset {
    /// The process is stopped and the app launched again; its data stays.
    Warm,
    /// As after a fresh installation.
    Clean,
}

/// An app's data as they were at one moment. Only the device that has kept them can put them back, so no trace begins with
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot(u32);

impl Snapshot {
    fn none() -> DeviceError {
        DeviceError::Protocol("this device keeps no snapshots of an app".into())
    }
}

/// What a device saw after an event or a reset.
#[derive(Clone, Debug)]
pub struct Observation {
    /// What is on the screen.
    pub tree: Arc<GuiTree>,
    /// Failures of the app since the last observation.
    pub failures: Vec<Failure>,
    /// The app's process is running.
    pub running: bool,
    /// What the event touched; absent where the device cannot tell or the event touches nothing.
    pub hit: Option<Hit>,
    /// The rules run (virtual) or callbacks entered (JVM), in order; absent where the device cannot tell.
    pub rules: Option<Vec<BranchId>>,
    /// The branches covered by the event; absent where the device cannot tell. On the virtual device every rule is
    /// a branch.
    pub coverage: Option<Vec<BranchId>>,
    /// Device time in milliseconds since the device was started.
    pub time_ms: u64,
    /// Trouble that is not the app's: a model's script that failed, a witness that fell silent.
    pub issues: Vec<String>,
    /// What the app has asked of other apps, in order, where something stood in for them.
    pub asked: Vec<Asked>,
}

/// An intent to another app, and how it was answered in that app's place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Asked {
    /// What is to be done.
    pub action: SmolStr,
    /// With what, as an address; may be empty.
    pub data: SmolStr,
    /// By whom, if the app has named somebody.
    pub component: SmolStr,
    /// What came back, in words.
    pub answer: SmolStr,
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [&self.action, &self.data, &self.component];
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            write!(f, "{part} ")?;
        }
        write!(f, "({})", self.answer)
    }
}

/// What a device can and cannot tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and no two belong together"
)]
pub struct Capabilities {
    /// The sort of device, as in reports: `virtual`, `adb`, `jvm`.
    pub kind: &'static str,
    /// The app's package.
    pub package: SmolStr,
    /// Equal events from an equal start give equal observations, always.
    pub deterministic: bool,
    /// The names of all branches, where they are known beforehand.
    pub branches: Vec<SmolStr>,
    /// The activities that the app declares.
    pub activities: Vec<SmolStr>,
    /// The addresses that the app is registered for.
    pub deep_links: Vec<SmolStr>,
    /// The app's data may be cleared: [`Reset::Clean`] is one. Else every start is as the app was found.
    pub clears: bool,
    /// Earlier runs can leave something behind that a reset does not reach and that the app may stumble over:
    /// [`Device::renew`] takes it away.
    pub wears: bool,
    /// The app's data can be kept and put back: [`Device::keep`] and [`Device::restore`].
    pub snapshots: bool,
}

/// How an issue begins that tells a failure of the device and not of the app.
pub const HOST_FAULT: &str = "host fault";

/// Where something was found, as reports say it, by [`Capabilities::kind`]. A substitute is called one: what it finds may be
/// its own doing.
pub fn place(kind: &str) -> &'static str {
    match kind {
        "virtual" => "a virtual device (an app model)",
        "jvm" => "a JVM device (Robolectric, API 34)",
        "adb" => "a phone",
        _ => "an unknown device",
    }
}

/// Why a device did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// Trying again may help.
    #[error("the device did not answer: {0}")]
    Transient(String),
    /// The device is not there any more.
    #[error("the device is gone: {0}")]
    Gone(String),
    /// The agent on the device died; it can be started again.
    #[error("the agent on the device died: {0}")]
    AgentDied(String),
    /// The device is all right, but the app does not start there.
    #[error("the app does not start: {0}")]
    App(String),
    /// The device did its part, but not all that was changed on it could be put back.
    #[error("not everything is as it was: {0}")]
    Left(String),
    /// Something beside the device keeps it from being used.
    #[error("the device cannot be used: {0}")]
    Unusable(String),
    /// The device said something that makes no sense.
    #[error("the device broke the protocol: {0}")]
    Protocol(String),
}

/// The closed set of devices: no boxed futures on the path that every step takes.
#[derive(Debug)]
pub enum AnyDevice {
    /// The embedded default: interprets an app model.
    Virtual(Box<VirtualDevice>),
    /// Runs an APK on a JVM.
    #[cfg(feature = "jvm")]
    Jvm(Box<jvm::JvmDevice>),
    /// A phone or an emulator.
    #[cfg(feature = "adb")]
    Adb(Box<adb::AdbDevice>),
}

impl AnyDevice {
    /// It is at the end of a cable: it can vanish and return.
    pub fn is_remote(&self) -> bool {
        self.capabilities().kind == "adb"
    }
}

impl Device for AnyDevice {
    async fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        match self {
            Self::Virtual(device) => device.step(event).await,
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.step(event).await,
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.step(event).await,
        }
    }

    async fn reset(&mut self, reset: Reset) -> Result<Observation, DeviceError> {
        match self {
            Self::Virtual(device) => device.reset(reset).await,
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.reset(reset).await,
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.reset(reset).await,
        }
    }

    async fn keep(&mut self) -> Result<Snapshot, DeviceError> {
        match self {
            Self::Virtual(device) => device.keep().await,
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.keep().await,
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.keep().await,
        }
    }

    async fn restore(&mut self, kept: Snapshot) -> Result<Observation, DeviceError> {
        match self {
            Self::Virtual(device) => device.restore(kept).await,
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.restore(kept).await,
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.restore(kept).await,
        }
    }

    fn renew(&mut self) {
        match self {
            Self::Virtual(device) => device.renew(),
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.renew(),
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.renew(),
        }
    }

    async fn screenshot(&mut self) -> Result<Option<Vec<u8>>, DeviceError> {
        match self {
            Self::Virtual(device) => device.screenshot().await,
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.screenshot().await,
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.screenshot().await,
        }
    }

    fn capabilities(&self) -> &Capabilities {
        match self {
            Self::Virtual(device) => device.capabilities(),
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.capabilities(),
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.capabilities(),
        }
    }

    async fn close(self) -> Result<(), DeviceError> {
        match self {
            Self::Virtual(device) => device.close().await,
            #[cfg(feature = "jvm")]
            Self::Jvm(device) => device.close().await,
            #[cfg(feature = "adb")]
            Self::Adb(device) => device.close().await,
        }
    }
}
