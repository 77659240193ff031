//! Questions for permissions: what an app does without one is code that is never run where everybody agrees.
//!
//! The first answer is left to the others, and mostly it is yes; then nobody is asked again as long as the app's data lasts.
//! So the next restart wipes the data, where that can be done, and the question is answered with no; it is asked for once more
//! and refused once more, after which Android does not ask any more and apps explain themselves.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::super::session::Learnt;
use super::super::{Choice, Chosen, ModelView, Session};
use crate::action::ActionKind;
use crate::device::Reset;
use crate::gui::{GuiTree, NodeIx, WindowKind};

/// After so many refusals Android does not ask again.
const FOR_GOOD: u32 = 2;

/// What was asked for permissions, and what was answered.
#[derive(Clone, Debug, Default)]
pub struct Refusals {
    /// The answers, by what the question says.
    told: BTreeMap<SmolStr, Told>,
    /// What led to the question that is on the screen, or to the first of several that came one after the other.
    asker: Option<Asker>,
    /// A question was refused: what led to it is done again.
    again: Option<Asker>,
}

/// What leads to a question: something with this mark in an activity.
type Asker = (SmolStr, u64);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    granted: bool,
    refused: u32,
    /// The app's data was wiped after the permission was granted, so that it has to ask again.
    wiped: bool,
}

/// An answer to a question for a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Granted,
    Refused,
}

impl Answer {
    /// What a tap on a widget of the system's question says. These ids are the same since Android 6.
    fn of(tree: &GuiTree, node: NodeIx) -> Option<Self> {
        let id = tree.widget(node).resource_id.rsplit('/').next()?;
        match id {
            _ if id.starts_with("permission_deny") => Some(Self::Refused),
            _ if id.starts_with("permission_allow") => Some(Self::Granted),
            _ => None,
        }
    }
}

/// What the question for a permission says that is on the screen: a window of the system in which something says no.
fn question(tree: &GuiTree) -> Option<&SmolStr> {
    let window = tree.windows().iter().rposition(|window| window.kind == WindowKind::System)? as u32;
    let inside = || tree.indices().filter(|&node| tree.node(node).window == window);
    let can_be_refused = inside().any(|node| Answer::of(tree, node) == Some(Answer::Refused));
    let says = |node| Some(&tree.widget(node).text).filter(|text| !text.is_empty());
    let is_read = |node: &NodeIx| tree.widget(*node).actions.is_empty();
    inside().filter(is_read).find_map(says).filter(|_| can_be_refused)
}

impl Refusals {
    /// A step was made, perhaps to this widget, perhaps before the app had settled: then the same question may still be
    /// shown although it was answered, and a second touch would count twice what Android counts once.
    pub fn on_step(
        &mut self,
        before: &GuiTree,
        after: &GuiTree,
        touched: Option<NodeIx>,
        learnt: Learnt<'_>,
    ) {
        let mark = learnt.mark;
        let (asked, asks) = (question(before), question(after));
        if let Some(asked) = asked
            && (learnt.acted.is_some() || asks != Some(asked))
            && let Some(node) = touched
            && let Some(answer) = Answer::of(before, node)
        {
            let told = self.told.entry(asked.clone()).or_default();
            match answer {
                Answer::Granted => told.granted = true,
                Answer::Refused => {
                    told.refused += 1;
                    self.again = self.asker.clone().filter(|_| told.refused < FOR_GOOD);
                }
            }
        }
        if asks.is_none() {
            self.asker = None;
        } else if asked.is_none() {
            self.asker = mark.map(|mark| (before.activity().clone(), mark));
        }
    }

    /// The app was put back to a start.
    pub fn on_reset(&mut self, to: Reset) {
        (self.asker, self.again) = (None, None);
        if to == Reset::Clean {
            for told in self.told.values_mut() {
                told.wiped = told.granted;
                // Android counts anew, too.
                told.refused = if told.refused < FOR_GOOD { 0 } else { told.refused };
            }
        }
    }

    /// A permission was granted that was never refused for good, and nobody will ask for it again before a clean start.
    pub fn wants_a_clean_start(&self) -> bool {
        self.told.values().any(|told| told.granted && !told.wiped && told.refused < FOR_GOOD)
    }

    fn refuses(&self, question: &SmolStr) -> bool {
        self.told.get(question).is_some_and(|told| told.granted && told.refused < FOR_GOOD)
    }
}

/// Refuses what was granted before, and asks again for what was refused.
pub(super) fn refuse(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let reach = &view.sight.reach;
    if let Some(question) = question(view.tree) {
        let says_no = |ix: &usize| {
            let one = &reach[*ix];
            one.kind == ActionKind::Tap && Answer::of(view.tree, one.node) == Some(Answer::Refused)
        };
        let no = (0..reach.len()).filter(|&ix| view.may(ix)).find(says_no)?;
        let refuses = session.refusals.refuses(question);
        return refuses
            .then(|| Choice::new(Chosen::Widget(reach[no]), "sata: refuse what was granted before"));
    }
    let (activity, mark) = session.refusals.again.take()?;
    let is_asker = |&ix: &usize| view.sight.marks[ix] == mark && view.may(ix);
    let asker = (0..reach.len()).find(is_asker).filter(|_| *view.tree.activity() == activity)?;
    Some(Choice::new(Chosen::Widget(reach[asker]), "sata: ask again for what was refused"))
}
