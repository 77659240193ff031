//! What is to be explored: an app model in a file, one that comes with siamang, or a generated one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

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
}

/// Why a target cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// There is no such file.
    #[error("there is no `{0}`; name an app model such as models/notes.toml, or generated:plain?seed=1")]
    Missing(String),
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
    /// It is an app for a phone, which only `explore` takes.
    #[error(
        "`{0}` looks like an app for a phone; this command takes app models (`.toml`) and generated apps, only `explore` takes phones"
    )]
    Phone(String),
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
        if path.exists() {
            let phone = path.extension().is_some_and(|extension| extension == "apk");
            return if phone {
                Err(TargetError::Phone(text.to_owned()))
            } else {
                Ok(Self::Model(path.to_owned()))
            };
        }
        Err(TargetError::Missing(text.to_owned()))
    }

    /// The target in the user's words, for the next command.
    pub fn name(&self) -> String {
        match self {
            Self::Model(path) => path.display().to_string(),
            Self::Generated(spec) => spec.to_string(),
        }
    }

    /// The text of the model.
    pub fn source(&self) -> Result<String, TargetError> {
        match self {
            Self::Generated(spec) => Ok(spec.generate()),
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

    /// The app, compiled.
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
