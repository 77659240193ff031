//! Several devices, one model: each has a session of its own, and who is first is told first.

use super::{Campaign, Control, Outcome};
use crate::device::DeviceError;
use crate::device::pool::{Job, News, Pool};
use crate::explore::Command;
use crate::ids::SessionId;
use crate::trace::RunEvent;
use crate::trace::summary::SummaryFold;

impl Campaign<'_> {
    /// Explores on all devices until the budget, the time or the user ends it, or no device is left.
    pub(super) async fn run_many(mut self, control: &Control) -> Outcome {
        let mut builder = SummaryFold::new(self.recorder.info());
        let mut pool = Pool::new(std::mem::take(&mut self.devices));
        let mut asked: u64 = 0;
        let mut lost: Option<DeviceError> = None;
        let reason = 'run: loop {
            for session in pool.idle() {
                if let Some(reason) = control.stop(asked) {
                    break 'run reason;
                }
                asked += 1;
                match self.explorer.ask(session) {
                    Command::Stop(reason) => break 'run reason.text(),
                    Command::Reset(to, _) => pool.give(session, Job::Reset(to)),
                    Command::Step { event, .. } => pool.give(session, Job::Step(event)),
                }
            }
            match pool.next().await {
                Some(News::Seen(session, seen)) => self.tell(session, seen, &mut builder),
                Some(News::Back(_)) => {}
                Some(News::Quarantined(session, error)) => {
                    self.explorer.lost(session);
                    self.warn(session, format!("{error}; it is tried again"), &mut builder);
                }
                Some(News::Retired(session, error)) => {
                    self.explorer.lost(session);
                    self.warn(session, format!("{error}; the session ends here"), &mut builder);
                    lost = Some(error);
                }
                None => break "the device was lost",
            }
        };
        let end = self.explorer.end(reason);
        self.note(&end, &mut builder);
        for trouble in pool.close().await {
            tracing::warn!("{trouble}");
        }
        self.reporter.finish();
        // One device that was lost is no loss to a run that others finished.
        let lost = lost.filter(|_| reason == "the device was lost");
        Outcome { summary: builder.summary(), lost }
    }

    fn warn(&mut self, session: SessionId, text: String, builder: &mut SummaryFold) {
        self.note(&RunEvent::Warning { session: Some(session), text }, builder);
    }
}
