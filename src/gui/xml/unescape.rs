//! From an attribute's value in a file to the text it stands for.

use std::borrow::Cow;

use super::issue::{IssueKind, Issues, excerpt};

/// The longest reference that is looked at: `&#x0010FFFF;` and all named ones are shorter.
const MAX_REFERENCE: usize = 16;

/// Resolves the references in a value. What cannot be resolved stays as it is written, with an issue.
///
/// Android's old serialiser writes a character beyond the basic plane as two references, one for each half of its
/// surrogate pair: such a pair is one character. References to control characters are taken as they are, since apps do
/// show them; so are line breaks, which XML would turn into spaces.
pub(super) fn unescape<'a>(raw: &'a str, at: usize, issues: &mut Issues) -> Cow<'a, str> {
    let Some(first) = raw.find('&') else { return raw.into() };
    let mut text = String::with_capacity(raw.len());
    text.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while !rest.is_empty() {
        let place = at + raw.len() - rest.len();
        let (replaced, used) = match Reference::parse(rest) {
            Some(Reference::Char(c, used)) => (Some(c), used),
            Some(Reference::High(high, used)) => match Reference::parse(&rest[used..]) {
                Some(Reference::Low(low, more)) => (Some(join(high, low)), used + more),
                _ => (None, used),
            },
            Some(Reference::Low(_, used) | Reference::Nothing(used)) => (None, used),
            Some(Reference::Unknown(used)) => {
                issues.report(place, IssueKind::UnknownEntity(excerpt(&rest[..used])));
                text.push_str(&rest[..used]);
                rest = skip_plain(&rest[used..], &mut text);
                continue;
            }
            None => {
                issues.report(place, IssueKind::BareAmpersand);
                text.push('&');
                rest = skip_plain(&rest[1..], &mut text);
                continue;
            }
        };
        if replaced.is_none() {
            issues.report(place, IssueKind::NotACharacter(excerpt(&rest[..used])));
        }
        text.push(replaced.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = skip_plain(&rest[used..], &mut text);
    }
    text.into()
}

/// Copies what comes before the next reference.
fn skip_plain<'a>(rest: &'a str, text: &mut String) -> &'a str {
    let (plain, rest) = rest.split_at(rest.find('&').unwrap_or(rest.len()));
    text.push_str(plain);
    rest
}

/// What an ampersand begins, and how many bytes it takes.
enum Reference {
    Char(char, usize),
    High(u32, usize),
    Low(u32, usize),
    /// A number beyond all characters.
    Nothing(usize),
    Unknown(usize),
}

impl Reference {
    /// `None` if the text does not begin with something of the form of a reference.
    fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix('&')?;
        let end = body.bytes().take(MAX_REFERENCE).position(|byte| byte == b';')?;
        let body = &body[..end];
        let used = end + 2;
        if let Some(number) = body.strip_prefix('#') {
            let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
            if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
                return None;
            }
            let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
            return Some(match code {
                0xd800..0xdc00 => Self::High(code, used),
                0xdc00..0xe000 => Self::Low(code, used),
                _ => char::from_u32(code).map_or(Self::Nothing(used), |c| Self::Char(c, used)),
            });
        }
        let c = match body {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            name if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                return Some(Self::Unknown(used));
            }
            _ => return None,
        };
        Some(Self::Char(c, used))
    }
}

fn join(high: u32, low: u32) -> char {
    let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, text: &str, issues: &[&str]) {
        let mut found = Issues::default();
        assert_eq!(unescape(raw, 0, &mut found), text);
        let found: Vec<_> = found.finish(raw).iter().map(ToString::to_string).collect();
        assert_eq!(found, issues);
    }

    #[test]
    fn known_references_are_resolved() {
        check("plain", "plain", &[]);
        check("a &lt;b&gt; &amp; &quot;c&quot; &apos;", "a <b> & \"c\" '", &[]);
        check("&#10;&#x41;&#X42;&#1;&#0;", "\nAB\u{1}\0", &[]);
    }

    #[test]
    fn a_surrogate_pair_in_two_references_is_one_character() {
        check("&#55357;&#56832;!", "😀!", &[]);
        check("&#xD83D;&#xDE00;", "😀", &[]);
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        check("&#55357;x", "\u{fffd}x", &["1:1: `&#55357;` is no character; read as \u{fffd}"]);
        check("x&#56832;", "x\u{fffd}", &["1:2: `&#56832;` is no character; read as \u{fffd}"]);
        check("&#99999999;", "\u{fffd}", &["1:1: `&#99999999;` is no character; read as \u{fffd}"]);
    }

    #[test]
    fn what_is_no_reference_stays_as_it_is() {
        check("&nbsp;x", "&nbsp;x", &["1:1: unknown entity `&nbsp;`; kept as it is"]);
        check("a & b", "a & b", &["1:3: a bare `&`; kept as it is"]);
        check("&", "&", &["1:1: a bare `&`; kept as it is"]);
        check("a&&amp;", "a&&", &["1:2: a bare `&`; kept as it is"]);
        check("&#;&#xg;", "&#;&#xg;", &["1:1: a bare `&`; kept as it is", "1:4: a bare `&`; kept as it is"]);
    }
}
