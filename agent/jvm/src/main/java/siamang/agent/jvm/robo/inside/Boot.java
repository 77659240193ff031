package siamang.agent.jvm.robo.inside;

import android.content.Context;
import android.os.Environment;
import android.view.accessibility.AccessibilityManager;
import dalvik.system.CloseGuard;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.internal.TestEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowAccessibilityManager;
import org.robolectric.shadows.ShadowAlarmManager;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowEnvironment;
import org.robolectric.shadows.ShadowMediaPlayer;
import org.robolectric.shadows.ShadowSystemProperties;
import siamang.agent.jvm.robo.shared.ApkManifest;
import siamang.agent.jvm.robo.shared.AppClasses;

/** Starts and ends the app's process inside this JVM. On the main thread. */
final class Boot {
    private static final int FIRST_PID = 10_000;
    private static final Duration FRAME = Duration.ofMillis(16);
    /** Whatever an app plays, it is a second of silence, ready at once. */
    private static final int TUNE_MS = 1_000;
    /** Caches of the framework from names to the app's classes, which would answer with those of an earlier life. */
    private static final String[][] CACHES = {
        {"android.preference.GenericInflater", "sConstructorMap"}, {"android.app.Fragment", "sClassMap"},
        {"android.view.LayoutInflater", "sConstructorMap"}, {"android.transition.TransitionInflater", "sConstructors"},
        {"android.animation.PropertyValuesHolder", "sSetterPropertyMap"}, {"android.animation.PropertyValuesHolder", "sGetterPropertyMap"},
    };

    /** Databases need not wait for the disk: what a dead process has written is there, and no disk fails here. */
    private static final String[] UNSYNCED = {"debug.sqlite.syncmode", "debug.sqlite.wal.syncmode"};

    private final JvmBackend device;
    private final TestEnvironment environment;
    private final ApkManifest manifest;
    private final AppClasses classes;
    private int lives;
    private boolean plain;

    Boot(JvmBackend device, TestEnvironment environment, ApkManifest manifest, AppClasses classes) {
        this.device = device;
        this.environment = environment;
        this.manifest = manifest;
        this.classes = classes;
    }

    /** Returns a thread of the app that is left and that nobody can stop, in words, or null. */
    String end() throws IOException {
        AppProcess process = device.process();
        process.die();
        Probes.lifeEnds();
        ServerSockets.closeAll();
        process.endSchedulers();
        if (lives > 0) {
            AsyncTasks.end();
        }
        String left = device.threads.stopAll(process);
        device.storage.setAside();
        TaskStack.forget();
        Documents.forget();
        OtherData.forget();
        Services.forget();
        device.windows.forget();
        device.question.forget();
        device.toasts.forget();
        device.loop.forget();
        if (lives > 0) {
            device.lifeEnds();
            environment.resetState();
            AsyncTasks.begin();
            Loopers.forgetEnded();
            Leftovers.forget();
            forgetClasses();
        }
        return left;
    }

    /** A life without the app, before its first: none of its code runs, and its own lives are counted from the start. */
    void warmUp() throws Exception {
        plain = true;
        try {
            begin(manifest.plain());
            WarmUp.run(device);
        } finally {
            plain = false;
            device.process().die();
            end();
            lives = 0;
            device.timeBegins();
        }
    }

    boolean isPlain() {
        return plain;
    }

    void begin() throws IOException {
        begin(manifest);
    }

    private void begin(ApkManifest manifest) throws IOException {
        lives++;
        AppProcess process = new AppProcess(classes.fresh(), manifest.getPackageName(), FIRST_PID + lives);
        AppProcess.begin(process);
        Chance.install();
        Thread.currentThread().setContextClassLoader(process.loader);
        Thread.setDefaultUncaughtExceptionHandler(device.crashes);
        device.upright();
        ShadowEnvironment.setExternalStorageState(Environment.MEDIA_MOUNTED);
        for (String property : UNSYNCED) {
            ShadowSystemProperties.override(property, "OFF");
        }
        environment.setUpApplicationState("siamang", new FixedConfig(), manifest);
        device.lifeBegins();
        // As a process of an app does first of all: it would take a stack for everything that can be closed.
        CloseGuard.setEnabled(false);
        ShadowChoreographer.setFrameDelay(FRAME);
        ShadowAlarmManager.setAutoSchedule(true);
        ShadowMediaPlayer.setMediaInfoProvider(source -> new ShadowMediaPlayer.MediaInfo(TUNE_MS, 0));
        Context app = RuntimeEnvironment.getApplication();
        ShadowAccessibilityManager accessibility = Shadow.extract((AccessibilityManager) app.getSystemService(Context.ACCESSIBILITY_SERVICE));
        accessibility.setEnabled(true);
    }

    private static void forgetClasses() {
        for (String[] cache : CACHES) {
            try {
                Field field = Class.forName(cache[0]).getDeclaredField(cache[1]);
                field.setAccessible(true);
                ((Map<?, ?>) field.get(null)).clear();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(cache[0] + "." + cache[1] + " is not there: this is not the framework that the host was made for", e);
            }
        }
    }
}
