use super::fold::{Shown, fold};
use super::terminal::Detail;
use super::tree::Picture;
use super::*;
use crate::gui::Selector;
use crate::ids::BranchId;
use crate::trace::user_event::test_support::{sequence, widget};
use crate::trace::user_event::{Ids, WindowStatus};

/// The events of CHARD's Figure 13(b) with the numbers, objects and windows of Figures 2 and 14.
fn figure_14() -> UserSequence {
    let mut lent = sequence(
        "ListLentObjects touch ListView#list => AddObject : 1
         AddObject touch EditText#personName => AddObject : 2
         AddObject touch LinearLayout => AddObject
         AddObject touch EditText#add_description => AddObject : 3
         AddObject touch Button#pickDate => AddObject+date : 4
         AddObject+date touch - => AddObject : 5
         AddObject touch Spinner#type_spinner => AddObject+popupWindow2 : 6
         AddObject+popupWindow2 touch CheckedTextView#text1 => AddObject : 7
         AddObject touch Button#add_button => !",
    );
    lent.package = "de.freewarepoint.whohasmystuff".into();
    let numbers = [8, 14, 18, 60, 96, 98, 142, 144, 146];
    let texts = [
        "Add Entries",
        "Who Has My Stuff?",
        "Edit Lent Item",
        "Add Entries",
        "November 20, 2019",
        "",
        "Other",
        "Money",
        "Save changes",
    ];
    for ((event, first), text) in lent.events.iter_mut().zip(numbers).zip(texts) {
        event.ids = Ids { first, last: first + 1 };
        if let Some(Object::Widget(widget)) = &mut event.object {
            widget.text = text.into();
        }
    }
    lent
}

fn explained(sequence: UserSequence) -> Explanation {
    let subject = Subject { name: "test".to_owned(), ..Subject::default() };
    Explanation::of_sequence(sequence, subject, &ChardConfig::default()).expect("it has events")
}

#[test]
fn figure_14_is_the_report_of_the_motivating_example() {
    let report = explained(figure_14());
    let mut text = format!("{}\n", report.launch);
    for line in &report.lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    insta::assert_snapshot!(text, @r#"
    #0 is a Appswitch event that opens the entry page of "de.freewarepoint.whohasmystuff", causing the launch of activity "/.ListLentObjects", whose level is Essential.
    #8,9 is a Touch event that clicks on ListView with the id "list" and text "Add Entries", causing the launch of activity "/.AddObject", whose level is Essential.
    #14,15 is a Touch event that clicks on EditText with the id "personName" and text "Who Has My Stuff?", whose level is Major.
    #18,19 is a Touch event that clicks on LinearLayout with text "Edit Lent Item", whose level is Minor.
    #60,61 is a Touch event that clicks on EditText with the id "add_description" and text "Add Entries", whose level is Major.
    #96,97 is a Touch event that clicks on Button with the id "pickDate" and text "November 20, 2019", causing the launch of window "date" of activity "/.AddObject", whose level is Essential.
    #98,99 is a Touch event that causes the close of window "date" of activity "/.AddObject", whose level is Essential.
    #142,143 is a Touch event that clicks on Spinner with the id "type_spinner" and text "Other", causing the launch of window "popupWindow2" of activity "/.AddObject", whose level is Essential.
    #144,145 is a Touch event that clicks on CheckedTextView with the id "text1" and text "Money", causing the close of window "popupWindow2" of activity "/.AddObject", whose level is Essential.
    #146,147 is a Touch event that clicks on Button with the id "add_button" and text "Save changes", causing the crash of app, whose level is Essential.
    "#);
}

#[test]
fn table_2_the_highest_level_that_applies_counts() {
    let lines = sequence(
        "Main touch - => Main
         Main touch Button#a => Main
         Main touch Button#a => Main : 1
         Main touch - => Main/2
         Main touch Button#a => Next : 1
         Next touch Button#a => !
         Main restart - => Main",
    );
    let levels: Vec<Level> = lines.events.iter().map(Level::of).collect();
    let [essential, major, minor, trivial] = Level::ALL;
    assert_eq!(levels, [trivial, minor, major, major, essential, essential, essential], "and a start");
}

#[test]
fn a_window_that_was_open_before_is_returned_to() {
    let report = explained(sequence(
        "A touch Button#b => B : 1
         B touch Button#c => C : 2
         C key back => A : 3
         A touch Button#c => C : 4",
    ));
    assert!(report.lines[2].text.contains("causing the return to activity \"/.A\""), "{:?}", report.lines[2]);
    assert!(report.lines[3].text.contains("causing the launch of activity \"/.C\""), "{:?}", report.lines[3]);
}

#[test]
fn what_an_app_says_stays_on_its_line_and_is_no_markup() {
    let mut hostile = sequence("A touch Button#b => B : 1");
    let text = format!("a\"b\nc\u{202e}<script> `x` {}", "long ".repeat(100));
    hostile.events[0].object = Some(Object::Widget(Selector { text: text.into(), ..widget("Button#b") }));
    hostile.events[0].destination.window =
        Some(WindowStatus { activity: "E\nvil<".into(), ..WindowStatus::default() });
    let report = explained(hostile);
    let line = &report.lines[0].text;
    assert!(line.lines().count() == 1 && !line.contains('\u{202e}') && line.len() < 400, "{line}");
    let markdown = markdown::render(&report, Detail::All);
    assert!(markdown.contains("\\<script\\>") && !markdown.contains("`x`"), "{markdown}");
    let picture = Picture::of(&report).expect("windows");
    assert!(!svg::render(&picture).contains("<script"));
}

#[test]
fn an_empty_sequence_is_refused_with_what_to_do() {
    let refused =
        Explanation::of_sequence(UserSequence::default(), Subject::default(), &ChardConfig::default());
    assert!(refused.expect_err("empty").to_string().contains("record one with"));
}

#[test]
fn runs_of_events_that_change_no_window_are_folded() {
    let mut text = String::new();
    for number in 0..30 {
        text = format!("{text}A touch Button#b{} => A : 1\n", number % 7);
    }
    text.push_str("A touch Button#go => B : 2\nB touch Button#crash => !");
    let report = explained(sequence(&text));
    let all: Vec<usize> = (0..32).collect();
    let shown = fold(&report, &all, 10);
    assert_eq!(shown, [Shown::Run((0..30).collect()), Shown::Line(30), Shown::Line(31)]);
    insta::assert_snapshot!(fold::sentence(&report, &all[..30]), @r#"#1 to #30 are 30 events on /.A: clicks on Button with the id "b0" (5 times); clicks on Button with the id "b1" (5 times); clicks on Button with the id "b2" (4 times); clicks on Button with the id "b3" (4 times); and 3 others."#);
    assert_eq!(fold(&report, &all[28..], 10).len(), 4, "few lines are not folded");
}

#[test]
fn the_picture_marks_what_is_reduced() {
    let report = explained(sequence(
        "Main touch Button#help => Help : 1
         Help touch Button#x => Help : 5
         Help key back => Main : 2
         Main touch Button#go => Go : 3
         Go key back => Main : 2
         Main touch Button#go => Go : 3
         Go touch Button#crash => !",
    ));
    let picture = Picture::of(&report).expect("windows");
    insta::assert_snapshot!(picture.dot(), @r##"
    digraph windows {
      node [shape=box, fontname="sans-serif"];
      w0 [label="/.Main\n2 of 3 events"];
      w1 [label="/.Help\n2 of 2 events"];
      w2 [label="/.Go\n1 of 2 events", color=red, penwidth=2];
      w0 -> w1 [label="#1"];
      w0 -> w2 [label="#6, 2 times"];
      w1 -> w0 [label="#3"];
      w2 -> w0 [label="#5", style=dashed, color=grey, fontcolor=grey];
    }
    "##);
    let svg = svg::render(&picture);
    assert_eq!(svg.matches("<rect").count(), 3);
    assert_eq!(svg.matches("marker-end").count(), 4);
    let mut reader = quick_xml::Reader::from_str(&svg);
    while !matches!(reader.read_event(), Ok(quick_xml::events::Event::Eof)) {
        assert_eq!(reader.error_position(), 0, "it is well-formed");
    }
}

#[test]
fn methods_and_levels_are_in_the_json() {
    let mut one = sequence("Main touch Button#a => Main : 1");
    one.events[0].methods = Some(vec![BranchId(1)]);
    let json = serde_json::to_value(explained(one)).expect("it can be written");
    assert_eq!(json["lines"][0]["level"], "Major");
    assert_eq!(json["format"], Explanation::FORMAT);
    assert_eq!(json["lines"][0]["deleted"], serde_json::Value::Null);
}

#[test]
fn a_long_way_through_many_windows_is_read_in_a_minute() {
    let mut text = String::new();
    for round in 0..500 {
        let (from, to) = (round * 7 % 40, (round + 1) * 7 % 40);
        text = format!(
            "{text}W{from} touch Button#b{round} => W{from} : 1\nW{from} touch Button#go{round} => W{to} : {round}\n"
        );
    }
    text.push_str("W20 touch Button#crash => !");
    let report = explained(sequence(&text));
    assert!(report.key().0.len() > 500, "one of each kind is still too much");
    let shown = terminal::render(&report, Detail::Key);
    assert!(shown.lines().count() <= 50, "{shown}");
    assert!(
        shown.contains("The shortest way through the windows") && shown.contains("36 more windows"),
        "{shown}"
    );
    assert_eq!(
        terminal::render(&report, Detail::All).lines().filter(|line| line.starts_with('#')).count(),
        1002
    );
}

#[test]
fn five_hundred_random_events_are_told_in_as_many_words_as_are_read_in_a_minute() {
    const WORDS_A_MINUTE: usize = 300;
    let mut text = String::new();
    for round in 0..250 {
        let (from, to) = (round * 3 % 11, (round + 1) * 3 % 11);
        text = format!(
            "{text}W{from} touch Button#button{} => W{from} : {round}\nW{from} touch Button#open{to} => W{to} : {to}\n",
            round % 7
        );
    }
    text.push_str(
        "W2 touch Button#home => W0 : 1\nW0 touch Button#open3 => W3 : 3\nW3 touch Button#crash => !",
    );
    let report = explained(sequence(&text));
    assert_eq!(report.lines.len(), 503);
    let shown = terminal::render(&report, Detail::Key);
    assert!(shown.contains("in short: ") && shown.contains("The last 4 events"), "{shown}");
    assert!(shown.contains("causing the crash of app"), "{shown}");
    let words = shown.split_whitespace().count();
    assert!(words <= WORDS_A_MINUTE, "{words} words:\n{shown}");
}
