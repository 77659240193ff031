//! What may count: it ran code of its own and nothing that can be seen changed, so that the next time may be another.
//!
//! A folder that looks like the one above it, a tap that is counted up to the third: the model has a loop there and no reason to
//! go round it. That code ran is told by the coverage; a device that has none says nothing, and nothing is done again.
//! It waits until nothing else has given anything for some time: most such things do not count.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::session::Learnt;
use super::super::{Choice, Chosen, ModelView, Session};
use crate::action::ActionKind;
use crate::gui::GuiTree;

/// What may count, and what is tapped again and again now.
#[derive(Clone, Debug, Default)]
pub struct Counting {
    /// By activity and mark: it was not tapped several times in a row yet.
    waiting: FxHashSet<u64>,
    now: Option<Again>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Again {
    mark: u64,
    left: u32,
}

/// So often in a row it is tapped: the third time is the one that most often is another.
const TIMES: u32 = 3;
/// So many things are remembered.
const MOST: usize = 1 << 12;

impl Counting {
    /// Exchanges what waits, and keeps what is under way.
    pub(in super::super) fn exchange(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.waiting, &mut other.waiting);
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self) {
        self.now = None;
    }

    /// Something was done to a screen, and another or the same came.
    pub fn on_step(&mut self, before: &GuiTree, after: &GuiTree, learnt: Learnt<'_>) {
        let is_still = learnt.inside && before.hash() == after.hash();
        let tapped = learnt.acted.filter(|acted| acted.kind == ActionKind::Tap && is_still).and(learnt.mark);
        let under_way = self.now.take();
        let Some(mark) = tapped else { return };
        match under_way.filter(|again| again.mark == mark) {
            // It did something again: it goes on.
            Some(_) if learnt.covered => self.now = Some(Again { mark, left: TIMES - 1 }),
            Some(again) if again.left > 0 => self.now = Some(again),
            None if learnt.covered && self.waiting.len() < MOST => {
                self.waiting.insert(thing(before.activity(), mark));
            }
            _ => {}
        }
    }
}

fn thing(activity: &SmolStr, mark: u64) -> u64 {
    xxh3_64_with_seed(activity.as_bytes(), mark)
}

/// The same tap once more.
pub(super) fn go_on(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let again = session.counting.now.as_mut()?;
    again.left = again.left.checked_sub(1)?;
    let mark = again.mark;
    tap(view, mark)
}

/// The first of several taps in a row, of something on the screen that waits for it.
pub(super) fn begin(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let here = view.tree.activity();
    let waiting = &mut session.counting.waiting;
    let mark = *view.sight.marks.iter().find(|&&mark| waiting.contains(&thing(here, mark)))?;
    waiting.remove(&thing(here, mark));
    session.counting.now = Some(Again { mark, left: TIMES - 1 });
    tap(view, mark)
}

fn tap(view: &ModelView<'_>, mark: u64) -> Option<Choice> {
    let ix = view.sight.marks.iter().position(|&known| known == mark)?;
    view.may(ix).then(|| Choice::new(Chosen::Widget(view.sight.reach[ix]), "sata: again, it may count"))
}
