package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import org.junit.Test;

public final class HostFaultsTest {
    @Test
    public void whatHardwareDoesNotAnswerIsTheHosts() {
        Throwable nothing = byTheApp("Cannot load from int array because the return value of \"android.media.audiofx.Visualizer.getCaptureSizeRange()\" is null");
        assertEquals("hardware that the JVM does not have: nothing came from android.media.audiofx.Visualizer.getCaptureSizeRange",
                HostFaults.reason(new RuntimeException("Unable to start activity", nothing)));
    }

    @Test
    public void whatTheAppForgotIsTheApps() {
        for (String forgotten : new String[] {"android.content.Intent.getExtras()", "com.example.android.media.Own.name()"}) {
            assertNull(HostFaults.reason(byTheApp("Cannot invoke \"Object.toString()\" because the return value of \"" + forgotten + "\" is null")));
        }
        assertNull(HostFaults.reason(byTheApp(null)));
    }

    @Test
    public void whatIsCopiedFromASoundEffectIsTheHostsAndWhatTheAppCopiesIsTheApps() {
        IndexOutOfBoundsException thrown = new ArrayIndexOutOfBoundsException("arraycopy");
        StackTraceElement copy = new StackTraceElement("java.lang.System", "arraycopy", null, -2);
        StackTraceElement app = new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7);
        thrown.setStackTrace(new StackTraceElement[] {copy, new StackTraceElement("android.media.audiofx.AudioEffect", "getParameter", "AudioEffect.java", 837), app});
        assertEquals("hardware that the JVM does not have: ArrayIndexOutOfBoundsException in android.media.audiofx.AudioEffect", HostFaults.reason(thrown));
        StackTraceElement shadow = new StackTraceElement("org.robolectric.shadows.ShadowAudioEffect", "native_getParameter", "ShadowAudioEffect.java", 90);
        StackTraceElement called = new StackTraceElement("java.lang.invoke.LambdaForm$MH", "linkToCallSite", null, -1);
        StackTraceElement effect = new StackTraceElement("android.media.audiofx.AudioEffect", "getParameter", "AudioEffect.java", 837);
        thrown.setStackTrace(new StackTraceElement[] {copy, shadow, called, effect, app});
        assertEquals("hardware that the JVM does not have: ArrayIndexOutOfBoundsException in android.media.audiofx.AudioEffect", HostFaults.reason(thrown));
        thrown.setStackTrace(new StackTraceElement[] {copy, app});
        assertNull(HostFaults.reason(thrown));
    }

    @Test
    public void whatAShadowCannotDoIsTheHostsAndWhatItChecksAsAndroidDoesIsTheApps() {
        for (RuntimeException gap : new RuntimeException[] {new IllegalStateException("did not recognize serviceFetcher"), new IllegalArgumentException("blah"),
            new RuntimeException("UNIMPLEMENTED")}) {
            assertEquals("a gap of Robolectric: " + gap + " in org.robolectric.shadows.ShadowOther.get(ShadowOther.java:7)",
                    HostFaults.reason(new RuntimeException("Unable to start activity", by("ShadowOther", gap))));
        }
        String unknown = "Don't know what to do with dataSource /data/a.mp3 - either add an exception";
        assertEquals("a gap of Robolectric: java.lang.IllegalArgumentException: " + unknown + " in org.robolectric.shadows.ShadowMediaPlayer.get(ShadowMediaPlayer.java:7)",
                HostFaults.reason(by("ShadowMediaPlayer", new IllegalArgumentException(unknown))));
        assertNull(HostFaults.reason(by("ShadowMediaPlayer", new IllegalStateException())));
        assertNull(HostFaults.reason(by("ShadowInstrumentation", new IllegalArgumentException("Receiver not registered: a"))));
        assertNull(HostFaults.reason(by("ShadowPowerManager$ShadowWakeLock", new RuntimeException("WakeLock under-locked a"))));
        // Not what the framework or the app throws, called by a shadow or not.
        assertNull(HostFaults.reason(byTheApp(null)));
    }

    private static RuntimeException by(String shadow, RuntimeException thrown) {
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("org.robolectric.shadows." + shadow, "get", shadow.split("\\$")[0] + ".java", 7),
            new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7)});
        return thrown;
    }

    private static Throwable byTheApp(String message) {
        NullPointerException thrown = new NullPointerException(message);
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7)});
        return thrown;
    }
}
