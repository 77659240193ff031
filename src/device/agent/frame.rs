//! Frames: what the stream is cut into (section 2 of the protocol).

use super::values::{Malformed, Reader, Writer};

/// The largest frame that a host takes, and what it tells the agent.
pub const MAX_FRAME: usize = 16 << 20;
/// The largest frame that an agent takes.
pub const MAX_REQUEST: usize = 1 << 20;
/// Kind, op, flags and id.
const HEAD: usize = 8;
/// The length before it.
const LENGTH: usize = 4;

/// What sort of frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From host to agent.
    Request,
    /// The answer to a request that went well.
    Ok,
    /// The answer to one that did not.
    Error,
    /// Something that happened.
    Event,
}

impl Kind {
    fn of(byte: u8) -> Result<Self, Malformed> {
        Ok(match byte {
            1 => Self::Request,
            2 => Self::Ok,
            3 => Self::Error,
            4 => Self::Event,
            other => return Err(Malformed(format!("a frame of kind {other}"))),
        })
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What sort of frame it is.
    pub kind: Kind,
    /// Which request, or which event.
    pub op: u8,
    /// Chosen by the host and repeated in the answer; 0 in events.
    pub id: u32,
    /// The rest.
    pub payload: Vec<u8>,
}

impl Frame {
    /// The frame as it goes over the wire.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u32((HEAD + self.payload.len()) as u32);
        let kind = match self.kind {
            Kind::Request => 1,
            Kind::Ok => 2,
            Kind::Error => 3,
            Kind::Event => 4,
        };
        out.u8(kind).u8(self.op).raw(&[0, 0]).u32(self.id).raw(&self.payload);
        out.into_bytes()
    }
}

/// Gathers bytes and hands out whole frames. A length beyond the limit is refused as soon as it is seen, so that no
/// header makes it hold more than one frame's worth.
#[derive(Debug, Default)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    start: usize,
}

impl FrameBuffer {
    /// What arrived.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.room().extend_from_slice(bytes);
    }

    /// Where the next bytes go: behind what is there, with room for a usual answer.
    pub fn room(&mut self) -> &mut Vec<u8> {
        const CHUNK: usize = 16 << 10;
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.start = 0;
        }
        self.bytes.reserve(CHUNK);
        &mut self.bytes
    }

    /// Bytes that wait for the rest of their frame.
    pub fn waiting(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// The next byte, if it is there: the one that an agent sends before its first frame.
    pub fn take_byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.start).copied()?;
        self.start += 1;
        Some(byte)
    }

    /// The next frame, if all of it is there.
    pub fn take(&mut self, limit: usize) -> Result<Option<Frame>, Malformed> {
        let mut reader = Reader::new(&self.bytes[self.start..]);
        let Ok(length) = reader.u32() else { return Ok(None) };
        let length = length as usize;
        if length < HEAD || length > limit {
            return Err(Malformed(format!("a frame of {length} bytes, {HEAD} to {limit} are allowed")));
        }
        let Ok(bytes) = reader.raw(length) else { return Ok(None) };
        let mut head = Reader::new(bytes);
        let kind = Kind::of(head.u8()?)?;
        let op = head.u8()?;
        head.raw(2)?;
        let id = head.u32()?;
        let frame = Frame { kind, op, id, payload: head.rest().to_vec() };
        self.start += LENGTH + length;
        // What was taken is let go of now and then, not with every frame.
        if self.start > 1 << 16 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        Ok(Some(frame))
    }
}
