//! From the written app model to one that runs, with errors that name line, column and remedy.

mod failure;
mod widget;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use indexmap::IndexMap;
use rhai::{Dynamic, Engine};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xxhash_rust::xxh3::xxh3_64;

use super::app::{
    Activity, ActivityIx, App, Dialog, FailureIx, Permission, Rule, RuleIx, RuleList, Start, Variable, Widget,
};
use super::app_model::{ActivityDef, AppDef, DialogDef, FailureDef, Located, RuleDef, Rules, WidgetKind};
use super::expr::{self, Expr, Slot, Temp, Template};
use super::place;
use crate::nearest::unknown;

/// What is wrong with an app model, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ModelError {}

/// The height of a list's row where the model says nothing.
const ROW_HEIGHT: i32 = 160;
/// Rules nested deeper than this are a mistake, not a model.
const MAX_RULE_DEPTH: usize = 32;
/// Widgets nested deeper than this are a mistake, not a model.
const MAX_WIDGET_DEPTH: usize = 32;
/// Elements of a web page at the most.
const MAX_WEB_NODES: u32 = 20_000;

/// Reads and compiles an app model. All errors that can be found are found at once.
pub fn load(source: &str) -> Result<App, Vec<ModelError>> {
    let def: AppDef = toml::from_str(source).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        vec![at(source, &span, friendlier(error.message()))]
    })?;
    compile(&def, source)
}

pub(super) fn at(source: &str, span: &Range<usize>, message: String) -> ModelError {
    let start = span.start.min(source.len());
    let before = source.get(..start).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&character| character != '\n').count() + 1;
    ModelError { line, column, message }
}

fn compile(def: &AppDef, source: &str) -> Result<App, Vec<ModelError>> {
    let mut compiler = Compiler::new(def);
    let app = compiler.app(def, source);
    if compiler.errors.is_empty() {
        return Ok(app);
    }
    compiler.errors.sort_by_key(|(span, _)| span.start);
    // A message that is read for two purposes is wrong once.
    compiler.errors.dedup();
    Err(compiler.errors.iter().map(|(span, message)| at(source, span, message.clone())).collect())
}

struct Compiler<'a> {
    def: &'a AppDef,
    /// The position of each activity.
    activities: FxHashMap<&'a str, usize>,
    engine: Engine,
    globals: Vec<Variable>,
    widgets: Vec<Widget>,
    rules: Vec<Rule>,
    errors: Vec<(Range<usize>, String)>,
    random: bool,
}

/// What names mean inside one activity.
#[derive(Clone, Copy)]
struct Context<'a> {
    activity: ActivityIx,
    def: &'a ActivityDef,
    package: &'a str,
}

/// No table of variables is longer.
const MAX_VARIABLES: usize = 10_000;

impl<'a> Compiler<'a> {
    fn new(def: &'a AppDef) -> Self {
        let names = def.activity.iter().map(|activity| activity.name.value.as_str());
        Self {
            def,
            activities: names.enumerate().map(|(ix, name)| (name, ix)).collect(),
            engine: expr::engine(),
            globals: Vec::new(),
            widgets: Vec::new(),
            rules: Vec::new(),
            errors: Vec::new(),
            random: false,
        }
    }

    fn error(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.errors.push((span.clone(), message.into()));
    }

    fn app(&mut self, def: &'a AppDef, source: &str) -> App {
        self.check_package(&def.package);
        let in_table = |table: &str| place::find(source, table).start;
        let disk = self.variables(&def.data.disk, source, in_table("disk"));
        let disk_count = disk.len();
        let process = self.variables(&def.data.process, source, in_table("process"));
        let mut known = BTreeSet::new();
        for variable in disk.into_iter().chain(process) {
            if !known.insert(variable.name.clone()) {
                self.error(
                    &place::declaration(source, in_table("process"), &variable.name),
                    format!("the variable `{}` is in `data.disk` and in `data.process`", variable.name),
                );
            }
            self.globals.push(variable);
        }
        self.check_unique(def.activity.iter().map(|activity| &activity.name), "activity");
        let start = self.activity_named(&def.start).unwrap_or(ActivityIx(0));
        if def.activity.is_empty() {
            self.error(&def.start.span, "the app has no activity; add an `[[activity]]`");
        }
        let activities = def
            .activity
            .iter()
            .enumerate()
            .map(|(ix, activity)| self.activity(ActivityIx(ix as u32), activity, source))
            .collect();
        let failure = |(name, failure): (&'a String, &'a FailureDef)| {
            let near = place::table(source, "failure", name);
            self.failure(name, failure, near)
        };
        let failures = def.failure.iter().map(failure).collect();
        App {
            name: def.name.value.as_str().into(),
            package: def.package.value.as_str().into(),
            version: def.version.as_str().into(),
            hash: xxh3_64(source.as_bytes()),
            start,
            engine: std::mem::replace(&mut self.engine, Engine::new_raw()),
            globals: std::mem::take(&mut self.globals),
            disk_count,
            activities,
            parents: widget::parents(&self.widgets),
            widgets: std::mem::take(&mut self.widgets),
            rules: std::mem::take(&mut self.rules),
            failures,
            random: self.random,
        }
    }

    fn check_package(&mut self, package: &Located<String>) {
        let valid = package.value.split('.').count() >= 2
            && package.value.split('.').all(|part| {
                part.starts_with(|first: char| first.is_ascii_alphabetic())
                    && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
        if !valid {
            let message = format!(
                "`{}` is no package name; write two or more words with dots, such as `org.example.notes`",
                package.value
            );
            self.error(&package.span, message);
        }
    }

    fn check_unique<'b>(&mut self, names: impl Iterator<Item = &'b Located<String>>, what: &str) {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for name in names {
            if name.value.is_empty() {
                self.error(&name.span, format!("the {what} has an empty name"));
            }
            if !seen.insert(&name.value) {
                self.error(
                    &name.span,
                    format!("`{}` is the name of another {what}; give this one its own", name.value),
                );
            }
        }
    }

    fn variables(
        &mut self,
        table: &IndexMap<String, toml::Value>,
        source: &str,
        from: usize,
    ) -> Vec<Variable> {
        if table.len() > MAX_VARIABLES {
            let message = format!("{} variables in one table; {MAX_VARIABLES} are the most", table.len());
            self.error(&(from..from), message);
        }
        table
            .iter()
            .take(MAX_VARIABLES)
            .map(|(name, value)| {
                let near = || place::declaration(source, from, name);
                if Temp::ALL.iter().any(|(reserved, _)| reserved == name) {
                    self.error(
                        &near(),
                        format!("the variable name `{name}` is taken by the device; choose another"),
                    );
                }
                if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    || name.starts_with(|first: char| first.is_ascii_digit())
                {
                    self.error(
                        &near(),
                        format!("`{name}` cannot be a variable; use letters, digits and `_`"),
                    );
                }
                Variable { name: name.as_str().into(), first: dynamic(value) }
            })
            .collect()
    }

    fn activity_named(&mut self, name: &Located<String>) -> Option<ActivityIx> {
        let found = self.activities.get(name.value.as_str()).copied();
        if found.is_none() {
            let names = self.def.activity.iter().map(|activity| activity.name.value.as_str());
            let message = unknown("activity", &name.value, names);
            self.error(&name.span, message);
        }
        found.map(|ix| ActivityIx(ix as u32))
    }

    fn activity(&mut self, ix: ActivityIx, def: &'a ActivityDef, source: &str) -> Activity {
        let package = def.package.as_deref().unwrap_or(&self.def.package.value);
        let context = Context { activity: ix, def, package };
        let start = def.name.span.start;
        let lost = self.variables(&def.data, source, start);
        let lost_count = lost.len();
        let saved = self.variables(&def.saved, source, start);
        let locals: Vec<Variable> = lost.into_iter().chain(saved).collect();
        for (position, variable) in locals.iter().enumerate() {
            if self.globals.iter().chain(&locals[..position]).any(|known| known.name == variable.name) {
                self.error(
                    &def.name.span,
                    format!("the variable `{}` of `{}` is declared twice", variable.name, def.name.value),
                );
            }
        }
        let place = def.name.value.as_str();
        self.check_unique(def.dialog.iter().map(|dialog| &dialog.name), "dialog");
        self.check_unique(def.popup.iter().map(|popup| &popup.name), "popup");
        Activity {
            class: format_smolstr!("{package}.{place}"),
            name: place.into(),
            package: package.into(),
            foreign: package != self.def.package.value,
            title: def.title.as_ref().map(|title| self.template(title, context)),
            up: def.up,
            locals,
            lost_count,
            locked: def.locked,
            resize: def.resize,
            link: def.link.as_deref().map(SmolStr::from),
            widgets: self.widgets(&def.widget, context, place, 0),
            menu: self.items(&def.menu, context, &format!("{place}/menu")),
            menu_open: self.rules(&def.menu_open, context, &format!("{place}/menu_open"), 0),
            menu_close: self.rules(&def.menu_close, context, &format!("{place}/menu_close"), 0),
            dialogs: def.dialog.iter().map(|dialog| self.dialog(dialog, context)).collect(),
            popups: def
                .popup
                .iter()
                .map(|popup| {
                    let place = format!("{place}/{}", popup.name.value);
                    (popup.name.value.as_str().into(), self.items(&popup.items, context, &place))
                })
                .collect(),
            permissions: def
                .permission
                .iter()
                .map(|permission| Permission {
                    name: permission.name.value.as_str().into(),
                    granted: self.rules(&permission.granted, context, &format!("{place}/granted"), 0),
                    denied: self.rules(&permission.denied, context, &format!("{place}/denied"), 0),
                })
                .collect(),
            every: def
                .every
                .iter()
                .map(|every| {
                    const MIN_PERIOD_MS: u32 = 10;
                    if every.ms.value < MIN_PERIOD_MS {
                        self.error(
                            &every.ms.span,
                            format!("`ms = {}` is too often; use at least {MIN_PERIOD_MS}", every.ms.value),
                        );
                    }
                    (
                        every.ms.value.max(MIN_PERIOD_MS),
                        self.rules(&every.run, context, &format!("{place}/every"), 0),
                    )
                })
                .collect(),
            create: self.rules(&def.create, context, &format!("{place}/create"), 0),
            resume: self.rules(&def.resume, context, &format!("{place}/resume"), 0),
            pause: self.rules(&def.pause, context, &format!("{place}/pause"), 0),
            rotate: self.rules(&def.rotate, context, &format!("{place}/rotate"), 0),
            restore: self.rules(&def.restore, context, &format!("{place}/restore"), 0),
            result: self.rules(&def.result, context, &format!("{place}/result"), 0),
            new_intent: self.rules(&def.new_intent, context, &format!("{place}/new_intent"), 0),
            back: self.rules(&def.back, context, &format!("{place}/back"), 0),
            swipe_left: self.rules(&def.swipe_left, context, &format!("{place}/swipe_left"), 0),
            swipe_right: self.rules(&def.swipe_right, context, &format!("{place}/swipe_right"), 0),
        }
    }

    fn dialog(&mut self, def: &'a DialogDef, context: Context<'a>) -> Dialog {
        let place = format!("{}/{}", context.def.name.value, def.name.value);
        if def.buttons.is_empty() && !def.cancelable {
            self.error(
                &def.name.span,
                "nothing can dismiss this dialog; add a button or make it `cancelable`",
            );
        }
        let widgets = self.widgets(&def.widget, context, &place, 0);
        let first_field =
            widgets.iter().copied().find(|ix| self.widgets[ix.0 as usize].kind == WidgetKind::Field);
        if def.keyboard && first_field.is_none() {
            self.error(&def.name.span, "a dialog with `keyboard` needs a field among its widgets");
        }
        Dialog {
            name: def.name.value.as_str().into(),
            title: self.optional_template(def.title.as_ref(), context),
            text: self.optional_template(def.text.as_ref(), context),
            widgets,
            keyboard: first_field.filter(|_| def.keyboard),
            buttons: self.items(&def.buttons, context, &place),
            cancelable: def.cancelable,
            cancel: self.rules(&def.cancel, context, &format!("{place}/cancel"), 0),
        }
    }

    fn optional_template(&mut self, text: Option<&Located<String>>, context: Context<'_>) -> Template {
        text.map(|text| self.template(text, context)).unwrap_or_default()
    }

    fn template(&mut self, text: &Located<String>, context: Context<'_>) -> Template {
        match Template::compile(&self.engine, &text.value, &|name| self.slot(name, context)) {
            Ok(template) => template,
            Err(message) => {
                let message = self.with_nearest(message, context);
                self.error(&text.span, format!("in the text `{}`: {message}", text.value));
                Template::default()
            }
        }
    }

    fn guard(&mut self, source: Option<&Located<String>>, context: Context<'_>) -> Option<Expr> {
        source.and_then(|source| self.expression(source, context))
    }

    fn expression(&mut self, source: &Located<String>, context: Context<'_>) -> Option<Expr> {
        match Expr::value(&self.engine, &source.value, &|name| self.slot(name, context)) {
            Ok(expr) => Some(expr),
            Err(message) => {
                let message = self.with_nearest(message, context);
                self.error(&source.span, format!("in the expression `{}`: {message}", source.value));
                None
            }
        }
    }

    /// Where a variable is not known, the nearest one that is.
    fn with_nearest(&self, message: String, context: Context<'_>) -> String {
        let missing =
            message.strip_prefix("there is no variable `").and_then(|rest| rest.strip_suffix("` here"));
        let Some(name) = missing else { return message };
        let names = self.visible_names(context);
        let nearest = unknown("variable", name, names.iter().map(SmolStr::as_str));
        if nearest.ends_with('?') { nearest } else { message }
    }

    fn slot(&self, name: &str, context: Context<'_>) -> Option<Slot> {
        let lost = context.def.data.get_index_of(name);
        let saved = || context.def.saved.get_index_of(name).map(|ix| ix + context.def.data.len());
        if let Some(ix) = lost.or_else(saved) {
            return Some(Slot::Local(ix as u16));
        }
        if let Some(ix) = self.globals.iter().position(|variable| variable.name == name) {
            return Some(Slot::Global(ix as u16));
        }
        Temp::ALL.iter().find(|(known, _)| *known == name).map(|&(_, temp)| Slot::Temp(temp))
    }

    fn visible_names(&self, context: Context<'_>) -> Vec<SmolStr> {
        let locals = context.def.data.keys().chain(context.def.saved.keys()).map(SmolStr::from);
        locals.chain(self.globals.iter().map(|variable| variable.name.clone())).collect()
    }

    fn rules(&mut self, rules: &'a Rules, context: Context<'a>, place: &str, depth: usize) -> RuleList {
        let many = rules.0.len() > 1;
        rules
            .0
            .iter()
            .enumerate()
            .map(|(position, rule)| {
                let place = if many { format!("{place}#{}", position + 1) } else { place.to_owned() };
                self.rule(rule, context, &place, depth)
            })
            .collect()
    }

    fn rule(
        &mut self,
        located: &'a Located<RuleDef>,
        context: Context<'a>,
        place: &str,
        depth: usize,
    ) -> RuleIx {
        let def = &located.value;
        if depth > MAX_RULE_DEPTH {
            self.error(&located.span, format!("rules are nested more than {MAX_RULE_DEPTH} deep"));
            return RuleIx(0);
        }
        if let Some(chance) = &def.chance {
            self.random |= chance.value < 1.0;
            if !(0.0..=1.0).contains(&chance.value) {
                self.error(
                    &chance.span,
                    format!("`chance = {}` is no probability; use a number from 0 to 1", chance.value),
                );
            }
        }
        let script = def.script.as_ref().and_then(|script| {
            match Expr::statements(&self.engine, &script.value, &|name| self.slot(name, context)) {
                Ok(expr) => Some(expr),
                Err(message) => {
                    let message = self.with_nearest(message, context);
                    self.error(&script.span, format!("in `do = \"{}\"`: {message}", script.value));
                    None
                }
            }
        });
        if !def.with.is_empty() && def.start.is_none() {
            self.error(&located.span, "`with` gives values to a started activity; add `start`");
        }
        let rule = Rule {
            name: def.name.clone().map_or_else(|| place.into(), SmolStr::from),
            activity: context.activity,
            guard: self.guard(def.guard.as_ref(), context),
            chance: def.chance.as_ref().map(|chance| chance.value),
            after: def.after,
            script,
            toast: def.toast.as_ref().map(|toast| self.template(toast, context)),
            dismiss: def.dismiss,
            finish: def.finish || def.result.is_some(),
            result: self.guard(def.result.as_ref(), context),
            start: def.start.as_ref().and_then(|start| self.start(def, start, context)),
            dialog: self.named(
                def.dialog.as_ref(),
                "dialog",
                context.def.dialog.iter().map(|dialog| &dialog.name),
            ),
            popup: self.named(def.popup.as_ref(), "popup", context.def.popup.iter().map(|popup| &popup.name)),
            ask: self.named(
                def.ask.as_ref(),
                "permission",
                context.def.permission.iter().map(|asked| &asked.name),
            ),
            fail: def.fail.as_ref().and_then(|fail| {
                let found = self.def.failure.get_index_of(&fail.value);
                if found.is_none() {
                    let message =
                        unknown("failure", &fail.value, self.def.failure.keys().map(String::as_str));
                    self.error(&fail.span, message);
                }
                found.map(|ix| FailureIx(ix as u32))
            }),
            then: RuleList::default(),
        };
        let ix = RuleIx(self.rules.len() as u32);
        self.rules.push(rule);
        let then = self.rules(&def.then, context, &format!("{place}/then"), depth + 1);
        self.rules[ix.0 as usize].then = then;
        ix
    }

    fn named<'b>(
        &mut self,
        name: Option<&Located<String>>,
        what: &str,
        known: impl Iterator<Item = &'b Located<String>> + Clone,
    ) -> Option<u32> {
        let name = name?;
        let found = known.clone().position(|known| known.value == name.value);
        if found.is_none() {
            let message = unknown(what, &name.value, known.map(|known| known.value.as_str()));
            self.error(&name.span, format!("{message} in this activity"));
        }
        found.map(|ix| ix as u32)
    }

    fn start(&mut self, def: &RuleDef, name: &Located<String>, context: Context<'_>) -> Option<Start> {
        let activity = self.activity_named(name)?;
        let target = &self.def.activity[activity.0 as usize];
        let mut with = Vec::new();
        for (variable, source) in &def.with {
            let position = target
                .data
                .get_index_of(variable)
                .or_else(|| target.saved.get_index_of(variable).map(|ix| ix + target.data.len()));
            if let Some(position) = position {
                with.extend(self.expression(source, context).map(|expr| (position as u16, expr)));
            } else {
                let names = target.data.keys().chain(target.saved.keys()).map(String::as_str);
                let message = unknown("variable", variable, names);
                self.error(&source.span, format!("{message} in `{}`", name.value));
            }
        }
        Some(Start { activity, mode: def.mode, with })
    }
}

fn dynamic(value: &toml::Value) -> Dynamic {
    match value {
        toml::Value::String(text) => text.clone().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(moment) => moment.to_string().into(),
        toml::Value::Array(items) => Dynamic::from_array(items.iter().map(dynamic).collect()),
        toml::Value::Table(table) => Dynamic::from_map(
            table.iter().map(|(key, value)| (key.as_str().into(), dynamic(value))).collect(),
        ),
    }
}

/// The reader's words about an unknown key or kind, with the nearest known one.
fn friendlier(message: &str) -> String {
    let known = |what: &str, word: &str| -> Option<String> {
        let rest = message.strip_prefix(&format!("unknown {word} `"))?;
        let (name, expected) = rest.split_once("`, expected ")?;
        let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let message = unknown(what, name, names.iter().copied());
        let stop = if message.ends_with('?') { "" } else { "." };
        Some(format!("{message}{stop} Known here: {}", names.join(", ")))
    };
    known("key", "field").or_else(|| known("kind", "variant")).unwrap_or_else(|| message.to_owned())
}
