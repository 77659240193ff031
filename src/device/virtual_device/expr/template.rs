//! Texts with expressions in them.

use rhai::Engine;
use smol_str::SmolStr;

use super::tokens::closing;
use super::{Env, Expr, Resolve, Slot, text_of};

/// A text with expressions in it: `Note {index + 1} of {count}`.
#[derive(Clone, Debug, Default)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Literal(SmolStr),
    Value(Expr),
}

impl Template {
    /// A text without expressions.
    pub fn literal(text: impl Into<SmolStr>) -> Self {
        let text = text.into();
        Self { parts: if text.is_empty() { Vec::new() } else { vec![Part::Literal(text)] } }
    }

    /// Compiles a text; `{{` stands for a brace.
    pub fn compile(engine: &Engine, source: &str, resolve: Resolve<'_>) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let doubled = rest[at..].starts_with("{{") || rest[at..].starts_with("}}");
            if doubled {
                plain.push_str(&rest[at..=at]);
                rest = &rest[at + 2..];
                continue;
            }
            if rest[at..].starts_with('}') {
                return Err("a `}` without its `{`; write `}}` for a brace".into());
            }
            let inside = closing(&rest[at + 1..]).ok_or("a `{` without its `}`; write `{{` for a brace")?;
            let end = at + 1 + inside;
            if !plain.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut plain).into()));
            }
            parts.push(Part::Value(Expr::value(engine, &rest[at + 1..end], resolve)?));
            rest = &rest[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Literal(plain.into()));
        }
        Ok(Self { parts })
    }

    /// There is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Some of the text is always there, whatever the variables hold.
    pub fn has_literal(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Literal(_)))
    }

    /// The variables that the text names.
    pub fn slots(&self) -> Vec<Slot> {
        self.parts
            .iter()
            .flat_map(|part| if let Part::Value(expr) = part { expr.slots() } else { Vec::new() })
            .collect()
    }

    /// The text now. An expression that fails shows as `?` and is reported.
    pub fn show(&self, engine: &Engine, env: &mut Env<'_>, issues: &mut Vec<String>) -> SmolStr {
        match self.parts.as_slice() {
            [] => SmolStr::default(),
            [Part::Literal(text)] => text.clone(),
            [Part::Value(expr)] => show_value(expr, engine, env, issues),
            parts => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        Part::Literal(literal) => text.push_str(literal),
                        Part::Value(expr) => text.push_str(&show_value(expr, engine, env, issues)),
                    }
                }
                text.into()
            }
        }
    }
}

fn show_value(expr: &Expr, engine: &Engine, env: &mut Env<'_>, issues: &mut Vec<String>) -> SmolStr {
    match expr.eval(engine, env) {
        Ok(value) => text_of(&value),
        Err(error) => {
            issues.push(error.to_string());
            SmolStr::new_static("?")
        }
    }
}
