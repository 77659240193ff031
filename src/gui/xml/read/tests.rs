use super::*;
use crate::gui::{ActionSet, Flags};

/// The windows from the lowest to the topmost, each as `layer:` and its widgets' texts, with a dot for each level.
fn check(xml: &str, windows: &[&str], issues: &[&str]) {
    let (tree, found) = read(xml.as_bytes());
    let mut short: Vec<_> = tree.windows().iter().map(|window| format!("{}:", window.layer)).collect();
    for node in tree.nodes() {
        let window = &mut short[node.window as usize];
        window.extend([" ", &".".repeat(node.depth as usize), &node.widget.text]);
    }
    assert_eq!(short, windows);
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, issues);
}

/// A short dump: `[a` opens a widget with the text `a`, `]` closes one, `(3` opens a window of layer 3, `(` one without
/// a layer, and `)` closes it. One tag a line.
fn dump(short: &str) -> String {
    let tags = short.split(' ').map(|word| match word.split_at(1) {
        ("[", text) => format!("<node text=\"{text}\" class=\"C\" bounds=\"[0,0][9,9]\">"),
        ("]", _) => "</node>".to_owned(),
        ("(", "") => "<window bounds=\"[0,0][9,9]\">".to_owned(),
        ("(", layer) => format!("<window layer=\"{layer}\" bounds=\"[0,0][9,9]\">"),
        (")", _) => "</window>".to_owned(),
        _ => format!("<{word}>"),
    });
    tags.collect::<Vec<_>>().join("\n")
}

#[test]
fn nested_and_unordered_windows_come_in_the_order_of_their_layers() {
    check(
        &dump("displays display (5 hierarchy [a ] /hierarchy ) (1 (3 [b ] ) [c [d ] ] ) /display /displays"),
        &["1: c .d", "3: b", "5: a"],
        &[],
    );
}

#[test]
fn without_layers_the_first_window_is_the_topmost() {
    check(&dump("displays ( [a ] ) (9 [b ] ) /displays"), &["0: b", "1: a"], &[]);
}

#[test]
fn each_root_of_a_plain_dump_is_a_window() {
    check(&dump("hierarchy [a [b ] ] [c ] /hierarchy"), &["0: c", "1: a .b"], &[]);
}

#[test]
fn a_widget_that_a_stray_end_tag_threw_out_stays_in_its_window() {
    check(
        &dump("hierarchy [a [b ] ] ] [c ] /hierarchy"),
        &["0: a .b c"],
        &["6:1: `</node>` closes nothing; ignored"],
    );
}

#[test]
fn an_end_tag_closes_what_was_left_open_inside() {
    check(
        &dump("displays (2 [a [b ) (1 [c ] ) /displays"),
        &["1: c", "2: a .b"],
        &["5:1: `</window>` comes while 2 inner elements are open; they are closed here"],
    );
}

#[test]
fn two_dumps_in_one_file_are_told() {
    check(
        &dump("hierarchy [a ] /hierarchy hierarchy [b ] /hierarchy"),
        &["0: b", "1: a"],
        &["5:1: a second dump begins here; its windows are added below"],
    );
}

#[test]
fn a_missing_index_is_counted_and_a_missing_window_has_its_roots_bounds() {
    let (tree, issues) =
        read(dump("( [a [b ] [c ] ] )").replacen(" bounds=\"[0,0][9,9]\"", "", 1).as_bytes());
    let indices: Vec<_> = tree.nodes().iter().map(|node| node.widget.index).collect();
    assert_eq!(indices, [0, 0, 1]);
    assert_eq!(tree.windows()[0].bounds, tree.nodes()[0].widget.bounds);
    assert_eq!(issues.len(), 1);
}

fn only_widget(attributes: &str) -> Widget {
    let (tree, _) = read(format!("<node class=\"android.widget.Button\" {attributes}/>").as_bytes());
    Widget::clone(&tree.nodes()[0].widget)
}

#[test]
fn what_a_dump_does_not_mention_is_assumed() {
    let usual = Flags::ENABLED | Flags::VISIBLE;
    assert_eq!(only_widget("bounds=\"[0,0][9,9]\"").flags, usual);
    assert_eq!(only_widget("bounds=\"[0,0][0,0]\"").flags, Flags::ENABLED);
    assert_eq!(only_widget("bounds=\"[0,0][9,9]\" displayed=\"false\"").flags, Flags::ENABLED);
    assert_eq!(only_widget("enabled=\"false\"").flags, Flags::empty());
}

#[test]
fn a_list_of_actions_counts_more_than_the_flags() {
    let clickable = |actions: &str| only_widget(&format!("clickable=\"true\" {actions}")).actions;
    assert_eq!(clickable(""), ActionSet::TAP);
    assert_eq!(clickable("actions=\"\""), ActionSet::empty());
    assert_eq!(clickable("actions=\"pinch long-tap\""), ActionSet::PINCH | ActionSet::LONG_TAP);
    assert_eq!(clickable("actions=\"dance, pinch\""), ActionSet::PINCH);
    assert_eq!(clickable("actions=\"dance\""), ActionSet::TAP);
}

#[test]
fn a_pool_shares_the_widgets_of_several_dumps() {
    let mut pool = WidgetPool::default();
    let (first, _) = read_with(&mut pool, dump("hierarchy [a [b ] ] /hierarchy").as_bytes());
    let (second, _) = read_with(&mut pool, dump("hierarchy [x [b ] ] /hierarchy").as_bytes());
    assert!(std::sync::Arc::ptr_eq(&first.nodes()[1].widget, &second.nodes()[1].widget));
}
