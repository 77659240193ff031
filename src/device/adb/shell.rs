//! The second version of adb's shell protocol: standard output and error apart, and the exit code. Before Android 7 phones
//! do not speak it; there both outputs come as they are, and the shell itself is made to tell the code at the end.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::names::ShellLine;
use super::wire::AdbError;

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;
const HEAD: usize = 5;
/// A packet is never larger.
const MAX_PACKET: usize = 1 << 20;
/// Of what a command prints, no more is kept.
const MAX_OUTPUT: usize = 4 << 20;

/// What stands before the exit code where the protocol does not tell it.
const ENDED: &[u8] = b"siamang-ended-";

/// The service that runs a command, for a phone that speaks the protocol and for one that does not.
pub(super) fn service(line: &ShellLine, packets: bool) -> String {
    if packets {
        format!("shell,v2,raw:{line}")
    } else {
        format!("exec:{line}; echo {}$?", String::from_utf8_lossy(ENDED))
    }
}

/// What a command said and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The exit code; `None` if the stream ended without one.
    pub code: Option<u8>,
}

impl Output {
    /// What it printed, if it ended well.
    pub fn into_text(self, line: &ShellLine) -> Result<String, AdbError> {
        match self.code {
            Some(0) => Ok(String::from_utf8_lossy(&self.stdout).into_owned()),
            Some(code) => Err(AdbError::Failed { line: line.to_string(), code, said: self.said() }),
            None => Err(AdbError::Broken(format!("`{line}` was cut off"))),
        }
    }

    /// What it said, in one line.
    pub fn said(&self) -> String {
        let both = [&self.stderr[..], &self.stdout[..]].concat();
        let text = String::from_utf8_lossy(&both);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing");
        line.chars().filter(|c| !c.is_control()).take(200).collect()
    }
}

/// One piece of what a command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Of standard output.
    Stdout(Vec<u8>),
    /// Of standard error.
    Stderr(Vec<u8>),
    /// It ended with this code.
    Exit(u8),
}

/// A command that runs on a device.
#[derive(Debug)]
pub struct ShellStream {
    stream: TcpStream,
    buffer: Vec<u8>,
    packets: bool,
}

impl ShellStream {
    pub(super) fn new(stream: TcpStream, packets: bool) -> Self {
        Self { stream, buffer: Vec::new(), packets }
    }

    /// Writes to its standard input.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), AdbError> {
        if !self.packets {
            self.stream.write_all(bytes).await?;
            return Ok(());
        }
        let mut packet = vec![STDIN];
        packet.extend((bytes.len() as u32).to_le_bytes());
        packet.extend(bytes);
        self.stream.write_all(&packet).await?;
        Ok(())
    }

    /// The next piece; `None` at the end of the stream. It can be given up at any time without losing a byte.
    pub async fn next(&mut self) -> Result<Option<Piece>, AdbError> {
        loop {
            let piece = if self.packets { self.take()? } else { take_plain(&mut self.buffer) };
            if piece.is_some() {
                return Ok(piece);
            }
            self.buffer.reserve(4096);
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }

    fn take(&mut self) -> Result<Option<Piece>, AdbError> {
        loop {
            let Some((&[id, a, b, c, d], rest)) = self.buffer.split_first_chunk::<HEAD>() else {
                return Ok(None);
            };
            let length = u32::from_le_bytes([a, b, c, d]) as usize;
            if length > MAX_PACKET {
                return Err(AdbError::Broken(format!("a packet of {length} bytes")));
            }
            let Some(content) = rest.get(..length) else { return Ok(None) };
            let content = content.to_vec();
            self.buffer.drain(..HEAD + length);
            match id {
                STDOUT => return Ok(Some(Piece::Stdout(content))),
                STDERR => return Ok(Some(Piece::Stderr(content))),
                EXIT => return Ok(Some(Piece::Exit(content.first().copied().unwrap_or(0)))),
                _ => {}
            }
        }
    }

    /// Waits for the end of the command.
    pub async fn wait(mut self) -> Result<Output, AdbError> {
        let mut output = Output::default();
        while let Some(piece) = self.next().await? {
            match piece {
                Piece::Stdout(bytes) if output.stdout.len() < MAX_OUTPUT => output.stdout.extend(bytes),
                Piece::Stderr(bytes) if output.stderr.len() < MAX_OUTPUT => output.stderr.extend(bytes),
                Piece::Stdout(_) | Piece::Stderr(_) => {}
                Piece::Exit(code) => {
                    output.code = Some(code);
                    break;
                }
            }
        }
        Ok(output)
    }
}

/// The next piece of a stream without packets. What may be the beginning of the last line waits for the rest of it.
fn take_plain(buffer: &mut Vec<u8>) -> Option<Piece> {
    let could_end = |rest: &[u8]| {
        let known = rest.len().min(ENDED.len());
        rest[..known] == ENDED[..known]
            && rest[known..].iter().all(|byte| byte.is_ascii_digit() || b"\r\n".contains(byte))
    };
    let start = (0..buffer.len()).find(|&at| could_end(&buffer[at..])).unwrap_or(buffer.len());
    if start > 0 {
        return Some(Piece::Stdout(buffer.drain(..start).collect()));
    }
    let code = buffer.strip_prefix(ENDED)?.strip_suffix(b"\n")?;
    let code = std::str::from_utf8(code).ok()?.trim().parse().ok()?;
    buffer.clear();
    Some(Piece::Exit(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that comes, in whatever parts.
    fn read(text: &[u8], part: usize) -> (Vec<u8>, Option<u8>) {
        let (mut buffer, mut said) = (Vec::new(), Vec::new());
        for bytes in text.chunks(part) {
            buffer.extend(bytes);
            while let Some(piece) = take_plain(&mut buffer) {
                match piece {
                    Piece::Stdout(bytes) | Piece::Stderr(bytes) => said.extend(bytes),
                    Piece::Exit(code) => return (said, Some(code)),
                }
            }
        }
        (said, None)
    }

    #[test]
    fn a_stream_without_packets_ends_with_the_code_however_it_is_cut() {
        for part in 1..40 {
            assert_eq!(read(b"package:a\nsiamang-ended-0\n", part), (b"package:a\n".to_vec(), Some(0)));
            assert_eq!(read(b"no newlinesiamang-ended-127\n", part), (b"no newline".to_vec(), Some(127)));
            assert_eq!(read(b"siamang-ended-x\nsiamang-ended-1\r\n", part).1, Some(1));
            assert_eq!(read(b"siamang-ended-", part), (Vec::new(), None));
        }
    }

    #[test]
    fn a_line_is_not_kept_back_until_the_next() {
        let mut buffer = b"listening siamang-1\n".to_vec();
        assert_eq!(take_plain(&mut buffer), Some(Piece::Stdout(b"listening siamang-1\n".to_vec())));
    }
}
