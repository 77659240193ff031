//! What an app's own threads see of the time, and what is told of them: the same at any load of the machine.

use siamang::action::Input;

use crate::stage::on_stage;

#[test]
fn a_thread_at_work_sees_no_frame_pass() {
    on_stage(async |stage| {
        for _ in 0..5 {
            stage.open("threads").await;
            stage.tap("work among frames").await;
            stage.sees("late by 0 ms");
        }
    });
}

#[test]
fn a_thread_that_sleeps_by_the_systems_clock_waits_for_it_and_does_not_move_it() {
    on_stage(async |stage| {
        stage.open("threads").await;
        stage.tap("doze").await;
        stage.sees("dozing");
        stage.act(Input::Wait(5_000)).await;
        stage.sees("dozing");
        stage.act(Input::Wait(6_000)).await;
        stage.sees("dozed for 10000 ms");
    });
}

#[test]
fn threads_that_wake_at_the_same_moment_wake_in_the_order_of_their_making() {
    on_stage(async |stage| {
        stage.open("threads").await;
        for _ in 0..20 {
            stage.tap("sleep together").await;
            stage.sees("woke as 1 2 3 4 5 6 7 8");
        }
    });
}

#[test]
fn what_threads_do_when_their_process_ends_is_not_told_as_coverage() {
    on_stage(async |stage| {
        let mut covered = Vec::new();
        for _ in 0..20 {
            stage.open("threads").await;
            stage.tap("serve").await;
            stage.sees("serving");
            stage.start().await;
            covered.push(stage.covered());
        }
        covered.dedup();
        assert_eq!(covered.len(), 1, "{covered:?}");
    });
}

#[test]
fn messages_that_are_sent_again_until_time_has_passed_come_to_an_end() {
    on_stage(async |stage| {
        stage.open("threads").await;
        stage.tap("post until later").await;
        stage.act(Input::Wait(1_000)).await;
        stage.sees("posted until later");
        stage.tap("post for ever").await;
        stage.sees("posting");
        stage.back().await;
        stage.sees_page("MainPage");
    });
}

#[test]
fn timers_schedulers_and_waits_go_by_the_devices_clock_and_are_the_same_in_every_run() {
    on_stage(async |stage| {
        for _ in 0..3 {
            for (button, told) in [
                (
                    "timer",
                    "taken back true of 1 0, rate 400, rate 700, rate 1000, once 1500, delay 2000, delay 2200, Timer already cancelled. 2250, ",
                ),
                (
                    "scheduler",
                    "due in 5 taken back true 0, rate 300, rate 600, own 710, rate 900, once 1500, pause 1600, pause 1900, ",
                ),
                (
                    "waits",
                    "notified 400, polled null 700, slept 750, timed out 800, joined 1200, waited 1500, ",
                ),
                (
                    "rarer waits",
                    "first null 500, last null 600, offered false false 800, transferred false 900, not exchanged 1000, locked 0 0 1200, not advanced 1300, met true 1450, not met, broken true 1550, got there 1850, ",
                ),
                ("waits on main", "latched true 250, waited 650, sent true 950, "),
            ] {
                stage.open("time").await;
                stage.tap(button).await;
                stage.act(Input::Wait(4_000)).await;
                assert!(
                    stage.texts().iter().any(|shown| shown == told),
                    "{button}: {:?}\n{:?}",
                    stage.texts(),
                    stage.issues()
                );
            }
            stage.renew();
        }
        stage.open("time").await;
        stage.tap("timer fails").await;
        let failure = stage.act_and_fail(Input::Wait(1_500)).await;
        assert!(format!("{failure:?}").contains("planted in a timer"), "{failure:?}");
    });
}

#[test]
fn what_is_planned_in_one_life_is_not_done_in_the_next() {
    on_stage(async |stage| {
        for _ in 0..5 {
            stage.open("time").await;
            stage.tap("leave behind").await;
            stage.start().await;
            for _ in 0..100 {
                stage.act(Input::Wait(300)).await;
                let entered = stage.entered();
                assert!(entered.is_empty(), "{entered:?}");
            }
        }
    });
}

#[test]
fn what_waits_by_the_real_clock_is_told() {
    on_stage(async |stage| {
        stage.open("time").await;
        stage.tap("in real time").await;
        stage.sees("waiting for a pool");
        stage.told("the app waits in real time: siamang.conformance.TimePage$");
    });
}
