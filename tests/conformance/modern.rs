//! An app as they are written today (agent/jvm/modern): Kotlin, androidx and Compose, in several dex files.

use siamang::action::{Input, Key};

use super::stage::on_modern_stage;

#[test]
fn an_app_of_kotlin_and_androidx_runs_from_several_dex_files() {
    on_modern_stage(async |stage| {
        stage.sees("counted 0");
        stage.tap("count").await;
        stage.tap("count").await;
        stage.sees("counted 2");
        // A view model outlives a rotation, and goes with the process.
        stage.act(Input::Rotate).await;
        stage.sees("counted 2");
        stage.act(Input::Rotate).await;
        stage.act(Input::ProcessDeath).await;
        stage.sees("counted 0");
        // A coroutine waits on the main thread and works on another.
        stage.tap("wait").await;
        stage.sees("waited for 2550");
        stage.tap("ask").await;
        stage.sees("sure?");
        assert!(stage.windows() > 1);
        stage.tap("SURELY").await;
        stage.sees("was sure");
        stage.tap("count").await;
        stage.act(Input::Key(Key::Menu)).await;
        stage.tap("forget").await;
        stage.sees("counted 0");
        stage.tap("part").await;
        stage.sees("a part");
        // Who asked for BACK last gets it first: the page, once, and then the fragments.
        stage.back().await;
        stage.sees("once more to leave");
        stage.sees("a part");
        stage.back().await;
        stage.sees_not("a part");
        stage.back().await;
        stage.has_left();
        stage.start().await;
        stage.sees("row 3");
        let failure = stage.tap_and_fail("row 3").await;
        assert_eq!(failure.chain[0].class, "java.lang.IllegalStateException");
        let frame = failure.chain[0].frames.iter().find(|frame| frame.class.starts_with("siamang.modern."));
        assert_eq!(frame.unwrap().file, "MainActivity.kt", "{failure:?}");
    });
}

#[test]
fn composables_are_seen_and_touched_as_widgets() {
    on_modern_stage(async |stage| {
        stage.tap("compose").await;
        stage.sees_page("ComposeActivity");
        stage.sees("tapped 0");
        stage.sees("ready");
        stage.sees_not("not ready");
        stage.tap("tap").await;
        stage.sees("tapped 1");
        // The page takes BACK for itself once.
        stage.back().await;
        stage.sees("tapped 0");
        stage.tap("tap").await;
        stage.tap("tap").await;
        stage.act(Input::Rotate).await;
        stage.sees("tapped 2");
        stage.act(Input::Rotate).await;
        stage.act(Input::ProcessDeath).await;
        stage.sees("tapped 2");
        stage.tap("dialog").await;
        stage.sees("composed?");
        assert!(stage.windows() > 1);
        stage.tap("yes").await;
        stage.sees("tapped 12");
        stage.text("name", "Ada").await;
        stage.sees("hello Ada");
        let failure = stage.tap_and_fail("line 3").await;
        assert_eq!(failure.chain[0].class, "java.lang.IllegalArgumentException");
    });
}
