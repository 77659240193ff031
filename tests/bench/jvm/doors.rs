//! Every activity that an app declares, started on its own: which do not open, and whose fault that is.

use std::io::Write;
use std::path::Path;

use siamang::device::jvm::JvmDevice;
use siamang::device::{Device, HOST_FAULT};

use super::{Trouble, ready};

/// One line for each activity that does not come up, with the reason; how many of them are the host's.
pub async fn measure(path: &Path, out: &mut dyn Write) -> Result<usize, Trouble> {
    let (workshop, apk) = ready(path)?;
    let activities = apk.activities.clone();
    let mut device = JvmDevice::new(workshop, apk);
    let (mut shown, mut failed, mut faults, mut left) = (0, 0, 0, 0);
    for activity in &activities {
        let seen = device.start_at(activity).await?;
        let fault = seen.issues.iter().find(|issue| issue.starts_with(HOST_FAULT));
        if let Some(fault) = fault {
            faults += 1;
            writeln!(out, "  {activity}: {fault}")?;
        } else if let Some(failure) = seen.failures.first() {
            failed += 1;
            writeln!(out, "  {activity}: {}", failure.headline())?;
        } else if seen.tree.activity() == activity {
            shown += 1;
        } else {
            left += 1;
            writeln!(out, "  {activity}: went on to `{}`", seen.tree.activity())?;
        }
        for issue in seen.issues.iter().filter(|issue| !issue.starts_with(HOST_FAULT)) {
            writeln!(out, "  {activity}: {issue}")?;
        }
        out.flush()?;
    }
    device.close().await?;
    writeln!(
        out,
        "{}: of {} activities {shown} are shown, {left} end or lead elsewhere, {failed} fail, {faults} because of the host",
        path.display(),
        activities.len()
    )?;
    Ok(usize::from(faults > 0))
}
