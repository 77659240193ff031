//! Ctrl-C: once to finish the step and write everything, twice to stop at once; before anything has begun, once is enough.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use crate::campaign::Control;
use crate::error::Exit;

/// Who hears of Ctrl-C, as soon as something has begun that can be finished.
static HEARER: Mutex<Option<Hearer>> = Mutex::new(None);

struct Hearer {
    control: Control,
    /// What whoever stops it at once reads.
    last_words: String,
}

/// Listens from now on for Ctrl-C and for a polite request to end, on a thread of its own.
pub fn listen() {
    let listening = requests().and_then(|(runtime, mut requests)| {
        let listen = move || {
            runtime.block_on(async {
                loop {
                    requests.next().await;
                    heard();
                }
            });
        };
        std::thread::Builder::new().name("signals".into()).spawn(listen)
    });
    if let Err(error) = listening {
        tracing::warn!("Ctrl-C will stop everything at once: {error}");
    }
}

fn heard() {
    let Ok(hearer) = HEARER.lock() else { std::process::exit(Exit::Interrupted as i32) };
    match &*hearer {
        None => leave(),
        Some(Hearer { control, last_words }) if control.is_interrupted() => {
            let _ = std::io::stderr().write_all(last_words.as_bytes());
            #[cfg(feature = "jvm")]
            let _nobody_else_speaks = clear_up();
            std::process::exit(Exit::Interrupted as i32);
        }
        Some(Hearer { control, .. }) => {
            control.interrupt();
            let _ = writeln!(std::io::stderr(), "\nstopping; press Ctrl-C again to stop at once");
        }
    }
}

/// From now on there is something to finish.
pub fn watch(control: &Control) {
    watch_and_say(control, String::new());
}

/// The same for a run: whoever stops it at once reads where it is, and what else is to be known then.
pub fn watch_run(control: &Control, folder: &Path, more: &str) {
    watch_and_say(control, format!("run folder: {} (as far as it came)\n{more}", folder.display()));
}

/// Ends the command where nothing has begun that could be finished or kept.
pub fn leave() -> ! {
    #[cfg(feature = "jvm")]
    let _nobody_else_speaks = clear_up();
    let _ = writeln!(std::io::stderr(), "\ninterrupted before anything was run");
    std::process::exit(Exit::Interrupted as i32)
}

/// Nothing is left behind: neither a program that converts an app nor the folders of such programs.
#[cfg(feature = "jvm")]
fn clear_up() -> impl Drop {
    let ended = crate::device::jvm::bounded::end_all();
    crate::device::jvm::yard::clear();
    ended
}

fn watch_and_say(control: &Control, last_words: String) {
    if let Ok(mut hearer) = HEARER.lock() {
        *hearer = Some(Hearer { control: control.clone(), last_words });
    }
}

/// Listening has begun when this returns: what comes before the thread runs is not lost.
fn requests() -> std::io::Result<(tokio::runtime::Runtime, Requests)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let requests = {
        let _inside = runtime.enter();
        Requests::new()?
    };
    Ok((runtime, requests))
}

#[cfg(unix)]
struct Requests {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Requests {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Requests;

#[cfg(not(unix))]
impl Requests {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere listening can fail")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
