//! A run's record is enough to think it again: what a device has told, with the run's seed and settings, gives the same choices,
//! byte for byte.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;

use siamang::device::{Device, Observation, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::gui::tree::Hit;
use siamang::gui::{GuiTree, Selector};
use siamang::ids::{BranchId, SessionId, TreeHash};
use siamang::oracle::{Failure, Signature};
use siamang::seed::Seed;
use siamang::target::Target;
use siamang::trace::{PackReader, RunEvent, Screen, SpineReader, SpineWriter, Touched};

const SESSION: SessionId = SessionId(0);
const NOT_RUNNING: &str = "the app is not running";

/// What a device has told, read back from a run's folder.
struct Recorded {
    events: Vec<RunEvent>,
    trees: PackReader,
    read: BTreeMap<TreeHash, Arc<GuiTree>>,
    failures: BTreeMap<Signature, Failure>,
}

impl Recorded {
    fn open(run: &Path) -> Self {
        let events: Vec<RunEvent> = SpineReader::open(run).unwrap().map(Result::unwrap).collect();
        let first = |event: &RunEvent| match event {
            RunEvent::Failure { signature, failure: Some(failure), .. } => {
                Some((signature.clone(), (**failure).clone()))
            }
            _ => None,
        };
        let failures = events.iter().filter_map(first).collect();
        Self { events, trees: PackReader::open(run).unwrap(), read: BTreeMap::new(), failures }
    }

    fn tree(&mut self, screen: &Screen) -> Arc<GuiTree> {
        let known = self.read.entry(screen.tree);
        let tree = known.or_insert_with(|| Arc::new(self.trees.get(screen.tree).unwrap().unwrap()));
        Arc::clone(tree)
    }

    /// What was seen with a launch or a step: its line's place in the spine.
    fn observation(&mut self, line: usize) -> Observation {
        let (screen, rules, time_ms, hit) = match self.events[line].clone() {
            RunEvent::Reset { screen, rules, time_ms, .. } => (screen, rules, time_ms, None),
            RunEvent::Step(step) => {
                let before = self.tree(&step.before);
                (step.after, step.rules, step.time_ms, step.touched.map(|touched| hit(&before, &touched)))
            }
            other => panic!("{other:?} is nothing that a device has seen"),
        };
        let coverage = rules.clone().map(|mut rules: Vec<BranchId>| {
            rules.sort_unstable();
            rules.dedup();
            rules
        });
        let after = &self.events[line + 1..];
        let is_next = |event: &&RunEvent| matches!(event, RunEvent::Reset { .. } | RunEvent::Step(_));
        let next = after.iter().find(is_next);
        let running = !matches!(next, Some(RunEvent::Reset { reason, .. }) if reason == NOT_RUNNING);
        let failed = |event: &RunEvent| match event {
            RunEvent::Failure { signature, .. } => Some(self.failures[signature].clone()),
            _ => None,
        };
        let failures = after.iter().take_while(|event| !is_next(event)).filter_map(failed).collect();
        let tree = self.tree(&screen);
        let (issues, asked) = (Vec::new(), Vec::new());
        Observation { tree, failures, running, hit, rules, coverage, time_ms, issues, asked }
    }
}

fn hit(before: &GuiTree, touched: &Touched) -> Hit {
    match touched {
        Touched::Nothing => Hit::Nothing,
        Touched::Window(kind) => {
            let place = before.windows().iter().position(|window| window.kind == *kind);
            Hit::Window(place.unwrap() as u32)
        }
        Touched::Widget(selector) => {
            let node = before.indices().find(|&node| Selector::of(before, node) == *selector);
            Hit::Widget(0, node.unwrap())
        }
    }
}

fn thinks_again(model: &str, seed: u64, steps: u64) {
    let folder = tempfile::tempdir().unwrap();
    let (run, again) = (folder.path().join("run"), folder.path().join("again"));
    let output = Process::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["explore", model, "--shrink", "no", "--seed", &seed.to_string()])
        .args(["--steps", &steps.to_string(), "--out", run.to_str().unwrap()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.code() <= Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let mut recorded = Recorded::open(&run);
    let path = format!("{}/{model}", env!("CARGO_MANIFEST_DIR"));
    let app = Target::parse(&path).unwrap().load().unwrap();
    let capabilities = VirtualDevice::new(app, Seed(seed)).capabilities().clone();
    let config = ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() };
    let mut explorer = Explorer::new(config, capabilities, Seed(seed).named("explore"));
    std::fs::create_dir(&again).unwrap();
    let mut spine = SpineWriter::create(&again).unwrap();
    let (mut line, mut thought) = (0, 0);
    let reason = loop {
        if let Command::Stop(reason) = explorer.ask(SESSION) {
            break reason;
        }
        let told = explorer.tell(SESSION, recorded.observation(line));
        assert_eq!(told[..], recorded.events[line..line + told.len()], "after line {line}");
        line += told.len();
        thought += 1;
        for event in &told {
            spine.write(event).unwrap();
        }
    };
    spine.write(&explorer.end(reason.text())).unwrap();
    spine.finish().unwrap();
    assert_eq!(line + 1, recorded.events.len(), "all but the end was thought again");
    assert!(thought > steps, "{thought} launches and steps");
    let spine = |folder: &Path| std::fs::read(folder.join("events.jsonl.zst")).unwrap();
    assert_eq!(spine(&again), spine(&run), "byte for byte");
}

#[test]
fn a_recorded_run_is_thought_again_byte_for_byte() {
    thinks_again("models/notes.toml", 3, 2_500);
    thinks_again("models/login_wall.toml", 4, 1_500);
    thinks_again("models/drive_list.toml", 5, 800);
}
