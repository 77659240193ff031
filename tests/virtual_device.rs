//! The virtual device does to app models what a phone does to apps.

mod support;

use siamang::action::{Event, Input, Key};
use siamang::gui::{Flags, Point};
use support::hand::Hand;

#[test]
fn a_counter_crashes_at_the_third_press_with_its_stack() {
    let mut hand = Hand::file("counter_crash");
    hand.tap("double").tap("plus").tap("plus");
    assert!(hand.texts().contains(&"Count: 2".to_owned()));
    hand.tap("plus");
    let failure = &hand.seen.failures[0];
    assert_eq!(failure.headline(), "java.lang.ArithmeticException: integer overflow");
    assert_eq!(failure.chain[0].frames[0].class, "org.siamang.counter.Counter");
    assert!(!hand.seen.running);
}

#[test]
fn rotation_loses_what_was_not_saved_and_back_closes_the_activity() {
    let mut hand = Hand::file("counter_crash");
    hand.tap("plus").step(Input::Rotate);
    assert!(hand.texts().contains(&"Count: 0".to_owned()));
    hand.tap("About");
    assert_eq!(hand.activity(), "AboutActivity");
    hand.key(Key::Back);
    assert_eq!(hand.activity(), "MainActivity");
    hand.key(Key::Back);
    assert_eq!(hand.seen.tree.foreground_package().unwrap(), "com.android.launcher3");
    hand.tap("Counter");
    assert_eq!(hand.activity(), "MainActivity");
}

const RECREATED: &str = r#"
name = "Recreated"
package = "org.siamang.recreated"
start = "MainActivity"
[data.disk]
created = 0
[[activity]]
name = "MainActivity"
create = { do = "created += 1" }
rotate = { if = "created == 2", fail = "gone" }
resume = { if = "created == 3", start = "OtherActivity" }
widget = [{ type = "label", text = "Created {created} times" }]
[[activity]]
name = "OtherActivity"
[failure.gone]
exception = "java.lang.IllegalStateException"
"#;

#[test]
fn an_app_that_fails_while_it_is_recreated_does_nothing_more() {
    let mut hand = Hand::new(RECREATED);
    hand.rotate();
    assert!(hand.shows("Created 2 times"));
    hand.rotate();
    assert_eq!(hand.failures(), ["java.lang.IllegalStateException"]);
    assert_eq!(hand.seen.rules.as_ref().unwrap().len(), 1, "only the rule that failed has run");
    hand.tap("Recreated");
    assert_eq!(hand.activity(), "OtherActivity", "the third creation is that of the new process");
}

const INTENTS: &str = r#"
name = "Intents"
package = "org.siamang.intents"
start = "MainActivity"
[data.disk]
log = ""
[[activity]]
name = "MainActivity"
title = "{log}"
data = { word = "first" }
create = { do = 'log += "c"' }
restore = { do = 'log += "R"' }
new_intent = { do = 'log += "n"' }
resume = { do = 'log += "r"' }
pause = { do = 'log += "p"' }
widget = [
  { type = "label", text = "word {word}" },
  { type = "button", text = "Other", tap = { start = "OtherActivity", with = { word = 'word + "+"', more = "1" } } },
  { type = "button", text = "Again", tap = { start = "MainActivity", mode = "single_top", with = { word = '"again"' } } },
]
[[activity]]
name = "OtherActivity"
title = "{log}"
data = { word = "", more = 0, own = 0 }
pause = { do = 'log += "P"' }
widget = [
  { type = "label", text = "word {word}, more {more}, own {own}" },
  { type = "button", text = "Change", tap = { do = 'word = "changed"; more += 1; own += 1' } },
  { type = "button", text = "Up", tap = { start = "MainActivity", mode = "clear_top", with = { word = '"up"' } } },
]
"#;

#[test]
fn what_an_activity_was_started_with_comes_back_after_rotation_and_process_death() {
    for input in [Input::Rotate, Input::ProcessDeath] {
        let mut hand = Hand::new(INTENTS);
        hand.tap("Other").tap("Change");
        assert!(hand.shows("word changed, more 2, own 1"));
        hand.step(input.clone());
        assert!(hand.shows("word first+, more 1, own 0"), "{:?}", hand.texts());
        // A later intent does not replace the first, unless the app itself keeps it.
        hand.back().tap("Again");
        assert!(hand.shows("word again"));
        hand.step(input);
        assert!(hand.shows("word first"));
    }
}

#[test]
fn an_activity_is_restored_before_it_gets_an_intent_and_paused_before_that() {
    let mut hand = Hand::new(INTENTS);
    hand.tap("Again");
    assert!(hand.shows("crpnr"), "{:?}", hand.texts());
    hand.tap("Other").step(Input::ProcessDeath).tap("Up");
    // Created, resumed; paused, told, resumed; paused by the other, which is paused twice; restored, told, resumed.
    assert!(hand.shows("crpnrpPPRcnr"), "{:?}", hand.texts());
    assert!(hand.shows("word up"));
}

const MENU: &str = r#"
name = "Menu"
package = "org.siamang.menu"
start = "MainActivity"
[[activity]]
name = "MainActivity"
title = "{opened} opened, {closed} closed"
data = { opened = 0, closed = 0 }
menu = [{ text = "Item" }]
menu_open = { do = "opened += 1" }
menu_close = { do = "closed += 1" }
"#;

#[test]
fn rules_run_when_the_menu_opens_and_when_it_closes_without_a_choice() {
    let mut hand = Hand::new(MENU);
    hand.key(Key::Menu).key(Key::Menu).tap("More options").back();
    assert!(hand.shows("2 opened, 2 closed"));
    hand.key(Key::Menu).step(Input::Tap(Point { x: 100, y: 1_800 }));
    assert!(hand.shows("3 opened, 3 closed"));
    hand.key(Key::Menu).tap("Item");
    assert!(hand.shows("4 opened, 3 closed"));
}

const KEYBOARD: &str = r#"
name = "Keyboard"
package = "org.siamang.keyboard"
start = "MainActivity"
[[activity]]
name = "MainActivity"
title = "Keyboard"
resize = RESIZE
data = { words = "" }
create = { dialog = "ask" }
dialog = [{ name = "ask", keyboard = true, widget = [{ type = "field", id = "words", bind = "words" }] }]
widget = [{ type = "list", rows = "3", widget = [{ type = "label", text = "x" }] }, { type = "button", text = "Low" }]
"#;

#[test]
fn a_dialog_brings_up_the_keyboard_which_stays_and_pushes_content_up_only_where_it_may() {
    for (resize, low) in [("false", 1_860), ("true", 1_160)] {
        let mut hand = Hand::new(&KEYBOARD.replace("RESIZE", resize));
        assert!(hand.seen.tree.widget(hand.node("words")).flags.contains(Flags::FOCUSED));
        hand.step(Input::Tap(Point { x: 540, y: 1_300 }));
        assert_eq!(hand.seen.tree.widget(hand.node("words")).text, "y");
        hand.step(Input::Tap(Point { x: 540, y: 100 }));
        assert!(!hand.shows("words"));
        assert_eq!(hand.center("Low").y, low);
        hand.back();
        assert_eq!(hand.center("Low").y, 1_860);
    }
}

#[test]
fn an_app_that_goes_round_in_a_circle_is_cut_and_told() {
    for rules in [
        "create = { start = \"A\" }",
        "create = { after = 0, finish = true, start = \"A\" }",
        "create = { start = \"A\" }\nresume = { start = \"A\" }",
        "pause = { start = \"A\" }\nresume = { finish = true, start = \"A\" }",
        "every = [{ ms = 10, run = { finish = true, start = \"A\" } }]",
        "create = { do = \"loop {}\" }",
    ] {
        let model = format!(
            "name = \"A\"\npackage = \"org.a.b\"\nstart = \"A\"\n[[activity]]\nname = \"A\"\n{rules}"
        );
        let mut hand = Hand::new(&model);
        let told = hand.seen.issues.join(" ");
        assert!(
            rules.contains("every") || told.contains("circle") || told.contains("operations"),
            "{rules}: {told}"
        );
        for _ in 0..20 {
            hand.seen = hand.device.do_step(&Event::settled(Input::Rotate));
        }
    }
}
