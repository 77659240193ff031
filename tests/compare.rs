//! `siamang compare`, as a user runs it and as a library.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::Value;
use siamang::abstraction::registry;
use siamang::campaign::Control;
use siamang::compare::outcome::Outcome;
use siamang::compare::{Plan, PlannedTarget, page, svg, tables};
use siamang::target::{Subject, Target};

fn siamang(out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(["compare", "models/drive_list.toml", "--abstraction", "stoat,evolving"]);
    if !more.contains(&"--runs") {
        command.args(["--runs", "2"]);
    }
    command.args(["--steps", "300", "--out", out.to_str().unwrap()]);
    command.args(more).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn compared(out: &Path, more: &[&str]) -> String {
    let output = siamang(out, more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(out, "compare.json")
}

const FILES: [&str; 5] = ["compare.json", "compare.html", "runs.csv", "failures.csv", "curves.csv"];

#[test]
fn threads_and_interruptions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    compared(&one, &["--jobs", "1"]);
    compared(&two, &["--jobs", "2"]);
    let whole: Vec<String> = FILES.map(|name| read(&one, name)).to_vec();
    assert_eq!(whole, FILES.map(|name| read(&two, name)));

    // One run is whole, one is cut off in the middle of its line, as a power cut leaves it.
    let runs = read(&one, "runs.jsonl");
    assert_eq!(runs.lines().count(), 4);
    let first = runs.lines().next().unwrap().len() + 1;
    std::fs::write(one.join("runs.jsonl"), &runs[..first + 50]).unwrap();
    std::fs::remove_file(one.join("compare.json")).unwrap();
    compared(&one, &["--jobs", "1"]);
    assert_eq!(whole, FILES.map(|name| read(&one, name)));
    assert_eq!(read(&one, "runs.jsonl"), runs);
}

#[test]
fn what_is_finished_is_not_made_again_and_what_belongs_to_somebody_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let compare = |out: &Path| {
        Command::new(env!("CARGO_BIN_EXE_siamang"))
            .args(["compare", "models/notes.toml", "--abstraction", "stoat,evolving", "--strategy", "random"])
            .args(["--runs", "3", "--steps", "2000", "--out", out.to_str().unwrap()])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap()
    };
    assert!(compare(&out).status.success());
    let runs = read(&out, "runs.jsonl");
    assert!(runs.contains("\"stuck\":[["), "some run is stuck, or this tells little: {runs}");
    let again = compare(&out);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.starts_with("6 of 6 runs are in "), "{said}");
    assert_eq!(read(&out, "runs.jsonl"), runs);

    let mine = folder.path().join("mine");
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("compare.html"), "mine").unwrap();
    for there in [mine.clone(), mine.join("compare.html")] {
        let output = compare(&there);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("exists already"), "{said}");
    }
    assert_eq!(std::fs::read_dir(&mine).unwrap().count(), 1);
    assert_eq!(read(&mine, "compare.html"), "mine");
}

#[cfg(feature = "terminal")]
#[test]
fn a_terminal_shows_how_many_runs_are_done_and_how_much_time_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let command = format!(
        "{} compare models/drive_list.toml --abstraction stoat,evolving --runs 3 --steps 2000 --out {}",
        env!("CARGO_BIN_EXE_siamang"),
        folder.path().join("out").display()
    );
    // A terminal of its own: where stderr is none, nothing is drawn.
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let drawn = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{drawn}");
    let is_told = |line: &str| {
        let counts = line.split_once(" of 6 runs, ");
        counts
            .is_some_and(|(_, left)| left.contains(" left") && left.starts_with(|c: char| c.is_ascii_digit()))
    };
    assert!(drawn.split(['\r', '\n']).any(is_told), "{drawn:?}");
}

#[test]
fn other_arguments_in_the_same_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    compared(&out, &["--strategy", "random"]);
    let runs = read(&out, "runs.jsonl");
    let output = siamang(&out, &["--strategy", "random", "--seed", "9"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("another comparison (another seed)") && said.contains("--out"), "{said}");
    assert_eq!(read(&out, "runs.jsonl"), runs);
}

#[test]
fn runs_of_another_engine_are_not_mixed_in() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    compared(&out, &["--strategy", "random"]);
    let mut plan: Value = serde_json::from_str(&read(&out, "plan.json")).unwrap();
    assert_eq!(plan["engine"].as_str().unwrap().len(), 16);
    plan["engine"] = "0123456789abcdef".into();
    std::fs::write(out.join("plan.json"), plan.to_string()).unwrap();
    let output = siamang(&out, &["--strategy", "random"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("an engine that behaves otherwise") && said.contains("--out"), "{said}");
}

#[test]
fn names_that_are_not_known_are_answered_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (option, wrong, right) in
        [("--strategy", "sato", "did you mean `sata`"), ("--seed", "x", "invalid digit")]
    {
        let output = siamang(&out, &[option, wrong]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(right), "{said}");
        assert!(!out.exists(), "nothing is written before the arguments are right");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["compare", "models/drive_list.toml", "--abstraction", "stoat,evolvin", "--out"])
        .arg(&out)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("did you mean `evolving`"), "{said}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(["compare", "models/drive_list.toml", "--steps", "0", "--out", out.to_str().unwrap()]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("use 1 or more"));
}

#[test]
fn a_tiny_comparison_has_sane_rows() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let outcome: Value = serde_json::from_str(&compared(&out, &["--strategy", "sata,random"])).unwrap();
    let target = &outcome["targets"][0];
    let rows = target["rows"].as_array().unwrap();
    let labels: Vec<&str> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["stoat/sata", "stoat/random", "evolving/sata", "evolving/random"]);
    for row in rows {
        let median = |key: &str| row["measures"][key]["median"].as_f64().unwrap();
        assert!(median("states") >= 2.0 && median("actions") > median("states"), "{row}");
        assert!((0.0..=1.0).contains(&median("area")) && median("area") > 0.0, "{row}");
        assert!(median("branches") <= target["branches"].as_f64().unwrap());
        let curve = row["curve"].as_array().unwrap();
        assert_eq!(curve.len(), 100);
        assert_eq!(curve[99]["median"].as_f64(), Some(median("branches")));
        assert!((0.0..=1.0).contains(&median("stuck_share")), "{row}");
    }
    let pairs = target["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    for pair in pairs {
        let share = |key: &str| pair[key].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share("a12")), "{pair}");
        assert!(
            share("p") <= share("p_holm") && share("p_holm") <= 1.0,
            "corrected for many comparisons: {pair}"
        );
        assert!(["won", "tied", "lost"].contains(&pair["verdict"].as_str().unwrap()), "{pair}");
    }
    let all = |row: &Value| -> u64 {
        ["won", "tied", "lost"].iter().map(|key| row["score"][*key].as_u64().unwrap()).sum()
    };
    let scores: u64 = rows.iter().map(all).sum();
    assert_eq!(scores, 2 * pairs.len() as u64, "each pair counts for both");
    let html = read(&out, "compare.html");
    assert!(html.contains("<svg") && html.contains("A12"), "the curves and the tests are in the page");
    for outside in ["<script", "<link", "src=\"", "href=\"http", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}: the page needs nothing but itself");
    }
    let curves =
        std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let curves: Vec<String> =
        curves.filter(|name| Path::new(name).extension().is_some_and(|end| end == "svg")).collect();
    assert_eq!(curves.len(), 1, "{curves:?}");
    assert!(read(&out, &curves[0]).matches("fill-opacity").count() >= rows.len(), "each curve has its band");
    let failures = read(&out, "failures.csv");
    assert!(failures.lines().next().unwrap().contains("step"), "{failures}");
    let csv = read(&out, "runs.csv");
    assert_eq!(csv.lines().count(), 1 + 8);
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
}

#[test]
fn too_few_runs_to_decide_anything_are_said_to_be_too_few() {
    let folder = tempfile::tempdir().unwrap();
    let told = |runs: &str| {
        let out = folder.path().join(runs);
        let output = siamang(&out, &["--runs", runs]);
        let page = read(&out, "compare.html").contains("nothing can be decided");
        (String::from_utf8_lossy(&output.stdout).into_owned(), page)
    };
    // Three against three have 20 orders, four against four 70, of which two are the farthest apart.
    let (text, page) = told("3");
    let said = "With 3 runs each nothing can be decided: even two that never overlap have p = 0.100 after Holm's \
                correction for 1 pair. Take --runs 4 or more.";
    assert!(text.contains(said) && page, "{text}");
    let (text, page) = told("4");
    assert!(!text.contains("nothing can be decided") && !page, "{text}");
}

#[test]
fn what_was_compared_is_told_with_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let text = compared(&out, &["--strategy", "random,monkey", "--runs", "1"]);
    let outcome: Value = serde_json::from_str(&text).unwrap();
    let names = |key: &str| -> Vec<String> {
        let all = outcome[key].as_array().unwrap().iter();
        all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("abstractions"), ["stoat", "evolving"]);
    assert_eq!(names("strategies"), ["random", "monkey"]);
    let html = read(&out, "compare.html");
    for name in ["stoat", "evolving"] {
        let entry = registry::find(name).unwrap();
        let told =
            outcome["abstractions"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(
            (told["about"].as_str(), told["source"].as_str()),
            (Some(entry.about), Some(entry.source))
        );
        assert!(html.contains(entry.about) && html.contains(entry.source), "{name}");
    }
    assert!(html.contains("<dt>monkey</dt>") && !html.contains("<dt>sata</dt>"));
}

#[test]
fn the_curves_are_a_table_for_r_and_pandas() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let outcome: Value = serde_json::from_str(&compared(&out, &[])).unwrap();
    let csv = read(&out, "curves.csv");
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let heads = ["target", "app", "abstraction", "strategy", "runs", "step", "mean", "low", "median", "high"];
    assert_eq!(lines[0], heads);
    assert_eq!(lines.len(), 1 + 2 * 100, "a hundred points for each of two abstractions");
    for (number, row) in outcome["targets"][0]["rows"].as_array().unwrap().iter().enumerate() {
        for (point, spread) in row["curve"].as_array().unwrap().iter().enumerate() {
            let line = &lines[1 + number * 100 + point];
            assert_eq!(line[2], row["label"].as_str().unwrap());
            assert_eq!(line[5], (3 * (point + 1)).to_string(), "300 steps");
            for (cell, key) in line[6..].iter().zip(&heads[6..]) {
                assert_eq!(cell.parse::<f64>().ok(), spread[*key].as_f64(), "{line:?}");
            }
        }
    }
}

#[test]
fn more_than_can_be_done_is_refused_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (more, said) in [
        (&["--runs", "99999999999"][..], "more than the 100,000 that a comparison can hold"),
        (&["--runs", "18446744073709551615"], "use fewer --runs"),
        (&["--runs", "50001"], "are 100,002 runs"),
        (&["--runs", "0"], "use 1 or more"),
        (&["--jobs", "0"], "--jobs 0 is out of range; use 1 to 256"),
        (&["--jobs", "1000000"], "--jobs 1000000 is out of range"),
    ] {
        let output = siamang(&out, more);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(said), "{told}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(["compare", "models/drive_list.toml", "--steps", "18446744073709551615", "--out"]).arg(&out);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("use 1,000,000,000 at the most"));
    assert!(!out.exists(), "nothing is written");
}

#[test]
fn p_values_are_corrected_for_all_pairs_on_all_apps_together() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // A second app makes the family of comparisons larger.
    let text = compared(&out, &["generated:tabs?screens=12&seed=1", "--runs", "5"]);
    let outcome: Value = serde_json::from_str(&text).unwrap();
    let pairs: Vec<(f64, f64)> = outcome["targets"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|target| target["pairs"].as_array().unwrap())
        .map(|pair| (pair["p"].as_f64().unwrap(), pair["p_holm"].as_f64().unwrap()))
        .collect();
    assert_eq!(pairs.len(), 2, "one pair on each of two apps");
    let least = pairs.iter().copied().min_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
    assert!(least.0 < 0.5, "{pairs:?}");
    assert!((least.1 - 2.0 * least.0).abs() < 1e-9, "the smaller counts for two: {pairs:?}");
}

#[test]
fn nothing_that_an_app_says_is_markup() {
    const HOSTILE: &str = "<script>alert('x')</script>\"&\u{1b}[2J";
    let path = format!("{}/models/counter_crash.toml", env!("CARGO_MANIFEST_DIR"));
    let app = Target::parse(&path).unwrap().load().unwrap();
    let mut target = PlannedTarget::new(format!("{HOSTILE}.toml"), &app);
    target.app = HOSTILE.to_owned();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
    let plan =
        Plan::new(vec![target], &names(&["activity", "stoat"]), &names(&["random"]), 1, 50, 1).unwrap();
    let mut runs = BTreeMap::new();
    plan.execute(&[Subject::Model(Arc::clone(&app))], &plan.jobs(), 2, &Control::default(), |result| {
        runs.insert(result.job, result);
        Ok(())
    })
    .unwrap();
    let outcome = Outcome::of(&plan, &runs);
    let html = page::render(&outcome);
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script") && !html.contains('\u{1b}'));
    assert!(!svg::curves(&outcome.targets[0], plan.steps).contains("<script"));
    assert!(!tables::render(&outcome).contains('\u{1b}'));
}

#[test]
fn on_the_reordered_list_stoat_is_ambiguous_c_lv5_explodes_and_evolving_does_neither() {
    let path = format!("{}/models/drive_list.toml", env!("CARGO_MANIFEST_DIR"));
    let app = Target::parse(&path).unwrap().load().unwrap();
    let names = ["stoat", "amola-c-lv4", "amola-c-lv5", "evolving"].map(str::to_owned);
    let targets = vec![PlannedTarget::new(path, &app)];
    let plan = Plan::new(targets, &names, &["sata".to_owned()], 4, 600, 1).unwrap();
    let mut runs = BTreeMap::new();
    plan.execute(&[Subject::Model(app)], &plan.jobs(), 2, &Control::default(), |result| {
        runs.insert(result.job, result);
        Ok(())
    })
    .unwrap();
    let outcome = Outcome::of(&plan, &runs);
    let median = |combination: usize, key: &str| outcome.targets[0].rows[combination].measures[key].median;
    let (stoat, four, five, evolving) = (0, 1, 2, 3);
    assert!(median(stoat, "ambiguous") >= 1.0, "Stoat's rows are one action with many targets");
    assert!(median(evolving, "ambiguous") <= 0.0, "{}", median(evolving, "ambiguous"));
    assert!(median(evolving, "nondeterministic") < median(four, "nondeterministic"));
    assert!(median(five, "states") > 3.0 * median(evolving, "states"), "C-Lv5 has a state for each order");
}
