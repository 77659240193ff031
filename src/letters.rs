//! Letters that do more than to be read.

/// It turns the direction of a line around or breaks it, or it is not seen at all: an app that shows it could make a report say
/// something else than it does.
pub fn is_misleading(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_a_line_around_misleads_and_what_is_written_from_the_right_does_not() {
        assert!("\u{61c}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}".chars().all(is_misleading));
        assert!(!"Save שמור حفظ 保存 é 🐒".chars().any(is_misleading));
    }
}
