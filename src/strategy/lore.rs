//! What all sessions of a run know together.

use super::Session;
use super::atlas::Atlas;
use super::claims::Claims;
use super::habit::Habits;
use super::recipe::Recipes;
use super::sata::camp::Camps;
use super::sweep::Sweep;

/// Routes, habits, texts that led on, pages with their promises, and where was camped: what one device has found out, the
/// others need not find out again, and where one has camped or is on its way to, the others do not go.
#[derive(Debug, Default)]
pub struct Lore {
    atlas: Atlas,
    habits: Habits,
    recipes: Recipes,
    camps: Camps,
    sweep: Sweep,
    claims: Claims,
    /// Steps of all sessions since something was covered for the first time.
    dry: u32,
}

impl Lore {
    /// How many activities all searches for routes have looked at so far.
    pub fn looked_at(&self) -> u64 {
        self.atlas.looked_at()
    }

    /// A session gets what is known, or gives it back: it has it only while it thinks.
    pub fn exchange(&mut self, session: &mut Session) {
        self.atlas.exchange(&mut session.atlas);
        self.habits.exchange(&mut session.habits);
        self.recipes.exchange(&mut session.recipes);
        self.camps.exchange(&mut session.camps);
        self.sweep.exchange(&mut session.sweep);
        std::mem::swap(&mut self.claims, &mut session.claims);
        std::mem::swap(&mut self.dry, &mut session.dry);
    }
}
