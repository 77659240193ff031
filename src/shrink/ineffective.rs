//! `ineffective`: what CHARD's nine rules delete, proven by runs (CHARD 4).
//!
//! Assumes nothing: the rules propose, a run decides. All proposals are tried at once, then those of each rule, then halves
//! of them. If no proposal is wrong it costs one run; each wrong one costs about a bisection more. The result is not
//! 1-minimal: it keeps what contributes to the test, which is what a trace without a failure is shortened for.

use std::sync::Arc;

use super::arena::EventIx;
use super::engine::Original;
use super::search::{Answer, Proposals, Question, Search};
use crate::trace::ineffective::{Finding, Rule, Rules, analyse};
use crate::trace::user_event::{Seen, UserEvent, UserSequence};

/// The proposals of the nine rules, and which of them runs have confirmed.
#[derive(Clone, Debug)]
pub struct Ineffective {
    findings: Arc<[Proposal]>,
    kept: Vec<EventIx>,
    /// What is still to be tried; the last comes first.
    groups: Vec<Group>,
    proposals: Proposals,
}

/// One finding, as events of the arena.
#[derive(Clone, Debug)]
struct Proposal {
    rule: Rule,
    events: Vec<EventIx>,
}

/// Findings that are tried at once.
#[derive(Clone, Debug)]
struct Group {
    findings: Vec<usize>,
    /// Together with what was confirmed since, these did not work: if they are one, it needs no run.
    refuted: bool,
}

/// The rules are right more often than not, all of them at once less often.
const ODDS: f64 = 0.8;

impl Ineffective {
    /// Proposes what the rules find in the replay of the original.
    pub fn new(original: &Original, rules: &Rules) -> Self {
        let sequence = sequence_of(original);
        let findings = analyse(&sequence, rules).findings;
        Self::with(original.events.clone(), &positions_of(&sequence), &findings)
    }

    /// Proposes these findings of a sequence whose events are at these places of the arena.
    pub(super) fn with(kept: Vec<EventIx>, positions: &[EventIx], findings: &[Finding]) -> Self {
        let event = |&at: &usize| positions[at];
        let findings: Arc<[Proposal]> = findings
            .iter()
            .map(|finding| Proposal {
                rule: finding.rule,
                events: finding.events.iter().map(event).collect(),
            })
            .collect();
        let proposals = Proposals { made: findings.len() as u64, refuted: 0 };
        let all = Group { findings: (0..findings.len()).collect(), refuted: false };
        let groups = if findings.is_empty() { Vec::new() } else { vec![all] };
        Self { findings, kept, groups, proposals }
    }

    /// What is left.
    pub fn kept(&self) -> &[EventIx] {
        &self.kept
    }

    fn without(&self, group: &Group) -> Vec<EventIx> {
        let events = self.kept.iter().max().map_or(0, |&last| last as usize + 1);
        let mut gone = vec![false; events];
        for &event in group.findings.iter().flat_map(|&finding| &self.findings[finding].events) {
            if let Some(gone) = gone.get_mut(event as usize) {
                *gone = true;
            }
        }
        self.kept.iter().copied().filter(|&event| !gone[event as usize]).collect()
    }

    /// A group that did not work: by rule, then by halves.
    fn split(&mut self, group: &Group) {
        let rules: std::collections::BTreeSet<Rule> =
            group.findings.iter().map(|&finding| self.findings[finding].rule).collect();
        let of = |rule: Rule| -> Vec<usize> {
            group.findings.iter().copied().filter(|&finding| self.findings[finding].rule == rule).collect()
        };
        let parts: Vec<Vec<usize>> = if rules.len() > 1 {
            rules.into_iter().map(of).collect()
        } else if group.findings.len() > 1 {
            group.findings.chunks(group.findings.len().div_ceil(2)).map(<[usize]>::to_vec).collect()
        } else {
            self.proposals.refuted += 1;
            return;
        };
        let groups = parts.into_iter().rev().map(|findings| Group { findings, refuted: false });
        let first = self.groups.len();
        self.groups.extend(groups);
        if let Some(last) = self.groups.get_mut(first) {
            // The last part to be tried is at the bottom: if all before it work, it holds what did not.
            last.refuted = true;
        }
    }
}

impl Search for Ineffective {
    fn question(&mut self) -> Option<Question> {
        loop {
            let group = self.groups.last()?;
            if group.refuted && group.findings.len() == 1 {
                self.groups.pop();
                self.proposals.refuted += 1;
                continue;
            }
            let events = self.without(group);
            if events.len() == self.kept.len() {
                self.groups.pop();
                continue;
            }
            return Some(Question::goal(events, ODDS));
        }
    }

    fn answer(&mut self, question: &Question, answer: &Answer) {
        let Some(group) = self.groups.pop() else { return };
        if let Some(ran) = answer.hit(question) {
            self.kept = question.events[..ran].to_vec();
            return;
        }
        // That these do not work explains why they did not with the others, which may now well work.
        for other in &mut self.groups {
            other.refuted = false;
        }
        self.split(&group);
    }

    fn needs_one_by_one(&self) -> bool {
        false
    }

    fn proposals(&self) -> Proposals {
        self.proposals
    }
}

/// Where the events of a sequence are in the arena.
pub(super) fn positions_of(sequence: &UserSequence) -> Vec<EventIx> {
    sequence.events.iter().map(|event| event.position as EventIx).collect()
}

/// The user events of the original's replay.
pub(super) fn sequence_of(original: &Original) -> UserSequence {
    let record = original.record;
    let last = original.events.len().saturating_sub(1);
    // A user event is large: moving them all each time that their room runs out takes longer than making them.
    let mut events = Vec::with_capacity(original.events.len());
    events.extend(original.events.iter().enumerate().filter_map(|(at, &event)| {
        let seen = Seen {
            before: record.screens.get(at),
            after: record.screens.get(at + 1),
            methods: record.rules.as_ref().and_then(|rules| rules.get(at)).map(Vec::as_slice),
        };
        let fails = at == last && original.ends_in_failure;
        UserEvent::new(event as usize, original.arena.event(event), seen, fails)
    }));
    let head = original.arena.head();
    UserSequence::new(&head.package, record.screens.first(), events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::search::test_support::questions;
    use crate::trace::ineffective::analyse;
    use crate::trace::user_event::test_support::sequence;

    fn search(text: &str) -> Ineffective {
        let sequence = sequence(text);
        let findings = analyse(&sequence, &Rules::default()).findings;
        let kept = (0..sequence.events.len() as EventIx).collect();
        Ineffective::with(kept, &positions_of(&sequence), &findings)
    }

    /// Three no-ops, an optional key and a contrary pair; the crash is the 8th.
    const TEXT: &str = "Main/1 touch - => Main/1
                        Main/1 touch - => Main/1
                        Main/1 key call => Main/1
                        Main/1 touch - => Main/1
                        Main/1 touch Button#help => Help/2 : 1
                        Help/2 key back => Main/1 : 2
                        Main/1 touch Button#go => Main/3 : 3
                        Main/3 touch Button#crash => !";

    #[test]
    fn all_proposals_are_tried_at_once_and_cost_one_run_if_they_are_right() {
        assert_eq!(questions(search(TEXT), |_| true), [vec![6, 7]]);
    }

    #[test]
    fn a_wrong_proposal_is_found_by_rule_and_by_halves_and_stays() {
        let mut wrong = search(TEXT);
        let mut asked = Vec::new();
        // The second no-op is none: the crash needs it.
        while let Some(question) = wrong.question() {
            let answer = Answer::Guess(question.events.contains(&1));
            wrong.answer(&question, &answer);
            asked.push(question.events);
        }
        assert_eq!(
            asked,
            [
                vec![6, 7],
                vec![2, 4, 5, 6, 7],
                vec![2, 3, 4, 5, 6, 7],
                vec![1, 2, 3, 4, 5, 6, 7],
                vec![1, 2, 4, 5, 6, 7],
                vec![1, 4, 5, 6, 7],
                vec![1, 6, 7],
            ]
        );
        assert_eq!(wrong.kept(), [1, 6, 7]);
        assert_eq!(wrong.proposals(), Proposals { made: 5, refuted: 1 });
    }

    #[test]
    fn where_the_rules_find_nothing_nothing_is_asked() {
        assert_eq!(
            questions(search("Main touch Button#go => Main/2 : 1"), |_| true),
            Vec::<Vec<EventIx>>::new()
        );
    }
}
