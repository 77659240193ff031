//! What is written down of a shrink: its result as one run of it looked.

use super::{Attempt, Lab, SELDOM};
use crate::campaign::runner::Recorded;
use crate::gui::Selector;
use crate::oracle::Signature;
use crate::shrink::Verdict;
use crate::shrink::driver::Driven;
use crate::shrink::goal::Goal;
use crate::shrink::noise::{CERTIFICATE, KEPT_SHARE, Rate};
use crate::trace::{Trace, TraceEvent};

/// So many runs that reproduce are looked at for one in which all events were done: as many as a certificate has.
const RECORDED: u32 = CERTIFICATE;

impl<N: FnMut(usize, u64, bool)> Lab<'_, N> {
    /// Writes the minimal trace down as it looks when it is run, and the failure in which it ends.
    pub(super) fn record(&mut self, found: &mut Attempt) {
        let recorded = self.recorded(&found.minimal, RECORDED);
        if !matches!(self.goal, Goal::Failure(_)) {
            // The short way to a screen need not fail as the long one did.
            let failure = recorded.as_ref().and_then(|recorded| recorded.failure.as_ref());
            found.minimal.failure = failure.map(Signature::of);
        }
        let Some(recorded) = recorded else { return };
        found.failure = recorded.failure.clone().or(found.failure.take());
        if !self.runners[0].is_deterministic() {
            self.write_one_run(found, &recorded);
        } else if self.run(&recorded.trace, self.interrupted).verdict == Verdict::Reproduced {
            found.minimal = Trace { failure: found.minimal.failure.clone(), ..recorded.trace };
        }
    }

    /// Where chance has a part, what is written down is one run of the trace, and nothing of any other. If it failed without
    /// some of the events, they are left out as far as it fails as often without them.
    fn write_one_run(&mut self, found: &mut Attempt, recorded: &Recorded) {
        if !recorded.is_whole(&found.minimal)
            && found.may_shorten
            && found.driven == Driven::Done
            && let Some((shorter, rate)) = self.without_undone(found, &recorded.trace)
            && let Some(again) = self.recorded(&shorter, RECORDED).filter(|again| again.is_whole(&shorter))
        {
            found.failure = again.failure.or(found.failure.take());
            found.minimal = as_seen(shorter, &again.trace);
            found.is_now_rated(rate);
            self.call_as_seen(found, &again.trace);
        } else {
            found.minimal = as_seen(found.minimal.clone(), &recorded.trace);
            self.call_as_seen(found, &recorded.trace);
        }
    }

    /// Calls the widgets as they were called in one run: a candidate may find a widget by its place alone and call it as another
    /// was called on another screen. The rate was found out with the old names, so that both are run in turn: the new ones must
    /// keep as much of the old ones' rate as a result must keep of its original's, as far as the runs can tell.
    fn call_as_seen(&mut self, found: &mut Attempt, run: &Trace) {
        let differ = |(event, seen): (&TraceEvent, &TraceEvent)| {
            seen.after.is_some() && seen.target.is_some() && !is_called_the_same(event, seen)
        };
        let ended = found.driven == Driven::Done && found.may_shorten;
        if !ended || !found.minimal.events.iter().zip(&run.events).any(differ) {
            return;
        }
        let mut named = found.minimal.clone();
        for (event, seen) in named.events.iter_mut().zip(&run.events) {
            if differ((event, seen)) {
                (event.input, event.target) = (seen.input.clone(), seen.target.clone());
            }
        }
        let (mut before, mut now) = (Rate::default(), Rate::default());
        for round in 1..=SELDOM {
            before += self.rate(&found.minimal, CERTIFICATE);
            now += self.rate(&named, CERTIFICATE);
            // Whoever interrupts it, or a device that is lost, decides nothing.
            if before.runs() < round * CERTIFICATE || now.runs() < round * CERTIFICATE {
                return;
            }
            let held_to = KEPT_SHARE * before.share();
            if now.interval().1 < held_to {
                return;
            }
            let is_kept = now.share() >= held_to || round == SELDOM;
            if now.hits > 0 && before.hits > 0 && is_kept {
                found.minimal = named;
                found.is_now_rated(now);
                return;
            }
        }
    }

    /// The minimal trace without what was not done in a run of it that failed, and how often it fails; none if that is seldom.
    fn without_undone(&mut self, found: &Attempt, run: &Trace) -> Option<(Trace, Rate)> {
        let done = found.minimal.events.iter().zip(&run.events).filter(|(_, seen)| seen.after.is_some());
        let events = done.map(|(event, _)| event.clone()).collect();
        let shorter = Trace { events, ..found.minimal.clone() };
        self.rate_if_kept(found, &shorter).map(|rate| (shorter, rate))
    }

    /// How often a trace fails that could stand for the minimal one; none if that is seldom.
    fn rate_if_kept(&mut self, found: &Attempt, trace: &Trace) -> Option<Rate> {
        let held_to = found.certificate?.original.share();
        let rate = self.rate(trace, CERTIFICATE);
        let enough = rate.runs() == CERTIFICATE && rate.share() >= KEPT_SHARE * held_to;
        enough.then_some(rate)
    }

    /// Runs a trace that reproduces until it does; where chance has a part, rather until all of it is done and its last event
    /// does it, or so many runs have. Of several the one that left out the least is told.
    pub(super) fn recorded(&mut self, trace: &Trace, most: u32) -> Option<Recorded> {
        if self.runners[0].is_deterministic() {
            return self.runner().recorded(trace).filter(|recorded| recorded.left_out() == 0);
        }
        let mut best: Option<Recorded> = None;
        let mut met = 0;
        for number in 0..SELDOM * CERTIFICATE {
            let enough = number >= CERTIFICATE && best.is_some() || self.runners[0].is_gone();
            if enough || number > 0 && (self.interrupted)() {
                break;
            }
            let Some(recorded) = self.runner().recorded(trace) else { continue };
            met += 1;
            let undone = |run: &Recorded| (trace.events.len() - run.trace.events.len(), run.left_out());
            if best.as_ref().is_none_or(|best| undone(&recorded) < undone(best)) {
                best = Some(recorded);
            }
            if met == most || best.as_ref().is_some_and(|best| best.is_whole(trace)) {
                break;
            }
        }
        best
    }
}

/// A trace with what was seen in one run of it. Its rate was found out with the widgets called as they are: they keep their
/// names, and are told to be where they were. Nothing was seen of what comes after the event at which the run failed.
fn as_seen(mut trace: Trace, run: &Trace) -> Trace {
    trace.first.clone_from(&run.first);
    let mut run = run.events.iter();
    for event in &mut trace.events {
        let Some(seen) = run.next() else {
            (event.before, event.after, event.rules) = (None, None, None);
            continue;
        };
        let kept = if is_called_the_same(event, seen) { seen.clone() } else { event.clone() };
        let TraceEvent { before, after, rules, .. } = seen.clone();
        *event = TraceEvent { before, after, rules, ..kept };
    }
    trace
}

/// Two events name the same widget, wherever it was.
fn is_called_the_same(one: &TraceEvent, other: &TraceEvent) -> bool {
    match (&one.target, &other.target) {
        (Some(one), Some(other)) => Selector { bounds: other.bounds, ..one.clone() } == *other,
        _ => false,
    }
}
