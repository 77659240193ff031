//! `siamang model`: check and show app models.

use schemars::schema_for;

use crate::device::virtual_device::app_model::AppDef;
use crate::error::Exit;
use crate::target::Target;

/// Check and show app models.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Print the text of a model, also of a generated one.
    #[command(after_help = "Example:\n  siamang model show 'generated:plain?screens=12&seed=3'")]
    Show {
        /// The model.
        target: String,
    },
    /// Print the JSON schema of app models, for editors.
    Schema,
}

/// Runs the command.
pub fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Show { target } => super::print(&Target::parse(target)?.source()?)?,
        Command::Schema => super::print_json(&schema_for!(AppDef))?,
    }
    Ok(Exit::Clean)
}
