//! Many GUI trees, with everything they have in common kept once.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::GuiTree;
use crate::ids::TreeHash;

/// Keeps trees by their identity: their content hash, and what opened that which lies over them. Widgets are shared between trees; the oldest trees leave when the store is full.
#[derive(Debug)]
pub struct GuiStore {
    trees: IndexMap<TreeHash, Arc<GuiTree>, FxBuildHasher>,
    capacity: usize,
}

impl GuiStore {
    /// An empty store that keeps at most this many trees.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { trees: IndexMap::default(), capacity: capacity.max(1) }
    }

    /// Keeps a tree.
    pub fn insert(&mut self, tree: &Arc<GuiTree>) {
        if !self.trees.contains_key(&tree.identity()) {
            if self.trees.len() >= self.capacity {
                self.trees.drain(..self.capacity.div_ceil(4));
            }
            self.trees.insert(tree.identity(), Arc::clone(tree));
        }
    }

    /// Forgets a tree that nothing refers to any more.
    pub fn remove(&mut self, hash: TreeHash) {
        self.trees.swap_remove(&hash);
    }

    /// The tree with this identity, if it is still kept.
    pub fn get(&self, hash: TreeHash) -> Option<&Arc<GuiTree>> {
        self.trees.get(&hash)
    }

    /// How many trees are kept.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// No tree is kept.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }
}
