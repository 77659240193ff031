//! Installing an app for a run, and finding out which one it was.

use std::collections::BTreeMap;
use std::path::Path;

use super::journal::{Entry, Journals};
use super::names::{Package, RemotePath, Serial, ShellLine};
use super::setup;
use super::wire::{AdbError, Server};
use crate::device::agent::session::{hex, random};

/// Why an app is not on the phone.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no app.
    #[error("{0} is not an app: it does not begin as an APK does")]
    NoApk(String),
    /// The phone does not take it.
    #[error("{serial} does not install {path}: {said}")]
    Refused {
        /// Which phone.
        serial: String,
        /// Which file.
        path: String,
        /// What it said.
        said: String,
    },
    /// It was installed, and nobody says for certain under which name.
    #[error(
        "{0} was installed and stays on the phone: it is not certain under which name; name the package instead of the file"
    )]
    Nameless(String),
    /// Another run of this program is at work there.
    #[error("{}", .0.at_work())]
    Busy(Box<Entry>),
    /// What is put on the phone cannot be written down.
    #[error("cannot write the journal of what is on the phone: {0}")]
    Journal(std::io::Error),
    /// Adb did not do its part.
    #[error(transparent)]
    Adb(#[from] AdbError),
}

/// An app on a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Which.
    pub package: Package,
    /// It was not there before: its data is ours to clear, and it goes when the run ends.
    pub fresh: bool,
    /// It was there before and is the one of a file now.
    pub replaced: bool,
}

/// Installs an app from a file.
pub async fn install(
    server: &Server,
    serial: &Serial,
    apk: &Path,
    journals: &Journals,
) -> Result<Installed, InstallError> {
    let path = apk.display().to_string();
    let bytes =
        std::fs::read(apk).map_err(|source| InstallError::Unreadable { path: path.clone(), source })?;
    if !bytes.starts_with(b"PK") {
        return Err(InstallError::NoApk(path));
    }
    let file = format!("siamang-{}.apk", hex(&random::<8>().map_err(InstallError::Journal)?));
    let remote = RemotePath::new(&file).map_err(|error| AdbError::Broken(error.to_string()))?;
    let before = packages(server, serial).await?;
    let claimed = journals.claim(server.address(), serial).map_err(InstallError::Journal)?;
    let mut entry = claimed.map_err(InstallError::Busy)?;
    if entry.was_installing() {
        tracing::warn!(
            "an earlier run broke off while it installed an app on {serial}: if it was not there before, uninstall it; \
             `siamang doctor --undo` forgets this"
        );
    }
    entry.files.push(file);
    journals.write(&entry).map_err(InstallError::Journal)?;
    let away = ShellLine::new("rm -f").path(&remote);
    let forget = |entry: &mut Entry| {
        entry.files.pop();
        journals.keep(entry).map_err(InstallError::Journal)
    };
    if let Err(error) = setup::push(server, serial, bytes, &remote).await {
        server.run(serial, &away).await?;
        forget(&mut entry)?;
        return Err(error.into());
    }
    let line = ShellLine::new("pm install -r -t").path(&remote);
    let run = async { server.shell(serial, &line).await?.wait().await };
    let output = server.within(server.deadlines().install, line.as_str(), run).await;
    server.run(serial, &away).await?;
    // An installation whose end nobody saw, or whose name nobody knows, stays written down.
    let output = output?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.code != Some(0) || !said.contains("Success") {
        forget(&mut entry)?;
        return Err(InstallError::Refused { serial: serial.to_string(), path, said: output.said() });
    }
    let after = packages(server, serial).await?;
    // Another app may be updated at the same moment; which is ours must be certain, for ours is cleared and taken away.
    let changed: Vec<&String> = after
        .iter()
        .filter(|(name, place)| before.get(*name) != Some(*place))
        .map(|(name, _)| name)
        .collect();
    let [name] = changed[..] else { return Err(InstallError::Nameless(path)) };
    let name = name.clone();
    let package = Package::new(&name).map_err(|error| AdbError::Broken(error.to_string()))?;
    let fresh = !before.contains_key(&name);
    if fresh {
        entry.installed.push(name);
    }
    forget(&mut entry)?;
    Ok(Installed { package, fresh, replaced: !fresh })
}

/// Takes away an app that was installed for a run; one that its user has taken away meanwhile is gone, too.
pub async fn uninstall(
    server: &Server,
    serial: &Serial,
    package: &Package,
    journals: &Journals,
) -> Result<(), AdbError> {
    let line = ShellLine::new("pm uninstall").package(package);
    let run = async { server.shell(serial, &line).await?.wait().await };
    let output = server.within(server.deadlines().install, line.as_str(), run).await?;
    // Old phones say nothing by their exit code.
    if is_there(server, serial, package).await? {
        let (line, said) = (line.to_string(), output.said());
        return Err(AdbError::Failed { line, code: output.code.unwrap_or(1), said });
    }
    if let Some(mut entry) = journals.read(server.address(), serial) {
        entry.installed.retain(|name| name != package.as_str());
        journals.keep(&entry)?;
    }
    Ok(())
}

/// All apps with the places of their files: an app that is installed again has a new place.
async fn packages(server: &Server, serial: &Serial) -> Result<BTreeMap<String, String>, AdbError> {
    let text = server.must(serial, &ShellLine::new("pm list packages -f")).await?;
    let pair = |line: &str| {
        let (place, name) = line.trim().strip_prefix("package:")?.rsplit_once('=')?;
        Some((name.to_owned(), place.to_owned()))
    };
    Ok(text.lines().filter_map(pair).collect())
}

/// Whether an app is on a phone.
pub async fn is_there(server: &Server, serial: &Serial, package: &Package) -> Result<bool, AdbError> {
    Ok(packages(server, serial).await?.contains_key(package.as_str()))
}
