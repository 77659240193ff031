//! Questions for permissions: the phone's window, both answers, and what an app hears of them.

use siamang::action::Input;
use siamang::gui::WindowKind;

use super::stage::{Stage, on_stage};

/// The window over the page, and nothing else can be done before it is answered.
fn is_asked(stage: &Stage, about: &str) {
    stage.sees(about);
    let windows = stage.tree().windows();
    let question = windows.iter().find(|window| window.kind == WindowKind::System).unwrap();
    assert!(question.modal && question.focused, "{question:?}");
    assert!(windows.iter().all(|window| window.kind == WindowKind::System || !window.focused));
}

#[test]
fn a_permission_is_asked_for_and_the_app_hears_both_answers() {
    on_stage(async |stage| {
        stage.open("permissions").await;
        stage.tap("look").await;
        stage.sees("camera false explain false");
        stage.tap("log").await;
        stage.tap("camera").await;
        is_asked(stage, "Allow conformance to take pictures and record video?");
        let asked = stage.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(asked[0].contains("REQUEST_PERMISSIONS android.permission.CAMERA"), "{asked:?}");
        assert!(asked[0].ends_with("(asks the user)"), "{asked:?}");
        // A touch beside the window does nothing.
        let page = stage.place("look");
        stage.act(Input::Tap(page)).await;
        is_asked(stage, "Allow conformance to take pictures and record video?");
        stage.tap("Allow").await;
        stage.sees("answer 5 yes");
        stage.tap("log").await;
        stage.sees("Permission.pause Permission.answer Permission.resume");
        stage.tap("look").await;
        stage.sees("camera true explain false");
        // What was allowed is not asked again, and outlives the process; a clean start forgets it.
        stage.tap("camera").await;
        stage.sees("answer 5 yes");
        assert!(stage.asked()[0].contains("answered without a question"), "{:?}", stage.asked());
        stage.act(Input::Restart).await;
        stage.tap("permissions").await;
        stage.tap("look").await;
        stage.sees("camera true");
        stage.open("permissions").await;
        stage.tap("look").await;
        stage.sees("camera false explain false");
    });
}

#[test]
fn after_two_denials_a_permission_is_not_asked_for_again() {
    on_stage(async |stage| {
        stage.open("permissions").await;
        // To go back is no answer, and does not count.
        stage.tap("camera").await;
        stage.back().await;
        stage.sees("answer 5 no");
        stage.tap("look").await;
        stage.sees("camera false explain false");
        for explain in [true, false] {
            stage.tap("camera").await;
            is_asked(stage, "take pictures");
            stage.tap("Don't allow").await;
            stage.sees("answer 5 no");
            stage.tap("look").await;
            stage.sees(&format!("camera false explain {explain}"));
        }
        stage.tap("camera").await;
        stage.sees("answer 5 no");
        let kept = stage.keep().await;
        stage.open("permissions").await;
        stage.tap("camera").await;
        stage.tap("Allow").await;
        stage.sees("answer 5 yes");
        // The answers are part of what a snapshot keeps.
        stage.open_kept(kept, "permissions").await;
        stage.tap("camera").await;
        stage.sees("answer 5 no");
    });
}

#[test]
fn a_question_stays_over_rotation_home_and_death_and_each_group_is_asked_once() {
    on_stage(async |stage| {
        stage.open("permissions").await;
        stage.tap("place and sound").await;
        is_asked(stage, "access this device's location?");
        stage.tap("Allow").await;
        is_asked(stage, "record audio?");
        for change in [Input::Rotate, Input::Rotate, Input::HomeAndReturn, Input::ProcessDeath] {
            stage.act(change).await;
            is_asked(stage, "record audio?");
        }
        stage.tap("Don't allow").await;
        stage.sees("answer 6 yes no yes");
        stage.tap("place and sound").await;
        is_asked(stage, "record audio?");
        stage.tap("Allow").await;
        stage.sees("answer 6 yes yes yes");
        stage.tap("not declared").await;
        stage.sees("answer 7 no");
        stage.tap("never asked").await;
        stage.sees("answer 8 yes");
    });
}
