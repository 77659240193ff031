//! The head before each frame: what is in it, how long it is and whether it is whole.

use xxhash_rust::xxh3::xxh3_64;

use super::FrameKind;

/// A head is a zstd "skippable frame", so that `zstd -dc` passes over it and a person can read the file without siamang.
const SKIPPABLE_MAGIC: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();
/// How every zstd frame starts.
pub(super) const ZSTD_MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
const PAYLOAD_BYTES: u32 = 56;
/// The length of a head on disk.
pub(super) const HEAD_BYTES: usize = 8 + PAYLOAD_BYTES as usize;
const MARK: &[u8; 7] = b"siamang";

/// What is known of a frame before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: FrameKind,
    /// The version of the format of its content.
    pub(super) version: u32,
    /// Frames are numbered from 0.
    pub(super) number: u32,
    /// The number of the first thing counted in it, from 1.
    pub(super) first: u64,
    /// How many things are counted in it: steps or trees.
    pub(super) count: u32,
    /// The compressed length.
    pub(super) packed: u32,
    /// The length before compression.
    pub(super) raw: u32,
    /// The hash of the compressed bytes.
    pub(super) hash: u64,
}

impl Head {
    pub(super) fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..4].copy_from_slice(&SKIPPABLE_MAGIC);
        bytes[4..8].copy_from_slice(&PAYLOAD_BYTES.to_le_bytes());
        bytes[8..15].copy_from_slice(MARK);
        bytes[15] = self.kind.letter();
        bytes[16..20].copy_from_slice(&self.version.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.first.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.count.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.packed.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.raw.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.hash.to_le_bytes());
        let hash = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// The head at the start of these bytes, if there is a whole one of this kind.
    pub(super) fn from_bytes(bytes: &[u8], kind: FrameKind) -> Option<Self> {
        let bytes = bytes.get(..HEAD_BYTES)?;
        let whole = bytes.starts_with(&SKIPPABLE_MAGIC)
            && bytes[4..8] == PAYLOAD_BYTES.to_le_bytes()
            && &bytes[8..15] == MARK
            && bytes[15] == kind.letter()
            && bytes[56..] == xxh3_64(&bytes[..56]).to_le_bytes();
        whole.then(|| Self {
            kind,
            version: u32_at(bytes, 16),
            number: u32_at(bytes, 20),
            first: u64_at(bytes, 24),
            count: u32_at(bytes, 32),
            packed: u32_at(bytes, 36),
            raw: u32_at(bytes, 40),
            hash: u64_at(bytes, 48),
        })
    }

    /// These bytes, fewer than a head has, are how a head starts.
    pub(super) fn could_start_with(bytes: &[u8]) -> bool {
        let mut start = [0; 15];
        start[..4].copy_from_slice(&SKIPPABLE_MAGIC);
        start[4..8].copy_from_slice(&PAYLOAD_BYTES.to_le_bytes());
        start[8..].copy_from_slice(MARK);
        let known = bytes.len().min(start.len());
        bytes.len() < HEAD_BYTES && bytes[..known] == start[..known]
    }

    /// Where a head may start in these bytes, at or after a position.
    pub(super) fn find_start(bytes: &[u8], from: usize) -> Option<usize> {
        bytes
            .get(from..)?
            .windows(SKIPPABLE_MAGIC.len())
            .position(|window| window == SKIPPABLE_MAGIC)
            .map(|at| at + from)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
