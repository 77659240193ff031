//! `siamang inspect` and `--initial-tree`, as a user runs them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn siamang(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siamang"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = siamang(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = siamang(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn explored(out: &Path, more: &[&str]) -> PathBuf {
    let out = out.to_owned();
    let mut arguments =
        vec!["explore", "models/drive_list.toml", "--shrink", "no", "--steps", "400", "--out"];
    arguments.push(out.to_str().unwrap());
    arguments.extend(more);
    let output = siamang(&arguments);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_decision_tree_that_is_printed_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(stdout(&["inspect", "--tree"]), @r#"reducer = "c""#);
    for abstraction in ["evolving", "ape-released", "stoat"] {
        let printed = stdout(&["inspect", "--tree", "--abstraction", abstraction]);
        let file = folder.path().join(format!("{abstraction}.toml"));
        std::fs::write(&file, &printed).unwrap();
        assert_eq!(stdout(&["inspect", "--tree", "--initial-tree", text(&file)]), printed);
    }
}

#[test]
fn the_tree_that_a_run_ended_with_starts_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let first = explored(&folder.path().join("first"), &[]);
    let learnt = stdout(&["inspect", text(&first), "--tree"]);
    assert!(learnt.starts_with("# Tree ") && learnt.contains("learnt = true"), "{learnt}");
    let file = folder.path().join("tree.toml");
    std::fs::write(&file, &learnt).unwrap();
    let second = explored(&folder.path().join("second"), &["--initial-tree", text(&file)]);
    let without_comment =
        |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let start = stdout(&["inspect", text(&second), "--tree", "--naming", "0"]);
    assert_eq!(without_comment(&start), without_comment(&learnt));
    // Another start is another run, and a comparison knows it too.
    let plan = |more: &[&str]| {
        let out = folder.path().join(format!("compare{}", more.len()));
        let mut arguments =
            vec!["compare", "models/drive_list.toml", "--runs", "1", "--steps", "200", "--out"];
        arguments.push(text(&out));
        arguments.extend(more);
        stdout(&arguments);
        serde_json::from_str::<Value>(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap()
    };
    let (own, given) = (plan(&[]), plan(&["--initial-tree", text(&file)]));
    assert_eq!(own["initial_tree"], Value::Null);
    assert_eq!(without_comment(given["initial_tree"].as_str().unwrap()), without_comment(&learnt));
    assert_ne!(own["engine"], given["engine"]);
}

#[test]
fn a_bad_decision_tree_is_refused_with_place_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.toml");
    let wrong = [
        ("reducer = \"q\"", &["line 1", "`q` is no reducer", "`c` (class)"][..]),
        ("reducer = \"c\"\nalpha = 4", &["line 2", "unknown field `alpha`", "`reducer`"]),
        ("reducer = \"c\"\n[[branch]]\nreducer = \"t\"", &["has no `select`", "reducer \"t\"", "select = ["]),
        ("reducer = \"c\"\nselect = [{}]", &["the root has a `select`", "[[branch]]"]),
        (
            "reducer = \"c\"\n[[branch]]\nselect = [{ actions = [\"touch\"] }]\nreducer = \"t\"",
            &["line 3", "`touch` is no action", "long_tap"],
        ),
        ("", &["missing field `reducer`"]),
    ];
    for (content, expected) in wrong {
        std::fs::write(&file, content).unwrap();
        let said = refused(&["inspect", "--tree", "--initial-tree", text(&file)]);
        for part in expected.iter().chain(&["tree.toml", "`siamang inspect --tree` prints one"]) {
            assert!(said.contains(part), "{part:?} is not in: {said}");
        }
    }
    std::fs::write(&file, b"\xff\xfe").unwrap();
    assert!(refused(&["inspect", "--tree", "--initial-tree", text(&file)]).contains("not UTF-8"));
    let missing = folder.path().join("none.toml");
    let explore = ["explore", "models/drive_list.toml", "--initial-tree"];
    assert!(refused(&[&explore[..], &[text(&missing)]].concat()).contains("none.toml"));
    let said = refused(&[&explore[..], &[text(&file), "--abstraction", "stoat"]].concat());
    assert!(said.contains("stoat never changes") && said.contains("--abstraction evolving"), "{said}");
}

fn dump(rows: &[&str]) -> String {
    let row = |(index, row): (usize, &&str)| {
        let (top, bottom) = (index * 100, index * 100 + 100);
        format!(
            "<node index=\"{index}\" text=\"{row}\" class=\"android.widget.TextView\" package=\"a.b\" clickable=\"true\" \
             enabled=\"true\" bounds=\"[0,{top}][1000,{bottom}]\"/>"
        )
    };
    format!(
        "<hierarchy rotation=\"0\"><node index=\"0\" text=\"\" class=\"android.widget.ListView\" package=\"a.b\" \
         enabled=\"true\" bounds=\"[0,0][1000,2000]\">{}</node></hierarchy>",
        rows.iter().enumerate().map(row).collect::<String>()
    )
}

#[test]
fn two_dumps_are_one_state_or_two_and_inspect_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, rows: &[&str]| {
        let path = folder.path().join(name);
        std::fs::write(&path, dump(rows)).unwrap();
        path
    };
    let (one, other) = (file("a.xml", &["XLSX", "PPTX"]), file("b.xml", &["PPTX", "XLSX"]));
    let filters = vec![(r"[0-9a-f]{16}", "[hash]")];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(stdout(&["inspect", text(&one), text(&other)]), @r"
    one state: [hash]
      does not count: the first has 1 × <{i=0,c=TextView,t=XLSX}> more
      does not count: the first has 1 × <{i=1,c=TextView,t=PPTX}> more
      does not count: the second has 1 × <{i=0,c=TextView,t=PPTX}> more
      does not count: the second has 1 × <{i=1,c=TextView,t=XLSX}> more
    no decision was made about these screens
    ");
        insta::assert_snapshot!(
            stdout(&["inspect", text(&one), text(&other), "--abstraction", "amola-c-lv5"]), @r"
    two states: [hash] and [hash]
      only the first has 1 × <{i=0,t=},{i=0,t=XLSX,actions=enabled+tap}>
      only the first has 1 × <{i=0,t=},{i=1,t=PPTX,actions=enabled+tap}>
      only the second has 1 × <{i=0,t=},{i=0,t=PPTX,actions=enabled+tap}>
      only the second has 1 × <{i=0,t=},{i=1,t=XLSX,actions=enabled+tap}>
    this abstraction never changes; no decision was made
    ");
        let many = file("c.xml", &["XLSX", "PPTX", "DOCX", "PDF", "TXT"]);
        insta::assert_snapshot!(stdout(&["inspect", text(&one), text(&many)]), @r"
    two states: [hash] and [hash]
      only the second has 1 × <{i=2,c=TextView,actions=enabled+tap}>
      only the second has 1 × <{i=3,c=TextView,actions=enabled+tap}>
      only the second has 1 × <{i=4,c=TextView,actions=enabled+tap}>
    decisions about these screens:
      <{c=TextView}> stood for 5 widgets of screen [hash], more than 3: widgets <{c=TextView,actions=enabled+tap}> are further named by class and id, index (tree 1 makes 2 states of one)
    ");
        insta::assert_snapshot!(stdout(&["inspect", text(&many), "--names"]), @r"
    state [hash]
       1 × <{c=ListView}>
       1 × <{i=0,c=TextView}>  can be acted on
       1 × <{i=1,c=TextView}>  can be acted on
       1 × <{i=2,c=TextView}>  can be acted on
       1 × <{i=3,c=TextView}>  can be acted on
       1 × <{i=4,c=TextView}>  can be acted on
    ");
    });
}

#[test]
fn two_steps_of_a_run_are_explained_with_the_decisions_about_them() {
    let folder = tempfile::tempdir().unwrap();
    let run = explored(&folder.path().join("run"), &[]);
    let run = text(&run);
    let same = stdout(&["inspect", run, "--steps", "0,0"]);
    assert!(same.starts_with("one state: ") && same.contains("decisions about these screens:"), "{same}");
    assert!(same.contains("stood for") && same.contains("widgets of screen"), "{same}");
    // Some step leads to a screen of another state.
    let other = (1..400).map(|step| stdout(&["inspect", run, "--steps", &format!("0,{step}")]));
    let other = other.take(40).find(|said| said.starts_with("two states: ")).unwrap();
    assert!(other.contains("the first is of the activity") || other.contains("only the "), "{other}");
    assert!(stdout(&["inspect", run, "--steps", "3"]).contains("FrameLayout"));
    assert!(stdout(&["inspect", run, "--steps", "3", "--names"]).starts_with("state "));
    assert!(refused(&["inspect", run, "--steps", "3,9999"]).contains("its steps go from 0 to 400"));
    assert!(refused(&["inspect", run]).contains("--steps I,J"));
    assert!(refused(&["inspect", run, "--tree", "--naming", "9999"]).contains("its trees go from 0 to"));
    assert!(refused(&["inspect", "tests/fixtures/dumps/damaged.xml", "--steps", "1,2"]).contains("run"));
}

#[test]
fn many_differences_are_cut_whatever_the_abstraction_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, rows: &[String]| {
        let path = folder.path().join(name);
        std::fs::write(&path, dump(&rows.iter().map(String::as_str).collect::<Vec<&str>>())).unwrap();
        path
    };
    let rows = |letter: char| (0..15).map(|row| format!("{letter}{row}")).collect::<Vec<String>>();
    let (one, other) = (file("a.xml", &rows('a')), file("b.xml", &rows('b')));
    let said = stdout(&["inspect", text(&one), text(&other), "--abstraction", "amola-c-lv5"]);
    assert!(said.starts_with("two states: ") && said.contains("  and 18 more differences\n"), "{said}");
    let said = stdout(&["inspect", text(&one), text(&other), "--abstraction", "activity"]);
    assert!(said.starts_with("one state: ") && said.contains("  and 18 more differences\n"), "{said}");
    assert!(!said.contains("only the"), "what does not count is no reason: {said}");
}

#[test]
fn another_abstraction_names_the_screens_of_a_run_afresh_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = explored(&folder.path().join("run"), &[]);
    let run = text(&run);
    let own = stdout(&["inspect", run, "--steps", "0,0"]);
    assert_eq!(stdout(&["inspect", run, "--steps", "0,0", "--abstraction", "evolving"]), own);
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    // The tree that the run started from is no other tree, whoever names it.
    let same = file("same.toml", &stdout(&["inspect", "--tree"]));
    assert_eq!(stdout(&["inspect", run, "--steps", "0,0", "--initial-tree", text(&same)]), own);

    let other = file("other.toml", &stdout(&["inspect", "--tree", "--abstraction", "stoat"]));
    for (more, by) in [
        (["--abstraction", "stoat"], "stoat names these screens afresh"),
        (["--abstraction", "ape-released"], "ape-released names these screens afresh"),
        (["--initial-tree", text(&other)], "evolving from the given tree names these screens afresh"),
    ] {
        let said = stdout(&[&["inspect", run, "--steps", "0,0"][..], &more].concat());
        assert!(said.starts_with(by) && said.contains("the run was made with evolving"), "{said}");
        let decision = own.lines().last().unwrap();
        assert!(said.contains("\none state: ") && !said.contains(decision), "{said}");
        let said = stdout(&[&["inspect", run, "--steps", "3", "--names"][..], &more].concat());
        assert!(said.starts_with(by) && said.contains("\nstate "), "{said}");
        // The run has no trees of another abstraction, nor are its own trees of this one.
        let said = refused(&[&["inspect", run, "--tree"][..], &more].concat());
        assert!(said.contains("was made with evolving") && said.contains("leave --abstraction"), "{said}");
    }
    // Nor has a run with an abstraction that never changes any decisions for one that does.
    let fixed = explored(&folder.path().join("fixed"), &["--abstraction", "stoat"]);
    let said = stdout(&["inspect", text(&fixed), "--steps", "0,0", "--abstraction", "evolving"]);
    assert!(said.starts_with("evolving names") && said.contains("made with stoat"), "{said}");
    assert!(refused(&["inspect", text(&fixed), "--tree", "--naming", "2"]).contains("stoat never changes"));
}

#[test]
fn a_screen_that_a_decision_names_is_shown_by_the_beginning_of_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let run = explored(&folder.path().join("run"), &[]);
    let run = text(&run);
    let told = stdout(&["inspect", run, "--steps", "0,0"]);
    let (_, rest) = told.split_once("widgets of screen ").unwrap();
    let (hash, _) = rest.split_once(',').unwrap();
    let shown = stdout(&["inspect", run, "--screen", hash]);
    assert!(shown.contains("FrameLayout"), "{shown}");
    assert_eq!(stdout(&["inspect", run, "--screen", &hash[..9].to_uppercase()]), shown);
    assert!(stdout(&["inspect", run, "--screen", hash, "--names"]).starts_with("state "));
    let twice = format!("{hash},{}", &hash[..9]);
    let why = stdout(&["inspect", run, "--screen", &twice]);
    assert!(why.starts_with("one state: ") && why.contains("the screens are the same"), "{why}");
    assert!(stdout(&["inspect", run, "--screen", hash, "--tree"]).starts_with("# Tree "));

    // A run of 400 steps has more screens than there are first digits.
    let several = (0..16).map(|digit| siamang(&["inspect", run, "--screen", &format!("{digit:x}")]));
    let several: Vec<String> = several.map(|output| String::from_utf8(output.stderr).unwrap()).collect();
    assert!(several.iter().any(|said| said.contains("give more of the digits")), "{several:?}");
    assert!(refused(&["inspect", run, "--screen", "row"]).contains("`row` is no hash of a screen"));
    let missing = if hash.starts_with('0') { "1111111111111111" } else { "0000000000000000" };
    assert!(refused(&["inspect", run, "--screen", missing]).contains("is it of another run?"));
    assert!(refused(&["inspect", run, "--screen", hash, "--steps", "3"]).contains("cannot be used with"));
}

#[test]
fn what_would_be_ignored_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.xml");
    std::fs::write(&file, dump(&["XLSX"])).unwrap();
    let file = text(&file);
    assert!(refused(&["inspect", file, "--naming", "2"]).contains("--tree"));
    assert!(refused(&["inspect", "--tree", "--naming", "2"]).contains("name its folder"));
    assert!(refused(&["inspect", file, "--tree", "--naming", "2"]).contains("name its folder"));
    assert!(refused(&["inspect", file, file, "--names"]).contains("one screen"));
    assert!(refused(&["inspect", file, "--screen", "12"]).contains("are for a run"));
}
