//! Every model in `models/` loads, fails the way its first comment says, and shows what it is there to show.

mod support;

use std::collections::BTreeSet;

use siamang::action::{Input, Key};
use siamang::device::Reset;
use siamang::device::virtual_device::compile;
use siamang::oracle::FailureKind;
use siamang::seed::Seed;
use support::hand::{Hand, source};
use support::walker;

fn model_names() -> Vec<String> {
    let folder = format!("{}/models", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("there is a folder of models")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| {
            path.with_extension("").file_name().expect("it has a name").to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

/// The events before the last must be harmless, and the last must cause exactly this failure.
fn fails_with(hand: &Hand, class: &str) {
    assert_eq!(hand.seen.failures.len(), 1, "{:?}", hand.failures());
    assert_eq!(hand.seen.failures[0].chain.last().map(|cause| cause.class.as_str()), Some(class));
}

fn is_fine(hand: &Hand) {
    assert!(hand.seen.failures.is_empty(), "{:?}", hand.failures());
}

#[test]
fn every_model_loads_and_says_first_what_it_shows() {
    let names = model_names();
    assert!(names.len() >= 22, "{names:?}");
    for name in names {
        let text = source(&name);
        assert!(text.starts_with("# "), "{name} does not say what it shows");
        if let Err(errors) = compile::load(&text) {
            panic!("{name}: {errors:#?}");
        }
    }
}

#[test]
fn no_script_of_a_model_breaks_on_a_random_walk() {
    for name in model_names() {
        let walk = walker::walk(&source(&name), Seed(7), 1_000);
        assert!(walk.issues.is_empty(), "{name}: {:?}", walk.issues);
    }
}

#[test]
fn the_drive_list_moves_an_opened_file_to_the_top_and_each_file_has_its_screen() {
    let names = ["XLSX", "PPTX", "DOCX", "PDF", "PNG", "TXT"];
    let mut hand = Hand::file("drive_list");
    let order = |hand: &Hand| -> Vec<String> {
        hand.texts().into_iter().filter(|text| names.contains(&text.as_str())).collect()
    };
    assert_eq!(order(&hand), names);
    let mut screens = BTreeSet::new();
    for name in names {
        hand.tap(name);
        screens.insert(hand.activity().to_owned());
        hand.back();
        assert_eq!(order(&hand)[0], name);
    }
    assert_eq!(screens.len(), names.len());
    assert_eq!(order(&hand), ["TXT", "PNG", "PDF", "DOCX", "PPTX", "XLSX"]);
    hand.reset(Reset::Clean).tap("PPTX").tap("Present").tap("Next");
    is_fine(&hand);
    fails_with(hand.tap("Next"), "java.lang.IndexOutOfBoundsException");
}

#[test]
fn the_file_browser_shows_three_folders_as_one_screen() {
    let mut hand = Hand::file("file_browser");
    let root = hand.seen.tree.hash();
    for _ in 0..2 {
        hand.tap("foo");
        assert_eq!(hand.seen.tree.hash(), root);
    }
    let two = hand.seen.coverage.clone();
    hand.tap("foo");
    assert_ne!(hand.seen.tree.hash(), root);
    assert_ne!(hand.seen.coverage, two, "folders of folders and folders of files are different branches");
    hand.back();
    assert_eq!(hand.seen.tree.hash(), root);
    hand.tap("foo");
    is_fine(&hand);
    fails_with(hand.tap("IMG_3"), "java.lang.OutOfMemoryError");
}

#[test]
fn a_menu_loop_comes_back_to_the_same_tree_and_covers_something_only_where_it_should() {
    for (model, covers) in [("menu_loop", false), ("menu_loop_covered", true)] {
        let mut hand = Hand::file(model);
        let closed = hand.seen.tree.hash();
        hand.key(Key::Menu);
        let (open, opening) = (hand.seen.tree.hash(), hand.seen.coverage.clone().unwrap());
        hand.key(Key::Menu);
        let closing = hand.seen.coverage.clone().unwrap();
        assert_eq!(hand.seen.tree.hash(), closed);
        assert_eq!((opening.len(), closing.len()), (usize::from(covers), usize::from(covers)), "{model}");
        assert!(!covers || opening != closing);
        hand.key(Key::Menu);
        assert_eq!(hand.seen.tree.hash(), open);
        hand.tap("Option");
        assert_eq!(hand.activity(), "OptionsActivity");
        assert!(hand.seen.coverage.as_ref().unwrap().iter().all(|branch| !closing.contains(branch)));
        is_fine(&hand);
        fails_with(hand.tap("Forget the list"), "java.lang.IllegalStateException");
    }
}

#[test]
fn a_permission_refused_twice_leads_round_the_question_and_a_deep_link_does_so_at_once() {
    let mut hand = Hand::file("permission_denied");
    hand.tap("Scan");
    assert_eq!(hand.seen.tree.foreground_package().unwrap(), "com.android.permissioncontroller");
    hand.tap("Don't allow");
    assert_eq!(hand.activity(), "MainActivity");
    hand.tap("Scan").tap("Allow").tap("Take");
    assert!(hand.shows("3 codes kept"));
    hand.tap("Scan");
    assert_eq!(hand.activity(), "ScanActivity", "what is granted is not asked again");
    hand.reset(Reset::Clean).step(Input::DeepLink("scanner://codes".into()));
    assert_eq!(hand.activity(), "CodesActivity");
    hand.back().step(Input::DeepLink("scanner://nowhere".into()));
    assert_eq!(hand.activity(), "MainActivity");
    is_fine(&hand);
    fails_with(hand.step(Input::DeepLink("scanner://scan".into())), "java.lang.SecurityException");
    hand.reset(Reset::Clean).tap("Scan").tap("Don't allow").tap("Scan").back();
    is_fine(&hand);
    fails_with(hand.tap("Scan anyway"), "java.lang.SecurityException");
}

#[test]
fn the_contact_picker_gives_null_back_and_that_crashes_only_with_a_reminder() {
    for object in ["Bicycle", "Dictionary"] {
        let mut hand = Hand::file("lend_contact");
        hand.tap(object).tap("Choose a person");
        assert_eq!(hand.seen.tree.foreground_package().unwrap(), "com.android.contacts");
        hand.back();
        is_fine(&hand);
        assert_eq!(hand.activity(), "AddObject");
        hand.tap("Remind me").tap("Choose a person").tap("Barbara");
        is_fine(&hand);
        assert_eq!(hand.seen.tree.widget(hand.node("who")).text, "Barbara");
        hand.reset(Reset::Clean).tap(object).tap("Remind me").tap("Choose a person").back();
        fails_with(&hand, "java.lang.NullPointerException");
        assert_eq!(hand.seen.failures[0].chain[0].class, "java.lang.RuntimeException");
    }
}

#[test]
fn the_half_dialog_appears_on_about_half_of_the_starts() {
    let mut hand = Hand::file("half_dialog");
    let shown = (0..200).filter(|_| hand.reset(Reset::Clean).shows("Where are you?")).count();
    assert!((80..=120).contains(&shown), "{shown} of 200");
}

#[test]
fn four_taps_reach_the_crash_whether_the_half_dialog_appears_or_not() {
    let mut hand = Hand::file("half_dialog");
    let start = |hand: &mut Hand, dialog: bool| {
        while hand.reset(Reset::Clean).shows("Where are you?") != dialog {}
    };
    start(&mut hand, false);
    let (low, title) = (hand.center("panel"), hand.center("Dinner"));
    fails_with(hand.tap("panel").tap("sign_in"), "java.lang.StringIndexOutOfBoundsException");
    start(&mut hand, true);
    hand.step(Input::Tap(title));
    assert!(!hand.shows("Where are you?"), "a tap beside the dialog dismisses it");
    let high = hand.center("panel");
    assert!(high.y < low.y, "the keyboard stays and pushes the panel up");
    hand.tap("panel");
    let sign_in = hand.center("sign_in");
    fails_with(hand.tap("sign_in"), "java.lang.StringIndexOutOfBoundsException");
    for dialog in [false, true] {
        start(&mut hand, dialog);
        for point in [low, title, high] {
            hand.step(Input::Tap(point));
            is_fine(&hand);
        }
        assert_eq!(hand.activity(), "LoginActivity");
        fails_with(hand.step(Input::Tap(sign_in)), "java.lang.StringIndexOutOfBoundsException");
    }
}

#[test]
fn the_counter_forgets_its_crash_when_one_press_is_missing() {
    let mut hand = Hand::file("counter_crash");
    hand.tap("double").tap("plus").tap("plus");
    is_fine(&hand);
    fails_with(hand.tap("plus"), "java.lang.ArithmeticException");
}

#[test]
fn only_one_answer_to_each_dialog_leads_to_the_crash_behind_them() {
    let mut hand = Hand::file("crash_behind_dialog");
    hand.tap("Ada").tap("Delete").tap("Keep it").tap("Delete").tap("Delete it").back();
    assert!(hand.shows("And the pictures?"), "BACK does not answer the second question");
    hand.tap("Keep them");
    is_fine(&hand);
    hand.reset(Reset::Clean).tap("Grace").tap("Delete").tap("Delete it");
    fails_with(hand.tap("Pictures too"), "android.database.CursorIndexOutOfBoundsException");
}

#[test]
fn the_path_alone_does_not_crash_where_the_data_is_off_the_path() {
    let mut hand = Hand::file("data_off_path");
    hand.tap("Reports").tap("October").tap("Export");
    is_fine(&hand);
    hand.reset(Reset::Clean).tap("More options").tap("Settings").tap("Round amounts").back();
    hand.tap("Reports").tap("October");
    is_fine(&hand);
    fails_with(hand.tap("Export"), "java.lang.ArithmeticException");
}

#[test]
fn the_infinite_list_shows_new_rows_for_ever() {
    let mut hand = Hand::file("infinite_list");
    let mut seen = BTreeSet::new();
    for _ in 0..50 {
        assert!(seen.insert(hand.seen.tree.hash()), "a screenful was seen before");
        hand.scroll_down("posts");
    }
    hand.reset(Reset::Clean).scroll_down("posts").scroll_down("posts");
    assert!(!hand.shows("Post 24"));
    hand.scroll_down("posts");
    is_fine(&hand);
    fails_with(hand.tap("Post 24"), "java.lang.NullPointerException");
}

#[test]
fn the_login_wall_opens_to_the_account_that_is_on_the_screen() {
    let mut hand = Hand::file("login_wall");
    hand.enter("user", "demo").enter("secret", "demo").tap("Sign in");
    assert_eq!(hand.activity(), "LoginActivity");
    hand.reset(Reset::Clean);
    let (user, secret) = (hand.node("demo_user"), hand.node("demo_secret"));
    let (user, secret) =
        (hand.seen.tree.widget(user).text.clone(), hand.seen.tree.widget(secret).text.clone());
    hand.enter("user", &user).enter("secret", &secret).tap("Sign in").tap("Statements").tap("April");
    is_fine(&hand);
    fails_with(hand.tap("Print"), "java.lang.IllegalArgumentException");
}

#[test]
fn only_back_leaves_the_trap_page_and_everything_on_it_reacts() {
    let mut hand = Hand::file("trap_page");
    hand.tap("Level 7");
    let actions: Vec<_> =
        hand.seen.tree.indices().filter(|&ix| hand.seen.tree.widget(ix).is_actionable()).collect();
    assert_eq!(actions.len(), 25);
    for ix in actions {
        let before = hand.seen.tree.hash();
        let point = hand.seen.tree.widget(ix).bounds.center();
        hand.step(Input::Tap(point));
        assert_eq!(hand.activity(), "GameActivity");
        assert_ne!(hand.seen.tree.hash(), before);
    }
    hand.back();
    assert_eq!(hand.activity(), "StartActivity");
    hand.tap("Small print").tap("Licences").tap("Apache");
    is_fine(&hand);
    fails_with(hand.tap("Accept"), "android.content.ActivityNotFoundException");
}

#[test]
fn logging_out_costs_the_way_in_and_leaves_a_screen_without_a_session() {
    let mut hand = Hand::file("logout");
    let log_in = |hand: &mut Hand| {
        hand.reset(Reset::Clean).enter("user", "guest").enter("secret", "welcome").tap("Log in");
        assert_eq!(hand.activity(), "InboxActivity");
    };
    log_in(&mut hand);
    hand.tap("Log out");
    assert_eq!(hand.activity(), "LoginActivity");
    is_fine(&hand);
    hand.back();
    fails_with(&hand, "java.lang.NullPointerException");
    log_in(&mut hand);
    hand.tap("Grace").tap("Reply");
    is_fine(&hand);
    fails_with(hand.tap("Send"), "java.lang.StringIndexOutOfBoundsException");
    log_in(&mut hand);
    hand.tap("Grace").step(Input::ProcessDeath);
    is_fine(&hand);
    assert_eq!(hand.activity(), "LoginActivity", "a session does not outlive its process");
}

#[test]
fn the_form_lets_only_complete_data_pass() {
    let mut hand = Hand::file("form_validation");
    let filled = |hand: &mut Hand, age: &str| {
        hand.reset(Reset::Clean)
            .enter("who", "a")
            .enter("mail", "ada@example.org")
            .enter("age", age)
            .tap("I agree");
    };
    hand.tap("Continue");
    assert!(hand.shows("Who are you?"));
    hand.enter("who", "a").tap("Continue");
    assert!(hand.shows("That is no e-mail address"));
    hand.enter("mail", "ada@example.org").tap("Continue");
    assert!(hand.shows("How old are you?"));
    hand.enter("age", "36").tap("Continue");
    assert!(hand.shows("Please agree to the terms"));
    filled(&mut hand, "36");
    hand.tap("Continue").tap("Yearly price");
    is_fine(&hand);
    filled(&mut hand, "12345678901234567890");
    is_fine(&hand);
    fails_with(hand.tap("Continue"), "java.lang.NumberFormatException");
    filled(&mut hand, "0");
    hand.tap("Continue");
    is_fine(&hand);
    fails_with(hand.tap("Yearly price"), "java.lang.ArithmeticException");
}

#[test]
fn rotation_crashes_only_while_a_picture_is_cropped() {
    let mut hand = Hand::file("rotation_crash");
    hand.rotate().tap("Forest").rotate().rotate().tap("Crop").tap("Cancel").rotate();
    is_fine(&hand);
    hand.reset(Reset::Clean).tap("Forest").tap("Crop").step(Input::ProcessDeath);
    is_fine(&hand);
    hand.reset(Reset::Clean).tap("Forest").tap("Crop").rotate();
    fails_with(&hand, "java.lang.NullPointerException");
}

#[test]
fn only_process_death_loses_the_basket_and_keeps_the_screen_that_pays() {
    let mut hand = Hand::file("process_death_crash");
    hand.tap("Add").tap("Checkout").rotate().step(Input::HomeAndReturn).tap("Pay");
    is_fine(&hand);
    hand.tap("Add").tap("Checkout").step(Input::ProcessDeath);
    is_fine(&hand);
    assert_eq!(hand.activity(), "PayActivity");
    fails_with(hand.tap("Pay"), "java.lang.IllegalStateException");
}

#[test]
fn the_race_is_lost_only_in_a_burst() {
    let mut hand = Hand::file("race");
    hand.tap("Write").enter("words", "hello").tap("Send");
    assert!(hand.shows("1 sent"));
    hand.enter("words", "hello").tap("Send");
    is_fine(&hand);
    hand.reset(Reset::Clean).tap("Write").enter("words", "hello").quick_tap("Send");
    is_fine(&hand);
    fails_with(hand.tap("Send"), "java.util.ConcurrentModificationException");
}

#[test]
fn the_clock_ticks_whatever_one_does() {
    let mut hand = Hand::file("ticking_clock");
    let mut clocks = BTreeSet::new();
    for _ in 0..10 {
        let clock = hand.node("clock");
        assert!(clocks.insert(hand.seen.tree.widget(clock).text.clone()));
        hand.step(Input::Wait(1_000));
    }
    hand.reset(Reset::Clean).tap("Start").tap("Lap").tap("Stop").tap("Reset").tap("Start").tap("Lap");
    is_fine(&hand);
    hand.reset(Reset::Clean).tap("Start").tap("Reset");
    is_fine(&hand);
    fails_with(hand.tap("Lap"), "java.util.NoSuchElementException");
}

#[test]
fn an_advertisement_lies_over_the_app_in_some_three_of_ten_cases() {
    let mut hand = Hand::file("ad_overlay");
    let shown = (0..200).filter(|_| hand.reset(Reset::Clean).shows("Advertisement")).count();
    assert!((40..=80).contains(&shown), "{shown} of 200");
    while !hand.reset(Reset::Clean).shows("Advertisement") {}
    let beneath = hand.center("Nut bread");
    hand.step(Input::Tap(beneath));
    assert_eq!(hand.seen.tree.foreground_package().unwrap(), "com.example.shop");
    let close = |hand: &mut Hand| {
        while hand.shows("close_ad") {
            hand.tap("close_ad");
        }
    };
    hand.reset(Reset::Clean);
    close(&mut hand);
    hand.tap("Nut bread");
    close(&mut hand);
    hand.tap("Cook").tap("Next");
    is_fine(&hand);
    fails_with(hand.tap("Next"), "java.lang.ArrayIndexOutOfBoundsException");
}

#[test]
fn a_swallowed_crash_leaves_the_process_alive_and_says_sorry() {
    let mut hand = Hand::file("swallowed_crash");
    hand.tap("More options").tap("Go offline").tap("Oslo");
    is_fine(&hand);
    assert!(hand.shows("No connection."));
    hand.reset(Reset::Clean).tap("Oslo").tap("Next days").tap("Monday");
    fails_with(&hand, "java.text.ParseException");
    assert_eq!(hand.seen.failures[0].kind, FailureKind::Swallowed);
    assert!(hand.seen.running);
    assert!(hand.shows("Something went wrong."));
    hand.tap("Start again");
    assert_eq!(hand.activity(), "CitiesActivity");
}

#[test]
fn each_failure_of_notes_is_reached_by_its_shortest_known_way() {
    let mut hand = Hand::file("notes");
    hand.tap("Search");
    is_fine(&hand);
    fails_with(hand.tap("Go"), "java.lang.StringIndexOutOfBoundsException");

    hand.reset(Reset::Clean).key(Key::Menu).tap("Statistics").tap("Years");
    is_fine(&hand);
    hand.tap("Count again");
    fails_with(&hand, "ANR");
    assert_eq!(hand.seen.failures[0].kind, FailureKind::Anr);

    hand.reset(Reset::Clean).tap("New").tap("List").tap("Sort by hand").long_tap("Nuts");
    is_fine(&hand);
    fails_with(hand.rotate(), "java.lang.IllegalStateException");

    hand.reset(Reset::Clean).key(Key::Menu).tap("Settings").tap("Backup").tap("Restore from a file");
    assert_eq!(hand.seen.tree.foreground_package().unwrap(), "com.android.documentsui");
    is_fine(&hand);
    hand.tap("holiday.zip");
    assert_eq!(hand.failures(), ["exit(3) while restoring"]);
    assert_eq!(hand.seen.failures[0].kind, FailureKind::Exit);

    hand.reset(Reset::Clean).tap("New").tap("Text").enter("title", "a").enter("body", "12345678901234567890");
    hand.tap("Markdown");
    is_fine(&hand);
    fails_with(hand.tap("Preview"), "java.lang.StackOverflowError");
    assert_eq!(hand.seen.failures[0].kind, FailureKind::Swallowed);
    assert_eq!(hand.activity(), "SorryActivity");

    hand.reset(Reset::Clean).tap("Shopping").tap("Remind me").tap("repeat").tap("Every week").tap("Continue");
    hand.step(Input::ProcessDeath);
    is_fine(&hand);
    fails_with(hand.tap("Set it"), "java.lang.NullPointerException");

    hand.reset(Reset::Clean).tap("New").tap("Sketch").tap("Brush").enter("size", "0").tap("brush_ok");
    hand.tap("Layers").tap("Add a layer").tap("layers_ok").tap("Tools").tap("Fill");
    is_fine(&hand);
    hand.tap("canvas");
    fails_with(&hand, "SIGFPE");
    assert_eq!(hand.seen.failures[0].kind, FailureKind::Native);

    hand.reset(Reset::Clean).key(Key::Menu).tap("Settings").tap("dates").tap("No dates").back();
    hand.key(Key::Menu).tap("Export").tap("format").tap("PDF").tap("Next").tap("Dates in the margin");
    hand.tap("Next").tap("I can wait");
    is_fine(&hand);
    fails_with(hand.tap("Start"), "java.lang.IllegalArgumentException");
}

/// Issue 3: a pleasant default app in which chance alone does not find everything.
#[test]
fn random_walks_over_notes_see_full_screens_and_at_most_five_of_the_eight_failures() {
    const STEPS: u32 = 20_000;
    let notes = source("notes");
    let notes = &notes;
    let walks: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..10).map(|seed| scope.spawn(move || walker::walk(notes, Seed(seed), STEPS))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut found: Vec<usize> = walks.iter().map(|walk| walk.failures.len()).collect();
    found.sort_unstable();
    for walk in &walks {
        assert!(walk.issues.is_empty(), "{:?}", walk.issues);
        assert!(walk.nodes_per_screen() >= 40.0, "{} nodes a screen", walk.nodes_per_screen());
        assert!(walk.changing_share() >= 0.6, "{} of the events change the tree", walk.changing_share());
        assert!(walk.activities.len() >= 15, "{:?}", walk.activities);
    }
    let median = f64::midpoint(found[4] as f64, found[5] as f64);
    assert!(median <= 5.0, "{found:?}");
}
