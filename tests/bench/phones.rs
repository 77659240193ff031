//! What the way to a phone costs: `cargo bench --bench phones`. A real adb server, virtual phones, the scripted agent; times
//! are wall-clock times, of all of these together.

#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;
#[path = "../support/phones/mod.rs"]
mod phones;

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use measure::{Measured, cpu};
use phones::adb_server::AdbServer;
use phones::adbd::Phone;
use phones::wire_tree::wire_tree;
use siamang::action::{Event, Input};
use siamang::device::adb::jar::Jar;
use siamang::device::adb::journal::Journals;
use siamang::device::adb::names::{Package, Serial};
use siamang::device::adb::wire::{Deadlines, Server};
use siamang::device::adb::{AdbConfig, AdbDevice};
use siamang::device::agent::Sight;
use siamang::device::pool::{Job, News, Pool};
use siamang::device::virtual_device::app::App;
use siamang::device::{AnyDevice, Reset};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, Point, TreeBuilder, Widget};
use siamang::seed::Seed;
use siamang::target::Target;
use tempfile::TempDir;

fn main() {
    let mut results = tree();
    results.extend(phones());
    let mut out = std::io::stdout().lock();
    for result in &results {
        let _ = writeln!(out, "{result}");
    }
}

/// A screen of 200 widgets with texts and ids, as apps have.
fn screen() -> GuiTree {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "org.example.notes.MainActivity");
    let widget = |class: &str, number: i32| Widget {
        class: format!("android.widget.{class}").into(),
        package: "org.example.notes".into(),
        resource_id: format!("org.example.notes:id/part_{}", number % 12).into(),
        text: format!("Row {number} with a text").into(),
        bounds: Bounds::new(0, number * 9, 1080, number * 9 + 90),
        flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE,
        actions: ActionSet::TAP,
        drawing_order: number % 4,
        ..Widget::default()
    };
    builder.open(widget("FrameLayout", 0));
    for row in 0..66 {
        builder.open(widget("LinearLayout", row));
        builder.leaf(widget("TextView", row));
        builder.leaf(widget("Button", 1_000 + row));
        builder.close();
    }
    builder.leaf(widget("TextView", 2_000));
    builder.finish()
}

fn tree() -> Vec<Measured> {
    const TIMES: u32 = 2_000;
    let tree = screen();
    let wire = wire_tree(&tree, 1, 0, 0);
    let (bytes, hash) = (wire.encode(), wire.hash());
    let mut pool = WidgetPool::default();
    let before = cpu();
    for _ in 0..TIMES {
        assert!(Sight::read(&bytes, hash, &mut pool).is_ok());
    }
    let each = (cpu() - before) * 1e6 / f64::from(TIMES);
    let nodes = tree.nodes().len();
    vec![
        Measured::at_most(
            format!("a tree of {nodes} nodes on the wire"),
            "bytes",
            12_000.0,
            bytes.len() as f64,
        ),
        Measured::at_most(format!("a tree of {nodes} nodes decoded"), "us CPU", 100.0, each),
    ]
}

fn phones() -> Vec<Measured> {
    const PHONES: usize = 16;
    let Some(server) = AdbServer::start() else { return Vec::new() };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/notes.toml");
    let app = Target::parse(path).ok().and_then(|target| target.load().ok()).expect("the model loads");
    let state = tempfile::tempdir().expect("a folder");
    let bench = Bench { server, app, state };
    let at_once = bench.steps_per_second(1, Duration::ZERO, 1_000);
    let settle = Duration::from_millis(20);
    let one = bench.steps_per_second(1, settle, 150);
    let many = bench.steps_per_second(PHONES, settle, 150);
    vec![
        Measured::at_most("a step through adb and agent, phone at once", "ms", 3.0, 1_000.0 / at_once),
        Measured::at_least("16 phones at 20 ms settle, against one", "times the steps", 12.0, many / one),
    ]
}

struct Bench {
    server: AdbServer,
    app: Arc<App>,
    state: TempDir,
}

impl Bench {
    fn steps_per_second(&self, count: usize, settle: Duration, steps: u32) -> f64 {
        let phones: Vec<Arc<Phone>> =
            (0..count).map(|number| Phone::start(&self.app, Seed(number as u64))).collect();
        let mut devices = Vec::new();
        for phone in &phones {
            phone.manner.lock().expect("a manner").settle = settle;
            self.server.connect(&phone.serial(), "device");
            let jar = Jar { bytes: vec![1].into(), origin: "a bench".into() };
            let package = Package::new(&self.app.package).expect("a package");
            let config =
                AdbConfig { journals: Journals::at(self.state.path()), ..AdbConfig::new(package, jar) };
            let serial = Serial::new(&phone.serial()).expect("a serial");
            let wire = Server::new(&self.server.address(), Deadlines::default());
            devices.push(AnyDevice::Adb(Box::new(AdbDevice::new(wire, serial, config))));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(drive(Pool::new(devices), count, steps))
    }
}

async fn drive(mut pool: Pool, count: usize, steps: u32) -> f64 {
    for session in pool.idle() {
        pool.give(session, Job::Reset(Reset::Warm));
    }
    for _ in 0..count {
        assert!(matches!(pool.next().await, Some(News::Seen(..))));
    }
    let began = Instant::now();
    let all = steps as usize * count;
    let (mut given, mut seen) = (0, 0);
    while seen < all {
        for session in pool.idle() {
            if given < all {
                let at = Point { x: 60 + (given as i32 * 97) % 900, y: 200 + (given as i32 * 61) % 1_500 };
                pool.give(session, Job::Step(Event::settled(Input::Tap(at))));
                given += 1;
            }
        }
        assert!(matches!(pool.next().await, Some(News::Seen(..))));
        seen += 1;
    }
    let rate = all as f64 / began.elapsed().as_secs_f64();
    pool.close().await;
    rate
}
