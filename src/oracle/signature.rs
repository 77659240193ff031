//! The key under which two failures are the same bug.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Failure, FailureKind, Frame, Throwable};

/// Kind, exception chain and app frames of a failure, normalised: no message, no line number, no generated name.
///
/// It is readable (`java NullPointerException EditActivity.save 1f0c22aa`) and ends with a hash of everything that
/// counts, so that two bugs with the same headline stay apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(pub String);

impl Signature {
    /// The signature of a failure.
    pub fn of(failure: &Failure) -> Self {
        let mut key = String::from(failure.kind.word());
        for throwable in &failure.chain {
            key.push('\n');
            key.push_str(&throwable.class);
            for frame in app_frames(throwable, &failure.package) {
                key.push_str("\n\t");
                key.push_str(&normal_class(&frame.class));
                key.push('.');
                key.push_str(&normal_method(&frame.method));
            }
        }
        if failure.chain.is_empty() {
            key.push('\n');
            key.push_str(&failure.message);
        }
        let hash = xxh3_64(key.as_bytes()) as u32;
        let mut words = vec![failure.kind.word().to_owned()];
        if let Some(cause) = failure.chain.last() {
            if failure.kind != FailureKind::Anr {
                words.push(last_segment(&cause.class).to_owned());
            }
            let frame = app_frames(cause, &failure.package).next().or_else(|| cause.frames.first());
            if let Some(frame) = frame {
                words.push(format!(
                    "{}.{}",
                    last_segment(&normal_class(&frame.class)),
                    normal_method(&frame.method)
                ));
            }
        }
        words.push(format!("{hash:08x}"));
        Self(words.join(" "))
    }

    /// The name of the folder that holds everything about this failure: at most 40 characters of `[a-z0-9-]` made from
    /// the signature, and 8 hex digits.
    pub fn folder(&self) -> String {
        crate::trace::folder_name(&self.0)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The frames of the app itself. Where a stack has none of them, all frames count.
fn app_frames<'a>(throwable: &'a Throwable, package: &'a str) -> impl Iterator<Item = &'a Frame> {
    let own = move |frame: &Frame| frame.class.starts_with(package);
    let none = !throwable.frames.iter().any(own);
    throwable.frames.iter().filter(move |frame| none || own(frame))
}

/// Anonymous and lambda classes carry numbers that change with every build.
fn normal_class(class: &str) -> String {
    class
        .split('$')
        .filter(|part| !part.is_empty())
        .map(|part| if part.bytes().all(|byte| byte.is_ascii_digit()) { "#" } else { part })
        .map(|part| if part.contains("Lambda") { "λ" } else { part })
        .collect::<Vec<_>>()
        .join("$")
}

fn normal_method(method: &str) -> String {
    match method.strip_prefix("lambda$") {
        Some(rest) => format!("λ{}", rest.split('$').next().unwrap_or_default()),
        None => method.to_owned(),
    }
}

fn last_segment(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}
