//! Uniform over what the widgets accept, with a small share for the phone itself.

use rand::RngExt;

use super::{Choice, Chosen, ModelView, Session, Strategy};
use crate::action::ActionKind;

/// Nine times in ten an action of a widget or BACK, all equally likely; else MENU, rotation, home and return or
/// process death.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

/// How many choices in a hundred go to the phone itself.
const PHONE_PERCENT: u32 = 10;

impl Strategy for Random {
    fn choose(&self, view: &ModelView<'_>, session: &mut Session) -> Choice {
        let risky = view.sight.phone.get(1..).unwrap_or_default();
        if session.choice.random_range(0..100) < PHONE_PERCENT
            && let Some(&(kind, _)) = session.pick(risky)
        {
            return Choice::new(Chosen::Phone(kind), "random: phone");
        }
        let drawn = session.choice.random_range(0..=view.sight.reach.len());
        match view.sight.reach.get(drawn) {
            Some(&reach) => Choice::new(Chosen::Widget(reach), "random: widget"),
            None => Choice::new(Chosen::Phone(ActionKind::Back), "random: back"),
        }
    }
}
