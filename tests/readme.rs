//! The README's commands do what the README says.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../README.md");

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_commands_of_the_readme_run_as_shown() {
    trycmd::TestCases::new().case("README.md").run();
}

#[test]
fn the_two_main_commands_are_there_and_the_first_finds_shrinks_and_explains() {
    let commands = blocks("sh");
    assert_eq!(
        commands[..2],
        ["cargo run --release -- explore models/notes.toml --seed 1\n", "scripts/test\n"],
        "the README leads with the two commands that a fresh clone needs"
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(root.join("scripts/test").is_file());
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("models")).unwrap();
    std::fs::copy(root.join("models/notes.toml"), place.path().join("models/notes.toml")).unwrap();
    let arguments = commands[0].trim().strip_prefix("cargo run --release -- ").unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(arguments.split(' '))
        .env_remove("COLUMNS")
        .current_dir(place.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1), "{printed}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let shown = blocks("text").into_iter().find(|block| block.contains("original")).unwrap();
    let head = words(shown.lines().next().unwrap());
    let mut table = printed.lines().skip_while(|line| words(line) != head).skip(1);
    let rows: Vec<&str> = table.by_ref().take_while(|line| line.starts_with("  ")).collect();
    assert_eq!(
        rows,
        shown.lines().skip(1).collect::<Vec<_>>(),
        "one seed gives one run, and this is no longer the README's"
    );
    let files = std::fs::read_dir(place.path().join("runs/latest")).unwrap();
    assert_eq!(files.count(), 5, "four files and the folder of the failures");
    // What the README says is in the folder is there.
    let latest = place.path().join("runs/latest");
    let listed = blocks("text").into_iter().find(|block| block.starts_with("runs/latest/")).unwrap();
    for file in listed.lines().skip(1).filter_map(|line| line.split_whitespace().next()) {
        let file = file.replace("<failure>/", "");
        assert!(latest.join(&file).exists(), "{file}");
    }
    let pasted = blocks("text").into_iter().find(|block| block.starts_with("# exit(3)")).unwrap();
    let mut explained = 0;
    for crash in std::fs::read_dir(latest.join("crashes")).unwrap() {
        let crash = crash.unwrap().path();
        assert_eq!(
            std::fs::read_dir(&crash).unwrap().count(),
            2,
            "eight failures make 16 of at most 20 files"
        );
        let text = std::fs::read_to_string(crash.join("explanation.md")).unwrap();
        assert!(text.contains("1. Clear the app's data and start it.\n2. "), "{text}");
        explained += usize::from(text.starts_with(pasted));
    }
    assert_eq!(explained, 1, "what the README shows of `explanation.md` is one of them");
}
