//! The activities that lie over each other, as far as they were seen: what BACK and "up" lead to.

use smol_str::SmolStr;

use crate::action::{Input, Key};

/// The activities from the launcher to the one in front.
#[derive(Clone, Debug, Default)]
pub struct ActivityStack(Vec<SmolStr>);

/// So many activities are remembered.
const MAX_ACTIVITIES: usize = 64;

impl ActivityStack {
    /// The app was launched.
    pub fn on_launch(&mut self, activity: &SmolStr) {
        self.0.clear();
        self.0.push(activity.clone());
    }

    /// Something was done, and this activity is in front. What leads to the activity below is taken for a return: whether it
    /// was started once more cannot be seen.
    pub fn on_step(&mut self, input: &Input, activity: &SmolStr) {
        if self.0.last() == Some(activity) {
            return;
        }
        let known = self.0.iter().rposition(|known| known == activity);
        let is_below = known.is_some_and(|known| known + 2 == self.0.len());
        match known {
            Some(known) if is_below || *input == Input::Key(Key::Back) => self.0.truncate(known + 1),
            _ if *input == Input::Key(Key::Back) => {
                self.0.clear();
                self.0.push(activity.clone());
            }
            _ => {
                if self.0.len() >= MAX_ACTIVITIES {
                    self.0.remove(0);
                }
                self.0.push(activity.clone());
            }
        }
    }

    /// The activity below the one in front, if it is known.
    pub fn below(&self) -> Option<&SmolStr> {
        self.0.len().checked_sub(2).map(|below| &self.0[below])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Point;

    #[test]
    fn what_lies_below_is_what_one_came_from_even_where_an_activity_lies_there_twice() {
        let mut stack = ActivityStack::default();
        let tap = Input::Tap(Point { x: 1, y: 1 });
        let back = Input::Key(Key::Back);
        stack.on_launch(&"A".into());
        assert_eq!(stack.below(), None);
        for activity in ["B", "C", "A", "A"] {
            stack.on_step(&tap, &activity.into());
        }
        assert_eq!(stack.below(), Some(&"C".into()));
        stack.on_step(&back, &"C".into());
        assert_eq!(stack.below(), Some(&"B".into()));
        stack.on_step(&tap, &"B".into());
        assert_eq!(stack.below(), Some(&"A".into()), "up leads to what lies below");
        stack.on_step(&back, &"D".into());
        assert_eq!(stack.below(), None, "nobody knows what lies below it");
    }
}
