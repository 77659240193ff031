//! The `*-released` shrinkers ask what SimplyDroid's published code runs.

use std::sync::Arc;

use siamang::shrink::lhdd_released::LhddReleased;
use siamang::shrink::released::{DdReleased, HddReleased, Split};
use siamang::shrink::search::{Answer, Outcome, Search};
use siamang::trace::event_tree::{EventTree, StateLabel};

const LISTS: &str = include_str!("data/released_lists.txt");

struct Case {
    labels: Vec<StateLabel>,
    needed: Vec<u32>,
}

impl Case {
    fn parse(line: &str) -> Self {
        let mut words = line.split(' ');
        let labels =
            words.next().expect("states").bytes().map(|label| StateLabel(u64::from(label))).collect();
        Self { labels, needed: words.map(|word| word.parse().expect("an event")).collect() }
    }

    /// As the stub of the recording: which events matter, and where a run ends.
    fn run(&self, events: &[u32]) -> Outcome {
        let has = |event: &u32| events.contains(event);
        let last = *events.last().expect("an event");
        let astray = self.needed.iter().any(|need| *need <= last && !has(need));
        let end = self.labels.get(last as usize + 1).copied().unwrap_or(StateLabel(0));
        Outcome {
            reproduced: self.needed.iter().all(has),
            ran: events.len(),
            labels: vec![if astray { StateLabel(1) } else { end }; events.len() + 1],
            effects: Vec::new(),
            trees: Vec::new(),
        }
    }

    fn asked(&self, mut search: impl Search) -> Vec<Vec<u32>> {
        let mut asked = Vec::new();
        while let Some(question) = search.question() {
            search.answer(&question, &Answer::Seen(Arc::new(self.run(&question.events))));
            asked.push(question.events);
        }
        asked
    }

    fn asked_by(&self, name: &str) -> Vec<Vec<u32>> {
        let tree = Arc::new(EventTree::new(&self.labels));
        match name {
            "dd-released" => self.asked(DdReleased::new((0..self.labels.len() as u32).collect())),
            "hdd-released" => self.asked(HddReleased::new(tree, Split::Numbers)),
            "bhdd-released" => self.asked(HddReleased::new(tree, Split::Weights)),
            "lhdd-released" => self.asked(LhddReleased::new(tree, self.labels.clone().into())),
            other => panic!("unknown algorithm {other}"),
        }
    }
}

#[test]
fn the_released_shrinkers_ask_the_released_lists_on_20_traces() {
    let mut lines = LISTS.lines().filter(|line| !line.starts_with('#')).peekable();
    let mut case = None;
    let mut checked = 0;
    while let Some(line) = lines.next() {
        if let Some(trace) = line.strip_prefix("trace ") {
            case = Some(Case::parse(trace));
            continue;
        }
        let case = case.as_ref().expect("a trace comes first");
        let mut expected: Vec<Vec<u32>> = Vec::new();
        while let Some(list) = lines.next_if(|line| line.starts_with("  ")) {
            expected.push(list.trim().split(' ').map(|word| word.parse().expect("an event")).collect());
        }
        let mut asked = case.asked_by(line);
        // Where the released code leaves no result, and only there, ours goes on.
        let left_none = line == "lhdd-released" && !expected.iter().any(|events| case.run(events).reproduced);
        if left_none {
            asked.truncate(expected.len());
        }
        assert_eq!(asked, expected, "{line} on trace {}", checked / 4 + 1);
        checked += 1;
    }
    assert_eq!(checked, 80);
}
