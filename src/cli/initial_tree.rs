//! `--initial-tree`: the decision tree from which an abstraction that evolves starts.

use std::path::{Path, PathBuf};

use crate::abstraction::DecisionTree;
use crate::abstraction::registry::{Entry, REGISTRY};
use crate::error::CommandError;

/// The option, the same for all commands that have it.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct InitialTree {
    /// Start from this decision tree (TOML; `siamang inspect --tree` prints one) instead of the abstraction's own.
    #[arg(long, value_name = "FILE")]
    initial_tree: Option<PathBuf>,
}

/// A decision tree is never larger than this.
const MAX_BYTES: u64 = 4 << 20;

impl InitialTree {
    /// The tree, if one is named and one of the abstractions can start from it.
    pub fn load(&self, abstractions: &[&Entry]) -> anyhow::Result<Option<DecisionTree>> {
        let Some(path) = &self.initial_tree else { return Ok(None) };
        if !abstractions.iter().any(|entry| entry.evolves().is_some()) {
            let names: Vec<&str> = abstractions.iter().map(|entry| entry.name).collect();
            let evolving: Vec<&str> =
                REGISTRY.iter().filter(|entry| entry.evolves().is_some()).map(|entry| entry.name).collect();
            return Err(CommandError::usage(format!(
                "--initial-tree is for abstractions that evolve, and {} never changes; leave it out, or use --abstraction {}",
                names.join(", "),
                evolving.join(" or ")
            ))
            .into());
        }
        read(path).map(Some)
    }
}

fn read(path: &Path) -> anyhow::Result<DecisionTree> {
    let shown = path.display();
    let bad = |what: String| CommandError::usage(what);
    let length =
        std::fs::metadata(path).map_err(|error| bad(format!("cannot read `{shown}`: {error}")))?.len();
    if length > MAX_BYTES {
        return Err(bad(format!(
            "`{shown}` is larger than {} MB; that is no decision tree",
            MAX_BYTES >> 20
        ))
        .into());
    }
    let bytes = std::fs::read(path).map_err(|error| bad(format!("cannot read `{shown}`: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| bad(format!("`{shown}` is no decision tree: it is not UTF-8 text")))?;
    DecisionTree::from_toml(&text).map_err(|error| {
        bad(format!(
            "`{shown}` is no decision tree: {error}\n`siamang inspect --tree` prints one to start from"
        ))
        .into()
    })
}
