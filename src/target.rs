//! What is to be explored: an app model in a file, a generated one, or an APK.

pub mod subject;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use subject::Subject;

#[cfg(feature = "jvm")]
use crate::device::jvm::{apk::Apk, host::Habits, workshop::Workshop};
use crate::device::virtual_device::app::App;
use crate::device::virtual_device::compile::{self, ModelError};
use crate::device::virtual_device::generator::{Spec, SpecError};

/// An app as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An app model in a file.
    Model(PathBuf),
    /// A generated app.
    Generated(Spec),
    /// An app for a phone, in a file.
    Apk(PathBuf),
}

/// May the network be asked for what is missing?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Once, for what is not kept yet.
    Online,
    /// Never.
    Offline,
}

/// Why a target cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// There is no such file.
    #[error(
        "there is no `{0}`; name an APK, an app model such as models/notes.toml, or generated:plain?seed=1"
    )]
    Missing(String),
    /// The app of a trace is not where it was.
    #[error("this was recorded on `{0}`, which is not here; name the app with --target")]
    Moved(String),
    /// It is no file.
    #[error("cannot read `{0}`: it is a folder; name the APK or the app model in it")]
    Folder(String),
    /// The file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no text.
    #[error("`{0}` is not an app model: it is not UTF-8 text")]
    NotText(String),
    /// The model is larger than any model is.
    #[error("`{0}` is larger than {limit} MB; that is no app model", limit = Target::MAX_BYTES >> 20)]
    TooLarge(String),
    /// The numbers of a generated app are wrong.
    #[error("{0}")]
    Spec(#[from] SpecError),
    /// The model has errors.
    #[error("{}", join(.path, .errors))]
    Model {
        /// The file.
        path: String,
        /// All of them, in the order of the file.
        errors: Vec<ModelError>,
    },
    /// It is no model but an app.
    #[error("`{0}` is an app for a phone; this command takes app models (`.toml`) and generated apps only")]
    Phone(String),
    /// The app cannot be run here.
    #[cfg(feature = "jvm")]
    #[error("{0}")]
    SetUp(#[from] crate::device::jvm::SetUpError),
}

impl Target {
    /// An app model is never larger than this.
    const MAX_BYTES: u64 = 64 << 20;

    /// What the user means.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        if text.starts_with(Spec::PREFIX) {
            return Ok(Self::Generated(Spec::parse(text)?));
        }
        let path = Path::new(text);
        if path.is_dir() {
            return Err(TargetError::Folder(text.to_owned()));
        }
        if path.exists() {
            let phone = path.extension().is_some_and(|extension| extension == "apk");
            return Ok(if phone { Self::Apk(path.to_owned()) } else { Self::Model(path.to_owned()) });
        }
        Err(TargetError::Missing(text.to_owned()))
    }

    /// The app of a trace: the one that the user wishes, or else the one that the trace names. A trace is often read in
    /// another folder than the one it was recorded in: the app is looked for here, then beside the file of the trace and in
    /// the folders above it. Whoever stands above the trace means the app that is here, also if it has changed since; from
    /// elsewhere, of several models by that name the one is meant whose hash the trace has.
    pub fn of_trace(
        recorded: &str,
        hash: &str,
        wished: Option<&str>,
        file: &Path,
    ) -> Result<Self, TargetError> {
        if let Some(wished) = wished {
            return Self::parse(wished);
        }
        if recorded.starts_with(Spec::PREFIX) {
            return Self::parse(recorded);
        }
        let file = std::path::absolute(file).unwrap_or_default();
        let here = std::env::current_dir().unwrap_or_default();
        if Path::new(recorded).is_file() && file.starts_with(&here) {
            return Self::parse(recorded);
        }
        let above = file.ancestors().skip(1).map(|above| above.join(recorded));
        let found = std::iter::once(PathBuf::from(recorded)).chain(above).filter(|path| path.is_file());
        let mut found: Vec<Self> = found.filter_map(|path| Self::parse(path.to_str()?).ok()).collect();
        let fits = |target: &Self| match target {
            Self::Model(_) => target.load().is_ok_and(|app| format!("{:016x}", app.hash) == hash),
            _ => false,
        };
        let meant = if found.len() > 1 { found.iter().position(fits).unwrap_or(0) } else { 0 };
        if found.is_empty() {
            return Err(TargetError::Moved(recorded.to_owned()));
        }
        Ok(found.swap_remove(meant))
    }

    /// The target in the user's words, for the next command.
    pub fn name(&self) -> String {
        match self {
            Self::Model(path) | Self::Apk(path) => path.display().to_string(),
            Self::Generated(spec) => spec.to_string(),
        }
    }

    /// The text of the model.
    pub fn source(&self) -> Result<String, TargetError> {
        match self {
            Self::Generated(spec) => Ok(spec.generate()),
            Self::Apk(_) => Err(TargetError::Phone(self.name())),
            Self::Model(path) => {
                let name = self.name();
                let unreadable = |source| TargetError::Unreadable { path: name.clone(), source };
                let length = std::fs::metadata(path).map_err(unreadable)?.len();
                if length > Self::MAX_BYTES {
                    return Err(TargetError::TooLarge(name));
                }
                let bytes = std::fs::read(path).map_err(unreadable)?;
                String::from_utf8(bytes).map_err(|_| TargetError::NotText(name))
            }
        }
    }

    /// The app, ready to run: a model is compiled, an APK is converted and all that it needs is fetched once.
    pub fn open(&self, access: Access, progress: &dyn Fn(&str)) -> Result<Subject, TargetError> {
        match self {
            #[cfg(feature = "jvm")]
            Self::Apk(path) => {
                let workshop = Workshop::open(access == Access::Offline, progress)?;
                let apk = Apk::prepare(path, &workshop, progress)?;
                Ok(Subject::Apk(Arc::new(workshop), Arc::new(apk), Habits::default()))
            }
            _ => {
                let _ = (access, progress);
                self.load().map(Subject::Model)
            }
        }
    }

    /// The app model, compiled.
    pub fn load(&self) -> Result<Arc<App>, TargetError> {
        compile::load(&self.source()?)
            .map(Arc::new)
            .map_err(|errors| TargetError::Model { path: self.name(), errors })
    }
}

fn join(path: &str, errors: &[ModelError]) -> String {
    const SHOWN: usize = 10;
    let mut lines: Vec<String> = errors.iter().take(SHOWN).map(|error| format!("{path}:{error}")).collect();
    if errors.len() > SHOWN {
        lines.push(format!("and {} more", errors.len() - SHOWN));
    }
    lines.join("\n")
}
