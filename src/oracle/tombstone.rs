//! Native crashes: the dump that `debuggerd` writes to the log and to a tombstone file.

use super::report::{App, Parsed, Report, Reporter, clipped, numbered, text_of};
use super::stack::StackReader;
use super::{Failure, FailureKind, Frame, Throwable};

/// Reads a tombstone file, or any text with dumps in it.
pub fn parse(bytes: &[u8], app: App<'_>) -> Parsed {
    let text = text_of(bytes);
    let mut parsed = Parsed::default();
    let mut open: Option<DumpReader> = None;
    for (number, line) in numbered(&text) {
        if is_start(line.trim()) {
            finish(open.replace(DumpReader::at(number)), &mut parsed, app);
        } else if let Some(dump) = &mut open {
            dump.feed(line);
        }
    }
    finish(open, &mut parsed, app);
    parsed.sorted()
}

fn finish(dump: Option<DumpReader>, parsed: &mut Parsed, app: App<'_>) {
    if let Some(dump) = dump {
        dump.finish(parsed, app, Reporter::Tombstone, None);
    }
}

/// What a dump says of the failure, wherever it begins; `None` if it names neither signal nor frames.
#[cfg(feature = "agent")]
pub(crate) fn failure(text: &str) -> Option<Failure> {
    let mut dump = DumpReader::default();
    for line in text.lines() {
        dump.feed(line);
    }
    let is_empty = dump.signal.is_empty() && dump.frames.is_empty();
    (!is_empty).then(|| dump.failure())
}

/// A dump begins with a row of stars.
pub(crate) fn is_start(text: &str) -> bool {
    text.starts_with("*** *** *** ***")
}

/// Reads one dump line by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct DumpReader {
    line: usize,
    process: String,
    pid: Option<u32>,
    signal: String,
    details: String,
    abort: String,
    frames: Vec<Frame>,
    /// The failing thread's frames are complete; what follows are registers, memory and other threads.
    complete: bool,
}

impl DumpReader {
    const MAX_FRAMES: usize = 512;

    pub(crate) fn at(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    /// The process id that the dump names.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The failing thread's frames are complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(crate) fn feed(&mut self, line: &str) {
        let text = line.trim();
        if self.complete {
            return;
        }
        if let Some(frame) = text.strip_prefix('#').and_then(parse_native_frame) {
            if self.frames.len() < Self::MAX_FRAMES {
                self.frames.push(frame);
            }
        } else if !self.frames.is_empty() {
            // Notes may stand between the frames; an empty line or a new part ends them.
            self.complete = text.is_empty() || text.ends_with(':') || text.starts_with("---");
        } else if let Some(rest) = text.strip_prefix("pid: ") {
            self.pid = rest.split(',').next().and_then(|pid| pid.trim().parse().ok());
            if let Some((_, rest)) = rest.split_once(">>> ") {
                rest.split(" <<<").next().unwrap_or_default().trim().clone_into(&mut self.process);
            }
        } else if let Some(rest) = text.strip_prefix("Cmdline: ") {
            if self.process.is_empty() {
                rest.split(' ').next().unwrap_or_default().clone_into(&mut self.process);
            }
        } else if let Some(rest) = text.strip_prefix("signal ") {
            self.signal = signal_name(rest);
            clipped(text, StackReader::MAX_MESSAGE).clone_into(&mut self.details);
        } else if let Some(rest) = text.strip_prefix("Abort message: ") {
            clipped(rest.trim_matches(['\'', '"']), StackReader::MAX_MESSAGE).clone_into(&mut self.abort);
        }
    }

    pub(crate) fn finish(self, parsed: &mut Parsed, app: App<'_>, reporter: Reporter, time_ms: Option<i64>) {
        if self.signal.is_empty() && self.frames.is_empty() {
            parsed.issue(
                self.line,
                "a native crash dump without signal and frames: cut off or garbled; left out",
            );
            return;
        }
        if self.frames.is_empty() {
            parsed.issue(
                self.line,
                "a native crash dump without a backtrace: the signature has only the signal",
            );
        }
        let (process, pid, line) = (self.process.clone(), self.pid, self.line);
        parsed.judge(Report { failure: self.failure(), reporter, process, pid, time_ms, line }, app);
    }

    fn failure(self) -> Failure {
        let class = if self.signal.is_empty() { "native".to_owned() } else { self.signal };
        let message = if self.abort.is_empty() { self.details.clone() } else { self.abort };
        Failure {
            kind: FailureKind::Native,
            package: String::new(),
            chain: vec![Throwable { class, message, frames: self.frames }],
            message: self.details,
        }
    }
}

/// The name in `11 (SIGSEGV), code 1 …`, or the number where there is no name.
pub(crate) fn signal_name(text: &str) -> String {
    let named = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    match named.filter(|name| name.starts_with("SIG")) {
        Some(name) => name.to_owned(),
        None => format!("signal {}", text.split([' ', ',']).next().unwrap_or_default()),
    }
}

/// One native frame without its `#`: `00 pc 000e1818  /system/lib/libart.so (art_quick+34) (BuildId: 1f)`.
pub(crate) fn parse_native_frame(text: &str) -> Option<Frame> {
    let (number, rest) = text.split_once(char::is_whitespace)?;
    number.parse::<u32>().ok()?;
    let rest = rest.trim_start().strip_prefix("pc ")?.trim_start();
    let (pc, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let pc = u64::from_str_radix(pc.trim_start_matches("0x"), 16).ok()?;
    let rest = rest.trim();
    let (path, mut notes) = match rest.split_once(" (") {
        Some((path, notes)) => (path.trim(), notes),
        None => (rest, ""),
    };
    let mut symbol = "";
    while !notes.is_empty() {
        let technical =
            ["BuildId: ", "offset 0x", "deleted)", "???"].iter().any(|word| notes.starts_with(word));
        if technical {
            notes = notes.split_once(" (").map_or("", |(_, rest)| rest);
        } else {
            let end = notes.find(" (BuildId: ").unwrap_or(notes.len());
            symbol = notes[..end].trim().strip_suffix(')').unwrap_or(&notes[..end]);
            break;
        }
    }
    let symbol = match symbol.rsplit_once('+') {
        Some((name, offset)) if offset.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => symbol,
    };
    let library = path.rsplit(['/', '!']).next().unwrap_or(path);
    Some(Frame {
        class: if library.is_empty() { "unknown".to_owned() } else { library.to_owned() },
        method: if symbol.is_empty() { format!("0x{pc:x}") } else { symbol.to_owned() },
        file: if path.starts_with(['/', '[']) { path.to_owned() } else { format!("[{path}]") },
        line: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_frames_lose_their_offsets_and_build_ids() {
        let frame = |text| parse_native_frame(text).map(|frame| (frame.class, frame.method));
        let is = |class: &str, method: &str| Some((class.to_owned(), method.to_owned()));
        assert_eq!(
            frame(
                "00 pc 0000000000023a4c  /data/app/~~x==/org.example-1==/lib/arm64/libn.so (sum(int, int)+12) (BuildId: ab)"
            ),
            is("libn.so", "sum(int, int)")
        );
        assert_eq!(
            frame("03 pc 00001234  /data/app/base.apk!libn.so (offset 0x1000) (go+8)"),
            is("libn.so", "go")
        );
        assert_eq!(frame("1 pc 000e1818  /system/lib/libart.so"), is("libart.so", "0xe1818"));
        assert_eq!(frame("01 pc 0xzz  /system/lib/libart.so"), None);
    }
}
