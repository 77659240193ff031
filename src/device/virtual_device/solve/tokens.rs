//! Reads scripts of app models word by word: which variables they read and change, which constants they name.
//!
//! The scripts are run by rhai; here they are only looked at. Where the look is not sure, it errs on the safe side: a
//! variable counts as read and as changed.

pub(super) use super::super::expr::tokens::{Token, tokens};

/// One statement: the names it reads and the names it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Statement<'a> {
    /// Names whose value matters.
    pub(super) reads: Vec<&'a str>,
    /// Names whose value may be another one afterwards.
    pub(super) writes: Vec<&'a str>,
    /// Names that are added or compared: they must hold numbers, else it fails.
    pub(super) summed: Vec<&'a str>,
    /// Names that are negated or asked: they must hold true or false, else it fails.
    pub(super) judged: Vec<&'a str>,
    /// Names on which a function is called: they must hold a text or a list, else it fails.
    pub(super) called: Vec<&'a str>,
    /// Nothing else in it can fail.
    pub(super) safe: bool,
}

/// Signs that give a variable a value.
pub(super) const ASSIGNMENTS: [&str; 12] =
    ["=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "**="];
/// Signs that cannot make a statement fail.
const HARMLESS: [&str; 15] = ["=", "==", "!=", "(", ")", "[", "]", "{", "}", "#{", ":", ",", ";", ".", "?."];
/// Functions that leave the value they are called on as it is.
const READING: [&str; 34] = [
    "len",
    "is_empty",
    "contains",
    "starts_with",
    "ends_with",
    "index_of",
    "to_string",
    "to_upper",
    "to_lower",
    "sub_string",
    "parse_int",
    "to_int",
    "to_float",
    "parse_float",
    "abs",
    "min",
    "max",
    "keys",
    "values",
    "get",
    "filter",
    "map",
    "some",
    "all",
    "find",
    "reduce",
    "extract",
    "split",
    "chars",
    "type_of",
    "contains_key",
    "bytes",
    "is_def_var",
    "find_map",
];
/// Functions that cannot fail on values of the type they are for.
const SAFE: [&str; 10] = [
    "len",
    "is_empty",
    "contains",
    "starts_with",
    "ends_with",
    "to_string",
    "to_upper",
    "to_lower",
    "push",
    "clear",
];

/// The statements of a script. One that declares names of its own is one statement: values flow through those names.
pub(super) fn statements(source: &str) -> Vec<Statement<'_>> {
    let all = tokens(source);
    let declares = all.iter().any(|token| {
        matches!(
            token,
            Token::Word("let" | "const" | "for" | "fn" | "while" | "loop" | "return" | "throw" | "try")
        ) || matches!(token, Token::Sign("|"))
    });
    if declares {
        return vec![statement(&all)];
    }
    let mut depth = 0_i32;
    let mut parts: Vec<&[Token<'_>]> = Vec::new();
    let mut start = 0;
    for (at, token) in all.iter().enumerate() {
        match token {
            Token::Sign("(" | "[" | "{" | "#{") => depth += 1,
            Token::Sign(")" | "]" | "}") => depth -= 1,
            Token::Sign(";") if depth == 0 => {
                parts.push(&all[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&all[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).map(statement).collect()
}

fn statement<'a>(tokens: &[Token<'a>]) -> Statement<'a> {
    let mut found = Statement { safe: true, ..Statement::default() };
    let (mut sums, mut counts) = (false, true);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign("[")
                if at > 0
                    && matches!(
                        tokens[at - 1],
                        Token::Word(_) | Token::Text(_) | Token::Sign(")" | "]" | "}")
                    ) =>
            {
                found.safe = false;
            }
            Token::Sign("+" | "-" | "*" | "+=" | "-=" | "*=" | "<" | ">" | "<=" | ">=") => {
                found.summed.extend(operands(tokens, at));
                sums = true;
            }
            Token::Sign("!" | "&&" | "||") | Token::Word("if") => {
                found.judged.extend(judged(tokens, at));
            }
            Token::Sign(sign) if !HARMLESS.contains(sign) => found.safe = false,
            Token::Word("let" | "const" | "for" | "fn" | "while" | "loop" | "throw" | "return") => {
                found.safe = false;
            }
            Token::Word(name) => {
                let called = tokens.get(at + 1) == Some(&Token::Sign("("));
                if called {
                    found.safe &= SAFE.contains(name);
                    counts &= matches!(*name, "len" | "push" | "clear");
                }
                let after_dot = at > 0 && matches!(tokens[at - 1], Token::Sign("." | "?."));
                let key = tokens.get(at + 1) == Some(&Token::Sign(":"));
                if !called && !after_dot && !key {
                    read_name(tokens, at, name, &mut found);
                }
            }
            _ => {}
        }
    }
    // What is added may be what a function gave.
    found.safe &= counts || !sums;
    found
}

/// The names beside an operator that wants true or false, unless they are part of a comparison there.
fn judged<'a>(tokens: &[Token<'a>], at: usize) -> Vec<&'a str> {
    let compares = |at: Option<usize>| {
        let sign = at.and_then(|at| tokens.get(at));
        matches!(sign, Some(Token::Sign("==" | "!=" | "<" | ">" | "<=" | ">=" | "+" | "-" | "*")))
    };
    let mut sides = operands(tokens, at).into_iter();
    let before = at.checked_sub(1).is_some_and(|at| matches!(tokens[at], Token::Word(_)));
    let before = if before { sides.next() } else { None };
    let before = before.filter(|_| !compares(at.checked_sub(2)));
    before.into_iter().chain(sides.next().filter(|_| !compares(Some(at + 2)))).collect()
}

/// The names directly beside an operator.
fn operands<'a>(tokens: &[Token<'a>], at: usize) -> Vec<&'a str> {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let after = tokens.get(at + 1).filter(|_| chain(tokens, at + 2).end == at + 2);
    let names = [before, after].into_iter().flatten().filter_map(|token| match token {
        Token::Word(name) => Some(*name),
        _ => None,
    });
    names.collect()
}

fn read_name<'a>(tokens: &[Token<'a>], at: usize, name: &'a str, found: &mut Statement<'a>) {
    let Chain { end, changes, calls } = chain(tokens, at + 1);
    let assigned = matches!(tokens.get(end), Some(Token::Sign(sign)) if ASSIGNMENTS.contains(sign));
    let method = at >= 3 && matches!(tokens[at - 3], Token::Sign("." | "?."));
    let first_argument = at >= 2
        && !method
        && tokens[at - 1] == Token::Sign("(")
        && matches!(tokens[at - 2], Token::Word(function) if !READING.contains(&function) && function != "if");
    let plain = end == at + 1 && tokens.get(end) == Some(&Token::Sign("="));
    if (assigned || changes || first_argument) && !found.writes.contains(&name) {
        found.writes.push(name);
    }
    if end > at + 1 && !calls {
        // A field of a value that may have none.
        found.safe = false;
    }
    if !plain {
        if calls || first_argument {
            found.called.push(name);
        }
        if !found.reads.contains(&name) {
            found.reads.push(name);
        }
    }
}

struct Chain {
    end: usize,
    changes: bool,
    /// There is one function call and nothing else.
    calls: bool,
}

/// What follows a name: fields, calls and indices.
fn chain(tokens: &[Token<'_>], mut at: usize) -> Chain {
    let (mut changes, mut fields, mut calls) = (false, 0, 0);
    loop {
        match tokens.get(at) {
            Some(Token::Sign("." | "?.")) => {
                match (tokens.get(at + 1), tokens.get(at + 2)) {
                    (Some(Token::Word(name)), Some(Token::Sign("("))) => {
                        changes |= !READING.contains(name);
                        calls += 1;
                    }
                    _ => fields += 1,
                }
                at += 2;
            }
            Some(Token::Sign("(")) => at = closing(tokens, at) + 1,
            Some(Token::Sign("[")) => {
                fields += 1;
                at = closing(tokens, at) + 1;
            }
            _ => return Chain { end: at, changes, calls: calls == 1 && fields == 0 },
        }
    }
}

pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign("(" | "[" | "{" | "#{") => depth += 1,
            Token::Sign(")" | "]" | "}") => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The parts of a guard between `&&` and `||`, without outer brackets and negations.
pub(super) fn atoms(source: &str) -> Vec<String> {
    source
        .split("&&")
        .flat_map(|part| part.split("||"))
        .map(|part| {
            let mut part = part.trim().trim_start_matches(['!', '(', ' ']).trim();
            while part.ends_with(')') && part.matches(')').count() > part.matches('(').count() {
                part = part[..part.len() - 1].trim_end();
            }
            part.to_owned()
        })
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, reads: &[&str], writes: &[&str], safe: bool) {
        let mut all = Statement { safe: true, ..Statement::default() };
        for part in statements(source) {
            all.reads.extend(part.reads);
            all.writes.extend(part.writes);
            all.safe &= part.safe;
        }
        assert_eq!(
            (all.reads.as_slice(), all.writes.as_slice(), all.safe),
            (reads, writes, safe),
            "{source}"
        );
    }

    #[test]
    fn statements_tell_what_they_read_and_change() {
        check("count += 1", &["count"], &["count"], true);
        check("a = b; c = !d", &["b", "d"], &["a", "c"], true);
        check("items.push(#{title: draft})", &["items", "draft"], &["items"], true);
        check("if items.len() > 3 { full = true }", &["items", "true"], &["full"], true);
        check("n = parse_int(text)", &["text"], &["n"], false);
        check("items[index].done = true", &["items", "index", "true"], &["items"], false);
        check("items.remove(index)", &["items", "index"], &["items"], false);
        check("push(items, 3)", &["items"], &["items"], true);
    }

    #[test]
    fn operands_tell_which_types_a_statement_needs() {
        let parts = statements("if count < 2 && open { items.push(title); other = !closed }");
        assert_eq!(parts[0].summed, ["count"]);
        assert_eq!(parts[0].judged, ["open", "closed"]);
        assert_eq!(parts[0].called, ["items"]);
        assert!(parts[0].safe);
        assert!(!statements("a = f(x)[0]")[0].safe);
    }

    #[test]
    fn a_script_with_names_of_its_own_is_one_statement() {
        assert_eq!(statements("let a = x; y = a").len(), 1);
        assert_eq!(statements("a = 1; b = 2;").len(), 2);
    }

    #[test]
    fn guards_fall_apart_into_atoms() {
        assert_eq!(atoms("!(a && b >= 3) || c.len() > 2"), ["a", "b >= 3", "c.len() > 2"]);
    }
}
