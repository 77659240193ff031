//! What is known about the ways through an app: states, the events that lead from one to another, and data events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::search::Effect;
use crate::action::{Input, Key};
use crate::gui::{Point, WindowKind};
use crate::ids::SessionId;
use crate::trace::event_tree::{Labels, StateLabel};
use crate::trace::{StepRecord, Touched, Trace, TraceEvent};

/// The transitions seen so far between states, learnt from exploration, from traces and from every candidate that ran.
#[derive(Clone, Debug, Default)]
pub struct PathModel {
    keys: FxHashMap<EventKey, KeyIx>,
    examples: Vec<Arc<TraceEvent>>,
    states: Steps,
    /// The steps in them.
    known: usize,
    /// The same with each whole GUI tree as a state: what a coarse state hides, such as how far a list is scrolled.
    trees: Steps,
    /// How often each key was seen, and how often it led back to where one came from.
    returns: BTreeMap<KeyIx, (u32, u32)>,
    /// How each session of an exploration came to where it is.
    sessions: BTreeMap<SessionId, Trail>,
}

type Steps = BTreeMap<StateLabel, BTreeMap<KeyIx, Seen>>;

/// What counts as a state when a way is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// What the label says.
    Label,
    /// The whole GUI tree.
    Tree,
}

/// Of an app whose screens never repeat only so many are remembered.
const MOST_TREES: usize = 20_000;

/// Events that do the same to the same widget, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct KeyIx(u32);

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathStep {
    /// The state before.
    pub from: StateLabel,
    /// What is done.
    pub key: KeyIx,
    /// The state after.
    pub to: StateLabel,
}

/// What an event did in a state, over all times it was seen.
#[derive(Clone, Debug, Default)]
struct Seen {
    to: BTreeMap<StateLabel, u32>,
    effect: Option<Effect>,
}

/// How one came to where one is, as Android keeps its activities: a step forth is put on top, and a step back takes it off.
#[derive(Clone, Debug, Default)]
pub struct Trail(Vec<StateLabel>);

/// Of a longer trail the beginning is forgotten.
const LONGEST_TRAIL: usize = 64;

impl Trail {
    /// Takes one step; true if it led back to where one came from.
    pub fn step(&mut self, from: StateLabel, to: StateLabel) -> bool {
        if self.0.last() != Some(&from) {
            self.0 = vec![from];
        }
        if from == to {
            return false;
        }
        let back = self.0.len().checked_sub(2).is_some_and(|below| self.0[below] == to);
        if back {
            self.0.pop();
        } else if let Some(known) = self.0.iter().position(|&state| state == to) {
            self.0.truncate(known + 1);
        } else {
            self.0.push(to);
            if self.0.len() > LONGEST_TRAIL {
                self.0.remove(0);
            }
        }
        back
    }
}

/// What is done to which widget, however it looked and wherever it was at the time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct EventKey {
    input: Input,
    target: Option<(SmolStr, SmolStr, WindowKind, Vec<u32>, SmolStr)>,
}

impl EventKey {
    fn of(event: &TraceEvent) -> Self {
        let target = event.target.as_ref().map(|selector| {
            // The text of a widget with an id or a path often is its value.
            let named = !selector.id.is_empty() || !selector.path.is_empty();
            let text = if named { SmolStr::default() } else { selector.text.clone() };
            (selector.class.clone(), selector.id.clone(), selector.window, selector.path.clone(), text)
        });
        let input = match target {
            Some(_) => event.input.moved_to(Point::default()),
            None => event.input.clone(),
        };
        Self { input, target }
    }
}

impl PathModel {
    /// A model that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of an event's key, new or known.
    pub fn key(&mut self, event: &Arc<TraceEvent>) -> KeyIx {
        let next = KeyIx(self.examples.len() as u32);
        let key = *self.keys.entry(EventKey::of(event)).or_insert(next);
        if key == next {
            self.examples.push(Arc::clone(event));
        }
        key
    }

    /// Learns one step.
    pub fn learn(&mut self, from: StateLabel, key: KeyIx, to: StateLabel, effect: Effect) {
        let seen = self.states.entry(from).or_default().entry(key).or_default();
        self.known += usize::from(seen.to.is_empty());
        *seen.to.entry(to).or_default() += 1;
        seen.effect = seen.effect.max(Some(effect));
    }

    /// Learns whether a step led back to where one came from.
    pub fn learn_return(&mut self, from: StateLabel, key: KeyIx, to: StateLabel, trail: &mut Trail) {
        let back = trail.step(from, to);
        if from != to {
            let (seen, returned) = self.returns.entry(key).or_default();
            *seen += 1;
            *returned += u32::from(back);
        }
    }

    /// Doing this leads to wherever one came from: it is the back key, or mostly did so.
    pub fn returns(&self, key: KeyIx) -> bool {
        let mostly = |&(seen, returned): &(u32, u32)| {
            seen >= LEAST_RETURNS && f64::from(returned) >= MOSTLY * f64::from(seen)
        };
        self.examples[key.0 as usize].input == Input::Key(Key::Back)
            || self.returns.get(&key).is_some_and(mostly)
    }

    /// Learns one step between whole GUI trees.
    pub fn learn_tree(&mut self, from: StateLabel, key: KeyIx, to: StateLabel) {
        if from != to && (self.trees.len() < MOST_TREES || self.trees.contains_key(&from)) {
            *self.trees.entry(from).or_default().entry(key).or_default().to.entry(to).or_default() += 1;
        }
    }

    /// Learns a step of an exploration.
    pub fn learn_step(&mut self, step: &StepRecord, labels: &Labels) {
        let target = match &step.touched {
            Some(Touched::Widget(selector)) => Some(selector.clone()),
            _ => None,
        };
        let event = TraceEvent {
            input: step.input.clone(),
            wait: step.wait,
            target,
            before: None,
            after: None,
            rules: None,
        };
        let key = self.key(&Arc::new(event));
        let effect = match &step.rules {
            _ if step.before != step.after => Effect::Some,
            Some(rules) if rules.is_empty() => Effect::None,
            Some(_) => Effect::Some,
            None => Effect::Unknown,
        };
        // What is seen after a crash is not a state of the app.
        if step.failures.is_empty() {
            let (from, to) = (labels.of(&step.before), labels.of(&step.after));
            self.learn(from, key, to, effect);
            let mut trail = self.sessions.remove(&step.session).unwrap_or_default();
            self.learn_return(from, key, to, &mut trail);
            self.sessions.insert(step.session, trail);
            self.learn_tree(StateLabel(step.before.tree.0), key, StateLabel(step.after.tree.0));
        } else {
            self.sessions.remove(&step.session);
        }
    }

    /// Learns the steps of a trace whose screens were recorded.
    pub fn learn_trace(&mut self, trace: &Trace, labels: &Labels) {
        let last = trace.events.len().saturating_sub(1);
        let mut trail = Trail::default();
        for (at, event) in trace.events.iter().enumerate() {
            if let (Some(before), Some(after)) = (&event.before, &event.after)
                && (at < last || trace.failure.is_none())
            {
                let effect = match &event.rules {
                    _ if before != after => Effect::Some,
                    Some(rules) if rules.is_empty() => Effect::None,
                    Some(_) => Effect::Some,
                    None => Effect::Unknown,
                };
                let key = self.key(&Arc::new(event.clone()));
                let (from, to) = (labels.of(before), labels.of(after));
                self.learn(from, key, to, effect);
                self.learn_return(from, key, to, &mut trail);
                self.learn_tree(StateLabel(before.tree.0), key, StateLabel(after.tree.0));
            }
        }
    }

    /// One event of each key.
    pub fn examples(&self) -> impl Iterator<Item = (KeyIx, &Arc<TraceEvent>)> {
        self.examples.iter().enumerate().map(|(ix, event)| (KeyIx(ix as u32), event))
    }

    /// How many different things it knows: events, and the same events in other states.
    pub fn len(&self) -> usize {
        self.known.max(self.examples.len())
    }

    /// It knows nothing.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// What an event has done in a state.
    pub fn effect(&self, state: StateLabel, key: KeyIx) -> Option<Effect> {
        self.states.get(&state)?.get(&key)?.effect
    }

    /// The only state that an event has led to from a state, if it always was the same and was seen so often.
    pub fn certain(&self, state: StateLabel, key: KeyIx, least: u32) -> Option<StateLabel> {
        let mut to = self.states.get(&state)?.get(&key)?.to.iter();
        match (to.next(), to.next()) {
            (Some((&state, &times)), None) if times >= least => Some(state),
            _ => None,
        }
    }

    /// The shortest ways from any of some states to all others, without banned steps. Of equally short ways the one
    /// whose steps have been most reliable.
    pub fn ways(&self, grain: Grain, from: &[StateLabel], banned: &BTreeSet<PathStep>) -> Ways {
        let states = match grain {
            Grain::Label => &self.states,
            Grain::Tree => &self.trees,
        };
        let mut ways = Ways { steps: BTreeMap::new() };
        let mut heap: BinaryHeap<Reverse<(u32, u32, StateLabel)>> = BinaryHeap::new();
        let mut cost: BTreeMap<StateLabel, (u32, u32)> = BTreeMap::new();
        for &state in from {
            cost.insert(state, (0, 0));
            heap.push(Reverse((0, 0, state)));
        }
        while let Some(Reverse((length, risk, state))) = heap.pop() {
            if cost.get(&state) != Some(&(length, risk)) {
                continue;
            }
            for (&key, seen) in states.get(&state).into_iter().flatten() {
                // What leads to where one came from leads nowhere new after a step forth, and from the start out of the app.
                let detour = if self.returns(key) { RETURN_DETOUR } else { 0 };
                let total: u32 = seen.to.values().sum();
                for (&to, &times) in &seen.to {
                    let step = PathStep { from: state, key, to };
                    if to == state || banned.contains(&step) {
                        continue;
                    }
                    // Thousandths of a nat of doubt, with one imagined other outcome for what was seen seldom.
                    let doubt = (f64::from(total + 1) / f64::from(times)).ln() * 1000.0;
                    let next = (length + 1 + detour, risk + doubt as u32);
                    if cost.get(&to).is_none_or(|&known| next < known) {
                        cost.insert(to, next);
                        ways.steps.insert(to, step);
                        heap.push(Reverse((next.0, next.1, to)));
                    }
                }
            }
        }
        for state in from {
            ways.steps.remove(state);
        }
        ways
    }
}

/// A step to where one came from counts as so many steps more.
const RETURN_DETOUR: u32 = 6;
/// This share of the times counts as mostly, if it was seen so often. A step forth to the screen below looks the same.
const MOSTLY: f64 = 0.6;
const LEAST_RETURNS: u32 = 3;

/// Shortest ways from some states to all others.
#[derive(Clone, Debug)]
pub struct Ways {
    /// The last step of the way to each state.
    steps: BTreeMap<StateLabel, PathStep>,
}

impl Ways {
    /// The way to a state: empty for a state it starts from, none for one that cannot be reached.
    pub fn to(&self, state: StateLabel, starts: &[StateLabel]) -> Option<Vec<PathStep>> {
        let mut steps = Vec::new();
        let mut at = state;
        while !starts.contains(&at) {
            let step = *self.steps.get(&at)?;
            at = step.from;
            steps.push(step);
        }
        steps.reverse();
        Some(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Wait;

    fn event(x: i32) -> Arc<TraceEvent> {
        let input = if x < 0 { Input::Key(Key::Back) } else { Input::Tap(Point { x, y: 0 }) };
        let wait = Wait::Settle;
        Arc::new(TraceEvent { input, wait, target: None, before: None, after: None, rules: None })
    }

    fn learnt(steps: &[(u64, i32, u64)]) -> PathModel {
        let mut model = PathModel::new();
        for &(from, tap, to) in steps {
            let key = model.key(&event(tap));
            model.learn(StateLabel(from), key, StateLabel(to), Effect::Some);
        }
        model
    }

    fn way(model: &PathModel, from: u64, to: u64, banned: &BTreeSet<PathStep>) -> Option<Vec<u64>> {
        let starts = [StateLabel(from)];
        let steps = model.ways(Grain::Label, &starts, banned).to(StateLabel(to), &starts)?;
        Some(steps.iter().map(|step| step.to.0).collect())
    }

    #[test]
    fn what_it_knows_is_counted_by_events_and_not_by_states() {
        let model = learnt(&[(1, 1, 2), (1, 2, 2), (1, 3, 2), (1, 3, 4), (2, 3, 1)]);
        assert_eq!(model.len(), 4, "three events in one state, and one of them in another");
    }

    #[test]
    fn the_shortest_known_way_wins_and_a_banned_step_is_gone_around() {
        let model = learnt(&[(1, 1, 2), (2, 1, 3), (3, 1, 4), (2, 2, 4), (1, 5, 1)]);
        let mut banned = BTreeSet::new();
        assert_eq!(way(&model, 1, 4, &banned), Some(vec![2, 4]));
        let key = model.keys[&EventKey::of(&event(2))];
        banned.insert(PathStep { from: StateLabel(2), key, to: StateLabel(4) });
        assert_eq!(way(&model, 1, 4, &banned), Some(vec![2, 3, 4]));
        assert_eq!(way(&model, 4, 1, &banned), None);
        assert_eq!(way(&model, 1, 1, &banned), Some(vec![]));
    }

    #[test]
    fn what_leads_to_where_one_came_from_is_no_way_forth() {
        let mut model = PathModel::new();
        let mut trail = Trail::default();
        // Tap 9 leads up: from page 3 to 1 and to 2, wherever one came from. Page 4 was only ever left upwards.
        for (from, tap, to) in [
            (1, 1, 3),
            (3, 9, 1),
            (1, 2, 2),
            (2, 1, 3),
            (3, 9, 2),
            (2, 4, 4),
            (4, 9, 2),
            (2, 9, 1),
            (1, 3, 4),
        ] {
            let key = model.key(&event(tap));
            model.learn(StateLabel(from), key, StateLabel(to), Effect::Some);
            model.learn_return(StateLabel(from), key, StateLabel(to), &mut trail);
        }
        let up = model.keys[&EventKey::of(&event(9))];
        let forth = model.keys[&EventKey::of(&event(1))];
        assert!(model.returns(up) && !model.returns(forth));
        // Up from page 3 would lead to page 2 only if one had come from there.
        assert_eq!(way(&model, 1, 2, &BTreeSet::new()), Some(vec![2]));
        let key = model.keys[&EventKey::of(&event(2))];
        let banned = BTreeSet::from([PathStep { from: StateLabel(1), key, to: StateLabel(2) }]);
        assert_eq!(way(&model, 1, 2, &banned).map(|way| way.len()), Some(2), "unless there is no other way");
    }

    #[test]
    fn of_two_equally_short_ways_the_reliable_one_is_taken() {
        let model = learnt(&[(1, -1, 4), (1, -1, 2), (1, 3, 4), (1, 3, 4)]);
        let starts = [StateLabel(1)];
        let steps = model.ways(Grain::Label, &starts, &BTreeSet::new()).to(StateLabel(4), &starts).unwrap();
        assert_eq!(model.examples[steps[0].key.0 as usize], event(3));
    }
}
