//! A GUI tree of the virtual device, written as an agent writes it.

use siamang::device::agent::sight::{FLAGS, scroll};
use siamang::device::agent::tree::{StringTable, WireNode, WireTree, WireWindow, has};
use siamang::gui::{ActionSet, GuiTree, NodeIx, WindowKind};
use smol_str::SmolStr;

pub fn wire_tree(tree: &GuiTree, id: u64, uptime_ms: u64, rotation: u8) -> WireTree {
    let mut strings = StringTable::default();
    let screen = tree.windows().first().map(|window| window.bounds).unwrap_or_default();
    let mut wire = WireTree {
        id,
        uptime_ms,
        rotation,
        width: screen.right as u32,
        height: screen.bottom as u32,
        ..WireTree::default()
    };
    wire.package = reference(&mut strings, tree.foreground_package().unwrap_or(&SmolStr::default()));
    wire.activity = reference(&mut strings, tree.activity());
    for (number, window) in tree.windows().iter().enumerate().rev() {
        let first = wire.nodes.len();
        if let Some(root) = window.root {
            for at in root.0..tree.node(root).end.0 {
                let node = wire_node(tree, NodeIx(at), &mut strings);
                wire.nodes.push(node);
            }
        }
        wire.windows.push(WireWindow {
            id: number as i32,
            kind: if window.kind == WindowKind::InputMethod { 2 } else { 1 },
            layer: window.layer,
            flags: u64::from(window.focused) << 1,
            display: 0,
            bounds: window.bounds,
            title: reference(&mut strings, &window.title),
            nodes: (wire.nodes.len() - first) as u32,
        });
    }
    wire.strings = strings.into_strings();
    wire
}

fn wire_node(tree: &GuiTree, at: NodeIx, strings: &mut StringTable) -> WireNode {
    let node = tree.node(at);
    let widget = &node.widget;
    let mut wire = WireNode {
        children: tree.children(at).count() as u32,
        class: reference(strings, &widget.class),
        bounds: widget.bounds,
        flags: FLAGS.iter().filter(|(_, flag)| widget.flags.contains(*flag)).map(|(bit, _)| bit).sum(),
        drawing_order: widget.drawing_order,
        input_type: widget.input_type as u64,
        ..WireNode::default()
    };
    if node.parent.is_none_or(|parent| tree.widget(parent).package != widget.package) {
        wire.has |= has::PACKAGE;
        wire.package = reference(strings, &widget.package);
    }
    let texts = [&widget.resource_id, &widget.text, &widget.content_desc, &widget.hint, &widget.state_desc];
    for (number, text) in texts.into_iter().enumerate() {
        if !text.is_empty() {
            wire.has |= has::ID << number;
            wire.refs[number] = strings.add(text);
        }
    }
    if widget.input_type != 0 {
        wire.has |= has::INPUT_TYPE;
    }
    if widget.drawing_order != 0 {
        wire.has |= has::DRAWING_ORDER;
    }
    for (action, id) in [
        (ActionSet::SCROLL_UP, scroll::UP),
        (ActionSet::SCROLL_DOWN, scroll::DOWN),
        (ActionSet::SCROLL_LEFT, scroll::LEFT),
        (ActionSet::SCROLL_RIGHT, scroll::RIGHT),
    ] {
        if widget.actions.contains(action) {
            wire.has |= has::MORE_ACTIONS;
            wire.more.push((id, 0));
        }
    }
    wire
}

fn reference(strings: &mut StringTable, text: &SmolStr) -> u32 {
    if text.is_empty() { 0 } else { strings.add(text) }
}
