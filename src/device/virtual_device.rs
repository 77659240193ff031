//! The embedded default device: interprets an app model.

use super::{Capabilities, Device, DeviceError, Observation, Reset};
use crate::action::Event;

/// A phone that runs one app model.
#[derive(Debug)]
pub struct VirtualDevice {
    capabilities: Capabilities,
}

impl Device for VirtualDevice {
    async fn step(&mut self, _event: &Event) -> Result<Observation, DeviceError> {
        Err(DeviceError::Gone("under construction".into()))
    }

    async fn reset(&mut self, _reset: Reset) -> Result<Observation, DeviceError> {
        Err(DeviceError::Gone("under construction".into()))
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn close(self) -> Result<(), DeviceError> {
        Ok(())
    }
}
