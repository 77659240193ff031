//! What is there for APKs and what is missing, found out without fetching anything.

use std::path::PathBuf;

use super::SetUpError;
use super::fence::Fence;
use super::jdk::{Jdk, on_path};
use super::pins::Pin;
use super::workshop::Places;
use super::yard::sweep;

/// What is there and what is missing.
#[derive(Debug)]
pub struct Survey {
    /// The Java that would run it.
    pub jdk: Result<Jdk, SetUpError>,
    /// Maven, for what is to be fetched.
    pub maven: Option<PathBuf>,
    /// What would keep an app in; tried out.
    pub fence: Result<Fence, SetUpError>,
    /// Where everything is kept.
    pub places: Result<Places, SetUpError>,
    /// How many folders of runs that were killed were there, and are no more.
    pub swept: usize,
}

/// What is kept already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stock {
    /// Files and bytes that are there.
    pub there: (usize, u64),
    /// Files and bytes that would be fetched.
    pub missing: (usize, u64),
    /// They were checked and unpacked, and the host is compiled.
    pub ready: bool,
}

impl Survey {
    /// Looks at everything.
    pub fn take() -> Self {
        let jdk = Jdk::find();
        let places = Places::find();
        let swept = places.as_ref().map_or(0, |places| sweep(&places.yards).unwrap_or(0));
        let fence = match &places {
            Ok(places) => places.fence(),
            Err(_) => Err(SetUpError::NoCache),
        };
        Self { jdk, maven: on_path("mvn"), fence, places, swept }
    }

    /// What is kept already, where a place is known.
    pub fn stock(&self) -> Option<Stock> {
        let places = self.places.as_ref().ok()?;
        let mut stock = Stock::default();
        for pin in Pin::all() {
            let there = std::fs::metadata(pin.file(&places.parts)).is_ok_and(|file| file.len() == pin.bytes);
            let (files, bytes) = if there { &mut stock.there } else { &mut stock.missing };
            *files += 1;
            *bytes += pin.bytes;
        }
        let compiled = self.jdk.as_ref().is_ok_and(|jdk| places.host(jdk).join("ready").is_file());
        let unpacked = places.parts.join("fetched").is_file() && places.unpacked().join("ready").is_file();
        stock.ready = stock.missing.0 == 0 && compiled && unpacked;
        Some(stock)
    }
}
