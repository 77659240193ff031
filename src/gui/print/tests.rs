use insta::assert_snapshot;

use super::*;
use crate::gui::tree::WidgetPool;
use crate::gui::{Bounds, TreeBuilder};

fn widget(class: &str, text: &str, flags: Flags) -> Widget {
    let flags = flags | Flags::ENABLED | Flags::VISIBLE;
    Widget {
        class: class.into(),
        text: text.into(),
        bounds: Bounds::new(0, 0, 100, 50),
        flags,
        actions: ActionSet::derived(class, flags),
        ..Widget::default()
    }
}

fn built(build: impl FnOnce(&mut TreeBuilder<'_>)) -> GuiTree {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "org.example.Main");
    build(&mut builder);
    builder.finish()
}

#[test]
fn every_mark_has_its_place_in_the_line() {
    let tree = built(|builder| {
        builder.open(widget("android.widget.ListView", "", Flags::SCROLLABLE));
        builder.leaf(Widget {
            resource_id: "org.example:id/save".into(),
            content_desc: "saves".into(),
            ..widget("android.widget.Button", "Save", Flags::CLICKABLE | Flags::LONG_CLICKABLE)
        });
        builder.open(widget("android.widget.LinearLayout", "", Flags::empty()));
        builder.leaf(widget("android.widget.CheckBox", "on", Flags::CHECKABLE | Flags::CHECKED));
        builder.leaf(widget("android.widget.Switch", "off", Flags::CHECKABLE | Flags::SELECTED));
        builder.close();
        builder.leaf(Widget {
            hint: "Name".into(),
            state_desc: "empty".into(),
            ..widget("android.widget.EditText", "", Flags::FOCUSED | Flags::PASSWORD)
        });
        builder.leaf(Widget {
            flags: Flags::CONTENT_INVALID,
            ..widget("android.webkit.WebView", "", Flags::empty())
        });
        builder.leaf(Widget { actions: ActionSet::all(), ..Widget::default() });
    });
    assert_snapshot!(print(&tree, PrintStyle::plain()), @r#"
    activity org.example.Main
    window focused [0,0][100,50] layer 0
    └─ ListView {↓↑} [0,0][100,50]
       ├─ Button #save "Save" (saves) {tap hold} [0,0][100,50]
       ├─ LinearLayout [0,0][100,50]
       │  ├─ CheckBox "on" ☑ [0,0][100,50]
       │  └─ Switch "off" ☐ selected [0,0][100,50]
       ├─ EditText hint "Name" state "empty" focused password {type} [0,0][100,50]
       ├─ WebView invalid disabled hidden [0,0][100,50]
       └─ ? disabled hidden {tap hold ↓↑→← type pinch} [0,0][0,0]
    "#);
}

#[test]
fn windows_are_headings_and_the_topmost_comes_first() {
    let tree = built(|builder| {
        builder.window(Window::application(Bounds::new(0, 0, 1080, 1920)));
        builder.leaf(widget("android.view.View", "first root", Flags::empty()));
        builder.leaf(widget("android.view.View", "second root", Flags::empty()));
        builder.window(Window {
            kind: WindowKind::Dialog,
            layer: 1,
            title: "Sure?".into(),
            modal: true,
            ..Window::application(Bounds::new(100, 100, 500, 500))
        });
        builder.leaf(widget("android.widget.Button", "Yes", Flags::CLICKABLE));
        builder.window(Window {
            kind: WindowKind::Toast,
            layer: 2,
            focused: false,
            ..Window::application(Bounds::default())
        });
    });
    assert_snapshot!(print(&tree, PrintStyle::plain()), @r#"
    activity org.example.Main
    toast [0,0][0,0] layer 2
    dialog "Sure?" focused modal [100,100][500,500] layer 1
    └─ Button "Yes" {tap} [0,0][100,50]
    window focused [0,0][1080,1920] layer 0
    ├─ View "first root" [0,0][100,50]
    └─ View "second root" [0,0][100,50]
    "#);
}

#[test]
fn a_tree_without_windows_says_so() {
    assert_snapshot!(print(&GuiTree::empty(), PrintStyle::plain()), @"no window");
}

#[test]
fn long_texts_are_cut_and_nothing_in_them_reaches_the_terminal() {
    let tree = built(|builder| {
        builder.leaf(widget("android.widget.TextView", &"long ".repeat(1_000), Flags::empty()));
        builder.leaf(widget(
            "android.widget.TextView",
            "two\nlines\tand \u{1b}[31mred\u{202e}",
            Flags::empty(),
        ));
        builder.leaf(widget("android.widget.TextView", &"\u{200f}".repeat(4_000), Flags::empty()));
        builder.leaf(widget(&"x\u{7}".repeat(200), "family 👨‍👩‍👧", Flags::empty()));
    });
    assert_snapshot!(print(&tree, PrintStyle::plain()), @r#"
    activity org.example.Main
    window focused [0,0][100,50] layer 0
    ├─ TextView "long long long long long long long long …" [0,0][100,50]
    ├─ TextView "two⏎lines⇥and \u{1b}[31mred\u{202e}" [0,0][100,50]
    ├─ TextView "\u{200f}\u{200f}\u{200f}\u{200f}\u{200f}…" [0,0][100,50]
    └─ x\u{7}x\u{7}x\u{7}x\u{7}x\u{7}x\u{7}x… "family 👨‍👩‍👧" [0,0][100,50]
    "#);
}

#[test]
fn deep_trees_stay_readable() {
    let tree = built(|builder| {
        for depth in 0..20_000_u32 {
            builder.open(Widget { index: depth, ..widget("android.view.View", "", Flags::empty()) });
        }
    });
    let printed = print(&tree, PrintStyle { max_indent: 3, ..PrintStyle::plain() });
    let widest = printed.lines().map(|line| line.chars().count()).max();
    assert!(widest < Some(60), "{widest:?}");
    let head: Vec<_> = printed.lines().take(8).chain(printed.lines().last()).collect();
    assert_snapshot!(head.join("\n"), @"
    activity org.example.Main
    window focused [0,0][100,50] layer 0
    └─ View [0,0][100,50]
       └─ View [0,0][100,50]
          └─ View [0,0][100,50]
             └─ View [0,0][100,50]
             └─ 4: View [0,0][100,50]
             └─ 5: View [0,0][100,50]
             └─ 19999: View [0,0][100,50]
    ");
}

#[test]
fn colours_come_and_go_with_the_style() {
    let tree = built(|builder| {
        builder.leaf(Widget {
            resource_id: "org.example:id/save".into(),
            ..widget("android.widget.Button", "Save", Flags::CLICKABLE | Flags::FOCUSED)
        });
    });
    assert!(!print(&tree, PrintStyle::plain()).contains('\u{1b}'));
    assert_snapshot!(print(&tree, PrintStyle::coloured()).replace('\u{1b}', "ESC"), @r#"
    ESC[1mESC[4mactivityESC[0m org.example.Main
    ESC[1mESC[4mwindowESC[0m ESC[33mfocusedESC[0m ESC[2m[0,0][100,50] layer 0ESC[0m
    ESC[2m└─ ESC[0mESC[1mButtonESC[0m ESC[36m#saveESC[0m ESC[32m"Save"ESC[0mESC[33m focusedESC[0m ESC[34m{tap}ESC[0m ESC[2m[0,0][100,50]ESC[0m
    "#);
}
