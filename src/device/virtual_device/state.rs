//! Everything that an app and its phone remember at one moment.

use rhai::Dynamic;
use smol_str::SmolStr;

use super::app::{ActivityIx, App, RuleIx, WidgetIx};
use crate::gui::Point;

/// The state of the phone and its app. Cloned by the solver, which walks through many of them.
#[derive(Clone, Debug)]
pub struct State {
    /// The app's variables: disk first, then process.
    pub globals: Vec<Dynamic>,
    /// The task: the last one is in front.
    pub stack: Vec<Instance>,
    /// The process is alive.
    pub running: bool,
    /// The launcher is in front.
    pub at_home: bool,
    /// The screen is wider than high.
    pub landscape: bool,
    /// Device time in milliseconds.
    pub now: u64,
    /// Effects that are due later, earliest first.
    pub pending: Vec<Pending>,
    /// The permissions granted.
    pub permissions: Vec<SmolStr>,
    /// The message that is shown now.
    pub toast: Option<Toast>,
    /// The id of the next activity instance.
    pub next_instance: u32,
    /// How often the app's process ended: what was under way in an earlier life goes no further.
    pub life: u32,
}

/// One activity on the task's stack.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about an activity")]
pub struct Instance {
    /// Never used twice, so that a late effect cannot reach another activity.
    pub id: u32,
    /// Which activity it is.
    pub activity: ActivityIx,
    /// Its variables.
    pub locals: Vec<Dynamic>,
    /// The variables that it was started with: the intent is kept as long as the activity, so they come back when it is
    /// made anew. What a later intent brings does not, as on a phone where the app does not ask for it.
    pub extras: Vec<(u16, Dynamic)>,
    /// Its open dialogs and menus, topmost last.
    pub layers: Vec<Layer>,
    /// The field that has the focus.
    pub focus: Option<WidgetIx>,
    /// The keyboard is shown.
    pub keyboard: bool,
    /// How far lists (in rows) and scrolls (in pixels) are scrolled.
    pub scrolls: Vec<(WidgetIx, i32)>,
    /// When its periodic rules run next.
    pub ticks: Vec<u64>,
    /// The orientation it was made for.
    pub landscape: bool,
    /// Its process died: it must be restored when it comes to the front.
    pub stale: bool,
    /// It is resumed: only then can it be paused.
    pub resumed: bool,
}

/// A dialog or menu over an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// A dialog, by position.
    Dialog(u32),
    /// A popup menu, by position, and where it was opened.
    Popup(u32, Point),
    /// The options menu.
    Menu,
    /// The choices of a spinner.
    Choices(WidgetIx, Point),
    /// A question for a permission, by position.
    Permission(u32),
}

/// An effect that is due later.
#[derive(Clone, Debug)]
pub struct Pending {
    /// When, in device time.
    pub due: u64,
    /// For which activity.
    pub instance: u32,
    /// What.
    pub rule: RuleIx,
    /// The row it belongs to.
    pub row: Dynamic,
    /// The number of the row.
    pub index: Dynamic,
    /// The value that was entered.
    pub value: Dynamic,
}

/// A short message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// What it says.
    pub text: SmolStr,
    /// When it goes.
    pub until: u64,
}

impl State {
    /// A phone on which the app has just been installed.
    pub fn installed(app: &App) -> Self {
        Self {
            globals: app.globals.iter().map(|variable| variable.first.clone()).collect(),
            stack: Vec::new(),
            running: false,
            at_home: true,
            landscape: false,
            now: 0,
            pending: Vec::new(),
            permissions: Vec::new(),
            toast: None,
            next_instance: 0,
            life: 0,
        }
    }

    /// The activity in front, if the app is.
    pub fn front(&self) -> Option<&Instance> {
        if self.at_home { None } else { self.stack.last() }
    }

    /// The position of an activity instance, if it still exists.
    pub fn position(&self, instance: u32) -> Option<usize> {
        self.stack.iter().rposition(|known| known.id == instance)
    }

    /// The process ends: its variables, its effects and the message are gone. What was saved of the activities stays.
    pub fn lose_process(&mut self, app: &App) {
        self.life += 1;
        for (value, variable) in self.globals.iter_mut().zip(&app.globals).skip(app.disk_count) {
            *value = variable.first.clone();
        }
        self.pending.clear();
        self.toast = None;
        for instance in &mut self.stack {
            let activity = app.activity(instance.activity);
            if activity.foreign {
                continue;
            }
            instance.forget(app);
            instance.stale = true;
            instance.resumed = false;
        }
    }
}

impl Instance {
    /// A new one, with its first values.
    pub fn new(app: &App, id: u32, activity: ActivityIx, landscape: bool) -> Self {
        Self {
            id,
            activity,
            locals: app.activity(activity).locals.iter().map(|variable| variable.first.clone()).collect(),
            extras: Vec::new(),
            layers: Vec::new(),
            focus: None,
            keyboard: false,
            scrolls: Vec::new(),
            ticks: Vec::new(),
            landscape,
            stale: false,
            resumed: false,
        }
    }

    /// What does not survive a re-creation.
    pub fn forget(&mut self, app: &App) {
        let activity = app.activity(self.activity);
        for (value, variable) in self.locals.iter_mut().zip(&activity.locals).take(activity.lost_count) {
            *value = variable.first.clone();
        }
        for (variable, value) in &self.extras {
            if usize::from(*variable) < activity.lost_count {
                self.locals[usize::from(*variable)] = value.clone();
            }
        }
        self.layers.clear();
        self.focus = None;
        self.keyboard = false;
    }

    /// How far a list or scroll is scrolled.
    pub fn scroll(&self, widget: WidgetIx) -> i32 {
        self.scrolls.iter().find(|(known, _)| *known == widget).map_or(0, |&(_, offset)| offset)
    }

    /// Scrolls a list or scroll to a place; 0 is forgotten, so that equal states look equal.
    pub fn set_scroll(&mut self, widget: WidgetIx, offset: i32) {
        self.scrolls.retain(|(known, _)| *known != widget);
        if offset != 0 {
            self.scrolls.push((widget, offset));
            self.scrolls.sort_unstable();
        }
    }
}
