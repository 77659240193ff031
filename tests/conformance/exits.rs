//! Apps that are over as soon as they begin, and runs that somebody ends.

use crate::stage::{explored, interrupted};

#[test]
fn an_app_that_exits_at_its_launch_is_told_as_a_failure_and_the_run_comes_to_its_end() {
    for (name, how) in [("exits-in-application", "exit(0)"), ("exits-in-activity", "killProcess")] {
        let Some((code, told)) = explored(name, 20) else { return };
        assert_eq!(code, Some(1), "{name}: {told}");
        assert!(told.contains("the app cannot be started") && told.contains(how), "{name}: {told}");
    }
}

#[test]
fn ctrl_c_ends_a_run_and_is_no_fault_of_the_device() {
    let Some((code, told)) = interrupted("conformance") else { return };
    assert_eq!(code, Some(130), "{told}");
    assert!(told.contains("interrupted") && !told.contains("the JVM was lost"), "{told}");
}
