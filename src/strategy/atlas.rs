//! Ways between activities, by what a person would do: tap this, then that.
//!
//! The model's ways begin in a state, and an app with many switches has more states than anybody visits twice. A route
//! needs only the widgets that it taps, so that it holds in states that were never seen before.

mod places;

use std::cmp::Reverse;

use places::Places;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::recipe::Typed;
use crate::action::ActionKind;
use crate::gui::{Flags, GuiTree, WindowKind};
use crate::model::sight::phone_mark;

/// The routes that a session knows.
#[derive(Clone, Debug, Default)]
pub struct Atlas {
    places: Places,
    /// What was done in an activity and did not leave it: hashes of the two.
    refused: FxHashSet<u64>,
    /// What was done since the activity was alone in front; nothing if it cannot be told.
    trail: Option<Vec<u64>>,
}

/// A way from one activity to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// What is typed first.
    pub texts: Vec<Typed>,
    /// The marks of what is done then.
    pub legs: Vec<u64>,
    hits: u32,
    misses: u32,
}

/// A longer way between two activities is no route.
const MAX_LEGS: usize = 6;
/// A route that failed so much more often than it led there is not taken any more.
const MAX_FAILED: u32 = 3;

/// Ways must be known out of so many activities before one of them is called a gate.
const BEHIND_A_GATE: usize = 3;

impl Route {
    fn steps(&self) -> usize {
        self.texts.len() + self.legs.len()
    }

    /// A text is typed for it.
    fn is_typed(&self) -> bool {
        self.texts.iter().any(Typed::is_text)
    }

    /// It goes back to where one came from, and so holds only as long as that is still there.
    fn is_return(&self) -> bool {
        self.legs.contains(&phone_mark(ActionKind::Back))
    }

    fn cost(&self) -> u32 {
        self.steps() as u32 * 4 * (1 + self.misses) / (1 + self.hits.min(self.misses))
    }
}

impl Atlas {
    /// Something was done to a screen and led to another. `mark` says what, unless the app had not settled.
    pub fn on_step(&mut self, before: &GuiTree, mark: Option<u64>, typed: &[Typed], after: &GuiTree) {
        if is_alone(before) {
            self.trail = Some(Vec::new());
        }
        let trail = mark.zip(self.trail.take()).filter(|(_, trail)| trail.len() < MAX_LEGS);
        self.trail = trail.map(|(mark, mut trail)| {
            trail.push(mark);
            trail
        });
        if before.activity() == after.activity() {
            self.refused.extend(mark.map(|mark| place(before.activity(), mark)));
            return;
        }
        if let Some(mut legs) = self.trail.take() {
            // What never refused anybody does not ask for what happens to be typed, unless it asks for a password.
            let is_asked = asks_for_a_password(before)
                || legs.last().is_some_and(|&leg| self.refused.contains(&place(before.activity(), leg)));
            let texts = if is_asked { typed.to_vec() } else { Vec::new() };
            legs.shrink_to_fit();
            self.learn(before.activity(), Route { texts, legs, hits: 1, misses: 0 }, after.activity());
        }
    }

    /// Exchanges the routes, and keeps the trail.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.places, &mut other.places);
        std::mem::swap(&mut self.refused, &mut other.refused);
    }

    /// The app was launched or left.
    pub fn on_break(&mut self) {
        self.trail = None;
    }

    fn learn(&mut self, from: &SmolStr, route: Route, to: &SmolStr) {
        match self.places.route_mut(from, to) {
            Some(known) if known.legs == route.legs && known.texts == route.texts => known.hits += 1,
            // Whoever typed something to pass will need it again; without it one passes only while the app remembers.
            Some(known) if !route.is_typed() && known.is_typed() && known.misses <= known.hits => {}
            Some(known) if known.steps() < route.steps() && known.misses <= known.hits => {}
            Some(known) if known.steps() == route.steps() && known.misses == 0 => {}
            _ => self.places.put(from, route, to),
        }
    }

    /// A route was taken and did not lead where it should have.
    pub fn on_failure(&mut self, from: &SmolStr, to: &SmolStr) {
        if let Some(route) = self.places.route_mut(from, to) {
            route.misses += 1;
            if route.misses >= route.hits + MAX_FAILED {
                self.places.remove(from, to);
            }
        }
    }

    /// Nobody passes an activity without having typed something, and most of the app lies behind it: a login. Who goes
    /// back from it to where one was thrown out has not passed it.
    pub fn is_gate(&self, activity: &SmolStr) -> bool {
        let mut routes = self.places.onward(activity).map(|(_, route)| route).peekable();
        self.places.left() >= BEHIND_A_GATE && routes.peek().is_some() && routes.all(Route::is_typed)
    }

    /// What lies right behind a gate, and how often it was passed that way.
    pub fn behind(&self, gate: &SmolStr) -> Option<(&SmolStr, u32)> {
        if !self.is_gate(gate) {
            return None;
        }
        let routes = self.places.onward(gate);
        let (behind, route) = routes.max_by_key(|(_, route)| (route.hits, Reverse(route.misses)))?;
        Some((behind, route.hits.saturating_sub(route.misses)))
    }

    /// The activities on the best way from one activity to another, the last first; in a small app only the next one,
    /// since there a way is soon found again. `stack` holds the activities that one can go back to.
    pub fn way(&self, from: &SmolStr, to: &SmolStr, stack: &[SmolStr]) -> Option<Vec<SmolStr>> {
        self.places.way(from, to, stack)
    }

    /// The route from one activity to the next.
    pub fn route(&self, from: &SmolStr, to: &SmolStr, stack: &[SmolStr]) -> Option<&Route> {
        self.places.route(from, to, stack)
    }

    /// How many activities all searches together have looked at so far: what they cost.
    pub fn looked_at(&self) -> u64 {
        self.places.looked_at()
    }
}

fn place(activity: &str, mark: u64) -> u64 {
    xxh3_64_with_seed(activity.as_bytes(), mark)
}

fn asks_for_a_password(tree: &GuiTree) -> bool {
    tree.nodes().iter().any(|node| node.widget.flags.contains(Flags::PASSWORD))
}

/// No dialog, menu or question of the system lies over the activity.
fn is_alone(tree: &GuiTree) -> bool {
    let may_stay = [WindowKind::Application, WindowKind::InputMethod, WindowKind::Toast];
    tree.windows().iter().all(|window| may_stay.contains(&window.kind))
}

#[cfg(test)]
mod tests {
    use super::super::recipe::Value;
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{Bounds, TreeBuilder, Widget, Window};

    fn screen(activity: &str, over: Option<WindowKind>) -> GuiTree {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        let bounds = Bounds::new(0, 0, 100, 100);
        builder.window(Window::application(bounds));
        builder.leaf(Widget { bounds, ..Widget::default() });
        if let Some(kind) = over {
            builder.window(Window { kind, ..Window::application(bounds) });
            builder.leaf(Widget { bounds, ..Widget::default() });
        }
        builder.finish()
    }

    fn legs(atlas: &Atlas, from: &str, to: &str) -> Option<Vec<u64>> {
        let from = from.into();
        let next = atlas.way(&from, &to.into(), &[])?.pop()?;
        Some(atlas.route(&from, &next, &[])?.legs.clone())
    }

    #[test]
    fn a_route_begins_where_nothing_lies_over_the_activity() {
        let (main, menu, settings) =
            (screen("Main", None), screen("Main", Some(WindowKind::Popup)), screen("Settings", None));
        let mut atlas = Atlas::default();
        atlas.on_step(&main, Some(1), &[], &main);
        atlas.on_step(&main, Some(2), &[], &menu);
        atlas.on_step(&menu, Some(3), &[], &settings);
        assert_eq!(legs(&atlas, "Main", "Settings"), Some(vec![2, 3]));
        assert_eq!(legs(&atlas, "Settings", "Main"), None);
    }

    #[test]
    fn routes_are_joined_and_one_that_fails_again_and_again_is_forgotten() {
        let [a, b, c] = ["A", "B", "C"].map(|activity| screen(activity, None));
        let mut atlas = Atlas::default();
        atlas.on_step(&a, Some(1), &[], &b);
        atlas.on_step(&b, Some(2), &[], &c);
        assert_eq!(atlas.way(&"A".into(), &"C".into(), &[]), Some(vec!["B".into()]));
        for _ in 0..4 {
            assert!(legs(&atlas, "A", "C").is_some());
            atlas.on_failure(&"A".into(), &"B".into());
        }
        assert_eq!(legs(&atlas, "A", "C"), None);
    }

    #[test]
    fn a_gate_is_what_nobody_passes_without_a_text() {
        let [login, inbox, mail, reply] =
            ["Login", "Inbox", "Mail", "Reply"].map(|activity| screen(activity, None));
        let typed = [Typed { field: 7, value: Value::Text("guest".to_owned()) }];
        let mut atlas = Atlas::default();
        atlas.on_step(&login, Some(1), &[], &login);
        atlas.on_step(&login, Some(1), &typed, &inbox);
        atlas.on_step(&inbox, Some(2), &[], &mail);
        assert!(!atlas.is_gate(&"Login".into()), "too little is known");
        atlas.on_step(&mail, Some(3), &[], &reply);
        assert!(atlas.is_gate(&"Login".into()));
        assert!(!atlas.is_gate(&"Inbox".into()) && !atlas.is_gate(&"Reply".into()));
        // BACK from the login leads to where one was only as long as the app was not closed.
        atlas.on_step(&login, Some(5), &[], &inbox);
        assert_eq!(legs(&atlas, "Login", "Inbox"), Some(vec![1]));
        let back = phone_mark(ActionKind::Back);
        atlas.on_step(&login, Some(back), &[], &reply);
        assert!(atlas.is_gate(&"Login".into()), "whoever goes back has not passed");
        let way = |stack: &[SmolStr]| atlas.way(&"Login".into(), &"Reply".into(), stack);
        assert_eq!(way(&["Reply".into()]), Some(vec!["Reply".into()]));
        assert_eq!(way(&[]), Some(vec!["Inbox".into()]));
        atlas.on_step(&login, Some(4), &[], &mail);
        assert!(!atlas.is_gate(&"Login".into()), "there is a way without a text");
    }

    #[test]
    fn what_happens_to_be_typed_is_no_part_of_a_route_that_refuses_nobody() {
        let [form, about] = ["Form", "About"].map(|activity| screen(activity, None));
        let typed = [Typed { field: 7, value: Value::Text("hello".to_owned()) }];
        let mut atlas = Atlas::default();
        let texts =
            |atlas: &Atlas| atlas.route(&"Form".into(), &"About".into(), &[]).map(|way| way.texts.len());
        atlas.on_step(&form, Some(1), &typed, &about);
        assert_eq!(texts(&atlas), Some(0));
        atlas.on_step(&form, Some(1), &[], &form);
        atlas.on_failure(&"Form".into(), &"About".into());
        atlas.on_failure(&"Form".into(), &"About".into());
        atlas.on_step(&form, Some(1), &typed, &about);
        assert_eq!(texts(&atlas), Some(1), "it refused somebody who had typed nothing");
    }

    #[test]
    fn what_was_done_before_the_app_had_settled_is_no_part_of_a_route() {
        let (main, menu, settings) =
            (screen("Main", None), screen("Main", Some(WindowKind::Popup)), screen("Settings", None));
        let mut atlas = Atlas::default();
        atlas.on_step(&main, None, &[], &menu);
        atlas.on_step(&menu, Some(3), &[], &settings);
        assert_eq!(legs(&atlas, "Main", "Settings"), None);
    }
}
