//! ND3MIN: the schedules' expected steps against brute force, and the shrinker on flaky apps.

#[expect(dead_code, reason = "shared with the benchmark, which uses the rest of it")]
#[path = "support/toy_app.rs"]
mod toy_app;

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::RngExt;
use siamang::seed::Seed;
use siamang::shrink::nd3min::{Findings, Nd3Min, Settings};
use siamang::shrink::{Ask, Counts, RunRecord, Setup, Shrinker, Verdict};
use siamang::trace::Trace;
use toy_app::{Family, ToyApp};

use siamang::shrink::nd3min::mdp::expect::expected_steps;
use siamang::shrink::nd3min::mdp::{Mdp, MdpError};
use siamang::shrink::nd3min::prior::Prior;
use siamang::shrink::nd3min::schedule::{Naive, Rule, Tally};

const MEMORY: u64 = 1 << 28;

fn noisy() -> Prior {
    Prior::parse("0.3,0.1,0.1,0.2,0.3").expect("a prior")
}

fn rules() -> impl Iterator<Item = (usize, Rule)> {
    [
        (1, 3, 6, 5),
        (2, 4, 6, 5),
        (2, 1, 5, 4),
        (2, 7, 8, 6),
        (3, 3, 5, 4),
        (3, 5, 5, 5),
        (3, 4, 6, 4),
        (3, 2, 4, 3),
    ]
    .into_iter()
    .map(|(candidates, parallel, runs, successes)| (candidates, Rule { parallel, runs, successes }))
}

/// Section 4.3 as it is written: ordered states of all candidates, and every schedule of at most m runs.
struct BruteForce {
    rule: Rule,
    prior: Prior,
    known: BTreeMap<Vec<Tally>, f64>,
}

impl BruteForce {
    fn value(&mut self, state: &[Tally]) -> f64 {
        if state.iter().any(|tally| tally.successes >= self.rule.successes)
            || state.iter().all(|tally| tally.failures > self.rule.runs - self.rule.successes)
        {
            return 0.0;
        }
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        let mut best = f64::INFINITY;
        let mut schedules = vec![Vec::new()];
        for tally in state {
            let mut longer = Vec::new();
            for schedule in &schedules {
                let used: usize = schedule.iter().sum();
                for more in 0..=(self.rule.parallel - used).min(self.rule.runs - tally.runs()) {
                    let mut next: Vec<usize> = schedule.clone();
                    next.push(more);
                    longer.push(next);
                }
            }
            schedules = longer;
        }
        for schedule in schedules.into_iter().filter(|schedule| schedule.iter().any(|&runs| runs > 0)) {
            let steps = 1.0 + self.outcomes(state, &schedule, &mut Vec::new(), 1.0);
            best = best.min(steps);
        }
        self.known.insert(state.to_vec(), best);
        best
    }

    fn outcomes(&mut self, state: &[Tally], schedule: &[usize], next: &mut Vec<Tally>, chance: f64) -> f64 {
        let at = next.len();
        if at == state.len() {
            return chance * self.value(&next.clone());
        }
        let (tally, runs) = (state[at], schedule[at]);
        let weigh = |p: f64, weight: f64| {
            weight * p.powi(tally.successes as i32) * (1.0 - p).powi(tally.failures as i32)
        };
        let points = self.prior.points().to_vec();
        let all: f64 = points.iter().map(|&(p, weight)| weigh(p, weight)).sum();
        let mut steps = 0.0;
        for failures in 0..=runs {
            let choose =
                (0..failures).fold(1.0, |product, ix| product * (runs - ix) as f64 / (ix + 1) as f64);
            let factor: f64 = points
                .iter()
                .map(|&(p, weight)| {
                    let likely = p.powi((runs - failures) as i32) * (1.0 - p).powi(failures as i32);
                    weigh(p, weight) / all * choose * likely
                })
                .sum();
            let seen =
                Tally { successes: tally.successes + runs - failures, failures: tally.failures + failures };
            next.push(seen);
            steps += self.outcomes(state, schedule, next, chance * factor);
            next.pop();
        }
        steps
    }
}

#[test]
fn the_solved_value_is_that_of_brute_force_over_all_schedules() {
    for (candidates, rule) in rules() {
        let solved = Mdp::solve(candidates, rule, &noisy(), MEMORY, 1).unwrap();
        let mut brute = BruteForce { rule, prior: noisy(), known: BTreeMap::new() };
        let expected = brute.value(&vec![Tally::default(); candidates]);
        let value = solved.expected_steps(candidates).unwrap();
        assert!((value - expected).abs() < 1e-4, "{candidates} {rule:?}: {value}, by brute force {expected}");
    }
}

#[test]
fn no_other_schedule_expects_fewer_steps_than_the_exact_one() {
    for prior in [noisy(), Prior::default(), Prior::parse("0.8,0.2").unwrap()] {
        for (candidates, rule) in rules().chain([(4, Rule { parallel: 15, runs: 10, successes: 9 })]) {
            let solved = Mdp::solve(candidates, rule, &prior, MEMORY, 1).unwrap();
            let exact = solved.expected_steps(candidates).unwrap();
            for other in [Naive::HEURISTIC, Naive::Greedy, Naive::RoundRobin] {
                let steps = expected_steps(other, candidates, rule, &prior);
                assert!(exact <= steps + 1e-4, "{candidates} {rule:?}: {exact}, but {other:?} {steps}");
            }
        }
    }
}

/// What the table promises, its own schedules keep.
#[test]
fn following_the_exact_schedule_takes_the_expected_steps() {
    for (candidates, rule) in rules() {
        let solved = Mdp::solve(candidates, rule, &noisy(), MEMORY, 1).unwrap();
        let promised = solved.expected_steps(candidates).unwrap();
        let kept = follow(&solved, &noisy(), vec![Tally::default(); candidates], &mut BTreeMap::new());
        assert!((kept - promised).abs() < 1e-4, "{candidates} {rule:?}: {kept}, promised {promised}");
    }
}

fn follow(mdp: &Mdp, prior: &Prior, state: Vec<Tally>, known: &mut BTreeMap<Vec<Tally>, f64>) -> f64 {
    let rule = mdp.rule();
    if state.iter().any(|tally| tally.is_accepted(rule)) || state.iter().all(|tally| tally.is_dropped(rule)) {
        return 0.0;
    }
    if let Some(&steps) = known.get(&state) {
        return steps;
    }
    let schedule = mdp.schedule(&state).expect("the table holds it");
    assert!(schedule.iter().sum::<usize>() <= rule.parallel);
    let mut reached = vec![(1.0, Vec::new())];
    for (tally, &runs) in state.iter().zip(&schedule) {
        assert!(tally.runs() + runs <= rule.runs);
        let after = prior.after(*tally);
        let mut longer = Vec::new();
        for (chance, so_far) in &reached {
            for failures in 0..=runs {
                let choose =
                    (0..failures).fold(1.0, |product, ix| product * (runs - ix) as f64 / (ix + 1) as f64);
                let factor: f64 = after
                    .iter()
                    .map(|&(p, weight)| {
                        weight * choose * p.powi((runs - failures) as i32) * (1.0 - p).powi(failures as i32)
                    })
                    .sum();
                let mut next = Vec::clone(so_far);
                let (won, lost) = (tally.successes + runs - failures, tally.failures + failures);
                next.push(Tally { successes: won, failures: lost });
                longer.push((chance * factor, next));
            }
        }
        reached = longer;
    }
    let steps =
        1.0 + reached.into_iter().map(|(chance, next)| chance * follow(mdp, prior, next, known)).sum::<f64>();
    known.insert(state, steps);
    steps
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let rule = Rule { parallel: 6, runs: 10, successes: 8 };
    let one = Mdp::solve(4, rule, &noisy(), MEMORY, 1).unwrap();
    let three = Mdp::solve(4, rule, &noisy(), MEMORY, 3).unwrap();
    for successes in 0..8 {
        for failures in 0..3 {
            let state =
                [Tally { successes, failures }, Tally::default(), Tally { successes: 1, failures: 1 }];
            assert_eq!(one.value(&state), three.value(&state));
        }
    }
    assert_eq!(one.expected_steps(4), three.expected_steps(4));
}

/// The reduced state space of section 4.3. The paper counts 729,709 for five candidates, two more than there are open ones and
/// the two ends; it does not say how it counts the ends.
#[test]
fn the_states_are_those_of_the_paper_without_their_permutations() {
    for (candidates, states) in [(1, 6), (2, 153), (3, 3_381), (4, 55_565), (5, 729_709 - 2)] {
        assert_eq!(Mdp::states(candidates, Rule::PAPER), states);
    }
}

#[test]
fn solving_tells_how_far_it_is() {
    let mut told = Vec::new();
    let rule = Rule { parallel: 4, runs: 6, successes: 4 };
    Mdp::solve_telling(3, rule, &noisy(), MEMORY, 1, &mut |share| told.push(share)).unwrap();
    assert!(told.is_sorted() && told.len() > 10, "{told:?}");
    assert!((told[told.len() - 1] - 1.0).abs() < 1e-9, "all values are known in the end: {told:?}");
}

#[test]
fn a_table_that_does_not_fit_is_refused_before_it_is_made() {
    let wide = Rule { parallel: 15, runs: 200, successes: 150 };
    let error = Mdp::solve(5, wide, &Prior::default(), 1 << 30, 1).unwrap_err();
    assert!(matches!(error, MdpError::Memory { candidates: 5, given: 1024, .. }), "{error}");
    assert!(error.to_string().contains("use fewer candidates"));
    // With no failure to spare the values are few, but the vectors of runs are many.
    let strict = Rule { parallel: 15, runs: 100, successes: 100 };
    let error = Mdp::solve(5, strict, &Prior::default(), 64 << 20, 1).unwrap_err();
    assert!(matches!(error, MdpError::Memory { given: 64, .. }), "{error}");
    assert_eq!(Mdp::bytes(6, Rule::PAPER), Err(MdpError::Candidates(6)));
    let impossible = Rule { parallel: 15, runs: 20, successes: 21 };
    assert_eq!(Mdp::bytes(2, impossible), Err(MdpError::Rule(15, 20, 21)));
    assert!(Mdp::bytes(5, Rule::PAPER).unwrap() < 8 << 20);
}

/// Shrinks the trace of a toy app whose crash shows itself with probability `rate` only.
fn shrink(
    family: Family,
    seed: u64,
    rate: f64,
    settings: Settings,
    workers: usize,
) -> (Trace, Findings, Counts) {
    let (app, trace) = ToyApp::with_trace(family, seed);
    let mut rng = Seed(seed).named("noise").rng();
    let mut shrinker = Nd3Min::new(Setup { nd3min: settings, ..Setup::new(trace) });
    while let Ask::Run(candidates) = shrinker.ask(workers) {
        for candidate in candidates {
            let mut record = app.run(&candidate.events);
            if record.verdict == Verdict::Reproduced && !rng.random_bool(rate) {
                record =
                    RunRecord { verdict: Verdict::NotReproduced, events: candidate.events.len(), ..record };
            }
            shrinker.tell(candidate.id, &record);
            shrinker.stale();
        }
    }
    let best = shrinker.best().clone();
    let events: Vec<_> = best.events.iter().cloned().map(Arc::new).collect();
    assert_eq!(app.run(&events).verdict, Verdict::Reproduced);
    (best, shrinker.nd3min().expect("its own findings").clone(), shrinker.counts())
}

#[test]
fn a_flaky_trace_is_shortened_and_checked() {
    for (family, seed) in [(Family::Plain, 1), (Family::Control, 2), (Family::Excursion, 3)] {
        let (best, findings, counts) = shrink(family, seed, 0.97, Settings::default(), 15);
        assert!(best.events.len() <= 2 * family.optimum(), "{family:?}: {} events", best.events.len());
        assert!(findings.original.successes >= 15 && findings.original.runs() == 20);
        let check = findings.check.expect("the result was checked");
        assert_eq!(check.tally.runs(), 20);
        assert!(check.tally.successes >= 15, "{check:?}");
        assert!((0.0..=1.0).contains(&check.good) && (0.5..=1.0).contains(&check.minimal), "{check:?}");
        assert!(findings.steps < counts.runs && findings.steps * 15 >= counts.runs, "{findings:?}");
        assert!(!findings.refused);
    }
}

/// With a rate of 0.5, 15 hits in 20 runs have a probability of 0.021: of 20 traces one at the most is expected to pass.
#[test]
fn an_original_that_fails_in_half_of_its_runs_is_refused_and_kept() {
    let mut refused = 0;
    for seed in 1..=20 {
        let (best, findings, counts) = shrink(Family::Plain, seed, 0.5, Settings::default(), 15);
        if findings.refused {
            refused += 1;
            assert!(counts.runs <= 20 && findings.original.failures == 6, "{findings:?}");
            assert!(best.events.len() > 150);
            assert_eq!(findings.check, None);
        } else {
            assert!(findings.original.successes >= 15, "{findings:?}");
        }
    }
    assert!(refused >= 19, "{refused} of 20 were refused");
}

#[test]
fn a_budget_that_ends_in_the_check_of_the_original_keeps_what_the_check_has_shown() {
    let (app, trace) = ToyApp::with_trace(Family::Plain, 1);
    let mut shrinker = Nd3Min::new(Setup { nd3min: Settings::default(), ..Setup::new(trace) });
    let Ask::Run(candidates) = shrinker.ask(3) else { panic!("the original is to be run") };
    assert_eq!(candidates.len(), 3);
    for candidate in candidates {
        shrinker.tell(candidate.id, &app.run(&candidate.events));
    }
    assert!(shrinker.confirmed(), "three runs have shown it");
    let findings = shrinker.nd3min().expect("its own findings");
    assert_eq!(findings.original, Tally { successes: 3, failures: 0 });
    assert!(!findings.refused && findings.check.is_none());
}

#[test]
fn the_exact_schedule_gives_a_short_trace_as_the_others_do() {
    for schedule in ["exact", "heuristic", "round-robin", "greedy"] {
        let words = format!("n=5,m=8,nr=6,st=5,checks=8,least=6,schedule={schedule}");
        let settings = Settings::parse(&words, 8, Prior::default(), 2, &mut |_| {}).expect("settings");
        let (best, findings, _) = shrink(Family::Control, 4, 0.98, settings, 8);
        assert!(best.events.len() <= 10, "{schedule}: {} events", best.events.len());
        assert!(findings.check.is_some());
        let learnt = Prior::learn(findings.tallies).expect("a prior");
        assert!(learnt.points()[0].1 > 0.5, "{schedule}: most candidates never do it");
    }
}

fn siamang(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_siamang"));
    let output = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it runs");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), said.concat())
}

#[test]
fn the_command_minimises_learns_a_prior_and_refuses_bad_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (run, prior, out) = (place("run"), place("prior.txt"), place("short.json"));
    let model = "models/counter_crash.toml";
    let explore =
        ["explore", model, "--strategy", "random", "--steps", "1500", "--shrink", "no", "--out", &run];
    assert_eq!(siamang(&explore).0, Some(1));
    let (code, said) = siamang(&[
        "shrink",
        &run,
        "--learn-prior",
        &prior,
        "--nd3min",
        "nr=3,st=3,checks=4,least=3,schedule=heuristic",
    ]);
    assert_eq!(code, Some(1), "{said}");
    let learnt = std::fs::read_to_string(&prior).expect("a prior");
    assert!(Prior::parse(learnt.trim()).is_ok(), "{learnt}");
    // Runs that are out early have shown something of the candidates that were run.
    let early = place("early.txt");
    let numbers = ["--nd3min", "nr=3,st=3,checks=4,least=3"];
    let (code, said) =
        siamang(&[&["shrink", &run, "--learn-prior", &early, "--max-runs", "12"], &numbers[..]].concat());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("out of runs"), "{said}");
    let learnt = std::fs::read_to_string(&early).expect("a prior");
    assert!(Prior::parse(learnt.trim()).is_ok(), "{learnt}");
    let numbers = "n=5,m=4,nr=4,st=3,checks=5,least=4";
    let (code, said) = siamang(&[
        "shrink",
        &run,
        "--algorithm",
        "nd3min",
        "--nd3min",
        numbers,
        "--prior",
        &prior,
        "--out",
        &out,
    ]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("the original does it in 5 of 5 runs") && said.contains("check 5 of 5 ("),
        "{said}"
    );
    assert!(said.contains(" 5/5"), "the table tells the same rate: {said}");
    let short = Trace::read(std::path::Path::new(&out)).expect("a trace");
    assert!(short.events.len() < 30, "{said}");
    // The goal may also be an activity, which the launch shows: no event is needed.
    let (code, said) = siamang(&[
        "shrink",
        &run,
        "--algorithm",
        "nd3min",
        "--nd3min",
        "nr=2,st=2,checks=2,least=2,schedule=greedy",
        "--goal",
        "activity:MainActivity",
        "--out",
        &out,
    ]);
    assert_eq!(code, Some(1), "{said}");
    assert!(Trace::read(std::path::Path::new(&out)).expect("a trace").events.is_empty(), "{said}");
    for (settings, word) in [
        ("n=1", "2 or more"),
        ("x=3", "no setting"),
        ("nr=200,st=150", "use memory="),
        ("st=30", "cannot be scheduled"),
    ] {
        let (code, said) = siamang(&["shrink", &run, "--algorithm", "nd3min", "--nd3min", settings]);
        assert_eq!(code, Some(2), "{settings}: {said}");
        assert!(said.contains(word), "{settings}: {said}");
    }
    std::fs::write(&prior, "0.5,0.2").expect("it can be written");
    let (code, said) = siamang(&["shrink", &run, "--algorithm", "nd3min", "--prior", &prior]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("must sum to 1, not to 0.7"), "{said}");
}
