//! From a GUI tree to a dump.

use std::fmt::Write as _;

use super::elements::{EXTRA_FLAGS, FLAGS, unmentioned_flags};
use super::words;
use crate::gui::tree::{Node, Rotation};
use crate::gui::{ActionSet, GuiTree, Widget, Window};

/// Writes a tree as a dump from which [`read`](super::read) makes an equal tree.
///
/// A single window that is as a plain dump implies it is written as `uiautomator dump` writes it, so that every viewer can show it;
/// everything else as `uiautomator dump --windows` does, topmost window first. What plain dumps do not have is written
/// only where it differs from what the reader would assume. One element a line, never indented: a deep tree would
/// otherwise grow with the square of its depth.
///
/// The windows must come lowest layer first, as [`GuiTree::windows`] promises.
pub fn write(tree: &GuiTree) -> String {
    let mut xml = String::with_capacity(256 + tree.nodes().len() * 384);
    xml.push_str("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n");
    if is_plain(tree) {
        xml.push_str("<hierarchy");
        plain(&mut xml, "rotation", tree.rotation().get());
        write_activity(&mut xml, tree);
        xml.push_str(">\n");
        write_nodes(&mut xml, tree.nodes());
        xml.push_str("</hierarchy>\n");
        return xml;
    }
    xml.push_str("<displays");
    write_activity(&mut xml, tree);
    if tree.rotation() != Rotation::default() {
        plain(&mut xml, "rotation", tree.rotation().get());
    }
    xml.push_str(">\n<display id=\"0\">\n");
    let mut rest = tree.nodes();
    for (index, window) in tree.windows().iter().enumerate().rev() {
        let (others, nodes) = rest.split_at(rest.partition_point(|node| (node.window as usize) < index));
        write_window(&mut xml, window, tree.windows().len() - 1 - index, nodes, tree.rotation());
        rest = others;
    }
    xml.push_str("</display>\n</displays>\n");
    xml
}

/// The tree is what a reader makes of a `<hierarchy>` with one root, or with none.
fn is_plain(tree: &GuiTree) -> bool {
    match (tree.windows(), tree.nodes()) {
        ([], _) => true,
        ([window], [root, ..]) => {
            let implied = Window { root: window.root, ..Window::application(root.widget.bounds) };
            *window == implied
                && root.end.0 as usize == tree.nodes().len()
                && root.widget.package != words::SYSTEM_UI
        }
        _ => false,
    }
}

fn write_activity(xml: &mut String, tree: &GuiTree) {
    if !tree.activity().is_empty() {
        text(xml, "activity", tree.activity());
    }
}

fn write_window(xml: &mut String, window: &Window, index: usize, nodes: &[Node], rotation: Rotation) {
    let (kind, own_kind) = words::window_words(window.kind);
    xml.push_str("<window");
    plain(xml, "index", index);
    text(xml, "title", &window.title);
    plain(xml, "bounds", window.bounds);
    plain(xml, "active", window.focused);
    plain(xml, "focused", window.focused);
    plain(xml, "layer", window.layer);
    plain(xml, "type", kind);
    if let Some(kind) = own_kind {
        plain(xml, "kind", kind);
    }
    if window.modal {
        plain(xml, "modal", true);
    }
    if nodes.is_empty() {
        xml.push_str(" />\n");
        return;
    }
    xml.push_str(">\n<hierarchy");
    plain(xml, "rotation", rotation.get());
    xml.push_str(">\n");
    write_nodes(xml, nodes);
    xml.push_str("</hierarchy>\n</window>\n");
}

/// Writes the nodes of one window, which lie side by side in the arena.
fn write_nodes(xml: &mut String, nodes: &[Node]) {
    let mut open = 0;
    for (ix, node) in nodes.iter().enumerate() {
        while open > node.depth {
            xml.push_str("</node>\n");
            open -= 1;
        }
        write_widget(xml, &node.widget);
        if nodes.get(ix + 1).is_some_and(|next| next.depth > node.depth) {
            xml.push_str(">\n");
            open += 1;
        } else {
            xml.push_str(" />\n");
        }
    }
    for _ in 0..open {
        xml.push_str("</node>\n");
    }
}

fn write_widget(xml: &mut String, widget: &Widget) {
    xml.push_str("<node");
    plain(xml, "index", widget.index);
    text(xml, "text", &widget.text);
    text(xml, "resource-id", &widget.resource_id);
    text(xml, "class", &widget.class);
    text(xml, "package", &widget.package);
    text(xml, "content-desc", &widget.content_desc);
    for (name, flag) in FLAGS {
        plain(xml, name, widget.flags.contains(flag));
    }
    plain(xml, "bounds", widget.bounds);
    let unmentioned = unmentioned_flags(&widget.class, widget.bounds);
    for (name, flag) in EXTRA_FLAGS {
        if (widget.flags ^ unmentioned).contains(flag) {
            plain(xml, name, widget.flags.contains(flag));
        }
    }
    if widget.drawing_order != 0 {
        plain(xml, "drawing-order", widget.drawing_order);
    }
    if !widget.hint.is_empty() {
        text(xml, "hint", &widget.hint);
    }
    if !widget.state_desc.is_empty() {
        text(xml, "state-description", &widget.state_desc);
    }
    if widget.input_type != 0 {
        plain(xml, "input-type", widget.input_type);
    }
    if widget.actions != ActionSet::derived(&widget.class, widget.flags) {
        let words = words::ACTIONS.iter().filter(|(action, _)| widget.actions.contains(*action));
        text(xml, "actions", &words.map(|&(_, word)| word).collect::<Vec<_>>().join(" "));
    }
}

/// An attribute whose value needs no escaping.
fn plain(xml: &mut String, name: &str, value: impl std::fmt::Display) {
    let written = write!(xml, " {name}=\"{value}\"");
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// An attribute with any value. Control characters are written as references: no XML allows them, but apps show them,
/// and a raw line break would be read as a space by others.
fn text(xml: &mut String, name: &str, value: &str) {
    xml.push(' ');
    xml.push_str(name);
    xml.push_str("=\"");
    for c in value.chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let written = write!(xml, "&#{};", u32::from(c));
                debug_assert!(written.is_ok(), "writing to a string cannot fail");
            }
            c => xml.push(c),
        }
    }
    xml.push('"');
}
