//! Stacks as Android prints them.

use std::fmt::Write as _;

use siamang::oracle::{Failure, Throwable};

/// A stack as Android prints it.
pub fn stack(failure: &Failure) -> String {
    let mut text = String::new();
    for (number, link) in failure.chain.iter().enumerate() {
        let cause = if number == 0 { "" } else { "Caused by: " };
        let message = if link.message.is_empty() { String::new() } else { format!(": {}", link.message) };
        let _ = writeln!(text, "{cause}{}{message}", link.class);
        frames(link, &mut text);
    }
    text
}

/// An ANR as the agent tells it: the report of the system, and the traces from its drop box.
pub fn hang(failure: &Failure, process: &str, pid: u32) -> String {
    let mut text = format!("ANR in {process} ({process}/.Main)\nPID: {pid}\nReason: {}\n", failure.message);
    let _ = write!(
        text,
        "----- pid {pid} at 2026-11-16 09:40:04 -----\nCmd line: {process}\n\"main\" prio=5 tid=1\n"
    );
    for link in &failure.chain {
        frames(link, &mut text);
    }
    text
}

fn frames(of: &Throwable, text: &mut String) {
    for frame in &of.frames {
        let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
        let file = if frame.file.is_empty() { "Unknown Source" } else { &frame.file };
        let _ = writeln!(text, "\tat {}.{}({file}{line})", frame.class, frame.method);
    }
}
