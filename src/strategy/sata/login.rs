//! A login that says who may come in: what stands on the screen is typed before anything else is tried.

use super::super::{Choice, Chosen, ModelView, Session};
use crate::action::ActionKind;
use crate::gui::opener::is_covered;
use crate::gui::{Flags, Reach};

/// So many accounts are tried at a login; then it is a page like others.
const MAX_GUESSES: usize = 6;

/// As long as nothing lies behind a page that asks for a password, it is filled with what stands on it, and sent.
pub(super) fn try_what_it_says(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let has_begun = !session.form.is_empty()
        || session.again.is_some()
        || session.fuzz_left > 0
        || session.route.is_some();
    if has_begun || view.model.activities().len() > 1 {
        return None;
    }
    let reach = &view.sight.reach;
    let is_field = |&ix: &usize| reach[ix].kind == ActionKind::Text && view.may(ix);
    let fields: Vec<usize> = (0..reach.len()).filter(is_field).collect();
    let &first = fields.first().filter(|_| asks_for_a_secret(view) && !is_covered(view.tree))?;
    let guess = session.recipes.guess(view.tree.activity(), MAX_GUESSES)?;
    session.text.guess(view.tree, fields.len(), guess).then(|| {
        super::plan_form(view, session, &fields, view.sight.actions[first]);
        Choice::new(Chosen::Widget(reach[first]), "sata: what the login says")
    })
}

/// Something on the page takes a password.
pub(super) fn asks_for_a_secret(view: &ModelView<'_>) -> bool {
    let takes_one = |reach: &Reach| {
        reach.kind == ActionKind::Text && view.tree.widget(reach.node).flags.contains(Flags::PASSWORD)
    };
    view.sight.reach.iter().any(takes_one)
}
