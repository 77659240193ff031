//! `siamang explore`: the main job.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use super::names;
use crate::abstraction::{DecisionTree, registry};
use crate::action::{ActionKind, Risk};
use crate::campaign::Control;
use crate::campaign::hunt::{Bag, Division, Hunt, When};
use crate::device::{AnyDevice, Device};
use crate::error::{CommandError, Exit};
use crate::explore::pace::Pace;
use crate::explore::{Budget, ExploreConfig, Explorer};
use crate::nearest::unknown;
use crate::report::terminal::Progress;
use crate::report::{Reporter, Silent};
use crate::seed::Seed;
use crate::strategy::StrategyChoice;
use crate::target::Target;
use crate::trace::RunFolder;
use crate::trace::run_folder::{Recorder, RunInfo};
use crate::trace::summary::Paint;

/// Explore an app and find its failures.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  siamang explore models/notes.toml --seed 1
  siamang explore app-debug.apk --steps 2000
  siamang explore models/notes.toml --shrink no --steps 100000
  siamang explore models/notes.toml --strategy monkey --throttle 200 --time 30s
  siamang explore 'generated:reorder?screens=40&crashes=3&seed=7' --steps 5000 --json")]
pub struct Args {
    #[arg(help = names::target())]
    target: String,
    /// Stop after this many steps; 20,000 if neither steps nor a time are given.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Stop after this time, shrinking included: 90s, 30m, 8h. With `--shrink after`, its last quarter is for shrinking.
    #[arg(long, value_name = "T", value_parser = parse_time)]
    time: Option<Duration>,
    /// The seed: one seed, one run.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[arg(
        long,
        value_name = "NAME",
        default_value = "sata",
        help = names::strategy("How the next action is chosen"),
        long_help = names::strategies("How the next action is chosen")
    )]
    strategy: String,
    #[arg(
        long,
        value_name = "NAME",
        default_value = registry::DEFAULT,
        help = names::abstraction("Which screens are one state"),
        long_help = names::abstractions("Which screens are one state")
    )]
    abstraction: String,
    #[command(flatten)]
    initial_tree: super::initial_tree::InitialTree,
    /// What may be done besides touches, texts and the keys that the app gets: nothing, or turning the screen and leaving the
    /// app for a moment, or killing its process, too. All of it on app models and APKs, nothing on phones, unless it is said here.
    #[arg(long, value_enum, value_name = "RISK")]
    risk: Option<RiskChoice>,
    /// When the next event comes: when the app has settled, in bursts, or now and then in a burst.
    #[arg(long, value_enum, default_value_t = PaceChoice::Mixed)]
    pace: PaceChoice,
    /// The folder of the run; by default a new one below `runs`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
    /// When failures are shrunk to their shortest trace.
    #[arg(long = "shrink", value_enum, value_name = "WHEN", default_value_t = ShrinkWhen::During)]
    shrink_when: ShrinkWhen,
    #[command(flatten)]
    shrink: super::shrink::AlgorithmArgs,
    #[command(flatten)]
    apk: super::ApkArgs,
    #[command(flatten)]
    coverage: super::coverage::CoverageArgs,
    #[command(flatten)]
    monkey: MonkeyArgs,
    #[cfg(feature = "adb")]
    #[command(flatten)]
    phone: super::phone::PhoneRunArgs,
}

/// The shares of Monkey's events, in percent, as Monkey names them.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --strategy monkey")]
struct MonkeyArgs {
    /// Milliseconds of device time between two events, an hour at the most.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(..=3_600_000))]
    throttle: Option<u32>,
    /// Taps.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_touch: Option<f64>,
    /// Swipes.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_motion: Option<f64>,
    /// Trackball moves.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_trackball: Option<f64>,
    /// Direction keys.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_nav: Option<f64>,
    /// The direction pad's middle and the menu key.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_majornav: Option<f64>,
    /// Home, back, call, volume.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_syskeys: Option<f64>,
    /// Leaving the app and coming back.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_appswitch: Option<f64>,
    /// Opening a hardware keyboard.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_flip: Option<f64>,
    /// Any key.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_anyevent: Option<f64>,
    /// Two fingers.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_pinchzoom: Option<f64>,
    /// Turning the screen.
    #[arg(long, value_name = "PCT", value_parser = parse_percent)]
    pct_rotation: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ShrinkWhen {
    During,
    After,
    No,
}

impl From<ShrinkWhen> for When {
    fn from(when: ShrinkWhen) -> Self {
        match when {
            ShrinkWhen::During => Self::During,
            ShrinkWhen::After => Self::After,
            ShrinkWhen::No => Self::Never,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum RiskChoice {
    /// It stays in the app.
    Stay,
    /// The screen is turned; the app is left, and one comes back; now and then any key is pressed that does not end a call or
    /// put the phone to sleep.
    Leave,
    /// The same, and its process is killed while it is away.
    Kill,
}

impl From<RiskChoice> for Risk {
    fn from(choice: RiskChoice) -> Self {
        match choice {
            RiskChoice::Stay => Self::Stay,
            RiskChoice::Leave => Self::Leave,
            RiskChoice::Kill => Self::Kill,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PaceChoice {
    Settle,
    Burst,
    Mixed,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    #[cfg(feature = "adb")]
    if super::phone::is_phone(&args.target) || !args.phone.phone.devices.is_empty() {
        return on_phones(args);
    }
    let target = Target::parse(&args.target)?;
    args.coverage.check_places()?;
    #[cfg_attr(
        not(feature = "adb"),
        expect(unused_mut, reason = "addresses are named with the phone's options")
    )]
    let mut config = args.config(Risk::Kill)?;
    let mut shrink = args.shrink.config(&Control::new(None))?;
    let seed = Seed(args.seed);
    let subject = super::open(&target, &args.apk)?;
    #[cfg(feature = "adb")]
    let subject = {
        let (subject, links) = subject
            .opening(args.phone.deep_links.iter().map(|address| address.as_str().into()).collect())
            .map_err(CommandError::usage)?;
        config.phone_actions.extend(links.into_iter().map(ActionKind::DeepLink));
        subject
    };
    args.coverage.check(&subject)?;
    let mut when = args.shrink_when.into();
    let mut explorers = 1;
    if subject.takes_its_time() && shrink.jobs > 1 {
        let division = Division::of(shrink.jobs, when, shrink.jobs);
        (explorers, shrink.jobs, when) = (division.explorers, division.shrinkers, division.when);
    }
    let mut devices: Vec<AnyDevice> =
        (0..explorers).map(|number| subject.device(seed.named("device").nth(number as u64))).collect();
    if let [only] = &mut devices[..] {
        *only = subject.device(seed.named("device"));
    }
    let device = &devices[0];
    let info = RunInfo {
        target: target.name(),
        app_hash: subject.hash(),
        activities: device.capabilities().activities.clone(),
        branches: subject.branches().map(|branches| branches.len() as u64),
        optima: subject.optima(),
        configuration: configuration(args, &config),
        ..RunInfo::new(subject.package(), device.capabilities().kind, args.seed)
    };
    let folder = match &args.out {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create(Path::new("runs"), subject.name(), args.seed)?,
    };
    let mut recorder = Recorder::start(folder, info)?;
    let explorer = Explorer::new(config, device.capabilities().clone(), seed.named("explore"));
    let control = Control::new(args.time);
    super::interrupt::watch_run(&control, recorder.folder().path(), "");
    let make_device = |number| subject.device(seed.named("shrink").nth(number));
    let plan = Hunt { make_device: &make_device, shrink, when, control: &control };
    let bag = hunt(&plan, devices, explorer, &mut recorder, args)?;
    let folder = recorder.folder().clone();
    let finished = finish(args, bag, recorder, &control);
    // What the run found stays found, and is told first; what it has covered is there even if it ended badly.
    let covered = args.coverage.write(&folder, &subject);
    let exit = finished?;
    if let Some(line) = covered.context("the coverage could not be written")?.filter(|_| !args.json) {
        super::print(&line)?;
    }
    Ok(exit)
}

/// The same on phones: the last of several shrinks while the others explore.
#[cfg(feature = "adb")]
fn on_phones(args: &Args) -> anyhow::Result<Exit> {
    if args.coverage.is_wanted() {
        return Err(CommandError::usage(
            "--coverage is not measured on a phone; run the APK without --device",
        )
        .into());
    }
    // Somebody may use the phone: what reaches further is done only if it is asked for.
    let mut config = args.config(Risk::Stay)?;
    let links = args.phone.deep_links.len() as u16;
    config.phone_actions.extend((0..links).map(ActionKind::DeepLink));
    let mut shrink = args.shrink.config(&Control::new(None))?;
    args.shrink.refuse_jobs()?;
    let rig = super::phone::Rig::prepare(&args.phone, super::phone::Wanted::Named(&args.target))?;
    let Division { explorers, first_shrinker, shrinkers, when } =
        Division::of(rig.count(), args.shrink_when.into(), rig.count());
    shrink.jobs = shrinkers;
    let devices: Vec<AnyDevice> = (0..explorers).map(|number| rig.device(number)).collect();
    let package = rig.package.as_str();
    let info = RunInfo {
        target: args.target.clone(),
        configuration: configuration(args, &config),
        ..RunInfo::new(package, devices[0].capabilities().kind, args.seed)
    };
    let folder = match &args.out {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create(Path::new("runs"), package, args.seed)?,
    };
    let mut recorder = Recorder::start(folder, info)?;
    let explorer = Explorer::new(config, devices[0].capabilities().clone(), Seed(args.seed).named("explore"));
    let control = Control::new(args.time);
    super::interrupt::watch_run(&control, recorder.folder().path(), super::phone::STOPPED_AT_ONCE);
    let make_device = |number: u64| rig.device(first_shrinker + number as usize);
    let plan = Hunt { make_device: &make_device, shrink, when, control: &control };
    let bag = hunt(&plan, devices, explorer, &mut recorder, args)?;
    drop(rig);
    finish(args, bag, recorder, &control)
}

/// Writes and prints what was found; the exit code says it in one number.
fn finish(args: &Args, bag: Bag, mut recorder: Recorder, control: &Control) -> anyhow::Result<Exit> {
    let Bag { outcome, trouble, .. } = bag;
    if let Some(error) = trouble {
        recorder.note_trouble(error);
    }
    let mut summary = outcome.summary;
    summary.measure(recorder.folder());
    let folder = recorder.folder().clone();
    if let Err(error) = folder.write_summary(recorder.info(), &summary) {
        recorder.note_trouble(error);
    }
    let stored = recorder.finish();
    if args.json {
        super::print_json(&summary)?;
    } else {
        super::print(&summary.render(super::width(), Paint::Colored))?;
        super::print(&format!("\nrun folder: {}\n", folder.path().display()))?;
        if folder.has_explanations() {
            super::print(&format!("what to read: {}/*/explanation.md\n", folder.crashes().display()))?;
        }
    }
    if let Some(error) = outcome.lost {
        return Err(super::lost(&error).into());
    }
    stored.context("the run is not recorded completely")?;
    if summary.failures.is_empty() && summary.cannot_start() {
        let message = "the app cannot be started: it shows no screen of its own, however often it is launched\n  \
                       see whether it starts by hand";
        return Err(CommandError { exit: Exit::Device, message: message.to_owned() }.into());
    }
    Ok(match (control.is_interrupted(), summary.failures.is_empty()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Clean,
        (false, false) => Exit::Found,
    })
}

/// The run has its own thread: a device that answers at once cannot starve the signals.
fn hunt(
    hunt: &Hunt<'_>,
    devices: Vec<AnyDevice>,
    explorer: Explorer,
    recorder: &mut Recorder,
    args: &Args,
) -> anyhow::Result<Bag> {
    let steps = (args.steps.is_some() || args.time.is_none()).then_some(explorer.config().budget.steps);
    let quiet = !std::io::stderr().is_terminal();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| -> anyhow::Result<Bag> {
            let mut progress: Box<dyn Reporter + Send> =
                if quiet { Box::new(Silent) } else { Box::new(Progress::new(steps)) };
            let bag = hunt.run(devices, explorer, recorder, progress.as_mut());
            progress.finish();
            bag.map_err(|error| internal(&error.to_string()))
        });
        run.join().unwrap_or_else(|_| Err(internal("the exploring thread died")))
    })
}

fn internal(message: &str) -> anyhow::Error {
    CommandError { exit: Exit::Internal, message: format!("{message}; this is a fault of siamang") }.into()
}

impl Args {
    fn config(&self, usual: Risk) -> anyhow::Result<ExploreConfig> {
        let steps = match (self.steps, self.time) {
            (Some(0), _) => {
                return Err(CommandError::usage("--steps 0 would do nothing; use 1 or more").into());
            }
            (Some(steps), _) => steps,
            (None, Some(_)) => u64::MAX,
            (None, None) => Budget::default().steps,
        };
        let mut strategy = StrategyChoice::named(&self.strategy).ok_or_else(|| {
            let names = StrategyChoice::NAMES;
            let message = unknown("strategy", &self.strategy, names.into_iter());
            CommandError::usage(format!("{message}; the strategies are {}", names.join(", ")))
        })?;
        let risk = self.risk.map_or(usual, Risk::from);
        self.monkey.apply(&mut strategy, risk)?;
        let abstraction = registry::find(&self.abstraction).ok_or_else(|| {
            let names: Vec<&str> = registry::REGISTRY.iter().map(|entry| entry.name).collect();
            let message = unknown("abstraction", &self.abstraction, names.iter().copied());
            CommandError::usage(format!("{message}; the abstractions are {}", names.join(", ")))
        })?;
        let pace = match self.pace {
            PaceChoice::Settle => Pace::SETTLE,
            PaceChoice::Burst => Pace::BURST,
            PaceChoice::Mixed => Pace::default(),
        };
        Ok(ExploreConfig {
            budget: Budget { steps },
            strategy,
            abstraction,
            initial_tree: self.initial_tree.load(&[abstraction])?,
            pace,
            phone_actions: ActionKind::of_the_phone(risk),
        })
    }
}

impl MonkeyArgs {
    fn apply(&self, strategy: &mut StrategyChoice, risk: Risk) -> anyhow::Result<()> {
        let given = [
            self.pct_touch,
            self.pct_motion,
            self.pct_trackball,
            self.pct_nav,
            self.pct_majornav,
            self.pct_syskeys,
            self.pct_appswitch,
            self.pct_flip,
            self.pct_anyevent,
            self.pct_pinchzoom,
            self.pct_rotation,
        ];
        let StrategyChoice::Monkey(config) = strategy else {
            if self.throttle.is_some() || given.iter().any(Option::is_some) {
                return Err(CommandError::usage("--throttle and --pct-… belong to --strategy monkey").into());
            }
            return Ok(());
        };
        for (name, share) in [("--pct-rotation", self.pct_rotation), ("--pct-appswitch", self.pct_appswitch)]
        {
            if risk < Risk::Leave && share.is_some_and(|share| share > 0.0) {
                let message = format!("{name} is more than this run may do; add --risk leave");
                return Err(CommandError::usage(message).into());
            }
        }
        config.throttle = self.throttle;
        let shares = [
            &mut config.touch,
            &mut config.motion,
            &mut config.trackball,
            &mut config.nav,
            &mut config.major_nav,
            &mut config.sys_keys,
            &mut config.app_switch,
            &mut config.flip,
            &mut config.any_key,
            &mut config.pinch_zoom,
            &mut config.rotation,
        ];
        let named: f64 = given.iter().flatten().sum();
        if named > 100.0 {
            return Err(CommandError::usage(format!("the --pct-… add up to {named}; use at most 100")).into());
        }
        // As Monkey does: what is named is taken as it is, the rest shares what is left in its old proportions.
        let rest: f64 =
            shares.iter().zip(given).filter(|(_, given)| given.is_none()).map(|(share, _)| **share).sum();
        if rest == 0.0 && named == 0.0 {
            return Err(CommandError::usage("all --pct-… are 0; nothing would be done").into());
        }
        let scale = if rest > 0.0 { (100.0 - named) / rest } else { 0.0 };
        for (share, given) in shares.into_iter().zip(given) {
            *share = given.unwrap_or(*share * scale);
        }
        Ok(())
    }
}

#[cfg(feature = "adb")]
fn deep_links(args: &Args) -> Vec<&str> {
    args.phone.deep_links.iter().map(crate::device::adb::names::Address::as_str).collect()
}

#[cfg(not(feature = "adb"))]
fn deep_links(_: &Args) -> Vec<&str> {
    Vec::new()
}

fn configuration(args: &Args, config: &ExploreConfig) -> serde_json::Value {
    serde_json::json!({
        "strategy": config.strategy.name(),
        "abstraction": config.abstraction.name,
        "initial_tree": config.initial_tree.as_ref().map(DecisionTree::to_toml),
        "monkey": if let StrategyChoice::Monkey(monkey) = &config.strategy { serde_json::to_value(monkey).ok() } else { None },
        "pace": config.pace,
        "deep_links": deep_links(args),
        "phone_actions": config.phone_actions.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "apk": args.apk.told(),
        "steps": args.steps,
        "time_ms": args.time.map(|time| time.as_millis() as u64),
    })
}

/// `90s`, `30m`, `8h`, `500ms`, `1h30m`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let help = || format!("`{text}` is no time; write 90s, 30m, 8h or 1h30m");
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(help());
    }
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit()).ok_or_else(help)?;
        let number: u64 = rest[..digits].parse().map_err(|_| help())?;
        let unit_end = rest[digits..]
            .find(|character: char| character.is_ascii_digit())
            .map_or(rest.len(), |at| digits + at);
        let ms = match &rest[digits..unit_end] {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(help()),
        };
        total += Duration::from_millis(number.checked_mul(ms).ok_or_else(help)?);
        rest = &rest[unit_end..];
    }
    if total.is_zero() { Err(format!("`{text}` leaves no time for anything")) } else { Ok(total) }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| format!("`{text}` is no share in percent; use 0 to 100"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("1h30m"), Ok(Duration::from_secs(5_400)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        for wrong in ["", "90", "s", "5x", "-1s", "0s", "99999999999999999999h"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
