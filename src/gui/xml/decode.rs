//! From bytes to text.

use std::borrow::Cow;

use super::issue::{IssueKind, Issues};

/// The text of a dump. Byte order marks go, bytes that are no text become replacement characters, and a file that a
/// shell on Windows has rewritten as UTF-16 is converted.
pub(super) fn decode<'a>(bytes: &'a [u8], issues: &mut Issues) -> Cow<'a, str> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes, issues).into(),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes, issues).into(),
        _ => decode_utf8(skip_marks(bytes), issues),
    }
}

/// The XML reader would skip a mark without counting it, and all places after it would be wrong.
fn skip_marks(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = bytes.strip_prefix("\u{feff}".as_bytes()) {
        bytes = rest;
    }
    bytes
}

fn decode_utf8<'a>(bytes: &'a [u8], issues: &mut Issues) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            issues.report(text.len(), IssueKind::NotUtf8);
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text.into()
}

fn decode_utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16, issues: &mut Issues) -> String {
    issues.report(0, IssueKind::Utf16);
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String =
        char::decode_utf16(units).map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.trim_start_matches('\u{feff}').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, issues: usize) {
        let mut found = Issues::default();
        assert_eq!(decode(bytes, &mut found), text);
        assert_eq!(found.finish(text).len(), issues);
    }

    #[test]
    fn byte_order_marks_are_dropped() {
        check("\u{feff}<a/>".as_bytes(), "<a/>", 0);
        check("\u{feff}\u{feff}<a/>".as_bytes(), "<a/>", 0);
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        check(b"a\xffb\xc3", "a\u{fffd}b\u{fffd}", 2);
    }

    #[test]
    fn a_file_that_became_utf_16_is_converted() {
        check(b"\xff\xfe<\0a\0>\0", "<a>", 1);
        check(b"\xfe\xff\0<\0a\0>", "<a>", 1);
        check(b"\xff\xfe\x3d\xd8\x00\xde\x3d\xd8", "😀\u{fffd}", 1);
    }
}
