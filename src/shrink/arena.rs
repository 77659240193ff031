//! The events that candidates are made of.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::action::{Input, Wait};
use crate::gui::Selector;
use crate::trace::{Trace, TraceEvent};

/// One event of an [`Arena`].
pub type EventIx = u32;

/// All events that candidates of one shrinker are made of: first those of the original in their order, then any that
/// an algorithm knows from elsewhere. A candidate is a list of positions in here.
#[derive(Clone, Debug)]
pub struct Arena {
    head: Arc<Trace>,
    events: Vec<Arc<TraceEvent>>,
    /// Events that a device cannot tell apart have an equal number here.
    content: Vec<u32>,
    known: FxHashMap<(Input, Wait, Option<Selector>), u32>,
    /// The first event with each content.
    first: Vec<EventIx>,
    originals: usize,
}

impl Arena {
    /// Takes over a trace.
    pub fn new(mut original: Trace) -> Self {
        let events = std::mem::take(&mut original.events);
        let mut arena = Self {
            head: Arc::new(original),
            originals: events.len(),
            events: Vec::with_capacity(events.len()),
            content: Vec::with_capacity(events.len()),
            known: FxHashMap::default(),
            first: Vec::new(),
        };
        for event in events {
            arena.add(Arc::new(event));
        }
        arena
    }

    /// Adds an event from elsewhere, unless an equal one is there.
    pub fn add_new(&mut self, event: &Arc<TraceEvent>) -> EventIx {
        match self.find(event) {
            Some(ix) => ix,
            None => self.add(Arc::clone(event)),
        }
    }

    /// The first event that a device cannot tell from this one.
    pub fn find(&self, event: &TraceEvent) -> Option<EventIx> {
        let key = (event.input.clone(), event.wait, event.target.clone());
        self.known.get(&key).map(|&content| self.first[content as usize])
    }

    fn add(&mut self, event: Arc<TraceEvent>) -> EventIx {
        let ix = self.events.len() as EventIx;
        let key = (event.input.clone(), event.wait, event.target.clone());
        let next = self.first.len() as u32;
        let content = *self.known.entry(key).or_insert(next);
        if content == next {
            self.first.push(ix);
        }
        self.content.push(content);
        self.events.push(event);
        ix
    }

    /// Everything of the original but its events.
    pub fn head(&self) -> &Arc<Trace> {
        &self.head
    }

    /// How many events the original has; they come first.
    pub fn originals(&self) -> usize {
        self.originals
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// One event.
    pub fn event(&self, ix: EventIx) -> &Arc<TraceEvent> {
        &self.events[ix as usize]
    }

    /// A list is better than another if it is shorter, or as long and made of simpler events.
    pub fn is_better(&self, events: &[EventIx], than: &[EventIx]) -> bool {
        let weight = |list: &[EventIx]| -> u64 { list.iter().map(|&ix| self.event(ix).complexity()).sum() };
        events.len() < than.len() || events.len() == than.len() && weight(events) < weight(than)
    }

    /// The number that an event shares with all events that a device cannot tell from it.
    pub fn content(&self, ix: EventIx) -> u32 {
        self.content[ix as usize]
    }

    /// The events of a candidate.
    pub fn events(&self, candidate: &[EventIx]) -> Vec<Arc<TraceEvent>> {
        candidate.iter().map(|&ix| Arc::clone(self.event(ix))).collect()
    }
}

/// A hash over the content of a list of events that can be carried on from any prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(u64);

impl ContentHash {
    /// The bare number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The hash of no events.
    pub const EMPTY: Self = Self(0x9e37_79b9_7f4a_7c15);

    /// The hash of a whole list.
    pub fn of(arena: &Arena, events: &[EventIx]) -> Self {
        events.iter().fold(Self::EMPTY, |hash, &ix| hash.push(arena.content(ix)))
    }

    /// The hash with one more event.
    #[must_use]
    pub fn push(self, content: u32) -> Self {
        let mixed = (self.0 ^ u64::from(content)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Self((mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb).rotate_left(27))
    }
}
