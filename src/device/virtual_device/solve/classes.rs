//! Texts that guards can tell apart: one for each combination of answers that any text can give.
//!
//! Each question that a guard asks about a text is answered by a small automaton that reads the text character by
//! character. All of them read together, breadth first over every text there is; so the shortest text for each combination
//! of answers is met, and a combination that is not met has no text at all.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::super::app_model::InputKind;
use super::super::expr::Comparison;
use super::super::input::accepted;

/// More than this many situations of all automata together are not looked at.
const MAX_SITUATIONS: usize = 20_000;
/// More than this many combinations of answers are too many to be tried in every field.
const MAX_CLASSES: usize = 100;
/// A field takes no longer text.
const MAX_LENGTH: u32 = 5_000;
/// Digits that any whole number has at the most; one more overflows for sure.
const MAX_DIGITS: u8 = 20;

/// What a guard asks about a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    /// It is this text.
    Equals(String),
    /// This is somewhere in it.
    Contains(String),
    /// It begins with this.
    StartsWith(String),
    /// It ends with this.
    EndsWith(String),
    /// How many characters it has.
    Length(Comparison, i64),
    /// Which whole number it is.
    Number(Comparison, i64),
}

/// What a question about a text gives; the question for the number of a text that is none has no answer.
pub(super) type Answers = Vec<Option<bool>>;

impl Question {
    /// The answer for a whole text, as the scripts' own functions give it.
    pub(super) fn ask(&self, text: &str) -> Option<bool> {
        match self {
            Self::Equals(other) => Some(text == other),
            Self::Contains(part) => Some(text.contains(part)),
            Self::StartsWith(part) => Some(text.starts_with(part)),
            Self::EndsWith(part) => Some(text.ends_with(part)),
            Self::Length(comparison, length) => {
                Some(comparison.holds((text.chars().count() as i64).cmp(length)))
            }
            Self::Number(comparison, number) => {
                text.trim().parse::<i64>().ok().map(|value| comparison.holds(value.cmp(number)))
            }
        }
    }

    fn letters(&self) -> impl Iterator<Item = char> {
        let text: &str = match self {
            Self::Equals(text) | Self::Contains(text) | Self::StartsWith(text) | Self::EndsWith(text) => text,
            Self::Length(..) => "",
            Self::Number(..) => "0123456789+- ",
        };
        text.chars()
    }
}

/// The answers to all questions.
pub(super) fn answers(questions: &[Question], text: &str) -> Answers {
    questions.iter().map(|question| question.ask(text)).collect()
}

/// The shortest text for every combination of answers that some text of this kind gives, the shortest of all first.
/// `None` if there is too much to look at.
pub(super) fn texts(kind: InputKind, questions: &[Question]) -> Option<Vec<String>> {
    let automata: Vec<Automaton> = questions.iter().map(Automaton::new).collect();
    let letters = alphabet(kind, questions);
    let start: Vec<Mark> = automata.iter().map(Automaton::start).collect();
    let mut known: FxHashSet<Vec<Mark>> = FxHashSet::default();
    known.insert(start.clone());
    // For each situation where it came from, and with which letter.
    let mut situations = vec![(start, 0, ' ', 0)];
    let mut met: BTreeSet<Answers> = BTreeSet::new();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((marks, _, _, length)) = situations.get(at).cloned() {
        let answers = automata.iter().zip(&marks).map(|(automaton, mark)| automaton.answer(*mark)).collect();
        if met.insert(answers) {
            found.push(spell(&situations, at));
        }
        for &letter in letters.iter().filter(|_| length < MAX_LENGTH) {
            let next: Vec<Mark> =
                automata.iter().zip(&marks).map(|(automaton, mark)| automaton.read(*mark, letter)).collect();
            if known.insert(next.clone()) {
                situations.push((next, at, letter, length + 1));
            }
        }
        if situations.len() > MAX_SITUATIONS || found.len() > MAX_CLASSES {
            return None;
        }
        at += 1;
    }
    Some(found)
}

fn spell(situations: &[(Vec<Mark>, usize, char, u32)], mut at: usize) -> String {
    let mut letters = Vec::new();
    while at > 0 {
        let (_, from, letter, _) = &situations[at];
        letters.push(*letter);
        at = *from;
    }
    letters.iter().rev().collect()
}

/// The letters that some question knows, and one that stands for all others.
fn alphabet(kind: InputKind, questions: &[Question]) -> Vec<char> {
    let taken = |letter: char| !accepted(kind, letter.encode_utf8(&mut [0; 4])).is_empty();
    let known: BTreeSet<char> = questions.iter().flat_map(Question::letters).collect();
    let plain = "x7".chars().chain('a'..='z').chain('0'..='9').chain("*#+- ".chars());
    let other = plain.chain('\u{c0}'..='\u{2fff}').find(|letter| !known.contains(letter) && taken(*letter));
    other.into_iter().chain(known.iter().copied().filter(|letter| taken(*letter))).collect()
}

/// How far an automaton has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mark {
    /// So many letters fit, or were counted.
    At(u32),
    /// It can no longer fit.
    Never,
    Digits(Digits),
}

/// A number of which some digits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Digits {
    phase: Phase,
    negative: bool,
    /// Leading zeros apart.
    count: u8,
    /// The digits so far against as many of the number that is asked for.
    to_number: Ordering,
    /// The same against the largest number.
    to_limit: Ordering,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Before,
    Sign,
    Inside,
    After,
}

struct Automaton<'a> {
    question: &'a Question,
    letters: Vec<char>,
    /// The digits of the number that is asked for, without sign.
    digits: Vec<u8>,
}

fn digits(number: u64) -> Vec<u8> {
    if number == 0 { Vec::new() } else { number.to_string().bytes().collect() }
}

fn limit(negative: bool) -> u64 {
    if negative { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() }
}

impl<'a> Automaton<'a> {
    fn new(question: &'a Question) -> Self {
        let (letters, digits) = match question {
            Question::Number(_, number) => (Vec::new(), digits(number.unsigned_abs())),
            other => (other.letters().collect(), Vec::new()),
        };
        Self { question, letters, digits }
    }

    fn start(&self) -> Mark {
        match self.question {
            Question::Number(..) => Mark::Digits(Digits {
                phase: Phase::Before,
                negative: false,
                count: 0,
                to_number: Ordering::Equal,
                to_limit: Ordering::Equal,
            }),
            _ => Mark::At(0),
        }
    }

    fn read(&self, mark: Mark, letter: char) -> Mark {
        let whole = self.letters.len() as u32;
        match (self.question, mark) {
            (_, Mark::Never) => Mark::Never,
            (Question::Number(..), Mark::Digits(digits)) => {
                self.read_digit(digits, letter).map_or(Mark::Never, Mark::Digits)
            }
            (Question::Length(_, length), Mark::At(count)) => {
                let enough = u32::try_from(*length).unwrap_or(if *length < 0 { 0 } else { MAX_LENGTH });
                Mark::At((count + 1).min(enough.saturating_add(1)))
            }
            (Question::Equals(_), Mark::At(fit)) => {
                let fits = self.letters.get(fit as usize) == Some(&letter);
                if fits { Mark::At(fit + 1) } else { Mark::Never }
            }
            (Question::StartsWith(_) | Question::Contains(_), Mark::At(fit)) if fit == whole => mark,
            (Question::StartsWith(_), Mark::At(fit)) => {
                if self.letters[fit as usize] == letter {
                    Mark::At(fit + 1)
                } else {
                    Mark::Never
                }
            }
            (_, Mark::At(fit)) => Mark::At(self.overlap(fit as usize, letter)),
            (_, Mark::Digits(_)) => mark,
        }
    }

    /// How many letters of the part fit at the end, once a letter follows those that fitted.
    fn overlap(&self, fit: usize, letter: char) -> u32 {
        let read: Vec<char> = self.letters[..fit].iter().copied().chain([letter]).collect();
        let longest = (0..=read.len().min(self.letters.len()))
            .rev()
            .find(|&length| read[read.len() - length..] == self.letters[..length]);
        longest.unwrap_or(0) as u32
    }

    fn read_digit(&self, mut at: Digits, letter: char) -> Option<Digits> {
        match (letter, at.phase) {
            (space, Phase::Before | Phase::After) if space.is_whitespace() => {}
            (space, Phase::Inside) if space.is_whitespace() => at.phase = Phase::After,
            ('+' | '-', Phase::Before) => {
                at.phase = Phase::Sign;
                at.negative = letter == '-';
            }
            ('0'..='9', Phase::Before | Phase::Sign | Phase::Inside) => {
                at.phase = Phase::Inside;
                if at.count > 0 || letter != '0' {
                    let place = usize::from(at.count);
                    let against = |digits: &[u8], so_far: Ordering| {
                        let digit = digits.get(place).copied();
                        so_far.then(digit.map_or(Ordering::Equal, |digit| (letter as u32).cmp(&digit.into())))
                    };
                    at.to_number = against(&self.digits, at.to_number);
                    at.to_limit = against(&digits(limit(at.negative)), at.to_limit);
                    at.count = (at.count + 1).min(MAX_DIGITS);
                }
            }
            _ => return None,
        }
        Some(at)
    }

    fn answer(&self, mark: Mark) -> Option<bool> {
        match (self.question, mark) {
            (Question::Number(comparison, number), Mark::Digits(at)) => {
                let whole = matches!(at.phase, Phase::Inside | Phase::After);
                let size = |digits: &[u8], so_far| usize::from(at.count).cmp(&digits.len()).then(so_far);
                if !whole || size(&digits(limit(at.negative)), at.to_limit).is_gt() {
                    return None;
                }
                let sign = if at.count == 0 { 0 } else { 1 - 2 * i64::from(at.negative) };
                let size = size(&self.digits, at.to_number);
                let ordering = sign.cmp(&number.signum()).then(if sign < 0 { size.reverse() } else { size });
                Some(comparison.holds(ordering))
            }
            (Question::Number(..), _) => None,
            (Question::Length(comparison, length), Mark::At(count)) => {
                Some(comparison.holds(i64::from(count).cmp(length)))
            }
            (_, Mark::At(fit)) => Some(fit as usize == self.letters.len()),
            _ => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_texts(letters: &[char], max: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..max {
            let end = all.len();
            for at in from..end {
                let longer: Vec<String> =
                    letters.iter().map(|letter| format!("{}{letter}", all[at])).collect();
                all.extend(longer);
            }
            from = end;
        }
        all
    }

    fn is_covered(kind: InputKind, questions: &[Question], letters: &str) {
        let found = texts(kind, questions).expect("few enough");
        let classes: BTreeSet<Answers> = found.iter().map(|text| answers(questions, text)).collect();
        assert_eq!(classes.len(), found.len(), "one text for each class: {found:?}");
        for text in all_texts(&letters.chars().collect::<Vec<_>>(), 5) {
            let text = accepted(kind, &text);
            assert!(classes.contains(&answers(questions, &text)), "{text:?} is in no class of {questions:?}");
        }
    }

    fn text(part: &str) -> String {
        part.to_owned()
    }

    #[test]
    fn every_text_is_in_a_class_that_has_a_text() {
        use Comparison::{Eq, Ge, Gt, Lt, Ne};
        use Question::{Contains, EndsWith, Equals, Length, Number, StartsWith};
        is_covered(InputKind::Text, &[], "ab");
        is_covered(InputKind::Text, &[StartsWith(text("ab")), EndsWith(text("ba")), Length(Eq, 3)], "abc");
        is_covered(InputKind::Text, &[Contains(text("aa")), Contains(text("ab")), Length(Lt, 4)], "abc");
        is_covered(InputKind::Text, &[Equals(text("abab")), EndsWith(text("bab")), Equals(text(""))], "abc");
        is_covered(InputKind::Text, &[Number(Gt, 9), Number(Ne, -12), Length(Ge, 3)], "0912- ");
        is_covered(InputKind::Number, &[Number(Eq, 0), Contains(text("-")), Contains(text("x"))], "01-x");
        is_covered(InputKind::Phone, &[StartsWith(text("+4")), Length(Gt, 2)], "+46 ");
    }

    #[test]
    fn a_conjunction_that_needs_every_letter_is_met() {
        let questions = [
            Question::StartsWith(text("a")),
            Question::EndsWith(text("z")),
            Question::Length(Comparison::Eq, 7),
        ];
        let found = texts(InputKind::Text, &questions).expect("few enough");
        assert!(found.contains(&text("axxxxxz")), "{found:?}");
    }

    #[test]
    fn numbers_overflow_as_they_do_in_scripts() {
        let questions =
            [Question::Number(Comparison::Gt, i64::MAX - 1), Question::Number(Comparison::Lt, -9)];
        let found = texts(InputKind::Text, &questions).expect("few enough");
        let seen: BTreeSet<Answers> = found.iter().map(|text| answers(&questions, text)).collect();
        let (yes, no) = (Some(true), Some(false));
        let all: BTreeSet<Answers> =
            [vec![None, None], vec![no, no], vec![no, yes], vec![yes, no]].into_iter().collect();
        assert_eq!(seen, all, "{found:?}");
    }

    #[test]
    fn too_much_is_not_looked_at() {
        let parts = ["abcabcab", "bcdbcdbc", "cdecdecd", "defdefde", "efgefgef", "fghfghfg", "ghighigh"];
        let questions: Vec<Question> = parts.iter().map(|part| Question::Contains(text(part))).collect();
        assert!(texts(InputKind::Text, &questions).is_none());
    }
}
