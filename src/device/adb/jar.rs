//! Where the agent's jar is.
//!
//! The build embeds it if `scripts/build-agent` has made it before. A plain `cargo build` needs no Java: without the jar
//! everything works but phones, and these say how to build it. A jar that is named or lies beside the program goes before
//! the embedded one, so that an agent can be tried without building anew.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The variable that names a jar.
pub const VARIABLE: &str = "SIAMANG_AGENT_JAR";
const FILE: &str = "siamang-agent.jar";
const EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/siamang-agent.jar"));

/// The agent's program for phones.
#[derive(Clone, Debug)]
pub struct Jar {
    /// The file.
    pub bytes: Cow<'static, [u8]>,
    /// Where it comes from, for people.
    pub origin: String,
}

/// There is no jar.
#[derive(Debug, thiserror::Error)]
pub enum NoJar {
    /// Nowhere.
    #[error("this build of siamang has no agent for phones")]
    Missing,
    /// The one that was named cannot be read.
    #[error("cannot read the agent {path}: {source}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Jar {
    /// Finds it: named by [`VARIABLE`], beside the program, where `scripts/build-agent` puts it, embedded.
    pub fn find() -> Result<Self, NoJar> {
        if let Some(path) = std::env::var_os(VARIABLE) {
            return Self::read(Path::new(&path));
        }
        let program = std::env::current_exe().ok();
        let folder = program.as_deref().and_then(Path::parent);
        let places = folder.map(|folder| [folder.join(FILE), folder.join("../agent").join(FILE)]);
        match places.into_iter().flatten().find(|path| path.is_file()) {
            Some(path) => Self::read(&path),
            None if EMBEDDED.is_empty() => Err(NoJar::Missing),
            None => Ok(Self { bytes: Cow::Borrowed(EMBEDDED), origin: "embedded".into() }),
        }
    }

    fn read(path: &Path) -> Result<Self, NoJar> {
        match std::fs::read(path) {
            Ok(bytes) => {
                let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                Ok(Self { bytes: bytes.into(), origin: place.display().to_string() })
            }
            Err(source) => Err(NoJar::Unreadable { path: path.to_owned(), source }),
        }
    }
}
