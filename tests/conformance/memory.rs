//! What an app has let go of goes, however long its life is.

use siamang::action::Input;
use siamang::device::jvm::host::Habits;
use siamang::device::jvm::watch::Limits;
use siamang::oracle::FailureKind;

use crate::stage::{on_stage, on_stage_with};

/// More pages than fit into a phone's memory, or into a JVM's, at once: each takes 24 MB.
const TURNS: usize = 60;

#[test]
fn a_page_that_was_destroyed_takes_no_memory() {
    on_stage(async |stage| {
        stage.open("heavy").await;
        // What has the focus tells those who cannot see, and whoever keeps what was told keeps the page.
        stage.tap("words").await;
        for _ in 0..TURNS {
            stage.act(Input::Rotate).await;
        }
        stage.sees(&format!("shown {} ", TURNS + 1));
    });
}

#[test]
fn an_app_that_takes_more_than_it_may_is_ended_and_told() {
    let limits = Limits { memory_mb: 900, disk_mb: 100 };
    on_stage_with(Habits { limits, ..Habits::default() }, async |stage| {
        for (button, said) in [
            ("take memory", "the app took more than 900 MB of memory and was ended"),
            ("write files", "the app wrote more than 100 MB and was ended"),
        ] {
            stage.open("trouble").await;
            let failure = stage.tap_and_fail(button).await;
            assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Exit, said));
        }
        // The next life begins on another JVM, and with nothing.
        stage.open("stores").await;
        stage.sees("kept 0 rows 0 bytes 0 outside 0");
    });
}
