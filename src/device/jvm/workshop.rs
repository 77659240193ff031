//! What has to be there before an APK can run: made once, kept in the user's cache.
//!
//! The host's own Java sources are part of this program and compiled here; what it needs from Maven Central is named in
//! `agent/jvm/pins.txt` with its bytes' hash and fetched by Maven, which knows the user's mirrors and proxies.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

use super::SetUpError;
use super::fence::Fence;
use super::jdk::{Jdk, on_path};
use super::pins::{PINS, Pin};
use super::yard::{own_folder, sweep};

static CORE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/agent/core/src/main/java");
static HOST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/agent/jvm/src/main");
const FENCE: &str = include_str!("../../../agent/jvm/fence.sh");
/// The plugin that copies artifacts.
const COPIER: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";

/// How many bytes of what Maven says are told if it fails.
const COMPLAINTS: usize = 2_000;

/// Everything that a JVM device is started with.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// The Java that runs it.
    pub jdk: Jdk,
    /// What keeps the app in.
    pub fence: Fence,
    /// Fetched jars: `host`, `sdk`, `convert`, `added`, `report`.
    pub parts: PathBuf,
    /// What was made of them once: `natives`, `stub`, jars that are `unsigned`, and the `framework` with plain calls where no
    /// shadow can be.
    pub unpacked: PathBuf,
    /// The host's classes.
    pub classes: PathBuf,
    /// Prepared apps, by hash.
    pub apps: PathBuf,
    /// For what lives as long as a run.
    pub yards: PathBuf,
}

/// Where everything is kept, whether it is there yet or not.
#[derive(Clone, Debug)]
pub struct Places {
    /// The folder of all that can be made again.
    pub cache: PathBuf,
    /// Fetched and unpacked files.
    pub parts: PathBuf,
    /// Prepared apps.
    pub apps: PathBuf,
    /// For what lives as long as a run.
    pub yards: PathBuf,
}

impl Places {
    /// The usual ones. The folders themselves are made, as nothing can be tried out without them.
    pub fn find() -> Result<Self, SetUpError> {
        Self::below(&cache()?)
    }

    /// Those below a cache of one's own.
    pub fn below(cache: &Path) -> Result<Self, SetUpError> {
        let cache = cache.join("jvm");
        let parts = cache.join(format!("parts-{}", short_hash(&[PINS.as_bytes()])));
        let apps = cache.join("apps");
        fs::create_dir_all(&apps).map_err(|error| SetUpError::BadCache(cache.clone(), error))?;
        let yards = own_folder(&std::env::temp_dir())?;
        Ok(Self { cache, parts, apps, yards })
    }

    /// The fence, tried out.
    pub fn fence(&self) -> Result<Fence, SetUpError> {
        let script = self.cache.join(format!("fence-{}.sh", short_hash(&[FENCE.as_bytes()])));
        write(&script, FENCE.as_bytes())?;
        let fence = Fence::new(&script)?;
        fence.try_out(&self.yards)?;
        Ok(fence)
    }

    /// The folder of what is made of the fetched files, by whatever makes it.
    pub fn unpacked(&self) -> PathBuf {
        self.parts.join(format!("unpacked-{}", short_hash(&unpackers())))
    }

    /// The folder of the compiled host.
    pub fn host(&self, jdk: &Jdk) -> PathBuf {
        let sources = sources();
        let parts: Vec<&[u8]> = sources.iter().flat_map(|(path, bytes)| [path.as_bytes(), bytes]).collect();
        self.cache.join(format!("host-{}-java{}", short_hash(&parts), jdk.version))
    }
}

impl Workshop {
    /// Finds everything, or makes it. `offline` never asks the network; `progress` hears of what takes long.
    pub fn open(offline: bool, progress: &dyn Fn(&str)) -> Result<Self, SetUpError> {
        Self::open_in(Places::find()?, offline, progress)
    }

    /// The same in other places than the usual ones.
    pub fn open_in(places: Places, offline: bool, progress: &dyn Fn(&str)) -> Result<Self, SetUpError> {
        let jdk = Jdk::find()?;
        let swept = sweep(&places.yards)?;
        if swept > 0 {
            tracing::info!("removed what {swept} JVMs of ended runs had left");
        }
        let fence = places.fence()?;
        let (host, unpacked) = (places.host(&jdk), places.unpacked());
        let Places { cache, parts, apps, yards } = places;
        let workshop = Self { jdk, fence, parts, unpacked, classes: host.join("classes"), apps, yards };
        // Two that set up at once would tread on each other; the lock goes with the process.
        let lock =
            fs::File::create(cache.join("lock")).map_err(|error| SetUpError::Io(cache.clone(), error))?;
        lock.lock().map_err(|error| SetUpError::Io(cache.clone(), error))?;
        workshop.fetch(offline, progress)?;
        if !host.join("ready").is_file() {
            progress("compiling the host");
            workshop.compile(&host, &sources())?;
            write(&host.join("ready"), b"")?;
        }
        if !workshop.unpacked.join("ready").is_file() {
            progress("unpacking Android");
            workshop.unpack()?;
            write(&workshop.unpacked.join("ready"), b"")?;
        }
        Ok(workshop)
    }

    /// The framework, as it is compiled against.
    pub(super) fn sdk(&self) -> Result<PathBuf, SetUpError> {
        Pin::all()
            .find(|pin| pin.folder == "sdk")
            .map(|pin| pin.file(&self.parts))
            .ok_or_else(|| SetUpError::Fetch("pins.txt names no framework".into()))
    }

    fn fetch(&self, offline: bool, progress: &dyn Fn(&str)) -> Result<(), SetUpError> {
        if self.parts.join("fetched").is_file() {
            return Ok(());
        }
        if offline {
            return Err(SetUpError::Offline);
        }
        let maven = on_path("mvn").ok_or(SetUpError::NoMaven)?;
        make(&self.parts)?;
        let bytes: u64 = Pin::all().map(|pin| pin.bytes).sum();
        progress(&format!(
            "fetching Android 14 and Robolectric from Maven Central ({} MB, once)",
            Pin::megabytes(bytes)
        ));
        self.copy(&maven, &Pin::all().collect::<Vec<_>>(), None, progress)?;
        let wrong = self.wrong()?;
        if !wrong.is_empty() {
            // What lies in Maven's own repository would be copied again and again; it is the user's, so it is passed by.
            for pin in &wrong {
                progress(&format!(
                    "{}:{} in Maven's repository is not the file that was pinned: fetching it anew",
                    pin.group, pin.artifact
                ));
            }
            let aside = self.parts.join("repository");
            let copied = self.copy(&maven, &wrong, Some(&aside), progress);
            let _ = fs::remove_dir_all(&aside);
            copied?;
        }
        if let Some(pin) = self.wrong()?.first() {
            return Err(SetUpError::Fetch(format!(
                "{}:{}:{} is not the file that was pinned, and neither is it when it is fetched anew: ask whoever runs the mirror \
                 in Maven's settings.xml",
                pin.group, pin.artifact, pin.version
            )));
        }
        write(&self.parts.join("fetched"), b"")
    }

    /// The files that are not what was pinned. They are removed.
    fn wrong(&self) -> Result<Vec<Pin>, SetUpError> {
        let mut wrong = Vec::new();
        for pin in Pin::all() {
            let file = pin.file(&self.parts);
            if !file.is_file() || hash_of(&file)? != pin.sha256 {
                let _ = fs::remove_file(&file);
                wrong.push(pin);
            }
        }
        Ok(wrong)
    }

    /// Has Maven copy files from its own repository, or from another that it fetches into.
    fn copy(
        &self,
        maven: &Path,
        pins: &[Pin],
        repository: Option<&Path>,
        progress: &dyn Fn(&str),
    ) -> Result<(), SetUpError> {
        let pom = self.parts.join("pom.xml");
        write(&pom, Self::pom(pins).as_bytes())?;
        let mut command = Command::new(maven);
        command.args(["-B", "-Dstyle.color=never", "-f"]).arg(&pom).arg(COPIER);
        if let Some(repository) = repository {
            command.arg(format!("-Dmaven.repo.local={}", repository.display()));
        }
        let mut child = command
            .env("JAVA_HOME", &self.jdk.home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| SetUpError::Fetch(format!("mvn: {error}")))?;
        let mut told = String::new();
        let complaints = child.stderr.take().map(|from| std::thread::spawn(move || complaints(from)));
        for line in
            child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok)
        {
            if let Some(jar) = line.strip_prefix("Downloading from ").filter(|line| line.contains(".jar")) {
                progress(jar.rsplit('/').next().unwrap_or(jar));
            } else if line.contains("ERROR") && told.len() < COMPLAINTS {
                let _ = writeln!(told, "{line}");
            }
        }
        let status = child.wait().map_err(|error| SetUpError::Fetch(format!("mvn: {error}")))?;
        if !status.success() {
            if told.is_empty() {
                told = complaints.and_then(|thread| thread.join().ok()).unwrap_or_default();
            }
            return Err(SetUpError::Fetch(told));
        }
        Ok(())
    }

    /// A project that does nothing but copy the pinned files, each to its folder and none of what they depend on.
    fn pom(pins: &[Pin]) -> String {
        let mut items = String::new();
        for pin in pins {
            let _ = writeln!(
                items,
                "<artifactItem><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>\
                 <outputDirectory>${{project.basedir}}/{}</outputDirectory></artifactItem>",
                pin.group, pin.artifact, pin.version, pin.folder
            );
        }
        format!(
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
             <groupId>siamang</groupId><artifactId>parts</artifactId><version>1</version><packaging>pom</packaging>\
             <build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>\
             <artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version>\
             <configuration><artifactItems>\n{items}</artifactItems></configuration></plugin></plugins></build></project>\n"
        )
    }

    fn compile(&self, host: &Path, sources: &[(String, &[u8])]) -> Result<(), SetUpError> {
        let source = host.join("source");
        let mut list = String::new();
        for (path, bytes) in sources {
            let resource = path.strip_prefix("resources/");
            let file = resource.map_or_else(|| source.join(path), |path| self.classes.join(path));
            make(file.parent().unwrap_or(host))?;
            write(&file, bytes)?;
            if resource.is_none() {
                let _ = writeln!(list, "\"{}\"", file.display());
            }
        }
        let names = host.join("sources.txt");
        write(&names, list.as_bytes())?;
        let [host_jars, report] = ["host", "report"].map(|folder| self.parts.join(folder));
        let path = format!("{}/*:{}/*:{}", host_jars.display(), report.display(), self.sdk()?.display());
        let output = Command::new(self.jdk.tool("javac"))
            .args([
                "-nowarn",
                "-proc:none",
                "-parameters",
                "-encoding",
                "UTF-8",
                "-g:source,lines",
                "--release",
                "17",
            ])
            .args(["-Xlint:-options", "-cp", &path, "-d"])
            .arg(&self.classes)
            .arg(format!("@{}", names.display()))
            .output()
            .map_err(|error| SetUpError::Compile(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(SetUpError::Compile(text.lines().take(10).collect::<Vec<_>>().join("\n")))
    }

    fn unpack(&self) -> Result<(), SetUpError> {
        // Left half done, perhaps.
        let _ = fs::remove_dir_all(&self.unpacked);
        make(&self.unpacked)?;
        let path = format!("{}:{}/*", self.classes.display(), self.parts.join("host").display());
        let output = Command::new(self.jdk.tool("java"))
            .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", &path, "siamang.agent.jvm.SetUp"])
            .args([&self.parts.join("host"), &self.sdk()?, &self.unpacked])
            .output()
            .map_err(|error| SetUpError::Compile(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        Err(SetUpError::Compile(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}

/// The first words of what a program complains of, without the colours for a terminal that it believes it has. All is read:
/// a full pipe would stop the program.
fn complaints(mut from: impl Read) -> String {
    let mut first = Vec::new();
    let read = from.by_ref().take(COMPLAINTS as u64).read_to_end(&mut first);
    if let Err(error) = read.and_then(|_| std::io::copy(&mut from, &mut std::io::sink())) {
        tracing::debug!("what Maven complains of: {error}");
    }
    anstream::adapter::strip_str(&String::from_utf8_lossy(&first)).to_string()
}

/// The sources that decide what unpacking makes: the shadows of the host's own are among them.
fn unpackers() -> Vec<&'static [u8]> {
    const DECIDING: [&str; 9] = [
        "/SetUp.java",
        "/BindingPatches.java",
        "/DirectCalls.java",
        "/ElementPatches.java",
        "/NamePatches.java",
        "/ResourcePatches.java",
        "/ShadowContext.java",
        "/StylePatches.java",
        "/TablePatches.java",
    ];
    let decides = |path: &str| DECIDING.iter().any(|name| path.ends_with(name));
    sources().into_iter().filter(|(path, _)| decides(path)).map(|(_, bytes)| bytes).collect()
}

/// `SIAMANG_CACHE`, or the place where the system keeps what can be made again.
fn cache() -> Result<PathBuf, SetUpError> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    named("SIAMANG_CACHE")
        .or_else(|| Some(named("XDG_CACHE_HOME")?.join("siamang")))
        .or_else(|| Some(named("HOME")?.join(".cache/siamang")))
        .ok_or(SetUpError::NoCache)
}

/// All files of the host, by their path below a source root; resources keep their folder's name.
pub(super) fn sources() -> Vec<(String, &'static [u8])> {
    fn walk(dir: &'static Dir<'static>, into: &mut Vec<(String, &'static [u8])>) {
        for file in dir.files() {
            let path = file.path().to_string_lossy();
            into.push((path.strip_prefix("java/").unwrap_or(&path).to_owned(), file.contents()));
        }
        for below in dir.dirs() {
            walk(below, into);
        }
    }
    let mut files = Vec::new();
    walk(&CORE, &mut files);
    walk(&HOST, &mut files);
    files.sort();
    files
}

pub(super) fn short_hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    crate::device::agent::session::hex(&hasher.finalize()[..6])
}

/// The SHA-256 of a file, in hex.
pub fn hash_of(path: &Path) -> Result<String, SetUpError> {
    let failed = |error| SetUpError::Io(path.to_owned(), error);
    let mut file = fs::File::open(path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(crate::device::agent::session::hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

pub(super) fn make(folder: &Path) -> Result<(), SetUpError> {
    fs::create_dir_all(folder).map_err(|error| SetUpError::Io(folder.to_owned(), error))
}

pub(super) fn write(file: &Path, bytes: &[u8]) -> Result<(), SetUpError> {
    fs::write(file, bytes).map_err(|error| SetUpError::Io(file.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_sources_are_all_here_and_each_has_its_own_place() {
        let files = sources();
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        assert!(paths.contains(&"siamang/agent/core/Server.java"));
        assert!(paths.contains(&"siamang/agent/jvm/Main.java"));
        assert!(paths.iter().any(|path| path.starts_with("resources/META-INF/services/")));
        assert!(paths.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn what_maven_complains_of_is_told_in_few_words_and_without_colours() {
        let told = "\u{1b}[1;31mno space left\u{1b}[m on the disk\n".repeat(100_000);
        let mut from = told.as_bytes();
        let complaints = complaints(&mut from);
        assert!(complaints.starts_with("no space left on the disk\n"));
        assert!(complaints.len() <= COMPLAINTS && !complaints.contains('\u{1b}'));
        assert!(from.is_empty());
    }
}
