//! The report as Markdown, for a bug tracker.

use std::fmt::Write as _;

use super::Explanation;
use super::terminal::{Detail, Part, headline, parts, summary};
use crate::letters::is_harmless;

/// The whole report.
pub fn render(explanation: &Explanation, detail: Detail) -> String {
    let mut out = format!("# {}\n\n", escaped(&headline(explanation)));
    out.push_str(&inner(explanation, detail));
    out
}

/// The report without its title, to be put below another.
pub fn inner(explanation: &Explanation, detail: Detail) -> String {
    let mut out = String::new();
    for line in summary(explanation) {
        let _ = writeln!(out, "- {}", escaped(&line));
    }
    for Part { title, lines } in parts(explanation, detail) {
        let _ = writeln!(out, "\n{}\n", escaped(&title));
        for line in lines {
            let _ = writeln!(out, "- {}", escaped(&line));
        }
    }
    for note in &explanation.notes {
        let _ = writeln!(out, "\nNote: {}", escaped(note));
    }
    out
}

/// What an app says stays on its line and is no markup.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // An underscore within a word is none that emphasises.
        let emphasises =
            character == '_' && !(in_word && characters.peek().is_some_and(|next| next.is_alphanumeric()));
        in_word = character.is_alphanumeric();
        match character {
            _ if emphasises => out.push_str("\\_"),
            '`' | '*' | '<' | '>' | '[' | ']' | '|' | '\\' | '&' => {
                out.push('\\');
                out.push(character);
            }
            _ if !is_harmless(character) => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}
