//! What sort of value each variable always holds, as far as the scripts show.
//!
//! A statement whose operands always have the types it needs cannot fail, and then it does not matter which values they
//! have.

use std::collections::BTreeMap;

use rhai::Dynamic;

use super::super::app::{ActivityIx, App};
use super::super::app_model::WidgetKind;
use super::slice::{Place, place_named, place_of};
use super::tokens::{self, Statement, Token};

/// A sort of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Int,
    Bool,
    Text,
    Array,
    /// One that cannot be told, or not always the same.
    Any,
}

/// The sort of each variable; what is not in it can be anything.
#[derive(Debug)]
pub(super) struct Types {
    sorts: BTreeMap<Place, Sort>,
}

impl Types {
    /// What the first values, the widgets and the scripts of an app show.
    pub(super) fn of(app: &App) -> Self {
        let mut types = Self { sorts: BTreeMap::new() };
        for (ix, variable) in app.globals.iter().enumerate() {
            types.sorts.insert(Place::Global(ix as u16), sort_of(&variable.first));
        }
        for (number, activity) in app.activities.iter().enumerate() {
            for (ix, variable) in activity.locals.iter().enumerate() {
                let place = Place::Local(ActivityIx(number as u32), ix as u16);
                types.sorts.insert(place, sort_of(&variable.first));
            }
        }
        for widget in &app.widgets {
            let sort = match widget.kind {
                WidgetKind::Field | WidgetKind::Spinner => Sort::Text,
                WidgetKind::Check | WidgetKind::Switch => Sort::Bool,
                WidgetKind::Tabs => Sort::Int,
                _ => Sort::Any,
            };
            if let Some(place) = widget.bind.and_then(|slot| place_of(slot, widget.activity)) {
                types.join(place, sort);
            }
        }
        while types.follow(app) {}
        types
    }

    /// What a variable always holds, in words, if that is never true or false.
    pub(super) fn never_a_flag(&self, app: &App, name: &str, activity: ActivityIx) -> Option<&'static str> {
        match self.get(place_named(app, name, activity)?) {
            Sort::Int => Some("a number"),
            Sort::Text => Some("a text"),
            Sort::Array => Some("a list"),
            Sort::Bool | Sort::Any => None,
        }
    }

    /// What a place always holds.
    pub(super) fn get(&self, place: Place) -> Sort {
        self.sorts.get(&place).copied().unwrap_or(Sort::Any)
    }

    fn join(&mut self, place: Place, sort: Sort) -> bool {
        let known = self.sorts.entry(place).or_insert(sort);
        let joined = if *known == sort { sort } else { Sort::Any };
        std::mem::replace(known, joined) != joined
    }

    /// One round over all assignments; whether anything changed.
    fn follow(&mut self, app: &App) -> bool {
        let mut changed = false;
        for rule in &app.rules {
            if let Some(script) = &rule.script {
                changed |= self.follow_script(app, &tokens::tokens(script.source()), rule.activity);
            }
            if let Some(start) = &rule.start {
                for (variable, expr) in &start.with {
                    let sort = self.result(app, &tokens::tokens(expr.source()), rule.activity);
                    changed |= self.join(Place::Local(start.activity, *variable), sort);
                }
            }
        }
        changed
    }

    fn follow_script(&mut self, app: &App, tokens: &[Token<'_>], activity: ActivityIx) -> bool {
        let mut changed = false;
        for (at, pair) in tokens.windows(2).enumerate() {
            let (Token::Word(name), Token::Sign(sign)) = (&pair[0], &pair[1]) else { continue };
            if !tokens::ASSIGNMENTS.contains(sign)
                || (at > 0 && matches!(tokens[at - 1], Token::Sign("." | "?.")))
            {
                continue;
            }
            let Some(place) = place_named(app, name, activity) else { continue };
            let value = &tokens[at + 2..];
            let end = value.iter().position(|token| matches!(token, Token::Sign(";" | "}")));
            let value = &value[..end.unwrap_or(value.len())];
            let mut sort = self.result(app, value, activity);
            if *sign != "=" && sort != Sort::Int {
                sort = Sort::Any;
            }
            changed |= self.join(place, sort);
        }
        changed
    }

    /// The sort of an expression's value.
    fn result(&self, app: &App, tokens: &[Token<'_>], activity: ActivityIx) -> Sort {
        let named = |name: &str| match name {
            "true" | "false" => Sort::Bool,
            _ => place_named(app, name, activity).map_or(Sort::Any, |place| self.get(place)),
        };
        match tokens {
            [Token::Word(name)] => return named(name),
            [Token::Text(_)] => return Sort::Text,
            [Token::Sign("!"), Token::Word(_)] => return Sort::Bool,
            [Token::Sign("["), .., Token::Sign("]")] if !tokens[1..].contains(&Token::Sign("[")) => {
                return Sort::Array;
            }
            _ => {}
        }
        let counts = tokens.iter().all(|token| match token {
            Token::Int(_) | Token::Sign("+" | "-" | "*" | "/" | "%" | "(" | ")") => true,
            Token::Word(name) => named(name) == Sort::Int,
            _ => false,
        });
        let compares = tokens
            .iter()
            .any(|token| matches!(token, Token::Sign("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||")));
        let branches =
            tokens.iter().any(|token| matches!(token, Token::Sign("{" | "#{" | "[") | Token::Word("if")));
        match (counts, compares && !branches) {
            (true, _) => Sort::Int,
            (_, true) => Sort::Bool,
            _ => Sort::Any,
        }
    }

    /// The statement runs to its end, whatever the values are.
    pub(super) fn never_fails(&self, app: &App, statement: &Statement<'_>, activity: ActivityIx) -> bool {
        let all = |names: &[&str], fits: fn(Sort) -> bool| {
            let mut places = names.iter().filter_map(|name| place_named(app, name, activity));
            places.all(|place| fits(self.get(place)))
        };
        statement.safe
            && all(&statement.summed, |sort| sort == Sort::Int)
            && all(&statement.judged, |sort| sort == Sort::Bool)
            && all(&statement.called, |sort| matches!(sort, Sort::Array | Sort::Text))
    }
}

fn sort_of(value: &Dynamic) -> Sort {
    if value.is_int() {
        Sort::Int
    } else if value.is_bool() {
        Sort::Bool
    } else if value.is_string() {
        Sort::Text
    } else if value.is_array() {
        Sort::Array
    } else {
        Sort::Any
    }
}
