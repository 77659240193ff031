//! The tags of a file, one after another, also after broken ones.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::attributes::Attributes;
use super::elements::Element;
use super::issue::{IssueKind, Issues, excerpt};

/// One tag, or the text between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// A start tag.
    Open {
        name: &'a str,
        /// All that comes after the name.
        attributes: &'a str,
        /// The offset of the tag in the file.
        at: usize,
        /// It has no end tag.
        empty: bool,
    },
    /// An end tag.
    Close { name: &'a str, at: usize },
    /// Text that is not only white space.
    Text { text: &'a str, at: usize },
}

impl<'a> Tag<'a> {
    /// From `<` up to the next tag at the latest.
    fn parse(whole: &'a str, at: usize) -> Self {
        let body = whole.trim_end();
        let body = body.strip_suffix('>').unwrap_or(body).trim_start_matches('<');
        let (body, empty) = body.strip_suffix('/').map_or((body, false), |body| (body, true));
        let is_end = |c: char| c.is_ascii_whitespace() || c == '/';
        if let Some(name) = body.strip_prefix('/') {
            return Self::Close { name: name.split(is_end).next().unwrap_or_default(), at };
        }
        let (name, attributes) = body.split_at(body.find(is_end).unwrap_or(body.len()));
        Self::Open { name, attributes, at, empty }
    }
}

/// Gives the tags of a file in order.
///
/// A lost quote makes an XML reader see all quotes after it the wrong way round and swallow the rest of the file. So a
/// tag that reaches the end of the file, or that contains another tag and is not well formed, is cut where the next
/// tag begins, and reading starts afresh there.
#[derive(Debug)]
pub(super) struct Tags<'a> {
    text: &'a str,
    /// Where the reader started.
    base: usize,
    reader: Reader<&'a [u8]>,
    /// How many bytes may be read again after broken tags.
    budget: usize,
    /// The file ended inside a tag.
    pub(super) truncated: bool,
}

impl<'a> Tags<'a> {
    /// A file may be read again so many times in all because of broken tags; beyond, it is given up.
    const REREADS: usize = 64;
    /// Small files may be read again as often as they need.
    const MIN_BUDGET: usize = 1 << 24;

    pub(super) fn new(text: &'a str) -> Self {
        let budget = text.len().saturating_mul(Self::REREADS).max(Self::MIN_BUDGET);
        Self { text, base: 0, reader: reader(text), budget, truncated: false }
    }

    fn position(&self) -> usize {
        self.base + self.reader.buffer_position() as usize
    }

    pub(super) fn next(&mut self, issues: &mut Issues) -> Option<Tag<'a>> {
        loop {
            let at = self.position();
            let event = self.reader.read_event();
            let end = self.position();
            match event {
                Ok(Event::Eof) => return None,
                Ok(Event::Start(_) | Event::Empty(_) | Event::End(_)) => {
                    let whole = &self.text[at..end];
                    let Some(inner) = inner_tag(whole) else { return Some(Tag::parse(whole, at)) };
                    if !self.restart(at, at + inner, end, issues) {
                        return None;
                    }
                    return Some(Tag::parse(&whole[..inner], at));
                }
                Ok(Event::Text(_) | Event::GeneralRef(_) | Event::CData(_)) => {
                    let text = &self.text[at..end];
                    if !text.trim().is_empty() {
                        return Some(Tag::Text { text, at });
                    }
                }
                Ok(_) => {}
                // The reader has gone past an ill-formed piece by itself.
                Err(quick_xml::Error::IllFormed(_)) if end > at => {}
                Err(_) => {
                    let Some(next) = next_tag(self.text, at + 1) else {
                        self.truncated = true;
                        return None;
                    };
                    if !self.restart(at, next, self.text.len(), issues) {
                        return None;
                    }
                    let whole = &self.text[at..next];
                    if !whole.starts_with("<!") && !whole.starts_with("<?") {
                        return Some(Tag::parse(whole, at));
                    }
                }
            }
        }
    }

    /// Starts afresh at a tag inside or after a broken one, unless that has been done too often.
    fn restart(&mut self, broken: usize, next: usize, reached: usize, issues: &mut Issues) -> bool {
        let again = reached - next;
        if again > self.budget {
            issues.conclude(broken, IssueKind::TooDamaged);
            return false;
        }
        self.budget -= again;
        issues.report(broken, IssueKind::BrokenTag(excerpt(&self.text[broken..next])));
        self.base = next;
        self.reader = reader(&self.text[next..]);
        true
    }
}

fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

/// Where in a tag another one begins. A well-formed tag has none: there a `<` is part of a value.
fn inner_tag(whole: &str) -> Option<usize> {
    if !whole.as_bytes()[1..].contains(&b'<') {
        return None;
    }
    let inner = next_tag(whole, 1)?;
    match Tag::parse(whole, 0) {
        Tag::Open { attributes, .. } if Attributes::new(attributes).are_well_formed() => None,
        _ => Some(inner),
    }
}

/// The first place at or after an offset that looks like a tag of a dump.
fn next_tag(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices('<').map(|(at, _)| from + at).find(|at| {
        let name = &text[at + 1..];
        let name = name.strip_prefix('/').unwrap_or(name);
        let end = name.bytes().take(Element::MAX_NAME).position(|byte| !Element::is_name_byte(byte));
        Element::of(&name[..end.unwrap_or_default()]) != Element::Unknown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tags in short form: `node a="1"` for a start tag, `node/` for an empty one, `/node` for an end tag.
    fn check(text: &str, tags: &[&str], issues: usize) {
        let mut found = Issues::default();
        let mut reader = Tags::new(text);
        let mut short = Vec::new();
        while let Some(tag) = reader.next(&mut found) {
            short.push(match tag {
                Tag::Open { name, attributes, at, empty } => {
                    assert!(text[at..].starts_with('<'));
                    format!("{name}{attributes}{}", if empty { "/" } else { "" })
                }
                Tag::Close { name, .. } => format!("/{name}"),
                Tag::Text { text, .. } => format!("'{}'", text.trim()),
            });
        }
        assert_eq!(short, tags);
        assert_eq!(found.finish(text).len(), issues);
    }

    #[test]
    fn declarations_and_comments_are_skipped_and_text_is_told() {
        check("<?xml version='1.0'?><!-- x --> <node/> bye", &["node/", "'bye'"], 0);
        check("<node><![CDATA[<node/>]]></node >", &["node", "'<![CDATA[<node/>]]>'", "/node"], 0);
    }

    #[test]
    fn a_lost_quote_does_not_swallow_the_tags_after_it() {
        check("<node a=\"1><node b=\"2\"/></node>", &["node a=\"1", "node b=\"2\"/", "/node"], 1);
        check("<node a=\"1/>\n<node b=\"2\"/>", &["node a=\"1/", "node b=\"2\"/"], 1);
    }

    #[test]
    fn a_lost_bracket_does_not_swallow_the_next_tag() {
        check("<node a=\"1\" <node b=\"2\"/>", &["node a=\"1\"", "node b=\"2\"/"], 1);
        check("</node <node/>", &["/node", "node/"], 1);
    }

    #[test]
    fn a_tag_in_a_proper_value_is_a_value() {
        check("<node a=\"<node>\"/>", &["node a=\"<node>\"/"], 0);
    }

    #[test]
    fn unclosed_declarations_do_not_swallow_the_dump() {
        check("<?xml version='1.0'><hierarchy/>", &["hierarchy/"], 1);
        check("<!-- <hierarchy/>", &["hierarchy/"], 1);
        check("<!x <hierarchy/>", &["hierarchy/"], 1);
        check("<!DOCTYPE><hierarchy/>", &["hierarchy/"], 0);
    }

    #[test]
    fn a_file_of_nothing_but_broken_tags_is_given_up_in_time() {
        let text = "<node \"".repeat(300_000);
        let mut issues = Issues::default();
        let mut tags = Tags::new(&text);
        while tags.next(&mut issues).is_some() {}
        let issues = issues.finish(&text);
        assert_eq!(issues.last().map(|issue| &issue.kind), Some(&IssueKind::TooDamaged));
    }
}
