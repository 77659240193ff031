//! The doctor for APKs on this computer: Java, Maven, the fence, what is kept, and the APK itself.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::Chart;
use crate::device::jvm::apk::Apk;
use crate::device::jvm::facts::Facts;
use crate::device::jvm::fence::Fence;
use crate::device::jvm::jdk::Jdk;
use crate::device::jvm::pins::Pin;
use crate::device::jvm::survey::{Stock, Survey};
use crate::device::jvm::workshop::{Places, Workshop};
use crate::device::jvm::{JvmDevice, SetUpError};
use crate::device::{Device, HOST_FAULT, Observation, Reset};
use crate::gui::{Flags, GuiTree, NodeIx};
use crate::numbers::counted;

/// What it means here that an app's code names such a thing.
const TRAITS: [(&str, &str, &str); 5] = [
    ("webview", "it can show web pages", "a WebView is a blank here: explore such screens on a phone"),
    ("opengl", "it can draw with OpenGL", "such a surface stays blank: explore it on a phone"),
    (
        "camera",
        "it can use the camera",
        "there is none: what comes back from the camera app is a stand-in's picture",
    ),
    (
        "play-services",
        "it knows Google Play services",
        "they are not here: the app is told that they are missing",
    ),
    (
        "loads-code",
        "it can load code from files",
        "dex files are not run here: explore such features on a phone",
    ),
];
/// What to do with what is right for a phone only.
const ON_A_PHONE: &str = "run it on a phone: siamang explore app.apk --device SERIAL";
/// Robolectric's Android.
const API: u32 = 34;

/// Looks at everything that an APK needs, and at the APK.
pub fn look(file: Option<&Path>, chart: &mut Chart) {
    let survey = Survey::take();
    if let Err(error) = &survey.places {
        chart.bad(error, "nothing can be kept or run before that");
    }
    if survey.swept > 0 {
        chart.good(format!(
            "removed what runs that were killed had left: {}",
            counted(survey.swept as u64, "folder")
        ));
    }
    let jdk = java(&survey, chart);
    let fence = survey.places.as_ref().ok().and_then(|_| fence(&survey, chart));
    let ready = kept(&survey, chart);
    let Some(file) = file else { return };
    let (Some(jdk), Some(fence), Ok(places)) = (jdk, fence, &survey.places) else {
        return chart.note(format!("{} was not looked at", file.display()), "mend the above first");
    };
    if facts(file, jdk, fence, places, chart) {
        if ready {
            trial(file, chart);
        } else {
            chart.note(
                "the app was not started, as nothing is fetched by the doctor",
                "run `siamang explore` once, then the doctor again",
            );
        }
    }
}

fn java<'a>(survey: &'a Survey, chart: &mut Chart) -> Option<&'a Jdk> {
    match &survey.jdk {
        Ok(jdk) => {
            chart.good(format!("Java {} in {}", jdk.version, jdk.home.display()));
            if !jdk.stops_threads() {
                chart.note(
                    format!("Java {} cannot stop an app's threads: a restart of an app that leaves some behind takes a new JVM", jdk.version),
                    format!("such restarts are some 30 times faster with a JDK of version 17 to {}; name it with JAVA_HOME", Jdk::LAST_STOPPING),
                );
            }
            Some(jdk)
        }
        Err(SetUpError::NoJdk(why)) => {
            chart.bad(format!("no JDK: {why}"), SetUpError::GET_JDK);
            None
        }
        Err(error) => {
            chart.bad(error, SetUpError::GET_JDK);
            None
        }
    }
}

fn fence<'a>(survey: &'a Survey, chart: &mut Chart) -> Option<&'a Fence> {
    match &survey.fence {
        Ok(fence) => {
            chart.good(format!("the fence holds: {fence}"));
            Some(fence)
        }
        Err(SetUpError::NoFence(why)) => {
            chart.bad(
                format!("no fence around foreign code: {why}"),
                "it needs Linux, util-linux, and user namespaces or root (in a container: --cap-add SYS_ADMIN; \
                 elsewhere: sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)",
            );
            None
        }
        Err(error) => {
            chart.bad(error, "make the folder writable, or name another one with SIAMANG_CACHE or TMPDIR");
            None
        }
    }
}

/// What is kept, and what would be fetched; true if everything is ready.
fn kept(survey: &Survey, chart: &mut Chart) -> bool {
    let (Ok(places), Some(stock)) = (&survey.places, survey.stock()) else { return false };
    let Stock { there, missing, ready } = stock;
    let mb = Pin::megabytes;
    let place = places.cache.display();
    if missing.0 == 0 {
        let state = if ready { "unpacked, compiled" } else { "to be unpacked and compiled, some 20 s" };
        chart.good(format!("cache {place}: {} files, {} MB, {state}; --offline works", there.0, mb(there.1)));
        return ready;
    }
    let text = format!(
        "cache {place}: {} files, {} MB are there; {} files, {} MB will be fetched from Maven Central, once",
        there.0,
        mb(there.1),
        missing.0,
        mb(missing.1)
    );
    match &survey.maven {
        Some(maven) => {
            chart.note(text, format!("the first `siamang explore app.apk` does it with {}, as Maven's settings.xml says (mirror, proxy)", maven.display()));
        }
        None => chart.bad(
            format!("{text}, and there is no `mvn` on the path"),
            "install Maven (Debian: apt install maven)",
        ),
    }
    false
}

/// What the APK is; true if it can be run.
fn facts(file: &Path, jdk: &Jdk, fence: &Fence, places: &Places, chart: &mut Chart) -> bool {
    let name = file.display();
    let facts = match Facts::of(file, jdk, fence, &places.cache, &places.yards) {
        Ok(facts) => facts,
        Err(error) => {
            chart.refused(error, "name an APK that can be read");
            return false;
        }
    };
    if !facts.package.is_empty() {
        chart.good(format!("{name}: {} {}", facts.package, facts.version).trim_end());
        chart.good(format!(
            "{} activities declared, starts with {}; made for API {}, from API {} on; {} dex file{}{}",
            facts.activities.len(),
            facts.launcher.as_deref().unwrap_or("none"),
            facts.target_sdk,
            facts.min_sdk,
            facts.dex_files,
            if facts.dex_files == 1 { "" } else { "s" },
            spoken(&facts),
        ));
    }
    if let Some(why) = &facts.refused {
        chart.refused(
            format!("{name} cannot run here: {why}"),
            if facts.needs_phone {
                ON_A_PHONE
            } else {
                "name an APK that is whole and that a phone would install"
            },
        );
        return false;
    }
    if facts.min_sdk > API {
        chart.note(
            format!("it wants API {} or later, and this is API {API}", facts.min_sdk),
            "what is newer than API 34 is missing and told as a host fault",
        );
    }
    if !facts.native.is_empty() {
        chart.note(
            format!("native code, which does not run here: {}", facts.native.join(", ")),
            "what needs it fails and is told as a host fault, not as the app's: explore that on a phone",
        );
    }
    for (word, what, meaning) in TRAITS {
        if facts.traits.iter().any(|known| known == word) {
            chart.note(what, meaning);
        }
    }
    true
}

/// In what it is written, as far as its code tells.
fn spoken(facts: &Facts) -> String {
    let named = [("kotlin", "Kotlin"), ("compose", "Compose"), ("androidx", "androidx")];
    let words = named.into_iter().filter(|(word, _)| facts.traits.iter().any(|known| known == word));
    words.fold(String::new(), |text, (_, name)| format!("{text}, {name}"))
}

/// Starts the app once, inside the fence.
fn trial(file: &Path, chart: &mut Chart) {
    let quiet = |_: &str| {};
    let apk = Workshop::open(true, &quiet).and_then(|workshop| {
        let apk = Apk::prepare(file, &workshop, &quiet)?;
        Ok(JvmDevice::new(Arc::new(workshop), Arc::new(apk)))
    });
    let mut device = match apk {
        Ok(device) => device,
        Err(error) => {
            return chart.refused(error, ON_A_PHONE);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return chart.bad(error, "try again"),
    };
    runtime.block_on(async {
        let begun = Instant::now();
        match device.reset(Reset::Clean).await {
            Ok(seen) => started(&seen, &device.capabilities().package, begun.elapsed().as_secs_f64(), chart),
            Err(error) => chart.bad(
                format!("the app was not started: {error}"),
                format!("see -v for what the JVM says; {ON_A_PHONE}"),
            ),
        }
        if let Err(error) = device.close().await {
            tracing::warn!("{error}");
        }
    });
}

fn started(seen: &Observation, package: &str, seconds: f64, chart: &mut Chart) {
    let fault = seen.issues.iter().find(|issue| issue.starts_with(HOST_FAULT));
    if let Some(fault) = fault {
        return chart.bad(format!("the app does not start here: {fault}"), ON_A_PHONE);
    }
    if let Some(failure) = seen.failures.first() {
        return chart.note(
            format!("the app fails when it is started: {}", failure.headline()),
            "`siamang explore` reports and shrinks it as any other failure",
        );
    }
    let tree = &seen.tree;
    if tree.indices().all(|ix| tree.widget(ix).package != package) {
        chart.note(
            "the app shows nothing of its own: its activity ends at once, and the home screen is there",
            "there is nothing to explore; see what starting it shows on a phone",
        );
    } else {
        let widgets = counted(tree.nodes().len() as u64, "widget");
        chart.good(format!("the app starts: {widgets} after {seconds:.1} s"));
    }
    if is_web(tree) {
        chart.note(
            "its first screen is a web page, and nothing else",
            "a WebView is a blank here: explore the app on a phone",
        );
    }
    for issue in &seen.issues {
        chart.note(issue, "the run goes on without it");
    }
}

/// Most of the screen is a `WebView`, and there is nothing beside it that somebody could read or touch.
fn is_web(tree: &GuiTree) -> bool {
    let area = |ix: NodeIx| {
        let bounds = tree.widget(ix).bounds;
        i64::from(bounds.width()) * i64::from(bounds.height())
    };
    let is_page = |ix: NodeIx| tree.widget(ix).class.ends_with("WebView");
    let screen = tree.indices().map(area).max().unwrap_or(0);
    let matters = |ix: NodeIx| {
        let widget = tree.widget(ix);
        let touched = widget.flags.intersects(Flags::CLICKABLE | Flags::LONG_CLICKABLE | Flags::EDITABLE);
        touched || !widget.text.is_empty()
    };
    let inside = |ix: NodeIx| is_page(ix) || tree.ancestors(ix).any(is_page);
    tree.indices().any(|ix| is_page(ix) && 2 * area(ix) > screen)
        && tree.indices().all(|ix| inside(ix) || !matters(ix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{Bounds, TreeBuilder, Widget};

    fn screen(parts: &[(&str, &str, i32)]) -> GuiTree {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "a.b.Main");
        let all = Bounds { left: 0, top: 0, right: 1080, bottom: 1920 };
        builder.window(crate::gui::Window::application(all));
        builder.open(Widget { class: "android.widget.FrameLayout".into(), bounds: all, ..Widget::default() });
        for &(class, text, height) in parts {
            let bounds = Bounds { bottom: height, ..all };
            builder.leaf(Widget { class: class.into(), text: text.into(), bounds, ..Widget::default() });
        }
        builder.close();
        builder.finish()
    }

    #[test]
    fn an_app_whose_screen_is_a_web_page_is_told_from_one_that_shows_one() {
        let page = "android.webkit.WebView";
        assert!(is_web(&screen(&[(page, "", 1920)])));
        assert!(is_web(&screen(&[("android.view.View", "", 100), (page, "", 1800)])));
        assert!(!is_web(&screen(&[("android.widget.TextView", "Save", 100), (page, "", 1800)])));
        assert!(!is_web(&screen(&[(page, "", 300)])));
        assert!(!is_web(&screen(&[("android.widget.TextView", "Save", 1920)])));
    }
}
