//! Tiny random apps: a few activities with guards, dialogs, timers, chance and the three lifetimes of data.

use std::fmt::Write as _;

use rand::RngExt;
use siamang::seed::{Rng, Seed};

use super::gadgets::{GADGETS, Gadget};

/// Late and periodic rules of one model at the most.
const MAX_LATE: usize = 3;

/// The app model that belongs to a number, as TOML.
pub fn random_model(number: u64) -> String {
    let mut rng = Seed(number).named("random model").rng();
    let activities = rng.random_range(2..=4);
    // Time multiplies states: two models in three have none of it.
    let late = if number.is_multiple_of(3) { 0 } else { MAX_LATE };
    let mut writer = Writer { rng, activities, text: String::new(), failures: 2, late, gadgets: Vec::new() };
    writer.gadgets = (0..writer.failures)
        .map(|_| {
            let home = writer.rng.random_range(0..activities);
            (home, &GADGETS[writer.rng.random_range(0..GADGETS.len())])
        })
        .collect();
    writer.app();
    writer.text
}

struct Writer {
    rng: Rng,
    activities: usize,
    text: String,
    failures: usize,
    late: usize,
    /// For each failure its gadget, and the activity that leads there.
    gadgets: Vec<(usize, &'static Gadget)>,
}

impl Writer {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.rng.random_range(0..from.len())]
    }

    fn app(&mut self) {
        self.text.push_str(
            "name = \"Random\"\npackage = \"org.siamang.random\"\nstart = \"A0\"\n\
             [data.disk]\ncount = 0\nseen = false\n[data.process]\nwarm = false\nlevel = 0\nitems = [1, 2]\n",
        );
        for (ix, (_, gadget)) in self.gadgets.iter().enumerate() {
            let _ = writeln!(self.text, "v{ix} = {}", gadget.first);
        }
        for number in 0..self.activities {
            self.activity(number);
        }
        for ix in 0..self.failures {
            self.gadget(ix);
        }
        for failure in 0..self.failures {
            let _ = write!(
                self.text,
                "[failure.f{failure}]\nexception = \"java.lang.Error\"\nstack = [\"A.f{failure}:1\"]\n"
            );
        }
    }

    fn activity(&mut self, number: usize) {
        let _ = write!(
            self.text,
            "[[activity]]\nname = \"A{number}\"\ntitle = \"Page {{level}}\"\ndata = {{ tick = 0, name = \"\", box = false }}\n\
             saved = {{ kept = 0 }}\n"
        );
        for hook in ["create", "resume", "rotate", "restore", "pause", "back", "result"] {
            if self.chance(14) {
                let rules = self.rules(number, 1, hook != "back" && hook != "result");
                let _ = writeln!(self.text, "{hook} = {rules}");
            }
        }
        if self.chance(12) && self.late < MAX_LATE {
            self.late += 1;
            let rule = self.rule(number, 1, true);
            let ms = self.pick(&["400", "1000"]);
            let _ = writeln!(self.text, "every = [{{ ms = {ms}, run = {rule} }}]");
        }
        if self.chance(40) {
            let yes = self.rules(number, 1, false);
            let cancel = self.rules(number, 1, false);
            let _ = writeln!(
                self.text,
                "dialog = [{{ name = \"ask\", text = \"Sure?\", buttons = [{{ text = \"Yes\", tap = {yes} }}, {{ text = \"No\" }}], \
                 cancel = {cancel} }}]"
            );
        } else {
            self.text.push_str(
                "dialog = [{ name = \"ask\", text = \"{count}\", buttons = [{ text = \"OK\" }] }]\n",
            );
        }
        let mut widgets = Vec::new();
        // A way on, and in some activity each failure behind two guards: else most models would be shallow.
        let next = (number + 1) % self.activities;
        widgets.push(format!(
            "{{ type = \"button\", text = \"On\", tap = {{ if = '{}', start = \"A{next}\", mode = \"clear_top\" }} }}",
            if self.chance(50) { self.guard() } else { "true" }
        ));
        for (ix, (home, _)) in self.gadgets.clone().into_iter().enumerate() {
            if home == number {
                widgets.push(format!(
                    "{{ type = \"button\", text = \"G{ix}\", tap = {{ start = \"G{ix}\" }} }}"
                ));
            }
        }
        for button in 0..self.rng.random_range(1..=2) {
            let tap = self.rules(number, 2, false);
            let guard = if self.chance(25) { self.guard() } else { "true" };
            let shown = if self.chance(20) { self.guard() } else { "true" };
            widgets.push(format!(
                "{{ type = \"button\", id = \"b{button}\", text = \"B{button}\", enabled = '{guard}', visible = '{shown}', \
                 tap = {tap} }}"
            ));
        }
        if self.chance(25) {
            let change = self.rules(number, 1, false);
            widgets
                .push(format!("{{ type = \"check\", text = \"Box\", bind = \"box\", change = {change} }}"));
        }
        if self.chance(20) {
            let submit = self.rules(number, 1, false);
            widgets.push(format!("{{ type = \"field\", bind = \"name\", submit = {submit} }}"));
        }
        if self.chance(15) {
            let tap = self.rules(number, 1, false);
            widgets.push(format!(
                "{{ type = \"list\", rows = \"items\", widget = [{{ type = \"label\", text = \"{{row}}\" }}], tap = {tap} }}"
            ));
        }
        let _ = writeln!(self.text, "widget = [{}]", widgets.join(", "));
    }

    fn gadget(&mut self, ix: usize) {
        let gadget = self.gadgets[ix].1;
        let make = format!("{{ type = 'button', text = 'Make', tap = {{ do = '''{}''' }} }}, ", gadget.make);
        for (name, body) in [("G", gadget.screen), ("H", gadget.helper)] {
            let body = body.replace("MAKE", &make).replace("'F'", &format!("'f{ix}'"));
            let body = body.replace("HELP", &format!("H{ix}")).replace('V', &format!("v{ix}"));
            let _ = writeln!(self.text, "[[activity]]\n# {}\nname = \"{name}{ix}\"\n{body}", gadget.name);
        }
    }

    fn guard(&mut self) -> &'static str {
        self.pick(&[
            "seen",
            "!seen",
            "warm",
            "!warm",
            "count >= 1",
            "count == 2",
            "level > 0",
            "level < 1 && !seen",
            "box",
            "!box",
            "kept == 1",
            "kept > 0 || warm",
            "tick >= 1",
            "name == \"zed\"",
            "name.len() > 4",
            "name != \"\" && seen",
            "items.len() > 2",
            "landscape",
            "restored",
        ])
    }

    fn script(&mut self) -> &'static str {
        self.pick(&[
            "seen = true",
            "seen = !seen",
            "warm = true",
            "warm = false; seen = false",
            "count = (count + 1) % 3",
            "if count < 2 { count += 1 }",
            "count = 0",
            "level = 1 - level",
            "level = kept",
            "kept = 1",
            "kept = count",
            "tick = 1",
            "box = true",
            "name = \"\"",
            "if items.len() < 4 { items.push(count) }",
            "items = [1]",
            "items[3] = 2",
        ])
    }

    fn rules(&mut self, activity: usize, depth: u32, quiet: bool) -> String {
        let count = self.rng.random_range(1..=2);
        let rules: Vec<String> = (0..count).map(|_| self.rule(activity, depth, quiet)).collect();
        format!("[{}]", rules.join(", "))
    }

    /// A rule that runs by itself must not open anything, else there would be no end of it.
    fn rule(&mut self, activity: usize, depth: u32, quiet: bool) -> String {
        let mut parts = Vec::new();
        if self.chance(55) {
            parts.push(format!("if = '{}'", self.guard()));
        }
        if self.chance(8) {
            parts.push(format!("chance = {}", self.pick(&["0.5", "0.25", "1.0"])));
        }
        if self.chance(10) && self.late < MAX_LATE {
            self.late += 1;
            parts.push(format!("after = {}", self.pick(&["20", "250", "450", "1500"])));
        }
        if self.chance(50) {
            parts.push(format!("do = '{}'", self.script()));
        }
        match self.rng.random_range(0..100) {
            0..28 if !quiet => {
                let target = self.rng.random_range(0..self.activities);
                let mode = self.pick(&["standard", "single_top", "clear_top", "clear_top"]);
                parts.push(format!("start = \"A{target}\", mode = \"{mode}\""));
                if self.chance(30) {
                    parts.push(format!("with = {{ kept = \"{}\" }}", self.pick(&["count", "1", "kept"])));
                }
            }
            28..40 if !quiet => parts.push("dialog = \"ask\"".to_owned()),
            40..48 if !quiet => parts.push("finish = true".to_owned()),
            48..52 if !quiet => parts.push(format!("result = \"{}\"", self.pick(&["count", "1"]))),
            52..57 => parts.push(format!("fail = \"f{}\"", self.rng.random_range(0..self.failures))),
            57..78 if depth > 0 => {
                let then = self.rules(activity, depth - 1, quiet);
                parts.push(format!("then = {then}"));
            }
            78..84 => parts.push("toast = \"{count}\"".to_owned()),
            _ => {}
        }
        format!("{{ {} }}", parts.join(", "))
    }
}
