//! Guards, effects and texts of app models, compiled once at load.
//!
//! Most guards are `flag`, `!flag` or `count >= 3`, and most texts show one field of a row. These are recognised and
//! evaluated directly; everything else is a rhai expression, to which exactly the variables it names are lent.

mod comparison;
mod names;
mod template;
pub(super) mod tokens;

use rhai::{AST, Dynamic, Engine, Scope};
use smol_str::SmolStr;

pub(super) use comparison::Comparison;
use names::{KEYWORDS, Names};
pub use template::Template;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A variable of the app: disk first, then process.
    Global(u16),
    /// A variable of the activity: data first, then saved.
    Local(u16),
    /// A value that is there only while a rule runs or a row is shown.
    Temp(Temp),
}

/// The values that are there only while a rule runs or a row is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Temp {
    /// The row of a list.
    Row,
    /// The number of the row, from 0.
    Index,
    /// The text that was entered, or the new value of a widget.
    Value,
    /// What a closed activity gave back.
    Result,
    /// The activity was restored, not started.
    Restored,
    /// The screen is wider than high.
    Landscape,
    /// The permissions granted so far.
    Permissions,
}

impl Temp {
    /// All of them, in the order of [`Temps`].
    pub const ALL: [(&'static str, Self); 8] = [
        ("row", Self::Row),
        ("index", Self::Index),
        ("value", Self::Value),
        ("text", Self::Value),
        ("result", Self::Result),
        ("restored", Self::Restored),
        ("landscape", Self::Landscape),
        ("permissions", Self::Permissions),
    ];
}

/// The current values of the [`Temp`]s.
#[derive(Clone, Debug, Default)]
pub struct Temps {
    values: [Dynamic; 7],
}

impl Temps {
    /// Sets one.
    pub fn set(&mut self, temp: Temp, value: impl Into<Dynamic>) {
        self.values[temp as usize] = value.into();
    }

    /// Reads one.
    pub fn get(&self, temp: Temp) -> &Dynamic {
        &self.values[temp as usize]
    }
}

/// All variables that an expression can see.
pub struct Env<'a> {
    /// The app's variables.
    pub globals: &'a mut [Dynamic],
    /// The activity's variables.
    pub locals: &'a mut [Dynamic],
    /// The rule's values.
    pub temps: &'a mut Temps,
}

impl Env<'_> {
    fn get(&self, slot: Slot) -> &Dynamic {
        match slot {
            Slot::Global(ix) => &self.globals[ix as usize],
            Slot::Local(ix) => &self.locals[ix as usize],
            Slot::Temp(temp) => self.temps.get(temp),
        }
    }

    fn get_mut(&mut self, slot: Slot) -> &mut Dynamic {
        match slot {
            Slot::Global(ix) => &mut self.globals[ix as usize],
            Slot::Local(ix) => &mut self.locals[ix as usize],
            Slot::Temp(temp) => &mut self.temps.values[temp as usize],
        }
    }
}

/// An expression, ready to run.
#[derive(Clone, Debug)]
pub struct Expr {
    form: Form,
    source: SmolStr,
}

#[derive(Clone, Debug)]
enum Form {
    Const(Dynamic),
    Var(Slot),
    Not(Slot),
    Compare(Slot, Comparison, Dynamic),
    RowField(SmolStr),
    Script { ast: Box<AST>, vars: Box<[(SmolStr, Slot)]> },
}

/// Why a script did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{source_text}`: {message}")]
pub struct ScriptError {
    source_text: SmolStr,
    message: String,
}

/// Finds the slot of a name, in the context of one activity.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Option<Slot>;

/// The engine that all scripts of an app share: no files, no clock, no printing, bounded work.
pub fn engine() -> Engine {
    /// A list in a list in a list needs stack; so many operations cannot nest deeper than a thread's stack carries.
    const MAX_OPERATIONS: u64 = 10_000;
    const MAX_DEPTH: usize = 64;
    const MAX_STRING: usize = 1 << 16;
    const MAX_ITEMS: usize = 10_000;
    let mut engine = Engine::new();
    engine.set_max_operations(MAX_OPERATIONS);
    engine.set_max_expr_depths(MAX_DEPTH, MAX_DEPTH);
    engine.set_max_string_size(MAX_STRING);
    engine.set_max_array_size(MAX_ITEMS);
    engine.set_max_map_size(MAX_ITEMS);
    engine.set_max_call_levels(MAX_DEPTH);
    engine.disable_symbol("eval");
    engine.disable_symbol("print");
    engine.disable_symbol("debug");
    engine.on_print(|_| {});
    engine.on_debug(|_, _, _| {});
    engine
}

impl Expr {
    /// Compiles an expression that gives a value.
    pub fn value(engine: &Engine, source: &str, resolve: Resolve<'_>) -> Result<Self, String> {
        if let Some(form) = simple_form(source, resolve) {
            return Ok(Self { form, source: source.into() });
        }
        let ast = engine.compile_expression(source).map_err(|error| error.to_string())?;
        Self::script(source, ast, resolve)
    }

    /// Compiles statements that change variables.
    pub fn statements(engine: &Engine, source: &str, resolve: Resolve<'_>) -> Result<Self, String> {
        let ast = engine.compile(source).map_err(|error| error.to_string())?;
        Self::script(source, ast, resolve)
    }

    fn script(source: &str, ast: AST, resolve: Resolve<'_>) -> Result<Self, String> {
        let names = Names::of(source);
        if let Some(name) = names.calls.iter().find(|name| FORBIDDEN.contains(name)) {
            return Err(format!("`{name}` is not there for app models: an app's time is the device's"));
        }
        let mut vars: Vec<(SmolStr, Slot)> = Vec::new();
        for name in names.uses {
            let slot = resolve(name).ok_or_else(|| format!("there is no variable `{name}` here"))?;
            vars.push((name.into(), slot));
        }
        Ok(Self { form: Form::Script { ast: Box::new(ast), vars: vars.into() }, source: source.into() })
    }

    /// The expression as it was written.
    pub fn source(&self) -> &SmolStr {
        &self.source
    }

    /// The variables it names.
    pub fn slots(&self) -> Vec<Slot> {
        match &self.form {
            Form::Const(_) => Vec::new(),
            Form::Var(slot) | Form::Not(slot) | Form::Compare(slot, ..) => vec![*slot],
            Form::RowField(_) => vec![Slot::Temp(Temp::Row)],
            Form::Script { vars, .. } => vars.iter().map(|(_, slot)| *slot).collect(),
        }
    }

    /// The value itself, where the expression is just a variable.
    pub fn borrowed<'e>(&self, env: &'e Env<'_>) -> Option<&'e Dynamic> {
        if let Form::Var(slot) = self.form { Some(env.get(slot)) } else { None }
    }

    /// The value of the expression.
    pub fn eval(&self, engine: &Engine, env: &mut Env<'_>) -> Result<Dynamic, ScriptError> {
        match &self.form {
            Form::Const(value) => Ok(value.clone()),
            Form::Var(slot) => Ok(env.get(*slot).clone()),
            Form::Not(slot) => Ok((!self.flag(env.get(*slot))?).into()),
            Form::Compare(slot, comparison, constant) => {
                Ok(compares(*comparison, env.get(*slot), constant).into())
            }
            Form::RowField(field) => {
                let row = env.get(Slot::Temp(Temp::Row));
                let value = row.as_map_ref().ok().and_then(|map| map.get(field.as_str()).cloned());
                value.ok_or_else(|| self.error(format!("the row has no field `{field}`")))
            }
            Form::Script { ast, vars } => self.run(engine, env, ast, vars),
        }
    }

    /// Whether the guard holds. A value that is neither true nor false is an error.
    pub fn holds(&self, engine: &Engine, env: &mut Env<'_>) -> Result<bool, ScriptError> {
        match &self.form {
            Form::Const(value) => self.flag(value),
            Form::Var(slot) => self.flag(env.get(*slot)),
            Form::Not(slot) => Ok(!self.flag(env.get(*slot))?),
            Form::Compare(slot, comparison, constant) => Ok(compares(*comparison, env.get(*slot), constant)),
            _ => self.flag(&self.eval(engine, env)?),
        }
    }

    fn flag(&self, value: &Dynamic) -> Result<bool, ScriptError> {
        value.as_bool().map_err(|kind| {
            let kind = match kind {
                "i64" => "a number",
                "string" => "a text",
                "array" => "a list",
                other => other,
            };
            self.error(format!("gives {kind}, not true or false"))
        })
    }

    /// The variables are lent to the script and taken back, changed or not, also when it fails.
    fn run(
        &self,
        engine: &Engine,
        env: &mut Env<'_>,
        ast: &AST,
        vars: &[(SmolStr, Slot)],
    ) -> Result<Dynamic, ScriptError> {
        let mut scope = Scope::new();
        for (name, slot) in vars {
            let value = std::mem::take(env.get_mut(*slot));
            scope.push_dynamic(name.as_str(), value);
        }
        let outcome = engine.eval_ast_with_scope::<Dynamic>(&mut scope, ast);
        let mut overgrown = None;
        for (name, slot) in vars {
            if let Some(value) = scope.get_mut(name) {
                let mut value = std::mem::take(value);
                if (value.is_array() || value.is_map()) && !fits(&value, &mut MAX_HELD.clone(), MAX_NESTED) {
                    overgrown = Some(name);
                    value =
                        if value.is_array() { rhai::Array::new().into() } else { rhai::Map::new().into() };
                }
                *env.get_mut(*slot) = value;
            }
        }
        if let Some(name) = overgrown {
            return Err(self.error(format!("`{name}` held more than {MAX_HELD} values, or lists in lists {MAX_NESTED} deep, and was emptied")));
        }
        outcome.map_err(|error| self.error(error.to_string()))
    }

    fn error(&self, message: String) -> ScriptError {
        ScriptError { source_text: self.source.clone(), message }
    }
}

/// A whole or a broken number.
fn number(value: &Dynamic) -> Option<f64> {
    value.as_float().ok().or_else(|| value.as_int().ok().map(|number| number as f64))
}

/// Whether two values compare so; values of different sorts are only unequal.
fn compares(comparison: Comparison, left: &Dynamic, right: &Dynamic) -> bool {
    let ordering = if let (Ok(left), Ok(right)) = (left.as_int(), right.as_int()) {
        Some(left.cmp(&right))
    } else if let (Some(left), Some(right)) = (number(left), number(right)) {
        left.partial_cmp(&right)
    } else if let (Ok(left), Ok(right)) = (left.as_bool(), right.as_bool()) {
        Some(left.cmp(&right))
    } else if let (Ok(left), Ok(right)) = (left.as_immutable_string_ref(), right.as_immutable_string_ref()) {
        Some(left.as_str().cmp(right.as_str()))
    } else {
        None
    };
    ordering.map_or(comparison == Comparison::Ne, |ordering| comparison.holds(ordering))
}

/// Functions of rhai that would bring the clock of this machine into an app.
const FORBIDDEN: &[&str] = &["sleep", "timestamp", "rand", "eval", "print", "debug"];

/// A variable that holds more than this, all that is in it counted, is emptied.
const MAX_HELD: usize = 50_000;

/// A list within lists deeper than this is emptied.
const MAX_NESTED: usize = 64;

/// What is in a value, counted until the budget is used up.
fn fits(value: &Dynamic, budget: &mut usize, depth: usize) -> bool {
    if *budget == 0 || depth == 0 {
        return false;
    }
    *budget -= 1;
    if let Ok(items) = value.as_array_ref() {
        return items.iter().all(|item| fits(item, budget, depth - 1));
    }
    value.as_map_ref().map_or(true, |map| map.values().all(|item| fits(item, budget, depth - 1)))
}

fn simple_form(source: &str, resolve: Resolve<'_>) -> Option<Form> {
    let source = source.trim();
    if let Some(value) = literal(source) {
        return Some(Form::Const(value));
    }
    if is_identifier(source) && !KEYWORDS.contains(&source) {
        return resolve(source).map(Form::Var);
    }
    if let Some(name) = source.strip_prefix('!').map(str::trim)
        && is_identifier(name)
    {
        return resolve(name).map(Form::Not);
    }
    if let Some(field) = source.strip_prefix("row.")
        && is_identifier(field)
        && resolve("row").is_some()
    {
        return Some(Form::RowField(field.into()));
    }
    for (operator, comparison) in Comparison::SIGNS {
        if let Some((left, right)) = source.split_once(operator) {
            let (left, right) = (left.trim(), right.trim());
            let constant = literal(right)?;
            return (is_identifier(left) && !KEYWORDS.contains(&left))
                .then(|| resolve(left))
                .flatten()
                .map(|slot| Form::Compare(slot, comparison, constant));
        }
    }
    None
}

fn literal(source: &str) -> Option<Dynamic> {
    match source {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        _ => {
            if let Ok(number) = source.parse::<i64>() {
                return Some(number.into());
            }
            let inner = source.strip_prefix('"')?.strip_suffix('"')?;
            (!inner.contains(['"', '\\', '\n'])).then(|| inner.to_owned().into())
        }
    }
}

fn is_identifier(source: &str) -> bool {
    let mut bytes = source.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A value as a person reads it.
pub fn text_of(value: &Dynamic) -> SmolStr {
    if let Ok(text) = value.as_immutable_string_ref() {
        return SmolStr::new(text.as_str());
    }
    if value.is_unit() {
        return SmolStr::default();
    }
    smol_str::format_smolstr!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(name: &str) -> Option<Slot> {
        match name {
            "count" => Some(Slot::Global(0)),
            "items" => Some(Slot::Global(1)),
            "draft" => Some(Slot::Local(0)),
            "row" => Some(Slot::Temp(Temp::Row)),
            _ => None,
        }
    }

    fn check(source: &str, expected: &str) {
        let engine = engine();
        let mut globals = vec![Dynamic::from(3_i64), Dynamic::from(vec![Dynamic::from("a".to_owned())])];
        let mut locals = vec![Dynamic::from("hello".to_owned())];
        let mut temps = Temps::default();
        let mut env = Env { globals: &mut globals, locals: &mut locals, temps: &mut temps };
        let shown = match Expr::value(&engine, source, &resolve) {
            Ok(expr) => match expr.eval(&engine, &mut env) {
                Ok(value) => text_of(&value).to_string(),
                Err(error) => error.to_string(),
            },
            Err(error) => error,
        };
        assert_eq!(shown, expected, "{source}");
        assert_eq!(globals[0].as_int(), Ok(3), "a variable was lost by {source}");
    }

    #[test]
    fn lists_in_lists_in_lists_are_cut_before_the_stack_is() {
        let engine = engine();
        let mut globals = vec![Dynamic::from(0_i64), Dynamic::from(rhai::Array::new())];
        for source in ["for i in 0..5000 { items = [items] }", "for i in 0..30 { items = [items] }"] {
            let nest = Expr::statements(&engine, source, &resolve).unwrap();
            let mut errors = 0;
            for _ in 0..10 {
                let (mut locals, mut temps) = (vec![], Temps::default());
                let mut env = Env { globals: &mut globals, locals: &mut locals, temps: &mut temps };
                errors += u32::from(nest.eval(&engine, &mut env).is_err());
                let items = env.get_mut(Slot::Global(1));
                assert!(fits(items, &mut MAX_HELD.clone(), MAX_NESTED), "after {source}");
            }
            assert!(errors > 0, "{source}");
        }
    }

    #[test]
    fn simple_and_scripted_forms_give_the_same_answers() {
        check("count >= 3", "true");
        check("(count) >= 3", "true");
        check("draft == \"hello\"", "true");
        check("draft == \"hello\" && count < 3", "false");
        check("items.len() == 1", "true");
        check("count + 1", "4");
        check("items[0]", "a");
    }

    #[test]
    fn a_name_that_is_no_variable_is_refused_at_load() {
        check("nothing == 1 || count == 1", "there is no variable `nothing` here");
    }

    #[test]
    fn a_failing_script_gives_its_variables_back() {
        check(
            "items[7]",
            "`items[7]`: Array index 7 out of bounds: only 1 element in array (line 1, position 7)",
        );
    }

    #[test]
    fn statements_change_variables() {
        let engine = engine();
        let mut globals = vec![Dynamic::from(3_i64), Dynamic::from(rhai::Array::new())];
        let mut locals = vec![Dynamic::from("milk".to_owned())];
        let mut temps = Temps::default();
        let mut env = Env { globals: &mut globals, locals: &mut locals, temps: &mut temps };
        let expr =
            Expr::statements(&engine, "count += 1; items.push(#{title: draft}); draft = \"\"", &resolve)
                .unwrap();
        let _ = expr.eval(&engine, &mut env).unwrap();
        assert_eq!(globals[0].as_int(), Ok(4));
        assert_eq!(globals[1].as_array_ref().unwrap().len(), 1);
        assert_eq!(text_of(&locals[0]), "");
    }

    #[test]
    fn texts_hold_expressions_and_braces() {
        let engine = engine();
        let mut globals = vec![Dynamic::from(3_i64), Dynamic::from(rhai::Array::new())];
        let mut locals = vec![Dynamic::from("milk".to_owned())];
        let mut temps = Temps::default();
        let mut env = Env { globals: &mut globals, locals: &mut locals, temps: &mut temps };
        let mut issues = Vec::new();
        let text = Template::compile(&engine, "{count} of {draft} {{x}}", &resolve).unwrap();
        assert_eq!(text.show(&engine, &mut env, &mut issues), "3 of milk {x}");
        assert!(Template::compile(&engine, "open {count", &resolve).is_err());
    }
}
