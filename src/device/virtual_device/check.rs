//! What a tester should know about an app model before running it: errors, and warnings about what can never happen.
//!
//! [`rules`] looks at screens, rules and variables, [`layout`] at what fits on the screen, [`guards`] at conditions that are
//! none, [`optima`] at what the model says about its own failures, and a short walk through the app shows scripts that fail.

mod guards;
mod layout;
mod optima;
mod rules;

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::app_model::AppDef;
use super::compile::{self, ModelError};
use super::{place, solve};

/// Everything that is to be said about an app model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The model cannot run.
    pub errors: Vec<ModelError>,
    /// It runs, but perhaps not as it was meant.
    pub warnings: Vec<ModelError>,
}

/// States that the walk for failing scripts looks at.
const WALKED_STATES: usize = 200;

/// Checks an app model.
pub fn check(source: &str) -> CheckReport {
    let app = match compile::load(source) {
        Ok(app) => Arc::new(app),
        Err(errors) => return CheckReport { errors, warnings: Vec::new() },
    };
    let Ok(def) = toml::from_str::<AppDef>(source) else { return CheckReport::default() };
    let mut warnings = Warnings { source, found: Vec::new() };
    rules::check(&def, &mut warnings);
    layout::check(&def, &mut warnings);
    let mut errors = guards::check(&def, &app, source);
    errors.extend(optima::check(&def, &app, source));
    errors.sort_by_key(|error| (error.line, error.column));
    for issue in solve::walk_for_issues(&app, WALKED_STATES) {
        let span = quoted(&issue).map_or(0..0, |script| warnings.find(script));
        warnings.add(&span, issue.clone());
    }
    warnings.found.sort_by(|left, right| {
        (left.line, left.column, &left.message).cmp(&(right.line, right.column, &right.message))
    });
    warnings.found.dedup();
    CheckReport { errors, warnings: warnings.found }
}

/// The script that an issue quotes.
fn quoted(issue: &str) -> Option<&str> {
    let start = issue.find('`')? + 1;
    let end = issue[start..].find('`')? + start;
    Some(&issue[start..end])
}

/// The JSON schema of app models, for editors.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(AppDef).to_value()
}

struct Warnings<'a> {
    source: &'a str,
    found: Vec<ModelError>,
}

impl Warnings<'_> {
    fn add(&mut self, span: &Range<usize>, message: String) {
        self.found.push(compile::at(self.source, span, message));
    }

    fn find(&self, text: &str) -> Range<usize> {
        place::find(self.source, text)
    }

    fn find_table(&self, table: &str, name: &str) -> Range<usize> {
        place::table(self.source, table, name)
    }
}

impl CheckReport {
    /// There is nothing to say.
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty() && self.warnings.is_empty()
    }

    /// The report as compilers write it: place, message, the line and a mark below it.
    pub fn render(&self, path: &str, source: &str) -> String {
        let mut text = String::new();
        let all = self.errors.iter().map(|error| ("error", error));
        for (kind, finding) in all.chain(self.warnings.iter().map(|warning| ("warning", warning))) {
            let ModelError { line, column, message } = finding;
            let _ = writeln!(text, "{path}:{line}:{column}: {kind}: {message}");
            let shown = source.lines().nth(line - 1).unwrap_or_default();
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            let before: String = shown
                .chars()
                .take(column - 1)
                .map(|character| if character == '\t' { '\t' } else { ' ' })
                .collect();
            let _ = writeln!(text, "{margin} |\n{number} | {shown}\n{margin} | {before}^");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = \"T\"\npackage = \"org.siamang.t\"\nstart = \"Main\"\n";

    #[test]
    fn a_message_with_an_unknown_variable_is_told_once() {
        let body = "[data.disk]\nn = 0\n[[activity]]\nname = \"Main\"\n\
                    widget = [{ type = \"button\", text = \"Go\", tap = { fail = \"f\" } }]\n\
                    [failure.f]\nexception = \"E\"\nmessage = \"{m} of them\"\n";
        let report = check(&format!("{HEAD}{body}"));
        assert_eq!(report.errors.len(), 1, "{:?}", report.errors);
        assert!(report.errors[0].message.contains("there is no variable `m`"), "{:?}", report.errors);
    }

    fn messages(body: &str) -> Vec<String> {
        let report = check(&format!("{HEAD}{body}"));
        assert!(report.errors.is_empty(), "{:?}", report.errors);
        report.warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_model_is_clean() {
        let source = include_str!("../../../models/counter_crash.toml");
        assert_eq!(check(source), CheckReport::default());
    }

    #[test]
    fn an_unreachable_screen_and_an_idle_dialog_are_warned_of_at_their_names() {
        let found = messages(
            "[[activity]]\nname = \"Main\"\ndialog = [{ name = \"ask\", title = \"Why?\", buttons = [{ text = \"OK\" }] }]\n\
             [[activity]]\nname = \"Lost\"\n[[activity]]\nname = \"Linked\"\nlink = \"t://linked\"\n",
        );
        assert_eq!(
            found,
            [
                "6:20: no rule shows the dialog `ask`; add `dialog = \"ask\"` to a rule of `Main`",
                "8:8: nothing leads to the activity `Lost`; add `start = \"Lost\"` to a rule that is reached, or a `link`",
            ]
        );
    }

    #[test]
    fn rules_that_never_apply_and_failures_that_nobody_raises_are_named() {
        let found = messages(
            "[[activity]]\nname = \"Main\"\nwidget = [{ type = \"button\", text = \"Go\", tap = [\n\
             { if = \"false\", toast = \"a\" },\n{ toast = \"b\" },\n{ toast = \"c\" },\n] }]\n\
             [failure.lost]\nexception = \"java.lang.Error\"\n",
        );
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].starts_with("7:") && found[0].contains("never holds"), "{found:#?}");
        assert!(found[1].starts_with("9:") && found[1].contains("always applies"), "{found:#?}");
        assert!(found[2].starts_with("11:10: no rule raises the failure `lost`"), "{found:#?}");
    }

    #[test]
    fn what_does_not_fit_and_what_is_not_used_is_told() {
        let found = messages(
            "[[activity]]\nname = \"Main\"\ndata = { idle = 1, flag = \"no\" }\nwidget = [\n\
             { type = \"switch\", text = \"On\", bind = \"flag\" },\n\
             { type = \"label\", text = \"tall\", height = 1900 },\n{ type = \"button\", text = \"Below\" }]\n",
        );
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].contains("`idle` is never used"), "{found:#?}");
        assert!(found[1].contains("`flag`") && found[1].contains("true or false"), "{found:#?}");
        assert!(found[2].starts_with("10:") && found[2].contains("below the screen"), "{found:#?}");
    }

    #[test]
    fn a_script_that_fails_on_a_short_walk_is_shown_where_it_stands() {
        let found = messages(
            "[[activity]]\nname = \"Main\"\ndata = { items = [1] }\nwidget = [\n\
             { type = \"button\", text = \"Go\", tap = { do = \"items[3] = 1\" } }]\n",
        );
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].starts_with("8:"), "{found:#?}");
    }

    fn errors(body: &str) -> Vec<String> {
        check(&format!("{HEAD}{body}")).errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_condition_that_is_a_number_or_a_text_is_an_error() {
        let found = errors(
            "[[activity]]\nname = \"Main\"\ndata = { count = 1, name = \"\", on = true, late = 0 }\nwidget = [\n\
             { type = \"button\", text = \"Go\", visible = \"on\", tap = [\n\
             { if = \"!count\", do = \"count += 1; late = true\" },\n{ if = \"late\", do = \"on = !on\" } ] },\n\
             { type = \"field\", bind = \"name\" }, { type = \"label\", text = \"x\", visible = \"name\" }]\n",
        );
        assert_eq!(
            found,
            [
                "9:8: `count` is a number, not true or false; write a comparison, such as `count > 0`",
                "11:76: `name` is a text, not true or false; write a comparison, such as `name != \"\"`",
            ]
        );
    }

    #[test]
    fn a_number_compared_with_a_text_is_an_error() {
        let found = errors(
            "[[activity]]\nname = \"Main\"\ndata = { count = 1, name = \"\", list = [] }\nwidget = [\n\
             { type = \"button\", text = \"Go\", tap = [\n\
             { if = 'count > \"1\"', do = \"count += 1\" },\n{ if = 'count == 2 && (name != 7)', do = \"count = 0\" },\n\
             { if = 'name.len() > 3 && count + name != \"4\" && list.len() > 1', do = \"count = 9\" } ] },\n\
             { type = \"field\", bind = \"name\" }]\n",
        );
        assert_eq!(
            found,
            [
                "9:8: `count` is a number and `\"1\"` a text: that is never true; write `1`",
                "10:8: `name` is a text and `7` a number: that is always true; write `parse_int(name)`, or compare it \
                 with a text",
            ]
        );
    }

    #[test]
    fn a_condition_whose_sort_only_the_run_shows_is_told_by_the_run() {
        let found = messages(
            "[[activity]]\nname = \"Main\"\ndata = { items = [1] }\nwidget = [\n\
             { type = \"button\", text = \"Go\", tap = { if = \"items[0]\", toast = \"Yes\" } }]\n",
        );
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("gives a number, not true or false"), "{found:#?}");
    }

    #[test]
    fn a_wrong_optimum_is_an_error() {
        let button = "[[activity]]\nname = \"Main\"\nwidget = [{ type = \"button\", text = \"Go\", tap = { fail = \"f\" } }]\n";
        let found = errors(&format!("{button}[failure.f]\nshortest = 2\nexception = \"java.lang.Error\"\n"));
        assert_eq!(found, ["7:10: the failure `f` states `shortest = 2`, but the shortest way has 1 event"]);
        assert!(
            errors(&format!("{button}[failure.f]\nshortest = 1\nexception = \"java.lang.Error\"\n"))
                .is_empty()
        );
    }

    #[test]
    fn a_mistyped_key_or_kind_is_told_with_the_nearest_known_one() {
        let found = errors("[[activity]]\nname = \"Main\"\nwidgets = []\n");
        assert!(
            found[0].starts_with("6:1: there is no key `widgets`; did you mean `widget`? Known here:"),
            "{found:?}"
        );
        let found = errors("[[activity]]\nname = \"Main\"\nwidget = [{ type = \"buton\" }]\n");
        assert!(
            found[0].contains("there is no kind `buton`; did you mean `button`? Known here:"),
            "{found:?}"
        );
        let found = errors("[[activity]]\nname = \"Main\"\ncreate = { strat = \"Main\" }\n");
        assert!(found[0].contains("did you mean `start`?"), "{found:?}");
    }

    #[test]
    fn a_report_looks_like_a_compilers() {
        let source = HEAD.replace("\"Main\"", "\"Mian\"") + "[[activity]]\nname = \"Main\"\n";
        let expected = "models/x.toml:3:9: error: there is no activity `Mian`; did you mean `Main`?\n  \
                        |\n3 | start = \"Mian\"\n  |         ^\n";
        assert_eq!(check(&source).render("models/x.toml", &source), expected);
    }

    #[test]
    fn the_schema_knows_the_fields_of_a_model() {
        let schema = schema();
        assert!(schema["properties"]["activity"].is_object());
        assert!(schema["required"].as_array().unwrap().iter().any(|field| field == "start"));
    }
}
