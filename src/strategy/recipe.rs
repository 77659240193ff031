//! What was typed and ticked before something led on: a login or a form that was once passed is passed again at once.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::action::ActionKind;
use crate::gui::{Flags, GuiTree, Reach};
use crate::model::Sight;

/// What was typed when a tap led from one activity to another, and what is typed on the present screen.
#[derive(Clone, Debug, Default)]
pub struct Recipes {
    typed: Vec<Typed>,
    known: BTreeMap<Passage, Recipe>,
    /// How many accounts were tried at each login.
    guesses: BTreeMap<SmolStr, usize>,
}

/// What a field got, with its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The field, or the box.
    pub field: u64,
    /// What it got.
    pub value: Value,
}

/// What a field got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A tick, or none.
    Ticked(bool),
}

impl Typed {
    /// It is a text, not a tick.
    pub fn is_text(&self) -> bool {
        matches!(self.value, Value::Text(_))
    }

    /// What has to be done on a screen for it, and the text for it, unless the field is not there or has the value already.
    pub fn to_do<'a>(&'a self, tree: &GuiTree, sight: &Sight) -> Option<(Reach, Option<&'a str>)> {
        let kind = if self.is_text() { ActionKind::Text } else { ActionKind::Tap };
        let mut fields = sight.reach.iter().zip(&sight.marks);
        let (&reach, _) = fields.find(|(reach, mark)| reach.kind == kind && **mark == self.field)?;
        match &self.value {
            Value::Text(text) => Some((reach, Some(text))),
            Value::Ticked(ticked) => {
                let is_ticked = tree.widget(reach.node).flags.contains(Flags::CHECKED);
                (is_ticked != *ticked).then_some((reach, None))
            }
        }
    }
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
    /// A field got a text or a tick.
    pub fn on_value(&mut self, field: u64, value: Value) {
        self.typed.retain(|typed| typed.field != field);
        self.typed.push(Typed { field, value });
    }

    /// Exchanges what is known, and keeps what is typed.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.known, &mut other.known);
        std::mem::swap(&mut self.guesses, &mut other.guesses);
    }

    /// Which account is tried next at a login, counted from 0, unless so many were tried: no session tries one that
    /// another has tried.
    pub fn guess(&mut self, login: &SmolStr, most: usize) -> Option<usize> {
        let made = self.guesses.entry(login.clone()).or_default();
        *made += 1;
        (*made <= most).then_some(*made - 1)
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
        } else if self.typed.iter().any(Typed::is_text) && self.known.len() < MAX_KNOWN {
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
        let text = |text: &str| Value::Text(text.to_owned());
        recipes.on_value(1, text("guess"));
        recipes.on_value(1, text("guest"));
        recipes.on_value(2, text("welcome"));
        recipes.on_value(3, Value::Ticked(true));
        recipes.on_passage(login.clone());
        recipes.on_leave();
        let missing =
            |recipes: &Recipes| recipes.missing(&login).map(|typed| typed.value.clone()).collect::<Vec<_>>();
        assert_eq!(missing(&recipes), [text("guest"), text("welcome"), Value::Ticked(true)]);
        recipes.on_value(1, text("guest"));
        assert_eq!(missing(&recipes), [text("welcome"), Value::Ticked(true)]);
        recipes.on_failure(&login);
        assert!(recipes.knows(&login));
        recipes.on_failure(&login);
        assert!(!recipes.knows(&login));
    }
}
