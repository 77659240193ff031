//! Planned failures and their stacks.

use std::ops::Range;

use super::Compiler;
use crate::device::virtual_device::app::{FailurePlan, PlannedThrowable};
use crate::device::virtual_device::app_model::{CauseDef, FailureDef, FailureKindDef, Located};
use crate::device::virtual_device::expr::{Slot, Template};
use crate::oracle::{FailureKind, Frame};

impl Compiler<'_> {
    pub(super) fn failure(&mut self, name: &str, def: &FailureDef, near: Range<usize>) -> FailurePlan {
        let kind = match def.kind {
            FailureKindDef::Java => FailureKind::Java,
            FailureKindDef::Native => FailureKind::Native,
            FailureKindDef::Anr => FailureKind::Anr,
            FailureKindDef::Exit => FailureKind::Exit,
            FailureKindDef::Swallowed => FailureKind::Swallowed,
        };
        let part = def.exception.as_ref().or(def.message.as_ref()).or(def.stack.first());
        let near = part.map_or(near, |part| part.span.clone());
        let screen = def.screen.as_ref().and_then(|screen| self.activity_named(screen));
        if kind == FailureKind::Java && def.exception.is_none() {
            self.error(
                &near,
                format!(
                    "the failure `{name}` needs an `exception`, such as \"java.lang.NullPointerException\""
                ),
            );
        }
        if kind == FailureKind::Swallowed && (def.exception.is_none() || screen.is_none()) {
            let message = format!(
                "the swallowed failure `{name}` needs an `exception` and the `screen` that its handler shows"
            );
            self.error(&near, message);
        }
        let class = match (kind, &def.exception, &def.signal) {
            (_, Some(exception), _) => Some(exception.value.clone()),
            (FailureKind::Native, None, signal) => Some(signal.clone().unwrap_or_else(|| "SIGSEGV".into())),
            (FailureKind::Anr, None, _) => Some("ANR".into()),
            _ => None,
        };
        let mut chain = Vec::new();
        if let Some(class) = class {
            chain.push(PlannedThrowable {
                class,
                message: self.failure_text(def.message.as_ref()),
                frames: self.frames(&def.stack, kind),
            });
        }
        let mut cause: Option<&CauseDef> = def.cause.as_deref();
        while let Some(next) = cause {
            chain.push(PlannedThrowable {
                class: next.exception.value.clone(),
                message: self.failure_text(next.message.as_ref()),
                frames: self.frames(&next.stack, kind),
            });
            cause = next.cause.as_deref();
        }
        FailurePlan {
            name: name.into(),
            kind,
            chain,
            message: self.failure_text(def.message.as_ref()),
            screen,
            shortest: def.shortest,
        }
    }

    /// The message of a failure sees only the app's variables: it may be raised from any activity.
    fn failure_text(&mut self, text: Option<&Located<String>>) -> Template {
        let Some(text) = text else { return Template::default() };
        let resolve = |name: &str| {
            let position = self.globals.iter().position(|variable| variable.name == name)?;
            Some(Slot::Global(position as u16))
        };
        match Template::compile(&self.engine, &text.value, &resolve) {
            Ok(template) => template,
            Err(message) => {
                self.error(
                    &text.span,
                    format!(
                        "in the message `{}`: {message} (only `data.disk` and `data.process`)",
                        text.value
                    ),
                );
                Template::default()
            }
        }
    }

    fn frames(&mut self, stack: &[Located<String>], kind: FailureKind) -> Vec<Frame> {
        let package = &self.def.package.value;
        let mut frames = Vec::new();
        let mut wrong = Vec::new();
        for line in stack {
            match parse_frame(&line.value, package) {
                Some(frame) => frames.push(frame),
                None => wrong.push((
                    line.span.clone(),
                    format!(
                        "`{}` is no frame; write `EditActivity.save:42` or `libnotes.so.parse`",
                        line.value
                    ),
                )),
            }
        }
        self.errors.extend(wrong);
        if matches!(kind, FailureKind::Java | FailureKind::Swallowed | FailureKind::Anr) {
            frames.extend(framework_frames());
        }
        frames
    }
}

/// `EditActivity.save:42` in the app's package, or a class with dots in any other.
fn parse_frame(text: &str, package: &str) -> Option<Frame> {
    let (place, line) = match text.rsplit_once(':') {
        Some((place, line)) => (place, Some(line.trim().parse::<u32>().ok()?)),
        None => (text, None),
    };
    let (class, method) = place.trim().rsplit_once('.')?;
    if class.is_empty() || method.is_empty() {
        return None;
    }
    let file_stem = class.rsplit('.').next()?.split('$').next()?;
    let native = class.rsplit('.').next() == Some("so");
    let full = if class.contains('.') { class.to_owned() } else { format!("{package}.{class}") };
    let file = if native { String::new() } else { format!("{file_stem}.java") };
    Some(Frame { class: full, method: method.to_owned(), file, line })
}

/// What stands below the app's frames in every stack of a main thread.
fn framework_frames() -> impl Iterator<Item = Frame> {
    [
        ("android.os.Handler", "dispatchMessage", "Handler.java", 106),
        ("android.os.Looper", "loop", "Looper.java", 223),
        ("android.app.ActivityThread", "main", "ActivityThread.java", 7656),
        ("com.android.internal.os.ZygoteInit", "main", "ZygoteInit.java", 947),
    ]
    .into_iter()
    .map(|(class, method, file, line)| Frame {
        class: class.into(),
        method: method.into(),
        file: file.into(),
        line: Some(line),
    })
}
