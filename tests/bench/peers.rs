//! The general reducers lithium and picire, their own code, on the same traces through one external oracle program.
//!
//! `scripts/bench peers` installs them. The oracle is a shell script that counts its calls, hands the file of events that it
//! is called with to this program and exits with what it is answered: 0 if the events fail as the trace does, else 1. This
//! program has the app loaded, so that a call costs the start of a shell and the run itself.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use siamang::shrink::registry::{DEFAULT, find};
use siamang::shrink::{RunRecord, Setup, Verdict};
use siamang::trace::{Trace, TraceEvent};

use crate::measure::Measured;
use crate::sample::{Case, Make, in_rounds};

/// How one reducer did.
#[derive(Clone, Debug, Default)]
struct Score {
    name: &'static str,
    runs: Vec<f64>,
    lengths: Vec<f64>,
    /// How often its result was longer than that of the first row.
    longer: u32,
    shorter: u32,
    optimal: u32,
}

const PEERS: [(&str, Peer); 4] = [
    ("lithium 4.0.0", Peer::Lithium),
    ("picire 21.8", Peer::Picire(&[])),
    ("picire 21.8, python -O", Peer::PicireOptimised(&[])),
    (
        "picire 21.8, -O, complements only, backward, content cache",
        Peer::PicireOptimised(&[
            "--subset-iterator",
            "skip",
            "--complement-iterator",
            "backward",
            "--cache",
            "content",
        ]),
    ),
];

#[derive(Clone, Copy)]
enum Peer {
    Lithium,
    Picire(&'static [&'static str]),
    PicireOptimised(&'static [&'static str]),
}

/// Shrinks the `plain` traces of some seeds with pathfirst, hdd and the peers.
pub fn table(seeds: u64, first: u64, make: Make) -> Vec<Measured> {
    let bin = concat!(env!("CARGO_MANIFEST_DIR"), "/target/peers/bin");
    if !Path::new(bin).join("picire").exists() {
        println!("peers: not installed; `scripts/bench peers` does it");
        return vec![Measured::at_least("peers that are there to be compared with", "peers", 2.0, 0.0)];
    }
    let names = [DEFAULT, "hdd", "hprobdd"].into_iter().chain(PEERS.iter().map(|(name, _)| *name));
    let mut scores: Vec<Score> = names.map(|name| Score { name, ..Score::default() }).collect();
    for seed in first..first + seeds {
        let Case { trace, optimum, mut run } = make("plain", seed);
        let mut ours = 0;
        for score in &mut scores {
            let (runs, length) = if let Some(algorithm) = find(score.name) {
                let run = |candidate: &siamang::shrink::Candidate| run(&candidate.trace());
                let (best, counts, _) = in_rounds(algorithm, run, Setup::new(trace.clone()), 1);
                (counts.runs, best.events.len())
            } else {
                let peer = PEERS.iter().find(|(name, _)| *name == score.name).expect("a peer").1;
                reduced(Path::new(bin), peer, &trace, &mut run)
            };
            if score.name == DEFAULT {
                ours = length;
            }
            score.runs.push(runs as f64);
            score.lengths.push(length as f64);
            score.longer += u32::from(length > ours);
            score.shorter += u32::from(length < ours);
            score.optimal += u32::from(length == optimum);
        }
    }
    let mean = |score: &Score| score.runs.iter().sum::<f64>() / score.runs.len() as f64;
    let ours = mean(&scores[0]);
    let mut targets = Vec::new();
    for score in scores.iter().filter(|score| find(score.name).is_none()) {
        let name = |what: &str| format!("pathfirst against {}: {what}", score.name);
        targets.push(Measured::at_most(name("runs"), "ratio", 0.25, ours / mean(score)));
        targets.push(Measured::at_most(name("longer results"), "traces", 0.0, f64::from(score.shorter)));
    }
    print(seeds, scores);
    targets
}

fn print(seeds: u64, scores: Vec<Score>) {
    let mut text = format!("| reducer, {seeds} traces of `generated:plain` | runs, mean | runs, p90 | ");
    text.push_str(
        "length, mean | at the optimum | longer than pathfirst | shorter |\n|---|---|---|---|---|---|---|\n",
    );
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    for mut score in scores {
        score.runs.sort_unstable_by(f64::total_cmp);
        let p90 = score.runs[(score.runs.len() * 9).div_ceil(10) - 1];
        let _ = writeln!(
            text,
            "| {} | {:.1} | {p90:.0} | {:.2} | {} | {} | {} |",
            score.name,
            mean(&score.runs),
            mean(&score.lengths),
            score.optimal,
            score.longer,
            score.shorter
        );
    }
    println!("{text}");
}

/// What a peer makes of a trace: how often it asked, and how many events are left.
fn reduced(bin: &Path, peer: Peer, trace: &Trace, run: &mut dyn FnMut(&Trace) -> RunRecord) -> (u64, usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let mut lines = String::new();
    for event in &trace.events {
        let bare = TraceEvent { before: None, after: None, rules: None, ..event.clone() };
        lines.push_str(&serde_json::to_string(&bare).expect("an event is JSON"));
        lines.push('\n');
    }
    std::fs::write(path("events"), lines).expect("the events are written");
    let fifos = Command::new("mkfifo").args([path("question"), path("answer")]).status();
    assert!(fifos.is_ok_and(|status| status.success()), "mkfifo makes the pipes");
    let script = format!(
        "#!/bin/sh\nd='{}'\nprintf x >> \"$d/asked\"\ncase $1 in /*) f=$1 ;; *) f=$PWD/$1 ;; esac\n\
         printf '%s\\n' \"$f\" > \"$d/question\"\nread -r code < \"$d/answer\"\nexit \"$code\"\n",
        folder.path().display()
    );
    let mut oracle = std::fs::File::create(path("oracle.sh")).expect("a script");
    oracle.write_all(script.as_bytes()).expect("the script is written");
    oracle.set_permissions(PermissionsExt::from_mode(0o755)).expect("a program");
    drop(oracle);
    let python = bin.join("python3");
    let (mut command, result) = match peer {
        Peer::Lithium => {
            let condition =
                "import subprocess\ndef interesting(args, prefix):\n    return subprocess.call(args) == 0\n";
            std::fs::write(path("interesting.py"), condition).expect("the condition is written");
            let mut command = Command::new(bin.join("lithium"));
            command.arg("--tempdir").arg(path("temp")).arg(path("interesting.py"));
            command.arg(path("oracle.sh")).arg(path("events"));
            std::fs::create_dir(path("temp")).expect("a folder");
            (command, path("events"))
        }
        Peer::Picire(options) | Peer::PicireOptimised(options) => {
            let mut command = Command::new(python);
            if matches!(peer, Peer::PicireOptimised(_)) {
                command.arg("-O");
            }
            command.arg(bin.join("picire")).arg("-q").args(options);
            command.arg("-i").arg(path("events")).arg("--test").arg(path("oracle.sh"));
            command.arg("-o").arg(path("out"));
            (command, path("out").join("events"))
        }
    };
    command.current_dir(folder.path()).stdin(Stdio::null());
    let question = path("question");
    let output = std::thread::scope(|scope| {
        let peer = scope.spawn(move || {
            let output = command.output().expect("the peer runs");
            // An empty line tells that nobody asks any more.
            std::fs::write(&question, "\n").expect("the pipe is there");
            output
        });
        serve(folder.path(), trace, run);
        peer.join().expect("the peer ends")
    });
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let asked = std::fs::metadata(path("asked")).expect("it asked").len();
    let left = std::fs::read_to_string(result).expect("it left a result");
    (asked, left.lines().filter(|line| !line.trim().is_empty()).count())
}

/// Answers the oracle's questions, each the name of a file of events, until an empty line comes.
fn serve(folder: &Path, trace: &Trace, run: &mut dyn FnMut(&Trace) -> RunRecord) {
    loop {
        let mut file = String::new();
        let pipe = std::fs::File::open(folder.join("question")).expect("the pipe is there");
        BufReader::new(pipe).read_line(&mut file).expect("a question");
        let file = file.trim_end();
        if file.is_empty() {
            return;
        }
        let lines = std::fs::read_to_string(file).unwrap_or_default();
        let events = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let record = run(&Trace { events, ..trace.clone() });
        let code = if record.verdict == Verdict::Reproduced { "0\n" } else { "1\n" };
        std::fs::write(folder.join("answer"), code).expect("the pipe is there");
    }
}
