//! The shell of every HTML page: nothing is loaded, nothing is run, and everything an app says is text.

use std::fmt::Write as _;

use crate::letters::is_harmless;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ddd; --faint: #666; --bad: #b3261e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #161616; --line: #3a3a3a; --faint: #a0a0a0; --bad: #ff8a80; --good: #6fdd8b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .55rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 8rem; }
figure { margin: 0; } figcaption { color: var(--faint); }
svg { max-width: min(100%, 48rem); height: auto; } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1rem; color: var(--faint); }
pre { overflow-x: auto; background: color-mix(in srgb, var(--line) 35%, transparent); padding: .6rem .8rem; border-radius: 4px; font-size: .85rem; }
.bad { color: var(--bad); } .good { color: var(--good); } .faint { color: var(--faint); }
.strip { display: flex; gap: 1rem; overflow-x: auto; padding: .3rem 0 .8rem; align-items: flex-start; }
.strip figure { margin: 0; flex: 0 0 11rem; width: 11rem; } .strip figcaption { font-size: .8rem; line-height: 1.3; overflow-wrap: anywhere; margin-top: .3rem; }
.strip svg, .strip img { width: 11rem; height: auto; display: block; border: 1px solid var(--line); border-radius: 4px; }
.strip .none { width: 11rem; height: 19rem; box-sizing: border-box; border: 1px dashed var(--line); border-radius: 4px; padding: 1rem; color: var(--faint); font-size: .8rem; overflow-wrap: anywhere; }
";

/// A whole page around a body that is markup already.
pub fn shell(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// A table with a row of heads.
pub fn table(heads: &[impl AsRef<str>], rows: &[impl AsRef<[String]>]) -> String {
    let head = row("th", heads.iter().map(AsRef::as_ref));
    let rows: Vec<String> =
        rows.iter().map(|cells| row("td", cells.as_ref().iter().map(String::as_str))).collect();
    let rows = rows.concat();
    format!("<div class=\"wide\"><table>\n{head}{rows}</table></div>\n")
}

/// One row of cells.
pub fn row<'a>(tag: &str, cells: impl Iterator<Item = &'a str>) -> String {
    let mut row = String::from("<tr>");
    for cell in cells {
        let _ = write!(row, "<{tag}>{}</{tag}>", escape(cell));
    }
    row.push_str("</tr>\n");
    row
}

/// Text as it may stand in markup: nothing of it is markup, and nothing is a character that XML forbids.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            _ if !is_harmless(character) => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

/// Bytes as an address that holds them.
pub fn data_address(kind: &str, bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = format!("data:{kind};base64,");
    for three in bytes.chunks(3) {
        let group =
            three.iter().fold(0_u32, |group, &byte| group << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= three.len() { digit as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_base64() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(data_address("a/b", bytes.as_bytes()), format!("data:a/b;base64,{text}"));
        }
    }

    #[test]
    fn what_an_app_says_is_no_markup() {
        assert_eq!(escape("<b a='1'>&\u{1}\u{7}"), "&lt;b a=&#39;1&#39;&gt;&amp;  ");
        assert_eq!(escape("a\u{202e}b\u{2067}c\u{2069}"), "a b c ", "nor does it turn the page around");
    }
}
