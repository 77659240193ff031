//! Single values: numbers, strings, lists, sections (section 1 of the protocol).

use smol_str::SmolStr;

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed: {0}")]
pub struct Malformed(pub String);

/// A string is never longer than this, in bytes.
pub const MAX_STRING: usize = 65_536;
/// Nine groups of seven bits: what a `uv` may hold.
const MAX_UV: u64 = (1 << 63) - 1;
const UV_BYTES: u32 = 9;

/// Reads values from a payload, first to last. It never allocates more than the payload could fill.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next so many bytes.
    pub fn raw(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        if length > self.rest.len() {
            return Err(Malformed(format!("{length} bytes wanted, {} there", self.rest.len())));
        }
        let (head, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(head)
    }

    /// The next so many bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let bytes = self.raw(N)?;
        bytes.try_into().map_err(|_| Malformed("an array".into()))
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        let Some((&first, rest)) = self.rest.split_first() else {
            return Err(Malformed("1 bytes wanted, 0 there".into()));
        };
        self.rest = rest;
        Ok(first)
    }

    /// A byte that is one of the first few numbers.
    pub fn choice(&mut self, last: u8, what: &str) -> Result<u8, Malformed> {
        let value = self.u8()?;
        if value > last { Err(Malformed(format!("{what} is {value}, at most {last}"))) } else { Ok(value) }
    }

    /// Four bytes, big endian.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    /// Eight bytes, big endian.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    /// A yes or no.
    pub fn bool(&mut self) -> Result<bool, Malformed> {
        Ok(self.choice(1, "a bool")? == 1)
    }

    /// An unsigned LEB128 number.
    #[inline]
    pub fn uv(&mut self) -> Result<u64, Malformed> {
        // Most numbers are below 128.
        if let [first @ 0..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(u64::from(*first));
        }
        self.long_uv()
    }

    fn long_uv(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for group in 0..UV_BYTES {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed("a number of more than 9 bytes".into()))
    }

    /// A number that fits 32 bits.
    pub fn uv32(&mut self) -> Result<u32, Malformed> {
        let value = self.uv()?;
        u32::try_from(value).map_err(|_| Malformed(format!("{value} is more than 32 bits")))
    }

    /// A signed number.
    pub fn sv(&mut self) -> Result<i32, Malformed> {
        let zigzag = self.uv32()?;
        Ok((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32))
    }

    /// A string.
    pub fn str(&mut self) -> Result<&'a str, Malformed> {
        let length = self.uv()?;
        if length > MAX_STRING as u64 {
            return Err(Malformed(format!("a string of {length} bytes, at most {MAX_STRING}")));
        }
        let bytes = self.raw(length as usize)?;
        std::str::from_utf8(bytes).map_err(|_| Malformed("a string that is not UTF-8".into()))
    }

    /// A string that is kept.
    pub fn text(&mut self) -> Result<SmolStr, Malformed> {
        self.str().map(SmolStr::new)
    }

    /// Bytes with their length before them.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.uv()?;
        let length = usize::try_from(length).map_err(|_| Malformed(format!("{length} bytes")))?;
        self.raw(length)
    }

    /// How many items a list has. Each takes at least `item_bytes`, so that a count that the payload cannot hold is
    /// refused before anything is allocated.
    pub fn count(&mut self, limit: usize, item_bytes: usize, what: &str) -> Result<usize, Malformed> {
        let count = self.uv()?;
        if count > limit as u64 {
            return Err(Malformed(format!("{count} {what}, at most {limit}")));
        }
        let count = count as usize;
        if count * item_bytes > self.rest.len() {
            return Err(Malformed(format!("{count} {what} in {} bytes", self.rest.len())));
        }
        Ok(count)
    }

    /// A list.
    pub fn list<T>(
        &mut self,
        limit: usize,
        item_bytes: usize,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.count(limit, item_bytes, what)?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// The sections: each with the number of its bit. What is unknown is the caller's to skip.
    pub fn sections(
        &mut self,
        mut section: impl FnMut(u32, Reader<'a>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        let mut bitmap = self.uv()?;
        while bitmap != 0 {
            let bit = bitmap.trailing_zeros();
            bitmap &= bitmap - 1;
            section(bit, Reader::new(self.bytes()?))?;
        }
        Ok(())
    }
}

/// Writes values into a payload.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// What was written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&[value])
    }

    /// Four bytes, big endian.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_be_bytes())
    }

    /// Eight bytes, big endian.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_be_bytes())
    }

    /// A yes or no.
    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.u8(u8::from(value))
    }

    /// An unsigned LEB128 number in its shortest form; what is too large becomes the largest.
    pub fn uv(&mut self, value: u64) -> &mut Self {
        let mut value = value.min(MAX_UV);
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8)
    }

    /// A signed number.
    pub fn sv(&mut self, value: i32) -> &mut Self {
        self.uv(u64::from(((value << 1) ^ (value >> 31)) as u32))
    }

    /// A string; one that is too long is cut at a character.
    pub fn str(&mut self, text: &str) -> &mut Self {
        let mut end = text.len().min(MAX_STRING);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.bytes(&text.as_bytes()[..end])
    }

    /// Bytes with their length before them.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.uv(bytes.len() as u64).raw(bytes)
    }

    /// A list.
    pub fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.uv(items.len() as u64);
        for one in items {
            item(self, one);
        }
        self
    }

    /// The sections that are there.
    pub fn sections(&mut self, sections: &[Option<Writer>]) -> &mut Self {
        let set = |(bit, section): (usize, &Option<Writer>)| u64::from(section.is_some()) << bit;
        self.uv(sections.iter().enumerate().map(set).sum());
        for section in sections.iter().flatten() {
            self.bytes(section.as_bytes());
        }
        self
    }
}
