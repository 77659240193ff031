//! APE's Figure 5 without a script: default α, β and ranking on a list that the app re-orders.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::RngExt;
use siamang::abstraction::registry::AnyAbstraction;
use siamang::abstraction::{
    Abstraction, Appearance, Decision, EvolveConfig, Evolving, History, NamingId, StateKey,
};
use siamang::action::ActionKind;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::compile;
use siamang::device::{Device, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{GuiTree, NodeIx};
use siamang::ids::SessionId;
use siamang::model::{Acted, Model};
use siamang::seed::Seed;
use siamang::strategy::{SataConfig, StrategyChoice};
use siamang::trace::RunEvent;
use support::toy::list_tree;

const FILES: [&str; 8] = ["XLSX", "PPTX", "DOCX", "PDF", "PNG", "TXT", "CSV", "ZIP"];

/// So many steps are enough for the whole explorer.
const STEPS: u64 = 400;

/// A function that was reverted on a state is never used on it again.
#[derive(Default)]
struct Reverted(BTreeSet<(StateKey, NamingId)>);

impl Reverted {
    fn check(&mut self, decision: &Decision) {
        match decision {
            Decision::Coarsened { state, reverted, .. } => {
                self.0.insert((*state, *reverted));
            }
            Decision::ActionRefined { state, naming, .. } | Decision::StateRefined { state, naming, .. } => {
                assert!(!self.0.contains(&(*state, *naming)), "{decision:?} brings a reverted tree back");
            }
            Decision::NotSeparable { .. } | Decision::NotSplit { .. } => {}
        }
    }
}

#[test]
fn free_running_on_four_to_eight_files_ends_with_rows_named_by_their_text_alone() {
    for files in 4..=8 {
        for seed in 0..100 {
            let mut pool = WidgetPool::default();
            let mut rng = Seed(seed).named("figure five").nth(files as u64).rng();
            let mut rows = FILES[..files].to_vec();
            let abstraction = AnyAbstraction::Evolving(Box::new(Evolving::new(EvolveConfig::default())));
            let mut model = Model::new(abstraction, vec![ActionKind::Back]);
            let mut reverted = Reverted::default();
            let mut list = Arc::new(list_tree(&mut pool, "Drive", &rows));
            let mut decisions = model.arrive(&list).1;
            for _ in 0..12 * files {
                // The file that is opened moves to the top.
                let row = rng.random_range(0..files);
                let file = rows.remove(row);
                rows.insert(0, file);
                let viewer = Arc::new(list_tree(&mut pool, file, &["Share"]));
                decisions.extend(model.arrive(&viewer).1);
                let acted = Acted { node: Some(NodeIx(row as u32 + 1)), kind: ActionKind::Tap };
                decisions.extend(model.record(&list, acted, &viewer));
                let next = Arc::new(list_tree(&mut pool, "Drive", &rows));
                decisions.extend(model.arrive(&next).1);
                let back = Acted { node: None, kind: ActionKind::Back };
                decisions.extend(model.record(&viewer, back, &next));
                list = next;
            }
            for decision in &decisions {
                reverted.check(decision);
            }
            let name = model.abstraction_mut().describe(&list, &[NodeIx(1)]).concat();
            assert!(name.contains("t=") && !name.contains("i="), "{files} files, seed {seed}: {name}");
            let stats = model.stats();
            assert_eq!((stats.ambiguous, stats.nondeterministic), (0, 0), "{files} files, seed {seed}");
            assert_eq!(stats.states, 1 + files, "{files} files, seed {seed}");
        }
    }
}

/// `drive_list` with another number of files.
fn drive(files: usize) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/drive_list.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let (start, rest) = text.split_once("files = [").unwrap();
    let (_, rest) = rest.split_once("\n]\n").unwrap();
    let file = |name: &&str| format!("  {{ name = \"{name}\", note = \"A file\" }},\n");
    let list: String = FILES[..files].iter().map(file).collect();
    // Lower rows, so that all files are on the screen: a list that scrolls shows another set of files at each place.
    format!("{start}files = [\n{list}]\n{rest}").replace("row_height = 200", "row_height = 150")
}

/// What is left to be wished for after a free run of the whole explorer.
fn explored(app: &Arc<App>, seed: Seed, steps: u64) -> Result<(), String> {
    // Without rotation: a turned phone shows only some of the rows.
    let strategy = StrategyChoice::Sata(SataConfig { fuzz_permille: 0, ..SataConfig::default() });
    let config = ExploreConfig {
        budget: Budget { steps },
        strategy,
        phone_actions: Vec::new(),
        ..ExploreConfig::default()
    };
    let mut device = VirtualDevice::new(Arc::clone(app), seed.named("device"));
    let mut explorer = Explorer::new(config, device.capabilities().clone(), seed.named("explore"));
    let mut history = History::new(&EvolveConfig::default());
    let mut reverted = Reverted::default();
    let mut list: Option<Arc<GuiTree>> = None;
    loop {
        let observed = match explorer.ask(SessionId(0)) {
            Command::Stop(_) => break,
            Command::Reset(to, _) => device.do_reset(to),
            Command::Step { event, .. } => device.do_step(&event),
        };
        if observed.tree.activity().ends_with("DriveActivity") && observed.tree.windows().len() == 1 {
            list = Some(Arc::clone(&observed.tree));
        }
        for event in explorer.tell(SessionId(0), observed) {
            if let RunEvent::Decision { decision, .. } = event {
                reverted.check(&decision);
                history.add(*decision).unwrap();
            }
        }
    }
    let list = list.unwrap();
    let naming = history.levels(&list).last().unwrap().naming;
    let is_row = |&ix: &NodeIx| {
        let above = list.node(ix).parent.map(|parent| list.widget(parent));
        above.is_some_and(|above| above.resource_id.ends_with("files")) && list.widget(ix).is_actionable()
    };
    let row = list.indices().find(is_row).expect("a row");
    let appearance = Appearance { borrowed: true, ..Appearance::default() };
    let name = history.naming(naming).unwrap().path(&list, row, appearance);
    let element = name.0.last().unwrap();
    if element.text.is_none() || element.index.is_some() {
        return Err(format!("the rows are named {name}"));
    }
    match explorer.model().stats().ambiguous {
        0 => Ok(()),
        ambiguous => Err(format!("{ambiguous} actions are ambiguous")),
    }
}

#[test]
fn the_whole_explorer_ends_with_rows_named_by_their_text_alone() {
    const SEEDS: u64 = 100;
    let failed: Vec<String> = std::thread::scope(|scope| {
        let of_files = |files: usize| {
            scope.spawn(move || {
                let app = Arc::new(compile::load(&drive(files)).unwrap());
                let told = |seed| explored(&app, Seed(seed).nth(files as u64), STEPS).err();
                let told = (0..SEEDS)
                    .filter_map(|seed| Some(format!("{files} files, seed {seed}: {}", told(seed)?)));
                told.collect::<Vec<String>>()
            })
        };
        let threads: Vec<_> = (4..=8).map(of_files).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{failed:#?}");
}
