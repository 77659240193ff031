//! What a device must do and survive, on an app of our own with a page for each behaviour (agent/jvm/conformance).
//! Where Java, Maven or a fence are missing the tests say so and end.

#![cfg(all(feature = "jvm", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "conformance/exits.rs"]
mod exits;
#[path = "conformance/keyboard.rs"]
mod keyboard;
#[path = "conformance/later_java.rs"]
mod later_java;
#[path = "conformance/memory.rs"]
mod memory;
#[path = "conformance/modern.rs"]
mod modern;
#[path = "conformance/permissions.rs"]
mod permissions;
#[path = "conformance/readings.rs"]
mod readings;
#[path = "support/skipped.rs"]
#[expect(dead_code, reason = "a part of it is used")]
mod skipped;
#[path = "conformance/stage.rs"]
mod stage;
#[path = "conformance/threads.rs"]
mod threads;

use std::sync::Arc;

use siamang::action::{Input, Key};
use siamang::device::jvm::host::{Habits, Unseen};
use siamang::device::jvm::stand_ins::StandIns;
use siamang::oracle::FailureKind;
use stage::{on_stage, on_stage_with, refusals, told_of};

#[test]
fn tasks_are_stacked_as_their_modes_and_flags_say() {
    on_stage(async |stage| {
        stage.open("tasks").await;
        stage.sees("task 1 count 0 root false");
        stage.tap("again").await;
        stage.sees("task 2 count 0");
        stage.tap("again on top").await;
        stage.sees("task 2 count 0");
        stage.back().await;
        stage.sees("task 1 count 0");

        stage.tap("clear log").await;
        stage.tap("ask").await;
        stage.sees("asked question by .TaskPage");
        stage.tap("answer").await;
        stage.sees("result 7 -1 answered");
        stage.tap("log").await;
        stage.sees("Task.pause Answer.create Answer.start Answer.resume Task.stop Answer.pause Task.result Task.restart Task.start Task.resume Answer.stop Answer.destroy");
        stage.tap("ask by alias").await;
        stage.sees("asked alias by .TaskPage");
        stage.back().await;
        stage.sees("result 8 0 null");

        stage.tap("single top").await;
        stage.tap("myself").await;
        stage.sees("SingleTop heard 1");
        stage.back().await;
        stage.sees_page("TaskPage");
        stage.tap("single task").await;
        stage.tap("task").await;
        stage.tap("single task").await;
        stage.sees("SingleTask heard 1");
        stage.back().await;
        stage.sees_page("TaskPage");
        stage.tap("no history").await;
        stage.tap("task").await;
        stage.back().await;
        stage.sees_page("TaskPage");
        stage.back().await;
        stage.sees_page("MainPage");

        stage.tap("tasks").await;
        stage.tap("again").await;
        stage.tap("to main").await;
        stage.sees_page("MainPage");
        stage.sees("lives 1");
        stage.tap("tasks").await;
        stage.tap("all anew").await;
        stage.sees("lives 2");
        stage.back().await;
        stage.has_left();

        stage.open("tasks").await;
        stage.tap("end all").await;
        stage.has_left();
        stage.open("tasks").await;
        let failure = stage.tap_and_fail("not declared").await;
        assert_eq!(failure.chain[0].class, "android.content.ActivityNotFoundException");
    });
}

#[test]
fn who_asked_hears_that_the_system_ended_the_answer() {
    on_stage(async |stage| {
        stage.open("tasks").await;
        stage.tap("ask").await;
        stage.tap("back to who asked").await;
        stage.sees("result 7 0 null");
        stage.tap("ask a new task").await;
        stage.sees("asked null by null");
        stage.tap("answer").await;
        stage.sees("result 9 0 null");
    });
}

#[test]
fn what_leaves_no_trace_is_gone_when_it_is_no_longer_seen() {
    on_stage(async |stage| {
        stage.open("tasks").await;
        for page in ["no history", "leaves no trace"] {
            stage.tap(page).await;
            stage.act(Input::HomeAndReturn).await;
            stage.sees_page("TaskPage");
        }
        stage.tap("no history").await;
        stage.tap("floating").await;
        stage.back().await;
        stage.sees_page("NoHistoryPage");
    });
}

#[test]
fn a_single_instance_is_alone_in_its_task_and_leaves_the_others_as_they_are() {
    on_stage(async |stage| {
        stage.open("tasks").await;
        stage.tap("single").await;
        stage.sees("Single heard 0 root true");
        stage.tap("task").await;
        stage.sees("task 2 count 0 root false");
        stage.tap("single").await;
        stage.sees("Single heard 1 root true");
        for shown in ["task 2", "task 1", "lives 1"] {
            stage.back().await;
            stage.sees(shown);
        }
        stage.back().await;
        stage.has_left();
        // What it opens is in the task that it came from, and comes before it.
        stage.open("tasks").await;
        stage.tap("single").await;
        stage.tap("task").await;
        for shown in ["task 1", "lives 1", "Single heard 0"] {
            stage.back().await;
            stage.sees(shown);
        }
    });
}

#[test]
fn an_address_opens_the_activity_that_is_registered_for_it() {
    on_stage(async |stage| {
        stage.act(Input::DeepLink("siamang://tasks/7".to_owned())).await;
        stage.sees("task 1 count 0 root false");
        stage.back().await;
        stage.sees_page("MainPage");
        // Nothing is done, and it is said why.
        stage.act(Input::DeepLink("siamang://nowhere".to_owned())).await;
        stage.sees_page("MainPage");
        stage.told("no activity of the app opens siamang://nowhere");
    });
}

#[test]
fn an_activity_lives_through_rotation_home_and_death() {
    on_stage(async |stage| {
        stage.open("tasks").await;
        stage.tap("count").await;
        stage.act(Input::Rotate).await;
        stage.sees("task 2 count 1");
        stage.act(Input::Rotate).await;
        stage.sees("task 3 count 1");
        stage.tap("recreate").await;
        stage.sees("task 4 count 1");
        stage.tap("clear log").await;
        stage.act(Input::HomeAndReturn).await;
        stage.tap("log").await;
        stage.sees("Task.pause Task.stop Task.restart Task.start Task.resume");
        stage.tap("floating").await;
        stage.tap("log").await;
        stage.sees("Task.resume Task.pause Floating.create Floating.start Floating.resume");
        // Both have been stopped, and both are seen again.
        for leave in [Input::HomeAndReturn, Input::ProcessDeath] {
            stage.act(leave).await;
            assert_eq!(stage.windows(), 2);
        }
        stage.back().await;
        stage.sees("count 1");
        stage.act(Input::Rotate).await;
        stage.act(Input::Rotate).await;

        stage.act(Input::ProcessDeath).await;
        stage.sees("task 1 count 1");
        stage.back().await;
        stage.sees("lives 1, provider before application");
        stage.tap("sturdy").await;
        stage.act(Input::Rotate).await;
        stage.sees("sturdy made 1 turned true");

        // Who asked is brought back from what it saved, and hears the answer of who was asked.
        stage.open("tasks").await;
        stage.tap("count").await;
        stage.tap("ask").await;
        stage.act(Input::ProcessDeath).await;
        stage.sees("asked question by .TaskPage");
        stage.tap("answer").await;
        stage.sees("result 7 -1 answered");
        stage.act(Input::Rotate).await;
        stage.sees("count 1");
    });
}

#[test]
fn activities_that_are_not_kept_come_back_from_what_they_saved() {
    on_stage_with(Habits { unseen: Unseen::Dropped, ..Habits::default() }, async |stage| {
        stage.open("tasks").await;
        stage.tap("count").await;
        stage.tap("clear log").await;
        stage.tap("ask").await;
        stage.tap("answer").await;
        stage.sees("result 7 -1 answered");
        stage.tap("log").await;
        stage.sees("Task.pause Answer.create Answer.start Answer.resume Task.stop Task.destroy Answer.pause Task.restore Task.start Task.result Task.resume Answer.stop Answer.destroy");
        for _ in 0..2 {
            stage.act(Input::Rotate).await;
            stage.sees("count 1");
        }
        stage.act(Input::HomeAndReturn).await;
        stage.sees("task 5 count 1");
        stage.tap("end all").await;
        stage.has_left();
    });
}

#[test]
fn dialogs_menus_and_popups_are_windows_over_the_page() {
    on_stage(async |stage| {
        stage.open("windows").await;
        stage.tap("dialog").await;
        stage.sees("really?");
        assert!(stage.windows() > 1);
        stage.tap("YES").await;
        stage.sees("said yes");
        stage.tap("dialog").await;
        stage.back().await;
        stage.sees("cancelled");
        stage.tap("dialog of items").await;
        stage.tap("item b").await;
        stage.sees("item 1");
        stage.tap("popup menu").await;
        stage.tap("popped").await;
        stage.sees("chose popped");
        stage.tap("popup window").await;
        stage.sees("in a popup");
        stage.back().await;
        stage.sees_not("in a popup");
        stage.tap("toast").await;
        stage.sees("toasted");
        assert_eq!(stage.toasts(), ["hello"]);
        stage.act(Input::Wait(2_000)).await;
        assert!(stage.toasts().is_empty());
        stage.tap("date").await;
        assert!(stage.windows() > 1);
        stage.back().await;
        stage.tap("progress").await;
        stage.sees("wait");
        stage.back().await;
        stage.sees_not("wait");
        stage.tap("red").await;
        stage.tap("blue").await;
        stage.sees("selected 2");
        stage.text("a number", "12ab3").await;
        stage.tap("keyboard").await;
        stage.sees("field 123");
        stage.act(Input::Key(Key::Menu)).await;
        stage.tap("from the menu").await;
        stage.sees("chose from the menu");
        let at = stage.place("press long");
        stage.act(Input::LongTap(at)).await;
        stage.tap("from the context").await;
        stage.sees("chose from the context");
    });
}

#[test]
fn toasts_are_windows_that_are_shown_in_turn_and_take_no_touch() {
    on_stage(async |stage| {
        stage.open("windows").await;
        stage.tap("toasts").await;
        assert_eq!(stage.toasts(), ["first toast"]);
        // Both lie over the middle of the lower edge; what is below is reached all the same.
        stage.tap("dialog").await;
        stage.sees("really?");
        assert_eq!(stage.toasts(), ["first toast"]);
        stage.back().await;
        stage.act(Input::Wait(3_000)).await;
        assert_eq!(stage.toasts(), ["second toast"]);
        stage.act(Input::Wait(2_000)).await;
        assert!(stage.toasts().is_empty());
        assert_eq!(stage.windows(), 1);
        // One of an earlier life is not shown in the next.
        stage.tap("toast").await;
        stage.open("windows").await;
        assert!(stage.toasts().is_empty());
    });
}

#[test]
fn an_app_hears_of_itself_what_a_phone_tells_it() {
    on_stage(async |stage| {
        stage.open("tasks").await;
        stage.tap("who am I").await;
        stage.sees("top .TaskPage base .MainPage of 2 tasks 1 named .MainPage in siamang.conformance");
    });
}

#[test]
fn services_receivers_alarms_and_other_apps_answer() {
    on_stage(async |stage| {
        stage.open("parts").await;
        stage.tap("clear log").await;
        stage.tap("start service").await;
        stage.tap("start service").await;
        stage.tap("bind").await;
        stage.sees("bound, started 2");
        stage.tap("unbind").await;
        stage.tap("stop service").await;
        stage.tap("broadcast").await;
        stage.tap("log").await;
        stage.sees("Service.create Service.start1 Service.start2 Service.destroy Receiver.page");
        stage.tap("clear log").await;
        stage.tap("alarm").await;
        stage.sees("alarm set");
        stage.act(Input::Wait(61_000)).await;
        stage.tap("log").await;
        stage.sees("Receiver.alarm");
        stage.tap("query").await;
        stage.sees("provided");
        stage.tap("signature").await;
        stage.sees("signed by CN=conformance true");
        // Again and again, for a thread that is not waited for is late only at times.
        for _ in 0..100 {
            stage.tap("task").await;
            stage.sees("task done");
            stage.tap("thread").await;
            stage.sees("thread done");
        }
        for (asked, answer) in [
            (
                "pick",
                "came back with -1 content://com.android.contacts/contacts/1 false extras null 0 named Ada Lovelace",
            ),
            ("file", "named text.txt reads A plain text. It has two lines."),
            ("camera", "came back with -1 null true"),
            ("browse", "came back with 0 null"),
            ("share", "came back with 0 null"),
            ("market", "nobody"),
        ] {
            stage.tap(asked).await;
            stage.sees(answer);
            assert_eq!(stage.asked().len(), 1, "{asked}");
        }
        assert_eq!(
            stage.asked(),
            ["android.intent.action.VIEW market://details?id=siamang (nobody can do that)"]
        );
        stage.tap("task").await;
        assert!(stage.asked().is_empty());
    });
}

#[test]
fn other_apps_answer_as_the_user_wishes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("photo.txt"), "photo").unwrap();
    let list = folder.path().join("answers.toml");
    let answers = r#"
        [[answer]]
        action = "android.intent.action.PICK"
        data = "content://com.android.contacts/*"
        uri = "content://com.android.contacts/contacts/7"
        extras = { word = "Grace", number = 9 }

        [[answer]]
        type = "text/*"
        file = "photo.txt"

        [[answer]]
        action = "*.IMAGE_CAPTURE"
        result = "nobody"

        [[answer]]
        data = "market:*"
        result = "cancelled"
    "#;
    std::fs::write(&list, answers).unwrap();
    let stand_ins = Arc::new(StandIns::load(&list).unwrap());
    on_stage_with(Habits { stand_ins, ..Habits::default() }, async |stage| {
        // They hold in every life, and on the next JVM, too.
        for _ in 0..2 {
            stage.open("parts").await;
            for (asked, answer, told) in [
                (
                    "pick",
                    "with -1 content://com.android.contacts/contacts/7 false extras Grace 9",
                    "contacts/7",
                ),
                ("file", "named 0 reads photo", "answered as wished: content://siamang.files/given/0"),
                ("camera", "nobody", "nobody can do that"),
                ("market", "came back with 0 null", "cancelled, as wished"),
                ("browse", "came back with 0 null", "came back without a result"),
            ] {
                stage.tap(asked).await;
                stage.sees(answer);
                assert!(stage.asked()[0].contains(told), "{asked}: {:?}", stage.asked());
            }
            stage.renew();
        }
    });
}

#[test]
fn what_an_app_keeps_outlives_its_process_and_goes_with_a_clean_start() {
    on_stage(async |stage| {
        stage.open("stores").await;
        stage.sees("kept 0 rows 0 bytes 0 outside 0");
        stage.tap("save").await;
        stage.tap("save").await;
        stage.sees("kept 2 rows 2 bytes 2 outside 2");
        stage.act(Input::Restart).await;
        stage.sees("lives 1");
        stage.tap("stores").await;
        stage.sees("kept 2 rows 2 bytes 2 outside 2");
        stage.tap("save").await;
        stage.act(Input::ProcessDeath).await;
        stage.sees("kept 3 rows 3 bytes 3 outside 3");
        stage.open("stores").await;
        stage.sees("kept 0 rows 0 bytes 0 outside 0");

        stage.tap("exit at the next start").await;
        let failure = stage.act_and_fail(Input::Restart).await;
        assert_eq!(failure.kind, FailureKind::Exit);
        stage.open("stores").await;
        stage.sees("kept 0 rows 0 bytes 0 outside 0");
    });
}

#[test]
fn an_apps_files_are_in_the_same_place_in_every_life() {
    on_stage(async |stage| {
        let mut places = Vec::new();
        for _ in 0..2 {
            stage.renew();
            stage.open("stores").await;
            stage.tap("where").await;
            stage.sees("in /data/user/0/");
            places.push(stage.texts());
            stage.act(Input::Restart).await;
            stage.tap("stores").await;
            stage.tap("where").await;
            places.push(stage.texts());
        }
        assert!(places.iter().all(|place| *place == places[0]), "{places:#?}");
    });
}

#[test]
fn data_that_were_kept_come_back_as_often_as_they_are_wanted() {
    on_stage(async |stage| {
        let nothing = stage.keep().await;
        stage.tap("stores").await;
        stage.tap("save").await;
        stage.tap("save").await;
        // While the database is open.
        let two = stage.keep().await;
        stage.tap("save").await;
        let three = stage.keep().await;
        assert_ne!(two, three);
        for _ in 0..2 {
            stage.open_kept(two, "stores").await;
            stage.sees("kept 2 rows 2 bytes 2 outside 2");
            // What is written afterwards is not written into the snapshot.
            stage.tap("save").await;
            stage.sees("kept 3 rows 3 bytes 3 outside 3");
        }
        stage.open_kept(nothing, "stores").await;
        stage.sees("kept 0 rows 0 bytes 0 outside 0");
        stage.open("stores").await;
        stage.open_kept(three, "stores").await;
        stage.act(Input::Restart).await;
        stage.tap("stores").await;
        stage.sees("kept 3 rows 3 bytes 3 outside 3");

        // They outlive the JVM, whether it goes in order or not, and the life of the app that they were taken in.
        for page in ["stores", "trouble"] {
            stage.open(page).await;
            if page == "trouble" {
                stage.tap_and_fail("exit").await;
            }
            stage.renew();
            stage.open_kept(two, "stores").await;
            stage.sees("kept 2 rows 2 bytes 2 outside 2");
        }
    });
}

#[test]
fn an_app_in_trouble_ends_its_step_and_never_the_tool() {
    on_stage(async |stage| {
        for (button, kind, said) in [
            ("crash", FailureKind::Java, "planted"),
            ("crash elsewhere", FailureKind::Java, "planted elsewhere"),
            ("exit", FailureKind::Exit, "3"),
            ("kill", FailureKind::Exit, "kill"),
            ("hang", FailureKind::Anr, "TroublePage"),
            ("wait for ever", FailureKind::Anr, "TroublePage"),
            ("accept", FailureKind::Anr, "TroublePage"),
            ("exit by name", FailureKind::Exit, "7"),
            ("halt by name", FailureKind::Exit, "7"),
            ("exit by any name", FailureKind::Exit, "System.exit"),
            ("recurse", FailureKind::Java, "StackOverflowError"),
            ("heap", FailureKind::Java, "OutOfMemoryError"),
            ("threads", FailureKind::Java, "OutOfMemoryError"),
        ] {
            stage.open("trouble").await;
            let failure = stage.tap_and_fail(button).await;
            assert_eq!(failure.kind, kind, "{button}: {failure:?}");
            assert!(format!("{failure:?}").contains(said), "{button}: {failure:?}");
        }
        stage.open("trouble").await;
        // A thread that never rests and an animation that never ends: a step ends all the same.
        stage.tap("spin").await;
        stage.sees("spinning");
        stage.told("the same seed may not give the same run: a thread of the app works beside the steps, in siamang.conformance.TroublePage$");
        stage.tap("escape").await;
        stage.open("trouble").await;
        stage.tap("print").await;
        stage.sees("printed");
        stage.tap("escape").await;
        stage.sees("escaped []");
        stage.tap("delete").await;
        stage.sees("deleted");
        stage.open("trouble").await;
        // What only the substitute cannot do is its fault, and the app's list stays empty.
        stage.tap_and_stop("native", "host fault: native code").await;
        stage.open("trouble").await;
        stage.tap_and_stop("equalizer", "host fault: hardware that the JVM does not have").await;
        stage.open("stores").await;
        stage.sees("kept 0 rows 0 bytes 0 outside 0");
    });
}

#[test]
fn time_and_chance_are_the_same_in_every_life() {
    on_stage(async |stage| {
        let mut drawn = Vec::new();
        for _ in 0..2 {
            stage.open("trouble").await;
            stage.tap("draw lots").await;
            drawn.push(stage.texts());
        }
        assert_eq!(drawn[0], drawn[1]);
    });
}

#[test]
fn an_apk_that_cannot_run_is_refused_with_the_reason() {
    let told = refusals(|name, bytes| {
        if name != "conformance" {
            return vec![(name.to_owned(), bytes)];
        }
        let half = bytes[..bytes.len() / 2].to_vec();
        let mut holed = bytes.clone();
        let middle = bytes.len() / 2;
        holed[middle - 500..middle + 500].fill(0x5a);
        let mut locked = bytes;
        lock(&mut locked);
        vec![("cut off".to_owned(), half), ("damaged".to_owned(), holed), ("encrypted".to_owned(), locked)]
    });
    for (name, refusal) in told {
        let reason = match name.as_str() {
            "no-launcher" => "no launcher activity",
            "split" => "a part of a split APK (words)",
            "encrypted" => "encrypted",
            "damaged" => "classes.dex is damaged",
            _ => "corrupt",
        };
        assert!(refusal.contains(reason), "{name}: {refusal}");
    }
}

#[test]
fn an_app_that_is_not_java_is_refused_early_and_the_doctor_says_why() {
    for (name, reason) in [
        ("flutter", "a Flutter app: its code is native (libflutter.so)"),
        ("react-native", "a React Native app: its code is native (libreactnativejni.so)"),
        ("react-native-new", "a React Native app: its code is native (libreactnative.so)"),
        ("unity", "a Unity app: its code is native (libunity.so)"),
        ("qt", "a Qt app: its code is native (libQt6Core_arm64-v8a.so)"),
        ("native-script", "a NativeScript app"),
        ("native-activity", "an app of native code only"),
        ("cordova", "an app inside a WebView"),
        ("capacitor", "an app inside a WebView"),
        ("no-launcher", "no launcher activity"),
        ("split", "a part of a split APK (words)"),
    ] {
        let Some((refused, doctor)) = told_of(name) else { return };
        let refused = refused.unwrap_err();
        assert!(refused.contains(reason), "{name}: {refused}");
        let told = format!("{name}.apk cannot run here: {reason}");
        assert!(doctor.contains("bad ") && doctor.contains(&told), "{name}: {doctor}");
    }
    // A library of its own is no reason to refuse an app: most of it may do without.
    let Some((prepared, doctor)) = told_of("own-library") else { return };
    assert!(prepared.unwrap()[0].contains("libown.so"));
    assert!(doctor.contains("libown.so") && !doctor.contains("cannot run here"), "{doctor}");
}

/// Says of every entry of an archive that a password is needed.
fn lock(archive: &mut [u8]) {
    let number =
        |archive: &[u8], at: usize| u32::from_le_bytes(archive[at..at + 4].try_into().unwrap()) as usize;
    let end = archive.len() - 22;
    let entries = usize::from(u16::from_le_bytes([archive[end + 10], archive[end + 11]]));
    let mut at = number(archive, end + 16);
    for _ in 0..entries {
        let local = number(archive, at + 42);
        archive[at + 8] |= 1;
        archive[local + 6] |= 1;
        let lengths = [28, 30, 32]
            .map(|field| usize::from(u16::from_le_bytes([archive[at + field], archive[at + field + 1]])));
        at += 46 + lengths.iter().sum::<usize>();
    }
}
