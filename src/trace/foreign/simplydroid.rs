//! SimplyDroid's two logs: `script.log` with what was done, `execute.log` with what Monkey saw.

use smol_str::SmolStr;

use super::{
    Absent, Foreign, ForeignError, ForeignTrace, Format, Issue, Issues, Launch, LogFile, screen, script,
    trace_of,
};
use crate::device::Reset;
use crate::numbers::{counted, thousands};
use crate::oracle::report::{clipped, numbered, text_of};
use crate::oracle::{App, Failure, monkey};
use crate::trace::record::Screen;

/// One user event as `execute.log` shows it.
#[derive(Clone, Debug)]
struct Seen {
    /// The line of the pause, or behind all others if the log ends before it.
    line: usize,
    /// The activity on the last line before the pause: logged after the injection and before the app could act.
    before: Place,
    /// The activity on the line of the pause itself: what the event led to. A log that ends at its crash does not tell.
    after: Option<Place>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    package: SmolStr,
    activity: SmolStr,
}

/// The line is a step of `execute.log`: `12;MonkeyTouchEvent;package;class;1`.
pub(super) fn is_step(line: &str) -> bool {
    fields(line).is_some()
}

pub(super) fn read(script: &LogFile<'_>, execute: Option<&LogFile<'_>>) -> Result<Foreign, ForeignError> {
    let mut issues = Issues::of(&script.name);
    let text = text_of(&script.bytes);
    let parsed = script::parse(&text, &mut issues).usable(script)?;
    let mut issues = issues.finish();
    let package = parsed.launch.as_ref().map(|launch| launch.package.clone()).unwrap_or_default();
    let mut events = parsed.events;
    let (mut first, mut failure) = (None, None::<(usize, Failure)>);
    if let Some(execute) = execute {
        let mut watched = Watched::of(execute, &package);
        watched.must_be_of(&package, script, execute)?;
        let launches = usize::from(parsed.launch.is_some());
        watched.finish(events.len() + launches);
        let common = watched.common(events.len() + launches);
        let Watched { seen, crash, issues: more, .. } = watched;
        issues.extend(more);
        failure = crash;
        if let Some(common) = common {
            let about = |text| Issue { file: execute.name.clone(), line: 0, text };
            issues.push(about(format!(
                "{} here, {} in the script: one of the two is cut off, and only the first {} used",
                counted(seen.len() as u64, "event"),
                thousands((events.len() + launches) as u64),
                if common == 1 { "one is".to_owned() } else { format!("{} are", thousands(common as u64)) }
            )));
            events.truncate(common.saturating_sub(launches));
            let is_behind = |at: usize| seen.iter().filter(|seen| seen.line < at).count() >= common;
            if failure.as_ref().is_some_and(|&(at, _)| is_behind(at)) {
                issues.push(about("the app failed behind these events: the trace is kept without it".into()));
                failure = None;
            }
        }
        let show = |place: &Place| -> Screen { screen(&package, &place.package, place.activity.clone()) };
        if launches == 1 {
            first = seen.first().and_then(|seen| seen.after.as_ref()).map(show);
        }
        for (event, seen) in events.iter_mut().zip(seen.iter().skip(launches)) {
            event.before = Some(show(&seen.before));
            event.after = seen.after.as_ref().map(show);
        }
    }
    let failure = failure.map(|(_, failure)| failure);
    let mut trace = trace_of(&package, Reset::Warm, events, failure.as_ref());
    trace.first = first;
    let absent = &[
        Absent::ResumedActivity,
        Absent::GuiTree,
        Absent::Widget,
        Absent::Pauses,
        Absent::AppVersion,
        Absent::FractionsOfPixels,
    ];
    let launch: Option<Launch> = parsed.launch;
    let traces = vec![ForeignTrace { trace, launch, failure, line: parsed.line }];
    Ok(Foreign { format: Format::SimplyDroid, traces, absent, issues })
}

/// What `execute.log` shows.
struct Watched {
    /// One entry for each pause.
    seen: Vec<Seen>,
    /// The failure, and the line that tells it.
    crash: Option<(usize, Failure)>,
    /// Where the log ends, if something was done after the last pause.
    begun: Option<Place>,
    /// Some line is of the script's app.
    is_of_app: bool,
    issues: Vec<Issue>,
}

impl Watched {
    fn of(file: &LogFile<'_>, package: &str) -> Self {
        let mut issues = Issues::of(&file.name);
        let text = text_of(&file.bytes);
        let mut seen: Vec<Seen> = Vec::new();
        let mut last = Place::default();
        let (mut begun, mut is_of_app) = (false, false);
        let mut failed: Option<(usize, usize)> = None;
        let mut monkey = monkey::MonkeyReader::new(App::named(package));
        for (number, line) in numbered(&text) {
            if line.is_empty() {
                continue;
            }
            let Some([class, in_package, activity, flag]) = fields(line) else {
                if !monkey.feed(number, line) {
                    issues.add(number, "no step of an execute.log: cut off or garbled; left out");
                }
                continue;
            };
            // Neighbouring lines name the same activity nearly always: they share its name.
            let here = if last.activity == activity && last.package == in_package {
                last.clone()
            } else {
                Place { package: SmolStr::new(in_package), activity: SmolStr::new(activity) }
            };
            begun = class != "MonkeyThrottleEvent";
            is_of_app |= in_package == package;
            if !begun {
                seen.push(Seen { line: number, before: last, after: Some(here.clone()) });
            } else if flag == "0" {
                failed = Some(failed.map_or((number, 1), |(first, count)| (first, count + 1)));
            }
            last = here;
        }
        if let Some((first, count)) = failed {
            issues
                .add(first, format!("from here on, Android refused {count} low-level events; they are kept"));
        }
        let parsed = monkey.finish();
        for refused in &parsed.refused {
            issues.add(refused.line, format!("{}: {}", refused.what, refused.reason));
        }
        for issue in parsed.issues {
            issues.add(issue.line, issue.text);
        }
        let crash = parsed.reports.into_iter().next().map(|report| (report.line, report.failure));
        if crash.is_none() {
            issues.add(0, "no failure in this log: the trace is kept without one");
        }
        Self { seen, crash, begun: begun.then_some(last), is_of_app, issues: issues.finish() }
    }

    /// A log that ends at its crash has no pause after the last event. Where the script has that event, both have it.
    fn finish(&mut self, scripted: usize) {
        if self.seen.len() < scripted
            && let Some(before) = self.begun.take()
        {
            self.seen.push(Seen { line: usize::MAX, before, after: None });
        }
    }

    /// Two logs of different apps are no pair: a failure of the one would be told of the other.
    fn must_be_of(
        &self,
        package: &str,
        script: &LogFile<'_>,
        execute: &LogFile<'_>,
    ) -> Result<(), ForeignError> {
        let named =
            |seen: &Seen| Some((seen.line, seen.after.clone().filter(|after| !after.package.is_empty())?));
        let there = self.seen.iter().find_map(named);
        match there {
            Some((line, after)) if !package.is_empty() && !self.is_of_app => Err(ForeignError::Unusable {
                path: execute.path.to_owned(),
                line,
                problem: format!(
                    "this log is of {}, and {} launches {package}",
                    clipped(&after.package, 80),
                    script.name
                ),
                remedy: "put the two logs of one run beside each other",
            }),
            _ => Ok(()),
        }
    }

    /// How many events both logs have, if the script has more or fewer. A log without any step says nothing about them.
    fn common(&self, scripted: usize) -> Option<usize> {
        let seen = self.seen.len();
        (seen != scripted && seen > 0).then_some(seen.min(scripted))
    }
}

/// Class, package, activity and flag of a step.
fn fields(line: &str) -> Option<[&str; 4]> {
    let mut fields = line.split(';');
    let number = fields.next()?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let found = [fields.next()?, fields.next()?, fields.next()?, fields.next()?.trim_end()];
    (fields.next().is_none() && found[0].starts_with("Monkey")).then_some(found)
}
