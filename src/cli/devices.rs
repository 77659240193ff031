//! `siamang devices`: the phones and what they are.

use serde::Serialize;

use super::phone::{PLUG_IN, PhoneArgs, now, trouble};
use crate::device::adb::journal::Journals;
use crate::device::adb::names::{Serial, ShellLine};
use crate::device::adb::wire::{Listed, Server, State};
use crate::error::Exit;
use crate::report::table::{Align, Table};

/// List the phones and emulators: state, model, API level, and whether siamang is at work on them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    phone: PhoneArgs,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    serial: String,
    state: String,
    model: String,
    api: Option<u32>,
    busy: bool,
    server: String,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let journals = Journals::usual();
    let rows = now(async {
        let mut rows = Vec::new();
        for server in args.phone.servers().await? {
            let listed = server.devices().await;
            for listed in listed.map_err(|error| trouble(error, "run `adb kill-server` and try again"))? {
                rows.push(row(&server, listed, &journals).await);
            }
        }
        Ok(rows)
    })?;
    if args.json {
        super::print_json(&rows)?;
    } else if rows.is_empty() {
        super::print(&format!("no phone is connected; {PLUG_IN}\n"))?;
    } else {
        let left = Align::Left;
        let mut table = Table::new(&[
            ("serial", left),
            ("state", left),
            ("model", left),
            ("API", Align::Right),
            ("busy", left),
        ]);
        for row in &rows {
            let api = row.api.map_or_else(|| "?".to_owned(), |api| api.to_string());
            let busy = if row.busy { "yes" } else { "no" };
            table.row([row.serial.clone(), row.state.clone(), row.model.clone(), api, busy.to_owned()]);
        }
        super::print(&table.render())?;
    }
    Ok(if rows.iter().any(|row| row.state == State::Device.to_string()) { Exit::Clean } else { Exit::Device })
}

async fn row(server: &Server, listed: Listed, journals: &Journals) -> Row {
    let mut api = None;
    let mut busy = false;
    if let Ok(serial) = Serial::new(&listed.serial) {
        busy = journals.read(server.address(), &serial).is_some_and(|entry| entry.is_busy());
        if listed.state == State::Device {
            let line = ShellLine::new("getprop ro.build.version.sdk");
            api = server.must(&serial, &line).await.ok().and_then(|text| text.trim().parse().ok());
        }
    }
    let Listed { serial, state, model } = listed;
    Row { serial, state: state.to_string(), model, api, busy, server: server.to_string() }
}
