//! Whole JSON files: written at once, read with errors that help.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::write_atomically;
use crate::trace::StoreError;

/// No JSON file of a run is larger; what is, is something else.
const MAX_BYTES: u64 = 1 << 30;

pub(in crate::trace) fn write(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|error| StoreError::writing(path, error.into()))?;
    text.push(b'\n');
    write_atomically(path, &text)
}

/// Reads a file that says its version in a field.
pub(in crate::trace) fn read<T: DeserializeOwned>(
    path: &Path,
    expected: &'static str,
    version_field: &'static str,
    known: u32,
) -> Result<T, StoreError> {
    let text = read_text(path, expected)?;
    // The version comes first: fields that a later one has changed must not hide it.
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| StoreError::json(path, expected, &error))?;
    let malformed = |found| StoreError::Malformed { path: path.to_owned(), expected, found };
    let Some(fields) = value.as_object() else {
        return Err(malformed("it is JSON, but no object".into()));
    };
    match fields.get(version_field).map(serde_json::Value::as_u64) {
        Some(Some(found)) if found > u64::from(known) => {
            let found = u32::try_from(found).unwrap_or(u32::MAX);
            Err(StoreError::TooNew { path: path.to_owned(), found, known })
        }
        Some(Some(_)) => {
            serde_json::from_slice(&text).map_err(|error| StoreError::json(path, expected, &error))
        }
        _ => Err(malformed(format!("it does not say its `{version_field}`"))),
    }
}

fn read_text(path: &Path, expected: &'static str) -> Result<Vec<u8>, StoreError> {
    let wrong = |error| StoreError::reading(path, error);
    let file = File::open(path).map_err(wrong)?;
    let malformed =
        |found: &str| StoreError::Malformed { path: path.to_owned(), expected, found: found.into() };
    let metadata = file.metadata().map_err(wrong)?;
    if metadata.is_dir() {
        return Err(malformed("it is a folder"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(malformed("it is larger than a gigabyte"));
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut text).map_err(wrong)?;
    Ok(text)
}
