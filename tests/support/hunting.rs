//! Exploring an app and shrinking what is found, as `siamang explore` does it.

use std::sync::Arc;

use siamang::campaign::Control;
use siamang::campaign::hunt::{Hunt, When};
use siamang::campaign::shrinking::{ShrinkConfig, Shrunk};
use siamang::device::virtual_device::app::App;
use siamang::device::{AnyDevice, Device, VirtualDevice};
use siamang::explore::{Budget, ExploreConfig, Explorer};
use siamang::report::Silent;
use siamang::seed::Seed;
use siamang::shrink::registry::{DEFAULT, find};
use siamang::target::Target;
use siamang::trace::RunFolder;
use siamang::trace::event_tree::Label;
use siamang::trace::key_events::ChardConfig;
use siamang::trace::run_folder::{Recorder, RunInfo};

/// An app by its target; a model's path starts at the project's folder.
pub fn app(target: &str) -> Arc<App> {
    let path = format!("{}/{target}", env!("CARGO_MANIFEST_DIR"));
    let target = if target.starts_with("generated:") { target } else { &path };
    Target::parse(target).expect("the model is there").load().expect("the model loads")
}

/// Everything that `siamang explore TARGET --seed SEED --steps STEPS` finds and shrinks.
pub fn hunt(app: &Arc<App>, seed: u64, steps: u64) -> Vec<Shrunk> {
    let seed = Seed(seed);
    let device = AnyDevice::Virtual(Box::new(VirtualDevice::new(Arc::clone(app), seed.named("device"))));
    let config = ExploreConfig { budget: Budget { steps }, ..ExploreConfig::default() };
    let explorer = Explorer::new(config, device.capabilities().clone(), seed.named("explore"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = RunFolder::create_at(&folder.path().join("run")).expect("a new folder");
    let info = RunInfo::new(app.package.as_str(), device.capabilities().kind, seed.0);
    let mut recorder = Recorder::start(run, info).expect("the folder can be written");
    let make_device = |number| {
        let seed = seed.named("shrink").nth(number);
        AnyDevice::Virtual(Box::new(VirtualDevice::new(Arc::clone(app), seed)))
    };
    let algorithm = find(DEFAULT).expect("the default is there");
    let shrink = ShrinkConfig {
        algorithm,
        label: Label::default(),
        jobs: 1,
        max_runs: 5_000,
        pictures: false,
        whole: false,
        rules_first: false,
        nd3min: None,
        chard: ChardConfig::default(),
    };
    let control = Control::new(None);
    let hunt = Hunt { make_device: &make_device, shrink, when: When::During, control: &control };
    hunt.run(vec![device], explorer, &mut recorder, &mut Silent).expect("the hunt ends").shrunk
}
