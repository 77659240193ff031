//! What a screen is made of, whatever it says: two screens with other texts, values and places may be one structure.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::Xxh3Default;

use super::GuiTree;

/// The hash of the windows and of the classes, ids and nesting of all widgets.
pub fn structure(tree: &GuiTree) -> u64 {
    let mut hasher = Xxh3Default::new();
    tree.activity().hash(&mut hasher);
    for window in tree.windows() {
        hasher.write_u8(window.kind as u8);
    }
    for node in tree.nodes() {
        node.widget.class.hash(&mut hasher);
        node.widget.resource_id.hash(&mut hasher);
        // Where its subtree ends tells the nesting.
        hasher.write_u32(node.end.0);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::xml;

    fn of(dump: &str) -> u64 {
        structure(&xml::read(dump.as_bytes()).0)
    }

    #[test]
    fn texts_make_no_other_structure_and_widgets_do() {
        let dump = |inside: &str| {
            format!(
                "<hierarchy rotation=\"0\"><node class=\"a.List\" bounds=\"[0,0][9,9]\">{inside}</node></hierarchy>"
            )
        };
        let row = |text: &str| format!("<node class=\"a.Row\" text=\"{text}\" bounds=\"[0,0][9,3]\"/>");
        assert_eq!(of(&dump(&row("one"))), of(&dump(&row("two"))));
        assert_ne!(of(&dump(&row("one"))), of(&dump(&format!("{}{}", row("one"), row("two")))));
        let nested = "<node class=\"a.Row\" bounds=\"[0,0][9,3]\"><node class=\"a.Row\" bounds=\"[0,0][9,3]\"/></node>";
        assert_ne!(of(&dump(nested)), of(&dump(&format!("{}{}", row(""), row("")))));
    }
}
