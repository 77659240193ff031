//! What an app has let go of goes, however long its life is.

use siamang::action::Input;

use crate::stage::on_stage;

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
