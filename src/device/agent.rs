//! The host's side of the agent: one wire protocol for phones and for the JVM.
//!
//! `agent/PROTOCOL.md` defines every byte. [`values`] reads and writes single values, [`frame`] cuts the stream,
//! [`request`], [`answer`], [`notice`] and [`tree`] are the messages, both ways, so that the golden frames are checked by
//! reading and by writing and a double can speak the agent's part. [`session`] holds a conversation over any byte stream,
//! [`sight`], [`touch`] and [`fate`] translate between the agent's words and the engine's.

pub mod answer;
pub mod fate;
pub mod frame;
pub mod notice;
pub mod request;
pub mod session;
pub mod sight;
pub mod touch;
pub mod tree;
pub mod values;

pub use answer::{Answer, StepAnswer};
pub use fate::Fate;
pub use frame::{Frame, Kind};
pub use notice::{Hello, Notice, Noticed};
pub use request::{Pace, Primitive, Request, ResetMode};
pub use session::{AgentError, Session, Thread, Timing, Token};
pub use sight::Sight;
pub use tree::WireTree;
pub use values::Malformed;
