//! Attribute values that are not texts.

use super::issue::{IssueKind, Issues, excerpt};
use crate::gui::Bounds;

/// `true` or `false`.
pub(super) fn boolean(name: &'static str, value: &str, at: usize, issues: &mut Issues) -> bool {
    match value {
        "true" => true,
        "false" => false,
        _ => {
            let read = matches!(value.trim(), "1" | "yes") || value.trim().eq_ignore_ascii_case("true");
            issues.report(at, IssueKind::BadBoolean(name, excerpt(value), read));
            read
        }
    }
}

/// A number between two limits, both of which count.
pub(super) fn number(
    name: &'static str,
    value: &str,
    (min, max): (i64, i64),
    at: usize,
    issues: &mut Issues,
) -> i64 {
    let (number, proper) = match value.parse::<i64>() {
        Ok(number) => (number.clamp(min, max), (min..=max).contains(&number)),
        Err(_) => (numbers(value)[0].unwrap_or_default().clamp(min, max), false),
    };
    if !proper {
        issues.report(at, IssueKind::BadNumber(name, excerpt(value), number));
    }
    number
}

/// `[left,top][right,bottom]`. Anything else with four numbers in it is taken in that order, with an issue.
pub(super) fn bounds(value: &str, at: usize, issues: &mut Issues) -> Bounds {
    if let Some(bounds) = proper_bounds(value) {
        return bounds;
    }
    let bounds = match numbers(value) {
        [Some(left), Some(top), Some(right), Some(bottom), None] => {
            let edge = |number: i64| number.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            Bounds::new(edge(left), edge(top), edge(right), edge(bottom))
        }
        _ => Bounds::default(),
    };
    issues.report(at, IssueKind::BadBounds(excerpt(value), bounds));
    bounds
}

fn proper_bounds(value: &str) -> Option<Bounds> {
    let (first, second) = value.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
    let (left, top) = first.split_once(',')?;
    let (right, bottom) = second.split_once(',')?;
    Some(Bounds::new(left.parse().ok()?, top.parse().ok()?, right.parse().ok()?, bottom.parse().ok()?))
}

/// The whole numbers in a value that is not of the proper form. Fractions are cut off; the fifth place tells whether
/// there are more than four.
fn numbers(value: &str) -> [Option<i64>; 5] {
    let mut found = [None; 5];
    let mut places = found.iter_mut();
    let mut rest = value;
    while let Some(digit) = rest.find(|c: char| c.is_ascii_digit()) {
        let negative = rest[..digit].ends_with('-');
        let digits = &rest[digit..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let size = digits[..end].parse::<i64>().unwrap_or(i64::MAX);
        let Some(place) = places.next() else { break };
        *place = Some(if negative { -size } else { size });
        rest = &digits[end..];
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_bounds(value: &str, read: Bounds, proper: bool) {
        let mut issues = Issues::default();
        assert_eq!(bounds(value, 0, &mut issues), read, "{value}");
        assert_eq!(issues.finish("").is_empty(), proper, "{value}");
    }

    #[test]
    fn bounds_of_the_proper_form_are_taken_as_they_are() {
        check_bounds("[0,63][1080,210]", Bounds::new(0, 63, 1080, 210), true);
        check_bounds("[-5,1794][1080,1731]", Bounds::new(-5, 1794, 1080, 1731), true);
    }

    #[test]
    fn of_bad_bounds_the_numbers_are_kept_if_there_are_four() {
        check_bounds("0,1,2,3", Bounds::new(0, 1, 2, 3), false);
        check_bounds("[0, 1] [2.75, -3", Bounds::new(0, 1, 2, -3), false);
        check_bounds("[0,0][99999999999,9]", Bounds::new(0, 0, i32::MAX, 9), false);
        check_bounds("[99999999999999999999,0][1,1]", Bounds::new(i32::MAX, 0, 1, 1), false);
        for worthless in ["", "[0,0][1,", "[0,0][1,1][2,2]", "everywhere"] {
            check_bounds(worthless, Bounds::default(), false);
        }
    }

    #[test]
    fn numbers_are_kept_within_their_limits() {
        let check = |value, read, proper| {
            let mut issues = Issues::default();
            assert_eq!(number("index", value, (0, 100), 0, &mut issues), read);
            assert_eq!(issues.finish("").is_empty(), proper);
        };
        check("7", 7, true);
        check("-7", 0, false);
        check("700", 100, false);
        check("7th", 7, false);
        check("", 0, false);
    }

    #[test]
    fn other_words_for_yes_are_understood() {
        let check = |value, read, proper| {
            let mut issues = Issues::default();
            assert_eq!(boolean("enabled", value, 0, &mut issues), read);
            assert_eq!(issues.finish("").is_empty(), proper);
        };
        check("true", true, true);
        check("false", false, true);
        check("True", true, false);
        check("1", true, false);
        check("", false, false);
        check("tr", false, false);
    }
}
