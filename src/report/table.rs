//! Tables of text: columns as wide as they need, numbers to the right.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::letters::is_harmless;

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A cell longer than this is cut.
    const MAX_CELL: usize = 60;
    /// A column of words is cut so far before anything else is.
    const MIN_CELL: usize = 12;
    /// Where that is not enough, words and the heads of columns of numbers are cut to this.
    const LEAST_CELL: usize = 4;

    /// An empty table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|&(name, align)| (name.to_owned(), align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| clean(&cell)).collect());
    }

    /// There are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text, indented by two.
    pub fn render(&self) -> String {
        self.render_with(&self.widths())
    }

    /// The table as text of at most this width, as far as cutting words in the columns of words can bring that about.
    pub fn render_within(&self, width: usize) -> String {
        let mut widths = self.widths();
        let all: usize = widths.iter().map(|width| width + 2).sum();
        let mut over = all.saturating_sub(width);
        let head = |column: usize| self.columns[column].0.chars().count();
        let is_words = |column: usize| self.columns[column].1 == Align::Left;
        let mut cut = |which: &dyn Fn(usize) -> bool, shortest: &dyn Fn(usize) -> usize| {
            for (column, of_column) in widths.iter_mut().enumerate().filter(|(column, _)| which(*column)) {
                let cut = over.min(of_column.saturating_sub(shortest(column)));
                *of_column -= cut;
                over -= cut;
            }
        };
        cut(&is_words, &|column| head(column).max(Self::MIN_CELL));
        // Numbers stay whole.
        cut(&|column| !is_words(column), &|column| self.widest_cell(column).max(Self::LEAST_CELL));
        cut(&is_words, &|_| Self::LEAST_CELL);
        if over > 0 && self.name_width() + Self::MIN_CELL + 4 <= width {
            return self.one_below_the_other(width);
        }
        self.render_with(&widths)
    }

    /// The rows one below the other, a line a cell, for a terminal on which no row has room.
    fn one_below_the_other(&self, width: usize) -> String {
        let names = self.name_width();
        let room = width - names - 4;
        let mut out = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            for ((name, _), cell) in self.columns.iter().zip(row) {
                let _ = writeln!(out, "  {name:<names$}  {}", cut(cell, room));
            }
        }
        out
    }

    fn name_width(&self) -> usize {
        self.columns.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0)
    }

    fn widest_cell(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0)
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| self.widest_cell(column).max(self.columns[column].0.chars().count());
        (0..self.columns.len()).map(width).collect()
    }

    fn render_with(&self, widths: &[usize]) -> String {
        let mut out = String::new();
        let heads: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&heads).chain(&self.rows) {
            let mut line = String::from(" ");
            for (column, &width) in widths.iter().enumerate() {
                let cell = cut(row.get(column).map_or("", String::as_str), width);
                let _ = match self.columns[column].1 {
                    Align::Left => write!(line, " {cell:<width$} "),
                    Align::Right => write!(line, " {cell:>width$} "),
                };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// What a terminal may get: lines and colours, and nothing else that it would obey, wherever in the text an app's words
/// stand.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| character == '\n' || is_harmless(character)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let taken = match character {
            '\u{1b}' => colour(rest).unwrap_or_default(),
            '\n' | '\t' => &rest[..1],
            _ if is_harmless(character) => &rest[..character.len_utf8()],
            _ => "",
        };
        out.push_str(taken);
        rest = &rest[taken.len().max(character.len_utf8())..];
    }
    Cow::Owned(out)
}

/// The sequence for a colour that a text begins with.
fn colour(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let end = inner.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    inner[end..].starts_with('m').then(|| &text[..="\u{1b}[".len() + end])
}

/// What an app says stays on its line: no control characters, no marks that turn the text around, nothing endless.
pub fn clean(cell: &str) -> String {
    let visible = |character: &char| is_harmless(*character);
    let mut text: String = cell.chars().filter(visible).take(Table::MAX_CELL + 1).collect();
    if text.chars().count() > Table::MAX_CELL {
        text = text.chars().take(Table::MAX_CELL - 1).collect();
        text.push('…');
    }
    text
}

/// A text of at most this width; what is cut off is said.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_an_app_cannot_break_them() {
        let mut table = Table::new(&[("failure", Align::Left), ("events", Align::Right)]);
        table.row(["a\u{202e}b\nc".to_owned(), "7".to_owned()]);
        table.row(["x".repeat(200), "12345".to_owned()]);
        let text = table.render();
        assert!(text.lines().all(|line| line.chars().count() <= 2 + 60 + 2 + 6));
        assert!(text.contains("  abc "));
    }

    #[test]
    fn words_are_cut_where_the_terminal_is_narrow() {
        let mut table =
            Table::new(&[("failure", Align::Left), ("algorithm", Align::Left), ("events", Align::Right)]);
        table.row([
            "java IllegalStateException Crash.run".to_owned(),
            "pathfirst".to_owned(),
            "7".to_owned(),
        ]);
        assert_eq!(
            table.render_within(40),
            "  failure              algorithm  events\n  java IllegalStateE…  pathfirst       7\n"
        );
        assert_eq!(table.render_within(200), table.render());
        assert_eq!(table.render_within(20), "  fai…  algor…  eve…\n  jav…  pathf…     7\n");
        let mut wide =
            Table::new(&[("failure", Align::Left), ("original", Align::Right), ("runs", Align::Right)]);
        wide.row(["java E Crash.run".to_owned(), "123,456,789".to_owned(), "123,456,789".to_owned()]);
        assert_eq!(
            wide.render_within(28),
            "  failure   java E Crash.run\n  original  123,456,789\n  runs      123,456,789\n"
        );
        assert_eq!(table.render_within(0), "  fai…  alg…  eve…\n  jav…  pat…     7\n", "numbers stay whole");
    }
}
