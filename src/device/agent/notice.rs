//! What an agent tells by itself: HELLO and events (sections 3 and 6 of the protocol).

use smol_str::SmolStr;

use super::frame::{Frame, Kind};
use super::values::{Malformed, Reader, Writer};

const MAGIC: u32 = 0x5349_414D;

mod op {
    pub(super) const HELLO: u8 = 1;
    pub(super) const CRASH: u8 = 64;
    pub(super) const ANR: u8 = 65;
    pub(super) const EXIT: u8 = 66;
    pub(super) const ACTIVITY: u8 = 67;
    pub(super) const TOAST: u8 = 68;
    pub(super) const EXTERNAL_INTENT: u8 = 69;
    pub(super) const WINDOWS: u8 = 70;
    pub(super) const WARN: u8 = 71;
}

/// Bits of [`Hello::caps`].
pub mod cap {
    #![expect(missing_docs, reason = "the names are the protocol's, which says what they mean")]
    pub const ALL_WINDOWS: u32 = 0;
    pub const INPUT: u32 = 1;
    pub const CONTROLLER: u32 = 2;
    pub const LOGCAT: u32 = 3;
    pub const ROTATION: u32 = 4;
    pub const START_STOP: u32 = 5;
    pub const CLEAR: u32 = 6;
    pub const GRANT: u32 = 7;
    pub const SCREENSHOT: u32 = 8;
    pub const TOASTS: u32 = 9;
    pub const PASTE: u32 = 10;
    pub const NODE_ACTIONS: u32 = 11;
    pub const COVERAGE: u32 = 12;
    pub const CALLBACKS: u32 = 13;
    pub const STAND_INS: u32 = 14;
    pub const SNAPSHOTS: u32 = 15;
    pub const SCREEN: u32 = 16;
    pub const HIT: u32 = 17;
    pub const VIRTUAL_TIME: u32 = 18;
    /// The bits in words, lowest first.
    pub const WORDS: [&str; 19] = [
        "all windows",
        "input",
        "activity controller",
        "logcat",
        "rotation",
        "start and stop",
        "clear",
        "grant",
        "screenshot",
        "toasts",
        "paste",
        "node actions",
        "coverage",
        "callbacks",
        "intent stand-ins",
        "snapshots",
        "screen and keyguard",
        "hit node",
        "virtual time",
    ];
}

/// How an agent introduces itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The agent's version.
    pub version: (u64, u64),
    /// Which build of the agent.
    pub build: SmolStr,
    /// 1 device, 2 JVM.
    pub backend: u8,
    /// Android's API level.
    pub sdk: u32,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// In dots per inch.
    pub density: u32,
    /// How the screen is turned.
    pub rotation: u8,
    /// Bits of [`cap`].
    pub caps: u64,
    /// Chosen by the agent.
    pub nonce: [u8; 16],
}

impl Hello {
    /// It has this capability of [`cap`].
    pub fn has(&self, bit: u32) -> bool {
        self.caps >> bit & 1 == 1
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the protocol's, which says what they mean")]
pub enum Notice {
    /// The first frame of a connection.
    Hello(Hello),
    /// A process crashed.
    Crash {
        process: SmolStr,
        pid: u32,
        native: bool,
        short: String,
        long: String,
        stack: String,
        source: u8,
        wall_ms: u64,
    },
    /// A process does not respond.
    Anr { process: SmolStr, pid: u32, reason: String, source: u8 },
    /// A process ended by itself.
    Exit { process: SmolStr, pid: u32, reason: String },
    /// An activity starts (1) or resumes (2).
    Activity { what: u8, package: SmolStr, component: SmolStr },
    /// A short message.
    Toast { package: SmolStr, text: SmolStr },
    /// The app wants another app to do something.
    ExternalIntent { action: SmolStr, data: SmolStr, component: SmolStr },
    /// Windows changed, so often since the last such event.
    Windows(u64),
    /// Trouble that is not the app's.
    Warn { what: String, why: String },
    /// A newer agent's event.
    Unknown(u8),
}

/// An event with its place in the order of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noticed {
    /// From 1, without gaps but for drops; HELLO has 0.
    pub seq: u64,
    /// The device's clock.
    pub uptime_ms: u64,
    /// What happened.
    pub notice: Notice,
}

impl Noticed {
    /// The event as a frame.
    pub fn frame(&self) -> Frame {
        let mut out = Writer::default();
        out.uv(self.seq).uv(self.uptime_ms);
        let op = self.notice.write(&mut out);
        Frame { kind: Kind::Event, op, id: 0, payload: out.into_bytes() }
    }

    /// Reads an event.
    pub fn read(frame: &Frame) -> Result<Self, Malformed> {
        let mut from = Reader::new(&frame.payload);
        let (seq, uptime_ms) = (from.uv()?, from.uv()?);
        let notice = Notice::read(frame.op, &mut from)?;
        Ok(Self { seq, uptime_ms, notice })
    }
}

impl Notice {
    fn write(&self, out: &mut Writer) -> u8 {
        match self {
            Self::Hello(hello) => {
                out.u32(MAGIC).uv(hello.version.0).uv(hello.version.1).str(&hello.build).u8(hello.backend);
                out.uv(hello.sdk.into()).uv(hello.width.into()).uv(hello.height.into());
                out.uv(hello.density.into()).u8(hello.rotation).uv(hello.caps).raw(&hello.nonce);
                op::HELLO
            }
            Self::Crash { process, pid, native, short, long, stack, source, wall_ms } => {
                out.str(process).uv((*pid).into()).bool(*native).str(short).str(long).str(stack);
                out.u8(*source).uv(*wall_ms);
                op::CRASH
            }
            Self::Anr { process, pid, reason, source } => {
                out.str(process).uv((*pid).into()).str(reason).u8(*source);
                op::ANR
            }
            Self::Exit { process, pid, reason } => {
                out.str(process).uv((*pid).into()).str(reason);
                op::EXIT
            }
            Self::Activity { what, package, component } => {
                out.u8(*what).str(package).str(component);
                op::ACTIVITY
            }
            Self::Toast { package, text } => {
                out.str(package).str(text);
                op::TOAST
            }
            Self::ExternalIntent { action, data, component } => {
                out.str(action).str(data).str(component);
                op::EXTERNAL_INTENT
            }
            Self::Windows(changes) => {
                out.uv(*changes);
                op::WINDOWS
            }
            Self::Warn { what, why } => {
                out.str(what).str(why);
                op::WARN
            }
            Self::Unknown(op) => *op,
        }
    }

    fn read(op: u8, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match op {
            op::HELLO => {
                let magic = from.u32()?;
                if magic != MAGIC {
                    return Err(Malformed(format!("{magic:08x} is not an agent's greeting")));
                }
                Self::Hello(Hello {
                    version: (from.uv()?, from.uv()?),
                    build: from.text()?,
                    backend: from.u8()?,
                    sdk: from.uv32()?,
                    width: from.uv32()?,
                    height: from.uv32()?,
                    density: from.uv32()?,
                    rotation: from.u8()?,
                    caps: from.uv()?,
                    nonce: from.array()?,
                })
            }
            op::CRASH => Self::Crash {
                process: from.text()?,
                pid: from.uv32()?,
                native: from.bool()?,
                short: from.str()?.to_owned(),
                long: from.str()?.to_owned(),
                stack: from.str()?.to_owned(),
                source: from.u8()?,
                wall_ms: from.uv()?,
            },
            op::ANR => Self::Anr {
                process: from.text()?,
                pid: from.uv32()?,
                reason: from.str()?.to_owned(),
                source: from.u8()?,
            },
            op::EXIT => {
                Self::Exit { process: from.text()?, pid: from.uv32()?, reason: from.str()?.to_owned() }
            }
            op::ACTIVITY => {
                Self::Activity { what: from.u8()?, package: from.text()?, component: from.text()? }
            }
            op::TOAST => Self::Toast { package: from.text()?, text: from.text()? },
            op::EXTERNAL_INTENT => {
                Self::ExternalIntent { action: from.text()?, data: from.text()?, component: from.text()? }
            }
            op::WINDOWS => Self::Windows(from.uv()?),
            op::WARN => Self::Warn { what: from.str()?.to_owned(), why: from.str()?.to_owned() },
            other => Self::Unknown(other),
        })
    }
}
