//! Names that nobody knows are answered with the known one that was meant, if it can be told which.

use std::cmp::Reverse;

/// "there is no X `a`", with the known name that was probably meant.
pub(crate) fn unknown<'b>(what: &str, name: &str, known: impl Iterator<Item = &'b str>) -> String {
    match nearest(name, known) {
        Some(known) => format!("there is no {what} `{name}`; did you mean `{known}`?"),
        None => format!("there is no {what} `{name}`"),
    }
}

/// How near two names are, the nearest first; the number orders names of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Near {
    /// They differ in case and in what joins their words.
    Same,
    /// One letter is wrong, missing, too many, or in the place of its neighbour.
    OneLetter,
    /// One of them begins a word of the other, as `c-lv5` does in `amola-c-lv5`: how many letters they share, and how
    /// many the other has more.
    Part(Reverse<usize>, usize),
    /// So many letters are wrong, which is few for such a long name.
    Letters(usize),
}

/// A shorter part of a name is in too many of them; at the beginning, two letters do.
const LEAST_PART: usize = 3;
/// One letter in so many may be wrong.
const LETTERS_FOR_ONE_WRONG: usize = 3;

fn nearest<'b>(name: &str, known: impl Iterator<Item = &'b str>) -> Option<&'b str> {
    known
        .filter_map(|known| Some((near(name, known)?, known)))
        .min_by_key(|(near, _)| *near)
        .map(|(_, it)| it)
}

fn near(name: &str, known: &str) -> Option<Near> {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|letter| !matches!(letter, '-' | '_' | ' '))
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (plain_name, plain_known) = (plain(name), plain(known));
    if plain_name.is_empty() || plain_known.is_empty() {
        return None;
    }
    if plain_name == plain_known {
        return Some(Near::Same);
    }
    let (length, wrong) = (plain_name.chars().count(), strsim::osa_distance(&plain_name, &plain_known));
    if wrong == 1 && length >= LEAST_PART {
        return Some(Near::OneLetter);
    }
    let part = part(name, known).or_else(|| part(known, name));
    let few = || (wrong <= length / LETTERS_FOR_ONE_WRONG).then_some(Near::Letters(wrong));
    part.or_else(few)
}

/// The one begins a word of the other.
fn part(part: &str, whole: &str) -> Option<Near> {
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (wanted, letters): (Vec<char>, Vec<char>) = (fold(part), whole.chars().collect());
    let begins_word = |at: usize| match at.checked_sub(1).map(|before| letters[before]) {
        None => true,
        Some(before) => !before.is_alphanumeric() || (before.is_lowercase() && letters[at].is_uppercase()),
    };
    let is_here = |at: usize| {
        let here = letters[at..].iter().flat_map(|letter| letter.to_lowercase());
        here.take(wanted.len()).eq(wanted.iter().copied())
    };
    let least = |at: usize| if at == 0 { LEAST_PART - 1 } else { LEAST_PART };
    let found = (0..letters.len()).any(|at| wanted.len() >= least(at) && begins_word(at) && is_here(at));
    found.then(|| Near::Part(Reverse(wanted.len()), letters.len().saturating_sub(wanted.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstraction::registry::REGISTRY;
    use crate::strategy::StrategyChoice;

    fn abstraction(name: &str) -> Option<&'static str> {
        nearest(name, REGISTRY.iter().map(|entry| entry.name))
    }

    #[test]
    fn case_and_what_joins_the_words_do_not_matter() {
        assert_eq!(abstraction("STOAT"), Some("stoat"));
        assert_eq!(abstraction("Amola_C_Lv5"), Some("amola-c-lv5"));
        assert_eq!(nearest("SATA", StrategyChoice::NAMES.into_iter()), Some("sata"));
    }

    #[test]
    fn a_part_of_a_name_stands_for_it() {
        assert_eq!(abstraction("c-lv5"), Some("amola-c-lv5"));
        assert_eq!(abstraction("lv3"), Some("amola-c-lv3"));
        assert_eq!(abstraction("content"), Some("droidbot-content"));
        assert_eq!(abstraction("stoat-2017"), Some("stoat"));
        assert_eq!(nearest("Settings", ["Main", "SettingsActivity"].into_iter()), Some("SettingsActivity"));
        assert_eq!(nearest("Activity", ["AboutActivity"].into_iter()), Some("AboutActivity"));
        assert_eq!(nearest("ident", ["type", "id", "hint"].into_iter()), Some("id"));
    }

    #[test]
    fn a_slip_of_the_finger_is_seen_through() {
        assert_eq!(abstraction("stoad"), Some("stoat"));
        assert_eq!(abstraction("swfithand"), Some("swifthand"));
        assert_eq!(abstraction("evolwinf"), Some("evolving"));
        // One letter is nearer than a part.
        assert_eq!(nearest("rows_height", ["rows", "row_height"].into_iter()), Some("row_height"));
    }

    #[test]
    fn what_resembles_nothing_is_answered_with_nothing() {
        for name in ["all", "text", "none", "", "-", "x", "ten", "ty"] {
            assert_eq!(abstraction(name), None, "{name}");
        }
        // Letters inside a word are no part of a name.
        assert_eq!(nearest("ten", ["content", "written"].into_iter()), None);
    }
}
