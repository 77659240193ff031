//! The screens of a run that was recorded, as the run itself named them or as another abstraction would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::{Args, Chosen, ONE_AT_A_TIME, find, usage};
use crate::abstraction::registry;
use crate::abstraction::{DecisionTree, EvolveConfig, History, NamingId};
use crate::action::Input;
use crate::gui::opener::covers;
use crate::gui::print::{PrintStyle, print};
use crate::gui::{GuiTree, Opener};
use crate::ids::TreeHash;
use crate::numbers::thousands;
use crate::trace::pack::PackReader;
use crate::trace::{RunEvent, RunFolder, SpineReader, StepRecord};

/// A run, as far as its abstraction goes.
pub(super) struct Recorded {
    naming: Naming,
    /// The screen after each step; the first launch is step 0.
    screens: BTreeMap<u64, Shown>,
    pack: PackReader,
    path: PathBuf,
}

/// Who names the screens.
enum Naming {
    /// The run, by an abstraction that evolved: its decisions tell how.
    Learnt(History),
    /// The run, by an abstraction that never changes.
    Fixed(Chosen),
    /// Another abstraction, or the same from another tree. The decisions of the run are not about its trees.
    Afresh {
        by: Chosen,
        /// What the run was made with.
        run: String,
    },
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

/// What the run says of its abstraction, against what is asked for.
fn naming(path: &Path, args: &Args) -> anyhow::Result<Naming> {
    let configuration = RunFolder::open(path)?.info()?.configuration;
    let said = |key: &str| configuration.get(key).and_then(|value| value.as_str());
    let run = said("abstraction").unwrap_or(registry::DEFAULT);
    let entry = find(args.abstraction.as_deref().unwrap_or(run))?;
    let given = args.initial_tree.load(&[entry])?;
    let afresh = |initial| {
        let run = match said("initial_tree") {
            Some(_) => format!("{run} from a tree of its user's"),
            None => run.to_owned(),
        };
        Naming::Afresh { by: Chosen { entry, initial }, run }
    };
    if entry.name != run {
        return Ok(afresh(given));
    }
    let Some(config) = entry.evolves() else {
        return Ok(Naming::Fixed(Chosen { entry, initial: None }));
    };
    let initial = match said("initial_tree") {
        Some(text) => DecisionTree::from_toml(text)
            .with_context(|| format!("the initial tree in `{}`", path.join("run.json").display()))?,
        None => config.initial.clone(),
    };
    match given {
        Some(given) if given.content_hash() != initial.content_hash() => Ok(afresh(Some(given))),
        _ => Ok(Naming::Learnt(History::new(&EvolveConfig { initial, ..config }))),
    }
}

impl Recorded {
    pub(super) fn read(path: &Path, args: &Args) -> anyhow::Result<Self> {
        let mut naming = naming(path, args)?;
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
                    if let Naming::Learnt(history) = &mut naming {
                        history.add(*decision)?;
                    }
                }
                Ok(_) => {}
                Err(issue) => tracing::warn!("{issue}"),
            }
        }
        let pack = PackReader::open(path)?;
        Ok(Self { naming, screens, pack, path: path.to_owned() })
    }

    pub(super) fn inspect(mut self, args: &Args) -> anyhow::Result<String> {
        let mut asked = Vec::new();
        for step in &args.steps {
            asked.push(self.after_step(*step)?);
        }
        for beginning in &args.screens {
            asked.push(self.with_hash(beginning)?);
        }
        match (&asked[..], args.tree) {
            ([] | [_], true) => self.tree(asked.first(), args.naming),
            ([_, _], false) if args.names => Err(usage(ONE_AT_A_TIME)),
            ([one, other], false) => self.why(one, other),
            ([tree], false) if args.names => Ok(self.names(tree)),
            ([tree], false) => Ok(print(tree, PrintStyle::coloured())),
            ([], false) => Err(usage(
                "a run has many screens; name two with --steps I,J or --screen HASH,HASH, or one, or use --tree",
            )),
            _ => Err(usage(
                "--steps and --screen take one screen, or two with a comma between them; --tree one at most",
            )),
        }
    }

    fn why(&self, one: &Arc<GuiTree>, other: &Arc<GuiTree>) -> anyhow::Result<String> {
        match &self.naming {
            Naming::Learnt(history) => Ok(history.why(one, other).to_string()),
            Naming::Fixed(chosen) => chosen.why(one, other),
            Naming::Afresh { by, run } => Ok(format!("{}{}", afresh(by, run), by.why(one, other)?)),
        }
    }

    fn names(&self, tree: &Arc<GuiTree>) -> String {
        match &self.naming {
            Naming::Learnt(history) => history.names(tree),
            Naming::Fixed(chosen) => chosen.names_of(tree),
            Naming::Afresh { by, run } => format!("{}{}", afresh(by, run), by.names_of(tree)),
        }
    }

    fn after_step(&mut self, step: u64) -> anyhow::Result<Arc<GuiTree>> {
        let Some(Shown { tree, opening }) = self.screens.get(&step) else {
            let last = self.screens.keys().next_back().copied().unwrap_or_default();
            return Err(usage(format!("the run has no step {step}; its steps go from 0 to {last}")));
        };
        let (tree, opening) = (*tree, opening.clone());
        self.screen(tree, opening, &format!("the screen after step {step}"))
    }

    /// The screen whose hash begins so, opened as it was when it was first seen.
    fn with_hash(&mut self, beginning: &str) -> anyhow::Result<Arc<GuiTree>> {
        const SHOWN: usize = 4;
        let wanted = beginning.to_ascii_lowercase();
        if wanted.is_empty() || !wanted.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(usage(format!(
                "`{beginning}` is no hash of a screen; it has up to 16 of the digits 0 to 9 and a to f, as decisions show it"
            )));
        }
        let fits = |hash: &TreeHash| hash.to_string().starts_with(&wanted);
        let found: Vec<TreeHash> = self.pack.hashes().filter(fits).collect();
        let &[hash] = &found[..] else {
            let path = self.path.display();
            if found.is_empty() {
                return Err(usage(format!("`{path}` has no screen `{beginning}`; is it of another run?")));
            }
            let some: Vec<String> = found.iter().take(SHOWN).map(ToString::to_string).collect();
            let more = if found.len() > SHOWN { ", …" } else { "" };
            return Err(usage(format!(
                "{} screens of `{path}` begin with `{beginning}`: {}{more}; give more of the digits",
                found.len(),
                some.join(", ")
            )));
        };
        let shown = self.screens.values().find(|shown| shown.tree == hash);
        let opening = shown.and_then(|shown| shown.opening.clone());
        self.screen(hash, opening, &format!("the screen {hash}"))
    }

    fn screen(
        &mut self,
        tree: TreeHash,
        opening: Option<(TreeHash, Input)>,
        what: &str,
    ) -> anyhow::Result<Arc<GuiTree>> {
        let opener = opening.and_then(|(before, input)| {
            self.pack.get(before).ok().flatten().map(|before| Opener::of(&before, &input))
        });
        match self.pack.get(tree) {
            Ok(Some(tree)) => Ok(Arc::new(tree.opened_by(opener.unwrap_or_default()))),
            Ok(None) => Err(usage(format!("`{}` does not hold {what}", self.path.display()))),
            Err(issue) => Err(usage(format!("{what} cannot be read: {issue}"))),
        }
    }

    /// The tree that is asked for, or the learnt one that most steps ended with.
    fn tree(&mut self, of: Option<&Arc<GuiTree>>, number: Option<u32>) -> anyhow::Result<String> {
        let path = self.path.display();
        let history = match &self.naming {
            Naming::Learnt(history) => history,
            Naming::Fixed(chosen) => {
                return match number {
                    None | Some(0) => Ok(chosen.first_tree().to_toml()),
                    Some(number) => Err(usage(format!(
                        "{} never changes: the run has no tree {number}, only tree 0",
                        chosen.entry.name
                    ))),
                };
            }
            Naming::Afresh { by, run } => {
                return Err(usage(format!(
                    "`{path}` was made with {run}, and its trees are of that; leave --abstraction and --initial-tree out, \
                     or the run for the tree that {} starts from",
                    by.entry.name
                )));
            }
        };
        let wanted = match (number, of) {
            (Some(number), _) => Some(NamingId(number)),
            (None, Some(tree)) => history.levels(tree).last().map(|level| level.naming),
            (None, None) => None,
        };
        let mut times: BTreeMap<TreeHash, u64> = BTreeMap::new();
        for shown in self.screens.values() {
            *times.entry(shown.tree).or_default() += 1;
        }
        let mut used: BTreeMap<NamingId, u64> = BTreeMap::new();
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

/// Whose names these are, where they are not the run's.
fn afresh(by: &Chosen, run: &str) -> String {
    let from = if by.initial.is_some() { " from the given tree" } else { "" };
    format!(
        "{}{from} names these screens afresh, as if it had seen nothing else; the run was made with {run}\n",
        by.entry.name
    )
}
