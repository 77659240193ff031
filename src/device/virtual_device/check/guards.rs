//! Conditions that can never be true or false: a number, a text, a list.

use super::super::app::{ActivityIx, App};
use super::super::app_model::{ActivityDef, AppDef, Located};
use super::super::compile::{self, ModelError};
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
        }
    }
    errors
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
