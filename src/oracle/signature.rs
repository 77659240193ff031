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

/// Whether line numbers count. They change with every build, but tell two bugs of one method apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Lines {
    /// They do not.
    #[default]
    Ignored,
    /// They do.
    Counted,
}

/// Whose code a frame is. The nearest to the app that occurs anywhere in the chain is what counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// Of the app's package, or obfuscated, which only an app's code is.
    Own,
    /// Neither the app's package nor the platform: a library, or an app whose code has another package.
    Bundled,
    /// Android, Java, Kotlin.
    Platform,
    /// Platform code that is below every stack and differs between versions and between phone and JVM.
    Plumbing,
}

/// Of a stack without any frame of the app, only so many frames count: the innermost say what failed, the outer ones
/// only how the system got there.
const MAX_PLATFORM_FRAMES: usize = 8;

impl Signature {
    /// The signature of a failure.
    pub fn of(failure: &Failure) -> Self {
        Self::with(failure, Lines::Ignored)
    }

    /// The signature of a failure, with or without line numbers.
    pub fn with(failure: &Failure, lines: Lines) -> Self {
        let kind = failure.kind.word();
        let reach = reach(failure);
        let mut key = String::from(kind);
        for link in &failure.chain {
            key.push('\n');
            key.push_str(&normal_class(&link.class));
            for frame in counted(link, failure, reach, lines) {
                key.push_str("\n\t");
                key.push_str(&frame);
            }
        }
        let mut words = vec![kind.to_owned()];
        if let Some(cause) = failure.chain.last() {
            if failure.kind != FailureKind::Anr {
                words.push(last_segment(&normal_class(&cause.class)).to_owned());
            }
            words.extend(innermost(failure).or_else(|| cause.frames.first()).map(word));
        } else {
            let reason = normal_reason(&failure.message);
            key.push('\n');
            key.push_str(&reason);
            words.extend((!reason.is_empty()).then_some(reason));
        }
        words.push(format!("{:08x}", xxh3_64(key.as_bytes()) as u32));
        Self(words.join(" "))
    }

    /// It is of a crash whose stack was not recorded: at best the exception is known, at worst only that there was a crash.
    pub fn lacks_stack(&self) -> bool {
        self.kind() == FailureKind::Java.word() && self.0.split(' ').count() <= 3
    }

    /// A failure may be the one that was recorded. What was not recorded is unknown, and not different: without a stack every
    /// crash with the same exception fits, and without an exception every crash.
    pub fn fits(&self, failure: &Failure) -> bool {
        if *self == Self::of(failure) {
            return true;
        }
        if !self.lacks_stack() || !matches!(failure.kind, FailureKind::Java | FailureKind::Native) {
            return false;
        }
        let bare = |chain: Vec<Throwable>| {
            let (package, message) = (failure.package.clone(), String::new());
            Self::of(&Failure { kind: FailureKind::Java, package, chain, message })
        };
        let alone = |link: &Throwable| Throwable {
            class: link.class.clone(),
            message: String::new(),
            frames: Vec::new(),
        };
        let same = |link: &Throwable| *self == bare(vec![alone(link)]);
        *self == bare(Vec::new())
            || failure.chain.iter().any(same)
            || *self == bare(failure.chain.iter().map(alone).collect())
    }

    /// The kind of the failure: `java`, `native`, `anr`, `exit` or `swallowed`.
    pub fn kind(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
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

impl Frame {
    /// The frame is of this package's code.
    pub fn is_of(&self, package: &str) -> bool {
        if is_native(self) {
            return !package.is_empty() && self.file.contains(package);
        }
        !package.is_empty()
            && self
                .class
                .strip_prefix(package)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']))
    }
}

/// How far from the app the frames that count may be.
fn reach(failure: &Failure) -> Origin {
    let frames = failure.chain.iter().flat_map(|link| &link.frames);
    frames.map(|frame| origin(frame, &failure.package)).min().unwrap_or(Origin::Plumbing)
}

/// The frames of one exception that count, each once: how deep a recursion or a view tree is says nothing. Of a hang it is
/// the outermost of the app: it was entered there, and where in it the stack was taken is chance.
fn counted(link: &Throwable, failure: &Failure, reach: Origin, lines: Lines) -> Vec<String> {
    let near = || link.frames.iter().filter(|frame| origin(frame, &failure.package) <= reach);
    let mut texts: Vec<String> =
        near().filter(|frame| !is_bridge(frame)).map(|frame| text(frame, lines)).collect();
    if texts.is_empty() {
        texts = near().map(|frame| text(frame, lines)).collect();
    }
    if link.class.ends_with("StackOverflowError") {
        return cycle(texts);
    }
    if failure.kind == FailureKind::Anr {
        return texts.pop().into_iter().collect();
    }
    let mut distinct: Vec<String> = Vec::new();
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    if reach >= Origin::Platform {
        distinct.truncate(MAX_PLATFORM_FRAMES);
    }
    distinct
}

/// The frame that names a failure: of its cause, or of what that has caused.
pub(super) fn innermost(failure: &Failure) -> Option<&Frame> {
    let reach = reach(failure);
    failure.chain.iter().rev().find_map(|link| named(link, failure, reach))
}

/// The frame that names the failure: the innermost that counts, or of a recursion the first by name.
fn named<'a>(link: &'a Throwable, failure: &Failure, reach: Origin) -> Option<&'a Frame> {
    let first = counted(link, failure, reach, Lines::Ignored).into_iter().next()?;
    let near = |frame: &&Frame| origin(frame, &failure.package) <= reach;
    link.frames.iter().filter(near).find(|frame| text(frame, Lines::Ignored) == first)
}

/// A stack overflow strikes anywhere in its recursion, so the frames that repeat count, in no order.
fn cycle(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    let mut repeated: Vec<String> =
        texts.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).collect();
    repeated.dedup();
    if repeated.is_empty() {
        texts.dedup();
        return texts;
    }
    repeated
}

fn origin(frame: &Frame, package: &str) -> Origin {
    const PLUMBING: &[&str] = &[
        "android.app.ActivityThread",
        "android.os.Handler",
        "android.os.Looper",
        "android.os.MessageQueue",
        "com.android.internal.os.",
        "dalvik.system.",
        "java.lang.Thread",
        "java.lang.reflect.",
        "jdk.internal.",
        "org.robolectric.",
        "sun.reflect.",
    ];
    const PLATFORM: &[&str] = &[
        "android.",
        "androidx.",
        "com.android.",
        "java.",
        "javax.",
        "kotlin.",
        "kotlinx.",
        "libcore.",
        "sun.",
    ];
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| frame.class.starts_with(prefix));
    if is_native(frame) {
        const ABORT: &[&str] =
            &["abort", "raise", "tgkill", "__libc_init", "__pthread_start", "__start_thread"];
        return if frame.file.starts_with("/data/") || frame.is_of(package) {
            Origin::Own
        } else if ABORT.iter().any(|name| frame.method.starts_with(name)) {
            Origin::Plumbing
        } else {
            Origin::Platform
        };
    }
    if frame.is_of(package) || is_obfuscated(&frame.class) {
        Origin::Own
    } else if starts(PLUMBING) {
        Origin::Plumbing
    } else if starts(PLATFORM) {
        Origin::Platform
    } else {
        Origin::Bundled
    }
}

/// `A4.d`, `a.b.c$a`: nobody writes such names, and no library keeps them.
fn is_obfuscated(class: &str) -> bool {
    class.split(['.', '$']).all(|part| part.len() <= 2)
}

/// The file of a native frame is a path, a mapping in brackets, or nothing when the dump has no path.
fn is_native(frame: &Frame) -> bool {
    frame.file.starts_with(['/', '['])
}

/// Frames that compilers put between two written ones. A phone has them, a JVM often not.
fn is_bridge(frame: &Frame) -> bool {
    let method = frame.method.as_str();
    frame.class.contains("$$Lambda")
        || frame.class.contains("$$ExternalSynthetic")
        || frame.class.contains("$$InternalSynthetic")
        || method.starts_with("access$")
        || method.starts_with("-$$Nest$")
        || method.starts_with("$r8$lambda$")
        || method.starts_with("-wrap")
        || method.starts_with("-get")
        || method.starts_with("-set")
}

fn text(frame: &Frame, lines: Lines) -> String {
    let line = match (lines, frame.line) {
        (Lines::Counted, Some(line)) => format!(":{line}"),
        _ => String::new(),
    };
    if is_native(frame) {
        return format!("{}!{}", frame.class, frame.method);
    }
    format!("{}.{}{line}", normal_class(&frame.class), normal_method(&frame.method))
}

/// The frame as people read it: without the package.
fn word(frame: &Frame) -> String {
    if is_native(frame) {
        return format!("{}!{}", frame.class, frame.method);
    }
    format!("{}.{}", last_segment(&normal_class(&frame.class)), normal_method(&frame.method))
}

/// Anonymous and lambda classes carry numbers and hashes that change with every build.
fn normal_class(class: &str) -> String {
    let class = class.split('/').next().unwrap_or_default();
    if let Some((package, rest)) = class.split_once("-$$Lambda$") {
        return format!("{package}{}$λ", rest.split('$').next().unwrap_or_default());
    }
    let mut normal = String::with_capacity(class.len());
    let mut last = "";
    for part in class.split('$').filter(|part| !part.is_empty()) {
        let part = match part {
            _ if part.bytes().all(|byte| byte.is_ascii_digit()) => "#",
            "lambda" | "Lambda" => "λ",
            _ if is_numbered(part, "lambda-") => "λ",
            _ if part.starts_with("ExternalSynthetic") || part.starts_with("InternalSynthetic") => "λ",
            _ => part,
        };
        if matches!((last, part), ("#" | "λ", "#")) || (last == part && part == "λ") {
            continue;
        }
        if !normal.is_empty() {
            normal.push('$');
        }
        normal.push_str(part);
        last = part;
    }
    normal
}

/// `lambda$onCreate$0`, `onCreate$lambda$0`, `onCreate$lambda-0`: a lambda is named after the method it was written in.
fn normal_method(method: &str) -> String {
    if let Some(rest) = method.strip_prefix("lambda$") {
        return format!("λ{}", rest.split('$').next().unwrap_or_default());
    }
    match method.find("$lambda") {
        Some(end) => format!("λ{}", &method[..end]),
        None => method.to_owned(),
    }
}

fn is_numbered(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The reason of a failure without a stack: what stands before its details, without numbers.
fn normal_reason(message: &str) -> String {
    const MAX_WORDS: usize = 8;
    let head = message.split(['(', '\n', '{', '[']).next().unwrap_or_default();
    let words = head.split_whitespace().filter(|word| !word.contains(|letter: char| letter.is_ascii_digit()));
    words.take(MAX_WORDS).collect::<Vec<_>>().join(" ")
}

fn last_segment(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}
