//! What a test does that cannot be run here: the one place where that is decided.

/// Where this is set, nothing may be missing: `scripts/test` sets it, having installed what the tests need.
const ALL: &str = "SIAMANG_TEST_ALL";

/// Says why a test is left out. Where all are to be run that is a failure: nobody reads what passes.
#[track_caller]
pub fn skipped(why: impl std::fmt::Display) {
    assert!(std::env::var_os(ALL).is_none(), "a test was left out, and {ALL} is set: {why}");
    say(&why);
}

/// What was published is not everywhere where the tests are run.
pub fn without_shared() {
    say(&"no ../shared");
}

#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn say(why: &dyn std::fmt::Display) {
    eprintln!("skipped, {why}");
}
