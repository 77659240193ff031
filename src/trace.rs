//! What happened: the spine of a run, and traces that can be replayed.
//!
//! Only this module defines formats on disk; they are versioned and have structs of their own.

pub mod cut;
pub mod event_tree;
pub mod foreign;
pub mod framed;
pub mod ineffective;
pub mod key_events;
pub mod log;
pub mod pack;
pub mod record;
pub mod replay;
pub mod run_folder;
pub mod segments;
pub mod shrink_report;
pub mod store_error;
pub mod suite_folder;
pub mod summary;
pub mod trace_files;
pub mod user_event;
pub mod window_tree;

use xxhash_rust::xxh3::xxh3_64;

pub use cut::CutError;
pub use framed::LogIssue;
pub use log::{SpineReader, SpineWriter};
pub use pack::{PackReader, PackWriter};
pub use record::{RunEvent, Screen, StepRecord, Touched, Trace, TraceEvent};
pub use run_folder::{Crash, Recorder, RunFolder, RunInfo, TraceKind};
pub use shrink_report::{Nd3MinReport, ShrinkReport};
pub use store_error::StoreError;
pub use summary::{Summary, SummaryFold};

/// A folder's name made from anything an app or a user may say: at most 40 characters of `[a-z0-9-]` and 8 hex digits of
/// a hash, so that no name can leave its folder, clash or grow.
pub fn folder_name(name: &str) -> String {
    const MAX_READABLE: usize = 40;
    let mut readable = String::with_capacity(MAX_READABLE);
    for character in name.chars() {
        if readable.len() >= MAX_READABLE {
            break;
        }
        let lower = character.to_ascii_lowercase();
        if lower.is_ascii_lowercase() || lower.is_ascii_digit() {
            readable.push(lower);
        } else if !readable.is_empty() && !readable.ends_with('-') {
            readable.push('-');
        }
    }
    let readable = readable.trim_end_matches('-');
    let hash = xxh3_64(name.as_bytes()) as u32;
    if readable.is_empty() { format!("{hash:08x}") } else { format!("{readable}-{hash:08x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_folder() {
        assert_eq!(folder_name("../../x"), format!("x-{:08x}", xxh3_64(b"../../x") as u32));
        let marks = "\u{200f}".repeat(1400);
        assert_eq!(folder_name(&marks).len(), 8);
        assert!(folder_name(&"long".repeat(1000)).len() <= 49);
    }
}
