//! What the way to a phone costs: `cargo bench --bench phones`. A real adb server, virtual phones, the scripted agent; times
//! are wall-clock times, of all of these together.
//!
//! `cargo bench --bench phones -- serve models/notes.toml 2`: two virtual phones with that app behind an adb server, for
//! trying every command by hand without a phone. They stay until standard input ends.

#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;
#[path = "../support/phones/mod.rs"]
mod phones;

use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use measure::{Measured, cpu};
use phones::adb_server::AdbServer;
use phones::adbd::Phone;
use phones::agent::Fault;
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
use siamang::device::{AnyDevice, Device, Reset};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, Point, TreeBuilder, Widget};
use siamang::seed::Seed;
use siamang::target::Target;
use tempfile::TempDir;

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [word, model, rest @ ..] = &asked[..]
        && word == "serve"
    {
        let count = rest.first().and_then(|count| count.parse().ok()).unwrap_or(1);
        return serve(model, count);
    }
    let mut results = tree();
    results.extend(java());
    results.extend(jar());
    results.extend(phones());
    let mut out = std::io::stdout().lock();
    for result in &results {
        let _ = writeln!(out, "{result}");
    }
    let missed = results.iter().filter(|result| !result.holds()).count();
    let _ = writeln!(out, "{} of {} targets hold", results.len() - missed, results.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Virtual phones to try things on, until standard input ends.
fn serve(model: &str, count: u64) -> ExitCode {
    let app = match Target::parse(model).map_err(|error| error.to_string()) {
        Ok(target) => target.load().map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    let (Ok(app), Some(server)) = (app, AdbServer::start()) else {
        left_out("virtual phones", "they need a model and adb");
        return ExitCode::FAILURE;
    };
    let phones: Vec<Arc<Phone>> = (1..=count).map(|seed| Phone::start(&app, Seed(seed))).collect();
    for phone in &phones {
        server.connect(&phone.serial(), "device");
    }
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{} on {count} virtual phones; use --adb-server {}", app.package, server.address());
    for phone in &phones {
        let _ = writeln!(out, "--device {}", phone.serial());
    }
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    ExitCode::SUCCESS
}

/// What is left out is said, and no number takes its place.
fn left_out(what: &str, why: &str) {
    let _ = writeln!(std::io::stdout(), "{what}: left out, {why}");
}

/// The real encoder of the agent, on a JVM. `scripts/bench phones` compiles it.
fn java() -> Vec<Measured> {
    let classes = concat!(env!("CARGO_MANIFEST_DIR"), "/target/agent/bench");
    let run = Command::new("java").args(["-cp", classes, "siamang.agent.core.EncodeBench"]).output();
    let said = run.ok().filter(|run| run.status.success());
    let said = said.map(|run| String::from_utf8_lossy(&run.stdout).into_owned()).unwrap_or_default();
    // "200 nodes, 9053 bytes; first 5211 us, rounds 1 to 20 at most 998 us, median 46 us, p99 120 us"
    let number = |after: &str| -> Option<f64> {
        said.split_once(after)?.1.split_whitespace().next()?.trim_end_matches(',').parse().ok()
    };
    let (Some(bytes), Some(median), Some(p99)) = (number("nodes, "), number("median "), number("p99 "))
    else {
        left_out("encoding in Java", "run it with `scripts/bench phones` and a JDK");
        return Vec::new();
    };
    vec![
        Measured::at_most("a tree of 200 nodes, encoded by the agent", "bytes", 12_000.0, bytes),
        Measured::at_most("  in Java on a JVM, median of 2,000", "us CPU", 1_000.0, median),
        Measured::at_most("  in Java on a JVM, 99 of 100", "us CPU", 1_000.0, p99),
    ]
}

fn jar() -> Vec<Measured> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/agent/siamang-agent.jar");
    let Ok(file) = std::fs::metadata(path) else {
        left_out("the agent's jar", "scripts/build-agent makes it");
        return Vec::new();
    };
    vec![Measured::at_most("the agent's jar", "bytes", 150_000.0, file.len() as f64)]
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
    const BATCHES: u32 = 20;
    const TIMES: u32 = 100;
    let tree = screen();
    let wire = wire_tree(&tree, 1, 0, 0);
    let (bytes, hash) = (wire.encode(), wire.hash());
    let mut pool = WidgetPool::default();
    // The quickest batch: what else the machine does at the time slows a processor's caches, not the decoder.
    let mut each = f64::INFINITY;
    for _ in 0..BATCHES {
        let before = cpu();
        for _ in 0..TIMES {
            assert!(Sight::read(&bytes, hash, &mut pool).is_ok());
        }
        each = each.min((cpu() - before) * 1e6 / f64::from(TIMES));
    }
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
    let (median, mean) = bench.step_ms(1_000);
    let settle = Duration::from_millis(20);
    let one = bench.steps_per_second(1, settle, 150);
    let many = bench.steps_per_second(PHONES, settle, 150);
    vec![
        Measured::at_most("a step through adb and agent, phone at once: median", "ms", 3.0, median),
        Measured::at_most("  mean", "ms", 3.0, mean),
        Measured::at_least("16 phones at 20 ms settle, against one", "times the steps", 12.0, many / one),
        Measured::at_most("a step whose connection is cut, slowest of 40", "ms", 2_000.0, bench.reconnect()),
    ]
}

struct Bench {
    server: AdbServer,
    app: Arc<App>,
    state: TempDir,
}

impl Bench {
    fn device(&self, phone: &Phone) -> AdbDevice {
        self.server.connect(&phone.serial(), "device");
        let jar = Jar { bytes: vec![1].into(), origin: "a bench".into() };
        let package = Package::new(&self.app.package).expect("a package");
        let config = AdbConfig { journals: Journals::at(self.state.path()), ..AdbConfig::new(package, jar) };
        let serial = Serial::new(&phone.serial()).expect("a serial");
        let wire = Server::new(&self.server.address(), Deadlines::default());
        AdbDevice::new(wire, serial, config)
    }

    fn steps_per_second(&self, count: usize, settle: Duration, steps: u32) -> f64 {
        let phones: Vec<Arc<Phone>> =
            (0..count).map(|number| Phone::start(&self.app, Seed(number as u64))).collect();
        let mut devices = Vec::new();
        for phone in &phones {
            phone.manner.lock().expect("a manner").settle = settle;
            devices.push(AnyDevice::Adb(Box::new(self.device(phone))));
        }
        runtime().block_on(drive(Pool::new(devices), count, steps))
    }

    /// What a step takes on a phone that answers at once, in milliseconds: median and mean.
    fn step_ms(&self, steps: usize) -> (f64, f64) {
        let phone = Phone::start(&self.app, Seed(1));
        let mut device = self.device(&phone);
        let runtime = runtime();
        runtime.block_on(device.reset(Reset::Warm)).expect("it starts");
        let mut times = Vec::with_capacity(steps);
        for number in 0..steps {
            let asked = Instant::now();
            runtime.block_on(device.step(&tap(number))).expect("the step is answered");
            times.push(asked.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        (times[steps / 2], times.iter().sum::<f64>() / steps as f64)
    }

    /// The slowest of many steps whose connection is cut before the step or within its answer, in milliseconds. Each must
    /// be done, and once.
    fn reconnect(&self) -> f64 {
        const CUTS: u64 = 40;
        let phone = Phone::start(&self.app, Seed(1));
        let mut device = self.device(&phone);
        let runtime = runtime();
        runtime.block_on(device.reset(Reset::Warm)).expect("it starts");
        let agent = phone.agent().expect("an agent");
        let mut slowest = Duration::ZERO;
        for step in 2..CUTS + 2 {
            let fault = if step % 2 == 0 { Fault::CutMidFrame } else { Fault::CutBefore };
            agent.with(|inner| inner.faults.push_back((step, fault)));
            let asked = Instant::now();
            runtime.block_on(device.step(&tap(step as usize))).expect("the step is answered");
            slowest = slowest.max(asked.elapsed());
        }
        assert_eq!(agent.with(|inner| inner.done.clone()), (1..CUTS + 2).collect::<Vec<_>>());
        slowest.as_secs_f64() * 1e3
    }
}

/// Somewhere else each time.
fn tap(number: usize) -> Event {
    let at = Point { x: 60 + (number as i32 * 97) % 900, y: 200 + (number as i32 * 61) % 1_500 };
    Event::settled(Input::Tap(at))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
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
                pool.give(session, Job::Step(tap(given)));
                given += 1;
            }
        }
        assert!(matches!(pool.next().await, Some(News::Seen(..))));
        seen += 1;
    }
    let rate = all as f64 / began.elapsed().as_secs_f64();
    pool.close(siamang::device::pool::CLOSE).await;
    rate
}
