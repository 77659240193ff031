//! The words of a script. Scripts are run by rhai; here they are only looked at.

/// One token of a script.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::device::virtual_device) enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Number,
    /// A string.
    Text(String),
    /// An operator or a bracket.
    Sign(&'a str),
}

const SIGNS: [&str; 25] = [
    "<<=", ">>=", "**=", "...", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "|=", "&=",
    "^=", "=>", "??", "?.", "#{", "::", "..", "**",
];
/// The tokens of a script; comments are passed over. A text with `${…}` in it is what it stands for: a sum of texts and
/// expressions.
pub(in crate::device::virtual_device) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    read(source, &mut found);
    found
}

fn read<'a>(source: &'a str, found: &mut Vec<Token<'a>>) {
    let bytes = source.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let rest = &source[at..];
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += comment(rest);
        } else if byte == b'`' {
            at += 1 + interpolated(&rest[1..], found);
        } else if matches!(byte, b'"' | b'\'') {
            let (text, end) = string(source, at);
            found.push(Token::Text(text));
            at = end;
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let end = rest
                .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
                .unwrap_or(rest.len());
            found.push(Token::Word(&rest[..end]));
            at += end;
        } else if byte.is_ascii_digit() {
            let end = number(rest);
            found.push(rest[..end].replace('_', "").parse().map_or(Token::Number, Token::Int));
            at += end;
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(1, |sign| sign.len());
            let end =
                (at + sign..=source.len()).find(|&end| source.is_char_boundary(end)).unwrap_or(source.len());
            found.push(Token::Sign(&source[at..end]));
            at = end;
        }
    }
}

/// How long a number is. The dots of a range and of a call do not belong to it.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let dot = bytes[end] == b'.' && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !bytes[end].is_ascii_alphanumeric() && bytes[end] != b'_' && !dot {
            break;
        }
        end += 1;
    }
    end
}

/// How long a block comment is; they nest.
fn comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest.as_bytes()[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.as_bytes()[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Reads what follows a backtick; how long it is with the closing one.
fn interpolated<'a>(rest: &'a str, found: &mut Vec<Token<'a>>) -> usize {
    let mut from = 0;
    loop {
        let stop = |at: &usize| rest[*at..].starts_with('`') || rest[*at..].starts_with("${");
        let at = (from..rest.len()).filter(|&at| rest.is_char_boundary(at)).find(stop);
        let Some(at) = at else {
            found.push(Token::Text(rest[from..].to_owned()));
            return rest.len();
        };
        found.push(Token::Text(rest[from..at].to_owned()));
        if rest[at..].starts_with('`') {
            return at + 1;
        }
        let inside = &rest[at + 2..];
        let end = closing(inside).unwrap_or(inside.len());
        found.extend([Token::Sign("+"), Token::Sign("(")]);
        read(&inside[..end], found);
        found.extend([Token::Sign(")"), Token::Sign("+")]);
        from = (at + 2 + end + 1).min(rest.len());
    }
}

/// Where the brace is that closes one opened just before; braces in texts do not count.
pub(in crate::device::virtual_device) fn closing(source: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < source.len() {
        match source.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            b'"' | b'\'' => {
                at = string(source, at).1;
                continue;
            }
            b'`' => {
                at += 1 + interpolated(&source[at + 1..], &mut Vec::new());
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The string that starts at a quote, and where the script goes on after it.
fn string(source: &str, start: usize) -> (String, usize) {
    let quote = source.as_bytes()[start];
    let mut text = String::new();
    let mut characters = source[start + 1..].char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, other)) => text.push(other),
                None => break,
            },
            _ if character as u32 == u32::from(quote) => return (text, start + 1 + at + 1),
            _ => text.push(character),
        }
    }
    (text, source.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_comments_and_texts_with_expressions_fall_apart_as_rhai_reads_them() {
        use Token::{Int, Sign, Text, Word};
        assert_eq!(tokens("0..n"), [Int(0), Sign(".."), Word("n")]);
        assert_eq!(tokens("1.5"), [Token::Number]);
        assert_eq!(tokens("a /* b /* c */ d */ + e // f"), [Word("a"), Sign("+"), Word("e")]);
        let (plus, open, close) = (Sign("+"), Sign("("), Sign(")"));
        let text = |text: &str| Text(text.into());
        assert_eq!(
            tokens("`a ${b + `}`} c`"),
            [text("a "), plus.clone(), open, Word("b"), plus.clone(), text("}"), close, plus, text(" c")]
        );
    }

    #[test]
    fn no_text_breaks_it() {
        for source in ["`", "`${", "`${`", "/*", "/*/", "\"", "'\\", "0.", "ä`ö${ü}", "{\"}", "``}"] {
            let _ = (tokens(source), closing(source));
        }
    }
}
