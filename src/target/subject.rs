//! An app that is ready to run, and the devices that run it.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

#[cfg(feature = "jvm")]
use crate::device::jvm::{JvmDevice, apk::Apk, host::Habits, workshop::Workshop};
use crate::device::virtual_device::app::App;
use crate::device::{AnyDevice, VirtualDevice};
use crate::nearest::unknown;
use crate::oracle::Signature;
use crate::seed::Seed;

/// An app that is ready to run.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A model, on the virtual device.
    Model(Arc<App>),
    /// An APK, on a JVM that is set up in this way.
    #[cfg(feature = "jvm")]
    Apk(Arc<Workshop>, Arc<Apk>, Habits),
}

impl Subject {
    /// The same, on devices that are set up in another way. A model's device has no such choice.
    #[cfg(feature = "jvm")]
    #[must_use]
    pub fn with(self, habits: Habits) -> Self {
        match self {
            Self::Apk(workshop, apk, _) => Self::Apk(workshop, apk, habits),
            model @ Self::Model(_) => model,
        }
    }

    /// The same, on devices on which these addresses may be opened in the app, and their numbers there. A model names its own,
    /// of which these must be some; else it is said which it has.
    pub fn opening(self, addresses: Vec<SmolStr>) -> Result<(Self, Vec<u16>), String> {
        match self {
            Self::Model(app) => {
                let known: Vec<&SmolStr> = app.links().collect();
                let number = |address: &SmolStr| {
                    let place = known.iter().position(|known| *known == address);
                    place.map(|place| place as u16).ok_or_else(|| {
                        let told = unknown("address", address, known.iter().map(|known| known.as_str()));
                        let all: Vec<&str> = known.iter().map(|known| known.as_str()).collect();
                        if all.is_empty() {
                            return format!("{told}; this app opens no addresses");
                        }
                        format!("{told}; the app's addresses are {}", all.join(", "))
                    })
                };
                let mut numbers: Vec<u16> = addresses.iter().map(number).collect::<Result<_, _>>()?;
                numbers.sort_unstable();
                numbers.dedup();
                Ok((Self::Model(app), numbers))
            }
            #[cfg(feature = "jvm")]
            Self::Apk(workshop, apk, mut habits) => {
                let numbers = (0..addresses.len() as u16).collect();
                habits.deep_links = addresses;
                Ok((Self::Apk(workshop, apk, habits), numbers))
            }
        }
    }

    /// The app's package.
    pub fn package(&self) -> &str {
        match self {
            Self::Model(app) => &app.package,
            #[cfg(feature = "jvm")]
            Self::Apk(_, apk, _) => &apk.package,
        }
    }

    /// What the app is called where there is little room.
    pub fn name(&self) -> &str {
        match self {
            Self::Model(app) => &app.name,
            #[cfg(feature = "jvm")]
            Self::Apk(_, apk, _) => apk.package.rsplit('.').next().unwrap_or(&apk.package),
        }
    }

    /// Changes with every version of the app.
    pub fn hash(&self) -> String {
        match self {
            Self::Model(app) => format!("{:016x}", app.hash),
            #[cfg(feature = "jvm")]
            Self::Apk(_, apk, _) => apk.hash.clone(),
        }
    }

    /// The names of the branches, where they are known beforehand.
    pub fn branches(&self) -> Option<Vec<SmolStr>> {
        match self {
            Self::Model(app) => Some(app.rules.iter().map(|rule| rule.name.clone()).collect()),
            #[cfg(feature = "jvm")]
            Self::Apk(..) => None,
        }
    }

    /// The activities that the app has, by their full names.
    pub fn activities(&self) -> Vec<SmolStr> {
        match self {
            Self::Model(app) => app.activities.iter().map(|activity| activity.class.clone()).collect(),
            #[cfg(feature = "jvm")]
            Self::Apk(_, apk, _) => apk.activities.clone(),
        }
    }

    /// The fewest events that each failure is known to need.
    pub fn optima(&self) -> BTreeMap<Signature, u32> {
        match self {
            Self::Model(app) => app.optima(),
            #[cfg(feature = "jvm")]
            Self::Apk(..) => BTreeMap::new(),
        }
    }

    /// The fewest events that a failure is known to need.
    pub fn shortest(&self, signature: &str) -> Option<u32> {
        match self {
            Self::Model(app) => app.shortest(signature),
            #[cfg(feature = "jvm")]
            Self::Apk(..) => None,
        }
    }

    /// A step takes longer than thinking about it, so that several devices explore at once where several are wanted.
    pub fn takes_its_time(&self) -> bool {
        !matches!(self, Self::Model(_))
    }

    /// A device of its own, with the app freshly installed.
    pub fn device(&self, seed: Seed) -> AnyDevice {
        match self {
            Self::Model(app) => AnyDevice::Virtual(Box::new(VirtualDevice::new(app.clone(), seed))),
            #[cfg(feature = "jvm")]
            Self::Apk(workshop, apk, habits) => {
                let device = JvmDevice::new(Arc::clone(workshop), Arc::clone(apk));
                AnyDevice::Jvm(Box::new(device.with(habits.clone())))
            }
        }
    }
}
