//! The GUI tree: what a device shows at one moment.
//!
//! A leaf of the crate: no IO, no clock. [`tree`] holds the arena, [`widget`] the attributes, [`xml`] reads and writes
//! uiautomator dumps, [`mod@print`] shows a tree to people, [`opener`] remembers what opened a dialog, [`store`] keeps many trees with shared subtrees and
//! [`selector`] finds a recorded widget again.

pub mod bounds;
pub mod opener;
pub mod print;
pub mod reach;
pub mod selector;
pub mod store;
pub mod structure;
pub mod tree;
pub mod widget;
pub mod xml;

pub use bounds::{Bounds, Point};
pub use opener::Opener;
pub use reach::Reach;
pub use selector::{Selector, Trust};
pub use store::GuiStore;
pub use tree::{GuiTree, NodeIx, TreeBuilder, Window, WindowKind};
pub use widget::{ActionSet, Flags, Widget};
