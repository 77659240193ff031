//! The README's commands do what the README says.

#[test]
fn the_commands_of_the_readme_run_as_shown() {
    trycmd::TestCases::new().case("README.md").run();
}
