//! Which questions an app asks about a text that the user enters, if all of them are known.
//!
//! A text goes from the field to variables, lists and other activities. As long as it is only copied, and only asked what a
//! [`Question`] can say, two texts with the same answers lead to the same states. Whatever is not surely of that sort makes
//! the field open: then no text that was not tried is ruled out.

use std::collections::BTreeSet;

use super::super::app::{ActivityIx, App};
use super::super::expr::Comparison;
use super::classes::Question;
use super::slice::{Place, place_named};
use super::tokens::{ASSIGNMENTS, Token, closing, tokens};
use super::types::{Sort, Types};

/// Reads the expressions and scripts of one activity.
pub(super) struct Flow<'a> {
    pub(super) app: &'a App,
    pub(super) types: &'a Types,
    /// Where the text can be, whole or inside of something.
    pub(super) tainted: &'a BTreeSet<Place>,
    /// Variables that something changes.
    pub(super) changing: &'a BTreeSet<Place>,
    pub(super) activity: ActivityIx,
}

type Questions = BTreeSet<Question>;

impl Flow<'_> {
    /// A guard: true or false. Whether all that it asks is known.
    pub(super) fn guard(&self, source: &str, asked: &mut Questions) -> bool {
        let tokens = tokens(source);
        !self.touches(&tokens) || (!odd(source) && self.condition(&tokens, asked))
    }

    /// An expression whose value goes to another place.
    pub(super) fn given(&self, source: &str, asked: &mut Questions) -> bool {
        let tokens = tokens(source);
        !self.touches(&tokens) || (!odd(source) && self.value(&tokens, asked))
    }

    /// A script.
    pub(super) fn script(&self, source: &str, asked: &mut Questions) -> bool {
        let tokens = tokens(source);
        !self.touches(&tokens) || (!odd(source) && self.statements(&tokens, asked))
    }

    fn place(&self, name: &str) -> Option<Place> {
        place_named(self.app, name, self.activity)
    }

    /// The text can be in one of the variables. It never is in one that only holds numbers or flags: what those hold was
    /// decided by the answers.
    fn touches(&self, tokens: &[Token<'_>]) -> bool {
        let holds = |place: Place| {
            self.tainted.contains(&place) && !matches!(self.types.get(place), Sort::Int | Sort::Bool)
        };
        tokens.iter().any(|token| match token {
            Token::Word(name) => self.place(name).is_some_and(holds),
            _ => false,
        })
    }

    fn condition(&self, tokens: &[Token<'_>], asked: &mut Questions) -> bool {
        if !self.touches(tokens) {
            return true;
        }
        for sign in ["||", "&&"] {
            let parts = split(tokens, sign);
            if parts.len() > 1 {
                return parts.into_iter().all(|part| self.condition(part, asked));
            }
        }
        match tokens {
            [Token::Sign("!"), rest @ ..] => {
                let compares = rest.iter().any(|token| compares(token).is_some());
                (!compares || closing(rest, 0) + 1 == rest.len()) && self.condition(rest, asked)
            }
            [Token::Sign("("), ..] if closing(tokens, 0) + 1 == tokens.len() => {
                self.condition(&tokens[1..tokens.len() - 1], asked)
            }
            _ => self.atom(tokens, asked),
        }
    }

    fn atom(&self, tokens: &[Token<'_>], asked: &mut Questions) -> bool {
        if let [Token::Word("parse_int"), Token::Sign("("), inner @ ..] = tokens {
            let end = path(inner);
            let number = inner.get(end).filter(|token| **token == Token::Sign(")")).and(inner.get(end + 1..));
            return end > 0 && number.is_some_and(|rest| compared(rest, Question::Number, asked));
        }
        if let [Token::Text(text), Token::Sign("==" | "!="), rest @ ..] = tokens {
            asked.insert(Question::Equals(text.clone()));
            return path(rest) == rest.len();
        }
        let end = path(tokens);
        let (subject, rest) = tokens.split_at(end);
        if subject.is_empty() {
            return false;
        }
        let sort = match subject {
            [Token::Word(name)] => self.place(name).map_or(Sort::Any, |place| self.types.get(place)),
            _ => Sort::Any,
        };
        match rest {
            // A flag, a number or nothing: no text is any of them.
            [] => true,
            [Token::Sign(_), Token::Int(_) | Token::Number | Token::Word("true" | "false")]
            | [Token::Sign("==" | "!="), Token::Sign("("), Token::Sign(")")] => compares(&rest[0]).is_some(),
            [Token::Sign("==" | "!="), Token::Text(text)] => {
                asked.insert(Question::Equals(text.clone()));
                true
            }
            [Token::Sign("==" | "!="), other @ ..] if path(other) == other.len() => {
                self.same(subject, other, asked)
            }
            [Token::Sign("."), Token::Word(function), Token::Sign("("), rest @ ..] => {
                call(function, rest, sort, asked)
            }
            _ => false,
        }
    }

    /// Two variables are compared: that is known if one of them never changes.
    fn same(&self, one: &[Token<'_>], other: &[Token<'_>], asked: &mut Questions) -> bool {
        let constant = |tokens: &[Token<'_>]| {
            let [Token::Word(name)] = tokens else { return None };
            let place = self.place(name).filter(|place| !self.changing.contains(place))?;
            let first = match place {
                Place::Global(ix) => &self.app.globals[usize::from(ix)].first,
                Place::Local(activity, ix) => &self.app.activity(activity).locals[usize::from(ix)].first,
                _ => return None,
            };
            first.as_immutable_string_ref().ok().map(|text| text.to_string())
        };
        let text = constant(one).or_else(|| constant(other));
        let known = text.is_some();
        asked.extend(text.map(Question::Equals));
        known
    }

    fn value(&self, tokens: &[Token<'_>], asked: &mut Questions) -> bool {
        if !self.touches(tokens) || path(tokens) == tokens.len() {
            return true;
        }
        match tokens {
            [Token::Sign("["), inner @ .., Token::Sign("]")] if closing(tokens, 0) + 1 == tokens.len() => {
                split(inner, ",").into_iter().all(|part| self.value(part, asked))
            }
            [Token::Sign("#{"), inner @ .., Token::Sign("}")] if closing(tokens, 0) + 1 == tokens.len() => {
                split(inner, ",").into_iter().all(|part| match part {
                    [] => true,
                    [Token::Word(_) | Token::Text(_), Token::Sign(":"), value @ ..] => {
                        self.value(value, asked)
                    }
                    _ => false,
                })
            }
            _ => self.condition(tokens, asked),
        }
    }

    fn statements(&self, mut rest: &[Token<'_>], asked: &mut Questions) -> bool {
        while let Some(first) = rest.first() {
            match first {
                Token::Sign(";") => rest = &rest[1..],
                Token::Word("else") if rest.get(1) == Some(&Token::Word("if")) => rest = &rest[1..],
                Token::Word("if" | "else") | Token::Sign("{") => {
                    let Some(open) = rest.iter().position(|token| *token == Token::Sign("{")) else {
                        return false;
                    };
                    let end = closing(rest, open);
                    let condition = rest.get(1..open).unwrap_or_default();
                    if end >= rest.len()
                        || !self.condition(condition, asked)
                        || !self.statements(&rest[open + 1..end], asked)
                    {
                        return false;
                    }
                    rest = &rest[end + 1..];
                }
                _ => {
                    let (statement, others) = rest.split_at(split(rest, ";")[0].len());
                    if !self.statement(statement, asked) {
                        return false;
                    }
                    rest = others;
                }
            }
        }
        true
    }

    fn statement(&self, tokens: &[Token<'_>], asked: &mut Questions) -> bool {
        if !self.touches(tokens) {
            return true;
        }
        let target = self.target(tokens);
        let sort = match tokens.first() {
            Some(Token::Word(name)) => self.place(name).map_or(Sort::Any, |place| self.types.get(place)),
            _ => return false,
        };
        match &tokens[target..] {
            [Token::Sign("="), value @ ..] => self.value(value, asked),
            // What is added to a text makes another text of it; a number stays free of it.
            [Token::Sign(sign), value @ ..] if ASSIGNMENTS.contains(sign) => {
                sort == Sort::Int && !self.touches(value)
            }
            [Token::Sign("."), Token::Word("push"), Token::Sign("("), value @ .., Token::Sign(")")] => {
                sort == Sort::Array && self.value(value, asked)
            }
            [Token::Sign("."), Token::Word("clear"), Token::Sign("("), Token::Sign(")")] => {
                target == 1 && sort != Sort::Text
            }
            [
                Token::Sign("."),
                Token::Word("remove" | "truncate" | "pop" | "shift"),
                Token::Sign("("),
                value @ ..,
                Token::Sign(")"),
            ] => target == 1 && sort == Sort::Array && !self.touches(value),
            _ => false,
        }
    }

    /// How many tokens what is assigned to takes: a name, its fields, and its things by numbers that are not the text.
    fn target(&self, tokens: &[Token<'_>]) -> usize {
        let mut at = 1;
        loop {
            match tokens.get(at..).unwrap_or_default() {
                [Token::Sign("."), Token::Word(_), Token::Sign("("), ..] => return at,
                [Token::Sign("."), Token::Word(_), ..] => at += 2,
                [Token::Sign("["), ..] => {
                    let end = closing(tokens, at);
                    if end >= tokens.len() || self.touches(&tokens[at..end]) {
                        return at;
                    }
                    at = end + 1;
                }
                _ => return at,
            }
        }
    }
}

/// Characters and texts with expressions in them are not looked into.
fn odd(source: &str) -> bool {
    source.contains(['\'', '`'])
}

fn compares(token: &Token<'_>) -> Option<Comparison> {
    if let Token::Sign(sign) = token { Comparison::of_sign(sign) } else { None }
}

/// The rest of an atom is a comparison with a whole number.
fn compared(rest: &[Token<'_>], question: fn(Comparison, i64) -> Question, asked: &mut Questions) -> bool {
    let (sign, number) = match rest {
        [sign, Token::Int(number)] => (sign, *number),
        [sign, Token::Sign("-"), Token::Int(number)] => (sign, -*number),
        _ => return false,
    };
    let Some(comparison) = compares(sign) else { return false };
    asked.insert(question(comparison, number));
    true
}

/// A function is called on a place where the text can be; `rest` begins with its arguments.
fn call(function: &str, rest: &[Token<'_>], sort: Sort, asked: &mut Questions) -> bool {
    match (function, rest) {
        // How many things are in a list does not depend on the text.
        ("len", [Token::Sign(")"), rest @ ..]) if sort == Sort::Array => {
            compared(rest, Question::Length, &mut Questions::new())
        }
        ("is_empty", [Token::Sign(")")]) if sort == Sort::Array => true,
        ("len", [Token::Sign(")"), rest @ ..]) => compared(rest, Question::Length, asked),
        ("parse_int", [Token::Sign(")"), rest @ ..]) => compared(rest, Question::Number, asked),
        ("is_empty", [Token::Sign(")")]) => {
            asked.insert(Question::Equals(String::new()));
            true
        }
        ("contains", [Token::Text(part), Token::Sign(")")]) => {
            // A list contains what equals one of its things.
            if sort != Sort::Text {
                asked.insert(Question::Equals(part.clone()));
            }
            if sort != Sort::Array {
                asked.insert(Question::Contains(part.clone()));
            }
            true
        }
        ("starts_with", [Token::Text(part), Token::Sign(")")]) => {
            asked.insert(Question::StartsWith(part.clone()));
            true
        }
        ("ends_with", [Token::Text(part), Token::Sign(")")]) => {
            asked.insert(Question::EndsWith(part.clone()));
            true
        }
        _ => false,
    }
}

/// How many tokens a name and the fields after it take; none if a function follows.
fn path(tokens: &[Token<'_>]) -> usize {
    if !matches!(tokens.first(), Some(Token::Word(name)) if !["if", "switch", "true", "false"].contains(name))
    {
        return 0;
    }
    let mut at = 1;
    loop {
        match tokens.get(at..).unwrap_or_default() {
            [Token::Sign("("), ..] => return 0,
            [Token::Sign("."), Token::Word("len" | "is_empty"), ..]
            | [Token::Sign("."), Token::Word(_), Token::Sign("("), ..] => return at,
            [Token::Sign("."), Token::Word(_), ..] => at += 2,
            _ => return at,
        }
    }
}

/// The parts between a sign, brackets left whole.
fn split<'t, 'a>(tokens: &'t [Token<'a>], sign: &str) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0_i32;
    tokens
        .split(|token| {
            match token {
                Token::Sign("(" | "[" | "{" | "#{") => depth += 1,
                Token::Sign(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
            depth == 0 && *token == Token::Sign(sign)
        })
        .collect()
}
