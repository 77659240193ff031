//! Conditions that can never be true or false: a number, a text, a list; and comparisons of what cannot be compared.

use super::super::app::{ActivityIx, App};
use super::super::app_model::{ActivityDef, AppDef, Located};
use super::super::compile::{self, ModelError};
use super::super::expr::Comparison;
use super::super::expr::tokens::{Token, tokens};
use super::super::solve;
use super::rules::{items_of, rules_of, widgets_of};

pub(super) fn check(def: &AppDef, app: &App, source: &str) -> Vec<ModelError> {
    let never_a_flag = solve::never_flags(app);
    let mut errors = Vec::new();
    for (ix, activity) in def.activity.iter().enumerate() {
        for condition in conditions(activity) {
            let text = condition.value.trim();
            let name = text.strip_prefix('!').unwrap_or(text).trim();
            let constant = if name.parse::<f64>().is_ok() { Some("a number") } else { None };
            if let Some(kind) = constant.or_else(|| never_a_flag(name, ActivityIx(ix as u32))) {
                let message = format!(
                    "`{name}` is {kind}, not true or false; write a comparison, such as {}",
                    match kind {
                        "a number" => format!("`{name} > 0`"),
                        "a text" => format!("`{name} != \"\"`"),
                        _ => format!("`{name}.len() > 0`"),
                    }
                );
                errors.push(compile::at(source, &condition.span, message));
            }
            let sort = |name: &str| never_a_flag(name, ActivityIx(ix as u32));
            if let Some(message) = uneven(&tokens(text), sort) {
                errors.push(compile::at(source, &condition.span, message));
            }
        }
    }
    errors
}

/// Tells of a variable that is compared with a constant of another sort, which rhai takes for different, and neither for
/// smaller nor for larger.
fn uneven(tokens: &[Token<'_>], sort: impl Fn(&str) -> Option<&'static str>) -> Option<String> {
    for (at, window) in tokens.windows(3).enumerate() {
        let [left, Token::Sign(sign), right] = window else { continue };
        let Some(comparison) = Comparison::of_sign(sign) else { continue };
        // Of a longer term only a part stands here: of `notes.len() > 3` the bracket, of `a + b > 3` the `b`.
        let is_whole = |beside: Option<&Token<'_>>| {
            beside.is_none_or(|token| matches!(token, Token::Sign("(" | ")" | "&&" | "||")))
        };
        if !is_whole(at.checked_sub(1).map(|before| &tokens[before])) || !is_whole(tokens.get(at + 3)) {
            continue;
        }
        let (name, constant) = match (left, right) {
            (Token::Word(name), constant) | (constant, Token::Word(name)) => (*name, constant),
            _ => continue,
        };
        let (constant_sort, shown) = match constant {
            Token::Int(number) => ("a number", number.to_string()),
            Token::Text(text) => ("a text", format!("\"{text}\"")),
            _ => continue,
        };
        let Some(sort) = sort(name).filter(|sort| *sort != constant_sort) else { continue };
        let outcome = if comparison == Comparison::Ne { "always" } else { "never" };
        let remedy = match (sort, constant) {
            ("a text", _) => format!("; write `parse_int({name})`, or compare it with a text"),
            ("a number", Token::Text(text)) if text.parse::<i64>().is_ok() => format!("; write `{text}`"),
            _ => String::new(),
        };
        return Some(format!(
            "`{name}` is {sort} and `{shown}` {constant_sort}: that is {outcome} true{remedy}"
        ));
    }
    None
}

fn conditions(activity: &ActivityDef) -> Vec<&Located<String>> {
    let mut found: Vec<&Located<String>> = Vec::new();
    found.extend(rules_of(activity).into_iter().filter_map(|rule| rule.guard.as_ref()));
    for widget in widgets_of(activity) {
        found.extend([&widget.visible, &widget.enabled, &widget.checked].into_iter().flatten());
    }
    for item in items_of(activity) {
        found.extend([&item.visible, &item.enabled].into_iter().flatten());
    }
    found
}
