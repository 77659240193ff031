//! The decision tree: one abstraction function.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::digest::{self, Appearance, Digest};
use super::path::{AttributePath, Element, Pattern};
use super::reducer::Reducer;
use super::{NameId, NamingId, hash_numbers};
use crate::gui::{GuiTree, NodeIx};

/// Determines the reducer of every widget (APE III-B): from the root, the first branch whose selector selects the widget
/// is followed, until none does; the reducer of that output node names the widget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionTree {
    nodes: Vec<Node>,
    hash: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    reducer: Reducer,
    /// What of its widgets counts towards the state, if that is not their whole name.
    counts_as: Option<Reducer>,
    /// It belongs to the initial tree and is never replaced: it may hold a user's rule.
    initial: bool,
    branches: Vec<Branch>,
    /// The selector that leads here; empty at the root.
    selector: AttributePath,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Branch {
    pattern: Pattern,
    to: usize,
}

/// One way to refine a decision tree: a leaf gets another reducer, or an output node a branch to a finer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The selector of the node that is changed or made.
    pub selector: AttributePath,
    /// Its new reducer.
    pub reducer: Reducer,
    /// Which of the two ways it is.
    pub way: Way,
}

impl Change {
    /// The screens of a state are told apart by what opened that which lies over them.
    pub fn by_opener() -> Self {
        Self { selector: AttributePath::default(), reducer: Reducer::empty(), way: Way::Opener }
    }
}

/// An output node of one of the functions of an evolving abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The function.
    pub naming: NamingId,
    /// The node, counted in the order in which the nodes were made.
    pub node: u32,
}

/// Whether the words of a name also tell what can be done to the widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithActions {
    Yes,
    No,
}

/// A name that speaks of more widgets is cut in words: nobody reads on, and a screen of thousands of levels has gigabytes
/// of them.
const LEVELS_IN_WORDS: usize = 64;

/// The two ways to refine a decision tree (APE III-C).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The reducer of a leaf is replaced by one that is not coarser.
    Replace,
    /// A branch to a finer reducer is inserted.
    Insert,
    /// Widgets are named anew, and their state takes no notice of it.
    Names,
    /// No name changes: the screens of a state are told apart by what opened that which lies over them.
    Opener,
    /// Widgets are named by what lies below the activity, and their state takes no notice of it.
    Below,
}

/// A change that is tried at an output node.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) output: usize,
    pub(crate) change: Change,
    pattern: Pattern,
}

impl Trial {
    pub(crate) fn new(output: usize, change: Change) -> Self {
        Self { output, pattern: change.selector.pattern(), change }
    }

    fn touches(&self, digest: &Digest, ix: usize) -> bool {
        match self.change.way {
            Way::Replace => true,
            Way::Insert | Way::Names => self.pattern.selects(digest, ix),
            Way::Opener | Way::Below => false,
        }
    }
}

/// The names and the output nodes of a tree's widgets before a change.
#[derive(Debug)]
pub(crate) struct Now {
    pub(crate) names: Vec<NameId>,
    pub(crate) outputs: Vec<u32>,
    /// What counts towards the state, if that is not the names.
    pub(crate) counted: Option<Vec<NameId>>,
}

/// The form of a decision tree that people write: `reducer`, and for each branch its `select`, its `reducer` and its own
/// branches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    reducer: Reducer,
    #[serde(default, skip_serializing_if = "AttributePath::is_empty")]
    select: AttributePath,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counts_as: Option<Reducer>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    learnt: bool,
    #[serde(default, rename = "branch", skip_serializing_if = "Vec::is_empty")]
    branches: Vec<Written>,
}

/// What is wrong with a decision tree that somebody wrote.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// It is no TOML, or has a field or a value that a decision tree does not have.
    #[error("{}", .0.to_string().trim_end())]
    Toml(toml::de::Error),
    /// The root applies to every widget.
    #[error("the root has a `select`, but it is for every widget; put the `select` into a [[branch]]")]
    RootSelects,
    /// A branch without a selector would hide all that come after it.
    #[error(
        "a [[branch]] with reducer \"{reducer}\" has no `select`; say which widgets it is for, such as \
         select = [{{ class = \"android.widget.ListView\" }}, {{}}] for the children of a list"
    )]
    BranchSelectsNothing {
        /// The branch's reducer.
        reducer: Reducer,
    },
}

impl AttributePath {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl DecisionTree {
    /// One reducer for every widget.
    pub fn uniform(reducer: Reducer) -> Self {
        let root = Node {
            reducer,
            counts_as: None,
            initial: true,
            branches: Vec::new(),
            selector: AttributePath::default(),
        };
        Self { nodes: vec![root], hash: 0 }.hashed()
    }

    /// The same tree with one more branch at its root, as part of the initial tree.
    #[must_use]
    pub fn with_branch(mut self, selector: AttributePath, reducer: Reducer) -> Self {
        self.insert(0, selector, reducer, true);
        self.hashed()
    }

    fn insert(&mut self, at: usize, selector: AttributePath, reducer: Reducer, initial: bool) -> usize {
        let to = self.nodes.len();
        self.nodes[at].branches.push(Branch { pattern: selector.pattern(), to });
        self.nodes.push(Node { reducer, counts_as: None, initial, branches: Vec::new(), selector });
        to
    }

    /// The tree with its content hash.
    pub(crate) fn hashed(mut self) -> Self {
        let written = serde_json::to_vec(&self.written(0)).unwrap_or_default();
        self.hash = xxh3_64(&written);
        self
    }

    /// The hash of its content: equal trees have equal hashes, on every machine.
    pub fn content_hash(&self) -> u64 {
        self.hash
    }

    /// The number of primitives of its finest reducer.
    pub fn fineness(&self) -> u32 {
        self.nodes.iter().map(|node| node.reducer.size()).max().unwrap_or_default()
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// It has no node; that never happens.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node that determines the reducer of a widget.
    pub(crate) fn output(&self, digest: &Digest, widget: usize) -> usize {
        let mut at = 0;
        while let Some(branch) =
            self.nodes[at].branches.iter().find(|branch| branch.pattern.selects(digest, widget))
        {
            at = branch.to;
        }
        at
    }

    pub(crate) fn reducer(&self, node: usize) -> Reducer {
        self.nodes[node].reducer
    }

    /// The state takes less notice of the node's widgets than they have names.
    pub(crate) fn counts_as_less(&self, node: usize) -> bool {
        self.nodes[node].counts_as.is_some()
    }

    /// The names of all widgets of a tree, in arena order; widgets that do not count have the name 0.
    pub(crate) fn names(&self, digest: &Digest, names: &mut Vec<NameId>) {
        self.names_by(digest, names, |node| node.reducer);
    }

    /// What counts towards the state, widget by widget, if that is not the names.
    pub(crate) fn counted(&self, digest: &Digest) -> Option<Vec<NameId>> {
        self.nodes.iter().any(|node| node.counts_as.is_some()).then(|| {
            let mut counted = Vec::with_capacity(digest.locals.len());
            self.names_by(digest, &mut counted, Node::counting);
            counted
        })
    }

    fn names_by(&self, digest: &Digest, names: &mut Vec<NameId>, kept: impl Fn(&Node) -> Reducer) {
        names.clear();
        let uniform = self.nodes.len() == 1;
        for (ix, local) in digest.locals.iter().enumerate() {
            if !local.counts {
                names.push(NameId(0));
                continue;
            }
            let reducer = kept(&self.nodes[if uniform { 0 } else { self.output(digest, ix) }]);
            let parent = match local.parent() {
                Some(parent) if reducer.contains(Reducer::PARENT) => names[parent].0,
                _ => 0,
            };
            let above = if reducer.contains(Reducer::ANCESTOR) { ancestors(digest, ix, reducer) } else { 0 };
            names.push(NameId(own_part(digest, ix, reducer, parent, above, u64::from(local.patch))));
        }
    }

    /// The output node of every widget of a tree.
    pub(crate) fn outputs(&self, digest: &Digest) -> Vec<u32> {
        (0..digest.locals.len()).map(|ix| self.output(digest, ix) as u32).collect()
    }

    /// The names that a change would give: only widgets that it touches, and what is named after them, are named anew.
    pub(crate) fn names_after(&self, trial: &Trial, digest: &Digest, now: &Now, names: &mut Vec<NameId>) {
        self.after(trial, digest, (&now.names, &now.outputs), names, |node| node.reducer);
    }

    /// What would count towards the state after a change, if that is not the names.
    pub(crate) fn counted_after(&self, trial: &Trial, digest: &Digest, now: &Now) -> Option<Vec<NameId>> {
        if trial.change.way == Way::Names {
            return Some(now.counted.as_ref().unwrap_or(&now.names).clone());
        }
        let before = now.counted.as_ref()?;
        let mut counted = Vec::with_capacity(before.len());
        self.after(trial, digest, (before, &now.outputs), &mut counted, Node::counting);
        Some(counted)
    }

    fn after(
        &self,
        trial: &Trial,
        digest: &Digest,
        (before, outputs): (&[NameId], &[u32]),
        names: &mut Vec<NameId>,
        kept: impl Fn(&Node) -> Reducer,
    ) {
        names.clear();
        for (ix, local) in digest.locals.iter().enumerate() {
            let output = outputs[ix] as usize;
            let touched = local.counts && output == trial.output && trial.touches(digest, ix);
            let reducer = if touched { trial.change.reducer } else { kept(&self.nodes[output]) };
            let parent = local.parent().filter(|_| reducer.contains(Reducer::PARENT));
            let moved = parent.is_some_and(|parent| names[parent] != before[parent]);
            if !(touched || (moved && local.counts)) {
                names.push(before[ix]);
                continue;
            }
            let parent = parent.map_or(0, |parent| names[parent].0);
            let above = if reducer.contains(Reducer::ANCESTOR) { ancestors(digest, ix, reducer) } else { 0 };
            names.push(NameId(own_part(digest, ix, reducer, parent, above, u64::from(local.patch))));
        }
    }

    /// The number of primitives of the finest reducer after a change.
    pub(crate) fn fineness_after(&self, trial: &Trial) -> u32 {
        let kept = self
            .nodes
            .iter()
            .enumerate()
            .filter(|&(ix, _)| trial.change.way != Way::Replace || ix != trial.output);
        kept.map(|(_, node)| node.reducer.size()).fold(trial.change.reducer.size(), u32::max)
    }

    /// The name of one widget as a path.
    pub fn path(&self, tree: &GuiTree, node: NodeIx, appearance: Appearance) -> AttributePath {
        self.path_in(tree, &Digest::of(tree, appearance), node, appearance)
    }

    fn path_in(
        &self,
        tree: &GuiTree,
        digest: &Digest,
        node: NodeIx,
        appearance: Appearance,
    ) -> AttributePath {
        let mut elements: Vec<_> = self
            .named_ancestors(tree, digest, node)
            .map(|(ix, reducer)| digest::element(tree, ix, reducer, appearance))
            .collect();
        elements.reverse();
        AttributePath(elements)
    }

    /// The widgets that a widget's name speaks of, from the inside out, with what is kept of each.
    fn named_ancestors(
        &self,
        tree: &GuiTree,
        digest: &Digest,
        node: NodeIx,
    ) -> impl Iterator<Item = (NodeIx, Reducer)> {
        let mut at = Some(node);
        std::iter::from_fn(move || {
            let ix = at?;
            let reducer = self.reducer(self.output(digest, ix.0 as usize));
            at = tree.node(ix).parent.filter(|_| reducer.contains(Reducer::PARENT));
            Some((ix, reducer))
        })
    }

    /// The names of widgets in words, of very long ones the inner end, each with what can be done to the widget
    /// if that is wanted.
    pub(crate) fn words(
        &self,
        tree: &GuiTree,
        nodes: impl IntoIterator<Item = NodeIx>,
        appearance: Appearance,
        with_actions: WithActions,
    ) -> Vec<String> {
        let digest = Digest::of(tree, appearance);
        let words = |node| {
            let mut ancestors = self.named_ancestors(tree, &digest, node);
            let mut elements: Vec<_> = ancestors
                .by_ref()
                .take(LEVELS_IN_WORDS)
                .map(|(ix, reducer)| digest::element(tree, ix, reducer, appearance))
                .collect();
            if let (WithActions::Yes, Some(own)) = (with_actions, elements.first_mut()) {
                own.actions = Some(digest::patch_of(tree, node));
            }
            elements.reverse();
            let cut = if ancestors.next().is_some() { "… " } else { "" };
            format!("{cut}{}", AttributePath(elements))
        };
        nodes.into_iter().map(words).collect()
    }

    /// The selector that a refinement of a widget's name uses: the name in words and what can be done to the widget.
    pub(crate) fn selector(
        &self,
        tree: &GuiTree,
        digest: &Digest,
        node: NodeIx,
        appearance: Appearance,
    ) -> AttributePath {
        let mut path = self.path_in(tree, digest, node, appearance);
        if let Some(last) = path.0.last_mut() {
            last.actions = Some(digest::patch_of(tree, node));
        }
        path
    }

    /// The output node may get another reducer: it is a leaf and was not there at first.
    pub(crate) fn is_replaceable(&self, node: usize) -> bool {
        !self.nodes[node].initial && self.nodes[node].branches.is_empty()
    }

    /// The selector that leads to a node.
    pub(crate) fn selector_of(&self, node: usize) -> &AttributePath {
        &self.nodes[node].selector
    }

    /// The tree after one change at an output node, without its content hash: good for trying, not for keeping.
    pub(crate) fn changed(&self, output: usize, change: &Change) -> Self {
        let mut tree = self.clone();
        match change.way {
            Way::Replace => {
                let node = &mut tree.nodes[output];
                (node.reducer, node.counts_as) = (change.reducer, None);
            }
            Way::Names => {
                let counts_as = tree.nodes[output].counting();
                let to = tree.insert(output, change.selector.clone(), change.reducer, false);
                tree.nodes[to].counts_as = Some(counts_as);
            }
            Way::Insert => {
                tree.insert(output, change.selector.clone(), change.reducer, false);
            }
            Way::Opener | Way::Below => {}
        }
        tree
    }

    /// The tree in the form that people read and write.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.written(0)).unwrap_or_default()
    }

    /// Reads what people wrote. Its nodes are initial and never replaced, unless they are marked as `learnt`.
    pub fn from_toml(text: &str) -> Result<Self, TreeError> {
        let written: Written = toml::from_str(text).map_err(TreeError::Toml)?;
        if !written.select.is_empty() {
            return Err(TreeError::RootSelects);
        }
        let mut tree = Self { nodes: Vec::new(), hash: 0 };
        let mut open = vec![(written, None)];
        while let Some((written, parent)) = open.pop() {
            let at = tree.nodes.len();
            if let Some(parent) = parent {
                if written.select.is_empty() {
                    return Err(TreeError::BranchSelectsNothing { reducer: written.reducer });
                }
                let pattern = written.select.pattern();
                let parent: &mut Node = &mut tree.nodes[parent];
                parent.branches.push(Branch { pattern, to: at });
            }
            tree.nodes.push(Node {
                reducer: written.reducer,
                counts_as: written.counts_as,
                initial: !written.learnt,
                branches: Vec::new(),
                selector: written.select,
            });
            open.extend(written.branches.into_iter().rev().map(|branch| (branch, Some(at))));
        }
        Ok(tree.hashed())
    }

    fn written(&self, at: usize) -> Written {
        let node = &self.nodes[at];
        Written {
            reducer: node.reducer,
            counts_as: node.counts_as,
            select: node.selector.clone(),
            learnt: !node.initial,
            branches: node.branches.iter().map(|branch| self.written(branch.to)).collect(),
        }
    }
}

impl Node {
    /// What of its widgets counts towards the state.
    fn counting(&self) -> Reducer {
        self.counts_as.unwrap_or(self.reducer)
    }
}

/// What a reducer keeps of a widget itself.
const OWN: Reducer = Reducer::CLASS.union(Reducer::TEXT).union(Reducer::INDEX).union(Reducer::WORDS);

/// A widget's own attributes under a reducer, after what comes before it.
fn own_part(digest: &Digest, ix: usize, reducer: Reducer, parent: u64, above: u64, patch: u64) -> u64 {
    let local = &digest.locals[ix];
    let keep = |primitive, value| if reducer.contains(primitive) { value } else { 0 };
    hash_numbers(&[
        u64::from((reducer & OWN).bits()) | patch << 8,
        keep(Reducer::CLASS, local.class),
        keep(Reducer::CLASS, local.id),
        if reducer.contains(Reducer::TEXT) { local.text } else { keep(Reducer::WORDS, local.words) },
        keep(Reducer::INDEX, u64::from(local.index)),
        parent,
        above,
    ])
}

/// The own parts of all ancestors of a widget, as one number. A widget's number is made from its parent's, once for all
/// widgets of a tree: no depth of nesting makes it slow.
fn ancestors(digest: &Digest, ix: usize, reducer: Reducer) -> u64 {
    let above = digest.above_all(reducer & OWN, || {
        let mut above: Vec<u64> = Vec::with_capacity(digest.locals.len());
        for local in &digest.locals {
            let path = |parent| own_part(digest, parent, reducer, above[parent], 0, 0);
            above.push(local.parent().map_or(0, path));
        }
        above
    });
    above[ix]
}

/// A selector for the children of a class.
pub fn children_of(class: &str) -> AttributePath {
    AttributePath(vec![Element { class: Some(class.into()), ..Element::default() }, Element::default()])
}
