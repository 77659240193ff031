//! Numbers as people read them.

/// A number with its thousands apart: `20,000`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of something: `1 run`, `20,000 runs`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(20_000), "20,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn one_is_one_and_the_others_are_several() {
        let all = [0, 1, 2, 999, 20_000, 1_000_000].map(|number| counted(number, "run"));
        assert_eq!(all, ["0 runs", "1 run", "2 runs", "999 runs", "20,000 runs", "1,000,000 runs"]);
    }
}
