//! What of a state can matter for reaching a failure: the cone of influence of its rules.
//!
//! Two states that agree on everything that matters behave alike as far as the failure is concerned, so the search keeps
//! only one of them. Windows, the stack of activities, the keyboard and the orientation always matter; a variable matters
//! only if some guard on a way to the failure can see it, or a variable that does is computed from it.

use std::collections::BTreeSet;

use super::super::app::{ActivityIx, App, Rule, RuleList, WidgetIx};
use super::super::app_model::WidgetKind;
use super::super::expr::{Expr, Slot, Temp, Template};
use super::tokens::{self, Statement};
use super::types::Types;

/// A place where a value can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A variable of the app.
    Global(u16),
    /// A variable of an activity.
    Local(ActivityIx, u16),
    /// `row` and `index` in the rules of an activity.
    Row(ActivityIx),
    /// `value` in the rules of an activity.
    Value(ActivityIx),
    /// `result`.
    Result,
}

/// What of a state matters.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    /// Which of the app's variables.
    pub(super) globals: Vec<bool>,
    /// Which variables of each activity.
    pub(super) locals: Vec<Vec<bool>>,
    /// How far each list or scroll is scrolled.
    pub(super) scrolls: Vec<bool>,
    /// Whether `row` matters to late effects of each activity.
    pub(super) rows: Vec<bool>,
    /// Whether `value` matters to late effects of each activity.
    pub(super) values: Vec<bool>,
    /// Which rules matter.
    pub(super) rules: Vec<bool>,
    /// Which fields may be given more than one text.
    pub(super) fields: Vec<bool>,
    /// Late or periodic effects matter, and with them the time.
    pub(super) timed: bool,
}

/// A list of rules and the widget whose use runs it.
pub(super) struct Trigger<'a> {
    pub(super) rules: &'a RuleList,
    pub(super) widget: Option<WidgetIx>,
    pub(super) periodic: bool,
}

/// All lists of rules that an event, the system or the clock runs.
pub(super) fn triggers(app: &App) -> Vec<Trigger<'_>> {
    let mut found = Vec::new();
    let mut add = |rules, widget, periodic| found.push(Trigger { rules, widget, periodic });
    for activity in &app.activities {
        for (_, rules) in &activity.every {
            add(rules, None, true);
        }
        for permission in &activity.permissions {
            add(&permission.granted, None, false);
            add(&permission.denied, None, false);
        }
        for dialog in &activity.dialogs {
            add(&dialog.cancel, None, false);
        }
        for rules in [
            &activity.menu_open,
            &activity.menu_close,
            &activity.create,
            &activity.resume,
            &activity.pause,
            &activity.rotate,
            &activity.restore,
            &activity.result,
            &activity.new_intent,
            &activity.back,
            &activity.swipe_left,
            &activity.swipe_right,
        ] {
            add(rules, None, false);
        }
    }
    for (ix, widget) in app.widgets.iter().enumerate() {
        for rules in [
            &widget.tap,
            &widget.long_tap,
            &widget.change,
            &widget.submit,
            &widget.swipe_left,
            &widget.swipe_right,
            &widget.pinch,
        ] {
            add(rules, Some(WidgetIx(ix as u32)), false);
        }
    }
    found.retain(|trigger| !trigger.rules.is_empty());
    found
}

/// The place of a slot in the rules of an activity; the orientation and the permissions always matter.
pub(super) fn place_of(slot: Slot, activity: ActivityIx) -> Option<Place> {
    match slot {
        Slot::Global(ix) => Some(Place::Global(ix)),
        Slot::Local(ix) => Some(Place::Local(activity, ix)),
        Slot::Temp(Temp::Row | Temp::Index) => Some(Place::Row(activity)),
        Slot::Temp(Temp::Value) => Some(Place::Value(activity)),
        Slot::Temp(Temp::Result) => Some(Place::Result),
        Slot::Temp(_) => None,
    }
}

/// The place that a name in the rules of an activity stands for.
pub(super) fn place_named(app: &App, name: &str, activity: ActivityIx) -> Option<Place> {
    let local = app.activity(activity).locals.iter().position(|variable| variable.name == name);
    if let Some(ix) = local {
        return Some(Place::Local(activity, ix as u16));
    }
    if let Some(ix) = app.globals.iter().position(|variable| variable.name == name) {
        return Some(Place::Global(ix as u16));
    }
    let temp = Temp::ALL.iter().find(|(known, _)| *known == name);
    temp.and_then(|&(_, temp)| place_of(Slot::Temp(temp), activity))
}

impl Slice {
    /// The value at a place can matter.
    pub(super) fn sees(&self, place: Place) -> bool {
        match place {
            Place::Global(ix) => self.globals[usize::from(ix)],
            Place::Local(activity, ix) => self.locals[activity.0 as usize][usize::from(ix)],
            Place::Row(activity) => self.rows[activity.0 as usize],
            Place::Value(activity) => self.values[activity.0 as usize],
            Place::Result => true,
        }
    }

    /// What matters for the failures of an app. Every failure ends the process, so that each matters for the others.
    pub(super) fn of(app: &App) -> Self {
        let mut cone = Cone {
            app,
            places: BTreeSet::new(),
            rules: vec![false; app.rules.len()],
            widgets: vec![false; app.widgets.len()],
            groups: groups(app),
            triggers: triggers(app),
            types: Types::of(app),
        };
        while cone.grow() {}
        cone.slice()
    }
}

/// For each widget the window it is laid out in: widgets of one window push each other around.
fn groups(app: &App) -> Vec<u32> {
    let mut groups = vec![0; app.widgets.len()];
    let mut next = 0;
    let mut mark = |roots: &[WidgetIx]| {
        next += 1;
        let mut open = roots.to_vec();
        while let Some(ix) = open.pop() {
            groups[ix.0 as usize] = next;
            open.extend(&app.widget(ix).children);
        }
    };
    for activity in &app.activities {
        mark(&activity.widgets);
        mark(&activity.menu);
        for dialog in &activity.dialogs {
            let all: Vec<WidgetIx> = dialog.widgets.iter().chain(&dialog.buttons).copied().collect();
            mark(&all);
        }
        for (_, items) in &activity.popups {
            mark(items);
        }
    }
    groups
}

struct Cone<'a> {
    app: &'a App,
    places: BTreeSet<Place>,
    rules: Vec<bool>,
    /// Widgets whose use matters.
    widgets: Vec<bool>,
    groups: Vec<u32>,
    triggers: Vec<Trigger<'a>>,
    types: Types,
}

impl Cone<'_> {
    /// One round; whether anything was added.
    fn grow(&mut self) -> bool {
        let before = (self.places.len(), count(&self.rules), count(&self.widgets));
        self.mark_rules();
        self.read_guards();
        for ix in 0..self.app.rules.len() {
            if self.rules[ix] {
                self.read_rule(&self.app.rules[ix]);
            }
        }
        self.mark_widgets();
        self.read_widgets();
        before != (self.places.len(), count(&self.rules), count(&self.widgets))
    }

    /// A rule comes before the rules in its `then`, so that one pass from the end sees all of them.
    fn mark_rules(&mut self) {
        for (ix, rule) in self.app.rules.iter().enumerate().rev() {
            let matters = Self::steers(rule)
                || rule.then.iter().any(|then| self.rules[then.0 as usize])
                || self.writes(rule).iter().any(|place| self.places.contains(place));
            self.rules[ix] |= matters;
        }
    }

    /// It opens or closes something, or fails.
    fn steers(rule: &Rule) -> bool {
        rule.dismiss
            || rule.finish
            || rule.start.is_some()
            || rule.dialog.is_some()
            || rule.popup.is_some()
            || rule.ask.is_some()
            || rule.fail.is_some()
    }

    fn writes(&self, rule: &Rule) -> Vec<Place> {
        let Some(script) = &rule.script else { return Vec::new() };
        tokens::statements(script.source())
            .iter()
            .flat_map(|statement| statement.writes.clone())
            .filter_map(|name| place_named(self.app, name, rule.activity))
            .collect()
    }

    /// Of a list the first rule that applies is run: the guards up to the last rule that matters are seen.
    fn read_guards(&mut self) {
        let app = self.app;
        let nested = app.rules.iter().map(|rule| &rule.then);
        let lists: Vec<&RuleList> = self.triggers.iter().map(|trigger| trigger.rules).chain(nested).collect();
        for list in lists {
            let last = list.iter().rposition(|rule| self.rules[rule.0 as usize]);
            for &ix in list.iter().take(last.map_or(0, |last| last + 1)) {
                let rule = app.rule(ix);
                if let Some(guard) = &rule.guard {
                    self.read(guard, rule.activity);
                }
            }
        }
    }

    fn read(&mut self, expr: &Expr, activity: ActivityIx) {
        self.places.extend(expr.slots().into_iter().filter_map(|slot| place_of(slot, activity)));
    }

    fn read_statement(&mut self, statement: &Statement<'_>, activity: ActivityIx) {
        let app = self.app;
        self.places.extend(statement.reads.iter().filter_map(|name| place_named(app, name, activity)));
    }

    fn read_rule(&mut self, rule: &Rule) {
        if let Some(script) = &rule.script {
            for statement in tokens::statements(script.source()) {
                let written =
                    statement.writes.iter().filter_map(|name| place_named(self.app, name, rule.activity));
                let matters = written.into_iter().any(|place| self.places.contains(&place));
                // A script that fails ends its rule: what can make it fail matters too.
                if matters || !self.types.never_fails(self.app, &statement, rule.activity) {
                    self.read_statement(&statement, rule.activity);
                }
            }
        }
        if let Some(start) = &rule.start {
            for (variable, expr) in &start.with {
                if self.places.contains(&Place::Local(start.activity, *variable)) {
                    self.read(expr, rule.activity);
                }
            }
        }
        if let Some(result) = &rule.result
            && (self.places.contains(&Place::Result) || !self.always_given(result, rule.activity))
        {
            self.read(result, rule.activity);
        }
    }

    /// A result whose expression fails is no result.
    fn always_given(&self, result: &Expr, activity: ActivityIx) -> bool {
        let parts = tokens::statements(result.source());
        parts.iter().all(|part| self.types.never_fails(self.app, part, activity))
    }

    fn mark_widgets(&mut self) {
        for trigger in &self.triggers {
            if let Some(widget) = trigger.widget
                && trigger.rules.iter().any(|rule| self.rules[rule.0 as usize])
            {
                self.widgets[widget.0 as usize] = true;
            }
        }
        for (ix, widget) in self.app.widgets.iter().enumerate() {
            let bound = widget.bind.and_then(|slot| place_of(slot, widget.activity));
            self.widgets[ix] |= matches!(widget.kind, WidgetKind::Field | WidgetKind::Spinner)
                || widget.dismisses
                || bound.is_some_and(|place| self.places.contains(&place));
        }
    }

    fn read_widgets(&mut self) {
        let app = self.app;
        let last_group = self.groups.iter().max().map_or(0, |last| *last as usize);
        let mut group_matters = vec![false; last_group + 1];
        for (group, matters) in self.groups.iter().zip(&self.widgets) {
            group_matters[*group as usize] |= matters;
        }
        for (ix, widget) in app.widgets.iter().enumerate() {
            if self.widgets[ix]
                && let Some(enabled) = &widget.enabled
            {
                self.read(enabled, widget.activity);
            }
            if group_matters[self.groups[ix] as usize]
                && let Some(visible) = &widget.visible
            {
                self.read(visible, widget.activity);
            }
            if let Some(rows) = &widget.rows
                && (self.uses_rows(ix) || self.places.contains(&Place::Row(widget.activity)))
            {
                self.read(rows, widget.activity);
            }
        }
        for (number, activity) in app.activities.iter().enumerate() {
            for dialog in &activity.dialogs {
                for template in [&dialog.title, &dialog.text] {
                    self.read_height(template, ActivityIx(number as u32));
                }
            }
        }
    }

    /// A dialog without title or text is less high.
    fn read_height(&mut self, template: &Template, activity: ActivityIx) {
        if !template.has_literal() {
            self.places.extend(template.slots().into_iter().filter_map(|slot| place_of(slot, activity)));
        }
    }

    /// A list matters if something in it does, or if it lies in a scroll, whose touches it can take.
    fn uses_rows(&self, list: usize) -> bool {
        let app = self.app;
        let inside = descendants(app, WidgetIx(list as u32)).any(|ix| self.widgets[ix.0 as usize]);
        let mut above = std::iter::successors(app.parents[list], |ix| app.parents[ix.0 as usize]);
        inside || above.any(|ix| matches!(app.widget(ix).kind, WidgetKind::Scroll))
    }

    fn slice(self) -> Slice {
        let app = self.app;
        let has = |place: Place| self.places.contains(&place);
        let activities = || (0..app.activities.len()).map(|ix| ActivityIx(ix as u32));
        let late = app.rules.iter().zip(&self.rules).any(|(rule, matters)| *matters && rule.after.is_some());
        let periodic = self
            .triggers
            .iter()
            .any(|trigger| trigger.periodic && trigger.rules.iter().any(|rule| self.rules[rule.0 as usize]));
        let widgets = || (0..app.widgets.len()).map(|ix| WidgetIx(ix as u32));
        Slice {
            globals: (0..app.globals.len()).map(|ix| has(Place::Global(ix as u16))).collect(),
            locals: activities()
                .map(|activity| {
                    let count = app.activity(activity).locals.len();
                    (0..count).map(|ix| has(Place::Local(activity, ix as u16))).collect()
                })
                .collect(),
            scrolls: widgets().map(|ix| descendants(app, ix).any(|ix| self.widgets[ix.0 as usize])).collect(),
            rows: activities().map(|activity| has(Place::Row(activity))).collect(),
            values: activities().map(|activity| has(Place::Value(activity))).collect(),
            fields: widgets()
                .map(|ix| {
                    let widget = app.widget(ix);
                    widget.bind.and_then(|slot| place_of(slot, widget.activity)).is_some_and(has)
                        || has(Place::Value(widget.activity))
                })
                .collect(),
            rules: self.rules,
            timed: late || periodic,
        }
    }
}

fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|flag| **flag).count()
}

/// A widget and all widgets in it.
fn descendants(app: &App, root: WidgetIx) -> impl Iterator<Item = WidgetIx> + '_ {
    let mut open = vec![root];
    std::iter::from_fn(move || {
        let ix = open.pop()?;
        open.extend(&app.widget(ix).children);
        Some(ix)
    })
}
