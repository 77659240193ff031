//! Screens that nothing leads to, rules that never apply, variables that nobody reads.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use indexmap::IndexMap;

use super::super::app_model::{
    ActivityDef, AppDef, FailureDef, ItemDef, Located, RuleDef, Rules, WidgetDef, WidgetKind,
};
use super::{Warnings, place};

pub(super) fn check(def: &AppDef, warnings: &mut Warnings<'_>) {
    let reached = reached(def);
    for (activity, reached) in def.activity.iter().zip(&reached) {
        check_activity(activity, *reached, warnings);
    }
    let raised: BTreeSet<&str> = def
        .activity
        .iter()
        .zip(&reached)
        .filter(|(_, reached)| **reached)
        .flat_map(|(activity, _)| rules_of(activity))
        .filter_map(|rule| rule.fail.as_ref().map(|fail| fail.value.as_str()))
        .collect();
    for (name, _) in &def.failure {
        if !raised.contains(name.as_str()) {
            let span = warnings.find_table("failure", name);
            warnings.add(
                &span,
                format!(
                    "no rule raises the failure `{name}`; add `fail = \"{name}\"` to a rule that is reached"
                ),
            );
        }
    }
    check_variables(def, warnings);
}

/// Which activities the app can come to: from the start and from links, over `start` and the screens of failures.
fn reached(def: &AppDef) -> Vec<bool> {
    let names = def.activity.iter().map(|activity| activity.name.value.as_str());
    let positions: BTreeMap<&str, usize> = names.enumerate().map(|(ix, name)| (name, ix)).collect();
    let position = |name: &str| positions.get(name).copied();
    let mut reached = vec![false; def.activity.len()];
    let linked = def.activity.iter().enumerate().filter(|(_, activity)| activity.link.is_some());
    let mut open: Vec<usize> = linked.map(|(ix, _)| ix).chain(position(&def.start.value)).collect();
    while let Some(ix) = open.pop() {
        if std::mem::replace(&mut reached[ix], true) {
            continue;
        }
        for rule in rules_of(&def.activity[ix]) {
            let screen =
                |failure: &FailureDef| failure.screen.as_ref().and_then(|screen| position(&screen.value));
            let failure = rule.fail.as_ref().and_then(|fail| def.failure.get(&fail.value));
            open.extend(rule.start.as_ref().and_then(|start| position(&start.value)));
            open.extend(failure.and_then(screen));
        }
    }
    reached
}

fn names(part: Option<&Located<String>>, name: &str) -> bool {
    part.is_some_and(|part| part.value == name)
}

fn check_activity(activity: &ActivityDef, reached: bool, warnings: &mut Warnings<'_>) {
    let name = &activity.name.value;
    if !reached {
        warnings.add(
            &activity.name.span,
            format!(
                "nothing leads to the activity `{name}`; add `start = \"{name}\"` to a rule that is reached, or a `link`"
            ),
        );
    }
    let rules = rules_of(activity);
    let mut idle = |part: &Located<String>, what: &str, field: &str, used: bool| {
        if !used {
            let called = &part.value;
            warnings.add(
                &part.span,
                format!(
                    "no rule shows the {what} `{called}`; add `{field} = \"{called}\"` to a rule of `{name}`"
                ),
            );
        }
    };
    for dialog in &activity.dialog {
        let used = rules.iter().any(|rule| names(rule.dialog.as_ref(), &dialog.name.value));
        idle(&dialog.name, "dialog", "dialog", used);
    }
    for popup in &activity.popup {
        let used = rules.iter().any(|rule| names(rule.popup.as_ref(), &popup.name.value));
        idle(&popup.name, "popup", "popup", used);
    }
    for permission in &activity.permission {
        let used = rules.iter().any(|rule| names(rule.ask.as_ref(), &permission.name.value));
        idle(&permission.name, "question for", "ask", used);
    }
    for list in lists_of(activity) {
        check_list(list, warnings);
    }
    for widget in widgets_of(activity) {
        check_bind(activity, widget, warnings);
    }
}

fn check_list(rules: &Rules, warnings: &mut Warnings<'_>) {
    let mut always: Option<usize> = None;
    for (number, rule) in rules.0.iter().enumerate() {
        let guard = rule.value.guard.as_ref();
        let chance = rule.value.chance.as_ref();
        if let Some(earlier) = always {
            let span = guard.map_or(&rule.span, |guard| &guard.span);
            let message = format!(
                "this rule never applies: rule {} of the list always applies before it; give that one an `if` or put it last",
                earlier + 1
            );
            warnings.add(span, message);
        } else if let Some(guard) = guard.filter(|guard| guard.value.trim() == "false") {
            warnings.add(&guard.span, "this rule never applies: `false` never holds".to_owned());
        } else if let Some(chance) = chance.filter(|chance| chance.value <= 0.0) {
            warnings.add(&chance.span, "this rule never applies: its `chance` is 0".to_owned());
        } else if guard.is_none_or(|guard| guard.value.trim() == "true")
            && chance.is_none_or(|chance| chance.value >= 1.0)
        {
            always = Some(number);
        }
    }
}

/// A widget that shows a variable of the wrong sort shows nonsense.
fn check_bind(activity: &ActivityDef, widget: &WidgetDef, warnings: &mut Warnings<'_>) {
    let Some(bind) = &widget.bind else { return };
    let Some(first) = activity.data.get(&bind.value).or_else(|| activity.saved.get(&bind.value)) else {
        return;
    };
    let wrong = match widget.kind {
        WidgetKind::Check | WidgetKind::Switch if !first.is_bool() => Some("true or false"),
        WidgetKind::Field if !first.is_str() => Some("a text"),
        WidgetKind::Tabs if !first.is_integer() => Some("the number of a tab"),
        WidgetKind::Spinner
            if first.as_str().is_none_or(|chosen| {
                !chosen.is_empty() && !widget.options.iter().any(|option| option == chosen)
            }) =>
        {
            Some("one of its `options`")
        }
        _ => None,
    };
    if let Some(wanted) = wrong {
        warnings.add(
            &bind.span,
            format!("the variable `{}` starts as {first}, but this widget shows {wanted}", bind.value),
        );
    }
}

/// Variables that no expression, text, widget or `with` mentions.
fn check_variables(def: &AppDef, warnings: &mut Warnings<'_>) {
    let mut shared: BTreeSet<&str> = BTreeSet::new();
    for failure in def.failure.values() {
        shared.extend(failure.message.iter().flat_map(|message| words(&message.value)));
        let mut cause = failure.cause.as_deref();
        while let Some(next) = cause {
            shared.extend(next.message.iter().flat_map(|message| words(&message.value)));
            cause = next.cause.as_deref();
        }
    }
    let mut given: BTreeSet<(&str, &str)> = BTreeSet::new();
    for activity in &def.activity {
        for rule in rules_of(activity) {
            if let Some(start) = &rule.start {
                given.extend(rule.with.keys().map(|name| (start.value.as_str(), name.as_str())));
            }
        }
    }
    for activity in &def.activity {
        let mentioned = mentioned(activity);
        let name = activity.name.value.as_str();
        let unused = |table: &IndexMap<String, toml::Value>| {
            let unused =
                table.keys().filter(|key| !mentioned.contains(key.as_str()) && !given.contains(&(name, key)));
            unused.cloned().collect::<Vec<String>>()
        };
        for variable in unused(&activity.data).into_iter().chain(unused(&activity.saved)) {
            let span = declaration(warnings, activity.name.span.start, &variable);
            warnings.add(&span, format!("the variable `{variable}` is never used in `{name}`"));
        }
        shared.extend(mentioned);
    }
    for variable in def.data.disk.keys().chain(def.data.process.keys()) {
        if !shared.contains(variable.as_str()) {
            let span = declaration(warnings, warnings.find("[data").start, variable);
            warnings.add(&span, format!("the variable `{variable}` is never used"));
        }
    }
}

/// Where a variable gets its first value: the first `name =` after a place.
fn declaration(warnings: &Warnings<'_>, from: usize, variable: &str) -> Range<usize> {
    place::declaration(warnings.source, from, variable)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// All words of all expressions and texts of an activity; among them the variables it uses.
fn mentioned(activity: &ActivityDef) -> BTreeSet<&str> {
    let mut parts: Vec<&Located<String>> = Vec::new();
    parts.extend(&activity.title);
    for widget in widgets_of(activity) {
        let texts = [
            &widget.text,
            &widget.desc,
            &widget.bind,
            &widget.checked,
            &widget.rows,
            &widget.visible,
            &widget.enabled,
        ];
        parts.extend(texts.into_iter().flatten());
    }
    for item in items_of(activity) {
        parts.push(&item.text);
        parts.extend([&item.visible, &item.enabled].into_iter().flatten());
    }
    for dialog in &activity.dialog {
        parts.extend([&dialog.title, &dialog.text].into_iter().flatten());
    }
    for rule in rules_of(activity) {
        parts.extend([&rule.guard, &rule.script, &rule.toast, &rule.result].into_iter().flatten());
        parts.extend(rule.with.values());
    }
    parts.into_iter().flat_map(|part| words(&part.value)).collect()
}

/// All widgets of an activity and of its dialogs.
pub(super) fn widgets_of(activity: &ActivityDef) -> Vec<&WidgetDef> {
    let roots = activity.widget.iter().chain(activity.dialog.iter().flat_map(|dialog| &dialog.widget));
    let mut open: Vec<&WidgetDef> = roots.collect();
    let mut found = Vec::new();
    while let Some(widget) = open.pop() {
        found.push(widget);
        open.extend(&widget.widget);
    }
    found
}

pub(super) fn items_of(activity: &ActivityDef) -> Vec<&ItemDef> {
    let popups = activity.popup.iter().flat_map(|popup| &popup.items);
    let buttons = activity.dialog.iter().flat_map(|dialog| &dialog.buttons);
    activity.menu.iter().chain(popups).chain(buttons).collect()
}

/// All lists of rules of an activity, nested ones too.
fn lists_of(activity: &ActivityDef) -> Vec<&Rules> {
    let mut lists: Vec<&Rules> = vec![
        &activity.create,
        &activity.resume,
        &activity.pause,
        &activity.rotate,
        &activity.restore,
        &activity.result,
        &activity.new_intent,
        &activity.back,
        &activity.swipe_left,
        &activity.swipe_right,
        &activity.menu_open,
        &activity.menu_close,
    ];
    lists.extend(activity.every.iter().map(|every| &every.run));
    lists.extend(activity.dialog.iter().map(|dialog| &dialog.cancel));
    lists.extend(activity.permission.iter().flat_map(|permission| [&permission.granted, &permission.denied]));
    lists.extend(items_of(activity).into_iter().map(|item| &item.tap));
    for widget in widgets_of(activity) {
        lists.extend([
            &widget.tap,
            &widget.long_tap,
            &widget.change,
            &widget.submit,
            &widget.swipe_left,
            &widget.swipe_right,
            &widget.pinch,
        ]);
    }
    let mut at = 0;
    while at < lists.len() {
        let list = lists[at];
        lists.extend(list.0.iter().map(|rule| &rule.value.then));
        at += 1;
    }
    lists
}

pub(super) fn rules_of(activity: &ActivityDef) -> Vec<&RuleDef> {
    lists_of(activity).into_iter().flat_map(|list| &list.0).map(|rule| &rule.value).collect()
}
