//! The doctor for phones: adb, phones and the agent.

use super::super::phone::{BUILD_AGENT, Chosen, PLUG_IN, PhoneArgs, WRITABLE_STATE, now, remedy};
use super::Chart;
use crate::action::{Event, Input, Key, Wait};
use crate::device::adb::jar::{Jar, NoJar};
use crate::device::adb::journal::{Entry, Journals};
use crate::device::adb::names::{Package, Serial, ShellLine};
use crate::device::adb::server::{self, OLDEST};
use crate::device::adb::wire::{Deadlines, Listed, Server, State};
use crate::device::adb::{AdbConfig, AdbDevice, install};
use crate::device::agent::notice::cap;
use crate::device::{Device, DeviceError};

/// The oldest Android that the agent runs on.
const OLDEST_API: u32 = 21;
/// An app that every phone has; the doctor only looks.
const SHELL: &str = "com.android.shell";

/// Looks at everything that a phone needs.
pub fn look(phone: &PhoneArgs, chart: &mut Chart) -> anyhow::Result<()> {
    let addresses = phone.addresses()?;
    now(async {
        examine(phone, addresses, chart).await;
        Ok(())
    })
}

/// Puts back what runs that were killed have left on phones.
pub fn put_back(chart: &mut Chart) -> anyhow::Result<()> {
    now(async {
        undo(chart).await;
        Ok(())
    })
}

async fn examine(args: &PhoneArgs, addresses: Vec<String>, chart: &mut Chart) {
    let jar = match Jar::find() {
        Ok(jar) => {
            chart.good(format!("agent: {} bytes, {}", jar.bytes.len(), jar.origin));
            Some(jar)
        }
        Err(error) => {
            chart.bad(error, BUILD_AGENT);
            None
        }
    };
    writable(chart);
    for entry in Journals::usual().all().iter().filter(|entry| !entry.is_busy()) {
        chart.note(
            format!("a killed run has left something on {}", entry.serial),
            "run `siamang doctor --undo`",
        );
    }
    let mut listed = Vec::new();
    let mut answered = false;
    for address in addresses {
        let server = match server::find(&address, Deadlines::default()).await {
            Ok(server) => server,
            Err(error) => {
                chart.bad(&error, error.remedy());
                continue;
            }
        };
        let version = server.version().await.unwrap_or(OLDEST);
        chart.good(format!("adb server at {server}, version 1.0.{version}"));
        match server.devices().await {
            Ok(found) => {
                answered = true;
                listed.extend(found.into_iter().map(|found| (server.clone(), found)));
            }
            Err(error) => chart.bad(error, "run `adb kill-server` and try again"),
        }
    }
    // Which of several servers has a phone does not matter.
    if answered {
        devices(args, listed, jar.as_ref(), chart).await;
    }
}

async fn devices(args: &PhoneArgs, listed: Vec<(Server, Listed)>, jar: Option<&Jar>, chart: &mut Chart) {
    let wanted = |serial: &str| {
        args.devices.is_empty() || args.devices.iter().any(|name| name == serial || name == "all")
    };
    if listed.is_empty() {
        chart.bad("no phone is connected", PLUG_IN);
    }
    for name in args.devices.iter().filter(|name| *name != "all") {
        if !listed.iter().any(|(_, listed)| listed.serial == *name) {
            chart.bad(format!("there is no device `{name}`"), "`siamang devices` lists those that are there");
        }
    }
    for (server, listed) in listed.into_iter().filter(|(_, listed)| wanted(&listed.serial)) {
        if listed.state != State::Device {
            chart.bad(format!("{} is {}", listed.serial, listed.state), remedy(&listed.state));
            continue;
        }
        match Serial::new(&listed.serial) {
            Ok(serial) => phone(&Chosen { server, serial, listed }, jar, chart).await,
            Err(error) => chart.bad(error, "give the device another name"),
        }
    }
}

async fn phone(phone: &Chosen, jar: Option<&Jar>, chart: &mut Chart) {
    let Chosen { server, serial, listed } = phone;
    chart.good(format!("{serial} is ready: {}", listed.model));
    let api = server.must(serial, &ShellLine::new("getprop ro.build.version.sdk")).await;
    match api.as_ref().map(|text| text.trim().parse::<u32>()) {
        Ok(Ok(api)) if api >= OLDEST_API => chart.good(format!("{serial}: Android API {api}")),
        Ok(Ok(api)) => chart.bad(
            format!("{serial}: Android API {api}"),
            format!("the agent needs API {OLDEST_API} or newer"),
        ),
        _ => chart.bad(format!("{serial}: its shell does not answer"), "pull the cable and plug it in again"),
    }
    let scale = server.must(serial, &ShellLine::new("settings get global window_animation_scale")).await;
    match scale.as_deref().map(str::trim) {
        Ok("0" | "0.0") => chart.good(format!("{serial}: animations are off")),
        Ok(_) => {
            chart.good(format!("{serial}: animations are on; siamang turns them off for a run and on again"));
        }
        Err(_) => {
            chart.note(format!("{serial}: settings cannot be read"), "screens may be read while they move");
        }
    }
    let at_work = Journals::usual().read(server.address(), serial).filter(Entry::is_busy);
    if let Some(entry) = at_work {
        return chart
            .note(entry.at_work(), "when it has ended, run the doctor again, which then tries the agent");
    }
    let (Some(jar), Ok(package)) = (jar, Package::new(SHELL)) else { return };
    let device = AdbDevice::new(server.clone(), serial.clone(), AdbConfig::new(package, jar.clone()));
    agent(serial, device, chart).await;
}

async fn agent(serial: &Serial, mut device: AdbDevice, chart: &mut Chart) {
    let (hello, missing) = match device.introduce().await {
        Ok(known) => known,
        Err(error) => return chart.bad(format!("{serial}: {error}"), agent_remedy(&error)),
    };
    chart.good(format!(
        "{serial}: the agent runs, build {}, screen {}x{}",
        hello.build, hello.width, hello.height
    ));
    for (bit, why) in missing {
        let what = cap::WORDS.get(bit as usize).copied().unwrap_or("something new");
        chart.note(format!("{serial}: no {what}: {why}"), "the run goes on without it");
    }
    let nothing = Event { input: Input::Key(Key::Code(0)), wait: Wait::Millis(0) };
    match device.step(&nothing).await {
        Ok(seen) if seen.issues.iter().any(|issue| issue.starts_with("input: ")) => chart.note(
            format!("{serial}: input is allowed, but no window took it"),
            "unlock the phone and close what lies over its screen, then run the doctor again",
        ),
        Ok(_) => chart.good(format!("{serial}: input is allowed")),
        Err(error) if error.to_string().contains("INJECT_DENIED") => chart.bad(
            format!("{serial}: input is refused"),
            "look in the developer options for a switch: Xiaomi calls it \"USB debugging (Security settings)\", \
             and wants a restart; other makers may have one, too",
        ),
        Err(error) => chart.bad(format!("{serial}: {error}"), "unlock the phone and try again"),
    }
    match device.screen().await {
        Ok(is) if is & 2 != 0 => chart
            .bad(format!("{serial}: the screen is locked"), "unlock it, or turn the lock off while testing"),
        Ok(_) => chart.good(format!("{serial}: the screen is not locked")),
        Err(error) => {
            chart.note(format!("{serial}: the screen's state is not known: {error}"), "unlock the phone");
        }
    }
    match device.close().await {
        Ok(()) => chart.good(format!("{serial}: everything is as it was")),
        Err(error) => chart.bad(format!("{serial}: {error}"), "run `siamang doctor --undo`"),
    }
}

/// What to do about an agent that does not run.
fn agent_remedy(error: &DeviceError) -> &'static str {
    let text = error.to_string();
    match error {
        _ if text.contains("No space left on device") => "make room on the phone",
        _ if text.contains("has not finished booting") => "wait until it has, then run the doctor again",
        DeviceError::Unusable(_) if text.contains("another tool") => {
            "end Appium, uiautomator, Maestro or a layout inspector on this phone"
        }
        DeviceError::Unusable(_) => WRITABLE_STATE,
        DeviceError::Protocol(_) => "build the agent anew with scripts/build-agent",
        _ => "pull the cable and plug it in again, then run the doctor again",
    }
}

/// Says so if nothing can be written down of what is put on phones.
fn writable(chart: &mut Chart) -> bool {
    Journals::usual().check().map_err(|error| chart.bad(error, WRITABLE_STATE)).is_ok()
}

async fn undo(chart: &mut Chart) {
    if !writable(chart) {
        return;
    }
    let journals = Journals::usual();
    let entries = journals.all();
    let unreadable = journals.unreadable();
    if entries.is_empty() && unreadable.is_empty() {
        chart.good("nothing is left on any phone");
    }
    for path in unreadable {
        chart.note(
            format!("{} tells what is on a phone and cannot be read", path.display()),
            "look at the phone: its animation scales, its rotation, /data/local/tmp; then delete the file",
        );
    }
    for entry in entries {
        if entry.is_busy() {
            chart.note(entry.at_work(), "end that process first");
            continue;
        }
        if entry.agent {
            let text =
                format!("{}: the agent of the killed run may take up to a minute to end\n", entry.serial);
            let _ = std::io::Write::write_all(&mut anstream::stderr(), text.as_bytes());
        }
        match undo_one(&entry, &journals).await {
            Ok(()) => {
                journals.remove(&entry);
                if entry.was_installing() {
                    chart.note(
                        format!("{}: an app was just being installed when the run broke off", entry.serial),
                        "see whether it is there now, and uninstall it if it was not before",
                    );
                } else {
                    chart.good(format!("{}: everything is as it was", entry.serial));
                }
            }
            Err(error) if error.is::<NoJar>() => chart.bad(format!("{}: {error}", entry.serial), BUILD_AGENT),
            Err(error) => chart.bad(format!("{}: {error}", entry.serial), "connect the phone and try again"),
        }
    }
}

/// Takes away files and apps of ours. The agent itself puts back the settings: it works off what its predecessor wrote
/// down on the phone before it does anything else.
async fn undo_one(entry: &Entry, journals: &Journals) -> anyhow::Result<()> {
    let server = server::find(&entry.server, Deadlines::default()).await?;
    let serial = Serial::new(&entry.serial)?;
    for path in entry.paths() {
        server.must(&serial, &ShellLine::new("rm -f").program(&path)).await?;
    }
    let mut device =
        AdbDevice::new(server.clone(), serial.clone(), AdbConfig::new(Package::new(SHELL)?, Jar::find()?));
    device.introduce().await?;
    device.close().await?;
    for package in entry.packages() {
        install::uninstall(&server, &serial, &package, journals).await?;
    }
    Ok(())
}
