//! The stack of activities: started, finished, paused, resumed, made anew.

use std::sync::Arc;

use rhai::Dynamic;

use super::super::app::{ActivityIx, Rule, RuleList};
use super::super::app_model::StartMode;
use super::super::expr::Temp;
use super::super::state::Instance;
use super::Phone;

/// Activities on one stack at the most.
const MAX_STACK: usize = 500;

/// What an activity is given when it comes to the front again.
pub(in crate::device::virtual_device) enum Arrival {
    /// What the activity above it gave back.
    Result(Dynamic),
    /// It was started again: the values of its variables.
    Intent(Vec<(u16, Dynamic)>),
}

impl Phone {
    pub(super) fn navigate(&mut self, rule: &Rule, instance: u32) {
        let result = rule.result.as_ref().and_then(|expr| self.value(expr, instance, &rule.name));
        let started = rule.start.as_ref().map(|start| {
            let with: Vec<(u16, Dynamic)> = start
                .with
                .iter()
                .filter_map(|(variable, expr)| Some((*variable, self.value(expr, instance, &rule.name)?)))
                .collect();
            (start.activity, start.mode, with)
        });
        let life = self.state.life;
        if rule.finish {
            self.finish(instance, result, started.is_none());
        }
        if let Some((activity, mode, with)) = started
            && self.state.life == life
        {
            self.start(activity, mode, with);
        }
    }

    pub(in crate::device::virtual_device) fn start(
        &mut self,
        activity: ActivityIx,
        mode: StartMode,
        with: Vec<(u16, Dynamic)>,
    ) {
        let known = match mode {
            StartMode::Standard => None,
            StartMode::SingleTop => {
                let top = self.state.stack.len().checked_sub(1);
                top.filter(|&top| self.state.stack[top].activity == activity)
            }
            StartMode::ClearTop => {
                self.state.stack.iter().rposition(|instance| instance.activity == activity)
            }
        };
        let Some(id) = known.map(|position| self.state.stack[position].id) else {
            self.push_activity(activity, with);
            return;
        };
        // No activity gets an intent while it is resumed, not even from itself.
        let life = self.state.life;
        self.pause_front();
        let Some(position) = self.state.position(id).filter(|_| self.state.life == life) else { return };
        self.state.stack.truncate(position + 1);
        self.came_to_front(Some(Arrival::Intent(with)));
    }

    pub(super) fn push_activity(&mut self, activity: ActivityIx, with: Vec<(u16, Dynamic)>) {
        if self.state.stack.len() >= MAX_STACK {
            self.happened
                .issues
                .push(format!("more than {MAX_STACK} activities are open; the start was refused"));
            return;
        }
        let app = Arc::clone(&self.app);
        let life = self.state.life;
        self.pause_front();
        if self.state.life != life {
            return;
        }
        let id = self.state.next_instance;
        self.state.next_instance += 1;
        let mut instance = Instance::new(&app, id, activity, self.state.landscape);
        for (variable, value) in &with {
            instance.locals[*variable as usize] = value.clone();
        }
        instance.extras = with;
        self.state.stack.push(instance);
        self.changed();
        self.temps.set(Temp::Restored, false);
        self.run(&app.activity(activity).create, id);
        self.resume_front(id);
    }

    pub(in crate::device::virtual_device) fn pause_front(&mut self) {
        let app = Arc::clone(&self.app);
        if let Some(front) = self.state.stack.last_mut().filter(|front| front.resumed) {
            let (id, activity) = (front.id, front.activity);
            front.resumed = false;
            front.keyboard = false;
            front.ticks.clear();
            self.run(&app.activity(activity).pause, id);
        }
    }

    fn resume_front(&mut self, id: u32) {
        let app = Arc::clone(&self.app);
        let now = self.state.now;
        let Some(front) = self.state.stack.last_mut().filter(|front| front.id == id && !front.resumed) else {
            return;
        };
        front.resumed = true;
        let activity = app.activity(front.activity);
        front.ticks = activity.every.iter().map(|(period, _)| now + u64::from(*period)).collect();
        self.run(&activity.resume, id);
    }

    /// The activity below becomes the one in front: restored first if its process died, re-created if the screen was
    /// turned meanwhile.
    pub(in crate::device::virtual_device) fn came_to_front(&mut self, arrival: Option<Arrival>) {
        self.changed();
        let app = Arc::clone(&self.app);
        let Some(front) = self.state.stack.last() else {
            self.state.at_home = true;
            return;
        };
        let activity = app.activity(front.activity);
        let id = if front.stale {
            self.recreate(&activity.restore)
        } else if front.landscape != self.state.landscape && !activity.locked {
            self.recreate(&activity.rotate)
        } else {
            Some(front.id)
        };
        let Some(id) = id else { return };
        match arrival {
            Some(Arrival::Result(result)) => {
                self.temps.set(Temp::Result, result);
                self.run(&activity.result, id);
                self.temps.set(Temp::Result, ());
            }
            Some(Arrival::Intent(with)) => {
                let Some(position) = self.state.position(id) else { return };
                for (variable, value) in with {
                    self.state.stack[position].locals[variable as usize] = value;
                }
                self.run(&activity.new_intent, id);
            }
            None => {}
        }
        self.resume_front(id);
    }

    /// The activity in front is made anew from what it saved. It gets a new id: late effects meant for the old one are gone.
    /// The new id, unless the app failed on the way.
    pub(in crate::device::virtual_device) fn recreate(&mut self, first: &RuleList) -> Option<u32> {
        let app = Arc::clone(&self.app);
        let id = self.state.next_instance;
        let landscape = self.state.landscape;
        let front = self.state.stack.last_mut()?;
        self.state.next_instance += 1;
        front.forget(&app);
        front.id = id;
        front.landscape = landscape;
        front.stale = false;
        let activity = front.activity;
        self.changed();
        self.temps.set(Temp::Restored, true);
        self.run(first, id);
        if self.state.position(id).is_some() {
            self.run(&app.activity(activity).create, id);
        }
        self.temps.set(Temp::Restored, false);
        self.state.position(id).map(|_| id)
    }

    /// Closes an activity. The one below comes to the front, unless another is about to be started.
    pub(in crate::device::virtual_device) fn finish(
        &mut self,
        instance: u32,
        result: Option<Dynamic>,
        resume: bool,
    ) {
        let Some(position) = self.state.position(instance) else { return };
        let was_front = position + 1 == self.state.stack.len();
        let life = self.state.life;
        if was_front {
            self.pause_front();
        }
        if self.state.life != life {
            return;
        }
        let Some(position) = self.state.position(instance) else { return };
        self.state.stack.remove(position);
        self.state.pending.retain(|pending| pending.instance != instance);
        self.changed();
        if was_front && resume {
            self.came_to_front(result.map(Arrival::Result));
        }
    }
}
