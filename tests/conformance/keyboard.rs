//! The soft keyboard: a window that covers others, comes for a field that has the focus, and takes BACK before any of them.

use siamang::action::{Input, Key};
use siamang::gui::Point;

use crate::stage::{Stage, on_stage};

#[test]
fn a_touched_field_brings_the_keyboard_and_back_closes_it_first() {
    on_stage(async |stage| {
        stage.open("keys").await;
        assert_eq!(stage.keyboard(), None);
        stage.tap("words").await;
        let keyboard = stage.keyboard().unwrap();
        // The page has become shorter, and is still the one that keys go to.
        assert!(stage.place("dialog").y < keyboard.top);
        assert_eq!(stage.lowest_of_the_page(), keyboard.top);
        // The first key of the first row.
        stage.act(Input::Tap(Point { x: keyboard.left + 5, y: keyboard.top + 5 })).await;
        stage.sees("q");
        stage.back().await;
        assert_eq!(stage.keyboard(), None);
        stage.sees_page("KeyboardPage");
        assert!(stage.lowest_of_the_page() > keyboard.top);
        stage.back().await;
        stage.sees_page("MainPage");
    });
}

#[test]
fn the_keyboard_comes_and_goes_as_an_app_asks_and_stays_while_it_types_into_the_same_field() {
    on_stage(async |stage| {
        stage.open("keys").await;
        // Who has not the focus is not heard.
        stage.tap("ask").await;
        stage.sees("asked false");
        assert_eq!(stage.keyboard(), None);
        stage.tap("words").await;
        stage.tap("hide").await;
        stage.sees("hidden true");
        assert_eq!(stage.keyboard(), None);
        stage.tap("ask").await;
        stage.sees("asked true");
        let upright = stage.keyboard().unwrap();
        for _ in 0..2 {
            stage.tap("toggle").await;
        }
        assert_eq!(stage.keyboard(), Some(upright));

        stage.act(Input::HomeAndReturn).await;
        assert_eq!(stage.keyboard(), Some(upright));
        stage.act(Input::Rotate).await;
        assert!(stage.keyboard().unwrap().top < upright.top);
        stage.act(Input::Rotate).await;
        stage.act(Input::Key(Key::Home)).await;
        assert_eq!(stage.keyboard(), None);
    });
}

#[test]
fn a_dialog_moves_out_of_the_way_of_the_keyboard_that_it_brings() {
    on_stage(async |stage| {
        stage.open("keys").await;
        stage.tap("dialog").await;
        let keyboard = stage.keyboard().unwrap();
        let low = stage.place("FINE").y;
        assert!(low < keyboard.top, "{low} {keyboard:?}");
        stage.back().await;
        assert_eq!(stage.keyboard(), None);
        let free = stage.place("FINE").y;
        assert!(free > low, "{free} {low} {keyboard:?}");
        stage.tap("FINE").await;
        stage.sees_page("KeyboardPage");
        stage.tap("dialog").await;
        stage.tap("FINE").await;
        // The page has nothing to type into, and so has no use for what the dialog brought.
        assert_eq!(stage.keyboard(), None);

        // A window may want to see keys before the keyboard does.
        stage.tap("stubborn").await;
        stage.back().await;
        stage.sees("took BACK");
        assert!(stage.keyboard().is_some());
    });
}

#[test]
fn a_picture_is_as_large_as_the_screen_and_shows_the_keyboard() {
    on_stage(async |stage| {
        stage.open("keys").await;
        let (width, height, without) = stage.picture().await;
        assert_eq!(stage.picture().await.2, without);
        stage.tap("words").await;
        assert_ne!(stage.picture().await.2, without);
        let keyboard = stage.keyboard().unwrap();
        assert_eq!(
            (keyboard.right, keyboard.bottom),
            (width.try_into().unwrap(), height.try_into().unwrap())
        );
        stage.act(Input::Rotate).await;
        let (turned_width, turned_height, _) = stage.picture().await;
        assert_eq!((turned_width, turned_height), (height, width));
    });
}

impl Stage {
    /// Where the lowest widget of the page ends.
    fn lowest_of_the_page(&self) -> i32 {
        let tree = self.tree();
        tree.indices()
            .filter(|&ix| tree.widget(ix).class.ends_with("ScrollView"))
            .map(|ix| tree.widget(ix).bounds.bottom)
            .max()
            .unwrap()
    }
}
