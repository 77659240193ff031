//! What to do next.
//!
//! A strategy sees the model and one session's place in it and names one action with the reason for it. It draws
//! only from the session's own generators, so that a recorded run can be thought again.

pub mod atlas;
pub mod claims;
pub mod habit;
pub mod lore;
pub mod monkey;
pub mod promise;
pub mod random;
pub mod recipe;
pub mod sata;
pub mod session;
pub mod sweep;
pub mod tarpit;
pub mod text;

use smol_str::SmolStr;

use crate::action::{ActionKind, Event, Input, Key};
use crate::device::{Capabilities, Reset};
use crate::gui::{GuiTree, Reach};
use crate::model::{Model, Sight};

pub use monkey::{Monkey, MonkeyConfig};
pub use random::Random;
pub use sata::{Sata, SataConfig};
pub use session::Session;

/// Chooses the next action of a session.
pub trait Strategy {
    /// The next action and the reason for it.
    fn choose(&self, view: &ModelView<'_>, session: &mut Session) -> Choice;
}

/// What a strategy sees.
#[derive(Clone, Copy, Debug)]
pub struct ModelView<'a> {
    /// What is on the screen.
    pub tree: &'a GuiTree,
    /// The screen as the model sees it: its state, what can be done to its widgets and to the phone, BACK first.
    pub sight: &'a Sight,
    /// The model.
    pub model: &'a Model,
    /// What the device can and cannot tell.
    pub capabilities: &'a Capabilities,
}

/// The next action and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What to do.
    pub action: Chosen,
    /// Why, in a few words.
    pub reason: SmolStr,
}

/// What a strategy wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// An action of a widget.
    Widget(Reach),
    /// An action of the phone.
    Phone(ActionKind),
    /// An event outside the model: it is done, but it teaches the model nothing.
    Raw(Event),
    /// The app is put back to a start.
    Restart(Reset),
}

impl Choice {
    /// A choice with its reason.
    pub fn new(action: Chosen, reason: impl Into<SmolStr>) -> Self {
        Self { action, reason: reason.into() }
    }
}

/// Which strategy a run uses.
#[derive(Clone, Debug, PartialEq)]
pub enum StrategyChoice {
    /// Greedy, planned on the model, and random.
    Sata(SataConfig),
    /// Uniform over what the widgets accept.
    Random,
    /// Raw events in Monkey's proportions.
    Monkey(MonkeyConfig),
}

impl StrategyChoice {
    /// The names of all strategies, for the command line.
    pub const NAMES: [&'static str; 4] = ["sata", "sata-paper", "random", "monkey"];

    /// The strategy with this name, with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "sata" => Some(Self::Sata(SataConfig::default())),
            "sata-paper" => Some(Self::Sata(SataConfig::paper())),
            "random" => Some(Self::Random),
            "monkey" => Some(Self::Monkey(MonkeyConfig::default())),
            _ => None,
        }
    }

    /// The name it has on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sata(config) if *config == SataConfig::paper() => "sata-paper",
            Self::Sata(_) => "sata",
            Self::Random => "random",
            Self::Monkey(_) => "monkey",
        }
    }

    /// All strategies, with their defaults.
    pub fn all() -> [Self; 4] {
        let [ours, paper] = [SataConfig::default(), SataConfig::paper()].map(Self::Sata);
        [ours, paper, Self::Random, Self::Monkey(MonkeyConfig::default())]
    }

    /// What it does, in one sentence.
    pub fn about(&self) -> &'static str {
        match self {
            Self::Sata(config) if *config == SataConfig::paper() => {
                "The steps of APE's release in their order, on the way to new work first within the connected part of the app; no sweep, camps or drills."
            }
            Self::Sata(_) => {
                "Greedy for what was not done yet, planned on the model, and now and then random."
            }
            Self::Random => "Any action that the widgets on the screen accept, each as likely as the others.",
            Self::Monkey(_) => "Raw events in Monkey's proportions, whatever is on the screen.",
        }
    }

    /// Where it comes from.
    pub fn source(&self) -> &'static str {
        match self {
            Self::Sata(_) => {
                "after Gu et al., Practical GUI testing of Android applications via model abstraction and refinement, ICSE 2019"
            }
            Self::Random => "the usual baseline",
            Self::Monkey(_) => "Android's UI/Application Exerciser Monkey",
        }
    }

    /// The strategy itself.
    pub fn build(&self) -> AnyStrategy {
        match self {
            Self::Sata(config) => AnyStrategy::Sata(Sata::new(*config)),
            Self::Random => AnyStrategy::Random(Random),
            Self::Monkey(config) => AnyStrategy::Monkey(Monkey::new(config.clone())),
        }
    }
}

/// The closed set of strategies.
#[derive(Clone, Debug)]
pub enum AnyStrategy {
    /// Greedy, planned on the model, and random.
    Sata(Sata),
    /// Uniform over what the widgets accept.
    Random(Random),
    /// Raw events in Monkey's proportions.
    Monkey(Monkey),
}

impl Strategy for AnyStrategy {
    fn choose(&self, view: &ModelView<'_>, session: &mut Session) -> Choice {
        match self {
            Self::Sata(strategy) => strategy.choose(view, session),
            Self::Random(strategy) => strategy.choose(view, session),
            Self::Monkey(strategy) => strategy.choose(view, session),
        }
    }
}

/// The input for an action of the phone.
pub fn phone_input(kind: ActionKind, capabilities: &Capabilities) -> Input {
    match kind {
        ActionKind::DeepLink(n) => match capabilities.deep_links.get(n as usize) {
            Some(link) => Input::DeepLink(link.to_string()),
            None => Input::Key(Key::Back),
        },
        _ => Input::of_phone(kind),
    }
}
