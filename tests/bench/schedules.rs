//! ND3MIN's schedules: states, the optimum V0, what the other schedules expect, and the time to solve.
//! `cargo bench --bench schedules`; `CANDIDATES` is the most candidates (5), `THREADS` the threads (2).
#![expect(clippy::print_stdout, reason = "the tables are for people")]

#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;

use std::process::ExitCode;
use std::time::Instant;

use measure::{Measured, told};

use siamang::shrink::nd3min::mdp::Mdp;
use siamang::shrink::nd3min::mdp::expect::expected_steps;
use siamang::shrink::nd3min::prior::Prior;
use siamang::shrink::nd3min::schedule::{Naive, Rule};

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() -> ExitCode {
    if told(&solver()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn solver() -> Vec<Measured> {
    let mut targets = Vec::new();
    println!(
        "{:>2} {:>3} {:>3} {:>3} {:>9} {:>8} {:>9} {:>8} {:>11} {:>9} {:>9}",
        "n", "m", "nr", "st", "states", "V0", "heuristic", "greedy", "round-robin", "wall s", "CPU s"
    );
    let prior = Prior::default();
    let rules = [Rule::PAPER, Rule { parallel: 4, ..Rule::PAPER }, Rule { parallel: 1, ..Rule::PAPER }];
    for rule in rules {
        for candidates in 2..=number("CANDIDATES", Mdp::MAX_CANDIDATES) {
            let (start, cpu) = (Instant::now(), process_cpu());
            let mdp = match Mdp::solve(candidates, rule, &prior, 1 << 30, number("THREADS", 2)) {
                Ok(mdp) => mdp,
                Err(error) => {
                    println!("{error}");
                    continue;
                }
            };
            let (wall, cpu) = (start.elapsed().as_secs_f64(), process_cpu() - cpu);
            let steps = |schedule| expected_steps(schedule, candidates, rule, &prior);
            println!(
                "{candidates:>2} {:>3} {:>3} {:>3} {:>9} {:>8.4} {:>9.4} {:>8.4} {:>11.4} {wall:>9.3} {cpu:>9.3}",
                rule.parallel,
                rule.runs,
                rule.successes,
                Mdp::states(candidates, rule),
                mdp.expected_steps(candidates).unwrap_or(f64::NAN),
                steps(Naive::HEURISTIC),
                steps(Naive::Greedy),
                steps(Naive::RoundRobin),
            );
            let name = |what: &str| format!("n = {candidates}, m = {}: {what}", rule.parallel);
            if rule == Rule::PAPER && candidates == Mdp::MAX_CANDIDATES {
                targets.push(Measured::at_most(name("solved, wall clock"), "s", 3.0, wall));
            }
            let exact = mdp.expected_steps(candidates).unwrap_or(f64::NAN);
            let ratio = exact / steps(Naive::HEURISTIC);
            // The table is in single precision.
            targets.push(Measured::at_most(
                name("expected steps to the heuristic's"),
                "ratio",
                1.000_01,
                ratio,
            ));
        }
    }
    targets
}

/// CPU seconds of all threads of this process, user and system, in hundredths.
fn process_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}
