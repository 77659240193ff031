//! Several devices, one model: each has a session of its own, and who is first is told first.

use super::{Campaign, Control, INTERRUPTED, LOST, Outcome};
use crate::device::DeviceError;
use crate::device::pool::{self, Job, News, Pool};
use crate::explore::Command;
use crate::ids::SessionId;
use crate::trace::RunEvent;
use crate::trace::summary::SummaryFold;

impl Campaign<'_> {
    /// Explores on all devices until the budget, the time or the user ends it, or no device is left.
    pub(super) async fn run_many(mut self, control: &Control) -> Outcome {
        let mut builder = SummaryFold::new(self.recorder.info());
        let mut pool = Pool::new(std::mem::take(&mut self.devices));
        let mut lost: Option<DeviceError> = None;
        let mut wait = pool::CLOSE;
        let reason = 'run: loop {
            for session in pool.idle() {
                if let Some(reason) = control.stop() {
                    break 'run reason;
                }
                match self.explorer.ask(session) {
                    Command::Stop(reason) => break 'run reason.text(),
                    Command::Reset(to, _) => pool.give(session, Job::Reset(to)),
                    Command::Step { event, .. } => pool.give(session, Job::Step(event)),
                }
            }
            // A device that is away answers when it is back, which may be never.
            let news = tokio::select! {
                biased;
                news = pool.next() => news,
                () = control.overdue() => {
                    wait = pool::HURRY;
                    break if control.is_interrupted() { INTERRUPTED } else { Control::TIME_IS_UP };
                }
            };
            match news {
                Some(News::Seen(session, seen)) => self.tell(session, seen, &mut builder),
                Some(News::Back(_)) => {}
                Some(News::Quarantined(session, error)) => {
                    self.explorer.lost(session);
                    self.warn(session, format!("{error}; it is tried again"), &mut builder);
                    lost = Some(error);
                }
                Some(News::Retired(session, error)) => {
                    self.explorer.lost(session);
                    self.warn(session, format!("{error}; the session ends here"), &mut builder);
                    lost = Some(error);
                }
                None => break LOST,
            }
        };
        // Time that ran out while nobody was there to use it is no usual end.
        let reason = if reason == Control::TIME_IS_UP && pool.is_away() { LOST } else { reason };
        let end = self.explorer.end(reason);
        self.note(&end, &mut builder);
        for trouble in pool.close(wait).await {
            tracing::warn!("{trouble}");
        }
        self.reporter.finish();
        // One device that was lost is no loss to a run that others finished.
        let lost = lost.filter(|_| reason == LOST);
        Outcome { summary: builder.summary(), lost }
    }

    fn warn(&mut self, session: SessionId, text: String, builder: &mut SummaryFold) {
        self.note(&RunEvent::Warning { session: Some(session), text }, builder);
    }
}
