//! Phones on the command line: which are meant, what is done to them, and what to do when there is none.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::explore::parse_time;
use crate::device::adb::install::{self, InstallError, Installed};
use crate::device::adb::jar::Jar;
use crate::device::adb::journal::{Entry, Journals};
use crate::device::adb::names::{Address, Package, Serial};
use crate::device::adb::server::{self, NoServer};
use crate::device::adb::wire::{AdbError, Deadlines, Listed, Server, State};
use crate::device::adb::{AdbConfig, AdbDevice};
use crate::device::agent::Timing;
use crate::device::{AnyDevice, Device, Reset};
use crate::error::{CommandError, Exit};
use crate::gui::GuiTree;

/// What to do without an agent.
pub const BUILD_AGENT: &str =
    "run scripts/build-agent once (it needs a JDK and Maven), then build siamang again";

/// What becomes of a phone when the program is stopped at once.
pub const STOPPED_AT_ONCE: &str = "the phone puts itself back within a minute; `siamang doctor --undo` makes sure, and takes away an app that was \
     installed for the run\n";

/// What to do without any phone.
pub const PLUG_IN: &str = "plug one in with USB debugging on, start an emulator, or `adb connect HOST:PORT`";

/// What to do about a phone at which another run of this program is at work.
const WAIT_FOR_IT: &str = "wait for its end, or choose another phone with --device";

/// What to do where nothing can be written down of what is put on a phone.
pub const WRITABLE_STATE: &str =
    "make that folder writable, or name another one in the variable SIAMANG_STATE";

/// Which phones.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "With a phone")]
pub struct PhoneArgs {
    /// The phone, by its serial (`siamang devices`); may be repeated; `all` for all that are ready.
    #[arg(long = "device", value_name = "SERIAL|all")]
    pub devices: Vec<String>,
    /// The adb server; may be repeated [default: 127.0.0.1:5037, or the port in `ANDROID_ADB_SERVER_PORT`].
    #[arg(long, value_name = "HOST:PORT")]
    pub adb_server: Vec<String>,
}

/// What becomes of the app's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ResetChoice {
    /// It stays: every start is as the app was found.
    AsFound,
    /// It is cleared, again and again.
    Clear,
}

/// Which phones, and what is done to them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "With a phone")]
pub struct PhoneRunArgs {
    #[command(flatten)]
    pub phone: PhoneArgs,
    /// What becomes of the app's data on a phone.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ResetChoice::AsFound)]
    pub reset: ResetChoice,
    /// An address of your app that may be opened in it, such as `myapp://settings`; may be repeated. No other is opened.
    #[arg(long = "deep-link", value_name = "ADDRESS", value_parser = |text: &str| Address::new(text))]
    pub deep_links: Vec<Address>,
    /// How long a phone that is away is waited for, before it is put into quarantine: 90s, 2m.
    #[arg(long, value_name = "T", default_value = "30s", value_parser = parse_time)]
    pub wait_for_phone: Duration,
    /// What a step may take on the phone; a slow emulator may need more.
    #[arg(long, value_name = "T", default_value = "10s", value_parser = parse_time)]
    pub answer_within: Duration,
}

impl PhoneRunArgs {
    /// How a phone is driven.
    fn config(&self, package: Package, jar: Jar, clear: bool) -> AdbConfig {
        let usual = AdbConfig::new(package, jar);
        AdbConfig {
            clear,
            deep_links: self.deep_links.clone(),
            patience: self.wait_for_phone,
            resume: usual.resume.min(self.wait_for_phone),
            timing: Timing {
                deadline: self.answer_within,
                margin: usual.timing.margin.min(self.answer_within),
                ..usual.timing
            },
            ..usual
        }
    }
}

/// Which app is meant.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// The one that the user named: a package or an APK.
    Named(&'a str),
    /// The one that something was recorded on: as it is on the phone, or else from the APK of then.
    Recorded {
        /// Its package.
        package: &'a str,
        /// What the user called it then.
        target: &'a str,
    },
}

/// A phone that is ready.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its adb server.
    pub server: Server,
    /// Its serial.
    pub serial: Serial,
    /// What the server says of it.
    pub listed: Listed,
}

/// Runs something on a runtime of its own. A push whose deadline is over may still block its thread: nobody waits for it.
pub fn now<T>(run: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(run);
    runtime.shutdown_background();
    done
}

/// One line what, one line what to do; exit code 3.
pub fn trouble(what: impl std::fmt::Display, remedy: impl std::fmt::Display) -> anyhow::Error {
    CommandError { exit: Exit::Device, message: format!("{what}\n  {remedy}") }.into()
}

fn usage(what: impl std::fmt::Display, remedy: impl std::fmt::Display) -> anyhow::Error {
    CommandError::usage(format!("{what}\n  {remedy}")).into()
}

fn no_server(error: &NoServer) -> anyhow::Error {
    trouble(error, error.remedy())
}

/// What to do about a phone in this state.
pub fn remedy(state: &State) -> &'static str {
    match state {
        State::Device => "nothing to do",
        State::Unauthorized => "unlock the phone and allow USB debugging in the dialog that it shows",
        State::Offline => "pull the cable and plug it in again, or run `adb reconnect`",
        State::Other(_) => "see what `adb devices -l` says of it",
    }
}

impl PhoneArgs {
    /// The addresses of the adb servers.
    pub fn addresses(&self) -> anyhow::Result<Vec<String>> {
        if self.adb_server.is_empty() {
            return Ok(vec![server::usual_address()]);
        }
        let good = |address: &str| {
            let parts = address.rsplit_once(':');
            parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        if let Some(bad) = self.adb_server.iter().find(|address| !good(address)) {
            return Err(usage(
                format!("`{bad}` is no address of an adb server"),
                "write HOST:PORT, such as 127.0.0.1:5037",
            ));
        }
        // One server is one, however it is called: what is on its phones is written down under its address.
        let mut addresses: Vec<String> = Vec::new();
        for address in &self.adb_server {
            let address = match address.split_once(':') {
                Some(("localhost", port)) => format!("127.0.0.1:{port}"),
                _ => address.clone(),
            };
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        Ok(addresses)
    }

    /// The adb servers, each found or started.
    pub async fn servers(&self) -> anyhow::Result<Vec<Server>> {
        let mut servers = Vec::new();
        for address in self.addresses()? {
            let found = server::find(&address, Deadlines::default()).await;
            servers.push(found.map_err(|error| no_server(&error))?);
        }
        Ok(servers)
    }

    /// The phones that are meant, all of them ready.
    pub async fn choose(&self) -> anyhow::Result<Vec<Chosen>> {
        let mut known = Vec::new();
        for server in self.servers().await? {
            let listed = server.devices().await.map_err(|error| no_server(&error.into()))?;
            known.extend(listed.into_iter().map(|listed| (server.clone(), listed)));
        }
        let names = |known: &[(Server, Listed)]| -> String {
            let names: Vec<&str> = known.iter().map(|(_, listed)| listed.serial.as_str()).collect();
            names.join(", ")
        };
        let ready: Vec<(Server, Listed)> =
            known.iter().filter(|(_, listed)| listed.state == State::Device).cloned().collect();
        let all = self.devices.iter().any(|name| name == "all");
        let meant = match (&self.devices[..], &ready[..]) {
            (_, []) if all || self.devices.is_empty() => {
                return Err(match known.first() {
                    None => trouble("no phone is connected", PLUG_IN),
                    Some((_, listed)) => {
                        trouble(format!("{} is {}", listed.serial, listed.state), remedy(&listed.state))
                    }
                });
            }
            ([], [_]) => ready,
            ([], [_, ..]) => {
                return Err(usage(
                    format!("{} phones are connected: {}", ready.len(), names(&ready)),
                    "choose with --device SERIAL, or take them with --device all",
                ));
            }
            _ if all => ready,
            (wanted, _) => {
                let mut meant = Vec::new();
                for name in wanted.iter().collect::<BTreeSet<_>>() {
                    // Two adb servers may know the same phone: the one at which it is ready counts.
                    let same = known.iter().filter(|(_, listed)| listed.serial == *name);
                    let Some(found) = same.min_by_key(|(_, listed)| listed.state != State::Device) else {
                        let there = if known.is_empty() {
                            format!("no phone is connected; {PLUG_IN}")
                        } else {
                            format!("choose one that is connected: {}", names(&known))
                        };
                        return Err(trouble(format!("there is no device `{name}`"), there));
                    };
                    if found.1.state != State::Device {
                        return Err(trouble(format!("{name} is {}", found.1.state), remedy(&found.1.state)));
                    }
                    meant.push(found.clone());
                }
                meant
            }
        };
        let chosen = |(server, listed): (Server, Listed)| -> anyhow::Result<Chosen> {
            let serial =
                Serial::new(&listed.serial).map_err(|error| CommandError::usage(error.to_string()))?;
            Ok(Chosen { server, serial, listed })
        };
        meant.into_iter().map(chosen).collect()
    }
}

/// The target is the name of an app, and no file: it is on a phone. An APK goes to a phone if one is named.
pub fn is_phone(target: &str) -> bool {
    let path = Path::new(target);
    !looks_like_a_file(path) && !path.exists() && Package::new(target).is_ok()
}

/// It ends as files end, perhaps with a slip: `README.md` and `x.tml` are no apps of which nobody has heard. A longer name may
/// be a package that ends so.
fn looks_like_a_file(path: &Path) -> bool {
    const FILES: [&str; 13] =
        ["akp", "md", "txt", "json", "xml", "yaml", "yml", "zip", "jar", "aab", "apks", "xapk", "apkm"];
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let is_short = path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| !stem.contains('.'));
    ending.is_some_and(|ending| match ending.as_str() {
        "apk" | "toml" => true,
        ending => is_short && (FILES.contains(&ending) || strsim::osa_distance("toml", ending) <= 1),
    })
}

/// Phones with the app on them, ready to be explored.
pub struct Rig {
    /// The app.
    pub package: Package,
    clear: bool,
    phones: Vec<(Chosen, AdbConfig)>,
    _guests: Guests,
}

impl Rig {
    /// Finds the phones and the app, installs it from a file, and prints what will be touched.
    pub fn prepare(args: &PhoneRunArgs, wanted: Wanted<'_>) -> anyhow::Result<Self> {
        let journals = Journals::usual();
        journals.check().map_err(|error| trouble(error, WRITABLE_STATE))?;
        let jar = Jar::find().map_err(|error| trouble(error, BUILD_AGENT))?;
        now(async {
            let chosen = args.phone.choose().await?;
            for one in &chosen {
                let at_work = journals.read(one.server.address(), &one.serial);
                if let Some(entry) = at_work.filter(Entry::is_busy) {
                    return Err(trouble(entry.at_work(), WAIT_FOR_IT));
                }
            }
            // Whatever goes wrong from here on, what was installed is taken away.
            let mut guests = Guests { installed: Vec::new(), journals: journals.clone() };
            let mut apps = Vec::new();
            for one in chosen {
                let app = find_app(&one, wanted, &journals).await?;
                if app.fresh {
                    guests.installed.push((one.clone(), app.package.clone()));
                }
                apps.push((one, app));
            }
            // A trace begins in one way on all phones: from clean only where each of them may be cleared.
            let clear = args.reset == ResetChoice::Clear || apps.iter().all(|(_, app)| app.fresh);
            let Some(package) = apps.first().map(|(_, app)| app.package.clone()) else {
                return Err(trouble("no phone is connected", PLUG_IN));
            };
            let phones = apps.into_iter().map(|(one, app)| {
                announce(&one, &app, clear);
                (one, args.config(app.package, jar.clone(), clear))
            });
            Ok(Self { package, clear, phones: phones.collect(), _guests: guests })
        })
    }

    /// A new driver for one of the phones; it starts where the phones for exploring end.
    pub fn device(&self, number: usize) -> AnyDevice {
        let (phone, config) = &self.phones[number % self.phones.len()];
        AnyDevice::Adb(Box::new(AdbDevice::new(phone.server.clone(), phone.serial.clone(), config.clone())))
    }

    /// How many phones there are.
    pub fn count(&self) -> usize {
        self.phones.len()
    }

    /// The serials of the phones.
    pub fn serials(&self) -> Vec<String> {
        self.phones.iter().map(|(phone, _)| phone.serial.to_string()).collect()
    }

    /// From where traces begin: from a clean start only where all phones may be cleared.
    pub fn start(&self) -> Reset {
        if self.clear { Reset::Clean } else { Reset::Warm }
    }
}

/// Apps that were installed for a run.
struct Guests {
    installed: Vec<(Chosen, Package)>,
    journals: Journals,
}

impl Drop for Guests {
    /// Takes away what was installed, however the run ended.
    fn drop(&mut self) {
        if self.installed.is_empty() {
            return;
        }
        let uninstall = async {
            for (phone, package) in &self.installed {
                if let Err(error) =
                    install::uninstall(&phone.server, &phone.serial, package, &self.journals).await
                {
                    tracing::warn!(
                        "{package} stays on {}: {error}; `siamang doctor --undo` tries again",
                        phone.serial
                    );
                }
            }
            Ok(())
        };
        // On a thread of its own: this one may be a runtime's.
        let ended = std::thread::scope(|scope| scope.spawn(|| now(uninstall)).join());
        if let Ok(Err(error)) = ended {
            tracing::warn!("{error}");
        }
    }
}

async fn find_app(phone: &Chosen, wanted: Wanted<'_>, journals: &Journals) -> anyhow::Result<Installed> {
    let Chosen { server, serial, .. } = phone;
    let broken = |error: &AdbError| trouble(format!("{serial}: {error}"), "run `siamang doctor`");
    let target = match wanted {
        Wanted::Named(target) => target,
        Wanted::Recorded { package, target } => {
            let is_apk = Path::new(target).extension().is_some_and(|extension| extension == "apk");
            let there = match Package::new(package) {
                Ok(package) => {
                    install::is_there(server, serial, &package).await.map_err(|error| broken(&error))?
                }
                Err(_) => false,
            };
            if !there && is_apk && Path::new(target).exists() { target } else { package }
        }
    };
    let extension = Path::new(target).extension();
    if extension.is_some_and(|extension| extension == "apk") && !Path::new(target).exists() {
        return Err(usage(
            format!("there is no file `{target}`"),
            "name an APK, or the package of an installed app",
        ));
    }
    if extension.is_some_and(|extension| extension == "toml") && Path::new(target).exists() {
        return Err(usage(
            format!("`{target}` is an app model and runs on the virtual device"),
            "leave out --device, or name an APK or a package",
        ));
    }
    let package = Package::new(target).ok().filter(|_| !Path::new(target).exists());
    let Some(package) = package else {
        return match install::install(server, serial, Path::new(target), journals).await {
            Ok(installed) => Ok(installed),
            Err(InstallError::Adb(error)) => Err(broken(&error)),
            Err(error @ InstallError::Busy(_)) => Err(trouble(error, WAIT_FOR_IT)),
            Err(error @ InstallError::Journal(_)) => Err(trouble(error, WRITABLE_STATE)),
            Err(error @ InstallError::Refused { .. }) => Err(usage(
                error,
                "try `adb install` by hand; a phone may ask for a confirmation or lack space",
            )),
            Err(error) => Err(usage(
                error,
                "name an APK that is built for this phone, or the package of an installed app",
            )),
        };
    };
    match install::is_there(server, serial, &package).await {
        Ok(true) => Ok(Installed { package, fresh: false, replaced: false }),
        Ok(false) => Err(usage(
            format!("{package} is not installed on {serial}"),
            "install it (`adb install app.apk`), or name the APK instead of the package",
        )),
        Err(error) => Err(broken(&error)),
    }
}

/// Before the first event the user reads what will be touched and what is put back.
fn announce(phone: &Chosen, app: &Installed, clear: bool) {
    let data = match (app.fresh, clear) {
        (true, true) => {
            "was installed for this run; its data is cleared between walks, and it is uninstalled at the end"
        }
        (true, false) => {
            "was installed for this run and is uninstalled at the end; every start is as found, \
             since another phone had the app before"
        }
        (false, true) => "its data is CLEARED again and again, because of --reset clear",
        (false, false) => {
            "its data stays; every start is as found, and no failure is tried from a clean start"
        }
    };
    let replaced =
        if app.replaced { "was there before and is the one of the file now, which stays; " } else { "" };
    let text = format!(
        "phone {serial} {model}\n  app      {package}: {replaced}started, stopped, used; {data}\n  \
         settings animations off, screen woken and kept on, rotation turned: put back at the end\n  \
         files    an agent in /data/local/tmp: removed as soon as it runs\n  \
         undo     siamang doctor --undo, should this program be killed\n",
        serial = phone.serial,
        model = phone.listed.model,
        package = app.package,
    );
    let _ = std::io::Write::write_all(&mut anstream::stderr(), text.as_bytes());
}

/// What a phone shows now.
pub fn live_tree(phone: &PhoneArgs) -> anyhow::Result<Arc<GuiTree>> {
    Journals::usual().check().map_err(|error| trouble(error, WRITABLE_STATE))?;
    let jar = Jar::find().map_err(|error| trouble(error, BUILD_AGENT))?;
    now(async {
        let chosen = phone.choose().await?;
        let [one] = &chosen[..] else {
            return Err(usage("one screen is shown at a time", "choose one phone with --device SERIAL"));
        };
        let package =
            Package::new("com.android.shell").map_err(|error| CommandError::usage(error.to_string()))?;
        let config = AdbConfig::new(package, jar);
        let mut device = AdbDevice::new(one.server.clone(), one.serial.clone(), config);
        let sight = device.look().await.map_err(|error| trouble(error, "run `siamang doctor`"))?;
        device.close().await.map_err(|error| trouble(error, "run `siamang doctor --undo`"))?;
        Ok(sight.tree)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_as_a_file_is_no_app_on_a_phone() {
        for package in ["com.example.app", "org.siamang.notes", "com.example.md"] {
            assert!(is_phone(package), "{package}");
        }
        for file in
            ["gone.apk", "gone.v2.apk", "gone.toml", "GONE.APK", "gone.tml", "readme.md", "package.json"]
        {
            assert!(!is_phone(file), "{file}");
        }
    }

    #[test]
    fn what_blocks_beyond_its_deadline_holds_nobody_up() {
        let (tell, hear) = std::sync::mpsc::channel::<()>();
        let (start, started) = tokio::sync::oneshot::channel();
        now(async move {
            drop(tokio::task::spawn_blocking(move || {
                let _ = start.send(());
                hear.recv_timeout(Duration::from_secs(20))
            }));
            Ok(started.await?)
        })
        .unwrap();
        assert!(tell.send(()).is_ok(), "it was waited for until it gave up");
    }
}
