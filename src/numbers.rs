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

/// So many of all runs: `1 of 1 run`, `3 of 2,000 runs`.
pub fn of_runs(some: u32, all: u32) -> String {
    format!("{} of {}", thousands(some.into()), counted(all.into(), "run"))
}

/// The 95 % interval of a share by Wilson's score; everything if nothing was counted.
pub fn wilson(hits: u32, runs: u32) -> (f64, f64) {
    const Z2: f64 = 1.959_964 * 1.959_964;
    if runs == 0 {
        return (0.0, 1.0);
    }
    let n = f64::from(runs);
    let p = f64::from(hits) / n;
    let middle = (p + Z2 / (2.0 * n)) / (1.0 + Z2 / n);
    let half = (Z2 * (p * (1.0 - p) / n + Z2 / (4.0 * n * n))).sqrt() / (1.0 + Z2 / n);
    // At its ends the formula is exact and its rounding is not: 0.9999999999999999 would be read as 99.9 %.
    let low = if hits == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if hits >= runs { 1.0 } else { (middle + half).min(1.0) };
    (low, high)
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
    fn what_always_or_never_happened_may_do_so_for_ever() {
        for runs in 1..=2_000 {
            let (always, never) = (wilson(runs, runs), wilson(0, runs));
            assert!(always.1 >= 1.0 && always.0 < 1.0, "{runs}: {always:?}");
            assert!(never.0 <= 0.0 && never.1 > 0.0, "{runs}: {never:?}");
        }
        let (low, high) = wilson(9, 10);
        assert!((0.59..0.60).contains(&low) && (0.98..0.99).contains(&high), "{low} {high}");
    }

    #[test]
    fn one_is_one_and_the_others_are_several() {
        let all = [0, 1, 2, 999, 20_000, 1_000_000].map(|number| counted(number, "run"));
        assert_eq!(all, ["0 runs", "1 run", "2 runs", "999 runs", "20,000 runs", "1,000,000 runs"]);
    }
}
