//! The window tree with its reduced branches: what a picture of it shows, and the picture for Graphviz.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Explanation;
use crate::letters::plain;

/// The window tree as a picture shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The windows.
    pub boxes: Vec<Box>,
    /// The ways between them, each pair of windows once.
    pub arrows: Vec<Arrow>,
}

/// One window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Box {
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: usize,
    /// How many events were made there.
    pub events: usize,
    /// How many of them are key events; without any, the branch is reduced.
    pub key: usize,
    /// The app fails here.
    pub fails: bool,
}

/// The transitions from one window to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The window they come from.
    pub from: usize,
    /// The window they lead to.
    pub to: usize,
    /// The number of the event: a key event if there is one, else the first.
    pub id: String,
    /// How many there are.
    pub times: usize,
    /// A key event is among them; without one, the branch is reduced.
    pub key: bool,
    /// It is the shortest way from the root.
    pub shortest: bool,
}

impl Picture {
    /// The picture of a trace; none where windows were not recorded.
    pub fn of(explanation: &Explanation) -> Option<Self> {
        let tree = explanation.key_events().tree.as_ref()?;
        let key: BTreeSet<usize> = explanation.key().0.into_iter().collect();
        let fails = |event: &usize| explanation.sequence().events[*event].fails;
        let boxes = tree.nodes.iter().zip(&explanation.windows).map(|(node, window)| Box {
            name: window.name.clone(),
            level: node.level,
            events: node.events.len(),
            key: node.events.iter().filter(|event| key.contains(event)).count(),
            fails: node.events.iter().any(fails),
        });
        let mut arrows: BTreeMap<(usize, usize), Arrow> = BTreeMap::new();
        for &transition in &tree.transitions {
            let (from, to) = tree.ends(transition);
            let is_key = key.contains(&transition.source);
            let id = || explanation.lines[transition.source].ids.clone();
            let shortest = tree.nodes[to].way.is_some_and(|(way, _)| way == from);
            let new = || Arrow { from, to, id: id(), times: 0, key: false, shortest };
            let arrow = arrows.entry((from, to)).or_insert_with(new);
            arrow.times += 1;
            if is_key && !arrow.key {
                arrow.key = true;
                arrow.id = id();
            }
        }
        Some(Self { boxes: boxes.collect(), arrows: arrows.into_values().collect() })
    }

    /// The picture in Graphviz's language; what is reduced is grey and dashed.
    pub fn dot(&self) -> String {
        let mut out = String::from("digraph windows {\n  node [shape=box, fontname=\"sans-serif\"];\n");
        for (number, window) in self.boxes.iter().enumerate() {
            let style = match (window.fails, window.key) {
                (true, _) => ", color=red, penwidth=2",
                (false, 0) => ", style=dashed, color=grey, fontcolor=grey",
                (false, _) => "",
            };
            let label = format!("{}\\n{} of {} events", dot_text(&window.name), window.key, window.events);
            let _ = writeln!(out, "  w{number} [label=\"{label}\"{style}];");
        }
        for arrow in &self.arrows {
            let style = if arrow.key { "" } else { ", style=dashed, color=grey, fontcolor=grey" };
            let _ = writeln!(
                out,
                "  w{} -> w{} [label=\"{}\"{style}];",
                arrow.from,
                arrow.to,
                dot_text(&arrow.label())
            );
        }
        out.push_str("}\n");
        out
    }
}

impl Arrow {
    /// `#7`, or `#7 of 3` if it is not the only one.
    pub fn label(&self) -> String {
        if self.times == 1 { format!("#{}", self.id) } else { format!("#{}, {} times", self.id, self.times) }
    }
}

fn dot_text(text: &str) -> String {
    plain(text).replace('\\', "\\\\").replace('"', "\\\"")
}
