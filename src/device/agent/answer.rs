//! What an agent answers (section 4 of the protocol).

use smol_str::SmolStr;

use super::frame::{Frame, Kind};
use super::request::op;
use super::values::{Malformed, Reader, Writer};

const MAX_ITEMS: usize = 64;
const MAX_CALLBACKS: usize = 4_096;
const MAX_COVERAGE: usize = 32_768;

/// The codes of errors (section 2).
pub mod code {
    #![expect(missing_docs, reason = "the names are the protocol's, which says what they mean")]
    pub const TIMEOUT: u64 = 1;
    pub const STALE: u64 = 2;
    pub const NO_ROOT: u64 = 3;
    pub const NOT_CONNECTED: u64 = 4;
    pub const INJECT_DENIED: u64 = 5;
    pub const APP_NOT_FOUND: u64 = 6;
    pub const BUSY: u64 = 7;
    pub const AUTH: u64 = 8;
    pub const UNSUPPORTED: u64 = 9;
    pub const INTERNAL: u64 = 10;
    pub const DEVICE_DEAD: u64 = 11;
    pub const VERSION: u64 = 12;
    pub const MALFORMED: u64 = 13;
    pub const LIMIT: u64 = 14;
    pub const REFUSED: u64 = 15;
    pub const NO_SESSION: u64 = 16;
    pub const HUNG: u64 = 17;
}

/// What stands before every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stamp {
    /// All events up to this one came before the answer.
    pub last_seq: u64,
    /// The device's clock.
    pub uptime_ms: u64,
}

/// An answer, without its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To AUTH.
    Auth(Granted),
    /// To RESUME.
    Resume {
        /// As to AUTH.
        granted: Granted,
        /// The newest step that the agent began; 0 is none.
        step: u64,
        /// 0 none, 1 running, 2 answered and stored.
        step_state: u8,
    },
    /// To PING and BYE.
    Done(u8),
    /// To CONFIG: the flags in force.
    Config(u64),
    /// To TREE.
    Tree {
        /// Its hash.
        hash: u64,
        /// It is the tree that the host knows, and not sent again.
        same: bool,
        /// The tree, encoded.
        tree: Vec<u8>,
    },
    /// To STEP.
    Step(Box<StepAnswer>),
    /// To RESET.
    Reset(Box<StepAnswer>),
    /// To APP.
    App {
        /// A count or bits.
        value: u64,
        /// The activity that was started, or empty.
        name: SmolStr,
    },
    /// To TOP.
    Top {
        /// The package in front.
        package: SmolStr,
        /// Its activity.
        activity: SmolStr,
        /// 1 controller, 2 task list, 3 active window.
        source: u8,
    },
    /// To SHOT.
    Shot(Shot),
    /// To ROTATE.
    Rotate(u8),
    /// To SCREEN.
    Screen {
        /// 1 on, 2 locked, 4 keyboard shown.
        is: u64,
        /// How the screen is turned.
        rotation: u8,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// To STAT.
    Stat(Stat),
    /// It did not go well.
    Error(Refusal),
}

/// The session, and the proof that the agent knows the token, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The session's number.
    pub session: u64,
    /// HMAC of both nonces.
    pub agent_mac: [u8; 32],
}

/// Why an agent did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// One of [`code`].
    pub code: u64,
    /// Trying again may help.
    pub retriable: bool,
    /// What.
    pub message: String,
    /// More: a switch to turn on, a stack.
    pub detail: String,
}

/// Counters and times of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stat {
    /// Requests, steps, events, dropped events, dropped failures, workers lost, requests queued; then microseconds of
    /// the last step: acting, settling, reading the tree.
    pub counts: [u64; 10],
    /// The capabilities that are missing, and why.
    pub missing: Vec<(u64, SmolStr)>,
}

/// A picture of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// 1 PNG, 2 JPEG.
    pub format: u8,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The file.
    pub image: Vec<u8>,
}

/// The answer to a step or a reset. A section that is `None` was not sent: the device cannot tell.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StepAnswer {
    /// Which step.
    pub step: u64,
    /// How many primitives were done.
    pub performed: u32,
    /// 0 not asked, 1 quiet, 2 no reaction, 3 cap.
    pub settled: u8,
    /// How long settling took.
    pub settle_ms: u32,
    /// Events of the user interface while it settled.
    pub ui_events: u32,
    /// The tree's hash; 0 if none was read.
    pub hash: u64,
    /// The tree, encoded.
    pub tree: Option<Vec<u8>>,
    /// A screenshot.
    pub shot: Option<Shot>,
    /// Newly covered branches.
    pub coverage: Option<Coverage>,
    /// The callbacks entered, in order.
    pub callbacks: Option<Vec<SmolStr>>,
    /// What each touch hit.
    pub hits: Option<Hits>,
    /// Intents that stand-ins answered: action, data, component, answer.
    pub intents: Option<Vec<[SmolStr; 4]>>,
    /// How each text went: primitive, method, verified.
    pub texts: Option<Vec<(u32, u8, u8)>>,
}

/// What a step newly covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// 1 rule, 2 probe.
    pub source: u8,
    /// Covered so far.
    pub total: u64,
    /// Newly covered branches, ascending.
    pub fresh: Vec<u64>,
}

/// What the touches of a step hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    /// The tree before the step, to which the nodes belong.
    pub tree: u64,
    /// Primitive, window id (-1 is none), node index + 1 (0 is none).
    pub hits: Vec<(u32, i32, u32)>,
}

impl Answer {
    /// The answer as a frame.
    pub fn frame(&self, op: u8, id: u32, stamp: Stamp) -> Frame {
        let mut out = Writer::default();
        out.uv(stamp.last_seq).uv(stamp.uptime_ms);
        self.write(&mut out);
        let kind = if matches!(self, Self::Error(_)) { Kind::Error } else { Kind::Ok };
        Frame { kind, op, id, payload: out.into_bytes() }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Auth(granted) => granted.write(out),
            Self::Resume { granted, step, step_state } => {
                granted.write(out);
                out.uv(*step).u8(*step_state);
            }
            Self::Done(_) => {}
            Self::Config(flags) => {
                out.uv(*flags);
            }
            Self::Tree { hash, same, tree } => {
                out.u64(*hash).bool(*same).bytes(tree);
            }
            Self::Step(step) | Self::Reset(step) => step.write(out),
            Self::App { value, name } => {
                out.uv(*value).str(name);
            }
            Self::Top { package, activity, source } => {
                out.str(package).str(activity).u8(*source);
            }
            Self::Shot(shot) => shot.write(out),
            Self::Rotate(rotation) => {
                out.u8(*rotation);
            }
            Self::Screen { is, rotation, width, height } => {
                out.uv(*is).u8(*rotation).uv((*width).into()).uv((*height).into());
            }
            Self::Stat(stat) => {
                for count in stat.counts {
                    out.uv(count);
                }
                out.list(&stat.missing, |out, (bit, reason)| {
                    out.uv(*bit).str(reason);
                });
            }
            Self::Error(refusal) => {
                out.uv(refusal.code).bool(refusal.retriable).str(&refusal.message).str(&refusal.detail);
            }
        }
    }

    /// Reads an answer.
    pub fn read(frame: &Frame) -> Result<(Stamp, Self), Malformed> {
        let mut from = Reader::new(&frame.payload);
        let stamp = Stamp { last_seq: from.uv()?, uptime_ms: from.uv()? };
        if frame.kind == Kind::Error {
            let refusal = Refusal {
                code: from.uv()?,
                retriable: from.bool()?,
                message: from.str()?.to_owned(),
                detail: from.str()?.to_owned(),
            };
            return Ok((stamp, Self::Error(refusal)));
        }
        let answer = match frame.op {
            op::AUTH => Self::Auth(Granted::read(&mut from)?),
            op::RESUME => {
                let granted = Granted::read(&mut from)?;
                Self::Resume { granted, step: from.uv()?, step_state: from.choice(2, "step state")? }
            }
            op::PING | op::BYE => Self::Done(frame.op),
            op::CONFIG => Self::Config(from.uv()?),
            op::TREE => Self::Tree { hash: from.u64()?, same: from.bool()?, tree: from.bytes()?.to_vec() },
            op::STEP => Self::Step(Box::new(StepAnswer::read(&mut from)?)),
            op::RESET => Self::Reset(Box::new(StepAnswer::read(&mut from)?)),
            op::APP => Self::App { value: from.uv()?, name: from.text()? },
            op::TOP => Self::Top { package: from.text()?, activity: from.text()?, source: from.u8()? },
            op::SHOT => Self::Shot(Shot::read(&mut from)?),
            op::ROTATE => Self::Rotate(from.u8()?),
            op::SCREEN => Self::Screen {
                is: from.uv()?,
                rotation: from.u8()?,
                width: from.uv32()?,
                height: from.uv32()?,
            },
            op::STAT => {
                let mut counts = [0; 10];
                for count in &mut counts {
                    *count = from.uv()?;
                }
                let missing =
                    from.list(MAX_ITEMS, 2, "capabilities", |from| Ok((from.uv()?, from.text()?)))?;
                Self::Stat(Stat { counts, missing })
            }
            other => return Err(Malformed(format!("an answer to {other}"))),
        };
        Ok((stamp, answer))
    }
}

impl Granted {
    fn write(&self, out: &mut Writer) {
        out.u64(self.session).raw(&self.agent_mac);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self { session: from.u64()?, agent_mac: from.array()? })
    }
}

impl Shot {
    fn write(&self, out: &mut Writer) {
        out.u8(self.format).uv(self.width.into()).uv(self.height.into()).bytes(&self.image);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            format: from.u8()?,
            width: from.uv32()?,
            height: from.uv32()?,
            image: from.bytes()?.to_vec(),
        })
    }
}

impl StepAnswer {
    fn write(&self, out: &mut Writer) {
        out.uv(self.step).uv(self.performed.into()).u8(self.settled);
        out.uv(self.settle_ms.into()).uv(self.ui_events.into()).u64(self.hash);
        let tree = self.tree.as_ref().map(|tree| {
            section(|out| {
                out.raw(tree);
            })
        });
        let shot = self.shot.as_ref().map(|shot| section(|out| shot.write(out)));
        let coverage = self.coverage.as_ref().map(|coverage| {
            section(|out| {
                out.u8(coverage.source).uv(coverage.total);
                let mut before = 0;
                out.list(&coverage.fresh, |out, &branch| {
                    out.uv(branch - before);
                    before = branch;
                });
            })
        });
        let callbacks = self.callbacks.as_ref().map(|callbacks| {
            section(|out| {
                out.list(callbacks, |out, callback| {
                    out.str(callback);
                });
            })
        });
        let hits = self.hits.as_ref().map(|Hits { tree, hits }| {
            section(|out| {
                out.uv(*tree).list(hits, |out, &(primitive, window, node)| {
                    out.uv(primitive.into()).sv(window).uv(node.into());
                });
            })
        });
        let intents = self.intents.as_ref().map(|intents| {
            section(|out| {
                out.list(intents, |out, intent| {
                    for text in intent {
                        out.str(text);
                    }
                });
            })
        });
        let texts = self.texts.as_ref().map(|texts| {
            section(|out| {
                out.list(texts, |out, &(primitive, method, verified)| {
                    out.uv(primitive.into()).u8(method).u8(verified);
                });
            })
        });
        out.sections(&[tree, shot, coverage, callbacks, hits, intents, texts]);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut answer = Self {
            step: from.uv()?,
            performed: from.uv32()?,
            settled: from.u8()?,
            settle_ms: from.uv32()?,
            ui_events: from.uv32()?,
            hash: from.u64()?,
            ..Self::default()
        };
        from.sections(|bit, mut from| {
            match bit {
                0 => answer.tree = Some(from.rest().to_vec()),
                1 => answer.shot = Some(Shot::read(&mut from)?),
                2 => answer.coverage = Some(Coverage::read(&mut from)?),
                3 => answer.callbacks = Some(from.list(MAX_CALLBACKS, 1, "callbacks", Reader::text)?),
                4 => {
                    let tree = from.uv()?;
                    let hits =
                        from.list(MAX_ITEMS, 3, "hits", |from| Ok((from.uv32()?, from.sv()?, from.uv32()?)))?;
                    answer.hits = Some(Hits { tree, hits });
                }
                5 => {
                    answer.intents = Some(from.list(MAX_ITEMS, 4, "intents", |from| {
                        Ok([from.text()?, from.text()?, from.text()?, from.text()?])
                    })?);
                }
                6 => {
                    answer.texts =
                        Some(from.list(MAX_ITEMS, 3, "texts", |from| {
                            Ok((from.uv32()?, from.u8()?, from.u8()?))
                        })?);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(answer)
    }
}

impl Coverage {
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let (source, total) = (from.u8()?, from.uv()?);
        let mut before = 0_u64;
        let fresh = from.list(MAX_COVERAGE, 1, "branches", |from| {
            before = before
                .checked_add(from.uv()?)
                .ok_or_else(|| Malformed("a branch beyond all numbers".into()))?;
            Ok(before)
        })?;
        Ok(Self { source, total, fresh })
    }
}

fn section(fill: impl FnOnce(&mut Writer)) -> Writer {
    let mut out = Writer::default();
    fill(&mut out);
    out
}
