//! What was wrong with a dump, and where.

use std::fmt;

use thiserror::Error;

/// One thing that was wrong with a dump. The tree holds what could be saved of the place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ParseIssue {
    /// The line, counted from 1.
    pub line: u32,
    /// The character in the line, counted from 1.
    pub column: u32,
    /// What was wrong.
    pub kind: IssueKind,
}

impl fmt::Display for ParseIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)
    }
}

/// The ways in which dumps are wrong. Each message says what was made of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IssueKind {
    /// Bytes that are no text.
    #[error("bytes that are not UTF-8; read as \u{fffd}")]
    NotUtf8,
    /// The file came through a shell that rewrote it.
    #[error("the file is UTF-16, not UTF-8; it was converted")]
    Utf16,
    /// An entity that XML does not know.
    #[error("unknown entity `{0}`; kept as it is")]
    UnknownEntity(String),
    /// An ampersand that begins no reference.
    #[error("a bare `&`; kept as it is")]
    BareAmpersand,
    /// A numeric reference to half a character, or to none.
    #[error("`{0}` is no character; read as \u{fffd}")]
    NotACharacter(String),
    /// Bounds that are not `[left,top][right,bottom]`.
    #[error("bounds `{0}` are not `[left,top][right,bottom]`; read as {1}")]
    BadBounds(String, super::super::Bounds),
    /// A yes-or-no attribute with another value.
    #[error("`{0}` is `{1}`, neither `true` nor `false`; read as {2}")]
    BadBoolean(&'static str, String, bool),
    /// A number that is none, or too large.
    #[error("`{0}` is `{1}`, not a number that fits; read as {2}")]
    BadNumber(&'static str, String, i64),
    /// A word that is not in the list of an attribute.
    #[error("`{0}` has the unknown value `{1}`; {2}")]
    UnknownWord(&'static str, String, &'static str),
    /// An attribute that every widget has.
    #[error("the attribute `{0}` is missing")]
    MissingAttribute(&'static str),
    /// An attribute that comes twice.
    #[error("the attribute `{0}` comes twice; the first one counts")]
    DuplicateAttribute(String),
    /// An attribute without quotes, value or name.
    #[error("broken attribute near `{0}`")]
    BrokenAttribute(String),
    /// A tag that runs into the next one.
    #[error("broken tag `{0}`; reading goes on at the next tag")]
    BrokenTag(String),
    /// An element that no dump has.
    #[error("unknown element `{0}`; its children are kept")]
    UnknownElement(String),
    /// An end tag without a start tag.
    #[error("`</{0}>` closes nothing; ignored")]
    UnexpectedClose(String),
    /// Start tags without end tags.
    #[error("`</{0}>` comes while {1} inner elements are open; they are closed here")]
    Unclosed(String, u32),
    /// Words where only elements belong.
    #[error("text between elements ignored: `{0}`")]
    StrayText(String),
    /// The file ends too early.
    #[error("the dump ends too early, with {0} elements open")]
    Truncated(usize),
    /// Two dumps in one file.
    #[error("a second dump begins here; its windows are added below")]
    SecondDump,
    /// Nothing in the file looks like a dump.
    #[error("no widgets found: is this a uiautomator dump?")]
    NoDump,
    /// The file is larger than any screen.
    #[error("more than {0} widgets; the rest is not read")]
    TooManyWidgets(usize),
    /// The file is so broken that looking for readable tags takes too long.
    #[error("too many broken tags; the rest is not read")]
    TooDamaged,
    /// There are more issues than anyone reads.
    #[error("{0} more issues are not listed")]
    More(usize),
}

/// Collects issues by byte offset; lines and columns are counted once, at the end.
#[derive(Debug, Default)]
pub(super) struct Issues {
    found: Vec<(usize, IssueKind)>,
    more: usize,
}

impl Issues {
    /// Nobody reads more, and a hostile file must not fill the memory with them.
    pub(super) const MAX: usize = 1_000;

    pub(super) fn report(&mut self, at: usize, kind: IssueKind) {
        if self.found.len() < Self::MAX {
            self.found.push((at, kind));
        } else {
            self.more += 1;
        }
    }

    /// Reports what happens at most once a file and must not be missed.
    pub(super) fn conclude(&mut self, at: usize, kind: IssueKind) {
        self.found.push((at, kind));
    }

    /// The issues in the order of the file.
    pub(super) fn finish(mut self, text: &str) -> Vec<ParseIssue> {
        self.found.sort_by_key(|&(at, _)| at);
        let (mut line, mut column, mut counted) = (1, 1, 0);
        let mut advance_to = |at: usize| {
            while let Some(newline) = text.get(counted..at).and_then(|part| part.find('\n')) {
                counted += newline + 1;
                line += 1;
                column = 1;
            }
            column += text.get(counted..at).map_or(0, |part| part.chars().count() as u32);
            counted = counted.max(at);
            (line, column)
        };
        let mut issues: Vec<_> = self
            .found
            .into_iter()
            .map(|(at, kind)| {
                let (line, column) = advance_to(at);
                ParseIssue { line, column, kind }
            })
            .collect();
        if self.more > 0 {
            let (line, column) = advance_to(text.len());
            issues.push(ParseIssue { line, column, kind: IssueKind::More(self.more) });
        }
        issues
    }
}

/// The beginning of a piece of a dump, made fit for a message of one line.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let text = text.trim();
    let mut short = String::new();
    for c in text.chars().take(MAX_CHARS) {
        match c {
            '"' | '\'' | '\\' => short.push(c),
            c => short.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(MAX_CHARS).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let text = "añb\ncd\n\nx";
        let mut issues = Issues::default();
        for at in [9, 3, 0, 5] {
            issues.report(at, IssueKind::BareAmpersand);
        }
        let places: Vec<_> =
            issues.finish(text).into_iter().map(|issue| (issue.line, issue.column)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (2, 1), (4, 1)]);
    }

    #[test]
    fn only_the_first_thousand_issues_are_listed() {
        let mut issues = Issues::default();
        for _ in 0..1_500 {
            issues.report(0, IssueKind::BareAmpersand);
        }
        let issues = issues.finish("");
        assert_eq!(issues.len(), 1_001);
        assert_eq!(issues[1_000].to_string(), "1:1: 500 more issues are not listed");
    }
}
