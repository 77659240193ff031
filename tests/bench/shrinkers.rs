//! The shrinkers on many toy apps: runs / rounds / length / share at the optimum for each family, and their own time.
//! `cargo bench --bench shrinkers`; `SEEDS`, `FIRST` and `ONLY` choose the sample.
#![expect(clippy::print_stdout, reason = "the tables are for people")]

#[path = "../support/sample.rs"]
mod sample;
#[path = "../support/toy_app.rs"]
mod toy_app;

use std::fmt::Write as _;

use sample::{Make, Means, drive, means, setup};
use siamang::shrink::Ask;
use siamang::shrink::registry::{ALGORITHMS, find};
use toy_app::{Family, ToyApp};

fn main() {
    static_pass();
    table();
    own_time_at_10_000_events();
}

/// Prints `hdd` and `pathfirst` with and without CHARD's rules in front: means over the seeds, and how many proposals were
/// wrong.
fn static_pass() {
    let (seeds, first) = sample_size();
    println!(
        "CHARD's rules first: runs / events run / length / share at the optimum; proposals, wrong ones; {seeds} seeds"
    );
    for name in ["hdd", "pathfirst", "chard"] {
        let algorithm = find(name).expect("the algorithm is there");
        for rules_first in [false, true] {
            let mut line = format!("{:9} {:11} |", name, if rules_first { "rules first" } else { "" });
            let (mut proposed, mut refuted) = (0, 0);
            for family in Family::ALL {
                let (mut runs, mut events, mut length, mut optimal) = (0.0, 0.0, 0.0, 0.0);
                for seed in first..first + seeds {
                    let (app, trace) = ToyApp::with_trace(family, seed);
                    let setup = setup(&app, &trace);
                    let shrinker =
                        if rules_first { algorithm.after_rules(setup) } else { (algorithm.make)(setup) };
                    let (best, counts, _) = drive(shrinker, &app, 1);
                    runs += counts.runs as f64;
                    events += counts.events as f64;
                    length += best.events.len() as f64;
                    optimal += f64::from(u8::from(best.events.len() == family.optimum()));
                    proposed += counts.proposed;
                    refuted += counts.refuted;
                }
                let share = 1.0 / seeds as f64;
                let [runs, events, length, optimal] = [runs, events, length, optimal].map(|sum| sum * share);
                write!(line, " {} {runs:5.1} / {events:6.0} / {length:5.2} / {optimal:4.2} |", family.name())
                    .expect("a string takes everything");
            }
            println!("{line} {proposed} proposed, {refuted} wrong");
        }
    }
}

/// How many seeds, and the first of them.
fn sample_size() -> (u64, u64) {
    let number =
        |name, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    (number("SEEDS", 20), number("FIRST", 1))
}

/// Prints means and shares at the optimum. `SEEDS` and `FIRST` choose the sample.
fn table() {
    let (seeds, first) = sample_size();
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
