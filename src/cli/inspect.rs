//! `siamang inspect`: a dump as people like to see it, how an abstraction names it, the decision trees, and why two screens
//! are one state or two.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use indexmap::IndexMap;

use super::initial_tree::InitialTree;
use crate::abstraction::registry::{self, Entry};
use crate::abstraction::{Abstraction, DecisionTree, Evidence, EvolveConfig, History, NameId, NamingId};
use crate::action::Input;
use crate::device::virtual_device::compile::unknown;
use crate::error::{CommandError, Exit};
use crate::gui::opener::covers;
use crate::gui::print::{PrintStyle, print};
use crate::gui::{GuiStore, GuiTree, NodeIx, Opener, xml};
use crate::ids::TreeHash;
use crate::numbers::thousands;
use crate::trace::pack::PackReader;
use crate::trace::{RunEvent, RunFolder, SpineReader, StepRecord};

/// Show a screen, how it is named, and why two screens are one state or two.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang inspect window_dump.xml                    the dump as a tree
  adb exec-out uiautomator dump /dev/tty | siamang inspect -
  siamang inspect window_dump.xml --names            how the abstraction names it
  siamang inspect before.xml after.xml               are they one state, and why?
  siamang inspect runs/latest --steps 17,40          the same for the screens after two steps
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
    #[arg(long, value_name = "N", requires = "tree")]
    naming: Option<u32>,
    /// Steps of a run; the screens after them are shown or compared. 0 is the first launch.
    #[arg(long, value_name = "I,J", value_delimiter = ',')]
    steps: Vec<u64>,
    /// Which screens are one state; a run knows by itself.
    #[arg(long, value_name = "NAME")]
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
        if !args.what.is_empty() || !args.steps.is_empty() || args.tree {
            return Err(usage("--device shows what is on a phone now; leave out everything else"));
        }
        let tree = super::phone::live_tree(&args.phone)?;
        let text = if args.names { args.names_of(&tree)? } else { print(&tree, PrintStyle::coloured()) };
        super::print(&text)?;
        return Ok(Exit::Clean);
    }
    let is_run = args.what.first().is_some_and(|path| path.is_dir());
    let text = match (&args.what[..], args.tree) {
        ([path], _) if is_run => Recorded::read(path, args)?.inspect(args)?,
        ([..], _) if is_run => return Err(usage("name one run folder, and its screens with --steps I,J")),
        _ if !args.steps.is_empty() => {
            return Err(usage("--steps are steps of a run; name its folder, such as runs/latest"));
        }
        ([], true) => args.first_tree()?.to_toml(),
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
            if args.names { args.names_of(&tree)? } else { print(&tree, PrintStyle::coloured()) }
        }
        ([one, other, ..], false) => args.why(&read_dump(one)?, &read_dump(other)?)?,
    };
    super::print(&text)?;
    Ok(Exit::Clean)
}

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
    fn entry(&self) -> anyhow::Result<&'static Entry> {
        let name = self.abstraction.as_deref().unwrap_or(registry::DEFAULT);
        find(name)
    }

    /// The decision tree that the abstraction starts from, or always has.
    fn first_tree(&self) -> anyhow::Result<DecisionTree> {
        let entry = self.entry()?;
        let given = self.initial_tree.load(&[entry])?;
        Ok(given.unwrap_or_else(|| entry.build().first_tree().clone()))
    }

    fn names_of(&self, tree: &Arc<GuiTree>) -> anyhow::Result<String> {
        let entry = self.entry()?;
        let mut abstraction = entry.build_from(self.initial_tree.load(&[entry])?.as_ref());
        let mut store = GuiStore::with_capacity(1);
        store.insert(tree);
        abstraction.evolve(&Evidence::Arrived(tree), &store);
        Ok(named(&mut abstraction, tree))
    }

    fn why(&self, one: &Arc<GuiTree>, other: &Arc<GuiTree>) -> anyhow::Result<String> {
        let entry = self.entry()?;
        let initial = self.initial_tree.load(&[entry])?;
        let mut abstraction = entry.build_from(initial.as_ref());
        let Some(config) = abstraction.evolving().map(|evolving| evolving.config().clone()) else {
            return Ok(why_fixed(&mut abstraction, one, other));
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

fn why_fixed(abstraction: &mut impl Abstraction, one: &GuiTree, other: &GuiTree) -> String {
    let (left, right) = (abstraction.name_tree(one).key, abstraction.name_tree(other).key);
    let mut text = if left == right {
        format!("one state: {left}\n")
    } else {
        format!("two states: {left} and {right}\n")
    };
    if one.activity() != other.activity() {
        let _ = writeln!(text, "  the activities are `{}` and `{}`", one.activity(), other.activity());
    }
    let (left, right) = (counted(abstraction, one), counted(abstraction, other));
    for (which, these, those) in [("first", &left, &right), ("second", &right, &left)] {
        for (words, (count, _)) in these.iter().filter(|(words, _)| !those.contains_key(*words)) {
            let _ = writeln!(text, "  only the {which} has {count} × {words}");
        }
    }
    text.push_str("this abstraction never changes; no decision was made\n");
    text
}

/// A run, as far as its abstraction goes.
struct Recorded {
    history: Option<History>,
    entry: &'static Entry,
    /// The screen after each step; the first launch is step 0.
    screens: BTreeMap<u64, Shown>,
    pack: PackReader,
    path: PathBuf,
}

/// A screen of a run.
struct Shown {
    tree: TreeHash,
    /// What was done to which screen when something came over the activity, if something lies over it.
    opening: Option<(TreeHash, Input)>,
}

impl Shown {
    /// What came after a step, if this was the last opening before it.
    fn after(step: &StepRecord, last: Option<(TreeHash, Input)>) -> Self {
        let opening = match (covers(&step.before.windows), covers(&step.after.windows)) {
            (_, false) => None,
            (true, true) if step.before.activity == step.after.activity => last,
            _ => Some((step.before.tree, step.input.clone())),
        };
        Self { tree: step.after.tree, opening }
    }
}

impl Recorded {
    fn read(path: &Path, args: &Args) -> anyhow::Result<Self> {
        let folder = RunFolder::open(path)?;
        let configuration = folder.info()?.configuration;
        let said = |key: &str| configuration.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let name = args.abstraction.clone().or_else(|| said("abstraction"));
        let entry = find(name.as_deref().unwrap_or(registry::DEFAULT))?;
        let initial = match (args.initial_tree.load(&[entry])?, said("initial_tree")) {
            (Some(given), _) => Some(given),
            (None, Some(text)) => Some(
                DecisionTree::from_toml(&text)
                    .with_context(|| format!("the initial tree in `{}`", path.join("run.json").display()))?,
            ),
            (None, None) => None,
        };
        let mut history = entry.evolves().map(|config| {
            let initial = initial.unwrap_or_else(|| config.initial.clone());
            History::new(&EvolveConfig { initial, ..config })
        });
        let mut screens = BTreeMap::new();
        let mut openings = BTreeMap::new();
        for event in SpineReader::open(path)? {
            match event {
                Ok(RunEvent::Reset { screen, session, .. }) => {
                    openings.remove(&session);
                    if screens.is_empty() {
                        screens.insert(0, Shown { tree: screen.tree, opening: None });
                    }
                }
                Ok(RunEvent::Step(step)) => {
                    let shown = Shown::after(&step, openings.remove(&step.session));
                    if let Some(opening) = &shown.opening {
                        openings.insert(step.session, opening.clone());
                    }
                    screens.insert(step.step.0, shown);
                }
                Ok(RunEvent::Decision { decision, .. }) => {
                    if let Some(history) = &mut history {
                        history.add(*decision)?;
                    }
                }
                Ok(_) => {}
                Err(issue) => tracing::warn!("{issue}"),
            }
        }
        let pack = PackReader::open(path)?;
        Ok(Self { history, entry, screens, pack, path: path.to_owned() })
    }

    fn inspect(mut self, args: &Args) -> anyhow::Result<String> {
        match (&args.steps[..], args.tree) {
            ([] | [_], true) => self.tree(args),
            ([one, other], false) => {
                let (one, other) = (self.screen(*one)?, self.screen(*other)?);
                Ok(match &self.history {
                    Some(history) => history.why(&one, &other).to_string(),
                    None => why_fixed(&mut self.entry.build(), &one, &other),
                })
            }
            ([step], false) => {
                let tree = self.screen(*step)?;
                if !args.names {
                    return Ok(print(&tree, PrintStyle::coloured()));
                }
                Ok(match &self.history {
                    Some(history) => history.names(&tree),
                    None => named(&mut self.entry.build(), &tree),
                })
            }
            ([], false) => Err(usage(
                "a run has many screens; name two with --steps I,J, one with --steps I, or use --tree",
            )),
            _ => Err(usage("--steps takes one step, or two with a comma between them; --tree one at most")),
        }
    }

    fn screen(&mut self, step: u64) -> anyhow::Result<GuiTree> {
        let Some(Shown { tree, opening }) = self.screens.get(&step) else {
            let last = self.screens.keys().next_back().copied().unwrap_or_default();
            return Err(usage(format!("the run has no step {step}; its steps go from 0 to {last}")));
        };
        let path = self.path.display();
        let opener = match opening {
            Some((before, input)) => {
                self.pack.get(*before).ok().flatten().map(|before| Opener::of(&before, input))
            }
            None => None,
        };
        match self.pack.get(*tree) {
            Ok(Some(tree)) => Ok(tree.opened_by(opener.unwrap_or_default())),
            Ok(None) => Err(usage(format!("`{path}` does not hold the screen after step {step}"))),
            Err(issue) => Err(usage(format!("the screen after step {step} cannot be read: {issue}"))),
        }
    }

    /// The tree that is asked for, or the learnt one that most steps ended with.
    fn tree(&mut self, args: &Args) -> anyhow::Result<String> {
        if self.history.is_none() {
            return Ok(self.entry.build().first_tree().to_toml());
        }
        let wanted = match (args.naming, args.steps.first()) {
            (Some(naming), _) => Some(NamingId(naming)),
            (None, Some(&step)) => {
                let tree = self.screen(step)?;
                self.history.as_ref().and_then(|history| Some(history.levels(&tree).last()?.naming))
            }
            (None, None) => None,
        };
        let mut times: BTreeMap<TreeHash, u64> = BTreeMap::new();
        for shown in self.screens.values() {
            *times.entry(shown.tree).or_default() += 1;
        }
        let mut used: BTreeMap<NamingId, u64> = BTreeMap::new();
        let Some(history) = &self.history else { return Ok(String::new()) };
        for (hash, times) in times {
            let Ok(Some(tree)) = self.pack.get(hash) else { continue };
            if let Some(level) = history.levels(&tree).last() {
                *used.entry(level.naming).or_default() += times;
            }
        }
        // The initial tree is known already; it is shown only where nothing was learnt.
        let most = used.iter().max_by_key(|(id, times)| (id.0 > 0, **times, std::cmp::Reverse(**id)));
        let naming = wanted.or(most.map(|(id, _)| *id)).unwrap_or_default();
        let Some(tree) = history.naming(naming) else {
            let last = history.namings().last().map_or(0, |(id, _)| id.0);
            return Err(usage(format!("the run has no tree {}; its trees go from 0 to {last}", naming.0)));
        };
        let count = used.get(&naming).copied().unwrap_or_default();
        Ok(format!(
            "# Tree {} of {}; the screens of {} of {} steps ended with it.\n{}",
            naming.0,
            history.namings().count(),
            thousands(count),
            thousands(self.screens.len() as u64),
            tree.to_toml()
        ))
    }
}
