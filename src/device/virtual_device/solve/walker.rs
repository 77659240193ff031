//! One phone that walks from state to state for the search.

use std::sync::Arc;

use super::super::app::{App, FailureIx};
use super::super::phone::{Chance, Phone};
use super::super::render::Rendered;
use super::super::state::State;
use super::Gap;
use super::key::{Key, Keys};
use super::moves;
use super::slice::Slice;
use super::texts::Texts;
use crate::action::{Event, Input, Wait};
use crate::device::Reset;

/// A burst: the next event comes this many milliseconds after the last.
pub(super) const BURST_MS: u32 = 30;
/// More ways than this for chance to answer one event are not looked at one by one.
const MAX_OUTCOMES: usize = 512;

/// What the search looks at: the same for all phones that walk for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terrain<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) slice: &'a Slice,
    pub(super) texts: &'a Texts,
}

/// One step from a state to the next, small enough to keep millions of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The number of the move among all moves of the state.
    pub(super) number: u16,
    pub(super) pace: Pace,
    asked: u8,
    answers: u64,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// The move, then the app settles.
    Settled,
    /// The move, then hardly any time.
    Burst,
    /// No move at all: the next effect that is due.
    Free,
    /// The launch.
    Launch,
}

/// What a step leads to.
#[derive(Debug)]
pub(super) struct Landing {
    pub(super) step: Step,
    /// How likely chance answers this way.
    pub(super) probability: f64,
    pub(super) failures: Vec<FailureIx>,
    /// Scripts that failed.
    pub(super) issues: Vec<String>,
    pub(super) key: Key,
}

impl Step {
    /// What chance answers.
    pub(super) fn answers(self) -> impl Iterator<Item = bool> {
        (0..u32::from(self.asked)).map(move |bit| self.answers >> bit & 1 == 1)
    }
}

/// Walks.
#[derive(Debug)]
pub(super) struct Walker<'a> {
    terrain: Terrain<'a>,
    phone: Phone,
    keys: Keys,
    /// Why not everything was looked at.
    pub(super) cut: Option<Gap>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(terrain: Terrain<'a>) -> Self {
        let chance = Chance::Scripted { answers: Vec::new(), asked: Vec::new() };
        let phone = Phone::new(Arc::clone(terrain.app), chance);
        Self { terrain, phone, keys: Keys::default(), cut: None }
    }

    /// The states after a launch on a clean phone.
    pub(super) fn launch(&mut self, mut land: impl FnMut(Landing, &State)) {
        let state = State::installed(self.terrain.app);
        self.outcomes((&state, None), 0, Pace::Launch, &mut land, |phone| {
            phone.reset(Reset::Clean);
            phone.wait(Wait::Settle);
            false
        });
    }

    /// The states that are one event away.
    pub(super) fn expand(&mut self, state: &State, mut land: impl FnMut(Landing, &State)) {
        let (slice, texts) = (self.terrain.slice, self.terrain.texts);
        self.phone.set_state(state.clone(), Chance::Scripted { answers: Vec::new(), asked: Vec::new() });
        let (all, open) = moves::moves(&mut self.phone, texts, slice);
        if open {
            self.cut.get_or_insert(Gap::Texts);
        }
        let screen = self.phone.shown();
        let from = (state, screen.as_ref());
        for (number, input) in all.iter().enumerate() {
            let number = number as u16;
            let racy = self.outcomes(from, number, Pace::Settled, &mut land, |phone| {
                phone.inject(input);
                let racy = slice.timed && moves::until_next(phone.state()).is_some();
                phone.wait(Wait::Settle);
                racy
            });
            if racy {
                self.outcomes(from, number, Pace::Burst, &mut land, |phone| {
                    phone.inject(input);
                    phone.wait(Wait::Millis(BURST_MS));
                    false
                });
            }
        }
    }

    /// The states that a free wait leads to.
    pub(super) fn wait(&mut self, state: &State, mut land: impl FnMut(Landing, &State)) {
        if !self.terrain.slice.timed {
            return;
        }
        let Some(ms) = moves::until_next(state) else { return };
        self.outcomes((state, None), 0, Pace::Free, &mut land, |phone| {
            phone.inject(&Input::Wait(ms));
            false
        });
    }

    /// Does the same again and again, until chance has answered in every possible way. Whether any of the runs said so.
    fn outcomes(
        &mut self,
        (state, screen): (&State, Option<&Rendered>),
        number: u16,
        pace: Pace,
        land: &mut impl FnMut(Landing, &State),
        act: impl Fn(&mut Phone) -> bool,
    ) -> bool {
        let mut said = false;
        let mut open: Vec<(Vec<bool>, f64)> = vec![(Vec::new(), 1.0)];
        let mut seen = 0;
        while let Some((given, likely)) = open.pop() {
            seen += 1;
            if seen > MAX_OUTCOMES {
                self.cut = Some(Gap::Chance);
                break;
            }
            let chance = Chance::Scripted { answers: given.clone(), asked: Vec::new() };
            self.phone.resume_from(state.clone(), chance, screen.cloned());
            said |= act(&mut self.phone);
            let asked = self.phone.asked();
            let mut probability = likely;
            for (ix, &yes) in asked.iter().enumerate().skip(given.len()) {
                if yes > 0.0 {
                    let mut flipped = given.clone();
                    flipped.resize(ix, false);
                    flipped.push(true);
                    open.push((flipped, probability * yes));
                }
                probability *= 1.0 - yes.clamp(0.0, 1.0);
            }
            if asked.len() > 64 {
                self.cut = Some(Gap::Chance);
            } else if probability > 0.0 {
                let answers =
                    given.iter().enumerate().fold(0, |bits, (ix, yes)| bits | u64::from(*yes) << ix);
                let step = Step { number, pace, asked: asked.len() as u8, answers };
                let happened = self.phone.take_happened();
                let failures = happened.failures.into_iter().map(|(ix, _)| ix).collect();
                let key = self.keys.key(self.terrain.app, self.terrain.slice, self.phone.state());
                land(
                    Landing { step, probability, failures, issues: happened.issues, key },
                    self.phone.state(),
                );
            }
        }
        said
    }

    /// The events and the answers of chance along a path from the launch.
    pub(super) fn retrace(&mut self, path: &[Step]) -> (Vec<Event>, Vec<bool>) {
        let answers: Vec<bool> = path.iter().flat_map(|step| step.answers()).collect();
        let chance = Chance::Scripted { answers: answers.clone(), asked: Vec::new() };
        let mut phone = Phone::new(Arc::clone(self.terrain.app), chance);
        let mut events = Vec::new();
        for step in path {
            let event = match step.pace {
                Pace::Launch => {
                    phone.reset(Reset::Clean);
                    phone.wait(Wait::Settle);
                    continue;
                }
                Pace::Free => {
                    let Some(ms) = moves::until_next(phone.state()) else { break };
                    Event::settled(Input::Wait(ms))
                }
                Pace::Settled | Pace::Burst => {
                    let (mut all, _) = moves::moves(&mut phone, self.terrain.texts, self.terrain.slice);
                    if usize::from(step.number) >= all.len() {
                        break;
                    }
                    let input = all.swap_remove(usize::from(step.number));
                    let wait = if step.pace == Pace::Burst { Wait::Millis(BURST_MS) } else { Wait::Settle };
                    Event { input, wait }
                }
            };
            phone.inject(&event.input);
            if event.cost() > 0 {
                phone.wait(event.wait);
            }
            events.push(event);
        }
        (events, answers)
    }
}
