//! Stacks as Android prints them.

use std::fmt::Write as _;

use siamang::oracle::Failure;

/// A stack as Android prints it.
pub fn stack(failure: &Failure) -> String {
    let mut text = String::new();
    for (number, link) in failure.chain.iter().enumerate() {
        let cause = if number == 0 { "" } else { "Caused by: " };
        let message = if link.message.is_empty() { String::new() } else { format!(": {}", link.message) };
        let _ = writeln!(text, "{cause}{}{message}", link.class);
        for frame in &link.frames {
            let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
            let file = if frame.file.is_empty() { "Unknown Source" } else { &frame.file };
            let _ = writeln!(text, "\tat {}.{}({file}{line})", frame.class, frame.method);
        }
    }
    text
}
