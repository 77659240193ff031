//! Where recorded traces run again: on a device of this computer's own, or on phones.

use std::path::Path;
use std::sync::Arc;

use smol_str::SmolStr;

#[cfg(feature = "adb")]
use super::phone::{PhoneRunArgs, Rig, Wanted, is_phone};
use crate::device::{AnyDevice, Device, Reset};
use crate::error::CommandError;
use crate::seed::Seed;
use crate::target::{Subject, Target};
use crate::trace::suite_folder::SuiteManifest;
use crate::trace::{RunInfo, Trace};

/// On what a trace runs.
#[derive(Debug, clap::Args)]
pub struct StageArgs {
    /// The app, where the trace does not name it: a model, an APK, or the package of an app on a phone.
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    apk: super::ApkArgs,
    #[cfg(feature = "adb")]
    #[command(flatten)]
    phone: PhoneRunArgs,
}

/// What a trace, a run or a suite says of the app that it was recorded on.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    package: &'a str,
    target: &'a str,
    device: &'a str,
    app_hash: &'a str,
}

impl<'a> From<&'a Trace> for Origin<'a> {
    fn from(trace: &'a Trace) -> Self {
        let Trace { package, target, device, app_hash, .. } = trace;
        Self { package, target, device, app_hash }
    }
}

impl<'a> From<&'a RunInfo> for Origin<'a> {
    fn from(run: &'a RunInfo) -> Self {
        let RunInfo { app, target, device, app_hash, .. } = run;
        Self { package: app, target, device, app_hash }
    }
}

impl<'a> From<&'a SuiteManifest> for Origin<'a> {
    fn from(suite: &'a SuiteManifest) -> Self {
        let SuiteManifest { app, target, device, app_hash, .. } = suite;
        Self { package: app, target, device, app_hash }
    }
}

/// The devices that traces run on.
pub enum Stage {
    /// This computer's own, as many as are wanted.
    Here(Subject, Target),
    /// Phones.
    #[cfg(feature = "adb")]
    Phones(Rig),
}

/// The devices of a command with several traces: those of the same app share them, and are announced once.
pub struct Stages<'a> {
    args: &'a StageArgs,
    open: Option<([String; 3], Arc<Stage>)>,
}

impl<'a> Stages<'a> {
    /// None is open yet.
    pub fn new(args: &'a StageArgs) -> Self {
        Self { args, open: None }
    }

    /// As [`StageArgs::open`]; the last one is taken again if it serves.
    pub fn open(&mut self, recorded: Origin<'_>, file: &Path) -> anyhow::Result<Arc<Stage>> {
        let Origin { package, target, device, .. } = recorded;
        let wanted = [package, target, device].map(ToOwned::to_owned);
        if let Some((known, stage)) = &self.open
            && *known == wanted
        {
            check(stage, recorded, file)?;
            return Ok(Arc::clone(stage));
        }
        // What was installed for the last ones goes before anything else comes.
        self.open = None;
        let stage = Arc::new(self.args.open(recorded, file)?);
        self.open = Some((wanted, Arc::clone(&stage)));
        Ok(stage)
    }
}

impl StageArgs {
    /// The devices for what was recorded: phones, if one is named, the app is one on a phone, or it was recorded there.
    /// What was recorded on another app is refused.
    pub fn open(&self, recorded: Origin<'_>, file: &Path) -> anyhow::Result<Stage> {
        let stage = self.stage(recorded, file)?;
        check(&stage, recorded, file)?;
        Ok(stage)
    }

    fn stage(&self, recorded: Origin<'_>, file: &Path) -> anyhow::Result<Stage> {
        let wished = self.target.as_deref();
        if wished.is_none() && recorded.target.is_empty() && !self.is_phone_named() {
            let message = "a log of another tool does not say where its app is; give --target MODEL or --target APK, or \
                           --device for a phone";
            return Err(CommandError::usage(message).into());
        }
        #[cfg(feature = "adb")]
        {
            let Origin { package, target, device, .. } = recorded;
            if self.is_phone_named() || wished.map_or(device == "adb" || is_phone(target), is_phone) {
                let wanted = wished.map_or(Wanted::Recorded { package, target }, Wanted::Named);
                return Rig::prepare(&self.phone, wanted).map(Stage::Phones);
            }
        }
        let target = Target::of_trace(recorded.target, recorded.app_hash, wished, file)?;
        Ok(Stage::Here(super::open(&target, &self.apk)?, target))
    }
}

impl StageArgs {
    #[cfg(feature = "adb")]
    fn is_phone_named(&self) -> bool {
        !self.phone.phone.devices.is_empty()
    }

    #[cfg(not(feature = "adb"))]
    #[expect(clippy::unused_self, reason = "there are no phones to be named")]
    fn is_phone_named(&self) -> bool {
        false
    }
}

/// What was recorded is of this app, and if it is of another version of it that is said.
fn check(stage: &Stage, recorded: Origin<'_>, file: &Path) -> anyhow::Result<()> {
    if recorded.package != stage.package() {
        let message = format!(
            "`{}` was recorded on {}, but the target is {}; name the right app with --target",
            file.display(),
            recorded.package,
            stage.package()
        );
        return Err(CommandError::usage(message).into());
    }
    if let Stage::Here(subject, _) = stage
        && !recorded.app_hash.is_empty()
        && recorded.app_hash != subject.hash()
    {
        tracing::warn!("{} was recorded on another version of {}", file.display(), recorded.package);
    }
    Ok(())
}

impl Stage {
    /// The app's package.
    pub fn package(&self) -> &str {
        match self {
            Self::Here(subject, _) => subject.package(),
            #[cfg(feature = "adb")]
            Self::Phones(rig) => rig.package.as_str(),
        }
    }

    /// The app's version, where it is known.
    pub fn app_hash(&self) -> String {
        match self {
            Self::Here(subject, _) => subject.hash(),
            #[cfg(feature = "adb")]
            Self::Phones(_) => String::new(),
        }
    }

    /// The app in the user's words, for the next command.
    pub fn target(&self) -> String {
        match self {
            Self::Here(_, target) => target.name(),
            #[cfg(feature = "adb")]
            Self::Phones(rig) => rig.package.to_string(),
        }
    }

    /// The names of the branches, where they are known beforehand.
    pub fn branches(&self) -> Vec<SmolStr> {
        match self {
            Self::Here(subject, _) => subject.branches().unwrap_or_default(),
            #[cfg(feature = "adb")]
            Self::Phones(_) => Vec::new(),
        }
    }

    /// The activities that the app declares, by their full names, where they are known beforehand.
    pub fn activities(&self) -> Vec<SmolStr> {
        match self {
            Self::Here(subject, _) => subject.activities(),
            #[cfg(feature = "adb")]
            Self::Phones(_) => Vec::new(),
        }
    }

    /// The fewest events that a failure is known to need.
    pub fn shortest(&self, signature: &str) -> Option<u32> {
        match self {
            Self::Here(subject, _) => subject.shortest(signature),
            #[cfg(feature = "adb")]
            Self::Phones(_) => None,
        }
    }

    /// The serials of the phones, if it is on phones.
    pub fn serials(&self) -> Vec<String> {
        match self {
            Self::Here(..) => Vec::new(),
            #[cfg(feature = "adb")]
            Self::Phones(rig) => rig.serials(),
        }
    }

    /// One of the devices.
    #[cfg_attr(not(feature = "adb"), expect(unused_variables, reason = "only phones are counted"))]
    pub fn device(&self, number: u64, seed: Seed) -> AnyDevice {
        match self {
            Self::Here(subject, _) => subject.device(seed),
            #[cfg(feature = "adb")]
            Self::Phones(rig) => rig.device(number as usize),
        }
    }

    /// The only device; several phones are refused.
    pub fn only_device(&self, seed: Seed) -> anyhow::Result<AnyDevice> {
        if self.serials().len() > 1 {
            let message = format!(
                "this runs on one phone, and {} were chosen\n  choose one with --device SERIAL",
                self.serials().len()
            );
            return Err(CommandError::usage(message).into());
        }
        Ok(self.device(0, seed))
    }

    /// From where a trace with this start begins here. Without leave to clear, a phone's app begins as it is found.
    pub fn start(&self, recorded: Reset) -> Reset {
        match self {
            Self::Here(..) => recorded,
            #[cfg(feature = "adb")]
            Self::Phones(rig) => rig.start(),
        }
    }

    /// What the user must know of the start, if anything.
    pub fn remark(&self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "adb")]
            Self::Phones(rig) if rig.start() == Reset::Warm => Some(
                "every run began with the data that the app had; reproduction from a clean start was not tried \
                 (--reset clear tries it and clears the app's data)",
            ),
            _ => None,
        }
    }

    /// The trace as it is run and written down here.
    pub fn adapt(&self, trace: &Trace) -> Trace {
        match self {
            // What another tool recorded does not say where its app is.
            Self::Here(subject, target) if trace.target.is_empty() => Trace {
                device: self.device(0, Seed(0)).capabilities().kind.to_owned(),
                target: target.name(),
                app_hash: subject.hash(),
                ..trace.clone()
            },
            Self::Here(..) => trace.clone(),
            #[cfg(feature = "adb")]
            Self::Phones(_) => Trace {
                start: self.start(trace.start),
                device: "adb".to_owned(),
                target: self.target(),
                app_hash: self.app_hash(),
                ..trace.clone()
            },
        }
    }
}
