//! The attributes of one tag, whatever state they are in.

/// One piece of a tag after its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// An attribute, with its value as it is written.
    Attribute {
        name: &'a str,
        raw: &'a str,
        /// The offset of the value in the tag.
        at: usize,
        /// It is not of the form `name="value"`, and the value is a guess.
        broken: bool,
    },
    /// Something that is no attribute.
    Junk {
        text: &'a str,
        /// Its offset in the tag.
        at: usize,
    },
}

/// Walks over the pieces of a tag. Dumps are damaged in transit and written by tools that forget to escape, so a lost
/// or a stray quote must cost one attribute, not the rest of the tag.
#[derive(Clone, Debug)]
pub(super) struct Attributes<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Attributes<'a> {
    /// How far a lost closing quote is searched for. It keeps the work linear in hostile tags.
    const MAX_SEARCH: usize = 4_096;

    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// All pieces are attributes of the proper form.
    pub(super) fn are_well_formed(self) -> bool {
        let mut pieces = self;
        pieces.all(|piece| matches!(piece, Piece::Attribute { broken: false, .. }))
    }

    fn skip_while(&mut self, mut skipped: impl FnMut(u8) -> bool) {
        while self.peek().is_some_and(&mut skipped) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The value that begins after the opening quote, and whether its end is a guess. Moves behind it.
    fn quoted(&mut self, quote: u8) -> (&'a str, bool) {
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = find(rest, quote) else {
            self.at = self.text.len();
            return (rest, true);
        };
        let after = &rest[first + 1..];
        if after.is_empty() || after.starts_with(is_space) || after == "/" {
            self.at = start + first + 1;
            return (&rest[..first], false);
        }
        if let Some((end, resume)) = lost_quote(&rest[..first]) {
            self.at = start + resume;
            return (&rest[..end], true);
        }
        let end = if begins_attribute(after) { first } else { stray_quotes(rest, first, quote) };
        self.at = start + end + 1;
        (&rest[..end], true)
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        self.skip_while(|byte| byte.is_ascii_whitespace() || byte == b'/');
        let start = self.at;
        self.skip_while(is_name_byte);
        let name = &self.text[start..self.at];
        let name_end = self.at;
        self.skip_while(|byte| byte.is_ascii_whitespace());
        if name.is_empty() || self.peek() != Some(b'=') {
            self.at = name_end;
            self.skip_while(|byte| !byte.is_ascii_whitespace());
            let text = &self.text[start..self.at];
            return (!text.is_empty()).then_some(Piece::Junk { text, at: start });
        }
        self.at += 1;
        self.skip_while(|byte| byte.is_ascii_whitespace());
        let at = self.at;
        if let Some(quote @ (b'"' | b'\'')) = self.peek() {
            self.at += 1;
            let (raw, broken) = self.quoted(quote);
            return Some(Piece::Attribute { name, raw, at: at + 1, broken });
        }
        self.skip_while(|byte| !byte.is_ascii_whitespace());
        let raw = self.text[at..self.at].trim_end_matches('/');
        Some(Piece::Attribute { name, raw, at, broken: true })
    }
}

/// A value such as `abc index=` has swallowed the next attribute's name, since its own closing quote is lost. Gives the
/// end of the true value and the start of that name.
fn lost_quote(value: &str) -> Option<(usize, usize)> {
    let before = value.trim_end_matches(is_space).strip_suffix('=')?;
    let name = before.rfind(is_space)? + 1;
    let looks_like_a_name = before.len() > name && before.bytes().skip(name).all(is_name_byte);
    looks_like_a_name.then(|| (before[..name].trim_end_matches(is_space).len(), name))
}

/// A value such as `say "hi" now` has quotes that should have been escaped: it ends at the quote after which the next
/// attribute begins. Without such a quote, it ends at the first.
fn stray_quotes(rest: &str, first: usize, quote: u8) -> usize {
    rest.bytes()
        .enumerate()
        .skip(first + 1)
        .take(Attributes::MAX_SEARCH)
        .filter(|&(_, byte)| byte == quote)
        .map(|(end, _)| end)
        .find(|end| {
            let after = rest[end + 1..].trim_start_matches(is_space);
            after.is_empty() || after == "/" || begins_attribute(after)
        })
        .unwrap_or(first)
}

/// A name, an equals sign and a quote.
fn begins_attribute(text: &str) -> bool {
    const MAX_NAME: usize = 40;
    let text = text.as_bytes();
    let name = text.iter().take(MAX_NAME).take_while(|&&byte| is_name_byte(byte)).count();
    name > 0 && matches!(text[name..], [b'=', b'"' | b'\'', ..])
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.') || !byte.is_ascii()
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace()
}

fn find(text: &str, byte: u8) -> Option<usize> {
    text.bytes().position(|other| other == byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and values, with `!` before the name of a broken attribute and `?` before junk.
    fn check(tag: &str, pieces: &[&str]) {
        let found: Vec<_> = Attributes::new(tag)
            .map(|piece| match piece {
                Piece::Attribute { name, raw, at, broken } => {
                    assert_eq!(&tag[at..at + raw.len()], raw);
                    format!("{}{name}={raw}", if broken { "!" } else { "" })
                }
                Piece::Junk { text, .. } => format!("?{text}"),
            })
            .collect();
        assert_eq!(found, pieces);
    }

    #[test]
    fn attributes_of_the_proper_form_are_read() {
        check("", &[]);
        check(" a=\"1\" b-c='2' d = \"x > 'y' < z\" /", &["a=1", "b-c=2", "d=x > 'y' < z"]);
        check(" a=\"1\"/", &["a=1"]);
    }

    #[test]
    fn a_lost_closing_quote_costs_one_attribute() {
        check(" a=\"one b=\"two\" c=\"3\"", &["!a=one", "b=two", "c=3"]);
        check(" a=\"one two  b=\"\" c=\"3\"", &["!a=one two", "b=", "c=3"]);
        check(" a=\"one", &["!a=one"]);
    }

    #[test]
    fn unescaped_quotes_stay_in_the_value() {
        check(" a=\"say \"hi\" now\" b=\"2\"", &["!a=say \"hi\" now", "b=2"]);
        check(" a=\"the \"end\"", &["!a=the \"end"]);
    }

    #[test]
    fn a_long_word_after_a_stray_quote_may_end_in_the_middle_of_a_character() {
        let word = format!("{}{}", "x".repeat(39), "é".repeat(20));
        check(&format!(" a=\"1\"{word}"), &["!a=1", &format!("?{word}")]);
    }

    #[test]
    fn missing_spaces_quotes_values_and_names_are_survived() {
        check(" a=\"1\"b=\"2\"", &["!a=1", "b=2"]);
        check(" a=1 b=\"2\"", &["!a=1", "b=2"]);
        check(" a b=\"2\"", &["?a", "b=2"]);
        check(" =\"1\" b=\"2\"", &["?=\"1\"", "b=2"]);
        check(" a= b=\"2\"", &["!a=b=\"2\""]);
        check(" a=", &["!a="]);
        check(" a=\"1\" \" b=\"2\"", &["a=1", "?\"", "b=2"]);
    }
}
