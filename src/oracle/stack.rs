//! Java stacks as every Android prints them: headers, frames, causes, suppressed exceptions.

use super::report::{Issue, clipped, numbered};
use super::{Frame, Throwable};

/// Reads a printed stack line by line.
///
/// `... N more` is filled in from the enclosing exception, so that a reporter that leaves common frames out and one that
/// does not give the same chain. Suppressed exceptions are read over: they are no causes.
#[derive(Clone, Debug, Default)]
pub struct StackReader {
    chain: Vec<Throwable>,
    suppressed: Option<Suppressed>,
    message_lines: usize,
    issues: Vec<Issue>,
}

/// A suppressed exception that is read over.
#[derive(Clone, Copy, Debug)]
struct Suppressed {
    indent: usize,
    /// Its message is over.
    has_frames: bool,
}

impl StackReader {
    /// Longer messages are cut, in bytes: some apps put whole documents there.
    pub const MAX_MESSAGE: usize = 4096;
    /// More lines of one message than this are taken for something else.
    const MAX_MESSAGE_LINES: usize = 200;
    /// Frames beyond this are left out; a stack overflow has about a thousand.
    const MAX_FRAMES: usize = 4096;
    /// Causes beyond this are left out.
    const MAX_CHAIN: usize = 64;

    /// Takes one line; `false` when the line does not belong to a stack.
    pub fn feed(&mut self, number: usize, line: &str) -> bool {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if text.is_empty() {
            return !self.chain.is_empty();
        }
        if let Some(frame) = text.strip_prefix("at ").and_then(parse_frame) {
            return self.frame(number, frame);
        }
        if let Some(count) = text.strip_prefix("... ").and_then(|rest| rest.strip_suffix(" more")) {
            return self.more(number, count);
        }
        if text.starts_with("Suppressed: ") && !self.chain.is_empty() {
            self.suppressed = Some(Suppressed {
                indent: self.suppressed.map_or(indent, |outer| outer.indent),
                has_frames: false,
            });
            return true;
        }
        if let Some(cause) = text.strip_prefix("Caused by: ")
            && !self.chain.is_empty()
        {
            if let Some(outer) = &mut self.suppressed
                && indent > 0
                && indent >= outer.indent
            {
                outer.has_frames = false;
                return true;
            }
            self.suppressed = None;
            return self.header(cause);
        }
        if text.contains("CIRCULAR REFERENCE") && !self.chain.is_empty() {
            return true;
        }
        if let Some(suppressed) = self.suppressed {
            return !suppressed.has_frames;
        }
        match self.chain.last_mut() {
            None => self.header(text),
            Some(last) if last.frames.is_empty() && self.message_lines < Self::MAX_MESSAGE_LINES => {
                self.message_lines += 1;
                if last.message.len() + text.len() < Self::MAX_MESSAGE {
                    last.message.push('\n');
                    last.message.push_str(text);
                }
                true
            }
            Some(_) => false,
        }
    }

    /// Nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.chain.is_empty()
    }

    /// The chain, outermost first, and what could not be read.
    pub fn finish(self) -> (Vec<Throwable>, Vec<Issue>) {
        (self.chain, self.issues)
    }

    fn header(&mut self, text: &str) -> bool {
        let text = without_thread(text);
        let (class, message) = match text.split_once(':') {
            Some((class, message)) => (class.trim_end(), message.trim()),
            None => (text, ""),
        };
        if !is_class(class) {
            return false;
        }
        if self.chain.len() < Self::MAX_CHAIN {
            let message = clipped(message, Self::MAX_MESSAGE).to_owned();
            self.chain.push(Throwable { class: class.to_owned(), message, frames: Vec::new() });
            self.message_lines = 0;
        } else {
            self.suppressed = Some(Suppressed { indent: 0, has_frames: false });
        }
        true
    }

    fn frame(&mut self, number: usize, frame: Frame) -> bool {
        if let Some(suppressed) = &mut self.suppressed {
            suppressed.has_frames = true;
            return true;
        }
        let Some(link) = self.chain.last_mut() else {
            if self.issues.is_empty() {
                let text =
                    "a frame stands before any exception: the log begins in the middle; left out".into();
                self.issues.push(Issue { line: number, text });
            }
            return false;
        };
        if link.frames.len() < Self::MAX_FRAMES {
            link.frames.push(frame);
        }
        true
    }

    fn more(&mut self, number: usize, count: &str) -> bool {
        if self.suppressed.is_some() {
            return true;
        }
        let Ok(count) = count.trim().parse::<usize>() else { return false };
        let [.., outer, link] = self.chain.as_mut_slice() else { return !self.chain.is_empty() };
        let Some(skip) = outer.frames.len().checked_sub(count) else {
            let text =
                format!("`... {count} more`, but the exception around it has only {}", outer.frames.len());
            self.issues.push(Issue { line: number, text });
            return true;
        };
        let room = Self::MAX_FRAMES.saturating_sub(link.frames.len());
        link.frames.extend(outer.frames[skip..].iter().take(room).cloned());
        true
    }
}

/// Reads a whole printed stack, as an activity controller or a JVM gives it.
pub fn parse_stack(text: &str) -> (Vec<Throwable>, Vec<Issue>) {
    let mut reader = StackReader::default();
    for (number, line) in numbered(text) {
        reader.feed(number, line);
    }
    reader.finish()
}

/// One frame without its `at`: `org.example.Notes.save(Notes.java:12)`.
pub fn parse_frame(text: &str) -> Option<Frame> {
    let open = text.find('(')?;
    let place = text[open + 1..].split(')').next().unwrap_or_default();
    let name = without_module(text[..open].trim());
    let (class, method) = name.rsplit_once('.')?;
    if class.is_empty() || method.is_empty() || name.contains(['\t', '=', '"']) {
        return None;
    }
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, line.parse().ok()),
        None => (place, None),
    };
    let known = !matches!(file, "Native Method" | "Native method" | "Unknown Source" | "NULL");
    Some(Frame {
        class: class.to_owned(),
        method: method.to_owned(),
        file: if known { file.to_owned() } else { String::new() },
        line: if known { line } else { None },
    })
}

/// A JVM names the module first (`java.base/java.lang.Thread`); a lambda's class has a slash of its own
/// (`Notes$$Lambda/0x7f00`).
fn without_module(name: &str) -> &str {
    match name.rsplit_once('/') {
        Some((_, rest)) if !rest.starts_with(|first: char| first.is_ascii_digit()) => rest,
        _ => name,
    }
}

/// A JVM starts with `Exception in thread "main" `.
fn without_thread(text: &str) -> &str {
    text.strip_prefix("Exception in thread \"")
        .and_then(|rest| rest.split_once("\" "))
        .map_or(text, |(_, rest)| rest)
}

fn is_class(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
        && text.chars().all(|letter| {
            letter.is_alphanumeric() || matches!(letter, '.' | '$' | '_' | '-' | '/' | '<' | '>')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suppressed_exception_and_its_cause_are_no_causes() {
        let text = "java.io.IOException: outer\n\tat a.b.C.d(C.java:1)\n\tSuppressed: java.lang.Error: s\n\t\tat x.y.Z.w(Z.java:2)\n\tCaused by: java.lang.Error: t\n\t\tat x.y.Z.v(Z.java:3)\nCaused by: java.lang.IllegalStateException: root\n\tat a.b.C.e(C.java:4)\n\t... 1 more\n";
        let (chain, issues) = parse_stack(text);
        assert_eq!(issues, []);
        let classes: Vec<&str> = chain.iter().map(|link| link.class.as_str()).collect();
        assert_eq!(classes, ["java.io.IOException", "java.lang.IllegalStateException"]);
        let methods: Vec<&str> = chain[1].frames.iter().map(|frame| frame.method.as_str()).collect();
        assert_eq!(methods, ["e", "d"]);
    }

    #[test]
    fn frames_of_a_jvm_a_phone_and_an_anr_are_read_alike() {
        let expected = Some(Frame {
            class: "java.lang.Thread".into(),
            method: "run".into(),
            file: "Thread.java".into(),
            line: Some(9),
        });
        assert_eq!(parse_frame("java.lang.Thread.run(Thread.java:9)"), expected);
        assert_eq!(parse_frame("java.lang.Thread.run (Thread.java:9)"), expected);
        assert_eq!(parse_frame("java.base/java.lang.Thread.run(Thread.java:9)"), expected);
        let lambda = parse_frame("a.B$$Lambda$14/0x0000000800066840.run(Unknown Source)").unwrap();
        assert_eq!((lambda.class.as_str(), lambda.line), ("a.B$$Lambda$14/0x0000000800066840", None));
    }

    #[test]
    fn a_message_of_several_lines_stays_with_its_exception() {
        let (chain, _) = parse_stack("a.B: one\ntwo\n\nthree\n\tat a.C.d(C.java)\nelsewhere\n");
        assert_eq!(chain[0].message, "one\ntwo\nthree");
        assert_eq!(chain[0].frames.len(), 1);
    }
}
