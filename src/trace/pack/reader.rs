//! Gives trees back by their hashes.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::line::{PackLine, TreeLine, WidgetRef};
use crate::gui::structure::structure;
use crate::gui::tree::WidgetPool;
use crate::gui::{GuiTree, TreeBuilder, Widget};
use crate::ids::TreeHash;
use crate::trace::StoreError;
use crate::trace::framed::{Frame, FrameKind, FramedReader, LogIssue, Piece, Trouble};

/// Finds trees in a pack, finished or cut off. It keeps 16 bytes a tree and a few unpacked frames.
#[derive(Debug)]
pub struct PackReader {
    file: FramedReader,
    /// Which frame has a tree, as an index into `frames`.
    trees: IndexMap<TreeHash, u32, FxBuildHasher>,
    frames: Vec<Place>,
    /// The lines of the frame under way.
    tail: Vec<u8>,
    issues: Vec<LogIssue>,
    unpacked: VecDeque<(u32, Subtrees)>,
    pool: WidgetPool,
}

/// Where a frame is.
#[derive(Debug)]
struct Place {
    number: u32,
    bytes: std::ops::Range<u64>,
    in_tail: bool,
}

/// The content of one frame.
#[derive(Debug, Default)]
struct Subtrees {
    widgets: Vec<Arc<Widget>>,
    nodes: Vec<Subtree>,
    trees: FxHashMap<TreeHash, TreeLine>,
}

#[derive(Debug)]
struct Subtree {
    widget: u32,
    children: Vec<u32>,
}

impl PackReader {
    /// How many unpacked frames are kept: a walk through a run goes back and forth between a few.
    const MAX_UNPACKED: usize = 4;
    /// No tree has more nodes. A file of a few bytes could ask for more than the memory has.
    const MAX_NODES: usize = 1 << 20;
    /// More issues than these are not told.
    const MAX_ISSUES: usize = 1_000;

    /// Opens the pack of a run folder and finds out which trees it has.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let mut reader = Self {
            file: FramedReader::open(folder, FrameKind::Trees)?,
            trees: IndexMap::default(),
            frames: Vec::new(),
            tail: Vec::new(),
            issues: Vec::new(),
            unpacked: VecDeque::new(),
            pool: WidgetPool::default(),
        };
        while let Some(piece) = reader.file.next_piece() {
            match piece {
                Piece::Frame(frame) => reader.index(frame),
                Piece::Issue(issue) => reader.note(issue),
            }
        }
        Ok(reader)
    }

    /// What could not be read.
    pub fn issues(&self) -> &[LogIssue] {
        &self.issues
    }

    /// The trees it has, in the order in which they were first seen.
    pub fn hashes(&self) -> impl Iterator<Item = TreeHash> + '_ {
        self.trees.keys().copied()
    }

    /// The tree with this hash: `None` if the pack does not have it, an issue if it has something else in its place.
    pub fn get(&mut self, hash: TreeHash) -> Result<Option<GuiTree>, LogIssue> {
        let Some(&frame) = self.trees.get(&hash) else { return Ok(None) };
        let mut pool = std::mem::take(&mut self.pool);
        let tree = self.unpack(frame).and_then(|subtrees| {
            let tree = subtrees.trees.get(&hash).ok_or("a tree is not where it was")?;
            let tree = subtrees.build(tree, &mut pool)?;
            if tree.hash() == hash { Ok(tree) } else { Err(format!("tree {hash} has another content")) }
        });
        self.pool = pool;
        tree.map(Some).map_err(|why| self.senseless(frame, why))
    }

    /// The structure of each tree that can be read.
    pub fn structures(&mut self) -> BTreeMap<TreeHash, u64> {
        let hashes: Vec<TreeHash> = self.hashes().collect();
        let tree = |hash| Some((hash, structure(&self.get(hash).ok().flatten()?)));
        hashes.into_iter().filter_map(tree).collect()
    }

    fn note(&mut self, issue: LogIssue) {
        if self.issues.len() < Self::MAX_ISSUES {
            self.issues.push(issue);
        }
    }

    fn index(&mut self, frame: Frame) {
        let number = self.frames.len() as u32;
        self.frames.push(Place { number: frame.number, bytes: frame.bytes, in_tail: frame.in_tail });
        for line in frame.lines.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{\"t\":")) {
            match serde_json::from_slice(line) {
                Ok(PackLine::Tree(tree)) => {
                    self.trees.entry(tree.hash).or_insert(number);
                }
                Ok(PackLine::Node(_)) => {}
                Err(error) => {
                    let issue = self.senseless(number, error.to_string());
                    self.note(issue);
                }
            }
        }
        if frame.in_tail {
            self.tail = frame.lines;
        }
    }

    fn unpack(&mut self, frame: u32) -> Result<&Subtrees, String> {
        let known = self.unpacked.iter().position(|(number, _)| *number == frame);
        if let Some(known) = known {
            return Ok(&self.unpacked[known].1);
        }
        let place = &self.frames[frame as usize];
        let subtrees = if place.in_tail {
            Subtrees::read(&self.tail)?
        } else {
            let lines = self.file.lines_at(place.bytes.start).ok_or("it changed while it was read")?;
            Subtrees::read(&lines)?
        };
        self.unpacked.truncate(Self::MAX_UNPACKED - 1);
        self.unpacked.push_front((frame, subtrees));
        Ok(&self.unpacked[0].1)
    }

    fn senseless(&self, frame: u32, why: String) -> LogIssue {
        let place = &self.frames[frame as usize];
        LogIssue {
            kind: FrameKind::Trees,
            in_tail: place.in_tail,
            frame: Some(place.number),
            bytes: place.bytes.clone(),
            lost: None,
            trouble: Trouble::Senseless(why),
        }
    }
}

impl Subtrees {
    fn read(lines: &[u8]) -> Result<Self, String> {
        let mut subtrees = Self::default();
        for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line).map_err(|error| error.to_string())? {
                PackLine::Tree(tree) => {
                    subtrees.trees.insert(tree.hash, tree);
                }
                PackLine::Node(node) => {
                    let widget = match node.widget {
                        WidgetRef::Known(number) => number,
                        WidgetRef::New(widget) => {
                            subtrees.widgets.push(Arc::new(widget.into()));
                            subtrees.widgets.len() as u32 - 1
                        }
                    };
                    let nodes = subtrees.nodes.len();
                    if widget as usize >= subtrees.widgets.len() {
                        return Err(format!("a reference to widget {widget}"));
                    }
                    // Only earlier subtrees can be children, so there is no ring.
                    if let Some(child) = node.children.iter().find(|&&child| child as usize >= nodes) {
                        return Err(format!("a reference to subtree {child}"));
                    }
                    subtrees.nodes.push(Subtree { widget, children: node.children });
                }
            }
        }
        Ok(subtrees)
    }

    fn build(&self, line: &TreeLine, pool: &mut WidgetPool) -> Result<GuiTree, String> {
        let mut builder = TreeBuilder::new(pool, line.activity.clone());
        let mut open: Vec<(u32, usize)> = Vec::new();
        for window in &line.windows {
            builder.window(window.into());
            for &root in &window.roots {
                self.open(&mut builder, root)?;
                open.push((root, 0));
                while let Some((number, next)) = open.last_mut() {
                    let Some(&child) = self.nodes[*number as usize].children.get(*next) else {
                        builder.close();
                        open.pop();
                        continue;
                    };
                    *next += 1;
                    self.open(&mut builder, child)?;
                    open.push((child, 0));
                }
            }
        }
        Ok(builder.finish())
    }

    fn open(&self, builder: &mut TreeBuilder<'_>, number: u32) -> Result<(), String> {
        let node =
            self.nodes.get(number as usize).ok_or_else(|| format!("a reference to subtree {number}"))?;
        if builder.len() >= PackReader::MAX_NODES {
            return Err(format!("a tree with more than {} nodes", PackReader::MAX_NODES));
        }
        builder.open_shared(&self.widgets[node.widget as usize]);
        Ok(())
    }
}
