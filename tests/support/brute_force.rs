//! The solver's referee: plain breadth-first search over whole states, through the phone's public face alone.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use siamang::action::{ActionKind, Input, Key, Wait};
use siamang::device::Reset;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::phone::{Chance, Phone};
use siamang::device::virtual_device::state::State;
use siamang::gui::Reach;

/// What was met, and how far all was seen.
pub struct Seen {
    /// The fewest events to each failure met, and how likely the likeliest way with so few is.
    pub met: BTreeMap<u32, (u32, f64)>,
    /// All ways with so many events were tried.
    pub depth: u32,
    /// There was nothing left to try.
    pub exhausted: bool,
    /// States seen.
    pub states: usize,
}

/// Tries everything, until all failures are met or this many states were seen.
pub fn brute_force(app: &Arc<App>, texts: &[&str], max_depth: u32, max_states: usize) -> Seen {
    let mut referee = Referee {
        phone: Phone::new(Arc::clone(app), scripted(Vec::new())),
        texts,
        met: BTreeMap::new(),
        done: BTreeSet::new(),
        layer: BTreeMap::new(),
    };
    let installed = referee.phone.state().clone();
    let launched = referee.run(&installed, 1.0, 0, |phone| {
        phone.reset(Reset::Clean);
        phone.wait(Wait::Settle);
    });
    referee.admit(launched);
    let mut seen = Seen { met: BTreeMap::new(), depth: 0, exhausted: false, states: 0 };
    for depth in 0..=max_depth {
        referee.follow_waits(depth);
        seen.depth = depth;
        let layer = std::mem::take(&mut referee.layer);
        if layer.is_empty() {
            seen.exhausted = true;
            break;
        }
        referee.done.extend(layer.keys().cloned());
        let all_met = referee.met.len() == app.failures.len();
        if all_met || referee.done.len() > max_states || depth == max_depth {
            break;
        }
        let mut next = Vec::new();
        for (state, probability) in layer.values() {
            next.extend(referee.step(state, *probability, depth + 1));
        }
        referee.admit(next);
    }
    referee.met.retain(|_, (cost, _)| *cost <= seen.depth);
    seen.met = referee.met;
    seen.states = referee.done.len();
    seen
}

type Reached = Vec<(String, State, f64)>;

struct Referee<'a> {
    phone: Phone,
    texts: &'a [&'a str],
    met: BTreeMap<u32, (u32, f64)>,
    done: BTreeSet<String>,
    layer: BTreeMap<String, (State, f64)>,
}

fn scripted(answers: Vec<bool>) -> Chance {
    Chance::Scripted { answers, asked: Vec::new() }
}

impl Referee<'_> {
    fn admit(&mut self, reached: Reached) -> bool {
        let mut better = false;
        for (key, state, probability) in reached {
            if self.done.contains(&key) {
                continue;
            }
            let known = self.layer.entry(key).or_insert_with(|| (state.clone(), -1.0));
            if probability > known.1 {
                *known = (state, probability);
                better = true;
            }
        }
        better
    }

    /// Until nothing gets better any more: slow, and plainly right.
    fn follow_waits(&mut self, depth: u32) {
        loop {
            let layer: Vec<(State, f64)> = self.layer.values().cloned().collect();
            let mut reached = Vec::new();
            for (state, probability) in layer {
                let late = state.pending.iter().map(|pending| pending.due);
                let ticks = state.front().map(|front| front.ticks.clone()).unwrap_or_default();
                if let Some(due) = late.chain(ticks).min() {
                    let ms = (due - state.now) as u32;
                    reached.extend(self.run(&state, probability, depth, |phone| {
                        phone.inject(&Input::Wait(ms));
                    }));
                }
            }
            if !self.admit(reached) {
                return;
            }
        }
    }

    fn step(&mut self, state: &State, probability: f64, depth: u32) -> Reached {
        let mut reached = Vec::new();
        for input in self.inputs(state) {
            // Where nothing is due, all waits are alike.
            let due = Cell::new(false);
            reached.extend(self.run(state, probability, depth, |phone| {
                phone.inject(&input);
                let ticks = phone.state().front().is_some_and(|front| !front.ticks.is_empty());
                due.set(due.get() || ticks || !phone.state().pending.is_empty());
                phone.wait(Wait::Settle);
            }));
            if due.get() {
                reached.extend(self.run(state, probability, depth, |phone| {
                    phone.inject(&input);
                    phone.wait(Wait::Millis(30));
                }));
            }
        }
        reached
    }

    fn inputs(&mut self, state: &State) -> Vec<Input> {
        self.phone.set_state(state.clone(), scripted(Vec::new()));
        let tree = Arc::clone(&self.phone.screen().tree);
        let mut inputs = vec![Input::Key(Key::Back), Input::Key(Key::Menu)];
        inputs.extend([Input::Rotate, Input::HomeAndReturn, Input::ProcessDeath, Input::Restart]);
        if state.front().is_some_and(|front| front.focus.is_some()) {
            inputs.push(Input::Key(Key::Enter));
        }
        for reach in Reach::all(&tree) {
            let texts = if reach.kind == ActionKind::Text { self.texts } else { &[""] };
            inputs.extend(texts.iter().map(|text| reach.input(&tree, (*text).to_owned())));
        }
        inputs
    }

    /// All answers of chance, one after the other.
    fn run(&mut self, state: &State, probability: f64, depth: u32, act: impl Fn(&mut Phone)) -> Reached {
        let mut reached = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(answers) = open.pop() {
            self.phone.set_state(state.clone(), scripted(answers.clone()));
            act(&mut self.phone);
            let asked = self.phone.asked().to_vec();
            if asked.len() > answers.len() {
                for answer in [false, true] {
                    let mut longer = answers.clone();
                    longer.push(answer);
                    open.push(longer);
                }
                continue;
            }
            let outcome = answers.iter().zip(&asked).map(|(yes, p)| if *yes { *p } else { 1.0 - p });
            let likely = probability * outcome.product::<f64>();
            if likely <= 0.0 {
                continue;
            }
            for (failure, _) in self.phone.take_happened().failures {
                let met = self.met.entry(failure.0).or_insert((depth, likely));
                if met.0 == depth && met.1 < likely {
                    met.1 = likely;
                }
            }
            let state = self.phone.state().clone();
            reached.push((whole_key(&state), state, likely));
        }
        reached
    }
}

/// Everything in a state but the toast, the time of day and the numbers of activities.
fn whole_key(state: &State) -> String {
    let mut key = format!(
        "{:?} {} {} {} {:?}",
        state.globals, state.running, state.at_home, state.landscape, state.permissions
    );
    for instance in &state.stack {
        let ticks: Vec<u64> = instance.ticks.iter().map(|due| due - state.now).collect();
        let _ = write!(
            key,
            " | {:?} {:?} {:?} {:?} {} {:?} {:?} {} {} {}",
            instance.activity,
            instance.locals,
            instance.layers,
            instance.focus,
            instance.keyboard,
            instance.scrolls,
            ticks,
            instance.landscape,
            instance.stale,
            instance.resumed
        );
    }
    for pending in &state.pending {
        let _ = write!(
            key,
            " + {} {:?} {:?} {:?} {:?} {:?}",
            pending.due - state.now,
            state.position(pending.instance),
            pending.rule,
            pending.row,
            pending.index,
            pending.value
        );
    }
    key
}
