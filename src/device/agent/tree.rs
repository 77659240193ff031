//! A GUI tree as it goes over the wire (section 5 of the protocol).

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::values::{Malformed, Reader, Writer};
use crate::gui::Bounds;

const MAX_STRINGS: usize = 32_768;
const MAX_WINDOWS: usize = 256;
const MAX_NODES: usize = 32_768;
const MAX_ACTIONS: usize = 64;
/// The fewest bytes that a window and a node take.
const WINDOW_BYTES: usize = 11;
const NODE_BYTES: usize = 9;

/// Which optional fields a node has, lowest bit first.
pub mod has {
    #![expect(missing_docs, reason = "the names are the protocol's, which says what they mean")]
    pub const PACKAGE: u32 = 1;
    pub const ID: u32 = 1 << 1;
    pub const TEXT: u32 = 1 << 2;
    pub const DESCRIPTION: u32 = 1 << 3;
    pub const HINT: u32 = 1 << 4;
    pub const STATE: u32 = 1 << 5;
    pub const PANE_TITLE: u32 = 1 << 6;
    pub const TOOLTIP: u32 = 1 << 7;
    pub const UNIQUE_ID: u32 = 1 << 8;
    pub const INPUT_TYPE: u32 = 1 << 9;
    pub const MAX_TEXT_LENGTH: u32 = 1 << 10;
    pub const COLLECTION: u32 = 1 << 11;
    pub const ITEM: u32 = 1 << 12;
    pub const MORE_ACTIONS: u32 = 1 << 13;
    pub const DRAWING_ORDER: u32 = 1 << 14;
    pub const ALL: u32 = (1 << 15) - 1;
    /// The fields of bits 1 to 8 are references into the table of strings.
    pub const REFS: std::ops::Range<usize> = 1..9;
}

/// A place in the table of strings plus 1; 0 is absent.
pub type Ref = u32;

/// A tree as the agent wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WireTree {
    /// The tree's number, for node actions.
    pub id: u64,
    /// When it was read.
    pub uptime_ms: u64,
    /// What was cut: 1 nodes, 2 depth, 4 strings, 8 a window gave no root, 16 only the active window, 32 children gone.
    pub flags: u64,
    /// How the screen is turned.
    pub rotation: u8,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// All strings, each once.
    pub strings: Vec<SmolStr>,
    /// The package in front.
    pub package: Ref,
    /// The activity in front.
    pub activity: Ref,
    /// The windows, topmost first.
    pub windows: Vec<WireWindow>,
    /// The windows' nodes one after the other, each in preorder.
    pub nodes: Vec<WireNode>,
}

/// A window as the agent wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WireWindow {
    /// Its number.
    pub id: i32,
    /// 1 application, 2 input method, 3 system, 4 accessibility overlay, 5 divider, 6 magnification, 0 unknown.
    pub kind: u8,
    /// Its height in the stack.
    pub layer: i32,
    /// 1 active, 2 focused, 4 picture in picture.
    pub flags: u64,
    /// Which display.
    pub display: u32,
    /// Where it is.
    pub bounds: Bounds,
    /// Its title.
    pub title: Ref,
    /// How many of the nodes are its own.
    pub nodes: u32,
}

/// A node as the agent wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WireNode {
    /// How many of the nodes that follow are its children.
    pub children: u32,
    /// Which of the optional fields are there: bits of [`has`].
    pub has: u32,
    /// The class.
    pub class: Ref,
    /// Where it is on the screen.
    pub bounds: Bounds,
    /// Yes-or-no attributes.
    pub flags: u64,
    /// Android's actions below 2^22.
    pub actions: u64,
    /// The package, if it is not the parent's.
    pub package: Ref,
    /// Resource id, text, description, hint, state, pane title, tooltip, unique id: bits 1 to 8 of [`has`].
    pub refs: [Ref; 8],
    /// Android's input type.
    pub input_type: u64,
    /// The longest text that it takes.
    pub max_text_length: u64,
    /// Rows and columns of a collection.
    pub collection: (i32, i32),
    /// Row and column of an item.
    pub item: (i32, i32),
    /// Actions beyond the bitmap, with their labels.
    pub more: Vec<(u32, Ref)>,
    /// The order in which its parent draws it.
    pub drawing_order: i32,
}

impl WireTree {
    /// A string of the table; absent is empty.
    pub fn string(&self, reference: Ref) -> &str {
        match reference.checked_sub(1).and_then(|at| self.strings.get(at as usize)) {
            Some(text) => text,
            None => "",
        }
    }

    /// Reads a tree.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let mut tree = Self {
            id: from.uv()?,
            uptime_ms: from.uv()?,
            flags: from.uv()?,
            rotation: from.u8()?,
            width: from.uv32()?,
            height: from.uv32()?,
            strings: from.list(MAX_STRINGS, 1, "strings", Reader::text)?,
            ..Self::default()
        };
        let last = tree.strings.len() as u32;
        tree.package = reference(&mut from, last)?;
        tree.activity = reference(&mut from, last)?;
        tree.windows =
            from.list(MAX_WINDOWS, WINDOW_BYTES, "windows", |from| WireWindow::read(from, last))?;
        let count = from.count(MAX_NODES, NODE_BYTES, "nodes")?;
        tree.nodes = Vec::with_capacity(count);
        let mut places = Places::default();
        for window in &tree.windows {
            if window.nodes as usize > count - tree.nodes.len() {
                return Err(Malformed(format!("a window of {} nodes in {count}", window.nodes)));
            }
            places.begin(window.bounds);
            for place in 0..window.nodes {
                let around = places.around(place == 0)?;
                let node = WireNode::read(&mut from, last, around)?;
                places.open(node.bounds, node.children);
                tree.nodes.push(node);
            }
            places.end()?;
        }
        if tree.nodes.len() != count {
            return Err(Malformed(format!("{count} nodes, {} of them in windows", tree.nodes.len())));
        }
        Ok(tree)
    }

    /// The tree as it goes over the wire.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.uv(self.id).uv(self.uptime_ms);
        self.write_content(&mut out);
        out.into_bytes()
    }

    /// The hash by which the agent knows the tree again: FNV-1a over all but number and time.
    pub fn hash(&self) -> u64 {
        let mut out = Writer::default();
        self.write_content(&mut out);
        fnv1a(out.as_bytes())
    }

    fn write_content(&self, out: &mut Writer) {
        out.uv(self.flags).u8(self.rotation).uv(self.width.into()).uv(self.height.into());
        out.list(&self.strings, |out, text| {
            out.str(text);
        });
        out.uv(self.package.into()).uv(self.activity.into());
        out.list(&self.windows, |out, window| window.write(out));
        out.uv(self.nodes.len() as u64);
        let mut nodes = self.nodes.iter();
        let mut places = Places::default();
        for window in &self.windows {
            places.begin(window.bounds);
            for (place, node) in nodes.by_ref().take(window.nodes as usize).enumerate() {
                let around = places.around(place == 0).unwrap_or(window.bounds);
                node.write(out, around);
                places.open(node.bounds, node.children);
            }
        }
    }
}

/// FNV-1a, 64 bits.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// Whose child the next node of a preorder is: the bounds around it, and how many children are still to come.
#[derive(Default)]
struct Places {
    window: Bounds,
    open: Vec<(Bounds, u32)>,
}

impl Places {
    fn begin(&mut self, window: Bounds) {
        self.window = window;
        self.open.clear();
    }

    fn around(&mut self, first: bool) -> Result<Bounds, Malformed> {
        if first {
            return Ok(self.window);
        }
        while let Some((bounds, left)) = self.open.last_mut() {
            if *left > 0 {
                *left -= 1;
                return Ok(*bounds);
            }
            self.open.pop();
        }
        Err(Malformed("a window with two roots".into()))
    }

    fn open(&mut self, bounds: Bounds, children: u32) {
        self.open.push((bounds, children));
    }

    fn end(&self) -> Result<(), Malformed> {
        if self.open.iter().any(|(_, left)| *left > 0) {
            return Err(Malformed("children that are not there".into()));
        }
        Ok(())
    }
}

impl WireWindow {
    fn read(from: &mut Reader<'_>, last: u32) -> Result<Self, Malformed> {
        Ok(Self {
            id: from.sv()?,
            kind: from.u8()?,
            layer: from.sv()?,
            flags: from.uv()?,
            display: from.uv32()?,
            bounds: Bounds::new(from.sv()?, from.sv()?, from.sv()?, from.sv()?),
            title: reference(from, last)?,
            nodes: from.uv32()?,
        })
    }

    fn write(&self, out: &mut Writer) {
        let Bounds { left, top, right, bottom } = self.bounds;
        out.sv(self.id).u8(self.kind).sv(self.layer).uv(self.flags).uv(self.display.into());
        out.sv(left).sv(top).sv(right).sv(bottom).uv(self.title.into()).uv(self.nodes.into());
    }
}

impl WireNode {
    fn read(from: &mut Reader<'_>, last: u32, around: Bounds) -> Result<Self, Malformed> {
        let children = from.uv32()?;
        let has = from.uv32()?;
        if has & !has::ALL != 0 {
            return Err(Malformed(format!("a node with fields {has:#x}")));
        }
        let class = reference(from, last)?;
        let bounds = Bounds::new(
            around.left.wrapping_add(from.sv()?),
            around.top.wrapping_add(from.sv()?),
            around.right.wrapping_add(from.sv()?),
            around.bottom.wrapping_add(from.sv()?),
        );
        let (flags, actions) = (from.uv()?, from.uv()?);
        let mut node = Self { children, has, class, bounds, flags, actions, ..Self::default() };
        if has & has::PACKAGE != 0 {
            node.package = reference(from, last)?;
        }
        for bit in has::REFS {
            if has >> bit & 1 != 0 {
                node.refs[bit - 1] = reference(from, last)?;
            }
        }
        if has & has::INPUT_TYPE != 0 {
            node.input_type = from.uv()?;
        }
        if has & has::MAX_TEXT_LENGTH != 0 {
            node.max_text_length = from.uv()?;
        }
        if has & has::COLLECTION != 0 {
            node.collection = (from.sv()?, from.sv()?);
        }
        if has & has::ITEM != 0 {
            node.item = (from.sv()?, from.sv()?);
        }
        if has & has::MORE_ACTIONS != 0 {
            node.more =
                from.list(MAX_ACTIONS, 2, "actions", |from| Ok((from.uv32()?, reference(from, last)?)))?;
        }
        if has & has::DRAWING_ORDER != 0 {
            node.drawing_order = from.sv()?;
        }
        Ok(node)
    }

    fn write(&self, out: &mut Writer, around: Bounds) {
        out.uv(self.children.into()).uv(self.has.into()).uv(self.class.into());
        out.sv(self.bounds.left.wrapping_sub(around.left)).sv(self.bounds.top.wrapping_sub(around.top));
        out.sv(self.bounds.right.wrapping_sub(around.right));
        out.sv(self.bounds.bottom.wrapping_sub(around.bottom));
        out.uv(self.flags).uv(self.actions);
        let has = |bit: u32| self.has & bit != 0;
        if has(has::PACKAGE) {
            out.uv(self.package.into());
        }
        for bit in has::REFS {
            if self.has >> bit & 1 != 0 {
                out.uv(self.refs[bit - 1].into());
            }
        }
        if has(has::INPUT_TYPE) {
            out.uv(self.input_type);
        }
        if has(has::MAX_TEXT_LENGTH) {
            out.uv(self.max_text_length);
        }
        if has(has::COLLECTION) {
            out.sv(self.collection.0).sv(self.collection.1);
        }
        if has(has::ITEM) {
            out.sv(self.item.0).sv(self.item.1);
        }
        if has(has::MORE_ACTIONS) {
            out.list(&self.more, |out, &(action, label)| {
                out.uv(action.into()).uv(label.into());
            });
        }
        if has(has::DRAWING_ORDER) {
            out.sv(self.drawing_order);
        }
    }
}

fn reference(from: &mut Reader<'_>, last: u32) -> Result<Ref, Malformed> {
    let reference = from.uv32()?;
    if reference > last {
        return Err(Malformed(format!("string {reference} of {last}")));
    }
    Ok(reference)
}

/// Gathers the strings of a tree, each once.
#[derive(Debug, Default)]
pub struct StringTable {
    places: FxHashMap<SmolStr, Ref>,
    strings: Vec<SmolStr>,
}

impl StringTable {
    /// The reference to a string.
    pub fn add(&mut self, text: &SmolStr) -> Ref {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        self.strings.push(text.clone());
        let place = self.strings.len() as Ref;
        self.places.insert(text.clone(), place);
        place
    }

    /// The table.
    pub fn into_strings(self) -> Vec<SmolStr> {
        self.strings
    }
}
