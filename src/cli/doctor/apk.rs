//! The doctor for APKs on this computer: Java, Maven, the fence, what is kept, and the APK itself.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::Chart;
use crate::device::jvm::apk::Apk;
use crate::device::jvm::facts::Facts;
use crate::device::jvm::fence::Fence;
use crate::device::jvm::jdk::Jdk;
use crate::device::jvm::survey::{Stock, Survey};
use crate::device::jvm::workshop::{Places, Workshop};
use crate::device::jvm::{JvmDevice, SetUpError};
use crate::device::{Device, HOST_FAULT, Observation, Reset};

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
/// Robolectric's Android.
const API: u32 = 34;

/// Looks at everything that an APK needs, and at the APK.
pub fn look(file: Option<&Path>, chart: &mut Chart) {
    let survey = Survey::take();
    let jdk = java(&survey, chart);
    let fence = fence(&survey, chart);
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
                    format!("Java {} cannot stop an app's threads: every restart of the app takes a new JVM", jdk.version),
                    format!("restarts are some 30 times faster with a JDK of version 17 to {}; name it with JAVA_HOME", Jdk::LAST_STOPPING),
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
    let mb = |bytes: u64| bytes.div_ceil(1_000_000);
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
            "run it on a phone: siamang explore app.apk --device SERIAL",
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
            return chart.refused(error, "run it on a phone: siamang explore app.apk --device SERIAL");
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return chart.bad(error, "try again"),
    };
    runtime.block_on(async {
        let begun = Instant::now();
        match device.reset(Reset::Clean).await {
            Ok(seen) => started(&seen, begun.elapsed().as_secs_f64(), chart),
            Err(error) => chart.bad(
                format!("the app was not started: {error}"),
                "see -v for what the JVM says; run it on a phone: siamang explore app.apk --device SERIAL",
            ),
        }
        if let Err(error) = device.close().await {
            tracing::warn!("{error}");
        }
    });
}

fn started(seen: &Observation, seconds: f64, chart: &mut Chart) {
    let fault = seen.issues.iter().find(|issue| issue.starts_with(HOST_FAULT));
    if let Some(fault) = fault {
        return chart.bad(
            format!("the app does not start here: {fault}"),
            "run it on a phone: siamang explore app.apk --device SERIAL",
        );
    }
    if let Some(failure) = seen.failures.first() {
        return chart.note(
            format!("the app fails when it is started: {}", failure.headline()),
            "`siamang explore` reports and shrinks it as any other failure",
        );
    }
    let widgets = seen.tree.nodes().len();
    chart.good(format!("the app starts: {widgets} widgets after {seconds:.1} s"));
    if widgets == 0 {
        chart.note("it shows no window", "there may be nothing to explore; try it on a phone");
    }
    for issue in &seen.issues {
        chart.note(issue, "the run goes on without it");
    }
}
