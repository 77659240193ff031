//! Where things stand in the text of a model that the reader gives no place for.

use std::ops::Range;

/// Where a text stands first.
pub(super) fn find(source: &str, text: &str) -> Range<usize> {
    source.find(text).map_or(0..0, |start| start..start + text.len())
}

/// Where a table, such as `failure.lost`, is declared.
pub(super) fn table(source: &str, table: &str, name: &str) -> Range<usize> {
    let header = find(source, &format!("{table}.{name}"));
    if header.end > 0 {
        return header.end - name.len()..header.end;
    }
    let Some(start) = source.find(&format!("[{table}]")) else { return 0..0 };
    let key = source[start..].find(&format!("\n{name}")).map(|at| start + at + 1);
    key.map_or(start..start, |key| key..key + name.len())
}

/// Where a variable is declared, at or after a place; that place if nowhere.
pub(super) fn declaration(source: &str, from: usize, variable: &str) -> Range<usize> {
    let rest = &source[from..];
    let mut at = 0;
    while let Some(found) = rest[at..].find(variable) {
        let start = at + found;
        let end = start + variable.len();
        let alone = !rest[..start].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let after = rest[end..].trim_start_matches(['"', '\'']).trim_start();
        if alone && after.starts_with('=') {
            return from + start..from + end;
        }
        // An empty name is everywhere.
        at = end.max(at + 1);
        if at >= rest.len() || !rest.is_char_boundary(at) {
            break;
        }
    }
    from..from
}
