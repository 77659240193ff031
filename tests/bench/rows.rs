//! The rows of the benchmark, in the order of the issues that ask for them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use siamang::device::virtual_device::app::App;
use siamang::device::{Device, Observation, VirtualDevice};
use siamang::explore::{Budget, Command, ExploreConfig, Explorer};
use siamang::ids::SessionId;
use siamang::seed::Seed;
use siamang::strategy::StrategyChoice;
use siamang::target::Target;
use siamang::trace::foreign::{self, Foreign, ForeignError};
use siamang::trace::ineffective::Rules;
use siamang::trace::key_events::{KeyEvents, Similarity};
use siamang::trace::run_folder::{Recorder, RunInfo};
use siamang::trace::user_event::UserSequence;
use siamang::trace::{RunEvent, RunFolder, Touched, Trace, TraceEvent};

use crate::measure::{Measured, cpu, peak_mb};

type Row = fn() -> Vec<Measured>;

/// All rows by name.
pub const ALL: &[(&str, Row)] = &[
    ("million", million_steps),
    ("large", large),
    ("device", device_alone),
    ("loop", whole_loop),
    ("xml", xml),
    ("parse", parse),
    ("rules", rules),
    ("think", think),
];

const SESSION: SessionId = SessionId(0);

fn app(target: &str) -> Arc<App> {
    let path = format!("{}/{target}", env!("CARGO_MANIFEST_DIR"));
    let target = if target.starts_with("generated:") { target } else { &path };
    Target::parse(target).expect("the model is there").load().expect("the model loads")
}

fn device(app: &Arc<App>) -> VirtualDevice {
    VirtualDevice::new(Arc::clone(app), Seed(1).named("device"))
}

fn explorer(device: &VirtualDevice, strategy: &str, steps: u64) -> Explorer {
    let strategy = StrategyChoice::named(strategy).expect("a strategy");
    let config = ExploreConfig { budget: Budget { steps }, strategy, ..ExploreConfig::default() };
    Explorer::new(config, device.capabilities().clone(), Seed(1).named("explore"))
}

fn answer(device: &mut VirtualDevice, command: &Command) -> Option<Observation> {
    match command {
        Command::Reset(to, _) => Some(device.do_reset(*to)),
        Command::Step { event, .. } => Some(device.do_step(event)),
        Command::Stop(_) => None,
    }
}

/// The virtual device alone, on the recorded stream of `random --seed 1` on `notes`.
fn device_alone() -> Vec<Measured> {
    const STEPS: u64 = 50_000;
    let app = app("models/notes.toml");
    let mut recording = device(&app);
    let mut explorer = explorer(&recording, "random", STEPS);
    let mut stream = Vec::new();
    let (mut changes, mut nodes, mut last) = (0_u64, 0_u64, None);
    loop {
        let command = explorer.ask(SESSION);
        let Some(seen) = answer(&mut recording, &command) else { break };
        nodes += seen.tree.nodes().len() as u64;
        changes += u64::from(last.replace(seen.tree.hash()) != Some(seen.tree.hash()));
        stream.push(command);
        explorer.tell(SESSION, seen);
    }
    let mut fresh = device(&app);
    let start = cpu();
    for command in &stream {
        std::hint::black_box(answer(&mut fresh, command));
    }
    let rate = stream.len() as f64 / (cpu() - start);
    let count = stream.len() as f64;
    vec![
        Measured::at_least("virtual device alone, notes, random --seed 1", "events/CPU-s", 30_000.0, rate),
        Measured::at_least("  events that change the tree", "share", 0.6, changes as f64 / count),
        Measured::at_least("  nodes a screen on average", "nodes", 40.0, nodes as f64 / count),
    ]
}

/// Steps with the log, as `siamang explore --shrink no` makes them; CPU time at every tenth.
fn recorded(app: &Arc<App>, strategy: &str, steps: u64, folder: &Path) -> Vec<f64> {
    let mut device = device(app);
    let mut explorer = explorer(&device, strategy, steps);
    let info = RunInfo::new(app.package.as_str(), "virtual", 1);
    let folder = RunFolder::create_at(folder).expect("a new folder");
    let mut recorder = Recorder::start(folder, info).expect("the folder can be written");
    let mut marks = vec![cpu()];
    let mut made = 0;
    loop {
        let command = explorer.ask(SESSION);
        let Some(seen) = answer(&mut device, &command) else { break };
        recorder.tree(&seen.tree);
        for event in explorer.tell(SESSION, seen) {
            recorder.record(&event);
        }
        made += u64::from(matches!(command, Command::Step { .. }));
        if made / (steps / 10) >= marks.len() as u64 {
            marks.push(cpu());
        }
    }
    recorder.finish().expect("the run is recorded");
    marks
}

fn whole_loop() -> Vec<Measured> {
    const STEPS: u64 = 50_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let app = app("models/notes.toml");
    ["random", "sata"]
        .into_iter()
        .map(|strategy| {
            let marks = recorded(&app, strategy, STEPS, &folder.path().join(strategy));
            let spent = marks.last().expect("marks") - marks[0];
            let name = format!("whole loop with log, notes, {strategy}");
            Measured::at_least(name, "steps/CPU-s", 10_000.0, STEPS as f64 / spent)
        })
        .collect()
}

fn million_steps() -> Vec<Measured> {
    const STEPS: u64 = 1_000_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run");
    let marks = recorded(&app("models/notes.toml"), "random", STEPS, &run);
    let tenth = |number: usize| marks[number] - marks[number - 1];
    let files: Vec<u64> = std::fs::read_dir(&run)
        .expect("the run folder")
        .filter_map(|entry| entry.ok()?.metadata().ok())
        .map(|metadata| metadata.len())
        .collect();
    let bytes: u64 = files.iter().sum();
    vec![
        Measured::at_most("1,000,000 steps on notes: peak resident memory", "MB", 150.0, peak_mb()),
        Measured::at_most("  CPU of the last tenth / the second tenth", "ratio", 1.15, tenth(10) / tenth(2)),
        Measured::at_most("  run folder", "bytes/step", 150.0, bytes as f64 / STEPS as f64),
        Measured::at_most(
            "  files in the run folder, all failures shrunk",
            "files",
            20.0,
            files_with_failures(),
        ),
    ]
}

/// The files that `explore` itself leaves, with a folder for each failure.
fn files_with_failures() -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_siamang"))
        .args(["explore", "models/notes.toml", "--steps", "100000", "--shrink", "after", "--out"])
        .arg(&run)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(std::process::Stdio::null())
        .status()
        .expect("siamang runs");
    assert_eq!(status.code(), Some(1), "failures were found");
    count_files(&run) as f64
}

fn count_files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    entries.map(|entry| if entry.path().is_dir() { count_files(&entry.path()) } else { 1 }).sum()
}

fn xml() -> Vec<Measured> {
    const TIMES: u32 = 200;
    let dump = crate::dumps::dump_of_size(120_000);
    let start = cpu();
    for _ in 0..TIMES {
        std::hint::black_box(siamang::gui::xml::read(std::hint::black_box(dump.as_bytes())));
    }
    let each = (cpu() - start) * 1_000.0 / f64::from(TIMES);
    vec![Measured::at_most("a 120 kB uiautomator dump", "ms", 1.0, each)]
}

/// Foreign traces of 10,000 lines.
fn parse() -> Vec<Measured> {
    const LINES: usize = 10_000;
    const TIMES: u32 = 20;
    let mut script = String::from("start data >>\nLaunchActivity(a.b, a.b.One)\n");
    let mut output = String::from(":Switch: #Intent;component=a.b/.One;end\nSleeping for 300 milliseconds\n");
    let mut ape = String::new();
    for number in 0..LINES {
        script.push_str("Tap(116.0, 160.5, 0)\n");
        output.push_str(
            [
                ":Sending Touch (ACTION_DOWN): 0:(1.0,2.0)\n",
                ":Sending Touch (ACTION_UP): 0:(1.0,2.0)\n",
                "Sleeping for 300 milliseconds\n",
            ][number % 3],
        );
        ape.push_str(
            "1718349152000 {\"actionType\":\"MODEL_CLICK\",\"throttle\":0,\"target\":\"x\",\"full\":\
             \"\\/\\/*[@class=\\\"android.widget.Button\\\"]\",\"bounds\":\"0,100,200,200\",\"timestamp\":1}\n",
        );
    }
    let measured = |name: &str, read: &dyn Fn() -> Result<Foreign, ForeignError>| {
        let start = cpu();
        for _ in 0..TIMES {
            assert!(std::hint::black_box(read()).is_ok(), "{name} is read");
        }
        let each = (cpu() - start) * 1_000.0 / f64::from(TIMES);
        Measured::at_most(format!("10,000 lines of a foreign trace: {name}"), "ms", 20.0, each)
    };
    let mut rows: Vec<Measured> = [("Monkey script", script), ("monkey -v -v", output), ("APE history", ape)]
        .into_iter()
        .map(|(name, text)| {
            measured(name, &|| foreign::parse("trace", std::hint::black_box(text.as_bytes())))
        })
        .collect();
    let (script, log) = simplydroid_logs(LINES);
    rows.push(measured("SimplyDroid's two logs", &|| {
        foreign::parse_simplydroid(
            std::hint::black_box(script.as_bytes()),
            std::hint::black_box(log.as_bytes()),
        )
    }));
    rows
}

/// A script and its log with so many lines together: each tap has a line in the one and three in the other.
fn simplydroid_logs(lines: usize) -> (String, String) {
    let mut script = String::from("# Start Script\nstart data >>\nLaunchActivity(a.b,a.b.One)\n");
    let mut log = String::from("1;MonkeyActivityEvent;a.b;a.b.One;1\n2;MonkeyThrottleEvent;a.b;a.b.One;1\n");
    let mut number = 2;
    for _ in 0..lines / 4 {
        script.push_str("Tap(116.0, 160.5)\n");
        for event in ["Touch", "Touch", "Throttle"] {
            number += 1;
            let _ = writeln!(log, "{number};Monkey{event}Event;a.b;a.b.One;1");
        }
    }
    (script, log)
}

/// CHARD's nine rules, window tree and key events over 1,000 recorded events.
fn rules() -> Vec<Measured> {
    const EVENTS: u64 = 1_000;
    const TIMES: u32 = 50;
    let app = app("models/notes.toml");
    let mut device = device(&app);
    let mut explorer = explorer(&device, "monkey", EVENTS);
    let mut trace: Option<Trace> = None;
    loop {
        let command = explorer.ask(SESSION);
        let Some(seen) = answer(&mut device, &command) else { break };
        for event in explorer.tell(SESSION, seen) {
            match event {
                RunEvent::Reset { to, screen, .. } if trace.is_none() => {
                    trace = Some(Trace {
                        format: Trace::FORMAT,
                        package: app.package.to_string(),
                        app_hash: String::new(),
                        target: String::new(),
                        device: "virtual".to_owned(),
                        start: to,
                        first: Some(screen),
                        failure: None,
                        events: Vec::new(),
                    });
                }
                RunEvent::Step(step) => trace.as_mut().expect("a start").events.push(TraceEvent {
                    input: step.input,
                    wait: step.wait,
                    target: match step.touched {
                        Some(Touched::Widget(selector)) => Some(selector),
                        _ => None,
                    },
                    before: Some(step.before),
                    after: Some(step.after),
                    rules: step.rules,
                }),
                _ => {}
            }
        }
    }
    let trace = trace.expect("a start");
    let start = cpu();
    let mut found = None;
    for _ in 0..TIMES {
        let sequence = UserSequence::of(std::hint::black_box(&trace));
        found = Some(KeyEvents::of(&sequence, &Rules::default(), Similarity::default()));
    }
    let each = (cpu() - start) * 1_000.0 / f64::from(TIMES);
    let kept = found.expect("an analysis").ineffective.kept.len();
    let share = 1.0 - kept as f64 / trace.events.len() as f64;
    let name = format!("1,000 Monkey events on notes by CHARD's rules ({share:.2} ineffective)");
    vec![Measured::at_most(name, "ms", 5.0, each)]
}

/// Abstraction, model and strategy together, without device and log.
fn think() -> Vec<Measured> {
    let Thought { mut times, .. } = thought("models/notes.toml", 20_000);
    let (mean, p99) = mean_and_p99(&mut times);
    vec![
        Measured::at_most("think time, notes, sata: mean", "µs", 50.0, mean),
        Measured::at_most("think time, notes, sata: p99", "µs", 2_000.0, p99),
    ]
}

/// A large app for a long time: thinking must not grow with the model, nor the model with the steps. `STEPS` chooses another
/// number of steps.
fn large() -> Vec<Measured> {
    let steps = std::env::var("STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(1_000_000);
    let Thought { mut times, tenths } = thought("generated:plain?screens=10000", steps);
    let (mean, p99) = mean_and_p99(&mut times);
    let name = format!("{steps} steps on 10,000 screens, sata: think time, mean");
    vec![
        Measured::at_most(name, "µs", 150.0, mean),
        Measured::at_most("  think time, p99", "µs", 10_000.0, p99),
        Measured::at_most("  peak resident memory", "MB", 400.0, peak_mb()),
        Measured::at_most("  CPU of the last tenth / the second tenth", "ratio", 1.5, tenths[9] / tenths[1]),
    ]
}

/// What thinking took, step by step in microseconds, and the CPU seconds of each tenth of the run, device and all.
struct Thought {
    times: Vec<f32>,
    tenths: Vec<f64>,
}

fn thought(target: &str, steps: u64) -> Thought {
    let app = app(target);
    let mut device = device(&app);
    let mut explorer = explorer(&device, "sata", steps);
    let mut times: Vec<f32> = Vec::with_capacity(steps as usize);
    let mut marks = vec![cpu()];
    let mut made = 0;
    loop {
        let asked = cpu();
        let command = explorer.ask(SESSION);
        let choosing = cpu() - asked;
        let Some(seen) = answer(&mut device, &command) else { break };
        let told = cpu();
        std::hint::black_box(explorer.tell(SESSION, seen));
        times.push(((choosing + (cpu() - told)) * 1e6) as f32);
        made += u64::from(matches!(command, Command::Step { .. }));
        if made / (steps / 10) >= marks.len() as u64 {
            marks.push(cpu());
        }
    }
    Thought { times, tenths: marks.windows(2).map(|marks| marks[1] - marks[0]).collect() }
}

fn mean_and_p99(times: &mut [f32]) -> (f64, f64) {
    times.sort_unstable_by(f32::total_cmp);
    let mean = times.iter().copied().map(f64::from).sum::<f64>() / times.len() as f64;
    (mean, f64::from(times[times.len() * 99 / 100]))
}
