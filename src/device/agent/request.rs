//! What a host asks for (section 4 of the protocol).

use std::time::Duration;

use smol_str::SmolStr;

use super::frame::{Frame, Kind};
use super::values::{Malformed, Reader, Writer};

/// The numbers of the requests.
pub mod op {
    #![expect(missing_docs, reason = "the names are the protocol's, which says what they mean")]
    pub const AUTH: u8 = 2;
    pub const RESUME: u8 = 3;
    pub const PING: u8 = 4;
    pub const CONFIG: u8 = 5;
    pub const TREE: u8 = 6;
    pub const STEP: u8 = 8;
    pub const RESET: u8 = 9;
    pub const APP: u8 = 10;
    pub const TOP: u8 = 11;
    pub const SHOT: u8 = 12;
    pub const ROTATE: u8 = 13;
    pub const SCREEN: u8 = 14;
    pub const STAT: u8 = 16;
    pub const BYE: u8 = 17;
}

/// Bits of `want` in a step: which of its results are sent.
pub mod want {
    /// The tree.
    pub const TREE: u64 = 1;
    /// The tree, unless it is the one that the host knows.
    pub const TREE_IF_CHANGED: u64 = 2;
    /// A screenshot.
    pub const SHOT: u64 = 4;
}

/// Bits of CONFIG's flags.
pub mod config {
    /// Trees hold the views that accessibility leaves out, too.
    pub const NOT_IMPORTANT: u64 = 1;
    /// App data may be cleared.
    pub const ALLOW_CLEAR: u64 = 4;
    /// Animations are off while the agent runs.
    pub const ANIMATIONS_OFF: u64 = 8;
    /// The screen stays on while the agent runs.
    pub const STAY_AWAKE: u64 = 16;
    /// Activities that nobody sees are taken away at once, as with "Don't keep activities".
    pub const DROP_ACTIVITIES: u64 = 128;
}

/// The newest version of the protocol that this host speaks.
pub const VERSION: (u64, u64) = (1, 0);
const MAX_PRIMITIVES: usize = 64;
const MAX_POINTS: usize = 64;
const MAX_ARGUMENTS: usize = 8;
/// The longest that a primitive may take, in milliseconds.
pub const MAX_PRIMITIVE_MS: u32 = 60_000;
/// A rotation primitive with this value lets the screen turn by itself again.
pub const ROTATION_FREE: u8 = 4;

/// A request, without its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Takes the session.
    Auth(Auth),
    /// Takes the session over after a cut.
    Resume {
        /// As in AUTH.
        auth: Auth,
        /// Which session.
        session: u64,
        /// The newest step that the host has an answer for; 0 is none.
        last_step: u64,
    },
    /// Are you there?
    Ping,
    /// How the agent works from now on.
    Config(Config),
    /// The tree now.
    Tree {
        /// The hash of the tree that the host has.
        known: u64,
    },
    /// Do something, let the app settle, say what is seen.
    Step {
        /// Grows with every step and reset of a session.
        step: u64,
        /// What is done.
        primitives: Vec<Primitive>,
        /// How long is waited.
        look: Look,
    },
    /// Put the app back to a start and launch it.
    Reset {
        /// Grows with every step and reset of a session.
        step: u64,
        /// To which start.
        mode: ResetMode,
        /// Which app.
        package: SmolStr,
        /// Which activity; empty is the launcher's.
        component: SmolStr,
        /// Which snapshot, for [`ResetMode::Snapshot`].
        snapshot: SmolStr,
        /// How long is waited.
        look: Look,
    },
    /// Something about an app.
    App {
        /// What.
        verb: Verb,
        /// Which app.
        package: SmolStr,
        /// An activity or a permission; may be empty.
        name: SmolStr,
    },
    /// What is in front?
    Top,
    /// A picture of the screen.
    Shot {
        /// 1 PNG, 2 JPEG.
        format: u8,
        /// 1 to 100.
        percent: u32,
    },
    /// Turns the screen: 0 to 3; 4 lets it turn by itself.
    Rotate(u8),
    /// Wakes (1), dismisses the keyguard (2), hides the keyboard (4).
    Screen(u64),
    /// Counters, times, and why capabilities are missing.
    Stat,
    /// Undo everything and end.
    Bye,
}

/// The proof that the host knows the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// The host's version.
    pub version: (u64, u64),
    /// Chosen by the host.
    pub nonce: [u8; 16],
    /// HMAC of both nonces.
    pub mac: [u8; 32],
    /// The largest frame that the host takes.
    pub max_frame: u64,
}

/// How the agent works; 0 stands for its default.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Config {
    /// Nodes of a tree at the most.
    pub max_nodes: u32,
    /// Depth of a tree at the most.
    pub max_depth: u32,
    /// Bits of [`config`].
    pub flags: u64,
    /// The app under test.
    pub package: SmolStr,
    /// Quiet for so long is settled.
    pub quiet_ms: u32,
    /// Without a reaction for so long, none is expected.
    pub reaction_ms: u32,
    /// It is not waited longer.
    pub cap_ms: u32,
}

/// How long a step waits and what it answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Look {
    /// How long.
    pub pace: Pace,
    /// Bits of [`want`].
    pub want: u64,
    /// The hash of the tree that the host has; 0 is none.
    pub known: u64,
}

/// How long a step waits; 0 stands for CONFIG's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Pace {
    /// It waits until the app has settled.
    pub settle: bool,
    /// Quiet for so long is settled.
    pub quiet_ms: u32,
    /// Without a reaction for so long, none is expected.
    pub reaction_ms: u32,
    /// It is not waited longer.
    pub cap_ms: u32,
}

impl Pace {
    /// Until the app has settled, by CONFIG's times.
    pub const SETTLE: Self = Self { settle: true, quiet_ms: 0, reaction_ms: 0, cap_ms: 0 };
    /// Not at all.
    pub const BURST: Self = Self { settle: false, quiet_ms: 0, reaction_ms: 0, cap_ms: 0 };
}

/// To which start an app is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ResetMode {
    /// Stop, start.
    Warm = 1,
    /// Stop, clear, start.
    Clean = 2,
    /// Stop, restore a snapshot, start.
    Snapshot = 3,
}

/// What APP does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verb {
    /// Start an activity.
    Start = 1,
    /// Stop the app.
    Stop = 2,
    /// Clear its data.
    Clear = 3,
    /// Grant a permission, or all.
    Grant = 4,
    /// Revoke a permission.
    Revoke = 5,
    /// Installed (1), enabled (2), running (4)?
    State = 6,
    /// Kill it in the background, as the system does, and bring it back from what it saved.
    Recall = 7,
    /// Keep its data as they are now under a name, for [`ResetMode::Snapshot`].
    Keep = 8,
}

/// One thing that a finger, a key or the system does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the protocol's, which says what they mean")]
pub enum Primitive {
    /// A tap.
    Tap { x: i32, y: i32 },
    /// A long tap.
    LongTap { x: i32, y: i32, hold_ms: u32 },
    /// A finger that moves.
    Swipe { points: Vec<(i32, i32)>, ms: u32 },
    /// Two fingers.
    Pinch { x: i32, y: i32, from: u32, to: u32, ms: u32 },
    /// A key.
    Key { code: u32, meta: u32 },
    /// A text for a node (index + 1), or for the focused one (0).
    Text { tree: u64, node: u32, text: String, mode: u8, enter: bool },
    /// An accessibility action.
    NodeAction { tree: u64, node: u32, action: u32, arguments: Vec<(SmolStr, Argument)> },
    /// Nothing for a while.
    Wait { ms: u32 },
    /// The screen turns.
    Rotate { rotation: u8 },
    /// An address is opened in this app.
    Open { package: SmolStr, address: String },
}

/// An argument of an accessibility action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Int(i32),
    /// A yes or no.
    Bool(bool),
    /// A text.
    Str(String),
}

/// What stands before every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Prefix {
    /// How long the agent may take; 0 is its default.
    pub deadline_ms: u64,
    /// The newest event that the host holds.
    pub seen: u64,
}

impl Request {
    /// The number of the request.
    pub fn op(&self) -> u8 {
        match self {
            Self::Auth(_) => op::AUTH,
            Self::Resume { .. } => op::RESUME,
            Self::Ping => op::PING,
            Self::Config(_) => op::CONFIG,
            Self::Tree { .. } => op::TREE,
            Self::Step { .. } => op::STEP,
            Self::Reset { .. } => op::RESET,
            Self::App { .. } => op::APP,
            Self::Top => op::TOP,
            Self::Shot { .. } => op::SHOT,
            Self::Rotate(_) => op::ROTATE,
            Self::Screen(_) => op::SCREEN,
            Self::Stat => op::STAT,
            Self::Bye => op::BYE,
        }
    }

    /// The request as a frame.
    pub fn frame(&self, id: u32, prefix: Prefix) -> Frame {
        let mut out = Writer::default();
        out.uv(prefix.deadline_ms).uv(prefix.seen);
        self.write(&mut out);
        Frame { kind: Kind::Request, op: self.op(), id, payload: out.into_bytes() }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Auth(auth) => auth.write(out),
            Self::Resume { auth, session, last_step } => {
                auth.write(out);
                out.u64(*session).uv(*last_step);
            }
            Self::Ping | Self::Top | Self::Stat | Self::Bye => {}
            Self::Config(config) => {
                out.uv(config.max_nodes.into()).uv(config.max_depth.into()).uv(config.flags);
                out.str(&config.package);
                out.uv(config.quiet_ms.into()).uv(config.reaction_ms.into()).uv(config.cap_ms.into());
            }
            Self::Tree { known } => {
                out.u64(*known);
            }
            Self::Step { step, primitives, look } => {
                out.uv(*step).list(primitives, |out, primitive| primitive.write(out));
                look.write(out);
            }
            Self::Reset { step, mode, package, component, snapshot, look } => {
                out.uv(*step).u8(*mode as u8).str(package).str(component).str(snapshot);
                look.write(out);
            }
            Self::App { verb, package, name } => {
                out.u8(*verb as u8).str(package).str(name);
            }
            Self::Shot { format, percent } => {
                out.u8(*format).uv((*percent).into());
            }
            Self::Rotate(rotation) => {
                out.u8(*rotation);
            }
            Self::Screen(what) => {
                out.uv(*what);
            }
        }
    }

    /// Reads a request; what an agent does. `None` for one that is not known.
    pub fn read(frame: &Frame) -> Result<Option<(Prefix, Self)>, Malformed> {
        let mut from = Reader::new(&frame.payload);
        let prefix = Prefix { deadline_ms: from.uv()?, seen: from.uv()? };
        let request = match frame.op {
            op::AUTH => Self::Auth(Auth::read(&mut from)?),
            op::RESUME => {
                let auth = Auth::read(&mut from)?;
                Self::Resume { auth, session: from.u64()?, last_step: from.uv()? }
            }
            op::PING => Self::Ping,
            op::CONFIG => Self::Config(Config {
                max_nodes: from.uv32()?,
                max_depth: from.uv32()?,
                flags: from.uv()?,
                package: from.text()?,
                quiet_ms: from.uv32()?,
                reaction_ms: from.uv32()?,
                cap_ms: from.uv32()?,
            }),
            op::TREE => Self::Tree { known: from.u64()? },
            op::STEP => {
                let step = from.uv()?;
                let primitives = from.list(MAX_PRIMITIVES, 2, "primitives", Primitive::read)?;
                Self::Step { step, primitives, look: Look::read(&mut from)? }
            }
            op::RESET => Self::Reset {
                step: from.uv()?,
                mode: match from.u8()? {
                    1 => ResetMode::Warm,
                    2 => ResetMode::Clean,
                    3 => ResetMode::Snapshot,
                    other => return Err(Malformed(format!("reset mode {other}"))),
                },
                package: from.text()?,
                component: from.text()?,
                snapshot: from.text()?,
                look: Look::read(&mut from)?,
            },
            op::APP => {
                let verb = match from.u8()? {
                    1 => Verb::Start,
                    2 => Verb::Stop,
                    3 => Verb::Clear,
                    4 => Verb::Grant,
                    5 => Verb::Revoke,
                    6 => Verb::State,
                    7 => Verb::Recall,
                    8 => Verb::Keep,
                    other => return Err(Malformed(format!("verb {other}"))),
                };
                Self::App { verb, package: from.text()?, name: from.text()? }
            }
            op::TOP => Self::Top,
            op::SHOT => Self::Shot { format: from.u8()?, percent: from.uv32()? },
            op::ROTATE => Self::Rotate(from.choice(ROTATION_FREE, "rotation")?),
            op::SCREEN => Self::Screen(from.uv()?),
            op::STAT => Self::Stat,
            op::BYE => Self::Bye,
            _ => return Ok(None),
        };
        Ok(Some((prefix, request)))
    }
}

impl Auth {
    fn write(&self, out: &mut Writer) {
        out.uv(self.version.0).uv(self.version.1).raw(&self.nonce).raw(&self.mac).uv(self.max_frame);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            version: (from.uv()?, from.uv()?),
            nonce: from.array()?,
            mac: from.array()?,
            max_frame: from.uv()?,
        })
    }
}

impl Look {
    fn write(self, out: &mut Writer) {
        let Pace { settle, quiet_ms, reaction_ms, cap_ms } = self.pace;
        out.bool(settle).uv(quiet_ms.into()).uv(reaction_ms.into()).uv(cap_ms.into());
        out.uv(self.want).u64(self.known);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let pace = Pace {
            settle: from.bool()?,
            quiet_ms: from.uv32()?,
            reaction_ms: from.uv32()?,
            cap_ms: from.uv32()?,
        };
        Ok(Self { pace, want: from.uv()?, known: from.u64()? })
    }
}

impl Primitive {
    /// How long it waits by itself.
    pub fn waits(&self) -> Duration {
        match self {
            Self::Wait { ms } => Duration::from_millis(u64::from(*ms)),
            _ => Duration::ZERO,
        }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Tap { x, y } => out.u8(1).sv(*x).sv(*y),
            Self::LongTap { x, y, hold_ms } => out.u8(2).sv(*x).sv(*y).uv((*hold_ms).into()),
            Self::Swipe { points, ms } => {
                let list = out.u8(3).list(points, |out, &(x, y)| {
                    out.sv(x).sv(y);
                });
                list.uv((*ms).into())
            }
            Self::Pinch { x, y, from, to, ms } => {
                out.u8(4).sv(*x).sv(*y).uv((*from).into()).uv((*to).into()).uv((*ms).into())
            }
            Self::Key { code, meta } => out.u8(5).uv((*code).into()).uv((*meta).into()),
            Self::Text { tree, node, text, mode, enter } => {
                out.u8(6).uv(*tree).uv((*node).into()).str(text).u8(*mode).bool(*enter)
            }
            Self::NodeAction { tree, node, action, arguments } => {
                out.u8(7).uv(*tree).uv((*node).into()).uv((*action).into());
                out.list(arguments, |out, (key, value)| {
                    out.str(key);
                    match value {
                        Argument::Int(value) => out.u8(1).sv(*value),
                        Argument::Bool(value) => out.u8(2).bool(*value),
                        Argument::Str(value) => out.u8(3).str(value),
                    };
                })
            }
            Self::Wait { ms } => out.u8(8).uv((*ms).into()),
            Self::Rotate { rotation } => out.u8(9).u8(*rotation),
            Self::Open { package, address } => out.u8(10).str(package).str(address),
        };
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match from.u8()? {
            1 => Self::Tap { x: from.sv()?, y: from.sv()? },
            2 => Self::LongTap { x: from.sv()?, y: from.sv()?, hold_ms: from.uv32()? },
            3 => Self::Swipe {
                points: from.list(MAX_POINTS, 2, "points", |from| Ok((from.sv()?, from.sv()?)))?,
                ms: from.uv32()?,
            },
            4 => Self::Pinch {
                x: from.sv()?,
                y: from.sv()?,
                from: from.uv32()?,
                to: from.uv32()?,
                ms: from.uv32()?,
            },
            5 => Self::Key { code: from.uv32()?, meta: from.uv32()? },
            6 => Self::Text {
                tree: from.uv()?,
                node: from.uv32()?,
                text: from.str()?.to_owned(),
                mode: from.choice(3, "text mode")?,
                enter: from.bool()?,
            },
            7 => Self::NodeAction {
                tree: from.uv()?,
                node: from.uv32()?,
                action: from.uv32()?,
                arguments: from.list(MAX_ARGUMENTS, 3, "arguments", |from| {
                    let key = from.text()?;
                    let value = match from.u8()? {
                        1 => Argument::Int(from.sv()?),
                        2 => Argument::Bool(from.bool()?),
                        3 => Argument::Str(from.str()?.to_owned()),
                        other => return Err(Malformed(format!("an argument of type {other}"))),
                    };
                    Ok((key, value))
                })?,
            },
            8 => Self::Wait { ms: from.uv32()? },
            9 => Self::Rotate { rotation: from.choice(ROTATION_FREE, "rotation")? },
            10 => Self::Open { package: from.text()?, address: from.str()?.to_owned() },
            other => return Err(Malformed(format!("a primitive of kind {other}"))),
        })
    }
}
