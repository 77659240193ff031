//! Reading and writing uiautomator dumps.
//!
//! [`read`] takes whatever a phone, a tool or a damaged disk hands over and gives back a tree and the list of what was
//! wrong with it; it has no way to fail. [`write()`] gives a dump that [`read`] turns into the same tree, and that other
//! tools can open.
//!
//! Three forms are understood: the `<hierarchy>` of `uiautomator dump`, the `<displays>` of `uiautomator dump --windows`,
//! and page sources whose elements are named after the widgets' classes.

mod attributes;
mod decode;
mod elements;
mod issue;
mod read;
mod tags;
mod unescape;
mod values;
mod words;
mod write;

pub use issue::{IssueKind, ParseIssue};
pub use read::{read, read_with};
pub use write::write;
