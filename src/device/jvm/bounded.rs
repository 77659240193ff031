//! Fenced programs that answer and end: they are waited for as long as is allowed, and never left behind.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::watch::started_by;

/// How a program ended, and what it said.
#[derive(Debug)]
pub struct Bounded {
    /// How it ended.
    pub status: ExitStatus,
    /// What it said, as far as it is kept.
    pub stdout: String,
    /// What it complained of, as far as it is kept.
    pub stderr: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// It could not be started, or not be waited for.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It took too long and was ended.
    #[error("it was not done after {}", in_words(*.0))]
    Late(Duration),
}

/// What is waited for just now. Ctrl-C ends it.
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());
/// So many bytes of what a program says are kept: it may say anything without end.
const KEPT: u64 = 4 << 20;
/// How often it is looked whether a program has ended, at the most.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Bounded {
    /// Runs a program and waits for its end, at most this long.
    pub fn run(command: &mut Command, deadline: Duration) -> Result<Self, Unanswered> {
        let begun = Instant::now();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (out, err) = (child.stdout.take().map(listen), child.stderr.take().map(listen));
        let child = Arc::new(Mutex::new(child));
        running().push(Arc::clone(&child));
        let ended = wait(&child, begun, deadline);
        running().retain(|known| !Arc::ptr_eq(known, &child));
        let status = ended?;
        let said =
            |thread: Option<JoinHandle<String>>| thread.and_then(|said| said.join().ok()).unwrap_or_default();
        Ok(Self { status, stdout: said(out), stderr: said(err) })
    }

    /// The last thing that it complained of.
    pub fn last_words(&self) -> &str {
        self.stderr.lines().last().unwrap_or("no reason was given")
    }
}

fn wait(child: &Mutex<Child>, begun: Instant, deadline: Duration) -> Result<ExitStatus, Unanswered> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = locked(child).try_wait()? {
            return Ok(status);
        }
        if begun.elapsed() >= deadline {
            end(&mut locked(child));
            return Err(Unanswered::Late(deadline));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK_EVERY);
    }
}

/// Ends all that is waited for. As long as the result is kept, whoever waited hears nothing of it and does nothing more.
pub fn end_all() -> impl Drop {
    let running = running();
    running.iter().for_each(|child| end(&mut locked(child)));
    Silence(running)
}

struct Silence(
    #[expect(dead_code, reason = "what counts is that it is held")]
    MutexGuard<'static, Vec<Arc<Mutex<Child>>>>,
);

impl Drop for Silence {
    fn drop(&mut self) {}
}

/// Ends a fenced program, which may have ended by itself. What we have started waits outside of the fence; whoever is first
/// inside has taken on another user, so that it does not go with that one. With it goes all that is inside.
pub(super) fn end(child: &mut Child) {
    for inside in started_by(child.id()) {
        let mut kill = Command::new("sh");
        kill.args(["-c", "kill -KILL \"$1\"", "sh", &inside.to_string()]);
        let _ = kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    if let Err(error) = child.wait() {
        tracing::debug!("a fenced program: {error}");
    }
}

/// All is read: a full pipe would stop the program.
fn listen(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let read = from.by_ref().take(KEPT).read_to_end(&mut kept);
        if let Err(error) = read.and_then(|_| io::copy(&mut from, &mut io::sink())) {
            tracing::debug!("what a fenced program says: {error}");
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 120 { format!("{} minutes", seconds / 60) } else { format!("{} s", time.as_secs_f32()) }
}

fn running() -> MutexGuard<'static, Vec<Arc<Mutex<Child>>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn locked(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_says_is_kept_and_how_it_ended() {
        let ended = Bounded::run(&mut shell("echo done; echo first >&2; echo no >&2; exit 2"), Duration::MAX)
            .unwrap();
        assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(2), "done\n"));
        assert_eq!(ended.last_words(), "no");
    }

    #[test]
    fn a_program_that_says_more_than_is_kept_ends_all_the_same() {
        let script = "head -c 9000000 /dev/zero; echo end >&2";
        let ended = Bounded::run(&mut shell(script), Duration::MAX).unwrap();
        assert!(ended.status.success());
        assert_eq!((ended.stdout.len() as u64, ended.last_words()), (KEPT, "end"));
    }

    #[test]
    fn a_program_that_never_ends_is_ended() {
        let late = Bounded::run(&mut shell("exec sleep 100000"), Duration::from_millis(50)).unwrap_err();
        assert_eq!(late.to_string(), "it was not done after 0.05 s");
        assert_eq!(
            Unanswered::Late(Duration::from_secs(900)).to_string(),
            "it was not done after 15 minutes"
        );
    }
}
