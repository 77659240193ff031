//! The shrinkers on many toy apps: runs / rounds / length / share at the optimum for each family, and their own time.
//! `cargo bench --bench shrinkers`; `SEEDS`, `FIRST` and `ONLY` choose the sample.
#![expect(clippy::print_stdout, reason = "the tables are for people")]

#[path = "../support/sample.rs"]
mod sample;
#[path = "../support/toy_app.rs"]
mod toy_app;

use std::fmt::Write as _;

use sample::{Make, Means, means, setup};
use siamang::shrink::Ask;
use siamang::shrink::registry::ALGORITHMS;
use toy_app::{Family, ToyApp};

fn main() {
    table();
    own_time_at_10_000_events();
}

/// Prints means and shares at the optimum. `SEEDS` and `FIRST` choose the sample.
fn table() {
    let number =
        |name, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seeds, first): (u64, u64) = (number("SEEDS", 20), number("FIRST", 1));
    let only = std::env::var("ONLY").unwrap_or_default();
    let shapes: [(&str, Make); 2] = [("tree", ToyApp::with_trace), ("tangle", ToyApp::tangled)];
    for (shape, make) in shapes {
        for workers in [1, 15] {
            for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.name.contains(&only)) {
                let mut line = format!("{shape:6} {:14} {workers:2} |", algorithm.name);
                for family in Family::ALL {
                    let means = means(algorithm.name, workers, family, first..first + seeds, make);
                    let Means { runs, rounds, length, optimal } = means;
                    write!(line, " {runs:6.1} / {rounds:5.1} / {length:5.2} / {optimal:4.2} |")
                        .expect("a string takes everything");
                }
                println!("{line}");
            }
        }
    }
}

/// Prints the algorithms' own time for a candidate of a trace of 10,000 events.
fn own_time_at_10_000_events() {
    let (app, trace) = ToyApp::with_long_trace(Family::Plain, 1, 10_000);
    println!("{} events", trace.events.len());
    for algorithm in ALGORITHMS {
        let mut shrinker = (algorithm.make)(setup(&app, &trace));
        let (mut own, mut runs, mut slowest) = (0.0, 0.0, 0.0_f64);
        loop {
            let start = std::time::Instant::now();
            let Ask::Run(candidates) = shrinker.ask(1) else { break };
            let mut took = start.elapsed().as_secs_f64();
            for candidate in candidates {
                let record = app.run(&candidate.events);
                let start = std::time::Instant::now();
                shrinker.tell(candidate.id, &record);
                took += start.elapsed().as_secs_f64();
                own += took;
                slowest = slowest.max(took);
                runs += 1.0;
            }
        }
        let left = shrinker.best().events.len();
        println!(
            "{:14} {runs:6} runs, {:7.3} ms a candidate, at most {:7.3} ms, {left} left",
            algorithm.name,
            own / runs * 1e3,
            slowest * 1e3
        );
    }
}
