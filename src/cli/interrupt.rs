//! Ctrl-C: once to finish the step and write everything, twice to stop at once.

use std::io::Write;
use std::path::Path;

use crate::campaign::Control;
use crate::error::Exit;

/// Watches for Ctrl-C and for a polite request to end, on a thread of its own.
pub fn watch(control: &Control) {
    watch_and_say(control, String::new());
}

/// The same for a run: whoever stops it at once reads where it is, and what else is to be known then.
pub fn watch_run(control: &Control, folder: &Path, more: &str) {
    watch_and_say(control, format!("run folder: {} (as far as it came)\n{more}", folder.display()));
}

/// Ends the command where nothing has begun that could be finished or kept.
pub fn leave() -> ! {
    std::process::exit(Exit::Interrupted as i32)
}

fn watch_and_say(control: &Control, last_words: String) {
    let control = control.clone();
    let watcher = std::thread::Builder::new().name("signals".into()).spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            requested().await;
            control.interrupt();
            let _ =
                writeln!(std::io::stderr(), "\nstopping after this step; press Ctrl-C again to stop at once");
            requested().await;
            let _ = std::io::stderr().write_all(last_words.as_bytes());
            std::process::exit(Exit::Interrupted as i32);
        });
    });
    if let Err(error) = watcher {
        tracing::warn!("Ctrl-C will stop the run at once: {error}");
    }
}

#[cfg(unix)]
async fn requested() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn requested() {
    let _ = tokio::signal::ctrl_c().await;
}
