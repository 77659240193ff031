//! Letters that do more than to be read.

/// It stands still: it neither moves a cursor, nor turns the direction of a line around, breaks or hides it. An app that shows
/// another could make a report say something else than it does.
pub fn is_harmless(character: char) -> bool {
    let misleads = matches!(
        character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    !character.is_control() && !misleads
}

/// What an app says, on one line.
pub fn plain(text: &str) -> String {
    text.chars().map(|character| if is_harmless(character) { character } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_a_line_around_misleads_and_what_is_written_from_the_right_does_not() {
        assert!(!"\u{61c}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{1b}\n".chars().any(is_harmless));
        assert!("Save שמור حفظ 保存 é 🐒".chars().all(is_harmless));
        assert_eq!(plain("a\u{202e}b\nc"), "a b c");
    }
}
