//! `siamang inspect`: a dump as people like to see it, how an abstraction names it, the decision trees, and why two screens
//! are one state or two.

mod recorded;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use indexmap::IndexMap;

use super::initial_tree::InitialTree;
use super::names;
use crate::abstraction::registry::{self, AnyAbstraction, Entry};
use crate::abstraction::{Abstraction, DecisionTree, Evidence, History, NameId};
use crate::error::{CommandError, Exit};
use crate::gui::print::{PrintStyle, print};
use crate::gui::{GuiStore, GuiTree, NodeIx, xml};
use crate::nearest::unknown;
use recorded::Recorded;

/// Show a screen, how it is named, and why two screens are one state or two.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang inspect window_dump.xml                    the dump as a tree
  adb exec-out uiautomator dump /dev/tty | siamang inspect -
  siamang inspect window_dump.xml --names            how the abstraction names it
  siamang inspect before.xml after.xml               are they one state, and why?
  siamang inspect runs/latest --steps 17,40          the same for the screens after two steps
  siamang inspect runs/latest --screen 3fa09c        the screen whose hash begins so
  siamang inspect --tree > tree.toml                 the decision tree to start from, for --initial-tree
  siamang inspect --device emulator-5554             what a phone shows now
  siamang inspect runs/latest --tree                 the learnt tree that most screens ended with")]
pub struct Args {
    /// One dump or two (- for standard input), or the folder of a run.
    #[arg(value_name = "DUMP|RUN", num_args = 0..=2)]
    what: Vec<PathBuf>,
    /// Show the names of the widgets.
    #[arg(long)]
    names: bool,
    /// Print a decision tree as TOML: of a run, or the one that the abstraction starts from.
    #[arg(long, conflicts_with = "names")]
    tree: bool,
    /// Which tree of a run, by its number; by default the learnt one that most screens ended with.
    #[arg(long, value_name = "N", requires = "tree", conflicts_with_all = ["steps", "screens"])]
    naming: Option<u32>,
    /// Steps of a run; the screens after them are shown or compared. 0 is the first launch.
    #[arg(long, value_name = "I,J", value_delimiter = ',')]
    steps: Vec<u64>,
    /// Screens of a run by their hashes, as decisions name them; a beginning that no other screen has is enough.
    #[arg(long = "screen", value_name = "HASH,HASH", value_delimiter = ',', conflicts_with = "steps")]
    screens: Vec<String>,
    #[arg(
        long,
        value_name = "NAME",
        help = names::abstraction("Which screens are one state; a run knows by itself what it was made with"),
        long_help = names::abstractions("Which screens are one state; a run knows by itself what it was made with")
    )]
    abstraction: Option<String>,
    #[command(flatten)]
    initial_tree: InitialTree,
    #[cfg(feature = "adb")]
    #[command(flatten)]
    phone: super::phone::PhoneArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    #[cfg(feature = "adb")]
    if !args.phone.devices.is_empty() {
        if !args.what.is_empty() || args.names_screens() || args.tree {
            return Err(usage("--device shows what is on a phone now; leave out everything else"));
        }
        let tree = super::phone::live_tree(&args.phone)?;
        let text =
            if args.names { args.chosen()?.names_of(&tree) } else { print(&tree, PrintStyle::coloured()) };
        super::print(&text)?;
        return Ok(Exit::Clean);
    }
    let is_run = args.what.first().is_some_and(|path| path.is_dir());
    let text = match (&args.what[..], args.tree) {
        ([path], _) if is_run => Recorded::read(path, args)?.inspect(args)?,
        ([..], _) if is_run => return Err(usage("name one run folder, and its screens with --steps I,J")),
        _ if args.names_screens() => {
            return Err(usage("--steps and --screen are for a run; name its folder, such as runs/latest"));
        }
        _ if args.naming.is_some() => {
            return Err(usage("--naming is one of the trees of a run; name its folder, such as runs/latest"));
        }
        ([], true) => args.chosen()?.first_tree().to_toml(),
        ([], false) => {
            return Err(usage(
                "name a dump, two dumps, a run folder or a phone (--device SERIAL), or use --tree",
            ));
        }
        ([..], true) => {
            return Err(usage("a dump has no decision tree; name the folder of a run, or nothing"));
        }
        ([dump], false) => {
            let tree = read_dump(dump)?;
            if args.names { args.chosen()?.names_of(&tree) } else { print(&tree, PrintStyle::coloured()) }
        }
        ([_, _, ..], false) if args.names => return Err(usage(ONE_AT_A_TIME)),
        ([one, other, ..], false) => args.chosen()?.why(&read_dump(one)?, &read_dump(other)?)?,
    };
    super::print(&text)?;
    Ok(Exit::Clean)
}

/// Why two screens are one state or two is told with the names that matter.
const ONE_AT_A_TIME: &str =
    "--names shows the names of one screen; leave it out for two, or name one of them";

fn usage(message: impl Into<String>) -> anyhow::Error {
    CommandError::usage(message).into()
}

fn read_dump(path: &Path) -> anyhow::Result<Arc<GuiTree>> {
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        bytes
    } else {
        std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?
    };
    let (tree, issues) = xml::read(&bytes);
    for issue in &issues {
        tracing::warn!("{issue}");
    }
    if tree.windows().is_empty() {
        return Err(usage(format!("`{}` has no window of a uiautomator dump", path.display())));
    }
    Ok(Arc::new(tree))
}

impl Args {
    fn names_screens(&self) -> bool {
        !self.steps.is_empty() || !self.screens.is_empty()
    }

    fn chosen(&self) -> anyhow::Result<Chosen> {
        let entry = find(self.abstraction.as_deref().unwrap_or(registry::DEFAULT))?;
        Ok(Chosen { entry, initial: self.initial_tree.load(&[entry])? })
    }
}

/// An abstraction that has seen nothing but what it is shown here.
struct Chosen {
    entry: &'static Entry,
    /// The tree that it starts from, if that is not its own.
    initial: Option<DecisionTree>,
}

impl Chosen {
    fn build(&self) -> AnyAbstraction {
        self.entry.build_from(self.initial.as_ref())
    }

    /// The decision tree that the abstraction starts from, or always has.
    fn first_tree(&self) -> DecisionTree {
        self.build().first_tree().clone()
    }

    fn names_of(&self, tree: &Arc<GuiTree>) -> String {
        let mut abstraction = self.build();
        let mut store = GuiStore::with_capacity(1);
        store.insert(tree);
        abstraction.evolve(&Evidence::Arrived(tree), &store);
        named(&mut abstraction, tree)
    }

    fn why(&self, one: &Arc<GuiTree>, other: &Arc<GuiTree>) -> anyhow::Result<String> {
        let mut abstraction = self.build();
        let config = match &mut abstraction {
            AnyAbstraction::Fixed(fixed) => return Ok(fixed.why(one, other).to_string()),
            AnyAbstraction::Evolving(evolving) => evolving.config().clone(),
        };
        let mut history = History::new(&config);
        let mut store = GuiStore::with_capacity(2);
        for tree in [one, other] {
            store.insert(tree);
            for decision in abstraction.evolve(&Evidence::Arrived(tree), &store).decisions {
                history.add(decision)?;
            }
        }
        Ok(history.why(one, other).to_string())
    }
}

fn find(name: &str) -> anyhow::Result<&'static Entry> {
    registry::find(name).ok_or_else(|| {
        let names: Vec<&str> = registry::REGISTRY.iter().map(|entry| entry.name).collect();
        let message = unknown("abstraction", name, names.iter().copied());
        usage(format!("{message}; the abstractions are {}", names.join(", ")))
    })
}

/// The state of a screen, and its names with how often each occurs.
fn named(abstraction: &mut impl Abstraction, tree: &GuiTree) -> String {
    let named = abstraction.name_tree(tree);
    let mut text = format!("state {}\n", named.key);
    for (words, (count, actions)) in counted(abstraction, tree) {
        let acts = if actions { "can be acted on" } else { "" };
        let _ = writeln!(text, "{}", format!("{count:>4} × {words}  {acts}").trim_end());
    }
    text
}

/// The names of a screen's widgets in words, with how often each occurs and whether it can be acted on.
fn counted(abstraction: &mut impl Abstraction, tree: &GuiTree) -> BTreeMap<String, (usize, bool)> {
    let screen = abstraction.name_tree(tree);
    let mut names: IndexMap<NameId, (NodeIx, usize, bool)> = IndexMap::new();
    for ix in tree.indices().filter(|ix| screen.names[ix.0 as usize] != NameId::NONE) {
        let (_, count, acts) = names.entry(screen.names[ix.0 as usize]).or_insert((ix, 0, false));
        *count += 1;
        *acts |= tree.widget(ix).is_actionable();
    }
    let first_of_each: Vec<NodeIx> = names.values().map(|&(first, ..)| first).collect();
    let mut counts: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for (words, (_, count, acts)) in
        abstraction.describe(tree, &first_of_each).into_iter().zip(names.into_values())
    {
        let entry = counts.entry(words).or_default();
        entry.0 += count;
        entry.1 |= acts;
    }
    counts
}
