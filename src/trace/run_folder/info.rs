//! What was run: everything that, with the device's answers, decides how a run goes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::oracle::Signature;
use crate::trace::Summary;

/// `run.json`: what was run. It holds no wall-clock time and no path of the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The version of the formats in the folder.
    pub format: u32,
    /// The app's package, as it calls itself.
    pub app: String,
    /// The target as the user named it, for the next command.
    pub target: String,
    /// The hash of the app.
    pub app_hash: String,
    /// The sort of device.
    pub device: String,
    /// The seed of the run.
    pub seed: u64,
    /// The activities that the app declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub activities: Vec<SmolStr>,
    /// How many branches the app has, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<u64>,
    /// The length of the shortest way to a failure, where the app model states it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub optima: BTreeMap<Signature, u32>,
    /// The configuration, as its owner writes it.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub configuration: serde_json::Value,
    /// The versions of what took part: `siamang`, the device's system, an agent.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
}

/// `run.json` once the run has ended.
#[derive(Debug, Serialize)]
pub(super) struct Ended<'a> {
    #[serde(flatten)]
    pub(super) info: &'a RunInfo,
    pub(super) summary: &'a Summary,
}

impl RunInfo {
    /// The version that this program writes.
    pub const FORMAT: u32 = 1;

    /// A run of an app on a device with a seed; the rest is filled in where it is known.
    pub fn new(app: impl Into<String>, device: impl Into<String>, seed: u64) -> Self {
        Self {
            format: Self::FORMAT,
            app: app.into(),
            target: String::new(),
            app_hash: String::new(),
            device: device.into(),
            seed,
            activities: Vec::new(),
            branches: None,
            optima: BTreeMap::new(),
            configuration: serde_json::Value::Null,
            versions: BTreeMap::from([("siamang".into(), env!("CARGO_PKG_VERSION").into())]),
        }
    }
}
