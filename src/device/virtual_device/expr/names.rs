//! The names in a script: which variables of the model it uses, and which functions it calls.

use super::tokens::{Token, tokens};

pub(super) const KEYWORDS: &[&str] = &[
    "true", "false", "if", "else", "let", "const", "in", "for", "while", "loop", "break", "continue",
    "return", "switch", "is", "shared", "throw", "try", "catch", "do", "until", "fn", "this", "_",
];

/// The names in a script.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Names<'a> {
    /// Variables that the script does not declare itself, each once.
    pub(super) uses: Vec<&'a str>,
    /// Functions that it calls.
    pub(super) calls: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(source: &'a str) -> Self {
        let tokens = tokens(source);
        let mut found = Self::default();
        let mut declared: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let before = at.checked_sub(1).map(|at| &tokens[at]);
            let after = tokens.get(at + 1);
            let from = at;
            at += 1;
            match &tokens[from] {
                // What stands in brackets there is declared.
                Token::Word("for" | "catch") if after == Some(&Token::Sign("(")) => {
                    at = declare(&tokens, from + 2, ")", &mut declared);
                }
                Token::Word("fn") => at = declare(&tokens, from + 1, ")", &mut declared),
                Token::Word("let" | "const" | "for") => {
                    if let Some(Token::Word(name)) = after {
                        declared.push(name);
                        at += 1;
                    }
                }
                // A closure where a value is expected; else it is an `or`.
                Token::Sign("|") if !before.is_some_and(is_value) => {
                    at = declare(&tokens, from + 1, "|", &mut declared);
                }
                Token::Word(name) => {
                    let member = matches!(before, Some(Token::Sign("." | "?.")));
                    let key = after == Some(&Token::Sign(":"));
                    let known = declared.contains(name) || found.uses.contains(name);
                    if after == Some(&Token::Sign("(")) {
                        found.calls.push(name);
                    } else if !(member || key || known || KEYWORDS.contains(name)) {
                        found.uses.push(name);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Declares the names up to a sign; where the script goes on.
fn declare<'a>(tokens: &[Token<'a>], from: usize, end: &str, declared: &mut Vec<&'a str>) -> usize {
    let mut at = from;
    while at < tokens.len() && tokens[at] != Token::Sign(end) {
        if let Token::Word(name) = tokens[at] {
            declared.push(name);
        }
        at += 1;
    }
    at + 1
}

/// A value ends here, so that what follows is an operator.
fn is_value(token: &Token<'_>) -> bool {
    match token {
        Token::Word(word) => !KEYWORDS.contains(word) || matches!(*word, "true" | "false" | "this"),
        Token::Int(_) | Token::Number | Token::Text(_) => true,
        Token::Sign(sign) => matches!(*sign, ")" | "]" | "}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(source: &str) -> Vec<&str> {
        Names::of(source).uses
    }

    #[test]
    fn what_a_script_declares_is_not_a_variable_of_the_model() {
        assert_eq!(uses("let a = b; const c = a; d = c"), ["b", "d"]);
        assert_eq!(uses("for i in 0..count { sum += i }"), ["count", "sum"]);
        assert_eq!(uses("for (item, i) in items { last = item + i }"), ["items", "last"]);
        assert_eq!(uses("items.filter(|item| item.done && flag).len()"), ["items", "flag"]);
        assert_eq!(uses("all = items.map(|a, b| a + b); x = y | z"), ["all", "items", "x", "y", "z"]);
        assert_eq!(uses("run = || 3; a || b"), ["run", "a", "b"]);
        assert_eq!(uses("fn twice(n) { n * 2 } count = twice(count)"), ["count"]);
        assert_eq!(uses("try { a = 1 } catch (error) { b = error }"), ["a", "b"]);
        assert_eq!(uses("switch mode { 1 => a, _ => b }"), ["mode", "a", "b"]);
    }

    #[test]
    fn comments_texts_keys_and_members_are_no_variables() {
        assert_eq!(uses("a /* b */ + row.c // d"), ["a", "row"]);
        assert_eq!(uses("list.push(#{title: draft, \"x\": 1})"), ["list", "draft"]);
        assert_eq!(uses("`${count + 1} of ${total}`"), ["count", "total"]);
        assert_eq!(Names::of("sleep(count)").calls, ["sleep"]);
    }
}
