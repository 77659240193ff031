//! The shrinkers measured: on toy apps, on the models, and their own time. Run by `scripts/bench shrinkers [SECTION…]`.
//! `SEEDS` and `FIRST` choose the sample, `ONLY=hdd,pathfirst` the algorithms (or part of a name), `FAMILIES=plain,control`
//! the families, `RATES` how often the crash shows; `TELL` shows what did not end at the optimum. After each table come the
//! targets that it has the numbers for, with a verdict; a target that is missed makes the exit code 1.
#![expect(clippy::print_stdout, reason = "the tables are for people")]

#[path = "../support/flaky.rs"]
mod flaky;
#[path = "../support/generated.rs"]
mod generated;
#[path = "../support/hunting.rs"]
mod hunting;
#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;
mod noise;
mod optimum;
mod peers;
#[path = "../support/sample.rs"]
mod sample;
#[path = "../support/toy_app.rs"]
mod toy_app;

use std::process::ExitCode;

use measure::{Measured, cpu, told};
use sample::{Make, Means, drive, means, tangled, toy};
use siamang::shrink::registry::{ALGORITHMS, Algorithm, find};
use siamang::shrink::{Ask, Setup};
use siamang::trace::Trace;
use siamang::trace::replay::describe;
use toy_app::{Family, ToyApp};

const FAMILIES: [&str; 4] = ["plain", "control", "counter", "excursion"];
/// Devices at once, in the rows with many.
const MANY: usize = 15;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number =
        |name, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let first: u64 = number("FIRST", 1);
    let only = std::env::var("ONLY").unwrap_or_default();
    let runs = |section: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == section);
    let shapes: [(&str, Make); 3] =
        [("generated", generated::generated), ("toys", toy), ("tangled", tangled)];
    let mut all_hold = true;
    for (shape, make) in shapes.into_iter().filter(|(shape, _)| runs(shape)) {
        let targets = table(shape, number("SEEDS", 200), first, &only, make);
        // The targets are for apps whose screens the generator links, and for the paper's trees.
        all_hold &= shape == "tangled" || told(&targets);
    }
    if runs("optimum") {
        all_hold &= told(&optimum::table(number("SEEDS", 10), &only));
    }
    if runs("noise") {
        let only = if only.is_empty() { "pathfirst,nd3min" } else { &only };
        all_hold &= told(&noise::table(number("SEEDS", 200), first, only, toy));
    }
    if runs("peers") {
        all_hold &= told(&peers::table(number("SEEDS", 50), first, generated::generated));
    }
    if runs("rules") {
        static_pass(number("SEEDS", 20), first);
    }
    if runs("time") {
        all_hold &= told(&own_time_at_10_000_events());
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints means and shares at the optimum, for each family of cases.
fn table(shape: &str, seeds: u64, first: u64, only: &str, make: Make) -> Vec<Measured> {
    let exact: Vec<&Algorithm> = only.split(',').filter_map(find).collect();
    let chosen = ALGORITHMS.iter().filter(|algorithm| match exact.as_slice() {
        [] => algorithm.name.contains(only),
        exact => exact.iter().any(|other| other.name == algorithm.name),
    });
    let contestants: Vec<_> = chosen.flat_map(|algorithm| [(algorithm, 1), (algorithm, MANY)]).collect();
    println!(
        "{shape}, {seeds} seeds from {first}: runs / events / rounds / length / runs of the certificate, each mean and p90; \
         share at the optimum"
    );
    let mut targets = Vec::new();
    let tells = std::env::var("TELL").is_ok();
    let families = std::env::var("FAMILIES").unwrap_or_default();
    for family in FAMILIES.into_iter().filter(|family| families.is_empty() || families.contains(family)) {
        let mut missed = |seed: u64, algorithm: &Algorithm, best: &Trace| {
            if tells {
                let steps: Vec<String> = best.events.iter().map(describe).collect();
                println!(
                    "  {family} {} seed {seed} on {}: {}",
                    algorithm.name,
                    best.target,
                    steps.join("; ")
                );
            }
        };
        let means = means(&contestants, family, first..first + seeds, make, &mut missed);
        for ((algorithm, workers), means) in contestants.iter().zip(&means) {
            let Means { runs, events, rounds, length, certificate, optimal } = means;
            println!(
                "{family:9} {:14} {workers:2} | {:6.2} {:4.0} / {:7.0} {:6.0} / {:5.1} {:4.0} / {:5.2} {:3.0} / {:4.1} {:3.0} / {optimal:5.3}",
                algorithm.name,
                runs.mean,
                runs.p90,
                events.mean,
                events.p90,
                rounds.mean,
                rounds.p90,
                length.mean,
                length.p90,
                certificate.mean,
                certificate.p90,
            );
        }
        let of = |name: &str, workers: usize| {
            let at =
                contestants.iter().position(|(algorithm, own)| algorithm.name == name && *own == workers)?;
            Some(means[at])
        };
        targets.extend(limits(family, of));
    }
    targets
}

/// What is asked of `pathfirst` in a family, as far as those that it is compared with are there.
fn limits(family: &str, of: impl Fn(&str, usize) -> Option<Means>) -> Vec<Measured> {
    let Some(path) = of("pathfirst", 1) else { return Vec::new() };
    let (runs, to_hdd) = match family {
        "plain" => (12.0, Some(0.36)),
        "control" => (6.0, Some(0.4)),
        "counter" => (25.0, Some(0.4)),
        _ => (35.0, None),
    };
    let name = |what: &str| format!("{family}, pathfirst: {what}");
    let mut limits = vec![Measured::at_most(name("runs"), "runs", runs, path.runs.mean)];
    if let (Some(share), Some(hdd)) = (to_hdd, of("hdd", 1)) {
        limits.push(Measured::at_most(name("runs to hdd's"), "ratio", share, path.runs.mean / hdd.runs.mean));
    }
    if family == "plain" {
        limits.push(Measured::at_least(name("at the optimum"), "share", 0.95, path.optimal));
        if let Some(many) = of("pathfirst", MANY) {
            limits.push(Measured::at_most(name("rounds on 15 devices"), "rounds", 6.0, many.rounds.mean));
            let more = many.runs.mean / path.runs.mean;
            limits.push(Measured::at_most(name("runs on 15 devices to those on one"), "ratio", 2.0, more));
        }
    }
    if let (None, Some(hprobdd)) = (to_hdd, of("hprobdd", 1)) {
        limits.push(Measured::at_most(
            name("runs to hprobdd's"),
            "ratio",
            1.0,
            path.runs.mean / hprobdd.runs.mean,
        ));
    }
    limits
}

/// Prints `hdd` and `pathfirst` with and without CHARD's rules in front: means over the seeds, and how many proposals were
/// wrong.
fn static_pass(seeds: u64, first: u64) {
    println!("{seeds} seeds from {first}, means; optimum: the share at it; proposed and wrong: sums");
    println!(
        "{:9} {:9} {:11} {:>6} {:>7} {:>7} {:>8} {:>9} {:>6}",
        "family", "algorithm", "", "runs", "events", "length", "optimum", "proposed", "wrong"
    );
    for family in Family::ALL {
        for name in ["hdd", "pathfirst", "chard"] {
            let algorithm = find(name).expect("the algorithm is there");
            for rules_first in [false, true] {
                let (mut runs, mut events, mut length, mut optimal) = (0.0, 0.0, 0.0, 0.0);
                let (mut proposed, mut refuted) = (0, 0);
                for seed in first..first + seeds {
                    let (app, trace) = ToyApp::with_trace(family, seed);
                    let setup = Setup::new(trace);
                    let shrinker =
                        if rules_first { algorithm.after_rules(setup) } else { (algorithm.make)(setup) };
                    let (best, counts, _) = drive(shrinker, |candidate| app.run(&candidate.events), 1);
                    runs += counts.runs as f64;
                    events += counts.events as f64;
                    length += best.events.len() as f64;
                    optimal += f64::from(u8::from(best.events.len() == family.optimum()));
                    proposed += counts.proposed;
                    refuted += counts.refuted;
                }
                let share = 1.0 / seeds as f64;
                let [runs, events, length, optimal] = [runs, events, length, optimal].map(|sum| sum * share);
                let rules = if rules_first { "rules first" } else { "" };
                println!(
                    "{:9} {name:9} {rules:11} {runs:>6.1} {events:>7.0} {length:>7.2} {optimal:>8.2} {proposed:>9} {refuted:>6}",
                    family.name()
                );
            }
        }
    }
}

/// Prints the algorithms' own time for a candidate of a trace of 10,000 events.
fn own_time_at_10_000_events() -> Vec<Measured> {
    let mut targets = Vec::new();
    let (app, trace) = ToyApp::with_long_trace(Family::Plain, 1, 10_000);
    println!("{} events", trace.events.len());
    for algorithm in ALGORITHMS {
        let mut shrinker = (algorithm.make)(Setup::new(trace.clone()));
        let (mut own, mut runs, mut slowest) = (0.0, 0.0, 0.0_f64);
        loop {
            let start = cpu();
            let Ask::Run(candidates) = shrinker.ask(1) else { break };
            let mut took = cpu() - start;
            for candidate in candidates {
                let record = app.run(&candidate.events);
                let start = cpu();
                shrinker.tell(candidate.id, &record);
                took += cpu() - start;
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
        let name = format!("{}: own time a candidate at 10,000 events", algorithm.name);
        targets.push(Measured::at_most(name, "ms", 1.0, own / runs * 1e3));
    }
    targets
}
