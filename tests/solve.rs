//! The solver tells the truth: hand-checked models, a referee on random ones, and every model of ours.

#[path = "support/brute_force.rs"]
mod brute_force;
#[path = "support/gadgets.rs"]
mod gadgets;
#[path = "support/random_models.rs"]
mod random_models;
#[path = "support/text_models.rs"]
mod text_models;

use std::path::Path;
use std::sync::Arc;

use siamang::action::Input;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::check;
use siamang::device::virtual_device::compile;
use siamang::device::virtual_device::generator::Spec;
use siamang::device::virtual_device::solve::{Answer, Gap, SolveLimits, Truth, render, solve};

fn load(source: &str) -> Arc<App> {
    match compile::load(source) {
        Ok(app) => Arc::new(app),
        Err(errors) => panic!("{errors:?}\n{source}"),
    }
}

fn answers(source: &str) -> Vec<Answer> {
    solve(&load(source), &SolveLimits::default())
}

/// A model with one activity, whose body is given.
fn page(body: &str) -> String {
    format!(
        "name = \"T\"\npackage = \"org.siamang.t\"\nstart = \"Main\"\n[[activity]]\nname = \"Main\"\n{body}\n\
         [failure.f]\nexception = \"java.lang.Error\"\n"
    )
}

fn expect(body: &str, cost: Option<u32>) -> Vec<String> {
    let answers = answers(&page(body));
    match (&answers[0].truth, cost) {
        (Truth::Optimal(way), Some(cost)) if way.cost == cost => way.lines.clone(),
        (Truth::Unreachable, None) => Vec::new(),
        _ => panic!("expected {cost:?}:\n{}\n{body}", render(&answers)),
    }
}

#[test]
fn a_counter_takes_its_three_presses_and_the_switch() {
    let source = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/models/counter_crash.toml"));
    let answers = answers(&source.unwrap());
    assert!(answers[0].is_optimal());
    assert_eq!(answers[0].way().unwrap().cost, 4, "{}", render(&answers));
}

#[test]
fn a_text_that_only_one_guard_knows_is_found() {
    let lines = expect(
        "data = { name = \"\" }\nwidget = [{ type = \"field\", id = \"name\", bind = \"name\" },\n\
         { type = \"button\", text = \"Go\", tap = { if = 'name == \"xyzzy\"', fail = \"f\" } }]",
        Some(2),
    );
    assert_eq!(lines, ["enter \"xyzzy\" into name (EditText)", "tap \"Go\" (Button)"]);
}

#[test]
fn a_length_a_number_and_a_sign_in_a_text_are_found() {
    for guard in ["name.len() > 12", "name.contains(\"@\") && name.len() >= 9", "parse_int(name) > 99"] {
        expect(
            &format!(
                "data = {{ name = \"\" }}\nwidget = [{{ type = \"field\", bind = \"name\" }},\n\
                 {{ type = \"button\", text = \"Go\", tap = {{ if = '{guard}', fail = \"f\" }} }}]"
            ),
            Some(2),
        );
    }
}

/// A field and a button whose guard judges what is in it.
fn judged(guard: &str, input: &str) -> String {
    format!(
        "data = {{ name = \"\", kept = \"\" }}\nwidget = [\n\
         {{ type = \"field\", bind = \"name\", input = \"{input}\" }},\n\
         {{ type = \"button\", text = \"Keep\", tap = {{ do = \"kept = name\" }} }},\n\
         {{ type = \"button\", text = \"Go\", tap = {{ if = '{guard}', fail = \"f\" }} }}]"
    )
}

#[test]
fn a_conjunction_about_a_text_is_solved() {
    for guard in [
        "name.starts_with(\"a\") && name.ends_with(\"z\") && name.len() == 7",
        "name.contains(\"x-\") && name.contains(\"-y\") && name.contains(\"q\") && name.len() < 12",
        "parse_int(name) > 4 && parse_int(name) < 6 && name.len() > 3",
        "!name.is_empty() && !(name.len() > 1) && name != \"x\" && name != \"a\"",
    ] {
        expect(&judged(guard, "text"), Some(2));
    }
    for guard in [
        "name.starts_with(\"ab\") && name.ends_with(\"yz\") && name.len() == 3",
        "name == \"a\" && name.len() > 1",
        "parse_int(name) == 7 && name.contains(\"8\")",
    ] {
        expect(&judged(guard, "text"), None);
    }
    expect(&judged("name == \"a\"", "number"), None);
}

#[test]
fn what_is_not_known_about_texts_is_not_claimed() {
    for guard in [
        "parse_int(name) * 1234567 % 1000003 == 999",
        "name > \"mm\" && name < \"mn\" && name.len() > 30",
        "name.sub_string(2, 3) == \"abc\"",
        "name + kept == \"abcdef\"",
    ] {
        let answers = answers(&page(&judged(guard, "text")));
        let Truth::BestKnown { bound, gap, .. } = &answers[0].truth else {
            panic!("{guard}: {}", render(&answers));
        };
        assert_eq!((*bound, *gap), (1, Gap::Texts), "{guard}");
        assert!(render(&answers).contains("(other texts could lead elsewhere)"));
    }
    // The proof does not depend on the text: one event is the fewest there can be.
    expect(
        "data = { name = \"\" }\nwidget = [{ type = \"field\", bind = \"name\" },\n\
         { type = \"button\", text = \"Go\", tap = [{ if = 'name.sub_string(0, 1) == \"q\"', toast = \"q\" }, { fail = \"f\" }] }]",
        Some(1),
    );
}

#[test]
fn a_sum_in_a_guard_is_met_by_a_guess() {
    let answers = answers(&page(&judged("parse_int(name) * 2 == 26", "number")));
    assert_eq!(answers[0].way().map(|way| way.cost), Some(2), "{}", render(&answers));
}

#[test]
fn the_memory_limit_counts_what_texts_hold() {
    const LENGTH: usize = 30_000;
    const LIMIT: usize = 30 << 20;
    let body = format!(
        "data = {{ s = \"{}\" }}\nwidget = [\n\
         {{ type = \"button\", text = \"B\", tap = {{ do = 's = s + \"b\"' }} }},\n\
         {{ type = \"button\", text = \"C\", tap = {{ do = 's = s + \"c\"' }} }},\n\
         {{ type = \"button\", text = \"D\", tap = {{ do = 's = s + \"d\"' }} }},\n\
         {{ type = \"button\", text = \"Go\", tap = {{ if = 's == \"z\"', fail = \"f\" }} }}]",
        "a".repeat(LENGTH)
    );
    let limits = SolveLimits { memory_bytes: LIMIT, ..SolveLimits::default() };
    let answers = solve(&load(&page(&body)), &limits);
    let Truth::BestKnown { way: None, gap: Gap::Memory, .. } = answers[0].truth else {
        panic!("{}", render(&answers));
    };
    // Every state has a text of its own, and the states of all layers but the last are gone.
    let held = answers[0].states as usize * LENGTH;
    assert!(held < 2 * LIMIT, "{} states hold {held} bytes", answers[0].states);
    assert!(render(&answers).contains("(the memory is used up)"), "{}", render(&answers));
}

#[test]
fn a_search_that_gives_up_says_why() {
    let body = judged("name == \"a\" && kept == \"b\"", "text");
    let limits = SolveLimits { time: std::time::Duration::ZERO, ..SolveLimits::default() };
    let answers = solve(&load(&page(&body)), &limits);
    assert!(render(&answers).contains("(the time is over)"), "{}", render(&answers));
}

#[test]
fn a_text_that_another_variable_holds_is_found() {
    expect(
        "data = { name = \"\", secret = \"swordfish\" }\nwidget = [{ type = \"field\", bind = \"name\" },\n\
         { type = \"button\", text = \"Go\", tap = { if = 'name == secret', fail = \"f\" } }]",
        Some(2),
    );
}

#[test]
fn a_race_is_won_by_a_burst_and_a_late_effect_by_a_free_wait() {
    let lines = expect(
        "data = { busy = false }\nwidget = [\n\
         { type = \"button\", text = \"Load\", tap = { do = \"busy = true\", then = { after = 200, do = \"busy = false\" } } },\n\
         { type = \"button\", text = \"Go\", tap = { if = \"busy\", fail = \"f\" } }]",
        Some(2),
    );
    assert_eq!(lines[0], "tap \"Load\" (Button), then only 30 ms");
    let lines = expect(
        "data = { ready = false }\nwidget = [\n\
         { type = \"button\", text = \"Load\", tap = { after = 5000, do = \"ready = true\" } },\n\
         { type = \"button\", text = \"Go\", tap = { if = \"ready\", fail = \"f\" } }]",
        Some(2),
    );
    assert!(lines[1].starts_with("wait "), "{lines:?}");
}

#[test]
fn the_pause_between_two_late_effects_decides_which_comes_first() {
    // "Slow" must still be under way when "Fast" is pressed, and yet end first: one more event has to lie between them.
    let lines = expect(
        "data = { busy = false, n = 0 }\nwidget = [\n\
         { type = \"button\", text = \"Slow\", tap = { do = \"busy = true\", \
           then = { after = 300, do = \"busy = false; n = n * 2 + 1\" } } },\n\
         { type = \"button\", text = \"Fast\", tap = { if = \"busy\", after = 255, do = \"n = n * 3 + 1\" } },\n\
         { type = \"button\", text = \"Go\", tap = { if = \"n == 4\", fail = \"f\" } }]",
        Some(4),
    );
    assert_eq!(lines[2], "tap \"Fast\" (Button)", "{lines:?}");
}

#[test]
fn a_ticking_clock_is_waited_for_only_where_it_matters() {
    expect(
        "data = { n = 0 }\nevery = [{ ms = 1000, run = { do = \"n += 1\", then = { if = \"n == 5\", fail = \"f\" } } }]",
        Some(0),
    );
    let answers = answers(&page(
        "data = { n = 0, on = false }\nevery = [{ ms = 1000, run = { do = \"n += 1\" } }]\nwidget = [\n\
         { type = \"label\", text = \"{n}\" }, { type = \"switch\", text = \"On\", bind = \"on\" },\n\
         { type = \"button\", text = \"Go\", tap = { if = \"on\", fail = \"f\" } }]",
    ));
    assert_eq!(answers[0].way().unwrap().cost, 2);
    assert!(answers[0].states < 40, "{} states", answers[0].states);
}

#[test]
fn the_phase_of_a_clock_is_part_of_a_state() {
    // The first tick is 700 ms away, and "On" lasts only 250 ms: two events of 300 ms have to pass before it.
    expect(
        "data = { on = false, rung = false }\nevery = [{ ms = 1000, run = { if = \"on\", do = \"rung = true\" } }]\nwidget = [\n\
         { type = \"button\", text = \"On\", tap = { do = \"on = true\", then = { after = 250, do = \"on = false\" } } },\n\
         { type = \"button\", text = \"Go\", tap = { if = \"rung\", fail = \"f\" } }]",
        Some(4),
    );
}

#[test]
fn an_activity_below_remembers_that_its_process_died() {
    // A tap on "Visit" leads to the same screen with the same data, but only the death makes Main restore itself.
    let body = "restore = { if = \"visited\", fail = \"f\" }\nwidget = [\n\
         { type = \"button\", text = \"Help\", tap = { start = \"Help\" } }]\n\
         [[activity]]\nname = \"Help\"\ncreate = { if = \"restored\", do = \"visited = true\" }\nwidget = [\n\
         { type = \"button\", text = \"Visit\", tap = { do = \"visited = true\" } }]\n\
         [data.disk]\nvisited = false";
    let lines = expect(body, Some(3));
    assert_eq!(lines[2], "press BACK");
}

#[test]
fn chance_is_taken_as_it_helps_and_the_likelier_of_two_short_ways_wins() {
    let answers = answers(&page(
        "widget = [\n\
         { type = \"button\", text = \"Rare\", tap = { chance = 0.1, fail = \"f\" } },\n\
         { type = \"button\", text = \"Often\", tap = { chance = 0.75, fail = \"f\" } }]",
    ));
    let way = answers[0].way().unwrap();
    assert!((way.probability - 0.75).abs() < 1e-9);
    assert_eq!(way.lines, ["tap \"Often\" (Button)"]);
}

#[test]
fn rotation_and_process_death_are_events() {
    expect("rotate = { fail = \"f\" }", Some(1));
    let answers = answers(&page(
        "saved = { open = false }\nrestore = { if = \"open\", fail = \"f\" }\nwidget = [\n\
         { type = \"button\", text = \"Open\", tap = { do = \"open = true\" } }]",
    ));
    let way = answers[0].way().unwrap();
    assert_eq!(way.events[1].input, Input::ProcessDeath);
}

#[test]
fn a_warm_restart_is_an_event() {
    let lines = expect(
        "create = { if = \"visited && !restored\", fail = \"f\" }\nwidget = [\n\
         { type = \"button\", text = \"Visit\", tap = { do = \"visited = true\" } }]\n\
         [data.disk]\nvisited = false",
        Some(2),
    );
    assert_eq!(lines[1], "stop the app and start it again");
}

#[test]
fn what_no_event_can_reach_is_unreachable() {
    expect(
        "data = { never = false }\nwidget = [\n\
         { type = \"button\", text = \"Go\", tap = { if = \"never\", fail = \"f\" } }]",
        None,
    );
    expect(
        "widget = [{ type = \"label\", text = \"tall\", height = 1900 },\n\
         { type = \"button\", text = \"Below the screen\", tap = { fail = \"f\" } }]",
        None,
    );
}

#[test]
fn the_answers_do_not_depend_on_the_number_of_workers() {
    for number in 0..8 {
        let app = load(&random_models::random_model(number));
        let limits = SolveLimits { events: 5, ..SolveLimits::default() };
        assert_eq!(
            solve(&app, &SolveLimits { workers: 1, ..limits }),
            solve(&app, &SolveLimits { workers: 3, ..limits })
        );
    }
}

/// How the solver's answers compare with the referee's.
#[derive(Debug, Default)]
struct Tally {
    /// Equal, by the number of events.
    equal: [u32; 7],
    unreachable: u32,
    /// Found by the solver, too deep for the referee.
    deeper: u32,
    /// Found by neither.
    open: u32,
}

fn compare(number: u64, tally: &mut Tally) {
    const TEXTS: [&str; 4] = ["abc", "", "zed", "xxxxxxx"];
    let source = random_models::random_model(number);
    let app = load(&source);
    let seen = brute_force::brute_force(&app, &TEXTS, 6, 250);
    let limits = SolveLimits { events: 6, workers: 1, ..SolveLimits::default() };
    for answer in solve(&app, &limits) {
        let met = seen.met.get(&answer.failure.0);
        let agrees = match (&answer.truth, met) {
            (Truth::Optimal(way), Some((cost, likely))) => {
                tally.equal[way.cost as usize] += 1;
                way.cost == *cost && (way.probability - likely).abs() < 1e-9
            }
            (Truth::Optimal(way), None) => {
                tally.deeper += 1;
                !seen.exhausted && way.cost > seen.depth
            }
            (Truth::Unreachable, met) => {
                tally.unreachable += 1;
                met.is_none()
            }
            (Truth::BestKnown { bound, .. }, Some((cost, _))) => cost >= bound,
            (Truth::BestKnown { .. }, None) => {
                tally.open += 1;
                !seen.exhausted
            }
        };
        let found = render(std::slice::from_ref(&answer));
        assert!(agrees, "model {number}: brute force met {met:?}, but {found}{source}");
    }
}

#[test]
fn brute_force_agrees_on_200_random_models() {
    let half = |first: u64| {
        let mut tally = Tally::default();
        (first..200).step_by(2).for_each(|number| compare(number, &mut tally));
        tally
    };
    let tallies = std::thread::scope(|scope| {
        let other = scope.spawn(move || half(1));
        [half(0), other.join().expect("the other half agrees too")]
    });
    let deep: u32 = tallies.iter().flat_map(|tally| &tally.equal[2..]).sum();
    assert!(deep > 180, "too few of the models are worth solving: {tallies:?}");
}

/// All texts over a few letters up to some length: nothing is known about guards here.
fn all_texts(letters: &str, max: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut shorter = 0..1;
    for _ in 0..max {
        let longer: Vec<String> = all[shorter.clone()]
            .iter()
            .flat_map(|text| letters.chars().map(move |c| format!("{text}{c}")))
            .collect();
        shorter = all.len()..all.len() + longer.len();
        all.extend(longer);
    }
    all
}

#[test]
fn brute_force_over_all_short_texts_agrees_on_200_models_with_text_guards() {
    let texts = all_texts("ab1", 4);
    let (mut met, mut unreachable, mut open) = (0, 0, 0);
    for number in 0..200 {
        let source = text_models::text_model(number);
        let app = load(&source);
        let seen = text_models::referee(&app, &texts);
        let limits = SolveLimits { events: 4, workers: 1, ..SolveLimits::default() };
        for answer in solve(&app, &limits) {
            let cost = seen.get(&answer.failure.0).copied();
            let agrees = match (&answer.truth, cost) {
                // The guards ask for nothing that needs other letters, but a longer text may be needed.
                (Truth::Optimal(way), Some(cost)) => {
                    met += 1;
                    way.cost == cost
                }
                (Truth::Optimal(way), None) => way.cost == 2,
                (Truth::Unreachable, cost) => {
                    unreachable += 1;
                    cost.is_none()
                }
                (Truth::BestKnown { bound, .. }, cost) => {
                    open += 1;
                    cost.is_none_or(|cost| cost >= *bound)
                }
            };
            let found = render(std::slice::from_ref(&answer));
            assert!(agrees, "model {number}: brute force met {cost:?}, but {found}{source}");
        }
    }
    assert!(met > 60 && unreachable > 10 && open > 10, "{met} met, {unreachable} unreachable, {open} open");
}

#[test]
fn generated_apps_are_as_deep_as_their_family_says() {
    for (family, cost) in [
        ("plain", 5),
        ("control", 5),
        ("counter", 7),
        ("excursion", 7),
        ("reorder", 5),
        ("rows", 5),
        ("ticking", 5),
        ("tabs", 9),
    ] {
        let spec = Spec::parse(&format!("generated:{family}?screens=12&crashes=1&seed=3")).unwrap();
        let answers = answers(&spec.generate());
        assert!(answers[0].is_optimal());
        assert!(answers[0].way().unwrap().cost <= cost, "{family} {}", render(&answers));
    }
}

fn models() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("models").map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a readable model"))).collect()
}

#[test]
fn our_models_give_no_false_alarm() {
    for (name, source) in models() {
        let report = check::check(&source);
        assert!(report.is_clean(), "{}", report.render(&name, &source));
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is for people: --nocapture shows it")]
fn every_failure_of_every_model_is_optimal() {
    for (name, source) in models() {
        let app = load(&source);
        let started = std::time::Instant::now();
        let answers = solve(&app, &SolveLimits::default());
        for answer in &answers {
            let cost = answer.way().map_or(0, |way| way.cost);
            println!("{name} {} {cost} {} states, {:?}", answer.name, answer.states, started.elapsed());
        }
        assert!(answers.iter().all(Answer::is_optimal), "{name}:\n{}", render(&answers));
        for answer in &answers {
            let optimum = app.failures[answer.failure.0 as usize].shortest;
            assert_eq!(
                answer.way().map(|way| way.cost),
                optimum,
                "{name}: {} states its optimum",
                answer.name
            );
        }
    }
}
