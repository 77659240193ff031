//! Ways between activities, by what a person would do: tap this, then that.
//!
//! The model's ways begin in a state, and an app with many switches has more states than anybody visits twice. A route
//! needs only the widgets that it taps, so that it holds in states that were never seen before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use smol_str::SmolStr;

use super::recipe::Typed;
use crate::gui::{GuiTree, WindowKind};

/// The routes that a session knows.
#[derive(Clone, Debug, Default)]
pub struct Atlas {
    routes: BTreeMap<SmolStr, BTreeMap<SmolStr, Route>>,
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
/// A search looks at this many activities at most.
const MAX_LOOKED_AT: usize = 500;
/// A route that failed so much more often than it led there is not taken any more.
const MAX_FAILED: u32 = 3;

/// Ways must be known out of so many activities before one of them is called a gate.
const BEHIND_A_GATE: usize = 3;

impl Route {
    fn steps(&self) -> usize {
        self.texts.len() + self.legs.len()
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
            return;
        }
        if let Some(legs) = self.trail.take() {
            self.learn(
                before.activity(),
                Route { texts: typed.to_vec(), legs, hits: 1, misses: 0 },
                after.activity(),
            );
        }
    }

    /// The app was launched or left.
    pub fn on_break(&mut self) {
        self.trail = None;
    }

    fn learn(&mut self, from: &SmolStr, route: Route, to: &SmolStr) {
        let routes = self.routes.entry(from.clone()).or_default();
        match routes.get_mut(to) {
            Some(known) if known.legs == route.legs && known.texts == route.texts => known.hits += 1,
            // Whoever typed something to pass will need it again; without it one passes only while the app remembers.
            Some(known)
                if route.texts.is_empty() && !known.texts.is_empty() && known.misses <= known.hits => {}
            Some(known) if known.steps() < route.steps() && known.misses <= known.hits => {}
            Some(known) if known.steps() == route.steps() && known.misses == 0 => {}
            _ => {
                routes.insert(to.clone(), route);
            }
        }
    }

    /// A route was taken and did not lead where it should have.
    pub fn on_failure(&mut self, from: &SmolStr, to: &SmolStr) {
        if let Some(routes) = self.routes.get_mut(from)
            && let Some(route) = routes.get_mut(to)
        {
            route.misses += 1;
            if route.misses >= route.hits + MAX_FAILED {
                routes.remove(to);
            }
        }
    }

    /// Nobody passes an activity without having typed something, and most of the app lies behind it: a login.
    pub fn is_gate(&self, activity: &SmolStr) -> bool {
        let mut routes = self.routes.get(activity).into_iter().flat_map(BTreeMap::values).peekable();
        self.routes.len() >= BEHIND_A_GATE
            && routes.peek().is_some()
            && routes.all(|route| !route.texts.is_empty())
    }

    /// The next activity and the route to it, on the best way from one activity to another.
    pub fn way(&self, from: &SmolStr, to: &SmolStr) -> Option<(&SmolStr, &Route)> {
        let mut open = BinaryHeap::from([Reverse((0, from, None))]);
        let mut done: BTreeSet<&SmolStr> = BTreeSet::new();
        while let Some(Reverse((cost, at, first))) = open.pop() {
            if !done.insert(at) {
                continue;
            }
            if at == to {
                let first: &SmolStr = first?;
                return self.routes.get(from)?.get_key_value(first);
            }
            if done.len() > MAX_LOOKED_AT {
                return None;
            }
            for (next, route) in self.routes.get(at).into_iter().flatten() {
                if !done.contains(next) {
                    open.push(Reverse((cost + route.cost(), next, first.or(Some(next)))));
                }
            }
        }
        None
    }
}

/// No dialog, menu or question of the system lies over the activity.
fn is_alone(tree: &GuiTree) -> bool {
    let may_stay = [WindowKind::Application, WindowKind::InputMethod, WindowKind::Toast];
    tree.windows().iter().all(|window| may_stay.contains(&window.kind))
}

#[cfg(test)]
mod tests {
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
        Some(atlas.way(&from.into(), &to.into())?.1.legs.clone())
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
        assert_eq!(atlas.way(&"A".into(), &"C".into()).map(|(next, _)| next.as_str()), Some("B"));
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
        let typed = [Typed { field: 7, text: "guest".to_owned() }];
        let mut atlas = Atlas::default();
        atlas.on_step(&login, Some(1), &typed, &inbox);
        atlas.on_step(&inbox, Some(2), &[], &mail);
        assert!(!atlas.is_gate(&"Login".into()), "too little is known");
        atlas.on_step(&mail, Some(3), &[], &reply);
        assert!(atlas.is_gate(&"Login".into()));
        assert!(!atlas.is_gate(&"Inbox".into()) && !atlas.is_gate(&"Reply".into()));
        // BACK from the login leads to where one was only as long as the app was not closed.
        atlas.on_step(&login, Some(5), &[], &inbox);
        assert_eq!(legs(&atlas, "Login", "Inbox"), Some(vec![1]));
        atlas.on_step(&login, Some(4), &[], &mail);
        assert!(!atlas.is_gate(&"Login".into()), "there is a way without a text");
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
