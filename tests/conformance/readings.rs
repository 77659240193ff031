//! The trees that a device reads, against what the framework's own accessibility tells the app of its windows.

use siamang::action::{Input, Key};
use siamang::device::jvm::host::{Habits, Sees};

use super::stage::{Stage, on_stage_with};

/// What the device read and what the app was told are the same, and there was something to tell.
async fn agree(stage: &mut Stage, sees: Sees, shown: &str) {
    let (read, told) = stage.readings(sees).await;
    assert!(!read.is_empty(), "{shown}");
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|line| !those.contains(line)).cloned().collect()
    };
    let differ = format!("read: {:#?}\ntold: {:#?}", only(&read, &told), only(&told, &read));
    assert!(read == told, "{shown}, {sees:?}, {} and {} lines\n{differ}", read.len(), told.len());
}

fn with_all_and_with_what_matters(play: &impl AsyncFn(&mut Stage, Sees)) {
    for sees in [Sees::All, Sees::Important] {
        on_stage_with(Habits { sees, ..Habits::default() }, async |stage| play(stage, sees).await);
    }
}

#[test]
fn a_tree_holds_field_by_field_what_accessibility_tells() {
    with_all_and_with_what_matters(&async |stage, sees| {
        agree(stage, sees, "the first page").await;
        for page in
            ["tasks", "windows", "keys", "widgets", "parts", "permissions", "stores", "trouble", "sturdy"]
        {
            stage.open(page).await;
            for turned in [false, true] {
                if turned {
                    stage.act(Input::Rotate).await;
                }
                agree(stage, sees, &format!("{page}, turned: {turned}")).await;
            }
            let unimportant = stage.texts().iter().any(|text| text == "not important");
            assert_eq!(unimportant, page == "widgets" && sees == Sees::All, "{page}, {sees:?}");
        }
    });
}

#[test]
fn windows_over_a_page_hold_what_accessibility_tells() {
    with_all_and_with_what_matters(&async |stage, sees| {
        for over in [
            "dialog",
            "dialog of items",
            "dialog of choices",
            "popup menu",
            "popup window",
            "date",
            "time",
            "progress",
            "error",
            "red",
            "cyan",
        ] {
            stage.open("windows").await;
            stage.tap(over).await;
            assert!(stage.windows() > 1, "{over}");
            agree(stage, sees, over).await;
        }
        stage.open("windows").await;
        stage.act(Input::Key(Key::Menu)).await;
        stage.sees("from the menu");
        agree(stage, sees, "the menu of options").await;
        stage.open("windows").await;
        stage.act(Input::Key(Key::Menu)).await;
        stage.tap("more").await;
        stage.sees("from below");
        agree(stage, sees, "a menu in a menu").await;
        stage.open("windows").await;
        let at = stage.place("press long");
        stage.act(Input::LongTap(at)).await;
        stage.sees("from the context");
        agree(stage, sees, "a context menu").await;
        stage.open("windows").await;
        stage.text("a fruit", "ap").await;
        stage.sees("apricot");
        agree(stage, sees, "what a field offers").await;
        for (toast, text) in
            [("toast", "hello"), ("toasts", "first toast"), ("toast of two lines", "first line\nsecond line")]
        {
            stage.open("windows").await;
            stage.tap(toast).await;
            assert_eq!(stage.toasts(), [text]);
            agree(stage, sees, toast).await;
        }
        stage.open("tasks").await;
        stage.tap("floating").await;
        stage.sees_page("FloatingPage");
        agree(stage, sees, "a page that does not fill the screen").await;
        stage.tap("dialog").await;
        assert_eq!(stage.windows(), 3);
        agree(stage, sees, "a dialog over it").await;
    });
}

#[test]
fn what_a_keyboard_leaves_of_a_page_is_what_accessibility_tells() {
    with_all_and_with_what_matters(&async |stage, sees| {
        for page in ["keys", "windows"] {
            stage.open(page).await;
            stage.tap(if page == "keys" { "ask" } else { "keyboard" }).await;
            if page == "keys" {
                stage.tap("words").await;
                stage.tap("ask").await;
            }
            assert!(stage.keyboard().is_some(), "{page}");
            agree(stage, sees, page).await;
        }
        stage.open("keys").await;
        stage.tap("dialog").await;
        assert!(stage.keyboard().is_some());
        agree(stage, sees, "a dialog over a keyboard").await;
    });
}
