//! The pack: the GUI trees of a run, each distinct one once, with shared subtrees.
//!
//! A tree is written before the line of the spine that names it. Within a frame each distinct widget and each distinct subtree
//! is written once and referred to by its number; a frame refers to nothing outside it, so that a flipped byte costs the
//! trees of one frame and not all that share a title bar with them. What a killed process loses is said in
//! [`framed`](super::framed).
//!
//! # Memory
//!
//! The writer keeps the hashes of the trees it has written, 9 to 18 bytes each: a million distinct trees take 19 MB. When it
//! knows [`MAX_KNOWN_TREES`] it forgets them all and starts anew; a tree that comes back is then written a second time,
//! which costs bytes and nothing else. Everything else it keeps belongs to the frame under way.

mod line;
mod reader;

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::StoreError;
use super::framed::{FULL_FRAME_BYTES, FrameKind, FramedWriter};
use crate::gui::{GuiTree, NodeIx};
use crate::ids::TreeHash;
use line::{NodeLine, PackLine, TreeLine, WidgetLine, WidgetRef, WindowLine};

pub use reader::PackReader;

/// The writer forgets the trees it has written when it knows this many: just before its table would double to 38 MB.
pub const MAX_KNOWN_TREES: usize = (1 << 21) / 8 * 7;

/// Writes the trees of a run.
#[derive(Debug)]
pub struct PackWriter {
    file: FramedWriter,
    known: FxHashSet<TreeHash>,
    /// The numbers of the widgets and subtrees that the frame under way has, by their hashes.
    widgets: FxHashMap<u64, u32>,
    nodes: FxHashMap<u64, u32>,
    buffer: Vec<u8>,
    scratch: Vec<u8>,
    fresh: Vec<NodeIx>,
}

impl PackWriter {
    /// Creates the pack of a new run folder.
    pub fn create(folder: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            file: FramedWriter::create(folder, FrameKind::Trees)?,
            known: FxHashSet::default(),
            widgets: FxHashMap::default(),
            nodes: FxHashMap::default(),
            buffer: Vec::new(),
            scratch: Vec::new(),
            fresh: Vec::new(),
        })
    }

    /// Writes a tree, unless it was written before; it is in the file when this returns. After an error the writer must
    /// not be used again, except after [`StoreError::TooLarge`], which leaves out the one tree.
    pub fn write(&mut self, tree: &GuiTree) -> Result<(), StoreError> {
        if self.known.contains(&tree.hash()) {
            return Ok(());
        }
        self.buffer.clear();
        if self.file.is_at_frame_start() {
            self.widgets.clear();
            self.nodes.clear();
        }
        self.write_nodes(tree)?;
        let line = self.tree_line(tree);
        push(&mut self.buffer, &PackLine::Tree(line))?;
        let appended = self.file.append(&self.buffer, 1);
        if matches!(appended, Err(StoreError::TooLarge { .. })) {
            // Later trees would refer to what the lost one introduced.
            self.file.close_frame()?;
            self.widgets.clear();
            self.nodes.clear();
        }
        appended?;
        if self.known.len() >= MAX_KNOWN_TREES {
            self.known = FxHashSet::default();
        }
        self.known.insert(tree.hash());
        if self.file.raw_bytes() >= FULL_FRAME_BYTES {
            self.file.close_frame()?;
        }
        Ok(())
    }

    /// Closes the last frame.
    pub fn finish(self) -> Result<(), StoreError> {
        self.file.finish()
    }

    /// Writes the subtrees that the frame does not have yet, children before parents.
    fn write_nodes(&mut self, tree: &GuiTree) -> Result<(), StoreError> {
        self.fresh.clear();
        let mut at = NodeIx(0);
        while let Some(node) = tree.nodes().get(at.0 as usize) {
            at = if self.nodes.contains_key(&node.subtree) {
                node.end
            } else {
                self.fresh.push(at);
                NodeIx(at.0 + 1)
            };
        }
        // In the arena a parent comes before its children.
        while let Some(ix) = self.fresh.pop() {
            let node = tree.node(ix);
            if self.nodes.contains_key(&node.subtree) {
                continue;
            }
            let children = tree.children(ix).map(|child| self.number(tree, child)).collect();
            let hash = node.widget.content_hash(&mut self.scratch);
            let widget = if let Some(&number) = self.widgets.get(&hash) {
                WidgetRef::Known(number)
            } else {
                self.widgets.insert(hash, self.widgets.len() as u32);
                WidgetRef::New(WidgetLine::from(&*node.widget))
            };
            push(&mut self.buffer, &PackLine::Node(NodeLine { widget, children }))?;
            self.nodes.insert(node.subtree, self.nodes.len() as u32);
        }
        Ok(())
    }

    fn tree_line(&self, tree: &GuiTree) -> TreeLine {
        let mut windows: Vec<WindowLine> = tree.windows().iter().map(WindowLine::from).collect();
        let mut root = NodeIx(0);
        while let Some(node) = tree.nodes().get(root.0 as usize) {
            if let Some(window) = windows.get_mut(node.window as usize) {
                window.roots.push(self.number(tree, root));
            }
            root = node.end;
        }
        TreeLine { hash: tree.hash(), activity: tree.activity().clone(), windows }
    }

    /// The number of a subtree that is written.
    fn number(&self, tree: &GuiTree, ix: NodeIx) -> u32 {
        self.nodes.get(&tree.node(ix).subtree).copied().unwrap_or(u32::MAX)
    }
}

fn push(buffer: &mut Vec<u8>, line: &PackLine) -> Result<(), StoreError> {
    serde_json::to_writer(&mut *buffer, line)
        .map_err(|error| StoreError::writing(Path::new(FrameKind::Trees.file()), error.into()))?;
    buffer.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests;
