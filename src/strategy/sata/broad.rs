//! Wide before deep: as long as something promises a part of the app that nobody has seen, that is what is done.

use super::super::promise::{Permille, menu};
use super::super::sweep::{Next, Terms};
use super::super::{Choice, Chosen, ModelView, Session};
use crate::action::ActionKind;
use crate::device::Reset;

/// The app is started again for a sweep at the earliest so many steps after the last start.
const RESTART_PAUSE: u32 = 30;
/// Of so many devices one digs while the others sweep: what is deep need not wait for what is wide.
const DIGS: u32 = 4;

/// The next step of the sweep, if anything promises enough. What was begun is brought to its end first, and a login that
/// is known is passed.
pub(super) fn sweep(least: Permille, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    session.sweep.under_way = false;
    let has_begun = session.fuzz_left > 0
        || !session.plan.is_empty()
        || session.route.is_some()
        || !session.form.is_empty()
        || session.again.is_some();
    if has_begun || session.gate() == Some(view.tree.activity()) {
        return None;
    }
    let choice = address(view, session).or_else(|| {
        let digs = session.id.0 % DIGS == DIGS - 1;
        if digs { None } else { next(least, view, session) }
    });
    session.sweep.under_way = choice.is_some();
    choice
}

/// An address that the user named is opened once before all else: it was named since something lies behind it.
fn address(view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    let mut offered = view.sight.phone.iter().filter(|&&(_, id)| view.can_do(id));
    let kind = offered.find_map(|&(kind, _)| match kind {
        ActionKind::DeepLink(number) => session.sweep.opens(number).then_some(kind),
        _ => None,
    })?;
    Some(Choice::new(Chosen::Phone(kind), "sata: an address of the user's"))
}

fn next(least: Permille, view: &ModelView<'_>, session: &mut Session) -> Option<Choice> {
    loop {
        let may_restart = session.since_reset > RESTART_PAUSE && session.gate().is_none();
        let terms = Terms { least, may_restart, is_large: view.model.is_large() };
        return Some(match session.sweep.next(terms)? {
            Next::Try(item) => {
                let best = session.sweep.best_here();
                let item = session.pick(&best).copied().unwrap_or(item);
                session.sweep.take(item);
                let Some(chosen) = done_by(view, session, item) else { continue };
                Choice::new(chosen, "sata: sweep")
            }
            Next::Go(item) => {
                let Some(chosen) = done_by(view, session, item) else {
                    session.sweep.give_up(item);
                    continue;
                };
                Choice::new(chosen, "sata: sweep, on the way")
            }
            Next::Back => Choice::new(Chosen::Phone(ActionKind::Back), "sata: sweep, back"),
            Next::Restart => Choice::new(Chosen::Restart(Reset::Warm), "sata: restart, the sweep goes on"),
        });
    }
}

/// What has to be done for an item of the screen, unless it is banned or leads back before a login.
fn done_by(view: &ModelView<'_>, session: &Session, item: u64) -> Option<Chosen> {
    let here = view.tree.activity();
    let Some(ix) = view.sight.items.iter().position(|&known| known == item) else {
        let is_it = |kind| kind == ActionKind::Menu && menu(here) == item;
        let (kind, id) = *view.sight.phone.iter().find(|&&(kind, _)| is_it(kind))?;
        return view.can_do(id).then_some(Chosen::Phone(kind));
    };
    let is_open = view.may(ix) && !session.is_setback(here, view.sight.sorts[ix]);
    is_open.then(|| Chosen::Widget(view.sight.reach[ix]))
}
