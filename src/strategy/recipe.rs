//! Texts that led on: a login or a form that was once passed is passed again at once.

use std::collections::BTreeMap;

use smol_str::SmolStr;

/// What was typed when a tap led from one activity to another, and what is typed on the present screen.
#[derive(Clone, Debug, Default)]
pub struct Recipes {
    typed: Vec<Typed>,
    known: BTreeMap<Passage, Recipe>,
}

/// A text and the mark of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The field.
    pub field: u64,
    /// What was typed.
    pub text: String,
}

/// A tap that led from one activity to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passage {
    /// Where it began.
    pub from: SmolStr,
    /// The mark of what was tapped.
    pub mark: u64,
    /// Where it led.
    pub to: SmolStr,
}

#[derive(Clone, Debug, Default)]
struct Recipe {
    texts: Vec<Typed>,
    failed: u32,
}

/// More are a sign that texts do not matter here.
const MAX_KNOWN: usize = 100;
/// A recipe that failed so often in a row is forgotten.
const MAX_FAILED: u32 = 2;

impl Recipes {
    /// A field got a text.
    pub fn on_text(&mut self, field: u64, text: &str) {
        self.typed.retain(|typed| typed.field != field);
        self.typed.push(Typed { field, text: text.to_owned() });
    }

    /// What is typed on the present screen.
    pub fn typed(&self) -> &[Typed] {
        &self.typed
    }

    /// Another activity is in front, or the app was launched: nothing is typed there yet.
    pub fn on_leave(&mut self) {
        self.typed.clear();
    }

    /// A tap led to another activity.
    pub fn on_passage(&mut self, passage: Passage) {
        if let Some(recipe) = self.known.get_mut(&passage) {
            recipe.failed = 0;
        } else if !self.typed.is_empty() && self.known.len() < MAX_KNOWN {
            self.known.insert(passage, Recipe { texts: self.typed.clone(), failed: 0 });
        }
    }

    /// A tap should have led to another activity and did not.
    pub fn on_failure(&mut self, passage: &Passage) {
        if let Some(recipe) = self.known.get_mut(passage) {
            recipe.failed += 1;
            if recipe.failed >= MAX_FAILED {
                self.known.remove(passage);
            }
        }
    }

    /// It is known what to type for a passage.
    pub fn knows(&self, passage: &Passage) -> bool {
        self.known.contains_key(passage)
    }

    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What has still to be typed before a passage.
    pub fn missing(&self, passage: &Passage) -> impl Iterator<Item = &Typed> {
        let texts = self.known.get(passage).map_or(&[][..], |recipe| &recipe.texts);
        texts.iter().filter(|typed| !self.typed.contains(typed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_before_a_passage_is_typed_again_until_it_fails_twice() {
        let login = Passage { from: "Login".into(), mark: 7, to: "Inbox".into() };
        let mut recipes = Recipes::default();
        recipes.on_text(1, "guess");
        recipes.on_text(1, "guest");
        recipes.on_text(2, "welcome");
        recipes.on_passage(login.clone());
        recipes.on_leave();
        let missing =
            |recipes: &Recipes| recipes.missing(&login).map(|typed| typed.text.clone()).collect::<Vec<_>>();
        assert_eq!(missing(&recipes), ["guest", "welcome"]);
        recipes.on_text(1, "guest");
        assert_eq!(missing(&recipes), ["welcome"]);
        recipes.on_failure(&login);
        assert!(recipes.knows(&login));
        recipes.on_failure(&login);
        assert!(!recipes.knows(&login));
    }
}
