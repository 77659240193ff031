//! Bursts of raw events: what no model knows how to ask for (explorers.md 1.8).

use rand::RngExt;

use super::super::monkey::{Freedom, point, screen, some_key};
use super::super::{Choice, Chosen, ModelView, Session};
use crate::action::{Event, Input, Key};
use crate::seed::Rng;

/// How long a burst is.
const LENGTH: std::ops::RangeInclusive<u32> = 5..=14;
/// How many taps of a burst in a hundred are long.
const LONG_PERCENT: u32 = 10;

/// The next event of a burst, if one is under way or begins now.
pub(super) fn burst(permille: u32, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    if session.fuzz_left == 0 {
        if permille == 0 || session.pace.random_range(0..1000) >= permille {
            return None;
        }
        session.fuzz_left = session.pace.random_range(LENGTH);
        session.plan.clear();
    }
    session.fuzz_left -= 1;
    let input = draw(view, &mut session.choice);
    Some(Choice::new(Chosen::Raw(Event::settled(input)), "sata: fuzz"))
}

/// The released proportions of twenty; the pinch, which the released APE computes and loses, is done. Where the app must not
/// be left, nothing is pressed that the phone itself does something with.
fn draw(view: &ModelView<'_>, rng: &mut Rng) -> Input {
    let screen = screen(view.tree);
    let freedom = Freedom::of(view);
    match rng.random_range(0..20) {
        0 if freedom.turns => Input::Rotate,
        1 if freedom.leaves => Input::HomeAndReturn,
        0 | 1 => Input::Tap(point(screen, rng)),
        2..6 => Input::Key(
            [Key::DpadUp, Key::DpadDown, Key::DpadLeft, Key::DpadRight, Key::DpadCenter]
                [rng.random_range(0..5)],
        ),
        6..9 if !freedom.leaves => Input::Key([Key::Menu, Key::Enter][rng.random_range(0..2)]),
        6..9 => Input::Key([Key::Menu, Key::VolumeUp, Key::VolumeDown, Key::Enter][rng.random_range(0..4)]),
        9..11 => Input::Key(some_key(freedom, rng)),
        11..13 => Input::Key(Key::DpadCenter),
        13..15 => Input::Swipe { from: point(screen, rng), to: point(screen, rng) },
        15..17 => {
            let at = point(screen, rng);
            if rng.random_range(0..100) < LONG_PERCENT { Input::LongTap(at) } else { Input::Tap(at) }
        }
        _ => Input::Pinch { center: point(screen, rng), open: rng.random_bool(0.5) },
    }
}
