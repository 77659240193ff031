//! The second version of adb's shell protocol: standard output and error apart, and the exit code.

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
}

impl ShellStream {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    /// Writes to its standard input.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), AdbError> {
        let mut packet = vec![STDIN];
        packet.extend((bytes.len() as u32).to_le_bytes());
        packet.extend(bytes);
        self.stream.write_all(&packet).await?;
        Ok(())
    }

    /// The next piece; `None` at the end of the stream. It can be given up at any time without losing a byte.
    pub async fn next(&mut self) -> Result<Option<Piece>, AdbError> {
        loop {
            if let Some(piece) = self.take()? {
                return Ok(Some(piece));
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
